//! Random histories of changes, reopened at random.

use crate::model::{Model, Operation, SETTINGS, operation};
use lookalike_index::{Change, IndexError, Record, SegmentEntry, Store, StoreReader};
use lookalike_testing::failing_disk::FailingDisk;
use proptest::prelude::*;
use roaring::RoaringBitmap;
use std::ops::Bound;
use std::path::Path;

#[derive(Debug, Clone)]
enum Step {
    Commit(Vec<Operation>),
    Refused(u8),
    ReopenStore,
    Refresh,
    ReopenReader,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => proptest::collection::vec(operation(), 0..8).prop_map(Step::Commit),
        1 => (0..8u8).prop_map(Step::Refused),
        1 => Just(Step::ReopenStore),
        3 => Just(Step::Refresh),
        1 => Just(Step::ReopenReader),
    ]
}

fn check_store(store: &Store, model: &Model) -> Result<(), TestCaseError> {
    prop_assert_eq!(&Model::of(store.state(), &store.records().unwrap()), model);
    Ok(())
}

/// A change that contradicts the state.
fn contradiction(model: &Model, kind: u8) -> Option<Change> {
    let mut change = Change::default();
    let any = model.segments.values().next().copied();
    match kind {
        0 => change.segments_removed.push(model.next_segment),
        1 => change.segments_added.push(any?),
        2 => change.segments_added.push(SegmentEntry { id: model.next_segment, ..any? }),
        3 => {
            change.dead_added.insert(model.next_segment, RoaringBitmap::from([0]));
        }
        4 => {
            change.dead_added.insert(any?.id, RoaringBitmap::from([any?.documents]));
        }
        5 => change.changed.push((model.next_number, Some(0))),
        6 => change.next_number = Some(model.next_number.checked_sub(1)?),
        _ => change.next_segment = Some(model.next_segment.checked_sub(1)?),
    }
    Some(change)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// The store and its readers say what the model says, after any history.
    #[test]
    fn a_store_is_its_history(steps in proptest::collection::vec(step(), 1..40)) {
        let disk = FailingDisk::new();
        let root = Path::new("/");
        let mut store = Store::create(&disk, root, SETTINGS).unwrap();
        let mut own = store.reader();
        let mut other = StoreReader::open(&disk, root, Some(SETTINGS)).unwrap();
        let mut model = Model::default();
        for step in steps {
            match step {
                Step::Commit(operations) => {
                    let change = model.change(&operations);
                    model.apply(&change);
                    prop_assert_eq!(store.commit(&change).unwrap(), model.commit);
                }
                Step::Refused(kind) => {
                    if let Some(change) = contradiction(&model, kind) {
                        let error = store.commit(&change).unwrap_err();
                        prop_assert!(matches!(error, IndexError::Inconsistent { .. }), "{}", error);
                    }
                }
                Step::ReopenStore => {
                    drop(own);
                    drop(store);
                    store = Store::open(&disk, root, Some(SETTINGS)).unwrap();
                    own = store.reader();
                }
                Step::Refresh => {
                    for reader in [&mut own, &mut other] {
                        let older = reader.state().commit < model.commit;
                        prop_assert_eq!(reader.refresh().unwrap(), older);
                        prop_assert!(!reader.refresh().unwrap());
                        let found = Model::of(reader.state(), &reader.records().unwrap());
                        prop_assert_eq!(&found, &model);
                    }
                }
                Step::ReopenReader => {
                    other = StoreReader::open(&disk, root, None).unwrap();
                    let found = Model::of(other.state(), &other.records().unwrap());
                    prop_assert_eq!(&found, &model);
                }
            }
            check_store(&store, &model)?;
        }
    }
}

/// A reader that missed more commits than there are deltas, or one with a large delta, loads all.
#[test]
fn a_reader_that_missed_much_catches_up() {
    let disk = FailingDisk::new();
    let root = Path::new("/");
    let mut store = Store::create(&disk, root, SETTINGS).unwrap();
    let mut model = Model::default();
    let mut readers: Vec<_> =
        (0..3).map(|_| StoreReader::open(&disk, root, Some(SETTINGS)).unwrap()).collect();
    let mut commit = |operations: &[Operation]| {
        let change = model.change(operations);
        model.apply(&change);
        store.commit(&change).unwrap();
        model.clone()
    };
    commit(&[Operation::Add(150_000)]);
    for number in 0..150 {
        let model = commit(&[
            Operation::Change(number * 10, Some(number)),
            Operation::Kill { segment: 0, first: number * 500, step: 1, count: 1 },
        ]);
        for (reader, every) in readers.iter_mut().zip([1, 63, 70]) {
            if number % every == 0 {
                assert!(reader.refresh().unwrap());
                assert_eq!(Model::of(reader.state(), &reader.records().unwrap()), model);
            }
        }
    }
    let many: Vec<_> = (0..20_000).map(|number| Operation::Change(number, Some(1))).collect();
    let model = commit(&many);
    for mut reader in readers {
        assert!(reader.refresh().unwrap());
        assert_eq!(Model::of(reader.state(), &reader.records().unwrap()), model);
    }
}

#[test]
fn ranges_of_records_are_those_of_their_table() {
    let disk = FailingDisk::new();
    let mut store = Store::create(&disk, Path::new("/"), SETTINGS).unwrap();
    let keys: [&[u8]; 5] = [b"", b"a", b"ab", b"b", b"\xff\xff"];
    let mut change = Change::default();
    for table in [6, 7, 8, 255] {
        for key in keys {
            let value = Some([&[table], key].concat());
            change.records.push(Record { table, key: key.to_vec(), value });
        }
    }
    store.commit(&change).unwrap();
    let records = store.records().unwrap();
    assert_eq!(records.commit(), 1);
    assert_eq!(records.get(7, b"ab").unwrap().unwrap(), b"\x07ab");
    assert_eq!(records.get(9, b"ab").unwrap(), None);
    let bounds = |key| [Bound::Included(key), Bound::Excluded(key)];
    let mut all = vec![Bound::Unbounded];
    all.extend(keys.into_iter().flat_map(bounds));
    for table in [7, 255] {
        for &start in &all {
            for &end in &all {
                let expected: Vec<&[u8]> = keys
                    .into_iter()
                    .filter(|key| match start {
                        Bound::Included(start) => *key >= start,
                        Bound::Excluded(start) => *key > start,
                        Bound::Unbounded => true,
                    })
                    .filter(|key| match end {
                        Bound::Included(end) => *key <= end,
                        Bound::Excluded(end) => *key < end,
                        Bound::Unbounded => true,
                    })
                    .collect();
                let range = || records.range(table, start, end).unwrap().map(Result::unwrap);
                let found: Vec<_> = range().map(|(key, _)| key).collect();
                assert_eq!(found, expected, "{start:?} {end:?}");
                let mut back: Vec<_> = range().rev().map(|(key, _)| key).collect();
                back.reverse();
                assert_eq!(back, expected);
                assert!(range().all(|(key, value)| value[0] == table && value[1..] == key));
            }
        }
    }
}

/// Records are of one commit, whatever is committed while they are read.
#[test]
fn records_are_of_one_commit() {
    let disk = FailingDisk::new();
    let mut store = Store::create(&disk, Path::new("/"), SETTINGS).unwrap();
    let rows = |value: u8| Change {
        records: (0..200)
            .map(|key| Record { table: 0, key: vec![key], value: Some(vec![value; 1000]) })
            .collect(),
        ..Change::default()
    };
    store.commit(&rows(1)).unwrap();
    let reader = StoreReader::open(&disk, Path::new("/"), None).unwrap();
    let records = [store.records().unwrap(), reader.records().unwrap()];
    for value in 2..20 {
        store.commit(&rows(value)).unwrap();
    }
    for records in &records {
        let all = records.range(0, Bound::Unbounded, Bound::Unbounded).unwrap();
        assert!(all.map(Result::unwrap).all(|(_, value)| value == [1; 1000]));
        assert_eq!(records.commit(), 1);
    }
    assert_eq!(reader.records().unwrap().get(0, &[3]).unwrap().unwrap(), [19; 1000]);
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let disk = FailingDisk::new();
    let root = Path::new("/");
    let error = Store::open(&disk, root, None).unwrap_err();
    assert!(error.to_string().starts_with("/store.redb: "), "{error}");
    assert!(lookalike_index::Disk::list(&disk, root).unwrap().is_empty());
    let store = Store::create(&disk, root, SETTINGS).unwrap();
    let error = Store::open(&disk, root, None).unwrap_err().to_string();
    // Another process is named by its number: see `processes`.
    assert_eq!(
        error,
        "/lock: this process has a writer of this index already; use it, or close it first"
    );
    drop(store);
    let error = Store::create(&disk, root, SETTINGS).unwrap_err();
    assert!(matches!(error, IndexError::Io { .. }), "{error}");
    let expected = "/store.redb: the digest of the settings: it has 123456789abcdef0, and \
                    000000000000000b is needed";
    for error in [
        Store::open(&disk, root, Some(11)).unwrap_err(),
        StoreReader::open(&disk, root, Some(11)).unwrap_err(),
    ] {
        assert_eq!(error.to_string(), expected);
    }
    Store::open(&disk, root, Some(SETTINGS)).unwrap();
}
