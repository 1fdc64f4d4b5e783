"""What became of documents, and why."""

from __future__ import annotations

import json
import os
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, NamedTuple, TypedDict

from lookalike import _lookalike
from lookalike._compare import Comparison
from lookalike._documents import Opener
from lookalike._errors import DataError, InputError, ResourceError
from lookalike._libraries import native
from lookalike._lookalike import Answer, IndexReader, Table
from lookalike._progress import Progress, is_cancelled, reporter
from lookalike._resources import Options, size
from lookalike._settings import Settings
from lookalike._summary import lines, table


class Asked(TypedDict):
    """What a call was asked, beside its settings."""

    list_pairs: bool
    against: Opener | None
    index: IndexReader | None
    only_against: bool


class Again(NamedTuple):
    """What a call is made again with."""

    documents: Opener
    options: Options
    #: Number of documents, if it was known.
    rows: int | None
    asked: Asked


class Result:
    """What became of the documents of :func:`dedup` or :func:`cluster`, and why.

    Rows are numbered from 0 in the order of the documents; the ``record`` columns of tables are row + 1. Tables have
    exactly the columns, rows and order of the command's, and speak Arrow: ``pyarrow.table(result.ledger)``,
    ``polars.DataFrame(result.ledger)``, ``result.ledger.to_pandas()``, ``result.ledger.to_pylist()``.

    A result can be used in a ``with`` block, which ends with :meth:`close`.

    Examples
    --------
    >>> import lookalike
    >>> texts = ["a rose is a rose is a rose", "to be or not to be", "A rose is a rose is a rose!"]
    >>> result = lookalike.dedup(texts)
    >>> [texts[row] for row in result.kept()]
    ['a rose is a rose is a rose', 'to be or not to be']
    >>> print(result)
    documents                  3
    kept                       2 (66.7 %)
    removed                    1 (33.3 %)
      lexically equivalent     1
    clusters                   1 (largest: 2)
    pairs listed               1 (those that caused a removal)
    differences                of 1 duplicate, without identical ones
      case                     1 (100 %)
    text                       71 B, 22 tokens
    """

    #: The settings of the call.
    settings: Settings

    def __init__(
        self,
        answer: Answer,
        *,
        settings: Settings,
        again: Again | None = None,
        library: str = "",
        drop_problems: bool = False,
    ) -> None:
        self._found: Answer | None = answer
        self._again = again
        self._library = library
        self._drop_problems = drop_problems
        self.settings = settings

    @property
    def _answer(self) -> Answer:
        if self._found is None:
            raise ResourceError("the result is closed; use it in its with block", "closed")
        return self._found

    def kept(self) -> Any:
        """Numbers of the rows that stay, ascending; rows that could not be read are not among them.

        Returns
        -------
        pyarrow.Array, polars.Series, numpy.ndarray or Array
            In the form that the library of the documents selects by (pandas by NumPy arrays); an :class:`Array` for
            all others.
        """
        return native(self._answer.kept(), self._library)

    def removed(self) -> Any:
        """Numbers of the rows that are removed, ascending; in the form of :meth:`kept`."""
        return native(self._answer.removed(), self._library)

    def mask(self) -> Any:
        """For each row whether it stays: ``table.filter(result.mask())``; in the form of :meth:`kept`.

        Rows that could not be read (without a text) stay, unless the call had ``drop_problems=True``.
        """
        return native(self._answer.mask(self._drop_problems), self._library)

    @cached_property
    def ledger(self) -> Table:
        """Every removed document with its witness, the rule, and the counts that prove the match."""
        return self._answer.table("ledger")

    @cached_property
    def pairs(self) -> Table:
        """The pairs that were listed: of :func:`cluster` all that reach the threshold."""
        return self._answer.table("pairs")

    @cached_property
    def clusters(self) -> Table:
        """Every document that is in a cluster with another one; in the row of a leader ``size`` and ``duplicates``."""
        return self._answer.table("clusters")

    @cached_property
    def problems(self) -> Table:
        """Documents that could not be used, and why."""
        return self._answer.table("problems")

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The content of ``summary.json``: counts, settings, warnings, and the digest of the result."""
        summary: dict[str, Any] = json.loads(self._answer.summary())
        return summary

    def explain(self, a: int | str, b: int | str | None = None) -> Comparison:
        """Compares two documents of the call, and says what it decided about them.

        Parameters
        ----------
        a, b : int or str
            Row numbers, or ids. Without `b`, `a` is a removed document and is compared with its witness.

        Raises
        ------
        DataError
            Documents that were a stream, which cannot be read again; a name of none or several of them.

        Examples
        --------
        >>> import lookalike
        >>> result = lookalike.dedup(["a rose is a rose is a rose", "A rose is a rose is a rose!"])
        >>> result.explain(1).decision
        'table:2 was removed as lexically_equivalent to table:1.'
        """
        row = self._decision(a, b)
        if b is None:
            if row is None:
                raise DataError(f"{a!r} was not removed; name two documents", "no_such_document")
            b = row["kept_record"] - 1 if row["kept_file"] == row["removed_file"] else row["kept_id"]
        documents = self._repeatable("use compare() on the texts").documents
        names = [f"{documents.name}:{which + 1}" if isinstance(which, int) else which for which in (a, b)]
        compared = _lookalike.compare_rows(documents, names[0], names[1], self.settings.to_json())
        decision = None
        if row is not None:
            decision = f"{row['removed_id']} was removed as {row['rule']} to {row['kept_id']}."
        return Comparison(compared, decision)

    def _repeatable(self, advice: str) -> Again:
        """What the call is made again with."""
        again = self._again
        if again is None or not again.documents.repeatable:
            raise DataError(
                f"the documents cannot be read again: they were a stream, or the result was stored; {advice}", "source"
            )
        return again

    def _decision(self, a: int | str, b: int | str | None) -> dict[str, Any] | None:
        """The row of the ledger about two documents, or about a removed one."""
        if not len(self.ledger):
            return None

        def rows(which: int | str | None, side: str) -> set[int]:
            if which is None:
                return set(range(len(self.ledger)))
            column, value = ("record", which + 1) if isinstance(which, int) else ("id", which)
            values = self.ledger[f"{side}_{column}"].to_pylist()
            return {row for row, found in enumerate(values) if found == value}

        about = rows(a, "removed") & rows(b, "kept") | (rows(b, "removed") & rows(a, "kept") if b is not None else set())
        row = min(about, default=None)
        return None if row is None else self.ledger.to_pylist(row, row + 1)[0]

    def write(
        self,
        output: str | PathLike[str],
        *,
        force: bool = False,
        tables: Literal["parquet", "tsv", "jsonl"] = "parquet",
    ) -> None:
        """Writes the tables and ``summary.json`` to a directory, whole or not at all.

        The bytes of the tables are those that the command writes over the same rows. Documents are not written: filter
        your table with :meth:`mask`.

        Parameters
        ----------
        output : path
            The directory, which must not exist unless `force` is True.
        force : bool
            Replace an earlier result.
        tables : {"parquet", "tsv", "jsonl"}
            Form of the tables.
        """
        self._answer.write(fspath(output), force, tables)

    def report(
        self,
        file: str | PathLike[str],
        *,
        force: bool = False,
        report_size: int | str = "20MB",
        progress: Progress = None,
    ) -> None:
        """Writes the page ``report.html`` of the command: what was found, all clusters, and pairs side by side.

        The call is made again with its settings and limits, as a result has no texts; so this takes as long.

        Parameters
        ----------
        file : path
            The page, which must not exist unless `force` is True.
        force : bool
            Replace an earlier page.
        report_size : int or str
            Bytes of data in the page itself; more go to ``report-data`` beside it.
        progress : bool or callable, optional
            As of :func:`dedup`.

        Raises
        ------
        DataError
            Documents that were a stream, or that are not those of the call any more.
        InputError
            A page that exists, or cannot be written.

        Examples
        --------
        >>> import lookalike, pathlib, tempfile
        >>> page = pathlib.Path(tempfile.mkdtemp()) / "roses.html"
        >>> lookalike.dedup(["a rose is a rose is a rose", "A rose is a rose is a rose!"]).report(page)
        >>> "<title>" in page.read_text(encoding="utf-8")
        True
        """
        again = self._repeatable("give a list or a table")
        path = Path(fspath(file))
        if not force and path.exists():
            raise InputError(f"{path} exists; force=True replaces it", "output")
        limits = again.options._replace(progress=reporter(progress, again.rows), cancelled=is_cancelled())
        settings, bytes_ = self.settings.to_json(), size(report_size)
        digest, page, beside = _lookalike.report(again.documents, settings, limits, bytes_, **again.asked)
        if digest != self.summary["digest"]:
            raise DataError("the documents are not those of the call any more; call dedup() again", "input_changed")
        for name, content in [*beside, (path.name, page)]:
            _write(path.parent / name, content)

    def close(self) -> None:
        """Releases the tables and the documents; what was taken of them before stays."""
        self._found = self._again = None
        for name in ("ledger", "pairs", "clusters", "problems"):
            self.__dict__.pop(name, None)

    def __enter__(self) -> Result:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        # The documents are not a part of the result.
        return _unpickled, (self._answer, self.settings, self._library, self._drop_problems)

    def __len__(self) -> int:
        """Number of rows."""
        return len(self._answer)

    def __repr__(self) -> str:
        return lines(*self._answer.summary_rows())

    def _repr_html_(self) -> str:
        return table(*self._answer.summary_rows())


def _unpickled(answer: Answer, settings: Settings, library: str, drop_problems: bool) -> Result:
    return Result(answer, settings=settings, library=library, drop_problems=drop_problems)


def _write(path: Path, content: str) -> None:
    """Writes a file, which appears whole or not at all."""
    part = path.with_name(f".{path.name}.partial-{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(content.encode())
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise InputError(f"{path}: {error.strerror}", "output") from error
