"""Documents to distinct sets, and to the order in which their elements are looked up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

from lookalike.distributed import columns
from lookalike.distributed.counts import counts_of
from lookalike.distributed.engine import Engine, Rows
from lookalike.distributed.task import Context


@dataclass(frozen=True)
class Side(Generic[Rows]):
    """A collection of documents."""

    rows: Rows
    #: 0 for the documents of the call, 1 for another collection.
    side: int
    #: Column with the number of each row, from 0.
    row: str | None = None


@dataclass(frozen=True)
class Sets(Generic[Rows]):
    """The documents of a run, and their distinct sets."""

    documents: Rows
    #: Documents with their sets, by precedence.
    members: Rows
    #: Each distinct set that is compared, once.
    sets: Rows
    #: Number of sets, of their elements and of their prefix keys.
    counts: dict[str, int]


def signed(engine: Engine[Rows], context: Context, sides: Sequence[Side[Rows]]) -> Rows:
    """The documents, signed."""
    parts = [engine.map(side.rows, context.task("sign", side=side.side, row=side.row)) for side in sides]
    return engine.store("signed", parts[0] if len(parts) == 1 else engine.union(parts))


def distinct_sets(engine: Engine[Rows], context: Context, signed: Rows, *, numbered: bool) -> Sets[Rows]:
    """Numbers documents, ranks them by precedence, and brings equal sets together.

    Parameters
    ----------
    numbered
        Whether the caller numbers rows; else they are numbered in the order of their ids.
    """
    thin = engine.map(signed, context.task("without_sets"))
    if not numbered:
        # Documents with the same id and text can stand for each other.
        order = ["side", "id", "text_high", "text_low", "tokens_high", "tokens_low", "problem"]
        thin = engine.ranked("numbered", thin, order)
    named = engine.map(thin, context.task("number"))
    documents = engine.ranked("documents", named, ["precedence", "tie", "side", "row"])
    with_sets = engine.present(documents, "unit_high")
    order = ["unit_high", "unit_low", "place"]
    units = engine.store("units", engine.exchange([with_sets], "unit_high", order, context.task("units")))
    wanted = engine.map(engine.where(units, "kind", [columns.UNIT]), context.task("unit_messages"))
    given = engine.map(signed, context.task("set_messages"))
    taken = engine.exchange([wanted, given], "part", ["part", "kind"], context.task("take_sets"))
    sets = engine.store("sets", taken)
    counted = engine.collect(engine.where(sets, "kind", [columns.COUNTS]))
    counts = counts_of(counted["blob"].to_pylist())
    return Sets(documents, engine.where(units, "kind", [columns.DOCUMENT]), sets, counts)


def element_order(engine: Engine[Rows], context: Context, sets: Sets[Rows], seed: int) -> bytes:
    """The order of elements, by how many sets of a sample have them. The answer does not depend on it."""
    elements = sets.counts.get("elements", 0)
    sketches = engine.map(sets.sets, context.task("sketch", elements=elements, seed=seed))
    merged = engine.exchange([sketches], "part", ["part"], context.task("merge_sketches", order=False))
    merged = engine.exchange([merged], "part", ["part"], context.task("merge_sketches", order=True), 1)
    stored = engine.store("order", merged)
    blobs: list[bytes] = engine.collect(stored)["blob"].to_pylist()
    return blobs[0]
