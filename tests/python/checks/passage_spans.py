"""passages --write spans: attribute files beside the inputs, recomputed from the texts and from what is written without spans."""
import gzip
import json
import unicodedata

from checks.decontaminated import words_of
from checks.harness import Checks, dict_table, summary_of, tree_of
from checks.inputs import write_csv, write_jsonl
from checks.passages import first_places, made

NAME = "lookalike_passages"


def attribute_lines(path) -> list:
    opened = gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else open(path, encoding="utf-8")
    with opened as read:
        return [json.loads(line) for line in read]


def copies_of(texts: list, length: int, least: int) -> dict:
    """For each document, the repeated windows: where each begins, and how often it stands."""
    found: dict = {}
    for places in first_places(texts, length).values():
        for doc, at in places if len(places) >= least else ():
            found.setdefault(doc, []).append((at, len(places), (doc, at) == places[0]))
    return found


def edits_of(out) -> dict:
    edits: dict = {}
    for row in dict_table(out / "edits.tsv"):
        edits.setdefault(int(row["id"][1:]), []).append((int(row["byte"]), int(row["end_byte"])))
    return edits


def check_spans(c: Checks, name: str, lines: list, docs: list, edits: dict, removed: set, length: int) -> tuple:
    """The spans are what cutting takes, in characters; their copies those of the most frequent window of the passages that they are of."""
    c.check(f"{name}: a line for each record", [line["id"] for line in lines] == [doc["id"] for doc in docs], len(lines))
    texts = [words_of(doc["text"]) for doc in docs]
    repeated = copies_of(texts, length, 2)
    wrong, documents, spans, words = [], 0, 0, 0
    for doc, line in enumerate(lines):
        text = docs[doc]["text"]
        found = line["attributes"][NAME]
        character = lambda byte: len(text.encode()[:byte].decode())
        wanted = [[0, len(text)]] if doc in removed else [[character(first), character(end)] for first, end in edits.get(doc, [])]
        wrong += [] if [span[:2] for span in found] == wanted and list(line["attributes"]) == [NAME] else [(doc, found, wanted)]
        documents, spans = documents + bool(found), spans + len(found)
        for start, end, copies in found:
            before, inside = len(words_of(text[:start])), len(words_of(text[start:end]))
            words += inside
            # Every window that reaches into the span is of a passage that does.
            of = [number for at, number, _ in repeated[doc] if at < before + inside and before < at + length]
            most = max(number for _, number, _ in repeated[doc])
            wrong += [] if max(of) <= copies <= most and copies >= 2 else [(doc, copies, of)]
    c.check(f"{name}: spans", not wrong and spans > 20, wrong[:2])
    return documents, spans, words


def passage_spans(c: Checks) -> None:
    folder = c.work / "passage-spans"
    folder.mkdir()
    docs = [{**doc, "text": unicodedata.normalize("NFC", doc["text"])} for doc in made(17)]
    source = write_jsonl(folder / "docs.jsonl", docs)
    trees: dict = {}
    for name, options in (("kept", ()), ("threads", ("-j", "3", "--memory", "64MB")), ("later", ("--cut", "later")), ("all", ("--cut", "all")), ("none", ("--cut", "none")), ("lines", ("--whole", "line"))):
        title = f"passages: spans: {name}"
        out, plain = c.out(f"passages spans {name}"), c.out(f"passages of spans {name}")
        done = c.run("passages", source, "-o", out, "--tables", "tsv", "-q", "-L", "8", "--write", "spans", *options)
        if not c.check(f"{title} runs", done.returncode == 0, done.stderr):
            continue
        trees[name] = tree_of(out)
        # Without cuts, spans are all later copies.
        options = ("--cut", "later") if name == "none" else options
        c.run("passages", source, "-o", plain, "--tables", "tsv", "-q", "-L", "8", *options)
        kept = {json.loads(line)["n"] for line in (plain / "kept.jsonl").read_text(encoding="utf-8").splitlines()}
        removed = {doc["n"] for doc in docs} - kept
        numbers = check_spans(c, title, attribute_lines(out / "attributes" / "docs.jsonl"), docs, edits_of(plain), removed, 8)
        summary, written = summary_of(out), summary_of(plain)
        c.check(f"{title}: the summary counts spans", "spans" in summary, (sorted(path.name for path in out.iterdir()), summary))
        if "spans" not in summary:
            continue
        c.check(f"{title}: numbers", tuple(summary["spans"].values()) == numbers and numbers[2] == written["cut_units"] and (summary["cut_units"], summary["cut"], summary["removed"], summary["kept"]) == (0, 0, 0, len(docs)), (summary, numbers))
        same = ["passages.tsv", *(["cuts.tsv"] if name != "none" else [])]
        c.check(f"{title}: tables", all((out / one).read_bytes() == (plain / one).read_bytes() for one in same) and (out / "cuts.tsv").exists() == (name != "none"))
        c.check(f"{title}: no document and no edit is written", not any((out / one).exists() for one in ("kept.jsonl", "removed.jsonl", "edits.tsv")), sorted(path.name for path in out.iterdir()))
    c.check("passages: spans: the same bytes for any threads", trees.get("kept") == trees.get("threads"))
    other_inputs(c, folder, docs, trees)
    refused(c, source)


def other_inputs(c: Checks, folder, docs: list, trees: dict) -> None:
    """Paths and compression follow the inputs; a bad record has an empty line; text files have spans, HTML has none; another collection has no files."""
    below = folder / "in"
    (below / "deep").mkdir(parents=True)
    lines = [json.dumps(doc, ensure_ascii=False) for doc in docs]
    with gzip.open(below / "deep" / "first.jsonl.gz", "wt", encoding="utf-8") as write:
        write.write("\n".join([*lines[:60], "{broken", *lines[60:90]]) + "\n")
    write_csv(below / "second.csv", [{"id": doc["id"], "text": doc["text"]} for doc in docs[90:]])
    out = c.out("passages spans of files")
    done = c.run("passages", below, "-o", out, "-q", "-L", "8", "--write", "spans")
    whole = [json.loads(line) for line in trees["kept"]["attributes/docs.jsonl"].splitlines()]
    if c.check("passages: spans of files run", done.returncode == 0, done.stderr):
        first, second = attribute_lines(out / "attributes" / "deep" / "first.jsonl.gz"), attribute_lines(out / "attributes" / "second.csv.jsonl")
        c.check("passages: spans of files", first[60] == {"id": None, "attributes": {}} and first[:60] + first[61:] + second == whole, (first[60], len(first), len(second)))
    write_jsonl(folder / "a.jsonl", docs[:70])
    write_jsonl(folder / "m.jsonl", docs[70:])
    out, plain = c.out("passages spans against"), c.out("passages of spans against")
    for where, options in ((out, ("--write", "spans")), (plain, ())):
        done = c.run("passages", folder / "m.jsonl", "--against", folder / "a.jsonl", "-o", where, "--tables", "tsv", "-q", "-L", "8", *options)
        c.check("passages: spans against another collection run", done.returncode == 0, done.stderr)
    found = attribute_lines(out / "attributes" / "m.jsonl")
    spans = {line["id"]: line["attributes"][NAME] for line in found}
    changed = {f"d{doc}" for doc in edits_of(plain)} | {json.loads(line)["id"] for line in ((plain / "removed.jsonl").read_text(encoding="utf-8").splitlines() if (plain / "removed.jsonl").exists() else [])}
    c.check("passages: spans against another collection", sorted(path.name for path in (out / "attributes").iterdir()) == ["m.jsonl"] and [line["id"] for line in found] == [doc["id"] for doc in docs[70:]] and {one for one, of in spans.items() if of} == changed, (len(found), len(changed)))
    files = folder / "files"
    files.mkdir()
    body = " ".join(f"wörd{number}" for number in range(12))
    for name, text in (("a.txt", f"«{body}» one"), ("b.txt", f"Ä two {body}."), ("c.html", f"<p>three {body}</p>")):
        (files / name).write_text(text, encoding="utf-8")
    for options, of_text in (((), [[6, 6 + len(body) + 1, 3]]), (("--cut", "none"), [[6, 6 + len(body) + 1, 3]])):
        out = c.out(f"passages spans of text {' '.join(options)}")
        done = c.run("passages", files, "-o", out, "-q", "-L", "10", "--write", "spans", *options)
        found = [line["attributes"][NAME] for line in attribute_lines(out / "attributes-files.jsonl")] if done.returncode == 0 else done.stderr
        c.check(f"passages: spans of text files, none of HTML: {options}", found == [[], of_text, []] and summary_of(out)["uncut"] == 1 and "no spans" in summary_of(out)["warnings"][0], (found, done.stderr))


def refused(c: Checks, source) -> None:
    for options, said in ((("--max-loss", "5%"), "write=spans cuts nothing"), (("--text-field", "text,id"), "write=spans"), (("--write", "mask"), "mask"), (("--cut", "none", "--whole", "line"), "cut=none")):
        out = c.out(f"passages spans refused {options[0]}")
        done = c.run("passages", source, "-o", out, "-q", "-L", "8", *(("--write", "spans") if "--write" not in options else ()), *options)
        c.check(f"passages: spans: {' '.join(options)} is refused", done.returncode in (1, 2) and said.replace("write=", "--write=") in done.stderr.replace("write=", "--write=").replace("----", "--") and not out.exists(), done.stderr)
