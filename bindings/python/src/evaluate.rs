//! Methods, measured against the ground truth.

use crate::answer::Options;
use crate::call::{Watch, detached};
use crate::column_batch::Columns;
use crate::documents::Documents;
use crate::settings;
use crate::table::Table;
use lookalike::{
    LookalikeError, Resources,
    evaluation::{ClassSettings, EvaluateOptions, LabelColumns, LabelSource, TruthSource},
};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Labels of documents.
#[derive(FromPyObject)]
enum Labels {
    File(PathBuf),
    /// What they are called, and their columns.
    Columns((String, Vec<(String, Vec<String>)>)),
}

impl Labels {
    fn source(self) -> Result<LabelSource, LookalikeError> {
        Ok(match self {
            Self::File(path) => path.into(),
            Self::Columns((name, columns)) => {
                LabelSource::Columns(LabelColumns::new(name, columns)?)
            }
        })
    }
}

/// What is measured, and against what.
#[derive(FromPyObject)]
pub(crate) struct Trials {
    methods: Vec<String>,
    lexicons: Vec<String>,
    truth: Option<Labels>,
    list_from: Option<String>,
    classes: Option<Labels>,
    spam: String,
    legit: String,
    cost: u64,
    sample: Option<u32>,
    seed: u64,
}

impl Trials {
    fn options(self) -> Result<EvaluateOptions, LookalikeError> {
        let Self { methods, lexicons, list_from, spam, legit, cost, sample, seed, .. } = self;
        let truth = match self.truth {
            None => TruthSource::Exact,
            Some(labels) => TruthSource::Labels(labels.source()?),
        };
        let classes = self.classes.map(Labels::source).transpose()?;
        let classes = classes.map(|labels| ClassSettings { labels, spam, legit, cost });
        Ok(EvaluateOptions { methods, lexicons, truth, list_from, classes, sample, seed })
    }
}

/// The content of `evaluation.json`, its headline and table for people, and the tables `methods`,
/// `deciles` and `problems`.
type Measured = (String, String, Vec<Vec<String>>, Table, Table, Table);

/// Measures methods on documents.
#[pyfunction]
pub(crate) fn evaluate(
    py: Python<'_>,
    documents: Documents,
    settings: &str,
    trials: Trials,
    options: Options,
) -> PyResult<Measured> {
    let settings = settings::parse(py, settings)?;
    let Options { threads, memory, scratch, strict, max_pairs, progress, cancelled } = options;
    let resources = Resources { threads, memory, scratch, strict, max_pairs };
    // Methods that do not exist are refused below.
    let given =
        lookalike::evaluation::evaluated_fields(&settings, &trials.methods).unwrap_or_default();
    let source = documents.source(Columns::of(&settings).with_given(given));
    let watch = Watch::new(progress, cancelled);
    detached(py, &watch, |progress| {
        let trials = trials.options()?;
        let found =
            lookalike::evaluation::evaluate_in(source, &settings, &trials, &resources, progress)?;
        let evaluation = &found.evaluation;
        let (methods, deciles) = (Table::of(&found.methods()?), Table::of(&found.deciles()?));
        let problems = Table::of(&found.problems_table()?);
        let (json, headline) = (evaluation.to_json()?, evaluation.headline());
        Ok((json, headline, evaluation.table(), methods, deciles, problems))
    })
}
