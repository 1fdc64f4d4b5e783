//! A collection in; its distinct feature sets, in order of precedence, out.
//!
//! Documents with the same set are *one* unit for everything that follows: identical, lexically
//! equivalent and shingle-equivalent documents (Broder 1997, section 4) collapse here and come back
//! in the verdicts. Rarity is counted over units, so a million copies do not make their shingles
//! common.

use crate::collection::{Collection, SetRef};
use lookalike_cluster::{KeepRule, precedence};
use lookalike_core::{Measure, SetDigest};
use rayon::prelude::*;
use std::cmp::Ordering;

/// The distinct sets of a collection. Unit 0 takes precedence over all others.
#[derive(Debug)]
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
        let documents = &collection.documents;
        let digest =
            |place: SetRef| collection.blocks[place.block as usize].digests[place.index as usize];
        let mut order: Vec<(SetDigest, u32)> = (0u32..)
            .zip(documents)
            .filter_map(|(number, document)| document.set.map(|place| (digest(place), number)))
            .collect();
        let precedes = |a: u32, b: u32| document_order(collection, keep, a, b);
        order.par_sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| precedes(a.1, b.1)));

        let mut groups: Vec<std::ops::Range<usize>> = Vec::new();
        for (index, (digest, _)) in order.iter().enumerate() {
            match groups.last_mut() {
                Some(group) if order[group.start].0 == *digest => group.end = index + 1,
                _ => groups.push(index..index + 1),
            }
        }
        let place =
            |leader: u32| documents[leader as usize].set.unwrap_or(SetRef { block: 0, index: 0 });
        let size = |leader: u32| {
            let place = place(leader);
            collection.blocks[place.block as usize].size(place.index)
        };
        groups.par_sort_unstable_by(|a, b| {
            let (a, b) = (order[a.start].1, order[b.start].1);
            let protected = collection.is_protected(b).cmp(&collection.is_protected(a));
            let by_size = match measure {
                Measure::Containment => size(b).cmp(&size(a)),
                _ => Ordering::Equal,
            };
            protected.then(by_size).then_with(|| precedes(a, b))
        });

        let mut units = Self {
            places: Vec::with_capacity(groups.len()),
            sizes: Vec::with_capacity(groups.len()),
            members: Vec::with_capacity(order.len()),
            member_starts: vec![0],
            of_document: vec![NO_UNIT; documents.len()],
            protected: 0,
        };
        for (unit, group) in (0u32..).zip(groups) {
            let leader = order[group.start].1;
            units.places.push(place(leader));
            units.sizes.push(size(leader));
            units.protected += u32::from(collection.is_protected(leader));
            for &(_, document) in &order[group] {
                units.of_document[document as usize] = unit;
                units.members.push(document);
            }
            units.member_starts.push(units.members.len() as u32);
        }
        units
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

    /// The set of a unit, from wherever it is.
    #[must_use]
    pub fn set<'a>(
        &self,
        collection: &'a Collection,
        unit: u32,
        buffer: &'a mut Vec<u64>,
    ) -> &'a [u64] {
        collection.set(self.place(unit), buffer)
    }

    /// The set of a unit of a collection that is held in memory as a whole.
    #[must_use]
    pub fn held_set<'a>(&self, collection: &'a Collection, unit: u32) -> &'a [u64] {
        let place = self.place(unit);
        collection.blocks[place.block as usize].get(place.index)
    }

    /// Sorts the sets of the units that `wanted` names, in place and in parallel: only they will be
    /// compared. Those that are not in memory are sorted whenever they are read.
    pub fn sort_sets(&self, collection: &mut Collection, wanted: impl Fn(u32) -> bool + Sync) {
        let mut by_block: Vec<Vec<u32>> = vec![Vec::new(); collection.blocks.len()];
        for (unit, place) in (0u32..).zip(&self.places) {
            if wanted(unit) && collection.blocks[place.block as usize].stored.is_none() {
                by_block[place.block as usize].push(place.index);
            }
        }
        collection.blocks.par_iter_mut().zip(by_block).for_each(|(block, sets)| {
            for index in sets {
                let range = block.range(index);
                block.values[range].sort_unstable();
            }
        });
    }
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
