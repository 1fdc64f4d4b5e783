"""What a run over files reads, writes and may take."""

from __future__ import annotations

from typing import NamedTuple


class RunOptions(NamedTuple):
    """What the extension module takes; the names are those of its struct."""

    inputs: list[str]
    against: list[str]
    against_only: bool
    output: str
    force: bool
    tables: str
    report: bool
    report_size: int
    mark: str | None
    add_counts: bool
    passages: int | None
    attributes: bool
    copy_files: bool
    strict: bool
    skip_unreadable: bool
    near_misses: str | None
    max_loss: str | None
    max_cluster: str | None
    junit: str | None
    max_pairs: int
    threads: int
    memory: int | None
    scratch: str | None
    resume: bool
