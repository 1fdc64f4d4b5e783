"""Documents to distinct sets, and to the order in which their elements are looked up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

from lookalike._lookalike import check_given, given_fields
from lookalike.distributed import columns
from lookalike.distributed.counts import counts_of
from lookalike.distributed.engine import Engine, Rows
from lookalike.distributed.task import Context, Task


@dataclass(frozen=True)
class Side(Generic[Rows]):
    """A collection of documents."""

    rows: Rows
    #: 0 for the documents of the call, 1 for another collection.
    side: int
    #: Column with the number of each row, from 0.
    row: str | None = None


@dataclass(frozen=True)
class Documents(Generic[Rows]):
    """The documents of a run, with their names, without their sets."""

    rows: Rows
    #: By side: documents, those that cannot be used, those with features, tokens, bytes of texts.
    totals: dict[int, tuple[int, ...]]

    def number(self, at: int = 0) -> int:
        """A total of all sides."""
        return sum(totals[at] for totals in self.totals.values())

    @property
    def own(self) -> tuple[int, ...]:
        """The totals of the documents of the call."""
        return self.totals.get(0, (0, 0, 0, 0, 0))


@dataclass(frozen=True)
class Sets(Generic[Rows]):
    """The documents of a run, and their distinct sets."""

    documents: Documents[Rows]
    #: Documents with their sets, by precedence.
    members: Rows
    #: Number of sets, of their elements and of their prefix keys.
    counts: dict[str, int]
    #: Rows of which `take` makes each distinct set that is compared, once; the sets themselves without it.
    source: Rows
    take: Task | None

    def map(self, engine: Engine[Rows], task: Task) -> Rows:
        """The distinct sets, through a task."""
        return engine.map(self.source, task.after(self.take))


def signed(engine: Engine[Rows], context: Context, sides: Sequence[Side[Rows]], ignored: bytes) -> Rows:
    """The documents, signed; `ignored` has the shingles of the texts that are ignored.

    Raises
    ------
    SettingsError
        No document has a field that settings name.
    """
    parts = [engine.map(side.rows, context.task("sign", ignored, side=side.side, row=side.row)) for side in sides]
    stored = engine.store("signed", parts[0] if len(parts) == 1 else engine.union(parts))
    check_fields(engine, context, stored)
    return stored


def check_fields(engine: Engine[Rows], context: Context, read: Rows) -> None:
    """Refuses a field that settings name and that no document has.

    Raises
    ------
    SettingsError
        The first such field.
    """
    if given_fields(context.settings):
        given = engine.totals(engine.absent(engine.select(read, ["given", "problem"]), "problem"), "given", [], [])
        if given:
            check_given(context.settings, list(given))


def in_order(engine: Engine[Rows], context: Context, named: Rows, *, numbered: bool, is_few: bool) -> Rows:
    """Documents with their rows: those that the caller gave them, or in the order of their ids."""
    if numbered:
        return named
    # Documents with the same id and text can stand for each other.
    order = ["side", "id", "text_high", "text_low", "tokens_high", "tokens_low", "problem"]
    ranked = engine.ranked("numbered", named, order, few=is_few)
    # Read by several steps, and the order of equal rows is that of one computation; of many rows it is stored already.
    return engine.map(engine.store("numbered", ranked) if is_few else ranked, context.task("number"))


def distinct_sets(
    engine: Engine[Rows], context: Context, signed: Rows, *, numbered: bool, few: int
) -> Sets[Rows]:
    """Numbers documents, ranks them by precedence, and brings equal sets together.

    Parameters
    ----------
    numbered
        Whether the caller numbers rows; else they are numbered in the order of their ids.
    few
        Documents up to which one task sorts them, and up to which all tasks are told which documents have the distinct
        sets. Sets of more documents are brought to that knowledge.
    """
    number = context.task("number")
    named = engine.select(signed, [name for name, _ in number.columns])
    totals = engine.totals(named, "side", ["problem", "unit_high"], ["tokens", "text_bytes"])
    is_few = sum(total[0] for total in totals.values()) <= few
    named = in_order(engine, context, named, numbered=numbered, is_few=is_few)
    ranks = ["precedence", "tie", "side", "row"]
    with_sets = engine.ranked("documents", engine.present(named, "unit_high"), ranks, few=is_few)
    order = ["unit_high", "unit_low", "place"]
    units = engine.store("units", engine.exchange([with_sets], "unit_high", order, context.task("units")))
    firsts = engine.where(units, "kind", [columns.UNIT])
    own = engine.select(engine.where(signed, "compared", [1]), ["doc", "set"])
    if is_few:
        found = engine.collect(engine.map(firsts, context.task("directory")))
        [directory] = context.task("gather_pairs").blobs(found)
        sets, take = own, context.task("distinct_sets", directory)
    else:
        wanted = engine.map(firsts, context.task("unit_messages"))
        given = engine.map(own, context.task("set_messages"))
        taken = engine.exchange([wanted, given], "part", ["part", "kind"], context.task("take_sets"))
        sets, take = engine.store("sets", taken), None
        found = engine.collect(engine.where(sets, "kind", [columns.COUNTS]))
    counts = counts_of(columns.blobs(found, columns.COUNTS))
    members = engine.where(units, "kind", [columns.DOCUMENT])
    return Sets(Documents(named, totals), members, counts, sets, take)


def element_order(engine: Engine[Rows], context: Context, sets: Sets[Rows], seed: int) -> bytes:
    """The order of elements, by how many sets of a sample have them. The answer does not depend on it."""
    elements = sets.counts.get("elements", 0)
    sketches = sets.map(engine, context.task("sketch", elements=elements, seed=seed))
    merge = context.task("merge_sketches", order=True)
    if sets.take is not None:
        return bytes(engine.collect(engine.exchange([sketches], "part", ["part"], merge, 1))["blob"][0].as_py())
    merged = engine.exchange([sketches], "part", ["part"], context.task("merge_sketches", order=False))
    stored = engine.store("order", engine.exchange([merged], "part", ["part"], merge, 1))
    return bytes(engine.collect(stored)["blob"][0].as_py())
