//! The exact join over texts in memory, without files, formats or a runtime.
//!
//! [`ComparedTexts`] holds the feature sets of texts; from these come all [pairs](ComparedTexts::pairs)
//! that reach a threshold, the texts that are [kept](ComparedTexts::leaders) if duplicates are
//! removed, and [connected components](ComparedTexts::components). Texts have the feature sets that
//! they have as documents of a run with the same settings, and counts are exact. This module is all
//! that a build with `default-features = false` has: some 50 small packages, none of them in C.
//!
//! ```
//! use lookalike::texts::{ComparedTexts, Criterion, Measure};
//!
//! let texts = ComparedTexts::new(&[
//!     "one fish two fish red fish blue fish black fish blue fish old fish new fish",
//!     "This one has a little star. This one has a little car.",
//!     "One fish, two fish, red fish, blue fish, black fish, blue fish, old fish, new fish!",
//!     "one fish two fish red fish blue fish black fish blue fish old fish new fish say",
//! ]);
//! let criterion = Criterion { measure: Measure::Resemblance, threshold: "0.9".parse()? };
//! let leaders = texts.leaders(criterion)?;
//! assert_eq!([leaders[0], leaders[1]], [None, None]); // Kept.
//! let removed = leaders[3].expect("a near-duplicate");
//! assert_eq!(removed.earlier, 0); // The witness.
//! assert_eq!((removed.counts.shared, removed.counts.a, removed.counts.b), (12, 13, 12));
//! assert_eq!(texts.components(criterion)?, [0, 1, 0, 0]);
//! assert_eq!(texts.pairs(criterion)?.len(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use lookalike_core::features;
use lookalike_core::{FeatureScratch, SetDigest, TokenDigest, overlap};
use lookalike_join::{InMemorySets, JoinOptions, JoinResult, Linkage, Silent, join};
use lookalike_text::{Analyzer, Batch, Scratch};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::HashMap;

pub use lookalike_core::{FeatureKind, Measure, Overlap, ShortDocuments, Threshold};
pub use lookalike_join::{Criterion, JoinError};
pub use lookalike_text::AnalysisSettings;

/// The features of a text.
#[derive(Debug, Clone)]
pub struct TextFeatures {
    /// How a text is cut into tokens.
    pub analysis: AnalysisSettings,
    /// What the features are: shingles of tokens, or the distinct tokens.
    pub kind: FeatureKind,
}

impl Default for TextFeatures {
    /// Shingles of five words.
    fn default() -> Self {
        let kind = FeatureKind::Shingles { size: 5, short: ShortDocuments::Whole };
        Self { analysis: AnalysisSettings::default(), kind }
    }
}

/// Two texts, by their indexes, and the sizes of their feature sets and of the intersection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComparedPair {
    /// The text that is later in precedence: the later of both, for containment the smaller.
    pub later: usize,
    /// The text that takes precedence.
    pub earlier: usize,
    /// Features of both, of `later` (`a`) and of `earlier` (`b`).
    pub counts: Overlap,
}

/// The distinct feature sets of texts.
///
/// Texts precede those after them. For [`Measure::Containment`], larger sets come before smaller
/// ones first of all.
#[derive(Debug, Default)]
pub struct ComparedTexts {
    /// Distinct sets, in order of their first texts: `offsets[n]..offsets[n + 1]` of `elements`.
    offsets: Vec<u64>,
    elements: Vec<u64>,
    /// The texts that have each set, ascending.
    members: Vec<Vec<usize>>,
    /// Number of texts, with those that have no features and so match nothing.
    texts: usize,
}

impl ComparedTexts {
    /// Makes the sets of [`TextFeatures::default`], on all threads of the rayon pool that it is
    /// called in.
    #[must_use]
    pub fn new(texts: &[impl AsRef<str> + Sync]) -> Self {
        Self::with_features(texts, &TextFeatures::default())
    }

    /// Makes the sets of other features.
    #[must_use]
    pub fn with_features(texts: &[impl AsRef<str> + Sync], features: &TextFeatures) -> Self {
        let maker = SetMaker::new(features);
        let make = |buffers: &mut _, text: &_| maker.set(AsRef::as_ref(text), buffers);
        let sets: Vec<_> = texts.par_iter().map_init(Buffers::default, make).collect();
        let mut all = Self { offsets: vec![0], texts: texts.len(), ..Self::default() };
        let mut known = HashMap::new();
        for (text, (set, digest)) in
            sets.into_iter().enumerate().filter_map(|(at, set)| Some((at, set?)))
        {
            let number = *known.entry(digest).or_insert_with(|| {
                all.elements.extend(set);
                all.offsets.push(all.elements.len() as u64);
                all.members.push(Vec::new());
                all.members.len() - 1
            });
            all.members[number].push(text);
        }
        all
    }

    /// All pairs that reach the criterion, by `later`, then `earlier`. Every pair of *n* equal texts
    /// is one, so of many copies there are very many.
    ///
    /// # Errors
    /// More than four billion texts or index entries.
    pub fn pairs(&self, criterion: Criterion) -> Result<Vec<ComparedPair>, JoinError> {
        let (order, result) = self.join(criterion, Linkage::Components, Some(u64::MAX))?;
        let mut pairs = Vec::new();
        let mut add = |a: usize, b: usize, shared: u32| {
            let by_size = criterion.measure == Measure::Containment && self.size(a) != self.size(b);
            for &x in &self.members[a] {
                for &y in self.members[b].iter().filter(|&&y| a != b || y < x) {
                    let swapped = !by_size && x < y;
                    let ((later, a), (earlier, b)) =
                        if swapped { ((y, b), (x, a)) } else { ((x, a), (y, b)) };
                    let counts = Overlap { shared, a: self.size(a), b: self.size(b) };
                    pairs.push(ComparedPair { later, earlier, counts });
                }
            }
        };
        (0..self.members.len()).for_each(|set| add(set, set, self.size(set)));
        for edge in result.pairs.edges {
            add(order[edge.later.index()], order[edge.earlier.index()], edge.shared);
        }
        pairs.sort_unstable_by_key(|pair| (pair.later, pair.earlier));
        Ok(pairs)
    }

    /// Leader clustering: for each text that is removed the pair with its witness, the first kept
    /// text that it matches; `None` for a text that is kept.
    ///
    /// # Errors
    /// As [`ComparedTexts::pairs`].
    pub fn leaders(&self, criterion: Criterion) -> Result<Vec<Option<ComparedPair>>, JoinError> {
        let (order, result) = self.join(criterion, Linkage::Leaders, None)?;
        let mut witnesses = vec![None; self.texts];
        for ((&set, leader), shared) in order.iter().zip(result.leader).zip(result.shared) {
            let leader = order[leader.index()];
            let earlier = self.members[leader][0];
            let counts = Overlap { shared, a: self.size(set), b: self.size(leader) };
            for &later in self.members[set].iter().filter(|&&text| text != earlier) {
                witnesses[later] = Some(ComparedPair { later, earlier, counts });
            }
        }
        Ok(witnesses)
    }

    /// Connected components: for each text the first text of its component in precedence, which is
    /// the text itself if it matches none.
    ///
    /// # Errors
    /// As [`ComparedTexts::pairs`].
    pub fn components(&self, criterion: Criterion) -> Result<Vec<usize>, JoinError> {
        let (order, result) = self.join(criterion, Linkage::Components, None)?;
        let mut first: Vec<usize> = (0..self.texts).collect();
        for (&set, leader) in order.iter().zip(result.leader) {
            for &text in &self.members[set] {
                first[text] = self.members[order[leader.index()]][0];
            }
        }
        Ok(first)
    }

    fn set(&self, set: usize) -> &[u64] {
        &self.elements[self.offsets[set] as usize..self.offsets[set + 1] as usize]
    }

    fn size(&self, set: usize) -> u32 {
        self.set(set).len() as u32
    }

    /// Joins the sets. Returns them in order of precedence, as the result numbers them.
    fn join(
        &self,
        criterion: Criterion,
        linkage: Linkage,
        list_pairs: Option<u64>,
    ) -> Result<(Vec<usize>, JoinResult), JoinError> {
        let mut order: Vec<usize> = (0..self.members.len()).collect();
        let (mut offsets, mut elements) = (vec![0], Vec::new());
        let arrays = match criterion.measure {
            Measure::Containment => {
                order.sort_by_key(|&set| Reverse(self.size(set)));
                for &set in &order {
                    elements.extend_from_slice(self.set(set));
                    offsets.push(elements.len() as u64);
                }
                (&offsets, &elements)
            }
            _ => (&self.offsets, &self.elements),
        };
        let invalid = |error| JoinError::Source(Box::new(error));
        let sets = InMemorySets::new(arrays.0, arrays.1).map_err(invalid)?;
        let options = JoinOptions { list_pairs, ..JoinOptions::in_memory(linkage) };
        let result = join(&sets, criterion, &options, &Silent)?;
        Ok((order, result))
    }
}

/// Compares two texts: the features of `a`, of `b` and of both.
///
/// ```
/// use lookalike::texts::{FeatureKind, ShortDocuments, TextFeatures, compare};
///
/// let kind = FeatureKind::Shingles { size: 4, short: ShortDocuments::Whole };
/// let features = TextFeatures { kind, ..TextFeatures::default() };
/// let counts = compare("a rose is a rose is a rose", "a rose is a rose", &features);
/// assert_eq!((counts.shared, counts.a, counts.b), (2, 3, 2));
/// ```
#[must_use]
pub fn compare(a: &str, b: &str, features: &TextFeatures) -> Overlap {
    let (maker, mut buffers) = (SetMaker::new(features), Buffers::default());
    let mut set = |text| maker.set(text, &mut buffers).map_or_else(Vec::new, |(set, _)| set);
    let (a, b) = (set(a), set(b));
    Overlap { shared: overlap(&a, &b), a: a.len() as u32, b: b.len() as u32 }
}

/// Buffers of one thread.
type Buffers = (Scratch, FeatureScratch);

/// Makes the feature set of a text, as `engine`'s signer does.
struct SetMaker {
    analyzer: Analyzer,
    kind: FeatureKind,
}

impl SetMaker {
    fn new(features: &TextFeatures) -> Self {
        Self { analyzer: Analyzer::new(&features.analysis), kind: features.kind }
    }

    /// The features of a text, ascending, with their digest; `None` for white space.
    fn set(&self, text: &str, (scratch, features): &mut Buffers) -> Option<(Vec<u64>, SetDigest)> {
        // As in a file, a byte order mark is not part of the text.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        features.clear();
        self.analyzer.batches(text, scratch, |batch| match batch {
            Batch::Ranges(bytes, places) => features.push_all(bytes, places),
            Batch::Bytes(bytes) => features.push_bytes(bytes),
        });
        let sequence = match features.token_count() {
            0 => TokenDigest::without_words(text)?,
            _ => features.token_digest(),
        };
        let whole = [sequence.whole_text()];
        let (set, digest) = match features.features(self.kind) {
            Some(found) => found,
            None => (&whole[..], features::digest(&whole)?),
        };
        let mut set = set.to_vec();
        set.sort_unstable();
        features.free_large();
        Some((set, digest))
    }
}
