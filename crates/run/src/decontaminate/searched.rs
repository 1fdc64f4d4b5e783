//! What the second reading has of the first.

use super::items::Items;
use super::matching::Decisions;
use super::scan::Scan;
use crate::words::WordReader;

/// What was found in the first reading.
#[derive(Clone, Copy)]
pub(super) struct Searched<'a> {
    pub(super) items: &'a Items,
    pub(super) scan: &'a Scan,
    pub(super) decisions: &'a Decisions,
    pub(super) reader: &'a WordReader,
}
