//! The comparison of two documents, as data and as text.

use crate::boilerplate::removed_passages;
use crate::exhibits::measures;
use crate::lookup::ReadDocument;
use crate::summarise::settings_summary;
use crate::{LookalikeError, Settings};
use lookalike_core::{CommonElements, FeatureKind, Overlap, overlap};
use lookalike_engine::differences::DifferenceScratch;
use lookalike_engine::templates::complete_reaches;
use lookalike_engine::{
    Across, Described, DifferenceProfile, DifferenceReader, MatchSettings, Progress, Signer,
};
use lookalike_io::FeatureList;
use lookalike_report::{
    AlignedPair, Comparison, DocExhibit, Explanation, Measures, PairExhibit, PairRoom, Question,
    SettingsSummary, TextStyle,
};
use lookalike_text::{AnalysisSettings, Analyzer};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// Elements that are removed from all feature sets, if any are.
pub(crate) type RemovedElements = Option<Arc<CommonElements>>;

/// Two documents and the overlap of their feature sets.
///
/// Made by [`compare`](crate::compare) and [`explain`](crate::explain). The measures are those of a
/// run with the same settings; passages and differences are computed on request.
#[derive(Debug)]
pub struct DocumentComparison {
    a: DocExhibit,
    b: DocExhibit,
    measures: Measures,
    reaches: bool,
    /// The measure with boilerplate, if the two match because of it.
    with_boilerplate: Option<f64>,
    settings: SettingsSummary,
    analysis: AnalysisSettings,
    /// Whether the texts are lines of ready-made features.
    is_features: bool,
    decision: Option<String>,
}

impl DocumentComparison {
    pub(crate) fn new(
        documents: [ReadDocument; 2],
        settings: &Settings,
        (common, boilerplate): (RemovedElements, RemovedElements),
        decision: Option<String>,
    ) -> Result<Self, LookalikeError> {
        let apart = apart([&documents[0], &documents[1]], settings)?;
        let separated = apart.is_some();
        let said: Vec<String> = decision.into_iter().chain(apart).collect();
        let decision = (!said.is_empty()).then(|| said.join(" "));
        let [a, b] = documents.map(|document| document.exhibit);
        let complete = settings.matching()?;
        let features = complete.features;
        let matching = MatchSettings { common, boilerplate, ..complete.clone() };
        let signer = Signer::new(&matching).of_texts_alone();
        let is_features = settings.fields.features.is_some();
        let read = |text: &str| match is_features {
            true => signer.sorted_feature_set(&FeatureList::of_lines(text)),
            false => (signer.sorted_set(text), signer.sequence(text)),
        };
        let ((set_a, sequence_a), (set_b, sequence_b)) = (read(&a.text), read(&b.text));
        let shared = overlap(&set_a, &set_b);
        let counts = Overlap { shared, a: set_a.len() as u32, b: set_b.len() as u32 };
        // Documents below min_features are duplicates only of documents of the same words.
        let few = |size: u32| size > 0 && matching.excludes(size);
        let excluded = (few(counts.a) || few(counts.b)) && sequence_a != sequence_b;
        let decision = decision.map(|decision| match excluded {
            false => decision,
            true => format!(
                "{decision} Documents with fewer than {} features are compared only with documents of the \
                 same words (the setting min_features); these have {} and {}.",
                settings.least_features(),
                counts.a,
                counts.b
            ),
        });
        // Containment is that of the smaller in the larger.
        let (mut smaller_first, mut with_boilerplate) = (counts, None);
        let mut decision = decision;
        if let Some(boilerplate) = &matching.boilerplate {
            let complete = MatchSettings { boilerplate: None, ..matching.clone() };
            let signer = Signer::new(&complete).of_texts_alone();
            let (set_a, set_b) = (signer.sorted_set(&a.text), signer.sorted_set(&b.text));
            let shared = overlap(&set_a, &set_b);
            let whole = Overlap { shared, a: set_a.len() as u32, b: set_b.len() as u32 };
            let about = about_boilerplate([&a, &b], whole, boilerplate, settings, features);
            decision = Some(decision.into_iter().chain([about]).collect::<Vec<_>>().join(" "));
            with_boilerplate = Some(whole);
        }
        let swaps = counts.a > counts.b;
        if swaps {
            smaller_first = counts.swapped();
            with_boilerplate = with_boilerplate.map(Overlap::swapped);
        }
        let criterion = matching.criterion();
        // A pair may match with its boilerplate.
        with_boilerplate = with_boilerplate.filter(|&whole| {
            !criterion.reaches(smaller_first)
                && matching.join_criterion().reaches(smaller_first)
                && complete_reaches(criterion, smaller_first, whole)
        });
        Ok(Self {
            measures: measures(counts, true),
            reaches: !(excluded || separated)
                && shared > 0
                && (criterion.reaches(smaller_first) || with_boilerplate.is_some()),
            with_boilerplate: with_boilerplate.map(|whole| settings.measure.value(whole)),
            settings: settings_summary(settings),
            analysis: settings.analysis.clone(),
            is_features,
            a: if is_features { as_set(a) } else { a },
            b: if is_features { as_set(b) } else { b },
            decision,
        })
    }

    /// The comparison as data.
    #[must_use]
    pub fn comparison(&self) -> Comparison {
        self.explained(|explanation| explanation.comparison())
    }

    /// The comparison as lines for a terminal.
    #[must_use]
    pub fn text(&self, style: &TextStyle) -> String {
        self.explained(|explanation| explanation.text(style))
    }

    /// The texts side by side, for a page of their own.
    ///
    /// # Errors
    /// The alignment was cancelled.
    pub fn aligned(&self, progress: &dyn Progress) -> Result<AlignedPair, LookalikeError> {
        let pair = PairExhibit {
            a: self.a.clone(),
            b: self.b.clone(),
            measures: self.measures,
            ..PairExhibit::default()
        };
        let (room, cancelled) = (PairRoom::ALONE, || progress.cancelled());
        let analyzer = Analyzer::new(&self.analysis);
        let aligned = match self.is_features {
            true => AlignedPair::within(room, &pair, &self.settings, &lines, &cancelled),
            false => {
                AlignedPair::within(room, &pair, &self.settings, &located(&analyzer), &cancelled)
            }
        };
        Ok(aligned?)
    }

    /// What differs: the names of the kinds, and how many words of each document the other lacks.
    #[must_use]
    pub fn profile(&self) -> DifferenceProfile {
        let reader = DifferenceReader::new(&self.analysis);
        let mut scratch = DifferenceScratch::default();
        let [a, b] = [&self.a, &self.b]
            .map(|document| reader.parts(&document.text, document.title.as_deref(), &mut scratch));
        DifferenceProfile::new(&a, &b, &mut scratch)
    }

    fn explained<R>(&self, show: impl FnOnce(&Explanation<'_>) -> R) -> R {
        let question = Question {
            a: &self.a,
            b: &self.b,
            measures: self.measures,
            reaches: self.reaches,
            with_boilerplate: self.with_boilerplate,
            settings: &self.settings,
            decision: self.decision.as_deref(),
        };
        let analyzer = Analyzer::new(&self.analysis);
        match self.is_features {
            true => show(&Explanation::new(question, &lines)),
            false => show(&Explanation::new(question, &located(&analyzer))),
        }
    }
}

/// Why two documents do not match, whatever their words have in common.
fn apart(
    documents: [&ReadDocument; 2],
    settings: &Settings,
) -> Result<Option<String>, LookalikeError> {
    let mut said = Vec::new();
    if documents[0].beside.attachments != documents[1].beside.attachments {
        said.push(
            "The messages have different attachments, or one has none: they do not match, whatever \
             their texts have in common (the setting mail_attachments)."
                .to_owned(),
        );
    }
    let values =
        |number: usize, name: &str| documents[number].values_of(name).map(str::to_owned).collect();
    let described = documents.map(|document| Described {
        text: &document.exhibit.text,
        title: document.title.as_deref(),
    });
    let distinct = settings.distinctions()?;
    let found = distinct.map(|distinct| distinct.differences(described, values));
    let found = found.filter(|found| !found.is_empty());
    said.extend(found.map(|found| format!("Kept apart: {}.", found.join("; "))));
    said.extend(settings.across().and_then(|across| same_value(documents, &across)));
    Ok((!said.is_empty()).then(|| said.join(" ")))
}

/// A sentence for documents of the same value, where only those of different values match.
fn same_value(documents: [&ReadDocument; 2], across: &Across) -> Option<String> {
    let values = documents.map(|document| match across.field() {
        None => BTreeSet::from([document.argument.as_str()]),
        Some(name) => document.values_of(name).collect(),
    });
    let [of_a, of_b] = &values;
    (of_a == of_b).then(|| {
        let shown: Vec<&str> = of_a.iter().copied().collect();
        let shown = if shown.is_empty() { "none".to_owned() } else { shown.join(", ") };
        format!("Same value of {across} ({shown}): not compared.")
    })
}

/// The features as a set, in order: the differences of two are the features that one of them has.
fn as_set(document: DocExhibit) -> DocExhibit {
    let mut lines: Vec<&str> = document.text.split_terminator('\n').collect();
    lines.sort_unstable();
    lines.dedup();
    let text = lines.iter().flat_map(|line| [line, "\n"]).collect();
    DocExhibit { text, ..document }
}

/// Each line is a token: a ready-made feature.
pub(crate) fn lines(text: &str, emit: &mut Emit<'_>) {
    let mut start = 0;
    for line in text.split_terminator('\n') {
        emit(line, start..start + line.len());
        start += line.len() + 1;
    }
}

/// Removed passages that are named of each document.
const PASSAGES: usize = 5;

/// What was removed of two documents as boilerplate, and how similar they are with it.
fn about_boilerplate(
    documents: [&DocExhibit; 2],
    whole: Overlap,
    boilerplate: &CommonElements,
    settings: &Settings,
    features: FeatureKind,
) -> String {
    let analyzer = Analyzer::new(&settings.analysis);
    let passages = documents.map(|document| {
        removed_passages(&document.text, boilerplate, &analyzer, features)
            .into_iter()
            .map(|passage| format!("“{passage}”"))
            .collect::<Vec<_>>()
    });
    let passages = passages.map(|mut passages| {
        let more = passages.len().saturating_sub(PASSAGES);
        passages.truncate(PASSAGES);
        passages.extend((more > 0).then(|| format!("and {more} more passages")));
        passages
    });
    let named = |document: &DocExhibit, passages: &[String]| match passages {
        [] => format!("of {} nothing", document.id),
        passages => format!("of {} {}", document.id, passages.join(", ")),
    };
    let removed = match &passages {
        [a, b] if a == b && !a.is_empty() => format!("of both {}", a.join(", ")),
        [a, b] => format!("{}; {}", named(documents[0], a), named(documents[1], b)),
    };
    let what = match settings.ignore_text.is_empty() {
        true => "Removed as boilerplate",
        false => "Ignored, as given texts have it (ignore_text)",
    };
    format!("{what}: {removed}. With it, the resemblance of the two is {:.4}.", whole.resemblance())
}

/// Receives tokens and their byte ranges.
type Emit<'e> = dyn FnMut(&str, Range<usize>) + 'e;

/// Adapts the analyser to the report's tokeniser type.
pub fn located(analyzer: &Analyzer) -> impl Fn(&str, &mut Emit<'_>) + '_ {
    |text, emit| analyzer.located_tokens(text, emit)
}
