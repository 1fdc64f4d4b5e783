//! The rule that removed a document.

use lookalike_join::Linkage;

/// Why a document was removed, from the strictest relation to the loosest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// Same original content as the kept document.
    Identical,
    /// Same sequence of all tokens (Broder: lexically equivalent), whatever a term filter keeps.
    LexicallyEquivalent,
    /// Same set of features (Broder: shingle-equivalent).
    FeatureEquivalent,
    /// Reaches the threshold with its witness.
    Near,
    /// By the method's sketches; the sets were not compared.
    Sketch,
    /// The two have a key of the method in common; nothing more was compared.
    Key,
    /// In one connected component with it; the two need not reach the threshold.
    Component,
    /// The first document of a cluster of which none is kept.
    Dropped,
}

/// What decides whether two documents are equal: each part is compared with that of the other
/// document only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity<C, T, S> {
    /// Digest or number of the original content.
    pub content: C,
    /// Digest or number of the sequence of all tokens.
    pub tokens: T,
    /// Digest or number of the distinct set.
    pub set: S,
}

impl Rule {
    /// All rules, strictest first.
    pub const ALL: [Self; 8] = [
        Self::Identical,
        Self::LexicallyEquivalent,
        Self::FeatureEquivalent,
        Self::Near,
        Self::Sketch,
        Self::Key,
        Self::Component,
        Self::Dropped,
    ];

    /// The rule for a document whose witness is `witness`: the strictest relation in which the two
    /// are equal, otherwise `by_match`.
    pub fn of<C: PartialEq, T: PartialEq, S: PartialEq>(
        document: &Identity<C, T, S>,
        witness: &Identity<C, T, S>,
        by_match: Self,
    ) -> Self {
        match () {
            () if document.content == witness.content => Self::Identical,
            () if document.tokens == witness.tokens => Self::LexicallyEquivalent,
            () if document.set == witness.set => Self::FeatureEquivalent,
            () => by_match,
        }
    }

    /// The rule for a distinct set removed by a match: `verify` is the verifier of a method's
    /// candidates, `None` for the exact join.
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
            Self::Dropped => "dropped",
        }
    }

    /// The rule of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.name() == name)
    }
}

/// The verifier of a method's candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verify {
    /// By whole feature sets.
    #[default]
    Exact,
    /// By the method's sketches.
    Sketch,
    /// None: every candidate is a match.
    None,
}

impl Verify {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Exact, Self::Sketch, Self::None];

    /// The name used in settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Sketch => "sketch",
            Self::None => "none",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strictest_equality_decides() {
        let witness = Identity { content: 1u128, tokens: 1u64, set: 1u32 };
        for (content, tokens, set, rule) in [
            (1, 1, 1, Rule::Identical),
            // A term filter or a digest of another kind may differ where the content is equal.
            (1, 2, 2, Rule::Identical),
            (2, 1, 1, Rule::LexicallyEquivalent),
            (2, 1, 2, Rule::LexicallyEquivalent),
            (2, 2, 1, Rule::FeatureEquivalent),
            (2, 2, 2, Rule::Near),
        ] {
            let document = Identity { content, tokens, set };
            assert_eq!(Rule::of(&document, &witness, Rule::Near), rule, "{document:?}");
        }
    }

    #[test]
    fn a_match_is_named_by_its_linkage_and_verifier() {
        let (leaders, components) = (Linkage::Leaders, Linkage::Components);
        for (linkage, verify, rule) in [
            (leaders, None, Rule::Near),
            (leaders, Some(Verify::Exact), Rule::Near),
            (leaders, Some(Verify::Sketch), Rule::Sketch),
            (leaders, Some(Verify::None), Rule::Key),
            (components, None, Rule::Component),
            (components, Some(Verify::Sketch), Rule::Component),
        ] {
            assert_eq!(Rule::by_match(linkage, verify), rule, "{linkage:?} {verify:?}");
        }
    }

    #[test]
    fn names_are_read_back() {
        assert!(Rule::ALL.is_sorted());
        assert!(Rule::ALL.into_iter().all(|rule| Rule::named(rule.name()) == Some(rule)));
        assert_eq!(Rule::named("far"), None);
    }
}
