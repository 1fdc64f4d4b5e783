//! Runs the command that extracts the text of a file.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use super::record_limit::too_long;

/// Most bytes of the standard error that are kept.
const SAID: u64 = 64 << 10;
/// How long the outputs of a command that ended may stay open in a process that it started.
const LEFT_OPEN: Duration = Duration::from_secs(2);
/// Longest wait between two looks at the command.
const LOOK: Duration = Duration::from_millis(20);

/// The file of a command.
pub(super) struct NamedFile<'a> {
    /// Where it is.
    pub(super) path: &'a Path,
    /// The name of the input, which is another one than the path of a copy.
    pub(super) name: &'a str,
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
pub(super) fn text(
    command: &[String],
    file: &NamedFile<'_>,
    limit: usize,
    timeout: Duration,
) -> Result<Vec<u8>, String> {
    let (program, arguments) =
        command.split_first().ok_or("the setting extract names no command")?;
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
    let output = read(child.stdout.take(), limit as u64 + 1, false);
    let said = read(child.stderr.take(), SAID, true);
    let status = wait(&mut child, timeout, &output);
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
    let said = said.recv_timeout(LEFT_OPEN).unwrap_or_default();
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
    output: &Receiver<Vec<u8>>,
) -> Result<(std::process::ExitStatus, Vec<u8>), Stop> {
    let start = Instant::now();
    let (mut text, mut pause) = (None, Duration::from_millis(1));
    loop {
        if text.is_none() {
            text = output.try_recv().ok();
        }
        // The reader stops early only at the limit, which is one byte more than allowed.
        match child.try_wait() {
            Err(error) => return Err(Stop::Failed(error)),
            Ok(Some(status)) => {
                let text = match text {
                    Some(text) => text,
                    None => output.recv_timeout(LEFT_OPEN).map_err(|_| Stop::Late)?,
                };
                return Ok((status, text));
            }
            Ok(None) if start.elapsed() >= timeout => {
                return Err(if text.is_some() { Stop::TooLong } else { Stop::Late });
            }
            Ok(None) => {}
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(LOOK);
    }
}

/// Reads up to `most` bytes on a thread of its own; with `drain`, and drops those after them.
fn read(from: Option<impl Read + Send + 'static>, most: u64, drain: bool) -> Receiver<Vec<u8>> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut from) = from {
            // What was read before an error counts; the command's status says whether it failed.
            let _ = from.by_ref().take(most).read_to_end(&mut bytes);
            if drain {
                let _ = std::io::copy(&mut from, &mut std::io::sink());
            }
        }
        let _ = send.send(bytes);
    });
    receive
}
