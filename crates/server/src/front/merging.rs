//! One answer of those of all shards.

use super::shards::Shards;
use crate::problem::Problem;
use lookalike::index::{AnyQuery, Cost, PassageMatch, QueryMatch, Wanted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::cmp::{Ordering, Reverse};

/// The answer of all shards to a question.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Merged {
    /// The documents near the subject.
    Documents(Documents),
    /// The documents that have a passage of the subject.
    Passages(Passages),
}

/// The documents that answer a question; a shard has one `commit`, and the front all of them.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Documents {
    /// The key of the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    key: Option<Box<RawValue>>,
    /// The best first; of equal ones those of the first shard, in the order in which they were
    /// added. `kept` and `cluster` are those of their shard.
    #[schemars(with = "Vec<QueryMatch>")]
    matches: Vec<Box<RawValue>>,
    /// How many there are; with a limit, at least so many.
    total: u64,
    /// Whether `total` is exact.
    total_exact: bool,
    /// Number of elements of the set that was asked about.
    size: u32,
    /// What the answer cost, on all shards.
    cost: Cost,
    /// The commits that were asked, in the order of the shards; 0 of one without the sweep.
    #[serde(default)]
    commits: Vec<u64>,
    #[serde(default, skip_serializing)]
    #[schemars(skip)]
    commit: u64,
    /// What to ask instead, where no document resembles the subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

/// The documents that have passages of a text.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Passages {
    /// The key of the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    key: Option<Box<RawValue>>,
    /// Those with most words of the text first; of equal ones as in an answer about documents.
    #[schemars(with = "Vec<PassageMatch>")]
    documents: Vec<Box<RawValue>>,
    /// How many there are, those that are not listed included.
    total: u64,
    /// The fewest words of a passage.
    length: u32,
    /// Words of the text.
    words: u32,
    /// Words of the text that are in a passage of any of the documents.
    words_in_common: u32,
    /// Their share of the words.
    share: f64,
    /// What the answer cost, on all shards.
    cost: Cost,
    /// The commits that were asked, in the order of the shards; 0 of one without the sweep.
    #[serde(default)]
    commits: Vec<u64>,
    #[serde(default, skip_serializing)]
    #[schemars(skip)]
    commit: u64,
}

/// What the place of a match depends on.
#[derive(Deserialize)]
struct Counted {
    id: String,
    shared: u32,
    size: u32,
}

/// What the place of a document with passages depends on.
#[derive(Deserialize)]
struct WithPassages {
    id: String,
    words_in_common: u32,
    passages: Vec<Run>,
}

/// A run of words in common.
#[derive(Deserialize)]
struct Run {
    words: u32,
    query_word: u32,
}

impl Merged {
    /// What the answer cost.
    pub(crate) fn cost(&self) -> Cost {
        match self {
            Self::Documents(answer) => answer.cost,
            Self::Passages(answer) => answer.cost,
        }
    }

    /// The answer to a question by all documents of the shards; `answers` are theirs, in their
    /// order, `None` of a shard without the sweep that is asked for.
    ///
    /// # Errors
    /// An answer of another form; a document of another shard.
    pub(crate) fn of(
        shards: &Shards,
        query: &AnyQuery,
        key: Option<Box<RawValue>>,
        answers: &[Option<axum::body::Bytes>],
    ) -> Result<Self, Problem> {
        match query {
            AnyQuery::Documents(query) => {
                let mut merged = Documents::of(shards, &query.ask, query.limit, answers)?;
                merged.key = key;
                Ok(Self::Documents(merged))
            }
            AnyQuery::Passages(query) => {
                let mut merged = Passages::of(shards, query.limit, answers)?;
                merged.key = key;
                Ok(Self::Passages(merged))
            }
        }
    }
}

impl Documents {
    fn of(
        shards: &Shards,
        ask: &Wanted,
        limit: Option<usize>,
        answers: &[Option<axum::body::Bytes>],
    ) -> Result<Self, Problem> {
        let (mut all, mut hints) = (Vec::new(), Vec::new());
        let (mut merged, mut commits): (Option<Self>, _) = (None, Vec::new());
        for (shard, answer) in answers.iter().enumerate() {
            let Some(mut answer) = read::<Self>(shards, shard, answer.as_deref())? else {
                commits.push(0);
                continue;
            };
            commits.push(answer.commit);
            hints.extend(answer.hint.take());
            placed(
                shards,
                shard,
                std::mem::take(&mut answer.matches),
                &mut all,
                |one: &Counted| &one.id,
            )?;
            match &mut merged {
                None => merged = Some(answer),
                Some(merged) => {
                    merged.total += answer.total;
                    merged.total_exact &= answer.total_exact;
                    merged.cost += answer.cost;
                }
            }
        }
        let mut merged = merged.ok_or_else(none)?;
        // Stable: equal ones stay in the order of the shards, and in that of their shard.
        all.sort_by(|(a, _), (b, _)| {
            let counts = [a, b].map(|one: &Counted| (one.shared, one.size));
            ask.order(merged.size, counts).unwrap_or(Ordering::Equal)
        });
        all.truncate(limit.unwrap_or(usize::MAX));
        merged.matches = all.into_iter().map(|(_, written)| written).collect();
        merged.commits = commits;
        // As one index: what contains the subject, or else what is contained in it.
        let is_second = |hint: &String| hint.ends_with("ask=contained-in");
        let hint = hints.into_iter().min_by_key(is_second);
        merged.hint = hint.filter(|_| merged.matches.is_empty());
        Ok(merged)
    }
}

impl Passages {
    /// `answers` are without a limit: which words they have in common depends on all documents.
    fn of(
        shards: &Shards,
        limit: Option<usize>,
        answers: &[Option<axum::body::Bytes>],
    ) -> Result<Self, Problem> {
        let mut all = Vec::new();
        let (mut merged, mut commits): (Option<Self>, _) = (None, Vec::new());
        for (shard, answer) in answers.iter().enumerate() {
            let Some(mut answer) = read::<Self>(shards, shard, answer.as_deref())? else {
                commits.push(0);
                continue;
            };
            commits.push(answer.commit);
            let documents = std::mem::take(&mut answer.documents);
            placed(shards, shard, documents, &mut all, |one: &WithPassages| &one.id)?;
            match &mut merged {
                None => merged = Some(answer),
                Some(merged) => {
                    merged.total += answer.total;
                    merged.cost += answer.cost;
                }
            }
        }
        let mut merged = merged.ok_or_else(none)?;
        let mut covered = vec![false; merged.words as usize];
        for run in all.iter().flat_map(|(one, _)| &one.passages) {
            let (start, words) = (run.query_word as usize, run.words as usize);
            covered.iter_mut().skip(start).take(words).for_each(|word| *word = true);
        }
        merged.words_in_common = covered.iter().filter(|&&is_covered| is_covered).count() as u32;
        merged.share = match merged.words {
            0 => 0.0,
            words => f64::from(merged.words_in_common) / f64::from(words),
        };
        all.sort_by_key(|(one, _)| Reverse(one.words_in_common));
        all.truncate(limit.unwrap_or(usize::MAX));
        merged.documents = all.into_iter().map(|(_, written)| written).collect();
        merged.commits = commits;
        Ok(merged)
    }
}

/// Appends the documents of a shard, each with what its place depends on. They stay as they are
/// written: their numbers are not rounded again.
fn placed<T: serde::de::DeserializeOwned>(
    shards: &Shards,
    shard: usize,
    documents: Vec<Box<RawValue>>,
    all: &mut Vec<(T, Box<RawValue>)>,
    id: impl Fn(&T) -> &str,
) -> Result<(), Problem> {
    for written in documents {
        let read: T =
            serde_json::from_str(written.get()).map_err(|error| shards.failed(shard, &error))?;
        if shards.of(id(&read)) != shard {
            return Err(shards.misplaced(shard, id(&read)));
        }
        all.push((read, written));
    }
    Ok(())
}

fn read<T: serde::de::DeserializeOwned>(
    shards: &Shards,
    shard: usize,
    answer: Option<&[u8]>,
) -> Result<Option<T>, Problem> {
    let answer = answer.map(serde_json::from_slice).transpose();
    answer.map_err(|error| shards.failed(shard, &error))
}

fn none() -> Problem {
    Problem::bad_request("no shard answers this question")
}
