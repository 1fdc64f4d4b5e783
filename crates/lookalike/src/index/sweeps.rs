//! Sweeps: the documents of one crawl, by a name with a date.

use super::edit::IndexWriter;
use super::filter::is_date;
use super::open::Index;
use crate::LookalikeError;
use lookalike_index::{DocAt, IndexError, Records, Snapshot};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Bound;

/// The table of the sweeps: name → [`Stored`].
const SWEEPS: u8 = 1;

/// A sweep as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Stored {
    number: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    date: Option<String>,
}

/// A sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sweep {
    /// Its name.
    pub name: String,
    /// Its number in the rows of documents, from 1.
    pub number: u32,
    /// Its date, as written.
    pub date: Option<String>,
}

/// Figures of a sweep.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SweepStats {
    /// Its name.
    pub name: String,
    /// Its date, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Number of its documents.
    pub documents: u64,
}

/// All sweeps, in the order of their dates, then of their numbers; those without a date last.
pub(crate) fn all(records: &Records) -> Result<Vec<Sweep>, LookalikeError> {
    let mut sweeps = Vec::new();
    for record in records.range(SWEEPS, Bound::Unbounded, Bound::Unbounded)? {
        let (name, value) = record?;
        let damaged = |what: String| {
            LookalikeError::from(IndexError::Damaged { path: "store.redb".into(), what })
        };
        let name = String::from_utf8(name).map_err(|_| damaged("the name of a sweep".into()))?;
        let Stored { number, date } = serde_json::from_slice(&value)
            .map_err(|error| damaged(format!("the sweep `{name}`: {error}")))?;
        sweeps.push(Sweep { name, number, date });
    }
    let seconds = |sweep: &Sweep| {
        let date = sweep.date.as_deref().map_or(f64::NAN, lookalike_engine::date_seconds);
        if date.is_nan() { f64::INFINITY } else { date }
    };
    sweeps.sort_by(|a, b| seconds(a).total_cmp(&seconds(b)).then(a.number.cmp(&b.number)));
    Ok(sweeps)
}

/// The number of a sweep to add documents to; a new one is entered with the next commit.
pub(super) fn number_for_adding(
    index: &mut IndexWriter,
    name: &str,
    date: Option<&str>,
) -> Result<u32, LookalikeError> {
    if name.is_empty() {
        return Err(LookalikeError::Settings("the name of a sweep is empty".into()));
    }
    if let Some(date) = date {
        is_date(date)?;
    }
    let sweeps = all(&index.writer.records()?)?;
    if let Some(known) = sweeps.iter().find(|sweep| sweep.name == name) {
        let other = date.filter(|&date| known.date.as_deref() != Some(date));
        return match other {
            None => Ok(known.number),
            Some(date) => Err(LookalikeError::Settings(format!(
                "the sweep `{name}` has the date {} and not {date}; leave the setting date out, or \
                 choose another name",
                known.date.as_deref().unwrap_or("(none)")
            ))),
        };
    }
    let number = sweeps.iter().map(|sweep| sweep.number).max().unwrap_or(0) + 1;
    let stored = Stored { number, date: date.map(str::to_owned) };
    index.writer.put(SWEEPS, name.as_bytes(), Some(&serde_json::to_vec(&stored)?));
    Ok(number)
}

/// The numbers of the sweeps of another index in this one; new ones are entered with the next
/// commit.
pub(super) fn numbers_of(
    index: &mut IndexWriter,
    other: &Index,
) -> Result<BTreeMap<u32, u32>, LookalikeError> {
    let mut known = all(&index.writer.records()?)?;
    let mut numbers = BTreeMap::new();
    for Sweep { name, number, date } in all(&other.reader.records()?)? {
        let own = match known.iter().find(|sweep| sweep.name == name) {
            Some(sweep) => sweep.number,
            None => {
                let own = known.iter().map(|sweep| sweep.number).max().unwrap_or(0) + 1;
                let stored = Stored { number: own, date: date.clone() };
                index.writer.put(SWEEPS, name.as_bytes(), Some(&serde_json::to_vec(&stored)?));
                known.push(Sweep { name, number: own, date });
                own
            }
        };
        numbers.insert(number, own);
    }
    Ok(numbers)
}

impl Index {
    /// All sweeps with their numbers of documents, in the order of their dates.
    ///
    /// # Errors
    /// Files that cannot be read.
    pub fn sweeps(&self) -> Result<Vec<SweepStats>, LookalikeError> {
        let sweeps = all(&self.reader.records()?)?;
        let snapshot = self.snapshot()?;
        let mut counts = BTreeMap::<u32, u64>::new();
        if !sweeps.is_empty() {
            for at in snapshot.documents() {
                *counts.entry(snapshot.document(at).sweep()).or_default() += 1;
            }
        }
        let stats = |Sweep { name, number, date }| SweepStats {
            name,
            date,
            documents: counts.get(&number).copied().unwrap_or(0),
        };
        Ok(sweeps.into_iter().map(stats).collect())
    }

    /// A sweep by its name.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn sweep(&self, name: &str) -> Result<Sweep, LookalikeError> {
        let sweeps = all(&self.reader.records()?)?;
        sweeps.into_iter().find(|sweep| sweep.name == name).ok_or_else(|| {
            LookalikeError::NotInIndex {
                index: self.dir().to_owned(),
                what: "sweep".into(),
                name: name.to_owned(),
            }
        })
    }

    /// The documents of a sweep.
    pub(crate) fn of_sweep(snapshot: &Snapshot, number: u32) -> Vec<DocAt> {
        let own = |at: &DocAt| snapshot.document(*at).sweep() == number;
        snapshot.documents().filter(own).collect()
    }
}

impl IndexWriter {
    /// Removes a sweep and its documents with the next commit. Returns how many there are.
    ///
    /// # Errors
    /// There is no such sweep.
    pub fn remove_sweep(&mut self, name: &str) -> Result<u64, LookalikeError> {
        let sweeps = all(&self.writer.records()?)?;
        let Some(sweep) = sweeps.into_iter().find(|sweep| sweep.name == name) else {
            return Err(LookalikeError::NotInIndex {
                index: self.dir().to_owned(),
                what: "sweep".into(),
                name: name.to_owned(),
            });
        };
        let documents = Index::of_sweep(&self.snapshot(), sweep.number);
        self.writer.put(SWEEPS, name.as_bytes(), None);
        Ok(self.delete(&documents))
    }
}
