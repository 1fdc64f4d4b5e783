"""What a caller gives as documents, as the extension module takes it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, KeysView, Mapping, Sequence, Set
from itertools import islice
from os import PathLike
from typing import Any, NamedTuple, Protocol, runtime_checkable

from lookalike import _lookalike
from lookalike._errors import DataError
from lookalike._libraries import table_of
from lookalike._settings import COLUMNS, Settings, has_sections

#: Records that are turned into a batch at once.
_ROWS = 1024


@runtime_checkable
class ArrowStream(Protocol):
    """Tables of pyarrow, Polars, pandas, DuckDB, nanoarrow and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


@runtime_checkable
class ArrowArray(Protocol):
    """Record batches and arrays of them."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...


#: Arrow tables, streams and batches; texts; records; columns by name.
Documents = ArrowStream | ArrowArray | Iterable[str | None] | Iterable[Mapping[str, Any]] | Mapping[str, Sequence[Any]]


class Opener(NamedTuple):
    """What the extension module reads; the names are those of its struct."""

    open: Callable[[], Any]
    repeatable: bool
    name: str
    required: list[str]


def opener(data: Documents, settings: Settings, name: str, required: Iterable[str]) -> Opener:
    """How the documents are read, which happens later.

    Raises
    ------
    TypeError
        What is no collection of documents.
    """
    open_, repeatable = _reading(data, settings)
    return Opener(open_, repeatable, name, list(required))


def _reading(data: Any, settings: Settings) -> tuple[Callable[[], Any], bool]:
    """A function that begins a reading, and whether it can be called again."""
    if isinstance(data, (str, bytes, bytearray, PathLike)):
        raise TypeError(
            "a single text is no collection; give a list of texts. Files are read by lookalike.Run(inputs, output), as"
            " lookalike.Run('docs.jsonl', 'clean').dedup()"
        )
    if isinstance(data, Set) and not isinstance(data, KeysView):
        raise TypeError(
            "a set has no order, and which duplicate is kept depends on it; give a list, as sorted(documents)"
        )
    table = table_of(data, settings.text)
    if table is not None:
        data = table
    if hasattr(data, "collect_schema") and hasattr(data, "collect"):
        raise TypeError("a lazy frame has no rows yet; call .collect(), or .collect_batches() for one too large")
    if hasattr(data, "with_format") and hasattr(data, "features"):
        # A datasets.Dataset: its .data has rows that were filtered away, so it is read through its own iterator.
        rows = data.with_format("arrow")
        return (lambda: rows.iter(_ROWS)), hasattr(data, "__len__")
    if hasattr(data, "__arrow_c_stream__"):
        if not _has_length(data):
            # A stream: it is read once.
            return (lambda: data), False
        return (lambda: data), True
    if hasattr(data, "__arrow_c_array__"):
        return (lambda: iter([data])), True
    if isinstance(data, Mapping):
        columns = dict(data)
        return (lambda: _of_columns(columns)), True
    if not isinstance(data, Iterable):
        raise TypeError(
            "documents are a table that speaks Arrow, texts, records (mappings) or columns by name, not "
            + type(data).__name__
        )
    if isinstance(data, Iterator):
        once = data
        return (lambda: _of_items(once, settings)), False
    if not _has_length(data):
        return (lambda: _of_items(iter(data), settings)), False
    return (lambda: _of_items(iter(data), settings)), True


def row_count(data: Any) -> int | None:
    """Number of documents, if it is known before they are read."""
    if isinstance(data, Mapping):
        data = next(iter(data.values()), ())
    elif isinstance(data, Sequence) and data and not isinstance(data[0], (str, Mapping, type(None))):
        # Of Arrow batches.
        return None
    return len(data) if _has_length(data) else None


def _has_length(data: Any) -> bool:
    try:
        len(data)
    except TypeError:
        return False
    return True


def _of_columns(columns: Mapping[str, Any]) -> Iterator[dict[str, list[Any]]]:
    """Batches of columns by name."""
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        raise DataError(f"the columns have different lengths: {lengths}", "source")
    for start in range(0, max(lengths.values(), default=0), _ROWS):
        yield {name: listed(values[start : start + _ROWS]) for name, values in columns.items()}


def listed(values: Any) -> list[Any]:
    """A column as a list of Python objects."""
    for method in ("to_pylist", "tolist"):
        if hasattr(values, method):
            found = getattr(values, method)()
            return found if isinstance(found, list) else [found]
    return list(values)


def _of_items(items: Iterator[Any], settings: Settings) -> Iterator[Any]:
    """Batches of texts, records or Arrow batches."""
    row = 0
    while True:
        block = list(islice(items, 1))
        if not block:
            return
        first = block[0]
        if hasattr(first, "__arrow_c_stream__") or hasattr(first, "__arrow_c_array__"):
            yield first
            continue
        block += islice(items, _ROWS - 1)
        yield _block(block, settings, row)
        row += len(block)


def _block(block: list[Any], settings: Settings, row: int) -> dict[str, list[Any]]:
    text = settings.text
    if all(isinstance(item, str) or item is None for item in block):
        return {text: block}
    for number, item in enumerate(block, row):
        if not isinstance(item, Mapping):
            raise TypeError(f"item {number} is a {type(item).__name__}; give texts, or records with a field {text!r}")
    names = dict.fromkeys(name for item in block for name in item)
    columns = {name: [item.get(name) for item in block] for name in names}
    for path in _paths(settings):
        columns[path] = [value_at(item, path) for item in block]
    fields = _lookalike.text_fields(settings.to_json())
    if fields != [text] and text not in names:
        columns[text] = [_joined(item, fields, text) for item in block]
    return columns


def _joined(record: Mapping[str, Any], fields: list[str], text: str) -> str | None:
    """The text of several fields and members of lists; of a record with objects that JSON does not have, none."""
    try:
        return _lookalike.joined_text(text, json.dumps({field: value_at(record, field) for field in fields}))
    except TypeError:
        return None


def _paths(settings: Settings) -> list[str]:
    """The fields whose names may be paths into records in records."""
    named = [getattr(settings, name) for name in COLUMNS]
    named += _lookalike.keep_fields(settings.to_json())
    named += _lookalike.given_fields(settings.to_json())
    sections = has_sections(settings)
    return [name for name in named if name is not None and "." in name and not (sections and name == settings.text)]


def value_at(record: Mapping[str, Any], path: str) -> Any:
    """The value of a field: of the name itself, or of a record in the record."""
    if path in record:
        return record[path]
    head, dot, rest = path.partition(".")
    inner = record.get(head) if dot else None
    return value_at(inner, rest) if isinstance(inner, Mapping) else None
