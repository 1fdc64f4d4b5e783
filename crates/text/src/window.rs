//! A window of text: its lower-cased copy, and the place of each word in it.
//!
//! The copy is as long as the window, and each word stands in it where it stood in the text, as
//! long as three things hold: there is nothing to normalise or to remove, no letter gets longer or
//! shorter when it is lower-cased, and no two words touch. Then words begin and end where a bit
//! differs from the one before, in a mask that has a bit for each byte. ASCII needs no more. Other
//! characters are looked up one by one and put into the mask. Only a *stretch* (what stands between
//! ASCII white space) of which that is not true is taken by itself, on the plain path, its
//! lower-cased text kept behind the copy.

use crate::casing::{changes, lower_into};
use crate::classes::{Classes, DEFAULT_IGNORABLE, DOT_ABOVE, MARK, UNSPACED, UPPER, WORD, order};
use crate::confusables::fold_ascii;
use crate::masks::{self, LANES, Masks, lower};
use crate::normal::{Buffers, Normalizer};
use crate::rules::Rules;
use crate::scan;
use std::ops::Range;

/// Padding after the text of a window: at least this many bytes outside of words.
const PAD: usize = 32;

/// Working space: what is known of one window. Grows to the longest one seen.
#[derive(Debug, Clone, Default)]
pub(crate) struct Window {
    /// The lower-cased copy, padded with spaces, and after it the texts of stretches processed
    /// separately.
    pub(crate) bytes: Vec<u8>,
    /// One bit for each byte of the copy: whether it belongs to a word.
    masks: Vec<u64>,
    /// The same: whether it belongs to a character that is not ASCII.
    foreign: Vec<u64>,
    /// Begin and end of each word in `bytes`; only the first `found` are valid.
    places: Vec<[usize; 2]>,
    found: usize,
    /// Which words continue the unspaced run of the word before, in order.
    pub(crate) joined: Vec<usize>,
    /// The parts of the text on the plain path, in order: all other words stand where they stand in the text.
    pub(crate) plain_parts: Vec<PlainPart>,
    pub(crate) normal: Buffers,
    lower: String,
}

/// A part of the text whose words are not where they stand in it.
#[derive(Debug, Clone)]
pub(crate) struct PlainPart {
    /// Its bytes.
    pub(crate) bytes: Range<usize>,
    /// Its words, by number.
    pub(crate) words: Range<usize>,
}

/// Processing of a stretch that is not ASCII.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stretch {
    /// Its words stand in the mask.
    Masked,
    /// Some of its words touch, but all stand in the copy as they are.
    Touching,
    /// Anything else.
    Plain,
}

impl Window {
    /// The places of the words found, in order.
    pub(crate) fn places(&self) -> &[[usize; 2]] {
        &self.places[..self.found]
    }

    /// Finds the words of a text that begins and ends where a stretch does.
    #[inline]
    pub(crate) fn read(&mut self, text: &str, rules: &Rules) {
        let Rules { classes, normalizer, .. } = rules;
        self.found = 0;
        self.joined.clear();
        self.plain_parts.clear();
        let foreign = self.copy(text.as_bytes(), normalizer.folds_ascii());
        let mut done = 0;
        if foreign {
            let bytes = text.as_bytes();
            let mut at = 0;
            while let Some(first) = next(&self.foreign, at) {
                let start =
                    bytes[at..first].iter().rposition(is_gap).map_or(at, |gap| at + gap + 1);
                at = end_of(bytes, first);
                match self.stretch(text, start..at, first, classes, normalizer) {
                    Stretch::Masked => continue,
                    Stretch::Touching => {
                        self.edges(done..start);
                        scan::words(&text[start..at], classes, &mut |word, joined| {
                            let place = [start + word.start, start + word.end];
                            push(&mut self.places, &mut self.found, place);
                            if joined {
                                self.joined.push(self.found - 1);
                            }
                        });
                    }
                    Stretch::Plain => {
                        self.edges(done..start);
                        at = end_of_several(bytes, at);
                        let first = self.found;
                        self.plain(&text[start..at], rules);
                        let words = first..self.found;
                        self.plain_parts.push(PlainPart { bytes: start..at, words });
                    }
                }
                done = at;
            }
        }
        self.edges(done..text.len());
        self.bytes.resize(self.bytes.len() + PAD, b' ');
    }

    /// Finds the tokens of a text that begins and ends where a stretch does, on the plain path: where
    /// symbols are tokens too, or case is kept.
    pub(crate) fn read_as_written(&mut self, text: &str, rules: &Rules) {
        self.found = 0;
        self.joined.clear();
        self.bytes.clear();
        self.plain(text, rules);
        self.bytes.resize(self.bytes.len() + PAD, b' ');
    }

    /// Copies the text and lower-cases its ASCII letters; returns whether it has other characters
    /// than ASCII.
    fn copy(&mut self, text: &[u8], fold: bool) -> bool {
        self.bytes.clear();
        self.bytes.extend_from_slice(text);
        if fold {
            fold_ascii(&mut self.bytes);
        }
        // At least one byte that belongs to no word, so that the last word ends inside the last
        // mask.
        self.bytes.resize((text.len() / LANES + 1) * LANES, b' ');
        self.masks.clear();
        self.foreign.clear();
        let mut seen = 0;
        let (blocks, _) = self.bytes.as_chunks_mut::<LANES>();
        for block in blocks {
            let Masks { words, foreign } = lower(block);
            seen |= foreign;
            self.masks.push(words);
            self.foreign.push(foreign);
        }
        seen != 0
    }

    /// Puts the characters of a stretch, the first that is not ASCII at `first`, into the mask if
    /// they fit there.
    fn stretch(
        &mut self,
        text: &str,
        stretch: Range<usize>,
        first: usize,
        classes: &Classes,
        normalizer: &Normalizer,
    ) -> Stretch {
        let left_alone = normalizer.left_alone();
        let mut kind = Stretch::Masked;
        let mut last = 0;
        for (offset, c) in text[first..stretch.end].char_indices() {
            if c.is_ascii() {
                last = 0;
                continue;
            }
            let at = first + offset;
            let class = classes.get(c);
            // A default-ignorable character is never inert.
            if let Some((inert, ordered)) = left_alone {
                let order = match class {
                    _ if class & inert != 0 => 0,
                    _ if class & ordered != 0 => order(c),
                    _ => return Stretch::Plain,
                };
                if order != 0 && order < last {
                    return Stretch::Plain;
                }
                last = order;
            } else if class & DEFAULT_IGNORABLE != 0 {
                return Stretch::Plain;
            }
            if class & UPPER != 0 && !self.lower(c, at) {
                return Stretch::Plain;
            }
            if class & WORD != 0 || class & MARK != 0 && self.in_word(at) {
                for at in at..at + c.len_utf8() {
                    self.masks[at / LANES] |= 1 << (at % LANES);
                }
            } else if class & UNSPACED != 0 {
                kind = Stretch::Touching;
            }
        }
        kind
    }

    /// Whether the byte before `at` belongs to a word by the mask.
    fn in_word(&self, at: usize) -> bool {
        at.checked_sub(1).is_some_and(|at| self.masks[at / LANES] >> (at % LANES) & 1 != 0)
    }

    /// Lower-cases a character of the copy, if its lower-case form takes the same room, wherever it
    /// stands.
    fn lower(&mut self, c: char, at: usize) -> bool {
        let mut forms = c.to_lowercase();
        match (forms.next(), forms.next()) {
            (Some(form), None)
                if form.len_utf8() == c.len_utf8() && !matches!(c, 'Σ' | DOT_ABOVE) =>
            {
                form.encode_utf8(&mut self.bytes[at..at + c.len_utf8()]);
                true
            }
            _ => false,
        }
    }

    /// The plain path: any text whatever.
    fn plain(&mut self, stretch: &str, rules: &Rules) {
        let classes = rules.classes;
        let normal = rules.normalizer.apply(stretch, classes, &mut self.normal);
        let text = if rules.folds_case && changes(normal, classes) {
            self.lower.clear();
            lower_into(normal, classes, &mut self.lower);
            &self.lower
        } else {
            normal
        };
        let base = self.bytes.len();
        self.bytes.extend_from_slice(text.as_bytes());
        rules.scan(text, &mut |word, joined| {
            push(&mut self.places, &mut self.found, [base + word.start, base + word.end]);
            if joined {
                self.joined.push(self.found - 1);
            }
        });
    }

    /// Adds the words in a part of the copy, by the mask; no word crosses its ends.
    fn edges(&mut self, part: Range<usize>) {
        if part.is_empty() {
            return;
        }
        // A word and what ends it are two bytes at least.
        let room = self.found + part.len() / 2 + 1 + masks::SPARE;
        if self.places.len() < room {
            self.places.resize(room, [0; 2]);
        }
        self.found += masks::runs(&self.masks, part, &mut self.places[self.found..]);
    }
}

/// The first bit from `at` on.
#[inline]
fn next(mask: &[u64], at: usize) -> Option<usize> {
    let mut number = at / LANES;
    let mut bits = mask.get(number)? & !0 << (at % LANES);
    while bits == 0 {
        number += 1;
        bits = *mask.get(number)?;
    }
    Some(number * LANES + bits.trailing_zeros() as usize)
}

#[inline]
fn push(places: &mut Vec<[usize; 2]>, found: &mut usize, place: [usize; 2]) {
    match places.get_mut(*found) {
        Some(slot) => *slot = place,
        None => places.push(place),
    }
    *found += 1;
}

/// ASCII white space and control characters end a stretch: no word, no composition, no case
/// context reaches across them.
#[inline]
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that iterators ask for")]
pub(crate) fn is_gap(byte: &u8) -> bool {
    *byte <= b' '
}

/// The end of the stretch that `at` is in.
#[inline]
pub(crate) fn end_of(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(is_gap).map_or(bytes.len(), |gap| at + gap)
}

/// The end of several adjacent stretches, each of which (after the first) begins with a non-ASCII
/// byte, so that text in another alphabet needs few calls.
fn end_of_several(bytes: &[u8], mut end: usize) -> usize {
    while bytes.get(end + 1).is_some_and(|next| !next.is_ascii()) {
        end = end_of(bytes, end + 1);
    }
    end
}
