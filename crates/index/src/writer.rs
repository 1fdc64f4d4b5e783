//! The one process that changes an index.
//!
//! Documents are *staged*: written to a segment file that no commit names. [`IndexWriter::commit`]
//! decides which documents are kept, completes and syncs the staged segments, and enters them
//! together with the deletes in one transaction. A crash before that leaves files that no commit
//! names, which the next writer removes.

mod batch_leaders;
mod graph;
mod merging;
mod opening;
mod pending;
mod staging;

pub use staging::{DuplicateLeftOut, Staged};

use crate::description::Rules;
use crate::disk::Disk;
use crate::leaders::{self, Standing, redecide};
use crate::scratch::MakeSets;
use crate::segment::{Dictionary, KEPT, SegmentSettings};
use crate::snapshot::{DocAt, LiveSegment, Snapshot};
use crate::store::{Change, Record, Records, Store};
use crate::{Description, IndexError, layout};
use graph::IndexGraph;
use lookalike_join::{Progress, Silent};
use pending::Pending;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Changes an index. There is one at a time, in all processes; readers are not blocked.
pub struct IndexWriter {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    description: Description,
    rules: Arc<Rules>,
    settings: SegmentSettings,
    makers: MakeSets,
    store: Store,
    snapshot: Arc<Snapshot>,
    pending: Pending,
    /// The dictionary with which texts are compressed; empty until there are enough.
    dictionary: Dictionary,
    /// Why nothing more is written: the error of an earlier step.
    failed: Option<String>,
}

impl std::fmt::Debug for IndexWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IndexWriter").field("dir", &self.dir).finish_non_exhaustive()
    }
}

/// What a commit did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Committed {
    /// Its number.
    pub commit: u64,
    /// Documents in the index after it.
    pub documents: u64,
    /// Documents added, those that replaced another one included.
    pub added: u64,
    /// Documents that replaced one with the same id.
    pub updated: u64,
    /// Documents deleted, without those that were replaced.
    pub deleted: u64,
    /// Documents about which it was decided, again or for the first time, whether they are kept.
    pub evaluations: u64,
}

impl IndexWriter {
    /// The documents of the last commit.
    #[must_use]
    pub fn snapshot(&self) -> &Arc<Snapshot> {
        &self.snapshot
    }

    /// What the index was made with.
    #[must_use]
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The directory.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Makes sets of stored texts.
    #[must_use]
    pub fn makers(&self) -> &MakeSets {
        &self.makers
    }

    /// Deletes a document of the last commit with the next commit. Returns whether it was not yet
    /// marked so.
    pub fn delete(&mut self, at: DocAt) -> bool {
        let live = &self.snapshot.segments[at.segment as usize];
        if !live.is_live(at.local) {
            return false;
        }
        let new = self.pending.dead.entry(live.id).or_default().insert(at.local);
        self.pending.deleted += u64::from(new);
        new
    }

    /// Puts a record into a table of the caller with the next commit; `None` removes it.
    pub fn put(&mut self, table: u8, key: &[u8], value: Option<&[u8]>) {
        let value = value.map(<[u8]>::to_vec);
        self.pending.records.push(Record { table, key: key.to_vec(), value });
    }

    /// What the next commit puts into a table of the caller, in order.
    pub fn next_records(&self, table: u8) -> impl Iterator<Item = &Record> {
        self.pending.records.iter().filter(move |record| record.table == table)
    }

    /// The records of the last commit.
    ///
    /// # Errors
    /// Those of the disk and of redb.
    pub fn records(&self) -> Result<Records, IndexError> {
        self.store.records()
    }

    /// Makes everything that was staged, deleted and put durable, in one transaction, and decides
    /// which documents are kept. [`IndexWriter::merge_where_due`] is to be called after it.
    ///
    /// When this returns, the documents survive a crash; if it fails, none of them is there, or in
    /// the moment of a crash all of them.
    ///
    /// # Errors
    /// A file that cannot be written. After any error of this or of another step that writes, all
    /// steps fail with [`IndexError::Stopped`]: what is staged may be incomplete, and it is unknown
    /// what the disk holds. An index that is opened again goes on from the last commit.
    pub fn commit(&mut self) -> Result<Committed, IndexError> {
        self.commit_with(&Silent)
    }

    /// [`IndexWriter::commit`], with one unit of progress for each document about which it is
    /// decided. If it is cancelled, what was staged stays staged, and the writer goes on.
    ///
    /// # Errors
    /// As [`IndexWriter::commit`]; [`IndexError::Interrupted`] if `progress` says so before the
    /// documents are written.
    pub fn commit_with(&mut self, progress: &dyn Progress) -> Result<Committed, IndexError> {
        let mut interrupted = false;
        let committed = self.step(|writer| match writer.commit_pending(progress) {
            Err(IndexError::Interrupted) => {
                interrupted = true;
                Ok(Committed::default())
            }
            result => result,
        });
        if interrupted { Err(IndexError::Interrupted) } else { committed }
    }

    /// Runs a step that writes, unless one before has failed or panicked.
    fn step<T>(
        &mut self,
        run: impl FnOnce(&mut Self) -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        if let Some(reason) = &self.failed {
            let (path, reason) = (self.dir.clone(), reason.clone());
            return Err(IndexError::Stopped { path, reason });
        }
        // Stays if the step panics.
        self.failed = Some("a panic of the writer".to_owned());
        let result = run(self);
        self.failed = result.as_ref().err().map(ToString::to_string);
        if self.failed.is_some() {
            self.remove_unfinished();
        }
        result
    }

    /// Removes the segments that were being written when the writer stopped: a full disk has their
    /// space again at once. No commit can name a file that has not yet its name. What cannot be
    /// removed is removed by the next writer.
    fn remove_unfinished(&self) {
        let folder = layout::segments(&self.dir);
        for name in self.disk.list(&folder).unwrap_or_default() {
            if layout::is_unfinished(&name) {
                let _ = self.disk.remove(&folder.join(name));
            }
        }
    }

    fn commit_pending(&mut self, progress: &dyn Progress) -> Result<Committed, IndexError> {
        if self.pending.is_empty() {
            let (commit, documents) = (self.snapshot.commit, self.snapshot.len());
            return Ok(Committed { commit, documents, ..Committed::default() });
        }
        self.merge_all_staged()?;
        let (next, gone) = self.next_snapshot(&self.pending);
        let first_new = self.snapshot.segments.len() as u32;
        let mut graph = IndexGraph::new(next, first_new, Arc::clone(&self.makers));
        let alone = self.pending.groups == 1 && self.snapshot.is_empty();
        let mut dirty = graph.reliant_on(&gone)?;
        dirty.extend(graph.take_decided(&self.pending.decided, alone));
        let advance = |decided| {
            progress.advance(decided, decided);
            if progress.cancelled() { Err(IndexError::Interrupted) } else { Ok(()) }
        };
        let in_groups = self.pending.decided.len() as u64;
        advance(in_groups.saturating_sub(dirty.len() as u64))?;
        let evaluations = in_groups + redecide(&mut graph, dirty, leaders::BLOCK, advance)?;
        let (mut next, decided) = graph.into_parts();
        let fresh = Pending::at(self.pending.next_number, self.pending.next_segment);
        let pending = std::mem::replace(&mut self.pending, fresh);
        let mut change = Change {
            next_number: Some(pending.next_number),
            next_segment: Some(pending.next_segment),
            dead_added: pending.dead,
            records: pending.records,
            ..Change::default()
        };
        // New documents have their state in their segment, others in the store.
        let mut states: Vec<Vec<u32>> = pending
            .segments
            .iter()
            .map(|staged| vec![KEPT; staged.segment.documents() as usize])
            .collect();
        for (at, standing) in decided {
            let relies_on = match standing {
                Standing::Kept | Standing::Undecided => KEPT,
                Standing::ReliesOn(kept) => next.document(kept).number().0,
            };
            match at.segment.checked_sub(first_new) {
                Some(new) => states[new as usize][at.local as usize] = relies_on,
                None => change.changed.push((next.document(at).number().0, Some(relies_on))),
            }
        }
        change.changed.sort_unstable();
        for ((staged, states), place) in
            pending.segments.into_iter().zip(states).zip(first_new as usize..)
        {
            let (entry, segment) = self.complete(staged, &states)?;
            let live = Arc::get_mut(&mut next.segments[place]);
            live.expect("documented: the graph's own").segment = Arc::new(segment);
            change.segments_added.push(entry);
        }
        if !change.segments_added.is_empty() {
            self.sync_segments()?;
        }
        next.commit = self.commit_change(&change)?;
        next.changed = self.store.state().changed.clone();
        let committed = Committed {
            commit: next.commit,
            documents: next.len(),
            added: pending.added,
            updated: pending.updated,
            deleted: pending.deleted,
            evaluations,
        };
        self.snapshot = Arc::new(next);
        Ok(committed)
    }

    /// Commits the state of another index, whose segments are here already.
    pub(crate) fn commit_copy(&mut self, change: &Change) -> Result<u64, IndexError> {
        self.step(|writer| writer.commit_change(change))
    }

    fn commit_change(&mut self, change: &Change) -> Result<u64, IndexError> {
        self.store.commit(change)
    }

    /// The documents after the commit, about which nothing is decided, and the kept ones that are
    /// gone.
    fn next_snapshot(&self, pending: &Pending) -> (Snapshot, Vec<DocAt>) {
        let mut gone = Vec::new();
        let mut segments = Vec::new();
        for (segment, live) in (0..).zip(&self.snapshot.segments) {
            let mut live = LiveSegment::clone(live);
            if let Some(dead) = pending.dead.get(&live.id) {
                let kept = dead & &live.kept;
                gone.extend(kept.iter().map(|local| DocAt { segment, local }));
                live.dead |= dead;
                live.kept -= dead;
            }
            segments.push(Arc::new(live));
        }
        for staged in &pending.segments {
            let dead = pending.dead.get(&staged.id).cloned().unwrap_or_default();
            let segment = Arc::clone(&staged.segment);
            let mut live = LiveSegment::new(staged.id, segment, dead);
            // Nothing is decided about documents with features.
            let featureless = |local: &u32| live.segment.unit_of(*local).is_none();
            live.kept = live.kept.iter().filter(featureless).collect();
            segments.push(Arc::new(live));
        }
        let rules = Arc::clone(&self.rules);
        let changed = self.snapshot.changed.clone();
        (Snapshot { commit: self.snapshot.commit, segments, changed, rules }, gone)
    }
}
