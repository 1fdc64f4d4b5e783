"""``decontaminate`` over DataFrames: the items of benchmarks are told to every task, and documents are read in a stream."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from lookalike import _lookalike
from lookalike._decontaminate import opener_of_items, settings_of_call
from lookalike._documents import opener
from lookalike._errors import DataError
from lookalike._lookalike import CountedNgrams, PortionSearch, __version__
from lookalike._options import Threshold
from lookalike._settings import Settings
from lookalike.distributed.stages import Report
from lookalike.spark._call import check_documents, found_by_key, is_without_id, read_columns, started

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

#: Values of the column ``found_table``: what a task found of the items, and the tables of documents.
_ITEMS, _CONTAMINATION, _SPANS, _CONTAMINATED = 0, 1, 2, 3

#: The fields that ``mark`` adds, with their values for documents that contain nothing.
_MARKS = {
    "contaminated": False,
    "contaminated_items": 0,
    "contaminated_item": None,
    "contaminated_benchmark": None,
    "contaminated_share": None,
}

#: The column of the text that ``cut`` leaves.
_LEFT = "contaminated_left"

#: The column by which documents are found.
_KEY = "lookalike_key"

#: What a task says at its end, with the types in Spark.
_OF_TASKS = {"found": "binary", "documents": "bigint", "contaminated": "bigint", "problems": "bigint"}

#: The number under which rows of documents are counted, beside those of shingles.
ROWS = -1

#: Spark's names of Arrow types.
_TYPES = {"int64": "bigint", "uint64": "bigint", "double": "double", "string": "string", "large_string": "string", "binary": "binary"}


class SparkContamination:
    """Which documents of :func:`lookalike.spark.decontaminate` contain which items, and where.

    Its DataFrames have the columns and the rows of the tables of :class:`lookalike.Contamination`, in no order; they read the stages
    in `work`.
    """

    def __init__(
        self, tables: dict[str, DataFrame], summary: dict[str, Any], row: str | None, settings: Settings, name: str
    ) -> None:
        self._tables, self._row, self._settings, self._name = tables, row, settings, name
        #: Numbers of the run, under the names of ``summary.json``.
        self.summary = summary

    @property
    def contamination(self) -> DataFrame:
        """Each document with each part of an item that it contains, and the share of its shingles."""
        return self._tables["contamination"]

    @property
    def spans(self) -> DataFrame:
        """The places of these parts: words and bytes of the text, from 0, the end excluded."""
        return self._tables["spans"]

    @property
    def items(self) -> DataFrame:
        """Every part of every item: found, absent, common or short."""
        return self._tables["items"]

    @property
    def benchmarks(self) -> DataFrame:
        """Every benchmark: items found, words covered, the longest span, documents."""
        return self._tables["benchmarks"]

    def filter(self, documents: DataFrame) -> DataFrame:
        """The rows of the documents of the call that contain no item.

        Rows are found by the column of row numbers of the call, else by id.

        Raises
        ------
        DataError
            Several documents have the id of one that contains an item, or none as it has, and rows have no numbers.
        """
        found, key = self._found(documents, [])
        return documents.join(found, key == found[_KEY], "left_anti")

    def mark(self, documents: DataFrame, *, prefix: str = "") -> DataFrame:
        """The documents of the call with the columns that ``--action mark`` of the command adds.

        They are ``contaminated``, ``contaminated_items`` (their number), and of the item of which a document has the largest
        share ``contaminated_item``, ``contaminated_benchmark`` and ``contaminated_share``.

        Parameters
        ----------
        prefix : str
            Before the names of the columns.

        Raises
        ------
        DataError
            The documents have a column of such a name; as of :meth:`filter`.
        """
        from pyspark.sql import functions

        for name in _MARKS:
            if prefix + name in documents.columns:
                raise DataError(
                    f"the documents have a column `{prefix + name}` already; give the marks other names with prefix=", "column"
                )
        found, key = self._found(documents, [name for name in _MARKS if name != "contaminated"])
        joined = documents.join(found, key == found[_KEY], "left")
        of_marks = {name: found[name] for name in _MARKS if name != "contaminated"}
        of_marks["contaminated"] = found[_KEY].isNotNull()
        marks = []
        for name, none in _MARKS.items():
            value = of_marks[name] if none is None else functions.coalesce(of_marks[name], functions.lit(none))
            marks.append(value.alias(prefix + name))
        return joined.select(*(documents[name] for name in documents.columns), *marks)

    def cut(self, documents: DataFrame) -> DataFrame:
        """The documents of the call without the parts of items, as ``--action cut`` of the command keeps them.

        Left out are documents that have no other words, and those whose text is not the value of one column: HTML, and what is
        joined of a list or of several columns.

        Raises
        ------
        DataError
            As of :meth:`filter`.
        """
        from pyspark.sql import functions

        text = self._settings.text
        found, key = self._found(documents, [_LEFT])
        if dict(documents.dtypes).get(text) != "string":
            return documents.join(found, key == found[_KEY], "left_anti")
        joined = documents.join(found, key == found[_KEY], "left").where(found[_KEY].isNull() | found[_LEFT].isNotNull())
        left = functions.coalesce(found[_LEFT], documents[text]).alias(text)
        return joined.select(*(left if name == text else documents[name] for name in documents.columns))

    def _found(self, documents: DataFrame, columns: list[str]) -> tuple[DataFrame, Column]:
        """Rows about the documents that contain items, with a key, and the key of documents."""
        key = None if self._row is not None else _names(documents, self._settings.id, self._name, None)
        found, which = self._tables["contaminated"], "documents that contain items"
        return found_by_key(documents, found, _KEY, columns, row=self._row, key=key, which=which)

    def __repr__(self) -> str:
        summary = self.summary
        return (
            f"<lookalike.spark.SparkContamination: {summary['documents']:,} documents, {summary['contaminated']:,} contaminated>"
        )


def decontaminate(
    documents: DataFrame,
    /,
    *,
    against: DataFrame,
    work: str,
    item_fields: str | Sequence[str] = (),
    preset: str | None = None,
    ngram: int | None = None,
    threshold: Threshold | None = None,
    common: int | None = None,
    common_items: int | None = None,
    item_id: str | None = None,
    settings: Settings | None = None,
    text: str | None = None,
    row: str | None = None,
    name: str = "table",
    against_name: str = "against",
    tasks: int | None = None,
    resume: bool = False,
    progress: Report = None,
) -> SparkContamination:
    """Finds the training documents that contain items of a benchmark, and where.

    The items come to the driver, which tells them to every task. The documents are read twice: to count in how many of them each
    shingle of the items is, and to find those that contain items.

    Parameters
    ----------
    documents : DataFrame
        With a column of texts, and of ids or numbers.
    against : DataFrame
        The items of the benchmark. They are numbered in the order in which Spark gives them.
    work : str
        Directory of the stages, which driver and workers can reach; the DataFrames of the result read it.
    item_fields, preset, ngram, threshold, common, common_items, item_id, settings, text, name, against_name
        As of :func:`lookalike.decontaminate`.
    row : str, optional
        Column with the number of each row, from 0 and distinct, for the ``record`` columns, which are empty without it.
    tasks, resume, progress
        As of :func:`lookalike.spark.dedup`.
    """
    given = {"ngram": ngram, "threshold": threshold, "common": common, "common_items": common_items}
    settings, fields, of_items = settings_of_call(settings, text, item_fields, preset, item_id_field=item_id, **given)
    items = _ipc(against.toArrow())
    portions = Portions(items, settings.to_json(), of_items, against_name, tuple(fields), name, row)
    rows = _named(read_columns(documents, settings, [] if text is None else [text], row), settings.id, name, row)
    search = portions.search
    session = documents.sparkSession
    described = [settings.to_json(), of_items, hashlib.sha256(items).hexdigest(), name, against_name, row]
    engine = started([rows], work, described, tasks, resume, progress)
    counts = rows.mapInArrow(portions.counts, "ngram bigint, documents bigint").groupBy("ngram").sum("documents")
    limit = json.loads(of_items)["common"]
    common_ngrams = engine.store("common", counts.toDF("ngram", "documents").where(f"documents > {limit} or ngram = {ROWS}"))
    pairs = engine.collect(common_ngrams).select(["ngram", "documents"]).to_pydict()
    numbers = dict(zip(pairs["ngram"], pairs["documents"], strict=True))
    counted_rows = numbers.pop(ROWS, 0)
    if engine.finished_rows("common") is not None:
        check_documents(engine, counted_rows, [rows])
    counted = tuple(sorted(numbers.items()))
    portions = replace(portions, common=counted)
    found = engine.store("found", rows.mapInArrow(portions.find, portions.schema))
    engine.check()
    of_tasks = engine.collect(found.where(f"found_table = {_ITEMS}")).select(list(_OF_TASKS)).to_pydict()
    made = search.items(_lookalike.add_found(of_tasks["found"]), search.counted(list(counted)))
    tables = dict(zip(("items", "benchmarks"), (session.createDataFrame(_spark_table(table)) for table in made), strict=True))
    for table, (number, columns) in portions.tables.items():
        tables[table] = found.where(f"found_table = {number}").select(*columns)
    summary = {
        "command": "decontaminate",
        "documents": sum(of_tasks["documents"]),
        "contaminated": sum(of_tasks["contaminated"]),
        "problems": sum(of_tasks["problems"]),
        "matches": tables["contamination"].count(),
        "spans": tables["spans"].count(),
        "settings": json.loads(of_items),
    }
    return SparkContamination(tables, summary, row, settings, name)


@dataclass(frozen=True)
class Portions:
    """The items and the settings of a call, as tasks take them. Each task looks for the items in its documents."""

    #: A table, as an Arrow stream.
    items: bytes
    settings: str
    contamination: str
    against_name: str
    fields: tuple[str, ...]
    name: str
    #: Column with the number of each row.
    row: str | None
    #: Shingles of the items that are in too many documents, and in how many.
    common: tuple[tuple[int, int], ...] = ()
    version: str = __version__

    @property
    def search(self) -> PortionSearch:
        """The items, with the index of their shingles: made once in each process."""
        if self.version != __version__:
            raise RuntimeError(
                f"lookalike {__version__} in this worker, {self.version} in the driver: install the same version"
            )
        return _search(self.items, self.settings, self.contamination, self.against_name, self.fields)

    @cached_property
    def tables(self) -> dict[str, tuple[int, dict[str, str]]]:
        """The tables of documents: the number of each, and the types of its columns in Spark."""
        empty = self.search.empty()
        tables = {
            "contamination": (_CONTAMINATION, empty.contamination),
            "spans": (_SPANS, empty.spans),
            "contaminated": (_CONTAMINATED, empty.contaminated),
        }
        return {name: (number, _types(table)) for name, (number, table) in tables.items()}

    @cached_property
    def columns(self) -> dict[str, str]:
        """The columns of what :meth:`find` makes, with their types in Spark: those of all tables."""
        columns = {"found_table": "bigint", **_OF_TASKS}
        for _, of_table in self.tables.values():
            columns |= of_table
        return columns

    @property
    def schema(self) -> str:
        """The same, as Spark writes it."""
        return ", ".join(f"`{name}` {kind}" for name, kind in self.columns.items())

    def counts(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Numbers of the shingles that documents have, and in how many of a batch they are; and the rows of the batch."""
        import pyarrow

        search = self.search
        for batch in batches:
            ngrams, documents = map(pyarrow.array, search.counts(self._opener(batch)))
            yield pyarrow.record_batch([ngrams, documents], names=["ngram", "documents"])
            yield pyarrow.record_batch({"ngram": [ROWS], "documents": [batch.num_rows]})

    def find(self, batches: Iterable[Any]) -> Iterator[Any]:
        """The rows of the tables of documents, and at the end what the task found of the items."""
        import pyarrow

        search, found, documents, contaminated, problems = self.search, [], 0, 0, 0
        counted = search.counted(list(self.common))
        for batch in batches:
            portion = search.find(self._opener(batch), counted)
            documents, problems = documents + portion.documents, problems + portion.problems
            rows = None if self.row is None else batch[self.row]
            if len(portion.contaminated):
                found.append(portion.found)
                contaminated += len(portion.contaminated)
                yield from self._rows(_CONTAMINATED, portion.contaminated, rows)
                yield from self._rows(_CONTAMINATION, portion.contamination, rows)
                yield from self._rows(_SPANS, portion.spans, rows)
        said = (_lookalike.add_found(found), documents, contaminated, problems)
        of_task = {name: [value] for name, value in zip(_OF_TASKS, said, strict=True)}
        yield from self._rows(_ITEMS, pyarrow.table(of_task), None)

    def _opener(self, batch: Any) -> Any:
        return opener(batch, Settings.from_json(self.settings), self.name, [])

    def _rows(self, number: int, table: Any, rows: Any) -> Iterator[Any]:
        """Rows of a table with the columns of all; records have the numbers of their rows."""
        import pyarrow
        from pyarrow import compute

        table = pyarrow.table(table)
        columns = {name: table[name] for name in table.column_names}
        columns["found_table"] = pyarrow.array([number] * table.num_rows)
        if "record" in columns:
            places = compute.subtract(columns["record"].cast(pyarrow.int64()), 1)
            columns["record"] = None if rows is None else compute.add(rows.take(places.combine_chunks()), 1)
        kinds = {"bigint": pyarrow.int64(), "double": pyarrow.float64(), "string": pyarrow.string(), "binary": pyarrow.binary()}
        made = {}
        for name, kind in self.columns.items():
            column = columns.get(name)
            made[name] = pyarrow.nulls(table.num_rows, kinds[kind]) if column is None else column.cast(kinds[kind])
        yield from pyarrow.table(made).to_batches()


@lru_cache(maxsize=1)
def _search(items: bytes, settings: str, contamination: str, name: str, fields: tuple[str, ...]) -> PortionSearch:
    from pyarrow import ipc

    table = ipc.open_stream(items).read_all()
    return PortionSearch(opener_of_items(table, Settings.from_json(settings), name, fields), settings, contamination)


def _ipc(table: Any) -> bytes:
    """A table as an Arrow stream."""
    import pyarrow
    from pyarrow import ipc

    sink = pyarrow.BufferOutputStream()
    with ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def _types(table: Any) -> dict[str, str]:
    """The columns of a table, with their types in Spark."""
    import pyarrow

    return {field.name: _TYPES[str(field.type)] for field in pyarrow.table(table).schema}


def _spark_table(table: Any) -> Any:
    """A table with types that Spark has."""
    import pyarrow

    table = pyarrow.table(table)
    counts = [field.with_type(pyarrow.int64()) if field.type == pyarrow.uint64() else field for field in table.schema]
    return table.cast(pyarrow.schema(counts))


def _named(rows: DataFrame, id: str, name: str, row: str | None) -> DataFrame:
    """Documents with the ids that tables have."""
    return rows.withColumn(id, _names(rows, id, name, row))


def _names(rows: DataFrame, id: str, name: str, row: str | None) -> Column:
    """What tables call documents: those without an id by the number of their row, or all alike."""
    from pyspark.sql import functions

    number = functions.lit(name)
    if row is not None:
        number = functions.concat(functions.lit(f"{name}:"), (rows[row] + 1).cast("string"))
    if id not in rows.columns:
        return number
    return functions.when(is_without_id(rows[id]), number).otherwise(rows[id].cast("string"))
