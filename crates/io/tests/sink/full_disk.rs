//! A full disk is named as the cause, for every kind of output.
//!
//! No file may have a byte: each test runs again in a process of its own, below a limit on the size of
//! files that counts as a full disk.

#![cfg(unix)]

use std::process::Command;

use lookalike_io::{
    Cell, Column, Compression, Fate, Format, OutputError, RouteOptions, Staging, TableFormat,
    TableWriter,
};

use crate::help::{Decide, chunks, input, inputs, write};

/// The variable that says that this process has the limit.
const LIMITED: &str = "LOOKALIKE_TEST_FULL_DISK";

/// Whether no file may have a byte. If not, the test is run where that is so, and has to succeed.
fn is_full(test: &str) -> bool {
    if std::env::var_os(LIMITED).is_some() {
        return true;
    }
    // Without its signal, a write beyond the limit fails.
    let run = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"", "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "--test-threads=1", &format!("full_disk::{test}")])
        .env(LIMITED, "1")
        .output()
        .unwrap();
    let shown = String::from_utf8_lossy(&run.stdout);
    let errors = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success() && shown.contains("1 passed"), "{shown}{errors}");
    false
}

#[test]
fn documents_on_a_full_disk() {
    if !is_full("documents_on_a_full_disk") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let staging = Staging::create(&out, false).unwrap();
    let inputs = inputs(vec![input("a.jsonl", Format::JSONL, Compression::None)]);
    let chunks = chunks(0, &[vec![b'x'; 1 << 20]], 1, None);
    let fates = Decide(|_, _| Fate::Kept);
    let error = write(&staging, &inputs, &chunks, &fates, &RouteOptions::default()).unwrap_err();
    assert!(matches!(error, OutputError::DiskFull { .. }));
    let message = error.to_string();
    assert!(message.contains("kept.jsonl: the disk is full; no incomplete result"), "{message}");
    drop(staging);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn small_outputs_that_fail_only_at_the_end() {
    if !is_full("small_outputs_that_fail_only_at_the_end") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let staging = Staging::create(&folder.path().join("out"), false).unwrap();
    let inputs = inputs(vec![input("a.jsonl", Format::JSONL, Compression::None)]);
    let chunks = chunks(0, &[b"x".to_vec()], 1, None);
    let fates = Decide(|_, _| Fate::Kept);
    let error = write(&staging, &inputs, &chunks, &fates, &RouteOptions::default()).unwrap_err();
    assert!(matches!(error, OutputError::DiskFull { .. }));
}

#[test]
fn tables_of_every_form_on_a_full_disk() {
    if !is_full("tables_of_every_form_on_a_full_disk") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for format in TableFormat::ALL {
        let path = folder.path().join("pairs");
        let write = || {
            let mut table = TableWriter::create(&path, format, &[Column::text("a")])?;
            table.row(&[Cell::Text("x")])?;
            table.finish()
        };
        assert!(matches!(write(), Err(OutputError::DiskFull { .. })), "{format}");
    }
}
