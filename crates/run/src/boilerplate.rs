//! Finds the boilerplate of sites (headers, navigation, footers) before documents are compared.
//!
//! All inputs, protected ones included, are read one more time: their distinct feature sets are
//! computed as in a run, within the memory budget, and for each site the shingles of more than so
//! many of its distinct documents are counted exactly. They are removed from *all* sets, not only
//! from those of their site: so the set of a document follows from its text, and copies of a text on
//! two sites remain copies.
//!
//! The steps: `limit` (in how many documents of a site), `passages` (what was removed, as text) and
//! `templates` (what each document has of it).

mod limit;
mod passages;
mod templates;

pub use limit::BoilerplateLimit;
pub(crate) use passages::removed_passages;

use crate::common::{check_content, content};
use crate::memory::Memory;
use crate::reading::Documents;
use crate::{Job, LookalikeError, state};
use lookalike_core::{CommonElements, FeatureKind, Measure};
use lookalike_engine::boilerplate::{SiteElement, SiteUnits, boilerplate};
use lookalike_engine::site::{SiteRule, site_key, site_of_file};
use lookalike_engine::{
    Collection, EngineError, IngestOptions, MatchSettings, Progress, Signer, Units,
};
use lookalike_io::Inputs;
use lookalike_report::{BoilerplateSummary, SiteBoilerplate};
use lookalike_spill::{read_checked_file, write_checked_file};
use lookalike_text::Analyzer;
use passages::{SitePages, find_passages};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Name of the file of a finished count.
const NAME: &str = "boilerplate";

/// Sites whose boilerplate is described.
const SITES: usize = 20;

/// Documents of a site in which passages are looked for: those with the most shingles that no
/// earlier document has.
const DOCUMENTS: usize = 32;

/// What is removed from feature sets, and its description.
#[derive(Debug, Clone)]
pub(crate) struct Boilerplate {
    /// The shingles, of all sites.
    pub(crate) elements: Arc<CommonElements>,
    /// What a summary says.
    pub(crate) summary: BoilerplateSummary,
    /// Digest of the documents in which they were counted.
    content: u128,
}

impl Boilerplate {
    /// Counts the boilerplate of the inputs of a job; `None` without [`Settings::boilerplate`](
    /// crate::Settings::boilerplate). A finished count is taken from the directory `kept`, and
    /// written there.
    ///
    /// Runs on the current rayon pool.
    ///
    /// # Errors
    /// Inputs that cannot be read, temporary files that cannot be written, an interruption.
    pub(crate) fn of(
        job: &Job,
        documents: Documents<'_>,
        settings: &MatchSettings,
        kept: Option<PathBuf>,
        progress: &dyn Progress,
    ) -> Result<Option<Self>, LookalikeError> {
        let Some(limit) = job.settings.boilerplate else { return Ok(None) };
        let file = kept.map(|folder| folder.join(NAME));
        if let Some(found) = file.as_deref().and_then(read) {
            return Ok(Some(found));
        }
        let (inputs, rule) = named_sites(job, documents.inputs);
        let documents = Documents { inputs: &inputs, ..documents };
        let (found, whole) = count(job, documents, rule, limit, settings, progress)?;
        // What could not be read may be readable when the run is resumed.
        if let Some(file) = file.filter(|_| whole) {
            write(&file, &found)?;
        }
        Ok(Some(found))
    }

    /// Checks that the documents are those that were counted.
    pub(crate) fn check(
        &self,
        collection: &Collection,
        documents: Documents<'_>,
    ) -> Result<(), LookalikeError> {
        check_content(documents, collection, self.content)
    }
}

/// The inputs with the field that names sites as the only one that is read beside the usual ones.
fn named_sites(job: &Job, inputs: &Inputs) -> (Inputs, SiteRule) {
    let mut inputs = inputs.clone();
    match &job.settings.site_field {
        None => (inputs, SiteRule::Host),
        Some(field) => {
            inputs.options.fields.given = vec![field.clone()];
            (inputs, SiteRule::Field)
        }
    }
}

/// Counts boilerplate; also whether all inputs could be read.
fn count(
    job: &Job,
    documents: Documents<'_>,
    rule: SiteRule,
    limit: BoilerplateLimit,
    settings: &MatchSettings,
    progress: &dyn Progress,
) -> Result<(Boilerplate, bool), LookalikeError> {
    let memory = Memory::of(job.memory);
    let complete = MatchSettings { common: None, boilerplate: None, ..settings.clone() };
    let options = IngestOptions {
        memory: memory.sets(),
        sequences: memory.sequences(),
        scratch: state::folder(job),
        strict: job.strict,
        skip_unreadable: job.skip_unreadable,
        in_flight: memory.in_flight(),
        sites: Some(rule),
        ..IngestOptions::in_memory(job.thread_count())
    };
    let collection =
        documents.ingest(&Signer::new(&complete).of_texts_alone(), &options, progress)?;
    let units = Units::new(&collection, &[], Measure::Resemblance, progress)?;
    let sites = SiteUnits::new(&collection, &units);
    check_field(job, documents.inputs, &sites)?;
    let most = |pages| limit.most(pages);
    let found = boilerplate(&collection, &units, &sites, most, memory.counting(), progress)?;
    let described = described_sites(&collection, &units, &sites, &found);
    let size = match settings.features {
        FeatureKind::Shingles { size, .. } => size,
        FeatureKind::Terms => 1,
    };
    let analyzer = Analyzer::new(&settings.analysis);
    let names_and_passages =
        find_passages(documents, rule, &collection, &described, (&analyzer, size), job, progress)?;
    let mut of_sites: Vec<SiteBoilerplate> = described
        .iter()
        .zip(names_and_passages)
        .map(|(site, (name, passages))| SiteBoilerplate {
            site: name,
            documents: sites.pages(site.site).into(),
            more_than: limit.most(sites.pages(site.site)).into(),
            shingles: site.elements.len() as u64,
            passages: passages.found,
            most_frequent: passages.listed,
        })
        .collect();
    of_sites.sort_by(|a, b| (b.documents, &a.site).cmp(&(a.documents, &b.site)));
    let with_boilerplate = found.chunk_by(|a, b| a.site == b.site).count();
    let elements = CommonElements::new(found.iter().map(|one| one.element).collect());
    let whole = collection.problems.unreadable().next().is_none();
    let found = Boilerplate {
        summary: BoilerplateSummary {
            shingles: elements.elements().len() as u64,
            sites: sites.len() as u64,
            sites_with_boilerplate: with_boilerplate as u64,
            only_boilerplate: 0,
            largest_sites: of_sites,
        },
        elements: Arc::new(elements),
        content: content(&collection)?,
    };
    Ok((found, whole))
}

/// Refuses a field that names the site of no document.
fn check_field(job: &Job, inputs: &Inputs, sites: &SiteUnits) -> Result<(), LookalikeError> {
    let Some(field) = &job.settings.site_field else { return Ok(()) };
    let of_files: HashSet<u64> =
        inputs.files.iter().map(|file| site_key(site_of_file(file))).collect();
    let is_named = (0..sites.len() as u32).any(|site| !of_files.contains(&sites.key(site)));
    match is_named || sites.is_empty() {
        true => Ok(()),
        false => Err(LookalikeError::Settings(format!(
            "no document has the field `{field}` of the setting site_field; name another one, or leave \
             it out"
        ))),
    }
}

/// The sites with the most occurrences of boilerplate, and in which of their documents it is.
fn described_sites<'f>(
    collection: &Collection,
    units: &Units,
    sites: &SiteUnits,
    found: &'f [SiteElement],
) -> Vec<SitePages<'f>> {
    let mut of_sites: Vec<(u64, &[SiteElement])> = found
        .chunk_by(|a, b| a.site == b.site)
        .map(|elements| (elements.iter().map(|one| u64::from(one.pages)).sum(), elements))
        .collect();
    of_sites.sort_by_key(|&(occurrences, elements)| (u64::MAX - occurrences, elements[0].site));
    of_sites.truncate(SITES);
    let described = of_sites.into_iter().map(|(_, elements)| {
        let site = elements[0].site;
        let mut firsts: Vec<_> = elements.iter().map(|one| one.first).collect();
        firsts.sort_unstable();
        let mut pages: Vec<_> =
            firsts.chunk_by(|a, b| a == b).map(|same| (same.len(), same[0])).collect();
        pages.sort_by_key(|&(count, unit)| (usize::MAX - count, unit));
        pages.truncate(DOCUMENTS);
        let document = |&(_, unit): &(usize, _)| sites.document(collection, units, unit, site);
        SitePages { site, elements, documents: pages.iter().filter_map(document).collect() }
    });
    described.collect()
}

/// Reads the count of an earlier run; `None` if it is damaged, and must be made again.
fn read(path: &Path) -> Option<Boilerplate> {
    let read = read_checked_file(path, |from, most| {
        Ok((from.array::<u128>(most)?, from.array::<u64>(most)?, from.array::<u8>(most)?))
    });
    let (content, elements, summary) = read.ok()??;
    Some(Boilerplate {
        elements: Arc::new(CommonElements::new(elements)),
        summary: serde_json::from_slice(&summary).ok()?,
        content: *content.first()?,
    })
}

fn write(path: &Path, found: &Boilerplate) -> Result<(), LookalikeError> {
    let summary = serde_json::to_vec(&found.summary).unwrap_or_default();
    let written = write_checked_file(path, |out| {
        out.array(&[found.content])?;
        out.array(found.elements.elements())?;
        out.array(&summary)
    });
    written.map_err(|error| {
        let folder = path.parent().unwrap_or(path).display().to_string();
        EngineError::Scratch { folder, reason: error.to_string() }.into()
    })
}
