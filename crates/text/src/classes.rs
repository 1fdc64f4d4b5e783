//! Classes of code points, for the word scan.
//!
//! [`Classes::get`] answers with sixteen bits of flags from a two-stage table that is built once
//! from the Unicode data of `icu_properties`. The standard library's `char::is_alphanumeric` will
//! not do: it counts the vowel signs of many scripts as letters (`Other_Alphabetic`). Here a letter
//! is general category `L*`, a number `N*`, and a vowel sign a mark.

use icu_normalizer::ComposingNormalizerBorrowed as ComposingNormalizer;
use icu_normalizer::properties::{
    CanonicalCombiningClassMapBorrowed, CanonicalDecompositionBorrowed, Decomposed,
};
use icu_properties::props::{
    CaseIgnorable, Cased, ChangesWhenLowercased, DefaultIgnorableCodePoint, GeneralCategory,
    GeneralCategoryGroup, GraphemeClusterBreak, Ideographic, IndicConjunctBreak, LineBreak,
    NumericType, Script, WordBreak,
};
use icu_properties::script::ScriptWithExtensions;
use icu_properties::{CodePointMapData, CodePointSetData};
use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

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
            // A mark is no letter, whatever its category.
            *class = if flag == MARK { *class & !WORD } else { *class } | flag;
        }
    };
    for entry in CodePointMapData::<GeneralCategory>::new().iter_ranges() {
        if GeneralCategoryGroup::Letter.contains(entry.value)
            || GeneralCategoryGroup::Number.contains(entry.value)
        {
            set(entry.range.clone(), WORD);
        }
        if GeneralCategoryGroup::Mark.contains(entry.value) {
            set(entry.range.clone(), MARK);
        }
        if GeneralCategoryGroup::Symbol.contains(entry.value)
            || entry.value == GeneralCategory::ConnectorPunctuation
        {
            set(entry.range, SYMBOL);
        }
    }
    for entry in CodePointMapData::<GraphemeClusterBreak>::new().iter_ranges() {
        match entry.value {
            GraphemeClusterBreak::Extend | GraphemeClusterBreak::SpacingMark => {
                set(entry.range, MARK);
            }
            GraphemeClusterBreak::Prepend => set(entry.range, JOINS),
            _ => {}
        }
    }
    for entry in CodePointMapData::<IndicConjunctBreak>::new().iter_ranges() {
        if entry.value == IndicConjunctBreak::Linker {
            set(entry.range, JOINS);
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
    // Goes after an `i`.
    set(u32::from(DOT_ABOVE)..=u32::from(DOT_ABOVE), UPPER);
    for range in CodePointSetData::new::<Cased>().iter_ranges() {
        set(range, CASED);
    }
    for range in CodePointSetData::new::<CaseIgnorable>().iter_ranges() {
        set(range, IGNORABLE);
    }
    mark_unspaced(&mut flat);
    mark_inert(&mut flat);
    let tatweel = u32::from(TATWEEL);
    for range in CodePointSetData::new::<DefaultIgnorableCodePoint>()
        .iter_ranges()
        .chain([tatweel..=tatweel])
    {
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

/// Scripts written without spaces between words, as the properties of their letters say.
struct Unspaced {
    /// All of them: ideographs, Kana, and scripts whose lines are broken within what stands between
    /// two spaces (`Line_Break` is `SA`, or one of the classes of aksaras).
    all: BTreeSet<Script>,
    /// Those whose lines are broken between aksaras (orthographic syllables: UAX #14, LB28a).
    /// `Word_Break` knows them as scripts with spaces.
    aksaras: BTreeSet<Script>,
}

impl Unspaced {
    fn new() -> Self {
        let mut all = BTreeSet::from([Script::Hiragana, Script::Katakana]);
        let mut aksaras = BTreeSet::new();
        let scripts = CodePointMapData::<Script>::new();
        let categories = CodePointMapData::<GeneralCategory>::new();
        for entry in CodePointMapData::<LineBreak>::new().iter_ranges() {
            let list = match entry.value {
                LineBreak::ComplexContext => &mut all,
                LineBreak::Aksara | LineBreak::AksaraPrebase | LineBreak::AksaraStart => {
                    &mut aksaras
                }
                _ => continue,
            };
            let letter =
                |&point: &u32| GeneralCategoryGroup::Letter.contains(categories.get32(point));
            list.extend(entry.range.filter(letter).map(|point| scripts.get32(point)));
        }
        let ideographs = CodePointSetData::new::<Ideographic>();
        // No two scripts share sixteen code points.
        let columns = ideographs.iter_ranges().flat_map(|range| range.step_by(16));
        all.extend(columns.map(|point| scripts.get32(point)));
        all.extend(&aksaras);
        all.retain(|script| !matches!(*script, Script::Common | Script::Inherited));
        Self { all, aksaras }
    }
}

/// Turns [`WORD`] into [`UNSPACED`] where the script has no spaces between words.
///
/// A letter shared by several scripts (the prolonged sound mark `ー` and its halfwidth form) counts
/// when all of its `Script_Extensions` are such scripts (the
/// modifier apostrophe `ʼ` has Thai among many others); a shared number (`㊀`) does not.
fn mark_unspaced(flat: &mut [u16]) {
    let unspaced = Unspaced::new();
    let categories = CodePointMapData::<GeneralCategory>::new();
    let breaks = CodePointMapData::<WordBreak>::new();
    let scripts = ScriptWithExtensions::new();
    for entry in CodePointMapData::<Script>::new().iter_ranges() {
        let own = unspaced.all.contains(&entry.value);
        let shared = matches!(entry.value, Script::Common | Script::Inherited);
        if !own && !shared {
            continue;
        }
        for point in entry.range {
            let class = &mut flat[point as usize];
            if *class & WORD == 0 {
                continue;
            }
            let letter = || GeneralCategoryGroup::Letter.contains(categories.get32(point));
            let meant = own
                || letter()
                    && scripts
                        .get_script_extensions_val32(point)
                        .iter()
                        .all(|script| unspaced.all.contains(&script));
            if !meant {
                continue;
            }
            *class = *class & !WORD | UNSPACED;
            match breaks.get32(point) {
                WordBreak::Other => *class |= ALONE,
                WordBreak::Katakana => *class |= KATAKANA,
                _ if unspaced.aksaras.contains(&entry.value) && letter() => *class |= ALONE,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normal::BORNE_MARKS;

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
