//! Order, bounds, early stops and panics of the pipeline.

use super::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;

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
    let (done_in, done) = sync_channel(1);
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

/// A part of items of these sizes, which are its numbers; those above 100 are large.
struct Sizes {
    part: usize,
    sizes: std::vec::IntoIter<u64>,
    /// Parts that were begun and not ended.
    open: Arc<AtomicUsize>,
    begun: bool,
}

impl Part for Sizes {
    type Item = (usize, u64);

    fn next(&mut self, any_size: bool) -> NextItem<(usize, u64)> {
        if !std::mem::replace(&mut self.begun, true) {
            self.open.fetch_add(1, Ordering::SeqCst);
        }
        match self.sizes.as_slice().first() {
            Some(&size) if size > 100 && !any_size => return NextItem::Large,
            _ => {}
        }
        match self.sizes.next() {
            Some(u64::MAX) => panic!("in a part"),
            Some(size) => NextItem::Item((self.part, size)),
            None => {
                self.open.fetch_sub(1, Ordering::SeqCst);
                NextItem::End
            }
        }
    }
}

fn parts(sizes: &[Vec<u64>], open: &Arc<AtomicUsize>) -> Vec<Sizes> {
    let part = |(part, sizes): (usize, &Vec<u64>)| Sizes {
        part,
        sizes: sizes.clone().into_iter(),
        open: Arc::clone(open),
        begun: false,
    };
    sizes.iter().enumerate().map(part).collect()
}

/// A generator of numbers for tests.
fn numbers(mut seed: u64) -> impl FnMut(u64) -> u64 {
    move |below| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    }
}

/// Parts of very different lengths, some of them empty, with small and large items.
fn many_sizes(seed: u64) -> Vec<Vec<u64>> {
    let mut number = numbers(seed);
    (0..number(14))
        .map(|_| {
            let length = [0, 1, 3, 200][number(4) as usize];
            (0..length)
                .map(|_| if number(9) == 0 { 150 + number(900) } else { number(80) })
                .collect()
        })
        .collect()
}

/// Large and small parts in any order, however little may be in flight: the results are in
/// order, and no more is in flight than is allowed.
#[test]
fn parts_that_are_read_side_by_side_are_collected_in_order() {
    for (seed, threads, mebibytes) in
        (0..40).flat_map(|seed| [1, 2, 8].map(|threads| (seed, threads, seed % 5 * 20)))
    {
        let sizes = many_sizes(seed);
        let expected: Vec<(usize, u64)> = sizes
            .iter()
            .enumerate()
            .flat_map(|(part, s)| s.iter().map(move |&s| (part, s)))
            .collect();
        let (open, most_open) = (Arc::new(AtomicUsize::new(0)), AtomicUsize::new(0));
        let in_flight = Mutex::new((0u64, 0u64));
        // A unit of size is so large that a dozen fill what may be in flight.
        let limits = PipelineLimits { threads, in_flight: mebibytes << 20 };
        let unit = (limits.in_flight / 300).max(1);
        let mut seen = Vec::new();
        ordered_parts(
            limits,
            parts(&sizes, &open).into_iter(),
            |&(_, size)| {
                let mut in_flight = in_flight.lock().unwrap();
                in_flight.0 += size * unit;
                in_flight.1 = in_flight.1.max(in_flight.0);
                size * unit
            },
            || (),
            |(), item| {
                most_open.fetch_max(open.load(Ordering::SeqCst), Ordering::SeqCst);
                if item.1 % 7 == 0 {
                    std::thread::yield_now();
                }
                item
            },
            |_| 0,
            |item| {
                in_flight.lock().unwrap().0 -= item.1 * unit;
                seen.push(item);
                true
            },
        );
        assert_eq!(seen, expected, "seed {seed}, {threads} threads, {mebibytes} MiB");
        let most_open = most_open.into_inner();
        assert!(most_open <= 1 + limits.parts_ahead(), "{most_open} parts were open");
        // One of any size of the head, and one that is not large of each other thread.
        let largest = expected.iter().map(|item| item.1).max().unwrap_or(0);
        let most = limits.in_flight + unit * (largest + 100 * limits.parts_ahead() as u64);
        let (left, peak) = in_flight.into_inner().unwrap();
        assert!(left == 0 && peak <= most, "{peak} bytes of {most}");
    }
}

/// A worker without an item reads one of a later part: while the head waits for it, in this
/// test. Repeated, because a worker may look for an item before or after the head is opened.
#[test]
fn later_parts_are_read_while_the_head_is() {
    struct Waits {
        part: u64,
        given: bool,
        /// Later parts that were read.
        read: Arc<AtomicU64>,
    }
    impl Part for Waits {
        type Item = u64;

        fn next(&mut self, _: bool) -> NextItem<u64> {
            if std::mem::replace(&mut self.given, true) {
                return NextItem::End;
            }
            if self.part > 0 {
                self.read.fetch_add(1, Ordering::SeqCst);
                return NextItem::Item(self.part);
            }
            let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
            while self.read.load(Ordering::SeqCst) < 7 {
                assert!(std::time::Instant::now() < end, "no worker reads the other parts");
                std::thread::yield_now();
            }
            NextItem::Item(0)
        }
    }
    for threads in [1, 2, 8].repeat(50) {
        let read = Arc::new(AtomicU64::new(0));
        let waits = |part| Waits { part, given: false, read: Arc::clone(&read) };
        let parts: Vec<Waits> = (0..8).map(waits).collect();
        let mut seen = Vec::new();
        ordered_parts(
            PipelineLimits::unbounded(threads),
            parts.into_iter(),
            |_| 1,
            || (),
            |(), item| item,
            |_| 1,
            |item| {
                seen.push(item);
                true
            },
        );
        assert_eq!(seen, [0, 1, 2, 3, 4, 5, 6, 7]);
    }
}

#[test]
fn parts_stop_early_and_panic_without_waiting() {
    for (seed, threads) in (0..60).flat_map(|seed| [1, 2, 8].map(|threads| (seed, threads))) {
        let mut sizes = many_sizes(seed);
        let total = sizes.iter().map(Vec::len).sum::<usize>();
        let limits = PipelineLimits { threads, in_flight: (seed % 3) * (40 << 20) };
        let mut number = numbers(seed);
        let after = number(total as u64 + 1) as usize;
        let run = |sizes: &[Vec<u64>], after: usize| {
            let open = Arc::default();
            let mut seen = 0;
            ordered_parts(
                limits,
                parts(sizes, &open).into_iter(),
                |item| item.1 << 20,
                || (),
                |(), _| (),
                |()| 0,
                |()| {
                    seen += 1;
                    seen < after
                },
            );
            seen
        };
        assert_eq!(run(&sizes, after), after.max(1).min(total));
        let Some(part) = sizes.iter_mut().find(|part| part.len() == 200) else { continue };
        part[100] = u64::MAX;
        let message = message_of(move || {
            run_to_the_end(&sizes, limits);
        });
        assert_eq!(message, "in a part");
    }
}

fn run_to_the_end(sizes: &[Vec<u64>], limits: PipelineLimits) {
    let parts = parts(sizes, &Arc::default()).into_iter();
    ordered_parts(limits, parts, |item| item.1 << 20, || (), |(), _| (), |()| 0, |()| true);
}

#[test]
fn what_is_in_flight_is_dropped_when_the_pipeline_stops() {
    struct Counted(Arc<AtomicUsize>);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }
    for threads in [1, 2, 8].repeat(30) {
        let alive = Arc::new(AtomicUsize::new(0));
        let items = (0..1000).map(|_| {
            alive.fetch_add(1, Ordering::SeqCst);
            Counted(Arc::clone(&alive))
        });
        let mut seen = 0;
        ordered(
            threads,
            items,
            || (),
            |(), item| item,
            |_| {
                seen += 1;
                seen < 5
            },
        );
        assert_eq!(alive.load(Ordering::SeqCst), 0);
    }
}
