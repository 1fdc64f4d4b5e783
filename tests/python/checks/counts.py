"""dedup --add-counts: kept records have the number of documents removed for them, in all and by input."""
import csv
import json
from collections import Counter

from checks.harness import Checks, dict_table, tree_of
from checks.inputs import records, write_csv, write_jsonl


def counts(c: Checks) -> None:
    folder = c.work / "counts"
    made = [{**one, "id": f"n{(at * 7919) % 1009:04}"} for at, one in enumerate(records(59, 600))]
    parts = {"a.jsonl": made[:250], "b.csv": made[250:400], "c.jsonl": made[400:]}
    write_jsonl(folder / "a.jsonl", parts["a.jsonl"])
    write_csv(folder / "b.csv", parts["b.csv"])
    write_jsonl(folder / "c.jsonl", parts["c.jsonl"])
    (folder / "d.txt").write_text(made[0]["text"], encoding="utf-8")
    inputs = [folder / name for name in (*parts, "d.txt")]
    for name, options in (("leaders", ()), ("components", ("--linkage", "components")), ("keep 2", ("--keep-n", "2", "--keep", "longest")), ("against", ("--against", folder / "c.jsonl"))):
        own = inputs if name != "against" else [path for path in inputs if path.name != "c.jsonl"]
        plain, trees = c.out(f"counts {name} plain"), []
        done = c.run("dedup", *own, "-o", plain, "-q", "-t", "0.5", "--tables", "tsv", *options)
        c.check(f"counts: {name}: without", done.returncode == 0, done.stderr)
        for extra in (("-j", "1"), ("-j", "5", "--memory", "1")):
            out = c.out(f"counts {name} {extra}")
            done = c.run("dedup", *own, "-o", out, "-q", "-t", "0.5", "--tables", "tsv", "--add-counts", *options, *extra)
            if c.check(f"counts: {name}: runs", done.returncode == 0, done.stderr):
                trees.append(tree_of(out))
        if not c.check(f"counts: {name}: the same bytes", len(trees) == 2 and trees[0] == trees[1]):
            continue
        expected: dict = {}
        for row in dict_table(out / "ledger.tsv"):
            expected.setdefault((row["kept_file"], int(row["kept_record"])), Counter())[row["removed_file"]] += 1
        number, wrong, total = 0, [], 0
        for path in own:
            if path.name == "d.txt":
                continue
            ids = {one["id"]: at for at, one in enumerate(parts[path.name], 1)}
            with open(plain / "kept" / path.name, newline="", encoding="utf-8") as before, open(out / "kept" / path.name, newline="", encoding="utf-8") as after:
                if path.suffix == ".csv":
                    pairs = list(zip(csv.DictReader(before), csv.DictReader(after), strict=True))
                else:
                    pairs = [tuple(map(json.loads, lines)) for lines in zip(before, after, strict=True)]
            for old, new in pairs:
                found = expected.get((str(path), ids[old["id"]]), Counter())
                number += 1
                total += int(new["duplicates"])
                added = {"duplicates": found.total(), "duplicates_by_source": dict(found)}
                if {**old, **added} != {**new, "duplicates": int(new["duplicates"]), "duplicates_by_source": json.loads(new["duplicates_by_source"])}:
                    wrong.append((new, added))
        c.check(f"counts: {name}: of every kept record", not wrong and number > 100 and total > 50, (number, total, wrong[:2]))
        same = all((plain / "removed" / path.name).read_bytes() == (out / "removed" / path.name).read_bytes() for path in own if path.suffix != ".txt")
        c.check(f"counts: {name}: removed records are as they were", same)
        c.check(f"counts: {name}: the same decisions", (plain / "ledger.tsv").read_bytes() == (out / "ledger.tsv").read_bytes())
    out = c.out("counts leaders ('-j', '1')")
    done = c.run("undo", out, "--cluster", "0", "-o", c.out("counts undone"), "-q")
    c.check("counts: undo refuses", done.returncode not in (0, 101) and "add_counts" in done.stderr, done.stderr)
    done = c.run("dedup", out / "kept" / "a.jsonl", "-o", c.out("counts again"), "-q", "--add-counts")
    c.check("counts: a field that is there is not replaced", done.returncode not in (0, 101) and "duplicates" in done.stderr, done.stderr)
    done = c.run("dedup", inputs[0], "-o", c.out("counts marked"), "-q", "--add-counts", "--mark")
    c.check("counts: not beside --mark", done.returncode not in (0, 101) and "--mark" in done.stderr, done.stderr)
