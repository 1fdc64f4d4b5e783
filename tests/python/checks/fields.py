"""Documents with repeated ids, and the fields that --keep reads."""
import csv
import json
import random
import subprocess
import time

from checks.harness import Checks, SAMPLES, left_behind, summary_of, table_of, tree_of
from checks.inputs import records, texts, write_csv, write_jsonl


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
        ok = done.returncode == 2 and all(word in done.stderr for word in (f"--keep={rule.split(',')[-1]}: none of", *words_wanted))
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
    done = c.run("dedup", dated, "-o", folder / "never", "--keep", "oldest", "--date-field", "day")
    said = all(word in done.stderr for word in ("no record has the field `day`", "date", "--date-field"))
    c.check("keep: a date field that no record has is wrong usage", done.returncode == 2 and said and not (folder / "never").exists(), done.stderr)
    c.check("keep: a field of another name", c.run("dedup", bare, "-o", c.out("keep when"), "--keep", "newest", "--date-field", "when", "-q").returncode == 0)

    # Some values only. What is counted here is counted again from the records.
    kinds = ({"date": "2024-05-01", "score": 1}, {"date": "1 May 2024", "score": "2.5"}, {"date": "soon", "score": "many"},
             {"date": "", "score": None}, {}, {"date": None, "score": True}, {"date": "2024-13-45", "score": {"a": 1}},
             {"date": "1714521599999", "score": 3}, {"date": "1714521600001000", "score": 4})
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
