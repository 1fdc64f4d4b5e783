//! Symbols that change what a text says, where words alone do not show it: for a warning.
//!
//! `12 + 4` and `12 - 4`, `-1200.50` and `1200,50`, `C` and `C++` have the same words. Punctuation of
//! sentences (full stops, commas, quotation marks, dashes, parentheses) is left out: copies of prose
//! differ in it without a difference that counts.

use crate::classes::{Classes, SYMBOL, UNSPACED, WORD};
use crate::{AnalysisSettings, Analyzer, Scratch, Tokens, Unit};

/// Punctuation (`P*`) that is an operator wherever it stands.
const OPERATORS: &str = "#%&*/@\\[]{}‰＃％＆＊／＠＼";

/// Hyphens and signs that count beside a number.
const SIGNS: &str = "-\u{2010}\u{2011}\u{2012}\u{2013}－";

/// Finds the operators of texts.
#[derive(Debug)]
pub struct Operators {
    analyzer: Analyzer,
}

/// Buffers of [`Operators`].
#[derive(Debug, Default)]
pub struct OperatorScratch {
    tokens: Scratch,
    characters: Vec<char>,
}

impl Operators {
    /// The operators of texts that are compared with these settings.
    #[must_use]
    pub fn new(settings: &AnalysisSettings) -> Self {
        let tokens = Some(Tokens::Symbols);
        let unit = Unit::Char;
        Self { analyzer: Analyzer::new(&AnalysisSettings { tokens, unit, ..settings.clone() }) }
    }

    /// Pushes each operator with the number of word characters before it: symbols (`S*`), connectors
    /// (`_`), `# % & * / @ \ [ ] { }`, and, by what stands beside them, signs of numbers, points and
    /// commas between digits, and `!` before an operand or `=`. O(text).
    pub fn of(&self, text: &str, scratch: &mut OperatorScratch, mut emit: impl FnMut(char, u64)) {
        let OperatorScratch { tokens, characters } = scratch;
        characters.clear();
        self.analyzer.tokens(text, tokens, |token| {
            characters.extend(std::str::from_utf8(token).unwrap_or_default().chars());
        });
        let classes = Classes::shared();
        let mut words = 0;
        for (at, &c) in characters.iter().enumerate() {
            if is_word(c, classes) {
                words += 1;
            } else if c != ' ' {
                let before = |back: usize| at.checked_sub(back).map(|at| characters[at]);
                let after = |more: usize| characters.get(at + more).copied();
                let around = Around { before: [before(1), before(2)], after: [after(1), after(2)] };
                if is_operator(c, around, classes) {
                    emit(c, words);
                }
            }
        }
    }

    /// What stands around the word character of this number, on one line.
    #[must_use]
    pub fn excerpt(&self, text: &str, words: u64) -> String {
        const AROUND: usize = 16;
        let classes = Classes::shared();
        let (mut seen, mut place) = (0, 0);
        self.analyzer.located_tokens(text, |token, range| {
            if seen < words && token.chars().any(|c| is_word(c, classes)) {
                seen += 1;
                place = range.end;
            }
        });
        let end = text.ceil_char_boundary((place + AROUND).min(text.len()));
        let start = text.floor_char_boundary(place.saturating_sub(AROUND));
        let line: Vec<&str> = text[start..end].split_whitespace().collect();
        let (before, after) = (start > 0, end < text.len());
        let dots = |is: bool| if is { "…" } else { "" };
        format!("{}{}{}", dots(before), line.join(" "), dots(after))
    }
}

fn is_word(c: char, classes: &Classes) -> bool {
    classes.get(c) & (WORD | UNSPACED) != 0
}

/// What stands beside a character, the nearest first; white space of any length is one space.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Around {
    pub(crate) before: [Option<char>; 2],
    pub(crate) after: [Option<char>; 2],
}

impl Around {
    /// Whether a digit stands before the character, or before the space before it.
    pub(crate) fn left_is_number(&self) -> bool {
        is_digit(beyond_space(self.before))
    }
}

fn is_digit(c: Option<char>) -> bool {
    c.is_some_and(char::is_numeric)
}

fn beyond_space([next, other]: [Option<char>; 2]) -> Option<char> {
    if next == Some(' ') { other } else { next }
}

/// Whether a character is a sign if numbers stand beside it.
pub(crate) fn is_sign(c: char) -> bool {
    SIGNS.contains(c)
}

/// Whether a character outside of words is an operator.
pub(crate) fn is_operator(c: char, around: Around, classes: &Classes) -> bool {
    if classes.get(c) & SYMBOL != 0 || OPERATORS.contains(c) {
        return true;
    }
    let Around { before: [before, _], after: [after, _] } = around;
    let is_word = |c: Option<char>| c.is_some_and(|c| is_word(c, classes));
    match c {
        '.' | ',' | ':' | '\'' | '\u{66b}' | '\u{66c}' => is_digit(before) && is_digit(after),
        '!' => after == Some('=') || (is_word(after) && !is_word(before)),
        _ if is_sign(c) => {
            let between = around.left_is_number() && is_digit(beyond_space(around.after));
            (is_digit(after) && !is_word(before)) || between
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> String {
        let mut found = String::new();
        let operators = Operators::new(&AnalysisSettings::default());
        operators.of(text, &mut OperatorScratch::default(), |c, _| found.push(c));
        found
    }

    #[test]
    fn operators_are_told_from_punctuation() {
        for (text, operators) in [
            ("12 + 4", "+"),
            ("12 - 4", "-"),
            ("12 * 4 / 2", "*/"),
            ("a < b, a > b; a != b", "<>!="),
            ("-1200.50", "-."),
            ("1200,50", ","),
            ("C++ and C#", "++#"),
            ("€ 5, $ 5 and 5 %", "€$%"),
            ("fine 😀 here", "😀"),
            ("x ≤ y ∧ ¬z", "≤∧¬"),
            ("snake_case, !done, a[1]", "_![]"),
            ("Well-known: “yes”, he said - really! (1) 2020. 12 others…", ""),
            ("Stop!now", ""),
        ] {
            assert_eq!(of(text), operators, "{text}");
        }
    }

    #[test]
    fn excerpts_show_the_place_of_a_word_character() {
        let operators = Operators::new(&AnalysisSettings::default());
        assert_eq!(operators.excerpt("12 - 4", 2), "12 - 4");
        let long = format!("{}12\n-\t4 ? {}", "what is ".repeat(9), "or so ".repeat(9));
        assert_eq!(operators.excerpt(&long, 9 * 6 + 2), "…at is what is 12 - 4 ? or so or…");
        assert_eq!(operators.excerpt("", 5), "");
    }

    #[test]
    fn the_place_of_an_operator_counts() {
        let places = |text: &str| {
            let mut found = Vec::new();
            let operators = Operators::new(&AnalysisSettings::default());
            operators.of(text, &mut OperatorScratch::default(), |c, words| found.push((c, words)));
            found
        };
        assert_ne!(places("x = y z"), places("x y = z"));
        assert_eq!(places("x = y"), places("x  =\ny."));
    }
}
