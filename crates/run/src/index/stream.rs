//! Documents that arrive one after the other: JSONL from a stream, committed as they arrive or by
//! number.

use super::edit::{AddOptions, Added, IndexWriter, Quiet};
use super::lines::{LineGroups, jsonl_inputs};
use super::prepare::{PrepareScratch, Preparer};
use crate::analysis::pool;
use crate::feature_settings;
use crate::panics::caught;
use crate::{LookalikeError, Settings};
use lookalike_engine::Progress;
use lookalike_index::Committed;
use rayon::prelude::*;
use std::io::BufRead;
use std::sync::Arc;

/// Lines of a group at most.
const GROUP: usize = 1000;

impl IndexWriter {
    /// Adds the documents of JSONL lines, in groups: what has arrived while the group before was
    /// committed is the next group, at most 1,000 lines. With [`AddOptions::commit_every`], whenever
    /// so many documents were read, and at the end. `committed` is called after each durable
    /// commit.
    ///
    /// # Errors
    /// A stream that cannot be read: what was committed stays. Files that cannot be written.
    pub fn add_lines(
        &mut self,
        lines: impl BufRead + Send + 'static,
        fields: &Settings,
        options: &AddOptions,
        progress: &dyn Progress,
        mut committed: impl FnMut(Committed) + Send,
    ) -> Result<Added, LookalikeError> {
        let pool = pool(self.threads())?;
        let lines = LineGroups::read(lines, GROUP);
        let committed = &mut committed;
        caught(|| {
            pool.install(move || self.add_groups(lines, fields, options, progress, committed))
        })
    }

    fn add_groups(
        &mut self,
        mut lines: LineGroups,
        fields: &Settings,
        options: &AddOptions,
        progress: &dyn Progress,
        committed: &mut (dyn FnMut(Committed) + Send),
    ) -> Result<Added, LookalikeError> {
        feature_settings::refuse(&fields.fields, "an index")?;
        let inputs = jsonl_inputs(self.reading(fields)?);
        progress.phase("reading", None);
        let analysis = Arc::clone(&self.analysis);
        let quiet = Quiet(progress);
        let mut adding = self.begin(options, committed, &quiet)?;
        let (sweep, expires) = (adding.sweep(), adding.expires());
        let preparer = Preparer { sweep, expires, ..Preparer::new(&inputs, &analysis) };
        let mut outcome = Ok(());
        let check = || match progress.cancelled() {
            true => Err(LookalikeError::AddingCancelled),
            false => Ok(()),
        };
        loop {
            let chunks = match lines.next(&check) {
                Ok(Some(chunks)) => chunks,
                Ok(None) => break,
                Err(error) => {
                    outcome = Err(error);
                    break;
                }
            };
            let prepared: Vec<_> = chunks
                .into_par_iter()
                .map_init(PrepareScratch::default, |scratch, chunk| preparer.chunk(chunk, scratch))
                .collect();
            outcome = prepared.into_iter().try_for_each(|prepared| {
                progress.advance(prepared.consumed, prepared.documents.len() as u64);
                adding.take(prepared)
            });
            if options.commit_every.is_none() {
                outcome = outcome.and_then(|()| adding.commit_what_waits());
            }
            if outcome.is_err() {
                break;
            }
        }
        let ended = outcome.and_then(|()| adding.end());
        let added = adding.into_added();
        if ended.is_err() {
            // A failure stops the writer, and must not hide the error before.
            let _ = self.writer.abandon();
        }
        ended.map(|()| added)
    }
}
