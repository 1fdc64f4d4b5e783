"""Rows of names and values, for people."""

from __future__ import annotations

import html
import json
from typing import Any


class Summary:
    """What a run found, or a plan predicts: the content of its JSON, which prints as the command's table.

    Examples
    --------
    ``summary["kept"]`` is a number; ``summary.data`` is the whole object.
    """

    def __init__(self, data: str, rows: list[tuple[str, str]], warnings: list[str]) -> None:
        #: The object of ``summary.json``.
        self.data: dict[str, Any] = json.loads(data)
        self._rows, self._warnings = rows, warnings

    def __getitem__(self, name: str) -> Any:
        return self.data[name]

    def __repr__(self) -> str:
        return lines(self._rows, self._warnings)

    def _repr_html_(self) -> str:
        return table(self._rows, self._warnings)


def lines(rows: list[tuple[str, str]], warnings: list[str]) -> str:
    """The rows as text."""
    width = max((len(name) for name, _ in rows), default=0) + 5
    return "\n".join([*(f"{name:<{width}}{value}" for name, value in rows), *(f"warning: {each}" for each in warnings)])


def table(rows: list[tuple[str, str]], warnings: list[str]) -> str:
    """The rows as HTML."""
    indent = ' style="padding-left: 2em"'
    cells = "".join(
        f"<tr><th{indent if name.startswith(' ') else ''} scope='row' align='left'>{html.escape(name.strip())}</th>"
        f"<td align='left'>{html.escape(value)}</td></tr>"
        for name, value in rows
    )
    return f"<table>{cells}</table>" + "".join(f"<p>Warning: {html.escape(each)}</p>" for each in warnings)
