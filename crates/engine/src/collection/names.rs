//! The names of some documents, for whoever asks for them again and again.
//!
//! Tables are ordered by name. Where rows are on disk, the names of the documents in the tables, and of
//! no others, are read once, front to back.

use crate::sparse::SparseIndex;

/// Names by document.
#[derive(Debug, Default)]
pub(super) struct Names {
    which: SparseIndex,
    texts: Texts,
}

/// Some texts, one behind the other.
#[derive(Debug, Default)]
pub(super) struct Texts {
    bytes: String,
    ends: Vec<u64>,
}

impl Texts {
    pub(super) fn push(&mut self, text: &str) {
        self.bytes.push_str(text);
        self.ends.push(self.bytes.len() as u64);
    }

    pub(super) fn append(&mut self, more: &Self) {
        let before = self.bytes.len() as u64;
        self.bytes.push_str(&more.bytes);
        self.ends.extend(more.ends.iter().map(|end| before + end));
    }

    fn get(&self, place: usize) -> Option<&str> {
        let start = if place == 0 { 0 } else { *self.ends.get(place - 1)? };
        self.bytes.get(start as usize..*self.ends.get(place)? as usize)
    }
}

impl Names {
    /// The names of the documents in `which`, in their order.
    pub(super) fn new(which: SparseIndex, texts: Texts) -> Self {
        Self { which, texts }
    }

    pub(super) fn get(&self, document: u32) -> Option<&str> {
        self.texts.get(self.which.place(document)? as usize)
    }
}
