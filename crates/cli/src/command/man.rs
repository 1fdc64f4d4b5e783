//! `lookalike man [DIR]`

use crate::args::{Cli, ManArgs};
use crate::exit::Exit;
use anyhow::Context;
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use std::io::Write;
use std::path::Path;

pub(super) fn run(args: &ManArgs) -> anyhow::Result<Exit> {
    let mut command = Cli::command();
    command.build();
    match &args.dir {
        None => std::io::stdout().lock().write_all(&page(&command, "lookalike", true)?)?,
        Some(dir) => {
            std::fs::create_dir_all(dir).with_context(|| dir.display().to_string())?;
            write_pages(&command, "lookalike", dir)?;
        }
    }
    Ok(Exit::Done)
}

/// Writes `NAME.1`, and the pages of the commands below it.
fn write_pages(command: &Command, name: &str, dir: &Path) -> anyhow::Result<()> {
    let path = dir.join(format!("{name}.1"));
    let top = !name.contains('-');
    std::fs::write(&path, page(command, name, top)?).with_context(|| path.display().to_string())?;
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        write_pages(below, &format!("{name}-{}", below.get_name()), dir)?;
    }
    Ok(())
}

/// A page of section 1. Examples are kept line by line.
fn page(command: &Command, name: &str, top: bool) -> anyhow::Result<Vec<u8>> {
    let after = command.get_after_help().map(ToString::to_string);
    let versioned = command.get_version().is_some();
    // The text below the options is written here: its lines are not to be filled.
    let command = command.clone().display_name(name.to_owned());
    let command = command.after_help("").after_long_help("");
    let manual = "Lookalike manual";
    let man = Man::new(command).title(name.to_ascii_uppercase()).section("1").manual(manual);
    let mut out = Vec::new();
    man.render_title(&mut out)?;
    man.render_name_section(&mut out)?;
    man.render_synopsis_section(&mut out)?;
    man.render_description_section(&mut out)?;
    man.render_options_section(&mut out)?;
    man.render_subcommands_section(&mut out)?;
    if let Some(after) = after {
        let title = if top { "EXIT STATUS" } else { "EXAMPLES" };
        writeln!(out, ".SH {title}\n.nf")?;
        for line in after.lines().filter(|line| !matches!(*line, "Examples:" | "Example:")) {
            writeln!(out, "{}", roff(line))?;
        }
        writeln!(out, ".fi")?;
    }
    if versioned {
        man.render_version_section(&mut out)?;
    }
    Ok(out)
}

/// A line of text as roff prints it.
fn roff(line: &str) -> String {
    let escaped = line.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq");
    match escaped.starts_with('.') {
        true => format!("\\&{escaped}"),
        false => escaped,
    }
}
