//! Damaged files.

use crate::model::{Model, SETTINGS, random_operations};
use lookalike_index::{IndexError, RealDisk, Records, State, Store, StoreReader};
use std::fs;
use std::ops::Bound;

/// All that a store says, if it can be read.
fn read(state: &State, records: Records) -> Result<Model, IndexError> {
    for table in 0..=255 {
        for row in records.range(table, Bound::Unbounded, Bound::Unbounded)? {
            row?;
        }
    }
    Ok(Model::of(state, &records))
}

/// A damaged file is refused or gives the right state: never another one, never a panic.
#[test]
fn a_damaged_store_is_refused_or_right() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.redb");
    let mut store = Store::create(&RealDisk, dir.path(), SETTINGS).unwrap();
    let mut model = Model::default();
    for commit in 0..30 {
        let change = model.change(&random_operations(commit));
        model.apply(&change);
        store.commit(&change).unwrap();
    }
    drop(store);
    let whole = fs::read(&path).unwrap();
    let mut refused = [0, 0];
    let mut state = 1u64;
    for round in 0..600 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let mut damaged = whole.clone();
        // The first bytes, which say where all else is, one by one; then anywhere.
        let at = if round < 200 { round } else { (state >> 20) as usize % whole.len() };
        match round % 7 {
            6 => damaged.truncate(at),
            kind => damaged[at] ^= 1 << kind,
        }
        fs::write(&path, &damaged).unwrap();
        let reader = StoreReader::open(&RealDisk, dir.path(), Some(SETTINGS));
        let by_reader = reader.and_then(|reader| read(reader.state(), reader.records()?));
        fs::write(&path, &damaged).unwrap();
        let store = Store::open(&RealDisk, dir.path(), Some(SETTINGS));
        let by_writer = store.and_then(|store| read(store.state(), store.records()?));
        for (result, refused) in [by_reader, by_writer].into_iter().zip(&mut refused) {
            match result {
                Ok(found) => assert_eq!(found, model, "round {round}, byte {at}"),
                Err(error) => {
                    *refused += 1;
                    let named = matches!(
                        error,
                        IndexError::Damaged { .. }
                            | IndexError::Differs { .. }
                            | IndexError::Io { .. }
                    );
                    assert!(named && error.to_string().contains("store.redb"), "{error}");
                }
            }
        }
    }
    println!("600 damaged files: a reader refused {}, a writer {}", refused[0], refused[1]);
    assert!(refused[0] > 50 && refused[1] > 100);
}
