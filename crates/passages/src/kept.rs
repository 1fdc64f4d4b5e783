//! Which windows are cut.

use crate::{Lengths, Place, Run, Scope};
use std::collections::{HashMap, VecDeque};

/// When a repeated window goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CutRule {
    /// An equal window stands whole, at an earlier place, in what is kept.
    #[default]
    Kept,
    /// It is not the first. The first may have been cut in part.
    Later,
    /// Always: no copy stays (Lee et al. 2021).
    All,
}

/// Consecutive windows of a document that are cut with all their units, and where equal ones stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// The first unit that goes.
    pub at: Place,
    /// Number of units that go.
    pub units: u32,
    /// Where the same units stand: with [`CutRule::Kept`] in what is kept, else at the first place.
    pub witness: Place,
}

/// The cuts of runs, which are in the order of their places. A unit may be in several cuts: windows
/// overlap. O(windows).
///
/// With [`CutRule::Kept`]:
///
/// 1. Every unit that goes is in a window whose equal stands whole in what is kept, at an earlier place.
/// 2. No window stands whole at two places of what is kept, except at places that overlap.
///
/// ```
/// use lookalike_passages::kept::cuts;
/// use lookalike_passages::{Cut, CutRule, Finder, Lengths, Place};
///
/// let units = |text: &str| text.bytes().map(u64::from).collect::<Vec<u64>>();
/// let lengths = Lengths::of_window(2)?;
/// let runs = Finder::new(lengths).find(&[units("abc"), units("bcd"), units("cd")]);
/// let place = |document, unit| Place { document, unit };
/// // "bc" of the second document goes, so that "cd" is no longer whole in it, and stays in the third.
/// let cut = Cut { at: place(1, 0), units: 2, witness: place(0, 1) };
/// assert_eq!(cuts(&runs, lengths, CutRule::Kept), [cut]);
/// # Ok::<(), lookalike_passages::anchors::WrongLengths>(())
/// ```
#[must_use]
pub fn cuts(runs: &[Run], lengths: Lengths, rule: CutRule) -> Vec<Cut> {
    cuts_beside(runs, lengths, rule, Scope::Anywhere, |_| false)
}

/// As [`cuts`], where some documents are fixed, and not cut: those of another collection, or of which the
/// text cannot be replaced. What they repeat stays; the witnesses of others may stand in them. With
/// [`Scope::Across`], each witness stands in another document, and 2. is of two documents; runs are found
/// with the same scope.
#[must_use]
pub fn cuts_beside(
    runs: &[Run],
    lengths: Lengths,
    rule: CutRule,
    scope: Scope,
    is_fixed: impl Fn(u32) -> bool,
) -> Vec<Cut> {
    let mut cuts = Cuts { window: lengths.window(), scope, cuts: Vec::new() };
    match rule {
        CutRule::Kept => {
            let mut kept = Kept::new(runs);
            for of_document in runs.chunk_by(|a, b| a.at.document == b.at.document) {
                kept.document(of_document, is_fixed(of_document[0].at.document), &mut cuts);
            }
        }
        CutRule::Later | CutRule::All => {
            let goes = |run: &&Run| rule == CutRule::All || run.is_later(scope);
            for run in runs.iter().filter(goes).filter(|run| !is_fixed(run.at.document)) {
                windows(run).for_each(|(at, first)| cuts.add(at, first));
            }
        }
    }
    cuts.cuts
}

/// The windows of a run with their first places.
fn windows(run: &Run) -> impl Iterator<Item = (Place, Place)> {
    let Run { at, first, .. } = *run;
    (0..run.windows).map(move |window| (at.plus(window), first.plus(window)))
}

/// The cuts so far.
struct Cuts {
    window: u32,
    scope: Scope,
    cuts: Vec<Cut>,
}

impl Cuts {
    /// Cuts a window, which is behind those before.
    fn add(&mut self, at: Place, witness: Place) {
        if let Some(cut) = self.cuts.last_mut() {
            let windows = cut.units + 1 - self.window;
            if (cut.at.plus(windows), cut.witness.plus(windows)) == (at, witness) {
                cut.units += 1;
                return;
            }
        }
        self.cuts.push(Cut { at, units: self.window, witness });
    }
}

/// Windows that stand whole in what is kept.
struct Kept {
    /// The runs that are their own first places: where each begins, and the windows of those before.
    firsts: Vec<(Place, usize)>,
    /// For each of their windows: where an equal one is kept.
    kept: Vec<Whole>,
    /// The places of those that are kept elsewhere, by first place.
    elsewhere: HashMap<Place, Place>,
    /// Windows of the present document that a cut further on may still break, with their first places and
    /// the numbers of these.
    waiting: VecDeque<(Place, Place, usize)>,
}

/// Where a window stands whole in what is kept.
#[derive(Clone, Copy)]
enum Whole {
    Nowhere,
    AtFirst,
    Elsewhere,
}

impl Kept {
    fn new(runs: &[Run]) -> Self {
        let mut windows = 0;
        let mut firsts = Vec::new();
        for run in runs.iter().filter(|run| run.at == run.first) {
            firsts.push((run.at, windows));
            windows += run.windows as usize;
        }
        Self {
            firsts,
            kept: vec![Whole::Nowhere; windows],
            elsewhere: HashMap::new(),
            waiting: VecDeque::new(),
        }
    }

    fn document(&mut self, runs: &[Run], is_fixed: bool, cuts: &mut Cuts) {
        // The end of the last cut.
        let mut cut_end = 0;
        for run in runs {
            // First places of a run are windows of one run: it is the longest.
            let numbers = self.number(run.first)..;
            for ((at, first), number) in windows(run).zip(numbers) {
                self.settle(at.unit, cuts.window);
                let witness = match self.kept[number] {
                    Whole::Nowhere => None,
                    Whole::AtFirst => Some(first),
                    Whole::Elsewhere => Some(self.elsewhere[&first]),
                };
                // The first one that is kept: if it is of this document, none is of an earlier one.
                let counts = |of: &Place| !is_fixed && cuts.scope.joins(of.document, at.document);
                if let Some(witness) = witness.filter(counts) {
                    cuts.add(at, witness);
                    cut_end = at.unit + cuts.window;
                    // What overlaps it is no longer whole.
                    self.waiting.clear();
                } else if at.unit >= cut_end {
                    self.waiting.push_back((at, first, number));
                }
            }
        }
        self.settle(u32::MAX, cuts.window);
    }

    /// Notes windows that end before a unit: no cut begins before it any more.
    fn settle(&mut self, unit: u32, window: u32) {
        while let Some(&(at, first, number)) = self.waiting.front()
            && at.unit.saturating_add(window) <= unit
        {
            self.waiting.pop_front();
            if let Whole::Nowhere = self.kept[number] {
                self.kept[number] = match at == first {
                    true => Whole::AtFirst,
                    false => Whole::Elsewhere,
                };
                if at != first {
                    self.elsewhere.insert(first, at);
                }
            }
        }
    }

    /// The number of a first place among all of them.
    fn number(&self, first: Place) -> usize {
        let run = self.firsts.partition_point(|(start, _)| *start <= first) - 1;
        let (start, before) = self.firsts[run];
        before + (first.unit - start.unit) as usize
    }
}
