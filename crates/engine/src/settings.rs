//! What two documents are compared by: everything that decides the answer, and nothing else.

use lookalike_core::{CommonElements, FeatureKind, Measure, ShortDocuments, Threshold};
use lookalike_join::Criterion;
use lookalike_text::{AnalysisSettings, Terms};
use std::sync::Arc;

/// The settings of the match. Two runs with equal settings give equal answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchSettings {
    /// From text to tokens.
    pub analysis: AnalysisSettings,
    /// From tokens to the elements of the set.
    pub features: FeatureKind,
    /// Which tokens count as terms (for [`FeatureKind::Terms`] only).
    pub terms: Terms,
    /// What is measured.
    pub measure: Measure,
    /// What it has to reach.
    pub threshold: Threshold,
    /// Elements that are removed from every set before sets are compared; `None` for none.
    pub common: Option<Arc<CommonElements>>,
    /// How many features a document needs to be compared; `None` if any number will do.
    pub min_features: Option<MinFeatures>,
}

/// Documents with fewer features than this are compared with none: such a document is in a pair only with
/// those of the same token sequence. The features counted may be others than those that are compared, where a
/// method is given all tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MinFeatures {
    /// The fewest features of a document that is compared.
    pub count: u32,
    /// What is counted.
    pub features: FeatureKind,
    /// Which tokens count as terms (for [`FeatureKind::Terms`] only).
    pub terms: Terms,
}

impl MinFeatures {
    /// Whether a set of so many elements is too small to be compared. The empty set matches nothing anyway.
    #[must_use]
    pub fn excludes(&self, size: u32) -> bool {
        size < self.count
    }
}

impl MatchSettings {
    /// Resemblance of word 5-shingles with the given threshold: the default of the command.
    #[must_use]
    pub fn resemblance(threshold: Threshold) -> Self {
        Self {
            analysis: AnalysisSettings::default(),
            features: FeatureKind::Shingles { size: 5, short: ShortDocuments::Whole },
            terms: Terms::All,
            measure: Measure::Resemblance,
            threshold,
            common: None,
            min_features: None,
        }
    }

    /// Whether a set of so many elements is too small to be compared.
    #[must_use]
    pub fn excludes(&self, size: u32) -> bool {
        self.min_features.is_some_and(|least| least.excludes(size))
    }

    /// When two sets match.
    #[inline]
    #[must_use]
    pub fn criterion(&self) -> Criterion {
        Criterion { measure: self.measure, threshold: self.threshold }
    }
}
