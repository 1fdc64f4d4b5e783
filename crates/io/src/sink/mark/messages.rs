//! Marks in messages of an mbox and in records of a WARC file.

use super::{MarkNames, Refusal, rows};
use crate::MarkValue;

/// Appends `raw` with header fields before its own, which start at `header`, to `out`. Fields without a value are
/// left out. Values are UTF-8 (RFC 6532) on one line.
pub(crate) fn push_marked(
    raw: &[u8],
    header: usize,
    names: &MarkNames,
    mark: &[MarkValue<'_>],
    out: &mut Vec<u8>,
) -> Result<(), Refusal> {
    let line_end: &[u8] = match raw[..header].ends_with(b"\r\n") {
        true => b"\r\n",
        false => b"\n",
    };
    for name in names.names() {
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b':') {
            return Err(Refusal::Shape("the field name cannot be that of a header field"));
        }
        if has_field(&raw[header..], name.as_bytes()) {
            return Err(Refusal::Taken(name.to_owned()));
        }
    }
    out.extend_from_slice(&raw[..header]);
    for (name, value) in names.names().zip(rows::texts(mark)) {
        if !value.is_empty() {
            let value = value.replace(|c: char| c.is_control(), " ");
            out.extend_from_slice(format!("{name}: {value}").as_bytes());
            out.extend_from_slice(line_end);
        }
    }
    out.extend_from_slice(&raw[header..]);
    Ok(())
}

/// Whether the header has a field of this name.
fn has_field(message: &[u8], name: &[u8]) -> bool {
    let lines = message.split(|byte| *byte == b'\n');
    let header = lines.take_while(|line| !line.trim_ascii_end().is_empty());
    header.into_iter().any(|line| {
        let (start, rest) = line.split_at(name.len().min(line.len()));
        start.eq_ignore_ascii_case(name) && rest.trim_ascii_start().starts_with(b":")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mark;

    #[test]
    fn fields_go_before_the_header() {
        let mark = Mark {
            duplicate_of: Some("a\nb"),
            duplicate_of_record: Some(7),
            resemblance: Some(0.5),
            ..Mark::default()
        }
        .values();
        let names = MarkNames::new("X-");
        let mut out = Vec::new();
        push_marked(b"From a\r\nTo: b\r\n\r\nX-cluster: 1\r\n", 8, &names, &mark, &mut out)
            .unwrap();
        let expected = "From a\r\nX-duplicate_of: a b\r\nX-duplicate_of_record: 7\r\n\
                        X-resemblance: 0.5\r\nX-is_duplicate: false\r\nTo: b\r\n\r\nX-cluster: 1\r\n";
        assert_eq!(out, expected.as_bytes());
        let taken = push_marked(b"From a\nx-CLUSTER : 1\n\n", 7, &names, &mark, &mut out);
        assert_eq!(taken, Err(Refusal::Taken("X-cluster".into())));
        let odd = push_marked(b"From a\n", 7, &MarkNames::new("x y"), &mark, &mut out);
        assert!(matches!(odd, Err(Refusal::Shape(_))));
    }
}
