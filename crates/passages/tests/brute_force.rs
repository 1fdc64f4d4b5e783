//! Runs and cuts against brute force: a map from the content of each window to its places.

use lookalike_passages::kept::{cuts, cuts_beside};
use lookalike_passages::{Cut, CutRule, Finder, Lengths, Place, Run, Scope};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Texts with what is hard: few units, copied pieces, periods.
fn documents() -> impl Strategy<Value = Vec<Vec<u64>>> {
    let piece = |units: u64| {
        prop_oneof![
            4 => prop::collection::vec(0..units, 0..12),
            1 => (prop::collection::vec(0..units, 1..4), 1usize..12).prop_map(|(period, times)| period.repeat(times)),
        ]
    };
    (1u64..6, 1usize..9).prop_flat_map(move |(units, count)| {
        let pool = prop::collection::vec(piece(units), 1..5);
        (
            pool,
            prop::collection::vec(
                prop::collection::vec(
                    (any::<prop::sample::Index>(), piece(units), any::<bool>()),
                    0..5,
                ),
                count,
            ),
        )
            .prop_map(|(pool, documents)| {
                let document = |parts: Vec<(prop::sample::Index, Vec<u64>, bool)>| {
                    parts
                        .into_iter()
                        .flat_map(
                            |(at, own, copied)| {
                                if copied { pool[at.index(pool.len())].clone() } else { own }
                            },
                        )
                        .collect()
                };
                documents.into_iter().map(document).collect()
            })
    })
}

fn scopes() -> impl Strategy<Value = Scope> {
    prop::sample::select(vec![Scope::Anywhere, Scope::Across])
}

type Window = (u32, u32);

/// The places of each window by its content, ascending.
fn places(documents: &[Vec<u64>], window: usize) -> HashMap<&[u64], Vec<Window>> {
    let mut places: HashMap<&[u64], Vec<Window>> = HashMap::new();
    for (document, units) in (0..).zip(documents) {
        for (unit, content) in (0..).zip(units.windows(window)) {
            places.entry(content).or_default().push((document, unit));
        }
    }
    places
}

fn pair(place: Place) -> Window {
    (place.document, place.unit)
}

/// Every window of runs: its first place, by its own.
fn spelled_out(runs: &[Run]) -> BTreeMap<Window, Window> {
    let mut found = BTreeMap::new();
    for run in runs {
        for window in 0..run.windows {
            let before = found.insert(pair(run.at.plus(window)), pair(run.first.plus(window)));
            assert_eq!(before, None, "a window is in one run");
        }
    }
    found
}

/// The units that go.
fn gone(cuts: &[Cut]) -> BTreeSet<Window> {
    cuts.iter().flat_map(|cut| (0..cut.units).map(|unit| pair(cut.at.plus(unit)))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn runs_are_those_of_a_map_of_all_windows(
        documents in documents(),
        window in 1usize..13,
        gram in 1usize..13,
        copies in 2u32..4,
        scope in scopes(),
    ) {
        let lengths = Lengths::new(window, gram.min(window)).unwrap();
        let finder = Finder::new(lengths).with_copies(copies).with_scope(scope);
        let runs = finder.find(&documents);
        let places = places(&documents, window);
        let mut expected = BTreeMap::new();
        let is_repeated = |places: &&Vec<Window>| {
            let across = places.iter().any(|place| place.0 != places[0].0);
            places.len() >= copies as usize && (scope == Scope::Anywhere || across)
        };
        for places in places.values().filter(is_repeated) {
            expected.extend(places.iter().map(|&place| (place, places[0])));
        }
        prop_assert_eq!(spelled_out(&runs), expected);
        for run in &runs {
            let count = |window| {
                let Place { document, unit } = run.at.plus(window);
                places[&documents[document as usize][unit as usize..][..lengths.window() as usize]].len() as u32
            };
            let counts: Vec<u32> = (0..run.windows).map(count).collect();
            prop_assert_eq!(run.copies, [*counts.iter().min().unwrap(), *counts.iter().max().unwrap()]);
        }
        // In order, and none goes on in the next.
        for two in runs.windows(2) {
            prop_assert!(two[0].at < two[1].at);
            let (end, first) = (two[0].at.plus(two[0].windows), two[0].first.plus(two[0].windows));
            prop_assert!((end, first) != (two[1].at, two[1].first));
        }
    }

    #[test]
    fn what_is_cut_stands_whole_in_what_is_kept(
        documents in documents(),
        window in 1usize..9,
        fixed in prop::collection::vec(prop::bool::weighted(0.2), 40),
        scope in scopes(),
    ) {
        let lengths = Lengths::of_window(window).unwrap();
        let runs = Finder::new(lengths).with_scope(scope).find(&documents);
        let is_fixed = |document| fixed[document as usize];
        let cuts = cuts_beside(&runs, lengths, CutRule::Kept, scope, is_fixed);
        prop_assert!(cuts.iter().all(|cut| !fixed[cut.at.document as usize]));
        let gone = gone(&cuts);
        let text = |place: Place, units: u32| {
            &documents[place.document as usize][place.unit as usize..][..units as usize]
        };
        let is_whole = |place: Place, units: u32| (0..units).all(|unit| !gone.contains(&pair(place.plus(unit))));
        for cut in &cuts {
            prop_assert!(cut.units as usize >= window && cut.witness < cut.at);
            prop_assert_eq!(text(cut.at, cut.units), text(cut.witness, cut.units));
            prop_assert!(scope == Scope::Anywhere || cut.witness.document < cut.at.document);
            prop_assert!(is_whole(cut.witness, cut.units), "{:?} of {:?}", cut, cuts);
        }
        // Equal windows that are kept overlap.
        for places in places(&documents, window).values() {
            let stand: Vec<&Window> = places
                .iter()
                .filter(|&&(document, unit)| is_whole(Place { document, unit }, lengths.window()))
                .collect();
            // Of those in documents that are cut, none has an earlier one anywhere that is not cut.
            let is_fixed = |place: &&Window| fixed[place.0 as usize];
            let first_fixed = stand.iter().find(|place| is_fixed(place));
            let stand: Vec<&Window> = stand.iter().filter(|place| !is_fixed(place)).copied().collect();
            prop_assert!(first_fixed.is_none_or(|first| stand.iter().all(|place| place < first)));
            for two in stand.windows(2) {
                let overlap = scope == Scope::Across || two[1].1 - two[0].1 < lengths.window();
                prop_assert!(two[0].0 == two[1].0 && overlap, "{:?}", two);
            }
        }
        // Nothing of the first document goes but what it repeats itself.
        prop_assert!(cuts.iter().all(|cut| cut.at.document > 0 || cut.witness.document == 0));
    }

    #[test]
    fn other_rules_cut_by_first_places_alone(
        documents in documents(),
        window in 1usize..9,
        scope in scopes(),
    ) {
        let lengths = Lengths::of_window(window).unwrap();
        let runs = Finder::new(lengths).with_scope(scope).find(&documents);
        let places = places(&documents, window);
        for rule in [CutRule::Later, CutRule::All] {
            let mut expected = BTreeSet::new();
            for places in places.values() {
                let joined = |one: &Window, other: &Window| {
                    one != other && (scope == Scope::Anywhere || one.0 != other.0)
                };
                for place in places {
                    let goes = match rule {
                        CutRule::All => places.iter().any(|other| joined(place, other)),
                        _ => joined(place, &places[0]),
                    };
                    let units = place.1..place.1 + lengths.window();
                    expected.extend(units.filter(|_| goes).map(|unit| (place.0, unit)));
                }
            }
            let cuts = cuts_beside(&runs, lengths, rule, scope, |_| false);
            prop_assert_eq!(gone(&cuts), expected);
        }
    }

    #[test]
    fn threads_do_not_show(documents in documents(), window in 1usize..6, threads in 1usize..5) {
        let finder = Finder::new(Lengths::of_window(window).unwrap());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        prop_assert_eq!(pool.install(|| finder.find(&documents)), finder.find(&documents));
    }
}

/// Three copies with different extents: worked out by hand.
#[test]
fn copies_of_different_extents() {
    let numbers = |from: u64, to: u64| (from..=to).collect::<Vec<u64>>();
    let documents = [numbers(1, 60), numbers(1, 100), numbers(31, 100)];
    let lengths = Lengths::of_window(50).unwrap();
    let runs = Finder::new(lengths).find(&documents);
    let place = |document, unit| Place { document, unit };
    let run = |at, windows, first, copies| Run { at, windows, first, copies };
    assert_eq!(
        runs,
        [
            run(place(0, 0), 11, place(0, 0), [2, 2]),
            run(place(1, 0), 11, place(0, 0), [2, 2]),
            run(place(1, 30), 21, place(1, 30), [2, 2]),
            run(place(2, 0), 21, place(1, 30), [2, 2]),
        ]
    );
    // The second document loses what the first has. What is left of it is in the third, which stays whole.
    let cut = Cut { at: place(1, 0), units: 60, witness: place(0, 0) };
    assert_eq!(cuts(&runs, lengths, CutRule::Kept), [cut]);
}

/// Periodic text keeps one window.
#[test]
fn a_period_keeps_one_window() {
    let documents = [vec![1u64; 20]];
    let lengths = Lengths::of_window(5).unwrap();
    let runs = Finder::new(lengths).find(&documents);
    let place = |unit| Place { document: 0, unit };
    assert_eq!(runs[0], Run { at: place(0), windows: 1, first: place(0), copies: [16, 16] });
    let gone: u32 = cuts(&runs, lengths, CutRule::Kept)
        .iter()
        .map(|cut| cut.at.unit + cut.units)
        .max()
        .unwrap();
    assert_eq!(gone, 20);
    assert_eq!(cuts(&runs, lengths, CutRule::Kept)[0].at, place(5));
}
