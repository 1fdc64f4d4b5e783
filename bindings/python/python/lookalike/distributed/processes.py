"""The engine of local processes."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from lookalike.distributed.files import FileEngine, Job


class Processes(FileEngine):
    """Runs tasks in processes of this machine.

    Shows how little an engine over files has to do; for documents of one machine :func:`lookalike.dedup` is faster.

    Parameters
    ----------
    work : path
        An empty directory for the rows between steps.
    processes : int
        Number of processes; 0 for none but this one.
    tasks : int
        Number of tasks that rows are divided among.
    """

    def __init__(self, work: Path, *, processes: int = 2, tasks: int = 4) -> None:
        super().__init__(work, tasks=tasks, run=self._in_processes)
        self._pool = multiprocessing.get_context("spawn").Pool(processes) if processes else None

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._pool is not None:
            self._pool.terminate()

    def _in_processes(self, function: Callable[..., Any], jobs: Sequence[Job]) -> list[Any]:
        if self._pool is None:
            return [function(*job) for job in jobs]
        return self._pool.starmap(function, jobs, chunksize=1)
