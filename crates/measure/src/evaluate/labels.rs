//! Reads labels: pairs of documents, or the class of each.
//!
//! True pairs: columns `a_id` and `b_id` (or `a` and `b`, or
//! `id1` and `id2`), two ids per line; or columns `id` and `cluster`, all documents of one cluster
//! being pairs of each other. Where the columns `a_file`, `a_record`, `b_file` and `b_record`
//! (`file` and `record`) are there as well, as in the tables `pairs` and `clusters`, they say which
//! document is meant, and ids may repeat. With a column `label`, pairs are judged: `same` or
//! `different`. Classes: two columns, a document's id and its class.
//! Further columns are ignored. An id is one as it is written or, if no document is called so, as the
//! tables of a run escape it.

use super::escapes::unescaped;
use super::label_rows::{LabelSource, Rows};
use super::listing::{Sampled, within};
use super::trial::too_many;
use lookalike_engine::{Collection, DocumentId, DocumentRange};
use lookalike_run::LookalikeError;
use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Documents by name.
pub(crate) struct Names<'a> {
    numbers: HashMap<Cow<'a, str>, DocumentId>,
    /// Names of several documents.
    several: HashSet<String>,
    unknown: HashSet<String>,
    collection: &'a Collection,
    /// The documents of each file.
    files: HashMap<&'a str, DocumentRange>,
}

impl<'a> Names<'a> {
    /// The names of a collection.
    ///
    /// # Errors
    /// Names on disk that cannot be read.
    pub(crate) fn new(collection: &'a Collection) -> Result<Self, LookalikeError> {
        let of_files = collection.file_starts.windows(2).filter(|bounds| bounds[0] < bounds[1]);
        let mut names = Self {
            numbers: HashMap::new(),
            several: HashSet::new(),
            unknown: HashSet::new(),
            collection,
            files: of_files
                .map(|bounds| DocumentRange::new(bounds[0], bounds[1]))
                .map(|documents| (collection.file_name(documents.start), documents))
                .collect(),
        };
        for document in collection.documents() {
            match names.numbers.entry(collection.name(document)?) {
                Entry::Vacant(place) => {
                    place.insert(document);
                }
                Entry::Occupied(taken) => {
                    names.several.insert(taken.key().to_string());
                }
            }
        }
        Ok(names)
    }

    /// The document named by the columns `at` of a row; `None` if there is none, which is counted.
    fn find(
        &mut self,
        row: &[String],
        at: DocumentAt,
        rows: &Rows<'_>,
    ) -> Result<Option<DocumentId>, LookalikeError> {
        if let Some((file, record)) = at.place {
            let (file, record) = (&row[file], &row[record]);
            let Ok(number) = record.parse() else {
                return Err(rows.wrong(&format!("`{record}` is not a record number")));
            };
            let found = self.at(file, number)?;
            if found.is_none() {
                self.unknown.insert(format!("{file}:{record}"));
            }
            return Ok(found);
        }
        // As it is written; if no document is called so, as the tables of a run escape it.
        let written = &row[at.id];
        let plain = match self.numbers.contains_key(written.as_str()) {
            true => None,
            false => unescaped(written).filter(|plain| self.numbers.contains_key(plain.as_str())),
        };
        let name = plain.as_ref().unwrap_or(written);
        if self.several.contains(name) {
            return Err(LookalikeError::Labels(format!(
                "{}: several documents have the id `{name}`; say which is meant in columns with its file \
                 and record, or use distinct ids (the setting id_field)",
                rows.place()
            )));
        }
        let found = self.numbers.get(name.as_str()).copied();
        if found.is_none() {
            self.unknown.insert(name.to_owned());
        }
        Ok(found)
    }

    /// The document with this record number in this file.
    fn at(&self, file: &str, record: u32) -> Result<Option<DocumentId>, LookalikeError> {
        let Some(documents) = self.files.get(file) else { return Ok(None) };
        let (mut from, mut until) = (documents.start, documents.end);
        while from < until {
            let middle = DocumentId(from.0 + (until.0 - from.0) / 2);
            match self.collection.place(middle)?.1 < record {
                true => from = DocumentId(middle.0 + 1),
                false => until = middle,
            }
        }
        let found = from < documents.end && self.collection.place(from)?.1 == record;
        Ok(found.then_some(from))
    }

    /// Number of names without a document.
    pub(super) fn unknown(&self) -> u64 {
        self.unknown.len() as u64
    }
}

/// The columns of a row that name a document.
#[derive(Debug, Clone, Copy)]
struct DocumentAt {
    id: usize,
    /// File and record.
    place: Option<(usize, usize)>,
}

/// The two forms of labels, and the columns that they are in.
#[derive(Debug, Clone, Copy)]
enum Form {
    Pairs(DocumentAt, DocumentAt),
    /// A document and its cluster.
    Clusters(DocumentAt, usize),
}

impl Form {
    /// The form that a header has, and the last needed column.
    fn of(header: &[&str]) -> Option<(usize, Self)> {
        let find = |name: &str| header.iter().position(|&column| column == name);
        let document = |id: &str, file: &str, record: &str| {
            Some(DocumentAt { id: find(id)?, place: find(file).zip(find(record)) })
        };
        let with_ids = |a, b| {
            let pair = |id, file, record| document(id, file, record);
            pair(a, "a_file", "a_record").zip(pair(b, "b_file", "b_record"))
        };
        let pairs = [("a_id", "b_id"), ("a", "b"), ("id1", "id2")]
            .into_iter()
            .find_map(|(a, b)| with_ids(a, b))
            // A file without a record, or the reverse, is ignored.
            .map(|(a, b)| match a.place.is_some() == b.place.is_some() {
                true => (a, b),
                false => (DocumentAt { place: None, ..a }, DocumentAt { place: None, ..b }),
            });
        let last = |at: DocumentAt| at.place.map_or(at.id, |(f, r)| at.id.max(f).max(r));
        if let Some((a, b)) = pairs {
            return Some((last(a).max(last(b)), Self::Pairs(a, b)));
        }
        let (member, cluster) = document("id", "file", "record").zip(find("cluster"))?;
        Some((last(member).max(cluster), Self::Clusters(member, cluster)))
    }
}

/// Labelled pairs.
#[derive(Debug, Default)]
pub(crate) struct Labelled {
    /// In order, each once, with whether they are the same.
    pub(super) pairs: Vec<(DocumentId, DocumentId, bool)>,
    /// Whether there is a column of judgements, so that pairs without one are not known.
    pub(crate) judged: bool,
    /// The documents that are named.
    named: BTreeSet<DocumentId>,
}

impl Labelled {
    /// Whether no document is named.
    pub(crate) fn is_empty(&self) -> bool {
        self.named.is_empty()
    }

    /// Whether two documents are the same, if that is known: where pairs are not judged, named documents whose
    /// pair is not listed are not.
    pub(crate) fn judgement(&self, a: DocumentId, b: DocumentId) -> Option<bool> {
        let pair = (a.min(b), a.max(b));
        let found = self.pairs.binary_search_by_key(&pair, |&(a, b, _)| (a, b)).ok();
        let other = !self.judged && self.named.contains(&a) && self.named.contains(&b);
        found.map(|at| self.pairs[at].2).or(other.then_some(false))
    }
}

/// A judgement; `None` for another word.
fn judgement(word: &str) -> Option<bool> {
    match word {
        "same" | "1" | "true" => Some(true),
        "different" | "0" | "false" => Some(false),
        _ => None,
    }
}

/// Reads the labelled pairs.
pub(crate) fn pairs(
    source: &LabelSource,
    names: &mut Names<'_>,
    sampled: Sampled<'_>,
    max_pairs: u64,
) -> Result<Labelled, LookalikeError> {
    let expected = "a_id and b_id (two documents), or id and cluster";
    let (mut rows, (form, label)) = Rows::open(source, expected, |header| {
        let (last, form) = Form::of(header)?;
        let label = header.iter().position(|&column| column == "label");
        let label = label.filter(|_| matches!(form, Form::Pairs(..)));
        Some((last.max(label.unwrap_or(0)), (form, label)))
    })?;
    let mut listed = Vec::new();
    let mut judged = Vec::new();
    let mut named = BTreeSet::new();
    let mut clusters: BTreeMap<String, Vec<DocumentId>> = BTreeMap::new();
    let wanted = |a: DocumentId, b: DocumentId| {
        sampled.is_none_or(|sampled| sampled[a.index()] || sampled[b.index()])
    };
    while let Some(mut row) = rows.next()? {
        match form {
            Form::Clusters(member, cluster) => {
                let document = names.find(&row, member, &rows)?;
                let cluster = std::mem::take(&mut row[cluster]);
                named.extend(document);
                clusters.entry(cluster).or_default().extend(document);
            }
            Form::Pairs(a, b) => {
                let same = match label {
                    None => true,
                    Some(at) => judgement(&row[at]).ok_or_else(|| {
                        let word = &row[at];
                        rows.wrong(&format!("the label `{word}` is neither `same` nor `different`"))
                    })?,
                };
                let [a, b] = [names.find(&row, a, &rows)?, names.find(&row, b, &rows)?];
                named.extend(a.into_iter().chain(b));
                let pair = a.zip(b);
                let Some((a, b)) = pair.filter(|&(a, b)| a != b && wanted(a, b)) else { continue };
                let pair = (a.min(b), a.max(b));
                if label.is_some() {
                    judged.push((pair, same, rows.place()));
                } else {
                    listed.push(pair);
                }
            }
        }
    }
    for group in clusters.values_mut() {
        group.sort_unstable();
        group.dedup();
        let (all, chosen) =
            (group.len() as u64, |d: &&DocumentId| sampled.is_none_or(|s| s[d.index()]));
        let chosen = group.iter().filter(chosen).count() as u64;
        if listed.len() as u64 + chosen * all / 2 > max_pairs {
            return Err(too_many("the truth", max_pairs));
        }
        within(group, sampled, |a, b| listed.push((a, b)));
    }
    listed.sort_unstable();
    listed.dedup();
    if (listed.len() + judged.len()) as u64 > max_pairs {
        return Err(too_many("the truth", max_pairs));
    }
    let pairs = match label {
        None => listed.into_iter().map(|(a, b)| (a, b, true)).collect(),
        Some(_) => judgements(judged)?,
    };
    Ok(Labelled { pairs, judged: label.is_some(), named })
}

/// The judged pairs in order, each once.
fn judgements(
    mut judged: Vec<((DocumentId, DocumentId), bool, String)>,
) -> Result<Vec<(DocumentId, DocumentId, bool)>, LookalikeError> {
    judged.sort_by_key(|&(pair, ..)| pair);
    if let Some([first, second]) = judged.array_windows().find(|[x, y]| x.0 == y.0 && x.1 != y.1) {
        return Err(LookalikeError::Labels(format!(
            "{} and {}: the same pair is labelled both `same` and `different`; remove one of the rows",
            first.2, second.2
        )));
    }
    judged.dedup_by_key(|row| row.0);
    Ok(judged.into_iter().map(|((a, b), same, _)| (a, b, same)).collect())
}

/// Class of a document, for spam filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Class {
    /// Neither, or not known.
    #[default]
    Neither,
    /// Spam: to be filtered out.
    Spam,
    /// Legitimate: not to be filtered out.
    Legit,
}

/// The class of each document.
pub(super) fn classes(
    source: &LabelSource,
    names: &mut Names<'_>,
    documents: u32,
    (spam, legit): (&str, &str),
) -> Result<Vec<Class>, LookalikeError> {
    let mut classes = vec![Class::Neither; documents as usize];
    let mut seen = BTreeSet::new();
    let (mut rows, ()) =
        Rows::open(source, "a name and its class", |header| (header.len() > 1).then_some((1, ())))?;
    let name = DocumentAt { id: 0, place: None };
    while let Some(mut row) = rows.next()? {
        let class = std::mem::take(&mut row[1]);
        if let Some(document) = names.find(&row, name, &rows)? {
            classes[document.index()] = match class.as_str() {
                class if class == spam => Class::Spam,
                class if class == legit => Class::Legit,
                _ => Class::Neither,
            };
        }
        seen.insert(class);
    }
    let missing =
        [(spam, Class::Spam, "the setting spam"), (legit, Class::Legit, "the setting legit")]
            .into_iter()
            .find(|(_, class, _)| !classes.contains(class));
    if let Some((name, _, option)) = missing {
        let known: Vec<&str> = seen.iter().take(10).map(String::as_str).collect();
        return Err(LookalikeError::Labels(format!(
            "{}: no document of the class `{name}` ({option}); the classes are {}",
            source.name(),
            known.join(", ")
        )));
    }
    Ok(classes)
}
