//! Items in, from one thread; results out, in the same order, on one thread; the work between them
//! on many.
//!
//! Memory is bounded: no more than a few items per worker are on the way at any time, however much
//! slower one of them is than the others.

use crossbeam_channel::bounded;
use std::collections::BTreeMap;

/// Runs `work` over `items` on `threads` threads and hands the results to `collect` in the order of
/// the items. `collect` returns `false` to stop early.
///
/// Each thread has its own state, made by `state`.
pub fn ordered<I, T, S, W, R>(
    threads: usize,
    items: I,
    state: impl Fn() -> S + Sync,
    work: W,
    mut collect: impl FnMut(R) -> bool,
) where
    I: Iterator<Item = T> + Send,
    T: Send,
    R: Send,
    W: Fn(&mut S, T) -> R + Sync,
{
    let threads = threads.max(1);
    let ahead = threads * 3;
    let (item_in, item_out) = bounded::<(u64, T)>(ahead);
    let (result_in, result_out) = bounded::<(u64, R)>(ahead);
    // One permit for every item read and not yet collected: a slow item holds back the reader, and
    // the results that wait for it stay few.
    let (permit_in, permit_out) = bounded::<()>(ahead);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for pair in (0u64..).zip(items) {
                if permit_in.send(()).is_err() || item_in.send(pair).is_err() {
                    return;
                }
            }
        });
        for _ in 0..threads {
            let (item_out, result_in) = (item_out.clone(), result_in.clone());
            let (state, work) = (&state, &work);
            scope.spawn(move || {
                let mut state = state();
                for (index, item) in item_out {
                    if result_in.send((index, work(&mut state, item))).is_err() {
                        return;
                    }
                }
            });
        }
        drop((item_out, result_in));
        // Owned by this closure: dropping them on the way out makes every sender give up, and the
        // scope waits for the senders.
        let (permit_out, result_out) = (permit_out, result_out);
        let mut waiting = BTreeMap::new();
        let mut next = 0u64;
        for (index, result) in &result_out {
            waiting.insert(index, result);
            while let Some(result) = waiting.remove(&next) {
                next += 1;
                let _ = permit_out.recv();
                if !collect(result) {
                    return;
                }
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        for threads in [1, 2, 8] {
            let mut seen = Vec::new();
            ordered(
                threads,
                0..500u64,
                || 0u64,
                |count, item| {
                    *count += 1;
                    // Some items take longer than those behind them.
                    (0..(item % 7) * 500).for_each(|n| {
                        let _ = std::hint::black_box(n);
                    });
                    item * 2
                },
                |result| {
                    seen.push(result);
                    true
                },
            );
            assert_eq!(seen, (0..500).map(|n| n * 2).collect::<Vec<u64>>());
        }
    }

    #[test]
    fn stopping_early_ends_every_thread() {
        let mut seen = 0;
        ordered(
            3,
            0u64..,
            || (),
            |(), item| item,
            |_| {
                seen += 1;
                seen < 100
            },
        );
        assert_eq!(seen, 100);
    }
}
