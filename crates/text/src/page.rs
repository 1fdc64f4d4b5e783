//! A page's text and its marks.

/// A page without its markup.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// The text that a browser would show: runs of ASCII white space are one space, blocks (and
    /// `br`) stand on lines of their own, no line is empty, nothing precedes or follows.
    pub text: String,
    /// The text of the first `title` element, white space collapsed. It is no part of `text`.
    pub title: Option<String>,
    /// Marks of the text, sorted by start, longer marks first; those of one kind never overlap.
    pub marks: Vec<Mark>,
}

/// Text that was marked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mark {
    /// Byte at which the marked text starts.
    pub start: usize,
    /// Byte after its end, always greater than `start`.
    pub end: usize,
    /// Its kind.
    pub kind: MarkKind,
}

/// Kind of marked text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MarkKind {
    /// `h1` to `h6`.
    Heading,
    /// `b`, `strong`, `i` or `em`; nested ones are one mark.
    Emphasis,
    /// `a`.
    Link,
}
