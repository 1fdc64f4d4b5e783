"""Distinct sets to matches: postings, candidate pairs, verification."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isqrt
from typing import Generic

from lookalike.distributed import columns
from lookalike.distributed.counts import LostRows, counts_of
from lookalike.distributed.engine import Engine, Rows
from lookalike.distributed.limits import Limits
from lookalike.distributed.sets import Sets
from lookalike.distributed.task import Context, Task

#: More postings than any list has: the limit where all pairs are formed.
ANY_LENGTH = 1 << 60

#: Bytes of the sets of a part, which one task holds.
_SET_BYTES = 64 << 20


@dataclass
class Join(Generic[Rows]):
    """The sets of a run and what finds their matches."""

    engine: Engine[Rows]
    context: Context
    sets: Sets[Rows]
    order: bytes
    limits: Limits
    #: What was counted so far, for the summary.
    counted: dict[str, int] = field(default_factory=dict)

    @property
    def buckets(self) -> int:
        """Buckets that postings are divided among."""
        return max(self.engine.tasks, -(-self.sets.counts.get("keys", 0) // self.limits.bucket))

    @property
    def groups(self) -> int:
        """Groups of buckets that postings are sent to first, as many as buckets of a group; the buckets if they are few."""
        return self.buckets if self.buckets <= self.limits.direct else isqrt(self.buckets)

    @property
    def parts(self) -> int:
        """Parts that sets are divided among."""
        return max(self.engine.tasks, -(-self.sets.counts.get("elements", 0) * 8 // _SET_BYTES))

    def pairs(self, name: str, postings: Rows, step: str, **parameters: int) -> tuple[Rows, dict[str, int]]:
        """The candidate pairs of postings by group, and what was counted."""
        task = self.context.task(step, parts=self.parts, **parameters)
        pairs = self.engine.store(name, self.in_buckets(postings, task))
        counted = self.engine.collect(self.engine.where(pairs, "kind", [columns.COUNTS]))
        counts = counts_of(columns.blobs(counted, columns.COUNTS))
        for key in ("looks", "candidates"):
            self.counted[key] = self.counted.get(key, 0) + counts.get(key, 0)
        return pairs, counts

    def in_buckets(self, postings: Rows, task: Task) -> Rows:
        """Postings by group to their buckets, through a task."""
        if self.groups < self.buckets:
            regroup = self.context.task("regroup", buckets=self.buckets)
            postings = self.engine.exchange([postings], "part", ["part"], regroup)
        return self.engine.exchange([postings], "part", ["part"], task)

    def all_pairs(self, limit: int) -> tuple[Rows, dict[str, int]]:
        """The candidate pairs of all sets, of posting lists up to a length, and what was counted.

        Raises
        ------
        LostRows
            Not all sets had postings made.
        """
        postings = self.sets.map(self.engine, self.context.task("postings", self.order, buckets=self.groups))
        pairs, counts = self.pairs("pairs", postings, "pairs", limit=limit)
        if counts.get("sets", 0) != self.sets.counts.get("sets", 0):
            raise LostRows("the engine lost or repeated sets, so pairs would be missing")
        return pairs, counts

    def verified(self, pairs: Rows, number: int | None, *, all_pairs: bool = False) -> Rows:
        """The pairs that match, with their counts; with `all_pairs` every pair.

        Parameters
        ----------
        number
            An upper bound of the number of pairs, if one is known.
        """
        engine, context, parts, order = self.engine, self.context, self.parts, ["part", "kind"]
        if number is not None and number <= self.limits.few_pairs:
            found = engine.collect(engine.where(pairs, "kind", [columns.PAIRS]))
            [gathered] = context.task("gather_pairs").blobs(found)
            routed = self.sets.map(engine, context.task("route_all", gathered, parts=parts))
        else:
            given = self.sets.map(engine, context.task("part_sets", parts=parts))
            routed = engine.exchange([pairs, given], "part", order, context.task("route", parts=parts))
        return engine.exchange([routed], "part", order, context.task("verify", all=all_pairs))
