//! `lookalike undo RUN ID… --output DIR`

use super::jobs::command_line;
use super::run::print_summary;
use crate::args::{FormatArg, UndoArgs};
use crate::exit::Exit;
use crate::interrupt;
use crate::progress::with_progress;
use anyhow::Context;
use lookalike::results::{UndoJob, undo};

pub(super) fn run(args: &UndoArgs) -> anyhow::Result<Exit> {
    let job = UndoJob {
        documents: args.documents.clone(),
        clusters: args.cluster.clone(),
        force: args.force,
        command: command_line(),
        ..UndoJob::new(&args.run, &args.output)
    };
    interrupt::listen()?;
    let summary = with_progress(args.quiet, |progress| undo(&job, progress))?;
    let json = args.format == FormatArg::Json;
    print_summary(&summary, json, args.quiet, None).with_context(|| {
        format!("the result is in {}, but cannot be printed", args.output.display())
    })?;
    Ok(Exit::Done)
}
