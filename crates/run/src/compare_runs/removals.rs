//! What two runs removed, and why.

use super::comparison::{RemovalChanges, RunChange};
use super::places::{Ids, Places};
use crate::LookalikeError;
use crate::shown::Shown;
use lookalike_decide::{Changed, ChangedRemoval, DocumentName, ReadRemoval, Table};
use lookalike_engine::Progress;
use lookalike_engine::poll::Poll;
use lookalike_report::{Action, Summary};
use std::cmp::Ordering;
use std::path::Path;

/// A removed document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Removal {
    document: u64,
    witness: u64,
    /// NaN if there is none: an option would take twice the room.
    resemblance: f64,
    rule: u32,
}

/// A document that one of the runs removed, or both.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change {
    removed: [Option<Removal>; 2],
}

impl Change {
    /// The document and its witnesses.
    pub(super) fn documents(&self) -> impl Iterator<Item = u64> + use<> {
        self.removed.into_iter().flatten().flat_map(|own| [own.document, own.witness])
    }

    fn document(&self) -> u64 {
        self.documents().next().unwrap_or_default()
    }

    /// What differs, as the table says it; `None` if nothing does.
    fn kind(&self) -> Option<&'static str> {
        match self.removed {
            [Some(_), None] => Some("only_a"),
            [None, Some(_)] => Some("only_b"),
            [Some(a), Some(b)] if a.witness != b.witness => Some("witness"),
            [Some(a), Some(b)] if a.rule != b.rule => Some("rule"),
            _ => None,
        }
    }

    /// Whether it is listed as this.
    pub(super) fn is(&self, list: RunChange) -> bool {
        match list {
            RunChange::OnlyA => self.removed[1].is_none(),
            RunChange::OnlyB => self.removed[0].is_none(),
            _ => self.removed.iter().all(Option::is_some),
        }
    }
}

/// The removed documents of two runs, in the order of their numbers.
pub(super) struct Removals {
    of: [Vec<Removal>; 2],
    rules: Vec<String>,
}

impl Removals {
    /// Reads the ledgers; `None` if a run has none.
    pub(super) fn read(
        runs: [&Path; 2],
        summaries: &[Summary; 2],
        places: &mut Places,
        progress: &dyn Progress,
    ) -> Result<Option<Self>, LookalikeError> {
        if summaries.iter().any(|summary| summary.action == Action::List) {
            return Ok(None);
        }
        let poll = Poll::new(progress);
        let mut found = Self { of: Default::default(), rules: Vec::new() };
        for (run, removals) in runs.into_iter().zip(&mut found.of) {
            for row in ReadRemoval::of(run)? {
                let ReadRemoval { removed, kept, rule, resemblance, .. } = row?;
                poll.step()?;
                let document = places.number(&removed);
                if !places.counts(document) {
                    continue;
                }
                let known = found.rules.iter().position(|one| *one == rule);
                let rule = known.unwrap_or_else(|| {
                    found.rules.push(rule);
                    found.rules.len() - 1
                }) as u32;
                let (witness, resemblance) =
                    (places.number(&kept), resemblance.unwrap_or(f64::NAN));
                removals.push(Removal { document, witness, resemblance, rule });
            }
            removals.sort_unstable_by_key(|removal| removal.document);
        }
        Ok(Some(found))
    }

    /// Every removed document, with what both runs say of it.
    fn all(&self) -> impl Iterator<Item = Change> + '_ {
        let [mut a, mut b] = self.of.each_ref().map(|of| of.iter().copied().peekable());
        std::iter::from_fn(move || {
            let order = match (a.peek(), b.peek()) {
                (None, None) => return None,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(a), Some(b)) => a.document.cmp(&b.document),
            };
            let a = a.next_if(|_| order.is_le());
            Some(Change { removed: [a, b.next_if(|_| order.is_ge())] })
        })
    }

    /// The documents of which the runs do not say the same.
    pub(super) fn changes(&self) -> Vec<Change> {
        self.all().filter(|change| change.kind().is_some()).collect()
    }

    pub(super) fn counts(&self) -> RemovalChanges {
        let [a, b] = self.of.each_ref().map(|of| of.len() as u64);
        let mut counts = RemovalChanges { a, b, ..RemovalChanges::default() };
        for change in self.all() {
            let only = match change.removed {
                [Some(own), None] => Some((own, &mut counts.only_a, &mut counts.only_a_rules)),
                [None, Some(own)] => Some((own, &mut counts.only_b, &mut counts.only_b_rules)),
                _ => None,
            };
            match (only, change.kind()) {
                (Some((own, all, rules)), _) => {
                    *all += 1;
                    *rules.entry(self.rules[own.rule as usize].clone()).or_default() += 1;
                    continue;
                }
                (None, Some("witness")) => counts.other_witness += 1,
                (None, Some(_)) => counts.other_rule += 1,
                (None, None) => {}
            }
            counts.both += 1;
        }
        counts
    }

    /// A removal by a run, with the name of the witness.
    fn told<'r>(&'r self, removal: &Removal, kept: &'r DocumentName<'r>) -> ChangedRemoval<'r> {
        let resemblance = Some(removal.resemblance).filter(|value| !value.is_nan());
        ChangedRemoval { rule: &self.rules[removal.rule as usize], kept, resemblance }
    }

    /// Adds the row of a change.
    pub(super) fn add(
        &self,
        change: &Change,
        ids: &Ids<'_>,
        table: &mut Table<'_, Changed<'static>>,
    ) -> Result<(), LookalikeError> {
        let document = &ids.name(change.document());
        let kept = change.removed.map(|own| own.map(|own| ids.name(own.witness)));
        let told = |run: usize| Some(self.told(change.removed[run].as_ref()?, kept[run].as_ref()?));
        let change = change.kind().unwrap_or_default();
        Ok(table.add(&Changed { document, change, a: told(0), b: told(1) })?)
    }

    /// Whether a run keeps a document; unknown for one of an input that the other run does not have.
    fn keeps(&self, run: usize, document: u64, ids: &Ids<'_>) -> Option<bool> {
        let removed = self.of[run].binary_search_by_key(&document, |removal| removal.document);
        ids.places.counts(document).then_some(removed.is_err())
    }

    /// Rows for people: for documents that one run removed, whether the other keeps the witness.
    pub(super) fn show(
        &self,
        list: RunChange,
        changes: &[&Change],
        limit: usize,
        ids: &Ids<'_>,
    ) -> Shown {
        let columns: &[&str] = match list {
            RunChange::OnlyA | RunChange::OnlyB => {
                &["id", "file", "record", "rule", "kept", "resemblance", "other keeps kept"]
            }
            _ => &["id", "file", "record", "a rule", "a kept", "b rule", "b kept"],
        };
        let mut shown = Shown::of(columns);
        for change in changes {
            let name = ids.name(change.document());
            let witness = |own: &Removal| ids.name(own.witness).id.into_owned();
            let rule = |own: &Removal| &self.rules[own.rule as usize];
            match &change.removed {
                [Some(a), Some(b)] => shown.push(
                    limit,
                    (name.id, name.file, name.record, rule(a), witness(a), rule(b), witness(b)),
                ),
                [a, b] => {
                    let other = usize::from(a.is_some());
                    for own in a.iter().chain(b) {
                        let stays = self.keeps(other, own.witness, ids);
                        let value = Some(own.resemblance).filter(|value| !value.is_nan());
                        let (id, file) = (&name.id, &name.file);
                        shown.push(
                            limit,
                            (id, file, name.record, rule(own), witness(own), value, stays),
                        );
                    }
                }
            }
        }
        shown
    }
}
