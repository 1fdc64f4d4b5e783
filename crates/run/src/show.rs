//! `show`: what people ask of a finished run, without loading its tables.

use crate::LookalikeError;
use crate::error::Unread;
use crate::lookup::id_of;
use crate::panics::caught;
use crate::reading::Documents;
use crate::run_inputs::{RunInputs, read_summary};
use crate::settings::thread_count;
use lookalike_decide::name::{DOCUMENT, KEPT, LEADER, REMOVED, WIDTH};
use lookalike_decide::{CLUSTERS, DocumentName, LEDGER};
use lookalike_engine::signer::plain_text;
use lookalike_engine::{EngineError, pipeline};
use lookalike_io::source::VisitScratch;
use lookalike_io::{Column, Extractor, Item, Problem, TableReader, Value};
use lookalike_report::Action;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, HashMap};
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
    /// Documents whose text contains this one. Commands with which the run extracted texts are
    /// started again only if they are given.
    Texts(String, Vec<Extractor>),
}

/// An answer: rows of named columns.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Shown {
    /// Names of the columns.
    pub columns: Vec<&'static str>,
    /// The rows, in the order of the columns; null for a value that does not exist.
    pub rows: Vec<Vec<Json>>,
    /// Number of rows that there are, of which the first are in `rows`.
    pub total: u64,
}

impl Shown {
    fn of(columns: &[&'static str]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new(), total: 0 }
    }

    fn push(&mut self, limit: usize, row: Vec<Json>) {
        self.total += 1;
        if self.rows.len() < limit {
            self.rows.push(row);
        }
    }
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
        What::Texts(text, commands) => texts(run, text, commands, limit),
    })
}

/// A row of the table of clusters.
struct Member {
    name: DocumentName<'static>,
    cluster: u64,
    leader: DocumentName<'static>,
    value: Option<f64>,
    duplicates: Option<String>,
}

/// Visits the rows of the table of clusters; ends if `each` returns false.
fn members(run: &Path, mut each: impl FnMut(Member) -> bool) -> Result<(), LookalikeError> {
    let mut table = TableReader::open(run, CLUSTERS.name, &CLUSTERS.all())?;
    let at = |name: &str| table.position(name);
    let (about, leader) = (at(DOCUMENT[0].name), at(LEADER[0].name));
    let (number, value, duplicates) = (at("cluster"), at("resemblance"), at("duplicates"));
    for row in &mut table {
        let row = row?;
        let name = |at: Option<usize>| {
            let at = at?;
            DocumentName::read(row.get(at..at + WIDTH)?)
        };
        let cell = |at: Option<usize>| at.and_then(|at| row.get(at));
        let (Some(name), Some(leader)) = (name(about), name(leader)) else { continue };
        let member = Member {
            name,
            cluster: cell(number).and_then(Value::as_count).unwrap_or_default(),
            leader,
            value: cell(value).and_then(Value::as_ratio),
            duplicates: cell(duplicates).and_then(Value::as_text).map(str::to_owned),
        };
        if !each(member) {
            break;
        }
    }
    Ok(())
}

/// Visits the rows of the ledger: the removed document, the kept one and the rule. Runs that
/// list have none.
fn removals(
    run: &Path,
    mut each: impl FnMut(DocumentName<'static>, DocumentName<'static>, &str),
) -> Result<(), LookalikeError> {
    let (summary, _) = read_summary(run)?;
    if summary.action == Action::List {
        return Ok(());
    }
    let mut table = TableReader::open(run, LEDGER.name, &LEDGER.all())?;
    let at = |columns: [Column; WIDTH]| table.position(columns[0].name);
    let (removed, kept, rule) = (at(REMOVED), at(KEPT), table.position("rule"));
    for row in &mut table {
        let row = row?;
        let name = |at: Option<usize>| {
            let at = at?;
            DocumentName::read(row.get(at..at + WIDTH)?)
        };
        let rule = rule.and_then(|at| row[at].as_text()).unwrap_or_default();
        if let (Some(removed), Some(kept)) = (name(removed), name(kept)) {
            each(removed, kept, rule);
        }
    }
    Ok(())
}

fn clusters(run: &Path, limit: usize) -> Result<Shown, LookalikeError> {
    read_summary(run)?;
    // Size, leader and files by number.
    let mut found: Vec<(u64, u64, DocumentName<'static>, Option<String>)> = Vec::new();
    members(run, |member| {
        match found.last_mut().filter(|last| last.1 == member.cluster) {
            Some(last) => last.0 += 1,
            None => found.push((1, member.cluster, member.leader, member.duplicates)),
        }
        true
    })?;
    found.sort_by_key(|(size, number, ..)| (std::cmp::Reverse(*size), *number));
    let mut shown = Shown::of(&["cluster", "size", "leader", "file", "record", "duplicates"]);
    for (size, number, leader, duplicates) in found {
        let duplicates: Json =
            duplicates.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let DocumentName { id, file, record, .. } = leader;
        shown.push(
            limit,
            vec![json!(number), json!(size), json!(id), json!(file), json!(record), duplicates],
        );
    }
    Ok(shown)
}

fn cluster(run: &Path, number: u64, limit: usize) -> Result<Shown, LookalikeError> {
    let mut rules: HashMap<(String, u32), String> = HashMap::new();
    let mut rows = Vec::new();
    members(run, |member| {
        if member.cluster == number {
            rows.push(member);
            return true;
        }
        // Rows are in the order of the numbers.
        member.cluster < number
    })?;
    if rows.is_empty() {
        return Err(LookalikeError::Settings(format!("there is no cluster {number} in this run")));
    }
    removals(run, |removed, _, rule| {
        if rows.iter().any(|member| member.name.is(&removed)) {
            rules.insert((removed.file.into_owned(), removed.record), rule.to_owned());
        }
    })?;
    let mut shown = Shown::of(&["id", "file", "record", "leads", "similarity", "rule"]);
    for member in rows {
        let leads = member.name.is(&member.leader);
        let DocumentName { id, file, record, .. } = member.name;
        let rule = rules.get(&(file.to_string(), record));
        shown.push(
            limit,
            vec![
                json!(id),
                json!(file),
                json!(record),
                json!(leads),
                json!(member.value),
                json!(rule),
            ],
        );
    }
    Ok(shown)
}

fn document(run: &Path, name: &str, limit: usize) -> Result<Shown, LookalikeError> {
    let (mut by_id, mut by_place) = (Vec::new(), Vec::new());
    members(run, |member| {
        let DocumentName { id, file, record, .. } = &member.name;
        if *id == name {
            by_id.push((format!("{file}:{record}"), member.cluster));
        } else if name == format!("{file}:{record}") {
            by_place.push((String::new(), member.cluster));
        }
        true
    })?;
    let found = if by_id.is_empty() { by_place } else { by_id };
    match found.as_slice() {
        [(_, number)] => cluster(run, *number, limit),
        [] => Err(LookalikeError::NoSuchDocument {
            name: name.to_owned(),
            place: "the clusters of the run".into(),
            advice: "a document without a duplicate is in no cluster; documents are named by id or as \
                     FILE:RECORD",
            unread: Unread::default(),
        }),
        several => Err(LookalikeError::RepeatedId {
            id: name.to_owned(),
            count: several.len() as u64,
            listed: several.iter().take(10).map(|(place, _)| place.clone()).collect(),
            advice: "name one of them as FILE:RECORD",
        }),
    }
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
    removals(run, |removed, kept, rule| {
        if removed.file == name {
            *lost.entry((kept.file.into_owned(), rule.to_owned())).or_default() += 1;
        }
    })?;
    let mut lost: Vec<_> = lost.into_iter().collect();
    lost.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let mut shown = Shown::of(&["removed", "share", "duplicates of", "rule"]);
    let share = |count: u64| json!(count as f64 / input.documents.max(1) as f64);
    shown.push(limit, vec![json!(input.removed), share(input.removed), Json::Null, Json::Null]);
    for ((file, rule), count) in lost {
        shown.push(limit, vec![json!(count), share(count), json!(file), json!(rule)]);
    }
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
    let unreadable = found.unreadable();
    let inputs = found.inputs;
    // Cluster of each document in one, and whether it leads.
    let mut known: HashMap<(String, u32), (u64, bool)> = HashMap::new();
    members(run, |member| {
        let leads = member.name.is(&member.leader);
        let DocumentName { file, record, .. } = member.name;
        known.insert((file.into_owned(), record), (member.cluster, leads));
        true
    })?;
    let mut removed: HashMap<(String, u32), String> = HashMap::new();
    removals(run, |name, _, rule| {
        removed.insert((name.file.into_owned(), name.record), rule.to_owned());
    })?;
    let mut shown = Shown::of(&["id", "file", "record", "cluster", "rule", "text"]);
    let documents = Documents::of_files(&inputs);
    let inputs = documents.inputs;
    let mut outcome: Result<(), LookalikeError> = Ok(());
    // What the run could not read has none of its documents.
    let fails = |problem: &Problem| problem.unreadable && !unreadable.contains(&problem.file);
    documents.with_chunks(|chunks| {
        pipeline::ordered(
            thread_count(0),
            chunks,
            VisitScratch::default,
            |scratch, piece| {
                let mut found: Vec<(String, u32, u32, String)> = Vec::new();
                let (chunk, problem) = piece.into_parts();
                let mut failed = problem.filter(&fails);
                let Some(chunk) = chunk else { return (found, failed) };
                chunk.visit(inputs, scratch, &mut |item| {
                    let record = match item {
                        Item::Record(record) => record,
                        // These are no documents.
                        Item::Bad(_) => return,
                        Item::Failed(failure) => {
                            let problem = Some(failure.into_problem());
                            return failed = failed.take().or(problem.filter(&fails));
                        }
                    };
                    let own = plain_text(&record.content);
                    if let Some(at) = own.find(text) {
                        let id = id_of(&record, inputs);
                        found.push((id, record.file, record.record, around(&own, at, text.len())));
                    }
                });
                (found, failed)
            },
            |(found, failed)| {
                if let Some(problem) = failed {
                    outcome = Err(EngineError::Unreadable(problem).into());
                }
                for (id, file, record, around) in found {
                    let file = inputs.files[file as usize].name.clone();
                    let place = (file, record);
                    let cluster = known.get(&place).map(|(cluster, _)| *cluster);
                    let rule = removed.get(&place);
                    let (file, record) = &place;
                    shown.push(
                        limit,
                        vec![
                            json!(id),
                            json!(file),
                            json!(record),
                            json!(cluster),
                            json!(rule),
                            json!(around),
                        ],
                    );
                }
                outcome.is_ok()
            },
        );
        Ok(())
    })?;
    outcome.map(|()| shown)
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
