//! Text in, tokens out, pushed into a closure.
//!
//! [`Analyzer`] is built once from the settings and serves every thread; each thread brings its own
//! [`Scratch`]. It works on *stretches*: text is cut at ASCII white space, and only a stretch with
//! a non-ASCII byte takes the slower Unicode path, so that one accent does not affect the whole
//! document. [`crate::window`] processes a few kilobytes of stretches at a time.

use crate::normal::Replaced;
use crate::rules::Rules;
use crate::window::{Window, end_of, is_gap};
use crate::{AnalysisSettings, Unit};

/// Name of this analysis, stated in every summary. Changes when any token of any text changes.
///
/// The classes and normal forms are those of one Unicode version; lower-casing is the standard
/// library's and of another (`char::UNICODE_VERSION`); a test holds this line to both.
pub const ANALYSIS_NAME: &str = "words/3 (Unicode 18.0 classes, 17.0 lower case)";

/// Bytes of text handled at a time, so that what is found in them stays in the first-level cache.
const WINDOW: usize = 8 * 1024;

/// Turns text into tokens. Immutable, `Send` and `Sync`.
///
/// With [`Unit::Word`], tokens are the maximal runs of letters (`L*`) and numbers (`N*`) of the
/// normalised and lower-cased text, with the combining marks that follow these: `का` is one word.
/// Characters with the property `Default_Ignorable_Code_Point` (soft hyphen, zero-width characters,
/// variation selectors, …) and the Arabic tatweel are removed first: `so\u{ad}ft` is the one word
/// `soft`. Runs of Han, Kana, Thai, Khmer, Javanese and other scripts without spaces are cut as
/// UAX #29 does, at the least into grapheme clusters. No token begins or ends inside one.
///
/// With [`Unit::Char`], tokens are the code points of the canonical text: the words joined by
/// single spaces, but with no space between two segments cut from the same unspaced run. `Ab  c漢字`
/// gives `a`, `b`, ` `, `c`, ` `, `漢`, `字`. There is no space at either end.
///
/// With [`crate::Tokens::Symbols`], each character between words that is neither white space nor a control
/// character is a token too, with the combining marks that follow it. With [`Unit::Char`] there is
/// then a space where white space stands in the text, and none elsewhere: `a  != b` gives `a`, ` `,
/// `!`, `=`, ` `, `b`. With [`crate::Case::Keep`], nothing is lower-cased.
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
    pub(crate) rules: Rules,
    pub(crate) unit: Unit,
}

/// Working space of [`Analyzer::tokens`], one for each thread. Grows to the longest stretch seen.
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    window: Window,
    characters: Vec<[usize; 2]>,
}

impl Scratch {
    /// What was replaced in the last text whose tokens were pushed.
    #[must_use]
    pub fn replaced(&self) -> Replaced {
        self.window.normal.replaced
    }
}

impl Analyzer {
    /// Whether characters are replaced by the ASCII characters that they look like.
    #[must_use]
    pub fn replaces_confusables(&self) -> bool {
        self.rules.normalizer.folds_ascii()
    }

    /// An analyzer for these settings.
    #[must_use]
    pub fn new(settings: &AnalysisSettings) -> Self {
        Self { rules: Rules::new(settings), unit: settings.unit }
    }

    /// Pushes the UTF-8 bytes of each token of the text, in order.
    ///
    /// Linear in the text. Does not allocate once the scratch has grown (except to normalise more
    /// than 16 combining marks in a row).
    #[inline]
    pub fn tokens<F: FnMut(&[u8])>(&self, text: &str, scratch: &mut Scratch, mut emit: F) {
        self.batches(text, scratch, |bytes, places| {
            for &[start, end] in places {
                emit(&bytes[start..end]);
            }
        });
    }

    /// The same, many tokens at a time: the bytes that they stand in, and where each of them begins
    /// and ends there. Behind each token there are bytes that are no token's, if only to be read in
    /// vain: a caller that works on many at once need not look at how long each is.
    #[inline]
    pub fn batches(
        &self,
        text: &str,
        scratch: &mut Scratch,
        mut emit: impl FnMut(&[u8], &[[usize; 2]]),
    ) {
        let Scratch { window, characters } = scratch;
        window.normal.replaced = Replaced::default();
        let mut rest = text;
        let mut first = true;
        while !rest.is_empty() {
            let (head, tail) = rest.split_at(end_of_window(rest.as_bytes()));
            rest = tail;
            if self.rules.symbols || !self.rules.folds_case {
                window.read_as_written(head, &self.rules);
            } else {
                window.read(head, &self.rules);
            }
            match self.unit {
                Unit::Word => emit(&window.bytes, window.places()),
                Unit::Char => {
                    characters.clear();
                    split(window, &mut first, characters);
                    emit(&window.bytes, characters);
                }
            }
        }
    }
}

/// End of the first window of a text, which is the end of a stretch.
fn end_of_window(text: &[u8]) -> usize {
    match text.get(..WINDOW) {
        None => text.len(),
        Some(head) => match head.iter().rposition(is_gap) {
            Some(gap) => gap + 1,
            None => end_of(text, WINDOW),
        },
    }
}

/// Lists the code points of the words, and a space between words that are not joined.
fn split(window: &Window, first: &mut bool, characters: &mut Vec<[usize; 2]>) {
    // The window ends with spaces.
    let blank = window.bytes.len() - 1;
    let mut joined = window.joined.iter().peekable();
    for (number, &[mut at, end]) in window.places().iter().enumerate() {
        let continues = joined.next_if_eq(&&number).is_some();
        if !continues && !*first {
            characters.push([blank, blank + 1]);
        }
        *first = false;
        while at < end {
            let length = match window.bytes[at] {
                0..0xC0 => 1,
                0xC0..0xE0 => 2,
                0xE0..0xF0 => 3,
                _ => 4,
            };
            characters.push([at, at + length]);
            at += length;
        }
    }
}
