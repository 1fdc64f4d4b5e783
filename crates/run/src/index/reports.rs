//! Reports about prototypes, as records of the index.
//!
//! Two tables: one row for each prototype with its counts, one row for each reporter of a
//! prototype. Both change in the same commit. A third has the messages of mail folders that were
//! reported, so that each is reported once. FORMAT.md, *Index store*, describes them.

use crate::LookalikeError;
use lookalike_core::TextDigest;
use lookalike_index::{DocNumber, IndexError, Records};
use std::collections::BTreeMap;
use std::ops::Bound;

/// Number of a prototype → [`Counts`].
pub const PROTOTYPES: u8 = 2;

/// Number of a prototype and digest of a reporter → [`Row`].
pub const REPORTS: u8 = 3;

/// Digests of a reporter and of a message → whether it was reported as spam.
pub const FOLDERS: u8 = 6;

/// Digest of a reporter's name: the same reporter has the same digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reporter(u128);

impl Reporter {
    /// The digest of a name.
    pub fn new(name: &str) -> Self {
        Self(TextDigest::of(name.as_bytes()).0)
    }
}

/// What one reporter said about a prototype last, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Whether it is spam.
    pub spam: bool,
    /// Time of the first report, in seconds since 1970.
    pub first: u64,
    /// Time of the last.
    pub last: u64,
}

/// The reports of a prototype, counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Reporters who call it spam.
    pub spam: u32,
    /// Reporters who call it legitimate.
    pub ham: u32,
    /// Time of the first report, in seconds since 1970.
    pub first: u64,
    /// Time of the last.
    pub last: u64,
}

impl Counts {
    /// Of all rows of a prototype.
    pub fn of(rows: impl IntoIterator<Item = Row>) -> Self {
        rows.into_iter().fold(Self::default(), |counts, row| counts.with(None, row))
    }

    /// The counts after a reporter replaced one report by another, or made the first.
    pub fn with(self, before: Option<Row>, row: Row) -> Self {
        let [had_spam, had_ham] =
            [true, false].map(|spam| before.is_some_and(|row| row.spam == spam));
        let new = self.is_empty();
        Self {
            spam: self.spam - u32::from(had_spam) + u32::from(row.spam),
            ham: self.ham - u32::from(had_ham) + u32::from(!row.spam),
            first: if new { row.first } else { self.first.min(row.first) },
            last: self.last.max(row.last),
        }
    }

    /// Whether there are no reports, neither as spam nor as legitimate.
    pub fn is_empty(self) -> bool {
        self.spam == 0 && self.ham == 0
    }

    /// As it is stored.
    pub fn to_bytes(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(24);
        bytes.extend(self.spam.to_le_bytes());
        bytes.extend(self.ham.to_le_bytes());
        bytes.extend(self.first.to_le_bytes());
        bytes.extend(self.last.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; 24] = bytes.try_into().ok()?;
        Some(Self {
            spam: u32::from_le_bytes(bytes[..4].try_into().ok()?),
            ham: u32::from_le_bytes(bytes[4..8].try_into().ok()?),
            first: u64::from_le_bytes(bytes[8..16].try_into().ok()?),
            last: u64::from_le_bytes(bytes[16..].try_into().ok()?),
        })
    }
}

impl Row {
    /// As it is stored.
    pub fn to_bytes(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(17);
        bytes.push(u8::from(self.spam));
        bytes.extend(self.first.to_le_bytes());
        bytes.extend(self.last.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; 17] = bytes.try_into().ok()?;
        Some(Self {
            spam: match bytes[0] {
                0 => false,
                1 => true,
                _ => return None,
            },
            first: u64::from_le_bytes(bytes[1..9].try_into().ok()?),
            last: u64::from_le_bytes(bytes[9..].try_into().ok()?),
        })
    }
}

/// The key of a prototype: its number, big-endian, so that keys are in the order of numbers.
pub fn prototype_key(number: DocNumber) -> [u8; 4] {
    number.0.to_be_bytes()
}

/// The key of a report.
pub fn report_key(number: DocNumber, reporter: Reporter) -> [u8; 20] {
    let mut key = [0; 20];
    key[..4].copy_from_slice(&prototype_key(number));
    key[4..].copy_from_slice(&reporter.0.to_be_bytes());
    key
}

/// The key of a message of a mail folder.
pub fn folder_key(reporter: Reporter, message: TextDigest) -> [u8; 32] {
    let mut key = [0; 32];
    key[..16].copy_from_slice(&reporter.0.to_be_bytes());
    key[16..].copy_from_slice(&message.0.to_be_bytes());
    key
}

/// The messages of mail folders that one reporter reported, and whether as spam.
pub fn folder_rows(
    records: &Records,
    reporter: Reporter,
) -> Result<BTreeMap<TextDigest, bool>, LookalikeError> {
    let [start, end] =
        [u128::MIN, u128::MAX].map(|message| folder_key(reporter, TextDigest(message)));
    let found = records.range(FOLDERS, Bound::Included(&start), Bound::Included(&end))?;
    let decode = |(key, value): (Vec<u8>, Vec<u8>)| {
        let message = u128::from_be_bytes(key.get(16..)?.try_into().ok()?);
        Some((TextDigest(message), folder_value(&value)?))
    };
    found.map(|row| decode(row?).ok_or_else(|| damaged("a message of a folder"))).collect()
}

fn folder_value(value: &[u8]) -> Option<bool> {
    match value {
        [0] => Some(false),
        [1] => Some(true),
        _ => None,
    }
}

fn damaged(what: &str) -> LookalikeError {
    IndexError::Damaged { path: "store.redb".into(), what: what.to_owned() }.into()
}

/// The counts of a prototype; none for a document that nobody reported.
pub fn counts(records: &Records, number: DocNumber) -> Result<Counts, LookalikeError> {
    match records.get(PROTOTYPES, &prototype_key(number))? {
        None => Ok(Counts::default()),
        Some(value) => {
            Counts::from_bytes(&value).ok_or_else(|| damaged("the reports of a document"))
        }
    }
}

/// All prototypes with reports, in the order of their numbers.
pub fn all_counts(records: &Records) -> Result<Vec<(DocNumber, Counts)>, LookalikeError> {
    let rows = records.range(PROTOTYPES, Bound::Unbounded, Bound::Unbounded)?;
    let decode = |(key, value): (Vec<u8>, Vec<u8>)| {
        let number = DocNumber(u32::from_be_bytes(key.try_into().ok()?));
        Some((number, Counts::from_bytes(&value)?))
    };
    rows.map(|row| decode(row?).ok_or_else(|| damaged("the reports of a document"))).collect()
}

/// The report of one reporter about a prototype.
pub fn row(
    records: &Records,
    number: DocNumber,
    reporter: Reporter,
) -> Result<Option<Row>, LookalikeError> {
    let value = records.get(REPORTS, &report_key(number, reporter))?;
    value.map(|value| Row::from_bytes(&value).ok_or_else(|| damaged("a report"))).transpose()
}

/// All reports about a prototype, in the order of the reporters' digests.
pub fn rows(records: &Records, number: DocNumber) -> Result<Vec<(Reporter, Row)>, LookalikeError> {
    let [start, end] =
        [u128::MIN, u128::MAX].map(|reporter| report_key(number, Reporter(reporter)));
    let found = records.range(REPORTS, Bound::Included(&start), Bound::Included(&end))?;
    let decode = |(key, value): (Vec<u8>, Vec<u8>)| {
        let reporter = u128::from_be_bytes(key.get(4..)?.try_into().ok()?);
        Some((Reporter(reporter), Row::from_bytes(&value)?))
    };
    found.map(|row| decode(row?).ok_or_else(|| damaged("a report"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn counts_by_hand() {
        let row = |spam, first, last| Row { spam, first, last };
        let counts = Counts::of([row(true, 7, 9), row(false, 3, 4), row(true, 5, 20)]);
        assert_eq!(counts, Counts { spam: 2, ham: 1, first: 3, last: 20 });
        assert_eq!(Counts::of([]), Counts::default());
    }

    proptest! {
        #[test]
        fn what_is_stored_is_read(spam: u32, ham: u32, first: u64, last: u64, cut in 0usize..24) {
            let counts = Counts { spam, ham, first, last };
            prop_assert_eq!(Counts::from_bytes(&counts.to_bytes()), Some(counts));
            prop_assert_eq!(Counts::from_bytes(&counts.to_bytes()[..cut]), None);
            let row = Row { spam: spam % 2 == 1, first, last };
            prop_assert_eq!(Row::from_bytes(&row.to_bytes()), Some(row));
            prop_assert_eq!(Row::from_bytes(&[2; 17]), None);
        }

        #[test]
        fn keys_are_in_the_order_of_numbers(a: u32, b: u32, c: u128, d: u128) {
            let key = |number, reporter| report_key(DocNumber(number), Reporter(reporter));
            prop_assert_eq!(key(a, c).cmp(&key(b, d)), (a, c).cmp(&(b, d)));
        }
    }
}
