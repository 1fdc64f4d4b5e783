//! A large record batch, some rows at a time.
//!
//! The decoder of arrow takes a batch whole. Of one whose columns are flat (all but lists,
//! dictionaries, views and unions), each buffer is read by itself here, as far as the next rows need it,
//! so that a batch of any size takes little memory.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_buffer::{Buffer, MutableBuffer};
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_ipc::{CompressionType, FieldNode, RecordBatch as Header};
use arrow_schema::{DataType, Field, Fields, SchemaRef};

use super::message::{CUT_OFF, Place, bytes, check_unpacked, message_of, words};
use crate::source::open::Opened;

/// Bytes of the rows that are read at a time, more or less.
const WINDOW: u64 = 4 << 20;

/// The rows of a batch that are not read yet.
pub(super) struct Windows {
    schema: SchemaRef,
    columns: Vec<Column>,
    rows_left: usize,
    /// Rows of a window: a multiple of 8, so that bits begin with a byte.
    rows: usize,
    /// Bytes in the file of a window.
    bytes: u64,
}

impl Windows {
    /// The windows of a batch of more than `whole` bytes; `None` if it is smaller, or not flat.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub(super) fn open(
        handle: &mut Opened,
        place: Place,
        schema: &SchemaRef,
        whole: u64,
    ) -> Result<Option<Self>, String> {
        let metadata = bytes(handle, place.offset, place.metadata)?;
        let message = message_of(&metadata)?;
        let Some(header) = message.header_as_record_batch() else { return Ok(None) };
        let rows = u32::try_from(header.length()).map_err(|_| "a batch of too many rows")? as usize;
        if !schema.fields().iter().all(|field| is_flat(field.data_type())) {
            return Ok(None);
        }
        let mut buffers = Buffers::of(handle, place, header)?;
        if rows == 0 || buffers.unpacked <= whole {
            return Ok(None);
        }
        let unpacked = buffers.unpacked;
        let columns = buffers.columns(schema.fields(), rows)?;
        let window = (WINDOW.saturating_mul(rows as u64) / unpacked) as usize;
        let window = window.clamp(8, rows.max(8)).next_multiple_of(8);
        Ok(Some(Self {
            schema: Arc::clone(schema),
            columns,
            rows_left: rows,
            rows: window,
            bytes: place.body.saturating_mul(window as u64) / rows as u64,
        }))
    }

    /// Whether all rows were read.
    pub(super) fn is_done(&self) -> bool {
        self.rows_left == 0
    }

    /// Bytes in the file of the next rows.
    pub(super) fn next_bytes(&self) -> u64 {
        self.bytes
    }

    /// Reads the next rows.
    pub(super) fn read(&mut self) -> Result<RecordBatch, String> {
        let rows = self.rows.min(self.rows_left);
        self.rows_left -= rows;
        let arrays = self.columns.iter_mut().map(|column| column.read(rows));
        let arrays = arrays.collect::<Result<Vec<_>, _>>()?;
        let arrays = arrays.into_iter().map(arrow_array::make_array).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options)
            .map_err(|e| e.to_string())
    }
}

/// Whether each row has as many values as the column: its buffers can be read row by row.
fn is_flat(data_type: &DataType) -> bool {
    match data_type {
        DataType::Struct(fields) => fields.iter().all(|field| is_flat(field.data_type())),
        _ => Layout::of(data_type).is_some(),
    }
}

/// The buffers of a type, after that of its nulls.
#[derive(Debug, Clone, Copy)]
enum Layout {
    Nothing,
    Bits,
    /// Bytes of a value.
    Fixed(usize),
    /// Bytes of an offset.
    Variable(usize),
}

impl Layout {
    fn of(data_type: &DataType) -> Option<Self> {
        match data_type {
            DataType::Null => Some(Self::Nothing),
            DataType::Boolean => Some(Self::Bits),
            DataType::Utf8 | DataType::Binary => Some(Self::Variable(4)),
            DataType::LargeUtf8 | DataType::LargeBinary => Some(Self::Variable(8)),
            DataType::FixedSizeBinary(width) => usize::try_from(*width).ok().map(Self::Fixed),
            other => other.primitive_width().map(Self::Fixed),
        }
    }
}

/// A column, read from its first row.
struct Column {
    data_type: DataType,
    nulls: Option<Stream>,
    values: Values,
}

enum Values {
    Nothing,
    Bits(Stream),
    Fixed(usize, Stream),
    Variable { width: usize, offsets: Stream, last: Option<u64>, bytes: Stream },
    Struct(Vec<Column>),
}

impl Column {
    fn read(&mut self, rows: usize) -> Result<ArrayData, String> {
        if self.data_type == DataType::Null {
            return Ok(ArrayData::new_null(&DataType::Null, rows));
        }
        let bits = rows.div_ceil(8);
        let nulls = self.nulls.as_mut().map(|nulls| nulls.take(bits)).transpose()?;
        let array = ArrayDataBuilder::new(self.data_type.clone()).len(rows).null_bit_buffer(nulls);
        let array = match &mut self.values {
            Values::Nothing => array,
            Values::Bits(stream) => array.add_buffer(stream.take(bits)?),
            Values::Fixed(width, stream) => array.add_buffer(stream.take(rows * *width)?),
            Values::Variable { width, offsets, last, bytes } => {
                let (ends, length) = variable(*width, offsets, last, bytes, rows)?;
                array.add_buffer(ends).add_buffer(bytes.take(length)?)
            }
            Values::Struct(columns) => {
                let children = columns.iter_mut().map(|column| column.read(rows));
                array.child_data(children.collect::<Result<_, _>>()?)
            }
        };
        // Checks all of it, as the decoder does.
        array.build().map_err(|e| e.to_string())
    }
}

/// The offsets of the next values from the first of them on, and the bytes of the values.
fn variable(
    width: usize,
    offsets: &mut Stream,
    last: &mut Option<u64>,
    bytes: &mut Stream,
    rows: usize,
) -> Result<(Buffer, usize), String> {
    let wrong = || "an offset is smaller than the one before".to_owned();
    let one = |value: &[u8]| {
        let signed = match value.first_chunk::<8>() {
            Some(eight) if width == 8 => i64::from_le_bytes(*eight),
            _ => value.first_chunk::<4>().map_or(0, |four| i64::from(i32::from_le_bytes(*four))),
        };
        u64::try_from(signed).map_err(|_| wrong())
    };
    let first = match *last {
        Some(last) => last,
        None => {
            let first = one(&offsets.take(width)?)?;
            // What is before the first value belongs to no row.
            bytes.skip(first)?;
            first
        }
    };
    let read = offsets.take(rows * width)?;
    let mut ends = MutableBuffer::with_capacity((rows + 1) * width);
    let mut add = |offset: u64| {
        let offset = offset - first;
        match width {
            8 => ends.push(offset as i64),
            _ => ends.push(offset as i32),
        }
    };
    let mut before = first;
    add(before);
    for value in read.chunks_exact(width) {
        let offset = one(value)?;
        if offset < before {
            return Err(wrong());
        }
        add(offset);
        before = offset;
    }
    *last = Some(before);
    let length = usize::try_from(before - first).map_err(|e| e.to_string())?;
    Ok((ends.into(), length))
}

/// The buffers of a batch, in the order of its columns.
struct Buffers<'a> {
    handle: &'a Opened,
    nodes: std::vec::IntoIter<FieldNode>,
    buffers: std::vec::IntoIter<Packed>,
    compression: Option<CompressionType>,
    /// Bytes of all buffers after decompression.
    unpacked: u64,
}

/// Where a buffer is in the file.
#[derive(Debug, Clone, Copy)]
struct Packed {
    offset: u64,
    length: u64,
    /// Bytes after decompression, if it is compressed.
    unpacked: Option<u64>,
}

impl<'a> Buffers<'a> {
    fn of(handle: &'a mut Opened, place: Place, header: Header<'_>) -> Result<Self, String> {
        let compression = header.compression().map(|compression| compression.codec());
        let body = place.offset + place.metadata;
        let mut buffers = Vec::new();
        for buffer in header.buffers().into_iter().flatten() {
            let within = || {
                let start = u64::try_from(buffer.offset()).ok()?;
                let length = u64::try_from(buffer.length()).ok()?;
                (start.checked_add(length)? <= place.body).then_some((body + start, length))
            };
            let (mut offset, mut length) = within().ok_or("a buffer is outside of its message")?;
            let mut unpacked = None;
            if compression.is_some() && length > 0 {
                let head = bytes(handle, offset, length.min(8))?;
                let head = head.first_chunk::<8>().ok_or("a buffer is outside of its message")?;
                (offset, length) = (offset + 8, length - 8);
                // -1 is a buffer that is not compressed.
                unpacked = u64::try_from(i64::from_le_bytes(*head)).ok();
            }
            buffers.push(Packed { offset, length, unpacked });
        }
        let sizes = buffers.iter().map(|buffer| buffer.unpacked.unwrap_or(buffer.length));
        let unpacked = sizes.fold(0, u64::saturating_add);
        if compression.is_some() {
            check_unpacked(place.body, unpacked)?;
        }
        let nodes: Vec<FieldNode> = header.nodes().into_iter().flatten().copied().collect();
        let (nodes, buffers) = (nodes.into_iter(), buffers.into_iter());
        Ok(Self { handle, nodes, buffers, compression, unpacked })
    }

    fn columns(&mut self, fields: &Fields, rows: usize) -> Result<Vec<Column>, String> {
        fields.iter().map(|field| self.column(field, rows)).collect()
    }

    fn column(&mut self, field: &Field, rows: usize) -> Result<Column, String> {
        let node = self.nodes.next().ok_or("a batch has fewer columns than its schema")?;
        if usize::try_from(node.length()) != Ok(rows) {
            return Err("a column has another number of rows than its batch".to_owned());
        }
        let data_type = field.data_type().clone();
        if data_type == DataType::Null {
            return Ok(Column { data_type, nulls: None, values: Values::Nothing });
        }
        let nulls = self.stream()?;
        let nulls = (node.null_count() > 0).then_some(nulls);
        let values = match (&data_type, Layout::of(&data_type)) {
            (DataType::Struct(fields), _) => Values::Struct(self.columns(fields, rows)?),
            (_, Some(Layout::Bits)) => Values::Bits(self.stream()?),
            (_, Some(Layout::Fixed(width))) => Values::Fixed(width, self.stream()?),
            (_, Some(Layout::Variable(width))) => {
                let (offsets, bytes) = (self.stream()?, self.stream()?);
                Values::Variable { width, offsets, last: None, bytes }
            }
            _ => Values::Nothing,
        };
        Ok(Column { data_type, nulls, values })
    }

    fn stream(&mut self) -> Result<Stream, String> {
        let buffer = self.buffers.next().ok_or("a batch has fewer buffers than its columns")?;
        let handle = self.handle.try_clone().map_err(|e| e.to_string())?;
        let section = Section { handle, at: buffer.offset, left: buffer.length };
        let section = BufReader::with_capacity(64 << 10, section);
        let read: Box<dyn Read + Send> = match (buffer.unpacked, self.compression) {
            (None, _) | (_, None) => Box::new(section),
            (_, Some(CompressionType::ZSTD)) => {
                Box::new(zstd::Decoder::with_buffer(section).map_err(|e| e.to_string())?)
            }
            (_, Some(CompressionType::LZ4_FRAME)) => {
                Box::new(lz4_flex::frame::FrameDecoder::new(section))
            }
            (_, Some(other)) => return Err(format!("compression {other:?} is not supported")),
        };
        Ok(Stream { read, left: buffer.unpacked.unwrap_or(buffer.length) })
    }
}

/// A buffer, read from its beginning.
struct Stream {
    read: Box<dyn Read + Send>,
    left: u64,
}

impl Stream {
    fn take(&mut self, length: usize) -> Result<Buffer, String> {
        self.counted(length as u64)?;
        let mut out = MutableBuffer::from_len_zeroed(length);
        self.read.read_exact(&mut out).map_err(|e| words(&e))?;
        Ok(out.into())
    }

    fn skip(&mut self, length: u64) -> Result<(), String> {
        self.counted(length)?;
        let skipped = io::copy(&mut self.read.by_ref().take(length), &mut io::sink());
        match skipped.map_err(|e| words(&e))? == length {
            true => Ok(()),
            false => Err(CUT_OFF.to_owned()),
        }
    }

    fn counted(&mut self, length: u64) -> Result<(), String> {
        self.left = self.left.checked_sub(length).ok_or("a buffer is too short for its rows")?;
        Ok(())
    }
}

/// A part of a file, whose handle others move as well.
struct Section {
    handle: Opened,
    at: u64,
    left: u64,
}

impl Read for Section {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(out.len());
        self.handle.seek(SeekFrom::Start(self.at))?;
        let read = self.handle.read(&mut out[..most])?;
        (self.at, self.left) = (self.at + read as u64, self.left - read as u64);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::sync::Arc;

    use arrow_array::{
        ArrayRef, BinaryArray, BooleanArray, Decimal128Array, FixedSizeBinaryArray, Int64Array,
        LargeStringArray, ListArray, NullArray, RecordBatch, StringArray, StructArray,
        types::Int32Type,
    };
    use arrow_ipc::CompressionType;
    use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
    use arrow_schema::{DataType, Field};
    use arrow_select::concat::concat_batches;
    use proptest::prelude::*;

    use super::super::IpcFile;
    use crate::{DiscoverOptions, Inputs};

    fn batch(values: &[Option<String>]) -> RecordBatch {
        let texts = || values.iter().map(Option::as_deref);
        let lengths = || texts().map(|text| text.map(|text| text.len() as i64));
        let numbers: ArrayRef = Arc::new(lengths().collect::<Int64Array>());
        let flags: ArrayRef =
            Arc::new(lengths().map(|n| n.map(|n| n % 3 == 0)).collect::<BooleanArray>());
        let inner = StructArray::from(vec![
            (Arc::new(Field::new("n", DataType::Int64, true)), Arc::clone(&numbers)),
            (Arc::new(Field::new("f", DataType::Boolean, true)), Arc::clone(&flags)),
        ]);
        let fixed = texts().map(|text| text.map(|text| [text.len() as u8; 3]));
        let fixed = FixedSizeBinaryArray::try_from_sparse_iter_with_size(fixed, 3).unwrap();
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("text", Arc::new(texts().collect::<StringArray>())),
            ("large", Arc::new(texts().collect::<LargeStringArray>())),
            ("bytes", Arc::new(texts().map(|t| t.map(str::as_bytes)).collect::<BinaryArray>())),
            ("nothing", Arc::new(NullArray::new(values.len()))),
            ("fixed", Arc::new(fixed)),
            (
                "decimal",
                Arc::new(lengths().map(|n| n.map(i128::from)).collect::<Decimal128Array>()),
            ),
            ("inner", Arc::new(inner)),
            ("numbers", numbers),
            ("flags", flags),
        ];
        RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true)))
            .unwrap()
    }

    fn written(batches: &[RecordBatch], is_file: bool, packed: Option<CompressionType>) -> IpcFile {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.arrow");
        let options = IpcWriteOptions::default().try_with_compression(packed).unwrap();
        let (file, schema) = (File::create(&path).unwrap(), batches[0].schema());
        if is_file {
            let mut out = FileWriter::try_new_with_options(file, &schema, options).unwrap();
            batches.iter().for_each(|batch| out.write(batch).unwrap());
            out.finish().unwrap();
        } else {
            let mut out = StreamWriter::try_new_with_options(file, &schema, options).unwrap();
            batches.iter().for_each(|batch| out.write(batch).unwrap());
            out.finish().unwrap();
        }
        let arguments = [path.display().to_string()];
        let inputs = Inputs::discover(&arguments, DiscoverOptions::default()).unwrap();
        IpcFile::open_with(&inputs.files[0], 0).unwrap()
    }

    fn all(mut file: IpcFile) -> (usize, RecordBatch) {
        let mut parts = Vec::new();
        while let Some(part) = file.read().unwrap() {
            parts.push(part);
        }
        (parts.len(), concat_batches(file.schema(), &parts).unwrap())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        /// Files and streams, compressed or not, of several batches, of slices of larger arrays.
        #[test]
        fn windows_are_the_batch(
            values in prop::collection::vec(prop::option::of("[a-zé ]{0,40}"), 1..60),
            cut in 0_usize..20,
            is_file in any::<bool>(),
            packed in prop_oneof![
                Just(None), Just(Some(CompressionType::ZSTD)), Just(Some(CompressionType::LZ4_FRAME))
            ],
        ) {
            let whole = batch(&values);
            let cut = cut.min(whole.num_rows() - 1);
            let parts = [whole.clone(), whole.slice(cut, whole.num_rows() - cut)];
            let (_, found) = all(written(&parts, is_file, packed));
            prop_assert_eq!(found, concat_batches(&whole.schema(), &parts).unwrap());
        }
    }

    #[test]
    fn a_large_batch_is_read_in_parts() {
        let values: Vec<_> = (0..4000).map(|n| Some("ab ".repeat(n % 2000))).collect();
        let whole = batch(&values);
        for packed in [None, Some(CompressionType::ZSTD), Some(CompressionType::LZ4_FRAME)] {
            let (parts, found) = all(written(std::slice::from_ref(&whole), true, packed));
            assert!(parts > 5, "{parts}");
            assert_eq!(found, whole);
        }
    }

    #[test]
    fn lists_are_read_whole() {
        let lists = ListArray::from_iter_primitive::<Int32Type, _, _>(
            (0..100).map(|n| Some((0..n % 5).map(Some))),
        );
        let whole = RecordBatch::try_from_iter([("l", Arc::new(lists) as ArrayRef)]).unwrap();
        assert_eq!(all(written(std::slice::from_ref(&whole), true, None)), (1, whole));
    }
}
