//! Values of the wanted members of an object.

use std::borrow::Cow;

use crate::source::fields::{Members, Slot};

/// The value of a wanted member.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Value<'a> {
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
    /// More than one value of one object; of members that are text, or features.
    Repeated,
    /// As written, without escapes; of members that are not text.
    Raw(&'a str),
}

/// The values of one record by slot.
#[derive(Debug, Default)]
pub(crate) struct Values<'a> {
    pub(super) found: Vec<Value<'a>>,
    /// In how many objects each value was found: a member nearer to the record takes precedence.
    pub(super) depths: Vec<u32>,
}

impl<'a> Values<'a> {
    /// Room for so many slots.
    pub(crate) fn new(slots: usize) -> Self {
        Self { found: vec![Value::Missing; slots], depths: vec![0; slots] }
    }

    /// Takes over the values of a line of the same length as `line`, in which the same are.
    pub(super) fn take_over(&mut self, other: &Values<'_>, copy: &str, line: &'a str) {
        let own = |part: &str| {
            let start = part.as_ptr().addr() - copy.as_ptr().addr();
            &line[start..start + part.len()]
        };
        for (value, other) in self.found.iter_mut().zip(&other.found) {
            *value = match *other {
                Value::Missing => Value::Missing,
                Value::Null => Value::Null,
                Value::Borrowed(text) => Value::Borrowed(own(text)),
                Value::Buffered => Value::Buffered,
                Value::Other(kind) => Value::Other(kind),
                Value::Repeated => Value::Repeated,
                Value::Raw(raw) => Value::Raw(own(raw)),
            };
        }
    }

    pub(super) fn clear(&mut self) {
        self.found.fill(Value::Missing);
    }

    /// Whether the record has the field, be it null.
    pub(crate) fn has(&self, slot: Slot) -> bool {
        !matches!(self.found[slot], Value::Missing)
    }

    /// Whether a value at this depth takes precedence over the one found.
    #[inline]
    pub(super) fn takes(&self, slot: Slot, depth: u32) -> bool {
        self.depths[slot] >= depth || !self.has(slot)
    }

    /// Forgets the values of these fields that were found deeper than `depth`: another object of the
    /// same name replaces the one that had them.
    pub(super) fn forget(&mut self, members: &Members<'_>, depth: u32) {
        // Fields of objects inside are among these, by their longer names.
        for &(_, slot) in &members.fields {
            if self.depths[slot] > depth {
                self.found[slot] = Value::Missing;
            }
        }
    }
}

impl<'a> std::ops::Index<Slot> for Values<'a> {
    type Output = Value<'a>;

    fn index(&self, slot: Slot) -> &Value<'a> {
        &self.found[slot]
    }
}

/// Buffers for the strings of one record, one for each slot.
pub(crate) type Buffers = Vec<String>;

/// A string, borrowed where it can be.
#[derive(serde::Deserialize)]
pub(super) struct Str<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);
