//! Units and postings in; connected components out, without listing the pairs.
//!
//! Broder's fourth phase (1997, section 3) needs every pair only to know who is connected. Pairs
//! within a component are therefore skipped: key by key, only units of *different* components are
//! compared, and the first pair that reaches the threshold makes the two components one. A cluster
//! of a million grows together under its first few keys and is never looked at again.

use crate::Progress;
use crate::pairs::{Candidate, Edge, Verifier};
use crate::postings::{Posting, Postings};
use lookalike_cluster::Components;

/// The components, and the pairs that joined them: a spanning forest.
pub(crate) fn links(
    verifier: &Verifier<'_>,
    postings: &Postings,
    progress: &dyn Progress,
) -> (Components, Vec<Edge>) {
    let mut components = Components::new(verifier.units.len());
    let mut edges = Vec::new();
    let mut parts: Vec<Vec<Posting>> = Vec::new();
    for group in 0..postings.groups() {
        if group % 1024 == 0 && progress.cancelled() {
            break;
        }
        parts.clear();
        for &entry in &postings.entries()[postings.range(group)] {
            // A part is never empty, and all of it is in one component.
            let root = components.root(entry.unit);
            let own = parts.iter().position(|part| components.root(part[0].unit) == root);
            let mut joined = vec![entry];
            if let Some(own) = own {
                joined.append(&mut parts.swap_remove(own));
            }
            // The parts were compared with each other before: only the newcomer is new.
            parts.retain_mut(|part| {
                let Some(edge) =
                    part.iter().find_map(|&other| edge(verifier, postings, group, entry, other))
                else {
                    return true;
                };
                components.join(edge.unit, edge.with);
                edges.push(edge);
                joined.append(part);
                false
            });
            parts.push(joined);
        }
    }
    edges.sort_unstable();
    (components, edges)
}

/// The edge between two units that share the key of a group.
///
/// The bound of [`Verifier::edge`] holds at the first key that two units share; under a later one it
/// may turn a match away, which then is found under the first.
fn edge(
    verifier: &Verifier<'_>,
    postings: &Postings,
    group: u32,
    x: Posting,
    y: Posting,
) -> Option<Edge> {
    let (later, earlier) = if x.unit > y.unit { (x, y) } else { (y, x) };
    let own = postings.probe_position(later, group)?;
    verifier.edge(later.unit, Candidate { unit: earlier.unit, own, other: earlier.position })
}
