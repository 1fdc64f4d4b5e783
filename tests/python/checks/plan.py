"""The plan subcommand."""
import json
import math
import os
import random

from checks.harness import Checks, left_behind, summary_of
from checks.inputs import LETTERS, words, write_jsonl


def proven(method: dict, pairs: int, whole: bool) -> float:
    """The recall that a sample shows of a method: docs/how-to/plan.md, "Recommendation"."""
    measured = method["recall_in_sample"]
    if method["method"] == "exact":
        return 1.0
    if measured is None or whole:
        return measured or 0.0
    if method["recall"] is not None:
        return min(measured, method["recall"])
    return least(measured, pairs)


def least(share: float, n: int) -> float:
    """The lower end of Wilson's 95 % interval."""
    z = 1.959964
    return (share + z * z / (2 * n) - z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))) / (1 + z * z / n) if n else 0.0


def precise(method: dict, pairs: int, whole: bool) -> bool:
    """Whether a sample shows that a method finds little else."""
    if method["method"] == "exact" or method["method"].endswith("@exact"):
        return True
    measured = method["precision_in_sample"] or 0
    if whole or not measured:
        return measured >= 0.99
    right = round(method["recall_in_sample"] * pairs)
    found = round(right / measured)
    return found > 0 and least(right / found, found) >= 0.99


def expected(said: dict, recall: float, memory: int) -> "str | None":
    """The method that the documented rule recommends, from what the plan says that it measured."""
    pairs = sum(step["in_sample"] for step in said["similarity"] if step["from"] > 0.75)
    costs = {cost["method"]: cost for cost in said["run"]["costs"]}
    enough = []
    for method in said["methods"]:
        name = method["method"]
        exact = name == "exact"
        fits = costs[name]["peak_memory_bytes"] <= memory
        whole = said["sample"]["whole"]
        if precise(method, pairs, whole) and fits and (recall < 1 or exact) and proven(method, pairs, whole) >= recall:
            enough.append(name)
    others = sorted((costs[name]["seconds"], at, name) for at, name in enumerate(enough) if name != "exact")
    if "exact" in enough and not (others and others[0][0] < 0.5 * costs["exact"]["seconds"]):
        return "exact"
    return others[0][2] if others else None


def plan(c: Checks) -> None:
    """What is said of the whole from a sample: the same for any number of threads, complete, and the truth is in its range."""
    folder = c.work / "plan"
    folder.mkdir()
    rng = random.Random(61)
    vocabulary = ["".join(rng.choice(LETTERS) for _ in range(rng.randint(2, 9))) for _ in range(3000)]

    def made(name: str, n: int, group: int, share: float) -> list:
        """This share of all documents in groups of copies with another last word, all of them in random order."""
        found: list = []
        while len(found) < n:
            text = words(rng, vocabulary, rng.randint(60, 160))
            size = group if rng.random() * (1 + (group - 1) * (1 - share)) < share else 1
            found += [" ".join([*text, f"end{at}"]) for at in range(size)]
        rng.shuffle(found)
        paths = []
        for part in range(3):
            mine = [{"id": f"{name}{at:06}", "text": text} for at, text in enumerate(found) if at % 3 == part]
            paths.append(write_jsonl(folder / f"{name}-{part}.jsonl", mine))
        return paths

    def planned(label: str, *arguments) -> dict:
        done = c.run("plan", *arguments, "--format", "json", "-q")
        return json.loads(done.stdout) if c.check(f"plan {label}: runs", done.returncode == 0, done.stderr) else {}

    cases = {"none": made("none", 5000, 1, 0.0), "pairs": made("pairs", 6000, 2, 0.5), "tens": made("tens", 6000, 10, 0.6)}
    for name, paths in cases.items():
        for seed in (1, 2) if name == "pairs" else (1,):
            said = planned(f"{name} {seed}", *paths, "--sample", "768KiB", "--seed", seed)
            out = c.out(f"plan {name} {seed}")
            (folder / "plan.json").write_text(json.dumps(said))
            done = c.run("dedup", *paths, "-o", out, "-q", "--plan", folder / "plan.json")
            if not said or not c.check(f"plan {name}: is compared", done.returncode == 0, done.stderr):
                continue
            summary = summary_of(out)
            removed, told = sum(summary["removed"].values()), summary["run"]["plan"]
            low, high = said["removed"]["low"], said["removed"]["high"]
            c.check(f"plan {name} {seed}: the truth is in the range", low <= removed <= high, f"{low} {removed} {high}")
            c.check(f"plan {name} {seed}: the range says something", name == "tens" or high - low < summary["documents"] * 0.7, f"{low} {high}")
            documents = said["documents_range"]
            c.check(f"plan {name} {seed}: so is the number of documents", documents[0] <= summary["documents"] <= documents[1], documents)
            c.check(f"plan {name} {seed}: within the sample is a lower bound", said["removed"]["in_sample"] <= low, said["removed"])
            ok = told["removed"] == {"predicted": said["removed"]["expected"], "actual": removed, "error": told["removed"]["error"]}
            c.check(f"plan {name} {seed}: the summary tells both", ok and told["removed_in_range"] and told["method"] == "exact" and not told["differs"], told)
            memory = told.get("peak_memory_bytes")
            c.check(f"plan {name} {seed}: memory within a factor of two", not memory or 0.5 < memory["predicted"] / memory["actual"] < 2, memory)
    docs = cases["pairs"]
    keys = {"tool", "command", "settings", "inputs", "input_bytes", "sample", "documents", "documents_range", "tokens", "features", "text_bytes",
            "similarity", "removed", "growth", "methods", "spark", "differences", "notes", "run"}
    trees = []
    for threads, order in ((1, docs), (2, docs[::-1]), (7, docs)):
        said = planned(f"on {threads}", *order, "--sample", "512KiB", "-j", threads)
        c.check("plan: the object is complete", said.keys() == keys, said.keys() ^ keys)
        run = said.pop("run", {})
        names = [one["method"] for one in said["methods"]]
        c.check("plan: a cost for each method", [one["method"] for one in run["costs"]] == names and run["recommended"] in names, run)
        trees.append(json.dumps(said))
    c.check("plan: the same bytes on 1, 2 and 7 threads and in any order", trees[0] == trees[1] == trees[2])
    whole = planned("whole", *docs, "--sample", "64MiB")
    truth = summary_of(c.out("plan pairs 1"))
    exact = [whole["removed"][name] for name in ("low", "expected", "high")] == [sum(truth["removed"].values())] * 3
    c.check("plan: a sample of everything is exact", exact and whole["sample"]["whole"] and whole["tokens"] == truth["tokens"], whole["removed"])
    packed = write_jsonl(folder / "packed.jsonl.gz", [json.loads(line) for path in docs for line in path.read_text(encoding="utf-8").splitlines()])
    said = planned("packed", packed, "--sample", packed.stat().st_size // 3)
    close = 0.7 < said["documents"] / truth["documents"] < 1.4
    c.check("plan: a compressed file is read from its beginning, and that is said", close and said["sample"]["files_from_beginning"] == 1 and "beginning" in " ".join(said["notes"]), said)
    quick = planned("quick", *docs, "--sample", "512KiB", "--quick")
    c.check("plan: quick is without a pass", "copies" not in quick["removed"] and quick["removed"]["low"] < sum(truth["removed"].values()) < quick["removed"]["high"], quick["removed"])
    c.check("plan: no method without a chance is tried", [one["method"] for one in quick["methods"]] == ["exact"], quick["methods"])
    said = planned("cluster", *docs, "--sample", "512KiB", "--command", "cluster", "--threshold", "0.6")
    (folder / "plan.json").write_text(json.dumps(said))
    out = c.out("plan cluster")
    done = c.run("cluster", *docs, "--threshold", "0.7", "-o", out, "-q", "-j", "1", "--plan", folder / "plan.json")
    c.check("plan: what differs is named", done.returncode == 0 and "threshold" in summary_of(out)["run"]["plan"]["differs"], done.stderr)
    text = c.run("plan", *docs, "--sample", "512KiB", "--recall", "0.9")
    c.check("plan: people are told", text.returncode == 0 and all(word in text.stdout for word in ("removed", "on one machine", "on Spark", "Recommended: ", "lower bound", "minhash-lsh:k=256,recall=0.9,")), text.stdout + text.stderr)
    # What is recommended is what the documented rule makes of the numbers in the plan, and running it keeps the promise.
    for label, paths, sample, recall, memory in (
        ("all", docs, "64MiB", 1.0, "1GiB"), ("most", docs, "64MiB", 0.9, "1GiB"), ("half", docs, "512KiB", 0.5, "1GiB"), ("most, of a sample", docs, "512KiB", 0.95, "1GiB"),
        ("tight", docs, "64MiB", 0.9, "32MiB"), ("tens", cases["tens"], "64MiB", 0.95, "64MiB"), ("none", cases["none"], "512KiB", 0.9, "1GiB"),
    ):
        said = planned(f"recommends {label}", *paths, "--sample", sample, "--recall", str(recall), "--memory", memory)
        run = said["run"]
        c.check(f"plan {label}: the rule recommends {run['recommended']}", run["recommended"] == expected(said, recall, run["memory_bytes"]), run)
        if run["recommended"] is None:
            continue
        of = next(method for method in said["methods"] if method["method"] == run["recommended"])
        told = "finds every pair" if run["recommended"] == "exact" else f"its recall is {of['recall_in_sample']:.3f}"
        c.check(f"plan {label}: the reason says what was measured", told in run["reason"], run["reason"])
        outs = []
        for name, options in (("exact", []), ("recommended", run["options"].split())):
            outs.append(c.out(f"plan recommends {label} {name}"))
            done = c.run("dedup", *paths, "-o", outs[-1], "-q", *options)
            c.check(f"plan {label}: {name} can be run as told", done.returncode == 0, done.stderr)
        removed = [sum(summary_of(out)["removed"].values()) for out in outs]
        c.check(f"plan {label}: the recall is kept", removed[1] >= recall * removed[0] * 0.97, removed)
    for label, words_wanted, code, arguments in (
        ("no document", "no document was read", 1, (write_jsonl(folder / "empty.jsonl", []),)), ("a missing file", "nowhere", 1, (folder / "nowhere.jsonl",)),
        ("a recall of 2", "recall", 2, (docs[0], "--recall", "2")), ("a sample of nothing", "sample", 2, (docs[0], "--sample", "0")),
        ("a method without a lexicon", "--lexicon", 2, (docs[0], "--method", "imatch")), ("no input", "INPUT", 2, ()),
    ):
        done = c.run("plan", *arguments)
        c.check(f"plan: {label}", done.returncode == code and words_wanted in done.stderr, f"exit {done.returncode}: {done.stderr}")
    (folder / "bad.jsonl").write_text(docs[0].read_text(encoding="utf-8") + "no json\n", encoding="utf-8")
    done = c.run("plan", folder / "bad.jsonl", "-q", "--format", "json")
    c.check("plan: bad records are counted", done.returncode == 0 and json.loads(done.stdout)["sample"]["problems"] == 1, done.stderr)
    for label, content in (("no file", None), ("no plan", "{}"), ("no JSON", "x")):
        path = folder / "other.json"
        path.unlink(missing_ok=True)
        if content is not None:
            path.write_text(content)
        done = c.run("dedup", docs[0], "-o", folder / "never", "--plan", path)
        c.check(f"--plan: {label}", done.returncode == 1 and "other.json" in done.stderr and not (folder / "never").exists(), done.stderr)
    c.check("plan --help has examples", "Examples:" in c.run("plan", "--help").stdout)
    c.check("plan leaves nothing", not left_behind(folder), os.listdir(folder))
