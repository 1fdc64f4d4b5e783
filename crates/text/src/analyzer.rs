//! Text in, tokens out, pushed into a closure.
//!
//! [`Analyzer`] is built once from the settings and serves every thread; each thread brings its own
//! [`Scratch`]. The contested choice is to work on *stretches*: text is cut at ASCII white space, and
//! only a stretch that holds a non-ASCII byte pays for Unicode. One accent must never push a whole
//! document off the fast path.

use crate::casing::{changes, lower_into};
use crate::classes::Classes;
use crate::normal::{Buffers, Normalizer};
use crate::{AnalysisSettings, Unit, ascii, scan};

/// Name of this analysis, stated in every summary. Changes when any token of any text changes.
///
/// The classes and normal forms are those of one Unicode version; lower-casing is the standard
/// library's and of another (`char::UNICODE_VERSION`); a test holds this line to both.
pub const ANALYSIS_NAME: &str = "words/1 (Unicode 18.0 classes, 17.0 lower case)";

/// ASCII bytes handled at a time, so that the lower-cased copy stays in the first-level cache.
const WINDOW: usize = 16 * 1024;

/// Turns text into tokens. Immutable, `Send` and `Sync`.
///
/// With [`Unit::Word`], tokens are the maximal runs of letters (`L*`) and numbers (`N*`) of the
/// normalised and lower-cased text: what Python's `re.findall(r'[^\W_]+', text.lower())` finds. Runs
/// of Han, Kana, Thai, Lao, Khmer and Myanmar, with their combining marks, are cut as UAX #29 does.
///
/// With [`Unit::Char`], tokens are the code points of the canonical text: the words joined by single
/// spaces, but with no space between two segments cut from the same unspaced run. `Ab  c漢字` gives
/// `a`, `b`, ` `, `c`, ` `, `漢`, `字`. There is no space at either end.
///
/// ```
/// use lookalike_text::{AnalysisSettings, Analyzer, Scratch};
///
/// let analyzer = Analyzer::new(&AnalysisSettings::default());
/// let mut tokens = Vec::new();
/// analyzer.tokens("Don't PANIC: 東京", &mut Scratch::default(), |token| {
///     tokens.push(String::from_utf8_lossy(token).into_owned());
/// });
/// assert_eq!(tokens, ["don", "t", "panic", "東", "京"]);
/// ```
#[derive(Debug)]
pub struct Analyzer {
    pub(crate) normalizer: Normalizer,
    pub(crate) unit: Unit,
    pub(crate) classes: &'static Classes,
}

/// Working space of [`Analyzer::tokens`], one for each thread. Grows to the longest stretch seen.
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    ascii: Vec<u8>,
    slow: SlowScratch,
}

#[derive(Debug, Clone, Default)]
struct SlowScratch {
    normal: Buffers,
    lower: String,
}

impl Analyzer {
    /// An analyzer for these settings.
    #[must_use]
    pub fn new(settings: &AnalysisSettings) -> Self {
        Self {
            normalizer: Normalizer::new(settings.normalize),
            unit: settings.unit,
            classes: Classes::shared(),
        }
    }

    /// Pushes the UTF-8 bytes of each token of the text, in order.
    ///
    /// Linear in the text. Does not allocate once the scratch has grown (except to normalise more
    /// than 16 combining marks in a row).
    #[inline]
    pub fn tokens<F: FnMut(&[u8])>(&self, text: &str, scratch: &mut Scratch, mut emit: F) {
        match self.unit {
            Unit::Word => self.words(text, scratch, &mut |word, _| emit(word)),
            Unit::Char => {
                let mut first = true;
                self.words(text, scratch, &mut |word, joined| {
                    if !first && !joined {
                        emit(b" ");
                    }
                    first = false;
                    characters(word, &mut emit);
                });
            }
        }
    }

    /// Emits each word, and whether it continues the unspaced run of the word before.
    #[inline]
    fn words(&self, text: &str, scratch: &mut Scratch, emit: &mut impl FnMut(&[u8], bool)) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let limit = bytes.len().min(at + WINDOW);
            let plain = at + ascii::prefix(&bytes[at..limit]);
            // The last cut before `plain`: up to there, everything is ASCII and ends with a stretch.
            let cut = if plain == bytes.len() {
                plain
            } else {
                bytes[at..plain].iter().rposition(is_gap).map_or(at, |gap| at + gap + 1)
            };
            if cut > at {
                ascii::words(&bytes[at..cut], &mut scratch.ascii, &mut |word| emit(word, false));
                at = cut;
                continue;
            }
            // No cut: a stretch that is not ASCII, or one longer than the window.
            let end = end_of_stretch(bytes, at);
            if bytes[at..end].is_ascii() {
                ascii::words(&bytes[at..end], &mut scratch.ascii, &mut |word| emit(word, false));
            } else {
                self.slow_words(&text[at..end], &mut scratch.slow, emit);
            }
            at = end;
        }
    }

    /// The plain path: any text whatever, ASCII or not.
    fn slow_words(
        &self,
        stretch: &str,
        scratch: &mut SlowScratch,
        emit: &mut impl FnMut(&[u8], bool),
    ) {
        let normal = self.normalizer.apply(stretch, &mut scratch.normal);
        let lower = if changes(normal, self.classes) {
            scratch.lower.clear();
            lower_into(normal, self.classes, &mut scratch.lower);
            &scratch.lower
        } else {
            normal
        };
        scan::words(lower, self.classes, &mut |range, joined| {
            emit(&lower.as_bytes()[range], joined);
        });
    }
}

/// ASCII white space and control characters end a stretch: no word, no composition, no case
/// context reaches across them.
#[inline]
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that iterators ask for")]
pub(crate) fn is_gap(byte: &u8) -> bool {
    *byte <= b' '
}

/// The end of the stretch that begins at `at`, or of several in a row while each begins with a
/// non-ASCII byte: text in another alphabet then needs few calls.
fn end_of_stretch(bytes: &[u8], at: usize) -> usize {
    let limit = bytes.len().min(at + WINDOW);
    let mut end = at;
    loop {
        end += bytes[end..].iter().position(is_gap).unwrap_or(bytes.len() - end);
        match bytes.get(end + 1) {
            Some(next) if !next.is_ascii() && end < limit => end += 1,
            _ => return end,
        }
    }
}

/// Emits the code points of UTF-8 bytes, one by one.
#[inline]
fn characters(mut bytes: &[u8], emit: &mut impl FnMut(&[u8])) {
    while let Some(&lead) = bytes.first() {
        let length = match lead {
            0..0xC0 => 1,
            0xC0..0xE0 => 2,
            0xE0..0xF0 => 3,
            _ => 4,
        };
        let (character, rest) = bytes.split_at(length.min(bytes.len()));
        emit(character);
        bytes = rest;
    }
}
