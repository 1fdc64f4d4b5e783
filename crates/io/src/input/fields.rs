//! Names of the fields of a record.

/// Names of the fields (JSON keys, CSV columns, Parquet columns) that are read.
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
        }
    }
}
