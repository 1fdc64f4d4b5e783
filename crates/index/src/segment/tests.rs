//! Against plain documents in memory.

mod damage;
mod sample;
mod threads;
mod tiny;

use super::*;
use crate::search::PostingList;
use crate::{DocNumber, DocumentBatch, DocumentView, SetMaker, SignatureView};
use lookalike_core::{TextDigest, TokenDigest, features, fingerprint};
use proptest::prelude::*;
use roaring::RoaringBitmap;
use std::collections::{BTreeMap, BTreeSet};

const SETTINGS: SegmentSettings = SegmentSettings {
    digest: 7,
    keep_values: 2,
    across: false,
    methods: 1,
    texts: true,
    lean: None,
};

/// Settings with and without texts, of full and lean segments with any table of common elements.
fn settings() -> impl Strategy<Value = SegmentSettings> {
    let common = prop::collection::vec("[a-c]|[a-z]{2}", 0..60);
    let lean = prop::option::of((1u32..=100, common));
    (any::<bool>(), lean).prop_map(|(texts, lean)| SegmentSettings {
        texts,
        lean: lean.map(|(hundredths, common)| Arc::new(lean_of(hundredths, &common.join(" ")))),
        ..SETTINGS
    })
}

fn lean_of(hundredths: u32, common: &str) -> Lean {
    let threshold = format!("{}.{:02}", hundredths / 100, hundredths % 100).parse().unwrap();
    Lean::new(threshold, lookalike_core::CommonElements::new(set_of(common)))
}

/// A document of which everything follows: its words are its features.
#[derive(Debug, Clone, PartialEq)]
struct Plain {
    id: String,
    url: String,
    words: String,
    number: u32,
    few: bool,
    expires: u64,
}

/// One feature for each distinct word.
struct Words;

fn set_of(text: &str) -> Vec<u64> {
    let set: BTreeSet<u64> = text
        .split_whitespace()
        .map(|word| fingerprint::finalise(fingerprint::token(word.as_bytes())))
        .collect();
    set.into_iter().collect()
}

impl SetMaker for Words {
    fn make(&mut self, text: &str, _: &[u8], set: &mut Vec<u64>) -> Option<SetDigest> {
        *set = set_of(text);
        features::digest(set)
    }
}

impl Plain {
    fn set(&self) -> Vec<u64> {
        set_of(&self.words)
    }

    fn unit(&self) -> Option<SetDigest> {
        let set = self.set();
        let digest = features::digest(&set)?;
        Some(if self.few { SetDigest(TokenDigest::of(&set).0) } else { digest })
    }

    fn signature(&self) -> (Vec<u64>, Vec<u64>) {
        let set = self.set();
        (set.iter().take(2).copied().collect(), set.iter().rev().take(1).copied().collect())
    }

    fn push_to(&self, batch: &mut DocumentBatch) {
        let set = self.set();
        let (keys, sketch) = self.signature();
        let signature = SignatureView {
            keys: &keys,
            sketch: &sketch,
            size: set.len() as u32,
            level: 3,
            unsigned: u8::from(keys.is_empty()),
        };
        batch.push(&DocumentView {
            number: DocNumber(0),
            first: DocNumber(0),
            sweep: self.number % 3,
            expires: self.expires,
            id: &self.id,
            url: &self.url,
            date: "2024-05-01",
            extra: self.id.as_bytes(),
            tokens: 5,
            text_bytes: self.words.len() as u64,
            text: TextDigest::of(self.words.as_bytes()),
            sequence: TokenDigest::of(&set),
            keep: &[f64::from(self.number), f64::NAN],
            unit: self.unit(),
            reason: u8::from(set.is_empty()),
            few: self.few,
            set: &set,
            content: &self.words,
            signatures: &[signature],
        });
    }
}

fn documents() -> impl Strategy<Value = Vec<Plain>> {
    let words = prop_oneof![
        3 => "([a-c] ){0,4}",
        2 => "([a-z]{2} ){0,12}",
        1 => "([a-z]{3} ){60,90}",
    ];
    let one = ("[a-d]{0,2}\u{e9}?", "(http://x/[a-c])?", words, any::<bool>(), 0u64..3);
    prop::collection::vec(one, 0..40).prop_map(|all| {
        let plain = |(number, (id, url, words, few, expires))| Plain {
            id,
            url,
            words,
            number,
            few,
            expires,
        };
        (0..).zip(all).map(plain).collect()
    })
}

fn built(documents: &[Plain], settings: &SegmentSettings, dictionary: &[u8]) -> (Vec<u8>, Built) {
    let mut batch = DocumentBatch::default();
    documents.iter().for_each(|document| document.push_to(&mut batch));
    let new: Vec<NewDocument<'_>> = documents
        .iter()
        .enumerate()
        .map(|(index, plain)| NewDocument {
            batch: &batch,
            index,
            number: DocNumber(plain.number),
            first: DocNumber(plain.number / 2),
        })
        .collect();
    let mut bytes = Vec::new();
    let dictionary = Dictionary::new(dictionary.to_vec()).unwrap();
    let built = build(settings, &new, &dictionary, &mut bytes).unwrap();
    assert_eq!(built.bytes, bytes.len() as u64);
    (bytes, built)
}

fn complete(mut bytes: Vec<u8>, built: &Built, states: &[u32]) -> Vec<u8> {
    let total = write_states(&mut bytes, built, states).unwrap();
    assert_eq!(total, bytes.len() as u64);
    bytes
}

fn open(bytes: Vec<u8>, settings: &SegmentSettings) -> Result<Segment, IndexError> {
    Segment::open(Mapped::owned(bytes), Path::new("s.seg"), settings)
}

/// A complete segment: the state of a document is its number.
fn segment(documents: &[Plain], settings: &SegmentSettings, dictionary: &[u8]) -> Segment {
    let (bytes, built) = built(documents, settings, dictionary);
    let mapped = Mapped::owned(bytes.clone());
    let unfinished =
        Segment::open_unfinished(mapped, Path::new("s.tmp"), settings, &built).unwrap();
    let states: Vec<u32> =
        (0..built.documents).map(|local| unfinished.row(local).number.0).collect();
    assert!((0..built.documents).all(|local| unfinished.relies_on(local) == KEPT));
    open(complete(bytes, &built, &states), settings).unwrap()
}

/// Compares everything that a segment says with the documents.
fn equals(segment: &Segment, documents: &[Plain]) -> Result<(), TestCaseError> {
    prop_assert_eq!(segment.documents() as usize, documents.len());
    let units: BTreeMap<SetDigest, Vec<u64>> =
        documents.iter().filter_map(|plain| Some((plain.unit()?, plain.set()))).collect();
    prop_assert_eq!(segment.units() as usize, units.len());
    let (mut texts, mut buffer) = (TextReader::default(), Vec::new());
    for plain in documents {
        let local = segment.find_number(DocNumber(plain.number)).expect("it is there");
        let row = segment.row(local);
        prop_assert_eq!((row.number.0, row.first.0), (plain.number, plain.number / 2));
        prop_assert_eq!(
            (row.sweep, row.expires, row.few),
            (plain.number % 3, plain.expires, plain.few)
        );
        prop_assert_eq!((segment.id(local), segment.url(local)), (&*plain.id, &*plain.url));
        prop_assert_eq!(
            (segment.date(local), segment.extra(local)),
            ("2024-05-01", plain.id.as_bytes())
        );
        let keep: Vec<u64> = segment.keep(local).map(f64::to_bits).collect();
        prop_assert_eq!(keep, [f64::from(plain.number).to_bits(), f64::NAN.to_bits()]);
        prop_assert_eq!(segment.relies_on(local), plain.number);
        let set = plain.set();
        match segment.has_texts() {
            true => prop_assert_eq!(segment.text(local, &mut texts).unwrap(), &*plain.words),
            false => {
                let mut stored = Vec::new();
                segment.stored_set(local, &mut stored).unwrap();
                prop_assert_eq!(&stored, &set);
            }
        }
        let unit = segment.unit_of(local);
        prop_assert_eq!(unit.is_some(), !set.is_empty());
        if let Some(unit) = unit {
            prop_assert!(segment.unit_documents(unit).contains(&local));
            prop_assert_eq!(segment.unit_size(unit) as usize, set.len());
            for &element in segment.settings.posted_of(&set, &mut buffer) {
                prop_assert!(segment.lookup(element).contains(unit));
            }
        }
        let same = |of: &dyn Fn(&Plain) -> &str, name: &str| {
            documents.iter().filter(|other| of(other) == name).count()
        };
        prop_assert_eq!(segment.find_id(&plain.id).count(), same(&|other| &other.id, &plain.id));
        if !plain.url.is_empty() {
            let found = segment.find_url(&plain.url).count();
            prop_assert_eq!(found, same(&|other| &other.url, &plain.url));
        }
        let (keys, sketch) = plain.signature();
        let signature = segment.signature(0, local);
        prop_assert_eq!((&signature.keys, &signature.sketch), (&keys, &sketch));
        prop_assert_eq!(signature.view().level, 3);
        for key in keys {
            prop_assert!(segment.documents_with_key(0, key).contains(local));
        }
    }
    // Every list, against all sets.
    for element in documents.iter().flat_map(Plain::set) {
        let holders = units
            .values()
            .filter(|set| segment.settings.posted_of(set, &mut buffer).contains(&element))
            .count();
        prop_assert_eq!(segment.lookup(element).len() as usize, holders);
    }
    prop_assert!(segment.find_id("absent").next().is_none());
    prop_assert!(segment.find_number(DocNumber(1000)).is_none());
    for low in 0..8 {
        for high in low..8 {
            let sizes = units.values().map(Vec::len);
            let count = sizes.filter(|size| (low..=high).contains(size)).count();
            prop_assert_eq!(segment.units_of_size(low as u32, high as u32).len(), count);
        }
    }
    prop_assert_eq!(segment.check(None), Vec::<String>::new());
    prop_assert_eq!(segment.check(Some(&mut Words)), Vec::<String>::new());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn a_segment_says_what_its_documents_say(documents in documents(), settings in settings()) {
        equals(&segment(&documents, &settings, b""), &documents)?;
    }

    #[test]
    fn merged_segments_are_the_segment_of_all(
        documents in documents(),
        parts in prop::collection::vec(0usize..3, 40),
        dead in prop::collection::vec(prop::bool::weighted(0.2), 40),
        settings in settings(),
        dictionary in any::<bool>(),
    ) {
        let word = "a dictionary of bytes that occur in no text".as_bytes();
        let segments: Vec<Segment> = (0..3)
            .map(|part| {
                let own: Vec<Plain> =
                    documents.iter().zip(&parts).filter(|(_, p)| **p == part).map(|(d, _)| d.clone()).collect();
                // Segments of different dictionaries.
                segment(&own, &settings, if dictionary && part == 1 { word } else { b"" })
            })
            .collect();
        let dead_of: Vec<RoaringBitmap> = segments
            .iter()
            .map(|segment| {
                let is_dead = |local: &u32| dead[segment.row(*local).number.0 as usize];
                (0..segment.documents()).filter(is_dead).collect()
            })
            .collect();
        let merge_parts: Vec<MergePart<'_>> = segments
            .iter()
            .zip(&dead_of)
            .map(|(segment, dead)| MergePart { segment, dead, rewrite: None })
            .collect();
        let mut bytes = Vec::new();
        let merged = merge(&settings, &merge_parts, &mut bytes).unwrap();
        let live: Vec<Plain> =
            documents.iter().filter(|d| !dead[d.number as usize]).cloned().collect();
        let mapped = Mapped::owned(bytes.clone());
        let unfinished = Segment::open_unfinished(mapped, Path::new("s"), &settings, &merged).unwrap();
        let states: Vec<u32> = (0..merged.documents).map(|at| unfinished.row(at).number.0).collect();
        let whole = open(complete(bytes.clone(), &merged, &states), &settings).unwrap();
        equals(&whole, &live)?;
        if !dictionary {
            // The same bytes as if it had been built at once.
            prop_assert_eq!(bytes, built(&live, &settings, b"").0);
        }
    }

    #[test]
    fn damage_is_found_and_never_a_panic(
        documents in documents(),
        settings in settings(),
        place in any::<prop::sample::Index>(),
        flip in 1u8..=255,
        cut in prop::option::weighted(0.3, any::<prop::sample::Index>()),
    ) {
        let (bytes, built) = built(&documents, &settings, b"");
        let mut bytes = complete(bytes, &built, &vec![KEPT; documents.len()]);
        match cut {
            Some(cut) => bytes.truncate(cut.index(bytes.len())),
            None => {
                let at = place.index(bytes.len());
                bytes[at] ^= flip;
            }
        }
        let Ok(segment) = open(bytes, &settings) else { return Ok(()) };
        prop_assert!(cut.is_none(), "a segment that was cut short was opened");
        prop_assert!(!segment.check(Some(&mut Words)).is_empty());
        let mut texts = TextReader::default();
        for local in 0..segment.documents() {
            let _ = (segment.row(local), segment.id(local), segment.url(local), segment.relies_on(local));
            let _ = (segment.text(local, &mut texts).is_ok(), segment.unit_of(local));
            let _ = (segment.signature(0, local), segment.find_id(segment.id(local)).count());
        }
        for element in documents.iter().flat_map(Plain::set) {
            segment.lookup(element).entries().for_each(drop);
        }
    }
}

#[test]
fn other_settings_and_files_are_refused_by_name() {
    let plain = Plain {
        id: "a".into(),
        url: String::new(),
        words: "b c".into(),
        number: 0,
        few: false,
        expires: 0,
    };
    let (bytes, built) = built(&[plain], &SETTINGS, b"");
    let bytes = complete(bytes, &built, &[KEPT]);
    let refused = |bytes: Vec<u8>, settings| open(bytes, &settings).unwrap_err().to_string();
    let other = SegmentSettings { digest: 8, ..SETTINGS };
    assert!(
        refused(bytes.clone(), other).contains("digest of the settings: it has 0000000000000007")
    );
    let mut version = bytes.clone();
    version[8] = 9;
    let checksum = xxhash_rust::xxh3::xxh3_64(&version[..56]);
    version[56..64].copy_from_slice(&checksum.to_le_bytes());
    assert!(refused(version, SETTINGS).contains("format version: it has 9, and 1 is needed"));
    assert!(refused(b"something else".repeat(9), SETTINGS).contains("not a segment"));
    assert!(refused(bytes[..bytes.len() - 1].to_vec(), SETTINGS).contains("cut short"));
    assert!(refused(Vec::new(), SETTINGS).contains("cut short"));
    open(bytes, &SETTINGS).unwrap();
}

#[test]
fn a_lean_segment_is_not_taken_for_another() {
    let lean = |hundredths| Some(Arc::new(lean_of(hundredths, "a b")));
    let (bytes, built) = built(&[], &SegmentSettings { lean: lean(80), ..SETTINGS }, b"");
    let bytes = complete(bytes, &built, &[]);
    for other in [None, lean(81)] {
        let settings = SegmentSettings { lean: other, ..SETTINGS };
        let error = open(bytes.clone(), &settings).unwrap_err().to_string();
        assert!(error.contains("contradicts the settings"), "{error}");
    }
    open(bytes, &SegmentSettings { lean: lean(80), ..SETTINGS }).unwrap();
}

/// Many postings: several partitions and buckets, and lists of all lengths.
#[test]
fn large_segments_are_partitioned() {
    let word = |n: u32| format!("w{} ", n % 5000);
    let document = |number: u32| Plain {
        id: number.to_string(),
        url: String::new(),
        words: (0..60 + number % 50).map(|n| word(n * number + n)).collect(),
        number,
        few: false,
        expires: 0,
    };
    let documents: Vec<Plain> = (0..2500).map(document).collect();
    let lean = SegmentSettings { lean: Some(Arc::new(lean_of(45, "w1 w2 w3"))), ..SETTINGS };
    for (settings, least) in [(SETTINGS, 100_000), (lean, 50_000)] {
        let whole = segment(&documents, &settings, b"");
        assert!(whole.posting_count() > least);
        assert_eq!(whole.check(Some(&mut Words)), Vec::<String>::new());
        are_partitioned(&documents, &settings);
    }
}

/// Two halves are merged to the segment of all.
fn are_partitioned(documents: &[Plain], settings: &SegmentSettings) {
    let halves: Vec<Segment> = documents.chunks(1200).map(|d| segment(d, settings, b"")).collect();
    let none = RoaringBitmap::new();
    let parts: Vec<MergePart<'_>> =
        halves.iter().map(|segment| MergePart { segment, dead: &none, rewrite: None }).collect();
    let mut bytes = Vec::new();
    merge(settings, &parts, &mut bytes).unwrap();
    assert!(bytes == built(documents, settings, b"").0);
}
