"""``passages``: runs of words, characters or lines that stand twice in a collection, and its documents without the copies."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from os import PathLike
from typing import Any, Literal

from lookalike import _lookalike
from lookalike._cut import Changes, Edit, Given, changed, refuse_files
from lookalike._documents import Documents, Opener, listed, opener, row_count, value_at
from lookalike._errors import DataError, SettingsError
from lookalike._libraries import library_of, native
from lookalike._lookalike import Table
from lookalike._progress import Progress
from lookalike._resources import options
from lookalike._settings import COLUMNS, Settings, has_sections, with_columns
from lookalike._summary import lines, table

Cut = Literal["none", "kept", "later", "all"]
Whole = Literal["line", "sentence", "paragraph"]
Scope = Literal["all", "within", "across"]

_CUTS = ("none", "kept", "later", "all")
_WHOLES = ("line", "sentence", "paragraph")
_UNITS = ("word", "char", "byte", *_WHOLES)
_SCOPES = ("all", "within", "across")


class Passages:
    """The repeated passages of the documents of :func:`passages`, and which copies are cut.

    Rows are numbered from 0 in the order of the documents; the ``record`` columns of tables are row + 1. Tables have
    the columns of the command's, and speak Arrow.
    """

    #: The settings of the call.
    settings: Settings

    def __init__(
        self, found: _lookalike.Passages, settings: Settings, documents: Opener, library: str, tokens: str | None
    ) -> None:
        self._found = found
        self._documents = documents
        self._library = library
        self._tokens = tokens
        self.settings = settings

    @cached_property
    def table(self) -> Table:
        """Every passage that stands at an earlier place as well: both places, in units and bytes, and the copies."""
        found = self._found.table("passages")
        assert found is not None
        return found

    @cached_property
    def cuts(self) -> Table | None:
        """Every passage that is cut, the place where the same units stay, and a digest of both.

        None with ``cut="none"``.
        """
        return self._found.table("cuts")

    @cached_property
    def edits(self) -> Table | None:
        """Every change of a text: the bytes that go (UTF-8), what they are, and what takes their place.

        None with ``cut="none"``. Rows that are removed have none.
        """
        return self._found.table("edits")

    @cached_property
    def near(self) -> Table | None:
        """Pairs of stretches of two documents that are nearly the same: both places, and the units in runs that both have.

        None without `gaps`.
        """
        return self._found.table("near")

    def removed(self) -> Any:
        """Numbers of the rows of which nothing is left, ascending.

        A pyarrow.Array, polars.Series, numpy.ndarray or Array: the form that the library of the documents selects by.
        """
        return native(self._found.removed(), self._library)

    def mask(self) -> Any:
        """For each row whether it stays, in the form of :attr:`removed`."""
        return native(self._found.mask(), self._library)

    @cached_property
    def problems(self) -> Table:
        """Documents that could not be used, and why; of very many, the first."""
        return self._found.problems()

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The content of ``summary.json`` of the command."""
        summary: dict[str, Any] = json.loads(self._found.summary())
        return summary

    def apply(self, documents: Given) -> Given:
        """The documents without what is cut: other texts in the rows of :attr:`edits`, and no rows of :attr:`removed`.

        A document that could not be cut, as its text was extracted from HTML, stays as it is.

        Parameters
        ----------
        documents : table, frame, column, list of texts or of records, or columns by name
            Those of the call, in the same order; they do not change. Other columns may have changed.

        Returns
        -------
        The same kind of object
            A table or a column of pyarrow, Polars or pandas, a list, or a dictionary of lists.

        Raises
        ------
        SettingsError
            The call had ``cut="none"``.
        DataError
            Documents that are not those of the call; a text inside of a struct of a table.
        TypeError
            Files: the command ``lookalike passages`` writes the documents of files. A stream.

        Examples
        --------
        >>> import lookalike
        >>> notice = "All rights reserved. No part of this page may be reproduced in any form."
        >>> pages = [{"id": "a", "text": f"On roses. {notice}"}, {"id": "b", "text": f"{notice} On tulips."}]
        >>> lookalike.passages(pages, length=10).apply(pages)[1]
        {'id': 'b', 'text': 'On tulips.'}
        """
        if self.edits is None:
            raise SettingsError("cut='none' cuts nothing: call passages() with cut='kept', which is the default")
        edits: dict[int, list[Edit]] = {}
        names = ("record", "byte", "end_byte", "put", "text")
        columns = (self.edits[name].to_pylist() for name in names)
        for record, start, end, put, text in zip(*columns, strict=True):
            edits.setdefault(record - 1, []).append(Edit(start, end, put or "", text))
        return changed(documents, Changes(self._tokens or self.settings.text, len(self._found), edits, self._found.mask()))

    def spans(self) -> list[list[tuple[int, int]]]:
        """For each row the later copies of passages in its text: characters, or tokens, from 0, the end excluded.

        They are ascending and have no character in common: passages that overlap are one. Documents are read again. A
        row whose text was extracted from HTML has none.

        Returns
        -------
        list of list of (int, int)
            A list for each row; ``text[start:end]`` is a copy. For a mask of tokens, compare these with the offsets of
            the tokenizer.

        Raises
        ------
        SettingsError
            A text of several fields, which has no offsets in one of them.

        Examples
        --------
        >>> import lookalike
        >>> texts = ["Où? A rose is a rose is a rose.", "«Où?» A ROSE is a rose is a rose!"]
        >>> found = lookalike.passages(texts, length=8)
        >>> [[texts[row][start:end] for start, end in spans] for row, spans in enumerate(found.spans())]
        [[], ['Où?» A ROSE is a rose is a rose']]
        """
        if self._tokens is not None:
            return [_merged(places) for places in self._copies("unit", "units", of_length=True)]
        if not _is_one_field(self.settings):
            raise SettingsError(f"text={self.settings.text!r} is of several values, and a span is a place in one")
        copies = self._copies("byte", "end_byte")
        texts = list(_texts(self._documents, self.settings.text))
        if len(texts) != len(copies):
            raise DataError(f"there are {len(texts)} documents now, and there were {len(copies)}", "input_changed")
        return [_characters(text, places) for text, places in zip(texts, copies, strict=True)]

    def _copies(self, start: str, end: str, of_length: bool = False) -> list[list[tuple[int, int]]]:
        """The places of later copies in each row, by these columns; the second may be a length."""
        copies: list[list[tuple[int, int]]] = [[] for _ in range(len(self._found))]
        columns = (self.table[name].to_pylist() for name in ("record", start, end))
        for record, first, last in zip(*columns, strict=True):
            copies[record - 1].append((first, first + last if of_length else last))
        return copies

    def __len__(self) -> int:
        """Number of rows."""
        return len(self._found)

    def __repr__(self) -> str:
        return lines(*self._found.summary_rows())

    def _repr_html_(self) -> str:
        return table(*self._found.summary_rows())


def passages(
    data: Documents,
    /,
    *,
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
    name: str = "table",
    strict: bool = False,
    threads: int | None = None,
    memory: int | str | None = None,
    scratch: str | PathLike[str] | None = None,
    progress: Progress = None,
) -> Passages:
    """Finds the passages that stand at two places of a collection or more, and which copies can be cut.

    A passage is a run of words, or of other units. It stands in two documents, or twice in one. Words are those of
    :func:`dedup`: case, punctuation and line ends do not count. All are found, whatever their length.

    Parameters
    ----------
    data : as of :func:`dedup`
        The documents; earlier ones take precedence. They are read three times: no generator and no stream. The command
        ``lookalike passages`` reads files, and writes them without the copies.
    length : int, optional
        The fewest units of a passage, 1 to 16,384. Without it 50 words, 300 characters or bytes, 3 lines or sentences,
        or a paragraph.
    unit : {"word", "char", "byte", "line", "sentence", "paragraph", "tokens:FIELD"}
        What passages are made of and cut by. char: the characters of the words, with one space between two words. byte:
        the bytes of the text (UTF-8) as it is. line, sentence, paragraph: each that has words is one unit, and equal to
        another one of the same words. tokens:FIELD: the integers or strings of a list column, such as ``input_ids``;
        the list takes the place of the text and is cut, and byte columns are places in its elements one a line.
    copies : int
        The fewest places at which a passage stands, the first one included.
    scope : {"all", "within", "across"}
        Where the copies stand: anywhere, in the same document, or in another document, so that what a document says
        twice by itself stays.
    separate_by : str, optional
        Compare only documents with the same value of this field.
    keep : str or sequence of str, optional
        Which documents take precedence, and keep their passages, as of :func:`dedup`; without it, and between equals,
        the earlier ones.
    cut : {"kept", "later", "all", "none"}
        Which copies are cut. kept: those of which the same words stand whole, at an earlier place, in what is kept, so
        that nothing is lost. later: all but the first, of which less may be left. all: every copy (Lee et al. 2021).
        none: passages are listed only.
    whole : {"line", "sentence", "paragraph"}, optional
        Cut whole lines, sentences or paragraphs only: what of a passage is less stays.
    joint : str, optional
        What is put where something was cut. Without it nothing, or a space where words would touch.
    rest : int
        Cut what is left between two cuts too, if it is fewer units than this; at most `length`.
    shortest : int
        Remove documents that cuts leave with fewer units than this; at most `length`.
    gaps : int, optional
        Also list passages of two documents that are the same but for gaps, each of at most this many units
        (:attr:`Passages.near`); they are not cut.
    agree : float or str, optional
        The least share of the units of a near passage that both documents have in common runs; 0.9 without it.
    settings : Settings, optional
        Names of fields, and how words are normalised.
    text, id : str, optional
        Fields with the text and the id of a document.
    name : str
        What tables call the documents in their ``file`` columns.
    strict, threads, memory, scratch, progress
        As of :func:`dedup`. `memory` is for the texts that are read at a time.

    Returns
    -------
    Passages
        Tables, the documents without the copies (:meth:`Passages.apply`), and masks (:meth:`Passages.spans`).

    Raises
    ------
    SettingsError
        Settings that make no sense; documents that can be read once.
    DataError
        A missing column, a bad record with ``strict=True``.

    Examples
    --------
    >>> import lookalike
    >>> notice = "All rights reserved. No part of this page may be reproduced in any form."
    >>> pages = [f"On roses. {notice}", f"{notice} On tulips."]
    >>> found = lookalike.passages(pages, length=10)
    >>> found.apply(pages)
    ['On roses. All rights reserved. No part of this page may be reproduced in any form.', 'On tulips.']
    >>> row = found.cuts.to_pylist()[0]
    >>> row["id"], row["units"], row["kept_id"], row["kept_unit"]
    ('table:2', 14, 'table:1', 2)
    """
    refuse_files(data)
    given: dict[str, Any] = {"length": length, "unit": unit, "copies": copies, "scope": scope, "cut": cut, "whole": whole}
    given |= {"joint": joint, "rest": rest, "shortest": shortest, "gaps": gaps, "agree": agree}
    settings, required, asked = settings_of_call(settings, text, id, keep, separate_by, given)
    limits = options(
        threads=threads, memory=memory, scratch=scratch, progress=progress, strict=strict, rows=row_count(data)
    )
    tokens = tokens_field(unit)
    documents = opener(data, settings if tokens is None else _fields(settings, tokens), name, required)
    found = _lookalike.passages(documents, settings.to_json(), asked, limits)
    return Passages(found, settings, documents, library_of(data), tokens)


def settings_of_call(
    settings: Settings | None,
    text: str | None,
    id: str | None,
    keep: str | Sequence[str] | None,
    separate_by: str | None,
    given: Mapping[str, Any],
) -> tuple[Settings, list[str], str]:
    """The settings of the documents of a call, the fields that they need to have, and the settings of passages, as JSON.

    Parameters
    ----------
    given
        What the call says of passages.

    Raises
    ------
    SettingsError
        Values that there are not, or that make no sense.
    """
    asked = dict(given)
    for setting in ("copies", "rest", "shortest"):
        asked[setting] = _count(setting, asked[setting])
    for setting in ("length", "gaps"):
        if asked.get(setting) is not None:
            asked[setting] = _count(setting, asked[setting])
    for setting, choices in (("cut", _CUTS), ("scope", _SCOPES), ("whole", _WHOLES)):
        if asked[setting] is not None or setting != "whole":
            asked[setting] = _one_of(setting, asked[setting], choices)
    tokens = tokens_field(asked["unit"])
    if not tokens:
        asked["unit"] = _one_of("unit", asked["unit"], (*_UNITS, "tokens:FIELD"))
    if asked.get("agree") is not None:
        asked["agree"] = str(asked["agree"])
    fields = {name: field for name, field in (("text", text), ("id", id)) if field is not None}
    settings, required = with_columns(settings or Settings(), fields)
    if keep is not None:
        settings = settings.replace(keep=keep)
    if separate_by is not None:
        settings = settings.replace(separate_by=separate_by)
    if asked["cut"] != "none" and tokens is None and not _is_one_field(settings):
        which = f"text={settings.text!r}" if settings.join_lists is None else f"join_lists={settings.join_lists!r}"
        raise SettingsError(f"{which}: a text of several values cannot be cut; list its passages with cut='none'")
    return settings, required, json.dumps(asked)


def _fields(settings: Settings, tokens: str) -> Settings:
    """The fields that settings name, and a list: without settings of texts, which the library refuses beside it."""
    fields = {name: getattr(settings, name) for name in (*COLUMNS, "keep", "separate_by")}
    return Settings(**{**fields, "features": tokens})


def tokens_field(unit: object) -> str | None:
    """The list field whose elements are units, if they are."""
    return unit.removeprefix("tokens:") if isinstance(unit, str) and unit.startswith("tokens:") else None


def _count(name: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 32:
        raise SettingsError(f"{name}={value!r}: give a whole number", "settings")
    return value


def _one_of(name: str, value: str, values: tuple[str, ...]) -> str:
    if value not in values:
        others = ", ".join(map(repr, values[:-1]))
        raise SettingsError(f"{name}={value!r}: use {others} or {values[-1]!r}", "settings")
    return value


def _is_one_field(settings: Settings) -> bool:
    """Whether a text is a value of a document, and not joined of several."""
    return settings.join_lists is None and not has_sections(settings)


def _texts(documents: Opener, field: str) -> Iterator[Any]:
    """The texts of all rows; None for those without one."""
    read = documents.open()
    for batch in [read] if hasattr(read, "__arrow_c_stream__") else read:
        if isinstance(batch, Mapping):
            yield from batch.get(field) or [None] * len(next(iter(batch.values()), ()))
        else:
            yield from _column(batch, field)


def _column(batch: Any, path: str) -> Iterator[Any]:
    """The values of a column of an Arrow table, or of a field of a struct in one."""
    read = Table.from_arrow(batch)
    native_batch = bool(library_of(batch))
    head, _, rest = path.partition(".")
    if path in read.column_names:
        yield from listed(batch[path] if native_batch else read[path])
    elif rest and head in read.column_names:
        if not native_batch:
            raise DataError(f"text={path!r} is inside of a struct: give the rows as records (dictionaries)", "source")
        for value in listed(batch[head]):
            yield value_at(value, rest) if isinstance(value, Mapping) else None
    else:
        yield from [None] * len(read)


def _merged(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ascending places, of which those that meet are one."""
    merged: list[tuple[int, int]] = []
    for start, end in places:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def _characters(text: Any, places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Places of bytes in a text, ascending, as places of characters that have none in common."""
    if not places or text is None:
        return []
    read = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    spans, byte, character = [], 0, 0
    for start, end in _merged(places):
        first = character + len(read[byte:start].decode("utf-8", "replace"))
        character = first + len(read[start:end].decode("utf-8", "replace"))
        spans.append((first, character))
        byte = end
    return spans
