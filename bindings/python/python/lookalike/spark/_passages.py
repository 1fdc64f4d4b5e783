"""``passages`` over DataFrames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lookalike._errors import DataError, SettingsError
from lookalike._passages import Cut, Scope, Whole, settings_of_call, tokens_field
from lookalike._settings import Settings
from lookalike.distributed import names
from lookalike.distributed.limits import Limits
from lookalike.distributed.passages import FoundPassages, PassageQuestion, find_passages
from lookalike.distributed.sets import Side
from lookalike.distributed.stages import Report
from lookalike.spark._call import check_documents, found_by_key, is_without_id, read_columns, started
from lookalike.spark._result import renamed

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType

#: The columns by which documents are found, and of the text that is left.
_KEY, _LEFT = "lookalike_key", "lookalike_left"


class SparkPassages:
    """The repeated passages of the documents of :func:`lookalike.spark.passages`, and which copies are cut.

    Its DataFrames have the columns and the rows of the tables of :class:`lookalike.Passages`, in no order; they read the stages
    in `work`.
    """

    def __init__(
        self, found: FoundPassages[DataFrame], documents: DataFrame, question: PassageQuestion, row: str | None
    ) -> None:
        self._found, self._given, self._question, self._row = found, documents, question, row
        #: Numbers of the run, under the names of ``summary.json``.
        self.summary = found.summary

    @property
    def table(self) -> DataFrame:
        """Every passage that stands at an earlier place as well: both places, in units and bytes, and the copies."""
        return renamed(self._found.passages, names.passages("passages"))

    @property
    def cuts(self) -> DataFrame:
        """Every passage that is cut, the place where the same units stay, and a digest of both; none with ``cut="none"``."""
        return renamed(self._found.cuts, names.passages("cuts"))

    @property
    def edits(self) -> DataFrame:
        """Every change of a text: the bytes that go (UTF-8), what they are, and what takes their place.

        Documents that are removed have none.
        """
        return renamed(self._found.edits, names.passages("edits"))

    @property
    def near(self) -> DataFrame | None:
        """Pairs of stretches of two documents that are nearly the same: both places, and the units in runs that both have.

        None without `gaps`.
        """
        return None if self._found.near is None else renamed(self._found.near, names.passages("near"))

    @property
    def removed(self) -> DataFrame:
        """The documents of which nothing is left: ``id``, ``record``."""
        return self._found.left.where("text is null").select("id", "record")

    @property
    def problems(self) -> DataFrame:
        """Documents that could not be used: ``id``, ``record``, ``message``."""
        return self._found.problems.selectExpr("id", "row + 1 as record", "problem as message")

    @property
    def documents(self) -> DataFrame:
        """The documents of the call without what is cut, as of :meth:`apply`."""
        return self.apply(self._given)

    def apply(self, documents: DataFrame) -> DataFrame:
        """The documents of the call without what is cut: other texts where something goes, and no rows of :attr:`removed`.

        A document that could not be cut, as its text was extracted from HTML, stays as it is. Rows are found by the column of
        row numbers of the call, else by id.

        Raises
        ------
        SettingsError
            The call had ``cut="none"``.
        DataError
            Several documents have the id of one that is cut, or one has none, and rows have no numbers.
        """
        from pyspark.sql import functions

        if self._question.resolved["cut"] == "none":
            raise SettingsError("cut='none' cuts nothing: call passages() with cut='kept', which is the default")
        settings, tokens = self._question.settings, tokens_field(self._question.resolved["unit"])
        text, id = tokens or settings.text, settings.id
        if text not in documents.columns:
            # Of HTML alone: nothing is cut.
            return documents
        left = self._found.left.select("id", "record", self._found.left["text"].alias(_LEFT))
        if self._row is None and documents.where(is_without_id(documents[id])).limit(1).count():
            named = documents.select(documents[id].cast("string").alias("id"))
            if left.join(named, "id", "left_anti").limit(1).count():
                raise DataError("documents that are cut have no id; number the rows, and name the column with row=", "missing_id")
        key = None if self._row is not None else documents[id].cast("string")
        found, key = found_by_key(documents, left, _KEY, [_LEFT], row=self._row, key=key, which="documents that are cut")
        joined = documents.join(found, key == found[_KEY], "left").where(found[_KEY].isNull() | found[_LEFT].isNotNull())
        new = found[_LEFT] if tokens is None else _list_of_lines(found[_LEFT], documents.schema[text].dataType)
        own = functions.coalesce(new, documents[text]).alias(text)
        return joined.select(*(own if name == text else documents[name] for name in documents.columns))

    def __repr__(self) -> str:
        summary = self.summary
        return (
            f"<lookalike.spark.SparkPassages: {summary['documents']:,} documents, {summary['passages']:,} passages, "
            f"{summary['cuts']:,} cuts>"
        )


def _list_of_lines(lines: Column, kind: DataType) -> Column:
    """A list of integers or strings of its elements one a line, in which a line end is ``\\n`` and a backslash ``\\\\``."""
    from pyspark.sql import functions

    escaped, line_end = functions.lit(r"\n"), functions.lit("\n")

    def element(line: Column) -> Column:
        # Between escaped backslashes, a backslash is that of a line end.
        parts = functions.split(line, r"\\\\")
        return functions.array_join(functions.transform(parts, lambda part: functions.replace(part, escaped, line_end)), "\\")

    # Each line ends, the last one as well.
    split = functions.split(lines, "\n")
    return functions.transform(functions.slice(split, 1, functions.size(split) - 1), element).cast(kind)


def passages(
    documents: DataFrame,
    /,
    *,
    work: str,
    length: int | None = None,
    unit: str = "word",
    copies: int = 2,
    scope: Scope = "all",
    separate_by: str | None = None,
    keep: str | Sequence[str] | None = None,
    cut: Cut = "kept",
    whole: Whole | None = None,
    joint: str | None = None,
    rest: int = 0,
    shortest: int = 0,
    gaps: int | None = None,
    agree: float | str | None = None,
    settings: Settings | None = None,
    text: str | None = None,
    id: str | None = None,
    row: str | None = None,
    name: str = "table",
    tasks: int | None = None,
    resume: bool = False,
    progress: Report = None,
    limits: Limits = Limits(),
) -> SparkPassages:
    """Finds the passages that stand at two places of a collection or more, and which copies can be cut.

    Parameters
    ----------
    documents : DataFrame
        With a column of texts, and of ids or numbers.
    work : str
        Directory of the stages, which driver and workers can reach; the DataFrames of the result read it. It has a copy of the
        texts.
    length, unit, copies, scope, separate_by, keep, cut, whole, joint, rest, shortest, gaps, agree, settings, text, id, name
        As of :func:`lookalike.passages`. With ``cut="kept"`` one task decides about documents that have passages in
        common, of at most ``limits.runs`` passages.
    row : str, optional
        Column with the number of each row, from 0 and distinct: the order of the collection, and the ``record`` columns. By
        default documents are ordered by id, and equal ids by their texts.
    tasks, resume, progress, limits
        As of :func:`lookalike.spark.dedup`.

    Returns
    -------
    SparkPassages
        Its DataFrames equal the tables of :func:`lookalike.passages` over the same rows.
    """
    given: dict[str, Any] = {"length": length, "unit": unit, "copies": copies, "scope": scope, "cut": cut, "whole": whole}
    given |= {"joint": joint, "rest": rest, "shortest": shortest, "gaps": gaps, "agree": agree}
    settings, named, asked = settings_of_call(settings, text, id, keep, separate_by, given)
    question = PassageQuestion(settings, asked, name)
    rows = read_columns(documents, settings, named, row, tokens_field(unit))
    context = question.context()
    engine = started([rows], work, [context.settings, context.options, row], tasks, resume, progress)
    read = engine.finished_rows("read")
    if read is not None:
        check_documents(engine, read, [rows])
    found = find_passages(engine, Side(rows, 0, row), question, limits=limits)
    engine.check()
    return SparkPassages(found, documents, question, row)
