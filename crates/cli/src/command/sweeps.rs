//! `lookalike index sweep | diff | history | holders | revisit`

use crate::args::{
    FormatArg, FormatArgs, IndexDiffArgs, IndexHistoryArgs, IndexHoldersArgs, IndexRevisitArgs,
    NoArgs, OnIndex, SweepRemoveArgs,
};
use crate::exit::{Exit, WrongUsage};
use crate::terminal::{print_numbers, write_table};
use crate::visible::{visible, write_pretty};
use comfy_table::{Table, presets};
use lookalike::{
    Index, Silent,
    sweeps::{Change, DiffOptions},
};
use serde_json::json;
use std::io::Write;

/// Prints JSON.
fn print_json(value: &impl serde::Serialize) -> anyhow::Result<Exit> {
    write_pretty(&mut std::io::stdout().lock(), value)?;
    Ok(Exit::Done)
}

/// Prints a table with a header.
fn print_table<const N: usize>(
    header: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> anyhow::Result<Exit> {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(header);
    table.add_rows(rows.into_iter().map(|row| row.map(|cell| visible(&cell))));
    write_table(&mut std::io::stdout().lock(), &table)?;
    Ok(Exit::Done)
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{value:.3}"))
}

pub(super) fn list(args: &OnIndex<NoArgs, FormatArgs>) -> anyhow::Result<Exit> {
    let sweeps = Index::open(&args.dir)?.sweeps()?;
    if args.running.format == FormatArg::Json {
        return print_json(&json!({"sweeps": sweeps}));
    }
    let rows = sweeps
        .into_iter()
        .map(|sweep| [sweep.name, sweep.date.unwrap_or_default(), sweep.documents.to_string()]);
    print_table(["sweep", "date", "documents"], rows)
}

pub(super) fn remove(args: &OnIndex<SweepRemoveArgs>) -> anyhow::Result<Exit> {
    let mut index = args.running.open(&args.dir)?;
    let deleted = index.remove_sweep(&args.own.name)?;
    let done = index.commit()?;
    if args.running.format == FormatArg::Json {
        return print_json(&json!({"deleted": deleted, "documents": done.documents}));
    }
    if !args.running.quiet {
        print_numbers(&[("deleted", deleted), ("documents in the index", done.documents)])?;
    }
    Ok(Exit::Done)
}

pub(super) fn diff(args: &OnIndex<IndexDiffArgs>) -> anyhow::Result<Exit> {
    let only: Result<Vec<Change>, _> = args.own.only.iter().map(|only| only.parse()).collect();
    let only = only.map_err(|error| WrongUsage(format!("--only: {error}")))?;
    let options = DiffOptions {
        slight: args.own.slight,
        moved: args.own.threshold.clone(),
        site: args.own.site.clone(),
        threads: args.running.threads(),
    };
    let mut diff = lookalike::sweeps::diff(
        &Index::open(&args.dir)?,
        &args.own.from,
        &args.own.to,
        &options,
        &Silent,
    )?;
    diff.keep_only(&only);
    if args.running.format == FormatArg::Json {
        return print_json(&diff);
    }
    let rows = diff.pages.into_iter().map(|page| {
        let new = page.new_url.filter(|new| page.url.as_ref() != Some(new));
        [
            page.change.name().to_owned(),
            page.url.unwrap_or_default(),
            new.unwrap_or_default(),
            number(page.resemblance),
            number(page.containment),
            page.distance.map_or_else(String::new, |bits| bits.to_string()),
        ]
    });
    print_table(["change", "url", "new url", "resemblance", "old in new", "bits"], rows)?;
    if !args.running.quiet {
        writeln!(std::io::stdout())?;
        let counts: Vec<(&str, u64)> = Change::ALL
            .iter()
            .map(|change| (change.name(), diff.counts.get(change.name()).copied().unwrap_or(0)))
            .collect();
        print_numbers(&counts)?;
    }
    Ok(Exit::Done)
}

pub(super) fn history(args: &OnIndex<IndexHistoryArgs, FormatArgs>) -> anyhow::Result<Exit> {
    let index = Index::open(&args.dir)?;
    let Some(url) = &args.own.url else {
        let versions = lookalike::sweeps::site_history(
            &index,
            args.own.site.as_deref(),
            args.own.slight,
            &Silent,
        )?;
        if args.running.format == FormatArg::Json {
            return print_json(&json!({"sweeps": versions}));
        }
        const SHOWN: [Change; 6] = [
            Change::Same,
            Change::SameWords,
            Change::Slight,
            Change::Heavy,
            Change::Gone,
            Change::New,
        ];
        let rows = versions.into_iter().map(|version| {
            let count = |change: Change| {
                version.changes.get(change.name()).copied().unwrap_or(0).to_string()
            };
            let [a, b, c, d, e, f] = SHOWN.map(count);
            [
                version.sweep.name.clone(),
                version.sweep.date.clone().unwrap_or_default(),
                version.sweep.documents.to_string(),
                a,
                b,
                c,
                d,
                e,
                f,
            ]
        });
        let header =
            ["sweep", "date", "pages", "same", "same_words", "slight", "heavy", "gone", "new"];
        return print_table(header, rows);
    };
    let versions = lookalike::sweeps::history(&index, url, args.own.slight, &Silent)?;
    if args.running.format == FormatArg::Json {
        return print_json(&json!({"url": url, "versions": versions}));
    }
    let rows = versions.into_iter().map(|version| {
        [
            version.sweep,
            version.date.unwrap_or_default(),
            version.change.name().to_owned(),
            number(version.resemblance),
            version.id.unwrap_or_default(),
        ]
    });
    print_table(["sweep", "date", "change", "resemblance", "id"], rows)
}

pub(super) fn holders(args: &OnIndex<IndexHoldersArgs, FormatArgs>) -> anyhow::Result<Exit> {
    let holders = lookalike::sweeps::holders(
        &Index::open(&args.dir)?,
        &args.own.url,
        &args.own.threshold,
        &Silent,
    )?;
    if args.running.format == FormatArg::Json {
        return print_json(&json!({"url": args.own.url, "holders": holders}));
    }
    let rows = holders.into_iter().map(|holder| {
        [
            holder.site,
            holder.documents.to_string(),
            format!("{:.3}", holder.containment),
            format!("{:.3}", holder.resemblance),
            holder.first_sweep,
            holder.last_sweep,
            holder.urls.into_iter().next().unwrap_or_default(),
        ]
    });
    let header = [
        "site",
        "documents",
        "contains",
        "resemblance",
        "first sweep",
        "last sweep",
        "for example",
    ];
    print_table(header, rows)
}

pub(super) fn revisit(args: &OnIndex<IndexRevisitArgs>) -> anyhow::Result<Exit> {
    let index = Index::open(&args.dir)?;
    let mut pages = lookalike::sweeps::revisit(
        &index,
        args.own.site.as_deref(),
        args.running.threads(),
        &Silent,
    )?;
    pages.truncate(args.own.limit.unwrap_or(usize::MAX));
    if args.running.format == FormatArg::Json {
        return print_json(&json!({"pages": pages}));
    }
    let rate = match pages.first().map(|page| page.per) {
        Some("day") => "changes a day",
        _ => "changes a sweep",
    };
    let rows = pages.into_iter().map(|page| {
        [
            page.url,
            page.rate.map_or_else(String::new, |rate| format!("{rate:.5}")),
            page.intervals.to_string(),
            page.changed.to_string(),
            page.mean_distance.map_or_else(String::new, |bits| format!("{bits:.1}")),
            page.days.map_or_else(String::new, |days| format!("{days:.0}")),
            page.first_sweep,
            page.last_sweep,
        ]
    });
    let header = ["url", rate, "n", "changed", "bits", "days", "first sweep", "last sweep"];
    print_table(header, rows)
}
