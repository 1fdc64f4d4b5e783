"""Values of the ``kind`` and ``table`` columns of the rows that travel between steps, as the core defines them."""

from __future__ import annotations

from typing import Any

#: Kinds of members.
DOCUMENT, UNIT = 1, 9

#: Kind of messages with candidate pairs.
PAIRS = 0

#: Kind of a message or an edge with what a task counted.
COUNTS = 99

#: Kinds of edges that are states of sets, as far as a run asks for them.
FLIPPED, OPEN, PENDING, NEW, REMOVED_NOW = -1, 0, 3, 5, 6

#: Tables of results.
LEDGER, PAIR, LEADER, MEMBER, KEPT_DOCUMENT, CLUSTER = 0, 1, 2, 3, 4, 5

TABLES = (LEDGER, PAIR, LEADER, MEMBER, KEPT_DOCUMENT, CLUSTER)

#: What is added to a table in rows with the number and the hashes of its rows.
SUMS = 100


def blobs(messages: Any, kind: int) -> list[bytes]:
    """The blobs of messages of a kind, which are a table of pyarrow."""
    kinds, found = messages["kind"].to_pylist(), messages["blob"].to_pylist()
    return [blob for own, blob in zip(kinds, found) if own == kind]
