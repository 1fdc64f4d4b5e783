//! A token in, whether one rule keeps it out.

use super::{Terms, date, stop};
use crate::classes::{Classes, DIGIT};

/// One rule of a [`TermFilter`](super::TermFilter).
///
/// Every rule but the last applies to the token as in the text; stemming is last, since stop lists
/// and word lengths are those of whole words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum TermRule {
    /// Drops the stop words of the SMART system (Chowdhury's *sw*).
    Stop,
    /// Drops terms of fewer than five characters.
    Tg5,
    /// Drops terms of more than 25 characters.
    Tl25,
    /// Drops what white space delimits and a special character is inside of (`and/or`, `x=1`,
    /// `on-line`).
    Nosc,
    /// Drops terms of fewer than four characters or with more than one digit ([`Terms::Kolcz`]).
    Kolcz,
    /// Drops terms with a digit in them.
    NoNumbers,
    /// Drops names of months and days, years, clock times and the like.
    NoDates,
    /// Replaces English words by their stems (Porter 1980).
    Stem,
}

impl TermRule {
    /// Every rule, in the order in which a filter is written.
    pub const ALL: [Self; 8] = [
        Self::Stop,
        Self::Tg5,
        Self::Tl25,
        Self::Nosc,
        Self::Kolcz,
        Self::NoNumbers,
        Self::NoDates,
        Self::Stem,
    ];

    /// Its name in the text form of a filter.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Tg5 => "tg5",
            Self::Tl25 => "tl25",
            Self::Nosc => "nosc",
            Self::Kolcz => "kolcz",
            Self::NoNumbers => "no-numbers",
            Self::NoDates => "no-dates",
            Self::Stem => "stem",
        }
    }

    /// One line of help.
    #[must_use]
    pub fn summary(self) -> &'static str {
        match self {
            Self::Stop => "no stop words (the 571 of the SMART system)",
            Self::Tg5 => "no terms under 5 characters",
            Self::Tl25 => "no terms over 25 characters",
            Self::Nosc => "nothing with a special character inside, such as and/or",
            Self::Kolcz => "at least 4 characters and at most one digit",
            Self::NoNumbers => "no terms with a digit",
            Self::NoDates => "no months, days, years and times",
            Self::Stem => "English words as their Porter stems",
        }
    }

    /// Its bit in a set of rules.
    pub(super) const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// Does the rule keep this token? Rules that do not judge a token by itself keep all.
    #[inline(always)]
    pub(super) fn keeps(self, token: &[u8]) -> bool {
        match self {
            Self::Stop => !stop::is_stop_word(token),
            Self::Tg5 => characters(token) >= 5,
            Self::Tl25 => characters(token) <= 25,
            Self::Kolcz => Terms::Kolcz.keeps(token),
            Self::NoNumbers => !has_digit(token),
            Self::NoDates => !date::is_date(token),
            Self::Nosc | Self::Stem => true,
        }
    }
}

/// Code points of UTF-8 bytes: all but the continuation bytes.
fn characters(token: &[u8]) -> usize {
    token.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

fn has_digit(token: &[u8]) -> bool {
    if token.is_ascii() {
        return token.iter().any(u8::is_ascii_digit);
    }
    let classes = Classes::shared();
    std::str::from_utf8(token).is_ok_and(|token| token.chars().any(|c| classes.get(c) & DIGIT != 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keeps(rule: TermRule, token: &str) -> bool {
        rule.keeps(token.as_bytes())
    }

    #[test]
    fn lengths_are_counted_in_characters() {
        assert!(!keeps(TermRule::Tg5, "four"));
        assert!(keeps(TermRule::Tg5, "fives"));
        assert!(!keeps(TermRule::Tg5, "größ"));
        assert!(keeps(TermRule::Tg5, "größe"));
        let longest = "ö".repeat(25);
        assert!(keeps(TermRule::Tl25, &longest));
        assert!(!keeps(TermRule::Tl25, &(longest + "s")));
    }

    #[test]
    fn a_digit_makes_a_number_in_any_script() {
        for dropped in ["2024", "b2b", "m²", "٣"] {
            assert!(!keeps(TermRule::NoNumbers, dropped), "{dropped}");
        }
        for kept in ["billion", "größe", "四"] {
            assert!(keeps(TermRule::NoNumbers, kept), "{kept}");
        }
    }
}
