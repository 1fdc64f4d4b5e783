//! `lookalike collapse LIST`

use crate::args::{CollapseArgs, FormatArg};
use crate::exit::Exit;
use crate::visible::{visible, write_json};
use anyhow::Context;
use lookalike::{CollapseItem, CollapseOptions, Index, collapse};
use std::io::{Read, Write};

pub(super) fn run(args: &CollapseArgs) -> anyhow::Result<Exit> {
    let mut bytes = Vec::new();
    if args.list.as_os_str() == "-" {
        std::io::stdin().lock().read_to_end(&mut bytes).context("standard input")?;
    } else {
        bytes = std::fs::read(&args.list).with_context(|| args.list.display().to_string())?;
    }
    let text = String::from_utf8_lossy(&bytes);
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let items: Vec<CollapseItem> = (1..)
        .zip(lines)
        .map(|(number, line)| CollapseItem::read(number, line, args.index.is_some()))
        .collect::<Result<_, _>>()
        .with_context(|| args.list.display().to_string())?;
    let options = CollapseOptions {
        threshold: args.threshold.clone(),
        measure: args.measure.map(Into::into),
        shingle: args.shingle,
        threads: 0,
    };
    let index = args.index.as_ref().map(Index::open).transpose()?;
    let groups = collapse(&items, index.as_ref(), &options)?;
    let mut stdout = std::io::stdout().lock();
    if args.format == FormatArg::Json {
        write_json(
            &mut stdout,
            &serde_json::to_string_pretty(&serde_json::json!({"groups": groups}))?,
        )?;
        writeln!(stdout)?;
        return Ok(Exit::Done);
    }
    for group in groups {
        writeln!(stdout, "{}", visible(&group.id))?;
        for behind in group.behind {
            writeln!(stdout, "    {}  {:.4}", visible(&behind.id), behind.resemblance)?;
        }
    }
    Ok(Exit::Done)
}
