"""Items of benchmarks in documents: the tables of the command, from memory."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import lookalike
from conftest import jsonl

QUIZ = [
    {"id": "rose", "question": "If a rose is a rose is a rose, then what is a flower?", "choices": ["a rose and", "a tulip or a lily of the field"]},
    {"id": "short", "question": "Who knows?", "choices": ["I"]},
]


def made() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Items, and documents that have some of them."""
    chance = random.Random(3)
    words = [f"w{n}" for n in range(500)]

    def some(least: int, most: int) -> str:
        return " ".join(chance.choices(words, k=chance.randrange(least, most)))

    items = [{"id": f"q{n}", "question": some(5, 40), "answer": some(3, 20)} for n in range(40)]
    documents = []
    for number in range(300):
        parts = [some(10, 60)]
        if number % 4 == 0:
            parts += [chance.choice(items)[chance.choice(("question", "answer"))].upper(), some(0, 20)]
        documents.append({"id": f"d{number}", "text": "\n".join(parts)})
    return items, documents


def test_rows_and_places() -> None:
    texts = ["to be or not to be", "QUIZ: If a rose is a rose\nis a rose, then what is a flower? (é)"]
    found = lookalike.decontaminate(texts, against=QUIZ, item_fields=["question", "choices"])
    assert (found.contaminated().to_pylist(), found.mask().to_pylist()) == ([1], [True, False])
    span = found.spans.to_pylist()[0]
    assert texts[1].encode()[span["first_byte"] : span["end_byte"]].decode() == texts[1][6:-5]
    outcomes = {(row["item_id"], row["part"]): row["outcome"] for row in found.items.to_pylist()}
    assert outcomes == {
        ("rose", "question"): "found",
        ("rose", "choices"): "absent",
        ("short", "question"): "short",
        ("short", "choices"): "short",
    }
    assert found.summary["benchmarks"][0]["found"] == 1 and "contaminated" in repr(found)
    table = pa.table({"text": texts})
    assert table.filter(lookalike.decontaminate(table, against=QUIZ, item_fields="question").mask())["text"].to_pylist() == texts[:1]


def test_tables_are_those_of_the_command(command: str, tmp_path: Path) -> None:
    items, documents = made()
    train, bench = jsonl(tmp_path / "train.jsonl", documents), jsonl(tmp_path / "bench.jsonl", items)
    out = tmp_path / "out"
    options = ["--item-fields", "question,answer", "--preset", "cosmopedia", "--common", "3", "--tables", "jsonl", "-q"]
    subprocess.run([command, "decontaminate", train, "--against", bench, "-o", out, *options], check=True)
    found = lookalike.decontaminate(
        documents,
        against=items,
        item_fields=["question", "answer"],
        preset="cosmopedia",
        common=3,
        name=str(train),
        against_name=str(bench),
    )
    for name in ("contamination", "spans", "items", "benchmarks"):
        rows = [json.loads(line) for line in (out / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
        assert getattr(found, name).to_pylist() == rows, name
        assert len(rows) > (20 if name != "benchmarks" else 0)
    assert found.summary["digest"] == json.loads((out / "summary.json").read_text(encoding="utf-8"))["digest"]


def test_what_makes_no_sense_is_refused() -> None:
    texts = ["a rose is a rose"]
    for wrong in ({"ngram": 0}, {"threshold": 2}, {"common": 0}, {"preset": "gpt"}, {"item_fields": ["question", "question"]}):
        with pytest.raises(lookalike.SettingsError):
            lookalike.decontaminate(texts, against=QUIZ, **{"item_fields": "question", **wrong})
    with pytest.raises(lookalike.SettingsError, match="read once"):
        lookalike.decontaminate(iter(texts), against=QUIZ, item_fields="question")
    with pytest.raises(lookalike.SettingsError, match="nothing would be found"):
        lookalike.decontaminate(texts, against=QUIZ[1:], item_fields="question")
    with pytest.raises(lookalike.DataError, match="`query`"):
        lookalike.decontaminate(texts, against=QUIZ, item_fields="query")
