"""A step of the core as a function over the record batches of a task."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lookalike._lookalike import Step, __version__
from lookalike._settings import Settings

if TYPE_CHECKING:
    import pyarrow


@dataclass(frozen=True)
class Context:
    """What all tasks of a run have in common; JSON, so that it is small and picklable."""

    settings: str
    options: str
    version: str = __version__

    @classmethod
    def of(
        cls,
        settings: Settings,
        *,
        name: str,
        against_name: str = "against",
        has_against: bool = False,
        only_against: bool = False,
        complete: bool = False,
        cross: bool = False,
        protects: bool = False,
        passages: dict[str, Any] | None = None,
    ) -> Context:
        """The context of a run."""
        options = {
            "name": name,
            "against_name": against_name,
            "has_against": has_against,
            "only_against": only_against,
            "complete": complete,
            "cross": cross,
            "protects": protects,
            "passages": passages,
        }
        return cls(settings.to_json(), json.dumps(options))

    def task(self, step: str, data: bytes = b"", /, **parameters: Any) -> Task:
        """A task of a step."""
        return Task(self, step, tuple(parameters.items()), data)


@dataclass(frozen=True)
class Task:
    """A step, which is made anew in each task of the engine."""

    context: Context
    step: str
    parameters: tuple[tuple[str, Any], ...]
    #: What some steps need besides, such as the element order.
    data: bytes
    #: The task whose rows it takes, in the same task of the engine.
    first: Task | None = None

    def after(self, first: Task | None) -> Task:
        """This task over the rows that another one makes."""
        return replace(self, first=first)

    def _make(self, number: int) -> Step:
        if self.context.version != __version__:
            raise RuntimeError(
                f"lookalike {__version__} in this worker, {self.context.version} in the driver: install the same version"
            )
        # Steps that number what they make are told which task they are in.
        numbered = {"task": number} if self.step in ("sign", "sketch", "read_texts") else {}
        description = {"step": self.step, **dict(self.parameters), **numbered}
        return Step(self.context.settings, self.context.options, json.dumps(description), self.data)

    @cached_property
    def columns(self) -> list[tuple[str, str]]:
        """Names and Arrow types of the columns that it makes."""
        return self._make(0).columns()

    def schema(self, before: Any = None, /) -> pyarrow.Schema:
        """The columns that it makes, whatever there was before."""
        import pyarrow

        types = {
            "Int64": pyarrow.int64(),
            "Float64": pyarrow.float64(),
            "Utf8": pyarrow.utf8(),
            "Binary": pyarrow.binary(),
        }
        return pyarrow.schema([(name, types[kind]) for name, kind in self.columns])

    def blobs(self, rows: pyarrow.Table) -> list[bytes]:
        """The blobs that it makes of rows here, without an engine."""
        blobs: list[bytes] = []
        for batch in self(rows.to_batches(), 0):
            blobs += batch["blob"].to_pylist()
        return blobs

    def __call__(self, batches: Iterable[pyarrow.RecordBatch], number: int, /) -> Iterator[pyarrow.RecordBatch]:
        """The rows that the step makes of the rows of the task with this number."""
        import pyarrow

        step = self._make(number)
        for batch in batches if self.first is None else self.first(batches, number):
            made = step.push(batch)
            if made is not None:
                yield from pyarrow.RecordBatchReader.from_stream(made)
        made = step.finish()
        if made is not None:
            yield from pyarrow.RecordBatchReader.from_stream(made)
