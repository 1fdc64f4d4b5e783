//! Signatures in, in flat columns: the keys and sketches of one chunk's documents.

use crate::reason_codes;
use lookalike_methods::{Signature, Sketch, Unsigned};
use lookalike_spill::{Decoder, Encoder};
use std::io::{self, Read, Write};

/// Signatures, one after the other, in step with the feature sets of the same block.
#[derive(Debug, Default)]
pub struct SignatureBlock {
    /// `None` as long as every document's keys are its sketch, as with Broder's `dsc`, where they
    /// are most of what a document takes.
    keys: Option<Column>,
    sketches: Column,
    sizes: Vec<u32>,
    levels: Vec<u32>,
    unsigned: Vec<Option<Unsigned>>,
}

/// Slices of any length, one after the other.
#[derive(Debug, Default, Clone)]
struct Column {
    values: Vec<u64>,
    ends: Vec<u64>,
}

impl Column {
    fn push(&mut self, values: &[u64]) {
        self.values.extend_from_slice(values);
        self.ends.push(self.values.len() as u64);
    }

    fn get(&self, index: u32) -> &[u64] {
        let index = index as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.values[start as usize..self.ends[index] as usize]
    }
}

impl SignatureBlock {
    /// Adds a document's signature, or why it has none.
    pub(crate) fn push(&mut self, signature: &Signature, signed: Result<(), Unsigned>) {
        let signature = signed.is_ok().then_some(signature);
        let (keys, sketch): (&[u64], &[u64]) =
            signature.map_or((&[], &[]), |s| (&s.keys, &s.sketch));
        if self.keys.is_none() && keys != sketch {
            self.keys = Some(self.sketches.clone());
        }
        if let Some(column) = &mut self.keys {
            column.push(keys);
        }
        self.sketches.push(sketch);
        self.sizes.push(signature.map_or(0, |s| s.size));
        self.levels.push(signature.map_or(0, |s| s.level));
        self.unsigned.push(signed.err());
    }

    /// The signatures of these indices, in their order.
    pub(crate) fn select(&self, indices: &[u32]) -> Self {
        let column = |all: &Column| {
            let mut column = Column::default();
            indices.iter().for_each(|&index| column.push(all.get(index)));
            column
        };
        let number = |all: &[u32]| indices.iter().map(|&index| all[index as usize]).collect();
        let unsigned = indices.iter().map(|&index| self.unsigned[index as usize]);
        let keys = self.keys.as_ref().map(column);
        let sketches = column(&self.sketches);
        // As if only these had been added: keys that equal the sketches are stored once.
        let keys = keys.filter(|keys| keys.values != sketches.values || keys.ends != sketches.ends);
        Self {
            keys,
            sketches,
            sizes: number(&self.sizes),
            levels: number(&self.levels),
            unsigned: unsigned.collect(),
        }
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        if let Some(keys) = &mut self.keys {
            keys.values.shrink_to_fit();
        }
        self.sketches.values.shrink_to_fit();
    }

    /// Number of signatures.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// The keys of a document; none if it has no signature.
    #[must_use]
    pub fn keys(&self, index: u32) -> &[u64] {
        self.keys.as_ref().unwrap_or(&self.sketches).get(index)
    }

    /// The sketch of a document; empty if it has no signature.
    #[must_use]
    pub fn sketch(&self, index: u32) -> Sketch<'_> {
        Sketch {
            words: self.sketches.get(index),
            size: self.sizes[index as usize],
            level: self.levels[index as usize],
        }
    }

    /// Size of the document in features.
    #[must_use]
    pub fn size(&self, index: u32) -> u32 {
        self.sizes[index as usize]
    }

    /// Why a document has no signature.
    #[must_use]
    pub fn unsigned(&self, index: u32) -> Option<Unsigned> {
        self.unsigned[index as usize]
    }

    pub(crate) fn write(&self, out: &mut Encoder<impl Write>) -> io::Result<()> {
        out.array(&[u8::from(self.keys.is_some())])?;
        for column in self.keys.iter().chain([&self.sketches]) {
            out.array(&column.values)?;
            out.array(&column.ends)?;
        }
        out.array(&self.sizes)?;
        out.array(&self.levels)?;
        out.array(&self.unsigned.iter().copied().map(reason_codes::code).collect::<Vec<u8>>())
    }

    pub(crate) fn read(from: &mut Decoder<impl Read>, most: u64) -> io::Result<Self> {
        let has_keys = from.array::<u8>(most)? == [1];
        let mut column =
            || io::Result::Ok(Column { values: from.array(most)?, ends: from.array(most)? });
        let keys = if has_keys { Some(column()?) } else { None };
        let sketches = column()?;
        let (sizes, levels) = (from.array(most)?, from.array(most)?);
        let codes = from.array::<u8>(most)?.into_iter();
        let unsigned =
            codes.map(|code| reason_codes::reason(code.into())).collect::<io::Result<_>>()?;
        Ok(Self { keys, sketches, sizes, levels, unsigned })
    }

    /// Bytes of keys and sketches as they are stored: no keys where the sketches are the keys.
    #[must_use]
    pub fn bytes(&self) -> (u64, u64) {
        let bytes = |column: &Column| column.values.len() as u64 * 8;
        (self.keys.as_ref().map_or(0, bytes), bytes(&self.sketches))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_come_back_as_they_went_in() {
        let mut block = SignatureBlock::default();
        let signature = Signature { keys: vec![3, 1], sketch: vec![7], size: 5, level: 2 };
        block.push(&signature, Ok(()));
        block.push(&signature, Err(Unsigned::TooShort));
        block.push(&Signature { keys: vec![9], ..Signature::default() }, Ok(()));
        assert_eq!(block.keys(0), [3, 1]);
        assert_eq!(block.sketch(0), Sketch { words: &[7], size: 5, level: 2 });
        assert_eq!((block.keys(1), block.unsigned(1)), (&[][..], Some(Unsigned::TooShort)));
        assert_eq!((block.keys(2), block.unsigned(2)), (&[9][..], None));
        assert_eq!(block.bytes(), (24, 8));
        let mut written = Encoder(Vec::new());
        block.write(&mut written).unwrap();
        let read = SignatureBlock::read(&mut Decoder(&*written.0), 1000).unwrap();
        assert_eq!(format!("{read:?}"), format!("{block:?}"));
    }

    /// Keys that are the sketch are stored once, until some are not.
    #[test]
    fn keys_that_are_the_sketch_take_no_room() {
        let mut block = SignatureBlock::default();
        let same = Signature { keys: vec![3, 1], sketch: vec![3, 1], ..Signature::default() };
        block.push(&same, Ok(()));
        block.push(&same, Err(Unsigned::TooShort));
        assert_eq!((block.keys(0), block.keys(1), block.bytes()), (&[3, 1][..], &[][..], (0, 16)));
        block
            .push(&Signature { keys: vec![2], sketch: vec![7, 8], ..Signature::default() }, Ok(()));
        block.push(&same, Ok(()));
        let keys: Vec<&[u64]> = (0..4).map(|index| block.keys(index)).collect();
        assert_eq!(keys, [&[3, 1][..], &[], &[2], &[3, 1]]);
        assert_eq!(block.sketch(2).words, [7, 8]);
        assert_eq!(block.bytes(), (40, 48));
    }
}
