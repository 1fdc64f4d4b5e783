//! Removes near-duplicates from records in memory: `cargo run -p lookalike --example records`.

use lookalike::{LookalikeError, Record, Resources, Settings, Silent, Source, dedup};

pub(crate) fn main() -> Result<(), LookalikeError> {
    let records = [
        Record::new("one fish two fish red fish blue fish black fish").id("a"),
        Record::new("a rose is a rose is a rose").id("b"),
        Record::new("One fish, two fish, red fish, blue fish, black fish!").id("c"),
    ];
    let settings = Settings { threshold: "0.7".into(), ..Settings::default() };
    let source = Source::records(records.clone());
    let answer = dedup(source, &settings, &Resources::default(), &Silent)?;
    for place in answer.kept() {
        println!("kept {:?}", records[place.index()].id);
    }
    for row in answer.removals() {
        println!("removed {}: {} of {}", row.removed.id, row.rule, row.kept.id);
    }
    assert_eq!((answer.kept().len(), answer.ledger().len()), (2, 1));
    Ok(())
}
