//! Leader clustering of new documents by the join, while their sets are in memory.

use crate::description::Rules;
use crate::leaders::Standing;
use crate::precedence::Rank;
use crate::segment::NewDocument;
use crate::{DocNumber, IndexError};
use lookalike_core::SetDigest;
use lookalike_join::{InMemorySets, JoinOptions, Linkage, Silent, join};
use rayon::prelude::*;
use std::collections::HashMap;

/// Documents of a unit, and what is compared of it.
struct Unit<'a> {
    /// The document that precedes the others.
    first: DocNumber,
    /// Empty if the unit matches no other.
    set: &'a [u64],
    /// The key of its value, or 0.
    value: u64,
}

/// Decides about new documents as if there were no others. Documents without features are left out.
///
/// Documents that match across values: those of a unit have one value, do not match each other, and are
/// kept or not together; those with too few features are left out, as they match other units by their words.
///
/// # Errors
/// More documents, or elements of a set, than a join can number.
pub(super) fn batch_leaders(
    rules: &Rules,
    new: &[NewDocument<'_>],
) -> Result<HashMap<DocNumber, Standing<DocNumber>>, IndexError> {
    let mut ordered: Vec<(Rank, SetDigest, &NewDocument<'_>)> = new
        .par_iter()
        .filter(|document| !document.set().is_empty())
        .filter(|document| !(rules.across && document.numbers().few))
        .filter_map(|document| Some((document.rank(rules), document.numbers().unit?, document)))
        .collect();
    ordered.par_sort_unstable_by(|a, b| a.0.cmp(&b.0));
    // In order of precedence, so that units are numbered as the join expects sets to be.
    let mut units: Vec<Unit<'_>> = Vec::new();
    let mut numbers: HashMap<SetDigest, usize> = HashMap::with_capacity(ordered.len());
    let unit_of: Vec<usize> = ordered
        .iter()
        .map(|&(_, digest, document)| {
            *numbers.entry(digest).or_insert_with(|| {
                let few = document.numbers().few;
                let set = if few { &[][..] } else { document.set() };
                units.push(Unit { first: document.number, set, value: document.value(rules) });
                units.len() - 1
            })
        })
        .collect();
    let sets: Vec<&[u64]> = units.iter().map(|unit| unit.set).collect();
    let values: Vec<u64> = units.iter().map(|unit| unit.value).collect();
    let leaders = leaders(rules, &sets, if rules.across { &values } else { &[] })
        .map_err(|error| IndexError::Inconsistent { what: error.to_string() })?;
    let standing = |(&(_, _, document), unit): (&(Rank, SetDigest, &NewDocument<'_>), usize)| {
        let kept = units[leaders[unit]].first;
        let relies = Standing::ReliesOn(kept);
        let is_kept = if rules.across { leaders[unit] == unit } else { kept == document.number };
        (document.number, if is_kept { Standing::Kept } else { relies })
    };
    Ok(ordered.iter().zip(unit_of).map(standing).collect())
}

/// For each set its leader, or itself.
fn leaders(
    rules: &Rules,
    sets: &[&[u64]],
    values: &[u64],
) -> Result<Vec<usize>, Box<dyn std::error::Error + Send + Sync>> {
    if sets.len() < 2 {
        return Ok((0..sets.len()).collect());
    }
    let options = JoinOptions::in_memory(Linkage::Leaders);
    let sets = InMemorySets::of_values(sets, values)?;
    let joined = join(&sets, rules.criterion, &options, &Silent)?;
    Ok(joined.leader.into_iter().map(|leader| leader.index()).collect())
}
