//! Choice of the clusters and pairs that the report shows.

use crate::analysis::Analysis;
use crate::decisions::Clusters;
use crate::document_columns::DocumentName;
use crate::estimates;
use crate::second_pass::{Shown, Wanted};
use lookalike_core::{Measure, Overlap, overlap};
use lookalike_engine::signer::plain_text;
use lookalike_engine::try_sort::try_par_sort_unstable_by;
use lookalike_engine::{DocumentId, EngineError, Progress, Signer};
use lookalike_io::Item;
use lookalike_io::source::VisitScratch;
use lookalike_methods::Evidence;
use lookalike_report::{
    ClusterExhibit, DocExhibit, Measures, MemberExhibit, PairExhibit, ResemblanceEstimate,
};
use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;

/// Largest clusters shown.
pub(crate) const CLUSTERS: usize = 20;
/// Members shown of each.
pub(crate) const MEMBERS: usize = 20;
/// Pairs shown side by side.
const PAIRS: usize = 12;

/// The clusters and pairs that the report shows; a function of the result.
#[derive(Default)]
pub(crate) struct Choice {
    /// Leader, and members in the order of their names.
    clusters: Vec<(DocumentId, Vec<DocumentId>)>,
    /// Removed documents, each shown with its kept one.
    pairs: Vec<DocumentId>,
}

impl Choice {
    /// The largest clusters, and removed documents spread evenly over the range of similarities.
    ///
    /// # Errors
    /// Names on disk that cannot be read.
    pub(crate) fn new(analysis: &Analysis, clusters: &Clusters) -> Result<Self, EngineError> {
        let sizes = clusters.sizes();
        let first = |number: &u32| (Reverse(sizes[*number as usize]), *number);
        let mut largest: Vec<u32> = (0..sizes.len() as u32).collect();
        if largest.len() > CLUSTERS {
            largest.select_nth_unstable_by_key(CLUSTERS, first);
            largest.truncate(CLUSTERS);
        }
        largest.sort_unstable_by_key(first);
        let leaders: Vec<DocumentId> =
            largest.iter().map(|&number| clusters.in_order()[number as usize]).collect();
        let mut members: Vec<Vec<DocumentId>> = vec![Vec::new(); leaders.len()];
        let mut near: Vec<(f64, DocumentId)> = Vec::new();
        for (document, removal) in analysis.removals() {
            if let Some(at) = leaders.iter().position(|&leader| leader == removal.kept) {
                members[at].push(document);
            }
            // Pairs without a similarity are chosen arbitrarily.
            let value = analysis.similarity(removal.evidence).unwrap_or(0.0);
            if value < 1.0 || removal.rule > lookalike_engine::Rule::LexicallyEquivalent {
                near.push((value, document));
            }
        }
        for members in &mut members {
            try_par_sort_unstable_by(members, |&a, &b| analysis.collection.compare_names(a, b))?;
        }
        let clusters = leaders.into_iter().zip(members).collect();
        try_par_sort_unstable_by(&mut near, |a, b| match a.0.total_cmp(&b.0) {
            Ordering::Equal => analysis.collection.compare_names(a.1, b.1),
            order => Ok(order),
        })?;
        let shown = near.len().min(PAIRS);
        let pairs = (0..shown).map(|n| near[n * (near.len() - 1) / (shown - 1).max(1)].1).collect();
        Ok(Self { clusters, pairs })
    }

    /// The documents whose titles and texts are needed.
    pub(crate) fn documents(&self, analysis: &Analysis) -> Wanted {
        let partners =
            self.pairs.iter().filter_map(|&document| Some(analysis.removal(document)?.kept));
        let compared: Vec<DocumentId> = self.pairs.iter().copied().chain(partners).collect();
        let mut documents = compared.clone();
        for (leader, members) in &self.clusters {
            documents.push(*leader);
            documents.extend(members.iter().take(MEMBERS));
        }
        let ordered = |mut documents: Vec<DocumentId>| {
            documents.sort_unstable();
            documents.dedup();
            documents
        };
        Wanted { documents: ordered(documents), compared: ordered(compared) }
    }
}

/// The clusters and pairs with their texts and numbers; incomplete if the run is cancelled.
pub(crate) fn exhibits(
    analysis: &Analysis,
    clusters: &Clusters,
    choice: &Choice,
    shown: &BTreeMap<DocumentId, Shown>,
    ids_repeat: bool,
    progress: &dyn Progress,
) -> Result<(Vec<ClusterExhibit>, Vec<PairExhibit>), EngineError> {
    // Shown pairs are compared by complete sets, also if the run used sketches.
    let signer = Signer::new(&analysis.settings);
    let name = |document: DocumentId| -> Result<String, EngineError> {
        Ok(DocumentName::of(&analysis.collection, document)?.shown(ids_repeat).to_string())
    };
    let set = |number: DocumentId| match shown.get(&number) {
        None => Ok(None),
        Some(Shown { text, cut_from: None, .. }) => Ok(Some(signer.sorted_set(text))),
        Some(_) => whole_set(analysis, &signer, number),
    };
    let document = |number: DocumentId| {
        let Shown { title, url, text, cut_from } = shown.get(&number).cloned().unwrap_or_default();
        Ok::<_, EngineError>(DocExhibit { id: name(number)?, title, url, text, cut_from })
    };
    let cluster = |(leader, members): &(DocumentId, Vec<DocumentId>)| {
        let removals = || members.iter().filter_map(|&m| Some((m, analysis.removal(m)?)));
        let values = || removals().filter_map(|(_, r)| analysis.similarity(r.evidence));
        Ok::<_, EngineError>(ClusterExhibit {
            number: clusters.number(*leader).unwrap_or_default(),
            size: members.len() as u64 + 1,
            least: values().fold(1.0, f64::min),
            mean: values().sum::<f64>() / values().count().max(1) as f64,
            leader: document(*leader)?,
            members: removals()
                .take(MEMBERS)
                .map(|(member, removal)| {
                    Ok(MemberExhibit {
                        id: name(member)?,
                        title: shown.get(&member).and_then(|shown| shown.title.clone()),
                        similarity: analysis.similarity(removal.evidence),
                        rule: removal.rule.name().into(),
                    })
                })
                .collect::<Result<_, EngineError>>()?,
        })
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
        }))
    };
    let clusters = choice.clusters.iter().map(cluster).collect::<Result<_, _>>()?;
    let pairs = choice.pairs.iter().filter_map(|pair_of| pair(pair_of).transpose());
    Ok((clusters, pairs.collect::<Result<_, _>>()?))
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
    let Some(Ok(read)) = inputs.chunks_at([collection.chunk_place(chunk)]).next() else {
        return Ok(None);
    };
    let is_wanted = |file, record| (file, record) == place;
    read.visit_some(inputs, &mut VisitScratch::default(), &is_wanted, &mut |item| {
        if let Item::Record(record) = item {
            set = Some(signer.sorted_set(&plain_text(&record.content)));
        }
    });
    Ok(set)
}

/// The estimate from sketches for a pair, if it was decided by them.
fn estimate(analysis: &Analysis, evidence: Evidence) -> Option<ResemblanceEstimate> {
    let (low, high) = estimates::interval(evidence)?;
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
