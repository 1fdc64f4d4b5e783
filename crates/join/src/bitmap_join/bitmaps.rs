//! The bitmaps of all sets that are compared.

use super::plan::Plan;
use crate::progress::stop_if_cancelled;
use crate::source::{Part, SetScan, SetSource};
use crate::{JoinError, Progress, TaskId};
use lookalike_core::wide_bitmap::{self, BLOCK};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// The bitmaps by place of the [`Plan`], those of each of its groups
/// [interleaved](wide_bitmap::interleave).
#[derive(Debug)]
pub(super) struct Bitmaps {
    words: Vec<u64>,
}

/// Ends places of sets that are not compared.
const NONE: u32 = u32::MAX;

impl Bitmaps {
    /// Scans all sets once, on all threads, and shows the elements of some sets, by place, to
    /// `sample`. O(elements).
    pub(super) fn new(
        sets: &impl SetSource,
        plan: &Plan,
        is_sampled: impl Fn(usize) -> bool + Sync,
        sample: impl Fn(&[u64]) + Sync,
        progress: &dyn Progress,
    ) -> Result<Self, JoinError> {
        let mut place_of = vec![NONE; sets.len() as usize];
        for (place, &set) in (0..).zip(plan.sets.iter()) {
            place_of[set.index()] = place;
        }
        let scan = sets.scan();
        let blocks = plan.starts[plan.len()] as usize;
        // Each word is written by the thread that visits its set: atomics without any order are
        // plain stores.
        let words: Vec<AtomicU64> = (0..blocks * BLOCK).map(|_| AtomicU64::new(0)).collect();
        let visit = |task: TaskId| {
            stop_if_cancelled(progress)?;
            let mut own = Vec::new();
            scan.visit(task, Part::Whole, |set, low, high| {
                let place = place_of[set.index()];
                if place == NONE {
                    return Ok(());
                }
                let blocks = plan.blocks(place as usize);
                own.clear();
                own.resize(blocks.len() * BLOCK, 0);
                let high = high.read()?;
                wide_bitmap::add(low, &mut own);
                wide_bitmap::add(high, &mut own);
                if is_sampled(place as usize) {
                    sample(&[low, high].concat());
                }
                for (word, own) in words[blocks.start * BLOCK..].iter().zip(&own) {
                    word.store(*own, Ordering::Relaxed);
                }
                Ok(())
            })
            .map_err(JoinError::from)
        };
        (0..scan.tasks()).into_par_iter().map(TaskId).with_max_len(1).try_for_each(visit)?;
        let mut words: Vec<u64> = words.into_iter().map(AtomicU64::into_inner).collect();
        let mut rest = words.as_mut_slice();
        let mut of_groups = Vec::with_capacity(plan.groups.len());
        for group in plan.groups.iter() {
            let (own, others) = rest.split_at_mut(plan.blocks_of(group).len() * BLOCK);
            of_groups.push((own, group.len()));
            rest = others;
        }
        of_groups.into_par_iter().for_each_init(Vec::new, |scratch, (words, sets)| {
            wide_bitmap::interleave(words, sets, scratch);
        });
        Ok(Self { words })
    }

    /// The same bitmaps, of half the length where `to` has them shorter than `from`.
    pub(super) fn folded(&self, from: &Plan, to: &Plan) -> Self {
        let mut words = vec![0; to.starts[to.len()] as usize * BLOCK];
        let mut rest = words.as_mut_slice();
        for group in to.groups.iter() {
            let (own, others) = rest.split_at_mut(to.blocks_of(group).len() * BLOCK);
            wide_bitmap::fold(self.of_group(from, group), own);
            rest = others;
        }
        Self { words }
    }

    /// The interleaved bitmaps of a group.
    pub(super) fn of_group(&self, plan: &Plan, group: &Range<usize>) -> &[u64] {
        let blocks = plan.blocks_of(group);
        &self.words[blocks.start * BLOCK..blocks.end * BLOCK]
    }

    /// Replaces `out` by the bitmap of one set.
    pub(super) fn copy(&self, plan: &Plan, place: usize, out: &mut Vec<u64>) {
        let group = &plan.groups[plan.groups.partition_point(|group| group.end <= place)];
        let words = &self.of_group(plan, group)[place - group.start..];
        out.clear();
        out.extend(words.iter().step_by(group.len()));
    }
}
