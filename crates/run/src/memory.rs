//! The memory budget of a run, and its division.

use crate::machine::{self, kibibytes};

/// Bytes per document that cannot be spilled: its unit, its precedence, its leader.
const FIXED: u64 = 64;

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

    /// For input in flight: an eighth. Larger records are processed one at a time.
    pub fn in_flight(self) -> u64 {
        self.0 / 8
    }

    /// For known token sequences, while texts are read: an eighth.
    pub fn sequences(self) -> u64 {
        self.0 / 8
    }

    /// For documents and feature sets once the number of documents is known: each takes some bytes
    /// in memory even if its row is spilled, for which a quarter is reserved.
    pub(crate) fn sets_beside(self, documents: u32) -> u64 {
        let fixed = u64::from(documents) * FIXED;
        self.sets().saturating_sub(fixed.saturating_sub(self.0 / 4))
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
}
