//! Numbers of documents, in order of precedence.

/// The documents that have a window. Those of the other collection take precedence, and then the order in
/// which they are read.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// Files and numbers of the records, in the order in which they are read: the other collection last.
    places: Vec<(u32, u32)>,
    /// How many are not of the other collection.
    own: usize,
    /// Whether each is fixed: it cannot be cut.
    fixed: Vec<bool>,
}

impl Numbers {
    /// Adds the next document, which may be such that it cannot be cut; returns its index in the order of
    /// reading.
    pub(super) fn add(&mut self, place: (u32, u32), is_own: bool, is_fixed: bool) -> u32 {
        self.places.push(place);
        self.fixed.push(is_fixed);
        self.own += usize::from(is_own);
        self.places.len() as u32 - 1
    }

    /// Number of documents of the other collection: the smallest numbers.
    pub(super) fn beside(&self) -> u32 {
        (self.places.len() - self.own) as u32
    }

    /// The number of the document at an index.
    pub(super) fn at(&self, index: u32) -> u32 {
        match index.checked_sub(self.own as u32) {
            Some(beside) => beside,
            None => self.beside() + index,
        }
    }

    /// The number of the document at a place among the records.
    ///
    /// # Panics
    /// With a record that has no window.
    pub(super) fn of(&self, place: (u32, u32)) -> u32 {
        self.at(self.places.binary_search(&place).expect("a document with a window") as u32)
    }

    /// The index of a document.
    fn index(&self, number: u32) -> usize {
        let own = number.checked_sub(self.beside());
        own.unwrap_or(self.own as u32 + number) as usize
    }

    /// Where a document stands among the records.
    pub(super) fn place(&self, number: u32) -> (u32, u32) {
        self.places[self.index(number)]
    }

    /// Whether a document stays as it is: it is of the other collection, or cannot be cut.
    pub(super) fn is_fixed(&self, number: u32) -> bool {
        number < self.beside() || self.fixed[self.index(number)]
    }

    /// The places of documents, ascending.
    pub(super) fn places_of(&self, numbers: impl Iterator<Item = u32>) -> Vec<(u32, u32)> {
        let mut places: Vec<(u32, u32)> = numbers.map(|number| self.place(number)).collect();
        places.sort_unstable();
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_collection_comes_first() {
        let mut numbers = Numbers::default();
        for (place, is_own) in [((0, 1), true), ((0, 4), true), ((1, 2), false), ((2, 1), false)] {
            numbers.add(place, is_own, place == (0, 4));
        }
        let of = |place| numbers.of(place);
        assert_eq!([of((1, 2)), of((2, 1)), of((0, 1)), of((0, 4))], [0, 1, 2, 3]);
        assert!((0..4).all(|number| of(numbers.place(number)) == number));
        assert_eq!([0, 1, 2, 3].map(|number| numbers.is_fixed(number)), [true, true, false, true]);
        assert_eq!(
            (numbers.beside(), numbers.places_of([0, 3].into_iter())),
            (2, vec![(0, 4), (1, 2)])
        );
    }
}
