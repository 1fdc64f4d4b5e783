//! `lookalike explain A B --run DIR`

use crate::args::{ExplainArgs, FormatArg};
use crate::exit::Exit;
use crate::visible::write_pretty;
use std::io::{IsTerminal, Write};

pub(super) fn run(args: &ExplainArgs) -> anyhow::Result<Exit> {
    let evidence = lookalike::results::explain(&args.a, &args.b, &args.run, &args.extract)?;
    print(&evidence, args.format == FormatArg::Json)
}

/// Prints a comparison, in colour on a terminal unless `NO_COLOR` is set.
pub(super) fn print(
    evidence: &lookalike::results::DocumentComparison,
    json: bool,
) -> anyhow::Result<Exit> {
    let mut stdout = std::io::stdout().lock();
    if json {
        write_pretty(&mut stdout, &evidence.comparison())?;
    } else {
        let colour = stdout.is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let style =
            lookalike::results::TextStyle { colour, width: terminal_width(), ..Default::default() };
        stdout.write_all(evidence.text(&style).as_bytes())?;
    }
    Ok(Exit::Done)
}

/// Columns of the terminal, as shells export them.
fn terminal_width() -> usize {
    std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).unwrap_or(100)
}
