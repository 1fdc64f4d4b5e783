//! `lookalike collapse LIST`

use crate::args::{CollapseArgs, FormatArg};
use crate::exit::Exit;
use crate::terminal::tell;
use crate::visible::{visible, write_pretty};
use anyhow::Context;
use lookalike::{
    Index,
    index::{CollapseItem, CollapseOptions, collapse},
    settings::Measure,
};
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
        measure: args.measure,
        shingle: args.shingle,
        threads: 0,
    };
    let index = args.index.as_ref().map(Index::open).transpose()?;
    let groups = collapse(&items, index.as_ref(), &options)?;
    let unknown: Vec<&str> =
        groups.iter().filter(|group| group.unknown).map(|group| group.id.as_str()).collect();
    if let [first, ..] = unknown[..] {
        tell(format_args!(
            "lookalike: {} of {} ids are not in the index, the first is `{}`; they are shown and \
             compared with no other document (add them with `index add`, or give their texts)",
            unknown.len(),
            items.len(),
            visible(first)
        ));
    }
    let of_index = index.as_ref().map(|index| index.settings().documents.measure);
    let measure = options.measure.or(of_index).unwrap_or(Measure::Resemblance);
    let mut stdout = std::io::stdout().lock();
    if args.format == FormatArg::Json {
        write_pretty(&mut stdout, &serde_json::json!({"groups": groups}))?;
        return Ok(Exit::Done);
    }
    for group in groups {
        writeln!(stdout, "{}", visible(&group.id))?;
        for behind in group.behind {
            match measure {
                Measure::Containment => writeln!(
                    stdout,
                    "    {}  {:.4} of it in the one above",
                    visible(&behind.id),
                    behind.containment
                )?,
                _ => writeln!(stdout, "    {}  {:.4}", visible(&behind.id), behind.resemblance)?,
            }
        }
    }
    Ok(Exit::Done)
}
