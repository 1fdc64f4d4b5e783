"""Collections and helpers that the tests share."""

from __future__ import annotations

import csv
import gzip
import json
import os
import random
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

#: The project, whose samples are used.
ROOT = Path(os.environ.get("LOOKALIKE_ROOT") or Path(__file__).resolve().parents[3])

# A shell starts background jobs with SIGINT ignored: the tests of Ctrl-C would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)


def variants(number: int, seed: int = 1) -> list[str]:
    """Texts of which about half are copies or slightly edited copies of earlier ones."""
    chance = random.Random(seed)
    words = [f"w{n}" for n in range(2000)]
    texts: list[str] = []
    for _ in range(number):
        kind = chance.random()
        if texts and kind < 0.2:
            texts.append(chance.choice(texts))
        elif texts and kind < 0.5:
            edited = chance.choice(texts).split()
            edited[chance.randrange(len(edited))] = chance.choice(words)
            texts.append(" ".join(edited))
        else:
            texts.append(" ".join(chance.choices(words, k=chance.randrange(3, 80))))
    return texts


def shingles(text: str, size: int = 5) -> frozenset[tuple[str, ...]]:
    """The shingles of a text whose words are separated by spaces; of a shorter one, itself."""
    words = text.split()
    return frozenset(tuple(words[at : at + size]) for at in range(max(1, len(words) - size + 1)))


def greedy(texts: list[str], threshold: float) -> tuple[list[int], dict[int, int]]:
    """The rows that stay and the first witness of each other one, by comparing all pairs."""
    sets = [shingles(text) for text in texts]
    kept: list[int] = []
    witness: dict[int, int] = {}
    for row, own in enumerate(sets):
        for earlier in kept:
            shared = len(own & sets[earlier])
            if shared >= threshold * (len(own) + len(sets[earlier]) - shared) - 1e-12:
                witness[row] = earlier
                break
        else:
            kept.append(row)
    return kept, witness


def jsonl(path: Path, records: list[dict[str, Any]]) -> Path:
    """Writes records to a file."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def sample_records() -> list[dict[str, Any]]:
    """The documents of the project's samples that are in records, with an id and a text."""
    folder = ROOT / "samples"
    with open(folder / "crates.jsonl", encoding="utf-8") as plain:
        lines = plain.readlines()
    with gzip.open(folder / "documentation.jsonl.gz", "rt", encoding="utf-8") as compressed:
        lines += compressed.readlines()
    records = [json.loads(line) for line in lines]
    with open(folder / "descriptions.csv", encoding="utf-8", newline="") as table:
        records += csv.DictReader(table)
    return [{"id": record["id"], "text": record["text"]} for record in records]


def collection_of(folder: Path) -> Any:
    """The documents of all files of a real collection, with their numbers, as a table of pyarrow."""
    import pyarrow
    import pyarrow.json

    files = sorted([*folder.glob("docs.jsonl*"), *folder.glob("sweep-*.jsonl*")])
    assert files, folder
    tables = []
    for path in files:
        with pyarrow.input_stream(str(path), compression="detect") as file:
            options = pyarrow.json.ReadOptions(block_size=1 << 27)
            tables.append(pyarrow.json.read_json(file, read_options=options).select(["id", "text"]))
    table = pyarrow.concat_tables(tables)
    return table.append_column("row", [pyarrow.array(range(table.num_rows))])


@pytest.fixture(scope="session")
def command() -> str:
    """The command, whose results the package has to equal."""
    path = os.environ.get("LOOKALIKE_COMMAND")
    if not path:
        pytest.skip("LOOKALIKE_COMMAND does not name the command")
    return path


@contextmanager
def served(command: str, index: Path, *options: str) -> Iterator[str]:
    """The address of a service of an index, which ends cleanly."""
    running = subprocess.Popen([command, "serve", index, "--listen", "127.0.0.1:0", *options], stderr=subprocess.PIPE, text=True)
    try:
        assert running.stderr
        found = re.search(r"http://\S+", running.stderr.readline())
        assert found
        yield found[0]
    finally:
        running.terminate()
        assert running.wait(60) == 0


@pytest.fixture(scope="session")
def samples() -> Path:
    return ROOT / "samples"
