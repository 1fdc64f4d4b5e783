//! Records in blobs.

use super::super::damaged;
use super::super::tables::{Message, MessageWriter};
use lookalike_passages::Record;
use lookalike_run::LookalikeError;
use std::collections::BTreeMap;

/// Bytes that wait in an [`Outbox`] before they are sent.
const WAITING: usize = 32 << 20;

/// Records on their way to several parts, of which each gets many in one message.
pub(super) struct Outbox {
    kind: i64,
    /// Bytes and number of the records, by part.
    waiting: BTreeMap<i64, (Vec<u8>, i64)>,
    bytes: usize,
}

impl Outbox {
    /// For messages of a kind.
    pub(super) fn new(kind: i64) -> Self {
        Self { kind, waiting: BTreeMap::new(), bytes: 0 }
    }

    /// Sends a record to a part.
    pub(super) fn record<const N: usize>(
        &mut self,
        part: i64,
        record: [u32; N],
        out: &mut MessageWriter,
    ) -> Result<(), LookalikeError> {
        self.add(part, |bytes| put(&record, bytes), out)
    }

    /// Sends a record of any form to a part.
    pub(super) fn add(
        &mut self,
        part: i64,
        write: impl FnOnce(&mut Vec<u8>),
        out: &mut MessageWriter,
    ) -> Result<(), LookalikeError> {
        let (bytes, number) = self.waiting.entry(part).or_default();
        let before = bytes.len();
        write(bytes);
        *number += 1;
        self.bytes += bytes.len() - before;
        match self.bytes < WAITING {
            true => Ok(()),
            false => self.send(out),
        }
    }

    /// Sends all records that wait.
    pub(super) fn send(&mut self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        self.bytes = 0;
        let kind = self.kind;
        std::mem::take(&mut self.waiting).into_iter().try_for_each(|(part, (blob, number))| {
            out.push(Message { part, kind, number, blob: &blob, ..Message::default() })
        })
    }
}

/// Appends numbers.
pub(super) fn put(numbers: &[u32], bytes: &mut Vec<u8>) {
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

/// Appends a 64-bit number.
pub(super) fn put_long(number: u64, bytes: &mut Vec<u8>) {
    bytes.extend(number.to_le_bytes());
}

/// Appends bytes with their length.
pub(super) fn put_bytes(text: &[u8], bytes: &mut Vec<u8>) {
    put_long(text.len() as u64, bytes);
    bytes.extend(text);
}

/// Appends the records of values.
pub(super) fn put_all<const N: usize, R: Record<N>>(values: &[R], bytes: &mut Vec<u8>) {
    values.iter().for_each(|value| put(&value.to_record(), bytes));
}

/// Reads a blob from its start.
pub(super) struct Reader<'b>(pub(super) &'b [u8]);

impl<'b> Reader<'b> {
    /// Whether nothing is left.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next bytes.
    ///
    /// # Errors
    /// There are fewer; so of the others.
    pub(super) fn take(&mut self, length: usize) -> Result<&'b [u8], LookalikeError> {
        let (own, rest) = self.0.split_at_checked(length).ok_or_else(|| damaged(DAMAGED))?;
        self.0 = rest;
        Ok(own)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], LookalikeError> {
        self.take(N)?.try_into().map_err(|_| damaged(DAMAGED))
    }

    pub(super) fn number(&mut self) -> Result<u32, LookalikeError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(super) fn long(&mut self) -> Result<u64, LookalikeError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(super) fn record<const N: usize>(&mut self) -> Result<[u32; N], LookalikeError> {
        let mut record = [0; N];
        for number in &mut record {
            *number = self.number()?;
        }
        Ok(record)
    }

    /// Bytes behind their length.
    pub(super) fn bytes(&mut self) -> Result<&'b [u8], LookalikeError> {
        let length = self.long()?;
        self.take(usize::try_from(length).unwrap_or(usize::MAX))
    }

    /// A text behind its length.
    pub(super) fn text(&mut self) -> Result<&'b str, LookalikeError> {
        text_of(self.bytes()?)
    }
}

/// Bytes that a step wrote as a text.
///
/// # Errors
/// They are none.
pub(super) fn text_of(bytes: &[u8]) -> Result<&str, LookalikeError> {
    std::str::from_utf8(bytes).map_err(|_| damaged(DAMAGED))
}

/// Appends the values of a blob to others.
///
/// # Errors
/// Part of a record.
pub(super) fn read_all<const N: usize, R: Record<N>>(
    blob: &[u8],
    values: &mut Vec<R>,
) -> Result<(), LookalikeError> {
    let mut reader = Reader(blob);
    values.reserve(blob.len() / (4 * N));
    while !reader.is_empty() {
        values.push(R::of_record(reader.record()?));
    }
    Ok(())
}

const DAMAGED: &str = "the records of a message are damaged";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::rows::RowWriter;
    use crate::steps::tables::MessageReader;
    use lookalike_passages::Cut;

    #[test]
    fn records_come_to_their_parts() {
        let (mut outbox, mut out) = (Outbox::new(7), MessageWriter::default());
        for number in 0..10 {
            outbox.record(i64::from(number % 3), [number, number * number], &mut out).unwrap();
        }
        outbox.send(&mut out).unwrap();
        outbox.send(&mut out).unwrap();
        let batches = out.finish().unwrap();
        let mut found = Vec::new();
        for row in MessageReader::new(&batches[0]).unwrap().iter() {
            let mut reader = Reader(row.blob);
            let before = found.len();
            while !reader.is_empty() {
                let [number, square] = reader.record().unwrap();
                assert_eq!((i64::from(number % 3), number * number), (row.part, square));
                found.push(number);
            }
            assert_eq!((row.kind, row.number), (7, (found.len() - before) as i64));
        }
        assert_eq!(found, [0, 3, 6, 9, 1, 4, 7, 2, 5, 8]);
    }

    #[test]
    fn damaged_blobs_are_errors() {
        let mut bytes = Vec::new();
        put_bytes("é".as_bytes(), &mut bytes);
        assert_eq!(Reader(&bytes).text().unwrap(), "é");
        for length in 0..bytes.len() {
            assert!(Reader(&bytes[..length]).text().is_err());
        }
        put_bytes(&[0xff], &mut bytes);
        assert!(Reader(&bytes[10..]).text().is_err());
        assert!(Reader(&u64::MAX.to_le_bytes()).bytes().is_err());
        assert!(read_all::<5, Cut>(&bytes[..7], &mut Vec::new()).is_err());
    }
}
