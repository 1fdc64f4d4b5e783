//! The records of batches of documents, numbered.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, Int64Array, RecordBatch};
use lookalike_engine::EngineError;
use lookalike_io::source::VisitScratch;
use lookalike_io::{Inputs, Item, RecordView};
use lookalike_run::reading::CallerDocuments;
use lookalike_run::source::Source;
use lookalike_run::{LookalikeError, Settings};
use std::borrow::Cow;

/// Bits of the number of a document in its task.
const IN_TASK: u32 = 36;

/// Bits of the number of a document in its collection: tasks of two collections may have the same
/// numbers.
const OF_SIDE: u32 = 61;

/// Reads the records of the batches of a task.
#[derive(Default)]
pub(super) struct BatchRecords {
    settings: Settings,
    /// Name of the collection.
    name: String,
    /// The fields that keep rules read.
    fields: Vec<String>,
    /// Column with the number of each row.
    row: Option<String>,
    /// Number of the first document of the next batch.
    next: i64,
    visit: VisitScratch,
}

/// The numbers of a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Numbered {
    /// Of the document, unique in the run.
    pub(super) doc: i64,
    /// Of its row, if the caller numbers rows.
    pub(super) row: Option<i64>,
}

/// What a row is.
pub(super) enum BatchRow<'r, 'a> {
    /// A document.
    Record(&'r mut RecordView<'a>, &'r Inputs),
    /// A row that cannot be used.
    Bad {
        /// Its id, if it has one.
        id: Option<Cow<'r, str>>,
        /// Why.
        problem: &'r str,
    },
}

impl BatchRecords {
    /// # Errors
    /// A keep rule that does not exist.
    pub(super) fn new(
        settings: &Settings,
        name: &str,
        task: u32,
        side: u8,
        row: Option<String>,
    ) -> Result<Self, LookalikeError> {
        Ok(Self {
            settings: settings.clone(),
            name: name.to_owned(),
            fields: settings.keep_fields()?,
            row,
            next: i64::from(side) << OF_SIDE | i64::from(task) << IN_TASK,
            visit: VisitScratch::default(),
        })
    }

    /// Gives each row of the next batch to `each`, in order.
    ///
    /// # Errors
    /// The column of row numbers is missing, or has others; the first error of `each`.
    pub(super) fn each(
        &mut self,
        batch: &RecordBatch,
        mut each: impl FnMut(Numbered, BatchRow<'_, '_>) -> Result<(), LookalikeError>,
    ) -> Result<(), LookalikeError> {
        let rows = self.rows(batch)?;
        let mut options = self.settings.reading(Vec::new(), None);
        options.fields.extra.clone_from(&self.fields);
        let source = Source::batches([batch.clone()]).named(self.name.as_str());
        let (inputs, caller): (Inputs, _) = source.caller_inputs(options)?;
        let mut chunks = CallerDocuments::chunks(&caller)?;
        let mut result = Ok(());
        for chunk in &mut chunks {
            let chunk = chunk.whole().map_err(EngineError::Unreadable)?;
            chunk.visit(&inputs, &mut self.visit, &mut |item| {
                let (_, record) = item.place();
                let at = record as usize - 1;
                let row = rows.map(|rows| rows.value(at));
                let numbered = Numbered { doc: self.next + at as i64, row };
                let done = match item {
                    Item::Record(mut record) => {
                        each(numbered, BatchRow::Record(&mut record, &inputs))
                    }
                    // Rows in memory do not fail.
                    Item::Failed(failure) => {
                        Err(EngineError::Unreadable(failure.into_problem()).into())
                    }
                    Item::Bad(problem) => {
                        let id = id_at(batch, &self.settings.fields.id, at);
                        each(numbered, BatchRow::Bad { id, problem: &problem.message })
                    }
                };
                if result.is_ok() {
                    result = done;
                }
            });
        }
        drop(chunks);
        CallerDocuments::check_end(&caller)?;
        self.next += batch.num_rows() as i64;
        result
    }

    /// The column with the number of each row.
    fn rows<'b>(&self, batch: &'b RecordBatch) -> Result<Option<&'b Int64Array>, LookalikeError> {
        let Some(name) = &self.row else { return Ok(None) };
        let found =
            batch.column_by_name(name).and_then(|column| column.as_primitive_opt::<Int64Type>());
        match found {
            Some(rows) if rows.null_count() == 0 && rows.iter().flatten().all(|row| row >= 0) => {
                Ok(Some(rows))
            }
            _ => Err(LookalikeError::Settings(format!(
                "the setting row: the column `{name}` must hold a number from 0 for each row, of the type int64"
            ))),
        }
    }
}

/// The id of a row that cannot be used.
fn id_at<'b>(batch: &'b RecordBatch, name: &str, row: usize) -> Option<Cow<'b, str>> {
    let column = batch.column_by_name(name).filter(|column| column.is_valid(row))?;
    let text = column.as_string_opt::<i32>().map(|texts| texts.value(row));
    let text = text.or_else(|| column.as_string_opt::<i64>().map(|texts| texts.value(row)));
    let text = text.or_else(|| column.as_string_view_opt().map(|texts| texts.value(row)));
    let text = text.map(Cow::Borrowed);
    let number =
        column.as_primitive_opt::<Int64Type>().map(|numbers| i128::from(numbers.value(row)));
    let number =
        number.or_else(|| column.as_primitive_opt::<Int32Type>().map(|n| i128::from(n.value(row))));
    text.or_else(|| number.map(|number| number.to_string().into())).filter(|id| !id.is_empty())
}
