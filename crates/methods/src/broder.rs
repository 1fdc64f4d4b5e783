//! Sketches by modulus, variable modulus and minimum, their estimators, and super shingles (Broder 1997).

use crate::About;

/// The methods of this family.
pub(crate) const METHODS: &[About] = &[];
