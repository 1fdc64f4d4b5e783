"""report.html of passages: its tables and examples, recomputed from the texts, the edits and brute force."""
import html
import json
import re

from checks.decontaminated import words_of
from checks.harness import Checks, tree_of
from checks.passage_spans import edits_of
from checks.passages import first_places, later_runs, made

LENGTH = 8


def plain(markup: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", markup)).strip()


def rows_of(page: str, label: str) -> list:
    """The cells of the table in the region of this label."""
    found = re.search(rf'aria-label="{label}"><table>(.*?)</table>', page, re.S)
    return [[plain(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row, re.S)] for row in re.findall(r"<tr>(.*?)</tr>", found[1], re.S)[1:]] if found else []


def number(text: str) -> int:
    return int(text.replace(",", ""))


def frequent(c: Checks, page: str, texts: list) -> None:
    """Each row has a passage of its first document of which every window has as many later copies."""
    places = first_places(texts, LENGTH)
    later = {content: of[1:] for content, of in places.items() if len(of) > 1}
    rows, wrong, last = rows_of(page, "Most copied passages"), [], None
    for copies, documents, length, first, text in rows:
        doc, begins, length = int(first[1:]), words_of(text.rstrip("…"))[:5], number(length)
        words, right = texts[doc], False
        for at in range(len(words) - length + 1):
            if words[at : at + len(begins)] == begins:
                windows = [later.get(tuple(words[w : w + LENGTH]), []) for w in range(at, at + length - LENGTH + 1)]
                mine = all(places[tuple(words[w : w + LENGTH])][0] == (doc, w) for w in range(at, at + length - LENGTH + 1))
                right |= mine and min(map(len, windows)) == number(copies) and len({place[0] for of in windows for place in of}) == number(documents)
        wrong += [] if right and (last is None or number(copies) <= last) else [(copies, documents, length, first, text)]
        last = number(copies)
    most = max(map(len, later.values()))
    c.check("passage page: most copied passages", not wrong and len(rows) == 20 and number(rows[0][0]) * 5 >= most * 4, (wrong[:2], len(rows), most))


def examples(c: Checks, page: str, docs: list, edits: dict) -> None:
    """What goes is of a cut, and the other side says the same."""
    wrong, shown = [], 0
    for part in re.findall(r'<details class="pair".*?</details>', page, re.S):
        doc = int(re.search(r'class="name" dir="auto">d(\d+)<', part)[1])
        text = docs[doc]["text"].encode()
        gone = [" ".join(words_of(text[first:end].decode())) for first, end in edits.get(doc, [])]
        goes = [words_of(plain(one)) for one in re.findall(r"<del>(.*?)</del>", part, re.S)]
        stays = [words_of(plain(one)) for one in re.findall(r"<ins>(.*?)</ins>", part, re.S)]
        others = [int(one) for one in re.findall(r'the same</b> <bdi>d(\d+)<', part)]
        for mine, theirs, other in zip(goes, stays, others, strict=True):
            shown += 1
            there = " ".join(words_of(docs[other]["text"]))
            wrong += [] if mine == theirs and " ".join(theirs) in there and (not gone or any(" ".join(mine) in one for one in gone)) else [(doc, other, mine, theirs)]
    c.check("passage page: examples", not wrong and shown >= 6, (wrong[:1], shown))


def passage_page(c: Checks) -> None:
    folder = c.work / "passage-page"
    folder.mkdir()
    docs = made(23)
    hostile = "</script><script>alert(1)</script>\u202e\u0000<img src=x>"
    for number_of in (40, 41):
        docs[number_of]["text"] += " " + " ".join(f"{hostile}{n}" for n in range(12))
    texts = [words_of(doc["text"]) for doc in docs]
    source = folder / "docs.jsonl"
    source.write_text("".join(json.dumps(doc, ensure_ascii=False) + "\n" for doc in docs), encoding="utf-8")
    pages = {}
    for name, options in (("kept", ()), ("three threads", ("-j", "3", "--memory", "64MB")), ("none", ("--cut", "none")), ("spans", ("--write", "spans")), ("lines", ("--whole", "line")), ("without", ("--no-report",))):
        out = c.out(f"passage page {name}")
        done = c.run("passages", source, "-o", out, "--tables", "tsv", "-q", "-L", str(LENGTH), *options)
        if not c.check(f"passage page: {name} runs", done.returncode == 0, done.stderr):
            return
        pages[name] = (out / "report.html").read_text(encoding="utf-8") if (out / "report.html").exists() else None
    content = lambda page: re.search(r'<section id="parts">.*<section id="settings">', page, re.S)[0]
    c.check("passage page: the same for any threads", content(pages["kept"]) == content(pages["three threads"]))
    trees = [tree_of(c.out(f"passage page {name}")) for name in ("kept", "without")]
    c.check("passage page: none with --no-report, and the rest is the same", pages["without"] is None and trees[0] == trees[1])
    for name, page in pages.items():
        if page:
            inert = "<script" not in page and "<img" not in page and "\u202e" not in page and "\u0000" not in page and "default-src 'none'; style-src" in page and "http" not in re.sub(r"http-equiv", "", page)
            c.check(f"passage page: {name}: nothing runs and nothing is fetched", inert)
    page, none = pages["kept"], pages["none"]
    runs = later_runs(texts, LENGTH, 2)
    edits = edits_of(c.out("passage page kept"))
    for which in (page, none):
        frequent(c, which, texts)
    rows = rows_of(page, "Longest passages")
    c.check("passage page: longest passages", number(rows[0][0]) == max(run[3] for run in runs) and [number(row[0]) for row in rows] == sorted((number(row[0]) for row in rows), reverse=True) and len(rows) == 20 and all(any((f"d{run[0]}", f"d{run[2][0]}", run[3]) == (row[1], row[2], number(row[0])) for run in runs) for row in rows), rows[:2])
    bins = {}
    for run in runs:
        low = LENGTH << ((run[3] // LENGTH).bit_length() - 1)
        bins[f"{low} to {2 * low - 1}"] = bins.get(f"{low} to {2 * low - 1}", 0) + 1
    c.check("passage page: lengths", {row[0]: number(row[1]) for row in rows_of(page, "Passages by length") if number(row[1])} == bins, bins)
    copied = {}
    for doc, at, (first, _), length, *_ in runs:
        if doc != first and length * 5 >= len(texts[doc]) * 4 and length * 5 >= len(texts[first]) * 4:
            copied.setdefault(doc, length)
    said = re.search(r"of the later copies are in ([\d,]+) documents? of which", page)
    c.check("passage page: copies of documents", number(said[1]) == len(copied) if said else not copied, (said and said[0], copied))
    kept = {json.loads(line)["n"] for line in (c.out("passage page kept") / "kept.jsonl").read_text(encoding="utf-8").splitlines()}
    shares = {}
    for doc, of in edits.items():
        text = docs[doc]["text"].encode()
        shares[f"d{doc}"] = (sum(len(words_of(text[first:end].decode())) for first, end in of), len(texts[doc]))
    best = sorted(shares.values(), key=lambda of: (-of[0] / of[1], -of[0]))[:20]
    rows = rows_of(page, "Most changed documents")
    c.check("passage page: most changed documents", all(row[1] == "{} of {}".format(*shares[row[0]]) for row in rows) and [row[1] for row in rows] == ["{} of {}".format(*of) for of in best] and len(kept) < len(docs), (rows[:3], best[:3]))
    examples(c, page, docs, edits)
    examples(c, none, docs, {})
    parts = {row[0]: number(row[1]) for row in rows_of(page, "Numbers of words")}
    later = {(doc, at) for doc, start, _, words, *_ in runs for at in range(start, start + words)}
    c.check("passage page: numbers of words", parts["all"] == sum(map(len, texts)) and parts["later copies"] == len(later) and parts["cut"] + parts["left"] == parts["all"], parts)
