//! Second reading of the training documents: those that contain parts of items.

use super::fates::{ChunkFates, LocatedDocument};
use super::searched::Searched;
use super::settings::ContaminationAction;
use crate::LookalikeError;
use crate::reading::Documents;
use crate::readings::second::{Routing, SecondReading, Written};
use lookalike_engine::Progress;
use lookalike_engine::pipeline::PipelineLimits;

/// Reads the documents again; gives those that contain parts to `each`, in order, and with a `routing`
/// writes all records.
///
/// # Errors
/// Documents that have changed; outputs that cannot be written; those of `each`.
pub(super) fn read_again(
    searched: Searched<'_>,
    documents: Documents<'_>,
    limits: PipelineLimits,
    action: ContaminationAction,
    routing: Option<Routing<'_>>,
    each: &mut dyn FnMut(LocatedDocument) -> Result<(), LookalikeError>,
    progress: &dyn Progress,
) -> Result<Written, LookalikeError> {
    let Searched { scan, decisions, .. } = searched;
    let wanted = decisions.documents();
    let describes = routing.is_none() && action == ContaminationAction::Cut;
    let visitor = |wanted: &[(u32, u32)]| {
        let before = |place| decisions.matches.partition_point(move |one| one.place < place);
        let matches = match wanted {
            [] => &[],
            [first, .., last] | [first @ last] => {
                &decisions.matches[before(*first)..before((last.0, last.1 + 1))]
            }
        };
        ChunkFates::new(action, documents.inputs, matches, searched, describes)
    };
    let phase = if routing.is_some() { "writing" } else { "locating" };
    let second = SecondReading { documents, first: &scan.reading, wanted: &wanted, limits };
    second.run(phase, routing, &visitor, each, progress)
}
