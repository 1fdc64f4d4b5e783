//! Where the message that a mail answers is copied below the answer, without a mark on each line.
//!
//! It starts with the first of these lines that is not quoted:
//!
//! * A *separator*: words of [`SEPARATORS`] between at least two hyphens on each side.
//! * A *header block* that is not directly below another header field, as Outlook and others write in many languages: the sender (`From:`, `Von:`,
//!   `De :`), then a date with year and time (`Sent:`, `Gesendet:`, `Envoyé :`), at least one other field (`To:`), and the
//!   subject; continued lines and single blank lines may be between. A line of underscores or hyphens above belongs to it.
//! * A *header block of Lotus Notes*: a line that ends with a date and time, and below it `To:` and `Subject:`; the line
//!   above it belongs to it if it has the name.
//! * An *attribution* that no quoted line follows: one to three lines that start with a word of
//!   [`OPENERS`], hold year, time, an address in angle brackets and a verb, and end with a colon; or one line of which the last
//!   words are `wrote on`, a date and a colon.
//!
//! What follows a line that says that a message is forwarded is no original message: it is what was sent.

use super::attribution::{ATTRIBUTION, OPENERS, is_quoted, is_verb};

/// Words of the line above an original message, in lower case.
const SEPARATORS: [&str; 27] = [
    "original message",
    "original appointment",
    "original e-mail",
    "original email",
    "reply message",
    "urspr\u{fc}ngliche nachricht",
    "urspr\u{fc}nglicher termin",
    "urspr. nachricht",
    "original-nachricht",
    "originalnachricht",
    "message d'origine",
    "message d\u{2019}origine",
    "message original",
    "mensaje original",
    "mensagem original",
    "messaggio originale",
    "oorspronkelijk bericht",
    "oprindelig meddelelse",
    "oprindelig besked",
    "opprinnelig melding",
    "ursprungligt meddelande",
    "alkuper\u{e4}inen viesti",
    "wiadomo\u{15b}\u{107} oryginalna",
    "p\u{16f}vodn\u{ed} zpr\u{e1}va",
    "\u{438}\u{441}\u{445}\u{43e}\u{434}\u{43d}\u{43e}\u{435} \u{441}\u{43e}\u{43e}\u{431}\u{449}\u{435}\u{43d}\u{438}\u{435}",
    "\u{539f}\u{59cb}\u{90ae}\u{4ef6}",
    "\u{c6d0}\u{bcf8} \u{ba54}\u{c2dc}\u{c9c0}",
];

/// Words of a line above a forwarded message, in lower case.
const FORWARDED: [&str; 14] = [
    "forwarded message",
    "forwarded by",
    "begin forwarded",
    "weitergeleitet",
    "message transf\u{e9}r\u{e9}",
    "message r\u{e9}exp\u{e9}di\u{e9}",
    "mensaje reenviado",
    "messaggio inoltrato",
    "mensagem encaminhada",
    "mensagem reencaminhada",
    "doorgestuurd bericht",
    "vidarebefordrat meddelande",
    "videresendt",
    "\u{43f}\u{435}\u{440}\u{435}\u{441}\u{44b}\u{43b}\u{430}\u{435}\u{43c}\u{43e}\u{435}",
];

/// Names of the fields of a header block: as written, since a text may have others in capitals.
const FROM: [&str; 16] = [
    "From",
    "Von",
    "De",
    "Da",
    "Van",
    "Od",
    "Fr\u{e5}n",
    "Fra",
    "Exp\u{e9}diteur",
    "L\u{e4}hett\u{e4}j\u{e4}",
    "Kimden",
    "\u{41e}\u{442}",
    "Felad\u{f3}",
    "\u{53d1}\u{4ef6}\u{4eba}",
    "\u{5dee}\u{51fa}\u{4eba}",
    "\u{bcf4}\u{b0b8} \u{c0ac}\u{b78c}",
];
const SENT: [&str; 34] = [
    "Sent",
    "Date",
    "Gesendet",
    "Gesendet am",
    "Datum",
    "Envoy\u{e9}",
    "Envoy\u{e9} le",
    "Enviado",
    "Enviado el",
    "Enviado em",
    "Enviada",
    "Enviada em",
    "Fecha",
    "Data",
    "Inviato",
    "Data invio",
    "Verzonden",
    "Verzonden op",
    "Skickat",
    "Sendt",
    "Dato",
    "Wys\u{142}ano",
    "Odesl\u{e1}no",
    "L\u{e4}hetetty",
    "P\u{e4}iv\u{e4}m\u{e4}\u{e4}r\u{e4}",
    "G\u{f6}nderildi",
    "Tarih",
    "Elk\u{fc}ldve",
    "\u{41e}\u{442}\u{43f}\u{440}\u{430}\u{432}\u{43b}\u{435}\u{43d}\u{43e}",
    "\u{414}\u{430}\u{442}\u{430}",
    "\u{53d1}\u{9001}\u{65f6}\u{95f4}",
    "\u{65e5}\u{671f}",
    "\u{9001}\u{4fe1}\u{65e5}\u{6642}",
    "\u{bcf4}\u{b0b8} \u{b0a0}\u{c9dc}",
];
const SUBJECT: [&str; 16] = [
    "Subject",
    "Betreff",
    "Objet",
    "Asunto",
    "Assunto",
    "Oggetto",
    "Onderwerp",
    "Temat",
    "P\u{159}edm\u{11b}t",
    "\u{c4}mne",
    "Emne",
    "Aihe",
    "\u{422}\u{435}\u{43c}\u{430}",
    "\u{4e3b}\u{9898}",
    "\u{4ef6}\u{540d}",
    "\u{c81c}\u{baa9}",
];

/// Most lines of a header block.
const BLOCK: usize = 30;

/// Where the original message starts; the length of the text if there is none.
pub(super) fn start(text: &str) -> usize {
    let mut lines = Lines { text, at: 0 };
    // The last two lines with words.
    let mut above: Vec<(usize, &str)> = Vec::new();
    let mut after_blank = true;
    while let Some((at, line)) = lines.next() {
        if line.trim().is_empty() || is_quoted(line) {
            after_blank = true;
            continue;
        }
        let rest = Lines { text, at: lines.at };
        let last = above.last().copied();
        let found = if is_separator(line) || is_attribution(line, rest.clone()) {
            Some(at)
        } else if (after_blank || !last.is_some_and(|(_, above)| is_field(above)))
            && is_header_block(line, rest.clone())
        {
            Some(last.filter(|(_, above)| is_rule(above)).map_or(at, |(at, _)| at))
        } else if is_notes_block(line, rest) {
            let is_name = |(_, above): &(usize, &str)| {
                above.len() < 60 && !above.trim_end().ends_with(['.', '!', '?', ':', ','])
            };
            let has_name = line
                .split_whitespace()
                .any(|word| word.chars().any(char::is_alphabetic) && word.len() > 2);
            Some(last.filter(|last| !has_name && is_name(last)).map_or(at, |(at, _)| at))
        } else {
            None
        };
        if let Some(start) = found {
            let is_forwarded = above.iter().rev().take(2).any(|(_, above)| is_forward(above));
            return if is_forwarded { text.len() } else { start };
        }
        if above.len() == 2 {
            above.remove(0);
        }
        above.push((at, line));
        after_blank = false;
    }
    text.len()
}

/// Lines with their starts.
#[derive(Clone)]
struct Lines<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Lines<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let (at, rest) = (self.at, &self.text[self.at..]);
        if rest.is_empty() {
            return None;
        }
        let length = memchr::memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |end| end + 1);
        self.at += length;
        Some((at, &rest[..length]))
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

fn is_forward(line: &str) -> bool {
    let line = line.to_lowercase();
    FORWARDED.iter().any(|words| line.contains(words))
}

/// Whether a line is drawn: of underscores or hyphens.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 5 && line.bytes().all(|byte| matches!(byte, b'_' | b'-'))
}

/// A field of a header block: its name and its value, without the asterisks of bold text.
fn field(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.trim_start().split_once([':', '\u{ff1a}'])?;
    let plain = |text: &str| {
        let start =
            text.len() - text.trim_start_matches(|c: char| c.is_whitespace() || c == '*').len();
        start..text.trim_end_matches(|c: char| c.is_whitespace() || c == '*').len().max(start)
    };
    (name.len() <= 40).then(|| (&name[plain(name)], &value[plain(value)]))
}

/// Whether a line is a header field like those of a whole header.
fn is_field(line: &str) -> bool {
    let is_name = |name: &str| !name.is_empty() && !name.contains(char::is_whitespace);
    field(line).is_some_and(|(name, value)| is_name(name) && !value.is_empty())
}

/// Whether a header block starts with this line: the sender, then the date, other fields, and the subject. Headers that are
/// copied into a text have another order, and digests no recipient.
fn is_header_block(line: &str, rest: Lines<'_>) -> bool {
    let is_from = |(name, value): (&str, &str)| FROM.contains(&name) && !value.is_empty();
    if !field(line).is_some_and(is_from) {
        return false;
    }
    let (mut sent, mut others, mut was_blank) = (false, 0, false);
    for (_, line) in rest.take(BLOCK) {
        if line.trim().is_empty() {
            if was_blank {
                return false;
            }
            was_blank = true;
            continue;
        }
        match field(line) {
            Some((name, value)) if !sent && SENT.contains(&name) && has_date(value) => sent = true,
            Some((name, _)) if sent && SUBJECT.contains(&name) => return others > 0,
            Some((name, _)) if FROM.contains(&name) => return false,
            Some((name, _)) if sent && (1..3).contains(&name.split_whitespace().count()) => {
                others += 1;
            }
            // An address or a list of recipients goes on.
            _ if !was_blank && (line.contains(['@', ';']) || line.starts_with([' ', '\t'])) => {}
            _ => return false,
        }
        was_blank = false;
    }
    false
}

fn is_notes_block(line: &str, rest: Lines<'_>) -> bool {
    if !ends_with_time(line) || !has_date(line) {
        return false;
    }
    let (mut to, mut lines) = (false, 0);
    for (_, line) in rest.take(BLOCK) {
        if line.trim().is_empty() {
            continue;
        }
        lines += 1;
        match field(line) {
            Some(("To", _)) => to = true,
            Some(("Subject", _)) => return to,
            Some(("cc" | "bcc" | "Cc" | "Bcc", _)) => {}
            _ if lines > 1 && to => {}
            _ => return false,
        }
    }
    false
}

/// Whether a line ends with a time, such as `10:01 AM`.
fn ends_with_time(line: &str) -> bool {
    let line = line.trim_end();
    let time =
        ["AM", "PM", "am", "pm"].iter().find_map(|half| line.strip_suffix(half)).unwrap_or(line);
    let word = time.trim_end().rsplit(char::is_whitespace).next().unwrap_or_default();
    word.len() >= 4
        && has_time(word)
        && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b':')
}

/// Whether an attribution starts with this line, and no quoted line follows it.
fn is_attribution(line: &str, rest: Lines<'_>) -> bool {
    let line = line.trim_start_matches([' ', '\t', '-']);
    let first = line.split_whitespace().next().unwrap_or_default();
    let is_opened = OPENERS.contains(&first);
    if !is_opened && !line.contains(" wrote on ") {
        return false;
    }
    let mut block = String::new();
    let mut after = rest.clone();
    let mut lines = std::iter::once(line).chain(rest.map(|(_, line)| line));
    for number in 1..=ATTRIBUTION.1 {
        let Some(line) = lines.next() else { return false };
        if number > 1 {
            after.next();
        }
        if line.trim().is_empty() || is_quoted(line) {
            return false;
        }
        block.push_str(line.trim_end());
        if block.len() > ATTRIBUTION.0 {
            return false;
        }
        if let Some(words) = block.trim_end_matches(['-', ' ']).strip_suffix([':', '\u{ff1a}']) {
            let is_dated = has_date(words);
            let has_address = words.contains('@') && words.contains(['<', '[']);
            let by_verb = is_opened && has_address && words.split_whitespace().any(is_verb);
            let by_date = words.rsplit_once(" wrote on ").is_some_and(|(_, date)| has_date(date));
            if !is_dated || !(by_verb || by_date) {
                return false;
            }
            let next = after.map(|(_, line)| line).find(|line| !line.trim().is_empty());
            return next.is_some_and(|line| !is_quoted(line));
        }
        block.push(' ');
    }
    false
}

/// Whether a text has a time and a year, or a date such as `11/23/26`.
pub(super) fn has_date(text: &str) -> bool {
    has_time(text) && has_year(text)
}

/// Whether there is `10:01`, or `10.01` that is no part of a date.
fn has_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    (1..bytes.len()).any(|at| {
        let is_between = digit(at - 1) && digit(at + 1) && digit(at + 2) && !digit(at + 3);
        match bytes[at] {
            b':' => is_between,
            b'.' => {
                let start = bytes[..at].iter().rposition(|byte| !byte.is_ascii_digit());
                let before = start.map_or(b' ', |start| bytes[start]);
                let length = at - start.map_or(0, |start| start + 1);
                is_between && length <= 2 && before != b'.' && bytes.get(at + 3) != Some(&b'.')
            }
            _ => false,
        }
    })
}

/// Whether there is a year, or a date with two slashes.
fn has_year(text: &str) -> bool {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit());
    let is_year =
        |number: &str| number.len() == 4 && (number.starts_with("19") || number.starts_with("20"));
    numbers.any(is_year)
        || text.split_whitespace().any(|word| {
            let parts = word.trim_matches(|c: char| !c.is_ascii_digit()).split('/');
            let mut count = 0;
            let digits =
                |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            parts.inspect(|_| count += 1).all(digits) && count == 3
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTLOOK: &str = "From: Bob <b@b.example>\nSent: Monday, November 23, 2026 10:01 AM\nTo: Ann\nSubject: x\n\nq\n";

    #[test]
    fn original_messages_are_found() {
        let own = "yes\n\nAnn\n\n";
        for quote in [
            OUTLOOK,
            &format!("_____\n{OUTLOOK}"),
            &format!("--------\n\n{OUTLOOK}"),
            &OUTLOOK.replace('\n', "\r\n"),
            "Von: Bob\nGesendet: Montag, 23. November 2026 10:01\nAn: Ann\nBetreff: x\n\nq",
            "De\u{a0}: Bob\nEnvoy\u{e9}\u{a0}: lundi 23 novembre 2026 10:01\n\u{c0}\u{a0}: Ann\nObjet\u{a0}: x\nq",
            "De: Bob\nEnviado el: lunes, 23 de noviembre de 2026 10:01\nPara: Ann\nCC: Carl\nAsunto: x\nq",
            "Da: Bob\nInviato: luned\u{ec} 23 novembre 2026 10:01\nA: Ann\nOggetto: x\nq",
            "Fra: Bob\nSendt: 23. november 2026 10.01\nTil: Ann\nEmne: x\nq",
            "\u{53d1}\u{4ef6}\u{4eba}: Bob\n\u{53d1}\u{9001}\u{65f6}\u{95f4}: 2026\u{5e74}11\u{6708}23\u{65e5} 10:01\n\u{6536}\u{4ef6}\u{4eba}: Ann\n\u{4e3b}\u{9898}: x\nq",
            "*From:* Bob\n\n*Sent:* Mon 11/23/26 10:01\n\n*To:* Ann;\n Carl\n\n*Subject:* x\n\nq",
            "----- Urspr\u{fc}ngliche Nachricht -----\nq",
            "On Mon, Nov 23, 2026 at 10:01 AM Bob <b@b.example>\nwrote:\n\nq",
            "--- On Mon, 11/23/26 10:01, Bob <b@b.example> wrote:\nq",
            "Bob/HOU wrote on 11/23/2026 10:01:12 AM:\n\nq",
            "Bob Miller\n11/23/2026 10:01 AM\n\n\tTo: Ann\n\tcc: \n\tSubject: x\n\nq",
        ] {
            assert_eq!(start(&format!("{own}{quote}")), own.len(), "{quote}");
        }
    }

    #[test]
    fn other_texts_are_none() {
        for text in [
            "From: Berlin\nDate: 23 November 2026 10:01\nTo: Paris\n\nq",
            "From: Bob\nSubject: x\nTo: Ann\n\nq",
            "From: Bob\nSent: yesterday\nSubject: x\n\nq",
            // Headers that are copied, and digests.
            "From: Bob\nTo: Ann\nSubject: x\nDate: Mon, 23 Nov 2026 10:01:00 +0000\n\nq",
            "Message-ID: <1@b>\nFrom: Bob\nDate: Mon, 23 Nov 2026 10:01:00 +0000\nTo: Ann\nSubject: x\n\nq",
            "-------\nFrom: Bob\nDate: Mon, 23 Nov 2026 10:01:00 +0000\nSubject: x\n\nq",
            "From: list\nDate: Mon, 23 Nov 2026 10:01:00 +0000\nTo: Ann\nFrom: Bob\nSubject: x\n\nq",
            "FROM: Bob\nDATE: November 23, 2026 10:01\nSUBJECT: x\n\nq",
            "From: Bob\n\n\nSent: November 23, 2026 10:01\nSubject: x\n\nq",
            "From: Bob\nwe left.\nSent: November 23, 2026 10:01\nSubject: x\n\nq",
            "________\nlist mailing list\nhttp://a.example/\n",
            "On Monday the president wrote:\n\nq",
            "On 3 May 2026 at 10:30 the president wrote:\n\nq",
            "On Nov 23, 2026, at 10:01, Bob <b@b.example> wrote:\n\n> q\n",
            "The meeting is on 11/23/2026 10:01 AM\n\nTo: be decided\n\nq",
            &format!("---------- Forwarded message ---------\n{OUTLOOK}"),
            &format!("Begin forwarded message:\n\n{OUTLOOK}"),
            &OUTLOOK.replace("\n", "\n> ").replace("From", "> From"),
        ] {
            let text = format!("yes\n\n{text}");
            assert_eq!(start(&text), text.len(), "{text}");
        }
    }

    #[test]
    fn dates_have_a_time_and_a_year() {
        for date in ["10:01 2026", "23.11.2026 10.01", "11/23/26 9:05", "2026\u{5e74} 10:01"] {
            assert!(has_date(date), "{date}");
        }
        for not in ["10:01", "23.11.2026", "2026", "1/2 10:01", "10:0 2026", ""] {
            assert!(!has_date(not), "{not}");
        }
    }
}
