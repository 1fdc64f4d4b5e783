"""The join in steps, on the engine of local processes, against the same call on one machine."""

from __future__ import annotations

import json
import random
from array import array
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pyarrow = pytest.importorskip("pyarrow")

import lookalike
from conftest import variants
from lookalike.distributed import names
from lookalike.distributed.counts import LostRows
from lookalike.distributed.processes import Processes
from lookalike.distributed.limits import Limits
from lookalike.distributed.run import Outcome, Question, pairs_between, run
from lookalike.distributed.sets import Side
from lookalike.distributed.task import Context


def table_of(texts: list[str | None], seed: int = 0, **columns: list[Any]) -> Any:
    """Documents whose ids are in another order than their rows."""
    numbers = list(range(len(texts)))
    random.Random(seed).shuffle(numbers)
    ids = [f"d{number:05}" for number in numbers]
    return pyarrow.table({"id": ids, "text": pyarrow.array(texts, pyarrow.utf8()), "row": range(len(texts)), **columns})


def rows_of(table: Any) -> list[tuple[Any, ...]]:
    """The rows of a table in one order."""
    table = pyarrow.table(table)
    return sorted((tuple(row.values()) for row in table.to_pylist()), key=repr)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Processes]:
    with Processes(tmp_path / "work", processes=0, tasks=3) as engine:
        yield engine


#: What one machine finds by reading texts again.
DIFFERENCES = ("lost", "added", "differs")


def comparable(table: Any) -> Any:
    """A table of one machine without the columns that an engine does not have."""
    table = pyarrow.table(table)
    return table.select([name for name in table.column_names if name not in DIFFERENCES])


def check(engine: Processes, found: Outcome[Any], result: lookalike.Result) -> None:
    """Every row and the digest equal those of one machine."""
    settings = result.settings.to_json()
    for name, own in {
        "ledger": engine.table(found.found.ledger, names.ledger(settings)),
        "pairs": engine.table(found.found.pairs, names.pairs(settings)),
        "clusters": engine.table(found.found.clusters, names.CLUSTERS),
    }.items():
        expected = comparable(getattr(result, name))
        if name != "ledger" or found.summary["command"] == "dedup":
            assert own.column_names == expected.column_names, name
        assert rows_of(own) == rows_of(expected), name
    kept = engine.table(found.found.kept, names.KEPT)
    assert sorted(record - 1 for record in kept["record"].to_pylist()) == result.kept().to_pylist()
    check_summary(found.summary, result.summary)


def check_summary(found: dict[str, Any], summary: dict[str, Any]) -> None:
    """The digest and the numbers equal those of one machine."""
    assert found["digest"] == summary["digest"]
    for name in ("documents", "kept", "problems", "clusters", "documents_in_clusters", "tokens", "text_bytes"):
        assert found[name] == summary[name], name
    assert found["pairs"] == {name: summary["pairs"][name] for name in ("listed", "complete")}
    rules = {rule: count for rule, count in summary["removed"].items() if count}
    assert {rule: count for rule, count in found["removed"].items() if rule != "total"} == rules
    assert found.get("across") == summary.get("across")


SETTINGS: dict[str, dict[str, Any]] = {
    "plain": {},
    "low": {"threshold": 0.5},
    "best": {"threshold": 0.6, "witness": "best", "linkage": "leaders"},
    "containment": {"measure": "containment", "threshold": 0.7, "keep": ["max:score", "first"]},
    "cosine": {"measure": "cosine", "threshold": 0.9},
    "components": {"threshold": 0.6, "linkage": "components"},
    "longest": {"threshold": 0.7, "keep": "longest"},
    "last": {"threshold": 0.7, "keep": "last"},
    "newest": {"threshold": 0.7, "keep": ["newest", "max:score"]},
    "characters": {"threshold": 0.6, "shingle_unit": "char", "shingle": 7, "short_documents": "ignore"},
}

#: As if there were too many documents for one machine.
MANY = Limits(few=0, few_pairs=0, bucket=200, direct=4)

#: Rounds where lists have so few sets.
SMALL = replace(MANY, list=2, head=1, head_growth=2, rounds=3, flips=1, block=3, block_growth=2, one_task=2)

LIMITS = pytest.mark.parametrize("limits", [Limits(), MANY, SMALL], ids=["few", "many", "rounds"])


def traps() -> list[str | None]:
    """Copies, near copies, a key of many, empty and missing texts, texts without words, also copies of them, texts
    shorter than a shingle, a chain of versions."""
    texts: list[str | None] = [*variants(150, seed=3), "", None, "one two", "One, two!", "...", None, "one two three"]
    texts += ["...", "\N{GRINNING FACE}", "...", "\N{GRINNING FACE} \N{GRINNING FACE}", "\N{GRINNING FACE}", " \n"]
    words = [f"v{number}" for number in range(90)]
    for step in range(25):
        words[step * 3 % 90] = f"new{step}"
        texts.append(" ".join(words))
    boilerplate = "all rights reserved by the owners of this page"
    texts += [f"{boilerplate} {' '.join(f'x{number}y{word}' for word in range(9))}" for number in range(30)]
    texts += [f"{' '.join(f'f{word}' for word in range(60))} end{number}" for number in range(20)]
    return texts


def scored(texts: list[str | None]) -> dict[str, list[Any]]:
    chance = random.Random(5)
    scores = [chance.choice([None, 0.5, 1.5, -2.0]) for _ in texts]
    dates = [chance.choice([None, "2024-05-01", "2023-01-01T10:00:00Z", "not a date"]) for _ in texts]
    return {"score": scores, "date": dates}


@LIMITS
@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("call", [lookalike.dedup, lookalike.cluster])
def test_equals_one_machine(engine: Processes, name: str, limits: Limits, call: Callable[..., lookalike.Result]) -> None:
    texts = traps()
    table = table_of(texts, **scored(texts))
    result = call(table, **SETTINGS[name])
    removes = call is lookalike.dedup
    question = Question(result.settings, removes=removes)
    found = run(engine, [Side(engine.documents(table), 0, "row")], question, limits=limits)
    check(engine, found, result)
    if limits is SMALL and removes and question.settings.linkage == "leaders":
        assert found.summary["join"]["rounds"] > 1


@LIMITS
@pytest.mark.parametrize("name", ["plain", "low", "best", "containment", "components"])
@pytest.mark.parametrize("only", [False, True])
def test_against_another_collection(engine: Processes, only: bool, name: str, limits: Limits) -> None:
    if only and name == "components":
        pytest.skip("refused on one machine, too")
    texts = traps()
    columns = scored(texts)
    table = table_of(texts[::2], **{column: values[::2] for column, values in columns.items()})
    other = table_of(texts[1::2], seed=1, **{column: values[1::2] for column, values in columns.items()})
    result = lookalike.dedup(table, against=other, against_only=only, **SETTINGS[name])
    question = Question(result.settings, has_against=True, only_against=only)
    sides = [Side(engine.documents(table), 0, "row"), Side(engine.documents(other), 1, "row")]
    check(engine, run(engine, sides, question, limits=limits), result)


def pairs_across(a: list[str | None], b: list[str | None], **settings: Any) -> set[tuple[Any, ...]]:
    """The pairs of a text of each list, by row, from all pairs of both lists together."""
    ids = [f"a:{row}" for row in range(len(a))] + [f"b:{row}" for row in range(len(b))]
    result = lookalike.cluster(pyarrow.table({"id": ids, "text": [*a, *b]}), **settings)
    found = set()
    for row in result.pairs.to_pylist():
        ends = sorted([(row["a_id"], row["size_a"]), (row["b_id"], row["size_b"])])
        if ends[0][0][0] != ends[1][0][0]:
            (x, size_x), (y, size_y) = ends
            found.add((int(x[2:]), int(y[2:]), row["shared"], size_x, size_y))
    return found


def check_pairs_across(pairs: Any, expected: set[tuple[Any, ...]]) -> None:
    """A table of pairs of two collections has these, once each."""
    found = [
        (row["a_record"] - 1, row["b_record"] - 1, row["shared"], row["size_a"], row["size_b"])
        for row in pairs.to_pylist()
    ]
    assert len(found) == len(set(found)) and set(found) == expected and expected


def test_pairs_between_two_collections(engine: Processes) -> None:
    texts = traps()
    for settings in [{"threshold": 0.6}, {"measure": "containment", "threshold": 0.8}]:
        a, b = table_of(texts[::2]), table_of(texts[1::2], seed=1)
        question = Question(lookalike.Settings(**settings), "a", "b", removes=False, cross=True)
        sides = [Side(engine.documents(a), 0, "row"), Side(engine.documents(b), 1, "row")]
        found = engine.table(pairs_between(engine, sides, question), names.pairs(question.settings.to_json()))
        check_pairs_across(found, pairs_across(texts[::2], texts[1::2], **settings))


IGNORED: dict[str, dict[str, Any]] = {
    "plain": {"threshold": 0.5},
    "best": {"threshold": 0.4, "witness": "best", "linkage": "leaders"},
    "components": {"threshold": 0.5, "linkage": "components"},
    "containment": {"threshold": 0.6, "measure": "containment"},
    "features": {"threshold": 0.5, "min_features": 12, "distinct_by": "numbers"},
}


@LIMITS
@pytest.mark.parametrize("name", IGNORED)
@pytest.mark.parametrize("call", [lookalike.dedup, lookalike.cluster])
def test_ignored_texts(
    engine: Processes, tmp_path: Path, name: str, limits: Limits, call: Callable[..., lookalike.Result]
) -> None:
    texts, given = handed_out(tmp_path)
    table = table_of(texts)
    settings = {**IGNORED[name], "ignore_text": given}
    result = call(table, **settings)
    assert result.summary["digest"] != call(table, **IGNORED[name]).summary["digest"]
    pairs = pyarrow.table(result.pairs)
    assert pairs["whole_resemblance"].to_pylist() != pairs["resemblance"].to_pylist()
    question = Question(result.settings, removes=call is lookalike.dedup)
    found = run(engine, [Side(engine.documents(table), 0, "row")], question, limits=limits)
    check(engine, found, result)


def handed_out(folder: Path) -> tuple[list[str | None], list[Path]]:
    """Texts, of which many have one of two exercises and some have nothing else, and the files of these."""
    exercises = [" ".join(f"{kind}{word}" for word in range(40)) for kind in ("p", "q")]
    given = [folder / "exercise.txt", folder / "exercises.jsonl"]
    given[0].write_text(exercises[0])
    given[1].write_text(json.dumps({"text": exercises[1]}) + "\n")
    chance = random.Random(8)
    texts: list[str | None] = [*traps(), *exercises, exercises[0], exercises[1].upper(), f"{exercises[0]} end"]
    for text in traps()[::3]:
        texts.append(f"{chance.choice(exercises)} {text}" if chance.random() < 0.7 else f"{text} {exercises[0]}")
    return texts, given


ACROSS: dict[str, dict[str, Any]] = {
    "plain": {"threshold": 0.5},
    "best": {"threshold": 0.4, "witness": "best", "linkage": "leaders"},
    "components": {"threshold": 0.5, "linkage": "components"},
    "containment": {"threshold": 0.6, "measure": "containment", "keep": "prefer(split=test)"},
    "features": {"threshold": 0.5, "min_features": 12},
    "components of few features": {"threshold": 0.5, "min_features": 60, "linkage": "components"},
    "ignored": {"threshold": 0.5, "min_features": 12, "distinct_by": "numbers"},
}


def split(texts: list[str | None]) -> Any:
    """Documents of two splits and of none, each text twice or three times."""
    chance = random.Random(11)
    texts = [*texts, *texts, *texts[::2]]
    values = [chance.choice(["train", "train", "test", None]) for _ in texts]
    return table_of(texts, split=values)


@LIMITS
@pytest.mark.parametrize("name", ACROSS)
@pytest.mark.parametrize("call", [lookalike.dedup, lookalike.cluster])
def test_across_values(
    engine: Processes, tmp_path: Path, name: str, limits: Limits, call: Callable[..., lookalike.Result]
) -> None:
    texts, given = handed_out(tmp_path) if name == "ignored" else (traps(), [])
    table = split(texts)
    settings = {**ACROSS[name], "ignore_text": given, "across": "split"}
    result = call(table, **settings)
    removes = call is lookalike.dedup
    assert len(pyarrow.table(result.pairs)) > 50
    question = Question(result.settings, removes=removes)
    found = run(engine, [Side(engine.documents(table), 0, "row")], question, limits=limits)
    check(engine, found, result)
    if limits is SMALL and removes and question.settings.linkage == "leaders":
        assert found.summary["join"]["rounds"] > 1


@LIMITS
@pytest.mark.parametrize("values", [1, 12, 13, 40])
@pytest.mark.parametrize("call", [lookalike.dedup, lookalike.cluster])
def test_across_many_values(engine: Processes, values: int, limits: Limits, call: Callable[..., lookalike.Result]) -> None:
    chance = random.Random(values)
    texts = [*traps(), *traps()]
    own = [[f"v{chance.randrange(values)}", f"v{values // 2}"] for _ in texts]
    table = table_of(texts, split=[chance.choice(found) if values > 13 else found[0] for found in own])
    result = call(table, threshold=0.5, across="split")
    assert len(result.summary["across"]["values"]) == min(values, 13)
    question = Question(result.settings, removes=call is lookalike.dedup)
    check(engine, run(engine, [Side(engine.documents(table), 0, "row")], question, limits=limits), result)


@pytest.mark.parametrize("setting", ["across", "separate_by", "distinct_by"])
def test_a_field_that_no_document_has_is_refused(engine: Processes, setting: str) -> None:
    table = table_of(traps(), split=pyarrow.nulls(len(traps()), pyarrow.utf8()))
    settings: Any = {setting: "split"}
    messages = []
    for call in (
        lambda: lookalike.dedup(table, **settings),
        lambda: run(engine, [Side(engine.documents(table), 0, "row")], Question(lookalike.Settings(**settings))),
    ):
        with pytest.raises(lookalike.SettingsError) as refused:
            call()
        messages.append(str(refused.value))
    assert messages[0] == messages[1]
    assert "no document has the field `split`" in messages[0]


def test_across_what_there_is_not_is_refused() -> None:
    settings = lookalike.Settings(across="inputs")
    with pytest.raises(lookalike.SettingsError, match="are of one source; name a field"):
        Question(settings).context().task("number").columns
    settings = lookalike.Settings(across="split")
    with pytest.raises(lookalike.SettingsError, match="against= with another collection; leave one"):
        Question(settings, has_against=True).context().task("number").columns


def random_order(seed: int, table: Any) -> Callable[[bytes], bytes]:
    """An element order that has nothing to do with how many sets elements are in."""

    def other(_: bytes) -> bytes:
        chance = random.Random(seed)
        elements = sorted({element for row in lookalike.Signer().features(table) if row for element in row})
        context = Context.of(lookalike.Settings(), name="table")
        column = {name: pyarrow.array([], pyarrow.int64()) for name in ("part", "kind", "number", "other")}
        rows = [array("Q", chance.sample(elements, len(elements) // 3)).tobytes() for _ in range(40)]
        number = len(rows)
        sets = pyarrow.record_batch({
            **{name: pyarrow.array([0] * number, pyarrow.int64()) for name in column},
            "kind": pyarrow.array([2] * number, pyarrow.int64()),
            "rank": pyarrow.array(range(number), pyarrow.int64()),
            "blob": pyarrow.array(rows, pyarrow.binary()),
            "list": pyarrow.array([b""] * number, pyarrow.binary()),
        })
        sketches = context.task("sketch", elements=len(elements), seed=0)(iter([sets]), 0)
        [order] = context.task("merge_sketches", order=True)(sketches, 0)
        return order["blob"][0].as_py()

    return other


@pytest.mark.parametrize("seed", range(4))
def test_the_answer_depends_on_neither_the_order_of_elements_nor_the_selection(engine: Processes, seed: int) -> None:
    chance = random.Random(seed)
    texts = [text for text in traps() if chance.random() < 0.6]
    table = table_of(texts)
    settings = {"threshold": chance.choice([0.4, 0.5, 0.7]), "witness": chance.choice(["first", "best"])}
    limits = Limits(
        list=1,
        head=chance.randrange(1, 4),
        head_growth=chance.randrange(1, 3),
        rounds=chance.randrange(1, 5),
        flips=chance.randrange(1, 3),
        block=chance.randrange(1, 8),
        block_growth=chance.randrange(1, 4),
        one_task=chance.choice([0, 10**6]),
        few=chance.choice([0, 10**6]),
        few_pairs=chance.choice([0, 10**6]),
    )
    result = lookalike.dedup(table, **settings)
    found = run(
        engine,
        [Side(engine.documents(table), 0, "row")],
        Question(result.settings),
        limits=limits,
        order=random_order(seed, table),
    )
    check(engine, found, result)


def test_documents_without_numbers_are_ordered_by_id(engine: Processes) -> None:
    table = table_of(traps())
    result = lookalike.dedup(table.sort_by("id"), threshold=0.6)
    found = run(engine, [Side(engine.documents(table), 0)], Question(result.settings))
    check(engine, found, result)


def test_processes_do_the_same(tmp_path: Path) -> None:
    table = table_of(traps())
    result = lookalike.dedup(table, threshold=0.6)
    with Processes(tmp_path / "work", processes=2, tasks=5) as engine:
        check(engine, run(engine, [Side(engine.documents(table), 0, "row")], Question(result.settings)), result)


def test_rows_that_an_engine_loses_are_noticed(tmp_path: Path) -> None:
    class Losing(Processes):
        """Loses the first file of postings."""

        def exchange(self, rows: Any, key: str, order: Any, task: Any, tasks: Any = None) -> Any:
            if task.step == "pairs":
                rows = [self.where(part, "kind", [5]) for part in rows][:1]
                rows = [type(rows[0])(rows[0].files[1:], rows[0].changes)]
                rows += [self.where(part, "kind", [99]) for part in [self.all]]
            return super().exchange(rows, key, order, task, tasks)

        def map(self, rows: Any, task: Any) -> Any:
            made = super().map(rows, task)
            if task.step == "postings":
                self.all = made
            return made

    table = table_of(traps())
    with Losing(tmp_path / "work", processes=0, tasks=3) as engine:
        with pytest.raises(LostRows, match="lost or repeated postings"):
            run(engine, [Side(engine.documents(table), 0, "row")], Question(lookalike.Settings()))


@pytest.mark.parametrize("limits", [Limits(), MANY], ids=["few", "many"])
def test_sets_that_an_engine_loses_are_noticed(tmp_path: Path, limits: Limits) -> None:
    class Losing(Processes):
        """Loses a file of sets."""

        def map(self, rows: Any, task: Any) -> Any:
            if task.step == "postings":
                rows = type(rows)(rows.files[1:], rows.changes)
            return super().map(rows, task)

    table = table_of(traps())
    with Losing(tmp_path / "work", processes=0, tasks=3) as engine:
        with pytest.raises(LostRows, match="lost or repeated sets"):
            run(engine, [Side(engine.documents(table), 0, "row")], Question(lookalike.Settings()), limits=limits)


def test_what_is_for_one_machine_is_refused() -> None:
    for settings in [
        lookalike.Settings(method="imatch"),
        lookalike.Settings(ignore_common=3),
        lookalike.Settings(boilerplate=3),
        lookalike.Settings(keep_n=2),
    ]:
        with pytest.raises(lookalike.SettingsError, match="one machine"):
            Context.of(settings, name="table").task("number").columns
