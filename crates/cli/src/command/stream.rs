//! `lookalike dedup --output -`

use super::jobs::dedup_job;
use super::problems;
use super::run::write_summary;
use crate::args::{DedupArgs, FormatArg, StreamArgs};
use crate::exit::{Exit, WrongUsage};
use crate::interrupt;
use crate::progress::with_progress;
use crate::terminal::tell;
use lookalike::{LookalikeError, StreamFiles, run_dedup_into};
use std::io::ErrorKind;
use std::path::Path;

/// Refuses standard output where only a directory can be written.
pub(super) fn refuse(output: &Path) -> anyhow::Result<()> {
    if is_stream(output) {
        let message = "only dedup writes to standard output; name a directory with --output";
        return Err(WrongUsage(message.to_string()).into());
    }
    Ok(())
}

/// Whether the result goes to standard output.
pub(super) fn is_stream(output: &Path) -> bool {
    output == Path::new("-")
}

/// Refuses arguments that another kind of output needs.
pub(super) fn check(output: &Path, stream: &StreamArgs) -> anyhow::Result<()> {
    let (ledger, summary) = (stream.ledger.as_deref(), stream.summary.as_deref());
    let wrong = |message: &str| Err(WrongUsage(message.to_string()).into());
    match is_stream(output) {
        true if [ledger, summary].contains(&Some(Path::new("-"))) => {
            wrong("--ledger and --summary need a file; standard output has the kept documents")
        }
        false if ledger.is_some() || summary.is_some() => {
            wrong("--ledger and --summary need --output -; a result directory has both files")
        }
        _ => Ok(()),
    }
}

/// Writes the kept documents to standard output, everything else to standard error.
pub(super) fn dedup(args: &DedupArgs) -> anyhow::Result<Exit> {
    let (output, stream) = (&args.run.output, &args.stream);
    let job = dedup_job(args)?;
    interrupt::listen()?;
    let files = StreamFiles { ledger: stream.ledger.clone(), summary: stream.summary.clone() };
    let outcome = with_progress(output.quiet, |progress| {
        run_dedup_into(&job, &files, &mut std::io::stdout().lock(), progress)
    });
    let outcome = match outcome {
        Err(LookalikeError::Stream(error)) if error.kind() == ErrorKind::BrokenPipe => {
            end_by_broken_pipe();
            return Ok(Exit::Done);
        }
        outcome => outcome?,
    };
    if !output.quiet {
        let listed = outcome.problems.len();
        let shown = if output.verbose { listed } else { problems::SHOWN };
        problems::print(&outcome.problems, outcome.summary.problems, shown, "");
    }
    let json = output.format == FormatArg::Json;
    // A closed standard error does not change the exit code.
    let _ = write_summary(&mut std::io::stderr(), &outcome.summary, json, output.quiet, None);
    Ok(Exit::after(outcome.summary.documents, outcome.summary.problems))
}

/// Ends as other filters do whose reader stops early: by SIGPIPE, if the system has it.
fn end_by_broken_pipe() {
    #[cfg(unix)]
    if let Err(error) =
        signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGPIPE)
    {
        tell(format_args!("lookalike: cannot end by SIGPIPE: {error}"));
    }
}
