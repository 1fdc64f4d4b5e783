//! What a reader sees: the documents of one commit.

mod answer;
mod check;
mod document;
mod live;
mod load;

pub use answer::{Answer, AskOptions, Match, NEVER, Stop};
pub use document::StoredDocument;
pub use live::LiveSegment;

use crate::description::Rules;
use crate::store::ChangedRows;
use crate::{DocNumber, IndexError, Question, Rank, Ranked};
use std::sync::Arc;

/// Place of a document in a [`Snapshot`]. Of another snapshot it is another document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocAt {
    pub(crate) segment: u32,
    pub(crate) local: u32,
}

/// The documents of one commit. Does not change; a reader keeps it as long as it likes.
#[derive(Debug, Clone)]
pub struct Snapshot {
    pub(crate) commit: u64,
    pub(crate) segments: Vec<Arc<LiveSegment>>,
    /// Documents that rely on another kept document than their segment says.
    pub(crate) changed: ChangedRows,
    pub(crate) rules: Arc<Rules>,
}

impl Snapshot {
    /// Number of the commit.
    #[must_use]
    pub fn commit(&self) -> u64 {
        self.commit
    }

    /// Number of documents.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.segments.iter().map(|segment| segment.len()).sum()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of documents that leader clustering keeps.
    #[must_use]
    pub fn kept(&self) -> u64 {
        self.segments.iter().map(|segment| segment.kept.len()).sum()
    }

    /// The segments.
    #[must_use]
    pub fn segments(&self) -> &[Arc<LiveSegment>] {
        &self.segments
    }

    fn each(&self) -> impl Iterator<Item = (u32, &LiveSegment)> {
        (0..).zip(self.segments.iter().map(|segment| &**segment))
    }

    /// All documents, in no particular order.
    pub fn documents(&self) -> impl Iterator<Item = DocAt> + '_ {
        self.each()
            .flat_map(|(segment, live)| live.live().map(move |local| DocAt { segment, local }))
    }

    /// All documents in the order in which their ids were first added. O(n log n).
    #[must_use]
    pub fn in_order(&self) -> Vec<DocAt> {
        let mut order: Vec<(DocNumber, DocAt)> =
            self.documents().map(|at| (self.document(at).first(), at)).collect();
        order.sort_unstable();
        order.into_iter().map(|(_, at)| at).collect()
    }

    /// A document.
    ///
    /// # Panics
    /// If the place is of another snapshot, and there is none.
    #[must_use]
    pub fn document(&self, at: DocAt) -> StoredDocument<'_> {
        StoredDocument { segment: &self.segments[at.segment as usize].segment, local: at.local }
    }

    /// The documents with an id: one for each sweep.
    #[must_use]
    pub fn with_id(&self, id: &str) -> Vec<DocAt> {
        let find = |(segment, live): (u32, &LiveSegment)| {
            let found = live.segment.find_id(id).filter(|&local| live.is_live(local));
            found.map(|local| DocAt { segment, local }).collect::<Vec<_>>()
        };
        self.sorted(self.each().flat_map(find).collect())
    }

    /// The document with an id in a sweep; sweep 0 is none.
    #[must_use]
    pub fn with_id_in(&self, id: &str, sweep: u32) -> Option<DocAt> {
        self.with_id(id).into_iter().find(|&at| self.document(at).sweep() == sweep)
    }

    /// The documents found at an address, in order of addition.
    #[must_use]
    pub fn with_url(&self, url: &str) -> Vec<DocAt> {
        let find = |(segment, live): (u32, &LiveSegment)| {
            let found = live.segment.find_url(url).filter(|&local| live.is_live(local));
            found.map(|local| DocAt { segment, local }).collect::<Vec<_>>()
        };
        self.sorted(self.each().flat_map(find).collect())
    }

    fn sorted(&self, mut found: Vec<DocAt>) -> Vec<DocAt> {
        found.sort_unstable_by_key(|&at| self.document(at).number());
        found
    }

    /// The document with a number, unless it was deleted.
    #[must_use]
    pub fn numbered(&self, number: DocNumber) -> Option<DocAt> {
        self.each().find_map(|(segment, live)| {
            let local = live.segment.find_number(number)?;
            live.is_live(local).then_some(DocAt { segment, local })
        })
    }

    /// Whether leader clustering keeps a document.
    #[must_use]
    pub fn is_kept(&self, at: DocAt) -> bool {
        self.segments[at.segment as usize].kept.contains(at.local)
    }

    /// A kept document that matches a document that is not kept, and precedes it. Which of several
    /// depends on the history; [`Snapshot::witness`] does not.
    #[must_use]
    pub fn relies_on(&self, at: DocAt) -> Option<DocNumber> {
        if self.is_kept(at) {
            return None;
        }
        Some(DocNumber(self.relied_on(at)))
    }

    /// Number of the kept document that a document relies on;
    /// [`KEPT`](crate::segment::KEPT) for a document that is kept.
    pub(crate) fn relied_on(&self, at: DocAt) -> u32 {
        let segment = &self.segment(at).segment;
        let number = segment.row(at.local).number;
        self.changed.get(number.0).unwrap_or_else(|| segment.relies_on(at.local))
    }

    /// Refuses a question that the index cannot answer.
    ///
    /// # Errors
    /// [`IndexError::Lean`].
    pub fn check_question(&self, question: Question) -> Result<()> {
        self.rules.lean.as_ref().map_or(Ok(()), |lean| lean.check(question))
    }

    /// The place of a document in the order of precedence.
    #[must_use]
    pub fn rank(&self, at: DocAt) -> Rank {
        rank(&self.rules, self.document(at))
    }

    /// The place of a document of a segment of this snapshot, by its segment and its number there.
    #[must_use]
    pub fn at(&self, live: &LiveSegment, local: u32) -> Option<DocAt> {
        let segment = self.segments.iter().position(|one| one.id == live.id)?;
        Some(DocAt { segment: segment as u32, local })
    }

    /// The documents whose time has come, at a time in seconds since 1970.
    #[must_use]
    pub fn expired(&self, now: u64) -> Vec<DocAt> {
        let gone = |at: &DocAt| {
            let expires = self.document(*at).expires();
            expires != 0 && expires <= now
        };
        self.documents().filter(gone).collect()
    }

    pub(crate) fn segment(&self, at: DocAt) -> &LiveSegment {
        &self.segments[at.segment as usize]
    }
}

/// The place of a document in the order of precedence.
pub(crate) fn rank(rules: &Rules, document: StoredDocument<'_>) -> Rank {
    rules.precedence.rank(Ranked {
        size: document.size(),
        keep: &document.keep(),
        id: document.id(),
        first: document.first(),
    })
}

/// An error of a snapshot.
pub(crate) type Result<T> = std::result::Result<T, IndexError>;
