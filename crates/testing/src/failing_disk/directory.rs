//! A directory of the failing disk.

use super::loss::Loss;
use crate::prng::Prng;
use std::collections::BTreeMap;

/// Index of a file or directory in its disk.
pub(super) type Node = usize;

#[derive(Debug, Clone, Default)]
pub(super) struct DirectoryState {
    current: BTreeMap<String, Node>,
    durable: BTreeMap<String, Node>,
    pending: Vec<(u64, Change)>,
}

#[derive(Debug, Clone)]
pub(super) enum Change {
    Add { name: String, node: Node },
    Rename { from: String, to: String, node: Node },
    Remove { name: String, node: Node },
}

impl DirectoryState {
    pub(super) fn entries(&self) -> &BTreeMap<String, Node> {
        &self.current
    }

    pub(super) fn change(&mut self, number: u64, change: Change) {
        apply(&mut self.current, &change);
        self.pending.push((number, change));
    }

    pub(super) fn sync(&mut self) {
        for (_, change) in self.pending.drain(..) {
            apply(&mut self.durable, &change);
        }
    }

    /// The numbers of the first and last operation that was not synced.
    pub(super) fn unsynced(&self) -> Option<(u64, u64)> {
        Some((self.pending.first()?.0, self.pending.last()?.0))
    }

    /// The entries after a power cut. Any subset of the changes, in their order: another order
    /// gives no other result, as a change is of one file and is void if the name is of another.
    pub(super) fn after_crash(&self, loss: &Loss, random: &mut Prng) -> BTreeMap<String, Node> {
        let mut entries = self.durable.clone();
        for (number, change) in &self.pending {
            if loss.survives(random, *number) {
                apply(&mut entries, change);
            }
        }
        entries
    }

    /// A synced directory.
    pub(super) fn durable(entries: BTreeMap<String, Node>) -> Self {
        Self { current: entries.clone(), durable: entries, pending: Vec::new() }
    }
}

fn apply(entries: &mut BTreeMap<String, Node>, change: &Change) {
    let mut remove = |name: &String, node| {
        if entries.get(name) == Some(node) {
            entries.remove(name);
        }
    };
    match change {
        Change::Add { name, node } => {
            entries.insert(name.clone(), *node);
        }
        Change::Rename { from, to, node } => {
            remove(from, node);
            entries.insert(to.clone(), *node);
        }
        Change::Remove { name, node } => remove(name, node),
    }
}
