//! The syntax of WARC records.
//!
//! Records that do not follow it are damage of unknown extent: the next record then starts at the next
//! line that starts with `WARC/`.

use super::header;

/// Start of a record: of its version line.
pub(crate) const MAGIC: &[u8] = b"WARC/";

/// Longest header of a record in bytes.
const HEADER: usize = 1 << 20;

/// Where a record ends.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Here, after the line ends that follow its block.
    At(usize),
    /// Not in this data: at least this many bytes are needed.
    More(usize),
    /// Not in this data, and no length is known.
    Unknown,
}

/// Where the record that starts at `from` ends. `whole`: nothing follows the data, so that a record
/// that is cut off ends with them.
pub(crate) fn end(data: &[u8], from: usize, whole: bool) -> End {
    let record = &data[from..];
    if !whole && record.len() < MAGIC.len() {
        return End::More(from + MAGIC.len());
    }
    if record.starts_with(MAGIC) {
        match header::end(&record[..record.len().min(HEADER)]) {
            Some(body) => {
                if let Some(length) = length(&record[..body]) {
                    let block = from.saturating_add(body).saturating_add(length);
                    return after_lines(data, block, whole);
                }
            }
            None if !whole && record.len() < HEADER => return End::Unknown,
            None => {}
        }
    }
    match next(data, from + 1) {
        Some(next) => End::At(next),
        None if whole => End::At(data.len()),
        None => End::Unknown,
    }
}

/// The end of the line ends at `from`.
fn after_lines(data: &[u8], from: usize, whole: bool) -> End {
    let lines = data.get(from..).unwrap_or_default();
    let ended = lines.iter().position(|byte| !matches!(byte, b'\r' | b'\n'));
    match ended {
        Some(length) => End::At(from + length),
        None if whole => End::At(data.len()),
        None => End::More(from.max(data.len()).saturating_add(1)),
    }
}

/// The first line that starts a record, at `from` or later. What precedes `from` belongs to the data.
pub(crate) fn next(data: &[u8], from: usize) -> Option<usize> {
    let start = from.checked_sub(1)?;
    memchr::memmem::find(data.get(start..)?, b"\nWARC/").map(|at| start + at + 1)
}

/// The length of the block.
fn length(header: &[u8]) -> Option<usize> {
    let written = header::raw(header, "content-length")?;
    let digits = !written.is_empty() && written.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(written).ok().filter(|_| digits)?.parse().ok()
}

/// A record: its header without the version line, and its block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record<'a> {
    pub(crate) header: &'a [u8],
    pub(crate) block: &'a [u8],
}

/// Parses the raw bytes of a record.
///
/// # Errors
/// The reason and a remedy.
pub(crate) fn parse(raw: &[u8]) -> Result<Record<'_>, String> {
    if !raw.starts_with(MAGIC) {
        return Err(
            "is not a WARC record: it does not start with `WARC/`; the bytes up to the next \
                    record are skipped, write the file again"
                .to_owned(),
        );
    }
    let Some(body) = header::end(&raw[..raw.len().min(HEADER)]) else {
        return Err("the header of the WARC record has no end; write the file again".to_owned());
    };
    let (_, header) = header::first_line(&raw[..body]);
    let Some(length) = length(header) else {
        return Err("the WARC record has no Content-Length that is a number; write the file again"
            .to_owned());
    };
    match raw.get(body..body.saturating_add(length)) {
        Some(block) => Ok(Record { header, block }),
        None => Err(format!(
            "the WARC record is cut off: its Content-Length is {length}, and {} bytes follow; get the \
             whole file",
            raw.len() - body
        )),
    }
}

/// The start of the header lines after the version line.
pub(crate) fn after_version(raw: &[u8]) -> usize {
    raw.len() - header::first_line(raw).1.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &[u8] = b"WARC/1.0\r\nWARC-Type: a\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n";

    /// The ends of all records.
    fn ends(data: &[u8]) -> Vec<usize> {
        let (mut at, mut found) = (0, Vec::new());
        while at < data.len() {
            let End::At(end) = end(data, at, true) else { panic!("{at}") };
            found.push(end);
            at = end;
        }
        found
    }

    #[test]
    fn records_end_after_their_line_ends() {
        let n = ONE.len();
        assert_eq!(ends(&[ONE, ONE].concat()), [n, 2 * n]);
        assert_eq!(parse(ONE).unwrap().block, b"abc");
        // A block may look like a record.
        let inner =
            [&b"WARC/1.0\r\nContent-Length: 52\r\n\r\n"[..], b"\n", ONE, b"\r\n\r\n"].concat();
        assert_eq!(ends(&inner), [inner.len()]);
        // Line ends that are missing, or more than there should be.
        let tight = [&ONE[..n - 4], ONE, b"\r\n\n\n", ONE].concat();
        assert_eq!(ends(&tight), [n - 4, 2 * n, 3 * n]);
    }

    #[test]
    fn more_is_read_until_the_next_record_is_seen() {
        let data = [ONE, ONE].concat();
        for cut in 0..=ONE.len() {
            match end(&data[..cut], 0, false) {
                End::At(_) => panic!("{cut}"),
                End::More(more) => assert!(more > cut && more <= ONE.len() + 1, "{cut}: {more}"),
                End::Unknown => assert!(cut < 45, "{cut}"),
            }
        }
        assert_eq!(end(&data[..=ONE.len()], 0, false), End::At(ONE.len()));
    }

    #[test]
    fn damage_ends_at_the_next_record() {
        let rubbish = b"rubbish\nWARC-like WARC/1.0\n";
        let data = [&rubbish[..], ONE].concat();
        assert_eq!(ends(&data), [rubbish.len(), data.len()]);
        let unmeasured = b"WARC/1.0\r\nContent-Length: x\r\n\r\n";
        let data = [&unmeasured[..], ONE].concat();
        assert_eq!(ends(&data), [unmeasured.len(), data.len()]);
        assert!(parse(unmeasured).unwrap_err().contains("no Content-Length"));
        assert!(parse(&ONE[..ONE.len() - 5]).unwrap_err().contains("cut off"));
        assert!(parse(&ONE[..20]).unwrap_err().contains("no end"));
        assert!(parse(rubbish).unwrap_err().contains("does not start"));
        let huge = b"WARC/1.0\r\nContent-Length: 18446744073709551615\r\n\r\nx";
        assert_eq!(end(huge, 0, false), End::More(usize::MAX));
        assert_eq!(end(huge, 0, true), End::At(huge.len()));
    }
}
