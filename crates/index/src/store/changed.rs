//! Rows of documents that changed since their segment was written.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Documents of a page: numbers with the same upper bits.
const PAGE_BITS: u32 = 10;

/// A map from document number to the number of the kept document that it relies on (`u32::MAX`: it
/// is kept itself). Clones share their pages of 1,024 numbers until one of them changes a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangedRows {
    /// By the upper bits of the number. Each page is ascending and not empty.
    pages: BTreeMap<u32, Arc<Vec<(u32, u32)>>>,
    len: usize,
}

impl ChangedRows {
    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The row of a document.
    #[must_use]
    pub fn get(&self, number: u32) -> Option<u32> {
        let page = self.pages.get(&(number >> PAGE_BITS))?;
        let at = page.binary_search_by_key(&number, |row| row.0).ok()?;
        Some(page[at].1)
    }

    /// All rows in ascending order of numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.pages.values().flat_map(|page| page.iter().copied())
    }

    /// Sets the row of a document and returns the one that it had.
    pub(super) fn set(&mut self, number: u32, relies_on: u32) -> Option<u32> {
        let page = Arc::make_mut(self.pages.entry(number >> PAGE_BITS).or_default());
        match page.binary_search_by_key(&number, |row| row.0) {
            Ok(at) => Some(std::mem::replace(&mut page[at].1, relies_on)),
            Err(at) => {
                page.insert(at, (number, relies_on));
                self.len += 1;
                None
            }
        }
    }

    /// Removes the row of a document and returns it.
    pub(super) fn remove(&mut self, number: u32) -> Option<u32> {
        let shared = self.pages.get_mut(&(number >> PAGE_BITS))?;
        let at = shared.binary_search_by_key(&number, |row| row.0).ok()?;
        let page = Arc::make_mut(shared);
        let (_, relies_on) = page.remove(at);
        if page.is_empty() {
            self.pages.remove(&(number >> PAGE_BITS));
        }
        self.len -= 1;
        Some(relies_on)
    }
}
