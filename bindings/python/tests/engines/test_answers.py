"""Answers on Ray Data, Dask and Daft against the same call on one machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

pyarrow = pytest.importorskip("pyarrow")

import pyarrow.parquet

import lookalike
from conftest import collection_of
from lookalike.distributed.limits import Limits
from test_distributed import MANY, SMALL, check_pairs_across, check_summary, comparable, pairs_across, rows_of, scored, table_of, traps

from .conftest import Library

#: A directory of collections.
DATA = os.environ.get("LOOKALIKE_DATA")


def check(work: Path, found: Any, result: lookalike.Result, library: Library | None = None) -> None:
    """Every row, the kept documents and the digest equal those of one machine, as the library reads them, or as they are."""

    def table(name: str) -> Any:
        return library.table(getattr(found, name)) if library else pyarrow.parquet.read_table(work / name)

    tables = {name: table(name) for name in ("ledger", "pairs", "clusters", "kept")}
    for name in ("ledger", "pairs", "clusters"):
        expected = comparable(getattr(result, name))
        if name != "ledger" or result.summary["command"] == "dedup":
            assert tables[name].column_names == expected.column_names, name
        assert rows_of(tables[name]) == rows_of(expected), name
    assert sorted(record - 1 for record in tables["kept"]["record"].to_pylist()) == result.kept().to_pylist()
    check_summary(found.summary, result.summary)


@pytest.mark.parametrize("limits", [Limits(), MANY, SMALL], ids=["few", "many", "rounds"])
def test_dedup(library: Library, work: Path, limits: Limits) -> None:
    texts = traps()
    table = table_of(texts, **scored(texts))
    settings: dict[str, Any] = {"threshold": 0.6, "keep": ["newest", "max:score"]}
    frame, stages = library.frame(table, 3), []
    found = library.door.dedup(frame, work=work, row="row", tasks=3, limits=limits, progress=stages.append, **settings)
    result = lookalike.dedup(table, **settings)
    # Ray takes seconds for each table.
    check(work, found, result, library if limits == Limits() else None)
    clean = library.table(found.filter(frame))
    assert sorted(clean["row"].to_pylist()) == table.filter(result.mask())["row"].to_pylist()
    assert clean.column_names == table.column_names
    problems = pyarrow.parquet.read_table(work / "problems")
    records = pyarrow.table(result.problems)["record"].to_pylist()
    assert sorted(problems["record"].to_pylist()) == sorted(records) and records
    # Rows between steps are gone, with the copy of the documents.
    assert sorted(path.name for path in work.iterdir()) == ["clusters", "kept", "ledger", "pairs", "problems"]
    assert stages[0].name == "signed" and {type(stage) for stage in stages} == {library.door.Stage}


def test_cluster_with_other_parts_and_numbers_of_tasks(library: Library, work: Path) -> None:
    table = table_of(traps())
    # More tasks than rows of most steps, and an order of the rows that is neither that of ids nor of rows.
    turned = table.take(list(range(table.num_rows))[::-1])
    found = library.door.cluster(library.frame(turned, 5), work=work, row="row", tasks=7, threshold=0.5)
    check(work, found, lookalike.cluster(table, threshold=0.5))
    assert found.summary["clusters"] > 0


@pytest.mark.parametrize("limits", [Limits(), Limits(few=0, few_pairs=0)], ids=["few", "many"])
def test_documents_are_ordered_by_id_and_filtered_by_it(library: Library, work: Path, limits: Limits) -> None:
    table = table_of(traps()).drop_columns(["row"])
    frame = library.frame(table, 2)
    found = library.door.dedup(frame, work=work, tasks=2, threshold=0.6, limits=limits)
    in_order = table.sort_by("id")
    result = lookalike.dedup(in_order, threshold=0.6)
    check(work, found, result)
    assert sorted(library.table(found.filter(frame))["id"].to_pylist()) == in_order.filter(result.mask())["id"].to_pylist()


def test_against_another_collection(library: Library, work: Path) -> None:
    texts = traps()
    table, other = table_of(texts[::2]), table_of(texts[1::2], seed=1)
    for only in (False, True):
        found = library.door.dedup(
            library.frame(table, 2), against=library.frame(other, 2), against_only=only, work=work / str(only), row="row", tasks=2,
            name="own.parquet", threshold=0.6,
        )  # fmt: skip
        check(work / str(only), found, lookalike.dedup(table, against=other, against_only=only, name="own.parquet", threshold=0.6))
        assert found.summary["removed"]["total"] > 10


def test_similarity_join(library: Library, work: Path) -> None:
    texts = traps()
    a, b = (library.frame(table_of(own, seed=at), 2) for at, own in enumerate((texts[::2], texts[1::2])))
    pairs = library.door.similarity_join(a, b, work=work, row="row", tasks=2, threshold=0.6)
    check_pairs_across(library.table(pairs), pairs_across(texts[::2], texts[1::2], threshold=0.6))


def test_other_columns_and_no_documents(library: Library, work: Path) -> None:
    table = pyarrow.table({"name": ["a", "b", "c"], "body": ["a rose is a rose is a rose", None, "A rose is a rose is a rose!"], "n": [1, 2, 3]})
    frame = library.frame(table, 3)
    found = library.door.dedup(frame, work=work / "some", id="name", text="body", tasks=2)
    check(work / "some", found, lookalike.dedup(table, id="name", text="body"))
    assert library.table(found.filter(frame)).to_pydict() == table.slice(0, 2).to_pydict()
    empty = library.door.dedup(library.frame(table.slice(0, 0), 1), work=work / "none", id="name", text="body", tasks=2)
    assert empty.summary["documents"] == 0 and library.table(empty.kept).num_rows == 0
    assert empty.summary["digest"] == lookalike.dedup(table.slice(0, 0), id="name", text="body").summary["digest"]


def test_what_cannot_be_is_refused_before_anything_is_written(library: Library, work: Path) -> None:
    frame = library.frame(table_of(traps()), 1)
    for settings in ({"method": "imatch"}, {"ignore_common": 3}, {"boilerplate": 3}):
        with pytest.raises((lookalike.SettingsError, TypeError), match="one machine|no argument"):
            library.door.dedup(frame, work=work, settings=lookalike.Settings(**settings))
    with pytest.raises(lookalike.DataError, match="there is no column `body`; the columns are `id`, `text`, `row`"):
        library.door.dedup(frame, work=work, text="body")
    with pytest.raises(lookalike.DataError, match="documents need an id, or a number"):
        library.door.dedup(library.frame(pyarrow.table({"text": ["a"]}), 1), work=work)
    with pytest.raises(lookalike.SettingsError, match="is a URL.*a directory that all workers mount"):
        library.door.dedup(frame, work="s3://bucket/work")
    assert not work.exists() or not list(work.iterdir())
    (work / "used").mkdir(parents=True)
    with pytest.raises(lookalike.InputError, match="is not empty: give each call a directory of its own"):
        library.door.dedup(frame, work=work)


def test_an_error_in_a_task_is_that_of_one_machine(library: Library, work: Path) -> None:
    table = table_of(traps(), split=pyarrow.nulls(len(traps()), pyarrow.utf8()))
    for call in (
        lambda: lookalike.dedup(table, across="split"),
        lambda: library.door.dedup(library.frame(table, 2), work=work / "a", tasks=2, across="split"),
    ):
        with pytest.raises(lookalike.SettingsError, match="`split`"):
            call()
    wrong = pyarrow.table({"id": ["a", "b"], "text": [1, 2]})
    with pytest.raises(lookalike.DataError, match="`text`.*not text"):
        library.door.dedup(library.frame(wrong, 1), work=work / "b", tasks=2)
    assert not list((work / "b").iterdir())


def test_rows_that_ids_do_not_name_are_not_filtered(library: Library, work: Path) -> None:
    text = "a rose is a rose is a rose"
    for at, (ids, message) in enumerate([(["a", "a"], "the same ids"), (["a", None], "have no id"), (["a", ""], "have no id")]):
        frame = library.frame(pyarrow.table({"id": pyarrow.array(ids, pyarrow.utf8()), "text": [text, text]}), 1)
        found = library.door.dedup(frame, work=work / str(at), tasks=2)
        assert found.summary["removed"]["total"] == 1
        with pytest.raises(lookalike.DataError, match=message):
            found.filter(frame)
    numbered = library.frame(pyarrow.table({"id": ["a", "a"], "text": [text, text], "row": [0, 1]}), 1)
    found = library.door.dedup(numbered, work=work / "numbered", row="row", tasks=2)
    assert library.table(found.filter(numbered))["row"].to_pylist() == [0]


@pytest.mark.skipif(not DATA, reason="LOOKALIKE_DATA does not name the collections")
@pytest.mark.parametrize(
    ("collection", "action", "settings"),
    [
        ("lic_multi", "cluster", {"threshold": 0.5}),
        ("planted_news_a", "dedup", {"threshold": 0.8}),
        ("ver_rust_book", "dedup", {"threshold": 0.8, "measure": "containment", "keep": "longest"}),
    ],
    ids=str,
)
def test_a_collection(library: Library, work: Path, collection: str, action: str, settings: dict[str, Any]) -> None:
    table = collection_of(Path(str(DATA)) / collection)
    found = getattr(library.door, action)(library.frame(table, 4), work=work, row="row", tasks=4, **settings)
    check(work, found, getattr(lookalike, action)(table, **settings))
