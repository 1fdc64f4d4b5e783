"""Matches by pair of values, where documents match only across values."""

from __future__ import annotations

import json
from typing import Any

from lookalike._lookalike import across_summary, value_keys
from lookalike.distributed.engine import Engine, Rows
from lookalike.distributed.sets import Sets
from lookalike.distributed.task import Context


def by_pair(engine: Engine[Rows], context: Context, sets: Sets[Rows], edges: Rows, *, complete: bool) -> dict[str, Any]:
    """The numbers by pair of values, as in ``summary.json`` of a run on one machine.

    Parameters
    ----------
    edges
        All matches with `complete`, else which sets are removed, and their witnesses.
    """
    documents = engine.select(sets.documents.rows, ["row", "value", "value_name"])
    counted = engine.map(documents, context.task("value_counts"))
    largest = engine.exchange([counted], "value", ["value"], context.task("largest_values"))
    values = engine.collect(engine.store("values", largest))
    order = ["key", "kind"]
    of_sets = engine.map(edges, context.task("value_edges"))
    ends = engine.exchange([of_sets, sets.members], "key", order, context.task("value_ends"))
    task = context.task("value_pairs", named=value_keys(values))
    pairs = engine.store("value-pairs", engine.exchange([ends, sets.members], "key", order, task))
    found: dict[str, Any] = json.loads(across_summary(context.settings, complete, values, engine.collect(pairs)))
    return found
