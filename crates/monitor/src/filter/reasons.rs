//! Why a message matches a prototype: terms of an agreeing signature, or passages in common.

use super::matching::Matching;
use super::options::{By, Way};
use super::verdict::{SharedText, Verdict};
use lookalike_index::{DocumentView, Snapshot};
use lookalike_report::{PassageBounds, Vocabulary, shared_passages};
use lookalike_run::LookalikeError;
use lookalike_run::document_comparison::located;
use lookalike_run::index::open::{Analysis, Buffers};
use lookalike_text::Analyzer;

/// Comparisons of tokens at most, for one message.
const WORK: u64 = 10_000_000;

/// Bytes of a passage that are shown at most.
const SHOWN: usize = 200;

/// Gives verdicts their reasons.
pub(super) struct Reasons<'a> {
    pub(super) analysis: &'a Analysis,
    pub(super) analyzer: &'a Analyzer,
    pub(super) way: Way,
    /// How many a verdict has at most.
    pub(super) most: usize,
}

impl Reasons<'_> {
    /// Gives a verdict on a message the terms or passages that it shares with a prototype. An index
    /// without texts has no passages.
    ///
    /// # Errors
    /// A damaged segment.
    pub(super) fn give(
        &self,
        verdict: &mut Verdict,
        message: &DocumentView<'_>,
        (snapshot, matching): (&Snapshot, &Matching),
        buffers: &mut Buffers,
    ) -> Result<(), LookalikeError> {
        let Self { analysis, analyzer, most, .. } = *self;
        if most == 0 {
            return Ok(());
        }
        if let (By::Method(number), Some(signature)) = (self.way.by, matching.signature) {
            let (method, scratch) = (&analysis.methods[number], &mut buffers.signer);
            verdict.terms = method.signature_words(message.content, signature, most, scratch);
        }
        if verdict.terms.is_empty() && analysis.settings.texts {
            let prototype = snapshot.document(matching.at);
            // Of the same words all are in common.
            if prototype.sequence() == message.sequence {
                let whole = shown(message.content.trim());
                verdict.passages = vec![SharedText { words: message.tokens as usize, text: whole }];
                return Ok(());
            }
            let prototype = prototype.text(&mut buffers.texts)?;
            let shingle = analysis.settings.documents.shingle_size().unwrap_or(1);
            verdict.passages = passages(message.content, prototype, shingle, analyzer, most);
        }
        Ok(())
    }
}

/// The longest runs of tokens that two texts share, of at least `shingle` tokens.
fn passages(
    message: &str,
    prototype: &str,
    shingle: u32,
    analyzer: &Analyzer,
    most: usize,
) -> Vec<SharedText> {
    let tokenize = located(analyzer);
    let mut vocabulary = Vocabulary::default();
    let own = vocabulary.tokens(message, &tokenize);
    let other = vocabulary.tokens(prototype, &tokenize);
    let bounds = PassageBounds { work: WORK, passages: most };
    let found = shared_passages(own.forms(), other.forms(), shingle as usize, bounds);
    let passages = found.longest.iter().map(|passage| {
        let text = own.slice(passage.left..passage.left + passage.length);
        SharedText { words: passage.length, text: shown(text) }
    });
    passages.collect()
}

/// The beginning of a passage.
fn shown(passage: &str) -> String {
    passage[..passage.floor_char_boundary(SHOWN)].to_owned()
}
