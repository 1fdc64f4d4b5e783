//! The boilerplate of each document: what complete documents have besides their remaining sets.
//!
//! A template alone makes no match. Where a good part of the remaining sets is the same, it is
//! evidence as well: so versions of a short page are found ([`Templates::is_match`]).

use crate::collection::DocumentId;
use crate::document_sets::DocumentSets;
use crate::{Collection, EngineError, Units};
use lookalike_core::Overlap;
use lookalike_join::{Criterion, Edge};

/// The boilerplate of each document of a collection.
#[derive(Debug)]
pub struct Templates(DocumentSets);

impl Templates {
    /// Takes the documents of a collection that was read with
    /// [`Signer::of_boilerplate`](crate::Signer::of_boilerplate). The sets are held in memory if
    /// they take at most `memory` bytes; besides, 4 bytes for each document.
    ///
    /// # Errors
    /// A chunk on disk that cannot be read.
    pub fn new(collection: Collection, memory: u64) -> Result<Self, EngineError> {
        DocumentSets::new(collection, memory).map(Self)
    }

    /// Number of elements that were removed from the set of a document.
    #[must_use]
    pub fn size(&self, document: DocumentId) -> u32 {
        self.0.size(document)
    }

    /// The counts of two complete documents, from those of their remaining sets. O(size of their
    /// boilerplate), O(1) if it is the same.
    ///
    /// # Errors
    /// A set on disk that cannot be read.
    pub fn complete(
        &self,
        remaining: Overlap,
        a: DocumentId,
        b: DocumentId,
    ) -> Result<Overlap, EngineError> {
        let Overlap { shared, a: own_a, b: own_b } = remaining;
        let shared = shared + self.0.shared(a, b)?;
        Ok(Overlap { shared, a: own_a + self.0.size(a), b: own_b + self.0.size(b) })
    }

    /// Whether two sets whose remaining parts reach [`MatchSettings::join_criterion`](
    /// crate::MatchSettings::join_criterion) match: if these or the complete sets reach the
    /// threshold.
    ///
    /// # Errors
    /// A set on disk that cannot be read.
    pub fn is_match(
        &self,
        criterion: Criterion,
        units: &Units,
        edge: Edge,
    ) -> Result<bool, EngineError> {
        let Edge { later, earlier, shared } = edge;
        let remaining = Overlap { shared, a: units.size(later), b: units.size(earlier) };
        if criterion.reaches(remaining) {
            return Ok(true);
        }
        // Documents of a unit have equal complete sets, or the same words.
        let [later, earlier] = [later, earlier].map(|unit| units.members(unit)[0]);
        let complete = self.complete(remaining, later, earlier)?;
        Ok(complete_reaches(criterion, remaining, complete))
    }
}

/// Whether two complete documents reach the threshold.
///
/// Containment is that of the one with fewer remaining elements, the first; where both have as
/// many, of the one with fewer elements in all, whichever is first.
#[must_use]
pub fn complete_reaches(criterion: Criterion, remaining: Overlap, complete: Overlap) -> bool {
    let swaps = remaining.a == remaining.b && complete.a > complete.b;
    criterion.reaches(if swaps { complete.swapped() } else { complete })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_core::Measure;

    #[test]
    fn containment_of_complete_documents_does_not_depend_on_their_order() {
        let threshold = "0.9".parse().unwrap();
        let criterion = Criterion { measure: Measure::Containment, threshold };
        let complete = Overlap { shared: 101, a: 111, b: 141 };
        let remaining = |a, b| Overlap { shared: 22, a, b };
        for (complete, remaining, reaches) in [
            (complete, remaining(26, 26), true),
            (complete.swapped(), remaining(26, 26), true),
            (complete, remaining(25, 26), true),
            (complete.swapped(), remaining(25, 26), false),
        ] {
            assert_eq!(complete_reaches(criterion, remaining, complete), reaches);
        }
    }
}
