//! `lookalike presets [NAME]`

use super::methods::write_curve;
use crate::args::{FormatArg, PresetsArgs};
use crate::config::toml_string;
use crate::exit::Exit;
use crate::terminal::{pairs_table, write_table};
use crate::visible::write_pretty;
use lookalike::settings::{Preset, preset, presets};
use std::io::Write;

pub(super) fn run(args: &PresetsArgs) -> anyhow::Result<Exit> {
    let chosen: Vec<&Preset> = match &args.name {
        Some(name) => vec![preset(name)?],
        None => presets().collect(),
    };
    let mut out = std::io::stdout().lock();
    if args.format == FormatArg::Json {
        write_pretty(&mut out, &chosen.iter().map(|preset| json(preset)).collect::<Vec<_>>())?;
        return Ok(Exit::Done);
    }
    if args.name.is_none() {
        let rows = chosen.iter().map(|preset| (preset.name.to_owned(), preset.summary.to_owned()));
        write_table(&mut out, &pairs_table(rows))?;
        writeln!(out, "\nSettings and S-curve: lookalike presets NAME. Use: --preset NAME")?;
        return Ok(Exit::Done);
    }
    for preset in chosen {
        show(preset, &mut out)?;
    }
    Ok(Exit::Done)
}

fn show(preset: &Preset, out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(out, "{}: {}\n", preset.name, preset.summary)?;
    for (title, text) in [("Source", preset.source), ("Differs", preset.differs)] {
        writeln!(out, "{}", wrapped(&format!("{title}: {text}.")))?;
    }
    let verified = match preset.is_banded() {
        true => {
            "Candidates are verified on complete feature sets: no pair below the threshold is matched. With \
             --verify none a common band suffices, as in the source; with --method exact all pairs are found."
        }
        false => "All pairs are found and verified on complete feature sets.",
    };
    writeln!(out, "{}", wrapped(verified))?;
    let options = preset.options(None, None);
    let words: Vec<String> =
        options.iter().map(|(name, value)| format!("--{name} {value}")).collect();
    writeln!(out, "\nAs a command line:\n  {}", words.join(" \\\n    "))?;
    writeln!(out, "\nIn a file for --config:")?;
    for (name, value) in &options {
        let number = value.parse::<f64>().is_ok();
        let value = if number { value.clone() } else { toml_string(value) };
        writeln!(out, "  {name} = {value}")?;
    }
    match preset.s_curve() {
        Some(curve) => {
            let whose = if preset.is_banded() { "" } else { " of the source" };
            let title = format!(
                "S-curve: probability that a pair becomes a candidate in {}{whose}, by resemblance:",
                curve.keys
            );
            writeln!(out, "\n{}", wrapped(&title))?;
            write_curve(&curve, out)?;
        }
        None => writeln!(out, "\nThe source states no bands, so there is no S-curve.")?,
    }
    Ok(())
}

fn json(preset: &Preset) -> serde_json::Value {
    let options = preset.options(None, None);
    let options: serde_json::Map<_, _> =
        options.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
    serde_json::json!({
        "name": preset.name,
        "summary": preset.summary,
        "source": preset.source,
        "differs": preset.differs,
        "options": options,
        "s_curve": preset.s_curve().map(|curve| curve.points),
    })
}

/// Breaks a paragraph into lines of at most 80 columns.
fn wrapped(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= 80 => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}
