//! The table of classes, from the Unicode data of ICU.

use super::*;
use icu_normalizer::ComposingNormalizerBorrowed as ComposingNormalizer;
use icu_normalizer::properties::{CanonicalDecompositionBorrowed, Decomposed};
use icu_properties::props::{
    CaseIgnorable, Cased, ChangesWhenLowercased, DefaultIgnorableCodePoint, GeneralCategory,
    GeneralCategoryGroup, GraphemeClusterBreak, Ideographic, IndicConjunctBreak, LineBreak,
    NumericType, Script, WordBreak,
};
use icu_properties::script::ScriptWithExtensions;
use icu_properties::{CodePointMapData, CodePointSetData};
use std::collections::{BTreeSet, HashSet};

/// `classes.bin` is what ICU says; after a new version of Unicode, `BLESS=1` writes it.
#[test]
fn the_table_is_that_of_unicode() {
    let flat = flat();
    let mut blocks: Vec<&[u16]> = Vec::new();
    let mut numbers = Vec::new();
    for block in flat.chunks(BLOCK) {
        let known = blocks.iter().position(|seen| *seen == block);
        numbers.push(known.unwrap_or_else(|| {
            blocks.push(block);
            blocks.len() - 1
        }) as u16);
    }
    numbers.extend(blocks.concat());
    let bytes: Vec<u8> = numbers.into_iter().flat_map(u16::to_le_bytes).collect();
    if std::env::var_os("BLESS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/classes.bin");
        std::fs::write(path, &bytes).unwrap();
    }
    assert!(bytes == FILE, "Unicode changed: run this test with BLESS=1, and once more");
    assert!(flat.iter().zip(0..).all(|(flags, point)| {
        char::from_u32(point).is_none_or(|c| Classes::shared().get(c) == *flags)
    }));
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
pub(super) struct Unspaced {
    /// All of them: ideographs, Kana, and scripts whose lines are broken within what stands between
    /// two spaces (`Line_Break` is `SA`, or one of the classes of aksaras).
    pub(super) all: BTreeSet<Script>,
    /// Those whose lines are broken between aksaras (orthographic syllables: UAX #14, LB28a).
    /// `Word_Break` knows them as scripts with spaces.
    pub(super) aksaras: BTreeSet<Script>,
}

impl Unspaced {
    pub(super) fn new() -> Self {
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
