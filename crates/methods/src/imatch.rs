//! I-Match: one digest of the terms that collection statistics select.
//!
//! I-Match (Chowdhury et al. 2002) hashes the distinct terms of a document that a filter on inverse
//! document frequency keeps; two documents with the same hash are duplicates, so each is in one
//! cluster at most. [`Filter`] is every filter of its Tables IX and X. Kołcz and Chowdhury (2008)
//! make it reliable ([`Reliability`]: enough terms, or no signature) and stable (`imatch-random`:
//! further signatures by random parts of the lexicon, [`Copies`]).
//!
//! The papers hash with SHA-1. We use the 128-bit [set digest](lookalike_core::features::digest):
//! it needs no sorted terms, so a signature is one pass of additions. Of n documents with different
//! terms n²/2¹²⁹ pairs are expected to have equal digests, 1.5·10⁻¹⁵ of 10¹²; keys have 64 bits, so
//! without verification n²/2⁶⁵, 0.03 of 10⁹. It is not a cryptographic hash: an adversary can make
//! two documents collide (with I-Match this is possible without a collision of the hash).

mod copies;
mod filter;
mod nidf;
mod plain;
mod random;
mod ranks;
mod reliability;
pub(crate) mod sum;
mod sums;
#[cfg(test)]
mod testing;

pub use copies::{Copies, expected_copies, stability};
pub use filter::Filter;
pub use nidf::{Frequencies, Share};
pub use plain::IMatch;
pub use random::RandomIMatch;
pub use reliability::Reliability;

use crate::{About, Parameter, Params, SpecError};

const TERMS: Parameter = Parameter {
    name: "terms",
    default: "",
    help: "term filter applied first, such as nosc+stem or kolcz",
};

/// The methods of this family.
pub(crate) const METHODS: &[About] = &[
    About {
        name: "imatch",
        summary: "one hash of the distinct terms selected by document frequency; two match when it is equal",
        paper: "Chowdhury et al. 2002, sections 3 and 4; Kołcz & Chowdhury 2008, section 3",
        parameters: &[
            Parameter {
                name: "filter",
                default: "idf-l-10",
                help: "baseline, doc-l-90, doc-h-10, docr-i-10-90, docr-o-10-90, idf-l-10, idf-h-10, \
                       idfr-i-10-90 or idfr-o-10-90 (percent)",
            },
            Parameter {
                name: "nidf",
                default: "",
                help: "LOW..HIGH: instead of a filter, select the terms in this range of normalized idf",
            },
            reliability::MIN_PLAIN,
            reliability::SHARE,
            reliability::FILL,
            TERMS,
        ],
        needs_statistics: crate::NeedsStatistics::Always,
        build: plain::build,
    },
    About {
        name: "imatch-random",
        summary: "I-Match with a lexicon and random subsets of it; two match when one signature is equal",
        paper: "Kołcz & Chowdhury 2008, sections 3 and 4",
        parameters: &[
            Parameter {
                name: "nidf",
                default: "0.2..0.8",
                help: "LOW..HIGH: range of normalized idf of the lexicon terms",
            },
            Parameter {
                name: "copies",
                default: "10",
                help: "number of random copies of the lexicon, 0 to 63",
            },
            Parameter {
                name: "drop",
                default: "0.33",
                help: "share of the lexicon left out of each copy, or bootstrap (1/e)",
            },
            Parameter { name: "seed", default: "1", help: "random seed of the copies" },
            reliability::MIN_RANDOM,
            reliability::SHARE,
            reliability::FILL,
            TERMS,
        ],
        needs_statistics: crate::NeedsStatistics::Always,
        build: random::build,
    },
];

/// The lexicon that `nidf=LOW..HIGH` describes, as text.
fn window(params: &Params<'_>, default: Option<&str>) -> Result<Option<(Share, Share)>, SpecError> {
    let Some(text) = params.text("nidf").filter(|text| !text.is_empty()).or(default) else {
        return Ok(None);
    };
    let bounds = text
        .split_once("..")
        .and_then(|(low, high)| Some((low.parse::<Share>().ok()?, high.parse::<Share>().ok()?)));
    match bounds {
        Some((low, high)) if low <= high => Ok(Some((low, high))),
        _ => Err(params.bad("nidf", "LOW..HIGH, two numbers from 0 to 1 of up to three decimals")),
    }
}
