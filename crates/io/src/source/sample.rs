//! Random samples of the inputs of about a given size, spread over all files.
//!
//! The concatenation of the inputs, in the order of their names, is divided into as many equal
//! stretches as parts are wanted, and a part at a random offset (by a seed) is taken from each:
//! every record has the same chance, and adjacent records mostly come together. A file of lines can
//! be entered at any offset: a line belongs to the part that contains its first byte, as does a
//! one-document file. Other files (CSV, where a line end may be inside quotes; Parquet; all
//! compressed ones) are read from the beginning, as many bytes as their parts have:
//! [`Sample::from_beginning`] counts them.
//!
//! The choice depends on the names, the sizes and the seed only.

use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;

use crate::{Compression, InputFile, Inputs, ReadFailure};

use super::raw::{is_blank, split_line};
use super::{Body, Chunk, Chunks, Piece, open};

/// Parts of a sample (approximate): many, so that one unusual file does not dominate it.
const PARTS: u64 = 256;

/// Fewest bytes of a part, if the sample is large enough for more than one.
const LEAST_PART: u64 = 64 << 10;

/// Most bytes of a part, which is held in memory.
const MOST_PART: u64 = 1 << 20;

/// A compressed file is read up to this ratio of unpacked bytes to its share, which bounds the work
/// for any content.
const MOST_UNPACKED: u64 = 16;

/// Which parts of the inputs are read; made by [`Inputs::sample`].
#[derive(Debug, Clone)]
pub struct Sample {
    pieces: Vec<Span>,
    whole: bool,
    by_entry: [SampleShare; 3],
    from_beginning: u64,
}

/// How much of some files is in a sample.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SampleShare {
    /// Number of files.
    pub files: u64,
    /// Their size on disk in bytes.
    pub bytes: u64,
    /// Files in the sample.
    pub sampled_files: u64,
    /// Bytes in the sample; of files that are read from their beginning, the bytes that are to be
    /// read.
    pub sampled_bytes: u64,
}

/// How a file can be sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// At any offset: its records are lines.
    Lines,
    /// As a whole: it is one document.
    Document,
    /// From its beginning only.
    Beginning,
}

impl Entry {
    /// How a file can be sampled.
    #[must_use]
    pub fn of(file: &InputFile) -> Self {
        match (file.format, file.compression) {
            (format, _) if format.is_document() => Self::Document,
            (format, Compression::None) if format.is_objects() => Self::Lines,
            _ => Self::Beginning,
        }
    }
}

/// A contiguous part that is read.
#[derive(Debug, Clone)]
enum Span {
    Lines { file: u32, span: Range<u64> },
    Documents { first: u32, files: u32, bytes: u64 },
    Beginning { file: u32, bytes: u64 },
}

impl Inputs {
    /// Chooses about `bytes` of the inputs by `seed`; all of them if they are not larger. O(files).
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("a.jsonl");
    /// use lookalike_io::{DiscoverOptions, Inputs};
    ///
    /// std::fs::write(&path, "{\"text\": \"to be\"}\n".repeat(1000))?;
    /// let inputs = Inputs::discover(&[path.display().to_string()], DiscoverOptions::default())?;
    /// let sample = inputs.sample(4000, 1);
    /// let lines = sample.chunks(&inputs).flat_map(|piece| {
    ///     let (chunk, problem) = piece.into_parts();
    ///     assert_eq!(problem, None);
    ///     chunk.into_iter().flat_map(|chunk| {
    ///         chunk.raw_records().map(|(_, line)| line.len() as u64).collect::<Vec<_>>()
    ///     })
    /// });
    /// assert!((3900..4100).contains(&lines.sum::<u64>()));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn sample(&self, bytes: u64, seed: u64) -> Sample {
        let total: u64 = self.files.iter().map(|file| file.size).sum();
        let mut sample = Sample {
            pieces: Vec::new(),
            whole: total <= bytes,
            by_entry: [SampleShare::default(); 3],
            from_beginning: 0,
        };
        for file in &self.files {
            let share = &mut sample.by_entry[Entry::of(file) as usize];
            share.files += 1;
            share.bytes += file.size;
            if sample.whole {
                share.sampled_files += 1;
                share.sampled_bytes += file.size;
            }
        }
        if !sample.whole {
            sample.choose(&self.files, &parts(total, bytes.max(1), seed));
        }
        sample
    }
}

/// Disjoint ranges of the concatenation, in order.
fn parts(total: u64, bytes: u64, seed: u64) -> Vec<Range<u64>> {
    let part = (bytes / PARTS).clamp(LEAST_PART, MOST_PART).min(bytes);
    let count = (bytes / part).max(1);
    let bound = |n: u64| (u128::from(total) * u128::from(n) / u128::from(count)) as u64;
    let mut parts = Vec::new();
    for number in 0..count {
        let stretch = bound(number)..bound(number + 1);
        let length = stretch.end - stretch.start;
        let size = part.min(length);
        let place = (u128::from(mixed(seed, number)) * u128::from(length)) >> 64;
        let start = stretch.start + place as u64;
        let end = start + size;
        // The stretch is cyclic, so that its ends are as likely as its middle.
        if end > stretch.end {
            parts.push(stretch.start..stretch.start + (end - stretch.end));
        }
        parts.push(start..end.min(stretch.end));
    }
    parts
}

/// A pseudo-random number (splitmix64).
fn mixed(seed: u64, number: u64) -> u64 {
    let mut x = seed.wrapping_add(number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

impl Sample {
    fn choose(&mut self, files: &[InputFile], parts: &[Range<u64>]) {
        let (mut start, mut next) = (0u64, 0);
        for (number, file) in (0u32..).zip(files) {
            let tape = start..start + file.size;
            start = tape.end;
            while parts.get(next).is_some_and(|part| part.end <= tape.start) {
                next += 1;
            }
            let here = parts[next..].iter().take_while(|part| part.start < tape.end);
            let within = |part: &Range<u64>| {
                part.start.max(tape.start) - tape.start..part.end.min(tape.end) - tape.start
            };
            let share = &mut self.by_entry[Entry::of(file) as usize];
            match Entry::of(file) {
                Entry::Lines => {
                    let spans: Vec<_> = here.map(within).filter(|span| !span.is_empty()).collect();
                    share.sampled_files += u64::from(!spans.is_empty());
                    share.sampled_bytes +=
                        spans.iter().map(|span| span.end - span.start).sum::<u64>();
                    self.pieces
                        .extend(spans.into_iter().map(|span| Span::Lines { file: number, span }));
                }
                Entry::Document => {
                    let mut here = here;
                    let Some(part) = here.find(|part| part.contains(&tape.start)) else { continue };
                    share.sampled_files += 1;
                    share.sampled_bytes += file.size;
                    match self.pieces.last_mut() {
                        Some(Span::Documents { first, files, bytes })
                            if *first + *files == number
                                && *files < 64
                                && *bytes < part.end - part.start =>
                        {
                            *files += 1;
                            *bytes += file.size;
                        }
                        _ => self.pieces.push(Span::Documents {
                            first: number,
                            files: 1,
                            bytes: file.size,
                        }),
                    }
                }
                Entry::Beginning => {
                    let bytes = here.map(within).map(|span| span.end - span.start).sum();
                    if bytes > 0 {
                        share.sampled_files += 1;
                        share.sampled_bytes += bytes;
                        self.from_beginning += u64::from(bytes < file.size);
                        self.pieces.push(Span::Beginning { file: number, bytes });
                    }
                }
            }
        }
    }

    /// Whether everything is read.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// How much of the files that are sampled this way is in the sample.
    #[must_use]
    pub fn share(&self, entry: Entry) -> SampleShare {
        self.by_entry[entry as usize]
    }

    /// Bytes of files that are read.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.by_entry.iter().map(|share| share.sampled_bytes).sum()
    }

    /// Number of files of which only the beginning is read.
    #[must_use]
    pub fn from_beginning(&self) -> u64 {
        self.from_beginning
    }

    /// Reads the sample: the same chunks every time. Records of a file are numbered from 1 in the
    /// order of reading, so numbers are not positions in a file that was entered.
    pub fn chunks<'a>(&'a self, inputs: &'a Inputs) -> Box<dyn Iterator<Item = Piece> + Send + 'a> {
        if self.whole {
            return Box::new(inputs.chunks());
        }
        let (mut of, mut record) = (u32::MAX, 1);
        Box::new(self.pieces.iter().flat_map(move |piece| match piece {
            Span::Lines { file, span } => {
                if of != *file {
                    (of, record) = (*file, 1);
                }
                let chunk = lines(inputs, *file, span.clone(), &mut record);
                Box::new(chunk.transpose().map(Piece::from).into_iter())
                    as Box<dyn Iterator<Item = _> + Send>
            }
            Span::Documents { first, files, bytes } => {
                let (first_record, first_line, offset) = (1, 0, 0);
                let (file, consumed, body) = (*first, *bytes, Body::Files(*files));
                let run = Chunk { file, first_record, first_line, offset, consumed, body };
                Box::new(std::iter::once(Piece::Chunk(run)))
            }
            Span::Beginning { file, bytes } => Box::new(Beginning {
                chunks: inputs.chunks().of_file(*file, (*bytes).clamp(LEAST_PART, MOST_PART)),
                left: *bytes,
                unpacked: bytes.saturating_mul(MOST_UNPACKED).max(LEAST_PART),
                file: *file,
            }),
        }))
    }
}

/// The lines that begin in a range of a file; `None` if there are none.
fn lines(
    inputs: &Inputs,
    file: u32,
    span: Range<u64>,
    record: &mut u32,
) -> Result<Option<Chunk>, ReadFailure> {
    let input = &inputs.files[file as usize];
    let refuse = |error: &std::io::Error| {
        ReadFailure::of_file(file, &input.name, None, open::explain(error))
    };
    let mut data = Vec::new();
    // One byte more at the front, to see whether a line begins at the first.
    let from = span.start.saturating_sub(1);
    let mut handle = open::open(input).map_err(|e| refuse(&e))?;
    handle.seek(SeekFrom::Start(from)).map_err(|e| refuse(&e))?;
    let wanted = span.end - from;
    handle.by_ref().take(wanted).read_to_end(&mut data).map_err(|e| refuse(&e))?;
    let start = match span.start {
        0 if data.starts_with(b"\xEF\xBB\xBF") => 3,
        0 => 0,
        _ => match memchr::memchr(b'\n', &data) {
            // A line after an end at the very last byte begins in the next range.
            Some(end) if end + 1 < data.len() => end + 1,
            _ => return Ok(None),
        },
    };
    let limit = wanted.saturating_add(inputs.options.max_record() as u64);
    while data.last() != Some(&b'\n') && (data.len() as u64) < limit {
        let held = data.len();
        let more =
            handle.by_ref().take(LEAST_PART).read_to_end(&mut data).map_err(|e| refuse(&e))?;
        if let Some(end) = memchr::memchr(b'\n', &data[held..]) {
            data.truncate(held + end + 1);
        }
        if more == 0 {
            break;
        }
    }
    data.drain(..start);
    let mut rest = data.as_slice();
    let mut records = 0;
    while let Some((line, after)) = split_line(rest) {
        records += u32::from(!is_blank(line));
        rest = after;
    }
    if records == 0 {
        return Ok(None);
    }
    let first_record = *record;
    *record = record.saturating_add(records);
    let offset = from + start as u64;
    let (consumed, body) = (span.end - span.start, Body::Lines(data));
    Ok(Some(Chunk { file, first_record, first_line: 0, offset, consumed, body }))
}

/// The first chunks of one file.
struct Beginning<'a> {
    chunks: Chunks<'a>,
    file: u32,
    /// Bytes of the file still to be read.
    left: u64,
    /// Unpacked bytes still allowed.
    unpacked: u64,
}

impl Iterator for Beginning<'_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 || self.unpacked == 0 {
            return None;
        }
        let next = self.chunks.next()?;
        if next.file() != self.file {
            return None;
        }
        if let Some(chunk) = next.records() {
            self.left = self.left.saturating_sub(chunk.consumed.max(1));
            let size = match &chunk.body {
                Body::Lines(data) | Body::Rows { data, .. } | Body::Records { data, .. } => {
                    data.len()
                }
                Body::Batch(batch) => batch.get_array_memory_size(),
                Body::Files(_) => 0,
            };
            self.unpacked = self.unpacked.saturating_sub(size as u64);
        }
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_as_large_as_asked_for_and_apart() {
        for (total, bytes) in [(1000, 10), (10 << 20, 1 << 20), (1 << 40, 64 << 20), (99, 98)] {
            for seed in 0..20 {
                let parts = parts(total, bytes, seed);
                let sum: u64 = parts.iter().map(|part| part.end - part.start).sum();
                assert!(sum <= bytes && sum * 10 >= bytes * 9, "{sum} of {bytes}");
                assert!(parts.windows(2).all(|pair| pair[0].end <= pair[1].start), "{parts:?}");
                assert!(parts.last().is_some_and(|part| part.end <= total));
            }
        }
    }
}
