//! Keep rules: the order of precedence of documents.
//!
//! Seshasai 2009, section 2.6.2, chooses a cluster's *master* document by recency, quality or
//! length; a rule here does the same, and several are applied one after the other.

use crate::preference;
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
    /// The one whose field holds one of these values, of several the one that is named first; all
    /// other documents come last, and tie.
    Prefer {
        /// The field.
        field: String,
        /// The values, at least one, in order of preference.
        values: Vec<String>,
    },
}

/// Why a text is not a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeepRuleError(String);

impl fmt::Display for KeepRuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not a rule; use first, longest, shortest, newest, oldest, max:FIELD, min:FIELD or \
             prefer(FIELD=VALUE|VALUE) (quote values that contain one of `|),\"`)",
            self.0
        )
    }
}

impl std::error::Error for KeepRuleError {}

impl FromStr for KeepRule {
    type Err = KeepRuleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(inner) = text.strip_prefix("prefer(") {
            let (field, values) =
                preference::parse(inner).ok_or_else(|| KeepRuleError(text.to_owned()))?;
            return Ok(Self::Prefer { field, values });
        }
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
            Self::Prefer { field, values } => preference::write(field, values, f),
        }
    }
}

impl KeepRule {
    /// Whether smaller values take precedence.
    #[must_use]
    pub fn prefers_small(&self) -> bool {
        matches!(
            self,
            Self::First | Self::Shortest | Self::Oldest | Self::Min(_) | Self::Prefer { .. }
        )
    }

    /// Whether the values of its field may be texts.
    #[must_use]
    pub fn compares_texts(&self) -> bool {
        matches!(self, Self::Prefer { .. })
    }

    /// The field whose values it needs, for `max:`, `min:` and `prefer(…)`.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::Max(field) | Self::Min(field) | Self::Prefer { field, .. } => Some(field),
            _ => None,
        }
    }
}

/// The rules of a list such as `prefer(source=wiki|books),longest`: commas in parentheses or
/// quotation marks separate nothing.
///
/// ```
/// use lookalike_cluster::keep_rules;
///
/// let rules = keep_rules(r#"prefer(source=wiki|"a, b"), longest"#)?;
/// assert_eq!(rules[0].to_string(), r#"prefer(source=wiki|"a, b")"#);
/// assert_eq!(rules[1].to_string(), "longest");
/// # Ok::<(), lookalike_cluster::KeepRuleError>(())
/// ```
///
/// # Errors
/// A rule that does not exist.
pub fn keep_rules(list: &str) -> Result<Vec<KeepRule>, KeepRuleError> {
    let (mut rules, mut rest) = (Vec::new(), list);
    loop {
        let end = preference::end_of_rule(rest);
        rules.push(rest[..end].trim().parse()?);
        match rest[end..].strip_prefix(',') {
            Some(more) => rest = more,
            None => return Ok(rules),
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
        for text in [
            "first",
            "longest",
            "shortest",
            "newest",
            "oldest",
            "max:score",
            "min:a:b",
            "prefer(source=wiki)",
            "prefer(meta.source=wiki|\"a|b\"|\"\")",
        ] {
            assert_eq!(text.parse::<KeepRule>().unwrap().to_string(), text);
        }
        for text in ["", "last", "max", "max:", "min:", "Longest", "first:x", "prefer", "prefer()"]
        {
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

    fn prefer(field: &str, values: &[&str]) -> KeepRule {
        let values = values.iter().map(ToString::to_string).collect();
        KeepRule::Prefer { field: field.to_owned(), values }
    }

    #[test]
    fn values_are_read_plain_and_quoted() {
        let read = |text: &str| text.parse::<KeepRule>().unwrap();
        assert_eq!(read("prefer(source=wiki)"), prefer("source", &["wiki"]));
        assert_eq!(read("prefer( a.b = x y | z )"), prefer("a.b", &["x y", "z"]));
        assert_eq!(read("prefer(s='a|b'|\"c)\")"), prefer("s", &["a|b", "c)"]));
        assert_eq!(read(r#"prefer(s="q\"\\")"#), prefer("s", &["q\"\\"]));
        assert_eq!(read("prefer(s=\"\")"), prefer("s", &[""]));
        assert_eq!(read("prefer(s=a=b)"), prefer("s", &["a=b"]));
        for bad in [
            "prefer(",
            "prefer(s)",
            "prefer(=a)",
            "prefer(s=)",
            "prefer(s=a",
            "prefer(s=a|)",
            "prefer(s=a|a)",
            "prefer(s=\"a)",
            "prefer(s=\"a\"b)",
            "prefer(s=a)b",
            "prefer(s=a,b)",
        ] {
            assert!(bad.parse::<KeepRule>().is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for values in [&["wiki", "books"][..], &["a b", " c", "", "d|e", "f),", "g\"\\'h"]] {
            let rule = prefer("x", values);
            assert_eq!(rule.to_string().parse::<KeepRule>().unwrap(), rule);
        }
    }

    #[test]
    fn lists_are_split_outside_of_values() {
        let list = keep_rules("prefer(s=a|'b, )'|\"c'\") , max:x,first").unwrap();
        assert_eq!(
            list,
            [prefer("s", &["a", "b, )", "c'"]), KeepRule::Max("x".into()), KeepRule::First]
        );
        assert_eq!(keep_rules("longest,max:a(b").unwrap().len(), 2);
        for bad in ["", "longest,", "prefer(s=a),,first", "prefer(s=a"] {
            assert!(keep_rules(bad).is_err(), "{bad}");
        }
    }
}
