//! Staged documents: in segment files that no commit names yet.

use super::IndexWriter;
use super::batch_leaders::batch_leaders;
use super::pending::{Pending, StagedSegment};
use crate::question::differ;
use crate::segment::{Built, Dictionary, NewDocument, Segment, build, train_dictionary};
use crate::snapshot::{AskOptions, DocAt, LiveSegment, Match};
use crate::{
    Ask, DocNumber, DocumentBatch, IndexError, QueryScratch, QuerySet, Question, SignatureView,
    layout,
};
use lookalike_core::{Measure, Overlap, Threshold};
use lookalike_join::{Criterion, verify};
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
use std::io::{self, BufWriter, Write};
use std::sync::Arc;

/// A document that was left out as a duplicate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuplicateLeftOut {
    /// Its place among the documents of all batches, from 0.
    pub place: usize,
    /// The id of a document that it matches.
    pub of: String,
    /// Counts of the document that was left out (a) and of that one (b).
    pub counts: Overlap,
}

/// What was staged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Staged {
    /// Documents that will be added.
    pub added: u64,
    /// Those that replace another one.
    pub updated: u64,
    /// Number of the first document; the others have the following ones, in their order.
    pub first: DocNumber,
}

impl IndexWriter {
    /// Writes documents to a segment that the next commit enters. A document replaces one with the
    /// same id in the same sweep, also one of the same batches.
    ///
    /// # Errors
    /// A file that cannot be written; more documents than an index can number.
    pub fn stage(&mut self, batches: &[DocumentBatch]) -> Result<Staged, IndexError> {
        self.check_numbers(batches.iter().map(|batch| batch.len() as u64).sum())?;
        self.step(|writer| writer.stage_all(batches))
    }

    /// Refuses more documents than there are numbers left.
    pub(super) fn check_numbers(&self, more: u64) -> Result<(), IndexError> {
        if u64::from(self.pending.next_number) + more >= u64::from(u32::MAX) {
            return Err(IndexError::Inconsistent {
                what: "an index numbers at most 4,294,967,294 documents in its life; export its \
                       documents to a new one"
                    .into(),
            });
        }
        Ok(())
    }

    fn stage_all(&mut self, batches: &[DocumentBatch]) -> Result<Staged, IndexError> {
        let count: usize = batches.iter().map(DocumentBatch::len).sum();
        let mut new: Vec<Option<NewDocument<'_>>> = Vec::with_capacity(count);
        // By id and sweep, the last one of the batches.
        let mut own: HashMap<(&str, u32), usize> = HashMap::new();
        let mut staged = Staged { first: DocNumber(self.pending.next_number), ..Staged::default() };
        for batch in batches {
            for index in 0..batch.len() {
                let number = DocNumber(self.pending.next_number + new.len() as u32);
                let key = batch.key(index);
                let first = match own.insert(key, new.len()) {
                    Some(earlier) => {
                        staged.updated += 1;
                        let replaced = new[earlier].take();
                        replaced.map_or(number, |replaced| replaced.first)
                    }
                    None => match self.replace(key) {
                        Some(first) => {
                            staged.updated += 1;
                            first
                        }
                        None => number,
                    },
                };
                new.push(Some(NewDocument { batch, index, number, first }));
            }
        }
        staged.added = count as u64;
        self.pending.next_number += count as u32;
        let new: Vec<NewDocument<'_>> = new.into_iter().flatten().collect();
        if !new.is_empty() {
            self.write_segment(&new)?;
        }
        self.pending.added += staged.added;
        self.pending.updated += staged.updated;
        Ok(staged)
    }

    /// Marks the document with an id in a sweep, and returns when it was first added.
    pub(super) fn replace(&mut self, (id, sweep): (&str, u32)) -> Option<DocNumber> {
        let found = self.next_with_id(id).into_iter();
        let mut rows = found.map(|(segment, data, local)| (segment, local, data.row(local)));
        let (segment, local, row) = rows.find(|(_, _, row)| row.sweep == sweep)?;
        let first = row.first;
        self.pending.dead.entry(segment).or_default().insert(local);
        Some(first)
    }

    /// The documents with an id that the next commit will have: the segment of each, and its place
    /// there.
    fn next_with_id(&self, id: &str) -> Vec<(u64, &Segment, u32)> {
        let committed = self.snapshot.segments.iter();
        let committed = committed.map(|live| (live.id, &*live.segment, Some(&live.dead)));
        let staged = self.pending.segments.iter();
        let staged = staged.map(|staged| (staged.id, &*staged.segment, None));
        let mut all = Vec::new();
        for (number, segment, dead) in committed.chain(staged) {
            let dead = [dead, self.pending.dead.get(&number)];
            let is_dead = |local| dead.iter().flatten().any(|dead| dead.contains(local));
            let found = segment.find_id(id).filter(|&local| !is_dead(local));
            all.extend(found.map(|local| (number, segment, local)));
        }
        all
    }

    /// The sweeps in which the next commit will have a document with an id.
    #[must_use]
    pub fn next_sweeps_of(&self, id: &str) -> Vec<u32> {
        let found = self.next_with_id(id).into_iter();
        found.map(|(_, segment, local)| segment.row(local).sweep).collect()
    }

    /// Deletes the documents with an id, of all sweeps, with the next commit: also staged ones.
    /// Returns how many there are.
    pub fn delete_id(&mut self, id: &str) -> u64 {
        let found = self.next_with_id(id).into_iter();
        let found: Vec<(u64, u32)> = found.map(|(number, _, local)| (number, local)).collect();
        for &(segment, local) in &found {
            self.pending.dead.entry(segment).or_default().insert(local);
            // What was decided about a group is no longer about all of it.
            self.pending.groups += 1;
        }
        self.pending.deleted += found.len() as u64;
        found.len() as u64
    }

    /// Stages documents of a damaged index with the numbers that they had there: number and first
    /// number of each. Their ids are distinct, in this index too.
    pub(crate) fn restore(
        &mut self,
        batches: &[(&DocumentBatch, &[(DocNumber, DocNumber)])],
    ) -> Result<(), IndexError> {
        self.step(|writer| {
            let mut new = Vec::new();
            for &(batch, places) in batches {
                new.extend((0..).zip(places).map(|(index, &(number, first))| NewDocument {
                    batch,
                    index,
                    number,
                    first,
                }));
            }
            writer.pending.added += new.len() as u64;
            if new.is_empty() { Ok(()) } else { writer.write_segment(&new) }
        })
    }

    /// Numbers of documents from here on are new.
    pub(crate) fn restore_numbers(&mut self, next: u32) {
        self.pending.next_number = self.pending.next_number.max(next);
    }

    /// Writes a segment of new documents, and decides about them while their sets are in memory.
    fn write_segment(&mut self, new: &[NewDocument<'_>]) -> Result<(), IndexError> {
        if self.dictionary.is_empty() && self.settings.texts {
            let trained = train_dictionary(new.iter().map(NewDocument::content));
            self.dictionary = Dictionary::new(trained).map_err(IndexError::io(&self.dir))?;
        }
        let staged = self.write_unfinished(|writer, file| {
            build(&writer.settings, new, &writer.dictionary, file)
        })?;
        self.pending.segments.push(staged);
        self.pending.decided.extend(batch_leaders(&self.rules, new)?);
        self.pending.groups += 1;
        Ok(())
    }

    /// Writes a segment under a temporary name, and maps it.
    pub(super) fn write_unfinished(
        &mut self,
        write: impl FnOnce(&Self, &mut dyn Write) -> io::Result<Built>,
    ) -> Result<StagedSegment, IndexError> {
        let id = self.pending.next_segment;
        self.pending.next_segment += 1;
        let path = layout::unfinished(&self.dir, id);
        let io = || IndexError::io(&path);
        let mut file = BufWriter::with_capacity(1 << 20, self.disk.create(&path).map_err(io())?);
        let built = write(self, &mut file).map_err(io())?;
        file.flush().map_err(io())?;
        let data = self.disk.map(&path).map_err(io())?;
        let segment = Segment::open_unfinished(data, &path, &self.settings, &built)?;
        Ok(StagedSegment { id, built, segment: Arc::new(segment), file })
    }

    /// Leaves out the documents that match a kept document of the last commit, a staged one, or an
    /// earlier one of these that is not left out. Returns the others, and those that were left out.
    ///
    /// A document that replaces one with the same id is not compared with that one, and no later
    /// document is.
    ///
    /// # Errors
    /// A damaged segment.
    pub fn unless_duplicate(
        &self,
        batches: Vec<DocumentBatch>,
        threshold: Threshold,
    ) -> Result<(Vec<DocumentBatch>, Vec<DuplicateLeftOut>), IndexError> {
        let measure = self.rules.criterion.measure;
        let criterion = Criterion { measure, threshold };
        let ask = match measure {
            Measure::Resemblance => Ask::Resembles,
            Measure::Cosine => Ask::Cosine,
            Measure::Containment => Ask::Containing,
        };
        let question = Question { ask, threshold };
        // The staged documents are searched like committed ones.
        let (known, _) = self.next_snapshot(&self.pending);
        let first_staged = self.snapshot.segments.len() as u32;
        let all: Vec<(usize, usize)> = batches
            .iter()
            .enumerate()
            .flat_map(|(at, batch)| (0..batch.len()).map(move |index| (at, index)))
            .collect();
        let plain = |&(at, index): &(usize, usize)| {
            DocumentBatch::get_plain(&batches[at], index, DocNumber(0), DocNumber(0))
        };
        let (makers, rules) = (&self.makers, &*self.rules);
        let best = |place: &(usize, usize), gone: &HashSet<DocAt>, scratch: &mut QueryScratch| {
            let view = plain(place);
            if view.set.is_empty() {
                return Ok(None);
            }
            let wanted = |live: &LiveSegment, local: u32| {
                let stays = (live.segment.id(local), live.segment.row(local).sweep)
                    != (view.id, view.sweep);
                let at = known.at(live, local).filter(|at| !gone.contains(at));
                let staged = at.is_some_and(|at| at.segment >= first_staged);
                stays && at.is_some() && (staged || live.is_kept(local))
            };
            let query = rules.query(&view);
            let options = AskOptions { limit: Some(1), wanted: &wanted, ..AskOptions::default() };
            let answer = known.ask(question, query, options, scratch)?;
            Ok::<_, IndexError>(answer.matches.first().copied())
        };
        let none = HashSet::new();
        let matched: Vec<Option<Match>> = all
            .par_iter()
            .map_init(|| QueryScratch::new(makers()), |scratch, place| best(place, &none, scratch))
            .collect::<Result<_, IndexError>>()?;
        let mut taken = Accepted::default();
        let mut kept = DocumentBatch::default();
        let mut left_out = Vec::new();
        // Known documents that an earlier one of these replaces.
        let (mut gone, mut scratch) = (HashSet::new(), QueryScratch::new(makers()));
        for (number, (place, mut matched)) in all.iter().zip(matched).enumerate() {
            let view = plain(place);
            let query = rules.query(&view);
            if matched.is_some_and(|matched| gone.contains(&matched.at)) {
                matched = best(place, &gone, &mut scratch)?;
            }
            let matched = match matched {
                Some(Match { at, counts }) => Some((known.document(at).id(), counts)),
                None => taken.matched(criterion, (view.id, view.sweep), &query),
            };
            if let Some((of, counts)) = matched {
                left_out.push(DuplicateLeftOut { place: number, of: of.to_owned(), counts });
                continue;
            }
            gone.extend(known.with_id_in(view.id, view.sweep));
            let (at, index) = *place;
            let mut views: Vec<SignatureView<'_>> = Vec::new();
            kept.push(&batches[at].get(index, DocNumber(0), DocNumber(0), &mut views));
            taken.push(view.id, view.sweep, query);
        }
        Ok((vec![kept], left_out))
    }

    /// Gives up what was staged, deleted and put since the last commit. A writer that has stopped
    /// stays so.
    ///
    /// # Errors
    /// A file that cannot be removed; the next writer removes it, and this one has stopped.
    pub fn abandon(&mut self) -> Result<(), IndexError> {
        let failed = self.failed.take();
        let result = self.step(Self::abandon_pending);
        self.failed = failed.or(self.failed.take());
        result
    }

    fn abandon_pending(&mut self) -> Result<(), IndexError> {
        let state = self.store.state();
        // Numbers of files that may be left are not used again by this writer.
        let next_segment = self.pending.next_segment;
        let pending =
            std::mem::replace(&mut self.pending, Pending::at(state.next_number, next_segment));
        for staged in pending.segments {
            let path = layout::unfinished(&self.dir, staged.id);
            drop(staged);
            self.disk.remove(&path).map_err(IndexError::io(&path))?;
        }
        Ok(())
    }
}

/// The sets that were taken so far, found by the elements of their prefixes.
#[derive(Default)]
struct Accepted<'a> {
    documents: Vec<(&'a str, u32, QuerySet<'a>)>,
    /// By each element the documents that have it.
    postings: HashMap<u64, Vec<u32>>,
}

impl<'a> Accepted<'a> {
    fn push(&mut self, id: &'a str, sweep: u32, query: QuerySet<'a>) {
        let number = self.documents.len() as u32;
        for &element in query.set {
            self.postings.entry(element).or_default().push(number);
        }
        self.documents.push((id, sweep, query));
    }

    /// The id of a set that was taken, of another id, that a set matches, and their counts.
    fn matched(
        &self,
        criterion: Criterion,
        own: (&str, u32),
        query: &QuerySet<'_>,
    ) -> Option<(&'a str, Overlap)> {
        // A match shares one of the first elements, of all that are in any order.
        let prefix = criterion.prefix_length(query.set.len() as u32) as usize;
        let mut seen = std::collections::BTreeSet::new();
        let prefix = query.set.iter().take(prefix);
        prefix.filter_map(|element| self.postings.get(element)).flatten().find_map(|&number| {
            let (id, sweep, taken) = &self.documents[number as usize];
            let comparable = match query.few || taken.few {
                true => taken.sequence == query.sequence,
                false => true,
            };
            let may_match = (*id, *sweep) != own
                && comparable
                && differ(taken.value, query.value)
                && seen.insert(number);
            let counts = may_match.then(|| verify(criterion, query.set, taken.set)).flatten()?;
            Some((*id, counts))
        })
    }
}

impl<'a> NewDocument<'a> {
    fn content(&self) -> &'a str {
        self.batch.get_plain(self.index, self.number, self.first).content
    }
}
