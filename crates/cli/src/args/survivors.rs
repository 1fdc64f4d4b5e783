//! Arguments about which documents of a cluster survive, and how much may be removed.

use clap::Args;

/// Which documents of a cluster survive.
#[derive(Debug, Args)]
pub(crate) struct SurvivorArgs {
    /// Keep N documents of each cluster, the first in order of precedence [default: 1]
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..),
        help_heading = "Which duplicate to keep"
    )]
    pub(crate) keep_n: Option<u32>,
    /// Keep no document of a cluster: only documents without a duplicate are left
    #[arg(long, conflicts_with = "keep_n", help_heading = "Which duplicate to keep")]
    pub(crate) drop_all: bool,
}

impl SurvivorArgs {
    /// Number of documents of a cluster that are kept.
    pub(crate) fn keep_n(&self) -> u32 {
        if self.drop_all { 0 } else { self.keep_n.unwrap_or(1) }
    }
}

/// Attribute files.
#[derive(Debug, Args)]
pub(crate) struct AttributesArgs {
    /// Also write attributes/, a JSONL file for each input with one line for each of its records, in
    /// order: id, cluster, whether it leads the cluster, whether it is removed
    #[arg(long, help_heading = "Output")]
    pub(crate) attributes: bool,
}

/// Pairs below the threshold.
#[derive(Debug, Args)]
pub(crate) struct NearMissArgs {
    /// Also write near_misses, the pairs that miss --threshold by at most this: of kept documents
    /// (`dedup`), or all (`cluster`)
    #[arg(long, value_name = "DISTANCE", help_heading = "Output")]
    pub(crate) near_misses: Option<String>,
}

/// Limits of what may be removed.
#[derive(Debug, Args)]
pub(crate) struct GuardArgs {
    /// Stop (exit code 3) before more than this share is removed, of all documents or of an input
    /// with at least 100 documents [default: 98% of all, if there are more than 1000]
    #[arg(long, value_name = "PERCENT", help_heading = "Guards")]
    pub(crate) max_loss: Option<String>,
    /// Stop (exit code 3) if a cluster is larger: a number of documents, or a percentage of all
    #[arg(long, value_name = "N|PERCENT", help_heading = "Guards")]
    pub(crate) max_cluster: Option<String>,
}
