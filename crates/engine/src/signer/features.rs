//! Feature sets of tokenised documents.

use super::given::Given;
use super::{DocumentSummary, SetPart, Signer, SignerScratch};
use crate::original;
use lookalike_core::features::MANY;
use lookalike_core::{SetDigest, TokenDigest, divide, features};
use lookalike_io::{Beside, Content, FeatureList, RecordView};
use lookalike_methods::Unsigned;

/// The digest of a set from which boilerplate was removed: the low half of its own, by which a set
/// that is read again is checked, and the high half of that of the complete set.
pub(crate) fn remaining_digest(remaining: SetDigest, complete: SetDigest) -> SetDigest {
    const LOW: u128 = u64::MAX as u128;
    SetDigest(complete.0 & !LOW | remaining.0 & LOW)
}

/// The feature set of a large document.
#[derive(Debug)]
pub(crate) struct LargeSet {
    /// Its elements, ascending.
    pub(crate) set: Vec<u64>,
    /// How many of them are up to the bound; `None` if sets are not partitioned.
    pub(crate) low: Option<usize>,
    pub(crate) digest: SetDigest,
}

impl Signer {
    /// Appends the features of the last document read, in order of first occurrence: those up to
    /// the bound to `low`, the others to `high`. If sets are not stored, nothing is appended.
    ///
    /// Returns the digest of the set. A document with too few features to be compared has the
    /// digest of its token sequence, so that only documents with the same words form one distinct
    /// set.
    ///
    /// # Errors
    /// The document has no features but common ones.
    pub fn features(
        &self,
        seen: &DocumentSummary,
        scratch: &mut SignerScratch,
        low: &mut Vec<u64>,
        high: &mut Vec<u64>,
    ) -> Result<SetDigest, Unsigned> {
        let is_known = scratch.stored.is_some();
        let digest = self.grouped(seen, scratch, low, high)?;
        // A known one has the key, and so have the signed tokens, of which that is of a set that is not
        // stored.
        let has_key = is_known || !self.keeps_sets && !scratch.few;
        Ok(if has_key { digest } else { scratch.given.across(digest) })
    }

    /// [`Signer::features`], with the digest of documents that may match whatever their values are.
    fn grouped(
        &self,
        seen: &DocumentSummary,
        scratch: &mut SignerScratch,
        low: &mut Vec<u64>,
        high: &mut Vec<u64>,
    ) -> Result<SetDigest, Unsigned> {
        scratch.few = false;
        if let Some((unit, few)) = scratch.stored.take() {
            scratch.few = few;
            match self.arranged {
                Some(bound) => divide(bound, &scratch.left, low, high),
                None => high.extend_from_slice(&scratch.left),
            }
            return unit;
        }
        if !self.keeps_sets {
            if let Some(least) = self.min_features {
                let counted = scratch.features.features(least.features);
                scratch.few = least.excludes(counted.map_or(0, |(set, _)| set.len() as u32));
            }
            if scratch.few {
                return Ok(scratch.given.separated(SetDigest(seen.sequence.0)));
            }
            if self.common_of_method.is_some() {
                scratch.signed = self.signature(scratch);
                if scratch.signed == Some(Err(Unsigned::OnlyCommon)) {
                    return Err(Unsigned::OnlyCommon);
                }
            }
            return Ok(SetDigest(seen.signed.0));
        }
        let whole = [seen.sequence.whole_text()];
        let (mut set, mut digest) = match scratch.features.features(self.features) {
            Some(found) => found,
            None => (&whole[..], features::digest(&whole).ok_or(Unsigned::Empty)?),
        };
        let whole = self.common.is_none() && self.boilerplate.is_none() && self.words.is_none();
        if !whole || scratch.given.label != 0 {
            let common = self.common.as_deref();
            let others = |element: &u64| !common.is_some_and(|common| common.contains(*element));
            scratch.left.clear();
            scratch.left.extend(set.iter().copied().filter(others));
            if scratch.left.is_empty() {
                return Err(Unsigned::OnlyCommon);
            }
            if common.is_some() {
                digest = features::digest(&scratch.left).ok_or(Unsigned::OnlyCommon)?;
            }
            digest = self.take_part(seen, &mut scratch.left, digest)?;
            digest = self.permute(&scratch.given, &mut scratch.left, digest)?;
            set = &scratch.left;
        }
        scratch.few = self.min_features.is_some_and(|least| least.excludes(set.len() as u32));
        match self.arranged {
            Some(bound) => divide(bound, set, low, high),
            None => high.extend_from_slice(set),
        }
        Ok(match scratch.few {
            true => scratch.given.separated(SetDigest(seen.sequence.0)),
            false => digest,
        })
    }

    /// As [`Signer::features`] for a large document, in its own allocation, ascending, with the
    /// number of elements up to the bound. `None` if it is not large, or its tokens are still to be
    /// signed.
    pub(crate) fn large_features(
        &self,
        seen: &DocumentSummary,
        scratch: &mut SignerScratch,
    ) -> Option<Result<LargeSet, Unsigned>> {
        let large = scratch.features.token_count() > MANY && self.keeps_sets && !self.signs();
        large.then(|| {
            scratch.few = false;
            let whole = vec![seen.sequence.whole_text()];
            let (mut set, mut digest) = match scratch.features.into_sorted(self.features) {
                Some(found) => found,
                None => {
                    let digest = features::digest(&whole).ok_or(Unsigned::Empty)?;
                    (whole, digest)
                }
            };
            if let Some(common) = &self.common {
                set.retain(|&element| !common.contains(element));
                digest = features::digest(&set).ok_or(Unsigned::OnlyCommon)?;
            }
            digest = self.take_part(seen, &mut set, digest)?;
            digest = self.permute(&scratch.given, &mut set, digest)?;
            if scratch.given.label != 0 {
                set.sort_unstable();
            }
            if self.min_features.is_some_and(|least| least.excludes(set.len() as u32)) {
                scratch.few = true;
                digest = scratch.given.separated(SetDigest(seen.sequence.0));
            }
            let low = self.arranged.map(|bound| set.partition_point(|&value| value <= bound));
            Ok(LargeSet { set, low, digest: scratch.given.across(digest) })
        })
    }

    /// Permutes a set, if documents are separated. Returns the digest by which documents are grouped.
    fn permute(
        &self,
        given: &Given,
        set: &mut [u64],
        digest: SetDigest,
    ) -> Result<SetDigest, Unsigned> {
        if !given.permute(set) && self.words.is_none() {
            return Ok(digest);
        }
        let own = features::digest(set).ok_or(Unsigned::OnlyCommon)?;
        Ok(match self.digests_halves() {
            true => remaining_digest(own, given.separated(digest)),
            false => own,
        })
    }

    /// Leaves the wanted part of a set. Returns the digest by which documents are grouped: of the
    /// part and of the complete set, `complete`, so that all documents of a unit are equally similar
    /// to others.
    fn take_part(
        &self,
        seen: &DocumentSummary,
        set: &mut Vec<u64>,
        complete: SetDigest,
    ) -> Result<SetDigest, Unsigned> {
        match &self.boilerplate {
            None => Ok(complete),
            Some((boilerplate, SetPart::Boilerplate)) => {
                set.retain(|&element| boilerplate.contains(element));
                features::digest(set).ok_or(Unsigned::OnlyCommon)
            }
            Some((boilerplate, SetPart::Remaining)) => {
                boilerplate.remove_from(set);
                if let Some(remaining) = features::digest(set) {
                    return Ok(remaining_digest(remaining, complete));
                }
                set.push(seen.sequence.whole_text());
                features::digest(set).ok_or(Unsigned::OnlyCommon)
            }
        }
    }

    /// The sorted feature set of a text, for comparisons outside a run.
    #[must_use]
    pub fn sorted_set(&self, text: &str) -> Vec<u64> {
        let mut set = Vec::new();
        self.text_set(text, &mut SignerScratch::default(), &mut set);
        set
    }

    /// The sorted set of a list of ready-made features, and the digest of the list.
    #[must_use]
    pub fn sorted_feature_set(&self, list: &FeatureList) -> (Vec<u64>, TokenDigest) {
        let (mut set, mut scratch) = (Vec::new(), SignerScratch::default());
        let summary = self.read_features(list, &mut scratch);
        self.set_read(summary, &mut scratch, &mut set);
        (set, summary.sequence)
    }

    /// Replaces `set` by the feature set of a text, ascending: the same set that a run makes of a
    /// record with this text. Does not allocate once the buffers are warm, unless the text is
    /// large.
    pub fn text_set(&self, text: &str, scratch: &mut SignerScratch, set: &mut Vec<u64>) -> TextSet {
        self.message_set(text, Beside::default(), scratch, set)
    }

    /// The digest of the unit of a text with too few features, by that of its words.
    #[must_use]
    pub fn few_unit(&self, sequence: TokenDigest, beside: Beside) -> SetDigest {
        let (label, value) = (self.label(beside), self.value_beside(beside));
        let given = Given { label, value, ..Given::default() };
        given.across(given.separated(SetDigest(sequence.0)))
    }

    /// As [`Signer::text_set`] for the text of a record with what is compared beside it
    /// ([`Signer::text_and_beside`]).
    pub fn message_set(
        &self,
        text: &str,
        beside: Beside,
        scratch: &mut SignerScratch,
        set: &mut Vec<u64>,
    ) -> TextSet {
        let summary = self.read_text(text, scratch);
        scratch.given.label = self.label(self.beside_text(beside, text, scratch));
        scratch.given.value = self.value_beside(beside);
        let text = original::digest(&Content::Text(text.into()), beside);
        self.set_read(DocumentSummary { text, ..summary }, scratch, set)
    }

    /// As [`Signer::text_set`] for a record, whose content is taken out of it.
    pub fn record_set(
        &self,
        record: &mut RecordView<'_>,
        scratch: &mut SignerScratch,
        set: &mut Vec<u64>,
    ) -> TextSet {
        let summary = self.read(record, scratch);
        self.set_read(summary, scratch, set)
    }

    /// The feature set of the last document read.
    fn set_read(
        &self,
        summary: DocumentSummary,
        scratch: &mut SignerScratch,
        set: &mut Vec<u64>,
    ) -> TextSet {
        set.clear();
        scratch.few = false;
        let unit = match self.large_features(&summary, scratch) {
            _ if summary.is_blank() => Err(Unsigned::Empty),
            Some(large) => large.map(|large| {
                *set = large.set;
                large.digest
            }),
            None => {
                let mut high = std::mem::take(&mut scratch.high);
                let unit = self.features(&summary, scratch, set, &mut high);
                set.append(&mut high);
                scratch.high = high;
                scratch.sort.sort(set);
                unit
            }
        };
        if unit.is_err() {
            set.clear();
        }
        TextSet { summary, unit, few: scratch.few, value: scratch.given.value }
    }
}

/// How a text takes part in a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextSet {
    /// Its counts and digests.
    pub summary: DocumentSummary,
    /// The digest of its feature set, or why it has none. With too few features, it is the digest
    /// of the token sequence.
    pub unit: Result<SetDigest, Unsigned>,
    /// Whether it has too few features to be compared.
    pub few: bool,
    /// The key of the value by which a record differs from those that it may match
    /// ([`across`](crate::across)); 0 where values do not count. It is part of `unit`.
    pub value: u64,
}
