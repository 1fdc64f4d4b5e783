//! The verdict on a message, from what was reported about the prototypes that it matches.

use super::verdict::VerdictKind;
use lookalike_run::index::reports::Counts;

/// The verdict, and which of the prototypes decides; `prototypes` are the counts of those that the
/// message matches, the best first.
///
/// A report that a prototype is legitimate wins over any number of reports that one is spam: a
/// legitimate message that is taken for spam costs far more than spam that is delivered. Otherwise
/// one prototype has to have enough reports of its own; those of several are not added.
pub(super) fn decide(prototypes: &[Counts], reports: u32) -> (VerdictKind, Option<usize>) {
    let first = |holds: &dyn Fn(&Counts) -> bool| prototypes.iter().position(holds);
    if let Some(at) = first(&|counts| counts.ham > 0) {
        return (VerdictKind::Ham, Some(at));
    }
    if let Some(at) = first(&|counts| counts.spam >= reports.max(1)) {
        return (VerdictKind::Spam, Some(at));
    }
    match prototypes.is_empty() {
        true => (VerdictKind::None, None),
        false => (VerdictKind::Unsure, Some(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_by_hand() {
        let of = |counts: &[(u32, u32)]| {
            let counts =
                counts.iter().map(|&(spam, ham)| Counts { spam, ham, ..Counts::default() });
            decide(&counts.collect::<Vec<_>>(), 3)
        };
        assert_eq!(of(&[]), (VerdictKind::None, None));
        assert_eq!(of(&[(0, 0)]), (VerdictKind::Unsure, Some(0)));
        assert_eq!(of(&[(2, 0)]), (VerdictKind::Unsure, Some(0)));
        assert_eq!(of(&[(3, 0)]), (VerdictKind::Spam, Some(0)));
        assert_eq!(of(&[(2, 0), (2, 0)]), (VerdictKind::Unsure, Some(0)));
        assert_eq!(of(&[(2, 0), (4, 0), (5, 0)]), (VerdictKind::Spam, Some(1)));
        assert_eq!(of(&[(100, 1)]), (VerdictKind::Ham, Some(0)));
        assert_eq!(of(&[(100, 0), (2, 0), (0, 1), (0, 2)]), (VerdictKind::Ham, Some(2)));
        // A rule of no reports at all would call everything spam that anybody ever added.
        assert_eq!(decide(&[Counts::default()], 0), (VerdictKind::Unsure, Some(0)));
    }
}
