//! Some chunks read again are the chunks that they were.

use std::fs;

use lookalike_io::source::{Next, Piece};
use lookalike_io::{DiscoverOptions, Inputs, Item, source};
use proptest::prelude::*;

use crate::help::{Owned, discover};

/// Position and content of a chunk.
type Seen = (source::ChunkPosition, Vec<Owned>, usize);

fn seen(inputs: &Inputs, chunk: &source::Chunk) -> Seen {
    let (mut records, mut problems) = (Vec::new(), 0);
    chunk.visit(inputs, &mut source::VisitScratch::default(), &mut |item| match item {
        Item::Record(record) => records.push(Owned::of(record)),
        Item::Bad(_) | Item::Failed(_) => problems += 1,
    });
    (chunk.place(), records, problems)
}

/// Files of every way of being read, with what is odd about chunks: marks at the beginning, blank
/// lines, lines that are longer than a chunk, and bad ones.
fn files(folder: &std::path::Path, lines: &[u8]) {
    let line = |n: &u8| match n % 6 {
        0 => "\n".repeat(usize::from(*n)),
        1 => format!("{{\"text\":\"{}\"}}\n", "long ".repeat(usize::from(*n))),
        2 => "no json\n".to_string(),
        n => format!("{{\"text\":\"to be or not {n}\"}}\n"),
    };
    let jsonl: String = lines.iter().map(line).collect();
    fs::write(folder.join("a.jsonl"), format!("\u{feff}{jsonl}")).unwrap();
    fs::write(folder.join("b.jsonl"), jsonl.trim_end()).unwrap();
    let packed = zstd::encode_all(jsonl.as_bytes(), 1).unwrap();
    fs::write(folder.join("c.jsonl.zst"), packed).unwrap();
    let rows: String = lines.iter().map(|n| format!("{n},\"some\ntext {n}\"\n")).collect();
    fs::write(folder.join("d.csv"), format!("id,text\n{rows}")).unwrap();
    for n in 0..4 {
        fs::write(folder.join(format!("e{n}.txt")), "a text of its own").unwrap();
    }
    fs::write(folder.join("f.jsonl"), "").unwrap();
    fs::write(folder.join("g.jsonl"), &jsonl).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn chunks_are_found_again_at_their_places(
        lines in prop::collection::vec(any::<u8>(), 0..40),
        size in 5usize..300,
        choice in any::<u64>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        files(folder.path(), &lines);
        let inputs = discover(folder.path());
        let all = inputs.chunks().with_size(size).filter_map(|piece| piece.into_parts().0);
        let wanted: Vec<_> = all
            .enumerate()
            .filter(|(number, _)| choice >> (number % 64) & 1 == 1)
            .map(|(_, chunk)| seen(&inputs, &chunk))
            .collect();
        let places = wanted.iter().map(|(place, ..)| *place);
        let found: Vec<_> =
            inputs.chunks_at(places).with_size(size).map(|chunk| seen(&inputs, &chunk.whole().unwrap())).collect();
        prop_assert_eq!(found, wanted);
    }
}

#[test]
fn what_is_not_there_any_more_is_told() {
    let folder = tempfile::tempdir().unwrap();
    files(folder.path(), &[4; 40]);
    let inputs = discover(folder.path());
    let places: Vec<_> =
        inputs.chunks().with_size(100).map(|chunk| chunk.whole().unwrap().place()).collect();
    for name in ["a.jsonl", "c.jsonl.zst", "d.csv"] {
        fs::write(folder.path().join(name), "").unwrap();
    }
    fs::remove_file(folder.path().join("g.jsonl")).unwrap();
    let again = inputs.chunks_at(places.iter().copied()).with_size(100);
    let (mut gone, mut there) = (0, 0);
    for (chunk, place) in again.zip(&places) {
        match chunk.whole() {
            Ok(chunk) => {
                assert_eq!(chunk.place(), *place);
                there += 1;
            }
            Err(problem) => {
                assert_eq!(problem.file, place.file);
                gone += 1;
            }
        }
    }
    let of = |name: &str| {
        let file = inputs.files.iter().position(|file| file.name.ends_with(name)).unwrap() as u32;
        places.iter().filter(|place| place.file == file).count()
    };
    let lost = ["a.jsonl", "c.jsonl.zst", "d.csv", "g.jsonl"].map(of);
    assert!(lost.iter().all(|&chunks| chunks > 1), "{lost:?}");
    assert_eq!((gone, gone + there), (lost.iter().sum(), places.len()));
}

#[test]
fn why_a_file_cannot_be_read_to_its_end_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl.gz");
    let lines = "{\"text\":\"to be or not to be\"}\n".repeat(1000);
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    std::io::Write::write_all(&mut encoder, lines.as_bytes()).unwrap();
    let packed = encoder.finish().unwrap();
    fs::write(&path, &packed).unwrap();
    let inputs = discover(folder.path());
    let last = inputs.chunks().with_size(100).last().unwrap().whole().unwrap().place();
    fs::write(&path, &packed[..packed.len() / 2]).unwrap();
    let problem = inputs.chunks_at([last]).with_size(100).next().unwrap().whole().unwrap_err();
    assert!(problem.message.contains("the gzip data is cut off"), "{problem}");
}

#[test]
fn only_requested_chunks_are_read() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.jsonl"), "{\"text\":\"x\"}\n".repeat(10_000)).unwrap();
    let options = DiscoverOptions::default();
    let inputs = Inputs::discover(&[folder.path().display().to_string()], options).unwrap();
    let places: Vec<_> =
        inputs.chunks().with_size(1000).map(|c| c.whole().unwrap().place()).collect();
    // Damage that a reader of this part would detect.
    let mut data = fs::read(folder.path().join("a.jsonl")).unwrap();
    data[..60_000].fill(b'x');
    fs::write(folder.path().join("a.jsonl"), data).unwrap();
    let last = *places.last().unwrap();
    let found: Vec<_> =
        inputs.chunks_at([last]).with_size(1000).map(|c| c.whole().unwrap()).collect();
    assert_eq!(found.iter().map(source::Chunk::place).collect::<Vec<_>>(), [last]);
    assert!(found[0].consumed > 120_000, "what lies before counts as done");
}

/// A chunk, or what is wrong in its place, as values.
fn told(inputs: &Inputs, next: Piece) -> (Option<Seen>, Option<String>) {
    let (chunk, problem) = next.into_parts();
    (chunk.map(|chunk| seen(inputs, &chunk)), problem.map(|problem| problem.to_string()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Files that are read in parallel, in any order, a chunk of any of them at a time, give the
    /// same chunks as sequential reading; also if reading begins within a file.
    #[test]
    fn files_read_side_by_side_have_the_same_chunks(
        lines in prop::collection::vec(any::<u8>(), 0..40),
        size in 5usize..300,
        before in 0usize..30,
        cut in 0usize..100,
        turns in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 1..60),
    ) {
        let folder = tempfile::tempdir().unwrap();
        files(folder.path(), &lines);
        let long: String = lines.iter().map(|n| format!("{n},\"{}\"\n", "x".repeat(usize::from(*n) * 3))).collect();
        fs::write(folder.path().join("h.csv"), format!("id,text\n{long}")).unwrap();
        let packed = fs::read(folder.path().join("c.jsonl.zst")).unwrap();
        fs::write(folder.path().join("i.jsonl.zst"), &packed[..packed.len() * cut / 100]).unwrap();
        fs::write(folder.path().join("j.csv"), "no column\nof these\n").unwrap();
        let inputs = discover(folder.path());
        let chunks = || inputs.chunks().with_size(size);
        let expected: Vec<_> = chunks().skip(before).map(|next| told(&inputs, next)).collect();

        let mut begun = chunks();
        begun.by_ref().take(before).for_each(drop);
        let mut open: Vec<_> = begun.into_files().map(|file| (file, Vec::new(), false)).collect();
        for (which, any_size) in turns.iter().cycle() {
            let mut left: Vec<_> = open.iter_mut().filter(|(_, _, ended)| !ended).collect();
            if left.is_empty() {
                break;
            }
            let at = which.index(left.len());
            let (file, read, ended) = &mut *left[at];
            let next = match file.next(*any_size) {
                // Asked again for any size, it is there.
                Next::Large => {
                    prop_assert!(!any_size && matches!(file.next(false), Next::Large));
                    file.next(true)
                }
                next => next,
            };
            match next {
                Next::Piece(piece) => {
                    if let Piece::Chunk(chunk) = &piece {
                        prop_assert!(chunk.file >= file.first_file() || matches!(chunk.body, source::Body::Files(_)));
                    }
                    read.push(told(&inputs, piece));
                }
                Next::Large => prop_assert!(false, "any size was allowed"),
                Next::End => *ended = true,
            }
        }
        let read: Vec<_> = open.into_iter().flat_map(|(_, read, _)| read).collect();
        prop_assert_eq!(read, expected);
    }
}
