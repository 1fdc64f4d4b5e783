//! What a user asks for, in a form that a summary can state and a later `explain` can read back.

use crate::LookalikeError;
use crate::boilerplate::BoilerplateLimit;
use crate::no_statistics::NoStatistics;
use crate::page_files::REPORT_SIZE;
use lookalike_cluster::{KeepRule, keep_rules};
use lookalike_core::{FeatureKind, Measure, ShortDocuments, Threshold};
use lookalike_engine::{Linkage, MatchSettings, MaxLost, MinFeatures, Verify, WitnessRule};
use lookalike_io::{DiscoverOptions, FieldNames, Format, FormatOptions, Inputs, ReadFailure};
use lookalike_methods::{Method, MethodSpec, build};
use lookalike_text::{AnalysisSettings, Case, Normalize, Terms, Tokens};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// Everything that decides the answer: two runs with equal settings over the same documents give
/// the same bytes.
///
/// Messages name settings as the command and other languages do (`the setting text_field`). These
/// are the names of the fields here, with some exceptions:
///
/// | name in messages | field |
/// |---|---|
/// | `text_field`, `id_field`, `html_field`, `url_field`, `title_field`, `date_field`, `features_field` | `text`, `id`, … of [`Settings::fields`] |
/// | `input_format` | [`Settings::format`] |
/// | `csv_delimiter`, `csv_quote`, `csv_escape`, `warc_status`, `mail_quotes`, `mail_signatures`, `mail_html`, `mail_attachments`, `extract`, `extract_timeout` | fields of [`Settings::formats`] |
/// | `method`, `verify`, `lexicon`, `lexicon_checksum`, `key_limit` | fields of [`MethodSettings`] |
/// | `mark`, `mark_prefix` | [`Job::mark`] |
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// What is measured.
    pub measure: Measure,
    /// What it has to reach: a decimal above 0 and at most 1, as written.
    pub threshold: String,
    /// By what documents are compared.
    #[serde(default, skip_serializing_if = "Shingle::is_usual")]
    pub shingle: Shingle,
    /// Which terms count, where documents are compared by terms.
    pub terms: Terms,
    /// What becomes of documents under one shingle.
    pub short_documents: ShortDocuments,
    /// Documents with fewer features are in a pair only with documents of the same words; `None`
    /// for [`DEFAULT_MIN_TERMS`] where documents are compared by terms, and for 1 where they are by
    /// shingles or by ready-made features.
    #[serde(default)]
    pub min_features: Option<u32>,
    /// From text to tokens.
    pub analysis: AnalysisSettings,
    /// Which duplicate to keep: rules in order. Several in one text are separated by commas.
    pub keep: Vec<String>,
    /// How pairs become clusters; `None` for the usual way of the action: by leaders if documents are
    /// removed, and by connected components if pairs and clusters are listed (by leaders with
    /// [`Settings::contained_only`], which needs them).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linkage: Option<Linkage>,
    /// Which kept match of a removed document is named as its witness. With [`Linkage::Components`]
    /// it is the component's first document, and only the default is accepted.
    #[serde(default)]
    pub witness: WitnessRule,
    /// How many documents of each cluster are kept, the first ones in order of precedence; 0 for
    /// none, so that only documents without a duplicate are left.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub keep_n: u32,
    /// A match removes a document only if the kept one contains it to this degree: a decimal above 0
    /// and at most 1, as written. With [`Linkage::Leaders`] and exact verification.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contained_only: Option<String>,
    /// A match removes a document only if the kept one lacks no more of its words, each counted as
    /// often as it occurs. With [`Linkage::Leaders`] and exact verification.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_lost: Option<MaxLost>,
    /// Which fields hold what.
    pub fields: FieldNames,
    /// Form of all inputs, where it was not left to their names.
    pub format: Option<Format>,
    /// Largest record that is read, in bytes.
    pub max_record: Option<usize>,
    /// Options of single formats that change texts.
    #[serde(default, skip_serializing_if = "FormatOptions::is_default")]
    pub formats: FormatOptions,
    /// Elements that more distinct feature sets than this have are removed from all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignore_common: Option<u32>,
    /// Shingles that more documents of one site than this have are removed from all feature sets, as
    /// boilerplate. Documents match if the remaining sets reach the threshold, or if these reach
    /// 0.3 and the complete sets the threshold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boilerplate: Option<BoilerplateLimit>,
    /// The field that names the site of a document, for [`Settings::boilerplate`]; `None` for the
    /// host of its URL, else its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site_field: Option<String>,
    /// Files with texts whose shingles are removed from all feature sets, read as inputs are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignore_text: Vec<String>,
    /// Only documents with the same value of this field match. Documents without a value have one in
    /// common; of a list, the distinct elements are the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub separate_by: Option<String>,
    /// Field with labels: what a person calls one document has one label. Rules are found by them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label_field: Option<String>,
    /// What documents need to have in common to match, besides the measure: parts of their texts, values
    /// of fields, what patterns find ([`Distinction::list`](lookalike_engine::Distinction::list)).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub distinct_by: Vec<String>,
    /// Only documents with different values of this field match, or of different inputs (`inputs`): train
    /// and test data, sources, owners. Documents without a value have one in common; of a list, the
    /// distinct elements are the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub across: Option<String>,
    /// Another way to find candidates than the exact join.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<MethodSettings>,
}

/// A method of the papers instead of the exact join.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MethodSettings {
    /// Its name and parameters, `name:parameter=value,…`.
    pub spec: String,
    /// What decides about the candidates that it finds.
    pub verify: Verify,
    /// The file of document frequencies that it uses; without one they are those of the inputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lexicon: Option<String>,
    /// Checksum of the document frequencies, 32 hexadecimal digits; others are refused. A summary
    /// names that of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lexicon_checksum: Option<String>,
    /// Keys that more distinct documents than this have are ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_limit: Option<u32>,
}

impl MethodSettings {
    /// Checks the description.
    ///
    /// # Errors
    /// A method or a parameter that does not exist; a value that makes no sense.
    pub fn check(&self) -> Result<(), LookalikeError> {
        self.build_without_statistics().map(|_| ())
    }

    fn build_without_statistics(&self) -> Result<(MethodSpec, Box<dyn Method>), LookalikeError> {
        let spec: MethodSpec = self.spec.parse().map_err(LookalikeError::MethodSetting)?;
        let method = build(&spec, Some(Arc::new(NoStatistics)));
        Ok((spec, method.map_err(LookalikeError::MethodSetting)?))
    }
}

/// By what documents are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "Option<u32>", into = "Option<u32>")]
pub enum Shingle {
    /// By their distinct terms with the measure cosine, else by shingles of [`DEFAULT_SHINGLE`]
    /// tokens. Not written.
    #[default]
    Usual,
    /// By their distinct terms.
    Terms,
    /// By shingles of this number of tokens.
    Of(u32),
}

impl Shingle {
    fn is_usual(&self) -> bool {
        *self == Self::Usual
    }
}

impl From<Option<u32>> for Shingle {
    /// `None` for terms.
    fn from(size: Option<u32>) -> Self {
        size.map_or(Self::Terms, Self::Of)
    }
}

impl From<Shingle> for Option<u32> {
    fn from(shingle: Shingle) -> Self {
        match shingle {
            Shingle::Of(size) => Some(size),
            Shingle::Usual | Shingle::Terms => None,
        }
    }
}

/// Tokens in a shingle where nothing else is said.
pub const DEFAULT_SHINGLE: u32 = 5;

/// Fewest terms of a document that is compared by terms, where nothing else is said. Fewer terms
/// are shared by documents that have nothing else in common (docs/reference/analysis.md).
pub const DEFAULT_MIN_TERMS: u32 = 10;

/// Number of documents of a cluster that are kept, where nothing else is said.
pub(crate) const DEFAULT_KEEP_N: u32 = 1;

fn one() -> u32 {
    DEFAULT_KEEP_N
}

fn is_one(keep_n: &u32) -> bool {
    *keep_n == DEFAULT_KEEP_N
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            measure: Measure::Resemblance,
            threshold: "0.8".into(),
            shingle: Shingle::Usual,
            terms: Terms::All,
            short_documents: ShortDocuments::Whole,
            min_features: None,
            analysis: AnalysisSettings::default(),
            keep: vec!["first".into()],
            linkage: None,
            witness: WitnessRule::First,
            keep_n: DEFAULT_KEEP_N,
            contained_only: None,
            max_lost: None,
            fields: FieldNames::default(),
            format: None,
            max_record: None,
            formats: FormatOptions::default(),
            ignore_common: None,
            boilerplate: None,
            site_field: None,
            ignore_text: Vec::new(),
            separate_by: None,
            label_field: None,
            distinct_by: Vec::new(),
            across: None,
            method: None,
        }
    }
}

impl Settings {
    /// Checks what can be checked without documents, as a call does before it reads any.
    ///
    /// # Errors
    /// Those of [`Settings::matching`] and [`Settings::keep_rules`]; a method that does not exist.
    pub fn check(&self) -> Result<(), LookalikeError> {
        self.matching()?;
        self.keep_rules()?;
        if let Some(method) = &self.method {
            let (spec, method) = method.build_without_statistics()?;
            self.check_method_of_features(&spec, method.as_ref())?;
        }
        Ok(())
    }

    /// What documents are compared by.
    ///
    /// # Errors
    /// A threshold or shingle size that makes no sense; a witness rule where there is no choice.
    pub fn matching(&self) -> Result<MatchSettings, LookalikeError> {
        if self.linkage == Some(Linkage::Components) && self.witness != WitnessRule::First {
            return Err(LookalikeError::Settings(format!(
                "the setting witness={} needs the setting linkage=leaders: with components, the witness \
                 is the first document of the component",
                self.witness.name()
            )));
        }
        self.contained()?;
        self.check_max_lost()?;
        let none = [
            ("min_features", self.min_features == Some(0)),
            ("ignore_common", self.ignore_common == Some(0)),
            ("max_record", self.max_record == Some(0)),
        ];
        if let Some((name, _)) = none.into_iter().find(|(_, is_zero)| *is_zero) {
            let reason =
                format!("the setting {name}=0 has no meaning; use 1 or more, or leave it out");
            return Err(LookalikeError::Settings(reason));
        }
        self.check_features()?;
        self.check_case()?;
        self.check_boilerplate()?;
        self.check_ignored_texts()?;
        if let Some(value) = self.across.as_ref().filter(|_| self.keep_n != DEFAULT_KEEP_N) {
            return Err(LookalikeError::Settings(format!(
                "the setting keep_n={} counts documents of a cluster that match one another, and with \
                 the setting across={value} documents of the same value do not; leave one of them out",
                self.keep_n
            )));
        }
        let threshold: Threshold = self.threshold.parse()?;
        let features = match self.shingle_size() {
            None => FeatureKind::Terms,
            Some(size) if (1..=1000).contains(&size) => {
                FeatureKind::Shingles { size: size as usize, short: self.short_documents }
            }
            Some(size) => return Err(LookalikeError::ShingleSize(size)),
        };
        let (count, terms) = (self.least_features(), self.terms);
        Ok(MatchSettings {
            analysis: self.analysis.clone(),
            features,
            terms: self.terms,
            measure: self.measure,
            threshold,
            common: None,
            boilerplate: None,
            boilerplate_counts: self.boilerplate.is_some(),
            min_features: (count > 1).then_some(MinFeatures { count, features, terms }),
            distinct: self.distinctions()?.map(Arc::new),
            across: self.across(),
            words_count: self.max_lost.is_some(),
            sections: self.fields.has_sections(),
        })
    }

    /// Tokens in a shingle; `None` where documents are compared by their distinct terms.
    #[must_use]
    pub fn shingle_size(&self) -> Option<u32> {
        match (self.shingle, self.measure) {
            (Shingle::Of(size), _) => Some(size),
            (Shingle::Terms, _) | (Shingle::Usual, Measure::Cosine) => None,
            (Shingle::Usual, _) if self.fields.features.is_some() => None,
            (Shingle::Usual, _) => Some(DEFAULT_SHINGLE),
        }
    }

    /// How pairs become clusters where documents are removed, or where it is said.
    #[must_use]
    pub fn linkage(&self) -> Linkage {
        self.linkage.unwrap_or(Linkage::Leaders)
    }

    /// These settings with what depends on the action and on other settings in words: with `lists`,
    /// pairs and clusters are listed, else documents are removed. One place for all callers.
    #[must_use]
    pub fn resolved(&self, lists: bool) -> Self {
        let usual = match lists && self.contained_only.is_none() && self.max_lost.is_none() {
            true => Linkage::Components,
            false => Linkage::Leaders,
        };
        let single = self.clone().with_single_rules();
        Self {
            shingle: self.shingle_size().into(),
            linkage: Some(self.linkage.unwrap_or(usual)),
            // A wrong rule is refused where rules are used.
            ..single.unwrap_or_else(|_| self.clone())
        }
    }

    /// Fewest features of a document that is compared.
    #[must_use]
    pub fn least_features(&self) -> u32 {
        let terms = self.shingle_size().is_none() && self.fields.features.is_none();
        let usual = if terms { DEFAULT_MIN_TERMS } else { 1 };
        self.min_features.unwrap_or(usual)
    }

    /// The degree to which a kept document must contain a removed one.
    ///
    /// # Errors
    /// A degree that makes no sense; settings with which it is not known.
    pub(crate) fn contained(&self) -> Result<Option<Threshold>, LookalikeError> {
        let Some(least) = &self.contained_only else { return Ok(None) };
        self.check_leaders(&format!("contained_only={least}"))?;
        let least: Threshold = least.parse().map_err(|error| {
            LookalikeError::Settings(format!("the setting contained_only={least}: {error}"))
        })?;
        Ok(Some(least))
    }

    /// Refuses a limit of lost words with which it is not known what is lost.
    fn check_max_lost(&self) -> Result<(), LookalikeError> {
        let Some(most) = self.max_lost else { return Ok(()) };
        if self.fields.features.is_some() {
            return Err(LookalikeError::Settings(format!(
                "the setting max_lost={most} is about words, and the setting features_field takes the \
                 place of texts; leave one of them out"
            )));
        }
        self.check_leaders(&format!("max_lost={most}"))
    }

    /// Refuses a setting that compares each removed document with its witness where there is no such
    /// comparison.
    fn check_leaders(&self, setting: &str) -> Result<(), LookalikeError> {
        let needs = match &self.method {
            _ if self.linkage() != Linkage::Leaders => "linkage=leaders",
            Some(method) if method.verify != Verify::Exact => "verify=exact",
            _ => return Ok(()),
        };
        Err(LookalikeError::Settings(format!(
            "the setting {setting} compares each removed document with the kept one; that needs the \
             setting {needs}"
        )))
    }

    /// The analysis of a run over these inputs, with its tokens decided.
    ///
    /// # Errors
    /// An input that cannot be read, on which they depend; with `skip_unreadable` the others decide.
    pub(crate) fn analysis_of(
        &self,
        inputs: &Inputs,
        skip_unreadable: bool,
    ) -> Result<AnalysisSettings, ReadFailure> {
        let is_open = self.analysis.tokens.is_none() && self.fields.features.is_none();
        let tokens = match is_open && inputs.are_source_code(skip_unreadable)? {
            true => Some(Tokens::Symbols),
            false => self.analysis.tokens,
        };
        Ok(AnalysisSettings { tokens, ..self.analysis.clone() }.decided())
    }

    /// Refuses to keep the case of letters that look alike.
    fn check_case(&self) -> Result<(), LookalikeError> {
        let AnalysisSettings { normalize, case, .. } = &self.analysis;
        if *normalize == Normalize::Confusables && *case == Case::Keep {
            return Err(LookalikeError::Settings(
                "the setting normalize=confusables makes letters of both cases one and cannot be combined \
                 with the setting case=keep; leave one of them out"
                    .into(),
            ));
        }
        Ok(())
    }

    /// Refuses settings that boilerplate cannot be counted with.
    fn check_boilerplate(&self) -> Result<(), LookalikeError> {
        match (&self.boilerplate, &self.site_field) {
            (None, None) => Ok(()),
            (None, Some(_)) => Err(LookalikeError::Settings(
                "the setting site_field says whose boilerplate is counted; it needs the setting \
                 boilerplate"
                    .into(),
            )),
            (Some(_), _) => self.check_removed_shingles("boilerplate"),
        }
    }

    /// Refuses settings with which no shingles of texts can be ignored.
    fn check_ignored_texts(&self) -> Result<(), LookalikeError> {
        if self.ignore_text.is_empty() {
            return Ok(());
        }
        self.check_removed_shingles("ignore_text")?;
        match self.boilerplate {
            None => Ok(()),
            Some(_) => Err(LookalikeError::Settings(
                "the settings ignore_text and boilerplate remove shingles by different rules: complete \
                 documents make a match only with boilerplate; leave one of them out"
                    .into(),
            )),
        }
    }

    /// Refuses a setting that removes shingles where documents are not compared by them.
    fn check_removed_shingles(&self, setting: &str) -> Result<(), LookalikeError> {
        let reason = match self.method {
            _ if self.shingle_size().is_none() => {
                "removes shingles, and documents are compared by single terms; use the setting \
                 shingle=5, or leave it out"
            }
            Some(_) => {
                "is for the exact join; leave out the setting method, or use the setting \
                 ignore_common, which methods honour"
            }
            None => return Ok(()),
        };
        Err(LookalikeError::Settings(format!("the setting {setting} {reason}")))
    }

    /// Settings about survivors, for [`Settings::refuse`].
    pub const SURVIVORS: [&str; 3] = ["keep_n", "contained_only", "max_lost"];

    /// Refuses settings about what is removed, in a run that removes nothing.
    ///
    /// # Errors
    /// The first of them that is given.
    pub fn refuse_removals(&self) -> Result<(), LookalikeError> {
        self.refuse(&["keep_n", "label_field"], "cluster, which removes nothing")
    }

    /// Refuses every setting that not all calls honour, in a call that honours these of them.
    ///
    /// # Errors
    /// The first other setting that is given.
    pub fn refuse_scoped(&self, honoured: &[&str], what: &str) -> Result<(), LookalikeError> {
        let names = SCOPES.iter().map(|(name, ..)| *name);
        let others: Vec<&str> = names.filter(|name| !honoured.contains(name)).collect();
        self.refuse(&others, what)
    }

    /// Refuses those of these settings that are given, in a call that does not honour them.
    ///
    /// # Errors
    /// The first of them.
    pub fn refuse(&self, names: &[&str], what: &str) -> Result<(), LookalikeError> {
        let refused = |(name, is_given, _): &&Scope| names.contains(name) && is_given(self);
        match SCOPES.iter().find(refused) {
            None => Ok(()),
            Some((name, _, runs)) => Err(LookalikeError::Settings(format!(
                "the setting {name} is for runs of {runs}, and not for {what}; leave it out"
            ))),
        }
    }

    /// How inputs are read, with the fields of [`Settings::given_fields`].
    pub fn reading(&self, exclude: Vec<PathBuf>, scratch: Option<PathBuf>) -> DiscoverOptions {
        let Self { mut fields, format, max_record, formats, .. } = self.clone();
        // A method that does not exist is refused where it is made.
        fields.given = self.given_fields().unwrap_or_default();
        DiscoverOptions { fields, format, max_record, formats, scratch, exclude }
    }

    /// The rules by which survivors are chosen. `first` is always the last of them.
    ///
    /// # Errors
    /// A rule that does not exist.
    pub fn keep_rules(&self) -> Result<Vec<KeepRule>, LookalikeError> {
        let mut rules = Vec::new();
        for list in &self.keep {
            rules.extend(keep_rules(list)?);
        }
        Ok(rules)
    }

    /// Whether all pairs are listed: components need them anyway, so they may as well be.
    pub(crate) fn lists_pairs(&self, action: lookalike_report::Action) -> bool {
        action == lookalike_report::Action::List || self.linkage() == Linkage::Components
    }

    /// The fields that the keep rules read.
    ///
    /// # Errors
    /// As of [`Settings::keep_rules`].
    pub fn keep_fields(&self) -> Result<Vec<String>, LookalikeError> {
        let rules = self.keep_rules()?;
        Ok(rules.iter().filter_map(|rule| rule.field()).map(str::to_owned).collect())
    }

    /// These settings with one rule in each text of [`Settings::keep`], and one distinction in each
    /// of [`Settings::distinct_by`].
    ///
    /// # Errors
    /// A rule that does not exist.
    pub fn with_single_rules(mut self) -> Result<Self, LookalikeError> {
        self.keep = self.keep_rules()?.iter().map(ToString::to_string).collect();
        self.distinct_by = self.parsed_distinctions()?.iter().map(ToString::to_string).collect();
        Ok(self)
    }
}

/// A setting that not every call honours: its name, whether it is given, and the runs that do.
type Scope = (&'static str, fn(&Settings) -> bool, &'static str);

const SCOPES: [Scope; 8] = [
    ("keep_n", |given| given.keep_n != DEFAULT_KEEP_N, "dedup on one machine"),
    ("contained_only", |given| given.contained_only.is_some(), "dedup and cluster on one machine"),
    ("max_lost", |given| given.max_lost.is_some(), "dedup and cluster on one machine"),
    ("label_field", |given| given.label_field.is_some(), "dedup and plan on one machine"),
    ("boilerplate", |given| given.boilerplate.is_some(), "dedup and cluster on one machine"),
    (
        "ignore_text",
        |given| !given.ignore_text.is_empty(),
        "dedup, cluster and plan, and for indexes",
    ),
    (
        "distinct_by",
        |given| !given.distinct_by.is_empty(),
        "dedup, cluster, evaluate and plan, and for indexes",
    ),
    ("across", |given| given.across.is_some(), "dedup, cluster and plan, and for indexes"),
];

/// What is done and where it goes: none of it changes which documents match.
#[derive(Debug, Clone)]
pub struct Job {
    /// Files, directories, globs, or `-` for JSONL on standard input.
    pub inputs: Vec<String>,
    /// A collection to compare with, which is left as it is.
    pub against: Vec<String>,
    /// Only remove what is in `against`.
    pub against_only: bool,
    /// The directory that the results are written to.
    pub output: PathBuf,
    /// Replace an earlier result.
    pub force: bool,
    /// The settings.
    pub settings: Settings,
    /// Write all documents with added columns, their names beginning so, and remove nothing.
    pub mark: Option<String>,
    /// Add to each kept document the number of documents that were removed for it, and how many of them
    /// came from each input.
    pub add_counts: bool,
    /// Cut passages of at least this number of words out of the documents that are kept, as
    /// [`run_passages`](crate::run_passages) does: its summary, tables and report are in the folder
    /// `passages` of the output.
    pub passages: Option<u32>,
    /// Write attribute files: for each input a JSONL file in `attributes` with one line for each of
    /// its records, in order.
    pub attributes: bool,
    /// Form of the tables.
    pub tables: lookalike_io::table::TableFormat,
    /// Write `report.html`.
    pub report: bool,
    /// Bytes of data embedded in `report.html`; more go to files in `report-data` beside it.
    pub report_size: u64,
    /// Copy kept one-document files.
    pub copy_files: bool,
    /// Stop at the first bad record.
    pub strict: bool,
    /// Continue when an input cannot be read to its end, instead of failing: it is counted and
    /// named.
    pub skip_unreadable: bool,
    /// List the pairs whose measure is below the threshold by at most so much, a decimal as written,
    /// in the table `near_misses`: an exact join at the lower threshold. As many as
    /// [`Job::max_pairs`], the matches included.
    pub near_misses: Option<String>,
    /// The most that may be removed, of all documents and of each input with 100 documents or more:
    /// `30%` or `0.3`; `0` for nothing. A run that would remove more stops before anything is removed. `None`: 98 %
    /// of all documents, if there are more than 1000.
    pub max_loss: Option<String>,
    /// The largest cluster, in documents (`5000`) or as a share of all (`2%`). A run that finds a
    /// larger one stops before anything is removed.
    pub max_cluster: Option<String>,
    /// Write the outcome as JUnit XML to this file, replacing it, also if a guard stops the run: a test
    /// case for the guards and one for each document that is removed, or would be.
    pub junit: Option<PathBuf>,
    /// Maximum number of listed pairs of documents.
    pub max_pairs: u64,
    /// Number of threads; 0 for as many as there are cores.
    pub threads: usize,
    /// Memory budget in bytes (approximate); data beyond half of it is spilled. `None` for
    /// three quarters of the machine's, of which data takes at most half as much as the inputs. It
    /// changes no result.
    pub memory: Option<u64>,
    /// Directory of spill files and checkpoints (default: beside the output). If it is given,
    /// checkpoints are written, and a later run can continue from them.
    pub scratch: Option<PathBuf>,
    /// Continue from the checkpoints of an earlier run of the same job, and write checkpoints.
    pub resume: bool,
    /// Return freed memory to the system during the run and set the thresholds of the C library's
    /// allocator, for the whole process: for a process that does nothing else.
    pub trim_heap: bool,
    /// Output of `plan` as JSON: the summary compares prediction and outcome.
    pub plan: Option<PathBuf>,
    /// The command line, for the record.
    pub command: String,
    /// The configuration of the run, written beside the results as `config.toml`.
    pub config: Option<String>,
}

impl Job {
    /// A job with default settings.
    pub fn new(inputs: Vec<String>, output: impl Into<PathBuf>) -> Self {
        Self {
            inputs,
            against: Vec::new(),
            against_only: false,
            output: output.into(),
            force: false,
            settings: Settings::default(),
            mark: None,
            add_counts: false,
            passages: None,
            attributes: false,
            tables: Default::default(),
            report: true,
            report_size: REPORT_SIZE,
            copy_files: false,
            strict: false,
            skip_unreadable: false,
            near_misses: None,
            max_loss: None,
            max_cluster: None,
            junit: None,
            max_pairs: 10_000_000,
            threads: 0,
            memory: None,
            scratch: None,
            resume: false,
            trim_heap: false,
            plan: None,
            command: String::new(),
            config: None,
        }
    }

    /// The number of threads to use.
    #[must_use]
    pub fn thread_count(&self) -> usize {
        thread_count(self.threads)
    }
}

/// The number of threads to use for a number asked for: 0 is as many as there are cores.
pub fn thread_count(asked: usize) -> usize {
    match asked {
        0 => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        asked => asked,
    }
}
