//! The document frequencies for a method: from a given lexicon, or counted once for all methods
//! with the same terms.

use super::trial::Laboratory;
use lookalike_lexicon::{Description, Lexicon};
use lookalike_methods::{MethodSpec, Statistics};
use lookalike_run::approach::{counted, needs_statistics, wanted};
use lookalike_run::{Job, LookalikeError};
use lookalike_text::AnalysisSettings;
use std::path::Path;
use std::sync::Arc;

/// Lexicons, given and counted.
pub(super) struct Lexica {
    given: Vec<Arc<Lexicon>>,
    counted: Vec<(Description, Arc<Lexicon>)>,
}

/// Checks a method's description, independent of the frequencies.
pub(super) fn check(spec: &MethodSpec) -> Result<(), LookalikeError> {
    wanted(&AnalysisSettings::default(), spec).map(|_| ())
}

impl Lexica {
    /// Opens the lexicons that were given.
    pub(super) fn open(paths: &[String]) -> Result<Self, LookalikeError> {
        let open = |path: &String| Lexicon::open(Path::new(path)).map(Arc::new);
        let given = paths.iter().map(open).collect::<Result<_, _>>()?;
        Ok(Self { given, counted: Vec::new() })
    }

    /// The document frequencies for a method.
    ///
    /// # Errors
    /// Lexicons were given and none fits: the error of the first.
    pub(super) fn statistics(
        &mut self,
        spec: &MethodSpec,
        job: &Job,
        laboratory: &Laboratory<'_>,
    ) -> Result<Option<Arc<dyn Statistics>>, LookalikeError> {
        let wanted = wanted(&job.settings.analysis, spec)?;
        let fits = |lexicon: &&Arc<Lexicon>| *lexicon.description() == wanted;
        if let Some(lexicon) = self.given.iter().find(fits) {
            return Ok(Some(lexicon.clone()));
        }
        if !needs_statistics(spec) {
            return Ok(None);
        }
        if let Some(first) = self.given.first() {
            first.expect(&wanted)?;
        }
        if let Some((_, lexicon)) = self.counted.iter().find(|(of, _)| *of == wanted) {
            return Ok(Some(lexicon.clone()));
        }
        let Laboratory { documents, threads, progress, .. } = *laboratory;
        let counted = counted(job, documents, &wanted, threads, progress)?;
        let lexicon = Arc::new(counted.lexicon);
        self.counted.push((wanted, lexicon.clone()));
        Ok(Some(lexicon))
    }
}
