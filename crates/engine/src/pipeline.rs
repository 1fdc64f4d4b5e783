//! Ordered parallel map: one thread produces items, many process them, one collects the results in
//! the order of the items.
//!
//! Memory is bounded: at most a few items per worker are in flight, however much slower one of them is
//! than the others. A panic on any thread ends all of them and continues on the caller's.

use crossbeam_channel::{Receiver, bounded};
use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

/// Runs `work` over `items` on `threads` threads and hands the results to `collect` in the order of
/// the items. `collect` returns `false` to stop early.
///
/// Each thread has its own state, made by `state`.
///
/// # Panics
/// With the payload of a panic in `items`, `state`, `work` or `collect`, once every thread has ended.
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
    // A thread that panics sends its payload here. Without that, the others would wait for its result.
    let (panic_in, panic_out) = bounded::<Box<dyn Any + Send>>(threads + 1);
    let stopped = &AtomicBool::new(false);
    let panicked = std::thread::scope(|scope| {
        let reader_panic = panic_in.clone();
        scope.spawn(move || {
            let read = || {
                for pair in (0u64..).zip(items) {
                    if permit_in.send(()).is_err() || item_in.send(pair).is_err() {
                        return;
                    }
                }
            };
            if let Err(payload) = catch_unwind(AssertUnwindSafe(read)) {
                // There is a place for each thread; nothing is lost if the collector is gone.
                let _ = reader_panic.try_send(payload);
            }
        });
        for _ in 0..threads {
            let (item_out, result_in) = (item_out.clone(), result_in.clone());
            let (state, work, worker_panic) = (&state, &work, panic_in.clone());
            scope.spawn(move || {
                let process = || {
                    let mut state = state();
                    for (index, item) in &item_out {
                        if stopped.load(Ordering::Relaxed) {
                            continue;
                        }
                        if result_in.send((index, work(&mut state, item))).is_err() {
                            return;
                        }
                    }
                };
                if let Err(payload) = catch_unwind(AssertUnwindSafe(process)) {
                    let _ = worker_panic.try_send(payload);
                }
                // After a panic: the reader may wait until items in flight are dropped.
                item_out.iter().for_each(drop);
            });
        }
        drop((item_out, result_in, panic_in));
        let collector = Collector { permits: Some(permit_out), results: result_out, stopped };
        let mut waiting = BTreeMap::new();
        let mut next = 0u64;
        loop {
            let received = crossbeam_channel::select! {
                recv(collector.results) -> received => received,
                // Closed once all threads have ended: what they sent is still to be collected.
                recv(panic_out) -> payload => match payload {
                    Ok(payload) => return Some(payload),
                    Err(_) => collector.results.recv(),
                },
            };
            let Ok((index, result)) = received else { break };
            waiting.insert(index, result);
            while let Some(result) = waiting.remove(&next) {
                next += 1;
                let _ = collector.permits.as_ref().map(Receiver::recv);
                if !collect(result) {
                    return None;
                }
            }
        }
        // The last thread may have sent its payload after the results ended.
        panic_out.recv().ok()
    });
    if let Some(payload) = panicked {
        resume_unwind(payload);
    }
}

/// The collector's ends of the channels. However it stops, no thread waits for it, and everything in
/// flight is dropped: the items themselves may be what the reader waits for.
struct Collector<'a, R> {
    permits: Option<Receiver<()>>,
    results: Receiver<(u64, R)>,
    stopped: &'a AtomicBool,
}

impl<R> Drop for Collector<'_, R> {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        // The reader ends at its next permit, then the workers, then the results.
        self.permits = None;
        self.results.iter().for_each(drop);
    }
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

    /// Runs `ordered` on a thread of its own and returns the message of its panic. A run that hangs
    /// fails the test after a minute.
    fn message_of(run: impl FnOnce() + Send + 'static) -> String {
        let (done_in, done) = bounded(1);
        std::thread::spawn(move || {
            let outcome = catch_unwind(AssertUnwindSafe(run));
            let payload = outcome.expect_err("the panic is not lost");
            let _ = done_in.send(*payload.downcast::<&str>().expect("a literal message"));
        });
        let waited = done.recv_timeout(std::time::Duration::from_secs(60));
        waited.expect("a panic must not hang the others").to_owned()
    }

    #[test]
    fn a_panic_anywhere_ends_every_thread_and_goes_to_the_caller() {
        for threads in [1, 2, 8] {
            for at in [0u64, 1, 7, 40, 199] {
                let message = message_of(move || {
                    let work = |(): &mut (), item| {
                        if item == at {
                            panic!("in work")
                        }
                    };
                    ordered(threads, 0..200u64, || (), work, |()| true);
                });
                assert_eq!(message, "in work", "{threads} threads, item {at}");
                let message = message_of(move || {
                    let items = (0..200u64).inspect(|&item| assert!(item != at, "in items"));
                    ordered(threads, items, || (), |(), _| (), |()| true);
                });
                assert_eq!(message, "in items", "{threads} threads, item {at}");
                let message = message_of(move || {
                    let collect = |item| {
                        assert!(item != at, "in collect");
                        true
                    };
                    ordered(threads, 0..200u64, || (), |(), item| item, collect);
                });
                assert_eq!(message, "in collect", "{threads} threads, item {at}");
            }
            let message = message_of(move || {
                ordered(threads, 0..200u64, || panic!("in state"), |(), _| (), |()| true);
            });
            assert_eq!(message, "in state", "{threads} threads");
        }
    }
}
