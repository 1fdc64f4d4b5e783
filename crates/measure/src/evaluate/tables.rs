//! Writes the tables `methods` and `deciles`. No times: those are in `evaluation.json`,
//! under `run`, so that the tables are the same bytes on every machine.

use lookalike_io::table::{Cell, Column};
use lookalike_report::Evaluation;
use lookalike_run::LookalikeError;
use lookalike_run::table_store::TableStore;

/// Columns of `methods`.
const METHODS: [Column; 23] = [
    Column::text("method"),
    Column::ratio("recall"),
    Column::ratio("precision"),
    Column::ratio("mean_recall"),
    Column::ratio("mean_precision"),
    Column::count("pairs"),
    Column::count("true_pairs"),
    Column::count("candidates"),
    Column::count("clusters"),
    Column::count("pure_clusters"),
    Column::count("documents_in_clusters"),
    Column::ratio("average_cluster_size"),
    Column::count("ignored"),
    Column::count("no_words"),
    Column::count("too_short"),
    Column::count("nothing_selected"),
    Column::count("only_common"),
    Column::count("few_features"),
    Column::ratio("key_bytes_per_document"),
    Column::ratio("sketch_bytes_per_document"),
    Column::count("false_matches"),
    Column::count("legit_caught"),
    Column::ratio("mean_utility"),
];

/// Columns of `deciles`.
const DECILES: [Column; 8] = [
    Column::text("method"),
    Column::ratio("from"),
    Column::count("pairs"),
    Column::count("found"),
    Column::ratio("recall"),
    Column::ratio("recall_low"),
    Column::ratio("recall_high"),
    Column::ratio("expected"),
];

/// Writes the table `methods`.
pub(super) fn methods<S: TableStore>(
    evaluation: &Evaluation,
    store: &S,
) -> Result<S::Done, LookalikeError> {
    let mut methods = store.begin("methods", &METHODS)?;
    let count = |count: Option<u64>| count.map_or(Cell::Null, Cell::Count);
    for result in &evaluation.methods {
        let (clusters, ignored, classes) = (result.clusters, result.ignored, result.classes);
        let bytes = result.bytes_per_document();
        methods.row(&[
            Cell::Text(&result.method),
            result.recall.into(),
            result.precision.into(),
            result.mean_recall.into(),
            result.mean_precision.into(),
            Cell::Count(result.pairs),
            Cell::Count(result.true_pairs),
            Cell::Count(result.candidates),
            Cell::Count(clusters.clusters),
            count(clusters.pure),
            Cell::Count(clusters.documents),
            clusters.average_size().into(),
            Cell::Count(ignored.total()),
            Cell::Count(ignored.no_words),
            Cell::Count(ignored.too_short),
            Cell::Count(ignored.nothing_selected),
            Cell::Count(ignored.only_common),
            Cell::Count(ignored.few_features),
            bytes.map(|(keys, _)| keys).into(),
            bytes.map(|(_, sketch)| sketch).into(),
            count(classes.map(|classes| classes.false_matches)),
            count(classes.map(|classes| classes.legit_caught)),
            classes.and_then(|classes| classes.mean_utility).into(),
        ])?;
    }
    store.finish(&METHODS, methods)
}

/// Writes the table `deciles`.
pub(super) fn deciles<S: TableStore>(
    evaluation: &Evaluation,
    store: &S,
) -> Result<S::Done, LookalikeError> {
    let mut deciles = store.begin("deciles", &DECILES)?;
    for result in &evaluation.methods {
        for decile in &result.deciles {
            deciles.row(&[
                Cell::Text(&result.method),
                Cell::Ratio(decile.from),
                Cell::Count(decile.pairs),
                Cell::Count(decile.found),
                decile.recall.into(),
                decile.low.into(),
                decile.high.into(),
                decile.expected.into(),
            ])?;
        }
    }
    store.finish(&DECILES, deciles)
}
