//! Files of other formats, whose text a command extracts: one document per file.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::input::format::{About, Packing};
use crate::source::file_copy::FileCopy;
use crate::source::record_limit::too_long;
use crate::{Format, InputFile, Inputs};

use super::item::{DocumentFormat, FormatItem, Reading};

static EXTRACTED: About = About { name: "extracted", packing: Packing::None, ..About::DOCUMENT };

pub(super) const FORMATS: &[FormatItem] =
    &[FormatItem { about: &EXTRACTED, reading: Reading::Document(&Extracted) }];

impl Format {
    /// A file of another format, whose text a command extracts: one document.
    pub const EXTRACTED: Self = Self(&EXTRACTED);
}

struct Extracted;

impl DocumentFormat for Extracted {
    /// Extracts the text of a document with its command, of an object from a copy.
    fn read(
        &self,
        input: &InputFile,
        inputs: &Inputs,
        out: &mut Vec<u8>,
    ) -> Result<(), (String, bool)> {
        if let Some(damage) = &input.damage {
            return Err((damage.clone(), true));
        }
        let formats = &inputs.options.formats;
        let Some(extractor) = formats.extractor(&input.relative) else {
            return Err(("has no command; name one with the setting extract".to_owned(), false));
        };
        let copy = match &input.object {
            None => None,
            Some(object) => {
                let object = Arc::clone(object);
                let copy = FileCopy::of(object, &input.relative, &inputs.options.scratch());
                Some(copy.map_err(|message| (message, true))?)
            }
        };
        let path = copy.as_ref().map_or(&*input.path, FileCopy::path);
        let file = NamedFile { path, name: &input.name };
        let limit = inputs.options.max_record();
        *out = text(extractor.command(), &file, limit, formats.timeout())
            .map_err(|message| (message, false))?;
        Ok(())
    }
}

/// Most bytes of the standard error that are kept.
const SAID: usize = 64 << 10;
/// How long the outputs of a command that ended may stay open in a process that it started.
const LEFT_OPEN: Duration = Duration::from_secs(2);
/// Longest wait between two looks at the command.
const LOOK: Duration = Duration::from_millis(20);

/// The file of a command.
struct NamedFile<'a> {
    /// Where it is.
    path: &'a Path,
    /// The name of the input, which is another one than the path of a copy.
    name: &'a str,
}

impl NamedFile<'_> {
    /// A line of the standard error, with the name for the path, which may differ in every run.
    fn shown(&self, line: &str) -> String {
        line.replace(&*self.path.to_string_lossy(), self.name).chars().take(300).collect()
    }
}

/// The text that a command writes for a file: UTF-8 of at most `limit` bytes.
///
/// # Errors
/// A command that cannot be started, fails, takes longer than `timeout`, or writes anything else: the
/// reason, with the first line of its standard error, and a remedy.
fn text(
    command: &[String],
    file: &NamedFile<'_>,
    limit: usize,
    timeout: Duration,
) -> Result<Vec<u8>, String> {
    let (program, arguments) =
        command.split_first().ok_or("the setting extract names no command")?;
    // A name that begins with a hyphen is no option.
    let path = match file.path.is_relative() {
        true => Path::new(".").join(file.path),
        false => file.path.to_path_buf(),
    };
    let file = NamedFile { path: &path, name: file.name };
    let mut child = Command::new(program)
        .args(arguments.iter().map(|word| match word.as_str() {
            "{}" => file.path.as_os_str(),
            word => word.as_ref(),
        }))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| {
            format!(
                "`{program}` cannot be started: {error}; install it, or correct the setting extract"
            )
        })?;
    let output = Output::read(child.stdout.take(), limit.saturating_add(1), false);
    let said = Output::read(child.stderr.take(), SAID, true);
    let status = wait(&mut child, timeout, &output, limit);
    let (status, text) = match status {
        Ok(done) => done,
        Err(reason) => {
            // It may have ended meanwhile.
            let _ = child.kill();
            let _ = child.wait();
            return Err(match reason {
                Stop::Late => format!(
                    "`{program}` took longer than {} s and was stopped; raise the setting extract_timeout",
                    timeout.as_secs()
                ),
                Stop::TooLong => too_long(limit),
                Stop::Failed(error) => format!("`{program}` was lost: {error}; run again"),
            });
        }
    };
    if text.len() > limit {
        return Err(too_long(limit));
    }
    let said = said.bytes.recv_timeout(LEFT_OPEN).unwrap_or_default();
    if !status.success() {
        let said = String::from_utf8_lossy(&said);
        let line = said.lines().map(str::trim).find(|line| !line.is_empty());
        let line = file.shown(line.unwrap_or("it says nothing"));
        return Err(format!("`{program}` failed ({status}): {line}; check the file"));
    }
    match std::str::from_utf8(&text) {
        Ok(_) => Ok(text),
        Err(_) => {
            Err(format!("the output of `{program}` is not UTF-8; let the command convert it"))
        }
    }
}

/// Why a command is stopped.
enum Stop {
    Late,
    TooLong,
    Failed(std::io::Error),
}

/// Waits for the end of the command and its output.
fn wait(
    child: &mut Child,
    timeout: Duration,
    output: &Output,
    limit: usize,
) -> Result<(std::process::ExitStatus, Vec<u8>), Stop> {
    let start = Instant::now();
    let (mut text, mut pause) = (None, Duration::from_millis(1));
    loop {
        if text.is_none() {
            text = output.bytes.try_recv().ok();
        }
        match child.try_wait() {
            Err(error) => return Err(Stop::Failed(error)),
            Ok(Some(status)) => {
                let text = match text {
                    Some(text) => text,
                    None => output.bytes.recv_timeout(LEFT_OPEN).map_err(|_| Stop::Late)?,
                };
                return Ok((status, text));
            }
            // A command may also close its output and go on.
            Ok(None) if text.as_ref().is_some_and(|text| text.len() > limit) => {
                return Err(Stop::TooLong);
            }
            Ok(None) if start.elapsed() >= timeout => return Err(Stop::Late),
            Ok(None) => {}
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(LOOK);
    }
}

/// What a command writes to a pipe, read on a thread of its own.
///
/// When it is dropped, the thread ends and closes the pipe as soon as anything is written: a process that the
/// command started and that goes on writing then ends like any writer to a closed pipe, and takes no time from
/// the files after it.
struct Output {
    /// Comes when the pipe is closed, or enough was read.
    bytes: Receiver<Vec<u8>>,
    is_unwanted: Arc<AtomicBool>,
}

impl Output {
    /// Reads up to `most` bytes; with `drain`, and drops those after them.
    fn read(from: Option<impl Read + Send + 'static>, most: usize, drain: bool) -> Self {
        let (send, receive) = channel();
        let is_unwanted = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&is_unwanted);
        std::thread::spawn(move || {
            let bytes = from.map(|from| read(from, most, drain, &ends));
            let _ = send.send(bytes.unwrap_or_default());
        });
        Self { bytes: receive, is_unwanted }
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.is_unwanted.store(true, Ordering::Relaxed);
    }
}

/// Reads until the end, an error, `most` bytes unless those after them are drained, or until the flag is set.
fn read(mut from: impl Read, most: usize, drain: bool, ends: &AtomicBool) -> Vec<u8> {
    let (mut bytes, mut buffer) = (Vec::new(), vec![0; 1 << 16]);
    while !ends.load(Ordering::Relaxed) && (drain || bytes.len() < most) {
        match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => bytes.extend_from_slice(&buffer[..read.min(most - bytes.len())]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            // What was read before it counts; the command's status says whether it failed.
            Err(_) => break,
        }
    }
    bytes
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    /// The text that a script of the shell writes, of at most 100 bytes.
    fn written(script: &str, timeout: Duration) -> Result<String, String> {
        let command = ["sh", "-c", script, "{}"].map(str::to_owned);
        let file = NamedFile { path: Path::new("/dev/null"), name: "a.pdf" };
        let text = text(&command, &file, 100, timeout)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    #[test]
    fn a_command_is_stopped_for_what_it_does() {
        let (long, short) = (Duration::from_secs(60), Duration::from_millis(200));
        assert_eq!(written("echo text", long).unwrap(), "text\n");
        assert_eq!(written("echo text; exec >&-; sleep 0.1", long).unwrap(), "text\n");
        for late in ["sleep 60", "exec >&-; sleep 60", "echo text; exec >&-; sleep 60"] {
            let said = written(late, short).unwrap_err();
            assert!(said.contains("took longer"), "{late}: {said}");
        }
        let begin = Instant::now();
        for endless in ["yes", "trap '' PIPE; yes; sleep 60"] {
            let said = written(endless, long).unwrap_err();
            assert!(said.contains("longer than 100 bytes"), "{endless}: {said}");
        }
        assert!(begin.elapsed() < long / 2);
        let said = written("yes noise | head -n 99999 >&2; exit 3", long).unwrap_err();
        assert!(said.contains("exit status: 3): noise"), "{said}");
    }

    #[test]
    fn what_a_stopped_command_leaves_behind_cannot_go_on_writing() {
        let folder = tempfile::tempdir().unwrap();
        // Lines so slowly that the time ends first, and noise.
        let writers = [("out", "sh -c 'while sleep 0.05; do echo; done'"), ("error", "yes >&2")];
        for (to, writer) in writers {
            let ended = folder.path().join(to);
            let script = format!("({writer} 2>/dev/null; : >'{}') & wait", ended.display());
            let said = written(&script, Duration::from_millis(300)).unwrap_err();
            assert!(said.contains("took longer"), "{said}");
            let begin = Instant::now();
            while !ended.exists() {
                assert!(begin.elapsed() < Duration::from_secs(30), "{to}");
                std::thread::sleep(LOOK);
            }
        }
    }
}
