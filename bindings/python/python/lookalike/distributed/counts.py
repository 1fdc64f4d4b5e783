"""What tasks counted."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

#: Counts of which the largest matters, not the sum.
_LARGEST = frozenset({"largest_list"})


class LostRows(RuntimeError):
    """The engine gave rows to a step otherwise than it was told: an answer would be wrong."""


def counts_of(blobs: Iterable[bytes]) -> dict[str, int]:
    """The counts of all tasks together.

    Raises
    ------
    LostRows
        A bucket came to several tasks, or not all postings that were sent were received.
    """
    found: dict[str, int] = {}
    buckets: list[int] = []
    for blob in blobs:
        counts: dict[str, Any] = json.loads(blob)
        buckets += counts.pop("buckets", [])
        for name, count in counts.items():
            before = found.get(name, 0)
            found[name] = max(before, count) if name in _LARGEST else before + count
    if len(set(buckets)) < len(buckets):
        raise LostRows("the engine gave the postings of a bucket to several tasks, so pairs would be missing")
    if "sent" in found and found.pop("sent") != found.pop("received", 0):
        raise LostRows("the engine lost or repeated postings, so pairs would be missing")
    return found
