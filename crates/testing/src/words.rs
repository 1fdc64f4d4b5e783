//! The words of a text, found in another way than `lookalike-text` finds them: grapheme clusters and
//! word boundaries are those of the crate `unicode-segmentation`, normal forms those of
//! `unicode-normalization`, letters and numbers those of `regex-syntax`.
//!
//! A word of the project is a word of UAX #29 but for the exceptions that [`ranges`] states. The
//! primary functions are [`words`] and [`ranges`].

use lookalike_text::Normalize;
use regex_syntax::hir::{Class, HirKind};
use std::collections::HashSet;
use std::ops::{Range, RangeInclusive};
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// Arabic script: lengthens letters.
const TATWEEL: char = '\u{640}';

/// The words of a text, lower-cased.
///
/// # Panics
/// For [`Normalize::Confusables`], which is not written here.
#[must_use]
pub fn words(text: &str, normalize: Normalize) -> Vec<String> {
    let text = prepared(text, normalize).to_lowercase().replace("i\u{307}", "i");
    ranges(&text).into_iter().map(|range| text[range].to_owned()).collect()
}

/// The text without characters that are ignored, normalised.
///
/// # Panics
/// For [`Normalize::Confusables`].
#[must_use]
pub fn prepared(text: &str, normalize: Normalize) -> String {
    let visible = text.chars().filter(|&c| !is_ignorable(c));
    match normalize {
        Normalize::None => visible.collect(),
        Normalize::Nfc => visible.nfc().collect(),
        // Some forms of marks are decomposed to a tatweel with marks.
        Normalize::Nfkc => visible.nfkc().filter(|&c| c != TATWEEL).nfc().collect(),
        Normalize::Confusables => panic!("letters that look alike are not known here"),
    }
}

/// The places of the words in a prepared text.
///
/// Words are made of whole grapheme clusters that begin with a letter or a number (with the letters
/// that attach as marks do counted as marks). Adjacent ones are separated where UAX #29 separates
/// them, but for three exceptions:
///
/// * In scripts with spaces nothing separates them (UAX #29 separates the numbers of Ethiopic
///   script, fractions, superscripts).
/// * A script with spaces and one without are separated (UAX #29 joins Thai digits and others).
/// * Letters of scripts that are broken between aksaras are separated (UAX #29 joins them).
///
/// Clusters that begin with anything else separate words: the apostrophe of `can't`, the full stop
/// of `3.14`, the underscore.
#[must_use]
pub fn ranges(text: &str) -> Vec<Range<usize>> {
    let boundaries: HashSet<usize> = text.split_word_bound_indices().map(|(at, _)| at).collect();
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut before = None;
    for (at, cluster) in text.grapheme_indices(true) {
        // Some vowel signs begin a cluster of their own.
        if let (Some(_), Some(last), true) =
            (before, found.last_mut(), cluster.chars().all(attaches))
        {
            last.end = at + cluster.len();
            continue;
        }
        // Number signs of Arabic script belong to the cluster of the digit after them.
        let skipped = cluster.find(|c| !matches!(c, '\u{600}'..='\u{605}' | '\u{6DD}' | '\u{70F}'));
        let Some((start, first)) = skipped
            .and_then(|skipped| Some((at + skipped, cluster[skipped..].chars().next()?)))
            .filter(|&(_, first)| is_letter(first))
        else {
            before = None;
            continue;
        };
        let kind = kind(first);
        let joined = start == at
            && match (before, kind) {
                (Some(Kind::Spaced), Kind::Spaced) => true,
                (Some(Kind::Unspaced), Kind::Unspaced) => !boundaries.contains(&at),
                _ => false,
            };
        // The cluster of a letter that stands before it may hold anything.
        let end = at + cluster.trim_end_matches(|c: char| !is_letter(c) && !attaches(c)).len();
        match found.last_mut() {
            Some(last) if joined => last.end = end,
            _ => found.push(start..end),
        }
        before = Some(kind);
    }
    found
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Spaced,
    Unspaced,
    /// A letter of a script that is broken between aksaras.
    Aksara,
}

fn kind(c: char) -> Kind {
    if is_within(c, &AKSARAS) {
        if is_number(c) { Kind::Unspaced } else { Kind::Aksara }
    } else if is_within(c, &UNSPACED) {
        Kind::Unspaced
    } else {
        Kind::Spaced
    }
}

/// Whether the character belongs to a script that is written without spaces.
#[must_use]
pub fn is_unspaced(c: char) -> bool {
    is_within(c, &UNSPACED) || is_within(c, &AKSARAS)
}

/// Letters and numbers of scripts without spaces, by their blocks (Blocks.txt), without those that
/// other scripts use too: line break class `SA`, Kana, ideographs.
const UNSPACED: [RangeInclusive<char>; 37] = [
    // Thai, Lao, Myanmar, Khmer, Tai Le, New Tai Lue, Khmer symbols, Tai Tham.
    '\u{0E00}'..='\u{0EFF}',
    '\u{1000}'..='\u{109F}',
    '\u{1780}'..='\u{17FF}',
    '\u{1950}'..='\u{1AAF}',
    // Han radicals, numbers and iteration marks; Kana.
    '\u{2E80}'..='\u{2FDF}',
    '\u{3005}'..='\u{3005}',
    '\u{3006}'..='\u{3007}',
    '\u{3021}'..='\u{3029}',
    '\u{3031}'..='\u{3035}',
    '\u{3038}'..='\u{303C}',
    '\u{3041}'..='\u{30FF}',
    '\u{31F0}'..='\u{31FF}',
    '\u{3400}'..='\u{4DBF}',
    '\u{4E00}'..='\u{9FFF}',
    // Myanmar extended, Tai Viet.
    '\u{A9E0}'..='\u{A9FF}',
    '\u{AA60}'..='\u{AADF}',
    '\u{F900}'..='\u{FAFF}',
    '\u{FF66}'..='\u{FF9F}',
    // Myanmar extended, Ahom.
    '\u{116D0}'..='\u{116FF}',
    '\u{11700}'..='\u{1174F}',
    // Khitan small script's iteration mark and other ideographic symbols, Tangut, Khitan.
    '\u{16FE0}'..='\u{16FE0}',
    '\u{16FE1}'..='\u{16FE1}',
    '\u{16FE2}'..='\u{16FE3}',
    '\u{16FF0}'..='\u{16FFF}',
    '\u{17000}'..='\u{18AFF}',
    '\u{18B00}'..='\u{18CFF}',
    '\u{18D00}'..='\u{18DFF}',
    // Kana, Nushu, Han.
    '\u{1AFF0}'..='\u{1AFFF}',
    '\u{1B000}'..='\u{1B16F}',
    '\u{1B170}'..='\u{1B2FF}',
    '\u{20000}'..='\u{2A6DF}',
    '\u{2A700}'..='\u{2EBEF}',
    '\u{2EBF0}'..='\u{2EE5F}',
    '\u{2F800}'..='\u{2FA1F}',
    '\u{30000}'..='\u{323AF}',
    '\u{323B0}'..='\u{3347F}',
    '\u{3D000}'..='\u{3FC3F}',
];

/// The same of the line break classes `AK`, `AP` and `AS`.
const AKSARAS: [RangeInclusive<char>; 11] = [
    // Balinese, Batak, Javanese (without a letter that Buginese has too), Cham.
    '\u{1B00}'..='\u{1B7F}',
    '\u{1BC0}'..='\u{1BFF}',
    '\u{A980}'..='\u{A9CE}',
    '\u{A9D0}'..='\u{A9DF}',
    '\u{AA00}'..='\u{AA5F}',
    // Brahmi, Grantha and Tulu-Tigalari, Dives Akuru, Makasar, Kawi, Gurung Khema.
    '\u{11000}'..='\u{1107F}',
    '\u{11300}'..='\u{113FF}',
    '\u{11900}'..='\u{1195F}',
    '\u{11EE0}'..='\u{11EFF}',
    '\u{11F00}'..='\u{11F5F}',
    '\u{16100}'..='\u{1613F}',
];

fn is_within(c: char, ranges: &[RangeInclusive<char>]) -> bool {
    ranges.iter().any(|range| range.contains(&c))
}

/// General category `L*` or `N*`, but not the letters that attach to the one before as marks do.
#[must_use]
pub fn is_letter(c: char) -> bool {
    static LETTERS: LazyLock<Vec<(char, char)>> = LazyLock::new(|| class(r"[\p{L}\p{N}]"));
    is_in(c, &LETTERS) && !matches!(c, '\u{E33}' | '\u{EB3}' | '\u{FF9E}' | '\u{FF9F}')
}

/// Whether the character belongs to the word before it.
fn attaches(c: char) -> bool {
    is_mark(c)
        || matches!(c, '\u{E33}' | '\u{EB3}' | '\u{FF9E}' | '\u{FF9F}' | '\u{1F3FB}'..='\u{1F3FF}')
}

fn is_number(c: char) -> bool {
    static NUMBERS: LazyLock<Vec<(char, char)>> = LazyLock::new(|| class(r"\p{N}"));
    is_in(c, &NUMBERS)
}

/// Whether the general category is `M*`.
#[must_use]
pub fn is_mark(c: char) -> bool {
    static MARKS: LazyLock<Vec<(char, char)>> = LazyLock::new(|| class(r"\p{M}"));
    is_in(c, &MARKS)
}

/// The ranges of a class of characters.
fn class(pattern: &str) -> Vec<(char, char)> {
    let parsed = regex_syntax::parse(pattern).expect("a class of general categories");
    let HirKind::Class(Class::Unicode(class)) = parsed.kind() else {
        panic!("{pattern} is no class of characters");
    };
    class.iter().map(|range| (range.start(), range.end())).collect()
}

fn is_in(c: char, ranges: &[(char, char)]) -> bool {
    let at = ranges.partition_point(|&(_, end)| end < c);
    ranges.get(at).is_some_and(|&(start, _)| start <= c)
}

/// `Default_Ignorable_Code_Point` in DerivedCoreProperties.txt of Unicode 17.0, and the tatweel.
const IGNORABLE: [(u32, u32); 18] = [
    (0xAD, 0xAD),
    (0x34F, 0x34F),
    (0x61C, 0x61C),
    (0x640, 0x640),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
];

/// Whether the character neither separates nor changes words.
#[must_use]
pub fn is_ignorable(character: char) -> bool {
    let point = u32::from(character);
    IGNORABLE.iter().any(|&(first, last)| (first..=last).contains(&point))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_by_hand() {
        for (text, expected) in [
            ("Can't 3.14 snake_case a:b x² 1½", "can t 3 14 snake case a b x² 1½"),
            ("का की ẹ̀kọ́ İstanbul كـتاب", "का की ẹ\u{300}kọ\u{301} istanbul كتاب"),
            ("\u{301} .\u{93e} a\u{20e3}", "a\u{20e3}"),
            ("กำที่๑๒2 漢字カタカナ ꦲꦏ꧀ꦱꦫ", "กำ ที่ ๑๒ 2 漢 字 カタカナ ꦲ ꦏ꧀ꦱ ꦫ"),
            ("\u{600}١٢ ፲፩", "١٢ ፲፩"),
        ] {
            assert_eq!(words(text, Normalize::Nfc).join(" "), expected, "{text}");
        }
        assert_eq!(words("e\u{301}ﬁ", Normalize::None), ["e\u{301}ﬁ"]);
        assert_eq!(words("e\u{301}ﬁ ب\u{fe71}", Normalize::Nfkc), ["éfi", "ب\u{64b}"]);
    }
}
