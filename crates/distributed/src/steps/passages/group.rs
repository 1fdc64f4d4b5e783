//! The anchors of a bucket to runs whose first places are known, and windows that are hashed.

use super::super::step::{RowStep, StepContext};
use super::super::tables::{Message, MessageWriter, message};
use super::super::{counts, damaged};
use super::blobs::{Outbox, Reader, put_all, read_all};
use super::read::windows;
use super::{kind, part_of};
use lookalike_passages::classes::{Classes, Piece, Repeated};
use lookalike_passages::questions::{Answers, Question, Questions};
use lookalike_passages::{Anchor, Place, Record};
use lookalike_run::LookalikeError;
use serde_json::json;

/// Sends pieces to the parts of their documents, or, for the seeds of near passages, of their first
/// places.
struct SendPieces {
    parts: u32,
    near: bool,
    outbox: Outbox,
}

impl SendPieces {
    fn new(parts: u32, near: bool) -> Self {
        Self { parts, near, outbox: Outbox::new(kind::PIECES) }
    }

    fn send(&mut self, pieces: &[Piece], out: &mut MessageWriter) -> Result<(), LookalikeError> {
        for piece in pieces {
            let place = if self.near { piece.first } else { piece.at };
            self.outbox.record(part_of(place.document, self.parts), piece.to_record(), out)?;
        }
        self.outbox.send(out)
    }
}

/// Anchors sorted by bucket: groups those of each bucket. Makes the pieces that are known without hashes,
/// the anchors of the other groups, and the windows that are hashed for these.
pub(in super::super) struct Group {
    repeated: Repeated,
    parts: u32,
    bucket: Option<i64>,
    anchors: Vec<Anchor>,
    pieces: SendPieces,
    asked: Outbox,
    /// The buckets that were grouped: no other task may get them.
    buckets: Vec<i64>,
    received: usize,
}

impl Group {
    /// # Errors
    /// The run looks for no passages.
    pub(in super::super) fn new(
        context: &StepContext,
        parts: u32,
        near: bool,
    ) -> Result<Self, LookalikeError> {
        Ok(Self {
            repeated: windows(context, near)?.1,
            parts,
            bucket: None,
            anchors: Vec::new(),
            pieces: SendPieces::new(parts, near),
            asked: Outbox::new(kind::ASKED),
            buckets: Vec::new(),
            received: 0,
        })
    }

    /// Groups the anchors of the bucket that ends.
    fn group(&mut self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        let anchors = std::mem::take(&mut self.anchors);
        let Some(bucket) = self.bucket.take().filter(|_| !anchors.is_empty()) else {
            return Ok(());
        };
        self.buckets.push(bucket);
        self.received += anchors.len();
        let number = u16::try_from(bucket).map_err(damaged)?;
        let (classes, questions) = Classes::new(anchors);
        let mut open: Vec<Anchor> = Vec::new();
        let pieces = classes.settled(self.repeated, |anchor| open.push(*anchor));
        drop(classes);
        self.pieces.send(&pieces, out)?;
        for question in questions.in_part(number) {
            let part = part_of(question.place.document, self.parts);
            self.asked.record(part, question.to_record(), out)?;
        }
        self.asked.send(out)?;
        for anchors in open.chunks(OPEN) {
            let mut blob = Vec::new();
            put_all(anchors, &mut blob);
            let (kind, number) = (kind::OPEN, anchors.len() as i64);
            out.push(Message { part: bucket, kind, number, blob: &blob, ..Message::default() })?;
        }
        Ok(())
    }
}

/// Anchors in a message.
const OPEN: usize = 1 << 18;

impl RowStep<Message<'static>, Message<'static>> for Group {
    fn row(&mut self, row: Message<'_>, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        match row.kind {
            kind::ANCHORS => {
                if self.bucket != Some(row.part) {
                    self.group(out)?;
                    self.bucket = Some(row.part);
                }
                read_all(row.blob, &mut self.anchors)
            }
            kind::FIXED | message::COUNTS => out.push(row),
            _ => Ok(()),
        }
    }

    fn end(&mut self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        self.group(out)?;
        counts(out, &json!({"received": self.received, "buckets": self.buckets}))
    }
}

/// Anchors whose windows are compared and the hashes of these, sorted by (bucket, kind): makes the pieces
/// of each bucket.
pub(in super::super) struct Resolve {
    repeated: Repeated,
    bucket: Option<i64>,
    anchors: Vec<Anchor>,
    answers: Vec<(Place, Vec<u64>)>,
    pieces: SendPieces,
}

impl Resolve {
    /// # Errors
    /// The run looks for no passages.
    pub(in super::super) fn new(
        context: &StepContext,
        parts: u32,
        near: bool,
    ) -> Result<Self, LookalikeError> {
        Ok(Self {
            repeated: windows(context, near)?.1,
            bucket: None,
            anchors: Vec::new(),
            answers: Vec::new(),
            pieces: SendPieces::new(parts, near),
        })
    }

    /// Compares the windows of the bucket that ends.
    fn resolve(&mut self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        let mut answers = std::mem::take(&mut self.answers);
        answers.sort_unstable_by_key(|(place, _)| *place);
        let (classes, questions) = Classes::new(std::mem::take(&mut self.anchors));
        let asked: Vec<Question> = questions.in_part(0).collect();
        let answered = asked.len() == answers.len()
            && asked.iter().zip(&answers).all(|(asked, (place, hashes))| {
                (asked.place, usize::from(asked.windows)) == (*place, hashes.len())
            });
        if !answered {
            return Err(damaged(
                "the engine lost or repeated windows, so passages would be missing",
            ));
        }
        let hashes = answers.into_iter().flat_map(|(_, hashes)| hashes).collect();
        let answers = Answers::new(&Questions::of_parts(asked), hashes);
        let pieces = classes.pieces(&answers, self.repeated);
        self.pieces.send(&pieces, out)
    }
}

impl RowStep<Message<'static>, Message<'static>> for Resolve {
    fn row(&mut self, row: Message<'_>, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        if self.bucket.replace(row.part) != Some(row.part) {
            self.resolve(out)?;
        }
        match row.kind {
            kind::OPEN => read_all(row.blob, &mut self.anchors),
            kind::ANSWERS => {
                let mut reader = Reader(row.blob);
                while !reader.is_empty() {
                    let [document, unit, windows] = reader.record()?;
                    let hashes = (0..windows).map(|_| reader.long()).collect::<Result<_, _>>()?;
                    self.answers.push((Place { document, unit }, hashes));
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn end(&mut self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        self.resolve(out)
    }
}
