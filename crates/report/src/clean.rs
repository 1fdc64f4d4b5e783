//! Makes untrusted text safe and short enough to show.
//!
//! Characters with an effect instead of a glyph (control codes, which move a terminal's cursor;
//! marks that change the direction of the text after them; code points that are not characters)
//! become visible ones. HTML is escaped by the template, not here. Both functions stop reading at
//! their limit, so their cost does not depend on the length of the text.

/// Characters shown of a name.
pub const MEDIUM: usize = 120;
/// Characters shown of longer names.
pub const LONG: usize = 160;

/// One line: all white space is a single space, none at the ends; at most `limit` characters and an
/// ellipsis.
#[must_use]
pub fn line(text: &str, limit: usize) -> String {
    let mut out = Limited::new(limit);
    let mut space = false;
    for c in text.chars() {
        if c.is_whitespace() {
            space = true;
            continue;
        }
        if std::mem::take(&mut space) && !out.text.is_empty() {
            out.push(' ');
        }
        if !out.push(c) {
            break;
        }
    }
    out.finish()
}

/// The beginning of a text, at most `most` bytes of it.
pub(crate) fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// Whether an address may be a link.
pub(crate) fn may_be_link(url: &str) -> bool {
    address(Some(url)).1
}

/// An address as it is shown, and whether it may be a link.
#[must_use]
pub fn address(url: Option<&str>) -> (String, bool) {
    let Some(url) = url else { return (String::new(), false) };
    let shown = line(url, LONG);
    // Only an address that is shown in full, and unchanged, may be a link.
    let web = ["http://", "https://"].iter().any(|scheme| url.starts_with(scheme));
    let link = web && shown == url;
    (shown, link)
}

/// Part of a text: line breaks stay, though not more than one at a time, and indentation up to a
/// point; at most `limit` characters and an ellipsis.
#[must_use]
pub fn block(text: &str, limit: usize) -> String {
    const INDENT: usize = 8;
    let mut out = Limited::new(limit);
    let mut spaces = 0;
    let mut breaks = false;
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\u{2028}' | '\u{2029}' => {
                breaks = true;
                spaces = 0;
                continue;
            }
            c if c.is_whitespace() => {
                spaces += 1;
                continue;
            }
            _ => {}
        }
        flush(&mut out, &mut breaks, &mut spaces, INDENT);
        if !out.push(c) {
            return out.finish();
        }
    }
    flush(&mut out, &mut breaks, &mut spaces, INDENT);
    out.finish()
}

fn flush(out: &mut Limited, breaks: &mut bool, spaces: &mut usize, indent: usize) {
    if std::mem::take(breaks) {
        out.push('\n');
    }
    for _ in 0..std::mem::take(spaces).min(indent) {
        out.push(' ');
    }
}

struct Limited {
    text: String,
    left: usize,
    full: bool,
}

impl Limited {
    fn new(limit: usize) -> Self {
        Self { text: String::new(), left: limit, full: false }
    }

    /// Appends a character; returns whether it was within the limit.
    fn push(&mut self, c: char) -> bool {
        self.full |= self.left == 0;
        if self.full {
            return false;
        }
        self.left -= 1;
        match visible(c) {
            Shown::As(c) => self.text.push(c),
            Shown::ByNumber => {
                self.text.push_str(&format!("⟨U+{:04X}⟩", u32::from(c)));
                // It is replaced by the eight characters of its code point.
                self.left = self.left.saturating_sub(7);
            }
        }
        true
    }

    fn finish(mut self) -> String {
        if self.full {
            self.text.push('…');
        }
        self.text
    }
}

enum Shown {
    As(char),
    ByNumber,
}

fn visible(c: char) -> Shown {
    match c {
        '\n' | '\t' => Shown::As(c),
        // Control pictures.
        '\0'..='\x1f' => Shown::As(char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}')),
        '\x7f' => Shown::As('\u{2421}'),
        '\u{80}'..='\u{9f}' => Shown::As('\u{fffd}'),
        // Direction marks, overrides, isolates; invisible operators; the byte order mark; tags.
        '\u{061c}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => Shown::ByNumber,
        c if matches!(u32::from(c), 0xfdd0..=0xfdef) || u32::from(c) & 0xfffe == 0xfffe => {
            Shown::As('\u{fffd}')
        }
        c => Shown::As(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_with_an_effect_become_visible() {
        assert_eq!(line("a\0b\x1b[2Jc", 99), "a␀b␛[2Jc");
        assert_eq!(line("invoice\u{202e}fdp.exe", 99), "invoice⟨U+202E⟩fdp.exe");
        assert_eq!(line("\u{feff}x\u{ffff}\u{9b}", 99), "⟨U+FEFF⟩x\u{fffd}\u{fffd}");
        assert_eq!(line("नमस्ते 👩‍👩‍👧", 99), "नमस्ते 👩‍👩‍👧", "joiners are part of writing");
    }

    #[test]
    fn white_space_in_lines_and_blocks() {
        assert_eq!(line("  a \r\n\t b ", 99), "a b");
        assert_eq!(block(" a \r\n\n\n\t b\n", 99), " a\n  b\n");
        assert_eq!(block(&format!("a{}b", " ".repeat(500)), 99), "a        b");
        assert_eq!(block(", ", 99), ", ");
    }

    #[test]
    fn limits_count_characters_and_never_split_one() {
        assert_eq!(line("äöü", 3), "äöü");
        assert_eq!(line("äöüß", 3), "äöü…");
        assert_eq!(block("äöüß", 2), "äö…");
        assert!(line(&"\u{202e}".repeat(1000), 80).chars().count() <= 88);
        assert_eq!(line(&"x".repeat(1 << 20), 5), "xxxxx…");
    }

    #[test]
    fn only_plain_web_addresses_become_links() {
        assert_eq!(
            address(Some("https://a.example/x?y=1")),
            ("https://a.example/x?y=1".into(), true)
        );
        assert!(!address(Some("javascript:alert(1)")).1);
        assert!(!address(Some("https://a.example/\u{202e}gpj.exe")).1);
        assert!(!address(Some(&format!("https://a.example/{}", "x".repeat(1000)))).1);
        assert!(!address(None).1);
    }
}
