"""Sketches of sets and their index: estimates, verification, and the shape of datasketch."""

from __future__ import annotations

import copy
import math
import pickle
import random
import threading
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import lookalike
from conftest import shingles, variants

#: Sets of shingles, as texts: an element is bytes or text.
SETS = [frozenset(" ".join(shingle) for shingle in shingles(text)) for text in variants(400, seed=21)]


def resemblance(a: frozenset[str], b: frozenset[str]) -> Fraction:
    return Fraction(len(a & b), len(a | b))


def sketch(elements: Any, num_perm: int = 128, **parameters: Any) -> lookalike.MinHash:
    made = lookalike.MinHash(num_perm, **parameters)
    made.update_batch(elements)
    return made


@pytest.mark.parametrize("num_perm", [1, 16, 128, 1000])
@pytest.mark.parametrize("seed", [1, 7])
def test_estimates_are_without_bias(num_perm: int, seed: int) -> None:
    chance = random.Random(num_perm + seed)
    rounds = 300
    for shared, only_a, only_b in [(40, 10, 10), (1, 1, 0), (500, 100, 400), (0, 20, 20)]:
        exact, total = shared / (shared + only_a + only_b), 0.0
        for _ in range(rounds):
            elements = [chance.randbytes(8) for _ in range(shared + only_a + only_b)]
            a = sketch(elements[: shared + only_a], num_perm, seed=seed)
            b = sketch(elements[:shared] + elements[shared + only_a :], num_perm, seed=seed)
            total += a.jaccard(b)
        error = math.sqrt(max(exact * (1 - exact), 1e-9) / (num_perm * rounds))
        assert abs(total / rounds - exact) < 4.5 * error + 1e-9


def test_counts_are_estimates_of_the_number_of_elements() -> None:
    for size in [1, 2, 10, 128, 5000]:
        counts = [sketch([f"{size} {copy} {n}" for n in range(size)]).count() for copy in range(60)]
        assert abs(sum(counts) / len(counts) / size - 1) < 4.5 / math.sqrt(128 * len(counts)) + 0.01
    assert lookalike.MinHash().count() == 0


def test_how_elements_are_added_does_not_matter() -> None:
    for seed in [1, 2, (1 << 64) - 1]:
        for elements in [*SETS[:10], frozenset[str]()]:
            whole = sketch(elements, seed=seed)
            single = lookalike.MinHash(seed=seed)
            for element in sorted(elements, reverse=True):
                single.update(element)
                single.update(element.encode())
                single.update(bytearray(element.encode()))
            parts = [sketch([element for n, element in enumerate(sorted(elements)) if n % 3 == part], seed=seed) for part in range(3)]
            assert whole == single == lookalike.MinHash.union(*parts)
            assert whole.digest().to_pylist() == single.digest().to_pylist() and len(whole.digest()) == len(whole) == 128
            assert whole.is_empty() == (not elements)


def test_a_sketch_is_that_of_the_signer() -> None:
    texts = variants(50, seed=22)
    features, sketches = lookalike.Signer().features(texts), lookalike.Signer("minhash-lsh:short=whole").sign(texts).sketches()
    for row in range(len(texts)):
        made = lookalike.MinHash()
        made.update_features(features[row])
        assert made.digest().to_pylist() == sketches[row]


def test_sketches_are_objects_like_others() -> None:
    a, b = sketch(SETS[0], keep_set=True), sketch(SETS[1])
    assert a != b and a != sketch(SETS[0], 64) and a != sketch(SETS[0], seed=2) and a != "a"
    for again in [a.copy(), copy.copy(a), copy.deepcopy(a), pickle.loads(pickle.dumps(a))]:
        assert again == a and (again.num_perm, again.seed) == (128, 1) and again._sketch.keeps_set()
        again.update("other")
        assert again != a
    with pytest.raises(TypeError, match="unhashable"):
        hash(a)
    made = lookalike.MinHash.bulk([SETS[0], SETS[1]], num_perm=64, seed=3)
    assert made == [sketch(SETS[0], 64, seed=3), sketch(SETS[1], 64, seed=3)]
    assert list(lookalike.MinHash.generator(iter(SETS[:2]), num_perm=64, seed=3)) == made
    a.clear()
    assert a.is_empty() and a == lookalike.MinHash() and a._sketch.keeps_set()
    a.merge(a)
    assert a.jaccard(a) == 1 and a.jaccard(b) == 0 and "128 minima" in repr(a)


@pytest.mark.parametrize("parameters", [{"num_perm": 0}, {"num_perm": 4097}, {"seed": -1}, {"seed": 1 << 64}])
def test_parameters_that_cannot_be(parameters: dict[str, int]) -> None:
    with pytest.raises(lookalike.SettingsError):
        lookalike.MinHash(**parameters)
    with pytest.raises(TypeError):
        lookalike.MinHash(hashfunc=hash)  # type: ignore[call-arg]


def test_what_cannot_be_compared_is_refused() -> None:
    own = sketch(SETS[0])
    for other, wrong in [(sketch(SETS[0], 64), "num_perm"), (sketch(SETS[0], seed=2), "seed")]:
        lsh = lookalike.MinHashLSH(0.5)
        for call in (own.jaccard, own.merge, lsh.query, lambda given: lsh.insert("key", given)):
            with pytest.raises(lookalike.SettingsError, match=f"{wrong}=") as raised:
                call(other)
            assert isinstance(raised.value, ValueError)
        assert lsh.is_empty()
    for call in (own.update, lambda element: own.update_batch([element])):
        with pytest.raises(TypeError, match="bytes or str, not int; numbers of Signer.features go to update_features"):
            call(5)
    assert own == sketch(SETS[0])
    with pytest.raises(TypeError, match="lookalike.MinHash is wanted, not int"):
        own.jaccard(5)  # type: ignore[arg-type]


def lsh_of(sets: list[frozenset[str]], keep_set: bool, **parameters: Any) -> lookalike.MinHashLSH:
    lsh = lookalike.MinHashLSH(**parameters)
    for row, elements in enumerate(sets):
        lsh.insert(row, sketch(elements, keep_set=keep_set))
    return lsh


@pytest.mark.parametrize("parameters", [{"threshold": 0.5}, {"threshold": 0.8}, {"params": (20, 3), "threshold": 0.6}])
def test_queries_are_those_of_comparing_all_band_keys(parameters: dict[str, Any]) -> None:
    sets = SETS[:200]
    lsh = lsh_of(sets, False, **parameters)
    sketches = [sketch(elements) for elements in sets]
    digests = [one.digest().to_pylist() for one in sketches]
    bands = [[tuple(digest[band * lsh.r : (band + 1) * lsh.r]) for band in range(lsh.b)] for digest in digests]
    least = lookalike._lookalike.least_equal(float(lsh.threshold), 128, 0.95)
    verified = 0
    for row in range(len(sets)):
        candidates = [other for other in range(len(sets)) if any(x == y for x, y in zip(bands[row], bands[other]))]
        assert lsh.query(sketches[row], verify="none") == candidates
        equal = [other for other in candidates if sum(x == y for x, y in zip(digests[row], digests[other])) >= least]
        assert lsh.query(sketches[row]) == lsh.query(sketches[row], verify="sketch") == equal
        verified += len(equal)
    assert verified > 1.5 * len(sets)


@pytest.mark.parametrize("threshold", [0.5, 0.8])
def test_kept_sets_are_compared_exactly(threshold: float) -> None:
    lsh = lsh_of(SETS, True, threshold=threshold)
    matching = found = 0
    for row, elements in enumerate(SETS):
        exact = [other for other in range(len(SETS)) if resemblance(elements, SETS[other]) >= Fraction(str(threshold))]
        answer = lsh.query(sketch(elements, keep_set=True))
        assert answer == lsh.query(sketch(elements, keep_set=True), verify="exact")
        assert set(answer) <= set(exact) and row in answer
        matching, found = matching + len(exact), found + len(answer)
    assert found / matching > 0.95
    with pytest.raises(lookalike.SettingsError, match="keep_set=True"):
        lsh.query(sketch(SETS[0]), verify="exact")
    with pytest.raises(lookalike.SettingsError, match="verify="):
        lsh.query(sketch(SETS[0]), verify="always")  # type: ignore[arg-type]


def test_a_pair_exactly_at_the_threshold_matches_by_its_sets() -> None:
    a, b = sketch("12345678", keep_set=True), sketch("1234567890", keep_set=True)
    for threshold, matches in [(0.8, True), ("0.8", True), (Fraction(4, 5), True), ("0.800000001", False)]:
        lsh = lookalike.MinHashLSH(threshold, params=(128, 1))
        lsh.insert("a", a)
        assert lsh.query(b) == (["a"] if matches else [])


def test_recall_at_the_threshold_is_that_which_was_asked_for() -> None:
    chance = random.Random(5)
    for recall in [0.8, 0.95]:
        lsh, found, rounds = lookalike.MinHashLSH(0.8, recall=recall), 0, 1500
        for row in range(rounds):
            elements = [chance.randbytes(8) for _ in range(50)]
            lsh.insert(row, sketch(elements[:45]))
            found += row in lsh.query(sketch(elements[5:]))
        assert found / rounds > recall - 3 * math.sqrt(recall * (1 - recall) / rounds)
        assert lsh.probability(0.8) >= recall


def test_keys_are_added_and_removed() -> None:
    lsh = lookalike.MinHashLSH(0.8)
    assert lsh.is_empty() and len(lsh) == 0 and lsh.query(sketch(SETS[0])) == []
    with lsh.insertion_session() as session:
        for row in range(10):
            session.insert(("key", row), sketch(SETS[0]))
    assert not lsh.is_empty() and ("key", 3) in lsh and 3 not in lsh and len(lsh.keys) == 10
    with pytest.raises(lookalike.DataError, match="there already") as raised:
        lsh.insert(("key", 3), sketch(SETS[1]))
    assert raised.value.code == "duplicate_key" and isinstance(raised.value, ValueError)
    lsh.insert(("key", 3), sketch(SETS[1]), check_duplication=False)
    rest = [("key", row) for row in range(10) if row != 3]
    assert lsh.query(sketch(SETS[0])) == rest and lsh.query(sketch(SETS[1])) == [("key", 3)]
    again = pickle.loads(pickle.dumps(lsh))
    for key in rest:
        lsh.remove(key)
    assert lsh.query(sketch(SETS[0])) == [] and list(lsh.keys) == [("key", 3)]
    with pytest.raises(lookalike.DataError, match="is not there"):
        lsh.remove("nosuch")
    lsh.remove(("key", 3))
    assert lsh.is_empty() and not lsh._band_keys
    assert again.query(sketch(SETS[0])) == rest and (again.b, again.r) == (lsh.b, lsh.r)
    lsh.merge(again)
    assert list(lsh.keys) == list(again.keys)
    with pytest.raises(lookalike.DataError, match="in both"):
        lsh.merge(again, check_overlap=True)
    with pytest.raises(lookalike.SettingsError):
        lsh.merge(lookalike.MinHashLSH(0.5))


def test_a_sketch_that_changes_afterwards_is_not_found_by_its_change() -> None:
    lsh, changing = lookalike.MinHashLSH(0.8), sketch(SETS[0])
    lsh.insert("a", changing)
    changing.update_batch(f"other{n}" for n in range(1000))
    assert lsh.query(sketch(SETS[0])) == ["a"] and lsh.query(changing) == []
    lsh.remove("a")
    assert lsh.is_empty() and not lsh._band_keys


def test_empty_sets_resemble_none() -> None:
    lsh = lookalike.MinHashLSH(0.8)
    lsh.insert("a", lookalike.MinHash())
    assert lsh.query(lookalike.MinHash()) == [] and "a" in lsh
    lsh.remove("a")
    assert lsh.is_empty()


@pytest.mark.parametrize(
    "parameters",
    [{"threshold": 0}, {"threshold": 1.1}, {"params": (20, 7)}, {"params": (0, 3)}, {"recall": 1.0}, {"num_perm": 0}]
    + [{"threshold": 0.01}, {"weights": (0, 0)}, {"weights": (-1, 1)}],
)
def test_bands_that_cannot_be(parameters: dict[str, Any]) -> None:
    with pytest.raises(lookalike.SettingsError):
        lookalike.MinHashLSH(**parameters)


def test_threads_may_share_sketches_and_an_index() -> None:
    whole, lsh = lookalike.MinHash(keep_set=True), lookalike.MinHashLSH(0.8)
    sketches = [sketch(elements, keep_set=True) for elements in SETS[:60]]

    def work(part: int) -> None:
        for row in range(part, 60, 4):
            whole.update_batch(SETS[row])
            lsh.insert(row, sketches[row])
            whole.merge(sketches[59 - row])
            assert row in lsh.query(sketches[row])
            assert 0 <= whole.jaccard(sketches[row]) <= 1 and 0 <= sketches[row].jaccard(whole) <= 1

    workers = [threading.Thread(target=work, args=(part,)) for part in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert not any(worker.is_alive() for worker in workers)
    union = frozenset[str]().union(*SETS[:60])
    assert whole == sketch(union) and len(lsh) == 60
    assert whole._sketch.overlap(sketch(union, keep_set=True)._sketch) == (len(union),) * 3


def of_both() -> list[Any]:
    return [pytest.importorskip("datasketch"), lookalike]


def test_the_same_calls_as_of_datasketch() -> None:
    """One sequence of calls, with sets that are equal or have nothing in common: the answers are the same."""

    def calls(module: Any) -> list[Any]:
        answers: list[Any] = []

        def refused(call: Callable[[], object]) -> bool:
            try:
                call()
            except ValueError:
                return True
            return False

        sets = [[f"{family}.{n}".encode() for n in range(50)] for family in (0, 1, 0, 2, 1, 0)]
        made = module.MinHash.bulk(sets, num_perm=128)
        single = module.MinHash(num_perm=128, seed=1)
        for element in sets[0]:
            single.update(element)
        answers += [single == made[0], single == made[1], made[0].jaccard(made[2]), made[0].jaccard(made[1])]
        answers += [single.is_empty(), module.MinHash().is_empty(), len(single), len(single.digest()), len(made)]
        both = made[0].copy()
        both.merge(made[1])
        answers += [both == module.MinHash.union(made[0], made[1]), both == made[0], 60 < both.count() < 150]
        lsh = module.MinHashLSH(threshold=0.7, num_perm=128)
        answers += [lsh.is_empty()]
        for row in range(3):
            lsh.insert(row, made[row])
        with lsh.insertion_session() as session:
            for row in range(3, 6):
                session.insert(row, made[row])
        answers += [sorted(lsh.query(one)) for one in made]
        answers += [refused(lambda: lsh.insert(0, made[0])), refused(lambda: lsh.remove("nosuch"))]
        answers += [refused(lambda: lsh.insert("short", module.MinHash(num_perm=64)))]
        answers += [refused(lambda: made[0].jaccard(module.MinHash(num_perm=64)))]
        answers += [refused(lambda: made[0].merge(module.MinHash(seed=2)))]
        lsh.remove(2)
        answers += [sorted(lsh.query(made[0])), 2 in lsh, 0 in lsh, lsh.is_empty(), sorted(lsh.keys)]
        again = pickle.loads(pickle.dumps(lsh))
        answers += [sorted(again.query(made[4])), pickle.loads(pickle.dumps(made[0])) == made[0]]
        other = module.MinHashLSH(num_perm=128, params=(16, 8))
        answers += [(other.b, other.r), refused(lambda: lsh.merge(other))]
        answers += [refused(lambda: module.MinHashLSH(num_perm=128, params=(64, 8)))]
        return answers

    theirs, ours = (calls(module) for module in of_both())
    assert ours == theirs


@pytest.mark.parametrize("threshold", [0.5, 0.8])
def test_recall_is_that_of_datasketch_with_the_same_bands(threshold: float) -> None:
    sets = variants(600, seed=23)
    elements = [[" ".join(one).encode() for one in shingles(text)] for text in sets]
    exact = [frozenset(one) for one in elements]
    near = {
        (a, b)
        for b in range(len(exact))
        for a in range(b)
        if len(exact[a] & exact[b]) / len(exact[a] | exact[b]) >= threshold
    }
    recall = []
    for module in of_both():
        lsh = module.MinHashLSH(threshold=threshold, num_perm=128, weights=(0.5, 0.5))
        made = module.MinHash.bulk(elements, num_perm=128)
        for row, one in enumerate(made):
            lsh.insert(row, one)
        options = {} if module is not lookalike else {"verify": "none"}
        found = {(min(row, a), max(row, a)) for row, one in enumerate(made) for a in lsh.query(one, **options) if a != row}
        recall.append(len(found & near) / len(near))
        if module is lookalike:
            best = lookalike.MinHashLSH(threshold, num_perm=128)
            for row, one in enumerate(made):
                best.insert(row, one)
            verified = {(min(row, a), max(row, a)) for row, one in enumerate(made) for a in best.query(one) if a != row}
            assert len(verified & near) / len(near) > recall[-1] - 0.03
            # What passes without reaching the threshold is not far below it.
            far = [(a, b) for a, b in verified - near if len(exact[a] & exact[b]) < (threshold - 0.15) * len(exact[a] | exact[b])]
            assert len(far) < 0.02 * len(verified)
    assert len(near) > 200 and abs(recall[0] - recall[1]) < 0.05


def test_weights_choose_the_bands_of_datasketch() -> None:
    theirs = pytest.importorskip("datasketch")
    for threshold, weights, num_perm in [
        (0.9, (0.5, 0.5), 128), (0.8, (0.5, 0.5), 128), (0.5, (0.5, 0.5), 64), (0.7, (0.2, 0.8), 96), (0.3, (0.9, 0.1), 50),
    ]:  # fmt: skip
        their = theirs.MinHashLSH(threshold=threshold, num_perm=num_perm, weights=weights)
        our = lookalike.MinHashLSH(threshold=threshold, num_perm=num_perm, weights=weights)
        assert (our.b, our.r) == (their.b, their.r)


def test_sketches_of_datasketch_are_refused() -> None:
    theirs = pytest.importorskip("datasketch").MinHash()
    lsh = lookalike.MinHashLSH(0.8)
    for call in (sketch(SETS[0]).jaccard, sketch(SETS[0]).merge, lsh.query, lambda given: lsh.insert("key", given)):
        with pytest.raises(TypeError, match="^a datasketch.MinHash; sign the text again$"):
            call(theirs)
