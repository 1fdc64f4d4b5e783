//! The numbers of `summary.json`.

use crate::analysis::Analysis;
use crate::approach::{LexiconUsed, checksum_name};
use crate::decisions::Clusters;
use crate::settings::DEFAULT_KEEP_N;
use crate::{DEFAULT_MIN_TERMS, Job, Settings, skipped_files};
use lookalike_core::CommonElements;
use lookalike_decide::Rule;
use lookalike_engine::{Collection, DocumentId, EngineError, Linkage};
use lookalike_methods::Unsigned;
use lookalike_report::{
    Action, Confusables, Features, FewTerms, InputSummary, Pairs, Removed, SettingsSummary,
    SimilarityHistogram, SizeHistogram, Summary, Tool, WithoutFeatures,
};
use lookalike_text::{Case, Tokens};
use rayon::prelude::*;
use serde_json::{Map, json, to_value};
use std::collections::BTreeMap;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

/// Counts all values that are a function of documents and settings.
pub(crate) fn summarise(
    job: &Job,
    action: Action,
    analysis: &Analysis,
    clusters: &Clusters,
) -> Result<Summary, EngineError> {
    let Analysis { collection, settings, matches, units, .. } = analysis;
    let own = |document: DocumentId| !collection.is_protected(document);
    let mut removed = Removed::default();
    let mut similarity = SimilarityHistogram::new(settings.threshold.as_f64());
    let mut inputs = input_summaries(analysis);
    for (_, removal) in analysis.removals() {
        if let Some(value) = analysis.similarity(removal.evidence) {
            similarity.add(value);
        }
    }
    analysis.for_each_removed(|document, removal| {
        *count_of(&mut removed, removal.rule) += 1;
        inputs[collection.file(document) as usize].removed += 1;
    });
    for input in &mut inputs {
        input.kept = input.documents - input.removed;
    }
    inputs.truncate(collection.first_protected_file as usize);

    let documents = collection.documents().filter(|&d| own(d)).count() as u64;
    // If fewer terms suffice than by default, documents below the default are counted.
    let few = if job.settings.shingle_size().is_none() { DEFAULT_MIN_TERMS } else { 0 };
    let Counted { tokens, text_bytes, without, few_terms, duplicate_ids } = count(collection, few)?;
    let mut summary = Summary {
        tool: Tool::lookalike(),
        command: if action == Action::List { "cluster".into() } else { "dedup".into() },
        action,
        settings: settings_of_run(job, analysis),
        inputs,
        documents,
        kept: documents - removed.total(),
        removed,
        without_features: without,
        few_terms: (few_terms > 0)
            .then_some(FewTerms { fewer_than: few.into(), documents: few_terms }),
        confusables: collection.replaced().map(|replaced| Confusables {
            documents: replaced.documents,
            mixed_scripts: replaced.mixed,
        }),
        duplicate_ids,
        keep_values: analysis.keep_values.clone(),
        problems: collection.problems.count(),
        unreadable_inputs: collection.problems.unreadable().count() as u64,
        skipped_files: analysis.inputs.skipped.len() as u64,
        skipped_kinds: skipped_files::kinds(&analysis.inputs.skipped),
        mostly_skipped: skipped_files::mostly_skipped(&analysis.inputs),
        left_out: skipped_files::left_out(&analysis.inputs.left_out),
        pairs: Pairs { listed: 0, complete: matches.pairs.complete },
        candidates: matches.candidates,
        verified: matches.verified,
        keys_ignored: matches.keys_ignored,
        common_features: removed_elements(&settings.common),
        common_method_shingles: removed_elements(&analysis.approach.common),
        boilerplate: analysis.boilerplate.clone(),
        ignored_texts: analysis.ignored.clone(),
        tokens,
        features: Features {
            total: units.ids().map(|unit| u64::from(units.size(unit))).sum(),
            distinct_approximately: None,
        },
        text_bytes,
        histogram_similarity: similarity,
        ..Summary::default()
    };
    count_clusters(&mut summary, clusters.sizes().iter().map(|&size| size.into()));
    Ok(summary)
}

/// Counts the clusters, by the number of documents of each.
pub(crate) fn count_clusters(summary: &mut Summary, sizes: impl IntoIterator<Item = u64>) {
    (summary.clusters, summary.documents_in_clusters, summary.largest_cluster) = (0, 0, 0);
    summary.histogram_cluster_size = SizeHistogram::default();
    for size in sizes {
        summary.histogram_cluster_size.add(size);
        summary.clusters += 1;
        summary.documents_in_clusters += size;
        summary.largest_cluster = summary.largest_cluster.max(size);
    }
}

/// Number of elements that are removed from all sets.
fn removed_elements(common: &Option<Arc<CommonElements>>) -> u64 {
    common.as_ref().map_or(0, |common| common.elements().len() as u64)
}

/// The count of documents removed by a rule.
pub(crate) fn count_of(removed: &mut Removed, rule: Rule) -> &mut u64 {
    match rule {
        Rule::Identical => &mut removed.identical,
        Rule::LexicallyEquivalent => &mut removed.lexically_equivalent,
        Rule::FeatureEquivalent => &mut removed.feature_equivalent,
        Rule::Near => &mut removed.near,
        Rule::Sketch => &mut removed.sketch,
        Rule::Key => &mut removed.key,
        Rule::Component => &mut removed.component,
        Rule::Dropped => &mut removed.dropped,
    }
}

fn input_summaries(analysis: &Analysis) -> Vec<InputSummary> {
    let Analysis { inputs, collection, .. } = analysis;
    let name = |value: serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let mut summaries: Vec<InputSummary> = inputs
        .files
        .iter()
        .zip(collection.file_starts.windows(2))
        .map(|(file, bounds)| InputSummary {
            name: file.name.clone(),
            format: name(json!(file.format)),
            compression: (file.compression != lookalike_io::Compression::None)
                .then(|| name(json!(file.compression))),
            bytes: file.size,
            documents: u64::from(bounds[1] - bounds[0]),
            kept: 0,
            removed: 0,
            problems: 0,
            unreadable: false,
            skipped_records: BTreeMap::new(),
        })
        .collect();
    for (file, count) in collection.problems.counts() {
        summaries[file as usize].problems = count;
    }
    for (file, skipped) in &collection.skipped {
        let kinds = skipped.iter().map(|(kind, records)| (kind.to_owned(), records));
        summaries[*file as usize].skipped_records = kinds.collect();
    }
    for file in collection.problems.unreadable() {
        summaries[file as usize].unreadable = true;
    }
    summaries
}

/// The settings, with the checksum of the document frequencies that were used, and, under `job`,
/// what `explain` reads back.
fn settings_of_run(job: &Job, Analysis { lexicon, ignored, .. }: &Analysis) -> SettingsSummary {
    let (lexicon, mut of_run) = (*lexicon, job.settings.clone());
    of_run.ignore_text = recorded(&of_run.ignore_text);
    of_run.min_features = Some(of_run.least_features());
    of_run.formats = of_run.formats.recorded();
    if let Some(method) = &mut of_run.method {
        method.lexicon_checksum = lexicon.map(|lexicon| checksum_name(lexicon.checksum));
    }
    let mut settings = settings_summary(&of_run);
    if !job.report {
        settings.other.insert(NO_REPORT.into(), json!(true));
    }
    if job.add_counts {
        settings.other.insert(ADD_COUNTS.into(), json!(true));
    }
    if let Some(length) = job.passages {
        settings.other.insert(PASSAGES.into(), json!(length));
    }
    if let Some(LexiconUsed { documents, .. }) = lexicon {
        settings.other.insert("lexicon_documents".into(), json!(documents));
    }
    settings.other.insert(
        "job".into(),
        json!({
            "settings": to_value(&of_run).unwrap_or_default(),
            "inputs": recorded(&job.inputs),
            "against": recorded(&job.against),
            "against_only": job.against_only,
            "ignored_texts": ignored.as_ref().map(|found| &found.checksum),
        }),
    );
    settings
}

/// Arguments as results record them: URLs without what may be secret.
pub(crate) fn recorded(arguments: &[String]) -> Vec<String> {
    arguments.iter().map(|argument| lookalike_io::recorded_url(argument)).collect()
}

/// Name of the setting in a summary for a run whose kept documents have counts.
pub(crate) const ADD_COUNTS: &str = "add_counts";

/// Name of the setting in a summary for the fewest words of passages that are cut out of what is kept.
pub(crate) const PASSAGES: &str = "passages";

/// Name of the setting in a summary for a run without a report.
pub const NO_REPORT: &str = "no_report";

/// The settings for display.
pub fn settings_summary(settings: &Settings) -> SettingsSummary {
    let name = |value: serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    SettingsSummary {
        measure: settings.measure.name().into(),
        threshold: settings.threshold.clone(),
        shingle: settings.shingle_size(),
        unit: name(json!(settings.analysis.unit)),
        terms: settings.shingle_size().is_none().then(|| name(json!(settings.terms))),
        normalize: name(json!(settings.analysis.normalize)),
        short_documents: name(json!(settings.short_documents)),
        min_features: Some(settings.least_features()).filter(|&least| least > 1),
        keep: settings.keep.clone(),
        linkage: name(json!(settings.linkage())),
        witness: (settings.linkage() == Linkage::Leaders).then(|| settings.witness.name().into()),
        analysis: lookalike_text::ANALYSIS_NAME.into(),
        tokens: settings
            .analysis
            .tokens
            .filter(|&tokens| tokens != Tokens::Words)
            .map(|tokens| name(json!(tokens))),
        case: (settings.analysis.case != Case::Fold).then(|| name(json!(settings.analysis.case))),
        hash: lookalike_core::HASH_NAME.into(),
        other: method_settings(settings),
    }
}

/// The method, if it is not the exact join, and the elements removed from sets.
fn method_settings(settings: &Settings) -> Map<String, serde_json::Value> {
    let mut other = Map::new();
    if settings.keep_n != DEFAULT_KEEP_N {
        other.insert("keep_n".into(), json!(settings.keep_n));
    }
    if let Some(least) = &settings.contained_only {
        other.insert("contained_only".into(), json!(least));
    }
    if let Some(most) = settings.max_lost {
        other.insert("max_lost".into(), json!(most));
    }
    if !settings.distinct_by.is_empty() {
        other.insert("distinct_by".into(), json!(settings.distinct_by));
    }
    if let Some(most) = settings.ignore_common {
        other.insert("ignore_common".into(), json!(most));
    }
    if let Some(limit) = settings.boilerplate {
        other.insert("boilerplate".into(), json!(limit));
    }
    if let Some(field) = &settings.label_field {
        other.insert("label_field".into(), json!(field));
    }
    if let Some(field) = &settings.separate_by {
        other.insert("separate_by".into(), json!(field));
    }
    if !settings.ignore_text.is_empty() {
        other.insert("ignore_text".into(), json!(settings.ignore_text));
    }
    if let Some(value) = &settings.across {
        other.insert("across".into(), json!(value));
    }
    if let Some(field) = &settings.site_field {
        other.insert("site_field".into(), json!(field));
    }
    if let Some(method) = &settings.method {
        other.insert("method".into(), json!(method.spec));
        other.insert("verify".into(), json!(method.verify));
        if let Some(lexicon) = &method.lexicon {
            other.insert("lexicon".into(), json!(lexicon));
        }
        if let Some(checksum) = &method.lexicon_checksum {
            other.insert("lexicon_checksum".into(), json!(checksum));
        }
        if let Some(limit) = method.key_limit {
            other.insert("key_limit".into(), json!(limit));
        }
    }
    other
}

/// Counts over the rows of all documents.
#[derive(Default)]
struct Counted {
    tokens: u64,
    text_bytes: u64,
    /// Documents without features, protected ones excluded.
    without: WithoutFeatures,
    /// Documents that are compared by fewer terms than the default, protected ones excluded.
    few_terms: u64,
    /// Documents with the name of an earlier one.
    duplicate_ids: u64,
}

/// Counts documents, and those that are compared by fewer than `few` elements.
fn count(collection: &Collection, few: u32) -> Result<Counted, EngineError> {
    let mut counted = Counted::default();
    let mut names = Vec::with_capacity(collection.len() as usize);
    collection.pass(
        |_| true,
        |documents, rows| {
            let (mut chunk, mut names) = (Counted::default(), Vec::with_capacity(documents.len()));
            for (number, document) in documents.clone().zip(&rows.documents) {
                chunk.tokens += u64::from(document.tokens);
                chunk.text_bytes += document.text_bytes;
                let without = &mut chunk.without;
                match (collection.unsigned_row(document), collection.is_signed(document)) {
                    _ if collection.is_protected(number) => {}
                    (None, _) => {
                        let has_few = (1..few).contains(&collection.set_size(document));
                        chunk.few_terms += u64::from(has_few);
                    }
                    (Some(Unsigned::FewFeatures), _) => without.few_features += 1,
                    (Some(Unsigned::Empty), _) => without.no_words += 1,
                    (Some(Unsigned::TooShort), false) => without.under_one_shingle += 1,
                    (Some(Unsigned::TooShort), true) => without.too_short_for_the_method += 1,
                    (Some(Unsigned::NothingSelected), _) => without.nothing_selected += 1,
                    (Some(Unsigned::OnlyCommon), _) => without.only_common += 1,
                }
            }
            collection.names_in(documents, rows, &mut |_, name| {
                names.push(xxh3_128(name.as_bytes()));
            });
            (chunk, names)
        },
        |(chunk, more)| {
            counted.tokens += chunk.tokens;
            counted.text_bytes += chunk.text_bytes;
            counted.without += chunk.without;
            counted.few_terms += chunk.few_terms;
            names.extend(more);
        },
    )?;
    names.par_sort_unstable();
    counted.duplicate_ids = names.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64;
    Ok(counted)
}
