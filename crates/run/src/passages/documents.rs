//! What the search needs of a document besides its units: its precedence, the documents that it is
//! compared with, and whether it can be cut.

use super::settings::PassageScope;
use crate::{LookalikeError, Settings};
use lookalike_cluster::KeepRule;
use lookalike_engine::distinctions::value_hash;
use lookalike_engine::keep_value;
use lookalike_io::{Content, Inputs, RecordView};

/// Which documents take precedence.
#[derive(Debug)]
pub struct Precedence {
    /// The rules in their order. Ties are broken by the order of the documents.
    pub rules: Vec<KeepRule>,
    /// The fields that they read.
    pub fields: Vec<String>,
}

impl Precedence {
    /// By the keep rules of settings.
    ///
    /// # Errors
    /// A rule that does not exist.
    pub fn new(settings: &Settings) -> Result<Self, LookalikeError> {
        Ok(Self { rules: settings.keep_rules()?, fields: settings.keep_fields()? })
    }

    /// The values of the rules for a document with a text of so many bytes: 0 of one that goes by the order of the documents.
    #[must_use]
    pub fn values(&self, record: &RecordView<'_>, text_bytes: u64) -> Vec<f64> {
        if self.rules.is_empty() {
            return Vec::new();
        }
        let fields: Vec<&str> = self.fields.iter().map(String::as_str).collect();
        let value = |rule| keep_value(rule, record, &fields, text_bytes);
        self.rules.iter().map(value).collect()
    }
}

/// Salts of units: documents that are not compared with each other have different ones.
#[derive(Debug, Clone, Copy)]
pub struct Salts {
    scope: PassageScope,
    /// The number of the given field that separates them.
    pub(super) separated: Option<usize>,
}

impl Salts {
    /// The salts of documents with these settings.
    ///
    /// # Errors
    /// A method that does not exist.
    pub fn new(settings: &Settings, scope: PassageScope) -> Result<Self, LookalikeError> {
        let given = settings.given_fields()?;
        let separated = settings.separate_by.as_ref();
        let separated = separated.and_then(|field| given.iter().position(|name| name == field));
        Ok(Self { scope, separated })
    }

    /// The salt of a document, with a number `own` that no other document has; `None` if it is compared
    /// with all others.
    #[must_use]
    pub fn of(self, record: &RecordView<'_>, own: u64) -> Option<u64> {
        match self.scope {
            PassageScope::Within => Some(own),
            _ => self.separated.map(|field| value_hash(record.given.of(field))),
        }
    }
}

/// Whether a document cannot be cut: its text is not the value of one field of a record. Where spans are
/// written, only HTML has none, as other programs extract another text from it.
#[must_use]
pub fn is_fixed(record: &RecordView<'_>, inputs: &Inputs, writes_spans: bool) -> bool {
    let has_fields = inputs.files[record.file as usize].format.has_fields();
    match record.content {
        Content::Text(_) => !(has_fields || writes_spans) || inputs.options.fields.has_sections(),
        Content::TextBytes(_) => !writes_spans,
        // The lists of tokens.
        Content::Features(_) => false,
        Content::Html(_) | Content::HtmlBytes(_) => true,
    }
}
