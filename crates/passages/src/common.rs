//! Stretches that a text has in common with other texts, which are looked at one at a time.
//!
//! The text is read once, to its k-grams that windows elect ([`anchors`](crate::anchors)). Equal windows elect
//! equal k-grams at equal offsets, so that each stretch of a window or more has a k-gram which both texts
//! elect at the same distance from its start: stretches grow out of these, to both sides.

use crate::anchors::AnchorScratch;
use crate::{Lengths, SectionUnits};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// A stretch of equal units in two texts, as long as it can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CommonStretch {
    /// Its first unit in the text.
    pub here: u32,
    /// Its first unit in the other text.
    pub there: u32,
    /// Number of units.
    pub units: u32,
}

/// A k-gram that a window of the text elects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Gram {
    key: u64,
    /// Units from the one before with the same key, if they overlap; else 0.
    step: u32,
    place: u32,
}

/// A text that is compared with others.
#[derive(Debug)]
pub struct CommonText {
    text: SectionUnits,
    lengths: Lengths,
    /// In ascending order.
    grams: Vec<Gram>,
}

/// Buffers for one comparison at a time, reused.
#[derive(Debug, Default)]
pub struct CommonScratch {
    anchors: AnchorScratch,
    steps: Steps,
    /// Where the stretches that were compared end in the other text, by the distance of there from here.
    ends: HashMap<i64, u32>,
}

/// Where a key was elected last.
#[derive(Debug, Default)]
struct Steps(HashMap<u64, u32>);

impl Steps {
    /// Units from the k-gram before with this key to this one, if they overlap; else 0.
    fn step(&mut self, key: u64, place: u32, lengths: Lengths) -> u32 {
        match self.0.entry(key) {
            Entry::Vacant(new) => {
                new.insert(place);
                0
            }
            Entry::Occupied(mut last) => {
                let step = place - last.insert(place);
                if step < lengths.gram() { step } else { 0 }
            }
        }
    }
}

impl CommonText {
    /// Reads a text. O(n log n) for n units.
    #[must_use]
    pub fn new(text: SectionUnits, lengths: Lengths) -> Self {
        let (mut grams, mut steps) = (Vec::new(), Steps::default());
        text.each_gram(lengths, &mut AnchorScratch::default(), |key, place| {
            grams.push(Gram { key, step: steps.step(key, place, lengths), place });
        });
        grams.sort_unstable();
        Self { text, lengths, grams }
    }

    /// The keys of its k-grams, ascending and distinct. A text that has a stretch in common with it elects one
    /// of them.
    #[must_use]
    pub fn keys(&self) -> Vec<u64> {
        let mut keys: Vec<u64> = self.grams.iter().map(|gram| gram.key).collect();
        keys.dedup();
        keys
    }

    /// Replaces the content of `found` by all stretches of a window or more that another text has in common
    /// with it, each as long as it can be, in ascending order.
    ///
    /// O(units of the other text + pairs of places at which both elect a k-gram + units of the stretches). Of
    /// periodic stretches, in which windows elect overlapping equal k-grams, pairs count that begin such a row
    /// in one text or the other.
    pub fn stretches(
        &self,
        other: &SectionUnits,
        scratch: &mut CommonScratch,
        found: &mut Vec<CommonStretch>,
    ) {
        found.clear();
        let CommonScratch { anchors, steps, ends } = scratch;
        steps.0.clear();
        ends.clear();
        other.each_gram(self.lengths, anchors, |key, there| {
            let same = self.with_key(key);
            if same.is_empty() {
                return;
            }
            let step = steps.step(key, there, self.lengths);
            for gram in same {
                // The pair of the k-grams before is of the same stretch: they overlap these.
                if gram.step == step && step != 0 {
                    continue;
                }
                let end = ends.entry(i64::from(there) - i64::from(gram.place)).or_default();
                // The stretch with these units is found already.
                if there < *end {
                    continue;
                }
                let stretch = self.stretch(other, gram.place, there);
                *end = (stretch.there + stretch.units).max(there + 1);
                if stretch.units >= self.lengths.window() {
                    found.push(stretch);
                }
            }
        });
        found.sort_unstable();
    }

    fn with_key(&self, key: u64) -> &[Gram] {
        let start = self.grams.partition_point(|gram| gram.key < key);
        let length = self.grams[start..].partition_point(|gram| gram.key == key);
        &self.grams[start..start + length]
    }

    /// The longest stretch of equal units around a unit of each text.
    fn stretch(&self, other: &SectionUnits, here: u32, there: u32) -> CommonStretch {
        let (here, there) = (here as usize, there as usize);
        let (own, its) = (self.text.section_of(here), other.section_of(there));
        let before = self.text.all()[own.start..here].iter().rev();
        let before = before.zip(other.all()[its.start..there].iter().rev());
        let before = before.take_while(|(a, b)| a == b).count();
        let after = self.text.all()[here..own.end].iter();
        let after = after.zip(&other.all()[there..its.end]).take_while(|(a, b)| a == b).count();
        CommonStretch {
            here: (here - before) as u32,
            there: (there - before) as u32,
            units: (before + after) as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(sections: &[Vec<u64>]) -> SectionUnits {
        let mut text = SectionUnits::default();
        sections.iter().for_each(|section| text.push(section));
        text
    }

    /// All pairs of places that begin a stretch, unit by unit.
    fn by_brute_force(a: &[Vec<u64>], b: &[Vec<u64>], window: usize) -> Vec<CommonStretch> {
        let (mut found, mut here) = (Vec::new(), 0);
        for a in a {
            let mut there = 0;
            for b in b {
                for i in 0..a.len() {
                    for j in 0..b.len() {
                        let begins = i == 0 || j == 0 || a[i - 1] != b[j - 1];
                        let units = a[i..].iter().zip(&b[j..]).take_while(|(a, b)| a == b).count();
                        if begins && units >= window {
                            let (here, there) = ((here + i) as u32, (there + j) as u32);
                            found.push(CommonStretch { here, there, units: units as u32 });
                        }
                    }
                }
                there += b.len();
            }
            here += a.len();
        }
        found.sort_unstable();
        found
    }

    fn sections(units: u64) -> impl Strategy<Value = Vec<Vec<u64>>> {
        prop::collection::vec(prop::collection::vec(0..units, 0..60), 1..4)
    }

    fn cases() -> impl Strategy<Value = (Vec<Vec<u64>>, Vec<Vec<u64>>)> {
        (1u64..5).prop_flat_map(|units| (sections(units), sections(units)))
    }

    proptest! {
        #[test]
        fn stretches_are_all_there_are(
            (a, b) in cases(),
            copied in 0usize..60,
            window in 1usize..14,
            gram in 1usize..14,
        ) {
            let mut b = b;
            // A stretch that is longer than random ones.
            let piece: Vec<u64> = a[0].iter().take(copied).copied().collect();
            b[0].extend(piece);
            let lengths = Lengths::new(window, gram.min(window)).unwrap();
            let text_a = CommonText::new(text(&a), lengths);
            let (mut scratch, mut found) = (CommonScratch::default(), Vec::new());
            text_a.stretches(&text(&b), &mut scratch, &mut found);
            prop_assert_eq!(&found, &by_brute_force(&a, &b, window));
            let mut keys = Vec::new();
            text(&b).each_gram(lengths, &mut AnchorScratch::default(), |key, _| keys.push(key));
            let shares = text_a.keys().iter().any(|key| keys.contains(key));
            prop_assert!(shares || found.is_empty());
            // Buffers of one comparison do not show in the next.
            text_a.stretches(&text(&[]), &mut scratch, &mut found);
            prop_assert!(found.is_empty());
        }
    }

    #[test]
    fn periodic_texts_are_few_pairs() {
        let lengths = Lengths::of_window(50).unwrap();
        let periodic = |units: usize| text(&[(0..units).map(|unit| (unit % 3) as u64).collect()]);
        let (units, mut found) = (3000, Vec::new());
        let own = CommonText::new(periodic(units), lengths);
        own.stretches(&periodic(units), &mut CommonScratch::default(), &mut found);
        // A stretch for each distance that is a multiple of the period.
        let distances = (units - 50) / 3 * 2 + 1;
        assert_eq!(found.len(), distances);
        let rows = own.grams.iter().filter(|gram| gram.step == 0).count();
        assert!(rows <= 3, "{rows}");
    }
}
