"""Which sets are removed, without forming all pairs of families with many members.

Guesses from a selection which sets are kept, compares all other sets with those only, and corrects what a guess got
wrong; see ``steps::rounds`` in the core for what holds after each round, and why the answer does not depend on the
selection.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from lookalike.distributed import columns, graph
from lookalike.distributed.engine import Engine, Rows
from lookalike.distributed.limits import Limits
from lookalike.distributed.matches import ANY_LENGTH, Join
from lookalike.distributed.task import Context


#: Ranges of ranks in which open sets are counted.
_RANGES = 4096


@dataclass(frozen=True)
class _Found:
    """How many sets there are in each state."""

    number: dict[int, int]
    first: dict[int, int]
    #: Open sets by range of ranks.
    open: dict[int, int]

    def of(self, *kinds: int) -> int:
        return sum(self.number.get(kind, 0) for kind in kinds)

    def first_of(self, *kinds: int) -> int:
        return min(self.first[kind] for kind in kinds if kind in self.first)


class Rounds(Generic[Rows]):
    """The rounds of a run."""

    def __init__(self, join: Join[Rows], ranks: int) -> None:
        self._join, self._limits, self._ranks = join, join.limits, max(ranks, 1)
        self._engine: Engine[Rows] = join.engine
        self._context: Context = join.context
        task = self._context.task("store_keys", join.order)
        self._keys = self._engine.store("keys", join.sets.map(self._engine, task))
        self._width = -(-self._ranks // _RANGES)

    def decisions(self, *, best: bool, protects: bool, only_protected: bool) -> Rows:
        """Which sets are removed, and their witnesses.

        Parameters
        ----------
        best
            Whether the witness is the best kept match, instead of the first.
        protects
            Whether there are protected sets, which come first and are kept without a comparison.
        only_protected
            Whether only those remove others.
        """
        engine, limits, counted = self._engine, self._limits, self._join.counted
        counted |= {"rounds": 0, "selected": 0, "new": 0, "flips": 0, "reopened": 0, "way_out_after": 0}
        state = engine.store("state-0", engine.map(self._keys, self._context.task("open")))
        head, block, rounds_with_flips, way_out = limits.head, limits.block, 0, False
        if protects:
            state, _ = self._probe(0, state, pending=False)
        found = self._count(state)
        while not only_protected and found.of(columns.OPEN, columns.PENDING):
            number = counted["rounds"] = counted["rounds"] + 1
            pending = found.of(columns.PENDING) > 0
            if not way_out and (rounds_with_flips >= limits.flips or number > limits.rounds):
                way_out, counted["way_out_after"] = True, number - 1
                first = found.first_of(columns.OPEN, columns.PENDING)
                state = engine.map(state, self._context.task("take_back", **{"from": first}))
                state = engine.store(f"state-{number}-back", state)
                found = self._count(state)
            if not found.of(columns.OPEN) or (way_out and pending):
                # On the way out nothing is selected while sets are pending: this round settles them.
                decided = state
            else:
                upto = self._upto(found, block) if way_out else None
                decided = self._select(number, state, head, found.first_of(columns.OPEN), upto)
                block = block * limits.block_growth if way_out else block
                head *= limits.head_growth
            state, flips = self._probe(number, decided, pending)
            rounds_with_flips += flips > 0
            found = self._count(state)
        decisions = engine.map(state, self._context.task("decisions"))
        if best:
            decisions = self._best(state)
        return engine.store("decisions", decisions)

    def _count(self, state: Rows) -> _Found:
        """Counts states."""
        rows = self._engine.collect(self._engine.map(state, self._context.task("count_states", width=self._width)))
        number: dict[int, int] = {}
        first: dict[int, int] = {}
        open_: dict[int, int] = {}
        for row in rows.to_pylist():
            kind = row["earlier"]
            if row["component"] < 0:
                number[kind] = number.get(kind, 0) + row["later"]
                first[kind] = min(first.get(kind, row["shared"]), row["shared"])
            else:
                open_[row["component"]] = open_.get(row["component"], 0) + row["later"]
        return _Found(number, first, open_)

    def _upto(self, found: _Found, block: int) -> int:
        """A rank up to which about so many sets are open, and at least one."""
        sets = 0
        for at in sorted(found.open):
            sets += found.open[at]
            if sets >= block:
                break
        return (at + 1) * self._width - 1

    def _postings(self, state: Rows, which: str, pending: bool = False) -> Rows:
        """Postings of some sets by state, by group."""
        roles = self._engine.map(state, self._context.task("roles", which=which, pending=pending))
        task = self._context.task("round_postings", buckets=self._join.groups)
        return self._engine.exchange([roles, self._keys], "part", ["part", "kind"], task)

    def _apply(self, state: Rows, found: Rows | None, task: str, **parameters: int | None) -> Rows:
        """States after a change."""
        rows = [state] if found is None else [state, found]
        made = self._context.task(task, **parameters)
        return self._engine.exchange(rows, "later", ["later", "kind", "earlier"], made)

    def _select(self, number: int, state: Rows, head: int, first: int, upto: int | None) -> Rows:
        """Selects open sets, and decides which of them are kept if the others are left out."""
        engine, context = self._engine, self._context
        late = None
        if upto is None:
            late = self._join.in_buckets(self._postings(state, "open"), context.task("late", head=head))
        selected = engine.store(f"state-{number}-selected", self._apply(state, late, "select", first=first, upto=upto))
        postings = self._postings(selected, "selected")
        pairs, counts = self._join.pairs(f"pairs-{number}", postings, "pairs", limit=ANY_LENGTH)
        candidates = counts.get("candidates", 0)
        edges = self._join.verified(pairs, candidates)
        decisions = graph.leaders(engine, context, f"leaders-{number}", edges, self._limits.one_task, candidates)
        decided = engine.store(f"state-{number}-decided", self._apply(selected, decisions, "decide"))
        found = self._count(decided)
        self._join.counted["selected"] += found.of(columns.NEW, columns.REMOVED_NOW)
        self._join.counted["new"] += found.of(columns.NEW)
        return decided

    def _probe(self, number: int, decided: Rows, pending: bool) -> tuple[Rows, int]:
        """Compares all sets with those that are new; returns the states, and how many kept sets were removed."""
        engine, context = self._engine, self._context
        postings = self._postings(decided, "probe", pending)
        pairs, counts = self._join.pairs(f"probes-{number}", postings, "probe")
        edges = self._join.verified(pairs, counts.get("candidates", 0))
        updated = engine.store(f"state-{number}-updated", self._apply(decided, edges, "update"))
        flips = engine.number(engine.where(updated, "kind", [columns.FLIPPED]))
        if not flips:
            return updated, 0
        by_witness = engine.map(updated, context.task("by_witness"))
        reopened = engine.exchange([by_witness], "component", ["component", "kind"], context.task("reopen"))
        state = engine.store(f"state-{number}", reopened)
        self._join.counted["flips"] += flips
        self._join.counted["reopened"] += engine.number(engine.where(state, "kind", [columns.PENDING]))
        return state, flips

    def _best(self, state: Rows) -> Rows:
        """The best witness of each removed set, among all kept ones that match."""
        pairs, counts = self._join.pairs("pairs-best", self._postings(state, "kept"), "probe")
        edges = self._join.verified(pairs, counts.get("candidates", 0))
        order = ["later", "earlier"]
        return self._engine.exchange([edges], "later", order, self._context.task("best_witness"))
