"""Passages on Spark against the same call on one machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow

import lookalike
import lookalike.spark
from test_distributed import rows_of, table_of
from test_passages_distributed import NUMBERS, collection

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Stored = Callable[..., "DataFrame"]


def test_tables_and_documents(stored: Stored, tmp_path: Path) -> None:
    # Documents without numbers, in another order than that of their ids.
    table = table_of(collection(1)).drop_columns(["row"])
    settings: dict[str, Any] = {"length": 6, "keep": "longest", "whole": "line"}
    documents = stored(table)
    in_order = table.sort_by("id")
    expected = lookalike.passages(in_order, **settings)
    # A call that is resumed reads its stages.
    for resume in (False, True):
        stages: list[lookalike.spark.Stage] = []
        found = lookalike.spark.passages(
            documents, work=str(tmp_path / "work"), tasks=2, resume=resume, progress=stages.append, **settings
        )
        assert all(stage.resumed == resume for stage in stages) and stages[-1].name == "edits"
    for name in ("table", "cuts", "edits"):
        own, local = getattr(found, name).toArrow(), pyarrow.table(getattr(expected, name))
        assert own.column_names == local.column_names
        assert rows_of(own) == rows_of(local) and own.num_rows > 20, name
    assert {name: found.summary[name] for name in NUMBERS} == {name: expected.summary.get(name, 0) for name in NUMBERS}
    left = found.documents.toArrow().sort_by("id")
    assert left.to_pylist() == pyarrow.table(expected.apply(in_order)).to_pylist()
    assert sorted(found.removed.toArrow()["record"].to_pylist()) == [row + 1 for row in expected.removed().to_pylist()]
    assert found.problems.count() == expected.summary["problems"]
