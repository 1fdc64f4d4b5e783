//! Selects the recommended method by recall and precision measured on the sample, time and memory.

use crate::evaluate::similarity::wilson;
use lookalike_report::human::bytes;
use lookalike_report::{PlanCost, PlanRecall};

/// A method other than the exact join must take less than this share of its time, as the exact
/// result is proven.
const WORTH_IT: f64 = 0.5;

/// Precision that a method must have whose candidates are not verified on complete sets: what it
/// finds besides is removed, and nothing proves it.
const PRECISION: f64 = 0.99;

/// What a method must reach, and the sample on which it was measured.
#[derive(Debug, Clone, Copy)]
pub(super) struct Required {
    /// Share of the pairs that reach the threshold.
    pub(super) recall: f64,
    /// Bytes of memory.
    pub(super) memory: u64,
    /// Pairs of the sample that reach the threshold.
    pub(super) pairs: u64,
    /// Whether the sample is all of the inputs.
    pub(super) whole: bool,
}

/// The recommended method, and the reason.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Recommendation {
    pub(super) method: Option<String>,
    pub(super) options: Option<String>,
    pub(super) reason: String,
}

/// A method with its cost.
type Tried<'a> = (&'a PlanRecall, &'a PlanCost);

impl Required {
    /// The recall that the sample proves: measured, and of a sample the lower end of its 95 %
    /// interval. Where there is a theory, its recall for all pairs of the collection replaces the
    /// interval.
    fn proven_recall(&self, method: &PlanRecall) -> Option<f64> {
        if method.method == "exact" {
            return Some(1.0);
        }
        let measured = method.recall_in_sample?;
        if self.whole {
            return Some(measured);
        }
        if let Some(theory) = method.recall {
            // That in the sample may be lower, as sketches reject some pairs.
            return Some(theory.min(measured));
        }
        let hits = (measured * self.pairs as f64).round() as u64;
        wilson(hits, self.pairs).map(|(low, _)| low)
    }

    /// The precision that the sample proves: measured, and of a sample the lower end of its 95 %
    /// interval.
    fn proven_precision(&self, method: &PlanRecall) -> Option<f64> {
        let measured = method.precision_in_sample?;
        if self.whole || measured == 0.0 {
            return Some(measured);
        }
        let right = (method.recall_in_sample? * self.pairs as f64).round();
        wilson(right as u64, (right / measured).round() as u64).map(|(low, _)| low)
    }

    /// Whether a method finds enough, and little else.
    fn enough(&self, method: &PlanRecall) -> bool {
        let exact = method.method == "exact";
        let verified = exact || method.method.ends_with("@exact");
        let shown = || self.proven_precision(method).is_some_and(|found| found >= PRECISION);
        let precise = verified || shown();
        // A recall of 1 in a sample does not imply 1 in the whole, except for the exact join.
        let all = self.recall >= 1.0 && !exact;
        precise && !all && self.proven_recall(method).is_some_and(|found| found >= self.recall)
    }

    /// What was measured of a method.
    fn measured(&self, method: &PlanRecall) -> String {
        let mut text = format!("its recall is {:.3}", method.recall_in_sample.unwrap_or(0.0));
        if !self.whole {
            text += &format!(" of {} pairs in the sample", self.pairs);
            let proven = self.proven_recall(method).unwrap_or(0.0);
            text += &match method.recall {
                Some(_) => {
                    format!(", and {proven:.3} by its S-curve for the pairs expected in all")
                }
                None => format!(", and {proven:.3} or more with 95 % confidence"),
            };
        }
        if !method.method.ends_with("@exact") {
            let precision = method.precision_in_sample.unwrap_or(0.0);
            text += &format!(", its precision {precision:.3}");
            if !self.whole {
                let proven = self.proven_precision(method).unwrap_or(0.0);
                text += &format!(", and {proven:.3} or more with 95 % confidence");
            }
        }
        text
    }

    /// Recommends the exact join if its memory suffices, unless another method finds enough in half
    /// of its time; else the fastest method that finds enough within the memory budget. `methods`
    /// and `costs` are parallel, the exact join first.
    pub(super) fn recommend(&self, methods: &[PlanRecall], costs: &[PlanCost]) -> Recommendation {
        let enough = || methods.iter().zip(costs).filter(|(method, _)| self.enough(method));
        let fits = |tried: &Tried<'_>| tried.1.peak_memory_bytes <= self.memory;
        let others = enough().filter(|tried| tried.0.method != "exact" && fits(tried));
        let fastest = others.min_by(|a, b| a.1.seconds.total_cmp(&b.1.seconds));
        let exact = enough().find(|(method, _)| method.method == "exact");
        let share = |of: Tried<'_>, exact: Tried<'_>| of.1.seconds / exact.1.seconds;
        let (chosen, reason) = match (exact, fastest) {
            (Some(exact), Some(fastest)) if fits(&exact) && share(fastest, exact) < WORTH_IT => {
                let times = share(fastest, exact);
                let measured = self.measured(fastest.0);
                (fastest, format!("it takes {times:.2} of the time of the exact join; {measured}"))
            }
            (Some(exact), fastest) if fits(&exact) => {
                let other = match fastest {
                    Some(fastest) => format!(
                        "the fastest other method that finds enough, {}, takes {:.2} of its time, and below {WORTH_IT} \
                         would be worth it",
                        fastest.0.method,
                        share(fastest, exact)
                    ),
                    None if self.recall >= 1.0 => "no other method finds all".to_owned(),
                    None => format!("no other method is shown to have recall {}", self.recall),
                };
                (exact, format!("it finds every pair and fits into memory; {other}"))
            }
            (Some(exact), Some(fastest)) => (
                fastest,
                format!(
                    "the exact join needs {} of memory; this is the fastest method that finds enough within the \
                     memory, with {}; {}",
                    bytes(exact.1.peak_memory_bytes),
                    bytes(fastest.1.peak_memory_bytes),
                    self.measured(fastest.0)
                ),
            ),
            _ => {
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
        Recommendation { method: Some(name.clone()), options: Some(options), reason }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Name, theoretical recall, recall and precision in the sample, seconds, bytes.
    type Way = (&'static str, Option<f64>, f64, f64, f64, u64);

    const EXACT: Way = ("exact", Some(1.0), 1.0, 1.0, 10.0, 100);

    fn recommended(required: Required, ways: &[Way]) -> Recommendation {
        let methods: Vec<PlanRecall> = ways
            .iter()
            .map(|&(name, recall, in_sample, precision, _, _)| PlanRecall {
                method: name.into(),
                recall,
                recall_in_sample: (required.pairs > 0).then_some(in_sample),
                precision_in_sample: (required.pairs > 0).then_some(precision),
            })
            .collect();
        let costs: Vec<PlanCost> = ways
            .iter()
            .map(|&(name, _, _, _, seconds, peak_memory_bytes)| PlanCost {
                method: name.into(),
                seconds,
                peak_memory_bytes,
                ..PlanCost::default()
            })
            .collect();
        required.recommend(&methods, &costs)
    }

    fn of(required: Required, ways: &[Way]) -> Option<String> {
        recommended(required, ways).method
    }

    fn required(recall: f64, memory: u64) -> Required {
        Required { recall, memory, pairs: 1000, whole: false }
    }

    #[test]
    fn worked_by_hand() {
        let ways = [
            EXACT,
            ("fast@none", Some(0.95), 0.97, 1.0, 4.0, 80),
            ("slow@sketch", Some(0.96), 0.97, 1.0, 9.0, 50),
        ];
        assert_eq!(of(required(1.0, 100), &ways).as_deref(), Some("exact"));
        assert_eq!(of(required(0.95, 100), &ways).as_deref(), Some("fast@none"));
        assert_eq!(
            of(required(0.96, 100), &ways).as_deref(),
            Some("exact"),
            "not half of the time"
        );
        assert_eq!(of(required(0.95, 60), &ways).as_deref(), Some("slow@sketch"));
        assert_eq!(of(required(1.0, 60), &ways), None);
        let lucky = [EXACT, ("lucky@none", Some(1.0), 1.0, 1.0, 1.0, 50)];
        assert_eq!(of(required(1.0, 100), &lucky).as_deref(), Some("exact"));
        // The sketches reject more than the keys let through.
        let rejects = [EXACT, ("sketchy@sketch", Some(0.99), 0.9, 1.0, 1.0, 50)];
        assert_eq!(of(required(0.95, 100), &rejects).as_deref(), Some("exact"));
    }

    #[test]
    fn a_method_that_removes_other_documents_is_not_recommended() {
        let ways = |precision| [EXACT, ("loose@none", Some(1.0), 1.0, precision, 1.0, 50)];
        assert_eq!(of(required(0.95, 100), &ways(0.98)).as_deref(), Some("exact"));
        // 990 of 1000 prove 0.982, and 999 prove 0.994.
        assert_eq!(of(required(0.95, 100), &ways(0.99)).as_deref(), Some("exact"));
        assert_eq!(of(required(0.95, 100), &ways(0.999)).as_deref(), Some("loose@none"));
        let few = Required { pairs: 300, ..required(0.95, 100) };
        assert_eq!(of(few, &ways(1.0)).as_deref(), Some("exact"), "300 of 300 prove 0.987");
        let all = Required { whole: true, ..few };
        assert_eq!(of(all, &ways(0.99)).as_deref(), Some("loose@none"));
        assert_eq!(of(required(0.95, 60), &ways(0.98)), None, "not even to save memory");
        let verified = [EXACT, ("loose@exact", Some(1.0), 1.0, 0.5, 1.0, 50)];
        assert_eq!(of(required(0.95, 100), &verified).as_deref(), Some("loose@exact"));
    }

    #[test]
    fn without_a_theory_the_sample_has_to_prove_the_recall() {
        let ways = [EXACT, ("simhash@exact", None, 1.0, 1.0, 1.0, 50)];
        // 100 of 100 prove 0.963, and 50 of 50 prove 0.929.
        let hundred = |recall| Required { pairs: 100, ..required(recall, 100) };
        assert_eq!(of(hundred(0.96), &ways).as_deref(), Some("simhash@exact"));
        assert_eq!(of(hundred(0.97), &ways).as_deref(), Some("exact"));
        let few = Required { pairs: 50, ..required(0.95, 100) };
        assert_eq!(of(few, &ways).as_deref(), Some("exact"));
        // What was measured on everything needs no interval.
        let all = Required { whole: true, ..few };
        assert_eq!(of(all, &ways).as_deref(), Some("simhash@exact"));
        // Without a pair nothing is measured.
        let none = Required { pairs: 0, ..required(0.5, 60) };
        assert_eq!(of(none, &ways), None);
    }

    #[test]
    fn the_reason_is_what_was_measured() {
        let ways = [EXACT, ("fast@none", Some(0.95), 0.97, 0.999, 4.0, 80)];
        let reason =
            |recall, memory, ways: &[Way]| recommended(required(recall, memory), ways).reason;
        assert_eq!(
            reason(0.95, 100, &ways),
            "it takes 0.40 of the time of the exact join; its recall is 0.970 of 1000 pairs in the sample, and 0.950 \
             by its S-curve for the pairs expected in all, its precision 0.999, and 0.994 or more with 95 % confidence"
        );
        let slow = [EXACT, ("slow@exact", None, 1.0, 1.0, 9.0, 50)];
        assert_eq!(
            reason(0.95, 100, &slow),
            "it finds every pair and fits into memory; the fastest other method that finds enough, slow@exact, takes \
             0.90 of its time, and below 0.5 would be worth it"
        );
        assert!(reason(0.95, 60, &slow).starts_with("the exact join needs 100 B of memory; this"));
        assert!(reason(0.95, 60, &slow).ends_with("0.996 or more with 95 % confidence"));
        assert!(reason(1.0, 100, &slow).ends_with("no other method finds all"));
        assert!(
            reason(0.95, 100, &slow[..1]).ends_with("no other method is shown to have recall 0.95")
        );
    }
}
