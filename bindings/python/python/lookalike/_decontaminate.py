"""``decontaminate``: which documents contain which items of benchmarks, and where."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from os import PathLike
from typing import Any

from lookalike import _lookalike
from lookalike._documents import Documents, Opener, opener
from lookalike._libraries import library_of, native
from lookalike._lookalike import Table
from lookalike._options import Threshold
from lookalike._progress import Progress
from lookalike._resources import options
from lookalike._settings import Settings, threshold_text
from lookalike._summary import lines, table


class Contamination:
    """Which documents of :func:`decontaminate` contain which items, and where.

    Rows are numbered from 0 in the order of the documents; the ``record`` columns of tables are row + 1. Tables have
    the columns of the command's, and speak Arrow.
    """

    def __init__(self, found: _lookalike.Contamination, library: str) -> None:
        self._found = found
        self._library = library

    def contaminated(self) -> Any:
        """Numbers of the rows that contain a part of an item, ascending.

        Returns
        -------
        pyarrow.Array, polars.Series, numpy.ndarray or Array
            In the form that the library of the documents selects by.
        """
        return native(self._found.contaminated(), self._library)

    def mask(self) -> Any:
        """For each row whether it contains no item: ``table.filter(found.mask())``.

        In the form of :meth:`contaminated`.
        """
        return native(self._found.mask(), self._library)

    @cached_property
    def contamination(self) -> Table:
        """Each document with each part of an item that it contains, and the share of its shingles."""
        return self._found.table("contamination")

    @cached_property
    def spans(self) -> Table:
        """The places of these parts: words and bytes of the text, from 0, the end excluded."""
        return self._found.table("spans")

    @cached_property
    def items(self) -> Table:
        """Every part of every item: found, absent, common or short."""
        return self._found.table("items")

    @cached_property
    def benchmarks(self) -> Table:
        """Every benchmark: items found, words covered, the longest span, documents."""
        return self._found.table("benchmarks")

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The content of ``summary.json`` of the command."""
        summary: dict[str, Any] = json.loads(self._found.summary())
        return summary

    def __repr__(self) -> str:
        return lines(*self._found.summary_rows())

    def _repr_html_(self) -> str:
        return table(*self._found.summary_rows())


def settings_of_call(
    settings: Settings | None,
    text: str | None,
    item_fields: str | Sequence[str],
    preset: str | None,
    *,
    threshold: Threshold | None,
    **given: Any,
) -> tuple[Settings, list[str], str]:
    """How texts are read, the fields of items, and what decides which documents contain items, as JSON."""
    settings = settings or Settings()
    if text is not None:
        settings = settings.replace(text=text)
    fields = [item_fields] if isinstance(item_fields, str) else list(item_fields)
    of_items = json.loads(_lookalike.contamination_settings(preset))
    given["threshold"] = None if threshold is None else threshold_text(threshold)
    of_items |= {name: value for name, value in given.items() if value is not None}
    if fields:
        of_items["item_fields"] = fields
    return settings, fields, json.dumps(of_items)


def opener_of_items(against: Documents, settings: Settings, name: str, fields: Sequence[str]) -> Opener:
    """How items are read."""
    of_items = settings.replace(text=fields[0]) if fields else settings
    return opener(against, of_items, name, fields)


def decontaminate(
    data: Documents,
    /,
    *,
    against: Documents,
    item_fields: str | Sequence[str] = (),
    preset: str | None = None,
    ngram: int | None = None,
    threshold: Threshold | None = None,
    common: int | None = None,
    common_items: int | None = None,
    item_id: str | None = None,
    settings: Settings | None = None,
    text: str | None = None,
    name: str = "table",
    against_name: str = "against",
    strict: bool = False,
    threads: int | None = None,
    memory: int | str | None = None,
    scratch: str | PathLike[str] | None = None,
    progress: Progress = None,
) -> Contamination:
    """Finds the training documents that contain items of a benchmark, and where.

    A document contains a part of an item if it has a share of the part's shingles (word n-grams), wherever they stand.

    Parameters
    ----------
    data : as of :func:`dedup`
        The training documents. They are read twice: no generator and no stream.
    against : as of :func:`dedup`
        The items of the benchmark.
    item_fields : str or sequence of str
        Fields of an item that are looked for, each on its own, such as ``["question", "answer"]``; the values of a
        list are one part. By default its text.
    preset : str, optional
        Settings of a well-known model or tool, ``"gpt3"`` or ``"palm"``; the keywords override it.
    ngram : int, optional
        Words per shingle, by default 8. A part of fewer words is one shingle, if it has 8 or more.
    threshold : number or str, optional
        The share of a part's distinct shingles that a document has to have, by default 0.5.
    common : int, optional
        Shingles in more documents do not count, by default 1,000.
    common_items : int, optional
        Shingles in more items do not count, by default 30.
    item_id : str, optional
        Field with the id of an item; by default that of the documents.
    settings : Settings, optional
        Names of fields, and how words are normalised.
    text : str, optional
        Field with the text of a document, and of an item without `item_fields`.
    name, against_name : str
        What tables call the documents and the items in their ``file`` columns.
    strict, threads, memory, scratch, progress
        As of :func:`dedup`.

    Returns
    -------
    Contamination
        Row numbers, a mask, and tables.

    Raises
    ------
    SettingsError
        Settings that make no sense, such as a field that no item has.

    Examples
    --------
    >>> import lookalike
    >>> quiz = [{"id": "rose", "question": "If a rose is a rose is a rose, then what is a flower?", "answer": "a rose"}]
    >>> texts = ["to be or not to be", "QUIZ: If a rose is a rose\\nis a rose, then what is a flower? Write to us."]
    >>> found = lookalike.decontaminate(texts, against=quiz, item_fields=["question", "answer"])
    >>> found.mask().to_pylist()
    [True, False]
    >>> row = found.spans.to_pylist()[0]
    >>> row["item_id"], row["part"], texts[1][row["first_byte"]:row["end_byte"]]
    ('rose', 'question', 'If a rose is a rose\\nis a rose, then what is a flower')
    """
    given = {"ngram": ngram, "threshold": threshold, "common": common, "common_items": common_items}
    settings, fields, of_items = settings_of_call(settings, text, item_fields, preset, item_id_field=item_id, **given)
    limits = options(threads=threads, memory=memory, scratch=scratch, progress=progress, strict=strict)
    documents = opener(data, settings, name, [] if text is None else [text])
    items = opener_of_items(against, settings, against_name, fields)
    found = _lookalike.decontaminate(documents, items, settings.to_json(), of_items, limits)
    return Contamination(found, library_of(data))
