//! Lexicons: refused, or every term can be looked up and a merge of it alone has the same terms.

use lookalike_core::TextDigest;
use lookalike_lexicon::{Lexicon, Rank, Term, format, merge};
use lookalike_methods::Statistics;
use lookalike_methods::imatch::Share;
use std::path::Path;

/// Any bytes as a lexicon: as they are, and with the magic, the version and the checksum put right, so
/// that what lies behind the checksum is reached.
pub fn lexicon(data: &[u8]) {
    let folder = super::folder();
    let path = folder.path().join("in.lexicon");
    check(&path, data);
    if data.len() >= 32 {
        let mut valid = data.to_vec();
        valid[..8].copy_from_slice(format::MAGIC);
        valid[8..12].copy_from_slice(&format::VERSION.to_le_bytes());
        let TextDigest(checksum) = TextDigest::of(&valid[32..]);
        valid[16..32].copy_from_slice(&checksum.to_le_bytes());
        check(&path, &valid);
    }
}

fn check(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).unwrap();
    let Ok(lexicon) = Lexicon::open(path) else { return };
    let terms: Vec<Term<'_>> = lexicon.terms().collect();
    assert_eq!(terms.len(), lexicon.len(), "terms without names");
    let (least, most) = lexicon.frequency_range();
    for term in &terms {
        assert_eq!(lexicon.frequency(term.fingerprint), term.frequency, "a lookup");
        assert!((least..=most).contains(&term.frequency), "outside of the range");
    }
    let fingerprints: Vec<u64> = terms.iter().map(|term| term.fingerprint).collect();
    let mut frequencies = Vec::new();
    lexicon.frequencies(&fingerprints, &mut frequencies);
    assert!(frequencies.iter().eq(terms.iter().map(|term| &term.frequency)));
    let (zero, one) = (Share::ZERO, "1".parse().unwrap());
    assert_eq!(lexicon.window_len(zero, one), lexicon.window(zero, one).count());
    assert_eq!(lexicon.ranked(Rank::MostFrequent, 3).len(), terms.len().min(3));
    let merged = path.with_extension("merged");
    let documents = lexicon.documents();
    let merged = merge(&[lexicon], &merged).unwrap();
    assert_eq!(merged.documents(), documents);
    assert_eq!(std::fs::read(merged.path()).unwrap(), bytes, "merged alone");
}
