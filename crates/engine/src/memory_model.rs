//! Memory model: peak memory and temporary files of a run, also for larger collections.
//!
//! [`MemoryModel::of`] counts the contents of one run, [`MemoryModel::times`] scales them, and
//! [`MemoryModel::needs`] adds up the arrays of each step of [`crate::ingest()`] and
//! [`crate::find`]. Allocator overhead and unused capacity are not modelled: some 10 to 20 percent
//! more.

use crate::block::Block;
use crate::collection::{Document, SetRef};
use crate::{Collection, Matches, Units};
use lookalike_core::BitmapSignature;
use lookalike_core::bucket_counts::buckets_for_difference;
use lookalike_join::prefix::SHARE;
use lookalike_join::{COUNTED_BYTES, COUNTS_SHARE, DfSketch};

/// Bytes of an element, of a key and of a word of a sketch.
const WORD: f64 = 8.0;

/// Bytes of a document that can be on disk: its row and the end of its id.
const ROW: f64 = size_of::<Document>() as f64 + 4.0;

/// Bytes of a set that can be on disk, besides its elements: its digest.
const DIGEST: f64 = 16.0;

/// Bytes of the offset between a set's elements up to the bound and those above it.
const LOW_END: f64 = 4.0;

/// Bytes of a set that are always in memory: the end of its elements.
const SET: f64 = 4.0;

/// Bytes of a signature besides its words, always in memory: the ends of its keys and its sketch,
/// its size, its level, and whether it exists.
const SIGNATURE: f64 = 8.0 + 8.0 + 4.0 + 4.0 + 1.0;

/// Bytes of a token sequence in the hash table: digest and set reference, at a load factor of 7/16
/// to 7/8.
const SEEN: f64 = (16.0 + 16.0 + 1.0) * 1.6;

/// Bytes of a distinct set: reference, size, start of its members.
const UNIT: f64 = 8.0 + 4.0 + 4.0;

/// Bytes of a document: its distinct set, and its entry among the members.
const MEMBER: f64 = 4.0 + 4.0;

/// Bytes of a set while equal sets are found: digest, reference, first equal set, and the sort
/// buffers of one partition.
const COLLAPSING: f64 = 16.0 + 8.0 + 4.0 + 4.0;

/// Bytes of a distinct set while distinct sets are ordered: best document and position of its
/// class, its rank, and the rank of its class.
const ORDERING: f64 = 4.0 + 8.0 + 4.0 + 4.0;

/// Bytes of a distinct set while candidates are compared: start of its keys, leader, overlap with
/// the leader, slot, and whether one of its keys has a long posting list.
const COMPARED: f64 = 4.0 + 4.0 + 4.0 + 4.0 + 1.0;

/// Bytes of a distinct set with keys: its bitmap, its size and the place of its counts, and a copy of
/// them if it is kept.
const GLANCE: f64 = 2.0 * (size_of::<BitmapSignature>() as f64 + 8.0);

/// Bytes of a document in the tables: its row in order, its name and its cluster.
const TABLED: f64 = 150.0;

/// Bytes of a distinct set during scans: its index in chunk order.
const IN_CHUNKS: f64 = 4.0;

/// Bytes of a set copied from its chunk: its start.
const STARTS: f64 = 4.0;

/// Bytes of an element in the partitions of the singleton search.
const COUNTED: f64 = COUNTED_BYTES as f64;

/// Bytes of a key before it has a posting list, in buffers that are three quarters full.
const EMITTED: f64 = 16.0 / 0.75;

/// Bytes of a key with a posting list: the posting, and the reference from its set.
const POSTED: f64 = 8.0 + 8.0;

/// Bytes of a key while all pairs are enumerated: the size of its set.
const SIZES: f64 = 4.0;

/// Chunks and results in flight per thread, of the head ([`crate::pipeline`]).
const ON_THE_WAY: f64 = 3.0;

/// Bytes of one of them: 2 MiB of input or its result, and read buffers.
const CHUNK: f64 = 2.0 * (2 << 20) as f64;

/// Copies of a text in flight, in any state: the upper bound for any number of threads.
const COPIES: f64 = 4.0;

/// Contents of a run that memory grows with.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MemoryModel {
    /// Documents.
    pub documents: f64,
    /// Bytes of their ids.
    pub id_bytes: f64,
    /// Values of keep rules, of all documents.
    pub attributes: f64,
    /// Distinct token sequences, each with a set or a signature.
    pub sets: f64,
    /// Elements of the stored sets.
    pub elements: f64,
    /// Words of keys and sketches.
    pub signature_words: f64,
    /// Signatures.
    pub signatures: f64,
    /// Distinct sets.
    pub units: f64,
    /// Elements of all distinct sets, if sets are stored.
    pub unit_elements: f64,
    /// Pairs of a distinct set and a key that another distinct set has.
    pub keys: f64,
    /// Distinct sets with such a key.
    pub units_with_keys: f64,
    /// Documents that are removed.
    pub removed: f64,
}

/// Memory limits of a run, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryLimits {
    /// Rows and feature sets in memory.
    pub sets: u64,
    /// Whether everything is written to disk as well, for a later resume.
    pub keeps: bool,
    /// Index of token sequences.
    pub sequences: u64,
    /// Partitions of elements in the singleton search, then of keys.
    pub counting: u64,
    /// Number of threads.
    pub threads: usize,
    /// Bytes of all texts: an upper bound on what is in flight.
    pub texts: u64,
}

/// Predicted use of a run in bytes, besides the program itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MemoryUse {
    /// Peak memory while texts are read.
    pub reading: u64,
    /// While equal sets are found.
    pub collapsing: u64,
    /// While keys are chosen and sorted.
    pub indexing: u64,
    /// While candidates are compared.
    pub comparing: u64,
    /// While results are written.
    pub writing: u64,
    /// Temporary files.
    pub scratch: u64,
}

impl MemoryUse {
    /// Peak memory of the run.
    #[must_use]
    pub fn peak(&self) -> u64 {
        [self.reading, self.collapsing, self.indexing, self.comparing, self.writing]
            .into_iter()
            .fold(0, u64::max)
    }
}

impl MemoryModel {
    /// The contents of a finished run. O(documents).
    #[must_use]
    pub fn of(collection: &Collection, units: &Units, matches: &Matches) -> Self {
        let blocks = &collection.blocks;
        let sum = |of: &dyn Fn(&Block) -> u64| blocks.iter().map(of).sum::<u64>();
        let words = |(keys, sketches): (u64, u64)| (keys + sketches) / 8;
        let elements = sum(&|block| block.ends.last().map_or(0, |&end| end as u64));
        let stays = units.ids().zip(&matches.leader).filter(|&(unit, &leader)| unit == leader);
        let in_units = units.ids().map(|unit| units.members(unit).len()).sum::<usize>();
        let of_units: u64 = units.ids().map(|unit| u64::from(units.size(unit))).sum();
        Self {
            documents: f64::from(collection.len()),
            id_bytes: collection.id_bytes() as f64,
            attributes: collection.attributes.iter().map(Vec::len).sum::<usize>() as f64,
            sets: sum(&|block| block.ends.len() as u64) as f64,
            elements: elements as f64,
            signature_words: sum(&|block| words(block.signatures.bytes())) as f64,
            signatures: sum(&|block| block.signatures.len() as u64) as f64,
            units: f64::from(units.len()),
            unit_elements: if elements > 0 { of_units as f64 } else { 0.0 },
            keys: matches.keys_written as f64,
            units_with_keys: f64::from(matches.sets_with_keys),
            removed: (in_units - stays.count()) as f64,
        }
    }

    /// The contents of a collection `factor` times as large and of the same kind.
    #[must_use]
    pub fn times(&self, factor: f64) -> Self {
        let Self { documents, id_bytes, attributes, sets, elements, .. } = *self;
        Self {
            documents: documents * factor,
            id_bytes: id_bytes * factor,
            attributes: attributes * factor,
            sets: sets * factor,
            elements: elements * factor,
            signature_words: self.signature_words * factor,
            signatures: self.signatures * factor,
            units: self.units * factor,
            unit_elements: self.unit_elements * factor,
            keys: self.keys * factor,
            units_with_keys: self.units_with_keys * factor,
            removed: self.removed * factor,
        }
    }

    /// Bytes of documents, sets and their digests.
    #[must_use]
    pub fn chunks(&self) -> f64 {
        let low_ends = if self.elements > 0.0 { self.sets * LOW_END } else { 0.0 };
        self.documents * ROW + self.id_bytes + self.elements * WORD + self.sets * DIGEST + low_ends
    }

    /// Bytes that are in memory from reading to the end.
    fn always(&self) -> f64 {
        let of_signatures = self.signature_words * WORD + self.signatures * SIGNATURE;
        self.attributes * WORD + self.sets * SET + of_signatures
    }

    /// Bytes of the sets that are compared, if the chunks are released: of average size.
    fn at_hand(&self, limits: &MemoryLimits) -> f64 {
        let elements = self.unit_elements * self.units_with_keys / self.units.max(1.0);
        (elements * WORD).min(limits.sets as f64) + self.units_with_keys * STARTS
    }

    /// Bytes of the bucket counts of the sets that are compared, if all are of average size; `low`
    /// as in [`MemoryModel::needs`].
    fn counts(&self, limits: &MemoryLimits, low: f64) -> f64 {
        // This share of a set is its prefix; the number of elements that may differ follows for
        // resemblance.
        let prefix = low.min(1.0) * SHARE.1 as f64 / SHARE.0 as f64;
        let may_differ = self.unit_elements / self.units.max(1.0) * 2.0 * prefix / (2.0 - prefix);
        let buckets = buckets_for_difference(may_differ as u32);
        let places = if buckets > 0 { 4.0 } else { 0.0 };
        let bytes = self.units_with_keys * f64::from(buckets);
        bytes.min(limits.sets as f64 * COUNTS_SHARE) + self.units_with_keys * places
    }

    /// Memory and temporary files of a run. `low` is the share of elements that the singleton
    /// search counts: that of [`lookalike_join::PrefixFilter`].
    #[must_use]
    pub fn needs(&self, limits: &MemoryLimits, low: f64) -> MemoryUse {
        let chunks = self.chunks();
        let fits = chunks <= limits.sets as f64;
        let always = self.always();
        let held = always + chunks.min(limits.sets as f64);
        // Chunks that exceed the budget are all released before sets are compared.
        let leaves = !fits && self.unit_elements > 0.0;
        let compared = if leaves { always + self.at_hand(limits) } else { held };
        // Rows are loaded again, up to the budget.
        let rows = self.documents * ROW + self.id_bytes;
        let written = if leaves { always + rows.min(limits.sets as f64) } else { held };
        let pipeline = limits.threads as f64 * ON_THE_WAY * CHUNK;
        let pipeline = pipeline.min(COPIES * limits.texts as f64);
        let units = self.units * UNIT + self.documents * MEMBER;
        let in_chunks = self.units * IN_CHUNKS;
        let share = low;
        let low = self.unit_elements * low.min(1.0);
        let census = (low * COUNTED).min(2.0 * limits.counting as f64) + low / 8.0;
        let emitted = self.keys * EMITTED;
        let keys = emitted.min(limits.counting as f64);
        let indexing = match self.unit_elements > 0.0 {
            true => in_chunks + self.df_sketch() + census.max(keys + low / 8.0),
            false => keys,
        };
        let postings = self.keys * POSTED;
        let glances = match self.unit_elements > 0.0 {
            true => self.units_with_keys * GLANCE + in_chunks,
            false => 0.0,
        };
        let counts = match self.unit_elements > 0.0 {
            true => self.counts(limits, share),
            false => 0.0,
        };
        let stored = match fits && !limits.keeps {
            true => 0.0,
            false => chunks,
        };
        let steps = units + postings + self.units * 8.0;
        let seen = (self.sets * SEEN).min(limits.sequences as f64);
        let answer = self.units * 8.0 + self.documents;
        let bytes = |bytes: f64| (held + bytes) as u64;
        let later = |bytes: f64| (compared + bytes) as u64;
        MemoryUse {
            reading: bytes(seen + pipeline),
            collapsing: bytes(units + (self.sets * COLLAPSING).max(self.units * ORDERING)),
            indexing: bytes(units + indexing),
            comparing: later(
                units + postings + self.keys * SIZES + glances + counts + self.units * COMPARED,
            ),
            writing: (written + units + answer + self.removed * TABLED + pipeline) as u64,
            scratch: (stored + (emitted - keys) + if limits.keeps { steps } else { 0.0 }) as u64,
        }
    }

    /// Bytes of the df sketch and the element order.
    fn df_sketch(&self) -> f64 {
        DfSketch::bytes_for(self.unit_elements as u64) as f64
    }
}

/// The size of a set reference is part of the constants above.
const _: () = assert!(size_of::<SetRef>() == 8);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Approach, Linkage, MatchOptions, MatchSettings, Silent, find};
    use lookalike_core::fingerprint::finalise;

    fn matched(sets: u64) -> (Collection, Units, Matches) {
        let set =
            |number: u64| (0..200).map(move |at| finalise(number / 2 * 1000 + at + number % 2 * 7));
        let collection = Collection::of_sets((0..sets).map(|number| set(number).collect()));
        let settings = MatchSettings::resemblance("0.8".parse().unwrap());
        let units = Units::new(&collection, &[], settings.measure, &crate::Silent).unwrap();
        let options = MatchOptions::in_memory(Linkage::Leaders);
        let approach = Approach::default();
        let matches = find(&collection, &units, &settings, &approach, &options, &Silent).unwrap();
        (collection, units, matches)
    }

    const LIMITS: MemoryLimits = MemoryLimits {
        sets: u64::MAX,
        keeps: false,
        sequences: u64::MAX,
        counting: u64::MAX,
        threads: 1,
        texts: u64::MAX,
    };

    /// Within 2 % of the arrays' real sizes.
    #[test]
    fn what_is_held_is_what_the_arrays_hold() {
        let (collection, units, matches) = matched(2000);
        let memory_model = MemoryModel::of(&collection, &units, &matches);
        let of_blocks: usize = collection
            .blocks
            .iter()
            .map(|block| block.bytes() as usize + size_of_val(&*block.ends))
            .sum();
        let really = of_blocks as f64;
        let said = memory_model.chunks() + memory_model.always();
        assert!((said / really - 1.0).abs() < 0.02, "{said}, really {really}");
        assert_eq!(memory_model.needs(&LIMITS, 0.45).scratch, 0);
    }

    /// A quarter of the sets predicts the use of all of them within 5 %.
    #[test]
    fn a_part_tells_of_the_whole() {
        let of = |sets| {
            let (collection, units, matches) = matched(sets);
            MemoryModel::of(&collection, &units, &matches)
        };
        let (part, whole) =
            (of(1000).times(4.0).needs(&LIMITS, 0.45), of(4000).needs(&LIMITS, 0.45));
        for (said, really) in [
            (part.reading, whole.reading),
            (part.collapsing, whole.collapsing),
            (part.indexing, whole.indexing),
            (part.comparing, whole.comparing),
            (part.writing, whole.writing),
        ] {
            assert!((said as f64 / really as f64 - 1.0).abs() < 0.05, "{said}, really {really}");
        }
    }

    #[test]
    fn what_has_no_room_goes_to_a_file() {
        let memory_model =
            MemoryModel { elements: 1000.0, unit_elements: 1000.0, ..MemoryModel::default() };
        let [fits, short, keeps] =
            [(8000, false), (3000, false), (8000, true)].map(|(sets, keeps)| {
                let needs = memory_model.needs(&MemoryLimits { sets, keeps, ..LIMITS }, 0.45);
                (needs.scratch, needs.reading)
            });
        assert_eq!((fits.0, short.0, keeps.0), (0, 8000, 8000));
        assert_eq!((fits.1 - short.1, keeps.1), (5000, fits.1));
    }
}
