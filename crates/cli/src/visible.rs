//! Text that names files, arguments and documents, made safe to print on a terminal.
//!
//! Such names may hold escape sequences that move the cursor, change colours or hide what follows,
//! and characters that reverse the direction of text. They are printed as escapes, as Rust writes
//! them.

use std::io::Write;

/// Whether a terminal interprets a character instead of showing it. Line ends and tabs are allowed.
fn acts(c: char) -> bool {
    let directs =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    directs || (c.is_control() && c != '\n' && c != '\t')
}

/// The text with characters that a terminal would interpret replaced by escapes.
///
/// `\u{1b}[2J` becomes `\\u{1b}[2J`, eight characters that can be seen.
pub(crate) fn visible(text: &str) -> String {
    let mut seen = String::with_capacity(text.len());
    for c in text.chars() {
        match acts(c) {
            true => seen.extend(c.escape_default()),
            false => seen.push(c),
        }
    }
    seen
}

/// The text of which [`visible`] makes this one, if that is another text.
pub(crate) fn hidden(seen: &str) -> Option<String> {
    let (mut text, mut rest, mut is_other) = (String::with_capacity(seen.len()), seen, false);
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        match escaped(rest).filter(|&(c, _)| acts(c)) {
            Some((c, behind)) => {
                text.push(c);
                (rest, is_other) = (behind, true);
            }
            None => {
                text.push('\\');
                rest = &rest[1..];
            }
        }
    }
    text.push_str(rest);
    is_other.then_some(text)
}

/// The character whose escape begins a text, and what is behind it.
fn escaped(text: &str) -> Option<(char, &str)> {
    if let Some(behind) = text.strip_prefix("\\r") {
        return Some(('\r', behind));
    }
    let (digits, behind) = text.strip_prefix("\\u{")?.split_once('}')?;
    Some((char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, behind))
}

/// Writes JSON with such characters as JSON escapes; parsers read the same strings.
pub(crate) fn write_json(out: &mut impl Write, json: &str) -> std::io::Result<()> {
    let mut seen = String::with_capacity(json.len());
    for c in json.chars() {
        match acts(c) {
            true => seen.push_str(&format!("\\u{:04x}", u32::from(c))),
            false => seen.push(c),
        }
    }
    out.write_all(seen.as_bytes())
}

/// Writes a value as indented JSON of several lines.
pub(crate) fn write_pretty(
    out: &mut impl Write,
    value: &(impl serde::Serialize + ?Sized),
) -> anyhow::Result<()> {
    write_json(out, &serde_json::to_string_pretty(value)?)?;
    Ok(writeln!(out)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_acts_on_is_seen_as_an_escape() {
        assert_eq!(visible("größer\n\t東京"), "größer\n\t東京");
        let hostile = "a\u{1b}[2Jb\rc\u{9b}31m\u{7f}\u{202e}txt.exe\u{8}";
        let seen = visible(hostile);
        assert!(!seen.chars().any(acts), "{seen:?}");
        assert!(seen.contains("\\u{1b}[2J") && seen.contains("\\u{202e}txt"), "{seen}");
        assert_eq!(hidden(&seen).as_deref(), Some(hostile));
        for plain in ["größer\n\t", "a\\b", "\\u{41}", "\\u{1b", "\\u{}", "\\n", "\\"] {
            assert_eq!(hidden(plain), None, "{plain}");
        }
        assert_eq!(hidden("\\\\u{1b}\\x").as_deref(), Some("\\\u{1b}\\x"));
        let mut json = Vec::new();
        write_json(&mut json, &serde_json::to_string_pretty(&[hostile]).unwrap()).unwrap();
        let json = String::from_utf8(json).unwrap();
        assert!(!json.chars().any(acts), "{json:?}");
        assert_eq!(serde_json::from_str::<[String; 1]>(&json).unwrap(), [hostile]);
    }
}
