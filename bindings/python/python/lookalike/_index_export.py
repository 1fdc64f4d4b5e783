"""How the tables of an index are made."""

from __future__ import annotations

from typing import NamedTuple


class Export(NamedTuple):
    """What the extension module takes; the names are those of its struct."""

    list: bool
    linkage: str | None
    witness: str
    tables: str
    force: bool
