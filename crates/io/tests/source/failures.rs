//! Files that cannot be read to their ends: what was read before is what is read without a failure.

use std::fs;
use std::path::Path;

use lookalike_io::source::{Chunk, Piece};
use lookalike_io::{DiscoverOptions, Inputs};
use proptest::prelude::*;

use crate::help::discover;

/// A file of each way of finding the ends of records.
fn write(folder: &Path, lengths: &[u8]) {
    let texts: Vec<String> =
        lengths.iter().map(|n| "some words ".repeat(usize::from(*n) + 1)).collect();
    let all = |each: &dyn Fn(usize, &str) -> String| {
        texts.iter().enumerate().map(|(n, text)| each(n, text)).collect::<String>()
    };
    let jsonl = all(&|n, text| format!("{{\"id\":\"{n}\",\"text\":\"{text}\"}}\n\n"));
    let csv = all(&|n, text| format!("{n},\"{text}\nand\"\r\n"));
    let mbox =
        all(&|n, text| format!("From a@b Thu Jan  1 00:00:00 2004\nSubject: {n}\n\n{text}\n\n"));
    let warc = all(&|_, text| {
        let head = "WARC/1.0\r\nWARC-Type: conversion\r\nContent-Length:";
        format!("{head} {}\r\n\r\n{text}\r\n\r\n", text.len())
    });
    let files = [
        ("a.jsonl", jsonl),
        ("b.csv", format!("id,text\n{csv}")),
        ("c.tsv", format!("text\tid\n{}", texts.join("\t1\n"))),
        ("d.mbox", mbox),
        ("e.warc", warc),
    ];
    for (name, content) in files {
        fs::write(folder.join(name), &content).unwrap();
        // Stored, so that the decoder gives every byte before the failure.
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
        std::io::Write::write_all(&mut packed, content.as_bytes()).unwrap();
        fs::write(folder.join(format!("{name}.gz")), packed.finish().unwrap()).unwrap();
    }
}

/// A chunk as a whole: its position, and the bytes of its records.
fn bytes(chunk: &Chunk) -> (lookalike_io::source::ChunkPosition, Vec<Vec<u8>>) {
    (chunk.place(), chunk.raw_records().map(|(_, raw)| raw.to_vec()).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn only_a_failure_tells_that_a_chunk_was_cut_off(
        lengths in prop::collection::vec(0u8..40, 1..30),
        size in 20usize..900,
        cut in 0.0..1.0f64,
    ) {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &lengths);
        for file in discover(folder.path()).files {
            let one = |damage: Option<&str>| {
                let file = lookalike_io::InputFile { damage: damage.map(str::to_owned), ..file.clone() };
                Inputs::from_files(vec![file], DiscoverOptions::default())
            };
            let whole = one(None);
            let expected: Vec<Chunk> =
                whole.chunks().with_size(size).map(|piece| piece.whole().unwrap()).collect();
            let content = fs::read(&file.path).unwrap();
            let end = (content.len() as f64 * cut) as usize;
            fs::write(&file.path, &content[..end]).unwrap();
            // A failure, and not the end, by what the file is known to hold.
            let failing = one(Some("its disk fails; try again"));
            let mut pieces: Vec<Piece> = failing.chunks().with_size(size).collect();
            let Some(Piece::Failed { before, failure }) = pieces.pop() else {
                return Err(TestCaseError::fail(format!("{}: no failure", file.name)));
            };
            prop_assert!(failure.problem().unreadable && failure.problem().record == 0);
            prop_assert!(failure.problem().message.contains("try again"), "{}", failure);
            prop_assert!(pieces.len() <= expected.len());
            for (piece, expected) in pieces.iter().zip(&expected) {
                let Piece::Chunk(chunk) = piece else {
                    return Err(TestCaseError::fail(format!("{}: {piece:?}", file.name)));
                };
                prop_assert_eq!(bytes(chunk), bytes(expected));
            }
            // The records before the failure begin the next chunk.
            if let Some(before) = before {
                let (next, records) = (&expected[pieces.len()], bytes(&before).1);
                prop_assert_eq!(before.first_record, next.first_record);
                let all: Vec<_> = expected[pieces.len()..].iter().flat_map(|c| bytes(c).1).collect();
                prop_assert!(!records.is_empty() && all.starts_with(&records), "{}", file.name);
                // It is found again where it was, by a run that skipped the rest.
                let again = failing.chunks_at([before.place()]).with_size(size).next().unwrap();
                prop_assert_eq!(bytes(&again.whole().unwrap()), bytes(&before));
            }
            // What is behind the failure cannot be had.
            let beyond = expected.last().filter(|_| pieces.len() + 1 < expected.len());
            if let Some(last) = beyond {
                let found = failing.chunks_at([last.place()]).with_size(size).next().unwrap();
                prop_assert!(matches!(found, Piece::Failed { before: None, .. }), "{found:?}");
            }
            fs::write(&file.path, content).unwrap();
        }
    }
}
