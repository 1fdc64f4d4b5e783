//! The tables of `store.redb`. FORMAT.md, *Index store*, describes them.

use super::change::BLOCK;
use super::state::State;
use redb::TableDefinition;
use roaring::RoaringBitmap;
use std::ops::Bound;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// What the file is: rows `magic`, `format`, `hash`, `settings`, written at creation, and `state`,
/// written by every commit.
pub(super) const META: TableDefinition<&str, &[u8]> = TableDefinition::new("meta");
/// The segments by their numbers.
pub(super) const SEGMENTS: TableDefinition<u64, &[u8]> = TableDefinition::new("segments");
/// Dead documents by segment and block.
pub(super) const DEAD: TableDefinition<(u64, u32), &[u8]> = TableDefinition::new("dead");
/// Changed rows of documents.
pub(super) const CHANGED: TableDefinition<u32, u32> = TableDefinition::new("changed");
/// Records: the number of the table, then the key; the value, then the checksum of both.
pub(super) const RECORDS: TableDefinition<&[u8], &[u8]> = TableDefinition::new("records");
/// What the last commits changed.
pub(super) const DELTAS: TableDefinition<u64, &[u8]> = TableDefinition::new("deltas");

pub(super) const MAGIC: &[u8] = b"LKINDEX\n";

/// Bytes of the row `state`.
const STATE_BYTES: usize = 36;

/// The row `state`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StateRow {
    pub(super) commit: u64,
    pub(super) next_number: u32,
    pub(super) next_segment: u64,
    /// [`State::digest`].
    pub(super) digest: u64,
}

impl StateRow {
    pub(super) fn of(state: &State) -> Self {
        Self {
            commit: state.commit,
            next_number: state.next_number,
            next_segment: state.next_segment,
            digest: state.digest,
        }
    }

    /// The fields and their XXH3-64.
    pub(super) fn to_bytes(self) -> [u8; STATE_BYTES] {
        let mut bytes = [0; STATE_BYTES];
        bytes[..8].copy_from_slice(&self.commit.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.next_number.to_le_bytes());
        bytes[12..20].copy_from_slice(&self.next_segment.to_le_bytes());
        bytes[20..28].copy_from_slice(&self.digest.to_le_bytes());
        let checksum = xxh3_64(&bytes[..28]);
        bytes[28..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// `None` if the row is damaged.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; STATE_BYTES] = bytes.try_into().ok()?;
        let row = Self {
            commit: u64::from_le_bytes(bytes[..8].try_into().ok()?),
            next_number: u32::from_le_bytes(bytes[8..12].try_into().ok()?),
            next_segment: u64::from_le_bytes(bytes[12..20].try_into().ok()?),
            digest: u64::from_le_bytes(bytes[20..28].try_into().ok()?),
        };
        (row.to_bytes() == *bytes).then_some(row)
    }
}

/// Bytes of a block that is a bitmap.
const BITMAP_BYTES: usize = BLOCK as usize / 8;

/// A block of dead documents, at most 8 KiB: with fewer than 4,096 documents their numbers in the
/// block, else a bit for each.
pub(super) fn encode_block(dead: &RoaringBitmap, block: u32) -> Vec<u8> {
    let first = block * BLOCK;
    let in_block = || dead.range(first..=first + (BLOCK - 1)).map(|local| (local - first) as u16);
    if dead.range_cardinality(first..=first + (BLOCK - 1)) < BITMAP_BYTES as u64 / 2 {
        return in_block().flat_map(u16::to_le_bytes).collect();
    }
    let mut bytes = vec![0; BITMAP_BYTES];
    for local in in_block() {
        bytes[usize::from(local) / 8] |= 1 << (local % 8);
    }
    bytes
}

/// The local numbers of a block, ascending. `None` if the block is damaged.
pub(super) fn decode_block(bytes: &[u8], block: u32) -> Option<RoaringBitmap> {
    let first = block.checked_mul(BLOCK)?;
    let locals: Vec<u32> = if bytes.len() == BITMAP_BYTES {
        let bits = (0..BLOCK).filter(|&bit| bytes[bit as usize / 8] >> (bit % 8) & 1 == 1);
        bits.map(|bit| first + bit).collect()
    } else if bytes.len() < BITMAP_BYTES && bytes.len().is_multiple_of(2) {
        let numbers = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
        numbers.map(|local| first + u32::from(local)).collect()
    } else {
        return None;
    };
    RoaringBitmap::from_sorted_iter(locals).ok().filter(|block| !block.is_empty())
}

/// The stored key of a record.
pub(super) fn record_key(table: u8, key: &[u8]) -> Vec<u8> {
    let mut stored = Vec::with_capacity(key.len() + 1);
    stored.push(table);
    stored.extend_from_slice(key);
    stored
}

/// The stored value of a record, by its stored key.
pub(super) fn record_value(key: &[u8], value: &[u8]) -> Vec<u8> {
    let mut stored = Vec::with_capacity(value.len() + CHECKSUM_BYTES);
    stored.extend_from_slice(value);
    stored.extend_from_slice(&record_checksum(key, value));
    stored
}

/// The value of a record. `None` if the record is damaged.
pub(super) fn checked_value<'a>(key: &[u8], stored: &'a [u8]) -> Option<&'a [u8]> {
    let (value, checksum) = stored.split_last_chunk()?;
    (*checksum == record_checksum(key, value)).then_some(value)
}

const CHECKSUM_BYTES: usize = 8;

fn record_checksum(key: &[u8], value: &[u8]) -> [u8; CHECKSUM_BYTES] {
    xxh3_64_with_seed(value, xxh3_64(key)).to_le_bytes()
}

/// The stored bounds of a range of keys of one table.
pub(super) fn record_range(
    table: u8,
    start: Bound<&[u8]>,
    end: Bound<&[u8]>,
) -> (Bound<Vec<u8>>, Bound<Vec<u8>>) {
    let start = match start {
        Bound::Unbounded => Bound::Included(vec![table]),
        bound => bound.map(|key| record_key(table, key)),
    };
    let end = match end {
        Bound::Unbounded => {
            table.checked_add(1).map_or(Bound::Unbounded, |next| Bound::Excluded(vec![next]))
        }
        bound => bound.map(|key| record_key(table, key)),
    };
    (start, end)
}
