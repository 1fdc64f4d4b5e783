//! Reliability of a signature: fewest terms, and the secondary lexicon.
//!
//! Kołcz and Chowdhury 2008, section 3. A long document with few terms of the lexicon (such as the
//! banner of a mail in another language) would match every document with the same few. With S the
//! terms of the document in the lexicon and U all its distinct terms:
//!
//! * while |S| or |S|/|U| is too small, terms of the secondary lexicon B (those rarer than the
//!   lexicon) are added to S, the most frequent first (steps 1 and 4);
//! * if |S| or |S|/|U| is still too small, there is no signature (step 5).
//!
//! Step 4 fills up to |S|/|U| only, the text before it up to |S|; this implementation does both.

use super::nidf::{Frequencies, Share, above};
use crate::{Parameter, Params, SpecError};

pub(super) const MIN_PLAIN: Parameter =
    Parameter { name: "min", default: "1", help: "smallest number of terms in a signature" };
pub(super) const MIN_RANDOM: Parameter =
    Parameter { name: "min", default: "5", help: "smallest number of terms in a signature" };
pub(super) const SHARE: Parameter = Parameter {
    name: "share",
    default: "0",
    help: "smallest share of a document's distinct terms in a signature",
};
pub(super) const FILL: Parameter = Parameter {
    name: "fill",
    default: "",
    help: "fill up with terms of normalized idf up to this, most frequent first",
};

/// Requirements on the terms of a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reliability {
    /// Smallest |S|, at least 1.
    pub min: u32,
    /// Smallest |S|/|U|.
    pub share: Share,
    /// Largest nidf of the secondary lexicon; `None` for no secondary lexicon.
    pub fill: Option<Share>,
}

impl Reliability {
    /// The parameters `min`, `share` and `fill`.
    pub(super) fn of(params: &Params<'_>, min: u32) -> Result<Self, SpecError> {
        let fill = params.text("fill").filter(|text| !text.is_empty()).map(str::parse::<Share>);
        Ok(Self {
            min: params.checked("min", min, "a whole number of at least 1", |&min| min > 0)?,
            share: params.get(
                "share",
                Share::ZERO,
                "a number from 0 to 1, of up to three decimals",
            )?,
            fill: fill.transpose().map_err(|()| {
                params.bad("fill", "a number from 0 to 1, of up to three decimals")
            })?,
        })
    }

    /// Number of terms that the signature of a document of `distinct` distinct terms must have.
    pub(super) fn needed(self, distinct: usize) -> usize {
        (self.min as usize).max(self.share.ceil_of(distinct))
    }

    /// The secondary lexicon of a lexicon: terms rarer than all of it, with nidf of at most `fill`.
    pub(super) fn secondary(self, lexicon: Frequencies, range: (u32, u32)) -> Frequencies {
        match self.fill {
            None => Frequencies { least: 1, most: 0 },
            Some(fill) => {
                Frequencies { least: above(fill, range) + 1, most: lexicon.least.saturating_sub(1) }
            }
        }
    }
}
