"""The same answer on Dask: dataframes in, dataframes out.

>>> import lookalike.dask                                                                    # doctest: +SKIP
>>> result = lookalike.dask.dedup(documents, id="id", threshold=0.8, work="/shared/work")    # doctest: +SKIP
>>> clean = result.filter(documents)                                                         # doctest: +SKIP

Dask reads documents and tables, and runs tasks on its scheduler: that of a ``distributed.Client``, which repeats them if a worker
is lost, or else on threads of this process. The tables and the digest equal those of :func:`lookalike.dedup` on one machine over
the same rows. ``pip install lookalike 'dask[dataframe]'`` on all nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike.distributed.doors import Door, FrameResult, Stays
from lookalike.distributed.files import Job, write_parquet
from lookalike.distributed.stages import Stage

if TYPE_CHECKING:
    from dask.dataframe import DataFrame

__all__ = ["FrameResult", "Stage", "cluster", "dedup", "similarity_join"]


class _Dask:
    def columns(self, frame: DataFrame, /) -> list[str]:
        return list(frame.columns)

    def write(self, frame: DataFrame, columns: list[str], folder: Path, /) -> None:
        # Each part with the types that it has: to_parquet() takes those of the first part for all.
        parts = frame[columns].to_delayed()
        self.run(_write, [(part, folder / f"{number:05}.parquet") for number, part in enumerate(parts)])

    def read(self, folder: Path, /) -> DataFrame:
        import dask.dataframe

        return dask.dataframe.read_parquet(str(folder))

    def where(self, frame: DataFrame, column: str, stays: Stays, /) -> DataFrame:
        return frame.map_partitions(_staying, column, stays, meta=frame._meta)

    def run(self, function: Callable[..., Any], jobs: Sequence[Job], /) -> list[Any]:
        import dask

        delayed = dask.delayed(function, pure=False)
        return list(dask.compute(*(delayed(*job) for job in jobs)))

    def tasks(self) -> int:
        import os

        from dask.base import get_scheduler

        client: Any = getattr(get_scheduler(), "__self__", None)
        cores = sum(client.ncores().values()) if hasattr(client, "ncores") else os.cpu_count()
        return max(2, 2 * (cores or 1))


def _write(part: Any, file: Path) -> None:
    import pyarrow

    write_parquet(pyarrow.Table.from_pandas(part, preserve_index=False), file)


def _staying(part: Any, column: str, stays: Stays) -> Any:
    return part[stays(part[column]).to_numpy(zero_copy_only=False)]


_DOOR: Door[DataFrame] = Door(_Dask())
dedup = _DOOR.dedup
cluster = _DOOR.cluster
similarity_join = _DOOR.similarity_join
