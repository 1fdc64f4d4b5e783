//! Writes a segment from documents that are in their order already, new or of other segments.

use super::columns::STRINGS;
use super::format::{Built, Section};
use super::lookup::hash;
use super::postings::{BITS, Layout, NUMBER_BITS, PostingWriter, entry};
use super::sections::{SectionWriter, SegmentWriter};
use super::signatures;
use super::{MOST_POSTINGS, MOST_UNITS, Row, SegmentSettings};
use crate::SignatureView;
use crate::search::{CommonShare, LONG_LIST};
use lookalike_core::{BitmapSignature, SetDigest, SpreadSort, TextDigest};
use rayon::prelude::*;
use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Mutex;

/// A unit of the new segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PlannedUnit {
    pub(super) size: u32,
    pub(super) digest: SetDigest,
    pub(super) bitmap: BitmapSignature,
    /// The local number behind its last document.
    pub(super) end: u32,
}

/// The documents of a new segment, by local number.
pub(super) trait Documents: Sync {
    /// Number of documents.
    fn len(&self) -> u32;
    /// The row of a document, without the place of its text.
    fn row(&self, local: u32) -> Row;
    /// Id, address, date and what the caller stores.
    fn strings(&self, local: u32) -> [&[u8]; STRINGS as usize];
    /// The values of the keep rules.
    fn keep(&self, local: u32) -> Vec<f64>;
    /// Calls `each` with the signature of a method.
    fn signature(&self, local: u32, method: u32, each: &mut dyn FnMut(SignatureView<'_>));
    /// Appends what is stored in the place of the texts of some documents, in their order.
    fn store(&self, documents: &[u32], stored: &mut Stored) -> io::Result<()>;
    /// Appends the entries whose first bits are `partition`, in any order; `bits` may be 0.
    fn entries(&self, partition: u64, bits: u32, out: &mut Vec<u64>);
}

/// What is stored in the place of the texts of some documents, one after the other.
#[derive(Debug, Default)]
pub(super) struct Stored {
    pub(super) bytes: Vec<u8>,
    lengths: Vec<u32>,
    /// Where the last document ends.
    ended: usize,
}

impl Stored {
    /// Ends the bytes of a document, which begin where those of the one before end.
    pub(super) fn end(&mut self) -> io::Result<()> {
        let length = u32::try_from(self.bytes.len() - self.ended)
            .map_err(|_| io::Error::other("a compressed text of four gigabytes or more"))?;
        self.lengths.push(length);
        self.ended = self.bytes.len();
        Ok(())
    }
}

/// Entries of a partition of the postings, about: it is sorted in the cache.
const PARTITION: u64 = 1 << 15;

/// Documents whose texts are compressed by one task, at most, and bytes of text, about.
const CHUNK: (usize, u64) = (256, 1 << 20);

/// Bits by which so many entries are partitioned.
pub(super) fn partition_bits(entries: u64) -> u32 {
    (entries / PARTITION).max(1).next_power_of_two().trailing_zeros()
}

/// Writes a segment, without its states.
pub(super) fn compose(
    settings: &SegmentSettings,
    units: &[PlannedUnit],
    documents: &impl Documents,
    dictionary: &[u8],
    out: &mut dyn Write,
) -> io::Result<Built> {
    let postings: u64 = units.iter().map(|unit| u64::from(settings.posted(unit.size))).sum();
    if postings > MOST_POSTINGS || units.len() as u64 > MOST_UNITS {
        return Err(io::Error::other("more postings or units than a segment can number"));
    }
    let mut writer = SegmentWriter::new(out, settings)?;
    writer.section(Section::Dictionary, |out| out.write_all(dictionary))?;
    let places =
        writer.section(Section::Texts, |out| write_texts(settings, units, documents, out))?;
    writer.column(Section::UnitSizes, units.iter().map(|unit| unit.size.to_le_bytes()))?;
    writer.column(Section::UnitDigests, units.iter().map(|unit| unit.digest.0.to_le_bytes()))?;
    writer.column(Section::UnitBitmaps, units.iter().map(|unit| unit.bitmap.to_le_bytes()))?;
    writer.column(Section::UnitEnds, units.iter().map(|unit| unit.end.to_le_bytes()))?;
    let all = 0..documents.len();
    let row = |local: u32| Row { place: places[local as usize], ..documents.row(local) }.encode();
    writer.column(Section::Rows, all.clone().map(row))?;
    let mut end = 0u64;
    let ends = all.clone().flat_map(|local| documents.strings(local).map(<[u8]>::len));
    writer.column(
        Section::StringEnds,
        ends.map(|length| {
            end += length as u64;
            end.to_le_bytes()
        }),
    )?;
    writer.section(Section::Strings, |out| {
        let mut buffer = Vec::new();
        for local in all.clone() {
            documents.strings(local).iter().for_each(|string| buffer.extend_from_slice(string));
            if buffer.len() > 1 << 16 {
                out.write_all(&buffer)?;
                buffer.clear();
            }
        }
        out.write_all(&buffer)
    })?;
    let keep = all.clone().flat_map(|local| documents.keep(local));
    writer.column(Section::Keep, keep.map(|value| value.to_bits().to_le_bytes()))?;
    let names = |column: usize| -> Vec<(u64, u32)> {
        let name = |local: u32| {
            let name = std::str::from_utf8(documents.strings(local)[column]).unwrap_or_default();
            (!name.is_empty() || column == 0).then(|| (hash(name), local))
        };
        let mut names: Vec<(u64, u32)> = all.clone().into_par_iter().filter_map(name).collect();
        names.par_sort_unstable();
        names
    };
    for (column, hashes, locals) in [
        (0, Section::IdHashes, Section::IdDocuments),
        (1, Section::UrlHashes, Section::UrlDocuments),
    ] {
        let names = names(column);
        writer.column(hashes, names.iter().map(|(hash, _)| hash.to_le_bytes()))?;
        writer.column(locals, names.iter().map(|(_, local)| local.to_le_bytes()))?;
    }
    let mut numbers: Vec<(u32, u32)> =
        all.clone().map(|local| (documents.row(local).number.0, local)).collect();
    numbers.par_sort_unstable();
    writer.column(Section::Numbers, numbers.iter().map(|(number, _)| number.to_le_bytes()))?;
    writer.column(Section::NumberDocuments, numbers.iter().map(|(_, at)| at.to_le_bytes()))?;
    drop(numbers);

    let layout = Layout::new(postings, settings.element_bits(), units.len() as u32);
    let bits = partition_bits(postings);
    let mut common = vec![0u32; units.len()];
    let sections = (Section::Postings, Section::Directory);
    let fill = |partition, out: &mut Vec<u64>| documents.entries(partition, bits, out);
    write_postings(&mut writer, sections, layout, bits, fill, |entries| {
        count_common(entries, &mut common);
    })?;
    let shares = units.iter().zip(common);
    writer.column(
        Section::UnitCommon,
        shares.map(|(unit, common)| [CommonShare::new(common, unit.size).0]),
    )?;
    let mut keys = Vec::new();
    for method in 0..settings.methods {
        keys.push(write_method(&mut writer, method, documents)?);
    }
    writer.finish(documents.len(), units.len() as u32, layout, keys)
}

/// Writes what is stored in the place of texts, and returns where each document's is.
///
/// Documents of a unit that have the same text share it; in a segment of sets, all of a unit do.
fn write_texts(
    settings: &SegmentSettings,
    units: &[PlannedUnit],
    documents: &impl Documents,
    out: &mut SectionWriter<'_>,
) -> io::Result<Vec<(u64, u32)>> {
    // For each document the first one of its unit with the same text.
    let mut owners: Vec<u32> = (0..documents.len()).collect();
    let mut of_unit: HashMap<TextDigest, u32> = HashMap::new();
    let mut start = 0;
    for unit in units {
        let members = start..unit.end;
        start = unit.end;
        if members.len() == 1 {
            continue;
        }
        of_unit.clear();
        for local in members.clone() {
            owners[local as usize] = match settings.texts {
                true => *of_unit.entry(documents.row(local).text).or_insert(local),
                false => members.start,
            };
        }
    }
    let mut places = vec![(0, 0); owners.len()];
    let mut own = (0..documents.len()).filter(|&local| owners[local as usize] == local).peekable();
    let mut group: Vec<Vec<u32>> = Vec::new();
    while own.peek().is_some() {
        // As many chunks as keep all threads busy.
        group.clear();
        for _ in 0..4 * rayon::current_num_threads().max(1) {
            let (mut chunk, mut bytes) = (Vec::new(), 0);
            while chunk.len() < CHUNK.0
                && bytes < CHUNK.1
                && let Some(local) = own.next()
            {
                bytes = documents.row(local).text_bytes.saturating_add(bytes);
                chunk.push(local);
            }
            group.push(chunk);
        }
        let store = |chunk: &Vec<u32>| {
            let mut stored = Stored::default();
            documents.store(chunk, &mut stored).map(|()| stored)
        };
        let stored: Vec<Stored> = group.par_iter().map(store).collect::<io::Result<_>>()?;
        for (chunk, stored) in group.iter().zip(&stored) {
            let mut start = out.written();
            for (&local, &length) in chunk.iter().zip(&stored.lengths) {
                places[local as usize] = (start, length);
                start += u64::from(length);
            }
            out.write_all(&stored.bytes)?;
        }
    }
    for (local, &owner) in owners.iter().enumerate() {
        places[local] = places[owner as usize];
    }
    Ok(places)
}

/// Writes the entries of a posting file, partition by partition, each sorted in the cache.
fn write_postings(
    writer: &mut SegmentWriter<'_>,
    (section, directory): (Section, Section),
    layout: Layout,
    bits: u32,
    fill: impl Fn(u64, &mut Vec<u64>) + Sync,
    mut written: impl FnMut(&[u64]),
) -> io::Result<()> {
    let starts = writer.section(section, |out| {
        let mut postings = PostingWriter::new(layout);
        let partitions: Vec<u64> = (0..1 << bits).collect();
        // Buffers that were written: new ones would be new pages each time.
        let spare: Mutex<Vec<Vec<u64>>> = Mutex::default();
        let sort = |group: &[u64]| -> Vec<Vec<u64>> {
            let sorted = group.par_iter().map_init(SpreadSort::default, |sort, &partition| {
                let spare = spare.lock().ok().and_then(|mut spare| spare.pop());
                let mut entries = spare.unwrap_or_default();
                entries.clear();
                fill(partition, &mut entries);
                sort.sort(&mut entries);
                entries
            });
            sorted.collect()
        };
        let mut groups = partitions.chunks(4 * rayon::current_num_threads().max(1));
        let mut sorted = groups.next().map(sort);
        while let Some(group) = sorted.take() {
            // The next group is sorted while this one is written.
            let next = groups.next();
            rayon::in_place_scope(|scope| {
                scope.spawn(|_| sorted = next.map(sort));
                group.iter().try_for_each(|entries| {
                    written(entries);
                    postings.push_all(entries, out)
                })
            })?;
            if let Ok(mut spare) = spare.lock() {
                spare.extend(group);
            }
        }
        postings.finish(out)
    })?;
    writer.column(directory, starts.iter().map(|start| start.to_le_bytes()))
}

/// Counts for each unit the elements that have long lists, in whole lists of entries.
pub(super) fn count_common(entries: &[u64], common: &mut [u32]) {
    for list in entries.chunk_by(|a, b| a >> NUMBER_BITS == b >> NUMBER_BITS) {
        if list.len() >= LONG_LIST as usize {
            for entry in list {
                // Numbers of a damaged file may be anything.
                if let Some(count) = common.get_mut((entry & ((1 << NUMBER_BITS) - 1)) as usize) {
                    *count += 1;
                }
            }
        }
    }
}

/// Writes the signatures of a method and the postings of its keys. Returns their layout.
///
/// Memory: 8 bytes for each key.
fn write_method(
    writer: &mut SegmentWriter<'_>,
    method: u32,
    documents: &impl Documents,
) -> io::Result<Layout> {
    // A pass for each section: the words of all signatures may not fit in memory.
    let mut each = |section, encode: &mut dyn FnMut(u32, SignatureView<'_>, &mut Vec<u8>)| {
        writer.section(section, |out| {
            let mut buffer = Vec::with_capacity(1 << 17);
            for local in 0..documents.len() {
                documents.signature(local, method, &mut |signature| {
                    encode(local, signature, &mut buffer);
                });
                if buffer.len() > 1 << 16 {
                    out.write_all(&buffer)?;
                    buffer.clear();
                }
            }
            out.write_all(&buffer)
        })
    };
    each(Section::SignatureRows(method), &mut |_, signature, out| {
        out.extend_from_slice(&signatures::row(&signature));
    })?;
    let mut end = 0u64;
    each(Section::SignatureEnds(method), &mut |_, signature, out| {
        for words in [signature.keys, signature.sketch] {
            end += words.len() as u64;
            out.extend_from_slice(&end.to_le_bytes());
        }
    })?;
    let mut entries = Vec::new();
    each(Section::SignatureWords(method), &mut |local, signature, out| {
        let words = signature.keys.iter().chain(signature.sketch);
        words.for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
        entries.extend(signature.keys.iter().map(|&key| entry(key, BITS, local)));
    })?;
    if entries.len() as u64 > MOST_POSTINGS {
        return Err(io::Error::other("more keys of a method than a segment can number"));
    }
    entries.par_sort_unstable();
    let layout = Layout::new(entries.len() as u64, BITS, documents.len());
    let sections = (Section::KeyPostings(method), Section::KeyDirectory(method));
    let bits = partition_bits(layout.entries);
    let fill = |partition, out: &mut Vec<u64>| {
        out.extend_from_slice(of_partition(&entries, partition, bits));
    };
    write_postings(writer, sections, layout, bits, fill, |_| {})?;
    Ok(layout)
}

/// The entries of a partition among sorted ones.
pub(super) fn of_partition(entries: &[u64], partition: u64, bits: u32) -> &[u64] {
    if bits == 0 {
        return entries;
    }
    let first = |partition: u64| entries.partition_point(|&entry| entry >> (64 - bits) < partition);
    &entries[first(partition)..first(partition + 1)]
}

/// Documents of a segment at most: their numbers have 24 bits in the postings of keys.
pub(crate) const MOST_DOCUMENTS: u64 = 1 << NUMBER_BITS;
