//! The analyzer seen from outside: against Python, against its own plain twin, and at its limits.

use lookalike_text::{ANALYSIS_NAME, AnalysisSettings, Analyzer, Normalize, Scratch, Unit};
use proptest::prelude::*;
use std::ops::Range;

const NORMALIZE: [Normalize; 3] = [Normalize::None, Normalize::Nfc, Normalize::Nfkc];

fn analyzer(normalize: Normalize, unit: Unit) -> Analyzer {
    Analyzer::new(&AnalysisSettings { normalize, unit })
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

/// Text that mixes what tends to go wrong: case, marks, gaps, unspaced scripts, long ASCII.
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
    assert_eq!(tokens(Normalize::Nfc, Unit::Word, "f\u{200b}ree"), ["f", "ree"]);
    assert_eq!(tokens(Normalize::Nfc, Unit::Word, "cafe\u{301}"), ["café"]);
    assert_eq!(tokens(Normalize::None, Unit::Word, "cafe\u{301}s"), ["cafe", "s"]);
}

#[test]
fn places_are_exact_unless_normalisation_changed_the_stretch() {
    let text = "(İz-É) e\u{301}t-x";
    assert_eq!(
        located(Normalize::Nfc, Unit::Word, text),
        [
            ("i".to_owned(), 1..3),
            ("z".to_owned(), 3..4),
            ("é".to_owned(), 5..7),
            ("ét".to_owned(), 9..15),
            ("x".to_owned(), 9..15),
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

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
                }
            }
        }
    }

    #[test]
    fn batches_leave_room_behind_each_token(text in text()) {
        for unit in [Unit::Word, Unit::Char] {
            let mut found = Vec::new();
            analyzer(Normalize::Nfc, unit).batches(&text, &mut Scratch::default(), |bytes, places| {
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
            // Marks that lower-casing made are no part of a token; a final sigma needs its context.
            let there = text[place].to_lowercase().replace('ς', "σ");
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
        // Long enough for several windows, which end wherever they end; pieces may be stretches longer than one.
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
}
