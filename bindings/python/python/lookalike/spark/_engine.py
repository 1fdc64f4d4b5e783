"""The engine of Spark: DataFrames, which Spark shuffles, and Parquet files between stages.

Written against what Spark Connect has: no context, no RDD.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from lookalike.distributed.counts import LostRows
from lookalike.distributed.stages import Stage
from lookalike.distributed.task import Task

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Spark's names of Arrow types.
_TYPES = {"Int64": "bigint", "Float64": "double", "Utf8": "string", "Binary": "binary"}

#: Bits of a place in its part, before parts are numbered through.
_IN_PART = 40

#: Bytes of a batch that Spark gives to a task: a batch holds at most 2 GiB, and rows may be megabytes.
BATCH_BYTES = 64 << 20


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
        self._session, self._work, self._report = session, work.rstrip("/"), report
        self._marks = f"{self._work}/finished"
        #: The rows of each stage that an earlier run finished.
        self._finished = self._marked() if resume else self._remove_marks()
        #: The same, of this run.
        self._rows: dict[str, int] = {}

    def map(self, rows: DataFrame, task: Task) -> DataFrame:
        return rows.mapInArrow(_in_task(task), _schema(task))

    def exchange(
        self, rows: Sequence[DataFrame], key: str, order: Sequence[str], task: Task, tasks: int | None = None
    ) -> DataFrame:
        # With a number of parts: Spark then neither merges nor splits them.
        together = self.union(rows).repartition(tasks or self.tasks, key)
        return self.map(together.sortWithinPartitions(*order), task)

    def ranked(self, name: str, rows: DataFrame, order: Sequence[str], *, few: bool) -> DataFrame:
        from pyspark.sql import functions

        by = [functions.col(column).asc_nulls_last() for column in order]
        if few:
            return rows.repartition(1).sortWithinPartitions(*by).mapInArrow(_placed, rows.schema)
        parts = rows.repartitionByRange(self.tasks, *by).sortWithinPartitions(*by)
        placed = self.store(name, parts.mapInArrow(_placed, rows.schema))
        part = functions.shiftright("place", _IN_PART)
        sizes = {row["part"]: row["count"] for row in placed.groupBy(part.alias("part")).count().collect()}
        starts = accumulate((sizes.get(number, 0) for number in range(max(sizes, default=0))), initial=0)
        # What is stored is numbered within parts; Spark adds where parts start when it is read, without Python.
        start = functions.get(functions.expr(f"array({', '.join(f'{number}L' for number in starts)})"), part)
        in_part = functions.col("place").bitwiseAND(functions.lit((1 << _IN_PART) - 1))
        return placed.withColumn("place", start + in_part)

    def where(self, rows: DataFrame, column: str, values: Sequence[int]) -> DataFrame:
        from pyspark.sql import functions

        return rows.where(functions.col(column).isin(list(values)))

    def present(self, rows: DataFrame, column: str) -> DataFrame:
        return rows.where(f"`{column}` is not null")

    def absent(self, rows: DataFrame, column: str) -> DataFrame:
        return rows.where(f"`{column}` is null")

    def select(self, rows: DataFrame, columns: Sequence[str]) -> DataFrame:
        return rows.select(*columns)

    def union(self, rows: Sequence[DataFrame]) -> DataFrame:
        together = rows[0]
        for more in rows[1:]:
            together = together.unionByName(more)
        return together

    def store(self, name: str, rows: DataFrame) -> DataFrame:
        began = time.monotonic()
        path = f"{self._work}/{name}"
        resumed = name in self._finished
        if resumed:
            self._rows[name] = self._finished[name]
        else:
            self._rows[name] = self._write(rows, path)
            # Only now: a stage without its mark is written again.
            self._mark(name, self._rows[name]).write.mode("append").parquet(self._marks)
        if self._report is not None:
            self._report(Stage(name, resumed, time.monotonic() - began))
        return self._session.read.schema(rows.schema).parquet(path)

    def _write(self, rows: DataFrame, path: str) -> int:
        """Writes rows and returns their number, which the tasks that write them count."""
        from pyspark.sql import Observation, functions

        written = Observation()
        observed = rows.observe(written, functions.count(functions.lit(1)).alias("rows"))
        observed.write.mode("overwrite").parquet(path)
        return int(written.get["rows"])

    @property
    def work(self) -> str:
        """Directory of the stages."""
        return self._work

    def finished_rows(self, name: str) -> int | None:
        """Number of rows of a stage that an earlier run finished, if this run is to read it."""
        return self._finished.get(name)

    def check(self) -> None:
        """Counts the rows of all stages, from the ends of their files.

        Raises
        ------
        LostRows
            Files of a stage are gone, or were added: what was made of it may be wrong.
        """
        lost = self._lacking(self._rows)
        if lost:
            raise LostRows(
                f"files of {self._work}/{min(lost)} changed during the run, so the answer may be wrong: give each run a `work` "
                "directory that nothing else cleans or writes, and call again"
            )

    def number(self, rows: DataFrame) -> int:
        return int(rows.count())

    def total(self, rows: DataFrame, column: str) -> int:
        found = rows.groupBy().sum(column).collect()[0][0]
        return int(found or 0)

    def totals(
        self, rows: DataFrame, by: str, present: Sequence[str], sums: Sequence[str]
    ) -> dict[int, tuple[int, ...]]:
        from pyspark.sql import functions

        asked = [functions.count(functions.lit(1))]
        asked += [functions.count(column) for column in present]
        asked += [functions.sum(column) for column in sums]
        return {int(row[0]): tuple(map(int, row[1:])) for row in rows.groupBy(by).agg(*asked).collect()}

    def collect(self, rows: DataFrame) -> Any:
        return rows.toArrow()

    def _mark(self, name: str, rows: int) -> DataFrame:
        """The row that says that a stage is finished, in one file."""
        return self._session.range(0, 1, 1, 1).selectExpr(f"'{name}' as stage", f"{rows}L as rows")

    def _marked(self) -> dict[str, int]:
        """The stages that are finished, with their rows; none if one of them lacks rows, as later ones were made of it."""
        from pyspark.errors import AnalysisException

        try:
            marks = self._session.read.schema("stage string, rows bigint").parquet(self._marks)
            finished = {row["stage"]: int(row["rows"]) for row in marks.collect()}
        except AnalysisException:
            # There is no such directory: nothing is finished.
            return {}
        return self._remove_marks() if self._lacking(finished) else finished

    def _lacking(self, stages: dict[str, int]) -> set[str]:
        """Those of the stages whose files have not as many rows."""
        from pyspark.errors import AnalysisException
        from pyspark.sql import functions

        counts = []
        for name in stages:
            try:
                files = self._session.read.schema("`stage` string").parquet(f"{self._work}/{name}")
            except AnalysisException:
                # The directory is gone.
                continue
            counts.append(files.select(functions.lit(name).alias("stage")).groupBy("stage").count())
        found = {row["stage"]: int(row["count"]) for row in self.union(counts).collect()} if counts else {}
        return {name for name, rows in stages.items() if found.get(name, 0) != rows}

    def _remove_marks(self) -> dict[str, int]:
        """Forgets the stages of an earlier run, before the first of them is overwritten."""
        self._mark("", 0).where("false").write.mode("overwrite").parquet(self._marks)
        return {}


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
