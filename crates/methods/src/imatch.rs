//! I-Match (Chowdhury et al. 2002) and its randomized lexicons (Kołcz & Chowdhury 2008).

use crate::About;

/// The methods of this family.
pub(crate) const METHODS: &[About] = &[];
