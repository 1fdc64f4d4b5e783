//! What a commit changed, stored with it for a number of commits, so that a reader that has the
//! state of one of them need not load everything again.

use super::change::Change;
use super::state::{SegmentEntry, State};

/// Commits whose deltas are kept.
pub(super) const KEPT: u64 = 64;
/// A larger delta is stored as an empty one: the reader loads everything.
const LARGEST: usize = 1 << 16;

/// The stored delta of a change.
pub(super) fn encode(change: &Change, dead_blocks: &[(u64, u32)]) -> Vec<u8> {
    let size = 8 * change.segments_removed.len()
        + SegmentEntry::BYTES * change.segments_added.len()
        + 12 * dead_blocks.len()
        + 9 * change.changed.len();
    if size > LARGEST {
        return Vec::new();
    }
    let mut bytes = Vec::with_capacity(size + 16);
    let count = |bytes: &mut Vec<u8>, count: usize| {
        bytes.extend_from_slice(&(count as u32).to_le_bytes());
    };
    count(&mut bytes, change.segments_removed.len());
    for id in &change.segments_removed {
        bytes.extend_from_slice(&id.to_le_bytes());
    }
    count(&mut bytes, change.segments_added.len());
    for segment in &change.segments_added {
        bytes.extend_from_slice(&segment.to_bytes());
    }
    count(&mut bytes, dead_blocks.len());
    for (segment, block) in dead_blocks {
        bytes.extend_from_slice(&segment.to_le_bytes());
        bytes.extend_from_slice(&block.to_le_bytes());
    }
    // Later rows of a document replace earlier ones, so the order of the rows is kept.
    count(&mut bytes, change.changed.len());
    for (number, relies_on) in &change.changed {
        bytes.extend_from_slice(&number.to_le_bytes());
        bytes.push(u8::from(relies_on.is_some()));
        bytes.extend_from_slice(&relies_on.unwrap_or(0).to_le_bytes());
    }
    bytes
}

/// Applies a stored delta to a state and appends the blocks of dead documents that have to be read
/// again. `None` if the delta is empty, damaged or does not fit: the state is unusable then.
pub(super) fn apply(
    bytes: &[u8],
    state: &mut State,
    dead_blocks: &mut Vec<(u64, u32)>,
) -> Option<()> {
    let mut bytes = Bytes(bytes);
    for _ in 0..bytes.u32()? {
        state.remove_segment(bytes.u64()?).then_some(())?;
    }
    for _ in 0..bytes.u32()? {
        state.add_segment(SegmentEntry::from_bytes(bytes.array()?)).then_some(())?;
    }
    for _ in 0..bytes.u32()? {
        dead_blocks.push((bytes.u64()?, bytes.u32()?));
    }
    for _ in 0..bytes.u32()? {
        let number = bytes.u32()?;
        let [some] = *bytes.array()?;
        let relies_on = bytes.u32()?;
        state.change_row(number, (some == 1).then_some(relies_on));
    }
    bytes.0.is_empty().then_some(())
}

struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn array<const N: usize>(&mut self) -> Option<&'a [u8; N]> {
        let (array, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(array)
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(|bytes| u32::from_le_bytes(*bytes))
    }

    fn u64(&mut self) -> Option<u64> {
        self.array().map(|bytes| u64::from_le_bytes(*bytes))
    }
}
