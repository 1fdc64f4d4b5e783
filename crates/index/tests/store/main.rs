//! The transactional store against a plain model: in random histories, at power cuts, with failing
//! disks, damaged files and several processes.

#![allow(clippy::unwrap_used)]

mod crashes;
mod damage;
mod histories;
mod model;
mod processes;
