//! State of a pipeline: open parts, queue, results and bytes in flight.

use super::part::Part;
use std::any::Any;
use std::collections::BTreeMap;

/// Number of a part, and of an item in it.
pub(super) type PartPosition = (u64, u64);

/// A part that was begun.
pub(super) enum Open<P> {
    /// No thread reads it; whether its next item is large.
    Idle(P, bool),
    /// A thread reads it.
    Busy,
}

/// State of the pipeline, behind its mutex.
pub(super) struct Flow<I, P: Part, R> {
    /// Parts that were not begun; `next_part` is the number of the first one.
    pub(super) parts: I,
    pub(super) next_part: u64,
    /// Whether all parts were begun.
    pub(super) all_begun: bool,
    /// Parts that were begun and not read to their ends, with the number of their next item.
    pub(super) open: BTreeMap<u64, (Open<P>, u64)>,
    /// Numbers of items of the parts that were read to their ends and not yet collected.
    pub(super) lengths: BTreeMap<u64, u64>,
    /// Items that were read and not yet taken by a worker.
    pub(super) queue: BTreeMap<PartPosition, P::Item>,
    /// Results that were not yet collected.
    pub(super) results: BTreeMap<PartPosition, R>,
    /// Bytes in flight by item, and their sum.
    pub(super) charges: BTreeMap<PartPosition, u64>,
    pub(super) bytes: u64,
    /// The next result to collect.
    pub(super) next: PartPosition,
    /// Whether the end of the last part was read.
    pub(super) all_read: bool,
    pub(super) stopped: bool,
    pub(super) panic: Option<Box<dyn Any + Send>>,
}

impl<I, P: Part, R> Flow<I, P, R> {
    pub(super) fn new(parts: I) -> Self {
        Self {
            parts,
            next_part: 0,
            all_begun: false,
            open: BTreeMap::new(),
            lengths: BTreeMap::new(),
            queue: BTreeMap::new(),
            results: BTreeMap::new(),
            charges: BTreeMap::new(),
            bytes: 0,
            next: (0, 0),
            all_read: false,
            stopped: false,
            panic: None,
        }
    }

    /// The first part that was not read completely: parts are begun in order.
    pub(super) fn head(&self) -> u64 {
        self.open.first_key_value().map_or(self.next_part, |(&part, _)| part)
    }

    pub(super) fn charge(&mut self, place: PartPosition, bytes: u64) {
        let before = self.charges.insert(place, bytes).unwrap_or(0);
        self.bytes = self.bytes.saturating_sub(before).saturating_add(bytes);
    }
}

impl<I: Iterator<Item = P>, P: Part, R> Flow<I, P, R> {
    /// Begins the next part and returns its number, if there is one.
    pub(super) fn begin(&mut self) -> Option<(u64, P)> {
        let Some(part) = self.parts.next() else {
            self.all_begun = true;
            return None;
        };
        let number = self.next_part;
        self.next_part += 1;
        self.open.insert(number, (Open::Busy, 0));
        Some((number, part))
    }

    /// Takes a part that no thread reads.
    pub(super) fn take(&mut self, number: u64) -> Option<P> {
        let (open, _) = self.open.get_mut(&number)?;
        match std::mem::replace(open, Open::Busy) {
            Open::Idle(part, _) => Some(part),
            Open::Busy => None,
        }
    }
}
