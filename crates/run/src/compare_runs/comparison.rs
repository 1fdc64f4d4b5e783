//! How two runs differ.

use crate::shown::Shown;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Which rows of a comparison are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunChange {
    /// Documents that only the first run removed.
    OnlyA,
    /// Documents that only the second run removed.
    OnlyB,
    /// Documents that both removed, for another witness or by another rule.
    Witness,
    /// Clusters of the first run whose documents are not all in one cluster of the second.
    Split,
    /// Clusters of the second run whose documents are not all in one cluster of the first.
    Merged,
}

impl RunChange {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::OnlyA, Self::OnlyB, Self::Witness, Self::Split, Self::Merged];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OnlyA => "only-a",
            Self::OnlyB => "only-b",
            Self::Witness => "witness",
            Self::Split => "split",
            Self::Merged => "merged",
        }
    }

    /// The one of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|change| change.name() == name)
    }
}

/// How two runs differ.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RunComparison {
    /// `compare-runs`.
    pub command: &'static str,
    /// The directory of the first run.
    pub a: String,
    /// The directory of the second run.
    pub b: String,
    /// Settings that differ, with the command and the version.
    pub settings: Vec<SettingChange>,
    /// How the inputs differ.
    pub inputs: InputChanges,
    /// Documents of the inputs that both have, in each run.
    pub documents: [u64; 2],
    /// Removed documents of these; `None` if one of the runs lists clusters and removes nothing.
    pub removed: Option<RemovalChanges>,
    /// Clusters of two of these documents or more.
    pub clusters: ClusterChanges,
    /// The listed rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listed: Option<Shown>,
}

/// A setting that differs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SettingChange {
    /// Its name, as in `summary.json`.
    pub name: String,
    /// Its value in the first run; null if it has none.
    pub a: Value,
    /// Its value in the second run.
    pub b: Value,
}

/// How the inputs of two runs differ.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct InputChanges {
    /// Inputs that both runs have.
    pub both: u64,
    /// Inputs that only the first run has: their documents do not count.
    pub only_a: Vec<String>,
    /// Inputs that only the second run has.
    pub only_b: Vec<String>,
    /// Inputs of one name with other sizes or numbers of documents: their records are compared by number.
    pub changed: Vec<String>,
}

/// Removed documents of two runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RemovalChanges {
    /// Documents that the first run removed.
    pub a: u64,
    /// Documents that the second run removed.
    pub b: u64,
    /// Documents that both removed.
    pub both: u64,
    /// Those for another witness.
    pub other_witness: u64,
    /// Those for the same witness by another rule.
    pub other_rule: u64,
    /// Documents that only the first run removed.
    pub only_a: u64,
    /// The same by rule.
    pub only_a_rules: BTreeMap<String, u64>,
    /// Documents that only the second run removed.
    pub only_b: u64,
    /// The same by rule.
    pub only_b_rules: BTreeMap<String, u64>,
}

/// Clusters of two runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ClusterChanges {
    /// Clusters of the first run.
    pub a: u64,
    /// Clusters of the second run.
    pub b: u64,
    /// Documents in clusters of the first run.
    pub documents_a: u64,
    /// Documents in clusters of the second run.
    pub documents_b: u64,
    /// Clusters with the same documents in both runs.
    pub same: u64,
    /// Clusters of the first run whose documents are not all in one cluster of the second.
    pub split: u64,
    /// Documents in them.
    pub split_documents: u64,
    /// Those of which no two documents are in one cluster of the second run.
    pub dissolved: u64,
    /// Clusters of the second run whose documents are not all in one cluster of the first.
    pub merged: u64,
    /// Documents in them.
    pub merged_documents: u64,
    /// Those of which no two documents are in one cluster of the first run.
    pub new: u64,
}
