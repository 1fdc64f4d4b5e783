//! Quoted text and signatures of a part's text, dropped if the options say so.
//!
//! * A *quoted line* starts with `>`, after any spaces and tabs.
//! * An *attribution* is what a mail client writes directly above quoted lines (one blank line may be
//!   between): one line that ends with a verb of `VERBS` and a colon; up to three lines that start
//!   with a word of [`OPENERS`], have such a verb and end with a colon; or up to three lines that start with a date
//!   and end with an address in angle brackets and a colon.
//! * An *original message* ([`original`]) takes all of the part after its start, of a message that is not forwarded.
//! * A *signature* starts with the last line `-- ` (RFC 3676, section 4.3) before an original message, and
//!   ends before the first quoted line after it, or with the part.
//!
//! Quotes are quoted lines, their attributions and original messages.

use super::MailOptions;
use super::attribution::{ATTRIBUTION, OPENERS, is_quoted, is_verb};
use super::original;
use crate::KeepOrDrop;

/// Whether something may be dropped.
pub(super) fn is_needed(options: &MailOptions) -> bool {
    options.quotes == KeepOrDrop::Drop || options.signatures == KeepOrDrop::Drop
}

/// Appends the part's text, with line ends LF, without what is dropped. Of a forwarded message, the
/// original message is what was sent.
pub(super) fn push(text: &str, options: &MailOptions, is_forwarded: bool, out: &mut String) {
    let start = out.len();
    let original = original::start(text);
    let mut signature = None;
    let mut place = 0;
    for line in text[..original].split_inclusive('\n') {
        if line.trim_end_matches(['\r', '\n']) == "-- " {
            signature = Some(place);
        }
        place += line.len();
    }
    let is_dropped = options.quotes == KeepOrDrop::Drop && !is_forwarded;
    let is_whole = original < text.len() && text[..original].trim().is_empty();
    let own = if is_dropped || original == text.len() { original } else { text.len() };
    let own = if is_whole { text.len() } else { own };
    let (mut place, mut in_signature, mut was_quoted) = (0, false, false);
    for line in text[..own].split_inclusive('\n') {
        if place == original {
            out.push_str(&text[original..own]);
            return;
        }
        let quoted = is_quoted(line);
        in_signature = !quoted && (in_signature || signature == Some(place));
        place += line.len();
        let dropped = match (quoted, in_signature) {
            (true, _) => options.quotes,
            (_, true) => options.signatures,
            _ => KeepOrDrop::Keep,
        };
        if quoted && !was_quoted && dropped == KeepOrDrop::Drop {
            drop_attribution(start, out);
        }
        was_quoted = quoted;
        if dropped == KeepOrDrop::Keep {
            out.push_str(line);
        }
    }
}

/// Removes the attribution at the end of the text after `start`, if there is one.
fn drop_attribution(start: usize, out: &mut String) {
    let text = &out[start..];
    let above = text.strip_suffix('\n').unwrap_or(text);
    // One blank line.
    let above = match above.rsplit_once('\n') {
        Some((before, last)) if last.trim().is_empty() => before,
        _ => above,
    };
    let mut first = above.len();
    let mut single = None;
    for lines in 1..=ATTRIBUTION.1 {
        if first == 0 && lines > 1 {
            break;
        }
        let end = if lines == 1 { first } else { first - 1 };
        let begin = above[..end].rfind('\n').map_or(0, |at| at + 1);
        if above[begin..end].trim().is_empty() || above.len() - begin > ATTRIBUTION.0 {
            break;
        }
        first = begin;
        let Some(block) = above[first..].trim_end().strip_suffix([':', '\u{ff1a}']) else { return };
        if block.ends_with('>') && block.contains('@') && original::has_date(block) {
            let end = block.find('\n').unwrap_or(block.len());
            if original::has_date(&block[..end]) {
                out.truncate(start + first);
                return;
            }
        }
        let mut words = block.split_whitespace();
        if lines == 1 && words.clone().next_back().is_some_and(is_verb) {
            single = Some(first);
        }
        if words.next().is_some_and(|word| OPENERS.contains(&word)) && words.any(is_verb) {
            out.truncate(start + first);
            return;
        }
    }
    if let Some(first) = single {
        out.truncate(start + first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use KeepOrDrop::{Drop, Keep};

    fn pushed(text: &str, quotes: KeepOrDrop, signatures: KeepOrDrop) -> String {
        let mut out = "before wrote:\n".to_owned();
        let options = MailOptions { quotes, signatures, ..MailOptions::default() };
        push(text, &options, false, &mut out);
        out.strip_prefix("before wrote:\n").unwrap().to_owned()
    }

    #[test]
    fn quotes_are_dropped_with_their_attributions() {
        for (text, expected) in [
            ("a\n> b\n >> c\nd\n", "a\nd\n"),
            ("a\n\nAnn wrote:\n> b\nc", "a\n\nc"),
            ("a\nAm Mo., 1. Mai 2026 schrieb Ann:\n> b\n", "a\n"),
            ("On top:\n> b\nc", "On top:\nc"),
            ("a\nOn 1 May, Ann <a@b>\nwrote:\n\n> b\n", "a\n"),
            ("a\nLe 1 mai, Ann <a@b>\nBob et Cem <c@d>\na \u{e9}crit :\n> b\n", "a\n"),
            ("This text\nis what Ann wrote:\n> b\n", "This text\n"),
            ("On one\ntwo\nthree\nAnn wrote:\n> b\n", "On one\ntwo\nthree\n"),
            ("Ann wrote:\n\n\n> b\n", "Ann wrote:\n\n\n"),
            ("Ann wrote:\nb\n> c\n", "Ann wrote:\nb\n"),
            ("> a\n", ""),
            ("a\n-----Original Message-----\nFrom: b\n\nc\n", "a\n"),
            ("a\n -- original  message --\nb\n", "a\n -- original  message --\nb\n"),
            ("a\nman. 23. nov. 2026 kl. 10.01 skrev Bob B <b@b.example>:\n\n> b\n", "a\n"),
            (
                "a\n\u{43f}\u{43d}, 23 \u{43d}\u{43e}\u{44f}\u{431}. 2026 \u{433}. \u{432} 10:01, Bob <\nb@b.example>:\n> b\n",
                "a\n",
            ),
            (
                "a\n2026\u{5e74}11\u{6708}23\u{65e5}(\u{6708}) 10:01 Bob <b@b.example>:\n> b\n",
                "a\n",
            ),
            (
                "a\n\u{5728} 2026\u{5e74}11\u{6708}23\u{65e5}\u{ff0c}Bob <b@b.example> \u{5199}\u{9053}\u{ff1a}\n\n> b\n",
                "a\n",
            ),
            ("a\nW dniu 23.11.2026 o 10:01, Bob pisze:\n> b\n", "a\n"),
            ("a\nDne 23. 11. 2026 v 10:01 Bob napsal(a):\n> b\n", "a\n"),
            ("Write to Bob <b@b.example>:\n> b\n", "Write to Bob <b@b.example>:\n"),
            ("", ""),
        ] {
            assert_eq!(pushed(text, Drop, Keep), expected, "{text}");
            assert_eq!(pushed(text, Keep, Keep), text);
        }
    }

    #[test]
    fn the_original_message_of_a_forwarded_message_is_kept() {
        let original = "-----Original Message-----\nFrom: b\n\nc\n> d\n-- \ne\n";
        let options = MailOptions { quotes: Drop, signatures: Drop, ..MailOptions::default() };
        for (text, is_forwarded, expected) in [
            (format!("a\n{original}"), false, "a\n".to_owned()),
            (format!("a\n> b\n{original}"), true, format!("a\n{original}")),
            // Nothing of its own.
            (format!("\n \n{original}"), false, format!("\n \n{original}")),
        ] {
            let mut out = String::new();
            push(&text, &options, is_forwarded, &mut out);
            assert_eq!(out, expected);
        }
    }

    #[test]
    fn signatures_end_before_quotes() {
        for (text, expected) in [
            ("a\n-- \nAnn\n", "a\n"),
            ("a\n--\nAnn\n", "a\n--\nAnn\n"),
            ("a\n-- \nb\n-- \r\nAnn", "a\n-- \nb\n"),
            ("a\n-- \nAnn\n> b\nc\n", "a\n> b\nc\n"),
            (
                "a\n-- \nAnn\n--- Original Message ---\nb\n-- \nc\n",
                "a\n--- Original Message ---\nb\n-- \nc\n",
            ),
            ("> a\n> -- \n> Ann\nb", "> a\n> -- \n> Ann\nb"),
        ] {
            assert_eq!(pushed(text, Keep, Drop), expected, "{text}");
        }
        let both = "a\n-- \nAnn\n\nBob wrote:\n> b\n> -- \n> Bob\nc\n";
        assert_eq!(pushed(both, Drop, Drop), "a\nc\n");
    }
}
