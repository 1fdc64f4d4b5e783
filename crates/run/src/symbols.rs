//! Lexically equivalent documents whose symbols differ: counted after a run, for a warning.
//!
//! Where tokens are words, `12 + 4` and `12 - 4` have the same. The texts of the first removed
//! documents of this kind, in the order of the collection, and of their witnesses are read once more;
//! how many are looked at is bounded.

use crate::LookalikeError;
use crate::analysis::Analysis;
use crate::reading::Documents;
use crate::reread::{members, read_some};
use lookalike_decide::Rule;
use lookalike_engine::signer::plain_text;
use lookalike_engine::{DocumentId, EngineError};
use lookalike_report::{SymbolDifferences, SymbolExample};
use lookalike_text::{OperatorScratch, Operators, Tokens};
use std::collections::BTreeMap;
use xxhash_rust::xxh3::Xxh3;

/// Most pairs that are looked at.
const PAIRS: usize = 1000;

/// Longest text in bytes that is kept for the examples; longer ones are read once more.
const SHORT: usize = 4096;

/// Pairs that are shown.
const EXAMPLES: usize = 3;

/// Counts pairs of lexically equivalent documents whose symbols differ. `None` without any, and where
/// symbols are tokens.
///
/// # Errors
/// Rows on disk that cannot be read; those of a caller's documents.
pub(crate) fn count(
    analysis: &Analysis,
    documents: Documents<'_>,
    ids_repeat: bool,
) -> Result<Option<SymbolDifferences>, LookalikeError> {
    let settings = &analysis.settings.analysis;
    let has_features = analysis.inputs.options.fields.features.is_some();
    if settings.tokens() == Tokens::Symbols || has_features {
        return Ok(None);
    }
    let all = || {
        let all = analysis.removals().filter(|(_, r)| r.rule == Rule::LexicallyEquivalent);
        all.map(|(document, removal)| (document, removal.kept))
            .filter(|(document, _)| !analysis.collection.is_protected(*document))
    };
    let pairs: Vec<(DocumentId, DocumentId)> = all().take(PAIRS).collect();
    if pairs.is_empty() {
        return Ok(None);
    }
    let operators = Operators::new(settings);
    let mut scratch = OperatorScratch::default();
    let mut digests = BTreeMap::new();
    let mut texts: BTreeMap<DocumentId, String> = BTreeMap::new();
    read_some(
        &analysis.collection,
        documents,
        &members(pairs.iter().copied().map(<[_; 2]>::from)),
        &mut |document, record| {
            let mut digest = Xxh3::new();
            let text = plain_text(&record.content);
            operators.of(&text, &mut scratch, |operator, words| {
                digest.update(&u32::from(operator).to_le_bytes());
                digest.update(&words.to_le_bytes());
            });
            digests.insert(document, digest.digest());
            if text.len() <= SHORT {
                texts.insert(document, text.into_owned());
            }
        },
    )?;
    // A document that cannot be read again is not compared.
    let differ: Vec<(DocumentId, DocumentId)> = pairs
        .iter()
        .copied()
        .filter(|(a, b)| match (digests.get(a), digests.get(b)) {
            (Some(a), Some(b)) => a != b,
            _ => false,
        })
        .collect();
    if differ.is_empty() {
        return Ok(None);
    }
    let shown = &differ[..differ.len().min(EXAMPLES)];
    if shown.iter().any(|(a, b)| !texts.contains_key(a) || !texts.contains_key(b)) {
        read_some(
            &analysis.collection,
            documents,
            &members(shown.iter().copied().map(<[_; 2]>::from)),
            &mut |document, record| {
                texts.insert(document, plain_text(&record.content).into_owned());
            },
        )?;
    }
    let mut examples = Vec::new();
    for (removed, kept) in shown {
        let (Some(a), Some(b)) = (texts.get(removed), texts.get(kept)) else { continue };
        let place = first_difference(&operators, a, b);
        let name = |document: DocumentId| -> Result<String, EngineError> {
            let name = analysis.collection.document_name(document)?;
            Ok(name.shown(ids_repeat).to_string())
        };
        examples.push(SymbolExample {
            removed: name(*removed)?,
            kept: name(*kept)?,
            removed_text: operators.excerpt(a, place),
            kept_text: operators.excerpt(b, place),
        });
    }
    Ok(Some(SymbolDifferences {
        documents: differ.len() as u64,
        compared: pairs.len() as u64,
        of: all().count() as u64,
        examples,
    }))
}

/// The number of word characters before the first operator that two texts do not have in common.
fn first_difference(operators: &Operators, a: &str, b: &str) -> u64 {
    let of = |text: &str| {
        let mut found = Vec::new();
        let scratch = &mut OperatorScratch::default();
        operators.of(text, scratch, |operator, words| found.push((words, operator)));
        found
    };
    let (a, b) = (of(a), of(b));
    let same = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let next = [a.get(same), b.get(same)];
    next.into_iter().flatten().map(|(words, _)| *words).min().unwrap_or_default()
}
