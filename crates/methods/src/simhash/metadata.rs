//! Metadata as features (Seshasai 2009, sections 4.1 and 7.1.1).

use super::bits::BitSums;
use super::fixed::Decimal;
use super::settings::{MetadataWeight, SimhashSettings};
use crate::Document;
use lookalike_core::fingerprint::finalise;

/// Adds the numbers of a document, then its fields. `largest` is the largest weight of a term.
pub(super) fn add(
    document: &Document<'_>,
    settings: &SimhashSettings,
    largest: u64,
    sums: &mut BitSums,
) {
    for number in document.numbers {
        let from_centre = number.millionths - settings.centre.in_millionths() as i64;
        // Its weight may be negative: then it is added with the sign of every bit turned.
        let hash = finalise(!number.name.0);
        let hash = if from_centre < 0 { !hash } else { hash };
        sums.add(hash, Decimal::millionths(from_centre.unsigned_abs()).of(largest));
    }
    let weight = match settings.metadata {
        None => return,
        Some(MetadataWeight::Share(share)) => share.of(largest),
        Some(MetadataWeight::SmallestSum) => sums.smallest().unwrap_or(largest),
    };
    // A field is not a term, even if both hashes are of the same text.
    document.fields.iter().for_each(|field| sums.add(finalise(!field.0), weight));
}
