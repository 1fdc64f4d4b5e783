//! Which part of an alternative holds the content: the plain text or the HTML.
//!
//! Mail programs write a text beside the HTML that says the same, or that the reader's program shows
//! no HTML. By the distinct words of both, as they are compared:
//!
//! * plain text that has two thirds of the words of the HTML is taken (all of them, if `html` or
//!   `mime` is one of its own words, which is the mark of a stub);
//! * otherwise the HTML is, if it has half as many words as the plain text, or this is a stub;
//! * otherwise both are: a short page beside a long text that has other words.

use std::collections::HashSet;

use lookalike_text::{AnalysisSettings, Analyzer, Scratch};

/// What is taken of two alternatives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    Plain,
    Html,
    Both,
}

/// Makes choices.
#[derive(Debug, Default)]
pub(super) struct Chooser {
    analyzer: Option<Analyzer>,
    scratch: Scratch,
}

impl Chooser {
    /// Chooses between a plain text and the text of HTML.
    pub(super) fn choose(&mut self, plain: &str, html: &str) -> Taken {
        let (plain, html) = (self.words(plain), self.words(html));
        if html.is_empty() {
            return Taken::Plain;
        }
        if plain.is_empty() {
            return Taken::Html;
        }
        let is_stub = [&b"html"[..], b"mime"].iter().any(|word| plain.contains(*word));
        let both = html.intersection(&plain).count();
        let enough = if is_stub { both == html.len() } else { 3 * both >= 2 * html.len() };
        if enough {
            Taken::Plain
        } else if is_stub || 2 * html.len() >= plain.len() {
            Taken::Html
        } else {
            Taken::Both
        }
    }

    /// The distinct words of a text.
    fn words(&mut self, text: &str) -> HashSet<Vec<u8>> {
        let analyzer =
            self.analyzer.get_or_insert_with(|| Analyzer::new(&AnalysisSettings::default()));
        let mut words = HashSet::new();
        analyzer.tokens(text, &mut self.scratch, |word| {
            if !words.contains(word) {
                words.insert(word.to_vec());
            }
        });
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_with_the_content_is_taken() {
        let many: String = (0..100).map(|number| format!("word{number} ")).collect();
        for (plain, html, expected) in [
            ("one two three", "One two three.", Taken::Plain),
            ("one two three http://a.example/x", "one two three click", Taken::Plain),
            ("This message is in HTML format", "invoice", Taken::Html),
            (&*format!("{many} MIME"), "invoice word7", Taken::Html),
            ("one two", "three four five six", Taken::Html),
            ("see our page", &many, Taken::Html),
            (&*many, "view in a browser", Taken::Both),
            ("one", "", Taken::Plain),
            (" \u{200b}", "one", Taken::Html),
            ("html has all words", "HTML has all words", Taken::Plain),
        ] {
            assert_eq!(Chooser::default().choose(plain, html), expected, "{plain} / {html}");
        }
    }
}
