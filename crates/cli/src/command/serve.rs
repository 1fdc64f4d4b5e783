//! `lookalike serve DIR` and `lookalike front URL...`

use crate::args::{DoorArgs, FrontArgs, ServeArgs};
use crate::exit::{Exit, WrongUsage};
use crate::interrupt;
use crate::log::{self, Log};
use crate::terminal::tell;
use lookalike_server::{
    FrontOptions, Limits, ServeError, ServeEvent, ServeOptions, TlsFiles, front, serve,
};

pub(super) fn run(args: &ServeArgs) -> anyhow::Result<Exit> {
    interrupt::listen()?;
    let mut options = ServeOptions::new(&args.dir);
    options.listen.clone_from(&args.door.listen);
    options.tokens.clone_from(&args.door.tokens);
    (options.tls, options.limits) = (tls(&args.door), limits(&args.door));
    options.limits.waiting = args.max_waiting;
    options.labels.clone_from(&args.labels);
    options.read_only = args.read_only;
    options.threads = args.threads.unwrap_or(0);
    let what = format!("{} is", args.dir.display());
    let served = serve(&options, teller(what, args.quiet), || interrupt::signal().is_some());
    ended(served, args.quiet)
}

pub(super) fn run_front(args: &FrontArgs) -> anyhow::Result<Exit> {
    interrupt::listen()?;
    let mut options = FrontOptions::new(args.shards.clone());
    options.listen.clone_from(&args.door.listen);
    options.tokens.clone_from(&args.door.tokens);
    options.shard_token.clone_from(&args.shard_token_file);
    (options.tls, options.limits) = (tls(&args.door), limits(&args.door));
    let what = format!("{} shards are", args.shards.len());
    let served = front(&options, teller(what, args.quiet), || interrupt::signal().is_some());
    ended(served, args.quiet)
}

fn limits(door: &DoorArgs) -> Limits {
    let mut limits = Limits::default();
    limits.connections = door.max_connections;
    limits
}

fn tls(door: &DoorArgs) -> Option<TlsFiles> {
    let [certificates, key] = &door.tls[..] else { return None };
    Some(TlsFiles { certificates: certificates.clone(), key: key.clone() })
}

/// Tells what happens to what is served.
fn teller(what: String, quiet: bool) -> impl Fn(&ServeEvent<'_>) + Send + Sync + 'static {
    let logs = !quiet && log::form() == Log::Json;
    move |event: &ServeEvent<'_>| match event {
        ServeEvent::NotReloaded { reason } => {
            tell(format_args!("{reason}; what was there before is used until this is mended"));
        }
        _ if quiet => {}
        ServeEvent::Listening { url, .. } => tell(format_args!("{what} served at {url}")),
        ServeEvent::Answered(request) if logs => log::request(request),
        ServeEvent::Reloaded { files } => tell(format_args!("{files}: the new content is used")),
        _ => {}
    }
}

fn ended(served: Result<(), ServeError>, quiet: bool) -> anyhow::Result<Exit> {
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
