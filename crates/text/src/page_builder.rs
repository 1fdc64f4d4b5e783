//! Builds a page's text with its marks from pieces of text, separations and marks.

use crate::{Mark, MarkKind, Page};

const KINDS: [MarkKind; 3] = [MarkKind::Heading, MarkKind::Emphasis, MarkKind::Link];

/// Separation of two pieces of text, the weaker first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Break {
    #[default]
    None,
    Space,
    Line,
}

/// A [`Page`] being built.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    text: String,
    marks: Vec<Mark>,
    pending: Break,
    spans: [Span; KINDS.len()],
}

/// The state of one kind of mark.
#[derive(Debug, Clone, Copy, Default)]
struct Span {
    /// Elements of the kind that are open.
    depth: usize,
    /// Start of their text, once there is some.
    start: Option<usize>,
}

impl Builder {
    /// Separation before the next text.
    pub(crate) fn separate(&mut self, by: Break) {
        self.pending = self.pending.max(by);
    }

    /// Text with white space as it stood in the page.
    pub(crate) fn push(&mut self, text: &str) {
        let is_space = |c| matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0c');
        for (number, word) in text.split(is_space).enumerate() {
            if number > 0 {
                self.separate(Break::Space);
            }
            if !word.is_empty() {
                self.push_word(word);
            }
        }
    }

    fn push_word(&mut self, word: &str) {
        match std::mem::take(&mut self.pending) {
            Break::Space if !self.text.is_empty() => self.text.push(' '),
            Break::Line if !self.text.is_empty() => self.text.push('\n'),
            _ => {}
        }
        for span in &mut self.spans {
            if span.depth > 0 {
                span.start.get_or_insert(self.text.len());
            }
        }
        self.text.push_str(word);
    }

    /// An element of this kind starts. Only emphasis nests.
    pub(crate) fn open(&mut self, kind: MarkKind) {
        if kind != MarkKind::Emphasis {
            self.close_all(kind);
        }
        self.spans[kind as usize].depth += 1;
    }

    /// An element of this kind ends, if one was open.
    pub(crate) fn close(&mut self, kind: MarkKind) {
        match self.spans[kind as usize].depth {
            0 => {}
            1 => self.close_all(kind),
            _ => self.spans[kind as usize].depth -= 1,
        }
    }

    /// All elements of this kind end.
    pub(crate) fn close_all(&mut self, kind: MarkKind) {
        if let Some(start) = std::mem::take(&mut self.spans[kind as usize]).start {
            self.marks.push(Mark { start, end: self.text.len(), kind });
        }
    }

    pub(crate) fn finish(mut self, title: Option<String>) -> Page {
        for kind in KINDS {
            self.close_all(kind);
        }
        self.marks.sort_by_key(|mark| (mark.start, std::cmp::Reverse(mark.end), mark.kind));
        Page { text: self.text, title, marks: self.marks }
    }
}
