//! Removes default-ignorable characters from a stretch of text and normalises the rest.
//!
//! Default-ignorable characters (Unicode `Default_Ignorable_Code_Point`: soft hyphen, zero-width
//! space, joiner and non-joiner, word joiner, byte order mark, bidirectional controls, variation
//! selectors, tags, fillers) are removed whatever the normalisation, so that they neither separate
//! nor change words. They are removed *before* normalising: one between a letter and its accent
//! would keep the two from composing. Lower-casing comes last, because normalising may produce
//! capitals (`𝐅` gives `F`).
//!
//! A stretch ends at ASCII white space or control characters. None of these composes with anything
//! or is ever reordered, so normalising stretch by stretch is normalising the whole text.

use crate::Normalize;
use crate::classes::{
    Classes, DEFAULT_IGNORABLE, INERT_NFC, INERT_NFKC, ORDERED_NFC, ORDERED_NFKC,
};
use icu_normalizer::{ComposingNormalizer, ComposingNormalizerBorrowed};

/// Buffers of [`Normalizer::apply`].
#[derive(Debug, Clone, Default)]
pub(crate) struct Buffers {
    visible: String,
    normal: String,
}

/// A normalisation.
#[derive(Debug)]
pub(crate) enum Normalizer {
    None,
    Nfc(ComposingNormalizerBorrowed<'static>),
    Nfkc(ComposingNormalizerBorrowed<'static>),
}

impl Normalizer {
    pub(crate) fn new(normalize: Normalize) -> Self {
        match normalize {
            Normalize::None => Self::None,
            Normalize::Nfc => Self::Nfc(ComposingNormalizer::new_nfc()),
            Normalize::Nfkc => Self::Nfkc(ComposingNormalizer::new_nfkc()),
        }
    }

    /// The flags of characters that are left alone wherever they stand, and of those that are if
    /// marks are in order; without normalisation, none.
    pub(crate) fn left_alone(&self) -> Option<(u16, u16)> {
        match self {
            Self::None => None,
            Self::Nfc(_) => Some((INERT_NFC, ORDERED_NFC)),
            Self::Nfkc(_) => Some((INERT_NFKC, ORDERED_NFKC)),
        }
    }

    /// The stretch without default-ignorable characters, normalised. Allocates only for more than
    /// 16 combining marks in a row, once the buffers are large enough.
    pub(crate) fn apply<'a>(
        &self,
        stretch: &'a str,
        classes: &Classes,
        buffers: &'a mut Buffers,
    ) -> &'a str {
        let stretch = without_ignorable(stretch, classes, &mut buffers.visible);
        match self {
            Self::None => stretch,
            // Below U+0300 (lead byte 0xCC) everything is in NFC.
            Self::Nfc(_) if stretch.bytes().all(|byte| byte < 0xCC) => stretch,
            Self::Nfc(normalizer) | Self::Nfkc(normalizer) => {
                compose(normalizer, stretch, &mut buffers.normal)
            }
        }
    }
}

fn compose<'a>(
    normalizer: &ComposingNormalizerBorrowed<'static>,
    stretch: &'a str,
    buffer: &'a mut String,
) -> &'a str {
    let (head, tail) = normalizer.split_normalized(stretch);
    if tail.is_empty() {
        return stretch;
    }
    buffer.clear();
    buffer.push_str(head);
    // Writing to a string cannot fail.
    let _ = normalizer.normalize_to(tail, buffer);
    buffer
}

fn without_ignorable<'a>(stretch: &'a str, classes: &Classes, buffer: &'a mut String) -> &'a str {
    let first = stretch.char_indices().find(|&(_, c)| is_ignorable(c, classes));
    let Some((first, _)) = first else { return stretch };
    buffer.clear();
    buffer.push_str(&stretch[..first]);
    buffer.extend(stretch[first..].chars().filter(|&c| !is_ignorable(c, classes)));
    buffer
}

/// Whether the character is default-ignorable. No ASCII character is.
#[inline]
pub(crate) fn is_ignorable(c: char, classes: &Classes) -> bool {
    !c.is_ascii() && classes.get(c) & DEFAULT_IGNORABLE != 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn apply(normalize: Normalize, text: &str) -> String {
        let normalizer = Normalizer::new(normalize);
        normalizer.apply(text, Classes::shared(), &mut Buffers::default()).to_owned()
    }

    #[test]
    fn default_ignorable_characters_are_removed_before_composition() {
        assert_eq!(apply(Normalize::Nfkc, "e\u{200d}\u{301}"), "é");
        assert_eq!(apply(Normalize::Nfc, "e\u{200d}\u{301}"), "é");
        assert_eq!(apply(Normalize::None, "e\u{200d}\u{301}"), "e\u{301}");
        assert_eq!(apply(Normalize::Nfkc, "ＦＲＥＥ f\u{200b}ree 𝐅𝐫𝐞𝐞 ﬁ"), "FREE free Free fi");
        assert_eq!(apply(Normalize::None, "e\u{301}ﬁ\u{fe0f}"), "e\u{301}ﬁ");
        assert_eq!(apply(Normalize::Nfc, "\u{ad}"), "");
    }

    proptest! {
        #[test]
        fn normalising_by_stretch_is_normalising_the_whole(
            text in "([a-e<=> \t\u{0}-\u{20}\u{300}-\u{310}\u{338}\u{1100}-\u{1120}\u{1161}-\u{1170}\u{a0}\u{b4}]|\\PC){0,16}",
        ) {
            for normalizer in [ComposingNormalizer::new_nfc(), ComposingNormalizer::new_nfkc()] {
                let whole = normalizer.normalize(&text);
                let parts: String = text
                    .split_inclusive(|c| c <= ' ')
                    .map(|part| normalizer.normalize(part).into_owned())
                    .collect();
                prop_assert_eq!(whole.as_ref(), parts.as_str());
            }
        }
    }
}
