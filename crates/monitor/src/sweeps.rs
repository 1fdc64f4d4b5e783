//! Sweeps: what changed on pages and sites from one crawl to the next.

mod diff;
mod history;
mod holders;
mod rates;
mod versions;
mod words;

pub use diff::{DiffOptions, PageChange, SweepDiff, diff};
pub use history::{PageVersion, Revisit, SiteVersion, history, revisit, site_history};
pub use holders::{Holder, holders};
pub use versions::Change;
