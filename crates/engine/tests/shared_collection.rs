//! A join borrows its collection: joins of one collection do not affect each other, whether they
//! run one after the other or at the same time, and wherever the sets are. A read error is returned
//! by the call in which it happens, and by no other.

#![allow(clippy::unwrap_used)]

use lookalike_engine::{
    Approach, CandidateSearch, Collection, Edge, IngestOptions, Linkage, MatchOptions,
    MatchSettings, SetId, Signer, Silent, Units, WitnessRule, find, ingest_chunks,
};
use lookalike_io::{DiscoverOptions, Inputs};
use proptest::prelude::*;
use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

const THRESHOLDS: [&str; 2] = ["0.5", "0.65"];

/// What a join found.
type Found = (Vec<SetId>, Vec<u32>, Vec<Edge>);

fn join(
    collection: &Collection,
    threshold: &str,
    linkage: Linkage,
    sets: u64,
) -> Result<Found, lookalike_engine::EngineError> {
    let settings = MatchSettings::resemblance(threshold.parse().unwrap());
    let units = Units::new(collection, &[], settings.measure, &Silent)?;
    let options = MatchOptions {
        linkage,
        witness: WitnessRule::default(),
        list_pairs: Some(u64::MAX),
        only_protected: false,
        contained: None,
        loss: None,
        templates: None,
        search: CandidateSearch::Prefixes,
        memory: 1000,
        sets,
    };
    let approach = Approach::default();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let matches =
        pool.install(|| find(collection, &units, &settings, &approach, &options, &Silent))?;
    Ok((matches.leader, matches.shared, matches.pairs.edges))
}

/// Texts of which some share most of their words: in `families` of similar ones.
fn write_texts(folder: &Path, texts: &[(u16, u16)]) -> Inputs {
    let mut lines = String::new();
    for (family, change) in texts {
        let word = |n: u16| match n == change % 60 {
            true => format!("x{change}"),
            false => format!("w{}", family * 100 + n),
        };
        let words: Vec<String> = (0..60 + change % 5).map(word).collect();
        lines.push_str(&format!("{{\"text\": \"{}\"}}\n", words.join(" ")));
    }
    let path = folder.join("texts.jsonl");
    fs::write(&path, lines).unwrap();
    Inputs::discover(&[path.display().to_string()], DiscoverOptions::default()).unwrap()
}

fn read(inputs: &Inputs, memory: u64, kept: Option<&Path>) -> Collection {
    let settings = MatchSettings::resemblance("0.6".parse().unwrap());
    let signer = Signer::new(&settings);
    let options =
        IngestOptions { memory, kept: kept.map(Path::to_owned), ..IngestOptions::in_memory(2) };
    let source = inputs.chunks().with_size(2000);
    ingest_chunks(inputs, source, &signer, &options, &Silent).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn joins_of_one_collection_do_not_affect_each_other(
        texts in prop::collection::vec((0u16..12, 0u16..200), 2..120),
        linkage in prop::sample::select(vec![Linkage::Leaders, Linkage::Components]),
        sets in prop::sample::select(vec![0, 5_000, u64::MAX]),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let inputs = write_texts(folder.path(), &texts);
        // Each join alone, on a collection of its own.
        let expected = THRESHOLDS.map(|threshold| {
            join(&read(&inputs, u64::MAX, None), threshold, linkage, u64::MAX).unwrap()
        });
        for (memory, spill) in [(u64::MAX, false), (30_000, false), (30_000, true), (0, true)] {
            let mut collection = read(&inputs, memory, None);
            if spill {
                collection.spill_for_join().unwrap();
            }
            for _ in 0..2 {
                let found = THRESHOLDS.map(|t| join(&collection, t, linkage, sets).unwrap());
                prop_assert_eq!(&found, &expected, "memory {}", memory);
            }
            let mut collection = read(&inputs, memory, None);
            if spill {
                collection.spill_for_join().unwrap();
            }
            let collection = &collection;
            let found = std::thread::scope(|scope| {
                let start = |t| scope.spawn(move || join(collection, t, linkage, sets).unwrap());
                let threads: Vec<_> = (0..3).map(|_| THRESHOLDS.map(start)).collect();
                threads.into_iter().map(|pair| pair.map(|t| t.join().unwrap())).collect::<Vec<_>>()
            });
            for found in found {
                prop_assert_eq!(&found, &expected, "side by side, memory {}", memory);
            }
        }
    }
}

/// Damage of any part of the chunks: the join fails and names the folder; once the file is whole
/// again, the same collection gives the right answer.
#[test]
fn a_read_error_is_returned_and_not_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let texts: Vec<(u16, u16)> = (0..90).map(|n| (n % 9, n * 7)).collect();
    let inputs = write_texts(folder.path(), &texts);
    let chunks = folder.path().join("chunks");
    let collection = read(&inputs, 0, Some(&chunks));
    let bytes = fs::read(&chunks).unwrap();
    let write = |at: usize, part: &[u8]| {
        let mut file = fs::OpenOptions::new().write(true).open(&chunks).unwrap();
        file.seek(SeekFrom::Start(at as u64)).unwrap();
        file.write_all(part).unwrap();
    };
    let expected = join(&collection, "0.6", Linkage::Leaders, u64::MAX).unwrap();
    assert!(!expected.2.is_empty());
    let mut failures = 0;
    for at in (0..bytes.len()).step_by(bytes.len() / 40) {
        // Sets in memory while they are compared, and read one by one.
        for sets in [u64::MAX, 0] {
            let damaged: Vec<u8> =
                bytes[at..(at + 9).min(bytes.len())].iter().map(|b| !b).collect();
            write(at, &damaged);
            match join(&collection, "0.6", Linkage::Leaders, sets) {
                // Bytes that the join does not read.
                Ok(found) => assert_eq!(found, expected, "byte {at}"),
                Err(error) => {
                    let error = error.to_string();
                    let folder = folder.path().display().to_string();
                    assert!(error.contains(&folder) && error.contains("damaged"), "{error}");
                    failures += 1;
                }
            }
            write(at, &bytes[at..(at + 9).min(bytes.len())]);
            assert_eq!(join(&collection, "0.6", Linkage::Leaders, sets).unwrap(), expected);
        }
    }
    assert!(failures > 40, "{failures} of about 80");
}
