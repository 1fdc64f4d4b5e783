"""Columns of the result tables, by those of the rows that steps make."""

from __future__ import annotations

from lookalike._lookalike import passage_columns, result_columns
from lookalike._settings import Settings

#: Of documents that stay.
KEPT = {f"a_{name}": name for name in ("id", "file", "record")}

#: Of documents in clusters.
CLUSTERS = dict(result_columns("clusters", Settings().to_json()))


def ledger(settings: str) -> dict[str, str]:
    """Of removed documents with their witnesses; `settings` are those of the run, as JSON."""
    return dict(result_columns("ledger", settings))


def pairs(settings: str) -> dict[str, str]:
    """Of pairs."""
    return dict(result_columns("pairs", settings))


def passages(table: str) -> dict[str, str]:
    """Of the table ``passages``, ``cuts``, ``edits`` or ``near``."""
    return dict(passage_columns(table))
