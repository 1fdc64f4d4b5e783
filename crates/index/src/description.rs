//! What an index was made with: `settings.json`, written once.

use crate::disk::Disk;
use crate::elements_file::ElementsFile;
use crate::layout::FORMAT;
use crate::segment::SegmentSettings;
use crate::{Ask, DocumentView, IndexError, Lean, Precedence, QuerySet, Question, layout};
use lookalike_cluster::KeepRule;
use lookalike_core::{CommonElements, HASH_NAME, Measure, Threshold};
use lookalike_join::Criterion;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io;
use std::path::Path;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// What an index was made with. Its digest is in every other file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// Version of the format.
    pub format: u32,
    /// The hash functions of fingerprints.
    pub hash: String,
    /// The measure by which documents are kept.
    pub measure: Measure,
    /// The value that it has to reach, as written.
    pub threshold: String,
    /// The keep rules, in order.
    pub keep: Vec<String>,
    /// Number of methods whose keys and sketches are stored.
    pub methods: u32,
    /// Whether texts are stored; otherwise their sets are.
    pub texts: bool,
    /// Whether documents match only if they differ in a value, whose key is the last of their keep values.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub across: bool,
    /// What a lean index posts of each set; `None` for all elements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lean: Option<LeanDescription>,
    /// Settings of the caller, which the index does not read.
    pub settings: Value,
}

/// What a lean index posts of each set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeanDescription {
    /// The lowest threshold of its questions, as written.
    pub threshold: String,
    /// Digest of the table of common elements.
    pub common: String,
    /// The table; `None` in a description that was decoded and not [read](Description::read).
    #[serde(skip)]
    table: Option<Arc<CommonElements>>,
}

impl LeanDescription {
    /// Posts what questions at thresholds from `threshold` on need, common elements last.
    #[must_use]
    pub fn new(threshold: &str, common: CommonElements) -> Self {
        let digest = ElementsFile::digest(&ElementsFile::COMMON.encode(&common, &[]));
        let table = Some(Arc::new(common));
        Self { threshold: threshold.to_owned(), common: digest, table }
    }

    /// The bytes of the table's file; `None` in a description that was decoded and not read.
    pub(crate) fn table_bytes(&self) -> Option<Vec<u8>> {
        self.table.as_deref().map(|table| ElementsFile::COMMON.encode(table, &[]))
    }
}

/// What follows from a description: how documents are kept and what is posted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rules {
    pub(crate) criterion: Criterion,
    pub(crate) precedence: Precedence,
    /// Whether documents match only if they differ in a value.
    pub(crate) across: bool,
    pub(crate) lean: Option<Arc<Lean>>,
}

impl Rules {
    /// The key of the value by which a document differs from those that it may match; 0 if it may match
    /// any.
    pub(crate) fn value(&self, document: &DocumentView<'_>) -> u64 {
        let key = document.keep.last().filter(|_| self.across);
        key.map_or(0, |&key| key as u64)
    }

    /// A question about a document that is to be added.
    pub(crate) fn query<'d>(&self, document: &DocumentView<'d>) -> QuerySet<'d> {
        let &DocumentView { set, few, sequence, .. } = document;
        QuerySet { set, few, sequence, value: self.value(document) }
    }
}

impl Description {
    /// A description in the format of this version.
    #[must_use]
    pub fn new(measure: Measure, threshold: &str, keep: &[String], settings: Value) -> Self {
        Self {
            format: FORMAT,
            hash: HASH_NAME.to_owned(),
            measure,
            threshold: threshold.to_owned(),
            keep: keep.to_vec(),
            methods: 0,
            texts: true,
            across: false,
            lean: None,
            settings,
        }
    }

    /// Reads `settings.json`.
    ///
    /// # Errors
    /// Not such a file, another version of the format or other hash functions, by name.
    pub fn decode(path: &Path, bytes: &[u8]) -> Result<Self, IndexError> {
        let damaged = |what: String| IndexError::Damaged { path: path.to_owned(), what };
        let value: Value = serde_json::from_slice(bytes).map_err(|e| damaged(e.to_string()))?;
        let differs = |what: &str, found: String, wanted: String| IndexError::Differs {
            path: path.to_owned(),
            what: what.to_owned(),
            found,
            wanted,
        };
        let format = value.get("format").and_then(Value::as_u64);
        if format != Some(FORMAT.into()) {
            let found = format.map_or("none".to_owned(), |format| format.to_string());
            return Err(differs("the format version", found, FORMAT.to_string()));
        }
        let description: Self =
            serde_json::from_value(value).map_err(|error| damaged(error.to_string()))?;
        if description.hash != HASH_NAME {
            return Err(differs("the hash functions", description.hash, HASH_NAME.to_owned()));
        }
        description.criterion(path)?;
        Ok(description)
    }

    /// Reads the `settings.json` of an index.
    ///
    /// # Errors
    /// As [`Description::decode`]; a directory without an index; a lean index with another table of
    /// common elements.
    pub fn read(disk: &dyn Disk, dir: &Path) -> Result<Self, IndexError> {
        let path = layout::settings(dir);
        let bytes = disk.read(&path).map_err(|reason| match reason.kind() {
            io::ErrorKind::NotFound => IndexError::NoIndex { path: dir.to_owned() },
            _ => IndexError::io(&path)(reason),
        })?;
        let mut description = Self::decode(&path, &bytes)?;
        if let Some(lean) = &mut description.lean {
            let path = layout::common(dir);
            let bytes = disk.read(&path).map_err(IndexError::io(&path))?;
            let (table, _) = ElementsFile::COMMON.decode(&path, &bytes, &lean.common)?;
            lean.table = Some(Arc::new(table));
        }
        Ok(description)
    }

    /// What all segments have in common.
    pub(crate) fn segment_settings(&self, rules: &Rules) -> SegmentSettings {
        SegmentSettings {
            digest: self.digest(),
            keep_values: self.keep.len() as u32 + u32::from(self.across),
            across: self.across,
            methods: self.methods,
            texts: self.texts,
            lean: rules.lean.clone(),
        }
    }

    /// The bytes of `settings.json`.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).expect("documented: plain JSON values");
        bytes.push(b'\n');
        bytes
    }

    /// The digest that is in every other file of the index.
    #[must_use]
    pub fn digest(&self) -> u64 {
        xxh3_64(&self.encode())
    }

    /// Refuses another index that was made with other settings.
    ///
    /// # Errors
    /// [`IndexError::Differs`] names the first setting that differs.
    pub fn expect(&self, path: &Path, wanted: &Self) -> Result<(), IndexError> {
        let value = |description: &Self| serde_json::to_value(description).unwrap_or_default();
        match difference("", &value(self), &value(wanted)) {
            None => Ok(()),
            Some((what, found, wanted)) => Err(IndexError::Differs {
                path: path.to_owned(),
                what: format!("the setting {what}"),
                found,
                wanted,
            }),
        }
    }

    /// The measure and threshold by which documents are kept.
    fn criterion(&self, path: &Path) -> Result<Criterion, IndexError> {
        let damaged = |what| IndexError::Damaged { path: path.to_owned(), what };
        let threshold: Threshold =
            self.threshold.parse().map_err(|error| damaged(format!("{error}")))?;
        Ok(Criterion { measure: self.measure, threshold })
    }

    /// How documents are kept, and what is posted.
    pub(crate) fn rules(&self, path: &Path) -> Result<Rules, IndexError> {
        let damaged = |what: String| IndexError::Damaged { path: path.to_owned(), what };
        let criterion = self.criterion(path)?;
        let keep: Result<Vec<KeepRule>, _> = self.keep.iter().map(|rule| rule.parse()).collect();
        let keep = keep.map_err(|error| damaged(error.to_string()))?;
        let lean = self.lean.as_ref().map(|lean| {
            let threshold: Threshold =
                lean.threshold.parse().map_err(|error| damaged(format!("{error}")))?;
            let table = lean.table.as_deref().cloned();
            let table = table.ok_or_else(|| damaged("the common elements are missing".into()))?;
            let lean = Lean::new(threshold, table);
            // Which documents are kept is a question too.
            lean.check(Question { ask: Ask::of(self.measure), threshold: criterion.threshold })?;
            Ok(Arc::new(lean))
        });
        let precedence = Precedence { measure: self.measure, keep };
        Ok(Rules { criterion, precedence, across: self.across, lean: lean.transpose()? })
    }
}

/// The name of the first value that differs, and both values.
fn difference(name: &str, found: &Value, wanted: &Value) -> Option<(String, String, String)> {
    let (Value::Object(a), Value::Object(b)) = (found, wanted) else {
        let shown = |value: &Value| match value {
            Value::Null => "nothing".to_owned(),
            value => value.to_string(),
        };
        let name = name.trim_start_matches('.');
        return (found != wanted).then(|| (name.to_owned(), shown(found), shown(wanted)));
    };
    let names: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    names.into_iter().find_map(|key| {
        let value = |of: &serde_json::Map<String, Value>| of.get(key).cloned().unwrap_or_default();
        difference(&format!("{name}.{key}"), &value(a), &value(b))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn description() -> Description {
        let settings = json!({"documents": {"shingle": 5}, "analysis": "words/2"});
        Description::new(Measure::Resemblance, "0.8", &["first".to_owned()], settings)
    }

    #[test]
    fn comes_back_and_differences_are_named() {
        let path = Path::new("settings.json");
        let one = description();
        assert_eq!(Description::decode(path, &one.encode()).unwrap(), one);
        let other = Description {
            settings: json!({"documents": {"shingle": 4}, "analysis": "words/2"}),
            ..one.clone()
        };
        assert_ne!(one.digest(), other.digest());
        let error = other.expect(path, &one).unwrap_err().to_string();
        assert!(error.contains("settings.documents.shingle: it has 4, and 5 is needed"), "{error}");
        one.expect(path, &one.clone()).unwrap();
    }

    #[test]
    fn other_formats_and_hashes_are_refused() {
        let path = Path::new("settings.json");
        let refused = |change: &dyn Fn(&mut Description)| {
            let mut description = description();
            change(&mut description);
            Description::decode(path, &description.encode()).unwrap_err().to_string()
        };
        assert!(refused(&|d| d.format = 2).contains("format version: it has 2, and 1 is needed"));
        assert!(refused(&|d| d.hash = "other".into()).contains("the hash functions: it has other"));
        assert!(refused(&|d| d.threshold = "2".into()).contains("damaged"));
        assert!(Description::decode(path, b"{").unwrap_err().to_string().contains("damaged"));
    }
}
