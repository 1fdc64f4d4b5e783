//! A file of labels in; pairs of documents, or the class of each, out.
//!
//! Files are tab-separated with a header. True pairs: columns `a` and `b` (or `id1` and `id2`), two
//! names a line; or columns `id` and `cluster`, all documents of one cluster being pairs of each
//! other. Classes: two columns, a document's name and its class. Further columns are passed over.
//! Names are those that `pairs` and `clusters` tables show.

use super::listing::{Sampled, within};
use super::trial::too_many;
use crate::LookalikeError;
use lookalike_engine::Collection;
use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Documents by name.
pub(super) struct Names<'a> {
    numbers: HashMap<Cow<'a, str>, u32>,
    /// Names that several documents have.
    several: HashSet<String>,
    unknown: HashSet<String>,
}

impl<'a> Names<'a> {
    /// The names of a collection.
    pub(super) fn new(collection: &'a Collection) -> Self {
        let mut names =
            Self { numbers: HashMap::new(), several: HashSet::new(), unknown: HashSet::new() };
        for document in 0..collection.len() {
            match names.numbers.entry(collection.name(document)) {
                Entry::Vacant(place) => {
                    place.insert(document);
                }
                Entry::Occupied(taken) => {
                    names.several.insert(taken.key().to_string());
                }
            }
        }
        names
    }

    /// The document of a name; `None`, and remembered, where there is none.
    fn find(&mut self, name: &str, rows: &Rows<'_>) -> Result<Option<u32>, LookalikeError> {
        if self.several.contains(name) {
            return Err(LookalikeError::Labels(format!(
                "{}:{}: several documents are named `{name}`; labels need distinct ids (--id-field)",
                rows.path.display(),
                rows.number
            )));
        }
        let found = self.numbers.get(name).copied();
        if found.is_none() {
            self.unknown.insert(name.to_owned());
        }
        Ok(found)
    }

    /// How many names no document had.
    pub(super) fn unknown(&self) -> u64 {
        self.unknown.len() as u64
    }
}

/// The rows of a file, two of their columns each.
struct Rows<'p> {
    path: &'p Path,
    lines: std::io::Lines<BufReader<File>>,
    columns: (usize, usize),
    expected: &'static str,
    number: u64,
}

impl<'p> Rows<'p> {
    /// Opens a file. `choose` says from its header which columns are wanted, and what else follows
    /// from them.
    fn open<T>(
        path: &'p Path,
        expected: &'static str,
        choose: impl FnOnce(&[&str]) -> Option<((usize, usize), T)>,
    ) -> Result<(Self, T), LookalikeError> {
        let file = File::open(path).map_err(|error| unreadable(path, &error))?;
        let mut rows = Self {
            path,
            lines: BufReader::new(file).lines(),
            columns: (0, 0),
            expected,
            number: 0,
        };
        let header = rows.line()?.unwrap_or_default();
        let (columns, what) = choose(&header.split('\t').collect::<Vec<_>>())
            .ok_or_else(|| rows.wrong("the header names other columns"))?;
        rows.columns = columns;
        Ok((rows, what))
    }

    fn line(&mut self) -> Result<Option<String>, LookalikeError> {
        self.number += 1;
        let line = self.lines.next().transpose().map_err(|error| unreadable(self.path, &error))?;
        Ok(line.map(|mut line| {
            line.truncate(line.trim_end_matches('\r').len());
            line
        }))
    }

    fn next(&mut self) -> Result<Option<(String, String)>, LookalikeError> {
        while let Some(line) = self.line()? {
            if line.is_empty() {
                continue;
            }
            let cell = |at: usize| line.split('\t').nth(at).map(str::to_owned);
            return match (cell(self.columns.0), cell(self.columns.1)) {
                (Some(first), Some(second)) => Ok(Some((first, second))),
                _ => Err(self.wrong("a column is missing")),
            };
        }
        Ok(None)
    }

    fn wrong(&self, what: &str) -> LookalikeError {
        let Self { path, number, expected, .. } = self;
        LookalikeError::Labels(format!(
            "{}:{number}: {what}; expected are {expected}, separated by tabs, under a header",
            path.display()
        ))
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> LookalikeError {
    LookalikeError::Labels(format!("{}: cannot be read: {error}", path.display()))
}

/// The two forms of labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Pairs,
    Clusters,
}

/// The labelled pairs, in order, each once.
pub(super) fn pairs(
    path: &Path,
    names: &mut Names<'_>,
    sampled: Sampled<'_>,
    max_pairs: u64,
) -> Result<Vec<(u32, u32)>, LookalikeError> {
    let expected = "a and b (two documents), or id and cluster";
    let (mut rows, form) = Rows::open(path, expected, |header| {
        let place = |name: &str| header.iter().position(|&column| column == name);
        let two = |a, b| place(a).zip(place(b));
        let pairs = two("a", "b").or_else(|| two("id1", "id2")).map(|at| (at, Form::Pairs));
        pairs.or_else(|| two("id", "cluster").map(|at| (at, Form::Clusters)))
    })?;
    let mut listed = Vec::new();
    let mut clusters: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    let wanted = |a: u32, b: u32| sampled.is_none_or(|s| s[a as usize] || s[b as usize]);
    while let Some((first, second)) = rows.next()? {
        let document = names.find(&first, &rows)?;
        match form {
            Form::Clusters => {
                clusters.entry(second).or_default().extend(document);
            }
            Form::Pairs => {
                let pair = document.zip(names.find(&second, &rows)?);
                listed.extend(
                    pair.filter(|&(a, b)| a != b && wanted(a, b))
                        .map(|(a, b)| (a.min(b), a.max(b))),
                );
            }
        }
    }
    for group in clusters.values_mut() {
        group.sort_unstable();
        group.dedup();
        let (all, chosen) =
            (group.len() as u64, |d: &&u32| sampled.is_none_or(|s| s[**d as usize]));
        let chosen = group.iter().filter(chosen).count() as u64;
        if listed.len() as u64 + chosen * all / 2 > max_pairs {
            return Err(too_many("the file of labels", max_pairs));
        }
        within(group, sampled, |a, b| listed.push((a, b)));
    }
    listed.sort_unstable();
    listed.dedup();
    match listed.len() as u64 > max_pairs {
        true => Err(too_many("the file of labels", max_pairs)),
        false => Ok(listed),
    }
}

/// What a document is to a filter of spam.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Class {
    /// Neither, or not known.
    #[default]
    Neither,
    /// To be filtered out.
    Spam,
    /// Not to be lost.
    Legit,
}

/// The class of each document.
pub(super) fn classes(
    path: &Path,
    names: &mut Names<'_>,
    documents: u32,
    (spam, legit): (&str, &str),
) -> Result<Vec<Class>, LookalikeError> {
    let mut classes = vec![Class::Neither; documents as usize];
    let mut seen = BTreeSet::new();
    let (mut rows, ()) = Rows::open(path, "a name and its class", |header| {
        (header.len() > 1).then_some(((0, 1), ()))
    })?;
    while let Some((name, class)) = rows.next()? {
        if let Some(document) = names.find(&name, &rows)? {
            classes[document as usize] = match class.as_str() {
                class if class == spam => Class::Spam,
                class if class == legit => Class::Legit,
                _ => Class::Neither,
            };
        }
        seen.insert(class);
    }
    let missing = [(spam, Class::Spam, "--spam"), (legit, Class::Legit, "--legit")]
        .into_iter()
        .find(|(_, class, _)| !classes.contains(class));
    if let Some((name, _, option)) = missing {
        let known: Vec<&str> = seen.iter().take(10).map(String::as_str).collect();
        return Err(LookalikeError::Labels(format!(
            "{}: no document of the class `{name}` ({option}); the classes are {}",
            path.display(),
            known.join(", ")
        )));
    }
    Ok(classes)
}
