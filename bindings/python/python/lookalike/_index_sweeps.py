"""Crawls over time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any, NamedTuple

from lookalike import _lookalike
from lookalike._index_writer import IndexWriter
from lookalike._lookalike import Table
from lookalike._resources import thread_count
from lookalike._settings import Threshold, threshold_text


class Sweep(NamedTuple):
    """A sweep of an index: the documents of one crawl."""

    name: str
    documents: int
    date: str | None = None


class SweepDiff(NamedTuple):
    """What became of every page from one sweep to another; made by :meth:`Sweeps.diff`."""

    #: Pages by what became of them: ``same``, ``same_words``, ``slight``, ``heavy``, ``moved``,
    #: ``moved_address_kept``, ``gone``, ``new``.
    counts: dict[str, int]
    #: The pages: change, addresses, ids, resemblance, containment, and the bits in which their simhashes differ.
    pages: Table


class Sweeps:
    """The sweeps of an index, in the order of their dates; ``index.sweeps``.

    Examples
    --------
    >>> import lookalike, pathlib, tempfile
    >>> index = lookalike.Index.create(pathlib.Path(tempfile.mkdtemp()) / "pages.index")
    >>> text = "one fish two fish red fish blue fish black fish old fish new fish"
    >>> for sweep, address in [("may", "http://a.example/fish"), ("june", "http://a.example/animals/fish")]:
    ...     _ = index.add([{"id": address, "url": address, "text": text}], sweep=sweep)
    >>> [sweep.name for sweep in index.sweeps]
    ['may', 'june']
    >>> diff = index.sweeps.diff("may", "june")
    >>> diff.counts["moved"], diff.pages.to_pylist()[0]["new_url"]
    (1, 'http://a.example/animals/fish')
    """

    def __init__(self, reader: _lookalike.IndexReader, writer: Callable[[], IndexWriter]) -> None:
        self._reader, self._writer = reader, writer

    def __iter__(self) -> Iterator[Sweep]:
        return iter([Sweep(**sweep) for sweep in json.loads(_lookalike.index_sweeps(self._reader))])

    def remove(self, name: str) -> int:
        """Removes a sweep and its documents, durably, and returns how many there were."""
        with closing(self._writer()) as writer:
            deleted = writer._remove_sweep(name)
            writer.commit()
        return deleted

    def diff(
        self,
        earlier: str,
        later: str,
        *,
        slight: float = 0.9,
        threshold: Threshold = 0.5,
        site: str | None = None,
        threads: int | None = None,
    ) -> SweepDiff:
        """What became of every page: a page that is gone from its address is looked for by its content.

        Parameters
        ----------
        earlier, later : str
            Names of sweeps.
        slight : float
            Versions of a page that resemble each other so much changed slightly.
        threshold : float or str
            A page moved if another one resembles it so much, or contains so much of it.
        site : str, optional
            Only pages of this host, or of hosts below this domain.
        threads : int, optional
            As of :func:`dedup`.
        """
        wanted = threshold_text(threshold)
        return SweepDiff(
            *_lookalike.index_diff(self._reader, earlier, later, slight, wanted, site, thread_count(threads))
        )

    def history(self, url: str, *, slight: float = 0.9) -> list[dict[str, Any]]:
        """The versions of a page in all sweeps: ``sweep``, ``change``, and where there are some ``date``, ``id`` and
        ``resemblance`` to the version before."""
        versions: list[dict[str, Any]] = json.loads(_lookalike.index_history(self._reader, url, slight))
        return versions

    def changes(self, site: str | None = None, *, slight: float = 0.9) -> list[dict[str, Any]]:
        """For each sweep its ``name``, ``date`` and ``documents``, and as ``changes`` the numbers of pages by what
        became of them since the sweep before; of a site, or of all."""
        versions: list[dict[str, Any]] = json.loads(_lookalike.index_site_history(self._reader, site, slight))
        return versions

    def holders(self, url: str, *, threshold: Threshold = 0.8) -> list[dict[str, Any]]:
        """The sites that have documents which contain so much of a page: ``site``, ``urls``, ``documents``,
        ``first_sweep``, ``last_sweep``, ``containment``, ``resemblance``."""
        found = _lookalike.index_holders(self._reader, url, threshold_text(threshold))
        holders: list[dict[str, Any]] = json.loads(found)
        return holders

    def revisit(self, site: str | None = None, *, threads: int | None = None) -> Table:
        """The pages in the order in which to visit them again: those that change often and much first.

        ``rate`` is the estimated number of changes in what ``per`` names: a day if sweeps have dates, else a sweep.
        """
        return _lookalike.index_revisit(self._reader, site, thread_count(threads))
