//! Tables with one JSON object per line.

use std::fmt;

use serde::Serialize;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

use super::value::{parse_count, parse_ratio};
use super::{Cell, Column, ColumnKind, Value};

/// Appends a row; its cells fit their columns.
pub(super) fn push_row(columns: &[Column], row: &[Cell<'_>], out: &mut Vec<u8>) {
    for (index, (column, cell)) in columns.iter().zip(row).enumerate() {
        out.push(if index == 0 { b'{' } else { b',' });
        push_json(column.name, out);
        out.push(b':');
        match *cell {
            Cell::Text(text) => push_json(text, out),
            Cell::Count(count) => push_json(&count, out),
            // Not finite: null.
            Cell::Ratio(ratio) => push_json(&ratio, out),
            Cell::Null => out.extend_from_slice(b"null"),
        }
    }
    out.extend_from_slice(b"}\n");
}

fn push_json<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) {
    // Neither writing to a vector nor serialising these values can fail.
    let _ = serde_json::to_writer(out, value);
}

/// The members of a line in their order, with unparsed values.
pub(super) struct Members<'a>(pub(super) Vec<(String, &'a RawValue)>);

impl<'de> serde::Deserialize<'de> for Members<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(parser: D) -> Result<Self, D::Error> {
        parser.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}

/// The value of a member of a known kind. Numbers are parsed by the standard library, which returns
/// exactly the number that was written; serde_json may be off in the last bit.
pub(super) fn parse_member(raw: &RawValue, kind: ColumnKind) -> Result<Value, String> {
    let raw = raw.get();
    if raw == "null" {
        return Ok(Value::Null);
    }
    match kind {
        ColumnKind::Text => {
            serde_json::from_str(raw).map(Value::Text).map_err(|_| format!("`{raw}` is not text"))
        }
        ColumnKind::Count => parse_count(raw).ok_or_else(|| format!("`{raw}` is not a count")),
        ColumnKind::Ratio => parse_ratio(raw).ok_or_else(|| format!("`{raw}` is not a number")),
    }
}
