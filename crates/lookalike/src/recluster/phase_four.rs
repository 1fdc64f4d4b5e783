//! Pairs of units in, who stands for whom out: the last phase alone (Broder 1997, "The
//! clustering algorithm").

use super::criterion::Criterion;
use super::pairs::Edges;
use lookalike_cluster::Components;
use lookalike_core::Overlap;
use lookalike_engine::Linkage;

/// What stands for each unit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leader {
    /// The unit that does; itself where it stands for itself.
    pub(super) unit: u32,
    /// What the two have in common, where the table of pairs says it.
    pub(super) counts: Option<Overlap>,
}

pub(super) fn link(edges: &Edges, linkage: Linkage, criterion: Criterion) -> Vec<Leader> {
    let sizes = (0u32..).zip(&edges.sizes);
    let mut leaders: Vec<Leader> = sizes
        .map(|(unit, &size)| Leader {
            unit,
            counts: Some(Overlap { shared: size, a: size, b: size }),
        })
        .collect();
    match linkage {
        Linkage::Leaders => greedy(edges, criterion, &mut leaders),
        Linkage::Components => components(edges, criterion, &mut leaders),
    }
    leaders
}

/// Each unit goes to the best of the kept ones before it that it matches; of equals to the first.
fn greedy(edges: &Edges, criterion: Criterion, leaders: &mut [Leader]) {
    for own in edges.all.chunk_by(|x, y| x.unit == y.unit) {
        let mut best: Option<(u32, Overlap)> = None;
        for edge in own.iter().filter(|edge| criterion.reaches(edge.counts)) {
            let kept = leaders[edge.with as usize].unit == edge.with;
            let better = |(_, so_far)| criterion.compare(edge.counts, so_far).is_gt();
            if kept && best.is_none_or(better) {
                best = Some((edge.with, edge.counts));
            }
        }
        if let Some((with, counts)) = best {
            leaders[own[0].unit as usize] = Leader { unit: with, counts: Some(counts) };
        }
    }
}

/// Each unit goes to the first of its component, which it need not match.
fn components(edges: &Edges, criterion: Criterion, leaders: &mut [Leader]) {
    let mut components = Components::new(leaders.len() as u32);
    for edge in edges.all.iter().filter(|edge| criterion.reaches(edge.counts)) {
        components.join(edge.unit, edge.with);
    }
    for (unit, label) in components.labels().into_iter().enumerate() {
        if label as usize != unit {
            leaders[unit] = Leader { unit: label, counts: None };
        }
    }
    // The list goes on below the threshold, so it may know more than what joins.
    for edge in &edges.all {
        let leader = &mut leaders[edge.unit as usize];
        if leader.unit == edge.with {
            leader.counts = Some(edge.counts);
        }
    }
}
