//! A result appears whole or not at all, and nothing of the user's is lost for it.

use std::fs;
use std::path::Path;

use lookalike_io::{Compression, Format, OutputError, Staging};

use crate::help::{input, inputs, tree};

/// Writes a result holding one file.
fn run(out: &Path, force: bool, text: &str) -> Result<(), OutputError> {
    let staging = Staging::create(out, force)?;
    fs::write(staging.path("summary.json"), text).unwrap();
    fs::create_dir(staging.path("kept")).unwrap();
    fs::write(staging.path("kept").join("a"), text).unwrap();
    staging.commit()
}

#[test]
fn nothing_is_seen_before_commit_and_everything_after() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("not/yet/there");
    let staging = Staging::create(&out, false).unwrap();
    fs::write(staging.path("summary.json"), "{}").unwrap();
    assert!(!out.exists());
    let sibling = staging.path("").file_name().unwrap().to_string_lossy().into_owned();
    assert_eq!(sibling, format!("there.partial-{}", std::process::id()));
    staging.commit().unwrap();
    assert_eq!(tree(folder.path()), ["not/yet/there/summary.json"]);
}

#[test]
fn dropped_without_commit_it_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let staging = Staging::create(&folder.path().join("out"), false).unwrap();
    fs::write(staging.path("half"), "half").unwrap();
    drop(staging);
    assert!(tree(folder.path()).is_empty());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_result_is_replaced_only_with_force_and_then_completely() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    run(&out, false, "first").unwrap();
    fs::write(out.join("pairs.tsv"), "of the first").unwrap();
    let error = run(&out, false, "second").unwrap_err();
    assert!(matches!(error, OutputError::Exists { .. }));
    assert!(error.to_string().contains("the setting force"));
    assert_eq!(fs::read_to_string(out.join("summary.json")).unwrap(), "first");
    run(&out, true, "second").unwrap();
    assert_eq!(fs::read_to_string(out.join("summary.json")).unwrap(), "second");
    assert_eq!(tree(folder.path()), ["out/kept/a", "out/summary.json"]);
}

#[test]
fn a_failed_run_with_force_leaves_the_old_result() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    run(&out, false, "first").unwrap();
    drop(Staging::create(&out, true).unwrap());
    assert_eq!(fs::read_to_string(out.join("summary.json")).unwrap(), "first");
}

#[test]
fn an_empty_directory_is_taken_without_force() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    fs::create_dir(&out).unwrap();
    run(&out, false, "x").unwrap();
    assert_eq!(tree(&out), ["kept/a", "summary.json"]);
}

#[test]
fn force_does_not_delete_what_is_no_result_of_ours() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("thesis");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("chapter1.md"), "precious").unwrap();
    assert!(matches!(run(&out, true, "x"), Err(OutputError::NotAResult { .. })));
    assert_eq!(fs::read_to_string(out.join("chapter1.md")).unwrap(), "precious");
    assert_eq!(tree(folder.path()), ["thesis/chapter1.md"]);
}

#[test]
fn files_and_places_that_cannot_be_renamed_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "x").unwrap();
    assert!(matches!(Staging::create(&file, true), Err(OutputError::Unusable { .. })));
    let current = std::env::current_dir().unwrap();
    assert!(Staging::create(&current, false).is_err());
    assert!(Staging::create(Path::new("/"), true).is_err());
    assert!(Staging::create(&folder.path().join("a/.."), false).is_err());
    assert!(Staging::create(Path::new(""), false).is_err());
}

#[test]
fn leftovers_of_killed_runs_are_cleared_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let stale = folder.path().join("out.partial-1");
    let same_number = folder.path().join(format!("out.partial-{}", std::process::id()));
    let others =
        ["out.partial-2", "other.partial-3", "out.partial-x"].map(|name| folder.path().join(name));
    for path in [&stale, &same_number].into_iter().chain(&others) {
        fs::create_dir(path).unwrap();
        fs::write(path.join("kept.jsonl"), "stale").unwrap();
    }
    // A whole result that could not be put in its place.
    fs::write(others[0].join("summary.json"), "{}").unwrap();
    // Another run that is not at its end.
    let busy = Staging::create(&out, false).unwrap();
    fs::write(busy.path("kept.jsonl"), "busy").unwrap();
    run(&out, false, "x").unwrap();
    // The other run has taken the name of the second that was left.
    assert!(!stale.exists() && busy.path("") == same_number.join(""));
    assert!(others.iter().all(|path| path.join("kept.jsonl").exists()));
    assert_eq!(fs::read_to_string(busy.path("kept.jsonl")).unwrap(), "busy");
    drop(busy);
    assert!(!out.join("kept.jsonl").exists());
}

#[test]
fn a_place_filled_meanwhile_is_not_overwritten_and_the_result_is_not_thrown_away() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let staging = Staging::create(&out, false).unwrap();
    fs::write(staging.path("summary.json"), "ours").unwrap();
    fs::create_dir(&out).unwrap();
    fs::write(out.join("theirs"), "x").unwrap();
    let Err(OutputError::NotRenamed { whole, .. }) = staging.commit() else {
        panic!("the place was taken");
    };
    assert_eq!(fs::read_to_string(whole.join("summary.json")).unwrap(), "ours");
    assert_eq!(fs::read_to_string(out.join("theirs")).unwrap(), "x");
}

#[test]
fn inputs_inside_the_result_directory_are_a_conflict() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    run(&out, false, "x").unwrap();
    let staging = Staging::create(&out, true).unwrap();
    let jsonl = |path| inputs(vec![input(path, Format::JSONL, Compression::None)]);
    let error = staging.conflicts(&jsonl(out.join("kept/a"))).unwrap_err();
    assert!(matches!(error, OutputError::Conflict { .. }));
    let beside = folder.path().join("out.jsonl");
    fs::write(&beside, "").unwrap();
    staging.conflicts(&jsonl(beside)).unwrap();
    staging.conflicts_with([folder.path()]).unwrap();
}

#[cfg(unix)]
#[test]
fn a_link_to_a_directory_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().join("disk/real");
    fs::create_dir_all(&real).unwrap();
    let link = folder.path().join("out");
    std::os::unix::fs::symlink(&real, &link).unwrap();
    run(&link, false, "x").unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(tree(&real), ["kept/a", "summary.json"]);
}
