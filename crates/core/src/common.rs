//! A frozen set of common elements (Broder 1997, "Common shingles"), to be removed from feature
//! sets.

use crate::features::digest;

/// Elements that occur in more than a given number of distinct feature sets.
///
/// Sorted, with a directory by leading bits: elements are fingerprints, hence uniform, so a lookup
/// reads one directory entry and about two elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommonElements {
    elements: Vec<u64>,
    /// Start of the elements with each value of the leading bits; one entry more at the end.
    directory: Vec<usize>,
    shift: u32,
}

impl CommonElements {
    /// Takes distinct elements in any order. O(n log n).
    ///
    /// ```
    /// use lookalike_core::CommonElements;
    ///
    /// let common = CommonElements::new(vec![7, 1 << 63, 3]);
    /// assert!(common.contains(3) && common.contains(1 << 63) && !common.contains(4));
    /// ```
    #[must_use]
    pub fn new(mut elements: Vec<u64>) -> Self {
        elements.sort_unstable();
        elements.dedup();
        let bits = elements.len().max(2).ilog2();
        let shift = u64::BITS - bits;
        let mut directory = vec![0usize; (1 << bits) + 1];
        for element in &elements {
            directory[(element >> shift) as usize + 1] += 1;
        }
        for entry in 1..directory.len() {
            directory[entry] += directory[entry - 1];
        }
        Self { elements, directory, shift }
    }

    /// Whether an element is common.
    #[inline]
    #[must_use]
    pub fn contains(&self, element: u64) -> bool {
        let entry = (element >> self.shift) as usize;
        let near = &self.elements[self.directory[entry]..self.directory[entry + 1]];
        near.binary_search(&element).is_ok()
    }

    /// Removes the common elements from a set; keeps the order of the others.
    pub fn remove_from(&self, set: &mut Vec<u64>) {
        set.retain(|&element| !self.contains(element));
    }

    /// The elements, ascending.
    #[must_use]
    pub fn elements(&self) -> &[u64] {
        &self.elements
    }

    /// Digest of the common elements.
    #[must_use]
    pub fn checksum(&self) -> u128 {
        digest(&self.elements).map_or(0, |digest| digest.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn exactly_the_common_elements_are_removed(
            common in prop::collection::vec(prop_oneof![any::<u64>(), 0u64..50], 0..200),
            others in prop::collection::vec(prop_oneof![any::<u64>(), 0u64..50], 0..100),
        ) {
            let elements = CommonElements::new(common.clone());
            prop_assert!(common.iter().all(|&element| elements.contains(element)));
            let mut set = [others.as_slice(), &common].concat();
            let left: Vec<u64> = set.iter().copied().filter(|element| !common.contains(element)).collect();
            elements.remove_from(&mut set);
            prop_assert_eq!(set, left);
        }
    }
}
