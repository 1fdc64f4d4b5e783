//! Matches in; what becomes of every document, and by which rule, out.

use crate::collection::Document;
use crate::{
    Approach, Collection, Edge, EngineError, Linkage, MatchOptions, Matches, Units, Verify,
};
use lookalike_core::{SparseIndex, TextDigest, TokenDigest};
use lookalike_methods::Evidence;

/// Why a document was removed, from the strictest relation to the loosest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// Same original content as the kept document ([`crate::original`]).
    Identical,
    /// Same sequence of all tokens (Broder: lexically equivalent), whatever a term filter keeps.
    LexicallyEquivalent,
    /// Same set of features (Broder: shingle-equivalent).
    FeatureEquivalent,
    /// Reaches the threshold with the document that stands for it.
    Near,
    /// The method's sketches of the two say so; the sets were not compared.
    Sketch,
    /// The two have a key of the method in common; nothing more was compared.
    Key,
    /// In one connected component with it; the two need not reach the threshold.
    Component,
}

impl Rule {
    /// All rules, strictest first.
    pub const ALL: [Self; 7] = [
        Self::Identical,
        Self::LexicallyEquivalent,
        Self::FeatureEquivalent,
        Self::Near,
        Self::Sketch,
        Self::Key,
        Self::Component,
    ];

    /// Why a unit goes that another one stands for: `verify` is what decided about a method's candidates,
    /// `None` for the exact join.
    #[must_use]
    pub fn by_match(linkage: Linkage, verify: Option<Verify>) -> Self {
        match (linkage, verify) {
            (Linkage::Components, _) => Self::Component,
            (Linkage::Leaders, Some(Verify::Sketch)) => Self::Sketch,
            (Linkage::Leaders, Some(Verify::None)) => Self::Key,
            (Linkage::Leaders, Some(Verify::Exact) | None) => Self::Near,
        }
    }

    /// The name that the ledger uses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Identical => "identical",
            Self::LexicallyEquivalent => "lexically_equivalent",
            Self::FeatureEquivalent => "feature_equivalent",
            Self::Near => "near",
            Self::Sketch => "sketch",
            Self::Key => "key",
            Self::Component => "component",
        }
    }
}

/// The document that stands for a removed one, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Removal {
    /// The document that stands for it.
    pub kept: u32,
    /// The relation between the two.
    pub rule: Rule,
    /// What is known of the two; `a` is the removed document.
    pub evidence: Evidence,
}

/// Result of [`crate::find`], with its documents and options: the input of [`Verdicts`].
#[derive(Debug, Clone, Copy)]
pub struct MatchResult<'a> {
    /// The documents.
    pub collection: &'a Collection,
    /// Their distinct sets.
    pub units: &'a Units,
    /// The leader of each set and the pairs.
    pub matches: &'a Matches,
    /// How it was found.
    pub approach: &'a Approach,
}

impl MatchResult<'_> {
    /// The unit of a document and the one that stands for it.
    fn units_of(&self, document: u32) -> Option<(u32, u32)> {
        let unit = self.units.of_document(document)?;
        Some((unit, self.matches.leader[unit as usize]))
    }
}

/// What becomes of every document: a byte of each. The rest of a [`Removal`] follows from the answer.
#[derive(Debug)]
pub struct Verdicts {
    /// Place in [`Rule::ALL`]; [`STAYS`] for a document that stands for itself.
    rules: Vec<u8>,
}

const STAYS: u8 = u8::MAX;

impl Verdicts {
    /// Draws the conclusions from the matches that [`crate::find`] made with these options. Where only
    /// protected documents stand for others, those that repeat each other elsewhere stay.
    ///
    /// Scans the documents twice: once for those that stand for others, once for the others.
    ///
    /// # Errors
    /// Rows on disk that cannot be read.
    pub fn new(answer: &MatchResult<'_>, options: &MatchOptions) -> Result<Self, EngineError> {
        let MatchResult { collection, units, approach, .. } = *answer;
        let verify = approach.method.is_some().then_some(approach.verify);
        let by_match = Rule::by_match(options.linkage, verify);
        // The document that stands for another one, and whether that is of the same unit.
        let stands = |document: u32| {
            let (unit, leader) = answer.units_of(document)?;
            let kept = units.members(leader)[0];
            let stays = options.only_protected && leader >= units.protected();
            (!stays && document != kept).then_some((kept, unit == leader))
        };
        let mut leads = vec![false; collection.len() as usize];
        for (kept, _) in (0..collection.len()).filter_map(stands) {
            leads[kept as usize] = true;
        }
        let leaders = SparseIndex::new(collection.len(), |document| leads[document as usize]);
        drop(leads);
        let leads = |document: &u32| leaders.place(*document).is_some();
        let mut digests: Vec<(TextDigest, TokenDigest)> =
            Vec::with_capacity(leaders.len() as usize);
        collection.pass(
            |mut documents| documents.any(|document| leads(&document)),
            |documents, rows| -> Vec<_> {
                let rows = documents.zip(&rows.documents).filter(|(document, _)| leads(document));
                rows.map(|(_, row)| (row.text, row.sequence)).collect()
            },
            |more| digests.extend(more),
        )?;
        let rule = |document: u32, row: &Document| {
            let Some((kept, same_unit)) = stands(document) else { return STAYS };
            let known = leaders.place(kept).and_then(|place| digests.get(place as usize));
            let rule = match known {
                Some(&(text, _)) if text == row.text => Rule::Identical,
                Some(&(_, sequence)) if sequence == row.sequence => Rule::LexicallyEquivalent,
                _ if same_unit => Rule::FeatureEquivalent,
                _ => by_match,
            };
            rule as u8
        };
        let mut rules: Vec<u8> = Vec::with_capacity(collection.len() as usize);
        collection.pass(
            |_| true,
            |documents, rows| -> Vec<u8> {
                documents.zip(&rows.documents).map(|(number, row)| rule(number, row)).collect()
            },
            |more| rules.extend(more),
        )?;
        Ok(Self { rules })
    }

    /// Whether another document stands for this one.
    #[must_use]
    pub fn is_removed(&self, document: u32) -> bool {
        self.rules[document as usize] != STAYS
    }

    /// Why the document may go; `None` if it stands for itself. Protected documents that resemble
    /// another one have a removal too: it is up to the caller to leave them where they are. The answer has
    /// to be the one that the verdicts were drawn from.
    #[must_use]
    pub fn removal(&self, answer: &MatchResult<'_>, document: u32) -> Option<Removal> {
        let rule = *Rule::ALL.get(usize::from(self.rules[document as usize]))?;
        let (unit, leader) = answer.units_of(document)?;
        let edge =
            Edge { later: unit, earlier: leader, shared: answer.matches.shared[unit as usize] };
        let evidence = answer.approach.evidence(answer.collection, answer.units, edge);
        Some(Removal { kept: answer.units.members(leader)[0], rule, evidence })
    }

    /// Documents that another one stands for, in the order of the collection.
    pub fn removed(&self) -> impl Iterator<Item = u32> + '_ {
        (0u32..).zip(&self.rules).filter(|&(_, &rule)| rule != STAYS).map(|(document, _)| document)
    }
}
