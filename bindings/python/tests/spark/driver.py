"""A driver in a process of its own: ``python driver.py JSON``.

Prints the name of each stage when it is finished; writes the tables of the result as Arrow files and the summary as
JSON to a directory. Nothing of a classic session is used, so that the session may be one of Spark Connect.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow
import pyarrow.ipc

import lookalike.spark

if TYPE_CHECKING:
    from lookalike.spark import Stage

TABLES = ("ledger", "pairs", "clusters", "kept", "clean")


def main() -> None:
    from pyspark.sql import SparkSession

    call: dict[str, Any] = json.loads(sys.argv[1])
    builder = SparkSession.builder
    session = (builder.remote(call["remote"]) if "remote" in call else builder).getOrCreate()
    documents = session.read.parquet(call["documents"])
    found = lookalike.spark.dedup(documents, work=call["work"], row="row", progress=report, **call["settings"])
    output = Path(call["output"])
    output.mkdir()
    for name in TABLES:
        table = (found.filter(documents) if name == "clean" else getattr(found, name)).toArrow()
        with pyarrow.ipc.new_file(output / f"{name}.arrow", table.schema) as writer:
            writer.write_table(table)
    (output / "summary.json").write_text(json.dumps(found.summary))
    session.stop()


def report(stage: Stage) -> None:
    print(stage.name, flush=True)


def read(output: Path, name: str) -> Any:
    """A table that a driver wrote."""
    with pyarrow.ipc.open_file(output / f"{name}.arrow") as reader:
        return reader.read_all()


if __name__ == "__main__":
    main()
