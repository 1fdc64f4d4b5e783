//! Estimates numbers of partners, and from them removal in the whole, from the pairs of a sample.
//!
//! A document's *partners* are those that reach the threshold with it. Few of the partners of a
//! sampled document are sampled, so removal within a sample is a weak bound. But numbers of
//! partners can be estimated without bias (Horvitz & Thompson 1952): a pair is in a sample of share
//! p with probability p², or with p if its two documents are read in one chunk, as neighbours are;
//! so it is weighted by 1/p² or 1/p. A document and two of its partners are weighted by up to 1/p³
//! in the same way. This gives the means of X, the number of partners of a document, and of X(X−1),
//! in the whole. From these:
//!
//! * If partners form cliques, a document is removed with probability X/(1+X), and the removed
//!   share is E\[X/(1+X)\].
//! * Lower bound: E\[X\]² / E\[X(1+X)\] (Cauchy–Schwarz), which is exact if all documents with
//!   partners have the same number of them.
//! * Upper bound: the share if all documents had the same number of partners (Jensen: x/(1+x) is
//!   concave), over whole numbers. If partners are not partners of each other, fewer are removed in
//!   a random order (Caro 1979, Wei 1981). Components remove more: at most one document per pair.
//! * Where documents match only across values, those of one value are no partners of each other, and which
//!   of the values is kept decides: of a star, one document or all others. Documents that stay match no other that
//!   stays, so each pair has one that is removed: with Cauchy–Schwarz, at least E\[X\]² / 4 E\[X²\] of all. At most
//!   one is removed for each pair.
//!   The estimate takes it that the first of all documents of a cluster decides: with copies of the same value, its share of
//!   the removal of all is that of partners among both. Near-duplicates of the same value are not counted, so it is high.
//! * Estimate: X is modelled as a gamma mixture of Poissons with these two means (Fisher, Corbet &
//!   Williams 1943, where species are clusters).
//!
//! Standard errors of the means are from a jackknife over tenths of the chunks (Quenouille 1956).

use lookalike_engine::{ChunkId, Collection, Edge, Linkage, SetId, Units};
use std::borrow::Cow;

/// Number of parts of the jackknife, each left out in turn.
const PARTS: u32 = 10;

/// Standard errors on either side of an interval: 95 % if errors are normal.
const ERRORS: f64 = 2.0;

/// Means over all documents.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Means {
    /// Of the number of partners, X.
    pub(super) partners: f64,
    /// Of X(X−1).
    pub(super) two_partners: f64,
}

/// Shares of removed documents.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Removal {
    pub(super) low: f64,
    pub(super) expected: f64,
    pub(super) high: f64,
}

impl Means {
    /// The removed share, from these means only.
    ///
    /// `alike`, where documents match only across values: the means of partners and copies of the same value
    /// together. The first of them decides, so a document is removed with the share of its partners among them.
    pub(super) fn removal(self, linkage: Linkage, alike: Option<Self>) -> Removal {
        let Self { partners: m, two_partners: f } = self;
        if m <= 0.0 {
            return Removal::default();
        }
        // An estimate may be below the minimum for whole numbers with this mean.
        let f = f.max(m.floor() * (2.0 * m - m.floor() - 1.0));
        let low = match alike {
            None => m * m / (2.0 * m + f),
            Some(_) => m * m / (4.0 * (m + f)),
        };
        let high = match linkage {
            Linkage::Leaders if alike.is_none() => equal(m),
            _ => (m / 2.0).min(1.0),
        };
        let high = high.max(low);
        let Self { partners: all, two_partners } = alike.unwrap_or(self);
        let expected = m / all.max(m) * (1.0 - mixture(all.max(m), two_partners.max(f)));
        Removal { low, expected: expected.clamp(low, high), high }
    }
}

/// Maximum of E[X/(1+X)] for whole X of mean m: x/(1+x), linear between whole numbers.
fn equal(m: f64) -> f64 {
    let at = |x: f64| x / (1.0 + x);
    let below = m.floor();
    at(below) + (m - below) * (at(below + 1.0) - at(below))
}

/// E[1/(1+X)] = ∫ E[tˣ] dt over 0 to 1, for a gamma mixture of Poissons with E[X] = m and E[X(X−1)]
/// = f.
fn mixture(m: f64, f: f64) -> f64 {
    // f = m²(1 + 1/r); at most that of a Poisson, r is infinite.
    let spread = f / (m * m) - 1.0;
    if spread < 1e-9 {
        return (1.0 - (-m).exp()) / m;
    }
    let (r, u) = (1.0 / spread, m * spread);
    match (r - 1.0).abs() < 1e-9 {
        true => u.ln_1p() / u,
        false => (((1.0 - r) * u.ln_1p()).exp() - 1.0) / (u * (1.0 - r)),
    }
}

/// Documents by the chunk that they were read with: chunk and number, in order.
type ByChunk = Vec<(ChunkId, u64)>;

/// The numbers of partners in a sample.
pub(super) struct Partners {
    /// For each unit its documents, and all partners of its documents, themselves included unless documents
    /// match only across values.
    of_units: Vec<(ByChunk, ByChunk)>,
    across: bool,
    chunks: u32,
    documents: u64,
}

/// The documents of each unit by chunk.
pub(super) fn by_chunk(collection: &Collection, units: &Units, chunks: u32) -> Vec<ByChunk> {
    let mut chunk_of = vec![ChunkId(0); collection.len() as usize];
    for chunk in (0..chunks).map(ChunkId) {
        for document in collection.chunk_documents(chunk) {
            chunk_of[document.index()] = chunk;
        }
    }
    let of = |unit: SetId| {
        let members = units.members(unit).iter();
        merged(members.map(|&document| (chunk_of[document.index()], 1)).collect())
    };
    units.ids().map(of).collect()
}

fn merged(mut counts: ByChunk) -> ByChunk {
    counts.sort_unstable();
    counts.dedup_by(|next, sum| {
        let same = next.0 == sum.0;
        sum.1 += if same { next.1 } else { 0 };
        same
    });
    counts
}

/// Estimated number of pairs of documents in the whole for a pair of units, or for a unit with
/// itself.
pub(super) fn weight(a: &ByChunk, b: Option<&ByChunk>, share: f64) -> (u64, f64) {
    let sum = |of: &ByChunk| of.iter().map(|&(_, count)| count).sum::<u64>();
    let (all, together) = match b {
        None => {
            let pairs = |n: u64| n * n.saturating_sub(1) / 2;
            (pairs(sum(a)), a.iter().map(|&(_, count)| pairs(count)).sum::<u64>())
        }
        Some(b) => {
            let found = |chunk| b.binary_search_by_key(&chunk, |&(c, _)| c).map_or(0, |at| b[at].1);
            (sum(a) * sum(b), a.iter().map(|&(chunk, count)| count * found(chunk)).sum())
        }
    };
    (all, together as f64 / share + (all - together) as f64 / (share * share))
}

impl Partners {
    /// From all edges that reach the threshold. O(edges · chunks of a unit's documents).
    pub(super) fn new(by_chunk: &[ByChunk], edges: &[Edge], chunks: u32, across: bool) -> Self {
        let mut met: Vec<ByChunk> = match across {
            true => vec![ByChunk::new(); by_chunk.len()],
            false => by_chunk.to_vec(),
        };
        for edge in edges {
            met[edge.later.index()].extend_from_slice(&by_chunk[edge.earlier.index()]);
            met[edge.earlier.index()].extend_from_slice(&by_chunk[edge.later.index()]);
        }
        let documents = by_chunk.iter().flatten().map(|&(_, count)| count).sum();
        let of_units = by_chunk.iter().cloned().zip(met.into_iter().map(merged)).collect();
        Self { of_units, across, chunks, documents }
    }

    /// Sets the number of all documents, including those without a feature set.
    pub(super) fn with_documents(self, documents: u64) -> Self {
        Self { documents, ..self }
    }

    /// Means in the whole, of which the sample is this share; `left_out` omits a part of the
    /// chunks.
    pub(super) fn means(&self, share: f64, left_out: Option<u32>) -> Means {
        self.means_of(share, left_out, !self.across, |_, met| Cow::Borrowed(met))
    }

    /// As [`Partners::means`], where copies of the same value count as partners.
    fn alike(&self, share: f64, left_out: Option<u32>) -> Means {
        let both = |own: &ByChunk, met: &ByChunk| merged([&own[..], met].concat());
        self.means_of(share, left_out, true, |own, met| Cow::Owned(both(own, met)))
    }

    /// The means of the documents that `counted` says for a unit and its partners, of which each document is one
    /// itself or not.
    fn means_of<'p>(
        &'p self,
        share: f64,
        left_out: Option<u32>,
        with_itself: bool,
        counted: impl Fn(&'p ByChunk, &'p ByChunk) -> Cow<'p, ByChunk>,
    ) -> Means {
        let itself = u64::from(with_itself);
        let takes = |chunk: ChunkId| left_out.is_none_or(|part| chunk.0 % self.parts() != part);
        let of = |counts: &ByChunk| -> u64 {
            counts.iter().filter(|&&(chunk, _)| takes(chunk)).map(|&(_, count)| count).sum()
        };
        let units = || self.of_units.iter();
        let featured: u64 = units().map(|(own, _)| of(own)).sum();
        let all: u64 =
            units().map(|(own, _)| own.iter().map(|&(_, count)| count).sum::<u64>()).sum();
        let kept = if all > 0 { featured as f64 / all as f64 } else { 1.0 };
        let p = share * kept;
        let documents = self.documents as f64 * kept;
        let (mut one, mut two) = (0.0, 0.0);
        for (own, met) in units() {
            let met = counted(own, met);
            let total = of(&met);
            if total <= itself {
                continue;
            }
            let squares: f64 = met
                .iter()
                .filter(|&&(chunk, _)| takes(chunk))
                .map(|&(_, count)| (count as f64) * (count as f64))
                .sum();
            for &(chunk, members) in own.iter().filter(|&&(chunk, _)| takes(chunk)) {
                let here = met.binary_search_by_key(&chunk, |&(c, _)| c).map_or(0, |at| met[at].1);
                let near = here as f64 - itself as f64;
                let far = (total - here) as f64;
                let squares = squares - (here as f64) * (here as f64);
                one += members as f64 * (near / p + far / (p * p));
                two += members as f64
                    * (near * (near - 1.0) / p
                        + (2.0 * near * far + squares - far) / (p * p)
                        + (far * far - squares) / (p * p * p));
            }
        }
        let of_all = documents / p;
        match of_all > 0.0 {
            true => Means { partners: one / of_all, two_partners: two / of_all },
            false => Means::default(),
        }
    }

    fn parts(&self) -> u32 {
        PARTS.min(self.chunks).max(1)
    }

    /// The removed share, with the error of the sample.
    ///
    /// `glued` is the ratio of removed documents within the sample to those of cliques.
    pub(super) fn removal(&self, share: f64, linkage: Linkage, glued: f64) -> Removal {
        let of = |left_out| {
            let alike = self.across.then(|| self.alike(share, left_out));
            let means = self.means(share, left_out);
            let Removal { low, expected, high } = means.removal(linkage, alike);
            [low * glued.min(1.0), expected * glued, high * glued.max(1.0)]
        };
        let said = of(None);
        let parts = self.parts();
        let without: Vec<[f64; 3]> = (0..parts).map(|part| of(Some(part))).collect();
        let error = |at: usize| {
            let mean = without.iter().map(|of| of[at]).sum::<f64>() / f64::from(parts);
            let squares: f64 = without.iter().map(|of| (of[at] - mean).powi(2)).sum();
            (squares * f64::from(parts - 1) / f64::from(parts)).sqrt()
        };
        // One more pair is added: no pair in the sample does not mean no pair in the whole.
        let pair = 1.0 / (share * (self.documents as f64).max(1.0));
        let high = (said[2] + ERRORS * (error(2) + pair)).min(1.0);
        let low = (said[0] - ERRORS * error(0)).clamp(0.0, high);
        Removal { low, expected: said[1].clamp(low, high), high }
    }

    /// Removed documents within the sample if partners formed cliques: the sum of X/(1+X).
    pub(super) fn in_cliques(&self) -> f64 {
        let sum = |of: &ByChunk| of.iter().map(|&(_, count)| count).sum::<u64>();
        let removed = |(own, met): &(ByChunk, ByChunk)| {
            let (own, met) = (sum(own) as f64, sum(met) as f64);
            match self.across {
                // By a partner, if that comes before all copies.
                true => own * met / (own + met).max(1.0),
                false => own * (1.0 - 1.0 / met.max(1.0)),
            }
        };
        self.of_units.iter().map(removed).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cliques_of_one_size_are_estimated_exactly() {
        // All have two partners: two of three are removed, by both bounds.
        let all = Means { partners: 2.0, two_partners: 2.0 }.removal(Linkage::Leaders, None);
        assert!((all.low - 2.0 / 3.0).abs() < 1e-12 && (all.high - 2.0 / 3.0).abs() < 1e-12);
        // One in ten is in a pair.
        let pairs = Means { partners: 0.1, two_partners: 0.0 }.removal(Linkage::Leaders, None);
        assert!((pairs.low - 0.05).abs() < 1e-12 && (pairs.high - 0.05).abs() < 1e-12);
        // Inconsistent estimates: a mean of 40 and very few with two.
        let odd = Means { partners: 40.0, two_partners: 3.0 }.removal(Linkage::Leaders, None);
        assert!(odd.low <= odd.high && odd.high < 1.0, "{odd:?}");
    }

    #[test]
    fn the_mixture_worked_by_hand() {
        // Poisson of mean 1: (1 − 1/e). Geometric of mean 1 (r = 1): ln 2.
        assert!((mixture(1.0, 1.0) - 0.632_120_559).abs() < 1e-6);
        assert!((mixture(1.0, 2.0) - 2f64.ln()).abs() < 1e-6);
        // r = 1/2, u = 2: (√3 − 1)/(2·½).
        assert!((mixture(1.0, 3.0) - 0.732_050_808).abs() < 1e-6);
    }

    fn pair(unit: u32, with: u32) -> Edge {
        Edge { later: SetId(unit), earlier: SetId(with), shared: 1 }
    }

    #[test]
    fn documents_of_one_chunk_are_weighted_once() {
        // Half is sampled. Two copies in chunk 0, and one in chunk 1.
        let of = |counts: &[(u32, u64)]| -> ByChunk {
            counts.iter().map(|&(chunk, count)| (ChunkId(chunk), count)).collect()
        };
        let copies = of(&[(0, 2), (1, 1)]);
        assert_eq!(weight(&copies, None, 0.5), (3, 1.0 / 0.5 + 2.0 / 0.25));
        assert_eq!(weight(&of(&[(0, 2)]), Some(&of(&[(0, 1), (1, 1)])), 0.5), (4, 4.0 + 8.0));
        // Three partners of each other, all far apart, in a sample of all.
        let apart: Vec<ByChunk> = (0..3).map(|chunk| of(&[(chunk, 1)])).collect();
        let partners = Partners::new(&apart, &[pair(1, 0), pair(2, 0), pair(2, 1)], 3, false);
        assert_eq!(partners.means(1.0, None), Means { partners: 2.0, two_partners: 2.0 });
        assert!((partners.in_cliques() - 2.0).abs() < 1e-12);
        // The same as a sample of half: 6 documents with 4 partners each, in twos 8.
        let half = partners.means(0.5, None);
        assert_eq!(half, Means { partners: 4.0, two_partners: 8.0 });
    }

    #[test]
    fn documents_of_one_value_are_no_partners() {
        // Two copies of one value, and three of another, in a chunk each.
        let apart: Vec<ByChunk> = [vec![0, 1], vec![2, 3, 4]]
            .map(|chunks| chunks.into_iter().map(|chunk| (ChunkId(chunk), 1)).collect())
            .to_vec();
        let partners = Partners::new(&apart, &[pair(1, 0)], 5, true);
        // 2 · 3 + 3 · 2 partners, and 2 · 3 · 2 + 3 · 2 · 1 in twos.
        let means = partners.means(1.0, None);
        assert_eq!(means, Means { partners: 12.0 / 5.0, two_partners: 18.0 / 5.0 });
        let alike = partners.alike(1.0, None);
        assert_eq!(alike, Means { partners: 4.0, two_partners: 12.0 });
        let said = means.removal(Linkage::Leaders, Some(alike));
        assert!(said.low <= 0.4 && said.high >= 0.6, "{said:?}");
        assert!((partners.in_cliques() - 12.0 / 5.0).abs() < 1e-12);
    }

    proptest! {
        /// Clusters of documents of two values, of which all of one value are removed.
        #[test]
        fn the_truth_across_values_is_within_the_bounds(
            clusters in prop::collection::vec((1u32..40, 0u32..40), 1..40),
        ) {
            let (mut documents, mut truth, mut one, mut two) = (0.0, 0.0, 0.0, 0.0);
            for (removed, kept) in clusters {
                let (a, b) = (f64::from(removed), f64::from(kept));
                documents += a + b;
                truth += if kept > 0 { a } else { 0.0 };
                one += 2.0 * a * b;
                two += a * b * (b - 1.0) + b * a * (a - 1.0);
            }
            let means = Means { partners: one / documents, two_partners: two / documents };
            for linkage in [Linkage::Leaders, Linkage::Components] {
                let said = means.removal(linkage, Some(means));
                let truth = truth / documents;
                prop_assert!(said.low <= truth + 1e-9 && truth <= said.high + 1e-9, "{said:?} {truth}");
                prop_assert!(said.low <= said.expected && said.expected <= said.high);
            }
        }

        /// The truth of any cliques lies between the bounds that their means give.
        #[test]
        fn the_truth_is_within_the_bounds(sizes in prop::collection::vec(1u32..40, 1..40)) {
            let sizes: Vec<f64> = sizes.into_iter().map(f64::from).collect();
            let documents: f64 = sizes.iter().sum();
            let mean = |of: &dyn Fn(f64) -> f64| {
                sizes.iter().map(|&s| s * of(s - 1.0)).sum::<f64>() / documents
            };
            let means = Means { partners: mean(&|x| x), two_partners: mean(&|x| x * (x - 1.0)) };
            let truth = (documents - sizes.len() as f64) / documents;
            let said = means.removal(Linkage::Leaders, None);
            prop_assert!(said.low <= truth + 1e-9 && truth <= said.high + 1e-9, "{said:?} {truth}");
            prop_assert!(said.low <= said.expected && said.expected <= said.high);
            // Components of cliques are the cliques.
            let said = means.removal(Linkage::Components, None);
            prop_assert!(said.low <= truth + 1e-9 && truth <= said.high + 1e-9, "{said:?} {truth}");
        }
    }
}
