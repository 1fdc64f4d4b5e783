//! Data that unpack to many times their size.

/// Bytes that data may unpack to at any ratio.
const ALWAYS: u64 = 128 << 20;

/// Ratio above which larger data are refused. Text unpacks to 3 to 20 times its size, many copies of one
/// text to some hundred times.
const RATIO: u64 = 250;

/// Why data of `packed` bytes that unpack to `unpacked` bytes are not unpacked, if so: a small file must
/// not take the memory of the machine.
pub(crate) fn excess(what: &str, packed: u64, unpacked: u64) -> Result<(), String> {
    if unpacked <= ALWAYS || unpacked / RATIO <= packed {
        return Ok(());
    }
    Err(format!(
        "{what} of {packed} bytes unpacks to {} MiB; if that is right, write the file again with smaller \
         ones",
        unpacked >> 20
    ))
}

#[cfg(test)]
mod tests {
    use super::excess;

    #[test]
    fn large_data_at_high_ratios_are_refused() {
        assert!(excess("a page", 10, 128 << 20).is_ok());
        assert!(excess("a page", 1 << 20, 200 << 20).is_ok());
        let said = excess("a page", 1000, 129 << 20).unwrap_err();
        assert!(said.contains("a page of 1000 bytes unpacks to 129 MiB; "), "{said}");
        assert!(excess("a page", 0, u64::MAX).is_err());
    }
}
