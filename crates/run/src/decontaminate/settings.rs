//! Settings of a search for items: when a document contains one, and what becomes of it.

use crate::{LookalikeError, Settings};
use lookalike_core::Threshold;
use lookalike_io::FieldNames;
use serde::{Deserialize, Serialize};

/// When a training document contains an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContaminationSettings {
    /// Words in a shingle, 1 to 1000. A part of fewer words is one shingle, if it has 8 or more.
    pub ngram: u32,
    /// The share of the shingles of a part that a document has to have: a decimal above 0 and at most
    /// 1, as written.
    pub threshold: String,
    /// Shingles in more training documents than this do not count.
    pub common: u32,
    /// Shingles in more items than this do not count: they are of a template.
    pub common_items: u32,
    /// The fields of an item that are looked for, each on its own; none for its text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub item_fields: Vec<String>,
    /// The field that holds the id of an item; `None` for that of the documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item_id_field: Option<String>,
}

impl Default for ContaminationSettings {
    fn default() -> Self {
        Self {
            ngram: 8,
            threshold: "0.5".into(),
            common: 1000,
            common_items: 30,
            item_fields: Vec::new(),
            item_id_field: None,
        }
    }
}

impl ContaminationSettings {
    /// The settings by which the records of items are read: those of the documents with other names of
    /// fields.
    #[must_use]
    pub fn of_items(&self, documents: &Settings) -> Settings {
        let mut settings = documents.clone();
        let fields = &mut settings.fields;
        if let Some(id) = &self.item_id_field {
            fields.id.clone_from(id);
        }
        if !self.item_fields.is_empty() {
            // Items need no text beside these.
            fields.text = FieldNames::default().text;
            fields.given_as_content = true;
            // Columns with lists; their values are read one by one.
            fields.join_lists.get_or_insert_with(|| "\n".into());
        }
        settings
    }

    /// Checks the settings, and returns the threshold.
    ///
    /// # Errors
    /// Values that make no sense.
    pub fn check(&self) -> Result<Threshold, LookalikeError> {
        let wrong = |reason: String| Err(LookalikeError::Settings(reason));
        if !(1..=1000).contains(&self.ngram) {
            return wrong(format!("the setting ngram={}: use 1 to 1000 words", self.ngram));
        }
        for (name, number) in [("common", self.common), ("common_items", self.common_items)] {
            if number == 0 {
                return wrong(format!("the setting {name}=0 leaves no shingle; use 1 or more"));
            }
        }
        let fields = &self.item_fields;
        if let Some(twice) = (1..fields.len()).find(|&at| fields[..at].contains(&fields[at])) {
            let field = &fields[twice];
            return wrong(format!("the setting item_fields names `{field}` twice"));
        }
        Ok(self.threshold.parse()?)
    }
}

/// What becomes of documents that contain items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ContaminationAction {
    /// They are listed; no document is written.
    #[default]
    List,
    /// They are removed: all documents are written, as kept or as removed ones.
    Remove,
    /// They are marked: all documents are written with fields added.
    Mark,
    /// The items are cut out of them: all documents are written, those whose text cannot be cut as
    /// removed ones.
    Cut,
}

impl ContaminationAction {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::List, Self::Remove, Self::Mark, Self::Cut];

    /// The action of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.name() == name)
    }

    /// The name used in settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Remove => "remove",
            Self::Mark => "mark",
            Self::Cut => "cut",
        }
    }
}
