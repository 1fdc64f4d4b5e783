"""Passages in steps, on the engine of local processes, against the same call on one machine."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pyarrow = pytest.importorskip("pyarrow")

import lookalike
from lookalike._passages import settings_of_call
from lookalike.distributed import names
from lookalike.distributed.counts import LostRows
from lookalike.distributed.limits import Limits
from lookalike.distributed.passages import FoundPassages, PassageQuestion, find_passages
from lookalike.distributed.processes import Processes
from lookalike.distributed.sets import Side
from test_distributed import rows_of, table_of

#: The numbers of a summary that are the same.
NUMBERS = (
    "documents with_passages passages later_units repeated_units longest most_copies kept removed cut uncut cut_units rest_units "
    "cuts problems units text_bytes digest"
).split()

#: As if there were too many documents for one machine.
MANY = Limits(few=0, few_pairs=0, bucket=100, one_task=0)

LIMITS = pytest.mark.parametrize("limits", [Limits(), MANY], ids=["few", "many"])

#: What a call says of passages, if nothing else is said.
USUAL: dict[str, Any] = {"length": None, "unit": "word", "copies": 2, "scope": "all", "cut": "kept", "whole": None}
USUAL |= {"joint": None, "rest": 0, "shortest": 0}


def collection(seed: int, documents: int = 80) -> list[str | None]:
    """Texts of passages that overlap, periods, a header that most have, copies, short, empty and missing ones."""
    chance = random.Random(seed)
    words = [f"w{number}" for number in range(200)]
    header = " ".join(f"h{number}" for number in range(14)) + "."
    texts: list[str | None] = ["", None, "one two three", "...", "na " * 40, "x y na " + "na " * 33]
    pool = [chance.choices(words, k=chance.randrange(8, 40)) for _ in range(12)]
    for number in range(documents):
        parts = [chance.choices(words, k=chance.randrange(0, 20))]
        for _ in range(chance.randrange(0, 4)):
            passage = chance.choice(pool)
            start = chance.randrange(len(passage))
            parts.append(passage[start : start + chance.randrange(4, 40)])
            parts.append(chance.choices(words[:3], k=chance.randrange(0, 6)))
        text = "".join(
            word.title() + chance.choice([" ", " ", " ", ", ", ". ", "\n", "\n\n", "é "]) for part in parts for word in part
        )
        texts.append(f"{header}\n{text}" if chance.random() < 0.8 else text)
        if number % 17 == 0:
            texts.append(texts[-1])
    chance.shuffle(texts)
    return texts


def question(settings: lookalike.Settings | None = None, **given: Any) -> PassageQuestion:
    keep, separate_by = given.pop("keep", None), given.pop("separate_by", None)
    settings, _, asked = settings_of_call(settings, None, None, keep, separate_by, {**USUAL, **given})
    return PassageQuestion(settings, asked)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Processes]:
    with Processes(tmp_path / "work", processes=0, tasks=3) as engine:
        yield engine


def tokens(texts: list[str | None]) -> dict[str, Any]:
    """Columns of the words of texts as lists, of numbers and of strings with all that is escaped."""
    words = [None if text is None else text.lower().split() for text in texts]
    numbers = {word: at for at, word in enumerate(sorted({word for of in words for word in of or []}))}
    spell = {word: f"{word}\n\\n\\\\" if at % 3 else word for word, at in numbers.items()}
    return {
        "ids": pyarrow.array([of and [numbers[word] for word in of] for of in words], pyarrow.list_(pyarrow.int32())),
        "words": pyarrow.array([of and [spell[word] for word in of] for of in words]),
    }


def elements(lines: str, table: Any, field: str) -> list[Any]:
    """The elements of a list, of one on each line."""
    escapes = {r"\n": "\n", r"\\": "\\"}
    found = [re.sub(r"\\.", lambda escape: escapes[escape[0]], line) for line in lines.split("\n")[:-1]]
    return found if pyarrow.types.is_string(table[field].type.value_type) else [int(one) for one in found]


def check(engine: Processes, found: FoundPassages[Any], result: lookalike.Passages, table: Any) -> None:
    """Every row, the documents, the digest and the numbers equal those of one machine."""
    for name, own, expected in (
        ("passages", found.passages, result.table),
        ("cuts", found.cuts, result.cuts),
        ("edits", found.edits, result.edits),
        ("near", found.near, result.near),
    ):
        rows = None if own is None else engine.table(own, names.passages(name))
        if expected is None:
            assert rows is None or (rows.num_rows == 0 and name != "near")
            continue
        expected = pyarrow.table(expected)
        assert rows.column_names == expected.column_names
        assert rows_of(rows) == rows_of(expected), name
    if result.edits is not None:
        left = dict(zip(*(engine.collect(found.left)[name].to_pylist() for name in ("record", "text")), strict=True))
        unit = found.summary["settings"]["unit"]
        field = unit.removeprefix("tokens:") if unit.startswith("tokens:") else "text"
        made = {record: text if text is None or field == "text" else elements(text, table, field) for record, text in left.items()}
        texts = [made.get(row["row"] + 1, row[field]) for row in table.to_pylist()]
        assert {record - 1 for record, text in left.items() if text is None} == set(result.removed().to_pylist())
        stays = [text for text, stay in zip(texts, result.mask().to_pylist(), strict=True) if stay]
        assert stays == result.apply(table)[field].to_pylist()
    assert found.summary.get("near") == result.summary.get("near")
    assert {name: found.summary[name] for name in NUMBERS} == {name: result.summary.get(name, 0) for name in NUMBERS}


SETTINGS: dict[str, dict[str, Any]] = {
    "plain": {"length": 8},
    "short": {"length": 3},
    "one word": {"length": 1},
    "usual length": {},
    "later": {"length": 6, "cut": "later"},
    "all": {"length": 6, "cut": "all", "copies": 3},
    "none": {"length": 6, "cut": "none"},
    "copies": {"length": 5, "copies": 4},
    "within": {"length": 3, "scope": "within"},
    "across": {"length": 4, "scope": "across"},
    "across, later": {"length": 4, "scope": "across", "cut": "later"},
    "lines": {"length": 5, "whole": "line"},
    "sentences": {"length": 5, "whole": "sentence", "joint": " […] "},
    "paragraphs": {"length": 4, "whole": "paragraph"},
    "rests": {"length": 6, "rest": 6, "shortest": 5},
    "characters": {"length": 30, "unit": "char"},
    "bytes": {"length": 25, "unit": "byte"},
    "unit of lines": {"unit": "line", "length": 2},
    "unit of sentences": {"unit": "sentence", "length": 1},
    "unit of paragraphs": {"unit": "paragraph"},
    "longest": {"length": 6, "keep": "longest"},
    "keep": {"length": 6, "keep": ["max:score", "newest", "last"]},
    "separated": {"length": 5, "separate_by": "site"},
    "near": {"length": 12, "gaps": 3, "agree": "0.6"},
    "near, separated": {"length": 6, "gaps": 1, "separate_by": "site", "cut": "none"},
    "near seeds as long as passages": {"length": 4, "gaps": 1, "keep": "longest", "scope": "across"},
    "tokens": {"length": 8, "gaps": 2, "unit": "tokens:ids", "keep": "longest"},
    "tokens that are strings": {"length": 6, "unit": "tokens:words", "cut": "later", "rest": 3},
}


@LIMITS
@pytest.mark.parametrize("name", SETTINGS)
def test_equals_one_machine(engine: Processes, name: str, limits: Limits) -> None:
    texts = collection(len(name))
    chance = random.Random(3)
    columns = {
        "site": [chance.choice(["a", "b", None]) for _ in texts],
        "score": [chance.choice([None, 0.5, 2.0]) for _ in texts],
        "date": [chance.choice([None, "2024-05-01", "2023-01-01"]) for _ in texts],
        **tokens(texts),
    }
    table = table_of(texts, **columns)
    result = lookalike.passages(table, **SETTINGS[name])
    assert len(result.table) > (5 if name != "usual length" else -1)
    assert result.near is None or len(result.near) > 20
    found = find_passages(engine, Side(engine.documents(table), 0, "row"), question(**SETTINGS[name]), limits=limits)
    check(engine, found, result, table)


@pytest.mark.parametrize("seed", range(12))
def test_the_answer_does_not_depend_on_how_rows_are_divided(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    table = table_of(collection(seed, chance.randrange(1, 60)), seed)
    settings = {
        "length": chance.choice([2, 5, 9]),
        "copies": chance.choice([2, 2, 3]),
        "scope": chance.choice(["all", "within", "across"]),
        "cut": chance.choice(["kept", "kept", "later", "all", "none"]),
    }
    if settings["scope"] != "within":
        settings["gaps"] = chance.choice([None, 1, 3])
    limits = replace(MANY, bucket=chance.choice([10, 1000]), few=chance.choice([0, 10**6]), few_pairs=chance.choice([0, 10**6]))
    limits = replace(limits, one_task=chance.choice([0, 40, 10**6]))
    shuffled = table.take(chance.sample(range(table.num_rows), table.num_rows))
    with Processes(tmp_path / "work", processes=0, tasks=chance.choice([1, 2, 7])) as engine:
        found = find_passages(engine, Side(engine.documents(shuffled), 0, "row"), question(**settings), limits=limits)
        check(engine, found, lookalike.passages(table, **settings), table)


def test_documents_without_numbers_are_ordered_by_id(engine: Processes) -> None:
    table = table_of(collection(5)).sort_by("id")
    table = table.set_column(2, "row", pyarrow.array(range(table.num_rows)))
    shuffled = table.take(random.Random(0).sample(range(table.num_rows), table.num_rows))
    found = find_passages(engine, Side(engine.documents(shuffled), 0), question(length=6))
    check(engine, found, lookalike.passages(table, length=6), table)


@LIMITS
def test_where_nothing_stands_twice(engine: Processes, limits: Limits) -> None:
    for texts in (["one two three four", "five six seven eight nine"], ["short", None, ""]):
        table = table_of(list(texts))
        found = find_passages(engine, Side(engine.documents(table), 0, "row"), question(length=3), limits=limits)
        check(engine, found, lookalike.passages(table, length=3), table)


@LIMITS
@pytest.mark.parametrize("settings", [{"text": "title,body", "cut": "none"}, {"html": "page"}], ids=["fields", "pages"])
def test_texts_that_are_not_cut(engine: Processes, settings: dict[str, Any], limits: Limits) -> None:
    texts = collection(6)
    table = table_of(texts, title=[text and text[:60] for text in texts], body=texts[::-1], page=[None, *texts[1:]])
    if "html" in settings:
        table = table.set_column(1, "text", pyarrow.array([text if at % 3 else None for at, text in enumerate(texts)]))
    cut = settings.get("cut", "kept")
    own = lookalike.Settings(**{name: value for name, value in settings.items() if name != "cut"})
    result = lookalike.passages(table, settings=own, length=6, cut=cut)
    asked = question(own, length=6, cut=cut)
    found = find_passages(engine, Side(engine.documents(table), 0, "row"), asked, limits=limits)
    check(engine, found, result, table)
    assert found.summary["passages"] > 20 and (cut == "none" or found.summary["uncut"] > 5)


def test_a_field_that_no_document_has_is_refused(engine: Processes) -> None:
    table = table_of(collection(7), split=pyarrow.nulls(len(collection(7)), pyarrow.utf8()))
    with pytest.raises(lookalike.SettingsError, match="no document has the field `split` of separate_by="):
        find_passages(engine, Side(engine.documents(table), 0, "row"), question(length=6, separate_by="split"))


def test_what_is_for_one_machine_is_refused() -> None:
    with pytest.raises(lookalike.SettingsError, match="copies='1': use 2 or more"):
        question(copies=1).context().task("runs").columns


def test_passages_of_one_component_are_bounded(engine: Processes) -> None:
    table = table_of(["a b c d e", "a b c d f", "g h i j", "g h i j"])
    documents = Side(engine.documents(table), 0, "row")
    limits = replace(MANY, runs=2)
    check(engine, find_passages(engine, documents, question(length=3), limits=limits), lookalike.passages(table, length=3), table)
    with pytest.raises(lookalike.SettingsError, match="more than 1 passages of documents that have some in common"):
        find_passages(engine, documents, question(length=3), limits=replace(limits, runs=1))
    found = find_passages(engine, documents, question(length=3, cut="later"), limits=replace(limits, runs=1))
    assert found.summary["cuts"] == 2


def test_rows_that_an_engine_loses_are_noticed(tmp_path: Path) -> None:
    class Losing(Processes):
        """Loses the first file of anchors."""

        def exchange(self, rows: Any, key: str, order: Any, task: Any, tasks: Any = None) -> Any:
            if task.step == "group":
                counts = [self.where(part, "kind", [99]) for part in rows]
                anchors = [self.where(type(part)(part.files[1:], part.changes), "kind", [1]) for part in rows]
                rows = [*counts, *anchors]
            return super().exchange(rows, key, order, task, tasks)

    with Losing(tmp_path / "work", processes=0, tasks=3) as engine:
        table = table_of(collection(9))
        with pytest.raises(LostRows, match="lost or repeated anchors, so passages would be missing"):
            find_passages(engine, Side(engine.documents(table), 0, "row"), question(length=6))
