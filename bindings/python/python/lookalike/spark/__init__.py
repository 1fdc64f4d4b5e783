"""The same answer on Spark: DataFrames in, DataFrames out.

>>> import lookalike.spark                                                                     # doctest: +SKIP
>>> result = lookalike.spark.dedup(documents, id="id", threshold=0.8, work="s3a://bucket/work")  # doctest: +SKIP
>>> clean = result.filter(documents)                                                           # doctest: +SKIP

Spark moves rows and stores stages; all decisions are those of the Rust core, which runs inside ``mapInArrow``. The
tables and the digest equal those of :func:`lookalike.dedup` on one machine over the same rows, for any number of tasks
and whatever happens to executors. Spark 4, also through Spark Connect; ``pip install 'lookalike[spark]'`` on the driver
and the workers.
"""

from lookalike.distributed.stages import Stage
from lookalike.spark._decontaminate import SparkContamination, decontaminate
from lookalike.spark._passages import SparkPassages, passages
from lookalike.spark._result import SparkResult
from lookalike.spark._run import cluster, dedup, similarity_join

__all__ = [
    "SparkContamination",
    "SparkPassages",
    "SparkResult",
    "Stage",
    "cluster",
    "decontaminate",
    "dedup",
    "passages",
    "similarity_join",
]
