#!/usr/bin/env python3
"""Nothing in, a verdict on the benchmarks' own judgement out: the exact truth, the scores, the account of memory.

Holds benchmarks/truth.py against brute force over small random collections with pairs made to lie on the
threshold, its scores against an example worked by hand, and the account of a program's processes against
programs of known size. Needs none of the tools that are compared. Standard library only.
"""
import random
import sys
import unittest
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "benchmarks"))
import measure  # noqa: E402
import truth  # noqa: E402


def brute_force(documents: list, threshold: Fraction) -> set:
    """The pairs of ids that reach the threshold: every pair looked at, words cut character by character."""
    def features(text: str) -> set:
        words, word = [], ""
        for character in text.lower() + " ":
            if character.isalnum():
                word += character
            elif word:
                words.append(word)
                word = ""
        if not words:
            return set()
        return {tuple(words[at:at + 5]) for at in range(max(1, len(words) - 4))}

    sets = [(name, features(text)) for name, text in documents]
    return {
        (a, b)
        for at, (a, one) in enumerate(sets) for b, other in sets[at + 1:]
        if one and other and Fraction(len(one & other), len(one | other)) >= threshold
    }


def listed(found: truth.Truth, order: list) -> set:
    """A truth's pairs of ids, the one that comes first in `order` in front."""
    at = {name: number for number, name in enumerate(order)}
    pairs = [(a, b) for group in found.groups for i, a in enumerate(group) for b in group[i + 1:]]
    pairs += [(a, b) for g, h, _, _ in found.pairs for a in found.groups[g] for b in found.groups[h]]
    return {tuple(sorted(pair, key=at.get)) for pair in pairs}


def collection(seed: int) -> list:
    """Random texts of a small vocabulary, edits and copies of them, and pairs exactly at 4/5 and just below."""
    rng = random.Random(seed)
    vocabulary = ["a", "b", "ça", "d_e", "f3", "Gh", "it's", "—"] + [f"w{n}" for n in range(rng.choice((5, 60, 900)))]
    texts = ["", "…", "one", "one two", "One, two!", "a b c d e", "a b c d e f"]
    for _ in range(60):
        base = [rng.choice(vocabulary) for _ in range(rng.randrange(1, 90))]
        texts.append(" ".join(base))
        for _ in range(rng.randrange(4)):
            edited = [rng.choice(vocabulary) if rng.random() < 0.02 else word for word in base]
            texts.append(" ".join(edited[rng.randrange(4):]))
    numbered = [f"n{n}" for n in range(54)]
    # 50 shingles against 40 of them: 4/5. Against 39 of them, or 40 and another: below.
    texts += [" ".join(numbered), " ".join(numbered[:44]), " ".join(numbered[:43]), " ".join([*numbered[:44], "x"])]
    rng.shuffle(texts)
    return [(f"d{at}", text) for at, text in enumerate(texts)]


class TruthTest(unittest.TestCase):
    def test_equals_brute_force(self):
        for seed in range(12):
            documents = collection(seed)
            for threshold in (Fraction(1, 2), Fraction(4, 5), Fraction(9, 10), Fraction(1)):
                with self.subTest(seed=seed, threshold=threshold):
                    found = listed(truth.truth_of(documents, threshold), [name for name, _ in documents])
                    self.assertEqual(found, brute_force(documents, threshold))

    def test_a_rare_count_that_is_too_high_loses_nothing(self):
        documents = collection(3)
        exact, rarity = truth.truth_of(documents), truth.rarity
        try:
            truth.rarity = lambda sets: lambda value: 255
            self.assertEqual(truth.truth_of(documents), exact)
        finally:
            truth.rarity = rarity

    def test_survives_being_written(self):
        found = truth.truth_of(collection(1))
        again = truth.Truth.from_json(found.to_json())
        self.assertEqual(truth.score(again, truth.closure(again)), truth.score(found, truth.closure(found)))

    def test_refuses_an_id_that_occurs_twice(self):
        with self.assertRaises(truth.BadInput):
            truth.truth_of([("a", "one"), ("a", "two")])


class ScoreTest(unittest.TestCase):
    # a and b are equal; c resembles them by 0.82, d resembles c by 0.9; e is alone.
    TRUTH = truth.Truth([["a", "b"], ["c"], ["d"], ["e"]], [(0, 1, 82, 100), (1, 2, 9, 10)])

    def test_example_worked_by_hand(self):
        # True: ab, ac, bc, cd. In one cluster: ac, ae, ce. Found: ac, which is one of two hard ones.
        links = [("a", "c"), ("c", "a"), ("e", "c"), ("b", "a"), ("a", "d")]
        got = truth.score(self.TRUTH, {"a": "1", "c": "1", "e": "1", "b": "2"}, links)
        self.assertEqual(got, truth.Score(
            true=4, found=1, true_hard=2, found_hard=1, same_cluster=3, links=4, true_links=2))
        self.assertEqual(got.shares(), {"recall": 1 / 4, "recall_hard": 1 / 2, "precision": 1 / 3, "link_precision": 1 / 2})

    def test_who_is_left_out_is_alone(self):
        got = truth.score(self.TRUTH, {"a": "e"})
        self.assertEqual((got.found, got.same_cluster, got.links), (0, 0, None))
        self.assertIsNone(got.shares()["precision"])

    def test_flags_count_documents(self):
        # All but e have a near-duplicate, and one of 0.85 at least: nothing is hard.
        got = truth.score_flags(self.TRUTH, {"a", "d", "e"})
        self.assertEqual(got, truth.Score(true=4, found=2, same_cluster=3))
        alone = truth.Truth([["a"], ["c"], ["e"]], [(0, 1, 82, 100)])
        got = truth.score_flags(alone, {"a", "e"})
        self.assertEqual(got, truth.Score(true=2, found=1, true_hard=2, found_hard=1, same_cluster=2))

    def test_closing_the_true_links_finds_all_and_adds_what_they_imply(self):
        got = truth.score(self.TRUTH, truth.closure(self.TRUTH))
        # The cluster abcd has six pairs; ad and bd are not true ones.
        self.assertEqual((got.found, got.found_hard, got.same_cluster), (4, 2, 6))


class MeasureTest(unittest.TestCase):
    HOLD = "import time; held = b'x' * 60_000_000; time.sleep(0.6)"

    def test_counts_the_memory_of_all_processes_together(self):
        if not Path("/proc/self/smaps_rollup").exists():
            self.skipTest("the system does not list its processes")
        start = "import subprocess, sys; [p.wait() for p in [subprocess.Popen([sys.executable, '-c', sys.argv[1]]) for _ in '12']]"
        cost, _ = measure.measured_tree([sys.executable, "-c", start, self.HOLD], 60)
        self.assertGreater(cost["peak"], 120_000_000)
        self.assertLess(cost["peak"], 240_000_000)

    def test_counts_the_time_of_children_that_nobody_waited_for(self):
        if not Path("/proc/self/smaps_rollup").exists():
            self.skipTest("the system does not list its processes")
        work = "import time; end = time.process_time() + 1\nwhile time.process_time() < end: pass"
        # Who starts it ends at once, and its own parent watches only the output.
        start = ("import subprocess, sys; out = subprocess.run([sys.executable, '-c', "
                 "'import subprocess, sys; subprocess.Popen([sys.executable, \"-c\", sys.argv[1]])', sys.argv[1]], "
                 "stdout=subprocess.PIPE)")
        cost, _ = measure.measured_tree([sys.executable, "-c", start, work], 60)
        self.assertGreater(cost["cpu"], 0.7)
        self.assertLess(cost["user"] + cost["system"], 0.7)

    def test_says_what_failed(self):
        with self.assertRaisesRegex(measure.Failed, "exit code 3(?s:.)*the reason"):
            measure.measured_tree([sys.executable, "-c", "import sys; print('the reason', file=sys.stderr); sys.exit(3)"], 60)

    def test_stops_what_takes_too_long_with_all_that_it_started(self):
        start = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(60)'])"
        with self.assertRaisesRegex(measure.Failed, "stopped after 1 s"):
            measure.measured_tree([sys.executable, "-c", start], 1)


if __name__ == "__main__":
    unittest.main()
