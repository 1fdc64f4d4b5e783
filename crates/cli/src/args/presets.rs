//! The arguments of `lookalike presets`.

use clap::Args;
use clap::builder::PossibleValuesParser;

#[derive(Debug, Args)]
pub(crate) struct PresetsArgs {
    /// Show one preset: its source, its settings and its S-curve
    #[arg(
        value_name = "NAME",
        value_parser = PossibleValuesParser::new(lookalike::settings::presets().map(|preset| preset.name)),
    )]
    pub(crate) name: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = super::FormatArg::Text)]
    pub(crate) format: super::FormatArg,
}
