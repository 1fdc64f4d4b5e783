//! Selects the recommended method by recall, time and memory.

use lookalike_report::{PlanCost, PlanRecall};

/// A method other than the exact join must take less than this share of its time, as the exact
/// result is proven.
const WORTH_IT: f64 = 0.5;

/// The recommended method, and the reason.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Recommendation {
    pub(super) method: Option<String>,
    pub(super) options: Option<String>,
    pub(super) reason: String,
}

/// Recommends the exact join if its memory suffices, unless another method has the required recall
/// in half of the time; else the fastest method with the required recall within the memory budget.
/// Methods without a theoretical recall are not recommended. `methods` and `costs` are parallel,
/// the exact join first.
pub(super) fn recommend(
    methods: &[PlanRecall],
    costs: &[PlanCost],
    memory: u64,
    recall: f64,
) -> Recommendation {
    let fits = |cost: &PlanCost| cost.peak_memory_bytes <= memory;
    let finds = |method: &PlanRecall| {
        // The recall in the sample may be below that of the keys, as sketches reject some pairs.
        let found = method.recall.map(|found| found.min(method.recall_in_sample.unwrap_or(1.0)));
        // A recall of 1 in a sample does not imply 1 in the whole, except for the exact join.
        let all = recall >= 1.0 && method.method != "exact";
        !all && found.is_some_and(|found| found >= recall)
    };
    let enough = || methods.iter().zip(costs).filter(|(method, cost)| finds(method) && fits(cost));
    let fastest = enough().min_by(|a, b| a.1.seconds.total_cmp(&b.1.seconds));
    let exact = enough().find(|(method, _)| method.method == "exact");
    let (chosen, reason) = match (exact, fastest) {
        (Some(exact), Some(fastest)) if fastest.1.seconds < WORTH_IT * exact.1.seconds => {
            (fastest, "it reaches the recall in less than half of the time of the exact join")
        }
        (Some(exact), _) => (
            exact,
            "it has recall 1 and fits into memory; no other method with enough recall takes less than half of its time",
        ),
        (None, Some(fastest)) => (
            fastest,
            "the exact join needs more memory; this is the fastest method with enough recall",
        ),
        (None, None) => {
            let reason = "no method reaches the recall within this memory; raise the setting memory, or \
                          `dedup` the inputs in parts with the setting against";
            return Recommendation { reason: reason.into(), ..Recommendation::default() };
        }
    };
    let name = &chosen.0.method;
    let options = match name.rsplit_once('@') {
        None => String::new(),
        Some((spec, verify)) => format!("--method {spec} --verify {verify}"),
    };
    Recommendation { method: Some(name.clone()), options: Some(options), reason: reason.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(ways: &[(&str, f64, f64, u64)], memory: u64, recall: f64) -> Option<String> {
        let methods: Vec<PlanRecall> = ways
            .iter()
            .map(|&(name, recall, _, _)| PlanRecall {
                method: name.into(),
                recall: Some(recall),
                ..PlanRecall::default()
            })
            .collect();
        let costs: Vec<PlanCost> = ways
            .iter()
            .map(|&(name, _, seconds, peak_memory_bytes)| PlanCost {
                method: name.into(),
                seconds,
                peak_memory_bytes,
                ..PlanCost::default()
            })
            .collect();
        recommend(&methods, &costs, memory, recall).method
    }

    #[test]
    fn worked_by_hand() {
        let ways = [
            ("exact", 1.0, 10.0, 100),
            ("fast@none", 0.95, 4.0, 80),
            ("slow@sketch", 0.96, 9.0, 50),
        ];
        assert_eq!(of(&ways, 100, 1.0).as_deref(), Some("exact"));
        assert_eq!(of(&ways, 100, 0.95).as_deref(), Some("fast@none"));
        assert_eq!(of(&ways, 100, 0.96).as_deref(), Some("exact"), "not half of the time");
        assert_eq!(of(&ways, 60, 0.95).as_deref(), Some("slow@sketch"));
        assert_eq!(of(&ways, 60, 1.0), None);
        let lucky = [("exact", 1.0, 10.0, 100), ("lucky@none", 1.0, 1.0, 50)];
        assert_eq!(of(&lucky, 100, 1.0).as_deref(), Some("exact"));
    }
}
