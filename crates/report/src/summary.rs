//! The result of a run, as in `summary.json`.
//!
//! The primary type is [`Summary`]. Values that depend on the machine and time (time, memory,
//! threads, the command line) are in [`Summary::run`]; all others are the same bytes for the same
//! documents and settings.

use crate::across::AcrossSummary;
use crate::boilerplate::{BoilerplateSummary, IgnoredSummary, TemplateSite};
use crate::human::{count, counted, share};
use crate::{Accuracy, SimilarityHistogram, SizeHistogram};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The result of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The program that wrote the file.
    pub tool: Tool,
    /// The subcommand: `dedup`, `cluster`, …
    pub command: String,
    /// What happened to duplicates.
    pub action: Action,
    /// The settings.
    pub settings: SettingsSummary,
    /// The input files, in the order in which they were given.
    pub inputs: Vec<InputSummary>,
    /// Documents read.
    pub documents: u64,
    /// Documents that are not duplicates of another one.
    pub kept: u64,
    /// Duplicates by rule.
    pub removed: Removed,
    /// Documents that cannot resemble any other.
    pub without_features: WithoutFeatures,
    /// Documents that are compared by fewer terms than the default requires, where the setting
    /// `min_features` allows that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub few_terms: Option<FewTerms>,
    /// Documents in which letters of other scripts were replaced by the ASCII letters that they
    /// look like, with the setting `normalize` at `confusables`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confusables: Option<Confusables>,
    /// Lexically equivalent duplicates whose symbols differ from those of the kept document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol_differences: Option<SymbolDifferences>,
    /// What differs between removed documents and their witnesses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub differences: Option<DifferenceSummary>,
    /// What was cut out of the kept documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passages: Option<CutPassages>,
    /// Inputs that are source code, where others are not and the setting `tokens` was not given: their
    /// symbols are not compared.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub source_code_inputs: u64,
    /// Documents with the id of an earlier document.
    pub duplicate_ids: u64,
    /// Keep rules for which some documents have no value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keep_values: Vec<KeepValues>,
    /// Records that could not be read as documents.
    pub problems: u64,
    /// Inputs that could not be read to their end: the missing documents are neither kept nor
    /// removed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unreadable_inputs: u64,
    /// Skipped files of directories and patterns: unsupported formats, or not regular files.
    #[serde(default)]
    pub skipped_files: u64,
    /// Skipped files by extension (`.pdf`), or by what they are.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub skipped_kinds: BTreeMap<String, u64>,
    /// Inputs of which more files were skipped than read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mostly_skipped: Vec<MostlySkipped>,
    /// Files and directories in the inputs that are no data, by reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutNames>,
    /// Clusters of two documents or more.
    pub clusters: u64,
    /// Documents in them, leaders included.
    pub documents_in_clusters: u64,
    /// Documents in the largest.
    pub largest_cluster: u64,
    /// The pairs table.
    pub pairs: Pairs,
    /// Pairs just below the threshold, if they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near_misses: Option<NearMissSummary>,
    /// Matches by pair of values, if documents match only across values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub across: Option<AcrossSummary>,
    /// Candidates: pairs of distinct documents that have a common key and pass the length
    /// and positional filters.
    pub candidates: u64,
    /// Candidates decided by their sets: rejected by bucket counts (large sets only), or
    /// intersected.
    pub verified: u64,
    /// Keys of a method that were ignored because too many documents have them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub keys_ignored: u64,
    /// Distinct features that were removed from all sets because too many distinct sets have them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub common_features: u64,
    /// The same for the shingles that the method signs.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub common_method_shingles: u64,
    /// What was removed from all sets as boilerplate of sites, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boilerplate: Option<BoilerplateSummary>,
    /// What was removed from all sets as the shingles of texts that are ignored, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignored_texts: Option<IgnoredSummary>,
    /// Sites of which many removals are mostly template, if boilerplate was not removed; those with
    /// the most first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub template_sites: Vec<TemplateSite>,
    /// Tokens in all documents.
    pub tokens: u64,
    /// Features (shingles or terms) in all documents.
    pub features: Features,
    /// Bytes of text in all documents.
    pub text_bytes: u64,
    /// Similarities of removed documents to their witnesses, by the measure of the run.
    pub histogram_similarity: SimilarityHistogram,
    /// Sizes of clusters.
    pub histogram_cluster_size: SizeHistogram,
    /// Warnings about the result; see [`Summary::find_warnings`].
    pub warnings: Vec<String>,
    /// Digest of all decisions (the tables ledger, clusters and pairs): equal digests mean equal
    /// results, on one machine or many.
    pub digest: String,
    /// Digest of the table `documents`, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documents_digest: Option<String>,
    /// The written files.
    pub outputs: Vec<Output>,
    /// Time, memory and the like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Run>,
}

/// What was cut out of the documents that a run of `dedup` keeps: numbers of its
/// [`PassageSummary`](crate::PassageSummary).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CutPassages {
    /// Rows of `passages`.
    pub passages: u64,
    /// Documents with another text.
    pub cut: u64,
    /// Documents that are removed, as nothing is left; the run counts them as kept.
    pub removed: u64,
    /// Units that are cut.
    pub cut_units: u64,
    /// Units of the documents that the run keeps.
    pub units: u64,
    /// What a unit is.
    pub unit: String,
}

/// Names in the inputs that are no data for one reason.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOutNames {
    /// What they are, in words.
    pub reason: String,
    /// Number of files and directories; what is below a directory is not counted.
    pub count: u64,
    /// The first of them.
    pub names: Vec<String>,
    /// Whether a reader may take them for documents, so that a warning names them.
    #[serde(default)]
    pub warn: bool,
}

/// A directory, pattern or archive of which more files were skipped than read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MostlySkipped {
    /// The input as given.
    pub input: String,
    /// Files that were skipped.
    pub skipped: u64,
    /// Files that were read.
    pub read: u64,
}

/// Documents in which characters were replaced by the ASCII characters that they look like.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confusables {
    /// Documents with such characters: those in Greek or Cyrillic too.
    pub documents: u64,
    /// Those with a word in which they stand beside ASCII letters.
    pub mixed_scripts: u64,
}

/// Lexically equivalent duplicates whose symbols differ from those of the kept document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolDifferences {
    /// Documents whose symbols differ.
    pub documents: u64,
    /// Documents that were looked at: the first of all.
    pub compared: u64,
    /// Lexically equivalent documents.
    pub of: u64,
    /// The first of them.
    pub examples: Vec<SymbolExample>,
}

/// A duplicate whose symbols differ from those of the kept document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolExample {
    /// Id of the duplicate.
    pub removed: String,
    /// Id of the kept document.
    pub kept: String,
    /// The duplicate around the first difference.
    pub removed_text: String,
    /// The kept document around it.
    pub kept_text: String,
}

/// What differs between removed documents and their witnesses. Identical ones are not counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DifferenceSummary {
    /// Removed documents whose texts were compared: a sample, if there are more.
    pub compared: u64,
    /// Removed documents that are not identical to their witnesses.
    pub of: u64,
    /// Compared near-duplicates: documents whose words are not those of their witnesses in the same
    /// order.
    pub near: u64,
    /// Compared documents with words that their witnesses lack.
    pub losing_words: u64,
    /// Compared documents with ten such words or more.
    pub losing_ten_words: u64,
    /// The kinds of differences that occur. A document can be of several.
    pub kinds: Vec<Differing>,
    /// The compared documents whose labels are known: duplicates to a person, or not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<JudgedRemovals>,
    /// Conditions of a match that would keep some of them: with labels the best, without them those of
    /// the differences that recur.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<FoundRule>,
}

impl DifferenceSummary {
    /// What the labels say, and the rules that were found: a name and a sentence of each.
    #[must_use]
    pub fn found(&self) -> Vec<(String, String)> {
        let wrong = |JudgedRemovals { right, wrong }| {
            let all = right + wrong;
            format!("{} of {} have another label ({})", count(wrong), count(all), share(wrong, all))
        };
        let mut said: Vec<(String, String)> = Vec::new();
        if let Some(judged) = self.judged {
            let none = match self.rules.is_empty() && judged.wrong * 20 > judged.right {
                true => "; no rule halves that and leaves nine tenths of the others",
                false => "",
            };
            said.push(("by labels".into(), wrong(judged) + none));
        }
        for rule in &self.rules {
            let FoundRule { kept_apart, alone, left, .. } = rule;
            let apart = format!("keeps {}", counted(*kept_apart, "near-duplicate"));
            let more = match (alone, left) {
                (_, Some(left)) => format!("; {}", wrong(*left)),
                (Some(alone), None) => format!("; {} differ in that alone", count(*alone)),
                (None, None) => String::new(),
            };
            said.push((rule.options(), apart + &more));
        }
        said
    }
}

/// Removed documents by what a person would say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedRemovals {
    /// Those with the same words as their witnesses, or with the same label.
    pub right: u64,
    /// Near-duplicates with another label.
    pub wrong: u64,
}

/// A condition of a match, found in what differs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundRule {
    /// What documents need to have in common by it.
    pub distinct_by: Vec<String>,
    /// The most words that a removal may lose by it.
    pub max_lost: Option<u64>,
    /// Compared near-duplicates that it keeps apart from their witnesses.
    pub kept_apart: u64,
    /// Those that differ in all that it names, and besides only in what more than nine tenths differ in; not
    /// counted where labels are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone: Option<u64>,
    /// The removals with labels that it leaves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<JudgedRemovals>,
}

/// A kind of difference.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Differing {
    /// Its name, as in the column `differs` of the ledger.
    pub kind: String,
    /// The compared documents that differ in it.
    pub documents: u64,
    /// Compared near-duplicates that differ in it.
    pub near: u64,
    /// The first of them.
    pub example: DifferenceExample,
}

/// A removed document and its witness.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DifferenceExample {
    /// Id of the removed document.
    pub removed: String,
    /// Id of its witness.
    pub kept: String,
}

impl FoundRule {
    /// The rule as options of the command.
    #[must_use]
    pub fn options(&self) -> String {
        let parts = (!self.distinct_by.is_empty())
            .then(|| format!("--distinct-by {}", self.distinct_by.join(",")));
        let lost = self.max_lost.map(|most| format!("--max-lost {most}"));
        parts.into_iter().chain(lost).collect::<Vec<_>>().join(" ")
    }
}

/// Name and version of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

impl Tool {
    /// This program: all crates have one version.
    #[must_use]
    pub fn lookalike() -> Self {
        Self { name: "lookalike".into(), version: env!("CARGO_PKG_VERSION").into() }
    }
}

/// What happened to duplicates.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Duplicates were removed.
    #[default]
    Remove,
    /// Duplicates were marked, and all documents were written.
    Mark,
    /// Duplicates were listed; no document was written.
    List,
}

/// The settings that determine the result.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SettingsSummary {
    /// `resemblance`, `containment` or `cosine`.
    pub measure: String,
    /// The threshold, as written by the user.
    pub threshold: String,
    /// Tokens in a shingle; `None` if documents were compared by their distinct terms.
    pub shingle: Option<u32>,
    /// `word` or `char`.
    pub unit: String,
    /// The term filter, if documents were compared by terms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terms: Option<String>,
    /// Unicode normalisation.
    pub normalize: String,
    /// What tokens are, unless words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<String>,
    /// Upper and lower case, unless folded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<String>,
    /// Treatment of documents shorter than one shingle.
    pub short_documents: String,
    /// Minimum number of features of a compared document; `None` if there is no minimum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_features: Option<u32>,
    /// Which duplicate to keep: rules in order.
    pub keep: Vec<String>,
    /// `leaders` or `components`.
    pub linkage: String,
    /// Which kept match is the witness of a removed document, `first` or `best`; none with
    /// components, whose witness is their first document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness: Option<String>,
    /// Name and version of the analysis from text to tokens.
    pub analysis: String,
    /// Name of the fingerprint function.
    pub hash: String,
    /// Settings that have no field here, by name.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl SettingsSummary {
    /// Description of documents that are not compared: `fewer than 10 terms`, `fewer than 3
    /// features`.
    pub(crate) fn under_min_features(&self) -> String {
        let named = if self.shingle.is_none() { "terms" } else { "features" };
        format!("fewer than {} {named}", self.min_features.unwrap_or(1))
    }

    /// Whether shingles were removed from the sets of documents whose texts still have them.
    #[must_use]
    pub fn removes_shingles(&self) -> bool {
        ["boilerplate", "ignore_text"].iter().any(|name| self.other.contains_key(*name))
    }

    /// The threshold as a number; 0 if it is not a number.
    #[must_use]
    pub fn threshold_value(&self) -> f64 {
        self.threshold.parse().unwrap_or(0.0)
    }

    /// The features that were compared: `word 5-shingles`, `distinct terms`.
    #[must_use]
    pub fn features(&self) -> String {
        let unit = if self.unit == "char" { "character" } else { "word" };
        match self.shingle {
            Some(size) => format!("{unit} {size}-shingles"),
            None => "distinct terms".into(),
        }
    }
}

/// A keep rule whose field some documents lack: they come after all documents that have it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeepValues {
    /// The rule: `newest`, `max:score`, …
    pub rule: String,
    /// The field of the rule.
    pub field: String,
    /// Documents without that field.
    pub missing: u64,
    /// Documents whose field holds no date, or no number.
    pub unreadable: u64,
}

/// One input file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputSummary {
    /// Its name as given.
    pub name: String,
    /// `jsonl`, `parquet`, …
    pub format: String,
    /// `gzip`, `zstd`, …; `None` if not compressed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compression: Option<String>,
    /// Its size on disk.
    pub bytes: u64,
    /// Documents read from it.
    pub documents: u64,
    /// Documents that are not duplicates of another one.
    pub kept: u64,
    /// Documents that duplicate a kept one.
    pub removed: u64,
    /// Records that could not be read as documents.
    pub problems: u64,
    /// Whether it could not be read, or not to its end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unreadable: bool,
    /// Records that are no documents, by kind: `request`, `response 404`, `response image/png`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub skipped_records: BTreeMap<String, u64>,
}

/// Duplicates, by the strictest rule that applies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removed {
    /// Same text.
    pub identical: u64,
    /// Same sequence of tokens.
    pub lexically_equivalent: u64,
    /// Same set of features.
    pub feature_equivalent: u64,
    /// Reaches the threshold with the kept document.
    pub near: u64,
    /// By a method's sketches alone.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sketch: u64,
    /// By a common key of a method alone.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub key: u64,
    /// In one connected component with the kept document.
    pub component: u64,
    /// The first documents of clusters of which none is kept.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped: u64,
}

impl Removed {
    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.by_rule().iter().map(|(_, count)| count).sum()
    }

    /// Counts with the displayed names of the rules, strictest rule first.
    #[must_use]
    pub fn by_rule(&self) -> [(&'static str, u64); 8] {
        [
            ("identical", self.identical),
            ("lexically equivalent", self.lexically_equivalent),
            ("feature-equivalent", self.feature_equivalent),
            ("near-duplicate", self.near),
            ("in one component", self.component),
            ("by sketches only", self.sketch),
            ("by a common key only", self.key),
            ("leaders of dropped clusters", self.dropped),
        ]
    }

    /// The place in [`Removed::by_rule`] of a rule by its name in the ledger.
    #[must_use]
    pub fn place_of_rule(name: &str) -> Option<usize> {
        const NAMES: [&str; 7] = [
            "identical",
            "lexically_equivalent",
            "feature_equivalent",
            "near",
            "component",
            "sketch",
            "key",
        ];
        NAMES.iter().position(|&rule| rule == name)
    }
}

/// Documents that cannot resemble any other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WithoutFeatures {
    /// No token, or none that passes the term filter.
    pub no_words: u64,
    /// Fewer tokens than one shingle, if such documents are ignored.
    pub under_one_shingle: u64,
    /// Too short for the method to sign.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub too_short_for_the_method: u64,
    /// Without any feature that the method selects.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub nothing_selected: u64,
    /// Only common features or shingles, all of which were removed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub only_common: u64,
    /// With fewer features than the setting `min_features`: in a pair only with documents of the
    /// same words.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub few_features: u64,
}

/// Documents that are compared by few terms.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FewTerms {
    /// The number of terms that each is below.
    pub fewer_than: u64,
    /// Number of documents.
    pub documents: u64,
}

impl std::ops::AddAssign for WithoutFeatures {
    fn add_assign(&mut self, more: Self) {
        self.no_words += more.no_words;
        self.under_one_shingle += more.under_one_shingle;
        self.too_short_for_the_method += more.too_short_for_the_method;
        self.nothing_selected += more.nothing_selected;
        self.only_common += more.only_common;
        self.few_features += more.few_features;
    }
}

/// The pairs table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pairs {
    /// Rows in it.
    pub listed: u64,
    /// Whether these are all pairs that reach the threshold.
    pub complete: bool,
}

/// The table of near misses, and a histogram of the pairs on both sides of the threshold.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct NearMissSummary {
    /// The least measure of a near miss.
    pub from: f64,
    /// The threshold.
    pub threshold: f64,
    /// Rows in the table.
    pub listed: u64,
    /// Rows of pairs that reach the threshold and are kept apart by what documents need to have in
    /// common, if they need anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_apart: Option<u64>,
    /// Whether these are all; otherwise there are more pairs than are listed, and none is.
    pub complete: bool,
    /// Pairs of documents with different feature sets, removed ones included, by their measure: bins
    /// of equal width from `from` to the threshold.
    pub below: Vec<u64>,
    /// The same for as many bins of that width from the threshold on.
    pub above: Vec<u64>,
}

impl Pairs {
    /// A note on the number of rows; `None` if all pairs are listed.
    pub(crate) fn note(self, wants_all: bool) -> Option<&'static str> {
        match (self.complete, wants_all) {
            (true, _) => None,
            (false, true) => Some("incomplete"),
            (false, false) => Some("those that caused a removal"),
        }
    }
}

/// Counts that only some methods have are omitted if they are 0.
#[allow(clippy::trivially_copy_pass_by_ref)] // serde passes references.
pub(crate) fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Features in all documents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Features {
    /// Counted once for each document that has them.
    pub total: u64,
    /// Different ones, approximately.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distinct_approximately: Option<u64>,
}

/// One file that was written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// Its name, relative to the output directory.
    pub name: String,
    /// Documents or rows in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// Its size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// Values that depend on the machine and time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The command line.
    pub command_line: String,
    /// The working directory: relative names of inputs begin there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// Worker threads.
    pub threads: u64,
    /// Wall-clock time from start to end.
    pub seconds: f64,
    /// The parts of it, in order.
    pub phases: Vec<Phase>,
    /// Peak memory, if the system reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_memory_bytes: Option<u64>,
    /// Bytes spilled to disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scratch_bytes: Option<u64>,
    /// Pairs of feature sets that were intersected: the `verified` ones that bucket counts did not
    /// reject (with less memory there are fewer bucket counts). Unknown if an earlier run compared
    /// them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intersected: Option<u64>,
    /// Steps that were completed by an earlier run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resumed: Vec<String>,
    /// Steps of an earlier run that were damaged and repeated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redone: Vec<String>,
    /// Comparison of the plan with the outcome, if a plan was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Accuracy>,
}

/// A part of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// Its name.
    pub name: String,
    /// Wall-clock time.
    pub seconds: f64,
    /// Megabytes of text per second, if defined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub megabytes_per_second: Option<f64>,
    /// Processor seconds of all threads together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_seconds: Option<f64>,
}

impl Summary {
    /// Whether all pairs that reach the threshold were requested. If documents are removed by
    /// leader clustering, only the pairs that caused a removal are listed: finding all would cost
    /// the time that leader clustering saves.
    #[must_use]
    pub fn wants_all_pairs(&self) -> bool {
        self.action == Action::List || self.settings.linkage == "components"
    }

    /// The name of what a document without features lacks: `words`, or `terms` if there is a term
    /// filter.
    #[must_use]
    pub fn lacking(&self) -> &'static str {
        match self.settings.terms.as_deref() {
            None | Some("all") => "words",
            Some(_) => "terms",
        }
    }

    /// The file's content: indented JSON that ends with a line break.
    ///
    /// # Errors
    /// Serialisation failed, which does not occur for a well-formed summary.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        indented(self)
    }
}

/// Indented JSON that ends with a line break.
pub(crate) fn indented(summary: &impl Serialize) -> Result<String, serde_json::Error> {
    let mut json = serde_json::to_string_pretty(summary)?;
    json.push('\n');
    Ok(json)
}
