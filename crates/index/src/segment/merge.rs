//! Segments of the documents of other segments, without the deleted ones.
//!
//! Units keep their order, which is that of size and digest in every segment; equal units of
//! several segments become one. No set is made and no text is read: postings are renumbered, and
//! texts are copied as they are, unless the segments have different dictionaries.

use super::columns::STRINGS;
use super::compose::{Documents, MOST_DOCUMENTS, PlannedUnit, Stored, compose};
use super::format::Built;
use super::postings::NUMBER_BITS;
use super::texts::{Dictionary, NO_DICTIONARY, TextCompressor, TextReader, dictionary_id};
use super::{Row, Segment, SegmentSettings};
use crate::disk::ReadOrder;
use crate::{DocNumber, SignatureView};
use lookalike_core::SetDigest;
use roaring::RoaringBitmap;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::io::{self, Write};

/// A segment to merge.
#[derive(Clone, Copy)]
pub(crate) struct MergePart<'a> {
    pub(crate) segment: &'a Segment,
    /// Its deleted documents.
    pub(crate) dead: &'a RoaringBitmap,
    /// Changes the rows of its documents: their numbers and sweeps in another index.
    pub(crate) rewrite: Option<&'a (dyn Fn(Row) -> Row + Sync)>,
}

impl MergePart<'_> {
    /// The row of a document in the new segment.
    fn row(&self, local: u32) -> Row {
        let row = self.segment.row(local);
        self.rewrite.map_or(row, |rewrite| rewrite(row))
    }
}

/// No unit.
const GONE: u32 = u32::MAX;

/// Writes a segment of the live documents of others, without its states.
///
/// Memory: about 110 bytes for each document, 8 for each key of a method, and a tenth of a byte for
/// each posting. The parts are mapped.
///
/// # Errors
/// A part with a wrong checksum; more documents, units or postings than a segment can number; those
/// of the writer.
pub(crate) fn merge(
    settings: &SegmentSettings,
    parts: &[MergePart<'_>],
    out: &mut dyn Write,
) -> io::Result<Built> {
    let live: u64 =
        parts.iter().map(|part| u64::from(part.segment.documents()) - part.dead.len()).sum();
    if live > MOST_DOCUMENTS {
        return Err(io::Error::other("more documents than a segment can number"));
    }
    parts.iter().for_each(|part| part.segment.expect(ReadOrder::Sequential));
    let written = write(settings, parts, out);
    parts.iter().for_each(|part| part.segment.expect(ReadOrder::Random));
    written
}

fn write(
    settings: &SegmentSettings,
    parts: &[MergePart<'_>],
    out: &mut dyn Write,
) -> io::Result<Built> {
    // Damage would have right checksums in the new segment.
    for part in parts {
        if let Some(section) = part.segment.wrong_checksums().first() {
            return Err(damaged(part.segment, &format!("the checksum of {section} is wrong")));
        }
    }
    let plan = Plan::new(parts);
    let dictionary = dictionary_of(parts);
    let id = dictionary_id(dictionary);
    let is_copied = |part: &MergePart<'_>| part.segment.dictionary == id;
    let is_whole = parts.iter().all(is_copied);
    let again = Dictionary::new(if is_whole { Vec::new() } else { dictionary.to_vec() })?;
    let merged = Merged { parts, plan: &plan, dictionary: id, again, settings };
    compose(settings, &plan.units, &merged, dictionary, out)
}

/// The dictionary of most documents, so that few texts are compressed again; none only if no part
/// has one.
fn dictionary_of<'a>(parts: &[MergePart<'a>]) -> &'a [u8] {
    let mut documents: BTreeMap<u64, (u64, &[u8])> = BTreeMap::new();
    for MergePart { segment, .. } in parts {
        let (count, dictionary) = documents.entry(segment.dictionary).or_default();
        *count += u64::from(segment.documents());
        *dictionary = segment.dictionary();
    }
    documents.remove(&NO_DICTIONARY);
    let most = documents.into_values().max_by_key(|&(count, _)| count);
    most.map_or(&[][..], |(_, dictionary)| dictionary)
}

fn damaged(segment: &Segment, what: &str) -> io::Error {
    io::Error::other(format!("{}: damaged: {what}", segment.path().display()))
}

/// Where the documents and units of a merged segment come from.
struct Plan {
    units: Vec<PlannedUnit>,
    /// By local number: the part, and the local number there.
    documents: Vec<(u16, u32)>,
    /// For each part the new number of each unit whose postings are taken, else [`GONE`].
    renumbered: Vec<Vec<u32>>,
}

impl Plan {
    fn new(parts: &[MergePart<'_>]) -> Self {
        let mut renumbered: Vec<Vec<u32>> =
            parts.iter().map(|part| vec![GONE; part.segment.units() as usize]).collect();
        let mut units: Vec<PlannedUnit> = Vec::new();
        let mut documents: Vec<(u16, u32)> = Vec::new();
        // The next unit of each part, by size, digest and part.
        let mut next: BinaryHeap<Reverse<(u32, SetDigest, usize, u32)>> = BinaryHeap::new();
        let head = |part: usize, unit: u32| {
            let segment = parts[part].segment;
            let exists = unit < segment.units();
            exists
                .then(|| Reverse((segment.unit_size(unit), segment.unit_digest(unit), part, unit)))
        };
        next.extend((0..parts.len()).filter_map(|part| head(part, 0)));
        let mut of_unit: Vec<(DocNumber, u16, u32)> = Vec::new();
        while let Some(Reverse((size, digest, part, unit))) = next.pop() {
            let mut same = vec![(part, unit)];
            next.extend(head(part, unit + 1));
            while let Some(&Reverse((s, d, part, unit))) = next.peek()
                && (s, d) == (size, digest)
            {
                next.pop();
                next.extend(head(part, unit + 1));
                same.push((part, unit));
            }
            of_unit.clear();
            for &(part, unit) in &same {
                let MergePart { segment, dead, .. } = parts[part];
                let live = segment.unit_documents(unit).filter(|&local| !dead.contains(local));
                of_unit.extend(live.map(|at| (parts[part].row(at).number, part as u16, at)));
            }
            if of_unit.is_empty() {
                continue;
            }
            of_unit.sort_unstable();
            documents.extend(of_unit.iter().map(|&(_, part, local)| (part, local)));
            // The postings of equal units are the same: one part's are taken.
            let (part, unit) = same[0];
            renumbered[part][unit as usize] = units.len() as u32;
            let bitmap = parts[part].segment.unit_bitmap(unit);
            units.push(PlannedUnit { size, digest, bitmap, end: documents.len() as u32 });
        }
        // Those without features.
        let mut rest: Vec<(DocNumber, u16, u32)> = Vec::new();
        for (number, part) in (0u16..).zip(parts) {
            let MergePart { segment, dead, .. } = part;
            let first = match segment.units().checked_sub(1) {
                Some(last) => segment.unit_documents(last).end,
                None => 0,
            };
            let live = (first..segment.documents()).filter(|&local| !dead.contains(local));
            rest.extend(live.map(|local| (part.row(local).number, number, local)));
        }
        rest.sort_unstable();
        documents.extend(rest.into_iter().map(|(_, part, local)| (part, local)));
        Self { units, documents, renumbered }
    }
}

struct Merged<'a> {
    parts: &'a [MergePart<'a>],
    plan: &'a Plan,
    /// Name of the dictionary of the new segment.
    dictionary: u64,
    /// For texts that were compressed with another one.
    /// The same for texts that are compressed again.
    again: Dictionary,
    settings: &'a SegmentSettings,
}

impl<'a> Merged<'a> {
    fn at(&self, local: u32) -> (&'a Segment, u32) {
        let (part, local) = self.plan.documents[local as usize];
        (self.parts[part as usize].segment, local)
    }
}

impl Documents for Merged<'_> {
    fn len(&self) -> u32 {
        self.plan.documents.len() as u32
    }

    fn row(&self, local: u32) -> Row {
        let (part, local) = self.plan.documents[local as usize];
        self.parts[part as usize].row(local)
    }

    fn strings(&self, local: u32) -> [&[u8]; STRINGS as usize] {
        let (segment, local) = self.at(local);
        [0, 1, 2, 3].map(|column| segment.string(local, column).unwrap_or_default())
    }

    fn keep(&self, local: u32) -> Vec<f64> {
        let (segment, local) = self.at(local);
        segment.keep(local).collect()
    }

    fn signature(&self, local: u32, method: u32, each: &mut dyn FnMut(SignatureView<'_>)) {
        let (segment, local) = self.at(local);
        each(segment.signature(method as usize, local).view());
    }

    fn store(&self, documents: &[u32], stored: &mut Stored) -> io::Result<()> {
        let mut texts = TextReader::default();
        let mut compressor = None;
        for &local in documents {
            let (segment, local) = self.at(local);
            if segment.dictionary == self.dictionary || !self.settings.texts {
                let bytes = segment.stored(local).ok_or_else(|| damaged(segment, "a row"))?;
                stored.bytes.extend_from_slice(bytes);
            } else {
                let compressor = match &mut compressor {
                    Some(compressor) => compressor,
                    none => none.insert(TextCompressor::new(&self.again)?),
                };
                let text = segment.text(local, &mut texts).map_err(io::Error::other)?;
                compressor.compress(text, &mut stored.bytes)?;
            }
            stored.end()?;
        }
        Ok(())
    }

    fn entries(&self, partition: u64, bits: u32, out: &mut Vec<u64>) {
        const NUMBER: u64 = (1 << NUMBER_BITS) - 1;
        for (part, renumbered) in self.parts.iter().zip(&self.plan.renumbered) {
            let start = out.len();
            part.segment.partition_entries(partition, bits, out);
            let mut end = start;
            for at in start..out.len() {
                let entry = out[at];
                let unit = renumbered.get((entry & NUMBER) as usize).copied().unwrap_or(GONE);
                if unit != GONE {
                    out[end] = entry & !NUMBER | u64::from(unit);
                    end += 1;
                }
            }
            out.truncate(end);
        }
    }
}

impl Segment {
    /// Appends the entries whose first bits are `partition`.
    fn partition_entries(&self, partition: u64, bits: u32, out: &mut Vec<u64>) {
        let bucket_bits = self.postings.layout.bucket_bits;
        let start = out.len();
        if bits <= bucket_bits {
            let more = bucket_bits - bits;
            let buckets = partition << more..(partition + 1) << more;
            return self.postings.decode(&self.data, buckets, out);
        }
        // Several partitions share a bucket.
        let bucket = partition >> (bits - bucket_bits);
        self.postings.decode(&self.data, bucket..bucket + 1, out);
        let mut end = start;
        for at in start..out.len() {
            if out[at] >> (64 - bits) == partition {
                out[end] = out[at];
                end += 1;
            }
        }
        out.truncate(end);
    }
}
