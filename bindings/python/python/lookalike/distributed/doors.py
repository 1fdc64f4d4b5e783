"""``dedup``, ``cluster`` and ``similarity_join`` over the frames of a library, whose workers run the tasks of a run over files.

The library reads documents and writes them as Parquet, runs functions, and reads the tables of the result. Rows between steps
are files of :class:`lookalike.distributed.files.FileEngine`: what brings equal keys to one task, and sorts them, is the same for
all libraries, and none of their own joins and shuffles takes part in a decision.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import pyarrow
import pyarrow.compute
import pyarrow.parquet

from lookalike._errors import DataError, InputError, SettingsError
from lookalike._options import PlainKeywords, Unpack
from lookalike._settings import Settings, shows, with_columns
from lookalike.distributed import names as columns
from lookalike.distributed.files import FileEngine, Job, Numbered, Parts
from lookalike.distributed.inputs import wanted_columns
from lookalike.distributed.limits import Limits
from lookalike.distributed.results import Found
from lookalike.distributed.run import Question, pairs_between, run
from lookalike.distributed.sets import Side
from lookalike.distributed.stages import Report, told

Frame = TypeVar("Frame")

#: What a problem with a document has.
_PROBLEM = {"id": "id", "row": "record", "problem": "message"}


class Library(Protocol[Frame]):
    """What a library of frames does."""

    def columns(self, frame: Frame, /) -> list[str]:
        """Names of the columns."""

    def write(self, frame: Frame, columns: list[str], folder: Path, /) -> None:
        """Writes some columns as Parquet files to an empty directory, which workers reach."""

    def read(self, folder: Path, /) -> Frame:
        """The rows of Parquet files."""

    def where(self, frame: Frame, column: str, stays: Stays, /) -> Frame:
        """The rows whose value of a column stays."""

    def run(self, function: Callable[..., Any], jobs: Sequence[Job], /) -> list[Any]:
        """Calls a function with each of some tuples of arguments on workers; what it returned, in their order.

        A job whose worker is lost is repeated.
        """

    def tasks(self) -> int:
        """How many tasks rows are usually divided among."""


@dataclass(frozen=True)
class Stays:
    """Which documents stay, by a column: those whose values are not in one of a table."""

    table: Path
    column: str
    #: What is taken from the values of the table, which are numbers then.
    less: int | None

    def __call__(self, values: Any) -> Any:
        """For each value whether it stays, as an array of pyarrow."""
        removed = _removed(self)
        return pyarrow.compute.invert(pyarrow.compute.is_in(pyarrow.array(values).cast(removed.type), removed))


@lru_cache(maxsize=4)
def _removed(stays: Stays) -> Any:
    values = pyarrow.parquet.read_table(stays.table, columns=[stays.column])[stays.column]
    return values if stays.less is None else pyarrow.compute.subtract(values, stays.less)


class FrameResult(Generic[Frame]):
    """What became of the documents of a call, and why.

    Its frames have the columns and the rows of the tables of :class:`lookalike.Result`, in no order; they read the files in
    `work`.
    """

    def __init__(
        self, library: Library[Frame], work: Path, summary: dict[str, Any], row: str | None, question: Question
    ) -> None:
        self._library, self._work, self._row = library, work, row
        self._name, self._id = question.name, question.settings.id
        #: The numbers of the run, under the names of ``summary.json``; under ``join``, what the join counted.
        self.summary = summary

    @property
    def kept(self) -> Frame:
        """The documents that stay: ``id``, ``file``, ``record``."""
        return self._table("kept")

    @property
    def ledger(self) -> Frame:
        """Every removed document with its witness, the rule, and the counts."""
        return self._table("ledger")

    @property
    def pairs(self) -> Frame:
        """The pairs that were listed."""
        return self._table("pairs")

    @property
    def clusters(self) -> Frame:
        """Every document that is in a cluster with another one."""
        return self._table("clusters")

    @property
    def problems(self) -> Frame:
        """Documents that could not be used: ``id``, ``record``, ``message``."""
        return self._table("problems")

    def _table(self, name: str) -> Frame:
        return self._library.read(self._work / name)

    def filter(self, documents: Frame) -> Frame:
        """The rows of the documents of the call that stay; those that could not be used stay, too.

        Rows are found by the column of row numbers of the call, else by id. Each worker holds what was removed.

        Raises
        ------
        DataError
            A removed document has the id of another one that stays, or none, and rows have no numbers.
        """
        ledger = self._work / "ledger"
        if self._row is not None:
            return self._library.where(documents, self._row, Stays(ledger, "removed_record", 1))
        removed = pyarrow.parquet.read_table(ledger, columns=["removed_id", "removed_record"])
        unnamed = [f"{self._name}:{record}" for record in removed["removed_record"].to_pylist()]
        if pyarrow.compute.any(pyarrow.compute.equal(removed["removed_id"], pyarrow.array(unnamed, pyarrow.utf8()))).as_py():
            raise DataError("removed documents have no id; number the rows, and name the column with row=", "missing_id")
        for stay in ("kept", "problems"):
            for file in (self._work / stay).iterdir():
                ids = pyarrow.parquet.read_table(file, columns=["id"])["id"]
                if pyarrow.compute.any(pyarrow.compute.is_in(ids, removed["removed_id"].combine_chunks())).as_py():
                    raise DataError(
                        "removed documents and kept ones have the same ids; number the rows, and name the column with row=",
                        "repeated_id",
                    )
        return self._library.where(documents, self._id, Stays(ledger, "removed_id", None))

    def __repr__(self) -> str:
        summary = self.summary
        return (
            f"<{type(self._library).__module__}: {summary['documents']:,} documents, {summary['kept']:,} kept, "
            f"{summary['clusters']:,} clusters>"
        )


@dataclass(frozen=True)
class _Problems:
    """Numbers of rows to those of records."""

    def __call__(self, batches: Iterable[Any], number: int, /) -> Iterator[Any]:
        for batch in batches:
            at = batch.schema.get_field_index("record")
            yield batch.set_column(at, "record", pyarrow.compute.add(batch["record"], 1))

    def schema(self, before: Any, /) -> Any:
        return before


class Door(Generic[Frame]):
    """The functions over the frames of a library."""

    def __init__(self, library: Library[Frame]) -> None:
        self._library = library

    @shows(PlainKeywords)
    def dedup(
        self,
        documents: Frame,
        /,
        *,
        work: str | PathLike[str],
        settings: Settings | None = None,
        row: str | None = None,
        against: Frame | None = None,
        against_only: bool = False,
        name: str = "table",
        tasks: int | None = None,
        progress: Report = None,
        seed: int = 0,
        limits: Limits = Limits(),
        **keywords: Unpack[PlainKeywords],
    ) -> FrameResult[Frame]:
        """Finds the documents that duplicate another one, and says which.

        Parameters
        ----------
        documents : frame
            With a column of texts, and of ids or numbers.
        work : path
            A directory that the driver and all workers reach under this name, on a disk of this machine or one that they
            share. It must be empty or not exist. While a call runs it has a copy of the documents and the rows between
            steps, about 3 kB a document of 200 words; then the tables, which the frames of the result read.
        settings : Settings, optional
            What decides; or any keyword of :class:`lookalike.Settings`: ``threshold=0.8``, ``text="content"``,
            ``id="url"``, ``keep="longest"``, … Methods, ``ignore_common=`` and ``boilerplate=`` are for one machine.
        row : str, optional
            Column with the number of each row, from 0 and distinct: the order of the collection, for ``keep="first"`` and
            the ``record`` columns. By default documents are ordered by id, and equal ids by their texts.
        against : frame, optional
            A collection of which nothing is removed, and which takes precedence.
        against_only : bool
            Remove only what is in `against`.
        name : str
            What tables call the documents in their ``file`` columns. It enters the digest.
        tasks : int, optional
            Tasks that rows are divided among: a task holds its share of the rows of a step, and sorts them. By default two
            for each core of the workers.
        progress : bool or callable, optional
            ``True`` prints a line for each stage; a function gets a :class:`Stage`.
        seed, limits
            What the run costs; the answer does not depend on them.

        Returns
        -------
        FrameResult
            Its frames equal the tables of :func:`lookalike.dedup` over the same rows.
        """
        settings, named = with_columns(settings, keywords)
        question = Question(settings, name, has_against=against is not None, only_against=against_only)
        collections = [documents] if against is None else [documents, against]
        return self._result(question, collections, named, row, work, tasks, progress, seed, limits)

    @shows(PlainKeywords)
    def cluster(
        self,
        documents: Frame,
        /,
        *,
        work: str | PathLike[str],
        settings: Settings | None = None,
        row: str | None = None,
        name: str = "table",
        tasks: int | None = None,
        progress: Report = None,
        seed: int = 0,
        limits: Limits = Limits(),
        **keywords: Unpack[PlainKeywords],
    ) -> FrameResult[Frame]:
        """Lists every pair that reaches the threshold, and the clusters that they form; removes nothing.

        Clusters are the connected components of the pairs, unless ``linkage="leaders"`` or `settings` say otherwise. A
        family of n near-copies has n²/2 pairs, and all are written.

        Parameters
        ----------
        documents, work, settings, row, name, tasks, progress, seed, limits
            As of :func:`dedup`.
        """
        settings, named = with_columns(settings, keywords)
        question = Question(settings, name, removes=False)
        return self._result(question, [documents], named, row, work, tasks, progress, seed, limits)

    @shows(PlainKeywords)
    def similarity_join(
        self,
        a: Frame,
        b: Frame,
        /,
        *,
        work: str | PathLike[str],
        settings: Settings | None = None,
        row: str | None = None,
        names: tuple[str, str] = ("a", "b"),
        tasks: int | None = None,
        progress: Report = None,
        seed: int = 0,
        **keywords: Unpack[PlainKeywords],
    ) -> Frame:
        """The pairs of a document of `a` and one of `b` that reach the threshold, with their counts.

        With ``measure="containment"``, the smaller set of a pair is contained in the larger one.

        Parameters
        ----------
        a, b : frame
            Documents, with the same names of columns.
        names : tuple of str
            What the pairs call the collections in their ``file`` columns.
        work, settings, row, tasks, progress, seed
            As of :func:`dedup`.
        """
        settings, named = with_columns(settings, keywords)
        question = Question(settings, *names, removes=False, cross=True)
        with self._started(question, [a, b], named, row, work, tasks, progress) as (engine, sides, folder):
            found = pairs_between(engine, sides, question, seed=seed)
            engine.write(engine.renamed(found, columns.pairs(settings.to_json())), folder / "pairs")
        return self._library.read(folder / "pairs")

    def _result(
        self,
        question: Question,
        collections: Sequence[Frame],
        named: list[str],
        row: str | None,
        work: str | PathLike[str],
        tasks: int | None,
        progress: Report,
        seed: int,
        limits: Limits,
    ) -> FrameResult[Frame]:
        with self._started(question, collections, named, row, work, tasks, progress) as (engine, sides, folder):
            outcome = run(engine, sides, question, limits=limits, seed=seed)
            for name, rows in _tables(engine, outcome.found, json.dumps(outcome.summary["settings"])).items():
                engine.write(rows, folder / name)
        return FrameResult(self._library, folder, outcome.summary, row, question)

    @contextmanager
    def _started(
        self,
        question: Question,
        collections: Sequence[Frame],
        named: list[str],
        row: str | None,
        work: str | PathLike[str],
        tasks: int | None,
        progress: Report,
    ) -> Iterator[tuple[FileEngine, list[Side[Parts]], Path]]:
        """The engine, the documents, and the directory; rows between steps are removed in the end."""
        library = self._library
        wanted = [wanted_columns(library.columns(rows), question.settings, named, row) for rows in collections]
        folder = _empty_directory(work)
        rows = folder / "rows"
        # Settings are refused before documents are written.
        question.context().task("number").columns
        try:
            sides = []
            for side, (frame, own) in enumerate(zip(collections, wanted, strict=True)):
                written = rows / f"documents-{side}"
                written.mkdir(parents=True)
                library.write(frame, own, written)
                sides.append(Side(_documents(written, own).then(Numbered(row)), side, row))
            engine = FileEngine(rows, tasks=tasks or library.tasks(), run=library.run, report=told(progress))
            yield engine, sides, folder
        finally:
            shutil.rmtree(rows, ignore_errors=True)


def _empty_directory(work: str | PathLike[str]) -> Path:
    if "://" in str(work):
        raise SettingsError(
            f"work={str(work)!r} is a URL: the rows between steps are files; give a directory that all workers mount", "work"
        )
    folder = Path(fspath(work)).resolve()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        used = any(folder.iterdir())
    except OSError as error:
        raise InputError(f"work={str(folder)!r}: {error.strerror}", "work") from error
    if used:
        raise InputError(f"work={str(folder)!r} is not empty: give each call a directory of its own", "work")
    return folder


def _documents(folder: Path, columns: list[str]) -> Parts:
    """The documents that were written; of none there may be no file."""
    files = sorted(folder.rglob("*.parquet"))
    if not files:
        files = [folder / "none.parquet"]
        nothing = pyarrow.table({column: pyarrow.nulls(0, pyarrow.utf8()) for column in columns})
        pyarrow.parquet.write_table(nothing, files[0])
    return Parts(tuple(files))


def _tables(engine: FileEngine, found: Found[Parts], settings: str) -> dict[str, Parts]:
    """The result tables by name."""
    return {
        "kept": engine.renamed(found.kept, columns.KEPT),
        "ledger": engine.renamed(found.ledger, columns.ledger(settings)),
        "pairs": engine.renamed(found.pairs, columns.pairs(settings)),
        "clusters": engine.renamed(found.clusters, columns.CLUSTERS),
        "problems": engine.renamed(found.problems, _PROBLEM).then(_Problems()),
    }
