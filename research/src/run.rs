//! Runs a method on a collection: clusters, pairs and what was left out.
//!
//! One thread does everything: times are then those of the work, and not of its division.

use crate::corpus::Corpus;
use anyhow::{Context, Result};
use lookalike_core::{CommonElements, FeatureKind, Measure};
use lookalike_engine::collection::SetRef;
use lookalike_engine::{
    Approach, Collection, DocumentId, Edge, IngestOptions, Linkage, MatchOptions, MatchSettings,
    Matches, Signer, Silent, Units, Verify, common_elements, find, ingest,
};
use lookalike_lexicon::Lexicon;
use lookalike_methods::{CandidateSource, Method, MethodSpec, Statistics, Unsigned, build};
use lookalike_text::Terms;
use std::sync::Arc;
use std::time::Instant;

/// More pairs than this are never listed: a run that has them says so and fails.
const MOST_PAIRS: u64 = 50_000_000;
/// Bytes for the counting of common shingles.
const COUNTING: u64 = 256 << 20;

/// A method and what decides about its candidates: the papers' own rule.
pub(crate) fn approach(spec: &str, lexicon: Option<&Arc<Lexicon>>) -> Result<Approach> {
    let statistics = lexicon.map(|lexicon| lexicon.clone() as Arc<dyn Statistics>);
    let spec: MethodSpec = spec.parse()?;
    let method: Arc<dyn Method> = build(&spec, statistics)?.into();
    // One key in common is the whole rule of these; the others compare sketches.
    let by_key = method.candidates() == CandidateSource::Keys
        && ["dsc-ss", "imatch", "imatch-random", "megashingles", "syntactic"]
            .contains(&spec.name.as_str());
    let verify = if by_key { Verify::None } else { Verify::Sketch };
    Ok(Approach { method: Some(method), verify, key_limit: None, common: None })
}

/// Word shingles and resemblance: what a method's documents are read by, and the truth of Broder.
pub(crate) fn resemblance(threshold: &str) -> Result<MatchSettings> {
    Ok(MatchSettings::resemblance(threshold.parse()?))
}

/// Binary cosine of all distinct words.
pub(crate) fn cosine_of_words(threshold: &str) -> Result<MatchSettings> {
    Ok(MatchSettings {
        features: FeatureKind::Terms,
        measure: Measure::Cosine,
        ..resemblance(threshold)?
    })
}

/// Binary cosine of the distinct terms that Kołcz & Chowdhury 2008, section 6.3, keep.
pub(crate) fn cosine(threshold: &str) -> Result<MatchSettings> {
    Ok(MatchSettings { terms: Terms::Kolcz, ..cosine_of_words(threshold)? })
}

/// The shingles of a method that more than `most` distinct documents have, as `--ignore-common`
/// counts them: over the whole sets, before the method samples any.
pub(crate) fn common_shingles(
    corpus: &Corpus,
    approach: &Approach,
    most: u32,
) -> Result<Arc<CommonElements>> {
    let features = approach.method.as_ref().and_then(|method| method.shingles());
    let features = features.context("a method without shingles")?;
    let settings = MatchSettings { features, ..resemblance("0.5")? };
    let options = IngestOptions { strict: true, ..IngestOptions::in_memory(1) };
    let collection = ingest(&corpus.inputs()?, &Signer::new(&settings), &options, &Silent)?;
    let units = Units::new(&collection, &[], Measure::Resemblance, &Silent)?;
    Ok(Arc::new(common_elements(&collection, &units, most, COUNTING, &Silent)?))
}

/// A collection, read and signed.
pub(crate) struct Signed {
    /// The documents.
    pub(crate) collection: Collection,
    /// The set of each document, its number of tokens, and why it is in no pair.
    documents: Vec<(Option<SetRef>, u32, Option<Unsigned>)>,
    /// Seconds for reading, tokenising and signing.
    pub(crate) seconds: f64,
    settings: MatchSettings,
    approach: Approach,
}

/// Reads and signs.
pub(crate) fn sign(corpus: &Corpus, approach: Approach, settings: MatchSettings) -> Result<Signed> {
    let mut inputs = corpus.inputs()?;
    let fields = approach.method.as_ref().map(|method| method.fields()).unwrap_or_default();
    inputs.options.fields.given = fields.given().cloned().collect();
    let signer =
        Signer::for_approach(&settings, &approach)?.with_given(&inputs.options.fields.given);
    let options = IngestOptions { strict: true, ..IngestOptions::in_memory(1) };
    let started = Instant::now();
    let collection = ingest(&inputs, &signer, &options, &Silent)?;
    let seconds = started.elapsed().as_secs_f64();
    let mut documents = Vec::new();
    collection.for_each(|_, document| {
        documents.push((document.set.ok(), document.tokens, collection.unsigned_row(document)));
    })?;
    Ok(Signed { collection, documents, seconds, settings, approach })
}

impl Signed {
    /// Documents without a signature, or without features.
    pub(crate) fn ignored(&self) -> u64 {
        self.documents.iter().filter(|(_, _, unsigned)| unsigned.is_some()).count() as u64
    }

    /// Sizes of the documents that are signed: tokens, and features as the method counts them.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = (u32, u32)> {
        let signed = self.documents.iter().filter(|(_, _, unsigned)| unsigned.is_none());
        signed.filter_map(|&(set, tokens, _)| {
            let place = set?;
            let size = self.collection.signatures(place.chunk).size(place.index);
            Some((tokens, size))
        })
    }

    /// What it was signed with.
    pub(crate) fn approach(&self) -> &Approach {
        &self.approach
    }

    /// The simhash of each document; `None` for one without a signature.
    pub(crate) fn words(&self) -> impl Iterator<Item = Option<u64>> {
        self.documents.iter().map(|&(set, _, unsigned)| {
            let place = set.filter(|_| unsigned.is_none())?;
            self.collection.signatures(place.chunk).sketch(place.index).words.first().copied()
        })
    }

    /// Whether a document is signed.
    fn is_signed(&self, document: u32) -> bool {
        self.documents[document as usize].2.is_none()
    }

    /// Finds what matches. With `pairs` all pairs are listed.
    pub(crate) fn find(self, pairs: bool) -> Result<Found> {
        let started = Instant::now();
        let units = Units::new(&self.collection, &[], self.settings.measure, &Silent)?;
        let collapsing = started.elapsed().as_secs_f64();
        let options = MatchOptions {
            list_pairs: pairs.then_some(MOST_PAIRS),
            ..MatchOptions::in_memory(Linkage::Components)
        };
        let Self { collection, settings, approach, .. } = &self;
        let mut matches = find(collection, &units, settings, approach, &options, &Silent)?;
        anyhow::ensure!(matches.pairs.complete || !pairs, "more than {MOST_PAIRS} pairs");
        matches.phases.insert(0, ("collapsing", collapsing));
        matches.phases.insert(0, ("reading and signing", self.seconds));
        Ok(Found { signed: self, units, matches })
    }
}

/// The whole road: reads, signs and finds.
pub(crate) fn search(
    corpus: &Corpus,
    approach: Approach,
    settings: MatchSettings,
    pairs: bool,
) -> Result<Found> {
    sign(corpus, approach, settings)?.find(pairs)
}

/// The matches of a collection.
pub(crate) struct Found {
    /// What was searched.
    pub(crate) signed: Signed,
    /// Distinct documents.
    pub(crate) units: Units,
    /// The matches among them, with the seconds of each phase.
    pub(crate) matches: Matches,
}

impl Found {
    /// The cluster of each document, named by the document that leads it.
    ///
    /// Documents that the method cannot sign are alone, even where their words are the same.
    pub(crate) fn clusters(&self) -> Vec<u32> {
        let cluster = |document| match self.units.of_document(DocumentId(document)) {
            Some(unit) if self.signed.is_signed(document) => {
                self.units.members(self.matches.leader[unit.index()])[0].0
            }
            _ => document,
        };
        (0..self.signed.collection.len()).map(cluster).collect()
    }

    /// Sizes of the clusters, by leader; 0 for a document that leads none.
    pub(crate) fn cluster_sizes(&self) -> Vec<u32> {
        let mut sizes = vec![0; self.signed.collection.len() as usize];
        for leader in self.clusters() {
            sizes[leader as usize] += 1;
        }
        sizes
    }

    /// Calls with every pair of documents that matches, the smaller number first, and its edge; no
    /// edge for two documents of one unit.
    pub(crate) fn each_pair(&self, mut pair: impl FnMut(u32, u32, Option<Edge>)) {
        for unit in self.units.ids() {
            let members = self.units.members(unit);
            for (at, &a) in members.iter().enumerate() {
                if self.signed.is_signed(a.0) {
                    let pair = |&b| pair(a.min(b).0, a.max(b).0, None);
                    members[at + 1..].iter().for_each(pair);
                }
            }
        }
        for &edge in &self.matches.pairs.edges {
            for &a in self.units.members(edge.later) {
                for &b in self.units.members(edge.earlier) {
                    pair(a.min(b).0, a.max(b).0, Some(edge));
                }
            }
        }
    }

    /// Bytes of keys and sketches of the average document.
    pub(crate) fn signature_bytes(&self) -> f64 {
        let collection = &self.signed.collection;
        let (bytes, signed) = collection.chunk_ids().fold((0, 0), |(bytes, signed), chunk| {
            let signatures = collection.signatures(chunk);
            let (keys, sketches) = signatures.bytes();
            (bytes + keys + sketches, signed + signatures.len())
        });
        bytes as f64 / signed.max(1) as f64
    }

    /// Bytes of the feature set of the average document, 8 for each element.
    pub(crate) fn set_bytes(&self) -> f64 {
        let units = &self.units;
        let elements: u64 = units
            .ids()
            .map(|unit| u64::from(units.size(unit)) * units.members(unit).len() as u64)
            .sum();
        8.0 * elements as f64 / f64::from(self.signed.collection.len().max(1))
    }

    /// Bits in which the simhashes of an edge differ; 0 inside a unit.
    pub(crate) fn distance(&self, edge: Option<Edge>) -> u32 {
        let evidence = |edge| {
            self.signed.approach.evidence(&self.signed.collection, &self.units, edge).distance()
        };
        edge.and_then(evidence).unwrap_or(0)
    }

    /// For each document those that it matches, ascending.
    pub(crate) fn neighbours(&self) -> Neighbours {
        let mut of = vec![Vec::new(); self.signed.collection.len() as usize];
        self.each_pair(|a, b, _| {
            of[a as usize].push(b);
            of[b as usize].push(a);
        });
        of.iter_mut().for_each(|list| list.sort_unstable());
        Neighbours { of }
    }
}

/// The documents that each document matches.
pub(crate) struct Neighbours {
    of: Vec<Vec<u32>>,
}

impl Neighbours {
    /// From a list for each document, ascending.
    pub(crate) fn new(of: Vec<Vec<u32>>) -> Self {
        Self { of }
    }

    /// Those of one document, ascending, itself left out.
    pub(crate) fn of(&self, document: u32) -> &[u32] {
        &self.of[document as usize]
    }

    /// Whether two match.
    pub(crate) fn has(&self, a: u32, b: u32) -> bool {
        self.of(a).binary_search(&b).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::tests::corpus;

    #[test]
    fn clusters_and_pairs_are_those_of_documents() {
        let corpus = corpus(&["b a", "a b", "c", "a, b!", "..."]);
        let approach = approach("syntactic:filter=all", None).unwrap();
        let found = search(&corpus, approach, resemblance("0.8").unwrap(), true).unwrap();
        let clusters = found.clusters();
        assert_eq!(clusters[0], clusters[1]);
        assert_eq!(clusters[1], clusters[3]);
        assert_eq!((clusters[2], clusters[4]), (2, 4));
        assert_eq!(found.cluster_sizes().iter().filter(|&&size| size > 0).count(), 3);
        let neighbours = found.neighbours();
        assert_eq!(neighbours.of(1), [0, 3]);
        assert!(neighbours.has(3, 0) && !neighbours.has(0, 2));
        assert_eq!(found.signed.ignored(), 1);
        assert_eq!(found.signed.sizes().collect::<Vec<_>>(), [(2, 2), (2, 2), (1, 1), (2, 2)]);
    }

    #[test]
    fn common_shingles_are_counted_in_distinct_documents() {
        let corpus = corpus(&["a b c", "a b d", "a b c", "b c", "e f"]);
        let mut dsc = approach("dsc:w=2,m=1,t=0.5", None).unwrap();
        // "a b" is in two distinct documents, "b c" in two, the others in one.
        for (most, count) in [(0, 4), (1, 2), (2, 0)] {
            assert_eq!(common_shingles(&corpus, &dsc, most).unwrap().elements().len(), count);
        }
        dsc.common = Some(common_shingles(&corpus, &dsc, 1).unwrap());
        let found = search(&corpus, dsc, resemblance("0.5").unwrap(), true).unwrap();
        // Two are left without a shingle, the copies and "b c"; "a b d" and "e f" have one each.
        assert_eq!(found.signed.ignored(), 3);
        assert!(found.matches.pairs.edges.is_empty());
        assert!(common_shingles(&corpus, &approach("syntactic", None).unwrap(), 1).is_err());
    }

    #[test]
    fn unsigned_copies_do_not_match() {
        let corpus = corpus(&["one two three", "one two three"]);
        let approach = approach("dsc:w=10", None).unwrap();
        let found = search(&corpus, approach, resemblance("0.8").unwrap(), true).unwrap();
        assert_eq!(found.signed.ignored(), 2);
        assert_eq!(found.clusters(), [0, 1]);
        assert!(found.neighbours().of(0).is_empty());
    }
}
