//! Postings of buckets to candidate pairs, and the verification of pairs.

use super::rows::RowWriter;
use super::sent_set::{SetFormat, numbers_of};
use super::step::{RowStep, Step, StepContext};
use super::tables::{Edge, EdgeWriter, Message, MessageReader, MessageWriter, edge, message};
use super::{counts, damaged};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use lookalike_core::{Overlap, overlap};
use lookalike_join::shuffle::{
    Bucket, PairBuffer, Part, Role, ShuffledPosting, decode_postings, decode_ranks,
};
use lookalike_join::{Criterion, verify};
use lookalike_run::LookalikeError;
use serde_json::json;

/// What is looked for in a bucket.
pub(super) enum Search {
    /// Pairs of all postings, of lists up to a length.
    Pairs { limit: u64 },
    /// Pairs of a probe and a kept set.
    Probe,
    /// In how many lists sets are behind the first so many.
    Late { head: u64 },
}

/// Messages with the postings of buckets, those of a bucket together.
pub(super) struct Buckets {
    criterion: Criterion,
    allowed: Allowed,
    search: Search,
    bucket: Option<i64>,
    postings: Vec<ShuffledPosting>,
    out: BucketResults,
}

/// What was found in buckets.
struct BucketResults {
    pairs: PairBuffer,
    messages: MessageWriter,
    edges: EdgeWriter,
    received: u64,
    largest_list: u64,
    lists_left_out: u64,
    looks: u64,
    /// Numbers of the buckets: each must come to one task, once.
    buckets: Vec<i64>,
}

impl Buckets {
    pub(super) fn new(context: &StepContext, search: Search, parts: u32) -> Self {
        let out = BucketResults {
            pairs: PairBuffer::new(parts),
            messages: MessageWriter::default(),
            edges: EdgeWriter::default(),
            received: 0,
            largest_list: 0,
            lists_left_out: 0,
            looks: 0,
            buckets: Vec::new(),
        };
        let allowed = Allowed {
            cross: context.cross,
            protects: context.protects,
            only_against: context.only_against,
        };
        let criterion = context.criterion;
        Self { criterion, allowed, search, bucket: None, postings: Vec::new(), out }
    }

    fn is_late(&self) -> bool {
        matches!(self.search, Search::Late { .. })
    }

    /// Searches the bucket whose postings were read.
    fn end(&mut self) -> Result<(), LookalikeError> {
        let Some(number) = self.bucket.take() else { return Ok(()) };
        let Self { criterion, allowed, search, out, .. } = self;
        out.buckets.push(number);
        out.received += self.postings.len() as u64;
        let mut bucket = Bucket::new(*criterion, std::mem::take(&mut self.postings));
        let mut result = Ok(());
        let mut pair = |out: &mut PairBuffer, messages: &mut MessageWriter, later, earlier| {
            out.push(later, earlier);
            if out.is_full() && result.is_ok() {
                result = drain(out, messages);
            }
        };
        let (pairs, messages) = (&mut out.pairs, &mut out.messages);
        match *search {
            Search::Pairs { limit } => {
                let allowed = |later, earlier| allowed.pair(later, earlier);
                let found = bucket
                    .pairs(limit, allowed, |later, earlier| pair(pairs, messages, later, earlier));
                out.largest_list = out.largest_list.max(found.largest_list);
                out.lists_left_out += found.lists_left_out;
                out.looks += found.looks;
            }
            Search::Probe => {
                out.looks += bucket.probe(|probe, kept| pair(pairs, messages, probe, kept));
            }
            Search::Late { head } => {
                let edges = &mut out.edges;
                let mut pushed = Ok(());
                bucket.late(head, |rank, lists, late| {
                    let row = Edge {
                        later: rank as i64,
                        kind: edge::LATE,
                        shared: lists as i64,
                        size_later: late as i64,
                        ..Edge::default()
                    };
                    let done = edges.push(row);
                    if pushed.is_ok() {
                        pushed = done;
                    }
                });
                result = pushed;
            }
        }
        result
    }
}

/// Which pairs are looked for, by the sides that have the sets: roles are bits of sides.
#[derive(Debug, Clone, Copy)]
struct Allowed {
    cross: bool,
    protects: bool,
    only_against: bool,
}

/// The side of the documents of the call, and that of the other collection.
const OWN: Role = Role(1);
const OTHER: Role = Role(2);

impl Allowed {
    fn pair(self, later: Role, earlier: Role) -> bool {
        if self.protects {
            return !later.is(OTHER) && (earlier.is(OTHER) || !self.only_against);
        }
        !self.cross || (later.is(OWN) && earlier.is(OTHER)) || (later.is(OTHER) && earlier.is(OWN))
    }
}

/// Sends the pairs to their parts.
fn drain(pairs: &mut PairBuffer, messages: &mut MessageWriter) -> Result<(), LookalikeError> {
    let mut rows = Vec::new();
    let mut wanted = Vec::new();
    pairs.drain(
        |Part(part), blob| rows.push((part, blob.to_vec())),
        |Part(part), blob| wanted.push((part, blob.to_vec())),
    );
    let rows = rows.iter().map(|row| (message::PAIRS, row));
    for (kind, (part, blob)) in rows.chain(wanted.iter().map(|row| (message::WANTED, row))) {
        messages.push(Message { part: i64::from(*part), kind, blob, ..Message::default() })?;
    }
    Ok(())
}

impl Step for Buckets {
    fn schema(&self) -> SchemaRef {
        if self.is_late() { EdgeWriter::schema() } else { MessageWriter::schema() }
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        for row in MessageReader::new(batch)?.iter() {
            if row.kind != message::POSTINGS {
                // What the tasks counted that sent the postings.
                if !self.is_late() {
                    self.out.messages.push(row)?;
                }
                continue;
            }
            if self.bucket != Some(row.part) {
                self.end()?;
                self.bucket = Some(row.part);
            }
            decode_postings(row.blob, &mut self.postings).map_err(damaged)?;
        }
        Ok(if self.is_late() { self.out.edges.take() } else { self.out.messages.take() })
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        self.end()?;
        if self.is_late() {
            return self.out.edges.finish();
        }
        drain(&mut self.out.pairs, &mut self.out.messages)?;
        let BucketResults { pairs, received, largest_list, lists_left_out, looks, buckets, .. } =
            &self.out;
        let found = json!({
            "received": received, "largest_list": largest_list, "lists_left_out": lists_left_out,
            "looks": looks, "candidates": pairs.emitted, "buckets": buckets,
        });
        counts(&mut self.out.messages, &found)?;
        self.out.messages.finish()
    }
}

/// Sets of parts and those that are compared with them, sorted by (part, kind): the pairs that
/// match with their counts, or with `all` every pair, as a decision.
pub(super) struct Verify {
    format: SetFormat,
    criterion: Criterion,
    all: bool,
    part: Option<i64>,
    /// The sets of the part, by rank.
    sets: Vec<(u64, Place)>,
    numbers: Vec<u64>,
    sorted: bool,
    /// The set that is compared, and those with which it is.
    own: Vec<u64>,
    others: Vec<u64>,
}

/// Where a set is among the numbers of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    start: usize,
    /// Where its elements end, and those begin that were removed from it.
    removed: usize,
    end: usize,
    /// As of [`SentSet`](super::sent_set::SentSet).
    few: u32,
}

impl Place {
    /// Appends a set to numbers.
    fn add(format: SetFormat, set: &[u8], numbers: &mut Vec<u64>) -> Result<Self, LookalikeError> {
        let set = format.read(set)?;
        let start = numbers.len();
        numbers_of(set.elements, numbers)?;
        let removed = numbers.len();
        numbers_of(set.removed, numbers)?;
        Ok(Self { start, removed, end: numbers.len(), few: set.few as u32 })
    }

    fn elements(self, numbers: &[u64]) -> &[u64] {
        &numbers[self.start..self.removed]
    }

    fn removed(self, numbers: &[u64]) -> &[u64] {
        &numbers[self.removed..self.end]
    }
}

impl Verify {
    pub(super) fn new(context: &StepContext, all: bool) -> Self {
        Self {
            format: SetFormat::new(&context.settings),
            criterion: context.criterion,
            all,
            part: None,
            sets: Vec::new(),
            numbers: Vec::new(),
            sorted: false,
            own: Vec::new(),
            others: Vec::new(),
        }
    }

    fn probe(&mut self, row: Message<'_>, out: &mut EdgeWriter) -> Result<(), LookalikeError> {
        let Self { own: numbers, others, .. } = self;
        numbers.clear();
        let place = Place::add(self.format, row.blob, numbers)?;
        let (own, removed) = (place.elements(numbers), place.removed(numbers));
        others.clear();
        decode_ranks(row.list, others).map_err(damaged)?;
        for &other in &*others {
            let found = self.sets.binary_search_by_key(&other, |set| set.0);
            let (_, second) = self.sets[found.map_err(|_| {
                damaged(format!(
                    "the set {other} of a pair did not come to its task: the engine split a part, or lost rows"
                ))
            })?];
            let set = second.elements(&self.numbers);
            let counts = match self.all {
                true => Some(Overlap {
                    shared: overlap(own, set),
                    a: own.len() as u32,
                    b: set.len() as u32,
                }),
                false => verify(self.criterion, own, set),
            };
            // Documents of the same words have the same elements, though too few.
            let alike = place.few > 0 && second.few > 0;
            let few = || Overlap { shared: place.few, a: place.few, b: second.few };
            let counts = counts.map(|counts| if alike { few() } else { counts });
            if let Some(Overlap { shared, a, b }) = counts {
                let others = second.removed(&self.numbers);
                let whole_shared = shared + overlap(removed, others);
                let both = (removed.len() + others.len()) as u32;
                out.push(Edge {
                    later: row.rank,
                    kind: if self.all { edge::DECISION } else { edge::MATCH },
                    earlier: other as i64,
                    shared: shared.into(),
                    size_later: a.into(),
                    size_earlier: b.into(),
                    whole_shared: whole_shared.into(),
                    whole_union: (a + b + both) as i64 - i64::from(whole_shared),
                    ..Edge::default()
                })?;
            }
        }
        Ok(())
    }
}

impl RowStep<Message<'static>, Edge<'static>> for Verify {
    fn row(&mut self, row: Message<'_>, out: &mut EdgeWriter) -> Result<(), LookalikeError> {
        if row.kind == message::COUNTS {
            return Ok(());
        }
        if self.part != Some(row.part) {
            (self.part, self.sorted) = (Some(row.part), false);
            self.sets.clear();
            self.numbers.clear();
        }
        if row.kind == message::SET {
            let place = Place::add(self.format, row.blob, &mut self.numbers)?;
            self.sets.push((row.rank as u64, place));
            return Ok(());
        }
        if !self.sorted {
            self.sets.sort_unstable();
            self.sorted = true;
        }
        self.probe(row, out)
    }
}

/// Edges from sets to the first set of their component: pairs whose counts are wanted.
pub(super) struct LinkPairs {
    pairs: PairBuffer,
}

impl LinkPairs {
    pub(super) fn new(parts: u32) -> Self {
        Self { pairs: PairBuffer::new(parts) }
    }
}

impl RowStep<Edge<'static>, Message<'static>> for LinkPairs {
    fn row(&mut self, row: Edge<'_>, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        if row.kind != edge::LINK {
            return Ok(());
        }
        self.pairs.push(row.later as u64, row.earlier as u64);
        if self.pairs.is_full() {
            drain(&mut self.pairs, out)?;
        }
        Ok(())
    }

    fn end(&mut self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        drain(&mut self.pairs, out)
    }
}
