//! From the anchors of all documents to runs, part by part: each part of the anchors is grouped alone.
//!
//! Windows of groups with several contexts are hashed in another reading of the documents. Questions of so
//! many parts are asked in one reading as the memory budget has room for; there is nearly always one.

use super::anchor_store::{AnchorStore, Part, SpillLimits};
use super::numbers::Numbers;
use crate::LookalikeError;
use lookalike_passages::classes::{Classes, Piece, Repeated};
use lookalike_passages::questions::{Answers, Questions};
use lookalike_passages::{Run, runs};

/// Hashes the windows that are asked for: gives each document with the hashes of its windows, in the order
/// in which the documents are read.
pub(super) trait WindowHasher {
    /// # Errors
    /// Documents that cannot be read again; those of `each`.
    fn hash(
        &self,
        questions: &Questions,
        each: &mut dyn FnMut(u32, Vec<u64>) -> Result<(), LookalikeError>,
    ) -> Result<(), LookalikeError>;
}

/// The runs of documents, and the bytes that were spilled.
pub(super) struct Grouped {
    pub(super) runs: Vec<Run>,
    pub(super) spilled: u64,
}

/// The runs of documents, of which each anchor has the index in the order of reading.
///
/// # Errors
/// A spill file that cannot be written or read; those of `hasher`.
pub(super) fn grouped(
    mut anchors: AnchorStore,
    numbers: &Numbers,
    repeated: Repeated,
    limits: &SpillLimits,
    hasher: &impl WindowHasher,
) -> Result<Grouped, LookalikeError> {
    let mut pieces = limits.pieces(numbers.count());
    let parts = anchors.parts(limits.grouped());
    let (mut spilled, mut rest) = (anchors.spilled(), &parts[..]);
    while !rest.is_empty() {
        let asked = limits.questions();
        let round = Round::begin(rest, &mut anchors, numbers, repeated, asked, limits, |found| {
            pieces.add(&found)
        })?;
        rest = &rest[round.parts..];
        spilled += round.finish(numbers, repeated, limits, hasher, |found| pieces.add(&found))?;
    }
    drop(anchors);
    spilled += pieces.spilled();
    let mut all = Vec::new();
    // No run has windows of two documents.
    pieces.take(|pieces| all.extend(runs::runs(pieces)))?;
    Ok(Grouped { runs: all, spilled })
}

/// Parts whose questions are answered in one reading.
struct Round {
    /// How many.
    parts: usize,
    questions: Questions,
    /// The anchors of each part that have questions.
    open: AnchorStore,
}

impl Round {
    /// Groups anchors until there are `most` questions; gives what is known without hashes to `pieces`.
    fn begin(
        parts: &[Part],
        anchors: &mut AnchorStore,
        numbers: &Numbers,
        repeated: Repeated,
        most: usize,
        limits: &SpillLimits,
        mut pieces: impl FnMut(Vec<Piece>) -> Result<(), LookalikeError>,
    ) -> Result<Self, LookalikeError> {
        let mut asked = Vec::new();
        let mut done = 0;
        let mut open = limits.open(parts.len().min(MOST_PARTS));
        for (number, part) in (0..).zip(parts.iter().take(MOST_PARTS)) {
            let mut found = anchors.take(part)?;
            found.retain_mut(|anchor| match numbers.at(anchor.place.document) {
                Some(document) => {
                    anchor.place.document = document;
                    true
                }
                None => false,
            });
            let (classes, questions) = Classes::new(found);
            asked.extend(questions.in_part(number));
            let mut added = Ok(());
            let settled = classes.settled(repeated, |anchor| {
                if added.is_ok() {
                    added = open.add_to(number.into(), anchor);
                }
            });
            added?;
            drop(classes);
            pieces(settled)?;
            done += 1;
            if asked.len() >= most {
                break;
            }
        }
        Ok(Self { parts: done, questions: Questions::of_parts(asked), open })
    }

    /// Has the questions answered; gives what the answers say to `pieces`. Returns the bytes that were
    /// spilled.
    fn finish(
        mut self,
        numbers: &Numbers,
        repeated: Repeated,
        limits: &SpillLimits,
        hasher: &impl WindowHasher,
        mut pieces: impl FnMut(Vec<Piece>) -> Result<(), LookalikeError>,
    ) -> Result<u64, LookalikeError> {
        let mut answers = limits.hashes(self.parts);
        hasher.hash(&self.questions, &mut |document, hashes| {
            let mut hashes = hashes.into_iter();
            for question in self.questions.of(document) {
                for hash in hashes.by_ref().take(question.windows.into()) {
                    answers.add(question.part.into(), hash)?;
                }
            }
            Ok(())
        })?;
        self.questions = Questions::of_parts(Vec::new());
        let spilled = self.open.spilled() + answers.spilled();
        for part in 0..self.parts {
            let (classes, questions) = Classes::new(self.open.take_partition(part)?);
            let hashes = by_number(&questions, answers.take(part)?, numbers);
            pieces(classes.pieces(&Answers::new(&questions, hashes), repeated))?;
        }
        Ok(spilled)
    }
}

/// The most parts of a round: their numbers are stored in two bytes.
const MOST_PARTS: usize = 1 << 15;

/// The hashes of windows in the order of the numbers of documents, of those in the order of reading.
fn by_number(questions: &Questions, read: Vec<u64>, numbers: &Numbers) -> Vec<u64> {
    let mut documents: Vec<(usize, usize, u32)> = Vec::new();
    for (at, (document, windows)) in questions.windows().enumerate() {
        documents.push((at, windows, document));
    }
    documents.sort_by_key(|&(.., document)| numbers.place(document));
    if documents.is_sorted() {
        return read;
    }
    // Where the hashes of each document start.
    let mut start = 0;
    let mut starts = vec![0..0; documents.len()];
    for (at, windows, _) in documents {
        starts[at] = start..start + windows;
        start += windows;
    }
    starts.into_iter().flat_map(|range| read[range].iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passages::numbers::{ReadDocument, ReadDocuments};
    use lookalike_passages::anchors::{AnchorScratch, anchors};
    use lookalike_passages::{Anchor, Finder, Lengths, Place, Scope};
    use proptest::prelude::*;
    use std::cell::Cell;

    /// Documents in the order of reading.
    struct InMemory<'a> {
        documents: &'a [Vec<u64>],
        numbers: &'a Numbers,
        lengths: Lengths,
        readings: Cell<usize>,
    }

    impl WindowHasher for InMemory<'_> {
        fn hash(
            &self,
            questions: &Questions,
            each: &mut dyn FnMut(u32, Vec<u64>) -> Result<(), LookalikeError>,
        ) -> Result<(), LookalikeError> {
            self.readings.update(|readings| readings + 1);
            for (index, units) in (0..).zip(self.documents) {
                let Some(number) = self.numbers.at(index) else { continue };
                let mut hashes = Vec::new();
                questions.answer(number, units, self.lengths, &mut hashes);
                if !hashes.is_empty() {
                    each(number, hashes)?;
                }
            }
            Ok(())
        }
    }

    const TWICE: Repeated = Repeated { copies: 2, most: u32::MAX, scope: Scope::Anywhere };

    /// Documents in the order of reading, the last ones of another collection, numbered by a keep rule of
    /// which each has a value, but for those that are left out.
    fn numbered(values: &[f64], beside: usize, left_out: &[(u32, u32)]) -> Numbers {
        let mut read = ReadDocuments::default();
        for (record, &value) in (0..).zip(values) {
            let document = ReadDocument { is_fixed: false, values: vec![value] };
            read.add((0, record), (record as usize) < values.len() - beside, &document);
        }
        read.leave_out(left_out);
        read.by_precedence(&["longest".parse().unwrap()])
    }

    /// The runs within a budget, the bytes that were spilled, and the number of readings.
    fn found(
        documents: &[Vec<u64>],
        numbers: &Numbers,
        lengths: Lengths,
        repeated: Repeated,
        memory: u64,
    ) -> (Vec<Run>, u64, usize) {
        let limits = SpillLimits::new(Some(memory), std::env::temp_dir());
        let mut store = limits.anchors();
        for (index, units) in (0..).zip(documents) {
            anchors(index, units, lengths, &mut AnchorScratch::default(), |anchor: Anchor| {
                store.add(&anchor).unwrap();
            });
        }
        let hasher = InMemory { documents, numbers, lengths, readings: Cell::new(0) };
        let found = grouped(store, numbers, repeated, &limits, &hasher).unwrap();
        (found.runs, found.spilled, hasher.readings.get())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        #[test]
        fn a_budget_does_not_show(
            documents in prop::collection::vec(
                (0u32..3, prop::collection::vec(0u64..3, 0..80)),
                1..9,
            ),
            beside in 0usize..3,
            is_left_out in prop::array::uniform8(prop::bool::weighted(0.2)),
            (window, gram) in (2usize..9).prop_flat_map(|window| (Just(window), 1..=window)),
            copies in 2u32..4,
            scope in prop::sample::select(vec![Scope::Anywhere, Scope::Across]),
            memory in prop::sample::select(vec![0u64, 900, 9_000, 60_000, u64::MAX]),
        ) {
            let lengths = Lengths::new(window, gram).unwrap();
            let (values, documents): (Vec<f64>, Vec<Vec<u64>>) =
                documents.into_iter().map(|(value, units)| (f64::from(value), units)).unzip();
            let places = (0..values.len() as u32).filter(|&record| is_left_out[record as usize]);
            let left_out: Vec<(u32, u32)> = places.map(|record| (0, record)).collect();
            let numbers = numbered(&values, beside.min(documents.len()), &left_out);
            let mut by_number = vec![Vec::new(); numbers.count() as usize];
            for (index, units) in (0..).zip(&documents) {
                if let Some(number) = numbers.at(index) {
                    by_number[number as usize] = units.clone();
                }
            }
            let finder = Finder::new(lengths).with_copies(copies).with_scope(scope);
            let repeated = Repeated::at_least(copies, scope);
            let found = found(&documents, &numbers, lengths, repeated, memory);
            prop_assert_eq!(found.0, finder.find(&by_number));
        }
    }

    #[test]
    fn a_small_budget_spills_and_reads_several_times() {
        // Many keys, each with two contexts.
        let document = |seed: u64| -> Vec<u64> {
            (0..6_000u64).map(|at| if at % 9 == 0 { at * seed } else { at }).collect()
        };
        let documents = [document(1), document(2), document(1)];
        let lengths = Lengths::new(12, 4).unwrap();
        let numbers = numbered(&[0.0; 3], 0, &[]);
        let of = |memory| found(&documents, &numbers, lengths, TWICE, memory);
        let (runs, spilled, readings) = of(u64::MAX);
        assert_eq!((spilled, readings), (0, 1));
        assert!(!runs.is_empty());
        let (few, spilled, readings) = of(20_000);
        assert!(spilled > 0 && readings > 1, "{spilled} bytes, {readings} readings");
        assert_eq!(few, runs);
    }

    #[test]
    fn one_key_beyond_the_budget_is_one_part() {
        let header: Vec<u64> = (0..40).collect();
        let document = |number: u64| [header.clone(), vec![100 + number; 3]].concat();
        let documents: Vec<Vec<u64>> = (0..500).map(document).collect();
        let lengths = Lengths::new(20, 8).unwrap();
        let (runs, spilled, _) =
            found(&documents, &numbered(&[0.0; 500], 0, &[]), lengths, TWICE, 4_000);
        assert_eq!(runs, Finder::new(lengths).find(&documents));
        assert_eq!((runs.len(), runs[499].copies), (500, [500, 500]));
        assert!(spilled > 0);
        let first = Place { document: 0, unit: 0 };
        assert!(runs.iter().all(|run| run.first == first && run.windows == 21));
    }

    #[test]
    fn parts_are_whole_partitions_or_some_of_their_keys() {
        let mut store = SpillLimits::new(None, std::env::temp_dir()).anchors();
        let place = Place { document: 0, unit: 0 };
        for key in (0..4096).chain((0..2048).map(|key| key * 256 + 7)) {
            store.add(&Anchor { key, context: 0, place, windows: 1, offset: 0 }).unwrap();
        }
        let parts = store.parts(64);
        let mut found: Vec<u64> = Vec::new();
        for part in &parts {
            let anchors = store.take(part).unwrap();
            // Of the 16 partitions before and behind the large one, four together.
            assert!(anchors.len() <= 64 || anchors.iter().all(|anchor| anchor.key % 256 == 7));
            found.extend(anchors.iter().map(|anchor| anchor.key));
        }
        found.sort_unstable();
        let mut expected: Vec<u64> = (0..4096).chain((0..2048).map(|key| key * 256 + 7)).collect();
        expected.sort_unstable();
        assert_eq!(found, expected);
        assert!(parts.len() < 256 && parts.len() > 64);
    }
}
