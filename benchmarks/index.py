#!/usr/bin/env python3
"""Measures the living index: adding documents, questions of one thread, bytes, memory, cold reads, growth.

    index.py [SOURCE...] [--documents N] [--templates N] [--queries N] [--only PART,...] [--parts N] [--peers N]

Collections are made by lookalike-generate: `pages`, of the size of web pages (--documents, a million), and
`templates`, pages that share four beginnings and ends, about half of each (--templates, 40,000). For each an index is
created, and documents are added in one commit with what the command does by default. Then `queries`, a program
of the project, asks questions on one thread, from the text to the described matches (Index::ask):

  whole       copies of stored documents with 0 to 3 % of the words replaced, and as many unrelated documents
  paragraph   75 consecutive words of those
  three       three of those, one after the other
  beginning   the first 75 words of those: of `templates`, a paragraph that a quarter of all pages have

Parts (--only, with commas between; all but `parts` and `peers` by default):

  load        adding the documents: documents/s, CPU, also as a multiple of `lookalike cluster` of the same
              collection, memory, bytes a document
  ask         questions to the index of --documents
  cold        the same with nothing in memory: the system's cache is emptied of the index before (Linux)
  templates   questions to the index of --templates
  collapse    ranked lists of 100 stored documents
  lean        bytes and times of an index that posts only the first elements (`index create --lean`)
  parts       --parts times --documents, one after the other, in as many segments: growth. With 1,430,000
              half an hour and 50 GB. The eighth of a size would be merged with the others
  peers       other tools on --peers documents (see index_peers.py)

Outputs: tables on standard output, progress on standard error, every figure in DIR/index.json. The binaries are
those of `make bench-programs` unless --binaries says otherwise. Standard library only.
"""
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import index_peers
from measure import (
    Collections, Failed, argument_parser, introduce, machine, measured, programs, save, say, table, warm, with_others,
)

PARTS = ("load", "ask", "cold", "templates", "collapse", "lean", "parts", "peers")
BY_DEFAULT = PARTS[:6]
# Question, kind of query, threshold, limit.
QUESTIONS = (
    ("resembles", "whole", "0.95", None),
    ("resembles", "whole", "0.8", None),
    ("resembles", "whole", "0.5", None),
    ("containing", "paragraph", "0.9", None),
    ("containing", "paragraph", "0.5", None),
    ("contained-in", "three", "0.9", None),
    ("contained-in", "three", "0.6", None),
    ("cosine", "whole", "0.9", None),
)
ON_TEMPLATES = (
    ("resembles", "whole", "0.8", None),
    ("resembles", "whole", "0.95", None),
    ("containing", "beginning", "0.9", 100),
    ("containing", "paragraph", "0.9", 100),
    ("contained-in", "three", "0.9", None),
    ("contained-in", "whole", "0.9", None),
)
PARAGRAPH = 75
# Most of the words of a copy that are replaced.
EDITS = 0.03
# Seed of the documents that no index has.
UNRELATED = 99


# --- queries --------------------------------------------------------------------------------------

def sample(path: Path, count: int, chance: random.Random) -> list:
    """The texts of documents from random places of a collection."""
    texts, size = [], path.stat().st_size
    with path.open("rb") as file:
        while len(texts) < count:
            file.seek(chance.randrange(size))
            file.readline()
            if line := file.readline():
                texts.append(json.loads(line)["text"])
    return texts


def edited(text: str, words: list, chance: random.Random) -> str:
    """A copy with up to EDITS of the words replaced."""
    share = chance.random() * EDITS
    return " ".join(chance.choice(words) if chance.random() < share else word for word in text.split())


def paragraph(text: str, chance: random.Random) -> str:
    words = text.split()
    start = chance.randrange(max(1, len(words) - PARAGRAPH))
    return " ".join(words[start:start + PARAGRAPH])


def make_queries(stored: Path, unrelated: Path, count: int, seed: int = 7) -> dict:
    """Texts of each kind of query, half of them from stored documents."""
    chance = random.Random(seed)
    words = [word for text in sample(unrelated, 50, chance) for word in text.split()]
    related = [edited(text, words, chance) for text in sample(stored, count // 2, chance)]
    whole = related + sample(unrelated, count - len(related), chance)
    chance.shuffle(whole)
    three = ["\n".join(whole[(at + step) % len(whole)] for step in range(3)) for at in range(len(whole))]
    beginnings = [" ".join(text.split()[:PARAGRAPH]) for text in whole]
    paragraphs = [paragraph(text, chance) for text in whole]
    return {"whole": whole, "paragraph": paragraphs, "three": three, "beginning": beginnings}


def write_queries(queries: dict, work: Path, name: str) -> dict:
    files = {}
    for kind, texts in queries.items():
        files[kind] = work / f"queries-{name}-{kind}.jsonl"
        lines = (json.dumps({"id": f"q{at}", "text": text}, ensure_ascii=False) for at, text in enumerate(texts))
        files[kind].write_text("\n".join(lines) + "\n", encoding="utf-8")
    return files


def own_ids(collection: Path, part: int) -> Path:
    """The collection in a new file, in the place of the old one, with ids that no other part has."""
    path = collection.with_name(f"part-{part}.jsonl")
    with collection.open("rb") as old, path.open("wb") as new:
        new.writelines(line.replace(b'"id":"', b'"id":"%d-' % part, 1) for line in old)
    collection.unlink()
    return path


def drop_from_cache(directory: Path) -> None:
    """Asks the system to forget what it holds of the files below a directory."""
    for path in directory.rglob("*"):
        if path.is_file() and hasattr(os, "posix_fadvise"):
            descriptor = os.open(path, os.O_RDONLY)
            try:
                os.fsync(descriptor)
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            finally:
                os.close(descriptor)


# --- the benchmark --------------------------------------------------------------------------------

class Bench:
    """The collections, the indexes and every figure so far."""

    def __init__(self, options):
        self.options, self.work = options, options.work
        self.program = programs(options.binaries, "lookalike", "lookalike-generate", "queries")
        self.work.mkdir(parents=True, exist_ok=True)
        self.made = Collections(self.work, self.program["lookalike-generate"], options.sources, options.timeout)
        self.figures = {"loads": [], "questions": []}
        self.cpu_of_cluster = {}

    def run(self, *command) -> dict:
        """What a command cost."""
        cost, _ = with_others(measured, [*map(str, command)], self.options.timeout)
        return cost

    # An index of a collection, made now.

    def load(self, name: str, collections: list, *options: str) -> Path:
        """Creates an index and adds each collection in a commit of its own."""
        index = self.work / f"{name}.index"
        shutil.rmtree(index, ignore_errors=True)
        lookalike = self.program["lookalike"]
        self.run(lookalike, "index", "create", index, "--quiet", *options)
        for collection in collections:
            say(f"adding {collection.name} to {index.name}")
            warm(collection, self.options.timeout)
            command = [lookalike, "index", "add", str(index), str(collection), "--quiet", "--format", "json"]
            cost, printed = with_others(measured, command, self.options.timeout)
            added = json.loads(printed)
            stats = self.stats(index)
            ratio = cost["cpu"] / self.cluster(collection)
            row = {"index": name, "collection": collection.name, "bytes": collection.stat().st_size, **added, **cost,
                   "of_cluster": ratio, "stats": stats}
            self.figures["loads"].append(row)
            say(f"  {added['added'] / cost['wall']:,.0f} documents/s; CPU {ratio:.2f} of `cluster`; others {cost['others']:.0%}")
        return index

    def cluster(self, collection: Path) -> float:
        """CPU seconds of `lookalike cluster` of a collection."""
        if collection.name not in self.cpu_of_cluster:
            output = self.work / "cluster"
            shutil.rmtree(output, ignore_errors=True)
            cost = self.run(self.program["lookalike"], "cluster", collection, "--output", output, "--quiet")
            shutil.rmtree(output)
            self.cpu_of_cluster[collection.name] = cost["cpu"]
        return self.cpu_of_cluster[collection.name]

    def stats(self, index: Path) -> dict:
        done = subprocess.run([self.program["lookalike"], "index", "stats", str(index), "--format", "json"],
                              capture_output=True, timeout=self.options.timeout)
        if done.returncode:
            raise Failed(done.stderr.decode(errors="replace"))
        return json.loads(done.stdout)

    def ask(self, label: str, index: Path, files: dict, questions, cold: bool = False, passes: int = 3,
            answers: "Path | None" = None) -> None:
        """Asks each question `passes` times; the last pass counts, or the first one if it is cold."""
        for ask, kind, threshold, limit in questions:
            if cold:
                drop_from_cache(index)
            command = [self.program["queries"], "--index", str(index), "--queries", str(files[kind]), "--ask", ask]
            command += ["--threshold", threshold, "--passes", str(1 if cold else passes)]
            command += ["--limit", str(limit)] if limit else []
            command += ["--answers", str(answers)] if answers else []
            cost, printed = with_others(measured, command, self.options.timeout)
            found = json.loads(printed)
            row = {"label": label, "ask": ask, "kind": kind, "threshold": threshold, "limit": limit, **found,
                   "figures": found["passes"][-1], "others": cost["others"], "wall": cost["wall"]}
            self.figures["questions"].append(row)
            figures = row["figures"]
            say(f"  {label}: {ask} {threshold}: p50 {figures['p50_us']:.0f} µs, p99 {figures['p99_us']:.0f} µs")

    # The parts.

    def pages(self, documents: int, seed: int = 1) -> Path:
        return self.made.get("pages", documents, seed)

    def measure(self, parts: list) -> None:
        options = self.options
        unrelated = self.made.get("pages", max(1000, options.queries), UNRELATED)
        index = self.work / "pages.index"
        files = {}
        if {"load", "ask", "cold", "collapse", "lean"} & set(parts):
            pages = self.pages(options.documents)
            files = write_queries(make_queries(pages, unrelated, options.queries), self.work, "pages")
            if "load" in parts or not index.is_dir():
                self.load("pages", [pages])
        if "cold" in parts:
            self.ask("cold", index, files, QUESTIONS[1:6:2], cold=True)
        if "ask" in parts:
            self.ask("hot", index, files, QUESTIONS)
        if "collapse" in parts:
            self.collapse(index, files["whole"])
        if "templates" in parts:
            templates = self.made.get("templates", options.templates)
            queries = write_queries(make_queries(templates, templates, options.queries), self.work, "templates")
            self.ask("templates", self.load("templates", [templates]), queries, ON_TEMPLATES)
        if "lean" in parts:
            lean = self.load("lean", [pages], "--lean", "0.8", "--sample", str(pages))
            self.ask("lean", lean, files, [question for question in QUESTIONS if question[:3] in (
                ("resembles", "whole", "0.95"), ("resembles", "whole", "0.8"), ("contained-in", "three", "0.9"))])
        if "parts" in parts:
            self.in_parts(unrelated)
        if "peers" in parts:
            self.peers(unrelated)

    def collapse(self, index: Path, queries: Path) -> None:
        command = [self.program["queries"], "--index", str(index), "--queries", str(queries), "--threshold", "0.5"]
        _, printed = with_others(measured, [*command, "--collapse", "100", "--passes", "3"], self.options.timeout)
        self.figures["collapse"] = json.loads(printed)["passes"][-1]

    def in_parts(self, unrelated: Path) -> None:
        """One collection after the other, each deleted when it is in the index, which keeps all but equal documents: so
        that adding does not ask all segments about each document."""
        index, parts = self.work / "parts.index", self.options.parts
        shutil.rmtree(index, ignore_errors=True)
        self.run(self.program["lookalike"], "index", "create", index, "--quiet", "--threshold", "1")
        for part in range(1, parts + 1):
            pages = own_ids(self.pages(self.options.documents, part), part)
            command = [self.program["lookalike"], "index", "add", str(index), str(pages), "--quiet", "--format", "json"]
            cost, printed = with_others(measured, [*command, "--memory", "6GiB"], self.options.timeout)
            row = {"index": "parts", "collection": pages.name, "bytes": pages.stat().st_size, **json.loads(printed), **cost,
                   "stats": self.stats(index)}
            self.figures["loads"].append(row)
            say(f"  part {part}: {row['added'] / cost['wall']:,.0f} documents/s; {row['stats']['documents']:,} documents")
            files = write_queries(make_queries(pages, unrelated, self.options.queries), self.work, "parts")
            pages.unlink()
            if part in (1, parts // 2, parts):
                self.ask(f"{part} parts", index, files, QUESTIONS[1:6:2])

    def peers(self, unrelated: Path) -> None:
        pages = self.pages(self.options.peers)
        files = write_queries(make_queries(pages, unrelated, self.options.queries), self.work, "peers")
        say("computing the exact truth")
        truth = index_peers.true_answers(pages, files["whole"])
        index = self.load("peers", [pages])
        answers = self.work / "answers.tsv"
        self.ask("beside peers", index, files, QUESTIONS[1:2], answers=answers)
        found = [[] for _ in truth]
        for line in answers.read_text(encoding="utf-8").splitlines():
            number, _, name = line.partition("\t")
            found[int(number)].append(name)
        own = index_peers.own_row(self.figures["questions"][-1], self.figures["loads"][-1], found, truth)
        rows = index_peers.measure_peers(pages, files["whole"], self.work, self.options.timeout, truth)
        self.figures["peers"] = {"documents": self.options.peers, "questions": len(truth), "rows": [own, *rows]}

    # Tables.

    def show(self) -> None:
        self.show_loads()
        head = ["", "p50 µs", "p90", "p99", "max", "lookups", "entries", "candidates", "verified", "matches"]
        for label in dict.fromkeys(row["label"] for row in self.figures["questions"]):
            rows = [row for row in self.figures["questions"] if row["label"] == label]
            first = rows[0]
            resident = max(row["resident_bytes"] for row in rows)
            table(f"{label}: {first['documents']:,} documents, {first['segments']} segments, {first['queries']:,} questions; "
                  f"{resident / 1e6:,.0f} of {first['mapped_bytes'] / 1e6:,.0f} MB touched", head, [
                      [f"{row['ask']} {row['threshold']}, {row['kind']}{', limit ' + str(row['limit']) if row['limit'] else ''}",
                       *(row["figures"][name] for name in ("p50_us", "p90_us", "p99_us", "max_us")),
                       *(row["figures"][name] for name in ("lookups", "entries", "candidates", "verified", "matches"))]
                      for row in rows])
        if found := self.figures.get("collapse"):
            print(f"\nRanked lists of 100 stored documents, {found['behind']:.0f} of them behind others: p50 {found['p50_us']:.0f} µs, "
                  f"p99 {found['p99_us']:.0f} µs ({found['lists']} lists).")

        if peers := self.figures.get("peers"):
            index_peers.show_peers(peers["rows"], peers["documents"], peers["questions"])

    def show_loads(self) -> None:
        if not self.figures["loads"]:
            return
        head = ["added", "documents", "documents/s", "wall s", "CPU s", "÷ cluster", "peak MB", "reading s", "deciding s", "merging s",
                "segments", "bytes/document", "of them texts"]
        rows = []
        for row in self.figures["loads"]:
            stats, seconds = row["stats"], row["seconds"]
            documents = stats["documents"]
            rows.append([f"{row['index']}: {row['collection']}", row["added"], row["added"] / row["wall"], row["wall"], row["cpu"],
                         row.get("of_cluster"), row["peak"] / 1e6, seconds["reading"], seconds["deciding"], seconds["merging"],
                         len(stats["segments"]), bytes_of(stats) / documents, bytes_of(stats, "text") / documents])
        table("Adding documents", head, rows)


def bytes_of(stats: dict, word: str = "") -> int:
    """Bytes of the sections of an index whose names have a word."""
    return sum(size for name, size in stats["bytes_by_section"].items() if word in name)


def arguments():
    parser = argument_parser(__doc__ or "")
    parser.set_defaults(documents=1_000_000, timeout=7200)
    parser.add_argument("--templates", type=int, default=40_000, help="pages with templates (%(default)s)")
    parser.add_argument("--queries", type=int, default=3000, help="questions of each kind (%(default)s)")
    parser.add_argument("--only", default="", help="parts, with commas between")
    parser.add_argument("--parts", type=int, default=7, help="of `parts` (%(default)s)")
    parser.add_argument("--peers", type=int, default=100_000, help="documents for other tools (%(default)s)")
    options = parser.parse_args()
    options.only = [name.strip() for name in options.only.split(",") if name.strip()] or list(BY_DEFAULT)
    if unknown := set(options.only) - set(PARTS):
        parser.error(f"--only: {', '.join(sorted(unknown))}; the parts are {', '.join(PARTS)}")
    if min(options.documents, options.templates, options.queries, options.parts, options.peers) < 1:
        parser.error("numbers must be positive")
    options.work, options.binaries = options.work.resolve(), options.binaries.resolve()
    return options


def main() -> int:
    options = arguments()
    try:
        bench = Bench(options)
        bench.figures["machine"] = machine(bench.program["lookalike"])
        introduce(bench.figures["machine"], 1)
        bench.measure(options.only)
    except Failed as failure:
        sys.exit(f"index.py: {failure}")
    save(options.work / "index.json", bench.figures)
    bench.show()
    return 0


if __name__ == "__main__":
    sys.exit(main())
