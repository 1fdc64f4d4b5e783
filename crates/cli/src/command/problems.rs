//! Prints unreadable records on standard error.

use crate::log::{self, Log};
use crate::terminal::tell;
use lookalike::input::{LeftOut, Problem};
use std::path::PathBuf;

/// Number of records shown without --verbose.
pub(super) const SHOWN: usize = 5;

/// Number of skipped files listed with `--verbose`.
pub(super) const SHOWN_SKIPPED: usize = 10;

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

/// Advice behind the number of further problems.
pub(super) const STRICT: &str = "; --strict stops at the first";

/// Prints the first `shown` names that are left out, and the number of further ones.
pub(super) fn print_left_out(left_out: &[LeftOut], shown: usize) {
    for LeftOut { path, reason } in left_out.iter().take(shown) {
        tell(format_args!("{}: left out: {}", path.display(), reason.remedy()));
    }
    if let Some(more @ 1..) = left_out.len().checked_sub(shown) {
        tell(format_args!("and {more} more names that are left out"));
    }
}

/// Prints the first `shown` skipped files, and the number of further ones.
pub(super) fn print_skipped(skipped: &[PathBuf], shown: usize) {
    for path in skipped.iter().take(shown) {
        tell(format_args!("{}: skipped: {}", path.display(), lookalike::input::why_skipped(path)));
    }
    if let Some(more @ 1..) = skipped.len().checked_sub(shown) {
        tell(format_args!("and {more} more skipped files"));
    }
}
