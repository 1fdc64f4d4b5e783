//! The documents of a source, read and prepared on all threads, in order.

use crate::feature_settings;
use crate::input_fields;
use crate::reading::{Documents, Reading};
use crate::source::CallerSource;
use crate::{LookalikeError, Source};
use lookalike_engine::files::piece_bytes;
use lookalike_engine::pipeline::{Items, PipelineLimits};
use lookalike_engine::{EngineError, Problems, Progress, pipeline};
use lookalike_io::source::Piece;
use lookalike_io::{DiscoverOptions, Inputs};

/// A source whose files are found.
pub struct Opened<'a> {
    /// Names and options of the inputs.
    pub inputs: Inputs,
    caller: Option<CallerSource<'a>>,
}

impl<'a> Opened<'a> {
    /// # Errors
    /// Files that cannot be found.
    pub fn new(
        source: Source<'a>,
        reading: DiscoverOptions,
        progress: &dyn Progress,
    ) -> Result<Self, LookalikeError> {
        feature_settings::refuse(&reading.fields, "this call")?;
        let (inputs, caller) = source.open(reading, input_fields::check_some)?;
        let total = inputs.files.iter().map(|file| file.size).sum();
        progress.phase("reading", Some(total).filter(|&total: &u64| total > 0));
        Ok(Self { inputs, caller })
    }

    /// Runs `work` over all pieces, on several threads, each with a state of its own, and hands the
    /// results to `collect` in order, which returns `false` to stop.
    ///
    /// # Errors
    /// Those of the caller's source.
    pub fn ordered<S, R: Send>(
        &self,
        limits: PipelineLimits,
        state: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, Piece) -> R + Sync,
        bytes: impl Fn(&R) -> u64 + Sync,
        collect: impl FnMut(R) -> bool,
    ) -> Result<(), LookalikeError> {
        let reading = self.caller.as_ref().map_or(Reading::Files, |caller| Reading::Caller(caller));
        let documents = Documents { inputs: &self.inputs, reading };
        documents.with_chunks(|chunks| {
            let parts = std::iter::once(Items(chunks));
            let size = |piece: &Piece| piece_bytes(piece, &self.inputs);
            pipeline::ordered_parts(limits, parts, size, state, work, bytes, collect);
            Ok(())
        })
    }
}

/// Whether to go on after these problems.
///
/// # Errors
/// The first bad record if `strict`; the first unreadable input unless `skip_unreadable`.
pub fn admit(
    problems: &Problems,
    strict: bool,
    skip_unreadable: bool,
) -> Result<(), LookalikeError> {
    if strict && let Some(problem) = problems.listed().first() {
        return Err(EngineError::Strict(problem.clone()).into());
    }
    match problems.first_unreadable() {
        Some(problem) if !skip_unreadable => Err(EngineError::Unreadable(problem.clone()).into()),
        _ => Ok(()),
    }
}
