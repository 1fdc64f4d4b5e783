//! A search in memory: a source to tables, without a result directory.

use super::anchor_store::SpillLimits;
use super::job::{Writing, recorded};
use super::search::Search;
use super::settings::PassageSettings;
use super::tables::Tables;
use crate::analysis::pool;
use crate::panics::caught;
use crate::reading::{Documents, Reading};
use crate::readings::first::Admitted;
use crate::search_job::limits;
use crate::source::{CallerSource, Source, reads_twice};
use crate::table_store::{TablesInMemory, write_problems};
use crate::{LookalikeError, Place, Resources, ResultTable, Settings, input_fields};
use lookalike_engine::{Checkpoints, Progress};
use lookalike_io::Problem;
use lookalike_report::PassageSummary;

/// The repeated passages of a source, in memory.
#[derive(Debug)]
pub struct Passages {
    /// Counts.
    pub summary: PassageSummary,
    /// Number of records of a source in memory.
    pub records: Option<u64>,
    /// Every passage that stands at an earlier place as well.
    pub passages: ResultTable,
    /// Every cut with its witness, if anything is cut.
    pub cuts: Option<ResultTable>,
    /// What that replaces in the texts.
    pub edits: Option<ResultTable>,
    /// Stretches that are nearly the same, if some are asked for.
    pub near: Option<ResultTable>,
    /// The documents of which nothing is left, in order.
    pub removed: Vec<Place>,
    /// The first records that could not be used.
    pub problems: Vec<Problem>,
}

impl Passages {
    /// [`Passages::problems`] as the table of that name.
    ///
    /// # Errors
    /// Memory that cannot be had.
    pub fn problems_table(&self) -> Result<ResultTable, LookalikeError> {
        write_problems(&self.problems, &TablesInMemory)
    }
}

/// Searches a source for repeated passages, in memory: nothing is written. It is read three times.
///
/// ```
/// use lookalike::passages::{PassageSettings, passages};
/// use lookalike::{Resources, Settings, Silent, Source};
///
/// # fn main() -> Result<(), lookalike::LookalikeError> {
/// let notice = "All rights reserved. No part of this page may be reproduced in any form.";
/// let texts = [format!("On roses. {notice}"), format!("{notice} On tulips.")];
/// let found = passages(
///     Source::repeatable_records(|| texts.clone()),
///     &Settings::default(),
///     &PassageSettings { length: Some(10), ..PassageSettings::default() },
///     &Resources::default(),
///     &Silent,
/// )?;
/// assert_eq!((found.summary.passages, found.summary.cut_units), (1, 14));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As [`run_passages`](super::run_passages); documents that can be read once.
pub fn passages(
    source: Source<'_>,
    settings: &Settings,
    passages: &PassageSettings,
    resources: &Resources,
    progress: &dyn Progress,
) -> Result<Passages, LookalikeError> {
    passages.check()?;
    if passages.writes_spans() {
        let reason = "the setting write=spans writes files, and a search in memory writes none";
        return Err(LookalikeError::Settings(reason.into()));
    }
    let settings = &*passages.of_documents(settings, false)?;
    if source.is_read_once() {
        return Err(reads_twice("passages", source.name()));
    }
    let mut reading = settings.reading(Vec::new(), resources.scratch.clone());
    reading.fields.extra = settings.keep_fields()?;
    let (inputs, caller) = source.open(reading, |inputs| input_fields::check(inputs, &|| false))?;
    let admitted = Admitted { strict: resources.strict, skip_unreadable: false };
    let search = Search {
        documents: Documents {
            inputs: &inputs,
            reading: caller.as_ref().map_or(Reading::Files, |caller| Reading::Caller(caller)),
        },
        own_files: inputs.files.len() as u32,
        settings,
        analysis: &admitted.analysis(settings, &inputs)?,
        passages,
        admitted,
        limits: limits(resources.threads, resources.memory),
        spill: SpillLimits::new(resources.memory, resources.folder()),
        without: &[],
        checkpoints: &Checkpoints::none(),
    };
    let work = || {
        let (near, of_near) = search.near(&TablesInMemory, progress)?.unzip();
        let found = search.find(None, progress)?;
        let (tables, totals, written) =
            search.place(&found, &TablesInMemory, Writing::Nothing, None, progress)?;
        let mut summary =
            search.summary(&found, recorded(settings, passages, None), totals, &written, None);
        summary.near = of_near;
        if caller.is_some() {
            for input in &mut summary.inputs {
                (input.format, input.bytes) = ("memory".into(), summary.text_bytes);
            }
        }
        let removed = written.removed.into_iter();
        let Tables { passages, cuts, edits } = tables;
        Ok(Passages {
            summary,
            records: caller.as_ref().map(CallerSource::rows),
            passages,
            cuts,
            edits,
            near,
            removed: removed.map(|(file, record)| Place { file, record }).collect(),
            problems: found.first.problems.listed().to_vec(),
        })
    };
    // Not on the threads of the whole process: it may have been forked.
    let pool = pool(search.limits.threads)?;
    caught(|| pool.install(work))
}
