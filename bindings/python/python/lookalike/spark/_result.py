"""What a run on Spark found."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lookalike._errors import DataError
from lookalike.distributed import names
from lookalike.distributed.results import Found
from lookalike.spark._call import is_without_id

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

def renamed(rows: DataFrame, names: dict[str, str]) -> DataFrame:
    """Some columns, under other names."""
    from pyspark.sql import functions

    return rows.select(*(functions.col(name).alias(alias) for name, alias in names.items()))


class SparkResult:
    """What became of the documents of :func:`lookalike.spark.dedup` or :func:`lookalike.spark.cluster`, and why.

    Its DataFrames have the columns and the rows of the tables of :class:`lookalike.Result`, in no order; they read the
    stages in `work`.
    """

    def __init__(self, found: Found[DataFrame], summary: dict[str, Any], row: str | None, id: str) -> None:
        self._found, self._row, self._id = found, row, id
        #: The numbers of the run, under the names of ``summary.json``; under ``join``, what the join counted.
        self.summary = summary

    @property
    def _settings(self) -> str:
        return json.dumps(self.summary["settings"])

    @property
    def kept(self) -> DataFrame:
        """The documents that stay: ``id``, ``file``, ``record``."""
        return renamed(self._found.kept, names.KEPT)

    @property
    def ledger(self) -> DataFrame:
        """Every removed document with its witness, the rule, and the counts."""
        return renamed(self._found.ledger, names.ledger(self._settings))

    @property
    def pairs(self) -> DataFrame:
        """The pairs that were listed."""
        return renamed(self._found.pairs, names.pairs(self._settings))

    @property
    def clusters(self) -> DataFrame:
        """Every document that is in a cluster with another one."""
        return renamed(self._found.clusters, names.CLUSTERS)

    @property
    def problems(self) -> DataFrame:
        """Documents that could not be used: ``id``, ``record``, ``message``."""
        return self._found.problems.selectExpr("id", "row + 1 as record", "problem as message")

    def filter(self, documents: DataFrame) -> DataFrame:
        """The rows of the documents of the call that stay; those that could not be used stay, too.

        Rows are found by the column of row numbers of the call, else by id.

        Raises
        ------
        DataError
            A removed document has the id of a kept one, or none, and rows have no numbers.
        """
        from pyspark.sql import functions

        ledger = self.ledger
        if self._row is not None:
            rows = ledger.select((functions.col("removed_record") - 1).alias(self._row))
            return documents.join(rows, self._row, "left_anti")
        kept = self.kept.select(functions.col("id").alias("removed_id"))
        if ledger.join(kept, "removed_id", "left_semi").limit(1).count():
            raise DataError(
                "removed documents and kept ones have the same ids; number the rows, and name the column with row=",
                "repeated_id",
            )
        removed = ledger.select(functions.col("removed_id").alias("lookalike_removed_id"))
        is_removed = documents[self._id].cast("string") == functions.col("lookalike_removed_id")
        without = documents.where(is_without_id(documents[self._id]))
        if without.limit(1).count() and removed.join(documents, is_removed, "left_anti").limit(1).count():
            raise DataError(
                "removed documents have no id; number the rows, and name the column with row=", "missing_id"
            )
        return documents.join(removed, is_removed, "left_anti")

    def __repr__(self) -> str:
        summary = self.summary
        return (
            f"<lookalike.spark.SparkResult: {summary['documents']:,} documents, {summary['kept']:,} kept, "
            f"{summary['clusters']:,} clusters>"
        )
