//! Broder 1997: sketches by modulus, by variable modulus and by minimum, estimates from them, super
//! shingles, and equality of documents.
//!
//! A sketch is a sample of the set `S(D, w)` of a document's shingles ([`shingling`]). Shingle
//! fingerprints take the role of the paper's random permutation π: they are uniform over 64 bits,
//! so "smallest" and "0 mod m" select shingles at random, and the same ones in every document.

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
    use super::planted::{Random, meet, method, sign, tokens};
    use crate::{Document, Evidence, MethodScratch, MethodSpec, Signature, build, methods};
    use lookalike_core::fingerprint;

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

    /// Buffers retain nothing of the previous document; their content is a function of the current
    /// one.
    #[test]
    fn a_signature_depends_on_its_document_alone() {
        for about in [super::METHODS, crate::minhash::METHODS].concat() {
            let method = method(about.name);
            let (mut scratch, mut out) = (MethodScratch::default(), Signature::default());
            for tokens in documents() {
                out.clear();
                let document = Document { tokens: &tokens, ..Document::default() };
                let reused = method.sign(&document, &mut scratch, &mut out).map(|()| out.clone());
                assert_eq!(reused, sign(&*method, &tokens), "{}", about.name);
            }
        }
    }

    /// Copies match, comparison is symmetric, and every accepted pair has a common key (for methods
    /// that find all pairs by keys).
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

    /// Signatures are stored in files: they may change only together with the name of the hashes
    /// ([`lookalike_core::HASH_NAME`]), of the method, or with the layout of a run's state, which
    /// contains them.
    #[test]
    fn signatures_stay_what_they_are() {
        let words: Vec<String> = (0..400).map(|i| format!("word{}", i * i % 353)).collect();
        let tokens = tokens(&words.join(" "));
        let seen: Vec<(&str, u64)> = PINNED
            .iter()
            .map(|&(spec, _)| {
                let signature = sign(&*method(spec), &tokens).unwrap();
                let values = [signature.keys, signature.sketch].concat();
                let mut digest = 0;
                fingerprint::shingles(&values, values.len(), |value| digest = value);
                (spec, digest)
            })
            .collect();
        assert_eq!(seen, PINNED);
    }

    const PINNED: [(&str, u64); 11] = [
        ("lexical", 0xF5C0_D895_163C_77E9),
        ("shingle-equivalent", 0x853E_6BC1_BAC7_C602),
        ("dsc", 0x5DEB_5F0A_1E53_1676),
        ("dsc:bits=40", 0x21CF_92D4_ED60_703E),
        ("dsc-variable", 0x651E_FE63_7CAA_E908),
        ("dsc-minimum", 0x3E20_ACAC_F091_59E8),
        ("dsc-ss:n=2", 0xDA49_4B44_598C_BABC),
        ("minhash-lsh", 0x5065_F1B9_8749_E9F9),
        ("minhash-lsh:slots=kfold", 0x0936_0FA5_0ED4_5AB9),
        ("super-shingles-84", 0x92AA_B27D_F87D_7242),
        ("word-lsh", 0x47EF_4D01_ACBC_D3DB),
    ];

    /// Defaults are as documented: writing them all out changes nothing.
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
