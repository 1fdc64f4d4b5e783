//! Registry of all methods by name.

use crate::{About, Method, MethodSpec, SpecError, Statistics};
use crate::{broder, imatch, minhash, simhash, syntactic};
use std::sync::Arc;

/// All methods, family by family.
const FAMILIES: &[&[About]] =
    &[broder::METHODS, minhash::METHODS, syntactic::METHODS, imatch::METHODS, simhash::METHODS];

/// All methods, in the order of the papers.
pub fn methods() -> impl Iterator<Item = &'static About> {
    FAMILIES.iter().copied().flatten()
}

/// Builds the method that `spec` describes.
///
/// # Errors
/// An unknown name or parameter, a value that does not fit, or missing statistics.
pub fn build(
    spec: &MethodSpec,
    statistics: Option<Arc<dyn Statistics>>,
) -> Result<Box<dyn Method>, SpecError> {
    let about = methods().find(|about| about.name == spec.name).ok_or_else(|| {
        let known: Vec<&str> = methods().map(|about| about.name).collect();
        SpecError::UnknownMethod { name: spec.name.clone(), known: known.join(", ") }
    })?;
    if about.needs_statistics(spec) && statistics.is_none() {
        return Err(SpecError::StatisticsMissing(spec.to_string()));
    }
    (about.build)(spec, statistics)
}
