//! Numbers of documents, in order of precedence.

use lookalike_cluster::KeepRule;
use lookalike_engine::Valueless;
use lookalike_spill::{Decoder, Encoder};
use std::io::{self, Read, Write};
use std::ops::Range;

/// The documents that have a window, in the order in which they are read.
#[derive(Debug, Default)]
pub(super) struct ReadDocuments {
    /// Files and numbers of the records: the other collection last.
    places: Vec<(u32, u32)>,
    /// How many are not of the other collection.
    own: usize,
    /// Whether each is fixed: it cannot be cut.
    fixed: Vec<bool>,
    /// For each the values of the keep rules.
    values: Vec<f64>,
    /// Whether each is left out.
    left_out: Vec<bool>,
}

/// The number of documents that are left out.
const LEFT_OUT: u32 = u32::MAX;

/// A document that is read.
#[derive(Debug, Clone)]
pub(super) struct ReadDocument {
    /// It cannot be cut.
    pub(super) is_fixed: bool,
    /// Of the keep rules.
    pub(super) values: Vec<f64>,
}

impl ReadDocuments {
    /// Adds the next document; returns its index.
    pub(super) fn add(&mut self, place: (u32, u32), is_own: bool, document: &ReadDocument) -> u32 {
        self.places.push(place);
        self.fixed.push(document.is_fixed);
        self.values.extend_from_slice(&document.values);
        self.left_out.push(false);
        self.own += usize::from(is_own);
        self.places.len() as u32 - 1
    }

    /// Leaves out the documents at these places: they get no number.
    pub(super) fn leave_out(&mut self, places: &[(u32, u32)]) {
        for index in places.iter().filter_map(|place| self.places.binary_search(place).ok()) {
            self.left_out[index] = true;
        }
    }

    /// Writes them, none left out, for a run that is resumed.
    ///
    /// # Errors
    /// The error of the writer.
    pub(super) fn write(&self, out: &mut Encoder<impl Write>) -> io::Result<()> {
        let places = self.places.iter().flat_map(|&(file, record)| [file, record]);
        out.array(&places.collect::<Vec<u32>>())?;
        out.numbers(&[self.own as u64])?;
        out.array(&self.fixed.iter().map(|&fixed| fixed.into()).collect::<Vec<u8>>())?;
        out.array(&self.values)
    }

    /// Reads what [`ReadDocuments::write`] wrote, each array at most `most` bytes long.
    ///
    /// # Errors
    /// The error of the reader.
    pub(super) fn restore(from: &mut Decoder<impl Read>, most: u64) -> io::Result<Self> {
        let places = from.array::<u32>(most)?;
        Ok(Self {
            left_out: vec![false; places.len() / 2],
            places: places.as_chunks().0.iter().map(|&[file, record]| (file, record)).collect(),
            own: from.number::<u64>()? as usize,
            fixed: from.array::<u8>(most)?.into_iter().map(|fixed| fixed != 0).collect(),
            values: from.array(most)?,
        })
    }

    /// How many documents have no value, for each of the rules.
    pub(super) fn valueless(&self, rules: usize) -> Vec<Valueless> {
        let kept = || self.values.chunks(rules).zip(&self.left_out).filter(|of| !of.1);
        let of_rule = |rule: usize| kept().map(move |(values, _)| &values[rule]);
        (0..rules).map(|rule| Valueless::count(of_rule(rule))).collect()
    }

    /// Their numbers: those of the other collection take precedence, then the rules decide, and then the
    /// order in which they are read. O(n log n).
    pub(super) fn by_precedence(self, rules: &[KeepRule]) -> Numbers {
        let Self { places, own, fixed, values, left_out } = self;
        let keys = |index: u32| {
            let values = &values[index as usize * rules.len()..][..rules.len()];
            rules.iter().zip(values).map(move |(rule, &value)| match rule.is_by_order() {
                true => rule.key(index.into()),
                false => rule.key(value),
            })
        };
        let kept = |indices: Range<usize>| {
            let kept = indices.filter(|&index| !left_out[index]);
            kept.map(|index| index as u32).collect::<Vec<u32>>()
        };
        let mut indices = kept(own..places.len());
        let beside = indices.len();
        indices.extend(kept(0..own));
        let by_rules = |a: &u32, b: &u32| keys(*a).cmp(keys(*b)).then(a.cmp(b));
        indices[..beside].sort_unstable_by(by_rules);
        indices[beside..].sort_unstable_by(by_rules);
        let mut numbers = vec![LEFT_OUT; places.len()];
        for (number, &index) in (0..).zip(&indices) {
            numbers[index as usize] = number;
        }
        Numbers { places, fixed, beside: beside as u32, indices, numbers }
    }
}

/// The documents that have a window, numbered.
#[derive(Debug)]
pub(super) struct Numbers {
    /// Files and numbers of the records, in the order in which they are read.
    places: Vec<(u32, u32)>,
    fixed: Vec<bool>,
    /// Number of documents of the other collection: the smallest numbers.
    beside: u32,
    /// By number, the index in the order of reading; and the other way round, [`LEFT_OUT`] for some.
    indices: Vec<u32>,
    numbers: Vec<u32>,
}

impl Numbers {
    /// Number of documents.
    pub(super) fn count(&self) -> u32 {
        self.indices.len() as u32
    }

    /// Number of documents of the other collection: the smallest numbers.
    pub(super) fn beside(&self) -> u32 {
        self.beside
    }

    /// The number of the document at an index, unless that is left out.
    pub(super) fn at(&self, index: u32) -> Option<u32> {
        Some(self.numbers[index as usize]).filter(|&number| number != LEFT_OUT)
    }

    /// The number of the document at a place among the records.
    ///
    /// # Panics
    /// With a record that has no window.
    pub(super) fn of(&self, place: (u32, u32)) -> u32 {
        self.find(place).expect("a document with a window")
    }

    /// The number of the document at a place among the records, if it has a window.
    pub(super) fn find(&self, place: (u32, u32)) -> Option<u32> {
        self.places.binary_search(&place).ok().and_then(|index| self.at(index as u32))
    }

    fn index(&self, number: u32) -> usize {
        self.indices[number as usize] as usize
    }

    /// Where a document stands among the records.
    pub(super) fn place(&self, number: u32) -> (u32, u32) {
        self.places[self.index(number)]
    }

    /// Whether a document stays as it is: it is of the other collection, or cannot be cut.
    pub(super) fn is_fixed(&self, number: u32) -> bool {
        number < self.beside || self.fixed[self.index(number)]
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

    fn read(documents: &[((u32, u32), bool, &[f64])]) -> ReadDocuments {
        let mut read = ReadDocuments::default();
        for &(place, is_own, values) in documents {
            let document = ReadDocument { is_fixed: place == (0, 4), values: values.to_vec() };
            read.add(place, is_own, &document);
        }
        read
    }

    #[test]
    fn documents_come_back_from_a_checkpoint() {
        let rules: Vec<KeepRule> = vec!["longest".parse().unwrap()];
        let read =
            read(&[((0, 1), true, &[5.0]), ((0, 4), true, &[f64::NAN]), ((3, 1), false, &[-0.5])]);
        let mut written = Vec::new();
        read.write(&mut Encoder(&mut written)).unwrap();
        let most = written.len() as u64;
        let restored = ReadDocuments::restore(&mut Decoder(&mut &written[..]), most).unwrap();
        assert_eq!(format!("{restored:?}"), format!("{read:?}"));
        let [one, other] = [read, restored].map(|read| read.by_precedence(&rules));
        assert_eq!(format!("{one:?}"), format!("{other:?}"));
        for cut in 0..written.len() {
            assert!(ReadDocuments::restore(&mut Decoder(&mut &written[..cut]), most).is_err());
        }
    }

    #[test]
    fn the_other_collection_comes_first() {
        let documents: [_; 4] = [((0, 1), true), ((0, 4), true), ((1, 2), false), ((2, 1), false)]
            .map(|(at, own)| (at, own, &[][..]));
        let numbers = read(&documents).by_precedence(&[]);
        let of = |place| numbers.of(place);
        assert_eq!([of((1, 2)), of((2, 1)), of((0, 1)), of((0, 4))], [0, 1, 2, 3]);
        assert!((0..4).all(|number| of(numbers.place(number)) == number));
        assert_eq!([0, 1, 2, 3].map(|number| numbers.is_fixed(number)), [true, true, false, true]);
        assert_eq!(
            (numbers.beside(), numbers.places_of([0, 3].into_iter())),
            (2, vec![(0, 4), (1, 2)])
        );
    }

    #[test]
    fn documents_that_are_left_out_have_no_number() {
        let rules: Vec<KeepRule> = vec!["longest".parse().unwrap()];
        let mut read = read(&[
            ((0, 1), true, &[5.0]),
            ((0, 2), true, &[f64::NAN]),
            ((0, 3), true, &[7.0]),
            ((0, 4), true, &[9.0]),
            ((1, 1), false, &[f64::NAN]),
        ]);
        // Some of them have no window.
        read.leave_out(&[(0, 0), (0, 2), (0, 4), (0, 5)]);
        assert_eq!(read.valueless(1)[0], Valueless { documents: 3, missing: 1, unreadable: 0 });
        let numbers = read.by_precedence(&rules);
        assert_eq!((numbers.count(), numbers.beside()), (3, 1));
        assert_eq!(
            [0, 1, 2, 3, 4].map(|at| numbers.at(at)),
            [Some(2), None, Some(1), None, Some(0)]
        );
        assert_eq!([0, 1, 2].map(|number| numbers.place(number)), [(1, 1), (0, 3), (0, 1)]);
        assert_eq!((numbers.find((0, 4)), numbers.find((0, 3))), (None, Some(1)));
        assert!(numbers.is_fixed(0) && !numbers.is_fixed(1));
    }

    #[test]
    fn rules_by_order_leave_no_ties() {
        let of = |rules: [&str; 2]| {
            let rules = rules.map(|rule| rule.parse().unwrap());
            let read = read(&[
                ((0, 1), true, &[7.0, 0.0]),
                ((0, 2), true, &[5.0, 0.0]),
                ((0, 3), true, &[5.0, 0.0]),
                ((1, 1), false, &[1.0, 0.0]),
                ((1, 2), false, &[1.0, 0.0]),
            ]);
            let numbers = read.by_precedence(&rules);
            (0..5).map(|number| numbers.place(number)).collect::<Vec<_>>()
        };
        assert_eq!(of(["shortest", "last"]), [(1, 2), (1, 1), (0, 3), (0, 2), (0, 1)]);
        assert_eq!(of(["longest", "last"]), [(1, 2), (1, 1), (0, 1), (0, 3), (0, 2)]);
        assert_eq!(of(["first", "last"]), [(1, 1), (1, 2), (0, 1), (0, 2), (0, 3)]);
    }

    #[test]
    fn rules_decide_within_each_collection() {
        let rules: Vec<KeepRule> =
            ["longest", "max:score"].map(|rule| rule.parse().unwrap()).to_vec();
        let read = read(&[
            ((0, 1), true, &[5.0, 1.0]),
            ((0, 2), true, &[7.0, f64::NAN]),
            ((0, 3), true, &[7.0, 2.0]),
            ((0, 4), true, &[5.0, 1.0]),
            ((1, 1), false, &[1.0, 0.0]),
        ]);
        let missing: Vec<u64> = read.valueless(2).iter().map(|of| of.missing).collect();
        assert_eq!(missing, [0, 1]);
        let numbers = read.by_precedence(&rules);
        let order: Vec<(u32, u32)> = (0..5).map(|number| numbers.place(number)).collect();
        assert_eq!(order, [(1, 1), (0, 3), (0, 2), (0, 1), (0, 4)]);
        assert!((0..5).all(|number| numbers.of(numbers.place(number)) == number));
    }
}
