//! The numbers of `summary.json`.
//!
//! Counts of documents are taken from the earlier summary; counts that depend on the pairs are
//! recomputed.

use super::answer::Answer;
use super::tables::Written;
use crate::memory;
use crate::recorded_run::output;
use crate::summarise::{NO_REPORT, count_clusters, count_of, settings_summary};
use lookalike_report::{Pairs, Phase, Removed, Run, SettingsSummary, SimilarityHistogram, Summary};
use serde_json::{json, to_value};
use std::collections::BTreeMap;
use std::time::Instant;

pub(super) fn summarise(answer: &Answer<'_>, written: &Written, started: Instant) -> Summary {
    let Answer { job, earlier, settings, edges, .. } = answer;
    let mut summary = earlier.summary.clone();
    summary.command = "recluster".into();
    summary.settings = recorded_settings(answer);
    summary.keep_values.retain(|values| settings.keep.contains(&values.rule));
    let unknown = count_removals(answer, &mut summary);
    summary.candidates = edges.all.len() as u64;
    summary.verified = 0;
    // The tables do not have the values of documents.
    summary.across = None;
    summary.pairs = Pairs { listed: written.pairs, complete: true };
    summary.digest.clone_from(&written.digest);
    summary.documents_digest = Some(written.documents_digest.clone());
    summary.outputs = written.tables.iter().map(output).collect();
    summary.warnings = summary.find_warnings();
    if unknown > 0 {
        summary.warnings.push(format!(
            "{unknown} of the documents in clusters are joined to their leader through others and make no pair \
             with it in the table that was reclustered: how similar the two are is not known, and the table \
             of clusters leaves it empty."
        ));
    }
    let seconds = started.elapsed().as_secs_f64();
    summary.run = Some(Run {
        directory: crate::recorded_run::working_directory(),
        command_line: job.command.clone(),
        threads: 1,
        seconds,
        phases: vec![Phase { name: "reclustering".into(), seconds, ..Phase::default() }],
        peak_memory_bytes: memory::peak(),
        ..Run::default()
    });
    summary
}

/// The settings of a run over the documents with this result, and those of the run that was
/// reclustered: the documents were not read.
fn recorded_settings(answer: &Answer<'_>) -> SettingsSummary {
    let Answer { job, earlier, settings, .. } = answer;
    let mut recorded = settings_summary(settings);
    let other = &mut recorded.other;
    other.insert(
        "job".into(),
        json!({
            "settings": to_value(settings).unwrap_or_default(),
            "inputs": earlier.inputs,
            "against": [],
            "against_only": false,
        }),
    );
    if !job.report {
        other.insert(NO_REPORT.into(), json!(true));
    }
    other.insert(
        "reclustered_from".into(),
        json!({
            "digest": earlier.summary.digest,
            "measure": earlier.settings.measure,
            "threshold": earlier.settings.threshold,
            "linkage": earlier.settings.linkage(),
            "witness": earlier.settings.witness,
        }),
    );
    recorded
}

/// Counts duplicates and clusters; returns the number of duplicates of unknown similarity.
fn count_removals(answer: &Answer<'_>, summary: &mut Summary) -> u64 {
    let Answer { settings, documents, standing, .. } = answer;
    let threshold = settings.matching().map_or(0.0, |matching| matching.threshold.as_f64());
    summary.histogram_similarity = SimilarityHistogram::new(threshold);
    summary.removed = Removed::default();
    let mut sizes: BTreeMap<u32, u64> = BTreeMap::new();
    let mut unknown = 0;
    // Documents are numbered in the order of the inputs.
    let ends = summary.inputs.iter().scan(0, |end, input| {
        *end += input.documents;
        Some(*end)
    });
    let ends: Vec<u64> = ends.collect();
    summary.inputs.iter_mut().for_each(|input| input.removed = 0);
    for (document, removal) in standing.removals() {
        *sizes.entry(removal.kept).or_insert(1) += 1;
        match removal.value {
            Some(value) => summary.histogram_similarity.add(value),
            None => unknown += 1,
        }
        *count_of(&mut summary.removed, removal.rule) += 1;
        let place = u64::from(documents.rows[document as usize].place);
        if let Some(input) = summary.inputs.get_mut(ends.partition_point(|&end| end < place)) {
            input.removed += 1;
        }
    }
    for input in &mut summary.inputs {
        input.kept = input.documents.saturating_sub(input.removed);
    }
    summary.kept = summary.documents.saturating_sub(summary.removed.total());
    count_clusters(summary, sizes.into_values());
    unknown
}
