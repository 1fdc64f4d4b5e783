//! The table of common elements of a lean index, counted in a sample of documents.

use super::open::Analysis;
use crate::feature_settings;
use crate::input_fields;
use crate::memory::Memory;
use crate::reading::{Documents, Reading};
use crate::{LookalikeError, Settings, Source};
use lookalike_core::{CommonElements, Measure};
use lookalike_engine::{IngestOptions, Progress, Units, common_elements};

/// An element is common if more than one in so many distinct sets of the sample have it.
const ONE_IN: u32 = 1000;

/// An element that so many sets of the sample or fewer have is not common: in a small sample, near-
/// duplicates would make all of their elements common.
const FEWEST: u32 = 9;

/// The common elements of a sample. The same for any order of its documents and any number of
/// threads; memory is that of a run over the sample.
///
/// Runs on the current rayon pool.
///
/// # Errors
/// A source that cannot be read, an interruption.
pub(crate) fn count(
    sample: Source<'_>,
    fields: &Settings,
    analysis: &Analysis,
    threads: usize,
    progress: &dyn Progress,
) -> Result<CommonElements, LookalikeError> {
    feature_settings::refuse(&fields.fields, "an index")?;
    let (inputs, caller) =
        sample.open(fields.reading(Vec::new(), None), input_fields::check_some)?;
    let reading = caller.as_ref().map_or(Reading::Files, |caller| Reading::Caller(caller));
    let memory = Memory::of(None);
    let options = IngestOptions {
        memory: memory.sets(),
        sequences: memory.sequences(),
        scratch: std::env::temp_dir(),
        ..IngestOptions::in_memory(threads)
    };
    let documents = Documents { inputs: &inputs, reading };
    let collection = documents.ingest(&analysis.signer, &options, progress)?;
    let units = Units::new(&collection, &[], Measure::Resemblance, progress)?;
    let most = (units.len() / ONE_IN).max(FEWEST);
    Ok(common_elements(&collection, &units, most, memory.counting(), progress)?)
}
