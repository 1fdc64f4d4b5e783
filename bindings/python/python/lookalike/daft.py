"""The same answer on Daft: dataframes in, dataframes out.

>>> import lookalike.daft                                                                    # doctest: +SKIP
>>> result = lookalike.daft.dedup(documents, id="id", threshold=0.8, work="/shared/work")    # doctest: +SKIP
>>> clean = result.filter(documents)                                                         # doctest: +SKIP

Daft reads documents and tables, and runs tasks on its runner, as a function over a column of them. The tables and the digest
equal those of :func:`lookalike.dedup` on one machine over the same rows. ``pip install lookalike daft`` on all nodes.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike.distributed.doors import Door, FrameResult, Stays
from lookalike.distributed.files import Job
from lookalike.distributed.stages import Stage

if TYPE_CHECKING:
    from daft import DataFrame

__all__ = ["FrameResult", "Stage", "cluster", "dedup", "similarity_join"]


class _Daft:
    def columns(self, frame: DataFrame, /) -> list[str]:
        return list(frame.column_names)

    def write(self, frame: DataFrame, columns: list[str], folder: Path, /) -> None:
        frame.select(*columns).write_parquet(str(folder))

    def read(self, folder: Path, /) -> DataFrame:
        import daft

        return daft.read_parquet(str(folder))

    def where(self, frame: DataFrame, column: str, stays: Stays, /) -> DataFrame:
        import daft

        def staying(values: daft.Series) -> Any:
            return stays(values.to_arrow())

        is_staying = daft.func.batch(return_dtype=daft.DataType.bool())(staying)
        return frame.where(is_staying(daft.col(column)))

    def run(self, function: Callable[..., Any], jobs: Sequence[Job], /) -> list[Any]:
        import daft

        def call(asked: daft.Series) -> list[bytes]:
            return [pickle.dumps(function(*pickle.loads(job))) for job in asked.to_pylist()]

        done = daft.func.batch(return_dtype=daft.DataType.binary(), batch_size=1, use_process=False)(call)
        numbered = [(number, pickle.dumps(job)) for number, job in enumerate(jobs)]
        asked = daft.from_pydict({"number": [at for at, _ in numbered], "job": [job for _, job in numbered]})
        if daft.runners.get_or_infer_runner_type() != "native":
            asked = asked.into_partitions(max(1, len(jobs)))
        found = asked.select("number", done(daft.col("job")).alias("done")).to_pydict()
        return [pickle.loads(made) for _, made in sorted(zip(found["number"], found["done"], strict=True))]

    def tasks(self) -> int:
        return max(2, 2 * (os.cpu_count() or 1))


_DOOR: Door[DataFrame] = Door(_Daft())
dedup = _DOOR.dedup
cluster = _DOOR.cluster
similarity_join = _DOOR.similarity_join
