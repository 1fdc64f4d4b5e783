//! Texts in JSON objects.

use std::ops::Range;

use crate::Replacement;

/// Appends `raw`, with another value of a field, to `out`; `false`, and nothing appended, if the field does
/// not have the text.
pub(crate) fn push_replaced(
    raw: &[u8],
    field: &str,
    text: Replacement<'_>,
    out: &mut Vec<u8>,
) -> bool {
    let Some(place) = place_of(raw, field) else { return false };
    let value = serde_json::from_slice::<std::borrow::Cow<'_, str>>(&raw[place.clone()]);
    if !value.is_ok_and(|value| value == text.old) {
        return false;
    }
    out.extend_from_slice(&raw[..place.start]);
    out.extend_from_slice(serde_json::Value::from(text.new).to_string().as_bytes());
    out.extend_from_slice(&raw[place.end..]);
    true
}

/// Where the value of a field stands: of the member of this name, or of `b` in the object `a` for the name
/// `a.b`. `None` if there is none, or more than one.
fn place_of(object: &[u8], field: &str) -> Option<Range<usize>> {
    let mut found = members(object)?.into_iter().filter(|(name, _)| name == field);
    match (found.next(), found.next(), field.split_once('.')) {
        (Some((_, place)), None, _) => Some(place),
        (None, None, Some((outer, inner))) => {
            let mut found = members(object)?.into_iter().filter(|(name, _)| name == outer);
            let (Some((_, place)), None) = (found.next(), found.next()) else { return None };
            let within = place_of(&object[place.clone()], inner)?;
            Some(place.start + within.start..place.start + within.end)
        }
        _ => None,
    }
}

/// The names of the members of an object, and the places of their values. The object is well-formed.
fn members(object: &[u8]) -> Option<Vec<(String, Range<usize>)>> {
    let mut at = skip_blanks(object, if object.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 });
    if object.get(at) != Some(&b'{') {
        return None;
    }
    let mut members = Vec::new();
    loop {
        at = skip_blanks(object, at + 1);
        if object.get(at) == Some(&b'}') {
            return Some(members);
        }
        let end = end_of_value(object, at)?;
        let name: String = serde_json::from_slice(&object[at..end]).ok()?;
        at = skip_blanks(object, end);
        if object.get(at) != Some(&b':') {
            return None;
        }
        let start = skip_blanks(object, at + 1);
        let end = end_of_value(object, start)?;
        members.push((name, start..end));
        at = skip_blanks(object, end);
        match object.get(at) {
            Some(b',') => {}
            Some(b'}') => return Some(members),
            _ => return None,
        }
    }
}

fn skip_blanks(json: &[u8], at: usize) -> usize {
    let blanks = json[at.min(json.len())..].iter();
    at + blanks.take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count()
}

/// The end of the value that starts at a place.
fn end_of_value(json: &[u8], start: usize) -> Option<usize> {
    let (mut at, mut depth) = (start, 0usize);
    loop {
        match json.get(at)? {
            b'"' => {
                at += 1;
                while *json.get(at)? != b'"' {
                    at += if json[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' if depth > 0 => {
                depth -= 1;
                at += 1;
            }
            b',' | b'}' | b']' | b':' | b' ' | b'\t' | b'\r' | b'\n' if depth == 0 => {
                return (at > start).then_some(at);
            }
            _ => {
                at += 1;
                continue;
            }
        }
        if depth == 0 {
            return Some(at);
        }
    }
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
