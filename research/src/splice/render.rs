//! A document in, its line of JSON out.

use super::{BREAK, Case, FRESH, Sources};
use std::io::Write;

/// What a line says besides the text.
pub(super) struct Labels<'a> {
    /// Number of the document.
    pub(super) number: u64,
    /// File that its first word is from.
    pub(super) source: &'a str,
    /// The document that it was made from, and how.
    pub(super) made_from: Option<(u64, &'static str)>,
}

/// Appends a line.
pub(super) fn line(
    words: &[u32],
    case: Case,
    labels: &Labels<'_>,
    sources: &Sources,
    out: &mut Vec<u8>,
) {
    let &Labels { number, source, made_from } = labels;
    // Writing to memory cannot fail.
    let _ = write!(out, "{{\"id\":\"d{number:07}\",\"text\":\"");
    let start = out.len();
    for &word in words {
        if word == BREAK {
            // The space before it goes; none is left in front.
            if out.len() > start {
                out.pop();
                out.extend_from_slice(b"\\n");
            }
            continue;
        }
        let from = out.len();
        match word.checked_sub(FRESH) {
            None => out.extend_from_slice(sources.word(word)),
            Some(fresh) => {
                let _ = write!(out, "q{fresh:x}");
            }
        }
        match case {
            Case::AsWritten => {}
            // The only escapes in a word are of `"` and `\`, which have no case.
            Case::Upper => out[from..].make_ascii_uppercase(),
            Case::Lower => out[from..].make_ascii_lowercase(),
        }
        out.push(b' ');
    }
    if out.len() > start && out.last() == Some(&b' ') {
        out.pop();
    }
    let _ =
        write!(out, "\",\"url\":\"https://example.org/{source}/{number}\",\"source\":\"{source}\"");
    if let Some((from, edit)) = made_from {
        let _ = write!(out, ",\"from\":\"d{from:07}\",\"edit\":\"{edit}\"");
    }
    out.extend_from_slice(b"}\n");
}
