//! Power cuts, failing syncs and full disks for a whole index: what is found afterwards is the last
//! acknowledged commit, or that and the one under way, whole.

#![allow(clippy::unwrap_used)]

mod creation;
mod cuts;
mod errors;
mod found;
mod history;
#[path = "../model/mod.rs"]
mod model;
