//! Common character references of a page, decoded without the tokenizer.
//!
//! WHATWG HTML, sections 13.2.5.72 to 13.2.5.80: the references that need neither its table of 2,231
//! names nor its corrections. All others are the tokenizer's.

use memchr::memchr;

/// Longest reference that is decoded here: `&#1114111;`.
const LONGEST: usize = 10;

/// The character of the reference that `text` starts with, and the length of the reference with its
/// semicolon; `None` if it is not one of the common ones.
pub(crate) fn read(text: &[u8]) -> Option<(char, usize)> {
    let end = memchr(b';', &text[..text.len().min(LONGEST)])?;
    let character = match text.get(1..end)? {
        [b'#', b'x' | b'X', digits @ ..] => numbered(digits, 16)?,
        [b'#', digits @ ..] => numbered(digits, 10)?,
        name => named(name)?,
    };
    Some((character, end + 1))
}

/// Control characters, surrogates and numbers that are no character are corrected by the tokenizer.
fn numbered(digits: &[u8], radix: u32) -> Option<char> {
    // `from_str_radix` takes a sign.
    let digits = digits.first().filter(|first| **first != b'+').and(Some(digits))?;
    let number = u32::from_str_radix(std::str::from_utf8(digits).ok()?, radix).ok()?;
    char::from_u32(number).filter(|character| !character.is_control())
}

fn named(name: &[u8]) -> Option<char> {
    Some(match name {
        b"amp" => '&',
        b"lt" => '<',
        b"gt" => '>',
        b"quot" => '"',
        b"apos" => '\'',
        b"nbsp" => '\u{a0}',
        b"copy" => '©',
        b"laquo" => '«',
        b"raquo" => '»',
        b"middot" => '·',
        b"bull" => '•',
        b"hellip" => '…',
        b"ndash" => '–',
        b"mdash" => '—',
        b"lsquo" => '‘',
        b"rsquo" => '’',
        b"ldquo" => '“',
        b"rdquo" => '”',
        _ => return None,
    })
}
