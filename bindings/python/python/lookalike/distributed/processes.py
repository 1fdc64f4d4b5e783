"""The engine of local processes: rows are Arrow files in a directory."""

from __future__ import annotations

import multiprocessing
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

import pyarrow
import pyarrow.compute
import pyarrow.ipc

from lookalike.distributed.task import Task

#: Rows of a batch that was sorted.
_ROWS = 4096


class Change(Protocol):
    """What is done with the batches of a part."""

    def __call__(self, batches: Iterable[Any], number: int, /) -> Iterator[Any]: ...

    def schema(self, before: Any, /) -> Any:
        """The columns after it."""


@dataclass(frozen=True)
class Where:
    """Keeps rows whose column has one of some values."""

    column: str
    values: tuple[int, ...]

    def __call__(self, batches: Iterable[Any], number: int, /) -> Iterator[Any]:
        wanted = pyarrow.array(self.values, pyarrow.int64())
        for batch in batches:
            yield batch.filter(pyarrow.compute.is_in(batch[self.column], wanted))

    def schema(self, before: Any, /) -> Any:
        return before


@dataclass(frozen=True)
class Null:
    """Keeps rows whose column is null, or is not."""

    column: str
    null: bool

    def __call__(self, batches: Iterable[Any], number: int, /) -> Iterator[Any]:
        for batch in batches:
            found = pyarrow.compute.is_null(batch[self.column])
            yield batch.filter(found if self.null else pyarrow.compute.invert(found))

    def schema(self, before: Any, /) -> Any:
        return before


@dataclass(frozen=True)
class Select:
    """Keeps some columns."""

    columns: tuple[str, ...]

    def __call__(self, batches: Iterable[Any], number: int, /) -> Iterator[Any]:
        for batch in batches:
            yield batch.select(list(self.columns))

    def schema(self, before: Any, /) -> Any:
        return pyarrow.schema([before.field(name) for name in self.columns])


@dataclass(frozen=True)
class Parts:
    """Rows in files, and what is done with them when they are read."""

    files: tuple[Path, ...]
    changes: tuple[Change, ...] = ()

    def then(self, change: Change) -> Parts:
        """The rows after a change."""
        return Parts(self.files, (*self.changes, change))

    def single(self) -> list[Parts]:
        """Each file by itself."""
        return [Parts((file,), self.changes) for file in self.files]

    @property
    def schema(self) -> Any:
        """The columns."""
        with pyarrow.ipc.open_stream(self.files[0]) as reader:
            schema = reader.schema
        for change in self.changes:
            schema = change.schema(schema)
        return schema

    def batches(self, number: int) -> Iterator[Any]:
        """The rows, as those of the task with this number."""
        batches: Iterator[Any] = (batch for file in self.files for batch in _read(file))
        for change in self.changes:
            batches = change(batches, number)
        return batches


class Processes:
    """Runs tasks in processes of this machine.

    Shows what an engine has to do, in 200 lines; for documents of one machine :func:`lookalike.dedup` is faster.

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
        self.tasks = tasks
        self._work, self._names = work, count()
        self._pool = multiprocessing.get_context("spawn").Pool(processes) if processes else None

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._pool is not None:
            self._pool.terminate()

    def documents(self, table: Any) -> Parts:
        """The rows of a table, as many parts as tasks."""
        rows = max(1, -(-table.num_rows // self.tasks))
        folder = self._folder()
        files = []
        for number in range(self.tasks):
            files.append(folder / f"{number}.arrow")
            _write(files[-1], table.schema, iter(table.slice(number * rows, rows).to_batches()))
        return Parts(tuple(files))

    def map(self, rows: Parts, task: Task) -> Parts:
        return rows.then(task)

    def exchange(
        self, rows: Sequence[Parts], key: str, order: Sequence[str], task: Task, tasks: int | None = None
    ) -> Parts:
        tasks = tasks or self.tasks
        sent = self._folder()
        senders = [(part, number) for parts in rows for number, part in enumerate(parts.single())]
        jobs = [(part, number, sent / str(at), key, tasks) for at, (part, number) in enumerate(senders)]
        self._run(_send, jobs)
        received = self._folder()
        files = [[sent / str(at) / f"{number}.arrow" for at in range(len(jobs))] for number in range(tasks)]
        self._run(
            _receive,
            [(own, tuple(order), task, number, received / f"{number}.arrow") for number, own in enumerate(files)],
        )
        shutil.rmtree(sent)
        return Parts(tuple(received / f"{number}.arrow" for number in range(tasks)))

    def ranked(self, name: str, rows: Parts, order: Sequence[str], *, few: bool) -> Parts:
        table = self.collect(rows)
        places = pyarrow.compute.sort_indices(table, sort_keys=[(name, "ascending") for name in order])
        at = table.schema.get_field_index("place")
        folder = self._folder()
        step = max(1, -(-table.num_rows // self.tasks))
        files = []
        for number in range(self.tasks):
            part = table.take(places.slice(number * step, step))
            place = pyarrow.array(range(number * step, number * step + part.num_rows), pyarrow.int64())
            part = part.set_column(at, "place", place)
            files.append(folder / f"{number}.arrow")
            _write(files[-1], part.schema, iter(part.to_batches(max_chunksize=_ROWS)))
        return Parts(tuple(files))

    def where(self, rows: Parts, column: str, values: Sequence[int]) -> Parts:
        return rows.then(Where(column, tuple(values)))

    def present(self, rows: Parts, column: str) -> Parts:
        return rows.then(Null(column, False))

    def absent(self, rows: Parts, column: str) -> Parts:
        return rows.then(Null(column, True))

    def select(self, rows: Parts, columns: Sequence[str]) -> Parts:
        return rows.then(Select(tuple(columns)))

    def union(self, rows: Sequence[Parts]) -> Parts:
        stored = [parts if not parts.changes else self.store("", parts) for parts in rows]
        return Parts(tuple(file for parts in stored for file in parts.files))

    def store(self, name: str, rows: Parts) -> Parts:
        if not rows.changes:
            return rows
        folder = self._folder()
        files = [folder / f"{number}.arrow" for number in range(len(rows.files))]
        self._run(_store, list(zip(rows.single(), range(len(files)), files)))
        return Parts(tuple(files))

    def number(self, rows: Parts) -> int:
        return sum(batch.num_rows for batch in self._batches(rows))

    def total(self, rows: Parts, column: str) -> int:
        return sum(sum(batch[column].to_pylist()) for batch in self._batches(rows))

    def totals(
        self, rows: Parts, by: str, present: Sequence[str], sums: Sequence[str]
    ) -> dict[int, tuple[int, ...]]:
        asked = [(by, "count"), *((name, "count") for name in present), *((name, "sum") for name in sums)]
        found = self.collect(rows).group_by(by).aggregate(asked)
        names = [f"{name}_{what}" for name, what in asked]
        return {row[by]: tuple(row[name] for name in names) for row in found.to_pylist()}

    def table(self, rows: Parts, names: dict[str, str]) -> Any:
        """Rows as a table of pyarrow, some columns under other names."""
        return self.collect(rows).select(list(names)).rename_columns(list(names.values()))

    def collect(self, rows: Parts) -> Any:
        return pyarrow.Table.from_batches(self._batches(rows), rows.schema)

    def _batches(self, rows: Parts) -> Iterator[Any]:
        for number, part in enumerate(rows.single()):
            yield from part.batches(number)

    def _folder(self) -> Path:
        folder = self._work / f"{next(self._names):04}"
        folder.mkdir(parents=True)
        return folder

    def _run(self, work: Callable[..., None], jobs: Sequence[tuple[Any, ...]]) -> None:
        if self._pool is None:
            for job in jobs:
                work(*job)
        else:
            self._pool.starmap(work, jobs, chunksize=1)


def _read(file: Path) -> Iterator[Any]:
    with pyarrow.ipc.open_stream(file) as reader:
        yield from reader


def _write(file: Path, schema: Any, batches: Iterable[Any]) -> None:
    with pyarrow.ipc.new_stream(file, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)


def _store(part: Parts, number: int, file: Path) -> None:
    _write(file, part.schema, part.batches(number))


def _send(part: Parts, number: int, folder: Path, key: str, tasks: int) -> None:
    """Writes the rows of a part to a file for each task that reads them."""
    folder.mkdir()
    files = [folder / f"{task}.arrow" for task in range(tasks)]
    with ExitStack() as stack:
        writers = [stack.enter_context(pyarrow.ipc.new_stream(file, part.schema)) for file in files]
        for batch in part.batches(number):
            # The hash of a tuple: keys are often consecutive, or multiples of a power of two.
            receivers = pyarrow.array([hash((value,)) % tasks for value in batch[key].to_pylist()], pyarrow.int64())
            for task, writer in enumerate(writers):
                own = batch.filter(pyarrow.compute.equal(receivers, task))
                if own.num_rows:
                    writer.write_batch(own)


def _sorted(files: Sequence[Path], order: Sequence[str]) -> Iterator[Any]:
    batches = [batch for own in files for batch in _read(own)]
    if batches:
        table = pyarrow.Table.from_batches(batches)
        places = pyarrow.compute.sort_indices(table, sort_keys=[(name, "ascending") for name in order])
        for start in range(0, table.num_rows, _ROWS):
            yield from table.take(places.slice(start, _ROWS)).to_batches()


def _receive(files: list[Path], order: tuple[str, ...], task: Task, number: int, file: Path) -> None:
    """Sorts the rows for a task, and runs it."""
    _write(file, task.schema(None), task(_sorted(files, order), number))
