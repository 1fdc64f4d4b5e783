"""What an engine does: it moves rows between tasks, and stores them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from lookalike.distributed.task import Task

Rows = TypeVar("Rows")


class Engine(Protocol[Rows]):
    """Moves rows.

    Rows are lazy: nothing has to be computed before :meth:`store`. A task may be repeated, and may see equal keys in any
    order.
    """

    #: Number of tasks that rows are usually divided among.
    tasks: int

    def map(self, rows: Rows, task: Task) -> Rows:
        """Each part of rows, through a task."""

    def exchange(
        self, rows: Sequence[Rows], key: str, order: Sequence[str], task: Task, tasks: int | None = None
    ) -> Rows:
        """Rows with equal values of `key` in one part, sorted by `order`, through a task.

        `rows` have the same columns, which are integers.
        """

    def ranked(self, name: str, rows: Rows, order: Sequence[str], *, few: bool) -> Rows:
        """Rows whose column ``place`` is their number from 0 in the order of columns, missing values last.

        Text and bytes compare as bytes. Few rows may be sorted by one task; otherwise they may be stored by the name.
        """

    def where(self, rows: Rows, column: str, values: Sequence[int]) -> Rows:
        """Rows whose `column` has one of some values."""

    def present(self, rows: Rows, column: str) -> Rows:
        """Rows whose `column` is not null."""

    def absent(self, rows: Rows, column: str) -> Rows:
        """Rows whose `column` is null."""

    def select(self, rows: Rows, columns: Sequence[str]) -> Rows:
        """Some columns."""

    def union(self, rows: Sequence[Rows]) -> Rows:
        """All rows of several, which have the same columns."""

    def store(self, name: str, rows: Rows) -> Rows:
        """Computes rows once; what is returned reads them. A name that was stored by a run that is resumed is read."""

    def number(self, rows: Rows) -> int:
        """Number of rows."""

    def total(self, rows: Rows, column: str) -> int:
        """Sum of a column."""

    def totals(
        self, rows: Rows, by: str, present: Sequence[str], sums: Sequence[str]
    ) -> dict[int, tuple[int, ...]]:
        """For each value of a column: number of rows, of those where columns are not null, and sums of columns."""

    def collect(self, rows: Rows) -> Any:
        """All rows as a table of pyarrow; they are few."""
