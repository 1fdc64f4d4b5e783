"""What the drivers of indexes share: documents in, questions asked one after the other on one thread, answers out.

A driver is `DRIVER.py DOCUMENTS.jsonl QUERIES.jsonl OUTPUT [--option]`. It writes OUTPUT, a JSON object with the seconds
of loading, the microseconds of each question from its text to its answer, and the ids that each question found.
"""
import argparse
import gc
import json
import resource
import time
from pathlib import Path

from common import on_all_cores, parsed


def arguments(doc: str, add=None) -> argparse.Namespace:
    """The arguments that every driver has, and its own; `doc` is its module's text."""
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("documents", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("output", type=Path)
    if add:
        add(parser)
    return parser.parse_args()


def measure(options, signed, insert, ask, finish=lambda: 0) -> None:
    """Loads the documents, asks every question twice, and writes what the second time cost.

    `signed(lines)` gives the ids and sketches of a batch, in a process for each core; `insert(ids, sketches)` stores
    them; `finish()` ends the loading and gives the bytes that the index has outside of this process; `ask(text)`
    gives the ids that a text matches.
    """
    began = time.perf_counter()
    count = 0
    for ids, sketches in on_all_cores(signed, options.documents):
        insert(ids, sketches)
        count += len(ids)
    outside = finish()
    loading = time.perf_counter() - began
    with options.queries.open("rb") as file:
        _, texts = parsed(file)
    gc.collect()
    gc.freeze()
    for text in texts:
        ask(text)
    times, answers = [], []
    for text in texts:
        began = time.perf_counter_ns()
        found = ask(text)
        times.append((time.perf_counter_ns() - began) / 1000)
        answers.append(found)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    options.output.write_text(json.dumps({
        "documents": count, "load_seconds": loading, "us": times, "answers": answers, "peak_bytes": peak, "outside_bytes": outside,
    }))
