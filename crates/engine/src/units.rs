//! A collection in; its distinct feature sets, in order of precedence, out.
//!
//! Documents with the same set are *one* unit for everything that follows: identical, lexically
//! equivalent and shingle-equivalent documents (Broder 1997, section 4) collapse here and come back
//! in the verdicts. Rarity is counted over units, so a million copies do not make their shingles
//! common.
//!
//! It is the *stored* sets that are sorted, by their digests, and not the documents: of a million copies one
//! set is stored.

use crate::EngineError;
use crate::collection::{Collection, SetRef};
use crate::steps::{Step, Steps};
use lookalike_cluster::{KeepRule, precedence};
use lookalike_core::{Measure, SpreadSort};
use lookalike_io::scratch::{Decoder, Encoder};
use rayon::prelude::*;
use std::cmp::Ordering;
use std::io::{self, Read, Write};

/// The distinct sets of a collection. Unit 0 takes precedence over all others.
#[derive(Debug, Default)]
pub struct Units {
    places: Vec<SetRef>,
    sizes: Vec<u32>,
    members: Vec<u32>,
    member_starts: Vec<u32>,
    of_document: Vec<u32>,
    protected: u32,
}

/// Marks a document without a unit in [`Units::of_document`].
const NO_UNIT: u32 = u32::MAX;

impl Units {
    /// Collapses the collection and puts the units in order.
    ///
    /// Order: units with a protected member first; then, for containment, larger sets first (a
    /// document is only ever contained in one at least as large); then the best member by `keep`,
    /// ties by name, then by place in the collection.
    #[must_use]
    pub fn new(collection: &Collection, keep: &[KeepRule], measure: Measure) -> Self {
        Self::of(collection, keep, measure, |_| true)
    }

    /// The same, unless an earlier run had them.
    ///
    /// # Errors
    /// Steps that cannot be written down.
    pub fn resume(
        steps: &Steps,
        collection: &Collection,
        keep: &[KeepRule],
        measure: Measure,
    ) -> Result<Self, EngineError> {
        steps.run(|| Ok(Self::new(collection, keep, measure)))
    }

    /// The same, of some of the documents: the others have no unit.
    #[must_use]
    pub fn of(
        collection: &Collection,
        keep: &[KeepRule],
        measure: Measure,
        takes: impl Fn(u32) -> bool,
    ) -> Self {
        let sets = Sets::number(collection, takes);
        let precedes = |a: u32, b: u32| document_order(collection, keep, a, b) == Ordering::Less;
        // The best document of each class, and where its set is.
        let mut best = vec![NO_UNIT; sets.classes as usize];
        for (document, &class) in (0u32..).zip(&sets.class_of_document) {
            if class != NO_UNIT {
                let best = &mut best[class as usize];
                if *best == NO_UNIT || precedes(document, *best) {
                    *best = document;
                }
            }
        }
        let size = |class: u32| size_at(collection, sets.places[class as usize]);
        let mut order: Vec<u32> =
            (0..sets.classes).filter(|&class| best[class as usize] != NO_UNIT).collect();
        order.par_sort_unstable_by(|&a, &b| {
            let (x, y) = (best[a as usize], best[b as usize]);
            let protected = collection.is_protected(y).cmp(&collection.is_protected(x));
            let by_size = match measure {
                Measure::Containment => size(b).cmp(&size(a)),
                _ => Ordering::Equal,
            };
            protected.then(by_size).then_with(|| document_order(collection, keep, x, y))
        });
        let protected = |&&class: &&u32| collection.is_protected(best[class as usize]);
        let protected = order.iter().take_while(protected).count() as u32;
        drop(best);
        let Sets { mut class_of_document, places, classes } = sets;
        let mut unit_of_class = vec![NO_UNIT; classes as usize];
        for (unit, &class) in (0u32..).zip(&order) {
            unit_of_class[class as usize] = unit;
        }
        for class in class_of_document.iter_mut().filter(|class| **class != NO_UNIT) {
            *class = unit_of_class[*class as usize];
        }
        drop(unit_of_class);
        let mut units = Self {
            sizes: order.iter().map(|&class| size_at(collection, places[class as usize])).collect(),
            places: order.iter().map(|&class| places[class as usize]).collect(),
            members: Vec::new(),
            member_starts: Vec::new(),
            of_document: class_of_document,
            protected,
        };
        drop((places, order));
        units.gather(collection, keep);
        units
    }

    /// Lists the members of each unit in order of precedence.
    fn gather(&mut self, collection: &Collection, keep: &[KeepRule]) {
        let units = self.places.len();
        let mut starts = vec![0u32; units + 1];
        for &unit in self.of_document.iter().filter(|&&unit| unit != NO_UNIT) {
            starts[unit as usize + 1] += 1;
        }
        for unit in 0..units {
            starts[unit + 1] += starts[unit];
        }
        let mut members = vec![0u32; starts[units] as usize];
        // Filled from behind, each start ends as that of its own unit.
        let mut next = starts.clone();
        next.rotate_left(1);
        for (document, &unit) in self.of_document.iter().enumerate().rev() {
            if unit != NO_UNIT {
                let next = &mut next[unit as usize];
                *next -= 1;
                members[*next as usize] = document as u32;
            }
        }
        drop(next);
        let mut rest = members.as_mut_slice();
        let mut several = Vec::new();
        for bounds in starts.windows(2) {
            let (own, after) =
                std::mem::take(&mut rest).split_at_mut((bounds[1] - bounds[0]) as usize);
            if own.len() > 1 {
                several.push(own);
            }
            rest = after;
        }
        several.into_par_iter().for_each(|members| {
            members.par_sort_unstable_by(|&a, &b| document_order(collection, keep, a, b));
        });
        (self.members, self.member_starts) = (members, starts);
    }

    /// Number of units.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.places.len() as u32
    }

    /// Whether no document has features.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Number of elements of a unit's set.
    #[must_use]
    pub fn size(&self, unit: u32) -> u32 {
        self.sizes[unit as usize]
    }

    /// Units before this one hold a protected document.
    #[must_use]
    pub fn protected(&self) -> u32 {
        self.protected
    }

    /// The documents of a unit, in order of precedence; the first leads.
    #[must_use]
    pub fn members(&self, unit: u32) -> &[u32] {
        let unit = unit as usize;
        &self.members[self.member_starts[unit] as usize..self.member_starts[unit + 1] as usize]
    }

    /// The unit of a document; `None` for one without features.
    #[must_use]
    pub fn of_document(&self, document: u32) -> Option<u32> {
        Some(self.of_document[document as usize]).filter(|&unit| unit != NO_UNIT)
    }

    /// Where the set and the signature of a unit lie.
    pub(crate) fn place(&self, unit: u32) -> SetRef {
        self.places[unit as usize]
    }

    /// The set of a unit of a collection that is held in memory as a whole.
    #[must_use]
    pub fn held_set<'a>(&self, collection: &'a Collection, unit: u32) -> &'a [u64] {
        let place = self.place(unit);
        collection.blocks[place.block as usize].get(place.index)
    }

    /// Sorts the sets of the units that `wanted` names, in place and in parallel, of a collection that is
    /// held in memory as a whole.
    pub fn sort_sets(&self, collection: &mut Collection, wanted: impl Fn(u32) -> bool + Sync) {
        let mut by_block: Vec<Vec<u32>> = vec![Vec::new(); collection.blocks.len()];
        for (unit, place) in (0u32..).zip(&self.places) {
            if wanted(unit) {
                by_block[place.block as usize].push(place.index);
            }
        }
        collection.blocks.par_iter_mut().zip(by_block).with_max_len(1).for_each_init(
            SpreadSort::default,
            |sort, (block, sets)| {
                for index in sets {
                    let range = block.range(index);
                    sort.sort(&mut block.values[range]);
                }
            },
        );
    }
}

impl Step for Units {
    const NAME: &'static str = "units";

    fn write(&self, out: &mut Encoder<&mut dyn Write>) -> io::Result<()> {
        out.array(&self.places.iter().map(|place| place.block).collect::<Vec<_>>())?;
        out.array(&self.places.iter().map(|place| place.index).collect::<Vec<_>>())?;
        out.array(&self.sizes)?;
        out.array(&self.members)?;
        out.array(&self.member_starts)?;
        out.array(&self.of_document)?;
        out.array(&[self.protected])
    }

    fn read(from: &mut Decoder<&mut dyn Read>, most: u64) -> io::Result<Self> {
        let (blocks, indices) = (from.array::<u32>(most)?, from.array::<u32>(most)?);
        let place = |(block, index)| SetRef { block, index };
        Ok(Self {
            places: blocks.into_iter().zip(indices).map(place).collect(),
            sizes: from.array(most)?,
            members: from.array(most)?,
            member_starts: from.array(most)?,
            of_document: from.array(most)?,
            protected: from.array(most)?.first().copied().unwrap_or_default(),
        })
    }
}

/// The stored sets of a collection: those with the same digest are one class.
struct Sets {
    /// Class of each document, [`NO_UNIT`] for one without a set.
    class_of_document: Vec<u32>,
    /// Where the set of each class lies: of several, in the first chunk.
    places: Vec<SetRef>,
    classes: u32,
}

impl Sets {
    fn number(collection: &Collection, takes: impl Fn(u32) -> bool) -> Self {
        let mut starts = vec![0u32];
        for block in &collection.blocks {
            starts.push(starts[starts.len() - 1] + block.ends.len() as u32);
        }
        let sets = starts[starts.len() - 1];
        let mut of_document = vec![NO_UNIT; collection.len() as usize];
        let mut digests: Vec<([u64; 2], u32)> = Vec::with_capacity(sets as usize);
        for chunk in 0..collection.chunks() {
            let (rows, own) = collection.rows_and_digests(chunk);
            for (document, row) in collection.chunk_documents(chunk).zip(&rows.documents) {
                if let Some(place) = row.set.filter(|_| takes(document)) {
                    of_document[document as usize] = starts[place.block as usize] + place.index;
                }
            }
            for (set, digest) in (starts[chunk as usize]..).zip(own.iter()) {
                digests.push(([(digest.0 >> 64) as u64, digest.0 as u64], set));
            }
        }
        digests.par_sort_unstable();
        let mut class_of_set = vec![NO_UNIT; sets as usize];
        let mut first_sets = Vec::new();
        for class in digests.chunk_by(|a, b| a.0 == b.0) {
            for &(_, set) in class {
                class_of_set[set as usize] = first_sets.len() as u32;
            }
            first_sets.push(class[0].1);
        }
        drop(digests);
        for set in of_document.iter_mut().filter(|set| **set != NO_UNIT) {
            *set = class_of_set[*set as usize];
        }
        let place = |set: u32| {
            let block = starts.partition_point(|&start| start <= set) - 1;
            SetRef { block: block as u32, index: set - starts[block] }
        };
        let places: Vec<SetRef> = first_sets.into_iter().map(place).collect();
        let classes = places.len() as u32;
        Self { class_of_document: of_document, places, classes }
    }
}

/// Number of elements of a stored set.
fn size_at(collection: &Collection, place: SetRef) -> u32 {
    collection.blocks[place.block as usize].size(place.index)
}

/// Orders two documents: protected ones first, then by the rules, then by name, then by place.
#[must_use]
pub fn document_order(collection: &Collection, keep: &[KeepRule], a: u32, b: u32) -> Ordering {
    let protected = collection.is_protected(b).cmp(&collection.is_protected(a));
    if protected != Ordering::Equal {
        return protected;
    }
    for (rule, column) in keep.iter().zip(&collection.attributes) {
        let order = match rule {
            KeepRule::First => a.cmp(&b),
            _ => precedence(rule, column[a as usize], column[b as usize]),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    collection.compare_names(a, b)
}
