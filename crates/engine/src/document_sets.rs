//! A second set of each document of a collection, looked up for pairs that a join finds.

use crate::collection::{DocumentId, SetRef};
use crate::units::size_at;
use crate::{Collection, EngineError};
use lookalike_core::overlap;

/// The number of a document without a set.
const NONE: u32 = u32::MAX;

/// The sets of a collection, by document.
#[derive(Debug)]
pub(crate) struct DocumentSets {
    /// Number of the set of each document among the distinct ones.
    of_document: Vec<u32>,
    sizes: Vec<u32>,
    sets: Sets,
}

#[derive(Debug)]
enum Sets {
    /// Each ascending, one after the other, with the start of each.
    Held { elements: Vec<u64>, starts: Vec<usize> },
    /// More than the memory for them.
    Stored { collection: Box<Collection>, places: Vec<SetRef> },
}

impl DocumentSets {
    /// Takes the sets of a collection. They are held in memory if they take at most `memory` bytes;
    /// besides, 4 bytes for each document.
    ///
    /// # Errors
    /// A chunk on disk that cannot be read.
    pub(crate) fn new(collection: Collection, memory: u64) -> Result<Self, EngineError> {
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
            let sets = Sets::Stored { collection: Box::new(collection), places };
            return Ok(Self { of_document, sizes, sets });
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

    /// Number of elements of the set of a document.
    pub(crate) fn size(&self, document: DocumentId) -> u32 {
        let number = self.of_document[document.index()];
        self.sizes.get(number as usize).copied().unwrap_or(0)
    }

    /// Number of elements that the sets of two documents have in common. O(size), O(1) if it is one
    /// set.
    ///
    /// # Errors
    /// A set on disk that cannot be read.
    pub(crate) fn shared(&self, a: DocumentId, b: DocumentId) -> Result<u32, EngineError> {
        let [x, y] = [a, b].map(|document| self.of_document[document.index()]);
        Ok(match &self.sets {
            _ if x == NONE || y == NONE => 0,
            _ if x == y => self.size(a),
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
        })
    }
}
