//! Reads an object from any position, in blocks; reads ahead where reading is sequential.
//!
//! A reader holds the blocks that were used last, so that the pages of a few Parquet columns, which
//! are read in turns, are not asked for twice. What is read ahead of all readers together is
//! bounded.

use std::collections::VecDeque;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::{Bytes, BytesMut};

use super::connect::connect;
use super::find::gone;
use super::request::part;
use super::runtime::start;
use crate::{Object, StoreError};

/// Largest block. A request takes some 30 ms before its first byte, as long as 4 MiB at 1 Gbit/s.
const BLOCK: u64 = 4 << 20;

/// Smallest block.
const LEAST_BLOCK: u64 = 64 << 10;

/// Bytes of a reader's blocks, if it keeps several.
const KEPT: u64 = 32 << 20;

/// Blocks that a reader is ahead.
const AHEAD: u64 = 4;

/// Most bytes that all readers together are ahead.
const MOST_AHEAD: usize = 64 << 20;

/// Bytes that all readers together are ahead.
static ALL_AHEAD: AtomicUsize = AtomicUsize::new(0);

/// A position in an object. Clones share the blocks.
#[derive(Debug, Clone)]
pub struct ObjectReader {
    blocks: Arc<Blocks>,
    position: u64,
}

#[derive(Debug)]
struct Blocks {
    object: Arc<Object>,
    block: u64,
    /// How many blocks that were used are kept.
    kept: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Blocks that were used, by number, the last one at the end.
    used: VecDeque<(u64, Bytes)>,
    /// Blocks that are on their way.
    ahead: VecDeque<(u64, Coming)>,
    failure: Option<StoreError>,
}

/// A block on its way, counted as long as it is not used.
#[derive(Debug)]
struct Coming {
    receiver: Receiver<Result<Bytes, StoreError>>,
    bytes: usize,
}

impl Drop for Coming {
    fn drop(&mut self) {
        ALL_AHEAD.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl ObjectReader {
    /// Starts at the beginning. `streams` is the number of places in the object that are read in
    /// turns: 1, or the number of columns.
    #[must_use]
    pub fn new(object: Arc<Object>, streams: usize) -> Self {
        let (block, kept) = match streams {
            0 | 1 => (BLOCK, 1),
            // The ends of two blocks, for each column.
            many => ((KEPT / (2 * many as u64)).clamp(LEAST_BLOCK, BLOCK), 2 * many + 2),
        };
        let state = Mutex::default();
        Self { blocks: Arc::new(Blocks { object, block, kept, state }), position: 0 }
    }

    /// Bytes of the object; fewer at its end.
    ///
    /// # Errors
    /// The object has changed, or cannot be read after retries.
    pub fn range(&self, start: u64, length: usize) -> Result<Bytes, StoreError> {
        let end = start.saturating_add(length as u64).min(self.blocks.object.size);
        let first = self.blocks.piece(start, end)?;
        if start + first.len() as u64 >= end {
            return Ok(first);
        }
        let mut all = BytesMut::with_capacity((end - start) as usize);
        all.extend_from_slice(&first);
        while start + (all.len() as u64) < end {
            all.extend_from_slice(&self.blocks.piece(start + all.len() as u64, end)?);
        }
        Ok(all.freeze())
    }

    /// The error of the last request that failed.
    #[must_use]
    pub fn failure(&self) -> Option<StoreError> {
        self.blocks.state().failure.clone()
    }
}

impl Blocks {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bytes from `start` to the end of its block or to `end`; none at the end of the object.
    fn piece(&self, start: u64, end: u64) -> Result<Bytes, StoreError> {
        let end = end.min(self.object.size);
        if start >= end {
            return Ok(Bytes::new());
        }
        let number = start / self.block;
        let mut state = self.state();
        let block = match self.take(&mut state, number) {
            Ok(block) => block,
            Err(error) => {
                state.failure = Some(error.clone());
                return Err(error);
            }
        };
        let from = (start - number * self.block) as usize;
        let to = block.len().min((end - number * self.block) as usize);
        Ok(block.slice(from..to))
    }

    /// A block, and requests for those after it if the one before it was used.
    fn take(&self, state: &mut State, number: u64) -> Result<Bytes, StoreError> {
        if let Some(at) = state.used.iter().rposition(|(known, _)| *known == number) {
            if let Some(block) = state.used.remove(at) {
                state.used.push_back(block);
            }
        } else {
            let sequential =
                state.used.iter().any(|(known, _)| Some(*known) == number.checked_sub(1));
            if self.kept == 1 {
                // A single stream does not come back to what it has skipped.
                state.ahead.retain(|(known, _)| (number..=number + AHEAD).contains(known));
            }
            let coming = state.ahead.iter().position(|(known, _)| *known == number);
            let coming = coming.and_then(|at| state.ahead.remove(at)).map(|(_, coming)| coming);
            let waiting = match coming {
                Some(coming) => coming,
                None => self.request(number, 0)?,
            };
            if sequential {
                self.read_ahead(state, number)?;
            }
            let received = waiting.receiver.recv();
            let block = received.unwrap_or_else(|_| Err(gone(&self.object.address)))?;
            while state.used.len() >= self.kept {
                state.used.pop_front();
            }
            state.used.push_back((number, block));
        }
        let last = state.used.back().map(|(_, block)| block.clone());
        last.ok_or_else(|| gone(&self.object.address))
    }

    /// Asks for the blocks after `number`, as far as memory allows.
    fn read_ahead(&self, state: &mut State, number: u64) -> Result<(), StoreError> {
        let blocks = self.object.size.div_ceil(self.block);
        // Several streams share the blocks that are ahead.
        let most = if self.kept == 1 { AHEAD } else { 1 };
        for next in (number + 1..blocks).take(most as usize) {
            let is_known = state.ahead.iter().any(|(known, _)| *known == next)
                || state.used.iter().any(|(known, _)| *known == next);
            if is_known {
                continue;
            }
            let bytes = self.block as usize;
            if ALL_AHEAD.fetch_add(bytes, Ordering::Relaxed) + bytes > MOST_AHEAD {
                ALL_AHEAD.fetch_sub(bytes, Ordering::Relaxed);
                break;
            }
            let coming = self.request(next, bytes)?;
            state.ahead.push_back((next, coming));
            // What is ahead and never used makes room.
            while state.ahead.len() > self.kept.max(AHEAD as usize) {
                state.ahead.pop_front();
            }
        }
        Ok(())
    }

    /// Asks for a block. `bytes` of those that are ahead are counted already.
    fn request(&self, number: u64, bytes: usize) -> Result<Coming, StoreError> {
        let range = number * self.block..((number + 1) * self.block).min(self.object.size);
        let location = match connect(&self.object.address) {
            Ok(location) => location,
            Err(error) => {
                ALL_AHEAD.fetch_sub(bytes, Ordering::Relaxed);
                return Err(error);
            }
        };
        let receiver = start(part(location, (*self.object).clone(), range));
        Ok(Coming { receiver, bytes })
    }
}

impl Read for ObjectReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let end = self.position.saturating_add(out.len() as u64);
        let piece = self.blocks.piece(self.position, end)?;
        out[..piece.len()].copy_from_slice(&piece);
        self.position += piece.len() as u64;
        Ok(piece.len())
    }
}

impl Seek for ObjectReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::End(offset) => self.blocks.object.size.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

#[cfg(test)]
mod tests {
    use object_store::path::Path;
    use object_store::{ObjectStoreExt, PutPayload};

    use super::super::connect::in_memory;
    use super::super::find::{find, heads, list, look_again};
    use super::super::runtime::wait;
    use super::*;
    use crate::{Address, Found};

    fn put(root: &str, key: &'static str, content: Vec<u8>) -> Address {
        let address = Address::parse(&format!("{root}/{key}")).unwrap();
        let store = connect(&address).unwrap().store;
        let write = async move { store.put(&Path::from(key), PutPayload::from(content)).await };
        wait(write).unwrap().unwrap();
        address
    }

    fn object(address: &Address) -> Arc<Object> {
        match find(address).unwrap() {
            Found::Object(object) => Arc::new(object),
            other => panic!("{other:?}"),
        }
    }

    /// Bytes that tell their position.
    fn content(length: usize) -> Vec<u8> {
        (0..length as u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
    }

    #[test]
    fn any_bytes_are_those_of_the_object() {
        in_memory("s3://reader-any");
        for length in [0, 1, 1000, BLOCK as usize, BLOCK as usize * 3 + 17] {
            let bytes = content(length);
            let address = put("s3://reader-any", "a/b", bytes.clone());
            for streams in [1, 2, 7, 1000] {
                let mut reader = ObjectReader::new(object(&address), streams);
                let mut all = Vec::new();
                reader.read_to_end(&mut all).unwrap();
                assert!(all == bytes, "{length} bytes, {streams} streams");
                let mut random = 12_345_u64;
                for _ in 0..40 {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let start = (random >> 20) as usize % (length + 1);
                    let wanted = (random >> 40) as usize % 100_000;
                    let end = (start + wanted).min(length);
                    assert_eq!(reader.range(start as u64, wanted).unwrap(), bytes[start..end]);
                    reader.seek(SeekFrom::Start(start as u64)).unwrap();
                    let mut part = vec![0; end - start];
                    reader.read_exact(&mut part).unwrap();
                    assert!(part == bytes[start..end]);
                }
            }
        }
        assert!(ALL_AHEAD.load(Ordering::Relaxed) <= MOST_AHEAD);
    }

    #[test]
    fn another_object_of_that_name_is_an_error() {
        in_memory("s3://reader-changed");
        let known = object(&put("s3://reader-changed", "a", content(BLOCK as usize * 2)));
        let reader = ObjectReader::new(Arc::clone(&known), 1);
        reader.range(0, 10).unwrap();
        look_again(&[&known]).remove(0).unwrap();
        put("s3://reader-changed", "a", content(BLOCK as usize * 2));
        let error = reader.range(BLOCK, 10).unwrap_err();
        assert!(matches!(error, StoreError::Changed { .. }), "{error}");
        assert!(reader.failure().is_some());
        assert!(matches!(look_again(&[&known])[..], [Err(StoreError::Changed { .. })]));
        assert!(matches!(heads(&[&known], 9)[..], [Err(StoreError::Changed { .. })]));
    }

    #[test]
    fn a_prefix_is_a_directory() {
        in_memory("s3://reader-list");
        for key in ["a/x", "a/b/y", "ab", "b"] {
            put("s3://reader-list", key, content(3));
        }
        let below = list(&Address::parse("s3://reader-list/a").unwrap()).unwrap();
        let mut keys: Vec<_> = below.iter().map(|one| one.address.key.as_str()).collect();
        keys.sort_unstable();
        assert_eq!(keys, ["a/b/y", "a/x"]);
        let none = find(&Address::parse("s3://reader-list/a").unwrap()).unwrap();
        assert!(matches!(none, Found::Nothing));
    }
}
