//! Documents of two runs as numbers, and their ids.

use crate::LookalikeError;
use lookalike_decide::{DocumentName, ReadMember, ReadRemoval};
use lookalike_engine::Progress;
use lookalike_engine::poll::Poll;
use lookalike_report::{Action, Summary};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// The files of documents. A document is the number of its file, and below it its record number: documents
/// of inputs that both runs have are in the order of the names of their files.
pub(super) struct Places {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
    /// Number of inputs that both runs have: the first files.
    inputs: u32,
}

impl Places {
    pub(super) fn of(summaries: &[Summary; 2]) -> Self {
        let [a, b] = summaries.each_ref().map(|summary| {
            summary.inputs.iter().map(|input| input.name.as_str()).collect::<BTreeSet<_>>()
        });
        let mut places = Self { names: Vec::new(), numbers: HashMap::new(), inputs: 0 };
        a.intersection(&b).for_each(|name| _ = places.file(name));
        places.inputs = places.names.len() as u32;
        places
    }

    fn file(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// The number of a document.
    pub(super) fn number(&mut self, name: &DocumentName<'_>) -> u64 {
        u64::from(self.file(&name.file)) << 32 | u64::from(name.record)
    }

    /// The number of a document, if its file has one.
    fn known(&self, name: &DocumentName<'_>) -> Option<u64> {
        let file = self.numbers.get(&*name.file)?;
        Some(u64::from(*file) << 32 | u64::from(name.record))
    }

    /// Whether a document is of an input that both runs have.
    pub(super) fn counts(&self, document: u64) -> bool {
        document >> 32 < u64::from(self.inputs)
    }

    /// Whether both runs have an input of this name.
    pub(super) fn is_input(&self, name: &str) -> bool {
        self.numbers.get(name).is_some_and(|&number| number < self.inputs)
    }
}

/// Names of documents.
pub(super) struct Ids<'p> {
    pub(super) places: &'p Places,
    ids: HashMap<u64, String>,
}

impl<'p> Ids<'p> {
    /// Reads the ids of documents from the tables of the runs.
    pub(super) fn read(
        runs: [&Path; 2],
        summaries: &[Summary; 2],
        wanted: &BTreeSet<u64>,
        places: &'p Places,
        progress: &dyn Progress,
    ) -> Result<Self, LookalikeError> {
        let poll = Poll::new(progress);
        let mut found = Self { places, ids: HashMap::new() };
        if wanted.is_empty() {
            return Ok(found);
        }
        let mut take = |name: DocumentName<'static>| {
            if let Some(number) = places.known(&name).filter(|number| wanted.contains(number)) {
                found.ids.entry(number).or_insert_with(|| name.id.into_owned());
            }
        };
        for (run, summary) in runs.into_iter().zip(summaries) {
            for row in ReadMember::of(run)? {
                let row = row?;
                poll.step()?;
                [row.name, row.leader].into_iter().for_each(&mut take);
            }
            if summary.action == Action::List {
                continue;
            }
            for row in ReadRemoval::of(run)? {
                let row = row?;
                poll.step()?;
                [row.removed, row.kept].into_iter().for_each(&mut take);
            }
        }
        Ok(found)
    }

    /// The name of a document.
    pub(super) fn name(&self, document: u64) -> DocumentName<'_> {
        let file = &self.places.names[(document >> 32) as usize];
        let id = self.ids.get(&document).map(String::as_str).unwrap_or_default();
        let record = document as u32;
        DocumentName { id: id.into(), file: file.into(), record, protected: false }
    }
}
