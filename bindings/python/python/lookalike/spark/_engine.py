"""The engine of Spark: DataFrames, which Spark shuffles, and Parquet files between stages.

Written against what Spark Connect has: no context, no RDD.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

from lookalike.distributed.task import Task

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Spark's names of Arrow types.
_TYPES = {"Int64": "bigint", "Float64": "double", "Utf8": "string", "Binary": "binary"}

#: Bits of a place in its part, before parts are numbered through.
_IN_PART = 40

#: Bytes of a batch that Spark gives to a task: a batch holds at most 2 GiB, and rows may be megabytes.
BATCH_BYTES = 64 << 20


@dataclass(frozen=True)
class Stage:
    """A stage that is finished."""

    name: str
    #: Whether an earlier run had finished it.
    resumed: bool
    seconds: float


class SparkEngine:
    """Runs tasks in Spark.

    Parameters
    ----------
    session
        The session.
    work : str
        Directory of the stages, which all workers and the driver can reach.
    tasks : int
        Tasks of a shuffle.
    resume : bool
        Whether stages that are finished are read.
    report
        Is told of each stage.
    """

    def __init__(
        self,
        session: SparkSession,
        work: str,
        *,
        tasks: int,
        resume: bool,
        report: Callable[[Stage], None] | None = None,
    ) -> None:
        self.tasks = tasks
        self._session, self._work, self._resume, self._report = session, work.rstrip("/"), resume, report
        self._numbers = count()

    def map(self, rows: DataFrame, task: Task) -> DataFrame:
        return rows.mapInArrow(_in_task(task), _schema(task))

    def exchange(
        self, rows: Sequence[DataFrame], key: str, order: Sequence[str], task: Task, tasks: int | None = None
    ) -> DataFrame:
        # With a number of parts: Spark then neither merges nor splits them.
        together = self.union(rows).repartition(tasks or self.tasks, key)
        return self.map(together.sortWithinPartitions(*order), task)

    def ranked(self, rows: DataFrame, order: Sequence[str]) -> DataFrame:
        from pyspark.sql import functions

        by = [functions.col(name).asc_nulls_last() for name in order]
        parts = rows.repartitionByRange(self.tasks, *by).sortWithinPartitions(*by)
        placed = self.store(f"ranked-{next(self._numbers)}", parts.mapInArrow(_placed, rows.schema))
        part = functions.shiftright("place", _IN_PART).alias("part")
        sizes = {row["part"]: row["count"] for row in placed.groupBy(part).count().collect()}
        starts, start = [], 0
        for number in range(max(sizes, default=0) + 1):
            starts.append(start)
            start += sizes.get(number, 0)
        return placed.mapInArrow(_numbered(starts), placed.schema)

    def where(self, rows: DataFrame, column: str, values: Sequence[int]) -> DataFrame:
        from pyspark.sql import functions

        return rows.where(functions.col(column).isin(list(values)))

    def present(self, rows: DataFrame, column: str) -> DataFrame:
        return rows.where(f"`{column}` is not null")

    def union(self, rows: Sequence[DataFrame]) -> DataFrame:
        together = rows[0]
        for more in rows[1:]:
            together = together.unionByName(more)
        return together

    def store(self, name: str, rows: DataFrame) -> DataFrame:
        began = time.monotonic()
        path = f"{self._work}/{name}"
        resumed = self._resume and self._is_finished(path)
        if not resumed:
            rows.write.mode("overwrite").parquet(path)
            # Only now: a stage without this is written again.
            self._session.range(1).write.mode("overwrite").parquet(f"{path}.finished")
        if self._report is not None:
            self._report(Stage(name, resumed, time.monotonic() - began))
        return self._session.read.schema(rows.schema).parquet(path)

    def number(self, rows: DataFrame) -> int:
        return int(rows.count())

    def total(self, rows: DataFrame, column: str) -> int:
        found = rows.groupBy().sum(column).collect()[0][0]
        return int(found or 0)

    def collect(self, rows: DataFrame) -> Any:
        return rows.toArrow()

    def _is_finished(self, path: str) -> bool:
        from pyspark.errors import AnalysisException

        try:
            return bool(self._session.read.parquet(f"{path}.finished").count() == 1)
        except AnalysisException:
            # There is no such path, or no file in it yet.
            return False


def _schema(task: Task) -> str:
    return ", ".join(f"`{name}` {_TYPES[kind]}" for name, kind in task.columns)


def _in_task(task: Task) -> Callable[[Iterable[Any]], Iterator[Any]]:
    def run(batches: Iterable[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        context = TaskContext.get()
        return task(batches, context.partitionId() if context else 0)

    return run


def _placed(batches: Iterable[Any]) -> Iterator[Any]:
    """Numbers the rows of a part."""
    import pyarrow
    from pyspark import TaskContext

    context = TaskContext.get()
    place = (context.partitionId() if context else 0) << _IN_PART
    for batch in batches:
        places = pyarrow.array(range(place, place + batch.num_rows), pyarrow.int64())
        yield batch.set_column(batch.schema.get_field_index("place"), "place", places)
        place += batch.num_rows


def _numbered(starts: list[int]) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Numbers the rows of all parts through."""

    def run(batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow
        import pyarrow.compute

        first = pyarrow.array(starts, pyarrow.int64())
        for batch in batches:
            place = batch["place"]
            part = pyarrow.compute.shift_right(place, _IN_PART)
            place = pyarrow.compute.bit_wise_and(place, (1 << _IN_PART) - 1)
            place = pyarrow.compute.add(place, pyarrow.compute.take(first, part))
            at = batch.schema.get_field_index("place")
            yield batch.set_column(at, "place", place)

    return run
