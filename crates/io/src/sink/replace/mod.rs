//! Writes records with another text: the value of the text field is replaced, and every other byte
//! stays.
//!
//! A record is refused if its text is not the value of one field, as written: a list that was
//! joined, HTML, the body of a message. It is looked at again after the replacement: a record that would be read
//! in another way than meant is refused too.

pub(crate) mod columns;
pub(crate) mod jsonl;
pub(crate) mod rows;

use crate::Replacement;
use crate::source::Chunk;

/// A raw record that gets another text.
pub(crate) struct ToReplace<'a> {
    pub(crate) chunk: &'a Chunk,
    pub(crate) raw: &'a [u8],
    /// The name of the text field.
    pub(crate) field: &'a str,
    pub(crate) text: Replacement<'a>,
}
