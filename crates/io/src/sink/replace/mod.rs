//! Writes records with another text, or with a list that lost elements: the value of that field is replaced,
//! and every other byte stays.
//!
//! A record is refused if its text is not the value of one field, as written: a list that was
//! joined, HTML, the body of a message. It is looked at again after the replacement: a record that would be read
//! in another way than meant is refused too.

pub(crate) mod columns;
pub(crate) mod jsonl;
mod lists;
pub(crate) mod rows;

use crate::source::Chunk;
use crate::{FieldNames, Replacement};

/// The field whose value is replaced.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Replaced<'a> {
    /// A text.
    Text(&'a str),
    /// A list of features, given as [`FeatureList`](crate::FeatureList) writes it.
    List(&'a str),
}

impl<'a> Replaced<'a> {
    pub(crate) fn of(fields: &'a FieldNames) -> Self {
        match &fields.features {
            Some(field) => Self::List(field),
            None => Self::Text(&fields.text),
        }
    }

    fn name(self) -> &'a str {
        let (Self::Text(name) | Self::List(name)) = self;
        name
    }
}

/// A raw record that gets another text.
pub(crate) struct ToReplace<'a> {
    pub(crate) chunk: &'a Chunk,
    pub(crate) raw: &'a [u8],
    pub(crate) field: Replaced<'a>,
    pub(crate) text: Replacement<'a>,
}
