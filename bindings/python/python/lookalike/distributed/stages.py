"""What a caller is told of a run."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Stage:
    """A stage that is finished."""

    name: str
    #: Whether an earlier run had finished it.
    resumed: bool
    seconds: float


#: Whether stages are printed, or what is told of each.
Report = bool | Callable[[Stage], None] | None


def told(progress: Report) -> Callable[[Stage], None] | None:
    """What is called with each stage."""
    return printed if progress is True else progress or None


def printed(stage: Stage) -> None:
    """Prints a line for a stage."""
    state = "read" if stage.resumed else "done"
    print(f"lookalike: {stage.name}: {state}, {stage.seconds:.1f} s", file=sys.stderr)
