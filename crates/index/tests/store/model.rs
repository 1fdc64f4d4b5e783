//! What a store should hold, in plain maps, and random changes of it.

use lookalike_index::{Change, Record, Records, SegmentEntry, State};
use proptest::prelude::*;
use roaring::RoaringBitmap;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

pub(crate) const SETTINGS: u64 = 0x1234_5678_9abc_def0;

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Model {
    pub(crate) commit: u64,
    pub(crate) next_number: u32,
    pub(crate) next_segment: u64,
    pub(crate) segments: BTreeMap<u64, SegmentEntry>,
    pub(crate) dead: BTreeMap<u64, BTreeSet<u32>>,
    pub(crate) changed: BTreeMap<u32, u32>,
    pub(crate) records: BTreeMap<(u8, Vec<u8>), Vec<u8>>,
}

impl Model {
    /// All that a store says.
    pub(crate) fn of(state: &State, records: &Records) -> Self {
        assert_eq!(state.settings_digest, SETTINGS);
        assert_eq!(state.changed.len(), state.changed.iter().count());
        let mut all = BTreeMap::new();
        for table in 0..=255 {
            for row in records.range(table, Bound::Unbounded, Bound::Unbounded).unwrap() {
                let (key, value) = row.unwrap();
                all.insert((table, key), value);
            }
        }
        Self {
            commit: state.commit,
            next_number: state.next_number,
            next_segment: state.next_segment,
            segments: state.segments.iter().map(|segment| (segment.id, *segment)).collect(),
            dead: state.dead.iter().map(|(&id, dead)| (id, dead.iter().collect())).collect(),
            changed: state.changed.iter().collect(),
            records: all,
        }
    }

    pub(crate) fn apply(&mut self, change: &Change) {
        for id in &change.segments_removed {
            self.segments.remove(id).unwrap();
            self.dead.remove(id);
        }
        for segment in &change.segments_added {
            assert!(self.segments.insert(segment.id, *segment).is_none());
        }
        for (&id, locals) in &change.dead_added {
            if !locals.is_empty() {
                self.dead.entry(id).or_default().extend(locals);
            }
        }
        for &(number, relies_on) in &change.changed {
            match relies_on {
                Some(relies_on) => self.changed.insert(number, relies_on),
                None => self.changed.remove(&number),
            };
        }
        for record in &change.records {
            let key = (record.table, record.key.clone());
            match &record.value {
                Some(value) => self.records.insert(key, value.clone()),
                None => self.records.remove(&key),
            };
        }
        self.next_number = change.next_number.unwrap_or(self.next_number);
        self.next_segment = change.next_segment.unwrap_or(self.next_segment);
        self.commit += 1;
    }

    /// The change that some operations make of this state.
    pub(crate) fn change(&self, operations: &[Operation]) -> Change {
        let mut change = Change::default();
        let mut segments = self.segments.clone();
        let mut next_segment = self.next_segment;
        let mut next_number = self.next_number;
        for operation in operations {
            match *operation {
                Operation::Add(documents) => {
                    let segment = SegmentEntry {
                        id: next_segment,
                        documents,
                        units: documents / 2,
                        postings: u64::from(documents) * 500,
                        bytes: u64::from(documents) * 4000,
                        level: (next_segment % 5) as u32,
                        checksum: next_segment.wrapping_mul(0x9e37_79b9_7f4a_7c15),
                    };
                    next_segment += 1;
                    next_number += documents;
                    segments.insert(segment.id, segment);
                    change.segments_added.push(segment);
                }
                Operation::Remove(index) => {
                    let left = self.segments.keys().filter(|id| segments.contains_key(id));
                    let left: Vec<u64> = left.copied().collect();
                    if let Some(id) = pick(&left, index) {
                        segments.remove(&id);
                        change.segments_removed.push(id);
                    }
                }
                _ => {}
            }
        }
        let ids: Vec<u64> = segments.keys().copied().collect();
        for operation in operations {
            match operation {
                Operation::Kill { segment, first, step, count } => {
                    let Some(id) = pick(&ids, *segment) else { continue };
                    let documents = segments[&id].documents;
                    let locals = (0..*count).map(|at| (first + at * step) % documents);
                    change.dead_added.entry(id).or_insert_with(RoaringBitmap::new).extend(locals);
                }
                Operation::Change(number, relies_on) if next_number > 0 => {
                    change.changed.push((number % next_number, *relies_on));
                }
                Operation::Record(record) => change.records.push(record.clone()),
                _ => {}
            }
        }
        change.next_number = (next_number != self.next_number).then_some(next_number);
        change.next_segment = (next_segment != self.next_segment).then_some(next_segment);
        change
    }
}

fn pick(ids: &[u64], index: usize) -> Option<u64> {
    (!ids.is_empty()).then(|| ids[index % ids.len()])
}

#[derive(Debug, Clone)]
pub(crate) enum Operation {
    /// Adds a segment of so many documents.
    Add(u32),
    /// Removes a segment.
    Remove(usize),
    /// Marks documents dead.
    Kill { segment: usize, first: u32, step: u32, count: u32 },
    /// Changes the row of a document.
    Change(u32, Option<u32>),
    /// Writes a record.
    Record(Record),
}

pub(crate) fn operation() -> impl Strategy<Value = Operation> {
    let record = (0..3u8, 0..20u8, proptest::option::of(proptest::collection::vec(0u8.., 0..300)));
    prop_oneof![
        2 => (1..200_000u32).prop_map(Operation::Add),
        1 => (0..100usize).prop_map(Operation::Remove),
        3 => (0..100usize, 0..200_000u32, 1..5u32, 1..9_000u32)
            .prop_map(|(segment, first, step, count)| Operation::Kill { segment, first, step, count }),
        2 => (0..100usize, 0..200_000u32)
            .prop_map(|(segment, first)| Operation::Kill { segment, first, step: 1, count: 1 }),
        5 => (0..5_000u32, proptest::option::of(0u32..)).prop_map(|(n, r)| Operation::Change(n, r)),
        3 => record.prop_map(|(table, key, value)| {
            // Some keys begin others, and table 255 has no next one.
            let key = vec![key / 2; usize::from(key % 3)];
            Operation::Record(Record { table: if table == 2 { 255 } else { table }, key, value })
        }),
    ]
}

/// The operations of a commit, from a seed.
pub(crate) fn random_operations(seed: u64) -> Vec<Operation> {
    let mut state = seed;
    let mut next = |below: u32| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 32) as u32 % below
    };
    let count = 1 + next(6);
    let mut operations = Vec::new();
    for _ in 0..count {
        operations.push(match next(13) {
            0 | 1 => Operation::Add(1 + next(100_000)),
            2 | 12 => Operation::Remove(next(100) as usize),
            3 | 4 => Operation::Kill {
                segment: next(100) as usize,
                first: next(100_000),
                step: 1 + next(3),
                count: if next(8) == 0 { 5_000 } else { 1 + next(300) },
            },
            5..8 => Operation::Change(next(5_000), (next(4) > 0).then(|| next(5_000))),
            _ => Operation::Record(Record {
                table: next(2) as u8,
                key: vec![next(30) as u8],
                value: (next(4) > 0).then(|| vec![next(256) as u8; next(3_000) as usize]),
            }),
        });
    }
    operations
}
