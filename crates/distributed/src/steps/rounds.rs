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

use super::damaged;
use super::step::{RowStep, StepContext};
use super::tables::{Edge, EdgeWriter, Message, MessageWriter, edge, message};
use lookalike_join::shuffle::Role;
use lookalike_run::LookalikeError;
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
}

impl Open {
    pub(super) fn new(context: &StepContext) -> Self {
        Self { protects: context.protects }
    }
}

impl RowStep<Message<'static>, Edge<'static>> for Open {
    fn row(&mut self, row: Message<'_>, out: &mut EdgeWriter) -> Result<(), LookalikeError> {
        if row.kind != message::KEYS {
            return Ok(());
        }
        let protected = self.protects && row.other & 2 != 0;
        out.push(state(row.rank, if protected { edge::NEW } else { edge::OPEN }))
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
}

impl Apply {
    pub(super) fn new(change: Change) -> Self {
        Self { change, state: None, lists: (0, 0), found: None }
    }
}

impl RowStep<Edge<'static>, Edge<'static>> for Apply {
    fn row(&mut self, row: Edge<'_>, out: &mut EdgeWriter) -> Result<(), LookalikeError> {
        let own = row.owned();
        match row.kind {
            edge::OPEN..edge::LATE => {
                self.end(out)?;
                self.state = Some(own);
            }
            _ if self.state.is_none_or(|state| state.later != row.later) => {
                return Err(damaged(
                    "a set has no state: the engine lost rows, or did not sort them",
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
        Ok(())
    }

    fn end(&mut self, out: &mut EdgeWriter) -> Result<(), LookalikeError> {
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
                out.push(state(rank, edge::FLIPPED))?;
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
        out.push(after)
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
    pub(super) which: Which,
    /// Whether there are pending sets, which are compared with all kept ones.
    pub(super) pending: bool,
}

impl Roles {
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

impl RowStep<Edge<'static>, Message<'static>> for Roles {
    fn row(&mut self, row: Edge<'_>, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        let Some(role) = self.role(row.kind) else { return Ok(()) };
        let limited = matches!(self.which, Which::Probe) && row.kind == edge::REMOVED;
        out.push(Message {
            part: row.later,
            kind: message::ROLE,
            rank: row.later,
            number: role.0.into(),
            other: if limited { row.earlier } else { NONE },
            ..Message::default()
        })
    }
}

/// States, removed ones with the rank of their witness as component.
pub(super) struct ByWitness;

impl RowStep<Edge<'static>, Edge<'static>> for ByWitness {
    fn row(&mut self, row: Edge<'_>, out: &mut EdgeWriter) -> Result<(), LookalikeError> {
        let component = if row.kind == edge::REMOVED { row.earlier } else { row.later };
        out.push(Edge { component, ..row })
    }
}

/// States sorted by (component, kind), as of [`ByWitness`]: sets whose witness was flipped are
/// pending.
#[derive(Default)]
pub(super) struct Reopen {
    flipped: Option<i64>,
}

impl RowStep<Edge<'static>, Edge<'static>> for Reopen {
    fn row(&mut self, row: Edge<'_>, out: &mut EdgeWriter) -> Result<(), LookalikeError> {
        let row = row.owned();
        if row.kind == edge::FLIPPED {
            self.flipped = Some(row.component);
            return Ok(());
        }
        let hit = row.kind == edge::REMOVED && self.flipped == Some(row.component);
        out.push(if hit { state(row.later, edge::PENDING) } else { Edge { component: 0, ..row } })
    }
}

/// Takes back what was decided at a rank or behind it: kept sets there are open, and sets whose
/// witness is there.
pub(super) struct TakeBack {
    pub(super) from: i64,
}

impl RowStep<Edge<'static>, Edge<'static>> for TakeBack {
    fn row(&mut self, row: Edge<'_>, out: &mut EdgeWriter) -> Result<(), LookalikeError> {
        let row = row.owned();
        let kept = row.kind == edge::KEPT && row.later >= self.from;
        let removed = row.kind == edge::REMOVED && row.earlier >= self.from;
        out.push(if kept || removed { open(row.later) } else { row })
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
}

impl CountStates {
    pub(super) fn new(width: i64) -> Self {
        let (kinds, open) = (BTreeMap::new(), BTreeMap::new());
        Self { width: width.max(1), kinds, open }
    }
}

impl RowStep<Edge<'static>, Edge<'static>> for CountStates {
    fn row(&mut self, row: Edge<'_>, _: &mut EdgeWriter) -> Result<(), LookalikeError> {
        let (number, first) = self.kinds.entry(row.kind).or_insert((0, row.later));
        (*number, *first) = (*number + 1, row.later.min(*first));
        if row.kind == edge::OPEN {
            *self.open.entry(row.later / self.width).or_default() += 1;
        }
        Ok(())
    }

    fn end(&mut self, out: &mut EdgeWriter) -> Result<(), LookalikeError> {
        let count =
            |component, later| Edge { component, later, kind: edge::COUNT, ..Edge::default() };
        for (&kind, &(number, first)) in &self.kinds {
            out.push(Edge { earlier: kind, shared: first, ..count(NONE, number) })?;
        }
        for (&range, &number) in &self.open {
            out.push(count(range, number))?;
        }
        Ok(())
    }
}

/// States to decisions.
pub(super) struct Decisions;

impl RowStep<Edge<'static>, Edge<'static>> for Decisions {
    fn row(&mut self, row: Edge<'_>, out: &mut EdgeWriter) -> Result<(), LookalikeError> {
        if row.kind != edge::REMOVED {
            return Ok(());
        }
        out.push(Edge { kind: edge::DECISION, component: 0, ..row })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::rows::RowWriter;
    use crate::steps::step::of_rows;
    use crate::steps::tables::EdgeReader;
    use arrow_array::RecordBatch;
    use proptest::prelude::*;

    /// Choices of a test: its numbers in turn, again and again.
    struct Choices(Vec<u8>, usize);

    impl Choices {
        fn below(&mut self, end: usize) -> usize {
            self.1 += 1;
            usize::from(self.0[self.1 % self.0.len()]) % end
        }
    }

    type States = Vec<Edge<'static>>;

    fn apply(
        step: impl RowStep<Edge<'static>, Edge<'static>> + 'static,
        mut rows: States,
        key: impl Fn(&Edge<'_>) -> (i64, i64, i64),
    ) -> States {
        rows.sort_by_key(key);
        let mut writer = EdgeWriter::default();
        rows.into_iter().for_each(|row| writer.push(row).unwrap());
        let (mut step, mut made) = (of_rows(step), Vec::new());
        for batch in writer.finish().unwrap() {
            made.extend(step.push(&batch).unwrap());
        }
        made.extend(step.finish().unwrap());
        let read = |batch: &RecordBatch| -> States {
            EdgeReader::new(batch).unwrap().iter().map(Edge::owned).collect()
        };
        made.iter().flat_map(read).collect()
    }

    fn by_later(row: &Edge<'_>) -> (i64, i64, i64) {
        (row.later, row.kind, row.earlier)
    }

    /// The witness of each removed set: set by set, over all edges.
    fn greedy(
        sets: i64,
        matches: impl Fn(i64, i64) -> bool,
        among: impl Fn(i64) -> bool,
    ) -> BTreeMap<i64, i64> {
        let (mut kept, mut witness): (Vec<i64>, BTreeMap<i64, i64>) = Default::default();
        for set in (0..sets).filter(|&set| among(set)) {
            match kept.iter().find(|&&earlier| matches(set, earlier)) {
                Some(&earlier) => drop(witness.insert(set, earlier)),
                None => kept.push(set),
            }
        }
        witness
    }

    fn found(kind: i64, later: i64, earlier: i64) -> Edge<'static> {
        Edge { later, kind, earlier, ..Edge::default() }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

        /// Any graph and any selection: the kept sets and first witnesses of the greedy algorithm.
        #[test]
        fn rounds_end_in_the_answer_of_the_greedy_algorithm(
            sets in 1i64..14,
            edges in prop::collection::btree_set((0i64..14, 0i64..14), 0..40),
            chain in any::<bool>(),
            numbers in prop::collection::vec(any::<u8>(), 1..40),
            (rounds, flipped_rounds) in (1usize..6, 1usize..4),
        ) {
            let matches = |a: i64, b: i64| {
                edges.contains(&(a, b)) || edges.contains(&(b, a)) || (chain && (a - b).abs() == 1)
            };
            let truth = greedy(sets, matches, |_| true);
            let mut choices = Choices(numbers, 0);
            let mut states: States = (0..sets).map(open).collect();
            let (mut way_out, mut with_flips) = (false, 0);
            for round in 1.. {
                let first = |states: &States, kinds: &[i64]| {
                    states.iter().filter(|row| kinds.contains(&row.kind)).map(|row| row.later).min()
                };
                let Some(lowest) = first(&states, &[edge::OPEN, edge::PENDING]) else { break };
                prop_assert!(round < 4 * sets as usize + 20, "it does not end");
                if !way_out && (round > rounds || with_flips >= flipped_rounds) {
                    way_out = true;
                    states = apply(TakeBack { from: lowest }, states, by_later);
                }
                let pending = states.iter().any(|row| row.kind == edge::PENDING);
                let first_open = first(&states, &[edge::OPEN]);
                if !(way_out && pending) && first_open.is_some() {
                    let upto = way_out.then(|| first_open.unwrap_or(0) + choices.below(4) as i64);
                    for row in states.iter_mut().filter(|row| row.kind == edge::OPEN) {
                        let selected = match upto {
                            Some(upto) => row.later <= upto,
                            None => Some(row.later) == first_open || choices.below(2) == 0,
                        };
                        if selected {
                            row.kind = edge::SELECTED;
                        }
                    }
                    let selected = |set| states.iter().any(|row| row.later == set && row.kind == edge::SELECTED);
                    let decided = greedy(sets, matches, selected);
                    let decided = decided.iter().map(|(&later, &earlier)| found(edge::DECISION, later, earlier));
                    let rows = states.iter().copied().chain(decided).collect();
                    states = apply(Apply::new(Change::Decide), rows, by_later);
                }
                let roles = Roles { which: Which::Probe, pending };
                let role = |row: &Edge<'_>| roles.role(row.kind).unwrap_or_default();
                let mut rows = states.clone();
                for probe in states.iter().filter(|row| role(row).is(Role::PROBE)) {
                    let all = role(probe).is(Role::PENDING);
                    let limit = if probe.kind == edge::REMOVED { probe.earlier } else { probe.later };
                    for kept in &states {
                        let known = role(kept).is(Role::NEW) || all && role(kept).is(Role::KEPT);
                        let before = kept.later < limit.min(probe.later);
                        if known && before && matches(probe.later, kept.later) {
                            rows.push(found(edge::MATCH, probe.later, kept.later));
                        }
                    }
                }
                states = apply(Apply::new(Change::Update), rows, by_later);
                if states.iter().any(|row| row.kind == edge::FLIPPED) {
                    with_flips += 1;
                    let rows = apply(ByWitness, states, by_later);
                    states = apply(Reopen::default(), rows, |row| (row.component, row.kind, row.later));
                }
                prop_assert_eq!(states.len(), sets as usize);
            }
            let witness: BTreeMap<i64, i64> = states
                .iter()
                .filter(|row| row.kind == edge::REMOVED)
                .map(|row| (row.later, row.earlier))
                .collect();
            prop_assert!(states.iter().all(|row| [edge::KEPT, edge::REMOVED].contains(&row.kind)));
            prop_assert_eq!(witness, truth);
        }
    }

    #[test]
    fn sets_are_selected_by_how_late_they_are_in_their_lists() {
        let late = |set, lists, late| Edge {
            shared: lists,
            size_later: late,
            ..found(edge::LATE, set, 0)
        };
        let states = (0..5).map(open).chain([
            late(0, 4, 4),
            late(1, 4, 1),
            late(2, 4, 2),
            late(3, 3, 1),
            late(3, 1, 0),
        ]);
        let select = Change::Select { first: 0, upto: None };
        let selected = apply(Apply::new(select), states.collect(), by_later);
        // The first open one always; 1 and 3 are late in a quarter; 4 shares no list.
        assert_eq!(
            selected.iter().map(|row| row.kind == edge::SELECTED).collect::<Vec<_>>(),
            [true, true, false, true, true]
        );
    }

    #[test]
    fn a_set_without_a_state_is_an_error() {
        let mut writer = EdgeWriter::default();
        writer.push(found(edge::MATCH, 3, 1)).unwrap();
        let batch = writer.finish().unwrap().remove(0);
        let error = of_rows(Apply::new(Change::Update)).push(&batch).unwrap_err();
        assert!(error.to_string().contains("the engine lost rows"), "{error}");
    }
}
