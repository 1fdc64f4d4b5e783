"""`compare-runs`, against sets and dictionaries that are made from the tables of both runs."""
import json
import shutil
from collections import Counter, defaultdict
from pathlib import Path

from checks.harness import Checks, dict_table, left_behind, summary_of
from checks.inputs import collection, records, write_jsonl

WITNESS = ("only-a", "only-b", "witness")


def removed_by(run: Path, inputs: set) -> dict:
    """Removed documents of the inputs: rule, witness, resemblance."""
    rows = dict_table(run / "ledger.tsv")
    return {(row["removed_file"], int(row["removed_record"])): row for row in rows if row["removed_file"] in inputs}


def clusters_of(run: Path, inputs: set) -> tuple[dict, dict]:
    """Clusters of two documents of the inputs or more, and the names of all leaders."""
    members, leaders = defaultdict(set), {}
    for row in dict_table(run / "clusters.tsv"):
        leaders[int(row["cluster"])] = [row["leader_id"], row["leader_file"], int(row["leader_record"])]
        if row["file"] in inputs:
            members[int(row["cluster"])].add((row["file"], int(row["record"])))
    return {number: documents for number, documents in members.items() if len(documents) > 1}, leaders


def split(own: dict, other: dict, leaders: dict) -> list:
    """Clusters whose documents are not all in one cluster of the other run, as rows of the list."""
    of = {document: number for number, documents in other.items() for document in documents}
    rows = []
    for number, documents in own.items():
        together = Counter(of[document] for document in documents if document in of)
        parts = sorted([*together.values(), *[1] * sum(document not in of for document in documents)], reverse=True)
        if len(parts) > 1:
            rows.append([number, len(documents), *leaders[number], parts])
    return sorted(rows, key=lambda row: (-row[1], row[0]))


def compare_runs(c: Checks) -> None:
    """Counts, lists and tables for pairs of runs: other thresholds, rules, linkages, inputs, commands."""
    folder = c.work / "compare runs"
    folder.mkdir()
    first, second, third = (collection(folder / f"{name}.jsonl", 400 + at, 500, name) for at, name in enumerate("abc"))
    other = collection(folder / "against.jsonl", 401, 300, "x")
    runs = {
        "usual": ("dedup", first, second, third),
        "loose": ("dedup", first, second, third, "-t", "0.4", "--tables", "jsonl"),
        "longest": ("dedup", first, second, third, "-t", "0.5", "--keep", "longest"),
        "components": ("dedup", first, second, third, "-t", "0.5", "--linkage", "components", "--witness", "first"),
        "dropped": ("dedup", first, second, third, "--drop-all"),
        "words": ("dedup", first, second, third, "--shingle", "1", "-t", "0.6", "--tables", "parquet"),
        "fewer": ("dedup", second, third, "-t", "0.6"),
        "against": ("dedup", first, third, "--against", other, "-t", "0.5"),
        "listed": ("cluster", first, second, third, "-t", "0.6"),
    }
    outs = {}
    for name, arguments in runs.items():
        outs[name] = c.out(f"compared {name}")
        given = arguments if "--tables" in arguments else (*arguments, "--tables", "tsv")
        done = c.run(*given, "-o", outs[name], "-q", "--no-report")
        c.check(f"compare runs: {name} runs", done.returncode == 0, done.stderr)
    # What is read here are tables of tabs: those of the same run.
    tabs = {}
    for name, arguments in runs.items():
        tabs[name] = outs[name]
        if not (outs[name] / "clusters.tsv").exists():
            tabs[name] = c.out(f"compared {name} tabs")
            given = [part for part in arguments if part not in ("--tables", "jsonl", "parquet")]
            c.run(*given, "--tables", "tsv", "-o", tabs[name], "-q", "--no-report")
    pairs = [("usual", "loose"), ("loose", "longest"), ("loose", "components"), ("usual", "usual"), ("usual", "dropped"), ("words", "loose"),
             ("usual", "fewer"), ("fewer", "against"), ("against", "usual"), ("listed", "usual"), ("loose", "listed"), ("listed", "listed")]
    kinds = Counter()
    for a, b in pairs:
        kinds.update(compared(c, f"{a} and {b}", (a, b), outs, tabs))
    wanted = {"only_a", "only_b", "witness", "rule", "split", "merged", "dissolved", "new", "same"}
    c.check("compare runs: every kind of change occurs", wanted <= {kind for kind, n in kinds.items() if n}, str(kinds))
    settings_and_inputs(c, folder, outs)


def compared(c: Checks, name: str, pair: tuple, outs: dict, tabs: dict) -> dict:
    """One comparison: all counts, every list, and both tables. Returns the counts."""
    runs, told = [tabs[one] for one in pair], [outs[one] for one in pair]
    summaries = [summary_of(run) for run in runs]
    inputs = set.intersection(*({one["name"] for one in summary["inputs"]} for summary in summaries))
    out = c.out(f"comparison {name}")
    done = c.run("compare-runs", *told, "--format", "json", "-o", out, "--tables", "tsv")
    if not c.check(f"compare runs: {name}: exit code", done.returncode == 0 and not left_behind(out.parent), done.stderr):
        return {}
    found = json.loads(done.stdout)
    documents = [sum(one["documents"] for one in summary["inputs"] if one["name"] in inputs) for summary in summaries]
    c.check(f"compare runs: {name}: documents", found["documents"] == documents, f"{found['documents']} {documents}")
    c.check(f"compare runs: {name}: the summary is what is printed", summary_of(out) == found)
    groups, leaders = zip(*(clusters_of(run, inputs) for run in runs))
    lists = {"split": split(*groups, leaders[0]), "merged": split(*reversed(groups), leaders[1])}
    sets = [set(map(frozenset, own.values())) for own in groups]
    wanted = {
        "a": len(groups[0]), "b": len(groups[1]), "documents_a": sum(map(len, groups[0].values())), "documents_b": sum(map(len, groups[1].values())),
        "same": len(sets[0] & sets[1]),
        "split": len(lists["split"]), "split_documents": sum(row[1] for row in lists["split"]), "dissolved": sum(max(row[-1]) == 1 for row in lists["split"]),
        "merged": len(lists["merged"]), "merged_documents": sum(row[1] for row in lists["merged"]), "new": sum(max(row[-1]) == 1 for row in lists["merged"]),
    }
    c.check(f"compare runs: {name}: clusters", found["clusters"] == wanted, f"{found['clusters']} {wanted}")
    of = [{document: (number, len(own[number])) for number in own for document in own[number]} for own in groups]
    regrouped = []
    for document in sorted(set(of[0]) | set(of[1])):
        places = [own.get(document) for own in of]
        if not all(places) or groups[0][places[0][0]] != groups[1][places[1][0]]:
            regrouped.append([document[0], str(document[1]), *(str(value) for place in places for value in (place or ("", "")))])
    rows = [list(row.values()) for row in dict_table(out / "regrouped.tsv")]
    c.check(f"compare runs: {name}: regrouped", [row[1:] for row in rows] == regrouped, f"{rows[:3]} {regrouped[:3]}")
    counts = Counter({kind: wanted[kind] for kind in ("split", "merged", "dissolved", "new", "same")})

    changed = [list(row.values()) for row in dict_table(out / "changed.tsv")]
    if any(summary["action"] == "list" for summary in summaries):
        c.check(f"compare runs: {name}: nothing was removed", found["removed"] is None and not changed)
        refused = c.run("compare-runs", *told, "--list", "only-a")
        c.check(f"compare runs: {name}: no removals to list", refused.returncode == 2 and "--list" in refused.stderr, refused.stderr)
    else:
        ledgers = [removed_by(run, inputs) for run in runs]
        of_rows, told_lists = changes(*ledgers, inputs)
        lists |= told_lists
        c.check(f"compare runs: {name}: changed", changed == of_rows, f"{changed[:3]} {of_rows[:3]}")
        kinds = Counter(row[3] for row in of_rows)
        rules = lambda at: dict(Counter(row["rule"] for place, row in ledgers[at].items() if place not in ledgers[1 - at]))
        removed = {
            "a": len(ledgers[0]), "b": len(ledgers[1]), "both": len(set(ledgers[0]) & set(ledgers[1])), "other_witness": kinds["witness"], "other_rule": kinds["rule"],
            "only_a": kinds["only_a"], "only_a_rules": rules(0), "only_b": kinds["only_b"], "only_b_rules": rules(1),
        }
        c.check(f"compare runs: {name}: removed", found["removed"] == removed, f"{found['removed']} {removed}")
        counts.update(kinds)
    for what, rows in lists.items():
        for limit in (3, 10_000):
            done = c.run("compare-runs", *told, "--list", what, "-n", limit, "--format", "json")
            listed = json.loads(done.stdout)["listed"] if done.returncode == 0 else {"rows": None, "total": None}
            got = listed["rows"] and [[round(cell, 6) if isinstance(cell, float) else cell for cell in row] for row in listed["rows"]]
            c.check(f"compare runs: {name}: {what}, {limit}", got == rows[:limit] and listed["total"] == len(rows), f"{done.stderr} {got and got[:2]} {rows[:2]}")
    return counts


def changes(a: dict, b: dict, inputs: set) -> tuple[list, dict]:
    """The rows of the table `changed`, and of the lists."""
    rows, lists = [], {what: [] for what in WITNESS}
    for place in sorted(set(a) | set(b)):
        sides = [own.get(place) for own in (a, b)]
        one = sides[0] or sides[1]
        id, (file, record) = one["removed_id"], place
        witness = lambda row: (row["kept_file"], int(row["kept_record"]))
        if all(sides):
            change = "witness" if witness(a[place]) != witness(b[place]) else "rule" if a[place]["rule"] != b[place]["rule"] else None
            if change:
                lists["witness"].append([id, file, record, a[place]["rule"], a[place]["kept_id"], b[place]["rule"], b[place]["kept_id"]])
        else:
            change, other = ("only_a", b) if sides[0] else ("only_b", a)
            resemblance = round(float(one["resemblance"]), 6) if one["resemblance"] else None
            stays = witness(one) not in other if one["kept_file"] in inputs else None
            lists[change.replace("_", "-")].append([id, file, record, one["rule"], one["kept_id"], resemblance, stays])
        if change:
            columns = ("rule", "kept_id", "kept_file", "kept_record", "resemblance")
            rows.append([id, file, str(record), change, *(side[column] if side else "" for side in sides for column in columns)])
    return rows, lists


def settings_and_inputs(c: Checks, folder: Path, outs: dict) -> None:
    """What differs in settings and inputs, and what is refused."""
    found = json.loads(c.run("compare-runs", outs["usual"], outs["against"], "--format", "json").stdout)
    settings = {row["name"]: (row["a"], row["b"]) for row in found["settings"]}
    against = str(folder / "against.jsonl")
    c.check("compare runs: settings", settings == {"threshold": ("0.8", "0.5"), "against": ([], [against])}, str(settings))
    c.check("compare runs: inputs", found["inputs"] == {"both": 2, "only_a": [str(folder / "b.jsonl")], "only_b": [], "changed": []}, str(found["inputs"]))
    said = c.run("compare-runs", outs["usual"], outs["against"])
    c.check("compare runs: text", said.returncode == 0 and "threshold" in said.stdout and "split in B" in said.stdout and "b.jsonl: only the first run" in said.stderr, said.stdout + said.stderr)
    commands = json.loads(c.run("compare-runs", outs["listed"], outs["usual"], "--format", "json").stdout)["settings"]
    c.check("compare runs: the command differs", {"name": "command", "a": "cluster", "b": "dedup"} in commands, str(commands))
    # The same name, other documents.
    moved, out = folder / "b.jsonl", c.out("compared changed")
    write_jsonl(moved, records(7, 30, "new"))
    c.run("dedup", moved, folder / "c.jsonl", "-o", out, "-q", "--tables", "tsv", "--no-report")
    changed = c.run("compare-runs", outs["fewer"], out, "--format", "json")
    c.check("compare runs: a changed input", json.loads(changed.stdout)["inputs"]["changed"] == [str(moved)] and "has changed" in changed.stderr, changed.stderr)
    # Another version's run: its analysis does not matter.
    old = c.out("compared old")
    shutil.copytree(outs["loose"], old)
    summary = summary_of(old)
    summary["settings"]["analysis"], summary["tool"]["version"] = "words/0", "0.0.1"
    (old / "summary.json").write_text(json.dumps(summary))
    told = json.loads(c.run("compare-runs", old, outs["loose"], "--format", "json").stdout)
    c.check("compare runs: another version", {row["name"] for row in told["settings"]} == {"analysis", "version"} and told["removed"]["both"] == told["removed"]["a"], str(told["settings"]))
    alone, out, none = write_jsonl(folder / "alone.jsonl", records(8, 30)), c.out("compared alone"), c.out("compared none")
    c.run("dedup", alone, "-o", out, "-q", "--no-report")
    for name, arguments, code, said in (
        ("no input in common", (outs["usual"], out), 2, "no input in common"),
        ("no run", (outs["usual"], folder), 1, "summary.json"),
        ("a comparison", (outs["usual"], c.out("comparison usual and loose")), 1, "a result of `compare-runs`"),
        ("another list", (outs["usual"], outs["loose"], "--list", "all"), 2, "only-a"),
        ("a result that exists", (outs["usual"], outs["loose"], "-o", out), 1, "already exists"),
        ("into a run", (outs["usual"], outs["loose"], "-o", outs["usual"].parent, "--force"), 1, ""),
    ):
        done = c.run("compare-runs", *arguments)
        c.check(f"compare runs: refused: {name}", done.returncode == code and said in done.stderr and not none.exists(), f"exit {done.returncode}: {done.stderr}")
    (outs["usual"] / "clusters.tsv").unlink()
    done = c.run("compare-runs", outs["usual"], outs["loose"])
    c.check("compare runs: a missing table", done.returncode == 1 and "clusters" in done.stderr, done.stderr)
