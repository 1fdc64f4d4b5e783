//! A text or its tokens in, the terms of a document out: any combination of rules.

use super::{TermRule, Terms, special, stem};
use crate::{Analyzer, Scratch};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A set of [`TermRule`]s, written as their names joined by `+`: `stop+tg5+stem`. The empty set is
/// written `all` and keeps every token as it is.
///
/// ```
/// use lookalike_text::{AnalysisSettings, Analyzer, FilterScratch, TermFilter};
///
/// let filter: TermFilter = "stop+nosc+stem".parse()?;
/// let analyzer = Analyzer::new(&AnalysisSettings::default());
/// let mut scratch = FilterScratch::default(); // one for each thread, used again
/// let mut terms = Vec::new();
/// filter.terms(&analyzer, "The connected and/or connecting wires", &mut scratch, |term| {
///     terms.push(String::from_utf8_lossy(term).into_owned());
/// });
/// assert_eq!(terms, ["connect", "connect", "wire"]);
/// assert_eq!(filter.to_string(), "stop+nosc+stem");
/// # Ok::<(), lookalike_text::TermFilterError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TermFilter(u8);

/// Not a term filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermFilterError(String);

/// Buffers of [`TermFilter`], one for each thread.
#[derive(Debug, Clone, Default)]
pub struct FilterScratch {
    tokens: Scratch,
    text: String,
    word: Vec<u8>,
}

impl TermFilter {
    /// Keeps every token as it is.
    pub const ALL: Self = Self(0);

    /// The rules that Chowdhury et al. 2002, section 4.2, combine.
    pub const CHOWDHURY: [TermRule; 5] =
        [TermRule::Stop, TermRule::Tg5, TermRule::Tl25, TermRule::Nosc, TermRule::Stem];

    /// This filter and one more rule.
    #[must_use]
    pub const fn with(self, rule: TermRule) -> Self {
        Self(self.0 | rule.bit())
    }

    /// Is the rule part of it?
    #[must_use]
    pub const fn has(self, rule: TermRule) -> bool {
        self.0 & rule.bit() != 0
    }

    /// Its rules, in the order in which they are written.
    pub fn rules(self) -> impl Iterator<Item = TermRule> {
        TermRule::ALL.into_iter().filter(move |&rule| self.has(rule))
    }

    /// The 32 combinations of Chowdhury et al. 2002, Table II, in its order: `nothing` first, and
    /// stemming in the second half.
    pub fn table_ii() -> impl Iterator<Item = Self> {
        (0..32u8).map(|row| {
            let rules = Self::CHOWDHURY.into_iter().enumerate();
            rules
                .filter(|(bit, _)| row >> bit & 1 == 1)
                .fold(Self::ALL, |all, (_, rule)| all.with(rule))
        })
    }

    /// Pushes the terms of a text, in order, repeats included.
    ///
    /// This is the whole filter; [`TermFilter::term`] alone cannot see special characters. O(text);
    /// does not allocate once the buffers have grown.
    #[inline]
    pub fn terms<F: FnMut(&[u8])>(
        self,
        analyzer: &Analyzer,
        text: &str,
        scratch: &mut FilterScratch,
        mut emit: F,
    ) {
        let FilterScratch { tokens, text: cleaned, word } = scratch;
        let text = if self.has(TermRule::Nosc) {
            special::without_special(text, cleaned);
            cleaned
        } else {
            text
        };
        if self.0 & !TermRule::Nosc.bit() == 0 {
            analyzer.tokens(text, tokens, emit);
        } else {
            analyzer.tokens(text, tokens, |token| {
                if let Some(term) = self.judge(token, word) {
                    emit(term);
                }
            });
        }
    }

    /// Filters one token: `None` if it is dropped, else its term.
    ///
    /// For tokens whose text is gone: every rule but [`TermRule::Nosc`], which looks at what is
    /// between the tokens. Does not allocate once the buffer has grown.
    #[inline]
    #[must_use]
    pub fn term<'a>(self, token: &'a [u8], scratch: &'a mut FilterScratch) -> Option<&'a [u8]> {
        self.judge(token, &mut scratch.word)
    }

    /// Does every rule keep the token? Written out, the cheap ones first, so that each test is of a
    /// constant rule.
    #[inline]
    fn keeps(self, token: &[u8]) -> bool {
        let passes = |rule: TermRule| !self.has(rule) || rule.keeps(token);
        passes(TermRule::Tg5)
            && passes(TermRule::Tl25)
            && passes(TermRule::Kolcz)
            && passes(TermRule::NoNumbers)
            && passes(TermRule::NoDates)
            && passes(TermRule::Stop)
    }

    #[inline]
    fn judge<'a>(self, token: &'a [u8], word: &'a mut Vec<u8>) -> Option<&'a [u8]> {
        if !self.keeps(token) {
            return None;
        }
        if !self.has(TermRule::Stem) {
            return Some(token);
        }
        word.clear();
        word.extend_from_slice(token);
        stem::stem(word);
        Some(word)
    }
}

impl From<Terms> for TermFilter {
    fn from(terms: Terms) -> Self {
        match terms {
            Terms::All => Self::ALL,
            Terms::Kolcz => Self::ALL.with(TermRule::Kolcz),
        }
    }
}

impl FromStr for TermFilter {
    type Err = TermFilterError;

    /// Names in any order; those of Table II (`sw`, `nothing`) are understood, too.
    fn from_str(text: &str) -> Result<Self, TermFilterError> {
        if matches!(text, "" | "all" | "nothing") {
            return Ok(Self::ALL);
        }
        text.split('+').try_fold(Self::ALL, |filter, name| {
            let name = if name == "sw" { "stop" } else { name };
            let rule = TermRule::ALL.into_iter().find(|rule| rule.name() == name);
            rule.map(|rule| filter.with(rule)).ok_or_else(|| TermFilterError(name.to_owned()))
        })
    }
}

impl TryFrom<String> for TermFilter {
    type Error = TermFilterError;

    fn try_from(text: String) -> Result<Self, TermFilterError> {
        text.parse()
    }
}

impl From<TermFilter> for String {
    fn from(filter: TermFilter) -> Self {
        filter.to_string()
    }
}

impl fmt::Display for TermFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::ALL {
            return f.write_str("all");
        }
        for (index, rule) in self.rules().enumerate() {
            if index > 0 {
                f.write_str("+")?;
            }
            f.write_str(rule.name())?;
        }
        Ok(())
    }
}

impl fmt::Debug for TermFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TermFilter({self})")
    }
}

impl fmt::Display for TermFilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = TermRule::ALL.into_iter().map(TermRule::name).collect();
        write!(f, "there is no term filter {:?}; join any of {} by +", self.0, names.join(", "))
    }
}

impl std::error::Error for TermFilterError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AnalysisSettings;
    use proptest::prelude::*;

    const TEXT: &str = "The 3 quick-witted foxes aren't jumping over http://example.org in \
        December 2024, said Pneumonoultramicroscopicsilicovolcanoconiosis.";

    fn terms(filter: &str, text: &str) -> String {
        let filter: TermFilter = filter.parse().unwrap();
        let analyzer = Analyzer::new(&AnalysisSettings::default());
        let mut words = Vec::new();
        filter.terms(&analyzer, text, &mut FilterScratch::default(), |term| {
            words.push(String::from_utf8(term.to_vec()).unwrap());
        });
        words.join(" ")
    }

    #[test]
    fn each_rule_on_one_sentence() {
        let long = "pneumonoultramicroscopicsilicovolcanoconiosis";
        for (filter, expected) in [
            ("stop", format!("3 quick witted foxes jumping http org december 2024 {long}")),
            ("tg5", format!("quick witted foxes jumping example december {long}")),
            ("tl25", "the 3 quick witted foxes aren t jumping over http example org in december 2024 said".into()),
            ("nosc", format!("the 3 foxes aren t jumping over in december 2024 said {long}")),
            ("no-numbers", format!("the quick witted foxes aren t jumping over http example org in december said {long}")),
            ("no-dates", format!("the 3 quick witted foxes aren t jumping over http example org in said {long}")),
            ("stop+nosc+tl25+tg5+stem", "fox jump decemb".into()),
            ("kolcz+no-dates+tl25", "quick witted foxes aren jumping over http example said".into()),
        ] {
            assert_eq!(terms(filter, TEXT), expected, "{filter}");
        }
    }

    #[test]
    fn table_ii_has_32_rows_that_differ() {
        let rows: Vec<TermFilter> = TermFilter::table_ii().collect();
        let distinct: std::collections::HashSet<_> = rows.iter().collect();
        assert_eq!((rows.len(), distinct.len()), (32, 32));
        assert_eq!(rows[0], TermFilter::ALL);
        assert!(rows[16..].iter().all(|row| row.has(TermRule::Stem)));
        assert_eq!(rows[7].to_string(), "stop+tg5+tl25");
        assert_eq!(rows[31].to_string(), "stop+tg5+tl25+nosc+stem");
    }

    #[test]
    fn text_and_back() {
        for bits in 0..=u8::MAX {
            let filter = TermFilter(bits);
            assert_eq!(filter.to_string().parse(), Ok(filter));
        }
        assert_eq!("sw+tg5".parse::<TermFilter>().unwrap().to_string(), "stop+tg5");
        let error = "stop+steam".parse::<TermFilter>().unwrap_err().to_string();
        assert!(error.contains("\"steam\"") && error.contains("no-dates"), "{error}");
        assert!("stop+".parse::<TermFilter>().is_err());
        assert_eq!(TermFilter::from(Terms::Kolcz).to_string(), "kolcz");
    }

    proptest! {
        /// More rules never keep more, and but for stemming a kept token is kept as it is.
        #[test]
        fn rules_only_take_away(bits: u8, more in 0..8usize, token in "[a-zäß0-9]{1,30}") {
            let fewer = TermFilter(bits);
            let rule = TermRule::ALL[more];
            let (mut one, mut two) = (FilterScratch::default(), FilterScratch::default());
            let before = fewer.term(token.as_bytes(), &mut one);
            let after = fewer.with(rule).term(token.as_bytes(), &mut two);
            prop_assert!(before.is_some() || after.is_none());
            if rule != TermRule::Stem && after.is_some() {
                prop_assert_eq!(before, after);
            }
            if !fewer.has(TermRule::Stem) {
                prop_assert!(before.is_none_or(|term| term == token.as_bytes()));
            }
        }

        /// The rules written out are all rules.
        #[test]
        fn every_rule_is_asked(bits: u8, token in "[a-z0-9ö]{1,30}|the|june|would|1999") {
            let filter = TermFilter(bits);
            let token = token.as_bytes();
            prop_assert_eq!(filter.keeps(token), filter.rules().all(|rule| rule.keeps(token)));
        }

        /// The filter of Kołcz is the `Terms` that the exact measures use.
        #[test]
        fn kolcz_is_one_filter(token in "[a-z0-9²½漢]{0,6}") {
            let filter = TermFilter::from(Terms::Kolcz);
            let kept = filter.term(token.as_bytes(), &mut FilterScratch::default()).is_some();
            prop_assert_eq!(kept, Terms::Kolcz.keeps(token.as_bytes()));
        }
    }
}
