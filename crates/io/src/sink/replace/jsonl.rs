//! Texts in JSON objects.

use std::borrow::Cow;

use crate::Replacement;
use crate::source::json;

/// Appends `raw`, with another value of a field, to `out`; `false`, and nothing appended, if the field does
/// not have the text.
pub(crate) fn push_replaced(
    raw: &[u8],
    field: &str,
    text: Replacement<'_>,
    out: &mut Vec<u8>,
) -> bool {
    let Some(place) = json::place_of(raw, field) else { return false };
    let value = serde_json::from_slice::<Cow<'_, str>>(&raw[place.clone()]);
    if !value.is_ok_and(|value| value == text.old) {
        return false;
    }
    out.extend_from_slice(&raw[..place.start]);
    out.extend_from_slice(serde_json::Value::from(text.new).to_string().as_bytes());
    out.extend_from_slice(&raw[place.end..]);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn replaced(raw: &str, field: &str, old: &str, new: &str) -> Option<String> {
        let mut out = Vec::new();
        let is_done = push_replaced(raw.as_bytes(), field, Replacement { old, new }, &mut out);
        is_done.then(|| String::from_utf8(out).unwrap())
    }

    #[test]
    fn one_value_is_replaced_and_nothing_else() {
        let raw = "\u{feff} {\"a\":[1,{\"text\":\"x\"}], \"t\\u0065xt\" : \"o\\u0068\\n\" ,\"b\":\"}\\\"\"}\r\n";
        let expected = raw.replace("\"o\\u0068\\n\"", "\"né\\\"w\"");
        assert_eq!(replaced(raw, "text", "oh\n", "né\"w"), Some(expected));
        let nested = r#"{"doc":{"text":"a","n":1e5},"doc.x":"b"}"#;
        assert_eq!(replaced(nested, "doc.text", "a", ""), Some(nested.replace("\"a\"", "\"\"")));
        assert_eq!(replaced(nested, "doc.x", "b", "c"), Some(nested.replace("\"b\"", "\"c\"")));
    }

    #[test]
    fn other_texts_are_refused() {
        for (raw, field, old) in [
            (r#"{"text":"a"}"#, "text", "b"),
            (r#"{"text":["a"]}"#, "text", "a"),
            (r#"{"text":"a","text":"a"}"#, "text", "a"),
            (r#"{"text":1}"#, "text", "1"),
            (r#"{"html":"a"}"#, "text", "a"),
            (r#"["a"]"#, "text", "a"),
            (r#"{"text":"a"#, "text", "a"),
            ("", "text", "a"),
        ] {
            assert_eq!(replaced(raw, field, old, "new"), None, "{raw}");
        }
    }

    proptest! {
        #[test]
        fn the_object_is_the_same_but_for_the_text(
            others in prop::collection::btree_map("[a-z\"\\\\é]{0,3}", "[a-z\"\\\\{}\\[\\],:é\n]{0,6}", 0..4),
            old in "[a-z\"\\\\{}é\n]{0,9}",
            new in "[a-z\"\\\\{}é\n]{0,9}",
        ) {
            let mut object: serde_json::Map<String, serde_json::Value> = serde_json::Map::new();
            for (name, value) in others {
                object.insert(name.clone(), serde_json::json!([{ "text": value, "of": name }, null]));
            }
            object.insert("text".into(), old.clone().into());
            let raw = serde_json::to_string_pretty(&object).unwrap();
            let written = replaced(&raw, "text", &old, &new).unwrap();
            object.insert("text".into(), new.into());
            let read: serde_json::Map<String, serde_json::Value> =
                serde_json::from_str(&written).unwrap();
            prop_assert_eq!(read, object);
        }
    }
}
