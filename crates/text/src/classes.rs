//! Classes of code points, for the word scan.
//!
//! [`Classes::get`] answers with sixteen bits of flags from a two-stage table, `classes.bin`. A test
//! makes it from the Unicode data of ICU (`unicode`) and compares: made when the process starts, it
//! would cost more than comparing two short documents. The standard library's `char::is_alphanumeric` will
//! not do: it counts the vowel signs of many scripts as letters (`Other_Alphabetic`). Here a letter
//! is general category `L*`, a number `N*`, and a vowel sign a mark.

use icu_normalizer::properties::CanonicalCombiningClassMapBorrowed;

/// A letter or number of a script that puts spaces between words.
pub(crate) const WORD: u16 = 1;
/// A letter or number of a script written without spaces.
pub(crate) const UNSPACED: u16 = 1 << 1;
/// Belongs to the word before it: a combining mark (`M*`), or another character that begins no
/// grapheme cluster: emoji modifiers, and the letters that attach as marks do (Thai and Lao *am*, the
/// halfwidth voicing marks), which are no letters here.
pub(crate) const MARK: u16 = 1 << 2;
/// [`UNSPACED`], and a word of its own with its marks.
pub(crate) const ALONE: u16 = 1 << 3;
/// A digit: `Numeric_Type` is `Decimal` or `Digit` (superscripts and circled digits), as Python's
/// `isdigit`.
pub(crate) const DIGIT: u16 = 1 << 4;
/// The lower-case form may differ.
pub(crate) const UPPER: u16 = 1 << 5;
/// `Cased`, for the final sigma.
pub(crate) const CASED: u16 = 1 << 6;
/// `Case_Ignorable`, for the final sigma.
pub(crate) const IGNORABLE: u16 = 1 << 7;
/// NFC leaves the character alone, whatever stands beside it, as long as that has this flag too or
/// is ASCII.
pub(crate) const INERT_NFC: u16 = 1 << 8;
/// So does NFKC.
pub(crate) const INERT_NFKC: u16 = 1 << 9;
/// Inert under NFC if adjacent marks are in canonical order, which [`order`] checks.
pub(crate) const ORDERED_NFC: u16 = 1 << 10;
/// The same under NFKC.
pub(crate) const ORDERED_NFKC: u16 = 1 << 11;
/// `Default_Ignorable_Code_Point`, and [`TATWEEL`]: removed from the text before anything else. Such
/// a code point is never part of a word, whatever its category (the Hangul fillers are letters), and
/// never inert.
pub(crate) const DEFAULT_IGNORABLE: u16 = 1 << 12;
/// [`UNSPACED`], and joins its like only: `Word_Break=Katakana`.
pub(crate) const KATAKANA: u16 = 1 << 13;
/// A grapheme cluster may go on with the letter after it: `Indic_Conjunct_Break=Linker`, or a letter
/// with `Grapheme_Cluster_Break=Prepend`.
pub(crate) const JOINS: u16 = 1 << 14;
/// A symbol (`S*`) or connector (`Pc`).
pub(crate) const SYMBOL: u16 = 1 << 15;

/// The combining dot above.
pub(crate) const DOT_ABOVE: char = '\u{307}';
/// Lengthens the letters of a word in Arabic script, and changes nothing else.
pub(crate) const TATWEEL: char = '\u{640}';

const CODE_POINTS: usize = 0x11_0000;
const BLOCK: usize = 256;

/// The index of blocks, and the distinct blocks: numbers of 16 bits, the lower byte first.
const FILE: &[u8] = include_bytes!("classes.bin");
const BLOCKS: usize = FILE.len() / 2 / BLOCK - CODE_POINTS / BLOCK / BLOCK;

/// The table of flags.
pub(crate) struct Classes {
    index: [u16; CODE_POINTS / BLOCK],
    blocks: [[u16; BLOCK]; BLOCKS],
}

impl Classes {
    /// The one table of the process.
    pub(crate) fn shared() -> &'static Self {
        static SHARED: Classes = Classes::read();
        &SHARED
    }

    /// The flags of a code point.
    #[inline]
    pub(crate) fn get(&self, c: char) -> u16 {
        let point = c as usize;
        self.blocks[usize::from(self.index[point / BLOCK])][point % BLOCK]
    }

    const fn read() -> Self {
        let mut table = Self { index: [0; CODE_POINTS / BLOCK], blocks: [[0; BLOCK]; BLOCKS] };
        let (numbers, _) = FILE.as_chunks::<2>();
        let mut at = 0;
        while at < numbers.len() {
            let number = u16::from_le_bytes(numbers[at]);
            match at.checked_sub(CODE_POINTS / BLOCK) {
                None => table.index[at] = number,
                Some(at) => table.blocks[at / BLOCK][at % BLOCK] = number,
            }
            at += 1;
        }
        table
    }
}

impl std::fmt::Debug for Classes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Classes").field("blocks", &self.blocks.len()).finish()
    }
}

/// The canonical combining class: marks in a row have to stand in the order of these numbers.
pub(crate) fn order(c: char) -> u8 {
    CanonicalCombiningClassMapBorrowed::new().get_u8(c)
}

#[cfg(test)]
mod unicode;

#[cfg(test)]
mod tests {
    use super::unicode::Unspaced;
    use super::*;
    use crate::normal::BORNE_MARKS;
    use icu_normalizer::ComposingNormalizerBorrowed as ComposingNormalizer;
    use icu_normalizer::properties::{CanonicalDecompositionBorrowed, Decomposed};
    use icu_properties::props::Script;
    use std::collections::BTreeSet;

    fn class(c: char) -> u16 {
        Classes::shared().get(c)
    }

    #[test]
    fn letters_and_numbers_are_word_characters_and_marks_are_not() {
        for c in "aZ9é½²Ⅷßﬁﷺऄ中ไ٣".chars() {
            assert_ne!(class(c) & (WORD | UNSPACED), 0, "{c}");
        }
        // U+0345 and U+093E are Other_Alphabetic, Ⓐ is Other_Alphabetic and a symbol.
        for c in "_ -'\u{301}\u{345}\u{93e}Ⓐ€\u{200b}".chars() {
            assert_eq!(class(c) & (WORD | UNSPACED), 0, "{c}");
        }
    }

    /// Removing them once, before normalising and lower-casing, is enough: neither step makes one,
    /// but of the marks that NFKC puts on a tatweel.
    #[test]
    fn no_step_of_the_analysis_makes_a_default_ignorable_character() {
        let nfkc = ComposingNormalizer::new_nfkc();
        for c in ('\0'..=char::MAX).filter(|&c| class(c) & DEFAULT_IGNORABLE == 0) {
            let lower = nfkc.normalize(c.encode_utf8(&mut [0; 4])).to_lowercase();
            let made = lower.chars().any(|c| class(c) & DEFAULT_IGNORABLE != 0);
            assert_eq!(made, BORNE_MARKS.contains(&c), "{c:?}");
        }
    }

    #[test]
    fn default_ignorable_characters_belong_to_no_word_and_no_mark() {
        let ignorable = "\u{640}\u{ad}\u{34f}\u{61c}\u{115f}\u{1160}\u{17b4}\u{180b}\u{180e}\u{200b}\u{200d}\u{200f}\
            \u{202e}\u{2060}\u{2069}\u{206f}\u{3164}\u{fe0f}\u{feff}\u{ffa0}\u{e0041}\u{e01ef}\u{e0fff}";
        for c in ignorable.chars() {
            assert_eq!(class(c) & !(CASED | IGNORABLE), DEFAULT_IGNORABLE, "{c:?}");
        }
        // Format characters that are shown: number signs, annotations; and an ideographic space.
        for c in "\u{600}\u{fff9}\u{fffb}\u{13430}\u{3000}\u{2028}".chars() {
            assert_eq!(class(c) & DEFAULT_IGNORABLE, 0, "{c:?}");
        }
        assert!(('\0'..='\x7f').all(|c| class(c) & DEFAULT_IGNORABLE == 0));
    }

    #[test]
    fn scripts_without_spaces_are_known_by_their_shared_letters_too() {
        for c in "漢々〇あアーｱｰไກខမᥐᦀᨠꪀ𑜀ꦏᬓᯂꨀ𑀓𗀀𛅰".chars()
        {
            assert_eq!(class(c) & (WORD | UNSPACED), UNSPACED, "{c}");
        }
        for c in "aя한अ㊀１ʼ".chars() {
            assert_eq!(class(c) & (WORD | UNSPACED), WORD, "{c}");
        }
    }

    /// The list for readers; a new version of Unicode may add to it.
    #[test]
    fn scripts_without_spaces_are_those_of_the_line_break_classes() {
        let names = |scripts: &BTreeSet<Script>| {
            let names = icu_properties::PropertyNamesShort::<Script>::new();
            let known = scripts.iter().map(|script| names.get_locale_script(*script));
            let mut known: Vec<String> = known.flatten().map(|name| name.to_string()).collect();
            known.sort();
            known.join(" ")
        };
        let Unspaced { all, aksaras } = Unspaced::new();
        assert_eq!(names(&aksaras), "Bali Batk Brah Cham Diak Gran Gukh Java Kawi Maka Tutg");
        assert_eq!(
            names(&all),
            "Ahom Bali Batk Brah Cham Diak Gran Gukh Hani Hira Java Jurc Kana Kawi Khmr Kits Lana Laoo \
             Maka Mymr Nshu Seal Tale Talu Tang Tavt Thai Tutg"
        );
    }

    #[test]
    fn what_attaches_to_a_letter_is_a_mark() {
        for c in "\u{301}\u{93e}\u{20e3}\u{e33}\u{eb3}\u{ff9e}\u{ff9f}\u{1f3fd}".chars() {
            assert_eq!(class(c) & (WORD | UNSPACED | MARK), MARK, "{c:?}");
        }
    }

    #[test]
    fn every_code_point_that_the_standard_library_lowers_is_flagged() {
        for c in '\0'..=char::MAX {
            if !c.to_lowercase().eq([c]) {
                assert_ne!(class(c) & UPPER, 0, "{c}");
            }
        }
    }

    #[test]
    fn what_is_called_inert_is_normal_and_stays_so_beside_its_like() {
        let (nfc, nfkc) = (ComposingNormalizer::new_nfc(), ComposingNormalizer::new_nfkc());
        let orders = CanonicalCombiningClassMapBorrowed::new();
        let pairs = CanonicalDecompositionBorrowed::new();
        for c in '\0'..=char::MAX {
            let text = c.to_string();
            let class = class(c);
            for (inert, ordered, normalizer) in
                [(INERT_NFC, ORDERED_NFC, &nfc), (INERT_NFKC, ORDERED_NFKC, &nfkc)]
            {
                if class & (inert | ordered) != 0 {
                    assert!(normalizer.is_normalized(&text), "{c:?}");
                    assert_eq!(class & inert != 0, orders.get_u8(c) == 0, "{c:?}");
                    // Syllables are made of jamo by arithmetic.
                    assert!(!('\u{1100}'..'\u{1200}').contains(&c), "{c:?}");
                }
            }
            if let Decomposed::Expansion(_, second) = pairs.decompose(c)
                && !('\u{AC00}'..='\u{D7A3}').contains(&c)
            {
                let flags = INERT_NFC | INERT_NFKC | ORDERED_NFC | ORDERED_NFKC;
                assert_eq!(self::class(second) & flags, 0, "{second:?}");
            }
        }
        for c in "éяαعअ漢한あ—“”’…€😀".chars() {
            assert_ne!(class(c) & INERT_NFC, 0, "{c}");
        }
        for c in "\u{e38}\u{e48}\u{64e}".chars() {
            assert_ne!(class(c) & ORDERED_NFC, 0, "{c:?}");
        }
    }
}
