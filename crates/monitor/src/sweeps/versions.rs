//! The versions of pages: documents of sweeps by their address.

use lookalike_core::Overlap;
use lookalike_engine::Progress;
use lookalike_index::{DocAt, QueryScratch, Snapshot, StoredDocument};
use lookalike_run::LookalikeError;
use lookalike_run::index::filter::{host, host_is_of};
use lookalike_run::index::open::Index;
use lookalike_run::index::sweeps::table::{Sweep, all};
use std::collections::BTreeMap;
use std::str::FromStr;

/// What became of a page from one sweep to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// The same text.
    Same,
    /// The same words: another layout, case or punctuation.
    SameWords,
    /// Resembles the earlier version ([`DiffOptions::slight`](super::DiffOptions::slight)).
    Slight,
    /// Resembles it less.
    Heavy,
    /// Its content is at another address, and its own is gone.
    Moved,
    /// Its content is at another address, and its own has other content: a stub, or a new text.
    MovedAddressKept,
    /// Its address is gone, and its content is at no other one.
    Gone,
    /// An address that was not there before, with content that moved from nowhere.
    New,
}

impl Change {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Same,
        Self::SameWords,
        Self::Slight,
        Self::Heavy,
        Self::Moved,
        Self::MovedAddressKept,
        Self::Gone,
        Self::New,
    ];

    /// The name that output uses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::SameWords => "same_words",
            Self::Slight => "slight",
            Self::Heavy => "heavy",
            Self::Moved => "moved",
            Self::MovedAddressKept => "moved_address_kept",
            Self::Gone => "gone",
            Self::New => "new",
        }
    }
}

impl FromStr for Change {
    type Err = LookalikeError;

    /// Reads a [`Change::name`].
    fn from_str(name: &str) -> Result<Self, LookalikeError> {
        Self::ALL.into_iter().find(|change| change.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            LookalikeError::Settings(format!("`{name}` is no change of a page: use {names}"))
        })
    }
}

/// The address of a page: the URL of its documents, or their id where there is none.
pub(super) fn address<'a>(document: StoredDocument<'a>) -> &'a str {
    match document.url() {
        "" => document.id(),
        url => url,
    }
}

/// The pages of a sweep by their addresses. Of several documents with one address the last.
pub(super) fn pages<'a>(
    snapshot: &'a Snapshot,
    sweep: &Sweep,
    site: Option<&str>,
) -> BTreeMap<&'a str, DocAt> {
    let mut documents = Index::of_sweep(snapshot, sweep.number);
    documents.sort_by_key(|&at| snapshot.document(at).number());
    let addressed = documents.into_iter().map(|at| (address(snapshot.document(at)), at));
    addressed.filter(|(url, _)| site.is_none_or(|site| host_is_of(url, site))).collect()
}

/// # Errors
/// The question is to be stopped.
pub(super) fn check(progress: &dyn Progress) -> Result<(), LookalikeError> {
    if progress.cancelled() { Err(LookalikeError::QuestionCancelled) } else { Ok(()) }
}

/// What two versions share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Versions {
    pub(super) change: Change,
    /// Of the earlier version (a) and the later one (b).
    pub(super) counts: Overlap,
}

/// Compares two versions of a page.
pub(super) fn compare(
    snapshot: &Snapshot,
    (earlier, later): (DocAt, DocAt),
    slight: f64,
    scratch: &mut QueryScratch,
) -> Result<Versions, LookalikeError> {
    let (a, b) = (snapshot.document(earlier), snapshot.document(later));
    let equal = |change| {
        let size = a.size();
        Ok(Versions { change, counts: Overlap { shared: size, a: size, b: size } })
    };
    if a.text_digest() == b.text_digest() {
        return equal(Change::Same);
    }
    if a.sequence() == b.sequence() {
        return equal(Change::SameWords);
    }
    let (a, b) = (snapshot.set(earlier, scratch)?, snapshot.set(later, scratch)?);
    let shared = lookalike_core::overlap(&a, &b);
    let counts = Overlap { shared, a: a.len() as u32, b: b.len() as u32 };
    let change = if counts.resemblance() >= slight { Change::Slight } else { Change::Heavy };
    Ok(Versions { change, counts })
}

/// The sweeps of an index that have a date or a place, in order.
pub(super) fn sweeps_of(index: &Index) -> Result<Vec<Sweep>, LookalikeError> {
    let sweeps = all(&index.reader.records()?)?;
    if sweeps.is_empty() {
        return Err(LookalikeError::Settings(format!(
            "{}: the index has no sweeps; add documents with the setting sweep",
            index.dir().display()
        )));
    }
    Ok(sweeps)
}

/// The site of an address: its host, or the address itself where it has none.
pub(super) fn site_of(address: &str) -> String {
    let host = host(address);
    if host.is_empty() { "(no host)".to_owned() } else { host }
}
