"""Decisions about sets to the rows of the result tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic

from lookalike._lookalike import step_digest
from lookalike.distributed import columns
from lookalike.distributed.engine import Engine, Rows
from lookalike.distributed.sets import Sets
from lookalike.distributed.task import Context


@dataclass(frozen=True)
class Found(Generic[Rows]):
    """The rows of all tables; which table they are of says their column ``table``."""

    ledger: Rows
    pairs: Rows
    clusters: Rows
    kept: Rows
    problems: Rows
    #: Number of rows by table, and of removed documents by rule.
    rows: dict[int, int]
    rules: dict[str, int]
    digest: str


def tables(
    engine: Engine[Rows],
    context: Context,
    sets: Sets[Rows],
    decisions: Rows,
    edges: Rows | None,
    *,
    removes: bool,
) -> Found[Rows]:
    """The result tables.

    Parameters
    ----------
    decisions
        Which sets are removed, and their witnesses.
    edges
        All matches, if all pairs are listed.
    removes
        Whether there is a ledger.
    """
    by_key = ["key", "kind", "rank"]
    decided = engine.map(decisions, context.task("member_edges"))
    assigned = engine.exchange([decided, sets.members], "key", by_key, context.task("assign"))
    assigned = engine.store("assigned", assigned)
    results = engine.exchange([assigned], "key", by_key, context.task("results", list=not removes))
    found = engine.store("found", results)
    pairs = [engine.where(found, "table", [columns.PAIR]), _equal_pairs(engine, context, sets)]
    if edges is not None:
        pairs.append(_match_pairs(engine, context, sets, edges))
    members = engine.where(found, "table", [columns.LEADER, columns.MEMBER])
    clusters = _clusters(engine, context, found)
    alone = engine.store("alone", engine.map(sets.documents, context.task("kept_alone")))
    ledger = engine.where(found, "table", [columns.LEDGER])
    kept = engine.union([engine.where(found, "table", [columns.KEPT_DOCUMENT]), alone])
    all_pairs = engine.union(pairs)
    sums = _sums(engine, context, [ledger, all_pairs, members, clusters, kept])
    rows: dict[int, int] = {}
    rules: dict[str, int] = {}
    for row in sums.to_pylist():
        rows[row["table"]] = rows.get(row["table"], 0) + row["place"]
        if row["rule"] is not None:
            rules[row["rule"]] = rules.get(row["rule"], 0) + row["place"]
    digest = step_digest(sums, not removes)
    problems = engine.present(sets.documents, "problem")
    return Found(ledger, all_pairs, clusters, kept, problems, rows, rules, digest)


def listed_pairs(engine: Engine[Rows], context: Context, sets: Sets[Rows], edges: Rows) -> Rows:
    """All pairs of documents, from all matches of sets."""
    return engine.union([_equal_pairs(engine, context, sets), _match_pairs(engine, context, sets, edges)])


def _equal_pairs(engine: Engine[Rows], context: Context, sets: Sets[Rows]) -> Rows:
    """Pairs of documents with equal sets."""
    order = ["key", "kind", "rank"]
    return engine.store("equal", engine.exchange([sets.members], "key", order, context.task("equal_pairs")))


def _match_pairs(engine: Engine[Rows], context: Context, sets: Sets[Rows], edges: Rows) -> Rows:
    """Pairs of documents whose sets match."""
    order = ["key", "kind", "rank"]
    of_sets = engine.map(edges, context.task("member_edges"))
    ends = engine.exchange([of_sets, sets.members], "key", order, context.task("pair_ends"))
    ends = engine.exchange([ends, sets.members], "key", order, context.task("match_pairs"))
    return engine.store("matched", ends)


def _clusters(engine: Engine[Rows], context: Context, found: Rows) -> Rows:
    """The table of clusters: numbered in the order of the names of their leaders."""
    leaders = engine.where(found, "table", [columns.LEADER])
    numbered = engine.ranked("leaders", leaders, ["a_id", "side", "a_record"])
    members = engine.where(found, "table", [columns.MEMBER])
    order = ["leader", "table"]
    return engine.store(
        "clusters", engine.exchange([numbered, members], "leader", order, context.task("cluster_rows"))
    )


def _sums(engine: Engine[Rows], context: Context, tables: Sequence[Rows]) -> Any:
    """Sums of hashes, as a table of pyarrow."""
    return engine.collect(engine.map(engine.union(tables), context.task("sum_hashes")))
