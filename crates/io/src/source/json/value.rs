//! Values of the wanted members of an object.

use std::borrow::Cow;

/// The value of a wanted member.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::source) enum Value<'a> {
    #[default]
    Missing,
    /// `null`; of members that are text.
    Null,
    /// A string that is borrowed from the line.
    Borrowed(&'a str),
    /// A string that was unescaped into the slot's buffer; of any member.
    Buffered,
    /// Any other kind of value; of members that are text.
    Other(&'static str),
    /// As written, without escapes; of members that are not text.
    Raw(&'a str),
}

/// Buffers for the strings of one record, one for each slot.
pub(in crate::source) type Buffers = Vec<String>;

/// A string, borrowed where it can be.
#[derive(serde::Deserialize)]
pub(super) struct Str<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);
