//! Records that could not be read, as lines on standard error.

use crate::terminal::tell;
use lookalike::Problem;

/// Lines shown where nobody asks for more.
pub(super) const SHOWN: usize = 5;

/// Names the first `shown` of the listed problems on standard error, and how many more there are. `advice`
/// follows that number.
pub(super) fn print(listed: &[Problem], count: u64, shown: usize, advice: &str) {
    let shown = shown.min(listed.len());
    listed[..shown].iter().for_each(tell);
    let rest = count.saturating_sub(shown as u64);
    if rest > 0 {
        tell(format_args!("and {rest} more{advice}"));
    }
}
