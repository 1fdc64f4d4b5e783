#!/usr/bin/env python3
"""The lookalike binary in, a verdict on whole runs out.

    run_checks.py path/to/lookalike [PART...]

Runs the command as a user would, over collections that it makes and over the project's samples, and has
every result checked by check_run.py, which recomputes everything from the texts and shares no code with
lookalike. Then: the same bytes for any number of threads and order of files, damaged and hostile inputs,
messages, exit codes, interruption. Prints a line for each check that fails, one for each part, and a sum;
exit code 0 only if all passed. Without PART everything runs. Standard library only.
"""
import check_run
import method_oracle
import csv
import gzip
import itertools
import json
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
SAMPLES = HERE.parent.parent / "samples"
WORKERS = 2


class Checks:
    """Counts what passed, and says what did not."""

    def __init__(self, binary: Path, work: Path):
        self.binary, self.work = binary, work
        self.passed = self.failed = 0
        self.lock = threading.Lock()

    def check(self, name: str, ok: bool, detail="") -> bool:
        with self.lock:
            self.passed, self.failed = self.passed + bool(ok), self.failed + (not ok)
            if not ok:
                print(f"FAILED: {name}: {str(detail)[-2000:]}", flush=True)
        return bool(ok)

    def run(self, *arguments, cwd=None, stdin=None) -> subprocess.CompletedProcess:
        command = [str(part) for part in (self.binary, *arguments)]
        return subprocess.run(command, cwd=cwd, input=stdin, capture_output=True, text=True, errors="replace")

    def out(self, name: str) -> Path:
        """A result directory that does not exist yet."""
        return self.work / "out" / re.sub(r"\W+", "-", name)

    def checked(self, name: str, verb: str, inputs: list, *options, checker=(), cwd=None) -> None:
        """One run, and the independent check of it."""
        out = self.out(name)
        options = [*map(str, options)]
        done = self.run(verb, *inputs, "--output", out, "--tables", "tsv", "--quiet", *options, cwd=cwd)
        if not self.check(f"{name}: runs", done.returncode == self.expected(out), done.stderr):
            return
        audit = subprocess.run(
            [sys.executable, str(HERE / "check_run.py"), str(out), *map(str, inputs), *map(str, checker)],
            cwd=cwd, capture_output=True, text=True,
        )
        wrong = [line for line in audit.stdout.splitlines() if not line.startswith("ok")] + [audit.stderr]
        self.check(f"{name}: checked", audit.returncode == 0, "\n".join(wrong))

    @staticmethod
    def expected(out: Path) -> int:
        """The exit code of a run that wrote its result: 1 where it read not a single document."""
        return 0 if summary_of(out).get("documents") else 1 if out.exists() else 0

    def all_checked(self, runs: list) -> None:
        """Several such runs, two at a time. Each is (name, verb, inputs, options[, more])."""
        with ThreadPoolExecutor(WORKERS) as pool:
            jobs = [pool.submit(self.checked, *run[:3], *run[3], **(run[4] if len(run) > 4 else {})) for run in runs]
            for job in jobs:
                job.result()


# --- collections ----------------------------------------------------------------------------------

LETTERS = "abcdefghijklmnoprstuvwé"


def words(rng: random.Random, vocabulary: list, n: int) -> list:
    return [rng.choice(vocabulary) for _ in range(n)]


def texts(seed: int, n: int) -> list:
    """Texts with exact, recased, edited, cut and nested copies, short and empty ones among them."""
    rng = random.Random(seed)
    vocabulary = ["".join(rng.choice(LETTERS) for _ in range(rng.randint(1, 9))) for _ in range(700)]
    vocabulary += ["Σίσυφος", "e\u0301te\u0301", "été", "ｆｒｅｅ", "fr\u200bee", "İstanbul", "web2", "2024", "漢字", "don't"]
    made: list = []
    for _ in range(n):
        kind = rng.random()
        if kind < 0.35 or not made:
            text = " ".join(words(rng, vocabulary, rng.randint(1, 120)))
        elif kind < 0.45:
            text = rng.choice(made)
        elif kind < 0.55:
            text = rng.choice(made).upper().replace(" ", ",  ")
        elif kind < 0.85:
            edited = rng.choice(made).split(" ")
            for _ in range(max(1, len(edited) // rng.choice([200, 40, 20, 8]))):
                edited[rng.randrange(len(edited))] = rng.choice(vocabulary)
            text = " ".join(edited)
        elif kind < 0.92:
            text = rng.choice(made) + " " + " ".join(words(rng, vocabulary, rng.randint(1, 60)))
        elif kind < 0.95:
            # The same shingles, another sequence.
            text = " ".join(rng.choice(made).split(" ")[:12] * 3)
        else:
            text = rng.choice(["", " .,;", "one", "two words", "a b c d", "\t\n"])
        made.append(text)
    return made


def records(seed: int, n: int, prefix: str = "d") -> list:
    rng = random.Random(-seed)
    found = []
    for number, text in enumerate(texts(seed, n)):
        # Names in another order than the lines, so that no order passes for the other.
        record = {"id": f"{prefix}{(number * 7919) % 100_003:06}", "text": text}
        if rng.random() < 0.9:
            record["score"] = rng.choice([rng.random(), rng.randint(-3, 3), "1e3", "no number", None])
        if rng.random() < 0.7:
            day = f"20{rng.randint(10, 25)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
            record["date"] = day + rng.choice(["", "T10:00:00Z", " 23:59:59"])
        if rng.random() < 0.05:
            record["id"] = rng.choice([None, "", "same", number])
        found.append(record)
    return found


def write_jsonl(path: Path, found: list, ends: str = "\n") -> Path:
    rng = random.Random(len(found))
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(one, ensure_ascii=rng.random() < 0.5) + ends for one in found)
    path.write_bytes(gzip.compress(lines.encode(), mtime=0) if path.suffix == ".gz" else lines.encode())
    return path


def write_csv(path: Path, found: list, delimiter: str = ",", ends: str = "\n") -> Path:
    with open(path, "w", encoding="utf-8", newline="") as out:
        table = csv.writer(out, delimiter=delimiter, lineterminator=ends)
        table.writerow(["id", "text", "score", "date"])
        for one in found:
            table.writerow([one.get(name) for name in ("id", "text", "score", "date")])
    return path


def collection(path: Path, seed: int, n: int, prefix: str = "d") -> Path:
    return write_jsonl(path, records(seed, n, prefix))


# --- the answer -----------------------------------------------------------------------------------

def self_test(c: Checks) -> None:
    done = subprocess.run([sys.executable, str(HERE / "check_run.py"), "--self-test"], capture_output=True, text=True)
    c.check("the checker finds every tampering", done.returncode == 0, done.stdout + done.stderr)


def settings(c: Checks) -> None:
    """Every setting that decides the answer."""
    docs = collection(c.work / "docs.jsonl", 1, 1200)
    small = collection(c.work / "small.jsonl", 2, 500)
    runs = []
    for measure, threshold in (
        ("resemblance", "0.8"), ("resemblance", "0.5"), ("resemblance", "0.05"), ("resemblance", "1"),
        ("containment", "0.8"), ("containment", "0.3"), ("cosine", "0.9"), ("cosine", "0.7"),
    ):
        options = ("--measure", measure, "--threshold", threshold)
        runs += [(f"{verb} {measure} {threshold}", verb, [docs], options) for verb in ("dedup", "cluster")]
    alone = {
        "kolcz": ("--measure", "cosine", "--threshold", "0.9", "--terms", "kolcz"),
        "cosine of shingles": ("--measure", "cosine", "--shingle", "3"),
        "shingles of 1": ("--shingle", "1", "--threshold", "0.9"),
        "shingles of 2": ("--shingle", "2", "--threshold", "0.7"),
        "shingles of 12": ("--shingle", "12"),
        "characters": ("--shingle-unit", "char", "--shingle", "9", "--threshold", "0.85"),
        "characters contained": ("--shingle-unit", "char", "--shingle", "20", "--measure", "containment"),
        "short documents ignored": ("--short-documents", "ignore"),
        "no normalisation": ("--normalize", "none"),
        "nfkc": ("--normalize", "nfkc"),
        "a threshold of nine digits": ("--threshold", "0.666666667"),
    }
    for name, options in alone.items():
        runs += [(f"{verb} {name}", verb, [small], options) for verb in ("dedup", "cluster")]
    for rule in ("first", "longest", "shortest", "newest", "oldest", "max:score", "min:score", "oldest,max:score,first", "max:score,longest"):
        runs.append((f"keep {rule}", "dedup", [small], ("--keep", rule)))
        runs.append((f"keep {rule} contained", "dedup", [small], ("--keep", rule, "--measure", "containment", "--threshold", "0.6")))
        runs.append((f"keep {rule} by components", "dedup", [small], ("--keep", rule, "--linkage", "components", "--threshold", "0.6")))
    runs.append(("cluster leaders", "cluster", [small], ("--linkage", "leaders", "--threshold", "0.5")))
    unique = write_jsonl(c.work / "unique.jsonl", [{**one, "id": f"u{at}"} for at, one in enumerate(records(2, 500))])
    for limit in (0, 50):
        # A list of some pairs says too little to tell documents of one name apart.
        runs.append((f"components, {limit} pairs", "cluster", [unique], ("--max-pairs", limit, "--threshold", "0.5")))
        runs.append((f"leaders, {limit} pairs", "cluster", [small], ("--max-pairs", limit, "--linkage", "leaders")))
    c.all_checked(runs)


def forms(c: Checks) -> None:
    """Every form of input that the checker can read, several files, marks."""
    found = records(3, 300)
    named = [{**one, "id": f"x{at}"} for at, one in enumerate(found)]
    folder = c.work / "forms"
    folder.mkdir()
    plain = write_jsonl(folder / "docs.jsonl", found)
    windows = write_jsonl(folder / "windows.jsonl", found, "\r\n")
    packed = write_jsonl(folder / "docs.jsonl.gz", found)
    table = write_csv(folder / "docs.csv", found)
    table_windows = write_csv(folder / "windows.csv", found, ends="\r\n")
    tabs = write_csv(folder / "docs.tsv", found, "\t")
    open_end = folder / "open.jsonl"
    open_end.write_bytes(b"\xef\xbb\xbf\n\n" + plain.read_bytes().replace(b"\n", b"\n \n", 3).rstrip(b"\n"))
    renamed = folder / "renamed.jsonl"
    write_jsonl(renamed, [{"key": one["id"], "body": one["text"]} for one in named])
    runs = []
    for path in (plain, windows, packed, table, table_windows, tabs, open_end):
        runs.append((f"form {path.name}", "dedup", [path], ()))
        if path is not packed:
            runs.append((f"marked {path.name}", "dedup", [path], ("--mark",), {"checker": ["--mark"]}))
    runs.append(("form cluster of csv", "cluster", [table], ()))
    runs.append(("other fields", "dedup", [renamed], ("--text-field", "body", "--id-field", "key")))
    tree = c.work / "tree"
    for number in range(3):
        write_jsonl(tree / f"part-{number}" / "docs.jsonl", named[number * 60:number * 60 + 90])
    write_csv(tree / "rows.csv", named[:40])
    for number, one in enumerate(named[:60]):
        (tree / f"text-{number % 7}").mkdir(exist_ok=True)
        (tree / f"text-{number % 7}" / f"{number}.{'md' if number % 3 else 'txt'}").write_text(one["text"], encoding="utf-8")
    (tree / ".hidden.jsonl").write_text("not read")
    (tree / "picture.png").write_bytes(b"\x89PNG")
    runs.append(("a tree", "dedup", [tree], ()))
    runs.append(("a tree, marked", "dedup", [tree], ("--mark",), {"checker": ["--mark"]}))
    runs.append(("a tree, all pairs", "cluster", [tree], ("--threshold", "0.5")))
    runs.append(("files of one name", "dedup", [tree / f"part-{n}" / "docs.jsonl" for n in (2, 0, 1)], ()))
    c.all_checked(runs)
    copied = c.out("copied")
    done = c.run("dedup", tree, "--output", copied, "--copy-files", "--tables", "tsv")
    names = (copied / "kept-files.txt").read_text(encoding="utf-8").splitlines() if done.returncode == 0 else []
    same = all((copied / "kept-files" / Path(name).relative_to(tree)).read_bytes() == Path(name).read_bytes() for name in names)
    c.check("--copy-files copies the kept files", names and same, done.stderr)


def against(c: Checks) -> None:
    """--against: the other collection is never touched."""
    old = records(21, 300, "old")
    rng = random.Random(4)
    new = [{**one, "id": f"n{at:04}"} for at, one in enumerate(rng.sample(old, 120) + records(22, 200))]
    longer = [{"id": f"l{at}", "text": one["text"] + " and one more word"} for at, one in enumerate(old[:40])]
    other = write_jsonl(c.work / "old.jsonl", old)
    fresh = write_jsonl(c.work / "new.jsonl", new + longer)
    before = other.read_bytes()
    checker = {"checker": ["--against", other]}
    runs = []
    for name, options in {
        "against": (), "against only": ("--against-only",), "against, longest": ("--keep", "longest"),
        "against, contained": ("--measure", "containment", "--threshold", "0.7"),
        "against, cosine": ("--measure", "cosine", "--threshold", "0.9"),
        "against only, contained": ("--against-only", "--measure", "containment"),
        "against, components": ("--linkage", "components", "--threshold", "0.5"),
    }.items():
        runs.append((name, "dedup", [fresh], ("--against", other, *options), checker))
    both = {"checker": ["--mark", "--against", other]}
    runs.append(("against, marked", "dedup", [fresh], ("--against", other, "--mark"), both))
    c.all_checked(runs)
    c.check("the other collection is as it was", other.read_bytes() == before)
    done = c.run("dedup", fresh, other, "--against", other, "--output", c.out("both"))
    c.check("a file in both roles is refused and named", done.returncode == 1 and "old.jsonl" in done.stderr, done.stderr)


def samples(c: Checks) -> None:
    """The project's own collection, in all its forms."""
    if not c.check("the samples are there", SAMPLES.is_dir(), SAMPLES):
        return
    out = c.out("all samples")
    done = c.run("dedup", "samples", "--output", out, "--tables", "tsv", cwd=SAMPLES.parent)
    c.check("dedup of the samples", done.returncode == 0 and not done.stderr, done.stderr)
    for name in ("report.html", "summary.json", "ledger.tsv", "clusters.tsv", "pairs.tsv", "kept-files.txt", "kept/crates.jsonl", "kept/apache.parquet"):
        c.check(f"samples: {name} is written", (out / name).is_file())
    page = (out / "report.html").read_text(encoding="utf-8") if (out / "report.html").is_file() else ""
    c.check("the report needs no network", page and not re.search(r'(?:src|href)="(?:https?:)?//[^"]+\.(?:js|css|png|woff2?)"', page))
    readable = [path for path in sorted(SAMPLES.iterdir()) if path.name.endswith((".jsonl", ".jsonl.gz", ".csv"))]
    readable += sorted((SAMPLES / "notes").glob("*.md")) + sorted((SAMPLES / "notes").glob("Carroll-11-[adefghilprtu]*"))
    readable = [path for path in readable if not path.name.endswith("-th.txt")]
    c.all_checked([
        ("samples", "dedup", readable, ()),
        ("samples marked", "dedup", readable, ("--mark",), {"checker": ["--mark"]}),
        ("samples, newest", "dedup", readable[:1], ("--keep", "newest")),
        ("samples, all pairs", "cluster", readable, ("--threshold", "0.6")),
        ("samples, contained", "dedup", readable, ("--measure", "containment", "--threshold", "0.9")),
        ("samples, cosine", "cluster", readable, ("--measure", "cosine", "--threshold", "0.9", "--terms", "kolcz")),
        ("samples, characters", "dedup", readable[:1], ("--shingle-unit", "char", "--shingle", "12")),
    ])


# --- what equal means -----------------------------------------------------------------------------

# One or two of each range of Default_Ignorable_Code_Point.
IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u180b\u180e\u200b\u200c\u200d\u200e\u202a\u202e\u2060\u2066\u206f\u3164"
    "\ufe00\ufe0f\ufeff\uffa0\ufff0\U0001bca0\U0001d173\U000e0001\U000e0061\U000e01ef"
)


def ledger_of(out: Path) -> dict:
    with open(out / "ledger.tsv", newline="", encoding="utf-8") as rows:
        reader = csv.DictReader(rows, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["removed_id"]: {**row, "kept": row["kept_id"]} for row in reader}


def ignorable(c: Checks) -> None:
    """Default-ignorable characters neither separate nor change words, in every normalisation."""
    rng = random.Random(77)
    plain = [f"{text} {at}x end of text" for at, text in enumerate(texts(78, 60))]
    plain += ["漢字と言葉を分ける文章です", "한국어 문장 하나", "क्षेत्र में नमस्ते", "emoji 👩🚀 family and ❤ heart", "cafe\u0301 te\u0301 Σίσυφος ΑΣ"]

    def planted(text: str) -> str:
        places = {rng.randrange(1, len(text)) for _ in range(1 + len(text) // 8)}
        return "".join((rng.choice(IGNORABLE) if at in places else "") + one for at, one in enumerate(text))

    made = [{"id": f"a{at}", "text": text} for at, text in enumerate(plain)]
    made += [{"id": f"b{at}", "text": planted(text)} for at, text in enumerate(plain)]
    docs = write_jsonl(c.work / "ignorable.jsonl", made)
    runs = {}
    for normalize in ("none", "nfc", "nfkc"):
        for name, options in {
            "words": ("--shingle", "3"), "characters": ("--shingle-unit", "char", "--shingle", "7"),
            "terms": ("--measure", "cosine", "--min-features", "1"),
        }.items():
            runs[f"ignorable {normalize} {name}"] = ("--normalize", normalize, *options)
    c.all_checked([(name, "dedup", [docs], options) for name, options in runs.items()])
    # Words under a method's own term filter, too: a soft hyphen is not a special character.
    out = c.out("ignorable method")
    done = c.run("dedup", docs, "-o", out, "--tables", "tsv", "-q", "--method", "imatch:terms=nosc", "--verify", "none")
    c.check("ignorable: a method with a term filter runs", done.returncode == 0, done.stderr)
    for name in [*runs, "ignorable method"]:
        ledger = ledger_of(c.out(name))
        # Both have the same words, so one document stands for both, or one of them for the other.
        kept = {one["id"]: ledger.get(one["id"], {"kept": one["id"]})["kept"] for one in made}
        wrong = [f"b{at}" for at, text in enumerate(plain) if kept[f"b{at}"] != kept[f"a{at}"]]
        c.check(f"{name}: a planted copy goes where its original goes", not wrong, wrong[:5])


def originals(c: Checks) -> None:
    """Identical means the same original; the same words from another original are lexically equivalent."""
    folder = c.work / "originals"
    folder.mkdir()
    page = "<html><head><title>T</title></head><body><p>{}</p></body></html>"
    body = "the quick brown fox jumps over the lazy dog and runs on"
    for name, content in {
        "a.html": page.format(body).encode(), "b.html": page.format(body).encode(),
        "c.html": page.format(f"<b>{body}</b>").encode(),
        "d.html": page.format(body).encode("utf-16-le").join([b"\xff\xfe", b""]),
    }.items():
        (folder / name).write_bytes(content)
    records_of = [{"id": "e", "html": page.format(body)}, {"id": "f", "html": page.format(body)}, {"id": "g", "html": page.format(body) + "\n"}]
    write_jsonl(folder / "pages.jsonl", records_of)
    out = c.out("originals html")
    done = c.run("dedup", folder, "-o", out, "--tables", "tsv", "-q")
    rules = {Path(name).name: (Path(row["kept"]).name, row["rule"]) for name, row in ledger_of(out).items()} if done.returncode == 0 else done.stderr
    lexical = ("a.html", "lexically_equivalent")
    # Each is held against the kept one: e and f are no HTML file, whatever they have in common with each other.
    expected = {"b.html": ("a.html", "identical"), **{name: lexical for name in ("c.html", "d.html", "e", "f", "g")}}
    c.check("HTML: the bytes as given decide what is identical", rules == expected, rules)
    out = c.out("originals records")
    done = c.run("dedup", folder / "pages.jsonl", "-o", out, "--tables", "tsv", "-q")
    rules = {name: row["rule"] for name, row in ledger_of(out).items()} if done.returncode == 0 else done.stderr
    c.check("HTML fields: the value as given decides", rules == {"f": "identical", "g": "lexically_equivalent"}, rules)
    report = (out / "report.html").read_text(encoding="utf-8")
    c.check("HTML fields: the report shows their text", body[:20] in report)
    plain = c.work / "plain"
    plain.mkdir()
    text = "zwei Füße laufen über die Straße und kommen nie wieder zurück"
    for name, content in {
        "a.txt": text.encode(), "b.txt": text.encode(), "c.txt": b"\xef\xbb\xbf" + text.encode(),
        "d.txt": b"\xff\xfe" + text.encode("utf-16-le"), "e.txt.gz": gzip.compress(text.encode(), mtime=0), "f.txt": text.encode() + b"\n",
    }.items():
        (plain / name).write_bytes(content)
    write_jsonl(plain / "g.jsonl", [{"id": "g", "text": text}])
    c.checked("originals text", "dedup", [plain])
    rules = {Path(name).name: row["rule"] for name, row in ledger_of(c.out("originals text")).items()}
    lexical = dict.fromkeys(("c.txt", "d.txt", "f.txt"), "lexically_equivalent")
    c.check("text: the bytes of the file decide", rules == {**dict.fromkeys(("b.txt", "e.txt.gz", "g"), "identical"), **lexical}, rules)


def few_features(c: Checks) -> None:
    """A term filter is no part of lexical equivalence; documents with few features are compared with none."""
    texts_of = {
        "en": "we can use Python to do it now", "zh": "我们 可以 用 Python 写", "fr": "on a dit Python et oui",
        "en2": "We can use Python, to do it now!", "en3": "we can use Python to do it now", "none": "we can do it", "none2": "we can do it",
    }
    made = [{"id": name, "text": text} for name, text in texts_of.items()]
    long = "several different words with enough characters each stand together within this sentence about nothing special"
    made += [{"id": f"l{at}", "text": long + " again" * (at > 1) + " so" * (at == 2)} for at in range(3)]
    docs = write_jsonl(c.work / "few.jsonl", made)
    words = ("--measure", "cosine", "--terms", "kolcz", "--threshold", "0.9")
    many = collection(c.work / "many.jsonl", 61, 600)
    runs = [("few", "dedup", [docs], words), ("few compared", "dedup", [docs], (*words, "--min-features", "1"))]
    for least in (1, 5, 10, 40):
        runs += [(f"{verb} terms {least}", verb, [many], ("--measure", "cosine", "--terms", "all", "--min-features", least)) for verb in ("dedup", "cluster")]
        for measure in ("resemblance", "containment"):
            runs.append((f"{measure} of {least}", "dedup", [many], ("--measure", measure, "-t", "0.6", "--min-features", least)))
    runs += [
        ("few, components", "dedup", [many], ("--linkage", "components", "-t", "0.5", "--min-features", "20")),
        ("few, on disk", "dedup", [many], ("--memory", "1MB", "--min-features", "20", "--measure", "containment")),
        ("few, short ones", "dedup", [many], ("--short-documents", "ignore", "--min-features", "3")),
        ("few, marked", "dedup", [many], ("--mark", "--min-features", "20"), {"checker": ["--mark"]}),
    ]
    c.all_checked(runs)
    rules = {name: row["rule"] for name, row in ledger_of(c.out("few")).items()}
    same = {"en2": "lexically_equivalent", "en3": "identical"}
    c.check("documents with few terms are left to those of the same words", rules == {**same, "l1": "identical", "l2": "near"}, rules)
    summary = summary_of(c.out("few"))
    said = " ".join(summary["warnings"])
    c.check("they are counted, and warned of", summary["without_features"].get("few_features") == 5 and "5 documents" in said and "--min-features" in said, summary)
    c.check("the setting is recorded", summary["settings"]["min_features"] == 10 == summary["settings"]["job"]["settings"]["min_features"], summary["settings"])
    rules = {name: row["rule"] for name, row in ledger_of(c.out("few compared")).items()}
    other = {"zh": "feature_equivalent", "fr": "feature_equivalent"}
    c.check("other words with the same terms are feature-equivalent at most", rules == {**same, **other, "l1": "identical", "l2": "near"}, rules)
    summary = summary_of(c.out("few compared"))
    c.check("documents compared by few terms are warned of", summary.get("few_terms") == {"fewer_than": 10, "documents": 5} and "--min-features 10" in " ".join(summary["warnings"]), summary["warnings"])
    page = (c.out("few") / "report.html").read_text(encoding="utf-8")
    c.check("the report warns as well", "fewer than 10 terms" in page)
    done = c.run("explain", "en", "zh", "--run", c.out("few"))
    c.check("explain names --min-features", done.returncode == 0 and "--min-features" in done.stdout, done.stdout + done.stderr)
    done = c.run("dedup", docs, "-o", c.out("few none"), "--min-features", "0")
    c.check("--min-features 0 is refused", done.returncode == 2, done.stderr)
    # What is left out is left out by every method and every judge; the runs agree on any number of threads.
    few = {name for name in texts_of} - {"none", "none2"}
    for method in ("imatch", "minhash-lsh", "simhash", "dsc"):
        for verify in ("exact", "sketch", "none"):
            trees = []
            for threads in (1, 4):
                out = c.out(f"few {method} {verify} {threads}")
                done = c.run("dedup", docs, "-o", out, "--tables", "tsv", "-q", "-j", threads, "--method", method, "--verify", verify, *words)
                if not c.check(f"few: {method} {verify} runs", done.returncode == 0, done.stderr):
                    break
                trees.append(tree_of(out))
                rules = {name: row["rule"] for name, row in ledger_of(out).items() if name in few}
                c.check(f"few: {method} {verify}: only the same words", rules == same, rules)
            c.check(f"few: {method} {verify}: the same bytes", len(trees) == 2 and trees[0] == trees[1])
    # The tables of a run with --min-features say what a fresh run would, at another threshold.
    low, again, fresh = c.out("few low"), c.out("few again"), c.out("few fresh")
    options = ("--tables", "tsv", "-q")
    terms = ("--measure", "cosine", "--min-features", "12")
    c.run("cluster", many, "-o", low, *options, *terms, "-t", "0.5", "--id-field", "nothing")
    done = c.run("recluster", low, "-o", again, *options, "-t", "0.8")
    c.run("cluster", many, "-o", fresh, *options, *terms, "-t", "0.8", "--id-field", "nothing")
    same_tables = done.returncode == 0 and all((again / name).read_bytes() == (fresh / name).read_bytes() for name in ("pairs.tsv", "clusters.tsv", "documents.tsv"))
    c.check("few: recluster gives the tables of a fresh run", same_tables, done.stderr)
    # evaluate: the exact join finds all of the truth, and what is left out is in no pair of any method.
    for sample in ((), ("--sample", "200")):
        out = c.out(f"few evaluate {len(sample)}")
        done = c.run("evaluate", many, "-o", out, "--tables", "tsv", "--format", "json", *terms, *sample, "--methods", "exact", "imatch@none", "minhash-lsh@exact")
        found = json.loads(done.stdout)["methods"] if done.returncode == 0 else []
        c.check("few: evaluate counts what is left out, alike for all methods", done.returncode == 0 and found[0]["recall"] == 1.0 and found[0]["precision"] == 1.0 and len({one["ignored"]["few_features"] for one in found}) == 1 and found[0]["ignored"]["few_features"] > 10, done.stderr or found)
    done = c.run("plan", many, "--format", "json", *terms)
    planned = json.loads(done.stdout) if done.returncode == 0 else {}
    c.run("dedup", many, "-o", c.out("few planned"), *options, *terms)
    went = sum(summary_of(c.out("few planned"))["removed"].values())
    c.check("few: plan of the whole foretells the run", planned and planned["removed"]["expected"] == went and planned["settings"]["min_features"] == 12, done.stderr or (planned.get("removed"), went))


# --- the same bytes -------------------------------------------------------------------------------

def tree_of(directory: Path) -> dict:
    """All files of a result, without what depends on the machine: path and content."""
    files = {}
    for path in sorted(directory.rglob("*")):
        if path.is_file() and path.name not in ("summary.json", "report.html"):
            files[str(path.relative_to(directory))] = path.read_bytes()
    summary = json.loads((directory / "summary.json").read_text(encoding="utf-8"))
    summary.pop("run", None)
    # The arguments are recorded in the order in which they were typed.
    summary["settings"].get("job", {}).pop("inputs", None)
    files["summary.json"] = json.dumps(summary, sort_keys=True).encode()
    return files


def same_bytes(c: Checks) -> None:
    """Any number of threads, any order of files, any run."""
    folder = c.work / "same"
    folder.mkdir()
    names = [collection(folder / f"part-{n}.jsonl", 10 + n, 500).name for n in range(3)]
    names.append(collection(folder / "part-3.jsonl.gz", 14, 500).name)
    shutil.copytree(SAMPLES / "pages", folder / "pages")
    shutil.copy(SAMPLES / "apache.parquet", folder)
    names += ["pages", "apache.parquet"]
    shuffled = names[::-1]
    random.Random(5).shuffle(shuffled)
    for verb, *options in (
        ("dedup",), ("cluster",), ("dedup", "--linkage", "components"), ("dedup", "--measure", "containment"),
        ("dedup", "--mark"), ("dedup", "--tables", "parquet"), ("dedup", "--tables", "jsonl"),
    ):
        trees = {}
        for threads, order in ((1, names), (2, names), (8, names), (8, names), (2, shuffled), (3, names[::-1])):
            name = f"{verb} {' '.join(options)} {threads} {len(trees)}"
            tables = [] if "--tables" in options else ["--tables", "tsv"]
            done = c.run(verb, *order, "-o", c.out(name), *tables, "-q", "-j", threads, *options, cwd=folder)
            if not c.check(name, done.returncode == 0, done.stderr):
                return
            trees[name] = tree_of(c.out(name))
        first = next(iter(trees.values()))
        for name, files in trees.items():
            different = [path for path in first.keys() | files.keys() if first.get(path) != files.get(path)]
            c.check(f"same bytes: {name}", not different, ", ".join(different))


# --- memory -----------------------------------------------------------------------------------------

# Runs a command with a process of its own around it: what is measured is the peak of that command alone.
MEASURED = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
sys.stderr.buffer.write(done.stderr)
print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
"""


def words_of(size: int, seed: int) -> list[str]:
    """Random words, in pieces, of so many bytes in all."""
    rng = random.Random(seed)
    known = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 9))) for _ in range(50_000)]
    pieces, length = [], 0
    while length < size:
        pieces.append(" ".join(rng.choices(known, k=20_000)))
        length += len(pieces[-1]) + 1
    return pieces


def large_records(c: Checks) -> None:
    """Peak memory: no more than --memory and three times the largest record, for every shape of large records."""
    if sys.platform != "linux":
        return
    folder = c.work / "large"
    folder.mkdir()
    budget, record = 60_000_000, 24_000_000
    one, other = words_of(record, 1), words_of(record, 2)

    def write(name: str, lines) -> Path:
        opened = gzip.open(folder / name, "wt", compresslevel=1) if name.endswith(".gz") else open(folder / name, "w")
        with opened as file:
            file.writelines(lines)
        return folder / name

    def near_alike(number: int) -> str:
        pieces = [words_of(100_000, 50 + number)[0] if at == number else piece for at, piece in enumerate(one)]
        return json.dumps({"id": f"d{number}", "text": " ".join(pieces)}) + "\n"

    html = "".join(f"<p>{piece[:2000]}</p><div>{piece[2000:]}</div>" for piece in one)
    shapes = {
        "one JSON line": (write("one.jsonl", [json.dumps({"id": "a", "text": " ".join(one)}) + "\n"]), 1),
        "a JSON line with escapes": (write("escapes.jsonl", [json.dumps({"id": "a", "text": "\n\"".join(one)}) + "\n"]), 1),
        "a CSV with two large fields": (write("two.csv", ["id,text,html\n", '1,"', " ".join(one), '","', " ".join(other), '"\n']), 2),
        "a large text file": (write("large.txt", ["\n".join(one)]), 1),
        "a compressed text file": (write("large.txt.gz", ["\n".join(one)]), 1),
        "a large HTML file": (write("large.html", ["<html><body>", html, "</body></html>"]), 1),
        "six near-alike documents": (write("six.jsonl", (near_alike(number) for number in range(6))), 1),
        "the same, compressed": (write("six.jsonl.gz", (near_alike(number) for number in range(6))), 1),
    }
    del html
    for name, (path, times) in shapes.items():
        for threads in (2, 8) if name.startswith("six") else (2,):
            label = f"memory: {name} on {threads} threads"
            out = c.out(label)
            command = [c.binary, "dedup", path, "--output", out, "--memory", budget, "--threads", threads, "--quiet"]
            done = subprocess.run([sys.executable, "-c", MEASURED, *map(str, command)], capture_output=True, text=True)
            code, peak = map(int, done.stdout.split())
            if not c.check(f"{label}: runs", code == 0, done.stderr):
                continue
            # The C library keeps a heap for each thread.
            most = budget + 3 * times * (record + 200_000) + (threads - 2) * (2 << 20)
            c.check(f"{label}: at most {most >> 20} MiB", peak <= most, f"{peak >> 20} MiB")
            summary = summary_of(out)
            said = summary.get("run", {}).get("peak_memory_bytes", 0)
            c.check(f"{label}: the summary tells", 0.97 * peak <= said <= peak, f"{said} of {peak}")
            removed = 5 if "six" in str(path) else 0
            c.check(f"{label}: {removed} removed", sum(summary.get("removed", {}).values()) == removed, summary.get("removed"))
            if "six" in str(path):
                # Where memory has room for all, nothing is read piece by piece.
                c.run("dedup", path, "--output", c.out(f"{label} roomy"), "--memory", "4GB", "--quiet")
                c.check(f"{label}: the same result with more memory", summary.get("digest") == summary_of(c.out(f"{label} roomy")).get("digest"))
            report = (out / "report.html").read_text(encoding="utf-8")
            c.check(f"{label}: the report is small, and says what it compares", len(report) < 4 << 20 and (removed == 0 or "only the first" in report), len(report))


# --- hostile inputs -------------------------------------------------------------------------------

GOOD = '{"id": "%s", "text": "the quick brown fox jumps over the lazy dog number %s"}\n'


def good(*names: str) -> str:
    return "".join(GOOD % (name, name) for name in names)


def hostile(c: Checks) -> None:
    """Damaged records are named by file and line, counted and rejected; good ones around them are used."""
    folder = c.work / "hostile"
    folder.mkdir()
    # Content, good documents, line of the first problem, words of its message.
    cases = {
        "cut.jsonl": (good("a") + '{"id": "b", "text": "stops he\n' + good("c"), 2, 2, "cut off"),
        "garbage.jsonl": (good("a") + "\x01\x02 garbage\n" + good("c"), 2, 2, "invalid JSON"),
        "no-text.jsonl": ('{"id": "a"}\n' + good("b"), 1, 1, "--text-field"),
        "null-text.jsonl": ('{"id": "a", "text": null}\n' + good("b"), 1, 1, "null"),
        "text-is-number.jsonl": (good("a") + '{"id": "b", "text": 5}\n', 1, 2, "a number"),
        "text-is-list.jsonl": (good("a") + '\n{"id": "b", "text": ["x"]}\n', 1, 3, "a list"),
        "id-is-list.jsonl": (good("a") + '{"id": [1], "text": "x"}\n', 1, 2, "--id-field"),
        "array.json": ('[{"id": "a", "text": "x"}]\n', 0, 1, "jq"),
        "pretty.json": ('{\n  "id": "a",\n  "text": "x"\n}\n', 0, 1, "several lines"),
        "two-on-a-line.jsonl": ('{"text": "a"}{"text": "b"}\n' + good("c"), 1, 1, "invalid JSON"),
        "latin1.jsonl": (good("a").encode() + b'{"id": "b", "text": "caf\xe9"}\n', 1, 2, "UTF-8"),
        "half-surrogate.jsonl": (good("a") + '{"id": "b", "text": "x \\ud800 y"}\n', 1, 2, "surrogate"),
        "nan.jsonl": (good("a") + '{"id": "b", "text": "x", "score": NaN}\n', 1, 2, "invalid JSON"),
        "nul-bytes.jsonl": (good("a") + '{"id": "b", "text": "x\0y"}\n\0\0\0\n' + good("c"), 2, 2, "invalid JSON"),
        "escaped-nul.jsonl": (good("a") + '{"id": "b", "text": "x\\u0000y"}\n', 2, None, ""),
        "deep.jsonl": (good("a")[:-2] + ', "more": ' + "[" * 3000 + "]" * 3000 + "}\n", 1, None, ""),
        "deep-text.jsonl": (good("a") + '{"text": ' + "[" * 3000 + "]" * 3000 + "}\n", 1, 2, ""),
        "twice.jsonl": (good("a") + '{"id": "b", "text": "not me", "text": "the last one counts"}\n', 2, None, ""),
        "same-ids.jsonl": (good("a", "a", "b") + good("a") + '{"id": 7, "text": "seven"}\n{"id": "7", "text": "seven"}\n', 6, None, ""),
        "no-ids.jsonl": ('{"text": "one two three four five six"}\n' * 3, 3, None, ""),
        "bom.jsonl": ("\ufeff" + good("a", "a"), 2, None, ""),
        "crlf.jsonl": (good("a", "b", "a").replace("\n", "\r\n"), 3, None, ""),
        "separators.jsonl": (good("a") + '{"id": "b", "text": "one\u2028two\u2029three\u0085four"}\n', 2, None, ""),
        "long.jsonl": (good("a") + json.dumps({"id": "b", "text": "long " * 1_000_000}) + "\n" + good("c"), 3, None, ""),
        "empty.jsonl": ("", 0, None, ""),
        "blank.jsonl": ("\n \n\r\n\t\n", 0, None, ""),
        "no-words.jsonl": ('{"id": "a", "text": ""}\n{"id": "b", "text": ""}\n{"id": "c", "text": "...!"}\n', 3, None, ""),
        "ragged.csv": ('id,text\n1,one two\n2,three,four\n3,"five, six"\n', 2, 3, "quote"),
        "quotes.csv": ('id,text\n1,"one ""two""\nthree"\n\n2,"four\r\nfive"\r\n', 2, None, ""),
        "bytes.csv": (b"id,text\n1,one\n2,caf\xe9\n3,three\n", 2, 3, "UTF-8"),
        "header.csv": ("id,text\n", 0, None, ""),
        "empty.csv": ("", 0, None, ""),
    }
    runs = []
    for name, (content, documents, line, message) in cases.items():
        path = folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        runs.append((f"hostile {name}", "dedup", [path], ()))
        done = c.run("dedup", path, "-o", c.out(f"said {name}"), "--tables", "tsv", "--verbose")
        told = ("no document was read" in done.stderr) == (documents == 0)
        c.check(f"{name}: the exit code tells a run without documents", told and done.returncode == (0 if documents else 1), done.stderr)
        summary = summary_of(c.out(f"said {name}"))
        c.check(f"{name}: {documents} documents are used", summary.get("documents") == documents, done.stderr or summary)
        said = f"{name}:{line}: " in done.stderr and message in done.stderr
        c.check(f"{name}: says what is wrong and where", said if line else done.stderr.count(name) == 0, done.stderr)
        strict = c.run("dedup", path, "-o", c.out(f"strict {name}"), "--strict")
        place = f"{name}:{line}: " in strict.stderr and "--strict" in strict.stderr
        ok = strict.returncode == 3 and place if line else strict.returncode == (0 if documents else 1)
        c.check(f"{name}: --strict stops there", ok, f"exit {strict.returncode}: {strict.stderr}")
        c.check(f"{name}: --strict leaves nothing", c.out(f"strict {name}").exists() == (line is None))
    c.all_checked(runs)
    whole_files(c, folder)
    long_records(c, folder)
    many_problems(c, folder)


def summary_of(out: Path) -> dict:
    path = out / "summary.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def whole_files(c: Checks, folder: Path) -> None:
    """Files that cannot be read to their end, or not at all."""
    rng = random.Random(6)
    lines = "".join(GOOD % (number, rng.random()) for number in range(3000)).encode()
    packed = gzip.compress(lines, mtime=0)
    broken = bytearray(packed)
    broken[len(broken) // 2] ^= 0xFF
    cases = {
        "truncated.jsonl.gz": (packed[:len(packed) // 2], True, "cut off"),
        "flipped.jsonl.gz": (bytes(broken), True, "gzip"),
        "nothing.jsonl.gz": (packed[:12], False, ""),
        "utf16.jsonl": (good("a", "b").encode("utf-16"), False, "iconv"),
        "twice.jsonl.gz": (gzip.compress(packed), False, "compressed twice"),
        "not.parquet": (b"PAR1 but not really", False, ""),
        "no-column.csv": (b"a,b\n1,2\n", False, "--text-field"),
    }
    for name, (content, some, message) in cases.items():
        path, out = folder / name, c.out(f"file {name}")
        path.write_bytes(content)
        failed = c.run("dedup", path, "-o", out, "--tables", "tsv")
        said = name in failed.stderr and "--skip-unreadable" in failed.stderr and message in failed.stderr
        c.check(f"{name}: the run fails and says what to do", failed.returncode == 1 and said and not out.exists(), failed.stderr)
        done = c.run("dedup", path, "-o", out, "--tables", "tsv", "--skip-unreadable")
        listed = (out / "problems.tsv").read_text(encoding="utf-8") if out.exists() else ""
        said = name in done.stderr and message in listed
        told = some or "no document was read" in done.stderr
        c.check(f"{name}: is named with what is wrong", done.returncode == (0 if some else 1) and said and told, f"exit {done.returncode}: {done.stderr}")
        summary = summary_of(out)
        c.check(f"{name}: is counted as a problem", summary.get("problems", 0) >= 1, summary.get("problems"))
        unreadable = summary.get("unreadable_inputs"), [input.get("unreadable") for input in summary.get("inputs", [])]
        c.check(f"{name}: is counted as unreadable", unreadable == (1, [True]) and any(name in warning for warning in summary.get("warnings", [])), summary)
        c.check(f"{name}: what came before is used", (summary.get("documents", 0) > 0) == some, summary.get("documents"))
        strict = c.run("dedup", path, "-o", c.out(f"strict file {name}"), "--strict")
        c.check(f"{name}: --strict stops", strict.returncode == 3 and name in strict.stderr, strict.stderr)
    members = folder / "members.jsonl.gz"
    members.write_bytes(gzip.compress(good("a", "b").encode()) + gzip.compress(good("c").encode()))
    c.checked("gzip of several members", "dedup", [members])
    misnamed = folder / "plain.jsonl.gz"
    misnamed.write_text(good("a", "b"))
    done = c.run("dedup", misnamed, "-o", c.out("misnamed"))
    c.check("a plain file named .gz is read", done.returncode == 0 and summary_of(c.out("misnamed")).get("documents") == 2, done.stderr)


def damaged_parquet(c: Checks) -> None:
    """Parquet files with bytes changed or cut off anywhere: named, no panic, no hang, no huge allocation."""
    rng, folder = random.Random(11), c.work / "parquet"
    folder.mkdir()
    docs = collection(folder / "docs.jsonl", 32, 300)
    c.run("cluster", docs, "-o", folder / "run", "--tables", "parquet", "-q")
    sources = [path.read_bytes() for path in sorted((folder / "run").glob("*.parquet"))]
    c.check("damaged Parquet: there is something to damage", sources, os.listdir(folder / "run"))
    damaged = folder / "damaged"
    damaged.mkdir()
    for number in range(400):
        data = bytearray(sources[number % len(sources)])
        if number % 5 == 0:
            del data[rng.randrange(len(data)):]
        else:
            # The footer, of some hundred bytes, decides how all else is read.
            first = len(data) - min(1500, len(data)) if number % 2 else 0
            for _ in range(1 + number % 3):
                data[rng.randrange(first, len(data))] ^= rng.randrange(1, 256)
        (damaged / f"{number:03}.parquet").write_bytes(data)

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))

    for verb in ("dedup", "cluster"):
        for fields in (("--text-field", "id"), ("--text-field", "a"), ("--text-field", "leader", "--id-field", "b")):
            label = f"damaged Parquet, {verb} {' '.join(fields)}"
            out = c.out(label)
            good = folder / "good.jsonl"
            good.write_text("".join(json.dumps({fields[1]: f"some words number {n}"}) + "\n" for n in range(3)))
            command = [c.binary, verb, damaged, good, "-o", out, "--skip-unreadable", "--threads", "2", "--memory", "100MB", "-q", *fields]
            try:
                done = subprocess.run(list(map(str, command)), capture_output=True, text=True, errors="replace", timeout=120, preexec_fn=limited)
            except subprocess.TimeoutExpired:
                c.check(f"{label}: ends", False)
                continue
            c.check(f"{label}: ends well", done.returncode == 0 and done.stderr == "", f"exit {done.returncode}: {done.stderr[:2000]}")
            summary = summary_of(out)
            inputs = {input["name"].rsplit("/", 1)[-1]: input for input in summary.get("inputs", [])}
            c.check(f"{label}: the good file is used", inputs.get("good.jsonl", {}).get("documents") == 3)
            c.check(f"{label}: the others are counted", summary.get("unreadable_inputs", 0) > 100, summary.get("unreadable_inputs"))


def long_records(c: Checks, folder: Path) -> None:
    """Records over --max-record are named like any other bad record."""
    # Those too long to be taken into memory at all are named and not copied.
    for size, copied in ((200_000, True), (5_000_000, False)):
        path, out = folder / f"over-{size}.jsonl", c.out(f"over {size}")
        long = json.dumps({"id": "b", "text": "x" * size}) + "\n"
        path.write_text(good("a") + long + good("c"))
        done = c.run("dedup", path, "-o", out, "--max-record", "100kB", "--tables", "tsv")
        c.check(f"a record of {size} bytes over the limit is named", f"{path.name}:2:" in done.stderr and "--max-record" in done.stderr, done.stderr)
        rejected = out / "rejected.jsonl"
        among = rejected.is_file() and rejected.read_text() == long
        c.check(f"a record of {size} bytes over the limit is among the rejected, if it was read", among == copied)
        c.check(f"a record of {size} bytes over the limit says that it may be missing there", "may be too long to be copied to the rejected" in done.stderr, done.stderr)


def many_problems(c: Checks, folder: Path) -> None:
    """Of very many bad records the first are listed, all are counted, and all are among the rejected."""
    path, out = folder / "all-bad.jsonl", c.out("all bad")
    bad = "{}\n" * 150_000
    path.write_text(bad + good("a"))
    done = c.run("dedup", path, "-o", out, "--tables", "tsv")
    summary = summary_of(out)
    c.check("very many problems are counted", (summary.get("problems"), summary.get("documents")) == (150_000, 1), done.stderr)
    c.check("very many problems: their input counts them", summary["inputs"][0]["problems"] == 150_000, summary["inputs"])
    said = "and 149995 more; the first 100000 are in" in done.stderr and len(done.stderr.splitlines()) == 6
    c.check("very many problems: says where they are", said, done.stderr)
    rows = (out / "problems.tsv").read_text(encoding="utf-8").splitlines()
    c.check("very many problems: the first are listed", len(rows) == 100_001 and "\t100000\t" in rows[-1], len(rows))
    c.check("very many problems: all are among the rejected", (out / "rejected.jsonl").read_text() == bad)


# --- manners --------------------------------------------------------------------------------------

def left_behind(folder: Path) -> list:
    return [path.name for path in folder.iterdir() if ".partial-" in path.name or ".replaced" in path.name]


def usage(c: Checks) -> None:
    """Wrong usage, existing results, missing inputs."""
    docs = collection(c.work / "few.jsonl", 31, 60)
    folder = c.work / "usage"
    folder.mkdir()
    out = folder / "twice"
    first, again = (c.run("dedup", docs, "-o", out, "-q") for _ in range(2))
    content = (out / "kept.jsonl").read_bytes()
    c.check("an existing result is not overwritten", first.returncode == 0 and again.returncode == 1 and "--force" in again.stderr, again.stderr)
    c.check("--force replaces it", c.run("dedup", docs, "-o", out, "-q", "--force", "--threshold", "0.2").returncode == 0)
    c.check("it is another now", (out / "kept.jsonl").read_bytes() != content)
    mine = folder / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work")
    done = c.run("dedup", docs, "-o", mine, "--force")
    c.check("--force spares what is no result", done.returncode == 1 and (mine / "thesis.txt").is_file(), done.stderr)
    inside = c.run("dedup", out / "kept.jsonl", "-o", out, "--force")
    c.check("an input inside the output is refused", inside.returncode == 1 and (out / "kept.jsonl").is_file(), inside.stderr)
    for arguments in ((), ("dedup",), ("dedup", docs), ("nonsense",), ("dedup", docs, "-o", "x", "--measure", "luck"), ("dedup", docs, "-o", "x", "--against-only")):
        done = c.run(*arguments, cwd=folder)
        c.check(f"wrong usage is exit code 2: {arguments[:1]}", done.returncode == 2 and "--help" in done.stderr, done.stderr)
    for option, value, hint in (
        ("--threshold", "0", "0.8"), ("--threshold", "1.5", "0.8"), ("--threshold", "80%", "0.8"), ("--threshold", "nan", "0.8"),
        ("--threshold", "80", "0.8"), ("--threshold", "", "0.8"),
        ("--keep", "last", "longest"), ("--keep", "best", "longest"), ("--keep", "max:", "max:FIELD"), ("--keep", "first,best", "longest"),
        ("--shingle", "0", "1 to 1000"), ("--shingle", "1001", "1 to 1000"), ("--shingle", "five", "--shingle"),
        ("--terms", "kolcz", "cosine"), ("--terms", "none", "kolcz"), ("--normalize", "upper", "nfkc"), ("--shingle-unit", "line", "word"),
        ("--max-record", "much", "MB"), ("--max-record", "0", "--max-record"), ("--memory", "0", "--memory"), ("--memory", "lots", "MB"),
        ("--threads", "many", "--threads"), ("--tables", "xls", "parquet"), ("--format", "xml", "json"), ("--linkage", "single", "leaders"), ("--witness", "last", "first"),
        ("--method", "nosuch", "minhash-lsh"), ("--method", "minhash-lsh:nosuch=1", "nosuch"), ("--method", "minhash-lsh:b=x", "b"),
        ("--method", "imatch:filter=nosuch", "filter"), ("--max-pairs", "few", "--max-pairs"), ("--input-format", "exe", "jsonl"),
    ):
        done = c.run("dedup", docs, "-o", folder / "bad", option, value)
        c.check(f"{option} {value} is wrong usage, with a hint", done.returncode == 2 and hint in done.stderr, f"exit {done.returncode}: {done.stderr}")
    for command in (["dedup"], ["lexicon", "build"]):
        done = c.run(*command, docs, "-o", folder / "bad", "-j", "100000")
        said = done.returncode == 2 and "1024" in done.stderr
        c.check(f"{command[0]}: more threads than make sense are refused", said, done.stderr)
    try:
        odd = os.fsencode(folder) + b"/names/not-utf8-\xff.txt"
        os.makedirs(os.path.dirname(odd))
        with open(odd, "wb") as out:
            out.write(b"a text")
        command = [os.fsencode(c.binary), b"dedup", odd, b"-o", os.fsencode(folder / "bad")]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        c.check("a name that is not UTF-8 says what to do", done.returncode == 2 and "directory" in done.stderr, done.stderr)
        done = c.run("dedup", folder / "names", "-o", folder / "names-out", "-q")
        kept = (folder / "names-out" / "kept-files.txt").read_text() if done.returncode == 0 else ""
        c.check("its directory is read", "not-utf8-\\xff.txt" in kept, done.stderr + kept)
    except OSError:
        pass  # Not every file system can hold such a name.
    done = c.run("dedup", "", "-o", folder / "bad")
    c.check("an empty name is wrong usage", done.returncode == 2 and "variable" in done.stderr, done.stderr)
    for name in ("nothing.jsonl", "no*such.jsonl"):
        done = c.run("dedup", folder / name, "-o", folder / "bad")
        c.check(f"missing {name} is named", done.returncode == 1 and name in done.stderr, done.stderr)
    (folder / "odd.xyz").write_text(good("a"))
    done = c.run("dedup", folder / "odd.xyz", "-o", folder / "bad")
    c.check("an unknown form names an option that exists", done.returncode == 1 and "--input-format" in done.stderr, done.stderr)
    done = c.run("dedup", folder / "odd.xyz", "-o", folder / "odd", "--input-format", "jsonl", "-q")
    c.check("--input-format reads it", done.returncode == 0 and summary_of(folder / "odd").get("documents") == 1, done.stderr)
    taken = folder / "taken.jsonl"
    taken.write_text('{"id": "a", "text": "x", "cluster": 5}\n')
    done = c.run("dedup", taken, "-o", folder / "bad", "--mark")
    c.check("a field that --mark would add is refused", done.returncode == 1 and "taken.jsonl:1" in done.stderr and "--mark-prefix" in done.stderr, done.stderr)
    done = c.run("dedup", taken, "-o", folder / "prefixed", "--mark", "--mark-prefix", "dup_", "-q")
    ok = done.returncode == 0 and '"dup_cluster":' in (folder / "prefixed" / "marked.jsonl").read_text()
    c.check("--mark-prefix makes room", ok, done.stderr)
    c.check("failures leave nothing", not (folder / "bad").exists() and not left_behind(folder), left_behind(folder))


def escape_sequences(c: Checks) -> None:
    """Names and arguments that hold escape sequences, or no UTF-8, reach no terminal as they are."""
    if os.name != "posix":
        return
    folder = c.work / "escapes"
    folder.mkdir()
    (folder / "a.jsonl").write_text(good("a", "b"))
    (folder / "\x1b[2J\u202e\x9b31m.jsonl").write_text(good("c") + "no json\n")
    (folder / "skipped \x1b]0;title\x07.bin").write_text("x")
    try:
        with open(os.fsencode(folder) + b"/no utf-8 \xff\x1b.jsonl", "w") as file:
            file.write(good("d") + "no json\n")
    except OSError:
        # Some file systems have no such names.
        pass
    out = c.out("escape \x1b[31m sequences")
    hostile = folder / "nothing \x1b[5m here"
    runs = {
        "dedup": ("dedup", folder, "-o", out, "--tables", "tsv", "-v"),
        "JSON": ("dedup", folder, "-o", c.out("escapes json"), "--format", "json"),
        "an existing result": ("dedup", folder, "-o", out),
        "a missing file": ("dedup", hostile, "-o", c.out("never")),
        "compare": ("compare", hostile, hostile),
        "an unknown option": ("dedup", "--\x1b[2J", folder),
        "a wrong value": ("dedup", folder, "-o", out, "--memory", "\x1b[2J"),
        "an unknown method": ("methods", "\x1b[2J"),
        "plan": ("plan", folder, "--format", "json"),
    }
    done = {}
    for name, arguments in runs.items():
        done[name] = c.run(*arguments)
        printed = done[name].stdout + done[name].stderr
        acting = [character for character in printed if character not in "\n\t" and (ord(character) < 32 or 127 <= ord(character) < 160 or character == "\u202e")]
        c.check(f"escape sequences, {name}: nothing acts on a terminal", printed and not acting, repr(printed))
    c.check("escape sequences: the skipped file is named", "skipped \\u{1b}]0;title" in done["dedup"].stderr, done["dedup"].stderr)
    for name, text in (("JSON", done["JSON"].stdout), ("plan", done["plan"].stdout), ("summary.json", (c.out("escapes json") / "summary.json").read_text())):
        try:
            json.loads(text)
            valid = True
        except ValueError:
            valid = False
        c.check(f"escape sequences: {name} is JSON", valid, text)


def skipped_files(c: Checks) -> None:
    """Files in directories that are not read: counted, and named when asked."""
    folder, out = c.work / "mixed", c.out("mixed")
    (folder / "more").mkdir(parents=True)
    (folder / "docs.jsonl").write_text(good("a", "b"))
    (folder / ".hidden").write_text("hidden names are nobody's business")
    for number in range(12):
        (folder / "more" / f"picture-{number:02}.png").write_bytes(b"\x89PNG")
    (folder / "inbox.mbox").write_text("From a@b.example\n")
    os.symlink(folder / "nowhere", folder / "broken.jsonl")
    os.mkfifo(folder / "pipe.jsonl")
    done = c.run("dedup", folder, "-o", out)
    row = re.search(r"skipped files +15 \(unsupported format; list them with -v\)$", done.stdout, re.M)
    c.check("skipped files are counted", done.returncode == 0 and row and done.stderr == "", done.stdout + done.stderr)
    c.check("the summary counts it", summary_of(out).get("skipped_files") == 15, summary_of(out).get("skipped_files"))
    said = c.run("dedup", folder, "-o", out, "--force", "-v").stderr
    named = all(words in said for words in ("inbox.mbox: skipped: mail", "broken.jsonl: skipped: a broken link", "picture-00.png", "and 5 more skipped files"))
    c.check("--verbose names the first of it and says why", named and "picture-11" not in said, said)


def not_every_word_counts(c: Checks) -> None:
    """A term filter made for one script says so where it leaves nothing of another."""
    docs = write_jsonl(c.work / "han.jsonl", [{"id": at, "text": text} for at, text in enumerate((
        "我们 在 学习 中文", "今天天气很好", "ภาษาไทย ง่าย", "a text with several longer words",
    ))])
    for terms, warned in (("kolcz", True), ("all", False)):
        done = c.run("dedup", docs, "-o", c.out(f"han {terms}"), "--measure", "cosine", "--terms", terms)
        said = "--terms all" in done.stdout and "without terms" in done.stdout
        c.check(f"--terms {terms}: documents without terms are explained", done.returncode == 0 and said == warned, done.stdout + done.stderr)


def streams(c: Checks) -> None:
    """Standard input and output."""
    docs = collection(c.work / "stream.jsonl", 32, 60)
    reference, piped = c.out("stream file"), c.out("stream stdin")
    c.run("dedup", docs, "-o", reference, "-q")
    done = c.run("dedup", "-", "-o", piped, "-q", stdin=docs.read_text(encoding="utf-8"))
    same = done.returncode == 0 and (piped / "kept.jsonl").read_bytes() == (reference / "kept.jsonl").read_bytes()
    c.check("standard input gives the same documents", same, done.stderr)
    c.check("--quiet is quiet", done.stdout == "" and done.stderr == "", done.stdout + done.stderr)
    done = c.run("dedup", docs, "-o", c.out("stream plain"))
    c.check("no progress line off a terminal", done.returncode == 0 and done.stderr == "" and "\x1b" not in done.stdout, done.stderr)
    for verb in ("dedup", "cluster"):
        done = c.run(verb, docs, "-o", c.out(f"stream json {verb}"), "--format", "json")
        said = json.loads(done.stdout) if done.returncode == 0 else {}
        c.check(f"{verb} --format json prints the summary", said == summary_of(c.out(f"stream json {verb}")) and said.get("documents") == 60, done.stderr)
    for shell in ("bash", "zsh", "fish"):
        c.check(f"completions for {shell}", "lookalike" in c.run("completions", shell).stdout)
    for verb in ("dedup", "cluster", "compare", "explain"):
        c.check(f"{verb} --help has examples", "Examples:" in c.run(verb, "--help").stdout)
    c.check("--help says what the exit codes mean", "not a single document" in c.run("--help").stdout)
    c.check("--version", re.match(r"lookalike \d+\.\d+\.\d+", c.run("--version").stdout))


def explanations(c: Checks) -> None:
    """`compare` and `explain`."""
    folder = c.work / "explain"
    folder.mkdir()
    a, b = folder / "a.txt", folder / "b.txt"
    a.write_text("a rose is a rose is a rose")
    b.write_text("a rose is a flower is a rose")
    done = c.run("compare", a, b, "--shingle", "4", "--format", "json")
    measures = json.loads(done.stdout)["measures"] if done.returncode == 0 else {}
    ok = (measures.get("shared"), measures.get("size_a"), measures.get("size_b")) == (1, 3, 5)
    # 4-shingles of b: a rose is a, rose is a flower, is a flower is, a flower is a, flower is a rose.
    c.check("compare Broder's roses", ok, done.stdout + done.stderr)
    text = c.run("compare", a, b)
    c.check("compare shows the difference", text.returncode == 0 and "flower" in text.stdout and "\x1b" not in text.stdout, text.stdout)
    docs = write_jsonl(folder / "docs.jsonl", [
        {"id": "one", "text": "the quick brown fox jumps over the lazy dog near the river bank at noon"},
        {"id": "two", "text": "The quick brown fox jumps over the lazy dog near the river bank at noon."},
        {"id": "three", "text": "something else entirely without anything in common at all"},
        {"id": 17, "text": "seventeen is a number and this is a text of its own"},
        {"text": "nobody gave this text a name so it goes by its place"},
    ])
    run = folder / "run"
    c.run("dedup", docs, "-o", run, "-q", cwd=folder)
    for x, y, words_wanted in (("one", "two", ["lexically"]), ("one", "three", ["three"]), ("17", f"{docs}:5", ["0.8"])):
        done = c.run("explain", x, y, "--run", run)
        c.check(f"explain {x} and {y}", done.returncode == 0 and all(word in done.stdout for word in [x, y, *words_wanted]), done.stdout + done.stderr)
        parsed = c.run("explain", x, y, "--run", run, "--format", "json")
        c.check("explain --format json", parsed.returncode == 0 and json.loads(parsed.stdout)["a"]["id"] == x, parsed.stderr)
        same = c.run("compare", f"{docs}#{x}", f"{docs}#{y if y == 'two' or y == 'three' else 5}", "--format", "json")
        agree = same.returncode == 0 and json.loads(same.stdout)["measures"] == json.loads(parsed.stdout)["measures"]
        c.check("compare and explain agree", agree, same.stderr)
    for arguments in (("explain", "one", "nobody", "--run", run), ("compare", f"{docs}#one", f"{docs}#nobody")):
        done = c.run(*arguments)
        c.check(f"{arguments[0]}: an unknown document is named", done.returncode == 1 and "nobody" in done.stderr, done.stderr)
    odd = write_jsonl(folder / "odd#1.jsonl", [
        {"id": "#a#", "text": "a text"}, {"id": "tab\there", "text": "a text"}, {"id": "line\nend", "text": "a text"}, {"text": "a text"},
    ])
    c.run("dedup", odd, "-o", folder / "odd-run", "-q", cwd=folder)
    for x, y in (("#a#", "tab\there"), ("line\nend", "#a#"), ("tab\there", f"{odd}:4")):
        done = c.run("explain", x, y, "--run", folder / "odd-run", "--format", "json")
        said = json.loads(done.stdout) if done.returncode == 0 else {}
        c.check(f"explain knows odd ids: {x!r}", (said.get("a", {}).get("id"), said.get("b", {}).get("id")) == (x, y), done.stderr)
        done = c.run("compare", f"{odd}#{x}", f"{odd}#{4 if ':4' in y else y}", "--format", "json")
        said = json.loads(done.stdout) if done.returncode == 0 else {}
        c.check(f"compare knows odd ids: {x!r}", said.get("measures", {}).get("resemblance") == 1, done.stderr)
    (folder / "wide.jsonl").write_bytes(good("a").encode("utf-16"))
    (folder / "cut.jsonl").write_text(good("a") + '{"id": "b", "te')
    for name, why in (("wide.jsonl", "UTF-16"), ("wide.jsonl#a", "UTF-16"), ("cut.jsonl#b", "cut.jsonl:2: the line ends")):
        done = c.run("compare", folder / name, a)
        c.check(f"compare says why there is no {name}", done.returncode == 1 and why in done.stderr, done.stderr)
    done = c.run("explain", "one", "two", "--run", folder)
    c.check("explain: a directory that is no run is named", done.returncode == 1 and str(folder) in done.stderr, done.stderr)
    done = c.run("explain", "one", "one", "--run", run)
    c.check("explain: one document is not compared with itself", done.returncode == 2 and "name two" in done.stderr, done.stderr)
    foreign = folder / "foreign"
    foreign.mkdir()
    (foreign / "summary.json").write_text("{}")
    done = c.run("explain", "one", "two", "--run", foreign)
    ok = done.returncode == 1 and "not written by this version" in done.stderr and str(foreign) in done.stderr
    c.check("explain: a summary of something else is told in words", ok, done.stderr)
    docs.write_text(docs.read_text().replace("quick", "slow"))
    done = c.run("explain", "one", "two", "--run", run)
    c.check("explain: changed inputs are noticed", "chang" in (done.stdout + done.stderr), done.stdout + done.stderr)


def repeated_ids(c: Checks) -> None:
    """Every id repeated, within files and among them: each row names its documents by file and record, uniquely."""
    folder = c.work / "repeated"
    (folder / "pages").mkdir(parents=True)
    rng = random.Random(61)
    made = [{**one, "id": rng.choice(["1", "2", "3", "pages/2.txt", None])} for one in records(61, 600)]
    # Unreadable lines, so that record numbers are no count of documents.
    mixed = [json.dumps(one) for one in made[:200]]
    for at in range(5, len(mixed), 13):
        mixed.insert(at, '{"id": "1", "text": "cut off')
    (folder / "z.jsonl").write_text("\n".join(mixed) + "\n", encoding="utf-8")
    write_csv(folder / "a.csv", made[200:400])
    write_jsonl(folder / "m.jsonl.gz", made[400:])
    for at, one in enumerate(made[::40]):
        (folder / "pages" / f"{at}.txt").write_text(one["text"], encoding="utf-8")
    inputs = [folder]
    c.all_checked([
        ("repeated ids, dedup", "dedup", inputs, ("-j", "7")), ("repeated ids, spilled", "dedup", inputs, ("-j", "2", "--memory", "1")),
        ("repeated ids, longest", "dedup", inputs, ("--keep", "longest", "-t", "0.5", "--memory", "1")),
        ("repeated ids, marked", "dedup", inputs, ("--mark", "--memory", "1"), {"checker": ["--mark"]}),
        ("repeated ids, listed", "cluster", inputs, ("-t", "0.5", "-j", "1")), ("repeated ids, listed spilled", "cluster", inputs, ("-t", "0.5", "--memory", "1")),
        ("repeated ids, components", "cluster", inputs, ("-t", "0.5", "--max-pairs", "9")),
    ])
    for one, other in (("dedup", "spilled"), ("listed", "listed spilled")):
        trees = [tree_of(c.out(f"repeated ids, {name}")) for name in (one, other)]
        c.check(f"repeated ids: {one}: the same bytes from memory and disk", trees[0] == trees[1])

    known = set()
    for path in (folder / "z.jsonl", folder / "a.csv", folder / "m.jsonl.gz"):
        known |= {(str(path), str(number)) for number in range(1, 250)}
    known |= {(str(path), "1") for path in (folder / "pages").iterdir()}
    table = lambda run, name: [dict(zip(head, row)) for head, *rows in [table_of(c.out(f"repeated ids, {run}") / f"{name}.tsv")] for row in rows]
    place = lambda row, role="": (row[f"{role}file"], row[f"{role}record"])
    ledger, clusters, pairs = table("dedup", "ledger"), table("dedup", "clusters"), table("listed", "pairs")
    c.check("repeated ids: rows of equal ids are there", any(row["removed_id"] == row["kept_id"] for row in ledger) and any(row["a_id"] == row["b_id"] for row in pairs))
    places = [place(row, "removed_") for row in ledger]
    c.check("repeated ids: the ledger names each removed document once", len(set(places)) == len(places) > 50 and set(places) <= known)
    places = [place(row) for row in clusters]
    c.check("repeated ids: a document is in one cluster", len(set(places)) == len(places) > 50)
    c.check("repeated ids: leaders are members of their own clusters", {place(row, "leader_") for row in clusters} <= set(places))
    both = [frozenset((place(row, "a_"), place(row, "b_"))) for row in pairs]
    c.check("repeated ids: a pair is of two documents and listed once", len(set(both)) == len(both) and all(len(pair) == 2 for pair in both))
    order = [(row["removed_id"].encode(), row["removed_file"].encode(), int(row["removed_record"])) for row in ledger]
    c.check("repeated ids: rows are ordered by id, file, record", order == sorted(order))

    # The tables alone suffice to cluster anew, and to be read as labels.
    again, truth = c.out("repeated again"), c.out("repeated truth")
    done = [c.run("recluster", c.out("repeated ids, listed"), "-t", "0.8", "-o", again, "--tables", "tsv", "-q", "--linkage", "leaders"),
            c.run("cluster", *inputs, "-t", "0.8", "-o", truth, "--tables", "tsv", "-q", "--linkage", "leaders")]
    if c.check("repeated ids: recluster runs", all(one.returncode == 0 for one in done), done[0].stderr + done[1].stderr):
        for name in ("documents.tsv", "pairs.tsv", "clusters.tsv"):
            c.check(f"repeated ids: recluster gives the same bytes in {name}", (again / name).read_bytes() == (truth / name).read_bytes())
    for name in ("pairs", "clusters"):
        out = c.out(f"repeated evaluate {name}")
        done = c.run("evaluate", *inputs, "-t", "0.8", "--methods", "exact", "--labels", truth / f"{name}.tsv", "-o", out, "-q")
        said = json.loads((out / "evaluation.json").read_text()) if done.returncode == 0 else {}
        recall = [one.get("recall") for one in said.get("methods", [])]
        # Members of a cluster need not resemble each other, only the one that is kept.
        good = recall and (recall[0] == 1 if name == "pairs" else recall[0] > 0.5)
        c.check(f"repeated ids: {name} are labels", good, f"{recall} {done.stderr}")

    run = c.out("repeated ids, dedup")
    done = c.run("explain", "1", "2", "--run", run)
    ok = done.returncode == 1 and "documents have the id `1`" in done.stderr and f"{folder / 'a.csv'}:" in done.stderr and "FILE:RECORD" in done.stderr
    c.check("explain lists the documents of an id", ok, done.stderr)
    row = next(row for row in ledger if row["removed_id"] == row["kept_id"] == "1")
    named = [":".join(place(row, role)) for role in ("removed_", "kept_")]
    done = c.run("explain", *named, "--run", run)
    wanted = f"1 ({named[0]}) as a duplicate of 1 ({named[1]})"
    c.check("explain takes FILE:RECORD where ids repeat", done.returncode == 0 and wanted in " ".join(done.stdout.split()), done.stdout + done.stderr)
    done = c.run("explain", named[0], named[0], "--run", run)
    c.check("explain: one document named twice", done.returncode == 2 and "name two" in done.stderr, done.stderr)
    file, record = place(row, "kept_")
    done = c.run("compare", f"{file}#1", folder / "pages" / "0.txt")
    c.check("compare lists the documents of an id", done.returncode == 1 and "documents have the id `1`" in done.stderr and "FILE#RECORD" in done.stderr, done.stderr)
    report = (run / "report.html").read_text(encoding="utf-8")
    shown = [f"1 ({':'.join(place(row, 'kept_'))})" for row in ledger if row["kept_id"] == "1"]
    c.check("the report tells documents of one id apart", any(name in report for name in shown), shown[:3])


def keep_fields(c: Checks) -> None:
    """--keep by a field that no record has is wrong usage; where some lack it, or hold something else, both are counted."""
    folder = c.work / "keep"
    folder.mkdir()
    plain = [{"id": one["id"], "text": one["text"], "when": "2024", "title": "words"} for one in records(81, 300)]
    bare = write_jsonl(folder / "bare.jsonl", plain)
    table = folder / "bare.tsv"
    with open(table, "w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out, delimiter="\t", lineterminator="\n")
        rows.writerows([["id", "text", "score", "date"], *([one["id"], one["text"].replace("\t", " "), "", ""] for one in plain)])
    empty = write_jsonl(folder / "empty.jsonl", [{**one, "date": None, "score": ""} for one in plain])
    odd = write_jsonl(folder / "odd.jsonl", [{**one, "date": "yesterday", "score": [1]} for one in plain])
    page = folder / "page.txt"
    page.write_text("a page of text", encoding="utf-8")
    dated = write_jsonl(folder / "dated.jsonl", [{**one, "date": "2024-01-01"} for one in plain])
    parquet = SAMPLES / "apache.parquet"

    def refused(name: str, rule: str, inputs: list, words_wanted: tuple, *options, verb: str = "dedup") -> None:
        out = folder / "never"
        done = c.run(verb, *inputs, "-o", out, "--keep", rule, "-q", *options)
        ok = done.returncode == 2 and all(word in done.stderr for word in (f"--keep {rule.split(',')[-1]}: none of", *words_wanted))
        gone = not out.exists() and not left_behind(folder) and not list(folder.glob("*.scratch"))
        c.check(f"keep {name}: {rule}: wrong usage, and nothing written", ok and gone, f"exit {done.returncode}: {done.stderr}")

    for rule, field in (("newest", "`date`"), ("oldest", "`date`"), ("max:score", "`score`"), ("longest,min:rank", "`rank`")):
        more = ("--date-field",) if field == "`date`" else ()
        for options in (("-j", "1"), ("-j", "7"), ("--memory", "1"), ("--scratch", folder), ("--resume", "-j", "2")):
            refused(f"lines {options}", rule, [bare], (f"of {len(plain)} documents", field, "id, text, when, title", *more), *options)
        refused("listed", rule, [bare], (field, "when"), verb="cluster")
        planned = c.run("plan", bare, "--keep", rule)
        c.check(f"keep planned: {rule}: wrong usage", planned.returncode == 2 and field in planned.stderr, f"exit {planned.returncode}: {planned.stderr}")
        refused("marked", rule, [bare], (field, "when"), "--mark")
        refused("with another collection", rule, [bare], (field, f"of {len(plain)} documents"), "--against", dated)
        refused("Parquet", rule, [parquet], (field, "text"))
        refused("text files", rule, [page], (field, "no fields"))
        refused("several inputs", rule, [bare, page, parquet], (field, "when"))
    for rule in ("newest", "max:score"):
        refused("empty cells", rule, [table], ("score, date",))
        refused("nulls", rule, [empty], ("date", "score"))
        refused("other values", rule, [odd], (f"({len(plain)} have a value",))
    refused("another date field", "oldest", [dated], ("`day`", "date"), "--date-field", "day")
    c.check("keep: a field of another name", c.run("dedup", bare, "-o", c.out("keep when"), "--keep", "newest", "--date-field", "when", "-q").returncode == 0)

    # Some values only. What is counted here is counted again from the records.
    kinds = ({"date": "2024-05-01", "score": 1}, {"date": "1 May 2024", "score": "2.5"}, {"date": "soon", "score": "many"},
             {"date": "", "score": None}, {}, {"date": None, "score": True}, {"date": "2024-13-45", "score": {"a": 1}})
    missing = {"newest": (3, 4, 5), "min:score": (3, 4)}
    unreadable = {"newest": (2, 6), "min:score": (2, 5, 6)}
    rng = random.Random(82)
    chosen = [rng.randrange(len(kinds)) for _ in range(4000)]
    mixed = [{"id": f"m{at}", "text": text, **kinds[kind]} for at, (kind, text) in enumerate(zip(chosen, texts(83, len(chosen))))]
    parts = [write_jsonl(folder / "mixed" / f"{at}.jsonl{end}", mixed[at::3]) for at, end in enumerate(("", ".gz", ""))]
    for rule in missing:
        expected = {"rule": rule, "field": rule.split(":")[-1] if ":" in rule else "date",
                    "missing": sum(kind in missing[rule] for kind in chosen), "unreadable": sum(kind in unreadable[rule] for kind in chosen)}
        words_wanted = [f"{expected['missing']:,} lack it", f"{expected['unreadable']:,} hold no", f"of {len(mixed):,} documents"]
        trees = []
        for name, options in {"1": ("-j", "1"), "7": ("-j", "7"), "memory": ("--memory", "1", "-j", "2"), "against": ("--against", bare)}.items():
            out = c.out(f"keep {rule} {name}")
            done = c.run("dedup", *parts, "-o", out, "--keep", rule, "--tables", "tsv", *options)
            if not c.check(f"keep {rule} {name}: runs", done.returncode == 0, done.stderr):
                continue
            summary = summary_of(out)
            c.check(f"keep {rule} {name}: counted", summary.get("keep_values") == [expected], f"{summary.get('keep_values')}, not {expected}")
            report = (out / "report.html").read_text(encoding="utf-8")
            places = {"stderr": [done.stderr], "summary": summary["warnings"], "report": [report]}
            for place, said in places.items():
                c.check(f"keep {rule} {name}: {place} warns", any(all(word in one for word in words_wanted) for one in said), said[:1])
            c.check(f"keep {rule} {name}: it warns once", "lack it" not in done.stdout)
            if name != "against":
                trees.append(tree_of(out))
        c.check(f"keep {rule}: the same bytes on any threads, in any memory", all(tree == trees[0] for tree in trees))
        quiet = c.run("dedup", *parts, "-o", c.out(f"keep {rule} quiet"), "--keep", rule, "-q")
        c.check(f"keep {rule}: --quiet is quiet", quiet.returncode == 0 and not quiet.stderr, quiet.stderr)
        done = c.run("cluster", *parts, "-o", c.out(f"keep {rule} listed"), "--keep", rule, "-q")
        again = c.run("recluster", c.out(f"keep {rule} listed"), "-t", "0.9", "-o", c.out(f"keep {rule} again"))
        c.check(f"keep {rule}: recluster warns as well", again.returncode == 0 and "lack it" in again.stderr, done.stderr + again.stderr)
        again = c.run("recluster", c.out(f"keep {rule} listed"), "-t", "0.9", "-o", c.out(f"keep {rule} first"), "--keep", "first")
        c.check(f"keep {rule}: and not of rules that it does not use", again.returncode == 0 and "lack it" not in again.stderr + again.stdout, again.stderr)
    c.checked("keep: checked", "dedup", parts, "--keep", "newest,min:score")

    # A run that was killed while it read, and goes on.
    many = write_jsonl(folder / "many.jsonl", [{**one, "id": f"{at}-{one['id']}"} for at in range(6) for one in mixed])
    lacking = write_jsonl(folder / "lacking.jsonl", [{"text": one["text"]} for _ in range(6) for one in mixed])
    truth = c.out("keep undisturbed")
    c.run("dedup", many, "-o", truth, "--keep", "newest", "--tables", "tsv", "-q")
    for name, docs in (("some", many), ("none", lacking)):
        out = folder / f"resumed-{name}"
        command = [str(part) for part in (c.binary, "dedup", docs, "-o", out, "--keep", "newest", "--tables", "tsv", "-q", "-j", "1", "--resume")]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        chunks, deadline = out.with_name(out.name + ".scratch") / "chunks", time.monotonic() + 60
        while process.poll() is None and not (chunks.exists() and chunks.stat().st_size > 0) and time.monotonic() < deadline:
            time.sleep(0.0005)
        c.check(f"keep, resumed: {name}: killed while it read", process.poll() is None)
        process.kill()
        process.wait()
        done = c.run(*command[1:])
        if name == "some":
            c.check("keep, resumed: the same bytes", done.returncode == 0 and tree_of(out) == tree_of(truth), done.stderr)
        else:
            ok = done.returncode == 2 and not out.exists() and not chunks.parent.exists() and not left_behind(folder)
            c.check("keep, resumed: refused, and nothing left", ok, f"exit {done.returncode}: {done.stderr}")


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
    # dsc and simhash leave out documents that `cluster` joins as copies; the others sign every one with a word.
    for spec, verify in (("minhash-lsh:t=0.6,w=5,short=whole", "exact"), ("minhash-lsh:t=0.6,w=5,short=whole", "sketch"), ("simhash:d=3", "sketch")):
        out = c.out(f"evaluate one {spec} {verify}")
        done = c.run("evaluate", docs, "-t", "0.6", "-q", "-o", out, "--methods", f"{spec}@{verify}")
        if not c.check(f"evaluate {spec}@{verify} runs", done.returncode == 0, done.stderr):
            continue
        result = json.loads((out / "evaluation.json").read_text())["methods"][0]
        found = listed(f"{spec} {verify}", "--method", spec, "--verify", verify)
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
    c.check("evaluate --help has examples", "Examples:" in c.run("evaluate", "--help").stdout)


def table_of(path: Path) -> list:
    with open(path, newline="", encoding="utf-8") as rows:
        return list(csv.reader(rows, delimiter="\t", quoting=csv.QUOTE_NONE))


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
                open_end = mine[:-1] == theirs[:-1] and mine[-1] == "" and frozenset((tuple(mine[1:3]), tuple(mine[5:7]))) not in pairs
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
        ("resemblance", ("-t", "0.49"), "use --threshold 0.5 or more"), ("resemblance", ("-t", "0.9", "--measure", "containment"), "--measure containment"),
        ("resemblance", ("-t", "0.7", "--measure", "cosine"), "c² is 0.5 or more"), ("cosine", ("-t", "0.9", "--measure", "containment"), "--measure containment"),
        ("resemblance", ("-t", "0.8", "--keep", "newest"), "run `lookalike cluster` with --keep newest"), ("resemblance", ("-t", "1.5"), "not a decimal"),
        ("resemblance", ("-t", "0.8", "--keep", "best"), "is not a rule"),
        ("dedup", ("-t", "0.9"), "run `lookalike cluster`"), ("short", ("-t", "0.9"), "--max-pairs"), ("keys", ("-t", "0.9"), "--verify exact"),
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
    damaged("two counts differ", "run", edit("pairs.tsv", lambda lines: [*lines[:-1], re.sub(r"\t(\d+)\t(\d+)$", lambda m: f"\t{int(m[1]) + 1}\t{m[2]}", lines[-1].rstrip("\n")) + "\n"]))
    damaged("another order of precedence", "not those that its summary tells of", edit("documents.tsv", lambda lines: [*lines[:-1], re.sub(r"^(\S+\t\S+\t\d+\t\d+\t)\d+", r"\g<1>1", lines[-1])]))
    damaged("the summary is of something else", "not written by this version", lambda run: (run / "summary.json").write_text("{}"))
    damaged("the pairs of another run", "run", lambda run: shutil.copy(folder / "cosine" / "pairs.tsv", run))
    into = c.run("recluster", folder / "resemblance", "-o", folder / "resemblance", "-t", "0.9", "--force")
    c.check("recluster does not replace what it reads", into.returncode == 1 and (folder / "resemblance" / "documents.tsv").is_file(), into.stderr)
    c.check("recluster --help has examples", "Examples:" in c.run("recluster", "--help").stdout)
    missing = c.run("recluster", folder / "nowhere", "-t", "0.9", "-o", folder / "never")
    c.check("recluster: a run that is not there is named", missing.returncode == 1 and "nowhere" in missing.stderr, missing.stderr)
    c.check("recluster needs a threshold", c.run("recluster", folder / "resemblance", "-o", folder / "never").returncode == 2)


def family(seed: int, n: int, most_edits: int = 9) -> list:
    """Versions of one text, edited in the same places: most match many others, and hundreds of each other's
    matches do not match one another. Some are equal. Ids are in another order than the versions."""
    rng = random.Random(seed)
    base = [f"word{at}" for at in range(150)]
    made = []
    for number in range(n):
        text = list(base)
        for _ in range(rng.randrange(most_edits)):
            at = rng.randrange(len(text))
            text[at] = rng.choice(("", f"other{at}", f"word{at} added", f"edit{rng.randrange(40)}"))
        cut = rng.choice((0, 0, 0, rng.randrange(12)))
        made.append({"id": f"v{(number * 7919) % 100_003:06}", "text": " ".join(text[cut:]), "score": rng.randint(0, 9)})
    return made


def witnesses(c: Checks) -> None:
    """Which kept match is named, by both rules, where a document has hundreds: recomputed from the documents; the
    same from `recluster`, on any number of threads, in any memory and order of files."""
    folder = c.work / "witnesses"
    folder.mkdir()
    made = family(71, 4000)
    docs, fewer = write_jsonl(folder / "docs.jsonl", made), write_jsonl(folder / "fewer.jsonl", made[:1600])
    old, new = write_jsonl(folder / "old.jsonl", made[:500]), write_jsonl(folder / "new.jsonl", made[500:1700])
    other = {"checker": ["--against", old]}
    runs = []
    for rule in ("first", "best"):
        rules = ("--witness", rule)
        runs += [
            (f"witness {rule}", "dedup", [docs], (*rules, "-t", "0.8")),
            (f"witness {rule} contained", "dedup", [fewer], (*rules, "--measure", "containment", "-t", "0.85")),
            (f"witness {rule} cosine", "dedup", [fewer], (*rules, "--measure", "cosine", "-t", "0.9", "--keep", "max:score,longest")),
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
    c.check("witness: the rules differ on this collection", different > 500, different)
    c.check("witness: first is the default", c.run("dedup", docs, "-o", c.out("witness default"), "--tables", "tsv", "-q").returncode == 0
            and kept_of("witness default") == both[0] and summary_of(c.out("witness default"))["settings"]["witness"] == "first")
    work = [summary_of(c.out(f"witness {rule}")) for rule in ("first", "best")]
    c.check("witness: best compares more", work[0]["candidates"] < work[1]["candidates"] and work[0]["verified"] < work[1]["verified"],
            [(one["candidates"], one["verified"]) for one in work])

    parts = [write_jsonl(folder / "parts" / f"{at}.jsonl", made[at * 800:at * 800 + 800]) for at in range(5)]
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
                done.returncode == 2 and "--linkage leaders" in done.stderr and not (folder / "never").exists(), f"exit {done.returncode}: {done.stderr}")
    cut = c.run("recluster", c.out("witness first not listed"), "-t", "0.9", "-o", folder / "never")
    c.check("witness: recluster refuses an incomplete list of pairs", cut.returncode == 1 and "list of pairs is incomplete" in cut.stderr and "witnesses" in cut.stderr, cut.stderr)
    c.check("witness: --help says what it is", all("--witness <RULE>" in c.run(one, "--help").stdout for one in ("dedup", "cluster", "recluster", "plan")))


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
    c.check("the ledger has the interval", done.returncode == 0 and head[-2:] == ["resemblance_low", "resemblance_high"] and all(row[-1] for row in rows), head)
    c.check("the report has the interval", "resemblance by sketches" in (out / "report.html").read_text(encoding="utf-8"))


def methods(c: Checks) -> None:
    """Every method under every verification: the same bytes on any number of threads, and what is verified is true."""
    folder = c.work / "methods"
    folder.mkdir()
    docs = collection(folder / "docs.jsonl", 41, 600)
    names = [about["name"] for about in json.loads(c.run("methods", "--format", "json").stdout)]
    c.check("methods: the papers' methods are there", len(names) >= 14, names)

    def pairs(out: Path) -> dict:
        with open(out / "pairs.tsv", newline="", encoding="utf-8") as rows:
            return {(row["a_id"], row["b_id"]): row for row in csv.DictReader(rows, delimiter="\t", quoting=csv.QUOTE_NONE)}

    exact = c.out("methods exact")
    c.checked("methods exact", "cluster", [docs])
    truth, all_documents = pairs(exact), summary_of(exact)["documents"]

    def one(name: str) -> None:
        for verify in ("exact", "sketch", "none"):
            trees = []
            for threads in (1, 2, 7):
                out = c.out(f"methods {name} {verify} {threads}")
                done = c.run("cluster", docs, "-o", out, "--tables", "tsv", "-q", "-j", threads, "--method", name, "--verify", verify)
                if not c.check(f"methods: {name} {verify} runs", done.returncode == 0, done.stderr):
                    return
                trees.append(tree_of(out))
            c.check(f"methods: {name} {verify}: the same bytes", trees[0] == trees[1] == trees[2])
            summary = summary_of(out)
            counted = summary["kept"] + sum(summary["removed"].values())
            c.check(f"methods: {name} {verify}: every document counted", summary["documents"] == counted == all_documents, summary)
            if verify == "exact":
                # The rows of the exact run have been recomputed from the texts by check_run.py.
                wrong = [row for pair, row in pairs(out).items() if truth.get(pair) != row]
                c.check(f"methods: {name}: what is verified exactly is true", not wrong, wrong[:3])
            c.check(f"methods: {name} {verify}: finds something", len(pairs(out)) > 20, len(pairs(out)))

    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(one, names))

    found = []
    for spec in ("simhash:d=5", "simhash:d=5,join=ones"):
        out = c.out(f"methods {spec}")
        done = c.run("cluster", docs, "-o", out, "--tables", "tsv", "-q", "--method", spec, "--verify", "sketch")
        c.check(f"methods: {spec} runs", done.returncode == 0, done.stderr)
        found.append((out / "pairs.tsv").read_bytes())
    c.check("methods: near words are the same, by tables or by ones", found[0] == found[1] and found[0].count(b"\n") > 20)


def containment(c: Checks) -> None:
    """policy=containment: the same pairs in any order of files, by any keep rule, by every verification."""
    folder = c.work / "containment"
    rng = random.Random(77)
    vocabulary = ["".join(rng.choice("abcdefghij") for _ in range(7)) for _ in range(4000)]
    made = {}
    for group in range(40):
        whole = words(rng, vocabulary, rng.randint(60, 200))
        made[f"whole{group}"] = whole
        for part in range(3):
            size = rng.randint(8, len(whole) - 1)
            start = rng.randrange(len(whole) - size + 1)
            # A passage, sometimes with something of its own behind it.
            made[f"part{group}.{part}"] = whole[start:start + size] + words(rng, vocabulary, rng.choice((0, 0, 4, 30)))
    sets = {name: {tuple(found[at:at + 4]) for at in range(len(found) - 3)} for name, found in made.items()}
    wanted = {
        frozenset((a, b)) for a in sets for b in sets
        if a < b and 10 * len(sets[a] & sets[b]) >= 7 * min(len(sets[a]), len(sets[b]))
    }
    c.check("containment: there are pairs that only containment joins", len(wanted) > 60, len(wanted))
    names = {"small first": sorted(made, key=lambda name: len(made[name]))}
    names["large first"] = names["small first"][::-1]
    inputs = {}
    for order, listed in names.items():
        at = folder / order.replace(" ", "-")
        for number, name in enumerate(listed):
            write_jsonl(at / f"{number // 32:02}.jsonl", []) if number % 32 == 0 else None
            with open(at / f"{number // 32:02}.jsonl", "a", encoding="utf-8") as out:
                out.write(json.dumps({"id": name, "text": " ".join(made[name])}) + "\n")
        inputs[order] = at

    def one(case: tuple) -> None:
        method, verify, order, keep = case
        label = f"containment {method} {verify} {order} {keep}"
        out = c.out(label)
        # --measure containment puts larger sets first; sketches must not depend on that order.
        measure = ("--measure", "containment", "-t", "0.7", "--shingle", "4") if verify == "exact" else ()
        done = c.run("cluster", inputs[order], "-o", out, "--tables", "tsv", "-q", *measure, "--keep", keep, "--method",
                     f"{method}:w=4,t=0.7,policy=containment" + (",m=1" if method == "dsc" else ""), "--verify", verify)
        if not c.check(f"{label}: runs", done.returncode == 0, done.stderr):
            return
        found = {frozenset((row[0], row[3])) for row in table_of(out / "pairs.tsv")[1:]}
        if verify == "none":
            c.check(f"{label}: every such pair shares a key", wanted <= found, sorted(map(sorted, wanted - found))[:3])
        elif method == "dsc" or verify == "exact":
            # With m=1 the sketch is the whole set.
            c.check(f"{label}: the pairs are those of the definition", found == wanted, sorted(map(sorted, found ^ wanted))[:3])
        with lock:
            seen.setdefault((method, verify), set()).add(frozenset(found))

    lock, seen = threading.Lock(), {}
    cases = [(method, verify, order, keep) for method in ("dsc", "dsc-variable") for verify in ("exact", "sketch", "none")
             for order in inputs for keep in ("first", "longest", "shortest")]
    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(one, cases))
    for case, found in seen.items():
        c.check(f"containment {case}: the same pairs in any order, by any keep rule", len(found) == 1, [len(pairs) for pairs in found])


def simhash_idf(c: Checks) -> None:
    """simhash weighs by the idf of the inputs and of --against, unless a lexicon is given: recomputed here."""
    folder = c.work / "simhash"
    rng = random.Random(78)
    common = ["".join(rng.choice("abcdefghij") for _ in range(5)) for _ in range(60)]
    rare = ["".join(rng.choice("klmnopqrst") for _ in range(9)) for _ in range(3000)]
    made: list = []
    for _ in range(300):
        if made and rng.random() < 0.6:
            text = list(rng.choice(made))
            for _ in range(rng.choice((1, 3, 8))):
                text[rng.randrange(len(text))] = rng.choice(rng.choice((common, rare)))
        else:
            text = words(rng, common, rng.randint(20, 60)) + words(rng, rare, rng.randint(5, 20))
        made.append(text)
    documents = [{"id": f"d{number:03}", "text": " ".join(text)} for number, text in enumerate(made)]
    parts = [write_jsonl(folder / f"{at}.jsonl", documents[at * 100:at * 100 + 100]) for at in range(3)]
    frequencies = Counter(token for text in made for token in set(text))
    signed = [method_oracle.simhash(text, frequencies, len(made)) for text in made]
    by_tf = [method_oracle.simhash(text, {}, len(made)) for text in made]
    numbers = {one["id"]: number for number, one in enumerate(documents)}

    def wrong(out: Path, words_of: list, distance: int, every: bool = True) -> list:
        found = {tuple(sorted((numbers[row["a_id"]], numbers[row["b_id"]]))): int(row["distance"] or 0) for row in dict_table(out / "pairs.tsv")}
        complaints = []
        for b in range(len(made)):
            for a in range(b):
                if not every and (a, b) not in found:
                    continue
                (x, loose_x), (y, loose_y) = words_of[a], words_of[b]
                most = ((x ^ y) | loose_x | loose_y).bit_count()
                least = ((x ^ y) & ~(loose_x | loose_y)).bit_count()
                said = found.get((a, b))
                if not (least <= said <= most if said is not None else most > distance):
                    complaints.append((a, b, said, least, most))
        return complaints

    trees = []
    for name, inputs, options in (
        ("one thread", parts, ("-j", "1")), ("threads", parts, ("-j", "7")), ("memory", parts, ("--memory", "1", "-j", "3")),
        ("kept", parts, ("--scratch", folder)),
    ):
        out = c.out(f"simhash {name}")
        done = c.run("cluster", *inputs, "-o", out, "--tables", "tsv", "-q", "--method", "simhash:d=6", "--verify", "sketch", *options)
        if c.check(f"simhash idf: {name} runs", done.returncode == 0, done.stderr):
            trees.append(tree_of(out))
            c.check(f"simhash idf: {name}: distances by the idf of the inputs", not (bad := wrong(out, signed, 6)), bad[:5])
    c.check("simhash idf: the same bytes", len(trees) == 4 and all(tree == trees[0] for tree in trees))
    c.check("simhash idf: idf = 1 would have been noticed", len(wrong(c.out("simhash threads"), by_tf, 6)) > 20)
    said = summary_of(c.out("simhash threads"))["settings"]
    lexicon = folder / "own.lexicon"
    c.run("lexicon", "build", *parts, "-o", lexicon)
    checksum = json.loads(c.run("lexicon", "show", lexicon, "--format", "json").stdout)["checksum"]
    c.check("simhash idf: the summary names what was counted", said.get("lexicon_checksum") == checksum and said.get("lexicon_documents") == 300, said)
    out = c.out("simhash given")
    c.run("cluster", *parts, "-o", out, "--tables", "tsv", "-q", "--method", "simhash:d=6", "--verify", "sketch", "--lexicon", lexicon)
    same = c.check("simhash idf: as with a lexicon of the inputs", out.exists() and (out / "pairs.tsv").read_bytes() == (c.out("simhash threads") / "pairs.tsv").read_bytes())
    c.check("simhash idf: a given lexicon's size is told, too", same and summary_of(out)["settings"].get("lexicon_documents") == 300)
    out = c.out("simhash tf")
    c.run("cluster", *parts, "-o", out, "--tables", "tsv", "-q", "--method", "simhash:d=6,weights=tf", "--verify", "sketch")
    c.check("simhash idf: weights=tf counts nothing", not (bad := wrong(out, by_tf, 6)) and "lexicon_checksum" not in summary_of(out)["settings"], bad[:5])
    # The inputs and --against are counted together.
    out = c.out("simhash against")
    done = c.run("dedup", *parts[:2], "--against", parts[2], "-o", out, "--tables", "tsv", "-q", "--method", "simhash:d=6", "--verify", "sketch")
    if c.check("simhash idf: --against runs", done.returncode == 0, done.stderr):
        # `dedup` lists the pairs that decided.
        bad = wrong(out, signed, 6, every=False)
        c.check("simhash idf: --against counts, too", not bad and summary_of(out)["settings"].get("lexicon_checksum") == checksum, bad[:5])
        c.check("simhash idf: --against removes something", len(table_of(out / "pairs.tsv")) > 10, len(table_of(out / "pairs.tsv")))
    # Standard input is read once, to a temporary file, and from there twice.
    text = "".join(path.read_text(encoding="utf-8") for path in parts)
    out = c.out("simhash stream")
    done = c.run("cluster", "-", "-o", out, "--tables", "tsv", "-q", "--method", "simhash:d=6", "--verify", "sketch", stdin=text)
    # All but where the documents come from.
    by_id = [[(row["a_id"], row["b_id"], row["distance"]) for row in dict_table(run / "pairs.tsv")] for run in (out, c.out("simhash threads"))] if done.returncode == 0 else []
    c.check("simhash idf: from standard input", by_id and by_id[0] == by_id[1] != [], done.stderr)
    done = c.run("plan", *parts, "--method", "simhash")
    c.check("simhash idf: a plan asks for a lexicon", done.returncode != 0 and "--lexicon" in done.stderr, done.stderr)


def boilerplate(rng: random.Random, n: int) -> list:
    """Records of few words of their own between headers and footers that many share; copies, and some without a word of their own."""
    vocabulary = ["".join(rng.choice("abcdefghij") for _ in range(6)) for _ in range(3000)]
    frames = [(words(rng, vocabulary, rng.randint(12, 40)), words(rng, vocabulary, rng.randint(6, 25))) for _ in range(4)]
    bodies: list = []
    found = []
    for number in range(n):
        kind = rng.random()
        if bodies and kind < 0.35:
            body = list(rng.choice(bodies))
            for _ in range(rng.choice((0, 0, 1, 3))):
                body[rng.randrange(len(body))] = rng.choice(vocabulary)
        elif kind < 0.42:
            body = []
        else:
            body = words(rng, vocabulary, rng.randint(1, 40))
        if body:
            bodies.append(body)
        head, foot = rng.choice(frames)
        text = " ".join((head if rng.random() < 0.8 else []) + body + (foot if rng.random() < 0.8 else []))
        if rng.random() < 0.1:
            text = text.upper()
        found.append({"id": f"b{(number * 7919) % 100_003:06}", "text": text})
    return found


def common(c: Checks) -> None:
    """--ignore-common, recomputed by check_run.py; for methods, recomputed here; the same bytes in any order, memory and after a stop."""
    folder = c.work / "common"
    made = boilerplate(random.Random(79), 500)
    docs, parts = write_jsonl(folder / "docs.jsonl", made), [write_jsonl(folder / "parts" / f"{at}.jsonl", made[at * 125:at * 125 + 125]) for at in range(4)]
    other = write_jsonl(folder / "other.jsonl", boilerplate(random.Random(79), 700)[500:])
    runs = []
    for n in ("1", "2", "5", "20", "100", "1000"):
        for verb, t, *options in (("dedup", "0.8"), ("cluster", "0.5"), ("dedup", "0.6", "--linkage", "components"), ("dedup", "0.9", "--measure", "containment"),
                                  ("cluster", "0.7", "--measure", "cosine"), ("dedup", "0.7", "--short-documents", "ignore", "--shingle", "3")):
            runs.append((f"common {n} {verb} {t} {' '.join(options)}".strip(), verb, [docs], ("--ignore-common", n, "-t", t, *options)))
    for options in ((), ("--against-only",)):
        runs.append((f"common against {' '.join(options)}", "dedup", parts, ("--ignore-common", "20", "--against", other, *options), {"checker": ("--against", other)}))
    c.all_checked(runs)
    summary = summary_of(c.out("common 20 dedup 0.8"))
    c.check("common: there is something to remove", summary["common_features"] > 40 and summary["without_features"]["only_common"] > 10, summary)
    c.check("common: the summary states the limit", summary["settings"]["ignore_common"] == 20)
    c.check("common: a limit that nothing passes removes nothing", "common_features" not in summary_of(c.out("common 1000 dedup 0.8")))

    for verb, *options in (("dedup", "-t", "0.7"), ("cluster", "--method", "dsc:m=2,w=4,t=0.5", "--verify", "sketch"), ("cluster", "--method", "minhash-lsh:w=3"), ("dedup", "--measure", "containment")):
        name, trees = f"common {verb} {' '.join(options)}", []
        for inputs, more in (([*parts], ("-j", "1")), ([*parts], ("-j", "7")), ([*parts][::-1], ("-j", "2")), ([*parts], ("--memory", "1")), ([*parts], ("--memory", "300kB", "--scratch", folder))):
            out = c.out(f"{name} {len(trees)}")
            done = c.run(verb, *inputs, "-o", out, "--tables", "tsv", "-q", "--ignore-common", "20", *options, *more)
            if not c.check(f"{name}: runs", done.returncode == 0, done.stderr):
                return
            trees.append({path: content for path, content in tree_of(out).items() if path != "summary.json"} if inputs[0] != parts[0] else tree_of(out))
        same = [tree for at, tree in enumerate(trees) if at != 2]
        c.check(f"{name}: the same bytes", all(tree == same[0] for tree in same))
        c.check(f"{name}: the same tables in any order of files", all(same[0].get(path) == content for path, content in trees[2].items()))

    # dsc with m=1 samples everything: its estimates are the measure itself, on what is left of its own shingles.
    for n, t in (("5", "0.5"), ("20", "0.7")):
        out = c.out(f"common dsc {n}")
        done = c.run("cluster", docs, "-o", out, "--tables", "tsv", "-q", "--ignore-common", n, "--method", f"dsc:m=1,w=4,t={t}", "--verify", "sketch")
        if not c.check(f"common dsc {n}: runs", done.returncode == 0, done.stderr):
            continue
        tokens = [[word for word, _ in check_run.words(one["text"], "nfc")] for one in made]
        sets = [frozenset(tuple(found[at:at + 4]) for at in range(len(found) - 3)) for found in tokens]
        holders = Counter(shingle for one in set(sets) for shingle in one)
        left = [frozenset(shingle for shingle in one if holders[shingle] <= int(n)) for one in sets]
        wanted = set()
        for b in range(len(made)):
            for a in range(b):
                union = len(left[a] | left[b])
                copies = tokens[a] and tokens[a] == tokens[b] and (left[a] or not sets[a])
                if union and len(left[a] & left[b]) >= float(t) * union or copies:
                    wanted.add(frozenset((made[a]["id"], made[b]["id"])))
        found = {frozenset((row[0], row[3])) for row in table_of(out / "pairs.tsv")[1:]}
        c.check(f"common dsc {n}: the pairs are those of the definition", found == wanted, sorted(map(sorted, found ^ wanted))[:4])
        said = summary_of(out)
        removed = sum(sets > int(n) for sets in holders.values())
        emptied = sum(1 for whole, rest in zip(sets, left) if whole and not rest)
        c.check(f"common dsc {n}: counted", said.get("common_method_shingles") == removed and said["without_features"].get("only_common") == emptied, (removed, emptied, said["without_features"]))

    low, again, fresh = (c.out(f"common recluster {name}") for name in ("low", "again", "fresh"))
    c.run("cluster", docs, "-o", low, "-t", "0.3", "--tables", "jsonl", "-q", "--ignore-common", "20")
    done = c.run("recluster", low, "-o", again, "-t", "0.6", "--tables", "tsv", "-q")
    c.run("cluster", docs, "-o", fresh, "-t", "0.6", "--tables", "tsv", "-q", "--ignore-common", "20")
    same = done.returncode == 0 and all((again / table).read_bytes() == (fresh / table).read_bytes() for table in ("pairs.tsv", "documents.tsv"))
    c.check("common: recluster", same, done.stderr)
    row = table_of(c.out("common 20 dedup 0.8") / "ledger.tsv")
    header, found = row[0], [dict(zip(row[0], one)) for one in row[1:]]
    near = next(one for one in found if one["rule"] == "near")
    done = c.run("explain", near["removed_id"], near["kept_id"], "--run", c.out("common 20 dedup 0.8"), "--format", "json")
    said = json.loads(done.stdout) if done.returncode == 0 else {}
    c.check("common: explain counts what the run counted", str(said.get("measures", {}).get("shared")) == near["shared"], (done.stderr, said, near))
    out = c.out("common evaluate")
    done = c.run("evaluate", docs, "-o", out, "-q", "-t", "0.8", "--ignore-common", "20", "--methods", "exact", "minhash-lsh@exact", "dsc:w=5,m=1,t=0.8@sketch")
    said = {one["method"]: one for one in json.loads((out / "evaluation.json").read_text())["methods"]} if done.returncode == 0 else {}
    truth = len(table_of(c.out("common 20 dedup 0.8") / "pairs.tsv"))
    exact, all_shingles = said.get("exact", {}), next((one for name, one in said.items() if name.startswith("dsc")), {})
    c.check("common: evaluate", exact.get("recall") == exact.get("precision") == 1 and all_shingles.get("precision") == 1 and truth > 20, (done.stderr, said))
    done = c.run("plan", docs, "--ignore-common", "20", "--format", "json")
    c.check("common: plan", done.returncode == 0 and json.loads(done.stdout)["settings"]["ignore_common"] == 20, done.stderr)
    done = c.run("cluster", docs, "-o", c.out("common refused"), "-q", "--ignore-common", "20", "--method", "imatch", "--verify", "none")
    c.check("common: methods without shingles say so", done.returncode != 0 and "--ignore-common" in done.stderr and "shingles" in done.stderr, done.stderr)
    done = c.run("cluster", docs, "-o", c.out("common nought"), "-q", "--ignore-common", "0")
    c.check("common: 0 is wrong usage", done.returncode == 2, done.stderr)

    # A stopped run takes the list from where it was kept, or counts again where the file is damaged.
    truth, out = tree_of(c.out("common dedup -t 0.7 3")), c.out("common stopped")
    arguments = (*parts, "-o", out, "--tables", "tsv", "-q", "--ignore-common", "20", "-t", "0.7", "--scratch", folder, "--memory", "1")
    state = folder / f"{out.name}.scratch"
    for damage in (None, "common-shingles-5", "chunks"):
        shutil.rmtree(out, ignore_errors=True)
        process = subprocess.Popen([str(part) for part in (c.binary, "dedup", *arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline and not (state / "common-shingles-5").exists():
            time.sleep(0.0005)
        process.kill()
        process.wait()
        if damage and (state / damage).exists():
            content = bytearray((state / damage).read_bytes())
            content[len(content) // 2:len(content) // 2 + 1] = bytes(byte ^ 8 for byte in content[len(content) // 2:len(content) // 2 + 1])
            (state / damage).write_bytes(content)
        done = c.run("dedup", *arguments, "--resume", "--force")
        c.check(f"common: resumed, {damage or 'nothing'} damaged", done.returncode == 0 and tree_of(out) == truth, done.stderr)


def dict_table(path: Path) -> list:
    header, *rows = table_of(path)
    return [dict(zip(header, row)) for row in rows]


def memory(c: Checks) -> None:
    """Any bound on memory: the same bytes, whatever goes to a temporary file; and a disk that does not take it."""
    folder = c.work / "memory"
    folder.mkdir()
    docs = collection(folder / "docs.jsonl", 51, 1500)
    for verb, *options in (
        ("dedup",), ("cluster",), ("dedup", "--measure", "containment"), ("cluster", "--measure", "cosine", "-t", "0.7"),
        ("dedup", "-t", "0.3", "--linkage", "components"), ("cluster", "--method", "minhash-lsh"),
    ):
        name, trees = f"memory {verb} {' '.join(options)}", {}
        for bound, threads in ((None, 2), ("1", 1), ("1", 7), ("300kB", 2)):
            out = c.out(f"{name} {bound} {threads}")
            limits = ["--memory", bound] if bound else []
            done = c.run(verb, docs, "-o", out, "--tables", "tsv", "-q", "-j", threads, *limits, *options)
            if not c.check(f"{name}: runs in {bound}", done.returncode == 0, done.stderr):
                return
            trees[bound, threads] = tree_of(out)
            stored = summary_of(out)["run"].get("scratch_bytes", 0)
            c.check(f"{name}: {bound}: sets go where there is room", (stored > 0) == (bound is not None), stored)
        first = trees[None, 2]
        c.check(f"{name}: the same bytes", all(tree == first for tree in trees.values()))
    out = c.out("memory no disk")
    done = c.run("dedup", docs, "-o", out, "-q", "--memory", "1", "--scratch", docs / "below")
    c.check("memory: the scratch directory is named", done.returncode == 1 and "below" in done.stderr and "--scratch" in done.stderr, done.stderr)
    c.check("memory: nothing half-made", not out.exists())


def lexicons(c: Checks) -> None:
    """A lexicon: the same bytes in any way it is made; recorded by what uses it, and no other is taken for it."""
    folder = c.work / "lexicons"
    folder.mkdir()
    docs, other = collection(folder / "docs.jsonl", 42, 400), collection(folder / "other.jsonl", 43, 400)

    def built(name: str, *arguments) -> Path:
        path = folder / name
        done = c.run("lexicon", *arguments, "-o", path)
        c.check(f"lexicon: {name}", done.returncode == 0, done.stderr)
        return path

    def checksum(path: Path) -> str:
        return json.loads(c.run("lexicon", "show", path, "--format", "json").stdout)["checksum"]

    whole = built("whole", "build", docs, other, "-j", "1")
    parts = built("first", "build", docs), built("second", "build", other)
    made = [built("threads", "build", other, docs, "-j", "7"), built("memory", "build", docs, other, "--memory", "64KB"), built("merged", "merge", *parts)]
    for path in made:
        c.check(f"lexicon: {path.name} has the same bytes", path.read_bytes() == whole.read_bytes())

    frequencies: dict = {}
    for record in [json.loads(line) for path in (docs, other) for line in path.read_text(encoding="utf-8").splitlines()]:
        for term in {token for token, _ in check_run.words(record["text"], "nfc")}:
            frequencies[term] = frequencies.get(term, 0) + 1
    said = json.loads(c.run("lexicon", "show", whole, "--format", "json", "--count", "1000000").stdout)
    shown = {term["term"]: term["documents"] for term in said["shown"]}
    c.check("lexicon: document frequencies counted once more", shown == frequencies, f"{len(shown)} terms, {len(frequencies)} expected")

    method = ("--method", "imatch", "--verify", "none", "-q")
    out = c.out("lexicon used")
    done = c.run("cluster", docs, "-o", out, *method, "--lexicon", whole, "--lexicon-checksum", checksum(whole).upper())
    c.check("lexicon: the one asked for is taken", done.returncode == 0, done.stderr)
    c.check("lexicon: the summary has its checksum", summary_of(out)["settings"].get("lexicon_checksum") == checksum(whole))
    done = c.run("cluster", docs, "-o", c.out("lexicon refused"), *method, "--lexicon", parts[0], "--lexicon-checksum", checksum(whole))
    ok = done.returncode == 3 and checksum(whole) in done.stderr and checksum(parts[0]) in done.stderr
    c.check("lexicon: another one is refused", ok and not c.out("lexicon refused").exists(), done.stderr)
    done = c.run("plan", docs, *method, "--lexicon", parts[0], "--lexicon-checksum", checksum(whole))
    c.check("lexicon: a plan refuses another one, too", done.returncode == 3 and checksum(whole) in done.stderr and checksum(parts[0]) in done.stderr, done.stderr)
    out = c.out("lexicon counted")
    c.run("cluster", docs, "-o", out, *method)
    c.check("lexicon: that of the inputs is named, too", summary_of(out)["settings"].get("lexicon_checksum") == checksum(parts[0]))
    damaged = bytearray(whole.read_bytes())
    damaged[len(damaged) // 2] ^= 4
    (folder / "damaged").write_bytes(damaged)
    done = c.run("lexicon", "show", folder / "damaged")
    c.check("lexicon: damage is noticed", done.returncode == 1 and "damaged" in done.stderr, done.stderr)

    (folder / "bad.jsonl").write_text(docs.read_text(encoding="utf-8") + "no json\n", encoding="utf-8")
    done = c.run("lexicon", "build", folder / "bad.jsonl", "-o", folder / "bad")
    c.check("lexicon: a bad record is left out", done.returncode == 0 and "bad.jsonl" in done.stderr and (folder / "bad").read_bytes() == parts[0].read_bytes(), done.stderr)
    done = c.run("lexicon", "build", folder / "bad.jsonl", "-o", folder / "strict", "--strict")
    c.check("lexicon: --strict stops", done.returncode == 3 and not (folder / "strict").exists(), done.stderr)


def interruption(c: Checks) -> None:
    """SIGINT and SIGTERM leave nothing half-made, say what is kept, and have exit codes of their own."""
    folder = c.work / "interrupted"
    folder.mkdir()
    big = folder / "big.jsonl"
    rng = random.Random(7)
    with open(big, "w", encoding="utf-8") as out:
        for number in range(40_000):
            out.write(json.dumps({"id": number, "text": " ".join(str(rng.getrandbits(24)) for _ in range(180))}) + "\n")
    scratch = folder / "out.scratch"
    for name, threads, keeps in itertools.product((signal.SIGINT, signal.SIGTERM), (1, 2, 8), (False, True)):
        label = f"{name.name} on {threads} threads{', keeping' if keeps else ''}"
        command = [str(c.binary), "dedup", str(big), "-o", str(folder / "out"), "-q", "-j", str(threads), *(["--resume"] if keeps else [])]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 30
        while not left_behind(folder) and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        process.send_signal(name)
        try:
            said = process.communicate(timeout=60)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            said = "did not stop within a minute"
        code = 130 if name == signal.SIGINT else 143
        c.check(f"{label}: exit code {code}", process.returncode == code, f"exit {process.returncode}: {said}")
        told = "interrupted" in said and (not keeps or (str(scratch) in said and "--resume" in said and "delete" in said))
        c.check(f"{label}: says what is kept", told, said)
        c.check(f"{label}: no half-made result", not (folder / "out").exists() and not left_behind(folder), os.listdir(folder))
        c.check(f"{label}: keeps what it says", scratch.exists() == keeps, os.listdir(folder))
        if keeps:
            again = c.run("dedup", big, "-o", folder / "out", "-q")
            said = again.returncode == 1 and str(scratch) in again.stderr and "--resume" in again.stderr and "delete" in again.stderr
            c.check(f"{label}: the next run says the same", said, again.stderr)
            shutil.rmtree(scratch, ignore_errors=True)


def standard_error(c: Checks) -> None:
    """A standard error that is closed or full does not fail a run, and hides no failure."""
    docs = collection(c.work / "stderr.jsonl", 33, 40)
    with open(docs, "a", encoding="utf-8") as out:
        out.write("{this is no record\n")
    for name, redirect in (("closed", "2>&-"), ("full", "2>/dev/full")):
        if name == "full" and not os.path.exists("/dev/full"):
            continue
        for what, expected, arguments in (
            ("result", 0, ["dedup", docs, "-o", c.out(f"stderr {name}"), "-v"]),
            ("wrong usage", 2, ["dedup", docs, "-o", c.out(f"stderr usage {name}"), "--keep", "best"]),
            ("failure", 1, ["dedup", c.work / "no-such-file.jsonl", "-o", c.out(f"stderr failed {name}")]),
            ("guard", 3, ["dedup", docs, "-o", c.out(f"stderr guard {name}"), "--strict"]),
        ):
            command = " ".join(shlex.quote(str(part)) for part in (c.binary, *arguments))
            done = subprocess.run(["sh", "-c", f"{command} {redirect}"], capture_output=True, text=True)
            c.check(f"{name} standard error: {what}", done.returncode == expected, f"exit {done.returncode}: {done.stdout}")
        c.check(f"{name} standard error: the result is whole", summary_of(c.out(f"stderr {name}")).get("documents") == 40)


def scratch_directories(c: Checks) -> None:
    """A scratch directory that was being made when the run was killed, or that cannot be made."""
    docs = collection(c.work / "scratched.jsonl", 34, 60)
    folder = c.work / "scratches"
    half_made = ((), ("lock",), ("lock", "job.partial"), ("lock", "job.json"))
    for number, files in enumerate(half_made):
        for resume in ((), ("--resume",)):
            place = folder / f"{number}{'r' if resume else ''}" / "with" / "parents"
            left = place / "out.scratch"
            left.mkdir(parents=True)
            for name in files:
                (left / name).write_text("" if name == "lock" else '{"settings": ')
            out = c.out(f"scratched {number} {resume}")
            done = c.run("dedup", docs, "-o", out.with_name("out"), "-q", "--scratch", place, *resume)
            c.check(f"half-made scratch {files} {resume}: is reused", done.returncode == 0 and not left.exists(), done.stderr)
            shutil.rmtree(out.with_name("out"), ignore_errors=True)
    done = c.run("dedup", docs, "-o", c.out("scratch parents"), "-q", "--scratch", folder / "made" / "by" / "the" / "run")
    c.check("--scratch makes its parents", done.returncode == 0, done.stderr)
    done = c.run("dedup", docs, "-o", c.out("scratch file"), "-q", "--scratch", docs / "below")
    said = done.returncode == 1 and "scratched.jsonl" in done.stderr and "--scratch DIR" in done.stderr
    c.check("a scratch directory that cannot be made is named", said, done.stderr)
    mine = folder / "mine" / "out.scratch"
    mine.mkdir(parents=True)
    (mine / "thesis.txt").write_text("years of work")
    done = c.run("dedup", docs, "-o", folder / "out", "-q", "--scratch", folder / "mine")
    c.check("a directory of somebody else is spared", done.returncode == 1 and (mine / "thesis.txt").exists(), done.stderr)


def wrong_values(c: Checks) -> None:
    """Every wrong value of an option of any command is exit code 2; files and guards are not."""
    folder = c.work / "wrong-values"
    folder.mkdir()
    docs = collection(folder / "docs.jsonl", 91, 60)
    lexicon, run = folder / "docs.lexicon", folder / "run"
    for made in (("lexicon", "build", docs, "-o", lexicon, "-q"), ("cluster", docs, "-o", run, "-t", "0.5", "-q")):
        done = c.run(*made)
        c.check(f"wrong values: {made[0]} runs", done.returncode == 0, done.stderr)
    by_lexicon = ("--method", "imatch", "--lexicon", lexicon, "--lexicon-checksum")
    out = ("-o", folder / "never")
    for code, hint, arguments in (
        (2, "32 hexadecimal", ("dedup", docs, *out, *by_lexicon, "12")), (3, "checksum", ("dedup", docs, *out, *by_lexicon, "0" * 32)),
        (2, "--method", ("dedup", docs, *out, "--key-limit", "3")), (2, "above 0", ("compare", docs, docs, "-t", "80")),
        (2, "LOW..HIGH", ("lexicon", "window", lexicon, "--nidf", "3")), (2, "0 to 1", ("lexicon", "window", lexicon, "--nidf", "2..x")),
        (2, "nosuch", ("lexicon", "build", docs, *out, "--terms", "nosuch")), (2, "nosuch", ("methods", "nosuch")),
        (2, "no parameter", ("methods", "minhash-lsh:zz=1")), (2, "recall", ("plan", docs, "--recall", "2")),
        (2, "--lexicon", ("plan", docs, "--method", "imatch")), (2, "nosuch", ("evaluate", docs, *out, "--methods", "nosuch")),
        (2, "above 0", ("evaluate", docs, *out, "--list-from", "3")), (2, "--list-from", ("evaluate", docs, *out, "--list-from", "0.9")),
        (2, "0.5 or more", ("recluster", run, *out, "-t", "0.3")), (2, "--keep newest", ("recluster", run, *out, "-t", "0.8", "--keep", "newest")),
        (1, "nowhere", ("recluster", folder / "nowhere", *out, "-t", "0.8")), (1, "--force", ("dedup", docs, "-o", run)),
        (1, "nowhere", ("dedup", folder / "nowhere.jsonl", *out)),
    ):
        done = c.run(*arguments)
        label = " ".join(str(part) for part in arguments if part not in (docs, *out))
        c.check(f"wrong values: {label}: exit code {code}", done.returncode == code and hint in done.stderr, f"exit {done.returncode}: {done.stderr}")
    c.check("wrong values: nothing is left", not (folder / "never").exists() and not left_behind(folder), os.listdir(folder))
    for number, arguments in enumerate((("dedup", "-"), ("plan", docs), ("evaluate", docs, "--methods", "imatch"))):
        scratch = folder / f"made-{number}" / "by" / "the run"
        result = () if arguments[0] == "plan" else ("-o", folder / f"out-{number}")
        done = c.run(*arguments, *result, "--scratch", scratch, stdin=docs.read_text(encoding="utf-8"))
        c.check(f"--scratch of {arguments[0]} makes its parents", done.returncode == 0 and scratch.is_dir(), done.stderr)


def replacing(c: Checks) -> None:
    """Killed while an earlier result is replaced: the old or the new one has the name, whole."""
    folder = c.work / "replacing"
    folder.mkdir()
    docs = collection(folder / "docs.jsonl", 92, 1500)
    out = folder / "out"
    trees = []
    for threshold in ("0.8", "0.4"):
        done = c.run("dedup", docs, "-o", out, "-q", "--force", "--tables", "tsv", "-t", threshold)
        c.check(f"replacing: {threshold} runs", done.returncode == 0, done.stderr)
        trees.append(tree_of(out))
    c.check("replacing: the two results differ", trees[0] != trees[1])
    for kill in range(24):
        threshold = ("0.8", "0.4")[kill % 2]
        command = [str(part) for part in (c.binary, "dedup", docs, "-o", out, "-q", "--force", "--tables", "tsv", "-t", threshold)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # The summary is written last: from here on, files are synced, renamed and deleted.
        while process.poll() is None and not any(folder.glob("out.partial-*/summary.json")):
            time.sleep(0.0005)
        time.sleep(kill * 0.001)
        process.kill()
        process.wait()
        # The next run restores what was aside, and is refused without --force.
        again = c.run("dedup", docs, "-o", out, "-q")
        c.check(f"replacing: kill {kill}: a result has the name", again.returncode == 1 and "--force" in again.stderr, again.stderr)
        found = [at for at, tree in enumerate(trees) if tree_of(out) == tree]
        c.check(f"replacing: kill {kill}: it is one of the two, whole", len(found) == 1, sorted(tree_of(out)))
        for left in folder.glob("out.*"):
            shutil.rmtree(left)


def resuming(c: Checks) -> None:
    """Killed anywhere, in any way, and gone on with: the same bytes, and nothing left."""
    folder = c.work / "resuming"
    folder.mkdir()
    packed = collection(folder / "packed.jsonl.gz", 72, 3_000)
    docs, rng = folder / "docs.jsonl", random.Random(71)
    vocabulary = ["".join(rng.choice(LETTERS) for _ in range(rng.randint(2, 9))) for _ in range(3000)]
    with open(docs, "w", encoding="utf-8") as out:
        for number in range(20_000):
            if number % 5 == 4:
                text[rng.randrange(160)] = "other"
            elif number % 5 != 3 or not number:
                text = words(rng, vocabulary, 160)
            out.write(json.dumps({"id": f"r{number}", "text": " ".join(text)}) + "\n")
        out.write("{this is no record\n")

    def start(out: Path, *arguments) -> subprocess.Popen:
        threads = () if "-j" in arguments else ("-j", "1")
        command = [str(part) for part in (c.binary, *arguments, *threads, "-o", out, "--tables", "tsv", "-q", "--resume")]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def killed_when(out: Path, ready, *arguments) -> bool:
        """Whether the run was still there when it was to be killed."""
        process = start(out, *arguments)
        deadline = time.monotonic() + 60
        while not ready() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.0005)
        alive = process.poll() is None
        process.kill()
        process.communicate()
        return alive

    def gone_on(name: str, out: Path, truth: dict, *arguments) -> dict:
        # On several threads it is others who store the sets of copies.
        said = start(out, *arguments, "-j", "3")
        errors = said.communicate(timeout=120)[1]
        if not c.check(f"{name}: goes on", said.returncode == 0, errors):
            return {}
        c.check(f"{name}: the same bytes", tree_of(out) == truth)
        c.check(f"{name}: nothing is left", not left_behind(out.parent) and not state(out).exists(), os.listdir(out.parent))
        run = summary_of(out)["run"]
        shutil.rmtree(out)
        return run

    def state(out: Path) -> Path:
        return out.with_name(out.name + ".scratch")

    def size(path: Path) -> int:
        try:
            return path.stat().st_size
        except OSError:
            return 0

    steps = ("units", "postings", "matches")
    for number, (verb, *options) in enumerate((
        ("dedup",), ("cluster", "--memory", "1MB"), ("dedup", "--measure", "containment", "--keep", "longest"),
        ("cluster", "--method", "imatch", "--verify", "none"), ("dedup", "--linkage", "components", "--memory", "1"),
    )):
        name = " ".join(["resuming", verb, *options])
        place = folder / f"job{number}"
        place.mkdir()
        out, arguments = place / "out", (verb, docs, packed, *options)
        done = c.run(*arguments, "-o", out, "--tables", "tsv", "-q")
        c.check(f"{name}: undisturbed", done.returncode == 0, done.stderr)
        truth = tree_of(out)
        shutil.rmtree(out)
        # While chunks come in, behind each step, and while the result is being written.
        # A chunk is 2 MB of text; without sets little is written down of it.
        some = 1 << 19 if "imatch" in options else 1 << 22
        moments = {f"chunks {bytes}": (lambda bytes=bytes: size(state(out) / "chunks") > bytes) for bytes in (0, some)}
        moments |= {step: (lambda step=step: (state(out) / step).exists()) for step in steps}
        moments["writing"] = lambda: any(size(path) > 0 for path in place.glob("out.partial-*/*.tsv"))
        for moment, ready in moments.items():
            alive = killed_when(out, ready, *arguments)
            if not c.check(f"{name}: {moment}: killed before it was over", alive):
                shutil.rmtree(out, ignore_errors=True)
                continue
            run = gone_on(f"{name}: {moment}", out, truth, *arguments)
            before = steps[: steps.index(moment)] if moment in steps else steps[:-1] if moment == "writing" else ()
            if run:
                # Once there are matches, nobody asks for postings.
                wanted = [step for step in ("reading", *before) if moment not in ("chunks 0", "matches", "writing") or step != "postings"]
                taken = run.get("resumed", [])
                c.check(f"{name}: {moment}: what was done is not done again", moment == "chunks 0" or all(step in taken for step in wanted), (wanted, taken))
        # Again and again, each time a little later.
        delay, kills = 0.0, 0
        while True:
            until = time.monotonic() + delay
            if not killed_when(out, lambda: time.monotonic() > until, *arguments):
                break
            delay, kills = max(0.1, delay * 1.6), kills + 1
        c.check(f"{name}: killed {kills} times: the same bytes", kills > 2 and tree_of(out) == truth)
        c.check(f"{name}: killed {kills} times: nothing is left", not left_behind(place) and not state(out).exists(), os.listdir(place))
        shutil.rmtree(out)
        # Any file of the state damaged: noticed, and done again.
        for step in ("chunks", *steps):
            killed_when(out, moments["writing"], *arguments)
            path = state(out) / step
            if not c.check(f"{name}: {step} is there", size(path) > 0):
                continue
            content = bytearray(path.read_bytes())
            content[len(content) // 2] ^= 1
            path.write_bytes(content)
            if step == "postings":
                (state(out) / "matches").unlink(missing_ok=True)
            run = gone_on(f"{name}: {step} damaged", out, truth, *arguments)
            redone = run.get("redone")
            c.check(f"{name}: {step} damaged: others are not", step != "chunks" or run.get("resumed") in (["reading"], None), run.get("resumed"))
            c.check(f"{name}: {step} damaged: says so", redone == [{"chunks": "reading"}.get(step, step)], redone)

    # What does not fit is refused, and says why.
    place = folder / "refused"
    place.mkdir()
    out = place / "out"
    killed_when(out, lambda: size(state(out) / "chunks") > 1 << 20, "dedup", docs)
    for options, wanted in (((), "--resume"), (("--resume", "-t", "0.7"), "settings.threshold")):
        done = c.run("dedup", docs, "-o", out, "-q", *options)
        c.check(f"resuming: refused with {options}", done.returncode == 1 and wanted in done.stderr and str(state(out)) in done.stderr, done.stderr)
    os.utime(docs, (1, 1))
    done = c.run("dedup", docs, "-o", out, "-q", "--resume")
    c.check("resuming: refused with other inputs", done.returncode == 1 and "inputs" in done.stderr, done.stderr)

    # A disk that is full, and has room again.
    place = folder / "full"
    place.mkdir()
    out = place / "out"
    truth_of = c.run("dedup", docs, "-o", out, "--tables", "tsv", "-q")
    c.check("resuming: undisturbed", truth_of.returncode == 0, truth_of.stderr)
    truth = tree_of(out)
    shutil.rmtree(out)
    for limit in (1 << 20, 5 << 20):
        def full(limit=limit) -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        command = [str(part) for part in (c.binary, "dedup", docs, "-o", out, "--tables", "tsv", "-q", "--resume")]
        done = subprocess.run(command, capture_output=True, text=True, preexec_fn=full)
        c.check(f"resuming: full at {limit}: says so", done.returncode == 1 and "--scratch" in done.stderr and "--resume" in done.stderr, done.stderr)
        c.check(f"resuming: full at {limit}: no result", not out.exists() and not left_behind(place), os.listdir(place))
    gone_on("resuming: full", out, truth, "dedup", docs)


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
        for seed in (1, 2):
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
            "similarity", "removed", "growth", "methods", "notes", "run"}
    trees = []
    for threads, order in ((1, docs), (2, docs[::-1]), (7, docs)):
        said = planned(f"on {threads}", *order, "--sample", "512KiB", "-j", threads)
        c.check("plan: the object is complete", said.keys() == keys, said.keys() ^ keys)
        run = said.pop("run", {})
        names = [one["method"] for one in said["methods"]]
        c.check("plan: a cost for each method", [one["method"] for one in run["costs"]] == names and run["recommended"] in names, run)
        trees.append(json.dumps(said))
    c.check("plan: the same bytes on 1, 2 and 7 threads and in any order", trees[0] == trees[1] == trees[2])
    whole = planned("whole", *docs)
    truth = summary_of(c.out("plan pairs 1"))
    exact = [whole["removed"][name] for name in ("low", "expected", "high")] == [sum(truth["removed"].values())] * 3
    c.check("plan: a sample of everything is exact", exact and whole["sample"]["whole"] and whole["tokens"] == truth["tokens"], whole["removed"])
    packed = write_jsonl(folder / "packed.jsonl.gz", [json.loads(line) for path in docs for line in path.read_text(encoding="utf-8").splitlines()])
    said = planned("packed", packed, "--sample", packed.stat().st_size // 3)
    close = 0.7 < said["documents"] / truth["documents"] < 1.4
    c.check("plan: a compressed file is read from its beginning, and that is said", close and said["sample"]["files_from_beginning"] == 1 and "beginning" in " ".join(said["notes"]), said)
    said = planned("cluster", *docs, "--sample", "512KiB", "--command", "cluster", "--threshold", "0.6")
    (folder / "plan.json").write_text(json.dumps(said))
    out = c.out("plan cluster")
    done = c.run("cluster", *docs, "--threshold", "0.7", "-o", out, "-q", "-j", "1", "--plan", folder / "plan.json")
    c.check("plan: what differs is named", done.returncode == 0 and "threshold" in summary_of(out)["run"]["plan"]["differs"], done.stderr)
    text = c.run("plan", *docs, "--sample", "512KiB", "--recall", "0.9")
    c.check("plan: people are told", text.returncode == 0 and all(word in text.stdout for word in ("removed", "Recommended: ", "lower bound", "minhash-lsh:recall=0.9")), text.stdout + text.stderr)
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


def no_report(c: Checks) -> None:
    """`--no-report`: the same result without report.html, recorded in the settings."""
    folder = c.work / "no-report"
    folder.mkdir()
    docs = folder / "docs.jsonl"
    words = [f"word{number}" for number in range(60)]
    docs.write_text("".join(
        json.dumps({"id": f"d{number}", "text": " ".join(words[: 40 + number % 7])}) + "\n" for number in range(30)
    ))

    def files(out: Path) -> dict:
        unlike = ("report.html", "summary.json", "evaluation.json", "methods.tsv")
        return {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file() and path.name not in unlike}

    runs = {
        "dedup": ("dedup", docs), "cluster": ("cluster", docs), "marked": ("dedup", docs, "--mark"),
        "recluster": ("recluster", c.out("no report with cluster"), "--threshold", "0.9"),
        "evaluate": ("evaluate", docs, "--methods", "exact"),
    }
    for name, arguments in runs.items():
        outs = {}
        for label, options in (("with", ()), ("without", ("--no-report",))):
            outs[label] = c.out(f"no report {label} {name}")
            done = c.run(*arguments, "--output", outs[label], "--tables", "tsv", *options)
            c.check(f"no report: {name} {label} a report runs", done.returncode == 0, done.stderr)
            is_with = label == "with"
            c.check(f"no report: {name} {label}: report.html", (outs[label] / "report.html").is_file() == is_with)
            c.check(f"no report: {name} {label}: what is printed", ("Report:" in done.stdout) == is_with, done.stdout)
            said = json.loads((outs[label] / ("evaluation.json" if name == "evaluate" else "summary.json")).read_text())
            c.check(f"no report: {name} {label}: the settings", said["settings"].get("no_report", False) is not is_with, said["settings"])
        c.check(f"no report: {name}: the same result", files(outs["with"]) == files(outs["without"]) != {})
    done = c.run("explain", "d0", "d7", "--run", c.out("no report without dedup"))
    c.check("no report: explain needs none", done.returncode == 0, done.stderr)


def long_texts(c: Checks) -> None:
    """What the report and `explain` align and print of long texts is bounded, and what is left out is stated."""
    folder = c.work / "long"
    folder.mkdir()
    many = [" ".join(f"{word} {n} a{n} b{n} c{n} d{n} e{n} f{n}" for n in range(150_000)) for word in ("old", "new")]
    few = [" ".join("new" if n % 40_000 == word else f"w{n}" for n in range(200_000)) for word in (7, 17)]
    for name, texts, differences, complete, left_out in (
        ("many", many, 65_536, False, "words of a and"), ("few", few, 20, True, "words in common"),
    ):
        paths = [folder / f"{name}-{number}.txt" for number in range(2)]
        for path, text in zip(paths, texts):
            path.write_text(text)
        done = c.run("compare", *paths, "--threshold", "0.1")
        c.check(f"long texts: {name}: compare", done.returncode == 0 and len(done.stdout) < 60_000 and left_out in done.stdout, done.stdout[-3000:])
        done = c.run("compare", *paths, "--threshold", "0.1", "--format", "json")
        said = json.loads(done.stdout)
        found = (said["differences_found"], said["differences_complete"])
        c.check(f"long texts: {name}: differences", found == (2 * differences if name == "many" else differences, complete), found)
        c.check(f"long texts: {name}: lists are bounded", len(said["differences"]) <= 10_000 and len(said["passages"]) <= 1000)
        wrong = [
            entry for entry in said["differences"]
            if texts[entry["side"] == "right"].encode()[entry["bytes"]["start"] : entry["bytes"]["end"]].decode() != entry["text"]
        ]
        c.check(f"long texts: {name}: differences are where they are said to be", not wrong, wrong[:3])
        wrong = [
            entry for entry in said["passages"]
            if not (entry["text_a"] == entry["text_b"] == texts[0][entry["bytes_a"]["start"] : entry["bytes_a"]["end"]][:4096])
        ]
        c.check(f"long texts: {name}: passages are in both", not wrong, str(wrong[:3])[:500])
        out = c.out(f"long texts {name}")
        done = c.run("dedup", *paths, "--output", out, "--threshold", "0.1", "--quiet")
        page = (out / "report.html").read_text(encoding="utf-8")
        c.check(f"long texts: {name}: the report names `explain`", done.returncode == 0 and "lookalike explain A B" in page and len(page) < 200_000, done.stderr)


def several_files(c: Checks) -> None:
    """Files of very different sizes, most of them compressed, read on several threads: always the same bytes."""
    folder = c.work / "several"
    folder.mkdir()
    chance = random.Random(11)
    words = [f"w{number}" for number in range(3000)]
    texts = [" ".join(chance.choices(words, k=chance.choice((8, 60, 400)))) for _ in range(3000)]

    def lines(number: int, records: int) -> str:
        chosen = (chance.choice(texts) + (" more" if chance.random() < 0.3 else "") for _ in range(records))
        return "".join(json.dumps({"id": f"{number}-{at}", "text": text}) + "\n" for at, text in enumerate(chosen))

    for number, records in enumerate((9000, 3, 4000, 0, 1, 6000, 12000, 50)):
        text = lines(number, records)
        if number == 5:
            # Larger than a chunk: nothing of it is read ahead.
            text += json.dumps({"id": "long", "text": " ".join(chance.choices(words, k=700_000))}) + "\n" + lines(95, 20)
        if number % 3 == 2:
            (folder / f"{number}.jsonl").write_text(text)
        else:
            (folder / f"{number}.jsonl.gz").write_bytes(gzip.compress(text.encode(), 1))
    (folder / "9.txt").write_text(texts[0])

    def result(label: str, *options) -> tuple:
        out = c.out(f"several {label}")
        done = c.run("dedup", folder, "--output", out, "--tables", "tsv", "--quiet", *options)
        unlike = ("report.html", "summary.json")
        files = {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file() and path.name not in unlike}
        return done.returncode, done.stderr.replace(str(out), "OUT"), files

    budgets = {"default": (), "30 MB": ("--memory", "30MB"), "400 MB": ("--memory", "400MB")}
    first = result("first", "--threads", "1")
    c.check("several files: runs", first[0] == 0 and first[2], first[1])
    for budget, options in budgets.items():
        for threads in (1, 2, 8):
            c.check(f"several files: {budget}, {threads} threads", result(f"{budget} {threads}", "--threads", threads, *options) == first)

    # Cut off in the middle: the same error from any number of threads, or the same rest.
    cut = folder / "6.jsonl.gz"
    cut.write_bytes(cut.read_bytes()[: cut.stat().st_size // 2])
    damaged = result("damaged 1", "--threads", "1")
    skipped = result("skipped 1", "--threads", "1", "--skip-unreadable")
    c.check("several files: the damaged one is named", damaged[0] == 1 and "6.jsonl.gz" in damaged[1] and not damaged[2], damaged[:2])
    c.check("several files: the damaged one is skipped", skipped[0] == 0 and len(skipped[2]) > 5, skipped[:2])
    for threads in (2, 8):
        c.check(f"several files: damaged, {threads} threads", result(f"damaged {threads}", "--threads", threads) == damaged)
        c.check(f"several files: skipped, {threads} threads", result(f"skipped {threads}", "--threads", threads, "--skip-unreadable", "--memory", "400MB") == skipped)


PARTS = (
    self_test,
    settings,
    forms,
    against,
    samples,
    same_bytes,
    hostile,
    usage,
    skipped_files,
    not_every_word_counts,
    streams,
    explanations,
    evaluation,
    methods,
    memory,
    resuming,
    lexicons,
    reclustering,
    witnesses,
    error_bars,
    plan,
    interruption,
    standard_error,
    scratch_directories,
    containment,
    simhash_idf,
    repeated_ids,
    keep_fields,
    common,
    ignorable,
    originals,
    few_features,
    wrong_values,
    replacing,
    large_records,
    escape_sequences,
    damaged_parquet,
    no_report,
    long_texts,
    several_files,
)


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    names = [part.__name__ for part in PARTS]
    if unknown := set(sys.argv[2:]) - set(names):
        print(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(names)}")
        return 2
    chosen = [part for part in PARTS if part.__name__ in sys.argv[2:]] or PARTS
    work = Path(tempfile.mkdtemp(prefix="lookalike-checks-"))
    c = Checks(Path(sys.argv[1]).resolve(), work)
    try:
        for part in chosen:
            before, started = (c.passed, c.failed), time.monotonic()
            part(c)
            failed, done = c.failed - before[1], c.passed + c.failed - sum(before)
            print(f"{'FAILED' if failed else 'ok'}: {part.__name__}: {done - failed} of {done} ({time.monotonic() - started:.0f} s)", flush=True)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(f"{c.passed} passed, {c.failed} failed")
    return 1 if c.failed or not c.passed else 0


if __name__ == "__main__":
    sys.exit(main())
