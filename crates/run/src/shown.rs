//! Rows of named columns, as `show` answers.

use serde_json::Value as Json;

/// An answer: rows of named columns.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Shown {
    /// Names of the columns.
    pub columns: Vec<&'static str>,
    /// The rows, in the order of the columns; null for a value that does not exist.
    pub rows: Vec<Vec<Json>>,
    /// Number of rows that there are, of which the first are in `rows`.
    pub total: u64,
}

impl Shown {
    pub(crate) fn of(columns: &[&'static str]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new(), total: 0 }
    }

    pub(crate) fn push(&mut self, limit: usize, row: impl serde::Serialize) {
        self.total += 1;
        if self.rows.len() < limit
            && let Ok(Json::Array(row)) = serde_json::to_value(row)
        {
            self.rows.push(row);
        }
    }
}
