"""Texts of several fields and of members of lists."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import lookalike

pa = pytest.importorskip("pyarrow")

QUESTION = "what is the highest mountain of the country and how is it climbed"
ANSWER = "it is climbed from the south side in three days by way of the hut"


def chat(*turns: tuple[str, str | None]) -> list[dict[str, Any]]:
    return [{"role": role, "content": content} for role, content in turns]


RECORDS: list[dict[str, Any]] = [
    {"id": "a", "note": "x", "messages": chat(("system", "be brief and friendly to all who ask"), ("user", QUESTION), ("bot", ANSWER))},
    {"id": "b", "note": "x", "messages": chat(("system", "another prompt that is much longer than the first of them"), ("user", QUESTION), ("bot", ANSWER))},
    {"id": "c", "note": "y", "messages": chat(("user", QUESTION[:30]), ("bot", QUESTION[30:]), ("user", ANSWER))},
    {"id": "d", "note": "y", "messages": chat(("user", QUESTION), ("bot", None), ("user", ANSWER))},
]
FIELDS = "messages[role=user].content,messages[role=bot].content"


def pairs(data: Any, **settings: Any) -> list[tuple[str, str, int]]:
    table = pa.table(lookalike.cluster(data, text=FIELDS, threshold=0.5, **settings).pairs)
    return listed(table)


def listed(table: Any) -> list[tuple[str, str, int]]:
    return sorted(zip(*(table[name].to_pylist() for name in ("a_id", "b_id", "shared"))))


def test_records_tables_and_files_have_the_same_pairs(tmp_path: Path) -> None:
    of_records = pairs(RECORDS)
    shared = len(QUESTION.split()) - 4 + len(ANSWER.split()) - 4
    assert ("a", "b", shared) in of_records and ("a", "d", shared) in of_records
    # Other fields, other shingles.
    assert all("c" not in pair[:2] or pair[2] < shared for pair in of_records)
    assert pairs(pa.Table.from_pylist(RECORDS)) == of_records
    docs = tmp_path / "docs.jsonl"
    docs.write_text("".join(json.dumps(record) + "\n" for record in RECORDS))
    run = lookalike.Run(docs, tmp_path / "out", text=FIELDS, threshold=0.5, report=False)
    run.cluster()
    assert listed(pa.table(lookalike.open_run(tmp_path / "out").pairs)) == of_records


def test_a_field_that_is_not_there_is_named() -> None:
    with pytest.raises(lookalike.DataError, match="contents"):
        lookalike.cluster(pa.Table.from_pylist(RECORDS), text="messages[].contents")
