//! Tokens in, whether each counts as a term out: for measures on distinct terms.
//!
//! Kołcz and Chowdhury 2008, sections 6.3 and 6.4, compare documents by their distinct terms of at
//! least four characters with at most one digit: short words are not distinctive, and numbers
//! change between copies of the same text. The paper does not define digits; here they are those of
//! Unicode (`Numeric_Type` `Decimal` or `Digit`, so `²` and `①` but not `½` or `四`), as Python's
//! `str.isdigit` does.

use crate::classes::{Classes, DIGIT};
use serde::{Deserialize, Serialize};

/// Which tokens count as terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Terms {
    /// Every token.
    #[default]
    All,
    /// Tokens of at least four characters (code points) with at most one digit (`²` is one, `½` is
    /// not).
    Kolcz,
}

impl Terms {
    /// Does this token count? The bytes are a token's, so UTF-8; others never count under `Kolcz`.
    #[inline]
    #[must_use]
    pub fn keeps(&self, token: &[u8]) -> bool {
        match self {
            Self::All => true,
            Self::Kolcz if token.is_ascii() => {
                token.len() >= 4 && token.iter().filter(|byte| byte.is_ascii_digit()).count() <= 1
            }
            Self::Kolcz => std::str::from_utf8(token).is_ok_and(|token| {
                let classes = Classes::shared();
                let digits = token.chars().filter(|&c| classes.get(c) & DIGIT != 0);
                token.chars().count() >= 4 && digits.count() <= 1
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_characters_and_one_digit_are_kept() {
        for kept in ["four", "web2", "größe", "2fast", "слова", "漢字漢字", "cup½½"] {
            assert!(Terms::Kolcz.keeps(kept.as_bytes()), "{kept}");
        }
        for dropped in ["", "the", "äöü", "mp34", "2024", "a٣٤b", "cm²³", "漢字"] {
            assert!(!Terms::Kolcz.keeps(dropped.as_bytes()), "{dropped}");
            assert!(Terms::All.keeps(dropped.as_bytes()));
        }
        assert!(!Terms::Kolcz.keeps(b"\xff\xff\xff\xff\xff"));
    }
}
