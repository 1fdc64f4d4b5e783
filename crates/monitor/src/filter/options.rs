//! What is chosen: how messages match prototypes, how many reports decide.

use lookalike_core::Threshold;
use lookalike_index::{Ask, Question};
use lookalike_run::LookalikeError;
use lookalike_run::index::open::Analysis;
use lookalike_run::index::query::Wanted;
use serde::Deserialize;

/// Which prototypes a message matches. Verdicts and reports use the same rule, or reports count for
/// prototypes that verdicts do not find: what is `None` is that of the index
/// ([`Index::filter_rule`](lookalike_run::Index::filter_rule)).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MatchRule {
    /// What is asked about the message: the prototypes that it resembles, that contain it, that it
    /// contains, that are near it by cosine, or that a method of the index takes for its
    /// near-duplicates. [`Wanted::Cluster`] is refused. Where the index has none, those that it resembles.
    pub ask: Option<Wanted>,
    /// What the measure has to reach, as written; where the index has none for the same question,
    /// [`MatchRule::threshold_of`]. Methods have none.
    pub threshold: Option<String>,
    /// A message or prototype with fewer words matches only one with the same words and the same
    /// title, whatever is asked: a few words in common are no evidence. Where the index has none,
    /// [`MatchRule::MIN_WORDS`].
    pub min_words: Option<u32>,
}

impl MatchRule {
    /// The fewest words of a message that may match another one in part.
    pub const MIN_WORDS: u32 = 64;

    /// The threshold of a measure where none is given, whatever that of the index: copies of spam
    /// are varied on purpose. `None` for a method.
    #[must_use]
    pub fn threshold_of(ask: &Wanted) -> Option<&'static str> {
        match ask {
            Wanted::Resembles => Some("0.4"),
            Wanted::ContainedIn => Some("0.5"),
            Wanted::Containing => Some("0.8"),
            Wanted::Cosine => Some("0.7"),
            Wanted::Cluster | Wanted::Method(_) => None,
        }
    }
}

/// How verdicts are given.
#[derive(Debug, Clone, PartialEq)]
pub struct FilterOptions {
    /// Which prototypes a message matches.
    pub matching: MatchRule,
    /// How many different reporters have to call a prototype spam before messages that match it
    /// are; at least 1. `None` for the number of the index, or else [`FilterOptions::REPORTS`].
    pub reports: Option<u32>,
    /// How many terms or passages a verdict gives as its reasons; 0 for none.
    pub reasons: usize,
}

impl FilterOptions {
    /// How many reporters have to call a prototype spam, where nothing else was set.
    pub const REPORTS: u32 = 3;
}

impl Default for FilterOptions {
    /// The rule of the index, three reasons.
    fn default() -> Self {
        Self { matching: MatchRule::default(), reports: None, reasons: 3 }
    }
}

/// What a reporter says about a message: `spam`, `ham` or `revoke`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Report {
    /// It is spam.
    Spam,
    /// It is legitimate.
    Ham,
    /// What the reporter said about it before is taken back.
    Revoke,
}

/// How messages are reported.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReportOptions {
    /// Which prototypes a message matches.
    pub matching: MatchRule,
    /// When it was reported, in seconds since 1970; `None` for now.
    pub time: Option<u64>,
    /// Stops at the first bad record.
    pub strict: bool,
    /// Continues where an input cannot be read to its end.
    pub skip_unreadable: bool,
}

/// A [`MatchRule`] with everything that it leaves open.
pub(super) struct CompleteRule {
    pub(super) ask: Wanted,
    pub(super) threshold: Option<String>,
    pub(super) min_words: u32,
}

/// A complete rule on an index.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way {
    pub(super) by: By,
    pub(super) min_words: u32,
}

/// What decides whether a message matches a prototype.
#[derive(Debug, Clone, Copy)]
pub(super) enum By {
    /// A measure of their feature sets.
    Measure(Question),
    /// A method of the index, by its number.
    Method(usize),
}

impl Way {
    /// # Errors
    /// A threshold that is none, a method that the index does not have.
    pub(super) fn new(rule: &CompleteRule, analysis: &Analysis) -> Result<Self, LookalikeError> {
        analysis.refuse_across("a filter")?;
        let usual = MatchRule::threshold_of(&rule.ask).unwrap_or("1");
        let threshold: Threshold = rule.threshold.as_deref().unwrap_or(usual).parse()?;
        let measured = |ask| By::Measure(Question { ask, threshold });
        let by = match &rule.ask {
            Wanted::Resembles => measured(Ask::Resembles),
            Wanted::Containing => measured(Ask::Containing),
            Wanted::ContainedIn => measured(Ask::ContainedIn),
            Wanted::Cosine => measured(Ask::Cosine),
            Wanted::Method(name) if rule.threshold.is_none() => {
                By::Method(analysis.method_named(name)?)
            }
            Wanted::Method(name) => {
                return Err(LookalikeError::Settings(format!(
                    "the method {name} has no threshold of its own to set; leave out the setting \
                     threshold"
                )));
            }
            Wanted::Cluster => {
                return Err(LookalikeError::Settings(
                    "a message is compared with prototypes and not with clusters; use resembles, \
                     containing, contained-in, cosine or a method for the setting ask"
                        .into(),
                ));
            }
        };
        Ok(Self { by, min_words: rule.min_words })
    }
}
