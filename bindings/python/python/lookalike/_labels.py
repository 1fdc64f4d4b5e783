"""Labels of documents, as the extension module takes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike, fspath
from typing import Any

from lookalike._documents import listed
from lookalike._lookalike import Table

#: A file of labels, or what they are called and their columns.
Labels = str | tuple[str, list[tuple[str, list[str]]]]

#: Columns that name documents by their place, and those that hold anything else, in tables of labels.
_PLACES = ("a_file", "a_record", "b_file", "b_record", "file", "record")
_VALUES = ("a_id", "b_id", "a", "b", "id1", "id2", "id", "cluster")

#: What tables have, and single columns have not.
_OF_TABLES = ("column_names", "columns", "schema")


def true_pairs(truth: Any, documents: str) -> tuple[Labels, int | None]:
    """The true pairs of documents that are called `documents`; and how many there are, if each has a label.

    Raises
    ------
    TypeError
        What is neither a file, a table, pairs nor labels.
    """
    if isinstance(truth, (str, PathLike)):
        return fspath(truth), None
    columns = _columns(truth)
    if columns is not None:
        chosen = {name: values for name, values in columns.items() if name in (*_PLACES, *_VALUES)}
        return ("truth", _texts(chosen)), None
    items = _items(truth, "truth is a file, a table, pairs of ids or rows, or a label for each row")
    if all(isinstance(item, (tuple, list)) and len(item) == 2 for item in items):
        return ("truth", _pairs([tuple(item) for item in items], documents)), None
    rows = [(row, label) for row, label in enumerate(items, 1) if label is not None]
    wrong = next((label for _, label in rows if not isinstance(label, (str, int)) or isinstance(label, bool)), None)
    if wrong is not None:
        raise TypeError(f"a label is a str, an int or None, not {type(wrong).__name__}")
    numbers = [row for row, _ in rows]
    labels = [label for _, label in rows]
    columns = {"id": numbers, "cluster": labels, "file": [documents] * len(rows), "record": numbers}
    return ("truth", _texts(columns)), len(items)


def classes_of(classes: Any) -> Labels:
    """The classes of documents by id.

    Raises
    ------
    TypeError
        What is neither a file, a table nor classes by id.
    """
    if isinstance(classes, (str, PathLike)):
        return fspath(classes)
    columns = _columns(classes)
    if columns is None:
        raise TypeError(f"classes are a file, a table or a dict of classes by id, not {type(classes).__name__}")
    lists = all(isinstance(values, (list, tuple)) or hasattr(values, "tolist") for values in columns.values())
    if isinstance(classes, Mapping) and not lists:
        columns = {"id": list(classes), "class": list(classes.values())}
    if not {"id", "class"} <= set(columns):
        raise TypeError(f"the columns of classes are id and class, not {', '.join(map(str, columns))}")
    return "classes", _texts({"id": columns["id"], "class": columns["class"]})


def _columns(labels: Any) -> dict[str, Any] | None:
    """The columns of a table; None for what is no table."""
    if isinstance(labels, Mapping):
        return dict(labels)
    if not hasattr(labels, "__arrow_c_stream__") or not any(hasattr(labels, name) for name in _OF_TABLES):
        return None
    table = Table.from_arrow(labels)
    return {name: table.column(name).to_pylist() for name in table.column_names if name in (*_PLACES, *_VALUES, "class")}


def _items(labels: Any, wanted: str) -> list[Any]:
    if not isinstance(labels, Iterable):
        raise TypeError(f"{wanted}, not {type(labels).__name__}")
    return listed(labels)


def _pairs(pairs: list[tuple[Any, Any]], documents: str) -> list[tuple[str, list[str]]]:
    """Pairs of ids, or of row numbers."""
    names = [name for pair in pairs for name in pair]
    if all(isinstance(name, str) for name in names):
        return _texts({"a_id": [a for a, _ in pairs], "b_id": [b for _, b in pairs]})
    if not all(isinstance(name, int) and not isinstance(name, bool) for name in names):
        raise TypeError("pairs are of ids (str), or of row numbers (int)")
    places = [documents] * len(pairs)
    a, b = [a + 1 for a, _ in pairs], [b + 1 for _, b in pairs]
    return _texts({"a_id": a, "b_id": b, "a_file": places, "a_record": a, "b_file": places, "b_record": b})


def _texts(columns: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """Columns of texts; numbers as they are written."""
    return [(str(name), ["" if value is None else str(value) for value in listed(values)]) for name, values in columns.items()]
