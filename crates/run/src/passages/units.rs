//! What passages are made of: the units of a text, as hashes and with their places.

use super::settings::{PassageUnit, Whole};
use crate::words::{WordReader, WordScratch};
use lookalike_core::fingerprint::{self, TextDigest};
use lookalike_passages::SectionUnits;
use lookalike_text::{AnalysisSettings, NotCut, TextEdit, Unit, cut_bytes, cut_edits, divisible};
use std::ops::Range;

/// Reads the units of texts; one for all threads.
#[derive(Debug)]
pub struct UnitReader {
    words: WordReader,
    unit: PassageUnit,
    /// The hash of each byte.
    of_bytes: Vec<u64>,
}

/// Makes the units of a document others than those of documents with another salt.
pub(super) fn add_salt(units: &mut SectionUnits, salt: Option<u64>) {
    if let Some(salt) = salt {
        units.change(|unit| fingerprint::finalise(unit ^ salt));
    }
}

/// Working space of one thread.
#[derive(Default)]
pub struct UnitScratch {
    words: WordScratch,
    units: SectionUnits,
}

impl UnitReader {
    /// Reads units of a kind; with `sections`, texts have some.
    #[must_use]
    pub fn new(unit: &PassageUnit, analysis: &AnalysisSettings, sections: bool) -> Self {
        let of_words = match unit {
            PassageUnit::Char => Unit::Char,
            _ => Unit::Word,
        };
        let analysis = AnalysisSettings { unit: of_words, ..*analysis };
        let of_bytes = (0..=u8::MAX).map(|byte| fingerprint::token(&[byte])).collect();
        Self { words: WordReader::new(&analysis, sections), unit: unit.clone(), of_bytes }
    }

    /// Reads the units of a text into the scratch; returns how many it has. Those of a document that is
    /// compared with some others only have a `salt` which is that of these others.
    pub fn read(&self, text: &str, salt: Option<u64>, scratch: &mut UnitScratch) -> usize {
        let UnitScratch { words, units } = scratch;
        units.clear();
        match self.unit {
            PassageUnit::Word | PassageUnit::Char => {
                self.words.read(text, words);
                words.sections().for_each(|section| units.push(section));
            }
            PassageUnit::Byte => {
                units.add(text.bytes().map(|byte| self.of_bytes[usize::from(byte)]));
                units.end_section();
            }
            PassageUnit::Tokens(_) => {
                units.add(lines(text).map(|token| fingerprint::token(token.as_bytes())));
                units.end_section();
            }
            PassageUnit::Line | PassageUnit::Sentence | PassageUnit::Paragraph => {
                self.each_group(text, |group| match group {
                    Some((letters, _)) => units.add([fingerprint::token(letters.as_bytes())]),
                    None => units.end_section(),
                });
            }
        }
        add_salt(units, salt);
        units.len()
    }

    /// The units of a text with their places. Slower, and it takes memory for each unit that is no byte.
    #[must_use]
    pub fn located<'t>(&self, text: &'t str) -> LocatedUnits<'t> {
        let mut units = Spelled::with_room_for(text);
        match self.unit {
            PassageUnit::Byte => return LocatedUnits { text, spelled: None },
            PassageUnit::Word | PassageUnit::Char => {
                self.words.each_located(text, |word| {
                    if let Some((word, place)) = word {
                        units.push(word, place);
                    }
                });
            }
            PassageUnit::Tokens(_) => {
                let mut start = 0;
                for token in lines(text) {
                    units.push(token, start..start + token.len());
                    start += token.len() + 1;
                }
                units.are_lines = true;
            }
            PassageUnit::Line | PassageUnit::Sentence | PassageUnit::Paragraph => {
                self.each_group(text, |group| {
                    if let Some((letters, place)) = group {
                        units.push(letters, place);
                    }
                });
            }
        }
        LocatedUnits { text, spelled: Some(units) }
    }

    /// The words of each line, sentence or paragraph that has some, each word with a line end, and their
    /// place; `None` at the end of each section.
    fn each_group(&self, text: &str, mut each: impl FnMut(Option<(&str, Range<usize>)>)) {
        let whole = match self.unit {
            PassageUnit::Line => Whole::Line,
            PassageUnit::Sentence => Whole::Sentence,
            _ => Whole::Paragraph,
        };
        let (mut letters, mut place) = (String::new(), 0..0);
        self.words.each_located(text, |word| {
            let ends = match &word {
                Some((_, next)) => {
                    text.get(place.end..next.start).is_some_and(|between| whole.ends_in(between))
                }
                None => true,
            };
            if ends && !letters.is_empty() {
                each(Some((&letters, place.clone())));
                letters.clear();
            }
            match word {
                Some((word, next)) => {
                    if letters.is_empty() {
                        place.start = next.start;
                    }
                    place.end = next.end;
                    letters.push_str(word);
                    letters.push('\n');
                }
                None => each(None),
            }
        });
    }
}

impl UnitScratch {
    /// The units of the text that was read last.
    #[must_use]
    pub fn units(&self) -> &SectionUnits {
        &self.units
    }

    /// Frees what a large document has taken, and the units.
    pub fn free_large(&mut self) {
        self.words.free_large();
        self.units.free();
    }
}

/// The units of a text with their places.
pub struct LocatedUnits<'t> {
    text: &'t str,
    /// `None` of bytes: their numbers are their places.
    spelled: Option<Spelled>,
}

struct Spelled {
    /// The units one behind the other, each with a line end.
    letters: String,
    /// Where each begins in these, and their end.
    ends: Vec<usize>,
    /// The byte range of each.
    places: Vec<Range<usize>>,
    /// Whether each is a line of the text, and all lines are units.
    are_lines: bool,
}

/// The tokens of a list, which are the lines of its text.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_terminator('\n')
}

impl Spelled {
    /// With room for the words of most texts.
    fn with_room_for(text: &str) -> Self {
        let words = text.len() / 5;
        let mut units = Self {
            letters: String::with_capacity(text.len()),
            ends: Vec::with_capacity(words + 1),
            places: Vec::with_capacity(words),
            are_lines: false,
        };
        units.ends.push(0);
        units
    }

    fn push(&mut self, unit: &str, place: Range<usize>) {
        self.places.push(place);
        self.letters.push_str(unit);
        self.letters.push('\n');
        self.ends.push(self.letters.len());
    }
}

impl LocatedUnits<'_> {
    /// Number of units.
    #[must_use]
    pub fn count(&self) -> usize {
        self.spelled.as_ref().map_or(self.text.len(), |units| units.places.len())
    }

    /// From the first byte of the first of some units to the last of the last.
    ///
    /// # Panics
    /// With units that the text does not have, or none.
    #[must_use]
    pub fn bytes(&self, range: &Range<usize>) -> Range<usize> {
        self.place(range.start).start..self.place(range.end - 1).end
    }

    /// How many characters a part of the text has; tokens, if units are tokens.
    #[must_use]
    pub fn letters(&self, part: &str) -> usize {
        match &self.spelled {
            Some(units) if units.are_lines => part.matches('\n').count(),
            _ => part.chars().count(),
        }
    }

    /// Of units, letter by letter.
    ///
    /// # Panics
    /// As of [`LocatedUnits::bytes`].
    #[must_use]
    pub fn digest(&self, range: Range<usize>) -> TextDigest {
        TextDigest::of(match &self.spelled {
            None => &self.text.as_bytes()[range],
            Some(Spelled { letters, ends, .. }) => {
                &letters.as_bytes()[ends[range.start]..ends[range.end]]
            }
        })
    }

    /// The parts of runs that can be cut, as whole lines, sentences or paragraphs if some are asked for:
    /// ascending, as the runs are.
    #[must_use]
    pub fn divisible(&self, runs: Vec<Range<usize>>, whole: Option<Whole>) -> Vec<Range<usize>> {
        let runs = match &self.spelled {
            Some(units) if units.are_lines => runs,
            Some(units) => divisible(&units.places, runs),
            None => runs.into_iter().filter_map(|run| self.of_characters(run)).collect(),
        };
        match whole {
            Some(whole) => whole.within(self.text, self.count(), &|unit| self.place(unit), runs),
            None => runs,
        }
    }

    /// What cutting runs of units replaces in the text.
    ///
    /// # Errors
    /// Nothing would be left.
    pub fn edits(&self, runs: &[Range<usize>]) -> Result<Vec<TextEdit>, NotCut> {
        match &self.spelled {
            Some(units) if units.are_lines => {
                let end = |last: usize| units.places[last - 1].end + 1;
                let bytes = runs.iter().map(|run| self.place(run.start).start..end(run.end));
                let edit = |bytes| TextEdit { bytes, put: "".into() };
                let is_all = runs.iter().map(Range::len).sum::<usize>() >= self.count();
                if is_all { Err(NotCut::NothingLeft) } else { Ok(bytes.map(edit).collect()) }
            }
            Some(units) => cut_edits(self.text, &units.places, runs),
            None => cut_bytes(self.text, runs),
        }
    }

    /// The bytes of the whole characters in a run of bytes.
    fn of_characters(&self, run: Range<usize>) -> Option<Range<usize>> {
        let is_end = |at: &usize| self.text.is_char_boundary(*at);
        let start = run.clone().find(is_end)?;
        let end = (start + 1..=run.end).rev().find(is_end)?;
        Some(start..end)
    }

    fn place(&self, unit: usize) -> Range<usize> {
        self.spelled.as_ref().map_or(unit..unit + 1, |units| units.places[unit].clone())
    }
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init)] // One run is a list of one range.
mod tests {
    use super::*;
    use lookalike_io::SECTION_BREAK;
    use proptest::prelude::*;

    const UNITS: [PassageUnit; 7] = [
        PassageUnit::Tokens(String::new()),
        PassageUnit::Word,
        PassageUnit::Char,
        PassageUnit::Byte,
        PassageUnit::Line,
        PassageUnit::Sentence,
        PassageUnit::Paragraph,
    ];

    proptest! {
        #[test]
        fn units_are_those_that_are_located(
            text in "[a-cé .!\n½東カe\u{301}]{0,40}",
            breaks in prop::collection::vec(any::<prop::sample::Index>(), 0..3),
            unit in prop::sample::select(UNITS.to_vec()),
        ) {
            let mut text: Vec<char> = text.chars().collect();
            let has_sections = !matches!(unit, PassageUnit::Byte | PassageUnit::Tokens(_));
            for at in breaks.iter().filter(|_| has_sections) {
                text.insert(at.index(text.len() + 1), SECTION_BREAK);
            }
            let text: String = text.into_iter().collect();
            let reader = UnitReader::new(&unit, &AnalysisSettings::default(), has_sections);
            let mut scratch = UnitScratch::default();
            let count = reader.read(&text, None, &mut scratch);
            let units = reader.located(&text);
            prop_assert_eq!(units.count(), count);
            prop_assert_eq!(scratch.units().sections().map(<[u64]>::len).sum::<usize>(), count);
            let mut last = 0;
            for at in 0..count {
                let place = units.bytes(&(at..at + 1));
                prop_assert!(last <= place.start && place.end <= text.len());
                last = place.start;
                let letters = match &units.spelled {
                    None => &text.as_bytes()[place],
                    Some(Spelled { letters, ends, .. }) => &letters.as_bytes()[ends[at]..ends[at + 1] - 1],
                };
                prop_assert_eq!(fingerprint::token(letters), scratch.units().all()[at]);
            }
            // Salted, no unit is that of another document.
            let plain = scratch.units().clone();
            reader.read(&text, Some(7), &mut scratch);
            prop_assert!(plain.all().iter().zip(scratch.units().all()).all(|(plain, salted)| plain != salted));
        }
    }

    #[test]
    fn units_by_hand() {
        let text = "One two. Three\n\nfour é";
        let of = |unit| {
            let reader = UnitReader::new(&unit, &AnalysisSettings::default(), false);
            let units = reader.located(text);
            (0..units.count()).map(|at| &text[units.bytes(&(at..at + 1))]).collect::<Vec<_>>()
        };
        assert_eq!(of(PassageUnit::Line), ["One two. Three", "four é"]);
        assert_eq!(of(PassageUnit::Sentence), ["One two", "Three", "four é"]);
        assert_eq!(of(PassageUnit::Paragraph), ["One two. Three", "four é"]);
        assert_eq!(of(PassageUnit::Char)[3..9], [" ", "t", "w", "o", ". ", "T"]);
        let reader = UnitReader::new(
            &PassageUnit::Tokens("ids".into()),
            &AnalysisSettings::default(),
            false,
        );
        let tokens = reader.located("7\n\n12\n7\n");
        assert_eq!((tokens.count(), tokens.bytes(&(1..3))), (4, 2..5));
        let edits = tokens.edits(&[0..1, 2..4]).unwrap();
        assert_eq!(edits.into_iter().map(|edit| edit.bytes).collect::<Vec<_>>(), [0..2, 3..8]);
        assert_eq!(tokens.edits(&[0..4]), Err(NotCut::NothingLeft));
        // The last character has two bytes, and is not divided.
        let reader = UnitReader::new(&PassageUnit::Byte, &AnalysisSettings::default(), false);
        let units = reader.located(text);
        assert_eq!(units.divisible(vec![2..text.len() - 1], None), [2..text.len() - 2]);
        assert!(units.divisible(vec![text.len() - 1..text.len()], None).is_empty());
    }
}
