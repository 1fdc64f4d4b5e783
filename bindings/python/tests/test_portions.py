"""Items of benchmarks in portions of documents, as tasks of Spark look for them, against one search."""

from __future__ import annotations

from typing import Any

import pytest

pyarrow = pytest.importorskip("pyarrow")
compute = pytest.importorskip("pyarrow.compute")

import lookalike
from lookalike import _lookalike
from lookalike._decontaminate import settings_of_call
from lookalike.spark._decontaminate import ROWS, Portions, _ipc
from test_decontaminate import made


@pytest.mark.parametrize("parts", [1, 2, 7])
@pytest.mark.parametrize("common", [1, 3, 1000])
def test_portions_find_what_one_search_finds(parts: int, common: int) -> None:
    items, documents = made()
    table = pyarrow.Table.from_pylist([{**document, "row": row} for row, document in enumerate(documents)])
    fields = ("question", "answer")
    _, _, settings = settings_of_call(None, None, fields, None, threshold=None, common=common)
    given = _ipc(pyarrow.Table.from_pylist(items))
    portions = Portions(given, lookalike.Settings().to_json(), settings, "against", fields, "table", "row")
    expected = lookalike.decontaminate(table, against=items, item_fields=fields, common=common)

    # Rows of a task are not in the order of the documents, and are in several batches.
    tasks = [table.take(list(range(part, table.num_rows, parts))[::-1]).to_batches(max_chunksize=40) for part in range(parts)]
    counts: dict[int, int] = {}
    for task in tasks:
        for batch in portions.counts(task):
            for ngram, number in zip(batch["ngram"].to_pylist(), batch["documents"].to_pylist(), strict=True):
                counts[ngram] = counts.get(ngram, 0) + number
    assert counts.pop(ROWS) == len(documents)
    too_many = tuple((ngram, number) for ngram, number in counts.items() if number > common)
    assert too_many or common > 1
    of_all = Portions(given, portions.settings, settings, "against", fields, "table", "row", too_many)
    rows = pyarrow.Table.from_batches([batch for task in tasks for batch in of_all.find(task)])
    for name, (number, columns) in of_all.tables.items():
        own = rows.filter(compute.equal(rows["found_table"], number)).select(list(columns))
        if name == "contaminated":
            assert sorted(record - 1 for record in own["record"].to_pylist()) == expected.contaminated().to_pylist()
            continue
        assert same(own, getattr(expected, name)), name
        assert own.num_rows > 10
    of_tasks = rows.filter(compute.equal(rows["found_table"], 0))
    assert sum(of_tasks["documents"].to_pylist()) == len(documents) and of_tasks.num_rows == parts
    assert sum(of_tasks["contaminated"].to_pylist()) == expected.summary["contaminated"]
    found = _lookalike.add_found(of_tasks["found"].to_pylist())
    search = of_all.search
    for own, name in zip(search.items(found, search.counted(list(too_many))), ("items", "benchmarks"), strict=True):
        assert pyarrow.table(own).equals(pyarrow.table(getattr(expected, name))), name


def same(own: Any, expected: Any) -> bool:
    """Whether tables have the same columns and rows, in any order."""
    own, expected = pyarrow.table(own), pyarrow.table(expected)
    rows = [sorted((tuple(row.values()) for row in table.to_pylist()), key=repr) for table in (own, expected)]
    return own.column_names == expected.column_names and rows[0] == rows[1]
