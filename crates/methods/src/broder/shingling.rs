//! A document in, its set `S(D, w)` out: the distinct runs of w tokens (Broder 1997, section 2).

use crate::{Document, Scratch, Unsigned};
use lookalike_core::{FeatureKind, ShortDocuments, features, fingerprint};

/// How documents become sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shingling {
    /// Tokens in a shingle; at least 1.
    pub w: u32,
    /// What becomes of a document that the method would otherwise lose: one of fewer than w tokens,
    /// or one of which nothing is selected. The papers ignore it. With [`ShortDocuments::Whole`]
    /// its whole text is one value, so that equal copies are found; it shares that value with no
    /// longer text, so no estimate changes.
    pub short: ShortDocuments,
}

impl Shingling {
    /// Puts `S(D, w)` into `scratch.features`, in order of first occurrence, and returns its size.
    /// O(tokens).
    ///
    /// # Errors
    /// No token, or no shingle.
    pub fn shingle(self, document: &Document<'_>, scratch: &mut Scratch) -> Result<u32, Unsigned> {
        if document.tokens.is_empty() {
            return Err(Unsigned::Empty);
        }
        let kind = FeatureKind::Shingles { size: self.w as usize, short: self.short };
        scratch.features.clear();
        let set = features::distinct(document.tokens, kind, &mut scratch.known);
        scratch.features.extend_from_slice(set);
        match u32::try_from(scratch.features.len()) {
            Ok(0) => Err(Unsigned::TooShort),
            Ok(size) => Ok(size),
            Err(_) => Ok(u32::MAX),
        }
    }

    /// What a document of which nothing was selected is kept by: its whole text as one value, or
    /// nothing.
    ///
    /// # Errors
    /// `lost`, where such documents are ignored.
    pub fn rescue(self, document: &Document<'_>, lost: Unsigned) -> Result<u64, Unsigned> {
        match self.short {
            ShortDocuments::Ignore => Err(lost),
            ShortDocuments::Whole => {
                let mut whole = 0;
                let tokens = document.tokens;
                fingerprint::shingles(tokens, tokens.len(), |value| whole = value);
                Ok(whole)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broder::planted::tokens;

    #[test]
    fn broders_rose_has_three_shingles() {
        let mut scratch = Scratch::default();
        let tokens = tokens("a rose is a rose is a rose");
        let document = Document { tokens: &tokens, ..Document::default() };
        let shingling = Shingling { w: 4, short: ShortDocuments::Ignore };
        assert_eq!(shingling.shingle(&document, &mut scratch), Ok(3));
        let longer = Shingling { w: 9, short: ShortDocuments::Ignore };
        assert_eq!(longer.shingle(&document, &mut scratch), Err(Unsigned::TooShort));
        assert_eq!(longer.shingle(&Document::default(), &mut scratch), Err(Unsigned::Empty));
    }

    #[test]
    fn the_whole_text_is_the_shingle_of_all_its_tokens() {
        let mut scratch = Scratch::default();
        let tokens = tokens("only three words");
        let document = Document { tokens: &tokens, ..Document::default() };
        let whole = Shingling { w: 10, short: ShortDocuments::Whole };
        assert_eq!(whole.shingle(&document, &mut scratch), Ok(1));
        assert_eq!(whole.rescue(&document, Unsigned::TooShort), Ok(scratch.features[0]));
        let ignore = Shingling { w: 10, short: ShortDocuments::Ignore };
        assert_eq!(ignore.rescue(&document, Unsigned::TooShort), Err(Unsigned::TooShort));
    }
}
