//! What became of every page from one sweep to another.
//!
//! Broder 1997 ("Lost and found"): a page that is gone from its address is asked for among the
//! documents of the later sweep by its content, so that pages that moved are found under their new
//! address, whether or not they were changed on the way.

use super::versions::{Change, Versions, address, check, compare, pages};
use super::words::{WordScratch, Words};
use lookalike_core::{Measure, Overlap, Threshold};
use lookalike_engine::Progress;
use lookalike_index::{
    Ask, AskOptions, DocAt, LiveSegment, QueryScratch, Question, Snapshot, Stop,
};
use lookalike_run::LookalikeError;
use lookalike_run::analysis::pool;
use lookalike_run::index::open::Index;
use lookalike_run::index::sweeps::table::Sweep;
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

impl SweepDiff {
    /// Keeps the pages of these changes; all that changed if there is none. The counts stay.
    pub fn keep_only(&mut self, only: &[Change]) {
        self.pages.retain(|page| match only {
            [] => page.change != Change::Same,
            only => only.contains(&page.change),
        });
    }
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
/// `progress` is asked often whether to stop, and told nothing.
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
/// let diff = lookalike::sweeps::diff(&Index::open(&dir)?, "may", "june", &DiffOptions::default(), &Silent)?;
/// assert_eq!(diff.pages[0].change, Change::Moved);
/// assert_eq!(diff.pages[0].new_url.as_deref(), Some("http://a.example/animals/fish"));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// A sweep that does not exist; a threshold that makes no sense; a lean index, which cannot
/// answer which documents contain a page; [`LookalikeError::QuestionCancelled`].
pub fn diff(
    index: &Index,
    from: &str,
    to: &str,
    options: &DiffOptions,
    progress: &dyn Progress,
) -> Result<SweepDiff, LookalikeError> {
    let (from, to) = (index.sweep(from)?, index.sweep(to)?);
    let threshold: Threshold = options.moved.parse()?;
    let snapshot = index.snapshot()?;
    for ask in ASKED {
        snapshot.check_question(Question { ask, threshold })?;
    }
    let site = options.site.as_deref();
    let (earlier, later) = (pages(&snapshot, &from, site), pages(&snapshot, &to, site));
    let slight = options.slight;
    let pair = SweepPair {
        index,
        snapshot: &snapshot,
        from,
        to,
        earlier,
        later,
        threshold,
        slight,
        progress,
    };
    let pool = pool(lookalike_run::settings::thread_count(options.threads))?;
    let compared = caught(|| {
        pool.install(|| {
            let compared = pair.compare_addresses()?;
            let mut pages = pair.follow_content(compared)?;
            pair.measure_distances(&mut pages)?;
            let new = pair.new_pages(&pages);
            pages.extend(new);
            let mut counts: BTreeMap<&'static str, u64> =
                Change::ALL.iter().map(|change| (change.name(), 0)).collect();
            for page in &pages {
                *counts.entry(page.change.name()).or_default() += 1;
            }
            Ok(SweepDiff { from: pair.from.name.clone(), to: pair.to.name.clone(), counts, pages })
        })
    });
    compared.map_err(LookalikeError::of_question)
}

/// Two sweeps that are compared, and their pages by address.
struct SweepPair<'a> {
    index: &'a Index,
    snapshot: &'a Snapshot,
    from: Sweep,
    to: Sweep,
    earlier: BTreeMap<&'a str, DocAt>,
    later: BTreeMap<&'a str, DocAt>,
    threshold: Threshold,
    slight: f64,
    progress: &'a dyn Progress,
}

/// A page of the earlier sweep, and what is at its address in the later one.
type AtAddress<'a> = (&'a str, DocAt, Option<(DocAt, Versions)>);

impl SweepPair<'_> {
    fn scratch(&self) -> QueryScratch {
        QueryScratch::new(self.index.analysis.makers()())
    }

    /// Compares each earlier page with the one at the same address.
    fn compare_addresses(&self) -> Result<Vec<AtAddress<'_>>, LookalikeError> {
        let compared = self.earlier.par_iter().map_init(
            || self.scratch(),
            |scratch, (&url, &at)| {
                check(self.progress)?;
                let Some(&other) = self.later.get(url) else { return Ok((url, at, None)) };
                let versions = compare(self.snapshot, (at, other), self.slight, scratch)?;
                Ok((url, at, Some((other, versions))))
            },
        );
        compared.collect()
    }

    /// What became of the earlier pages: content that is not at its address any more is looked for
    /// among the documents that are new or changed.
    fn follow_content(
        &self,
        compared: Vec<AtAddress<'_>>,
    ) -> Result<Vec<PageChange>, LookalikeError> {
        let unchanged: BTreeSet<DocAt> = compared
            .iter()
            .filter_map(|(_, _, other)| other.as_ref())
            .filter(|(_, versions)| versions.change <= Change::SameWords)
            .map(|&(other, _)| other)
            .collect();
        let targets = |at: DocAt| !unchanged.contains(&at);
        let followed = compared.into_par_iter().map_init(
            || self.scratch(),
            |scratch, (url, at, other)| {
                check(self.progress)?;
                let own = other.map(|(own, versions)| (own, versions.counts));
                let here = other.map(|(_, versions)| versions.change);
                if let Some(change) = here.filter(|change| *change != Change::Heavy) {
                    return Ok(self.page(change, url, at, own));
                }
                let wanted = Wanted {
                    sweep: self.to.number,
                    threshold: self.threshold,
                    own: own.map(|(_, counts)| counts),
                    targets: &targets,
                    stop: &|| self.progress.cancelled(),
                };
                let found = destination(self.snapshot, at, &wanted, scratch)?;
                let change = match (own, found) {
                    (None, None) => Change::Gone,
                    (None, Some(_)) => Change::Moved,
                    (Some(_), Some(_)) => Change::MovedAddressKept,
                    (Some(_), None) => Change::Heavy,
                };
                Ok(self.page(change, url, at, found.or(own)))
            },
        );
        followed.collect()
    }

    /// What became of the earlier page `at`, with the later document that it became and their counts.
    fn page(
        &self,
        change: Change,
        url: &str,
        at: DocAt,
        later: Option<(DocAt, Overlap)>,
    ) -> PageChange {
        let document = later.map(|(at, _)| self.snapshot.document(at));
        PageChange {
            change,
            url: Some(url.to_owned()),
            id: Some(self.snapshot.document(at).id().to_owned()),
            new_url: document.map(|document| address(document).to_owned()),
            new_id: document.map(|document| document.id().to_owned()),
            resemblance: later.map(|(_, counts)| counts.resemblance()),
            containment: later.map(|(_, counts)| counts.containment_a_in_b()),
            distance: None,
        }
    }

    /// Adds the distances of simhashes to pages that are in both sweeps.
    fn measure_distances(&self, pages: &mut [PageChange]) -> Result<(), LookalikeError> {
        let words = Words::new(self.index, self.snapshot)?;
        pages.par_iter_mut().try_for_each_init(WordScratch::default, |scratch, page| {
            check(self.progress)?;
            let at = |id: &Option<String>, sweep: u32| {
                id.as_ref().and_then(|id| self.snapshot.with_id_in(id, sweep))
            };
            let both = at(&page.id, self.from.number).zip(at(&page.new_id, self.to.number));
            if let Some((before, after)) = both {
                page.distance = words.distance(before, after, scratch)?;
            }
            Ok(())
        })
    }

    /// The pages of addresses that were not there before, to which no page moved.
    fn new_pages(&self, pages: &[PageChange]) -> Vec<PageChange> {
        let moved: BTreeSet<&str> = pages
            .iter()
            .filter(|page| matches!(page.change, Change::Moved | Change::MovedAddressKept))
            .filter_map(|page| page.new_url.as_deref())
            .collect();
        let new = self
            .later
            .iter()
            .filter(|(url, _)| !self.earlier.contains_key(*url) && !moved.contains(*url));
        let page = |(url, &at): (&&str, &DocAt)| PageChange {
            change: Change::New,
            url: None,
            new_url: Some((*url).to_owned()),
            id: None,
            new_id: Some(self.snapshot.document(at).id().to_owned()),
            resemblance: None,
            containment: None,
            distance: None,
        };
        new.map(page).collect()
    }
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
    stop: Stop<'a>,
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
) -> Result<Option<(DocAt, Overlap)>, LookalikeError> {
    let Wanted { sweep, threshold, targets, stop, .. } = *wanted;
    let document = snapshot.document(at);
    let set = snapshot.set(at, scratch)?;
    if set.is_empty() {
        return Ok(None);
    }
    let query = document.query(&set);
    let of_sweep = |live: &LiveSegment, local: u32| live.segment().row(local).sweep == sweep;
    let options = AskOptions { wanted: &of_sweep, stop, ..AskOptions::default() };
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
    Ok(best.filter(|(at, _)| targets(*at)))
}
