//! Whole lexicons against a simple count: any order, parts and memory; damaged and foreign files.

#![allow(clippy::unwrap_used)]

use lookalike_core::TextDigest;
use lookalike_core::fingerprint::{finalise, token};
use lookalike_lexicon::{Builder, Description, Lexicon, LexiconError, MemoryBudget, Rank, merge};
use lookalike_methods::Statistics;
use lookalike_methods::imatch::Share;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use tempfile::TempDir;

type Documents = Vec<Vec<u16>>;

fn description() -> Description {
    Description { analysis: "words/1".into(), term_filter: "kolcz".into() }
}

fn name(term: u16) -> String {
    format!("term{}", term.trailing_zeros() as u16 * 3 + term % 50)
}

fn fingerprint(name: &str) -> u64 {
    finalise(token(name.as_bytes()))
}

fn fed(documents: &[Vec<u16>], memory: usize, folder: &Path) -> Builder {
    let mut builder = Builder::new(description(), MemoryBudget(memory), folder);
    for document in documents {
        for &term in document {
            builder.push(fingerprint(&name(term)), name(term).as_bytes());
        }
        builder.end_document().unwrap();
    }
    builder
}

fn bytes(lexicon: &Lexicon) -> Vec<u8> {
    std::fs::read(lexicon.path()).unwrap()
}

fn counted(documents: &[Vec<u16>]) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::new();
    for document in documents {
        for term in document.iter().map(|&term| name(term)).collect::<BTreeSet<_>>() {
            *counts.entry(term).or_default() += 1;
        }
    }
    counts
}

fn documents() -> impl Strategy<Value = Documents> {
    proptest::collection::vec(proptest::collection::vec(0..3000u16, 0..30), 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Counts are those of a plain map, and unknown terms are in no document.
    #[test]
    fn frequencies_are_counts(documents in documents(), memory in 0..20_000usize) {
        let folder = TempDir::new().unwrap();
        let lexicon = fed(&documents, memory, folder.path()).finish(&folder.path().join("l")).unwrap();
        let counts = counted(&documents);
        prop_assert_eq!(lexicon.documents(), documents.len() as u64);
        prop_assert_eq!(lexicon.len(), counts.len());
        for (name, &count) in &counts {
            prop_assert_eq!(lexicon.frequency(fingerprint(name)), count);
            for near in [fingerprint(name).wrapping_add(1), fingerprint(name).wrapping_sub(1), !fingerprint(name)] {
                prop_assert_eq!(lexicon.frequency(near), 0);
            }
        }
        prop_assert_eq!([lexicon.frequency(0), lexicon.frequency(u64::MAX)], [0, 0]);
        let range = (counts.values().min().copied().unwrap_or(0), counts.values().max().copied().unwrap_or(0));
        prop_assert_eq!(lexicon.frequency_range(), range);
        let asked: Vec<u64> = (0..3000).map(|term| fingerprint(&name(term))).chain([0, u64::MAX]).collect();
        let (mut found, one_by_one): (Vec<u32>, Vec<u32>) = (vec![9; 7], asked.iter().map(|&term| lexicon.frequency(term)).collect());
        lexicon.frequencies(&asked, &mut found);
        prop_assert_eq!(found, one_by_one);
        let listed: BTreeMap<String, u32> = lexicon.terms()
            .map(|term| (String::from_utf8(term.name.to_vec()).unwrap(), term.frequency)).collect();
        prop_assert_eq!(listed, counts);
        prop_assert!(lexicon.terms().is_sorted_by(|a, b| a.fingerprint < b.fingerprint));
        prop_assert!(lexicon.terms().all(|term| fingerprint(std::str::from_utf8(term.name).unwrap()) == term.fingerprint));
    }

    /// The same bytes for any order of documents and terms, any memory, any number of builders, and
    /// for files of parts merged in any order.
    #[test]
    fn the_bytes_depend_on_the_documents_alone(
        documents in documents(), memory in 0..20_000usize, cut in 0.0..1.0f64, seed: u64,
    ) {
        let folder = TempDir::new().unwrap();
        let file = |name: &str| folder.path().join(name);
        let whole = fed(&documents, usize::MAX, folder.path()).finish(&file("whole")).unwrap();

        let mut shuffled = documents.clone();
        shuffled.sort_by_key(|document| finalise(document.len() as u64 ^ seed));
        shuffled.iter_mut().for_each(|document| document.reverse());
        let spilled = fed(&shuffled, memory, folder.path()).finish(&file("spilled")).unwrap();
        prop_assert!(bytes(&whole) == bytes(&spilled));
        prop_assert_eq!(whole.checksum(), spilled.checksum());

        let (left, right) = documents.split_at((documents.len() as f64 * cut) as usize);
        let mut one = fed(right, memory, folder.path());
        one.absorb(fed(left, usize::MAX, folder.path())).unwrap();
        prop_assert!(bytes(&whole) == bytes(&one.finish(&file("absorbed")).unwrap()));

        let parts = [
            fed(right, memory, folder.path()).finish(&file("right")).unwrap(),
            fed(left, memory, folder.path()).finish(&file("left")).unwrap(),
        ];
        prop_assert!(bytes(&whole) == bytes(&merge(&parts, &file("merged")).unwrap()));
        // No temporary file is left.
        prop_assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 6);
    }

    #[test]
    fn ranks_and_windows_by_sorting(documents in documents(), count in 0..200usize, low in 0..=10u32, more in 0..=10u32) {
        let folder = TempDir::new().unwrap();
        let lexicon = fed(&documents, usize::MAX, folder.path()).finish(&folder.path().join("l")).unwrap();
        let mut all: Vec<_> = lexicon.terms().collect();
        all.sort_by_key(|term| (term.frequency, term.fingerprint));
        prop_assert_eq!(&lexicon.ranked(Rank::LeastFrequent, count)[..], &all[..count.min(all.len())]);
        all.sort_by_key(|term| (std::cmp::Reverse(term.frequency), term.fingerprint));
        prop_assert_eq!(&lexicon.ranked(Rank::MostFrequent, count)[..], &all[..count.min(all.len())]);

        let (from, to) = (Share::percent(low * 10), Share::percent((low + more) * 10));
        let inside: Vec<_> = lexicon.window(from, to).collect();
        prop_assert_eq!(lexicon.window_len(from, to), inside.len());
        for term in lexicon.terms() {
            let nidf = lexicon.nidf(term.fingerprint);
            if (nidf - from.value()).abs() > 1e-9 && (nidf - to.value()).abs() > 1e-9 {
                prop_assert_eq!(inside.contains(&term), from.value() < nidf && nidf < to.value());
            }
        }
    }
}

proptest! {
    /// A hostile file with a valid checksum is rejected or gives wrong answers, and never causes a
    /// panic.
    #[test]
    fn forged_files_do_no_harm(
        changes in proptest::collection::vec((8..500usize, any::<u8>()), 1..12),
        length in proptest::option::of(0..500usize),
    ) {
        let folder = TempDir::new().unwrap();
        let documents: Documents = vec![(0..12).collect(), (5..9).collect()];
        let whole = fed(&documents, usize::MAX, folder.path()).finish(&folder.path().join("l")).unwrap();
        let mut bytes = bytes(&whole);
        for (at, value) in changes {
            // The version is kept, so that the other checks are reached.
            if at >= 12 && at < bytes.len() {
                bytes[at] = value;
            }
        }
        bytes.truncate(length.unwrap_or(usize::MAX));
        if bytes.len() > 32 {
            let TextDigest(checksum) = TextDigest::of(&bytes[32..]);
            bytes[16..32].copy_from_slice(&checksum.to_le_bytes());
        }
        let path = folder.path().join("forged");
        std::fs::write(&path, bytes).unwrap();
        if let Ok(lexicon) = Lexicon::open(&path) {
            let listed: Vec<_> = lexicon.terms().collect();
            for term in &listed {
                lexicon.frequency(term.fingerprint);
                lexicon.nidf(term.fingerprint);
            }
            let mut out = Vec::new();
            lexicon.frequencies(&[0, 1 << 63, u64::MAX], &mut out);
            prop_assert!(lexicon.ranked(Rank::MostFrequent, 5).len() <= 5);
            let inside = lexicon.window_len(Share::percent(20), Share::percent(80));
            prop_assert!(inside <= lexicon.len());
            lexicon.expect(&description()).ok();
        }
    }
}

fn small(folder: &TempDir) -> Lexicon {
    let documents: Documents = vec![vec![1, 2, 3, 3], vec![2, 3], vec![3], vec![]];
    fed(&documents, usize::MAX, folder.path()).finish(&folder.path().join("small")).unwrap()
}

/// A lexicon written by an earlier build must open while the version is the same: if these bytes
/// change, `format::VERSION` must change.
#[test]
fn the_bytes_of_version_1_are_pinned() {
    let folder = TempDir::new().unwrap();
    let lexicon = small(&folder);
    assert_eq!(bytes(&lexicon).len(), PINNED.0);
    assert_eq!(lexicon.checksum(), PINNED.1, "{:#x}", lexicon.checksum());
}

const PINNED: (usize, u128) = (173, 0x4c8555be7792a63508c3565638903f84);

#[test]
fn every_flipped_bit_and_every_cut_is_found() {
    let folder = TempDir::new().unwrap();
    let whole = bytes(&small(&folder));
    let path = folder.path().join("damaged");
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << bit;
            std::fs::write(&path, &bytes).unwrap();
            assert!(Lexicon::open(&path).is_err(), "byte {at}, bit {bit}");
        }
        std::fs::write(&path, &whole[..at]).unwrap();
        assert!(Lexicon::open(&path).is_err(), "cut to {at}");
    }
    let longer: Vec<u8> = whole.iter().copied().chain([0]).collect();
    std::fs::write(&path, longer).unwrap();
    assert!(Lexicon::open(&path).is_err());
}

#[test]
fn every_error_names_a_remedy() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("other");
    let whole = bytes(&small(&folder));
    let open = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        Lexicon::open(&path).unwrap_err()
    };
    assert!(matches!(open(b""), LexiconError::NotALexicon { .. }));
    assert!(matches!(open(b"a text file"), LexiconError::NotALexicon { .. }));
    assert!(matches!(open(&whole[..20]), LexiconError::Damaged { .. }));
    let mut newer = whole.clone();
    newer[8] = 2;
    let error = open(&newer);
    assert!(matches!(error, LexiconError::Version { found: 2, known: 1, .. }));
    assert!(error.to_string().contains("build it again"));
    let mut flipped = whole.clone();
    flipped[whole.len() - 1] ^= 1;
    assert!(open(&flipped).to_string().contains("checksum"));
    let missing = Lexicon::open(&folder.path().join("none")).unwrap_err();
    assert!(matches!(missing, LexiconError::Io { .. }) && missing.to_string().contains("none"));
}

#[test]
fn lexicons_of_other_settings_are_refused() {
    let folder = TempDir::new().unwrap();
    let lexicon = small(&folder);
    lexicon.expect(&description()).unwrap();
    let stemmed = Description { term_filter: "stem".into(), ..description() };
    let error = lexicon.expect(&stemmed).unwrap_err().to_string();
    assert!(error.contains("\"kolcz\"") && error.contains("\"stem\""), "{error}");
    let characters = Description { analysis: "characters".into(), ..description() };
    assert!(lexicon.expect(&characters).is_err());

    let other = Builder::new(stemmed.clone(), MemoryBudget::default(), folder.path());
    let other = other.finish(&folder.path().join("other")).unwrap();
    let merged = folder.path().join("merged");
    assert!(merge(&[lexicon, other], &merged).is_err());
    assert!(merge(&[], &merged).is_err());
    assert!(!merged.exists());
    let mut builder = Builder::new(description(), MemoryBudget::default(), folder.path());
    assert!(builder.absorb(Builder::new(stemmed, MemoryBudget::default(), folder.path())).is_err());
}

/// A failed build leaves the earlier lexicon, and no other file.
#[test]
fn the_earlier_lexicon_stays_until_the_new_one_is_complete() {
    let folder = TempDir::new().unwrap();
    let before = bytes(&small(&folder));
    let too_long = Description { analysis: "x".repeat(70_000), term_filter: String::new() };
    let builder = Builder::new(too_long, MemoryBudget::default(), folder.path());
    let error = builder.finish(&folder.path().join("small")).unwrap_err();
    assert!(matches!(error, LexiconError::TooMany { .. }));
    assert_eq!(bytes(&Lexicon::open(&folder.path().join("small")).unwrap()), before);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    let nowhere = Builder::new(description(), MemoryBudget::default(), folder.path());
    assert!(nowhere.finish(&folder.path().join("no/such/folder")).is_err());
}

/// A last document that was not ended is counted, unless it is empty.
#[test]
fn the_last_document_need_not_be_ended() {
    let folder = TempDir::new().unwrap();
    let fed = || {
        let mut builder = fed(&[vec![1], vec![1, 2]], 0, folder.path());
        builder.push(fingerprint("last"), b"last");
        builder
    };
    let lexicon = fed().finish(&folder.path().join("one")).unwrap();
    assert_eq!((lexicon.documents(), lexicon.frequency(fingerprint("last"))), (3, 1));
    let mut both = fed();
    both.absorb(fed()).unwrap();
    let lexicon = both.finish(&folder.path().join("two")).unwrap();
    assert_eq!((lexicon.documents(), lexicon.frequency(fingerprint("last"))), (6, 2));
    assert_eq!(lexicon.frequency_range(), (2, 4));
}

/// More runs than are merged at a time.
#[test]
fn hundreds_of_runs_make_one_lexicon() {
    let folder = TempDir::new().unwrap();
    let documents: Documents = (0..300).map(|i| (i..i + 20).collect()).collect();
    let many = fed(&documents, 0, folder.path()).finish(&folder.path().join("many")).unwrap();
    let once =
        fed(&documents, usize::MAX, folder.path()).finish(&folder.path().join("once")).unwrap();
    assert!(bytes(&many) == bytes(&once));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn a_saved_lexicon_and_one_of_its_bytes_are_the_same_file() {
    let folder = TempDir::new().unwrap();
    let lexicon = small(&folder);
    let (saved, made) = (folder.path().join("saved"), folder.path().join("made"));
    std::fs::write(&saved, "an earlier file").unwrap();
    lexicon.save(&saved).unwrap();
    let of_bytes = Lexicon::of_bytes(lexicon.bytes(), &made).unwrap();
    assert_eq!(of_bytes.checksum(), lexicon.checksum());
    for path in [saved, made] {
        assert_eq!(std::fs::read(path).unwrap(), bytes(&lexicon));
    }
    assert!(lexicon.save(&folder.path().join("no/such/folder")).is_err());
    assert!(Lexicon::of_bytes(b"something else", &folder.path().join("other")).is_err());
}

/// Enough terms for a directory of many groups and many stored offsets of names.
#[test]
fn a_hundred_thousand_terms() {
    let folder = TempDir::new().unwrap();
    let mut builder = Builder::new(description(), MemoryBudget(1 << 20), folder.path());
    let name = |i: u32| format!("t{i}");
    for first in (0..100_000).step_by(1000) {
        for i in first..first + 1000 {
            builder.push(fingerprint(&name(i)), name(i).as_bytes());
        }
        builder.push(fingerprint("every"), b"every");
        builder.end_document().unwrap();
    }
    let lexicon = builder.finish(&folder.path().join("l")).unwrap();
    assert_eq!(lexicon.len(), 100_001);
    assert_eq!(lexicon.frequency(fingerprint("every")), 100);
    for i in 0..100_000 {
        assert_eq!(lexicon.frequency(fingerprint(&name(i))), 1);
        assert_eq!(lexicon.frequency(fingerprint(&format!("u{i}"))), 0);
    }
    assert_eq!(lexicon.ranked(Rank::MostFrequent, 1)[0].name, b"every");
    let rare = lexicon.ranked(Rank::LeastFrequent, 100_000);
    assert!(
        rare.iter()
            .all(|term| fingerprint(std::str::from_utf8(term.name).unwrap()) == term.fingerprint)
    );
    assert!((lexicon.idf(fingerprint("t1")) - 100f64.ln()).abs() < 1e-12);
    assert_eq!((lexicon.nidf(fingerprint("every")), lexicon.nidf(fingerprint("t1"))), (0.0, 1.0));
}

/// A valid checksum over inconsistent sections: lookups would return other frequencies than the
/// entries.
#[test]
fn inconsistent_sections_are_rejected() {
    let folder = TempDir::new().unwrap();
    let whole = bytes(&small(&folder));
    let entries = u32::from_le_bytes(whole[12..16].try_into().unwrap()) as usize;
    let end = whole.len();
    let path = folder.path().join("forged");
    for (at, value, what) in [
        (32, 2, "number of documents"),
        (39, 1, "number of documents"),
        (56, 0, "range"),
        (60, 4, "range"),
        (entries + 7, 0xff, "sorted"),
        (entries + 8, 77, "range"),
        (entries + 36, 7, "names"),
        (end - 4, 1, "directory"),
        (end - 8, 7, "directory"),
    ] {
        let mut forged = whole.clone();
        assert_ne!(forged[at], value, "byte {at}");
        forged[at] = value;
        let TextDigest(checksum) = TextDigest::of(&forged[32..]);
        forged[16..32].copy_from_slice(&checksum.to_le_bytes());
        std::fs::write(&path, forged).unwrap();
        let error = Lexicon::open(&path).unwrap_err().to_string();
        assert!(error.contains("is damaged") && error.contains(what), "byte {at}: {error}");
    }
}
