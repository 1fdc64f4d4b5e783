"""What the functions over DataFrames have in common: the columns that they read, and what they report."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from lookalike import _lookalike
from lookalike._errors import DataError
from lookalike._settings import Settings
from lookalike.spark._engine import SparkEngine, Stage

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

#: Whether stages are printed, or what is told of each.
Report = bool | Callable[[Stage], None] | None


def read_columns(rows: DataFrame, settings: Settings, named: list[str], row: str | None) -> DataFrame:
    """The columns of documents that are read.

    Raises
    ------
    DataError
        A column is missing.
    """
    rules = [*_lookalike.keep_fields(settings.to_json()), *_lookalike.given_fields(settings.to_json())]
    texts = _lookalike.text_fields(settings.to_json())
    wanted = [settings.text, *texts, settings.html, settings.id, settings.url, settings.title, settings.date, *rules]
    wanted += [] if row is None else [row]
    required = [*named, *rules, *([] if row is None else [row])]
    if settings.text not in rows.columns and settings.html not in rows.columns:
        required += texts
    missing = [column for column in required if column not in rows.columns]
    if missing:
        columns = ", ".join(f"`{column}`" for column in rows.columns)
        raise DataError(f"there is no column `{missing[0]}`; the columns are {columns}", "source")
    if row is None and settings.id not in rows.columns:
        raise DataError(
            f"documents need an id, or a number: there is no column `{settings.id}`; name one with id=, or with row= a "
            "column of distinct numbers from 0",
            "source",
        )
    rows = rows.select(*(column for column in dict.fromkeys(wanted) if column in rows.columns))
    return rows if row is None else rows.withColumn(row, rows[row].cast("bigint"))


def check_documents(engine: SparkEngine, of_stages: int, collections: Iterable[DataFrame]) -> None:
    """Refuses stages of an earlier run over another number of documents.

    Raises
    ------
    DataError
        There are more or fewer documents than the stages are of.
    """
    documents = sum(rows.count() for rows in collections)
    if of_stages != documents:
        raise DataError(
            f"the stages in {engine.work} are of {of_stages} documents, and there are {documents}: the documents changed; "
            "call without resume=True",
            "stages_differ",
        )


def is_without_id(id: Column) -> Column:
    """Whether a document has no id, and is called by its number."""
    from pyspark.sql import functions

    return functions.coalesce(id.cast("string"), functions.lit("")) == ""


def shuffle_partitions(session: SparkSession) -> int:
    """Tasks of a shuffle as the session is set; some vendors' sessions say ``auto``."""
    value = str(session.conf.get("spark.sql.shuffle.partitions", "200"))
    return int(value) if value.isdigit() else 200


def printed(stage: Stage) -> None:
    """Prints a line for a stage."""
    state = "read" if stage.resumed else "done"
    print(f"lookalike: {stage.name}: {state}, {stage.seconds:.1f} s", file=sys.stderr)
