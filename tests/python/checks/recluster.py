"""The recluster subcommand."""
import json
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from checks.harness import Checks, HERE, SAMPLES, WORKERS, left_behind, summary_of, table_of
from checks.inputs import records, write_jsonl


def reclustering(c: Checks) -> None:
    """`recluster` gives the bytes of a fresh run at the new threshold, and refuses what it cannot know."""
    made = records(41, 700)
    docs = write_jsonl(c.work / "recluster.jsonl", [{**one, "id": f"r{(at * 7919) % 1009:04}"} for at, one in enumerate(made)])
    pages = [SAMPLES / "pages", *sorted(SAMPLES.glob("*.jsonl"))[:2]]
    words = ("--measure", "cosine", "--terms", "kolcz")
    dsc = "dsc:m=3,t={},w=4,policy={}"
    # Name, inputs, options of the run, its threshold; then what is asked: options of recluster, those of a fresh run.
    cases = [
        ("resemblance", [docs], (), "0.3", [
            *[(("-t", t, *linkage), ("-t", t, *linkage)) for t in ("0.3", "0.5", "0.8", "0.95", "1") for linkage in ((), ("--linkage", "leaders"))],
            (("-t", "0.7", "--keep", "longest"), ("-t", "0.7", "--keep", "longest")),
            (("-t", "0.7", "--keep", "shortest", "--linkage", "leaders"), ("-t", "0.7", "--keep", "shortest", "--linkage", "leaders")),
            (("-t", "0.6", "--measure", "cosine"), ("-t", "0.6", "--measure", "cosine", "--shingle", "5")),
        ]),
        ("containment", [docs], ("--measure", "containment", "--keep", "newest,longest"), "0.4", [
            (("-t", t, "--measure", measure, "--linkage", linkage),
             ("-t", t, "--measure", measure, "--linkage", linkage, "--shingle", "5", "--keep", "newest,longest"))
            for t in ("0.4", "0.75") for measure in ("resemblance", "containment", "cosine") for linkage in ("leaders", "components")
        ]),
        ("cosine", [docs], (*words, "--linkage", "leaders"), "0.5", [
            (("-t", "0.9"), (*words, "-t", "0.9", "--linkage", "leaders")),
            (("-t", "0.7", "--linkage", "components", "--keep", "first"), (*words, "-t", "0.7")),
        ]),
        ("samples", pages, (), "0.4", [(("-t", t, "--linkage", linkage), ("-t", t, "--linkage", linkage)) for t in ("0.6", "0.9") for linkage in ("leaders", "components")]),
        ("a method", [docs], ("--method", "dsc:m=2,w=4", "--verify", "exact"), "0.4", [(("-t", "0.8"), ("-t", "0.8", "--method", "dsc:m=2,w=4"))]),
        ("sketches", [docs], ("--method", dsc.format("0.3", "containment"), "--verify", "sketch"), "0.8", [
            (("-t", "0.6", "--linkage", linkage, *options), ("--linkage", linkage, "--method", dsc.format("0.6", policy), "--verify", "sketch"))
            for linkage in ("leaders", "components") for options, policy in (((), "containment"), (("--measure", "resemblance"), "resemblance"), (("--measure", "containment"), "containment"))
        ]),
    ]

    def one(case) -> None:
        name, inputs, options, threshold, asked = case
        low = c.out(f"low {name}")
        done = c.run("cluster", *inputs, "-o", low, "-t", threshold, "--tables", "jsonl", "-q", *options)
        if not c.check(f"recluster {name}: there is a run", done.returncode == 0, done.stderr):
            return
        names = lambda row: tuple((row[f"{side}_file"], str(row[f"{side}_record"])) for side in "ab")
        pairs = {frozenset(names(row)) for row in map(json.loads, open(low / "pairs.jsonl", encoding="utf-8"))}
        for at, (new, fresh) in enumerate(asked):
            label = f"recluster {name} {' '.join(new)}"
            again, truth = c.out(f"again {name} {at}"), c.out(f"truth {name} {at}")
            done = [c.run("recluster", low, "-o", again, "--tables", "tsv", "-q", *new), c.run("cluster", *inputs, "-o", truth, "--tables", "tsv", "-q", *fresh)]
            if not c.check(f"{label}: runs", all(one.returncode == 0 for one in done), done[0].stderr + done[1].stderr):
                continue
            for table in ("pairs.tsv", "documents.tsv"):
                c.check(f"{label}: the same bytes in {table}", (again / table).read_bytes() == (truth / table).read_bytes())
            said, known = summary_of(again), summary_of(truth)
            unsaid = 0
            for mine, theirs in zip(table_of(again / "clusters.tsv"), table_of(truth / "clusters.tsv")):
                # Only who is joined through others, and was no pair of the run, may be without a value.
                open_end = mine[:7] + mine[8:] == theirs[:7] + theirs[8:] and mine[7] == "" and frozenset((tuple(mine[1:3]), tuple(mine[5:7]))) not in pairs
                unsaid += open_end
                if mine != theirs and not c.check(f"{label}: clusters", open_end, f"{mine}, not {theirs}"):
                    break
            c.check(f"{label}: as many rows", len(table_of(again / "clusters.tsv")) == len(table_of(truth / "clusters.tsv")))
            if not unsaid and "--method" not in options and name != "samples":
                audit = subprocess.run([sys.executable, str(HERE / "check_run.py"), str(again), *map(str, inputs)], capture_output=True, text=True)
                c.check(f"{label}: checked", audit.returncode == 0, audit.stdout + audit.stderr)
            if not unsaid:
                c.check(f"{label}: the same bytes in clusters.tsv", (again / "clusters.tsv").read_bytes() == (truth / "clusters.tsv").read_bytes())
            c.check(f"{label}: leaders leave no gap", unsaid == 0 or "leaders" not in new, unsaid)
            c.check(f"{label}: a warning counts the gaps", sum(f"{unsaid} of the documents" in one for one in said["warnings"]) == bool(unsaid), said["warnings"])
            if unsaid:
                known.pop("histogram_similarity")
            for key in ("command", "run", "settings", "outputs", "warnings", "candidates", "verified", "keys_ignored"):
                known.pop(key, None)
            different = {key: (said.get(key), value) for key, value in known.items() if said.get(key) != value}
            c.check(f"{label}: the same numbers", not different, different)
        # Once more from the result: thresholds only rise.
        # The threshold is the first that is asked.
        others = asked[-1][0][2:]
        further = c.run("recluster", again, "-o", c.out(f"further {name}"), "-t", "1", "--tables", "tsv", "-q")
        straight = c.run("recluster", low, "-o", c.out(f"straight {name}"), "-t", "1", *others, "--tables", "tsv", "-q")
        same = further.returncode == straight.returncode == 0 and all(
            (c.out(f"further {name}") / table).read_bytes() == (c.out(f"straight {name}") / table).read_bytes() for table in ("pairs.tsv", "documents.tsv"))
        c.check(f"recluster {name}: of a reclustered run", same, further.stderr + straight.stderr)

    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(one, cases))
    refusals(c, docs)


def refusals(c: Checks, docs: Path) -> None:
    """What the tables cannot answer is refused with the reason."""
    folder = c.work / "refused"
    folder.mkdir()
    runs = {
        "resemblance": ("cluster", docs, "-t", "0.5"), "cosine": ("cluster", docs, "-t", "0.5", "--measure", "cosine"),
        "dedup": ("dedup", docs), "short": ("cluster", docs, "-t", "0.5", "--max-pairs", "3"),
        "keys": ("cluster", docs, "--method", "dsc", "--verify", "none"), "minhash": ("cluster", docs, "--method", "minhash-lsh", "--verify", "sketch"),
        "simhash": ("cluster", docs, "--method", "simhash", "--verify", "sketch"), "policy": ("cluster", docs, "--method", "dsc:t=0.3", "--verify", "sketch"),
    }
    for name, arguments in runs.items():
        done = c.run(*arguments, "-o", folder / name, "--tables", "tsv", "-q")
        c.check(f"a run to be refused: {name}", done.returncode == 0, done.stderr)
    cases = [
        ("resemblance", ("-t", "0.49"), "use --threshold=0.5 or more"), ("resemblance", ("-t", "0.9", "--measure", "containment"), "--measure=containment"),
        ("resemblance", ("-t", "0.7", "--measure", "cosine"), "c² is 0.5 or more"), ("cosine", ("-t", "0.9", "--measure", "containment"), "--measure=containment"),
        ("resemblance", ("-t", "0.8", "--keep", "newest"), "run `cluster` with --keep=newest"), ("resemblance", ("-t", "1.5"), "not a decimal"),
        ("resemblance", ("-t", "0.8", "--keep", "best"), "is not a rule"),
        ("dedup", ("-t", "0.9"), "run `cluster`"), ("short", ("-t", "0.9"), "--max-pairs"), ("keys", ("-t", "0.9"), "--verify=exact"),
        ("minhash", ("-t", "0.9"), "minhash-lsh"), ("simhash", ("-t", "0.9"), "simhash"), ("policy", ("-t", "0.2"), "t=0.3"),
        ("policy", ("-t", "0.9", "--measure", "containment"), "policy=containment"),
    ]

    def refused(name: str, options: tuple, words_wanted: str, label: str, code: int = 1) -> None:
        out = folder / "never"
        done = c.run("recluster", folder / name, "-o", out, *options)
        ok = done.returncode == code and words_wanted in done.stderr
        c.check(f"recluster refuses {label}", ok and not out.exists() and not left_behind(folder), f"exit {done.returncode}: {done.stderr}")

    for name, options, words_wanted in cases:
        # Another option may have an answer: 2. The run itself has none: 1.
        code = 2 if name in ("resemblance", "cosine", "policy") else 1
        refused(name, options, words_wanted, f"{name} {' '.join(options)}", code)

    def damaged(label: str, words_wanted: str, damage) -> None:
        shutil.rmtree(folder / "damaged", ignore_errors=True)
        shutil.copytree(folder / "resemblance", folder / "damaged")
        damage(folder / "damaged")
        refused("damaged", ("-t", "0.9"), words_wanted, f"damage: {label}")

    def edit(name: str, change) -> None:
        def apply(run: Path) -> None:
            lines = (run / name).read_text(encoding="utf-8").splitlines(keepends=True)
            (run / name).write_text("".join(change(lines)), encoding="utf-8")
        return apply

    for name in ("pairs.tsv", "clusters.tsv", "documents.tsv"):
        damaged(f"{name} lacks its last line", "run", edit(name, lambda lines: lines[:-1]))
        damaged(f"{name} ends in a line", "run", edit(name, lambda lines: [*lines[:-1], lines[-1][:3]]))
        damaged(f"{name} is missing", "holds no", lambda run, name=name: (run / name).unlink())
    damaged("two counts differ", "run", edit("pairs.tsv", lambda lines: [*lines[:-1], re.sub(r"\t(\d+)(\t\d+\t[^\t]+)$", lambda m: f"\t{int(m[1]) + 1}{m[2]}", lines[-1])]))
    damaged("another order of precedence", "not those that its summary tells of", edit("documents.tsv", lambda lines: [*lines[:-1], re.sub(r"^(\S+\t\S+\t\d+\t\d+\t)\d+", r"\g<1>1", lines[-1])]))
    damaged("the summary is of something else", "not written by this version", lambda run: (run / "summary.json").write_text("{}"))
    damaged("the pairs of another run", "run", lambda run: shutil.copy(folder / "cosine" / "pairs.tsv", run))
    into = c.run("recluster", folder / "resemblance", "-o", folder / "resemblance", "-t", "0.9", "--force")
    c.check("recluster does not replace what it reads", into.returncode == 2 and (folder / "resemblance" / "documents.tsv").is_file(), into.stderr)
    c.check("recluster --help has examples", "Examples:" in c.run("recluster", "--help").stdout)
    missing = c.run("recluster", folder / "nowhere", "-t", "0.9", "-o", folder / "never")
    c.check("recluster: a run that is not there is named", missing.returncode == 1 and "nowhere" in missing.stderr, missing.stderr)
    c.check("recluster needs a threshold", c.run("recluster", folder / "resemblance", "-o", folder / "never").returncode == 2)
