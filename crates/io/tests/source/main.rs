//! The reading half: files in, records out, whatever the files look like.

#![allow(clippy::unwrap_used)]

mod borders;
mod compressed;
mod discovery;
mod failures;
mod fields;
mod formats;
mod help;
mod hostile;
mod large;
mod mail;
mod nested;
mod places;
mod speed;
mod tables;
