//! `lookalike milter DIR`

use crate::args::MilterArgs;
use crate::exit::{Exit, WrongUsage};
use crate::interrupt;
use crate::log::{self, Log};
use crate::terminal::tell;
use lookalike_server::{
    MilterError, MilterLimits, MilterLog, MilterOptions, MilterSocket, SpamAction, serve_milter,
};
use std::time::Duration;

pub(super) fn run(args: &MilterArgs) -> anyhow::Result<Exit> {
    interrupt::listen()?;
    let mut limits = MilterLimits::default();
    (limits.message, limits.connections) = (args.max_message, args.max_connections as usize);
    limits.deadline = Duration::from_millis(args.deadline);
    // At least one message has room.
    limits.messages = limits.messages.max(limits.message.saturating_add(1024));
    let mut options = MilterOptions::new(&args.dir, args.listen.clone());
    options.allow_remote = args.allow_remote;
    options.on_spam = match (args.quarantine, args.reject) {
        (true, _) => SpamAction::Quarantine,
        (_, true) => SpamAction::Reject,
        _ => SpamAction::Mark,
    };
    options.header.clone_from(&args.header);
    options.threads = args.threads.unwrap_or(0);
    options.limits = limits;
    let quiet = args.quiet;
    let started = |socket: &MilterSocket| {
        if !quiet {
            tell(format_args!("messages are judged by {} at {socket}", args.dir.display()));
        }
    };
    let logs = !quiet && log::form() == Log::Json;
    let log = move |message: &MilterLog<'_>| {
        if logs {
            log::mail(message);
        }
    };
    let served = serve_milter(&options, started, log, || interrupt::signal().is_some());
    served.map_err(|error| match error {
        MilterError::Index(error) => error.into(),
        error @ MilterError::Remote { .. } => WrongUsage(error.to_string()).into(),
        error => anyhow::Error::new(error),
    })?;
    if !quiet {
        tell("stopped");
    }
    Ok(Exit::Done)
}
