//! Parts of texts: values worked out by hand, and a plain reading of the definitions.

use lookalike_text::{
    AnalysisSettings, Case, Normalize, OperatorScratch, Operators, PartReader, PartScratch,
    TITLE_WORDS, TextPart,
};
use proptest::prelude::*;

fn items(text: &str, title: Option<&str>, wanted: TextPart) -> Vec<String> {
    items_of(&AnalysisSettings::default(), text, title, wanted)
}

fn items_of(
    settings: &AnalysisSettings,
    text: &str,
    title: Option<&str>,
    wanted: TextPart,
) -> Vec<String> {
    let mut found = Vec::new();
    let mut scratch = PartScratch::default();
    PartReader::new(settings).items(text, title, &mut scratch, |part, item| {
        if part == wanted {
            found.push(String::from_utf8(item.to_vec()).expect("items are UTF-8"));
        }
    });
    found.sort();
    found
}

/// Items in any order, each behind a space.
fn check(part: TextPart, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let mut expected: Vec<&str> = expected.split_whitespace().collect();
        expected.sort_unstable();
        assert_eq!(items(text, None, part), expected, "{part:?} of {text:?}");
    }
}

#[test]
fn numbers() {
    check(
        TextPart::Numbers,
        &[
            ("none at all", ""),
            ("1,200 = 1200, not 1.200", "1200 1200 1.200"),
            ("1,2,3 and 1,2345 and 12,345,678.90", "1 2 3 1 2345 12345678.90"),
            ("1.2,345", "1.2 345"),
            ("version 2.0.1; v2 in 2024-01-31.", "2.0.1 2 2024 01 31"),
            ("sha256 3rd 10px -5 .5 5. 5..6", "256 3 10 5 5 5 5 6"),
            ("٣٤ x² 第3章", "٣٤ ² 3"),
        ],
    );
}

#[test]
fn identifiers() {
    check(
        TextPart::Identifiers,
        &[
            ("Plain words, well-known and o'clock: 314, 10-20, 3rd, Section.5", ""),
            ("a_b __init__ _ ___ foo_bar's x_.", "a_b __init__ foo_bar x_"),
            ("fooBar iPhone FooBar HTML HTMLParser aB", "fooBar iPhone FooBar aB"),
            ("utf8, x86_64; H2O (v2.0) 2.0rc1 2.0b", "utf8 x86_64 H2O v2.0 2.0rc1"),
            ("CVE-2024-1234, GPL-2.0. utf-8: RFC-2119-bis", "CVE-2024-1234 GPL-2.0 utf-8 RFC-2119"),
            ("1.2.3 2024-01-31 1.2, 10-20px 1,2 .5", "1.2.3 2024-01-31 1.2"),
            ("漢字a1漢 第3章 Größe_2 naïveÉ", "a1 Größe_2 naïveÉ"),
        ],
    );
}

#[test]
fn names() {
    check(
        TextPart::Names,
        &[
            ("The cat sat. The dog saw Rex! Then? Rex ran", "rex"),
            ("by Mr. Smith and J. K. Rowling of the U.S. Army", "mr smith rowling army"),
            ("It is I. A word", ""),
            ("the End\nOf a line\n\nA new one\n \t\nAnother", "end of"),
            ("in\r\nParis\r\n\r\nLondon", "paris"),
            ("he said: “Go home.” She went to Élan (Paris).", "go élan paris"),
            ("see example.Com, NASA and iPhone; 3D X1 Ärger", "com nasa x1 ärger"),
            ("1. Introduction by Lee", "lee"),
            ("end.\u{a0}Next Word…  Then Last", "word last"),
        ],
    );
}

#[test]
fn titles() {
    let title = |text: &str, title| {
        [TextPart::Title, TextPart::TitleNumbers].map(|part| items(text, title, part).join(" "))
    };
    assert_eq!(title("\n \n== v2.0 of Foo ==\nbar", None), ["foo of", "0 foo of v2"]);
    assert_eq!(title("Foo\nbar", Some("Release 7")), ["release", "7 release"]);
    assert_eq!(title("Foo\nbar", Some(" — ")), ["foo", "foo"]);
    assert_eq!(title("", None), ["", ""]);
    let long = format!("{}{}", " ".repeat(99), "w ".repeat(TITLE_WORDS + 9));
    assert_eq!(items(&long, None, TextPart::Title).len(), TITLE_WORDS);
    assert_eq!(items("w", Some(&long), TextPart::Title).len(), TITLE_WORDS + 9);
    assert_eq!(items(&"漢".repeat(99), None, TextPart::Title).len(), TITLE_WORDS);
}

#[test]
fn symbols_and_capitals() {
    check(
        TextPart::Symbols,
        &[
            ("12 - 4", "-"),
            ("12 -\n4 - x", "-"),
            ("12\n-\n\n4", "-"),
            ("-1200.50 (1200,50) well-known, a - b.", "- . ,"),
            ("x != !y; C++ # a_b €5", "! = ! + + # _ €"),
        ],
    );
    check(TextPart::Capitals, &[("The iPhone in THE X1 the", "The iPhone THE X1")]);
}

#[test]
fn look_alikes_stay_apart_and_normal_forms_are_one() {
    let settings = |normalize| AnalysisSettings { normalize, ..AnalysisSettings::default() };
    let numbers = |normalize, text| items_of(&settings(normalize), text, None, TextPart::Numbers);
    assert_eq!(numbers(Normalize::Confusables, "10 lO"), ["10"]);
    assert_eq!(numbers(Normalize::Nfkc, "１０"), ["10"]);
    assert_eq!(items("in E\u{301}lan", None, TextPart::Names), ["\u{e9}lan"]);
    assert_eq!(items("in Pa\u{ad}ris", None, TextPart::Names), ["paris"]);
}

/// The definitions, read plainly: every beginning of an item is tried with every end.
mod plain {
    pub(super) fn is_mark(c: char) -> bool {
        c == '\u{301}'
    }

    pub(super) fn is_unspaced(c: char) -> bool {
        ('\u{4e00}'..'\u{9fff}').contains(&c)
    }

    fn is_digit(c: char) -> bool {
        c.is_ascii_digit() || "٣²".contains(c)
    }

    fn is_letter(c: char) -> bool {
        c.is_alphabetic() && !is_unspaced(c)
    }

    fn of_word(c: char) -> bool {
        is_letter(c) || is_digit(c) || is_mark(c)
    }

    fn of_run(c: char) -> bool {
        of_word(c) || c == '_'
    }

    fn visible(text: &str) -> Vec<char> {
        text.chars().filter(|&c| c != '\u{ad}').collect()
    }

    /// The longest item at each place from left to right.
    fn longest(
        text: &[char],
        may_begin: impl Fn(&[char], usize) -> bool,
        is_item: impl Fn(&str, &[char]) -> bool,
    ) -> Vec<String> {
        let (mut found, mut at) = (Vec::new(), 0);
        while at < text.len() {
            let item = (at + 1..=text.len()).rev().find(|&end| {
                let item: String = text[at..end].iter().collect();
                may_begin(text, at) && is_item(&item, &text[end..])
            });
            match item {
                Some(end) => {
                    found.push(text[at..end].iter().collect());
                    at = end;
                }
                None => at += 1,
            }
        }
        found
    }

    pub(super) fn numbers(text: &str) -> Vec<String> {
        let found = longest(
            &visible(text),
            |_, _| true,
            |item, rest| {
                let mut points = item.split('.');
                let whole = points.next().unwrap_or_default();
                let mut groups = whole.split(',');
                let digits = |part: &str| !part.is_empty() && part.chars().all(is_digit);
                digits(groups.next().unwrap_or_default())
                    && groups.all(|group| digits(group) && group.chars().count() == 3)
                    && points.all(digits)
                    && !rest.first().is_some_and(|&c| is_digit(c))
            },
        );
        found.into_iter().map(|number| number.replace(',', "")).collect()
    }

    pub(super) fn identifiers(text: &str) -> Vec<String> {
        let begins = |text: &[char], at: usize| {
            let c = text[at];
            c == '_' || is_letter(c) || is_digit(c)
        };
        let all = longest(&visible(text), begins, |item, rest| {
            let ends = match rest {
                [c, ..] if of_run(*c) => false,
                ['-' | '.', c, ..] => !is_digit(*c),
                _ => true,
            };
            let mut runs = item.split(['-', '.']);
            ends && runs.next().is_some_and(|run| !run.is_empty() && run.chars().all(of_run))
                && runs.all(|run| run.starts_with(is_digit) && run.chars().all(of_run))
        });
        let is_identifier = |item: &String| {
            let runs: Vec<&str> = item.split(['-', '.']).collect();
            let pairs = |run: &str, is: fn(char, char) -> bool| {
                run.chars().zip(run.chars().skip(1)).any(|(a, b)| is(a, b))
            };
            runs.iter().any(|run| {
                run.contains('_') && run.contains(|c| is_letter(c) || is_digit(c))
                    || pairs(run, |a, b| a.is_lowercase() && b.is_uppercase())
                    || pairs(run, |a, b| is_letter(a) && is_digit(b))
            }) || runs[0].contains(is_letter) && item.contains('-')
                || !item.contains(is_letter) && (item.contains('.') || runs.len() > 2)
        };
        all.into_iter().filter(is_identifier).collect()
    }

    /// Each word with the text between it and the word before; `None` before the first.
    fn words(text: &str) -> Vec<(Option<String>, String, Option<String>)> {
        let text = visible(text);
        let mut found: Vec<(Option<String>, String, Option<String>)> = Vec::new();
        let (mut between, mut at) = (String::new(), 0);
        while at < text.len() {
            let begins = is_letter(text[at]) || is_digit(text[at]) || is_unspaced(text[at]);
            if !begins {
                between.push(text[at]);
                at += 1;
                continue;
            }
            let alone = is_unspaced(text[at]);
            let mut end = at + 1;
            while end < text.len() && (is_mark(text[end]) || !alone && of_word(text[end])) {
                end += 1;
            }
            let word: String = text[at..end].iter().collect();
            let before = found.last().map(|(_, word, _)| word.clone());
            found.push((before.map(|_| between.clone()), word, None));
            let count = found.len();
            if count > 1 {
                found[count - 1].2 = Some(found[count - 2].1.clone());
            }
            between.clear();
            at = end;
        }
        found
    }

    pub(super) fn capitals(text: &str) -> Vec<String> {
        let words = words(text).into_iter().map(|(_, word, _)| word);
        words.filter(|word| word.contains(char::is_uppercase)).collect()
    }

    pub(super) fn names(text: &str) -> Vec<String> {
        let capitalised = |word: &str| word.starts_with(char::is_uppercase);
        let is_name = |(between, word, before): &(Option<String>, String, Option<String>)| {
            let (Some(between), Some(before)) = (between, before) else { return false };
            let short = capitalised(before) && before.chars().count() <= 3;
            let ended = between.char_indices().any(|(at, c)| {
                let ends = "!?…".contains(c) || c == '.' && !short;
                ends && between[at..].contains(char::is_whitespace)
            });
            let pieces = between.split('\n').collect::<Vec<_>>();
            let inner = pieces.get(1..pieces.len() - 1).unwrap_or_default();
            let blank = inner.iter().any(|piece| piece.chars().all(char::is_whitespace));
            capitalised(word) && word.chars().count() > 1 && !ended && !blank
        };
        let words = words(text);
        words.iter().filter(|word| is_name(word)).map(|(_, word, _)| word.to_lowercase()).collect()
    }

    pub(super) fn title(text: &str) -> Vec<String> {
        let of_lines = text.split('\n').map(|line| {
            let stretches: Vec<&str> = line.split_ascii_whitespace().take(32).collect();
            words(&stretches.join(" ")).into_iter().map(|(_, word, _)| word.to_lowercase())
        });
        let mut of_lines = of_lines.map(Iterator::collect::<Vec<_>>);
        let mut words = of_lines.find(|words| !words.is_empty()).unwrap_or_default();
        words.truncate(32);
        words
    }

    pub(super) fn without_digits(words: Vec<String>) -> Vec<String> {
        words.into_iter().filter(|word| !word.contains(is_digit)).collect()
    }
}

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => "[abAB12_., \n-]{0,6}",
        3 => "[0-9]{1,4}[.,-]{0,2}",
        3 => "([A-Za-z]{1,4}[.!? ]{0,2}){0,3}",
        2 => "[éÉßжЖx\u{301}٣²漢字\u{ad}\u{a0}…“”$+=!# aA1\n\t]{0,6}",
        1 => "(w|W1) {0,3}",
    ];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

fn sorted(mut items: Vec<String>) -> Vec<String> {
    items.sort();
    items
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn parts_are_what_their_definitions_say(text in text()) {
        // The oracle does not compose letters and marks.
        let visible = text.replace('\u{ad}', "");
        prop_assume!(lookalike_text::composed(&visible) == visible);
        prop_assert_eq!(items(&text, None, TextPart::Numbers), sorted(plain::numbers(&text)));
        prop_assert_eq!(items(&text, None, TextPart::Identifiers), sorted(plain::identifiers(&text)));
        prop_assert_eq!(items(&text, None, TextPart::Capitals), sorted(plain::capitals(&text)));
        prop_assert_eq!(items(&text, None, TextPart::Names), sorted(plain::names(&text)));
        let title = plain::title(&text);
        prop_assert_eq!(items(&text, None, TextPart::TitleNumbers), sorted(title.clone()));
        prop_assert_eq!(items(&text, None, TextPart::Title), sorted(plain::without_digits(title)));
    }

    /// In any text, symbols are those that a scan of the whole text finds.
    #[test]
    fn symbols_are_the_operators(text in prop_oneof![text(), "\\PC{0,40}", "[0-9 \n\u{a0}.,'!=–-]{0,12}", "[a1é\u{301} \n👍🏻🏿!=-]{0,8}"]) {
        let mut expected = Vec::new();
        let settings = AnalysisSettings { case: Case::Keep, ..AnalysisSettings::default() };
        let mut scratch = OperatorScratch::default();
        Operators::new(&settings).of(&text, &mut scratch, |c, _| expected.push(c.to_string()));
        prop_assert_eq!(items(&text, None, TextPart::Symbols), sorted(expected));
    }

    /// Line breaks in place of spaces, and other texts before with the same buffers, change nothing.
    #[test]
    fn wrapping_changes_no_part_but_the_title(text in text(), before in text()) {
        // A line of these alone is blank.
        let text = text.replace(['\u{ad}', '\u{a0}'], "");
        let stretches: Vec<&str> = text.split_ascii_whitespace().collect();
        let (wrapped, broken) = (stretches.join(" "), stretches.join("\n"));
        let (reader, mut scratch) = (PartReader::new(&AnalysisSettings::default()), PartScratch::default());
        let mut all = |text: &str| {
            let mut found = Vec::new();
            reader.items(text, Some("x"), &mut scratch, |part, item| found.push((part, item.to_vec())));
            found
        };
        all(&before);
        prop_assert_eq!(all(&wrapped), all(&broken));
    }
}
