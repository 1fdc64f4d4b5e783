"""passages: other units than words, where copies stand, who takes precedence, and what goes beside the cuts, by brute force over the texts."""
import json
import random
import re
from pathlib import Path
from typing import Callable

import check_run
from checks.harness import Checks, dict_table, summary_of, tree_of

WORD = re.compile(r"[a-zé]+", re.IGNORECASE)


def made(seed: int) -> list:
    """Documents of paragraphs of lines, with copies of lines, paragraphs, sentences and pieces of words."""
    rng = random.Random(seed)
    vocab = ["".join(rng.choice("abcdéefgh") for _ in range(rng.randint(1, 7))) for _ in range(60)]
    sentence = lambda: " ".join(rng.choice(vocab) for _ in range(rng.randint(2, 9))).capitalize() + rng.choice(".!?")
    lines: list = []
    docs = []
    for number in range(90):
        paragraphs = []
        for _ in range(rng.randint(1, 4)):
            paragraph = [rng.choice(lines) if lines and rng.random() < 0.45 else " ".join(sentence() for _ in range(rng.randint(1, 2))) for _ in range(rng.randint(1, 4))]
            lines += paragraph
            paragraphs.append("\n".join(paragraph))
        if docs and rng.random() < 0.3:
            paragraphs.append(rng.choice(rng.choice(docs)["text"].split("\n\n")))
        if rng.random() < 0.2:
            paragraphs.append(paragraphs[0])
        docs.append({"id": f"d{number}", "n": number, "lang": rng.choice(["de", "en", ["fr", "it"]]), "score": rng.randint(0, 5), "text": "\n\n".join(paragraphs)})
    return docs


def units_of(text: str, unit: str) -> list:
    """Content and bytes of each unit."""
    at = lambda place: len(text[:place].encode())
    if unit.startswith("tokens:"):
        ends = [place.end() for place in re.finditer("\n", text)]
        return [(text[start : end - 1], (at(start), at(end - 1))) for start, end in zip([0, *ends], ends)]
    words = [(found.group().lower(), found.start(), found.end()) for found in WORD.finditer(text)]
    if unit == "word":
        return [(word, (at(start), at(end))) for word, start, end in words]
    if unit == "byte":
        return [(byte, (place, place + 1)) for place, byte in enumerate(text.encode())]
    if unit == "char":
        units: list = []
        for number, (word, start, end) in enumerate(words):
            units += [(" ", (at(words[number - 1][2]), at(start)))] if number else []
            units += [(letter, (at(start + offset), at(start + offset + 1))) for offset, letter in enumerate(word)]
        return units
    groups: list = []
    for number, (word, start, end) in enumerate(words):
        between = text[words[number - 1][2] : start] if number else "\n\n"
        ends = {"line": "\n" in between, "paragraph": "\n\n" in between, "sentence": "\n\n" in between or any(mark in between for mark in ".!?")}[unit]
        if ends:
            groups.append([])
        groups[-1].append((word, start, end))
    return [(tuple(word for word, *_ in group), (at(group[0][1]), at(group[-1][2]))) for group in groups]


class Wanted:
    """What brute force finds: documents in order of precedence, which copies count."""

    def __init__(self, docs: list, unit: str, length: int, copies: int, scope: str, separate: str, keep: str) -> None:
        self.units = [units_of(doc["text"], unit) for doc in docs]
        self.length, self.scope = length, scope
        order = sorted(range(len(docs)), key={"first": lambda doc: doc, "last": lambda doc: -doc, "score": lambda doc: (-docs[doc]["score"], doc), "longest": lambda doc: (-len(docs[doc]["text"].encode()), doc)}[keep])
        self.rank = {doc: rank for rank, doc in enumerate(order)}
        self.order = order
        group = lambda doc: json.dumps(docs[doc][separate]) if separate else doc if scope == "within" else 0
        self.places: dict = {}
        for doc in order:
            for at in range(len(self.units[doc]) - length + 1):
                self.places.setdefault((group(doc), tuple(one for one, _ in self.units[doc][at : at + length])), []).append((doc, at))
        self.group = group
        self.copies = copies

    def of(self, doc: int, at: int) -> list:
        """The copies of a window that is repeated, else none."""
        of = self.places[self.group(doc), tuple(one for one, _ in self.units[doc][at : at + self.length])]
        across = self.scope != "across" or len({doc for doc, _ in of}) > 1
        return of if len(of) >= self.copies and across else []

    def rows(self) -> list:
        rows: list = []
        for doc in self.order:
            last = None
            for at in range(len(self.units[doc]) - self.length + 1):
                of = self.of(doc, at)
                first = of[0] if of else None
                if first and last and first == (last[0], last[1] + 1):
                    row = rows[-1]
                    rows[-1] = (*row[:3], row[3] + 1, min(row[4], len(of)), max(row[5], len(of)))
                elif first:
                    rows.append((doc, at, first, self.length, len(of), len(of)))
                last = first
        later = lambda row: row[2] != row[:2] and (self.scope != "across" or row[2][0] != row[0])
        return [row for row in rows if later(row)]


def in_lists(docs: list) -> list:
    """The documents with the numbers of their words in a list, some as strings, beside their text."""
    numbers: dict = {}
    number = lambda word: numbers.setdefault(word.lower(), len(numbers))
    ids = lambda doc: [number(word) if len(word) != 3 else str(number(word)) for word in WORD.findall(doc["text"])]
    return [{**doc, "ids": ids(doc)} for doc in docs]


def of_list(doc: dict) -> dict:
    """A document with its list, an element a line, as its text."""
    return {**{name: value for name, value in doc.items() if name != "ids"}, "text": "".join(f"{number}\n" for number in doc["ids"])}


def check(c: Checks, name: str, out: Path, docs: list, wanted: Wanted, rests: bool, whole: bool, read: Callable = dict) -> None:
    number_of = lambda row, role="": int(row[f"{role}id"][1:])
    found = [(number_of(row), int(row["unit"]), (number_of(row, "first_"), int(row["first_unit"])), int(row["units"]), int(row["copies"]), int(row["most_copies"])) for row in dict_table(out / "passages.tsv")]
    rows = wanted.rows()
    c.check(f"{name}: passages", found == rows and len(rows) > 5, ([one for one in found if one not in rows][:3], [one for one in rows if one not in found][:3], len(rows)))
    place = lambda doc, at, units: (wanted.units[doc][at][1][0], wanted.units[doc][at + units - 1][1][1])
    kept = {json.loads(line)["n"]: read(json.loads(line)) for line in (out / "kept.jsonl").read_text(encoding="utf-8").splitlines()}
    edits: dict = {}
    for row in dict_table(out / "edits.tsv"):
        edits.setdefault(number_of(row), []).append((int(row["byte"]), int(row["end_byte"]), check_run.plain(row["put"]), check_run.plain(row["text"])))
    wrong = []
    for doc, of in enumerate(docs):
        data, text, last = of["text"].encode(), b"", 0
        for first, end, put, what in edits.get(doc, []):
            wrong += [] if data[first:end].decode() == what else [(doc, what)]
            text += data[last:first] + put.encode()
            last = end
        wrong += [] if doc not in kept or kept[doc] == {**of, "text": (text + data[last:]).decode()} else [(doc, kept[doc]["text"])]
    c.check(f"{name}: output and edits give the input", not wrong and edits, wrong[:1])
    gone: dict = {doc: set() for doc in range(len(docs))}
    cuts = []
    for row in dict_table(out / "cuts.tsv"):
        doc, at, other, kept_at, units = number_of(row), int(row["unit"]), number_of(row, "kept_"), int(row["kept_unit"]), int(row["units"])
        cuts.append((doc, at, other, kept_at, units))
        same = [one for one, _ in wanted.units[doc][at : at + units]] == [one for one, _ in wanted.units[other][kept_at : kept_at + units]]
        bytes_of = (int(row["byte"]), int(row["end_byte"])), (int(row["kept_byte"]), int(row["kept_end_byte"]))
        wrong += [] if same and bytes_of == (place(doc, at, units), place(other, kept_at, units)) else [row]
        earlier = (wanted.rank[other], kept_at) < (wanted.rank[doc], at) and wanted.group(doc) == wanted.group(other) and (wanted.scope != "across" or doc != other)
        wrong += [] if earlier else [("earlier", row)]
        gone[doc] |= set(range(at, at + units))
    c.check(f"{name}: a cut and its witness are the same", not wrong and len(cuts) > 3, wrong[:1])
    overlaps = lambda one, other: one[0] < other[1] and other[0] < one[1]
    broken = [cut for cut in cuts if cut[2] not in kept or any(overlaps(edit, place(*cut[2:])) for edit in edits.get(cut[2], []))]
    c.check(f"{name}: every witness stands whole in what is kept", not broken, broken[:2])
    if not rests:
        # What goes of a unit is in a cut.
        unproved = [(doc, edit) for doc, of in edits.items() for edit in of for number, (_, bytes_of) in enumerate(wanted.units[doc]) if overlaps(edit, bytes_of) and number not in gone[doc]]
        c.check(f"{name}: what goes is in a cut", not unproved, unproved[:2])
    if not whole:
        twice = []
        for of in wanted.places.values():
            stand = [(doc, at) for doc, at in of if gone[doc].isdisjoint(range(at, at + wanted.length))]
            joined = lambda one, other: one[0] != other[0] or wanted.scope != "across" and one[1] + wanted.length <= other[1]
            twice += [pair for pair in zip(stand, stand[1:]) if joined(*pair)]
        c.check(f"{name}: no window stands whole twice", not twice or wanted.copies > 2, twice[:1])
    summary = summary_of(out)
    numbers = (summary["passages"], summary["units"], summary["cuts"])
    c.check(f"{name}: numbers", numbers == (len(rows), sum(map(len, wanted.units)), len(cuts)), numbers)


def passage_units(c: Checks) -> None:
    folder = c.work / "passage units"
    folder.mkdir()
    docs = made(5)
    source = folder / "docs.jsonl"
    source.write_text("".join(json.dumps(doc, ensure_ascii=False) + "\n" for doc in docs), encoding="utf-8")
    for name, unit, length, copies, scope, separate, keep, options in (
        ("characters", "char", 30, 2, "all", "", "first", ()), ("bytes", "byte", 25, 2, "all", "", "first", ()), ("bytes of lines", "byte", 25, 2, "all", "", "first", ("--whole", "line")),
        ("lines", "line", 1, 2, "all", "", "first", ()), ("two lines", "line", 2, 2, "all", "", "longest", ()), ("sentences", "sentence", 2, 2, "all", "", "first", ()),
        ("paragraphs", "paragraph", 1, 2, "all", "", "score", ()), ("within", "word", 5, 2, "within", "", "first", ()), ("across", "word", 5, 2, "across", "", "score", ()),
        ("the last", "word", 5, 2, "all", "", "last", ()), ("three across", "line", 1, 3, "across", "", "first", ()), ("separated", "word", 5, 2, "all", "lang", "score", ()), ("the longest", "word", 6, 2, "all", "", "longest", ()),
        ("rests", "word", 6, 2, "all", "", "first", ("--rest", "6")), ("short", "word", 8, 2, "all", "", "longest", ("--shortest", "8")), ("joints", "word", 6, 2, "all", "", "first", ("--joint", "\\n[…]\\n")),
    ):
        out = c.out(f"passage units {name}")
        chosen = ["--unit", unit, "-L", str(length), "--copies", str(copies), *([f"--{scope}"] if scope != "all" else ()), *(["--separate-by", separate] if separate else ()), *(["--keep", "max:score" if keep == "score" else keep] if keep != "first" else ())]
        done = c.run("passages", source, "-o", out, "--tables", "tsv", "-q", *chosen, *options)
        if not c.check(f"passage units: {name} runs", done.returncode == 0, done.stderr):
            continue
        check(c, f"passage units: {name}", out, docs, Wanted(docs, unit, length, copies, scope, separate, keep), name in ("rests", "short"), "--whole" in options)
        beside = summary_of(out).get("rest_units", 0)
        c.check(f"passage units: {name}: rests", (beside > 0) == (name in ("rests", "short")), beside)
        again = c.out(f"passage units {name} again")
        done = c.run("passages", source, "-o", again, "--tables", "tsv", "-q", "-j", "1", *chosen, *options)
        c.check(f"passage units: {name}: one thread", done.returncode == 0 and tree_of(again) == tree_of(out), done.stderr)
    lists = in_lists(docs)
    source = folder / "lists.jsonl"
    source.write_text("".join(json.dumps(doc) + "\n" for doc in lists), encoding="utf-8")
    for name, length, options in (("tokens", 6, ()), ("tokens with rests", 6, ("--rest", "3")), ("tokens across", 4, ("--across",))):
        out = c.out(f"passage units {name}")
        done = c.run("passages", source, "-o", out, "--tables", "tsv", "-q", "--unit", "tokens:ids", "-L", str(length), *options)
        if not c.check(f"passage units: {name} run", done.returncode == 0, done.stderr):
            continue
        texts = [of_list(doc) for doc in lists]
        wanted = Wanted(texts, "tokens:ids", length, 2, "across" if "--across" in options else "all", "", "first")
        check(c, f"passage units: {name}", out, texts, wanted, "--rest" in options, False, of_list)
        stays = all(lists[one["n"]]["text"] == one["text"] for one in map(json.loads, (out / "kept.jsonl").read_text(encoding="utf-8").splitlines()))
        c.check(f"passage units: {name}: texts stay", stays)
        spans = c.out(f"passage units {name} spans")
        done = c.run("passages", source, "-o", spans, "-q", "--unit", "tokens:ids", "-L", str(length), *options, "--write", "spans")
        lines = [json.loads(line) for line in (spans / "attributes/lists.jsonl").read_text(encoding="utf-8").splitlines()]
        left = lambda doc, places: [one for at, one in enumerate(doc["ids"]) if not any(start <= at < end for start, end, _ in places)]
        kept = {one["n"]: one["ids"] for one in map(json.loads, (out / "kept.jsonl").read_text(encoding="utf-8").splitlines())}
        c.check(f"passage units: {name}: spans", all(left(doc, line["attributes"]["lookalike_passages"]) == kept.get(doc["n"], []) for doc, line in zip(lists, lines)), done.stderr)
        done = c.run("explain", next(row["id"] for row in dict_table(out / "cuts.tsv")), "--run", out)
        c.check(f"passage units: {name}: explained", done.returncode == 0 and "read again, the same" in done.stdout, done.stderr)
    for options, said in ((("--whole", "line"), "whole"), (("--joint", "x"), "joint"), (("--normalize", "none"), "and --unit=tokens:FIELD takes the place of texts"), (("--unit", "tokens:"), "tokens:FIELD"), (("--unit", "tokens:no"), "`no`"), (("--unit", "tokens:text"), "`text` is not a list; name a list of integers or strings with --unit=tokens:FIELD")):
        out = c.out(f"passage units lists {' '.join(options)}")
        done = c.run("passages", source, "-o", out, "-q", "--strict", *(("--unit", "tokens:ids") if "--unit" not in options else ()), *options)
        c.check(f"passage units: lists, {' '.join(options)} is refused", done.returncode > 0 and said in done.stderr and not out.exists(), done.stderr)
    table = folder / "table.csv"
    table.write_text("id,ids\n1,7\n", encoding="utf-8")
    done = c.run("passages", table, "-o", c.out("passage units: table"), "-q", "--unit", "tokens:ids")
    c.check("passage units: a format without lists is refused", done.returncode == 2 and "--unit=tokens:ids: " in done.stderr and "has no lists; tokens are read" in done.stderr, done.stderr)
    source = folder / "docs.jsonl"
    # Rules that name a precedence make it independent of the order of the documents, up to ties.
    for options, said in ((("--unit", "byte", "--text-field", "text,id"), "unit=byte"), (("--rest", "60"), "rest=60"), (("--shortest", "51"), "shortest=51"), (("--cut", "none", "--joint", "x"), "joint=x"), (("--within", "--across"), "--across"), (("--separate-by", "no"), "`no`"), (("--keep", "max:no"), "max:no"), (("--within", "--against", source), "within"), (("--unit", "verse"), "verse")):
        out = c.out(f"passage units {' '.join(map(str, options))}")
        done = c.run("passages", source, "-o", out, "-q", *options)
        c.check(f"passage units: {' '.join(map(str, options))} is refused", done.returncode in (1, 2) and said in done.stderr and not out.exists(), done.stderr)
