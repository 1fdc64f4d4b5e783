//! The table of the values by which documents of an index have to differ to match.

use crate::LookalikeError;
use lookalike_index::{IndexWriter as Writer, Records};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

/// The table: key of a value ([`lookalike_engine::across`]; u64, big-endian) → the value, as it is shown.
const VALUES: u8 = 5;

/// The values that an index names: those of all documents that were added with them.
#[derive(Default)]
pub(crate) struct NamedValues(BTreeSet<u64>);

impl NamedValues {
    /// The names of the last commit.
    pub(crate) fn of(writer: &Writer) -> Result<Self, LookalikeError> {
        Ok(Self(all(&writer.records()?)?.into_keys().collect()))
    }

    /// Enters the names of new values, with the next commit.
    pub(crate) fn enter(&mut self, writer: &mut Writer, values: BTreeMap<u64, String>) {
        for (key, name) in values {
            if self.0.insert(key) {
                writer.put(VALUES, &key.to_be_bytes(), Some(name.as_bytes()));
            }
        }
    }
}

/// The names of values by key.
pub(crate) fn all(records: &Records) -> Result<BTreeMap<u64, String>, LookalikeError> {
    let mut names = BTreeMap::new();
    for record in records.range(VALUES, Bound::Unbounded, Bound::Unbounded)? {
        let (key, name) = record?;
        if let Ok(key) = <[u8; 8]>::try_from(key) {
            names.insert(u64::from_be_bytes(key), String::from_utf8_lossy(&name).into_owned());
        }
    }
    Ok(names)
}

/// The name of a value. One of which documents have the key only, as exported ones, has none but that.
pub(crate) fn name(names: &BTreeMap<u64, String>, key: u64) -> String {
    names.get(&key).cloned().unwrap_or_else(|| format!("{key:016x}"))
}
