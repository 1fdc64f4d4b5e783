//! What can be read of a damaged index, and a new index of it.
//!
//! [`Salvage::read`] changes nothing. A document is taken if it is as it was written: its row and
//! its strings lie in parts of the file that have their checksums, and its text has its digest (a
//! stored set the digest of its unit). What a segment derives from these (postings, hashes, sets,
//! states) is made again.
//!
//! The store says which segments exist and which of their documents are deleted. Without it, all
//! segment files count, and documents that were deleted may be there again; of several documents
//! with one id (in a sweep) the last one counts.

use crate::disk::{Disk, LockGuard};
use crate::scratch::MakeSets;
use crate::segment::{Segment, SegmentSettings, StoredSignature, TextReader};
use crate::store::{self, Record, StoreContents, read_store};
use crate::writer::IndexWriter;
use crate::{
    Description, DocNumber, DocumentBatch, DocumentView, IndexError, SignatureView, layout,
};
use rayon::prelude::*;
use roaring::RoaringBitmap;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::ErrorKind;
use std::path::Path;

/// What can be read of an index.
#[derive(Debug)]
pub struct Salvage {
    segments: Vec<Found>,
    /// Documents to take, in the order of their numbers: segment, local number.
    documents: Vec<(u32, u32)>,
    records: Vec<Record>,
    next_number: u32,
    report: Salvaged,
    /// No writer changes the index meanwhile, where that can be prevented.
    _lock: Option<LockGuard>,
}

/// What was found and lost.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Salvaged {
    /// Documents that are in the new index.
    pub documents: u64,
    /// Documents of readable segments that are lost.
    pub lost: u64,
    /// Segments of which nothing can be read, with the documents that they had.
    pub lost_segments: Vec<LostSegment>,
    /// Documents left out because a later one has their id: the store, which says which are
    /// replaced, could not be read.
    pub replaced: u64,
    /// Whether it is known which documents were deleted. Otherwise deleted ones may be there again.
    pub deletes_known: bool,
    /// Records of the caller.
    pub records: u64,
    /// What is wrong with the files.
    pub wrong: Vec<String>,
}

/// Makes the signatures of a text by the methods of an index; with what the caller stored beside it.
pub(crate) type SignTexts<'a> = &'a (dyn Fn(&str, &[u8]) -> Vec<StoredSignature> + Sync);

impl Salvaged {
    /// Whether nothing was wrong, and nothing is lost.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let nothing_lost = self.lost == 0 && self.lost_segments.is_empty() && self.replaced == 0;
        nothing_lost && self.deletes_known && self.wrong.is_empty()
    }
}

/// A segment of which nothing can be read.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct LostSegment {
    /// Its file.
    pub file: String,
    /// Its documents that were not deleted, if the store says how many.
    pub documents: Option<u64>,
}

#[derive(Debug)]
struct Found {
    segment: Segment,
    /// Deleted or damaged.
    gone: RoaringBitmap,
    /// Whether its signatures are as they were written.
    signed: bool,
}

/// Texts that are made sets of at once.
const AT_ONCE: u64 = 64 << 20;

/// Documents of a task.
const TASK: usize = 64;

/// What is wrong with the files of an index, but for what the segments say: the store, the lock, and
/// segments that cannot be opened, which are checked as far as they can be read.
///
/// Reads the whole store. The index may be written to at the same time.
#[must_use]
pub fn check_files(disk: &dyn Disk, dir: &Path, description: &Description) -> Vec<String> {
    let mut wrong = Vec::new();
    if let Err(error) = disk.read(&dir.join("lock"))
        && error.kind() != ErrorKind::NotFound
        && error.kind() != ErrorKind::PermissionDenied
    {
        wrong.push(format!("{}: {error}", dir.join("lock").display()));
    }
    let rules = match description.rules(dir) {
        Ok(rules) => rules,
        Err(error) => return vec![error.to_string()],
    };
    let settings = description.segment_settings(&rules);
    let Some(store) = read_store(disk, dir, settings.digest) else { return wrong };
    wrong.extend(store.wrong.iter().cloned());
    let (found, lost) = match segments(disk, dir, &settings, &store) {
        Ok(found) => found,
        Err(error) => {
            wrong.push(error.to_string());
            return wrong;
        }
    };
    let Some(state) = &store.state else {
        // The index cannot be opened.
        wrong.extend(lost.into_iter().map(|(_, error)| error));
        wrong.extend(found.par_iter().flat_map_iter(|(_, s)| s.check(None)).collect::<Vec<_>>());
        return wrong;
    };
    // A segment that a later commit has replaced is gone.
    let newest = || read_store(disk, dir, settings.digest).and_then(|store| store.state);
    if !lost.is_empty() && newest().is_some_and(|newest| newest.commit == state.commit) {
        wrong.extend(lost.into_iter().map(|(_, error)| error));
        wrong.extend(found.par_iter().flat_map_iter(|(_, s)| s.check(None)).collect::<Vec<_>>());
    }
    for (id, segment) in &found {
        let Some(entry) = state.segment(*id) else { continue };
        let path = segment.path().display();
        let is = (segment.documents(), segment.units(), segment.posting_count(), segment.bytes());
        let said = (entry.documents, entry.units, entry.postings, entry.bytes);
        if is != said || segment.checksum() != entry.checksum {
            wrong.push(format!("{path}: damaged: it is not the segment that was committed"));
        }
        if *id >= state.next_segment {
            wrong.push(format!("{path}: the store says that {} is next", state.next_segment));
        }
        let last = (0..segment.documents()).map(|local| segment.row(local).number.0).max();
        if last.is_some_and(|last| last >= state.next_number) {
            let next = state.next_number;
            wrong.push(format!("{path}: it has the document {last:?}, and the next is {next}"));
        }
    }
    wrong
}

/// The segments that exist, and why others cannot be read.
type Segments = (Vec<(u64, Segment)>, Vec<(u64, String)>);

/// Opens the segments of the store; without its state all that have a file.
fn segments(
    disk: &dyn Disk,
    dir: &Path,
    settings: &SegmentSettings,
    store: &StoreContents,
) -> Result<Segments, IndexError> {
    let ids: BTreeSet<u64> = match &store.state {
        Some(state) => state.segments.iter().map(|entry| entry.id).collect(),
        None => {
            let folder = layout::segments(dir);
            let names = disk.list(&folder).map_err(IndexError::io(&folder))?;
            let files = names.iter().filter_map(|name| layout::segment_id(name));
            files.chain(store.segments.iter().copied()).collect()
        }
    };
    let (mut found, mut lost) = (Vec::new(), Vec::new());
    for id in ids {
        let path = layout::segment(dir, id);
        let opened = disk.map(&path).map_err(IndexError::io(&path));
        match opened.and_then(|data| Segment::salvage(data, &path, settings)) {
            Ok(segment) => found.push((id, segment)),
            Err(error) => lost.push((id, error.to_string())),
        }
    }
    Ok((found, lost))
}

impl Salvage {
    /// Reads all that can be read of an index.
    ///
    /// # Errors
    /// [`IndexError::Locked`] if another process writes to it; settings that cannot be read.
    pub fn read(
        disk: &dyn Disk,
        dir: &Path,
        description: &Description,
    ) -> Result<Self, IndexError> {
        let mut report = Salvaged::default();
        let lock = match store::lock(disk, dir) {
            Ok(lock) => Some(lock),
            Err(error @ IndexError::Locked { .. }) => return Err(error),
            Err(error) => {
                report.wrong.push(error.to_string());
                None
            }
        };
        let rules = description.rules(dir)?;
        let settings = description.segment_settings(&rules);
        let store = read_store(disk, dir, settings.digest).unwrap_or_default();
        report.wrong.extend(store.wrong.iter().cloned());
        report.deletes_known = store.state.is_some();
        report.records = store.records.len() as u64;
        let (opened, lost) = segments(disk, dir, &settings, &store)?;
        for (id, error) in lost {
            report.wrong.push(error);
            let entry = store.state.as_ref().and_then(|state| {
                let dead = state.dead.get(&id).map_or(0, |dead| dead.len());
                state.segment(id).map(|entry| u64::from(entry.documents).saturating_sub(dead))
            });
            let file = layout::segment(dir, id).display().to_string();
            report.lost_segments.push(LostSegment { file, documents: entry });
        }
        let mut segments = Vec::new();
        for (id, segment) in opened {
            let dead = store.state.as_ref().and_then(|state| state.dead.get(&id));
            let mut gone = dead.map(|dead| (**dead).clone()).unwrap_or_default();
            let unsound = segment.unsound();
            let lost: RoaringBitmap = (0..segment.documents())
                .filter(|&local| !gone.contains(local) && !segment.is_sound(local, &unsound))
                .collect();
            if !lost.is_empty() {
                let path = segment.path().display();
                report.wrong.push(format!("{path}: {} documents are damaged", lost.len()));
            }
            report.lost += lost.len();
            gone |= lost;
            let signed = segment.are_signatures_sound(&unsound);
            segments.push(Found { segment, gone, signed });
        }
        let mut salvage = Self {
            segments,
            documents: Vec::new(),
            records: store.records,
            next_number: store.state.map_or(0, |state| state.next_number),
            report,
            _lock: lock,
        };
        salvage.choose();
        Ok(salvage)
    }

    /// Chooses the documents: of each id in a sweep the one that was added last.
    fn choose(&mut self) {
        // By id and sweep: the number of the document, and where it is.
        let mut last = HashMap::<_, (DocNumber, (u32, u32))>::new();
        let mut numbers = BTreeMap::new();
        for (at, Found { segment, gone, .. }) in (0..).zip(&self.segments) {
            for local in (0..segment.documents()).filter(|&local| !gone.contains(local)) {
                let row = segment.row(local);
                // A segment that was merged into another one may still have its file.
                if numbers.insert(row.number, (at, local)).is_some() {
                    continue;
                }
                let key = (segment.id(local), row.sweep);
                match last.entry(key) {
                    std::collections::hash_map::Entry::Vacant(new) => {
                        new.insert((row.number, (at, local)));
                    }
                    std::collections::hash_map::Entry::Occupied(mut known) => {
                        self.report.replaced += 1;
                        if known.get().0 < row.number {
                            known.insert((row.number, (at, local)));
                        }
                    }
                }
            }
        }
        let mut chosen: Vec<(DocNumber, (u32, u32))> = last.into_values().collect();
        chosen.sort_unstable();
        let next = chosen.last().map_or(0, |(number, _)| number.0.saturating_add(1));
        self.next_number = self.next_number.max(next);
        self.documents = chosen.into_iter().map(|(_, place)| place).collect();
    }

    /// The records.
    #[must_use]
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// The sweeps of the documents.
    #[must_use]
    pub fn sweeps(&self) -> BTreeSet<u32> {
        let sweep = |&(at, local): &(u32, u32)| self.segments[at as usize].segment.row(local).sweep;
        self.documents.iter().map(sweep).collect()
    }

    /// Puts all documents and records into a new index with the same settings, with their numbers,
    /// and commits them. `sign` makes signatures by the methods of the index, where the stored ones are
    /// damaged.
    ///
    /// # Errors
    /// Files that cannot be written.
    pub fn fill(
        mut self,
        writer: &mut IndexWriter,
        makers: &MakeSets,
        sign: SignTexts<'_>,
    ) -> Result<Salvaged, IndexError> {
        let text_bytes = |&(at, local): &(u32, u32)| {
            self.segments[at as usize].segment.row(local).text_bytes.saturating_add(1 << 10)
        };
        let mut rest = &self.documents[..];
        while !rest.is_empty() {
            let mut bytes = 0u64;
            let fits = rest.iter().take_while(|place| {
                bytes = bytes.saturating_add(text_bytes(place));
                bytes <= AT_ONCE
            });
            let (now, later) = rest.split_at(fits.count().max(1));
            rest = later;
            let made: Vec<Made> =
                now.par_chunks(TASK).map(|places| self.make(places, makers, sign)).collect();
            for (made, places) in made.iter().zip(now.chunks(TASK)) {
                let lost = (places.len() - made.places.len()) as u64;
                self.report.lost += lost;
                self.report.wrong.extend(made.wrong.iter().cloned());
            }
            self.report.documents += made.iter().map(|made| made.places.len() as u64).sum::<u64>();
            let batches: Vec<(&DocumentBatch, &[(DocNumber, DocNumber)])> =
                made.iter().map(|made| (&made.batch, &made.places[..])).collect();
            writer.restore(&batches)?;
        }
        for Record { table, key, value } in &self.records {
            writer.put(*table, key, value.as_deref());
        }
        writer.restore_numbers(self.next_number);
        writer.commit()?;
        writer.merge_where_due()?;
        Ok(self.report)
    }

    /// Makes documents again of what is stored of them.
    fn make(&self, places: &[(u32, u32)], makers: &MakeSets, sign: SignTexts<'_>) -> Made {
        let mut made = Made::default();
        let (mut maker, mut texts, mut set) = (makers(), TextReader::default(), Vec::new());
        for &(at, local) in places {
            let Found { segment, signed, .. } = &self.segments[at as usize];
            let stored = || {
                let methods = 0..segment.methods();
                methods.map(|method| segment.signature(method, local)).collect()
            };
            let read = match segment.has_texts() {
                true => segment.text(local, &mut texts).map(|text| {
                    let unit = maker.make(text, segment.extra(local), &mut set);
                    let few = segment.row(local).few;
                    let of_words =
                        || maker.few_unit(segment.row(local).sequence, segment.extra(local));
                    let unit = if few { Some(of_words()) } else { unit };
                    (text, unit, if *signed { stored() } else { sign(text, segment.extra(local)) })
                }),
                false => segment.stored_set(local, &mut set).map(|()| {
                    let unit = segment.unit_of(local).map(|unit| segment.unit_digest(unit));
                    ("", unit, stored())
                }),
            };
            let (content, unit, signatures) = match read {
                Ok(read) => read,
                Err(error) => {
                    made.wrong.push(error.to_string());
                    continue;
                }
            };
            let row = segment.row(local);
            let views: Vec<SignatureView<'_>> =
                signatures.iter().map(StoredSignature::view).collect();
            let keep: Vec<f64> = segment.keep(local).collect();
            made.batch.push(&DocumentView {
                number: row.number,
                first: row.first,
                sweep: row.sweep,
                expires: row.expires,
                id: segment.id(local),
                url: segment.url(local),
                date: segment.date(local),
                extra: segment.extra(local),
                tokens: row.tokens,
                text_bytes: row.text_bytes,
                text: row.text,
                sequence: row.sequence,
                keep: &keep,
                unit,
                reason: row.reason,
                few: row.few,
                set: &set,
                content,
                signatures: &views,
            });
            made.places.push((row.number, row.first));
        }
        made
    }
}

/// Documents that were made again.
#[derive(Default)]
struct Made {
    batch: DocumentBatch,
    /// Number and first number of each.
    places: Vec<(DocNumber, DocNumber)>,
    wrong: Vec<String>,
}
