//! The same bytes for any number of threads, and with a dictionary.

use super::*;

fn documents() -> Vec<Plain> {
    let document = |number: u32| Plain {
        id: number.to_string(),
        url: String::new(),
        words: (0..100 + number % 300).map(|n| format!("w{} ", n * number % 4999)).collect(),
        number,
        few: false,
        expires: 0,
    };
    (0..1500).map(document).collect()
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

#[test]
fn segments_do_not_depend_on_the_number_of_threads() {
    let documents = documents();
    let texts = || documents.iter().map(|document| &*document.words);
    let dictionary = train_dictionary(texts());
    assert!(dictionary.len() > 1000);
    assert_eq!(dictionary, train_dictionary(texts()));
    let one = pool(1).install(|| built(&documents, &SETTINGS, &dictionary).0);
    assert!(one == built(&documents, &SETTINGS, &dictionary).0);
    assert!(one == pool(5).install(|| built(&documents, &SETTINGS, &dictionary).0));
    let halves: Vec<Segment> =
        documents.chunks(800).map(|half| segment(half, &SETTINGS, &dictionary)).collect();
    let dead = RoaringBitmap::new();
    let merged = |threads: usize| {
        let part = |segment| MergePart { segment, dead: &dead, rewrite: None };
        let parts: Vec<MergePart<'_>> = halves.iter().map(part).collect();
        let mut bytes = Vec::new();
        pool(threads).install(|| merge(&SETTINGS, &parts, &mut bytes)).unwrap();
        bytes
    };
    assert!(merged(1) == one && merged(3) == one);
}

/// Texts without a dictionary are compressed again with that of the others.
#[test]
fn a_merged_segment_has_a_dictionary_if_a_part_has_one() {
    let documents = documents();
    let dictionary = train_dictionary(documents.iter().map(|document| &*document.words));
    let whole = built(&documents, &SETTINGS, &dictionary).0;
    let parts = [
        segment(&documents[..900], &SETTINGS, b""),
        segment(&documents[900..], &SETTINGS, &dictionary),
    ];
    let dead = RoaringBitmap::new();
    for parts in [[&parts[0], &parts[1]], [&parts[1], &parts[0]]] {
        let parts = parts.map(|segment| MergePart { segment, dead: &dead, rewrite: None });
        let mut bytes = Vec::new();
        merge(&SETTINGS, &parts, &mut bytes).unwrap();
        assert!(bytes == whole);
    }
}
