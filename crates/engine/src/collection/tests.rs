//! Order of names, and references of restored chunks.

use super::*;
use lookalike_join::ChunkId;

#[test]
fn names_are_compared_as_if_they_were_written_out() {
    let mut collection = Collection {
        file_names: ["a", "a:1", "b", "a:", "z.txt"].map(String::from).to_vec(),
        whole_files: vec![false, false, false, false, true],
        ..Collection::default()
    };
    let ids = [None, Some("a:1"), Some("a:10"), Some("b:4294967295"), Some("a"), Some("z.txt")];
    let mut block =
        Block { rows_held: true, sets: SharedSets::new(HeldSets::default()), ..Block::default() };
    for file in 0..5 {
        for record in [1, 2, 9, 10, 11, 100, 1_000_000_000, u32::MAX] {
            for id in ids {
                block.rows.ids.push(id);
                block.rows.documents.push(Document {
                    file,
                    record,
                    ..Rows::unknown(1).documents[0]
                });
            }
        }
    }
    let documents = block.rows.documents.len() as u32;
    collection.chunk_starts = vec![0, documents / 2, documents];
    let of_each = documents / 5;
    collection.file_starts = (0..=5).map(|file| file * of_each).collect();
    let mut second =
        Block { rows_held: true, sets: SharedSets::new(HeldSets::default()), ..Block::default() };
    second.rows.documents = block.rows.documents.split_off(documents as usize / 2);
    for row in documents as usize / 2..documents as usize {
        second.rows.ids.push(block.rows.ids.get(row));
    }
    collection.blocks = vec![block, second];
    compare_all(&collection);
    // The second half on disk: with loaded names, and read one by one.
    collection.store = ChunkStore::new(0, std::env::temp_dir());
    collection.store.take(&mut collection.blocks[1], &Default::default()).unwrap();
    let before: Vec<String> =
        collection.documents().map(|d| collection.name(d).unwrap().into_owned()).collect();
    let places = |collection: &Collection| -> Vec<(String, u32)> {
        let place = |document| collection.place(document).unwrap();
        collection.documents().map(place).map(|(file, record)| (file.to_owned(), record)).collect()
    };
    let placed = places(&collection);
    assert_eq!((placed[0].0.as_str(), placed[0].1), ("a", 1));
    assert_eq!(placed.last(), Some(&("z.txt".to_owned(), u32::MAX)));
    collection.load_names(|document| document.0 % 3 > 0).unwrap();
    assert!(
        collection
            .documents()
            .all(|document| collection.name(document).unwrap() == before[document.index()])
    );
    assert_eq!(places(&collection), placed);
    compare_all(&collection);
    // With ranks of some documents.
    collection.rank_names(&crate::Silent, |document| document.0 % 2 > 0).unwrap();
    compare_all(&collection);
    // Rows loaded again: within too small a budget, then all.
    collection.load_names(|_| false).unwrap();
    collection.rank_names(&crate::Silent, |_| false).unwrap();
    for (room, back) in [(100, false), (u64::MAX, true)] {
        collection.hold_rows(room).unwrap();
        assert_eq!(collection.blocks[1].rows_held, back);
        assert!(collection.documents().all(|n| collection.name(n).unwrap() == before[n.index()]));
        assert_eq!(places(&collection), placed);
        compare_all(&collection);
    }
}

/// A checkpoint with unresolvable references must not be used: they would refer to the sets of
/// other documents.
#[test]
fn restored_chunks_refer_backwards_and_to_sets_that_exist() {
    let block = |sets: u32, places: &[SetRef]| {
        let mut block = Block::default();
        for (record, &place) in (1..).zip(places) {
            let row = Document { record, set: Ok(place), ..Rows::unknown(1).documents[0] };
            block.rows.documents.push(row);
        }
        block.ends = vec![0; sets as usize];
        let sequences = vec![TokenDigest(0); sets as usize];
        (block, ChunkMetadata { sequences, ..ChunkMetadata::default() })
    };
    let at = |chunk, index| SetRef { chunk: ChunkId(chunk), index };
    let mut collection = Collection {
        file_names: vec!["a".to_owned()],
        blocks: vec![block(2, &[]).0],
        ..Collection::default()
    };
    for (places, fits) in [
        (&[at(0, 0), at(0, 1), at(1, 0), at(1, 2)][..], true),
        (&[at(0, 2)], false),
        (&[at(1, 3)], false),
        (&[at(2, 0)], false),
        (&[at(u32::MAX, 0)], false),
    ] {
        assert_eq!(collection.fits(&block(3, places)), fits, "{places:?}");
    }
    let (block, mut metadata) = block(3, &[at(0, 0)]);
    metadata.attributes = vec![vec![1.0, 2.0]];
    assert!(!collection.fits(&(block, metadata)));
    collection.file_names.clear();
    let (block, metadata) = (Block::default(), ChunkMetadata::default());
    assert!(collection.fits(&(block, metadata)));
}

fn compare_all(collection: &Collection) {
    for a in collection.documents() {
        for b in collection.documents() {
            let (x, y) = (collection.name(a).unwrap(), collection.name(b).unwrap());
            let expected = x.as_bytes().cmp(y.as_bytes()).then(a.cmp(&b));
            assert_eq!(collection.compare_names(a, b).unwrap(), expected, "{x} and {y}");
        }
    }
}
