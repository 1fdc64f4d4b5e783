//! Confidence intervals of estimates from sketches, for the tables, the report and `explain`.
//!
//! The intervals are those of [`Estimate`]: Wilson's, at 95 %. Complete sets have none, because nothing is
//! estimated; nor have sketches whose agreement does not estimate the resemblance
//! ([`lookalike_methods::Method::estimates`]).

use crate::LookalikeError;
use crate::document_columns::{A, B, DocumentName, WIDTH};
use crate::result_tables::{Extra, pair_columns};
use lookalike_engine::{Approach, Verify};
use lookalike_io::table::{Column, TableReader};
use lookalike_methods::Evidence;
use lookalike_methods::broder::Estimate;
use lookalike_methods::broder::estimate::Z_95;
use std::path::Path;

/// Whether the pairs of a run are decided by estimates of the resemblance.
pub(crate) fn are_made(approach: &Approach) -> bool {
    let estimates = approach.method.as_ref().is_some_and(|method| method.estimates());
    approach.verify == Verify::Sketch && estimates
}

/// Between which values the resemblance is, 95 times in a hundred.
pub(crate) fn interval(evidence: Evidence) -> Option<(f64, f64)> {
    Some(Estimate::of(evidence)?.interval(Z_95))
}

/// What the sketches of two documents of a finished run said, in a sentence; `None` where the run did not
/// estimate, or does not list the two.
pub(crate) fn sentence(
    run: &Path,
    [a, b]: [&DocumentName<'_>; 2],
) -> Result<Option<String>, LookalikeError> {
    let mut table = TableReader::open(run, "pairs", &pair_columns(Extra::ALL))?;
    while let Some(row) = table.next() {
        let row = row?;
        let cell = |name: &str| table.position(name).map(|at| &row[at]);
        let ratio = |name: &str| cell(name)?.as_ratio();
        if cell("resemblance_low").is_none() {
            // Only the tables of estimates have the column.
            return Ok(None);
        }
        let name = |columns: [Column; WIDTH]| {
            let from = table.position(columns[0].name)?;
            DocumentName::read(row.get(from..from + WIDTH)?)
        };
        let (Some(first), Some(second)) = (name(A), name(B)) else { continue };
        let same = first.is(a) && second.is(b) || first.is(b) && second.is(a);
        if !same {
            continue;
        }
        let bounds = (ratio("resemblance_low"), ratio("resemblance_high"));
        let (Some(value), (Some(low), Some(high))) = (ratio("resemblance"), bounds) else {
            return Ok(None);
        };
        let draws = |name: &str| cell(name)?.as_count();
        let sample = match (draws("shared"), draws("size_a"), draws("size_b")) {
            // Samples of both, whose sizes differ, or equal draws.
            (Some(shared), Some(a), Some(b)) if ratio("containment_a_in_b").is_some() => {
                format!(", {shared} of {} sampled", a + b - shared)
            }
            (Some(shared), Some(of), _) => format!(", {shared} of {of} draws"),
            _ => String::new(),
        };
        return Ok(Some(format!(
            "By their sketches the run estimated a resemblance of {value:.4} (95 % interval {low:.4} to \
             {high:.4}{sample}); what follows is exact."
        )));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_core::Overlap;

    #[test]
    fn worked_by_hand() {
        // 40 of 50: (0.8 + z²/100 ± z·sqrt(0.16/50 + z²/10⁴)) / (1 + z²/50), z² = 3.8415.
        let (low, high) =
            interval(Evidence::Sampled(Overlap { shared: 40, a: 45, b: 45 })).unwrap();
        assert!((low - 0.669_629).abs() < 1e-6 && (high - 0.887_562).abs() < 1e-6, "{low} {high}");
        // All of 128 agree: 128 / (128 + z²) to 1.
        let (low, high) = interval(Evidence::Agreement { equal: 128, of: 128 }).unwrap();
        assert!((low - 0.970_863).abs() < 1e-6 && high > 1.0 - 1e-12, "{low} {high}");
        let exact = Evidence::Exact(Overlap { shared: 40, a: 45, b: 45 });
        assert_eq!([exact, Evidence::Distance(3), Evidence::SameKey].map(interval), [None; 3]);
    }
}
