//! Leader clustering in one pass over the edges of the match graph.

use super::witness::{WitnessRule, WitnessSearch};
use lookalike_core::{Measure, Overlap};

/// An edge of the match graph: two sets that match, and the component that they are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchEdge<Id, Component = Id> {
    /// Connected component of the match graph.
    pub component: Component,
    /// The set that comes later in precedence.
    pub later: Id,
    /// The one that takes precedence.
    pub earlier: Id,
    /// Counts of the pair, `a` being the later set. Not read with [`WitnessRule::First`].
    pub overlap: Overlap,
}

/// What becomes of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision<Id, Component = Id> {
    /// The set is kept: no kept set before it matches.
    Kept(Id),
    /// The later set of this edge is removed; the earlier one is its witness.
    Removed(MatchEdge<Id, Component>),
}

/// Edges that do not come in order.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "edges must be sorted by (component, later, earlier), with earlier before later: {edge} follows {before}; \
     sort the edges, and pass each component to one task as a whole"
)]
pub struct EdgeOrderError {
    edge: String,
    before: String,
}

/// Leader clustering (Hartigan 1975, chapter 3) of sets in order of precedence: a set is removed if
/// a *kept* set before it matches, and kept otherwise.
///
/// Takes the edges of the match graph sorted by (component, later, earlier): then everything that a
/// decision depends on has been decided. The answer is that of the sequential greedy algorithm, for
/// any number of passes side by side as long as each component is in one of them. Repeated edges do
/// no harm.
///
/// Decisions are emitted for each set that is the later one of an edge, in order. Sets that are
/// never the later one are kept, and are not emitted. Memory: one identifier for each removed set
/// of the current component. Time: O(edges × log of that).
///
/// ```
/// use lookalike_core::{Measure, Overlap};
/// use lookalike_join::{Decision, LeaderPass, MatchEdge, WitnessRule};
///
/// // A chain 0 – 1 – 2: 1 is removed because of 0; 2 matches only a removed set.
/// let overlap = Overlap { shared: 9, a: 10, b: 10 };
/// let edge = |later, earlier| MatchEdge { component: 0, later, earlier, overlap };
/// let mut decisions = Vec::new();
/// let mut pass = LeaderPass::new(WitnessRule::First, Measure::Resemblance);
/// for edge in [edge(1, 0), edge(2, 1)] {
///     pass.push(edge, |decision| decisions.push(decision))?;
/// }
/// pass.finish(|decision| decisions.push(decision));
/// assert_eq!(decisions, [Decision::Removed(edge(1, 0)), Decision::Kept(2)]);
/// # Ok::<(), lookalike_join::EdgeOrderError>(())
/// ```
#[derive(Debug)]
pub struct LeaderPass<Id, Component = Id> {
    rule: WitnessRule,
    measure: Measure,
    /// The edge before.
    last: Option<MatchEdge<Id, Component>>,
    /// The search for the witness of its later set.
    search: WitnessSearch<MatchEdge<Id, Component>>,
    /// Removed sets of its component, ascending.
    removed: Vec<Id>,
}

impl<Id, Component> LeaderPass<Id, Component>
where
    Id: Copy + Ord + std::fmt::Debug,
    Component: Copy + Ord + std::fmt::Debug,
{
    /// A pass that has seen no edge. `measure` is read with [`WitnessRule::Best`].
    #[must_use]
    pub fn new(rule: WitnessRule, measure: Measure) -> Self {
        Self { rule, measure, last: None, search: WitnessSearch::new(rule), removed: Vec::new() }
    }

    /// Takes the next edge, and emits what it decides.
    ///
    /// # Errors
    /// [`EdgeOrderError`] if the edge does not follow the one before, or its sets are not in order;
    /// the edge is left out then, and the pass must not be continued, as decisions that depend on
    /// it would be wrong.
    pub fn push(
        &mut self,
        edge: MatchEdge<Id, Component>,
        emit: impl FnMut(Decision<Id, Component>),
    ) -> Result<(), EdgeOrderError> {
        let key = |edge: &MatchEdge<Id, Component>| (edge.component, edge.later, edge.earlier);
        let follows = self.last.is_none_or(|last| key(&last) <= key(&edge));
        if !follows || edge.earlier >= edge.later {
            return Err(EdgeOrderError {
                edge: format!("{:?}", key(&edge)),
                before: self
                    .last
                    .map_or_else(|| "nothing".to_owned(), |last| format!("{:?}", key(&last))),
            });
        }
        let same_component = self.last.is_some_and(|last| last.component == edge.component);
        if !same_component || self.last.is_some_and(|last| last.later != edge.later) {
            self.decide(emit);
        }
        if !same_component {
            self.removed.clear();
        }
        self.last = Some(edge);
        if self.removed.binary_search(&edge.earlier).is_err() {
            let better = |best: MatchEdge<Id, Component>| {
                self.measure.compare(edge.overlap, best.overlap).is_gt()
            };
            let _ = self.search.offer(|best| best.is_none_or(better).then_some(edge));
        }
        Ok(())
    }

    /// Emits what the last edges decide.
    pub fn finish(mut self, emit: impl FnMut(Decision<Id, Component>)) {
        self.decide(emit);
    }

    /// Emits what becomes of the later set of the edges before.
    fn decide(&mut self, mut emit: impl FnMut(Decision<Id, Component>)) {
        let Some(last) = self.last else { return };
        let search = std::mem::replace(&mut self.search, WitnessSearch::new(self.rule));
        match search.witness() {
            Some(edge) => {
                self.removed.push(last.later);
                emit(Decision::Removed(edge));
            }
            None => emit(Decision::Kept(last.later)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_cluster::Components;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    const MEASURE: Measure = Measure::Resemblance;

    type Edges = Vec<(u32, u32, Overlap)>;

    /// For each set, the kept set that is its witness, itself if it is kept: set by set, over all
    /// edges.
    fn greedy(sets: u32, edges: &Edges, rule: WitnessRule) -> Vec<u32> {
        let mut leaders: Vec<u32> = Vec::new();
        for set in 0..sets {
            let mut matches: Vec<(u32, Overlap)> = edges
                .iter()
                .filter(|edge| edge.0 == set && leaders[edge.1 as usize] == edge.1)
                .map(|edge| (edge.1, edge.2))
                .collect();
            matches.sort_by_key(|&(earlier, _)| earlier);
            if rule == WitnessRule::Best {
                matches.sort_by(|a, b| MEASURE.compare(b.1, a.1));
            }
            leaders.push(matches.first().map_or(set, |&(earlier, _)| earlier));
        }
        leaders
    }

    fn by_components(sets: u32, edges: &Edges) -> Vec<MatchEdge<u32>> {
        let mut components = Components::new(sets);
        for &(later, earlier, _) in edges {
            components.join(later, earlier);
        }
        let edge = |&(later, earlier, overlap): &(u32, u32, Overlap)| {
            let component = components.root(later);
            MatchEdge { component, later, earlier, overlap }
        };
        let mut edges: Vec<MatchEdge<u32>> = edges.iter().map(edge).collect();
        edges.sort_by_key(|edge| (edge.component, edge.later, edge.earlier));
        edges
    }

    fn one_pass(sets: u32, edges: &[MatchEdge<u32>], rule: WitnessRule) -> Vec<u32> {
        let mut leaders: Vec<Option<u32>> = vec![None; sets as usize];
        let mut pass = LeaderPass::new(rule, MEASURE);
        let mut most_removed = 0;
        let mut emit = |decision: Decision<u32>| {
            let (set, leader) = match decision {
                Decision::Kept(set) => (set, set),
                Decision::Removed(edge) => (edge.later, edge.earlier),
            };
            assert_eq!(leaders[set as usize].replace(leader), None, "decided twice");
        };
        for &edge in edges {
            pass.push(edge, &mut emit).unwrap();
            most_removed = pass.removed.len().max(most_removed);
        }
        pass.finish(&mut emit);
        let mut members: BTreeMap<u32, std::collections::BTreeSet<u32>> = BTreeMap::new();
        for edge in edges {
            members.entry(edge.component).or_default().extend([edge.later, edge.earlier]);
        }
        let largest = members.values().map(|members| members.len()).max().unwrap_or(0);
        assert!(most_removed <= largest, "memory of one component");
        (0..).zip(leaders).map(|(set, leader)| leader.unwrap_or(set)).collect()
    }

    fn overlap(shared: u32) -> Overlap {
        Overlap { shared, a: 10, b: 10 }
    }

    fn check(sets: u32, edges: &Edges) {
        let sorted = by_components(sets, edges);
        for rule in [WitnessRule::First, WitnessRule::Best] {
            assert_eq!(one_pass(sets, &sorted, rule), greedy(sets, edges, rule));
        }
    }

    proptest! {
        #[test]
        fn equals_the_sequential_greedy_on_random_graphs(
            edges in prop::collection::btree_map((1u32..40, 0u32..40), 5u32..=10, 0..120),
            repeat in any::<bool>(),
        ) {
            let edges: Edges = edges
                .into_iter()
                .filter(|((later, earlier), _)| earlier < later)
                .map(|((later, earlier), shared)| (later, earlier, overlap(shared)))
                .collect();
            check(40, &edges);
            if repeat {
                let twice = by_components(40, &edges).into_iter().flat_map(|edge| [edge, edge]);
                let found = one_pass(40, &Vec::from_iter(twice), WitnessRule::First);
                prop_assert_eq!(found, greedy(40, &edges, WitnessRule::First));
            }
        }

        /// Each version matches the few before it, and the versions are in random order of
        /// precedence.
        #[test]
        fn equals_the_sequential_greedy_on_chains(
            order in Just(Vec::from_iter(0u32..60)).prop_shuffle(), reach in 1usize..4,
        ) {
            let pairs = (0..order.len()).flat_map(|at| (1..=reach).map(move |by| (at, at + by)));
            let pairs = pairs.filter(|pair| pair.1 < order.len());
            let edges = pairs.map(|(a, b)| {
                let (a, b) = (order[a], order[b]);
                (a.max(b), a.min(b), overlap(8))
            });
            check(60, &edges.collect());
        }
    }

    #[test]
    fn a_chain_of_2000_versions() {
        let edges: Edges = (1..2000).map(|later| (later, later - 1, overlap(9))).collect();
        let leaders = one_pass(2000, &by_components(2000, &edges), WitnessRule::First);
        assert!((0..2000).all(|set| leaders[set as usize] == set - set % 2));
    }

    #[test]
    fn cliques_have_one_leader_each() {
        // Members interleaved: set n is in clique n mod 3.
        let pairs = (0..90u32).flat_map(|later| (0..later).map(move |earlier| (later, earlier)));
        let edges: Edges = pairs
            .filter(|(later, earlier)| later % 3 == earlier % 3)
            .map(|(later, earlier)| (later, earlier, overlap(9)))
            .collect();
        check(90, &edges);
        let leaders = one_pass(90, &by_components(90, &edges), WitnessRule::First);
        assert!((0..90).all(|set| leaders[set as usize] == set % 3));
    }

    #[test]
    fn edges_out_of_order_are_refused() {
        let edge = |component: u64, later: u64, earlier: u64| MatchEdge {
            component,
            later,
            earlier,
            overlap: overlap(9),
        };
        let refused = |edges: &[MatchEdge<u64>]| {
            let mut pass = LeaderPass::new(WitnessRule::First, MEASURE);
            edges.iter().try_for_each(|&edge| pass.push(edge, |_| ())).unwrap_err().to_string()
        };
        let message = refused(&[edge(0, 2, 1), edge(0, 2, 0)]);
        assert!(message.contains("(0, 2, 0) follows (0, 2, 1)"), "{message}");
        for edges in [[edge(0, 3, 1), edge(0, 2, 1)], [edge(1, 3, 1), edge(0, 5, 4)]] {
            assert!(refused(&edges).contains("sort the edges"));
        }
        for edge in [edge(0, 1, 1), edge(0, 1, 2)] {
            assert!(refused(&[edge]).contains("follows nothing"));
        }
    }
}
