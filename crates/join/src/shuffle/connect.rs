//! Connected components of a graph that no machine holds.
//!
//! [`Links`] reduces the edges that one task sees to a forest. [`Connected`] are the operations of
//! Kiveris et al. (2014), *Connected components in MapReduce and beyond*: applied in turns, they
//! turn any graph into stars around the least node of each component, in O(log² n) rounds.

use std::collections::HashMap;

/// Union-find over nodes of any numbers: the edges of one task as a forest of depth one.
///
/// ```
/// use lookalike_join::shuffle::Links;
///
/// let mut links = Links::default();
/// [(9, 4), (7, 4), (30, 20), (9, 2)].map(|(a, b)| links.connect(a, b));
/// let mut found = Vec::new();
/// links.drain(|node, least| found.push((node, least)));
/// assert_eq!(found, [(4, 2), (7, 2), (9, 2), (30, 20)]);
/// ```
#[derive(Debug, Default)]
pub struct Links {
    parent: HashMap<u64, u64, foldhash::fast::FixedState>,
}

impl Links {
    /// The least node that a node is known to be connected with.
    fn root(&mut self, mut node: u64) -> u64 {
        while let Some(&parent) = self.parent.get(&node) {
            // Halves the path.
            if let Some(&above) = self.parent.get(&parent) {
                self.parent.insert(node, above);
            }
            node = parent;
        }
        node
    }

    /// Connects two nodes.
    pub fn connect(&mut self, a: u64, b: u64) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.parent.insert(a.max(b), a.min(b));
        }
    }

    /// Nodes that are connected with a lesser one.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parent.len()
    }

    /// Whether nothing is connected.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parent.is_empty()
    }

    /// Emits (node, least node connected with it) for each node that is not that node, ascending,
    /// and forgets them.
    pub fn drain(&mut self, mut emit: impl FnMut(u64, u64)) {
        let mut nodes: Vec<u64> = self.parent.keys().copied().collect();
        nodes.sort_unstable();
        for node in nodes {
            let least = self.root(node);
            emit(node, least);
        }
        self.parent.clear();
    }
}

/// One of the two operations on stars, over rows (node, neighbour) sorted by both.
#[derive(Debug, Clone)]
pub struct Connected {
    large: bool,
    node: Option<u64>,
    least: u64,
    /// Rows that were emitted with another parent than they had: when both operations change
    /// nothing, the rows are (node, least node of its component).
    pub changed: u64,
}

impl Connected {
    /// The operation *large-star*: connects the larger neighbours of each node with the least of
    /// its neighbourhood. Rows are all edges, in both directions.
    #[must_use]
    pub fn large_star() -> Self {
        Self { large: true, node: None, least: 0, changed: 0 }
    }

    /// The operation *small-star*: connects each node and its smaller neighbours with the least of
    /// them. Rows are all edges, from the larger node to the smaller one.
    #[must_use]
    pub fn small_star() -> Self {
        Self { large: false, ..Self::large_star() }
    }

    /// Takes the next row, and emits edges (larger, smaller).
    pub fn push(&mut self, node: u64, neighbour: u64, mut emit: impl FnMut(u64, u64)) {
        let first = self.node != Some(node);
        if first {
            (self.node, self.least) = (Some(node), neighbour.min(node));
        }
        let least = self.least;
        if self.large {
            if neighbour > node {
                self.changed += u64::from(least != node);
                emit(neighbour, least);
            }
        } else if first {
            emit(node, least);
        } else if neighbour != least {
            self.changed += 1;
            emit(neighbour, least);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// Least node of the component of each node that is not one, by flooding.
    fn flood(edges: &[(u64, u64)]) -> BTreeMap<u64, u64> {
        let mut label: BTreeMap<u64, u64> = BTreeMap::new();
        for &(a, b) in edges {
            label.entry(a).or_insert(a);
            label.entry(b).or_insert(b);
        }
        loop {
            let before = label.clone();
            for (a, b) in edges {
                let least = label[a].min(label[b]);
                label.insert(*a, least);
                label.insert(*b, least);
            }
            if before == label {
                label.retain(|node, least| node != least);
                return label;
            }
        }
    }

    fn apply(
        mut star: Connected,
        rows: impl Iterator<Item = (u64, u64)>,
    ) -> (BTreeSet<(u64, u64)>, u64) {
        let rows = BTreeSet::from_iter(rows);
        let mut out = BTreeSet::new();
        for (node, neighbour) in rows {
            star.push(node, neighbour, |a, b| {
                assert!(a > b, "{a} {b}");
                out.insert((a, b));
            });
        }
        (out, star.changed)
    }

    proptest! {
        #[test]
        fn stars_are_components(edges in prop::collection::vec((0u64..40, 0u64..40), 0..60), tasks in 1usize..5) {
            let edges: Vec<(u64, u64)> =
                edges.into_iter().filter(|(a, b)| a != b).map(|(a, b)| (a.max(b), a.min(b))).collect();
            let truth = flood(&edges);
            // As it is, and reduced to forests first.
            let mut forests = Vec::new();
            for task in edges.chunks(edges.len().div_ceil(tasks).max(1)) {
                let mut links = Links::default();
                task.iter().for_each(|&(a, b)| links.connect(a, b));
                links.drain(|node, least| forests.push((node, least)));
            }
            for start in [edges.clone(), forests] {
                let mut rows = BTreeSet::from_iter(start);
                for round in 0.. {
                    prop_assert!(round < 20);
                    let both = rows.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
                    let (large, moved) = apply(Connected::large_star(), both);
                    let (small, again) = apply(Connected::small_star(), large.iter().copied());
                    rows = small;
                    if moved + again == 0 {
                        break;
                    }
                }
                prop_assert_eq!(BTreeMap::from_iter(rows), truth.clone());
            }
            let mut links = Links::default();
            edges.iter().for_each(|&(a, b)| links.connect(a, b));
            let mut found = BTreeMap::new();
            links.drain(|node, least| { found.insert(node, least); });
            prop_assert_eq!(found, truth);
        }
    }
}
