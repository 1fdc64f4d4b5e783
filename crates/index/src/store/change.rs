//! What one commit changes.

use super::state::{SegmentEntry, State};
use crate::IndexError;
use roaring::RoaringBitmap;
use std::collections::BTreeMap;

/// A change of an index, applied in the order of its fields: segments are removed, added, documents
/// marked dead, rows changed, records written. Files of segments have to be durable before, and
/// those of removed segments may be removed afterwards.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Change {
    /// Segments that no longer exist. Their dead documents go with them.
    pub segments_removed: Vec<u64>,
    /// New segments.
    pub segments_added: Vec<SegmentEntry>,
    /// Documents that are dead from now on, as local numbers of their segment.
    pub dead_added: BTreeMap<u64, RoaringBitmap>,
    /// For each document of which it changed: the kept document that it relies on (`u32::MAX`: it
    /// is kept), or `None` if its segment says it.
    pub changed: Vec<(u32, Option<u32>)>,
    /// The number of the next document, if it changed.
    pub next_number: Option<u32>,
    /// The number of the next segment, if it changed.
    pub next_segment: Option<u64>,
    /// Records of the caller.
    pub records: Vec<Record>,
}

/// A row of one of the 256 tables of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The table.
    pub table: u8,
    /// The key.
    pub key: Vec<u8>,
    /// The value; `None` removes the record.
    pub value: Option<Vec<u8>>,
}

/// Documents of a stored block of dead documents.
pub(super) const BLOCK: u32 = 1 << 16;

impl Change {
    /// Applies the change to a state, but for its records, and counts the commit.
    ///
    /// # Errors
    ///
    /// [`IndexError::Inconsistent`]; the state is unusable then.
    pub(super) fn apply(&self, state: &mut State) -> Result<(), IndexError> {
        let inconsistent = |what| IndexError::Inconsistent { what };
        for &id in &self.segments_removed {
            if !state.remove_segment(id) {
                return Err(inconsistent(format!("segment {id} is removed, but does not exist")));
            }
        }
        let next_segment = self.next_segment.unwrap_or(state.next_segment);
        if next_segment < state.next_segment {
            return Err(inconsistent(format!("numbers of segments go back to {next_segment}")));
        }
        let next_number = self.next_number.unwrap_or(state.next_number);
        if next_number < state.next_number {
            return Err(inconsistent(format!("numbers of documents go back to {next_number}")));
        }
        for &segment in &self.segments_added {
            let id = segment.id;
            if id >= next_segment {
                return Err(inconsistent(format!("segment {id}, but the next is {next_segment}")));
            }
            if !state.add_segment(segment) {
                return Err(inconsistent(format!("segment {id} exists already")));
            }
        }
        for (&id, locals) in &self.dead_added {
            state.mark_dead(id, locals).map_err(inconsistent)?;
        }
        for &(number, relies_on) in &self.changed {
            if number >= next_number {
                return Err(inconsistent(format!("document {number} of {next_number} changed")));
            }
            state.change_row(number, relies_on);
        }
        state.next_segment = next_segment;
        state.next_number = next_number;
        state.commit += 1;
        Ok(())
    }

    /// The blocks of dead documents that change: segment and block, ascending.
    pub(super) fn dead_blocks(&self) -> Vec<(u64, u32)> {
        let mut blocks: Vec<_> = self
            .dead_added
            .iter()
            .flat_map(|(&id, locals)| locals.iter().map(move |local| (id, local / BLOCK)))
            .collect();
        blocks.dedup();
        blocks
    }
}
