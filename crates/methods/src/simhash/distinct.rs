//! The distinct features of a document, and the sum of what each of their occurrences weighs.

use crate::MethodScratch;

/// Sums the factors of equal tokens, into `features` and `values`.
#[inline]
pub(super) fn collect(tokens: &[u64], scratch: &mut MethodScratch, factor: impl Fn(usize) -> u64) {
    let MethodScratch { features, values, counts: slots, .. } = scratch;
    // Open addressing: a slot holds the index of a feature plus 1. There is one feature more than
    // can occur: an empty slot refers to it, for the next new feature.
    let capacity = (tokens.len() * 4).next_power_of_two();
    slots.clear();
    slots.resize(capacity, 0);
    features.clear();
    features.resize(tokens.len() + 1, 0);
    values.clear();
    values.resize(tokens.len() + 1, 0);
    let mut end = 0;
    for (at, &token) in tokens.iter().enumerate() {
        let mut slot = token as usize & (capacity - 1);
        // Whether a token is the first of its kind is unpredictable, and a misprediction costs more
        // than the rest of the loop: only a slot taken by another token, which is rare, is a
        // branch.
        features[end] = token;
        let mut number = place(slots[slot], end);
        while features[number] != token {
            slot = (slot + 1) & (capacity - 1);
            number = place(slots[slot], end);
        }
        values[number] = values[number].saturating_add(factor(at));
        slots[slot] = number as u32 + 1;
        end += usize::from(number == end);
    }
    features.truncate(end);
    values.truncate(end);
}

/// The index of the feature that a slot refers to.
#[inline]
fn place(slot: u32, end: usize) -> usize {
    if slot == 0 { end } else { slot as usize - 1 }
}
