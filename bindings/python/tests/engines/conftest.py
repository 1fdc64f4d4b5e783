"""The libraries of frames, each with what takes a table to it and back."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # Before Ray is imported.
os.environ.setdefault("DO_NOT_TRACK", "1")  # The same for Daft.

pyarrow = pytest.importorskip("pyarrow")

#: What is installed for each library.
MODULES = {"ray": "ray.data", "dask": "dask.dataframe", "daft": "daft"}


@dataclass(frozen=True)
class Library:
    """A library of frames."""

    name: str
    #: The module of lookalike.
    door: Any
    #: A table of pyarrow, in so many parts, as a frame, and a frame as a table.
    frame: Callable[[Any, int], Any]
    table: Callable[[Any], Any]


@pytest.fixture(scope="session")
def ray() -> Iterator[Any]:
    """Ray on two cores."""
    pytest.importorskip("ray.data", reason="Ray Data is not installed: pip install 'ray[data]'")
    ray = importlib.import_module("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = context.print_on_execution_start = False
    yield ray
    ray.shutdown()


def slices(table: Any, parts: int) -> list[Any]:
    """Parts of a table, of which some may be empty."""
    rows = -(-table.num_rows // parts)
    return [table.slice(at * rows, rows) for at in range(parts)]


def of_ray(ray: Any) -> Library:
    def frame(table: Any, parts: int) -> Any:
        return ray.data.from_arrow(slices(table, parts))

    def table(frame: Any) -> Any:
        tables = [own for own in ray.get(frame.to_arrow_refs()) if own.num_rows]
        return pyarrow.concat_tables(tables) if tables else frame.schema().base_schema.empty_table()

    return Library("ray", importlib.import_module("lookalike.ray"), frame, table)


def of_dask() -> Library:
    pandas, delayed, dd = (importlib.import_module(name) for name in ("pandas", "dask.delayed", "dask.dataframe"))

    def frame(table: Any, parts: int) -> Any:
        types = {pyarrow.int64(): pandas.Int64Dtype()}.get
        frames = [part.to_pandas(types_mapper=types) for part in slices(table, parts)]
        # Of delayed parts, as what reads files makes them; of frames in memory Dask makes others.
        return dd.from_delayed([delayed.delayed(part) for part in frames], meta=frames[0].iloc[:0], verify_meta=False)

    def table(frame: Any) -> Any:
        return pyarrow.Table.from_pandas(frame.compute(), preserve_index=False)

    return Library("dask", importlib.import_module("lookalike.dask"), frame, table)


def of_daft() -> Library:
    daft = importlib.import_module("daft")

    def frame(table: Any, parts: int) -> Any:
        return daft.from_arrow(slices(table, parts))

    return Library("daft", importlib.import_module("lookalike.daft"), frame, lambda frame: frame.to_arrow())


@pytest.fixture(params=MODULES)
def library(request: pytest.FixtureRequest) -> Library:
    """Each of the libraries."""
    name: str = request.param
    pytest.importorskip(MODULES[name], reason=f"{name} is not installed; bindings/python/tests/requirements*.txt have it")
    if name == "ray":
        return of_ray(request.getfixturevalue("ray"))
    return of_dask() if name == "dask" else of_daft()


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return tmp_path / "work"
