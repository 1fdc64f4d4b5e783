//! Texts and table rows of the evaluation page.

use super::data::{Evaluation, MethodResult};
use crate::clean::{self, LONG};
use crate::human::{bytes, count, counted, duration, ratio, share};

/// One method in the table.
#[derive(Debug)]
pub(super) struct MethodRow {
    pub(super) number: usize,
    pub(super) name: String,
    pub(super) recall: String,
    pub(super) precision: String,
    pub(super) mean_recall: String,
    pub(super) mean_precision: String,
    pub(super) pairs: String,
    pub(super) clusters: String,
    pub(super) pure: String,
    pub(super) average: String,
    pub(super) ignored: String,
    pub(super) reasons: String,
    pub(super) keys: String,
    pub(super) sketch: String,
    pub(super) false_matches: String,
    pub(super) utility: String,
    pub(super) signing: String,
    pub(super) joining: String,
}

const NONE: &str = "–";

fn number(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| NONE.to_owned(), |value| format!("{value:.decimals$}"))
}

fn ratio_or_none(value: Option<f64>) -> String {
    value.map_or_else(|| NONE.to_owned(), ratio)
}

pub(super) fn rows(evaluation: &Evaluation) -> Vec<MethodRow> {
    let times = |at: usize| evaluation.run.as_ref().and_then(|run| run.methods.get(at)).copied();
    let row = |(at, result): (usize, &MethodResult)| {
        let (clusters, ignored, classes) = (result.clusters, result.ignored, result.classes);
        let each = result.bytes_per_document();
        let reasons = [
            (ignored.no_words, "no words"),
            (ignored.too_short, "too short"),
            (ignored.nothing_selected, "no term selected"),
            (ignored.only_common, "only common shingles"),
            (ignored.few_features, "few features"),
        ];
        let reasons = reasons.iter().filter(|(documents, _)| *documents > 0);
        let reasons: Vec<String> =
            reasons.map(|(documents, why)| format!("{why}: {}", count(*documents))).collect();
        MethodRow {
            number: at + 1,
            name: clean::line(&result.method, LONG),
            recall: ratio_or_none(result.recall),
            precision: ratio_or_none(result.precision),
            mean_recall: ratio_or_none(result.mean_recall),
            mean_precision: ratio_or_none(result.mean_precision),
            pairs: count(result.pairs),
            clusters: count(clusters.clusters),
            pure: clusters.pure.map_or(NONE.into(), |pure| share(pure, clusters.clusters)),
            average: number(clusters.average_size(), 1),
            ignored: count(ignored.total()),
            reasons: reasons.join("; "),
            keys: number(each.map(|(keys, _)| keys), 0),
            sketch: number(each.map(|(_, sketch)| sketch), 0),
            false_matches: classes.map_or(NONE.into(), |classes| count(classes.false_matches)),
            utility: number(classes.and_then(|classes| classes.mean_utility), 2),
            signing: times(at).map_or(NONE.into(), |times| duration(times.signing)),
            joining: times(at).map_or(NONE.into(), |times| duration(times.joining)),
        }
    };
    evaluation.methods.iter().enumerate().map(row).collect()
}

pub(super) fn headline(evaluation: &Evaluation) -> String {
    format!(
        "{} measured on {}",
        counted(evaluation.methods.len() as u64, "method"),
        counted(evaluation.documents, "document")
    )
}

pub(super) fn lead(evaluation: &Evaluation) -> String {
    let truth = &evaluation.truth;
    let pairs = counted(truth.pairs, "true pair");
    if let Some(labels) = &truth.labels {
        return format!(
            "Measured against {pairs} from the labels in {}.",
            clean::line(labels, LONG)
        );
    }
    let settings = &evaluation.settings;
    let criterion = format!(
        "{} of at least {} over {}",
        clean::line(&settings.measure, LONG),
        clean::line(&settings.threshold, LONG),
        settings.features()
    );
    let whose = match truth.sample {
        None => "all pairs of this collection".to_owned(),
        Some(sample) => format!(
            "all pairs of {} drawn at random (seed {})",
            counted(sample.documents, "document"),
            sample.seed
        ),
    };
    format!("Measured against {pairs}: {whose} with a {criterion}, computed exactly.")
}

/// Notes on the limits of the numbers.
pub(super) fn notes(evaluation: &Evaluation) -> Vec<String> {
    let truth = &evaluation.truth;
    let mut notes = Vec::new();
    if truth.pairs == 0 {
        notes.push("There is no true pair, so recall is undefined.".to_owned());
    }
    if evaluation.problems > 0 {
        let what = counted(evaluation.problems, "record or file");
        notes.push(format!("Unreadable and left out: {what}."));
    }
    if truth.labels_without_document > 0 {
        let names = counted(truth.labels_without_document, "name");
        notes.push(format!("In the labels but not in the collection: {names}."));
    }
    if let Some(different) = truth.different {
        notes.push(format!(
            "Only judged pairs count: {} labelled the same and {} labelled different. A pair that is found \
             and has no label is neither right nor wrong.",
            counted(truth.pairs, "pair"),
            count(different)
        ));
    }
    if truth.sample.is_some() {
        notes.push(
            "Recall is estimated from the pairs of the sampled documents. Pairs of one document are not \
             independent: if few documents have most of the pairs, the intervals are too narrow."
                .to_owned(),
        );
    }
    if let Some(classes) = &truth.classes {
        let unknown = match classes.without_document {
            0 => String::new(),
            names => format!(" {} of the file have no document.", counted(names, "name")),
        };
        notes.push(format!(
            "Classes: {} of spam, {} legitimate, {} of neither. Cost of losing a legitimate one: {}.{unknown}",
            counted(classes.spam, "document"),
            count(classes.legit),
            count(classes.unclassified),
            count(classes.cost)
        ));
    }
    notes
}

/// The caption of a plot of recall by similarity.
pub(super) fn decile_note(result: &MethodResult, sought: f64) -> String {
    let shown = result.deciles.iter().filter(|decile| decile.reaches(sought));
    let pairs: u64 = shown.map(|decile| decile.pairs).sum();
    match result.theory.is_empty() {
        true => format!("Of {}.", counted(pairs, "known pair")),
        false => {
            format!("Of {}. Dashed: theory, for the keys alone.", counted(pairs, "known pair"))
        }
    }
}

pub(super) fn settings(evaluation: &Evaluation) -> Vec<(String, String)> {
    let (settings, truth) = (&evaluation.settings, &evaluation.truth);
    let mut rows = vec![
        ("measure".to_owned(), settings.measure.clone()),
        ("threshold".to_owned(), settings.threshold.clone()),
        ("features".to_owned(), settings.features()),
        ("normalisation".to_owned(), settings.normalize.clone()),
        ("short documents".to_owned(), settings.short_documents.clone()),
        ("analysis".to_owned(), settings.analysis.clone()),
        ("hash".to_owned(), settings.hash.clone()),
    ];
    if let Some(terms) = &settings.terms {
        rows.push(("terms".to_owned(), terms.clone()));
    }
    if let Some(least) = settings.min_features {
        rows.push(("min features".to_owned(), least.to_string()));
    }
    if let Some(from) = &truth.listed_from {
        rows.push(("pairs listed from".to_owned(), from.clone()));
    }
    rows.into_iter().map(|(name, value)| (name, clean::line(&value, LONG))).collect()
}

pub(super) fn machine(evaluation: &Evaluation) -> String {
    let Some(run) = &evaluation.run else { return String::new() };
    let memory = match run.peak_memory_bytes {
        None => String::new(),
        Some(memory) => format!(", at most {} of memory", bytes(memory)),
    };
    format!(
        "{}{memory}; {} in all, {} of them for the truth",
        counted(run.threads, "thread"),
        duration(run.seconds),
        duration(run.truth_seconds)
    )
}
