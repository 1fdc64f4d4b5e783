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
            } else if c != ' ' && is_operator(characters, at, classes) {
                emit(c, words);
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

fn is_operator(text: &[char], at: usize, classes: &Classes) -> bool {
    let c = text[at];
    if classes.get(c) & SYMBOL != 0 || OPERATORS.contains(c) {
        return true;
    }
    let before = at.checked_sub(1).map(|at| text[at]);
    let after = text.get(at + 1).copied();
    let is_digit = |c: Option<char>| c.is_some_and(char::is_numeric);
    let is_word = |c: Option<char>| c.is_some_and(|c| is_word(c, classes));
    match c {
        '.' | ',' | ':' | '\'' | '\u{66b}' | '\u{66c}' => is_digit(before) && is_digit(after),
        '!' => after == Some('=') || (is_word(after) && !is_word(before)),
        _ if SIGNS.contains(c) => {
            let beyond = |space: Option<char>, at: Option<usize>| match space {
                Some(' ') => at.and_then(|at| text.get(at).copied()),
                other => other,
            };
            let (left, right) = (beyond(before, at.checked_sub(2)), beyond(after, Some(at + 2)));
            (is_digit(after) && !is_word(before)) || (is_digit(left) && is_digit(right))
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
