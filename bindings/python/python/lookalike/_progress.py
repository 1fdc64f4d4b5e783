"""Progress of a call, and how to end one from another thread."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from typing import Any, NamedTuple


class Step(NamedTuple):
    """How far a call is."""

    #: What is being done: ``"reading"``, ``"comparing"``, …
    phase: str
    #: How much of the phase is done.
    done: int
    #: How much there is to do, where that is known: of documents in memory their number, of files their bytes.
    total: int | None
    #: Documents that the phase has dealt with.
    documents: int
    #: Seconds since the call began.
    seconds: float


Progress = bool | Callable[[Step], None] | None
Report = Callable[[str, int, int | None, int], None]


class CancelScope:
    """Ends the calls that began inside of :func:`cancel_scope`, from any thread."""

    def __init__(self) -> None:
        self._cancelled = False

    def cancel(self) -> None:
        """Ends the running call, which raises :class:`Cancelled`, and all later ones in the scope."""
        self._cancelled = True

    @property
    def cancelled(self) -> bool:
        """Whether :meth:`cancel` was called."""
        return self._cancelled


_SCOPE: ContextVar[CancelScope | None] = ContextVar("lookalike_cancel_scope", default=None)


@contextmanager
def cancel_scope() -> Iterator[CancelScope]:
    """Calls in the block end early when another thread calls ``cancel()`` of the scope.

    Python runs handlers of signals on the main thread only: a call on another thread does not see Ctrl-C, and is ended
    in this way.

    >>> import lookalike
    >>> with lookalike.cancel_scope() as scope:
    ...     scope.cancel()
    ...     try:
    ...         lookalike.dedup(["a rose is a rose"])
    ...     except lookalike.Cancelled:
    ...         print("cancelled")
    cancelled
    """
    scope = CancelScope()
    token = _SCOPE.set(scope)
    try:
        yield scope
    finally:
        _SCOPE.reset(token)


def is_cancelled() -> Callable[[], bool] | None:
    """What the extension module asks, in a scope."""
    scope = _SCOPE.get()
    return None if scope is None else lambda: scope.cancelled


def reporter(progress: Progress, rows: int | None = None, *, files: bool = False) -> Report | None:
    """What the extension module calls.

    Parameters
    ----------
    rows
        Number of documents in memory, if it is known: what there is to read.
    files
        Whether documents are read from files, of which bytes are counted.
    """
    if progress is None or progress is False:
        return None
    if progress is True:
        callback = _bar(files)
    elif callable(progress):
        callback = progress
    else:
        raise TypeError(f"progress is True, False, None or a function, not {type(progress).__name__}")
    began = time.monotonic()

    def report(phase: str, done: int, total: int | None, documents: int) -> None:
        if total is None and phase == "reading" and rows is not None and done <= rows:
            total = rows
        callback(Step(phase, done, total, documents, time.monotonic() - began))

    return report


def _bar(files: bool) -> Callable[[Step], None]:
    try:
        tqdm = import_module("tqdm.auto").tqdm
    except ImportError:
        return _lines()
    bar: Any = None

    def show(step: Step) -> None:
        nonlocal bar
        if bar is None or bar.desc != f"{step.phase}: ":
            if bar is not None:
                bar.close()
            unit = "B" if files else " documents"
            named = {"unit": unit} if step.phase == "reading" else {}
            bar = tqdm(desc=step.phase, total=step.total, unit_scale=True, leave=False, **named)
        bar.n = step.done
        if files or step.phase != "reading":
            bar.set_postfix(documents=step.documents, refresh=False)
        bar.refresh()

    return show


def _lines() -> Callable[[Step], None]:
    last = 0.0

    def show(step: Step) -> None:
        nonlocal last
        if step.seconds - last >= 1:
            last = step.seconds
            share = f" {100 * step.done // step.total} %" if step.total else ""
            print(f"lookalike: {step.phase}{share}, {step.documents:,} documents, {last:.0f} s", file=sys.stderr)

    return show
