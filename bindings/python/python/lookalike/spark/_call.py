"""What the functions over DataFrames have in common: the columns that they read, and what they report."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from lookalike._errors import DataError
from lookalike._lookalike import __version__
from lookalike._settings import Settings
from lookalike.distributed.inputs import wanted_columns
from lookalike.distributed.stages import Report, told
from lookalike.spark._engine import BATCH_BYTES, SparkEngine

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession


def read_columns(
    rows: DataFrame, settings: Settings, named: list[str], row: str | None, tokens: str | None = None
) -> DataFrame:
    """The columns of documents that are read.

    Parameters
    ----------
    tokens
        A column of lists, which takes the place of the text.

    Raises
    ------
    DataError
        A column is missing.
    """
    wanted = wanted_columns(rows.columns, settings, named, row, tokens)
    rows = rows.select(*wanted)
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


def started(
    collections: Sequence[DataFrame],
    work: str,
    described: list[Any],
    tasks: int | None,
    resume: bool,
    progress: Report,
) -> SparkEngine:
    """The engine of a call, whose stages are in a directory of this call below `work`.

    Parameters
    ----------
    described
        All that the answer depends on, but the version and the documents, which are named by their files.
    """
    session = collections[0].sparkSession
    session.conf.set("spark.sql.execution.arrow.maxBytesPerBatch", str(BATCH_BYTES))
    inputs = [[rows.schema.simpleString(), sorted(rows.inputFiles())] for rows in collections]
    digest = hashlib.sha256(json.dumps([__version__, *described, inputs]).encode()).hexdigest()[:16]
    tasks = tasks or shuffle_partitions(session)
    return SparkEngine(session, f"{work.rstrip('/')}/{digest}", tasks=tasks, resume=resume, report=told(progress))


def found_by_key(
    documents: DataFrame,
    found: DataFrame,
    name: str,
    columns: list[str],
    *,
    row: str | None,
    key: Column | None,
    which: str,
) -> tuple[DataFrame, Column]:
    """Columns of rows about documents, with a key under a name, and the key of all documents.

    Parameters
    ----------
    row, key
        The column with the number of each row, or else what tables call documents.
    which
        What documents they are, for messages.

    Raises
    ------
    DataError
        Several documents have the id of one that was found, or none as it has, and rows have no numbers.
    """
    if row is not None:
        return found.select((found["record"] - 1).alias(name), *columns), documents[row]
    assert key is not None
    found = found.select(found["id"].alias(name), *columns)
    named = documents.select(key.alias(name)).join(found, name, "left_semi")
    if named.groupBy(name).count().where("count > 1").limit(1).count():
        raise DataError(
            f"{which} have no id, or the ids of others; number the rows, and name the column with row=", "repeated_id"
        )
    return found, key


def is_without_id(id: Column) -> Column:
    """Whether a document has no id, and is called by its number."""
    from pyspark.sql import functions

    return functions.coalesce(id.cast("string"), functions.lit("")) == ""


def shuffle_partitions(session: SparkSession) -> int:
    """Tasks of a shuffle as the session is set; some vendors' sessions say ``auto``."""
    value = str(session.conf.get("spark.sql.shuffle.partitions", "200"))
    return int(value) if value.isdigit() else 200
