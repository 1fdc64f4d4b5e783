//! The words of the world's scripts: those of the product against those found with
//! `unicode-segmentation`, and where they differ from the words of UAX #29.
//!
//! `data/article_1.txt` has a few sentences in the scripts of the world, after article 1 of the
//! Universal Declaration of Human Rights. With `LOOKALIKE_DATA`, the declaration in 254 languages is
//! compared as well. `data/word_boundaries.tsv` lists by language where words begin or end otherwise
//! than in UAX #29, with the characters that are the reason; `LOOKALIKE_LIST=FILE` writes the list
//! of all languages anew.

#![allow(clippy::unwrap_used)]

use lookalike_testing::{data, reference, words};
use lookalike_text::{AnalysisSettings, Analyzer, Normalize, Scratch};
use std::collections::{BTreeMap, BTreeSet};
use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

/// The columns of `word_boundaries.tsv`: which of the two has a boundary that the other does not
/// have, beside (or between) which characters, and how often.
const LIST_HEADER: &str = "text\tboundary of\tcharacters\tcount";

const NORMALIZE: [Normalize; 3] = [Normalize::None, Normalize::Nfc, Normalize::Nfkc];

fn analyzer(normalize: Normalize) -> Analyzer {
    Analyzer::new(&AnalysisSettings { normalize, ..AnalysisSettings::default() })
}

/// The product's words.
fn product(text: &str, normalize: Normalize) -> Vec<String> {
    let mut found = Vec::new();
    analyzer(normalize).tokens(text, &mut Scratch::default(), |token| {
        found.push(String::from_utf8(token.to_vec()).unwrap());
    });
    found
}

fn article_1() -> Vec<(&'static str, &'static str)> {
    let lines = include_str!("data/article_1.txt").lines();
    lines.map(|line| line.split_once('\t').unwrap()).collect()
}

/// Every text: its words are those of the oracle, and none begins or ends inside a grapheme cluster.
fn check(name: &str, text: &str) {
    for normalize in NORMALIZE {
        let expected = words::words(text, normalize);
        let found = product(text, normalize);
        let differs = found.iter().zip(&expected).position(|(a, b)| a != b);
        assert_eq!(differs.map(|at| (&found[at], &expected[at])), None, "{name}, {normalize:?}");
        assert_eq!(found.len(), expected.len(), "{name}, {normalize:?}");
    }
    let text = words::prepared(text, Normalize::None);
    analyzer(Normalize::None).located_tokens(&text, |token, place| {
        for at in [place.start, place.end] {
            let inside = GraphemeCursor::new(at, text.len(), true).is_boundary(&text, 0);
            assert_eq!(inside, Ok(true), "{name}: {token}");
        }
    });
}

/// Boundaries that only one of the two has, in normal text: counted by whose they are and by the
/// characters on both sides, of which the reason is written.
fn differences(text: &str) -> BTreeMap<(&'static str, String), u32> {
    let text = words::prepared(text, Normalize::Nfc);
    let mut ours = BTreeSet::new();
    analyzer(Normalize::Nfc).located_tokens(&text, |_, place| {
        ours.extend([place.start, place.end]);
    });
    let mut theirs = BTreeSet::new();
    for (at, segment) in text.split_word_bound_indices() {
        if segment.contains(|c| words::is_letter(c) || is_am(c)) {
            theirs.extend([at, at + segment.len()]);
        }
    }
    let mut counts = BTreeMap::new();
    for (whose, these, others) in [("ours", &ours, &theirs), ("UAX #29", &theirs, &ours)] {
        for &at in these.difference(others) {
            let (before, after) = (text[..at].chars().next_back(), text[at..].chars().next());
            let word = |&c: &char| words::is_letter(c) || words::is_mark(c) || is_am(c);
            let sides = [before, after].map(|c| c.unwrap_or(' '));
            let reason: Vec<String> = match sides.iter().filter(|c| !word(c)).count() {
                0 => sides.iter().map(|&c| class(c)).collect(),
                _ => sides.iter().filter(|c| !word(c)).map(|&c| code(c)).collect(),
            };
            *counts.entry((whose, reason.join(" | "))).or_default() += 1;
        }
    }
    counts
}

/// Thai and Lao *am*: a letter that attaches as a mark does.
fn is_am(c: char) -> bool {
    matches!(c, '\u{E33}' | '\u{EB3}')
}

/// Letters of one kind together; others by their code point.
fn class(c: char) -> String {
    match c {
        _ if is_am(c) => "am".into(),
        _ if words::is_mark(c) => "mark".into(),
        _ if words::is_unspaced(c) => "letter without spaces".into(),
        c if c.is_numeric() => "number".into(),
        _ => "letter".into(),
    }
}

fn code(c: char) -> String {
    if c.is_ascii_graphic() { c.into() } else { format!("U+{:04X}", u32::from(c)) }
}

fn rows(name: &str, text: &str) -> Vec<String> {
    let found = differences(text);
    found.iter().map(|((whose, what), count)| format!("{name}\t{whose}\t{what}\t{count}")).collect()
}

/// The listed rows of some texts.
fn listed(names: &BTreeSet<String>) -> Vec<String> {
    let mut lines = include_str!("data/word_boundaries.tsv").lines();
    assert_eq!(lines.next(), Some(LIST_HEADER));
    let named = |line: &&str| names.contains(line.split('\t').next().unwrap());
    lines.filter(named).map(str::to_owned).collect()
}

#[test]
fn words_of_all_scripts_are_those_of_the_oracle() {
    let texts = article_1();
    for (name, text) in &texts {
        check(name, text);
        // As copies have them: in capitals, decomposed, with other characters beside.
        check(name, &text.to_uppercase());
        check(name, &format!("{text}{text} ({text})"));
    }
    let all: String = texts.iter().map(|(_, text)| *text).collect();
    check("all in one line", &all);
}

#[test]
fn what_differs_from_uax_29_is_listed() {
    let texts = article_1();
    let names = texts.iter().map(|(name, _)| (*name).to_owned()).collect();
    let found: Vec<String> = texts.iter().flat_map(|(name, text)| rows(name, text)).collect();
    let listed = listed(&names);
    assert!(found == listed, "{}\nand listed are\n{}", found.join("\n"), listed.join("\n"));
}

#[test]
fn words_of_254_languages_are_those_of_the_oracle() {
    let Some(folder) = data::folder("multi_udhr_a") else { return };
    let documents = reference::documents(&folder).unwrap();
    let mut found = Vec::new();
    for document in &documents {
        check(&document.id, &document.text);
        found.extend(rows(&document.id, &document.text));
    }
    if let Some(path) = std::env::var_os("LOOKALIKE_LIST") {
        let samples = article_1();
        let samples = samples.iter().flat_map(|(name, text)| rows(name, text));
        let lines = std::iter::once(LIST_HEADER.to_owned()).chain(samples).chain(found.clone());
        std::fs::write(path, lines.map(|line| line + "\n").collect::<String>()).unwrap();
    }
    let names = documents.iter().map(|document| document.id.clone()).collect();
    let listed = listed(&names);
    let missing: Vec<&String> = found.iter().filter(|row| !listed.contains(row)).collect();
    assert!(found == listed, "{} rows found, {} listed: {missing:?}", found.len(), listed.len());
}
