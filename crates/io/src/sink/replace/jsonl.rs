//! Texts and lists in JSON objects.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::{Replaced, lists};
use crate::source::json;
use crate::{FeatureList, Replacement};

/// Appends `raw`, with another value of a field, to `out`; `false`, and nothing appended, if the field does
/// not have the text, or the list.
pub(crate) fn push_replaced(
    raw: &[u8],
    field: Replaced<'_>,
    text: Replacement<'_>,
    out: &mut Vec<u8>,
) -> bool {
    let Some(place) = json::place_of(raw, field.name()) else { return false };
    let value = &raw[place.clone()];
    let value = match field {
        Replaced::Text(_) => other_text(value, text),
        Replaced::List(_) => shorter_list(value, text),
    };
    let Some(value) = value else { return false };
    out.extend_from_slice(&raw[..place.start]);
    out.extend_from_slice(value.as_bytes());
    out.extend_from_slice(&raw[place.end..]);
    true
}

/// The new text, if the value is the old one.
fn other_text(value: &[u8], text: Replacement<'_>) -> Option<String> {
    let old = serde_json::from_slice::<Cow<'_, str>>(value).ok()?;
    (old == text.old).then(|| serde_json::Value::from(text.new).to_string())
}

/// The elements that stay, as they are written, if the value is the old list.
fn shorter_list(value: &[u8], list: Replacement<'_>) -> Option<String> {
    let value = std::str::from_utf8(value).ok()?;
    let mut old = FeatureList::default();
    json::features(value, &mut old).ok()?;
    let elements: Vec<&RawValue> = serde_json::from_str(value).ok()?;
    let stay = lists::staying(&old, list)?;
    let stay: Vec<&str> = stay.into_iter().map(|at| elements[at].get()).collect();
    Some(format!("[{}]", stay.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn replaced(raw: &str, field: &str, old: &str, new: &str) -> Option<String> {
        let mut out = Vec::new();
        let field = Replaced::Text(field);
        let is_done = push_replaced(raw.as_bytes(), field, Replacement { old, new }, &mut out);
        is_done.then(|| String::from_utf8(out).unwrap())
    }

    #[test]
    fn elements_of_a_list_go_and_the_others_stay_as_written() {
        let of = |raw: &str, old, new| {
            let mut out = Vec::new();
            let field = Replaced::List("ids");
            let is_done = push_replaced(raw.as_bytes(), field, Replacement { old, new }, &mut out);
            is_done.then(|| String::from_utf8(out).unwrap())
        };
        let raw = r#"{"n":1.50,"ids": [ 7, "\u0037", -0,"a\nb" , 12 ] ,"text":"x"}"#;
        let expected = |list: &str| Some(format!(r#"{{"n":1.50,"ids": {list} ,"text":"x"}}"#));
        let old = "7\n7\n0\na\\nb\n12\n";
        assert_eq!(of(raw, old, "7\n0\n12\n"), expected("[7,-0,12]"));
        assert_eq!(of(raw, old, "7\n7\na\\nb\n"), expected(r#"[7,"\u0037","a\nb"]"#));
        assert_eq!(of(raw, old, ""), expected("[]"));
        assert_eq!(of(raw, "7\n", ""), None);
        assert_eq!(of(r#"{"ids":[1.5]}"#, "1.5\n", ""), None);
        assert_eq!(of(r#"{"ids":"1"}"#, "1\n", ""), None);
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
