//! What the steps have found so far, for the tables and the summary.

use super::criterion::Criterion;
use super::earlier::Earlier;
use super::job::ReclusterJob;
use super::pairs::Edges;
use super::standing::Standing;
use super::units::Units;
use crate::Settings;
use crate::documents::Documents;

/// What was read of a run, and what follows from it.
pub(super) struct Answer<'a> {
    pub(super) job: &'a ReclusterJob,
    pub(super) earlier: &'a Earlier,
    /// With which a run over the documents would give the same.
    pub(super) settings: &'a Settings,
    pub(super) criterion: Criterion,
    pub(super) documents: &'a Documents,
    pub(super) units: &'a Units,
    pub(super) edges: &'a Edges,
    pub(super) standing: &'a Standing,
}
