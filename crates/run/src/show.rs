//! `show`: what people ask of a finished run, without loading its tables.

use crate::LookalikeError;
use crate::lookup::{id_of, only_named};
use crate::panics::caught;
use crate::passages::listing;
use crate::run_inputs::{RunInputs, passages_of, read_summary};
use crate::settings::thread_count;
use crate::shown::Shown;
use lookalike_decide::{DocumentName, ReadDifference, ReadMember, ReadRemoval};
use lookalike_engine::signer::plain_text;
use lookalike_engine::{DifferenceKind, DifferenceKinds, EngineError, pipeline};
use lookalike_io::source::Piece;
use lookalike_io::source::VisitScratch;
use lookalike_io::{Extractor, Inputs, Item, Problem};
use lookalike_report::{Action, Summary};
use serde_json::Value as Json;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

/// What is asked of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// The largest clusters.
    Clusters,
    /// The cluster of a document, which is named by its id or as `FILE:RECORD`.
    Document(String),
    /// The documents of a cluster, by the number in the table `clusters`.
    Cluster(u64),
    /// How many documents an input lost, and to which inputs.
    Source(String),
    /// Removed documents that differ from their witnesses in this: of those that the run compared.
    Differs(DifferenceKind),
    /// Removed documents with at least this number of words that their witnesses lack: of those that the
    /// run compared.
    Lost(u64),
    /// Documents whose text contains this one. Commands with which the run extracted texts are
    /// started again only if they are given.
    Texts(String, Vec<Extractor>),
    /// Of a search for repeated passages: those with the most copies, or those of a document.
    Passages(Option<String>),
}

/// Answers a question about a finished run from its tables; [`What::Texts`] reads the inputs again,
/// which are found as [`explain`](crate::explain()) finds them. `limit` rows are returned at most.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use lookalike::{Job, Silent, run_dedup};
/// use lookalike::results::{What, show};
///
/// # let folder = tempfile::tempdir()?;
/// let docs = folder.path().join("docs.jsonl");
/// let line = "one fish two fish red fish blue fish black fish old fish new fish";
/// std::fs::write(&docs, format!("{{\"id\":\"a\",\"text\":\"{line}\"}}\n{{\"id\":\"b\",\"text\":\"{line}!\"}}\n"))?;
/// let job = Job::new(vec![docs.display().to_string()], folder.path().join("clean"));
/// run_dedup(&job, &Silent)?;
/// let clusters = show(&job.output, &What::Clusters, 10)?;
/// assert_eq!(clusters.columns[..3], ["cluster", "size", "leader"]);
/// assert_eq!(clusters.rows[0][1], 2);
/// let found = show(&job.output, &What::Texts("blue fish".into(), Vec::new()), 1)?;
/// assert_eq!((found.total, found.rows.len()), (2, 1));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// A directory without a finished run, no such document, cluster or input, tables or inputs that
/// cannot be read.
pub fn show(run: &Path, what: &What, limit: usize) -> Result<Shown, LookalikeError> {
    caught(|| match what {
        What::Clusters => clusters(run, limit),
        What::Document(name) => document(run, name, limit),
        What::Cluster(number) => cluster(run, *number, limit),
        What::Source(name) => source(run, name, limit),
        What::Differs(kind) => {
            differing(run, |found| DifferenceKinds::named(&found.kinds).has(*kind), limit)
        }
        What::Lost(least) => differing(run, |found| found.lost >= *least, limit),
        What::Texts(text, commands) => texts(run, text, commands, limit),
        What::Passages(of) => {
            let folder = passages_of(run)?.unwrap_or_else(|| run.to_owned());
            match of {
                None => listing::most_copied(&folder, limit),
                Some(name) => listing::of_document(&folder, name, limit),
            }
        }
    })
}

/// The summary of a finished run.
///
/// # Errors
/// A directory without a finished run.
pub fn summary(run: &Path) -> Result<Summary, LookalikeError> {
    caught(|| Ok(read_summary(run)?.0))
}

/// Calls `each` with the rows of the ledger. Runs that list have none.
fn removals(run: &Path, mut each: impl FnMut(ReadRemoval)) -> Result<(), LookalikeError> {
    if read_summary(run)?.0.action == Action::List {
        return Ok(());
    }
    for row in ReadRemoval::of(run)? {
        each(row?);
    }
    Ok(())
}

fn clusters(run: &Path, limit: usize) -> Result<Shown, LookalikeError> {
    read_summary(run)?;
    // Size, leader and files by number.
    let mut found: Vec<(u64, u64, DocumentName<'static>, Option<String>)> = Vec::new();
    for member in ReadMember::of(run)? {
        let member = member?;
        match found.last_mut().filter(|last| last.1 == member.cluster) {
            Some(last) => last.0 += 1,
            None => found.push((1, member.cluster, member.leader, member.duplicates)),
        }
    }
    found.sort_by_key(|(size, number, ..)| (std::cmp::Reverse(*size), *number));
    let mut shown = Shown::of(&["cluster", "size", "leader", "file", "record", "duplicates"]);
    for (size, number, leader, duplicates) in found {
        let duplicates: Json =
            duplicates.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let DocumentName { id, file, record, .. } = leader;
        shown.push(limit, (number, size, id, file, record, duplicates));
    }
    Ok(shown)
}

fn cluster(run: &Path, number: u64, limit: usize) -> Result<Shown, LookalikeError> {
    let mut rules: HashMap<(String, u32), String> = HashMap::new();
    let mut rows = Vec::new();
    for member in ReadMember::of(run)? {
        let member = member?;
        // Rows are in the order of the numbers.
        match member.cluster.cmp(&number) {
            Ordering::Less => {}
            Ordering::Equal => rows.push(member),
            Ordering::Greater => break,
        }
    }
    if rows.is_empty() {
        return Err(LookalikeError::Settings(format!("there is no cluster {number} in this run")));
    }
    removals(run, |ReadRemoval { removed, rule, .. }| {
        if rows.iter().any(|member| member.name.is(&removed)) {
            rules.insert((removed.file.into_owned(), removed.record), rule);
        }
    })?;
    let mut shown = Shown::of(&["id", "file", "record", "leads", "similarity", "rule"]);
    for member in rows {
        let leads = member.name.is(&member.leader);
        let DocumentName { id, file, record, .. } = member.name;
        let rule = rules.get(&(file.to_string(), record));
        shown.push(limit, (id, file, record, leads, member.value, rule));
    }
    Ok(shown)
}

fn document(run: &Path, name: &str, limit: usize) -> Result<Shown, LookalikeError> {
    let members = ReadMember::of(run)?.map(|row| row.map(|row| (row.name, row.cluster)));
    let advice = "a document without a duplicate is in no cluster; documents are named by id or as \
                  FILE:RECORD";
    cluster(run, only_named(name, members, "the clusters of the run", advice)?, limit)
}

fn source(run: &Path, name: &str, limit: usize) -> Result<Shown, LookalikeError> {
    let (summary, _) = read_summary(run)?;
    let Some(input) = summary.inputs.iter().find(|input| input.name == name) else {
        let names: Vec<&str> =
            summary.inputs.iter().take(20).map(|input| input.name.as_str()).collect();
        return Err(LookalikeError::Settings(format!(
            "`{name}` is no input of this run; its inputs are {}{}",
            names.join(", "),
            if summary.inputs.len() > names.len() { ", …" } else { "" }
        )));
    };
    // By kept file and rule.
    let mut lost: BTreeMap<(String, String), u64> = BTreeMap::new();
    removals(run, |ReadRemoval { removed, kept, rule, .. }| {
        if removed.file == name {
            *lost.entry((kept.file.into_owned(), rule)).or_default() += 1;
        }
    })?;
    let mut lost: Vec<_> = lost.into_iter().collect();
    lost.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let mut shown = Shown::of(&["removed", "share", "duplicates of", "rule"]);
    let share = |count: u64| count as f64 / input.documents.max(1) as f64;
    shown.push(limit, (input.removed, share(input.removed), Json::Null, Json::Null));
    for ((file, rule), count) in lost {
        shown.push(limit, (count, share(count), file, rule));
    }
    Ok(shown)
}

fn differing(
    run: &Path,
    shows: impl Fn(&ReadDifference) -> bool,
    limit: usize,
) -> Result<Shown, LookalikeError> {
    let mut shown = Shown::of(&["id", "file", "record", "kept", "lost", "added", "differs"]);
    removals(run, |ReadRemoval { removed, kept, difference, .. }| {
        if let Some(found) = difference.filter(&shows) {
            let (DocumentName { id, file, record, .. }, kept) = (removed, kept.id);
            let ReadDifference { lost, added, kinds } = found;
            shown.push(limit, (id, file, record, kept, lost, added, kinds));
        }
    })?;
    Ok(shown)
}

/// Characters of text before and after what was looked for.
const AROUND: usize = 40;

fn texts(
    run: &Path,
    text: &str,
    commands: &[Extractor],
    limit: usize,
) -> Result<Shown, LookalikeError> {
    if text.is_empty() {
        return Err(LookalikeError::Settings("no text to look for".into()));
    }
    let mut found = RunInputs::find(run)?;
    found.take_commands(commands)?;
    let (inputs, unreadable) = (&found.inputs, &found.unreadable());
    let decisions = Decisions::read(run)?;
    let mut shown = Shown::of(&["id", "file", "record", "cluster", "rule", "text"]);
    pipeline::try_ordered(
        thread_count(0),
        inputs.chunks(),
        VisitScratch::default,
        |scratch, piece| quotations(piece, text, inputs, unreadable, scratch),
        |found| {
            for Quotation { id, place, around } in found {
                let (cluster, rule) = (decisions.cluster.get(&place), decisions.rule.get(&place));
                let (file, record) = &place;
                shown.push(limit, (id, file, record, cluster, rule, around));
            }
            Ok(())
        },
    )
    .map(|()| shown)
}

/// File and record of a document.
type Place = (String, u32);

/// What the tables of a run say of its documents.
struct Decisions {
    cluster: HashMap<Place, u64>,
    rule: HashMap<Place, String>,
}

impl Decisions {
    fn read(run: &Path) -> Result<Self, LookalikeError> {
        let place = |name: DocumentName<'_>| (name.file.into_owned(), name.record);
        let member = |member: ReadMember| (place(member.name), member.cluster);
        let cluster = ReadMember::of(run)?.map(|row| row.map(member)).collect::<Result<_, _>>()?;
        let mut rule = HashMap::new();
        removals(run, |row| _ = rule.insert(place(row.removed), row.rule))?;
        Ok(Self { cluster, rule })
    }
}

/// A document with the text that is looked for.
struct Quotation {
    id: String,
    place: Place,
    around: String,
}

/// The documents of a chunk that have a text. Files that the run could not read have none.
fn quotations(
    piece: Piece,
    text: &str,
    inputs: &Inputs,
    unreadable: &BTreeSet<u32>,
    scratch: &mut VisitScratch,
) -> Result<Vec<Quotation>, LookalikeError> {
    let fails = |problem: &Problem| problem.unreadable && !unreadable.contains(&problem.file);
    let (chunk, problem) = piece.into_parts();
    let (mut found, mut failed) = (Vec::new(), problem.filter(&fails));
    if let Some(chunk) = chunk {
        chunk.visit(inputs, scratch, &mut |item| match item {
            Item::Record(record) => {
                let own = plain_text(&record.content);
                if let Some(at) = own.find(text) {
                    let file = inputs.files[record.file as usize].name.clone();
                    let (id, place) = (id_of(&record, inputs), (file, record.record));
                    found.push(Quotation { id, place, around: around(&own, at, text.len()) });
                }
            }
            // These are no documents.
            Item::Bad(_) => {}
            Item::Failed(failure) => {
                failed = failed.take().or(Some(failure.into_problem()).filter(&fails));
            }
        });
    }
    failed.map_or(Ok(found), |problem| Err(EngineError::Unreadable(problem).into()))
}

/// The text around a place, on one line.
fn around(text: &str, at: usize, length: usize) -> String {
    let start = text[..at].char_indices().rev().nth(AROUND - 1).map_or(0, |(start, _)| start);
    let rest = &text[at + length..];
    let end = rest.char_indices().nth(AROUND).map_or(text.len(), |(end, _)| at + length + end);
    text[start..end].split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_at_characters() {
        let text = format!("{}needle{}", "é".repeat(100), "ü\n".repeat(100));
        let at = text.find("needle").unwrap();
        let cut = around(&text, at, 6);
        assert!(cut.starts_with(&"é".repeat(AROUND)) && cut.contains("needleü ü"), "{cut}");
        assert_eq!(around("a b", 2, 1), "a b");
    }
}
