//! The tables of a run, in files or in memory.

use crate::analysis::Analysis;
use crate::decisions::Clusters;
use crate::documents::{self, fill_documents};
use crate::result_tables::{
    Extra, Table, TableDigest, cluster_columns, fill_clusters, fill_ledger, fill_pairs,
    ledger_columns, pair_columns, run_digest,
};
use crate::table_store::{CLUSTERS, LEDGER, PAIRS, TableStore};
use crate::{Job, LookalikeError};
use lookalike_engine::Progress;
use lookalike_io::table::{Column, WrittenTable};
use lookalike_report::Action;

/// The tables of a run. In the order of the fields they are listed in a summary.
pub(crate) struct RunTables<T> {
    /// Of a run that removes documents.
    pub(crate) ledger: Option<T>,
    /// Of a run that lists all pairs.
    pub(crate) documents: Option<T>,
    pub(crate) clusters: T,
    pub(crate) pairs: T,
    /// What was decided: the ledger, the clusters and the pairs, in 32 hexadecimal digits.
    pub(crate) digest: String,
    /// What the table of documents says.
    pub(crate) documents_digest: Option<String>,
}

impl<T: Send> RunTables<T> {
    /// Writes the tables of an analysis, two at a time, on the rayon pool that this is called in.
    ///
    /// # Errors
    /// A table that cannot be written, rows on disk that cannot be read, a cancellation.
    pub(crate) fn write(
        store: &impl TableStore<Done = T>,
        job: &Job,
        action: Action,
        analysis: &Analysis,
        clusters: &Clusters,
        progress: &dyn Progress,
    ) -> Result<Self, LookalikeError> {
        let mut of_ledger = TableDigest::new(LEDGER);
        let mut of_documents = TableDigest::new(documents::NAME);
        let mut of_clusters = TableDigest::new(CLUSTERS);
        let mut of_pairs = TableDigest::new(PAIRS);
        let extra = Extra::of(analysis);
        let table = |name, columns: &[Column], digest, fill: &dyn Fn(&mut Table<'_>) -> _| {
            let mut table = Table::new(store.begin(name, columns)?, digest, progress);
            fill(&mut table)?;
            store.finish(columns, table.into_writer())
        };
        let is_list = action == Action::List;
        // About as much to write on either side.
        let (first, others) = rayon::join(
            || match is_list {
                true if analysis.matches.pairs.complete => {
                    let keep = job.settings.keep_rules()?;
                    let fill = |table: &mut Table<'_>| fill_documents(analysis, &keep, table);
                    table(documents::NAME, &documents::COLUMNS, &mut of_documents, &fill).map(Some)
                }
                true => Ok(None),
                false => {
                    let fill = |table: &mut Table<'_>| fill_ledger(analysis, table);
                    table(LEDGER, &ledger_columns(extra), &mut of_ledger, &fill).map(Some)
                }
            },
            || -> Result<_, LookalikeError> {
                let fill = |table: &mut Table<'_>| fill_clusters(analysis, clusters, table);
                let clusters = table(CLUSTERS, &cluster_columns(), &mut of_clusters, &fill)?;
                let fill = |table: &mut Table<'_>| fill_pairs(analysis, table);
                Ok((clusters, table(PAIRS, &pair_columns(extra), &mut of_pairs, &fill)?))
            },
        );
        let (first, (clusters, pairs)) = (first?, others?);
        let (ledger, documents) = if is_list { (None, first) } else { (first, None) };
        let digest = match &ledger {
            Some(_) => run_digest(&[&of_ledger, &of_clusters, &of_pairs]),
            None => run_digest(&[&of_clusters, &of_pairs]),
        };
        let documents_digest = documents.is_some().then(|| run_digest(&[&of_documents]));
        Ok(Self { ledger, documents, clusters, pairs, digest, documents_digest })
    }
}

impl RunTables<WrittenTable> {
    /// The tables as a summary lists them.
    pub(crate) fn into_list(self) -> Vec<WrittenTable> {
        let Self { ledger, documents, clusters, pairs, .. } = self;
        ledger.into_iter().chain(documents).chain([clusters, pairs]).collect()
    }
}
