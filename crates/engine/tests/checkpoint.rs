//! The files of ingest are a function of the input: the same bytes for any number of threads and
//! after any interruption, with references to earlier chunks only.
//!
//! Texts recur within a chunk, in neighbouring chunks and far apart, so that threads which process
//! chunks side by side find the same token sequence at the same time.

#![allow(clippy::unwrap_used)]

use lookalike_engine::{
    Approach, Collection, EngineError, IngestOptions, MatchSettings, MinFeatures, Signer, Silent,
    Verify, ingest_files,
};
use lookalike_io::{DiscoverOptions, Inputs};
use lookalike_methods::build;
use proptest::prelude::*;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Files of records, of very different sizes; `texts[n]` is the number of a text, and the same
/// number is the same text.
fn write_inputs(folder: &Path, texts: &[u16]) -> Inputs {
    let (half, most) = (texts.len() / 2, texts.len() * 7 / 8);
    let files = [
        ("a.jsonl", &texts[..half]),
        ("b.jsonl", &texts[half..most]),
        ("c.jsonl", &[]),
        ("d.jsonl", &texts[most..]),
    ];
    for (name, texts) in files {
        let mut lines = String::new();
        for text in texts {
            let words: Vec<String> = (0..text % 40)
                .map(|n| format!("w{}", u32::from(*text) * 31 + u32::from(n)))
                .collect();
            writeln!(lines, "{{\"text\": \"{}\"}}", words.join(" ")).unwrap();
        }
        fs::write(folder.join(name), lines).unwrap();
    }
    let arguments = files.map(|(name, _)| folder.join(name).display().to_string());
    Inputs::discover(&arguments, DiscoverOptions::default()).unwrap()
}

/// How the inputs are read, apart from the number of threads.
#[derive(Debug, Clone, Copy)]
struct Setup {
    /// Bytes of a chunk.
    chunk: usize,
    /// Bytes for token sequences: with few, sets are stored again.
    sequences: u64,
    /// Bytes of chunks held in memory.
    memory: u64,
    /// Bytes of chunks in flight.
    in_flight: u64,
    method: Option<(&'static str, Verify)>,
    /// Minimum number of features of a compared document.
    least: u32,
}

fn setups() -> impl Strategy<Value = Setup> {
    let methods = prop_oneof![
        Just(None),
        Just(Some(("minhash-lsh", Verify::Exact))),
        Just(Some(("minhash-lsh", Verify::None))),
        Just(Some(("dsc", Verify::Sketch))),
    ];
    let sequences = prop_oneof![Just(u64::MAX), Just(64 * 99 * 3), Just(0)];
    let memory = prop_oneof![Just(u64::MAX), Just(20_000), Just(0)];
    let in_flight = prop_oneof![Just(u64::MAX), Just(40 << 20), Just(0)];
    let least = prop_oneof![Just(1u32), Just(12)];
    (300..6000usize, sequences, memory, in_flight, methods, least).prop_map(
        |(chunk, sequences, memory, in_flight, method, least)| Setup {
            chunk,
            sequences,
            memory,
            in_flight,
            method,
            least,
        },
    )
}

fn read(inputs: &Inputs, chunks: &Path, setup: Setup, threads: usize) -> Collection {
    let mut settings = MatchSettings::resemblance("0.8".parse().unwrap());
    let MatchSettings { features, terms, .. } = settings;
    settings.min_features =
        (setup.least > 1).then_some(MinFeatures { count: setup.least, features, terms });
    let approach = match setup.method {
        None => Approach::default(),
        Some((spec, verify)) => Approach {
            method: Some(build(&spec.parse().unwrap(), None).unwrap().into()),
            verify,
            ..Approach::default()
        },
    };
    let signer = Signer::for_approach(&settings, &approach).unwrap();
    let options = IngestOptions {
        kept: Some(chunks.to_owned()),
        sequences: setup.sequences,
        memory: setup.memory,
        in_flight: setup.in_flight,
        ..IngestOptions::in_memory(threads)
    };
    let source = inputs.chunks().with_size(setup.chunk);
    ingest_files(inputs, source, &signer, &options, &Silent).unwrap()
}

/// Every reference to a set points to an earlier chunk or the document's own.
fn refers_backwards(collection: &Collection) -> bool {
    collection.chunk_ids().all(|chunk| {
        let rows = collection.rows(chunk).unwrap();
        rows.documents.iter().filter_map(|row| row.set.ok()).all(|place| place.chunk <= chunk)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn chunks_on_disk_are_a_function_of_the_input(
        texts in prop::collection::vec(0u16..60, 2..250),
        setup in setups(),
        cut in 0.0..1.0f64,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let inputs = write_inputs(folder.path(), &texts);
        let path = |name: &str| folder.path().join(name);
        let first = read(&inputs, &path("once"), setup, 1);
        prop_assert!(refers_backwards(&first));
        let expected = fs::read(path("once")).unwrap();
        for threads in [2, 8] {
            let name = format!("{threads} threads");
            let collection = read(&inputs, &path(&name), setup, threads);
            prop_assert!(refers_backwards(&collection));
            prop_assert!(fs::read(path(&name)).unwrap() == expected, "{}", name);
            // Stopped at any byte, and resumed.
            let at = (expected.len() as f64 * cut) as usize;
            fs::write(path("cut"), &expected[..at]).unwrap();
            let resumed = read(&inputs, &path("cut"), setup, threads);
            prop_assert!(fs::read(path("cut")).unwrap() == expected, "{}: cut at {}", name, at);
            prop_assert_eq!(resumed.len(), texts.len() as u32);
            for chunk in first.chunk_ids() {
                let (a, b) = (first.rows(chunk).unwrap(), resumed.rows(chunk).unwrap());
                prop_assert_eq!(&a.documents, &b.documents);
            }
        }
    }
}

/// The inputs with a file that cannot be read further than to some byte.
fn failing(inputs: &Inputs, file: usize) -> Inputs {
    let mut inputs = inputs.clone();
    inputs.files[file].damage = Some("its disk fails; try again".to_owned());
    inputs
}

fn read_kept(
    inputs: &Inputs,
    chunks: &Path,
    skip_unreadable: bool,
) -> Result<Collection, EngineError> {
    let signer = Signer::new(&MatchSettings::resemblance("0.8".parse().unwrap()));
    let kept = Some(chunks.to_owned());
    let options = IngestOptions { kept, skip_unreadable, ..IngestOptions::in_memory(2) };
    ingest_files(inputs, inputs.chunks().with_size(1000), &signer, &options, &Silent)
}

/// Cuts a file at some byte, as a read that fails there would, and puts it back when it is dropped.
struct CutOff<'a>(&'a Path, Vec<u8>);

impl<'a> CutOff<'a> {
    fn at(path: &'a Path, length: usize) -> Self {
        let whole = fs::read(path).unwrap();
        fs::write(path, &whole[..length.min(whole.len())]).unwrap();
        Self(path, whole)
    }
}

impl Drop for CutOff<'_> {
    fn drop(&mut self) {
        fs::write(self.0, &self.1).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_a_failure_cut_off_is_read_again(
        texts in prop::collection::vec(0u16..60, 2..250),
        cuts in prop::collection::vec((0usize..4, 0usize..6000, any::<bool>()), 1..4),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let inputs = write_inputs(folder.path(), &texts);
        let path = |name: &str| folder.path().join(name);
        let all = read_kept(&inputs, &path("once"), false).unwrap();
        let expected = fs::read(path("once")).unwrap();
        // The inputs fail several times, and may be skipped where they do.
        for (file, cut, skips) in cuts {
            let failing = failing(&inputs, file);
            let cut = CutOff::at(&inputs.files[file].path, cut);
            let found = read_kept(&failing, &path("chunks"), skips);
            match found {
                Ok(found) => prop_assert!(skips && found.problems.unreadable().eq([file as u32])),
                Err(error) => prop_assert!(matches!(error, EngineError::Unreadable(_)) && !skips),
            }
            // Read again as it is, a failure that stays gives the same.
            if skips {
                let once = fs::read(path("chunks")).unwrap();
                read_kept(&failing, &path("chunks"), true).unwrap();
                prop_assert!(fs::read(path("chunks")).unwrap() == once);
            }
            drop(cut);
        }
        let resumed = read_kept(&inputs, &path("chunks"), false).unwrap();
        prop_assert_eq!((resumed.len(), resumed.problems.count()), (all.len(), all.problems.count()));
        prop_assert!(fs::read(path("chunks")).unwrap() == expected);
    }
}
