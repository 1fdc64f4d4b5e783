//! What a join computes besides the criterion, and the memory that it may take.

use crate::source::SourceError;
use crate::survivors::WitnessRule;
use crate::{CandidateSearch, Edge, SpillBudget};
use lookalike_core::Threshold;
use std::fmt::Debug;
use std::sync::Arc;

/// How matches become clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Linkage {
    /// Leader clustering (Hartigan 1975): each removed set matches a kept one. No chains.
    #[default]
    Leaders,
    /// Connected components (Broder 1997): chains included.
    Components,
}

/// Condition of a removal, besides [`JoinOptions::contained`].
pub trait RemovalCondition: Debug + Send + Sync {
    /// Whether the later set of a match may be removed. A function of the two sets.
    ///
    /// # Errors
    /// What it depends on cannot be read.
    fn allows(&self, edge: Edge) -> Result<bool, SourceError>;
}

/// Options of [`crate::join`].
#[derive(Debug, Clone)]
pub struct JoinOptions {
    /// How matches become clusters.
    pub linkage: Linkage,
    /// Which kept match is the witness of a removed set. Connected components have no such choice.
    pub witness: WitnessRule,
    /// Lists every match, as long as there are at most so many pairs of records
    /// ([`crate::SetSource::copies`]). `None`: only the matches that decide.
    pub list_pairs: Option<u64>,
    /// Number of protected sets, which precede all others: they are kept without a comparison.
    pub protected: u32,
    /// Only protected sets can be witnesses.
    pub only_protected: bool,
    /// A match removes its later set only if the earlier one contains it to this degree
    /// ([`Linkage::Leaders`], with verifiers that count shared elements).
    pub contained: Option<Threshold>,
    /// A match removes its later set only if this allows it ([`Linkage::Leaders`]).
    pub removal: Option<Arc<dyn RemovalCondition>>,
    /// Sets with fewer elements are not compared.
    pub least_size: u32,
    /// How candidates are found.
    pub search: CandidateSearch,
    /// Memory for building the index.
    pub budget: SpillBudget,
    /// Bytes of sets on disk that may be copied to memory while sets are compared.
    pub sets: u64,
}

impl JoinOptions {
    /// Decides everything in memory, and lists the deciding matches only.
    #[must_use]
    pub fn in_memory(linkage: Linkage) -> Self {
        Self {
            linkage,
            witness: WitnessRule::default(),
            list_pairs: None,
            protected: 0,
            only_protected: false,
            contained: None,
            removal: None,
            least_size: 0,
            search: CandidateSearch::default(),
            budget: SpillBudget::unlimited(),
            sets: u64::MAX,
        }
    }
}
