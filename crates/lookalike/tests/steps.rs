//! Steps of runs over several machines: rows that they cannot use are errors. What they find is
//! tested with the Python package, against runs on one machine.

use arrow_array::{Array, BinaryArray, Int64Array, RecordBatch};
use lookalike::distributed::steps::{StepContext, StepOptions, step};
use lookalike::{
    LookalikeError, Record, Settings, methods::MethodSettings, record_batches, settings::Verify,
};
use proptest::prelude::*;
use std::sync::Arc;

fn context() -> StepContext {
    let options = StepOptions { name: "table".into(), ..StepOptions::default() };
    StepContext::new(&Settings::default(), options).expect("usual settings")
}

/// Runs a step over batches.
fn run(description: &str, batches: &[RecordBatch]) -> Result<Vec<RecordBatch>, LookalikeError> {
    let mut step = step(&context(), description, &[])?;
    let mut made = Vec::new();
    for batch in batches {
        made.extend(step.push(batch)?);
    }
    made.extend(step.finish()?);
    Ok(made)
}

/// Every step that reads messages, with the names of its columns.
const OF_MESSAGES: [&str; 8] = [
    r#"{"step": "take_sets"}"#,
    r#"{"step": "sketch", "elements": 100, "seed": 0, "task": 0}"#,
    r#"{"step": "merge_sketches", "order": true}"#,
    r#"{"step": "round_postings", "buckets": 3}"#,
    r#"{"step": "pairs", "limit": 9, "parts": 2}"#,
    r#"{"step": "probe", "parts": 2}"#,
    r#"{"step": "route", "parts": 2}"#,
    r#"{"step": "verify", "all": false}"#,
];

/// Part and rank, kind, blob and list of a message.
type Row = (i64, i64, Vec<u8>, Vec<u8>);

fn messages(rows: &[Row]) -> RecordBatch {
    let numbers = |of: fn(&Row) -> i64| -> Arc<dyn Array> {
        Arc::new(rows.iter().map(of).collect::<Int64Array>())
    };
    let bytes = |of: fn(&Row) -> &[u8]| -> Arc<dyn Array> {
        Arc::new(BinaryArray::from_iter_values(rows.iter().map(of)))
    };
    let batch = RecordBatch::try_from_iter([
        ("part", numbers(|row| row.0)),
        ("kind", numbers(|row| row.1)),
        ("rank", numbers(|row| row.0)),
        ("number", numbers(|row| row.1)),
        ("other", numbers(|row| row.0)),
        ("blob", bytes(|row| &row.2)),
        ("list", bytes(|row| &row.3)),
    ]);
    batch.expect("columns of equal lengths")
}

proptest! {
    /// Any bytes in any rows give rows or an error.
    #[test]
    fn damaged_rows_do_no_harm(
        rows in prop::collection::vec(
            (0i64..4, 0i64..8, prop::collection::vec(any::<u8>(), 0..40), prop::collection::vec(any::<u8>(), 0..9)), 0..12,
        ),
    ) {
        for description in OF_MESSAGES {
            let _ = run(description, &[messages(&rows)]);
        }
    }
}

#[test]
fn rows_of_another_table_are_refused() {
    let record = Record::new("a b c d e f");
    let batch = record_batches([record], &Settings::default(), 10).unwrap().remove(0);
    for description in OF_MESSAGES {
        let error = run(description, std::slice::from_ref(&batch)).unwrap_err();
        assert!(error.to_string().contains("without a column `part`"), "{error}");
    }
}

#[test]
fn a_pair_whose_set_did_not_come_is_an_error() {
    // A probe that is compared with the set 7, which is not among the sets of the part.
    let set: Vec<u8> = (1u64..9).flat_map(u64::to_le_bytes).collect();
    let error = run(r#"{"step": "verify", "all": false}"#, &[messages(&[(9, 3, set, vec![7])])])
        .unwrap_err();
    assert!(error.to_string().contains("the set 7 of a pair did not come to its task"), "{error}");
}

#[test]
fn descriptions_and_settings_are_checked() {
    for (description, complaint) in [
        (r#"{"step": "guess"}"#, "unknown variant"),
        (r#"{"step": "late"}"#, "missing field `head`"),
        (r#"{"step": "late", "head": 1, "tail": 2}"#, "unknown field `tail`"),
        (r#"{"step": "postings", "buckets": 2}"#, "not an element order"),
    ] {
        let error = run(description, &[]).unwrap_err().to_string();
        assert!(error.contains(complaint), "{error}");
    }
    let method = MethodSettings {
        spec: "imatch".into(),
        verify: Verify::Exact,
        lexicon: None,
        lexicon_checksum: None,
        key_limit: None,
    };
    let refused = [
        Settings { method: Some(method), ..Settings::default() },
        Settings { ignore_common: Some(3), ..Settings::default() },
    ];
    for settings in refused {
        let error = StepContext::new(&settings, StepOptions::default()).unwrap_err().to_string();
        assert!(error.contains("is for runs on one machine"), "{error}");
    }
}
