//! Segments of new documents.

use super::columns::STRINGS;
use super::compose::{Documents, MOST_DOCUMENTS, PlannedUnit, Stored, compose, partition_bits};
use super::format::Built;
use super::postings::entry;
use super::texts::{Dictionary, TextCompressor};
use super::{Row, SegmentSettings, sets};
use crate::description::Rules;
use crate::{DocNumber, DocumentBatch, DocumentView, Rank, Ranked, SignatureView};
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

    /// The place of the document in the order of precedence.
    pub(crate) fn rank(&self, rules: &Rules) -> Rank {
        let document = self.plain();
        rules.precedence.rank(Ranked {
            size: document.set.len() as u32,
            keep: document.keep,
            id: document.id,
            first: document.first,
        })
    }

    /// The key of the document's value ([`Rules::value`]).
    pub(crate) fn value(&self, rules: &Rules) -> u64 {
        rules.value(&self.plain())
    }

    pub(crate) fn numbers(&self) -> DocumentView<'a> {
        self.batch.get_numbers(self.index, self.number, self.first)
    }

    pub(crate) fn set(&self) -> &'a [u64] {
        self.batch.set(self.index)
    }
}

/// Writes a segment of new documents, in any order, without its states.
///
/// Memory besides the documents: 8 bytes for each element and each key of a method, and about 180
/// for each document.
///
/// # Errors
/// A document whose text has another length than it says; more documents, units or postings than a
/// segment can number; those of the writer.
pub(crate) fn build(
    settings: &SegmentSettings,
    documents: &[NewDocument<'_>],
    dictionary: &Dictionary,
    out: &mut dyn Write,
) -> io::Result<Built> {
    if documents.len() as u64 > MOST_DOCUMENTS {
        return Err(io::Error::other("more documents than a segment can number"));
    }
    // Documents without features come last.
    let key = |document: &NewDocument<'_>| -> (bool, usize, Option<SetDigest>, DocNumber) {
        let unit = document.numbers().unit;
        (unit.is_none(), document.set().len(), unit, document.number)
    };
    let mut ordered: Vec<&NewDocument<'_>> = documents.iter().collect();
    ordered.par_sort_by_cached_key(|document| key(document));
    let mut units: Vec<PlannedUnit> = Vec::new();
    for (local, document) in (0..).zip(&ordered) {
        let Some(digest) = document.numbers().unit else { break };
        let size = document.set().len() as u32;
        match units.last_mut() {
            Some(last) if (last.size, last.digest) == (size, digest) => last.end = local + 1,
            _ => {
                let bitmap = BitmapSignature::default();
                units.push(PlannedUnit { size, digest, bitmap, end: local + 1 });
            }
        }
    }
    units.par_iter_mut().for_each(|unit| {
        // Any document of the unit.
        unit.bitmap = BitmapSignature::of(ordered[unit.end as usize - 1].set());
    });
    let (entries, bits) = scatter(settings, &ordered, &units);
    let new = NewDocuments { settings, ordered, entries, bits, dictionary };
    compose(settings, &units, &new, dictionary.bytes(), out)
}

/// Entries of some units, by their first bits.
struct Entries {
    entries: Vec<u64>,
    /// Where each partition begins.
    starts: Vec<usize>,
}

/// Partitions the entries of all units by their first bits, how many it returns: each thread those
/// of some units, in two passes over their sets.
fn scatter(
    settings: &SegmentSettings,
    ordered: &[&NewDocument<'_>],
    units: &[PlannedUnit],
) -> (Vec<Entries>, u32) {
    let total: u64 = units.iter().map(|unit| u64::from(settings.posted(unit.size))).sum();
    let element_bits = settings.element_bits();
    let bits = partition_bits(total);
    let partition = |element: u64| if bits == 0 { 0 } else { (element >> (64 - bits)) as usize };
    let share = total.div_ceil(rayon::current_num_threads().max(1) as u64).max(1);
    let (mut before, mut shares) = (0, Vec::new());
    let numbered: Vec<(u32, &PlannedUnit)> = (0..).zip(units).collect();
    for unit in &numbered {
        let of = before / share;
        before += u64::from(settings.posted(unit.1.size));
        shares.push(of);
    }
    let chunks = numbered.chunk_by(|a, b| shares[a.0 as usize] == shares[b.0 as usize]);
    let chunks: Vec<&[(u32, &PlannedUnit)]> = chunks.collect();
    let scattered = chunks.par_iter().map(|units| {
        let set = |unit: &PlannedUnit| ordered[unit.end as usize - 1].set();
        let mut starts = vec![0usize; (1 << bits) + 1];
        let mut buffer = Vec::new();
        for (_, unit) in *units {
            let posted = settings.posted_of(set(unit), &mut buffer);
            posted.iter().for_each(|&element| starts[partition(element) + 1] += 1);
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut entries = vec![0u64; starts[1 << bits]];
        for &(number, unit) in *units {
            for &element in settings.posted_of(set(unit), &mut buffer) {
                let place = &mut next[partition(element)];
                entries[*place] = entry(element, element_bits, number);
                *place += 1;
            }
        }
        Entries { entries, starts }
    });
    (scattered.collect(), bits)
}

struct NewDocuments<'a> {
    settings: &'a SegmentSettings,
    ordered: Vec<&'a NewDocument<'a>>,
    entries: Vec<Entries>,
    /// By how many bits the entries are partitioned.
    bits: u32,
    dictionary: &'a Dictionary,
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
        let view = self.at(local).numbers();
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
        let document = self.at(local);
        document.batch.strings(document.index)
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
                sets::encode(self.at(local).set(), &mut stored.bytes);
                stored.end()
            });
        }
        let mut compressor = TextCompressor::new(self.dictionary)?;
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
        debug_assert_eq!(bits, self.bits);
        let partition = partition as usize;
        for Entries { entries, starts } in &self.entries {
            out.extend_from_slice(&entries[starts[partition]..starts[partition + 1]]);
        }
    }
}
