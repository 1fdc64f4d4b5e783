"""Workers that are killed while they work."""

from __future__ import annotations

import importlib
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest

import lookalike
from lookalike.distributed.doors import Door
from test_distributed import table_of, traps

from .conftest import Library
from .test_answers import check

#: By number, the jobs whose workers are killed: before they write anything, and when they have written all.
BEFORE, AFTER = (1, 16), (6, 25)


def killing(marks: Path) -> Callable[..., Any]:
    """What kills its worker, and when it is called again does what is asked; workers do not have this module."""

    def killed_once(number: int, function: Callable[..., Any], *job: Any) -> Any:
        mark = marks / str(number)
        if number in BEFORE + AFTER and not mark.exists():
            mark.touch()
            if number in AFTER:
                function(*job)
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*job)

    return killed_once


@contextmanager
def workers(name: str) -> Iterator[object]:
    """Processes of Dask; Ray has some."""
    if name == "dask":
        distributed = pytest.importorskip("distributed", reason="pip install 'dask[distributed]'")
        with distributed.Client(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as client:
            yield client
    else:
        yield nullcontext()


def test_workers_are_killed(library: Library, work: Path, tmp_path: Path) -> None:
    if library.name == "daft":
        pytest.skip("Daft runs on threads of this process here, which cannot be lost alone")
    marks = tmp_path / "marks"
    marks.mkdir()
    own: Any = type(importlib.import_module(f"lookalike.{library.name}")._DOOR._library)

    class Killing(own):  # type: ignore[misc]
        jobs = 0

        def run(self, function: Callable[..., Any], jobs: Sequence[tuple[Any, ...]], /) -> list[Any]:
            first, self.jobs = self.jobs, self.jobs + len(jobs)
            return list(super().run(killing(marks), [(first + at, function, *job) for at, job in enumerate(jobs)]))

    table = table_of(traps())
    with workers(library.name):
        found = Door(Killing()).dedup(library.frame(table, 2), work=work, row="row", tasks=2, threshold=0.6)
    check(work, found, lookalike.dedup(table, threshold=0.6))
    assert sorted(int(mark.name) for mark in marks.iterdir()) == sorted(BEFORE + AFTER)
