//! Tables of a result (`pairs`, `clusters`, `ledger`): writer and reader.
//!
//! [`TableWriter`] writes any [`TableFormat`]; [`TableReader`] reads the format that a result has.
//! A table has the same content in every format: text, counts, ratios and missing values are read
//! back exactly, ratios to the last bit.
//!
//! * **Parquet**: columns `Utf8`, `Int64` and `Float64`, all nullable, Zstandard, row groups of
//!   65,536 rows. Counts are signed because most readers have no unsigned integers; none of ours
//!   comes near 2⁶³.
//! * **TSV**: a header line, then one line per row. In text a tab is written `\t`, a newline `\n`,
//!   a carriage return `\r`, a backslash `\\`. A missing value is an empty field; empty text is
//!   `\e`. Ratios are written with the fewest digits that parse to the same number (`0.8`, `1`).
//! * **JSONL**: an object a line, members in the order of the columns, missing values `null`.
//!
//! A ratio that is not a number or not finite is written as a missing value.

mod arrow_rows;
mod error;
mod format;
mod jsonl;
mod parquet;
mod reader;
pub(crate) mod tsv;
mod value;
mod writer;

pub use error::TableError;
pub use format::{TableFormat, UnknownTableFormat};
pub use reader::TableReader;
pub use value::{Cell, Column, ColumnKind, Value};
pub use writer::{TableWriter, WrittenTable};
