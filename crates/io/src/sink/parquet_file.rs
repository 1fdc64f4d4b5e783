//! Parquet outputs with the schema and properties of their input.

use std::path::PathBuf;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::ARROW_SCHEMA_META_KEY;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::arrow::arrow_writer::{ArrowWriter, ArrowWriterOptions};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;

use super::table_file::{TableModel, TableOutput};
use super::{OutputError, OutputFile};
use crate::InputFile;
use crate::guard::guarded;
use crate::source::open;

/// Encoded size at which a row group is written: it is in memory until then.
const ROW_GROUP_BYTES: usize = 32 << 20;

/// Properties that outputs take from an input.
#[derive(Debug)]
pub(crate) struct Model {
    schema: SchemaRef,
    root: String,
    metadata: Vec<KeyValue>,
    /// Each column's compression in the first row group.
    compression: Vec<(ColumnPath, Compression)>,
}

impl Model {
    pub(crate) fn read(input: &InputFile) -> Result<Self, OutputError> {
        let path = &input.path;
        let file = open::open(input).map_err(|e| OutputError::input(path, e))?;
        let metadata = guarded(|| ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()))
            .map_err(|e| OutputError::input(path, e))?;
        let file = metadata.metadata().file_metadata();
        let columns = metadata.metadata().row_groups().first().map(|group| group.columns());
        let compression = columns
            .unwrap_or_default()
            .iter()
            .map(|column| (column.column_path().clone(), writable(column.compression())))
            .collect();
        Ok(Self {
            schema: metadata.schema().clone(),
            root: file.schema_descr().name().to_string(),
            metadata: file.key_value_metadata().cloned().unwrap_or_default(),
            compression,
        })
    }
}

impl TableModel for Model {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn create(
        &self,
        path: PathBuf,
        schema: SchemaRef,
    ) -> Result<Box<dyn TableOutput>, OutputError> {
        // The Arrow schema stored in the input describes its columns only: it is copied unchanged
        // or, for a schema with marks, written anew.
        let stored = self.metadata.iter().any(|entry| entry.key == ARROW_SCHEMA_META_KEY);
        let same = schema.fields() == self.schema.fields();
        let mut metadata = self.metadata.clone();
        if !same {
            metadata.retain(|entry| entry.key != ARROW_SCHEMA_META_KEY);
        }
        let mut properties = WriterProperties::builder()
            .set_compression(default_compression())
            .set_key_value_metadata(Some(metadata).filter(|entries| !entries.is_empty()))
            .set_max_row_group_bytes(Some(ROW_GROUP_BYTES));
        for (column, compression) in &self.compression {
            properties = properties.set_column_compression(column.clone(), *compression);
        }
        let options = ArrowWriterOptions::new()
            .with_properties(properties.build())
            .with_schema_root(self.root.clone())
            .with_skip_arrow_metadata(same || !stored);
        let file = OutputFile::create(path.clone())?;
        let writer = ArrowWriter::try_new_with_options(file, schema, options)
            .map_err(|e| OutputError::parquet(&path, e))?;
        Ok(Box::new(ParquetOutput { path, writer }))
    }
}

/// Zstandard: the smallest of the widely supported codecs.
fn default_compression() -> Compression {
    Compression::ZSTD(ZstdLevel::default())
}

/// The codec, or a substitute for one that cannot be written.
fn writable(codec: Compression) -> Compression {
    match codec {
        Compression::LZO => default_compression(),
        codec => codec,
    }
}

/// A Parquet file being written.
struct ParquetOutput {
    path: PathBuf,
    writer: ArrowWriter<OutputFile>,
}

impl TableOutput for ParquetOutput {
    fn append(&mut self, batch: &RecordBatch) -> Result<(), OutputError> {
        // Rows of a damaged file may be impossible to encode.
        guarded(|| Ok::<_, String>(self.writer.write(batch)))
            .map_err(|e| OutputError::input(&self.path, e))?
            .map_err(|e| OutputError::parquet(&self.path, e))
    }

    fn close(self: Box<Self>) -> Result<u64, OutputError> {
        let path = self.path;
        let file = self.writer.into_inner().map_err(|e| OutputError::parquet(&path, e))?;
        file.close()
    }
}
