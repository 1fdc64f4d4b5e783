//! Ground truth: the pairs that methods are measured against, with their similarities.
//!
//! Three sources: the exact join over whole feature sets (every pair from some similarity on), the
//! exact pairs of a sample of documents, or labels. Labelled pairs are compared exactly as well, so
//! that their similarity is known.

use super::label_rows::LabelSource;
use super::labels::{self, Names};
use super::listing::{Sampled, between, within};
use super::sampled;
use super::similarity::step;
use super::trial::Laboratory;
use lookalike_cluster::Components;
use lookalike_core::{Measure, Overlap, Threshold};
use lookalike_engine::{Approach, Collection, DocumentId, Edge, MatchSettings, UnitSets, Units};
use lookalike_run::LookalikeError;
use lookalike_run::common::content;
use rayon::prelude::*;

/// Why all sets are in memory.
const IN_MEMORY: &str = "evaluate reads without a memory budget";

/// A pair of documents that was compared on whole sets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct KnownPair {
    /// The smaller document number.
    pub(super) a: DocumentId,
    /// The larger one.
    pub(super) b: DocumentId,
    /// By the measure of the settings, for people and plots.
    pub(super) similarity: f32,
    /// Its step (see [`step`]).
    pub(super) step: u8,
    /// Whether it is a near-duplicate.
    pub(super) is_true: bool,
}

/// What methods are measured against.
pub(super) struct Truth {
    /// The true pairs and those listed besides, in order.
    pub(super) pairs: Vec<KnownPair>,
    /// The least document of each document's true component; not known in a sample.
    pub(super) components: Option<Vec<u32>>,
    /// The documents whose pairs are known, if those of all are not.
    pub(super) sampled: Option<Vec<bool>>,
    /// The collection, without its sets.
    pub(super) collection: Collection,
    /// See [`content`].
    pub(super) content: u128,
    /// Names in the labels that no document has.
    pub(super) unknown_names: u64,
    /// Whether pairs are judged, so that those without a label are not known.
    pub(super) judged: bool,
}

/// What the truth is made from.
pub(super) struct Source<'a> {
    pub(super) settings: &'a MatchSettings,
    /// Pairs are listed from here on, at most the threshold.
    pub(super) from: Threshold,
    pub(super) labels: Option<&'a LabelSource>,
    /// Size and seed.
    pub(super) sample: Option<(u32, u64)>,
}

impl Source<'_> {
    /// Makes the truth.
    pub(super) fn truth(&self, laboratory: &Laboratory<'_>) -> Result<Truth, LookalikeError> {
        let Self { settings, from, labels, sample } = *self;
        let draw = |collection: &Collection| {
            sample.map(|(size, seed)| sampled::draw(collection.len(), size, seed))
        };
        let max_pairs = laboratory.max_pairs;
        let mut judged = false;
        let (mut collection, mut pairs, sampled, unknown_names);
        if labels.is_none() && sample.is_none() {
            let listing = MatchSettings { threshold: from, ..settings.clone() };
            let trial = laboratory.run("the truth", &listing, Approach::default())?;
            let edges = &trial.matches.pairs.edges;
            pairs = self.spell_out(&trial.units, edges, None);
            (collection, sampled, unknown_names) = (trial.collection, None, 0);
        } else {
            let units;
            (collection, units) = laboratory.read(settings, &Approach::default())?;
            sampled = draw(&collection);
            laboratory.progress.phase("comparing", None);
            if let Some(labels) = labels {
                let mut names = Names::new(&collection)?;
                let labelled = labels::pairs(labels, &mut names, sampled.as_deref(), max_pairs)?;
                unknown_names = names.unknown();
                let sets = UnitSets::sorted(&collection, &units).expect(IN_MEMORY);
                judged = labelled.judged;
                let known = |(a, b, same)| self.labelled(&sets, &units, a, b, same);
                pairs = labelled.pairs.into_iter().map(known).collect();
            } else {
                let of = sampled.as_deref().unwrap_or_default();
                let sets = UnitSets::new(&collection, &units).expect(IN_MEMORY);
                let progress = laboratory.progress;
                let edges = sampled::edges(&sets, &units, settings, from, of, max_pairs, progress)?;
                pairs = self.spell_out(&units, &edges, Some(of));
                unknown_names = 0;
            }
        }
        pairs.par_sort_unstable_by_key(|pair| (pair.a, pair.b));
        let components = sampled.is_none().then(|| {
            let mut components = Components::new(collection.len());
            for pair in pairs.iter().filter(|pair| pair.is_true) {
                components.join(pair.a.0, pair.b.0);
            }
            components.labels()
        });
        let content = content(&collection)?;
        collection.drop_sets();
        Ok(Truth { pairs, components, sampled, collection, content, unknown_names, judged })
    }

    fn known(&self, (a, b): (DocumentId, DocumentId), counts: Overlap, is_true: bool) -> KnownPair {
        let measure = self.settings.measure;
        let similarity = measure.value(counts) as f32;
        KnownPair { a, b, similarity, step: step(measure, counts), is_true }
    }

    /// Copies, and edges between units, as pairs of documents.
    fn spell_out(&self, units: &Units, edges: &[Edge], sampled: Sampled<'_>) -> Vec<KnownPair> {
        let mut pairs = Vec::new();
        for unit in units.ids() {
            let size = units.size(unit);
            let counts = Overlap { shared: size, a: size, b: size };
            within(units.members(unit), sampled, |a, b| {
                pairs.push(self.known((a, b), counts, true));
            });
        }
        for &Edge { later: unit, earlier: with, shared } in edges {
            let counts = Overlap { shared, a: units.size(unit), b: units.size(with) };
            let is_true = self.settings.measure.reaches(self.settings.threshold, counts);
            between(units.members(unit), units.members(with), sampled, |a, b| {
                pairs.push(self.known((a, b), counts, is_true));
            });
        }
        pairs
    }

    /// A labelled pair: a true one if its label says so, whatever its similarity.
    fn labelled(
        &self,
        sets: &UnitSets<'_>,
        units: &Units,
        a: DocumentId,
        b: DocumentId,
        same: bool,
    ) -> KnownPair {
        let counts = match (units.of_document(a), units.of_document(b)) {
            (Some(x), Some(y)) => {
                let shared = sets.get(x).overlap(sets.get(y));
                let counts = Overlap { shared, a: units.size(x), b: units.size(y) };
                // Containment asks whether the smaller one is in the larger.
                match self.settings.measure == Measure::Containment && counts.a > counts.b {
                    true => counts.swapped(),
                    false => counts,
                }
            }
            _ => Overlap { shared: 0, a: 0, b: 0 },
        };
        self.known((a, b), counts, same)
    }
}
