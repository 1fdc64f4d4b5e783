//! The rows of the tables `pairs`, `clusters`, `ledger` and `problems`.
//!
//! Rows are sorted by the documents' ids, equal ids by (file, record), so the bytes do not depend
//! on the order in which results were found.

mod clusters;
mod columns;
mod ledger;
mod name_order;
mod pairs;
mod problems;
mod represented;
mod row_digest;
mod table;

pub(crate) use clusters::fill_clusters;
pub(crate) use columns::{Extra, cluster_columns, ledger_columns, pair_columns};
pub(crate) use ledger::fill_ledger;
pub(crate) use name_order::Named;
pub(crate) use pairs::fill_pairs;
pub(crate) use problems::{PROBLEMS, write_problems};
pub(crate) use represented::Represented;
pub(crate) use row_digest::{TableDigest, row_hash, run_digest};
pub(crate) use table::{Table, compared_cells, member_cells};
