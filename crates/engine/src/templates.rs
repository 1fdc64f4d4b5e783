//! The boilerplate of each document: what complete documents have besides their remaining sets.
//!
//! A template alone makes no match. Where a good part of the remaining sets is the same, it is
//! evidence as well: so versions of a short page are found ([`Templates::is_match`]).

use crate::collection::{DocumentId, SetRef};
use crate::units::size_at;
use crate::{Collection, EngineError, Units};
use lookalike_core::{Overlap, overlap};
use lookalike_join::{Criterion, Edge};

/// The number of a document without boilerplate.
const NONE: u32 = u32::MAX;

/// The boilerplate of each document of a collection.
#[derive(Debug)]
pub struct Templates {
    /// Number of the boilerplate of each document among the distinct ones.
    of_document: Vec<u32>,
    sizes: Vec<u32>,
    sets: Sets,
}

/// The distinct sets of boilerplate.
#[derive(Debug)]
enum Sets {
    /// Each ascending, one after the other, with the start of each.
    Held { elements: Vec<u64>, starts: Vec<usize> },
    /// More than the memory for them.
    Stored { collection: Box<Collection>, places: Vec<SetRef> },
}

impl Templates {
    /// Takes the documents of a collection that was read with
    /// [`Signer::of_boilerplate`](crate::Signer::of_boilerplate). The sets are held in memory if
    /// they take at most `memory` bytes; besides, 4 bytes for each document.
    ///
    /// # Errors
    /// A chunk on disk that cannot be read.
    pub fn new(collection: Collection, memory: u64) -> Result<Self, EngineError> {
        let mut places: Vec<SetRef> = Vec::new();
        collection.for_each(|_, document| places.extend(document.set.ok()))?;
        let key = |place: &SetRef| (place.chunk, place.index);
        places.sort_unstable_by_key(key);
        places.dedup_by_key(|place| key(place));
        let mut of_document = Vec::with_capacity(collection.len() as usize);
        collection.for_each(|_, document| {
            let number = |place| places.partition_point(|other| key(other) < key(&place)) as u32;
            of_document.push(document.set.map_or(NONE, number));
        })?;
        let sizes: Vec<u32> = places.iter().map(|&place| size_at(&collection, place)).collect();
        let total: u64 = sizes.iter().map(|&size| u64::from(size)).sum();
        if total * size_of::<u64>() as u64 > memory {
            return Ok(Self {
                of_document,
                sizes,
                sets: Sets::Stored { collection: Box::new(collection), places },
            });
        }
        let (mut elements, mut starts) = (Vec::with_capacity(total as usize), vec![0]);
        let (mut words, mut set) = (Vec::new(), Vec::new());
        for place in places {
            collection.sorted_set(place, &mut words, &mut set)?;
            elements.extend_from_slice(&set);
            starts.push(elements.len());
        }
        Ok(Self { of_document, sizes, sets: Sets::Held { elements, starts } })
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
        let [x, y] = [a, b].map(|document| self.of_document[document.index()]);
        let size = |number: u32| self.sizes.get(number as usize).copied().unwrap_or(0);
        let shared = match (x, y) {
            (NONE, _) | (_, NONE) => 0,
            (x, y) if x == y => size(x),
            (x, y) => match &self.sets {
                Sets::Held { elements, starts } => {
                    let set = |at: u32| &elements[starts[at as usize]..starts[at as usize + 1]];
                    overlap(set(x), set(y))
                }
                Sets::Stored { collection, places } => {
                    let (mut words, mut set_x, mut set_y) = (Vec::new(), Vec::new(), Vec::new());
                    collection.sorted_set(places[x as usize], &mut words, &mut set_x)?;
                    collection.sorted_set(places[y as usize], &mut words, &mut set_y)?;
                    overlap(&set_x, &set_y)
                }
            },
        };
        let Overlap { shared: own, a, b } = remaining;
        Ok(Overlap { shared: own + shared, a: a + size(x), b: b + size(y) })
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
