"""What a :class:`Table` does in Python: rows one after the other, tables of other libraries, and how it is shown."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

from lookalike._lookalike import Table

#: Rows that are shown, and that are made Python objects at once.
_SHOWN, _BLOCK = 10, 1024

#: Characters of a value that are shown, and of a line.
_VALUE, _LINE = 32, 120

#: By the columns of a table, how to see why its rows are in it.
_WHY = (
    (("removed_id", "kept_id"), "result.explain(row['removed_id']) compares a removed document with the kept one"),
    (("a_id", "b_id"), "result.explain(row['a_id'], row['b_id']) compares the two documents"),
)


def rows(table: Table) -> Iterator[dict[str, Any]]:
    """The rows as dictionaries."""
    for start in range(0, len(table), _BLOCK):
        yield from table.to_pylist(start, start + _BLOCK)


def to_pandas(table: Table) -> Any:
    """A ``pandas.DataFrame``; by pyarrow, if it is installed, with its usual types."""
    pandas = _library("pandas")
    try:
        import_module("pyarrow")
    except ImportError:
        columns = {name: table[name].to_numpy() for name in table.column_names}
        return pandas.DataFrame(columns, columns=table.column_names)
    return to_arrow(table).to_pandas()


def to_polars(table: Table) -> Any:
    """A ``polars.DataFrame``."""
    return _library("polars").DataFrame(table)


def to_arrow(table: Table) -> Any:
    """A ``pyarrow.Table``."""
    return _library("pyarrow").table(table)


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(
            f"to_{'arrow' if name == 'pyarrow' else name}() needs {name}, which is not installed: pip install {name}"
        ) from error


def as_text(table: Table) -> str:
    """The number of rows, and the first of them in columns."""
    names = table.column_names
    cells = [[_plain(name) for name in names], *([_cell(value) for value in row.values()] for row in _first(table))]
    shown: list[list[str]] = [[] for _ in cells]
    left, line = list(names), 0
    for column in zip(*cells, strict=True):
        width = max(map(len, column))
        if shown[0] and line + 2 + width > _LINE:
            break
        line += 2 + width
        for own, cell in zip(shown, column, strict=True):
            own.append(cell.ljust(width))
        left.pop(0)
    lines = [f"<lookalike.Table: {_count(table)}>", *("  " + "  ".join(row).rstrip() for row in shown if row)]
    return "\n".join([*lines, *(f"  … {note}" for note in _notes(table, left))])


def as_html(table: Table) -> str:
    """The same for notebooks, with all columns."""
    head = _row("th", map(_plain, table.column_names))
    body = "".join(_row("td", map(_cell, row.values())) for row in _first(table))
    notes = "".join(f"<p>… {html.escape(note)}</p>" for note in _notes(table, []))
    return f"<p>{_count(table)}</p><table><thead>{head}</thead><tbody>{body}</tbody></table>{notes}"


def _row(tag: str, cells: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{html.escape(cell)}</{tag}>' for cell in cells)}</tr>"


def _first(table: Table) -> list[dict[str, Any]]:
    return table.to_pylist(0, _SHOWN)


def _count(table: Table) -> str:
    return f"{len(table):,} {'row' if len(table) == 1 else 'rows'}, {len(table.column_names)} columns"


def _notes(table: Table, left: list[str]) -> Iterator[str]:
    """What is not shown, and where more is found."""
    if len(table) > _SHOWN:
        yield f"{len(table) - _SHOWN:,} more rows"
    if left:
        yield f"more columns: {', '.join(map(_plain, left))}"
    names = set(table.column_names)
    if len(table):
        yield from (why for columns, why in _WHY if names.issuperset(columns))


def _cell(value: object) -> str:
    """The beginning of a value."""
    if value is None:
        return ""
    text = f"{value:.4g}" if isinstance(value, float) else _plain(str(value))
    return text if len(text) <= _VALUE else f"{text[: _VALUE - 1]}…"


def _plain(text: str) -> str:
    """Text in which characters that act instead of being shown, as those that colour a terminal, are written as escapes."""
    text = text[: 2 * _VALUE]
    return text if text.isprintable() else "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)
