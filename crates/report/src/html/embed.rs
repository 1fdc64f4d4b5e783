//! A page with its data: in the page, or in files beside it.

use super::{Report, Template, script};
use crate::{ClusterData, ReportError};
use askama::Template as _;
use serde_json::json;

/// Directory of the data beside a page.
const FOLDER: &str = "report-data";

/// A page, complete.
#[derive(Debug)]
pub struct Page {
    /// The page itself.
    pub html: String,
    /// Data that it loads from beside it.
    pub files: Vec<PageFile>,
}

/// A file beside a page.
#[derive(Debug)]
pub struct PageFile {
    /// Path relative to the page.
    pub name: String,
    /// Its content.
    pub content: String,
}

/// The data that a page has or loads; none by default.
#[derive(Debug, Default)]
pub(super) struct Embedded {
    /// The script; empty if there are no data.
    pub(super) script: &'static str,
    /// The name and content of the index and each block, where they are in the page.
    pub(super) blocks: Vec<(String, String)>,
    /// Where they are else.
    pub(super) folder: &'static str,
    /// Number of clusters in the data.
    pub(super) clusters: u64,
    /// Maximum length of the texts; empty if there are none.
    pub(super) excerpt: String,
}

impl Embedded {
    pub(super) fn is_some(&self) -> bool {
        !self.script.is_empty()
    }

    pub(super) fn policy(&self) -> String {
        match self.is_some() {
            true => script::policy(!self.folder.is_empty()),
            false => String::new(),
        }
    }
}

/// The page of `report`, with `data` of at most `embed` bytes in it or else beside it.
pub(super) fn page(
    report: &Report<'_>,
    mut data: ClusterData,
    embed: u64,
) -> Result<Page, ReportError> {
    let (clusters, excerpt) = (data.len() as u64, data.excerpt());
    let (index, blocks) = data.packed(facts(report));
    let bytes = index.len() + blocks.iter().map(String::len).sum::<usize>();
    let names = (0..blocks.len()).map(|number| number.to_string());
    let mut parts = vec![("index".to_owned(), index)];
    parts.extend(names.zip(blocks));
    let mut embedded = Embedded {
        script: script::SCRIPT,
        clusters,
        excerpt: match excerpt {
            0 => String::new(),
            excerpt => crate::human::counted(excerpt as u64, "byte"),
        },
        ..Embedded::default()
    };
    let mut files = Vec::new();
    if bytes as u64 <= embed {
        embedded.blocks = parts;
    } else {
        embedded.folder = FOLDER;
        // Base64 ends no string.
        files.extend(parts.into_iter().map(|(name, content)| PageFile {
            content: format!("lookalikeBlock(\"{name}\",\"{content}\");\n"),
            name: format!("{FOLDER}/{name}.js"),
        }));
    }
    Ok(Page { html: Template::new(report, embedded).render()?, files })
}

/// What the script must know of the run.
fn facts(report: &Report<'_>) -> serde_json::Value {
    let summary = report.summary;
    let rules = summary.removed.by_rule().map(|(name, number)| (number > 0).then_some(name));
    let histogram = &summary.histogram_similarity;
    json!({
        "measure": crate::clean::line(&summary.settings.measure, crate::clean::MEDIUM),
        "gone": summary.action.participle(),
        "digest": summary.digest,
        "rules": rules,
        "from": histogram.from,
        "bins": histogram.bins.len(),
    })
}
