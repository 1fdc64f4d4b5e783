//! The order of precedence of documents, as bytes.
//!
//! The order is that of the batch: for containment larger sets first, then the keep rules, then
//! ids, then the order of first addition. A document's [`Rank`] holds all of it, so that ranks of
//! different segments are compared without their rows.

use crate::DocNumber;
use lookalike_cluster::KeepRule;
use lookalike_core::Measure;

/// Place of a document in the order of precedence: the smaller one takes precedence.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rank(Box<[u8]>);

/// The keep rules of an index, and the measure by which documents match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Precedence {
    /// The measure.
    pub measure: Measure,
    /// The rules, in order.
    pub keep: Vec<KeepRule>,
}

/// What the order of precedence depends on.
#[derive(Debug, Clone, Copy)]
pub struct Ranked<'a> {
    /// Number of elements of the set.
    pub size: u32,
    /// Values of the keep rules, in their order. NaN comes last.
    pub keep: &'a [f64],
    /// The id.
    pub id: &'a str,
    /// The number under which the id was first added.
    pub first: DocNumber,
}

impl Precedence {
    /// The rank of a document.
    ///
    /// ```
    /// use lookalike_index::{DocNumber, Precedence, Ranked};
    /// use lookalike_core::Measure;
    ///
    /// let precedence = Precedence { measure: Measure::Resemblance, keep: vec!["longest".parse()?] };
    /// let rank = |text_bytes: f64, id, first| {
    ///     precedence.rank(Ranked { size: 9, keep: &[text_bytes], id, first: DocNumber(first) })
    /// };
    /// assert!(rank(70.0, "b", 2) < rank(60.0, "a", 1));
    /// assert!(rank(70.0, "a", 2) < rank(70.0, "b", 1));
    /// # Ok::<(), lookalike_cluster::KeepRuleError>(())
    /// ```
    #[must_use]
    pub fn rank(&self, document: Ranked<'_>) -> Rank {
        let Ranked { size, keep, id, first } = document;
        let mut bytes = Vec::with_capacity(4 + 9 * self.keep.len() + id.len() + 6);
        if self.measure == Measure::Containment {
            bytes.extend_from_slice(&(!size).to_be_bytes());
        }
        for (rule, &value) in self.keep.iter().zip(keep) {
            let value = if rule.is_by_order() { first.0.into() } else { value };
            bytes.extend_from_slice(&rule.key(value).to_be_bytes());
        }
        // A NUL is escaped, so that no id is a prefix of the bytes of another one.
        for &byte in id.as_bytes() {
            bytes.push(byte);
            if byte == 0 {
                bytes.push(1);
            }
        }
        bytes.extend_from_slice(&[0, 0]);
        bytes.extend_from_slice(&first.0.to_be_bytes());
        Rank(bytes.into_boxed_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cmp::Ordering;

    fn values() -> impl Strategy<Value = f64> {
        prop_oneof![
            Just(f64::NAN),
            Just(0.0),
            Just(-0.0),
            Just(f64::INFINITY),
            Just(f64::NEG_INFINITY),
            (-3i32..4).prop_map(f64::from),
            any::<f64>(),
        ]
    }

    fn rules() -> impl Strategy<Value = Vec<KeepRule>> {
        const NAMES: [&str; 7] =
            ["first", "longest", "shortest", "newest", "oldest", "max:x", "min:x"];
        prop::collection::vec(prop::sample::select(&NAMES[..]), 0..4)
            .prop_map(|names| names.iter().map(|name| name.parse().unwrap()).collect())
    }

    type Document = (u32, Vec<f64>, String, u32);

    fn documents() -> impl Strategy<Value = Document> {
        let ids = prop_oneof!["[ab\0\u{1}]{0,3}", "[a-z]{0,5}"];
        (1u32..4, prop::collection::vec(values(), 4), ids, 0u32..4)
    }

    /// The order, rule by rule.
    fn by_definition(
        Precedence { measure, keep }: &Precedence,
        a: &Document,
        b: &Document,
    ) -> Ordering {
        let by_size = match measure {
            Measure::Containment => b.0.cmp(&a.0),
            _ => Ordering::Equal,
        };
        let by_rule = |(at, rule): (usize, &KeepRule)| match rule.to_string().as_str() {
            "first" => a.3.cmp(&b.3),
            _ => rule.compare(a.1[at], b.1[at]),
        };
        let by_rules = keep.iter().enumerate().map(by_rule).find(|order| order.is_ne());
        by_size
            .then(by_rules.unwrap_or(Ordering::Equal))
            .then_with(|| a.2.cmp(&b.2))
            .then(a.3.cmp(&b.3))
    }

    proptest! {
        #[test]
        fn bytes_are_in_the_order_of_the_rules(a in documents(), b in documents(), keep in rules(), containment in any::<bool>()) {
            let measure = if containment { Measure::Containment } else { Measure::Resemblance };
            let precedence = Precedence { measure, keep };
            let rank = |d: &Document| {
                precedence.rank(Ranked { size: d.0, keep: &d.1, id: &d.2, first: DocNumber(d.3) })
            };
            prop_assert_eq!(rank(&a).cmp(&rank(&b)), by_definition(&precedence, &a, &b));
        }
    }
}
