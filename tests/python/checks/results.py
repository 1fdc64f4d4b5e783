"""Results of whole runs, recomputed by check_run.py: settings, input formats, --against, samples, containment."""
import json
import random
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from checks.harness import Checks, HERE, SAMPLES, WORKERS, summary_of, table_of
from checks.inputs import collection, records, words, write_csv, write_jsonl


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
        # Small vocabularies, where candidates are found by bitmaps.
        "characters of 3": ("--shingle-unit", "char", "--shingle", "3", "--threshold", "0.7"),
        "single words, cosine 0.5": ("--measure", "cosine", "--shingle", "1", "--threshold", "0.5"),
        "characters contained": ("--shingle-unit", "char", "--shingle", "20", "--measure", "containment"),
        "short documents ignored": ("--short-documents", "ignore"),
        "no normalisation": ("--normalize", "none"),
        "nfkc": ("--normalize", "nfkc"),
        "symbols": ("--tokens", "symbols"),
        "symbols contained": ("--tokens", "symbols", "--measure", "containment", "--case", "keep"),
        "terms and symbols": ("--tokens", "symbols", "--measure", "cosine", "--threshold", "0.9"),
        "case kept": ("--case", "keep", "--threshold", "0.7"),
        "characters as written": ("--shingle-unit", "char", "--shingle", "9", "--normalize", "none", "--tokens", "symbols", "--case", "keep"),
        "the preset code": ("--preset", "code"),
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
    # Containment is that of the document of the input, whichever is smaller.
    long = [f"word{at}" for at in range(90)]
    part, whole = (write_jsonl(c.work / f"against-{name}.jsonl", [{"id": name, "text": " ".join(long[:count])}]) for name, count in (("part", 30), ("whole", 90)))
    for name, new, old, kept in (("a part", part, whole, 0), ("what contains one", whole, part, 1)):
        out = c.out(f"against, {name}")
        done = c.run("dedup", new, "--against", old, "--output", out, "--measure", "containment", "-q")
        c.check(f"against, contained: {name}", done.returncode == 0 and summary_of(out).get("kept") == kept, done.stderr)
    done = c.run("dedup", fresh, other, "--against", other, "--output", c.out("both"))
    c.check("a file in both roles is refused and named", done.returncode == 1 and "old.jsonl" in done.stderr, done.stderr)


def samples(c: Checks) -> None:
    """The project's own collection, in all its forms."""
    if not c.check("the samples are there", SAMPLES.is_dir(), SAMPLES):
        return
    out = c.out("all samples")
    done = c.run("dedup", "samples", "--output", out, "--tables", "tsv", cwd=SAMPLES.parent)
    # Copies of one licence have [] or {} around a placeholder, which words do not show: the only warning.
    numbers = re.fullmatch(r"lookalike: warning: Of (\d+) lexically equivalent documents, (\d+) differ from the kept one in symbols, [^\n]+\n", done.stderr)
    said = summary_of(out).get("symbol_differences", {})
    c.check("dedup of the samples", done.returncode == 0 and numbers and numbers.groups() == (str(said["of"]), str(said["documents"])), done.stderr)
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
