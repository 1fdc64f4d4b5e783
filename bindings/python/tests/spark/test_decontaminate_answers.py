"""Items of benchmarks in documents on Spark, against the same call on one machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow
import pytest

import lookalike
import lookalike.spark
from test_decontaminate import made
from test_portions import same

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Stored = Callable[..., "DataFrame"]


@pytest.mark.parametrize("parts", [1, 5])
def test_tables_and_documents(session: SparkSession, stored: Stored, tmp_path: Path, parts: int) -> None:
    items, documents = made()
    table = pyarrow.Table.from_pylist([{**document, "row": row} for row, document in enumerate(documents)])
    settings: dict[str, Any] = {"item_fields": ["question", "answer"], "common": 1}
    rows = stored(table).repartition(parts)
    against = session.createDataFrame(pyarrow.Table.from_pylist(items))
    work = str(tmp_path / "work")
    found = lookalike.spark.decontaminate(rows, against=against, work=work, row="row", tasks=parts, **settings)
    expected = lookalike.decontaminate(table, against=items, **settings)
    for name in ("contamination", "spans", "items", "benchmarks"):
        assert same(getattr(found, name).toArrow(), getattr(expected, name)), name
    for name in ("documents", "contaminated", "matches", "spans", "problems"):
        assert found.summary[name] == expected.summary[name], name
    assert sorted(found.filter(rows).toArrow()["row"].to_pylist()) == table.filter(expected.mask())["row"].to_pylist()
    # Documents without numbers are called by their ids.
    stages: list[lookalike.spark.Stage] = []
    named = lookalike.spark.decontaminate(rows, against=against, work=work, tasks=parts, progress=stages.append, **settings)
    assert [stage.name for stage in stages] == ["common", "found"]
    assert named.summary["matches"] == found.summary["matches"]
    assert sorted(named.filter(rows).toArrow()["row"].to_pylist()) == table.filter(expected.mask())["row"].to_pylist()


def test_what_makes_no_sense_is_refused(session: SparkSession, stored: Stored, tmp_path: Path) -> None:
    items, documents = made()
    text = next(item["question"] for item in items if len(item["question"].split()) > 12)
    rows = stored(pyarrow.table({"id": ["a", "a"], "text": [text, "none of the kind"]}))
    against = session.createDataFrame(pyarrow.Table.from_pylist(items))
    work = str(tmp_path / "work")
    with pytest.raises(lookalike.SettingsError, match="ngram"):
        lookalike.spark.decontaminate(rows, against=against, work=work, item_fields="question", ngram=0)
    with pytest.raises(lookalike.DataError, match="`query`"):
        lookalike.spark.decontaminate(rows, against=against, work=work, item_fields="query")
    with pytest.raises(lookalike.DataError, match="there is no column `body`"):
        lookalike.spark.decontaminate(rows, against=against, work=work, item_fields="question", text="body")
    found = lookalike.spark.decontaminate(rows, against=against, work=work, item_fields="question")
    with pytest.raises(lookalike.DataError, match="the ids of others; number the rows"):
        found.filter(rows)


def test_documents_without_ids_and_with_those_of_others(
    session: SparkSession, stored: Stored, tmp_path: Path
) -> None:
    items, _ = made()
    texts = [item["question"] for item in items if len(item["question"].split()) > 12][:3]
    against = session.createDataFrame(pyarrow.Table.from_pylist(items))
    call: dict[str, Any] = {"against": against, "work": str(tmp_path / "work"), "item_fields": "question"}
    # Each document counts, whatever its id is.
    table = pyarrow.table({"id": ["a", "a", None, "", "b"], "text": [texts[0], texts[1], texts[2], texts[0], "x"]})
    rows = stored(table)
    found = lookalike.spark.decontaminate(rows, **call)
    expected = lookalike.decontaminate(table, against=items, item_fields="question")
    assert found.summary["contaminated"] == expected.summary["contaminated"] == 4
    with pytest.raises(lookalike.DataError, match="no id, or the ids of others; number the rows"):
        found.filter(rows)
    # The only document without an id is known by that.
    one = stored(pyarrow.table({"id": [None, "b"], "text": [texts[0], "none of the kind"]}), "one")
    assert lookalike.spark.decontaminate(one, **call).filter(one).toArrow()["id"].to_pylist() == ["b"]


def test_stages_of_other_documents_are_refused(session: SparkSession, tmp_path: Path) -> None:
    items, documents = made()
    against = session.createDataFrame(pyarrow.Table.from_pylist(items))
    call: dict[str, Any] = {"against": against, "work": str(tmp_path / "work"), "item_fields": "question"}
    table = pyarrow.Table.from_pylist(documents).select(["id", "text"])
    lookalike.spark.decontaminate(session.createDataFrame(table), **call)
    lookalike.spark.decontaminate(session.createDataFrame(table), resume=True, **call)
    with pytest.raises(lookalike.DataError, match=f"are of {len(documents)} documents, and there are 5: the documents"):
        lookalike.spark.decontaminate(session.createDataFrame(table.slice(0, 5)), resume=True, **call)
