"""Columns of the result tables, by those of the rows that steps make."""

from __future__ import annotations

from lookalike._lookalike import result_columns

#: Of documents that stay.
KEPT = {f"a_{name}": name for name in ("id", "file", "record")}

#: Of documents in clusters.
CLUSTERS = dict(result_columns("clusters", "resemblance"))


def ledger(measure: str) -> dict[str, str]:
    """Of removed documents with their witnesses; `measure` is that of the run."""
    return dict(result_columns("ledger", measure))


def pairs(measure: str) -> dict[str, str]:
    """Of pairs."""
    return dict(result_columns("pairs", measure))
