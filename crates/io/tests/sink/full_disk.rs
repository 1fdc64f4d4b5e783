//! A full disk is named as the cause, for every kind of output.

#![cfg(target_os = "linux")]

use std::os::unix::fs::symlink;

use lookalike_io::{
    Cell, Column, Compression, Fate, Format, OutputError, RouteOptions, Staging, TableFormat,
    TableWriter,
};

use crate::help::{Decide, chunks, input, inputs, write};

#[test]
fn documents_on_a_full_disk() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let staging = Staging::create(&out, false).unwrap();
    symlink("/dev/full", staging.path("kept.jsonl")).unwrap();
    let inputs = inputs(vec![input("a.jsonl", Format::Jsonl, Compression::None)]);
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
    let folder = tempfile::tempdir().unwrap();
    let staging = Staging::create(&folder.path().join("out"), false).unwrap();
    symlink("/dev/full", staging.path("kept.jsonl")).unwrap();
    let inputs = inputs(vec![input("a.jsonl", Format::Jsonl, Compression::None)]);
    let chunks = chunks(0, &[b"x".to_vec()], 1, None);
    let fates = Decide(|_, _| Fate::Kept);
    let error = write(&staging, &inputs, &chunks, &fates, &RouteOptions::default()).unwrap_err();
    assert!(matches!(error, OutputError::DiskFull { .. }));
}

#[test]
fn tables_of_every_form_on_a_full_disk() {
    let folder = tempfile::tempdir().unwrap();
    for format in TableFormat::ALL {
        let path = folder.path().join("pairs");
        symlink("/dev/full", folder.path().join(format!("pairs.{format}"))).unwrap();
        let write = || {
            let mut table = TableWriter::create(&path, format, &[Column::text("a")])?;
            table.row(&[Cell::Text("x")])?;
            table.finish()
        };
        assert!(matches!(write(), Err(OutputError::DiskFull { .. })), "{format}");
    }
}
