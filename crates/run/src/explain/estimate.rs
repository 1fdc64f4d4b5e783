//! The estimate of a finished run for two documents.

use crate::LookalikeError;
use lookalike_decide::name::{A, B, WIDTH};
use lookalike_decide::{DocumentName, PAIRS};
use lookalike_io::table::{Column, TableReader};
use std::path::Path;

/// The estimate from the sketches of two documents, as a sentence; `None` if the run did not
/// estimate, or does not list the two.
pub(super) fn sentence(
    run: &Path,
    [a, b]: [&DocumentName<'_>; 2],
) -> Result<Option<String>, LookalikeError> {
    let mut table = TableReader::open(run, PAIRS.name, &PAIRS.all())?;
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
