//! The engine against brute force, over sets whose overlaps are on the boundaries.
//!
//! The oracle uses no prefixes, keys, fingerprints or document frequencies: it intersects
//! `BTreeSet`s and compares cross-multiplied integers.

#![allow(clippy::unwrap_used)]

use lookalike_core::Measure;
use lookalike_engine::{
    Approach, CandidateSearch, Collection, DocumentId, Edge, Linkage, MatchOptions, MatchSettings,
    Matches, MinFeatures, SetId, Silent, Units, WitnessRule, find,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

type Set = BTreeSet<u64>;

/// Whether `a` reaches p/1000 with `b`: the definitions, cross-multiplied.
fn reaches(measure: Measure, thousandths: u64, a: &Set, b: &Set) -> bool {
    let shared = a.intersection(b).count() as u64;
    reaches_by_counts(measure, thousandths, shared, a.len() as u64, b.len() as u64)
}

fn reaches_by_counts(measure: Measure, p: u64, shared: u64, x: u64, y: u64) -> bool {
    shared > 0
        && match measure {
            Measure::Resemblance => shared * 1000 >= p * (x + y - shared),
            Measure::Containment => shared * 1000 >= p * x,
            Measure::Cosine => shared * shared * 1_000_000 >= p * p * x * y,
        }
}

/// Mixes a small number into a pseudo-fingerprint.
fn spread(value: u64) -> u64 {
    (value + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1
}

fn settings(measure: Measure, thousandths: u64) -> MatchSettings {
    let threshold = format!("{}.{:03}", thousandths / 1000, thousandths % 1000).parse().unwrap();
    MatchSettings { measure, ..MatchSettings::resemblance(threshold) }
}

/// Runs the engine; results are in document numbers. Sets beyond `at_hand` bytes are on disk.
struct Run {
    units: Units,
    matches: Matches,
}

fn run(
    sets: &[Set],
    settings: &MatchSettings,
    linkage: Linkage,
    list: Option<u64>,
    threads: usize,
    at_hand: Option<u64>,
) -> Run {
    let found = (linkage, WitnessRule::First, list);
    run_with(sets, settings, found, threads, at_hand)
}

fn run_with(
    sets: &[Set],
    settings: &MatchSettings,
    (linkage, witness, list): (Linkage, WitnessRule, Option<u64>),
    threads: usize,
    at_hand: Option<u64>,
) -> Run {
    let mut collection =
        Collection::of_sets(sets.iter().map(|set| set.iter().map(|&v| spread(v)).collect()));
    let units = Units::new(&collection, &[], settings.measure, &Silent).unwrap();
    if at_hand.is_some() {
        collection.hold_at_most(0).unwrap();
    }
    let options = |search| MatchOptions {
        linkage,
        witness,
        list_pairs: list,
        only_protected: false,
        contained: None,
        loss: None,
        templates: None,
        search,
        memory: 1000,
        sets: at_hand.unwrap_or(u64::MAX),
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let by = |search| {
        let (approach, options) = (Approach::default(), options(search));
        pool.install(|| find(&collection, &units, settings, &approach, &options, &Silent)).unwrap()
    };
    let matches = by(CandidateSearch::Prefixes);
    let by_bitmaps = by(CandidateSearch::Bitmaps);
    assert_eq!((&by_bitmaps.leader, &by_bitmaps.shared), (&matches.leader, &matches.shared));
    assert_eq!(by_bitmaps.pairs.complete, matches.pairs.complete);
    if matches.pairs.complete || linkage == Linkage::Leaders {
        assert_eq!(by_bitmaps.pairs.edges, matches.pairs.edges);
    }
    Run { units, matches }
}

/// All pairs of documents, as the engine found them, each with its shared count.
fn document_pairs(run: &Run) -> BTreeMap<(u32, u32), u32> {
    let mut pairs = BTreeMap::new();
    let mut add = |DocumentId(a): DocumentId, DocumentId(b): DocumentId, shared| {
        assert!(pairs.insert((a.min(b), a.max(b)), shared).is_none(), "pair {a} {b} listed twice");
    };
    for unit in run.units.ids() {
        let members = run.units.members(unit);
        for (i, &a) in members.iter().enumerate() {
            members[..i].iter().for_each(|&b| add(a, b, run.units.size(unit)));
        }
    }
    for &Edge { later: unit, earlier: with, shared } in &run.matches.pairs.edges {
        for &a in run.units.members(unit) {
            run.units.members(with).iter().for_each(|&b| add(a, b, shared));
        }
    }
    pairs
}

fn true_pairs(sets: &[Set], measure: Measure, thousandths: u64) -> BTreeMap<(u32, u32), u32> {
    let mut pairs = BTreeMap::new();
    for (i, a) in sets.iter().enumerate() {
        for (j, b) in sets.iter().enumerate().skip(i + 1) {
            if reaches(measure, thousandths, a, b) || reaches(measure, thousandths, b, a) {
                pairs.insert((i as u32, j as u32), a.intersection(b).count() as u32);
            }
        }
    }
    pairs
}

fn components(sets: &[Set], pairs: &BTreeMap<(u32, u32), u32>) -> Vec<usize> {
    let mut label: Vec<usize> = (0..sets.len()).collect();
    loop {
        let before = label.clone();
        for &(a, b) in pairs.keys() {
            let least = label[a as usize].min(label[b as usize]);
            label[a as usize] = least;
            label[b as usize] = least;
        }
        if before == label {
            return label;
        }
    }
}

fn check(sets: &[Set], measure: Measure, thousandths: u64, threads: usize) {
    // In memory; on disk, with none, some or all of the compared sets in memory.
    let on_disk = [0, 600, u64::MAX][sets.len() % 3];
    for at_hand in [None, Some(on_disk)] {
        check_held(sets, measure, thousandths, threads, at_hand);
    }
}

fn check_held(
    sets: &[Set],
    measure: Measure,
    thousandths: u64,
    threads: usize,
    at_hand: Option<u64>,
) {
    let settings = settings(measure, thousandths);
    let truth = true_pairs(sets, measure, thousandths);

    let all = run(sets, &settings, Linkage::Components, Some(u64::MAX), threads, at_hand);
    assert!(all.matches.pairs.complete);
    assert_eq!(document_pairs(&all), truth);

    // Components twice: from the list of pairs, and grown key by key without it.
    let labels = components(sets, &truth);
    let grown = run(sets, &settings, Linkage::Components, None, threads, at_hand);
    for run in [&all, &grown] {
        for unit in run.units.ids() {
            for other in run.units.ids() {
                let leader = |u: SetId| run.matches.leader[u.index()];
                let label = |u: SetId| labels[run.units.members(u)[0].index()];
                assert_eq!(leader(unit) == leader(other), label(unit) == label(other));
            }
        }
    }
    assert_eq!(all.matches.leader, grown.matches.leader);
    assert_eq!(all.matches.shared, grown.matches.shared);

    for witness in [WitnessRule::First, WitnessRule::Best] {
        let asked = (Linkage::Leaders, witness, None);
        let led = run_with(sets, &settings, asked, threads, at_hand);
        let set = |unit: SetId| &sets[led.units.members(unit)[0].index()];
        let (leader, shared) = witnesses(&led, set, measure, thousandths, witness);
        assert_eq!(led.matches.leader, leader, "{witness:?}");
        assert_eq!(led.matches.shared, shared, "{witness:?}");
    }
}

/// The value of a measure as a fraction; that of the cosine squared.
fn fraction(measure: Measure, shared: u64, a: u64, b: u64) -> (u64, u64) {
    match measure {
        Measure::Resemblance => (shared, a + b - shared),
        Measure::Containment => (shared, a),
        Measure::Cosine => (shared * shared, a * b),
    }
}

/// The witness of every unit, itself for a kept one, and what they share: leader clustering and the
/// witness rules by definition, over all pairs in the order of the units.
fn witnesses<'s>(
    run: &Run,
    set: impl Fn(SetId) -> &'s Set,
    measure: Measure,
    thousandths: u64,
    rule: WitnessRule,
) -> (Vec<SetId>, Vec<u32>) {
    let sets: Vec<&Set> = run.units.ids().map(set).collect();
    let mut found: Vec<(SetId, u32)> = Vec::new();
    let mut kept: Vec<SetId> = Vec::new();
    for (unit, own) in run.units.ids().zip(&sets) {
        let mut matches = kept.iter().filter_map(|&u| {
            let other = sets[u.index()];
            let (x, y) = (own.len() as u64, other.len() as u64);
            let shared = own.intersection(other).count() as u64;
            let enough = reaches_by_counts(measure, thousandths, shared, x, y);
            enough.then(|| (u, shared as u32, fraction(measure, shared, x, y)))
        });
        let first = matches.next();
        let witness = match rule {
            WitnessRule::First => first,
            // A later one only if it is strictly better.
            WitnessRule::Best => first.map(|first| {
                matches.fold(first, |best, next| {
                    let ((x, y), (p, q)) = (next.2, best.2);
                    if x * q > p * y { next } else { best }
                })
            }),
        };
        match witness {
            Some((with, shared, _)) => found.push((with, shared)),
            None => {
                kept.push(unit);
                found.push((unit, own.len() as u32));
            }
        }
    }
    found.into_iter().unzip()
}

/// Sets that share long common parts, so that overlaps of every size occur.
fn related_sets() -> impl Strategy<Value = Vec<Set>> {
    let base = prop::collection::btree_set(0u64..60, 1..40);
    let edits =
        prop::collection::vec((0usize..4, prop::collection::btree_set(0u64..80, 0..8)), 1..24);
    (prop::collection::vec(base, 1..4), edits).prop_map(|(bases, edits)| {
        let mut sets: Vec<Set> = Vec::new();
        for (which, edit) in edits {
            let base = &bases[which % bases.len()];
            let set: Set = base.symmetric_difference(&edit).copied().collect();
            if !set.is_empty() {
                sets.push(set);
            }
        }
        sets.extend(bases);
        sets
    })
}

/// Pairs whose overlap is exactly the required one, or one less, and is last in the rarest-first
/// order; the frequency of their other elements is random.
fn boundary_sets() -> impl Strategy<Value = (Vec<Set>, u64)> {
    (300u64..=1000, prop::collection::vec((1u64..40, 1u64..40, 0u64..2), 1..6)).prop_map(
        |(thousandths, shapes)| {
            let mut sets = Vec::new();
            for (index, (a, b, less)) in (0u64..).zip(shapes) {
                // Shared elements come from a pool all pairs use, so they are the commonest; the
                // rest are private to each set.
                let needed = [
                    (thousandths * (a + b)).div_ceil(1000 + thousandths),
                    (thousandths * a.min(b)).div_ceil(1000),
                ][(index % 2) as usize];
                let shared = needed.saturating_sub(less).min(a).min(b);
                let private =
                    |side: u64, n: u64| (0..n).map(move |i| 1000 + index * 200 + side * 100 + i);
                let first: Set = (0..shared).chain(private(0, a - shared)).collect();
                let second: Set = (0..shared).chain(private(1, b - shared)).collect();
                sets.push(first);
                sets.push(second);
            }
            (sets, thousandths)
        },
    )
}

const MEASURES: [Measure; 3] = [Measure::Resemblance, Measure::Containment, Measure::Cosine];

/// Sets with fewer elements than `count` are only in pairs of equal sets, and are the witness of no
/// other set.
fn check_min_features(sets: &[Set], measure: Measure, thousandths: u64, count: u32) {
    let mut settings = settings(measure, thousandths);
    let MatchSettings { features, terms, .. } = settings;
    settings.min_features = Some(MinFeatures { count, features, terms });
    let small = |document: u32| sets[document as usize].len() < count as usize;
    let mut truth = true_pairs(sets, measure, thousandths);
    truth.retain(|&(a, b), _| sets[a as usize] == sets[b as usize] || !small(a) && !small(b));
    for at_hand in [None, Some(0)] {
        let all = run(sets, &settings, Linkage::Components, Some(u64::MAX), 2, at_hand);
        assert_eq!(document_pairs(&all), truth);
        for (linkage, list) in [(Linkage::Components, None), (Linkage::Leaders, None)] {
            let run = run(sets, &settings, linkage, list, 2, at_hand);
            for (unit, &leader) in run.units.ids().zip(&run.matches.leader) {
                let excluded = [unit, leader].map(|unit| small(run.units.members(unit)[0].0));
                assert!(unit == leader || excluded == [false; 2], "{unit} and {leader}");
            }
        }
    }
}

proptest! {
    #[test]
    fn sets_with_few_elements_are_compared_with_none(
        sets in related_sets(), thousandths in 100u64..=1000, count in 2u32..30, which in 0usize..3,
    ) {
        check_min_features(&sets, MEASURES[which], thousandths, count);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn related_sets_match_as_brute_force_says(sets in related_sets(), thousandths in 300u64..=1000) {
        for measure in MEASURES {
            check(&sets, measure, thousandths, 1);
        }
    }

    #[test]
    fn boundary_sets_match_as_brute_force_says((sets, thousandths) in boundary_sets()) {
        for measure in MEASURES {
            check(&sets, measure, thousandths, 2);
        }
    }

    #[test]
    fn round_thresholds_are_reached_exactly(sets in related_sets(), tenth in 3u64..=10) {
        for measure in MEASURES {
            check(&sets, measure, tenth * 100, 2);
        }
    }
}

/// Long lists under one key: the paths that small random sets never take.
#[test]
fn crowded_keys_match_as_brute_force_says() {
    // 900 sets that share 40 common elements and differ in up to 9 private ones each.
    let mut state = 7u64;
    let mut next = |n: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    let sets: Vec<Set> = (0..900u64)
        .map(|i| {
            let missing = next(44);
            let private = next(10);
            (0..40)
                .filter(|v| *v != missing)
                .chain((0..private).map(|p| 1000 + i * 16 + p))
                .collect()
        })
        .collect();
    for measure in MEASURES {
        check(&sets, measure, 850, 2);
    }
}

/// Many edits of one text with common edits: a rare common key is first in the order of document
/// frequency and anywhere in the order of values, next to keys of more than a thousand sets.
#[test]
fn edited_copies_match_as_brute_force_says() {
    let mut state = 11u64;
    let mut next = |n: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    let sets: Vec<Set> = (0..1300u64)
        .map(|_| {
            let edits = next(8);
            let mut set: Set = (0..60).collect();
            for _ in 0..edits {
                set.remove(&next(60));
                set.insert(1000 + next(400));
            }
            set
        })
        .collect();
    for measure in MEASURES {
        check(&sets, measure, 820, 2);
    }
}

/// Sets with bucket counts, around the threshold on both sides: in memory, and on disk with memory
/// for the counts of all, of some and of none.
#[test]
fn large_sets_match_as_brute_force_says() {
    let mut state = 5u64;
    let mut next = |n: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    for (measure, thousandths) in
        [(Measure::Resemblance, 800), (Measure::Containment, 700), (Measure::Cosine, 500)]
    {
        // Three bases that share about a half; each set lacks a part of its base and has others in
        // its place.
        let sets: Vec<Set> = (0..36)
            .map(|number| {
                let (from, size) = (number % 3 * 700, 1500 + number % 4 * 100);
                let base = from..from + size;
                let lacks = next(size / 5);
                let start = from + next(size - lacks);
                let own = 100_000 + number * 1000;
                base.filter(|v| !(start..start + lacks).contains(v))
                    .chain(own..own + next(lacks + 1))
                    .collect()
            })
            .collect();
        let matches = true_pairs(&sets, measure, thousandths).len();
        assert!((10..500).contains(&matches), "{matches} of 630 pairs");
        for at_hand in [None, Some(0), Some(20_000), Some(200_000), Some(u64::MAX)] {
            check_held(&sets, measure, thousandths, 2, at_hand);
        }
    }
}

/// Not asserted as a time, but as work: removed documents are not compared again.
#[test]
fn a_giant_cluster_costs_about_one_comparison_for_each_document() {
    let sets: Vec<Set> = (0..20_000u64)
        .map(|i| (0..50).filter(|v| *v != i % 50).chain([1_000 + i]).collect())
        .collect();
    let led = run(&sets, &settings(Measure::Resemblance, 800), Linkage::Leaders, None, 2, None);
    assert_eq!(led.matches.leader.iter().filter(|&&l| l == SetId(0)).count(), sets.len());
    assert!(led.matches.verified < 2 * sets.len() as u64, "{} comparisons", led.matches.verified);
    let grown =
        run(&sets, &settings(Measure::Resemblance, 800), Linkage::Components, None, 2, None);
    assert!(grown.matches.leader.iter().all(|&l| l == SetId(0)));
    assert!(
        grown.matches.verified < 2 * sets.len() as u64,
        "{} comparisons",
        grown.matches.verified
    );
}

/// A ~ B ~ C with A and C different: components connect them, leaders do not.
#[test]
fn chains_do_not_connect_different_documents() {
    let window = |from: u64| (from..from + 20).collect::<Set>();
    let sets: Vec<Set> = (0..10).map(|i| window(i * 2)).collect();
    let settings = settings(Measure::Resemblance, 800);
    assert_eq!(
        run(&sets, &settings, Linkage::Components, None, 1, None).matches.leader,
        [SetId(0); 10]
    );
    assert_eq!(
        run(&sets, &settings, Linkage::Leaders, None, 1, None).matches.leader,
        [0, 0, 2, 2, 4, 4, 6, 6, 8, 8].map(SetId)
    );
}

/// 9,000 variants of one text, more than two blocks of units, of which hundreds are kept and most
/// match hundreds of kept ones: a limit on the candidates of a unit, or another order of kept units
/// in a block, would give other witnesses.
#[test]
fn large_families_have_the_witnesses_of_the_definition() {
    let mut state = 23u64;
    let mut next = |n: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    // Bits of a text of 100 elements, and of 156 by which variants replace some of them.
    let variants: Vec<[u64; 4]> = (0..9000)
        .map(|_| {
            let mut bits = [u64::MAX, (1 << 36) - 1, 0, 0];
            for _ in 0..next(14) {
                let (old, new) = (next(100), 100 + next(156));
                bits[old as usize / 64] &= !(1 << (old % 64));
                bits[new as usize / 64] |= 1 << (new % 64);
            }
            bits
        })
        .collect();
    let elements = |bits: &[u64; 4]| -> Set {
        (0..256).filter(|&v| bits[v as usize / 64] >> (v % 64) & 1 == 1).collect()
    };
    let sets: Vec<Set> = variants.iter().map(elements).collect();
    let size = |a: &[u64; 4]| a.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
    for (measure, thousandths) in
        [(Measure::Resemblance, 850u64), (Measure::Containment, 910), (Measure::Cosine, 920)]
    {
        for rule in [WitnessRule::First, WitnessRule::Best] {
            let mut answers = Vec::new();
            for threads in [1, 3] {
                let asked = (Linkage::Leaders, rule, None);
                let settings = settings(measure, thousandths);
                answers.push(run_with(&sets, &settings, asked, threads, None));
            }
            let [run, other] = &answers[..] else { unreachable!() };
            assert_eq!(run.matches.leader, other.matches.leader);
            assert_eq!(run.matches.candidates, other.matches.candidates);
            assert_eq!(run.matches.verified, other.matches.verified);
            let unit_bits: Vec<_> =
                run.units.ids().map(|unit| &variants[run.units.members(unit)[0].index()]).collect();
            let (mut kept, mut matched): (Vec<SetId>, _) = (Vec::new(), 0);
            for (unit, own) in run.units.ids().zip(&unit_bits) {
                let mut witness: Option<(SetId, (u64, u64))> = None;
                for &with in &kept {
                    let other = unit_bits[with.index()];
                    let shared =
                        (0..4).map(|at| u64::from((own[at] & other[at]).count_ones())).sum();
                    let (x, y) = fraction(measure, shared, size(own), size(other));
                    let (p, q) = match measure {
                        Measure::Cosine => (thousandths * thousandths, 1_000_000),
                        _ => (thousandths, 1000),
                    };
                    if x * q < p * y {
                        continue;
                    }
                    matched += 1;
                    let better = |(_, (p, q))| rule == WitnessRule::Best && x * q > p * y;
                    if witness.is_none_or(better) {
                        witness = Some((with, (x, y)));
                    }
                }
                let truth = witness.map_or(unit, |(with, _)| with);
                assert_eq!(run.matches.leader[unit.index()], truth, "{measure:?} {rule:?}");
                if witness.is_none() {
                    kept.push(unit);
                }
            }
            // The family has the intended size.
            let removed = unit_bits.len() - kept.len();
            assert!(kept.len() > 300 && removed > 3000, "{} kept, {removed} removed", kept.len());
            assert!(matched > 20 * removed, "{matched} kept matches of {removed} removed");
        }
    }
}
