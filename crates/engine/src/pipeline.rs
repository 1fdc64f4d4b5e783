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

mod flow;
mod limits;
mod part;
#[cfg(test)]
mod tests;
mod threads;

pub use limits::PipelineLimits;
pub use part::{Items, NextItem, Part};

use flow::Flow;
use std::panic::resume_unwind;
use std::sync::{Condvar, Mutex};
use threads::{Pipeline, StopOnDrop};

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

/// As [`ordered`], until `work` or `collect` fails.
///
/// # Errors
/// The first error, in the order of the items.
pub fn try_ordered<I, T, S, R, E>(
    threads: usize,
    items: I,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, T) -> Result<R, E> + Sync,
    collect: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E>
where
    I: Iterator<Item = T> + Send,
    T: Send,
    R: Send,
    E: Send,
{
    let limits = PipelineLimits::unbounded(threads);
    try_ordered_parts(limits, std::iter::once(Items(items)), |_| 0, state, work, collect)
}

/// As [`ordered_parts`], until `work` or `collect` fails; results take little memory.
///
/// # Errors
/// The first error, in the order of the items.
pub fn try_ordered_parts<P, S, R, E>(
    limits: PipelineLimits,
    parts: impl Iterator<Item = P> + Send,
    item_bytes: impl Fn(&P::Item) -> u64 + Sync,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, P::Item) -> Result<R, E> + Sync,
    mut collect: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E>
where
    P: Part,
    R: Send,
    E: Send,
{
    let mut outcome = Ok(());
    let result = |result: Result<R, E>| {
        outcome = result.and_then(&mut collect);
        outcome.is_ok()
    };
    ordered_parts(limits, parts, item_bytes, state, work, |_| 0, result);
    outcome
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
