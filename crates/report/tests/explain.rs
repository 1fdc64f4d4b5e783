//! The output of `compare` and `explain`, as text and JSON.

use lookalike_report::{
    Comparison, DocExhibit, Explanation, Measures, Question, SettingsSummary, Side, TextStyle,
};
use std::ops::Range;

fn words(text: &str, emit: &mut dyn FnMut(&str, Range<usize>)) {
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let start = word.as_ptr().addr() - text.as_ptr().addr();
        emit(&word.to_lowercase(), start..start + word.len());
    }
}

fn document(id: &str, text: &str) -> DocExhibit {
    DocExhibit { id: id.into(), text: text.into(), ..DocExhibit::default() }
}

fn settings() -> SettingsSummary {
    SettingsSummary {
        measure: "resemblance".into(),
        threshold: "0.5".into(),
        shingle: Some(3),
        unit: "word".into(),
        ..SettingsSummary::default()
    }
}

const A: &str = "A rose is a rose is a rose, she said.";
const B: &str = "A Rose is a rose is a tulip, she said!";

/// Distinct 3-shingles: a {a rose is, rose is a, is a rose, a rose she, rose she said}; b {a rose
/// is, rose is a, is a rose, is a tulip, a tulip she, tulip she said}. Three of eight. The last "is
/// a rose" of a is in b only earlier: that is the second passage.
fn measures() -> Measures {
    Measures {
        resemblance: 3.0 / 8.0,
        containment_a_in_b: 3.0 / 5.0,
        containment_b_in_a: 3.0 / 6.0,
        cosine: None,
        shared: 3,
        size_a: 5,
        size_b: 6,
    }
}

fn explain<R>(a: &str, b: &str, reaches: bool, look: impl FnOnce(&Explanation<'_>) -> R) -> R {
    let (a, b, settings) = (document("a.txt", a), document("b.txt", b), settings());
    let question = Question {
        a: &a,
        b: &b,
        measures: measures(),
        reaches,
        with_boilerplate: None,
        settings: &settings,
        decision: None,
    };
    look(&Explanation::new(question, &words))
}

#[test]
fn the_rose_by_hand() {
    let text = explain(A, B, false, |e| e.text(&TextStyle::default()));
    let expected = "\
a a.txt 10 words
b b.txt 10 words

Not near-duplicates: resemblance 0.3750 over word 3-shingles is below 0.5.

  resemblance  0.3750  ███████░░░░░░░░░░░░░  3 of 8 distinct shingles
  a in b       0.6000  ████████████░░░░░░░░  3 of 5
  b in a       0.5000  ██████████░░░░░░░░░░  3 of 6

Shared passages (2)
  1. 7 words: a word 1–7, b word 1–7
     A rose is a rose is a                │ A Rose is a rose is a

  2. 5 words: a word 4–8, b word 1–5
     a rose is a rose                     │ A Rose is a rose

Differences (1), from a to b
  A Rose is a rose is a [-rose-] {+tulip+}, she said!
";
    assert_eq!(text, expected);
}

#[test]
fn as_data_with_places_in_the_texts() {
    let comparison = explain(A, B, false, |e| e.comparison());
    assert_eq!(comparison.passages.len(), 2);
    assert_eq!(&A[comparison.passages[0].bytes_a.clone()], "A rose is a rose is a");
    assert_eq!(comparison.passages[0].text_b, "A Rose is a rose is a");
    let differences: Vec<(Side, &str)> =
        comparison.differences.iter().map(|d| (d.side, d.text.as_str())).collect();
    assert_eq!(differences, [(Side::Left, "rose"), (Side::Right, "tulip")]);
    assert_eq!(&B[comparison.differences[1].bytes.clone()], "tulip");
    let json = serde_json::to_string(&comparison).expect("plain data");
    assert_eq!(serde_json::from_str::<Comparison>(&json).expect("our own"), comparison);
}

#[test]
fn verdicts() {
    let verdict = |a: &str, b: &str, reaches| explain(a, b, reaches, |e| e.verdict());
    assert!(verdict(A, A, true).starts_with("Identical texts: resemblance"));
    assert!(verdict(A, &A.to_uppercase(), true).starts_with("Lexically equivalent"));
    assert!(
        verdict(A, B, true)
            .starts_with("Near-duplicates: resemblance 0.3750 over word 3-shingles reaches 0.5")
    );
    assert!(verdict("", "", false).starts_with("Identical texts, but without"));
}

#[test]
fn no_document_can_move_the_cursor_or_turn_the_line() {
    let text = "before \x1b[2J\x1b]0;title\x07 \u{202e}after \0 \u{9b}31m \r\n";
    let shown = explain(text, &format!("{text} more"), true, |e| e.text(&TextStyle::default()));
    for c in ['\x1b', '\x07', '\u{202e}', '\0', '\u{9b}', '\r'] {
        assert!(!shown.contains(c), "found {c:?}");
    }
    assert!(shown.contains('␛'));
}

#[test]
fn lines_keep_to_the_width_and_colours_replace_marks() {
    let a = format!("{A} ").repeat(40) + &"x".repeat(500);
    let b = format!("{B} ").repeat(40);
    for width in [48, 71, 72, 80, 120] {
        let text = explain(&a, &b, false, |e| e.text(&TextStyle { width, ..TextStyle::default() }));
        for line in text.lines() {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
    }
    let coloured =
        explain(A, B, false, |e| e.text(&TextStyle { colour: true, ..TextStyle::default() }));
    assert!(coloured.contains("\x1b[31mrose") && coloured.contains("\x1b[32mtulip"));
    assert!(!coloured.contains("[-") && !coloured.contains("{+"));
}
