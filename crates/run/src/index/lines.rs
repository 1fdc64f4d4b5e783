//! JSONL lines from a stream that may pause: what has arrived is handed over in groups.

use crate::LookalikeError;
use lookalike_io::source::{Body, Chunk};
use lookalike_io::{DiscoverOptions, Format, InputFile, Inputs};
use std::io::BufRead;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// Bytes of a group at most, unless one line has more.
const GROUP_BYTES: usize = 8 << 20;

/// Lines of a chunk, which one thread parses.
const PART: usize = 64;

/// How often it is asked whether to stop, while there is no input.
const POLL: Duration = Duration::from_millis(50);

/// Pieces of lines that wait.
const WAITING: usize = 64;

/// The inputs that the chunks of [`LineGroups`] belong to: one file of JSONL, called `stdin`.
pub fn jsonl_inputs(reading: DiscoverOptions) -> Inputs {
    let mut file = InputFile::in_memory("stdin");
    file.format = Format::JSONL;
    Inputs::from_files(vec![file], reading)
}

/// Lines of a stream, in groups.
pub struct LineGroups {
    /// What messages call the stream.
    name: PathBuf,
    pieces: Receiver<std::io::Result<Lines>>,
    most: usize,
    /// Lines that do not fit in the group before.
    held: Option<Lines>,
    /// Number of the next record, as records are counted in files.
    record: u32,
    /// Number of the next line.
    line: u64,
    /// Bytes before it.
    offset: u64,
}

impl LineGroups {
    /// Begins to read, on a thread of its own: groups of at most `most` lines. The thread may wait
    /// for input when the groups are dropped; it ends by itself when the next piece has no
    /// receiver.
    pub fn read(lines: impl BufRead + Send + 'static, most: usize) -> Self {
        let (send, pieces) = sync_channel(WAITING);
        std::thread::spawn(move || read_lines(lines, most, &send));
        let name = "standard input".into();
        Self { name, pieces, most, held: None, record: 1, line: 1, offset: 0 }
    }

    /// Another name of the stream in messages than standard input.
    #[must_use]
    pub fn named(self, name: impl Into<PathBuf>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// The chunks of the next group, in order: the lines that have arrived, at least one. `None` at
    /// the end.
    ///
    /// # Errors
    /// A stream that cannot be read; what `check` returns, which is asked again and again.
    pub fn next(
        &mut self,
        check: &dyn Fn() -> Result<(), LookalikeError>,
    ) -> Result<Option<Vec<Chunk>>, LookalikeError> {
        let first = loop {
            check()?;
            if let Some(lines) = self.held.take() {
                break Ok(lines);
            }
            match self.pieces.recv_timeout(POLL) {
                Ok(first) => break first,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
        };
        let gathered = first.and_then(|mut lines| {
            while lines.bytes.len() < GROUP_BYTES
                && let Ok(more) = self.pieces.try_recv()
            {
                let more = more?;
                if lines.ends.len() + more.ends.len() > self.most {
                    self.held = Some(more);
                    break;
                }
                lines.append(more);
            }
            Ok(lines)
        });
        let lines = gathered.map_err(|reason| {
            let path = self.name.clone();
            LookalikeError::from(lookalike_index::IndexError::Io { path, reason })
        })?;
        Ok(Some(self.chunks(&lines)))
    }

    fn chunks(&mut self, lines: &Lines) -> Vec<Chunk> {
        let mut chunks = Vec::new();
        let mut start = 0;
        for ends in lines.ends.chunks(PART) {
            let end = ends.last().copied().unwrap_or(start);
            let consumed = (end - start) as u64;
            chunks.push(Chunk {
                file: 0,
                first_record: self.record,
                first_line: self.line,
                offset: self.offset,
                consumed,
                body: Body::Lines(lines.bytes[start..end].to_vec()),
            });
            let blank = |range: &[u8]| range.iter().all(u8::is_ascii_whitespace);
            let mut from = start;
            for &end in ends {
                let counts = !blank(&lines.bytes[from..end]);
                self.record = self.record.wrapping_add(u32::from(counts));
                from = end;
            }
            self.line += ends.len() as u64;
            self.offset += consumed;
            start = end;
        }
        chunks
    }
}

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
