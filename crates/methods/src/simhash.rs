//! Simhash: one 64-bit word per document; near-duplicates differ in few bits (Charikar 2002; Manku,
//! Jain & Das Sarma 2007; Seshasai 2009, chapters 3 to 7).
//!
//! Every feature (a distinct term or n-gram) has a weight and a hash. Bit i of the word is 1 if the features
//! whose hash has bit i outweigh the others ([`BitSums`]). The steps, one file each:
//! [`SimhashSettings`] (the variants), `weights` (tf·idf, position, markup) with `grams` (n-grams,
//! given texts), `select` (thresholds), [`BitSums`], `metadata`. The thesis uses Bob Jenkins's hash function; here the hash is the finalised XXH3 of
//! the token, so nothing is hashed again.
//!
//! All arithmetic is in integers, logarithms included, so a document has the same word on every
//! machine, and for any order of tokens if positions have no weight.

use crate::hamming::Search;
use crate::{
    About, CandidateSource, Document, Evidence, FieldUse, Method, MethodScratch, MethodSpec,
    NeedsStatistics, Signature, Sketch, SpecError, Statistics, Unsigned,
};
use lookalike_core::fingerprint::finalise;
use std::sync::Arc;

mod bits;
mod distinct;
pub mod fixed;
mod grams;
mod idf;
mod metadata;
mod points;
pub mod position;
mod select;
mod settings;
mod weights;

pub use bits::BitSums;
pub use points::Points;
pub use settings::{Features, MetadataWeight, SimhashSettings, Strip, VARIANTS, Weights};

/// The methods of this family.
pub(crate) const METHODS: &[About] = &[About {
    name: "simhash",
    summary: "64 signs of the weighted sums of the hash bits of the terms; two match when at most d bits differ",
    paper: "Charikar 2002; Manku et al. 2007; Seshasai 2009, chapters 3 to 7",
    parameters: settings::PARAMETERS,
    needs_statistics: NeedsStatistics::Unless { parameter: "weights", value: "tf" },
    build,
}];

/// Maximum d. Words of unrelated documents differ in 32 bits on average.
const MOST_DISTANCE: u32 = 32;

/// A simhash with its frozen document frequencies.
///
/// The sketch is the one word. At d = 0 the word is the key as well, and candidates are found by
/// it.
///
/// ```
/// use lookalike_core::fingerprint::token;
/// use lookalike_methods::{Document, Evidence, MethodScratch, Signature, build};
///
/// let method = build(&"simhash:d=3,weights=tf".parse()?, None)?;
/// let sign = |text: &str| {
///     let tokens: Vec<u64> = text.split(' ').map(|word| token(word.as_bytes())).collect();
///     let document = Document { tokens: &tokens, ..Document::default() };
///     let mut signature = Signature::default();
///     method.sign(&document, &mut MethodScratch::default(), &mut signature).expect("it has words");
///     signature
/// };
/// let (a, b) = (sign("a rose is a rose"), sign("rose a rose is a"));
/// let evidence = method.compare(a.as_sketch(), b.as_sketch());
/// assert_eq!(evidence, Evidence::Distance(0));
/// assert!(method.accepts(evidence));
/// # Ok::<(), lookalike_methods::SpecError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Simhash {
    distance: u32,
    search: Search,
    settings: SimhashSettings,
    statistics: Option<Arc<dyn Statistics>>,
}

impl Simhash {
    /// A simhash whose matches are at most `distance` bits apart. Without statistics every weight
    /// is that of [`Weights::Tf`]; [`crate::build`] returns an error if the settings require other
    /// weights.
    #[must_use]
    pub fn new(
        distance: u32,
        settings: SimhashSettings,
        statistics: Option<Arc<dyn Statistics>>,
    ) -> Self {
        Self { distance, search: Search::default(), settings, statistics }
    }

    /// The same, with another algorithm for the Hamming join.
    #[must_use]
    pub fn searched(self, search: Search) -> Self {
        Self { search, ..self }
    }

    /// How features are chosen and weighted.
    #[must_use]
    pub fn settings(&self) -> &SimhashSettings {
        &self.settings
    }

    /// Terms that the tokeniser is to remove from the text.
    #[must_use]
    pub fn strip(&self) -> Strip {
        self.settings.strip
    }

    /// The bits that are reserved for metadata.
    fn reserved(&self) -> u64 {
        u64::MAX.checked_shl(64 - self.settings.reserved).unwrap_or(0)
    }
}

fn build(
    spec: &MethodSpec,
    statistics: Option<Arc<dyn Statistics>>,
) -> Result<Box<dyn Method>, SpecError> {
    let settings = SimhashSettings::from_spec(spec)?;
    let names: Vec<&str> = settings::PARAMETERS.iter().map(|parameter| parameter.name).collect();
    let params = spec.params(&names)?;
    let distance = params.checked("d", 3, "bits, 0 to 32", |&d| d <= MOST_DISTANCE)?;
    let search = params.text("join").map_or(Some(Search::default()), Search::named);
    let search = search.ok_or_else(|| params.bad("join", "tables or ones"))?;
    Ok(Box::new(Simhash::new(distance, settings, statistics).searched(search)))
}

impl Method for Simhash {
    /// O(tokens), and 64 additions for each distinct term.
    fn sign(
        &self,
        document: &Document<'_>,
        scratch: &mut MethodScratch,
        out: &mut Signature,
    ) -> Result<(), Unsigned> {
        if document.tokens.is_empty() {
            return Err(Unsigned::Empty);
        }
        weights::weigh(document, &self.settings, self.statistics.as_deref(), scratch);
        let MethodScratch { seen, features, values, .. } = scratch;
        if features.is_empty() {
            return Err(Unsigned::TooShort);
        }
        let largest = select::select(&self.settings, features, values, seen);
        out.size = features.len() as u32;
        select::drop_weightless(features, values);
        if values.is_empty() {
            return Err(Unsigned::NothingSelected);
        }
        let mut sums = BitSums::new();
        sums.add_all(features, values);
        metadata::add(document, &self.settings, largest, &mut sums);
        let mut word = sums.word();
        if self.settings.reserved > 0 {
            // A sum, so that the order of the fields does not matter.
            let fields =
                document.fields.iter().fold(0u64, |sum, field| sum.wrapping_add(finalise(field.0)));
            word = word & !self.reserved() | finalise(fields) & self.reserved();
        }
        out.sketch.push(word);
        if self.distance == 0 {
            out.keys.push(word);
        }
        Ok(())
    }

    fn term_filter(&self) -> &str {
        let Strip { stop_words, numbers, dates } = self.settings.strip;
        match (stop_words, numbers, dates) {
            (false, false, false) => "",
            (false, true, false) => "no-numbers",
            (false, false, true) => "no-dates",
            (false, true, true) => "no-numbers+no-dates",
            (true, false, false) => "stop",
            (true, true, false) => "stop+no-numbers",
            (true, false, true) => "stop+no-dates",
            (true, true, true) => "stop+no-numbers+no-dates",
        }
    }

    fn uses_marks(&self) -> bool {
        self.settings.tagged.is_some()
    }

    fn fields(&self) -> FieldUse<'_> {
        let SimhashSettings { metadata, reserved, fields, anchors, numbers, .. } = &self.settings;
        let are_used = metadata.is_some() || *reserved > 0;
        let features: &[String] = if are_used { fields } else { &[] };
        FieldUse { features, texts: anchors, numbers }
    }

    fn candidates(&self) -> CandidateSource {
        match self.distance {
            0 => CandidateSource::Keys,
            distance => CandidateSource::Hamming { distance, search: self.search },
        }
    }

    /// The number of differing bits; 64, which is never accepted, if reserved bits differ, or what
    /// a caller has appended to the word to separate documents, or if a sketch is not a simhash.
    fn compare(&self, a: Sketch<'_>, b: Sketch<'_>) -> Evidence {
        let distance = match (a.words, b.words) {
            ([a, x @ ..], [b, y @ ..]) if (a ^ b) & self.reserved() == 0 && x == y => {
                (a ^ b).count_ones()
            }
            _ => 64,
        };
        Evidence::Distance(distance)
    }

    fn accepts(&self, evidence: Evidence) -> bool {
        matches!(evidence, Evidence::Distance(distance) if distance <= self.distance)
    }
}

#[cfg(test)]
mod tests;
