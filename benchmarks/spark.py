#!/usr/bin/env python3
"""Measures the join on Spark: giant families, shuffled bytes a document, CPU time beside one process, one and two executors.

    pip install ./bindings/python 'pyspark==4.3.*' 'pyarrow>=18' 'pandas>=2.2,<3'
    python3 benchmarks/spark.py [--work out/bench/spark] [--only NAME …] [--executors 2]

Needs Java 17. Collections are generated. Each run is checked: the kept set, ledger and digest equal those of one process.
CPU time is that of this process and all that it started, also of those that have ended (Linux).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

import lookalike
import lookalike.spark

#: Texts of words of their own: what two texts share is what was copied.
Texts = Iterator[str]


def words(chance: random.Random, number: int) -> list[str]:
    return [f"w{chance.randrange(10**7)}" for _ in range(number)]


def ten_texts(number: int) -> Texts:
    """Variants of ten texts of 300 words, each with up to three words replaced, in random order."""
    chance = random.Random(1)
    texts = [words(chance, 300) for _ in range(10)]
    for _ in range(number):
        text = list(chance.choice(texts))
        for _ in range(chance.randrange(4)):
            text[chance.randrange(300)] = words(chance, 1)[0]
        yield " ".join(text)


def chain(number: int) -> Texts:
    """Versions of a text of 200 words: three words of the version before are replaced."""
    chance = random.Random(2)
    text = words(chance, 200)
    for _ in range(number):
        yield " ".join(text)
        for _ in range(3):
            text[chance.randrange(200)] = words(chance, 1)[0]


def boilerplate(number: int) -> Texts:
    """Short texts of 12 words of their own; every second has a line of eight words that all of them have."""
    chance = random.Random(3)
    line = "all rights reserved by the owners of this page"
    for at in range(number):
        text = " ".join(words(chance, 12))
        yield f"{text} {line}" if at % 2 else text


def families(number: int) -> Texts:
    """Texts of 200 words, of which a fifth have up to twenty near copies."""
    chance = random.Random(4)
    made = 0
    while made < number:
        text = words(chance, 200)
        copies = chance.randrange(1, 21) if chance.random() < 0.05 else 1
        for _ in range(min(copies, number - made)):
            own = list(text)
            for _ in range(chance.randrange(6) if copies > 1 else 0):
                own[chance.randrange(200)] = words(chance, 1)[0]
            made += 1
            yield " ".join(own)


CORPORA: dict[str, tuple[Callable[[int], Texts], int]] = {
    "families": (families, 200_000),
    "ten-texts": (ten_texts, 200_000),
    "chain": (chain, 20_000),
    "boilerplate": (boilerplate, 500_000),
}


def busy() -> float:
    """CPU seconds of this process and its descendants so far, with those that have ended."""
    children: dict[int, list[int]] = {}
    spent: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(") ")[2].split()
        except OSError:
            continue  # It has ended; its time is in its parent's.
        children.setdefault(int(fields[1]), []).append(int(folder.name))
        spent[int(folder.name)] = sum(int(ticks) for ticks in fields[11:15])
    total, waiting = 0, [os.getpid()]
    while waiting:
        process = waiting.pop()
        total += spent.get(process, 0)
        waiting += children.get(process, [])
    return total / os.sysconf("SC_CLK_TCK")


def made(name: str, work: Path, number: int | None) -> Path:
    """The collection as Parquet."""
    make, usual = CORPORA[name]
    path = work / f"{name}-{number or usual}.parquet"
    if not path.exists():
        work.mkdir(parents=True, exist_ok=True)
        texts = list(make(number or usual))
        ids = [f"d{row:08}" for row in range(len(texts))]
        table = pyarrow.table({"row": range(len(texts)), "id": ids, "text": texts})
        pyarrow.parquet.write_table(table, path, row_group_size=20_000)
    return path


def session(executors: int, events: Path) -> Any:
    from pyspark.sql import SparkSession

    os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_HOSTNAME": "localhost", "PYSPARK_PYTHON": sys.executable}
    events.mkdir(parents=True, exist_ok=True)
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "localhost",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.memory": "2g",
        "spark.sql.shuffle.partitions": "8",
        "spark.sql.files.maxPartitionBytes": "32m",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.rolling.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.eventLog.dir": events.resolve().as_uri(),
        "spark.log.level": "ERROR",
    }
    builder = SparkSession.builder.master(f"local-cluster[{executors},1,2048]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def shuffled(events: Path) -> int:
    """Bytes that tasks wrote for shuffles, after compression."""
    total = 0
    for file in sorted(events.rglob("*")):
        if file.is_file() and "appstatus" not in file.name:
            for line in file.read_text(encoding="utf-8").splitlines():
                if '"SparkListenerTaskEnd"' in line:
                    metrics = json.loads(line).get("Task Metrics") or {}
                    total += (metrics.get("Shuffle Write Metrics") or {}).get("Shuffle Bytes Written", 0)
    return total


def measure(name: str, path: Path, work: Path, executors: int) -> None:
    table = pyarrow.parquet.read_table(path)
    began, cpu = time.monotonic(), busy()
    own = lookalike.dedup(table)
    print(f"{name}: one process: {time.monotonic() - began:.1f} s, {busy() - cpu:.1f} CPU s, {own.summary['kept']:,} kept")
    events = work / f"events-{name}-{executors}"
    shutil.rmtree(events, ignore_errors=True)
    spark = session(executors, events)
    documents = spark.read.parquet(str(path))
    documents.count()
    stages: list[lookalike.spark.Stage] = []
    began, cpu = time.monotonic(), busy()
    found = lookalike.spark.dedup(documents, work=str(work / "stages"), row="row", progress=stages.append)
    seconds, cpu = time.monotonic() - began, busy() - cpu
    join = found.summary["join"]
    same = found.summary["digest"] == own.summary["digest"]
    spark.stop()
    sent = shuffled(events)
    print(f"{name}: {executors} executors: {seconds:.1f} s, {cpu:.1f} CPU s, "
          f"{sent / table.num_rows:,.0f} B shuffled a document; digest {'SAME' if same else 'DIFFERS'}")
    print(f"  {json.dumps(join)}")
    slowest = sorted(stages, key=lambda stage: -stage.seconds)[:6]
    print("  " + ", ".join(f"{stage.name} {stage.seconds:.1f} s" for stage in slowest), flush=True)
    if not same:
        sys.exit(1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=Path("out/bench/spark"))
    parser.add_argument("--only", nargs="*", choices=CORPORA, default=list(CORPORA))
    parser.add_argument("--documents", type=int, help="another number of documents")
    parser.add_argument("--executors", type=int, default=2)
    options = parser.parse_args()
    work = options.work.resolve()
    for name in options.only:
        measure(name, made(name, work, options.documents), work, options.executors)


if __name__ == "__main__":
    main()
