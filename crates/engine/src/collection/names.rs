//! The names of some documents, for whoever asks for them again and again.
//!
//! Tables are ordered by name. Where rows are on disk, the names of the documents in the tables, and of
//! no others, are read once, front to back.

use crate::sparse::SparseIndex;

/// Names by document.
#[derive(Debug, Default)]
pub(super) struct Names {
    which: SparseIndex,
    bytes: String,
    ends: Vec<u64>,
}

impl Names {
    /// Room for the names of the documents in `which`, which have to be pushed in order.
    pub(super) fn new(which: SparseIndex) -> Self {
        Self { which, bytes: String::new(), ends: vec![0] }
    }

    /// Whether a document's name is wanted.
    pub(super) fn wants(&self, document: u32) -> bool {
        self.which.place(document).is_some()
    }

    pub(super) fn push(&mut self, name: &str) {
        self.bytes.push_str(name);
        self.ends.push(self.bytes.len() as u64);
    }

    pub(super) fn get(&self, document: u32) -> Option<&str> {
        let place = self.which.place(document)? as usize;
        self.bytes.get(self.ends[place] as usize..*self.ends.get(place + 1)? as usize)
    }
}
