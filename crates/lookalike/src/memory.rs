//! What a run may take of the machine's memory, and how it is divided.

use crate::machine::{self, kibibytes};

/// Bytes of a document that no file can take: its unit, its place in the order, its leader.
const FIXED: u64 = 64;

/// The bound of a run, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Memory(pub(crate) u64);

impl Memory {
    /// What was asked for, else three quarters of the machine's.
    pub(crate) fn of(asked: Option<u64>) -> Self {
        Self(asked.or_else(|| machine::memory().map(|bytes| bytes / 4 * 3)).unwrap_or(u64::MAX))
    }

    /// For documents and feature sets: half. The rest of them goes to a temporary file.
    pub(crate) fn sets(self) -> u64 {
        self.0 / 2
    }

    /// For input that is being dealt with: an eighth. Of records that are larger, one is at a time.
    pub(crate) fn in_flight(self) -> u64 {
        self.0 / 8
    }

    /// For token sequences that were seen, while texts are read: an eighth.
    pub(crate) fn sequences(self) -> u64 {
        self.0 / 8
    }

    /// For documents and feature sets once it is known how many documents there are: each takes some bytes
    /// wherever its row is, for which a quarter is set aside.
    pub(crate) fn sets_beside(self, documents: u32) -> u64 {
        let fixed = u64::from(documents) * FIXED;
        self.sets().saturating_sub(fixed.saturating_sub(self.0 / 4))
    }

    /// For keys: an eighth. Before there are any, elements are counted in twice as much: what was for sequences is
    /// free by then. What is left is for what every document takes, and for the texts that are being read.
    pub(crate) fn counting(self) -> u64 {
        self.0 / 8
    }
}

/// Largest resident memory of this process so far, where the system says (Linux).
pub(crate) fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    kibibytes(&status, "VmHWM:").map(|kibibytes| kibibytes * 1024)
}

/// Resident memory of this process now, where the system says (Linux).
pub(crate) fn resident() -> Option<u64> {
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
