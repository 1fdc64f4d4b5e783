//! States of sets in the rounds that decide which sets are kept.
//!
//! Where many sets have a key in common, forming all their pairs costs the square of their number.
//! The rounds guess which sets are kept from a small selection, compare all others with those only,
//! and correct what a guess got wrong. What is known of a set is its state, a row of [`Edge`]. After
//! each round:
//!
//! * no two kept sets match,
//! * the witness of a removed set is the first kept set before it that matches,
//! * no kept set before an open one matches it.
//!
//! So when no set is open or pending, the kept sets are those of the sequential greedy algorithm,
//! whatever was selected: by induction, each decision depends on the kept sets before it alone.

use super::step::{Step, StepContext};
use super::tables::{
    Edge, EdgeReader, EdgeWriter, Message, MessageReader, MessageWriter, edge, message,
};
use crate::LookalikeError;
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use lookalike_join::shuffle::Role;
use std::collections::BTreeMap;

/// No witness.
const NONE: i64 = -1;

/// A set with nothing known.
fn open(later: i64) -> Edge<'static> {
    Edge { later, kind: edge::OPEN, earlier: NONE, ..Edge::default() }
}

/// A state without a witness.
fn state(later: i64, kind: i64) -> Edge<'static> {
    Edge { kind, ..open(later) }
}

/// Keys of sets: every set is open, but those of another collection that is protected are kept.
pub(super) struct Open {
    protects: bool,
    out: EdgeWriter,
}

impl Open {
    pub(super) fn new(context: &StepContext) -> Self {
        Self { protects: context.protects, out: EdgeWriter::default() }
    }
}

impl Step for Open {
    fn schema(&self) -> SchemaRef {
        EdgeWriter::schema()
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        for row in MessageReader::new(batch)?.iter().filter(|row| row.kind == message::KEYS) {
            let protected = self.protects && row.other & 2 != 0;
            self.out.push(state(row.rank, if protected { edge::NEW } else { edge::OPEN }))?;
        }
        Ok(self.out.take())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        self.out.finish()
    }
}

/// What rows of a set are made of: its state, and what was found about it.
pub(super) enum Change {
    /// Selects sets that are open: up to a rank, or those that are late in at most a quarter of
    /// their lists; the first open set always.
    Select { first: i64, upto: Option<i64> },
    /// Selected sets are removed, or new.
    Decide,
    /// Takes the first kept set that a probe matches.
    Update,
}

/// States and findings sorted by (later, kind, earlier): the states after a change.
pub(super) struct Apply {
    change: Change,
    state: Option<Edge<'static>>,
    /// Lists and late ones.
    lists: (i64, i64),
    /// The first finding: a decision or a match.
    found: Option<Edge<'static>>,
    out: EdgeWriter,
}

impl Apply {
    pub(super) fn new(change: Change) -> Self {
        Self { change, state: None, lists: (0, 0), found: None, out: EdgeWriter::default() }
    }

    fn end(&mut self) -> Result<(), LookalikeError> {
        let Some(before) = self.state.take() else { return Ok(()) };
        let ((lists, late), found) = (std::mem::take(&mut self.lists), self.found.take());
        let rank = before.later;
        let removed = |kind| {
            let with = found.unwrap_or_default();
            Edge { kind, later: rank, component: 0, ..with }
        };
        let after = match (&self.change, before.kind) {
            (Change::Select { first, upto }, edge::OPEN) => {
                let selected = match upto {
                    Some(upto) => rank <= *upto,
                    None => 4 * late <= lists || rank == *first,
                };
                if selected { state(rank, edge::SELECTED) } else { before }
            }
            (Change::Decide, edge::SELECTED) => match found {
                Some(_) => removed(edge::REMOVED_NOW),
                None => state(rank, edge::NEW),
            },
            (Change::Update, edge::NEW) => state(rank, edge::KEPT),
            (Change::Update, edge::REMOVED_NOW) => Edge { kind: edge::REMOVED, ..before },
            (Change::Update, edge::KEPT) if found.is_some() => {
                self.out.push(state(rank, edge::FLIPPED))?;
                removed(edge::REMOVED)
            }
            (Change::Update, edge::REMOVED) => match found {
                Some(found) if found.earlier < before.earlier => removed(edge::REMOVED),
                _ => before,
            },
            (Change::Update, edge::OPEN | edge::PENDING) => match found {
                Some(_) => removed(edge::REMOVED),
                None => open(rank),
            },
            _ => before,
        };
        self.out.push(after)
    }
}

impl Step for Apply {
    fn schema(&self) -> SchemaRef {
        EdgeWriter::schema()
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        for row in EdgeReader::new(batch)?.iter() {
            let own = row.owned();
            match row.kind {
                edge::OPEN..edge::LATE => {
                    self.end()?;
                    self.state = Some(own);
                }
                _ if self.state.is_none_or(|state| state.later != row.later) => {
                    return Err(LookalikeError::Settings(
                        "a set has no state: the engine lost rows, or did not sort them".into(),
                    ));
                }
                edge::LATE => {
                    self.lists.0 += row.shared;
                    self.lists.1 += row.size_later;
                }
                _ => {
                    self.found.get_or_insert(own);
                }
            }
        }
        Ok(self.out.take())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        self.end()?;
        self.out.finish()
    }
}

/// Which sets are looked at.
#[derive(Debug, Clone, Copy, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Which {
    /// Open ones.
    Open,
    /// Selected ones.
    Selected,
    /// New ones, and all that they are compared with.
    Probe,
    /// All kept ones, and all removed ones that are compared with them.
    Kept,
}

/// States to roles of sets in a comparison.
pub(super) struct Roles {
    which: Which,
    /// Whether there are pending sets, which are compared with all kept ones.
    pending: bool,
    out: MessageWriter,
}

impl Roles {
    pub(super) fn new(which: Which, pending: bool) -> Self {
        Self { which, pending, out: MessageWriter::default() }
    }

    fn role(&self, kind: i64) -> Option<Role> {
        Some(match (self.which, kind) {
            (Which::Open, edge::OPEN) | (Which::Selected, edge::SELECTED) => Role::PROBE,
            (Which::Probe, edge::NEW) | (Which::Kept, edge::KEPT) => Role::NEW,
            // Kept ones are compared too: a new one before them may match.
            (Which::Probe, edge::KEPT) if self.pending => Role::PROBE.and(Role::KEPT),
            (Which::Probe, edge::KEPT | edge::OPEN | edge::REMOVED)
            | (Which::Kept, edge::REMOVED) => Role::PROBE,
            (Which::Probe, edge::PENDING) => Role::PROBE.and(Role::PENDING),
            _ => return None,
        })
    }
}

impl Step for Roles {
    fn schema(&self) -> SchemaRef {
        MessageWriter::schema()
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        for row in EdgeReader::new(batch)?.iter() {
            let Some(role) = self.role(row.kind) else { continue };
            let limited = matches!(self.which, Which::Probe) && row.kind == edge::REMOVED;
            self.out.push(Message {
                part: row.later,
                kind: message::ROLE,
                rank: row.later,
                number: role.0.into(),
                other: if limited { row.earlier } else { NONE },
                ..Message::default()
            })?;
        }
        Ok(self.out.take())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        self.out.finish()
    }
}

/// States, removed ones with the rank of their witness as component.
#[derive(Default)]
pub(super) struct ByWitness(EdgeWriter);

impl Step for ByWitness {
    fn schema(&self) -> SchemaRef {
        EdgeWriter::schema()
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        for row in EdgeReader::new(batch)?.iter() {
            let component = if row.kind == edge::REMOVED { row.earlier } else { row.later };
            self.0.push(Edge { component, ..row })?;
        }
        Ok(self.0.take())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        self.0.finish()
    }
}

/// States sorted by (component, kind), as of [`ByWitness`]: sets whose witness was flipped are
/// pending.
#[derive(Default)]
pub(super) struct Reopen {
    flipped: Option<i64>,
    out: EdgeWriter,
}

impl Step for Reopen {
    fn schema(&self) -> SchemaRef {
        EdgeWriter::schema()
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        for row in EdgeReader::new(batch)?.iter().map(Edge::owned) {
            if row.kind == edge::FLIPPED {
                self.flipped = Some(row.component);
                continue;
            }
            let hit = row.kind == edge::REMOVED && self.flipped == Some(row.component);
            self.out.push(if hit {
                state(row.later, edge::PENDING)
            } else {
                Edge { component: 0, ..row }
            })?;
        }
        Ok(self.out.take())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        self.out.finish()
    }
}

/// Takes back what was decided at a rank or behind it: kept sets there are open, and sets whose
/// witness is there.
pub(super) struct TakeBack {
    from: i64,
    out: EdgeWriter,
}

impl TakeBack {
    pub(super) fn new(from: i64) -> Self {
        Self { from, out: EdgeWriter::default() }
    }
}

impl Step for TakeBack {
    fn schema(&self) -> SchemaRef {
        EdgeWriter::schema()
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        for row in EdgeReader::new(batch)?.iter().map(Edge::owned) {
            let kept = row.kind == edge::KEPT && row.later >= self.from;
            let removed = row.kind == edge::REMOVED && row.earlier >= self.from;
            self.out.push(if kept || removed { open(row.later) } else { row })?;
        }
        Ok(self.out.take())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        self.out.finish()
    }
}

/// Counts states: the rows are of the kind [`edge::COUNT`].
///
/// `component` −1: sets by kind of state, the kind in `earlier`, their number in `later`, their
/// first in `shared`. Other components: ranges of ranks of `width`, with the open sets of each.
pub(super) struct CountStates {
    width: i64,
    kinds: BTreeMap<i64, (i64, i64)>,
    open: BTreeMap<i64, i64>,
    out: EdgeWriter,
}

impl CountStates {
    pub(super) fn new(width: i64) -> Self {
        let (kinds, open) = (BTreeMap::new(), BTreeMap::new());
        Self { width: width.max(1), kinds, open, out: EdgeWriter::default() }
    }
}

impl Step for CountStates {
    fn schema(&self) -> SchemaRef {
        EdgeWriter::schema()
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        for row in EdgeReader::new(batch)?.iter() {
            let (number, first) = self.kinds.entry(row.kind).or_insert((0, row.later));
            (*number, *first) = (*number + 1, row.later.min(*first));
            if row.kind == edge::OPEN {
                *self.open.entry(row.later / self.width).or_default() += 1;
            }
        }
        Ok(Vec::new())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        let count =
            |component, later| Edge { component, later, kind: edge::COUNT, ..Edge::default() };
        for (&kind, &(number, first)) in &self.kinds {
            self.out.push(Edge { earlier: kind, shared: first, ..count(NONE, number) })?;
        }
        for (&range, &number) in &self.open {
            self.out.push(count(range, number))?;
        }
        self.out.finish()
    }
}

/// States to decisions.
#[derive(Default)]
pub(super) struct Decisions(EdgeWriter);

impl Step for Decisions {
    fn schema(&self) -> SchemaRef {
        EdgeWriter::schema()
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        for row in EdgeReader::new(batch)?.iter().filter(|row| row.kind == edge::REMOVED) {
            self.0.push(Edge { kind: edge::DECISION, component: 0, ..row })?;
        }
        Ok(self.0.take())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        self.0.finish()
    }
}
