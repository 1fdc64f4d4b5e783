//! The clusters of two runs: which are the same, split or merged.

use super::comparison::ClusterChanges;
use super::places::{Ids, Places};
use crate::LookalikeError;
use crate::shown::Shown;
use lookalike_decide::ReadMember;
use lookalike_engine::Progress;
use lookalike_engine::poll::Poll;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::Path;

/// A document and its cluster in each run: number and size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) document: u64,
    pub(super) clusters: [Option<(u64, u64)>; 2],
}

/// A cluster of one run whose documents are not all in one cluster of the other.
#[derive(Debug)]
pub(super) struct SplitCluster {
    number: u64,
    /// Its documents by cluster of the other run, those in none one by one; the largest part first.
    parts: Vec<u64>,
    pub(super) leader: u64,
}

impl SplitCluster {
    fn size(&self) -> u64 {
        self.parts.iter().sum()
    }
}

/// The documents of clusters.
#[derive(Debug, Default)]
pub(super) struct Groups {
    rows: Vec<Row>,
    /// Leaders by number of the cluster.
    leaders: [HashMap<u64, u64>; 2],
}

impl Groups {
    pub(super) fn read(
        runs: [&Path; 2],
        places: &mut Places,
        progress: &dyn Progress,
    ) -> Result<Self, LookalikeError> {
        let poll = Poll::new(progress);
        let mut found = Self::default();
        for (run, path) in runs.into_iter().enumerate() {
            let mut members: Vec<(u64, u64)> = Vec::new();
            for row in ReadMember::of(path)? {
                let row = row?;
                poll.step()?;
                let document = places.number(&row.name);
                if places.counts(document) {
                    members.push((row.cluster, document));
                    let leader = places.number(&row.leader);
                    found.leaders[run].entry(row.cluster).or_insert(leader);
                }
            }
            members.sort_unstable();
            // A document of which the others of its cluster do not count is alone.
            for cluster in members.chunk_by(|a, b| a.0 == b.0).filter(|cluster| cluster.len() > 1) {
                found.rows.extend(cluster.iter().map(|&(number, document)| {
                    let mut clusters = [None; 2];
                    clusters[run] = Some((number, cluster.len() as u64));
                    Row { document, clusters }
                }));
            }
        }
        found.rows.sort_unstable_by_key(|row| row.document);
        found.rows.dedup_by(|second, first| {
            let same = first.document == second.document;
            if same {
                first.clusters = [0, 1].map(|run| first.clusters[run].or(second.clusters[run]));
            }
            same
        });
        Ok(found)
    }

    /// The rows by cluster of a run, in it by cluster of the other run, in that by document.
    fn by_cluster(&self, run: usize) -> Vec<Row> {
        let mut rows = self.rows.clone();
        rows.sort_unstable_by_key(|row| (row.clusters[run], row.clusters[1 - run], row.document));
        rows
    }

    /// The clusters of a run whose documents are not all in one cluster of the other, the largest first.
    pub(super) fn changes(&self, run: usize) -> Vec<SplitCluster> {
        let mut found = Vec::new();
        for rows in self.by_cluster(run).chunk_by(|a, b| a.clusters[run] == b.clusters[run]) {
            let Some((number, _)) = rows[0].clusters[run] else { continue };
            let together = |a: &Row, b: &Row| {
                a.clusters[1 - run].is_some() && a.clusters[1 - run] == b.clusters[1 - run]
            };
            let mut parts: Vec<u64> =
                rows.chunk_by(together).map(|part| part.len() as u64).collect();
            if parts.len() > 1 {
                parts.sort_unstable_by_key(|&part| Reverse(part));
                found.push(SplitCluster { number, parts, leader: self.leaders[run][&number] });
            }
        }
        found.sort_by_key(|cluster| (Reverse(cluster.size()), cluster.number));
        found
    }

    /// Whether all documents of a cluster, and no others, are in one cluster of the other run: `rows` are
    /// all documents with the same cluster in both runs.
    fn is_same(rows: &[Row]) -> bool {
        let size = rows.len() as u64;
        rows[0].clusters.iter().all(|cluster| cluster.is_some_and(|(_, of)| of == size))
    }

    /// The documents of clusters that the other run does not have, in the order of their numbers.
    pub(super) fn regrouped(&self) -> Vec<Row> {
        let rows = self.by_cluster(0);
        let parts = rows.chunk_by(|a, b| a.clusters == b.clusters);
        let mut found: Vec<Row> =
            parts.filter(|part| !Self::is_same(part)).flatten().copied().collect();
        found.sort_unstable_by_key(|row| row.document);
        found
    }

    pub(super) fn counts(&self) -> ClusterChanges {
        let rows = self.by_cluster(0);
        let parts = rows.chunk_by(|a, b| a.clusters == b.clusters);
        let clusters = |run: usize| {
            let sizes: HashMap<u64, u64> =
                self.rows.iter().filter_map(|row| row.clusters[run]).collect();
            (sizes.len() as u64, sizes.values().sum::<u64>())
        };
        let changed = |run: usize| {
            let found = self.changes(run);
            let documents: u64 = found.iter().map(SplitCluster::size).sum();
            let apart = found.iter().filter(|cluster| cluster.parts[0] == 1).count() as u64;
            (found.len() as u64, documents, apart)
        };
        let ((a, documents_a), (b, documents_b)) = (clusters(0), clusters(1));
        let (split, split_documents, dissolved) = changed(0);
        let (merged, merged_documents, new) = changed(1);
        ClusterChanges {
            a,
            b,
            documents_a,
            documents_b,
            same: parts.filter(|part| Self::is_same(part)).count() as u64,
            split,
            split_documents,
            dissolved,
            merged,
            merged_documents,
            new,
        }
    }
}

/// Rows for people.
pub(super) fn show(clusters: &[SplitCluster], limit: usize, ids: &Ids<'_>) -> Shown {
    let mut shown = Shown::of(&["cluster", "size", "leader", "file", "record", "parts"]);
    for cluster in clusters {
        let name = ids.name(cluster.leader);
        let (size, parts) = (cluster.size(), &cluster.parts);
        shown.push(limit, (cluster.number, size, name.id, name.file, name.record, parts));
    }
    shown
}
