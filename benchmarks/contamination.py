#!/usr/bin/env python3
"""Benchmark items planted in training documents: what `decontaminate` finds at several settings, and what a plain set of 13-grams finds.

    contamination.py [--documents N] [--items N] [--repeat N] [--binary FILE]

1,000 questions of 15 to 50 words and 12,000 documents of 150 to 600, of sentences of samples/ with every fourth word replaced. A tenth of the questions begin with
the same template, a tenth with a notice that is in 1,500 documents. 2,000 copies of questions are planted, 500 of each kind: whole; in capitals with
8 words a line; three times in one document; and edited, one word in twelve (at least one) replaced, left out or doubled. 500 halves of questions are planted too, which
are no copies. Recall is by kind, of pairs of a document and a question; precision is of such pairs. Standard library only.
"""
import argparse
import csv
import gzip
import json
import random
import re
import statistics
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from measure import ROOT, measured, say, table

WORD = re.compile(r"\w+")
PLAIN = re.compile(r"(?<!\S)[A-Za-z]+[.,;:!?]?(?!\S)")
KINDS = ("whole", "wrapped", "thrice", "edited")
TEMPLATE = "choose the one letter that stands beside the best answer to the following question about programs"
NOTICE = "this page is provided as is without warranty of any kind and may be copied and changed by anyone who keeps this notice"
SETTINGS = {
    "**defaults: 8-grams, 0.5**": [],
    "8-grams, 0.7 (`--preset palm`)": ["--preset", "palm"],
    "8-grams, 0.3": ["-t", "0.3"],
    "5-grams, 0.5": ["--ngram", "5"],
    "5-grams, 0.7": ["--ngram", "5", "-t", "0.7"],
    "13-grams, 0.5 (`--preset marin`)": ["--preset", "marin"],
    "any 13-gram (`--preset gpt3`)": ["--preset", "gpt3"],
}


def sentences() -> list:
    """The sentences of the samples, as words: without addresses and code."""
    texts = [json.loads(line)["text"] for line in (ROOT / "samples" / "crates.jsonl").read_text(encoding="utf-8").splitlines()]
    with gzip.open(ROOT / "samples" / "documentation.jsonl.gz", "rt", encoding="utf-8") as lines:
        texts += [json.loads(line)["text"] for line in lines]
    found = (PLAIN.findall(sentence) for text in texts for sentence in re.split(r"(?<=[.!?])\s+|\n\n+", text))
    return [words for words in found if len(words) > 3]


def made(items: int, documents: int, rng: random.Random) -> tuple:
    """Questions, documents, and the kind of each planted pair of their numbers."""
    every = sentences()
    vocabulary = [word for words in every for word in words]

    def prose(length: int) -> list:
        words: list = []
        while len(words) < length:
            words += rng.choice(every)
        return [rng.choice(vocabulary) if at % 4 == 3 else word for at, word in enumerate(words[:length])]

    questions = []
    for number in range(items):
        start = {0: TEMPLATE, 1: NOTICE}.get(number % 10, "").split()
        questions.append([*start, *prose(max(8, rng.randint(15, 50) - len(start)))])
    docs = [prose(rng.randint(150, 600)) for _ in range(documents)]
    planted: dict = {}
    for kind in (*KINDS, "half"):
        for _ in range(items // 2):
            item, doc = rng.randrange(items), rng.randrange(documents)
            if (doc, item) in planted:
                continue
            planted[doc, item] = kind
            copy = list(questions[item])
            if kind == "half":
                copy = copy[len(copy) // 2 :]
            if kind == "edited":
                for at in sorted(rng.sample(range(len(copy)), max(1, len(copy) // 12)), reverse=True):
                    copy[at : at + 1] = rng.choice(([rng.choice(vocabulary)], [], [copy[at], copy[at]]))
            if kind == "wrapped":
                copy = [word.upper() + ("\n" if at % 8 == 7 else "") for at, word in enumerate(copy)]
            for _ in range(3 if kind == "thrice" else 1):
                at = rng.randint(0, len(docs[doc]))
                docs[doc][at:at] = copy
    for doc in rng.sample(range(documents), documents // 8):
        docs[doc] += NOTICE.split()
    return questions, docs, planted


def plain(train: Path, bench: Path, out: Path) -> None:
    """Every pair of a document and a question that have a 13-gram in common: a table of 13-grams, and a look-up for each place."""
    words_of = lambda text: WORD.findall(text.lower())
    holders = defaultdict(set)
    for number, line in enumerate(bench.open(encoding="utf-8")):
        words = words_of(json.loads(line)["text"])
        for at in range(len(words) - 12):
            holders[" ".join(words[at : at + 13])].add(number)
    with out.open("w") as rows:
        for number, line in enumerate(train.open(encoding="utf-8")):
            words = words_of(json.loads(line)["text"])
            found = {item for at in range(len(words) - 12) for item in holders.get(" ".join(words[at : at + 13]), ())}
            rows.writelines(f"{number}\t{item}\n" for item in sorted(found))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=12_000)
    parser.add_argument("--items", type=int, default=1_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--binary", type=Path, default=ROOT / "target/release/lookalike")
    parser.add_argument("--plain", nargs=3, type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.plain:
        plain(*given.plain)
        return 0
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        train, bench, out = work / "train.jsonl", work / "bench.jsonl", work / "out"
        questions, docs, planted = made(given.items, given.documents, random.Random(1))
        train.write_text("".join(json.dumps({"id": str(number), "text": " ".join(words)}) + "\n" for number, words in enumerate(docs)), encoding="utf-8")
        bench.write_text("".join(json.dumps({"id": str(number), "text": " ".join(words)}) + "\n" for number, words in enumerate(questions)), encoding="utf-8")
        size = train.stat().st_size / 1e6
        of_kind = {kind: {pair for pair, of in planted.items() if of == kind} for kind in (*KINDS, "half")}
        runs = {name: [given.binary, "decontaminate", train, "--against", bench, "-o", out, "--force", "-q", "--tables", "tsv", *options] for name, options in SETTINGS.items()}
        runs["a set of 13-grams, in Python"] = [sys.executable, __file__, "--plain", train, bench, work / "plain.tsv"]
        for name, command in runs.items():
            say(name)
            costs = [measured([str(word) for word in command], 600)[0] for _ in range(given.repeat)]
            if name in SETTINGS:
                with (out / "contamination.tsv").open(newline="", encoding="utf-8") as lines:
                    found = {(int(row["id"]), int(row["item_id"])) for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)}
            else:
                found = {tuple(map(int, line.split())) for line in (work / "plain.tsv").open()}
            wanted = set().union(*(of_kind[kind] for kind in KINDS))
            share = lambda part, whole: f"{100 * len(part) / max(1, len(whole)):.1f} %"
            of = lambda name: statistics.median(cost[name] for cost in costs)
            recall = [share(found & of_kind[kind], of_kind[kind]) for kind in KINDS]
            wrong = len(found - wanted - of_kind["half"])
            rows.append([name, *recall, share(found & of_kind["half"], of_kind["half"]), share(found & wanted, found - of_kind["half"]), wrong, of("wall"), of("cpu")])
    head = ["", *KINDS, "half", "precision", "wrong pairs", "wall s", "CPU s"]
    table(f"{given.items:,} questions in {given.documents:,} documents ({size:.0f} MB)", head, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
