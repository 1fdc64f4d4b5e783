//! What differs between removed documents and their witnesses: for the ledger and the summary.
//!
//! A sample of the removals is compared. Its size is bounded, so that the cost is, whatever the size of
//! the collection; it is spread evenly over the collection, and a function of the documents alone. Its
//! texts are read in the second pass, which reads them anyway, or once more where there is none.
//! Identical documents need not be read.

use crate::analysis::Analysis;
use crate::reading::Documents;
use crate::reread::{members, read_in, read_some};
use crate::{LookalikeError, Settings};
use lookalike_decide::{DifferenceCells, Rule};
use lookalike_engine::differences::{
    ComparedRemoval, DifferenceRule, DifferenceScratch, Judged, best_rule, recurring,
};
use lookalike_engine::distinctions::value_hash;
use lookalike_engine::signer::titled_text;
use lookalike_engine::{
    Collection, DifferenceKind, DifferenceProfile, DifferenceReader, DocumentId, DocumentParts,
    EngineError, Removal,
};
use lookalike_io::source::Piece;
use lookalike_io::{Inputs, RecordView};
use lookalike_report::{
    DifferenceExample, DifferenceSummary, Differing, FoundRule, JudgedRemovals,
};
use lookalike_text::{AnalysisSettings, TextPart};
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
    /// Removals of identical documents.
    identical: u64,
}

impl DifferenceSample {
    /// A sample of the removals of an analysis.
    ///
    /// # Errors
    /// Rows on disk that cannot be read.
    pub(crate) fn choose(analysis: &Analysis) -> Result<Self, EngineError> {
        let mut removals = Vec::new();
        if analysis.inputs.options.fields.features.is_none() {
            analysis.for_each_removed(|document, removal| removals.push((document, removal)));
        }
        Self::of(&analysis.collection, removals.into_iter())
    }

    /// A sample of the removals of documents that are not identical to their witnesses.
    fn of(
        collection: &Collection,
        removals: impl Iterator<Item = (DocumentId, Removal)>,
    ) -> Result<Self, EngineError> {
        let mut identical = 0;
        let unlike = removals.filter(|(_, removal)| {
            identical += u64::from(removal.rule == Rule::Identical);
            removal.rule != Rule::Identical
        });
        let compared = |(removed, Removal { kept, rule, .. })| Compared { removed, kept, rule };
        let mut pairs: Vec<Compared> = unlike.map(compared).collect();
        pairs.sort_unstable();
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
        Ok(Self { pairs, documents, of, identical })
    }

    /// Its documents, ascending.
    pub(crate) fn documents(&self) -> &[DocumentId] {
        &self.documents
    }

    /// Compares the pairs. Documents without a text are left out.
    pub(crate) fn compare<'p>(
        self,
        texts: impl Fn(DocumentId) -> Option<&'p ComparedText>,
    ) -> Differences {
        let mut scratch = DifferenceScratch::default();
        let mut of = BTreeMap::new();
        for pair in self.pairs {
            if let (Some(a), Some(b)) = (texts(pair.removed), texts(pair.kept)) {
                let profile = DifferenceProfile::new(&a.parts, &b.parts, &mut scratch);
                let kinds = profile.kinds.to_string();
                let same = a.label.zip(b.label).map(|(a, b)| a == b);
                of.insert(pair.removed, Difference { pair, profile, same, kinds });
            }
        }
        Differences { of, removals: self.of, identical: self.identical }
    }
}

/// What differs between two documents.
#[derive(Debug)]
struct Difference {
    pair: Compared,
    profile: DifferenceProfile,
    /// Whether their labels are equal, if both have one.
    same: Option<bool>,
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
    /// Removals of identical documents.
    identical: u64,
}

impl Differences {
    /// Compares a sample of removed documents with their witnesses, which `read` passes on.
    ///
    /// # Errors
    /// Rows on disk that cannot be read; those of a caller's documents.
    pub(crate) fn find(
        sample: DifferenceSample,
        reader: &TextReader,
        read: impl FnOnce(
            &[DocumentId],
            &mut dyn FnMut(DocumentId, &RecordView<'_>),
        ) -> Result<(), LookalikeError>,
    ) -> Result<Self, LookalikeError> {
        let mut scratch = DifferenceScratch::default();
        let mut texts: BTreeMap<DocumentId, ComparedText> = BTreeMap::new();
        read(&sample.documents, &mut |document, record| {
            texts.insert(document, reader.read(record, &mut scratch));
        })?;
        Ok(sample.compare(|document| texts.get(&document)))
    }

    /// As [`Self::find`] for the removals of an analysis.
    ///
    /// # Errors
    /// As [`Self::find`].
    pub(crate) fn of(
        analysis: &Analysis,
        label_field: Option<&str>,
        documents: Documents<'_>,
    ) -> Result<Self, LookalikeError> {
        let sample = DifferenceSample::choose(analysis)?;
        let settings = &analysis.settings.analysis;
        let reader = TextReader::new(settings, label_field, documents.inputs);
        Self::find(sample, &reader, |wanted, visit| {
            read_some(&analysis.collection, documents, wanted, visit)
        })
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
        let with_boilerplate = analysis.settings.boilerplate.is_some();
        self.summary_in(&analysis.collection, with_boilerplate, ids_repeat)
    }

    /// As [`Self::summary`], of the documents of a collection.
    fn summary_in(
        &self,
        collection: &Collection,
        with_boilerplate: bool,
        ids_repeat: bool,
    ) -> Result<Option<DifferenceSummary>, EngineError> {
        let compared = self.of.values().map(|&Difference { pair, profile, same, .. }| {
            (removal_of(pair.rule, profile, same), (pair.removed, pair.kept))
        });
        let name = |document: DocumentId| -> Result<String, EngineError> {
            Ok(collection.document_name(document)?.shown(ids_repeat).to_string())
        };
        let labelled = self.of.values().filter(|found| found.same.is_some()).count() as u64;
        // The share of them that corresponds to those that were compared and have labels.
        let certain = (self.identical * labelled).checked_div(self.removals).unwrap_or(0);
        let counts = (self.removals, certain);
        summed(compared, counts, with_boilerplate, |(removed, kept)| {
            Ok(DifferenceExample { removed: name(removed)?, kept: name(kept)? })
        })
    }
}

/// Judgements of removals.
pub struct Judge<'j> {
    /// Whether a removed document and its witness are the same to a person, if that is known.
    pub same: &'j dyn Fn(DocumentId, DocumentId) -> Option<bool>,
    /// Whether it is known of all.
    pub all: bool,
}

/// What differs in a sample of removals, whose documents are read again from these pieces of the inputs. `None`
/// if nothing was compared.
///
/// # Errors
/// Rows on disk or documents that cannot be read.
pub fn of_sample(
    collection: &Collection,
    removals: impl Iterator<Item = (DocumentId, Removal)>,
    (inputs, pieces): (&Inputs, impl Iterator<Item = Piece>),
    settings: &Settings,
    judge: Option<Judge<'_>>,
) -> Result<Option<DifferenceSummary>, LookalikeError> {
    let sample = DifferenceSample::of(collection, removals)?;
    let label_field = settings.label_field.as_deref();
    let reader = TextReader::new(&settings.analysis, label_field, inputs);
    let mut found = Differences::find(sample, &reader, |wanted, visit| {
        read_in(collection, inputs, pieces, wanted, visit)
    })?;
    if let Some(judge) = judge {
        found.identical *= u64::from(judge.all);
        for Difference { pair, same, .. } in found.of.values_mut() {
            *same = (judge.same)(pair.removed, pair.kept);
        }
    }
    Ok(found.summary_in(collection, false, false)?)
}

/// What is compared of a document.
#[derive(Debug, Clone, Default)]
pub(crate) struct ComparedText {
    pub(crate) parts: DocumentParts,
    /// A hash of its label, if it has one.
    label: Option<u64>,
}

/// Reads what is compared of documents.
#[derive(Debug)]
pub(crate) struct TextReader {
    parts: DifferenceReader,
    /// The number of the field with labels among the given fields.
    label: Option<usize>,
}

impl TextReader {
    /// Reads texts with the normalisation of an analysis, and labels from a field of the inputs.
    pub(crate) fn new(
        analysis: &AnalysisSettings,
        label_field: Option<&str>,
        inputs: &Inputs,
    ) -> Self {
        let given = &inputs.options.fields.given;
        let place = |field: &str| given.iter().position(|name| name == field);
        Self { parts: DifferenceReader::new(analysis), label: label_field.and_then(place) }
    }

    /// Reads a document.
    pub(crate) fn read(
        &self,
        record: &RecordView<'_>,
        scratch: &mut DifferenceScratch,
    ) -> ComparedText {
        let (text, title) = titled_text(&record.content, record.title.as_deref());
        let parts = self.parts.parts(&text, title.as_deref(), scratch);
        let values = || self.label.into_iter().flat_map(|field| record.given.of(field));
        let label = values().next().map(|_| value_hash(values()));
        ComparedText { parts, label }
    }
}

/// What is compared of a removal.
pub(crate) fn removal_of(
    rule: Rule,
    profile: DifferenceProfile,
    same: Option<bool>,
) -> ComparedRemoval {
    ComparedRemoval { profile, near: rule != Rule::LexicallyEquivalent, same }
}

/// Counts what differs in compared removals, and finds rules. `of` is the number of removals that could be compared,
/// `certain` that of [`best_rule`]; `example` names a removal. Where
/// boilerplate is removed, only titles give rules: the texts have it still. `None` if none was compared.
///
/// # Errors
/// An error of `example`.
pub(crate) fn summed<T, E>(
    compared: impl Iterator<Item = (ComparedRemoval, T)>,
    (of, certain): (u64, u64),
    with_boilerplate: bool,
    example: impl Fn(T) -> Result<DifferenceExample, E>,
) -> Result<Option<DifferenceSummary>, E>
where
    T: Copy,
{
    let (removals, named): (Vec<ComparedRemoval>, Vec<T>) = compared.unzip();
    if removals.is_empty() {
        return Ok(None);
    }
    let count = |is: &dyn Fn(&ComparedRemoval) -> bool| {
        removals.iter().filter(|removal| is(removal)).count() as u64
    };
    let mut kinds = Vec::new();
    for kind in DifferenceKind::ALL {
        let has = |removal: &ComparedRemoval| removal.profile.kinds.has(kind);
        if let Some(first) = removals.iter().position(has) {
            kinds.push(Differing {
                kind: kind.name().to_owned(),
                documents: count(&has),
                near: count(&|removal| removal.near && has(removal)),
                example: example(named[first])?,
            });
        }
    }
    let parts = if with_boilerplate { &[TextPart::Title][..] } else { &TextPart::ALL };
    let (judged, rules) = rules(&removals, certain, parts);
    Ok(Some(DifferenceSummary {
        compared: removals.len() as u64,
        of,
        near: count(&|removal| removal.near),
        losing_words: count(&|removal| removal.profile.lost > 0),
        losing_ten_words: count(&|removal| removal.profile.lost >= 10),
        kinds,
        judged,
        rules,
    }))
}

/// The judged removals, and the rules that would keep some: by labels if there are any.
fn rules(
    removals: &[ComparedRemoval],
    certain: u64,
    parts: &[TextPart],
) -> (Option<JudgedRemovals>, Vec<FoundRule>) {
    let names =
        |rule: &DifferenceRule| rule.parts.iter().map(|part| part.name().to_owned()).collect();
    let counted = |Judged { right, wrong }| JudgedRemovals { right, wrong };
    if removals.iter().all(|removal| removal.same.is_none()) {
        let found = recurring(removals, parts).into_iter().map(|found| FoundRule {
            distinct_by: names(&found.rule),
            max_lost: found.rule.max_lost,
            kept_apart: found.apart,
            alone: Some(found.alone),
            left: None,
        });
        return (None, found.collect());
    }
    let all = Judged::of(removals, &DifferenceRule::default());
    let found = best_rule(removals, certain).map(|(rule, left)| {
        let apart = |removal: &&ComparedRemoval| removal.near && rule.keeps_apart(removal.profile);
        FoundRule {
            distinct_by: names(&rule),
            max_lost: rule.max_lost,
            kept_apart: removals.iter().filter(apart).count() as u64,
            alone: None,
            left: Some(counted(left)),
        }
    });
    (Some(counted(all)), found.into_iter().collect())
}
