//! `lookalike show RUN`

use crate::args::{FormatArg, ShowArgs};
use crate::exit::Exit;
use crate::terminal::{rows_table, write_table};
use crate::visible::write_pretty;
use lookalike::results::{Shown, What, show};
use std::io::Write;

pub(super) fn run(args: &ShowArgs) -> anyhow::Result<Exit> {
    let kind = args.differs.map(What::Differs).or(args.lost.map(What::Lost));
    let of_run = match (&args.id, args.cluster, &args.source, kind, &args.grep) {
        (Some(id), ..) => What::Document(id.clone()),
        (_, Some(number), ..) => What::Cluster(number),
        (_, _, Some(source), ..) => What::Source(source.clone()),
        (_, _, _, Some(kind), _) => kind,
        (.., Some(text)) => What::Texts(text.clone(), args.extract.clone()),
        (None, None, None, None, None) => What::Clusters,
    };
    let what = if args.passages { What::Passages(args.id.clone()) } else { of_run };
    let shown = show(&args.run, &what, args.limit)?;
    let mut stdout = std::io::stdout().lock();
    match args.format {
        FormatArg::Json => write_pretty(&mut stdout, &shown)?,
        FormatArg::Text => print(&shown, &mut stdout)?,
    }
    Ok(Exit::Done)
}

/// Prints rows as a table.
pub(super) fn print(shown: &Shown, out: &mut impl Write) -> anyhow::Result<()> {
    let header = shown.columns.iter().map(ToString::to_string).collect();
    let cells = |row: &Vec<serde_json::Value>| row.iter().map(written).collect::<Vec<String>>();
    let rows = std::iter::once(header).chain(shown.rows.iter().map(cells));
    write_table(out, &rows_table(rows))?;
    if let Some(more @ 1..) = shown.total.checked_sub(shown.rows.len() as u64) {
        writeln!(out, "and {more} more (-n N shows N)")?;
    }
    Ok(())
}

/// A value as people read it: files with counts as `file: 3, other: 1`.
pub(super) fn written(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Null => "–".into(),
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Bool(logical) => if *logical { "yes" } else { "no" }.into(),
        serde_json::Value::Number(number) if number.is_f64() => {
            format!("{:.4}", number.as_f64().unwrap_or_default())
        }
        serde_json::Value::Array(values) => {
            values.iter().map(written).collect::<Vec<_>>().join(", ")
        }
        serde_json::Value::Object(counts) => {
            let one = |(name, count): (&String, &serde_json::Value)| format!("{name}: {count}");
            counts.iter().map(one).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}
