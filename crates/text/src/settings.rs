//! Settings of the analysis: plain data, part of every summary.

use serde::{Deserialize, Serialize};

/// Unicode normalisation applied before lower-casing. Default-ignorable characters are removed
/// before it, whichever it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Normalize {
    /// Leave the code points as they are.
    None,
    /// Canonical composition: `e` + U+0301 and `é` are one word.
    #[default]
    Nfc,
    /// Compatibility composition: full-width, styled and ligature forms are their plain letters.
    Nfkc,
    /// Canonical composition, and characters that look alike become one (UTS #39): Cyrillic and
    /// Latin `a`; `i`, `l` and `1`; `o` and `0`; `s`, and `$` beside a letter.
    Confusables,
}

/// Unit of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Words: maximal runs of letters and digits; scripts without spaces as UAX #29 segments them.
    #[default]
    Word,
    /// Characters of the canonical text: the words joined by single spaces.
    Char,
}

/// The settings that decide the tokens of a document, and nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnalysisSettings {
    /// Unicode normalisation.
    pub normalize: Normalize,
    /// Words or characters.
    pub unit: Unit,
}
