//! The join in one process: against brute force, against the composition of the pure steps, and
//! with a source whose reads fail.

#![allow(clippy::unwrap_used)]

use lookalike_cluster::Components;
use lookalike_core::fingerprint::finalise;
use lookalike_core::{Halves, Measure, Overlap, SparseIndex};
use lookalike_join::{
    CandidateSearch, ChunkId, Criterion, Decision, DfSketch, Edge, HighElements, InMemorySets,
    InMemorySorted, JoinError, JoinOptions, JoinResult, LeaderPass, Linkage, MatchEdge,
    OffsetArrays, Part, Posting, RemovalCondition, SetId, SetScan, SetSource, Silent, SortedSets,
    SourceError, SpillBudget, TaskId, WitnessRule, candidates, index_keys, join, verify,
};
use proptest::prelude::*;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Matches by (later, earlier).
type Matches = BTreeMap<(u32, u32), Overlap>;

/// Sets as offsets and elements.
struct Arrays {
    offsets: Vec<i64>,
    elements: Vec<u64>,
}

impl Arrays {
    fn new(sets: &[Vec<u64>]) -> Self {
        let mut offsets = vec![0];
        for set in sets {
            offsets.push(offsets[offsets.len() - 1] + set.len() as i64);
        }
        Self { offsets, elements: sets.concat() }
    }

    fn sets(&self) -> InMemorySets<OffsetArrays<'_, i64>> {
        InMemorySets::new(&self.offsets, &self.elements).unwrap()
    }
}

/// All matches, by the definitions.
fn brute_force(sets: &[Vec<u64>], criterion: Criterion) -> Matches {
    let p = u128::from(criterion.threshold.numerator());
    let q = u128::from(criterion.threshold.denominator());
    let sets: Vec<BTreeSet<u64>> = sets.iter().map(|set| set.iter().copied().collect()).collect();
    let mut matches = Matches::new();
    for later in 0..sets.len() {
        for earlier in 0..later {
            let (x, y) = (&sets[later], &sets[earlier]);
            let shared = x.intersection(y).count();
            let (s, a, b) = (shared as u128, x.len() as u128, y.len() as u128);
            let reached = match criterion.measure {
                Measure::Resemblance => s * q >= p * (a + b - s),
                Measure::Containment => s * q >= p * a,
                Measure::Cosine => s * s * q * q >= p * p * a * b,
            };
            if shared > 0 && reached {
                let overlap = Overlap { shared: shared as u32, a: a as u32, b: b as u32 };
                matches.insert((later as u32, earlier as u32), overlap);
            }
        }
    }
    matches
}

/// The witness of each set, itself if it is kept: set by set.
fn greedy(sets: u32, matches: &Matches, rule: WitnessRule, measure: Measure) -> Vec<u32> {
    let mut leader: Vec<u32> = Vec::new();
    for set in 0..sets {
        let kept = (0..set).filter(|&earlier| leader[earlier as usize] == earlier);
        let found: Vec<(u32, Overlap)> =
            kept.filter_map(|earlier| Some((earlier, *matches.get(&(set, earlier))?))).collect();
        let witness = match rule {
            WitnessRule::First => found.first(),
            // The last of the largest in reverse is the first one.
            WitnessRule::Best => found.iter().max_by(|x, y| {
                measure.compare(x.1, y.1).then_with(|| Reverse(x.0).cmp(&Reverse(y.0)))
            }),
        };
        leader.push(witness.map_or(set, |&(earlier, _)| earlier));
    }
    leader
}

/// The matches by the pure steps: sketches of batches merged in some order, one posting list after
/// the other.
fn by_steps(sets: &[Vec<u64>], criterion: Criterion, batches: &[usize], seed: u64) -> Matches {
    const BATCHES: usize = 4;
    let batch = |set: usize| batches[set % batches.len()] % BATCHES;
    let mut order: Vec<usize> = (0..BATCHES).collect();
    order.sort_by_key(|&batch| finalise(seed ^ batch as u64));
    let mut merged = DfSketch::for_elements(100, seed);
    for own in order.iter().copied() {
        let mut sketch = DfSketch::for_elements(100, seed);
        let own = sets.iter().enumerate().filter(|(set, _)| batch(*set) == own);
        own.for_each(|(_, set)| sketch.add(set));
        merged.merge(&sketch).unwrap();
    }
    let element_order = merged.freeze();
    let mut lists: BTreeMap<u64, Vec<Posting<u32, ()>>> = BTreeMap::new();
    let mut keys = Vec::new();
    for own in order {
        for (set, elements) in sets.iter().enumerate().filter(|(set, _)| batch(*set) == own) {
            index_keys(criterion, &element_order, elements, &mut keys);
            for key in &keys {
                let (set, size) = (set as u32, elements.len() as u32);
                let posting = Posting { set, size, position: key.position, bitmap: () };
                lists.entry(key.element).or_default().push(posting);
            }
        }
    }
    let mut pairs = BTreeSet::new();
    for list in lists.values() {
        candidates(criterion, list, |later, earlier| _ = pairs.insert((later, earlier)));
    }
    let sorted = |set: u32| {
        let mut set = sets[set as usize].clone();
        set.sort_unstable();
        set
    };
    let verified = pairs.into_iter().filter_map(|(later, earlier)| {
        Some(((later, earlier), verify(criterion, &sorted(later), &sorted(earlier))?))
    });
    verified.collect()
}

/// The first set of the component of each set.
fn component_labels(sets: u32, matches: &Matches) -> Vec<u32> {
    let mut components = Components::new(sets);
    matches.keys().for_each(|&(later, earlier)| _ = components.join(later, earlier));
    components.labels()
}

/// The witness of each set by [`LeaderPass`].
fn by_pass(sets: u32, matches: &Matches, rule: WitnessRule, measure: Measure) -> Vec<u32> {
    let labels = component_labels(sets, matches);
    let edge = |(&(later, earlier), &overlap): (&(u32, u32), &Overlap)| MatchEdge {
        component: labels[later as usize],
        later,
        earlier,
        overlap,
    };
    let mut edges: Vec<MatchEdge<u32>> = matches.iter().map(edge).collect();
    edges.sort_by_key(|edge| (edge.component, edge.later, edge.earlier));
    let mut leader: Vec<u32> = (0..sets).collect();
    let mut emit = |decision| {
        if let Decision::Removed(edge) = decision {
            leader[edge.later as usize] = edge.earlier;
        }
    };
    let mut pass = LeaderPass::new(rule, measure);
    edges.into_iter().for_each(|edge| pass.push(edge, &mut emit).unwrap());
    pass.finish(&mut emit);
    leader
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// Sets with many matches: variants of a few, strangers, empty and equal sets; elements in no
/// order.
fn sets() -> impl Strategy<Value = Vec<Vec<u64>>> {
    let base = prop::collection::vec(prop::collection::btree_set(1u64..60, 1..40), 1..4);
    let variant = (any::<prop::sample::Index>(), prop::collection::btree_set(1u64..60, 0..5));
    let variants = prop::collection::vec(variant, 1..30);
    let stranger = prop::collection::btree_set(1u64..60, 0..25);
    let strangers = prop::collection::vec(stranger, 0..6);
    (base, variants, strangers, any::<[bool; 2]>()).prop_map(
        |(base, variants, strangers, [spread, sorted])| {
            let vary = |(which, flips): (prop::sample::Index, BTreeSet<u64>)| {
                which.get(&base).symmetric_difference(&flips).copied().collect::<BTreeSet<u64>>()
            };
            let place = |n: u64| if spread { finalise(n) } else { n };
            let each = |set: BTreeSet<u64>| {
                let mut set: Vec<u64> = set.into_iter().map(place).collect();
                set.sort_by_key(|&n| if sorted { n } else { finalise(!n) });
                set
            };
            variants.into_iter().map(vary).chain(strangers).map(each).collect()
        },
    )
}

fn criteria() -> impl Strategy<Value = Criterion> {
    let measures = vec![Measure::Resemblance, Measure::Cosine, Measure::Containment];
    (prop::sample::select(measures), 300u32..=1000).prop_map(|(measure, thousandths)| {
        let threshold = format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
        Criterion { measure, threshold: threshold.parse().unwrap() }
    })
}

fn searches() -> impl Strategy<Value = CandidateSearch> {
    let all = [CandidateSearch::Cheapest, CandidateSearch::Prefixes, CandidateSearch::Bitmaps];
    prop::sample::select(all.to_vec())
}

fn listed(result: &JoinResult) -> Vec<(u32, u32, u32)> {
    result.pairs.edges.iter().map(|edge| (edge.later.0, edge.earlier.0, edge.shared)).collect()
}

fn leaders(result: &JoinResult) -> Vec<u32> {
    result.leader.iter().map(|leader| leader.0).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn equals_brute_force_and_the_pure_steps(
        sets in sets(),
        criterion in criteria(),
        threads in 1usize..=3,
        budget in prop::sample::select(vec![0, 1000, u64::MAX]),
        search in searches(),
        batches in prop::collection::vec(0usize..4, 1..9),
        seed in any::<u64>(),
    ) {
        let count = sets.len() as u32;
        let truth = brute_force(&sets, criterion);
        prop_assert_eq!(&by_steps(&sets, criterion, &batches, seed), &truth);
        let arrays = Arrays::new(&sets);
        let run = |options: JoinOptions| {
            let budget = SpillBudget { bytes: budget, ..SpillBudget::unlimited() };
            let options = JoinOptions { budget, search, ..options };
            on_threads(threads, || join(&arrays.sets(), criterion, &options, &Silent)).unwrap()
        };
        let all: Vec<(u32, u32, u32)> =
            truth.iter().map(|(&(later, earlier), overlap)| (later, earlier, overlap.shared)).collect();
        for rule in [WitnessRule::First, WitnessRule::Best] {
            let truth_leaders = greedy(count, &truth, rule, criterion.measure);
            prop_assert_eq!(&by_pass(count, &truth, rule, criterion.measure), &truth_leaders);
            let options = JoinOptions { witness: rule, ..JoinOptions::in_memory(Linkage::Leaders) };
            let found = run(options.clone());
            prop_assert_eq!(&leaders(&found), &truth_leaders);
            let removed: Vec<(u32, u32, u32)> = (0..count)
                .zip(&truth_leaders)
                .filter(|&(set, &leader)| set != leader)
                .map(|(set, &leader)| (set, leader, truth[&(set, leader)].shared))
                .collect();
            prop_assert_eq!(listed(&found), removed);
            let found = run(JoinOptions { list_pairs: Some(u64::MAX), ..options });
            prop_assert_eq!((&leaders(&found), listed(&found)), (&truth_leaders, all.clone()));
            prop_assert!(found.pairs.complete);
        }
        let labels = component_labels(count, &truth);
        for list_pairs in [Some(u64::MAX), Some(1), None] {
            let found = run(JoinOptions { list_pairs, ..JoinOptions::in_memory(Linkage::Components) });
            prop_assert_eq!(&leaders(&found), &labels);
            if found.pairs.complete {
                prop_assert_eq!(listed(&found), all.clone());
            }
            let edges: Matches = listed(&found).into_iter().map(|e| ((e.0, e.1), truth[&(e.0, e.1)])).collect();
            prop_assert_eq!(component_labels(count, &edges), &*labels);
        }
    }

    /// Protected sets are kept and precede all others; small sets match nothing.
    #[test]
    fn protected_and_small_sets(
        sets in sets(), criterion in criteria(), protected in 0u32..9, only_protected in any::<bool>(),
        least_size in 0u32..20, search in searches(),
    ) {
        let count = sets.len() as u32;
        let mut truth = brute_force(&sets, criterion);
        let small = |set: u32| (sets[set as usize].len() as u32) < least_size;
        let protected = protected.min(count);
        truth.retain(|&(later, earlier), _| {
            let may_decide = later >= protected && (!only_protected || earlier < protected);
            may_decide && !small(later) && !small(earlier)
        });
        let arrays = Arrays::new(&sets);
        let options = JoinOptions {
            protected, only_protected, least_size, search, ..JoinOptions::in_memory(Linkage::Leaders)
        };
        let found = join(&arrays.sets(), criterion, &options, &Silent).unwrap();
        prop_assert_eq!(leaders(&found), greedy(count, &truth, WitnessRule::First, criterion.measure));
    }
}

proptest! {
    /// A match that does not contain the later set to a degree removes nothing, and is listed.
    #[test]
    fn removals_that_are_contained(
        sets in sets(), criterion in criteria(), hundredths in 1u32..=100, protected in 0u32..9,
        witness in prop::sample::select(vec![WitnessRule::First, WitnessRule::Best]), search in searches(),
    ) {
        let count = sets.len() as u32;
        let truth = brute_force(&sets, criterion);
        let protected = protected.min(count);
        let mut removing = truth.clone();
        removing.retain(|&(later, _), counts| {
            later >= protected && 100 * counts.shared >= hundredths * counts.a
        });
        let arrays = Arrays::new(&sets);
        let contained = Some(format!("{}.{:02}", hundredths / 100, hundredths % 100).parse().unwrap());
        for list_pairs in [None, Some(u64::MAX)] {
            let options = JoinOptions {
                protected, contained, witness, search, list_pairs, ..JoinOptions::in_memory(Linkage::Leaders)
            };
            let found = join(&arrays.sets(), criterion, &options, &Silent).unwrap();
            prop_assert_eq!(leaders(&found), greedy(count, &removing, witness, criterion.measure));
            if list_pairs.is_some() {
                let all: Vec<(u32, u32, u32)> =
                    truth.iter().map(|(&(later, earlier), counts)| (later, earlier, counts.shared)).collect();
                prop_assert_eq!(listed(&found), all);
            }
        }
    }
}

/// Allows about half of all removals, or fails at one.
#[derive(Debug)]
struct Half {
    salt: u64,
    fails: bool,
}

impl Half {
    fn allowed(&self, later: u32, earlier: u32) -> bool {
        finalise(self.salt ^ u64::from(later) << 32 ^ u64::from(earlier)).is_multiple_of(2)
    }
}

impl RemovalCondition for Half {
    fn allows(&self, edge: Edge) -> Result<bool, SourceError> {
        let allowed = self.allowed(edge.later.0, edge.earlier.0);
        match self.fails && !allowed {
            true => Err("unreadable".into()),
            false => Ok(allowed),
        }
    }
}

proptest! {
    /// A match that a condition does not allow to remove anything is listed; an error of the condition
    /// ends the join.
    #[test]
    fn removals_that_a_condition_allows(
        sets in sets(), criterion in criteria(), salt in any::<u64>(), fails in any::<bool>(),
        witness in prop::sample::select(vec![WitnessRule::First, WitnessRule::Best]), search in searches(),
    ) {
        let count = sets.len() as u32;
        let truth = brute_force(&sets, criterion);
        let mut removing = truth.clone();
        let half = Half { salt, fails: false };
        removing.retain(|&(later, earlier), _| half.allowed(later, earlier));
        let arrays = Arrays::new(&sets);
        let removal = Some(Arc::new(Half { salt, fails }) as Arc<dyn RemovalCondition>);
        let options = JoinOptions {
            removal, witness, search, list_pairs: Some(u64::MAX), ..JoinOptions::in_memory(Linkage::Leaders)
        };
        match join(&arrays.sets(), criterion, &options, &Silent) {
            Err(error) => prop_assert!(fails && error.to_string().contains("unreadable")),
            Ok(found) => {
                prop_assert_eq!(leaders(&found), greedy(count, &removing, witness, criterion.measure));
                prop_assert_eq!(listed(&found).len(), truth.len());
                // The first removal that is refused is asked for.
                let asked = truth.keys().next().is_some_and(|&(later, earlier)| !half.allowed(later, earlier));
                prop_assert!(!(fails && asked));
            }
        }
    }
}

/// Sets of which only those with different values may match.
struct WithValues<'a> {
    sets: InMemorySets<OffsetArrays<'a, i64>>,
    values: &'a [u8],
}

impl SetSource for WithValues<'_> {
    type Scan<'a>
        = InMemorySets<OffsetArrays<'a, i64>>
    where
        Self: 'a;
    type Sorted<'a>
        = InMemorySorted<'a, OffsetArrays<'a, i64>>
    where
        Self: 'a;

    fn len(&self) -> u32 {
        self.sets.len()
    }

    fn size(&self, set: SetId) -> u32 {
        self.sets.size(set)
    }

    fn may_match(&self, a: SetId, b: SetId) -> bool {
        self.values[a.index()] != self.values[b.index()]
    }

    fn chunks(&self) -> u32 {
        self.sets.chunks()
    }

    fn chunk_of(&self, set: SetId) -> ChunkId {
        self.sets.chunk_of(set)
    }

    fn scan(&self) -> InMemorySets<OffsetArrays<'_, i64>> {
        self.sets
    }

    fn sorted<S: Send>(
        &self,
        wanted: &SparseIndex,
        limit: u64,
        states: Vec<S>,
        visit: impl Fn(&mut S, SetId, Halves<'_>) -> Result<(), SourceError> + Sync,
        done: impl FnMut(S),
    ) -> Result<Self::Sorted<'_>, SourceError> {
        self.sets.sorted(wanted, limit, states, visit, done)
    }
}

proptest! {
    /// Only pairs that may match are matches, in every search: equal sets as well.
    #[test]
    fn pairs_that_may_match(
        sets in sets(), criterion in criteria(), values in prop::collection::vec(0u8..3, 1..40),
        search in searches(), protected in 0u32..9,
        witness in prop::sample::select(vec![WitnessRule::First, WitnessRule::Best]),
        list_pairs in prop::sample::select(vec![None, Some(1), Some(u64::MAX)]),
    ) {
        let count = sets.len() as u32;
        let values: Vec<u8> = values.iter().copied().cycle().take(sets.len()).collect();
        let mut truth = brute_force(&sets, criterion);
        truth.retain(|&(later, earlier), _| values[later as usize] != values[earlier as usize]);
        let protected = protected.min(count);
        let mut removing = truth.clone();
        removing.retain(|&(later, _), _| later >= protected);
        let all: Vec<(u32, u32, u32)> =
            truth.iter().map(|(&(later, earlier), counts)| (later, earlier, counts.shared)).collect();
        let arrays = Arrays::new(&sets);
        let source = WithValues { sets: arrays.sets(), values: &values };
        let options = JoinOptions { search, list_pairs, ..JoinOptions::in_memory(Linkage::Leaders) };
        let options = JoinOptions { witness, protected, ..options };
        let found = join(&source, criterion, &options, &Silent).unwrap();
        prop_assert_eq!(leaders(&found), greedy(count, &removing, witness, criterion.measure));
        prop_assert_eq!(found.pairs.complete, list_pairs.is_some_and(|most| all.len() as u64 <= most));
        if found.pairs.complete {
            prop_assert_eq!(listed(&found), all.clone());
        }
        let options = JoinOptions { search, list_pairs, ..JoinOptions::in_memory(Linkage::Components) };
        let found = join(&source, criterion, &options, &Silent).unwrap();
        prop_assert_eq!(leaders(&found), component_labels(count, &truth));
        prop_assert!(listed(&found).iter().all(|edge| truth.contains_key(&(edge.0, edge.1))));
    }
}

/// Several chunks and blocks: clusters of versions far apart in precedence.
#[test]
fn many_sets() {
    let version = |cluster: u64, change: u64| {
        let mut set: Vec<u64> = (0..20).map(|n| finalise(cluster << 20 | n)).collect();
        set[(change % 20) as usize] = finalise(1 << 50 | cluster << 20 | change);
        set
    };
    let sets: Vec<Vec<u64>> = (0..9000u64).map(|n| version(n % 3001, n / 3001)).collect();
    let arrays = Arrays::new(&sets);
    let criterion = Criterion { measure: Measure::Resemblance, threshold: "0.8".parse().unwrap() };
    // Two versions share 18 elements of 22.
    let expected: Vec<SetId> = (0..9000).map(|n| SetId(n % 3001)).collect();
    for (threads, search) in [
        (1, CandidateSearch::Prefixes),
        (3, CandidateSearch::Prefixes),
        (3, CandidateSearch::Bitmaps),
    ] {
        for linkage in [Linkage::Leaders, Linkage::Components] {
            let options = JoinOptions { search, ..JoinOptions::in_memory(linkage) };
            let found = on_threads(threads, || join(&arrays.sets(), criterion, &options, &Silent));
            assert_eq!(found.unwrap().leader, expected);
        }
    }
}

/// Up to sixteen large sets are compared without an index, and only with those of similar sizes.
#[test]
fn few_large_sets() {
    let version = |number: u64| -> Vec<u64> {
        let shared = (0..80_000 - 4000 * number).map(finalise);
        shared.chain((0..number).map(|own| finalise(1 << 40 | number << 20 | own))).collect()
    };
    let versions = |count| -> Vec<Vec<u64>> { (0..count).map(version).collect() };
    let criterion = Criterion { measure: Measure::Resemblance, threshold: "0.8".parse().unwrap() };
    for (count, indexed) in [(2, false), (4, false), (16, false), (17, true)] {
        // From the fifth on they would be small: as large as the first, and unrelated.
        let stranger = |number: u64| (0..80_000).map(|n| finalise(number << 30 | n)).collect();
        let few = versions(count.min(5));
        let sets: Vec<Vec<u64>> = few.into_iter().chain((5..count).map(stranger)).collect();
        let truth = greedy(
            count as u32,
            &brute_force(&sets, criterion),
            WitnessRule::First,
            criterion.measure,
        );
        let arrays = Arrays::new(&sets);
        let found = |search| {
            let options = JoinOptions { search, ..JoinOptions::in_memory(Linkage::Leaders) };
            join(&arrays.sets(), criterion, &options, &Silent).unwrap()
        };
        let (cheapest, by_prefixes) =
            (found(CandidateSearch::Cheapest), found(CandidateSearch::Prefixes));
        assert_eq!(leaders(&cheapest), truth);
        assert_eq!(leaders(&by_prefixes), truth);
        assert_eq!(cheapest.keys == by_prefixes.keys, indexed, "{count} sets");
    }
}

/// A set with an element twice is an error when it is compared.
#[test]
fn repeated_elements_are_an_error() {
    let twice = [finalise(1), finalise(2), finalise(3), finalise(2)];
    let arrays = Arrays::new(&[twice.to_vec(), twice[..3].to_vec()]);
    let criterion = Criterion { measure: Measure::Resemblance, threshold: "0.5".parse().unwrap() };
    let options = JoinOptions::in_memory(Linkage::Leaders);
    let error = join(&arrays.sets(), criterion, &options, &Silent).unwrap_err().to_string();
    assert!(error.contains("set 0") && error.contains("twice"), "{error}");
}

/// A source whose reads fail from the one with this number on.
struct FailingSets<'a> {
    sets: InMemorySets<OffsetArrays<'a, i64>>,
    left: AtomicUsize,
}

impl FailingSets<'_> {
    fn read(&self) -> Result<(), SourceError> {
        let left = |left: usize| left.checked_sub(1);
        match self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left) {
            Ok(_) => Ok(()),
            Err(_) => Err("sector 7 is gone".into()),
        }
    }
}

impl SetSource for FailingSets<'_> {
    type Scan<'a>
        = &'a Self
    where
        Self: 'a;
    type Sorted<'a>
        = &'a Self
    where
        Self: 'a;

    fn len(&self) -> u32 {
        self.sets.len()
    }

    fn size(&self, set: SetId) -> u32 {
        self.sets.size(set)
    }

    fn chunks(&self) -> u32 {
        1
    }

    fn chunk_of(&self, _set: SetId) -> ChunkId {
        ChunkId(0)
    }

    fn scan(&self) -> &Self {
        self
    }

    fn sorted<S: Send>(
        &self,
        wanted: &SparseIndex,
        _limit: u64,
        mut states: Vec<S>,
        visit: impl Fn(&mut S, SetId, Halves<'_>) -> Result<(), SourceError> + Sync,
        done: impl FnMut(S),
    ) -> Result<&Self, SourceError> {
        self.read()?;
        for set in wanted.iter().map(SetId) {
            visit(&mut states[0], set, Halves::whole(self.sets.get(set)))?;
        }
        states.into_iter().for_each(done);
        Ok(self)
    }
}

impl SetScan for &FailingSets<'_> {
    fn bound(&self) -> Option<u64> {
        None
    }

    fn tasks(&self) -> u32 {
        self.sets.tasks()
    }

    fn elements(&self, task: TaskId) -> usize {
        self.sets.elements(task)
    }

    fn is_large(&self, task: TaskId) -> bool {
        self.sets.is_large(task)
    }

    fn visit(
        &self,
        task: TaskId,
        part: Part,
        mut visit: impl FnMut(SetId, &[u64], &mut dyn HighElements) -> Result<(), SourceError>,
    ) -> Result<(), SourceError> {
        self.sets.visit(task, part, |set, low, high| {
            self.read()?;
            visit(set, low, high)
        })
    }

    fn visit_low(&self, task: TaskId, visit: impl FnMut(&[u64])) -> Result<(), SourceError> {
        self.sets.visit_low(task, visit)
    }

    fn visit_some(
        &self,
        task: TaskId,
        wanted: impl Fn(SetId) -> bool,
        visit: impl FnMut(&[u64]),
    ) -> Result<(), SourceError> {
        self.read()?;
        self.sets.visit_some(task, wanted, visit)
    }
}

impl SortedSets for &FailingSets<'_> {
    fn overlap_at_least(
        &self,
        a: SetId,
        b: SetId,
        needed: u32,
    ) -> Result<Option<u32>, SourceError> {
        self.read()?;
        let sorted = |set| self.sets.get(set).iter().copied().collect::<BTreeSet<u64>>();
        let shared = sorted(a).intersection(&sorted(b)).count() as u32;
        Ok((shared >= needed).then_some(shared))
    }
}

/// Wherever the first read fails: the join returns that error, and nothing remembers it.
#[test]
fn read_errors_are_returned() {
    let sets: Vec<Vec<u64>> =
        (0..30u64).map(|n| (n % 5 * 7..n % 5 * 7 + 20).map(finalise).collect()).collect();
    let arrays = Arrays::new(&sets);
    for (measure, search) in [
        (Measure::Resemblance, CandidateSearch::Prefixes),
        (Measure::Resemblance, CandidateSearch::Bitmaps),
        (Measure::Containment, CandidateSearch::Cheapest),
    ] {
        let criterion = Criterion { measure, threshold: "0.8".parse().unwrap() };
        for linkage in [Linkage::Leaders, Linkage::Components] {
            let options = JoinOptions { search, ..JoinOptions::in_memory(linkage) };
            let expected = join(&arrays.sets(), criterion, &options, &Silent).unwrap().leader;
            let source = FailingSets { sets: arrays.sets(), left: AtomicUsize::new(0) };
            let mut failures = 0;
            loop {
                source.left.store(failures, Ordering::Relaxed);
                match join(&source, criterion, &options, &Silent) {
                    Ok(found) => {
                        assert_eq!(found.leader, expected);
                        break;
                    }
                    Err(JoinError::Source(error)) => {
                        assert_eq!(error.to_string(), "sector 7 is gone");
                    }
                    Err(error) => panic!("{error}"),
                }
                failures += 1;
            }
            // The sample, one to three scans, sorting, and the comparisons.
            let scans = if search == CandidateSearch::Bitmaps { 1 } else { 2 };
            assert!(failures > 2 + scans * sets.len(), "{failures}");
        }
    }
}
