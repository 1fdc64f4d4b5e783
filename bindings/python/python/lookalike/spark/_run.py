"""``dedup``, ``cluster`` and ``similarity_join`` over DataFrames."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from lookalike._options import PlainKeywords, Unpack
from lookalike._settings import Settings, shows, with_columns
from lookalike.distributed import names as columns
from lookalike.distributed.limits import Limits
from lookalike.distributed.run import Question, pairs_between, run
from lookalike.distributed.sets import Side
from lookalike.distributed.stages import Report
from lookalike.spark._call import check_documents, read_columns, started
from lookalike.spark._engine import SparkEngine
from lookalike.spark._result import SparkResult, renamed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@shows(PlainKeywords)
def dedup(
    documents: DataFrame,
    /,
    *,
    work: str,
    settings: Settings | None = None,
    row: str | None = None,
    against: DataFrame | None = None,
    against_only: bool = False,
    name: str = "table",
    tasks: int | None = None,
    resume: bool = False,
    progress: Report = None,
    seed: int = 0,
    limits: Limits = Limits(),
    **keywords: Unpack[PlainKeywords],
) -> SparkResult:
    """Finds the documents that duplicate another one, and says which.

    Parameters
    ----------
    documents : DataFrame
        With a column of texts, and of ids.
    work : str
        Directory of the stages, which driver and workers can reach. It takes about 3 kB a document of 200 words, and is not removed:
        the DataFrames of the result read it.
    settings : Settings, optional
        What decides; or any keyword of :class:`lookalike.Settings`: ``threshold=0.8``, ``text="content"``, ``id="url"``,
        ``keep="longest"``, … Methods, ``ignore_common=`` and ``boilerplate=`` are for one
        machine.
    row : str, optional
        Column with the number of each row, from 0 and distinct: the order of the collection, for ``keep="first"`` and the
        ``record`` columns. By default documents are ordered by id, and equal ids by their texts.
    against : DataFrame, optional
        A collection of which nothing is removed, and which takes precedence.
    against_only : bool
        Remove only what is in `against`.
    name : str
        What tables call the documents in their ``file`` columns.
    tasks : int, optional
        Tasks of a shuffle; by default ``spark.sql.shuffle.partitions``. Two or three for each core.
    resume : bool
        Go on from the stages of an earlier call that did not end, over the same documents with the same settings.
    progress : bool or callable, optional
        ``True`` prints a line for each stage; a function gets a :class:`Stage`.
    seed, limits
        What the run costs; the answer does not depend on them.

    Returns
    -------
    SparkResult
        Its DataFrames equal the tables of :func:`lookalike.dedup` over the same rows.
    """
    settings, named = with_columns(settings, keywords)
    question = Question(settings, name, has_against=against is not None, only_against=against_only)
    call = _Call(question, [documents] if against is None else [documents, against], named, row)
    return call.result(call.engine(work, tasks, resume, progress), limits, seed)


@shows(PlainKeywords)
def cluster(
    documents: DataFrame,
    /,
    *,
    work: str,
    settings: Settings | None = None,
    row: str | None = None,
    name: str = "table",
    tasks: int | None = None,
    resume: bool = False,
    progress: Report = None,
    seed: int = 0,
    limits: Limits = Limits(),
    **keywords: Unpack[PlainKeywords],
) -> SparkResult:
    """Lists every pair that reaches the threshold, and the clusters that they form; removes nothing.

    Clusters are the connected components of the pairs, unless ``linkage="leaders"`` or `settings` say otherwise. A family
    of n near-copies has n²/2 pairs, and all are written.

    Parameters
    ----------
    documents, work, settings, row, name, tasks, resume, progress, seed, limits
        As of :func:`dedup`.
    """
    settings, named = with_columns(settings, keywords)
    question = Question(settings, name, removes=False)
    call = _Call(question, [documents], named, row)
    return call.result(call.engine(work, tasks, resume, progress), limits, seed)


@shows(PlainKeywords)
def similarity_join(
    a: DataFrame,
    b: DataFrame,
    /,
    *,
    work: str,
    settings: Settings | None = None,
    row: str | None = None,
    names: tuple[str, str] = ("a", "b"),
    tasks: int | None = None,
    resume: bool = False,
    progress: Report = None,
    seed: int = 0,
    **keywords: Unpack[PlainKeywords],
) -> DataFrame:
    """The pairs of a document of `a` and one of `b` that reach the threshold, with their counts.

    With ``measure="containment"``, the smaller set of a pair is contained in the larger one.

    Parameters
    ----------
    a, b : DataFrame
        Documents, with the same names of columns.
    names : tuple of str
        What the pairs call the collections in their ``file`` columns.
    work, settings, row, tasks, resume, progress, seed
        As of :func:`dedup`.
    """
    settings, named = with_columns(settings, keywords)
    question = Question(settings, *names, removes=False, cross=True)
    call = _Call(question, [a, b], named, row)
    engine = call.engine(work, tasks, resume, progress)
    found = pairs_between(engine, call.sides, question, seed=seed)
    engine.check()
    return renamed(found, columns.pairs(settings.to_json()))


class _Call:
    """The documents of a call, with the columns that it reads."""

    def __init__(self, question: Question, documents: list[DataFrame], named: list[str], row: str | None) -> None:
        self._question, self._row = question, row
        self._documents = [read_columns(rows, question.settings, named, row) for rows in documents]
        self.sides = [Side(rows, side, row) for side, rows in enumerate(self._documents)]

    def engine(self, work: str, tasks: int | None, resume: bool, progress: Report) -> SparkEngine:
        """The engine, whose stages are in a directory of this call below `work`."""
        context = self._question.context()
        ignored = hashlib.sha256(self._question.ignored).hexdigest()
        described = [context.settings, ignored, context.options, [side.row for side in self.sides]]
        engine = started(self._documents, work, described, tasks, resume, progress)
        signed = engine.finished_rows("signed")
        if signed is not None:
            check_documents(engine, signed, self._documents)
        return engine

    def result(self, engine: SparkEngine, limits: Limits, seed: int) -> SparkResult:
        """The tables of a run, of stages that are whole."""
        outcome = run(engine, self.sides, self._question, limits=limits, seed=seed)
        engine.check()
        return SparkResult(outcome.found, outcome.summary, self._row, self._question.settings.id)
