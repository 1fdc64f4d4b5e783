//! The living index: documents that can be asked about, added, updated and deleted.

mod prepare;
mod settings;
mod signatures;

pub use settings::IndexSettings;
