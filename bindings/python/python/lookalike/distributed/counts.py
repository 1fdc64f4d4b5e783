"""What tasks counted."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

#: Counts of which the largest matters, not the sum.
_LARGEST = frozenset({"largest_list", "longest", "most_copies"})


class LostRows(RuntimeError):
    """The engine gave rows to a step otherwise than it was told: an answer would be wrong."""


def counts_of(blobs: Iterable[bytes | str], *, of: str = "postings", lacks: str = "pairs") -> dict[str, int]:
    """The counts of all tasks together.

    Parameters
    ----------
    of, lacks
        What is sent to buckets, and what is missing if some of it is lost.

    Raises
    ------
    LostRows
        A bucket came to several tasks, or not all that was sent was received.
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
        raise LostRows(f"the engine gave the {of} of a bucket to several tasks, so {lacks} would be missing")
    if "sent" in found and found.pop("sent") != found.pop("received", 0):
        raise LostRows(f"the engine lost or repeated {of}, so {lacks} would be missing")
    return found
