//! Recall and precision of a method as means over queries: Kołcz & Chowdhury 2008, formulas (3) and
//! (4).

use crate::run::Neighbours;

/// Means over queries.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Quality {
    pub(super) recall: f64,
    pub(super) precision: f64,
    /// Queries all of whose matches are true.
    pub(super) pure: f64,
    /// Queries that find anything.
    pub(super) answered: f64,
}

impl Quality {
    /// The mean of several.
    pub(super) fn mean(of: &[Self]) -> Self {
        let mean =
            |value: fn(&Self) -> f64| of.iter().map(value).sum::<f64>() / of.len().max(1) as f64;
        Self {
            recall: mean(|quality| quality.recall),
            precision: mean(|quality| quality.precision),
            pure: mean(|quality| quality.pure),
            answered: mean(|quality| quality.answered),
        }
    }

    /// Recall, precision and pure, for a cell.
    pub(super) fn cell(self) -> String {
        format!("{:.3}, {:.3}, {:.3}", self.recall, self.precision, self.pure)
    }
}

/// Judges what queries found by what is true; precision and pure over the queries that found
/// anything.
pub(super) fn judge(queries: &[u32], truth: &Neighbours, found: &Neighbours) -> Quality {
    let mut sum = Quality::default();
    for &query in queries {
        let hits = found.of(query).iter().filter(|&&other| truth.has(query, other)).count() as f64;
        let met = found.of(query).len() as f64;
        sum.recall += hits / truth.of(query).len() as f64;
        if met > 0.0 {
            sum.answered += 1.0;
            sum.precision += hits / met;
            sum.pure += f64::from(u8::from(hits == met));
        }
    }
    let answered = sum.answered.max(1.0);
    let all = queries.len().max(1) as f64;
    Quality {
        recall: sum.recall / all,
        precision: sum.precision / answered,
        pure: sum.pure / answered,
        answered: sum.answered / all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::tests::corpus;
    use crate::run::{approach, resemblance, search};

    #[test]
    fn queries_are_averaged() {
        // Same terms: 0 1 2. Same words: 0 1, and 3 4.
        let texts = corpus(&["a b", "b a", "a b b", "c", "c!"]);
        let neighbours = |filter: &str| {
            let method = approach(&format!("syntactic:filter={filter}"), None).unwrap();
            search(&texts, method, resemblance("0.8").unwrap(), true).unwrap().neighbours()
        };
        let all = neighbours("all");
        let quality = judge(&[0, 1, 2], &all, &all);
        assert_eq!(quality, Quality { recall: 1.0, precision: 1.0, pure: 1.0, answered: 1.0 });
        // Nothing is left of these words, so nothing is found.
        let nothing = neighbours("tg5");
        assert_eq!(judge(&[0, 1, 2], &all, &nothing), Quality::default());
        // Judged by nothing, what is found is wrong.
        assert_eq!(judge(&[3], &all, &all).recall, 1.0);
        assert_eq!(Quality::mean(&[quality, Quality::default()]).recall, 0.5);
    }
}
