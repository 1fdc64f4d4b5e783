//! Documents that arrive one after the other: JSONL from a stream, committed in groups.

use super::edit::{AddOptions, Added, IndexWriter, Quiet};
use super::prepare::{PrepareScratch, Preparer};
use crate::panics::caught;
use crate::{LookalikeError, Settings, analysis};
use lookalike_engine::Progress;
use lookalike_index::Committed;
use lookalike_io::source::{Body, Chunk};
use lookalike_io::{Format, InputFile, Inputs};
use rayon::prelude::*;
use std::io::BufRead;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// Documents of a group at most.
const GROUP: u64 = 1000;

/// Bytes of a group at most, unless one line has more.
const GROUP_BYTES: usize = 8 << 20;

/// Lines that one thread prepares.
const PART: usize = 64;

/// How often it is asked whether to stop, while there is no input.
const POLL: Duration = Duration::from_millis(50);

/// Pieces of lines that wait to be added.
const WAITING: usize = 64;

/// Whole lines.
struct Lines {
    bytes: Vec<u8>,
    /// Where each line ends.
    ends: Vec<usize>,
}

impl Lines {
    fn append(&mut self, more: Self) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&more.bytes);
        self.ends.extend(more.ends.into_iter().map(|end| start + end));
    }
}

impl IndexWriter {
    /// Adds the documents of JSONL lines, in groups: what has arrived while the group before was
    /// committed is the next group, at most 1,000 documents. `committed` is called after each
    /// durable commit: all lines before are then in the index.
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
        let pool = analysis::pool(self.threads())?;
        let most = options.commit_every.unwrap_or(GROUP).min(GROUP);
        // What is read while a group is committed waits here. The thread may wait for input when
        // the caller is cancelled: it ends by itself when the next piece has no receiver.
        let (send, receive) = sync_channel(WAITING);
        std::thread::spawn(move || read_lines(lines, most as usize, &send));
        let committed = &mut committed;
        caught(|| {
            pool.install(move || {
                self.add_groups(&receive, most as usize, fields, options, progress, committed)
            })
        })
    }

    fn add_groups(
        &mut self,
        pieces: &Receiver<std::io::Result<Lines>>,
        most: usize,
        fields: &Settings,
        options: &AddOptions,
        progress: &dyn Progress,
        committed: &mut (dyn FnMut(Committed) + Send),
    ) -> Result<Added, LookalikeError> {
        let keep = self.analysis.keep.clone();
        let mut reading = fields.reading(Vec::new(), None);
        reading.fields.extra =
            keep.iter().filter_map(|rule| rule.field()).map(str::to_owned).collect();
        let mut file = InputFile::in_memory("stdin");
        file.format = Format::Jsonl;
        let inputs = Inputs::from_files(vec![file], reading);
        progress.phase("reading", None);
        let methods = std::mem::take(&mut self.analysis.methods);
        let signer = Arc::clone(&self.analysis.signer);
        let quiet = Quiet(progress);
        let mut adding = self.begin(options, committed, &quiet)?;
        let (sweep, expires) = (adding.sweep(), adding.expires());
        let preparer = Preparer {
            inputs: &inputs,
            signer: &signer,
            methods: &methods,
            keep: &keep,
            sweep,
            expires,
        };
        let mut outcome = Ok(());
        let (mut record, mut line, mut offset) = (1u32, 1u64, 0u64);
        loop {
            if progress.cancelled() {
                outcome = Err(LookalikeError::AddingCancelled);
                break;
            }
            let first = match pieces.recv_timeout(POLL) {
                Ok(first) => first,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            let gathered = first.and_then(|mut lines| {
                while lines.ends.len() < most
                    && lines.bytes.len() < GROUP_BYTES
                    && let Ok(more) = pieces.try_recv()
                {
                    lines.append(more?);
                }
                Ok(lines)
            });
            let lines = match gathered {
                Ok(lines) => lines,
                Err(reason) => {
                    let path = "standard input".into();
                    outcome = Err(lookalike_index::IndexError::Io { path, reason }.into());
                    break;
                }
            };
            let mut chunks = Vec::new();
            let mut start = 0;
            for ends in lines.ends.chunks(PART) {
                let end = ends.last().copied().unwrap_or(start);
                let body = Body::Lines(lines.bytes[start..end].to_vec());
                let consumed = (end - start) as u64;
                chunks.push(Chunk {
                    file: 0,
                    first_record: record,
                    first_line: line,
                    offset,
                    consumed,
                    body,
                });
                let blank = |range: &[u8]| range.iter().all(u8::is_ascii_whitespace);
                let mut from = start;
                for &end in ends {
                    record = record.wrapping_add(u32::from(!blank(&lines.bytes[from..end])));
                    from = end;
                }
                line += ends.len() as u64;
                offset += consumed;
                start = end;
            }
            let prepared: Vec<_> = chunks
                .into_par_iter()
                .map_init(PrepareScratch::default, |scratch, chunk| preparer.chunk(chunk, scratch))
                .collect();
            outcome = prepared.into_iter().try_for_each(|prepared| {
                progress.advance(prepared.consumed, prepared.documents.len() as u64);
                adding.take(prepared)
            });
            outcome = outcome.and_then(|()| adding.commit_what_waits());
            if outcome.is_err() {
                break;
            }
        }
        let ended = outcome.and_then(|()| adding.end());
        let added = adding.into_added();
        self.analysis.methods = methods;
        if ended.is_err() {
            // A failure stops the writer, and must not hide the error before.
            let _ = self.writer.abandon();
        }
        ended.map(|()| added)
    }
}

/// Reads pieces of whole lines: those that are there, at most `most`.
fn read_lines(mut from: impl BufRead, most: usize, to: &SyncSender<std::io::Result<Lines>>) {
    let mut rest: Vec<u8> = Vec::new();
    loop {
        let mut lines = Lines { bytes: std::mem::take(&mut rest), ends: Vec::new() };
        let mut over = false;
        // Until there is a line, and then as long as more are in the buffer.
        loop {
            let available = match from.fill_buf() {
                Ok([]) => {
                    over = true;
                    break;
                }
                Ok(available) => available,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    let _ = to.send(Err(error));
                    return;
                }
            };
            let mut used = available.len();
            for at in memchr::memchr_iter(b'\n', available) {
                lines.ends.push(lines.bytes.len() + at + 1);
                if lines.ends.len() >= most || lines.bytes.len() + at > GROUP_BYTES {
                    used = at + 1;
                    break;
                }
            }
            lines.bytes.extend_from_slice(&available[..used]);
            from.consume(used);
            if !lines.ends.is_empty() {
                break;
            }
        }
        let end = match over {
            true => {
                // The last line may have no end.
                if lines.ends.last().copied().unwrap_or(0) < lines.bytes.len() {
                    lines.ends.push(lines.bytes.len());
                }
                lines.bytes.len()
            }
            false => lines.ends.last().copied().unwrap_or(0),
        };
        rest = lines.bytes.split_off(end);
        let is_empty = lines.ends.is_empty();
        if !is_empty && to.send(Ok(lines)).is_err() {
            return;
        }
        if over {
            return;
        }
    }
}
