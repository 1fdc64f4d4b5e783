"""What a run costs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What a run costs; the answer does not depend on it."""

    #: Postings of a list up to which all of its pairs are formed without rounds.
    list: int = 512
    #: Sets of a list that are selected in the first round, and by how much more in each later one.
    head: int = 64
    head_growth: int = 4
    #: Rounds, and rounds with corrections, after which sets are selected in order of precedence.
    rounds: int = 8
    flips: int = 2
    #: Sets that are selected then, and by how many times more in each later round.
    block: int = 16_384
    block_growth: int = 4
    #: Edges, or passages, that one task takes; of more, components are found first.
    one_task: int = 4_000_000
    #: Passages of documents that have some in common, about which one task decides: some 100 bytes each.
    runs: int = 20_000_000
    #: Documents, and candidate pairs, up to which all tasks are told which sets there are, and which are compared;
    #: beyond, sets are shuffled to these messages. Likewise texts, and the places in them that are asked for.
    few: int = 1_000_000
    few_pairs: int = 4_000_000
    #: Postings of a bucket, which one task holds: 40 bytes each.
    bucket: int = 1_000_000
    #: Buckets up to which postings are sent to them directly. A task sends each bucket one row for a million postings, so
    #: that of more buckets rows have few postings: they are sent to groups of buckets first.
    direct: int = 4096
