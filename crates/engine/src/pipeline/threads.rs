//! Threads of a pipeline: the reader of the head, the workers, and the collector.

use super::flow::{Flow, Open, PartPosition};
use super::limits::PipelineLimits;
use super::part::{NextItem, Part};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

pub(super) struct Pipeline<I, P: Part, R> {
    pub(super) limits: PipelineLimits,
    pub(super) flow: Mutex<Flow<I, P, R>>,
    /// The condition variables of the reader of the head, the workers, and the collector.
    pub(super) to_read: Condvar,
    pub(super) to_work: Condvar,
    pub(super) to_collect: Condvar,
}

impl<I, P: Part, R> Pipeline<I, P, R> {
    pub(super) fn flow(&self) -> MutexGuard<'_, Flow<I, P, R>> {
        self.flow.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn stop(&self, panic: Option<Box<dyn Any + Send>>) {
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
    pub(super) fn guarded(&self, body: impl FnOnce()) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(body)) {
            self.stop(Some(payload));
        }
    }

    /// Waits for the next result in order, and returns it with its position; `None` at the end.
    pub(super) fn next_result(&self) -> Option<(PartPosition, R)> {
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
    pub(super) fn collected(&self, place: PartPosition) {
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
    pub(super) fn read_head(&self, item_bytes: &impl Fn(&P::Item) -> u64) {
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
                drop(flow);
                // Workers begin later parts only once the head is open, and reading its first item
                // may take long.
                notify(&[&self.to_work]);
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
    pub(super) fn process<S>(
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
pub(super) struct StopOnDrop<'a, I, P: Part, R> {
    pub(super) pipeline: &'a Pipeline<I, P, R>,
    pub(super) needed: bool,
}

impl<I, P: Part, R> Drop for StopOnDrop<'_, I, P, R> {
    fn drop(&mut self) {
        if self.needed {
            self.pipeline.stop(None);
        }
    }
}
