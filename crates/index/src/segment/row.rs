//! The numbers of a document.

use crate::DocNumber;
use lookalike_core::{TextDigest, TokenDigest};

/// The numbers of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Its number.
    pub number: DocNumber,
    /// The number under which its id was first added.
    pub first: DocNumber,
    /// Its sweep; 0 for none.
    pub sweep: u32,
    /// Number of tokens.
    pub tokens: u32,
    /// When it is deleted, in seconds since 1970; 0 for never.
    pub expires: u64,
    /// Bytes of text.
    pub text_bytes: u64,
    /// Digest of the text.
    pub text: TextDigest,
    /// Digest of the sequence of tokens.
    pub sequence: TokenDigest,
    /// Whether the set is too small to be compared.
    pub few: bool,
    /// The caller's code for why there are no features.
    pub reason: u8,
    /// Where its text or set begins in the section of texts, and how many bytes it has.
    pub(super) place: (u64, u32),
}

impl Row {
    /// Bytes of a stored row.
    pub(super) const BYTES: usize = 4 * 4 + 2 * 8 + 2 * 16 + 8 + 4 + 2;

    pub(super) fn encode(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        let mut at = 0;
        let mut put = |value: &[u8]| {
            bytes[at..at + value.len()].copy_from_slice(value);
            at += value.len();
        };
        put(&self.number.0.to_le_bytes());
        put(&self.first.0.to_le_bytes());
        put(&self.sweep.to_le_bytes());
        put(&self.tokens.to_le_bytes());
        put(&self.expires.to_le_bytes());
        put(&self.text_bytes.to_le_bytes());
        put(&self.text.0.to_le_bytes());
        put(&self.sequence.0.to_le_bytes());
        put(&self.place.0.to_le_bytes());
        put(&self.place.1.to_le_bytes());
        put(&[u8::from(self.few), self.reason]);
        bytes
    }

    pub(super) fn decode(bytes: [u8; Self::BYTES]) -> Self {
        fn take<const N: usize>(bytes: &mut &[u8]) -> [u8; N] {
            let (head, rest) = bytes.split_first_chunk().expect("the fields of BYTES bytes");
            *bytes = rest;
            *head
        }
        let rest = &mut &bytes[..];
        Self {
            number: DocNumber(u32::from_le_bytes(take(rest))),
            first: DocNumber(u32::from_le_bytes(take(rest))),
            sweep: u32::from_le_bytes(take(rest)),
            tokens: u32::from_le_bytes(take(rest)),
            expires: u64::from_le_bytes(take(rest)),
            text_bytes: u64::from_le_bytes(take(rest)),
            text: TextDigest(u128::from_le_bytes(take(rest))),
            sequence: TokenDigest(u128::from_le_bytes(take(rest))),
            place: (u64::from_le_bytes(take(rest)), u32::from_le_bytes(take(rest))),
            few: take::<1>(rest) == [1],
            reason: take::<1>(rest)[0],
        }
    }
}
