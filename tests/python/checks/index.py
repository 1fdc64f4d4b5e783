"""The living index: what it exports equals a run over its documents, and its answers equal counting in Python."""
import csv
import json
import os
import random
import subprocess
import sys
from pathlib import Path

from checks.harness import HERE, Checks
from checks.inputs import records, write_jsonl

MOVED = ("moved", "moved_address_kept")


def shingles(text: str, w: int = 5) -> set:
    """Word shingles of a text of lower-case ASCII words; of a shorter one the whole text."""
    words = text.split()
    return {tuple(words[at:at + w]) for at in range(max(1, len(words) - w + 1))} if words else set()


def plain(rng: random.Random, n: int) -> list:
    """Records of ASCII words, of which many resemble, contain or repeat each other."""
    vocabulary = ["".join(rng.choice("abcdefgh") for _ in range(rng.randint(2, 6))) for _ in range(300)]
    made: list = []
    for _ in range(n):
        kind = rng.random()
        if kind < 0.4 or not made:
            words = [rng.choice(vocabulary) for _ in range(rng.randint(1, 90))]
        elif kind < 0.7:
            words = rng.choice(made).split()
            for _ in range(rng.randint(0, 4)):
                words[rng.randrange(len(words))] = rng.choice(vocabulary)
        elif kind < 0.85:
            words = rng.choice(made).split()
            start = rng.randrange(len(words))
            words = words[start:start + rng.randint(5, 60)]
        else:
            words = rng.choice(made).split() + [rng.choice(vocabulary) for _ in range(rng.randint(1, 50))]
        made.append(" ".join(words))
    return [{"id": f"p{number}", "text": text, "url": f"https://www{number % 3}.example.org/{number}"} for number, text in enumerate(made)]


def equals_a_run(c: Checks, name: str, index: Path, settings: list) -> None:
    """The tables of an export are the bytes of a run over the exported documents."""
    out = c.out(f"{name} documents")
    done = c.run("index", "export", index, "-o", out, "--documents", "-q")
    if not c.check(f"{name}: documents", done.returncode == 0, done.stderr):
        return
    for verb, flags, tables in (("dedup", [], ("ledger", "clusters", "pairs")), ("cluster", ["--list"], ("documents", "clusters", "pairs")),
                                ("dedup", ["--witness", "best"], ("ledger", "clusters", "pairs")),
                                ("cluster", ["--list", "--linkage", "leaders"], ("documents", "clusters", "pairs"))):
        own, run = c.out(f"{name} own {verb} {flags}"), c.out(f"{name} run {verb} {flags}")
        done = c.run("index", "export", index, "-o", own, "--tables", "tsv", "-q", *flags)
        options = [flag for flag in flags if flag != "--list"]
        other = c.run(verb, "documents.jsonl", "-o", run, "--tables", "tsv", "-q", "--no-report", *settings, *options, cwd=out)
        if c.check(f"{name}: {verb} {flags} runs", done.returncode == other.returncode == 0, done.stderr + other.stderr):
            for table in tables:
                same = (own / f"{table}.tsv").read_bytes() == (run / f"{table}.tsv").read_bytes()
                c.check(f"{name}: {verb} {flags}: {table} is that of a run", same)
            audit = subprocess.run([sys.executable, str(HERE / "check_run.py"), str(run), "documents.jsonl"], cwd=out, capture_output=True, text=True)
            c.check(f"{name}: {verb} {flags}: checked", audit.returncode == 0, audit.stdout + audit.stderr)


def index(c: Checks) -> None:
    """Histories of adds, updates, deletes and merges; answers; the same files for any threads."""
    folder = c.work / "index"
    folder.mkdir()
    for number, settings in enumerate((
        ["-t", "0.7"], ["--measure", "containment", "-t", "0.8", "--keep", "longest"], ["--measure", "cosine", "-t", "0.8", "--keep", "newest", "--min-features", "3"],
        ["--shingle", "2", "--keep", "max:score", "--keep", "first"], ["--shingle-unit", "char", "--keep", "oldest", "--keep", "shortest"],
    )):
        name, rng = f"index {number}", random.Random(number)
        found = records(50 + number, 260)
        parts = [write_jsonl(folder / f"{number}-{part}.jsonl", found[80 * part:80 * part + 80]) or folder / f"{number}-{part}.jsonl" for part in range(3)]
        kept = folder / f"{number}.index"
        c.check(f"{name}: created", c.run("index", "create", kept, *settings, "-q").returncode == 0)
        done = c.run("index", "add", kept, *parts, "-j", 3, "-q")
        c.check(f"{name}: added", done.returncode == 0, done.stderr)
        # Others with the ids of the first ones, from standard input, in groups.
        more = [{**record, "id": rng.choice(found)["id"] or f"n{at}"} for at, record in enumerate(records(90 + number, 60, "n"))]
        done = c.run("index", "add", kept, "-", "--commit-every", 7, "-q", stdin="".join(json.dumps(row) + "\n" for row in more))
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        commits = [line["commit"] for line in lines]
        c.check(f"{name}: a line for each commit", done.returncode == 0 and len(lines) >= 9 and commits == sorted(set(commits)), done.stdout + done.stderr)
        ids = sorted({str(record["id"]) for record in found if record["id"]})
        ids = [one for one in rng.sample(ids, 40) if "\n" not in one]
        (folder / f"{number}.ids").write_text("\n".join(ids), encoding="utf-8")
        done = c.run("index", "delete", kept, "--ids", folder / f"{number}.ids", "--format", "json")
        c.check(f"{name}: deleted", done.returncode == 0 and json.loads(done.stdout)["found"] >= 1, done.stdout + done.stderr)
        stats = json.loads(c.run("index", "stats", kept, "--format", "json").stdout)
        c.check(f"{name}: documents", stats["documents"] == json.loads(done.stdout)["documents"], stats)
        equals_a_run(c, name, kept, settings)
        done = c.run("index", "check", kept, "--deep", "-q")
        c.check(f"{name}: checked deeply", done.returncode == 0, done.stderr)
        c.run("index", "compact", kept, "-q")
        after = json.loads(c.run("index", "stats", kept, "--format", "json").stdout)
        c.check(f"{name}: compacted", len(after["segments"]) == 1 and after["deleted"] == 0 and [after[key] for key in ("documents", "kept")] == [stats[key] for key in ("documents", "kept")], after)
        done = c.run("index", "check", kept, "--deep", "-q")
        c.check(f"{name}: checked deeply after it", done.returncode == 0, done.stderr)
    answers(c, folder)
    lean(c, folder)
    threads(c, folder)


def counted(c: Checks, name: str, kept: Path, found: list, thresholds: tuple, rng: random.Random, refused=lambda ask, threshold: False) -> None:
    """Answers about stored documents, beside counts in Python; those to `refused` questions are errors."""
    sets = {record["id"]: shingles(record["text"]) for record in found}
    values = {
        "resembles": lambda q, d, s: s / (len(q) + len(d) - s), "containing": lambda q, d, s: s / len(q),
        "contained-in": lambda q, d, s: s / len(d), "cosine": lambda q, d, s: s / (len(q) * len(d)) ** 0.5,
    }
    wrong, asked, answered = [], 0, 0
    for ask, value in values.items():
        for threshold in thresholds:
            if refused(ask, threshold):
                done = c.run("query", kept, "--id", found[0]["id"], "--ask", ask, "-t", threshold)
                says = f"cannot answer `{ask}` at the threshold {threshold}"
                c.check(f"{name}: {ask} {threshold} is refused", done.returncode == 2 and says in done.stderr and "--lean" in done.stderr, done.stderr)
                continue
            for record in rng.sample(found, 6):
                query = sets[record["id"]]
                expected = {}
                for other, stored in sets.items():
                    shared = len(query & stored)
                    if other != record["id"] and shared and value(query, stored, shared) >= threshold - 1e-12:
                        expected[other] = shared
                done = c.run("query", kept, "--id", record["id"], "--ask", ask, "-t", threshold, "--format", "json")
                answer = json.loads(done.stdout)
                matches = {match["id"]: match["shared"] for match in answer["matches"]}
                asked, answered = asked + 1, answered + len(matches)
                order = [value(query, sets[match["id"]], match["shared"]) for match in answer["matches"]]
                ordered = all(a >= b - 1e-12 for a, b in zip(order, order[1:]))
                if matches != expected or not ordered or answer["total"] != len(expected):
                    wrong.append((ask, threshold, record["id"], expected, matches))
    c.check(f"{name}: {asked} answers of {answered} documents equal counting", not wrong and answered > 50, wrong[:1])


def answers(c: Checks, folder: Path) -> None:
    """Answers to questions, beside counts in Python."""
    rng = random.Random(7)
    found = plain(rng, 500)
    write_jsonl(folder / "plain.jsonl", found)
    kept = folder / "plain.index"
    c.run("index", "create", kept, "-q")
    c.run("index", "add", kept, folder / "plain.jsonl", "-q", "--commit-every", 97)
    counted(c, "index", kept, found, (0.3, 0.6, 0.9), rng)
    text = found[3]["text"]
    by_text = json.loads(c.run("query", kept, text, "-t", "0.2", "--format", "json").stdout)
    c.check("index: a text finds itself first", by_text["matches"][0]["resemblance"] == 1.0, by_text["matches"][:1])
    limited = json.loads(c.run("query", kept, text, "-t", "0.2", "-n", "1", "--format", "json").stdout)
    c.check("index: a limit returns the best", limited["matches"] == by_text["matches"][:1])
    site = json.loads(c.run("query", kept, text, "-t", "0.05", "--site", "www1.example.org", "--format", "json").stdout)
    c.check("index: only documents of the site", all("www1." in match["url"] for match in site["matches"]))
    # A new collection, against the index and against its documents.
    write_jsonl(folder / "new.jsonl", [{**record, "id": f"q{record['id']}"} for record in plain(rng, 60) + rng.sample(found, 40)])
    docs = c.out("plain documents")
    c.run("index", "export", kept, "-o", docs, "--documents", "-q")
    ledgers = []
    for against in (kept, docs / "documents.jsonl"):
        out = c.out(f"against {against.name}")
        done = c.run("dedup", folder / "new.jsonl", "--against", against, "-o", out, "--tables", "tsv", "--no-report", "-q")
        c.check(f"index: dedup --against {against.name}", done.returncode == 0, done.stderr)
        with open(out / "ledger.tsv", newline="", encoding="utf-8") as rows:
            reader = csv.DictReader(rows, delimiter="\t", quoting=csv.QUOTE_NONE)
            columns = ("removed_id", "kept_id", "rule", "shared", "size_removed", "size_kept")
            ledgers.append(([[row.get(name) for name in columns] for row in reader], (out / "kept.jsonl").read_bytes()))
    c.check("index: a run against it is that against its documents", ledgers[0] == ledgers[1] and len(ledgers[0][0]) > 30, ledgers)
    for arguments, says in (
        (["query", kept, "--id", "none"], "no document with the id `none`"), (["query", kept, "x", "--ask", "soundex"], "nor a method of this index"),
        (["index", "stats", folder], "there is no index"), (["index", "create", kept], "already"), (["query", kept, "x", "-t", "2"], "threshold"),
        (["index", "export", kept, "-o", docs], "--force"), (["index", "delete", kept], "name the documents"),
    ):
        done = c.run(*arguments)
        c.check(f"index: {arguments[:2]} says {says!r}", done.returncode in (1, 2) and says in done.stderr, done.stderr)


def lean(c: Checks, folder: Path) -> None:
    """Lean indexes, with and without texts and with any table of common elements, beside a full one and counting."""
    rng = random.Random(8)
    found = plain(rng, 400)
    template = " ".join(f"t{n}" for n in range(40))
    found += [{**record, "id": f"t{at}", "text": f"{template} {record['text']}"} for at, record in enumerate(found[:120])]
    halves = [folder / "lean-0.jsonl", folder / "lean-1.jsonl"]
    for half, path in enumerate(halves):
        write_jsonl(path, found[half::2])
    c.run("index", "create", folder / "full.index", "-q")
    c.run("index", "add", folder / "full.index", *halves, "-q")
    full = json.loads(c.run("index", "stats", folder / "full.index", "--format", "json").stdout)
    refused = lambda ask, threshold: ask == "containing" or (threshold ** 2 if ask == "cosine" else threshold) < 0.5
    for name, options in (("sample", ["--sample", *halves[:1], "--sample", halves[1]]), ("no sample", []), ("other sample", ["--no-text", "--sample", folder / "plain.jsonl"])):
        name, parts = f"lean, {name}", [folder / f"{name}-{part}.index" for part in range(2)]
        for kept, half in zip(parts, halves):
            done = c.run("index", "create", kept, "--lean", "0.5", *options, "-q")
            c.check(f"{name}: created", done.returncode == 0, done.stderr)
            c.run("index", "add", kept, half, "-q", "--commit-every", 90)
        done = c.run("index", "merge", *parts, "-q")
        c.check(f"{name}: merged", done.returncode == 0, done.stderr)
        done = c.run("index", "check", parts[0], "--deep", "-q")
        c.check(f"{name}: checked deeply", done.returncode == 0, done.stderr)
        stats = json.loads(c.run("index", "stats", parts[0], "--format", "json").stdout)
        same = all(stats[key] == full[key] for key in ("documents", "kept"))
        c.check(f"{name}: keeps as many and posts less", same and stats["postings"] < 0.6 * full["postings"], [stats["postings"], full["postings"]])
        counted(c, name, parts[0], found, (0.4, 0.5, 0.7, 0.75, 0.9), rng, refused)
        if "--no-text" not in options:
            equals_a_run(c, name, parts[0], [])
    small, other = folder / "sample-0.index", folder / "no sample-0.index"
    for arguments, says in (
        (["index", "merge", small, other], "the setting lean.common"), (["index", "holders", small, found[0]["url"]], "cannot answer `containing`"),
        (["index", "create", folder / "x", "--lean", "0.9"], "--lean=0.9 is above --threshold"), (["index", "create", folder / "x", "--sample", halves[0]], "--lean"),
        (["index", "create", folder / "x", "--lean", "0.5", "--measure", "containment"], "--measure=containment"),
        (["index", "create", folder / "x", "--lean", "0.5", "--sample", folder / "none"], "none"),
        (["dedup", halves[0], "--against", small, "-t", "0.4", "-o", folder / "y"], "at the threshold 0.4"),
    ):
        done = c.run(*arguments)
        c.check(f"lean: {arguments[:2]} says {says!r}", done.returncode in (1, 2) and says in done.stderr and not (folder / "x").exists(), done.stderr)


def threads(c: Checks, folder: Path) -> None:
    """The files of an index are the same for any number of threads."""
    for threads in (1, 4):
        kept = folder / f"threads-{threads}.index"
        c.run("index", "create", kept, "-q")
        c.run("index", "add", kept, folder / "plain.jsonl", "-q", "-j", threads)
    first, other = (sorted((folder / f"threads-{threads}.index" / "seg").iterdir()) for threads in (1, 4))
    same = [path.name for path in first] == [path.name for path in other] and all(a.read_bytes() == b.read_bytes() for a, b in zip(first, other))
    c.check("index: the same segments for any number of threads", same)


def sweeps(c: Checks) -> None:
    """What became of pages, beside what git says of them (with LOOKALIKE_DATA)."""
    folder = c.work / "sweeps"
    folder.mkdir()
    kept = folder / "own.index"
    base = " ".join(f"w{n}" for n in range(60))
    def page(url, text):
        return {"id": url, "url": f"http://site.example/{url}", "text": text}
    a = [page("same", base), page("slight", base.replace("w7 ", "x7 ") + " and more of it" * 3), page("moved", base.replace("w", "m")),
         page("stub", base.replace("w", "s")), page("gone", base.replace("w", "g"))]
    b = [page("same", base), page("slight", base.replace("w7 ", "x7 ") + " and more of it" * 3 + " end"), page("new/moved", base.replace("w", "m") + " last"),
         page("stub", "this page has another address now, please go there"), page("new/stub", base.replace("w", "s")), page("new", base.replace("w", "n"))]
    c.run("index", "create", kept, "-q")
    for name, rows in (("a", a), ("b", b)):
        write_jsonl(folder / f"{name}.jsonl", rows)
        done = c.run("index", "sweep", "add", kept, name, folder / f"{name}.jsonl", "--date", f"2024-0{1 + (name == 'b')}-01", "-q")
        c.check(f"sweeps: {name} added", done.returncode == 0, done.stderr)
    done = c.run("index", "diff", kept, "a", "b", "--format", "json", "--only", "same", *[part for change in ("slight", "heavy", "moved", "moved_address_kept", "gone", "new") for part in ("--only", change)])
    found = {(row["change"], row.get("url", "").rpartition("example/")[2], row.get("new_url", "").rpartition("example/")[2]) for row in json.loads(done.stdout)["pages"]}
    expected = {("same", "same", "same"), ("slight", "slight", "slight"), ("moved", "moved", "new/moved"), ("moved_address_kept", "stub", "new/stub"), ("gone", "gone", ""), ("new", "", "new")}
    c.check("sweeps: what became of each page", found == expected, found ^ expected)
    listed = json.loads(c.run("index", "sweep", "list", kept, "--format", "json").stdout)["sweeps"]
    c.check("sweeps: listed", [(one["name"], one["date"], one["documents"]) for one in listed] == [("a", "2024-01-01", 5), ("b", "2024-02-01", 6)], listed)
    history = json.loads(c.run("index", "history", kept, "http://site.example/slight", "--format", "json").stdout)["versions"]
    c.check("sweeps: history", [one["change"] for one in history] == ["new", "slight"], history)
    holders = json.loads(c.run("index", "holders", kept, "http://site.example/new/moved", "--format", "json").stdout)["holders"]
    c.check("sweeps: holders", [(one["site"], one["documents"], one["first_sweep"]) for one in holders] == [("site.example", 1, "a")], holders)
    order = json.loads(c.run("index", "revisit", kept, "--format", "json").stdout)["pages"]
    rates = {one["url"].rpartition("example/")[2]: one.get("rate") for one in order}
    c.check("sweeps: rates", rates["same"] == 0 and rates["slight"] > rates["same"] and rates["gone"] is None, rates)
    done = c.run("index", "sweep", "remove", kept, "a", "--format", "json")
    c.check("sweeps: removed", json.loads(done.stdout) == {"deleted": 5, "documents": 6}, done.stdout + done.stderr)
    data = os.environ.get("LOOKALIKE_DATA")
    for name, moves in (("ver_rust_book", 78), ("ver_rust_rfcs", 18)) if data else ():
        books(c, folder, Path(data) / name, moves)


def books(c: Checks, folder: Path, data: Path, expected: int) -> None:
    """Recall and precision of moves, where finding the page that has most of the content counts as right."""
    kept = folder / f"{data.name}.index"
    c.run("index", "create", kept, "-q")
    for file in sorted(data.glob("sweep-*.jsonl.zst")):
        day = file.name[len("sweep-"):-len(".jsonl.zst")]
        c.run("index", "add", kept, file, "--sweep", day, "--date", day, "-q")
    with open(data / "changes.tsv", newline="", encoding="utf-8") as rows:
        truth = list(csv.DictReader(rows, delimiter="\t"))
    moves = hits = claimed = right = 0
    for a, b in sorted({(row["from_date"], row["to_date"]) for row in truth}):
        pages = json.loads(c.run("index", "diff", kept, a, b, "--format", "json").stdout)["pages"]
        known = {row["old_url"]: row for row in truth if (row["from_date"], row["to_date"]) == (a, b)}

        def is_right(page, row):
            return any(target and page["new_url"].endswith("/" + target) for target in (row["new_url"], row["best_content_url"]))
        for page in pages:
            if page["change"] in MOVED:
                claimed += 1
                row = max((row for old, row in known.items() if old and page["url"].endswith("/" + old)), key=lambda row: len(row["old_url"]), default=None)
                right += row is not None and is_right(page, row)
        for old, row in known.items():
            near = max(float(row["best_resemblance"] or 0), float(row["best_containment"] or 0)) >= 0.5
            if row["status"] in ("moved", "moved_modified") and near:
                moves += 1
                found = [page for page in pages if page.get("url", "").endswith("/" + old) and page["change"] in MOVED and is_right(page, row)]
                hits += bool(found)
    c.check(f"sweeps: {data.name}: {hits} of {moves} moves found", moves >= expected - 1 and hits >= 0.95 * moves, (hits, moves))
    c.check(f"sweeps: {data.name}: {right} of {claimed} claimed moves are right", right >= 0.98 * claimed and claimed, (right, claimed))
