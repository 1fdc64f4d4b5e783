//! Checksummed encoding of sparse counters: what [`crate::DfSketch`] and [`crate::ElementOrder`]
//! travel in.
//!
//! Layout, all numbers little-endian: 8 bytes that name the kind, version (`u32`), length (`u8`)
//! and bytes of the name of the hash family, log₂ of the number of counters (`u8`), fields of the
//! kind, number of entries (`u64`), the entries, and XXH3-128 of everything before. An entry is the
//! distance from the counter of the entry before it, and a value that is not 0, both as LEB128.

use lookalike_core::{HASH_NAME, TextDigest};

/// Why bytes are not a usable sketch or order.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The bytes begin otherwise.
    #[error("these bytes are not {0}")]
    OtherKind(&'static str),
    /// Written in a version of the format that is not known here.
    #[error(
        "{kind} has format version {found}, and this version of lookalike reads version {known}: \
         use the same version of lookalike for all steps of a run"
    )]
    OtherVersion {
        /// What the bytes hold.
        kind: &'static str,
        /// The version that they state.
        found: u32,
        /// The version that is known.
        known: u32,
    },
    /// Made from elements of another hash family.
    #[error(
        "{kind} was made with hash `{found}`, and elements are made with `{HASH_NAME}` here: use the same \
         version of lookalike for all steps of a run"
    )]
    OtherHash {
        /// What the bytes hold.
        kind: &'static str,
        /// The hash that they state.
        found: String,
    },
    /// Cut short or changed.
    #[error("{kind} is damaged ({what}): make it anew")]
    Damaged {
        /// What the bytes hold.
        kind: &'static str,
        /// What is wrong.
        what: &'static str,
    },
}

/// Kind of content: its first bytes, its version and its name in messages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) magic: [u8; 8],
    pub(crate) version: u32,
    pub(crate) name: &'static str,
}

/// Bytes of the checksum.
const CHECKSUM: usize = 16;

/// Most bytes of a number as LEB128.
const LONGEST: u32 = 10;

/// Encodes entries (counter, value), sorted by counter, distinct counters, no value 0.
pub(crate) fn encode(
    kind: Kind,
    counter_bits: u32,
    fields: &[u64],
    entries: impl Iterator<Item = (u32, u64)>,
) -> Vec<u8> {
    let mut body = Vec::new();
    let (mut count, mut before) = (0u64, 0);
    for (counter, value) in entries {
        push_number(&mut body, u64::from(counter - before));
        push_number(&mut body, value);
        (count, before) = (count + 1, counter);
    }
    let mut out = kind.magic.to_vec();
    out.extend(kind.version.to_le_bytes());
    out.push(HASH_NAME.len() as u8);
    out.extend(HASH_NAME.as_bytes());
    out.push(counter_bits as u8);
    fields.iter().for_each(|field| out.extend(field.to_le_bytes()));
    out.extend(count.to_le_bytes());
    out.append(&mut body);
    let checksum = TextDigest::of(&out).0;
    out.extend(checksum.to_le_bytes());
    out
}

/// What [`encode`] was given, entry by entry.
#[derive(Debug)]
pub(crate) struct Decoder<'a, const FIELDS: usize> {
    kind: Kind,
    rest: &'a [u8],
    pub(crate) counter_bits: u32,
    pub(crate) fields: [u64; FIELDS],
    pub(crate) entries: u64,
}

impl<'a, const FIELDS: usize> Decoder<'a, FIELDS> {
    /// Checks kind, version, checksum and hash, in this order; reads up to the first entry. `bits`
    /// are the numbers of counters (log₂) that are valid.
    pub(crate) fn open(
        kind: Kind,
        bits: std::ops::RangeInclusive<u32>,
        bytes: &'a [u8],
    ) -> Result<Self, DecodeError> {
        let mut this = Self { kind, rest: bytes, counter_bits: 0, fields: [0; FIELDS], entries: 0 };
        let magic = this.take(kind.magic.len()).ok();
        if magic != Some(&kind.magic) {
            return Err(DecodeError::OtherKind(kind.name));
        }
        let found = u32::from_le_bytes(this.array()?);
        if found != kind.version {
            return Err(DecodeError::OtherVersion { kind: kind.name, found, known: kind.version });
        }
        let content = this.rest.len().checked_sub(CHECKSUM);
        let content = content.ok_or_else(|| this.damaged("cut short"))?;
        let (content, checksum) = this.rest.split_at(content);
        let all = &bytes[..bytes.len() - CHECKSUM];
        if TextDigest::of(all).0.to_le_bytes() != *checksum {
            return Err(this.damaged("its checksum differs"));
        }
        this.rest = content;
        let length = this.array::<1>()?[0];
        let hash = this.take(length.into())?;
        if hash != HASH_NAME.as_bytes() {
            let found = String::from_utf8_lossy(hash).into_owned();
            return Err(DecodeError::OtherHash { kind: kind.name, found });
        }
        this.counter_bits = this.array::<1>()?[0].into();
        if !bits.contains(&this.counter_bits) {
            return Err(this.damaged("its number of counters is out of range"));
        }
        for field in 0..FIELDS {
            this.fields[field] = u64::from_le_bytes(this.array()?);
        }
        this.entries = u64::from_le_bytes(this.array()?);
        Ok(this)
    }

    /// Passes all entries on, in order, and checks that nothing follows.
    pub(crate) fn for_each(mut self, mut each: impl FnMut(usize, u64)) -> Result<(), DecodeError> {
        let counters = 1u64 << self.counter_bits;
        let mut counter = 0u64;
        for entry in 0..self.entries {
            let gap = self.number()?;
            if (gap == 0 && entry > 0) || gap >= counters - counter {
                return Err(self.damaged("a counter is out of order or out of range"));
            }
            counter += gap;
            let value = self.number()?;
            if value == 0 {
                return Err(self.damaged("a counter is 0"));
            }
            each(counter as usize, value);
        }
        if self.rest.is_empty() { Ok(()) } else { Err(self.damaged("it has trailing bytes")) }
    }

    pub(crate) fn damaged(&self, what: &'static str) -> DecodeError {
        DecodeError::Damaged { kind: self.kind.name, what }
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], DecodeError> {
        let (taken, rest) =
            self.rest.split_at_checked(length).ok_or_else(|| self.damaged("cut short"))?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N)?);
        Ok(out)
    }

    fn number(&mut self) -> Result<u64, DecodeError> {
        let mut number = 0u64;
        for at in 0..LONGEST {
            let byte = self.array::<1>()?[0];
            let bits = u64::from(byte & 0x7F);
            if at == LONGEST - 1 && bits > 1 {
                break;
            }
            number |= bits << (7 * at);
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(self.damaged("a number is too long"))
    }
}

/// Appends a number as LEB128.
fn push_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KIND: Kind = Kind { magic: *b"TESTKIND", version: 3, name: "a test" };

    type Content = (u32, [u64; 2], Vec<(usize, u64)>);

    fn decode(bytes: &[u8]) -> Result<Content, DecodeError> {
        let decoder = Decoder::<2>::open(KIND, 4..=20, bytes)?;
        let (bits, fields) = (decoder.counter_bits, decoder.fields);
        let mut entries = Vec::new();
        decoder.for_each(|counter, value| entries.push((counter, value)))?;
        Ok((bits, fields, entries))
    }

    proptest! {
        #[test]
        fn decodes_what_was_encoded_and_nothing_else(
            entries in prop::collection::btree_map(0u32..1 << 12, 1u64.., 0..60),
            fields in any::<[u64; 2]>(),
            at in any::<prop::sample::Index>(),
            flip in 1u8..,
        ) {
            let bytes = encode(KIND, 12, &fields, entries.iter().map(|(&c, &v)| (c, v)));
            let expected: Vec<(usize, u64)> = entries.iter().map(|(&c, &v)| (c as usize, v)).collect();
            prop_assert_eq!(decode(&bytes).unwrap(), (12, fields, expected));
            let mut damaged = bytes.clone();
            damaged[at.index(bytes.len())] ^= flip;
            prop_assert!(decode(&damaged).is_err());
            prop_assert!(decode(&bytes[..at.index(bytes.len())]).is_err());
        }

        /// With a checksum that fits, as if the writer were wrong: an error or entries in order, no
        /// panic.
        #[test]
        fn malformed_content_is_refused(content in prop::collection::vec(any::<u8>(), 0..40)) {
            let mut bytes = encode(KIND, 12, &[], std::iter::empty());
            bytes.truncate(bytes.len() - CHECKSUM - 8);
            bytes.extend(content);
            let checksum = TextDigest::of(&bytes).0;
            bytes.extend(checksum.to_le_bytes());
            if let Ok((_, _, entries)) = decode(&bytes) {
                prop_assert!(entries.is_sorted_by(|a, b| a.0 < b.0));
                prop_assert!(entries.iter().all(|&(counter, value)| counter < 1 << 12 && value > 0));
            }
        }
    }

    #[test]
    fn the_reason_is_named() {
        let bytes = encode(KIND, 12, &[1, 2], [(3, 4)].into_iter());
        let reason = |bytes: &[u8]| decode(bytes).unwrap_err().to_string();
        assert_eq!(reason(b"PK"), "these bytes are not a test");
        let mut other = bytes.clone();
        other[8] = 9;
        assert!(reason(&other).contains("format version 9"), "{}", reason(&other));
        assert!(reason(&bytes[..30]).contains("checksum"), "{}", reason(&bytes[..30]));
        let sealed = |mut content: Vec<u8>| {
            let checksum = TextDigest::of(&content).0;
            content.extend(checksum.to_le_bytes());
            reason(&content)
        };
        let content = &bytes[..bytes.len() - CHECKSUM];
        let mut foreign = content.to_vec();
        foreign[13] = b'y';
        assert!(sealed(foreign).contains("hash `yxh3"));
        let mut counters = content.to_vec();
        counters[13 + HASH_NAME.len()] = 63;
        assert!(sealed(counters).contains("number of counters"));
        assert!(sealed([content, &[0]].concat()).contains("trailing"));
        assert!(sealed(content[..content.len() - 1].to_vec()).contains("cut short"));
    }
}
