//! Pages over time: series of versions, life times, rates of change, and which page to visit next.

use super::rates::{self, Interval, rate};
use super::versions::{Change, check, compare, pages, sweeps_of};
use super::words::{WordScratch, Words};
use lookalike_engine::{Progress, date_seconds};
use lookalike_index::{DocAt, QueryScratch, Snapshot};
use lookalike_run::LookalikeError;
use lookalike_run::analysis::pool;
use lookalike_run::index::SweepStats;
use lookalike_run::index::open::Index;
use lookalike_run::index::sweeps::table::Sweep;
use lookalike_run::panics::caught;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;

/// The version of a page in a sweep.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PageVersion {
    /// The sweep.
    pub sweep: String,
    /// Its date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The document; `None` if the page was not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What became of the page since the last sweep in which it was found.
    pub change: Change,
    /// Its resemblance to that version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resemblance: Option<f64>,
}

/// How pages of a site changed from one sweep to the next.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SiteVersion {
    /// The sweep, with its number of pages of the site.
    #[serde(flatten)]
    pub sweep: SweepStats,
    /// Pages by what became of them since the sweep before: by address only, so that a page that
    /// moved is gone and new.
    pub changes: BTreeMap<&'static str, u64>,
}

/// A page to visit.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Revisit {
    /// Its address.
    pub url: String,
    /// Number of sweeps in which it was found.
    pub found: u32,
    /// Intervals between visits on which the estimate rests: those between sweeps in which it was
    /// found, of known length. Sweeps in which it was not found make an interval longer.
    pub intervals: u32,
    /// Intervals in which it changed.
    pub changed: u32,
    /// Estimated changes in a day, or in a sweep ([`Revisit::per`]): the rate of greatest
    /// likelihood for visits at irregular times, with the correction for few visits; the estimator
    /// −log((n − X + 0.5) / (n + 0.5)) / t where visits are regular (Cho & Garcia-Molina 2003).
    /// `None` without intervals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// The unit of time: `day` if sweeps have dates, else `sweep`.
    pub per: &'static str,
    /// Mean number of bits in which the simhashes of consecutive versions that changed differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_distance: Option<f64>,
    /// The first sweep in which it was found.
    pub first_sweep: String,
    /// The last one.
    pub last_sweep: String,
    /// Days from the first to the last, if both have dates. A page that is in the last sweep of the
    /// index may live longer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub days: Option<f64>,
    /// Whether it is in the last sweep.
    pub alive: bool,
    /// The order of visits: rate, weighted by the share of bits that change.
    pub priority: f64,
}

/// The versions of the page at an address in all sweeps, from the first in which it was found.
///
/// # Errors
/// An index without sweeps; an address that is in none; [`LookalikeError::QuestionCancelled`].
pub fn history(
    index: &Index,
    url: &str,
    slight: f64,
    progress: &dyn Progress,
) -> Result<Vec<PageVersion>, LookalikeError> {
    let sweeps = sweeps_of(index)?;
    let snapshot = index.snapshot()?;
    let mut scratch = QueryScratch::new((index.analysis.makers())());
    let mut found = snapshot.with_url(url);
    if found.is_empty() {
        found = snapshot.with_id(url);
    }
    let mut versions = Vec::new();
    let mut before: Option<DocAt> = None;
    for Sweep { name, number, date } in sweeps {
        check(progress)?;
        let at = found.iter().copied().rfind(|&at| snapshot.document(at).sweep() == number);
        let (change, resemblance) = match (before, at) {
            (None, None) => continue,
            (None, Some(_)) => (Change::New, None),
            (Some(_), None) => (Change::Gone, None),
            (Some(before), Some(at)) => {
                let found = compare(&snapshot, (before, at), slight, &mut scratch)?;
                (found.change, Some(found.counts.resemblance()))
            }
        };
        let id = at.map(|at| snapshot.document(at).id().to_owned());
        versions.push(PageVersion { sweep: name, date, id, change, resemblance });
        before = at.or(before);
    }
    if versions.is_empty() {
        return Err(LookalikeError::NotInIndex {
            index: index.dir().to_owned(),
            what: "document with the URL".into(),
            name: url.to_owned(),
        });
    }
    Ok(versions)
}

/// How the pages of a site, or of all sites, changed from sweep to sweep.
///
/// # Errors
/// An index without sweeps; [`LookalikeError::QuestionCancelled`].
pub fn site_history(
    index: &Index,
    site: Option<&str>,
    slight: f64,
    progress: &dyn Progress,
) -> Result<Vec<SiteVersion>, LookalikeError> {
    let sweeps = sweeps_of(index)?;
    let snapshot = index.snapshot()?;
    let mut scratch = QueryScratch::new((index.analysis.makers())());
    let mut before: BTreeMap<&str, DocAt> = BTreeMap::new();
    let mut versions = Vec::new();
    for (place, sweep) in sweeps.into_iter().enumerate() {
        let now = pages(&snapshot, &sweep, site);
        let mut changes: BTreeMap<&'static str, u64> = BTreeMap::new();
        for (url, &at) in &now {
            check(progress)?;
            let change = match before.get(url) {
                None => Change::New,
                Some(&before) => compare(&snapshot, (before, at), slight, &mut scratch)?.change,
            };
            *changes.entry(change.name()).or_default() += 1;
        }
        let gone = before.keys().filter(|url| !now.contains_key(*url)).count() as u64;
        if place > 0 {
            changes.insert(Change::Gone.name(), gone);
        }
        let documents = now.len() as u64;
        let sweep = SweepStats { name: sweep.name, date: sweep.date, documents };
        versions.push(SiteVersion { sweep, changes });
        before = now;
    }
    Ok(versions)
}

/// The pages of a site, or of all sites, in the order in which to visit them: those that are
/// alive and change often and much first. How often is estimated from the times between the
/// sweeps in which a page was found.
///
/// # Errors
/// An index without sweeps; [`LookalikeError::QuestionCancelled`].
pub fn revisit(
    index: &Index,
    site: Option<&str>,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Vec<Revisit>, LookalikeError> {
    let sweeps = sweeps_of(index)?;
    let snapshot = index.snapshot()?;
    let mut series: BTreeMap<&str, Vec<(usize, DocAt)>> = BTreeMap::new();
    for (place, sweep) in sweeps.iter().enumerate() {
        for (url, at) in pages(&snapshot, sweep, site) {
            series.entry(url).or_default().push((place, at));
        }
    }
    let times = Times::of(&sweeps);
    let words = Words::new(index, &snapshot)?;
    let pool = pool(lookalike_run::settings::thread_count(threads))?;
    let makers = index.analysis.makers();
    let series: Vec<(&str, Vec<(usize, DocAt)>)> = series.into_iter().collect();
    let mut pages: Vec<Revisit> = caught(|| {
        pool.install(|| {
            series
                .par_iter()
                .map_init(
                    || (QueryScratch::new(makers()), WordScratch::default()),
                    |(scratch, word_scratch), (url, versions)| {
                        check(progress)?;
                        let scratch = (scratch, word_scratch);
                        page(&snapshot, &sweeps, &times, url, versions, &words, scratch)
                    },
                )
                .collect::<Result<_, LookalikeError>>()
        })
    })?;
    pages.sort_by(|a, b| {
        let alive = b.alive.cmp(&a.alive);
        alive.then(b.priority.total_cmp(&a.priority)).then_with(|| a.url.cmp(&b.url))
    });
    Ok(pages)
}

/// When the sweeps were made.
struct Times {
    /// By their places; `None` for a sweep without a date, where others have some.
    at: Vec<Option<f64>>,
    /// The unit.
    per: &'static str,
    /// Mean time from one to the next.
    typical: f64,
}

impl Times {
    /// In days if two sweeps have different dates, else in sweeps.
    fn of(sweeps: &[Sweep]) -> Self {
        let date = |sweep: &Sweep| sweep.date.as_deref().map(date_seconds);
        let days: Vec<Option<f64>> = sweeps
            .iter()
            .map(|sweep| date(sweep).filter(|date| !date.is_nan()).map(|date| date / 86_400.0))
            .collect();
        let mut known: Vec<f64> = days.iter().flatten().copied().collect();
        known.sort_by(f64::total_cmp);
        known.dedup();
        match known[..] {
            [first, .., last] => {
                let typical = (last - first) / (known.len() - 1) as f64;
                Self { at: days, per: "day", typical }
            }
            _ => {
                let at = (0..sweeps.len()).map(|place| Some(place as f64)).collect();
                Self { at, per: "sweep", typical: 1.0 }
            }
        }
    }

    /// From one sweep to another; `None` if that is unknown or nothing.
    fn between(&self, before: usize, after: usize) -> Option<f64> {
        let (before, after) = self.at[before].zip(self.at[after])?;
        Some(after - before).filter(|&length| length > 0.0)
    }
}

/// One page of the order of visits.
fn page(
    snapshot: &Snapshot,
    sweeps: &[Sweep],
    times: &Times,
    url: &str,
    versions: &[(usize, DocAt)],
    words: &Words<'_>,
    (scratch, word_scratch): (&mut QueryScratch, &mut WordScratch),
) -> Result<Revisit, LookalikeError> {
    let (mut intervals, mut distances) = (Vec::new(), Vec::new());
    for pair in versions.windows(2) {
        let [(first, before), (second, after)] = [pair[0], pair[1]];
        let changed = compare(snapshot, (before, after), 1.0, scratch)?.change > Change::SameWords;
        if changed {
            distances.extend(words.distance(before, after, word_scratch)?);
        }
        let length = times.between(first, second);
        intervals.extend(length.map(|length| Interval { length, changed }));
    }
    let (first, last) = (versions[0].0, versions[versions.len() - 1].0);
    let days = match times.per {
        "day" => times.at[first].zip(times.at[last]).map(|(first, last)| last - first),
        _ => None,
    };
    let rate = rate(&intervals);
    let mean = |all: &[u32]| all.iter().sum::<u32>() as f64 / all.len() as f64;
    let mean_distance = (!distances.is_empty()).then(|| mean(&distances));
    // Pages with one version: between those that never changed and those that always did.
    let unknown = || {
        let always = rates::rate(&[Interval { length: times.typical, changed: true }]);
        always.unwrap_or_default() / 2.0
    };
    let weight = 1.0 + mean_distance.unwrap_or(0.0) / 64.0;
    let priority = rate.unwrap_or_else(unknown) * weight;
    Ok(Revisit {
        url: url.to_owned(),
        found: versions.len() as u32,
        intervals: intervals.len() as u32,
        changed: intervals.iter().filter(|one| one.changed).count() as u32,
        rate,
        per: times.per,
        mean_distance,
        first_sweep: sweeps[first].name.clone(),
        last_sweep: sweeps[last].name.clone(),
        days,
        alive: last + 1 == sweeps.len(),
        priority,
    })
}
