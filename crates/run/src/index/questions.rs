//! Questions as JSON objects: one type for the lines of a batch and the requests to a server.

use super::asking::Asking;
use super::filter::Filter;
use super::open::Index;
use super::passages::{PassageAnswer, PassageQuery};
use super::query::{Query, QueryAnswer, QuerySubject, Wanted};
use crate::LookalikeError;
use crate::panics::caught;
use lookalike_engine::Progress;
use lookalike_index::{Ask, Cost, Snapshot};
use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::fmt;
use std::num::NonZeroU64;

/// A question about one document, as a JSON object has it: the subject, and what to find. A field
/// that is absent or `null` has its default.
///
/// ```
/// use lookalike::index::{AnyQuery, Question};
///
/// let question = br#"{"text": "a rose is a rose", "ask": "contained-in", "threshold": 0.9}"#;
/// let AnyQuery::Documents(query) = Question::from_json(question).unwrap().query().unwrap() else {
///     panic!("a question about passages")
/// };
/// assert_eq!(query.threshold.as_deref(), Some("0.9"));
/// assert!(Question::from_json(br#"{"text": "a rose", "treshold": 0.9}"#).is_err());
/// ```
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Question {
    /// A text.
    pub text: Option<String>,
    /// A stored document, by its id.
    pub id: Option<String>,
    /// The document found last at an address.
    pub url: Option<String>,
    /// The cluster of a stored document, by its id.
    pub cluster: Option<String>,
    /// What to find: `resembles` (the default), `containing`, `contained-in`, `cosine`, `cluster`,
    /// `passages`, or a method of the index.
    pub ask: Option<String>,
    /// What the measure has to reach: a number or a text; by default the threshold of the index.
    #[serde(deserialize_with = "ratio")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "ratio_schema"))]
    pub threshold: Option<String>,
    /// Only the best N documents.
    pub limit: Option<NonZeroU64>,
    /// [`Filter::site`].
    pub site: Option<String>,
    /// [`Filter::since`].
    pub since: Option<String>,
    /// [`Filter::before`].
    pub before: Option<String>,
    /// [`Filter::sweep`].
    pub sweep: Option<String>,
    /// [`Filter::kept`].
    pub kept: Option<bool>,
    /// Whether the passages in common are returned.
    pub passages: Option<bool>,
    /// Any JSON value: the reply has it, byte for byte.
    #[serde(deserialize_with = "given")]
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Value"))]
    pub key: Option<Box<RawValue>>,
}

/// A question of either kind.
#[derive(Debug, Clone, PartialEq)]
pub enum AnyQuery {
    /// Which documents are near the subject.
    Documents(Query),
    /// Which documents have a passage of the subject.
    Passages(PassageQuery),
}

/// The answer to a question of either kind.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum AnyAnswer {
    /// The documents near the subject.
    Documents(QueryAnswer),
    /// The documents that have a passage of the subject.
    Passages(PassageAnswer),
}

/// The reply to a [`Question`]: a JSON object with the fields of the answer, behind the key.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reply {
    /// The key of the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<serde_json::Value>"))]
    pub key: Option<Box<RawValue>>,
    /// The answer.
    #[serde(flatten)]
    pub answer: AnyAnswer,
}

impl Question {
    /// Reads a JSON object.
    ///
    /// # Errors
    /// Malformed JSON; another value than an object; an unknown field, by its name; a field with a
    /// value of another type. All are of [`ErrorKind::Usage`](crate::ErrorKind::Usage).
    pub fn from_json(json: &[u8]) -> Result<Self, LookalikeError> {
        // A sequence would be taken for the values of the fields.
        let first = json.iter().find(|byte| !byte.is_ascii_whitespace());
        if first.is_some_and(|&first| first != b'{') {
            let message = "a question is a JSON object: {\"text\": …}".to_owned();
            return Err(LookalikeError::Settings(message));
        }
        serde_json::from_slice(json).map_err(|error| {
            let message = error.to_string();
            // A question is one line, whose number the caller may know.
            let place = format!(" at line {} column {}", error.line(), error.column());
            let message = message.strip_suffix(&place).unwrap_or(&message);
            let place = match (error.line(), error.column()) {
                (0 | 1, column) => format!("column {column}"),
                (line, column) => format!("line {line}, column {column}"),
            };
            LookalikeError::Settings(format!("{message} ({place} of the question)"))
        })
    }

    /// The question with the fields of another one where it has none. The subject and the key of
    /// the other one are not read; nor is what does not go with this question: what to find where
    /// a cluster is asked for, and the threshold where passages are.
    #[must_use]
    pub fn or(mut self, defaults: &Self) -> Self {
        fn fill<T: Clone>(field: &mut Option<T>, default: &Option<T>) {
            if field.is_none() {
                field.clone_from(default);
            }
        }
        if self.cluster.is_none() {
            fill(&mut self.ask, &defaults.ask);
        }
        if !self.asks_for_passages() {
            fill(&mut self.threshold, &defaults.threshold);
        }
        fill(&mut self.limit, &defaults.limit);
        fill(&mut self.site, &defaults.site);
        fill(&mut self.since, &defaults.since);
        fill(&mut self.before, &defaults.before);
        fill(&mut self.sweep, &defaults.sweep);
        fill(&mut self.kept, &defaults.kept);
        fill(&mut self.passages, &defaults.passages);
        self
    }

    /// The question to an index.
    ///
    /// # Errors
    /// None or several of `text`, `id`, `url` and `cluster`; fields that exclude each other.
    pub fn query(&self) -> Result<AnyQuery, LookalikeError> {
        self.about(self.subject()?)
    }

    /// The question about another subject than its own.
    ///
    /// # Errors
    /// Fields that exclude each other.
    pub fn about(&self, about: QuerySubject) -> Result<AnyQuery, LookalikeError> {
        if matches!(about, QuerySubject::Cluster(_)) && self.ask.is_some() {
            return Err(LookalikeError::Settings(
                "the setting cluster asks for the documents of a cluster; leave out the setting ask, \
                 or name the document by the setting id"
                    .into(),
            ));
        }
        let limit = self.limit.map(|limit| usize::try_from(limit.get()).unwrap_or(usize::MAX));
        let filter = Filter {
            site: self.site.clone(),
            since: self.since.clone(),
            before: self.before.clone(),
            sweep: self.sweep.clone(),
            kept: self.kept.unwrap_or(false),
        };
        if self.asks_for_passages() {
            if self.threshold.is_some() {
                return Err(LookalikeError::Settings(
                    "the setting threshold is of questions about whole documents; a question for \
                     passages finds every passage of as many words as the index was created for"
                        .into(),
                ));
            }
            return Ok(AnyQuery::Passages(PassageQuery { about, limit, filter }));
        }
        let Ok(ask) = self.ask.as_deref().unwrap_or("resembles").parse();
        let ask = if matches!(about, QuerySubject::Cluster(_)) { Wanted::Cluster } else { ask };
        let (threshold, passages) = (self.threshold.clone(), self.passages.unwrap_or(false));
        Ok(AnyQuery::Documents(Query { about, ask, threshold, limit, filter, passages }))
    }

    fn asks_for_passages(&self) -> bool {
        self.ask.as_deref() == Some("passages")
    }

    fn subject(&self) -> Result<QuerySubject, LookalikeError> {
        let Self { text, id, url, cluster, .. } = self;
        let subjects = [
            text.clone().map(QuerySubject::Text),
            id.clone().map(QuerySubject::Id),
            url.clone().map(QuerySubject::Url),
            cluster.clone().map(QuerySubject::Cluster),
        ];
        let given = subjects.iter().flatten().count();
        subjects.into_iter().flatten().next().filter(|_| given == 1).ok_or_else(|| {
            let given = if given == 0 { "none" } else { "several" };
            LookalikeError::Settings(format!(
                "a question has exactly one of text, id, url and cluster; this one has {given}"
            ))
        })
    }
}

impl Reply {
    /// What the answer cost.
    #[must_use]
    pub fn cost(&self) -> Cost {
        match &self.answer {
            AnyAnswer::Documents(answer) => answer.cost,
            AnyAnswer::Passages(answer) => answer.cost,
        }
    }
}

impl Index {
    /// Whether documents can be asked about at a threshold, as the measure of the index has it.
    ///
    /// # Errors
    /// A text that is no threshold; one that a lean index cannot answer.
    pub fn check_threshold(&self, written: &str) -> Result<(), LookalikeError> {
        let threshold = written.parse()?;
        let ask = Ask::of(self.analysis.matching.measure);
        Ok(self.snapshot()?.check_question(lookalike_index::Question { ask, threshold })?)
    }

    /// Answers a question about the last commit, with a hint where no document resembles the
    /// subject.
    ///
    /// # Errors
    /// As [`Question::query`], [`Index::ask_until`] and [`Index::find_passages_until`].
    pub fn answer(
        &self,
        question: &Question,
        progress: &dyn Progress,
    ) -> Result<Reply, LookalikeError> {
        caught(|| {
            let snapshot = self.snapshot()?;
            self.one_question(&snapshot, progress, |asking| {
                self.answer_on(&snapshot, asking, question)
            })
        })
    }

    /// Answers questions about the last commit, the same for all, in their order. A bad question, or
    /// one that is not answered in time, does not keep the others from being answered.
    ///
    /// # Errors
    /// Files that cannot be read; of each question as [`Index::answer`].
    pub fn answer_all(
        &self,
        questions: impl IntoIterator<Item = Result<Question, LookalikeError>> + Send,
        progress: &dyn Progress,
    ) -> Result<Vec<Result<Reply, LookalikeError>>, LookalikeError> {
        caught(|| {
            let snapshot = self.snapshot()?;
            let answer = |question: Result<Question, LookalikeError>| {
                let question = question?;
                self.one_question(&snapshot, progress, |asking| {
                    self.answer_on(&snapshot, asking, &question)
                })
            };
            Ok(questions.into_iter().map(answer).collect())
        })
    }

    /// Answers a question about a snapshot, of which `asking` is.
    ///
    /// # Errors
    /// As [`Index::answer`].
    pub(super) fn answer_on(
        &self,
        snapshot: &Snapshot,
        asking: &mut Asking<'_>,
        question: &Question,
    ) -> Result<Reply, LookalikeError> {
        let answer = match question.query()? {
            AnyQuery::Documents(query) => {
                AnyAnswer::Documents(self.ask_on(snapshot, asking, &query)?)
            }
            AnyQuery::Passages(query) => {
                AnyAnswer::Passages(self.find_passages_on(snapshot, asking, &query)?)
            }
        };
        Ok(Reply { key: question.key.clone(), answer })
    }
}

#[cfg(feature = "schema")]
fn ratio_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"type": ["number", "string", "null"]})
}

/// A ratio as a number or a text; `null` for none.
fn ratio<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    struct Ratio;

    impl Visitor<'_> for Ratio {
        type Value = Option<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a ratio, as a number or a string")
        }

        fn visit_f64<E>(self, ratio: f64) -> Result<Self::Value, E> {
            Ok(Some(ratio.to_string()))
        }

        fn visit_u64<E>(self, ratio: u64) -> Result<Self::Value, E> {
            Ok(Some(ratio.to_string()))
        }

        fn visit_i64<E>(self, ratio: i64) -> Result<Self::Value, E> {
            Ok(Some(ratio.to_string()))
        }

        fn visit_str<E>(self, ratio: &str) -> Result<Self::Value, E> {
            Ok(Some(ratio.to_owned()))
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }
    }

    from.deserialize_any(Ratio)
}

/// A value that is given, also if it is `null`.
pub(super) fn given<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(from).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    fn read(json: &str) -> Result<AnyQuery, String> {
        let question = Question::from_json(json.as_bytes()).and_then(|question| question.query());
        question.map_err(|error| {
            assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
            error.to_string()
        })
    }

    #[test]
    fn every_field_has_its_place_in_a_query() {
        let AnyQuery::Documents(query) = read(
            r#"{"id": "a", "ask": "cosine", "threshold": "4/5", "limit": 7, "site": "s.org",
                "since": "2024-01-01", "before": "2025", "sweep": "x", "kept": true,
                "passages": true, "key": [1]}"#,
        )
        .unwrap() else {
            panic!("a question about passages")
        };
        let filter = Filter {
            site: Some("s.org".into()),
            since: Some("2024-01-01".into()),
            before: Some("2025".into()),
            sweep: Some("x".into()),
            kept: true,
        };
        let (about, threshold) = (QuerySubject::Id("a".into()), Some("4/5".into()));
        let expected = Query {
            about,
            ask: Wanted::Cosine,
            threshold,
            limit: Some(7),
            filter: filter.clone(),
            passages: true,
        };
        assert_eq!(query, expected);
        let passages = r#"{"text": "", "ask": "passages", "limit": null, "threshold": null}"#;
        let expected = PassageQuery::new(QuerySubject::Text(String::new()));
        assert_eq!(read(passages), Ok(AnyQuery::Passages(expected)));
        let AnyQuery::Documents(of_cluster) = read(r#"{"cluster": "c"}"#).unwrap() else {
            panic!("a question about passages")
        };
        assert_eq!(of_cluster.ask, Wanted::Cluster);
    }

    #[test]
    fn what_is_no_question_is_refused_with_the_reason() {
        for (json, reason) in [
            ("", "EOF while parsing a value (column 0 of the question)"),
            ("[\"a text\"]", "a question is a JSON object"),
            ("{\"text\":\"a\"} x", "trailing characters (column 14 of the question)"),
            ("{\"text\":\"a\",\"treshold\":1}", "unknown field `treshold`, expected one of `text`"),
            ("{\"text\":\"a\",\"text\":\"b\"}", "duplicate field `text`"),
            ("{\"text\":7}", "invalid type: integer `7`, expected a string"),
            ("{\"text\":\"a\",\"threshold\":[]}", "a ratio, as a number or a string"),
            ("{\"text\":\"a\",\"limit\":0}", "expected a nonzero u64"),
            ("{}", "exactly one of text, id, url and cluster; this one has none"),
            ("{\"text\":\"a\",\"id\":\"b\"}", "this one has several"),
            ("{\"cluster\":\"a\",\"ask\":\"cosine\"}", "leave out the setting ask"),
            ("{\"id\":\"a\",\"ask\":\"passages\",\"threshold\":1}", "the setting threshold is of"),
        ] {
            let error = read(json).unwrap_err();
            assert!(error.contains(reason), "{json}: {error}");
        }
    }

    #[test]
    fn defaults_fill_what_is_absent_and_goes_with_the_question() {
        let of = |json: &str| Question::from_json(json.as_bytes()).unwrap();
        let defaults = of(r#"{"ask": "cosine", "threshold": 0.5, "limit": 3, "kept": true}"#);
        let shown = |json: &str| {
            let Question { ask, threshold, limit, kept, .. } = of(json).or(&defaults);
            (ask.unwrap_or_default(), threshold.unwrap_or_default(), limit.map(u64::from), kept)
        };
        let expected = ("cosine".into(), "0.5".into(), Some(3), Some(true));
        assert_eq!(shown(r#"{"id": "a"}"#), expected);
        let expected = ("containing".into(), "1".into(), Some(9), Some(false));
        let own = r#"{"id":"a","ask":"containing","threshold":1,"limit":9,"kept":false}"#;
        assert_eq!(shown(own), expected);
        let expected = (String::new(), "0.5".into(), Some(3), Some(true));
        assert_eq!(shown(r#"{"cluster": "a"}"#), expected);
        let expected = ("passages".into(), String::new(), Some(3), Some(true));
        assert_eq!(shown(r#"{"id": "a", "ask": "passages"}"#), expected);
    }

    #[test]
    fn keys_are_given_byte_for_byte() {
        for key in ["null", "12345678901234567890123", "{\"a\": [1.50, \"\\u00e4\"]}"] {
            let question = Question::from_json(format!("{{\"key\": {key}}}").as_bytes()).unwrap();
            assert_eq!(question.key.unwrap().get(), key);
        }
        assert!(Question::from_json(b"{}").unwrap().key.is_none());
    }
}
