//! Who else has the content of a page.

use super::versions::site_of;
use lookalike_core::Threshold;
use lookalike_engine::Progress;
use lookalike_index::{Ask, AskOptions, DocAt, LiveSegment, QueryScratch, QuerySet, Question};
use lookalike_run::LookalikeError;
use lookalike_run::index::open::Index;
use lookalike_run::index::sweeps::table::all;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The documents of a site that contain a page.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Holder {
    /// The host of their addresses.
    pub site: String,
    /// The addresses.
    pub urls: BTreeSet<String>,
    /// Number of documents, of all sweeps.
    pub documents: u64,
    /// The first and the last sweep in which one was found.
    pub first_sweep: String,
    /// See [`Holder::first_sweep`].
    pub last_sweep: String,
    /// The most of the page that one of them contains.
    pub containment: f64,
    /// Its resemblance to the page.
    pub resemblance: f64,
}

impl Holder {
    /// The threshold where none is given.
    pub const USUAL_THRESHOLD: &'static str = "0.8";
}

/// Sites with documents whose containment of the page last found at an address reaches `threshold`,
/// without the page's own documents; the highest containment first.
///
/// # Errors
/// An address that is not in the index; a threshold that makes no sense;
/// [`LookalikeError::QuestionCancelled`].
pub fn holders(
    index: &Index,
    url: &str,
    threshold: &str,
    progress: &dyn Progress,
) -> Result<Vec<Holder>, LookalikeError> {
    let threshold: Threshold = threshold.parse()?;
    let snapshot = index.snapshot()?;
    let at = snapshot.with_url(url).last().copied().ok_or_else(|| LookalikeError::NotInIndex {
        index: index.dir().to_owned(),
        what: "document with the URL".into(),
        name: url.to_owned(),
    })?;
    let sweeps = all(&index.reader.records()?)?;
    let place = |number: u32| sweeps.iter().position(|sweep| sweep.number == number);
    let name = |place: Option<usize>| {
        place.map_or_else(|| "(no sweep)".to_owned(), |place| sweeps[place].name.clone())
    };
    let mut scratch = QueryScratch::new((index.analysis.makers())());
    let document = snapshot.document(at);
    let set = snapshot.set(at, &mut scratch)?;
    // The same content, whatever the values of the pages are.
    let query = QuerySet { value: 0, ..document.query(&set) };
    let wanted = |live: &LiveSegment, local: u32| live.segment().url(local) != url;
    let stop = || progress.cancelled();
    let options = AskOptions { wanted: &wanted, stop: &stop, ..AskOptions::default() };
    let question = Question { ask: Ask::Containing, threshold };
    let answer = snapshot.ask(question, query, options, &mut scratch);
    let answer = answer.map_err(|error| LookalikeError::from(error).of_question())?;
    let mut sites: BTreeMap<String, (Vec<DocAt>, f64, f64)> = BTreeMap::new();
    for found in answer.matches {
        let address = super::versions::address(snapshot.document(found.at));
        let site = sites.entry(site_of(address)).or_default();
        site.0.push(found.at);
        let containment = found.counts.containment_a_in_b();
        if containment > site.1 {
            (site.1, site.2) = (containment, found.counts.resemblance());
        }
    }
    let mut holders: Vec<Holder> = sites
        .into_iter()
        .map(|(site, (documents, containment, resemblance))| {
            let places: Vec<Option<usize>> =
                documents.iter().map(|&at| place(snapshot.document(at).sweep())).collect();
            let known = places.iter().flatten().copied();
            let (first, last) = (known.clone().min(), known.max());
            Holder {
                site,
                urls: documents
                    .iter()
                    .map(|&at| super::versions::address(snapshot.document(at)).to_owned())
                    .collect(),
                documents: documents.len() as u64,
                first_sweep: name(first),
                last_sweep: name(last),
                containment,
                resemblance,
            }
        })
        .collect();
    holders
        .sort_by(|a, b| b.containment.total_cmp(&a.containment).then_with(|| a.site.cmp(&b.site)));
    Ok(holders)
}
