"""Distinct sets to matches: postings, candidate pairs, verification."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic

from lookalike.distributed import columns
from lookalike.distributed.counts import counts_of
from lookalike.distributed.engine import Engine, Rows
from lookalike.distributed.task import Context

#: More postings than any list has: the limit where all pairs are formed.
ANY_LENGTH = 1 << 60

#: Postings of a bucket, which one task holds: 40 bytes each.
_POSTINGS = 1_000_000

#: Bytes of the sets of a part, which one task holds.
_SET_BYTES = 64 << 20


@dataclass
class Join(Generic[Rows]):
    """The sets of a run and what finds their matches."""

    engine: Engine[Rows]
    context: Context
    sets: Rows
    counts: dict[str, int]
    order: bytes
    #: What was counted so far, for the summary.
    counted: dict[str, int] = field(default_factory=dict)

    @property
    def buckets(self) -> int:
        """Buckets that postings are divided among."""
        return max(self.engine.tasks, -(-self.counts.get("keys", 0) // _POSTINGS))

    @property
    def parts(self) -> int:
        """Parts that sets are divided among."""
        return max(self.engine.tasks, -(-self.counts.get("elements", 0) * 8 // _SET_BYTES))

    def pairs(self, name: str, postings: Rows, step: str, **parameters: int) -> tuple[Rows, dict[str, int]]:
        """The candidate pairs of postings, and what was counted."""
        task = self.context.task(step, parts=self.parts, **parameters)
        pairs = self.engine.store(name, self.engine.exchange([postings], "part", ["part"], task))
        counted = self.engine.collect(self.engine.where(pairs, "kind", [columns.COUNTS]))
        counts = counts_of(counted["blob"].to_pylist())
        for key in ("looks", "candidates"):
            self.counted[key] = self.counted.get(key, 0) + counts.get(key, 0)
        return pairs, counts

    def all_postings(self) -> Rows:
        """The postings of all sets."""
        return self.engine.map(self.sets, self.context.task("postings", self.order, buckets=self.buckets))

    def verified(self, name: str, pairs: Rows, *, all_pairs: bool = False) -> Rows:
        """The pairs that match, with their counts; with `all_pairs` every pair."""
        parts = self.parts
        given = self.engine.map(self.sets, self.context.task("part_sets", parts=parts))
        order = ["part", "kind"]
        routed = self.engine.exchange([pairs, given], "part", order, self.context.task("route", parts=parts))
        task = self.context.task("verify", all=all_pairs)
        return self.engine.store(name, self.engine.exchange([routed], "part", order, task))
