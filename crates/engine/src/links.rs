//! Units and postings in; connected components out, without listing the pairs.
//!
//! Broder's fourth phase (1997, section 3) needs every pair only to know who is connected. Pairs
//! within a component are therefore skipped: key by key, only units of *different* components are
//! compared, and the first pair that reaches the threshold makes the two components one. A cluster
//! of a million grows together under its first few keys and is never looked at again.

use crate::Progress;
use crate::judge::{Candidate, Edge, Judge};
use crate::postings::{Posting, Postings};
use lookalike_cluster::Components;

/// The components, and the pairs that joined them: a spanning forest.
pub(crate) fn links(
    units: u32,
    judge: &impl Judge,
    postings: &Postings,
    progress: &dyn Progress,
) -> (Components, Vec<Edge>) {
    let mut components = Components::new(units);
    let mut edges = Vec::new();
    let mut parts: Vec<Vec<Posting>> = Vec::new();
    for group in 0..postings.groups() {
        if group % 1024 == 0 && progress.cancelled() {
            break;
        }
        parts.clear();
        let least = postings.least_size(group);
        for &entry in &postings.entries()[postings.range(group)] {
            // A part is never empty, and all of it is in one component.
            let root = components.root(entry.unit);
            let own = parts.iter().position(|part| components.root(part[0].unit) == root);
            let mut joined = vec![entry];
            if let Some(own) = own {
                joined.append(&mut parts.swap_remove(own));
            }
            // The entries come in the order of their units: the newcomer is the one that looks. The
            // parts were compared with each other before.
            let place = postings
                .probe_position(entry, group)
                .filter(|&place| judge.in_reach(entry.unit, place, least));
            if let Some(own) = place {
                // The bounds of `Judge::edge` hold at the first key that two units share; under a
                // later one they may turn a match away, which then is found under the first.
                let candidate =
                    |other: &Posting| Candidate { unit: other.unit, own, other: other.position };
                parts.retain_mut(|part| {
                    let found = |other| judge.edge(entry.unit, candidate(other));
                    let Some(edge) = part.iter().find_map(found) else { return true };
                    components.join(edge.unit, edge.with);
                    edges.push(edge);
                    joined.append(part);
                    false
                });
            }
            parts.push(joined);
        }
    }
    edges.sort_unstable();
    (components, edges)
}
