//! The tables of a run, in files or in memory.

use crate::analysis::Analysis;
use crate::decisions::Clusters;
use crate::differences::Differences;
use crate::documents::fill_documents;
use crate::result_tables::{fill_clusters, fill_ledger, fill_pairs, measures};
use crate::table_store::TableStore;
use crate::{Job, LookalikeError};
use lookalike_decide::{
    CLUSTERS, DOCUMENTS, LEDGER, Measures, PAIRS, Table, TableDigest, TableRow, Written, run_digest,
};
use lookalike_engine::Progress;
use lookalike_io::table::WrittenTable;
use lookalike_report::{Action, Summary};

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
    /// Writes the tables of an analysis, two at a time, on the rayon pool that this is called in, while
    /// `pass` reads the texts. Only the ledger waits for it, as it says what differs. Returns what was
    /// read as well.
    ///
    /// # Errors
    /// A table that cannot be written, rows on disk that cannot be read, a cancellation; those of `pass`.
    pub(crate) fn write<P: Send>(
        store: &impl TableStore<Done = T>,
        job: &Job,
        action: Action,
        analysis: &Analysis,
        clusters: &Clusters,
        pass: impl FnOnce() -> Result<(P, Option<Differences>), LookalikeError> + Send,
        progress: &dyn Progress,
    ) -> Result<(Self, P, Option<Differences>), LookalikeError> {
        let mut of_ledger = TableDigest::new(LEDGER.name);
        let mut of_documents = TableDigest::new(DOCUMENTS.name);
        let mut of_clusters = TableDigest::new(CLUSTERS.name);
        let mut of_pairs = TableDigest::new(PAIRS.name);
        let measures = measures(analysis);
        let is_list = action == Action::List;
        // About as much to write on either side.
        let (first, others) = rayon::join(
            || -> Result<_, LookalikeError> {
                if is_list {
                    let (pass, documents) =
                        rayon::join(pass, || match analysis.matches.pairs.complete {
                            true => {
                                let keep = job.settings.keep_rules()?;
                                let columns = DOCUMENTS.of(Measures::ALL);
                                let fill = |table: &mut Table<'_, _>| {
                                    fill_documents(analysis, &keep, table)
                                };
                                filled(store, columns, &mut of_documents, progress, fill).map(Some)
                            }
                            false => Ok(None),
                        });
                    return Ok((documents?, pass?));
                }
                let (pass, differences) = pass()?;
                let told = differences.as_ref();
                let fill = |table: &mut Table<'_, _>| fill_ledger(analysis, told, table);
                let measures = Measures { differences: told.is_some(), ..measures };
                let ledger = filled(store, LEDGER.of(measures), &mut of_ledger, progress, fill)?;
                Ok((Some(ledger), (pass, differences)))
            },
            || -> Result<_, LookalikeError> {
                let columns = CLUSTERS.of(Measures::ALL);
                let fill = |table: &mut Table<'_, _>| fill_clusters(analysis, clusters, table);
                let clusters = filled(store, columns, &mut of_clusters, progress, fill)?;
                let fill = |table: &mut Table<'_, _>| fill_pairs(analysis, table);
                let pairs = filled(store, PAIRS.of(measures), &mut of_pairs, progress, fill)?;
                Ok((clusters, pairs))
            },
        );
        let ((first, (pass, differences)), (clusters, pairs)) = (first?, others?);
        let (ledger, documents) = if is_list { (None, first) } else { (first, None) };
        let digest = match &ledger {
            Some(_) => run_digest(&[&of_ledger, &of_clusters, &of_pairs]),
            None => run_digest(&[&of_clusters, &of_pairs]),
        };
        let documents_digest = documents.is_some().then(|| run_digest(&[&of_documents]));
        let tables = Self { ledger, documents, clusters, pairs, digest, documents_digest };
        Ok((tables, pass, differences))
    }
}

/// Begins a table, fills and ends it.
pub(crate) fn filled<S: TableStore, R: TableRow>(
    store: &S,
    columns: Written<R>,
    digest: &mut TableDigest,
    progress: &dyn Progress,
    fill: impl FnOnce(&mut Table<'_, R>) -> Result<(), LookalikeError>,
) -> Result<S::Done, LookalikeError> {
    let names = columns.columns();
    let writer = store.begin(columns.name, &names)?;
    let mut table = Table::new(columns, writer, digest, progress);
    fill(&mut table)?;
    store.finish(&names, table.into_writer())
}

impl RunTables<WrittenTable> {
    /// The tables as a summary lists them, which gets their digests.
    pub(crate) fn into_list(self, summary: &mut Summary) -> Vec<WrittenTable> {
        let Self { ledger, documents, clusters, pairs, digest, documents_digest } = self;
        (summary.digest, summary.documents_digest) = (digest, documents_digest);
        summary.pairs.listed = pairs.rows;
        ledger.into_iter().chain(documents).chain([clusters, pairs]).collect()
    }
}
