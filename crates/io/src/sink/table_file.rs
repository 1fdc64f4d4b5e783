//! Outputs of tables of record batches: in the format of their input.

use std::path::PathBuf;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::OutputError;
use super::arrow_file::{ArrowModel, ArrowOutput};
use super::parquet_file::{Model, ParquetOutput};
use crate::{Format, InputFile};

/// What the outputs of an input take from it.
pub(super) enum TableModel {
    Parquet(Model),
    Arrow(ArrowModel),
}

impl TableModel {
    /// `None` for other formats.
    pub(super) fn read(input: &InputFile) -> Result<Option<Self>, OutputError> {
        Ok(match input.format {
            Format::Parquet => Some(Self::Parquet(Model::read(input)?)),
            // An empty file has no schema.
            Format::Arrow if input.size > 0 => Some(Self::Arrow(ArrowModel::read(input)?)),
            _ => None,
        })
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        match self {
            Self::Parquet(model) => &model.schema,
            Self::Arrow(model) => &model.schema,
        }
    }

    /// Starts an output. `schema` differs from the input's where columns are added.
    pub(super) fn create(
        &self,
        path: PathBuf,
        schema: SchemaRef,
    ) -> Result<TableOutput, OutputError> {
        Ok(match self {
            Self::Parquet(model) => TableOutput::Parquet(model.create(path, schema)?),
            Self::Arrow(model) => TableOutput::Arrow(model.create(path, schema)?),
        })
    }
}

/// A table being written.
pub(super) enum TableOutput {
    Parquet(ParquetOutput),
    Arrow(ArrowOutput),
}

impl TableOutput {
    pub(super) fn append(&mut self, batch: &RecordBatch) -> Result<(), OutputError> {
        match self {
            Self::Parquet(file) => file.append(batch),
            Self::Arrow(file) => file.append(batch),
        }
    }

    /// Ends the file and returns its size.
    pub(super) fn close(self) -> Result<u64, OutputError> {
        match self {
            Self::Parquet(file) => file.close(),
            Self::Arrow(file) => file.close(),
        }
    }
}
