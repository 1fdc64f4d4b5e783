//! Limits of a pipeline.

/// Limits on concurrency and memory.
#[derive(Debug, Clone, Copy)]
pub struct PipelineLimits {
    /// Number of workers.
    pub threads: usize,
    /// Bytes in flight (read, and not yet collected) above which nothing is read. The size of an
    /// item is not known before it is read, so the limit may be exceeded by one item; of items
    /// above the limit, one is in flight at a time.
    pub in_flight: u64,
}

impl PipelineLimits {
    /// Bytes that an open part may take besides its items: decompression window, buffers.
    pub(super) const OPEN: u64 = 16 << 20;

    /// No limit on bytes.
    #[must_use]
    pub fn unbounded(threads: usize) -> Self {
        Self { threads, in_flight: u64::MAX }
    }

    /// Most items in flight of the head and earlier parts.
    pub(super) fn of_head(self) -> usize {
        3 * self.threads.max(1)
    }

    /// Most open parts after the head.
    pub(super) fn parts_ahead(self) -> usize {
        usize::try_from(self.in_flight / Self::OPEN).unwrap_or(usize::MAX).min(self.threads)
    }
}
