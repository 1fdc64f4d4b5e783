//! Settings of ready-made feature sets ([`FieldNames::features`]): which others have no effect, and
//! which calls do not take them.

use crate::{LookalikeError, Settings, Shingle};
use lookalike_core::FeatureKind;
use lookalike_io::FieldNames;
use lookalike_methods::{Method, MethodSpec, methods};
use lookalike_text::{AnalysisSettings, Terms};

/// Refuses ready-made features in a call that needs texts.
pub fn refuse(fields: &FieldNames, what: &str) -> Result<(), LookalikeError> {
    match &fields.features {
        None => Ok(()),
        Some(name) => Err(LookalikeError::Settings(format!(
            "the setting features_field={name} is for dedup, cluster, compare, explain and evaluate, and \
             {what} needs texts; leave it out"
        ))),
    }
}

impl Settings {
    /// Refuses settings of texts beside ready-made features.
    pub(crate) fn check_features(&self) -> Result<(), LookalikeError> {
        if self.fields.features.is_none() {
            return Ok(());
        }
        let name = match self {
            Self { shingle: Shingle::Of(_), .. } => "shingle",
            Self { terms, .. } if *terms != Terms::All => "terms",
            Self { boilerplate: Some(_), .. } => "boilerplate",
            Self { ignore_text, .. } if !ignore_text.is_empty() => "ignore_text",
            Self { analysis, .. } if *analysis != AnalysisSettings::default() => {
                "normalize, shingle_unit, tokens or case"
            }
            Self { fields: FieldNames { join_lists: Some(_), .. }, .. } => "join_lists",
            _ => return Ok(()),
        };
        Err(LookalikeError::Settings(format!(
            "the setting {name} is about texts, and the setting {} takes the place of texts; leave one of them out",
            self.fields.features_setting()
        )))
    }

    /// Refuses a method that is not one of sets beside ready-made features.
    pub fn check_method_of_features(
        &self,
        spec: &MethodSpec,
        method: &dyn Method,
    ) -> Result<(), LookalikeError> {
        if self.fields.features.is_none() {
            return Ok(());
        }
        let mut all = methods();
        let needs_statistics =
            all.any(|about| about.name == spec.name && about.needs_statistics(spec));
        let reason = match method.shingles() {
            Some(FeatureKind::Shingles { size: 2.., .. }) => {
                "it makes shingles, and features have no order; add the parameter w=1"
            }
            _ if needs_statistics => "it needs document frequencies of terms",
            _ if method.uses_marks() || !method.fields().is_empty() => "it uses markup or fields",
            _ if !method.term_filter().is_empty() => "it filters terms",
            _ => return Ok(()),
        };
        Err(LookalikeError::Settings(format!(
            "the setting method={spec} cannot sign the lists of the setting features_field: {reason}"
        )))
    }
}
