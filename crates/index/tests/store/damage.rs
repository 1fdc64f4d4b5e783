//! Damaged files.

use crate::model::{Model, SETTINGS, random_operations};
use lookalike_index::{IndexError, RealDisk, Store, StoreReader};
use std::fs;

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
    let mut refused = 0;
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
        let by_reader = reader.map(|reader| reader.state().clone());
        fs::write(&path, &damaged).unwrap();
        let store = Store::open(&RealDisk, dir.path(), Some(SETTINGS));
        let by_writer = store.map(|store| store.state().clone());
        for result in [by_reader, by_writer] {
            match result {
                Ok(state) => {
                    assert_eq!(state.commit, model.commit, "round {round}, byte {at}");
                    assert_eq!(state.changed.iter().collect::<Vec<_>>(), {
                        model.changed.clone().into_iter().collect::<Vec<_>>()
                    });
                    assert_eq!(state.segments.len(), model.segments.len());
                    for (id, dead) in &state.dead {
                        assert!(dead.iter().eq(model.dead[id].iter().copied()));
                    }
                }
                Err(error) => {
                    refused += 1;
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
    assert!(refused > 100, "{refused}");
}
