//! The fuzz targets of `fuzz/` on the stable toolchain: each seed, and seeded mutations of the
//! seeds.
//!
//! A run that panics, takes more memory than [`MOST_MEMORY`], or does not end fails, and its input
//! is saved. `LOOKALIKE_FUZZ=N` runs N times as many mutations, others than those of a shorter run
//! too.

#![allow(clippy::unwrap_used)]

mod mutate;
#[path = "../../../../fuzz/src/lib.rs"]
mod targets;
mod watch;

use lookalike_testing::prng::Prng;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};

/// Bytes of memory that this process may take. All targets run in it, side by side.
const MOST_MEMORY: u64 = 1 << 30;

/// Runs a target on all its seeds and on so many mutations.
fn run(name: &str, target: fn(&[u8]), mutations: u64) {
    let seeds = seeds(name);
    assert!(!seeds.is_empty(), "no seeds for {name}");
    seeds.iter().for_each(|seed| execute(name, target, seed));
    for number in 0..mutations * factor() {
        let mut prng = Prng::new(number);
        execute(name, target, &mutate::mutated(&seeds, &mut prng));
    }
}

fn factor() -> u64 {
    let value = std::env::var("LOOKALIKE_FUZZ").ok();
    value.map_or(1, |value| value.parse().expect("LOOKALIKE_FUZZ is a number"))
}

fn execute(name: &str, target: fn(&[u8]), input: &[u8]) {
    let watched = watch::begin(name, input);
    let result = catch_unwind(AssertUnwindSafe(|| target(input)));
    drop(watched);
    if let Err(panic) = result {
        eprintln!("{name} fails on {}", save(name, input).display());
        resume_unwind(panic);
    }
    let memory = watch::peak_memory();
    assert!(
        memory < MOST_MEMORY,
        "{memory} bytes of memory after {name} on {}",
        save(name, input).display()
    );
}

/// Writes an input to a file below the target directory.
fn save(name: &str, input: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{name}-{}", std::process::id()));
    std::fs::write(&path, input).unwrap();
    path
}

/// The committed seeds of a target, in the order of their names.
fn seeds(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(name);
    let entries = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

macro_rules! targets {
    ($($name:ident: $mutations:expr;)*) => {
        $(
            #[test]
            fn $name() {
                run(stringify!($name), targets::$name, $mutations);
            }
        )*

        /// Each target has a libFuzzer program, and each program is listed.
        #[test]
        fn every_target_is_here_and_there() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
            let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
            let names = [$(stringify!($name)),*];
            for name in names {
                assert!(manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name}");
                assert!(folder.join(format!("fuzz_targets/{name}.rs")).is_file(), "{name}");
            }
            assert_eq!(manifest.matches("[[bin]]").count(), names.len());
        }
    };
}

targets! {
    json: 2000;
    csv: 2000;
    mbox: 2000;
    html: 4000;
    decompression: 1000;
    lexicon: 2000;
    frames: 2000;
    checkpoint: 60;
    tables: 1000;
    parquet_tables: 1000;
    tar: 2000;
    office: 4000;
}
