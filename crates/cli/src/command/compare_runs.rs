//! `lookalike compare-runs A B`

use super::show;
use crate::args::{CompareRunsArgs, FormatArg};
use crate::exit::Exit;
use crate::interrupt;
use crate::progress::with_progress;
use crate::terminal::{numbers_table, rows_table, tell, write_table};
use crate::visible::write_pretty;
use lookalike::results::human::count;
use lookalike::results::{CompareRunsJob, InputChanges, RunComparison, compare_runs};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

/// Names of inputs that a message lists.
const NAMED: usize = 5;

pub(super) fn run(args: &CompareRunsArgs) -> anyhow::Result<Exit> {
    let job = CompareRunsJob {
        list: args.list,
        limit: args.limit,
        output: args.output.clone(),
        force: args.force,
        tables: args.tables,
        ..CompareRunsJob::new(&args.a, &args.b)
    };
    interrupt::listen()?;
    let found = with_progress(true, |progress| compare_runs(&job, progress))?;
    inputs(&found.inputs);
    let mut stdout = std::io::stdout().lock();
    match args.format {
        FormatArg::Json => write_pretty(&mut stdout, &found)?,
        FormatArg::Text => print(&found, &mut stdout)?,
    }
    Ok(Exit::Done)
}

/// Says on standard error how the inputs differ.
fn inputs(found: &InputChanges) {
    for (names, what) in [
        (&found.only_a, "only the first run has this input; its documents do not count"),
        (&found.only_b, "only the second run has this input; its documents do not count"),
        (
            &found.changed,
            "the input has changed between the runs; records are compared by their number",
        ),
    ] {
        names
            .iter()
            .take(NAMED)
            .for_each(|name| tell(format_args!("lookalike: warning: {name}: {what}")));
        if let Some(more @ 1..) = names.len().checked_sub(NAMED) {
            tell(format_args!("lookalike: warning: and {more} more inputs: {what}"));
        }
    }
}

fn print(found: &RunComparison, out: &mut impl Write) -> anyhow::Result<()> {
    if !found.settings.is_empty() {
        let head = ["setting", "A", "B"].map(str::to_owned).to_vec();
        let rows = found.settings.iter();
        let rows =
            rows.map(|one| vec![one.name.clone(), show::written(&one.a), show::written(&one.b)]);
        write_table(out, &rows_table(std::iter::once(head).chain(rows)))?;
        writeln!(out)?;
    }
    let mut rows: Vec<Vec<String>> = vec![["", "A", "B"].map(str::to_owned).to_vec()];
    let mut row = |name: &str, counts: [Option<u64>; 2]| {
        let cells = counts.map(|number| number.map(count).unwrap_or_default());
        rows.push(std::iter::once(name.to_owned()).chain(cells).collect());
    };
    let both = |number: u64| [Some(number), Some(number)];
    row("documents", found.documents.map(Some));
    if let Some(removed) = &found.removed {
        row("removed", [removed.a, removed.b].map(Some));
        row("  by both", both(removed.both));
        row("    for another witness", both(removed.other_witness));
        row("    by another rule", both(removed.other_rule));
        row("  by one only", [removed.only_a, removed.only_b].map(Some));
        let rules: [&BTreeMap<String, u64>; 2] = [&removed.only_a_rules, &removed.only_b_rules];
        let names: BTreeSet<&String> = rules.into_iter().flat_map(BTreeMap::keys).collect();
        for rule in names {
            row(&format!("    {rule}"), rules.map(|counts| counts.get(rule).copied()));
        }
    }
    let clusters = &found.clusters;
    row("clusters", [clusters.a, clusters.b].map(Some));
    row("  documents in them", [clusters.documents_a, clusters.documents_b].map(Some));
    row("  the same", both(clusters.same));
    row("  split in B", [Some(clusters.split), None]);
    row("    documents in them", [Some(clusters.split_documents), None]);
    row("    dissolved", [Some(clusters.dissolved), None]);
    row("  merged in B", [None, Some(clusters.merged)]);
    row("    documents in them", [None, Some(clusters.merged_documents)]);
    row("    new", [None, Some(clusters.new)]);
    write_table(out, &numbers_table(rows))?;
    if let Some(listed) = &found.listed {
        writeln!(out)?;
        show::print(listed, out)?;
    }
    Ok(())
}
