"""``dedup`` and ``cluster`` over tables, lists and streams."""

from __future__ import annotations

from os import PathLike
from typing import Any

from lookalike import _lookalike
from lookalike._documents import Documents, opener, row_count
from lookalike._index import Index
from lookalike._libraries import library_of
from lookalike._options import SettingsKeywords, Unpack
from lookalike._progress import Progress
from lookalike._resources import options
from lookalike._result import Again, Asked, Result
from lookalike._settings import Settings, shows, with_columns


@shows(SettingsKeywords)
def dedup(
    data: Documents,
    /,
    *,
    settings: Settings | None = None,
    against: Documents | Index | None = None,
    against_only: bool = False,
    name: str = "table",
    strict: bool = False,
    drop_problems: bool = False,
    threads: int | None = None,
    memory: int | str | None = None,
    scratch: str | PathLike[str] | None = None,
    progress: Progress = None,
    **keywords: Unpack[SettingsKeywords],
) -> Result:
    """Finds the documents that duplicate another one, and says which.

    Parameters
    ----------
    data : Arrow table, stream or column of texts, list of texts, iterable of records, or columns by name
        The documents; their order is the order of precedence for ``keep="first"``. Texts in Arrow memory are not
        copied. A generator or a stream is read once.
    settings : Settings, optional
        What decides; or any keyword of :class:`Settings`: ``threshold=0.8``, ``text="content"``, ``keep="longest"``, …
    against : as `data`, or Index, optional
        A collection of which nothing is removed, and which takes precedence over `data`: a test set, or what is
        clean already. Of an index, only the documents are read that match one of `data`, which is read twice.
    against_only : bool
        Remove only what is in `against`.
    name : str
        What tables call `data` in their ``file`` columns; documents without an id are called ``name:record``.
    strict : bool
        Raise at the first document that cannot be used (no text), instead of listing it in ``problems``.
    drop_problems : bool
        :meth:`Result.mask` is False for documents that cannot be used.
    threads : int, optional
        By default as many as the process may run at once; 1 in worker processes. They change no answer.
    memory : int or str, optional
        Approximate memory for the work beside the documents, ``"8GiB"``; what is beyond goes to temporary files. By
        default three quarters of the machine's. It changes no answer.
    scratch : path, optional
        Directory of temporary files.
    progress : bool or callable, optional
        ``True`` shows a bar (``tqdm``, if it is installed); a function gets a :class:`Step` at most ten times a
        second on the calling thread, and ends the call by raising.

    Returns
    -------
    Result
        Row numbers and masks, and tables with the evidence.

    Raises
    ------
    SettingsError
        Settings that make no sense.
    DataError
        A missing column, or a stream that broke off: there is never an answer about a part of the documents.
    KeyboardInterrupt
        Ctrl-C, once the call has ended its threads.

    Examples
    --------
    >>> import lookalike
    >>> documents = {
    ...     "id": ["a", "b", "c"],
    ...     "text": ["one fish two fish red fish blue fish", "to be or not to be", "One fish, two fish, red fish, blue fish!"],
    ... }
    >>> result = lookalike.dedup(documents, threshold=0.8)
    >>> result.mask().to_pylist()
    [True, True, False]
    >>> row = result.ledger.to_pylist()[0]
    >>> row["removed_id"], row["kept_id"], row["resemblance"]
    ('c', 'a', 1.0)
    """
    settings, named = with_columns(settings, keywords)
    index = against._reader if isinstance(against, Index) else None
    protected = None if against is None or isinstance(against, Index) else opener(against, settings, "against", named)
    counted = [row_count(data), None if index else 0 if against is None else row_count(against)]
    rows = None if None in counted else sum(filter(None, counted))
    limits = options(threads=threads, memory=memory, scratch=scratch, progress=progress, strict=strict, rows=rows)
    documents = opener(data, settings, name, named)
    asked = Asked(list_pairs=False, against=protected, index=index, only_against=against_only)
    answer = _lookalike.find(documents, settings.to_json(), limits, **asked)
    again = Again(documents, limits, rows, asked)
    return Result(answer, settings=settings, again=again, library=library_of(data), drop_problems=drop_problems)


@shows(SettingsKeywords)
def cluster(
    data: Documents,
    /,
    *,
    settings: Settings | None = None,
    max_pairs: int = 10_000_000,
    name: str = "table",
    strict: bool = False,
    threads: int | None = None,
    memory: int | str | None = None,
    scratch: str | PathLike[str] | None = None,
    progress: Progress = None,
    **keywords: Unpack[SettingsKeywords],
) -> Result:
    """Lists every pair that reaches the threshold, and the clusters that they form; removes nothing.

    As of the command, clusters are the connected components of the pairs, unless `linkage` or `contained_only`, in
    `settings` or as keywords, say otherwise.

    Parameters
    ----------
    data, settings, name, strict, threads, memory, scratch, progress
        As of :func:`dedup`.
    max_pairs : int
        Most pairs that are listed; where there are more, ``summary["pairs"]["complete"]`` is False.

    Returns
    -------
    Result
        Its ``pairs`` are complete, its ``ledger`` is empty, and ``kept()`` are the documents that :func:`dedup` would
        keep with this linkage.

    Examples
    --------
    >>> import lookalike
    >>> texts = ["a rose is a rose is a rose", "to be or not to be", "A rose is a rose is a rose!"]
    >>> pair = lookalike.cluster(texts, threshold=0.5).pairs.to_pylist()[0]
    >>> pair["a_record"], pair["b_record"], pair["shared"], pair["size_a"], pair["size_b"]
    (1, 3, 3, 3, 3)
    """
    settings, named = with_columns(settings, keywords)
    rows = row_count(data)
    limits = options(
        threads=threads,
        memory=memory,
        scratch=scratch,
        progress=progress,
        strict=strict,
        max_pairs=max_pairs,
        rows=rows,
    )
    documents = opener(data, settings, name, named)
    asked = Asked(list_pairs=True, against=None, index=None, only_against=False)
    answer = _lookalike.find(documents, settings.to_json(), limits, **asked)
    again = Again(documents, limits, rows, asked)
    return Result(answer, settings=settings, again=again, library=library_of(data))
