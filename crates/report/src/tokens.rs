//! Tokens of texts with their positions.
//!
//! The primary types are [`Tokens`] and [`Vocabulary`]. Tokens are compared by their canonical
//! form, which a vocabulary replaces by a number, exactly: two forms have one number only if they
//! are equal. The caller tokenises texts ([`Tokenize`]): this crate has no analyser, so it shows
//! the tokens that the run compared.

use std::collections::HashMap;
use std::ops::Range;

/// Calls back with each token's canonical form and its byte range in the text, in order.
pub type Tokenize<'a> = dyn Fn(&str, &mut dyn FnMut(&str, Range<usize>)) + 'a;

/// A canonical form, by number. Meaningful within one [`Vocabulary`] only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Form(pub(crate) u32);

/// Numbers for canonical forms.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    forms: HashMap<Box<str>, Form>,
}

impl Vocabulary {
    /// The number of a form; a new form gets a new number.
    pub fn form(&mut self, form: &str) -> Form {
        if let Some(&known) = self.forms.get(form) {
            return known;
        }
        let new = Form(u32::try_from(self.forms.len()).unwrap_or(u32::MAX));
        self.forms.insert(form.into(), new);
        new
    }

    /// A text, cut into tokens.
    pub fn tokens<'t>(&mut self, text: &'t str, tokenize: &Tokenize<'_>) -> Tokens<'t> {
        let mut tokens = Tokens { text, forms: Vec::new(), ranges: Vec::new() };
        tokenize(text, &mut |form, range| tokens.push(self.form(form), range));
        tokens
    }
}

/// A text and its tokens.
#[derive(Debug, Clone)]
pub struct Tokens<'t> {
    text: &'t str,
    forms: Vec<Form>,
    ranges: Vec<Range<usize>>,
}

impl<'t> Tokens<'t> {
    /// Appends a token. Ranges are clamped to ascend and to character boundaries.
    fn push(&mut self, form: Form, range: Range<usize>) {
        let least = self.ranges.last().map_or(0, |last| last.start);
        let start = self.text.floor_char_boundary(range.start.max(least).min(self.text.len()));
        let end = self.text.ceil_char_boundary(range.end.clamp(start, self.text.len()));
        self.forms.push(form);
        self.ranges.push(start..end);
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// The canonical forms.
    #[must_use]
    pub fn forms(&self) -> &[Form] {
        &self.forms
    }

    /// Number of tokens.
    #[must_use]
    pub fn len(&self) -> usize {
        self.forms.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.forms.is_empty()
    }

    /// The byte range from the first to the last of some tokens.
    #[must_use]
    pub fn bytes(&self, tokens: Range<usize>) -> Range<usize> {
        match self.ranges.get(tokens.clone()) {
            Some([first, .., last]) => first.start..last.end.max(first.start),
            Some([only]) => only.clone(),
            _ => {
                let at = self.ranges.get(tokens.start).map_or(self.text.len(), |range| range.start);
                at..at
            }
        }
    }

    /// The text from the first to the last of some tokens, as it was written.
    #[must_use]
    pub fn slice(&self, tokens: Range<usize>) -> &'t str {
        self.text.get(self.bytes(tokens)).unwrap_or_default()
    }

    /// The text between the token before `token` and `token` itself: spaces and punctuation. For
    /// the first token, all that precedes it; for one past the last, all that follows.
    #[must_use]
    pub fn gap_before(&self, token: usize) -> &'t str {
        let from =
            token.checked_sub(1).and_then(|t| self.ranges.get(t)).map_or(0, |range| range.end);
        let until = self.ranges.get(token).map_or(self.text.len(), |range| range.start);
        self.text.get(from..until).unwrap_or_default()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Runs of letters and digits, lower-cased.
    pub(crate) fn words(text: &str, emit: &mut dyn FnMut(&str, Range<usize>)) {
        let mut start = None;
        for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
            match (c.is_alphanumeric(), start) {
                (true, None) => start = Some(at),
                (false, Some(from)) => {
                    emit(&text[from..at].to_lowercase(), from..at);
                    start = None;
                }
                _ => {}
            }
        }
    }

    #[test]
    fn the_original_spelling_is_kept() {
        let mut vocabulary = Vocabulary::default();
        let a = vocabulary.tokens("«A Rose», is a", &words);
        assert_eq!(a.forms()[0], a.forms()[3]);
        assert_eq!(a.slice(0..2), "A Rose");
        assert_eq!(a.gap_before(0), "«");
        assert_eq!(a.gap_before(2), "», ");
        assert_eq!(a.gap_before(4), "");
        assert_eq!(a.slice(4..4), "");
    }

    #[test]
    fn invalid_ranges_are_clamped() {
        let mut vocabulary = Vocabulary::default();
        let tokens = vocabulary.tokens("añb", &|_, emit| {
            emit("x", 2..99);
            emit("y", 0..1);
            emit("z", Range { start: 50, end: 40 });
        });
        assert_eq!(tokens.len(), 3);
        for token in 0..3 {
            let _ = (tokens.slice(token..token + 1), tokens.gap_before(token));
        }
        let _ = tokens.slice(0..3);
    }
}
