//! `lookalike query DIR`

use super::{query_batch, query_passages};
use crate::args::{FormatArg, QueryArgs};
use crate::exit::Exit;
use crate::terminal::{tell, write_table};
use crate::visible::{visible, write_pretty};
use anyhow::Context;
use comfy_table::{CellAlignment, Table, presets};
use lookalike::{
    Index,
    index::{AnyQuery, Cost, QueryAnswer, QuerySubject, Question},
};
use std::io::{Read, Write};
use std::num::NonZeroU64;

pub(super) fn run(args: &QueryArgs) -> anyhow::Result<Exit> {
    let index = Index::open(&args.dir)?;
    let question = question(args);
    if let Some(questions) = &args.batch {
        return query_batch::run(args, questions, &index, &question);
    }
    let (cost, commit) = match question.about(about(&index, args)?)? {
        AnyQuery::Passages(query) => query_passages::run(args, &index, &query)?,
        AnyQuery::Documents(query) => {
            let answer = index.ask(&query)?;
            let mut stdout = std::io::stdout().lock();
            if args.format == FormatArg::Json {
                write_pretty(&mut stdout, &answer)?;
            } else {
                print(&answer, &mut stdout)?;
            }
            if let Some(hint) = &answer.hint {
                tell(format_args!("lookalike: {}", crate::flags::with_flags(&visible(hint))));
            }
            (answer.cost, answer.commit)
        }
    };
    if args.verbose {
        let Cost { lookups, entries, candidates, verified } = cost;
        tell(format_args!(
            "{lookups} lookups, {entries} entries read, {candidates} candidates, {verified} verified, \
             commit {commit}"
        ));
    }
    Ok(Exit::Done)
}

/// What the options ask, without a subject.
fn question(args: &QueryArgs) -> Question {
    Question {
        // A cluster has no other question than for its documents.
        ask: args.cluster.is_none().then(|| args.ask.clone()),
        threshold: args.threshold.clone(),
        limit: args.limit.and_then(NonZeroU64::new),
        site: args.site.clone(),
        since: args.since.clone(),
        before: args.before.clone(),
        sweep: args.sweep.clone(),
        kept: Some(args.kept),
        passages: Some(args.passages),
        ..Question::default()
    }
}

fn about(index: &Index, args: &QueryArgs) -> anyhow::Result<QuerySubject> {
    Ok(match args {
        QueryArgs { text: Some(text), .. } if text == "-" => {
            let mut bytes = Vec::new();
            std::io::stdin().lock().read_to_end(&mut bytes).context("standard input")?;
            QuerySubject::Text(String::from_utf8_lossy(&bytes).into_owned())
        }
        QueryArgs { text: Some(text), .. } => QuerySubject::Text(text.clone()),
        QueryArgs { file: Some(file), .. } => index.read_document(file)?,
        QueryArgs { id: Some(id), .. } => QuerySubject::Id(id.clone()),
        QueryArgs { url: Some(url), .. } => QuerySubject::Url(url.clone()),
        QueryArgs { cluster, .. } => QuerySubject::Cluster(cluster.clone().unwrap_or_default()),
    })
}

fn print(answer: &QueryAnswer, out: &mut impl Write) -> anyhow::Result<()> {
    if answer.matches.is_empty() {
        writeln!(out, "no document")?;
        return Ok(());
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([
        "id",
        "resemblance",
        "query in it",
        "it in query",
        "shared",
        "size",
        "kept",
        "url",
    ]);
    for found in &answer.matches {
        table.add_row([
            visible(&found.id),
            format!("{:.4}", found.resemblance),
            format!("{:.4}", found.query_in_document),
            format!("{:.4}", found.document_in_query),
            found.shared.to_string(),
            found.size.to_string(),
            if found.kept { "kept" } else { "" }.to_owned(),
            visible(found.url.as_deref().unwrap_or_default()),
        ]);
    }
    for column in table.column_iter_mut().skip(1).take(5) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    write_table(out, &table)?;
    let shown = answer.matches.len() as u64;
    if answer.total > shown || !answer.total_exact {
        let least = if answer.total_exact { "" } else { "at least " };
        writeln!(out, "{shown} of {least}{} documents", answer.total)?;
    }
    for found in &answer.matches {
        for passage in found.passages.iter().flatten().take(3) {
            writeln!(
                out,
                "\n{}: {} words\n  {}",
                visible(&found.id),
                passage.place.length,
                visible(&passage.text_a)
            )?;
        }
    }
    Ok(())
}
