//! The state of an index from the tables of its file.

use super::database::Failure;
use super::delta;
use super::state::{SegmentEntry, State};
use super::tables::{CHANGED, DEAD, DELTAS, FORMAT, MAGIC, META, SEGMENTS, StateRow, decode_block};
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
