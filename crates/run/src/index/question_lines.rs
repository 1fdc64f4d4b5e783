//! Questions of a stream of JSONL lines, answered on all threads in their order.

use super::ask::{AskedAll, ReadOptions};
use super::lines::LineGroups;
use super::open::Index;
use super::questions::{Question, Reply, given};
use crate::opened::admit;
use crate::panics::caught;
use crate::settings::thread_count;
use crate::{ErrorKind, LookalikeError};
use lookalike_engine::pipeline::{Items, PipelineLimits};
use lookalike_engine::{Problems, Progress, pipeline};
use lookalike_index::{IndexError, Snapshot};
use lookalike_io::Problem;
use lookalike_io::source::Body;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::VecDeque;
use std::io::{self, BufRead};

/// Bytes of questions and answers in memory, beside the largest answers.
const IN_FLIGHT: u64 = 256 << 20;

/// Lines of a group at most.
const GROUP: usize = 1000;

/// The UTF-8 encoding of the byte order mark, which may begin a file.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// The answer to the question of a line.
#[derive(Debug)]
pub struct AnsweredLine {
    /// Number of the line of the question, from 1.
    pub line: u64,
    /// A JSON object of one line, without a line end: `line`, `key` if the question has one, and
    /// the fields of the answer or `problem`.
    pub json: String,
    /// Why there is no answer.
    pub problem: Option<String>,
    /// Whether a further question of those that have arrived follows. If not, the stream may pause.
    pub more: bool,
}

impl Index {
    /// Answers questions that arrive as JSONL lines, [`Question`]s, all about the last commit before
    /// the first. `each` receives the answers in the order of the lines; blank lines have none. A
    /// bad question has a problem as its answer. What a question does not have it takes from
    /// `defaults`. Memory is bounded, but for single answers. `name` is what messages call the
    /// stream.
    ///
    /// # Errors
    /// A stream or an index that cannot be read, an interruption, an error of `each`; the first bad
    /// question with [`ReadOptions::strict`]. The answers before it were given.
    pub fn answer_lines(
        &self,
        name: &str,
        lines: impl BufRead + Send + 'static,
        defaults: &Question,
        options: ReadOptions,
        progress: &dyn Progress,
        mut each: impl FnMut(&AnsweredLine) -> io::Result<()>,
    ) -> Result<AskedAll, LookalikeError> {
        caught(|| {
            let snapshot = self.snapshot()?;
            progress.phase("reading", None);
            let batch = Batch { index: self, snapshot: &snapshot, defaults, progress };
            let questions = QuestionLines {
                groups: LineGroups::read(lines, GROUP).named(name),
                waiting: VecDeque::new(),
                progress,
                is_over: false,
            };
            let (mut all, mut problems) = (AskedAll::default(), Problems::default());
            let mut take = |(line, consumed): (AnsweredLine, u64)| {
                let mut bad = Problems::default();
                if let Some(message) = &line.problem {
                    bad.push(problem(name, &line, message.clone()));
                }
                admit(&bad, options.strict, options.skip_unreadable)?;
                each(&line).map_err(|reason| {
                    LookalikeError::from(IndexError::Io { path: "the answers".into(), reason })
                })?;
                all.documents += u64::from(line.problem.is_none());
                problems.append(bad);
                progress.advance(consumed, 1);
                Ok(())
            };
            let mut outcome = Ok(());
            let threads = thread_count(options.threads);
            pipeline::ordered_parts(
                PipelineLimits { threads, in_flight: IN_FLIGHT },
                std::iter::once(Items(questions)),
                |line| line.as_ref().map_or(0, |line| line.bytes.len() as u64),
                || (),
                |(), line| batch.answer(line?),
                |answered| answered.as_ref().map_or(0, |(line, _)| line.json.len() as u64),
                |answered| {
                    outcome = answered.and_then(&mut take);
                    outcome.is_ok()
                },
            );
            outcome?;
            all.problems = problems.count();
            all.listed = problems.into_listed();
            Ok(all)
        })
    }
}

fn problem(name: &str, line: &AnsweredLine, message: String) -> Problem {
    Problem {
        file: 0,
        path: name.to_owned(),
        record: u32::try_from(line.line).unwrap_or(u32::MAX),
        line: line.line,
        offset: None,
        message,
        unreadable: false,
    }
}

/// What the questions of a batch have in common.
struct Batch<'a> {
    index: &'a Index,
    snapshot: &'a Snapshot,
    defaults: &'a Question,
    progress: &'a dyn Progress,
}

impl Batch<'_> {
    /// The answer, and the bytes of its question.
    ///
    /// # Errors
    /// What concerns further questions too: an interruption, damage.
    fn answer(&self, line: Line) -> Result<(AnsweredLine, u64), LookalikeError> {
        let Line { number, bytes, more } = line;
        let reply = Question::from_json(&bytes).and_then(|question| {
            let question = question.or(self.defaults);
            self.index.one_question(self.snapshot, self.progress, |asking| {
                self.index.answer_on(self.snapshot, asking, &question)
            })
        });
        let (reply, problem) = match reply {
            Ok(reply) => (LineReply::Reply(reply), None),
            Err(error) if is_of_question(&error) => {
                let problem = error.to_string();
                (LineReply::Problem { key: key(&bytes), problem: problem.clone() }, Some(problem))
            }
            Err(error) => return Err(error),
        };
        let json = serde_json::to_string(&Numbered { line: number, reply })?;
        Ok((AnsweredLine { line: number, json, problem, more }, bytes.len() as u64))
    }
}

/// Whether an error is of one question, so that others can be answered.
fn is_of_question(error: &LookalikeError) -> bool {
    error.kind() == ErrorKind::Usage || matches!(error, LookalikeError::NotInIndex { .. })
}

/// The key of a bad question, if it is an object that has one.
fn key(json: &[u8]) -> Option<Box<RawValue>> {
    #[derive(Deserialize)]
    struct Keyed {
        #[serde(default, deserialize_with = "given")]
        key: Option<Box<RawValue>>,
    }

    serde_json::from_slice::<Keyed>(json).ok()?.key
}

/// The reply of a line.
#[derive(Serialize)]
struct Numbered {
    line: u64,
    #[serde(flatten)]
    reply: LineReply,
}

#[derive(Serialize)]
#[serde(untagged)]
enum LineReply {
    Reply(Reply),
    Problem {
        #[serde(skip_serializing_if = "Option::is_none")]
        key: Option<Box<RawValue>>,
        problem: String,
    },
}

/// A line with a question.
struct Line {
    number: u64,
    bytes: Vec<u8>,
    /// [`AnsweredLine::more`].
    more: bool,
}

/// The lines of a stream that are not blank, up to an error.
struct QuestionLines<'a> {
    groups: LineGroups,
    /// The lines of a group.
    waiting: VecDeque<Line>,
    progress: &'a dyn Progress,
    is_over: bool,
}

impl Iterator for QuestionLines<'_> {
    type Item = Result<Line, LookalikeError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.waiting.is_empty() && !self.is_over {
            if let Err(error) = self.read_group() {
                self.is_over = true;
                return Some(Err(error));
            }
        }
        self.waiting.pop_front().map(Ok)
    }
}

impl QuestionLines<'_> {
    fn read_group(&mut self) -> Result<(), LookalikeError> {
        let progress = self.progress;
        let check = || match progress.cancelled() {
            true => Err(LookalikeError::QuestionCancelled),
            false => Ok(()),
        };
        let Some(chunks) = self.groups.next(&check)? else {
            self.is_over = true;
            return Ok(());
        };
        for chunk in chunks {
            let Body::Lines(bytes) = chunk.body else { continue };
            for (number, line) in (chunk.first_line..).zip(bytes.split_inclusive(|&b| b == b'\n')) {
                let marked = if number == 1 { line.strip_prefix(MARK) } else { None };
                let line = marked.unwrap_or(line).trim_ascii();
                if !line.is_empty() {
                    self.waiting.push_back(Line { number, bytes: line.to_vec(), more: true });
                }
            }
        }
        if let Some(last) = self.waiting.back_mut() {
            last.more = false;
        }
        Ok(())
    }
}
