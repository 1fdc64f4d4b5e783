//! Verdicts on messages.

use super::decide::decide;
use super::matching::{Matching, matching};
use super::options::{By, FilterOptions, Way};
use super::reasons::Reasons;
use super::rule::{check_reports, completed};
use super::verdict::{MatchedPrototype, ReportCounts, Verdict};
use lookalike_core::{Overlap, overlap};
use lookalike_index::{DocumentView, Records, Snapshot};
use lookalike_io::Inputs;
use lookalike_run::index::open::{Buffers, Index};
use lookalike_run::index::prepare::{PrepareScratch, Preparer};
use lookalike_run::index::reports;
use lookalike_run::source::inputs_of;
use lookalike_run::{LookalikeError, Record, Settings};
use lookalike_text::Analyzer;
use std::path::Path;
use std::sync::Arc;

/// Gives verdicts on messages, from the prototypes of an index and what was reported about them
/// ([`report`](super::report)). It changes nothing.
///
/// ```
/// use lookalike::filter::{FilterOptions, MessageFilter, Report, ReportOptions, VerdictKind};
/// use lookalike::index::IndexSettings;
/// use lookalike::{IndexWriter, Record};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let dir = folder.path().join("prototypes");
/// let offer = "Dear friend, you have been chosen from many to receive a prize of one million. \
///              To claim it, answer this message today with your name, your address, the number \
///              of your account and a small fee for the transfer of the money. The offer ends on \
///              Friday at noon, after which the prize goes to the next person on our list, and no \
///              claim can be made by anybody whose name is not on it.";
/// let mut prototypes = IndexWriter::create(&dir, IndexSettings::default(), 1)?;
/// for reporter in ["ann", "bob", "carl"] {
///     let message = Record::new(offer).id("m1");
///     lookalike::filter::report(&mut prototypes, Report::Spam, reporter, &message, &ReportOptions::default())?;
/// }
///
/// let filter = MessageFilter::open(&dir, FilterOptions::default())?;
/// let copy = Record::new(format!("{offer} Yours, E.")).id("m2");
/// let verdict = filter.verdict(&copy)?;
/// assert_eq!(verdict.verdict, VerdictKind::Spam);
/// assert_eq!(verdict.reports.map(|reports| reports.spam), Some(3));
/// assert!(verdict.passages[0].text.starts_with("Dear friend, you have been chosen"));
/// let other = filter.verdict(&Record::new("Shall we meet at noon?"))?;
/// assert_eq!(other.verdict, VerdictKind::None);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct MessageFilter {
    pub(super) index: Index,
    pub(super) options: FilterOptions,
    /// How many reports make a prototype spam.
    reports: u32,
    way: Way,
    analyzer: Analyzer,
    /// Names messages of the caller without ids.
    inputs: Inputs,
}

/// The prototypes and reports of one commit.
pub(super) struct State {
    snapshot: Arc<Snapshot>,
    records: Records,
}

/// Buffers of a thread that gives verdicts.
pub(super) struct FilterScratch {
    pub(super) prepare: PrepareScratch,
    pub(super) buffers: Buffers,
}

impl MessageFilter {
    /// Opens the prototypes, an index that any process may write at the same time.
    ///
    /// # Errors
    /// As [`Index::open`]; options that the index cannot have.
    pub fn open(dir: impl AsRef<Path>, options: FilterOptions) -> Result<Self, LookalikeError> {
        check_reports(options.reports)?;
        let index = Index::open(dir)?;
        let rule = index.filter_rule()?;
        let way = Way::new(&completed(&rule, &options.matching), &index.analysis)?;
        let reports = options.reports.or(rule.reports).unwrap_or(FilterOptions::REPORTS);
        let analyzer = Analyzer::new(&index.analysis.settings.documents.analysis);
        let reading = index.settings().reading(&Settings::default(), Vec::new())?;
        let inputs = inputs_of(["message"], reading);
        Ok(Self { index, options, reports, way, analyzer, inputs })
    }

    /// The verdict on one message, by the prototypes of the last commit.
    ///
    /// # Errors
    /// Files that cannot be read.
    pub fn verdict(&self, message: &Record) -> Result<Verdict, LookalikeError> {
        let mut scratch = self.scratch();
        let preparer = self.preparer(&self.inputs);
        let documents = preparer.record(message, &mut scratch.prepare);
        let mut views = Vec::new();
        let zero = lookalike_index::DocNumber(0);
        let message = documents.get(0, zero, zero, &mut views);
        self.judge(&self.state()?, &message, &mut scratch.buffers)
    }

    /// The verdict on a message that could not be read, for this reason.
    #[must_use]
    pub fn unreadable(id: &str, reason: String) -> Verdict {
        Verdict::error(id.to_owned(), reason)
    }

    /// Makes messages of records: with the signature of the method that is asked for only.
    pub(super) fn preparer<'a>(&'a self, inputs: &'a Inputs) -> Preparer<'a> {
        let methods = &self.index.analysis.methods;
        let methods = match self.way.by {
            By::Measure(_) => &[],
            By::Method(number) => &methods[number..=number],
        };
        let signer = &self.index.analysis.signer;
        Preparer { inputs, signer, methods, passages: None, keep: &[], sweep: 0, expires: 0 }
    }

    pub(super) fn scratch(&self) -> FilterScratch {
        let buffers = Buffers::new(&self.index.analysis);
        FilterScratch { prepare: PrepareScratch::default(), buffers }
    }

    /// The prototypes and reports of the last commit.
    pub(super) fn state(&self) -> Result<State, LookalikeError> {
        loop {
            let snapshot = self.index.snapshot()?;
            let records = self.index.reader.records()?;
            // A commit in between is seen by both the next time.
            if records.commit() == snapshot.commit() {
                return Ok(State { snapshot, records });
            }
        }
    }

    /// The verdict on a message.
    pub(super) fn judge(
        &self,
        state: &State,
        message: &DocumentView<'_>,
        buffers: &mut Buffers,
    ) -> Result<Verdict, LookalikeError> {
        let State { snapshot, records } = state;
        let mut verdict = Verdict::none(message.id.to_owned());
        let analysis = &self.index.analysis;
        let found = matching(analysis, self.way, snapshot, message, &mut buffers.scratch)?;
        if found.is_empty() {
            return Ok(verdict);
        }
        let counts =
            |found: &Matching| reports::counts(records, snapshot.document(found.at).number());
        let counts = found.iter().map(counts).collect::<Result<Vec<_>, _>>()?;
        let (kind, decisive) = decide(&counts, self.reports);
        let Some(decisive) = decisive else { return Ok(verdict) };
        let matching = &found[decisive];
        let sizes = match matching.counts {
            Some(counts) => counts,
            None => {
                let set = snapshot.set(matching.at, &mut buffers.scratch)?;
                let shared = overlap(message.set, &set);
                Overlap { shared, a: message.set.len() as u32, b: set.len() as u32 }
            }
        };
        (verdict.verdict, verdict.score) = (kind, matching.score.value());
        verdict.prototype = Some(MatchedPrototype {
            id: snapshot.document(matching.at).id().to_owned(),
            resemblance: sizes.resemblance(),
            query_in_document: sizes.containment_a_in_b(),
            document_in_query: sizes.containment_b_in_a(),
            shared: sizes.shared,
            size: sizes.b,
        });
        verdict.reports = Some(ReportCounts::of(counts[decisive]));
        let reasons = Reasons {
            analysis,
            analyzer: &self.analyzer,
            way: self.way,
            most: self.options.reasons,
        };
        reasons.give(&mut verdict, message, (snapshot, matching), buffers)?;
        Ok(verdict)
    }
}
