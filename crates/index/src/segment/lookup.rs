//! Documents by id, address or number.

use super::Segment;
use super::columns;
use super::format::Section;
use crate::DocNumber;
use xxhash_rust::xxh3::xxh3_64;

/// The hash under which an id or an address is found.
pub(super) fn hash(name: &str) -> u64 {
    xxh3_64(name.as_bytes())
}

impl Segment {
    /// The documents with an id: of several sweeps, or deleted ones.
    pub fn find_id<'a>(&'a self, id: &'a str) -> impl Iterator<Item = u32> + 'a {
        self.hashed(Section::IdHashes, Section::IdDocuments, hash(id))
            .filter(move |&local| self.id(local) == id)
    }

    /// The documents found at an address.
    pub fn find_url<'a>(&'a self, url: &'a str) -> impl Iterator<Item = u32> + 'a {
        self.hashed(Section::UrlHashes, Section::UrlDocuments, hash(url))
            .filter(move |&local| self.url(local) == url)
    }

    /// The documents of a column of hashes. O(log documents).
    fn hashed(
        &self,
        hashes: Section,
        documents: Section,
        hash: u64,
    ) -> impl Iterator<Item = u32> + '_ {
        let (hashes, documents) = (self.section(hashes), self.section(documents));
        let n = (hashes.len() / 8) as u32;
        let first = columns::partition_point(n, |at| columns::u64_at(hashes, at.into()) < hash);
        (first..n)
            .take_while(move |&at| columns::u64_at(hashes, at.into()) == hash)
            .map(|at| columns::u32_at(documents, at))
            .filter(|&local| local < self.documents())
    }

    /// The document with a number. O(log documents).
    #[must_use]
    pub fn find_number(&self, number: DocNumber) -> Option<u32> {
        let numbers = self.section(Section::Numbers);
        let at = columns::partition_point(self.documents(), |at| {
            columns::u32_at(numbers, at) < number.0
        });
        let found = at < self.documents() && columns::u32_at(numbers, at) == number.0;
        let local = columns::u32_at(self.section(Section::NumberDocuments), at);
        (found && local < self.documents()).then_some(local)
    }
}
