//! Opening an index: its settings, its signer and its methods.

use super::extra::beside;
use super::ignored_file;
use super::passage_keys::{PassageKeyScratch, PassageKeys};
use super::settings::IndexSettings;
use crate::LookalikeError;
use crate::ignored_texts::IgnoredTexts;
use crate::method_signer::MethodSigner;
use lookalike_cluster::KeepRule;
use lookalike_core::{CommonElements, SetDigest, TokenDigest};
use lookalike_engine::{MatchSettings, Signer, SignerScratch};
use lookalike_index::{
    Description, Disk, IndexError, IndexReader, LeanDescription, MakeSets, QueryScratch, RealDisk,
    SetMaker, Snapshot, StoredSignature, TextReader,
};
use lookalike_io::Beside;
use lookalike_text::ANALYSIS_NAME;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// How the documents of an index become sets and signatures.
#[derive(Debug)]
pub struct Analysis {
    /// The settings that it was created with.
    pub settings: IndexSettings,
    pub(crate) matching: MatchSettings,
    /// Makes the sets.
    pub signer: Arc<Signer>,
    /// Make the signatures.
    pub methods: Vec<MethodSigner>,
    /// Makes the keys of passages, which are stored behind those of the methods.
    pub passages: Option<PassageKeys>,
    /// Which duplicate to keep.
    pub keep: Vec<KeepRule>,
    /// The texts whose shingles are removed from all sets.
    pub(crate) ignored: Option<IgnoredTexts>,
}

impl Analysis {
    /// # Errors
    /// Settings that an index cannot have; a lexicon that cannot be used.
    ///
    /// `located` are the same settings, with paths of lexicons; `ignored` is what they ignore.
    pub fn new(
        settings: IndexSettings,
        located: &IndexSettings,
        ignored: Option<IgnoredTexts>,
    ) -> Result<Self, LookalikeError> {
        settings.check()?;
        let mut matching = settings.documents.matching()?;
        matching.boilerplate = ignored.as_ref().map(|found| Arc::clone(&found.elements));
        let signer =
            Arc::new(Signer::new(&matching).with_given(&settings.documents.given_fields()?));
        let methods = MethodSigner::all(located)?;
        let passages = PassageKeys::new(&settings)?;
        let keep = settings.documents.keep_rules()?;
        Ok(Self { settings, matching, signer, methods, passages, keep, ignored })
    }

    /// The analysis of an index that exists.
    ///
    /// # Errors
    /// A directory without an index; an index of another version or analysis.
    pub(crate) fn of(dir: &Path, disk: &dyn Disk) -> Result<(Description, Self), LookalikeError> {
        let description = Description::read(disk, dir)?;
        let settings = &description.settings;
        let differs = |what: &str, found: &str, wanted: &str| IndexError::Differs {
            path: dir.to_owned(),
            what: what.to_owned(),
            found: found.to_owned(),
            wanted: wanted.to_owned(),
        };
        let analysis = settings.get("analysis_version").and_then(Value::as_str);
        let analysis = analysis.unwrap_or("none");
        if analysis != ANALYSIS_NAME {
            return Err(differs("the analysis", analysis, ANALYSIS_NAME).into());
        }
        let own = settings.get("index").cloned().unwrap_or_default();
        let own: IndexSettings = serde_json::from_value(own).map_err(|error| {
            LookalikeError::from(IndexError::Damaged {
                path: dir.to_owned(),
                what: format!("its settings: {error}"),
            })
        })?;
        let located = own.with_lexicons_of(dir);
        let ignored = ignored_file::read(disk, dir, &own)?;
        let analysis = Self::new(own, &located, ignored)?;
        Ok((description, analysis))
    }

    /// The description of an index with these settings; `common` is for a lean one.
    pub fn description(&self, common: CommonElements) -> Result<Description, LookalikeError> {
        let IndexSettings { documents, texts, lean, .. } = &self.settings;
        let settings = json!({
            "analysis_version": ANALYSIS_NAME,
            "index": serde_json::to_value(&self.settings)?,
        });
        let new =
            Description::new(documents.measure, &documents.threshold, &documents.keep, settings);
        let methods = self.methods.len() as u32 + u32::from(self.passages.is_some());
        let texts = *texts;
        let lean = lean.as_ref().map(|threshold| LeanDescription::new(threshold, common));
        let across = documents.across.is_some();
        Ok(Description { methods, texts, across, lean, ..new })
    }

    /// Refuses a call whose answers are not of documents of different values.
    ///
    /// # Errors
    /// An index with the setting across.
    pub fn refuse_across(&self, what: &str) -> Result<(), LookalikeError> {
        match &self.settings.documents.across {
            None => Ok(()),
            Some(value) => Err(LookalikeError::Settings(format!(
                "the index was created with the setting across={value}, of which {what} takes no \
                 account; use an index without it"
            ))),
        }
    }

    /// The method of the index with a name or a whole description.
    ///
    /// # Errors
    /// There is none.
    pub fn method_named(&self, name: &str) -> Result<usize, LookalikeError> {
        let is_named = |spec: &str| spec == name || spec.split(':').next() == Some(name);
        self.methods.iter().position(|method| is_named(&method.spec)).ok_or_else(|| {
            let known: Vec<&str> = self.methods.iter().map(|method| method.spec.as_str()).collect();
            let known = match known.is_empty() {
                true => "it has no methods; they are chosen when an index is created".to_owned(),
                false => format!("its methods are {}", known.join(", ")),
            };
            LookalikeError::Settings(format!(
                "`{name}` is neither resembles, containing, contained-in, cosine or cluster, nor a \
                 method of this index: {known}"
            ))
        })
    }

    /// Under which number the keys of passages are stored.
    pub(crate) fn passage_method(&self) -> usize {
        self.methods.len()
    }

    /// The signatures of a stored text by the methods, and its keys of passages.
    pub(crate) fn sign_text(&self, text: &str, beside: Beside) -> Vec<StoredSignature> {
        let mut scratch = SignerScratch::default();
        let of_methods = self.methods.iter();
        let of_methods = of_methods.map(|method| method.sign_text(text, beside, &mut scratch));
        let of_passages = self.passages.iter();
        let of_passages =
            of_passages.map(|keys| keys.sign(text, &mut PassageKeyScratch::default()));
        of_methods.chain(of_passages).collect()
    }

    /// Makes the sets of stored texts.
    pub fn makers(&self) -> MakeSets {
        let signer = Arc::clone(&self.signer);
        Arc::new(move || {
            Box::new(TextSets { signer: Arc::clone(&signer), scratch: SignerScratch::default() })
        })
    }
}

/// Makes the sets of stored texts, on one thread.
struct TextSets {
    signer: Arc<Signer>,
    scratch: SignerScratch,
}

impl SetMaker for TextSets {
    fn make(&mut self, text: &str, extra: &[u8], set: &mut Vec<u64>) -> Option<SetDigest> {
        self.signer.message_set(text, beside(extra), &mut self.scratch, set).unit.ok()
    }

    fn few_unit(&self, sequence: TokenDigest, extra: &[u8]) -> SetDigest {
        self.signer.few_unit(sequence, beside(extra))
    }
}

/// An index that is read. Any number of them may be open, in any number of processes, also while
/// another process writes.
///
/// ```
/// use lookalike::index::{AddOptions, IndexSettings, Query, QuerySubject, Wanted};
/// use lookalike::{Index, IndexWriter, Record, Settings, Silent, Source};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let dir = folder.path().join("index");
/// let mut writer = IndexWriter::create(&dir, IndexSettings::default(), 1)?;
/// let fish = "one fish two fish red fish blue fish black fish old fish new fish";
/// let records = [Record::new(fish).id("fish"), Record::new("a rose is a rose is a rose").id("rose")];
/// let (fields, options) = (Settings::default(), AddOptions::default());
/// writer.add(Source::records(records), &fields, &options, &Silent, |done| {
///     println!("commit {} with {} documents", done.commit, done.documents);
/// })?;
///
/// // In this process or another one, while the writer goes on.
/// let index = Index::open(&dir)?;
/// let text = format!("{fish} say what a lot of fish there are");
/// let mut query = Query::new(QuerySubject::Text(text));
/// (query.ask, query.threshold) = (Wanted::ContainedIn, Some("0.9".into()));
/// let answer = index.ask(&query)?;
/// assert_eq!(answer.matches[0].id, "fish");
/// assert_eq!(answer.matches[0].document_in_query, 1.0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Index {
    /// The index on disk. For the crates of this workspace that ask more of it; no part of the API.
    #[doc(hidden)]
    pub reader: IndexReader,
    /// How documents become sets. No part of the API either.
    #[doc(hidden)]
    pub analysis: Analysis,
    dir: PathBuf,
    /// Buffers of threads that asked and are done.
    idle: Mutex<Vec<Buffers>>,
}

/// Buffers of a thread that asks.
#[derive(Debug)]
pub struct Buffers {
    /// Of the search.
    pub scratch: QueryScratch,
    /// Of stored texts.
    pub texts: TextReader,
    /// Of the signer.
    pub signer: SignerScratch,
}

impl Buffers {
    /// Empty buffers.
    pub fn new(analysis: &Analysis) -> Self {
        Self {
            scratch: QueryScratch::new((analysis.makers())()),
            texts: TextReader::default(),
            signer: SignerScratch::default(),
        }
    }
}

impl Index {
    /// Opens an index for reading.
    ///
    /// # Errors
    /// A directory without an index; an index of another version, format or analysis, by name of
    /// what differs; files that cannot be read.
    pub fn open(dir: impl AsRef<Path>) -> Result<Self, LookalikeError> {
        let dir = dir.as_ref();
        let disk: Arc<dyn Disk> = Arc::new(RealDisk);
        let (description, analysis) = Analysis::of(dir, &*disk)?;
        let reader = IndexReader::open(disk, dir, description, analysis.makers())?;
        Ok(Self { reader, analysis, dir: dir.to_owned(), idle: Mutex::default() })
    }

    /// Buffers for one question.
    pub fn buffers(&self) -> Buffers {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.unwrap_or_else(|| Buffers::new(&self.analysis))
    }

    /// Keeps buffers for the next question.
    pub fn give_back(&self, buffers: Buffers) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(buffers);
    }

    /// The directory.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The settings that it was created with.
    #[must_use]
    pub fn settings(&self) -> &IndexSettings {
        &self.analysis.settings
    }

    /// The documents of the last commit. Those of an earlier snapshot do not change.
    ///
    /// # Errors
    /// Files that cannot be read.
    pub fn snapshot(&self) -> Result<Arc<Snapshot>, LookalikeError> {
        Ok(self.reader.refresh()?)
    }
}
