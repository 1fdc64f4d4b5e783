"""What the drivers share: JSONL in as batches of documents, joined pairs out as clusters.

A driver is `DRIVER.py INPUT.jsonl OUTPUT [--option]`. It writes `id<TAB>cluster` for each document to OUTPUT, and what
its tool linked, `id<TAB>id`, to OUTPUT.links if the tool says so. Words are the same for all that leave them to the
caller, and the same as in truth.py.
"""
import argparse
import os
import re
import unicodedata
from multiprocessing import get_context
from pathlib import Path

import orjson

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
BATCH = 500
WORD = re.compile(r"[^\W_]+")


def parser(doc: str) -> argparse.ArgumentParser:
    """The arguments that every driver has; `doc` is its module's text."""
    made = argparse.ArgumentParser(description=doc)
    made.add_argument("input", type=Path)
    made.add_argument("output", type=Path)
    return made


def shingles(text: str) -> list:
    """The word 5-grams of a text in order, each a string; a text of fewer words is its only one."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    words = WORD.findall(text.lower())
    return list(map(" ".join, zip(words, words[1:], words[2:], words[3:], words[4:]))) or [" ".join(words)]


def batches(path: Path):
    """The lines of a file, five hundred at a time."""
    with path.open("rb") as file:
        batch = []
        for line in file:
            batch.append(line)
            if len(batch) == BATCH:
                yield batch
                batch = []
        if batch:
            yield batch


def parsed(lines: list) -> tuple:
    """The ids and the texts of JSONL lines."""
    records = list(map(orjson.loads, lines))
    return [record["id"] for record in records], [record["text"] for record in records]


def on_all_cores(function, path: Path):
    """What `function` makes of each batch of lines, in order; a process for each core, all with one key for `hash`."""
    with get_context("fork").Pool(CORES) as pool:
        yield from pool.imap(function, batches(path))


class Clusters:
    """Pairs of numbers in, connected components out (union-find)."""

    def __init__(self, size: int):
        self.leader = list(range(size))

    def find(self, at: int) -> int:
        leader = self.leader
        while leader[at] != at:
            leader[at] = leader[leader[at]]
            at = leader[at]
        return at

    def join(self, a: int, b: int) -> None:
        a, b = self.find(a), self.find(b)
        self.leader[max(a, b)] = min(a, b)


def write(output: Path, ids: list, links) -> None:
    """Writes links, pairs of positions in `ids`, and the clusters that they close to."""
    clusters = Clusters(len(ids))
    with Path(f"{output}.links").open("w", encoding="utf-8") as file:
        for a, b in links:
            clusters.join(a, b)
            file.write(f"{ids[a]}\t{ids[b]}\n")
    with output.open("w", encoding="utf-8") as file:
        file.writelines(f"{name}\t{clusters.find(at)}\n" for at, name in enumerate(ids))
