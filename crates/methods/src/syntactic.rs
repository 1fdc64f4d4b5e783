//! One hash of the filtered distinct tokens (Chowdhury et al. 2002, section 4.2, Table II).

use crate::About;

/// The methods of this family.
pub(crate) const METHODS: &[About] = &[];
