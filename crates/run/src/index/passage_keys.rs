//! The words of texts, and the keys by which an index finds texts with passages in common.

use super::settings::IndexSettings;
use crate::LookalikeError;
use crate::words::{LocatedWords, WordReader, WordScratch};
use lookalike_core::fingerprint::finalise;
use lookalike_index::StoredSignature;
use lookalike_passages::anchors::AnchorScratch;
use lookalike_passages::{CommonText, Lengths, SectionUnits};
use lookalike_text::{AnalysisSettings, Unit};

/// Reads texts for questions about passages. An index stores the keys as those of a further method, behind
/// its own ones; they have no sketch, as answers are verified on the texts.
pub struct PassageKeys {
    words: WordReader,
    lengths: Lengths,
}

/// Buffers of one thread.
#[derive(Default)]
pub struct PassageKeyScratch {
    words: WordScratch,
    units: SectionUnits,
    anchors: AnchorScratch,
}

impl std::fmt::Debug for PassageKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PassageKeys").field("lengths", &self.lengths).finish_non_exhaustive()
    }
}

impl PassageKeys {
    /// `None` for an index without passages.
    ///
    /// # Errors
    /// A length that no passage can have; an index without texts.
    pub(super) fn new(settings: &IndexSettings) -> Result<Option<Self>, LookalikeError> {
        let Some(length) = settings.passages else { return Ok(None) };
        let lengths = Lengths::of_window(length as usize).map_err(|_| {
            LookalikeError::Settings(format!(
                "the setting passages={length}: a passage has 1 to {} words",
                Lengths::MOST
            ))
        })?;
        if !settings.texts {
            return Err(LookalikeError::Settings(
                "the setting passages needs the texts, on which answers are verified; leave out the setting \
                 no_text"
                    .into(),
            ));
        }
        let documents = &settings.documents;
        let analysis = AnalysisSettings { unit: Unit::Word, ..documents.analysis.clone() };
        let words = WordReader::new(&analysis.decided(), documents.fields.has_sections());
        Ok(Some(Self { words, lengths }))
    }

    /// The fewest words of a passage.
    pub(super) fn length(&self) -> u32 {
        self.lengths.window()
    }

    /// What an index stores of a text.
    pub fn sign(&self, text: &str, scratch: &mut PassageKeyScratch) -> StoredSignature {
        self.read(text, scratch);
        let PassageKeyScratch { units, anchors, .. } = scratch;
        let mut keys = Vec::new();
        units.each_gram(self.lengths, anchors, |key, _| keys.push(stored(key)));
        keys.sort_unstable();
        keys.dedup();
        StoredSignature { keys, size: units.len() as u32, ..StoredSignature::default() }
    }

    /// A text whose passages are looked for, with the keys of the texts that may have some.
    pub(super) fn question(&self, text: &str, scratch: &mut PassageKeyScratch) -> SoughtText {
        self.read(text, scratch);
        let text = CommonText::new(std::mem::take(&mut scratch.units), self.lengths);
        let keys = text.keys().into_iter().map(stored).collect();
        SoughtText { text, keys }
    }

    /// The words of a text, as hashes.
    pub(super) fn read<'s>(
        &self,
        text: &str,
        scratch: &'s mut PassageKeyScratch,
    ) -> &'s SectionUnits {
        let PassageKeyScratch { words, units, .. } = scratch;
        self.words.read(text, words);
        units.clear();
        words.sections().for_each(|section| units.push(section));
        words.free_large();
        units
    }

    /// The words of a text with their places.
    pub(super) fn located(&self, text: &str) -> LocatedWords {
        self.words.located(text)
    }
}

/// A text whose passages are looked for.
pub(super) struct SoughtText {
    pub(super) text: CommonText,
    /// The keys of the texts that may have passages in common with it.
    pub(super) keys: Vec<u64>,
}

/// A key as it is stored: that of an anchor is a minimum, and postings are found by the first bits of
/// their keys.
fn stored(key: u64) -> u64 {
    finalise(key)
}
