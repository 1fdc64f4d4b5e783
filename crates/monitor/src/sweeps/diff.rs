//! What became of every page from one sweep to another.
//!
//! Broder 1997 ("Lost and found"): a page that is gone from its address is asked for among the
//! documents of the later sweep by its content, so that pages that moved are found under their new
//! address, whether or not they were changed on the way.

use super::versions::{Change, compare, pages};
use super::words::{WordScratch, Words};
use lookalike_core::{Measure, Overlap, Threshold};
use lookalike_index::{
    Ask, AskOptions, DocAt, LiveSegment, QueryScratch, QuerySet, Question, Snapshot,
};
use lookalike_run::LookalikeError;
use lookalike_run::analysis::pool;
use lookalike_run::index::open::Index;
use lookalike_run::panics::caught;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// How two sweeps are compared.
#[derive(Debug, Clone, PartialEq)]
pub struct DiffOptions {
    /// Least resemblance at which two versions of a page count as slightly changed.
    pub slight: f64,
    /// Threshold of a move: least resemblance to another page, or share of the page that it contains.
    pub moved: String,
    /// Only pages of this site.
    pub site: Option<String>,
    /// Number of threads; 0 for as many as there are cores.
    pub threads: usize,
}

impl Default for DiffOptions {
    fn default() -> Self {
        Self { slight: 0.9, moved: "0.5".into(), site: None, threads: 0 }
    }
}

/// What became of a page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PageChange {
    /// What became of it.
    pub change: Change,
    /// The address in the earlier sweep; `None` for a new page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The address of its content in the later sweep; `None` if it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_url: Option<String>,
    /// The document of the earlier sweep.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The document of the later sweep.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_id: Option<String>,
    /// The resemblance of the two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resemblance: Option<f64>,
    /// How much of the earlier document is in the later one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub containment: Option<f64>,
    /// Bits in which their simhashes differ: the weight of the change (Seshasai 2009, section
    /// 2.6.1).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<u32>,
}

/// What became of every page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SweepDiff {
    /// The earlier sweep.
    pub from: String,
    /// The later sweep.
    pub to: String,
    /// Number of pages by what became of them.
    pub counts: BTreeMap<&'static str, u64>,
    /// The pages, by address.
    pub pages: Vec<PageChange>,
}

/// Where the content of a page went.
struct Destination {
    at: DocAt,
    counts: Overlap,
}

/// What became of every page from sweep `from` to sweep `to`.
///
/// Pages with the same address are compared with each other. A page whose address is gone, or
/// has other content, is looked for by its content in the later sweep: of the documents that
/// resemble or contain it enough, the one that resembles it most is where it moved to, unless
/// that page had the same words in the earlier sweep already. If the page at the address still
/// contains enough of the earlier text, only documents count that resemble the earlier text
/// more than that page does. Two questions for each of these pages, none for the others.
///
/// ```
/// use lookalike::index::{AddOptions, IndexSettings};
/// use lookalike::sweeps::{Change, DiffOptions};
/// use lookalike::{Index, IndexWriter, Record, Settings, Silent, Source};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let dir = folder.path().join("index");
/// let mut index = IndexWriter::create(&dir, IndexSettings::default(), 1)?;
/// let fish = "one fish two fish red fish blue fish black fish old fish new fish";
/// for (sweep, url) in [("may", "/fish"), ("june", "/animals/fish")] {
///     let page = Record::new(fish).id(url).url(format!("http://a.example{url}"));
///     let sweep = Some((sweep.to_owned(), None));
///     let options = AddOptions { sweep, ..AddOptions::default() };
///     index.add(Source::records([page]), &Settings::default(), &options, &Silent, |_| {})?;
/// }
/// let diff = lookalike::sweeps::diff(&Index::open(&dir)?, "may", "june", &DiffOptions::default())?;
/// assert_eq!(diff.pages[0].change, Change::Moved);
/// assert_eq!(diff.pages[0].new_url.as_deref(), Some("http://a.example/animals/fish"));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// A sweep that does not exist; a threshold that makes no sense; a lean index, which cannot
/// answer which documents contain a page.
pub fn diff(
    index: &Index,
    from: &str,
    to: &str,
    options: &DiffOptions,
) -> Result<SweepDiff, LookalikeError> {
    let (from, to) = (index.sweep(from)?, index.sweep(to)?);
    let threshold: Threshold = options.moved.parse()?;
    let snapshot = index.snapshot()?;
    for ask in ASKED {
        snapshot.check_question(Question { ask, threshold })?;
    }
    let site = options.site.as_deref();
    let (earlier, later) = (pages(&snapshot, &from, site), pages(&snapshot, &to, site));
    let makers = index.analysis.makers();
    let scratch = || QueryScratch::new(makers());
    let pool = pool(lookalike_run::settings::thread_count(options.threads))?;
    caught(|| {
        pool.install(|| {
            let compared: Vec<_> = earlier
                .par_iter()
                .map_init(scratch, |scratch, (&url, &at)| {
                    let Some(&other) = later.get(url) else { return Ok((url, at, None)) };
                    let versions = compare(&snapshot, (at, other), options.slight, scratch)?;
                    Ok((url, at, Some((other, versions))))
                })
                .collect::<Result<_, LookalikeError>>()?;
            // What content can have moved to: documents that are new or changed.
            let unchanged: BTreeSet<DocAt> = compared
                .iter()
                .filter_map(|(_, _, other)| other.as_ref())
                .filter(|(_, versions)| versions.change <= Change::SameWords)
                .map(|&(other, _)| other)
                .collect();
            let targets = |at: DocAt| !unchanged.contains(&at);
            let mut pages: Vec<PageChange> = compared
                .into_par_iter()
                .map_init(scratch, |scratch, (url, at, other)| {
                    let page = |change, other: Option<(DocAt, Overlap)>| PageChange {
                        change,
                        url: Some(url.to_owned()),
                        id: Some(snapshot.document(at).id().to_owned()),
                        new_url: other.map(|(at, _)| {
                            super::versions::address(snapshot.document(at)).to_owned()
                        }),
                        new_id: other.map(|(at, _)| snapshot.document(at).id().to_owned()),
                        resemblance: other.map(|(_, counts)| counts.resemblance()),
                        containment: other.map(|(_, counts)| counts.containment_a_in_b()),
                        distance: None,
                    };
                    let heavy = other
                        .as_ref()
                        .is_some_and(|(_, versions)| versions.change == Change::Heavy);
                    if let (Some((other, versions)), false) = (&other, heavy) {
                        return Ok(page(versions.change, Some((*other, versions.counts))));
                    }
                    let wanted = Wanted {
                        sweep: to.number,
                        threshold,
                        own: other.as_ref().map(|(_, versions)| versions.counts),
                        targets: &targets,
                    };
                    let found = destination(&snapshot, at, &wanted, scratch)?;
                    Ok(match (other, found) {
                        (None, None) => page(Change::Gone, None),
                        (None, Some(to)) => page(Change::Moved, Some((to.at, to.counts))),
                        (Some(_), Some(to)) => {
                            page(Change::MovedAddressKept, Some((to.at, to.counts)))
                        }
                        (Some((own, versions)), None) => {
                            page(Change::Heavy, Some((own, versions.counts)))
                        }
                    })
                })
                .collect::<Result<_, LookalikeError>>()?;
            let words = Words::new(index, &snapshot)?;
            pages.par_iter_mut().try_for_each_init(WordScratch::default, |scratch, page| {
                let at = |id: &Option<String>, sweep: u32| {
                    id.as_ref().and_then(|id| snapshot.with_id_in(id, sweep))
                };
                let both = at(&page.id, from.number).zip(at(&page.new_id, to.number));
                if let Some((before, after)) = both {
                    page.distance = words.distance(before, after, scratch)?;
                }
                Ok::<_, LookalikeError>(())
            })?;
            let moved: BTreeSet<&str> = pages
                .iter()
                .filter(|page| matches!(page.change, Change::Moved | Change::MovedAddressKept))
                .filter_map(|page| page.new_url.as_deref())
                .collect();
            let new: Vec<PageChange> = later
                .iter()
                .filter(|(url, _)| !earlier.contains_key(*url) && !moved.contains(*url))
                .map(|(url, &at)| PageChange {
                    change: Change::New,
                    url: None,
                    new_url: Some((*url).to_owned()),
                    id: None,
                    new_id: Some(snapshot.document(at).id().to_owned()),
                    resemblance: None,
                    containment: None,
                    distance: None,
                })
                .collect();
            pages.extend(new);
            let mut counts: BTreeMap<&'static str, u64> =
                Change::ALL.iter().map(|change| (change.name(), 0)).collect();
            for page in &pages {
                *counts.entry(page.change.name()).or_default() += 1;
            }
            Ok(SweepDiff { from: from.name, to: to.name, counts, pages })
        })
    })
}

/// What is asked about a page that is gone from its address.
const ASKED: [Ask; 2] = [Ask::Resembles, Ask::Containing];

/// Where the content of a page may have moved to.
struct Wanted<'a> {
    /// The later sweep.
    sweep: u32,
    /// The least resemblance or containment.
    threshold: Threshold,
    /// What the page at its own address still shares with it, if that is there.
    own: Option<Overlap>,
    /// Documents that are new or changed.
    targets: &'a (dyn Fn(DocAt) -> bool + Sync),
}

impl Wanted<'_> {
    /// Whether a match with these counts takes precedence over the page's own address. An address
    /// that contains less of the page (a) than every match does has a stub or a new text; one that
    /// contains as much loses to closer versions only, not to collections of pages.
    fn precedes_own(&self, counts: Overlap) -> bool {
        self.own.is_none_or(|own| {
            !Measure::Containment.reaches(self.threshold, own)
                || Measure::Resemblance.compare(counts, own).is_gt()
        })
    }
}

/// The document of a sweep that resembles a page most, of those that resemble it enough or contain
/// enough of it and take precedence over its own address; `None` if that one is not a target.
fn destination(
    snapshot: &Snapshot,
    at: DocAt,
    wanted: &Wanted<'_>,
    scratch: &mut QueryScratch,
) -> Result<Option<Destination>, LookalikeError> {
    let Wanted { sweep, threshold, targets, .. } = *wanted;
    let document = snapshot.document(at);
    let set = snapshot.set(at, scratch)?;
    if set.is_empty() {
        return Ok(None);
    }
    let query = QuerySet { set: &set, few: document.few(), sequence: document.sequence() };
    let of_sweep = |live: &LiveSegment, local: u32| live.segment().row(local).sweep == sweep;
    let options = AskOptions { wanted: &of_sweep, ..AskOptions::default() };
    let mut best: Option<(DocAt, Overlap)> = None;
    for ask in ASKED {
        let answer = snapshot.ask(Question { ask, threshold }, query, options, scratch)?;
        for found in answer.matches.into_iter().filter(|found| wanted.precedes_own(found.counts)) {
            let better = |(at, counts): &(DocAt, Overlap)| {
                let order = Measure::Resemblance.compare(found.counts, *counts);
                let number = |at: DocAt| snapshot.document(at).number();
                order.then(number(*at).cmp(&number(found.at))).is_gt()
            };
            if best.as_ref().is_none_or(better) {
                best = Some((found.at, found.counts));
            }
        }
    }
    // Content that was at the other address before did not move there.
    Ok(best.filter(|(at, _)| targets(*at)).map(|(at, counts)| Destination { at, counts }))
}
