//! The parts of an answer, for callers that store one in their own way.

use super::{Answer, Place};
use crate::LookalikeError;
use crate::memory_table::ResultTable;
use arrow_array::RecordBatch;
use lookalike_io::Problem;
use lookalike_report::Summary;

/// Everything that an [`Answer`] is made of.
#[derive(Debug, Clone)]
pub struct AnswerParts {
    /// [`Answer::summary`].
    pub summary: Summary,
    /// [`Answer::problems`].
    pub problems: Vec<Problem>,
    /// [`Answer::records`].
    pub records: Option<u64>,
    /// [`Answer::kept`].
    pub kept: Vec<Place>,
    /// The record batches of [`Answer::ledger`], [`Answer::pairs`], [`Answer::clusters`] and
    /// [`Answer::documents`].
    pub tables: [Vec<RecordBatch>; 4],
}

impl Answer {
    /// Copies the parts; the record batches share their memory with the answer.
    #[must_use]
    pub fn parts(&self) -> AnswerParts {
        let tables = [&self.ledger, &self.pairs, &self.clusters, &self.documents];
        AnswerParts {
            summary: self.summary.clone(),
            problems: self.problems.clone(),
            records: self.records,
            kept: self.kept.clone(),
            tables: tables.map(|table| table.batches().to_vec()),
        }
    }

    /// The answer that has these parts.
    ///
    /// # Errors
    /// Columns that no result table has.
    pub fn of_parts(parts: AnswerParts) -> Result<Self, LookalikeError> {
        let AnswerParts { summary, problems, records, kept, tables } = parts;
        let [ledger, pairs, clusters, documents] = tables.map(ResultTable::of_batches);
        let (ledger, pairs, clusters, documents) = (ledger?, pairs?, clusters?, documents?);
        Ok(Self { summary, problems, records, kept, documents, ledger, pairs, clusters })
    }
}
