"""Collapsed results: a ranked list of documents with near-duplicates behind the first of them."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from lookalike import _lookalike
from lookalike._index import Index
from lookalike._index_query import Match
from lookalike._resources import thread_count
from lookalike._settings import Measure, Threshold, threshold_text


class Behind(NamedTuple):
    """A document behind another one."""

    #: Its place in the list, from 0.
    row: int
    id: str
    #: Its resemblance to the document that is shown.
    resemblance: float
    #: How much of it is in that document: what ``measure="containment"`` compares.
    containment: float
    #: Features that both have.
    shared: int


class Group(NamedTuple):
    """A document that is shown, and those behind it."""

    #: Its place in the list, from 0.
    row: int
    id: str
    #: In their order.
    behind: list[Behind]
    #: Whether it is an id that the index does not have: it is compared with no other.
    unknown: bool = False


def collapse(
    results: Iterable[str | Mapping[str, Any] | Match],
    /,
    *,
    index: Index | None = None,
    threshold: Threshold | None = None,
    measure: Measure | None = None,
    shingle: int | None = None,
    threads: int | None = None,
) -> list[Group]:
    """Groups a ranked list: a result is put behind the first shown one that it matches, or is shown.

    Parameters
    ----------
    results : iterable
        The list, the best first: texts, or records with a ``text`` and perhaps an ``id``. With an index, also what it
        holds: ids as text, records with an ``id`` only, or a :class:`Match`.
    index : Index, optional
        Holds the documents that are named by id.
    threshold : float or str, optional
        By default that of the index, else 0.8.
    measure : {"resemblance", "containment", "cosine"}, optional
        By default that of the index, else resemblance.
    shingle : int, optional
        Tokens of a shingle, without an index.
    threads : int, optional
        As of :func:`dedup`.

    Returns
    -------
    list of Group
        The results that are shown, each with those behind it.

    Examples
    --------
    >>> import lookalike
    >>> texts = ["a rose is a rose is a rose", "to be or not to be", "A rose is a rose is a rose!"]
    >>> [(group.row, [behind.row for behind in group.behind]) for group in lookalike.collapse(texts)]
    [(0, [2]), (1, [])]
    """
    if isinstance(results, (str, bytes)):
        raise TypeError("a single text is no list of results")
    if index is not None and shingle is not None:
        raise TypeError("shingle= is that of the index; leave it out")
    items = [_item(row, result, index is not None) for row, result in enumerate(results)]
    groups = _lookalike.collapse(
        items,
        None if index is None else index._reader,
        measure,
        None if threshold is None else threshold_text(threshold),
        shingle,
        thread_count(threads),
    )
    found = [
        Group(
            group["rank"] - 1,
            group["id"],
            [Behind(behind.pop("rank") - 1, **behind) for behind in group["behind"]],
            group.get("unknown", False),
        )
        for group in json.loads(groups)
    ]
    unknown = [group.id for group in found if group.unknown]
    if unknown:
        warnings.warn(
            f"{len(unknown)} of {len(items)} ids are not in the index, the first is {unknown[0]!r}; they are shown and"
            " compared with no other document",
            stacklevel=2,
        )
    return found


def _item(row: int, result: Any, stored: bool) -> tuple[str, str | None]:
    """An id, and a text if it is none of the index."""
    if isinstance(result, Match):
        return result.id, None
    if isinstance(result, str):
        return (result, None) if stored else (str(row), result)
    if isinstance(result, Mapping):
        text, id = result.get("text"), result.get("id")
        if text is not None or (stored and id is not None):
            return str(row) if id is None else str(id), text
        raise TypeError(f"result {row} has no text" + ("" if stored else ", and there is no index= that has it"))
    raise TypeError(f"result {row} is a {type(result).__name__}; give texts, records, ids or matches")
