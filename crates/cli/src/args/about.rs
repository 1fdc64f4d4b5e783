//! The arguments of commands that describe the program: `methods`, `presets` and `man`.

use super::FormatArg;
use clap::Args;
use clap::builder::PossibleValuesParser;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct MethodsArgs {
    /// Show one method: its parameters and, if it has one, its S-curve
    #[arg(value_name = "NAME[:PARAMETER=VALUE,…]")]
    pub(crate) name: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = FormatArg::Text)]
    pub(crate) format: FormatArg,
}

/// Names of the presets of all commands.
fn preset_names() -> impl Iterator<Item = &'static str> {
    let of_benchmarks = lookalike::contamination::contamination_presets().map(|preset| preset.name);
    lookalike::settings::presets().map(|preset| preset.name).chain(of_benchmarks)
}

#[derive(Debug, Args)]
pub(crate) struct PresetsArgs {
    /// Show one preset: its source, its settings and its S-curve
    #[arg(
        value_name = "NAME",
        value_parser = PossibleValuesParser::new(preset_names()),
    )]
    pub(crate) name: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = FormatArg::Text)]
    pub(crate) format: FormatArg,
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Write a page for each command to this directory, which is created
    #[arg(value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}
