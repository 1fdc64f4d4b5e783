//! Comparison of a plan with its run.

use super::Plan;
use crate::{Accuracy, Compared, Run, Summary};

impl Plan {
    /// Compares the plan with a run by `method` (a name as in [`super::PlanRecall::method`]), whose
    /// results are `summary` and `run`.
    #[must_use]
    pub fn accuracy(&self, method: &str, summary: &Summary, run: &Run) -> Accuracy {
        let cost = self.run.as_ref().and_then(|plan| {
            plan.costs.iter().find(|cost| cost.method == method).map(|cost| (plan, cost))
        });
        let removed = summary.removed.total();
        let range = (self.removed.low, self.removed.high);
        let compared = |predicted: u64, actual: u64| Compared::new(predicted as f64, actual as f64);
        Accuracy {
            method: cost.map(|_| method.to_owned()),
            differs: self.differs(summary, run),
            documents: compared(self.documents, summary.documents),
            removed: compared(self.removed.expected, removed),
            removed_range: range,
            removed_in_range: (range.0..=range.1).contains(&removed),
            seconds: cost.map(|(_, cost)| Compared::new(cost.seconds, run.seconds)),
            peak_memory_bytes: cost
                .zip(run.peak_memory_bytes)
                .map(|((_, cost), actual)| compared(cost.peak_memory_bytes, actual)),
            scratch_bytes: cost
                .map(|(_, cost)| compared(cost.scratch_bytes, run.scratch_bytes.unwrap_or(0))),
        }
    }

    fn differs(&self, summary: &Summary, run: &Run) -> Vec<String> {
        let settings = |of: &crate::SettingsSummary| {
            let mut of = of.clone();
            // The method is compared by name, and the command line is not compared.
            for name in [
                "job",
                "method",
                "verify",
                "lexicon",
                "lexicon_checksum",
                "lexicon_documents",
                "key_limit",
            ] {
                of.other.remove(name);
            }
            serde_json::to_value(of).unwrap_or_default()
        };
        let (planned, ran) = (settings(&self.settings), settings(&summary.settings));
        let names = planned.as_object().into_iter().flatten().map(|(name, _)| name.clone());
        let mut differs: Vec<String> =
            names.filter(|name| planned.get(name) != ran.get(name)).collect();
        let inputs: Vec<&str> = summary.inputs.iter().map(|input| input.name.as_str()).collect();
        let threads = self.run.as_ref().map(|plan| plan.threads);
        let others = [
            ("command", self.command != summary.command),
            ("inputs", self.inputs != inputs),
            ("threads", threads.is_some_and(|threads| threads != run.threads)),
        ];
        differs.extend(others.into_iter().filter(|other| other.1).map(|other| other.0.to_owned()));
        differs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PlanCost, PlanRemoval, PlanRun, Removed};

    #[test]
    fn errors_worked_by_hand() {
        assert_eq!(Compared::new(110.0, 100.0).error.map(|e| (e * 1e9).round()), Some(1e8));
        assert_eq!(Compared::new(0.0, 0.0).error, Some(0.0));
        assert_eq!(Compared::new(5.0, 0.0).error, None);
    }

    #[test]
    fn predictions_are_compared_with_outcomes() {
        let plan = Plan {
            command: "dedup".into(),
            documents: 100,
            removed: PlanRemoval { expected: 20, low: 10, high: 30, ..PlanRemoval::default() },
            run: Some(PlanRun {
                threads: 2,
                costs: vec![PlanCost {
                    method: "exact".into(),
                    seconds: 3.0,
                    ..PlanCost::default()
                }],
                ..PlanRun::default()
            }),
            ..Plan::default()
        };
        let removed = Removed { near: 31, ..Removed::default() };
        let summary =
            Summary { command: "dedup".into(), documents: 100, removed, ..Summary::default() };
        let run = Run { threads: 1, seconds: 2.0, ..Run::default() };
        let said = plan.accuracy("exact", &summary, &run);
        assert_eq!(said.seconds.and_then(|seconds| seconds.error), Some(0.5));
        assert_eq!((said.removed_in_range, said.differs), (false, vec!["threads".to_owned()]));
        assert_eq!(plan.accuracy("other", &summary, &run).method, None);
    }
}
