//! Matches across values of documents that no join compares.

use crate::across::with_key;
use crate::collection::{Document, SetRef};
use crate::poll::Poll;
use crate::{Approach, Collection, EngineError, Progress, Units};
use lookalike_join::{Edge, JoinResult, Linkage, SetId};
use std::collections::BTreeMap;

/// Adds the matches of units that no join compares, as they have too few features or no signature: of
/// documents of the same words, which are one unit where documents match whatever their values are.
/// `most` is the largest number of pairs of documents in a complete list.
pub(crate) fn add_uncompared(
    collection: &Collection,
    units: &Units,
    approach: &Approach,
    (linkage, most): (Linkage, Option<u64>),
    matches: &mut JoinResult,
    progress: &dyn Progress,
) -> Result<(), EngineError> {
    // Of texts without words another reason is known first.
    let few = |unit| (1..collection.least_size).contains(&units.size(unit));
    let uncompared = |document: &Document, unit| {
        let unsigned = || collection.unsigned_row(document).is_some();
        document.set.is_ok() && (few(unit) || (approach.method.is_some() && unsigned()))
    };
    let mut wanted: BTreeMap<_, SetId> = BTreeMap::new();
    let poll = Poll::new(progress);
    collection.for_each(|number, document| {
        if let Some(unit) = units.of_document(number)
            && units.members(unit)[0] == number
            && uncompared(document, unit)
        {
            wanted.insert(units.place(unit), unit);
        }
    })?;
    poll.now()?;
    if wanted.is_empty() {
        return Ok(());
    }
    let mut alike: BTreeMap<u128, Vec<SetId>> = BTreeMap::new();
    let places: Vec<SetRef> = wanted.keys().copied().collect();
    let mut wanted = wanted.into_values();
    for of_chunk in places.chunk_by(|a, b| a.chunk == b.chunk) {
        let (_, digests) = collection.rows_and_digests(of_chunk[0].chunk)?;
        for (place, unit) in of_chunk.iter().zip(&mut wanted) {
            let key = collection.value_key(units.members(unit)[0]);
            let digest = with_key(digests[place.index as usize].0, key);
            alike.entry(digest).or_default().push(unit);
        }
    }
    let pairs = &mut matches.pairs;
    let before = pairs.edges.len();
    for mut group in alike.into_values().filter(|group| group.len() > 1) {
        poll.step()?;
        group.sort_unstable();
        for (at, &later) in group.iter().enumerate().skip(1) {
            let shared = units.size(later);
            matches.leader[later.index()] = group[0];
            matches.shared[later.index()] = shared;
            let all = if pairs.complete { at } else { 1 };
            pairs.edges.extend(group[..all].iter().map(|&earlier| Edge { later, earlier, shared }));
        }
    }
    if pairs.edges.len() == before {
        return Ok(());
    }
    let documents = |unit: SetId| units.members(unit).len() as u64;
    let listed = pairs.edges.iter().map(|edge| documents(edge.later) * documents(edge.earlier));
    if pairs.complete && listed.sum::<u64>() > most.unwrap_or(u64::MAX) {
        pairs.complete = false;
        // As in the join: of an incomplete list, the edges that decide.
        if linkage == Linkage::Leaders {
            pairs.edges.retain(|edge| matches.leader[edge.later.index()] == edge.earlier);
        }
    }
    pairs.edges.sort_unstable();
    Ok(())
}
