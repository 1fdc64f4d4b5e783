//! Prints unreadable records on standard error.

use crate::log::{self, Log};
use crate::terminal::tell;
use lookalike::input::Problem;

/// Number of records shown without --verbose.
pub(super) const SHOWN: usize = 5;

/// Prints the first `shown` listed problems and the number of further ones, followed by `advice`.
pub(super) fn print(listed: &[Problem], count: u64, shown: usize, advice: &str) {
    if log::form() == Log::Json && count > 0 {
        log::problems(count);
    }
    let shown = shown.min(listed.len());
    listed[..shown].iter().for_each(tell);
    let rest = count.saturating_sub(shown as u64);
    if rest > 0 {
        tell(format_args!("and {rest} more{advice}"));
    }
}
