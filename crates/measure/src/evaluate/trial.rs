//! Runs one method on the documents: its pairs of documents and its cost.

use super::listing::{Sampled, between, within};
use lookalike_engine::collection::SetRef;
use lookalike_engine::{
    Approach, Collection, DocumentId, Edge, IngestOptions, Linkage, MatchOptions, MatchSettings,
    Matches, Progress, SetId, Signer, Units, Verify, find,
};
use lookalike_methods::{CandidateSource, Unsigned};
use lookalike_report::{Ignored, MethodTimes};
use lookalike_run::LookalikeError;
use lookalike_run::reading::Documents;
use std::time::Instant;

/// What all trials have in common. They run on the threads of the current rayon pool.
pub(super) struct Laboratory<'a> {
    pub(super) documents: Documents<'a>,
    pub(super) threads: usize,
    pub(super) strict: bool,
    pub(super) skip_unreadable: bool,
    pub(super) max_pairs: u64,
    pub(super) progress: &'a dyn Progress,
}

/// A collection, read and joined.
pub(super) struct Trial {
    pub(super) collection: Collection,
    pub(super) units: Units,
    pub(super) matches: Matches,
    pub(super) approach: Approach,
    pub(super) times: MethodTimes,
    /// The set of each document, and why it is in no pair.
    documents: Vec<(Option<SetRef>, Option<Unsigned>)>,
    /// Documents without a signature, by reason.
    pub(super) ignored: Ignored,
    /// The documents of each unit that can be in a pair, one unit after the other.
    able: Vec<DocumentId>,
    starts: Vec<u32>,
}

impl Laboratory<'_> {
    /// Reads and signs the documents.
    pub(super) fn read(
        &self,
        settings: &MatchSettings,
        approach: &Approach,
    ) -> Result<(Collection, Units), LookalikeError> {
        let given = &self.documents.inputs.options.fields.given;
        let signer = Signer::for_approach(settings, approach)?.with_given(given);
        let options = IngestOptions {
            strict: self.strict,
            skip_unreadable: self.skip_unreadable,
            ..IngestOptions::in_memory(self.threads)
        };
        let collection = self.documents.ingest(&signer, &options, self.progress)?;
        match signer.missing_field() {
            Some(name) if !collection.is_empty() => {
                return Err(LookalikeError::Settings(format!(
                    "no document has the field `{name}` of the settings separate_by, distinct_by or methods; name \
                     another one, or leave it out"
                )));
            }
            _ => {}
        }
        self.progress.phase("collapsing", None);
        let units = Units::new(&collection, &[], settings.measure, self.progress)?;
        Ok((collection, units))
    }

    /// Reads the documents and finds all pairs; `what` is named where there are too many.
    pub(super) fn run(
        &self,
        what: &str,
        settings: &MatchSettings,
        approach: Approach,
    ) -> Result<Trial, LookalikeError> {
        let started = Instant::now();
        let (collection, units) = self.read(settings, &approach)?;
        let signing = started.elapsed().as_secs_f64();

        let started = Instant::now();
        let options = MatchOptions {
            list_pairs: Some(self.max_pairs),
            ..MatchOptions::in_memory(Linkage::Components)
        };
        let matches = find(&collection, &units, settings, &approach, &options, self.progress)?;
        if !matches.pairs.complete {
            return Err(too_many(what, self.max_pairs));
        }
        let times = MethodTimes { signing, joining: started.elapsed().as_secs_f64() };
        let mut documents = Vec::with_capacity(collection.len() as usize);
        let mut ignored = Ignored::default();
        collection.for_each(|_, document| {
            let unsigned = collection.unsigned_row(document);
            match unsigned {
                None => {}
                Some(Unsigned::Empty) => ignored.no_words += 1,
                Some(Unsigned::TooShort) => ignored.too_short += 1,
                Some(Unsigned::NothingSelected) => ignored.nothing_selected += 1,
                Some(Unsigned::OnlyCommon) => ignored.only_common += 1,
                Some(Unsigned::FewFeatures) => ignored.few_features += 1,
            }
            documents.push((document.set.ok(), unsigned));
        })?;
        let (mut able, mut starts) = (Vec::with_capacity(documents.len()), vec![0]);
        for unit in units.ids() {
            let members = units.members(unit).iter().copied();
            able.extend(members.filter(|&document| {
                // The exact join finds copies of documents without features as well.
                approach.method.is_none()
                    || matches!(documents[document.index()].1, None | Some(Unsigned::FewFeatures))
            }));
            starts.push(able.len() as u32);
        }
        Ok(Trial { collection, units, matches, approach, times, documents, ignored, able, starts })
    }
}

/// The error for more pairs than may be listed.
pub(super) fn too_many(what: &str, max_pairs: u64) -> LookalikeError {
    LookalikeError::Limit(format!(
        "{what} has more than {max_pairs} pairs; raise the setting max_pairs, or leave it out; for the truth, \
         the setting list_from at the threshold lists fewer, and the setting sample those \
         of some documents only"
    ))
}

impl Trial {
    /// The documents of a unit that the method can sign.
    fn able(&self, unit: SetId) -> &[DocumentId] {
        let unit = unit.index();
        &self.able[self.starts[unit] as usize..self.starts[unit + 1] as usize]
    }

    /// Whether the method finds that the documents of a unit match each other. They were put
    /// together before it saw them, and it gets no credit for what it would not have found.
    fn finds_copies(&self, unit: SetId) -> bool {
        let Some(method) = &self.approach.method else { return true };
        // Below min_features, a method can only find documents of the same words.
        if self.has_few_features(unit) {
            return true;
        }
        match (self.approach.verify, method.candidates()) {
            (Verify::Sketch, _) => {
                let itself = Edge { later: unit, earlier: unit, shared: self.units.size(unit) };
                method.accepts(self.approach.evidence(&self.collection, &self.units, itself))
            }
            (_, CandidateSource::Hamming { .. }) => true,
            (_, CandidateSource::Keys) => {
                self.able(unit).first().is_some_and(|&document| self.bytes_of(document).0 > 0)
            }
        }
    }

    /// Whether the documents of a unit have too few features to be compared.
    fn has_few_features(&self, unit: SetId) -> bool {
        let first = self.able(unit).first();
        first.is_some_and(|&document| {
            self.documents[document.index()].1 == Some(Unsigned::FewFeatures)
        })
    }

    /// All pairs of documents found, in order.
    pub(super) fn pairs(&self, sampled: Sampled<'_>) -> Vec<(DocumentId, DocumentId)> {
        let mut pairs = Vec::new();
        self.each_group(|group| within(group, sampled, |a, b| pairs.push((a, b))));
        for edge in &self.matches.pairs.edges {
            let (x, y) = (self.able(edge.later), self.able(edge.earlier));
            between(x, y, sampled, |a, b| pairs.push((a, b)));
        }
        pairs.sort_unstable();
        pairs
    }

    /// The pairs of all documents as links enough to connect what they connect.
    pub(super) fn each_link(&self, mut link: impl FnMut(DocumentId, DocumentId)) {
        self.each_group(|group| group.windows(2).for_each(|pair| link(pair[0], pair[1])));
        for edge in &self.matches.pairs.edges {
            let (x, y) = (self.able(edge.later), self.able(edge.earlier));
            let ([first, ..], [other, ..]) = (x, y) else { continue };
            link(*first, *other);
            // Each document is paired with all on the other side, so with its own side as well.
            for (group, unit) in [(x, edge.later), (y, edge.earlier)] {
                if !self.finds_copies(unit) {
                    group.windows(2).for_each(|pair| link(pair[0], pair[1]));
                }
            }
        }
    }

    fn each_group(&self, mut act: impl FnMut(&[DocumentId])) {
        for unit in self.units.ids() {
            let group = self.able(unit);
            if group.len() > 1 && self.finds_copies(unit) {
                act(group);
            }
        }
    }

    /// Bytes of keys and of sketches of all documents. Copies share theirs in memory and are
    /// counted each: which of them brought it depends on timing.
    pub(super) fn bytes(&self) -> (u64, u64) {
        self.collection
            .documents()
            .map(|document| self.bytes_of(document))
            .fold((0, 0), |sum, bytes| (sum.0 + bytes.0, sum.1 + bytes.1))
    }

    fn bytes_of(&self, document: DocumentId) -> (u64, u64) {
        let Some(place) = self.documents[document.index()].0 else { return (0, 0) };
        let signatures = self.collection.signatures(place.chunk);
        if signatures.is_empty() {
            return (0, 0);
        }
        let words = signatures.sketch(place.index).words;
        (8 * signatures.keys(place.index).len() as u64, 8 * words.len() as u64)
    }
}
