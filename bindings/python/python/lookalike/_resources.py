"""What a call may take of the machine."""

from __future__ import annotations

import multiprocessing
import os
import re
from collections.abc import Callable
from os import PathLike, fspath
from typing import NamedTuple

from lookalike._errors import SettingsError
from lookalike._progress import Progress, Report, is_cancelled, reporter

_UNITS = {
    "": 1, "b": 1, "k": 1 << 10, "kib": 1 << 10, "m": 1 << 20, "mib": 1 << 20, "g": 1 << 30, "gib": 1 << 30,
    "t": 1 << 40, "tib": 1 << 40, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12,
}  # fmt: skip


class Options(NamedTuple):
    """What the extension module takes; the names are those of its struct."""

    threads: int
    memory: int | None
    scratch: str | None
    strict: bool
    max_pairs: int | None
    progress: Report | None
    cancelled: Callable[[], bool] | None


def options(
    *,
    threads: int | None,
    memory: int | str | None,
    scratch: str | PathLike[str] | None,
    progress: Progress,
    strict: bool = False,
    max_pairs: int | None = None,
    rows: int | None = None,
) -> Options:
    """Checks and completes what a caller said; `rows` are the documents that are read, if their number is known."""
    return Options(
        threads=thread_count(threads),
        memory=None if memory is None else size(memory),
        scratch=None if scratch is None else fspath(scratch),
        strict=strict,
        max_pairs=max_pairs,
        progress=reporter(progress, rows),
        cancelled=is_cancelled(),
    )


def thread_count(threads: int | None) -> int:
    """The number of threads; 0 means as many as this process may run at once.

    In a worker process (a ``DataLoader``, ``Dataset.map(num_proc=…)``, a task of Spark or Ray) it is 1 unless it is
    said: eight workers with eight threads each would be in each other's way.
    """
    if threads is not None:
        if isinstance(threads, bool) or not isinstance(threads, int) or threads < 0:
            raise SettingsError(f"threads={threads!r}: a number of threads, or None for all cores", "threads")
        return threads
    said = os.environ.get("LOOKALIKE_NUM_THREADS")
    if said:
        if not said.isdecimal():
            raise SettingsError(f"LOOKALIKE_NUM_THREADS={said!r} is not a number of threads", "threads")
        return int(said)
    return 0 if multiprocessing.parent_process() is None else 1


def size(value: int | str) -> int:
    """A number of bytes, or a text such as ``8GiB``, ``500MB`` or ``1.5G``.

    >>> size("8GiB"), size("500 MB"), size(1024)
    (8589934592, 500000000, 1024)
    """
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([A-Za-z]*)", value.strip()) if isinstance(value, str) else None
    factor = _UNITS.get(match[2].lower()) if match else None
    if match is None or factor is None or float(match[1]) * factor < 1:
        raise SettingsError(f"{value!r} is no number of bytes; write 8GiB, 500MB or a number", "size")
    return int(float(match[1]) * factor)
