//! The match graph of an index: leader clustering asks the index itself.

use crate::leaders::{MatchGraph, Standing};
use crate::precedence::Rank;
use crate::question::differ;
use crate::scratch::{MakeSets, QueryScratch};
use crate::segment::KEPT;
use crate::snapshot::{AskOptions, DocAt, LiveSegment, Snapshot};
use crate::{Ask, DocNumber, IndexError, QuerySet, Question};
use lookalike_core::{Measure, TokenDigest};
use lookalike_join::verify;
use rayon::prelude::*;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

/// The documents of the next commit while it is decided which of them are kept.
pub(super) struct IndexGraph {
    /// The segments are its own, and no one else's.
    snapshot: Snapshot,
    /// Segments from this one on are new: none of their documents is decided about yet.
    first_new: u32,
    /// What was decided, by document.
    decided: HashMap<DocAt, Standing<DocAt>>,
    /// The new documents that others rely on, or did.
    with_reliants: HashSet<DocAt>,
    makers: MakeSets,
    idle: Mutex<Vec<QueryScratch>>,
}

/// A document with its set.
pub(super) struct Loaded {
    set: Vec<u64>,
    few: bool,
    sequence: TokenDigest,
    value: u64,
}

impl IndexGraph {
    /// A graph of these documents; the segments from `first_new` on are new.
    pub(super) fn new(snapshot: Snapshot, first_new: u32, makers: MakeSets) -> Self {
        let idle = Mutex::default();
        let (decided, with_reliants) = Default::default();
        Self { snapshot, first_new, decided, with_reliants, makers, idle }
    }

    /// The documents, and what was decided about each.
    pub(super) fn into_parts(self) -> (Snapshot, HashMap<DocAt, Standing<DocAt>>) {
        (self.snapshot, self.decided)
    }

    /// Takes over what was `decided` about new documents in groups, and returns those about which it
    /// is still to be decided: documents that were in no group or relied on one that is gone, and,
    /// unless the group is `alone`, kept ones. Documents without features are kept.
    pub(super) fn take_decided(
        &mut self,
        decided: &HashMap<DocNumber, Standing<DocNumber>>,
        alone: bool,
    ) -> Vec<DocAt> {
        let new = (self.first_new..).zip(&self.snapshot.segments[self.first_new as usize..]);
        let new = new.flat_map(|(segment, live)| {
            let with_features = live.live().filter(|&at| live.segment.unit_of(at).is_some());
            with_features.map(move |at| (live.segment.row(at).number, DocAt { segment, local: at }))
        });
        let places: HashMap<DocNumber, DocAt> = new.collect();
        let mut dirty = Vec::new();
        for (number, &at) in &places {
            let standing = match decided.get(number) {
                Some(Standing::ReliesOn(kept)) => {
                    places.get(kept).map_or(Standing::Undecided, |&kept| Standing::ReliesOn(kept))
                }
                Some(Standing::Kept) => Standing::Kept,
                Some(Standing::Undecided) | None => Standing::Undecided,
            };
            if standing != Standing::Undecided {
                self.decide(at, standing);
            }
            if standing == Standing::Undecided || standing == Standing::Kept && !alone {
                dirty.push(at);
            }
        }
        dirty
    }

    /// The documents that relied on one of these: asks for the matches of few, and looks through all
    /// documents for those of many.
    pub(super) fn reliant_on(&self, gone: &[DocAt]) -> Result<Vec<DocAt>, IndexError> {
        /// Documents that can be looked through in the time of one question.
        const LOOKED_THROUGH: u64 = 4096;
        if gone.len() as u64 > self.snapshot.len() / LOOKED_THROUGH {
            let numbers = gone.iter().map(|&at| self.snapshot.document(at).number());
            let numbers: HashSet<DocNumber> = numbers.collect();
            let relies =
                |&at: &DocAt| self.relied_on(at).is_some_and(|kept| numbers.contains(&kept));
            return Ok(self.snapshot.documents().filter(relies).collect());
        }
        let reliant: Vec<Vec<DocAt>> = gone
            .par_iter()
            .map(|&at| self.reliant(at, &self.load(at)?))
            .collect::<Result<_, IndexError>>()?;
        Ok(reliant.concat())
    }

    fn with_scratch<T>(
        &self,
        run: impl FnOnce(&mut QueryScratch) -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let free = idle().pop();
        let mut scratch = free.unwrap_or_else(|| QueryScratch::new((self.makers)()));
        let result = run(&mut scratch);
        idle().push(scratch);
        result
    }

    /// The questions whose answers match a document, and on which side of it in the order of
    /// precedence: a document is contained in one that precedes it.
    fn questions(&self) -> Vec<(Question, Option<Ordering>)> {
        let criterion = self.snapshot.rules.criterion;
        let question = |ask| Question { ask, threshold: criterion.threshold };
        match criterion.measure {
            Measure::Resemblance => vec![(question(Ask::Resembles), None)],
            Measure::Cosine => vec![(question(Ask::Cosine), None)],
            Measure::Containment => vec![
                (question(Ask::Containing), Some(Ordering::Less)),
                (question(Ask::ContainedIn), Some(Ordering::Greater)),
            ],
        }
    }

    /// The wanted documents that match a document, on one side of it or on both.
    fn matches_of(
        &self,
        document: DocAt,
        loaded: &Loaded,
        only: Option<Ordering>,
        wanted: &(dyn Fn(&LiveSegment, u32) -> bool + Sync),
    ) -> Result<Vec<DocAt>, IndexError> {
        let &Loaded { ref set, few, sequence, value } = loaded;
        if set.is_empty() {
            return Ok(Vec::new());
        }
        let query = QuerySet { set, few, sequence, value };
        let options = AskOptions { wanted, ..AskOptions::default() };
        let rank = self.rank(document);
        let mut found = Vec::new();
        for (question, side) in self.questions() {
            let side = side.or(only);
            if only.is_some() && only != side {
                continue;
            }
            let answer =
                self.with_scratch(|scratch| self.snapshot.ask(question, query, options, scratch))?;
            let matches = answer.matches.into_iter().map(|found| found.at);
            found.extend(matches.filter(|&at| {
                at != document && side.is_none_or(|side| self.rank(at).cmp(&rank) == side)
            }));
        }
        Ok(found)
    }

    /// Number of the document that another one relies on.
    fn relied_on(&self, document: DocAt) -> Option<DocNumber> {
        match self.decided.get(&document) {
            Some(Standing::ReliesOn(kept)) => Some(self.snapshot.document(*kept).number()),
            Some(Standing::Kept | Standing::Undecided) => None,
            None if document.segment >= self.first_new => None,
            None => match self.snapshot.relied_on(document) {
                KEPT => None,
                number => Some(DocNumber(number)),
            },
        }
    }
}

impl MatchGraph for IndexGraph {
    type Document = DocAt;
    type Loaded = Loaded;
    type Error = IndexError;

    fn load(&self, document: DocAt) -> Result<Loaded, IndexError> {
        let segment = &self.snapshot.segment(document).segment;
        let row = segment.row(document.local);
        let mut set = Vec::new();
        if let Some(unit) = segment.unit_of(document.local) {
            self.with_scratch(|scratch| scratch.sets.make(segment, unit, &mut set))?;
        }
        let value = segment.value(document.local);
        Ok(Loaded { set, few: row.few, sequence: row.sequence, value })
    }

    fn kept_matches(&self, document: DocAt, loaded: &Loaded) -> Result<Vec<DocAt>, IndexError> {
        let kept = |live: &LiveSegment, local: u32| live.kept.contains(local);
        self.matches_of(document, loaded, None, &kept)
    }

    fn reliant(&self, document: DocAt, loaded: &Loaded) -> Result<Vec<DocAt>, IndexError> {
        if document.segment >= self.first_new && !self.with_reliants.contains(&document) {
            return Ok(Vec::new());
        }
        let removed = |live: &LiveSegment, local: u32| !live.kept.contains(local);
        let found = self.matches_of(document, loaded, Some(Ordering::Greater), &removed)?;
        let number = Some(self.snapshot.document(document).number());
        Ok(found.into_iter().filter(|&at| self.relied_on(at) == number).collect())
    }

    fn matches(&self, later: &Loaded, earlier: &Loaded) -> bool {
        let comparable = match later.few || earlier.few {
            true => later.sequence == earlier.sequence,
            false => true,
        };
        comparable
            && differ(later.value, earlier.value)
            && verify(self.snapshot.rules.criterion, &later.set, &earlier.set).is_some()
    }

    fn rank(&self, document: DocAt) -> Rank {
        self.snapshot.rank(document)
    }

    fn standing(&self, document: DocAt) -> Standing<DocAt> {
        if let Some(&standing) = self.decided.get(&document) {
            return standing;
        }
        if document.segment >= self.first_new {
            return Standing::Undecided;
        }
        let kept = self.relied_on(document);
        match kept {
            None => Standing::Kept,
            // Undecided if that one is deleted: the document is queued.
            Some(number) => {
                self.snapshot.numbered(number).map_or(Standing::Undecided, Standing::ReliesOn)
            }
        }
    }

    fn decide(&mut self, document: DocAt, standing: Standing<DocAt>) {
        self.decided.insert(document, standing);
        if let Standing::ReliesOn(kept) = standing
            && kept.segment >= self.first_new
        {
            self.with_reliants.insert(kept);
        }
        let live = &mut self.snapshot.segments[document.segment as usize];
        let live = Arc::get_mut(live).expect("documented: the segments are its own");
        match standing {
            Standing::Kept => live.kept.insert(document.local),
            Standing::Undecided | Standing::ReliesOn(_) => live.kept.remove(document.local),
        };
    }
}
