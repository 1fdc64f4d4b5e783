"""Simhash features beyond words (Seshasai 2009), recomputed from the texts, and documents separated by a field."""
import csv
import json
import random
from itertools import combinations
from pathlib import Path

from checks.harness import Checks, dict_table, summary_of, tree_of
from checks.inputs import collection, ids_of, write_jsonl
from method_oracle import finalise, shingle, sign_of_sums, sums_of, token_hash, turned

ONE = 1 << 32
STOP = ["the", "and", "which", "is"]


def made_records() -> list:
    """Texts in groups that differ in a few words, or in what is given beside the text only."""
    rng = random.Random(79)
    vocabulary = ["".join(rng.choice("abcdefghij") for _ in range(rng.randint(5, 9))) for _ in range(300)] + STOP * 15
    texts: list = []
    for _ in range(140):
        kind = rng.random()
        if texts and kind < 0.75:
            text = list(rng.choice(texts))
            for _ in range(rng.choice((0, 0, 1, 2))):
                text[rng.randrange(len(text))] = rng.choice(vocabulary)
        else:
            text = [rng.choice(vocabulary) for _ in range(rng.randint(30, 60))]
        texts.append(text)
    records = []
    for number, text in enumerate(texts):
        record = {"id": f"d{number:03}", "text": " ".join(text)}
        if rng.random() < 0.9:
            record["part"] = rng.choice(["sport", "world", "arts"])
        if rng.random() < 0.8:
            record["tags"] = rng.sample(["war", "oil", "law", "art"], rng.randint(0, 3))
        if rng.random() < 0.7:
            record["title"] = rng.choice(["one", "two"])
        if rng.random() < 0.8:
            record["meta"] = {"links": [" ".join(rng.choice(vocabulary) for _ in range(3)) for _ in range(rng.randint(0, 4))]}
        if rng.random() < 0.9:
            record["rank"] = rng.choice([0, 0.25, 0.5, "0.75", 1, 3.5, -2, "none"])
        record["label"] = rng.choice(["public", "secret", 3])
        if rng.random() < 0.2:
            del record["label"]
        records.append(record)
    return records


def occurrences(words: list, sizes: tuple, factor) -> list:
    """(hash, weight) of each n-gram; weights have 16 fractional bits."""
    hashes = [token_hash(word) for word in words]
    return [
        (shingle(hashes[at:at + size]), factor(at, size) * 65536 >> 32)
        for size in sizes for at in range(len(words) - size + 1)
    ]


def points(values: list):
    """Straight lines between equally spaced values, as factors with 32 fractional bits."""
    def factor(at: int, length: int) -> int:
        steps, last = length - 1, len(values) - 1
        place = [number * 10**8 // last for number in range(len(values))]
        x = at * 10**8
        low = next(n for n in range(last) if x <= place[n + 1] * steps)
        start, end = place[low] * steps, place[low + 1] * steps
        if x == start:
            return int(values[low] * ONE)
        return (int(values[low] * ONE) * (end - x) + int(values[low + 1] * ONE) * (x - start)) // (end - start)
    return factor


def word_of(record: dict, sizes=(1,), stop=False, anchors=None, position=None, metadata=None, fields=(), number=None, centre=0.0, reserved=0) -> int:
    """The simhash of a record, weights=tf."""
    words = [word for word in record["text"].split() if not (stop and word in STOP)]
    length = len(words)
    factor = (lambda at, _: position(at, length)) if position else (lambda *_: ONE)
    found = occurrences(words, sizes, factor)
    if anchors:
        for text in record.get("meta", {}).get("links", []):
            found += occurrences(text.split(), sizes, lambda *_: int(anchors * ONE))
    weights: dict = {}
    for key, weight in found:
        weights[key] = weights.get(key, 0) + weight
    largest = max(weights.values())
    sums = sums_of(list(weights.items()))
    if number:
        try:
            value = float(record.get(number, "none"))
            millionths = round((max(-1000.0, min(1000.0, value)) - centre) * 10**6)
            weight = abs(millionths) * largest // 10**6
            sums = [old + new for old, new in zip(sums, sums_of([(turned(token_hash(number)), weight if millionths >= 0 else -weight)]))]
        except ValueError:
            pass
    values = []
    for name in fields:
        value = record.get(name, [])
        values += [f"{name}={one}" for one in (value if isinstance(value, list) else [value])]
    if metadata is not None:
        weight = min(abs(one) for one in sums if one) if metadata == "min" else int(metadata * 10**6) * largest // 10**6
        sums = [old + new for old, new in zip(sums, sums_of([(turned(token_hash(value)), weight) for value in values]))]
    word = sign_of_sums(sums)
    if reserved:
        mask = (1 << 64) - (1 << 64 - reserved)
        hashed = finalise(sum(finalise(token_hash(value)) for value in values) & (1 << 64) - 1)
        word = word & ~mask | hashed & mask
    return word


def simhash_features(c: Checks) -> None:
    """n-grams, stop words, anchors, numbers, metadata and position functions: every distance of every pair, recomputed."""
    folder = c.work / "simhash features"
    records = made_records()
    docs = write_jsonl(folder / "docs.jsonl", records)
    numbers = {record["id"]: at for at, record in enumerate(records)}
    three = lambda at, _: ONE * 3 if at < 5 else ONE
    cases = [
        ("features=bigrams", {"sizes": (2,)}),
        ("features=words+bigrams+trigrams", {"sizes": (1, 2, 3)}),
        ("features=words+bigrams,position=2:0.5:1", {"sizes": (1, 2), "position": points([2, 0.5, 1])}),
        ("features=words+bigrams,position=3@1:3@5:1@6", {"sizes": (1, 2), "position": three}),
        ("strip=stopwords", {"stop": True}),
        ("strip=stopwords,features=bigrams", {"stop": True, "sizes": (2,)}),
        ("variant=strip", {"stop": True}),
        ("metadata=0.75,fields=part+title", {"metadata": 0.75, "fields": ("part", "title")}),
        ("metadata=min,fields=part+tags", {"metadata": "min", "fields": ("part", "tags")}),
        ("anchors=meta.links", {"anchors": 1.5}),
        ("anchors=meta.links,features=bigrams,tagged=3", {"anchors": 3, "sizes": (2,)}),
        ("numbers=rank,centre=0.5", {"number": "rank", "centre": 0.5}),
        ("numbers=rank,metadata=0.5,fields=tags", {"number": "rank", "metadata": 0.5, "fields": ("tags",)}),
    ]
    plain = [word_of(record) for record in records]
    for parameters, how in cases:
        words = [word_of(record, **how) for record in records]
        c.check(f"simhash features: {parameters} changes words", sum(a != b for a, b in zip(words, plain)) > 20)
        trees = []
        for threads in (1, 5):
            out = c.out(f"simhash features {parameters} {threads}")
            spec = f"simhash:d=12,weights=tf,{parameters}"
            done = c.run("cluster", docs, "-o", out, "--tables", "tsv", "-q", "-j", threads, "--method", spec, "--verify", "sketch")
            if c.check(f"simhash features: {parameters} runs", done.returncode == 0, done.stderr):
                trees.append(tree_of(out))
        if len(trees) < 2:
            continue
        c.check(f"simhash features: {parameters}: the same bytes", trees[0] == trees[1])
        rows = dict_table(c.out(f"simhash features {parameters} 1") / "pairs.tsv")
        found = {tuple(sorted((numbers[row["a_id"]], numbers[row["b_id"]]))): int(row["distance"] or 0) for row in rows}
        near = {(a, b): bits for a, b in combinations(range(len(records)), 2) if (bits := (words[a] ^ words[b]).bit_count()) <= 12}
        wrong = [(pair, found.get(pair), near.get(pair)) for pair in found.keys() | near.keys() if found.get(pair) != near.get(pair)]
        c.check(f"simhash features: {parameters}: distances", not wrong and len(near) > 50, (wrong[:5], len(wrong), len(near)))
        said = summary_of(c.out(f"simhash features {parameters} 1"))["settings"]
        c.check(f"simhash features: {parameters}: recorded", all(part in said["method"] for part in parameters.split(",")), said["method"])

    # Metadata in reserved bits: pairs of the same fields only.
    words = [word_of(record, reserved=8, fields=("label",)) for record in records]
    out = c.out("simhash features reserved")
    done = c.run("cluster", docs, "-o", out, "--tables", "tsv", "-q", "--method", "simhash:d=8,weights=tf,reserved=8,fields=label", "--verify", "sketch")
    if c.check("simhash features: reserved=8,fields=label runs", done.returncode == 0, done.stderr):
        found = {tuple(sorted((numbers[row["a_id"]], numbers[row["b_id"]]))) for row in dict_table(out / "pairs.tsv")}
        near = {(a, b) for a, b in combinations(range(len(words)), 2) if words[a] >> 56 == words[b] >> 56 and (words[a] ^ words[b]).bit_count() <= 8}
        c.check("simhash features: reserved bits of a field", found == near and len(near) > 20, (len(found), len(near)))

    # The same fields in a table: the same clusters.
    with open(folder / "docs.csv", "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "text", "part", "rank"])
        rows.writerows([[one["id"], one["text"], one.get("part", ""), one.get("rank", "")] for one in records])
    spec = ("--method", "simhash:d=12,weights=tf,numbers=rank,metadata=min,fields=part", "--verify", "sketch", "-q", "--tables", "tsv")
    pairs = []
    for path in (docs, folder / "docs.csv"):
        out = c.out(f"simhash features {path.name}")
        c.run("cluster", path, "-o", out, *spec)
        pairs.append([(row["a_id"], row["b_id"], row["distance"]) for row in dict_table(out / "pairs.tsv")] if out.exists() else None)
    c.check("simhash features: JSONL and CSV agree", pairs[0] == pairs[1] and len(pairs[0] or ()) > 50, [len(one or ()) for one in pairs])

    # Measured like any method; what cannot have fields refuses them.
    done = c.run("evaluate", docs, "-o", c.out("simhash features evaluate"), "-q", "--methods", "simhash:weights=tf,anchors=meta.links", "simhash:weights=tf,metadata=min,fields=part")
    c.check("simhash features: evaluate", done.returncode == 0, done.stderr)
    done = c.run("evaluate", docs, "-o", c.out("default methods evaluate"), "-q", "--separate-by", "part")
    c.check("separate-by: evaluate the default methods", done.returncode == 0, done.stderr)
    refused = [
        (("cluster", docs, "-o", c.out("refused"), "--method", "simhash:weights=tf,anchors=lnks"), "`lnks`"),
        (("cluster", docs, "-o", c.out("refused"), "--method", "simhash:weights=tf,fields=part"), "metadata or reserved"),
        (("cluster", docs, "-o", c.out("refused"), "--method", "simhash:weights=tf,position=1:2:x"), "position=1:2:x"),
        (("cluster", docs, "-o", c.out("refused"), "--method", "simhash:weights=tf,position=0:0"), "not all 0"),
        (("index", "create", c.out("refused.index"), "--method", "simhash:weights=tf,anchors=links"), "`links`"),
    ]
    for arguments, words_of_it in refused:
        done = c.run(*arguments)
        c.check(f"simhash features: refused: {arguments[-1]}", done.returncode not in (0, 101) and words_of_it in done.stderr, done.stderr)


def separated(c: Checks) -> None:
    """--separate-by: the pairs of documents with equal values, by every method, and no others."""
    folder = c.work / "separated"
    folder.mkdir()
    made = [json.loads(line) for line in collection(folder / "made.jsonl", 44, 500).read_text(encoding="utf-8").splitlines()]
    rng = random.Random(45)
    records, labels = [], {}
    for number, one in enumerate(made):
        record = {"id": f"s{number:03}", "text": one["text"]}
        label = rng.choice(["public", "secret", 3, None, ["a", "b"], ["b", "a", "b"], "absent"])
        if label != "absent":
            record["label"] = label
        labels[record["id"]] = {"absent": "", "None": ""}.get(str(label), str(sorted(set(label)) if isinstance(label, list) else label))
        records.append(record)
    docs = write_jsonl(folder / "docs.jsonl", records)

    def pairs(out: Path) -> dict:
        if not out.exists():
            return {}
        return {(row["a_id"], row["b_id"]): tuple(row.values())[6:] for row in dict_table(out / "pairs.tsv")}

    ways = {
        "exact": (), "low": ("-t", "0.3"), "containment": ("--measure", "containment"), "cosine": ("--measure", "cosine", "-t", "0.9"),
        "few": ("--min-features", "30"), "common": ("--ignore-common", "5"), "short": ("--short-documents", "ignore"),
    }
    for method in ("minhash-lsh", "dsc-ss", "imatch", "simhash:d=6", "simhash:d=0", "simhash:d=6,join=ones", "lexical"):
        for verify in ("exact", "sketch", "none"):
            ways[f"{method} {verify}"] = ("--method", method, "--verify", verify)
    for name, options in ways.items():
        whole = c.out(f"separated {name} whole")
        done = c.run("cluster", docs, "-o", whole, "--tables", "tsv", "-q", *options)
        c.check(f"separated: {name} without runs", done.returncode == 0, done.stderr)
        expected = {pair: row for pair, row in pairs(whole).items() if labels[pair[0]] == labels[pair[1]]}
        trees = []
        for extra in (("-j", "1"), ("-j", "5"), ("-j", "3", "--memory", "1")):
            out = c.out(f"separated {name} {extra}")
            done = c.run("cluster", docs, "-o", out, "--tables", "tsv", "-q", *options, *extra, "--separate-by", "label")
            if c.check(f"separated: {name} runs", done.returncode == 0, done.stderr):
                trees.append(tree_of(out))
                found = pairs(out)
                wrong = [(pair, found.get(pair), expected.get(pair)) for pair in found.keys() | expected.keys() if found.get(pair) != expected.get(pair)]
                c.check(f"separated: {name}: pairs of equal values", not wrong, (len(wrong), wrong[:3]))
        c.check(f"separated: {name}: the same bytes", len(trees) == 3 and trees[0] == trees[1] == trees[2])
        c.check(f"separated: {name}: some, and fewer", 5 < len(expected) < len(pairs(whole)), (len(expected), len(pairs(whole))))

    # What is kept is what is kept of the documents of each value alone.
    kept = set()
    for number, label in enumerate(sorted(set(labels.values()))):
        part = write_jsonl(folder / f"part{number}.jsonl", [one for one in records if labels[one["id"]] == label])
        out = c.out(f"separated part {number}")
        c.run("dedup", part, "-o", out, "-q")
        kept |= ids_of(out / "kept.jsonl")
    out = c.out("separated dedup")
    done = c.run("dedup", docs, "-o", out, "-q", "--separate-by", "label", "--tables", "tsv")
    found = ids_of(out / "kept.jsonl")
    c.check("separated: dedup keeps what it keeps of each value", done.returncode == 0 and found == kept and 100 < len(kept) < 500, (done.stderr, len(found), len(kept)))
    c.check("separated: recorded", summary_of(out)["settings"].get("separate_by") == "label")
    # Read back.
    removed = dict_table(out / "ledger.tsv")[0]
    done = c.run("explain", removed["removed_id"], removed["kept_id"], "--run", out)
    c.check("separated: explain says it", done.returncode == 0 and "separate_by" in done.stdout, done.stdout[:500] + done.stderr)
    low, again = c.out("separated low ('-j', '1')"), c.out("separated again")
    done = c.run("recluster", low, "-o", again, "--tables", "tsv", "-q", "-t", "0.8")
    same = done.returncode == 0 and pairs(again) == pairs(c.out("separated exact ('-j', '1')"))
    c.check("separated: recluster keeps to it", same and summary_of(again)["settings"].get("separate_by") == "label", done.stderr)
    # Refused.
    for options, words_of_it in ((("--separate-by", "lable"), "`lable`"),):
        done = c.run("cluster", docs, "-o", c.out("separated refused"), "-q", *options)
        c.check(f"separated: refused: {options}", done.returncode not in (0, 101) and words_of_it in done.stderr and not c.out("separated refused").exists(), done.stderr)
