"""Questions to other tools' indexes: time of an answer, of loading, memory, and how many answers are right.

For the part `peers` of index.py. The drivers are in peers/; each is asked for documents that resemble a text to at least 0.8 by its
word 5-grams, one question after the other on one thread, from the text to the ids. The exact truth is made here, with
Python's sets: it shares no code with any of them. Standard library only; the tools are installed with pip.
"""
import json
import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from measure import Failed, measured_tree, say, table, with_others
from peers import HERE, installed
from truth import shingles

THRESHOLD = Fraction(8, 10)


@dataclass(frozen=True)
class Peer:
    """A row of the table. `driver` is a file in peers/, `package` the requirements that it needs."""

    name: str
    about: str
    driver: str
    package: str
    options: tuple = ()


PEERS = (
    Peer("datasketch, in memory", "MinHashLSH, 128 permutations, bands as it chooses for 0.8; estimate ≥ 0.8",
         "datasketch_index", "datasketch"),
    Peer("datasketch, Redis", "the same with its bands in a Redis server on loopback (Debian's)",
         "datasketch_index", "redis", ("--redis",)),
    Peer("min_hash in tantivy", "the 512 terms of Elasticsearch's min_hash filter, stored by tantivy; at least 0.8 of them shared",
         "tantivy_minhash_index", "tantivy"),
    Peer("rspamd's shingles", "its fuzzy storage on loopback (Debian's): 32 minima of word 3-grams, its own words, asked with a message; it names only "
         "the best match; probability ≥ 0.8", "rspamd_index", "redis"),
)


# --- the exact truth -------------------------------------------------------------------------------

def true_answers(documents: Path, queries: Path) -> list:
    """For each question the ids of all documents that resemble it to at least 0.8."""
    asked = [shingles(text) for text in texts_of(queries)]
    having = {}
    for number, one in enumerate(asked):
        for feature in one:
            having.setdefault(feature, []).append(number)
    answers = [set() for _ in asked]
    with documents.open(encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            stored = shingles(record["text"])
            shared = Counter(number for feature in stored if feature in having for number in having[feature])
            for number, both in shared.items():
                if Fraction(both, len(stored) + len(asked[number]) - both) >= THRESHOLD:
                    answers[number].add(record["id"])
    return answers


def texts_of(path: Path):
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)["text"]


def judged(found: list, truth: list) -> dict:
    """Recall and precision, of pairs of a question and a document; and of questions with a true answer, how many have one."""
    right = sum(len(set(ids) & true) for ids, true in zip(found, truth))
    given, wanted = sum(len(set(ids)) for ids in found), sum(map(len, truth))
    answerable = [(set(ids), true) for ids, true in zip(found, truth) if true]
    answered = sum(bool(ids & true) for ids, true in answerable)
    return {"recall": right / wanted, "precision": right / given if given else None, "answered": answered / len(answerable)}


# --- the tools -------------------------------------------------------------------------------------

def own_row(row: dict, load: dict, answers: list, truth: list) -> dict:
    """The row of lookalike, from what index.py has measured."""
    figures = row["figures"]
    return {"name": "lookalike", "load": load["wall"], "peak": load["peak"], "stored": sum(load["stats"]["bytes_by_section"].values()),
            "p50": figures["p50_us"], "p99": figures["p99_us"], **judged(answers, truth)}


def measure_peers(documents: Path, queries: Path, work: Path, timeout: float, truth: list) -> list:
    """A row for each tool; one that does not install or fails is a row that says why."""
    rows, output = [], work / "peer.json"
    for peer in PEERS:
        try:
            python, wrong = installed(peer.package, work)
            if wrong:
                raise Failed(wrong)
            command = [python, HERE / "peers" / f"{peer.driver}.py", documents, queries, output, *peer.options]
            cost, _ = with_others(measured_tree, [*map(str, command)], timeout)
            found = json.loads(output.read_text())
        except Failed as failure:
            rows.append({"name": peer.name, "about": peer.about, "failed": str(failure)})
            say(f"  {peer.name}: {failure}")
            continue
        times = sorted(found["us"])
        at = lambda share: times[math.ceil(len(times) * share) - 1]
        rows.append({"name": peer.name, "about": peer.about, "load": found["load_seconds"], "peak": cost["peak"], "others": cost["others"],
                     "stored": found["outside_bytes"], "p50": at(0.5), "p99": at(0.99), **judged(found["answers"], truth)})
        say(f"  {peer.name}: p50 {at(0.5):.0f} µs, p99 {at(0.99):.0f} µs")
    return rows


def show_peers(rows: list, documents: int, questions: int) -> None:
    head = ["", "loading s", "peak MB of all processes", "stored MB", "p50 µs", "p99 µs", "recall", "precision", "questions answered"]
    table(f"Other tools: {documents:,} documents, {questions:,} questions for resemblance ≥ 0.8", head, [
        [row["name"], row["load"], row["peak"] / 1e6, row["stored"] / 1e6 or None, row["p50"], row["p99"],
         row["recall"], row["precision"], row["answered"]]
        if "failed" not in row else [f"{row['name']}: failed", *[None] * 8] for row in rows])
    print()
    for row in rows:
        if "about" in row:
            print(f"* {row['name']}: {row['about']}" + (f". **Failed**: {row['failed'].strip().splitlines()[-1]}" if "failed" in row else ""))
