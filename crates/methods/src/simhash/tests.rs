//! Whole signatures against the formulas of the thesis in floating point.

use super::*;
use crate::{Field, Marks, build as build_method};
use lookalike_core::fingerprint;
use proptest::prelude::*;
use std::collections::BTreeMap;

mod features;

/// Document frequencies of a made-up collection.
#[derive(Debug)]
struct Made(BTreeMap<u64, u32>, u64);

impl Statistics for Made {
    fn documents(&self) -> u64 {
        self.1
    }
    fn frequency(&self, term: u64) -> u32 {
        self.0.get(&term).copied().unwrap_or(0)
    }
    fn frequency_range(&self) -> (u32, u32) {
        (1, self.1 as u32)
    }
    fn checksum(&self) -> u128 {
        0
    }
}

fn tokens(text: &str) -> Vec<u64> {
    text.split_whitespace().map(|word| fingerprint::token(word.as_bytes())).collect()
}

/// Without statistics the method weighs by term frequency.
fn method(spec: &str, statistics: Option<Arc<dyn Statistics>>) -> Box<dyn Method> {
    let mut spec: MethodSpec = spec.parse().unwrap();
    if statistics.is_none() {
        spec.set("weights", "tf");
    }
    build_method(&spec, statistics).unwrap()
}

fn sign(method: &dyn Method, document: &Document<'_>) -> Result<Signature, Unsigned> {
    // Buffers that were used for another document.
    let mut scratch =
        MethodScratch { seen: vec![9; 40], counts: vec![3; 50], ..MethodScratch::default() };
    scratch.features.push(5);
    scratch.values.push(6);
    let mut out = Signature::default();
    method.sign(document, &mut scratch, &mut out).map(|()| out)
}

fn word(spec: &str, text: &str) -> u64 {
    let tokens = tokens(text);
    sign(&*method(spec, None), &Document { tokens: &tokens, ..Document::default() }).unwrap().sketch
        [0]
}

/// The simhash of weighted terms, by the definition: `None` if a sum is too close to 0 for floating
/// point.
fn by_the_book(weights: &BTreeMap<u64, f64>) -> Option<u64> {
    let mut word = 0;
    for bit in 0..64 {
        let sign = |term: u64| if term >> bit & 1 == 1 { 1.0 } else { -1.0 };
        let sum: f64 = weights.iter().map(|(&term, weight)| sign(term) * weight).sum();
        if sum.abs() < 1e-2 {
            return None;
        }
        word |= u64::from(sum > 0.0) << bit;
    }
    Some(word)
}

proptest! {
    /// Every weighting against its formula.
    #[test]
    fn weights_follow_the_formulas(
        words in prop::collection::vec((0u64..40, prop::bool::ANY), 1..60),
        frequencies in prop::collection::vec(1u32..1000, 40),
        choice in 0usize..7,
    ) {
        let tokens: Vec<u64> = words.iter().map(|word| finalise(word.0 + 100)).collect();
        let marks: Vec<Marks> =
            words.iter().map(|word| if word.1 { Marks::EMPHASIS } else { Marks::LINK }).collect();
        let table: BTreeMap<u64, u32> =
            (0u64..40).map(|w| finalise(finalise(w + 100))).zip(frequencies).collect();
        let statistics = Arc::new(Made(table.clone(), 1000));
        let length = words.len() as f64;
        let idf = |term: u64| (1000.0 / f64::from(table[&term])).log2().max(1.0 / 256.0);
        let cosine = |x: f64| (x / length * std::f64::consts::TAU).cos() + 1.0;
        let boost = |marked| if marked { 1.5 } else { 1.0 };
        let weight = |x: f64, marked: bool, term: u64| match choice {
            0 => 1.0,
            1 => idf(term),
            2 => 1000.0 / f64::from(table[&term]),
            3 => (x + 1.0).log2() / (x + 1.0),
            4 => cosine(x),
            5 => boost(marked),
            _ => cosine(x) * boost(marked) * idf(term),
        };
        let spec = [
            "weights=tf",
            "d=3",
            "weights=tfinverse",
            "variant=position,weights=tf",
            "variant=function,weights=tf",
            "variant=tagged,weights=tf",
            "variant=tagged+function",
        ][choice];
        let mut weights = BTreeMap::new();
        for (at, (&token, word)) in tokens.iter().zip(&words).enumerate() {
            let term = finalise(token);
            *weights.entry(term).or_insert(0.0) += weight(at as f64 + 1.0, word.1, term);
        }
        let document = Document { tokens: &tokens, marks: &marks, ..Document::default() };
        let signed = sign(&*method(&format!("simhash:{spec}"), Some(statistics)), &document);
        if let Some(expected) = by_the_book(&weights) {
            let signature = signed.unwrap();
            prop_assert_eq!(signature.sketch, [expected]);
            prop_assert_eq!(signature.size as usize, weights.len());
        }
    }

    #[test]
    fn the_order_of_words_and_fields_does_not_matter(
        mut tokens in prop::collection::vec(any::<u64>(), 1..50),
        fields in prop::collection::vec(any::<u64>().prop_map(Field), 0..5),
    ) {
        let spec = "simhash:variant=metadata+low+capped+top+reserved";
        let method = method(spec, None);
        let forth = sign(&*method, &Document { tokens: &tokens, fields: &fields, ..Document::default() });
        tokens.reverse();
        let turned: Vec<Field> = fields.into_iter().rev().collect();
        let back = sign(&*method, &Document { tokens: &tokens, fields: &turned, ..Document::default() });
        prop_assert_eq!(forth, back);
    }
}

/// Values that must not change unless the name of the hash or the method changes: they are stored
/// in files. Computed in Python with unbounded integers, floating-point logarithms and the
/// reference XXH3. `a` and `rose` are as heavy as each other; the smaller term is the top one.
#[test]
fn vectors() {
    let text = "a rose is a rose is a rose by any other name would smell as sweet";
    for (spec, expected) in VECTORS {
        assert_eq!(word(spec, text), expected, "{spec}");
    }
}

const VECTORS: [(&str, u64); 4] = [
    ("simhash", 0x330B_3D53_BAE3_8430),
    ("simhash:variant=position", 0x374B_7D5B_BAE3_8430),
    ("simhash:variant=function", 0x370B_7D5F_BA63_A432),
    ("simhash:top=1", 0x190B_7956_AEC3_9939),
];

#[test]
fn the_heaviest_term_alone_is_the_word() {
    let rose = finalise(fingerprint::token(b"rose"));
    assert_eq!(word("simhash:top=1", "a rose is a rose named rose"), rose);
    assert_eq!(word("simhash:variant=high", "one rose rose rose is a"), rose);
}

#[test]
fn metadata_weigh_their_share_of_the_largest_weight() {
    let tokens = tokens("rose rose");
    let term = finalise(tokens[0]);
    let fields = [Field(7)];
    let document = Document { tokens: &tokens, fields: &fields, ..Document::default() };
    let with = |share: &str| {
        sign(&*method(&format!("simhash:metadata={share}"), None), &document).unwrap().sketch[0]
    };
    // Against one term a field decides as soon as it weighs more; at the same weight bits on which
    // they do not agree are 0.
    assert_eq!(with("0.5"), term);
    assert_eq!(with("1"), term & finalise(!7));
    assert_eq!(with("1.5"), finalise(!7));
    let without = sign(&*method("simhash", None), &document).unwrap();
    assert_eq!(without.sketch, [term]);
}

#[test]
fn reserved_bits_must_agree() {
    let method = method("simhash:reserved=8,d=8", None);
    let tokens = tokens("one two three four");
    let signed = |field: u64| {
        let fields = [Field(field)];
        sign(&*method, &Document { tokens: &tokens, fields: &fields, ..Document::default() })
            .unwrap()
    };
    let (a, b, c) = (signed(1), signed(1), signed(2));
    assert_eq!(a, b);
    assert_eq!(a.sketch[0] << 8, c.sketch[0] << 8);
    assert_ne!(a.sketch[0] >> 56, c.sketch[0] >> 56);
    assert_eq!(method.compare(a.as_sketch(), c.as_sketch()), Evidence::Distance(64));
    assert!(!method.accepts(method.compare(a.as_sketch(), c.as_sketch())));
    assert!(method.accepts(method.compare(a.as_sketch(), b.as_sketch())));
}

#[test]
fn distance_decides() {
    let method = method("simhash", None);
    let found = |distance, search| CandidateSource::Hamming { distance, search };
    assert_eq!(method.candidates(), found(3, Search::Tables));
    let by_ones = super::tests::method("simhash:join=ones,d=9", None);
    assert_eq!(by_ones.candidates(), found(9, Search::Ones));
    let refused = crate::build(&"simhash:join=both,weights=tf".parse().unwrap(), None).unwrap_err();
    assert!(refused.to_string().contains("tables or ones"), "{refused}");
    let compare = |a: u64, b: u64| {
        let sketch = |words| Sketch { words, size: 1, level: 0 };
        let evidence = method.compare(sketch(&[a]), sketch(&[b]));
        (evidence, method.accepts(evidence))
    };
    assert_eq!(compare(0, 7), (Evidence::Distance(3), true));
    assert_eq!(compare(0, 15), (Evidence::Distance(4), false));
    assert!(!method.accepts(Evidence::SameKey));
    let exact = super::tests::method("simhash:d=0", None);
    let tokens = tokens("a b c");
    let signature = sign(&*exact, &Document { tokens: &tokens, ..Document::default() }).unwrap();
    assert_eq!((signature.keys, exact.candidates()), (signature.sketch, CandidateSource::Keys));
}

#[test]
fn missing_document_frequencies_are_an_error() {
    for spec in ["simhash", "simhash:weights=tfidf", "simhash:weights=tfinverse"] {
        let refused = crate::build(&spec.parse().unwrap(), None).unwrap_err();
        assert_eq!(refused, SpecError::StatisticsMissing(spec.into()));
    }
    assert!(crate::build(&"simhash:weights=tf".parse().unwrap(), None).is_ok());
}

#[test]
fn documents_without_a_word() {
    let fields = [Field(1)];
    let empty = Document { tokens: &[], fields: &fields, ..Document::default() };
    assert_eq!(sign(&*method("simhash:metadata=1", None), &empty), Err(Unsigned::Empty));
    let tokens = tokens("every word once");
    let even = Document { tokens: &tokens, ..Document::default() };
    let middle = method("simhash:variant=middle", None);
    assert_eq!(sign(&*middle, &even), Err(Unsigned::NothingSelected));
}

/// A collection of two equal documents: the idf of every term is 0, and they must match.
#[test]
fn terms_of_every_document_still_make_a_word() {
    let tokens = tokens("the same words everywhere");
    let table = tokens.iter().map(|&token| (finalise(token), 2)).collect();
    let document = Document { tokens: &tokens, ..Document::default() };
    let signed = sign(&*method("simhash", Some(Arc::new(Made(table, 2)))), &document).unwrap();
    assert_eq!(signed.sketch, [word("simhash", "the same words everywhere")]);
}

#[test]
fn marks_may_be_fewer_than_words() {
    let tokens = tokens("heading body body");
    let document = Document { tokens: &tokens, marks: &[Marks::HEADING], ..Document::default() };
    let heavy = sign(&*method("simhash:tagged=3,top=1", None), &document).unwrap();
    assert_eq!(heavy.sketch, [finalise(tokens[0])]);
}
