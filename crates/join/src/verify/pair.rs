//! Exact verification of a candidate pair.

use crate::Criterion;
use lookalike_core::{Overlap, overlap_at_least};

/// The counts of two sets if they match, `None` otherwise. For containment, `a` is the set
/// contained: the later one.
///
/// Both sets strictly ascending. O(|a| + |b|), ended as soon as the threshold is out of reach;
/// O(|a| log |b|) if one is far smaller.
///
/// ```
/// use lookalike_core::{Measure, Overlap};
/// use lookalike_join::{Criterion, verify};
///
/// let criterion = Criterion { measure: Measure::Resemblance, threshold: "0.6".parse()? };
/// assert_eq!(verify(criterion, &[1, 2, 3, 4], &[2, 3, 4, 5]), Some(Overlap { shared: 3, a: 4, b: 4 }));
/// assert_eq!(verify(criterion, &[1, 2, 3, 4], &[3, 4, 5, 6]), None);
/// # Ok::<(), lookalike_core::ThresholdError>(())
/// ```
///
/// # Panics
/// If a set has 2³² elements or more.
#[must_use]
pub fn verify(criterion: Criterion, a: &[u64], b: &[u64]) -> Option<Overlap> {
    let [a_size, b_size] = [a, b].map(|set| {
        u32::try_from(set.len()).expect("documented: sets have fewer than 2³² elements")
    });
    let needed = criterion.needed_overlap(a_size, b_size);
    let shared = overlap_at_least(a, b, needed)?;
    let counts = Overlap { shared, a: a_size, b: b_size };
    // Two empty sets need nothing and match nothing.
    criterion.reaches(counts).then_some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_core::Measure;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_the_definitions(
            a in prop::collection::btree_set(0u64..50, 0..40),
            b in prop::collection::btree_set(0u64..50, 0..40),
            thousandths in 300u64..=1000,
        ) {
            let threshold = format!("{}.{:03}", thousandths / 1000, thousandths % 1000).parse().unwrap();
            let shared = a.intersection(&b).count() as u64;
            let (x, y) = (a.len() as u64, b.len() as u64);
            let (set_a, set_b) = (Vec::from_iter(a), Vec::from_iter(b));
            for measure in [Measure::Resemblance, Measure::Containment, Measure::Cosine] {
                let matches = shared > 0 && match measure {
                    Measure::Resemblance => shared * 1000 >= thousandths * (x + y - shared),
                    Measure::Containment => shared * 1000 >= thousandths * x,
                    Measure::Cosine => shared * shared * 1_000_000 >= thousandths * thousandths * x * y,
                };
                let counts = Overlap { shared: shared as u32, a: x as u32, b: y as u32 };
                let found = verify(Criterion { measure, threshold }, &set_a, &set_b);
                prop_assert_eq!(found, matches.then_some(counts));
            }
        }
    }
}
