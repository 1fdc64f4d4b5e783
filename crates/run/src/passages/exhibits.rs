//! What the report shows of a search: chosen from the runs, before the last reading, which takes the texts.

use super::excerpts::{Shown, ShownPassages};
use super::placing::PlacedDocument;
use super::search::Found;
use super::stretches::{Stretch, sides_of_cut, sides_of_run};
use lookalike_passages::{Place, Run};
use lookalike_report::{
    ChangedDocument, CopiedDocuments, CutExample, FrequentPassage, LengthBin, LongPassage,
    PassageExcerpt, PassageExhibits, ShownPassage,
};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

/// Passages and documents that are listed.
const LISTED: usize = 20;
/// Documents that are shown with what goes.
const EXAMPLES: usize = 6;
/// Passages that are shown of each.
const PASSAGES: usize = 3;

/// The best of many: those with the smallest keys.
#[derive(Debug)]
struct Best<K>(Vec<K>);

impl<K: Ord> Best<K> {
    fn new() -> Self {
        Self(Vec::with_capacity(2 * LISTED))
    }

    /// O(log K) on average: the list is sorted whenever it has doubled.
    fn add(&mut self, key: K) {
        self.0.push(key);
        if self.0.len() == 2 * LISTED {
            self.sort();
        }
    }

    fn sort(&mut self) {
        self.0.sort_unstable();
        self.0.truncate(LISTED);
    }

    fn finish(mut self) -> Vec<K> {
        self.sort();
        self.0
    }
}

/// How many later places each window of a stretch has at least, the windows, and where they begin.
type Copied = (Reverse<u32>, Reverse<u32>, Place);

/// The share of a document that goes, in billionths, its units that go, the document, all its units, its
/// name.
type Changed = (Reverse<u64>, Reverse<u64>, u32, u64, String);

/// The passages that are shown.
pub(super) struct Choice<'a> {
    found: &'a Found,
    frequent: Vec<(u32, Stretch)>,
    longest: Vec<Run>,
    examples: Vec<Example>,
    shown: ShownPassages,
}

/// A document with later copies.
struct Example {
    document: u32,
    /// The first ones: what goes, and where the same stands.
    sides: Vec<[Stretch; 2]>,
    more: usize,
}

impl<'a> Choice<'a> {
    /// Chooses from the later copies that are not of another collection. O(n log n) for n runs.
    pub(super) fn new(found: &'a Found) -> Self {
        let later: Vec<&Run> = found.later().collect();
        let (frequent, longest) = copied_most(found, &later);
        let examples = examples(found, &later);
        let whole = |stretch| Shown { stretch, of_cut: false };
        let mut shown: Vec<Shown> = frequent.iter().map(|&(_, stretch)| whole(stretch)).collect();
        shown.extend(longest.iter().map(|run| whole(sides_of_run(run, found.lengths)[1])));
        for [goes, stays] in examples.iter().flat_map(|example| &example.sides) {
            shown.extend([Shown { stretch: *goes, of_cut: is_cut(found) }, whole(*stays)]);
        }
        Self { found, frequent, longest, examples, shown: ShownPassages::new(shown) }
    }
}

/// Whether anything is cut, so that examples are of cuts and not of passages.
fn is_cut(found: &Found) -> bool {
    !found.cuts.is_empty()
}

/// Of stretches of a document, the best first, those that overlap no better one; not more than are listed.
fn apart<T>(ranked: impl Iterator<Item = (Range<u32>, T)>) -> Vec<T> {
    let (mut taken, mut found) = (Vec::<Range<u32>>::new(), Vec::new());
    for (at, stretch) in ranked {
        let is_free = |other: &Range<u32>| other.end <= at.start || at.end <= other.start;
        if taken.len() < LISTED && taken.iter().all(is_free) {
            taken.push(at);
            found.push(stretch);
        }
    }
    found
}

/// The stretches with most later copies, and the longest runs, each content once.
fn copied_most(found: &Found, later: &[&Run]) -> (Vec<(u32, Stretch)>, Vec<Run>) {
    let lengths = found.lengths;
    let mut by_first: Vec<&Run> = later.to_vec();
    by_first.sort_unstable_by_key(|run| (run.first, run.at));
    let (mut frequent, mut longest) = (Best::<Copied>::new(), Best::new());
    for runs in by_first.chunk_by(|a, b| a.first.document == b.first.document) {
        let place = |unit: u32, windows: u32| unit..unit + lengths.units(windows);
        let document = runs[0].first.document;
        let segments = segments(runs);
        let mut by_copies: Vec<usize> = (0..segments.len()).collect();
        by_copies.sort_unstable_by_key(|&at| {
            let (start, windows, copies) = segments[at];
            (Reverse(copies), Reverse(windows), start)
        });
        let segment = |at: usize| {
            let (start, windows, copies) = around(&segments, at);
            let first = Place { document, unit: start };
            (place(start, windows), (Reverse(copies), Reverse(windows), first))
        };
        apart(by_copies.into_iter().map(segment)).into_iter().for_each(|one| frequent.add(one));
        let mut runs = runs.to_vec();
        runs.sort_unstable_by_key(|run| (Reverse(run.windows), run.at));
        let whole = |run: &Run| {
            (place(run.first.unit, run.windows), (Reverse(run.windows), run.at, run.first))
        };
        apart(runs.into_iter().map(whole)).into_iter().for_each(|one| longest.add(one));
    }
    let frequent = frequent.finish().into_iter();
    let longest = longest.finish().into_iter();
    (
        frequent
            .map(|(copies, windows, at)| (copies.0, Stretch::of_windows(at, windows.0, lengths)))
            .collect(),
        longest
            .map(|(windows, at, first)| Run { at, windows: windows.0, first, copies: [0; 2] })
            .collect(),
    )
}

/// The windows of a document by how many of these runs, which have them first, cover each: the first
/// window, number of windows, copies. Those with one number are together.
fn segments(runs: &[&Run]) -> Vec<(u32, u32, u32)> {
    let ends = |run: &&Run| [(run.first.unit, true), (run.first.unit + run.windows, false)];
    let mut ends: Vec<(u32, bool)> = runs.iter().flat_map(ends).collect();
    ends.sort_unstable();
    let (mut segments, mut start, mut copies) = (Vec::<(u32, u32, u32)>::new(), 0, 0);
    for (unit, begins) in ends {
        if copies > 0 && unit > start {
            match segments.last_mut() {
                // Where a run begins as another one ends, no number changes.
                Some(last) if last.0 + last.1 == start && last.2 == copies => {
                    last.1 += unit - start;
                }
                _ => segments.push((start, unit - start, copies)),
            }
        }
        start = unit;
        copies = if begins { copies + 1 } else { copies - 1 };
    }
    segments
}

/// A segment with those around it that have at least four fifths of its copies: a notice does not end where
/// some of its copies do. The copies are the fewest of them.
fn around(segments: &[(u32, u32, u32)], at: usize) -> (u32, u32, u32) {
    let (mut start, mut windows, most) = segments[at];
    let mut copies = most;
    let belongs = |number: u32| u64::from(number) * 5 >= u64::from(most) * 4;
    for &(from, number, of) in segments[..at].iter().rev() {
        if from + number != start || !belongs(of) {
            break;
        }
        (start, windows, copies) = (from, windows + number, copies.min(of));
    }
    for &(from, number, of) in &segments[at + 1..] {
        if start + windows != from || !belongs(of) {
            break;
        }
        (windows, copies) = (windows + number, copies.min(of));
    }
    (start, windows, copies)
}

/// Documents with what goes, or else with later copies: as far from each other as there are.
fn examples(found: &Found, later: &[&Run]) -> Vec<Example> {
    let sides: Vec<[Stretch; 2]> = match is_cut(found) {
        true => found.cuts.iter().map(sides_of_cut).collect(),
        false => later.iter().map(|run| sides_of_run(run, found.lengths)).collect(),
    };
    let documents: Vec<&[[Stretch; 2]]> =
        sides.chunk_by(|a, b| a[0].place.document == b[0].place.document).collect();
    let number = documents.len().min(EXAMPLES);
    let chosen = (0..number).map(|at| documents[at * documents.len() / number]);
    let example = |of: &[[Stretch; 2]]| Example {
        document: of[0][0].place.document,
        sides: of.iter().take(PASSAGES).copied().collect(),
        more: of.len().saturating_sub(PASSAGES),
    };
    chosen.map(example).collect()
}

/// What the last reading says of the documents.
pub(super) struct Collected<'a> {
    choice: &'a Choice<'a>,
    names: BTreeMap<u32, String>,
    excerpts: BTreeMap<Shown, PassageExcerpt>,
    /// The units of each document with passages.
    units: Vec<(u32, u32)>,
    changed: Best<Changed>,
    /// What goes of the examples.
    gone: BTreeMap<u32, u64>,
}

impl<'a> Collected<'a> {
    pub(super) fn new(choice: &'a Choice<'a>) -> Self {
        let mut names: BTreeMap<u32, String> = BTreeMap::new();
        let mut name = |place: Place| _ = names.entry(place.document).or_default();
        choice.frequent.iter().for_each(|(_, stretch)| name(stretch.place));
        choice.longest.iter().flat_map(|run| [run.at, run.first]).for_each(&mut name);
        let examples = choice.examples.iter().flat_map(|example| &example.sides);
        examples.flatten().for_each(|stretch| name(stretch.place));
        Self {
            choice,
            names,
            excerpts: BTreeMap::new(),
            units: Vec::new(),
            changed: Best::new(),
            gone: BTreeMap::new(),
        }
    }

    /// The passages of which texts are shown.
    pub(super) fn passages(&self) -> &'a ShownPassages {
        &self.choice.shown
    }

    /// Takes what is shown of a document.
    pub(super) fn take(&mut self, placed: &mut PlacedDocument) {
        self.excerpts.extend(std::mem::take(&mut placed.excerpts));
        if let Some(name) = self.names.get_mut(&placed.document) {
            *name = placed.name.shown(false).to_string();
        }
        let PlacedDocument { document, units, gone, .. } = &*placed;
        self.units.push((*document, *units));
        let goes = match is_cut(self.choice.found) || !gone.is_empty() {
            true => gone.clone(),
            false => self.choice.found.later_units(*document),
        };
        let goes = goes.iter().map(Range::len).sum::<usize>() as u64;
        let all = u64::from(*units);
        if self.choice.examples.iter().any(|example| example.document == *document) {
            self.gone.insert(*document, goes);
        }
        // Removed documents are in a list of their own.
        if goes > 0 && goes < all {
            let share = goes * 1_000_000_000 / all;
            let name = placed.name.shown(false).to_string();
            self.changed.add((Reverse(share), Reverse(goes), *document, all, name));
        }
    }

    /// What the report shows.
    pub(super) fn finish(mut self) -> PassageExhibits {
        self.units.sort_unstable();
        let Self { choice, names, excerpts, units, changed, gone } = self;
        let found = choice.found;
        let name = |place: Place| names.get(&place.document).cloned().unwrap_or_default();
        let excerpt = |stretch: Stretch, of_cut: bool| {
            excerpts.get(&Shown { stretch, of_cut }).cloned().unwrap_or_default()
        };
        let documents = documents_of(found, &choice.frequent);
        let frequent = choice.frequent.iter().zip(documents).map(|(&(copies, of), documents)| {
            FrequentPassage {
                copies: copies.into(),
                documents,
                units: of.units.into(),
                first: name(of.place),
                text: excerpt(of, false).passage,
            }
        });
        let longest = choice.longest.iter().map(|run| {
            let [at, first] = sides_of_run(run, found.lengths);
            LongPassage {
                units: at.units.into(),
                document: name(at.place),
                first: name(first.place),
                text: excerpt(first, false).passage,
            }
        });
        let changed = changed
            .finish()
            .into_iter()
            .map(|(_, goes, _, units, name)| ChangedDocument { name, units, gone: goes.0 });
        let units_of = |document: u32| {
            let number = units.binary_search_by_key(&document, |&(document, _)| document);
            number.map_or(0, |number| units[number].1)
        };
        let examples = choice.examples.iter().map(|example| CutExample {
            name: names.get(&example.document).cloned().unwrap_or_default(),
            units: units_of(example.document).into(),
            gone: gone.get(&example.document).copied().unwrap_or_default(),
            passages: example
                .sides
                .iter()
                .map(|&[goes, stays]| ShownPassage {
                    goes: excerpt(goes, is_cut(found)),
                    other: name(stays.place),
                    stays: excerpt(stays, false),
                })
                // Nothing of it goes, if whole lines, sentences or paragraphs are cut.
                .filter(|passage| !passage.goes.passage.is_empty())
                .collect(),
            more: example.more as u64,
        });
        PassageExhibits {
            frequent: frequent.collect(),
            longest: longest.collect(),
            changed: changed.collect(),
            lengths: lengths(found),
            copied: copied(found, &units_of),
            examples: examples.filter(|example| !example.passages.is_empty()).collect(),
        }
    }
}

/// How many documents have some of each of these passages at a later place. O(n·k).
fn documents_of(found: &Found, frequent: &[(u32, Stretch)]) -> Vec<u64> {
    let window = found.lengths.window();
    let mut counts: Vec<(u64, Option<u32>)> = vec![(0, None); frequent.len()];
    for run in found.later() {
        for ((_, of), (count, last)) in frequent.iter().zip(&mut counts) {
            let windows = of.place.unit..of.place.unit + of.units + 1 - window;
            let is_of = run.first.document == of.place.document
                && run.first.unit < windows.end
                && windows.start < run.first.unit + run.windows;
            // Runs are in the order of their documents.
            if is_of && *last != Some(run.at.document) {
                (*count, *last) = (*count + 1, Some(run.at.document));
            }
        }
    }
    counts.into_iter().map(|(count, _)| count).collect()
}

/// Number of passages by length, in bins that double from the shortest passage on.
fn lengths(found: &Found) -> Vec<LengthBin> {
    let window = u64::from(found.lengths.window());
    let mut bins: Vec<LengthBin> = Vec::new();
    for run in found.later() {
        let units = u64::from(found.lengths.units(run.windows));
        let bin = (units / window).ilog2() as usize;
        while bins.len() <= bin {
            let from = window << bins.len();
            bins.push(LengthBin { from, to: 2 * from - 1, passages: 0 });
        }
        bins[bin].passages += 1;
    }
    bins
}

/// Documents of which one passage is at least four fifths, as of the other document with it.
fn copied(found: &Found, units_of: &impl Fn(u32) -> u32) -> CopiedDocuments {
    let mut copied = CopiedDocuments::default();
    let mut last = None;
    for run in found.later() {
        let units = u64::from(found.lengths.units(run.windows));
        let covers = |place: Place| units * 5 >= u64::from(units_of(place.document)) * 4;
        let is_copy = run.first.document != run.at.document && covers(run.at) && covers(run.first);
        if is_copy && last != Some(run.at.document) {
            copied.documents += 1;
            copied.units += units;
            last = Some(run.at.document);
        }
    }
    copied
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(first: u32, windows: u32) -> Run {
        let place = |document, unit| Place { document, unit };
        Run { at: place(9, 0), windows, first: place(0, first), copies: [2, 2] }
    }

    #[test]
    fn segments_have_the_copies_of_each_window() {
        let runs = [run(2, 6), run(4, 2), run(4, 4), run(8, 1), run(20, 3)];
        let runs: Vec<&Run> = runs.iter().collect();
        assert_eq!(segments(&runs), [(2, 2, 1), (4, 2, 3), (6, 2, 2), (8, 1, 1), (20, 3, 1)]);
        let mut counts = [0; 30];
        for run in &runs {
            (run.first.unit..run.first.unit + run.windows).for_each(|at| counts[at as usize] += 1);
        }
        for (start, windows, copies) in segments(&runs) {
            assert!((start..start + windows).all(|at| counts[at as usize] == copies));
        }
        assert_eq!(around(&segments(&runs), 1), (4, 2, 3));
        assert_eq!(
            around(&[(0, 2, 7), (2, 1, 8), (3, 4, 10), (7, 2, 9), (10, 3, 9)], 2),
            (2, 7, 8)
        );
        let meet = [run(0, 3), run(3, 2)];
        assert_eq!(segments(&meet.iter().collect::<Vec<_>>()), [(0, 5, 1)]);
    }

    #[test]
    fn the_best_are_kept_in_order() {
        let mut best = Best::new();
        (0..100u32).rev().for_each(|key| best.add(key * 7 % 100));
        assert_eq!(best.finish(), (0..LISTED as u32).collect::<Vec<_>>());
    }
}
