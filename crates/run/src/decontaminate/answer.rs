//! A search in memory: a source to tables, without a result directory.

use super::search::{Search, check_items, item_reading};
use super::second_reading::read_again;
use super::settings::{ContaminationAction, ContaminationSettings};
use super::tables::Tables;
use crate::panics::caught;
use crate::reading::{Documents, Reading};
use crate::readings::first::Admitted;
use crate::search_job::{limits, search_settings};
use crate::source::{CallerSource, Source, reads_twice};
use crate::table_store::TablesInMemory;
use crate::{
    LookalikeError, Place, Resources, ResultTable, Settings, feature_settings, input_fields,
};
use lookalike_engine::Progress;
use lookalike_io::Problem;
use lookalike_report::ContaminationSummary;

/// The items that were found in a source, in memory.
#[derive(Debug)]
pub struct Contamination {
    /// Counts, by benchmark too.
    pub summary: ContaminationSummary,
    /// Number of records of a source in memory.
    pub records: Option<u64>,
    /// The documents that contain a part of an item, in order.
    pub documents: Vec<Place>,
    /// Each of them with each part that it contains.
    pub contamination: ResultTable,
    /// The places of these parts.
    pub spans: ResultTable,
    /// Every part of every item, found or not.
    pub items: ResultTable,
    /// Every benchmark.
    pub benchmarks: ResultTable,
    /// The first records that could not be used.
    pub problems: Vec<Problem>,
}

/// Searches a source for the items of another, in memory: nothing is written. Both are read from files
/// or from memory; the documents twice.
///
/// ```
/// use lookalike::contamination::{ContaminationSettings, decontaminate};
/// use lookalike::{Resources, Settings, Silent, Source};
///
/// # fn main() -> Result<(), lookalike::LookalikeError> {
/// let question = "If a rose is a rose is a rose then what is a flower?";
/// let texts = ["nothing of the kind".to_owned(), format!("Quiz: {question} Answer: a rose.")];
/// let found = decontaminate(
///     Source::repeatable_records(|| texts.clone()),
///     Source::records([question]).named("quiz"),
///     &Settings::default(),
///     &ContaminationSettings::default(),
///     &Resources::default(),
///     &Silent,
/// )?;
/// assert_eq!(found.documents.iter().map(|place| place.index()).collect::<Vec<_>>(), [1]);
/// assert_eq!(found.summary.benchmarks[0].found, 1);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As [`run_decontaminate`](super::run_decontaminate); documents that can be read once.
pub fn decontaminate(
    source: Source<'_>,
    against: Source<'_>,
    settings: &Settings,
    contamination: &ContaminationSettings,
    resources: &Resources,
    progress: &dyn Progress,
) -> Result<Contamination, LookalikeError> {
    contamination.check()?;
    feature_settings::refuse(&settings.fields, "decontaminate")?;
    if source.is_read_once() {
        return Err(reads_twice("decontaminate", source.name()));
    }
    let scratch = resources.scratch.clone();
    let reading = settings.reading(Vec::new(), scratch.clone());
    let (inputs, caller) = source.open(reading, |inputs| input_fields::check(inputs, &|| false))?;
    let reading = item_reading(settings, contamination, Vec::new(), scratch);
    let (items, items_caller) =
        against.open(reading, |inputs| check_items(inputs, contamination, progress))?;
    let search = Search {
        documents: Documents {
            inputs: &inputs,
            reading: caller.as_ref().map_or(Reading::Files, |caller| Reading::Caller(caller)),
        },
        items: Documents {
            inputs: &items,
            reading: items_caller.as_ref().map_or(Reading::Files, |caller| Reading::Caller(caller)),
        },
        settings,
        contamination,
        admitted: Admitted { strict: resources.strict, skip_unreadable: false },
        limits: limits(resources.threads, resources.memory),
    };
    caught(|| {
        let found = search.find(progress)?;
        let list = ContaminationAction::List;
        let read = |each: &mut dyn FnMut(_) -> _| {
            read_again(
                found.searched(),
                search.documents,
                search.limits,
                list,
                None,
                each,
                progress,
            )
        };
        let (tables, totals, written) =
            Tables::write(&TablesInMemory, &found.items, &found.decisions, read, progress)?;
        let settings = search_settings(settings, contamination, Some(&[]));
        let mut summary =
            found.summary(&inputs, settings, ContaminationAction::List, totals, &written);
        if caller.is_some() {
            for input in &mut summary.inputs {
                (input.format, input.bytes) = ("memory".into(), summary.text_bytes);
            }
        }
        let documents = found.decisions.documents();
        let documents = documents.into_iter().map(|(file, record)| Place { file, record });
        let Tables { contamination, spans, items, benchmarks } = tables;
        Ok(Contamination {
            summary,
            records: caller.as_ref().map(CallerSource::rows),
            documents: documents.collect(),
            contamination,
            spans,
            items,
            benchmarks,
            problems: found.problems().cloned().collect(),
        })
    })
}
