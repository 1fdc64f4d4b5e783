//! Looks for removals that only a template explains, in a sample: the reason to recommend the
//! setting boilerplate.
//!
//! The sample is read in the second pass, which reads the texts anyway. The kept documents of the
//! sample are of different clusters, so shingles that many of them share are a template: that of
//! their site, as with the setting boilerplate. A sampled removal is mostly template if what the two
//! documents have besides is less similar than the remaining sets of a match have to be.

use crate::BoilerplateLimit;
use crate::Job;
use crate::analysis::Analysis;
use lookalike_core::{Overlap, overlap};
use lookalike_decide::Rule;
use lookalike_engine::signer::plain_text;
use lookalike_engine::site::{SiteRule, site};
use lookalike_engine::{DocumentId, MatchSettings, Signer};
use lookalike_io::{Inputs, RecordView};
use lookalike_report::{Action, TemplateSite};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// Most removals of a sample, spread evenly over all.
const SAMPLE: usize = 256;

/// Documents with larger sets are not sampled: templates matter in short ones, and the memory of a
/// sample is bounded.
const LARGEST: u32 = 4096;

/// Fewest sampled removals of a site that are mostly template, for a warning.
const LEAST: u64 = 10;

/// The share of them is one in so many.
const ONE_IN: u64 = 10;

/// Removed documents with the kept ones.
#[derive(Debug)]
pub(crate) struct TemplateSample {
    pairs: Vec<(DocumentId, DocumentId)>,
    settings: MatchSettings,
    signer: Signer,
}

/// A document of the sample.
#[derive(Debug, Clone, Default)]
pub(crate) struct SampledPage {
    site: Arc<str>,
    /// Its feature set, ascending.
    set: Vec<u64>,
}

impl TemplateSample {
    /// The sample of a run that removes documents by the exact join of shingles and removes no
    /// frequent ones; `None` of other runs, or if there are too few removals.
    pub(crate) fn choose(job: &Job, action: Action, analysis: &Analysis) -> Option<Self> {
        let settings = &job.settings;
        let looks = action != Action::List
            && settings.method.is_none()
            && settings.shingle_size().is_some()
            && settings.boilerplate.is_none()
            && settings.ignore_common.is_none()
            && settings.fields.features.is_none();
        if !looks {
            return None;
        }
        let is_small = |document| {
            let unit = analysis.units.of_document(document);
            unit.is_some_and(|unit| analysis.units.size(unit) <= LARGEST)
        };
        let near = || {
            analysis.removals().filter(|(document, removal)| {
                removal.rule == Rule::Near && is_small(*document) && is_small(removal.kept)
            })
        };
        let all = near().count();
        let is_sampled = |at: usize| all <= SAMPLE || at * SAMPLE / all != (at + 1) * SAMPLE / all;
        let pairs: Vec<_> = near()
            .enumerate()
            .filter(|&(at, _)| is_sampled(at))
            .map(|(_, (document, removal))| (document, removal.kept))
            .collect();
        let settings = analysis.settings.clone();
        let signer = Signer::new(&settings).of_texts_alone();
        (pairs.len() as u64 >= LEAST).then_some(Self { pairs, settings, signer })
    }

    /// Its documents, ascending.
    pub(crate) fn documents(&self) -> BTreeSet<DocumentId> {
        self.pairs.iter().flat_map(|&(removed, kept)| [removed, kept]).collect()
    }

    /// What is needed of a document.
    pub(crate) fn page(&self, record: &RecordView<'_>, inputs: &Inputs) -> SampledPage {
        let site = Arc::from(&*site(record, inputs, SiteRule::Host));
        SampledPage { site, set: self.signer.sorted_set(&plain_text(&record.content)) }
    }

    /// The sites of which many sampled removals are mostly template, those with the most first.
    pub(crate) fn sites(&self, pages: &BTreeMap<DocumentId, SampledPage>) -> Vec<TemplateSite> {
        type Pair<'a> = [(DocumentId, &'a SampledPage); 2];
        let mut of_sites: BTreeMap<&str, Vec<Pair<'_>>> = BTreeMap::new();
        for &(removed, kept) in &self.pairs {
            let (Some(a), Some(b)) = (pages.get(&removed), pages.get(&kept)) else { continue };
            if a.site == b.site {
                of_sites.entry(&a.site).or_default().push([(removed, a), (kept, b)]);
            }
        }
        let mut found: Vec<TemplateSite> = of_sites
            .into_iter()
            .map(|(site, pairs)| {
                let kept: BTreeMap<DocumentId, &SampledPage> =
                    pairs.iter().map(|pair| pair[1]).collect();
                let template = template(kept.values().map(|page| page.set.as_slice()));
                let is_template = |pair: &&Pair<'_>| self.is_template(pair, &template);
                TemplateSite {
                    site: site.to_owned(),
                    sampled: pairs.len() as u64,
                    mostly_template: pairs.iter().filter(is_template).count() as u64,
                }
            })
            .filter(|site| {
                site.mostly_template >= LEAST && site.mostly_template * ONE_IN >= site.sampled
            })
            .collect();
        found.sort_by_key(|site| u64::MAX - site.mostly_template);
        found
    }

    /// Whether two documents have little in common besides a template.
    fn is_template(
        &self,
        [(_, removed), (_, kept)]: &[(DocumentId, &SampledPage); 2],
        template: &HashSet<u64>,
    ) -> bool {
        let rest = |page: &SampledPage| -> Vec<u64> {
            page.set.iter().copied().filter(|element| !template.contains(element)).collect()
        };
        let (a, b) = (rest(removed), rest(kept));
        let counts = Overlap { shared: overlap(&a, &b), a: a.len() as u32, b: b.len() as u32 };
        !template.is_empty() && !self.settings.remaining_criterion().reaches(counts)
    }
}

/// The elements of so many of these sets that the setting boilerplate=auto removes them.
fn template<'s>(sets: impl ExactSizeIterator<Item = &'s [u64]>) -> HashSet<u64> {
    let most = BoilerplateLimit::Auto.most(sets.len() as u32);
    let mut holders: HashMap<u64, u32> = HashMap::new();
    sets.flatten().for_each(|&element| *holders.entry(element).or_default() += 1);
    holders.into_iter().filter(|&(_, sets)| sets > most).map(|(element, _)| element).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_core::fingerprint::finalise;

    /// A header of 40 shingles and some of the page's own.
    fn page(site: &str, header: u64, own: u64, changed: u64) -> SampledPage {
        let header = (0..40).map(|at| finalise(header << 32 | at));
        let own = (0..8)
            .map(|at| finalise(1 << 50 | own << 8 | (at + if at < changed { 100 } else { 0 })));
        let mut set: Vec<u64> = header.chain(own).collect();
        set.sort_unstable();
        SampledPage { site: site.into(), set }
    }

    fn sites(pairs: &[[SampledPage; 2]]) -> Vec<TemplateSite> {
        let settings = MatchSettings::resemblance("0.8".parse().unwrap());
        let id = |at: usize| DocumentId(at as u32);
        let signer = Signer::new(&settings).of_texts_alone();
        let sample = TemplateSample {
            pairs: (0..pairs.len()).map(|at| (id(2 * at + 1), id(2 * at))).collect(),
            settings,
            signer,
        };
        let pages = pairs.iter().flatten().cloned().enumerate();
        sample.sites(&pages.map(|(at, page)| (id(at ^ 1), page)).collect())
    }

    #[test]
    fn other_pages_with_one_template_are_reported_and_versions_are_not() {
        let of = |site: &'static str, header: u64, others: u64, versions: u64| {
            let other =
                move |at| [page(site, header, 2 * at, 0), page(site, header, 2 * at + 1, 0)];
            let version = move |at| [page(site, header, 2 * at, 1), page(site, header, 2 * at, 0)];
            (0..others).map(other).chain((others..others + versions).map(version))
        };
        let found = sites(&of("a", 1, 12, 30).chain(of("b", 2, 3, 30)).collect::<Vec<_>>());
        let wanted = TemplateSite { site: "a".into(), sampled: 42, mostly_template: 12 };
        assert_eq!(found, [wanted]);
        // Too few for a template, and pairs of two sites.
        assert_eq!(sites(&of("a", 1, 10, 0).collect::<Vec<_>>()), []);
        let two = (0..30).map(|at| [page("a", 1, 2 * at, 0), page("b", 1, 2 * at + 1, 0)]);
        assert_eq!(sites(&two.collect::<Vec<_>>()), []);
    }
}
