//! What one chunk of the input brought: rows, feature sets, signatures.

use crate::SignatureBlock;
use crate::collection::Rows;
use lookalike_core::SetDigest;
use lookalike_io::scratch::{Decoder, Encoder, Frame};
use std::io::{self, Read, Write};
use std::ops::Range;

/// One chunk. What memory has no room for is in the [`crate::ChunkStore`].
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// The documents; none where they are in the store.
    pub(crate) rows: Rows,
    /// The elements of all sets, one set behind the other; none where they are in the store.
    pub(crate) values: Vec<u64>,
    /// Digest of each set; where no sets are kept, of what was signed. None where they are in the store.
    pub(crate) digests: Vec<SetDigest>,
    /// Where each set ends in `values`.
    pub(crate) ends: Vec<u32>,
    /// The signatures of a method, if one is used.
    pub(crate) signatures: SignatureBlock,
    /// Where it is in the store, whether it is in memory as well or not.
    pub(crate) frame: Option<Frame>,
    /// Whether rows, elements and digests are in memory.
    pub(crate) held: bool,
}

/// Bytes of the digest before each set of a body.
pub(crate) const DIGEST: usize = 16;

/// Bytes of an element.
pub(crate) const ELEMENT: usize = 8;

impl Block {
    /// Bounds of a set in `values`.
    pub(crate) fn range(&self, index: u32) -> Range<usize> {
        let index = index as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        start as usize..self.ends[index] as usize
    }

    /// Number of elements of a set; where no sets are kept, what the signature says.
    pub(crate) fn size(&self, index: u32) -> u32 {
        let size = self.range(index).len() as u32;
        if size == 0 && !self.signatures.is_empty() && self.elements() == 0 {
            return self.signatures.size(index);
        }
        size
    }

    /// A set that is held in memory.
    pub(crate) fn get(&self, index: u32) -> &[u64] {
        &self.values[self.range(index)]
    }

    /// Bytes of what can be in the store instead.
    pub(crate) fn bytes(&self) -> u64 {
        self.rows.bytes() + (size_of_val(&*self.values) + size_of_val(&*self.digests)) as u64
    }

    /// Where a set lies in the body of the frame: its digest, then its elements.
    pub(crate) fn place_in_body(&self, index: u32) -> (u64, Range<usize>) {
        let range = self.range(index);
        ((range.start * ELEMENT + index as usize * DIGEST) as u64, range)
    }

    /// The sets, where `values` are the elements of all of them.
    pub(crate) fn sets<'a>(&'a self, values: &'a [u64]) -> ChunkSets<'a> {
        ChunkSets { block: self, values }
    }

    /// The body of the frame.
    pub(crate) fn write_body(&self, out: &mut Vec<u8>) -> io::Result<()> {
        out.clear();
        let mut out = Encoder(out);
        for (index, digest) in (0u32..).zip(&self.digests) {
            out.numbers(&[digest.0])?;
            out.numbers(&self.values[self.range(index)])?;
        }
        Ok(())
    }

    /// The elements of all sets out of a body, to `values`.
    pub(crate) fn read_body(&self, mut body: &[u8], values: &mut Vec<u64>) -> io::Result<()> {
        values.clear();
        values.reserve_exact(self.elements());
        for index in 0..self.ends.len() as u32 {
            let skipped = body.len().min(DIGEST);
            body = &body[skipped..];
            Decoder(&mut body).numbers(self.range(index).len() as u64, values)?;
        }
        Ok(())
    }

    /// Elements of all sets together.
    pub(crate) fn elements(&self) -> usize {
        self.ends.last().map_or(0, |&end| end as usize)
    }

    /// All but the elements.
    pub(crate) fn write_head(&self, out: &mut Encoder<impl Write>) -> io::Result<()> {
        self.rows.write(out)?;
        out.array(&self.ends)?;
        out.array(&self.digests.iter().map(|digest| digest.0).collect::<Vec<_>>())?;
        self.signatures.write(out)
    }

    /// Takes a head; what memory has no room for is left out when it is dropped.
    pub(crate) fn read_head(from: &mut Decoder<impl Read>, most: u64) -> io::Result<Self> {
        let rows = Rows::read(from, most)?;
        let ends = from.array::<u32>(most)?;
        let digests: Vec<SetDigest> =
            from.array::<u128>(most)?.into_iter().map(SetDigest).collect();
        let signatures = SignatureBlock::read(from, most)?;
        if digests.len() != ends.len() || ends.windows(2).any(|pair| pair[0] > pair[1]) {
            return Err(io::Error::other("sets that do not fit their digests"));
        }
        Ok(Self { rows, ends, digests, signatures, ..Self::default() })
    }

    /// Leaves to the store what is there.
    pub(crate) fn let_go(&mut self) {
        self.rows = Rows::default();
        self.values = Vec::new();
        self.digests = Vec::new();
        self.held = false;
    }
}

/// The sets of a chunk, wherever their elements are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChunkSets<'a> {
    block: &'a Block,
    values: &'a [u64],
}

impl<'a> ChunkSets<'a> {
    pub(crate) fn get(self, index: u32) -> &'a [u64] {
        &self.values[self.block.range(index)]
    }
}
