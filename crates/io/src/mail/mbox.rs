//! The mbox format (RFC 4155; mboxo, mboxrd and mboxcl): messages one after the other.
//!
//! A message starts with a *separator line*: the first line of the file, or a line of at most 1,000 bytes that
//! starts with `From `, is followed by a header field (`Name:`), and looks like one that a program wrote:
//!
//! * it ends with a date (a month or `2026-11-23`, a time and a year, and nothing but words of dates beside them:
//!   weekdays, days, zones), whatever precedes it and with or without a blank line above; or
//! * it follows a blank line, holds an address, `-`, `MAILER-DAEMON` or nothing else, and the header field is one of
//!   mail ([`FIELDS`]).
//!
//! Lines that start with `From ` or `>From ` between it and the header belong to it. At the end of a file
//! that was cut off, a dated separator line after a blank line is one without a header.
//!
//! *Lengths* (mboxcl). If a message has a `Content-Length` and a separator line or the end of the file, after at most
//! two line ends, is where its body ends by that, the message ends there. Otherwise, and beyond 32 MiB, the length is
//! ignored.
//!
//! *Quoting.* Lines of a message that would look like a separator line are quoted: with a `>` before `From ` (mboxo),
//! or before any number of `>` and `From ` (mboxrd). One `>` is removed in the text that is compared.

use memchr::{memchr, memmem};

/// Start of a separator line.
pub(crate) const SEPARATOR: &[u8] = b"From ";
/// Most bytes of a separator line, and of a line between it and the header.
const LINE: usize = 1000;
/// Most lines between a separator line and the header.
const REPEATED: usize = 3;
/// Bytes from the start of a line that decide whether it is a separator line.
pub(crate) const LOOKAHEAD: usize = (REPEATED + 2) * LINE;
/// Most bytes of a header in which a length is looked for.
const HEADER: usize = 256 << 10;
/// Most bytes of a message whose length counts: they are held in memory to see what follows.
const LONGEST: usize = 32 << 20;

/// Header fields that mail programs write first, or write into every message; besides `X-…`.
const FIELDS: [&str; 28] = [
    "arc-seal",
    "authentication-results",
    "cc",
    "content-length",
    "content-transfer-encoding",
    "content-type",
    "date",
    "delivered-to",
    "delivery-date",
    "dkim-signature",
    "envelope-to",
    "from",
    "in-reply-to",
    "list-id",
    "message-id",
    "mime-version",
    "newsgroups",
    "path",
    "received",
    "references",
    "reply-to",
    "resent-from",
    "return-path",
    "sender",
    "status",
    "subject",
    "to",
    "xref",
];

/// Finds the separator lines of an mbox whose bytes are read piece by piece.
#[derive(Debug, Default)]
pub(crate) struct Separators {
    /// Where the next line to look at starts, or an earlier byte.
    from: usize,
    /// The start of the last message, if it is not known yet whether a length ends it.
    unmeasured: Option<usize>,
}

impl Separators {
    /// Of data that start with a message.
    pub(crate) fn after_start() -> Self {
        Self { from: 1, unmeasured: Some(0) }
    }

    /// Of data that start with a message whose length does not count.
    pub(crate) fn unmeasured(data: &[u8]) -> Self {
        Self { from: header_start(data, 0, true).unwrap_or(1).max(1), unmeasured: None }
    }

    /// The next separator line; `None` if there is none or, unless the data are `whole`, more bytes decide.
    /// Lengths of messages of more than `most` bytes are ignored.
    pub(crate) fn next(&mut self, data: &[u8], whole: bool, most: usize) -> Option<usize> {
        if let Some(start) = self.unmeasured {
            let header = header_start(data, start, whole)?;
            self.from = self.from.max(header);
            if let Some(end) = end_by_length(data, (start, header), whole, most)? {
                self.from = end;
            }
            self.unmeasured = None;
        }
        loop {
            let before = self.from.saturating_sub(1);
            let found = memmem::find(data.get(before..)?, b"\nFrom ");
            let Some(at) = found.map(|at| before + at + 1) else {
                self.from = self.from.max(data.len().saturating_sub(SEPARATOR.len()));
                return None;
            };
            self.from = at;
            let is_separator = is_separator(data, at, whole)?;
            self.from = at + 1;
            if is_separator {
                self.unmeasured = Some(at);
                return Some(at);
            }
        }
    }

    /// The first bytes that are still needed, with those before a line that tell whether it follows a blank one.
    pub(crate) fn needed(&self) -> usize {
        self.from.saturating_sub(4)
    }

    /// The first bytes of the data are gone.
    pub(crate) fn drop_front(&mut self, length: usize) {
        self.from = self.from.saturating_sub(length);
        self.unmeasured = self.unmeasured.and_then(|start| start.checked_sub(length));
    }
}

/// The end of the line at `at`: the start of the next one. `None` if more bytes decide, an error if the line is
/// too long.
fn line_end(data: &[u8], at: usize, whole: bool) -> Result<Option<usize>, ()> {
    let line = &data[at..data.len().min(at + LINE)];
    match memchr(b'\n', line) {
        Some(end) => Ok(Some(at + end + 1)),
        None if line.len() == LINE => Err(()),
        None => Ok(whole.then_some(data.len())),
    }
}

/// Where the header of the message at `start` starts: after its separator line and repetitions of that.
/// `None` if more bytes decide.
fn header_start(data: &[u8], start: usize, whole: bool) -> Option<usize> {
    let mut at = match line_end(data, start, whole) {
        Ok(end) => end?,
        // Only the first line of a file.
        Err(()) => return Some(start + 1),
    };
    for _ in 0..REPEATED {
        let rest = &data[at..];
        let is = |start: &[u8]| rest.starts_with(start);
        let may_be = |start: &[u8]| !whole && start.starts_with(rest);
        if !is(b"From ") && !is(b">From ") {
            let undecided = may_be(b"From ") || may_be(b">From ");
            return if undecided { None } else { Some(at) };
        }
        match line_end(data, at, whole) {
            Ok(end) => at = end?,
            Err(()) => break,
        }
    }
    Some(at)
}

/// Whether a line that starts with `From ` is a separator line. `None` if more bytes decide.
fn is_separator(data: &[u8], at: usize, whole: bool) -> Option<bool> {
    let end = match line_end(data, at, whole) {
        Ok(end) => end?,
        Err(()) => return Some(false),
    };
    let words = &data[at + SEPARATOR.len()..end];
    let is_dated = is_dated(words);
    let after_blank = ends_blank(&data[..at]);
    if !(is_dated || after_blank && is_address(words)) {
        return Some(false);
    }
    let header = header_start(data, at, whole)?;
    match field_name(&data[header..], whole)? {
        Field::Name(name) => Some(is_dated || is_of_mail(name)),
        Field::CutOff => Some(is_dated && after_blank),
        Field::None => Some(false),
    }
}

/// What a line is.
enum Field<'a> {
    /// A header field of this name.
    Name(&'a [u8]),
    /// The beginning of a file's last line, which may have been one.
    CutOff,
    None,
}

/// The header field at the start of the data. `None` if more bytes decide.
fn field_name(data: &[u8], whole: bool) -> Option<Field<'_>> {
    let is_name = |byte: &u8| byte.is_ascii_graphic() && *byte != b':';
    let line = &data[..data.len().min(LINE)];
    let Some(length) = line.iter().position(|byte| !is_name(byte)) else {
        return match (line.len() == LINE, whole) {
            (true, _) => Some(Field::None),
            (false, true) => Some(Field::CutOff),
            (false, false) => None,
        };
    };
    let (name, rest) = line.split_at(length);
    let blank = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    match &rest[blank..] {
        // Not the address of a page.
        [b':', b'/', ..] => Some(Field::None),
        [b':', _, ..] if length > 0 => Some(Field::Name(name)),
        [b':'] if length > 0 => whole.then_some(Field::Name(name)),
        [] if !whole && line.len() < LINE => None,
        _ => Some(Field::None),
    }
}

/// Whether a header field is one of mail.
fn is_of_mail(name: &[u8]) -> bool {
    let is_extension = name.len() > 2 && name[..2].eq_ignore_ascii_case(b"x-");
    is_extension || FIELDS.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}

/// Whether a separator line without a date names an address, or nothing.
fn is_address(words: &[u8]) -> bool {
    let word = words.trim_ascii();
    let is_known = word.is_empty() || word == b"-" || word == b"MAILER-DAEMON";
    is_known || !word.iter().any(u8::is_ascii_whitespace) && memchr(b'@', word).is_some()
}

/// Whether the rest of a separator line ends with a date.
fn is_dated(words: &[u8]) -> bool {
    let Ok(words) = str::from_utf8(words.trim_ascii_end()) else { return false };
    // The host of a message that came by UUCP, and the name of a zone.
    let words = words.rsplit_once(" remote from ").map_or(words, |(date, _)| date);
    let words = match words.strip_suffix(')').and_then(|words| words.rsplit_once(" (")) {
        Some((date, _)) => date,
        None => words,
    };
    let (mut time, mut month, mut year) = (false, false, false);
    for word in words.split_ascii_whitespace().rev() {
        match DateWord::of(word.trim_matches(',')) {
            Some(DateWord::Time) => time = true,
            Some(DateWord::Month) => month = true,
            Some(DateWord::Year) => year = true,
            Some(DateWord::Date) => (month, year) = (true, true),
            Some(DateWord::DateTime) => (time, month, year) = (true, true, true),
            Some(DateWord::Other) => {}
            None => break,
        }
    }
    time && month && year
}

/// A word of a date.
enum DateWord {
    Time,
    Month,
    Year,
    /// `2026-11-23`
    Date,
    /// `2026-11-23T22:30:17Z`
    DateTime,
    /// A weekday, day or zone.
    Other,
}

impl DateWord {
    fn of(word: &str) -> Option<Self> {
        const WEEKDAYS: [&str; 7] =
            ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
        const MONTHS: [&str; 12] = [
            "january",
            "february",
            "march",
            "april",
            "may",
            "june",
            "july",
            "august",
            "september",
            "october",
            "november",
            "december",
        ];
        let among = |names: &[&str]| {
            let word = word.to_ascii_lowercase();
            word.len() >= 3 && names.iter().any(|name| word == *name || word == name[..3])
        };
        let digits = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
        let first = *word.as_bytes().first()?;
        if first.is_ascii_digit() {
            let is_date = |date: &str| {
                let parts: Vec<&str> = date.split('-').collect();
                matches!(parts[..], [y, m, d] if y.len() == 4 && m.len() == 2 && d.len() == 2)
                    && parts.iter().all(|part| digits(part))
            };
            let is_time = |time: &str| {
                let time = time.trim_end_matches('Z');
                let parts = time.split(['.', '+']).next().unwrap_or_default().split(':');
                let parts: Vec<&str> = parts.collect();
                (2..=3).contains(&parts.len())
                    && parts.iter().all(|part| matches!(part.len(), 1..=2) && digits(part))
            };
            return match word.split_once('T') {
                Some((date, time)) if is_date(date) && is_time(time) => Some(Self::DateTime),
                _ if is_date(word) => Some(Self::Date),
                _ if is_time(word) => Some(Self::Time),
                _ if !digits(word) => None,
                _ => match word.len() {
                    1..=2 => Some(Self::Other),
                    4 => Some(Self::Year),
                    _ => None,
                },
            };
        }
        let is_offset = |zone: &str| {
            let offset = zone.strip_prefix(['+', '-']).unwrap_or("x").replacen(':', "", 1);
            offset.len() == 4 && digits(&offset)
        };
        let letters = word.bytes().take_while(u8::is_ascii_uppercase).count();
        let is_zone =
            letters <= 5 && (letters > 0 && letters == word.len() || is_offset(&word[letters..]));
        match () {
            () if among(&MONTHS) => Some(Self::Month),
            () if among(&WEEKDAYS) || is_zone => Some(Self::Other),
            () => None,
        }
    }
}

/// Where a message ends by its length; `Some(None)` if it has none, or a wrong one. `None` if more bytes decide.
fn end_by_length(
    data: &[u8],
    (start, header): (usize, usize),
    whole: bool,
    most: usize,
) -> Option<Option<usize>> {
    const NAME: &[u8] = b"content-length:";
    const NO: Option<Option<usize>> = Some(None);
    let (mut at, mut length) = (header, None);
    let body = loop {
        if at - header > HEADER {
            return NO;
        }
        let Some(end) = memchr(b'\n', &data[at..]) else {
            let is_long = whole || data.len() - header > HEADER;
            return if is_long { NO } else { None };
        };
        let line = &data[at..at + end];
        at += end + 1;
        if matches!(line, [] | [b'\r']) {
            break at;
        }
        if line.len() > NAME.len() && line[..NAME.len()].eq_ignore_ascii_case(NAME) {
            let value = str::from_utf8(line[NAME.len()..].trim_ascii());
            length = value.ok().and_then(|value| value.parse::<usize>().ok());
        }
    };
    let Some(end) = length.and_then(|length| body.checked_add(length)) else { return NO };
    if end - start > most.min(LONGEST) {
        return NO;
    }
    let mut next = end;
    for _ in 0..2 {
        match data.get(next..) {
            Some([b'\n', ..]) => next += 1,
            Some([b'\r', b'\n', ..]) => next += 2,
            None | Some([] | [b'\r']) if !whole => return None,
            _ => break,
        }
    }
    match data.get(next..) {
        None => {
            if whole {
                NO
            } else {
                None
            }
        }
        Some([]) => {
            if whole {
                Some(Some(next))
            } else {
                None
            }
        }
        Some(rest) if rest.starts_with(SEPARATOR) && data[..next].ends_with(b"\n") => {
            is_separator(data, next, whole).map(|is| is.then_some(next))
        }
        Some(rest) if !whole && SEPARATOR.starts_with(rest) => None,
        Some(_) => NO,
    }
}

/// Whether a file starts with a dated separator line and a header field: such a file is an mbox, whatever it is
/// called.
pub(crate) fn starts_dated(head: &[u8]) -> bool {
    let end = memchr(b'\n', head).unwrap_or(head.len());
    head.starts_with(SEPARATOR)
        && is_dated(&head[SEPARATOR.len()..end])
        && is_separator(head, 0, false) == Some(true)
}

/// Whether the last line is blank: empty, of line ends LF or CR LF; or there is none.
fn ends_blank(data: &[u8]) -> bool {
    matches!(data, [] | [.., b'\n', b'\n'] | [.., b'\n', b'\r', b'\n'] | [b'\n'] | [b'\r', b'\n'])
}

/// A message with the blank line after it, without its separator line.
pub(crate) fn after_separator(raw: &[u8]) -> &[u8] {
    match raw.starts_with(SEPARATOR) {
        true => memchr::memchr(b'\n', raw).map_or(&[], |at| &raw[at + 1..]),
        false => raw,
    }
}

/// A message without its separator line and the blank line after it.
pub(crate) fn message(raw: &[u8]) -> &[u8] {
    let message = after_separator(raw);
    match message {
        [inner @ .., b'\r', b'\n'] if inner.ends_with(b"\n") => inner,
        [inner @ .., b'\n'] if inner.ends_with(b"\n") => inner,
        _ => message,
    }
}

/// Removes the quoting of lines that start with `From `. Returns whether there are any; if not,
/// `out` is unchanged.
pub(crate) fn unquote(message: &[u8], out: &mut Vec<u8>) -> bool {
    // The first byte starts a header, which is not quoted.
    let quoted = |at: &usize| {
        let line = message[..*at].iter().rposition(|byte| *byte != b'>');
        line.is_some_and(|end| message[end] == b'\n')
    };
    let mut places = memmem::find_iter(message, b">From ").filter(quoted).peekable();
    if places.peek().is_none() {
        return false;
    }
    out.clear();
    out.reserve(message.len());
    let mut copied = 0;
    for at in places {
        out.extend_from_slice(&message[copied..at]);
        copied = at + 1;
    }
    out.extend_from_slice(&message[copied..]);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATE: &str = "Mon Nov 23 22:30:17 2026";

    /// The starts of messages after the first one, which starts the data.
    fn starts(data: &[u8]) -> Vec<usize> {
        let (mut separators, mut found) = (Separators::after_start(), Vec::new());
        while let Some(start) = separators.next(data, true, usize::MAX) {
            found.push(start);
        }
        // In pieces of any size, the same ones are found.
        for piece in [1, 2, 7, 100] {
            let (mut separators, mut again) = (Separators::after_start(), Vec::new());
            for end in (0..data.len()).step_by(piece).chain([data.len()]) {
                while let Some(start) = separators.next(&data[..end], end == data.len(), usize::MAX)
                {
                    again.push(start);
                }
            }
            assert_eq!(again, found, "{} in pieces of {piece}", data.escape_ascii());
        }
        found
    }

    #[test]
    fn dated_lines_separate_with_or_without_a_blank_line() {
        for date in [
            DATE,
            "Mon Nov  3 22:30 2026",
            "Mon Nov 23 22:30:17 CET 2026",
            "Mon Nov 23 22:30:17 +0000 2026",
            "Mon, 23 Nov 2026 22:30:17 +0100 (CET)",
            "Sat May 01 2010 15:07:31 GMT+0400 (Russian Daylight Time)",
            "2026-11-23T22:30:17Z",
            "2026-11-23 22:30:17 +01:00",
            "Mon Nov 23 22:30:17 1992 remote from host",
        ] {
            for sender in ["a@b.example ", "- ", "", "ann at b.example  ", "???@??? ", "Ann Other "]
            {
                for (above, end) in [("", "\n"), ("\n", "\n"), ("\r\n", "\r\n")] {
                    let first = format!("From a@b {DATE}{end}A: b{end}{end}x{end}{above}");
                    let data = format!("{first}From {sender}{date}{end}Subject: c{end}{end}y{end}");
                    assert_eq!(starts(data.as_bytes()), [first.len()], "{data}");
                }
            }
        }
    }

    #[test]
    fn text_that_starts_with_from_does_not_separate() {
        for line in [
            "From now on the office is closed on Mondays.\nNote: closed",
            "From here\nNote: the rest",
            "From Berlin\nTo: Paris",
            "From Monday, 10:30 AM\nDate: 2026",
            "From Ann, who wrote on Mon Nov 23 at 22:30 in 2026\nSubject: x",
            "From a@b Mon Nov 23 22:30:17 2026\nwas the first line",
            "From a@b Mon Nov 23 22:30:17 2026\n\nA: b",
            "From a@b Mon Nov 23 22:30:17 2026\nhttp://a.example/",
            "From a@b Mon Nov 23 22:30:17 2026\na b: c",
            "From a@b we heard\nSubject: x",
            "From a@b\nNote: x",
            "From a@b Mon Nov 23 2026\nNote: x",
            "From: a@b\nSubject: c",
            "Fromage Mon Nov 23 22:30:17 2026\nSubject: c",
            "From",
            ">From a@b Mon Nov 23 22:30:17 2026\nSubject: c",
        ] {
            for above in ["", "\n"] {
                let data = format!("From a@b {DATE}\nA: b\n\nx\n{above}{line}\n");
                assert_eq!(starts(data.as_bytes()), [0; 0], "{data}");
            }
        }
    }

    #[test]
    fn lines_without_a_date_separate_after_blank_lines() {
        for line in ["From a@b", "From ", "From -", "From MAILER-DAEMON"] {
            for field in ["Received: x", "X-Mozilla-Status: 0001", "subject : x"] {
                let first = "From a\nA: b\n\nx\n\n";
                let data = format!("{first}{line}\n{field}\n\ny\n");
                assert_eq!(starts(data.as_bytes()), [first.len()], "{data}");
                let data = data.replace("\n\nFrom", "\nFrom");
                assert_eq!(starts(data.as_bytes()), [0; 0], "{data}");
            }
        }
        // The file was cut off after it, or within the first field.
        for rest in ["", "Sub", "Subject:"] {
            let first = format!("From a@b {DATE}\nA: b\n\nx\n\n");
            let data = format!("{first}From a@b {DATE}\n{rest}");
            assert_eq!(starts(data.as_bytes()), [first.len()], "{data}");
        }
    }

    #[test]
    fn repeated_separator_lines_are_one() {
        let first = format!("From a@b {DATE}\nFrom a@b {DATE}\n>From c@d {DATE}\nA: b\n\nx\n");
        let data = format!("{first}From a@b {DATE}\n>From a@b {DATE}\nFrom c\nSubject: b\n\nx\n");
        assert_eq!(starts(data.as_bytes()), [first.len()]);
    }

    #[test]
    fn a_length_counts_if_a_message_follows_there() {
        let inner = format!("x\nFrom a@b {DATE}\nSubject: inner\n\ny\n");
        let next = format!("From a@b {DATE}\nSubject: c\n\nz\n");
        let of = |length: usize, gap: &str| {
            let first = format!("From a@b {DATE}\nContent-Length: {length}\n\n{inner}{gap}");
            (first.len(), format!("{first}{next}"))
        };
        for gap in ["", "\n", "\n\n", "\r\n"] {
            for length in [inner.len(), inner.len() + gap.len()] {
                let (start, data) = of(length, gap);
                assert_eq!(starts(data.as_bytes()), [start], "{data}");
                // The end of the file.
                assert_eq!(starts(&data.as_bytes()[..start]), [0; 0], "{data}");
            }
        }
        for wrong in [0, 1, inner.len() - 2, inner.len() + 3, 1 << 40, usize::MAX] {
            let (start, data) = of(wrong, "\n");
            assert_eq!(starts(data.as_bytes()).last(), Some(&start), "{data}");
            assert_eq!(starts(data.as_bytes()).len(), 2, "{data}");
        }
        for odd in ["", "-1", "many", "9 9"] {
            let data = of(7, "").1.replace("Length: 7", &format!("Length: {odd}"));
            assert_eq!(starts(data.as_bytes()).len(), 2, "{data}");
        }
        // A message that is too long for a record is not kept whole in memory.
        let (_, data) = of(inner.len(), "");
        let mut separators = Separators::after_start();
        assert!(separators.next(data.as_bytes(), true, inner.len()).unwrap() < 100);
    }

    #[test]
    fn a_file_of_any_name_may_start_as_an_mbox() {
        assert!(starts_dated(format!("From a at b.example  {DATE}\nFrom: a at b\n").as_bytes()));
        assert!(!starts_dated(b"From a@b\nFrom: a@b\n"));
        assert!(!starts_dated(format!("From a@b {DATE}\nwas a line\n").as_bytes()));
        assert!(!starts_dated(b"From: a@b\n\n"));
    }

    #[test]
    fn quoting_is_undone_by_one_level() {
        let mut out = vec![7];
        assert!(!unquote(b"a >From b\n> >From c\n>Fromage", &mut out));
        assert_eq!(out, [7]);
        assert!(unquote(b"a: b\n\n>From c\n>>From d\n>>>From e >From\nx", &mut out));
        assert_eq!(out, b"a: b\n\nFrom c\n>From d\n>>From e >From\nx");
    }

    #[test]
    fn a_message_ends_before_the_blank_line_that_separates() {
        for (raw, expected) in [
            (&b"From a\nb: c\n\nd\n\n"[..], &b"b: c\n\nd\n"[..]),
            (b"From a\r\nb: c\r\n\r\nd\r\n\r\n", b"b: c\r\n\r\nd\r\n"),
            (b"From a\nb: c\n\nd\n", b"b: c\n\nd\n"),
            (b"From a\nb: c\n\nd", b"b: c\n\nd"),
            (b"From a", b""),
            (b"b: c\n", b"b: c\n"),
        ] {
            assert_eq!(message(raw), expected);
        }
    }
}
