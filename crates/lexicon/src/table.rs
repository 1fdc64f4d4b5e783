//! In-memory hash table of term counts.

use crate::run::Record;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Longest name kept.
const NAME: usize = 255;

#[derive(Debug)]
struct Entry {
    fingerprint: u64,
    frequency: u32,
    /// The last document that contained it, so that each document is counted once.
    document: u32,
    /// Offset of its name.
    name: usize,
    length: u8,
}

/// Document frequencies of the documents since the last [`Table::clear`].
#[derive(Debug, Default)]
pub(crate) struct Table {
    places: HashMap<u64, u32, BuildHasherDefault<Fingerprint>>,
    entries: Vec<Entry>,
    names: Vec<u8>,
    document: u32,
}

impl Table {
    /// Counts a term of the current document, if it was not counted for it before.
    ///
    /// Two terms of one fingerprint (one in 10¹⁹ pairs) are one term with the smaller name, so that
    /// the name does not depend on their order.
    #[inline]
    pub(crate) fn push(&mut self, fingerprint: u64, name: &[u8]) {
        let name = cut(name);
        let place = *self.places.entry(fingerprint).or_insert_with(|| {
            self.entries.push(Entry {
                fingerprint,
                frequency: 0,
                document: u32::MAX,
                name: self.names.len(),
                length: name.len() as u8,
            });
            self.names.extend_from_slice(name);
            self.entries.len() as u32 - 1
        });
        let entry = &mut self.entries[place as usize];
        if entry.document != self.document {
            entry.document = self.document;
            entry.frequency += 1;
        }
        let known = &self.names[entry.name..][..usize::from(entry.length)];
        if name != known && name < known {
            entry.name = self.names.len();
            entry.length = name.len() as u8;
            self.names.extend_from_slice(name);
        }
    }

    /// Ends the document.
    pub(crate) fn end_document(&mut self) {
        self.document += 1;
    }

    /// Approximate bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        // A slot of the map is a key, an index and a control byte, and one in eight is empty.
        self.entries.len() * (size_of::<Entry>() + 20) + self.names.len()
    }

    /// Whether nothing was counted.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether it must be cleared before the next document, even below the memory budget.
    pub(crate) fn is_full(&self) -> bool {
        // A document of a billion distinct terms would be 10 GB of text.
        self.document >= u32::MAX - 1 || self.entries.len() >= 3 << 30
    }

    /// Sorts the terms by fingerprint; afterwards only [`Table::record`] may be called.
    pub(crate) fn sort(&mut self) {
        self.places.clear();
        self.entries.sort_unstable_by_key(|entry| entry.fingerprint);
    }

    /// Reads entry `at`; false after the last.
    pub(crate) fn record(&self, at: usize, record: &mut Record) -> bool {
        let Some(entry) = self.entries.get(at) else { return false };
        record.fingerprint = entry.fingerprint;
        record.frequency = entry.frequency;
        record.name.clear();
        record.name.extend_from_slice(&self.names[entry.name..][..usize::from(entry.length)]);
        true
    }

    /// Clears the table, and keeps its memory.
    pub(crate) fn clear(&mut self) {
        self.places.clear();
        self.entries.clear();
        self.names.clear();
        self.document = 0;
    }
}

/// At most [`NAME`] bytes, cut between characters.
fn cut(name: &[u8]) -> &[u8] {
    if name.len() <= NAME {
        return name;
    }
    let end = (0..=NAME).rev().find(|&end| name[end] & 0xC0 != 0x80).unwrap_or(NAME);
    &name[..end]
}

/// Identity hash: fingerprints are hashes already.
#[derive(Debug, Default)]
struct Fingerprint(u64);

impl Hasher for Fingerprint {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, &byte| hash << 8 | u64::from(byte));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_between_characters() {
        let name = "a".repeat(254) + "ö" + "b";
        assert_eq!(cut(name.as_bytes()), &name.as_bytes()[..254]);
        assert_eq!(cut(&name.as_bytes()[1..]).len(), 255);
        assert_eq!(cut(&[0x80; 300]).len(), 255);
        assert_eq!(cut(b"short"), b"short");
    }

    #[test]
    fn terms_count_once_a_document_and_colliding_ones_take_the_smaller_name() {
        let mut table = Table::default();
        for document in
            [&[(9, "be"), (9, "be"), (3, "zz")][..], &[(9, "be")], &[(3, "aa"), (3, "mm")]]
        {
            document.iter().for_each(|&(term, name)| table.push(term, name.as_bytes()));
            table.end_document();
        }
        table.sort();
        let mut record = Record::default();
        assert!(table.record(0, &mut record));
        assert_eq!((record.fingerprint, record.frequency, &record.name[..]), (3, 2, &b"aa"[..]));
        assert!(table.record(1, &mut record));
        assert_eq!((record.fingerprint, record.frequency, &record.name[..]), (9, 2, &b"be"[..]));
        assert!(!table.record(2, &mut record));
    }
}
