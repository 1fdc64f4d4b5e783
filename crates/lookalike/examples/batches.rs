//! Removes near-duplicates from Arrow record batches: `cargo run -p lookalike --example batches`.

use lookalike::arrow::array::{ArrayRef, RecordBatch, StringArray};
use lookalike::{Resources, Settings, Silent, Source, dedup};
use std::sync::Arc;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let texts = [
        "to be or not to be that is",
        "something else in all its words",
        "To be, or not to be: that is",
    ];
    let column: ArrayRef = Arc::new(StringArray::from(texts.to_vec()));
    let batch = RecordBatch::try_from_iter([("text", column)])?;
    let source = Source::batches([batch]).named("plays");
    let answer = dedup(source, &Settings::default(), &Resources::default(), &Silent)?;
    // The ledger has the columns of `ledger.parquet` of a result directory.
    for batch in answer.ledger().batches() {
        println!("{} rows of {}", batch.num_rows(), batch.schema());
    }
    assert_eq!(answer.removals().map(|row| row.removed.record).collect::<Vec<_>>(), [3]);
    Ok(())
}
