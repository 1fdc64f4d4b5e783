//! What an answer of an index cost, for `--verbose`.

use crate::terminal::tell;
use lookalike::index::Cost;

/// Prints it to standard error.
pub(super) fn tell_cost(cost: Cost, commit: u64) {
    let Cost { lookups, entries, candidates, verified } = cost;
    tell(format_args!(
        "{lookups} lookups, {entries} entries read, {candidates} candidates, {verified} verified, \
         commit {commit}"
    ));
}
