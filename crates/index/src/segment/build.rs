//! Segments of new documents.

use super::columns::STRINGS;
use super::compose::{Documents, MOST_DOCUMENTS, PlannedUnit, Stored, compose, partition_bits};
use super::postings::entry;
use super::sections::Built;
use super::{Row, SegmentSettings, sets, texts};
use crate::{DocNumber, DocumentBatch, DocumentView, SignatureView};
use lookalike_core::{BitmapSignature, SetDigest};
use rayon::prelude::*;
use std::io::{self, Write};

/// A new document, with its number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewDocument<'a> {
    pub(crate) batch: &'a DocumentBatch,
    pub(crate) index: usize,
    pub(crate) number: DocNumber,
    pub(crate) first: DocNumber,
}

impl<'a> NewDocument<'a> {
    fn with<T>(&self, read: impl FnOnce(DocumentView<'_>) -> T) -> T {
        let mut views = Vec::new();
        read(self.batch.get(self.index, self.number, self.first, &mut views))
    }

    fn plain(&self) -> DocumentView<'a> {
        self.batch.get_plain(self.index, self.number, self.first)
    }
}

/// Writes a segment of new documents, in any order, without its states.
///
/// Memory: 16 bytes for each element, and 12 for each document, besides the documents.
pub(crate) fn build(
    settings: &SegmentSettings,
    documents: &[NewDocument<'_>],
    dictionary: &[u8],
    out: &mut dyn Write,
) -> io::Result<Built> {
    if documents.len() as u64 > MOST_DOCUMENTS {
        return Err(io::Error::other("more documents than a segment can number"));
    }
    // Documents without features come last.
    let key = |document: &NewDocument<'_>| -> (bool, usize, Option<SetDigest>, DocNumber) {
        let view = document.plain();
        (view.unit.is_none(), view.set.len(), view.unit, document.number)
    };
    let mut ordered: Vec<&NewDocument<'_>> = documents.iter().collect();
    ordered.par_sort_by_cached_key(|document| key(document));
    let mut units: Vec<PlannedUnit> = Vec::new();
    for (local, document) in (0..).zip(&ordered) {
        let view = document.plain();
        let Some(digest) = view.unit else { break };
        let size = view.set.len() as u32;
        match units.last_mut() {
            Some(last) if (last.size, last.digest) == (size, digest) => last.end = local + 1,
            _ => units.push(PlannedUnit {
                size,
                digest,
                bitmap: BitmapSignature::of(view.set),
                end: local + 1,
            }),
        }
    }
    let entries = scatter(&ordered, &units);
    let new = NewDocuments { settings, ordered, entries, dictionary };
    compose(settings, &units, &new, dictionary, out)
}

/// Entries by their first bits.
struct Entries {
    entries: Vec<u64>,
    /// Where each partition begins.
    starts: Vec<usize>,
    bits: u32,
}

/// Partitions the entries of all units by their first bits, in two passes over the sets.
fn scatter(ordered: &[&NewDocument<'_>], units: &[PlannedUnit]) -> Entries {
    let total: u64 = units.iter().map(|unit| u64::from(unit.size)).sum();
    let bits = partition_bits(total);
    let partition = |element: u64| if bits == 0 { 0 } else { (element >> (64 - bits)) as usize };
    let sets = |each: &mut dyn FnMut(u32, &[u64])| {
        let mut start = 0;
        for (unit, planned) in (0..).zip(units) {
            each(unit, ordered[start as usize].plain().set);
            start = planned.end;
        }
    };
    let mut starts = vec![0usize; (1 << bits) + 1];
    sets(&mut |_, set| set.iter().for_each(|&element| starts[partition(element) + 1] += 1));
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let mut next = starts.clone();
    let mut entries = vec![0u64; total as usize];
    sets(&mut |unit, set| {
        for &element in set {
            let place = &mut next[partition(element)];
            entries[*place] = entry(element, unit);
            *place += 1;
        }
    });
    Entries { entries, starts, bits }
}

struct NewDocuments<'a> {
    settings: &'a SegmentSettings,
    ordered: Vec<&'a NewDocument<'a>>,
    entries: Entries,
    dictionary: &'a [u8],
}

impl NewDocuments<'_> {
    fn at(&self, local: u32) -> &NewDocument<'_> {
        self.ordered[local as usize]
    }
}

impl Documents for NewDocuments<'_> {
    fn len(&self) -> u32 {
        self.ordered.len() as u32
    }

    fn row(&self, local: u32) -> Row {
        let view = self.at(local).plain();
        Row {
            number: view.number,
            first: view.first,
            sweep: view.sweep,
            tokens: view.tokens,
            expires: view.expires,
            text_bytes: view.text_bytes,
            text: view.text,
            sequence: view.sequence,
            few: view.few,
            reason: view.reason,
            place: (0, 0),
        }
    }

    fn strings(&self, local: u32) -> [&[u8]; STRINGS as usize] {
        let view = self.at(local).plain();
        [view.id.as_bytes(), view.url.as_bytes(), view.date.as_bytes(), view.extra]
    }

    fn keep(&self, local: u32) -> Vec<f64> {
        let view = self.at(local).plain();
        let value = |at: usize| view.keep.get(at).copied().unwrap_or(f64::NAN);
        (0..self.settings.keep_values as usize).map(value).collect()
    }

    fn signature(&self, local: u32, method: u32, each: &mut dyn FnMut(SignatureView<'_>)) {
        self.at(local).with(|view| {
            each(view.signatures.get(method as usize).copied().unwrap_or_default());
        });
    }

    fn store(&self, documents: &[u32], stored: &mut Stored) -> io::Result<()> {
        if !self.settings.texts {
            return documents.iter().try_for_each(|&local| {
                sets::encode(self.at(local).plain().set, &mut stored.bytes);
                stored.end()
            });
        }
        let mut compressor = texts::TextCompressor::new(self.dictionary)?;
        documents.iter().try_for_each(|&local| {
            let view = self.at(local).plain();
            if view.text_bytes != view.content.len() as u64 {
                // It could not be read again.
                let what = format!("document `{}` has another number of bytes than said", view.id);
                return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
            }
            compressor.compress(view.content, &mut stored.bytes)?;
            stored.end()
        })
    }

    fn entries(&self, partition: u64, bits: u32, out: &mut Vec<u64>) {
        debug_assert_eq!(bits, self.entries.bits);
        let starts = &self.entries.starts;
        let partition = partition as usize;
        out.extend_from_slice(&self.entries.entries[starts[partition]..starts[partition + 1]]);
    }
}
