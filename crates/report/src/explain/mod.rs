//! Comparison of two documents, with their shared passages and differences.
//!
//! The primary type is [`Explanation`]: it aligns the two once, and returns the result as data
//! ([`Explanation::comparison`]) or as lines for a terminal ([`Explanation::text`]). Whether the
//! threshold is reached is an input, decided by the caller from integer counts; the measures here
//! are floating-point numbers for display.

mod data;
mod layout;
mod text;

pub use data::{ComparedDocument, Comparison, Difference, SharedPassage};
pub use text::TextStyle;

use crate::human::ratio;
use crate::{
    DIFF_BOUNDS, Diff, DocExhibit, Measures, PASSAGE_BOUNDS, Passage, Passages, Segment,
    SettingsSummary, Side, Tokenize, Tokens, Vocabulary, diff, shared_passages,
};

/// Minimum length in tokens of a passage if documents are compared by terms, which have no order.
const TERMS_PASSAGE: u32 = 5;

/// Input of an explanation.
#[derive(Debug, Clone, Copy)]
pub struct Question<'t> {
    /// The one document.
    pub a: &'t DocExhibit,
    /// The other.
    pub b: &'t DocExhibit,
    /// How they compare.
    pub measures: Measures,
    /// Whether that reaches the threshold.
    pub reaches: bool,
    /// The measure with boilerplate, if that reaches the threshold and `measures` do not.
    pub with_boilerplate: Option<f64>,
    /// The settings of the comparison.
    pub settings: &'t SettingsSummary,
    /// The decision of a run about the two, in a sentence.
    pub decision: Option<&'t str>,
}

/// Two documents, aligned.
#[derive(Debug)]
pub struct Explanation<'t> {
    question: Question<'t>,
    a: Tokens<'t>,
    b: Tokens<'t>,
    diff: Diff,
    passages: Passages,
}

impl<'t> Explanation<'t> {
    /// Aligns the two.
    #[must_use]
    pub fn new(question: Question<'t>, tokenize: &Tokenize<'_>) -> Self {
        let mut vocabulary = Vocabulary::default();
        let a = vocabulary.tokens(&question.a.text, tokenize);
        let b = vocabulary.tokens(&question.b.text, tokenize);
        // Not cancellable: an alignment within these bounds takes less than a second.
        let diff = diff(a.forms(), b.forms(), DIFF_BOUNDS, &|| false).unwrap_or_default().tidied();
        let w = question.settings.shingle.unwrap_or(TERMS_PASSAGE);
        let passages = shared_passages(a.forms(), b.forms(), w as usize, PASSAGE_BOUNDS);
        Self { question, a, b, diff, passages }
    }

    /// The comparison as data.
    #[must_use]
    pub fn comparison(&self) -> Comparison {
        let Question { settings, measures, reaches, .. } = self.question;
        Comparison {
            a: document(self.question.a, &self.a),
            b: document(self.question.b, &self.b),
            measure: settings.measure.clone(),
            threshold: settings.threshold.clone(),
            features: settings.features(),
            measures,
            reaches,
            verdict: self.verdict(),
            decision: self.question.decision.map(str::to_owned),
            passages: self.passages.longest.iter().map(|&place| self.passage(place)).collect(),
            passages_found: self.passages.found,
            passages_complete: self.passages.complete,
            differences: self.differences().take(Comparison::DIFFERENCES).collect(),
            differences_found: self.changed().count() as u64,
            differences_complete: self.diff.is_complete(),
            coarse: self.diff.coarse,
        }
    }

    /// The conclusion from the measures, in a sentence.
    #[must_use]
    pub fn verdict(&self) -> String {
        let Question { a, b, settings, reaches, .. } = self.question;
        let (measure, threshold) = (&settings.measure, &settings.threshold);
        let value = ratio(self.value());
        let features = settings.features();
        let relation = if a.text == b.text {
            "Identical texts"
        } else if self.a.forms() == self.b.forms() && !self.a.is_empty() {
            "Lexically equivalent: the same tokens in the same order"
        } else if self.a.is_empty() && self.b.is_empty() && visible(&a.text).eq(visible(&b.text)) {
            "Lexically equivalent: the same characters but for white space"
        } else if reaches {
            "Near-duplicates"
        } else {
            return format!(
                "Not near-duplicates: {measure} {value} over {features} is below {threshold}."
            );
        };
        if let Some(with) = self.question.with_boilerplate {
            format!(
                "{relation}: {measure} {} over {features} with boilerplate reaches {threshold}; without it, {value}.",
                ratio(with)
            )
        } else if reaches {
            format!("{relation}: {measure} {value} over {features} reaches {threshold}.")
        } else {
            format!("{relation}, but without {features} to compare: {measure} is {value}.")
        }
    }

    /// The value of the measure that decides. Containment is that of the smaller in the larger.
    fn value(&self) -> f64 {
        let measures = &self.question.measures;
        match self.question.settings.measure.as_str() {
            "containment" => measures.containment_a_in_b.max(measures.containment_b_in_a),
            "cosine" => measures.cosine.unwrap_or(0.0),
            _ => measures.resemblance,
        }
    }

    fn passage(&self, place: Passage) -> SharedPassage {
        let in_a = place.left..place.left + place.length;
        let in_b = place.right..place.right + place.length;
        SharedPassage {
            place,
            bytes_a: self.a.bytes(in_a.clone()),
            bytes_b: self.b.bytes(in_b.clone()),
            text_a: beginning(self.a.slice(in_a)),
            text_b: beginning(self.b.slice(in_b)),
        }
    }

    /// The segments that only one document has.
    fn changed(&self) -> impl Iterator<Item = &Segment> {
        self.diff.segments.iter().filter(|segment| segment.side != Side::Both)
    }

    fn differences(&self) -> impl Iterator<Item = Difference> {
        self.changed().map(|segment| {
            let (tokens, range) = match segment.side {
                Side::Right => (&self.b, segment.right.clone()),
                _ => (&self.a, segment.left.clone()),
            };
            Difference {
                side: segment.side,
                bytes: tokens.bytes(range.clone()),
                text: beginning(tokens.slice(range)),
            }
        })
    }
}

/// The text, cut to the listed length.
fn beginning(text: &str) -> String {
    text[..text.floor_char_boundary(Comparison::TEXT)].to_owned()
}

fn document(exhibit: &DocExhibit, tokens: &Tokens<'_>) -> ComparedDocument {
    ComparedDocument {
        id: exhibit.id.clone(),
        title: exhibit.title.clone(),
        url: exhibit.url.clone(),
        bytes: exhibit.text.len() as u64,
        tokens: tokens.len() as u64,
    }
}
/// The characters but white space: what counts where there are no words.
fn visible(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().filter(|c| !c.is_whitespace())
}
