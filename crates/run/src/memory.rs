//! The memory budget of a run, and its division.

use crate::machine::{self, kibibytes};
use std::path::Path;

/// Bytes per document that cannot be spilled: its unit, its precedence, its leader.
const FIXED: u64 = 64;

/// What documents and feature sets may take beside a small text.
const LEAST_SETS: u64 = 128 << 20;

/// How many times the text a disk has to have free for sets to be spilled to it unasked.
const ROOM: u64 = 4;

/// The budget of a run, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory(pub u64);

impl Memory {
    /// The requested budget, else three quarters of the machine's memory.
    pub fn of(asked: Option<u64>) -> Self {
        Self(asked.or_else(|| machine::memory().map(|bytes| bytes / 4 * 3)).unwrap_or(u64::MAX))
    }

    /// For documents and feature sets: half. Beyond it they are spilled.
    pub fn sets(self) -> u64 {
        self.0 / 2
    }

    /// For documents and feature sets of about `text` bytes of input, 0 if unknown: without a
    /// requested budget at most half of that, which costs next to no time (benchmarks/README.md), if
    /// the disk of `folder` has room for the rest.
    pub(crate) fn sets_of(self, asked: Option<u64>, text: u64, folder: &Path) -> u64 {
        let room = || machine::free_disk(folder).is_some_and(|free| free / ROOM >= text);
        match asked {
            None if text > 0 && room() => self.sets().min(LEAST_SETS.max(text / 2)),
            _ => self.sets(),
        }
    }

    /// For input in flight: an eighth. Larger records are processed one at a time.
    pub fn in_flight(self) -> u64 {
        self.0 / 8
    }

    /// For known token sequences, while texts are read: an eighth.
    pub fn sequences(self) -> u64 {
        self.0 / 8
    }

    /// Of what documents and feature sets may take, what is left once the number of documents is known:
    /// each takes some bytes in memory even if its row is spilled, for which a quarter is reserved.
    pub(crate) fn sets_beside(self, sets: u64, documents: u32) -> u64 {
        let fixed = u64::from(documents) * FIXED;
        sets.saturating_sub(fixed.saturating_sub(self.0 / 4))
    }

    /// For keys: an eighth. Before keys exist, elements are counted in twice as much: the memory
    /// for sequences is free by then. The remainder is for the fixed bytes per document, and for
    /// the texts that are read.
    pub fn counting(self) -> u64 {
        self.0 / 8
    }
}

/// Peak resident memory of this process so far, if the system reports it (Linux).
pub fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    kibibytes(&status, "VmHWM:").map(|kibibytes| kibibytes * 1024)
}

/// Current resident memory of this process, if the system reports it (Linux).
pub fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    kibibytes(&status, "VmRSS:").map(|kibibytes| kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_less_than_the_whole() {
        let memory = Memory::of(Some(1 << 30));
        assert!(memory.sets() + memory.counting() < 1 << 30);
    }

    #[test]
    fn sets_take_half_of_a_text_where_the_disk_has_room() {
        let (memory, here) = (Memory(1 << 40), Path::new("."));
        let least = machine::free_disk(here).map_or(memory.sets(), |_| LEAST_SETS);
        assert_eq!(memory.sets_of(None, 1 << 20, here), least);
        assert_eq!(memory.sets_of(Some(1 << 40), 1 << 20, here), memory.sets());
        assert_eq!(memory.sets_of(None, 0, here), memory.sets(), "an unknown text");
        assert_eq!(memory.sets_of(None, 1 << 60, here), memory.sets(), "no room");
        assert_eq!(memory.sets_of(None, 1 << 20, Path::new("no/such")), memory.sets());
        assert_eq!(Memory(1 << 20).sets_of(None, 1 << 20, here), 1 << 19, "never more");
    }
}
