//! Near passages against the longest common subsequence, and against all exact passages.

use lookalike_core::Threshold;
use lookalike_passages::near::{NearPassage, NearRule, near_passages};
use lookalike_passages::{Finder, Lengths};
use proptest::prelude::*;

/// Documents with pieces of a pool, some units of which are changed, left out or put in.
fn documents() -> impl Strategy<Value = Vec<Vec<u64>>> {
    let edit = (any::<prop::sample::Index>(), 0u8..3, 0u64..9);
    let piece = (any::<prop::sample::Index>(), prop::collection::vec(edit, 0..4));
    let own = prop::collection::vec(10u64..40, 0..6);
    let pool = prop::collection::vec(prop::collection::vec(0u64..9, 1..30), 1..4);
    let document = prop::collection::vec((own, piece), 0..4);
    (pool, prop::collection::vec(document, 1..6)).prop_map(|(pool, documents)| {
        let changed = |(at, edits): &(prop::sample::Index, Vec<(prop::sample::Index, u8, u64)>)| {
            let mut units = pool[at.index(pool.len())].clone();
            for (place, kind, value) in edits {
                let at = place.index(units.len().max(1));
                match kind {
                    0 => units.insert(at.min(units.len()), *value),
                    1 if at < units.len() => units[at] = *value,
                    2 if at < units.len() => drop(units.remove(at)),
                    _ => {}
                }
            }
            units
        };
        let document = |parts: &Vec<(Vec<u64>, _)>| {
            parts.iter().flat_map(|(own, piece)| [own.clone(), changed(piece)].concat()).collect()
        };
        documents.iter().map(document).collect()
    })
}

/// Length of the longest common subsequence.
fn common(a: &[u64], b: &[u64]) -> usize {
    let mut row = vec![0; b.len() + 1];
    for x in a {
        let mut corner = 0;
        for (at, y) in b.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if x == y { corner + 1 } else { above.max(row[at]) };
            corner = above;
        }
    }
    row[b.len()]
}

fn text<'d>(documents: &'d [Vec<u64>], passage: &NearPassage, side: usize) -> &'d [u64] {
    let place = passage.places[side];
    &documents[place.document as usize][place.unit as usize..][..passage.units[side] as usize]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn stretches_agree_as_is_said_and_hold_all_exact_passages(
        documents in documents(),
        window in 2usize..5,
        more in 0u32..12,
        gap in 0u32..4,
        agreement in prop::sample::select(vec!["0.5", "0.8", "1"]),
    ) {
        let seeds = Lengths::of_window(window).unwrap();
        let agreement: Threshold = agreement.parse().unwrap();
        let rule = NearRule { length: seeds.window() + more, gap, agreement };
        let found = near_passages(&Finder::new(seeds).find(&documents), seeds, rule);
        for passage in &found {
            let [later, earlier] = passage.places;
            prop_assert!(later.document > earlier.document);
            prop_assert!(passage.units.iter().all(|&units| units >= rule.length));
            let sides = [0, 1].map(|side| text(&documents, passage, side));
            let same = common(sides[0], sides[1]);
            prop_assert!(same >= passage.same as usize, "{:?} of {}", passage, same);
            let longer = u64::from(*passage.units.iter().max().unwrap());
            let share = u64::from(passage.same) * agreement.denominator();
            prop_assert!(share >= longer * agreement.numerator());
        }
        // Every run of equal units of the length is in a passage of its two documents.
        let length = rule.length as usize;
        for (later, b) in documents.iter().enumerate() {
            for (earlier, a) in documents[..later].iter().enumerate() {
                for (at, one) in b.windows(length).enumerate() {
                    for (place, _) in a.windows(length).enumerate().filter(|(_, other)| *other == one) {
                        let holds = |passage: &NearPassage| {
                            let inside = |side: usize, document: usize, unit: usize| {
                                let at = passage.places[side];
                                at.document as usize == document
                                    && at.unit as usize <= unit
                                    && unit + length <= (at.unit + passage.units[side]) as usize
                            };
                            inside(0, later, at) && inside(1, earlier, place)
                        };
                        prop_assert!(found.iter().any(holds), "{at} of {later}, {place} of {earlier}: {found:?}");
                    }
                }
            }
        }
    }
}

/// A sentence with another word and one word more: worked out by hand.
#[test]
fn a_changed_and_an_added_word() {
    let one: Vec<u64> = (0..30).collect();
    let mut other: Vec<u64> = [vec![90, 91], (0..30).collect()].concat();
    other[12] = 92;
    other.insert(22, 93);
    let seeds = Lengths::of_window(4).unwrap();
    let documents = [one, other];
    let runs = Finder::new(seeds).find(&documents);
    let near = |gap, agreement: &str| {
        let agreement = agreement.parse().unwrap();
        near_passages(&runs, seeds, NearRule { length: 20, gap, agreement })
    };
    let found = near(1, "0.9");
    assert_eq!(found.len(), 1);
    // 29 units of the one and of 31 of the other.
    assert_eq!((found[0].units, found[0].same), ([31, 30], 29));
    assert_eq!(found[0].places.map(|place| (place.document, place.unit)), [(1, 2), (0, 0)]);
    assert_eq!(near(0, "0.9"), []);
    // The first two seeds: 19 of 20.
    assert_eq!(
        near(1, "0.94").iter().map(|of| (of.units, of.same)).collect::<Vec<_>>(),
        [([20, 20], 19)]
    );
    assert_eq!(near(1, "0.96"), []);
}
