//! Counts in how many distinct documents of each site an element occurs, to find the boilerplate of
//! sites: headers, navigation, footers, licences.
//!
//! As [`common_elements`](crate::common_elements), by partitioned counting: exact, and the same for
//! any number of threads, any budget and any order of the documents.

use crate::common_elements::{LEAST, PARTITIONS, Round};
use crate::passes::Passes;
use crate::poll::Poll;
use crate::{Collection, DocumentId, EngineError, Progress, Units};
use lookalike_join::{Part, SetId, SetScan, TaskId};
use rayon::prelude::*;

/// Bytes for an element while it is counted: the element, its site and its set, and the spare
/// capacity of growing arrays.
const ELEMENT: u64 = 2 * 16;

/// Distinct feature sets of each site.
#[derive(Debug)]
pub struct SiteUnits {
    /// Keys of the sites ([`site_key`](crate::site::site_key)), ascending.
    keys: Vec<u64>,
    /// The sites of each unit, ascending, as indices into `keys`.
    sites: Vec<u32>,
    /// Index in `sites` of the first site of each unit; one entry more at the end.
    starts: Vec<u32>,
    /// Number of units of each site.
    pages: Vec<u32>,
}

impl SiteUnits {
    /// The sites of all units of a collection that was read with
    /// [`IngestOptions::sites`](crate::IngestOptions). O(documents · log documents).
    #[must_use]
    pub fn new(collection: &Collection, units: &Units) -> Self {
        let mut keys = collection.sites.clone();
        keys.par_sort_unstable();
        keys.dedup();
        let index = |document: &DocumentId| {
            keys.partition_point(|&key| key < collection.sites[document.index()]) as u32
        };
        let (mut sites, mut starts, mut pages) = (Vec::new(), vec![0u32], vec![0u32; keys.len()]);
        let mut own = Vec::new();
        for unit in units.ids() {
            own.clear();
            own.extend(units.members(unit).iter().map(index));
            own.sort_unstable();
            own.dedup();
            own.iter().for_each(|&site| pages[site as usize] += 1);
            sites.extend_from_slice(&own);
            starts.push(sites.len() as u32);
        }
        Self { keys, sites, starts, pages }
    }

    /// Number of sites.
    #[must_use]
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are no documents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Key of a site.
    #[must_use]
    pub fn key(&self, site: u32) -> u64 {
        self.keys[site as usize]
    }

    /// Number of distinct documents of a site.
    #[must_use]
    pub fn pages(&self, site: u32) -> u32 {
        self.pages[site as usize]
    }

    /// The sites that have a unit, ascending.
    fn of(&self, unit: SetId) -> &[u32] {
        let unit = unit.index();
        &self.sites[self.starts[unit] as usize..self.starts[unit + 1] as usize]
    }

    /// The first document of a unit, in order of precedence, that is of a site.
    #[must_use]
    pub fn document(
        &self,
        collection: &Collection,
        units: &Units,
        unit: SetId,
        site: u32,
    ) -> Option<DocumentId> {
        let of_site = |document: &&DocumentId| collection.sites[document.index()] == self.key(site);
        units.members(unit).iter().find(of_site).copied()
    }
}

/// An element that is boilerplate of a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SiteElement {
    /// Index of the site.
    pub site: u32,
    /// The element.
    pub element: u64,
    /// Number of distinct documents of the site that have it.
    pub pages: u32,
    /// The first of these.
    pub first: SetId,
}

/// The elements that more than `most(n)` of the n distinct documents of a site have, for each site,
/// ordered by site and element. Uses approximately `memory` bytes besides the result, which takes
/// 24 bytes for each.
///
/// Runs on the rayon pool it is called in.
///
/// # Errors
/// A temporary file that cannot be read, or an interruption.
pub fn boilerplate(
    collection: &Collection,
    units: &Units,
    sites: &SiteUnits,
    most: impl Fn(u32) -> u32 + Sync,
    memory: u64,
    progress: &dyn Progress,
) -> Result<Vec<SiteElement>, EngineError> {
    // No element occurs in more documents than a site has.
    let limits: Vec<u32> = sites.pages.iter().map(|&pages| most(pages)).collect();
    let counted = |site: u32| sites.pages(site) > limits[site as usize];
    let elements: u64 = units
        .ids()
        .map(|unit| {
            let of_sites = sites.of(unit).iter().filter(|&&site| counted(site)).count();
            u64::from(units.size(unit)) * of_sites as u64
        })
        .sum();
    let rounds = (elements * ELEMENT).div_ceil(memory.max(LEAST)).max(1);
    let passes = Passes::new(collection, units);
    let (mut found, poll) = (Vec::new(), Poll::new(progress));
    progress.phase("counting boilerplate", Some(rounds * u64::from(passes.tasks())));
    for number in 0..rounds {
        let round = Round::new(number, rounds);
        type Partition = Vec<(u64, u32, SetId)>;
        let gathered: Vec<Vec<Partition>> = (0..passes.tasks())
            .into_par_iter()
            .with_max_len(1)
            .map(TaskId)
            .map(|task| {
                poll.now()?;
                let mut partitions = vec![Partition::new(); PARTITIONS];
                passes.visit(task, Part::Whole, |unit, low, high| {
                    let own = sites.of(unit);
                    if !own.iter().any(|&site| counted(site)) {
                        return Ok(());
                    }
                    for &value in low.iter().chain(high.read()?) {
                        if let Some(partition) = round.partition(value) {
                            let own = own.iter().filter(|&&site| counted(site));
                            partitions[partition].extend(own.map(|&site| (value, site, unit)));
                        }
                    }
                    Ok(())
                })?;
                progress.advance(1, 0);
                Ok(partitions)
            })
            .collect::<Result<_, EngineError>>()?;
        let counts = (0..PARTITIONS).into_par_iter().map(|partition| {
            poll.now()?;
            let mut values = Partition::new();
            gathered.iter().for_each(|task| values.extend_from_slice(&task[partition]));
            values.sort_unstable();
            let runs = values.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
            let common = runs.filter_map(|run| {
                let ((element, site, first), pages) = (run[0], run.len() as u32);
                (pages > limits[site as usize]).then_some(SiteElement {
                    site,
                    element,
                    pages,
                    first,
                })
            });
            Ok(common.collect::<Vec<_>>())
        });
        found.extend(counts.collect::<Result<Vec<_>, EngineError>>()?.into_iter().flatten());
    }
    found.par_sort_unstable();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use lookalike_core::Measure;
    use lookalike_core::fingerprint::finalise;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// Sets with the keys of their sites.
    fn collection(sets: &[(Vec<u64>, u64)]) -> Collection {
        let mut collection = Collection::of_sets(sets.iter().map(|(set, _)| set.clone()));
        collection.sites = sets.iter().map(|&(_, site)| site).collect();
        collection
    }

    proptest! {
        /// Against the definition, over distinct sets of each site, in one round and in several.
        #[test]
        fn elements_of_more_than_n_distinct_sets_of_a_site(
            sets in prop::collection::vec((prop::collection::btree_set(0u64..30, 0..12), 0u64..4), 0..60),
            (most, share) in (0u32..8, 0u32..100),
        ) {
            let sets: Vec<(Vec<u64>, u64)> = sets
                .iter()
                .map(|(set, site)| (set.iter().map(|&value| finalise(value)).collect(), *site))
                .collect();
            let limit = |pages: u32| most.max(pages * share / 100);
            let mut of_sites: BTreeMap<u64, BTreeSet<BTreeSet<u64>>> = BTreeMap::new();
            for (set, site) in sets.iter().filter(|(set, _)| !set.is_empty()) {
                of_sites.entry(*site).or_default().insert(set.iter().copied().collect());
            }
            let mut truth = BTreeSet::new();
            for (site, distinct) in &of_sites {
                let mut holders: BTreeMap<u64, u32> = BTreeMap::new();
                distinct.iter().flatten().for_each(|&value| *holders.entry(value).or_default() += 1);
                let common = holders.into_iter().filter(|&(_, n)| n > limit(distinct.len() as u32));
                truth.extend(common.map(|(value, pages)| (*site, value, pages)));
            }
            let collection = collection(&sets);
            let units = Units::new(&collection, &[], Measure::Resemblance, &Silent).unwrap();
            let sites = SiteUnits::new(&collection, &units);
            let found = boilerplate(&collection, &units, &sites, limit, u64::MAX, &Silent).unwrap();
            prop_assert!(found.is_sorted());
            for one in &found {
                let document = sites.document(&collection, &units, one.first, one.site).unwrap();
                prop_assert!(sets[document.index()].0.contains(&one.element));
                prop_assert_eq!(sets[document.index()].1, sites.key(one.site));
            }
            let found: BTreeSet<_> =
                found.iter().map(|one| (sites.key(one.site), one.element, one.pages)).collect();
            prop_assert_eq!(found, truth);
        }
    }

    /// More elements than one round can count.
    #[test]
    fn a_small_budget_changes_nothing() {
        let sets: Vec<(Vec<u64>, u64)> = (0..400u64)
            .map(|set| {
                let element =
                    |at| finalise(if at < 9 { at * 40 + set % 40 } else { set * 60 + at });
                ((0..60).map(element).collect(), set % 2)
            })
            .collect();
        let collection = collection(&sets);
        let units = Units::new(&collection, &[], Measure::Resemblance, &Silent).unwrap();
        let sites = SiteUnits::new(&collection, &units);
        let find =
            |memory| boilerplate(&collection, &units, &sites, |_| 9, memory, &Silent).unwrap();
        let (one, many) = (find(u64::MAX), find(1));
        assert_eq!(one, many);
        assert_eq!(one.len(), 360);
        const { assert!(400 * 60 * ELEMENT > LEAST, "several rounds") };
    }
}
