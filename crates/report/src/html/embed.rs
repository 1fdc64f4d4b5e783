//! A page with its data: in the page, or in files beside it.

use super::script;
use crate::ClusterData;
use crate::human::counted;

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

/// What is embedded of `data`, and what is in files, if it takes more than `embed` bytes. `facts` are
/// what the script must know of the run.
pub(super) fn embedded(
    mut data: ClusterData,
    facts: serde_json::Value,
    embed: u64,
) -> (Embedded, Vec<PageFile>) {
    let mut embedded = Embedded {
        script: script::SCRIPT,
        clusters: data.len() as u64,
        excerpt: match data.excerpt() {
            0 => String::new(),
            excerpt => counted(excerpt as u64, "byte"),
        },
        ..Embedded::default()
    };
    let (index, blocks) = data.packed(facts);
    let bytes = index.len() + blocks.iter().map(String::len).sum::<usize>();
    let names = (0..blocks.len()).map(|number| number.to_string());
    let mut parts = vec![("index".to_owned(), index)];
    parts.extend(names.zip(blocks));
    if bytes as u64 <= embed {
        embedded.blocks = parts;
        return (embedded, Vec::new());
    }
    embedded.folder = FOLDER;
    // Base64 ends no string.
    let file = |(name, content): (String, String)| PageFile {
        content: format!("lookalikeBlock(\"{name}\",\"{content}\");\n"),
        name: format!("{FOLDER}/{name}.js"),
    };
    (embedded, parts.into_iter().map(file).collect())
}
