//! Parses a line of JSON into a record.
//!
//! Only wanted members are built; all other values are skipped at any depth. Text is borrowed from
//! the line, or unescaped into a reused buffer.
//!
//! A field with the name `a.b` is the member `a.b`, or else the member `b` of the object `a`.
//!
//! If an object has a member twice, the last one counts, as in JavaScript and Python; a text that is
//! given twice is refused, as one of the two would not be compared. Skipped values must be well-formed
//! JSON, but their strings may contain escapes of lone surrogates, and `NaN` and infinities are
//! skipped as other values are.

mod fault;
mod list;
mod lookup;
mod members;
mod nonfinite;
mod parse;
mod record;
mod sections;
mod unescape;
mod value;

pub(crate) use list::features;
pub(crate) use lookup::place_of;
pub(crate) use members::member_names;
pub(crate) use parse::parse;
pub(crate) use record::record;
pub(crate) use sections::has_text;
pub(crate) use value::{Buffers, Values};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::fields::Fields;
    use crate::{FeatureList, FieldNames, FieldTexts};

    #[test]
    fn a_fault_names_the_column_of_the_bad_character() {
        for line in
            [r#"{"text":"ab\q"}"#, r#"{"x":1,"id":"ab\q"}"#, r#"{"text":"\ud83d\ude00 \q"}"#]
        {
            let column = line.find(['q', '\t']).unwrap() + 1;
            let message = message(line);
            assert!(message.contains(&format!("at column {column}:")), "{line}: {message}");
        }
    }

    #[test]
    fn a_text_of_another_type_is_named() {
        for (value, kind) in [
            ("1e999", "a number"),
            ("-1", "a number"),
            ("true", "true or false"),
            ("false", "true or false"),
            ("[\"a\"]", "a list"),
            ("{\"a\":\"\\\"\"}", "an object"),
            ("NaN", "NaN or an infinity"),
            ("-Infinity", "NaN or an infinity"),
        ] {
            let names = FieldNames::default();
            let fields = Fields::new(&names);
            let mut values = Values::new(fields.names.len());
            let mut buffers = vec![String::new(); fields.names.len()];
            let line = format!("{{\"text\": {value} }}");
            parse(line.as_bytes(), &fields, &mut values, &mut buffers).unwrap();
            let (mut extra, mut list) = (Vec::new(), FeatureList::default());
            let rest = (&mut extra, &mut FieldTexts::default());
            let refused = record(&fields, &values, &buffers, rest, &mut list, line.as_bytes());
            let refused = refused.unwrap_err();
            assert!(refused.contains(kind), "{refused}");
        }
    }

    fn message(line: &str) -> String {
        let names = FieldNames::default();
        let fields = Fields::new(&names);
        let mut values = Values::new(fields.names.len());
        let mut buffers = vec![String::new(); fields.names.len()];
        parse(line.as_bytes(), &fields, &mut values, &mut buffers).unwrap_err().1
    }

    #[test]
    fn every_fault_has_a_plain_message_with_a_remedy() {
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
            ("{\"text\":undefined}", "write null for NaN"),
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
            let message = message(line);
            assert!(message.contains(words), "{line}: {message}");
            for parser in [
                "EOF",
                "ident",
                "invalid type",
                "expected `",
                "expected value",
                "at line",
                "key must",
            ] {
                assert!(!message.contains(parser), "{line}: {message}");
            }
            assert!(message.contains("; ") || message.contains("(jq"), "what to do: {message}");
        }
    }

    #[test]
    fn messages_for_long_lines_are_short() {
        let long = "x".repeat(1 << 16);
        for line in
            [format!("\"{long}\""), format!("{{\"{long}\" 1"), format!("{{\"text\":{long}}}")]
        {
            assert!(message(&line).len() < 200);
        }
    }
}
