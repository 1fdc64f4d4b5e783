"""The same answer on Ray Data: datasets in, datasets out.

>>> import lookalike.ray                                                                     # doctest: +SKIP
>>> result = lookalike.ray.dedup(documents, id="id", threshold=0.8, work="/shared/work")     # doctest: +SKIP
>>> clean = result.filter(documents)                                                         # doctest: +SKIP

Ray Data reads documents and tables, and Ray runs tasks, again if a worker is lost. The tables and the digest equal those of
:func:`lookalike.dedup` on one machine over the same rows. ``pip install lookalike 'ray[data]'`` on all nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike.distributed.doors import Door, FrameResult, Stays
from lookalike.distributed.files import Job
from lookalike.distributed.stages import Stage

if TYPE_CHECKING:
    from ray.data import Dataset

__all__ = ["FrameResult", "Stage", "cluster", "dedup", "similarity_join"]


class _Ray:
    def columns(self, frame: Dataset, /) -> list[str]:
        return list(frame.columns() or [])

    def write(self, frame: Dataset, columns: list[str], folder: Path, /) -> None:
        if columns:
            frame.select_columns(columns).write_parquet(str(folder))

    def read(self, folder: Path, /) -> Dataset:
        import ray

        return ray.data.read_parquet(str(folder))

    def where(self, frame: Dataset, column: str, stays: Stays, /) -> Dataset:
        return frame.map_batches(_staying, batch_format="pyarrow", fn_args=(column, stays))

    def run(self, function: Callable[..., Any], jobs: Sequence[Job], /) -> list[Any]:
        import ray

        remote = ray.remote(function)
        found: list[Any] = ray.get([remote.remote(*job) for job in jobs])
        return found

    def tasks(self) -> int:
        import ray

        if not ray.is_initialized():
            ray.init()
        return max(2, 2 * int(ray.cluster_resources().get("CPU", 1)))


def _staying(rows: Any, column: str, stays: Stays) -> Any:
    return rows.filter(stays(rows[column].combine_chunks()))


_DOOR: Door[Dataset] = Door(_Ray())
dedup = _DOOR.dedup
cluster = _DOOR.cluster
similarity_join = _DOOR.similarity_join
