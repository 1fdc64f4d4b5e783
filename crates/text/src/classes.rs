//! Classes of code points, for the word scan.
//!
//! [`Classes::get`] answers with sixteen bits of flags from a two-stage table that is built once
//! from the Unicode data of `icu_properties`. The standard library's `char::is_alphanumeric` will
//! not do: it counts the vowel signs of many scripts as letters (`Other_Alphabetic`), and a word
//! here is what Python's `[^\W_]+` finds, so a letter is general category `L*` and a number `N*`.

use icu_normalizer::ComposingNormalizerBorrowed as ComposingNormalizer;
use icu_normalizer::properties::{
    CanonicalCombiningClassMapBorrowed, CanonicalDecompositionBorrowed, Decomposed,
};
use icu_properties::props::{
    CaseIgnorable, Cased, ChangesWhenLowercased, DefaultIgnorableCodePoint, GeneralCategory,
    GeneralCategoryGroup, NumericType, Script, WordBreak,
};
use icu_properties::script::ScriptWithExtensions;
use icu_properties::{CodePointMapData, CodePointSetData};
use std::collections::HashSet;
use std::sync::LazyLock;

/// A letter or number of a script that puts spaces between words.
pub(crate) const WORD: u16 = 1;
/// A letter or number of a script written without spaces.
pub(crate) const UNSPACED: u16 = 1 << 1;
/// A combining mark (`M*`): no part of a word, except inside a run of an unspaced script. Also on
/// the unspaced letters that attach as marks do (`Word_Break=Extend`).
pub(crate) const MARK: u16 = 1 << 2;
/// [`UNSPACED`], and a segment of its own (with its marks) under UAX #29: `Word_Break=Other`.
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
/// `Default_Ignorable_Code_Point`: removed from the text before anything else. Such a code point is
/// never part of a word, whatever its category (the Hangul fillers are letters), and never inert.
pub(crate) const DEFAULT_IGNORABLE: u16 = 1 << 12;

const CODE_POINTS: usize = 0x11_0000;
const BLOCK: usize = 256;

/// The scripts that are written without spaces between words.
const SCRIPTS: [Script; 7] = [
    Script::Han,
    Script::Hiragana,
    Script::Katakana,
    Script::Thai,
    Script::Lao,
    Script::Khmer,
    Script::Myanmar,
];

/// The table of flags.
pub(crate) struct Classes {
    index: Box<[u16; CODE_POINTS / BLOCK]>,
    blocks: Vec<[u16; BLOCK]>,
}

impl Classes {
    /// The one table of the process, built at the first call (about a millisecond).
    pub(crate) fn shared() -> &'static Self {
        static SHARED: LazyLock<Classes> = LazyLock::new(Classes::build);
        &SHARED
    }

    /// The flags of a code point.
    #[inline]
    pub(crate) fn get(&self, c: char) -> u16 {
        let point = c as usize;
        self.blocks[usize::from(self.index[point / BLOCK])][point % BLOCK]
    }

    fn build() -> Self {
        let flat = flat();
        let mut index = Box::new([0; CODE_POINTS / BLOCK]);
        let mut blocks: Vec<[u16; BLOCK]> = Vec::new();
        for (number, block) in index.iter_mut().zip(flat.as_chunks().0) {
            let known = blocks.iter().position(|seen| seen == block);
            let place = known.unwrap_or_else(|| {
                blocks.push(*block);
                blocks.len() - 1
            });
            *number = u16::try_from(place).expect("there are 4352 blocks");
        }
        Self { index, blocks }
    }
}

impl std::fmt::Debug for Classes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Classes").field("blocks", &self.blocks.len()).finish()
    }
}

/// The flags of every code point.
fn flat() -> Vec<u16> {
    let mut flat = vec![0; CODE_POINTS];
    let mut set = |range: std::ops::RangeInclusive<u32>, flag: u16| {
        for class in &mut flat[*range.start() as usize..=*range.end() as usize] {
            *class |= flag;
        }
    };
    for entry in CodePointMapData::<GeneralCategory>::new().iter_ranges() {
        if GeneralCategoryGroup::Letter.contains(entry.value)
            || GeneralCategoryGroup::Number.contains(entry.value)
        {
            set(entry.range.clone(), WORD);
        }
        if GeneralCategoryGroup::Mark.contains(entry.value) {
            set(entry.range, MARK);
        }
    }
    for entry in CodePointMapData::<NumericType>::new().iter_ranges() {
        if matches!(entry.value, NumericType::Decimal | NumericType::Digit) {
            set(entry.range, DIGIT);
        }
    }
    for range in CodePointSetData::new::<ChangesWhenLowercased>().iter_ranges() {
        set(range, UPPER);
    }
    for range in CodePointSetData::new::<Cased>().iter_ranges() {
        set(range, CASED);
    }
    for range in CodePointSetData::new::<CaseIgnorable>().iter_ranges() {
        set(range, IGNORABLE);
    }
    mark_unspaced(&mut flat);
    mark_inert(&mut flat);
    for range in CodePointSetData::new::<DefaultIgnorableCodePoint>().iter_ranges() {
        for class in &mut flat[*range.start() as usize..=*range.end() as usize] {
            // Lower-casing alone still uses them, as the standard library does.
            *class = *class & (CASED | IGNORABLE) | DEFAULT_IGNORABLE;
        }
    }
    flat
}

/// The canonical combining class: marks in a row have to stand in the order of these numbers.
pub(crate) fn order(c: char) -> u8 {
    CanonicalCombiningClassMapBorrowed::new().get_u8(c)
}

/// Where characters are looked at for [`INERT_NFC`] and [`INERT_NFKC`]: the scripts and symbols in
/// common use. All others take the general path, which is only slower.
const COMMON: [std::ops::Range<u32>; 4] =
    [0x80..0x3400, 0xA000..0xAC00, 0xF900..0x1_0000, 0x1_F000..0x1_FB00];

/// Han and Hangul syllables: inert without a look at each of them, which a test takes.
const WITHOUT_A_LOOK: [std::ops::RangeInclusive<u32>; 3] =
    [0x3400..=0x4DBF, 0x4E00..=0x9FFF, 0xAC00..=0xD7A3];

/// Marks characters that normalisation does not change: normal by themselves, never the second of a
/// composed pair, and not reordered (UAX #15, section 9, with every "maybe" treated as "no").
fn mark_inert(flat: &mut [u16]) {
    let (nfc, nfkc) = (ComposingNormalizer::new_nfc(), ComposingNormalizer::new_nfkc());
    let orders = CanonicalCombiningClassMapBorrowed::new();
    let pairs = CanonicalDecompositionBorrowed::new();
    let common = || COMMON.into_iter().flatten().filter_map(char::from_u32);
    let seconds: HashSet<char> = common()
        .filter_map(|c| match pairs.decompose(c) {
            Decomposed::Expansion(_, second) => Some(second),
            _ => None,
        })
        .collect();
    let mut buffer = [0; 4];
    for c in common() {
        // Jamo are composed to syllables by arithmetic.
        if seconds.contains(&c) || ('\u{1100}'..'\u{1200}').contains(&c) {
            continue;
        }
        let text: &str = c.encode_utf8(&mut buffer);
        if nfc.is_normalized(text) {
            flat[c as usize] |= if orders.get_u8(c) == 0 { INERT_NFC } else { ORDERED_NFC };
        }
        if nfkc.is_normalized(text) {
            flat[c as usize] |= if orders.get_u8(c) == 0 { INERT_NFKC } else { ORDERED_NFKC };
        }
    }
    for point in WITHOUT_A_LOOK.into_iter().flatten() {
        flat[point as usize] |= INERT_NFC | INERT_NFKC;
    }
}

/// Turns [`WORD`] into [`UNSPACED`] where the script has no spaces between words.
///
/// A letter shared by several scripts (the prolonged sound mark `ー` and its halfwidth form, the
/// halfwidth voicing marks) counts when all of its `Script_Extensions` are such scripts (the
/// modifier apostrophe `ʼ` has Thai among many others); a shared number (`㊀`) does not.
fn mark_unspaced(flat: &mut [u16]) {
    let categories = CodePointMapData::<GeneralCategory>::new();
    let breaks = CodePointMapData::<WordBreak>::new();
    let scripts = ScriptWithExtensions::new();
    for entry in CodePointMapData::<Script>::new().iter_ranges() {
        let own = SCRIPTS.contains(&entry.value);
        let shared = matches!(entry.value, Script::Common | Script::Inherited);
        if !own && !shared {
            continue;
        }
        for point in entry.range {
            let class = &mut flat[point as usize];
            let meant = own
                || (GeneralCategoryGroup::Letter.contains(categories.get32(point))
                    && scripts
                        .get_script_extensions_val32(point)
                        .iter()
                        .all(|script| SCRIPTS.contains(&script)));
            if *class & WORD == 0 || !meant {
                continue;
            }
            *class = *class & !WORD | UNSPACED;
            match breaks.get32(point) {
                WordBreak::Other => *class |= ALONE,
                // The halfwidth voicing marks: letters that attach to the one before.
                WordBreak::Extend => *class |= MARK,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    /// Removing them once, before normalising and lower-casing, is enough: neither step makes one.
    #[test]
    fn no_step_of_the_analysis_makes_a_default_ignorable_character() {
        let nfkc = ComposingNormalizer::new_nfkc();
        for c in ('\0'..=char::MAX).filter(|&c| class(c) & DEFAULT_IGNORABLE == 0) {
            let lower = nfkc.normalize(c.encode_utf8(&mut [0; 4])).to_lowercase();
            assert!(lower.chars().all(|c| class(c) & DEFAULT_IGNORABLE == 0), "{c:?}");
        }
    }

    #[test]
    fn default_ignorable_characters_belong_to_no_word_and_no_mark() {
        let ignorable = "\u{ad}\u{34f}\u{61c}\u{115f}\u{1160}\u{17b4}\u{180b}\u{180e}\u{200b}\u{200d}\u{200f}\
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
        for c in "漢々〇あアーｱｰﾞไກខမ".chars() {
            assert_eq!(class(c) & (WORD | UNSPACED), UNSPACED, "{c}");
        }
        for c in "aя한अ㊀１ʼ".chars() {
            assert_eq!(class(c) & (WORD | UNSPACED), WORD, "{c}");
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
