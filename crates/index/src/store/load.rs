//! The state of an index from the tables of its file.

use super::database::Failure;
use super::delta;
use super::state::{SegmentEntry, State};
use super::tables::{CHANGED, DEAD, DELTAS, MAGIC, META, SEGMENTS, StateRow, decode_block};
use crate::FORMAT;
use lookalike_core::HASH_NAME;
use redb::{ReadTransaction, ReadableTable};
use std::collections::BTreeSet;

fn meta(transaction: &ReadTransaction, row: &str) -> Result<Vec<u8>, Failure> {
    let table = transaction.open_table(META)?;
    let row = table.get(row)?.ok_or_else(|| Failure::damaged(format!("no row {row}")))?;
    Ok(row.value().to_vec())
}

/// Checks that the file is of an index, of this format and made with these hashes and, if they are
/// given, settings. Returns the digest of its settings.
pub(super) fn check_format(
    transaction: &ReadTransaction,
    settings: Option<u64>,
) -> Result<u64, Failure> {
    if meta(transaction, "magic")? != MAGIC {
        return Err(Failure::damaged("it is not the store of an index"));
    }
    let format = meta(transaction, "format")?;
    let format = format.try_into().map_err(|_| Failure::damaged("the row format"))?;
    let format = u32::from_le_bytes(format);
    if format != FORMAT {
        return Err(Failure::Differs {
            what: "the format",
            found: format.to_string(),
            wanted: FORMAT.to_string(),
        });
    }
    let hash = meta(transaction, "hash")?;
    if hash != HASH_NAME.as_bytes() {
        return Err(Failure::Differs {
            what: "the hashes",
            found: String::from_utf8_lossy(&hash).into_owned(),
            wanted: HASH_NAME.to_owned(),
        });
    }
    let found = meta(transaction, "settings")?;
    let found = found.try_into().map_err(|_| Failure::damaged("the row settings"))?;
    let found = u64::from_le_bytes(found);
    match settings {
        Some(wanted) if wanted != found => Err(Failure::Differs {
            what: "the digest of the settings",
            found: format!("{found:016x}"),
            wanted: format!("{wanted:016x}"),
        }),
        _ => Ok(found),
    }
}

/// The row that each commit writes.
pub(super) fn state_row(transaction: &ReadTransaction) -> Result<StateRow, Failure> {
    let row = meta(transaction, "state")?;
    StateRow::from_bytes(&row).ok_or_else(|| Failure::damaged("the row state"))
}

/// Loads the whole state and checks it against its digest. Linear in dead documents and changed
/// rows.
pub(super) fn load(transaction: &ReadTransaction, settings: u64) -> Result<State, Failure> {
    let mut state = State::new(settings);
    for row in transaction.open_table(SEGMENTS)?.iter()? {
        let (id, entry) = row?;
        let id = id.value();
        let entry = entry.value().try_into().ok().map(SegmentEntry::from_bytes);
        let entry = entry.filter(|entry| entry.id == id);
        state.add_segment(entry.ok_or_else(|| Failure::damaged(format!("segment {id}")))?);
    }
    for row in transaction.open_table(DEAD)?.iter()? {
        let (key, block) = row?;
        add_block(&mut state, key.value(), block.value())?;
    }
    for row in transaction.open_table(CHANGED)?.iter()? {
        let (number, relies_on) = row?;
        state.change_row(number.value(), Some(relies_on.value()));
    }
    let row = state_row(transaction)?;
    finish(&mut state, row).then_some(state).ok_or_else(|| {
        Failure::damaged(format!("the rows of commit {} do not have its digest", row.commit))
    })
}

/// Sets what the row says, and compares the digest.
fn finish(state: &mut State, row: StateRow) -> bool {
    state.commit = row.commit;
    state.next_number = row.next_number;
    state.next_segment = row.next_segment;
    state.digest == row.digest
}

fn add_block(state: &mut State, key: (u64, u32), block: &[u8]) -> Result<(), Failure> {
    let (segment, number) = key;
    let damaged = || Failure::damaged(format!("dead documents of segment {segment}"));
    let locals = decode_block(block, number).ok_or_else(damaged)?;
    state.mark_dead(segment, &locals).map_err(Failure::Damaged)
}

/// The state at the time of the transaction, from an earlier one: by the stored deltas if they are
/// still there, else from all tables. `None` if the earlier one is that state.
pub(super) fn follow(
    transaction: &ReadTransaction,
    earlier: &State,
) -> Result<Option<State>, Failure> {
    let row = state_row(transaction)?;
    if row.commit == earlier.commit {
        return Ok(None);
    }
    if row.commit > earlier.commit
        && row.commit - earlier.commit <= delta::KEPT
        && let Some(state) = by_deltas(transaction, earlier, row)?
    {
        return Ok(Some(state));
    }
    load(transaction, earlier.settings_digest).map(Some)
}

/// `None` if a delta is missing, too large to have been stored, or does not fit.
fn by_deltas(
    transaction: &ReadTransaction,
    earlier: &State,
    row: StateRow,
) -> Result<Option<State>, Failure> {
    let mut state = earlier.clone();
    let mut blocks = Vec::new();
    let deltas = transaction.open_table(DELTAS)?;
    for commit in earlier.commit + 1..=row.commit {
        let Some(stored) = deltas.get(commit)? else {
            return Ok(None);
        };
        if delta::apply(stored.value(), &mut state, &mut blocks).is_none() {
            return Ok(None);
        }
    }
    let dead = transaction.open_table(DEAD)?;
    for key in BTreeSet::from_iter(blocks) {
        // The segment may have been removed since.
        if let Some(block) = dead.get(key)? {
            add_block(&mut state, key, block.value())?;
        }
    }
    Ok(finish(&mut state, row).then_some(state))
}

#[cfg(test)]
mod tests {
    use super::super::database::{open_readable, open_writable};
    use super::super::{Change, Store, StoreReader};
    use super::*;
    use crate::disk::{Access, RealDisk};
    use redb::ReadableDatabase;

    fn change(commit: u64) -> Change {
        let segment = SegmentEntry {
            id: commit,
            documents: 100,
            units: 50,
            postings: 5,
            bytes: 7,
            level: 0,
            checksum: 9,
        };
        let number = commit as u32;
        Change {
            segments_removed: commit.checked_sub(3).into_iter().collect(),
            segments_added: vec![segment],
            dead_added: [(commit, (0..number).collect()), (commit.max(1) - 1, [99].into())].into(),
            changed: vec![(number, Some(4)), (number, Some(5)), (number / 2, None)],
            next_number: Some(number + 1),
            next_segment: Some(commit + 1),
            records: Vec::new(),
        }
    }

    /// A few small commits are followed by their deltas; too many, or a large one, are not.
    #[test]
    fn deltas_give_what_all_tables_give() {
        let dir = tempfile::tempdir().unwrap();
        let (disk, root) = (RealDisk, dir.path());
        let mut store = Store::create(&disk, root, 1).unwrap();
        let mut states = vec![store.state().clone()];
        for commit in 0..70 {
            store.commit(&change(commit)).unwrap();
            states.push(store.state().clone());
        }
        let database = open_readable(&disk, root).unwrap();
        let transaction = database.begin_read().unwrap();
        let row = state_row(&transaction).unwrap();
        assert_eq!(&load(&transaction, 1).unwrap(), store.state());
        for (commit, earlier) in states.iter().enumerate() {
            let followed = by_deltas(&transaction, earlier, row).unwrap();
            assert_eq!(followed.is_some(), commit >= 6, "from commit {commit}");
            assert!(followed.is_none_or(|state| state == *store.state()));
        }
        drop(transaction);
        let changed = (0..60).cycle().take(8_000).map(|number| (number, Some(number))).collect();
        store.commit(&Change { changed, ..Change::default() }).unwrap();
        let transaction = database.begin_read().unwrap();
        let row = state_row(&transaction).unwrap();
        assert!(by_deltas(&transaction, &states[70], row).unwrap().is_none());
        assert_eq!(follow(&transaction, &states[70]).unwrap().as_ref(), Some(store.state()));
        assert_eq!(follow(&transaction, store.state()).unwrap(), None);
    }
    #[test]
    fn another_format_or_other_hashes_are_refused_by_name() {
        for (row, value, message) in [
            ("format", &b"\x07\0\0\0"[..], "the format: it has 7, and 1 is needed".to_owned()),
            ("hash", b"other/2", format!("the hashes: it has other/2, and {HASH_NAME} is needed")),
            ("magic", b"no", "damaged: it is not the store of an index".to_owned()),
            ("state", b"short", "damaged: the row state".to_owned()),
        ] {
            let dir = tempfile::tempdir().unwrap();
            let (disk, root, path) = (RealDisk, dir.path(), dir.path().join("store.redb"));
            drop(Store::create(&disk, root, 1).unwrap());
            let (database, _) = open_writable(&disk, &path, Access::Write).unwrap();
            let transaction = database.begin_write().unwrap();
            transaction.open_table(META).unwrap().insert(row, value).unwrap();
            transaction.commit().unwrap();
            drop(database);
            let expected = format!("{}: {message}", path.display());
            let error = Store::open(&disk, root, None).unwrap_err();
            assert_eq!(error.to_string(), expected);
            let error = StoreReader::open(&disk, root, None).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }
}
