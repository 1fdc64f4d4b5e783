//! Parallel block compression of one output.
//!
//! A block is compressed by itself ([`encode`]) and holds whole pieces in order until it is large
//! enough, so the bytes depend on the pieces and not on the number of threads. Blocks are far
//! larger than chunks of the input, of which an output may take few records: a compressor starts
//! each block without history, and one block per chunk made files of near-duplicates up to a half
//! larger.

use super::encode::encode;
use super::{OutputError, OutputFile};
use crate::Compression;

/// Most bytes waiting for compression: bounds the memory with many threads.
const WAITING: usize = 256 << 20;

/// Fewest bytes of a block: large against the window of the format, so that starting without
/// history costs little. Windows: gzip 32 KiB, bzip2 900 kB, zstd at its default level 2 MiB, xz 8
/// MiB.
fn block_bytes(compression: Compression) -> usize {
    match compression {
        Compression::None => 0,
        Compression::Gzip => 4 << 20,
        Compression::Bzip2 => 8 << 20,
        Compression::Zstd => 16 << 20,
        Compression::Xz => 32 << 20,
    }
}

/// Bytes that are compressed by one thread.
#[derive(Debug, Default)]
struct Block {
    data: Vec<u8>,
    /// Ends of the members; empty if all of it is one member.
    ends: Vec<usize>,
}

impl Block {
    fn packed(&self, compression: Compression) -> std::io::Result<Vec<u8>> {
        let (mut out, mut start) = (Vec::new(), 0);
        let whole = [self.data.len()];
        for &end in if self.ends.is_empty() { &whole[..] } else { &self.ends } {
            encode(compression, &self.data[start..end], &mut out)?;
            start = end;
        }
        Ok(out)
    }
}

/// A compressed or plain output file.
#[derive(Debug)]
pub(super) struct PackedFile {
    file: OutputFile,
    compression: Compression,
    block_bytes: usize,
    threads: usize,
    /// The block being filled.
    open: Block,
    /// Blocks that are full.
    full: Vec<Block>,
}

impl PackedFile {
    /// Sets the number of compressing threads.
    pub(super) fn new(file: OutputFile, compression: Compression, threads: usize) -> Self {
        Self::with_blocks(file, compression, threads, block_bytes(compression))
    }

    fn with_blocks(
        file: OutputFile,
        compression: Compression,
        threads: usize,
        block_bytes: usize,
    ) -> Self {
        let most = WAITING / block_bytes.max(1);
        let threads = threads.clamp(1, most.max(1));
        Self { file, compression, block_bytes, threads, open: Block::default(), full: Vec::new() }
    }

    pub(super) fn append(&mut self, raw: &[u8]) -> Result<(), OutputError> {
        if self.compression == Compression::None {
            return self.file.append(raw);
        }
        self.open.data.extend_from_slice(raw);
        self.end_block()
    }

    /// Appends parts of `raw`, which end at `ends`, each as a member of its own. A file has either only
    /// such parts or none.
    pub(super) fn append_members(&mut self, raw: &[u8], ends: &[usize]) -> Result<(), OutputError> {
        if self.compression == Compression::None {
            return self.file.append(raw);
        }
        let mut start = 0;
        for &end in ends {
            self.open.data.extend_from_slice(&raw[start..end]);
            self.open.ends.push(self.open.data.len());
            start = end;
            self.end_block()?;
        }
        Ok(())
    }

    /// Ends the open block if it is full.
    fn end_block(&mut self) -> Result<(), OutputError> {
        if self.open.data.len() < self.block_bytes {
            return Ok(());
        }
        self.full.push(std::mem::take(&mut self.open));
        // A block may be a single record that is much larger than others.
        let bytes: usize = self.full.iter().map(|block| block.data.len()).sum();
        let waits = self.full.len() < self.threads && bytes < 2 * self.threads * self.block_bytes;
        if waits { Ok(()) } else { self.pack() }
    }

    /// Ends the file and returns its size. An empty output still gets one compressed member,
    /// because an empty file is not a valid compressed file.
    pub(super) fn close(mut self) -> Result<u64, OutputError> {
        if !self.open.data.is_empty() || (self.full.is_empty() && self.file.bytes() == 0) {
            self.full.push(std::mem::take(&mut self.open));
        }
        if self.compression != Compression::None {
            self.pack()?;
        }
        self.file.close()
    }

    /// Compresses and writes the full blocks.
    fn pack(&mut self) -> Result<(), OutputError> {
        let compression = self.compression;
        let packed = |block: &Block| block.packed(compression);
        let full = std::mem::take(&mut self.full);
        let done: Vec<std::io::Result<Vec<u8>>> = match full.as_slice() {
            [one] => vec![packed(one)],
            all => std::thread::scope(|scope| {
                let threads: Vec<_> =
                    all.iter().map(|raw| scope.spawn(move || packed(raw))).collect();
                let died = |_| Err(std::io::Error::other("a thread that compressed has died"));
                threads.into_iter().map(|thread| thread.join().unwrap_or_else(died)).collect()
            }),
        };
        for data in done {
            let data =
                data.map_err(|e| OutputError::io("compress the records", self.file.path(), e))?;
            self.file.append(&data)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    const ALL: [Compression; 5] = [
        Compression::None,
        Compression::Gzip,
        Compression::Zstd,
        Compression::Bzip2,
        Compression::Xz,
    ];

    fn packed(compression: Compression, pieces: &[&[u8]], threads: usize) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let file = OutputFile::create(path.clone()).unwrap();
        let mut out = PackedFile::with_blocks(file, compression, threads, 1000);
        pieces.iter().for_each(|piece| out.append(piece).unwrap());
        let bytes = out.close().unwrap();
        let data = std::fs::read(path).unwrap();
        assert_eq!(data.len() as u64, bytes);
        data
    }

    /// Decompresses by the libraries' readers of several members, frames or streams.
    fn unpacked(compression: Compression, data: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        match compression {
            Compression::None => out.extend_from_slice(data),
            Compression::Gzip => {
                flate2::read::MultiGzDecoder::new(data).read_to_end(&mut out).map(|_| ()).unwrap();
            }
            Compression::Zstd => out = zstd::stream::decode_all(data).unwrap(),
            Compression::Bzip2 => {
                bzip2::read::MultiBzDecoder::new(data).read_to_end(&mut out).map(|_| ()).unwrap();
            }
            Compression::Xz => {
                lzma_rust2::XzReader::new(data, true).read_to_end(&mut out).map(|_| ()).unwrap();
            }
        }
        out
    }

    #[test]
    fn the_bytes_are_the_same_on_any_number_of_threads() {
        let lines: Vec<String> = (0..700).map(|n| format!("line {n} of {}\n", n * n)).collect();
        let pieces: Vec<&[u8]> = lines.iter().map(String::as_bytes).collect();
        for compression in ALL {
            let one = packed(compression, &pieces, 1);
            assert_eq!(unpacked(compression, &one), pieces.concat(), "{compression:?}");
            for threads in [2, 3, 8, 1000] {
                assert!(packed(compression, &pieces, threads) == one, "{compression:?} {threads}");
            }
        }
        // Ten and more blocks, each a member that starts with gzip's magic number and method.
        let gzip = packed(Compression::Gzip, &pieces, 2);
        let members = gzip.windows(4).filter(|bytes| bytes == b"\x1f\x8b\x08\0").count();
        assert!(members >= 10, "{members}");
    }

    #[test]
    fn members_are_compressed_one_by_one() {
        let pieces: Vec<Vec<u8>> = (0..50).map(|n| vec![n; 10 * usize::from(n) + 1]).collect();
        let (raw, mut ends) = (pieces.concat(), Vec::new());
        pieces.iter().for_each(|piece| ends.push(ends.last().unwrap_or(&0) + piece.len()));
        for compression in ALL {
            let mut expected = Vec::new();
            for piece in &pieces {
                encode(compression, piece, &mut expected).unwrap();
            }
            for threads in [1, 3] {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("a");
                let file = OutputFile::create(path.clone()).unwrap();
                let mut out = PackedFile::with_blocks(file, compression, threads, 1000);
                let (first, rest) = ends.split_at(7);
                let rest: Vec<usize> = rest.iter().map(|end| end - first[6]).collect();
                out.append_members(&raw[..first[6]], first).unwrap();
                out.append_members(&raw[first[6]..], &rest).unwrap();
                out.close().unwrap();
                assert!(std::fs::read(path).unwrap() == expected, "{compression:?} {threads}");
            }
        }
    }

    #[test]
    fn nothing_is_a_whole_file_of_nothing() {
        for compression in ALL {
            for threads in [1, 4] {
                let data = packed(compression, &[], threads);
                assert_eq!(data.is_empty(), compression == Compression::None);
                assert!(unpacked(compression, &data).is_empty());
                // A full last block is not followed by an empty one.
                let full = [7; 1000];
                let data = packed(compression, &[&full], threads);
                assert_eq!(unpacked(compression, &data), full);
                let twice = packed(compression, &[&full, &full], threads);
                assert!(compression == Compression::None || twice == [&*data, &*data].concat());
            }
        }
    }
}
