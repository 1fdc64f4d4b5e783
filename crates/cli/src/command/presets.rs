//! `lookalike presets [NAME]`

use super::methods::write_curve;
use crate::args::{FormatArg, PresetsArgs};
use crate::config::toml_string;
use crate::exit::Exit;
use crate::terminal::{pairs_table, write_table};
use crate::visible::write_pretty;
use lookalike::contamination::{ContaminationPreset, contamination_preset, contamination_presets};
use lookalike::settings::{Preset, preset, presets};
use std::io::Write;

pub(super) fn run(args: &PresetsArgs) -> anyhow::Result<Exit> {
    let name = args.name.as_deref();
    let of_benchmarks: Vec<&ContaminationPreset> = match name.map(contamination_preset) {
        Some(named) => named.into_iter().collect(),
        None => contamination_presets().collect(),
    };
    let chosen: Vec<&Preset> = match name {
        Some(_) if !of_benchmarks.is_empty() => Vec::new(),
        Some(name) => vec![preset(name)?],
        None => presets().collect(),
    };
    let mut out = std::io::stdout().lock();
    if args.format == FormatArg::Json {
        let of_benchmarks = of_benchmarks.iter().map(|preset| json_of_benchmarks(preset));
        let all = chosen.iter().map(|preset| json(preset)).chain(of_benchmarks);
        write_pretty(&mut out, &all.collect::<Vec<_>>())?;
        return Ok(Exit::Done);
    }
    if name.is_none() {
        let row = |name: &str, summary: &str| (name.to_owned(), summary.to_owned());
        let rows = chosen.iter().map(|preset| row(preset.name, preset.summary));
        write_table(&mut out, &pairs_table(rows))?;
        writeln!(out, "\nFor decontaminate:")?;
        let rows = of_benchmarks.iter().map(|preset| row(preset.name, preset.summary));
        write_table(&mut out, &pairs_table(rows))?;
        writeln!(out, "\nSettings and S-curve: lookalike presets NAME. Use: --preset NAME")?;
        return Ok(Exit::Done);
    }
    for preset in chosen {
        show(preset, &mut out)?;
    }
    for preset in of_benchmarks {
        let ContaminationPreset { name, summary, source, differs, .. } = preset;
        describe((name, summary, source, differs), &mut out)?;
        show_options(&preset.options(), &mut out)?;
    }
    Ok(Exit::Done)
}

/// Writes the name and the texts of a preset.
fn describe(
    (name, summary, source, differs): (&str, &str, &str, &str),
    out: &mut impl Write,
) -> anyhow::Result<()> {
    writeln!(out, "{name}: {summary}\n")?;
    for (title, text) in [("Source", source), ("Differs", differs)] {
        writeln!(out, "{}", wrapped(&format!("{title}: {text}.")))?;
    }
    Ok(())
}

/// Writes the options of a preset, as words and as TOML.
fn show_options(options: &[(&str, String)], out: &mut impl Write) -> anyhow::Result<()> {
    let words: Vec<String> =
        options.iter().map(|(name, value)| format!("--{name} {value}")).collect();
    writeln!(out, "\nAs a command line:\n  {}", words.join(" \\\n    "))?;
    writeln!(out, "\nIn a file for --config:")?;
    for (name, value) in options {
        let number = value.parse::<f64>().is_ok();
        let value = if number { value.clone() } else { toml_string(value) };
        writeln!(out, "  {name} = {value}")?;
    }
    Ok(())
}

fn show(preset: &Preset, out: &mut impl Write) -> anyhow::Result<()> {
    describe((preset.name, preset.summary, preset.source, preset.differs), out)?;
    let verified = match preset.is_banded() {
        true => {
            "Candidates are verified on complete feature sets: no pair below the threshold is matched. With \
             --verify none a common band suffices, as in the source; with --method exact all pairs are found."
        }
        false => "All pairs are found and verified on complete feature sets.",
    };
    writeln!(out, "{}", wrapped(verified))?;
    show_options(&preset.options(None, None), out)?;
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

fn json_of_benchmarks(preset: &ContaminationPreset) -> serde_json::Value {
    let options: serde_json::Map<_, _> =
        preset.options().into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
    serde_json::json!({
        "name": preset.name,
        "summary": preset.summary,
        "source": preset.source,
        "differs": preset.differs,
        "command": "decontaminate",
        "options": options,
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
