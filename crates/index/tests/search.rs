//! The search of a segment against the definition: every stored set intersected with the query.

mod support;

use lookalike_core::fingerprint::finalise;
use lookalike_core::{CommonElements, Overlap};
use lookalike_index::search::{
    Accepted, Found, InvertedIndex, KeyMatch, KeyOptions, LONG_LIST, Postings, SearchOptions,
    SearchScratch, Total, search, search_keys,
};
use lookalike_index::{Ask, Cost, IndexError, Lean, Question};
use proptest::prelude::*;
use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use support::MemoryPostings;

const ASKS: [Ask; 4] = [Ask::Resembles, Ask::Cosine, Ask::Containing, Ask::ContainedIn];

/// A threshold in thousandths.
fn question(ask: Ask, thousandths: u32) -> Question {
    let text = format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
    Question { ask, threshold: text.parse().expect("a threshold") }
}

/// The value of a pair as a ratio (cosine: squared), from the definition.
fn value(ask: Ask, counts: Overlap) -> (u128, u128) {
    let (s, a, b) = (u128::from(counts.shared), u128::from(counts.a), u128::from(counts.b));
    match ask {
        Ask::Resembles => (s, a + b - s),
        Ask::Cosine => (s * s, a * b),
        Ask::Containing => (s, a),
        Ask::ContainedIn => (s, b),
    }
}

fn reaches(ask: Ask, thousandths: u32, counts: Overlap) -> bool {
    let (above, below) = value(ask, counts);
    let t = u128::from(thousandths);
    let (p, q) = if ask == Ask::Cosine { (t * t, 1_000_000) } else { (t, 1000) };
    above > 0 && above * q >= p * below
}

fn descending(ask: Ask, left: Overlap, right: Overlap) -> Ordering {
    let ((la, lb), (ra, rb)) = (value(ask, left), value(ask, right));
    (ra * lb).cmp(&(la * rb))
}

/// Which units may be in an answer, and in what order.
#[derive(Debug, Clone, Copy)]
struct Filter {
    /// One unit in so many is left out; 0 for none.
    left_out: u64,
    /// Number of different orders; many units have the same if there are few.
    orders: u64,
}

impl Filter {
    const NONE: Self = Self { left_out: 0, orders: 1 };

    /// A property of the set, not of the unit.
    fn accept(self, set: &[u64]) -> Option<Accepted> {
        let hash = set.iter().fold(7, |hash, &element| finalise(hash ^ element));
        let left_out = self.left_out > 0 && (hash >> 8).is_multiple_of(self.left_out);
        (!left_out).then_some(Accepted {
            order: (hash >> 20) % self.orders,
            documents: 1 + (hash % 3) as u32,
        })
    }
}

/// The answer by definition, in order, and the number of documents.
fn by_definition(
    postings: &MemoryPostings,
    ask: Ask,
    thousandths: u32,
    query: &[u64],
    filter: Filter,
) -> (Vec<Found>, u64) {
    let members: BTreeSet<u64> = query.iter().copied().collect();
    let (mut found, mut documents) = (Vec::new(), 0);
    for unit in 0..postings.ids() {
        let set = postings.set(unit);
        let shared = set.iter().filter(|element| members.contains(element)).count() as u32;
        let counts = Overlap { shared, a: query.len() as u32, b: set.len() as u32 };
        if let Some(accepted) = filter.accept(set)
            && reaches(ask, thousandths, counts)
        {
            found.push(Found { unit, order: accepted.order, counts });
            documents += u64::from(accepted.documents);
        }
    }
    found.sort_by(|x, y| {
        descending(ask, x.counts, y.counts).then((x.order, x.unit).cmp(&(y.order, y.unit)))
    });
    (found, documents)
}

/// Asks, and checks what holds of every answer.
fn ask(
    postings: &MemoryPostings,
    question: Question,
    query: &[u64],
    filter: Filter,
    limit: Option<usize>,
    scratch: &mut SearchScratch,
) -> (Vec<Found>, Total, Cost) {
    let asked = Cell::new(0);
    let accept = |unit| {
        asked.set(asked.get() + 1);
        filter.accept(postings.set(unit))
    };
    let options = SearchOptions { limit, accept: &accept, stop: &|| false };
    let (mut cost, mut found) = (Cost::default(), Vec::new());
    let total = search(postings, question, query, &options, scratch, &mut cost, &mut found)
        .expect("sets in memory are read");
    assert!(cost.verified <= cost.candidates && cost.candidates <= asked.get());
    assert!(asked.get() <= u64::from(postings.ids()), "asked twice about a unit");
    assert!(found.len() as u64 <= cost.verified);
    assert!(cost.lookups <= query.len() as u64);
    (found, total, cost)
}

/// How a set is made: of a template, of words that are common, and of its own.
#[derive(Debug, Clone, Copy)]
struct Recipe {
    template: u32,
    /// Elements of the template, from one of its places on.
    from: u32,
    of_template: u32,
    common: u32,
    own: u32,
    /// Sets with the same seed have the same elements of their own.
    seed: u32,
}

fn recipe(largest: u32, seeds: u32) -> impl Strategy<Value = Recipe> {
    (0..3u32, 0..4u32, 0..largest, 0..largest / 4 + 1, 0..largest, 0..seeds).prop_map(
        |(template, from, of_template, common, own, seed)| Recipe {
            template,
            from,
            of_template,
            common,
            own,
            seed,
        },
    )
}

/// How many elements have the same 40 bits: `crowd` consecutive ones.
fn element(number: u64, crowd: u64) -> u64 {
    (finalise(number / crowd + 1) & !0xff_ffff) | (number % crowd)
}

fn make(recipe: Recipe, crowd: u64) -> Vec<u64> {
    let Recipe { template, from, of_template, common, own, seed } = recipe;
    let template = (0..of_template).map(|at| u64::from(template * 1000 + from + at));
    // The lower, the more common.
    let common = (0..common).map(|at| {
        let random = finalise(u64::from(seed * 1000 + at) + 1) >> 11;
        10_000 + ((random as f64 / (1u64 << 53) as f64).powi(3) * 60.0) as u64
    });
    let own = (0..own).map(|at| u64::from(20_000 + seed * 1000 + at));
    let numbers = template.chain(common).chain(own).chain([u64::from(seed % 5) + 19_000]);
    let mut set: Vec<u64> = numbers.map(|number| element(number, crowd)).collect();
    set.sort_unstable();
    set.dedup();
    set
}

/// Thresholds in thousandths: any, and those that small ratios reach exactly.
fn threshold() -> impl Strategy<Value = u32> {
    prop_oneof![
        prop::sample::select(vec![50, 100, 200, 250, 400, 500, 600, 750, 800, 900, 950, 1000]),
        50..=1000u32,
    ]
}

/// Distinct sets and a query made of some of them.
fn collection(
    sets: std::ops::Range<usize>,
    largest: u32,
) -> impl Strategy<Value = (Vec<Vec<u64>>, Vec<u64>)> {
    let crowd = prop_oneof![3 => Just(1u64), 1 => 2..5u64];
    let recipes = prop::collection::vec(recipe(largest, 40), sets);
    // A query is a few sets, of which a part of the elements is left out.
    let query = (prop::collection::vec(recipe(largest, 40), 1..4), 0..6u64, any::<bool>());
    (recipes, query, crowd).prop_map(|(recipes, (others, left_out, stored), crowd)| {
        let sets: BTreeSet<Vec<u64>> = recipes.iter().map(|&recipe| make(recipe, crowd)).collect();
        let from = if stored { &recipes[..recipes.len().min(others.len())] } else { &others };
        let mut query: Vec<u64> = from.iter().flat_map(|&recipe| make(recipe, crowd)).collect();
        query.sort_unstable();
        query.dedup();
        if left_out > 0 {
            query.retain(|&element| !finalise(element).is_multiple_of(left_out * 4));
        }
        (sets.into_iter().collect(), query)
    })
}

fn filter() -> impl Strategy<Value = Filter> {
    (0..4u64, prop_oneof![Just(3u64), Just(1 << 30)])
        .prop_map(|(left_out, orders)| Filter { left_out, orders })
}

/// A table of common elements: none, those of the collection that are, any, or all.
#[derive(Debug, Clone, Copy)]
enum Table {
    Empty,
    Frequent(usize),
    /// One element in so many, of the collection and of others.
    Any(u64),
    All,
}

fn table() -> impl Strategy<Value = Table> {
    prop_oneof![
        Just(Table::Empty),
        (1..40usize).prop_map(Table::Frequent),
        (2..9u64).prop_map(Table::Any),
        Just(Table::All),
    ]
}

impl Table {
    fn of(self, sets: &[Vec<u64>], query: &[u64]) -> CommonElements {
        let all = sets.iter().flatten().chain(query).copied();
        CommonElements::new(match self {
            Self::Empty => Vec::new(),
            Self::All => all.collect(),
            Self::Any(part) => {
                all.filter(|&element| finalise(!element).is_multiple_of(part)).collect()
            }
            Self::Frequent(least) => {
                let mut elements: Vec<u64> = all.collect();
                elements.sort_unstable();
                let lists = elements.chunk_by(|a, b| a == b);
                lists.filter(|list| list.len() >= least).map(|list| list[0]).collect()
            }
        })
    }
}

/// Whether a match of a question shares ⌈t₀·m⌉ elements with every set of m, by the definitions.
fn is_lean_question(ask: Ask, thousandths: u32, lowest: u32) -> bool {
    match ask {
        Ask::Resembles | Ask::ContainedIn => thousandths >= lowest,
        Ask::Cosine => thousandths * thousandths >= lowest * 1000,
        Ask::Containing => false,
    }
}

/// All questions of one collection to a lean segment: answered as by definition, or refused.
fn lean_agrees_with_definition(
    sets: &[Vec<u64>],
    query: &[u64],
    (thousandths, lowest): (u32, u32),
    table: Table,
    filter: Filter,
    limit: usize,
) -> Result<(), TestCaseError> {
    let mut scratch = SearchScratch::default();
    let lean = Lean::new(question(Ask::Resembles, lowest).threshold, table.of(sets, query));
    let postings = MemoryPostings::lean(sets, lean);
    for asked in ASKS {
        let question = question(asked, thousandths);
        if !is_lean_question(asked, thousandths, lowest) {
            let options = SearchOptions { limit: None, accept: &|_| None, stop: &|| false };
            let (mut cost, mut found) = Default::default();
            let refused =
                search(&postings, question, query, &options, &mut scratch, &mut cost, &mut found);
            prop_assert!(matches!(refused, Err(IndexError::Lean { .. })), "{:?}", asked);
            continue;
        }
        let (wanted, documents) = by_definition(&postings, asked, thousandths, query, filter);
        let (found, total, _) = ask(&postings, question, query, filter, None, &mut scratch);
        prop_assert_eq!(&found, &wanted, "{:?}", asked);
        prop_assert_eq!(total, Total { at_least: documents, at_most: documents });
        let (found, total, _) = ask(&postings, question, query, filter, Some(limit), &mut scratch);
        let first = &wanted[..wanted.len().min(limit)];
        prop_assert_eq!(&found[..], first, "{:?}, limit", asked);
        prop_assert!(total.at_least <= documents && documents <= total.at_most);
        prop_assert!(wanted.len() >= limit || total.is_exact());
    }
    Ok(())
}

/// The lowest threshold of a lean segment and one of a question, mostly as high.
fn lean_thresholds() -> impl Strategy<Value = (u32, u32)> {
    prop_oneof![
        threshold().prop_map(|lowest| (lowest, lowest)),
        (threshold(), threshold()).prop_map(|(a, b)| (a.max(b), a.min(b))),
        (threshold(), threshold()),
    ]
}

/// All questions of one collection, with and without shares and limit, on one scratch.
fn agrees_with_definition(
    sets: &[Vec<u64>],
    query: &[u64],
    thousandths: u32,
    filter: Filter,
    limit: usize,
) -> Result<(), TestCaseError> {
    let mut scratch = SearchScratch::default();
    for shares in [false, true] {
        let postings = MemoryPostings::new(sets, shares);
        for asked in ASKS {
            let (wanted, documents) = by_definition(&postings, asked, thousandths, query, filter);
            let question = question(asked, thousandths);
            let (found, total, _) = ask(&postings, question, query, filter, None, &mut scratch);
            prop_assert_eq!(&found, &wanted, "{:?}, shares {}", asked, shares);
            prop_assert_eq!(total, Total { at_least: documents, at_most: documents });
            let (found, total, _) =
                ask(&postings, question, query, filter, Some(limit), &mut scratch);
            let first = &wanted[..wanted.len().min(limit)];
            prop_assert_eq!(&found[..], first, "{:?}, shares {}, limit", asked, shares);
            prop_assert!(total.at_least <= documents && documents <= total.at_most);
            // Fewer than asked for: none was left unverified.
            prop_assert!(wanted.len() >= limit || total.is_exact());
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn few_sets_of_up_to_300_elements(
        (sets, query) in collection(1..40, 130),
        thousandths in threshold(),
        filter in filter(),
        limit in 0..8usize,
    ) {
        agrees_with_definition(&sets, &query, thousandths, filter, limit)?;
    }

    #[test]
    fn lean_segments_of_few_sets(
        (sets, query) in collection(1..40, 130),
        thresholds in lean_thresholds(),
        table in table(),
        filter in filter(),
        limit in 0..8usize,
    ) {
        lean_agrees_with_definition(&sets, &query, thresholds, table, filter, limit)?;
    }

    /// Sets of few elements, of which most or all are posted.
    #[test]
    fn lean_segments_of_tiny_sets(
        (sets, query) in collection(1..60, 4),
        thresholds in lean_thresholds(),
        table in table(),
    ) {
        lean_agrees_with_definition(&sets, &query, thresholds, table, Filter::NONE, 3)?;
    }

    #[test]
    fn splitting_the_units_over_segments_does_not_change_the_first_answers(
        (sets, query) in collection(2..40, 60),
        thousandths in threshold(),
        limit in 1..6usize,
    ) {
        let filter = Filter { left_out: 5, orders: 1 << 40 };
        let mut scratch = SearchScratch::default();
        let whole = MemoryPostings::new(&sets, true);
        let parts = [&sets[..sets.len() / 3], &sets[sets.len() / 3..]];
        for asked in ASKS {
            let question = question(asked, thousandths);
            let strip = |found: Vec<Found>| -> Vec<(Overlap, u64)> {
                found.iter().map(|found| (found.counts, found.order)).collect()
            };
            let (found, total, _) =
                ask(&whole, question, &query, filter, Some(limit), &mut scratch);
            let (mut merged, mut sum) = (Vec::new(), Total::default());
            for part in parts.iter().filter(|part| !part.is_empty()) {
                let part = MemoryPostings::new(part, false);
                let (found, total, _) =
                    ask(&part, question, &query, filter, Some(limit), &mut scratch);
                merged.extend(strip(found));
                sum += total;
            }
            merged.sort_by(|x, y| descending(asked, x.0, y.0).then(x.1.cmp(&y.1)));
            merged.truncate(limit);
            prop_assert_eq!(merged, strip(found));
            prop_assert!(sum.at_least <= total.at_most && total.at_least <= sum.at_most);
        }
    }

    #[test]
    fn keys_are_counted(
        lists in prop::collection::vec(prop::collection::btree_set(0..40u64, 1..12), 1..60),
        keys in prop::collection::btree_set(0..40u64, 0..12),
        least in 0..4u32,
        crowd in 1..3u64,
    ) {
        let spread = |keys: &BTreeSet<u64>| {
            let mut keys: Vec<u64> = keys.iter().map(|&key| element(key, crowd)).collect();
            keys.sort_unstable();
            keys
        };
        let sets: Vec<Vec<u64>> = lists.iter().map(spread).collect();
        let index = MemoryPostings::new(&sets, false);
        let keys = spread(&keys);
        let (mut scratch, mut cost, mut found) = Default::default();
        let options = KeyOptions { least, accept: &|id| id % 7 != 3, stop: &|| false };
        for _ in 0..2 {
            search_keys(&index, &keys, options, &mut scratch, &mut cost, &mut found).unwrap();
            // By definition, with keys that agree in 40 bits counted as often as they agree.
            let wanted: Vec<KeyMatch> = (0..index.ids())
                .filter(|&id| id % 7 != 3)
                .map(|id| {
                    let agreeing = |key: &u64| {
                        index.set(id).iter().filter(|&other| other >> 24 == key >> 24).count()
                    };
                    let shared = keys.iter().map(agreeing).sum::<usize>() as u32;
                    KeyMatch { id, shared }
                })
                .filter(|found| found.shared >= least.max(1))
                .collect();
            prop_assert_eq!(&found, &wanted);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// So many sets that elements of templates have long lists.
    #[test]
    fn many_sets_with_long_lists(
        (sets, query) in collection(500..1200, 24),
        thousandths in threshold(),
        filter in filter(),
        limit in 0..40usize,
    ) {
        agrees_with_definition(&sets, &query, thousandths, filter, limit)?;
    }

    #[test]
    fn lean_segments_of_many_sets(
        (sets, query) in collection(500..1200, 24),
        thresholds in lean_thresholds(),
        table in table(),
        filter in filter(),
        limit in 0..40usize,
    ) {
        lean_agrees_with_definition(&sets, &query, thresholds, table, filter, limit)?;
    }

    #[test]
    fn a_search_that_is_stopped_leaves_no_trace(
        (sets, query) in collection(300..600, 24),
        thousandths in threshold(),
        before in 0..20u32,
    ) {
        let mut scratch = SearchScratch::default();
        let postings = MemoryPostings::new(&sets, true);
        for asked in ASKS {
            let left = Cell::new(before);
            let stop = || left.replace(left.get().saturating_sub(1)) == 0;
            let accept = |unit| Filter::NONE.accept(postings.set(unit));
            let options = SearchOptions { limit: None, accept: &accept, stop: &stop };
            let (mut cost, mut found) = Default::default();
            let question = question(asked, thousandths);
            let stopped = search(
                &postings, question, &query, &options, &mut scratch, &mut cost, &mut found,
            );
            let (wanted, _) = by_definition(&postings, asked, thousandths, &query, Filter::NONE);
            match stopped {
                Ok(_) => prop_assert_eq!(&found, &wanted),
                Err(error) => prop_assert!(matches!(error, IndexError::Interrupted)),
            }
            let (found, ..) =
                ask(&postings, question, &query, Filter::NONE, None, &mut scratch);
            prop_assert_eq!(&found, &wanted);
        }
    }
}

/// Elements from a range of numbers.
fn numbered(numbers: impl IntoIterator<Item = u64>) -> Vec<u64> {
    let mut set: Vec<u64> = numbers.into_iter().map(|number| element(number, 1)).collect();
    set.sort_unstable();
    set
}

#[test]
fn nothing_is_found_by_an_empty_query_or_in_an_empty_segment() {
    let mut scratch = SearchScratch::default();
    let (stored, empty) =
        (MemoryPostings::new(&[numbered(0..9)], true), MemoryPostings::new(&[], true));
    for asked in ASKS {
        let question = question(asked, 50);
        for (postings, query) in [(&stored, vec![]), (&empty, numbered(0..9)), (&empty, vec![])] {
            let (found, total, cost) =
                ask(postings, question, &query, Filter::NONE, None, &mut scratch);
            assert_eq!((found, total, cost), (vec![], Total::default(), Cost::default()));
        }
    }
}

/// Theorem 1: k = n − ⌈t·n⌉ + 1 elements are enough, and k + 16 + k/8 are looked up.
#[test]
fn the_lowest_elements_are_looked_up() {
    let mut scratch = SearchScratch::default();
    let query = numbered(0..100);
    // One stored set has all but the lowest 20 elements: the worst case.
    let mut worst = query[20..].to_vec();
    worst.sort_unstable();
    let sets = [worst.clone(), numbered(200..290), numbered(300..410)];
    let postings = MemoryPostings::new(&sets, false);
    // α: ⌈0.8·100⌉ = 80 and ⌈0.81·100⌉ = 81; the smallest set in the size range has 80 and 90.
    for (asked, thousandths, k) in
        [(Ask::Resembles, 800, 21), (Ask::Containing, 800, 21), (Ask::Cosine, 890, 21)]
    {
        let (found, _, cost) =
            ask(&postings, question(asked, thousandths), &query, Filter::NONE, None, &mut scratch);
        assert_eq!(found.len(), 1, "{asked:?}");
        assert_eq!(found[0].counts, Overlap { shared: 80, a: 100, b: 80 });
        assert_eq!(cost.lookups, k + 16 + k / 8, "{asked:?}");
        assert!(cost.entries <= cost.lookups);
        assert_eq!((cost.candidates, cost.verified), (1, 1));
    }
    // One element less is shared: 79 of 100, found by none of the three at these thresholds.
    let sets = [worst[1..].to_vec(), numbered(200..290)];
    let postings = MemoryPostings::new(&sets, false);
    for asked in [Ask::Resembles, Ask::Containing] {
        let question = question(asked, 800);
        let (found, ..) = ask(&postings, question, &query, Filter::NONE, None, &mut scratch);
        assert_eq!(found, []);
    }
}

/// Sets whose shared elements all have long lists have no hit in short ones, and are found.
#[test]
fn sets_of_common_elements_only_are_found() {
    let mut scratch = SearchScratch::default();
    // 400 pages of a template of 60 elements and 40 of their own; the template alone; half of it;
    // three of its elements; and a page that has one element of another page instead of its own.
    let mut sets: Vec<Vec<u64>> = (0..400)
        .map(|page| numbered((0..60).chain(10_000 + page * 40..10_040 + page * 40)))
        .collect();
    sets.push(numbered(0..60));
    sets.push(numbered(0..30));
    sets.push(numbered(57..60));
    sets.push(numbered((0..60).chain([10_000, 11_000])));
    let query = numbered((0..60).chain(5000..5200));
    let (found_sizes, verified): (Vec<_>, Vec<_>) = [false, true]
        .map(|shares| {
            let postings = MemoryPostings::new(&sets, shares);
            let contained = question(Ask::ContainedIn, 900);
            let (found, total, cost) =
                ask(&postings, contained, &query, Filter::NONE, None, &mut scratch);
            assert!(total.is_exact());
            let sizes: Vec<u32> = found.iter().map(|found| found.counts.b).collect();
            (sizes, cost.verified)
        })
        .into_iter()
        .unzip();
    for sizes in found_sizes {
        let mut sorted = sizes.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, [3, 30, 60, 62]);
        // 60 of 62 is less than all of 60.
        assert_eq!(sizes.last(), Some(&62));
    }
    assert_eq!(verified, [4, 4]);
    // The shares of the pages are 60 of 100: below what 0.9 needs, so that no long list is read
    // for them.
    let postings = MemoryPostings::new(&sets, true);
    let (_, _, with) =
        ask(&postings, question(Ask::ContainedIn, 900), &query, Filter::NONE, None, &mut scratch);
    assert!(with.entries < 60 * 4 * 3, "{with:?}");
}

/// Lists of thousands of entries, most of them of units whose size cannot match.
#[test]
fn long_lists_hold_units_of_other_sizes() {
    let mut scratch = SearchScratch::default();
    let page = |page: u64, own: u64| {
        let first = 10_000 + page * 200;
        numbered((0..40 + page % 9).chain(first..first + own))
    };
    let sets: Vec<Vec<u64>> = (0..1500)
        .map(|number| page(number, 5 + number % 4))
        .chain((1500..3000).map(|number| page(number, 60 + number % 40)))
        .chain((3000..3020).map(|number| page(number, 5)))
        .collect();
    let queries = [
        numbered(0..45),
        page(3, 6),
        page(1600, 60),
        numbered((0..48).chain(10_000..10_400)),
        numbered(30..130),
    ];
    for shares in [false, true] {
        let postings = MemoryPostings::new(&sets, shares);
        for (query, asked) in queries.iter().flat_map(|query| ASKS.map(|asked| (query, asked))) {
            for thousandths in [300, 600, 800, 950] {
                let filter = Filter { left_out: 0, orders: 1 << 40 };
                let (wanted, _) = by_definition(&postings, asked, thousandths, query, filter);
                let question = question(asked, thousandths);
                for limit in [None, Some(7)] {
                    let (found, ..) = ask(&postings, question, query, filter, limit, &mut scratch);
                    let wanted = &wanted[..wanted.len().min(limit.unwrap_or(usize::MAX))];
                    assert_eq!(found, wanted, "{asked:?} {thousandths} {limit:?}");
                }
            }
        }
    }
}

#[test]
fn a_limit_verifies_no_more_than_it_must() {
    let mut scratch = SearchScratch::default();
    let paragraph = numbered(0..70);
    let sets: Vec<Vec<u64>> = (0..2000)
        .map(|page| numbered((0..70).chain(1000 + page * 50..1050 + page * 50 + page % 7)))
        .collect();
    let filter = Filter { left_out: 0, orders: 1 << 40 };
    for shares in [false, true] {
        let postings = MemoryPostings::new(&sets, shares);
        let containing = question(Ask::Containing, 900);
        let (wanted, documents) =
            by_definition(&postings, Ask::Containing, 900, &paragraph, filter);
        assert_eq!(wanted.len(), 2000);
        let (found, total, cost) =
            ask(&postings, containing, &paragraph, filter, Some(100), &mut scratch);
        assert_eq!(found, wanted[..100]);
        assert_eq!((cost.verified, cost.candidates), (100, 2000));
        assert_eq!(total.at_most, documents);
        assert!(!total.is_exact());
        // None wanted: only the number.
        let (found, total, cost) =
            ask(&postings, containing, &paragraph, filter, Some(0), &mut scratch);
        assert_eq!((found, cost.verified), (vec![], 0));
        assert_eq!((total.at_least, total.at_most), (0, documents));
    }
}

/// Counts that agree in 40 bits only put a candidate before better ones.
#[test]
fn a_limit_is_exact_where_counts_are_too_high() {
    let mut scratch = SearchScratch::default();
    let query: Vec<u64> = (1..=40u64).map(|at| at << 40).collect();
    let changed = |from: usize, until: usize| -> Vec<u64> {
        let mut set = query.clone();
        set[from..until].iter_mut().for_each(|element| *element += 1);
        set
    };
    // As many agree in 40 bits in each; 40, 39, 38, ... in 64.
    let sets: Vec<Vec<u64>> = (0..20).map(|at| changed(3, 3 + at)).collect();
    let postings = MemoryPostings::new(&sets, true);
    for asked in ASKS {
        for limit in [1, 3, 10, 15] {
            let (found, ..) = ask(
                &postings,
                question(asked, 500),
                &query,
                Filter { left_out: 0, orders: 1 << 40 },
                Some(limit),
                &mut scratch,
            );
            let shared: Vec<u32> = found.iter().map(|found| found.counts.shared).collect();
            let wanted: Vec<u32> = (0..40u32).map(|at| 40 - at).take(limit).collect();
            let all = if asked == Ask::Resembles { 14 } else { 20 };
            assert_eq!(shared, wanted[..limit.min(all)], "{asked:?}");
        }
    }
}

/// Of matches of equal value, those with too high counts are verified first and may be the last in
/// order.
#[test]
fn a_limit_keeps_the_order_among_equals_where_counts_are_too_high() {
    let query: Vec<u64> = (1..=40u64).map(|at| at << 40).collect();
    // 38 elements are shared; of the other two, `agreeing` agree in 40 bits.
    let set = |number: u64, agreeing: u64| -> Vec<u64> {
        let mut set = query[2..].to_vec();
        set.extend(
            (1..=2).map(|at| if at <= agreeing { (at << 40) + 1 } else { (100 + at) << 40 }),
        );
        set.extend([(200 + number) << 40]);
        set.sort_unstable();
        set
    };
    let sets: Vec<Vec<u64>> = (0..12).map(|number| set(number, number % 3)).collect();
    let postings = MemoryPostings::new(&sets, false);
    let mut scratch = SearchScratch::default();
    // The more agree, the later.
    let accept = |unit| Some(Accepted { order: u64::from(unit % 3 * 100 + unit), documents: 1 });
    for asked in ASKS {
        for limit in 1..=12 {
            let options = SearchOptions { limit: Some(limit), accept: &accept, stop: &|| false };
            let (mut cost, mut found) = Default::default();
            let question = question(asked, 800);
            search(&postings, question, &query, &options, &mut scratch, &mut cost, &mut found)
                .unwrap();
            let units: Vec<u32> = found.iter().map(|found| found.unit).collect();
            let wanted = [0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11];
            assert_eq!(units, wanted[..limit], "{asked:?}");
            assert!(found.iter().all(|found| found.counts.shared == 38));
        }
    }
}

/// The k shortest lists are enough, and k − 1 would not be: none is so short that it is counted
/// beside them.
#[test]
fn the_shortest_lists_are_counted() {
    let query = numbered(0..10);
    let holding = |element: u64, number: u64| {
        numbered(
            [element, 1000 + element * 100 + number]
                .into_iter()
                .chain(5000 + number..5010 + number),
        )
    };
    // Elements 0 and 1 are in 17 sets, the others in 31; the match has neither.
    let mut sets: Vec<Vec<u64>> = (0..10)
        .flat_map(|element| {
            let strangers = if element < 2 { 17 } else { 30 };
            (0..strangers).map(move |number| holding(element, number))
        })
        .collect();
    sets.push(numbered(2..10));
    let postings = MemoryPostings::new(&sets, false);
    let mut scratch = SearchScratch::default();
    for asked in [Ask::Resembles, Ask::Containing, Ask::Cosine] {
        let question = question(asked, 800);
        let (found, _, cost) = ask(&postings, question, &query, Filter::NONE, None, &mut scratch);
        assert_eq!(found.len(), 1, "{asked:?}");
        assert_eq!(found[0].counts, Overlap { shared: 8, a: 10, b: 8 });
        // k = 3: two lists of 17 entries and one of 31. For containment one hit makes a candidate,
        // so that the other lists are counted too; a larger set needs more shared elements for the
        // other measures.
        let entries = if asked == Ask::Containing { 2 * 17 + 8 * 31 } else { 2 * 17 + 31 };
        assert_eq!(cost.entries, entries, "{asked:?}");
    }
}

/// A unit with many elements that agree in 40 bits with each of the query's: its count passes
/// 65,535.
#[test]
fn counts_that_pass_16_bits() {
    let crowded: Vec<u64> = (0..400u64).collect();
    let query: Vec<u64> = (200..600u64).collect();
    let postings = MemoryPostings::new(&[crowded, (1 << 30..(1 << 30) + 9).collect()], true);
    let mut scratch = SearchScratch::default();
    for (asked, thousandths) in [(Ask::Resembles, 333), (Ask::ContainedIn, 500), (Ask::Cosine, 500)]
    {
        let (found, ..) =
            ask(&postings, question(asked, thousandths), &query, Filter::NONE, None, &mut scratch);
        assert_eq!(found.len(), 1, "{asked:?}");
        assert_eq!(found[0].counts, Overlap { shared: 200, a: 400, b: 400 });
    }
}

#[test]
fn sets_of_a_hundred_thousand_elements() {
    let mut scratch = SearchScratch::default();
    // A family of 300 near-copies makes all lists long; strangers are small.
    let family = |member: u64, n: u64| {
        numbered(
            (0..n).filter(|number| number % 1000 != member % 1000).chain([10_000_000 + member]),
        )
    };
    let query = family(999, 100_000);
    let sets: Vec<Vec<u64>> = (0..6)
        .map(|member| family(member, 100_000))
        .chain((0..300).map(|member| family(member, 1200)))
        .chain([numbered(0..90_000), numbered(70_000..170_000)])
        .collect();
    for shares in [false, true] {
        let postings = MemoryPostings::new(&sets, shares);
        for (asked, thousandths) in [
            (Ask::Resembles, 990),
            (Ask::Resembles, 500),
            (Ask::Cosine, 800),
            (Ask::Containing, 900),
            (Ask::ContainedIn, 900),
            (Ask::ContainedIn, 999),
        ] {
            let (wanted, _) = by_definition(&postings, asked, thousandths, &query, Filter::NONE);
            let (found, ..) = ask(
                &postings,
                question(asked, thousandths),
                &query,
                Filter::NONE,
                None,
                &mut scratch,
            );
            assert_eq!(found, wanted, "{asked:?} {thousandths}");
        }
    }
    assert!(sets.len() > LONG_LIST as usize);
}

#[test]
fn a_set_that_cannot_be_read_is_an_error_and_leaves_no_trace() {
    let mut scratch = SearchScratch::default();
    let sets: Vec<Vec<u64>> = (0..20).map(|at| numbered((0..30).chain([100 + at]))).collect();
    let mut postings = MemoryPostings::new(&sets, false);
    let query = numbered(0..30);
    postings.damaged = Some(11);
    let question = question(Ask::Resembles, 800);
    let accept = |_| Some(Accepted { order: 0, documents: 1 });
    let options = SearchOptions { limit: None, accept: &accept, stop: &|| false };
    let (mut cost, mut found) = Default::default();
    let error = search(&postings, question, &query, &options, &mut scratch, &mut cost, &mut found)
        .unwrap_err();
    assert_eq!(error.to_string(), "memory: damaged: text of unit 11");
    assert_eq!(cost.verified, 11);
    postings.damaged = None;
    let (found, ..) = ask(&postings, question, &query, Filter::NONE, None, &mut scratch);
    assert_eq!(found.len(), 20);
    // What is not accepted is not read.
    postings.damaged = Some(11);
    let accept = |unit| (unit != 11).then_some(Accepted { order: 0, documents: 1 });
    let options = SearchOptions { accept: &accept, ..options };
    let (mut cost, mut found) = Default::default();
    search(&postings, question, &query, &options, &mut scratch, &mut cost, &mut found).unwrap();
    assert_eq!(found.len(), 19);
}

#[test]
fn damaged_lists_and_sets_are_errors() {
    let sets = [numbered(0..30), numbered(0..31)];
    // Equal to none of them: an equal set is not read.
    let query = numbered(1..31);
    let options = SearchOptions {
        limit: None,
        accept: &|_| Some(Accepted { order: 0, documents: 1 }),
        stop: &|| false,
    };
    let mut scratch = SearchScratch::default();
    let mut damaged = MemoryPostings::new(&sets, true);
    damaged.damage_lists();
    let mut short = MemoryPostings::new(&sets, true);
    short.cut_sets(29);
    for asked in ASKS {
        let question = question(asked, 800);
        for (postings, what) in [
            (&damaged, "a posting list is not in ascending order"),
            (&short, "unit 0 has 29 elements and not the 30 that were posted"),
        ] {
            let (mut cost, mut found) = Default::default();
            let error =
                search(postings, question, &query, &options, &mut scratch, &mut cost, &mut found)
                    .unwrap_err();
            assert_eq!(error.to_string(), format!(": damaged: {what}"));
        }
        let whole = MemoryPostings::new(&sets, true);
        let (found, ..) = ask(&whole, question, &query, Filter::NONE, None, &mut scratch);
        assert_eq!(found.len(), 2);
    }
}

#[test]
fn units_of_size_of_the_mock() {
    let postings = MemoryPostings::new(
        &[numbered(0..3), numbered(0..5), numbered(5..8), numbered(0..9)],
        true,
    );
    assert_eq!(postings.units_of_size(1, 2), 0..0);
    assert_eq!(postings.units_of_size(3, 3), 0..2);
    assert_eq!(postings.units_of_size(4, u32::MAX), 2..4);
    assert_eq!(postings.units_of_size(10, u32::MAX), 4..4);
}
