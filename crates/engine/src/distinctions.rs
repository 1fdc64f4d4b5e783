//! What documents need to have in common to match, besides a measure: parts of their texts, values
//! of fields, what a pattern finds.
//!
//! A document has one *label*, a hash of all that it needs to have in common with others. The signer
//! permutes elements and keys by it, so that documents of different labels have none in
//! common: joins, indexes and engines that shuffle obey it without knowing of it.

use lookalike_core::MultisetDigest;
use lookalike_core::fingerprint::{finalise, token};
use lookalike_text::{AnalysisSettings, PartReader, PartScratch, TextPart};
use regex::Regex;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

/// Something that documents need to have in common.
///
/// Written as the name of a part (`numbers`), as a pattern between slashes (`/§ ?\d+/`), or as
/// the name of a field.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Distinction {
    /// A part of the text.
    Part(TextPart),
    /// The values of a field, each once, in any order. Documents without one have that in common.
    Field(String),
    /// What a pattern finds in the text, in any order, repeats included.
    Pattern(Pattern),
}

/// A compiled regular expression. Patterns are compared as they are written.
#[derive(Debug, Clone)]
pub struct Pattern(Regex);

impl Pattern {
    /// Compiles an expression.
    ///
    /// # Errors
    /// The text is no regular expression.
    pub fn new(written: &str) -> Result<Self, String> {
        Regex::new(written).map(Self).map_err(|error| {
            // The library shows the expression and points at the place, over several lines.
            let said = error.to_string();
            let said = said.lines().map(str::trim).rfind(|line| !line.is_empty());
            format!("/{written}/: {}", said.unwrap_or("no regular expression"))
        })
    }

    /// Passes on the groups of each match, or all of it if the expression has no groups.
    fn each_match(&self, text: &str, mut each: impl FnMut(&str)) {
        let Self(expression) = self;
        if expression.captures_len() == 1 {
            expression.find_iter(text).for_each(|found| each(found.as_str()));
            return;
        }
        for found in expression.captures_iter(text) {
            found.iter().skip(1).flatten().for_each(|group| each(group.as_str()));
        }
    }
}

impl Ord for Pattern {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.as_str().cmp(other.0.as_str())
    }
}

impl PartialOrd for Pattern {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Pattern {}

/// The parts that may be named.
const PARTS: [TextPart; 6] = [
    TextPart::Numbers,
    TextPart::Identifiers,
    TextPart::Title,
    TextPart::TitleNumbers,
    TextPart::Names,
    TextPart::Symbols,
];

impl FromStr for Distinction {
    type Err = String;

    /// # Errors
    /// An empty name, an expression that is none.
    fn from_str(written: &str) -> Result<Self, String> {
        let written = written.trim();
        if let Some(part) = PARTS.into_iter().find(|part| part.name() == written) {
            return Ok(Self::Part(part));
        }
        match written.strip_prefix('/') {
            None if written.is_empty() => {
                let names = PARTS.map(TextPart::name).join(", ");
                Err(format!("an empty name; use {names}, a field, or a /REGEX/"))
            }
            None => Ok(Self::Field(written.to_owned())),
            Some(rest) => match rest.strip_suffix('/') {
                None | Some("") => {
                    Err(format!("`{written}` is no regular expression between two slashes"))
                }
                Some(pattern) => Pattern::new(pattern).map(Self::Pattern),
            },
        }
    }
}

impl fmt::Display for Distinction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Part(part) => f.write_str(part.name()),
            Self::Field(name) => f.write_str(name),
            Self::Pattern(Pattern(expression)) => write!(f, "/{expression}/"),
        }
    }
}

impl Distinction {
    /// Parses a list of distinctions, separated by commas. An expression may contain commas: it ends
    /// at the first slash before a comma or the end.
    ///
    /// ```
    /// use lookalike_engine::Distinction;
    ///
    /// let list = Distinction::list(r"numbers,/a{1,2}/,lang").unwrap();
    /// assert_eq!(list.iter().map(ToString::to_string).collect::<Vec<_>>(), ["numbers", "/a{1,2}/", "lang"]);
    /// ```
    ///
    /// # Errors
    /// As of [`Distinction::from_str`].
    pub fn list(written: &str) -> Result<Vec<Self>, String> {
        let mut found = Vec::new();
        let mut rest = written.trim();
        loop {
            let end = match rest.strip_prefix('/') {
                None => rest.find(','),
                Some(pattern) => pattern.find("/,").map(|at| at + 2),
            };
            found.push(rest[..end.unwrap_or(rest.len())].parse()?);
            match end {
                None => return Ok(found),
                Some(end) => rest = rest[end + 1..].trim_start(),
            }
        }
    }
}

/// A document, as far as distinctions read it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Described<'a> {
    /// Its text without markup.
    pub text: &'a str,
    /// The title of the record, or else of the page.
    pub title: Option<&'a str>,
}

/// The distinctions of a run. Immutable.
#[derive(Debug)]
pub struct Distinctions {
    /// Each once, ascending.
    of: Vec<Distinction>,
    parts: PartReader,
}

impl PartialEq for Distinctions {
    /// They are of equal normalisation where the settings of the analysis are.
    fn eq(&self, other: &Self) -> bool {
        self.of == other.of
    }
}

impl Eq for Distinctions {}

impl Distinctions {
    /// The distinctions of a list, which may be in any order. Texts are analysed with these settings,
    /// of which the normalisation counts.
    #[must_use]
    pub fn new(mut of: Vec<Distinction>, analysis: &AnalysisSettings) -> Self {
        of.sort_unstable();
        of.dedup();
        Self { of, parts: PartReader::new(analysis) }
    }

    /// The names of the fields.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.of.iter().filter_map(|distinction| match distinction {
            Distinction::Field(name) => Some(name.as_str()),
            _ => None,
        })
    }

    /// Whether texts count, and not fields alone.
    #[must_use]
    pub fn reads_texts(&self) -> bool {
        self.of.iter().any(|distinction| !matches!(distinction, Distinction::Field(_)))
    }

    /// The label of a document, not 0. `value` is a hash of the values of a field
    /// ([`value_hash`]). O(text).
    #[must_use]
    pub fn label(
        &self,
        document: Described<'_>,
        value: impl Fn(&str) -> u64,
        scratch: &mut PartScratch,
    ) -> u64 {
        let mut parts = [MultisetDigest::default(); TextPart::ALL.len()];
        if self.of.iter().any(|distinction| matches!(distinction, Distinction::Part(_))) {
            self.parts.items(document.text, document.title, scratch, |part, item| {
                parts[part as usize].add(item);
            });
        }
        let mut label = 1;
        let mut add = |hash: u64| label = finalise(label ^ hash);
        for distinction in &self.of {
            let mut found = MultisetDigest::default();
            match distinction {
                Distinction::Part(part) => found = parts[*part as usize],
                Distinction::Pattern(pattern) => {
                    pattern.each_match(document.text, |item| found.add(item.as_bytes()));
                }
                Distinction::Field(name) => {
                    add(value(name));
                    continue;
                }
            }
            add((found.0 >> 64) as u64);
            add(found.0 as u64);
        }
        label.max(1)
    }

    /// In words, what two documents do not have in common: `numbers differ (2.0 / 3.0)`. `values`
    /// returns the values of a field of the first (0) or the second (1) document.
    pub fn differences(
        &self,
        documents: [Described<'_>; 2],
        values: impl Fn(usize, &str) -> Vec<String>,
    ) -> Vec<String> {
        let mut found = Vec::new();
        let mut scratch = PartScratch::default();
        for distinction in &self.of {
            let mut counts: BTreeMap<String, i64> = BTreeMap::new();
            for (number, document) in documents.into_iter().enumerate() {
                let step = if number == 0 { 1 } else { -1 };
                let mut add = |item: String| *counts.entry(item).or_default() += step;
                match distinction {
                    Distinction::Part(part) => {
                        let Described { text, title } = document;
                        self.parts.items(text, title, &mut scratch, |of, item| {
                            if of == *part {
                                add(String::from_utf8_lossy(item).into_owned());
                            }
                        });
                    }
                    Distinction::Field(name) => {
                        let values: BTreeSet<String> = values(number, name).into_iter().collect();
                        values.into_iter().for_each(add);
                    }
                    Distinction::Pattern(pattern) => {
                        pattern.each_match(document.text, |item| add(item.to_owned()));
                    }
                }
            }
            let of = |sign: i64| {
                let items = counts.iter().filter(|(_, count)| **count * sign > 0);
                let items: Vec<&str> = items.map(|(item, _)| item.as_str()).collect();
                match items.len() {
                    0 => "none".to_owned(),
                    1..=SHOWN => items.join(", "),
                    more => format!("{}, … {more} in all", items[..SHOWN].join(", ")),
                }
            };
            if counts.values().any(|&count| count != 0) {
                let verb = match distinction {
                    Distinction::Part(
                        TextPart::Numbers
                        | TextPart::Identifiers
                        | TextPart::Names
                        | TextPart::Symbols,
                    ) => "differ",
                    _ => "differs",
                };
                found.push(format!("{distinction} {verb} ({} / {})", of(1), of(-1)));
            }
        }
        found
    }
}

/// Items of a difference that are named.
const SHOWN: usize = 3;

/// A hash of the values of a field, each once, in any order.
#[must_use]
pub fn value_hash<'v>(values: impl Iterator<Item = &'v str>) -> u64 {
    let mut values: Vec<u64> = values.map(|value| finalise(token(value.as_bytes()))).collect();
    values.sort_unstable();
    values.dedup();
    values.iter().fold(1, |hash, value| finalise(hash ^ value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(list: &str) -> Distinctions {
        Distinctions::new(Distinction::list(list).unwrap(), &AnalysisSettings::default())
    }

    fn label(list: &str, text: &str, title: Option<&str>) -> u64 {
        let value = |_: &str| value_hash(std::iter::empty());
        of(list).label(Described { text, title }, value, &mut PartScratch::default())
    }

    #[test]
    fn lists_are_read_back_as_they_are_written() {
        for list in ["numbers", "title+numbers,lang", r"/a,b/,/\d{2,3}/,names", "/a/b/,x"] {
            let found = Distinction::list(list).unwrap();
            let written: Vec<String> = found.iter().map(ToString::to_string).collect();
            assert_eq!(written.join(","), list);
        }
        assert_eq!(Distinction::list(" numbers , lang ").unwrap().len(), 2);
        for wrong in ["", "numbers,", "/", "//", "/a", "/(/", "lang,,names"] {
            assert!(Distinction::list(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_label_is_of_the_named_parts_alone() {
        let (one, two) = ("Release 2.0 of the tool", "Release 3.0 of the tool");
        assert_ne!(label("numbers", one, None), label("numbers", two, None));
        assert_eq!(label("title", one, None), label("title", two, None));
        assert_ne!(label("title+numbers", one, None), label("title+numbers", two, None));
        assert_ne!(label("title", one, Some("A")), label("title", one, Some("B")));
        assert_eq!(label("numbers", "1 2", None), label("numbers", "b 2 a 1", None));
        assert_ne!(label("numbers", "1 2", None), label("numbers", "1 2 2", None));
        assert_eq!(label("numbers,title", one, None), label("title,numbers,title", one, None));
        assert_ne!(label("numbers", "", None), 0);
    }

    #[test]
    fn a_pattern_compares_groups_or_all_of_it() {
        assert_eq!(label(r"/§ ?\d+/", "a § 3", None), label(r"/§ ?\d+/", "§ 3 b", None));
        assert_ne!(label(r"/§ ?\d+/", "a § 3", None), label(r"/§ ?\d+/", "a §3", None));
        assert_eq!(label(r"/§ ?(\d+)/", "a § 3", None), label(r"/§ ?(\d+)/", "a §3", None));
    }

    #[test]
    fn differences_name_what_either_lacks() {
        let documents = ["Version 2.0, 7 files", "Version 3.0, 7 files"];
        let documents = documents.map(|text| Described { text, title: None });
        let values = |number: usize, _: &str| vec![["en", "de"][number].to_owned()];
        assert_eq!(
            of("numbers,title,lang").differences(documents, values),
            ["numbers differ (2.0 / 3.0)", "lang differs (en / de)"]
        );
        let many = ["1 2 3 4 5", ""].map(|text| Described { text, title: None });
        let found = of("numbers").differences(many, values);
        assert_eq!(found, ["numbers differ (1, 2, 3, … 5 in all / none)"]);
    }
}
