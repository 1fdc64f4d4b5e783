//! Sweeps: the documents of one crawl, by a name with a date.

pub mod table;

use super::edit::IndexWriter;
use super::open::Index;
use crate::LookalikeError;
use lookalike_index::{DocAt, Snapshot};
use serde::Serialize;
use std::collections::BTreeMap;
use table::{SWEEPS, Sweep, all};

/// Figures of a sweep.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SweepStats {
    /// Its name.
    pub name: String,
    /// Its date, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Number of its documents.
    pub documents: u64,
}

impl Index {
    /// The names of the sweeps by their numbers.
    pub(super) fn sweep_names(&self) -> Result<BTreeMap<u32, String>, LookalikeError> {
        let sweeps = all(&self.reader.records()?)?;
        Ok(sweeps.into_iter().map(|sweep| (sweep.number, sweep.name)).collect())
    }

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
    pub fn sweep(&self, name: &str) -> Result<Sweep, LookalikeError> {
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
    pub fn of_sweep(snapshot: &Snapshot, number: u32) -> Vec<DocAt> {
        let own = |at: &DocAt| snapshot.document(*at).sweep() == number;
        snapshot.documents().filter(own).collect()
    }
}

impl IndexWriter {
    /// Enters a sweep with the next commit, unless there is one of this name already.
    ///
    /// # Errors
    /// There is one with another date; an empty name; a text that is no date; an index whose
    /// documents have to differ by their inputs.
    pub fn add_sweep(&mut self, name: &str, date: Option<&str>) -> Result<(), LookalikeError> {
        self.sweep_for_adding(name, date).map(|_| ())
    }

    /// The number of a sweep to add documents to; a new one is entered with the next commit.
    pub(super) fn sweep_for_adding(
        &mut self,
        name: &str,
        date: Option<&str>,
    ) -> Result<u32, LookalikeError> {
        self.analysis.refuse_across("a sweep")?;
        table::number_for_adding(&mut self.writer, name, date)
    }

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
