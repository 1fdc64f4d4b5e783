#!/usr/bin/env python3
"""Nothing in, a verdict on the benchmarks' own judgement out: the exact truth, the scores, the account of memory, the picture.

Holds benchmarks/truth.py against brute force over small random collections with pairs made to lie on the
threshold, its scores against an example worked by hand, and the account of a program's processes against
programs of known size; looks into the picture of how cost grows. Needs none of the tools that are compared. Standard library only.
"""
import contextlib
import io
import json
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "benchmarks"))
import index  # noqa: E402
import index_peers  # noqa: E402
import instructions  # noqa: E402
import main_job  # noqa: E402
import measure  # noqa: E402
import peers  # noqa: E402
import plot  # noqa: E402
import python as package  # noqa: E402
import real_corpora  # noqa: E402
import truth  # noqa: E402
import vocabularies  # noqa: E402


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

    def test_counts_the_time_of_children_that_were_not_waited_for(self):
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


class PlotTest(unittest.TestCase):
    """Flat costs 10, steep doubles with each size, and a third ends where flat does."""
    LINES = {"flat": [(n, 10.0) for n in (1000, 10_000, 100_000)], "near": [(1000, 2.0), (100_000, 10.1)]}
    LINES |= {"steep & <high>": [(1000, 10.0), (10_000, 20.0), (100_000, 40.0)]}

    def elements(self, name: str) -> list:
        drawn = plot.draw(self.LINES, "a < b", "c & d")
        return list(ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}" + name))

    def test_points_lie_where_their_figures_say(self):
        lines = [[tuple(map(float, p.split(","))) for p in e.get("points").split()] for e in self.elements("polyline")]
        flat, near, steep = lines
        self.assertEqual([len(line) for line in lines], [3, 2, 3])
        # Ten times as many documents are as far to the right each time, and twice the cost is twice as high.
        self.assertAlmostEqual(flat[1][0] - flat[0][0], flat[2][0] - flat[1][0], delta=0.2)
        self.assertEqual(len({y for _, y in flat}), 1)
        zero = plot.HEIGHT - plot.BOTTOM
        heights = [zero - y for _, y in steep]
        self.assertAlmostEqual(heights[1], 2 * heights[0], delta=0.3)
        self.assertAlmostEqual(heights[2], 4 * heights[0], delta=0.3)
        self.assertAlmostEqual(zero - near[0][1], heights[0] / 5, delta=0.2)

    def test_names_do_not_lie_on_each_other_or_outside(self):
        names = [e for e in self.elements("text") if e.get("class") == "name"]
        self.assertEqual([e.text for e in names], ["flat 10", "near 10.1", "steep & <high> 40"])
        places = sorted(float(e.get("y")) for e in names)
        self.assertTrue(all(b - a >= plot.LABEL_GAP - 0.2 for a, b in zip(places, places[1:])), places)
        crowded = plot.spread([300.0] * 9, 20, 0, 310)
        self.assertTrue(0 <= min(crowded) and max(crowded) <= 310, crowded)
        self.assertEqual(plot.spread([50.0, 10.0], 20, 0, 100), [50.0, 10.0])

    def test_scales_hold_everything(self):
        for most in (0.03, 0.7, 1, 7, 9.99, 10, 51.1, 99, 700):
            steps = plot.steps_to(most)
            self.assertTrue(steps[0] == 0 and steps[-2] < most <= steps[-1] * 1.0001 and 4 <= len(steps) <= 9, (most, steps))
        self.assertEqual(plot.sizes_between(50_000, 200_000), [50_000, 100_000, 200_000])
        self.assertEqual(plot.sizes_between(3, 4), [3, 4])
        self.assertEqual(plot.sizes_between(1, 10**7), [10**power for power in range(8)])

    def test_takes_medians_of_the_same_threads_only(self):
        def run(collection, cpu, threads=2, program="dedup"):
            summary = {"documents": int(collection.rpartition("-")[2])}
            return {"program": program, "collection": collection, "threads": threads, "cpu": cpu, "summary": summary}

        runs = [run("short-10", 1.0), run("short-20", 9.0), run("short-20", 3.0), run("short-20", 4.0)]
        runs += [run("short-10", 5.0, threads=1), run("short-10", 7.0, program="cluster"), run("half-10", 1.0)]
        self.assertEqual(plot.lines_of({"runs": runs}), {"short": [(10, 1e5), (20, 2e5)]})
        self.assertEqual(plot.lines_of({"runs": []}), {})


class SkewedTest(unittest.TestCase):
    def test_every_collection_can_be_made(self):
        others = ("spaced", "spaced-shared", "pages", "templates")
        kinds = {*main_job.MAIN, *main_job.SKEWED, *main_job.GROWTH, *others}
        self.assertEqual(kinds, set(measure.MODES))

    def test_sizes_are_whole_and_distinct(self):
        self.assertEqual(main_job.sizes_of(200_000, main_job.SKEWED_SIZES), [50_000, 100_000, 200_000])
        self.assertEqual(main_job.sizes_of(2, main_job.SKEWED_SIZES), [1, 2])


def program(path: Path, body: str) -> Path:
    """A program of a few lines of Python that plays one of those that are measured."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{sys.executable}\nimport json, pathlib, sys\na = sys.argv\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


class CheckoutTest(unittest.TestCase):
    """Peers that are run from a checkout, played by programs that understand the same command lines."""

    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = Path(held.name)

    def test_duplodocus_gets_every_document_once_and_its_notes_become_clusters(self):
        # Documents of equal text are in one cluster; the numbers of lone documents are not said.
        program(self.folder / "duplodocus/target/release/duplodocus", """
option = lambda name: pathlib.Path(a[a.index(name) + 1])
assert a[1] == "minhash-memory" and str(option("--num-buckets")) == "14" and str(option("--bucket-size")) == "8"
texts, documents = {}, []
for path in sorted(option("--input-dir").iterdir()):
    documents += map(json.loads, path.read_text().splitlines())
for document in documents:
    texts.setdefault(document["text"], []).append(document)
out = option("--output-dir")
out.mkdir()
with (out / "part.jsonl").open("w") as file:
    for number, same in enumerate(texts.values()):
        for document in same:
            note = {str(option("--annotate-key")): {"cc_id": number}} if len(same) > 1 else {}
            file.write(json.dumps({**document, **note}) + "\\n")
""")
        documents = [{"id": f"d{n}", "text": f"text {min(n, 30 - n)}"} for n in range(31)]
        source, output = self.folder / "in.jsonl", self.folder / "answer"
        source.write_text("".join(json.dumps(document) + "\n" for document in documents), encoding="utf-8")
        driver = Path(peers.__file__).parent / "peers/duplodocus_minhash.py"
        command = [sys.executable, str(driver), str(source), str(output), "--buckets", "14", "--rows", "8"]
        subprocess.run([*command, "--checkout", str(self.folder / "duplodocus")], check=True)
        clusters = {}
        for line in output.read_text(encoding="utf-8").splitlines():
            name, cluster = line.split("\t")
            clusters.setdefault(cluster, set()).add(name)
        expected = {frozenset((f"d{n}", f"d{30 - n}")) for n in range(16)}
        self.assertEqual(set(map(frozenset, clusters.values())), expected)
        self.assertEqual(sorted(self.folder.glob("answer.*")), [])

    def vocabularies(self, *more: str) -> tuple:
        """A small run of vocabularies.py on programs that say what they were asked. Its tables, and its raw figures."""
        binaries = self.folder / "bin"
        program(binaries / "lookalike-generate", """
for n in range(int(a[a.index("--documents") + 1])):
    print(json.dumps({"id": f"d{n}", "text": " ".join(f"w{n % 7 + i}" for i in range(20))}))
""")
        program(binaries / "lookalike", """
if a[1] != "--version":
    out = pathlib.Path(a[a.index("-o") + 1])
    out.mkdir()
    documents = len(pathlib.Path(a[2]).read_text().splitlines())
    longest = max(len(json.loads(line)["text"].split()) for line in pathlib.Path(a[2]).open())
    candidates = 100 * longest + len([x for x in a if x == "cosine"])
    threads = int(a[a.index("-j") + 1]) if "-j" in a else 8
    phases = [{"name": name, "seconds": threads * n} for n, name in enumerate(("reading", "indexing", "comparing", "writing"))]
    (out / "summary.json").write_text(json.dumps({"documents": documents, "candidates": candidates, "clusters": 1,
                                                  "verified": 2, "run": {"phases": phases}}))
""")
        program(binaries / "orders", """
if "--write-sets" in a:
    sets = pathlib.Path(a[a.index("--write-sets") + 1])
    sets.mkdir()
    (sets / (a[a.index("--features") + 1] + ".txt")).write_text(a[a.index("--threshold") + 1])
print(json.dumps({"candidates_true_df": 4321}))
""")
        arguments = ["--documents", "6", "--titles", "9", "--repeat", "1", "--work", str(self.folder / "work")]
        script = Path(vocabularies.__file__)
        done = subprocess.run([sys.executable, str(script), *arguments, "--binaries", str(binaries), *more],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, json.loads((self.folder / "work/vocabularies.json").read_text(encoding="utf-8"))

    def test_small_vocabularies_are_measured_beside_word_shingles(self):
        printed, raw = self.vocabularies()
        rows = {row["workload"]: row for row in raw["rows"]}
        self.assertEqual(set(rows), {workload.name for workload in vocabularies.WORKLOADS})
        self.assertEqual(rows["characters 3"]["summary"]["documents"], 9)
        # Titles have eight words of the twenty.
        self.assertEqual(rows["characters 3"]["summary"]["candidates"], 800)
        self.assertEqual(rows["terms, cosine 0.5"]["summary"]["candidates"], 2001)
        self.assertEqual({row["ppjoin_candidates"] for row in rows.values()}, {4321})
        # The joining phases are those of a run on one thread: 1 and 2 seconds of it here.
        for join in (join for row in rows.values() for join in row["joins"]):
            self.assertEqual((join["phases"]["indexing"], join["phases"]["comparing"]), (1, 2))
            self.assertAlmostEqual(join["cpu"], 3 * min(1.0, join["run"]["cpu"] / join["run"]["wall"]))
        self.assertIn("left out; --ppjoin DIR", printed)
        self.assertIn("mixed-6: 6 documents", printed)

    def test_ppjoin_runs_on_the_sets_that_were_written(self):
        program(self.folder / "ppjoin/build/set_sim_join", """
threshold = a[a.index("--threshold") + 1]
assert pathlib.Path(a[a.index("--input") + 1]).read_text() == threshold
print("Statistics:")
print("      candidatesP1    ", 77 if "--cosine" in a else 55)
""")
        printed, raw = self.vocabularies("--ppjoin", str(self.folder / "ppjoin"), "--only", "single,word")
        figures = {row["workload"]: row["set_sim_join"]["candidates"] for row in raw["rows"]}
        self.assertEqual(figures, {"word 5-shingles": 55, "single words": 55,
                                   "word 5-shingles, cosine 0.8": 77})
        self.assertNotIn("left out", printed)

    def test_says_what_a_checkout_lacks(self):
        with self.assertRaisesRegex(measure.Failed, "no set_sim_join there; build it"):
            vocabularies.ppjoin_program(self.folder)
        self.assertEqual(vocabularies.ppjoin_figures("no such line"), 0)

    def test_peers_without_a_checkout_are_left_out_with_a_line(self):
        bench = peers.Bench.__new__(peers.Bench)
        bench.options = type("Options", (), {"checkouts": {"duplodocus": None}, "ratios": False})
        bench.tables, bench.rows = {}, []
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            bench.show()
        self.assertIn("duplodocus: left out; --duplodocus DIR", printed.getvalue())

    def test_the_fastest_peer_of_enough_recall_is_the_measure(self):
        exact = truth.truth_of([("a", "one two three four five six"), ("b", "one two three four five six")])
        bench = peers.Bench.__new__(peers.Bench)
        path = self.folder / "two.jsonl"
        path.write_bytes(bytes(1000))
        bench.truth = {(path, "0.8"): exact}

        def row(tool, seconds, found):
            score = truth.score(exact, {"a": 1, "b": 1 if found else 2})
            runs = [{"cpu": seconds, "wall": 2 * seconds, "peak": 500}]
            return {**peers.Bench.row(tool, path, "0.8"), "runs": runs, "score": score}

        rensa, gaoya = (next(tool for tool in peers.PEERS if tool.name == name) for name in ("rensa 16×8", "gaoya"))
        bench.tables = {"two, 0.8": [row(peers.LOOKALIKE[1], 1.0, True), row(rensa, 9.0, True), row(gaoya, 4.0, False)]}
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            bench.show_ratios()
        self.assertEqual(printed.getvalue().count(" 9.0 (rensa 16×8) |"), 2)
        self.assertIn(" 0.50 |", printed.getvalue())

    def test_real_collections_are_whole_files_of_ids_and_texts(self):
        folder = self.folder / "code"
        (folder / "b").mkdir(parents=True)
        (folder / "b/two.rs").write_text("fn two() {}\n")
        (folder / "a.rs").write_text("fn one() {}\n")
        (folder / "c.rs").write_bytes(b"\xff")
        (folder / "empty.rs").write_text(" \n")
        path = real_corpora.made("code", folder, self.folder)
        records = [json.loads(line) for line in path.read_text().splitlines()]
        self.assertEqual(records, [{"id": "a.rs", "text": "fn one() {}\n"}, {"id": "b/two.rs", "text": "fn two() {}\n"}])
        with self.assertRaisesRegex(measure.Failed, "nothing there for mail"):
            real_corpora.made("mail", folder, self.folder)
        # Another folder is another collection.
        records = real_corpora.made("code", folder / "b", self.folder).read_text().splitlines()
        self.assertEqual([json.loads(line)["id"] for line in records], ["two.rs"])

    def test_the_first_documents_are_a_file_if_there_are_more(self):
        path = self.folder / "three.jsonl"
        path.write_bytes(b"1\n2\n3\n")
        self.assertEqual(measure.first_documents(path, 3, self.folder), path)
        self.assertEqual(measure.first_documents(path, 2, self.folder).read_bytes(), b"1\n2\n")


class InstructionsTest(unittest.TestCase):
    def test_reads_the_count_of_either_version(self):
        for report in ("==7== I   refs:      1,234,567\n", "==7== \n==7== I refs:        1,234,567\n==7== x"):
            self.assertEqual(instructions.instructions_of(report), 1_234_567)
        with self.assertRaisesRegex(measure.Failed, "no count(?s:.)*Killed"):
            instructions.instructions_of("Killed")

    def test_takes_off_what_is_not_the_step(self):
        # 1000 before the step and 30 for each of its 5 units.
        self.assertEqual(instructions.each(1000 + 3 * 150, 1000 + 6 * 150, 3, 5), 30)
        self.assertAlmostEqual(instructions.spread([200, 202]), 0.01)
        self.assertEqual(instructions.spread([0, 5]), float("inf"))

    def test_runs_each_step_with_n_and_with_twice_n(self):
        class Counted:
            def count(self, step, times):
                return 500 + times * {"a": 40, "b": 7}[step], {"step": step, "unit": "byte", "about": "", "units": 4}

        steps = [{"step": "b", "unit": "byte"}, {"step": "a", "unit": "byte"}]
        rows = instructions.measure(Counted(), steps, 3, 2)
        self.assertEqual([(row["step"], row["each"], row["spread"]) for row in rows], [("b", 7 / 4, 0), ("a", 10, 0)])

    def test_says_how_to_get_what_is_missing(self):
        script = Path(instructions.__file__)
        done = subprocess.run([sys.executable, str(script)], env={"PATH": "/nowhere"}, capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("apt install valgrind", done.stderr)


class PythonTest(unittest.TestCase):
    def test_names_tools_and_calls_that_there_are(self):
        names = {tool.name for tool in peers.PEERS}
        self.assertTrue(set(package.OTHERS) <= names)
        self.assertTrue({call for call, _ in package.CALLS.values()} == {"dedup", "cluster"})
        driver = (Path(peers.__file__).parent / "peers/lookalike_table.py").read_text(encoding="utf-8")
        self.assertTrue(all(f'"{form}"' in driver for _, form in package.CALLS.values()))

    def test_memory_of_a_call_is_what_it_adds_to_the_documents(self):
        run = {"wall": 2.0, "cpu": 3.0, "call_cpu": 1.5, "peak": 500e6, "loaded": 300e6, "documents_bytes": 250e6}
        row = {"name": "lookalike.dedup, pyarrow", "runs": [run]}
        self.assertEqual(package.Bench.own(row)[1:], [2.0, 3.0, 1.5, 500.0, 250.0, 300.0, 200.0])
        command = {"name": package.COMMAND, "runs": [{"wall": 2.0, "cpu": 3.0, "peak": 500e6}]}
        self.assertEqual(package.Bench.own(command)[1:], [2.0, 3.0, None, 500.0, None, None, None])

    def test_results_that_differ_from_the_commands_fail(self):
        bench = package.Bench.__new__(package.Bench)
        rows = [(package.COMMAND, "a"), ("lookalike.dedup, polars", "a"), ("lookalike.cluster, pyarrow", "b")]
        bench.rows = [{"name": what, "what": what, "runs": [{"digest": digest}]} for what, digest in rows]
        bench.check()
        bench.rows[1]["runs"][0]["digest"] = "c"
        with self.assertRaisesRegex(measure.Failed, "differ"):
            bench.check()


class IndexTest(unittest.TestCase):
    def setUp(self):
        self.work = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.work)
        self.stored, self.unrelated = self.work / "stored.jsonl", self.work / "unrelated.jsonl"
        for path, letter in ((self.stored, "s"), (self.unrelated, "u")):
            texts = [" ".join(f"{letter}{document}w{word}" for word in range(200)) for document in range(40)]
            lines = (json.dumps({"id": letter, "text": text}, separators=(",", ":")) + "\n" for text in texts)
            path.write_text("".join(lines), encoding="utf-8")

    def test_half_of_the_queries_are_copies_with_few_words_replaced(self):
        queries = index.make_queries(self.stored, self.unrelated, 60)
        self.assertEqual({kind: len(texts) for kind, texts in queries.items()},
                         {"whole": 60, "paragraph": 60, "three": 60, "beginning": 60})
        self.assertEqual(queries, index.make_queries(self.stored, self.unrelated, 60))
        copies = [text.split() for text in queries["whole"] if sum(word[0] == "s" for word in text.split()) > 100]
        self.assertEqual(len(copies), 30)
        replaced = [sum(word[0] == "u" for word in words) / len(words) for words in copies]
        self.assertTrue(0 < sum(replaced) / 30 < index.EDITS, replaced)

    def test_paragraphs_and_triples_are_parts_and_sums_of_the_whole_ones(self):
        queries = index.make_queries(self.stored, self.unrelated, 10)
        for whole, paragraph, beginning in zip(queries["whole"], queries["paragraph"], queries["beginning"]):
            self.assertIn(paragraph, whole)
            self.assertEqual(len(paragraph.split()), index.PARAGRAPH)
            self.assertTrue(whole.startswith(beginning))
        self.assertTrue(queries["three"][9].startswith(queries["whole"][9] + "\n" + queries["whole"][0]))

    def test_bytes_are_summed_by_what_they_hold(self):
        stats = {"bytes_by_section": {"postings": 5, "texts": 3, "text places": 2}}
        self.assertEqual((index.bytes_of(stats), index.bytes_of(stats, "text")), (10, 5))

    def test_parts_have_ids_of_their_own(self):
        path = index.own_ids(self.stored, 3)
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        self.assertEqual([line["id"] for line in lines], ["3-s"] * 40)
        self.assertFalse(self.stored.exists())

    def test_true_answers_to_questions_equal_every_pair_looked_at(self):
        chance = random.Random(3)
        text = lambda: " ".join(chance.choice("abcd") for _ in range(chance.choice((3, 6, 12))))
        documents, asked = [(f"d{at}", text()) for at in range(60)], [(f"q{at}", text()) for at in range(30)]
        paths = self.work / "documents.jsonl", self.work / "asked.jsonl"
        for path, rows in zip(paths, (documents, asked)):
            path.write_text("".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in rows), encoding="utf-8")
        pairs = brute_force([*asked, *documents], index_peers.THRESHOLD)
        expected = [{b for a, b in pairs if a == name and b[0] == "d"} for name, _ in asked]
        self.assertTrue(any(expected))
        self.assertEqual(index_peers.true_answers(*paths), expected)

    def test_answers_of_tools_are_judged_by_pairs_and_by_questions(self):
        truth, found = [{"a", "b"}, {"c"}, set()], [["a", "x"], [], ["a"]]
        self.assertEqual(index_peers.judged(found, truth), {"recall": 1 / 3, "precision": 1 / 3, "answered": 1 / 2})


if __name__ == "__main__":
    unittest.main()
