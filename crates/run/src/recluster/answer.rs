//! Results of the steps, for the tables and the summary.

use super::criterion::Criterion;
use super::earlier::Earlier;
use super::job::ReclusterJob;
use super::pairs::Edges;
use super::standing::Standing;
use super::units::Units;
use crate::Settings;
use crate::documents::Documents;

/// The data read from a run, and the recomputed results.
pub(super) struct Answer<'a> {
    pub(super) job: &'a ReclusterJob,
    pub(super) earlier: &'a Earlier,
    /// Settings of a run over the documents with the same result.
    pub(super) settings: &'a Settings,
    pub(super) criterion: Criterion,
    pub(super) documents: &'a Documents,
    pub(super) units: &'a Units,
    pub(super) edges: &'a Edges,
    pub(super) standing: &'a Standing,
}
