//! Pages of a Parquet file, checked before they are unpacked.
//!
//! The decoder takes the unpacked size of a page from its header, and repeats values of a dictionary: a
//! file of some kilobytes can fill the memory either way.

use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use parquet::basic::{Compression, Type};
use parquet::column::page::{Page, PageReader};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;

use super::open::Opened;
use super::unpacking::excess;

/// An open file whose pages are read, those of one row group.
pub(crate) struct Pages {
    handle: Opened,
    /// Where the columns are whose decompressors write more than a header says.
    unbounded: Vec<(Range<u64>, Compression)>,
    /// The header that was read last.
    header: Mutex<Option<Header>>,
}

impl Pages {
    pub(crate) fn new(handle: Opened, group: &RowGroupMetaData) -> Self {
        let unbounded = |column: &ColumnChunkMetaData| {
            let codec = column.compression();
            let (start, length) = column.byte_range();
            matches!(codec, Compression::GZIP(_) | Compression::BROTLI(_))
                .then(|| (start..start.saturating_add(length), codec))
        };
        let unbounded = group.columns().iter().filter_map(unbounded).collect();
        Self { handle, unbounded, header: Mutex::new(None) }
    }
}

impl Length for Pages {
    fn len(&self) -> u64 {
        self.handle.len()
    }
}

impl ChunkReader for Pages {
    type T = BufReader<Opened>;

    /// The decoder reads the header of a page by this.
    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        let mut read = self.handle.get_read(start)?;
        let header = Header::read(read.fill_buf()?);
        // The decoder may have read the header before: then this is what follows it.
        if let Some(Header { unpacked, packed, .. }) = header {
            excess("a page", packed, unpacked).map_err(ParquetError::General)?;
            *self.header.lock().unwrap_or_else(PoisonError::into_inner) = header;
        }
        Ok(read)
    }

    /// The decoder reads what follows the header by this.
    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let bytes = self.handle.get_bytes(start, length)?;
        let header = *self.header.lock().unwrap_or_else(PoisonError::into_inner);
        let codec = self.unbounded.iter().find(|(range, _)| range.contains(&start));
        if let (Some(header), Some((_, codec))) = (header, codec)
            && header.packed == bytes.len() as u64
            && header.understates(&bytes, *codec)
        {
            let message =
                "a page unpacks to more than its header says; get a good copy of the file";
            return Err(ParquetError::General(message.to_owned()));
        }
        Ok(bytes)
    }
}

/// The sizes in a page header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Header {
    unpacked: u64,
    packed: u64,
    /// Bytes before what is compressed.
    levels: u64,
    compressed: bool,
}

impl Header {
    /// Reads the first fields of a structure in Thrift's compact protocol: type, unpacked size, packed size,
    /// and of data pages of version 2 the sizes of the levels. `None` for anything else.
    fn read(mut bytes: &[u8]) -> Option<Self> {
        /// A field of type `i32` whose number follows that of the field before it.
        const NEXT_I32: u8 = 0x15;
        /// The same for fields of truth.
        const NEXT_FALSE: u8 = 0x12;
        /// A structure as field 8, after field 3, and after the checksum, which is field 4.
        const VERSION_2: [u8; 2] = [0x5c, 0x4c];
        let [kind, unpacked, packed] = [0; 3].map(|_| number(&mut bytes, NEXT_I32));
        let (_, unpacked, packed) = (kind?, unpacked?, packed?);
        let checksum = zigzag(&mut bytes, NEXT_I32).is_some();
        let (mut levels, mut compressed) = (0, true);
        if bytes.first() == Some(&VERSION_2[usize::from(checksum)]) {
            bytes = &bytes[1..];
            // Values, nulls, rows, encoding, and the bytes of two kinds of levels.
            let fields = [0; 6].map(|_| number(&mut bytes, NEXT_I32));
            levels = fields[4]?.saturating_add(fields[5]?);
            compressed = bytes.first() != Some(&NEXT_FALSE);
        }
        Some(Self { unpacked, packed, levels, compressed })
    }

    /// Whether a page unpacks to more bytes than it says.
    fn understates(&self, page: &[u8], codec: Compression) -> bool {
        let Some(data) = usize::try_from(self.levels).ok().and_then(|from| page.get(from..)) else {
            return false;
        };
        let most = self.unpacked.saturating_sub(self.levels);
        let count = |read: &mut dyn Read| {
            // Where the data are damaged, the decoder stops as well.
            let mut counted = 0;
            let mut block = [0; 8192];
            while counted <= most {
                match read.read(&mut block) {
                    Ok(0) => break,
                    Ok(read) => counted += read as u64,
                    Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                    Err(_) => break,
                }
            }
            counted
        };
        self.compressed
            && most
                < match codec {
                    Compression::GZIP(_) => count(&mut flate2::read::MultiGzDecoder::new(data)),
                    Compression::BROTLI(_) => count(&mut brotli::Decompressor::new(data, 8192)),
                    _ => 0,
                }
    }
}

/// Takes a field with this head off the front: a number that is not negative.
fn number(bytes: &mut &[u8], head: u8) -> Option<u64> {
    zigzag(bytes, head).filter(|number| number & 1 == 0).map(|number| number >> 1)
}

/// Takes a field with this head off the front, if it is there: a number of 32 bits, with its sign as the
/// lowest bit.
fn zigzag(bytes: &mut &[u8], head: u8) -> Option<u64> {
    let (_, after) = bytes.split_first().filter(|(first, _)| **first == head)?;
    let length = after.iter().take(5).position(|byte| byte & 0x80 == 0)? + 1;
    let (digits, rest) = after.split_at(length);
    *bytes = rest;
    Some(digits.iter().rev().fold(0, |number, byte| number << 7 | u64::from(byte & 0x7f)))
}

/// Bytes that a row takes if it has the longest value of every dictionary.
pub(crate) fn longest_row(handle: &Opened, group: &RowGroupMetaData) -> u64 {
    let rows = u64::try_from(group.num_rows()).unwrap_or(0).max(1);
    let longest = |column: &ColumnChunkMetaData| {
        // In lists a row has several values.
        let values = u64::try_from(column.num_values()).unwrap_or(0).div_ceil(rows).max(1);
        // A dictionary that cannot be read is found damaged when the rows are read.
        longest_value(handle, group, column).unwrap_or(0).saturating_mul(values)
    };
    group.columns().iter().map(longest).fold(0, u64::saturating_add)
}

/// Bytes of the longest value in the dictionary of a column; `None` if it has no dictionary of texts.
fn longest_value(
    handle: &Opened,
    group: &RowGroupMetaData,
    column: &ColumnChunkMetaData,
) -> Option<u64> {
    column.dictionary_page_offset()?;
    if column.column_type() != Type::BYTE_ARRAY {
        return None;
    }
    let pages = Arc::new(Pages::new(handle.try_clone().ok()?, group));
    let rows = usize::try_from(group.num_rows()).ok()?;
    let mut pages = SerializedPageReader::new(pages, column, rows, None).ok()?;
    let Page::DictionaryPage { buf, .. } = pages.get_next_page().ok()?? else { return None };
    let (mut rest, mut longest) = (&buf[..], 0);
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let length = u32::from_le_bytes(*length);
        longest = longest.max(length);
        rest = after.get(length as usize..).unwrap_or_default();
    }
    Some(longest.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn sizes_are_those_of_the_header() {
        let read = |bytes: &[u8]| {
            Header::read(bytes).map(|h| (h.unpacked, h.packed, h.levels, h.compressed))
        };
        // A data page of 300 bytes, packed in 5, then its own header.
        let page = [0x15, 0x00, 0x15, 0xd8, 0x04, 0x15, 0x0a, 0x2c, 0x15];
        assert_eq!(read(&page), Some((300, 5, 0, true)));
        let largest = [0x15, 0x04, 0x15, 0xfe, 0xff, 0xff, 0xff, 0x0f, 0x15, 0x02];
        assert_eq!(read(&largest), Some((u64::from(u32::MAX >> 1), 1, 0, true)));
        // Version 2: 3 values, no nulls, 3 rows, an encoding, levels of 2 and 1 bytes.
        let fields = [0x15, 0x06, 0x15, 0x00, 0x15, 0x06, 0x15, 0x10, 0x15, 0x04, 0x15, 0x02];
        let second =
            [&[0x15, 0x06, 0x15, 0x14, 0x15, 0x0a, 0x5c][..], &fields, &[0x11, 0]].concat();
        assert_eq!(read(&second), Some((10, 5, 3, true)));
        let checked =
            [&[0x15, 0x06, 0x15, 0x14, 0x15, 0x0a, 0x15, 0x03, 0x4c][..], &fields, &[0x12, 0]];
        assert_eq!(read(&checked.concat()), Some((10, 5, 3, false)));
        for bad in [&[][..], &[0x15], &[0x15, 0x00, 0x15, 0xff], &[0x15, 0, 0x18, 2, 0x15, 2]] {
            assert_eq!(read(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn a_page_that_unpacks_to_more_than_it_says_is_found() {
        let data = [7; 10_000];
        let mut gzip = flate2::write::GzEncoder::new(vec![0; 3], flate2::Compression::fast());
        gzip.write_all(&data).unwrap();
        let gzip = gzip.finish().unwrap();
        let mut packed = vec![0; 3];
        brotli::CompressorWriter::new(&mut packed, 4096, 5, 20).write_all(&data).unwrap();
        for (codec, page) in [
            (Compression::GZIP(Default::default()), gzip),
            (Compression::BROTLI(Default::default()), packed),
        ] {
            let says = |unpacked, compressed| {
                let packed = page.len() as u64;
                Header { unpacked, packed, levels: 3, compressed }.understates(&page, codec)
            };
            assert!(says(10_002, true) && !says(10_003, true) && !says(9_000, false));
            assert!(!says(20_000, true));
            let cut = Header { unpacked: 90_000, packed: 9, levels: 3, compressed: true };
            assert!(!cut.understates(&page[..9], codec) && !cut.understates(&[], codec));
        }
    }
}
