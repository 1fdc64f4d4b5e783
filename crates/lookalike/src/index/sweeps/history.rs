//! Pages over time: series of versions, life times, rates of change, and which page to visit next.

use super::SweepStats;
use super::table::Sweep;
use super::versions::{Change, compare, pages, sweeps_of};
use super::words::{WordScratch, Words};
use crate::LookalikeError;
use crate::analysis::pool;
use crate::index::open::Index;
use crate::panics::caught;
use lookalike_engine::date_seconds;
use lookalike_index::{DocAt, QueryScratch, Snapshot};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;

/// The version of a page in a sweep.
#[derive(Debug, Clone, PartialEq, Serialize)]
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
pub struct Revisit {
    /// Its address.
    pub url: String,
    /// Number of sweeps in which it was found.
    pub found: u32,
    /// Intervals between sweeps in which its versions could be compared: n of the estimate.
    pub intervals: u32,
    /// Intervals in which it changed.
    pub changed: u32,
    /// Estimated changes in an interval: −log((n − X + 0.5) / (n + 0.5)) for n intervals of which X
    /// had a change, which corrects for changes that were not seen because another one followed
    /// (Cho & Garcia-Molina 2003). `None` without intervals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
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

impl Index {
    /// The versions of the page at an address in all sweeps, from the first in which it was found.
    ///
    /// # Errors
    /// An index without sweeps; an address that is in none.
    pub fn history(&self, url: &str, slight: f64) -> Result<Vec<PageVersion>, LookalikeError> {
        let sweeps = sweeps_of(self)?;
        let snapshot = self.snapshot()?;
        let mut scratch = QueryScratch::new((self.analysis.makers())());
        let mut found = snapshot.with_url(url);
        if found.is_empty() {
            found = snapshot.with_id(url);
        }
        let mut versions = Vec::new();
        let mut before: Option<DocAt> = None;
        for Sweep { name, number, date } in sweeps {
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
                index: self.dir().to_owned(),
                what: "URL".into(),
                name: url.to_owned(),
            });
        }
        Ok(versions)
    }

    /// How the pages of a site, or of all sites, changed from sweep to sweep.
    ///
    /// # Errors
    /// An index without sweeps.
    pub fn site_history(
        &self,
        site: Option<&str>,
        slight: f64,
    ) -> Result<Vec<SiteVersion>, LookalikeError> {
        let sweeps = sweeps_of(self)?;
        let snapshot = self.snapshot()?;
        let mut scratch = QueryScratch::new((self.analysis.makers())());
        let mut before: BTreeMap<&str, DocAt> = BTreeMap::new();
        let mut versions = Vec::new();
        for (place, sweep) in sweeps.into_iter().enumerate() {
            let now = pages(&snapshot, &sweep, site);
            let mut changes: BTreeMap<&'static str, u64> = BTreeMap::new();
            for (url, &at) in &now {
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
    /// alive and change often and much first. Never from one interval alone: the estimate is drawn
    /// to the middle where there are few.
    ///
    /// # Errors
    /// An index without sweeps.
    pub fn revisit(
        &self,
        site: Option<&str>,
        threads: usize,
    ) -> Result<Vec<Revisit>, LookalikeError> {
        let sweeps = sweeps_of(self)?;
        let snapshot = self.snapshot()?;
        let mut series: BTreeMap<&str, Vec<(usize, DocAt)>> = BTreeMap::new();
        for (place, sweep) in sweeps.iter().enumerate() {
            for (url, at) in pages(&snapshot, sweep, site) {
                series.entry(url).or_default().push((place, at));
            }
        }
        let words = Words::new(self, &snapshot)?;
        let pool = pool(crate::settings::thread_count(threads))?;
        let makers = self.analysis.makers();
        let series: Vec<(&str, Vec<(usize, DocAt)>)> = series.into_iter().collect();
        let mut pages: Vec<Revisit> = caught(|| {
            pool.install(|| {
                series
                    .par_iter()
                    .map_init(
                        || (QueryScratch::new(makers()), WordScratch::default()),
                        |(scratch, word_scratch), (url, versions)| {
                            page(&snapshot, &sweeps, url, versions, &words, scratch, word_scratch)
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
}

/// One page of the order of visits.
fn page(
    snapshot: &Snapshot,
    sweeps: &[Sweep],
    url: &str,
    versions: &[(usize, DocAt)],
    words: &Words<'_>,
    scratch: &mut QueryScratch,
    word_scratch: &mut WordScratch,
) -> Result<Revisit, LookalikeError> {
    let (mut intervals, mut changed, mut distances) = (0, 0, Vec::new());
    for pair in versions.windows(2) {
        let [(_, before), (_, after)] = [pair[0], pair[1]];
        intervals += 1;
        if compare(snapshot, (before, after), 1.0, scratch)?.change > Change::SameWords {
            changed += 1;
            distances.extend(words.distance(before, after, word_scratch)?);
        }
    }
    let (first, last) = (versions[0].0, versions[versions.len() - 1].0);
    let seconds = |place: usize| sweeps[place].date.as_deref().map(date_seconds);
    let days = match (seconds(first), seconds(last)) {
        (Some(first), Some(last)) if !first.is_nan() && !last.is_nan() => {
            Some((last - first) / 86_400.0)
        }
        _ => None,
    };
    let rate = (intervals > 0).then(|| rate(intervals, changed));
    let mean = |all: &[u32]| all.iter().sum::<u32>() as f64 / all.len() as f64;
    let mean_distance = (!distances.is_empty()).then(|| mean(&distances));
    // Pages with one version: between those that never changed and those that always did.
    let weight = 1.0 + mean_distance.unwrap_or(0.0) / 64.0;
    let priority = rate.unwrap_or_else(|| self::rate(1, 1) / 2.0) * weight;
    Ok(Revisit {
        url: url.to_owned(),
        found: versions.len() as u32,
        intervals,
        changed,
        rate,
        mean_distance,
        first_sweep: sweeps[first].name.clone(),
        last_sweep: sweeps[last].name.clone(),
        days,
        alive: last + 1 == sweeps.len(),
        priority,
    })
}

/// Estimated changes in an interval, from `n` intervals of which `x` had a change.
fn rate(n: u32, x: u32) -> f64 {
    let (n, x) = (f64::from(n), f64::from(x));
    -((n - x + 0.5) / (n + 0.5)).ln() + 0.0
}

#[cfg(test)]
mod tests {
    use super::rate;

    /// Cho & Garcia-Molina 2003: by hand.
    #[test]
    fn rates_correct_for_changes_that_were_not_seen() {
        assert!((rate(10, 0) - 0.0).abs() < 1e-12);
        // −ln(5.5 / 10.5)
        assert!((rate(10, 5) - 0.646_627).abs() < 1e-6);
        // −ln(0.5 / 10.5): finite although every interval had a change.
        assert!((rate(10, 10) - 3.044_522).abs() < 1e-6);
        assert!(rate(1, 1) < rate(10, 10));
    }
}
