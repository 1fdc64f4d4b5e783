//! What a run removed as boilerplate of sites.

use serde::{Deserialize, Serialize};

/// Boilerplate that was removed from feature sets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoilerplateSummary {
    /// Distinct shingles that were removed, of all sites.
    pub shingles: u64,
    /// Sites of the documents.
    pub sites: u64,
    /// Sites that have any boilerplate.
    pub sites_with_boilerplate: u64,
    /// Documents that consist of boilerplate: each matches only documents of the same words.
    pub only_boilerplate: u64,
    /// The sites with the most occurrences of boilerplate, up to 20: those with the most documents
    /// first.
    pub largest_sites: Vec<SiteBoilerplate>,
}

/// Shingles of given texts that were removed from feature sets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IgnoredSummary {
    /// Number of texts.
    pub texts: u64,
    /// Distinct shingles of the texts.
    pub shingles: u64,
    /// Documents that have any of the shingles.
    pub documents: u64,
    /// Documents that have nothing else: each matches only documents of the same words.
    pub only_ignored: u64,
    /// Checksum of the shingles, 32 hexadecimal digits.
    pub checksum: String,
}

/// A site of which many removals are mostly template, by a sample of the removals: what the two
/// documents have besides the template is below what the setting boilerplate requires.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateSite {
    /// Host, or file or directory.
    pub site: String,
    /// Sampled removals whose two documents are of this site.
    pub sampled: u64,
    /// Those that are mostly template.
    pub mostly_template: u64,
}

/// The boilerplate of a site.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteBoilerplate {
    /// Host, value of the site's field, file or directory.
    pub site: String,
    /// Distinct documents of the site.
    pub documents: u64,
    /// Shingles in more of them than this are boilerplate.
    pub more_than: u64,
    /// Number of these shingles.
    pub shingles: u64,
    /// Passages of consecutive ones, in up to 32 documents that have the most of them.
    pub passages: u64,
    /// The most frequent passages, up to 20.
    pub most_frequent: Vec<BoilerplatePassage>,
}

/// Consecutive shingles that are boilerplate.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoilerplatePassage {
    /// Distinct documents of the site that have the rarest shingle of the passage.
    pub documents: u64,
    /// Tokens of the passage.
    pub words: u64,
    /// The passage on one line, as a document has it; a long one without its middle.
    pub text: String,
}
