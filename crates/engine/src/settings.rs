//! Match settings: everything that decides which documents match, and nothing else.

use crate::{Across, Distinctions};
use lookalike_core::{CommonElements, FeatureKind, Measure, ShortDocuments, Threshold};
use lookalike_join::Criterion;
use lookalike_text::{AnalysisSettings, Terms};
use std::sync::Arc;

/// The least measure of the remaining sets of a match whose complete sets reach the threshold
/// (measured in docs/design/boilerplate.md).
const LEAST_REMAINING: &str = "0.3";

/// Settings of the match. Two runs with equal settings give equal results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchSettings {
    /// From text to tokens.
    pub analysis: AnalysisSettings,
    /// From tokens to the elements of the set.
    pub features: FeatureKind,
    /// Which tokens count as terms (for [`FeatureKind::Terms`] only).
    pub terms: Terms,
    /// The similarity measure.
    pub measure: Measure,
    /// The value that the measure has to reach.
    pub threshold: Threshold,
    /// Common elements, removed from every set; `None` for none.
    pub common: Option<Arc<CommonElements>>,
    /// Boilerplate or other shingles that are ignored, removed from every set. The whole text of a
    /// document without other elements is its only element. Documents with equal sets before the removal
    /// are one unit.
    pub boilerplate: Option<Arc<CommonElements>>,
    /// Whether documents match as well if they reach the threshold with their boilerplate, and
    /// [`MatchSettings::remaining_criterion`] without it.
    pub boilerplate_counts: bool,
    /// Fewest features of a document that is compared; `None` for no minimum.
    pub min_features: Option<MinFeatures>,
    /// What documents need to have in common besides; `None` for nothing.
    pub distinct: Option<Arc<Distinctions>>,
    /// By what documents have to differ to match; `None` for nothing.
    pub across: Option<Across>,
    /// Documents with equal sets are one unit only if they have the same words, each as often.
    pub words_count: bool,
    /// Whether texts have sections, each ended by [`lookalike_io::SECTION_BREAK`]: no shingle has words of two.
    pub sections: bool,
}

/// Documents with fewer features than this match only documents with the same token sequence. The
/// counted features may differ from those that are compared, if a method receives all tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MinFeatures {
    /// The fewest features of a document that is compared.
    pub count: u32,
    /// The features that are counted.
    pub features: FeatureKind,
    /// Which tokens count as terms (for [`FeatureKind::Terms`] only).
    pub terms: Terms,
}

impl MinFeatures {
    /// Whether a set of so many elements is too small to be compared. Empty sets match nothing in
    /// any case.
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
            boilerplate: None,
            boilerplate_counts: false,
            min_features: None,
            distinct: None,
            across: None,
            words_count: false,
            sections: false,
        }
    }

    /// Whether a set of so many elements is too small to be compared.
    #[must_use]
    pub fn excludes(&self, size: u32) -> bool {
        self.min_features.is_some_and(|least| least.excludes(size))
    }

    /// The match criterion.
    #[inline]
    #[must_use]
    pub fn criterion(&self) -> Criterion {
        Criterion { measure: self.measure, threshold: self.threshold }
    }

    /// The least that the remaining sets of a match reach if boilerplate is removed
    /// ([`Templates`](crate::templates::Templates)).
    #[must_use]
    pub fn remaining_criterion(&self) -> Criterion {
        let least = LEAST_REMAINING.parse().ok();
        let least = least.filter(|least: &Threshold| least.as_f64() < self.threshold.as_f64());
        Criterion { threshold: least.unwrap_or(self.threshold), ..self.criterion() }
    }

    /// The criterion of the join.
    #[must_use]
    pub fn join_criterion(&self) -> Criterion {
        match self.boilerplate {
            Some(_) if self.boilerplate_counts => self.remaining_criterion(),
            _ => self.criterion(),
        }
    }
}
