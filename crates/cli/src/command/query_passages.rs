//! `lookalike query DIR --ask passages`

use crate::args::{FormatArg, QueryArgs};
use crate::terminal::{tell, write_table};
use crate::visible::{visible, write_pretty};
use comfy_table::{CellAlignment, Table, presets};
use lookalike::Index;
use lookalike::index::{Cost, PassageAnswer, PassageInCommon, PassageQuery};
use std::io::Write;

/// Passages of a document that are shown in a table.
const SHOWN: usize = 3;

/// Prints the answer; returns what it cost, and the commit that was asked.
pub(super) fn run(
    args: &QueryArgs,
    index: &Index,
    query: &PassageQuery,
) -> anyhow::Result<(Cost, u64)> {
    let answer = index.find_passages(query)?;
    let mut stdout = std::io::stdout().lock();
    if args.format == FormatArg::Json {
        write_pretty(&mut stdout, &answer)?;
    } else {
        print(&answer, &mut stdout)?;
    }
    if answer.words < answer.length {
        tell(format_args!(
            "lookalike: the text has {} words, and this index finds passages of at least {}",
            answer.words, answer.length
        ));
    }
    Ok((answer.cost, answer.commit))
}

fn print(answer: &PassageAnswer, out: &mut impl Write) -> anyhow::Result<()> {
    if answer.documents.is_empty() {
        writeln!(out, "no document")?;
        return Ok(());
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["id", "words", "share", "passages", "in the query", "in it", "url"]);
    for found in &answer.documents {
        let ranges_by = |of: &dyn Fn(&PassageInCommon) -> u32| {
            let shown = found.passages.iter().take(SHOWN);
            let ranges =
                shown.map(|passage| format!("{}-{}", of(passage), of(passage) + passage.words));
            let more = (found.passages.len() > SHOWN).then(|| "…".to_owned());
            ranges.chain(more).collect::<Vec<_>>().join(" ")
        };
        table.add_row([
            visible(&found.id),
            found.words_in_common.to_string(),
            format!("{:.4}", found.share),
            found.passages.len().to_string(),
            ranges_by(&|passage| passage.query_word),
            ranges_by(&|passage| passage.document_word),
            visible(found.url.as_deref().unwrap_or_default()),
        ]);
    }
    for column in table.column_iter_mut().skip(1).take(3) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    write_table(out, &table)?;
    let shown = answer.documents.len() as u64;
    if answer.total > shown {
        writeln!(out, "{shown} of {} documents", answer.total)?;
    }
    writeln!(
        out,
        "{} of {} words are in a passage of at least {} words",
        answer.words_in_common, answer.words, answer.length
    )?;
    Ok(())
}
