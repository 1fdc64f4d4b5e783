//! The units that are cut out of a document, and the edits of its text: functions of its cuts and units.

use super::settings::PassageSettings;
use super::stretches::sides_of_cut;
use super::units::LocatedUnits;
use crate::LookalikeError;
use lookalike_core::spans::union;
use lookalike_passages::Cut;
use lookalike_text::TextEdit;
use std::ops::Range;

/// The runs of units that the cuts of a document take, ascending; of these [`LocatedUnits::divisible`] are
/// cut.
#[must_use]
pub fn units_of_cuts(cuts: &[Cut]) -> Vec<Range<usize>> {
    union(cuts.iter().map(|cut| sides_of_cut(cut)[0].range()).collect())
}

/// Whether any unit of a cut goes: none does in a line, sentence or paragraph that stays whole.
#[must_use]
pub fn goes(cut: &Cut, gone: &[Range<usize>]) -> bool {
    let units = sides_of_cut(cut)[0].range();
    let next = gone.partition_point(|gone| gone.end <= units.start);
    gone.get(next).is_some_and(|gone| gone.start < units.end)
}

/// The error of a cut whose units are not those of its witness, though their hashes are equal.
#[must_use]
pub fn differ(cut: &Cut, id: &str, kept_id: &str) -> LookalikeError {
    let units = sides_of_cut(cut)[0].range();
    LookalikeError::Settings(format!(
        "units {} to {} of {id} and those of {kept_id} from {} have equal hashes and differ: nothing was \
         written. Exclude one of the documents, or change the setting length",
        units.start, units.end, cut.witness.unit
    ))
}

/// The edits that cut these runs of units out of a document, and the number of units that go, those between
/// two runs included (setting `rest`). `None` if the document is removed.
#[must_use]
pub fn edits(
    gone: &[Range<usize>],
    units: &LocatedUnits<'_>,
    settings: &PassageSettings,
) -> (Option<Vec<TextEdit>>, u64) {
    let goes = with_rests(gone, settings.rest as usize);
    let number = goes.iter().map(Range::len).sum::<usize>();
    let stays = units.count() - number >= settings.shortest as usize;
    let Some(mut edits) = units.edits(&goes).ok().filter(|_| stays) else {
        return (None, units.count() as u64);
    };
    if let Some(joint) = &settings.joint {
        edits.iter_mut().for_each(|edit| edit.put = joint.clone().into());
    }
    (Some(edits), number as u64)
}

/// Runs of units, of which those that are nearer to each other than this become one.
fn with_rests(runs: &[Range<usize>], rest: usize) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(runs.len());
    for run in runs {
        match joined.last_mut() {
            Some(last) if run.start - last.end < rest => last.end = run.end,
            _ => joined.push(run.clone()),
        }
    }
    joined
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init)] // One run is a list of one range.
mod tests {
    use super::with_rests;

    #[test]
    fn what_is_shorter_between_two_runs_goes_with_them() {
        assert_eq!(with_rests(&[2..4, 6..7, 10..12], 0), [2..4, 6..7, 10..12]);
        assert_eq!(with_rests(&[2..4, 6..7, 10..12], 3), [2..7, 10..12]);
        assert_eq!(with_rests(&[2..4, 6..7, 10..12], 4), [2..12]);
        assert!(with_rests(&[], 4).is_empty());
    }
}
