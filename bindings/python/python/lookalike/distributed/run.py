"""A run: documents to result tables, on any engine."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic

from lookalike._lookalike import ignored_shingles
from lookalike._settings import Settings
from lookalike.distributed import columns, graph
from lookalike.distributed.engine import Engine, Rows
from lookalike.distributed.limits import Limits
from lookalike.distributed.matches import ANY_LENGTH, Join
from lookalike.distributed.results import Found, listed_pairs, tables
from lookalike.distributed.rounds import Rounds
from lookalike.distributed.sets import Documents, Side, distinct_sets, element_order, signed
from lookalike.distributed.task import Context
from lookalike.distributed.values import by_pair


@dataclass(frozen=True)
class Question:
    """What a run is asked."""

    settings: Settings
    name: str = "table"
    against_name: str = "against"
    #: Whether documents are removed; else all pairs are listed.
    removes: bool = True
    #: Whether there is another collection, of which nothing is removed.
    has_against: bool = False
    only_against: bool = False
    #: Whether pairs are of one document of each collection.
    cross: bool = False

    def __post_init__(self) -> None:
        if self.settings.linkage is None:
            # As on one machine: listed clusters are connected components.
            usual = self.settings.replace(linkage="leaders" if self.removes else "components")
            object.__setattr__(self, "settings", usual)

    @cached_property
    def ignored(self) -> bytes:
        """The shingles of the texts that are ignored, which are read here."""
        return ignored_shingles(self.settings.to_json())

    @property
    def lists_pairs(self) -> bool:
        """Whether all pairs are formed."""
        return not self.removes or self.settings.linkage == "components"

    @property
    def protects(self) -> bool:
        """Whether sets of the other collection are kept without a comparison."""
        return self.has_against and not self.lists_pairs

    def context(self) -> Context:
        """What all tasks have in common."""
        return Context.of(
            self.settings,
            name=self.name,
            against_name=self.against_name,
            has_against=self.has_against,
            only_against=self.only_against,
            complete=self.lists_pairs,
            cross=self.cross,
            protects=self.protects,
        )


@dataclass(frozen=True)
class Outcome(Generic[Rows]):
    """The result tables and the summary of a run."""

    found: Found[Rows]
    summary: dict[str, Any]


def run(
    engine: Engine[Rows],
    sides: Sequence[Side[Rows]],
    question: Question,
    *,
    limits: Limits = Limits(),
    seed: int = 0,
    order: Callable[[bytes], bytes] | None = None,
) -> Outcome[Rows]:
    """Finds the near-duplicates of documents.

    Parameters
    ----------
    engine
        What moves the rows.
    sides
        The documents of the call, and those of another collection, if there is one.
    limits, seed, order
        What the run costs. The answer depends neither on them, nor on another element order, which `order` makes of
        that of the run.
    """
    context = question.context()
    join = _join(engine, question, sides, limits, seed, order)
    sets = join.sets
    limit = ANY_LENGTH if question.lists_pairs else limits.list
    pairs, counts = join.all_pairs(limit)
    edges: Rows | None = None
    if counts.get("lists_left_out", 0):
        rounds = Rounds(join, sets.documents.number())
        decisions = rounds.decisions(
            best=question.settings.witness == "best", protects=question.protects, only_protected=question.only_against
        )
    else:
        candidates = counts.get("candidates", 0)
        edges = join.verified(pairs, candidates)
        if question.lists_pairs:
            edges = engine.store("matches", edges)
        if question.settings.linkage == "components":
            links = graph.components(engine, context, "links", edges, limits.one_task)
            wanted = engine.store("link-pairs", engine.map(links, context.task("link_pairs", parts=join.parts)))
            decisions = engine.store("decisions", join.verified(wanted, candidates, all_pairs=True))
        else:
            decisions = graph.leaders(engine, context, "decisions", edges, limits.one_task, candidates)
    listed = edges if question.lists_pairs else None
    found = tables(engine, context, sets, decisions, listed, removes=question.removes, few=limits.few)
    counted = {**sets.counts, **counts, **join.counted}
    summary = _summary(question, found, sets.documents, counted)
    if question.settings.across is not None:
        matched = decisions if listed is None else listed
        summary["across"] = by_pair(engine, context, sets, matched, complete=question.lists_pairs)
    return Outcome(found, summary)


def pairs_between(
    engine: Engine[Rows],
    sides: Sequence[Side[Rows]],
    question: Question,
    *,
    limits: Limits = Limits(),
    seed: int = 0,
    order: Callable[[bytes], bytes] | None = None,
) -> Rows:
    """The pairs of one document of each side; arguments as of :func:`run`."""
    context = question.context()
    join = _join(engine, question, sides, limits, seed, order)
    pairs, counts = join.all_pairs(ANY_LENGTH)
    edges = engine.store("matches", join.verified(pairs, counts.get("candidates", 0)))
    return listed_pairs(engine, context, join.sets, edges)


def _join(
    engine: Engine[Rows],
    question: Question,
    sides: Sequence[Side[Rows]],
    limits: Limits,
    seed: int,
    order: Callable[[bytes], bytes] | None,
) -> Join[Rows]:
    context = question.context()
    documents = signed(engine, context, sides, question.ignored)
    sets = distinct_sets(engine, context, documents, numbered=sides[0].row is not None, few=limits.few)
    made = element_order(engine, context, sets, seed)
    return Join(engine, context, sets, made if order is None else order(made), limits)


def _summary(
    question: Question, found: Found[Rows], documents: Documents[Rows], counted: dict[str, int]
) -> dict[str, Any]:
    """The numbers of a run; names as in ``summary.json`` of a run on one machine."""
    every, unusable, with_features, *_ = documents.own
    number = every - unusable
    kept = found.rows.get(columns.KEPT_DOCUMENT, 0) + number - with_features
    return {
        "command": "dedup" if question.removes else "cluster",
        "documents": number,
        "kept": kept,
        "removed": {"total": number - kept, **found.rules},
        "problems": documents.number(1),
        "clusters": found.rows.get(columns.LEADER, 0),
        "documents_in_clusters": found.rows.get(columns.CLUSTER, 0),
        "pairs": {"listed": found.rows.get(columns.PAIR, 0), "complete": question.lists_pairs},
        "tokens": documents.number(3),
        "text_bytes": documents.number(4),
        "digest": found.digest,
        "settings": json.loads(question.settings.to_json()),
        "join": counted,
    }
