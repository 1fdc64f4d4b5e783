//! Verdicts on the messages of files and streams.

use super::message_filter::{FilterScratch, MessageFilter, State};
use super::verdict::{Verdict, VerdictKind};
use lookalike_engine::pipeline::PipelineLimits;
use lookalike_engine::{Problems, Progress};
use lookalike_index::{DocNumber, IndexError};
use lookalike_io::source::{Chunk, Piece};
use lookalike_io::{Inputs, Problem};
use lookalike_run::analysis::pool;
use lookalike_run::feature_settings;
use lookalike_run::index::ReadOptions;
use lookalike_run::index::lines::{LineGroups, jsonl_inputs};
use lookalike_run::index::prepare::Preparer;
use lookalike_run::opened::{Opened, admit};
use lookalike_run::panics::caught;
use lookalike_run::settings::thread_count;
use lookalike_run::{LookalikeError, Settings, Source};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::io;
use std::io::BufRead;

/// Bytes of messages in memory, beside the largest chunk.
const IN_FLIGHT: u64 = 256 << 20;

/// Lines of a stream that are answered together at most.
const GROUP: usize = 1000;

/// How many verdicts were given.
#[derive(Debug, Default)]
pub struct Filtered {
    /// By kind; those that could not be read are [`VerdictKind::Error`].
    pub verdicts: BTreeMap<VerdictKind, u64>,
    /// Records and inputs that could not be read.
    pub problems: u64,
    /// The first of them.
    pub listed: Vec<Problem>,
}

/// Receives verdicts, in the order of the messages.
type Each<'e> = dyn FnMut(&[Verdict]) -> io::Result<()> + Send + 'e;

impl MessageFilter {
    /// Gives verdicts on the messages of a source, in their order, all by the prototypes of the
    /// last commit before the first; `each` receives some at a time. Memory is bounded.
    ///
    /// `fields` says how records are read: the field names and formats of these settings count.
    ///
    /// # Errors
    /// A source or an index that cannot be read, an error of `each`; the verdicts before it were
    /// given.
    pub fn verdicts(
        &self,
        source: Source<'_>,
        fields: &Settings,
        options: ReadOptions,
        progress: &dyn Progress,
        mut each: impl FnMut(&[Verdict]) -> io::Result<()> + Send,
    ) -> Result<Filtered, LookalikeError> {
        let threads = thread_count(options.threads);
        caught(|| {
            let dir = vec![self.index.dir().to_owned()];
            let reading = self.index.settings().reading(fields, dir)?;
            let opened = Opened::new(source, reading, progress)?;
            let (preparer, state) = (self.preparer(&opened.inputs), self.state()?);
            let mut answering = Answering::new(options, progress, &mut each);
            let mut outcome = Ok(());
            let read = opened.ordered(
                PipelineLimits { threads, in_flight: IN_FLIGHT },
                || self.scratch(),
                |scratch, piece| self.judge_piece(&preparer, &state, piece, scratch),
                |judged: &Judged| judged.bytes,
                |judged| {
                    outcome = answering.take(judged);
                    outcome.is_ok()
                },
            );
            read.and(outcome)?;
            Ok(answering.end())
        })
    }

    /// Gives verdicts on messages that arrive as JSONL lines: on those that have arrived, at most
    /// 1,000, by the prototypes of the last commit at that time. Each call of `each` has the
    /// verdicts on all lines before that it has not had.
    ///
    /// # Errors
    /// As [`MessageFilter::verdicts`].
    pub fn verdicts_of_lines(
        &self,
        lines: impl BufRead + Send + 'static,
        fields: &Settings,
        options: ReadOptions,
        progress: &dyn Progress,
        mut each: impl FnMut(&[Verdict]) -> io::Result<()> + Send,
    ) -> Result<Filtered, LookalikeError> {
        feature_settings::refuse(&fields.fields, "a filter")?;
        let pool = pool(thread_count(options.threads))?;
        let mut groups = LineGroups::read(lines, GROUP);
        caught(|| {
            pool.install(|| {
                let reading = self.index.settings().reading(fields, Vec::new())?;
                let inputs: Inputs = jsonl_inputs(reading);
                let preparer = self.preparer(&inputs);
                progress.phase("reading", None);
                let mut answering = Answering::new(options, progress, &mut each);
                let check = || cancelled(progress);
                while let Some(chunks) = groups.next(&check)? {
                    let state = self.state()?;
                    let judge = |scratch: &mut FilterScratch, chunk: Chunk| {
                        self.judge_piece(&preparer, &state, Piece::Chunk(chunk), scratch)
                    };
                    let judged: Vec<Judged> =
                        chunks.into_par_iter().map_init(|| self.scratch(), judge).collect();
                    judged.into_iter().try_for_each(|judged| answering.take(judged))?;
                }
                Ok(answering.end())
            })
        })
    }

    /// The verdicts on the messages of a piece.
    fn judge_piece(
        &self,
        preparer: &Preparer<'_>,
        state: &State,
        piece: Piece,
        scratch: &mut FilterScratch,
    ) -> Judged {
        let mut judged = Judged::default();
        let (chunk, failed) = piece.into_parts();
        let Some(chunk) = chunk else {
            failed.into_iter().for_each(|problem| judged.problems.push(problem));
            return judged;
        };
        // A bad record, or `None` for the next message.
        let mut order: Vec<Option<Verdict>> = Vec::new();
        let prepared = preparer.chunk_with(chunk, &mut scratch.prepare, &mut |problem| {
            match problem {
                None => order.push(None),
                // That the rest of a file cannot be read is no message.
                Some(problem) if problem.unreadable => {}
                Some(problem) => {
                    let id = format!("{}:{}", problem.path, problem.record);
                    order.push(Some(Verdict::error(id, problem.to_string())));
                }
            }
        });
        (judged.problems, judged.consumed) = (prepared.problems, prepared.consumed);
        failed.into_iter().for_each(|problem| judged.problems.push(problem));
        let mut messages = 0..prepared.documents.len();
        for bad in order {
            let verdict = match bad {
                Some(bad) => Ok(bad),
                None => {
                    let Some(at) = messages.next() else { break };
                    let (mut views, zero) = (Vec::new(), DocNumber(0));
                    let message = prepared.documents.get(at, zero, zero, &mut views);
                    self.judge(state, &message, &mut scratch.buffers)
                }
            };
            let verdict = match verdict {
                Ok(verdict) => verdict,
                Err(error) => {
                    judged.failed = Some(error);
                    break;
                }
            };
            judged.bytes +=
                300 + verdict.passages.iter().map(|p| p.text.len()).sum::<usize>() as u64;
            judged.verdicts.push(verdict);
        }
        judged
    }
}

/// # Errors
/// Whether the caller cancelled.
fn cancelled(progress: &dyn Progress) -> Result<(), LookalikeError> {
    match progress.cancelled() {
        true => Err(LookalikeError::FilterCancelled),
        false => Ok(()),
    }
}

/// The verdicts on the messages of a chunk.
#[derive(Default)]
struct Judged {
    verdicts: Vec<Verdict>,
    problems: Problems,
    /// What ended the verdicts before the end of the chunk.
    failed: Option<LookalikeError>,
    /// Bytes of the input.
    consumed: u64,
    /// Bytes of memory, approximately.
    bytes: u64,
}

/// Gives verdicts to the caller, in order.
struct Answering<'a> {
    options: ReadOptions,
    progress: &'a dyn Progress,
    each: &'a mut Each<'a>,
    filtered: Filtered,
    problems: Problems,
}

impl<'a> Answering<'a> {
    fn new(options: ReadOptions, progress: &'a dyn Progress, each: &'a mut Each<'a>) -> Self {
        let (filtered, problems) = Default::default();
        Self { options, progress, each, filtered, problems }
    }

    fn take(&mut self, judged: Judged) -> Result<(), LookalikeError> {
        cancelled(self.progress)?;
        let Judged { mut verdicts, problems, failed, consumed, .. } = judged;
        if self.options.strict {
            let bad = verdicts.iter().position(|one| one.verdict == VerdictKind::Error);
            verdicts.truncate(bad.unwrap_or(verdicts.len()));
        }
        self.progress.advance(consumed, verdicts.len() as u64);
        for verdict in &verdicts {
            *self.filtered.verdicts.entry(verdict.verdict).or_default() += 1;
        }
        if !verdicts.is_empty() {
            (self.each)(&verdicts).map_err(|reason| {
                LookalikeError::from(IndexError::Io { path: "the verdicts".into(), reason })
            })?;
        }
        failed.map_or(Ok(()), Err)?;
        admit(&problems, self.options.strict, self.options.skip_unreadable)?;
        self.problems.append(problems);
        Ok(())
    }

    fn end(self) -> Filtered {
        let Self { mut filtered, problems, .. } = self;
        filtered.problems = problems.count();
        filtered.listed = problems.into_listed();
        filtered
    }
}
