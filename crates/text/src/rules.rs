//! What a text becomes before it is cut, and where it is cut.

use crate::classes::Classes;
use crate::normal::Normalizer;
use crate::{AnalysisSettings, Case, Tokens, scan};
use std::ops::Range;

/// The rules by which a text is normalised and cut into tokens. Immutable.
#[derive(Debug)]
pub(crate) struct Rules {
    pub(crate) normalizer: Normalizer,
    /// Whether symbols are tokens.
    pub(crate) symbols: bool,
    /// Whether tokens are lower-cased.
    pub(crate) folds_case: bool,
    pub(crate) classes: &'static Classes,
}

impl Rules {
    pub(crate) fn new(settings: &AnalysisSettings) -> Self {
        Self {
            normalizer: Normalizer::new(settings.normalize),
            symbols: settings.tokens() == Tokens::Symbols,
            folds_case: settings.case == Case::Fold,
            classes: Classes::shared(),
        }
    }

    /// Emits the byte range of each token of a normalised text, its letters in the case that counts,
    /// and whether no space belongs before it. Of [`crate::Unit::Char`], tokens are to be cut further.
    pub(crate) fn scan(&self, text: &str, emit: &mut impl FnMut(Range<usize>, bool)) {
        if self.symbols {
            scan::symbols(text, self.classes, emit);
        } else {
            scan::words(text, self.classes, emit);
        }
    }
}
