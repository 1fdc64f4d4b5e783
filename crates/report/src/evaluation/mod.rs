//! The HTML page of an evaluation.
//!
//! As the page of a run ([`crate::Report`]) it is a single file without a script. The primary type
//! is [`EvaluationReport`]; `data` is the content of `evaluation.json`, `figures` and `plot` draw,
//! `views` formats numbers as text;
//! `table` is what is printed on the terminal.

mod data;
mod figures;
mod plot;
mod table;
mod views;

pub use data::{
    ClassResult, ClassesSummary, ClusterResult, Decile, Evaluation, EvaluationRun, Ignored,
    MethodResult, MethodTimes, SampleSummary, SeriesPlace, TruthSummary,
};

use crate::ReportError;
use crate::clean::{self, LONG};
use askama::Template;
use plot::Plot;
use views::MethodRow;

/// Methods with a plot of their own.
const PLOTS: usize = 48;

/// The page of an evaluation.
#[derive(Debug, Clone, Copy)]
pub struct EvaluationReport<'a>(pub &'a Evaluation);

impl EvaluationReport<'_> {
    /// The page.
    ///
    /// # Errors
    /// The template failed, which does not depend on the input.
    pub fn html(&self) -> Result<String, ReportError> {
        Ok(Page::new(self.0).render()?)
    }
}

/// A plot and its texts.
#[derive(Debug)]
struct Figure {
    title: String,
    plot: Plot,
    note: String,
}

#[derive(Template)]
#[template(path = "evaluation.html")]
struct Page {
    /// The page has no script.
    script_policy: &'static str,
    headline: String,
    lead: String,
    notes: Vec<String>,
    rows: Vec<MethodRow>,
    classes: bool,
    times: bool,
    scatter: Option<Plot>,
    series: Vec<Figure>,
    deciles: Vec<Figure>,
    deciles_more: String,
    settings: Vec<(String, String)>,
    inputs: Vec<String>,
    inputs_more: String,
    command_line: String,
    tool: String,
    machine: String,
}

/// Input files named.
const INPUTS: usize = 20;

impl Page {
    fn new(evaluation: &Evaluation) -> Self {
        let results = &evaluation.methods;
        let decile = |result: &MethodResult| {
            let sought = evaluation.sought_from(result);
            Some(Figure {
                title: clean::line(&result.method, LONG),
                plot: figures::deciles(result, sought)?,
                note: views::decile_note(result, sought),
            })
        };
        let deciles: Vec<Figure> = results.iter().filter_map(decile).take(PLOTS).collect();
        let more = results.len().saturating_sub(deciles.len());
        let inputs = evaluation.inputs.iter().take(INPUTS).map(|name| clean::line(name, LONG));
        Self {
            script_policy: "",
            headline: views::headline(evaluation),
            lead: views::lead(evaluation),
            notes: views::notes(evaluation),
            rows: views::rows(evaluation),
            classes: evaluation.truth.classes.is_some(),
            times: evaluation.run.is_some(),
            scatter: figures::scatter(results),
            series: series(results),
            deciles_more: match more {
                0 => String::new(),
                more => format!("{more} more in the table of deciles."),
            },
            deciles,
            settings: views::settings(evaluation),
            inputs: inputs.collect(),
            inputs_more: match evaluation.inputs.len().saturating_sub(INPUTS) {
                0 => String::new(),
                more => format!("and {more} more"),
            },
            command_line: evaluation
                .run
                .as_ref()
                .map(|run| clean::line(&run.command_line, 2000))
                .unwrap_or_default(),
            tool: clean::line(
                &format!("{} {}", evaluation.tool.name, evaluation.tool.version),
                LONG,
            ),
            machine: views::machine(evaluation),
        }
    }
}

/// A figure for each series of two methods or more, in the order of their first methods.
fn series(results: &[MethodResult]) -> Vec<Figure> {
    let mut names: Vec<&str> = Vec::new();
    for place in results.iter().filter_map(|result| result.series.as_ref()) {
        if !names.contains(&place.series.as_str()) {
            names.push(&place.series);
        }
    }
    let figure = |name: &&str| {
        let of = |result: &&MethodResult| {
            result.series.as_ref().is_some_and(|place| place.series == **name)
        };
        let members: Vec<&MethodResult> = results.iter().filter(of).collect();
        Some(Figure {
            title: clean::line(name, LONG),
            plot: figures::series(&members)?,
            note: String::new(),
        })
    };
    names.iter().filter_map(figure).collect()
}
