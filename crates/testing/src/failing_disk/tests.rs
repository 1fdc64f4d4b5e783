use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

const SEEDS: u64 = 400;

fn path(name: &str) -> &Path {
    Path::new(name)
}

/// A disk with the directory `/d`, and all of it synced.
fn disk_with_directory() -> FailingDisk {
    let disk = FailingDisk::new();
    disk.create_dir(path("/d")).unwrap();
    disk.sync_dir(path("/")).unwrap();
    disk
}

fn create(disk: &FailingDisk, name: &str, bytes: &[u8]) -> Box<dyn DiskFile> {
    let mut file = disk.create(path(name)).unwrap();
    file.write_all(bytes).unwrap();
    file
}

/// What a power cut leaves of a file, over all seeds; `None`: no file.
fn outcomes(disk: &FailingDisk, name: &str) -> BTreeSet<Option<Vec<u8>>> {
    (0..SEEDS).map(|seed| disk.crash(seed).read(path(name)).ok()).collect()
}

#[test]
fn what_is_synced_survives_every_crash() {
    let disk = disk_with_directory();
    create(&disk, "/d/a", b"content").sync().unwrap();
    disk.sync_dir(path("/d")).unwrap();
    assert_eq!(outcomes(&disk, "/d/a"), [Some(b"content".to_vec())].into());
}

#[test]
fn a_name_without_a_sync_of_its_directory_may_vanish() {
    let disk = disk_with_directory();
    create(&disk, "/d/a", b"content").sync().unwrap();
    assert_eq!(outcomes(&disk, "/d/a"), [None, Some(b"content".to_vec())].into());
}

#[test]
fn a_name_may_be_there_without_its_content() {
    let disk = disk_with_directory();
    create(&disk, "/d/a", b"content");
    disk.sync_dir(path("/d")).unwrap();
    let outcomes = outcomes(&disk, "/d/a");
    let expected: [Option<Vec<u8>>; 3] =
        [Some(Vec::new()), Some(vec![0; 7]), Some(b"content".to_vec())];
    assert_eq!(outcomes, expected.into());
}

#[test]
fn a_rename_is_whole_or_absent() {
    let disk = disk_with_directory();
    create(&disk, "/d/a", b"old").sync().unwrap();
    disk.sync_dir(path("/d")).unwrap();
    create(&disk, "/d/b", b"new").sync().unwrap();
    disk.sync_dir(path("/d")).unwrap();
    disk.rename(path("/d/b"), path("/d/a")).unwrap();
    let (mut before, mut after) = (0, 0);
    for seed in 0..SEEDS {
        let crashed = disk.crash(seed);
        match crashed.list(path("/d")).unwrap().len() {
            1 => {
                after += 1;
                assert_eq!(crashed.read(path("/d/a")).unwrap(), b"new");
            }
            _ => {
                before += 1;
                assert_eq!(crashed.read(path("/d/a")).unwrap(), b"old");
                assert_eq!(crashed.read(path("/d/b")).unwrap(), b"new");
            }
        }
    }
    assert!(before > 0 && after > 0);
    disk.sync_dir(path("/d")).unwrap();
    assert_eq!(outcomes(&disk, "/d/b"), [None].into());
}

#[test]
fn a_removal_may_be_undone_until_its_directory_is_synced() {
    let disk = disk_with_directory();
    create(&disk, "/d/a", b"content").sync().unwrap();
    disk.sync_dir(path("/d")).unwrap();
    disk.remove(path("/d/a")).unwrap();
    assert_eq!(disk.read(path("/d/a")).unwrap_err().kind(), io::ErrorKind::NotFound);
    assert_eq!(outcomes(&disk, "/d/a"), [None, Some(b"content".to_vec())].into());
    disk.sync_dir(path("/d")).unwrap();
    assert_eq!(outcomes(&disk, "/d/a"), [None].into());
}

/// All combinations of two sectors of a write, and of two writes to different sectors, occur; a
/// sector is never torn.
#[test]
fn writes_are_torn_between_sectors_and_reordered() {
    let disk = disk_with_directory();
    let mut file = create(&disk, "/d/a", &[0; 2048]);
    file.sync().unwrap();
    disk.sync_dir(path("/d")).unwrap();
    file.write_at(256, &[1; 512]).unwrap();
    file.write_at(1536, &[2; 512]).unwrap();
    let found = outcomes(&disk, "/d/a");
    for first in [0, 1] {
        for second in [0, 1] {
            for third in [0, 2] {
                let mut expected = vec![0; 2048];
                expected[256..512].fill(first);
                expected[512..768].fill(second);
                expected[1536..].fill(third);
                assert!(found.contains(&Some(expected)), "{first} {second} {third}");
            }
        }
    }
    assert_eq!(found.len(), 8);
}

/// A sector has the content of one moment: an early write is there when a later one is.
#[test]
fn a_sector_has_the_content_of_a_moment() {
    let disk = disk_with_directory();
    let mut file = create(&disk, "/d/a", b"....");
    file.sync().unwrap();
    disk.sync_dir(path("/d")).unwrap();
    file.write_at(0, b"1").unwrap();
    file.write_at(1, b"2").unwrap();
    let expected = [b"....", b"1...", b"12.."].map(|bytes| Some(bytes.to_vec()));
    assert_eq!(outcomes(&disk, "/d/a"), expected.into());
}

#[test]
fn after_its_last_operation_a_disk_only_fails() {
    let disk = disk_with_directory();
    let mut file = create(&disk, "/d/a", b"content");
    file.sync().unwrap();
    disk.sync_dir(path("/d")).unwrap();
    disk.crash_after(disk.operations());
    assert!(file.write_all(b"more").is_err());
    assert!(file.sync().is_err());
    assert!(disk.create(path("/d/b")).is_err());
    assert!(disk.read(path("/d/a")).is_err());
    let found = outcomes(&disk, "/d/a");
    // The write that was under way may have happened.
    assert!(found.contains(&Some(b"content".to_vec())));
    assert!(found.contains(&Some(b"contentmore".to_vec())));
}

#[test]
fn a_full_disk_writes_what_fits() {
    let disk = disk_with_directory();
    disk.limit_space(Some(8192));
    let mut file = create(&disk, "/d/a", &[1; 4096]);
    let error = file.write_all(&[2; 8192]).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    assert_eq!(disk.read(path("/d/a")).unwrap().len(), 8192);
    disk.remove(path("/d/a")).unwrap();
    create(&disk, "/d/b", &[1; 8192]);
}

#[test]
fn after_a_failed_sync_a_later_one_proves_nothing() {
    let disk = disk_with_directory();
    let mut file = create(&disk, "/d/a", &[1; 8192]);
    file.sync().unwrap();
    disk.sync_dir(path("/d")).unwrap();
    disk.fail_sync(1);
    file.write_at(0, &[2; 8192]).unwrap();
    disk.sync_dir(path("/d")).unwrap();
    assert!(file.sync().is_err());
    assert_eq!(disk.retries_after_failed_sync(), 0);
    assert!(file.write_at(0, &[3; 8]).is_err());
    assert!(file.sync().is_err());
    assert_eq!(disk.retries_after_failed_sync(), 2);

    // Another opening writes the first block again, and its sync succeeds.
    let again = disk.database(path("/d/a"), Access::Write).unwrap();
    again.write(0, &[4; 8]).unwrap();
    again.sync_data().unwrap();
    let mut seconds = BTreeSet::new();
    for outcome in outcomes(&disk, "/d/a") {
        let bytes = outcome.unwrap();
        assert_eq!(bytes[..8], [4; 8]);
        assert_eq!(bytes[8..4096], [2; 4088]);
        seconds.insert(bytes[4096..4608].to_vec());
    }
    assert_eq!(seconds, [vec![1; 512], vec![2; 512]].into());
}

#[test]
fn locks_of_two_openings_conflict() {
    let disk = disk_with_directory();
    let guard = match disk.lock(path("/d/lock")).unwrap() {
        Lock::Acquired(guard) => guard,
        Lock::Held { .. } => panic!("free"),
    };
    let Lock::Held { pid } = disk.lock(path("/d/lock")).unwrap() else { panic!("held") };
    assert_eq!(pid, Some(std::process::id()));
    // A power cut ends all locks.
    assert!(matches!(disk.crash(1).lock(path("/d/lock")).unwrap(), Lock::Acquired(_)));
    drop(guard);
    assert!(matches!(disk.lock(path("/d/lock")).unwrap(), Lock::Acquired(_)));
    let one = disk.database(path("/d/lock"), Access::Write).unwrap();
    let two = disk.database(path("/d/lock"), Access::Read).unwrap();
    let range = (Bound::Included(3), Bound::Excluded(5));
    assert!(one.try_lock_shared_range(range.0, range.1).unwrap());
    assert!(two.try_lock_shared_range(Bound::Included(4), Bound::Unbounded).unwrap());
    assert!(!two.try_lock_range(Bound::Included(3), Bound::Included(3)).unwrap());
    assert!(two.query_lock_range(Bound::Included(0), Bound::Included(3)).unwrap());
    assert!(!two.query_lock_range(Bound::Included(0), Bound::Excluded(3)).unwrap());
    one.unlock_range(range.0, range.1).unwrap();
    assert!(two.try_lock_range(Bound::Included(0), Bound::Included(3)).unwrap());
}

#[derive(Debug, Clone)]
enum Step {
    Write(usize, u8, usize),
    SetLength(usize),
    Sync,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0..6000usize, 1..=255u8, 1..3000usize).prop_map(|(at, byte, n)| Step::Write(at, byte, n)),
        2 => (0..8000usize).prop_map(Step::SetLength),
        1 => Just(Step::Sync),
    ];
    proptest::collection::vec(step, 1..20)
}

proptest! {
    /// Reads give what was written. After a power cut the length is one of those since the last
    /// sync, each sector is as it was at one of the moments since then or zeros where the file was
    /// shorter, and with a sync at the end nothing is lost.
    #[test]
    fn a_file_is_as_it_was_at_moments_since_its_sync(steps in steps(), seed: u64) {
        let disk = disk_with_directory();
        let mut file = disk.create(path("/d/a")).unwrap();
        disk.sync_dir(path("/d")).unwrap();
        let mut model = Vec::new();
        let mut moments = vec![model.clone()];
        for step in steps {
            match step {
                Step::Write(at, byte, length) => {
                    model.resize(model.len().max(at + length), 0);
                    model[at..at + length].fill(byte);
                    file.write_at(at as u64, &vec![byte; length]).unwrap();
                }
                Step::SetLength(length) => {
                    model.resize(length, 0);
                    file.set_len(length as u64).unwrap();
                }
                Step::Sync => {
                    file.sync().unwrap();
                    moments.clear();
                }
            }
            moments.push(model.clone());
            prop_assert_eq!(&disk.read(path("/d/a")).unwrap(), &model);
        }
        let crashed = disk.crash(seed).read(path("/d/a")).unwrap();
        prop_assert!(moments.iter().any(|moment| moment.len() == crashed.len()));
        for (number, sector) in crashed.chunks(512).enumerate() {
            let at = number * 512..number * 512 + sector.len();
            prop_assert!(moments.iter().any(|moment| {
                at.clone().zip(sector).all(|(at, byte)| moment.get(at).unwrap_or(&0) == byte)
            }), "sector {}", number);
        }
        file.sync().unwrap();
        prop_assert_eq!(&disk.crash(seed).read(path("/d/a")).unwrap(), &model);
    }
}
