"""Answers on Spark against the same call on one machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow
import pytest

import lookalike
import lookalike.spark
from lookalike.distributed.limits import Limits
from test_distributed import check_pairs_across, handed_out, pairs_across, scored, split, table_of, traps

from .same import check

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Stored = Callable[..., "DataFrame"]


@contextmanager
def configured(session: SparkSession, name: str, value: str) -> Iterator[None]:
    """Another setting of the session."""
    before = session.conf.get(name)
    session.conf.set(name, value)
    yield
    session.conf.set(name, str(before))


def test_dedup_with_small_batches(session: SparkSession, stored: Stored, tmp_path: Path) -> None:
    texts = traps()
    table = table_of(texts, **scored(texts))
    settings: dict[str, Any] = {"threshold": 0.6, "keep": ["newest", "max:score"]}
    documents = stored(table)
    with configured(session, "spark.sql.execution.arrow.maxRecordsPerBatch", "7"):
        found = lookalike.spark.dedup(documents, work=str(tmp_path / "work"), row="row", **settings)
        result = lookalike.dedup(table, **settings)
        check(found, result)
        clean = found.filter(documents).toArrow()
    assert sorted(clean["row"].to_pylist()) == table.filter(result.mask())["row"].to_pylist()
    problems = found.problems.toArrow()
    records = pyarrow.table(result.problems)["record"].to_pylist()
    assert sorted(problems["record"].to_pylist()) == sorted(records) and records


def test_cluster_with_other_numbers_of_tasks(stored: Stored, tmp_path: Path) -> None:
    table = table_of(traps())
    # More tasks than rows of most steps, and an order of the rows on Spark that is neither that of ids nor of rows.
    documents = stored(table.take(list(range(table.num_rows))[::-1])).repartition(5)
    found = lookalike.spark.cluster(documents, work=str(tmp_path / "work"), row="row", tasks=7, threshold=0.5)
    check(found, lookalike.cluster(table, threshold=0.5))
    assert found.summary["clusters"] > 0


@pytest.mark.parametrize("limits", [Limits(), Limits(few=0, few_pairs=0)], ids=["few", "many"])
def test_documents_are_ordered_by_id_and_filtered_by_it(stored: Stored, tmp_path: Path, limits: Limits) -> None:
    table = table_of(traps()).drop_columns(["row"])
    documents = stored(table)
    found = lookalike.spark.dedup(documents, work=str(tmp_path / "work"), tasks=2, threshold=0.6, limits=limits)
    in_order = table.sort_by("id")
    result = lookalike.dedup(in_order, threshold=0.6)
    check(found, result)
    clean = found.filter(documents).toArrow()
    assert sorted(clean["id"].to_pylist()) == in_order.filter(result.mask())["id"].to_pylist()


def test_what_documents_need_to_have_in_common(stored: Stored, tmp_path: Path) -> None:
    table = table_of(traps())
    table = table.append_column("side", pyarrow.array([["left", None][at % 2] for at in range(table.num_rows)]))
    settings: dict[str, Any] = {"threshold": 0.5, "distinct_by": ["numbers", "side"]}
    found = lookalike.spark.dedup(stored(table), work=str(tmp_path / "work"), row="row", **settings)
    result = lookalike.dedup(table, **settings)
    check(found, result)
    assert 0 < len(result.removed()) < len(lookalike.dedup(table, threshold=0.5).removed())


@pytest.mark.parametrize("tasks", [1, 5])
def test_ignored_texts(stored: Stored, tmp_path: Path, tasks: int) -> None:
    texts, given = handed_out(tmp_path)
    table = table_of(texts)
    settings: dict[str, Any] = {"threshold": 0.5, "ignore_text": given}
    documents = stored(table).repartition(tasks)
    for on_spark, here in [(lookalike.spark.dedup, lookalike.dedup), (lookalike.spark.cluster, lookalike.cluster)]:
        found = on_spark(documents, work=str(tmp_path / "work"), row="row", tasks=tasks, **settings)
        check(found, here(table, **settings))
        assert "whole_resemblance" in found.pairs.columns
    # Other texts under the same names are other settings: nothing is gone on from.
    given[1].write_text('{"text": "entirely other words than those of the exercise"}\n')
    stages: list[lookalike.spark.Stage] = []
    again = {**settings, "progress": stages.append, "resume": True}
    found = lookalike.spark.cluster(documents, work=str(tmp_path / "work"), row="row", tasks=tasks, **again)
    assert not any(stage.resumed for stage in stages)
    check(found, lookalike.cluster(table, **settings))


@pytest.mark.parametrize("tasks", [1, 5])
def test_across_values(stored: Stored, tmp_path: Path, tasks: int) -> None:
    table = split(traps())
    settings: dict[str, Any] = {"threshold": 0.5, "min_features": 12, "across": "split"}
    documents = stored(table).repartition(tasks)
    for on_spark, here in [(lookalike.spark.dedup, lookalike.dedup), (lookalike.spark.cluster, lookalike.cluster)]:
        found = on_spark(documents, work=str(tmp_path / "work"), row="row", tasks=tasks, **settings)
        check(found, here(table, **settings))


def test_across_what_there_is_not_is_refused(stored: Stored, tmp_path: Path) -> None:
    documents = stored(split(traps()[:9]))
    work = str(tmp_path / "work")
    wrong: dict[str, dict[str, Any]] = {
        "are of one source; name a field": {"across": "inputs"},
        "against= with another collection": {"across": "split", "against": documents},
    }
    for message, keywords in wrong.items():
        with pytest.raises(lookalike.SettingsError, match=message):
            lookalike.spark.dedup(documents, work=work, row="row", **keywords)
    with pytest.raises(lookalike.DataError, match="there is no column `source`"):
        lookalike.spark.dedup(documents, work=work, row="row", across="source")
    without = stored(table_of(traps()[:9], split=pyarrow.nulls(9, pyarrow.utf8())), "without")
    with pytest.raises(lookalike.SettingsError, match="no document has the field `split` of across=; name another"):
        lookalike.spark.dedup(without, work=work, row="row", across="split")


def test_rounds(stored: Stored, tmp_path: Path) -> None:
    table = table_of(traps())
    few = Limits(list=2, head=2, rounds=4, flips=1, block=1000, one_task=2, few=0, few_pairs=0, bucket=200, direct=4)
    work = str(tmp_path / "work")
    found = lookalike.spark.dedup(stored(table), work=work, row="row", threshold=0.4, limits=few)
    check(found, lookalike.dedup(table, threshold=0.4))
    assert found.summary["join"]["rounds"] > 1


def test_against_another_collection(stored: Stored, tmp_path: Path) -> None:
    texts = traps()
    table, other = table_of(texts[::2]), table_of(texts[1::2], seed=1)
    work = str(tmp_path / "work")
    documents, against = stored(table), stored(other, "against")
    found = lookalike.spark.dedup(documents, work=work, row="row", against=against, threshold=0.6)
    check(found, lookalike.dedup(table, against=other, threshold=0.6))


def test_similarity_join(stored: Stored, tmp_path: Path) -> None:
    texts = traps()
    a, b = stored(table_of(texts[::2]), "a"), stored(table_of(texts[1::2], seed=1), "b")
    pairs = lookalike.spark.similarity_join(a, b, work=str(tmp_path / "work"), row="row", threshold=0.6)
    check_pairs_across(pairs.toArrow(), pairs_across(texts[::2], texts[1::2], threshold=0.6))


def test_filter_by_ids_is_refused_if_they_repeat(stored: Stored, tmp_path: Path) -> None:
    texts = ["one two three four five six"] * 2 + ["entirely other words in this one here"]
    documents = stored(pyarrow.table({"id": ["a", "a", "b"], "text": texts}))
    found = lookalike.spark.dedup(documents, work=str(tmp_path / "work"), tasks=1)
    assert found.summary["removed"]["total"] == 1
    with pytest.raises(lookalike.DataError, match="the same ids; number the rows") as refused:
        found.filter(documents)
    assert refused.value.code == "repeated_id"


def test_filter_by_ids_is_refused_if_removed_documents_have_none(stored: Stored, tmp_path: Path) -> None:
    texts = ["one two three four five six"] * 2 + ["entirely other words in this one here"]
    found = lookalike.spark.dedup(stored(pyarrow.table({"id": ["a", None, "b"], "text": texts})), work=str(tmp_path / "work"), tasks=1)
    documents = stored(pyarrow.table({"id": ["a", None, "b"], "text": texts}), "again")
    assert found.summary["removed"]["total"] == 1
    with pytest.raises(lookalike.DataError, match="have no id; number the rows") as refused:
        found.filter(documents)
    assert refused.value.code == "missing_id"


def test_columns_that_are_not_there(stored: Stored, tmp_path: Path) -> None:
    documents = stored(pyarrow.table({"key": ["a"], "text": ["one"], "n": [0]}))
    wrong: dict[str, dict[str, Any]] = {
        "there is no column `body`; the columns are `key`, `text`, `n`": {"text": "body", "id": "key"},
        "there is no column `number`": {"row": "number"},
        "there is no column `length`": {"id": "key", "keep": "max:length"},
        "documents need an id, or a number: there is no column `id`; name one with id=": {},
    }
    for message, keywords in wrong.items():
        with pytest.raises(lookalike.DataError, match=message) as refused:
            lookalike.spark.dedup(documents, work=str(tmp_path / "work"), **keywords)
        assert refused.value.code == "source"
    assert not (tmp_path / "work").exists()


@pytest.mark.parametrize("text", ["chat[role=user].content", "note,chat[].content"])
def test_texts_of_several_fields(stored: Stored, tmp_path: Path, text: str) -> None:
    words = [f"w{number}" for number in range(40)]

    def chat(at: int) -> list[dict[str, str]]:
        return [{"role": "user", "content": " ".join(words[:at])}, {"role": "bot", "content": " ".join(words[at:])}]

    rows = [{"row": at, "id": f"d{at}", "note": f"n{at % 2}", "chat": chat(14 + at)} for at in range(9)]
    table = pyarrow.Table.from_pylist(rows)
    found = lookalike.spark.cluster(stored(table), work=str(tmp_path / "work"), row="row", text=text, threshold=0.7)
    check(found, lookalike.cluster(table, text=text, threshold=0.7))
    assert found.summary["clusters"] > 0
