//! Values of the fields that a method reads, and of those by which documents are distinct.

use crate::across::with_key;
use crate::distinctions::value_hash;
use lookalike_core::SetDigest;
use lookalike_core::fingerprint::{finalise, token};
use lookalike_io::{Beside, RecordView};
use lookalike_methods::{Field, FieldUse, Number};
use std::sync::atomic::{AtomicBool, Ordering};

/// Which values of a record ([`RecordView::given`]) a signer uses.
#[derive(Debug, Default)]
pub(super) struct GivenFields {
    /// Names of the fields whose values are features, and where the values are.
    features: Vec<(String, Place)>,
    /// Numbers of the fields whose words are features.
    pub(super) texts: Vec<usize>,
    /// Features of the fields with numbers.
    numbers: Vec<(Field, usize)>,
    /// All names, and whether a document had a value.
    names: Vec<(String, AtomicBool)>,
}

/// The values of a document that are used beside its text.
#[derive(Debug, Default)]
pub(super) struct Given {
    /// Token hashes of its other texts, one after the other, and the end of each.
    pub(super) texts: Vec<u64>,
    pub(super) text_ends: Vec<u32>,
    pub(super) numbers: Vec<Number>,
    /// A hash of what it has in common with all documents that it may match; 0 if that is any.
    pub(super) label: u64,
    /// The key of the value by which it differs from all documents that it may match; 0 if it may match
    /// any.
    pub(super) value: u64,
    /// A digest of its words, each as often as it occurs; 0 if they do not count.
    pub(super) words: u128,
}

impl Given {
    /// Whether nothing is used.
    pub(super) fn is_empty(&self) -> bool {
        self.text_ends.is_empty() && self.numbers.is_empty() && self.label == 0
    }

    /// Appends all that a signature and a set depend on.
    pub(super) fn append_to(&self, signed: &mut Vec<u64>) {
        signed.extend_from_slice(&self.texts);
        signed.extend(self.text_ends.iter().map(|&end| u64::from(end)));
        for number in &self.numbers {
            signed.extend([number.name.0, number.millionths as u64]);
        }
        let lengths = [self.text_ends.len(), self.numbers.len()].map(|length| length as u64);
        signed.extend(lengths.into_iter().chain([self.label]));
    }

    /// Permutes elements or keys, if documents are separated. Returns whether they are.
    pub(super) fn permute(&self, elements: &mut [u64]) -> bool {
        let separated = self.label != 0;
        if separated {
            elements.iter_mut().for_each(|element| *element = permuted(*element, self.label));
        }
        separated
    }

    /// A digest that documents with another value do not have.
    pub(super) fn across(&self, digest: SetDigest) -> SetDigest {
        SetDigest(with_key(digest.0, self.value))
    }

    /// A digest of a token sequence that documents with another label or other words do not have.
    pub(super) fn separated(&self, digest: SetDigest) -> SetDigest {
        SetDigest(digest.0 ^ self.words ^ (u128::from(self.label) << 64 | u128::from(self.label)))
    }
}

/// The image of an element or a key under the permutation of a label. Elements that are equal for
/// one label are not for another, but by chance as for any two elements.
#[inline]
#[must_use]
pub fn permuted(element: u64, label: u64) -> u64 {
    finalise(element ^ label)
}

/// Where a value is in a record.
#[derive(Debug, Clone, Copy)]
enum Place {
    Url,
    Title,
    Date,
    Given(usize),
}

impl GivenFields {
    /// The uses of fields that are read under these names, in this order.
    pub(super) fn new(uses: FieldUse<'_>, names: &[String]) -> Self {
        let place = |name: &str| names.iter().position(|known| known == name);
        let feature = |name: &String| {
            let place = match name.as_str() {
                "url" => Place::Url,
                "title" => Place::Title,
                "date" => Place::Date,
                name => Place::Given(place(name)?),
            };
            Some((name.clone(), place))
        };
        let number = |name: &String| Some((Field(token(name.as_bytes())), place(name)?));
        Self {
            features: uses.features.iter().filter_map(feature).collect(),
            texts: uses.texts.iter().filter_map(|name| place(name)).collect(),
            numbers: uses.numbers.iter().filter_map(number).collect(),
            names: names.iter().map(|name| (name.clone(), AtomicBool::new(false))).collect(),
        }
    }

    /// A name of which no document had a value.
    pub(super) fn missing(&self) -> Option<&str> {
        let missing = self
            .names
            .iter()
            .find(|(name, seen)| name != Beside::FIELD && !seen.load(Ordering::Relaxed));
        missing.map(|(name, _)| name.as_str())
    }

    /// Remembers which fields a record has.
    pub(super) fn see(&self, record: &RecordView<'_>) {
        for (field, (_, seen)) in self.names.iter().enumerate() {
            if seen.load(Ordering::Relaxed) {
                continue;
            }
            // A stored document has a hash of its values.
            let is_stored = record.beside.distinct.is_some() || record.beside.across.is_some();
            if is_stored || record.given.of(field).next().is_some() {
                seen.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Replaces `out` by the fields of a record that are features.
    pub(super) fn features(&self, record: &RecordView<'_>, out: &mut Vec<Field>) {
        out.clear();
        for (name, place) in &self.features {
            let mut push =
                |value: &str| out.push(Field(token(format!("{name}={value}").as_bytes())));
            let known = match *place {
                Place::Url => &record.url,
                Place::Title => &record.title,
                Place::Date => &record.date,
                Place::Given(field) => {
                    record.given.of(field).for_each(push);
                    continue;
                }
            };
            if let Some(value) = known {
                push(value);
            }
        }
    }

    /// Replaces `out` by the numbers of a record. What is no number is left out.
    pub(super) fn numbers(&self, record: &RecordView<'_>, out: &mut Vec<Number>) {
        out.clear();
        for &(name, field) in &self.numbers {
            let value = record.given.of(field).find_map(|value| value.parse().ok());
            out.extend(value.and_then(|value| Number::new(name, value)));
        }
    }

    /// A hash of the values that a record has of a field.
    pub(super) fn value(&self, name: &str, record: &RecordView<'_>) -> u64 {
        value_hash(self.values(name, record))
    }

    /// The values that a record has of a field.
    pub(super) fn values<'r>(
        &self,
        name: &str,
        record: &'r RecordView<'_>,
    ) -> impl Iterator<Item = &'r str> {
        let field = self.names.iter().position(|(known, _)| known == name);
        field.into_iter().flat_map(|field| record.given.of(field))
    }
}
