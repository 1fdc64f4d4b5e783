//! Choice of the clusters that the report lists, and of the members and texts of each.
//!
//! What is listed depends only on the result. Its size is bounded: clusters and documents are
//! limited, and texts are excerpts, the shorter the more there are.

use crate::analysis::Analysis;
use crate::decisions::Clusters;
use crate::result_tables::Named;
use lookalike_decide::Rule;
use lookalike_engine::poll::Poll;
use lookalike_engine::try_sort::{par_sort_cancellable, try_par_sort_unstable_by};
use lookalike_engine::{DocumentId, EngineError, Progress, Removal};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::ops::Range;

/// Clusters listed, the largest first.
pub(crate) const CLUSTERS: usize = 250_000;
/// Documents listed in all clusters.
const DOCUMENTS: usize = 500_000;
/// Members listed of a cluster: as many of these as [`DOCUMENTS`] allows.
pub(crate) const MEMBERS: [usize; 7] = [200, 100, 50, 20, 10, 4, 1];
/// Bytes of all excerpts.
const TEXTS: usize = 32 << 20;
/// Bytes of an excerpt: at most, at least, and a multiple of.
const EXCERPT: (usize, usize, usize) = (4096, 64, 32);

/// A cluster of the list.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) leader: DocumentId,
    /// Its members among those of all clusters.
    members: Range<usize>,
}

/// A document that its cluster's leader represents.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Member {
    pub(crate) document: DocumentId,
    pub(crate) rule: Rule,
    /// To the leader.
    pub(crate) similarity: Option<f64>,
}

/// The clusters that the report lists.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    clusters: Vec<Listed>,
    /// The members of all clusters, of each in the order of their names.
    members: Vec<Member>,
    /// Members listed of each cluster.
    most: usize,
    /// Maximum length of a text in bytes.
    excerpt: usize,
}

impl Listing {
    /// Lists the clusters by size, then by number. O(documents in clusters) memory.
    ///
    /// # Errors
    /// Names on disk that cannot be read; a cancellation.
    pub(crate) fn new(
        analysis: &Analysis,
        clusters: &Clusters,
        progress: &dyn Progress,
    ) -> Result<Self, EngineError> {
        let sizes = clusters.sizes();
        let mut order: Vec<u32> = (0..sizes.len() as u32).collect();
        order.par_sort_unstable_by_key(|&number| (Reverse(sizes[number as usize]), number));
        let all = order.len();
        order.truncate(CLUSTERS);
        let mut ranks = vec![u32::MAX; all];
        (0u32..).zip(&order).for_each(|(rank, &number)| ranks[number as usize] = rank);

        let rank = |kept| {
            let number = clusters.number(kept).unwrap_or_default();
            ranks.get(number as usize).copied().filter(|&rank| rank != u32::MAX)
        };
        let row = |(document, removal): (DocumentId, Removal)| {
            let similarity = analysis.similarity(removal.evidence);
            let member = Member { document, rule: removal.rule, similarity };
            Some((rank(removal.kept)?, Named::of(analysis, document), member))
        };
        let mut rows: Vec<(u32, Named, Member)> = analysis.removals().filter_map(row).collect();
        // By cluster first: most have few members to order.
        rows.par_sort_unstable_by_key(|row| row.0);
        let collection = &analysis.collection;
        let groups: Vec<&mut [(u32, Named, Member)]> =
            rows.chunk_by_mut(|a, b| a.0 == b.0).collect();
        groups.into_par_iter().try_for_each(|group| match group.len() {
            0..10_000 => {
                Poll::new(progress).now()?;
                try_par_sort_unstable_by(group, |a, b| a.1.compare(b.1, collection))
            }
            _ => par_sort_cancellable(group, progress, |a, b| a.1.compare(b.1, collection)),
        })?;
        let members: Vec<Member> = rows.iter().map(|row| row.2).collect();
        drop(rows);

        let mut end = 0;
        let listed = order.iter().map(|&number| {
            let start = end;
            end += sizes[number as usize] as usize - 1;
            Listed { leader: clusters.in_order()[number as usize], members: start..end }
        });
        let clusters: Vec<Listed> = listed.collect();
        let documents = |most: usize| -> usize {
            clusters.iter().map(|cluster| 1 + cluster.members.len().min(most)).sum()
        };
        let most = MEMBERS.into_iter().find(|&most| documents(most) <= DOCUMENTS).unwrap_or(1);
        let excerpt = excerpt(documents(most));
        Ok(Self { clusters, members, most, excerpt })
    }

    /// The clusters, largest first.
    pub(crate) fn clusters(&self) -> &[Listed] {
        &self.clusters
    }

    /// All members of a cluster, in the order of their names.
    pub(crate) fn members(&self, cluster: &Listed) -> &[Member] {
        &self.members[cluster.members.clone()]
    }

    /// Those that are listed.
    pub(crate) fn listed(&self, cluster: &Listed) -> &[Member] {
        let members = self.members(cluster);
        &members[..members.len().min(self.most)]
    }

    /// Maximum length of a text in bytes.
    pub(crate) fn excerpt(&self) -> usize {
        self.excerpt
    }

    /// The documents whose texts are shown. A text identical to the leader's is not.
    pub(crate) fn documents(&self) -> impl Iterator<Item = DocumentId> + '_ {
        self.clusters.iter().flat_map(|cluster| {
            let others =
                self.listed(cluster).iter().filter(|member| member.rule != Rule::Identical);
            std::iter::once(cluster.leader).chain(others.map(|member| member.document))
        })
    }
}

/// Length of an excerpt, for a number of documents.
fn excerpt(documents: usize) -> usize {
    let (most, least, step) = EXCERPT;
    (TEXTS / documents.max(1) / step * step).clamp(least, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_of_all_documents_are_bounded() {
        assert_eq!(excerpt(0), 4096);
        assert_eq!(excerpt(1000), 4096);
        assert_eq!(excerpt(250_000), 128);
        assert_eq!(excerpt(DOCUMENTS), 64);
        for documents in [1, 16_384, 20_000, 100_000, DOCUMENTS] {
            assert!(excerpt(documents) * documents <= TEXTS, "{documents}");
        }
        const { assert!(CLUSTERS * 2 <= DOCUMENTS) };
    }
}
