//! The last phase (Broder 1997, "The clustering algorithm"): from pairs of units to the leader of
//! each unit.

use super::criterion::Criterion;
use super::pairs::{Edge, Edges};
use lookalike_cluster::Components;
use lookalike_core::{Overlap, Threshold};
use lookalike_engine::{Linkage, SetId, WitnessRule, WitnessSearch, is_contained};

/// The witness of a unit, or the first of its component.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leader {
    /// That unit; itself for a kept one.
    pub(super) unit: SetId,
    /// The counts of the two, if the pair is in the table.
    pub(super) counts: Option<Overlap>,
}

pub(super) fn link(
    edges: &Edges,
    linkage: Linkage,
    witness: WitnessRule,
    criterion: Criterion,
    contained: Option<Threshold>,
) -> Vec<Leader> {
    let sizes = (0..).map(SetId).zip(&edges.sizes);
    let mut leaders: Vec<Leader> = sizes
        .map(|(unit, &size)| Leader {
            unit,
            counts: size.map(|size| Overlap { shared: size, a: size, b: size }),
        })
        .collect();
    match linkage {
        Linkage::Leaders => greedy(edges, witness, criterion, contained, &mut leaders),
        Linkage::Components => components(edges, criterion, &mut leaders),
    }
    leaders
}

/// Leader clustering in one pass over the pairs in the order of (later unit, earlier unit): a unit
/// with an edge to a kept one is removed, and its witness is chosen as the engine chooses it.
fn greedy(
    edges: &Edges,
    witness: WitnessRule,
    criterion: Criterion,
    contained: Option<Threshold>,
    leaders: &mut [Leader],
) {
    let removes = |counts: Overlap| {
        let loses_little = |least| is_contained(least, counts.shared, counts.a);
        criterion.reaches(counts) && contained.is_none_or(loses_little)
    };
    for own in edges.all.chunk_by(|x, y| x.unit == y.unit) {
        let kept = |edge: &&Edge| leaders[edge.with.index()].unit == edge.with;
        let mut matches = own.iter().filter(|edge| removes(edge.counts)).filter(kept);
        let mut search = WitnessSearch::new(witness);
        let _ = matches.try_for_each(|edge| {
            let better = |best: Edge| criterion.compare(edge.counts, best.counts).is_gt();
            search.offer(|so_far| so_far.is_none_or(better).then_some(*edge))
        });
        if let Some(Edge { unit, with, counts }) = search.witness() {
            leaders[unit.index()] = Leader { unit: with, counts: Some(counts) };
        }
    }
}

/// Connected components: the leader of a unit is the first of its component, which it need not
/// match.
fn components(edges: &Edges, criterion: Criterion, leaders: &mut [Leader]) {
    let mut components = Components::new(leaders.len() as u32);
    for edge in edges.all.iter().filter(|edge| criterion.reaches(edge.counts)) {
        components.join(edge.unit.0, edge.with.0);
    }
    for (unit, label) in components.labels().into_iter().enumerate() {
        if label as usize != unit {
            leaders[unit] = Leader { unit: SetId(label), counts: None };
        }
    }
    // The list has pairs below the threshold as well, so it may contain the counts of pairs that do
    // not match.
    for edge in &edges.all {
        let leader = &mut leaders[edge.unit.index()];
        if leader.unit == edge.with {
            leader.counts = Some(edge.counts);
        }
    }
}
