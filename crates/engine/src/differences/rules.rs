//! Rules that keep apart what differs, found from removals whose texts were compared.
//!
//! A rule names parts that documents need to have in common, and how many words of a removed document
//! its witness may lack. With judgements, the best rule is the one that leaves the smallest share of
//! wrong removals ([`best_rule`]). Without them it is not known which difference matters, so those that recur
//! are reported, each with the rule that keeps its documents apart ([`recurring`]).

use super::{DifferenceKind, DifferenceProfile};
use lookalike_text::TextPart;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The parts that a rule may name, those that are easiest to understand first.
const PARTS: [TextPart; 6] = [
    TextPart::Title,
    TextPart::Numbers,
    TextPart::Identifiers,
    TextPart::TitleNumbers,
    TextPart::Names,
    TextPart::Symbols,
];

/// Numbers of lost words that a rule may allow.
const LOSSES: [u64; 7] = [0, 1, 2, 5, 10, 20, 50];

/// A rule may lose a tenth of the right removals.
const RIGHT_LOST: u64 = 10;

/// What a further part, or a limit, has to save: in thousandths of wrong removals.
const PER_TERM: u64 = 5;

/// Right removals that are worth one wrong removal.
const RIGHT_FOR_WRONG: u64 = 4;

/// Fewest judged removals, of which more than a twentieth is wrong, that a rule is sought for.
const JUDGED: u64 = 20;

/// Recurring differences that are told, and the fewest documents of one.
const RECURRING: usize = 3;
const FEWEST: u64 = 10;

/// A removal whose texts were compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComparedRemoval {
    /// What differs.
    pub profile: DifferenceProfile,
    /// Whether the words differ, or their order.
    pub near: bool,
    /// Whether a person would call the two duplicates, if that is known.
    pub same: Option<bool>,
}

/// Conditions of a match.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DifferenceRule {
    /// What documents need to have in common.
    pub parts: Vec<TextPart>,
    /// Words that a removal may lose.
    pub max_lost: Option<u64>,
}

impl DifferenceRule {
    /// Whether it keeps two documents that differ in this apart.
    #[must_use]
    pub fn keeps_apart(&self, difference: DifferenceProfile) -> bool {
        let differs = |&part: &TextPart| difference.kinds.has(DifferenceKind::Part(part));
        self.parts.iter().any(differs) || self.max_lost.is_some_and(|most| difference.lost > most)
    }

    fn terms(&self) -> u64 {
        self.parts.len() as u64 + u64::from(self.max_lost.is_some())
    }
}

/// Judged removals. Documents with the same words are one text, whatever is said of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Judged {
    /// Of documents that are duplicates to a person.
    pub right: u64,
    /// Of others.
    pub wrong: u64,
}

impl Judged {
    /// Counts those that a rule leaves.
    #[must_use]
    pub fn of(removals: &[ComparedRemoval], rule: &DifferenceRule) -> Self {
        let mut judged = Self::default();
        for removal in removals.iter().filter(|removal| !rule.keeps_apart(removal.profile)) {
            match removal.same {
                Some(false) if removal.near => judged.wrong += 1,
                Some(_) => judged.right += 1,
                None => {}
            }
        }
        judged
    }

    /// Thousandths of them that are wrong.
    fn wrong_share(self) -> u64 {
        (self.wrong * 1000).checked_div(self.right + self.wrong).unwrap_or(0)
    }
}

/// The rule that leaves the smallest share of wrong removals for the right ones that it loses, of which it
/// may lose a tenth; with what it leaves. Of equal rules the shortest. `None` if nothing needs a rule, or none
/// halves the wrong share. `certain` right removals besides are lost by no rule: those of identical
/// documents. O(removals · 512).
#[must_use]
pub fn best_rule(removals: &[ComparedRemoval], certain: u64) -> Option<(DifferenceRule, Judged)> {
    let all = Judged::of(removals, &DifferenceRule::default());
    if all.right + all.wrong < JUDGED || all.wrong_share() <= 50 {
        return None;
    }
    let subsets = 0u32..1 << PARTS.len();
    let rules = subsets.flat_map(|subset| {
        let chosen = (0..PARTS.len()).filter(|part| subset >> part & 1 == 1);
        let parts: Vec<TextPart> = chosen.map(|part| PARTS[part]).collect();
        let limits = std::iter::once(None).chain(LOSSES.map(Some));
        limits.map(move |max_lost| DifferenceRule { parts: parts.clone(), max_lost })
    });
    let right = all.right + certain;
    let lost = |left: &Judged| all.right - left.right;
    let enough = |left: &Judged| lost(left) * RIGHT_LOST <= right && left.right + certain > 0;
    rules
        .map(|rule| {
            let left = Judged::of(removals, &rule);
            (rule, left)
        })
        .filter(|(_, left)| enough(left) && left.wrong_share() * 2 <= all.wrong_share())
        .min_by_key(|(rule, left)| {
            let score = score(rule, *left, (lost(left), right));
            let limit = (rule.max_lost.is_some(), Reverse(rule.max_lost));
            (score, rule.terms(), Reverse(left.right), limit)
        })
}

/// How bad a rule is, in thousandths of wrong removals.
fn score(rule: &DifferenceRule, left: Judged, (lost, right): (u64, u64)) -> u64 {
    let lost = (lost * 1000).checked_div(right).unwrap_or(0);
    left.wrong_share() + lost / RIGHT_FOR_WRONG + PER_TERM * rule.terms()
}

/// A difference that recurs, and the rule that keeps its documents apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recurring {
    /// The rule.
    pub rule: DifferenceRule,
    /// Removals that differ in all parts of the rule, and besides only in what nearly all differ in.
    pub alone: u64,
    /// Removals that the rule keeps apart.
    pub apart: u64,
}

/// The sets of parts in which a tenth of the near removals or more differ, and in no other; the most
/// frequent first. A part in which more than nine tenths differ tells nothing apart, and does not count. A removal
/// that differs in no part counts by its lost words, if these are more than ten. `parts` are those that may count.
#[must_use]
pub fn recurring(removals: &[ComparedRemoval], parts: &[TextPart]) -> Vec<Recurring> {
    let near: Vec<DifferenceProfile> =
        removals.iter().filter(|removal| removal.near).map(|removal| removal.profile).collect();
    let differs_in =
        |profile: &DifferenceProfile, part: TextPart| profile.kinds.has(DifferenceKind::Part(part));
    let tells = |&part: &TextPart| {
        let differing = near.iter().filter(|profile| differs_in(profile, part)).count();
        parts.contains(&part) && differing * 10 <= near.len() * 9
    };
    let telling: Vec<TextPart> = PARTS.into_iter().filter(tells).collect();
    let mut alone: BTreeMap<Vec<usize>, u64> = BTreeMap::new();
    for profile in &near {
        let differs = |part: TextPart| telling.contains(&part) && differs_in(profile, part);
        // A title with numbers differs where the title does, or its numbers.
        let implied = differs(TextPart::Title) || differs(TextPart::Numbers);
        let set: Vec<usize> = (0..PARTS.len())
            .filter(|&part| differs(PARTS[part]))
            .filter(|&part| PARTS[part] != TextPart::TitleNumbers || !implied)
            .collect();
        if !set.is_empty() || (profile.lost > 10 && parts.len() > 1) {
            *alone.entry(set).or_default() += 1;
        }
    }
    let mut found: Vec<(Vec<usize>, u64)> = alone.into_iter().collect();
    found.retain(|&(_, count)| count >= FEWEST && count * 10 >= near.len() as u64);
    found.sort_by_key(|&(_, count)| Reverse(count));
    found.truncate(RECURRING);
    let told = found.into_iter().map(|(set, alone)| {
        let max_lost = set.is_empty().then_some(10);
        let parts = set.into_iter().map(|part| PARTS[part]).collect();
        let rule = DifferenceRule { parts, max_lost };
        let apart = near.iter().filter(|&&profile| rule.keeps_apart(profile)).count() as u64;
        Recurring { rule, alone, apart }
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DifferenceKinds;
    use proptest::prelude::*;

    fn removal(parts: &[TextPart], lost: u64, same: Option<bool>) -> ComparedRemoval {
        let mut kinds = DifferenceKinds::default();
        parts.iter().for_each(|&part| kinds.add(DifferenceKind::Part(part)));
        let profile = DifferenceProfile { lost, added: 1, kinds };
        ComparedRemoval { profile, near: true, same }
    }

    /// A rule as it is written in these tests.
    fn written(rule: &DifferenceRule) -> String {
        let parts = rule.parts.iter().map(|part| part.name().to_owned());
        parts.chain(rule.max_lost.map(|most| format!("lost {most}"))).collect::<Vec<_>>().join(",")
    }

    fn times(number: usize, removal: ComparedRemoval) -> Vec<ComparedRemoval> {
        vec![removal; number]
    }

    #[test]
    fn the_best_rule_by_hand() {
        use TextPart::{Identifiers, Numbers, Title};
        let right = times(60, removal(&[Numbers], 1, Some(true)));
        let pages = times(40, removal(&[Numbers, Title], 30, Some(false)));
        let said = |removals: &[ComparedRemoval]| {
            best_rule(removals, 0).map(|(rule, left)| (written(&rule), left.right, left.wrong))
        };
        let rule = |options: &str, right, wrong| Some((options.to_owned(), right, wrong));
        // The title does it, and so do 5, 10 or 20 words: titles come first, as do fewer refusals.
        assert_eq!(said(&[right.clone(), pages.clone()].concat()), rule("title", 60, 0));
        // Two kinds of wrong ones need two conditions.
        let others = times(20, removal(&[Identifiers], 0, Some(false)));
        let all = [right.clone(), pages, others.clone()].concat();
        assert_eq!(said(&all), rule("title,identifiers", 60, 0));
        // What would lose more than a tenth of the right ones is no rule.
        let alike = [right.clone(), times(40, removal(&[Numbers], 1, Some(false)))].concat();
        assert_eq!(said(&alike), None);
        let long = [right.clone(), times(40, removal(&[Numbers], 15, Some(false)))].concat();
        assert_eq!(said(&long), rule("lost 10", 60, 0));
        // Of the right ones that lose much, as many may go as there are ten of others.
        let few = [times(10, removal(&[Title], 1, Some(true))), right.clone()].concat();
        let few = [few, times(40, removal(&[Title], 9, Some(false)))].concat();
        assert_eq!(said(&few), rule("lost 5", 70, 0));
        let few = [right.clone(), times(10, removal(&[Title], 9, Some(true)))].concat();
        let few = [few, times(40, removal(&[Title], 9, Some(false)))].concat();
        assert_eq!(said(&few), None);
        let with_identical = best_rule(&few, 40).map(|(rule, left)| (written(&rule), left.right));
        assert_eq!(with_identical, Some(("title".to_owned(), 60)));
        // Nothing is wrong, nothing is judged, or too little is.
        assert_eq!(said(&right), None);
        assert_eq!(said(&times(90, removal(&[Title], 9, None))), None);
        assert_eq!(said(&[right[..10].to_vec(), others[..9].to_vec()].concat()), None);
        // The same words are one text.
        let symbols = ComparedRemoval { near: false, ..removal(&[Title], 0, Some(false)) };
        assert_eq!(said(&[right, times(40, symbols)].concat()), None);
    }

    #[test]
    fn recurring_differences_by_hand() {
        use TextPart::{Identifiers, Numbers, Title, TitleNumbers};
        let all = [
            times(50, removal(&[Title, TitleNumbers], 1, None)),
            times(30, removal(&[Numbers, Identifiers, TitleNumbers], 1, None)),
            times(14, removal(&[], 11, None)),
            times(6, removal(&[], 10, None)),
        ]
        .concat();
        let said = |parts: &[TextPart]| {
            let of = |found: Recurring| (written(&found.rule), found.alone, found.apart);
            recurring(&all, parts).into_iter().map(of).collect::<Vec<_>>()
        };
        let found = |options: &str, alone, apart| (options.to_owned(), alone, apart);
        assert_eq!(
            said(&PARTS),
            [
                found("title", 50, 50),
                found("numbers,identifiers", 30, 30),
                found("lost 10", 14, 14),
            ]
        );
        // What all differ in tells nothing apart.
        let with_names = |removal: &ComparedRemoval| {
            let mut removal = *removal;
            removal.profile.kinds.add(DifferenceKind::Part(TextPart::Names));
            removal
        };
        let noisy: Vec<ComparedRemoval> = all.iter().map(with_names).collect();
        assert_eq!(recurring(&noisy, &PARTS), recurring(&all, &PARTS));
        assert_eq!(said(&[Title]), [found("title", 50, 50)]);
    }

    proptest! {
        /// Every other rule that loses few right ones leaves no smaller share, but for its length.
        #[test]
        fn no_rule_is_better(
            of in prop::collection::vec((0u32..64, 0u64..60, prop::option::weighted(0.9, any::<bool>())), 0..80),
            certain in 0u64..40,
        ) {
            let removals: Vec<ComparedRemoval> = of
                .into_iter()
                .map(|(set, lost, same)| {
                    let parts = (0..6).filter(|bit| set >> bit & 1 == 1).map(|bit| PARTS[bit]);
                    removal(&parts.collect::<Vec<_>>(), lost, same)
                })
                .collect();
            let all = Judged::of(&removals, &DifferenceRule::default());
            // Thousandths of wrong ones, of right ones that are lost, and the terms.
            let score = |rule: &DifferenceRule, left: Judged| {
                let (right, left_all) = (all.right + certain, left.right + left.wrong);
                let terms = rule.parts.len() as u64 + u64::from(rule.max_lost.is_some());
                let wrong = 1000 * left.wrong / left_all.max(1);
                let lost = 1000 * (all.right - left.right) / right.max(1);
                wrong + lost / 4 + 5 * terms
            };
            let best = best_rule(&removals, certain).map(|(rule, left)| score(&rule, left));
            for set in 0u32..64 {
                for max_lost in [None, Some(0), Some(1), Some(2), Some(5), Some(10), Some(20), Some(50)] {
                    let parts = (0..6).filter(|bit| set >> bit & 1 == 1).map(|bit| PARTS[bit]).collect();
                    let rule = DifferenceRule { parts, max_lost };
                    let left = Judged::of(&removals, &rule);
                    let right = all.right + certain;
                    let loses = (all.right - left.right) * 10 > right || left.right + certain == 0;
                    if loses || left.wrong_share() * 2 > all.wrong_share() {
                        continue;
                    }
                    match best {
                        Some(best) => prop_assert!(best <= score(&rule, left)),
                        None => prop_assert!(all.right + all.wrong < 20 || all.wrong_share() <= 50),
                    }
                }
            }
        }
    }
}
