//! Ordered parallel map over parts that are read in parallel, for example files with chunks as
//! items.
//!
//! One thread reads the *head*, the first part that is not read completely. Workers process items,
//! and a worker that finds none reads one itself, from a later part: several files are decompressed
//! in parallel exactly if one does not keep the workers busy. The caller's thread collects the
//! results in the order of the parts and of the items in each, independent of the order of reading.
//!
//! Memory is bounded ([`PipelineLimits`]): the head is read while at most the limit is in flight,
//! later parts while at most half of it is. **No deadlock**, however much of later parts is in
//! flight: consider the first item that is not collected. If it was read, it is the first in the
//! queue, or a worker has it, and workers do not wait for admission. If it was not read, all
//! earlier parts are collected completely, so its part is the head, and no item of the head is in
//! flight, as each part is read in order: then the head is read whatever else is in flight. A
//! worker that holds the head because it began it as a later part returns it after one item.
//!
//! A panic on any thread ends all threads and is resumed on the caller's.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A source of items that are read sequentially.
pub trait Part: Send {
    /// What is processed.
    type Item: Send;

    /// The next item. A large one is deferred unless `any_size`.
    fn next(&mut self, any_size: bool) -> NextItem<Self::Item>;
}

/// The next item of a part.
#[derive(Debug)]
pub enum NextItem<T> {
    /// An item.
    Item(T),
    /// An item that is read only when its part is the head.
    Large,
    /// Nothing.
    End,
}

/// An iterator as a part.
#[derive(Debug)]
pub struct Items<I>(pub I);

impl<I: Iterator<Item: Send> + Send> Part for Items<I> {
    type Item = I::Item;

    fn next(&mut self, _any_size: bool) -> NextItem<I::Item> {
        self.0.next().map_or(NextItem::End, NextItem::Item)
    }
}

impl<P: Part + ?Sized> Part for Box<P> {
    type Item = P::Item;

    fn next(&mut self, any_size: bool) -> NextItem<P::Item> {
        (**self).next(any_size)
    }
}

/// Limits on concurrency and memory.
#[derive(Debug, Clone, Copy)]
pub struct PipelineLimits {
    /// Number of workers.
    pub threads: usize,
    /// Bytes in flight (read, and not yet collected) above which nothing is read. The size of an
    /// item is not known before it is read, so the limit may be exceeded by one item; of items
    /// above the limit, one is in flight at a time.
    pub in_flight: u64,
}

impl PipelineLimits {
    /// Bytes that an open part may take besides its items: decompression window, buffers.
    const OPEN: u64 = 16 << 20;

    /// No limit on bytes.
    #[must_use]
    pub fn unbounded(threads: usize) -> Self {
        Self { threads, in_flight: u64::MAX }
    }

    /// Most items in flight of the head and earlier parts.
    fn of_head(self) -> usize {
        3 * self.threads.max(1)
    }

    /// Most open parts after the head.
    fn parts_ahead(self) -> usize {
        usize::try_from(self.in_flight / Self::OPEN).unwrap_or(usize::MAX).min(self.threads)
    }
}

/// Runs `work` over `items` on `threads` threads and hands the results to `collect` in the order of
/// the items. `collect` returns `false` to stop early.
///
/// Each thread has its own state, made by `state`.
///
/// # Panics
/// With the payload of a panic in `items`, `state`, `work` or `collect`, once every thread has
/// ended.
pub fn ordered<I, T, S, W, R>(
    threads: usize,
    items: I,
    state: impl Fn() -> S + Sync,
    work: W,
    collect: impl FnMut(R) -> bool,
) where
    I: Iterator<Item = T> + Send,
    T: Send,
    R: Send,
    W: Fn(&mut S, T) -> R + Sync,
{
    let limits = PipelineLimits::unbounded(threads);
    ordered_parts(limits, std::iter::once(Items(items)), |_| 0, state, work, |_| 0, collect);
}

/// Runs `work` over the items of all parts and hands the results to `collect` in the order of the
/// parts and of their items. `collect` returns `false` to stop early.
///
/// `item_bytes` and `result_bytes` say how much an item takes before and after work; the larger of
/// both counts until the result is collected. Each worker has its own state, made by `state`.
///
/// # Panics
/// With the payload of a panic in `parts`, `state`, `work` or `collect`, once every thread has
/// ended.
pub fn ordered_parts<P, S, R>(
    limits: PipelineLimits,
    parts: impl Iterator<Item = P> + Send,
    item_bytes: impl Fn(&P::Item) -> u64 + Sync,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, P::Item) -> R + Sync,
    result_bytes: impl Fn(&R) -> u64 + Sync,
    mut collect: impl FnMut(R) -> bool,
) where
    P: Part,
    R: Send,
{
    let pipeline = &Pipeline {
        limits,
        flow: Mutex::new(Flow::new(parts)),
        to_read: Condvar::new(),
        to_work: Condvar::new(),
        to_collect: Condvar::new(),
    };
    std::thread::scope(|scope| {
        let mut stop = StopOnDrop { pipeline, needed: true };
        scope.spawn(|| pipeline.guarded(|| pipeline.read_head(&item_bytes)));
        for _ in 0..limits.threads.max(1) {
            scope.spawn(|| {
                pipeline.guarded(|| pipeline.process(&item_bytes, &state, &work, &result_bytes));
            });
        }
        let mut goes_on = true;
        while goes_on && let Some((place, result)) = pipeline.next_result() {
            goes_on = collect(result);
            pipeline.collected(place);
        }
        // At the end of all parts the threads end by themselves, so that a late panic is reported.
        stop.needed = !goes_on;
    });
    let payload = pipeline.flow().panic.take();
    if let Some(payload) = payload {
        resume_unwind(payload);
    }
}

/// Number of a part, and of an item in it.
type PartPosition = (u64, u64);

/// A part that was begun.
enum Open<P> {
    /// No thread reads it; whether its next item is large.
    Idle(P, bool),
    /// A thread reads it.
    Busy,
}

struct Flow<I, P: Part, R> {
    /// Parts that were not begun; their first number is `begun`.
    parts: I,
    next_part: u64,
    /// Whether all parts were begun.
    all_begun: bool,
    /// Parts that were begun and not read to their ends, with the number of their next item.
    open: BTreeMap<u64, (Open<P>, u64)>,
    /// Numbers of items of the parts that were read to their ends and not yet collected.
    lengths: BTreeMap<u64, u64>,
    /// Items that were read and not yet taken by a worker.
    queue: BTreeMap<PartPosition, P::Item>,
    /// Results that were not yet collected.
    results: BTreeMap<PartPosition, R>,
    /// Bytes in flight by item, and their sum.
    charges: BTreeMap<PartPosition, u64>,
    bytes: u64,
    /// The next result to collect.
    next: PartPosition,
    /// Whether the end of the last part was read.
    all_read: bool,
    stopped: bool,
    panic: Option<Box<dyn Any + Send>>,
}

impl<I, P: Part, R> Flow<I, P, R> {
    fn new(parts: I) -> Self {
        Self {
            parts,
            next_part: 0,
            all_begun: false,
            open: BTreeMap::new(),
            lengths: BTreeMap::new(),
            queue: BTreeMap::new(),
            results: BTreeMap::new(),
            charges: BTreeMap::new(),
            bytes: 0,
            next: (0, 0),
            all_read: false,
            stopped: false,
            panic: None,
        }
    }

    /// The first part that was not read completely: parts are begun in order.
    fn head(&self) -> u64 {
        self.open.first_key_value().map_or(self.next_part, |(&part, _)| part)
    }

    fn charge(&mut self, place: PartPosition, bytes: u64) {
        let before = self.charges.insert(place, bytes).unwrap_or(0);
        self.bytes = self.bytes.saturating_sub(before).saturating_add(bytes);
    }
}

impl<I: Iterator<Item = P>, P: Part, R> Flow<I, P, R> {
    /// Begins the next part and returns its number, if there is one.
    fn begin(&mut self) -> Option<(u64, P)> {
        let Some(part) = self.parts.next() else {
            self.all_begun = true;
            return None;
        };
        let number = self.next_part;
        self.next_part += 1;
        self.open.insert(number, (Open::Busy, 0));
        Some((number, part))
    }

    /// Takes a part that no thread reads.
    fn take(&mut self, number: u64) -> Option<P> {
        let (open, _) = self.open.get_mut(&number)?;
        match std::mem::replace(open, Open::Busy) {
            Open::Idle(part, _) => Some(part),
            Open::Busy => None,
        }
    }
}

struct Pipeline<I, P: Part, R> {
    limits: PipelineLimits,
    flow: Mutex<Flow<I, P, R>>,
    /// The condition variables of the reader of the head, the workers, and the collector.
    to_read: Condvar,
    to_work: Condvar,
    to_collect: Condvar,
}

impl<I, P: Part, R> Pipeline<I, P, R> {
    fn flow(&self) -> MutexGuard<'_, Flow<I, P, R>> {
        self.flow.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop(&self, panic: Option<Box<dyn Any + Send>>) {
        let mut flow = self.flow();
        // The first panic is reported; panics after a stop are ignored.
        if !flow.stopped {
            flow.panic = panic;
        }
        flow.stopped = true;
        drop(flow);
        notify(&[&self.to_read, &self.to_work, &self.to_collect]);
    }

    /// Runs the body of a thread; a panic stops all threads.
    fn guarded(&self, body: impl FnOnce()) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(body)) {
            self.stop(Some(payload));
        }
    }

    /// Waits for the next result in order, and returns it with its position; `None` at the end.
    fn next_result(&self) -> Option<(PartPosition, R)> {
        let mut flow = self.flow();
        loop {
            if flow.stopped {
                return None;
            }
            let next = flow.next;
            if let Some(result) = flow.results.remove(&next) {
                flow.next.1 += 1;
                return Some((next, result));
            }
            if flow.lengths.get(&next.0) == Some(&next.1) {
                flow.lengths.remove(&next.0);
                flow.next = (next.0 + 1, 0);
                continue;
            }
            if flow.all_read && next.0 == flow.next_part {
                return None;
            }
            flow = self.to_collect.wait(flow).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Records that an item is no longer in flight.
    fn collected(&self, place: PartPosition) {
        let mut flow = self.flow();
        flow.charge(place, 0);
        flow.charges.remove(&place);
        drop(flow);
        self.to_read.notify_all();
        self.to_work.notify_all();
    }

    /// Records what was read of a part; `None` at its end.
    fn returned<T>(
        &self,
        number: u64,
        part: P,
        next: NextItem<P::Item>,
        item_bytes: impl Fn(&P::Item) -> u64,
        keep: impl FnOnce(P) -> (Open<P>, T),
    ) -> Option<T> {
        let bytes = if let NextItem::Item(item) = &next { item_bytes(item) } else { 0 };
        let mut flow = self.flow();
        let place = (number, flow.open.get(&number).map_or(0, |&(_, item)| item));
        let mut kept = None;
        match next {
            NextItem::End => {
                flow.open.remove(&number);
                flow.lengths.insert(number, place.1);
            }
            NextItem::Large => {
                flow.open.insert(number, (Open::Idle(part, true), place.1));
            }
            NextItem::Item(item) => {
                flow.charge(place, bytes);
                flow.queue.insert(place, item);
                let (open, thread) = keep(part);
                flow.open.insert(number, (open, place.1 + 1));
                kept = Some(thread);
            }
        }
        drop(flow);
        notify(&[&self.to_read, &self.to_work, &self.to_collect]);
        kept
    }
}

impl<I: Iterator<Item = P>, P: Part, R> Pipeline<I, P, R> {
    /// Reads the head, part after part, until all parts are read.
    fn read_head(&self, item_bytes: &impl Fn(&P::Item) -> u64) {
        while let Some((number, mut part)) = self.take_head() {
            while self.admit_head() {
                let next = part.next(true);
                match self.returned(number, part, next, item_bytes, |part| (Open::Busy, part)) {
                    Some(same) => part = same,
                    None => break,
                }
            }
        }
    }

    /// Waits for the head and takes it; `None` at the end or after a stop.
    fn take_head(&self) -> Option<(u64, P)> {
        let mut flow = self.flow();
        loop {
            if flow.stopped {
                return None;
            }
            if let Some((&number, _)) = flow.open.first_key_value() {
                if let Some(part) = flow.take(number) {
                    return Some((number, part));
                }
            } else if let Some(begun) = flow.begin() {
                return Some(begun);
            } else {
                flow.all_read = true;
                drop(flow);
                notify(&[&self.to_work, &self.to_collect]);
                return None;
            }
            flow = self.to_read.wait(flow).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until the head may be read; `false` after a stop.
    fn admit_head(&self) -> bool {
        let most = self.limits.of_head();
        let mut flow = self.flow();
        loop {
            if flow.stopped {
                return false;
            }
            let of_head = flow.charges.range(..=(flow.head(), u64::MAX)).take(most).count();
            if of_head == 0 || (of_head < most && flow.bytes <= self.limits.in_flight) {
                return true;
            }
            flow = self.to_read.wait(flow).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Processes items; if there are none, reads one of a later part.
    fn process<S>(
        &self,
        item_bytes: &impl Fn(&P::Item) -> u64,
        state: &impl Fn() -> S,
        work: &impl Fn(&mut S, P::Item) -> R,
        result_bytes: &impl Fn(&R) -> u64,
    ) {
        let mut state = state();
        loop {
            match self.next_task() {
                Task::End => return,
                Task::Process(place, item) => {
                    let result = work(&mut state, item);
                    let bytes = result_bytes(&result);
                    let mut flow = self.flow();
                    let before = flow.charges.get(&place).copied().unwrap_or(0);
                    flow.charge(place, before.max(bytes));
                    flow.results.insert(place, result);
                    drop(flow);
                    self.to_collect.notify_all();
                }
                Task::ReadAhead(number, mut part) => {
                    let next = part.next(false);
                    self.returned(number, part, next, item_bytes, |part| {
                        (Open::Idle(part, false), ())
                    });
                }
            }
        }
    }

    fn next_task(&self) -> Task<P> {
        let mut flow = self.flow();
        loop {
            if flow.stopped {
                return Task::End;
            }
            if let Some((place, item)) = flow.queue.pop_first() {
                return Task::Process(place, item);
            }
            if flow.all_read {
                return Task::End;
            }
            if let Some((number, part)) = self.ahead(&mut flow) {
                return Task::ReadAhead(number, part);
            }
            flow = self.to_work.wait(flow).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A part after the head that may be read.
    fn ahead(&self, flow: &mut Flow<I, P, R>) -> Option<(u64, P)> {
        if flow.bytes > self.limits.in_flight / 2 {
            return None;
        }
        let behind = flow.open.iter().skip(1);
        let idle = |open: &Open<P>| matches!(open, Open::Idle(_, false));
        let first = behind.clone().find(|(_, (open, _))| idle(open)).map(|(&number, _)| number);
        if let Some(number) = first {
            return Some((number, flow.take(number)?));
        }
        // The first part is left to the thread that reads the head.
        let may_begin =
            !flow.all_begun && !flow.open.is_empty() && behind.count() < self.limits.parts_ahead();
        if may_begin { flow.begin() } else { None }
    }
}

/// Wakes the threads that wait on these.
fn notify(waiting: &[&Condvar]) {
    waiting.iter().for_each(|condvar| condvar.notify_all());
}

/// The next task of a worker.
enum Task<P: Part> {
    Process(PartPosition, P::Item),
    ReadAhead(u64, P),
    End,
}

/// Stops all threads if the collector ends early, also by a panic.
struct StopOnDrop<'a, I, P: Part, R> {
    pipeline: &'a Pipeline<I, P, R>,
    needed: bool,
}

impl<I, P: Part, R> Drop for StopOnDrop<'_, I, P, R> {
    fn drop(&mut self) {
        if self.needed {
            self.pipeline.stop(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
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
    /// test.
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
        for threads in [1, 2, 8] {
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
}
