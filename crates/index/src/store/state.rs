//! What the commits of an index say.

use super::changed::ChangedRows;
use roaring::RoaringBitmap;
use std::collections::BTreeMap;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A segment of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentEntry {
    /// Its number, never reused.
    pub id: u64,
    /// Documents, dead ones included.
    pub documents: u32,
    /// Distinct feature sets.
    pub units: u32,
    /// Postings.
    pub postings: u64,
    /// Bytes of its file.
    pub bytes: u64,
    /// How often its documents were merged.
    pub level: u32,
    /// Checksum of its file.
    pub checksum: u64,
}

/// The state of an index after a commit. Clones share what does not differ, so that a clone is
/// cheap.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// Number of the commit; 0 after creation.
    pub commit: u64,
    /// The number of the next document.
    pub next_number: u32,
    /// The number of the next segment.
    pub next_segment: u64,
    /// Digest of the settings of the index.
    pub settings_digest: u64,
    /// The segments in ascending order of their numbers.
    pub segments: Vec<SegmentEntry>,
    /// The dead documents of each segment that has any, as local numbers.
    pub dead: BTreeMap<u64, Arc<RoaringBitmap>>,
    /// Documents that rely on another kept document than their segment says.
    pub changed: ChangedRows,
    /// Sum of the hashes of all segments, dead documents and changed rows, modulo 2⁶⁴.
    pub(super) digest: u64,
}

/// Seeds that keep the hashes of different kinds of rows apart.
const SEGMENT: u64 = 1;
const DEAD: u64 = 2;
const CHANGED: u64 = 3;

impl SegmentEntry {
    /// Bytes of a stored entry.
    pub(super) const BYTES: usize = 44;

    /// The number and the fields in their order, little-endian.
    pub(super) fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.id.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.documents.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.units.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.postings.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.bytes.to_le_bytes());
        bytes[32..36].copy_from_slice(&self.level.to_le_bytes());
        bytes[36..].copy_from_slice(&self.checksum.to_le_bytes());
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
        let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
        let u64_at = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
        Self {
            id: u64_at(0),
            documents: u32_at(8),
            units: u32_at(12),
            postings: u64_at(16),
            bytes: u64_at(24),
            level: u32_at(32),
            checksum: u64_at(36),
        }
    }

    fn hash(self) -> u64 {
        xxh3_64_with_seed(&self.to_bytes(), SEGMENT)
    }
}

impl State {
    /// The state of a new index.
    pub(super) fn new(settings_digest: u64) -> Self {
        Self {
            commit: 0,
            next_number: 0,
            next_segment: 0,
            settings_digest,
            segments: Vec::new(),
            dead: BTreeMap::new(),
            changed: ChangedRows::default(),
            digest: 0,
        }
    }

    /// A segment by its number.
    #[must_use]
    pub fn segment(&self, id: u64) -> Option<&SegmentEntry> {
        let at = self.segments.binary_search_by_key(&id, |segment| segment.id).ok()?;
        Some(&self.segments[at])
    }

    /// Adds a segment. Returns whether there was none of this number.
    pub(super) fn add_segment(&mut self, entry: SegmentEntry) -> bool {
        let Err(at) = self.segments.binary_search_by_key(&entry.id, |segment| segment.id) else {
            return false;
        };
        self.segments.insert(at, entry);
        self.digest = self.digest.wrapping_add(entry.hash());
        true
    }

    /// Removes a segment and its dead documents. Returns whether it existed.
    pub(super) fn remove_segment(&mut self, id: u64) -> bool {
        let Ok(at) = self.segments.binary_search_by_key(&id, |segment| segment.id) else {
            return false;
        };
        self.digest = self.digest.wrapping_sub(self.segments.remove(at).hash());
        for local in self.dead.remove(&id).iter().flat_map(|dead| dead.iter()) {
            self.digest = self.digest.wrapping_sub(dead_hash(id, local));
        }
        true
    }

    /// Marks documents of a segment dead. Those that are dead already stay it.
    ///
    /// # Errors
    ///
    /// What is wrong, if there is no such segment or document. The state is unchanged then.
    pub(super) fn mark_dead(&mut self, id: u64, locals: &RoaringBitmap) -> Result<(), String> {
        let Some(largest) = locals.max() else {
            return Ok(());
        };
        let Some(segment) = self.segment(id) else {
            return Err(format!("dead documents in segment {id}, which does not exist"));
        };
        if largest >= segment.documents {
            let documents = segment.documents;
            return Err(format!("dead document {largest} in segment {id}, which has {documents}"));
        }
        let dead = Arc::make_mut(self.dead.entry(id).or_default());
        for local in locals - &*dead {
            self.digest = self.digest.wrapping_add(dead_hash(id, local));
        }
        *dead |= locals;
        Ok(())
    }

    /// Sets or removes the row of a changed document.
    pub(super) fn change_row(&mut self, number: u32, relies_on: Option<u32>) {
        let old = match relies_on {
            Some(relies_on) => {
                self.digest = self.digest.wrapping_add(changed_hash(number, relies_on));
                self.changed.set(number, relies_on)
            }
            None => self.changed.remove(number),
        };
        if let Some(old) = old {
            self.digest = self.digest.wrapping_sub(changed_hash(number, old));
        }
    }
}

fn dead_hash(segment: u64, local: u32) -> u64 {
    let mut bytes = [0; 12];
    bytes[..8].copy_from_slice(&segment.to_le_bytes());
    bytes[8..].copy_from_slice(&local.to_le_bytes());
    xxh3_64_with_seed(&bytes, DEAD)
}

fn changed_hash(number: u32, relies_on: u32) -> u64 {
    let mut bytes = [0; 8];
    bytes[..4].copy_from_slice(&number.to_le_bytes());
    bytes[4..].copy_from_slice(&relies_on.to_le_bytes());
    xxh3_64_with_seed(&bytes, CHANGED)
}
