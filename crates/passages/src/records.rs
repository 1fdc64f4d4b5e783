//! What the search finds as records of 32-bit numbers, from anchors to cuts and near passages, for files and
//! messages.

use crate::classes::Piece;
use crate::near::{NearPassage, Seed};
use crate::questions::Question;
use crate::{Anchor, Cut, Place, Run};

/// A value that is a record of `N` numbers.
pub trait Record<const N: usize>: Sized {
    /// The numbers.
    fn to_record(&self) -> [u32; N];

    /// The value with these numbers.
    fn of_record(record: [u32; N]) -> Self;
}

fn place(document: u32, unit: u32) -> Place {
    Place { document, unit }
}

fn long(low: u32, top: u32) -> u64 {
    u64::from(low) | u64::from(top) << 32
}

impl Record<7> for Anchor {
    fn to_record(&self) -> [u32; 7] {
        let Self { key, context, place, windows, offset } = *self;
        [
            key as u32,
            (key >> 32) as u32,
            context as u32,
            (context >> 32) as u32,
            place.document,
            place.unit,
            u32::from(windows) | u32::from(offset) << 16,
        ]
    }

    fn of_record([key, key_top, context, context_top, document, unit, lengths]: [u32; 7]) -> Self {
        Self {
            key: long(key, key_top),
            context: long(context, context_top),
            place: place(document, unit),
            windows: lengths as u16,
            offset: (lengths >> 16) as u16,
        }
    }
}

impl Record<6> for Piece {
    fn to_record(&self) -> [u32; 6] {
        let Self { at, windows, first, copies } = *self;
        [at.document, at.unit, windows, first.document, first.unit, copies]
    }

    fn of_record([document, unit, windows, first, first_unit, copies]: [u32; 6]) -> Self {
        Self { at: place(document, unit), windows, first: place(first, first_unit), copies }
    }
}

impl Record<3> for Question {
    fn to_record(&self) -> [u32; 3] {
        let Self { place, windows, part } = *self;
        [place.document, place.unit, u32::from(windows) | u32::from(part) << 16]
    }

    fn of_record([document, unit, numbers]: [u32; 3]) -> Self {
        let (windows, part) = (numbers as u16, (numbers >> 16) as u16);
        Self { place: place(document, unit), windows, part }
    }
}

impl Record<7> for Run {
    fn to_record(&self) -> [u32; 7] {
        let Self { at, windows, first, copies: [least, most] } = *self;
        [at.document, at.unit, windows, first.document, first.unit, least, most]
    }

    fn of_record([document, unit, windows, first, first_unit, least, most]: [u32; 7]) -> Self {
        let (at, first) = (place(document, unit), place(first, first_unit));
        Self { at, windows, first, copies: [least, most] }
    }
}

impl Record<5> for Cut {
    fn to_record(&self) -> [u32; 5] {
        let Self { at, units, witness } = *self;
        [at.document, at.unit, units, witness.document, witness.unit]
    }

    fn of_record([document, unit, units, witness, witness_unit]: [u32; 5]) -> Self {
        Self { at: place(document, unit), units, witness: place(witness, witness_unit) }
    }
}

impl Record<5> for Seed {
    fn to_record(&self) -> [u32; 5] {
        let Self { documents: [later, earlier], starts: [start, other], units } = *self;
        [later, earlier, start, other, units]
    }

    fn of_record([later, earlier, start, other, units]: [u32; 5]) -> Self {
        Self { documents: [later, earlier], starts: [start, other], units }
    }
}

impl Record<7> for NearPassage {
    fn to_record(&self) -> [u32; 7] {
        let Self { places: [at, first], units: [units, other], same } = *self;
        [at.document, at.unit, units, first.document, first.unit, other, same]
    }

    fn of_record([document, unit, units, first, first_unit, other, same]: [u32; 7]) -> Self {
        let places = [place(document, unit), place(first, first_unit)];
        Self { places, units: [units, other], same }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn is_whole<const N: usize, R: Record<N>>(record: [u32; N]) -> bool {
        R::of_record(record).to_record() == record
    }

    proptest! {
        #[test]
        fn all_of_a_record_comes_back(numbers in any::<[u32; 7]>()) {
            let [a, b, c, d, e, f, _] = numbers;
            prop_assert!(is_whole::<7, Anchor>(numbers) && is_whole::<7, Run>(numbers));
            prop_assert!(is_whole::<7, NearPassage>(numbers));
            prop_assert!(is_whole::<6, Piece>([a, b, c, d, e, f]));
            prop_assert!(is_whole::<5, Cut>([a, b, c, d, e]) && is_whole::<5, Seed>([a, b, c, d, e]));
            prop_assert!(is_whole::<3, Question>([a, b, c]));
        }
    }
}
