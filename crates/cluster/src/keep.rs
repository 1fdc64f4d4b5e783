//! Keep rules: the order of precedence of documents.
//!
//! Seshasai 2009, section 2.6.2, chooses a cluster's *master* document by recency, quality or
//! length; a rule here does the same, and several are applied one after the other.

use crate::preference;
use crate::rules::{Argument, Attributes, KEEP_RULES, KeepItem, Needs, list_keep_rules};
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// Which of two near-duplicates is kept: a rule of [`KEEP_RULES`] with its argument.
#[derive(Debug, Clone)]
pub struct KeepRule {
    item: &'static KeepItem,
    field: String,
    values: Vec<String>,
}

impl PartialEq for KeepRule {
    fn eq(&self, other: &Self) -> bool {
        self.item.name == other.item.name
            && (&self.field, &self.values) == (&other.field, &other.values)
    }
}

impl Eq for KeepRule {}

/// Why a text is not a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeepRuleError(String);

impl fmt::Display for KeepRuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not a rule; use {} (quote values that contain one of `|),\"`)",
            self.0,
            list_keep_rules(|_| true, KeepItem::form, "or")
        )
    }
}

impl std::error::Error for KeepRuleError {}

impl FromStr for KeepRule {
    type Err = KeepRuleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let read = |item: &'static KeepItem| {
            let rest = text.strip_prefix(item.name)?;
            let (field, values) = match item.argument {
                Argument::None => rest.is_empty().then(Default::default)?,
                Argument::Field => (rest.strip_prefix(':')?.to_owned(), Vec::new()),
                Argument::Values => preference::parse(rest.strip_prefix('(')?)?,
            };
            let lacks_field = item.argument != Argument::None && field.is_empty();
            (!lacks_field).then_some(Self { item, field, values })
        };
        KEEP_RULES.iter().find_map(read).ok_or_else(|| KeepRuleError(text.to_owned()))
    }
}

impl fmt::Display for KeepRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.item.name)?;
        match self.item.argument {
            Argument::None => Ok(()),
            Argument::Field => write!(f, ":{}", self.field),
            Argument::Values => preference::write(&self.field, &self.values, f),
        }
    }
}

impl KeepRule {
    /// What it compares.
    #[must_use]
    pub fn needs(&self) -> Needs {
        self.item.needs
    }

    /// Whether it goes by the position in the collection, so that no documents tie.
    #[must_use]
    pub fn is_by_order(&self) -> bool {
        self.item.needs == Needs::Order
    }

    /// The field of its argument.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        (self.item.argument != Argument::None).then_some(&self.field)
    }

    /// The values of its argument, at least one, in order of preference: their places are compared.
    /// `None` if it compares numbers.
    #[must_use]
    pub fn values(&self) -> Option<&[String]> {
        (self.item.argument == Argument::Values).then_some(&self.values)
    }

    /// The value of a document: NaN for none, 0 if the rule goes by the position.
    #[must_use]
    pub fn value(&self, document: &dyn Attributes) -> f64 {
        (self.item.value)(document, &self.field, &self.values)
    }

    /// A number whose order is the precedence of values: the smaller one takes precedence, −0
    /// equals 0, and NaN, a missing value, comes last.
    #[must_use]
    pub fn key(&self, value: f64) -> u64 {
        if value.is_nan() {
            return u64::MAX;
        }
        let bits = (value + 0.0).to_bits();
        let ascending = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
        if self.item.prefers_large { !ascending } else { ascending }
    }

    /// Compares two values: `Less` means that the first takes precedence.
    #[must_use]
    pub fn compare(&self, a: f64, b: f64) -> Ordering {
        self.key(a).cmp(&self.key(b))
    }

    /// The document that a rule without an argument prefers, in a sentence: `the longest`.
    #[must_use]
    pub fn phrase(&self) -> String {
        format!("the {self}{}", if self.is_by_order() { " by id" } else { "" })
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
        for text in ["", "best", "max", "max:", "min:", "Longest", "first:x", "prefer", "prefer()"]
        {
            assert!(
                text.parse::<KeepRule>().unwrap_err().to_string().contains("max:FIELD"),
                "{text}"
            );
        }
    }

    #[test]
    fn missing_values_come_last_either_way() {
        let compare = |rule: &str, a, b| rule.parse::<KeepRule>().unwrap().compare(a, b);
        for rule in ["newest", "oldest"] {
            assert_eq!(compare(rule, 1.0, f64::NAN), Ordering::Less);
            assert_eq!(compare(rule, f64::NAN, 1.0), Ordering::Greater);
        }
        assert_eq!(compare("newest", 2.0, 1.0), Ordering::Less);
        assert_eq!(compare("oldest", 2.0, 1.0), Ordering::Greater);
        assert_eq!(compare("longest", 0.0, -0.0), Ordering::Equal);
    }

    proptest! {
        #[test]
        fn keys_compare_as_values_do(a in any::<f64>(), b in any::<f64>(), large in any::<bool>()) {
            let rule: KeepRule = if large { "newest" } else { "oldest" }.parse().unwrap();
            for (a, b) in [(a, b), (a, f64::NAN), (0.0, -0.0), (a, a), (-0.0, b), (f64::INFINITY, a)] {
                let order = match (a.is_nan(), b.is_nan()) {
                    (false, false) if large => b.partial_cmp(&a).unwrap(),
                    (false, false) => a.partial_cmp(&b).unwrap(),
                    (a, b) => a.cmp(&b),
                };
                prop_assert_eq!(rule.compare(a, b), order, "{} {}", a, b);
            }
        }
    }

    fn prefer(field: &str, values: &[&str]) -> KeepRule {
        let item = KEEP_RULES.iter().find(|item| item.name == "prefer").unwrap();
        let values = values.iter().map(ToString::to_string).collect();
        KeepRule { item, field: field.to_owned(), values }
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
            [prefer("s", &["a", "b, )", "c'"]), "max:x".parse().unwrap(), "first".parse().unwrap()]
        );
        assert_eq!(keep_rules("longest,max:a(b").unwrap().len(), 2);
        for bad in ["", "longest,", "prefer(s=a),,first", "prefer(s=a"] {
            assert!(keep_rules(bad).is_err(), "{bad}");
        }
    }
}
