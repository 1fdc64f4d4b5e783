//! Removes default-ignorable characters from a stretch of text and normalises the rest.
//!
//! With [`Normalize::Confusables`], characters that look like ASCII letters and digits become these
//! between decomposition and composition: NFD, replacement, NFC.
//!
//! Default-ignorable characters (Unicode `Default_Ignorable_Code_Point`: soft hyphen, zero-width
//! space, joiner and non-joiner, word joiner, byte order mark, bidirectional controls, variation
//! selectors, tags, fillers; and the Arabic tatweel) are removed whatever the normalisation, so that
//! they neither separate nor change words. They are removed *before* normalising: one between a letter and its accent
//! would keep the two from composing. Lower-casing comes last, because normalising may produce
//! capitals (`𝐅` gives `F`).
//!
//! A stretch ends at ASCII white space or control characters. None of these composes with anything
//! or is ever reordered, so normalising stretch by stretch is normalising the whole text.

use crate::Normalize;
use crate::casing::has_dot;
use crate::classes::{
    Classes, DEFAULT_IGNORABLE, DOT_ABOVE, INERT_NFC, INERT_NFKC, ORDERED_NFC, ORDERED_NFKC,
    TATWEEL,
};
use crate::confusables::{Confusables, fold, is_letter_s};
use icu_normalizer::{
    ComposingNormalizer, ComposingNormalizerBorrowed, DecomposingNormalizer,
    DecomposingNormalizerBorrowed,
};
use std::borrow::Cow;

/// The marks of Arabic script that NFKC puts on a tatweel.
pub(crate) const BORNE_MARKS: [char; 9] = [
    '\u{FCF2}', '\u{FCF3}', '\u{FCF4}', '\u{FE71}', '\u{FE77}', '\u{FE79}', '\u{FE7B}', '\u{FE7D}',
    '\u{FE7F}',
];

/// Buffers of [`Normalizer::apply`].
#[derive(Debug, Clone, Default)]
pub(crate) struct Buffers {
    visible: String,
    normal: String,
    mapped: String,
    /// Replaced characters since this was last reset.
    pub(crate) replaced: Replaced,
}

/// Counts of characters that were replaced by the ASCII characters that they look like
/// ([`Normalize::Confusables`]).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Replaced {
    /// Replaced characters.
    pub characters: u64,
    /// Words in which they stand beside ASCII letters.
    pub mixed_words: u64,
}

/// A normalisation.
#[derive(Debug)]
pub(crate) enum Normalizer {
    None,
    Nfc(ComposingNormalizerBorrowed<'static>),
    Nfkc(ComposingNormalizerBorrowed<'static>),
    /// NFD, confusable characters replaced, NFC.
    Confusables {
        decompose: DecomposingNormalizerBorrowed<'static>,
        compose: ComposingNormalizerBorrowed<'static>,
        table: &'static Confusables,
    },
}

/// A text in composed form (NFC).
///
/// ```
/// assert_eq!(lookalike_text::composed("u\u{308}"), "ü");
/// ```
#[must_use]
pub fn composed(text: &str) -> Cow<'_, str> {
    ComposingNormalizer::new_nfc().normalize(text)
}

impl Normalizer {
    pub(crate) fn new(normalize: Normalize) -> Self {
        match normalize {
            Normalize::None => Self::None,
            Normalize::Nfc => Self::Nfc(ComposingNormalizer::new_nfc()),
            Normalize::Nfkc => Self::Nfkc(ComposingNormalizer::new_nfkc()),
            Normalize::Confusables => Self::Confusables {
                decompose: DecomposingNormalizer::new_nfd(),
                compose: ComposingNormalizer::new_nfc(),
                table: Confusables::shared(),
            },
        }
    }

    /// The flags of characters that are left alone wherever they stand, and of those that are if
    /// marks are in order; without normalisation, none.
    pub(crate) fn left_alone(&self) -> Option<(u16, u16)> {
        match self {
            Self::None => None,
            Self::Nfc(_) => Some((INERT_NFC, ORDERED_NFC)),
            Self::Nfkc(_) => Some((INERT_NFKC, ORDERED_NFKC)),
            // Any character but those of ASCII may have to be replaced.
            Self::Confusables { .. } => Some((0, 0)),
        }
    }

    /// Whether ASCII characters that look alike become one.
    pub(crate) fn folds_ascii(&self) -> bool {
        matches!(self, Self::Confusables { .. })
    }

    /// The stretch without default-ignorable characters, normalised. Allocates only for more than
    /// 16 combining marks in a row, once the buffers are large enough.
    pub(crate) fn apply<'a>(
        &self,
        stretch: &'a str,
        classes: &Classes,
        buffers: &'a mut Buffers,
    ) -> &'a str {
        let Buffers { visible, normal, mapped, replaced } = buffers;
        let stretch = without_ignorable(stretch, classes, visible);
        match self {
            Self::None => stretch,
            // Below U+0300 (lead byte 0xCC) everything is in NFC.
            Self::Nfc(_) if stretch.bytes().all(|byte| byte < 0xCC) => stretch,
            Self::Nfkc(normalizer) if stretch.contains(BORNE_MARKS) => {
                mapped.clear();
                // Writing to a string cannot fail.
                let _ = normalizer.normalize_to(stretch, mapped);
                mapped.retain(|c| c != TATWEEL);
                compose(normalizer, mapped, normal)
            }
            Self::Nfc(normalizer) | Self::Nfkc(normalizer) => compose(normalizer, stretch, normal),
            Self::Confusables { decompose, compose: composing, table } => {
                normal.clear();
                // Writing to a string cannot fail.
                let _ = decompose.normalize_to(stretch, normal);
                replace(table, normal, mapped, replaced);
                compose(composing, mapped, normal)
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

/// Copies a decomposed text with its confusable characters replaced, and counts those that are not
/// ASCII and the words in which they stand beside ASCII letters.
fn replace(table: &Confusables, text: &str, out: &mut String, counts: &mut Replaced) {
    out.clear();
    let (mut has_ascii, mut has_replaced) = (false, false);
    let mut before = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match table.get(c) {
            Some(text) => {
                out.push_str(text);
                counts.characters += 1;
                has_replaced = true;
            }
            None if c == DOT_ABOVE && has_dot(before) => {}
            None if c == '$' && is_letter_s(before, chars.peek().copied()) => out.push('s'),
            None if c.is_ascii() => out.push(fold(c as u8) as char),
            None => out.push(c),
        }
        before = Some(c);
        has_ascii |= c.is_ascii_alphabetic();
        if c.is_ascii() && !c.is_ascii_alphanumeric() {
            counts.mixed_words += u64::from(has_ascii && has_replaced);
            (has_ascii, has_replaced) = (false, false);
        }
    }
    counts.mixed_words += u64::from(has_ascii && has_replaced);
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
        assert_eq!(apply(Normalize::Nfc, "كـتـاب"), "كتاب");
        assert_eq!(apply(Normalize::Nfkc, "ب\u{651}\u{fe71}ﻜـﺘ"), "ب\u{64b}\u{651}كت");
    }

    #[test]
    fn confusable_characters_are_replaced_and_counted() {
        let count = |text: &str| {
            let mut buffers = Buffers::default();
            let normalizer = Normalizer::new(Normalize::Confusables);
            let normal = normalizer.apply(text, Classes::shared(), &mut buffers).to_owned();
            (normal, buffers.replaced.characters, buffers.replaced.mixed_words)
        };
        assert_eq!(count("frее"), ("free".into(), 2, 1));
        assert_eq!(count("$сhool-1$5$"), ("school-l$5$".into(), 1, 1));
        assert_eq!(count("ѐ"), ("è".into(), 1, 0));
        assert_eq!(count("İi\u{307}"), ("ll".into(), 0, 0));
        assert_eq!(count("е\u{200d}\u{301}"), ("é".into(), 1, 0));
        assert_eq!(count("ВЕСНА-Mоon"), ("becha-Moon".into(), 6, 1));
        assert_eq!(count("жизнь,漢字é"), ("жизhb,漢字é".into(), 2, 0));
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
