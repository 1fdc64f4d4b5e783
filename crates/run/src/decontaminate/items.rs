//! The items of the benchmarks, read into memory: their names, their parts, and the index of the
//! n-grams of these.

use super::settings::ContaminationSettings;
use crate::LookalikeError;
use crate::lookup::name_of;
use crate::reading::Documents;
use crate::readings::first::Admitted;
use crate::words::{WordReader, WordScratch};
use lookalike_core::NgramIndex;
use lookalike_core::ngrams::{Parts, TooManyTokens};
use lookalike_decide::DocumentName;
use lookalike_engine::poll::Poll;
use lookalike_engine::signer::plain_text;
use lookalike_engine::site::site_of_file;
use lookalike_engine::{Problems, Progress};
use lookalike_io::source::VisitScratch;
use lookalike_io::{Item, RecordView};
use std::collections::BTreeMap;

/// Fewest words of a part that is looked for: fewer are found by chance.
pub(super) const LEAST_WORDS: usize = 8;

/// The items of all benchmarks.
pub(super) struct Items {
    pub(super) items: Vec<BenchmarkItem>,
    /// Names of the benchmarks, ascending.
    pub(super) benchmarks: Vec<String>,
    /// Names of the parts that each item has.
    pub(super) fields: Vec<String>,
    /// N-grams of the parts: those of the first item in the order of the fields, then of the second.
    pub(super) index: NgramIndex,
    pub(super) problems: Problems,
}

/// An item.
pub(super) struct BenchmarkItem {
    pub(super) name: DocumentName<'static>,
    /// Its number among the benchmarks.
    pub(super) benchmark: u32,
}

/// What one part of what item is.
#[derive(Debug, Clone, Copy)]
pub(super) struct PartPlace {
    pub(super) item: usize,
    pub(super) field: usize,
}

impl Items {
    /// Reads the items.
    ///
    /// # Errors
    /// Items that cannot be read; a field that none has; no part that is long enough.
    pub(super) fn read(
        documents: Documents<'_>,
        reader: &WordReader,
        text_field: &str,
        settings: &ContaminationSettings,
        admitted: Admitted,
        progress: &dyn Progress,
    ) -> Result<Self, LookalikeError> {
        let whole = settings.item_fields.is_empty();
        let fields = match whole {
            true => vec![text_field.to_owned()],
            false => settings.item_fields.clone(),
        };
        let inputs = documents.inputs;
        let mut names = Vec::new();
        let mut benchmarks: Vec<&str> = Vec::new();
        let mut parts = Parts::default();
        let mut has_value = vec![false; fields.len()];
        let mut problems = Problems::default();
        let (mut visit, mut scratch) = (VisitScratch::default(), WordScratch::default());
        progress.phase("reading items", Some(inputs.files.iter().map(|file| file.size).sum()));
        let mut add = |record: &RecordView<'_>| -> Result<(), TooManyTokens> {
            names.push(name_of(record, inputs));
            benchmarks.push(site_of_file(&inputs.files[record.file as usize]));
            if whole {
                let text = plain_text(&record.content);
                reader.read(&text, &mut scratch);
                scratch.append_to(&mut parts)?;
                parts.end_part();
                has_value[0] = true;
                return Ok(());
            }
            for (field, has_value) in has_value.iter_mut().enumerate() {
                // The values of a list are one part: the choices of a question.
                for text in record.given.of(field) {
                    reader.read(text, &mut scratch);
                    scratch.append_to(&mut parts)?;
                    *has_value = true;
                }
                parts.end_part();
            }
            Ok(())
        };
        documents.with_chunks(|chunks| {
            for piece in chunks {
                let (chunk, problem) = piece.into_parts();
                let mut found = Problems::default();
                problem.into_iter().for_each(|problem| found.push(problem));
                if let Some(chunk) = chunk {
                    let (consumed, mut added) = (chunk.consumed, Ok(()));
                    chunk.visit_once(inputs, &mut visit, &mut |item| match item {
                        Item::Record(record) => added = added.and_then(|()| add(&record)),
                        Item::Bad(problem) => found.push(problem),
                        Item::Failed(failure) => found.push(failure.into_problem()),
                    });
                    let too_many =
                        |error| LookalikeError::Limit(format!("the items are too many: {error}"));
                    added.map_err(too_many)?;
                    progress.advance(consumed, 0);
                }
                admitted.admit(&found)?;
                problems.append(found);
                Poll::new(progress).now()?;
            }
            Ok(())
        })?;
        if names.is_empty() {
            let reason = problems.listed().first().map(|problem| format!(": {problem}"));
            return Err(LookalikeError::Settings(format!(
                "no item can be read{}; name the fields that hold their texts with the setting item_fields",
                reason.unwrap_or_default()
            )));
        }
        if let Some(missing) = fields.iter().zip(&has_value).find(|(_, has)| !**has) {
            return Err(LookalikeError::Settings(format!(
                "none of {} items has a value in the field `{}`; name the fields of the items with the \
                 setting item_fields",
                names.len(),
                missing.0
            )));
        }
        let size = settings.ngram as usize;
        let index = NgramIndex::new(size, size.min(LEAST_WORDS), parts);
        if index.is_empty() {
            return Err(LookalikeError::Settings(format!(
                "none of {} items has a part of {} words or more, so nothing would be found; name the fields \
                 that hold their texts with the setting item_fields, or lower the setting ngram",
                names.len(),
                size.min(LEAST_WORDS)
            )));
        }
        // A benchmark without an item is one as well.
        let files = inputs.files.iter().map(site_of_file);
        let mut numbers: BTreeMap<&str, u32> = files.map(|name| (name, 0)).collect();
        (0..).zip(numbers.values_mut()).for_each(|(number, of)| *of = number);
        let items = names.into_iter().zip(&benchmarks);
        let items =
            items.map(|(name, of)| BenchmarkItem { name, benchmark: numbers[of] }).collect();
        let benchmarks = numbers.into_keys().map(str::to_owned).collect();
        Ok(Self { items, benchmarks, fields, index, problems })
    }

    /// The item and the field of a part of the index.
    pub(super) fn place(&self, part: usize) -> PartPlace {
        PartPlace { item: part / self.fields.len(), field: part % self.fields.len() }
    }

    /// The item of a part of the index.
    pub(super) fn item(&self, part: usize) -> &BenchmarkItem {
        &self.items[self.place(part).item]
    }
}
