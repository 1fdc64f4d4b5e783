"""One cluster, and one session on it, for all tests on Spark."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyspark")

import pyarrow.parquet

from .cluster import Cluster

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.stop()


@pytest.fixture(scope="session")
def session(cluster: Cluster) -> Iterator[SparkSession]:
    from pyspark.sql import SparkSession

    # The driver's virtual machine reads them when it starts.
    os.environ.update(cluster.environment)
    session = SparkSession.builder.appName("tests").getOrCreate()
    yield session
    session.stop()


@pytest.fixture
def stored(session: SparkSession, tmp_path: Path) -> Callable[..., DataFrame]:
    """Stores a table as Parquet files, and reads them on Spark."""

    def store(table: Any, name: str = "documents") -> DataFrame:
        return session.read.parquet(str(write(table, tmp_path / name)))

    return store


def write(table: Any, folder: Path) -> Path:
    """Stores a table as two Parquet files."""
    folder.mkdir()
    half = table.num_rows // 2
    pyarrow.parquet.write_table(table.slice(0, half), folder / "0.parquet")
    pyarrow.parquet.write_table(table.slice(half), folder / "1.parquet")
    return folder
