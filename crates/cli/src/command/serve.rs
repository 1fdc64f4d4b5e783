//! `lookalike serve DIR`

use crate::args::ServeArgs;
use crate::exit::{Exit, WrongUsage};
use crate::interrupt;
use crate::log::{self, Log};
use crate::terminal::tell;
use lookalike_server::{Limits, ServeError, ServeOptions, serve};

pub(super) fn run(args: &ServeArgs) -> anyhow::Result<Exit> {
    interrupt::listen()?;
    let mut limits = Limits::default();
    (limits.waiting, limits.connections) = (args.max_waiting, args.max_connections);
    let mut options = ServeOptions::new(&args.dir);
    options.listen.clone_from(&args.listen);
    options.tokens.clone_from(&args.tokens);
    options.read_only = args.read_only;
    options.threads = args.threads.unwrap_or(0);
    options.limits = limits;
    let quiet = args.quiet;
    let started = |address| {
        if !quiet {
            let dir = args.dir.display();
            tell(format_args!("{dir} is served at http://{address}"));
        }
    };
    let logs = !quiet && log::form() == Log::Json;
    let log = move |request: &lookalike_server::RequestLog<'_>| {
        if logs {
            log::request(request);
        }
    };
    let served = serve(&options, started, log, || interrupt::signal().is_some());
    served.map_err(|error| match error {
        ServeError::Index(error) => error.into(),
        error @ ServeError::NoTokens { .. } => WrongUsage(error.to_string()).into(),
        error => anyhow::Error::new(error),
    })?;
    if !quiet {
        tell("stopped; all changes that were answered are durable");
    }
    Ok(Exit::Done)
}
