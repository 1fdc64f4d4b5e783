//! Broder 1997: sketches by modulus, by variable modulus and by minimum, what they estimate, super
//! shingles, and documents that are equal outright.
//!
//! In: the tokens of a document, whose shingles are its set `S(D, w)` ([`shingling`]). Out: a sample of
//! that set. The shingle fingerprints stand for the random permutation π of the paper: they are spread
//! evenly over 64 bits, so "smallest" and "0 mod m" pick shingles at random, and the same ones in every
//! document.

pub mod equivalence;
pub mod estimate;
pub mod minimum;
pub mod modulus;
pub(crate) mod parameters;
#[cfg(test)]
pub(crate) mod planted;
pub mod policy;
pub mod shingling;
pub mod super_shingle;
pub mod variable_modulus;

pub use estimate::Estimate;
pub use modulus::Selection;
pub use policy::Policy;
pub use shingling::Shingling;

use crate::About;

/// The methods of this family.
pub(crate) const METHODS: &[About] = &[
    equivalence::LEXICAL,
    equivalence::SHINGLE_EQUIVALENT,
    modulus::ABOUT,
    variable_modulus::ABOUT,
    minimum::ABOUT,
    super_shingle::ABOUT,
];

#[cfg(test)]
mod tests {
    use crate::{MethodSpec, build, methods};

    /// What the help says of a default is what one gets: writing every default out changes nothing.
    #[test]
    fn defaults_are_as_written() {
        let families = [super::METHODS, crate::minhash::METHODS].concat();
        for about in &families {
            let text: Vec<String> = about
                .parameters
                .iter()
                .map(|parameter| format!("{}={}", parameter.name, parameter.default))
                .filter(|text| !text.ends_with('='))
                .collect();
            let plain: MethodSpec = about.name.parse().unwrap();
            let spelt: MethodSpec = format!("{}:{}", about.name, text.join(",")).parse().unwrap();
            let plain = build(&plain, None).unwrap();
            let spelt = build(&spelt, None).unwrap();
            assert_eq!(format!("{plain:?}"), format!("{spelt:?}"), "{}", about.name);
        }
        let names: std::collections::BTreeSet<&str> = methods().map(|about| about.name).collect();
        assert_eq!(names.len(), methods().count());
    }
}
