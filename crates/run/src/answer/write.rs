//! Writes an answer to a result directory.

use super::Answer;
use crate::recorded_run::output;
use crate::table_store::{TableFiles, TableStore, write_problems};
use crate::{Job, LookalikeError};
use lookalike_decide::{CLUSTERS, DOCUMENTS, LEDGER, PAIRS};
use lookalike_io::sink::Staging;
use lookalike_report::Summary;
use std::path::Path;

impl Answer {
    /// Writes the tables and `summary.json` to [`Job::output`], whole or not at all: the bytes that
    /// [`run_dedup`](crate::run_dedup) or [`run_cluster`](crate::run_cluster) over the same
    /// documents writes into its tables. [`recluster`](crate::recluster()) can take an answer of
    /// [`cluster`](crate::cluster) from there.
    ///
    /// Of the job, [`Job::output`], [`Job::force`] and [`Job::tables`] count; its inputs and
    /// settings are those that the answer was found with. An answer holds no texts. So a job that
    /// asks for what only the texts give is refused: its [`Job::report`] must be off, and
    /// [`Job::mark`] and [`Job::plan`] empty, and [`Job::attributes`] off. The kept documents are the caller's to write
    /// ([`Answer::select_kept`]), which a warning in the summary states; `run_dedup` writes all of
    /// these.
    ///
    /// Returns the summary as written, with its outputs.
    ///
    /// ```
    /// use lookalike::{Job, Resources, Settings, Silent, Source, cluster};
    ///
    /// # fn main() -> Result<(), lookalike::LookalikeError> {
    /// # let folder = tempfile::tempdir().expect("a temporary directory");
    /// let texts = ["a rose is a rose is a rose", "A rose is a rose is a rose!"];
    /// let answer = cluster(Source::records(texts), &Settings::default(), &Resources::default(), &Silent)?;
    /// let mut job = Job::new(Vec::new(), folder.path().join("roses"));
    /// job.report = false;
    /// let summary = answer.write(&job)?;
    /// assert!(folder.path().join("roses/clusters.parquet").exists());
    /// assert_eq!((summary.clusters, summary.outputs.len()), (1, 3));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// A job that asks for more than tables; an output that exists already, if it is not to be
    /// replaced; a file that cannot be written.
    pub fn write(&self, job: &Job) -> Result<Summary, LookalikeError> {
        refuse_what_needs_texts(job)?;
        let staging = Staging::create(&job.output, job.force)?;
        let inputs = self.summary.inputs.iter().map(|input| Path::new(&input.name));
        staging.conflicts_with(inputs.filter(|path| path.exists()))?;
        let store = TableFiles { staging: &staging, folder: "", format: job.tables };
        let tables = [
            (LEDGER.name, &self.ledger),
            (DOCUMENTS.name, &self.documents),
            (CLUSTERS.name, &self.clusters),
            (PAIRS.name, &self.pairs),
        ];
        let mut written = Vec::new();
        // A table that the call did not make has no columns.
        for (name, table) in tables.into_iter().filter(|(_, table)| !table.columns.is_empty()) {
            let mut writer = store.begin(name, &table.columns)?;
            table.rows_into(&mut writer)?;
            written.push(store.finish(&table.columns, writer)?);
        }
        if !self.problems.is_empty() {
            written.push(write_problems(&self.problems, &store)?);
        }
        let mut summary = self.summary.clone();
        summary.outputs = written.iter().map(output).collect();
        // Of a call that removes documents.
        if !self.ledger.columns.is_empty() {
            summary.warnings.push(NO_DOCUMENTS.into());
        }
        staging.write("summary.json", summary.to_json()?.as_bytes())?;
        staging.commit()?;
        Ok(summary)
    }
}

/// The warning in the summary of an answer that was written without its kept documents.
const NO_DOCUMENTS: &str = "This directory has the tables of a call of the library and no documents: the kept \
    documents are where the caller wrote them.";

/// Refuses a job that asks for an output that an answer cannot give.
fn refuse_what_needs_texts(job: &Job) -> Result<(), LookalikeError> {
    let refused = if job.report {
        "the setting report asks for a page that shows texts; set Job::report to false"
    } else if job.mark.is_some() {
        "the setting mark asks for all documents with added columns; leave it out"
    } else if job.add_counts {
        "the setting add_counts adds fields to kept documents; leave it out"
    } else if job.attributes {
        "the setting attributes asks for a line for each record of files; leave it out"
    } else if job.near_misses.is_some() {
        "the setting near_misses asks for another join; leave it out"
    } else if job.plan.is_some() {
        "the setting plan compares a prediction with the time and memory of a run; leave it out"
    } else {
        return Ok(());
    };
    Err(LookalikeError::Settings(format!(
        "{refused}, or write this with run_dedup or run_cluster: an answer in memory holds tables only"
    )))
}
