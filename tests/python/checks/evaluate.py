"""The evaluate subcommand and its confidence intervals."""
import csv
import json

import check_run
from checks.harness import Checks, table_of
from checks.inputs import texts, write_jsonl


def evaluation(c: Checks) -> None:
    """`evaluate`, with recall, precision and clusters counted once more from the pairs of `cluster`."""
    folder = c.work / "evaluation"
    folder.mkdir()
    made = [text for text in texts(31, 260)]
    docs = write_jsonl(folder / "docs.jsonl", [{"id": f"d{i}", "text": text} for i, text in enumerate(made)])
    methods = ["exact", "minhash-lsh:t=0.6,w=5@exact", "minhash-lsh:t=0.6,w=5@sketch", "dsc:w=5,m=4,t=0.6@none", "simhash:d=0..=3@sketch"]
    base = ("evaluate", docs, "--threshold", "0.6", "--tables", "tsv", "--quiet", "--methods", *methods)
    bytes_seen = []
    for threads in ("1", "2", "3"):
        out = c.out(f"evaluate {threads}")
        done = c.run(*base, "-j", threads, "-o", out)
        if not c.check(f"evaluate runs on {threads} threads", done.returncode == 0 and not done.stdout, done.stderr):
            return
        said = json.loads((out / "evaluation.json").read_text())
        c.check("times live under run", "run" in said and said.pop("run")["threads"] == int(threads), said.keys())
        bytes_seen.append((json.dumps(said), (out / "methods.tsv").read_text(), (out / "deciles.tsv").read_text()))
    c.check("evaluate: the same bytes on any number of threads", len(set(bytes_seen)) == 1)

    def listed(name: str, *options) -> set:
        run = c.out(f"evaluate against {name}")
        c.run("cluster", docs, "-t", "0.6", "--tables", "tsv", "-q", "-o", run, *options)
        with open(run / "pairs.tsv", newline="", encoding="utf-8") as rows:
            return {frozenset((row["a_id"], row["b_id"])) for row in csv.DictReader(rows, delimiter="\t", quoting=csv.QUOTE_NONE)}

    def components(pairs: set) -> dict:
        root = {}
        def find(x):
            while root.setdefault(x, x) != x:
                x = root[x]
            return x
        for pair in pairs:
            a, b = sorted(pair)
            root[find(a)] = find(b)
        return {x: find(x) for x in list(root)}

    truth = listed("truth")
    of_truth = components(truth)
    results = {result["method"]: result for result in json.loads(bytes_seen[0][0])["methods"]}
    c.check("evaluate expands ranges", len(results) == 8, list(results))
    c.check("evaluate knows all true pairs", json.loads(bytes_seen[0][0])["truth"]["pairs"] == len(truth), len(truth))
    # Copies without words are no pairs of methods, which sign none of them; `cluster` joins them. These methods sign all others.
    settings = {"normalize": "nfc"}
    silent = {f"d{i}" for i, text in enumerate(made) if not check_run.words(check_run.normalised(text, settings))}
    c.check("evaluate: there are copies without words", any(pair <= silent for pair in truth), silent)
    for spec, verify in (("minhash-lsh:t=0.6,w=5,short=whole", "exact"), ("minhash-lsh:t=0.6,w=5,short=whole", "sketch"), ("simhash:d=3", "sketch")):
        out = c.out(f"evaluate one {spec} {verify}")
        done = c.run("evaluate", docs, "-t", "0.6", "-q", "-o", out, "--methods", f"{spec}@{verify}")
        if not c.check(f"evaluate {spec}@{verify} runs", done.returncode == 0, done.stderr):
            continue
        result = json.loads((out / "evaluation.json").read_text())["methods"][0]
        found = {pair for pair in listed(f"{spec} {verify}", "--method", spec, "--verify", verify) if not pair <= silent}
        own = components(found)
        clusters = {}
        for document, label in own.items():
            clusters.setdefault(label, set()).add(document)
        pure = sum(len({of_truth.get(d, d) for d in members}) == 1 for members in clusters.values())
        expected = (len(found), len(found & truth), len(clusters), pure)
        got = (result["pairs"], result["true_pairs"], result["clusters"]["clusters"], result["clusters"]["pure"])
        c.check(f"evaluate {spec}@{verify} counts what cluster lists", got == expected, f"{got}, not {expected}")
    out = c.out("evaluate 1")
    done = c.run("evaluate", docs, "-o", out, "--methods", "exact")
    c.check("evaluate does not overwrite", done.returncode == 1 and "--force" in done.stderr, done.stderr)
    done = c.run("evaluate", docs, "-o", out, "--force", "--methods", "exact", "--format", "json")
    c.check("evaluate --force --format json", done.returncode == 0 and done.stdout == (out / "evaluation.json").read_text(), done.stderr)
    done = c.run("evaluate", docs, "-o", c.out("evaluate few"), "--methods", "exact", "--max-pairs", "2")
    c.check("evaluate says when there are too many pairs", done.returncode == 3 and "--max-pairs" in done.stderr and not c.out("evaluate few").exists(), done.stderr)
    # Ids of labels as the tables escape them, and as they are.
    words = {"tab\there": "a", "back\\slash": "a", "C:\\new": "b", "two\nlines": "b"}
    named = c.work / "named.jsonl"
    write_jsonl(named, [{"id": name, "text": " ".join(f"{word}{at}" for at in range(30))} for name, word in words.items()])
    labels = c.work / "escaped.tsv"
    labels.write_text("a_id\tb_id\ntab\\there\tback\\\\slash\nC:\\new\ttwo\\nlines\n")
    done = c.run("evaluate", named, "--labels", labels, "--methods", "exact", "-o", c.out("evaluate escaped"), "-q", "--format", "json")
    c.check("evaluate finds ids that are escaped", json.loads(done.stdout)["methods"][0]["true_pairs"] == 2, done.stdout + done.stderr)
    c.check("evaluate --help has examples", "Examples:" in c.run("evaluate", "--help").stdout)


def wilson(value: float, draws: int) -> list:
    """The 95 % interval of a share of so many draws; without any it says nothing."""
    if not draws:
        return [0, 1]
    z = 1.959963984540054
    middle, half = value + z * z / (2 * draws), z * (value * (1 - value) / draws + (z / (2 * draws)) ** 2) ** 0.5
    return [max(0, (middle - half) / (1 + z * z / draws)), min(1, (middle + half) / (1 + z * z / draws))]


def error_bars(c: Checks) -> None:
    """What sketches estimate has its 95 % interval: Wilson's, and the truth is in it as often as that says."""
    made = [text for text in texts(51, 500) if len(text.split(" ")) > 12]
    docs = write_jsonl(c.work / "bars.jsonl", [{"id": f"b{at}", "text": text} for at, text in enumerate(made)])
    exact = c.out("bars exact")
    c.run("cluster", docs, "-t", "0.3", "-o", exact, "--tables", "tsv", "-q")
    head, *rows = table_of(exact / "pairs.tsv")
    c.check("exact pairs have no interval", "resemblance_low" not in head, head)
    truth = {(row["a_id"], row["b_id"]): float(row["resemblance"]) for row in (dict(zip(head, row)) for row in rows)}
    for method in ("dsc:m=3,w=5,t=0.05", "dsc-variable:w=5,t=0.05", "dsc-minimum:s=40,w=5,t=0.05", "minhash-lsh:t=0.2,k=64,w=5", "word-lsh"):
        out = c.out(f"bars {method}")
        done = c.run("cluster", docs, "-o", out, "--method", method, "--verify", "sketch", "--tables", "tsv", "-q")
        if not c.check(f"{method}: runs", done.returncode == 0, done.stderr):
            continue
        head, *rows = table_of(out / "pairs.tsv")
        rows = [dict(zip(head, row)) for row in rows]
        wrong, held, known = [], 0, 0
        for row in rows:
            shared, a, b = (int(row[name]) for name in ("shared", "size_a", "size_b"))
            draws = a + b - shared if row["containment_a_in_b"] else a
            value, low, high = (float(row[name]) for name in ("resemblance", "resemblance_low", "resemblance_high"))
            bounds = wilson(value, draws)
            if abs(low - bounds[0]) > 1e-9 or abs(high - bounds[1]) > 1e-9:
                wrong.append((row, bounds))
            # Pairs that are found for sure, so that none is here because it was overestimated.
            real = truth.get((row["a_id"], row["b_id"]), 0)
            if real >= 0.5:
                known += 1
                held += low <= real <= high
        c.check(f"{method}: intervals are Wilson's", rows and not wrong, wrong[:1])
        if method != "word-lsh":  # It compares words and not shingles.
            c.check(f"{method}: they hold the truth", known > 50 and held >= 0.9 * known, f"{held} of {known}")
        middle = min(rows, key=lambda row: abs(float(row["resemblance"]) - 0.6))
        said = " ".join(c.run("explain", middle["b_id"], middle["a_id"], "--run", out).stdout.split())
        low = f"{float(middle['resemblance_low']):.4f}"
        c.check(f"{method}: explain tells the interval", f"95 % interval {low}" in said, said)
    for method in ("simhash", "super-shingles-84", "lexical", "megashingles"):
        out = c.out(f"no bars {method}")
        done = c.run("dedup", docs, "-o", out, "--method", method, "--verify", "sketch", "--tables", "tsv", "-q")
        none = all("resemblance_low" not in table_of(out / f"{name}.tsv")[0] for name in ("pairs", "ledger")) if done.returncode == 0 else False
        c.check(f"{method}: estimates no resemblance and has no interval", none, done.stderr)
    out = c.out("bars ledger")
    done = c.run("dedup", docs, "-o", out, "--method", "dsc:m=3,w=5", "--verify", "sketch", "--tables", "tsv", "-q")
    head, *rows = table_of(out / "ledger.tsv")
    bounds = [head.index(name) if name in head else -1 for name in ("resemblance_low", "resemblance_high")]
    c.check("the ledger has the interval", done.returncode == 0 and min(bounds) >= 0 and all(row[at] for row in rows for at in bounds), head)
    c.check("the report has the interval", "resemblance by sketches" in (out / "report.html").read_text(encoding="utf-8"))
