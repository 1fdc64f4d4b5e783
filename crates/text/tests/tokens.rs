//! The analyzer seen from outside: against Python, against its own plain twin, and at its limits.

use lookalike_text::{
    ANALYSIS_NAME, AnalysisSettings, Analyzer, Batch, Case, Normalize, Scratch, Tokens, Unit,
};
use proptest::prelude::*;
use std::ops::{Range, RangeInclusive};

const NORMALIZE: [Normalize; 4] =
    [Normalize::None, Normalize::Nfc, Normalize::Nfkc, Normalize::Confusables];

fn analyzer(normalize: Normalize, unit: Unit) -> Analyzer {
    Analyzer::new(&AnalysisSettings { normalize, unit, ..AnalysisSettings::default() })
}

fn tokens_with(analyzer: &Analyzer, text: &str, scratch: &mut Scratch) -> Vec<String> {
    let mut tokens = Vec::new();
    analyzer.tokens(text, scratch, |token| {
        tokens.push(String::from_utf8(token.to_vec()).expect("tokens are UTF-8"));
    });
    tokens
}

fn tokens(normalize: Normalize, unit: Unit, text: &str) -> Vec<String> {
    tokens_with(&analyzer(normalize, unit), text, &mut Scratch::default())
}

fn located(normalize: Normalize, unit: Unit, text: &str) -> Vec<(String, Range<usize>)> {
    let mut tokens = Vec::new();
    analyzer(normalize, unit).located_tokens(text, |token, place| {
        tokens.push((token.to_owned(), place));
    });
    tokens
}

/// Text that mixes difficult cases: case, marks, gaps, unspaced scripts, long ASCII.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-zA-Z0-9 ,._'\t\n-]{0,80}",
        3 => "[ΣσΑİIßẞéÉeﬁＦ𝐅\u{301}\u{307}\u{338}<=\u{ad}\u{200b}\u{200d}\u{2060}\u{feff}\u{a0} .']{0,8}",
        3 => "[А-яЁёΑ-ωß-ÿŸĞ“”—…€😀한\u{1161}\u{11a8}漢あアक्षि .a-cX\u{e38}\u{e48}\u{64e}\u{651}\u{654}\u{5b8}\u{5bc}\u{301}ก]{0,10}",
        2 => "[漢字々〇あアーｱﾞไทยที่ກຳខ្មែမြန်\u{3099} a1]{0,8}",
        1 => "\\PC{0,6}",
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

/// The code points of `Default_Ignorable_Code_Point` in DerivedCoreProperties.txt of Unicode 17.0,
/// unchanged since 5.1 but for U+180F (14.0): the standard's own list, against the data of the
/// library.
const DEFAULT_IGNORABLE: [RangeInclusive<char>; 17] = [
    '\u{ad}'..='\u{ad}',
    '\u{34f}'..='\u{34f}',
    '\u{61c}'..='\u{61c}',
    '\u{115f}'..='\u{1160}',
    '\u{17b4}'..='\u{17b5}',
    '\u{180b}'..='\u{180f}',
    '\u{200b}'..='\u{200f}',
    '\u{202a}'..='\u{202e}',
    '\u{2060}'..='\u{206f}',
    '\u{3164}'..='\u{3164}',
    '\u{fe00}'..='\u{fe0f}',
    '\u{feff}'..='\u{feff}',
    '\u{ffa0}'..='\u{ffa0}',
    '\u{fff0}'..='\u{fff8}',
    '\u{1bca0}'..='\u{1bca3}',
    '\u{1d173}'..='\u{1d17a}',
    '\u{e0000}'..='\u{e0fff}',
];

/// Removed from every text: those, and the tatweel of Arabic script.
fn is_ignorable(c: char) -> bool {
    c == '\u{640}' || DEFAULT_IGNORABLE.iter().any(|range| range.contains(&c))
}

fn without_ignorable(text: &str) -> String {
    text.chars().filter(|&c| !is_ignorable(c)).collect()
}

fn ignorable() -> impl Strategy<Value = char> {
    prop_oneof![
        2 => prop::sample::select(vec!['\u{ad}', '\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}', '\u{feff}', '\u{fe0f}', '\u{3164}', '\u{640}']),
        1 => prop::sample::select(DEFAULT_IGNORABLE.to_vec()).prop_flat_map(|range| prop::char::range(*range.start(), *range.end())),
    ]
}

/// Every code point by itself inside a word: the ranges above are exactly those that are removed.
#[test]
fn the_default_ignorable_characters_are_those_of_the_standard() {
    let analyzer = analyzer(Normalize::None, Unit::Word);
    let mut scratch = Scratch::default();
    let before = tokens_with(&analyzer, "ab", &mut scratch);
    for c in '\0'..=char::MAX {
        let removed = tokens_with(&analyzer, &format!("a{c}b"), &mut scratch) == before;
        assert_eq!(removed, is_ignorable(c), "{c:?}");
    }
}

#[test]
fn words_are_those_of_python() {
    for line in include_str!("data/golden_words.txt").split_terminator('\n') {
        let (text, words) = line.split_once('\t').expect("text, tab, words");
        let found = tokens(Normalize::None, Unit::Word, text);
        assert_eq!(found.join(" "), words, "{text}");
    }
}

#[test]
fn the_name_states_the_unicode_versions() {
    let (major, minor, _) = char::UNICODE_VERSION;
    assert!(ANALYSIS_NAME.contains(&format!("{major}.{minor} lower case")));
    assert!(ANALYSIS_NAME.contains("18.0 classes"));
    // A letter since Unicode 18.
    assert_eq!(tokens(Normalize::None, Unit::Word, "\u{558}"), ["\u{558}"]);
}

#[test]
fn disguised_words_are_one_word_under_nfkc() {
    for text in ["ＦＲＥＥ", "f\u{200b}ree", "𝐅𝐫𝐞𝐞", "f\u{ad}r\u{2060}e\u{feff}e"] {
        assert_eq!(tokens(Normalize::Nfkc, Unit::Word, text), ["free"]);
    }
    assert_eq!(tokens(Normalize::Nfc, Unit::Word, "cafe\u{301}"), ["café"]);
    assert_eq!(tokens(Normalize::None, Unit::Word, "cafe\u{301}s"), ["cafe\u{301}s"]);
}

/// In every normalisation, `İ` is the `i` of the small word, whatever lower-cased that.
#[test]
fn a_dot_above_an_i_makes_no_other_word() {
    for normalize in NORMALIZE {
        let expected = tokens(normalize, Unit::Word, "istanbul di");
        assert_eq!(expected.len(), 2);
        for text in [
            "İSTANBUL Dİ",
            "I\u{307}stanbul dI\u{307}",
            "i\u{307}stanbul\tdi\u{307}",
            "İsTanbul-Di\u{307}",
        ] {
            assert_eq!(tokens(normalize, Unit::Word, text), expected, "{text:?} {normalize:?}");
        }
    }
    assert_eq!(tokens(Normalize::Nfc, Unit::Char, "İı").concat(), "iı");
    // The dot is a part of the place.
    assert_eq!(located(Normalize::None, Unit::Word, "di\u{307}."), [("di".to_owned(), 0..4)]);
}

/// Composed and decomposed texts have the same words by default, and each its own without
/// normalisation.
#[test]
fn decomposed_words_are_those_of_the_composed_text() {
    for (text, count) in [
        ("Tất cả mọi người sinh ra đều được tự do và bình đẳng", 13),
        ("Gbogbo ènìyàn ni a bí ní òmìnira; iyì àti ẹ̀tọ́ kọ̀ọ̀kan sì dọ́gba", 13),
        ("모든 인간은 태어날 때부터", 4),
        ("सभी मनुष्यों को गौरव ज़रा", 5),
    ] {
        let nfd: String =
            icu_normalizer::DecomposingNormalizerBorrowed::new_nfd().normalize(text).into();
        let words = tokens(Normalize::Nfc, Unit::Word, text);
        assert_eq!(words.len(), count, "{words:?}");
        for normalize in NORMALIZE.into_iter().filter(|&normalize| normalize != Normalize::None) {
            let words = tokens(normalize, Unit::Word, text);
            assert_eq!(tokens(normalize, Unit::Word, &nfd), words, "{normalize:?}");
            assert_eq!(words.len(), count);
        }
        assert_eq!(tokens(Normalize::None, Unit::Word, &nfd).len(), count);
    }
}

/// In every normalisation: within words and runs of unspaced scripts, between a letter and its
/// mark, beside a capital sigma, in emoji sequences, and where nothing else stands between two
/// spaces.
#[test]
fn default_ignorable_characters_neither_separate_nor_change_words() {
    for (text, words) in [
        ("f\u{200b}r\u{ad}e\u{2060}e\u{feff}", "free"),
        ("left\u{200e}to\u{2066}right\u{2069}", "lefttoright"),
        ("می\u{200c}خواهم", "میخواهم"),
        ("क\u{94d}\u{200d}ष क\u{94d}\u{200c}ष", "क\u{94d}ष क\u{94d}ष"),
        ("كـــتاب ـ", "كتاب"),
        ("ΑΣ\u{ad} ΑΣ\u{ad}Α", "ας ασα"),
        ("葛\u{e0100}城\u{fe00} カタ\u{200b}カナ", "葛 城 カタカナ"),
        ("ที\u{200b}\u{e48} ខ\u{17b4}\u{17d2}មែ", "ที\u{e48} ខ\u{17d2}មែ"),
        ("한\u{3164}글 \u{3164} \u{115f}\u{1160} ﾡ\u{ffa0}", "한글 ﾡ"),
        (
            "a👩\u{200d}🚀b 1\u{fe0f}\u{20e3} #\u{fe0f}\u{20e3} ❤\u{fe0f} c🏴\u{e0067}\u{e0062}\u{e007f}",
            "a b 1\u{20e3} c",
        ),
        ("\u{200b} \u{feff}x\u{2028}y", "x y"),
    ] {
        for normalize in [Normalize::None, Normalize::Nfc] {
            assert_eq!(tokens(normalize, Unit::Word, text).join(" "), words, "{text:?}");
        }
        let compatible = words.replace('ﾡ', "\u{1100}");
        assert_eq!(tokens(Normalize::Nfkc, Unit::Word, text).join(" "), compatible, "{text:?}");
    }
    // Without normalisation the mark stays; what stands before it makes no difference.
    assert_eq!(tokens(Normalize::None, Unit::Word, "cafe\u{200d}\u{301}s"), ["cafe\u{301}s"]);
    assert_eq!(tokens(Normalize::Nfc, Unit::Word, "cafe\u{200d}\u{301}s"), ["cafés"]);
    // No space where an unspaced run was interrupted by one.
    assert_eq!(tokens(Normalize::Nfc, Unit::Char, "漢\u{200b}字 a\u{ad}b").concat(), "漢字 ab");
}

#[test]
fn places_span_the_default_ignorable_characters_inside_a_token() {
    assert_eq!(
        located(Normalize::Nfc, Unit::Word, "-f\u{200b}REE\u{ad}!x"),
        [("free".to_owned(), 1..8), ("x".to_owned(), 11..12)]
    );
}

#[test]
fn places_are_exact_but_for_what_normalisation_changed() {
    let text = "(İz-É) e\u{301}t-x";
    assert_eq!(
        located(Normalize::Nfc, Unit::Word, text),
        [
            ("iz".to_owned(), 1..4),
            ("é".to_owned(), 5..7),
            ("ét".to_owned(), 9..13),
            ("x".to_owned(), 14..15),
        ]
    );
    // One decomposed letter in a text without spaces.
    let places = |normalize, text| {
        located(normalize, Unit::Char, text)
            .into_iter()
            .filter(|(token, _)| token != " ")
            .collect::<Vec<_>>()
    };
    assert_eq!(
        places(Normalize::Nfc, "漢か\u{3099}字"),
        [("漢".to_owned(), 0..3), ("が".to_owned(), 3..9), ("字".to_owned(), 9..12)]
    );
    // Two letters of one character; a letter and a syllable in parts.
    assert_eq!(
        places(Normalize::Nfkc, "ﬁx \u{1112}\u{1161}\u{11ab}"),
        [
            ("f".to_owned(), 0..3),
            ("i".to_owned(), 0..3),
            ("x".to_owned(), 3..4),
            ("한".to_owned(), 5..14),
        ]
    );
}

#[test]
fn characters_are_those_of_the_words_joined_by_single_spaces() {
    assert_eq!(tokens(Normalize::Nfc, Unit::Char, " Ab,  c漢字 d ").concat(), "ab c 漢字 d");
    let places: Vec<_> = located(Normalize::Nfc, Unit::Char, "É,c漢字");
    assert_eq!(
        places,
        [
            ("é".to_owned(), 0..2),
            (" ".to_owned(), 2..3),
            ("c".to_owned(), 3..4),
            (" ".to_owned(), 4..4),
            ("漢".to_owned(), 4..7),
            ("字".to_owned(), 7..10),
        ]
    );
    assert!(tokens(Normalize::Nfc, Unit::Char, " ,.- ").is_empty());
}

#[test]
fn one_giant_token_is_one_token() {
    for giant in
        ["x".repeat(200_000), "É".repeat(200_000), "Σ".repeat(100_001), "ア".repeat(100_000)]
    {
        for text in [giant.clone(), format!("a {giant} b"), format!("é{giant}")] {
            let found = tokens(Normalize::Nfc, Unit::Word, &text);
            assert!(found.iter().any(|token| token.len() >= giant.len()), "{}", found.len());
            assert!(found.len() <= 3);
        }
    }
}

#[test]
fn ten_million_tokens_are_counted() {
    let text = "a ".repeat(10_000_000);
    let mut count = 0u64;
    analyzer(Normalize::Nfc, Unit::Word).tokens(&text, &mut Scratch::default(), |_| count += 1);
    assert_eq!(count, 10_000_000);
}

#[test]
fn an_analyzer_can_serve_several_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Analyzer>();
}

/// An analyzer whose tokens are symbols too.
fn symbols(normalize: Normalize, unit: Unit, case: Case) -> Analyzer {
    Analyzer::new(&AnalysisSettings { normalize, unit, tokens: Some(Tokens::Symbols), case })
}

fn symbols_of(text: &str) -> Vec<String> {
    tokens_with(&symbols(Normalize::Nfc, Unit::Word, Case::Fold), text, &mut Scratch::default())
}

#[test]
fn symbols_are_tokens_where_they_are_asked_for() {
    for (text, expected) in [
        ("a < B", "a < b"),
        ("12 + 4", "12 + 4"),
        ("-1200.50", "- 1200 . 50"),
        ("1200,50", "1200 , 50"),
        ("C++ C# C", "c + + c # c"),
        ("x!=y==z", "x ! = y = = z"),
        ("£5\u{a0}€6", "£ 5 € 6"),
        ("so 😀it 👍🏽 is", "so 😀 it 👍🏽 is"),
        ("∀x∈A: x≤y", "∀ x ∈ a : x ≤ y"),
        ("f(x)[0]->y;", "f ( x ) [ 0 ] - > y ;"),
        ("漢、字。", "漢 、 字 。"),
        ("a=\u{338}b c=d", "a ≠ b c = d"),
        ("a\u{200b}b \u{301}c", "ab \u{301} c"),
        ("\u{7f}\u{85}\u{3000} ", ""),
    ] {
        assert_eq!(symbols_of(text).join(" "), expected, "{text:?}");
    }
    let keep = |text: &str| {
        let analyzer = symbols(Normalize::None, Unit::Char, Case::Keep);
        tokens_with(&analyzer, text, &mut Scratch::default()).concat()
    };
    assert_eq!(keep(" If (a  <\tB)\n{ 漢a } "), "If (a < B) { 漢a }");
    assert_eq!(keep("ﬁ e\u{301} Σ"), "ﬁ e\u{301} Σ");
    let keep = AnalysisSettings { case: Case::Keep, ..AnalysisSettings::default() };
    let found = tokens_with(&Analyzer::new(&keep), "Max, İΣ!", &mut Scratch::default());
    assert_eq!(found, ["Max", "İΣ"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Words are those without symbols, and nothing but white space is left out.
    #[test]
    fn symbols_and_words_are_the_whole_text(text in text()) {
        for (normalize, case) in NORMALIZE.into_iter().zip([Case::Keep, Case::Fold, Case::Keep, Case::Fold]) {
            let words = Analyzer::new(&AnalysisSettings {
                normalize, case, ..AnalysisSettings::default()
            });
            let words = tokens_with(&words, &text, &mut Scratch::default());
            let both = symbols(normalize, Unit::Word, case);
            let found = tokens_with(&both, &text, &mut Scratch::default());
            // A symbol is no word, and one character with the marks that follow.
            let mut left = words.iter();
            let mut next = left.next();
            for token in &found {
                if next == Some(token) {
                    next = left.next();
                    continue;
                }
                prop_assert!(!token.starts_with(|c: char| c.is_whitespace() || c.is_control()));
                prop_assert!(tokens(Normalize::None, Unit::Word, token).is_empty(), "{:?}", token);
            }
            prop_assert_eq!(next, None);
            let spaced = |c: char| c.is_whitespace() || c.is_control();
            let characters = symbols(normalize, Unit::Char, case);
            let characters = tokens_with(&characters, &text, &mut Scratch::default()).concat();
            if normalize == Normalize::None {
                // Characters as written.
                let visible = |part: &str| without_ignorable(part).replace('\u{640}', "");
                let written = text.split(spaced).map(visible);
                let written: Vec<String> = written.filter(|part| !part.is_empty()).collect();
                prop_assert_eq!(&characters, &written.join(" "));
            }
            let joined: String = characters.split(' ').collect();
            prop_assert_eq!(joined, found.concat());
            let mut located = Vec::new();
            both.located_tokens(&text, |token, place| {
                assert!(text.get(place).is_some());
                located.push(token.to_owned());
            });
            prop_assert_eq!(located, found);
        }
    }

    /// A loop over the characters of ASCII texts.
    #[test]
    fn ascii_symbols_are_found_by_a_plain_loop(text in "[ -~\t\n\u{1}]{0,300}") {
        let mut expected: Vec<String> = Vec::new();
        let mut within = false;
        for c in text.chars() {
            match c.is_ascii_alphanumeric() {
                true if within => expected.last_mut().expect("begun").push(c.to_ascii_lowercase()),
                true => expected.push(c.to_ascii_lowercase().to_string()),
                false if c.is_ascii_graphic() => expected.push(c.to_string()),
                false => {}
            }
            within = c.is_ascii_alphanumeric();
        }
        prop_assert_eq!(symbols_of(&text), expected);
    }

    #[test]
    fn both_paths_give_the_same_tokens(text in text()) {
        for normalize in NORMALIZE {
            for unit in [Unit::Word, Unit::Char] {
                let located = located(normalize, unit, &text);
                let plain: Vec<String> = located.iter().map(|(token, _)| token.clone()).collect();
                prop_assert_eq!(tokens(normalize, unit, &text), plain);
                for (token, place) in located {
                    prop_assert!(text.get(place.clone()).is_some());
                    prop_assert!(token == " " || !place.is_empty());
                    // What stands at the place of a character makes the character. What becomes of a
                    // confusable character or a sigma depends on what is before it.
                    let is_alone = matches!(normalize, Normalize::Nfc | Normalize::Nfkc);
                    if is_alone && unit == Unit::Char && token != " " && !"σς".contains(&token) {
                        let there = tokens(normalize, unit, &text[place.clone()]).concat();
                        // Marks by themselves are no token.
                        let is_mark = tokens(normalize, unit, &token).is_empty();
                        prop_assert!(is_mark || there.contains(&token), "{token:?} {place:?}: {there:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn default_ignorable_characters_anywhere_change_no_token(
        text in text(),
        planted in prop::collection::vec((any::<prop::sample::Index>(), ignorable()), 1..12),
    ) {
        let mut characters: Vec<char> = text.chars().collect();
        for (place, c) in planted {
            characters.insert(place.index(characters.len() + 1), c);
        }
        let changed: String = characters.into_iter().collect();
        for normalize in NORMALIZE {
            for unit in [Unit::Word, Unit::Char] {
                let expected = tokens(normalize, unit, &text);
                prop_assert_eq!(&tokens(normalize, unit, &changed), &expected);
                let located: Vec<String> =
                    located(normalize, unit, &changed).into_iter().map(|(token, _)| token).collect();
                prop_assert_eq!(&located, &expected);
                prop_assert_eq!(tokens(normalize, unit, &without_ignorable(&changed)), expected);
            }
        }
    }

    #[test]
    fn batches_leave_room_behind_each_token(text in text()) {
        for unit in [Unit::Word, Unit::Char] {
            let mut found = Vec::new();
            analyzer(Normalize::Nfc, unit).batches(&text, &mut Scratch::default(), |batch| {
                let (bytes, places) = match batch {
                    Batch::Ranges(bytes, places) => (bytes, places),
                    Batch::Bytes(bytes) => {
                        assert!(bytes.is_ascii());
                        found.extend(bytes.iter().map(|&byte| char::from(byte).to_string()));
                        return;
                    }
                };
                for &[start, end] in places {
                    assert!(start < end && (&bytes[start..end] == b" " || bytes.len() >= start + 16), "{start} {end} {}", bytes.len());
                    found.push(String::from_utf8(bytes[start..end].to_vec()).expect("tokens are UTF-8"));
                }
            });
            prop_assert_eq!(found, tokens(Normalize::Nfc, unit, &text));
        }
    }

    #[test]
    fn places_hold_the_token_where_nothing_was_normalised(text in text()) {
        for (token, place) in located(Normalize::None, Unit::Word, &text) {
            // `İ` is `i`; a final sigma needs its context.
            let there = without_ignorable(&text[place]).to_lowercase();
            let there = there.replace("i\u{307}", "i").replace('ς', "σ");
            prop_assert!(there.contains(&token.replace('ς', "σ")), "{} {}", there, token);
        }
    }

    #[test]
    fn each_piece_between_spaces_is_analysed_alone(text in text(), gap in "[ \t\n]{1,3}") {
        for normalize in NORMALIZE {
            let parts: Vec<String> = text
                .split([' ', '\t', '\n'])
                .flat_map(|piece| tokens(normalize, Unit::Word, piece))
                .collect();
            prop_assert_eq!(tokens(normalize, Unit::Word, &text), parts.clone());
            let spread = text.replace(' ', &gap);
            prop_assert_eq!(tokens(normalize, Unit::Word, &spread), parts);
        }
    }

    #[test]
    fn ascii_text_gives_the_same_on_the_slow_path(text in "([a-zA-Z0-9]{1,70}|[!-~]|[!-~]){0,30}") {
        // One letter that is not ASCII pushes the stretch off the fast path.
        let mut fast = tokens(Normalize::Nfc, Unit::Word, &text);
        fast.push("é".to_owned());
        prop_assert_eq!(tokens(Normalize::Nfc, Unit::Word, &format!("{text}-é")), fast);
    }

    #[test]
    fn a_used_scratch_changes_nothing(one in text(), two in text()) {
        for normalize in NORMALIZE {
            let analyzer = analyzer(normalize, Unit::Word);
            let mut scratch = Scratch::default();
            tokens_with(&analyzer, &one, &mut scratch);
            let again = tokens_with(&analyzer, &two, &mut scratch);
            prop_assert_eq!(again, tokens(normalize, Unit::Word, &two));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn long_text_gives_what_its_parts_give(parts in prop::collection::vec(text(), 1..5), times in 1usize..600) {
        // Long enough for several windows, which end wherever they end; pieces may be stretches
        // longer than one.
        for gap in ["", " "] {
            let text = vec![parts.join(gap); times].join(gap);
            let text: String = text.chars().take(40_000).collect();
            for unit in [Unit::Word, Unit::Char] {
                let located = located(Normalize::Nfc, unit, &text);
                let plain: Vec<String> = located.into_iter().map(|(token, _)| token).collect();
                prop_assert_eq!(tokens(Normalize::Nfc, unit, &text), plain);
            }
        }
    }

    /// ASCII text takes the fast path, and in a stretch with another letter the plain one.
    #[test]
    fn characters_that_look_alike_are_one_on_both_paths(text in "[a-zA-Z0-3$$$ .-]{0,24}") {
        let of = |text: &str| tokens(Normalize::Confusables, Unit::Word, text);
        let mut fast = of(&text);
        prop_assert_eq!(of(&text.to_ascii_uppercase()), fast.clone());
        fast.push("é".into());
        let plain: String = text.split(' ').map(|word| format!("{word}-\u{301}-")).collect();
        let plain = of(&format!("{plain}-é"));
        prop_assert_eq!(plain, fast);
    }
}
