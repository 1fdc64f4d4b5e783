//! Repeated passages inside documents: every run of L or more words that stands twice in a collection,
//! exactly, and what of it can be cut without loss.
//!
//! A *unit* is a word, character or byte, given by its hash. A *window* is L consecutive units of one
//! document, and its *copies* are all places with equal units. A passage of at least L units is a run of
//! windows, so all is known once the *first place* of every window is known: the smallest place of its
//! copies, by the precedence of documents, then by position. This answer is linear in the size of the
//! collection, where lists of pairs are not: two places have equal windows if and only if their first
//! places are equal.
//!
//! 1. [`anchors`]: windows are not stored. Each elects an *anchor*, the smallest hash of the k-grams in
//!    it, the last of equal ones (winnowing, Schleimer, Wilkerson and Aiken 2003). Equal windows elect
//!    equal anchors at equal offsets, so windows need to be compared with those of the same anchor only.
//!    At L = 50 there is an anchor for every eighteen units.
//! 2. [`classes`]: anchors whose whole context is equal are one class, which needs no look at its units.
//! 3. [`questions`]: only windows of anchors with several contexts are hashed, those of one member of
//!    each class.
//! 4. [`runs`]: consecutive windows whose first places are consecutive.
//! 5. [`kept`]: decides which windows are cut: those of which an equal one stands whole in what is kept.
//!
//! [`near`] makes stretches of two documents that are nearly the same out of runs of shorter windows.
//! [`common`] finds what one text has in common with others, one after the other.
//!
//! *Exact but for hashes:* units are equal if their 64-bit hashes are. Contexts and windows are compared
//! by 61 more bits. Before texts are cut, the units of both places should be compared.
//!
//! *Cost.* O(n) for n units, and sorting the anchors of keys that repeat. No step looks at pairs of
//! copies, but for [`near`] and [`common`].

pub mod anchors;
pub mod classes;
pub mod common;
pub mod finder;
pub mod kept;
mod minima;
pub mod near;
pub mod questions;
mod records;
pub mod runs;
mod scope;
mod section_units;
mod window_hash;

pub use anchors::{Anchor, Lengths};
pub use common::{CommonScratch, CommonStretch, CommonText};
pub use finder::Finder;
pub use kept::{Cut, CutRule};
pub use records::Record;
pub use runs::Run;
pub use scope::Scope;
pub use section_units::SectionUnits;

/// Those of some items, which are in the order of their documents, that are of one. O(log n).
#[must_use]
pub fn of_document<T>(items: &[T], document: u32, document_of: impl Fn(&T) -> u32) -> &[T] {
    let start = items.partition_point(|item| document_of(item) < document);
    let length = items[start..].partition_point(|item| document_of(item) == document);
    &items[start..start + length]
}

/// A place: the unit of a document at which a window begins.
///
/// Documents are numbered in order of precedence, so that the smaller of two places takes precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The document.
    pub document: u32,
    /// The number of the unit in it.
    pub unit: u32,
}

impl Place {
    /// The place some units further in the same document.
    #[must_use]
    pub fn plus(self, units: u32) -> Self {
        Self { unit: self.unit + units, ..self }
    }
}
