//! Sorting by a comparison that can fail, and that can be cancelled.

use crate::poll::Poll;
use crate::{EngineError, Progress};
use rayon::prelude::*;
use std::cmp::Ordering;
use std::sync::OnceLock;

/// Sorts in parallel, not stably.
///
/// # Errors
/// The first error of `compare`; the order of the items is then unspecified.
pub fn try_par_sort_unstable_by<T: Send, E: Send + Sync>(
    items: &mut [T],
    compare: impl Fn(&T, &T) -> Result<Ordering, E> + Sync,
) -> Result<(), E> {
    let failed = OnceLock::new();
    items.par_sort_unstable_by(|a, b| {
        if failed.get().is_some() {
            return Ordering::Equal;
        }
        compare(a, b).unwrap_or_else(|error| {
            failed.get_or_init(|| error);
            Ordering::Equal
        })
    });
    failed.into_inner().map_or(Ok(()), Err)
}

/// The same, and ends soon after it was cancelled.
///
/// # Errors
/// The first error of `compare`, or that it was cancelled.
pub fn par_sort_cancellable<T: Send, E: From<EngineError> + Send + Sync>(
    items: &mut [T],
    progress: &dyn Progress,
    compare: impl Fn(&T, &T) -> Result<Ordering, E> + Sync,
) -> Result<(), E> {
    let poll = Poll::new(progress);
    try_par_sort_unstable_by(items, |a, b| {
        poll.step()?;
        compare(a, b)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_or_returns_the_error() {
        let shuffled = || (0..10_000u32).map(|n| n.wrapping_mul(2_654_435_761)).collect::<Vec<_>>();
        let mut items = shuffled();
        try_par_sort_unstable_by(&mut items, |a, b| Ok::<_, u32>(a.cmp(b))).unwrap();
        assert!(items.is_sorted());
        let least = items[0];
        let fails = |a: &u32, b: &u32| if *a == least { Err(*a) } else { Ok(a.cmp(b)) };
        assert_eq!(try_par_sort_unstable_by(&mut shuffled(), fails), Err(least));
        let sorted = |progress: &dyn Progress, items: &mut Vec<u32>| {
            par_sort_cancellable(items, progress, |a, b| Ok::<_, EngineError>(a.cmp(b)))
        };
        let mut items = shuffled();
        sorted(&crate::Silent, &mut items).unwrap();
        assert!(items.is_sorted());
        let cancelled = sorted(&crate::poll::Cancelled, &mut shuffled());
        assert!(matches!(cancelled, Err(EngineError::Cancelled)));
    }
}
