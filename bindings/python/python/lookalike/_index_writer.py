"""The writer of an index: several changes in one commit."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import timedelta
from os import PathLike, fspath
from types import TracebackType
from typing import Any, NamedTuple

from lookalike import _lookalike
from lookalike._documents import Documents, Opener, opener
from lookalike._errors import ResourceError
from lookalike._index_query import date_text
from lookalike._index_settings import seconds
from lookalike._progress import Progress
from lookalike._resources import Options, options, thread_count
from lookalike._settings import COLUMNS, FORMATS, Settings, Threshold, threshold_text

#: What the documents of a call are called that have no id.
_NAME = "documents"

#: How files are read, beside the names of columns.
_FILES = ("format", "max_record", *FORMATS)

Paths = str | PathLike[str] | Iterable[str | PathLike[str]]


class Adding(NamedTuple):
    """How documents are added; the names are those of the extension module's struct."""

    unless_duplicate: str | None
    sweep: str | None
    sweep_date: str | None
    commit_every: int | None
    stage_only: bool
    ttl: int | None
    skip_unreadable: bool


class Deleting(NamedTuple):
    """Which documents are deleted; the names are those of the extension module's struct."""

    ids: list[str]
    urls: list[str]
    before: str | None
    site: str | None


class Staged(NamedTuple):
    """What :meth:`IndexWriter.add` has read."""

    #: Documents that were read.
    read: int
    #: Those that were left out as duplicates (``unless_duplicate=``).
    duplicates: int
    #: Records that could not be used.
    problems: int
    #: The first of them.
    listed: list[str]


class Committed(NamedTuple):
    """What a commit did."""

    #: Its number.
    commit: int
    #: Documents in the index after it.
    documents: int
    #: Documents that were added, those that replaced another one included.
    added: int
    #: Documents that replaced one with the same id.
    updated: int
    #: Documents that were deleted, without those that were replaced.
    deleted: int


class Added(NamedTuple):
    """What :meth:`Index.add` did."""

    #: The number of the last commit.
    commit: int
    #: Documents in the index after it.
    documents: int
    #: Documents that were added, those that replaced another one included.
    added: int
    #: Documents that replaced one with the same id.
    updated: int
    #: Documents that were read.
    read: int
    #: Those that were left out as duplicates (``unless_duplicate=``).
    duplicates: int
    #: Records that could not be used.
    problems: int
    #: The first of them.
    listed: list[str]


class Deleted(NamedTuple):
    """What was deleted."""

    #: Number of documents.
    deleted: int
    #: Ids and addresses that are not in the index.
    unknown: list[str]


class IndexWriter:
    """Changes an index in commits of several steps; made by :meth:`Index.writer`.

    Nothing is in the index before :meth:`commit`, or the end of the ``with`` block, which commits: then all steps are,
    durably and for every reader at once. A block that ends with an exception gives up what it had not committed.
    There is one writer of an index at a time, in all processes.

    Examples
    --------
    >>> import lookalike, pathlib, tempfile
    >>> index = lookalike.Index.create(pathlib.Path(tempfile.mkdtemp()) / "pages.index")
    >>> with index.writer() as writer:
    ...     staged = writer.add([{"id": "old", "text": "a rose is a rose is a rose"}])
    >>> with index.writer() as writer:
    ...     _ = writer.add([{"id": "new", "text": "a rose is a rose is a rose is a rose"}])
    ...     _ = writer.delete("old")
    ...     assert "old" in index and "new" not in index
    >>> "old" in index, "new" in index
    (False, True)
    """

    def __init__(self, path: str, settings: Settings, threads: int | None) -> None:
        self._writer = _lookalike.IndexWriter(path, thread_count(threads))
        self._settings = settings
        self._given_up = False

    def add(
        self,
        data: Documents,
        /,
        *,
        name: str | None = None,
        unless_duplicate: Threshold | None = None,
        ttl: int | str | timedelta | None = None,
        strict: bool = False,
        memory: int | str | None = None,
        progress: Progress = None,
        **columns: Any,
    ) -> Staged:
        """Stages documents; one with a known id replaces it.

        Parameters
        ----------
        data, name, unless_duplicate, ttl, strict, memory, progress, **columns
            As of :meth:`Index.add`.
        """
        told = self._add(
            (data, name),
            columns,
            unless_duplicate=unless_duplicate,
            ttl=ttl,
            strict=strict,
            memory=memory,
            progress=progress,
            stage_only=True,
        )
        return Staged(told["read"], told["duplicates"], told["problems"], told["listed"])

    def add_files(
        self,
        inputs: Paths,
        /,
        *,
        unless_duplicate: Threshold | None = None,
        ttl: int | str | timedelta | None = None,
        strict: bool = False,
        skip_unreadable: bool = False,
        memory: int | str | None = None,
        progress: Progress = None,
        **columns: Any,
    ) -> Staged:
        """Stages the documents of files, directories or globs.

        Parameters
        ----------
        inputs, unless_duplicate, ttl, strict, skip_unreadable, memory, progress, **columns
            As of :meth:`Index.add_files`.
        """
        told = self._add(
            inputs_listed(inputs),
            columns,
            unless_duplicate=unless_duplicate,
            ttl=ttl,
            strict=strict,
            skip_unreadable=skip_unreadable,
            memory=memory,
            progress=progress,
            stage_only=True,
        )
        return Staged(told["read"], told["duplicates"], told["problems"], told["listed"])

    def delete(
        self,
        ids: str | Iterable[str] = (),
        /,
        *,
        urls: str | Iterable[str] = (),
        before: object = None,
        site: str | None = None,
    ) -> Deleted:
        """Deletes documents of the last commit with the next one.

        Parameters
        ----------
        ids, urls, before, site
            As of :meth:`Index.delete`.
        """
        return self._delete(ids, urls, before, site, dry_run=False)

    def commit(self, *, progress: Progress = None) -> Committed:
        """Makes all steps since the last commit durable. When this returns, they survive a crash.

        Raises
        ------
        ResourceError
            A step before has failed, with which all others were given up; see :meth:`rollback`.
        """
        self._check()
        return Committed(**json.loads(self._writer.commit(_options(progress=progress))))

    def rollback(self) -> None:
        """Gives up all steps since the last commit. The writer can be used again, also after a step that failed."""
        self._writer.abandon()
        self._given_up = False

    def close(self) -> None:
        """Releases the index for other writers; gives up what was not committed."""
        self._writer.close()

    def _add(
        self,
        source: tuple[Documents, str | None] | list[str],
        columns: dict[str, Any],
        *,
        unless_duplicate: Threshold | None = None,
        sweep: str | None = None,
        sweep_date: object = None,
        commit_every: int | None = None,
        stage_only: bool = False,
        ttl: int | str | timedelta | None = None,
        strict: bool = False,
        skip_unreadable: bool = False,
        memory: int | str | None = None,
        progress: Progress = None,
    ) -> dict[str, Any]:
        self._check()
        fields, documents = _reading(source, columns, self._settings)
        adding = Adding(
            unless_duplicate=None if unless_duplicate is None else threshold_text(unless_duplicate),
            sweep=sweep,
            sweep_date=date_text(sweep_date),
            commit_every=commit_every,
            stage_only=stage_only,
            ttl=None if ttl is None else seconds(ttl),
            skip_unreadable=skip_unreadable,
        )
        limits = _options(memory=memory, progress=progress, strict=strict)
        try:
            told: dict[str, Any] = json.loads(self._writer.add(documents, fields.to_json(), adding, limits))
        except BaseException:
            # With it, all that was staged before is given up: a commit would have a part of the block.
            self._given_up = True
            raise
        return told

    def _delete(
        self, ids: str | Iterable[str], urls: str | Iterable[str], before: object, site: str | None, *, dry_run: bool
    ) -> Deleted:
        self._check()
        what = Deleting(_listed(ids), _listed(urls), date_text(before), site)
        if not any(what):
            raise TypeError("name the documents: give ids, urls=, before= or site=")
        return Deleted(*self._writer.delete(what, dry_run))

    def _merge(self, other: _lookalike.IndexReader) -> Committed:
        return Committed(**json.loads(self._writer.merge(other)))

    def _remove_sweep(self, name: str) -> int:
        self._check()
        return self._writer.remove_sweep(name)

    def _compact(self) -> None:
        self._writer.compact()

    def _check(self) -> None:
        if self._given_up:
            raise ResourceError(
                "a step of this writer has failed, with which all since the last commit were given up; call rollback()"
                " to begin again",
                "given_up",
            )

    def __enter__(self) -> IndexWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.commit()
        finally:
            self.close()

    def __reduce__(self) -> Any:
        raise TypeError("a writer of an index cannot be pickled: there is one in all processes; pickle the Index")


def _options(
    *, memory: int | str | None = None, progress: Progress = None, strict: bool = False
) -> Options:
    return options(threads=None, memory=memory, scratch=None, progress=progress, strict=strict)


def _reading(
    source: tuple[Documents, str | None] | list[str], columns: dict[str, Any], settings: Settings
) -> tuple[Settings, Opener | list[str]]:
    """How documents are read: the settings that name columns, and the documents."""
    known = (*COLUMNS, *_FILES) if isinstance(source, list) else COLUMNS
    unknown = sorted(set(columns) - set(known))
    if unknown:
        raise TypeError(f"{unknown[0]!r} is no argument, and no name of a column: {', '.join(known)}")
    fields = settings.replace(**columns)
    if isinstance(source, list):
        return fields, source
    data, name = source
    named = [columns[field] for field in COLUMNS if field in columns]
    if name is None:
        # Names by row would replace the documents of another call.
        named.append(fields.id)
    return fields, opener(data, fields, name or _NAME, dict.fromkeys(named))


def inputs_listed(inputs: Paths) -> list[str]:
    """Paths as a list."""
    return [fspath(inputs)] if isinstance(inputs, (str, PathLike)) else [fspath(path) for path in inputs]


def _listed(names: str | Iterable[str]) -> list[str]:
    return [names] if isinstance(names, str) else [str(name) for name in names]
