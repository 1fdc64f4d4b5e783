//! The prototypes that a message matches.

use super::super::open::Analysis;
use super::options::{By, Way};
use super::score::Score;
use crate::LookalikeError;
use lookalike_core::TokenDigest;
use lookalike_index::{
    Ask, AskOptions, Cost, DocAt, DocumentView, LiveSegment, QueryScratch, QuerySet, Question,
    SignatureView, Snapshot,
};

/// A prototype that a message matches.
#[derive(Debug, Clone, Copy)]
pub(super) struct Matching {
    pub(super) at: DocAt,
    pub(super) score: Score,
    /// The first signature of the method that agrees.
    pub(super) signature: Option<u32>,
}

/// The prototypes that a message matches, the best first; of equal ones the one that was added
/// first. The message has the signatures of all methods of the index, or of the wanted one only.
///
/// # Errors
/// A damaged segment.
pub(super) fn matching(
    analysis: &Analysis,
    way: Way,
    snapshot: &Snapshot,
    message: &DocumentView<'_>,
    scratch: &mut QueryScratch,
) -> Result<Vec<Matching>, LookalikeError> {
    if message.set.is_empty() || snapshot.is_empty() {
        return Ok(Vec::new());
    }
    match way.by {
        // Whatever is asked: the same words have the same set.
        _ if needs_same_words(way, message) => {
            let question = Question { ask: Ask::Resembles, threshold: "1".parse()? };
            by_measure(way, question, snapshot, message, scratch)
        }
        By::Measure(question) => by_measure(way, question, snapshot, message, scratch),
        By::Method(number) => by_method(analysis, way, number, snapshot, message, scratch),
    }
}

/// The signature of a message that has those of all methods of the index, or only the wanted one.
pub(super) fn signature<'a>(number: usize, message: &DocumentView<'a>) -> SignatureView<'a> {
    let signature = message.signatures.get(number).or(message.signatures.first());
    signature.copied().unwrap_or_default()
}

/// Whether a message matches nothing but the same words: it has too few features, or the method has
/// no signature for it.
pub(super) fn needs_same_words(way: Way, message: &DocumentView<'_>) -> bool {
    let unsigned = match way.by {
        By::Measure(_) => false,
        By::Method(number) => signature(number, message).keys.is_empty(),
    };
    unsigned || message.few || (message.set.len() as u32) < way.min_features
}

/// Whether a message may match a prototype of this size and with this sequence of words.
pub(super) fn comparable(
    way: Way,
    message: &DocumentView<'_>,
    (size, sequence): (u32, TokenDigest),
) -> bool {
    match needs_same_words(way, message) {
        true => sequence == message.sequence,
        false => size >= way.min_features,
    }
}

fn may_match(way: Way, message: &DocumentView<'_>, snapshot: &Snapshot, at: DocAt) -> bool {
    let prototype = snapshot.document(at);
    comparable(way, message, (prototype.size(), prototype.sequence()))
}

fn by_measure(
    way: Way,
    question: Question,
    snapshot: &Snapshot,
    message: &DocumentView<'_>,
    scratch: &mut QueryScratch,
) -> Result<Vec<Matching>, LookalikeError> {
    let query = QuerySet { set: message.set, few: message.few, sequence: message.sequence };
    let wanted = |live: &LiveSegment, local: u32| {
        snapshot.at(live, local).is_some_and(|at| may_match(way, message, snapshot, at))
    };
    let options = AskOptions { wanted: &wanted, ..AskOptions::default() };
    let answer = snapshot.ask(question, query, options, scratch)?;
    let found = answer.matches.iter().map(|found| Matching {
        at: found.at,
        score: Score::of(question.ask, found.counts),
        signature: None,
    });
    Ok(found.collect())
}

fn by_method(
    analysis: &Analysis,
    way: Way,
    number: usize,
    snapshot: &Snapshot,
    message: &DocumentView<'_>,
    scratch: &mut QueryScratch,
) -> Result<Vec<Matching>, LookalikeError> {
    let method = &analysis.methods[number];
    let signed = signature(number, message);
    let candidates = snapshot.with_keys(number, signed.keys, scratch, &mut Cost::default())?;
    let mut found: Vec<Matching> = candidates
        .into_iter()
        .filter(|&at| may_match(way, message, snapshot, at))
        .filter_map(|at| {
            let stored = snapshot.document(at).signature(number);
            let evidence = method.accept(signed, stored.view())?;
            let agreed = method.agreed(evidence, signed, stored.view());
            let score = Score::ratio(agreed.equal, agreed.of);
            Some(Matching { at, score, signature: agreed.first })
        })
        .collect();
    found.sort_by(|a, b| {
        let number = |at: DocAt| snapshot.document(at).number();
        b.score.compare(a.score).then_with(|| number(a.at).cmp(&number(b.at)))
    });
    Ok(found)
}
