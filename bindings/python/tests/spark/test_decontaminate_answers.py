"""Items of benchmarks in documents on Spark, against the same call on one machine."""

from __future__ import annotations

import json
import subprocess
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


def by_row(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(records, key=lambda record: record["row"])


@pytest.mark.parametrize("numbered", [True, False])
def test_marked_and_cut_documents_are_those_of_the_command(
    session: SparkSession, stored: Stored, tmp_path: Path, command: str, numbered: bool
) -> None:
    items, documents = made()
    # Also of nothing but an item, of several items with equal shares, with what an item has between words, and twice.
    first, second, third = [item["question"] for item in items if len(item["question"].split()) > 12][:3]
    texts = [first, f"{third}\n\n{second}", f"A \u00e9: {' -- '.join(first.split())}!? b\u0301", f"{second} between {second} and after"]
    documents += [{"id": f"e{number}", "text": text} for number, text in enumerate(texts)]
    documents = [{**document, "row": row, "more": None if row % 2 else row} for row, document in enumerate(documents)]
    files = {"docs": documents, "items": items}
    for name, records in files.items():
        lines = (json.dumps(record) + "\n" for record in records)
        (tmp_path / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")

    def of_command(action: str, *options: str) -> list[dict[str, Any]]:
        inputs = ["docs.jsonl", "--against", "items.jsonl", "--item-fields", "question,answer"]
        done = [command, "decontaminate", *inputs, "--action", action, *options, "--output", action, "-q"]
        subprocess.run(done, check=True, cwd=tmp_path)
        [file] = (tmp_path / action).glob(f"{'marked' if action == 'mark' else 'kept'}*")
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]

    rows = stored(pyarrow.Table.from_pylist(documents)).repartition(3)
    against = session.createDataFrame(pyarrow.Table.from_pylist(items))
    call: dict[str, Any] = {"row": "row"} if numbered else {}
    call |= {"against_name": "items.jsonl", "item_fields": ["question", "answer"], "work": str(tmp_path / "work")}
    found = lookalike.spark.decontaminate(rows, against=against, **call)
    cut = found.cut(rows)
    assert cut.columns == rows.columns
    expected = of_command("cut")
    assert by_row(cut.toArrow().to_pylist()) == by_row(expected)
    assert 60 < found.summary["contaminated"] and len(documents) - found.summary["contaminated"] < len(expected) < len(documents)
    marked = found.mark(rows, prefix="x_")
    assert by_row(marked.toArrow().to_pylist()) == by_row(of_command("mark", "--mark-prefix", "x_"))
    assert found.mark(rows.limit(5)).columns == [*rows.columns, *(name.removeprefix("x_") for name in marked.columns[-5:])]
    with pytest.raises(lookalike.DataError, match="a column `x_contaminated` already; give the marks other names"):
        found.mark(marked, prefix="x_")


def test_what_is_no_single_text_is_not_cut(session: SparkSession, stored: Stored, tmp_path: Path) -> None:
    items, _ = made()
    text = next(item["question"] for item in items if len(item["question"].split()) > 12)
    against = session.createDataFrame(pyarrow.Table.from_pylist(items))
    call: dict[str, Any] = {"against": against, "work": str(tmp_path / "work"), "item_fields": "question"}
    html = stored(pyarrow.table({"id": ["a", "b"], "html": [f"<p>before {text}</p>", "<p>none of the kind</p>"]}), "html")
    settings = lookalike.Settings(html="html")
    assert lookalike.spark.decontaminate(html, settings=settings, **call).cut(html).toArrow()["id"].to_pylist() == ["b"]
    both = stored(pyarrow.table({"id": ["a", "b"], "title": ["x", "y"], "body": [f"before {text}", "none of the kind"]}), "both")
    settings = lookalike.Settings(text="title,body")
    assert lookalike.spark.decontaminate(both, settings=settings, **call).cut(both).toArrow()["id"].to_pylist() == ["b"]


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
