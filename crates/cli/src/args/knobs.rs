//! Parameters of methods under familiar names, and presets.

use clap::Args;
use clap::builder::PossibleValuesParser;

/// Parameters of the method.
#[derive(Debug, Args)]
pub(crate) struct KnobArgs {
    /// Minima (permutations) in a sketch of --method minhash-lsh: its parameter k
    #[arg(long, value_name = "N", help_heading = "Method")]
    pub(crate) num_perm: Option<u32>,
    /// Bands of --method minhash-lsh; with --rows and without --num-perm, their product is the
    /// number of minima
    #[arg(long, value_name = "N", help_heading = "Method")]
    pub(crate) bands: Option<u32>,
    /// Minima in a band of --method minhash-lsh
    #[arg(long, value_name = "N", help_heading = "Method")]
    pub(crate) rows: Option<u32>,
}

/// The random seed of the method.
#[derive(Debug, Args)]
pub(crate) struct SeedArgs {
    /// Random seed of --method minhash-lsh or imatch-random
    #[arg(long, value_name = "N", help_heading = "Method")]
    pub(crate) seed: Option<u64>,
}

/// Named settings. They are put in place before the arguments are parsed; see [`crate::config`].
#[derive(Debug, Args)]
pub(crate) struct PresetArgs {
    /// Settings of a well-known data set or tool, which other options override (`lookalike presets`
    /// says what each of them sets)
    #[arg(
        long,
        value_name = "NAME",
        value_parser = PossibleValuesParser::new(lookalike::presets().map(|preset| preset.name)),
        help_heading = "Matching"
    )]
    pub(crate) preset: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct PresetsArgs {
    /// Show one preset: its source, its settings and its S-curve
    #[arg(
        value_name = "NAME",
        value_parser = PossibleValuesParser::new(lookalike::presets().map(|preset| preset.name)),
    )]
    pub(crate) name: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = super::FormatArg::Text)]
    pub(crate) format: super::FormatArg,
}
