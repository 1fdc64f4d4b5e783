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
    use super::planted::{Random, meet, method, sign};
    use crate::{Document, Evidence, MethodSpec, Scratch, Signature, build, methods};

    /// Documents of few and of many tokens, with and without repetitions, some of them alike.
    fn documents() -> Vec<Vec<u64>> {
        let mut random = Random(15);
        let mut all = vec![vec![]];
        for length in [1, 3, 9, 10, 11, 40, 300, 2000] {
            let tokens = random.values(length);
            let mut edited = tokens.clone();
            edited[length / 2] = random.next();
            let repeated = tokens.iter().map(|token| token % 7 + 1).collect();
            all.extend([[tokens.as_slice(), &edited].concat(), tokens, edited, repeated]);
        }
        all
    }

    /// Buffers keep nothing of the document before, and what they hold is a function of the document.
    #[test]
    fn a_signature_depends_on_its_document_alone() {
        for about in [super::METHODS, crate::minhash::METHODS].concat() {
            let method = method(about.name);
            let (mut scratch, mut out) = (Scratch::default(), Signature::default());
            for tokens in documents() {
                out.clear();
                let document = Document { tokens: &tokens, ..Document::default() };
                let reused = method.sign(&document, &mut scratch, &mut out).map(|()| out.clone());
                assert_eq!(reused, sign(&*method, &tokens), "{}", about.name);
            }
        }
    }

    /// Copies match, comparing is symmetric, and where the keys are all of the method, whoever is accepted meets.
    #[test]
    fn copies_match_from_both_sides() {
        let documents = documents();
        for about in [super::METHODS, crate::minhash::METHODS].concat() {
            let method = method(about.name);
            let complete = about.name.starts_with("dsc") || about.name == "super-shingles-84";
            let signed: Vec<Signature> =
                documents.iter().filter_map(|tokens| sign(&*method, tokens).ok()).collect();
            assert!(signed.len() > 3, "{}", about.name);
            for a in &signed {
                assert!(meet(a, a) && method.accepts(method.compare(a.as_sketch(), a.as_sketch())));
                for b in &signed {
                    let there = method.compare(a.as_sketch(), b.as_sketch());
                    let back = match method.compare(b.as_sketch(), a.as_sketch()) {
                        Evidence::Sampled(counts) => Evidence::Sampled(counts.swapped()),
                        other => other,
                    };
                    assert_eq!(there, back, "{}", about.name);
                    let accepted = method.accepts(there) && there != Evidence::SameKey;
                    assert!(!(complete && accepted) || meet(a, b), "{}", about.name);
                }
            }
        }
    }

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
