//! The fields that say how many documents a kept one stands for, in the documents of a run and of an
//! index.

use serde_json::{Map, Value};

/// The names of the fields.
pub(crate) const NAMES: [&str; 2] = ["duplicates", "duplicates_by_source"];

/// The values of both, by the number of documents of each source: their sum, and a JSON object.
pub(crate) fn values(by_source: impl IntoIterator<Item = (String, u64)>) -> (u64, String) {
    let mut all = 0;
    let add = |(source, count): (String, u64)| {
        all += count;
        (source, count.into())
    };
    let by_source: Map<String, Value> = by_source.into_iter().map(add).collect();
    (all, Value::Object(by_source).to_string())
}
