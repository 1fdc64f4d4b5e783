//! `lookalike explain A B --run DIR`, and of passages `lookalike explain A [RANGE] --run DIR`

use crate::args::{ExplainArgs, FormatArg};
use crate::exit::Exit;
use crate::visible::{visible, write_pretty};
use anyhow::Context;
use lookalike::results::{explain_passages, passages_of};
use std::io::{IsTerminal, Write};
use std::ops::Range;
use std::path::PathBuf;

pub(super) fn run(args: &ExplainArgs) -> anyhow::Result<Exit> {
    let is_json = args.format == FormatArg::Json;
    let of_passages = passages_of(&args.run)?;
    // Of a run of dedup, two documents are asked about unless the second is a range.
    let is_asked =
        |folder: &PathBuf| *folder == args.run || !args.b.as_deref().is_some_and(is_name);
    if let Some(folder) = of_passages.filter(is_asked) {
        let range = args.b.as_deref().map(bytes).transpose()?;
        let found = explain_passages(&args.a, range, &folder, &args.extract)?;
        let mut stdout = std::io::stdout().lock();
        match is_json {
            true => write_pretty(&mut stdout, &found)?,
            false => stdout.write_all(visible(&found.text()).as_bytes())?,
        }
        return Ok(Exit::Done);
    }
    let b = args.b.as_deref().context("name two documents of the run: explain A B --run DIR")?;
    print(&lookalike::results::explain(&args.a, b, &args.run, &args.extract)?, is_json)
}

fn is_name(text: &str) -> bool {
    bytes(text).is_err()
}

/// A range of bytes: `1200..1390`.
fn bytes(text: &str) -> anyhow::Result<Range<u64>> {
    let range =
        text.split_once("..").and_then(|(start, end)| Some(start.parse().ok()?..end.parse().ok()?));
    range
        .filter(|range| range.start < range.end)
        .with_context(|| format!("`{text}` is no range of bytes; it is written 1200..1390"))
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
