//! `lookalike explain A B --run DIR`, and of passages `lookalike explain A [RANGE] --run DIR`

use crate::args::{ExplainArgs, FormatArg};
use crate::exit::Exit;
use crate::visible::{hidden, visible, write_pretty};
use anyhow::Context;
use lookalike::LookalikeError;
use lookalike::results::{explain, explain_passages, passages_of};
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
        let found =
            by_name([&args.a], |[a]| explain_passages(a, range.clone(), &folder, &args.extract))?;
        let mut stdout = std::io::stdout().lock();
        match is_json {
            true => write_pretty(&mut stdout, &found)?,
            false => stdout.write_all(visible(&found.text()).as_bytes())?,
        }
        return Ok(Exit::Done);
    }
    let b = args.b.as_deref().context("name two documents of the run: explain A B --run DIR")?;
    let of_two = |[a, b]: [&str; 2]| explain(a, b, &args.run, &args.extract);
    print(&by_name([&args.a, b], of_two)?, is_json)
}

/// Asks about documents by their names. Where there is no document of a name, [`other_names`] are tried.
fn by_name<T, const N: usize>(
    names: [&str; N],
    ask: impl Fn([&str; N]) -> Result<T, LookalikeError>,
) -> Result<T, LookalikeError> {
    let mut others = names.map(|name| other_names(name).into_iter());
    let mut tried = names.map(str::to_owned);
    let mut first = None;
    loop {
        let error = match ask(tried.each_ref().map(String::as_str)) {
            Err(error @ LookalikeError::NoSuchDocument { .. }) => error,
            other => return other,
        };
        let LookalikeError::NoSuchDocument { name, .. } = &error else { return Err(error) };
        let missing = tried.iter().position(|known| known == name);
        let next = missing.and_then(|at| Some((at, others[at].next()?)));
        let Some((at, next)) = next else { return Err(first.unwrap_or(error)) };
        tried[at] = next;
        first.get_or_insert(error);
    }
}

/// What else may be meant by a name: an id of which listings show escapes for what a terminal would interpret;
/// a path with control characters or backslashes, which tables name by escapes.
fn other_names(name: &str) -> Vec<String> {
    let escaped = |name: &str, of: fn(char) -> bool| {
        let escape = |c: char| match of(c) {
            true => c.escape_default().collect::<String>(),
            false => c.to_string(),
        };
        name.chars().map(escape).collect::<String>()
    };
    let id = hidden(name).unwrap_or_else(|| name.to_owned());
    let path = escaped(&id, |c| c.is_control());
    let whole_path = escaped(name, |c| c.is_control() || c == '\\');
    let mut others = vec![id, path, whole_path];
    others.retain(|other| other != name);
    others
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
