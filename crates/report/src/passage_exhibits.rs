//! What the page of a search for repeated passages shows of the documents.

/// Passages and documents that are shown, of bounded size.
#[derive(Debug, Clone, Default)]
pub struct PassageExhibits {
    /// The passages that are copied most, the most copied first.
    pub frequent: Vec<FrequentPassage>,
    /// The longest passages, the longest first.
    pub longest: Vec<LongPassage>,
    /// The documents that lose the largest shares, the largest first.
    pub changed: Vec<ChangedDocument>,
    /// Number of passages by length, from the shortest on, without gaps.
    pub lengths: Vec<LengthBin>,
    /// Documents that are copies of others for the most part.
    pub copied: CopiedDocuments,
    /// Documents from the whole collection with what goes.
    pub examples: Vec<CutExample>,
}

/// A passage, by its first place.
#[derive(Debug, Clone, Default)]
pub struct FrequentPassage {
    /// Later places at which all of it stands.
    pub copies: u64,
    /// Documents that have some of it at a later place.
    pub documents: u64,
    /// Its units.
    pub units: u64,
    /// The document in which it stands first.
    pub first: String,
    /// Its beginning.
    pub text: String,
}

/// A passage with both places.
#[derive(Debug, Clone, Default)]
pub struct LongPassage {
    /// Its units.
    pub units: u64,
    /// The document.
    pub document: String,
    /// The one in which it stands first.
    pub first: String,
    /// Its beginning.
    pub text: String,
}

/// A document with later copies.
#[derive(Debug, Clone, Default)]
pub struct ChangedDocument {
    /// Its name.
    pub name: String,
    /// Its units.
    pub units: u64,
    /// How many of them go.
    pub gone: u64,
}

/// Passages of similar length.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LengthBin {
    /// The smallest number of units.
    pub from: u64,
    /// The largest one.
    pub to: u64,
    /// Number of passages.
    pub passages: u64,
}

/// Documents of which a passage is at least four fifths, as of the one in which it stands first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CopiedDocuments {
    /// How many.
    pub documents: u64,
    /// The units of these passages.
    pub units: u64,
}

/// A document with some of its later copies.
#[derive(Debug, Clone, Default)]
pub struct CutExample {
    /// Its name.
    pub name: String,
    /// Its units.
    pub units: u64,
    /// How many of them go.
    pub gone: u64,
    /// The first of its later copies.
    pub passages: Vec<ShownPassage>,
    /// How many more it has.
    pub more: u64,
}

/// Both sides of a later copy.
#[derive(Debug, Clone, Default)]
pub struct ShownPassage {
    /// What goes, with the text around it.
    pub goes: PassageExcerpt,
    /// The document that has the same.
    pub other: String,
    /// Where the same units stand, with the text around it.
    pub stays: PassageExcerpt,
}

/// A passage in its text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PassageExcerpt {
    /// Whether there is text before what is shown.
    pub is_later: bool,
    /// The text before the passage.
    pub before: String,
    /// The passage, or its beginning.
    pub passage: String,
    /// The bytes of it that are not shown.
    pub left_out: u64,
    /// The text behind it.
    pub behind: String,
    /// Whether there is more.
    pub goes_on: bool,
}
