//! Merging segments, so that a query has few to ask.

use super::IndexWriter;
use super::pending::{Pending, StagedSegment};
use crate::segment::{MOST_DOCUMENTS, MOST_POSTINGS, MOST_UNITS, MergePart, Row, Segment, merge};
use crate::snapshot::{LiveSegment, Snapshot};
use crate::store::{Change, SegmentEntry};
use crate::{DocNumber, IndexError, layout};
use roaring::RoaringBitmap;
use std::collections::HashMap;
use std::ops::Add;
use std::sync::Arc;

/// Segments of one level that are merged into one of the next.
const FANOUT: usize = 8;

/// The level of a segment with so many live documents: ⌊log₈ n⌋.
fn level(documents: u64) -> u32 {
    documents.max(1).ilog2() / FANOUT.ilog2()
}

/// What a segment has, deleted documents included.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    documents: u64,
    units: u64,
    postings: u64,
}

impl Size {
    fn of(segment: &Segment) -> Self {
        Self {
            documents: segment.documents().into(),
            units: segment.units().into(),
            postings: segment.posting_count(),
        }
    }

    /// Whether one segment can hold it.
    fn fits(self) -> bool {
        self.documents <= MOST_DOCUMENTS
            && self.units <= MOST_UNITS
            && self.postings <= MOST_POSTINGS
    }
}

impl Add for Size {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            documents: self.documents + other.documents,
            units: self.units + other.units,
            postings: self.postings + other.postings,
        }
    }
}

impl IndexWriter {
    /// Merges where a level has eight segments, or a segment has more deleted documents than a
    /// third of the live ones. For the time after a commit: a commit is one whether or not the merge
    /// after it succeeds.
    ///
    /// # Errors
    /// Documents that are staged and not committed; a file that cannot be written; a damaged
    /// segment. The documents of the last commit stay what they are.
    pub fn merge_where_due(&mut self) -> Result<(), IndexError> {
        self.check_committed()?;
        self.step(|writer| {
            while let Some(due) = writer.due() {
                writer.merge_segments(&due)?;
            }
            Ok(())
        })
    }

    /// The segments of the next merge, by their numbers.
    fn due(&self) -> Option<Vec<u64>> {
        let segments = &self.snapshot.segments;
        let worn = |live: &&Arc<LiveSegment>| live.deleted() * 3 > live.len();
        if let Some(live) = segments.iter().find(worn) {
            return Some(vec![live.id]);
        }
        let mut levels: Vec<(u32, u64)> =
            segments.iter().map(|live| (level(live.len()), live.id)).collect();
        levels.sort_unstable();
        levels.chunk_by(|a, b| a.0 == b.0).find_map(|of_level| {
            let ids: Vec<u64> = of_level.iter().take(FANOUT).map(|&(_, id)| id).collect();
            (ids.len() == FANOUT && self.fit(&ids)).then_some(ids)
        })
    }

    /// Whether one segment can hold these.
    fn fit(&self, ids: &[u64]) -> bool {
        let parts = self.snapshot.segments.iter().filter(|live| ids.contains(&live.id));
        parts.fold(Size::default(), |all, live| all + Size::of(&live.segment)).fits()
    }

    /// Merges all segments into as few as possible, and drops deleted documents.
    ///
    /// # Errors
    /// As [`IndexWriter::merge_where_due`].
    pub fn compact(&mut self) -> Result<(), IndexError> {
        self.check_committed()?;
        self.step(Self::compact_all)
    }

    fn compact_all(&mut self) -> Result<(), IndexError> {
        let mut ids: Vec<(u64, u64)> =
            self.snapshot.segments.iter().map(|live| (live.len(), live.id)).collect();
        ids.sort_unstable();
        let mut group: Vec<u64> = Vec::new();
        let mut groups = Vec::new();
        for (_, id) in ids {
            group.push(id);
            if !self.fit(&group) {
                group.pop();
                groups.push(std::mem::replace(&mut group, vec![id]));
            }
        }
        groups.push(group);
        for group in groups {
            let worn = self
                .snapshot
                .segments
                .iter()
                .any(|live| group.contains(&live.id) && live.deleted() > 0);
            if group.len() > 1 || worn {
                self.merge_segments(&group)?;
            }
        }
        Ok(())
    }

    /// Merges the segments that were staged into as few as possible: each question asks every
    /// segment, and [`IndexWriter::commit`] asks one for each new document.
    ///
    /// # Errors
    /// A file that cannot be read or written; the writer stops, as for [`IndexWriter::commit`].
    pub fn merge_staged(&mut self) -> Result<(), IndexError> {
        self.step(Self::merge_all_staged)
    }

    pub(super) fn merge_all_staged(&mut self) -> Result<(), IndexError> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut group = Size::default();
        for (at, staged) in self.pending.segments.iter().enumerate() {
            let own = Size::of(&staged.segment);
            match groups.last_mut() {
                Some(last) if (group + own).fits() => {
                    group = group + own;
                    last.push(at);
                }
                _ => {
                    group = own;
                    groups.push(vec![at]);
                }
            }
        }
        if groups.len() == self.pending.segments.len() {
            return Ok(());
        }
        // They are in their order, and what is staged stays so until all are written.
        let mut merged = Vec::with_capacity(groups.len());
        for group in &groups {
            merged.push(match group[..] {
                [_] => None,
                _ => Some(self.write_staged(group)?),
            });
        }
        let mut before: Vec<Option<StagedSegment>> =
            std::mem::take(&mut self.pending.segments).into_iter().map(Some).collect();
        for (group, merged) in groups.iter().zip(merged) {
            let Some(merged) = merged else {
                self.pending.segments.extend(before[group[0]].take());
                continue;
            };
            for gone in group.iter().filter_map(|&at| before[at].take()) {
                self.pending.dead.remove(&gone.id);
                let path = layout::unfinished(&self.dir, gone.id);
                drop(gone);
                // No commit names it. If this fails, the next writer removes it.
                let _ = self.disk.remove(&path);
            }
            self.pending.segments.push(merged);
        }
        Ok(())
    }

    /// Writes the documents of some staged segments that were not replaced since to a new one.
    fn write_staged(&mut self, group: &[usize]) -> Result<StagedSegment, IndexError> {
        let of_group = group.iter().map(|&at| &self.pending.segments[at]);
        let dead = |staged: &StagedSegment| self.pending.dead.get(&staged.id).cloned();
        let parts: Vec<(Arc<Segment>, RoaringBitmap)> = of_group
            .map(|staged| (Arc::clone(&staged.segment), dead(staged).unwrap_or_default()))
            .collect();
        let parts: Vec<MergePart<'_>> = parts
            .iter()
            .map(|(segment, dead)| MergePart { segment, dead, rewrite: None })
            .collect();
        self.write_merged(&parts)
    }

    /// Refuses to merge while there is something to commit: a merge is a commit of its own.
    fn check_committed(&self) -> Result<(), IndexError> {
        match self.pending.is_empty() {
            true => Ok(()),
            false => Err(IndexError::Inconsistent {
                what: "there are documents to commit before segments can be merged".into(),
            }),
        }
    }

    /// Replaces segments by one of their live documents, in one transaction.
    fn merge_segments(&mut self, ids: &[u64]) -> Result<(), IndexError> {
        let snapshot = Arc::clone(&self.snapshot);
        let parts: Vec<&LiveSegment> = snapshot
            .segments
            .iter()
            .map(|live| &**live)
            .filter(|live| ids.contains(&live.id))
            .collect();
        let mut change = Change {
            segments_removed: parts.iter().map(|live| live.id).collect(),
            ..Change::default()
        };
        let documents = parts.iter().map(|live| live.len()).sum::<u64>();
        let merge_parts: Vec<MergePart<'_>> = parts
            .iter()
            .map(|live| MergePart { segment: &live.segment, dead: &live.dead, rewrite: None })
            .collect();
        let merged = match documents {
            0 => None,
            _ => Some(self.write_merged(&merge_parts)?),
        };
        let mut segments: Vec<Arc<LiveSegment>> =
            snapshot.segments.iter().filter(|live| !ids.contains(&live.id)).cloned().collect();
        // What has changed since the segments were written is in the new one.
        for live in &parts {
            for local in 0..live.segment.documents() {
                let number = live.segment.row(local).number.0;
                if snapshot.changed.get(number).is_some() {
                    change.changed.push((number, None));
                }
            }
        }
        if let Some(staged) = merged {
            let relies_on: Vec<u32> = (0..staged.segment.documents())
                .map(|local| {
                    let number = staged.segment.row(local).number;
                    let at = snapshot.numbered(number);
                    at.map_or(crate::segment::KEPT, |at| snapshot.relied_on(at))
                })
                .collect();
            let id = staged.id;
            let (entry, segment) = self.complete(staged, &relies_on)?;
            self.sync_segments()?;
            change.next_segment = Some(id + 1);
            change.segments_added.push(entry);
            let live = LiveSegment::new(id, Arc::new(segment), RoaringBitmap::new());
            segments.push(Arc::new(live));
        }
        let commit = self.commit_change(&change)?;
        let rules = Arc::clone(&snapshot.rules);
        let changed = self.store.state().changed.clone();
        self.snapshot = Arc::new(Snapshot { commit, segments, changed, rules });
        let next_number = self.store.state().next_number;
        self.pending = Pending::at(next_number, self.store.state().next_segment);
        for id in change.segments_removed {
            let path = layout::segment(&self.dir, id);
            // Readers that have mapped it go on. If this fails, the next writer removes it.
            let _ = self.disk.remove(&path);
        }
        Ok(())
    }

    /// Stages all documents of another index, which was made with the same settings; `sweep` gives
    /// the number of each of its sweeps in this one. They replace documents with the same id in the
    /// same sweep. No text is read: postings are copied.
    ///
    /// # Errors
    /// A file that cannot be written; more documents than an index can number.
    pub fn take(
        &mut self,
        other: &Snapshot,
        sweep: &(dyn Fn(u32) -> u32 + Sync),
    ) -> Result<(), IndexError> {
        self.check_numbers(other.len())?;
        self.step(|writer| writer.take_all(other, sweep))
    }

    fn take_all(
        &mut self,
        other: &Snapshot,
        sweep: &(dyn Fn(u32) -> u32 + Sync),
    ) -> Result<(), IndexError> {
        let order = other.in_order();
        let mut numbers: HashMap<DocNumber, (DocNumber, DocNumber)> = HashMap::new();
        for &at in &order {
            let document = other.document(at);
            let number = DocNumber(self.pending.next_number);
            self.pending.next_number += 1;
            let replaced = self.replace((document.id(), sweep(document.sweep())));
            self.pending.updated += u64::from(replaced.is_some());
            numbers.insert(document.number(), (number, replaced.unwrap_or(number)));
        }
        self.pending.added += order.len() as u64;
        let rewrite = |mut row: Row| {
            (row.number, row.first) = numbers.get(&row.number).copied().unwrap_or_default();
            row.sweep = sweep(row.sweep);
            row
        };
        self.pending.groups += 1;
        for live in other.segments.iter().filter(|live| !live.is_empty()) {
            let rewrite: Option<&(dyn Fn(Row) -> Row + Sync)> = Some(&rewrite);
            let part = MergePart { segment: &live.segment, dead: &live.dead, rewrite };
            let staged = self.write_merged(&[part])?;
            self.pending.segments.push(staged);
        }
        Ok(())
    }

    fn write_merged(&mut self, parts: &[MergePart<'_>]) -> Result<StagedSegment, IndexError> {
        self.write_unfinished(|writer, file| merge(&writer.settings, parts, file))
    }

    /// Writes the states of a staged segment, syncs it and gives it its name.
    pub(super) fn complete(
        &self,
        staged: StagedSegment,
        relies_on: &[u32],
    ) -> Result<(SegmentEntry, Segment), IndexError> {
        let StagedSegment { id, built, segment, mut file } = staged;
        let (from, to) = (layout::unfinished(&self.dir, id), layout::segment(&self.dir, id));
        let io = || IndexError::io(&from);
        let bytes = crate::segment::write_states(&mut file, &built, relies_on).map_err(io())?;
        let mut file = file.into_inner().map_err(|error| io()(error.into_error()))?;
        file.sync().map_err(io())?;
        drop((file, segment));
        self.disk.rename(&from, &to).map_err(io())?;
        let data = self.disk.map(&to).map_err(IndexError::io(&to))?;
        let segment = Segment::open(data, &to, &self.settings)?;
        let entry = SegmentEntry {
            id,
            documents: built.documents,
            units: built.units,
            postings: built.postings,
            bytes,
            level: level(built.documents.into()),
            checksum: built.checksum,
        };
        Ok((entry, segment))
    }

    /// Makes the names of new segments durable.
    pub(super) fn sync_segments(&self) -> Result<(), IndexError> {
        let dir = layout::segments(&self.dir);
        self.disk.sync_dir(&dir).map_err(IndexError::io(&dir))
    }
}
