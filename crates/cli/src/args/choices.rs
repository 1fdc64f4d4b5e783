//! Values of arguments that are one of a fixed list.

use clap::ValueEnum;

/// Output formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatArg {
    Text,
    Json,
}
