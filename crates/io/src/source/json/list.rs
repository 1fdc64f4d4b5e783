//! Lists in JSON: strings that are joined to a text, ready-made features, and values of any kind.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::nonfinite::finite;
use super::unescape::unescape;
use super::value::Str;
use crate::FeatureList;

/// Joins a list of strings in a buffer; nulls are left out. An error in the data is an element that is
/// neither.
pub(super) fn join(raw: &str, separator: &str, out: &mut String) -> Result<(), serde_json::Error> {
    out.clear();
    let mut parser = serde_json::Deserializer::from_str(raw);
    parser.deserialize_seq(Joined { separator, out })
}

struct Joined<'s> {
    separator: &'s str,
    out: &'s mut String,
}

impl<'a> Visitor<'a> for Joined<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of strings")
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut list: A) -> Result<(), A::Error> {
        let mut separator = "";
        while let Some(appended) = list.next_element_seed(Append(separator, self.out))? {
            if appended {
                separator = self.separator;
            }
        }
        Ok(())
    }
}

/// Appends a string after a separator, and nothing for null. Returns whether it was a string.
struct Append<'s>(&'s str, &'s mut String);

impl<'a> DeserializeSeed<'a> for Append<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'a>>(self, parser: D) -> Result<bool, D::Error> {
        parser.deserialize_any(self)
    }
}

impl<'a> Visitor<'a> for Append<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E>(self, value: &str) -> Result<bool, E> {
        self.1.push_str(self.0);
        self.1.push_str(value);
        Ok(true)
    }

    fn visit_unit<E>(self) -> Result<bool, E> {
        Ok(false)
    }
}

/// Why a list is not one of features.
const NO_FEATURE: &str = "holds something other than integers and strings";

/// Reads a list of integers and strings.
pub(crate) fn features(raw: &str, out: &mut FeatureList) -> Result<(), &'static str> {
    out.clear();
    if !raw.starts_with('[') {
        return Err("is not a list");
    }
    let mut parser = serde_json::Deserializer::from_str(raw);
    // The list is well-formed, but its strings may have escapes that are no characters.
    parser.deserialize_seq(Features(out)).map_err(|_| NO_FEATURE)
}

struct Features<'s>(&'s mut FeatureList);

impl<'a> Visitor<'a> for Features<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of integers and strings")
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut list: A) -> Result<(), A::Error> {
        let mut buffer = String::new();
        while let Some(raw) = list.next_element::<&'a RawValue>()? {
            let raw = raw.get();
            match raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')) {
                Some(inner) if memchr::memchr(b'\\', inner.as_bytes()).is_none() => {
                    self.0.push(inner);
                }
                Some(inner) if unescape(inner, &mut buffer) => self.0.push(&buffer),
                Some(_) => {
                    let Str(text) =
                        serde_json::from_str(raw).map_err(|_| A::Error::custom(NO_FEATURE))?;
                    self.0.push(&text);
                }
                None if is_integer(raw) => self.0.push(if raw == "-0" { "0" } else { raw }),
                None => return Err(A::Error::custom(NO_FEATURE)),
            }
        }
        Ok(())
    }
}

/// Calls `each` with the texts of the elements of a list, or with that of another value: strings
/// are without quotes, nulls are left out, and everything else is JSON without white space.
pub(super) fn elements(raw: &str, each: &mut dyn FnMut(&str)) {
    // A list with values that are no JSON is an element of its own.
    if !raw.starts_with('[') || matches!(finite(raw), Cow::Owned(_)) {
        return element(raw, each);
    }
    // The list is well-formed; were it not, it would be an element of its own.
    let mut parser = serde_json::Deserializer::from_str(raw);
    if parser.deserialize_seq(Elements(each)).is_err() {
        element(raw, each);
    }
}

struct Elements<'e>(&'e mut dyn FnMut(&str));

impl<'a> Visitor<'a> for Elements<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(raw) = list.next_element::<&'a RawValue>()? {
            element(raw.get(), self.0);
        }
        Ok(())
    }
}

fn element(raw: &str, each: &mut dyn FnMut(&str)) {
    if raw == "null" {
        return;
    }
    // Escapes that are no characters stay as they are written.
    if raw.starts_with('"')
        && let Ok(Str(text)) = serde_json::from_str(raw)
    {
        return each(&text);
    }
    each(&compact(raw));
}

/// JSON without white space.
pub(super) fn compact(raw: &str) -> String {
    let mut in_string = false;
    let mut escaped = false;
    let kept = |c: &char| {
        let kept = in_string || !c.is_ascii_whitespace();
        in_string ^= *c == '"' && !escaped;
        escaped = in_string && *c == '\\' && !escaped;
        kept
    };
    raw.chars().filter(kept).collect()
}

/// Whether a value is an integer. JSON writes no leading zeros.
fn is_integer(raw: &str) -> bool {
    let digits = raw.strip_prefix('-').unwrap_or(raw);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_joined_and_nothing_else() {
        let mut out = "before".to_owned();
        for (raw, expected) in [
            ("[]", Some("")),
            (r#"["a"]"#, Some("a")),
            (r#"[ "a" , "", "b\n\u00e9" ]"#, Some("a----b\n\u{e9}")),
            (r#"["a",1]"#, None),
            (r#"[null,"a",null,"b"]"#, Some("a--b")),
            (r#"["a",["b"]]"#, None),
        ] {
            let joined = join(raw, "--", &mut out);
            assert_eq!(joined.as_ref().ok().map(|()| out.as_str()), expected, "{raw}");
            assert!(joined.is_ok() || joined.is_err_and(|e| e.is_data()));
        }
        assert!(join(r#"["\ud800"]"#, "", &mut out).is_err_and(|e| !e.is_data()));
    }

    #[test]
    fn every_value_but_null_has_a_text() {
        for (raw, expected) in [
            ("[]", &[][..]),
            ("[null, null]", &[]),
            (r#"[ "a" , null, "b\u00e9", "" ]"#, &["a", "b\u{e9}", ""]),
            ("[1.50, -0, 1e400, true]", &["1.50", "-0", "1e400", "true"]),
            ("[[1, 2], [], {}]", &["[1,2]", "[]", "{}"]),
            (r#"["\ud800"]"#, &[r#""\ud800""#]),
            ("false", &["false"]),
            ("[1, NaN]", &["[1,NaN]"]),
            (r#"{ "a b" : "c \" d\\" , "e" : [ 1 ] }"#, &[r#"{"a b":"c \" d\\","e":[1]}"#]),
        ] {
            let mut found = Vec::new();
            elements(raw, &mut |text| found.push(text.to_owned()));
            assert_eq!(found, expected, "{raw}");
        }
    }

    #[test]
    fn features_are_integers_and_strings() {
        let mut out = FeatureList::default();
        let raw =
            r#"[ 7, "7", -0, -12, "\u0037", "\ud83d\ude00", "", 123456789012345678901234567890 ]"#;
        features(raw, &mut out).unwrap();
        let expected =
            ["7", "7", "0", "-12", "7", "\u{1f600}", "", "123456789012345678901234567890"];
        assert_eq!(out.iter().collect::<Vec<_>>(), expected);
        for raw in
            ["1", "null", "{}", "[1.5]", "[1e3]", "[null]", "[[1]]", r#"["\ud800"]"#, "[true]"]
        {
            assert!(features(raw, &mut out).is_err(), "{raw}");
        }
        features("[]", &mut out).unwrap();
        assert!(out.is_empty());
    }
}
