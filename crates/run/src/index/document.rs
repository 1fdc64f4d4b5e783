//! Single documents: one of a file to ask about, and those that are stored.

use super::extra;
use super::query::QuerySubject;
use super::settings::IndexSettings;
use crate::compare::{compare_exhibits, only_document};
use crate::document_comparison::DocumentComparison;
use crate::{Index, LookalikeError, Settings};
use lookalike_engine::distinctions::value_hash;
use lookalike_engine::{Described, Progress, SignerScratch};
use lookalike_index::{DocAt, NEVER, TextReader};
use lookalike_report::{Comparison, DocExhibit};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A stored document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IndexedDocument {
    /// Its id.
    pub id: String,
    /// Its address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its date, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The sweep in which it was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sweep: Option<String>,
    /// When it will be deleted, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<u64>,
    /// Number of its tokens.
    pub tokens: u32,
    /// Bytes of its text.
    pub bytes: u64,
    /// Whether leader clustering keeps it.
    pub kept: bool,
    /// The id of its cluster: that of the kept document that leads it.
    pub cluster: String,
    /// Its text; `None` in an index without texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The commit that was asked.
    pub commit: u64,
}

/// A cluster of leader clustering, or a part of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IndexedCluster {
    /// Its id: that of the kept document that leads it.
    pub id: String,
    /// Number of its documents, the kept one included.
    pub size: u64,
    /// Its documents from the one that was asked for on: the kept one, and those that rely on it, in
    /// the order in which they would be kept.
    pub members: Vec<ClusterMember>,
    /// The commit that was asked.
    pub commit: u64,
}

/// A document of a cluster.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClusterMember {
    /// Its id.
    pub id: String,
    /// Its address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its date, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The sweep in which it was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sweep: Option<String>,
    /// Whether leader clustering keeps it.
    pub kept: bool,
}

impl Index {
    /// The cluster of a stored document, by the id of any of its documents: `limit` of them, from
    /// the one at place `from` on.
    ///
    /// # Errors
    /// No document with this id; files that cannot be read; [`LookalikeError::QuestionCancelled`].
    pub fn indexed_cluster(
        &self,
        id: &str,
        from: usize,
        limit: usize,
        progress: &dyn Progress,
    ) -> Result<IndexedCluster, LookalikeError> {
        let snapshot = self.snapshot()?;
        let at = self.stored(&snapshot.with_id(id), "id", id)?;
        let sweeps = self.sweep_names()?;
        let stop = || progress.cancelled();
        let mut buffers = self.buffers();
        let scratch = &mut buffers.scratch;
        let leader = snapshot.leader(at, &stop, scratch).map(|leader| leader.unwrap_or(at));
        let members =
            leader.and_then(|leader| Ok((leader, snapshot.cluster(leader, &stop, scratch)?)));
        self.give_back(buffers);
        let (leader, members) =
            members.map_err(|error| LookalikeError::from(error).of_question())?;
        let member = |&at: &DocAt| {
            let document = snapshot.document(at);
            ClusterMember {
                id: document.id().to_owned(),
                url: given(document.url()),
                title: extra::title(document.extra()),
                date: given(document.date()),
                sweep: sweeps.get(&document.sweep()).cloned(),
                kept: at == leader,
            }
        };
        Ok(IndexedCluster {
            id: snapshot.document(leader).id().to_owned(),
            size: members.len() as u64,
            members: members.iter().skip(from).take(limit).map(member).collect(),
            commit: snapshot.commit(),
        })
    }

    /// The document of a file that holds one (text, Markdown, HTML or mail), read as those of the
    /// index: a message with the attachments that they have.
    ///
    /// # Errors
    /// A file that cannot be read, or that holds several documents.
    pub fn read_document(&self, path: &Path) -> Result<QuerySubject, LookalikeError> {
        let reading = self.settings().reading(&Settings::default(), Vec::new())?;
        let read = only_document(&path.display().to_string(), reading)?;
        let described = Described { text: &read.exhibit.text, title: read.title.as_deref() };
        let value = |name: &str| value_hash(read.values_of(name));
        let signer = &self.analysis.signer;
        let beside = signer.beside_of(read.beside, described, value, &mut SignerScratch::default());
        Ok(QuerySubject::Message { text: read.exhibit.text, beside })
    }

    /// A stored document, by its id; of several sweeps the last.
    ///
    /// # Errors
    /// No document with this id; files that cannot be read.
    pub fn indexed_document(&self, id: &str) -> Result<IndexedDocument, LookalikeError> {
        let snapshot = self.snapshot()?;
        let at = self.stored(&snapshot.with_id(id), "id", id)?;
        let document = snapshot.document(at);
        let sweep = match document.sweep() {
            0 => None,
            number => self.sweep_names()?.remove(&number),
        };
        let mut buffers = self.buffers();
        let leader = snapshot.leader(at, NEVER, &mut buffers.scratch)?;
        let text = match self.settings().texts {
            true => Some(document.text(&mut buffers.texts)?.to_owned()),
            false => None,
        };
        self.give_back(buffers);
        Ok(IndexedDocument {
            id: document.id().to_owned(),
            url: given(document.url()),
            title: extra::title(document.extra()),
            date: given(document.date()),
            sweep,
            expires: Some(document.expires()).filter(|&time| time != 0),
            tokens: document.tokens(),
            bytes: document.text_bytes(),
            kept: leader == Some(at),
            cluster: snapshot.document(leader.unwrap_or(at)).id().to_owned(),
            text,
            commit: snapshot.commit(),
        })
    }

    /// Two stored documents, compared as texts with the settings of the index: measures, passages
    /// in common and differences.
    ///
    /// # Errors
    /// No document with one of these ids; an index without texts; files that cannot be read.
    pub fn compare(&self, a: &str, b: &str) -> Result<Comparison, LookalikeError> {
        let [a, b] = [a, b].map(|id| QuerySubject::Id(id.to_owned()));
        Ok(self.compare_subjects(&a, &b)?.comparison())
    }

    /// A text or a stored document and another, compared as [`Index::compare`] does.
    ///
    /// # Errors
    /// As [`Index::compare`]; a cluster in place of a document.
    pub fn compare_subjects(
        &self,
        a: &QuerySubject,
        b: &QuerySubject,
    ) -> Result<DocumentComparison, LookalikeError> {
        if !self.settings().texts {
            return Err(no_texts());
        }
        let snapshot = self.snapshot()?;
        let mut texts = TextReader::default();
        let mut read = |subject: &QuerySubject| -> Result<DocExhibit, LookalikeError> {
            let (what, name, found) = match subject {
                QuerySubject::Text(text) | QuerySubject::Message { text, .. } => {
                    let (id, text) = ("text".to_owned(), text.clone());
                    return Ok(DocExhibit { id, text, ..DocExhibit::default() });
                }
                QuerySubject::Id(id) => ("id", id, snapshot.with_id(id)),
                QuerySubject::Url(url) => ("URL", url, snapshot.with_url(url)),
                QuerySubject::Cluster(_) => {
                    let message = "a comparison is of two documents, and not of a cluster";
                    return Err(LookalikeError::Settings(message.into()));
                }
            };
            let document = snapshot.document(self.stored(&found, what, name)?);
            Ok(DocExhibit {
                id: document.id().to_owned(),
                title: extra::title(document.extra()),
                url: given(document.url()),
                text: document.text(&mut texts)?.to_owned(),
                ..DocExhibit::default()
            })
        };
        compare_exhibits([read(a)?, read(b)?], &self.settings().of_whole_texts())
    }

    /// The last of the documents that were found by a name.
    ///
    /// # Errors
    /// There is none.
    pub(super) fn stored(
        &self,
        found: &[DocAt],
        what: &str,
        name: &str,
    ) -> Result<DocAt, LookalikeError> {
        found.last().copied().ok_or_else(|| LookalikeError::NotInIndex {
            index: self.dir().to_owned(),
            what: format!("document with the {what}"),
            name: name.to_owned(),
        })
    }
}

impl IndexSettings {
    /// Two documents of indexes with these settings, compared as [`Index::compare`] compares those of
    /// one.
    ///
    /// # Errors
    /// A document without its text.
    pub fn compare(
        &self,
        documents: [IndexedDocument; 2],
    ) -> Result<DocumentComparison, LookalikeError> {
        let exhibit = |IndexedDocument { id, title, url, text, .. }| {
            let text = text.ok_or_else(no_texts)?;
            Ok::<_, LookalikeError>(DocExhibit { id, title, url, text, ..DocExhibit::default() })
        };
        let [a, b] = documents.map(exhibit);
        compare_exhibits([a?, b?], &self.of_whole_texts())
    }
}

fn no_texts() -> LookalikeError {
    let message = "the index was created without texts, which a comparison needs";
    LookalikeError::Settings(message.into())
}

/// A text that is there.
pub(super) fn given(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}
