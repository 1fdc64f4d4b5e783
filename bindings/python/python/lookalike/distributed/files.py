"""An engine whose rows are Arrow files in a directory that all workers reach; another one's workers run its tasks."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import time
import uuid
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import pyarrow
import pyarrow.compute
import pyarrow.ipc
import pyarrow.parquet

from lookalike._errors import LookalikeError
from lookalike.distributed.counts import LostRows
from lookalike.distributed.stages import Stage
from lookalike.distributed.task import Task

#: Rows of a batch that was sorted, and of one of documents.
_ROWS, _DOCUMENTS = 4096, 1024

#: Bytes of rows that a task gathers before it divides them among the tasks that read them.
_GATHERED = 32 << 20

#: Bytes of a task beyond which it is stored, instead of being sent along with each part.
_LARGE = 1 << 20

#: Rows of a part by which ranges are chosen.
_SAMPLE = 256

#: A function and its arguments, and what became of it.
Job = tuple[Any, ...]


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
    """Keeps some columns, under other names."""

    columns: tuple[tuple[str, str], ...]

    def __call__(self, batches: Iterable[Any], number: int, /) -> Iterator[Any]:
        for batch in batches:
            arrays = [batch[column] for column, _ in self.columns]
            yield pyarrow.RecordBatch.from_arrays(arrays, [name for _, name in self.columns])

    def schema(self, before: Any, /) -> Any:
        return pyarrow.schema([before.field(column).with_name(name) for column, name in self.columns])


@dataclass(frozen=True)
class Numbered:
    """Documents, whose numbers are whole, and whose columns without any value are of texts."""

    row: str | None

    def __call__(self, batches: Iterable[Any], number: int, /) -> Iterator[Any]:
        for batch in batches:
            yield batch.cast(self.schema(batch.schema))

    def schema(self, before: Any, /) -> Any:
        def kind(field: Any) -> Any:
            if field.name == self.row:
                return pyarrow.int64()
            return pyarrow.utf8() if pyarrow.types.is_null(field.type) else field.type

        return pyarrow.schema([field.with_type(kind(field)) for field in before])


@dataclass(frozen=True)
class Large:
    """A task in a file."""

    file: Path
    columns: Any

    def __call__(self, batches: Iterable[Any], number: int, /) -> Iterator[Any]:
        task: Task = pickle.loads(self.file.read_bytes())
        return task(batches, number)

    def schema(self, before: Any = None, /) -> Any:
        return self.columns


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
        schema = _schema(self.files[0])
        for change in self.changes:
            schema = change.schema(schema)
        return schema

    def batches(self, number: int) -> Iterator[Any]:
        """The rows, as those of the task with this number."""
        batches: Iterator[Any] = (batch for file in self.files for batch in _read(file))
        for change in self.changes:
            batches = change(batches, number)
        return batches


class FileEngine:
    """Runs tasks over files.

    Each file appears whole or not at all, and what a job writes depends on nothing but its arguments, so that a job can be
    repeated, also while a worker that was given up still runs it.

    Parameters
    ----------
    work : path
        An empty directory for the rows between steps.
    tasks : int
        Number of tasks that rows are divided among.
    run
        Calls a function with each of some tuples of arguments, wherever it wants, and returns what it returned.
    report
        Is told of each stage.
    """

    def __init__(
        self,
        work: Path,
        *,
        tasks: int,
        run: Callable[[Callable[..., Any], Sequence[Job]], list[Any]],
        report: Callable[[Stage], None] | None = None,
    ) -> None:
        self.tasks = tasks
        self._work, self._names, self._workers, self._report = work, count(), run, report

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
        return rows.then(self._light(task))

    def exchange(
        self, rows: Sequence[Parts], key: str, order: Sequence[str], task: Task, tasks: int | None = None
    ) -> Parts:
        tasks = tasks or self.tasks
        sent, received, light = self._folder(), self._folder(), self._light(task)
        senders = [(part, number) for parts in rows for number, part in enumerate(parts.single())]
        files = [sent / str(at) for at in range(len(senders))]
        self._run(_send, [(part, number, file, key, tasks) for (part, number), file in zip(senders, files, strict=True)])
        made = tuple(received / f"{number}.arrow" for number in range(tasks))
        self._run(_receive, [(files, tuple(order), light, number, file) for number, file in enumerate(made)])
        shutil.rmtree(sent)
        return Parts(made)

    def ranked(self, name: str, rows: Parts, order: Sequence[str], *, few: bool) -> Parts:
        by, sorted_, received = tuple(order), self._folder(), self._folder()
        files = [sorted_ / f"{number}.arrow" for number in range(len(rows.files))]
        jobs = [(part, number, by, file) for number, (part, file) in enumerate(zip(rows.single(), files, strict=True))]
        samples = sorted(key for found in self._run(_sort, jobs) for key in found)
        parts = 1 if few else self.tasks
        ends = [None, *(samples[len(samples) * at // parts] for at in range(1, parts) if samples), None]
        made = tuple(received / f"{number}.arrow" for number in range(len(ends) - 1))
        self._run(_merge, [(files, by, *ends[at : at + 2], file) for at, file in enumerate(made)])
        shutil.rmtree(sorted_)
        return Parts(made)

    def where(self, rows: Parts, column: str, values: Sequence[int]) -> Parts:
        return rows.then(Where(column, tuple(values)))

    def present(self, rows: Parts, column: str) -> Parts:
        return rows.then(Null(column, False))

    def absent(self, rows: Parts, column: str) -> Parts:
        return rows.then(Null(column, True))

    def select(self, rows: Parts, columns: Sequence[str]) -> Parts:
        return self.renamed(rows, {column: column for column in columns})

    def renamed(self, rows: Parts, names: dict[str, str]) -> Parts:
        """Some columns, under other names."""
        return rows.then(Select(tuple(names.items())))

    def union(self, rows: Sequence[Parts]) -> Parts:
        stored = [parts if not parts.changes else self._stored(parts) for parts in rows]
        return Parts(tuple(file for parts in stored for file in parts.files))

    def store(self, name: str, rows: Parts) -> Parts:
        began = time.monotonic()
        stored = self._stored(rows) if rows.changes else rows
        if self._report is not None:
            self._report(Stage(name, False, time.monotonic() - began))
        return stored

    def write(self, rows: Parts, folder: Path) -> None:
        """Writes rows as Parquet files to a new directory."""
        folder.mkdir(parents=True)
        self._run(_store, [(part, at, folder / f"{at:05}.parquet") for at, part in enumerate(rows.single())])

    def number(self, rows: Parts) -> int:
        return sum(self._of_parts(_count, rows))

    def total(self, rows: Parts, column: str) -> int:
        return sum(self._of_parts(_sum, rows, column))

    def totals(
        self, rows: Parts, by: str, present: Sequence[str], sums: Sequence[str]
    ) -> dict[int, tuple[int, ...]]:
        found: dict[int, tuple[int, ...]] = {}
        for part in self._of_parts(_totals, rows, by, tuple(present), tuple(sums)):
            for value, own in part.items():
                found[value] = tuple(map(sum, zip(own, found.get(value, [0] * len(own)), strict=True)))
        return found

    def table(self, rows: Parts, names: dict[str, str]) -> Any:
        """Rows as a table of pyarrow, some columns under other names."""
        return self.collect(self.renamed(rows, names))

    def collect(self, rows: Parts) -> Any:
        tables = (pyarrow.ipc.open_stream(part).read_all() for part in self._of_parts(_bytes, rows))
        return pyarrow.concat_tables(tables)

    def _of_parts(self, function: Callable[..., Any], rows: Parts, *arguments: Any) -> list[Any]:
        """What a function makes of each part."""
        return self._run(function, [(part, number, *arguments) for number, part in enumerate(rows.single())])

    def _stored(self, rows: Parts) -> Parts:
        folder = self._folder()
        files = tuple(folder / f"{number}.arrow" for number in range(len(rows.files)))
        self._run(_store, [(part, at, files[at]) for at, part in enumerate(rows.single())])
        return Parts(files)

    def _light(self, task: Task) -> Task | Large:
        """The task, or where it is if it is large."""
        data = pickle.dumps(task)
        if len(data) <= _LARGE:
            return task
        file = self._folder() / "task"
        file.write_bytes(data)
        return Large(file, task.schema())

    def _folder(self) -> Path:
        folder = self._work / f"{next(self._names):04}"
        folder.mkdir(parents=True)
        return folder

    def _run(self, function: Callable[..., Any], jobs: Sequence[Job]) -> list[Any]:
        results = self._workers(_attempt, [(function, *job) for job in jobs])
        for _, error in results:
            if error is not None:
                raise error
        return [value for value, _ in results]


def _attempt(function: Callable[..., Any], *arguments: Any) -> tuple[Any, Exception | None]:
    """What a function returns, or why documents or rows cannot be used: engines change exceptions."""
    try:
        return function(*arguments), None
    except (LookalikeError, LostRows) as error:
        return None, error


def _schema(file: Path) -> Any:
    if file.suffix == ".parquet":
        return pyarrow.parquet.read_schema(file)
    with pyarrow.ipc.open_stream(file) as reader:
        return reader.schema


def _read(file: Path) -> Iterator[Any]:
    if file.suffix == ".parquet":
        with pyarrow.parquet.ParquetFile(file) as read:
            yield from read.iter_batches(_DOCUMENTS)
        return
    with pyarrow.ipc.open_stream(file) as reader:
        yield from reader


def _whole(file: Path, write: Callable[[BinaryIO], None]) -> None:
    """Writes a file, which appears whole or not at all."""
    part = file.with_name(f".{file.name}.{uuid.uuid4().hex}")
    with part.open("wb") as output:
        write(output)
    os.replace(part, file)


def _write(file: Path, schema: Any, batches: Iterable[Any]) -> None:
    def write(output: BinaryIO) -> None:
        if file.suffix == ".parquet":
            writer = pyarrow.parquet.ParquetWriter(output, schema)
        else:
            writer = pyarrow.ipc.new_stream(output, schema)
        with writer:
            for batch in batches:
                writer.write_batch(batch)

    _whole(file, write)


def write_parquet(table: Any, file: Path) -> None:
    """Writes a table to a file, which appears whole or not at all."""
    _write(file, table.schema, iter(table.to_batches()))


def _store(part: Parts, number: int, file: Path) -> None:
    _write(file, part.schema, part.batches(number))


def _count(part: Parts, number: int) -> int:
    return sum(batch.num_rows for batch in part.batches(number))


def _sum(part: Parts, number: int, column: str) -> int:
    return sum(pyarrow.compute.sum(batch[column], min_count=0).as_py() for batch in part.batches(number))


def _collect(part: Parts, number: int) -> Any:
    return pyarrow.Table.from_batches(part.batches(number), part.schema)


def _bytes(part: Parts, number: int) -> bytes:
    """The rows of a part as an Arrow stream: the buffers of tables that Dask sends are at any addresses, as they must not be."""
    output = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(output, part.schema) as writer:
        for batch in part.batches(number):
            writer.write_batch(batch)
    made: bytes = output.getvalue().to_pybytes()
    return made


def _totals(
    part: Parts, number: int, by: str, present: tuple[str, ...], sums: tuple[str, ...]
) -> dict[int, tuple[int, ...]]:
    asked = [(by, "count"), *((name, "count") for name in present), *((name, "sum") for name in sums)]
    found = _collect(part, number).group_by(by).aggregate(asked)
    names = [f"{name}_{what}" for name, what in asked]
    return {row[by]: tuple(row[name] or 0 for name in names) for row in found.to_pylist()}


def _send(part: Parts, number: int, file: Path, key: str, tasks: int) -> None:
    """Writes the rows of a part by the tasks that read them: Arrow messages, where they are, and where that is."""
    schema = part.schema

    def write(output: BinaryIO) -> None:
        places: dict[int, list[tuple[int, int]]] = {}
        for table in _gathered(part.batches(number), schema):
            receivers = _receivers(table[key], tasks)
            order = pyarrow.compute.sort_indices(receivers)
            table, receivers = table.take(order), receivers.take(order)
            start = 0
            for run in pyarrow.compute.value_counts(receivers):
                for batch in table.slice(start, run["counts"].as_py()).combine_chunks().to_batches():
                    message = batch.serialize()
                    places.setdefault(run["values"].as_py(), []).append((output.tell(), message.size))
                    output.write(message)
                start += run["counts"].as_py()
        place = output.tell()
        output.write(json.dumps({"schema": schema.serialize().to_pybytes().hex(), "places": places}).encode())
        output.write(place.to_bytes(8, "little"))

    _whole(file, write)


def _gathered(batches: Iterable[Any], schema: Any) -> Iterator[Any]:
    """Tables of several batches, so that each of many tasks gets more than a few rows at once."""
    held: list[Any] = []
    size = 0
    for batch in batches:
        held.append(batch)
        size += batch.nbytes
        if size >= _GATHERED:
            yield pyarrow.Table.from_batches(held, schema)
            held, size = [], 0
    if held:
        yield pyarrow.Table.from_batches(held, schema)


def _receivers(keys: Any, tasks: int) -> Any:
    """The task that reads the rows with a key: keys are often consecutive, or multiples of a power of two."""
    compute = pyarrow.compute
    spread = compute.multiply(compute.fill_null(keys.combine_chunks(), 0), 0x9E3779B97F4A7C15 - (1 << 64))
    spread = compute.bit_wise_and(compute.shift_right(spread, 32), 0x7FFFFFFF)
    return compute.subtract(spread, compute.multiply(compute.divide(spread, tasks), tasks))


def _sent(file: Path, number: int) -> Iterator[Any]:
    """The rows for a task in a file of :func:`_send`."""
    with file.open("rb") as read:
        read.seek(-8, os.SEEK_END)
        end = read.tell()
        read.seek(int.from_bytes(read.read(8), "little"))
        index = json.loads(read.read(end - read.tell()))
        schema = pyarrow.ipc.read_schema(pyarrow.py_buffer(bytes.fromhex(index["schema"])))
        for place, size in index["places"].get(str(number), []):
            read.seek(place)
            yield pyarrow.ipc.read_record_batch(pyarrow.py_buffer(read.read(size)), schema)


def _receive(files: list[Path], order: tuple[str, ...], task: Task | Large, number: int, file: Path) -> None:
    """Sorts the rows for a task, and runs it."""
    batches = [batch for own in files for batch in _sent(own, number)]
    _write(file, task.schema(), task(_in_order(batches, order), number))


def _in_order(batches: list[Any], order: tuple[str, ...]) -> Iterator[Any]:
    if batches:
        table = pyarrow.Table.from_batches(batches)
        places = _sorted(table, order)
        for start in range(0, table.num_rows, _ROWS):
            yield from table.take(places.slice(start, _ROWS)).to_batches()


def _sorted(table: Any, order: tuple[str, ...]) -> Any:
    """The rows of a table in an order, missing values last."""
    return pyarrow.compute.sort_indices(table, sort_keys=[(name, "ascending") for name in order])


def _key(table: Any, row: int, order: tuple[str, ...]) -> tuple[tuple[bool, Any], ...]:
    """What a row is compared by, as :func:`_sorted` does."""
    values = (table[name][row].as_py() for name in order)
    return tuple((value is None, 0 if value is None else value) for value in values)


def _sort(part: Parts, number: int, order: tuple[str, ...], file: Path) -> list[tuple[tuple[bool, Any], ...]]:
    """Sorts a part; returns what some of its rows are compared by."""
    table = _collect(part, number)
    table = table.take(_sorted(table, order)).combine_chunks()
    _whole(file, lambda output: _write_whole(output, table))
    return [_key(table, row, order) for row in range(0, table.num_rows, max(1, table.num_rows // _SAMPLE))]


def _write_whole(output: BinaryIO, table: Any) -> None:
    with pyarrow.ipc.new_file(output, table.schema) as writer:
        writer.write_table(table)


def _merge(files: list[Path], order: tuple[str, ...], low: Any, high: Any, file: Path) -> None:
    """The rows of sorted parts from one key until before another one, with their places in all."""
    start, own = 0, []
    for each in files:
        with pyarrow.memory_map(str(each)) as mapped, pyarrow.ipc.open_file(mapped) as reader:
            table = reader.read_all()
            rows = range(table.num_rows)
            first, end = (
                usual if key is None else bisect_left(rows, key, key=lambda row: _key(table, row, order))
                for key, usual in ((low, 0), (high, table.num_rows))
            )
            start += first
            own.append(table.slice(first, end - first))
    table = pyarrow.concat_tables(own)
    table = table.take(_sorted(table, order))
    places = pyarrow.array(range(start, start + table.num_rows), pyarrow.int64())
    table = table.set_column(table.schema.get_field_index("place"), "place", places)
    _write(file, table.schema, iter(table.to_batches(max_chunksize=_ROWS)))
