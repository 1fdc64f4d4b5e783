//! The join of a collection: candidates by the exact join or by a method, a verifier, checkpoints.

use crate::checkpoints::Checkpoints;
use crate::join_source::UnitSource;
use crate::signature_index::signature_index;
use crate::sketch_verifier::SketchVerifier;
use crate::templates::Templates;
use crate::uncompared::add_uncompared;
use crate::word_loss::{UnitLoss, WordLoss};
use crate::{Approach, Collection, EngineError, MatchSettings, Progress, Units, Verify};
use lookalike_core::Threshold;
use lookalike_join::{
    CandidatePairs, CandidateSearch, InvertedIndex, JoinOptions, JoinResult, KeyVerifier, Linkage,
    RemovalCondition, SourceError, SpillBudget, Statistics, Unfiltered, WitnessRule,
    join_candidates, join_candidates_by, join_candidates_if,
};
use std::sync::Arc;
use std::time::Instant;

/// Options of a join of a collection.
#[derive(Debug, Clone)]
pub struct MatchOptions {
    /// How matches become clusters.
    pub linkage: Linkage,
    /// Which kept match is the witness of a removed unit. Connected components have no such choice.
    pub witness: WitnessRule,
    /// Lists every match if there are at most this many pairs of documents. `None`: only the
    /// matches that cause a removal.
    pub list_pairs: Option<u64>,
    /// Only protected documents can be witnesses (the setting `against_only`).
    pub only_protected: bool,
    /// A match removes a document only if the kept one contains it to this degree (leaders, exact
    /// verification).
    pub contained: Option<Threshold>,
    /// A match removes a document only if it loses few words (leaders).
    pub loss: Option<Arc<WordLoss>>,
    /// The boilerplate that was removed from the sets: sets match as well if the complete ones reach
    /// the threshold (exact join, no method).
    pub templates: Option<Arc<Templates>>,
    /// How candidates of the exact join are found.
    pub search: CandidateSearch,
    /// Bytes of keys in memory, and twice as many to count elements before there are keys. With
    /// less, keys are spilled, and sets are scanned more often.
    pub memory: u64,
    /// Bytes of copies of feature sets in memory while sets are compared, if chunks are on disk;
    /// the other sets are read whenever they are compared.
    pub sets: u64,
}

impl MatchOptions {
    /// Lists the matches that decide, in as much memory as it takes.
    #[must_use]
    pub fn in_memory(linkage: Linkage) -> Self {
        Self {
            linkage,
            witness: WitnessRule::default(),
            list_pairs: None,
            only_protected: false,
            contained: None,
            loss: None,
            templates: None,
            search: CandidateSearch::default(),
            memory: u64::MAX,
            sets: u64::MAX,
        }
    }

    fn for_join(
        &self,
        collection: &Collection,
        units: &Units,
        settings: &MatchSettings,
    ) -> JoinOptions {
        JoinOptions {
            linkage: self.linkage,
            witness: self.witness,
            list_pairs: self.list_pairs,
            protected: units.protected(),
            only_protected: self.only_protected,
            contained: self.contained,
            removal: self.loss.as_ref().map(|loss| {
                Arc::new(UnitLoss::new(Arc::clone(loss), units)) as Arc<dyn RemovalCondition>
            }),
            least_size: settings.min_features.map_or(0, |least| least.count),
            search: self.search,
            budget: SpillBudget { bytes: self.memory, folder: collection.scratch_folder() },
            sets: self.sets,
        }
    }
}

/// The result of a join, by unit.
pub type Matches = JoinResult;

/// Finds the matches of a collection. May run several times, also at the same time, on one
/// collection.
///
/// To save memory, sets that it compares are sorted where they are, and sets that are on disk as
/// well are released from memory once they were scanned ([`Collection::spill_for_join`]).
///
/// Runs on the rayon pool it is called in.
///
/// # Errors
/// Too many postings, a temporary file that cannot be read, or an interruption.
pub fn find(
    collection: &Collection,
    units: &Units,
    settings: &MatchSettings,
    approach: &Approach,
    options: &MatchOptions,
    progress: &dyn Progress,
) -> Result<Matches, EngineError> {
    find_from(&Checkpoints::none(), collection, units, settings, approach, options, progress)
}

/// The same, from the checkpoints of an earlier run of the same job.
///
/// # Errors
/// As [`find`]; checkpoints that cannot be written.
pub fn find_from(
    checkpoints: &Checkpoints,
    collection: &Collection,
    units: &Units,
    settings: &MatchSettings,
    approach: &Approach,
    options: &MatchOptions,
    progress: &dyn Progress,
) -> Result<Matches, EngineError> {
    if let Some(matches) = checkpoints.read() {
        return Ok(matches);
    }
    let values = units.value_keys(collection);
    let sets = &UnitSource { collection, units, values: &values };
    let templates = options.templates.as_deref();
    let criterion = match templates {
        None => settings.criterion(),
        Some(_) => settings.join_criterion(),
    };
    let options = options.for_join(collection, units, settings);
    let started = Instant::now();
    progress.phase("indexing", None);
    let index = &checkpoints.read_or_compute(|| match &approach.method {
        None => {
            let JoinOptions { least_size, search, budget, .. } = &options;
            Ok(InvertedIndex::new(sets, criterion, *least_size, *search, budget, progress)?)
        }
        Some(method) => {
            signature_index(collection, units, method.as_ref(), approach, &options.budget, progress)
        }
    })?;
    let indexing = started.elapsed().as_secs_f64();
    let statistics = Statistics::default();
    let by_keys = CandidatePairs { sets, index, filter: Unfiltered };
    let mut matches = match (&approach.method, approach.verify) {
        (Some(method), Verify::Sketch) => {
            let verifier = SketchVerifier::new(collection, units, method.as_ref(), &statistics);
            join_candidates_by(&by_keys, &verifier, &options, &statistics, progress)?
        }
        (Some(_), Verify::None) => {
            // A common key has no measure: no match is better than the first.
            let options = JoinOptions { witness: WitnessRule::First, ..options };
            join_candidates_by(&by_keys, &KeyVerifier, &options, &statistics, progress)?
        }
        (Some(_), Verify::Exact) | (None, _) => {
            let pairs = CandidatePairs { sets, index, filter: criterion };
            match templates {
                None => join_candidates(&pairs, &options, progress)?,
                Some(templates) => {
                    let accepts = |edge| {
                        let is_match = templates.is_match(settings.criterion(), units, edge);
                        is_match.map_err(SourceError::from)
                    };
                    join_candidates_if(&pairs, &accepts, &options, progress)?
                }
            }
        }
    };
    if collection.matches_across() {
        let listing = (options.linkage, options.list_pairs);
        add_uncompared(collection, units, approach, listing, &mut matches, progress)?;
    }
    matches.phases.insert(0, ("indexing", indexing));
    checkpoints.write(&matches)?;
    Ok(matches)
}
