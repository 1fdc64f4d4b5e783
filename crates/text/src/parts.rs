//! Parts of a text that tell documents of nearly the same wording apart: its numbers, identifiers,
//! title, names and symbols, and the words with capitals.
//!
//! A part is a multiset of items: the order of a text and its line breaks have no influence. Two
//! documents have a part in common if these are equal. The definitions are those of [`TextPart`]; what
//! is a word, a letter or a digit is decided as in [`Analyzer`].
//!
//! One pass over the *stretches* of a text (what stands between ASCII white space), of which most
//! hold nothing but lowercase letters and are passed over byte by byte. O(text) time; memory for the
//! longest stretch; no allocation per item.

mod identifiers;

use crate::casing::lower_into;
use crate::classes::{CASED, Classes, DIGIT, MARK, SYMBOL, UNSPACED, UPPER, WORD};
use crate::normal::Buffers;
use crate::operators::{Around, is_operator, is_sign};
use crate::window::is_gap;
use crate::{AnalysisSettings, Analyzer, Normalize, Scratch};
use identifiers::{Character, begins_run, runs_from};

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextPart {
    /// Numbers: each run of digits, also within a word (`v2`), with the points between its digits
    /// (`2.0.1` is one number). A comma before exactly three digits groups them and is left
    /// out: `1,200` is `1200`. A sign is a symbol.
    Numbers,
    /// Identifiers, as written. A *run* consists of letters, digits, marks and `_`; an identifier is
    /// a run with the runs that follow it behind `-` or `.` and begin with a digit, if
    /// * a run of it holds `_` and a letter or digit (`a_b`, `__init__`), a lowercase letter before a
    ///   capital (`aB`) or a letter before a digit (`utf8`, `v2.0`), or
    /// * its first run holds a letter and another follows behind `-` (`CVE-2024-1234`, `GPL-2.0`), or
    /// * it has no letter, and a point or two hyphens between its runs: versions and dates (`2.0`,
    ///   `2024-01-31`).
    ///
    /// Scripts without spaces have none.
    Identifiers,
    /// Lower-cased words of the title that contain no digit; without a title, of the first line that
    /// has a word, of which [`TITLE_WORDS`] count.
    Title,
    /// All lower-cased words of the title, also those that contain a digit.
    TitleNumbers,
    /// Names, lower-cased: words of two characters and more that begin with a capital, but for the
    /// first word of a sentence, which has one whatever it is. A sentence begins at the beginning of
    /// the text, after a blank line, and after `.`, `!`, `?` or `…` and white space; a full stop
    /// behind a capitalised word of up to three characters is that of an abbreviation (`Mr.`, `J.`).
    /// So the name that a sentence begins with is left out.
    Names,
    /// Symbols that change what a text says: those of [`crate::Operators`].
    Symbols,
    /// Words with a capital, as written. Texts of the same lower-cased words have the same words if
    /// these are equal.
    Capitals,
}

impl TextPart {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 7] = [
        Self::Numbers,
        Self::Identifiers,
        Self::Title,
        Self::TitleNumbers,
        Self::Names,
        Self::Symbols,
        Self::Capitals,
    ];

    /// Its name in options and tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Numbers => "numbers",
            Self::Identifiers => "identifiers",
            Self::Title => "title",
            Self::TitleNumbers => "title+numbers",
            Self::Names => "names",
            Self::Symbols => "symbols",
            Self::Capitals => "capitals",
        }
    }
}

/// Most words of a first line that are taken for a title: texts of a single line have none of their
/// own.
pub const TITLE_WORDS: usize = 32;

/// Finds the parts of texts. Immutable.
#[derive(Debug)]
pub struct PartReader {
    /// Lower-cased words.
    analyzer: Analyzer,
}

/// Buffers of [`PartReader`], one for each thread.
#[derive(Debug, Default)]
pub struct PartScratch {
    tokens: Scratch,
    normal: Buffers,
    stretch: Vec<Character>,
    item: String,
    written: String,
}

impl PartReader {
    /// Finds parts of texts that are compared with these settings, of which the normalisation
    /// counts. Characters that look alike are not made one: `1` is a digit and `l` is none.
    #[must_use]
    pub fn new(settings: &AnalysisSettings) -> Self {
        let normalize = match settings.normalize {
            Normalize::Confusables => Normalize::Nfc,
            other => other,
        };
        let settings = AnalysisSettings { normalize, ..AnalysisSettings::default() };
        Self { analyzer: Analyzer::new(&settings) }
    }

    /// Pushes the items of each part, in no particular order, repeats included. An empty title is
    /// none.
    ///
    /// ```
    /// use lookalike_text::{AnalysisSettings, TextPart, PartReader, PartScratch};
    ///
    /// let reader = PartReader::new(&AnalysisSettings::default());
    /// let mut numbers = Vec::new();
    /// reader.items("Pay 1,200 by 5.5.", None, &mut PartScratch::default(), |part, item| {
    ///     if part == TextPart::Numbers {
    ///         numbers.push(String::from_utf8_lossy(item).into_owned());
    ///     }
    /// });
    /// assert_eq!(numbers, ["1200", "5.5"]);
    /// ```
    pub fn items(
        &self,
        text: &str,
        title: Option<&str>,
        scratch: &mut PartScratch,
        mut emit: impl FnMut(TextPart, &[u8]),
    ) {
        self.title(text, title, scratch, &mut emit);
        let mut scan = PartScan {
            classes: self.analyzer.rules.classes,
            scratch,
            emit,
            before: Preceding::default(),
        };
        scan.text(text, self);
    }

    /// The words of the title, or else of the first line that has any.
    fn title(
        &self,
        text: &str,
        title: Option<&str>,
        scratch: &mut PartScratch,
        emit: &mut impl FnMut(TextPart, &[u8]),
    ) {
        let mut words = |line: &str, most: usize| {
            let mut found = 0;
            self.analyzer.tokens(line, &mut scratch.tokens, |word| {
                found += 1;
                if found > most {
                    return;
                }
                emit(TextPart::TitleNumbers, word);
                if !holds_digit(word) {
                    emit(TextPart::Title, word);
                }
            });
            found > 0
        };
        if title.is_some_and(|title| words(title, usize::MAX)) {
            return;
        }
        let _ = text.lines().map(first_stretches).any(|line| words(line, TITLE_WORDS));
    }
}

/// The first [`TITLE_WORDS`] stretches of a line.
fn first_stretches(line: &str) -> &str {
    let (mut found, mut inside) = (0, false);
    let end = line.bytes().position(|byte| {
        let begins = !is_gap(&byte) && !inside;
        inside = !is_gap(&byte);
        found += usize::from(begins);
        found > TITLE_WORDS
    });
    &line[..end.unwrap_or(line.len())]
}

fn holds_digit(word: &[u8]) -> bool {
    word.iter().any(u8::is_ascii_digit)
        || !word.is_ascii()
            && std::str::from_utf8(word)
                .is_ok_and(|word| word.chars().any(|c| Classes::shared().get(c) & DIGIT != 0))
}

/// What a byte may be the beginning of.
const KINDS: [u8; 256] = kinds();
const CAPITAL: u8 = 1;
const NUMBER: u8 = 2;
const PUNCTUATION: u8 = 4;
const FOREIGN: u8 = 8;

const fn kinds() -> [u8; 256] {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = match byte as u8 {
            b'a'..=b'z' => 0,
            b'A'..=b'Z' => CAPITAL,
            b'0'..=b'9' => NUMBER,
            0x80.. => FOREIGN,
            _ => PUNCTUATION,
        };
        byte += 1;
    }
    kinds
}

/// Whether ASCII without digits contains `_` or a capital after a lowercase letter.
fn may_be_identifier(stretch: &[u8]) -> bool {
    stretch.contains(&b'_')
        || stretch
            .windows(2)
            .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
}

/// What is known of the text before a stretch.
#[derive(Debug)]
struct Preceding {
    /// Whether the next word is the first of a sentence.
    first: bool,
    /// Whether the word before is capitalised and as short as an abbreviation.
    short: bool,
    /// Whether a mark that ends a sentence follows the word before.
    ended: bool,
    /// The last character.
    last: Option<char>,
    /// A sign behind a number and white space, which counts if a number follows.
    sign: Option<char>,
}

impl Default for Preceding {
    fn default() -> Self {
        Self { first: true, short: false, ended: false, last: None, sign: None }
    }
}

/// One pass over a text.
struct PartScan<'s, F> {
    classes: &'static Classes,
    scratch: &'s mut PartScratch,
    emit: F,
    before: Preceding,
}

impl<F: FnMut(TextPart, &[u8])> PartScan<'_, F> {
    fn text(&mut self, text: &str, reader: &PartReader) {
        let bytes = text.as_bytes();
        let mut at = 0;
        let mut line_breaks = 0;
        while at < bytes.len() {
            if is_gap(&bytes[at]) {
                line_breaks += u32::from(bytes[at] == b'\n');
                at += 1;
                continue;
            }
            let (start, mut kinds) = (at, 0);
            while at < bytes.len() && !is_gap(&bytes[at]) {
                kinds |= KINDS[usize::from(bytes[at])];
                at += 1;
            }
            self.before.first |= self.before.ended || line_breaks > 1;
            if kinds == 0 {
                let last = Some(char::from(bytes[at - 1]));
                self.before =
                    Preceding { first: false, short: false, ended: false, last, sign: None };
            } else if !self.stretch(&text[start..at], kinds, reader) {
                continue;
            }
            line_breaks = 0;
        }
    }

    /// Returns whether anything of the stretch is visible.
    fn stretch(&mut self, stretch: &str, kinds: u8, reader: &PartReader) -> bool {
        let rules = &reader.analyzer.rules;
        let mut characters = std::mem::take(&mut self.scratch.stretch);
        characters.clear();
        let normal = match kinds & FOREIGN {
            0 => stretch,
            _ => rules.normalizer.apply(stretch, self.classes, &mut self.scratch.normal),
        };
        for c in normal.chars() {
            if !c.is_whitespace() && !c.is_control() {
                characters.push((c, self.classes.get(c)));
            } else if characters.last().is_some_and(|&(last, _)| last != ' ') {
                characters.push((' ', 0));
            }
        }
        if characters.last().is_some_and(|&(last, _)| last == ' ') {
            characters.pop();
        }
        if !characters.is_empty() {
            self.symbols(&characters, kinds);
            self.words(&characters);
            if kinds & (NUMBER | FOREIGN) != 0 {
                self.numbers(&characters);
                self.identifiers(&characters);
            } else if may_be_identifier(stretch.as_bytes()) {
                self.identifiers(&characters);
            }
            self.before.last = characters.last().map(|&(c, _)| c);
        }
        let is_visible = !characters.is_empty();
        self.scratch.stretch = characters;
        is_visible
    }

    fn symbols(&mut self, characters: &[Character], kinds: u8) {
        let mut push =
            |c: char| (self.emit)(TextPart::Symbols, c.encode_utf8(&mut [0; 4]).as_bytes());
        if let Some(sign) = self.before.sign.take()
            && characters[0].0.is_numeric()
        {
            push(sign);
        }
        if kinds & (PUNCTUATION | FOREIGN) == 0 {
            return;
        }
        let at = |place: usize| characters.get(place).map(|&(c, _)| c);
        let space = self.before.last.map(|_| ' ');
        for (place, &(c, class)) in characters.iter().enumerate() {
            // A mark that is a symbol too, as those that colour an emoji, is one.
            let is_mark = class & (MARK | SYMBOL) == MARK;
            if class & (WORD | UNSPACED) != 0 || is_mark || c == ' ' {
                continue;
            }
            let before = match place {
                0 => [space, self.before.last],
                1 => [at(0), space],
                _ => [at(place - 1), at(place - 2)],
            };
            let around = Around { before, after: [at(place + 1), at(place + 2)] };
            if is_operator(c, around, self.classes) {
                push(c);
            } else if place + 1 == characters.len() && is_sign(c) && around.left_is_number() {
                self.before.sign = Some(c);
            }
        }
    }

    /// Names and words with capitals, and where sentences begin.
    fn words(&mut self, characters: &[Character]) {
        let mut at = 0;
        while at < characters.len() {
            let (c, class) = characters[at];
            let start = at;
            at += 1;
            if class & UNSPACED != 0 {
                self.before.first = false;
                (self.before.short, self.before.ended) = (false, false);
            } else if class & WORD != 0 {
                while at < characters.len() && characters[at].1 & (WORD | MARK) != 0 {
                    at += 1;
                }
                self.word(&characters[start..at]);
            } else {
                self.before.ended |= match c {
                    '.' => !self.before.short,
                    '!' | '?' | '…' | '。' | '！' | '？' => true,
                    _ => false,
                };
                self.before.first |= c == ' ' && self.before.ended;
            }
        }
    }

    fn word(&mut self, word: &[Character]) {
        let is_capital = |&(_, class): &Character| class & UPPER != 0 && class & CASED != 0;
        let capitalised = is_capital(&word[0]);
        if capitalised || word.iter().any(is_capital) {
            let PartScratch { item, written, .. } = &mut *self.scratch;
            written.clear();
            written.extend(word.iter().map(|&(c, _)| c));
            (self.emit)(TextPart::Capitals, written.as_bytes());
            if capitalised && word.len() > 1 && !self.before.first {
                item.clear();
                if written.is_ascii() {
                    item.push_str(written);
                    item.make_ascii_lowercase();
                } else {
                    lower_into(written, self.classes, item);
                }
                (self.emit)(TextPart::Names, item.as_bytes());
            }
        }
        let short = capitalised && word.len() <= 3;
        self.before = Preceding { first: false, short, ended: false, ..self.before };
    }

    fn numbers(&mut self, characters: &[Character]) {
        let is_digit = |place: usize| characters.get(place).is_some_and(|c| c.1 & DIGIT != 0);
        let item = &mut self.scratch.item;
        let mut at = 0;
        while at < characters.len() {
            if !is_digit(at) {
                at += 1;
                continue;
            }
            item.clear();
            let mut point = false;
            loop {
                while is_digit(at) {
                    item.push(characters[at].0);
                    at += 1;
                }
                match characters.get(at) {
                    Some(('.', _)) if is_digit(at + 1) => {
                        point = true;
                        item.push('.');
                    }
                    Some((',', _))
                        if !point
                            && (1..=3).all(|more| is_digit(at + more))
                            && !is_digit(at + 4) => {}
                    _ => break,
                }
                at += 1;
            }
            (self.emit)(TextPart::Numbers, item.as_bytes());
        }
    }

    fn identifiers(&mut self, characters: &[Character]) {
        let mut at = 0;
        while at < characters.len() {
            if !begins_run(characters[at]) {
                at += 1;
                continue;
            }
            let start = at;
            let found = runs_from(characters, start);
            at = found.end;
            if found.is_identifier {
                let item = &mut self.scratch.item;
                item.clear();
                item.extend(characters[start..at].iter().map(|&(c, _)| c));
                (self.emit)(TextPart::Identifiers, item.as_bytes());
            }
        }
    }
}
