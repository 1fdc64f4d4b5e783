//! Documents match only across the values of something: splits, sources, owners.
//!
//! Elements stay as they are. A document has a *key*, a hash of its value. Documents with equal sets
//! are one unit only if they have the same key, so that a unit has one value; members of a unit do not
//! match each other; and the join drops pairs of units with the same key
//! ([`SetSource::may_match`](lookalike_join::SetSource::may_match)).

use crate::distinctions::value_hash;
use lookalike_core::fingerprint::finalise;
use lookalike_io::{Inputs, RecordView};
use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

/// By what documents have to differ to match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Across {
    /// The argument of the command that led to the file of the document.
    Inputs,
    /// The values of a field, each once, in any order. Documents without one have that in common.
    Field(String),
}

/// How [`Across::Inputs`] is written.
const INPUTS: &str = "inputs";

impl FromStr for Across {
    type Err = Infallible;

    fn from_str(written: &str) -> Result<Self, Infallible> {
        Ok(match written {
            INPUTS => Self::Inputs,
            field => Self::Field(field.to_owned()),
        })
    }
}

impl fmt::Display for Across {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Inputs => INPUTS,
            Self::Field(field) => field,
        })
    }
}

impl Across {
    /// The field that is read of each record, if any is.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::Inputs => None,
            Self::Field(field) => Some(field),
        }
    }

    /// The value of a record as text, as it is shown: of several values all, each once.
    #[must_use]
    pub fn shown(&self, record: &RecordView<'_>, inputs: &Inputs) -> String {
        let Self::Field(name) = self else {
            return inputs.files[record.file as usize].argument.clone();
        };
        let given = inputs.options.fields.given.iter().position(|known| known == name);
        let mut values: Vec<&str> = given.into_iter().flat_map(|at| record.given.of(at)).collect();
        values.sort_unstable();
        values.dedup();
        values.join(", ")
    }
}

/// The key of a document that came from an input.
#[must_use]
pub fn input_key(argument: &str) -> u64 {
    value_key(std::iter::once(argument))
}

/// The key of a document with these values: at least 1, and below 2⁵², so that a column of 64-bit
/// floats has it exactly. 0 is no key.
#[must_use]
pub fn value_key<'v>(values: impl Iterator<Item = &'v str>) -> u64 {
    key_of_hash(value_hash(values))
}

/// The key of values with this hash ([`value_hash`]).
pub(crate) fn key_of_hash(hash: u64) -> u64 {
    (hash >> 12).max(1)
}

/// A digest that documents with another key do not have; with key 0, the same. It differs in the high
/// half only: the low half stays that of the set. With the same key again it is the digest itself.
#[must_use]
pub fn with_key(digest: u128, key: u64) -> u128 {
    match key {
        0 => digest,
        key => digest ^ u128::from(finalise(key)) << 64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_of_values_in_any_order_and_fit_into_floats() {
        let key = |values: &[&str]| value_key(values.iter().copied());
        assert_eq!(key(&["a", "b"]), key(&["b", "a", "a"]));
        assert_ne!(key(&["a"]), key(&["b"]));
        assert_ne!(key(&[]), key(&[""]));
        for values in [&[][..], &["test"], &["train"]] {
            assert!((1..1 << 52).contains(&key(values)));
            assert_eq!(key(values) as f64 as u64, key(values));
        }
    }

    #[test]
    fn a_key_leaves_the_low_half_of_a_digest() {
        let digest = 7u128 << 64 | 9;
        assert_eq!(with_key(digest, 0), digest);
        assert_eq!(with_key(digest, 5) as u64, 9);
        assert_ne!(with_key(digest, 5), with_key(digest, 6));
        assert_eq!(with_key(with_key(digest, 5), 5), digest);
    }

    #[test]
    fn names_are_written_as_they_are_read() {
        for (written, across) in
            [("inputs", Across::Inputs), ("meta.split", Across::Field("meta.split".into()))]
        {
            assert_eq!((written.parse(), across.to_string()), (Ok(across.clone()), written.into()));
        }
    }
}
