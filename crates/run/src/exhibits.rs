//! Choice of the clusters and pairs that the report shows.

mod listing;

use crate::LookalikeError;
use crate::analysis::Analysis;
use crate::decisions::Clusters;
use crate::estimates;
use crate::second_pass::{Shown, ShownDocuments, Wanted};
pub(crate) use listing::{CLUSTERS as LISTED, MEMBERS};
use listing::{Listed, Listing, Member};
use lookalike_core::{Measure, Overlap, overlap};
use lookalike_decide::Rule;
use lookalike_engine::differences::DifferenceScratch;
use lookalike_engine::poll::Poll;
use lookalike_engine::signer::plain_text;
use lookalike_engine::try_sort::try_par_sort_unstable_by;
use lookalike_engine::{DifferenceProfile, DocumentId, EngineError, Progress, Signer};
use lookalike_io::Item;
use lookalike_io::source::VisitScratch;
use lookalike_methods::Evidence;
use lookalike_report::{
    ClusterData, ClusterExhibit, DocExhibit, DocPlace, Measures, MemberExhibit, PairDifference,
    PairExhibit, Removed, ResemblanceEstimate,
};
use std::cmp::Ordering;

/// Largest clusters shown where the page has no script.
pub(crate) const CLUSTERS: usize = 20;
/// Pairs shown side by side.
const PAIRS: usize = 12;

/// The clusters and pairs that the report shows; a function of the result.
#[derive(Default)]
pub(crate) struct Choice {
    listing: Listing,
    /// Removed documents, each shown with its kept one.
    pairs: Vec<DocumentId>,
}

impl Choice {
    /// The clusters, and removed documents spread evenly over the range of similarities.
    ///
    /// # Errors
    /// Names on disk that cannot be read; a cancellation.
    pub(crate) fn new(
        analysis: &Analysis,
        clusters: &Clusters,
        progress: &dyn Progress,
    ) -> Result<Self, EngineError> {
        let listing = Listing::new(analysis, clusters, progress)?;
        let mut near: Vec<(f64, DocumentId)> = Vec::new();
        for (document, removal) in analysis.removals() {
            // Pairs without a similarity are chosen arbitrarily.
            let value = analysis.similarity(removal.evidence).unwrap_or(0.0);
            if value < 1.0 || removal.rule > Rule::LexicallyEquivalent {
                near.push((value, document));
            }
        }
        try_par_sort_unstable_by(&mut near, |a, b| match a.0.total_cmp(&b.0) {
            Ordering::Equal => analysis.collection.compare_names(a.1, b.1),
            order => Ok(order),
        })?;
        let shown = near.len().min(PAIRS);
        let pairs = (0..shown).map(|n| near[n * (near.len() - 1) / (shown - 1).max(1)].1).collect();
        Ok(Self { listing, pairs })
    }

    /// The documents whose titles and texts are needed.
    pub(crate) fn documents(&self, analysis: &Analysis) -> Wanted {
        let partners =
            self.pairs.iter().filter_map(|&document| Some(analysis.removal(document)?.kept));
        let compared: Vec<DocumentId> = self.pairs.iter().copied().chain(partners).collect();
        let mut documents = compared.clone();
        documents.extend(self.listing.documents());
        let ordered = |mut documents: Vec<DocumentId>| {
            documents.sort_unstable();
            documents.dedup();
            documents
        };
        Wanted::new(ordered(documents), ordered(compared), self.listing.excerpt())
    }
}

/// The clusters of the list with their texts and numbers: as data, and the largest ones. Ids are
/// those of the tables; those of the largest are the shown ones.
pub(crate) fn cluster_exhibits(
    analysis: &Analysis,
    clusters: &Clusters,
    choice: &Choice,
    shown: &ShownDocuments,
    ids_repeat: bool,
    progress: &dyn Progress,
) -> Result<(ClusterData, Vec<ClusterExhibit>), LookalikeError> {
    let sources = analysis.inputs.files.iter().map(|file| file.name.clone()).collect();
    let mut data = ClusterData::new(sources, choice.listing.excerpt());
    let mut largest = Vec::new();
    for cluster in choice.listing.clusters() {
        Poll::new(progress).now()?;
        let exhibit = cluster_exhibit(analysis, clusters, &choice.listing, cluster, shown)?;
        data.push(&exhibit).map_err(LookalikeError::from)?;
        if largest.len() < CLUSTERS {
            largest.push(exhibit);
        }
    }
    for (exhibit, cluster) in largest.iter_mut().zip(choice.listing.clusters()) {
        let name = |document| -> Result<String, EngineError> {
            Ok(analysis.collection.document_name(document)?.shown(ids_repeat).to_string())
        };
        exhibit.leader.id = name(cluster.leader)?;
        for (member, listed) in exhibit.members.iter_mut().zip(choice.listing.listed(cluster)) {
            member.id = name(listed.document)?;
        }
    }
    Ok((data, largest))
}

/// A cluster with the documents that are listed; its numbers are those of all of its documents.
fn cluster_exhibit(
    analysis: &Analysis,
    clusters: &Clusters,
    listing: &Listing,
    cluster: &Listed,
    shown: &ShownDocuments,
) -> Result<ClusterExhibit, EngineError> {
    let collection = &analysis.collection;
    let named = |document| -> Result<(String, DocPlace), EngineError> {
        let lookalike_decide::DocumentName { id, record, .. } =
            collection.document_name(document)?;
        Ok((id.into_owned(), DocPlace { file: collection.file(document), record }))
    };
    let (id, place) = named(cluster.leader)?;
    let of_leader = shown.get(cluster.leader);
    let numbers = listing.members(cluster).iter().map(|&Member { document, rule, similarity }| {
        (collection.file(document), rule, similarity)
    });
    let number = clusters.number(cluster.leader).unwrap_or_default();
    let mut exhibit = cluster_numbers(number, place, numbers);
    exhibit.leader = DocExhibit {
        id,
        text: of_leader.map_or("", |shown| shown.excerpt(listing.excerpt())).to_owned(),
        cut_from: of_leader.and_then(|shown| shown.whole(listing.excerpt())),
        title: of_leader.and_then(|shown| shown.title.clone()),
        url: of_leader.and_then(|shown| shown.url.clone()),
    };
    for &Member { document, rule, similarity } in listing.listed(cluster) {
        let (id, place) = named(document)?;
        let shown = shown.get(document);
        exhibit.members.push(MemberExhibit {
            id,
            place,
            title: shown.and_then(|shown| shown.title.clone()),
            similarity,
            rule: rule.name().into(),
            text: shown.map_or("", |shown| shown.excerpt(listing.excerpt())).to_owned(),
            cut_from: shown.and_then(|shown| shown.whole(listing.excerpt())),
        });
    }
    Ok(exhibit)
}

/// The numbers of a cluster, from the file of each member but the leader, why it was removed, and its
/// similarity to the leader.
pub(crate) fn cluster_numbers(
    number: u64,
    place: DocPlace,
    members: impl Iterator<Item = (u32, Rule, Option<f64>)>,
) -> ClusterExhibit {
    let files = vec![place.file];
    let leader = ClusterExhibit { number, size: 1, least: 1.0, files, place, ..Default::default() };
    let (mut exhibit, mut values) = (leader, Vec::new());
    for (file, rule, value) in members {
        exhibit.size += 1;
        values.extend(value);
        exhibit.rules |= Removed::place_of_rule(rule.name()).map_or(0, |rule| 1 << rule);
        exhibit.files.push(file);
    }
    exhibit.least = values.iter().copied().fold(exhibit.least, f64::min);
    exhibit.mean = values.iter().fold(0.0, |sum, value| sum + value) / values.len().max(1) as f64;
    exhibit.files.sort_unstable();
    exhibit.files.dedup();
    exhibit
}

/// The pairs with their texts and numbers; incomplete if the run is cancelled.
pub(crate) fn pair_exhibits(
    analysis: &Analysis,
    choice: &Choice,
    shown: &ShownDocuments,
    ids_repeat: bool,
    progress: &dyn Progress,
) -> Result<Vec<PairExhibit>, EngineError> {
    // Shown pairs are compared by complete sets, also if the run used sketches.
    let signer = Signer::new(&analysis.settings).of_texts_alone();
    let name = |document: DocumentId| -> Result<String, EngineError> {
        Ok(analysis.collection.document_name(document)?.shown(ids_repeat).to_string())
    };
    let set = |number: DocumentId| match shown.get(number) {
        None => Ok(None),
        Some(Shown { text, cut_from: None, .. }) => Ok(Some(signer.sorted_set(text))),
        Some(_) => whole_set(analysis, &signer, number),
    };
    let document = |number: DocumentId| {
        let Shown { title, url, text, cut_from, .. } =
            shown.get(number).cloned().unwrap_or_default();
        Ok::<_, EngineError>(DocExhibit { id: name(number)?, title, url, text, cut_from })
    };
    let parts = |number: DocumentId| Some(&shown.get(number)?.compared.as_ref()?.parts);
    let difference = |removed: DocumentId, kept: DocumentId| {
        let (a, b) = (parts(removed)?, parts(kept)?);
        let found = DifferenceProfile::new(a, b, &mut DifferenceScratch::default());
        let kinds = found.kinds.iter().map(|kind| kind.name().to_owned()).collect();
        Some(PairDifference { lost: found.lost, added: found.added, kinds })
    };
    let pair = |&removed: &DocumentId| -> Result<Option<PairExhibit>, EngineError> {
        if progress.cancelled() {
            return Ok(None);
        }
        let Some(removal) = analysis.removal(removed) else { return Ok(None) };
        let counts = match removal.evidence {
            Evidence::Exact(counts) => counts,
            _ => {
                let (Some(a), Some(b)) = (set(removed)?, set(removal.kept)?) else {
                    return Ok(None);
                };
                Overlap { shared: overlap(&a, &b), a: a.len() as u32, b: b.len() as u32 }
            }
        };
        Ok(Some(PairExhibit {
            a: document(removed)?,
            b: document(removal.kept)?,
            measures: measures(counts, analysis.settings.measure == Measure::Cosine),
            estimate: estimate(analysis, removal.evidence),
            rule: removal.rule.name().into(),
            difference: difference(removed, removal.kept),
        }))
    };
    choice.pairs.iter().filter_map(|pair_of| pair(pair_of).transpose()).collect()
}

/// The feature set of a document of which only the beginning is kept: its text is read once more.
fn whole_set(
    analysis: &Analysis,
    signer: &Signer,
    document: DocumentId,
) -> Result<Option<Vec<u64>>, EngineError> {
    let Analysis { inputs, collection, .. } = analysis;
    let chunk = collection.chunk_of(document);
    let first = collection.chunk_documents(chunk).start;
    let place = {
        let row = &collection.rows(chunk)?.documents[document.offset_from(first)];
        (row.file, row.record)
    };
    let mut set = None;
    let Some(piece) = inputs.chunks_at([collection.chunk_place(chunk)]).next() else {
        return Ok(None);
    };
    let read = piece.whole().map_err(EngineError::Unreadable)?;
    let is_wanted = |file, record| (file, record) == place;
    let mut failed = None;
    read.visit_some(inputs, &mut VisitScratch::default(), &is_wanted, &mut |item| match item {
        Item::Record(record) => set = Some(signer.sorted_set(&plain_text(&record.content))),
        Item::Bad(_) => {}
        Item::Failed(failure) => failed = Some(failure.into_problem()),
    });
    failed.map_or(Ok(set), |problem| Err(EngineError::Unreadable(problem)))
}

/// The estimate from sketches for a pair, if it was decided by them.
fn estimate(analysis: &Analysis, evidence: Evidence) -> Option<ResemblanceEstimate> {
    let (low, high) = lookalike_decide::interval(evidence)?;
    let value = evidence.resemblance()?;
    estimates::are_made(&analysis.approach).then_some(ResemblanceEstimate { value, low, high })
}

/// The measures of a pair, for the report.
pub(crate) fn measures(counts: Overlap, cosine: bool) -> Measures {
    Measures {
        resemblance: counts.resemblance(),
        containment_a_in_b: counts.containment_a_in_b(),
        containment_b_in_a: counts.containment_b_in_a(),
        cosine: cosine.then(|| counts.cosine()),
        shared: counts.shared.into(),
        size_a: counts.a.into(),
        size_b: counts.b.into(),
    }
}
