//! Files in, their words and sentences out, ready to be copied into JSON.
//!
//! A word is a run between white space (cut where it is very long, as text without spaces is).
//! Words are kept with JSON's escapes already made: they are copied far more often than they are
//! read.

use super::{BREAK, Words};
use lookalike_io::input::InputError;
use lookalike_io::source::VisitScratch;
use lookalike_io::{Content, DiscoverOptions, Inputs, Item};
use lookalike_testing::prng::Prng;
use lookalike_text::{decode_html, decode_text, extract};
use std::collections::HashSet;
use std::ops::Range;

/// Longest word in bytes.
const LONGEST_WORD: usize = 60;

/// A sentence goes on over a full stop that comes before this many words (`e.g.`, `J. R. R.`)...
const SHORTEST_SENTENCE: usize = 5;

/// ...and ends here in any case, so that text without full stops can be spliced too.
const LONGEST_SENTENCE: usize = 40;

/// A sentence of the stock goes on over sentences of the sources (headings, items of lists) until
/// it has this many words.
const SHORTEST_IN_STOCK: usize = 12;

/// How often a word of a spliced sentence is replaced, in millionths.
const REPLACED: u32 = 250_000;

/// Why there are no sources.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// A file could not be found or read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A record or file could not be used.
    #[error("{0}")]
    Problem(#[from] lookalike_io::Problem),
    /// Too little to draw from.
    #[error("the sources hold {0} words; give at least 100")]
    TooShort(usize),
    /// More than can be numbered.
    #[error("the sources hold more than 4 GB of text; give fewer")]
    TooLong,
}

/// The text that collections are made of.
#[derive(Debug, Default)]
pub struct Sources {
    /// All words, one behind the other.
    text: Vec<u8>,
    /// Where each word starts, and the end of the last.
    starts: Vec<u32>,
    /// The words of each sentence; every sentence once, however often it stands in the files.
    sentences: Vec<Range<u32>>,
    /// Names of the files, each with its first word.
    names: Vec<(String, u32)>,
}

impl Sources {
    /// Reads files and directories, in all forms that the command reads.
    ///
    /// # Errors
    /// Files that cannot be read, and less text than makes sense.
    pub fn read(arguments: &[String]) -> Result<Self, SourceError> {
        let inputs = Inputs::discover(arguments, DiscoverOptions::default())?;
        let mut sources = Self { starts: vec![0], ..Self::default() };
        let mut scratch = VisitScratch::default();
        let mut outcome = Ok(());
        for chunk in inputs.chunks() {
            chunk.whole()?.visit(&inputs, &mut scratch, &mut |item| match item {
                // Samples hold bad records on purpose; what is left of them is text enough.
                Item::Bad(_) => {}
                Item::Failed(failure) => outcome = Err(failure.into_problem().into()),
                Item::Record(record) => {
                    let file = record.file as usize;
                    let name = inputs.files.get(file).map_or("", |file| file.name.as_str());
                    let added = match &record.content {
                        Content::Text(text) => sources.add(name, text),
                        Content::TextBytes(bytes) => sources.add(name, &decode_text(bytes).text),
                        Content::Html(html) => sources.add(name, &extract(html).text),
                        Content::Features(_) => Ok(()),
                        Content::HtmlBytes(bytes) => {
                            sources.add(name, &extract(&decode_html(bytes).text).text)
                        }
                    };
                    if added.is_err() {
                        outcome = added;
                    }
                }
            });
        }
        outcome?;
        sources.check()
    }

    /// Takes one text.
    ///
    /// # Errors
    /// Less text than makes sense.
    pub fn from_text(name: &str, text: &str) -> Result<Self, SourceError> {
        let mut sources = Self { starts: vec![0], ..Self::default() };
        sources.add(name, text)?;
        sources.check()
    }

    fn check(mut self) -> Result<Self, SourceError> {
        if self.len() < 100 {
            return Err(SourceError::TooShort(self.len()));
        }
        // A licence that stands in every directory must not stand in every document.
        let mut seen = HashSet::new();
        let (text, starts) = (&self.text, &self.starts);
        self.sentences.retain(|words| {
            seen.insert(
                &text[starts[words.start as usize] as usize..starts[words.end as usize] as usize],
            )
        });
        Ok(self)
    }

    /// Number of words.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The bytes of a word, with JSON's escapes.
    #[inline]
    pub(super) fn word(&self, word: u32) -> &[u8] {
        let at = word as usize;
        &self.text[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// Name of the file that a word is from.
    pub(super) fn name_of(&self, word: u32) -> &str {
        let behind = self.names.partition_point(|&(_, first)| first <= word);
        self.names.get(behind.saturating_sub(1)).map_or("", |(name, _)| name)
    }

    /// Some word, each as likely as it is frequent.
    #[inline]
    pub(super) fn draw(&self, prng: &mut Prng) -> u32 {
        prng.below(self.len()) as u32
    }

    /// The words of all sentences, each sentence once.
    pub(super) fn sentence_words(&self) -> impl Iterator<Item = u32> + '_ {
        self.sentences.iter().cloned().flatten()
    }

    /// Appends this many words of spliced text.
    pub(super) fn splice(&self, words: usize, prng: &mut Prng, out: &mut Words) {
        let end = out.len() + words;
        while out.len() < end {
            let first = prng.below(self.sentences.len());
            let behind = (first + prng.between(1, 4)).min(self.sentences.len());
            for word in self.sentences[first..behind].iter().cloned().flatten() {
                out.push(if prng.happens(REPLACED) { self.draw(prng) } else { word });
            }
            out.push(BREAK);
        }
        out.truncate(end);
    }

    /// Appends sentence `number` of a stock that has as many as are asked for: sentences of the
    /// sources with every fourth word replaced, whose words depend on the seed and the number
    /// alone.
    pub(super) fn stock_sentence(&self, seed: u64, number: u64, out: &mut Words) {
        let mut prng = Prng::new(Prng::new(seed ^ number.rotate_left(32)).bits());
        let end = out.len() + SHORTEST_IN_STOCK;
        let mut next = prng.below(self.sentences.len());
        while out.len() < end {
            for word in self.sentences[next].clone() {
                out.push(if prng.happens(REPLACED) { self.draw(&mut prng) } else { word });
            }
            next = (next + 1) % self.sentences.len();
        }
    }

    fn add(&mut self, name: &str, text: &str) -> Result<(), SourceError> {
        let name = plain_name(name);
        if self.names.last().is_none_or(|(last, _)| *last != name) {
            self.names.push((name, self.len() as u32));
        }
        for line in text.lines() {
            let mut start = self.len() as u32;
            for word in line.split_whitespace() {
                let mut rest = word;
                while !rest.is_empty() {
                    let (part, behind) = rest.split_at(rest.floor_char_boundary(LONGEST_WORD));
                    self.push(part)?;
                    rest = behind;
                }
                let length = self.len() - start as usize;
                let stop = word.trim_end_matches(['"', '\'', ')', '”', '’', '»']);
                let ends = stop.ends_with(['.', '!', '?', '。', '।', '؟']);
                if (ends && length >= SHORTEST_SENTENCE) || length >= LONGEST_SENTENCE {
                    self.end_sentence(&mut start);
                }
            }
            self.end_sentence(&mut start);
        }
        Ok(())
    }

    /// What stands behind `start` is a sentence; the next one starts behind it.
    fn end_sentence(&mut self, start: &mut u32) {
        let end = self.len() as u32;
        if *start < end {
            self.sentences.push(*start..end);
            *start = end;
        }
    }

    /// Appends a word if there is anything of it that can stand in JSON.
    fn push(&mut self, word: &str) -> Result<(), SourceError> {
        let before = self.text.len();
        let mut utf8 = [0; 4];
        for character in word.chars().filter(|character| !character.is_control()) {
            if matches!(character, '"' | '\\') {
                self.text.push(b'\\');
            }
            self.text.extend_from_slice(character.encode_utf8(&mut utf8).as_bytes());
        }
        if self.text.len() > before {
            self.starts.push(u32::try_from(self.text.len()).map_err(|_| SourceError::TooLong)?);
        }
        Ok(())
    }
}

/// The last part of a name, in characters that can stand in JSON and in an address as they are.
fn plain_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    name.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_at_full_stops_and_lines() {
        let text = "One two, e.g. four five six seven. Eight \"nine\" ten eleven twelve!) Thirteen\nfourteen\n\n";
        let mut sources = Sources { starts: vec![0], ..Sources::default() };
        sources.add("a b", text).unwrap();
        let firsts = sources.sentences.iter().map(|words| sources.word(words.start));
        let firsts: Vec<&str> = firsts.map(|word| std::str::from_utf8(word).unwrap()).collect();
        assert_eq!(firsts, ["One", "Eight", "Thirteen", "fourteen"]);
        assert_eq!(sources.word(8), b"\\\"nine\\\"");
        assert_eq!(sources.name_of(3), "a-b");
        assert!(matches!(sources.check(), Err(SourceError::TooShort(14))));
    }

    #[test]
    fn long_words_are_cut_between_characters() {
        let mut sources = Sources { starts: vec![0], ..Sources::default() };
        sources.add("a", &"東".repeat(50)).unwrap();
        assert_eq!((sources.len(), sources.sentences.len()), (3, 1));
        assert_eq!(sources.word(2), "東".repeat(10).as_bytes());
    }
}
