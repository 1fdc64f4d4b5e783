#!/usr/bin/env python3
"""Collections on which joins are slow, made of invented words; the same bytes each time.

    hard_corpora.py KIND FILE [DOCUMENTS]

KIND is one of these; DOCUMENTS (2 or more) replaces the number of documents:

* titles: 200,000 titles of 5 to 11 words of a Zipf vocabulary; half are copies of the others, a half of those with one
  word replaced. Small sets, and half of the documents in the tables.
* long: 10 documents of a million words, copies of one text of whose paragraphs of 1,000 words up to 15 % are replaced.
* sites: 30,000 pages of 300 sites; each page has the 60 words of its site's template before and 40 words of its own.
* boiler: 30,000 pages with the same 100 words before 200 words of their own.
"""
import json
import random
import sys
from itertools import accumulate
from pathlib import Path

VOCABULARY = 60_000
PARAGRAPH = 1_000


def zipf(chance: random.Random, count: int) -> list:
    weights = list(accumulate(rank ** -0.9 for rank in range(1, VOCABULARY + 1)))
    return chance.choices(range(VOCABULARY), cum_weights=weights, k=count)


def titles(chance: random.Random, documents: int = 200_000):
    lengths = [chance.randint(5, 11) for _ in range(documents // 2)]
    words = iter(zipf(chance, sum(lengths)))
    made = [[next(words) for _ in range(length)] for length in lengths]
    for number in chance.sample(range(documents), documents):
        title = list(made[number % len(made)])
        if number >= len(made) and chance.random() < 0.5:
            title[chance.randrange(len(title))] = chance.randrange(VOCABULARY)
        yield title


def long(chance: random.Random, documents: int = 10, words: int = 1_000_000):
    original = [chance.randrange(300_000) for _ in range(words)]
    for _ in range(documents):
        text, replaced = list(original), chance.uniform(0.005, 0.15)
        for start in range(0, words, PARAGRAPH):
            if chance.random() < replaced:
                text[start:start + PARAGRAPH] = [chance.randrange(300_000) for _ in range(min(PARAGRAPH, words - start))]
        yield text


def paged(chance: random.Random, documents: int, sites: int, template: int, own: int):
    """Pages with the template of their site before their own words, which other pages hardly have."""
    templates = [[chance.randrange(50_000) for _ in range(template)] for _ in range(sites)]
    for number in range(documents):
        yield templates[number % sites] + [50_000 + chance.randrange(5_000_000) for _ in range(own)]


def sites(chance: random.Random, documents: int = 30_000):
    return paged(chance, documents, 300, 60, 40)


def boiler(chance: random.Random, documents: int = 30_000):
    return paged(chance, documents, 1, 100, 200)


KINDS = {"titles": titles, "long": long, "sites": sites, "boiler": boiler}


def make(kind: str, path: Path, *documents: int) -> None:
    """Writes a collection; the file is there when it is whole."""
    unfinished = path.with_suffix(".unfinished")
    with unfinished.open("w", encoding="utf-8") as file:
        for number, words in enumerate(KINDS[kind](random.Random(kind), *documents)):
            file.write(json.dumps({"id": str(number), "text": " ".join(f"w{word:x}" for word in words)}) + "\n")
    unfinished.replace(path)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in KINDS:
        sys.exit(__doc__)
    make(sys.argv[1], Path(sys.argv[2]), *map(int, sys.argv[3:]))
