//! The tables of a run, in files or in memory.

use crate::analysis::Analysis;
use crate::decisions::Clusters;
use crate::documents::fill_documents;
use crate::result_tables::{fill_clusters, fill_ledger, fill_pairs, measures};
use crate::table_store::TableStore;
use crate::{Job, LookalikeError};
use lookalike_decide::{CLUSTERS, DOCUMENTS, LEDGER, PAIRS, Table, TableDigest, run_digest};
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
        let mut of_ledger = TableDigest::new(LEDGER.name);
        let mut of_documents = TableDigest::new(DOCUMENTS.name);
        let mut of_clusters = TableDigest::new(CLUSTERS.name);
        let mut of_pairs = TableDigest::new(PAIRS.name);
        let measures = measures(analysis);
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
                    table(DOCUMENTS.name, &DOCUMENTS.all(), &mut of_documents, &fill).map(Some)
                }
                true => Ok(None),
                false => {
                    let fill = |table: &mut Table<'_>| fill_ledger(analysis, table);
                    let columns = LEDGER.of(measures).columns();
                    table(LEDGER.name, &columns, &mut of_ledger, &fill).map(Some)
                }
            },
            || -> Result<_, LookalikeError> {
                let fill = |table: &mut Table<'_>| fill_clusters(analysis, clusters, table);
                let clusters = table(CLUSTERS.name, &CLUSTERS.all(), &mut of_clusters, &fill)?;
                let fill = |table: &mut Table<'_>| fill_pairs(analysis, table);
                let columns = PAIRS.of(measures).columns();
                Ok((clusters, table(PAIRS.name, &columns, &mut of_pairs, &fill)?))
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
