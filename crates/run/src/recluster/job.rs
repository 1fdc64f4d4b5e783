//! The job of reclustering a finished run.

use crate::page_files::REPORT_SIZE;
use lookalike_core::Measure;
use lookalike_engine::{Linkage, WitnessRule};
use lookalike_io::table::TableFormat;
use std::path::PathBuf;

/// A finished run, new settings, and an output.
#[derive(Debug, Clone)]
pub struct ReclusterJob {
    /// The directory of a finished [`cluster`](crate::run_cluster) or
    /// [`recluster`](crate::recluster) run.
    pub run: PathBuf,
    /// The new threshold: a decimal, as written.
    pub threshold: String,
    /// The measure; `None` for that of the run.
    pub measure: Option<Measure>,
    /// How pairs become clusters; `None` for the linkage of the run.
    pub linkage: Option<Linkage>,
    /// Which kept match is the witness of a removed document; `None` for the run's own rule, or the
    /// default if the run had components.
    pub witness: Option<WitnessRule>,
    /// Which duplicate to keep; `None` for the run's own rules.
    pub keep: Option<Vec<String>>,
    /// The degree to which a kept document must contain a removed one; `None` for that of the run,
    /// if the linkage is leaders.
    pub contained_only: Option<String>,
    /// The directory that the results are written to.
    pub output: PathBuf,
    /// Replace an earlier result.
    pub force: bool,
    /// Format of the tables.
    pub tables: TableFormat,
    /// Write `report.html`.
    pub report: bool,
    /// Bytes of data embedded in `report.html`; more go to files in `report-data` beside it.
    pub report_size: u64,
    /// The command line, for the record.
    pub command: String,
    /// The configuration of the run, written beside the results as `config.toml`.
    pub config: Option<String>,
}

impl ReclusterJob {
    /// A job that changes nothing but the threshold.
    pub fn new(
        run: impl Into<PathBuf>,
        threshold: impl Into<String>,
        output: impl Into<PathBuf>,
    ) -> Self {
        Self {
            run: run.into(),
            threshold: threshold.into(),
            measure: None,
            linkage: None,
            witness: None,
            keep: None,
            contained_only: None,
            output: output.into(),
            force: false,
            tables: TableFormat::default(),
            report: true,
            report_size: REPORT_SIZE,
            command: String::new(),
            config: None,
        }
    }
}
