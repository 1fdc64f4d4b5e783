"""passages and dedup --passages against an index: what they say against a file of its live documents."""
import json
import shutil
from pathlib import Path

from checks.harness import Checks, dict_table, summary_of, tree_of
from checks.inputs import write_jsonl
from checks.passages import check_cuts, check_tables, jsonl_texts, made


def live_documents(c: Checks, index: Path, folder: Path, docs: list) -> list:
    """Fills an index by several commits, with texts that are replaced and deleted; its documents in the order of their ids."""
    first, second = docs[:45], docs[45:80]
    replaced = [{**doc, "text": docs[150 + at]["text"]} for at, doc in enumerate(first[5::9])]
    # An id that is deleted and added again is a new document.
    gone, again = [first[3]["id"], *(doc["id"] for doc in second[::6])], {**first[3], "text": docs[170]["text"]}
    c.check("passages against an index: created", c.run("index", "create", index, "--keep", "max:n", "-q").returncode == 0)
    for number, rows in enumerate((first, second, replaced)):
        done = c.run("index", "add", index, write_jsonl(folder / f"{number}.jsonl", rows), "--commit-every", 31, "-q")
        c.check(f"passages against an index: added {number}", done.returncode == 0, done.stderr)
    (folder / "gone").write_text("\n".join(gone), encoding="utf-8")
    c.run("index", "delete", index, "--ids", folder / "gone", "-q")
    done = c.run("index", "add", index, write_jsonl(folder / "again.jsonl", [again]), "-q")
    c.check("passages against an index: added again", done.returncode == 0, done.stderr)
    texts = {doc["id"]: doc for doc in first + second} | {doc["id"]: doc for doc in replaced}
    return [*(doc for name, doc in texts.items() if name not in gone), again]


def same_but_for(c: Checks, title: str, out: Path, truth: Path, names: dict) -> None:
    """Both results have the same bytes, but for the names of files, with which tables are longer and have another digest."""
    one, two = tree_of(out), tree_of(truth)
    one.pop("passages/summary.json", None), two.pop("passages/summary.json", None)
    for tree in (one, two):
        summary = json.loads(tree["summary.json"])
        summary.pop("settings")
        if summary["command"] == "passages":
            [one.pop("digest") for one in (summary, summary.get("near")) if one]
        for output in summary["outputs"]:
            output.pop("bytes")
        tree["summary.json"] = json.dumps(summary).encode()
    for name, other in names.items():
        one = {path: content.replace(str(name).encode(), str(other).encode()) for path, content in one.items()}
    differ = [path for path in {*one, *two} if one.get(path) != two.get(path)]
    c.check(f"{title}: the same as against a file", not differ and len(one) > 2, differ)


def passages_against_index(c: Checks) -> None:
    folder = c.work / "passages against an index"
    folder.mkdir()
    docs, index = made(17), folder / "corpus.index"
    beside = live_documents(c, index, folder, docs)
    source = folder / "new.jsonl"
    source.write_text("".join(json.dumps(doc, ensure_ascii=False).replace("2.5]", "2.50]") + "\n" for doc in docs[80:150]), encoding="utf-8")
    live = write_jsonl(folder / "live.jsonl", beside)
    shutil.copytree(index, folder / "before.index")
    number = {doc["id"]: at for at, doc in enumerate(beside)} | {doc["id"]: len(beside) + at for at, doc in enumerate(docs[80:150])}
    number_of = lambda row, role="": number[row[f"{role}id"]]
    all_docs = [*beside, *docs[80:150]]
    for name, options in (
        ("kept", ("-L", "8")), ("later", ("-L", "8", "--cut", "later")), ("near", ("-L", "20", "--cut", "none", "--gaps", "3", "--agree", "0.7")),
        ("max:n", ("-L", "8", "--keep", "max:n", "-j", "1", "--memory", "64KB")), ("spans", ("--unit", "char", "-L", "60", "--keep", "longest", "--write", "spans")),
    ):
        title, out, truth = f"passages against an index: {name}", c.out(f"passages index {name}"), c.out(f"passages index {name} truth")
        # As a run leaves it that is killed.
        killed = out.parent / f"lookalike-against-{name.replace(':', '-')}"
        killed.mkdir(parents=True)
        for left in ("lock", "documents.jsonl"):
            (killed / left).write_text("")
        for against, place in ((index, out), (live, truth)):
            done = c.run("passages", source, "--against", against, "-o", place, "--tables", "tsv", "-q", *options)
            c.check(f"{title} runs", done.returncode == 0, done.stderr)
        if not out.exists():
            continue
        same_but_for(c, title, out, truth, {index: live})
        c.check(f"{title}: nothing is left", not [*out.parent.glob("lookalike-against-*")], [*out.parent.iterdir()])
        if name == "kept":
            # Of the records of the input, by their place among all documents.
            kept, removed, _ = jsonl_texts(out, docs)
            texts = {at: doc["text"] for at, doc in enumerate(beside)} | {number[f"d{doc}"]: text for doc, text in kept.items()}
            check_tables(c, title, out, all_docs, 8, 2, number_of, beside=len(beside))
            check_cuts(c, title, out, all_docs, texts, {number[f"d{doc}"] for doc in removed}, 8, "kept", None, number_of, beside=len(beside))
    # Files and an index: the documents of the index come after those of files.
    half, rest = write_jsonl(folder / "a.jsonl", docs[150:165]), folder / "z.jsonl"
    shutil.copyfile(live, rest)
    for against, place in (((half, index), c.out("passages index both")), ((half, rest), c.out("passages index both truth"))):
        done = c.run("passages", source, "--against", *against, "-o", place, "--tables", "tsv", "-q", "-L", "8")
        c.check("passages against an index and files: runs", done.returncode == 0, done.stderr)
    same_but_for(c, "passages against an index and files", c.out("passages index both"), c.out("passages index both truth"), {index: rest})
    for against, place in ((index, c.out("dedup passages index")), (live, c.out("dedup passages index truth"))):
        done = c.run("dedup", source, "--against", against, "--passages", "9", "-o", place, "--tables", "tsv", "-q")
        c.check("dedup --passages against an index: runs", done.returncode == 0, done.stderr)
    same_but_for(c, "dedup --passages against an index", c.out("dedup passages index"), c.out("dedup passages index truth"), {index: live})
    explained(c, folder, index, all_docs)
    refused(c, folder, index, source)


def explained(c: Checks, folder: Path, index: Path, docs: list) -> None:
    """The witness is read from the index by its id, whatever became of the others, or is said to have changed."""
    text_of = {doc["id"]: doc["text"].encode() for doc in docs}
    out = c.out("passages index kept")
    row = next(row for row in dict_table(out / "cuts.tsv") if row["kept_file"] == str(index) and int(row["kept_record"]) > 5)
    other = row["kept_id"]
    place = f"{other} ({index}:{row['kept_record']})"
    lines = write_lines(c, index)
    c.check("passages against an index: the number of a witness is its line in an export", json.loads(lines[int(row["kept_record"]) - 1])["id"] == other)
    moved = next(doc["id"] for doc in docs if doc["id"] not in (other, row["id"]))
    rows = write_jsonl(folder / "changed.jsonl", [{"id": other, "text": "another text"}])
    for step, (command, said) in enumerate(((None, "read again, the same"), (("delete", index, "--id", moved), "read again, the same"), (("add", index, rows), "do not have the same words"), (("delete", index, "--id", other), "deleted from the index"))):
        if command:
            done = c.run("index", *command, "-q")
            c.check(f"passages against an index: {command[0]}", done.returncode == 0, done.stderr)
        done = c.run("explain", row["id"], f"{row['byte']}..{row['end_byte']}", "--run", out)
        c.check(f"passages against an index: explain: step {step}", said in done.stdout + done.stderr and (place in done.stdout) == (step < 3) and done.returncode == (step == 3), done.stdout + done.stderr)
        if step == 0:
            inside = text_of[other][int(row["kept_byte"]) : int(row["kept_end_byte"])].decode().splitlines()[0]
            c.check("passages against an index: explain: the text of the witness", inside in done.stdout, done.stdout)
    shutil.rmtree(index)
    shutil.copytree(folder / "before.index", index)


def write_lines(c: Checks, index: Path) -> list:
    out = c.out("passages index exported")
    c.run("index", "export", index, "-o", out, "--documents", "-q")
    return (out / "documents.jsonl").read_text(encoding="utf-8").splitlines()


def refused(c: Checks, folder: Path, index: Path, source: Path) -> None:
    """What an index does not know is named, with what to do; nothing is written."""
    bare = folder / "bare.index"
    c.run("index", "create", bare, "--no-text", "-q")
    c.run("index", "add", bare, folder / "live.jsonl", "-q")
    for against, options, said in (
        (bare, (), "stores no texts"), (index, ("--separate-by", "n"), "--separate-by"), (index, ("--keep", "min:x"), "--keep"), (index, ("--unit", "tokens:more"), "--unit"),
        (index, ("--text-field", "id,text"), "text"), (index, ("--mail-attachments", "ignore"), "--mail-attachments"), (index, ("--within",), "--within"),
    ):
        for verb in ("passages", *(("dedup",) if options[:1] in ((), ("--separate-by",)) else ())):
            out = c.out(f"passages index refused {' '.join(options)}")
            done = c.run(verb, source, "--against", against, "-o", out, "-q", *options, *(("--passages", "9") if verb == "dedup" else ()))
            c.check(f"{verb} against an index: {options} is refused", done.returncode in (1, 2) and said in done.stderr and not out.exists(), done.stderr)
    done = c.run("passages", source, "--against", index, "-o", index, "--force", "-q")
    c.check("passages against an index: it is no output", done.returncode != 0 and index.exists() and (index / "store.redb").exists(), done.stderr)
