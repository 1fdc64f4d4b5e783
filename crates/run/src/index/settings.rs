//! Settings of an index.

use crate::approach::checksum_name;
use crate::feature_settings;
use crate::{LookalikeError, MethodSettings, Settings};
use lookalike_core::{CommonElements, Measure};
use lookalike_index::{Ask, Lean, Question};
use lookalike_io::input::DiscoverOptions;
use lookalike_lexicon::Lexicon;
use lookalike_methods::Statistics;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Settings of an index, fixed when it is created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexSettings {
    /// From text to features, and by what documents are kept: as in a run over the live documents. An
    /// index has the shingles of texts that are ignored: at its creation the setting `ignore_text` has
    /// the paths of files, in the settings of an index a name in its own directory.
    pub documents: Settings,
    /// Methods whose keys and sketches are stored beside the exact postings. An index has copies of
    /// their lexicons: at its creation the setting `lexicon` is the path of a file, in the settings
    /// of an index a name in its own directory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub methods: Vec<MethodSettings>,
    /// Whether texts are stored. Without them, their feature sets are stored.
    pub texts: bool,
    /// The lowest threshold of the questions of a lean index, which posts only what these need:
    /// about 1 − t of each set. It answers `resembles` and `contained-in` at this threshold and
    /// higher ones, and `cosine` where the square of the threshold is as high; it refuses other
    /// questions. `None` for an index that answers all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lean: Option<String>,
    /// The fewest words of a passage, 1 to 16,384, that [`Index::find_passages`](crate::Index::find_passages)
    /// finds; `None` for an index that does not answer for passages. Texts are stored then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passages: Option<u32>,
    /// Seconds after which a document is deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<u64>,
}

impl Default for IndexSettings {
    fn default() -> Self {
        Self {
            documents: Settings::default(),
            methods: Vec::new(),
            texts: true,
            lean: None,
            passages: None,
            ttl: None,
        }
    }
}

impl IndexSettings {
    /// These settings with the lexicons as an index names them: a name in its own directory that
    /// has the checksum, so that the same lexicon at two paths is the same setting. Also the paths
    /// of the files, by these names.
    ///
    /// # Errors
    /// A lexicon that cannot be used.
    pub fn with_own_lexicons(&self) -> Result<(Self, BTreeMap<String, PathBuf>), LookalikeError> {
        let (mut own, mut files) = (self.clone(), BTreeMap::new());
        // In words: a default is no other setting, at whatever call the index is created.
        own.documents = own.documents.resolved(false);
        own.documents.analysis = own.documents.analysis.decided();
        for method in &mut own.methods {
            if let Some(path) = method.lexicon.take() {
                let checksum = checksum_name(Lexicon::open(Path::new(&path))?.checksum());
                let name = format!("{checksum}.lexicon");
                files.insert(name.clone(), path.into());
                method.lexicon = Some(name);
                // Another one than the wanted one is refused when the methods are made.
                method.lexicon_checksum = Some(checksum);
            }
        }
        Ok((own, files))
    }

    /// These settings with the paths of the lexicons of an index in a directory.
    pub(crate) fn with_lexicons_of(&self, dir: &Path) -> Self {
        let mut found = self.clone();
        for lexicon in found.methods.iter_mut().filter_map(|method| method.lexicon.as_mut()) {
            *lexicon = dir.join("files").join(&*lexicon).display().to_string();
        }
        found
    }

    /// How documents are read: the field names and formats are those of `fields`, attachments of
    /// mail messages are treated as in the index.
    ///
    /// # Errors
    /// Another treatment of attachments.
    pub fn reading(
        &self,
        fields: &Settings,
        exclude: Vec<PathBuf>,
    ) -> Result<DiscoverOptions, LookalikeError> {
        let own = self.documents.formats.mail_attachments.unwrap_or_default();
        let given = fields.formats.mail_attachments;
        if let Some(other) = given.filter(|given| *given != own) {
            return Err(LookalikeError::Settings(format!(
                "the index was created with the setting mail_attachments={}, not with {}; leave the \
                 setting out, or create another index",
                own.name(),
                other.name()
            )));
        }
        if fields.fields.has_sections() && !self.documents.fields.has_sections() {
            return Err(LookalikeError::Settings(format!(
                "the setting text_field={} joins several texts, and the index was created with \
                 text_field={}; name one field, or create another index",
                fields.fields.text, self.documents.fields.text
            )));
        }
        let mut reading = fields.reading(exclude, None);
        reading.fields.given = self.documents.given_fields()?;
        reading.formats.mail_attachments = Some(own);
        Ok(reading)
    }

    /// The settings by which two texts are compared as a whole: nothing of them is ignored.
    pub(super) fn of_whole_texts(&self) -> Settings {
        Settings { ignore_text: Vec::new(), across: None, ..self.documents.clone() }
    }

    /// Refuses settings that an index cannot have.
    ///
    /// # Errors
    /// What the result of a document would depend on all others for, invalid values.
    pub(crate) fn check(&self) -> Result<(), LookalikeError> {
        self.documents.matching()?;
        self.documents.keep_rules()?;
        self.documents.refuse_scoped(&["ignore_text", "across", "distinct_by"], "an index")?;
        feature_settings::refuse(&self.documents.fields, "an index")?;
        self.documents.refuse_fields_of_method("an index")?;
        if self.documents.ignore_common.is_some() {
            return Err(LookalikeError::Settings(
                "the setting ignore_common depends on all documents of a collection; an index, \
                 whose documents come and go, cannot have it"
                    .into(),
            ));
        }
        if self.documents.method.is_some() {
            return Err(LookalikeError::Settings(
                "an index keeps documents by the exact measure; give the setting method to store \
                 the keys of a method beside it"
                    .into(),
            ));
        }
        self.check_lean()
    }

    /// Refuses a lean index that could not decide which of its documents are kept.
    fn check_lean(&self) -> Result<(), LookalikeError> {
        let Some(lean) = &self.lean else { return Ok(()) };
        let lowest = Lean::new(lean.parse()?, CommonElements::new(Vec::new()));
        let (measure, threshold) = (self.documents.measure, self.documents.threshold.parse()?);
        if lowest.answers(Question { ask: Ask::of(measure), threshold }) {
            return Ok(());
        }
        let most = match measure {
            Measure::Containment => {
                return Err(LookalikeError::Settings(
                    "a lean index cannot find the documents that contain another one, and so it \
                     cannot keep documents by the setting measure=containment; leave out the \
                     setting lean, or use another measure"
                        .into(),
                ));
            }
            Measure::Cosine => "the square of the setting threshold",
            Measure::Resemblance => "the setting threshold",
        };
        Err(LookalikeError::Settings(format!(
            "the setting lean={lean} is above {most}, which is {}: the index could not decide \
             which documents it keeps; give the setting lean a value of at most that",
            match measure {
                Measure::Cosine => threshold.as_f64() * threshold.as_f64(),
                _ => threshold.as_f64(),
            }
        )))
    }
}
