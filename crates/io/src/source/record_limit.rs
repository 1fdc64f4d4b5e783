//! Messages about records that are too long.

/// The message for a record that is too long.
pub(crate) fn too_long(limit: usize) -> String {
    format!(
        "the record is longer than {}; raise the setting max_record to read it",
        size_words(limit)
    )
}

/// The message for a too long record in a stream. By how much it may exceed the limit in memory
/// depends on the chunk size; the message does not.
pub(crate) fn too_long_in_stream(limit: usize) -> String {
    format!("{} (it may be too long to be copied to the rejected)", too_long(limit))
}

/// A limit in words.
pub(crate) fn size_words(limit: usize) -> String {
    match limit {
        bytes if bytes % (1 << 20) == 0 => format!("{} MiB", bytes >> 20),
        bytes => format!("{bytes} bytes"),
    }
}
