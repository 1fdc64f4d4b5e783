//! The writing half, driven with chunks made by hand and by the reading half: what goes in comes
//! out, in the right place and whole.

#![allow(clippy::unwrap_used)]

mod documents;
mod full_disk;
mod help;
mod layout;
mod marks;
mod parquet_files;
mod staging;
mod whole;
