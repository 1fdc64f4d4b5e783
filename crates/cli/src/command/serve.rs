//! `lookalike serve DIR`

use crate::args::ServeArgs;
use crate::exit::{Exit, WrongUsage};
use crate::interrupt;
use crate::log::{self, Log};
use crate::terminal::tell;
use lookalike_server::{Limits, ServeError, ServeEvent, ServeOptions, TlsFiles, serve};

pub(super) fn run(args: &ServeArgs) -> anyhow::Result<Exit> {
    interrupt::listen()?;
    let mut limits = Limits::default();
    (limits.waiting, limits.connections) = (args.max_waiting, args.max_connections);
    let mut options = ServeOptions::new(&args.dir);
    options.listen.clone_from(&args.listen);
    options.tokens.clone_from(&args.tokens);
    options.labels.clone_from(&args.labels);
    options.read_only = args.read_only;
    options.threads = args.threads.unwrap_or(0);
    options.limits = limits;
    let quiet = args.quiet;
    options.tls = match &args.tls[..] {
        [certificates, key] => {
            Some(TlsFiles { certificates: certificates.clone(), key: key.clone() })
        }
        _ => None,
    };
    let dir = args.dir.clone();
    let logs = !quiet && log::form() == Log::Json;
    let tell_event = move |event: &ServeEvent<'_>| match event {
        ServeEvent::NotReloaded { reason } => {
            tell(format_args!("{reason}; what was there before is used until this is mended"));
        }
        _ if quiet => {}
        ServeEvent::Listening { url, .. } => {
            tell(format_args!("{} is served at {url}", dir.display()));
        }
        ServeEvent::Answered(request) if logs => log::request(request),
        ServeEvent::Reloaded { files } => tell(format_args!("{files}: the new content is used")),
        _ => {}
    };
    let served = serve(&options, tell_event, || interrupt::signal().is_some());
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
