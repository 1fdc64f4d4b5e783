"""Same output bytes for any number of threads, order of files and memory budget."""
import gzip
import json
import random
import shutil

from checks.harness import Checks, SAMPLES, summary_of, tree_of
from checks.inputs import collection


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
        unlike = ("report.html", "summary.json", "config.toml")
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
