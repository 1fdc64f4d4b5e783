"""What is the same on Spark and on one machine."""

from __future__ import annotations

from typing import Any

import lookalike
from lookalike.spark import SparkResult
from test_distributed import check_summary, comparable, rows_of


def check(found: SparkResult, result: lookalike.Result) -> None:
    """Every row, the kept documents and the digest equal those of one machine."""
    for name in ("ledger", "pairs", "clusters"):
        check_table(name, getattr(found, name).toArrow(), result)
    kept = found.kept.toArrow()
    assert sorted(record - 1 for record in kept["record"].to_pylist()) == result.kept().to_pylist()
    check_summary(found.summary, result.summary)


def check_table(name: str, found: Any, result: lookalike.Result) -> None:
    """A table equals that of one machine."""
    expected = comparable(getattr(result, name))
    if name != "ledger" or result.summary["command"] == "dedup":
        assert found.column_names == expected.column_names, name
    assert rows_of(found) == rows_of(expected), name
