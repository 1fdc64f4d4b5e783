"""Repeated passages: documents to the rows of the tables of passages, on any engine."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic

from lookalike._lookalike import near_digest, passage_digest, passage_settings
from lookalike._settings import Settings
from lookalike.distributed import columns
from lookalike.distributed.counts import counts_of
from lookalike.distributed.engine import Engine, Rows
from lookalike.distributed.graph import components
from lookalike.distributed.limits import Limits
from lookalike.distributed.sets import Side, check_fields, in_order
from lookalike.distributed.task import Context, Task

#: Kinds of messages, as the core defines them.
_OPEN, _ASKED, _FIXED, _PIECES, _LOCATED, _GONE, _EDITED = 2, 4, 5, 6, 10, 11, 12

#: Tables of passages, and what a task counted.
PASSAGES, CUTS, EDITS, LEFT, NEAR, COUNTED = 0, 1, 2, 3, 4, 99

#: Buckets are numbered in two bytes.
_MOST_PARTS = 1 << 16


@dataclass(frozen=True)
class PassageQuestion:
    """What a search for passages is asked."""

    settings: Settings
    #: The settings of passages, as JSON.
    passages: str
    name: str = "table"

    @cached_property
    def resolved(self) -> dict[str, Any]:
        """The settings of passages, with the length that they have."""
        found: dict[str, Any] = json.loads(self._read[0])
        return found

    @property
    def shortest(self) -> int:
        """Units of the shortest window that is looked for."""
        return self._read[1]

    @property
    def near(self) -> bool:
        """Whether near passages are listed."""
        return self.resolved.get("gaps") is not None

    @cached_property
    def _read(self) -> tuple[str, int]:
        return passage_settings(self.passages)

    def context(self) -> Context:
        """What all tasks have in common."""
        return Context.of(self.settings, name=self.name, passages=self.resolved)


@dataclass(frozen=True)
class FoundPassages(Generic[Rows]):
    """The rows of the tables of passages; which table they are of says their column ``table``."""

    passages: Rows
    cuts: Rows
    edits: Rows
    #: None where they are not asked for.
    near: Rows | None
    #: What is left of each text that is cut; nothing of documents that are removed.
    left: Rows
    problems: Rows
    summary: dict[str, Any]


@dataclass(frozen=True)
class _Texts(Generic[Rows]):
    """The texts of documents that have windows, by part."""

    engine: Engine[Rows]
    context: Context
    #: Rows of which `take` makes the texts; the texts themselves without it.
    source: Rows
    take: Task | None
    #: Records up to which all tasks are told what is asked of texts.
    few: int

    def map(self, task: Task) -> Rows:
        """The texts, through a task."""
        return self.engine.map(self.source, task.after(self.take))

    def asked(self, messages: Sequence[Rows], records: int, step: str, **parameters: Any) -> Rows:
        """The texts with what is asked of them, through a step."""
        if records <= self.few:
            told = _told(self.engine, self.context, messages)
            return self.map(self.context.task(step, told, told=True, **parameters))
        texts = self.source if self.take is None else self.engine.map(self.source, self.take)
        task = self.context.task(step, told=False, **parameters)
        return self.engine.exchange([*messages, texts], "part", ["part", "kind"], task)


def find_passages(
    engine: Engine[Rows], side: Side[Rows], question: PassageQuestion, *, limits: Limits = Limits()
) -> FoundPassages[Rows]:
    """Finds the passages of documents, and cuts them.

    Raises
    ------
    SettingsError
        Settings that make no sense, or that are for one machine; more passages of documents that have some in common than one
        task decides about.
    LostRows
        The engine lost rows.
    """
    context = question.context()
    read = engine.store("read", engine.map(side.rows, context.task("read_texts", row=side.row)))
    check_fields(engine, context, read)
    number = context.task("number")
    named = engine.select(read, [name for name, _ in number.columns])
    totals = engine.totals(named, "side", ["problem", "unit_high"], ["tokens", "text_bytes"])
    every, bad, _, units, text_bytes = totals.get(0, (0, 0, 0, 0, 0))
    is_few = every <= limits.few
    parts = _parts(engine, question, units, limits)
    named = in_order(engine, context, named, numbered=side.row is not None, is_few=is_few)
    texts = _texts(engine, context, read, named, parts, limits, is_few=is_few)
    runs = _runs(engine, context, texts, parts)
    cuts = _cuts(engine, context, question, runs, parts, limits)
    near = _near(engine, context, texts, parts) if question.near else None
    listed = [runs, *(rows for rows in (cuts, near) if rows is not None)]
    asked = [engine.map(rows, context.task("ask_places", parts=parts)) for rows in listed]
    records = sum(engine.total(rows, "number") for rows in asked)
    placed = engine.store("placed", texts.asked(asked, records, "place", parts=parts))
    counted = counts_of(columns.blobs(engine.collect(engine.where(placed, "kind", [columns.COUNTS])), columns.COUNTS))
    places = engine.where(placed, "kind", [_LOCATED, _GONE])
    rows = engine.store("rows", engine.exchange([*listed, places], "part", ["part", "kind"], context.task("passage_rows")))
    edits = engine.store("edits", engine.map(engine.where(placed, "kind", [_EDITED]), context.task("edit_rows")))
    sums = [table + columns.SUMS for table in (PASSAGES, CUTS, EDITS, NEAR)]
    both = [engine.where(rows, "table", [COUNTED, *sums]), engine.where(edits, "table", sums)]
    said = engine.collect(engine.union(both))
    tables, texts_of = said["table"].to_pylist(), said["text"].to_pylist()
    counted |= counts_of(text for table, text in zip(tables, texts_of, strict=True) if table == COUNTED)
    numbers: dict[int, int] = {}
    for table, count in zip(tables, said["record"].to_pylist(), strict=True):
        numbers[table] = numbers.get(table, 0) + (count or 0)
    near_documents = counted.pop("near_documents", 0)
    documents = every - bad
    summary = {
        "command": "passages",
        "documents": documents,
        **counted,
        "cuts": numbers.get(CUTS + columns.SUMS, 0),
        "kept": documents - counted["removed"],
        "problems": bad,
        "units": units,
        "text_bytes": text_bytes,
        "digest": passage_digest(said, question.passages),
        "settings": {**json.loads(question.settings.to_json()), **question.resolved},
    }
    if near is not None:
        summary["near"] = {
            "passages": numbers.get(NEAR + columns.SUMS, 0),
            "documents": near_documents,
            "digest": near_digest(said),
        }
    return FoundPassages(
        passages=engine.where(rows, "table", [PASSAGES]),
        cuts=engine.where(rows, "table", [CUTS]),
        edits=engine.where(edits, "table", [EDITS]),
        near=engine.where(rows, "table", [NEAR]) if question.near else None,
        left=engine.where(edits, "table", [LEFT]),
        problems=engine.present(named, "problem"),
        summary=summary,
    )


def _parts(engine: Engine[Rows], question: PassageQuestion, units: int, limits: Limits) -> int:
    """Parts of the documents, and buckets of anchors: as many as anchors need, of which there are two for the k-grams that a
    window has and one more."""
    length = question.shortest
    anchors = 2 * units // (length - -(-2 * length // 5) + 2)
    return min(max(engine.tasks, -(-anchors // limits.bucket)), _MOST_PARTS)


def _told(engine: Engine[Rows], context: Context, messages: Sequence[Rows]) -> bytes:
    """What messages say, for all tasks."""
    together = messages[0] if len(messages) == 1 else engine.union(messages)
    [told] = context.task("gather_told").blobs(engine.collect(together))
    return told


def _texts(
    engine: Engine[Rows], context: Context, read: Rows, named: Rows, parts: int, limits: Limits, *, is_few: bool
) -> _Texts[Rows]:
    """The texts of the documents that have windows, numbered by precedence.

    All tasks are told the numbers of few documents; otherwise texts are brought to them once.
    """
    order = ["precedence", "tie", "side", "row"]
    ranked = engine.ranked("documents", engine.present(named, "unit_high"), order, few=is_few)
    numbers = engine.map(ranked, context.task("document_numbers"))
    by_reading = context.task("text_messages")
    if is_few:
        told = _told(engine, context, [numbers])
        take = context.task("number_texts", told, parts=parts, told=True).after(by_reading)
        return _Texts(engine, context, read, take, limits.few_pairs)
    task = context.task("number_texts", parts=parts, told=False)
    texts = engine.exchange([numbers, engine.map(read, by_reading)], "part", ["part", "kind"], task)
    return _Texts(engine, context, engine.store("texts", texts), None, limits.few_pairs)


def _runs(engine: Engine[Rows], context: Context, texts: _Texts[Rows], parts: int) -> Rows:
    """The runs of repeated windows, by part of the documents."""
    pieces = _pieces(engine, context, texts, parts, near=False)
    return engine.store("runs", engine.exchange(pieces, "part", ["part"], context.task("runs")))


def _near(engine: Engine[Rows], context: Context, texts: _Texts[Rows], parts: int) -> Rows:
    """The near passages, by part of the later documents."""
    pieces = _pieces(engine, context, texts, parts, near=True)
    seeds = engine.exchange(pieces, "part", ["part"], context.task("near_seeds", parts=parts))
    return engine.store("near", engine.exchange([seeds], "part", ["part"], context.task("near_passages")))


def _pieces(engine: Engine[Rows], context: Context, texts: _Texts[Rows], parts: int, *, near: bool) -> list[Rows]:
    """The pieces of repeated windows, by part of the documents; of the seeds of near passages, by that of first places."""
    anchors = texts.map(context.task("find_anchors", parts=parts, near=near))
    group = context.task("group", parts=parts, near=near)
    grouped = engine.store("near_grouped" if near else "grouped", engine.exchange([anchors], "part", ["part"], group))
    counted = engine.collect(engine.where(grouped, "kind", [columns.COUNTS]))
    counts_of(columns.blobs(counted, columns.COUNTS), of="anchors", lacks="passages")
    pieces = [engine.where(grouped, "kind", [_PIECES, _FIXED])]
    asked = engine.where(grouped, "kind", [_ASKED])
    questions = engine.total(asked, "number")
    if questions:
        answers = texts.asked([asked], questions, "answer", near=near)
        opened = engine.where(grouped, "kind", [_OPEN])
        resolve = context.task("resolve", parts=parts, near=near)
        pieces.append(engine.exchange([opened, answers], "part", ["part", "kind"], resolve))
    return pieces


def _cuts(
    engine: Engine[Rows], context: Context, question: PassageQuestion, runs: Rows, parts: int, limits: Limits
) -> Rows | None:
    """Which windows are cut; None if none are.

    With ``cut="kept"``, documents are decided one after the other: all in one task, or those that have passages in common.
    """
    cut = question.resolved["cut"]
    if cut == "none":
        return None
    task = context.task("cuts", parts=parts, most=None)
    if cut != "kept":
        return engine.store("cuts", engine.map(runs, task))
    if engine.total(runs, "number") <= limits.one_task:
        return engine.store("cuts", engine.exchange([runs], "part", ["part"], task, 1))
    edges = engine.map(runs, context.task("run_links"))
    links = components(engine, context, "linked", edges, limits.one_task)
    of_documents = [engine.map(links, context.task("link_messages")), engine.map(runs, context.task("document_runs"))]
    labelled = engine.exchange(of_documents, "part", ["part", "kind"], context.task("by_component"))
    task = context.task("cuts", parts=parts, most=limits.runs)
    return engine.store("cuts", engine.exchange([labelled], "part", ["part"], task))
