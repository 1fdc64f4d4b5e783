//! The one process that changes an index.
//!
//! Documents are *staged*: written to a segment file that no commit names. [`IndexWriter::commit`]
//! decides which documents are kept, completes and syncs the staged segments, and enters them
//! together with the deletes in one transaction. A crash before that leaves files that no commit
//! names, which the next writer removes.

mod graph;
mod merging;
mod opening;
mod staging;

pub use staging::Staged;

use crate::description::Rules;
use crate::disk::{Disk, LockGuard};
use crate::leaders::{self, Standing, redecide};
use crate::scratch::MakeSets;
use crate::segment::{KEPT, SegmentSettings, write_states};
use crate::snapshot::{DocAt, LiveSegment, Snapshot};
use crate::store::{Change, SegmentEntry, Store};
use crate::{Description, IndexError, layout};
use graph::IndexGraph;
use roaring::RoaringBitmap;
use staging::Pending;
use std::collections::{BTreeMap, HashMap};
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
    _lock: LockGuard,
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
        self.pending.records.push((table, key.to_vec(), value.map(<[u8]>::to_vec)));
    }

    /// The records of a table of the caller whose keys begin with `prefix`, in the order of keys, as of the last commit.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub fn records(&self, table: u8, prefix: &[u8]) -> Result<Vec<(Vec<u8>, Vec<u8>)>, IndexError> {
        self.store.records(table, prefix)
    }

    /// Makes everything that was staged, deleted and put durable, in one transaction, and decides
    /// which documents are kept. Then merges segments, if there are many of one size.
    ///
    /// When this returns, the documents survive a crash; if it fails, none of them is there, or in
    /// the moment of a crash all of them.
    ///
    /// # Errors
    /// A file that cannot be written. After a failed sync the writer cannot be used any more.
    pub fn commit(&mut self) -> Result<Committed, IndexError> {
        let committed = self.commit_pending()?;
        self.merge_where_due()?;
        Ok(committed)
    }

    fn commit_pending(&mut self) -> Result<Committed, IndexError> {
        if self.pending.is_empty() {
            let (commit, documents) = (self.snapshot.commit, self.snapshot.len());
            return Ok(Committed { commit, documents, ..Committed::default() });
        }
        let pending = std::mem::replace(&mut self.pending, Pending::after(&self.pending));
        let (next, gone) = self.next_snapshot(&pending);
        let first_new = self.snapshot.segments.len() as u32;
        let mut graph = IndexGraph::new(next, first_new, Arc::clone(&self.makers));
        let dirty = graph.dirty(&gone)?;
        let evaluations = redecide(&mut graph, dirty, leaders::BLOCK)?;
        let (mut next, decided) = graph.into_parts();
        let mut change = Change {
            next_number: pending.next_number,
            next_segment: pending.next_segment,
            dead_added: pending.dead.clone(),
            records: pending.records.clone(),
            ..Change::default()
        };
        // New documents have their state in their segment, others in the store.
        let mut states: Vec<Vec<u32>> = pending
            .segments
            .iter()
            .map(|staged| vec![KEPT; staged.segment.documents() as usize])
            .collect();
        let mut changed: HashMap<u32, HashMap<u32, u32>> = HashMap::new();
        for (at, standing) in decided {
            let relies_on = match standing {
                Standing::Kept | Standing::Undecided => KEPT,
                Standing::ReliesOn(kept) => next.document(kept).number().0,
            };
            match at.segment.checked_sub(first_new) {
                Some(new) => states[new as usize][at.local as usize] = relies_on,
                None => {
                    changed.entry(at.segment).or_default().insert(at.local, relies_on);
                    change.changed.push((next.document(at).number().0, Some(relies_on)));
                }
            }
        }
        change.changed.sort_unstable();
        for (segment, more) in changed {
            let live = Arc::make_mut(&mut next.segments[segment as usize]);
            Arc::make_mut(&mut live.changed).extend(more);
        }
        for (staged, states) in pending.segments.into_iter().zip(states) {
            let entry = staged.entry;
            let segment = self.complete(staged, &states)?;
            let place = next.segments.iter().position(|live| live.id == entry.id);
            if let Some(place) = place {
                let live = Arc::make_mut(&mut next.segments[place]);
                live.segment = Arc::new(segment);
            }
            change.segments_added.push(entry);
        }
        if !change.segments_added.is_empty() {
            self.sync_segments()?;
        }
        next.commit = self.store.commit(&change)?;
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

    /// The documents after the commit, about which nothing is decided, and those that are gone.
    fn next_snapshot(&self, pending: &Pending) -> (Snapshot, Vec<DocAt>) {
        let mut gone = Vec::new();
        let mut segments = Vec::new();
        for (segment, live) in (0..).zip(&self.snapshot.segments) {
            let mut live = LiveSegment::clone(live);
            if let Some(dead) = pending.dead.get(&live.id) {
                gone.extend(dead.iter().map(|local| DocAt { segment, local }));
                live.dead |= dead;
                live.kept -= dead;
            }
            segments.push(Arc::new(live));
        }
        for staged in &pending.segments {
            let dead = pending.dead.get(&staged.entry.id).cloned().unwrap_or_default();
            segments.push(Arc::new(LiveSegment {
                id: staged.entry.id,
                level: staged.entry.level,
                segment: Arc::clone(&staged.segment),
                dead,
                kept: RoaringBitmap::new(),
                changed: Arc::default(),
            }));
        }
        let rules = Arc::clone(&self.rules);
        (Snapshot { commit: self.snapshot.commit, segments, rules }, gone)
    }
}
