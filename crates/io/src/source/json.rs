//! Parses a line of JSON into a record.
//!
//! Only wanted members are built; all other values are skipped at any depth. Text is borrowed from
//! the line, or unescaped into a reused buffer.
//!
//! If an object has a member twice, the last one counts, as in JavaScript and Python. Skipped
//! values must be well-formed JSON, but their strings may contain escapes of lone surrogates.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::{Content, FieldNumber, RecordView};

use super::fields::{Fields, number, shown};

/// The value of a wanted member.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum Value<'a> {
    #[default]
    Missing,
    /// `null`; of members that are text.
    Null,
    /// A string that is borrowed from the line.
    Borrowed(&'a str),
    /// A string that was unescaped into the slot's buffer; of any member.
    Buffered,
    /// Any other kind of value; of members that are text.
    Other(&'static str),
    /// As written, without escapes; of members that are not text.
    Raw(&'a str),
}

/// Buffers for the strings of one record, one for each slot.
pub(super) type Buffers = Vec<String>;

/// A syntax error: its offset in the line, and a message.
pub(super) type Fault = (usize, String);

/// Parses the wanted members of the object on this line.
pub(super) fn parse<'a>(
    line: &'a [u8],
    fields: &Fields<'_>,
    values: &mut [Value<'a>],
    buffers: &mut [String],
) -> Result<(), Fault> {
    // Files that were joined with `cat` have byte order marks in the middle.
    let mark = if line.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let line = simdutf8::compat::from_utf8(&line[mark..]).map_err(|e| {
        let at = mark + e.valid_up_to();
        (at, format!("invalid UTF-8 at column {}; save the file as UTF-8", at + 1))
    })?;
    values.fill(Value::Missing);
    let mut parser = serde_json::Deserializer::from_str(line);
    let object = Object { line, fields, values, buffers };
    object.deserialize(&mut parser).and_then(|()| parser.end()).map_err(|e| fault(&e, line, mark))
}

fn fault(error: &serde_json::Error, line: &str, mark: usize) -> Fault {
    let words = error.to_string();
    let mut column = mark + error.column();
    // serde_json reports a skipped value before the character, and a parsed one after it.
    if words.contains("control character") {
        let from = error.column().saturating_sub(1);
        let at = line.bytes().skip(from).position(|byte| byte < b' ');
        column = mark + from + at.map_or(1, |at| at + 1);
    }
    let message = match line.trim_ascii_start().bytes().next() {
        Some(b'[') => {
            "an array, not a JSON object; one object a line is needed (jq -c '.[]' makes \
                       that of an array)"
                .to_string()
        }
        _ if error.is_eof() => {
            "the line ends inside a JSON value: cut off, or an object over several lines (jq -c . \
             makes one line of each)"
                .to_string()
        }
        Some(first) if words.starts_with("invalid type") => {
            let kind = match first {
                b'"' => "a string",
                b'n' => "null",
                b't' | b'f' => "true or false",
                _ => "a number",
            };
            format!("{kind}, not a JSON object; one object a line is needed")
        }
        Some(first) if first != b'{' => format!(
            "invalid JSON at column {column}: not an object in braces; one object a line is needed, \
             and the setting input_format names another form"
        ),
        _ => {
            // Errors in skipped values have one message, whatever is missing.
            let at = line.as_bytes().get(error.column().wrapping_sub(1));
            let words = match at {
                Some(b']') if words.contains("expected value") => "trailing comma",
                _ => &words,
            };
            format!("invalid JSON at column {column}: {}", plain(words))
        }
    };
    (column.saturating_sub(1), message)
}

/// The message of the parser, with a remedy.
fn plain(words: &str) -> &str {
    /// Parts of serde_json's messages, and what they mean.
    const MEANINGS: &[(&str, &str)] = &[
        ("control character", "control character in a string; write it as an escape such as \\n"),
        // Other messages about half pairs depend on the bytes that follow.
        ("hex escape", "half of a surrogate pair in an escape; write both halves or neither"),
        ("unicode code point", "an escape that is no Unicode character; remove it"),
        ("invalid escape", "an unknown escape; write a backslash as \\\\"),
        ("key must be a string", "a member name that is not in double quotes; quote it"),
        ("expected `:`", "no colon after a member name; add it"),
        ("expected `,` or", "neither a comma nor the end after a value; look for a missing quote"),
        ("trailing comma", "a comma after the last value; remove it"),
        (
            "trailing characters",
            "trailing data after the JSON object; expected one object per line",
        ),
        ("invalid number", "invalid number; write 0.5, not .5 or 00.5"),
        ("expected ident", "unknown word; only true, false and null are written without quotes"),
        ("expected value", "not a JSON value; write null for NaN, None and undefined"),
    ];
    let known = MEANINGS.iter().find(|(part, _)| words.contains(part));
    known.map_or(words, |(_, meaning)| meaning)
}

/// The members of an object without text, to choose a field from.
fn members(line: &[u8]) -> Vec<String> {
    /// Most members named.
    const SHOWN: usize = 10;
    let mut names: Vec<String> =
        member_names(line, SHOWN + 1).iter().map(|name| shown(name)).collect();
    if names.len() > SHOWN {
        names[SHOWN] = "...".to_string();
    }
    names
}

/// The names of an object's members, at most `most`; of an invalid object, those before the error.
pub(super) fn member_names(line: &[u8], most: usize) -> Vec<String> {
    struct Names {
        found: Vec<String>,
        most: usize,
    }
    impl<'a> Visitor<'a> for &mut Names {
        type Value = ();
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a JSON object")
        }
        fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
            while let Some(Str(name)) = map.next_key()? {
                self.found.push(name.into_owned());
                if self.found.len() == self.most {
                    return Ok(());
                }
                map.next_value::<IgnoredAny>()?;
            }
            Ok(())
        }
    }
    let mut names = Names { found: Vec::new(), most };
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    // Stopping early is no failure, and syntax errors are reported when the line is parsed.
    let _ = serde_json::Deserializer::from_slice(line).deserialize_map(&mut names);
    names.found
}

/// Makes a record of the values. `buffers` hold unescaped strings; the line is read again only to
/// list its members if there is no text.
pub(super) fn record<'a>(
    fields: &Fields<'_>,
    values: &[Value<'a>],
    buffers: &'a [String],
    extra: &'a mut Vec<FieldNumber>,
    line: &[u8],
) -> Result<RecordView<'a>, String> {
    let text = |slot: usize| match values[slot] {
        Value::Borrowed(text) => Some(Cow::Borrowed(text)),
        Value::Buffered => Some(Cow::Borrowed(buffers[slot].as_str())),
        // Without escapes, or it would be in the buffer.
        Value::Raw(raw) => raw.strip_prefix('"')?.strip_suffix('"').map(Cow::Borrowed),
        _ => None,
    };
    let written = |slot: usize| match values[slot] {
        Value::Raw(raw) if is_number(raw) => Some(Cow::Borrowed(raw)),
        _ => text(slot),
    };
    let content = match (text(fields.text), values[fields.text]) {
        (Some(text), _) => Content::Text(text),
        (None, other) => match (text(fields.html), other) {
            (Some(html), _) => Content::Html(html),
            (None, Value::Other(kind)) => {
                let name = fields.names[fields.text];
                return Err(format!(
                    "`{name}` is {kind}, not a string; name the text with the setting text_field"
                ));
            }
            (None, Value::Null) => return Err(fields.null_text()),
            (None, _) => return Err(fields.no_text(&members(line))),
        },
    };
    let id = match (values[fields.id], written(fields.id)) {
        (Value::Raw("null") | Value::Missing, _) => None,
        (_, Some(id)) => Some(id).filter(|id| !id.is_empty()),
        (_, None) => {
            let name = fields.names[fields.id];
            return Err(format!(
                "`{name}` is neither a string nor a number; name the id with the setting id_field"
            ));
        }
    };
    extra.clear();
    extra.extend(fields.extra.iter().map(|&slot| match (values[slot], written(slot)) {
        (Value::Missing | Value::Null | Value::Raw("null"), _) => FieldNumber::Missing,
        (_, Some(value)) => number(&value),
        (_, None) => FieldNumber::Unreadable,
    }));
    Ok(RecordView {
        file: 0,
        record: 0,
        line: 0,
        id,
        content,
        url: written(fields.url),
        title: written(fields.title),
        date: written(fields.date),
        extra,
    })
}

fn is_number(raw: &str) -> bool {
    raw.starts_with(|first: char| first == '-' || first.is_ascii_digit())
}

/// A string, borrowed where it can be.
#[derive(serde::Deserialize)]
struct Str<'a>(#[serde(borrow)] Cow<'a, str>);

/// The object on a line.
struct Object<'s, 'a, 'f> {
    line: &'a str,
    fields: &'s Fields<'f>,
    values: &'s mut [Value<'a>],
    buffers: &'s mut [String],
}

impl<'a> DeserializeSeed<'a> for Object<'_, 'a, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, parser: D) -> Result<(), D::Error> {
        parser.deserialize_map(self)
    }
}

impl<'a> Visitor<'a> for Object<'_, 'a, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        let fields = self.fields;
        while let Some(slot) = map.next_key_seed(Key(fields))? {
            let Some(slot) = slot else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            let raw = map.next_value::<&'a RawValue>()?.get();
            let inner = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"'));
            let escapes = inner.is_some() && memchr::memchr(b'\\', raw.as_bytes()).is_some();
            let buffer = &mut self.buffers[slot];
            // Skipping a string does not validate its escapes, so they are validated here.
            if escapes && !inner.is_some_and(|inner| unescape(inner, buffer)) {
                let Str(text) = serde_json::from_str(raw).map_err(|e| {
                    let before = raw.as_ptr().addr() - self.line.as_ptr().addr();
                    let (words, column) = (e.to_string(), before + e.column());
                    let words = words.split(" at line ").next().unwrap_or_default();
                    A::Error::custom(format_args!("{words} at line 1 column {column}"))
                })?;
                buffer.clear();
                buffer.push_str(&text);
            }
            let text = slot == fields.text || slot == fields.html;
            self.values[slot] = match (inner, raw.as_bytes()) {
                (Some(_), _) if escapes => Value::Buffered,
                (Some(inner), _) if text => Value::Borrowed(inner),
                _ if !text => Value::Raw(raw),
                (_, [b'n', ..]) => Value::Null,
                (_, [b't' | b'f', ..]) => Value::Other("true or false"),
                (_, [b'[', ..]) => Value::Other("a list"),
                (_, [b'{', ..]) => Value::Other("an object"),
                _ => Value::Other("a number"),
            };
        }
        Ok(())
    }
}

/// Unescapes the inside of a string into a buffer. Returns whether all escapes are simple ones;
/// others, half pairs among them, are left to the parser.
fn unescape(inner: &str, out: &mut String) -> bool {
    out.clear();
    let mut rest = inner;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        let (character, length) = match rest.as_bytes()[at + 1..] {
            [b'n', ..] => ('\n', 2),
            [b't', ..] => ('\t', 2),
            [b'r', ..] => ('\r', 2),
            [b'b', ..] => ('\u{8}', 2),
            [b'f', ..] => ('\u{c}', 2),
            [b'"', ..] => ('"', 2),
            [b'\\', ..] => ('\\', 2),
            [b'/', ..] => ('/', 2),
            [b'u', a, b, c, d, ..] => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                let code = [a, b, c, d]
                    .into_iter()
                    .try_fold(0, |code, byte| Some(code * 16 + digit(byte)?));
                match code.and_then(char::from_u32) {
                    Some(character) => (character, 6),
                    None => return false,
                }
            }
            _ => return false,
        };
        out.push(character);
        rest = &rest[at + length..];
    }
    out.push_str(rest);
    true
}

/// A member's name, mapped to its slot.
struct Key<'s, 'f>(&'s Fields<'f>);

impl<'a> DeserializeSeed<'a> for Key<'_, '_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'a>>(self, parser: D) -> Result<Self::Value, D::Error> {
        parser.deserialize_str(self)
    }
}

impl<'a> Visitor<'a> for Key<'_, '_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(self.0.find(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FieldNames;
    use proptest::prelude::*;

    proptest! {
        /// As the parser does it, or not at all.
        #[test]
        fn strings_are_what_the_parser_makes_of_them(
            pieces in prop::collection::vec(
                prop_oneof![
                    "[a-zé\u{1f600} ]{0,9}",
                    r#"\\["\\/bfnrtq]"#,
                    r"\\u[0-9a-fA-F]{4}",
                    r"\\ud8[0-9a-f]{2}\\udc[0-9a-f]{2}",
                    r"\\u[0-9a-z+]{0,4}",
                ],
                0..9,
            ),
        ) {
            let inner = pieces.concat();
            let truth = serde_json::from_str::<String>(&format!("\"{inner}\""));
            let mut text = "what was there before".to_string();
            if unescape(&inner, &mut text) {
                prop_assert_eq!(Some(text), truth.ok());
            } else {
                prop_assert!(truth.is_err() || inner.contains("\\ud") || inner.contains("\\uD"));
            }
        }
    }

    #[test]
    fn a_bad_character_is_found_where_it_is() {
        for line in
            [r#"{"text":"ab\q"}"#, r#"{"x":1,"id":"ab\q"}"#, r#"{"text":"\ud83d\ude00 \q"}"#]
        {
            let column = line.find(['q', '\t']).unwrap() + 1;
            let said = said(line);
            assert!(said.contains(&format!("at column {column}:")), "{line}: {said}");
        }
    }

    #[test]
    fn text_that_is_none_is_called_what_it_is() {
        for (value, kind) in [
            ("1e999", "a number"),
            ("-1", "a number"),
            ("true", "true or false"),
            ("false", "true or false"),
            ("[\"a\"]", "a list"),
            ("{\"a\":\"\\\"\"}", "an object"),
        ] {
            let names = FieldNames::default();
            let fields = Fields::new(&names);
            let mut values = vec![Value::Missing; fields.names.len()];
            let mut buffers = vec![String::new(); fields.names.len()];
            let line = format!("{{\"text\": {value} }}");
            parse(line.as_bytes(), &fields, &mut values, &mut buffers).unwrap();
            let refused =
                record(&fields, &values, &buffers, &mut Vec::new(), line.as_bytes()).unwrap_err();
            assert!(refused.contains(kind), "{refused}");
        }
    }

    fn said(line: &str) -> String {
        let names = FieldNames::default();
        let fields = Fields::new(&names);
        let mut values = vec![Value::Missing; fields.names.len()];
        let mut buffers = vec![String::new(); fields.names.len()];
        parse(line.as_bytes(), &fields, &mut values, &mut buffers).unwrap_err().1
    }

    #[test]
    fn every_fault_is_told_in_plain_words_with_what_to_do() {
        for (line, words) in [
            ("5", "a number, not a JSON object"),
            ("-1.5", "a number, not"),
            ("\"x\"", "a string, not"),
            (" null", "null, not"),
            ("true", "true or false, not"),
            ("[{\"text\":\"a\"}]", "an array, not"),
            ("id,text", "column 1: not an object in braces"),
            ("\"a\" b", "not"),
            ("{\"text\":\"a", "cut off"),
            ("{", "cut off"),
            ("{\"text\":tru}", "only true, false and null"),
            ("{\"text\":nan}", "only true, false and null"),
            ("{\"text\":NaN}", "write null for NaN"),
            ("{\"text\":}", "not a JSON value"),
            ("{'text':'a'}", "not in double quotes"),
            ("{text:1}", "not in double quotes"),
            ("{\"text\":\"a\",}", "a comma after the last value"),
            ("{\"text\":[1,]}", "a comma after the last value"),
            ("{\"text\" \"a\"}", "no colon"),
            ("{\"text\":\"a\" \"b\":1}", "neither a comma"),
            ("{\"text\":[1 2]}", "neither a comma"),
            ("{\"text\":\"a\"}{}", "after the JSON object"),
            ("{\"text\":01}", "invalid number"),
            ("{\"text\":1e}", "invalid number"),
            ("{\"text\":\"\\q\"}", "an unknown escape"),
            ("{\"id\":\"\\q\"}", "an unknown escape"),
            ("{\"text\":\"\\udc00\"}", "half of a surrogate pair"),
            ("{\"id\":\"\\ud800 \"}", "half of a surrogate pair"),
            ("{\"text\":\"a\tb\"}", "control character"),
        ] {
            let said = said(line);
            assert!(said.contains(words), "{line}: {said}");
            for parser in [
                "EOF",
                "ident",
                "invalid type",
                "expected `",
                "expected value",
                "at line",
                "key must",
            ] {
                assert!(!said.contains(parser), "{line}: {said}");
            }
            assert!(said.contains("; ") || said.contains("(jq"), "what to do: {said}");
        }
    }

    #[test]
    fn a_message_is_short_however_long_the_line_is() {
        let long = "x".repeat(1 << 16);
        for line in
            [format!("\"{long}\""), format!("{{\"{long}\" 1"), format!("{{\"text\":{long}}}")]
        {
            assert!(said(&line).len() < 200);
        }
    }
}
