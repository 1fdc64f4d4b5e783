//! The table of the sweeps of an index.

use crate::LookalikeError;
use crate::index::filter::is_date;
use lookalike_index::{IndexError, IndexWriter as Writer, Record, Records};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

/// The table of the sweeps: name → [`Stored`].
pub(crate) const SWEEPS: u8 = 1;

/// Bytes of the name of a new sweep at most.
const LONGEST_NAME: usize = 1000;

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

/// The stored values by the names of the sweeps.
type Values = BTreeMap<Vec<u8>, Vec<u8>>;

fn committed(records: &Records) -> Result<Values, LookalikeError> {
    let mut stored = BTreeMap::new();
    for record in records.range(SWEEPS, Bound::Unbounded, Bound::Unbounded)? {
        let (name, value) = record?;
        stored.insert(name, value);
    }
    Ok(stored)
}

/// All sweeps, in the order of their dates, then of their numbers; those without a date last.
pub fn all(records: &Records) -> Result<Vec<Sweep>, LookalikeError> {
    ordered(committed(records)?)
}

/// All sweeps after the next commit.
fn next(writer: &Writer) -> Result<Vec<Sweep>, LookalikeError> {
    let mut stored = committed(&writer.records()?)?;
    for Record { key, value, .. } in writer.next_records(SWEEPS) {
        match value {
            Some(value) => stored.insert(key.clone(), value.clone()),
            None => stored.remove(key),
        };
    }
    ordered(stored)
}

fn ordered(stored: Values) -> Result<Vec<Sweep>, LookalikeError> {
    let sweep = |(name, value): (Vec<u8>, Vec<u8>)| {
        let damaged = |what: String| {
            LookalikeError::from(IndexError::Damaged { path: "store.redb".into(), what })
        };
        let name = String::from_utf8(name).map_err(|_| damaged("the name of a sweep".into()))?;
        let Stored { number, date } = serde_json::from_slice(&value)
            .map_err(|error| damaged(format!("the sweep `{name}`: {error}")))?;
        Ok(Sweep { name, number, date })
    };
    let mut sweeps = stored.into_iter().map(sweep).collect::<Result<Vec<_>, LookalikeError>>()?;
    let seconds = |sweep: &Sweep| {
        let date = sweep.date.as_deref().map_or(f64::NAN, lookalike_engine::date_seconds);
        if date.is_nan() { f64::INFINITY } else { date }
    };
    sweeps.sort_by(|a, b| seconds(a).total_cmp(&seconds(b)).then(a.number.cmp(&b.number)));
    Ok(sweeps)
}

/// The numbers of the sweeps among the records of a damaged index.
pub(crate) fn numbers(records: &[Record]) -> BTreeSet<u32> {
    let sweeps = records.iter().filter(|record| record.table == SWEEPS);
    let stored =
        sweeps.filter_map(|sweep| serde_json::from_slice::<Stored>(sweep.value.as_ref()?).ok());
    stored.map(|stored| stored.number).collect()
}

/// Enters a sweep of which only the number is known, with the next commit.
pub(crate) fn put_unnamed(writer: &mut Writer, number: u32) -> Result<(), LookalikeError> {
    let stored = serde_json::to_vec(&Stored { number, date: None })?;
    writer.put(SWEEPS, format!("sweep-{number}").as_bytes(), Some(&stored));
    Ok(())
}

/// The number of a sweep to add documents to; a new one is entered with the next commit.
pub(crate) fn number_for_adding(
    writer: &mut Writer,
    name: &str,
    date: Option<&str>,
) -> Result<u32, LookalikeError> {
    if name.is_empty() {
        return Err(LookalikeError::Settings("the name of a sweep is empty".into()));
    }
    if name.len() > LONGEST_NAME || name.chars().any(char::is_control) {
        return Err(LookalikeError::Settings(format!(
            "the name of a sweep has at most {LONGEST_NAME} bytes, and no control characters"
        )));
    }
    if let Some(date) = date {
        is_date(date)?;
    }
    let sweeps = next(writer)?;
    if let Some(known) = sweeps.iter().find(|sweep| sweep.name == name) {
        let other = date.filter(|&date| known.date.as_deref() != Some(date));
        return match other {
            None => Ok(known.number),
            Some(date) => Err(LookalikeError::Settings(format!(
                "the sweep `{name}` has the date {} and not {date}; give that one or none, or \
                 choose another name",
                known.date.as_deref().unwrap_or("(none)")
            ))),
        };
    }
    let number = sweeps.iter().map(|sweep| sweep.number).max().unwrap_or(0) + 1;
    let stored = Stored { number, date: date.map(str::to_owned) };
    writer.put(SWEEPS, name.as_bytes(), Some(&serde_json::to_vec(&stored)?));
    Ok(number)
}

/// The numbers of the sweeps of another index in this one; new ones are entered with the next
/// commit.
pub(crate) fn numbers_of(
    writer: &mut Writer,
    other: &Records,
) -> Result<BTreeMap<u32, u32>, LookalikeError> {
    let mut known = next(writer)?;
    let mut numbers = BTreeMap::new();
    for Sweep { name, number, date } in all(other)? {
        let own = match known.iter().find(|sweep| sweep.name == name) {
            Some(sweep) => sweep.number,
            None => {
                let own = known.iter().map(|sweep| sweep.number).max().unwrap_or(0) + 1;
                let stored = Stored { number: own, date: date.clone() };
                writer.put(SWEEPS, name.as_bytes(), Some(&serde_json::to_vec(&stored)?));
                known.push(Sweep { name, number: own, date });
                own
            }
        };
        numbers.insert(number, own);
    }
    Ok(numbers)
}
