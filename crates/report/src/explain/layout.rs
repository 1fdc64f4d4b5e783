//! Breaks coloured runs of text into lines of a given width.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Colour of a run of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ink {
    Plain,
    Strong,
    Faint,
    Removed,
    Added,
}

impl Ink {
    fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Strong => "\x1b[1m",
            Self::Faint => "\x1b[2m",
            Self::Removed => "\x1b[31m",
            Self::Added => "\x1b[32m",
        }
    }

    /// The text in this ink, if colours are enabled.
    pub(super) fn paint(self, text: &str, colour: bool) -> String {
        match (colour, self.code()) {
            (false, _) | (_, "") => text.to_owned(),
            (true, code) => format!("{code}{text}\x1b[0m"),
        }
    }
}

/// Width of a text on a terminal, in columns.
pub(super) fn columns(text: &str) -> usize {
    text.width()
}

/// Breaks runs into lines of at most `width` columns: at white space if there is any, else inside a
/// word. Line breaks in the text count as spaces.
pub(super) fn wrap(runs: &[(Ink, String)], width: usize, colour: bool) -> Vec<String> {
    let width = width.max(8);
    let mut lines = vec![Line::default()];
    for word in words(runs) {
        let wide = word.iter().map(|(_, text)| columns(text)).sum::<usize>();
        let line = lines.last_mut();
        let used = line.as_ref().map_or(0, |line| line.columns);
        if used > 0 && used + 1 + wide > width {
            lines.push(Line::default());
        } else if used > 0
            && let Some(line) = line
        {
            line.space();
        }
        for (ink, text) in word {
            for c in text.chars() {
                let wide = c.width().unwrap_or(0);
                if lines.last().is_some_and(|line| line.columns + wide > width) {
                    lines.push(Line::default());
                }
                if let Some(line) = lines.last_mut() {
                    line.push(ink, c, wide);
                }
            }
        }
    }
    lines.into_iter().map(|line| line.finish(colour)).collect()
}

/// The runs cut at white space; a word may have several inks.
fn words(runs: &[(Ink, String)]) -> Vec<Vec<(Ink, &str)>> {
    let mut words: Vec<Vec<(Ink, &str)>> = Vec::new();
    let mut open = false;
    for (ink, text) in runs {
        for (at, part) in text.split(char::is_whitespace).enumerate() {
            open &= at == 0;
            if part.is_empty() {
                continue;
            }
            match words.last_mut() {
                Some(word) if open => word.push((*ink, part)),
                _ => words.push(vec![(*ink, part)]),
            }
            open = true;
        }
    }
    words
}

#[derive(Default)]
struct Line {
    runs: Vec<(Ink, String)>,
    columns: usize,
}

impl Line {
    /// Appends a space in the ink of the text before it.
    fn space(&mut self) {
        if let Some((_, text)) = self.runs.last_mut() {
            text.push(' ');
            self.columns += 1;
        }
    }

    fn push(&mut self, ink: Ink, c: char, wide: usize) {
        match self.runs.last_mut() {
            Some((last, text)) if *last == ink => text.push(c),
            _ => self.runs.push((ink, c.to_string())),
        }
        self.columns += wide;
    }

    fn finish(self, colour: bool) -> String {
        self.runs.iter().map(|(ink, text)| ink.paint(text, colour)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str, width: usize) -> Vec<String> {
        wrap(&[(Ink::Plain, text.to_owned())], width, false)
    }

    #[test]
    fn lines_break_at_spaces_and_inside_words_only_when_they_must() {
        assert_eq!(plain("the quick brown fox", 10), ["the quick", "brown fox"]);
        assert_eq!(plain("abcdefghijklmnop", 10), ["abcdefghij", "klmnop"]);
        assert_eq!(plain("", 10), [""]);
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(plain("漢字漢字漢字", 8), ["漢字漢字", "漢字"]);
    }

    #[test]
    fn runs_without_a_space_between_them_stay_together() {
        let runs = [
            (Ink::Plain, "say (".into()),
            (Ink::Removed, "old word".into()),
            (Ink::Plain, ")".into()),
        ];
        assert_eq!(wrap(&runs, 10, false), ["say (old", "word)"]);
        assert_eq!(wrap(&runs, 40, true), ["say (\x1b[31mold word\x1b[0m)"]);
    }
}
