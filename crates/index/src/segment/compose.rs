//! Writes a segment from documents that are in their order already, new or of other segments.

use super::columns::STRINGS;
use super::format::{Built, Section};
use super::lookup::hash;
use super::postings::{Layout, NUMBER_BITS, PostingWriter, entry};
use super::sections::{SectionWriter, SegmentWriter};
use super::signatures;
use super::{MOST_POSTINGS, MOST_UNITS, Row, SegmentSettings};
use crate::SignatureView;
use crate::search::{CommonShare, LONG_LIST};
use lookalike_core::{BitmapSignature, SetDigest, SpreadSort, TextDigest};
use rayon::prelude::*;
use std::collections::HashMap;
use std::io::{self, Write};
use std::ops::Range;

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
    /// What is stored in the place of the text: of a chunk of documents, in their order.
    fn stored(&self, documents: Range<u32>) -> io::Result<Vec<Vec<u8>>>;
    /// Appends the entries whose first bits are `partition`, in any order; `bits` may be 0.
    fn entries(&self, partition: u64, bits: u32, out: &mut Vec<u64>);
}

/// Entries of a partition of the postings, about: it is sorted in the cache.
const PARTITION: u64 = 1 << 15;

/// Documents whose texts are compressed by one task.
const CHUNK: u32 = 256;

/// Writes a segment, without its states.
pub(super) fn compose(
    settings: &SegmentSettings,
    units: &[PlannedUnit],
    documents: &impl Documents,
    dictionary: &[u8],
    out: &mut dyn Write,
) -> io::Result<Built> {
    let postings: u64 = units.iter().map(|unit| u64::from(unit.size)).sum();
    if postings > MOST_POSTINGS || units.len() as u64 > MOST_UNITS {
        return Err(io::Error::other("more postings or units than a segment can number"));
    }
    let mut writer = SegmentWriter::new(out, settings)?;
    writer.section(Section::Dictionary, |out| out.write_all(dictionary))?;
    let places = writer.section(Section::Texts, |out| write_texts(units, documents, out))?;
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
        let mut names: Vec<(u64, u32)> = all.clone().filter_map(name).collect();
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

    let layout = Layout::new(postings, units.len() as u32);
    let bits = (postings / PARTITION).max(1).next_power_of_two().trailing_zeros();
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

/// Writes what is stored in the place of texts. Documents of a unit with the same text share it.
fn write_texts(
    units: &[PlannedUnit],
    documents: &impl Documents,
    out: &mut SectionWriter<'_>,
) -> io::Result<Vec<(u64, u32)>> {
    let mut places = Vec::with_capacity(documents.len() as usize);
    // Places of the texts of the unit that is written.
    let mut of_unit: HashMap<TextDigest, (u64, u32)> = HashMap::new();
    let mut ends = units.iter().map(|unit| unit.end).peekable();
    let chunks: Vec<Range<u32>> = (0..documents.len())
        .step_by(CHUNK as usize)
        .map(|start| start..documents.len().min(start + CHUNK))
        .collect();
    // As many at a time as keep all threads busy.
    for group in chunks.chunks(8 * rayon::current_num_threads().max(1)) {
        let stored: Vec<Vec<Vec<u8>>> = group
            .par_iter()
            .map(|chunk| documents.stored(chunk.clone()))
            .collect::<io::Result<_>>()?;
        for (local, bytes) in group.iter().cloned().flatten().zip(stored.into_iter().flatten()) {
            while ends.next_if(|&end| end <= local).is_some() {
                of_unit.clear();
            }
            let in_unit = ends.peek().is_some();
            let text = documents.row(local).text;
            if let Some(&place) = of_unit.get(&text).filter(|_| in_unit) {
                places.push(place);
                continue;
            }
            let length = u32::try_from(bytes.len())
                .map_err(|_| io::Error::other("a text of four gigabytes"))?;
            let place = (out.written(), length);
            out.write_all(&bytes)?;
            if in_unit {
                of_unit.insert(text, place);
            }
            places.push(place);
        }
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
        for group in partitions.chunks(4 * rayon::current_num_threads().max(1)) {
            let sorted: Vec<Vec<u64>> = group
                .par_iter()
                .map_init(SpreadSort::default, |sort, &partition| {
                    let mut entries = Vec::new();
                    fill(partition, &mut entries);
                    sort.sort(&mut entries);
                    entries
                })
                .collect();
            for entries in &sorted {
                postings.push_all(entries, out)?;
                written(entries);
            }
        }
        postings.finish(out)
    })?;
    writer.column(directory, starts.iter().map(|start| start.to_le_bytes()))
}

/// Counts for each unit the elements that have long lists, in a partition of the postings.
fn count_common(entries: &[u64], common: &mut [u32]) {
    for list in entries.chunk_by(|a, b| a >> NUMBER_BITS == b >> NUMBER_BITS) {
        if list.len() >= LONG_LIST as usize {
            for entry in list {
                common[(entry & ((1 << NUMBER_BITS) - 1)) as usize] += 1;
            }
        }
    }
}

/// Writes the signatures of a method and the postings of its keys. Returns their layout.
fn write_method(
    writer: &mut SegmentWriter<'_>,
    method: u32,
    documents: &impl Documents,
) -> io::Result<Layout> {
    let (mut rows, mut ends, mut words, mut entries) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for local in 0..documents.len() {
        documents.signature(local, method, &mut |signature| {
            rows.push(signatures::row(&signature));
            words.extend_from_slice(signature.keys);
            ends.push(words.len() as u64);
            words.extend_from_slice(signature.sketch);
            ends.push(words.len() as u64);
            entries.extend(signature.keys.iter().map(|&key| entry(key, local)));
        });
    }
    writer.column(Section::SignatureRows(method), rows)?;
    writer.column(Section::SignatureEnds(method), ends.iter().map(|end| end.to_le_bytes()))?;
    writer.column(Section::SignatureWords(method), words.iter().map(|word| word.to_le_bytes()))?;
    drop((ends, words));
    entries.par_sort_unstable();
    let layout = Layout::new(entries.len() as u64, documents.len());
    let sections = (Section::KeyPostings(method), Section::KeyDirectory(method));
    let bits = (layout.entries / PARTITION).max(1).next_power_of_two().trailing_zeros();
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
