//! All that can be read of `store.redb`, and what is wrong with it. Nothing is changed.

use super::change::Record;
use super::database::{Failure, Probe, builder, in_redb, store_path};
use super::load;
use super::overlay::Overlay;
use super::state::State;
use super::tables::{RECORDS, SEGMENTS, checked_value};
use crate::IndexError;
use crate::disk::{Access, Disk};
use redb::{Database, ReadTransaction, ReadableDatabase, ReadableTable};
use std::collections::BTreeSet;
use std::path::Path;

/// What the store of an index says.
#[derive(Debug, Clone, Default)]
pub(crate) struct StoreContents {
    /// The state, if it has the digest of its commit.
    pub(crate) state: Option<State>,
    /// The numbers of the segments that were read, if the state was not.
    pub(crate) segments: BTreeSet<u64>,
    /// The records that have their checksum.
    pub(crate) records: Vec<Record>,
    /// What is wrong; nothing if all of it was read.
    pub(crate) wrong: Vec<String>,
}

/// Memory for pages of the file.
const CACHE: usize = 32 << 20;

/// How often the file is read again if a writer has changed it meanwhile.
const TRIES: u32 = 10;

/// Reads the whole store: the structure and the checksums of its pages, the state, the records. The
/// file of an index that is being written to is read as of one commit; if commits follow each other
/// too fast for that, `None`: its writer has checked it.
pub(crate) fn read_store(
    disk: &dyn Disk,
    directory: &Path,
    settings: u64,
) -> Option<StoreContents> {
    let path = &store_path(directory);
    let failed = |error: IndexError| {
        Some(StoreContents { wrong: vec![error.to_string()], ..StoreContents::default() })
    };
    for _ in 0..TRIES {
        let mut probe = match Probe::new(disk, path) {
            Ok(probe) => probe,
            Err(error) => return failed(error),
        };
        // A file that is shorter than its header is reported by redb.
        let before = probe.news(path).ok().flatten();
        let contents = read_once(disk, path, settings);
        let Some(before) = before else { return Some(contents) };
        probe.saw(before);
        if contents.wrong.is_empty() || matches!(probe.news(path), Ok(None)) {
            return Some(contents);
        }
    }
    None
}

fn read_once(disk: &dyn Disk, path: &Path, settings: u64) -> StoreContents {
    let mut contents = StoreContents::default();
    let open = |check: bool| -> Result<Database, IndexError> {
        let file = disk.database(path, Access::Read).map_err(IndexError::io(path))?;
        let file = Overlay::new(file).map_err(IndexError::io(path))?;
        if redb::StorageBackend::len(&file).map_err(IndexError::io(path))? == 0 {
            // redb would make a new database of it.
            let what = "it is empty".to_owned();
            return Err(IndexError::Damaged { path: path.to_owned(), what });
        }
        let mut builder = builder(CACHE);
        builder.set_check_integrity_on_open(check);
        in_redb(path, || Ok(builder.create_with_backend(file)?))
    };
    let database = match open(true) {
        Ok(database) => database,
        Err(error) => {
            contents.wrong.push(error.to_string());
            // Parts may still be read.
            match open(false) {
                Ok(database) => database,
                Err(_) => return contents,
            }
        }
    };
    let transaction = match in_redb(path, || Ok(database.begin_read()?)) {
        Ok(transaction) => transaction,
        Err(error) => {
            contents.wrong.push(error.to_string());
            return contents;
        }
    };
    let state = in_redb(path, || {
        load::check_format(&transaction, Some(settings))?;
        load::load(&transaction, settings)
    });
    match state {
        Ok(state) => contents.state = Some(state),
        Err(error) => {
            contents.wrong.push(error.to_string());
            let read = || in_redb(path, || segments(&transaction));
            contents.segments = read().unwrap_or_default();
        }
    }
    let mut damaged = 0u64;
    let records = in_redb(path, || records(&transaction, &mut contents.records, &mut damaged));
    if let Err(error) = records {
        contents.wrong.push(error.to_string());
    }
    if damaged > 0 {
        contents.wrong.push(format!("{}: damaged: {damaged} records", path.display()));
    }
    // What a panic of redb leaves is not closed.
    let _ = in_redb(path, || {
        drop(transaction);
        drop(database);
        Ok(())
    });
    contents
}

/// The numbers of the segments that can be read.
fn segments(transaction: &ReadTransaction) -> Result<BTreeSet<u64>, Failure> {
    let mut found = BTreeSet::new();
    for row in transaction.open_table(SEGMENTS)?.iter()? {
        let Ok((id, _)) = row else { break };
        found.insert(id.value());
    }
    Ok(found)
}

/// All records that have their checksum, and how many have not.
fn records(
    transaction: &ReadTransaction,
    found: &mut Vec<Record>,
    damaged: &mut u64,
) -> Result<(), Failure> {
    for row in transaction.open_table(RECORDS)?.iter()? {
        let (key, stored) = row?;
        let key = key.value();
        let value = checked_value(key, stored.value());
        let (Some((&table, name)), Some(value)) = (key.split_first(), value) else {
            *damaged += 1;
            continue;
        };
        found.push(Record { table, key: name.to_vec(), value: Some(value.to_vec()) });
    }
    Ok(())
}
