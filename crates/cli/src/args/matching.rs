//! Arguments that decide which documents match: criterion, analysis, filters and method.

use super::boilerplate::BoilerplateArgs;
use super::keep::{KeepList, keep_list};
use super::knobs::{KnobArgs, PresetArgs};
use super::separate::SeparateArgs;
use super::values::{checksum, utf8};
use super::{CaseArg, MeasureArg, NormalizeArg, ShortArg, TermsArg, TokensArg, UnitArg, VerifyArg};
use clap::Args;

/// What makes two documents near-duplicates.
#[derive(Debug, Args)]
pub(crate) struct CriterionArgs {
    /// Documents are near-duplicates if --measure reaches this value (above 0, at most 1)
    #[arg(
        long,
        short = 't',
        value_name = "RATIO",
        default_value = "0.8",
        help_heading = "Matching"
    )]
    pub(crate) threshold: String,
    /// Similarity measure
    #[arg(long, value_enum, default_value_t = MeasureArg::Resemblance, help_heading = "Matching")]
    pub(crate) measure: MeasureArg,
}

#[derive(Debug, Args)]
pub(crate) struct MatchArgs {
    #[command(flatten)]
    pub(crate) preset: PresetArgs,
    #[command(flatten)]
    pub(crate) criterion: CriterionArgs,
    #[command(flatten)]
    pub(crate) analysis: AnalysisArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    #[command(flatten)]
    pub(crate) boilerplate: BoilerplateArgs,
    #[command(flatten)]
    pub(crate) least: MinFeaturesArgs,
    #[command(flatten)]
    pub(crate) separate: SeparateArgs,
    #[command(flatten)]
    pub(crate) method: MethodArgs,
    /// Which duplicate to keep. Rules apply in order; ties are broken by id
    #[arg(
        long,
        value_name = "RULE",
        value_parser = keep_list,
        default_value = "first",
        help_heading = "Which duplicate to keep",
        long_help = "Which duplicate to keep: first (in the order of file names and records), longest, shortest, \
                     newest, oldest, max:FIELD, min:FIELD or prefer(FIELD=VALUE|VALUE), documents whose field \
                     holds one of these values, the first of them first. Rules apply in order, separated by commas \
                     or given one by one; ties are broken by id. With \
                     --measure containment the larger feature set comes first, and the rules decide between sets of equal \
                     size. Documents of --against come before all others."
    )]
    pub(crate) keep: Vec<KeepList>,
}

/// The filter of common features.
#[derive(Debug, Args)]
pub(crate) struct CommonArgs {
    /// Ignore shingles that occur in more than N distinct documents
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..),
        help_heading = "Matching",
        long_help = "Ignore shingles (terms, for --measure cosine) that occur in more than N distinct feature sets of \
                     INPUT and --against together. They are removed from every set and sketch before documents \
                     are compared, so that shared headers, footers and licences make no two documents similar. \
                     Documents without any other shingle match nothing, and are counted. The inputs are read one \
                     more time to count."
    )]
    pub(crate) ignore_common: Option<u32>,
}

/// The minimum size of a feature set.
#[derive(Debug, Args)]
pub(crate) struct MinFeaturesArgs {
    /// Match documents with fewer than N features (shingles or terms) only with documents of the
    /// same words [default: 10 if terms are compared (--measure cosine without --shingle), else 1]
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..),
        help_heading = "Matching"
    )]
    pub(crate) min_features: Option<u32>,
}

/// Candidate generation by a method, and the verifier.
#[derive(Debug, Args)]
pub(crate) struct MethodArgs {
    /// Generate candidates by a method of the papers, NAME:PARAMETER=VALUE,… (`lookalike methods`
    /// lists them) [default: exact, the exact join]
    #[arg(long, value_name = "METHOD", help_heading = "Method")]
    pub(crate) method: Option<String>,
    #[command(flatten)]
    pub(crate) knobs: KnobArgs,
    /// Verifier of the method's candidates: exact (complete feature sets), sketch (the method's
    /// sketches) or none (a common key suffices)
    #[arg(
        long,
        value_enum,
        value_name = "BY",
        default_value_t = VerifyArg::Exact,
        requires = "method",
        help_heading = "Method"
    )]
    pub(crate) verify: VerifyArg,
    /// Lexicon of document frequencies for the method, from `lookalike lexicon build` [default:
    /// counted in INPUT]
    #[arg(long, value_name = "FILE", requires = "method", value_parser = utf8(), help_heading = "Method")]
    pub(crate) lexicon: Option<String>,
    /// Fail unless the lexicon has this checksum (printed by `lookalike lexicon show`)
    #[arg(long, value_name = "HEX", value_parser = checksum, requires = "lexicon", help_heading = "Method")]
    pub(crate) lexicon_checksum: Option<String>,
    /// Ignore keys that more than N distinct documents have, and count them. Feature sets and
    /// sketches are not changed (--ignore-common changes them)
    #[arg(long, value_name = "N", requires = "method", help_heading = "Method")]
    pub(crate) key_limit: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct AnalysisArgs {
    /// Tokens per shingle [default: 5; --measure cosine compares terms instead]
    #[arg(
        long,
        visible_alias = "ngram",
        alias = "ngram-size",
        value_name = "N",
        help_heading = "Matching"
    )]
    pub(crate) shingle: Option<u32>,
    /// Token unit
    #[arg(long, value_enum, default_value_t = UnitArg::Word, help_heading = "Matching")]
    pub(crate) shingle_unit: UnitArg,
    /// Terms compared by --measure cosine; kolcz: at least four characters and at most one digit
    #[arg(long, value_enum, default_value_t = TermsArg::All, help_heading = "Matching")]
    pub(crate) terms: TermsArg,
    /// Unicode normalisation; zero-width and other default-ignorable characters are always ignored.
    /// confusables: letters that look alike are one, Cyrillic and Latin a, 1 and l, 0 and o
    #[arg(long, value_enum, default_value_t = NormalizeArg::Nfc, help_heading = "Matching")]
    pub(crate) normalize: NormalizeArg,
    /// What tokens are: words, or also each symbol and punctuation character, so that a < b and
    /// a > b differ [default: words; symbols if all inputs are source code]
    #[arg(
        long,
        value_enum,
        help_heading = "Matching",
        long_help = "What tokens are. words: words only, symbols and punctuation are compared with nothing. symbols: \
                     also each symbol and punctuation character outside of a word, so that a < b and a > b, 12 + 4 \
                     and 12 - 4, C and C++ differ. White space is never a token. Without this option, words; and \
                     symbols if all inputs are source code: text files by their endings (.py, .c, .tex, …, with \
                     --input-format text), or files of whose first 100 records each has a field such as language or \
                     path that names a programming language or a source file"
    )]
    pub(crate) tokens: Option<TokensArg>,
    /// Upper and lower case: fold to lower case, or keep (compare as written)
    #[arg(long, value_enum, default_value_t = CaseArg::Fold, help_heading = "Matching")]
    pub(crate) case: CaseArg,
    /// Texts with fewer tokens than one shingle: use the whole text as the shingle, or match
    /// nothing
    #[arg(long, value_enum, default_value_t = ShortArg::Whole, help_heading = "Matching")]
    pub(crate) short_documents: ShortArg,
}
