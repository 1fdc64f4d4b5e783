//! Table formats.

use std::fmt;
use std::str::FromStr;

/// Format of a table.
///
/// ```
/// use lookalike_io::table::TableFormat;
///
/// assert_eq!("tsv".parse(), Ok(TableFormat::Tsv));
/// assert_eq!(TableFormat::default().extension(), "parquet");
/// assert!("xlsx".parse::<TableFormat>().is_err());
/// ```
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum TableFormat {
    /// Apache Parquet.
    #[default]
    Parquet,
    /// Tab-separated values.
    Tsv,
    /// One JSON object per line.
    Jsonl,
}

impl TableFormat {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Parquet, Self::Tsv, Self::Jsonl];

    /// The extension of its files, which is also its name.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Tsv => "tsv",
            Self::Jsonl => "jsonl",
        }
    }
}

impl fmt::Display for TableFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.extension())
    }
}

impl FromStr for TableFormat {
    type Err = UnknownTableFormat;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|format| format.extension() == name)
            .ok_or_else(|| UnknownTableFormat(name.to_string()))
    }
}

/// A name that is not a table format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a table format; choose parquet, tsv or jsonl")]
pub struct UnknownTableFormat(String);
