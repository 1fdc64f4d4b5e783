//! The report: one page that shows a summary, clusters and pairs.
//!
//! The primary type is [`Report`]; [`AlignedPair`] is the expensive part of it. The page is a
//! single file with its styles, drawings and script: nothing is fetched, which a content security
//! policy in its head enforces. Data that are too large for one file are in files beside it
//! (`embed`). Documents are untrusted: every text of the template passes through `clean` (bounded
//! length, no control characters) and then through the template's escaping; the script creates
//! elements with text nodes and parses no HTML. The size of the page is bounded for any input.

pub use embed::{Page, PageFile};
pub use pair::{AlignedPair, PairRoom};
pub use parts::{STYLE, around_chart, similarity_chart, sizes_chart};
pub use passages::PassageReport;

mod across;
mod boilerplate;
mod chart;
mod differences;
mod embed;
mod flow;
mod near_misses;
mod pair;
mod parts;
mod passages;
mod script;
mod views;
mod words;

use crate::clean::{LONG, MEDIUM};
use crate::human::{bytes, count, counted};
use crate::{Action, ClusterData, ClusterExhibit, ReportError, SourceLoss, Summary, clean};
use across::AcrossTable;
use askama::Template as _;
use boilerplate::SiteView;
use chart::Chart;
use differences::DifferenceTable;
use embed::Embedded;
use flow::Flow;
use pair::{DiffRow, Ink};
use views::{ClusterView, InputRow, LossRow, OutputRow, PhaseRow, Tile};

/// Clusters shown.
const CLUSTERS: usize = 20;
/// Pairs shown.
const SAMPLES: usize = 12;
/// Number of pairs that are open when the page is loaded.
const OPEN: usize = 2;

/// Content of the page.
#[derive(Clone, Copy)]
pub struct Report<'a> {
    /// The run.
    pub summary: &'a Summary,
    /// The largest clusters, largest first. The first 20 are shown.
    pub clusters: &'a [ClusterExhibit],
    /// Some pairs, in the order of display; the first 12 are shown.
    pub samples: &'a [AlignedPair],
    /// Which sources lost documents to which, largest first; the first 50 are shown.
    pub losses: &'a [SourceLoss],
}

impl Report<'_> {
    /// The page with the largest clusters only, without a script.
    ///
    /// # Errors
    /// The template failed, which does not depend on the input.
    pub fn html(&self) -> Result<String, ReportError> {
        Ok(Template::new(self, Embedded::default()).render()?)
    }

    /// The page with all clusters of `data`. They are embedded if they take at most `embed` bytes,
    /// else in files that must lie beside the page.
    ///
    /// # Errors
    /// As [`Report::html`].
    pub fn page(&self, data: ClusterData, embed: u64) -> Result<Page, ReportError> {
        if data.is_empty() {
            return Ok(Page { html: self.html()?, files: Vec::new() });
        }
        let (embedded, files) = embed::embedded(data, self.facts(), embed);
        Ok(Page { html: Template::new(self, embedded).render()?, files })
    }

    /// What the script must know of the run.
    fn facts(&self) -> serde_json::Value {
        let summary = self.summary;
        let histogram = &summary.histogram_similarity;
        serde_json::json!({
            "measure": clean::line(&summary.settings.measure, MEDIUM),
            "gone": summary.action.participle(),
            "symbols": summary.settings.tokens.as_deref() == Some("symbols"),
            "keepsCase": summary.settings.case.as_deref() == Some("keep"),
            "digest": summary.digest,
            "rules": summary.removed.by_rule().map(|(name, number)| (number > 0).then_some(name)),
            "from": histogram.from,
            "bins": histogram.bins.len(),
        })
    }
}

#[derive(askama::Template)]
#[template(path = "report.html")]
struct Template<'a> {
    /// Source expressions of the content security policy for scripts.
    script_policy: String,
    embedded: Embedded,
    headline: String,
    criterion: String,
    tool: String,
    command: String,
    /// Parts that are text and code in turn.
    warnings: Vec<Vec<String>>,
    tiles: Vec<Tile>,
    flow: Option<Flow>,
    similarity: Option<Chart>,
    similarity_note: String,
    near: Option<Chart>,
    linked: bool,
    sizes: Option<Chart>,
    sizes_note: String,
    measure: String,
    inputs: Vec<InputRow>,
    inputs_more: String,
    losses: Vec<LossRow>,
    across: Option<AcrossTable>,
    differences: Option<DifferenceTable>,
    /// What was removed as boilerplate, in a sentence and by site.
    removed_boilerplate: String,
    boilerplate: Vec<SiteView>,
    clusters: Vec<ClusterView>,
    clusters_more: String,
    /// Each with whether it is open.
    pairs: Vec<(&'a AlignedPair, bool)>,
    outputs: Vec<OutputRow>,
    outputs_more: String,
    words: Vec<String>,
    settings: Vec<(String, String)>,
    work: Vec<(String, String)>,
    command_line: String,
    machine: String,
    phases: Vec<PhaseRow>,
    digest: String,
    gone: &'static str,
    /// The table that lists the witnesses.
    evidence: &'static str,
}

impl<'a> Template<'a> {
    fn new(report: &Report<'a>, embedded: Embedded) -> Self {
        let Report { summary, samples, .. } = *report;
        let settings = &summary.settings;
        let measure = clean::line(&settings.measure, MEDIUM);
        let (inputs, inputs_more) = views::inputs(summary, embedded.is_some());
        let (outputs, outputs_more) = views::outputs(&summary.outputs);
        let clusters: Vec<ClusterView> = report
            .clusters
            .iter()
            .take(CLUSTERS)
            .map(|cluster| views::cluster(cluster, summary))
            .collect();
        let shown = samples.iter().take(SAMPLES).enumerate();
        let pairs = shown.map(|(at, pair)| (pair, at < OPEN)).collect();
        let linked = embedded.is_some();
        Self {
            script_policy: embedded.policy(),
            embedded,
            headline: views::headline(summary),
            criterion: format!(
                "{measure} of at least {} over {}",
                clean::line(&settings.threshold, MEDIUM),
                settings.features()
            ),
            tool: clean::line(&format!("{} {}", summary.tool.name, summary.tool.version), MEDIUM),
            command: clean::line(&summary.command, MEDIUM),
            warnings: views::warnings(summary),
            tiles: views::tiles(summary, linked),
            flow: flow::flow(summary, linked),
            similarity: chart::similarity(&summary.histogram_similarity, &measure, linked),
            similarity_note: similarity_note(summary),
            near: near_misses::chart(summary, &measure),
            linked,
            sizes: chart::sizes(&summary.histogram_cluster_size, linked),
            sizes_note: format!(
                "{} in {}. Both axes are logarithmic.",
                counted(summary.documents_in_clusters, "document"),
                counted(summary.clusters, "cluster")
            ),
            measure,
            inputs,
            inputs_more,
            losses: views::losses(report.losses, linked),
            across: across::table(summary),
            differences: differences::table(
                summary,
                &samples[..samples.len().min(SAMPLES)],
                linked,
            ),
            removed_boilerplate: boilerplate::sentence(summary),
            boilerplate: boilerplate::sites(summary),
            clusters_more: match summary.clusters.saturating_sub(clusters.len() as u64) {
                0 => String::new(),
                more => format!("{} more in the table of clusters.", count(more)),
            },
            clusters,
            pairs,
            outputs,
            outputs_more,
            words: words::of(summary),
            settings: views::settings(settings),
            work: views::work(summary),
            command_line: summary
                .run
                .as_ref()
                .map(|run| clean::line(&run.command_line, 2000))
                .unwrap_or_default(),
            machine: summary.run.as_ref().map(machine).unwrap_or_default(),
            phases: summary.run.as_ref().map(views::phases).unwrap_or_default(),
            digest: clean::line(&summary.digest, LONG),
            gone: summary.action.participle(),
            evidence: match summary.action {
                Action::List => {
                    "The table `clusters` lists every duplicate with the leader of its cluster, and the \
                     table `pairs` lists the matching pairs with their similarity."
                }
                Action::Remove | Action::Mark => {
                    "The table `ledger` lists every duplicate with the kept document that it duplicates \
                     (its witness) and their similarity."
                }
            },
        }
    }
}

fn machine(run: &crate::Run) -> String {
    let threads = counted(run.threads, "thread");
    match run.peak_memory_bytes {
        None => threads,
        // Drawing the page takes memory too; summary.json is written later and has the final value.
        Some(memory) => format!("{threads}, peak memory {} before this page", bytes(memory)),
    }
}

/// Documents that the histogram does not show.
fn similarity_note(summary: &Summary) -> String {
    let histogram = &summary.histogram_similarity;
    let mut note = match histogram.at_one {
        0 => String::new(),
        one => format!("Not shown: {} at exactly 1.", counted(one, "document")),
    };
    if histogram.below > 0 && summary.settings.other.contains_key("boilerplate") {
        note.push_str(&format!(
            " {} below {} without boilerplate.",
            counted(histogram.below, "document"),
            histogram.from
        ));
    } else if histogram.below > 0 {
        note.push_str(&format!(
            " {} below {}, connected through other documents.",
            counted(histogram.below, "document"),
            histogram.from
        ));
    }
    note.trim_start().to_owned()
}
