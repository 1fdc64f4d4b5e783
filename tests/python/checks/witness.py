"""Which kept document a removal names (--witness)."""
import csv

from checks.harness import Checks, summary_of, tree_of
from checks.inputs import family, write_jsonl


def witnesses(c: Checks) -> None:
    """Which kept match is named, by both rules, where a document has hundreds: recomputed from the documents; the
    same from `recluster`, on any number of threads, in any memory and order of files."""
    folder = c.work / "witnesses"
    folder.mkdir()
    made = family(71, 1200)
    docs, fewer = write_jsonl(folder / "docs.jsonl", made), write_jsonl(folder / "fewer.jsonl", made[:600])
    old, new = write_jsonl(folder / "old.jsonl", made[:200]), write_jsonl(folder / "new.jsonl", made[200:640])
    other = {"checker": ["--against", old]}
    runs = []
    for rule in ("first", "best"):
        rules = ("--witness", rule)
        runs += [
            (f"witness {rule}", "dedup", [docs], (*rules, "-t", "0.8")),
            (f"witness {rule} contained", "dedup", [fewer], (*rules, "--measure", "containment", "-t", "0.85")),
            (f"witness {rule} cosine", "dedup", [fewer], (*rules, "--measure", "cosine", "-t", "0.9", "--keep", "max:score,longest", "--max-loss", "100%")),
            (f"witness {rule} against", "dedup", [new], (*rules, "-t", "0.8", "--against", old), other),
            (f"witness {rule} against only", "dedup", [new], (*rules, "-t", "0.8", "--against", old, "--against-only"), other),
            (f"witness {rule} against, contained", "dedup", [new], (*rules, "-t", "0.9", "--measure", "containment", "--against", old), other),
            (f"witness {rule} marked", "dedup", [fewer], (*rules, "-t", "0.8", "--mark"), {"checker": ["--mark"]}),
            (f"witness {rule} listed", "cluster", [fewer], (*rules, "--linkage", "leaders", "-t", "0.95")),
            (f"witness {rule} not listed", "cluster", [fewer], (*rules, "--linkage", "leaders", "-t", "0.8", "--max-pairs", "0")),
        ]
    c.all_checked(runs)

    def kept_of(name: str) -> dict:
        with open(c.out(name) / "ledger.tsv", newline="", encoding="utf-8") as rows:
            return {row["removed_id"]: row["kept_id"] for row in csv.DictReader(rows, delimiter="\t", quoting=csv.QUOTE_NONE)}

    both = [kept_of(f"witness {rule}") for rule in ("first", "best")]
    different = sum(both[0][one] != both[1].get(one) for one in both[0])
    c.check("witness: the same documents are removed by both rules", both[0].keys() == both[1].keys())
    c.check("witness: the rules differ on this collection", different > 120, different)
    c.check("witness: first is the default", c.run("dedup", docs, "-o", c.out("witness default"), "--tables", "tsv", "-q").returncode == 0
            and kept_of("witness default") == both[0] and summary_of(c.out("witness default"))["settings"]["witness"] == "first")
    work = [summary_of(c.out(f"witness {rule}")) for rule in ("first", "best")]
    c.check("witness: best compares more", work[0]["candidates"] < work[1]["candidates"] and work[0]["verified"] < work[1]["verified"],
            [(one["candidates"], one["verified"]) for one in work])

    parts = [write_jsonl(folder / "parts" / f"{at}.jsonl", made[at * 240:at * 240 + 240]) for at in range(5)]
    for rule in ("first", "best"):
        trees = []
        for at, (inputs, *options) in enumerate(((parts, "-j", "1"), (parts, "-j", "7"), (parts[::-1], "-j", "2"), (parts, "--memory", "1"))):
            out = c.out(f"witness {rule} same {at}")
            done = c.run("dedup", *inputs, "-o", out, "--tables", "tsv", "-q", "--witness", rule, *options)
            c.check(f"witness {rule}: runs with {options}", done.returncode == 0, done.stderr)
            trees.append({path: content for path, content in tree_of(out).items() if path != "summary.json"})
        c.check(f"witness {rule}: the same bytes on any threads, in any order and memory", all(tree == trees[0] for tree in trees))

    low, joined = c.out("witness low"), c.out("witness low joined")
    for out, options in ((low, ("--linkage", "leaders", "--witness", "best")), (joined, ())):
        done = c.run("cluster", fewer, "-o", out, "-t", "0.8", "--tables", "jsonl", "-q", *options)
        c.check("witness: there is a run to recluster", done.returncode == 0 and summary_of(out)["pairs"]["complete"], done.stderr)
    asked = [
        (low, t, rule, ("--witness", rule)) for t in ("0.8", "0.87", "0.95") for rule in ("first", "best")
    ] + [(low, "0.9", "best", ()), (joined, "0.9", "first", ("--linkage", "leaders")), (joined, "0.9", "best", ("--linkage", "leaders", "--witness", "best"))]
    for at, (run, t, rule, options) in enumerate(asked):
        again, fresh = c.out(f"witness again {at}"), c.out(f"witness fresh {at}")
        done = [c.run("recluster", run, "-o", again, "-t", t, "--tables", "tsv", "-q", *options),
                c.run("cluster", fewer, "-o", fresh, "-t", t, "--tables", "tsv", "-q", "--linkage", "leaders", "--witness", rule)]
        label = f"witness: recluster {run.name} -t {t} {' '.join(options)}"
        if c.check(f"{label} runs", all(one.returncode == 0 for one in done), done[0].stderr + done[1].stderr):
            for table in ("clusters.tsv", "pairs.tsv", "documents.tsv"):
                c.check(f"{label}: the same bytes in {table}", (again / table).read_bytes() == (fresh / table).read_bytes())
            c.check(f"{label}: the rule is recorded", summary_of(again)["settings"]["witness"] == rule)
    back = c.run("recluster", low, "-o", c.out("witness back"), "-t", "0.9", "--linkage", "components", "-q")
    c.check("witness: components record no rule", back.returncode == 0 and "witness" not in summary_of(c.out("witness back"))["settings"], back.stderr)
    for arguments in (("dedup", fewer, "--linkage", "components"), ("cluster", fewer), ("plan", fewer, "--linkage", "components"),
                      ("recluster", joined, "-t", "0.9"), ("recluster", low, "-t", "0.9", "--linkage", "components")):
        out = () if arguments[0] == "plan" else ("-o", folder / "never")
        done = c.run(*arguments, *out, "--witness", "best")
        c.check(f"witness: best is refused by {arguments[0]} with components",
                done.returncode == 2 and "--linkage=leaders" in done.stderr and not (folder / "never").exists(), f"exit {done.returncode}: {done.stderr}")
    cut = c.run("recluster", c.out("witness first not listed"), "-t", "0.9", "-o", folder / "never")
    c.check("witness: recluster refuses an incomplete list of pairs", cut.returncode == 1 and "list of pairs is incomplete" in cut.stderr and "witnesses" in cut.stderr, cut.stderr)
    c.check("witness: --help says what it is", all("--witness <RULE>" in c.run(one, "--help").stdout for one in ("dedup", "cluster", "recluster", "plan")))
