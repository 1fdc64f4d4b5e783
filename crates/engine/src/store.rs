//! Chunk store: the chunks of a collection beyond the memory budget, in a spill file.
//!
//! Chunks are appended in the order of the collection. An unnamed file holds the chunks beyond the
//! budget and disappears when the process ends; a named one holds all chunks, so that an
//! interrupted run can be resumed after the last complete one. Scans over all sets (`passes`) read
//! the file front to back, a whole chunk or its front at a time, and verify its checksums; single
//! sets and runs of adjacent sets (`runs`) are verified by their digests.

mod runs;

use crate::block::{Block, ELEMENT, HeldSets, SharedSets};
use crate::collection::Rows;
use crate::{EngineError, Problems};
use lookalike_core::features::MANY;
use lookalike_core::{SetDigest, TokenDigest};
use lookalike_io::source::{ChunkPosition, SkippedRecords};
use lookalike_spill::{Decoder, Encoder, Frame, SpillFile};
use std::io;
use std::path::{Path, PathBuf};

/// Chunks beyond a memory budget.
#[derive(Debug, Default)]
pub struct ChunkStore {
    /// Memory budget of rows and sets, in bytes.
    limit: u64,
    /// Bytes in memory.
    held: u64,
    folder: PathBuf,
    file: Option<SpillFile>,
    /// Whether all chunks are written, for a later resume.
    keeps: bool,
    /// The bound by which all sets are [partitioned](lookalike_core::divide), if they are.
    arranged: Option<u64>,
    /// Sets with fewer elements have the digest of their token sequence and are never compared.
    least_size: u32,
    /// Whether the sets are what remains of larger ones: then the low half of a digest is that of
    /// the set, and the high half that of the complete set.
    remaining: bool,
    /// Buffers: front and back of the chunk that is written.
    parts: [Vec<u64>; 2],
}

/// Data of a chunk that are stored besides its block.
#[derive(Debug, Default)]
pub(crate) struct ChunkMetadata {
    /// One column of values for each keep rule.
    pub(crate) attributes: Vec<Vec<f64>>,
    /// Key of the site of each document, if they are collected; not stored.
    pub(crate) sites: Vec<u64>,
    /// The token sequence of each set, by index of the set.
    pub(crate) sequences: Vec<TokenDigest>,
    pub(crate) problems: Problems,
    /// Records of the chunk that are no documents.
    pub(crate) skipped: SkippedRecords,
    /// Bytes of input.
    pub(crate) consumed: u64,
    /// Position in the inputs.
    pub(crate) place: ChunkPosition,
}

/// First byte of a frame's head: a chunk.
const CHUNK: u8 = 0;
/// First byte of the last frame's head: the input ended.
const END: u8 = 1;

/// Chunks restored from an interrupted run.
#[derive(Debug, Default)]
pub(crate) struct Left {
    pub(crate) frames: Vec<Frame>,
    /// Bytes that were incomplete or damaged.
    pub(crate) dropped: u64,
    /// Whether the input was read completely.
    pub(crate) ended: bool,
}

impl ChunkStore {
    /// A store that holds up to `limit` bytes in memory; the file for the rest is made in `folder`.
    #[must_use]
    pub fn new(limit: u64, folder: PathBuf) -> Self {
        Self { limit, folder, ..Self::default() }
    }

    /// A store that writes every chunk to a named file; returns the chunks that an interrupted run
    /// left there.
    pub(crate) fn kept(limit: u64, path: &Path) -> Result<(Self, Left), EngineError> {
        let mut store = Self::new(limit, path.parent().map(Path::to_owned).unwrap_or_default());
        store.keeps = true;
        let found = SpillFile::reopen(path).map_err(|error| store.error(&error))?;
        let mut frames = found.frames;
        let mut ended = false;
        if let Some(&last) = frames.last() {
            let head = found.file.head(last).map_err(|error| store.error(&error))?;
            if head.first() == Some(&END) {
                ended = true;
                frames.pop();
            }
        }
        store.file = Some(found.file);
        Ok((store, Left { frames, dropped: found.dropped, ended }))
    }

    /// Sets the bound of all sets and the minimum number of elements of a set with its own digest,
    /// before the first chunk.
    pub(crate) fn arrange(&mut self, bound: Option<u64>, least_size: u32) {
        (self.arranged, self.least_size) = (bound, least_size);
    }

    /// Says whether boilerplate is removed from all sets.
    pub(crate) fn holds_remaining(&mut self, remaining: bool) {
        self.remaining = remaining;
    }

    /// Whether the stored digest of a set is this one.
    fn is_digest(&self, stored: &[u64], SetDigest(found): SetDigest) -> bool {
        match (self.remaining, stored) {
            (true, [low, _]) => *low == found as u64,
            (_, stored) => stored == [found as u64, (found >> 64) as u64],
        }
    }

    /// The bound by which all sets are partitioned, if they are.
    pub(crate) fn arranged(&self) -> Option<u64> {
        self.arranged
    }

    /// Bytes in the file.
    #[must_use]
    pub fn stored(&self) -> u64 {
        self.file.as_ref().map_or(0, SpillFile::bytes)
    }

    /// The folder of the file.
    pub(crate) fn folder(&self) -> PathBuf {
        match self.folder.as_os_str().is_empty() {
            true => std::env::temp_dir(),
            false => self.folder.clone(),
        }
    }

    /// The error of a read or write, naming the folder of the file.
    pub(crate) fn error(&self, error: &io::Error) -> EngineError {
        EngineError::scratch(&self.folder, error)
    }

    /// Takes a chunk: writes it if all chunks are written, or if it exceeds the memory budget.
    pub(crate) fn take(
        &mut self,
        block: &mut Block,
        metadata: &ChunkMetadata,
    ) -> Result<(), EngineError> {
        let bytes = block.bytes();
        // Later steps need more memory for a large set than its size.
        let is_large = block.elements() > MANY && bytes > self.limit / 4;
        let fits = !is_large && self.held + bytes <= self.limit;
        if self.keeps || !fits {
            self.write_down(block, metadata)?;
        }
        self.hold(block, fits);
        Ok(())
    }

    fn hold(&mut self, block: &mut Block, fits: bool) {
        if fits {
            self.held += block.bytes();
            block.rows_held = true;
            if !block.sets.is_held() {
                // A chunk that could not be read has no sets.
                block.sets = SharedSets::new(HeldSets::default());
            }
        } else {
            block.release();
        }
    }

    fn write_down(
        &mut self,
        block: &mut Block,
        metadata: &ChunkMetadata,
    ) -> Result<(), EngineError> {
        let mut parts = std::mem::take(&mut self.parts);
        let written = self.write(block, metadata, &mut parts);
        // Buffers of a large chunk are freed, so that it does not take its memory twice.
        parts.iter_mut().filter(|part| part.capacity() > MANY).for_each(|part| *part = Vec::new());
        self.parts = parts;
        block.frame = Some(written.map_err(|error| self.error(&error))?);
        Ok(())
    }

    fn write(
        &mut self,
        block: &Block,
        metadata: &ChunkMetadata,
        [front, back]: &mut [Vec<u64>; 2],
    ) -> io::Result<Frame> {
        let mut head = Encoder(vec![CHUNK]);
        let ChunkPosition { file, record, line, offset, bytes } = metadata.place;
        head.numbers(&[metadata.consumed, file.into(), record.into(), line, offset, bytes])?;
        for column in &metadata.attributes {
            head.array(column)?;
        }
        head.array(&metadata.sequences.iter().map(|sequence| sequence.0).collect::<Vec<_>>())?;
        metadata.problems.write(&mut head)?;
        write_skipped(&metadata.skipped, &mut head)?;
        block.write_head(&mut head)?;
        let sets = block.sets.get().unwrap_or_default();
        let large = block.large_parts(&sets, front, back);
        if large.is_none() {
            block.write_parts(&sets, front, back);
        }
        let file = match &mut self.file {
            Some(file) => file,
            None => {
                let folder = self.folder();
                self.file.insert(SpillFile::unnamed(&folder)?)
            }
        };
        match large {
            Some([low, high]) => file.append_pieces(&head.0, [front, low], [back, high]),
            None => file.append(&head.0, front, back),
        }
    }

    /// Writes a chunk that is in memory only, and keeps it in memory; returns whether there was
    /// something to write.
    pub(crate) fn write_behind(
        &mut self,
        block: &mut Block,
        rules: usize,
    ) -> Result<bool, EngineError> {
        if !block.sets.is_held() || block.frame.is_some() {
            return Ok(false);
        }
        // The rest of the metadata was used already; only rows and sets are read again.
        let metadata =
            ChunkMetadata { attributes: vec![Vec::new(); rules], ..ChunkMetadata::default() };
        self.write_down(block, &metadata)?;
        Ok(true)
    }

    /// Restores a chunk of an interrupted run with as many keep rules, without its elements (see
    /// [`ChunkStore::settle`]). `None` if it cannot be decoded.
    pub(crate) fn restore(
        &self,
        frame: Frame,
        rules: usize,
    ) -> Result<Option<(Block, ChunkMetadata)>, EngineError> {
        let head = self.head_bytes(frame).map_err(|error| self.error(&error))?;
        let restored = decode_head(&head, rules).ok();
        Ok(restored.map(|(block, metadata)| (Block { frame: Some(frame), ..block }, metadata)))
    }

    /// Removes a chunk and all later ones from the file. Returns the number of bytes.
    pub(crate) fn drop_from(&mut self, frame: Frame) -> Result<u64, EngineError> {
        let Some(file) = &mut self.file else { return Ok(0) };
        let before = file.bytes();
        let cut = file.cut(frame);
        cut.map_err(|error| self.error(&error))?;
        Ok(before - self.stored())
    }

    /// Loads the elements of a restored chunk if the memory budget allows.
    pub(crate) fn settle(&mut self, block: &mut Block) -> Result<(), EngineError> {
        let elements = (block.elements() * ELEMENT) as u64;
        // A large chunk would be read through buffers and partitioned: too much memory.
        let fits = self.held + block.bytes() + elements <= self.limit && block.elements() <= MANY;
        if fits {
            let (sets, mut words) = (block.ends.len() as u32, std::mem::take(&mut self.parts[0]));
            let mut elements = std::mem::take(&mut self.parts[1]);
            let read = self.read_run(block, 0..sets, &mut words, &mut elements);
            read.map_err(|error| self.error(&error))?;
            let sets = HeldSets::arranged(self.arranged, &block.ends, &elements);
            block.sets = SharedSets::new(sets);
            self.parts = [words, elements];
        }
        self.hold(block, fits);
        Ok(())
    }

    /// Marks the end of the input.
    pub(crate) fn end(&mut self) -> Result<(), EngineError> {
        self.parts = Default::default();
        let Some(file) = self.file.as_mut().filter(|_| self.keeps) else { return Ok(()) };
        let ended = file.append(&[END], &[], &[]).and_then(|_| file.sync());
        ended.map_err(|error| self.error(&error))
    }

    fn head_bytes(&self, frame: Frame) -> io::Result<Vec<u8>> {
        self.file.as_ref().ok_or(io::ErrorKind::NotFound)?.head(frame)
    }

    fn head(&self, frame: Frame, rules: usize) -> io::Result<(Block, ChunkMetadata)> {
        decode_head(&self.head_bytes(frame)?, rules)
    }

    /// Reads the rows and digests of a chunk.
    pub(crate) fn rows(
        &self,
        frame: Option<Frame>,
        documents: usize,
        rules: usize,
    ) -> io::Result<(Rows, Vec<SetDigest>)> {
        let (block, _) = self.head(frame.ok_or(io::ErrorKind::NotFound)?, rules)?;
        match block.rows.documents.len() == documents {
            true => Ok((block.rows, block.digests)),
            false => Err(io::Error::other("damaged: a chunk differs from what was written")),
        }
    }

    /// Reads the front of a chunk.
    pub(crate) fn read_front(&self, block: &Block, words: &mut Vec<u64>) -> io::Result<()> {
        let (file, frame) = self.frame(block)?;
        file.front(frame, words)
    }

    /// Reads the back of a chunk.
    pub(crate) fn read_back(&self, block: &Block, words: &mut Vec<u64>) -> io::Result<()> {
        let (file, frame) = self.frame(block)?;
        file.back(frame, words)
    }

    fn frame(&self, block: &Block) -> io::Result<(&SpillFile, Frame)> {
        self.file.as_ref().zip(block.frame).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

fn write_skipped(skipped: &SkippedRecords, out: &mut Encoder<impl io::Write>) -> io::Result<()> {
    out.numbers(&[skipped.iter().count() as u64])?;
    for (kind, records) in skipped.iter() {
        out.array(kind.as_bytes())?;
        out.numbers(&[records])?;
    }
    Ok(())
}

fn read_skipped(from: &mut Decoder<impl io::Read>, most: u64) -> io::Result<SkippedRecords> {
    let mut skipped = SkippedRecords::default();
    for _ in 0..from.number::<u64>()? {
        let kind = String::from_utf8(from.array(most)?).map_err(io::Error::other)?;
        skipped.add(&kind, from.number()?);
    }
    Ok(skipped)
}

/// Decodes the head of a chunk with as many keep rules.
fn decode_head(head: &[u8], rules: usize) -> io::Result<(Block, ChunkMetadata)> {
    let most = head.len() as u64;
    let mut head = head.get(1..).unwrap_or_default();
    let mut decoder = Decoder(&mut head);
    let mut metadata = ChunkMetadata::default();
    let mut numbers = Vec::new();
    decoder.numbers::<u64>(6, &mut numbers)?;
    metadata.consumed = numbers[0];
    metadata.place = ChunkPosition {
        file: numbers[1] as u32,
        record: numbers[2] as u32,
        line: numbers[3],
        offset: numbers[4],
        bytes: numbers[5],
    };
    for _ in 0..rules {
        metadata.attributes.push(decoder.array(most)?);
    }
    metadata.sequences = decoder.array(most)?.into_iter().map(TokenDigest).collect();
    metadata.problems = Problems::read(&mut decoder, most)?;
    metadata.skipped = read_skipped(&mut decoder, most)?;
    Ok((Block::read_head(&mut decoder, most)?, metadata))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::{Document, SetRef};
    use lookalike_core::features::digest;
    use lookalike_core::{Halves, TextDigest, TokenDigest};
    use lookalike_join::ChunkId;
    use lookalike_methods::Unsigned;
    use std::fs;

    fn block(number: u32, sets: &[&[u64]]) -> Block {
        let mut block = Block::default();
        for (index, set) in (0u32..).zip(sets) {
            block.ends.push((block.elements() + set.len()) as u32);
            block.digests.push(digest(set).unwrap());
            block.rows.ids.push((index != 1).then_some("some id"));
            block.rows.documents.push(Document {
                file: number,
                record: index + 1,
                tokens: 7,
                set: (index != 2)
                    .then_some(SetRef { chunk: ChunkId(number), index })
                    .ok_or(Unsigned::OnlyCommon),
                text_bytes: 1 << 40,
                text: TextDigest(u128::MAX - u128::from(index)),
                sequence: TokenDigest(5),
            });
        }
        block.sets = SharedSets::new(HeldSets::arranged(None, &block.ends, &sets.concat()));
        block
    }

    fn long() -> Vec<u64> {
        (1..2000).map(lookalike_core::fingerprint::finalise).collect()
    }

    #[test]
    fn chunks_come_back_as_they_were() {
        let long = long();
        let sets: [&[&[u64]]; 3] = [&[&[1, 2]], &[&[3, 4, 5], &long], &[&[6], &[7, 8], &[9]]];
        let mut blocks: Vec<Block> = (0..).zip(sets).map(|(n, sets)| block(n, sets)).collect();
        let rows: Vec<Rows> = blocks.iter().map(|block| block.rows.clone()).collect();
        let mut store = ChunkStore::new(blocks[0].bytes() + 10, std::env::temp_dir());
        blocks.iter_mut().for_each(|block| store.take(block, &ChunkMetadata::default()).unwrap());
        assert_eq!(
            blocks.iter().map(|b| b.sets.is_held()).collect::<Vec<_>>(),
            [true, false, false]
        );
        assert!(store.stored() > 2000 * 8);
        let (mut words, mut set) = (Vec::new(), vec![77]);
        for (block, (sets, rows)) in blocks.iter().zip(sets.iter().zip(rows)).skip(1) {
            for (index, wanted) in (0..).zip(*sets) {
                store.read_run(block, index..index + 1, &mut words, &mut set).unwrap();
                assert_eq!(set, *wanted);
            }
            let (found, digests) = store.rows(block.frame, sets.len(), 0).unwrap();
            assert_eq!(found.documents, rows.documents);
            assert_eq!(found.ids.get(0), Some("some id"));
            assert!(sets.len() < 2 || found.ids.get(1).is_none());
            assert_eq!(digests.len(), sets.len());
        }
    }

    #[test]
    fn what_an_earlier_run_left_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("chunks");
        let long = long();
        let place = ChunkPosition { file: 1, record: 2, line: 3, offset: 1 << 40, bytes: 4 };
        let mut metadata = ChunkMetadata { consumed: 99, place, ..ChunkMetadata::default() };
        metadata.skipped.add("request", 7);
        metadata.attributes = vec![vec![0.5, f64::NAN], vec![-1.0, 2.0]];
        let (mut store, left) = ChunkStore::kept(0, &path).unwrap();
        assert!(left.frames.is_empty() && !left.ended);
        store.take(&mut block(0, &[&[3, 4, 5], &long]), &metadata).unwrap();
        drop(store);
        for limit in [0, u64::MAX] {
            let (mut store, left) = ChunkStore::kept(limit, &path).unwrap();
            assert!(left.frames.len() == 1 && !left.ended);
            let (mut block, found) = store.restore(left.frames[0], 2).unwrap().unwrap();
            assert_eq!(block.rows.documents.len(), 2);
            store.settle(&mut block).unwrap();
            let held = block.sets.get();
            assert_eq!((held.is_some(), found.consumed, found.place), (limit > 0, 99, place));
            assert!(found.attributes[0][1].is_nan() && found.attributes[1] == [-1.0, 2.0]);
            if let Some(held) = held {
                let sets = [Halves::whole(&[3, 4, 5]), Halves::whole(&long)];
                assert_eq!([block.get(&held, 0), block.get(&held, 1)], sets);
            }
        }
        let (mut store, _) = ChunkStore::kept(0, &path).unwrap();
        store.end().unwrap();
        let (_, left) = ChunkStore::kept(0, &path).unwrap();
        assert!(left.frames.len() == 1 && left.ended);
    }

    #[test]
    fn damage_and_loss_are_noticed() {
        for damage in [
            |bytes: &mut Vec<u8>| bytes.truncate(60),
            |bytes: &mut Vec<u8>| *bytes.last_mut().unwrap() ^= 1,
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("chunks");
            let (mut store, _) = ChunkStore::kept(0, &path).unwrap();
            let mut block = block(0, &[&[1, 2]]);
            store.take(&mut block, &ChunkMetadata::default()).unwrap();
            let mut bytes = fs::read(&path).unwrap();
            damage(&mut bytes);
            fs::write(&path, bytes).unwrap();
            let (mut words, mut set) = (Vec::new(), Vec::new());
            assert!(store.read_run(&block, 0..1, &mut words, &mut set).is_err());
        }
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let mut store = ChunkStore::new(0, PathBuf::from("no/such/folder"));
        let taken = store.take(&mut block(0, &[&[1]]), &ChunkMetadata::default());
        let error = taken.unwrap_err().to_string();
        assert!(error.contains("no/such/folder"), "{error}");
    }
}
