//! A segment of four documents, by hand.

use super::*;

fn plain(number: u32, id: &str, words: &str) -> Plain {
    let url = format!("http://x/{id}");
    Plain { id: id.into(), url, words: words.into(), number, few: false, expires: 0 }
}

/// Two units: {x, y} of `b` and `d`, which have other texts, and {x, y, z} of `a`; `c` is in none.
fn four() -> [Plain; 4] {
    [plain(0, "a", "z x y"), plain(1, "b", "x y"), plain(2, "c", ""), plain(3, "d", "y x")]
}

fn list(segment: &Segment, word: &str) -> Vec<u32> {
    segment.lookup(set_of(word)[0]).entries().collect()
}

#[test]
fn documents_are_in_order_of_size_and_number() {
    let segment = segment(&four(), &SETTINGS, b"");
    let ids: Vec<&str> = (0..4).map(|local| segment.id(local)).collect();
    assert_eq!(ids, ["b", "d", "a", "c"]);
    let units: Vec<Option<u32>> = (0..4).map(|local| segment.unit_of(local)).collect();
    assert_eq!(units, [Some(0), Some(0), Some(1), None]);
    assert_eq!((segment.units(), segment.posting_count()), (2, 5));
    assert_eq!((segment.unit_size(0), segment.unit_size(1)), (2, 3));
    assert_eq!((segment.unit_documents(0), segment.unit_documents(1)), (0..2, 2..3));
    let ranges: Vec<Range<u32>> = [(0, 1), (2, 2), (3, 9), (2, u32::MAX)]
        .map(|(low, high)| segment.units_of_size(low, high))
        .into();
    assert_eq!(ranges, [0..0, 0..1, 1..2, 0..2]);
}

#[test]
fn every_element_is_posted_once_for_each_unit() {
    let segment = segment(&four(), &SETTINGS, b"");
    assert_eq!(list(&segment, "x"), [0, 1]);
    assert_eq!(list(&segment, "y"), [0, 1]);
    assert_eq!(list(&segment, "z"), [1]);
    assert_eq!(list(&segment, "absent"), [0; 0]);
    let x = segment.lookup(set_of("x")[0]);
    assert_eq!(x.within(&(1..2)).entries().collect::<Vec<_>>(), [1]);
    assert_eq!((x.within(&(0..1)).len(), x.within(&(2..9)).len(), x.len()), (1, 0, 2));
    assert!(x.contains(1) && !x.contains(2));
}

#[test]
fn documents_are_found() {
    let segment = segment(&four(), &SETTINGS, b"");
    assert_eq!(segment.find_id("d").collect::<Vec<_>>(), [1]);
    assert_eq!(segment.find_url("http://x/c").collect::<Vec<_>>(), [3]);
    assert_eq!(segment.find_url("").count(), 0);
    assert_eq!(segment.find_number(DocNumber(0)), Some(2));
    assert_eq!(segment.find_number(DocNumber(4)), None);
}

/// An empty segment is a segment.
#[test]
fn a_segment_of_nothing() {
    let segment = segment(&[], &SETTINGS, b"");
    assert_eq!((segment.documents(), segment.units(), segment.posting_count()), (0, 0, 0));
    assert_eq!(list(&segment, "x"), [0; 0]);
    assert_eq!(segment.units_of_size(0, u32::MAX), 0..0);
    assert_eq!(segment.check(Some(&mut Words)), Vec::<String>::new());
}

fn bytes_of_texts(documents: &[Plain], settings: &SegmentSettings) -> u64 {
    let segment = segment(documents, settings, b"");
    let texts = segment.section_bytes().find(|&(name, _)| name == "texts");
    texts.expect("every segment has the section").1
}

/// A page that did not change between sweeps costs a row.
#[test]
fn equal_texts_of_a_unit_are_stored_once() {
    let texts = |words: [&str; 3]| {
        let documents = words.iter().zip(0..).map(|(words, number)| plain(number, "a", words));
        bytes_of_texts(&documents.collect::<Vec<_>>(), &SETTINGS)
    };
    let one = texts(["x y z", "", ""]);
    let (same, other) = (texts(["x y z", "x y z", "x y z"]), texts(["x y z", "x z y", "x y z"]));
    // The empty texts are in no unit, and stored for each.
    let empty = bytes_of_texts(&[plain(0, "a", "")], &SETTINGS);
    assert_eq!(same, one - 2 * empty);
    assert!(other > same);
}

#[test]
fn sets_are_stored_once_for_each_unit() {
    let settings = SegmentSettings { texts: false, ..SETTINGS };
    let one = bytes_of_texts(&[plain(0, "a", "x y z")], &settings);
    let three = ["x y z", "z y x", "y x z"].iter().zip(0..).map(|(w, n)| plain(n, "a", w));
    assert_eq!(bytes_of_texts(&three.collect::<Vec<_>>(), &settings), one);
}

/// Its text could not be read again.
#[test]
fn a_text_of_another_length_is_refused() {
    let mut batch = DocumentBatch::default();
    batch.push(&DocumentView { text_bytes: 4, ..view() });
    let (number, first) = (DocNumber(0), DocNumber(0));
    let new = [NewDocument { batch: &batch, index: 0, number, first }];
    let error = build(&SETTINGS, &new, &Dictionary::default(), &mut Vec::new()).unwrap_err();
    assert!(error.to_string().contains("`five`"), "{error}");
}

fn view() -> DocumentView<'static> {
    DocumentView {
        number: DocNumber(0),
        first: DocNumber(0),
        sweep: 0,
        expires: 0,
        id: "five",
        url: "",
        date: "",
        extra: &[],
        tokens: 0,
        text_bytes: 5,
        text: TextDigest(0),
        sequence: TokenDigest(0),
        keep: &[],
        unit: None,
        reason: 1,
        few: false,
        set: &[],
        content: "12345",
        signatures: &[],
    }
}
