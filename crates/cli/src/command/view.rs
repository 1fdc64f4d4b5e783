//! `lookalike view RUN`

use crate::args::ViewArgs;
use crate::exit::{Exit, WrongUsage};
use crate::interrupt;
use crate::terminal::tell;
use lookalike_server::{ServeError, view};

pub(super) fn run(args: &ViewArgs) -> anyhow::Result<Exit> {
    interrupt::listen()?;
    let quiet = args.quiet;
    let started = |address| {
        if !quiet {
            let run = args.run.display();
            tell(format_args!("{run} is shown at http://{address}; end with Ctrl-C"));
        }
    };
    let viewed = view(&args.run, &args.listen, started, || interrupt::signal().is_some());
    viewed.map_err(|error| match error {
        ServeError::Index(error) => error.into(),
        error @ ServeError::NotThisMachine { .. } => WrongUsage(error.to_string()).into(),
        error => anyhow::Error::new(error),
    })?;
    Ok(Exit::Done)
}
