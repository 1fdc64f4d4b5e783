"""The join of a cluster, in processes of this machine: what an engine moves, and what the core decides.

    pip install out/dist/*.whl pyarrow  # `make wheel`; not published yet
    python processes_join.py

Rows between steps are Arrow files in a directory. On one machine `lookalike.dedup` does the same with threads, faster.
This is the join as it runs on Spark, without Spark, and a template for engines of your own: what one has to be able to
do is in `lookalike.distributed.engine`.
"""

import tempfile
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.json

import lookalike
from lookalike.distributed import names
from lookalike.distributed.processes import Processes
from lookalike.distributed.run import Question, run
from lookalike.distributed.sets import Side

SAMPLES = Path(__file__).resolve().parents[3] / "samples"


def rows_of(table: Any) -> list[str]:
    """The rows of a table in one order."""
    return sorted(map(repr, pyarrow.table(table).to_pylist()))


def main() -> None:
    table = pyarrow.json.read_json(SAMPLES / "crates.jsonl").select(["id", "text"])
    # The order of the collection: `keep="first"` means the first of these numbers.
    table = table.append_column("row", [range(table.num_rows)])
    question = Question(lookalike.Settings(threshold=0.8))
    with tempfile.TemporaryDirectory() as work, Processes(Path(work), processes=2, tasks=4) as engine:
        outcome = run(engine, [Side(engine.documents(table), 0, row="row")], question)
        kept = engine.table(outcome.found.kept, names.KEPT)
        ledger = engine.table(outcome.found.ledger, names.ledger(question.settings.to_json()))
        pairs = engine.table(outcome.found.pairs, names.pairs(question.settings.to_json()))

    # The same documents stay, for the same reasons, as on one machine.
    result = lookalike.dedup(table, settings=question.settings)
    assert outcome.summary["digest"] == result.summary["digest"]
    assert sorted(kept["record"].to_pylist()) == [row + 1 for row in result.kept().to_pylist()]
    # What differs between two texts is found on one machine only.
    assert rows_of(ledger) == rows_of(pyarrow.table(result.ledger).select(ledger.column_names))
    assert rows_of(pairs) == rows_of(result.pairs)
    print(f"{table.num_rows} documents, {kept.num_rows} kept, digest {outcome.summary['digest']}")


if __name__ == "__main__":
    main()
