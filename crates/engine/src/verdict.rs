//! Matches in; what becomes of every document, and by which rule, out.

use crate::{Approach, Collection, Edge, Linkage, MatchOptions, Matches, Units, Verify};
use lookalike_methods::Evidence;

/// Why a document was removed, from the strictest relation to the loosest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// Same text as the document that stands for it.
    Identical,
    /// Same sequence of tokens (Broder: lexically equivalent).
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

/// What becomes of every document.
#[derive(Debug)]
pub struct Verdicts {
    removals: Vec<Option<Removal>>,
}

impl Verdicts {
    /// Draws the conclusions from the matches that [`crate::find`] made with these options. Where only
    /// protected documents stand for others, those that repeat each other elsewhere stay.
    #[must_use]
    pub fn new(
        collection: &Collection,
        units: &Units,
        matches: &Matches,
        approach: &Approach,
        options: &MatchOptions,
    ) -> Self {
        let verify = approach.method.is_some().then_some(approach.verify);
        let by_match = Rule::by_match(options.linkage, verify);
        let mut removals = vec![None; collection.documents.len()];
        for unit in 0..units.len() {
            let leader = matches.leader[unit as usize];
            if options.only_protected && leader >= units.protected() {
                continue;
            }
            let kept = units.members(leader)[0];
            if units.members(unit) == [kept] {
                continue;
            }
            let edge = Edge { unit, with: leader, shared: matches.shared[unit as usize] };
            let evidence = approach.evidence(collection, units, edge);
            for &document in units.members(unit) {
                if document == kept {
                    continue;
                }
                let (a, b) = (
                    &collection.documents[document as usize],
                    &collection.documents[kept as usize],
                );
                let rule = if a.text == b.text {
                    Rule::Identical
                } else if a.sequence == b.sequence {
                    Rule::LexicallyEquivalent
                } else if unit == leader {
                    Rule::FeatureEquivalent
                } else {
                    by_match
                };
                removals[document as usize] = Some(Removal { kept, rule, evidence });
            }
        }
        Self { removals }
    }

    /// Why the document may go; `None` if it stands for itself. Protected documents that resemble
    /// another one have a removal too: it is up to the caller to leave them where they are.
    #[must_use]
    pub fn removal(&self, document: u32) -> Option<Removal> {
        self.removals[document as usize]
    }

    /// All documents that another one stands for, in the order of the collection.
    pub fn removals(&self) -> impl Iterator<Item = (u32, Removal)> + '_ {
        (0u32..)
            .zip(&self.removals)
            .filter_map(|(document, removal)| removal.map(|r| (document, r)))
    }
}
