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
    /// Measures.
    MeasureArg { Resemblance, Containment, Cosine }
    /// Normalisations.
    NormalizeArg { None, Nfc, Nfkc, Confusables }
    /// What tokens are.
    TokensArg { Words, Symbols }
    /// Upper and lower case.
    CaseArg { Fold, Keep }
    /// Linkages.
    LinkageArg { Leaders, Components }
    /// Witness rules.
    WitnessArg { First, Best }
    /// Verifiers.
    VerifyArg { Exact, Sketch, None }
    /// Sources of truth.
    TruthArg { Exact }
    /// Table formats.
    TablesArg { Parquet, Tsv, Jsonl }
    /// Output formats.
    FormatArg { Text, Json }
    /// Commands that can be planned.
    PlannedArg { Dedup, Cluster }
}
