//! Sets to document frequencies, prefix keys, and postings for buckets.

use super::sent_set::{SetFormat, numbers_of};
use super::step::{RowStep, StepContext};
use super::tables::{Message, MessageWriter, message};
use super::{counts, damaged};
use lookalike_join::shuffle::{NO_WITNESS, PostingBuckets, Role, ShuffledPosting, decode_postings};
use lookalike_join::{Criterion, DfSketch, ElementOrder, PrefixKey, index_keys};
use lookalike_run::LookalikeError;

/// Most bytes of the counters of a df sketch: sketches are sent over a network.
const SKETCH_BYTES: u64 = 4 << 20;

/// Tasks that sketches are merged in.
const MERGED: i64 = 16;

/// Counts in how many sets elements are.
pub(super) struct Sketch {
    format: SetFormat,
    sketch: DfSketch,
    part: i64,
    elements: Vec<u64>,
}

impl Sketch {
    pub(super) fn new(context: &StepContext, elements: u64, seed: u64, task: u32) -> Self {
        let sketch = DfSketch::within(elements, seed, SKETCH_BYTES);
        let (format, part) = (SetFormat::new(&context.settings), i64::from(task) % MERGED);
        Self { format, sketch, part, elements: Vec::new() }
    }
}

impl RowStep<Message<'static>, Message<'static>> for Sketch {
    fn row(&mut self, row: Message<'_>, _: &mut MessageWriter) -> Result<(), LookalikeError> {
        if row.kind != message::SET {
            return Ok(());
        }
        if self.sketch.takes(row.rank as u64) {
            self.elements.clear();
            numbers_of(self.format.read(row.blob)?.elements, &mut self.elements)?;
            self.sketch.add(&self.elements);
        }
        Ok(())
    }

    fn end(&mut self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        let (part, blob) = (self.part, self.sketch.to_bytes());
        out.push(Message { part, kind: message::SKETCH, blob: &blob, ..Message::default() })
    }
}

/// Adds up df sketches; at the end makes the order of elements of them.
pub(super) struct MergeSketches {
    order: bool,
    sketch: Option<DfSketch>,
}

impl MergeSketches {
    pub(super) fn new(order: bool) -> Self {
        Self { order, sketch: None }
    }
}

impl RowStep<Message<'static>, Message<'static>> for MergeSketches {
    fn row(&mut self, row: Message<'_>, _: &mut MessageWriter) -> Result<(), LookalikeError> {
        if row.kind != message::SKETCH {
            return Ok(());
        }
        let other = DfSketch::from_bytes(row.blob).map_err(damaged)?;
        match &mut self.sketch {
            None => self.sketch = Some(other),
            Some(sketch) => sketch.merge(&other).map_err(damaged)?,
        }
        Ok(())
    }

    fn end(&mut self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        if let Some(sketch) = self.sketch.take() {
            let blob = if self.order { sketch.freeze().to_bytes() } else { sketch.to_bytes() };
            out.push(Message { kind: message::SKETCH, blob: &blob, ..Message::default() })?;
        }
        Ok(())
    }
}

/// The keys of a set in the element order.
struct Keys {
    format: SetFormat,
    criterion: Criterion,
    order: ElementOrder,
    elements: Vec<u64>,
    keys: Vec<PrefixKey>,
}

impl Keys {
    fn new(context: &StepContext, order: &[u8]) -> Result<Self, LookalikeError> {
        let order = ElementOrder::from_bytes(order).map_err(damaged)?;
        let (format, criterion) = (SetFormat::new(&context.settings), context.criterion);
        Ok(Self { format, criterion, order, elements: Vec::new(), keys: Vec::new() })
    }

    /// The keys of a set, its size and its value.
    fn of(&mut self, blob: &[u8]) -> Result<(&[PrefixKey], u32, u64), LookalikeError> {
        self.elements.clear();
        let set = self.format.read(blob)?;
        numbers_of(set.elements, &mut self.elements)?;
        index_keys(self.criterion, &self.order, &self.elements, &mut self.keys);
        Ok((&self.keys, self.elements.len() as u32, set.value))
    }
}

/// Makes the postings of all sets.
pub(super) struct Postings {
    keys: Keys,
    /// Whether postings say which sides have the set.
    sides: bool,
    sets: u64,
    buckets: BucketWriter,
}

impl Postings {
    pub(super) fn new(
        context: &StepContext,
        order: &[u8],
        buckets: u32,
    ) -> Result<Self, LookalikeError> {
        let (keys, buckets) = (Keys::new(context, order)?, BucketWriter::new(buckets));
        Ok(Self { keys, sides: context.cross || context.protects, sets: 0, buckets })
    }
}

impl RowStep<Message<'static>, Message<'static>> for Postings {
    fn row(&mut self, row: Message<'_>, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        if row.kind != message::SET {
            return Ok(());
        }
        self.sets += 1;
        let (keys, size, value) = self.keys.of(row.blob)?;
        let role = Role(if self.sides { row.number as u8 } else { 0 });
        for &PrefixKey { element, position } in keys {
            let (key, rank) = (ShuffledPosting::key_of(element), row.rank as u64);
            let witness = NO_WITNESS;
            let posting = ShuffledPosting { key, rank, size, position, role, witness, value };
            self.buckets.push(posting, out)?;
        }
        Ok(())
    }

    fn end(&mut self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        counts(out, &serde_json::json!({ "sets": self.sets }))?;
        self.buckets.end(out)
    }
}

/// Keeps the keys of all sets, for the rounds: a fifth of the sets.
pub(super) struct StoreKeys {
    keys: Keys,
    bytes: Vec<u8>,
}

impl StoreKeys {
    pub(super) fn new(context: &StepContext, order: &[u8]) -> Result<Self, LookalikeError> {
        let keys = Keys::new(context, order)?;
        Ok(Self { keys, bytes: Vec::new() })
    }
}

impl RowStep<Message<'static>, Message<'static>> for StoreKeys {
    fn row(&mut self, row: Message<'_>, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        if row.kind != message::SET {
            return Ok(());
        }
        let (keys, size, value) = self.keys.of(row.blob)?;
        self.bytes.clear();
        for key in keys {
            self.bytes.extend(ShuffledPosting::key_of(key.element).to_le_bytes());
        }
        let bytes_of_value = value.to_le_bytes();
        out.push(Message {
            part: row.rank,
            kind: message::KEYS,
            rank: row.rank,
            number: size.into(),
            other: row.number,
            blob: &self.bytes,
            list: if value == 0 { &[] } else { &bytes_of_value },
            ..Message::default()
        })
    }
}

/// Roles and keys of sets, sorted by (part, kind): the postings of the sets that have a role.
pub(super) struct RoundPostings {
    role: Option<(i64, Role, u64)>,
    elements: Vec<u64>,
    buckets: BucketWriter,
}

impl RoundPostings {
    pub(super) fn new(buckets: u32) -> Self {
        Self { role: None, elements: Vec::new(), buckets: BucketWriter::new(buckets) }
    }
}

impl RowStep<Message<'static>, Message<'static>> for RoundPostings {
    fn row(&mut self, row: Message<'_>, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        if row.kind == message::ROLE {
            let witness = u64::try_from(row.other).unwrap_or(NO_WITNESS);
            self.role = Some((row.part, Role(row.number as u8), witness));
            return Ok(());
        }
        let Some((_, role, witness)) = self.role.filter(|(set, ..)| *set == row.part) else {
            return Ok(());
        };
        self.elements.clear();
        numbers_of(row.blob, &mut self.elements)?;
        let (rank, size) = (row.rank as u64, row.number as u32);
        let value = row.list.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        for (position, &key) in (0..).zip(&self.elements) {
            let posting = ShuffledPosting { key, rank, size, position, role, witness, value };
            self.buckets.push(posting, out)?;
        }
        Ok(())
    }

    fn end(&mut self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        self.buckets.end(out)
    }
}

/// Postings of groups of buckets, those of a group together, to their buckets: with many buckets,
/// the postings of a task make few postings a row, and those of a group make many.
pub(super) struct Regroup {
    postings: Vec<ShuffledPosting>,
    received: u64,
    buckets: BucketWriter,
}

impl Regroup {
    pub(super) fn new(buckets: u32) -> Self {
        Self { postings: Vec::new(), received: 0, buckets: BucketWriter::new(buckets) }
    }
}

impl RowStep<Message<'static>, Message<'static>> for Regroup {
    fn row(&mut self, row: Message<'_>, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        if row.kind != message::POSTINGS {
            // What the tasks counted that sent the postings.
            return out.push(row);
        }
        self.postings.clear();
        decode_postings(row.blob, &mut self.postings).map_err(damaged)?;
        self.received += self.postings.len() as u64;
        self.postings.iter().try_for_each(|&posting| self.buckets.push(posting, out))
    }

    fn end(&mut self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        counts(out, &serde_json::json!({ "received": self.received }))?;
        self.buckets.end(out)
    }
}

/// Postings as messages to buckets.
struct BucketWriter {
    buckets: PostingBuckets,
    postings: u64,
}

impl BucketWriter {
    fn new(buckets: u32) -> Self {
        Self { buckets: PostingBuckets::new(buckets), postings: 0 }
    }

    fn push(
        &mut self,
        posting: ShuffledPosting,
        out: &mut MessageWriter,
    ) -> Result<(), LookalikeError> {
        self.buckets.push(posting);
        if self.buckets.is_full() { self.drain(out) } else { Ok(()) }
    }

    fn drain(&mut self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        let mut result = Ok(());
        let Self { buckets, postings } = self;
        buckets.drain(|bucket, blob, count| {
            *postings += count;
            let (part, kind, number) = (bucket.into(), message::POSTINGS, count as i64);
            let pushed = out.push(Message { part, kind, number, blob, ..Message::default() });
            if result.is_ok() {
                result = pushed;
            }
        });
        result
    }

    fn end(&mut self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        self.drain(out)?;
        counts(out, &serde_json::json!({ "sent": self.postings }))
    }
}
