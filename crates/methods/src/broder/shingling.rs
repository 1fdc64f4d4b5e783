//! The set `S(D, w)` of a document: its distinct runs of w tokens (Broder 1997, "Defining
//! similarity of documents").

use crate::{Document, MethodScratch, Unsigned};
use lookalike_core::{FeatureKind, ShortDocuments, features, fingerprint};

/// How documents become sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shingling {
    /// Tokens in a shingle; at least 1.
    pub w: u32,
    /// Treatment of documents without a value: those of fewer than w tokens, or of which no shingle
    /// is selected. The papers ignore them. With [`ShortDocuments::Whole`] the whole text is one
    /// value, so that equal copies are found; no longer text has this value, so no estimate
    /// changes.
    pub short: ShortDocuments,
}

impl Shingling {
    /// The same settings as a kind of feature set.
    #[must_use]
    pub fn kind(self) -> FeatureKind {
        FeatureKind::Shingles { size: self.w as usize, short: self.short }
    }

    /// Puts `S(D, w)` without common shingles into `scratch.features`, in order of first
    /// occurrence, and returns its size. O(tokens).
    ///
    /// # Errors
    /// No token, no shingle, or only common ones.
    pub fn shingle(
        self,
        document: &Document<'_>,
        scratch: &mut MethodScratch,
    ) -> Result<u32, Unsigned> {
        if document.tokens.is_empty() {
            return Err(Unsigned::Empty);
        }
        scratch.features.clear();
        let set = features::distinct(document.tokens, self.kind(), &mut scratch.known);
        scratch.features.extend_from_slice(set);
        if let Some(common) = document.common.filter(|_| !scratch.features.is_empty()) {
            common.remove_from(&mut scratch.features);
            if scratch.features.is_empty() {
                return Err(Unsigned::OnlyCommon);
            }
        }
        match u32::try_from(scratch.features.len()) {
            Ok(0) => Err(Unsigned::TooShort),
            Ok(size) => Ok(size),
            Err(_) => Ok(u32::MAX),
        }
    }

    /// The value of a document of which no shingle was selected: its whole text as one value, if
    /// the setting says so.
    ///
    /// # Errors
    /// `lost`, if such documents are ignored.
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
    use lookalike_core::CommonElements;

    #[test]
    fn broders_rose_has_three_shingles() {
        let mut scratch = MethodScratch::default();
        let tokens = tokens("a rose is a rose is a rose");
        let document = Document { tokens: &tokens, ..Document::default() };
        let shingling = Shingling { w: 4, short: ShortDocuments::Ignore };
        assert_eq!(shingling.shingle(&document, &mut scratch), Ok(3));
        let longer = Shingling { w: 9, short: ShortDocuments::Ignore };
        assert_eq!(longer.shingle(&document, &mut scratch), Err(Unsigned::TooShort));
        assert_eq!(longer.shingle(&Document::default(), &mut scratch), Err(Unsigned::Empty));
    }

    #[test]
    fn common_shingles_are_removed() {
        let mut scratch = MethodScratch::default();
        let tokens = tokens("a rose is a rose is a rose");
        let shingling = Shingling { w: 4, short: ShortDocuments::Ignore };
        let whole = Document { tokens: &tokens, ..Document::default() };
        shingling.shingle(&whole, &mut scratch).unwrap();
        let all = scratch.features.clone();
        let one = CommonElements::new(vec![all[1], 12345]);
        let document = Document { common: Some(&one), ..whole };
        assert_eq!(shingling.shingle(&document, &mut scratch), Ok(2));
        assert_eq!(scratch.features, [all[0], all[2]]);
        let every = CommonElements::new(all);
        let document = Document { common: Some(&every), ..whole };
        assert_eq!(shingling.shingle(&document, &mut scratch), Err(Unsigned::OnlyCommon));
        // A document without shingles has none to remove.
        let longer = Shingling { w: 9, ..shingling };
        assert_eq!(longer.shingle(&document, &mut scratch), Err(Unsigned::TooShort));
    }

    #[test]
    fn the_whole_text_is_the_shingle_of_all_its_tokens() {
        let mut scratch = MethodScratch::default();
        let tokens = tokens("only three words");
        let document = Document { tokens: &tokens, ..Document::default() };
        let whole = Shingling { w: 10, short: ShortDocuments::Whole };
        assert_eq!(whole.shingle(&document, &mut scratch), Ok(1));
        assert_eq!(whole.rescue(&document, Unsigned::TooShort), Ok(scratch.features[0]));
        let ignore = Shingling { w: 10, short: ShortDocuments::Ignore };
        assert_eq!(ignore.rescue(&document, Unsigned::TooShort), Err(Unsigned::TooShort));
    }
}
