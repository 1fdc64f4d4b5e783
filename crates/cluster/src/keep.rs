//! Keep rules: the order of precedence of documents.
//!
//! Seshasai 2009, section 2.6.2, chooses a cluster's *master* document by recency, quality or
//! length; a rule here does the same, and several are applied one after the other.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// Which of two near-duplicates is kept.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum KeepRule {
    /// The one that comes first in the collection (files in the order of their names).
    First,
    /// The one with the longer text.
    Longest,
    /// The one with the shorter text.
    Shortest,
    /// The one with the later date; documents without a date come last.
    Newest,
    /// The one with the earlier date; documents without a date come last.
    Oldest,
    /// The one with the greater number in a field; documents without one come last.
    Max(String),
    /// The one with the smaller number in a field; documents without one come last.
    Min(String),
}

/// Why a text is not a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeepRuleError(String);

impl fmt::Display for KeepRuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not a rule; use first, longest, shortest, newest, oldest, max:FIELD or min:FIELD",
            self.0
        )
    }
}

impl std::error::Error for KeepRuleError {}

impl FromStr for KeepRule {
    type Err = KeepRuleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text.split_once(':') {
            Some(("max", field)) if !field.is_empty() => Self::Max(field.to_owned()),
            Some(("min", field)) if !field.is_empty() => Self::Min(field.to_owned()),
            _ => match text {
                "first" => Self::First,
                "longest" => Self::Longest,
                "shortest" => Self::Shortest,
                "newest" => Self::Newest,
                "oldest" => Self::Oldest,
                _ => return Err(KeepRuleError(text.to_owned())),
            },
        })
    }
}

impl fmt::Display for KeepRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::First => f.write_str("first"),
            Self::Longest => f.write_str("longest"),
            Self::Shortest => f.write_str("shortest"),
            Self::Newest => f.write_str("newest"),
            Self::Oldest => f.write_str("oldest"),
            Self::Max(field) => write!(f, "max:{field}"),
            Self::Min(field) => write!(f, "min:{field}"),
        }
    }
}

impl KeepRule {
    /// Whether smaller values take precedence.
    #[must_use]
    pub fn prefers_small(&self) -> bool {
        matches!(self, Self::First | Self::Shortest | Self::Oldest | Self::Min(_))
    }

    /// The field whose numbers it needs, for `max:` and `min:`.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::Max(field) | Self::Min(field) => Some(field),
            _ => None,
        }
    }
}

/// Compares two values of a rule: `Less` means that the first takes precedence. NaN, a missing
/// value, comes last either way.
#[must_use]
pub fn precedence(rule: &KeepRule, a: f64, b: f64) -> Ordering {
    match (a.is_nan(), b.is_nan()) {
        (true, true) => Ordering::Equal,
        (true, false) => Ordering::Greater,
        (false, true) => Ordering::Less,
        // Both are numbers, so the comparison is defined; −0 equals 0.
        (false, false) if rule.prefers_small() => a.partial_cmp(&b).unwrap_or(Ordering::Equal),
        (false, false) => b.partial_cmp(&a).unwrap_or(Ordering::Equal),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_as_they_are_written() {
        for text in ["first", "longest", "shortest", "newest", "oldest", "max:score", "min:a:b"] {
            assert_eq!(text.parse::<KeepRule>().unwrap().to_string(), text);
        }
        for text in ["", "last", "max", "max:", "min:", "Longest", "first:x"] {
            assert!(
                text.parse::<KeepRule>().unwrap_err().to_string().contains("max:FIELD"),
                "{text}"
            );
        }
    }

    #[test]
    fn missing_values_come_last_either_way() {
        for rule in [KeepRule::Newest, KeepRule::Oldest] {
            assert_eq!(precedence(&rule, 1.0, f64::NAN), Ordering::Less);
            assert_eq!(precedence(&rule, f64::NAN, 1.0), Ordering::Greater);
        }
        assert_eq!(precedence(&KeepRule::Newest, 2.0, 1.0), Ordering::Less);
        assert_eq!(precedence(&KeepRule::Oldest, 2.0, 1.0), Ordering::Greater);
        assert_eq!(precedence(&KeepRule::Longest, 0.0, -0.0), Ordering::Equal);
    }
}
