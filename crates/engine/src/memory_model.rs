//! What a collection holds in, how much memory and temporary file a run over it takes out; for collections
//! that are larger by some factor, too.
//!
//! [`Footprint::of`] counts what one run has, [`Footprint::times`] makes it larger, [`Footprint::needs`]
//! adds it up, step by step of [`crate::ingest()`] and [`crate::find`]. What is said is what flat arrays hold;
//! the allocator's own share and arrays that are half full come on top, some 10 to 20 percent.

use crate::block::Block;
use crate::census::Written;
use crate::collection::{Document, SetRef};
use crate::judge::COUNTS_SHARE;
use crate::{Collection, Matches, Units};
use lookalike_core::BitmapSignature;
use lookalike_core::bucket_counts::buckets_for_difference;
use lookalike_join::DfSketch;
use lookalike_join::prefix::SHARE;

/// Bytes of an element, of a key and of a word of a sketch.
const WORD: f64 = 8.0;

/// Bytes of a document that can be on disk: its row, and where its id ends.
const ROW: f64 = size_of::<Document>() as f64 + 4.0;

/// Bytes of a set that can be on disk, besides its elements: its digest.
const DIGEST: f64 = 16.0;

/// Bytes of where the elements of a set end that are up to the bound by which sets are arranged.
const LOW_END: f64 = 4.0;

/// Bytes held for a set wherever it is: where it ends.
const SET: f64 = 4.0;

/// Bytes held for a signature besides its words: the ends of its keys and its sketch, its size, its level,
/// and whether there is one.
const SIGNATURE: f64 = 8.0 + 8.0 + 4.0 + 4.0 + 1.0;

/// Bytes of a token sequence that was seen: digest and place in a hash table, which is 7/8 full at most and
/// 7/16 at least.
const SEEN: f64 = (16.0 + 16.0 + 1.0) * 1.6;

/// Bytes held of a unit: place, size, where its members begin.
const UNIT: f64 = 8.0 + 4.0 + 4.0;

/// Bytes held of a document by the units: its unit, and its place among the members.
const MEMBER: f64 = 4.0 + 4.0;

/// Bytes of a set while units are made: its digest, its place, the first that is equal, and, of a part of them at a
/// time, what is sorted.
const COLLAPSING: f64 = 16.0 + 8.0 + 4.0 + 4.0;

/// Bytes of a unit while units are put in order: its class's best document and place, its place in the
/// order, and that of its class.
const ORDERING: f64 = 4.0 + 8.0 + 4.0 + 4.0;

/// Bytes of a unit while candidates are compared: where its keys begin, who stands for it, what the two
/// share, its slot, and whether many have one of its keys.
const COMPARED: f64 = 4.0 + 4.0 + 4.0 + 4.0 + 1.0;

/// Bytes of a unit that has keys: its parity, and once more with size and number where it is kept.
const GLANCE: f64 = 2.0 * size_of::<BitmapSignature>() as f64 + 8.0;

/// Bytes of a document that goes, or that one goes for, while tables are made: its row in order, its name
/// and its cluster.
const TABLED: f64 = 150.0;

/// Bytes of a unit while all sets are passed over: its place in the order of the chunks.
const IN_CHUNKS: f64 = 4.0;

/// Bytes of a set that was taken out of its chunk: where it begins.
const STARTS: f64 = 4.0;

/// Bytes of an element that is written down to be counted.
const COUNTED: f64 = size_of::<Written>() as f64;

/// Bytes of a key before it has a group, in arrays that are three quarters full.
const EMITTED: f64 = 16.0 / 0.75;

/// Bytes of a key that has a group: in its group, and with its unit.
const POSTED: f64 = 8.0 + 8.0;

/// Bytes of a key while all pairs are looked for: the size of its unit.
const SIZES: f64 = 4.0;

/// Chunks and results that are in flight for each thread, of the file that is read first
/// ([`crate::pipeline`]).
const ON_THE_WAY: f64 = 3.0;

/// Bytes of one of them: 2 MiB of input, or what became of them, and the buffers of whoever reads it.
const CHUNK: f64 = 2.0 * (2 << 20) as f64;

/// Copies of a text that is on its way, in one form or another: no more are held, however many threads wait.
const COPIES: f64 = 4.0;

/// What a run holds, in numbers that grow with the collection.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Footprint {
    /// Documents.
    pub documents: f64,
    /// Bytes of their ids.
    pub id_bytes: f64,
    /// Numbers that keep rules ask for, of all documents.
    pub attributes: f64,
    /// Token sequences that were seen, each with a set or a signature.
    pub sets: f64,
    /// Elements of the sets that are kept.
    pub elements: f64,
    /// Words of keys and sketches.
    pub signature_words: f64,
    /// Signatures.
    pub signatures: f64,
    /// Units.
    pub units: f64,
    /// Elements of all units, where sets are kept.
    pub unit_elements: f64,
    /// How often units have a key that another unit has.
    pub keys: f64,
    /// Units that have one.
    pub units_with_keys: f64,
    /// Documents that another one stands for.
    pub removed: f64,
}

/// What a run may take, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Of documents and feature sets in memory.
    pub sets: u64,
    /// Whether everything goes to disk as well, for a run that goes on after a stop.
    pub keeps: bool,
    /// Of token sequences that are remembered.
    pub sequences: u64,
    /// Of elements that are written down to be counted, and of keys after that.
    pub counting: u64,
    /// Number of threads.
    pub threads: usize,
    /// Bytes of all texts: no more than them are on their way at a time.
    pub texts: u64,
}

/// What a run takes, in bytes, beside the program itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Needs {
    /// Most memory while texts are read.
    pub reading: u64,
    /// While equal sets are put together.
    pub collapsing: u64,
    /// While keys are chosen and sorted.
    pub indexing: u64,
    /// While candidates are compared.
    pub comparing: u64,
    /// While records are written.
    pub writing: u64,
    /// Temporary files.
    pub scratch: u64,
}

impl Needs {
    /// Most memory at any time.
    #[must_use]
    pub fn peak(&self) -> u64 {
        [self.reading, self.collapsing, self.indexing, self.comparing, self.writing]
            .into_iter()
            .fold(0, u64::max)
    }
}

impl Footprint {
    /// What a finished match has held. O(documents).
    #[must_use]
    pub fn of(collection: &Collection, units: &Units, matches: &Matches) -> Self {
        let blocks = &collection.blocks;
        let sum = |of: &dyn Fn(&Block) -> u64| blocks.iter().map(of).sum::<u64>();
        let words = |(keys, sketches): (u64, u64)| (keys + sketches) / 8;
        let elements = sum(&|block| block.ends.last().map_or(0, |&end| end as u64));
        let stays = (0u32..).zip(&matches.leader).filter(|&(unit, &leader)| unit == leader);
        let in_units = (0..units.len()).map(|unit| units.members(unit).len()).sum::<usize>();
        let of_units: u64 = (0..units.len()).map(|unit| u64::from(units.size(unit))).sum();
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
            units_with_keys: f64::from(matches.units_with_keys),
            removed: (in_units - stays.count()) as f64,
        }
    }

    /// The same for a collection so many times as large, of which every part is like this one.
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

    /// Bytes that are in memory from reading to the end, whatever goes to a file.
    fn always(&self) -> f64 {
        let of_signatures = self.signature_words * WORD + self.signatures * SIGNATURE;
        self.attributes * WORD + self.sets * SET + of_signatures
    }

    /// Bytes of the sets that are compared, where they take the place of chunks that leave memory: as large
    /// as others on the average.
    fn at_hand(&self, limits: &Limits) -> f64 {
        let elements = self.unit_elements * self.units_with_keys / self.units.max(1.0);
        (elements * WORD).min(limits.sets as f64) + self.units_with_keys * STARTS
    }

    /// Bytes of the bucket counts of the sets that are compared, if all are of the average size; `low` as in
    /// [`Footprint::needs`].
    fn counts(&self, limits: &Limits, low: f64) -> f64 {
        // Of a set, that share is in the prefix, and in a resemblance so much of it may differ.
        let prefix = low.min(1.0) * SHARE.1 as f64 / SHARE.0 as f64;
        let may_differ = self.unit_elements / self.units.max(1.0) * 2.0 * prefix / (2.0 - prefix);
        let buckets = buckets_for_difference(may_differ as u32);
        let places = if buckets > 0 { 4.0 } else { 0.0 };
        let bytes = self.units_with_keys * f64::from(buckets);
        bytes.min(limits.sets as f64 * COUNTS_SHARE) + self.units_with_keys * places
    }

    /// What a run needs. `low` is the share of the elements that are counted to find the ones in one unit
    /// only: that of [`lookalike_join::PrefixFilter`].
    #[must_use]
    pub fn needs(&self, limits: &Limits, low: f64) -> Needs {
        let chunks = self.chunks();
        let fits = chunks <= limits.sets as f64;
        let always = self.always();
        let held = always + chunks.min(limits.sets as f64);
        // What does not fit leaves memory as a whole before sets are compared.
        let leaves = !fits && self.unit_elements > 0.0;
        let compared = if leaves { always + self.at_hand(limits) } else { held };
        // Then rows come back, as many as there is room for.
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
        Needs {
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

/// The place of a set is part of a document and of what was seen: the constants above count on its size.
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
        let units = Units::new(&collection, &[], settings.measure).unwrap();
        let options = MatchOptions::in_memory(Linkage::Leaders);
        let approach = Approach::default();
        let matches = find(&collection, &units, &settings, &approach, &options, &Silent).unwrap();
        (collection, units, matches)
    }

    const LIMITS: Limits = Limits {
        sets: u64::MAX,
        keeps: false,
        sequences: u64::MAX,
        counting: u64::MAX,
        threads: 1,
        texts: u64::MAX,
    };

    /// Within 2 % of what the arrays really hold.
    #[test]
    fn what_is_held_is_what_the_arrays_hold() {
        let (collection, units, matches) = matched(2000);
        let footprint = Footprint::of(&collection, &units, &matches);
        let of_blocks: usize = collection
            .blocks
            .iter()
            .map(|block| block.bytes() as usize + size_of_val(&*block.ends))
            .sum();
        let really = of_blocks as f64;
        let said = footprint.chunks() + footprint.always();
        assert!((said / really - 1.0).abs() < 0.02, "{said}, really {really}");
        assert_eq!(footprint.needs(&LIMITS, 0.45).scratch, 0);
    }

    /// A quarter of the sets says within 5 % what all of them need.
    #[test]
    fn a_part_tells_of_the_whole() {
        let of = |sets| {
            let (collection, units, matches) = matched(sets);
            Footprint::of(&collection, &units, &matches)
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
        let footprint =
            Footprint { elements: 1000.0, unit_elements: 1000.0, ..Footprint::default() };
        let [fits, short, keeps] =
            [(8000, false), (3000, false), (8000, true)].map(|(sets, keeps)| {
                let needs = footprint.needs(&Limits { sets, keeps, ..LIMITS }, 0.45);
                (needs.scratch, needs.reading)
            });
        assert_eq!((fits.0, short.0, keeps.0), (0, 8000, 8000));
        assert_eq!((fits.1 - short.1, keeps.1), (5000, fits.1));
    }
}
