//! Simhash and its variants for specialized collections (Charikar; Manku; Seshasai 2009).

use crate::About;

/// The methods of this family.
pub(crate) const METHODS: &[About] = &[];
