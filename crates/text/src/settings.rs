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

/// What the tokens of a text are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tokens {
    /// Words only: symbols and punctuation separate words and are compared with nothing.
    #[default]
    Words,
    /// Words, and each symbol or punctuation character outside of a word, with the combining marks
    /// that follow it: `a != b` is `a`, `!`, `=`, `b`.
    Symbols,
}

/// Whether upper and lower case are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Case {
    /// Tokens are lower-cased.
    #[default]
    Fold,
    /// Tokens are compared as written.
    Keep,
}

/// The settings that decide the tokens of a document, and nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnalysisSettings {
    /// Unicode normalisation.
    pub normalize: Normalize,
    /// Words or characters.
    pub unit: Unit,
    /// What tokens are; `None` where it is not said: [`Tokens::Words`], and [`Tokens::Symbols`] in a
    /// run whose inputs are all source code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
    /// Whether upper and lower case are one.
    #[serde(default, skip_serializing_if = "is_fold")]
    pub case: Case,
}

impl AnalysisSettings {
    /// The same, with tokens said only if they are not words: settings that give the same tokens are
    /// equal.
    #[must_use]
    pub fn decided(&self) -> Self {
        let tokens = self.tokens.filter(|&tokens| tokens != Tokens::Words);
        Self { tokens, ..self.clone() }
    }

    /// What tokens are.
    #[must_use]
    pub fn tokens(&self) -> Tokens {
        self.tokens.unwrap_or_default()
    }
}

fn is_fold(case: &Case) -> bool {
    *case == Case::Fold
}
