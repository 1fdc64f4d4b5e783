"""Passages on Spark against the same call on one machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow
import pytest

import lookalike
import lookalike.spark
from test_distributed import rows_of, table_of
from test_passages_distributed import NUMBERS, collection, tokens

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Stored = Callable[..., "DataFrame"]


@pytest.mark.parametrize(
    "settings",
    [{"length": 6, "keep": "longest", "whole": "line"}, {"length": 8, "unit": "tokens:words", "gaps": 2, "agree": 0.7}],
    ids=["texts", "tokens"],
)
def test_tables_and_documents(stored: Stored, tmp_path: Path, settings: dict[str, Any]) -> None:
    # Documents without numbers, in another order than that of their ids.
    texts = collection(1)
    table = table_of(texts, **tokens(texts)).drop_columns(["row"])
    documents = stored(table)
    in_order = table.sort_by("id")
    expected = lookalike.passages(in_order, **settings)
    # A call that is resumed reads its stages.
    for resume in (False,) if "gaps" in settings else (False, True):
        stages: list[lookalike.spark.Stage] = []
        found = lookalike.spark.passages(
            documents, work=str(tmp_path / "work"), tasks=2, resume=resume, progress=stages.append, **settings
        )
        assert all(stage.resumed == resume for stage in stages) and stages[-1].name == "edits"
    assert (found.near is None) == (expected.near is None)
    for name in ("table", "cuts", "edits", *(() if expected.near is None else ("near",))):
        own, local = getattr(found, name).toArrow(), pyarrow.table(getattr(expected, name))
        assert own.column_names == local.column_names
        assert rows_of(own) == rows_of(local) and own.num_rows > 20, name
    assert found.summary.get("near") == expected.summary.get("near")
    assert {name: found.summary[name] for name in NUMBERS} == {name: expected.summary.get(name, 0) for name in NUMBERS}
    left = found.documents.toArrow().sort_by("id")
    assert left.to_pylist() == pyarrow.table(expected.apply(in_order)).to_pylist()
    assert sorted(found.removed.toArrow()["record"].to_pylist()) == [row + 1 for row in expected.removed().to_pylist()]
    assert found.problems.count() == expected.summary["problems"]
