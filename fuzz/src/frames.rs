//! Files of frames and files of arrays: whole as written, or an error.

use super::edits;
use lookalike_spill::{Decoder, SpillFile, read_checked_file, write_checked_file};
use std::path::Path;

/// Any bytes as a file of frames and as a file of arrays; and as damage to files that were written.
pub fn frames(data: &[u8]) {
    let folder = super::folder();
    let path = folder.path().join("frames");
    opened(&path, data);
    numbers(data);

    let mut file = SpillFile::reopen(&path.with_extension("new")).unwrap().file;
    let mut pieces = vec![0];
    for part in [&[][..], data, &data[..data.len() / 2]] {
        let words: Vec<u64> = part.iter().map(|&byte| u64::from(byte) << 40).collect();
        file.append(part, &words, &words[..words.len() / 3]).unwrap();
        pieces.push(file.bytes() as usize);
    }
    let written = std::fs::read(path.with_extension("new")).unwrap();
    let mut damaged = written.clone();
    edits::apply(data, &mut damaged, &pieces);
    let whole = opened(&path, &damaged);
    let same = pieces.iter().filter(|&&end| written.get(..end) == damaged.get(..end)).count() - 1;
    assert_eq!(whole, same, "frames before the damage, and no others");

    let path = folder.path().join("arrays");
    let sizes: Vec<u32> = data.iter().map(|&byte| byte.into()).collect();
    let write = |name: &Path| {
        write_checked_file(name, |out| {
            out.array(&sizes)?;
            out.array(data)
        })
    };
    write(&path).unwrap();
    let read = |path: &Path| {
        read_checked_file(path, |from, most| {
            Ok((from.array::<u32>(most)?, from.array::<u8>(most)?))
        })
    };
    assert_eq!(read(&path).unwrap(), Some((sizes.clone(), data.to_vec())));
    let written = std::fs::read(&path).unwrap();
    let mut damaged = written.clone();
    edits::apply(data, &mut damaged, &[]);
    std::fs::write(&path, &damaged).unwrap();
    assert_eq!(read(&path).is_ok(), written == damaged, "damage that is not noticed");
}

/// Opens a file of frames: how many there are. All of them can be read.
fn opened(path: &Path, bytes: &[u8]) -> usize {
    std::fs::write(path, bytes).unwrap();
    let found = SpillFile::reopen(path).unwrap();
    let end = found.file.bytes();
    assert_eq!(end + found.dropped, bytes.len() as u64);
    assert_eq!(std::fs::read(path).unwrap(), bytes[..end as usize]);
    let mut words = Vec::new();
    for &frame in &found.frames {
        // The head may be no Zstandard data if somebody made its checksum right.
        let _ = found.file.head(frame);
        found.file.front(frame, &mut words).unwrap();
        found.file.back(frame, &mut words).unwrap();
    }
    let again = SpillFile::reopen(path).unwrap();
    assert_eq!((again.frames, again.dropped), (found.frames.clone(), 0));
    found.frames.len()
}

/// Any bytes as arrays: no more memory than there are bytes.
fn numbers(data: &[u8]) {
    let most = data.len() as u64;
    let mut from = Decoder(data);
    while let Ok(array) = from.array::<u8>(most) {
        assert!(array.len() <= data.len());
    }
    let mut from = Decoder(data);
    while let Ok(array) = from.array::<u128>(most) {
        assert!(array.len() * 16 <= data.len());
    }
}
