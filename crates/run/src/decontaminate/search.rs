//! A search for items in documents, wherever both are read from, and the numbers of its summary.

use super::items::Items;
use super::matching::{Counted, Decisions};
use super::scan::Scan;
use super::searched::Searched;
use super::settings::{ContaminationAction, ContaminationSettings};
use super::tables::Totals;
use crate::reading::Documents;
use crate::readings::first::{Admitted, ReadCounts};
use crate::readings::second::Written;
use crate::words::WordReader;
use crate::{LookalikeError, Settings, input_fields, skipped_files};
use lookalike_engine::Progress;
use lookalike_engine::pipeline::PipelineLimits;
use lookalike_io::{DiscoverOptions, Inputs, Problem};
use lookalike_report::{ContaminationSummary, Tool};
use serde_json::{Map, Value};
use std::path::PathBuf;

/// How items are read.
pub(super) fn item_reading(
    settings: &Settings,
    contamination: &ContaminationSettings,
    exclude: Vec<PathBuf>,
    scratch: Option<PathBuf>,
) -> DiscoverOptions {
    let mut reading = contamination.of_items(settings).reading(exclude, scratch);
    reading.fields.given.clone_from(&contamination.item_fields);
    reading
}

/// A search whose inputs are found.
pub(super) struct Search<'a> {
    pub(super) documents: Documents<'a>,
    pub(super) items: Documents<'a>,
    pub(super) settings: &'a Settings,
    pub(super) contamination: &'a ContaminationSettings,
    pub(super) admitted: Admitted,
    pub(super) limits: PipelineLimits,
}

/// What a search found.
pub(super) struct Found {
    pub(super) items: Items,
    pub(super) scan: Scan,
    pub(super) decisions: Decisions,
    pub(super) reader: WordReader,
}

impl Search<'_> {
    pub(super) fn find(&self, progress: &dyn Progress) -> Result<Found, LookalikeError> {
        let Self { documents, items, settings, contamination, admitted, limits } = self;
        let threshold = contamination.check()?;
        let skip = admitted.skip_unreadable && !admitted.strict;
        let analysis = settings.analysis_of(documents.inputs, skip);
        let analysis =
            analysis.map_err(|failure| LookalikeError::unreadable(failure, admitted.strict))?;
        let reader = WordReader::new(&analysis, settings.fields.has_sections());
        let text_field = &settings.fields.text;
        let items = Items::read(*items, &reader, text_field, contamination, *admitted, progress)?;
        let scan =
            Scan::read(*documents, &items, &reader, contamination, *admitted, *limits, progress)?;
        let counted = Counted::new(&scan.frequencies, &items, contamination);
        let decisions = Decisions::new(&scan, &items, counted, threshold, progress)?;
        Ok(Found { items, scan, decisions, reader })
    }
}

impl Found {
    pub(super) fn searched(&self) -> Searched<'_> {
        let Self { items, scan, decisions, reader } = self;
        Searched { items, scan, decisions, reader }
    }

    /// The summary, without outputs.
    pub(super) fn summary(
        &self,
        inputs: &Inputs,
        settings: Map<String, Value>,
        action: ContaminationAction,
        totals: Totals,
        written: &Written,
    ) -> ContaminationSummary {
        let removed = written.removed.as_slice();
        let Self { items, scan: Scan { reading, .. }, decisions, .. } = self;
        let contaminated = decisions.documents().len() as u64;
        let cut = match action {
            ContaminationAction::Cut => contaminated - removed.len() as u64,
            _ => 0,
        };
        let ReadCounts { documents, words, text_bytes } = reading.counts();
        let mut summary = ContaminationSummary {
            tool: Tool::lookalike(),
            command: "decontaminate".into(),
            action: action.name().into(),
            settings,
            inputs: reading.input_summaries(inputs, removed),
            documents,
            contaminated,
            kept: documents - removed.len() as u64,
            removed: removed.len() as u64,
            cut,
            uncut: written.uncut,
            benchmarks: totals.benchmarks,
            matches: totals.matches,
            spans: totals.spans,
            shingles: items.index.len() as u64,
            common_shingles: decisions.counted.counts.iter().filter(|&&counts| !counts).count()
                as u64,
            problems: reading.problems.count(),
            item_problems: items.problems.count(),
            unreadable_inputs: reading.problems.unreadable().count() as u64,
            skipped_files: inputs.skipped.len() as u64,
            left_out: skipped_files::left_out(&inputs.left_out),
            words,
            text_bytes,
            digest: totals.digest,
            ..ContaminationSummary::default()
        };
        summary.warnings = summary.find_warnings();
        summary
    }

    /// The listed problems: of the documents, then of the items.
    pub(super) fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.scan.reading.problems.listed().iter().chain(self.items.problems.listed())
    }
}

/// Checks the fields of items, whose settings have other names.
pub(super) fn check_items(
    items: &Inputs,
    contamination: &ContaminationSettings,
    progress: &dyn Progress,
) -> Result<(), LookalikeError> {
    let checked = input_fields::check(items, &|| progress.cancelled());
    checked.map_err(|error| match error {
        LookalikeError::MissingField { mut field } => {
            field.setting = match field.setting {
                "id_field" if contamination.item_id_field.is_some() => "item_id_field",
                "text_field" => "item_fields",
                other => other,
            };
            LookalikeError::MissingField { field }
        }
        error => error,
    })
}
