//! What is compared of the header of a message.

use super::date;
use super::fields::{self, Fields};

/// Header fields that are compared.
const FIELDS: [&str; 5] = ["from", "to", "cc", "subject", "date"];

/// Appends what is compared of a header.
pub(super) fn push_header(fields: &Fields, raw: &[u8], out: &mut Vec<u8>) {
    for name in FIELDS {
        if let Some(value) = fields.raw(raw, name) {
            let date = if name == "date" { date::utc(value) } else { None };
            match date {
                Some(date) => out.extend_from_slice(date.as_bytes()),
                None => {
                    for word in fields::text(value).split_whitespace() {
                        out.extend_from_slice(word.as_bytes());
                        out.push(b' ');
                    }
                }
            }
        }
        out.push(0);
    }
}
