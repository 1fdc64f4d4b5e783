"""Decisions about sets to the rows of the result tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

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
    few: int,
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
    few
        Documents up to which one task sorts clusters.
    """
    decided = engine.map(decisions, context.task("member_edges"))
    assigned = engine.exchange([decided, sets.members], "key", ["key", "kind", "rank"], context.task("assign"))
    results = context.task("results", list=not removes)
    found = engine.store("found", engine.exchange([assigned], "key", ["key", "kind", "other", "rank"], results))
    clusters = _clusters(engine, context, found, few=sets.documents.number() <= few)
    stored = [found, clusters]
    if edges is not None:
        stored.append(_match_pairs(engine, context, sets, edges))
    summed = [table + columns.SUMS for table in columns.TABLES]
    sums = engine.collect(engine.union([engine.where(table, "table", summed) for table in stored]))
    rows: dict[int, int] = {}
    rules: dict[str, int] = {}
    for row in sums.select(["table", "place", "rule"]).to_pylist():
        table = row["table"] - columns.SUMS
        rows[table] = rows.get(table, 0) + row["place"]
        if row["rule"] is not None:
            rules[row["rule"]] = rules.get(row["rule"], 0) + row["place"]
    digest = step_digest(sums, not removes)
    documents = sets.documents.rows
    without_sets = engine.absent(engine.absent(documents, "unit_high"), "problem")
    kept = [engine.where(found, "table", [columns.KEPT_DOCUMENT]), engine.map(without_sets, context.task("kept_alone"))]
    return Found(
        ledger=engine.where(found, "table", [columns.LEDGER]),
        pairs=engine.union([engine.where(table, "table", [columns.PAIR]) for table in stored if table is not clusters]),
        clusters=engine.where(clusters, "table", [columns.CLUSTER]),
        kept=engine.union(kept),
        problems=engine.present(documents, "problem"),
        rows=rows,
        rules=rules,
        digest=digest,
    )


def listed_pairs(engine: Engine[Rows], context: Context, sets: Sets[Rows], edges: Rows) -> Rows:
    """All pairs of documents, from all matches of sets."""
    pairs = [_equal_pairs(engine, context, sets), _match_pairs(engine, context, sets, edges)]
    return engine.union([engine.where(found, "table", [columns.PAIR]) for found in pairs])


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


def _clusters(engine: Engine[Rows], context: Context, found: Rows, *, few: bool) -> Rows:
    """The table of clusters: numbered in the order of the names of their leaders."""
    leaders = engine.where(found, "table", [columns.LEADER])
    numbered = engine.ranked("leaders", leaders, ["a_id", "side", "a_record"], few=few)
    members = engine.where(found, "table", [columns.MEMBER])
    order = ["leader", "table"]
    return engine.store(
        "clusters", engine.exchange([numbered, members], "leader", order, context.task("cluster_rows"))
    )
