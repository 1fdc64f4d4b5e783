"""decontaminate: which documents contain which parts, and where, by brute force over the words of all texts."""
import csv
import gzip
import json
import random
import unicodedata
from fractions import Fraction
from pathlib import Path

import check_run
from checks.harness import Checks, dict_table, summary_of, tree_of
from checks.inputs import write_csv, write_jsonl
from checks.parquet_bytes import PLAIN_CODEC, parquet, plain

SETTINGS = {"normalize": "nfc", "unit": "word"}
LEAST = 8
LICENCE = "permission is hereby granted free of charge to any person obtaining a copy of this text and all of its parts"
TEMPLATE = "choose the one letter that stands beside the best answer to the following question"


def words_of(text: str) -> list:
    return check_run.tokens(text, SETTINGS)


def vocabulary(rng: random.Random) -> list:
    plain_words = ["".join(rng.choice("abcdefghij") for _ in range(rng.randint(2, 8))) for _ in range(600)]
    return [*plain_words, "größe", "naïve", "вода", "жизнь", "Ελλάδα", "čaj", "x2", "1969"]


def written(rng: random.Random, words: list) -> str:
    """A text of words with case, punctuation, line ends and Unicode forms that do not count."""
    out = []
    for word in words:
        word = word.upper() if rng.random() < 0.1 else word
        word = unicodedata.normalize(rng.choice(("NFC", "NFD")), word) if rng.random() < 0.5 else word
        out.append(word + rng.choice(("", "", "", ",", ".", " –", "?!")) + rng.choice((" ", " ", " ", "\n", "\t", "  ")))
    return "".join(out)


def made(seed: int) -> tuple:
    """Items of two benchmarks, and documents with items whole, edited, cut in two, wrapped and several times."""
    rng = random.Random(seed)
    vocab = vocabulary(rng)
    some = lambda least, most: [rng.choice(vocab) for _ in range(rng.randint(least, most))]
    items: list = [[], []]
    for number in range(90):
        question, answer = some(15, 50), some(3, 14)
        if number % 9 == 3:
            question = some(1, 12)
        if number % 9 == 5:
            question = LICENCE.split() + (some(4, 9) if number % 2 else [])
        if number >= 60:
            question = TEMPLATE.split() + question
        items[number % 2].append({"id": f"q{number}", "question": written(rng, question), "answer": written(rng, answer), "choices": [written(rng, some(1, 6)) for _ in range(4)]})
    # The same item twice, in two benchmarks.
    items[1].append({**items[0][2], "id": "again"})
    everything = items[0] + items[1]
    docs = []
    for number in range(420):
        words = some(20, 160)
        for _ in range(rng.choice((0, 0, 1, 2, 3)) if number % 3 == 0 else 0):
            item = rng.choice(everything)
            planted = words_of(rng.choice((item["question"], item["question"], item["answer"], "\n".join(item["choices"]))))
            for _ in range(rng.choice((0, 0, 1, 2))):
                at = rng.randrange(len(planted))
                planted[at : at + rng.choice((0, 1, 1))] = some(0, 1)
            places = rng.choice((1, 1, 1, 3))
            if rng.random() < 0.2:
                half = len(planted) // 2
                words[:0], planted = planted[half:], planted[:half]
            for _ in range(places):
                at = rng.randint(0, len(words))
                words[at:at] = planted
        if number % 7 == 0:
            words[3:3] = LICENCE.split()
        text = "\n".join(" ".join(words[at : at + 8]) for at in range(0, len(words), 8)) if number % 5 == 0 else written(rng, words)
        docs.append({"n": number, "id": f"d{number}", "text": text, "tags": ["a", {"text": "no text"}]})
    return items, docs


def shingles(words: list, n: int) -> list:
    """The shingle at each place of a part."""
    if len(words) < min(n, LEAST):
        return []
    size = min(n, len(words))
    return [tuple(words[at : at + size]) for at in range(len(words) - size + 1)]


def covered(words: list, has: set, counts) -> list:
    """Runs of words that these shingles cover, at least one of which counts: pairs of places."""
    hit, start_counts = [False] * len(words), set()
    for size in {len(one) for one in has}:
        for at in range(len(words) - size + 1):
            if (one := tuple(words[at : at + size])) in has:
                hit[at : at + size] = [True] * size
                if counts(one):
                    start_counts.add(at)
    found, at = [], 0
    while at < len(words):
        end = at
        while end < len(words) and hit[end]:
            end += 1
        if end > at and any(start in start_counts for start in range(at, end)):
            found.append((at, end))
        at = max(end, at + 1)
    return found


def expected(items: list, docs: list, fields: list, n: int, threshold: str, common: int, common_items: int) -> tuple:
    """Matches with their spans, and the outcome of each part. Items are pairs of a place and fields with words."""
    parts = [(place, field, of[field]) for place, of in items for field in fields]
    own = [set(shingles(words, n)) for _, _, words in parts]
    lengths = {len(one) for some in own for one in some}
    of_docs = [{tuple(words[at : at + size]) for size in lengths for at in range(len(words) - size + 1)} for _, words in docs]
    frequency: dict = {}
    for of in of_docs:
        for one in of:
            frequency[one] = frequency.get(one, 0) + 1
    holders: dict = {}
    for (place, _, _), some in zip(parts, own):
        for one in some:
            holders.setdefault(one, set()).add(place)
    counts = lambda one: frequency.get(one, 0) <= common and len(holders[one]) <= common_items
    matches, outcomes = {}, {}
    for (place, field, words), some in zip(parts, own):
        counted = {one for one in some if counts(one)}
        found = 0
        for (doc, text), of in zip(docs, of_docs):
            shared = len(counted & of)
            if counted and Fraction(shared, len(counted)) >= Fraction(threshold):
                found += 1
                spans = covered(text, some & of, counts)
                in_part = sum(end - at for at, end in covered(words, some & of, lambda _: True))
                matches[doc, place, field] = (shared, len(counted), len(words), in_part, spans)
        outcomes[place, field] = "short" if not some else "common" if not counted else "found" if found else "absent"
    return matches, outcomes


def place_of(row: dict, role: str = "") -> tuple:
    return Path(row[role + "file"]).name, int(row[role + "record"])


def check_tables(c: Checks, name: str, out: Path, matches: dict, outcomes: dict, texts: dict) -> None:
    """The tables of a result against what was expected; `texts` by document."""
    rows = dict_table(out / "contamination.tsv")
    found = {(place_of(row), place_of(row, "item_"), row["part"]): tuple(int(row[name]) for name in ("shared", "shingles", "words", "covered", "spans", "longest")) for row in rows}
    wanted = {key: (*numbers, len(spans), max(end - at for at, end in spans)) for key, (*numbers, spans) in matches.items()}
    wrong = [(key, found.get(key), wanted.get(key)) for key in found.keys() | wanted.keys() if found.get(key) != wanted.get(key)]
    c.check(f"{name}: matches", not wrong and len(found) == len(rows) and len(found) > 15, (len(found), len(wanted), wrong[:3]))
    c.check(f"{name}: shares", all(abs(float(row["share"]) - int(row["shared"]) / int(row["shingles"])) < 1e-9 for row in rows))
    places: dict = {}
    for row in dict_table(out / "spans.tsv"):
        doc, words, of = place_of(row), (int(row["first_word"]), int(row["end_word"])), (int(row["first_byte"]), int(row["end_byte"]))
        places.setdefault((doc, place_of(row, "item_"), row["part"]), []).append(words)
        data = texts[doc].encode()
        before, inside = data[: of[0]].decode(), data[of[0] : of[1]].decode()
        whole = words_of(texts[doc])
        if not c.check(f"{name}: bytes of {doc}", words_of(inside) == whole[words[0] : words[1]] and len(words_of(before)) == words[0] and inside == inside.strip(), (row, inside)):
            break
    c.check(f"{name}: spans", places == {key: spans for key, (*_, spans) in matches.items()})
    parts = {(place_of(row, "item_"), row["part"]): row["outcome"] for row in dict_table(out / "items.tsv")}
    wrong = [(key, parts.get(key), outcomes.get(key)) for key in parts.keys() | outcomes.keys() if parts.get(key) != outcomes.get(key)]
    c.check(f"{name}: every part of every item", not wrong, wrong[:3])
    of_items: dict = {}
    for (place, _), outcome in outcomes.items():
        of_items.setdefault(place, set()).add(outcome)
    for row in dict_table(out / "benchmarks.tsv"):
        benchmark = Path(row["benchmark"]).name
        own = {place: some for place, some in of_items.items() if place[0] == benchmark}
        docs = {doc for doc, place, _ in matches if place in own}
        numbers = (len(own), sum("found" in some for some in own.values()), sum(some == {"short"} for some in own.values()), len(docs))
        c.check(f"{name}: numbers of {benchmark}", numbers == tuple(int(row[name]) for name in ("items", "found", "short", "documents")), (numbers, row))


def left_words(doc: tuple, text: str, matches: dict) -> list:
    """The words of a document outside of all spans."""
    words = words_of(text)
    gone = {at for (place, _, _), (*_, spans) in matches.items() if place == doc for start, end in spans for at in range(start, end)}
    return [word for at, word in enumerate(words) if at not in gone]


def is_within(short: str, text: str) -> bool:
    """Whether a text is left of another, but for spaces that were put between words."""
    at = 0
    for character in short:
        found = text.find(character, at)
        if found < 0 and character != " ":
            return False
        at = found + 1 if found >= 0 else at
    return True


def check_cuts(c: Checks, name: str, out: Path, form: str, docs: list, matches: dict, of) -> None:
    """The documents of a run that cuts; `of` gives the place of a document by its number."""
    found = {doc for doc, _, _ in matches}
    left = {number: left_words(of(number), doc["text"], matches) for number, doc in enumerate(docs, 1) if of(number) in found}
    removed = {number for number, words in left.items() if not words or form == "txt"}
    summary = summary_of(out)
    numbers = (len(found) - len(removed), len(removed), len(docs) - len(removed))
    c.check(f"{name}: counts", numbers == (summary.get("cut", 0), summary["removed"], summary["kept"]) and (form == "txt") == (numbers[0] == 0), (numbers, summary))
    if form == "parquet":
        again = c.out(f"{name} again")
        done = c.run("decontaminate", out / "kept.parquet", "--against", c.work / "decontaminated" / "quotes", "-o", again, "-q")
        total = sum(len(left[number] if number in left else words_of(doc["text"])) for number, doc in enumerate(docs, 1) if number not in removed)
        c.check(f"{name}: kept rows", done.returncode == 0 and (summary_of(again)["documents"], summary_of(again)["words"]) == (numbers[2], total), (done.stderr, total))
        return
    if form == "txt":
        listed = [Path(line).name for line in (out / "removed-files.txt").read_text(encoding="utf-8").splitlines()]
        c.check(f"{name}: removed files", listed == [of(number)[0] for number in sorted(removed)])
        return
    if form == "csv":
        with open(out / "kept.csv", encoding="utf-8", newline="") as rows:
            kept = list(csv.DictReader(rows))
    else:
        kept = [json.loads(line) for line in (out / "kept.jsonl").read_text(encoding="utf-8").splitlines()]
    stays = [(number, doc) for number, doc in enumerate(docs, 1) if number not in removed]
    c.check(f"{name}: as many records", len(kept) == len(stays), (len(kept), len(stays)))
    wrong = []
    for (number, doc), record in zip(stays, kept):
        same = record["text"] == doc["text"] if number not in left else words_of(record["text"]) == left[number] and is_within(record["text"], doc["text"])
        others = all(record[field] == doc[field] for field in ("id", "n", "tags") if field in doc and form == "jsonl") and record["id"] == doc["id"]
        wrong += [] if same and others else [(doc, record)]
    c.check(f"{name}: kept texts", not wrong, wrong[:1])


def check_marks(c: Checks, name: str, out: Path, docs: list, items: dict, matches: dict, order: list) -> None:
    """The fields of a run that marks; `items` has the ids by place, `order` the places in the order of the benchmarks."""
    records = [json.loads(line) for line in (out / "marked.jsonl").read_text(encoding="utf-8").splitlines()]
    wrong = []
    for number, (doc, record) in enumerate(zip(docs, records), 1):
        own = {(place, part): Fraction(shared, size) for (at, place, part), (shared, size, *_) in matches.items() if at == ("train.jsonl", number)}
        wanted = {**doc, "x_contaminated": bool(own), "x_contaminated_items": len({place for place, _ in own}), "x_contaminated_item": None, "x_contaminated_benchmark": None, "x_contaminated_share": None}
        if own:
            place = min((place for (place, _), share in own.items() if share == max(own.values())), key=order.index)
            wanted |= {"x_contaminated_item": items[place], "x_contaminated_share": float(max(own.values()))}
            benchmark = record.pop("x_contaminated_benchmark")
            wanted.pop("x_contaminated_benchmark")
            wrong += [] if Path(benchmark).name == place[0] else [(benchmark, place)]
        wrong += [] if record == wanted else [(record, wanted)]
    c.check(f"{name}: marked records", len(records) == len(docs) and not wrong, wrong[:1])


def whole_or_exact(c: Checks, folder: Path) -> None:
    """Texts without spaces of which one character is not normal, and texts of two fields: cut without loss, or removed whole."""
    item, before, after = "春眠不覚暁処処聞啼鳥夜来風雨声花落知多少", "これはとても長い文章です。多くの内容を含みます。", "そして、この後の文章も残るべきです。"
    far = unicodedata.normalize("NFD", "ガラス")
    texts = [before + item + after, far + before + item + after, before + item + after + far, far + " " + before + item + after, far + before + " " + item + " " + after, item, far + " " + item, before]
    items = write_jsonl(folder / "poem.jsonl", [{"id": "q", "text": item}])
    docs = [{"id": str(number), "title": "Ab ovo usque ad mala", "text": text} for number, text in enumerate(texts)]
    train = write_jsonl(folder / "poems.jsonl", docs)
    for name, options in (("one field", ()), ("two fields", ("--text-field", "title,text", "--item-fields", "text")), ("no normalisation", ("--normalize", "none"))):
        out = c.out(f"decontaminated whole or exact {name}")
        done = c.run("decontaminate", train, "--against", items, "-o", out, "--tables", "tsv", "--action", "cut", "-q", *options)
        if not c.check(f"decontaminated: cut of {name} runs", done.returncode == 0, done.stderr):
            continue
        kept, removed = ({(one := json.loads(line))["id"]: one for line in (out / f"{role}.jsonl").read_text(encoding="utf-8").splitlines()} for role in ("kept", "removed"))
        same = lambda text: "".join(unicodedata.normalize("NFC", text).split())
        wrong = [doc for doc in docs if not (removed.get(doc["id"]) == doc or same(kept[doc["id"]]["text"]) == same(doc["text"]).replace(item, ""))]
        c.check(f"decontaminated: cut of {name}: without loss, or whole", not wrong and len(kept) + len(removed) == len(docs), wrong[:2])
        c.check(f"decontaminated: cut of {name}: no empty text", all(one["text"].strip() for one in kept.values()))
        summary = summary_of(out)
        uncut = len(removed) - (0 if name == "two fields" else 1)
        c.check(f"decontaminated: cut of {name}: counts", (summary.get("uncut", 0), summary["removed"]) == (uncut, len(removed)) and any("could not be cut" in one for one in summary["warnings"]) == (uncut > 0), summary)
        c.check(f"decontaminated: cut of {name}: some are cut", name == "two fields" or {"0", "3", "4", "6", "7"} <= set(kept), [*kept])


def borders_of_sections(c: Checks, folder: Path) -> None:
    """Items and documents of several turns: no shingle has words of two, whichever of both they are in."""
    rng = random.Random(5)
    some = lambda least, most: [rng.choice("abcdefghij") + str(rng.randrange(40)) for _ in range(rng.randint(least, most))]
    items = [[some(0, 22) for _ in range(rng.randint(1, 3))] for _ in range(60)]
    docs = []
    for number in range(240):
        turns = [some(5, 30) for _ in range(rng.randint(1, 4))]
        item = rng.choice(items)
        if number % 3 == 0:
            turns[0] = turns[0] + [word for turn in item for word in turn] + some(0, 5)
        elif number % 3 == 1:
            whole, half = [word for turn in item for word in turn], rng.randint(0, 20)
            turns += [some(0, 3) + whole[:half], whole[half:] + some(0, 3)] if number % 2 else [some(0, 3) + turn for turn in item]
        docs.append(turns)
    write = lambda name, all_turns: write_jsonl(folder / name, [{"id": str(number), "turns": [{"say": " ".join(turn) + "."} for turn in turns]} for number, turns in enumerate(all_turns)])
    train, bench = write("turns.jsonl", docs), write("turn-items.jsonl", items)
    out = c.out("decontaminated sections")
    done = c.run("decontaminate", train, "--against", bench, "-o", out, "--tables", "tsv", "-q", "--text-field", "turns[].say", "-t", "0.6")
    if not c.check("decontaminated: sections run", done.returncode == 0, done.stderr):
        return
    of_items = [[one for turn in turns for one in shingles(turn, 8)] for turns in items]
    wanted = {}
    for doc, turns in enumerate(docs):
        has = {one for turn in turns for one in shingles(turn, 8)}
        for item, own in enumerate(of_items):
            shared = len(set(own) & has)
            if own and Fraction(shared, len(set(own))) >= Fraction("0.6"):
                wanted[doc, item] = (shared, len(set(own)))
    found = {(int(row["id"]), int(row["item_id"])): (int(row["shared"]), int(row["shingles"])) for row in dict_table(out / "contamination.tsv")}
    c.check("decontaminated: no shingle has words of two sections", found == wanted and len(found) > 50, (len(found), len(wanted)))
    spans = dict_table(out / "spans.tsv")
    text = lambda number: "\n\x1e\n".join(" ".join(turn) + "." for turn in docs[number])
    bad = []
    for row in spans:
        doc, first, end = int(row["id"]), int(row["first_word"]), int(row["end_word"])
        words = [word for turn in docs[doc] for word in turn]
        place = text(doc).encode()[int(row["first_byte"]) : int(row["end_byte"])].decode()
        bad += [] if words_of(place) == words[first:end] else [(row, place)]
    c.check("decontaminated: spans of sections", spans and not bad, bad[:1])


def parts_that_are_missing(c: Checks, folder: Path) -> None:
    """Items without one of their parts, in whatever order the parts are named; a number is its digits."""
    long = "one two three four five six seven eight nine ten"
    answers = [{"answer": f"{long} a"}, {"answer": 42}, {"answer": None}, {}, {"answer": ""}, {"answer": ["x", f"{long} l"]}, {"answer": True}]
    items = [{"id": f"i{number}", **answer, "question": f"{long} q{number}"} for number, answer in enumerate(answers)]
    items += [{"id": "only", "answer": f"{long} only"}, {"id": "neither", "other": long}, {"id": "null", "answer": None}]
    bench = write_jsonl(folder / "gaps.jsonl", items)
    said = lambda value: " ".join(value) if isinstance(value, list) else str(value)
    docs = [{"id": f"{item['id']} {field}", "text": f"so {said(item[field])} end"} for item in items for field in ("question", "answer") if len(said(item.get(field) or "").split()) > 7]
    train = write_jsonl(folder / "gapped.jsonl", docs)
    seen = []
    for fields in ("answer,question", "question,answer"):
        out = c.out(f"decontaminated gaps {fields}")
        done = c.run("decontaminate", train, "--against", bench, "-o", out, "--tables", "tsv", "-q", "-t", "1", "--ngram", "11", "--item-fields", fields)
        if c.check(f"decontaminated: gaps: {fields} runs", done.returncode == 0, done.stderr):
            seen.append({f"{row['item_id']} {row['part']}" for row in dict_table(out / "contamination.tsv") if row["id"] == f"{row['item_id']} {row['part']}"})
            rows = dict_table(out / "items.tsv")
            c.check(f"decontaminated: gaps: {fields}: items", {row["item_id"] for row in rows} == {item["id"] for item in items} - {"neither", "null"} and summary_of(out)["item_problems"] == 2)
            words = {row["item_id"]: row["words"] for row in rows if row["part"] == "answer"}
            c.check(f"decontaminated: gaps: {fields}: numbers are texts", (words["i1"], words["i2"], words["i3"], words["i4"]) == ("1", "0", "0", "0"), words)
    broken = folder / "broken.jsonl"
    broken.write_text('{"answer": null}\n{"other": 1}\n', encoding="utf-8")
    out = c.out("decontaminated without items")
    done = c.run("decontaminate", train, "--against", bench, broken, "-o", out, "--tables", "tsv", "-q", "--item-fields", "answer,question")
    if c.check("decontaminated: a benchmark without items runs", done.returncode == 0, done.stderr):
        rows = {Path(row["benchmark"]).name: int(row["items"]) for row in dict_table(out / "benchmarks.tsv")}
        c.check("decontaminated: a benchmark without items is listed", rows == {"broken.jsonl": 0, "gaps.jsonl": len(items) - 2}, rows)
        c.check("decontaminated: and warned of", any("broken.jsonl" in one for one in summary_of(out)["warnings"]), summary_of(out)["warnings"])
    done = c.run("decontaminate", train, "--against", broken, "-o", c.out("decontaminated without any item"), "--item-fields", "answer,question")
    c.check("decontaminated: no item at all", done.returncode != 0 and "--item-fields" in done.stderr and "0 items" not in done.stderr, done.stderr)
    c.check("decontaminated: gaps: all are found", seen == [{doc["id"] for doc in docs}] * 2, seen)


def decontaminated(c: Checks) -> None:
    folder = c.work / "decontaminated"
    (folder / "bench").mkdir(parents=True)
    items, docs = made(71)
    benches = [write_jsonl(folder / "bench" / "a.jsonl", items[0]), folder / "bench" / "b.jsonl.gz"]
    benches[1].write_bytes(gzip.compress("".join(json.dumps(item) + "\n" for item in items[1]).encode()))
    train = write_jsonl(folder / "train.jsonl", docs)
    texts = {("train.jsonl", number): doc["text"] for number, doc in enumerate(docs, 1)}
    doc_words = [(place, words_of(text)) for place, text in texts.items()]

    def parts_of(fields: list) -> list:
        found = []
        for bench, some in zip(benches, items):
            for number, item in enumerate(some, 1):
                of = {field: words_of("\n".join(item[field]) if isinstance(item[field], list) else item[field]) for field in fields}
                found.append(((bench.name, number), of))
        return found

    for name, fields, n, threshold, common, common_items in (
        ("usual", ["question"], 8, "0.7", 1000, 100),
        ("parts", ["question", "answer", "choices"], 8, "0.5", 1000, 100),
        ("13-grams", ["question", "answer"], 13, "0.01", 10, 100),
        ("common", ["question", "answer"], 10, "0.8", 40, 20),
        ("5-grams", ["answer"], 5, "1", 1000, 3),
    ):
        matches, outcomes = expected(parts_of(fields), doc_words, fields, n, threshold, common, common_items)
        options = ["--item-fields", ",".join(fields), "--ngram", n, "-t", threshold, "--common", common, "--common-items", common_items]
        trees = []
        for extra in (("-j", "1"), ("-j", "2"), ("-j", "5", "--memory", "1")):
            out = c.out(f"decontaminated {name} {extra}")
            done = c.run("decontaminate", train, "--against", *reversed(benches), "-o", out, "--tables", "tsv", "-q", *options, *extra)
            if c.check(f"decontaminated: {name} runs", done.returncode == 0, done.stderr):
                trees.append(tree_of(out))
        c.check(f"decontaminated: {name}: the same bytes", len(trees) == 3 and trees[0] == trees[1] == trees[2])
        if trees:
            check_tables(c, f"decontaminated: {name}", out, matches, outcomes, texts)
        if name == "common":
            c.check("decontaminated: items of nothing but the licence are common", "common" in outcomes.values())
        found = {doc for doc, _, _ in matches}
        out = c.out(f"decontaminated {name} removed")
        done = c.run("decontaminate", train, "--against", folder / "bench", "-o", out, "--tables", "tsv", "-q", "--action", "remove", *options)
        if c.check(f"decontaminated: {name} removes", done.returncode == 0, done.stderr):
            lines = train.read_bytes().splitlines(keepends=True)
            removed = {number - 1 for _, number in found}
            for role, is_role in (("kept", lambda at: at not in removed), ("removed", lambda at: at in removed)):
                whole = b"".join(line for at, line in enumerate(lines) if is_role(at))
                c.check(f"decontaminated: {name}: {role} byte for byte", (out / f"{role}.jsonl").read_bytes() == whole)
            c.check(f"decontaminated: {name}: counts of removed", (summary_of(out)["removed"], summary_of(out)["contaminated"]) == (len(found), len(found)))

        out = c.out(f"decontaminated {name} cut")
        done = c.run("decontaminate", train, "--against", folder / "bench", "-o", out, "--tables", "tsv", "-q", "--action", "cut", *options)
        if c.check(f"decontaminated: {name} cuts", done.returncode == 0, done.stderr):
            check_cuts(c, f"decontaminated: {name} cut", out, "jsonl", docs, matches, lambda number: ("train.jsonl", number))
            lines, kept = train.read_text(encoding="utf-8").splitlines(), (out / "kept.jsonl").read_text(encoding="utf-8").splitlines()
            other = {line for number, line in enumerate(lines, 1) if ("train.jsonl", number) not in found}
            c.check(f"decontaminated: {name} cut: the others byte for byte", other <= set(kept))
        out = c.out(f"decontaminated {name} marked")
        done = c.run("decontaminate", train, "--against", folder / "bench", "-o", out, "-q", "--action", "mark", "--mark-prefix", "x_", *options)
        if c.check(f"decontaminated: {name} marks", done.returncode == 0, done.stderr):
            ids = {(bench.name, number): item["id"] for bench, some in zip(benches, items) for number, item in enumerate(some, 1)}
            check_marks(c, f"decontaminated: {name}", out, docs, ids, matches, [*ids])

    quotes = folder / "quotes"
    quotes.mkdir()
    for number, item in enumerate(items[0], 1):
        (quotes / f"{number:03}.txt").write_text(item["question"], encoding="utf-8", newline="")

    # The same documents in other formats.
    fields, options = ["question"], ["--item-fields", "question"]
    matches, outcomes = expected(parts_of(fields), doc_words, fields, 8, "0.5", 1000, 30)
    pages = folder / "pages"
    pages.mkdir()
    for number, doc in enumerate(docs, 1):
        (pages / f"{number:04}.txt").write_text(doc["text"], encoding="utf-8", newline="")
    table = folder / "train.parquet"
    table.write_bytes(parquet(len(docs), {name: (PLAIN_CODEC, [plain([doc[name].encode() for doc in docs])]) for name in ("id", "text")}))
    forms = {"csv": write_csv(folder / "train.csv", docs), "parquet": table, "txt": pages}
    for form, path in forms.items():
        of = (lambda number: (f"{number:04}.txt", 1)) if form == "txt" else (lambda number, name=path.name: (name, number))
        moved = {(of(doc[1]), place, part): numbers for (doc, place, part), numbers in matches.items()}
        there = {of(place[1]): text for place, text in texts.items()}
        out = c.out(f"decontaminated {form}")
        done = c.run("decontaminate", path, "--against", folder / "bench", "-o", out, "--tables", "tsv", "-q", "--action", "remove", *options)
        if c.check(f"decontaminated: {form} runs", done.returncode == 0, done.stderr):
            check_tables(c, f"decontaminated: {form}", out, moved, outcomes, there)
        out = c.out(f"decontaminated {form} cut")
        done = c.run("decontaminate", path, "--against", folder / "bench", "-o", out, "--tables", "tsv", "-q", "--action", "cut", *options)
        if c.check(f"decontaminated: {form} cuts", done.returncode == 0, done.stderr):
            check_cuts(c, f"decontaminated: {form} cut", out, form, docs, moved, of)

    # Text files as items, compared as they are.
    of_texts = [((f"{number:03}.txt", 1), {"text": words_of(item["question"])}) for number, item in enumerate(items[0], 1)]
    matches, outcomes = expected(of_texts, doc_words, ["text"], 8, "0.5", 1000, 30)
    out = c.out("decontaminated text items")
    done = c.run("decontaminate", train, "--against", quotes, "-o", out, "--tables", "tsv", "-q")
    if c.check("decontaminated: text items run", done.returncode == 0, done.stderr):
        rows = dict_table(out / "contamination.tsv")
        found = {(place_of(row), place_of(row, "item_")): int(row["shared"]) for row in rows}
        c.check("decontaminated: text items", found == {(doc, place): shared for (doc, place, _), (shared, *_) in matches.items()} and len(found) > 10)
        c.check("decontaminated: their directory is the benchmark", [Path(row["benchmark"]).name for row in dict_table(out / "benchmarks.tsv")] == ["quotes"])

    whole_or_exact(c, folder)
    borders_of_sections(c, folder)
    parts_that_are_missing(c, folder)

    for name, given, word in (
        ("a field that is not there", ("--against", benches[0], "--item-fields", "query"), "--item-fields"),
        ("one of two fields", ("--against", benches[0], "--item-fields", "question,reply"), "`reply`"),
        ("a field twice", ("--against", benches[0], "--item-fields", "question,question"), "twice"),
        ("the documents as items", ("--against", train), "give it once"),
        ("nothing that is long enough", ("--against", write_jsonl(folder / "short.jsonl", [{"text": "much too short"}])), "nothing would be found"),
        ("a threshold", ("--against", benches[0], "--item-fields", "question", "-t", "0"), "--threshold"),
        ("a guard", ("--against", benches[0], "--item-fields", "question", "--action", "remove", "--max-loss", "1%"), "--max-loss"),
    ):
        out = c.out(f"decontaminated refused {name}")
        done = c.run("decontaminate", train, *given, "-o", out)
        c.check(f"decontaminated: refused: {name}", done.returncode in (1, 2, 3) and word in done.stderr and not out.exists(), (done.returncode, done.stderr))
