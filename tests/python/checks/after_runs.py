"""What one does with a finished run: attribute files, `show`, `undo`, and `explain` from any directory."""
import gzip
import json
import os
import shutil
from pathlib import Path

from checks.harness import Checks, dict_table, left_behind, summary_of, tree_of
from checks.inputs import records, write_csv, write_jsonl


def attributes(c: Checks) -> None:
    """A file beside each input, with one line for each of its records in order, of usable and of bad ones."""
    folder = c.work / "attributes"
    (folder / "data" / "deep").mkdir(parents=True)
    made = records(101, 600)
    lines = [json.dumps(one) for one in made[:200]]
    for at in (0, 0, 57, 1000):
        lines.insert(at, '{"id": "bad')
    lines.insert(9, "")
    (folder / "data" / "a.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    write_jsonl(folder / "data" / "deep" / "b.jsonl.gz", made[200:400])
    write_csv(folder / "data" / "c.csv", made[400:])
    (folder / "data" / "empty.jsonl").write_text('{"no": "text"}\n' * 3, encoding="utf-8")
    for at in range(3):
        (folder / "data" / f"{at}.txt").write_text(made[at]["text"], encoding="utf-8")
    trees = []
    for name, verb, options in (("dedup", "dedup", ()), ("spilled", "dedup", ("--memory", "1", "-j", "7")), ("keep 2", "dedup", ("--keep-n", "2")),
                                ("drop all", "dedup", ("--drop-all",)), ("marked", "dedup", ("--mark",)), ("listed", "cluster", ())):
        out = c.out(f"attributes {name}")
        done = c.run(verb, folder / "data", "-o", out, "-q", "--tables", "tsv", "-t", "0.5", "--attributes", *options)
        if not c.check(f"attributes: {name} runs", done.returncode == 0, done.stderr):
            continue
        read = {
            "data/a.jsonl": (out / "attributes" / "a.jsonl").read_text(encoding="utf-8"),
            "data/deep/b.jsonl.gz": gzip.decompress((out / "attributes" / "deep" / "b.jsonl.gz").read_bytes()).decode(),
            "data/c.csv": (out / "attributes" / "c.csv.jsonl").read_text(encoding="utf-8"),
            "data/empty.jsonl": (out / "attributes" / "empty.jsonl").read_text(encoding="utf-8"),
        }
        found = {(str(folder / name), at): json.loads(line) for name, text in read.items() for at, line in enumerate(text.splitlines(), 1)}
        texts = [json.loads(line) for line in (out / "attributes-files.jsonl").read_text(encoding="utf-8").splitlines()]
        found |= {(one["id"], 1): one for one in texts}
        c.check(f"attributes: {name}: a line for each record", [len(text.splitlines()) for text in read.values()] == [204, 200, 200, 3] and len(texts) == 3, {k: len(v.splitlines()) for k, v in read.items()})
        clusters = {(row["file"], int(row["record"])): row for row in dict_table(out / "clusters.tsv")}
        gone = {(row["removed_file"], int(row["removed_record"])) for row in dict_table(out / "ledger.tsv")} if verb == "dedup" else None
        wrong = []
        for place, line in found.items():
            row, said = clusters.get(place), line["attributes"]
            if not said:
                wrong += [f"{place} is unusable"] * (line["id"] is not None)
                continue
            leads = row is None or (row["leader_file"], int(row["leader_record"])) == place
            if said["dup_cluster_id"] != (row and int(row["cluster"])) or said["is_cluster_canonical"] != leads:
                wrong.append(f"{place}: {said}")
            if gone is not None and said["is_duplicate"] != (place in gone):
                wrong.append(f"{place}: {said}, and the ledger differs")
            if row and row["id"] != line["id"]:
                wrong.append(f"{place}: {line['id']} is {row['id']}")
        c.check(f"attributes: {name}: they say what the tables say", not wrong, wrong[:5])
        bad = [line for (file, _), line in found.items() if file.endswith(("a.jsonl", "empty.jsonl")) and not line["attributes"]]
        c.check(f"attributes: {name}: unusable records are empty lines", len(bad) == 7 and [at for (file, at), line in found.items() if file.endswith("a.jsonl") and not line["attributes"]] == [1, 2, 58, 204])
        listed = {one["name"] for one in summary_of(out)["outputs"]}
        c.check(f"attributes: {name}: the summary lists them", {"attributes/a.jsonl", "attributes-files.jsonl"} <= listed, listed)
        trees.append({path: content for path, content in tree_of(out).items() if path.startswith("attributes")})
    c.check("attributes: the same bytes in any memory and on any threads", len(trees) == 6 and trees[0] == trees[1] == trees[4])


def undoing(c: Checks) -> None:
    """Restored documents are kept, byte for byte in the order of the input, and in no table but pairs."""
    folder = c.work / "undoing"
    folder.mkdir()
    made = records(102, 500)
    lines = [json.dumps(one) for one in made[:300]]
    lines.insert(20, '{"id": "bad')
    (folder / "a.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    write_csv(folder / "b.csv", made[300:])
    inputs = (folder / "a.jsonl", folder / "b.csv")
    for name, options in (("plain", ()), ("components", ("--linkage", "components")), ("keep 2", ("--keep-n", "2")), ("drop all", ("--drop-all",)), ("jsonl", ("--tables", "jsonl")), ("parquet", ("--tables", "parquet"))):
        run, back = c.out(f"undo {name}"), c.out(f"undone {name}")
        done = c.run("dedup", *inputs, "-o", run, "-q", "-t", "0.5", *(() if "--tables" in options else ("--tables", "tsv")), *options)
        if not c.check(f"undo: {name} runs", done.returncode == 0, done.stderr):
            continue
        before = summary_of(run)
        if "--tables" in options:
            done = c.run("undo", run, "--cluster", "0", "-o", back, "-q")
            c.check(f"undo: {name}: a cluster is restored", done.returncode == 0 and summary_of(back)["clusters"] == before["clusters"] - 1, done.stderr)
            continue
        ledger, clusters = dict_table(run / "ledger.tsv"), dict_table(run / "clusters.tsv")
        chosen = [row for row in ledger if row["rule"] != "dropped"][3::7]
        cluster = next(row["cluster"] for row in clusters if row["size"] and int(row["size"]) > 2)
        members = {(row["file"], row["record"]) for row in clusters if row["cluster"] == cluster}
        places = {(row["removed_file"], row["removed_record"]) for row in chosen}
        gone = {(row["removed_file"], row["removed_record"]) for row in ledger}
        places |= members & gone
        done = c.run("undo", run, *(f"{row['removed_file']}:{row['removed_record']}" for row in chosen), "--cluster", cluster, "-o", back, "-q")
        if not c.check(f"undo: {name}: documents are restored", done.returncode == 0 and len(places) > 20, done.stderr):
            continue
        leaders = {(row["removed_file"], row["removed_record"]) for row in ledger if row["rule"] == "dropped"}
        after = summary_of(back)
        now = dict_table(back / "ledger.tsv")
        c.check(f"undo: {name}: the ledger is that without them", now == [row for row in ledger if (row["removed_file"], row["removed_record"]) not in places])
        left = {}
        for row in clusters:
            if (row["file"], row["record"]) not in places - leaders:
                left.setdefault(row["cluster"], []).append(row)
        left = [rows for rows in left.values() if len(rows) > 1]
        same = ("id", "file", "record", "leader_id", "leader_file", "leader_record", "resemblance")
        said = dict_table(back / "clusters.tsv")
        c.check(f"undo: {name}: the clusters are those without them", [[row[key] for key in same] + [row["cluster"]] for row in said]
                == [[row[key] for key in same] + [str(at)] for at, rows in enumerate(left) for row in rows])
        c.check(f"undo: {name}: sizes are those of what is left", [row["size"] for row in said if row["size"]] == [str(len(rows)) for rows in left])
        c.check(f"undo: {name}: pairs stay", (back / "pairs.tsv").read_bytes() == (run / "pairs.tsv").read_bytes())
        removed = {(row["removed_file"], int(row["removed_record"])) for row in now}
        kept, out = [], []
        for at, line in enumerate((folder / "a.jsonl").read_text(encoding="utf-8").splitlines(keepends=True), 1):
            if "bad" not in line[:12]:
                (out if (str(folder / "a.jsonl"), at) in removed else kept).append(line)
        texts = [(back / role / "a.jsonl").read_text(encoding="utf-8") for role in ("kept", "removed")]
        c.check(f"undo: {name}: records are in their order, byte for byte", texts == ["".join(kept), "".join(out)])
        sizes = sum(len(path.read_bytes()) for path in (back / "kept" / "b.csv", back / "removed" / "b.csv"))
        header = len((folder / "b.csv").read_bytes().split(b"\n")[0]) + 1
        c.check(f"undo: {name}: no row is lost", sizes - header == len((folder / "b.csv").read_bytes()))
        c.check(f"undo: {name}: rejected records stay", (back / "rejected" / "a.jsonl").read_bytes() == (run / "rejected" / "a.jsonl").read_bytes())
        expected = {"documents": before["documents"], "kept": before["kept"] + len(places), "clusters": len(left),
                    "documents_in_clusters": sum(map(len, left)), "largest_cluster": max(map(len, left))}
        c.check(f"undo: {name}: the summary counts it", all(after[key] == value for key, value in expected.items())
                and sum(after["removed"].values()) == len(now) and sum(one["kept"] for one in after["inputs"]) == after["kept"], {key: after[key] for key in expected})
        c.check(f"undo: {name}: it says what was restored", len(after["settings"]["restored"]) == len(places) and after["digest"] != before["digest"])
        again = c.out(f"undone twice {name}")
        row = next(row for row in now if row["rule"] != "dropped")
        done = c.run("undo", back, f"{row['removed_file']}:{row['removed_record']}", "-o", again, "-q")
        c.check(f"undo: {name}: a result is restored again", done.returncode == 0 and len(summary_of(again)["settings"]["restored"]) == len(places) + 1, done.stderr)

    run, never = c.out("undo plain"), folder / "never"
    kept = next(json.loads(line)["id"] for line in (run / "kept" / "a.jsonl").read_text(encoding="utf-8").splitlines() if json.loads(line).get("id") not in (None, "", "same"))
    row = dict_table(run / "ledger.tsv")[5]
    name = f"{row['removed_file']}:{row['removed_record']}"
    c.run("cluster", *inputs, "-o", c.out("undo listed"), "-q", "-t", "0.5", "--tables", "tsv")

    def refused(label: str, wanted: str, *arguments) -> None:
        done = c.run("undo", *arguments, "-o", never)
        c.check(f"undo: refused: {label}", done.returncode in (1, 2) and wanted in done.stderr and not never.exists() and not left_behind(folder), f"exit {done.returncode}: {done.stderr}")

    refused("a kept document", "the removed documents of the run", run, str(kept))
    refused("no document", "required", run)
    refused("no such cluster", "there is no cluster 99999", run, "--cluster", "99999")
    refused("a run that lists", "removed no documents", c.out("undo listed"), name)
    for label, path, wanted in (("a changed table", "ledger.tsv", "ledger.tsv"), ("a changed output", "kept/a.jsonl", "was changed or removed")):
        copy = folder / f"copy {label}"
        shutil.copytree(run, copy)
        text = (copy / path).read_bytes()
        (copy / path).write_bytes(text + text[-20:])
        refused(label, wanted, copy, name)
    copy = folder / "copy of the same size"
    shutil.copytree(run, copy)
    text = (copy / "clusters.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
    text[1], text[2] = text[1].replace("\t0\t", "\t1\t", 1), text[2]
    (copy / "clusters.tsv").write_text("".join(text), encoding="utf-8")
    refused("a table of the same size", "not those that its summary tells of", copy, name)
    (folder / "b.csv").write_bytes((folder / "b.csv").read_bytes() + b"x,y,,\n")
    refused("a changed input", "inputs have changed since", run, name)
    undoing_any_name(c, folder)


def undoing_any_name(c: Checks, folder: Path) -> None:
    """Names that are not UTF-8, and those with characters that are escaped in results."""
    inputs = os.fsencode(folder / "any name")
    text = "one fish two fish red fish blue fish black fish old fish new fish"
    names = (b"plain.jsonl", b"l\xe9.jsonl", b"back\\xe9.jsonl", b"d\xe9r/new\nline.jsonl")
    for number, name in enumerate(names):
        path = os.path.join(inputs, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        Path(os.fsdecode(path)).write_text(json.dumps({"id": str(number), "text": text}) + "\n")
    run, back = c.out("undo any name"), c.out("undone any name")
    done = c.run("dedup", folder / "any name", "-o", run, "-q", "--attributes", "--tables", "tsv")
    c.check("undo: any name: runs", done.returncode == 0, done.stderr)
    done = c.run("undo", run, "--cluster", "0", "-o", back, "-q")
    kept = [(Path(os.fsdecode(os.path.join(os.fsencode(back / "kept"), name)))) for name in names]
    c.check("undo: any name: is restored", done.returncode == 0 and all(path.read_text() for path in kept), done.stderr)
    listed = [output["name"] for output in summary_of(back)["outputs"]]
    wanted = {"kept/plain.jsonl", "kept/l\\xe9.jsonl", "kept/back\\\\xe9.jsonl", "kept/d\\xe9r/new\\nline.jsonl"}
    c.check("undo: any name: the summary has different names", wanted <= set(listed), listed)
    done = c.run("dedup", folder / "any name", "-o", "-", "-q")
    c.check("undo: any name: one stream of them", done.returncode == 0 and done.stdout.count("\n") == 1, done.stderr)


def showing(c: Checks) -> None:
    """`show` answers from the tables; `show` and `explain` find relative inputs from any directory."""
    folder, away = c.work / "showing", c.work / "away"
    folder.mkdir()
    away.mkdir()
    made = records(103, 400)
    write_jsonl(folder / "data" / "a.jsonl", made[:250])
    write_jsonl(folder / "data" / "b.jsonl", made[250:])
    done = c.run("dedup", "data", "./data/b.jsonl", "-o", "clean", "-q", "-t", "0.5", "--tables", "tsv", cwd=folder)
    run = folder / "clean"
    c.check("show: there is a run", done.returncode == 0, done.stderr)
    clusters, ledger = dict_table(run / "clusters.tsv"), dict_table(run / "ledger.tsv")

    def shown(*arguments, cwd=away) -> dict:
        done = c.run("show", run, *arguments, "--format", "json", cwd=cwd)
        c.check(f"show {arguments[:2]} runs", done.returncode == 0, done.stderr)
        answer = json.loads(done.stdout or "{}")
        return {"total": answer.get("total"), "rows": [dict(zip(answer["columns"], row)) for row in answer.get("rows", [])]}

    leads = sorted((-int(row["size"]), int(row["cluster"])) for row in clusters if row["size"])
    found = shown("-n", "5")
    c.check("show: clusters by size", [(-row["size"], row["cluster"]) for row in found["rows"]] == leads[:5] and found["total"] == len(leads))
    largest = str(leads[0][1])
    members = [row for row in clusters if row["cluster"] == largest]
    found = shown("--cluster", largest, "-n", "1000")
    c.check("show: the documents of a cluster", [(row["id"], row["file"], str(row["record"])) for row in found["rows"]] == [(row["id"], row["file"], row["record"]) for row in members])
    rules = {(row["removed_file"], row["removed_record"]): row["rule"] for row in ledger}
    c.check("show: with their rules", all(row["rule"] == rules.get((row["file"], str(row["record"]))) for row in found["rows"]))
    member = members[-1]
    c.check("show: the cluster of a document", shown(f"{member['file']}:{member['record']}", "-n", "1000") == found)
    lost = [row for row in ledger if row["removed_file"] == "data/a.jsonl"]
    found = shown("--source", "data/a.jsonl")
    c.check("show: the losses of a source", found["rows"][0]["removed"] == len(lost) == sum(row["removed"] for row in found["rows"][1:]) > 0, found)
    word = max(made[3]["text"].split(), key=len)
    holders = [(f"data/{'a' if at < 250 else 'b'}.jsonl", at % 250 + 1 if at < 250 else at - 249) for at, one in enumerate(made) if word in one["text"]]
    found = shown("--grep", word, "-n", "1000")
    c.check("show: the texts that contain a word", [(row["file"], row["record"]) for row in found["rows"]] == holders and all(word in row["text"] for row in found["rows"]), (word, holders[:5], found["rows"][:3]))
    by_place = {(row["file"], row["record"]): row["cluster"] for row in clusters}
    c.check("show: with their clusters", all(row["cluster"] == (int(number) if (number := by_place.get((row["file"], str(row["record"])))) is not None else None) for row in found["rows"]))
    done = c.run("show", run, "-n", "2", cwd=away)
    c.check("show: as text", done.returncode == 0 and done.stdout.startswith("cluster") or " cluster" in done.stdout.split("\n")[0], done.stdout)
    c.check("show: it says that there is more", f"and {len(leads) - 2} more" in done.stdout, done.stdout)
    for arguments, wanted in ((("nobody",), "nobody"), (("--cluster", "99999"), "no cluster 99999"), (("--source", "c.jsonl"), "data/a.jsonl"), (("--grep", ""), "no text"), (("x", "--cluster", "1"), "cannot be used")):
        done = c.run("show", run, *arguments)
        c.check(f"show: refused: {arguments}", done.returncode in (1, 2) and wanted in done.stderr, f"exit {done.returncode}: {done.stderr}")

    row = next(row for row in ledger if row["rule"] == "near")
    names = [f"{row[f'{role}_file']}:{row[f'{role}_record']}" for role in ("removed", "kept")]
    explained = lambda run, cwd: c.run("explain", *names, "--run", run, cwd=cwd)
    here = explained("clean", folder)
    c.check("explain: where the run was made", here.returncode == 0, here.stderr)
    c.check("explain: from another directory", explained(run, away).stdout == here.stdout != "", explained(run, away).stderr)
    # Everything moved together; then only the result, and the data in the current directory.
    moved = c.work / "moved"
    shutil.copytree(folder, moved)
    hidden = c.work / "hidden"
    folder.rename(hidden)
    c.check("explain: run and inputs moved together", explained(moved / "clean", away).stdout == here.stdout, explained(moved / "clean", away).stderr)
    shutil.move(moved / "clean", away / "clean")
    c.check("explain: inputs in the current directory", explained(away / "clean", moved).stdout == here.stdout, explained(away / "clean", moved).stderr)
    lost = explained(away / "clean", c.work)
    c.check("explain: it says what was tried", lost.returncode == 1 and all(str(place) in lost.stderr for place in (folder, "the current directory", away / "clean")), lost.stderr)
    hidden.rename(folder)
