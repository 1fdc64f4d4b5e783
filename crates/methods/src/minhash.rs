//! The min-hash family: slots, bands, 84 → 6 super shingles, megashingles, LSH on words.

use crate::About;

/// The methods of this family.
pub(crate) const METHODS: &[About] = &[];
