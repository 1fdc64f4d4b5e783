"""The columns of documents that a run reads."""

from __future__ import annotations

from collections.abc import Sequence

from lookalike import _lookalike
from lookalike._errors import DataError
from lookalike._settings import Settings


def wanted_columns(
    columns: Sequence[str], settings: Settings, named: Sequence[str], row: str | None, tokens: str | None = None
) -> list[str]:
    """Those of the columns of documents that are read.

    Parameters
    ----------
    named
        Columns that the caller named.
    row
        A column with the number of each row.
    tokens
        A column of lists, which takes the place of the text.

    Raises
    ------
    DataError
        A column is missing.
    """
    rules = [*_lookalike.keep_fields(settings.to_json()), *_lookalike.given_fields(settings.to_json())]
    texts = _lookalike.text_fields(settings.to_json())
    content = [settings.text, *texts, settings.html] if tokens is None else [tokens]
    wanted = [*content, settings.id, settings.url, settings.title, settings.date, *rules]
    wanted += [] if row is None else [row]
    required = [*named, *rules, *([] if row is None else [row])]
    if tokens is not None:
        required.append(tokens)
    elif settings.text not in columns and settings.html not in columns:
        required += texts
    missing = [column for column in required if column not in columns]
    if missing:
        there = ", ".join(f"`{column}`" for column in columns)
        raise DataError(f"there is no column `{missing[0]}`; the columns are {there}", "source")
    if row is None and settings.id not in columns:
        raise DataError(
            f"documents need an id, or a number: there is no column `{settings.id}`; name one with id=, or with row= a "
            "column of distinct numbers from 0",
            "source",
        )
    return [column for column in dict.fromkeys(wanted) if column in columns]
