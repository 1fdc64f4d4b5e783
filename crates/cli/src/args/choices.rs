//! Values of arguments that are one of a fixed list.

use clap::ValueEnum;

macro_rules! choices {
    ($(#[$doc:meta] $name:ident { $($variant:ident),+ $(,)? })+) => {
        $(#[$doc]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
        pub(crate) enum $name { $($variant),+ })+
    };
}

choices! {
    /// Sources of truth.
    TruthArg { Exact }
    /// Output formats.
    FormatArg { Text, Json }
    /// Commands that can be planned.
    PlannedArg { Dedup, Cluster }
}
