//! Reads single sets and runs of adjacent sets from a chunk on disk.

use super::ChunkStore;
use crate::block::{Block, DIGEST, FrontEnds, end_words};
use lookalike_core::SetDigest;
use lookalike_core::features::{MANY, digest};
use std::io;
use std::ops::Range;

impl ChunkStore {
    /// Reads adjacent sets of a chunk and verifies their digests; replaces the content of `sets`.
    /// `words` is a buffer. Three reads: the ends of the fronts, the fronts, and the backs.
    ///
    /// # Errors
    /// The error of the operating system, or a set that differs from what was written.
    pub(crate) fn read_run(
        &self,
        block: &Block,
        run: Range<u32>,
        words: &mut Vec<u64>,
        sets: &mut Vec<u64>,
    ) -> io::Result<()> {
        sets.clear();
        if run.is_empty() {
            return Ok(());
        }
        let (file, frame) = self.frame(block)?;
        let from = run.start.saturating_sub(1) as usize / 2;
        let ends = (run.end - 1) as usize / 2 + 1 - from;
        words.resize(ends, 0);
        file.read_front(frame, from as u64, words)?;
        let low = |index| FrontEnds { words: &words[..ends], from }.range(index);
        let (first, last) = (run.start, run.end - 1);
        let lows = low(first).start..low(last).end;
        let other = || io::Error::other("damaged: a feature set differs from what was written");
        if lows.end > block.elements() {
            return Err(other());
        }
        let start = block.back_range(first, &low(first)).start - DIGEST;
        let backs = start..block.back_range(last, &low(last)).end;
        if first == last && lows.len() + backs.len() > MANY {
            return self.large(block, lows, backs, words, sets);
        }
        let back_at = ends + lows.len();
        words.resize(back_at + backs.len(), 0);
        let (front, back) = words[ends..].split_at_mut(lows.len());
        file.read_front(frame, (end_words(block.ends.len()) + lows.start) as u64, front)?;
        file.read_back(frame, backs.start as u64, back)?;

        sets.reserve_exact(lows.len() + backs.len());
        let ends = FrontEnds { words: &words[..ends], from };
        for index in run {
            let low = ends.range(index);
            let back = block.back_range(index, &low);
            let at = |range: Range<usize>, before: usize, offset: usize| {
                let start = range.start.checked_sub(before)? + offset;
                words.get(start..start + range.len())
            };
            let wanted = at(back.start - DIGEST..back.start, backs.start, back_at);
            let start = sets.len();
            sets.extend_from_slice(at(low, lows.start, ends.words.len()).ok_or_else(other)?);
            sets.extend_from_slice(at(back, backs.start, back_at).ok_or_else(other)?);
            if sets.len() - start < self.least_size as usize {
                continue;
            }
            // If sets are not stored, the digest is that of the signed content.
            let Some(found) = digest(&sets[start..]) else { continue };
            if !wanted.is_some_and(|wanted| self.is_digest(wanted, found)) {
                return Err(other());
            }
        }
        Ok(())
    }

    /// Reads the only set of a chunk in pieces, in stored order.
    ///
    /// # Errors
    /// The error of the operating system, or, at the end, a set that differs from what was written.
    pub(crate) fn read_pieces(
        &self,
        block: &Block,
        mut each: impl FnMut(&[u64]),
    ) -> io::Result<()> {
        const PIECE: u64 = 1 << 16;
        let (file, frame) = self.frame(block)?;
        let (mut end, mut wanted) = ([0], [0; DIGEST]);
        file.read_front(frame, 0, &mut end)?;
        file.read_back(frame, 0, &mut wanted)?;
        let all = block.elements() as u64;
        let low = (end[0] & u64::from(u32::MAX)).min(all);
        let (mut words, mut sum) = (Vec::new(), [0u64; DIGEST]);
        for start in (0..low).step_by(PIECE as usize).chain((low..all).step_by(PIECE as usize)) {
            let part_end = if start < low { low } else { all };
            words.resize(PIECE.min(part_end - start) as usize, 0);
            match start < low {
                true => file.read_front(frame, end_words(1) as u64 + start, &mut words)?,
                false => file.read_back(frame, DIGEST as u64 + start - low, &mut words)?,
            }
            // The digest of a set is the sum of the digests of its parts.
            if let Some(SetDigest(part)) = digest(&words) {
                let part = [part as u64, (part >> 64) as u64];
                sum = [0, 1].map(|half| sum[half].wrapping_add(part[half]));
            }
            each(&words);
        }
        let sum = SetDigest(u128::from(sum[1]) << 64 | u128::from(sum[0]));
        match self.is_digest(&wanted, sum) {
            true => Ok(()),
            false => Err(io::Error::other("damaged: a feature set differs from what was written")),
        }
    }

    /// Reads one large set directly into its destination.
    fn large(
        &self,
        block: &Block,
        lows: Range<usize>,
        back: Range<usize>,
        words: &mut Vec<u64>,
        set: &mut Vec<u64>,
    ) -> io::Result<()> {
        let (file, frame) = self.frame(block)?;
        words.resize(DIGEST, 0);
        let wanted = &mut words[..];
        file.read_back(frame, back.start as u64, wanted)?;
        set.reserve_exact(lows.len() + back.len() - DIGEST);
        set.resize(lows.len() + back.len() - DIGEST, 0);
        let (low, high) = set.split_at_mut(lows.len());
        file.read_front(frame, (end_words(block.ends.len()) + lows.start) as u64, low)?;
        file.read_back(frame, (back.start + DIGEST) as u64, high)?;
        match digest(set) {
            Some(found) if !self.is_digest(wanted, found) => {
                Err(io::Error::other("damaged: a feature set differs from what was written"))
            }
            _ => Ok(()),
        }
    }
}
