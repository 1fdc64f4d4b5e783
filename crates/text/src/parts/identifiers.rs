//! Identifiers of a stretch: runs of letters, digits and `_` that belong together
//! ([`super::TextPart::Identifiers`]).

use crate::classes::{CASED, DIGIT, MARK, UPPER, WORD};
use std::ops::Range;

/// A character and its class.
pub(super) type Character = (char, u16);

/// Whether a run may begin with a character.
pub(super) fn begins_run((c, class): Character) -> bool {
    c == '_' || class & WORD != 0
}

/// Runs that belong together.
pub(super) struct Runs {
    pub(super) end: usize,
    pub(super) is_identifier: bool,
}

/// The runs from `start` on, where one begins.
pub(super) fn runs_from(characters: &[Character], start: usize) -> Runs {
    let is_letter = |class: u16| class & WORD != 0 && class & DIGIT == 0;
    let starts_with_digit = |at: usize| {
        characters.get(at).is_some_and(|&(_, class)| class & WORD != 0 && class & DIGIT != 0)
    };
    let mut run = run_from(characters, start);
    let first_has_letter = characters[run.clone()].iter().any(|&(_, class)| is_letter(class));
    let (mut has_letter, mut is_identifier) = (false, false);
    let (mut points, mut hyphens) = (0, 0);
    loop {
        let of_run = &characters[run.clone()];
        let word = of_run.iter().any(|&(_, class)| class & WORD != 0);
        has_letter |= of_run.iter().any(|&(_, class)| is_letter(class));
        is_identifier |= word && of_run.iter().any(|&(c, _)| c == '_')
            || of_run.windows(2).any(|pair| {
                let (before, after) = (pair[0].1, pair[1].1);
                let cased = before & after & CASED != 0;
                cased && before & UPPER == 0 && after & UPPER != 0
                    || is_letter(before) && after & WORD != 0 && after & DIGIT != 0
            });
        match characters.get(run.end) {
            Some((c @ ('-' | '.'), _)) if starts_with_digit(run.end + 1) => {
                let joins = if *c == '-' { &mut hyphens } else { &mut points };
                *joins += 1;
                run = run_from(characters, run.end + 1);
            }
            _ => break,
        }
    }
    is_identifier |= first_has_letter && hyphens > 0 || !has_letter && (points > 0 || hyphens > 1);
    Runs { end: run.end, is_identifier }
}

fn run_from(characters: &[Character], start: usize) -> Range<usize> {
    let rest = &characters[start..];
    let length =
        rest.iter().take_while(|&&(c, class)| c == '_' || class & (WORD | MARK) != 0).count();
    start..start + length
}
