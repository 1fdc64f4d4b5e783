//! Names of the fields of a record.

/// Names of the fields (JSON keys, CSV columns, Parquet columns) that are read.
///
/// In JSON objects and structs of Parquet and Arrow tables, a name with dots is a path: `doc.text` is
/// the member `text` of the object `doc`. At every level a member of exactly that name takes
/// precedence: an object with the members `doc` and `doc.text` has the second. CSV columns are found
/// by their whole name only.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FieldNames {
    /// The text; preferred over `html` if a record has both.
    pub text: String,
    /// The id.
    pub id: String,
    /// The URL.
    pub url: String,
    /// The title.
    pub title: String,
    /// The date.
    pub date: String,
    /// HTML, used if there is no text.
    pub html: String,
    /// Numeric fields of the keep rules `max:FIELD` and `min:FIELD`.
    pub extra: Vec<String>,
    /// Fields whose values are read as texts, for a method that uses them or to separate documents.
    /// They follow from other settings.
    #[serde(skip)]
    pub given: Vec<String>,
    /// Whether the values of `given` are read in place of a text, which is then empty: a record needs
    /// one of them.
    #[serde(skip)]
    pub given_as_content: bool,
    /// Joins lists of strings in text, HTML and title fields with this separator. `None`: a list is
    /// not a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub join_lists: Option<String>,
    /// A list of integers or strings that is the feature set of the document in place of its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub features: Option<String>,
    /// Whether these are the tokens that passages are made of: messages then name another setting.
    #[serde(skip)]
    pub tokens: bool,
}

impl FieldNames {
    /// The setting that names the list which takes the place of the text, for messages.
    #[must_use]
    pub fn features_setting(&self) -> &'static str {
        if self.tokens { "unit=tokens:FIELD" } else { "features_field" }
    }
}

impl Default for FieldNames {
    fn default() -> Self {
        Self {
            text: "text".into(),
            id: "id".into(),
            url: "url".into(),
            title: "title".into(),
            date: "date".into(),
            html: "html".into(),
            extra: Vec::new(),
            given: Vec::new(),
            given_as_content: false,
            join_lists: None,
            features: None,
            tokens: false,
        }
    }
}
