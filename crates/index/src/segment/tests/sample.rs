//! The samples of the format, which every later version must open.
//! `cargo test -p lookalike-index --lib sample -- --ignored` writes them anew: for a new format.

use super::*;
use crate::elements_file::ElementsFile;
use lookalike_core::CommonElements;
use std::path::PathBuf;

const DICTIONARY: &[u8] = b"word1 word2 word3 word4 word5 x y z";

/// The samples: their names, whether they have texts, and whether they are lean.
const SAMPLES: [(&str, bool, bool); 3] =
    [("index.seg", true, false), ("index-sets.seg", false, false), ("index-lean.seg", false, true)];

/// The table of common elements of the lean one.
const TABLE: &str = "common.bin";

/// Every third word of the long document, and some of no document.
fn common() -> CommonElements {
    let words = (0..120).step_by(3).map(|n| format!("word{n} "));
    CommonElements::new(set_of(&words.collect::<String>()))
}

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/formats/v1").join(name)
}

/// Equal sets with equal and with other texts, one that is too small to be compared, a larger one,
/// and a document without features.
fn documents() -> Vec<Plain> {
    let words: String = (0..60).map(|n| format!("word{n} ")).collect();
    let all = [("a", "x y z"), ("b", "y x"), ("é", ""), ("b", "x y"), ("few", "one")];
    let all = all.into_iter().chain([("a", "x y z"), ("long", &words)]);
    let plain = |(number, (id, words)): (u32, (&str, &str))| Plain {
        id: id.into(),
        url: if number % 2 == 0 { format!("http://x/{id}") } else { String::new() },
        words: words.into(),
        number,
        few: id == "few",
        expires: u64::from(number) << 33,
    };
    (0..).zip(all).map(plain).collect()
}

fn settings(texts: bool, lean: bool) -> SegmentSettings {
    let lean = lean.then(|| Arc::new(Lean::new("0.7".parse().unwrap(), common())));
    SegmentSettings { texts, lean, ..SETTINGS }
}

#[test]
fn samples_are_what_they_were() {
    for (name, texts, lean) in SAMPLES {
        let bytes = std::fs::read(path(name)).unwrap();
        let segment = open(bytes, &settings(texts, lean)).unwrap();
        equals(&segment, &documents()).unwrap();
    }
    let table = std::fs::read(path(TABLE)).unwrap();
    let digest = ElementsFile::digest(&table);
    assert_eq!(ElementsFile::COMMON.decode(Path::new(TABLE), &table, &digest).unwrap().0, common());
}

#[test]
#[ignore = "writes the samples"]
fn write_samples() {
    std::fs::write(path(TABLE), ElementsFile::COMMON.encode(&common(), &[])).unwrap();
    for (name, texts, lean) in SAMPLES {
        let settings = settings(texts, lean);
        let dictionary = if texts { DICTIONARY } else { b"" };
        let documents = documents();
        let (bytes, built) = built(&documents, &settings, dictionary);
        let mapped = Mapped::owned(bytes.clone());
        let unfinished =
            Segment::open_unfinished(mapped, Path::new(name), &settings, &built).unwrap();
        let numbers = (0..built.documents).map(|local| unfinished.row(local).number.0);
        let bytes = complete(bytes, &built, &numbers.collect::<Vec<_>>());
        std::fs::write(path(name), bytes).unwrap();
    }
}
