//! Tests of the sinks with chunks made by hand and read from files: every record is written,
//! unchanged, to the right output.

#![allow(clippy::unwrap_used)]

mod arrow_files;
mod documents;
mod full_disk;
mod help;
mod layout;
mod marks;
mod parquet_files;
mod staging;
mod whole;
