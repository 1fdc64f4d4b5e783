"""dedup --passages: what two commands do one after the other, in one run."""
import json
import random
from pathlib import Path

from checks.fault_server import Files, serving
from checks.harness import Checks, dict_table, summary_of, tree_of
from checks.inputs import write_csv, write_jsonl
from checks.passages import made


def lines_of(path: Path) -> list:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def files_of(out: Path, role: str) -> list:
    """The files of kept or removed documents: one, or those in a directory."""
    return sorted(path for path in [*out.glob(f"{role}.*"), *(out / role).rglob("*")] if path.is_file())


def without_places(rows: list) -> list:
    """Rows without the files and numbers of records, which are others in the files of what was kept."""
    return [{name: value for name, value in row.items() if not name.endswith(("file", "record"))} for row in rows]


def dedup_passages(c: Checks) -> None:
    folder = c.work / "dedup passages"
    folder.mkdir()
    docs = made(11)
    # Copies of documents, and some that no reader can use.
    docs += [{**doc, "id": f"{doc['id']}b", "n": len(docs) + at, "text": doc["text"].upper()} for at, doc in enumerate(docs[3:60:4])]
    docs += [{"n": len(docs), "id": "bad", "text": None}]
    for doc in docs:
        doc |= {"site": f"s{doc['n'] % 2}", "title": f"of {doc['n'] % 7} " * 9}
    first, second = folder / "a.jsonl", folder / "b.jsonl"
    write_jsonl(first, docs[:120])
    write_jsonl(second, docs[120:])
    table = folder / "c.csv"
    write_csv(table, [{name: doc[name] or "" for name in ("n", "id", "text")} for doc in docs])
    other = folder / "other.jsonl"
    write_jsonl(other, [{"n": -1, "id": "other", "text": "\n".join(doc["text"] for doc in docs[70:90])}, *({**doc, "id": f"o{doc['id']}"} for doc in docs[100:110])])
    for name, inputs, length, options in (
        ("files", (first, second), 12, ()), ("longest", (first, second), 9, ("--keep", "longest")), ("CSV", (table,), 12, ()), ("against", (first, second), 12, ("--against", other)),
        ("against alone", (first,), 12, ("--against", other, "--against-only")), ("few shingles", (first, second), 20, ("-t", "0.3", "--distinct-by", "numbers")), ("all gone", (first, second), 12, ("--drop-all",)),
        ("sites", (first, second), 12, ("--separate-by", "site")), ("fields", (first, second), 12, ("--text-field", "title,text")),
        # Their tokens are no words: passages are found in a reading of their own.
        ("characters", (first, second), 12, ("--shingle-unit", "char", "--shingle", "20")),
    ):
        both, before, after = (c.out(f"dedup passages {name} {which}") for which in ("both", "before", "after"))
        beside = options[options.index("--against") :][:2] if "--against" in options else ()
        keep = options if options[:1] in (("--keep",), ("--separate-by",), ("--text-field",)) else ()
        done = c.run("dedup", *inputs, "-o", both, "--passages", str(length), "--tables", "tsv", "-q", *options)
        if not c.check(f"dedup passages: {name} runs", done.returncode == 0, done.stderr):
            continue
        c.run("dedup", *inputs, "-o", before, "--tables", "tsv", "-q", *options)
        done = c.run("passages", *files_of(before, "kept"), "-o", after, "-L", str(length), "--tables", "tsv", "-q", *beside, *keep)
        c.check(f"dedup passages: {name}: passages of what is kept run", done.returncode == 0, done.stderr)
        # Texts of several fields are not cut.
        is_fixed = name == "fields"
        for table_name in ("ledger.tsv", "pairs.tsv", "clusters.tsv"):
            c.check(f"dedup passages: {name}: {table_name}", lines_of(both / table_name) == lines_of(before / table_name))
        for table_name in ("passages.tsv", "cuts.tsv", "edits.tsv"):
            one, two = dict_table(both / "passages" / table_name), dict_table(after / table_name)
            c.check(f"dedup passages: {name}: {table_name}", without_places(one) == without_places(two) and (one or is_fixed and table_name != "passages.tsv"), (len(one), len(two)))
        texts = lambda out: sorted(line for path in files_of(out, "kept") for line in lines_of(path))
        c.check(f"dedup passages: {name}: documents", texts(both) == texts(after) and is_fixed == (texts(both) == texts(before)))
        gone = lambda *outs: sorted(line for out in outs for path in files_of(out, "removed") for line in lines_of(path)[1 if path.suffix == ".csv" else 0 :])
        c.check(f"dedup passages: {name}: removed documents", gone(both) == gone(before, after) and (gone(both) or name == "against alone"))
        summary, of_passages = summary_of(both), summary_of(both / "passages")
        numbers = ("passages", "cut", "removed")
        c.check(f"dedup passages: {name}: numbers", all(summary["passages"][number] == of_passages[number] == summary_of(after)[number] for number in numbers) and summary["passages"]["units"] == summary_of(after)["units"], summary.get("passages"))
        outputs = [output["name"] for output in summary["outputs"]]
        c.check(f"dedup passages: {name}: outputs", all((both / output).exists() for output in outputs) and "passages/cuts.tsv" in outputs, outputs)
        of_folder = [output["name"] for output in of_passages["outputs"]]
        c.check(f"dedup passages: {name}: outputs of the folder", all((both / "passages" / output).exists() and f"passages/{output}" in outputs for output in of_folder), of_folder)
        again = c.out(f"dedup passages {name} again")
        done = c.run("dedup", *inputs, "-o", again, "--passages", str(length), "--tables", "tsv", "-q", "-j", "1", "--memory", "20MB", *options)
        c.check(f"dedup passages: {name}: one thread, little memory", done.returncode == 0 and tree_of(again) == tree_of(both), done.stderr)
    both = c.out("dedup passages files both")
    document = next(row["id"] for row in dict_table(both / "passages/cuts.tsv"))
    done = c.run("explain", document, "--run", both)
    c.check("dedup passages: explained", done.returncode == 0 and "read again, the same" in done.stdout, done.stderr)
    done = c.run("show", both, document, "--passages")
    c.check("dedup passages: shown", done.returncode == 0 and done.stdout, done.stderr)
    removed = json.loads(lines_of(files_of(both, "removed")[0])[0])["id"]
    done = c.run("undo", both, removed, "-o", c.out("dedup passages undone"))
    c.check("dedup passages: no undo", done.returncode != 0 and "passages were cut" in done.stderr and "finished run" not in done.stderr, done.stderr)
    for options, said in ((("--mark",), "--mark"), (("--add-counts",), "--add-counts"), (("--features-field", "more"), "features"), (("--across", "file"), "across"), (("--passages", "0"), "0"), (("--passages", "99999"), "--passages=99999: use 1 to 16384 words")):
        out = c.out(f"dedup passages {' '.join(options)}")
        done = c.run("dedup", first, "-o", out, "-q", *(() if "--passages" in options else ("--passages", "12")), *options)
        c.check(f"dedup passages: {' '.join(options)} is refused", done.returncode in (1, 2) and said in done.stderr and not out.exists(), done.stderr)
    dedup_passages_readings(c, folder)


def bytes_served(server, name: str) -> int:
    """How many bytes of a file were asked for since the last call."""
    size, asked = len(server.files[name]), 0
    for key, times in server.asked.items():
        if isinstance(key, tuple):
            first, _, last = key[1].removeprefix("bytes=").partition("-")
            asked += times * (min(int(last or size), size - 1) - int(first) + 1)
    server.asked.clear()
    return asked


def dedup_passages_readings(c: Checks, folder: Path) -> None:
    """Passages need no reading of their own, but for windows to compare; a server counts what is read."""
    rng = random.Random(5)
    words = lambda count: " ".join(f"w{rng.randrange(10**6)}" for _ in range(count))
    header = words(60)
    texts = [words(300) for _ in range(900)]
    plain = [{"id": f"d{number}", "text": text} for number, text in enumerate([*texts, *(text.upper() for text in texts[:200])])]
    # Equal runs of words in different windows.
    mixed = [{**doc, "text": f"{doc['text']} {words(9)} {header} {words(60)}"} for doc in plain]
    for name, docs, more in (("plain", plain, 0), ("windows to compare", mixed, 1)):
        content = write_jsonl(folder / f"{name}.jsonl", docs).read_bytes()
        with serving(Files, files={"docs.jsonl": content}) as server:
            url, read = f"{server.url}/ranges/docs.jsonl", {}
            for options in ((), ("--passages", "50"), ("--passages", "50", "-j", "1", "--memory", "20MB")):
                done = c.run("dedup", url, "-o", c.out(f"readings {name} {options}"), "-q", *options)
                c.check(f"dedup passages: read by URL: {name} {options}", done.returncode == 0, done.stderr)
                read[options] = bytes_served(server, "docs.jsonl") / len(content)
        alone, *others = read.values()
        c.check(f"dedup passages: readings of {name}", all(alone <= other < alone + more + 0.01 for other in others), read)
