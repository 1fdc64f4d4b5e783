//! Quoted text and signatures of a plain text part, dropped if the options say so.
//!
//! * A *quoted line* starts with `>`, after any spaces and tabs.
//! * An *attribution* is what a mail client writes directly above quoted lines (one blank line may be
//!   between): one line that ends with a verb of [`VERBS`] and a colon, or up to three lines that start
//!   with a word of [`OPENERS`], have such a verb and end with a colon.
//! * An *original message* starts with a separator line of [`SEPARATORS`] between at least two hyphens on
//!   each side, and takes all of the part after it.
//! * A *signature* starts with the last line `-- ` (RFC 3676, section 4.3) before an original message, and
//!   ends before the first quoted line after it, or with the part.
//!
//! Quotes are quoted lines, their attributions and original messages.

use super::MailOptions;
use crate::KeepOrDrop;

/// Last words of an attribution, in lower case.
const VERBS: [&str; 9] = [
    "wrote",
    "writes",
    "said",
    "schrieb",
    "\u{e9}crit",
    "escribi\u{f3}",
    "scritto",
    "escreveu",
    "schreef",
];

/// First words of an attribution of several lines.
const OPENERS: [&str; 8] = ["On", "Am", "Le", "El", "Il", "Em", "Op", "At"];

/// Words of the line above an original message, in lower case.
const SEPARATORS: [&str; 5] = [
    "original message",
    "original appointment",
    "urspr\u{fc}ngliche nachricht",
    "message d'origine",
    "mensaje original",
];

/// Longest attribution in bytes, and its most lines.
const ATTRIBUTION: (usize, usize) = (300, 3);

/// Whether something may be dropped.
pub(super) fn is_needed(options: &MailOptions) -> bool {
    options.quotes == KeepOrDrop::Drop || options.signatures == KeepOrDrop::Drop
}

/// Appends the part's text, with line ends LF, without what is dropped.
pub(super) fn push(text: &str, options: &MailOptions, out: &mut String) {
    let start = out.len();
    let mut place = 0;
    let (mut original, mut signature) = (text.len(), None);
    for line in text.split_inclusive('\n') {
        if is_separator(line) {
            original = place;
            break;
        }
        if line.trim_end_matches(['\r', '\n']) == "-- " {
            signature = Some(place);
        }
        place += line.len();
    }
    let (mut place, mut in_signature, mut was_quoted) = (0, false, false);
    for line in text[..original].split_inclusive('\n') {
        let quoted = line.trim_start_matches([' ', '\t']).starts_with('>');
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
    if options.quotes == KeepOrDrop::Keep {
        out.push_str(&text[original..]);
    }
}

/// Whether a line is above an original message.
fn is_separator(line: &str) -> bool {
    let line = line.trim();
    if !line.starts_with("--") || !line.ends_with("--") {
        return false;
    }
    let words = line.trim_matches('-').trim().to_lowercase();
    SEPARATORS.contains(&words.as_str())
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
        let Some(words) = above[first..].trim_end().strip_suffix(':') else { return };
        let mut words = words.split_whitespace();
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

/// Whether a word is the verb of an attribution.
fn is_verb(word: &str) -> bool {
    VERBS.contains(&word.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use KeepOrDrop::{Drop, Keep};

    fn pushed(text: &str, quotes: KeepOrDrop, signatures: KeepOrDrop) -> String {
        let mut out = "before wrote:\n".to_owned();
        push(text, &MailOptions { quotes, signatures, html: Keep }, &mut out);
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
            ("", ""),
        ] {
            assert_eq!(pushed(text, Drop, Keep), expected, "{text}");
            assert_eq!(pushed(text, Keep, Keep), text);
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
