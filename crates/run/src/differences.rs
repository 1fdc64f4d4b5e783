//! What differs between removed documents and their witnesses: for the ledger and the summary.
//!
//! A sample of the removals is compared. Its size is bounded, so that the cost is, whatever the size of
//! the collection; it is spread evenly over the collection, and a function of the documents alone. Its
//! texts are read in the second pass, which reads them anyway, or once more where there is none.
//! Identical documents need not be read.

use crate::LookalikeError;
use crate::analysis::Analysis;
use crate::reading::Documents;
use crate::reread::{members, read_some};
use lookalike_decide::{DifferenceCells, Rule};
use lookalike_engine::differences::DifferenceScratch;
use lookalike_engine::signer::titled_text;
use lookalike_engine::{
    DifferenceKind, DifferenceKinds, DifferenceProfile, DifferenceReader, DocumentId,
    DocumentParts, EngineError, Removal,
};
use lookalike_io::RecordView;
use lookalike_report::{DifferenceExample, DifferenceSummary, Differing, Summary};
use std::collections::BTreeMap;

/// Most removals whose texts are compared.
const PAIRS: usize = 2000;

/// Most bytes of their texts: words take a little more than these while they are compared.
const TEXTS: u64 = 16 << 20;

/// Most bytes of a text that is compared.
pub(crate) const LONGEST: u64 = 1 << 20;

/// A removed document, what the ledger compares it with, and why it was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Compared {
    removed: DocumentId,
    kept: DocumentId,
    rule: Rule,
}

/// The removals that are compared.
#[derive(Debug, Default)]
pub(crate) struct DifferenceSample {
    /// Removed documents, what the ledger compares them with, and the rule.
    pairs: Vec<Compared>,
    /// The documents of the pairs, ascending.
    documents: Vec<DocumentId>,
    /// Removals that could be compared.
    of: u64,
}

impl DifferenceSample {
    /// A sample of the removals of documents that are not identical to their witnesses.
    ///
    /// # Errors
    /// Rows on disk that cannot be read.
    pub(crate) fn choose(analysis: &Analysis) -> Result<Self, EngineError> {
        let collection = &analysis.collection;
        let mut pairs = compared(analysis);
        let of = pairs.len() as u64;
        if pairs.len() > PAIRS {
            let last = pairs.len() - 1;
            pairs = (0..PAIRS).map(|number| pairs[number * last / (PAIRS - 1)]).collect();
        }
        let mut sampled = vec![false; collection.len() as usize];
        for pair in &pairs {
            (sampled[pair.removed.index()], sampled[pair.kept.index()]) = (true, true);
        }
        let rows = collection.gather(|document| sampled[document.index()])?;
        let bytes = |document| rows.get(document).map_or(0, |row| row.text_bytes);
        let of_pair = |pair: &Compared| bytes(pair.removed) + bytes(pair.kept);
        pairs.retain(|pair| bytes(pair.removed).max(bytes(pair.kept)) <= LONGEST);
        // Fewer pairs of longer texts, also spread evenly.
        let every = pairs.iter().map(of_pair).sum::<u64>().div_ceil(TEXTS).max(1);
        let mut left = TEXTS;
        let mut number = 0;
        pairs.retain(|pair| {
            number += 1;
            let fits = left.checked_sub(of_pair(pair)).filter(|_| (number - 1) % every == 0);
            left = fits.unwrap_or(left);
            fits.is_some()
        });
        let documents = members(pairs.iter().map(|pair| [pair.removed, pair.kept]));
        Ok(Self { pairs, documents, of })
    }

    /// Its documents, ascending.
    pub(crate) fn documents(&self) -> &[DocumentId] {
        &self.documents
    }

    /// Compares the pairs, from the parts of their documents. Documents without parts are left out.
    pub(crate) fn compare<'p>(
        self,
        parts: impl Fn(DocumentId) -> Option<&'p DocumentParts>,
    ) -> Differences {
        let mut scratch = DifferenceScratch::default();
        let mut of = BTreeMap::new();
        for pair in self.pairs {
            if let (Some(a), Some(b)) = (parts(pair.removed), parts(pair.kept)) {
                let profile = DifferenceProfile::new(a, b, &mut scratch);
                let kinds = profile.kinds.to_string();
                of.insert(pair.removed, Difference { pair, profile, kinds });
            }
        }
        Differences { of, removals: self.of }
    }
}

/// What differs between two documents.
#[derive(Debug)]
struct Difference {
    pair: Compared,
    profile: DifferenceProfile,
    /// The kinds as they are written.
    kinds: String,
}

/// What differs, by removed document.
#[derive(Debug, Default)]
pub(crate) struct Differences {
    /// Those that were compared.
    of: BTreeMap<DocumentId, Difference>,
    /// Removals that could be compared.
    removals: u64,
}

impl Differences {
    /// Compares a sample of the removed documents with their witnesses, which are read again, and says
    /// so in the summary.
    ///
    /// # Errors
    /// Rows on disk that cannot be read; those of a caller's documents.
    pub(crate) fn find(
        analysis: &Analysis,
        documents: Documents<'_>,
        summary: &mut Summary,
    ) -> Result<Self, LookalikeError> {
        let sample = DifferenceSample::choose(analysis)?;
        let reader = DifferenceReader::new(&analysis.settings.analysis);
        let mut scratch = DifferenceScratch::default();
        let mut parts: BTreeMap<DocumentId, DocumentParts> = BTreeMap::new();
        read_some(analysis, documents, &sample.documents, &mut |document, record| {
            parts.insert(document, parts_of(record, &reader, &mut scratch));
        })?;
        let found = sample.compare(|document| parts.get(&document));
        summary.differences = found.summary(analysis, summary.duplicate_ids > 0)?;
        Ok(found)
    }

    /// The cells of a removal in the ledger.
    pub(crate) fn cells(&self, removed: DocumentId, rule: Rule) -> Option<DifferenceCells<'_>> {
        if rule == Rule::Identical {
            return Some(DifferenceCells { lost: 0, added: 0, kinds: "" });
        }
        let Difference { profile, kinds, .. } = self.of.get(&removed)?;
        Some(DifferenceCells { lost: profile.lost, added: profile.added, kinds })
    }

    /// How many removals differ in what; `None` if none was compared.
    ///
    /// # Errors
    /// Names on disk that cannot be read.
    pub(crate) fn summary(
        &self,
        analysis: &Analysis,
        ids_repeat: bool,
    ) -> Result<Option<DifferenceSummary>, EngineError> {
        let compared = self.of.values().map(|Difference { pair, profile, .. }| {
            (pair.rule, profile.lost, profile.kinds, (pair.removed, pair.kept))
        });
        let name = |document: DocumentId| -> Result<String, EngineError> {
            Ok(analysis.collection.document_name(document)?.shown(ids_repeat).to_string())
        };
        summed(compared, self.removals, |(removed, kept)| {
            Ok(DifferenceExample { removed: name(removed)?, kept: name(kept)? })
        })
    }
}

/// What is compared of a document.
pub(crate) fn parts_of(
    record: &RecordView<'_>,
    reader: &DifferenceReader,
    scratch: &mut DifferenceScratch,
) -> DocumentParts {
    let (text, title) = titled_text(&record.content, record.title.as_deref());
    reader.parts(&text, title.as_deref(), scratch)
}

/// Counts what differs: of each compared removal its rule, the words lost, the kinds and what it is;
/// `example` names it. `None` if none was compared.
///
/// # Errors
/// An error of `example`.
pub(crate) fn summed<T, E>(
    compared: impl Iterator<Item = (Rule, u64, DifferenceKinds, T)>,
    of: u64,
    example: impl Fn(T) -> Result<DifferenceExample, E>,
) -> Result<Option<DifferenceSummary>, E>
where
    T: Copy,
{
    let mut sum = DifferenceSummary { of, ..DifferenceSummary::default() };
    let mut by_kind = DifferenceKind::ALL.map(|kind| (kind, 0, 0, None));
    for (rule, lost, kinds, removal) in compared {
        let near = u64::from(rule != Rule::LexicallyEquivalent);
        sum.compared += 1;
        sum.near += near;
        sum.losing_words += u64::from(lost > 0);
        sum.losing_ten_words += u64::from(lost >= 10);
        for (_, documents, of_near, first) in
            by_kind.iter_mut().filter(|(kind, ..)| kinds.has(*kind))
        {
            *documents += 1;
            *of_near += near;
            first.get_or_insert(removal);
        }
    }
    for (kind, documents, near, first) in by_kind {
        if let Some(first) = first {
            let kind = kind.name().to_owned();
            sum.kinds.push(Differing { kind, documents, near, example: example(first)? });
        }
    }
    Ok(Some(sum).filter(|sum| sum.compared > 0))
}

/// The removed documents that are not identical to their witnesses, and these.
fn compared(analysis: &Analysis) -> Vec<Compared> {
    let mut pairs = Vec::new();
    if analysis.inputs.options.fields.features.is_none() {
        analysis.for_each_removed(|removed, Removal { kept, rule, .. }| {
            if rule != Rule::Identical {
                pairs.push(Compared { removed, kept, rule });
            }
        });
        pairs.sort_unstable();
    }
    pairs
}
