"""explain of a result of passages: what its tables say, both sides from the texts, and what it refuses."""
import json

from checks.decontaminated import words_of
from checks.harness import Checks, dict_table, summary_of
from checks.passages import made


def passage_explain(c: Checks) -> None:
    folder = c.work / "passage-explain"
    folder.mkdir()
    docs = made(29)
    write = lambda path, some: path.write_text("".join(json.dumps(doc, ensure_ascii=False) + "\n" for doc in some), encoding="utf-8")
    write(folder / "docs.jsonl", docs[50:])
    write(folder / "beside.jsonl", docs[:50])
    text_of = {doc["id"]: doc["text"].encode() for doc in docs}
    for name, options, table, other in (("cut", (), "cuts", "kept_"), ("none", ("--cut", "none"), "passages", "first_"), ("chars", ("--unit", "char", "-L", "60"), "cuts", "kept_"), ("spans", ("--write", "spans"), "cuts", "kept_")):
        out, title = c.out(f"passage explain {name}"), f"passages: explain: {name}"
        length = () if "-L" in options else ("-L", "8")
        done = c.run("passages", "docs.jsonl", "--against", "beside.jsonl", "-o", out, "--tables", "tsv", "-q", *length, *options, cwd=folder)
        if not c.check(f"{title} runs", done.returncode == 0, done.stderr):
            continue
        unit = summary_of(out)["settings"]["unit"]
        c.check(f"{title}: the summary names the unit", unit == ("char" if name == "chars" else "word"), unit)
        rows: dict = {}
        for row in dict_table(out / f"{table}.tsv"):
            rows.setdefault(row["id"], []).append(row)
        wrong = []
        for id in [*rows][:: max(1, len(rows) // 6)]:
            done = c.run("explain", id, "--run", out, "--format", "json")
            if done.returncode != 0:
                wrong.append((id, done.stderr))
                continue
            found = json.loads(done.stdout)
            sides = lambda row, role: tuple(int(row[f"{role}{column}"]) for column in ("unit", "byte", "end_byte"))
            said = [(passage["units"], passage["other"]["id"], *((side["unit"], side["byte"], side["end_byte"]) for side in (passage["here"], passage["there"])), passage["holds"]) for passage in found["passages"]]
            wanted = [(int(row["units"]), row[f"{other}id"], sides(row, ""), sides(row, other), True) for row in rows[id]]
            wrong += [] if said == wanted and found["document"]["id"] == id and found["cut"] == (name != "none") else [(id, said[:2], wanted[:2])]
            for passage in found["passages"]:
                for side, of in ((passage["here"], id), (passage["there"], passage["other"]["id"])):
                    text = text_of[of]
                    whole = side["before"] + side["text"] + side["behind"]
                    right = side["text"].encode() == text[side["byte"] : side["end_byte"]] and whole.encode() in text and side["digest"] == passage.get("digest", side["digest"])
                    wrong += [] if right else [(id, side)]
                wrong += [] if words_of(passage["here"]["text"]) == words_of(passage["there"]["text"]) or name == "chars" else [(id, passage)]
            if name == "cut":
                units = {unit for row in rows[id] for unit in range(int(row["unit"]), int(row["unit"]) + int(row["units"]))}
                wrong += [] if (found["covered"], found["units"]) == (len(units), len(words_of(text_of[id].decode()))) else [(id, found["covered"], found["units"])]
        c.check(title, not wrong and len(rows) > 20, wrong[:2])
    out = c.out("passage explain cut")
    rows = dict_table(out / "cuts.tsv")
    row = next(row for row in rows if sum(other["id"] == row["id"] for other in rows) > 1)
    middle = int(row["byte"]) + 1
    covering = [other for other in rows if other["id"] == row["id"] and int(other["byte"]) < middle + 1 and middle < int(other["end_byte"])]
    place = f"{row['file']}:{row['record']}"
    for cwd in (folder, c.work):
        done = c.run("explain", place, f"{middle}..{middle + 1}", "--run", out, "--format", "json", cwd=cwd)
        found = json.loads(done.stdout) if done.returncode == 0 else done.stderr
        c.check("passages: explain: a range, by FILE:RECORD, from any directory", done.returncode == 0 and [passage["here"]["byte"] for passage in found["passages"]] == [int(other["byte"]) for other in covering], found)
    done = c.run("explain", row["id"], "--run", out)
    c.check("passages: explain: as text", done.returncode == 0 and row["digest"] in done.stdout and "read again, the same on both sides" in done.stdout and "[[" in done.stdout and f"the same in {row['kept_id']} (" in done.stdout, done.stdout[:600] + done.stderr)
    for arguments, said in (((row["id"], "9..3"), "1200..1390"), ((row["id"], "99999999..99999999999"), "no passage"), (("nobody",), "nobody"), ((row["id"], "d1"), "1200..1390")):
        done = c.run("explain", *arguments, "--run", out)
        c.check(f"passages: explain {' '.join(arguments[1:])}: refused", done.returncode in (1, 2) and said in done.stderr, done.stderr)
    hidden_names(c, folder)
    # `show --passages`: the table by passages, and by document.
    passages: dict = {}
    table = dict_table(out / "passages.tsv")
    for one in table:
        of = passages.setdefault((one["first_file"], int(one["first_record"]), int(one["first_unit"]), int(one["units"])), [])
        of.append(one)
    order = sorted(passages, key=lambda first: (-max(int(one["most_copies"]) for one in passages[first]), -first[3], first))
    wanted = [[max(int(one["most_copies"]) for one in passages[first]), first[3], len({one["id"] for one in passages[first]}), passages[first][0]["first_id"]] for first in order]
    done = c.run("show", out, "--passages", "--format", "json", "-n", "10000")
    shown = json.loads(done.stdout) if done.returncode == 0 else {"rows": done.stderr, "total": 0}
    c.check("passages: show: the most copied", [row[:4] for row in shown["rows"]] == wanted and shown["total"] == len(wanted) > 20, (shown["rows"][:2], wanted[:2]))
    own = [[int(one["byte"]), int(one["end_byte"]), int(one["units"]), int(one["most_copies"]), one["first_id"]] for one in table if one["id"] == row["id"]]
    done = c.run("show", out, row["id"], "--passages", "--format", "json", "-n", "2")
    shown = json.loads(done.stdout) if done.returncode == 0 else {"rows": done.stderr, "total": 0}
    c.check("passages: show: those of a document", [one[:5] for one in shown["rows"]] == own[:2] and shown["total"] == len(own), (shown, own))
    for arguments, said in (((out, "nobody", "--passages"), "nobody"), ((out, "--passages", "--cluster", "1"), "--cluster")):
        done = c.run("show", *arguments)
        c.check(f"passages: show {' '.join(arguments[1:])}: refused", done.returncode in (1, 2) and said in done.stderr, done.stderr)
    # The inputs change: what is said of them is no longer so.
    changed = [{**doc, "text": doc["text"].replace("a", "o").replace("e", "u")} for doc in docs[50:]]
    write(folder / "docs.jsonl", changed)
    done = c.run("explain", row["id"], "--run", out, "--format", "json", cwd=folder)
    found = json.loads(done.stdout) if done.returncode == 0 else {}
    here = words_of(docs[int(row["id"][1:])]["text"])
    same = any(not (set("ae") & set("".join(here[int(one["unit"]) : int(one["unit"]) + int(one["units"])]))) for one in rows if one["id"] == row["id"])
    c.check("passages: explain: texts that have changed", done.returncode == 0 and (same or not any(passage["holds"] for passage in found["passages"])), done.stderr or found)
    deduped = c.out("passage explain dedup")
    c.run("dedup", folder / "beside.jsonl", "-o", deduped, "-q", "--threshold", "0.5")
    done = c.run("show", deduped, "--passages")
    c.check("passages: show: a result of dedup has none", done.returncode == 1 and "a result of `dedup`" in done.stderr and "`passages`" in done.stderr, done.stderr)
    done = c.run("explain", "d1", "--run", deduped)
    c.check("passages: explain: a result of dedup needs two documents", done.returncode in (1, 2) and "two documents" in done.stderr, done.stderr)


def hidden_names(c: Checks, folder) -> None:
    """A name with a control character is found as it is and as listings show it."""
    text = "one two three four five six seven eight nine ten eleven twelve"
    source = folder / "y\x1bz.jsonl"
    source.write_text("".join(json.dumps({"id": id, "text": text}) + "\n" for id in ("a", "b\x9b\u202e")), encoding="utf-8")
    cut, kept = c.out("passage explain hidden"), c.out("explain hidden")
    for verb, out, options in (("passages", cut, ("-L", "5")), ("dedup", kept, ())):
        done = c.run(verb, source, "-o", out, "-q", *options)
        c.check(f"explain: hidden names: {verb}", done.returncode == 0, done.stderr)
    shown = "b\\u{9b}\\u{202e}"
    for name in ("b\x9b\u202e", shown, f"{source}:2", f"{source}:2".replace("\x1b", "\\u{1b}")):
        done = c.run("explain", name, "--run", cut)
        c.check(f"explain: hidden names: passages of {name!r}", done.returncode == 0 and f"{shown} (" in done.stdout, done.stderr)
        done = c.run("explain", "a", name, "--run", kept)
        c.check(f"explain: hidden names: a and {name!r}", done.returncode == 0 and "Identical texts" in done.stdout, done.stderr)
    done = c.run("explain", "a\\u{1b}", shown, "--run", kept)
    c.check("explain: hidden names: the name that was given is not found", done.returncode == 1 and "a\\u{1b}`" in done.stderr, done.stderr)
