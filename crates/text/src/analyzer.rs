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

/// Some tokens of a text, in their order.
#[derive(Debug, Clone, Copy)]
pub enum Batch<'a> {
    /// The bytes that they stand in, and where each of them begins and ends there. At least 16 bytes
    /// can be read from the start of each: a caller that works on many at once need not look at how
    /// long each is.
    Ranges(&'a [u8], &'a [[usize; 2]]),
    /// Each of these bytes is one: characters that are all ASCII.
    Bytes(&'a [u8]),
}

/// Working space of [`Analyzer::tokens`], one for each thread. Grows to the longest stretch seen.
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    window: Window,
    canonical: Canonical,
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
        self.batches(text, scratch, |batch| match batch {
            Batch::Ranges(bytes, places) => {
                for &[start, end] in places {
                    emit(&bytes[start..end]);
                }
            }
            Batch::Bytes(bytes) => bytes.chunks(1).for_each(&mut emit),
        });
    }

    /// As [`Analyzer::tokens`], with many tokens in each call.
    #[inline]
    pub fn batches(&self, text: &str, scratch: &mut Scratch, emit: impl FnMut(Batch<'_>)) {
        scratch.window.normal.replaced = Replaced::default();
        self.section(text, scratch, emit);
    }

    /// As [`Analyzer::batches`] for the sections of a text, each by itself. `None` ends a section.
    pub fn sections<'t>(
        &self,
        sections: impl Iterator<Item = &'t str>,
        scratch: &mut Scratch,
        mut emit: impl FnMut(Option<Batch<'_>>),
    ) {
        scratch.window.normal.replaced = Replaced::default();
        for section in sections {
            self.section(section, scratch, |batch| emit(Some(batch)));
            emit(None);
        }
    }

    #[inline]
    fn section(&self, text: &str, scratch: &mut Scratch, mut emit: impl FnMut(Batch<'_>)) {
        let Scratch { window, canonical, characters } = scratch;
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
                Unit::Word => emit(Batch::Ranges(&window.bytes, window.places())),
                Unit::Char => {
                    let length = canonical.join(window, &mut first);
                    each_run(&canonical.bytes, length, characters, &mut emit);
                }
            }
        }
    }
}

/// End of the first window of a text, which is the end of a stretch.
pub(crate) fn end_of_window(text: &[u8]) -> usize {
    match text.get(..WINDOW) {
        None => text.len(),
        Some(head) => match head.iter().rposition(is_gap) {
            Some(gap) => gap + 1,
            None => end_of(text, WINDOW),
        },
    }
}

/// Canonical text: the words joined by single spaces.
#[derive(Debug, Clone, Default)]
struct Canonical {
    bytes: Vec<u8>,
}

/// Bytes that are copied at once: most words are shorter, and a copy of a fixed length is a few
/// instructions.
const COPIED: usize = 16;

impl Canonical {
    /// The words of a window, and a space between words that are not joined; also before the first,
    /// unless the window is the `first` with words. Spaces follow in the buffer.
    ///
    /// Returns the length of the text.
    fn join(&mut self, window: &Window, first: &mut bool) -> usize {
        let Self { bytes } = self;
        let places = window.places();
        // No word overlaps another.
        let most = window.bytes.len() + places.len() + 2 * COPIED;
        if bytes.len() < most {
            bytes.resize(most, b' ');
        }
        let mut joined = window.joined.iter().peekable();
        let mut length = 0;
        for (number, &[start, end]) in places.iter().enumerate() {
            if joined.next_if_eq(&&number).is_none() && !*first {
                bytes[length] = b' ';
                length += 1;
            }
            *first = false;
            let word = end - start;
            match window.bytes.get(start..start + COPIED) {
                Some(longer) if word <= COPIED => {
                    bytes[length..length + COPIED].copy_from_slice(longer);
                }
                _ => bytes[length..length + word].copy_from_slice(&window.bytes[start..end]),
            }
            length += word;
        }
        bytes[length..length + COPIED].fill(b' ');
        length
    }
}

/// Passes on the code points of the first `length` bytes, runs of ASCII as they are.
fn each_run(
    bytes: &[u8],
    length: usize,
    characters: &mut Vec<[usize; 2]>,
    emit: &mut impl FnMut(Batch<'_>),
) {
    let mut at = 0;
    while at < length {
        let foreign = at + ascii(&bytes[at..length]);
        if foreign > at {
            emit(Batch::Bytes(&bytes[at..foreign]));
        }
        at = foreign;
        characters.clear();
        while at < length {
            let size = match bytes[at] {
                // One character between two others is not worth a run.
                0..0x80 if bytes[at..length].iter().take(COPIED).all(u8::is_ascii) => break,
                0..0xC0 => 1,
                0xC0..0xE0 => 2,
                0xE0..0xF0 => 3,
                _ => 4,
            };
            characters.push([at, at + size]);
            at += size;
        }
        if !characters.is_empty() {
            emit(Batch::Ranges(bytes, characters));
        }
    }
}

/// Number of ASCII bytes at the start.
fn ascii(bytes: &[u8]) -> usize {
    const BLOCK: usize = 64;
    let mut start = 0;
    for block in bytes.chunks(BLOCK) {
        if !block.is_ascii() {
            let first = block.iter().position(|byte| !byte.is_ascii());
            return start + first.unwrap_or(block.len());
        }
        start += block.len();
    }
    start
}
