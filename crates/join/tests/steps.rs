//! The composed steps against brute force.
//!
//! Sets are cut into batches; each batch is counted, keyed and verified by itself, sketches are
//! merged in any order, posting lists are gathered and shuffled, and a random element order may
//! take the place of the counted one. Pairs, kept sets and witnesses must be those of brute force,
//! which intersects `BTreeSet`s and shares no code with the join.

#![allow(clippy::unwrap_used)]

use lookalike_cluster::Components;
use lookalike_core::fingerprint::finalise;
use lookalike_core::{BitmapSignature, Measure, Overlap};
use lookalike_join::{
    Bitmap, Criterion, Decision, DfSketch, ElementOrder, LeaderPass, MatchEdge, Posting, PrefixKey,
    SetId, WitnessRule, candidates, candidates_of, index_keys, prefix, verify,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// (later, earlier) with their counts.
type Pairs<Id> = BTreeMap<(Id, Id), (u32, u32, u32)>;

/// What the join may not depend on.
#[derive(Debug, Clone)]
struct Arrangement {
    /// The batch of each set.
    batches: Vec<usize>,
    /// Chooses orders of merging and of posting lists.
    seed: u64,
    /// Elements and how often they are counted, instead of those of the sets.
    order: Option<Vec<(u64, u32)>>,
    bitmap: bool,
    /// Encoded on the way, as if batches were on other machines.
    encoded: bool,
    /// Two-sided: each probing set is paired with what is indexed.
    probing: bool,
}

const BATCHES: usize = 4;

fn arrangement() -> impl Strategy<Value = Arrangement> {
    let order = prop::option::of(prop::collection::vec((1u64..60, 1u32..2000), 0..60));
    let batches = prop::collection::vec(0..BATCHES, 24);
    (batches, any::<u64>(), order, any::<[bool; 3]>()).prop_map(
        |(batches, seed, order, [bitmap, encoded, probing])| Arrangement {
            batches,
            seed,
            order,
            bitmap,
            encoded,
            probing,
        },
    )
}

/// Sets with many matches: variants of a few, and strangers. Not all elements are spread evenly.
fn sets() -> impl Strategy<Value = Vec<Vec<u64>>> {
    let base = prop::collection::vec(prop::collection::btree_set(1u64..60, 1..30), 1..4);
    let variant = (any::<prop::sample::Index>(), prop::collection::btree_set(1u64..60, 0..4));
    let variants = prop::collection::vec(variant, 1..20);
    let stranger = prop::collection::btree_set(1u64..60, 0..25);
    let strangers = prop::collection::vec(stranger, 0..5);
    (base, variants, strangers, any::<bool>()).prop_map(|(base, variants, strangers, spread)| {
        let vary = |(which, flips): (prop::sample::Index, BTreeSet<u64>)| {
            which.get(&base).symmetric_difference(&flips).copied().collect::<BTreeSet<u64>>()
        };
        let sets = variants.into_iter().map(vary).chain(strangers);
        let place = |n: u64| if spread { finalise(n) } else { n };
        sets.map(|set| {
            let mut set: Vec<u64> = set.into_iter().map(place).collect();
            set.sort_unstable();
            set
        })
        .collect()
    })
}

fn criterion() -> impl Strategy<Value = Criterion> {
    let measures = vec![Measure::Resemblance, Measure::Cosine, Measure::Containment];
    (prop::sample::select(measures), 300u32..=1000).prop_map(|(measure, thousandths)| {
        let threshold = format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
        Criterion { measure, threshold: threshold.parse().unwrap() }
    })
}

/// All pairs, by the definitions.
fn brute_force<Id: Copy + Ord>(sets: &[Vec<u64>], ids: &[Id], criterion: Criterion) -> Pairs<Id> {
    let p = u128::from(criterion.threshold.numerator());
    let q = u128::from(criterion.threshold.denominator());
    let mut pairs = Pairs::new();
    for later in 0..sets.len() {
        for earlier in 0..later {
            let [x, y] = [later, earlier].map(|at| sets[at].iter().collect::<BTreeSet<_>>());
            let shared = x.intersection(&y).count();
            let (s, a, b) = (shared as u128, x.len() as u128, y.len() as u128);
            let matches = match criterion.measure {
                Measure::Resemblance => s * q >= p * (a + b - s),
                Measure::Containment => s * q >= p * a,
                Measure::Cosine => s * s * q * q >= p * p * a * b,
            };
            if shared > 0 && matches {
                let counts = (shared as u32, x.len() as u32, y.len() as u32);
                pairs.insert((ids[later], ids[earlier]), counts);
            }
        }
    }
    pairs
}

/// The witness of each removed set: set by set in order of precedence.
fn greedy<Id: Copy + Ord>(ids: &[Id], pairs: &Pairs<Id>) -> BTreeMap<Id, Id> {
    let mut removed = BTreeMap::new();
    for &later in ids {
        let kept = |earlier: &&Id| {
            !removed.contains_key(*earlier) && pairs.contains_key(&(later, **earlier))
        };
        if let Some(&witness) = ids.iter().take_while(|id| **id < later).find(kept) {
            removed.insert(later, witness);
        }
    }
    removed
}

/// Sorted by a hash: an order that has nothing to do with any other.
fn shuffled<T>(items: impl IntoIterator<Item = T>, seed: u64) -> Vec<T> {
    let mut items: Vec<(u64, T)> =
        (0..).zip(items).map(|(at, item)| (finalise(seed ^ finalise(at)), item)).collect();
    items.sort_by_key(|item| item.0);
    items.into_iter().map(|item| item.1).collect()
}

fn element_order(sets: &[Vec<u64>], how: &Arrangement) -> ElementOrder {
    let mut sketches = vec![DfSketch::for_elements(100, how.seed); BATCHES];
    match &how.order {
        Some(counts) => {
            for &(element, times) in counts {
                (0..times).for_each(|_| sketches[0].add(&[element, finalise(element)]));
            }
        }
        None => {
            for (set, &batch) in sets.iter().zip(&how.batches) {
                sketches[batch].add(set);
            }
        }
    }
    let encode = |sketch: DfSketch| match how.encoded {
        true => DfSketch::from_bytes(&sketch.to_bytes()).unwrap(),
        false => sketch,
    };
    let mut sketches = shuffled(sketches.into_iter().map(encode), how.seed).into_iter();
    let mut all = sketches.next().unwrap();
    sketches.for_each(|sketch| all.merge(&sketch).unwrap());
    let order = all.freeze();
    if how.encoded { ElementOrder::from_bytes(&order.to_bytes()).unwrap() } else { order }
}

/// The postings of some sets under each element, in batches.
fn lists<Id: Copy, B: Copy>(
    sets: &[Vec<u64>],
    ids: &[Id],
    how: &Arrangement,
    keys: impl Fn(&[u64], &mut Vec<PrefixKey>),
    bitmap: impl Fn(&[u64]) -> B,
) -> BTreeMap<u64, Vec<Posting<Id, B>>> {
    let mut lists: BTreeMap<u64, Vec<Posting<Id, B>>> = BTreeMap::new();
    for batch in shuffled(0..BATCHES, how.seed) {
        let mut out = Vec::new();
        for ((set, &id), _) in
            sets.iter().zip(ids).zip(&how.batches).filter(|(_, own)| **own == batch)
        {
            // Elements in any order.
            keys(&shuffled(set.iter().copied(), how.seed), &mut out);
            for &PrefixKey { element, position } in &out {
                let posting =
                    Posting { set: id, size: set.len() as u32, position, bitmap: bitmap(set) };
                lists.entry(element).or_default().push(posting);
            }
        }
    }
    lists
}

/// The pairs, by the pure steps; checks that each is a candidate of its first common element.
fn joined<Id: Copy + Ord + std::fmt::Debug, B: Bitmap>(
    sets: &[Vec<u64>],
    ids: &[Id],
    criterion: Criterion,
    how: &Arrangement,
    bitmap: impl Fn(&[u64]) -> B + Copy,
) -> Pairs<Id> {
    let order = element_order(sets, how);
    let index = lists(sets, ids, how, |set, out| index_keys(criterion, &order, set, out), bitmap);
    let probes = lists(sets, ids, how, |set, out| prefix(criterion, &order, set, out), bitmap);
    let mut found: BTreeMap<(Id, Id), BTreeSet<u64>> = BTreeMap::new();
    for (&element, list) in &index {
        let mut emit = |later, earlier| {
            assert!(later > earlier);
            found.entry((later, earlier)).or_default().insert(element);
        };
        match how.probing {
            false => candidates(criterion, &shuffled(list.iter().copied(), how.seed), emit),
            true => probes.get(&element).into_iter().flatten().for_each(|probe| {
                candidates_of(criterion, probe, list, |set| {
                    if set < probe.set {
                        emit(probe.set, set);
                    }
                });
            }),
        }
    }
    let set = |id: Id| &sets[ids.iter().position(|&other| other == id).unwrap()];
    let mut pairs = Pairs::new();
    for ((later, earlier), elements) in found {
        if let Some(Overlap { shared, a, b }) = verify(criterion, set(later), set(earlier)) {
            pairs.insert((later, earlier), (shared, a, b));
            let common = set(later).iter().filter(|element| set(earlier).contains(element));
            let first = common.min_by_key(|&&element| (order.level(element), element)).unwrap();
            assert!(elements.contains(first), "not under the first common element");
        }
    }
    pairs
}

/// The witness of each removed set, by components and one pass.
fn led<Id: Copy + Ord + std::fmt::Debug>(ids: &[Id], pairs: &Pairs<Id>) -> BTreeMap<Id, Id> {
    let mut components = Components::new(ids.len() as u32);
    let number = |id: Id| ids.iter().position(|&other| other == id).unwrap() as u32;
    for &(later, earlier) in pairs.keys() {
        components.join(number(later), number(earlier));
    }
    let edge = |(&(later, earlier), &(shared, a, b)): (&(Id, Id), &(u32, u32, u32))| MatchEdge {
        component: ids[components.root(number(later)) as usize],
        later,
        earlier,
        overlap: Overlap { shared, a, b },
    };
    let mut edges: Vec<MatchEdge<Id>> = pairs.iter().map(edge).collect();
    edges.sort_by_key(|edge| (edge.component, edge.later, edge.earlier));
    let mut removed = BTreeMap::new();
    let mut emit = |decision| {
        if let Decision::Removed(MatchEdge { later, earlier, .. }) = decision {
            removed.insert(later, earlier);
        }
    };
    let mut pass = LeaderPass::new(WitnessRule::First, Measure::Resemblance);
    edges.into_iter().for_each(|edge| pass.push(edge, &mut emit).unwrap());
    pass.finish(&mut emit);
    removed
}

fn check<Id: Copy + Ord + std::fmt::Debug>(
    sets: &[Vec<u64>],
    ids: &[Id],
    criterion: Criterion,
    how: &Arrangement,
) -> Result<(), TestCaseError> {
    let truth = brute_force(sets, ids, criterion);
    let pairs = match how.bitmap {
        false => joined(sets, ids, criterion, how, |_| ()),
        true => joined(sets, ids, criterion, how, BitmapSignature::of),
    };
    prop_assert_eq!(&pairs, &truth);
    prop_assert_eq!(led(ids, &pairs), greedy(ids, &truth));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn the_steps_give_the_pairs_and_leaders_of_brute_force(
        sets in sets(), criterion in criterion(), how in arrangement(),
    ) {
        let ids: Vec<SetId> = (0..sets.len() as u32).map(SetId).collect();
        check(&sets, &ids, criterion, &how)?;
        // Ranks beyond 32 bits, with gaps.
        let ids: Vec<u64> = (0..sets.len() as u64).map(|at| (at * 3 + 1) << 40).collect();
        check(&sets, &ids, criterion, &how)?;
    }
}

/// One text with one change a version: chains, components, and witnesses that are not neighbours.
#[test]
fn a_long_chain_of_versions() {
    let sets: Vec<Vec<u64>> = (0..400u64)
        .map(|version| {
            let mut set: Vec<u64> = (version..version + 20).map(finalise).collect();
            set.sort_unstable();
            set
        })
        .collect();
    let ids: Vec<u64> = (0..400).collect();
    let how = Arrangement {
        batches: (0..400).map(|at| at % BATCHES).collect(),
        seed: 3,
        order: None,
        bitmap: true,
        encoded: true,
        probing: false,
    };
    let criterion = Criterion { measure: Measure::Resemblance, threshold: "0.8".parse().unwrap() };
    check(&sets, &ids, criterion, &how).unwrap();
    // Versions up to two apart share 18 of 22 elements or more: every third one is kept.
    let removed = led(&ids, &brute_force(&sets, &ids, criterion));
    assert!((0..400).all(|at| removed.get(&at).copied() == (at % 3 > 0).then_some(at - at % 3)));
}
