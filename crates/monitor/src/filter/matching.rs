//! The prototypes that a message matches.

use super::options::{By, Way};
use super::score::Score;
use lookalike_core::{Overlap, TokenDigest};
use lookalike_index::{
    Ask, AskOptions, Cost, DocAt, DocumentView, LiveSegment, NEVER, QueryScratch, QuerySet,
    Question, SignatureView, Snapshot,
};
use lookalike_run::LookalikeError;
use lookalike_run::index::extra::Extra;
use lookalike_run::index::open::Analysis;

/// A prototype that a message matches.
#[derive(Debug, Clone, Copy)]
pub(super) struct Matching {
    pub(super) at: DocAt,
    pub(super) score: Score,
    /// Counts of the message (a) and the prototype (b), where they were counted.
    pub(super) counts: Option<Overlap>,
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
            by_measure(analysis, way, question, snapshot, message, scratch)
        }
        By::Measure(question) => by_measure(analysis, way, question, snapshot, message, scratch),
        By::Method(number) => by_method(analysis, way, number, snapshot, message, scratch),
    }
}

/// The signature of a message that has those of all methods of the index, or only the wanted one.
pub(super) fn signature<'a>(number: usize, message: &DocumentView<'a>) -> SignatureView<'a> {
    let signature = message.signatures.get(number).or(message.signatures.first());
    signature.copied().unwrap_or_default()
}

/// Whether a message or prototype has too few words to match any but the same ones.
fn is_short(way: Way, tokens: u32) -> bool {
    tokens < way.min_words
}

/// Whether a message matches nothing but the same words: it is short, or the method has no
/// signature for it.
pub(super) fn needs_same_words(way: Way, message: &DocumentView<'_>) -> bool {
    let unsigned = match way.by {
        By::Measure(_) => false,
        By::Method(number) => signature(number, message).keys.is_empty(),
    };
    unsigned || message.few || is_short(way, message.tokens)
}

/// What decides whether a message may be compared with a prototype.
pub(super) struct Words<'a> {
    /// Number of words.
    pub(super) tokens: u32,
    /// Digest of the sequence of words.
    pub(super) sequence: TokenDigest,
    /// What is stored with the prototype: its title.
    pub(super) extra: &'a [u8],
}

/// Whether a message may match a prototype with these words. Short ones have to have the same
/// title, too: mail programs make short texts of their own, which legitimate messages and spam have
/// word for word.
pub(super) fn comparable(
    analysis: &Analysis,
    way: Way,
    message: &DocumentView<'_>,
    prototype: &Words<'_>,
) -> bool {
    if !needs_same_words(way, message) {
        return !is_short(way, prototype.tokens);
    }
    let title = |extra: &[u8]| analysis.signer.sequence(&title(extra));
    prototype.sequence == message.sequence
        && (!is_short(way, message.tokens) || title(prototype.extra) == title(message.extra))
}

/// The title of a document, by what is stored with it; empty for none.
pub(super) fn title(extra: &[u8]) -> String {
    let extra: Option<Extra<'_>> = serde_json::from_slice(extra).ok();
    extra.and_then(|extra| extra.title).unwrap_or_default().into_owned()
}

fn may_match(
    analysis: &Analysis,
    way: Way,
    message: &DocumentView<'_>,
    snapshot: &Snapshot,
    at: DocAt,
) -> bool {
    let prototype = snapshot.document(at);
    let (tokens, sequence) = (prototype.tokens(), prototype.sequence());
    comparable(analysis, way, message, &Words { tokens, sequence, extra: prototype.extra() })
}

fn by_measure(
    analysis: &Analysis,
    way: Way,
    question: Question,
    snapshot: &Snapshot,
    message: &DocumentView<'_>,
    scratch: &mut QueryScratch,
) -> Result<Vec<Matching>, LookalikeError> {
    let query =
        QuerySet { set: message.set, few: message.few, sequence: message.sequence, value: 0 };
    let wanted = |live: &LiveSegment, local: u32| {
        snapshot.at(live, local).is_some_and(|at| may_match(analysis, way, message, snapshot, at))
    };
    let options = AskOptions { wanted: &wanted, ..AskOptions::default() };
    let answer = snapshot.ask(question, query, options, scratch)?;
    let found = answer.matches.iter().map(|found| Matching {
        at: found.at,
        score: Score::of(question.ask, found.counts),
        counts: Some(found.counts),
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
    let candidates =
        snapshot.with_keys(number, signed.keys, NEVER, scratch, &mut Cost::default())?;
    let mut found: Vec<Matching> = candidates
        .into_iter()
        .filter(|&at| may_match(analysis, way, message, snapshot, at))
        .filter_map(|at| {
            let stored = snapshot.document(at).signature(number);
            let evidence = method.accept(signed, stored.view())?;
            let agreed = method.agreed(evidence, signed, stored.view());
            let score = Score::ratio(agreed.equal, agreed.of);
            Some(Matching { at, score, counts: None, signature: agreed.first })
        })
        .collect();
    found.sort_by(|a, b| {
        let number = |at: DocAt| snapshot.document(at).number();
        b.score.compare(a.score).then_with(|| number(a.at).cmp(&number(b.at)))
    });
    Ok(found)
}
