//! Tar archives: members lead nowhere, hold bytes of the archive and no others, and of an archive that was cut
//! off those before the cut are there.

use lookalike_io::source::VisitScratch;
use lookalike_io::{Compression, DiscoverOptions, InputFile, Inputs};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

/// Bytes of a block.
const BLOCK: usize = 512;

/// First bytes that decide about the compression.
const HEAD: usize = 64;

/// Largest record.
const RECORD: usize = 1 << 16;

/// Bytes of records after which reading stops: some bytes of a compressed member hold gigabytes.
const ENOUGH: u64 = 8 << 20;

/// Any bytes as an archive. If the first byte is odd, the checksums of headers are made right first, so that
/// what else is wrong with them matters. The second byte says how much of the archive there is.
pub fn tar(data: &[u8]) {
    let &[form, cut, ref rest @ ..] = data else { return };
    let mut bytes = rest.to_vec();
    if form % 2 == 1 {
        bytes.chunks_exact_mut(BLOCK).for_each(repair);
    }
    let folder = super::folder();
    let whole = members(folder.path(), &bytes);
    let cut = bytes.len() * usize::from(cut) / 256;
    if whole.is_packed || cut < HEAD {
        return;
    }
    for (name, content) in &whole.complete {
        let is_part =
            content.is_empty() || bytes.windows(content.len()).any(|part| part == content);
        assert!(is_part, "{name} has bytes that are not of the archive");
    }
    let part = members(folder.path(), &bytes[..cut]);
    for (name, content) in &part.complete {
        assert_eq!(whole.complete.get(name), Some(content), "{name} in an archive cut at {cut}");
    }
    let lost = whole.complete.len() > part.complete.len();
    assert!(!lost || cut % BLOCK == 0 || part.is_damaged, "cut at {cut} and taken for whole");
}

/// Makes the checksum of a header right.
fn repair(block: &mut [u8]) {
    if block[257..262] != *b"ustar" {
        return;
    }
    block[148..156].fill(b' ');
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
}

/// What was found in an archive.
#[derive(Default)]
struct Members {
    /// Names and content of the members that are not damaged.
    complete: BTreeMap<String, Vec<u8>>,
    is_damaged: bool,
    /// Whether the archive is compressed.
    is_packed: bool,
}

fn members(folder: &Path, bytes: &[u8]) -> Members {
    let (path, scratch) = (folder.join("in.tar"), folder.join("scratch"));
    std::fs::write(&path, bytes).unwrap();
    std::fs::create_dir_all(&scratch).unwrap();
    let options = DiscoverOptions {
        max_record: Some(RECORD),
        scratch: Some(scratch.clone()),
        ..DiscoverOptions::default()
    };
    let found = Inputs::discover(&[path.display().to_string()], options);
    let mut members = Members {
        is_packed: [&b"\x1f\x8b"[..], b"\x28\xb5\x2f\xfd", b"\xfd7zXZ", b"BZh"]
            .iter()
            .any(|magic| bytes.starts_with(magic))
            || bytes.get(1..4) == Some(b"\x2a\x4d\x18"),
        ..Members::default()
    };
    if let Ok(inputs) = found {
        for file in &inputs.files {
            check(file, &path, &scratch);
            match file.damage {
                Some(_) => members.is_damaged = true,
                None => {
                    let content = std::fs::read(&file.path).unwrap();
                    assert_eq!(file.size, content.len() as u64, "{}", file.name);
                    members.complete.insert(file.name.clone(), content);
                }
            }
        }
        let names: BTreeSet<&str> = inputs.files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names.len(), inputs.files.len(), "a name twice");
        let held: u64 = inputs.files.iter().map(|file| file.size).sum();
        assert!(members.is_packed || held <= bytes.len() as u64, "{held} of {} bytes", bytes.len());
        read(&inputs);
    }
    let left: Vec<_> = std::fs::read_dir(&scratch).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 2, "something was written elsewhere");
    members
}

/// Checks where a member is and what it is called.
fn check(file: &InputFile, archive: &Path, scratch: &Path) {
    let archive = archive.display().to_string();
    assert!(file.name.starts_with(&archive), "{}", file.name);
    let metadata = std::fs::symlink_metadata(&file.path).unwrap();
    assert!(file.path.starts_with(scratch) && metadata.is_file(), "{}", file.path.display());
    let is_plain = |part: Component<'_>| match part {
        Component::Normal(name) => !name.as_encoded_bytes().starts_with(b"."),
        _ => false,
    };
    assert!(file.relative.components().all(is_plain), "{}", file.relative.display());
    let is_document = file.format.is_document() && file.compression == Compression::None;
    assert!(!is_document || file.size <= RECORD as u64 + 1, "{} bytes of a document", file.size);
}

/// Reads the records of all members.
fn read(inputs: &Inputs) {
    let mut scratch = VisitScratch::default();
    let mut consumed = 0;
    for chunk in inputs.chunks().with_size(RECORD).filter_map(|piece| piece.into_parts().0) {
        consumed += chunk.consumed.max(RECORD as u64);
        chunk.visit(inputs, &mut scratch, &mut |_| {});
        if consumed > ENOUGH {
            break;
        }
    }
}
