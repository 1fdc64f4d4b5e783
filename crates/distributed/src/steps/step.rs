//! What a step is, and what all steps of a run have in common.

use super::rows::{RowKind, RowWriter};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use lookalike_cluster::KeepRule;
use lookalike_engine::Linkage;
use lookalike_join::Criterion;
use lookalike_run::passages::NearSearch;
use lookalike_run::{LookalikeError, PassageSettings, Settings, feature_settings};
use std::marker::PhantomData;

/// A part of a run that reads the rows of one task, in order, and makes others.
pub trait Step: Send {
    /// The columns of what it makes.
    fn schema(&self) -> SchemaRef;

    /// Takes the next rows; returns those that are complete.
    ///
    /// # Errors
    /// Rows of other columns, damaged rows, rows that are not in the order that the step needs.
    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError>;

    /// Ends the task; returns the rows that are left.
    ///
    /// # Errors
    /// As of [`Step::push`].
    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError>;
}

/// A step that makes rows of one kind from each row of another: all but two.
pub(super) trait RowStep<In: RowKind, Out: RowKind>: Send {
    /// Takes a row.
    fn row(&mut self, row: In::Row<'_>, out: &mut Out::Writer) -> Result<(), LookalikeError>;

    /// Makes the rows that follow from all.
    fn end(&mut self, _: &mut Out::Writer) -> Result<(), LookalikeError> {
        Ok(())
    }
}

/// A [`RowStep`] with the rows that it made.
struct OfRows<S, In, Out: RowKind> {
    step: S,
    out: Out::Writer,
    reads: PhantomData<In>,
}

/// A step that takes row by row.
pub(super) fn of_rows<In: RowKind + Send, Out: RowKind>(
    step: impl RowStep<In, Out> + 'static,
) -> Box<dyn Step> {
    Box::new(OfRows { step, out: Out::Writer::default(), reads: PhantomData })
}

impl<In: RowKind + Send, Out: RowKind, S: RowStep<In, Out>> Step for OfRows<S, In, Out> {
    fn schema(&self) -> SchemaRef {
        Out::Writer::schema()
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        In::each(batch, |row| self.step.row(row, &mut self.out))?;
        Ok(self.out.take())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        self.step.end(&mut self.out)?;
        self.out.finish()
    }
}

/// What all steps of a run have in common.
#[derive(Debug, Clone)]
pub struct StepContext {
    pub(super) settings: Settings,
    names: [String; 2],
    pub(super) only_against: bool,
    /// Whether all pairs of documents are listed.
    pub(super) complete: bool,
    /// Whether pairs are of one document of each collection.
    pub(super) cross: bool,
    /// Whether sets of the other collection are kept without a comparison.
    pub(super) protects: bool,
    pub(super) criterion: Criterion,
    /// What passages are looked for, if any are.
    passages: Option<PassageSettings>,
}

/// What a run is asked for.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct StepOptions {
    /// What tables call the documents of the call.
    pub name: String,
    /// What tables call the other collection.
    pub against_name: String,
    /// There is another collection, of which nothing is removed.
    pub has_against: bool,
    /// Only what the other collection has is removed.
    pub only_against: bool,
    /// All pairs are listed, not only those that cause a removal.
    pub complete: bool,
    /// Pairs are of one document of each collection.
    pub cross: bool,
    /// Sets of the other collection are kept without a comparison, and take precedence.
    pub protects: bool,
    /// The passages that are looked for, in place of duplicates.
    pub passages: Option<PassageSettings>,
}

impl StepContext {
    /// Checks settings.
    ///
    /// # Errors
    /// Settings that make no sense, or that runs over several machines do not have: a method, or
    /// common features that are ignored.
    pub fn new(settings: &Settings, options: StepOptions) -> Result<Self, LookalikeError> {
        feature_settings::refuse(&settings.fields, "a run over several machines")?;
        settings.check()?;
        let refused = |what: &str| {
            Err(LookalikeError::Settings(format!(
                "{what} is for runs on one machine; runs over several machines do the exact join"
            )))
        };
        if settings.method.is_some() {
            return refused("the setting method");
        }
        if settings.ignore_common.is_some() {
            return refused("the setting ignore_common");
        }
        let what = "runs over several machines";
        settings.refuse_scoped(&["ignore_text", "across", "distinct_by"], what)?;
        settings.refuse_across_inputs("the rows of a run over several machines")?;
        settings.refuse_across_against(options.has_against)?;
        settings.refuse_fields_of_method(what)?;
        let matching = settings.matching()?;
        let settings = match &options.passages {
            None => settings.clone(),
            Some(passages) => {
                check_passages(passages)?;
                let mut settings = passages.of_documents(settings, false)?.into_owned();
                if !settings.keep_rules()?.iter().any(KeepRule::is_by_order) {
                    // Documents that tie go by their order, and not by their ids.
                    settings.keep.push("first".to_owned());
                }
                settings
            }
        };
        let StepOptions { name, against_name, only_against, complete, cross, protects, .. } =
            options;
        Ok(Self {
            settings,
            names: [name, against_name],
            only_against,
            complete,
            cross,
            protects,
            criterion: matching.criterion(),
            passages: options.passages,
        })
    }

    /// Whether sets connect the documents of another one, which do not match each other.
    pub(super) fn connects_units(&self) -> bool {
        self.settings.across.is_some() && self.settings.linkage() == Linkage::Components
    }

    /// What passages are looked for.
    ///
    /// # Errors
    /// None are.
    pub(super) fn passages(&self) -> Result<&PassageSettings, LookalikeError> {
        let none = || LookalikeError::Settings("a step of passages needs their settings".into());
        self.passages.as_ref().ok_or_else(none)
    }

    /// What near passages are looked for.
    ///
    /// # Errors
    /// None are.
    pub(super) fn near(&self) -> Result<NearSearch, LookalikeError> {
        let none =
            || LookalikeError::Settings("a step of near passages needs the setting gaps".into());
        self.passages()?.near()?.ok_or_else(none)
    }

    /// Name of a collection: 0 is that of the call.
    pub(super) fn name(&self, side: u8) -> &str {
        &self.names[usize::from(side.min(1))]
    }
}

/// Checks the settings of passages for a run over several machines.
fn check_passages(passages: &PassageSettings) -> Result<(), LookalikeError> {
    passages.check()?;
    if passages.writes_spans() {
        return Err(LookalikeError::Settings(
            "the setting write=spans writes files, which runs over several machines do not; leave it out, or use \
             one machine"
                .into(),
        ));
    }
    Ok(())
}
