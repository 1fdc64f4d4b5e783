"""datatrove: its four MinHash stages on this machine, with the settings of FineWeb.

    python datatrove_theirs.py INPUT_DIRECTORY OUTPUT_DIRECTORY
"""

import sys

from datatrove.executor.local import LocalPipelineExecutor
from datatrove.pipeline.dedup import MinhashDedupSignature
from datatrove.pipeline.dedup.minhash import (
    MinhashConfig,
    MinhashDedupBuckets,
    MinhashDedupCluster,
    MinhashDedupFilter,
)
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers.jsonl import JsonlWriter
from datatrove.utils.hashing import HashConfig
from datatrove.utils.typeshelper import Languages

source, output = sys.argv[1:3]
config = MinhashConfig(hash_config=HashConfig(precision=64), num_buckets=14, hashes_per_bucket=8)
reader = JsonlReader(source, glob_pattern="*.jsonl")


def run(tasks, stage, *pipeline):
    LocalPipelineExecutor(list(pipeline), tasks=tasks, logging_dir=f"{output}/logs/{stage}", start_method="fork").run()


if __name__ == "__main__":
    sign = MinhashDedupSignature(f"{output}/signatures", config=config, language=Languages.english)
    run(1, "signatures", reader, sign)
    run(config.num_buckets, "buckets", MinhashDedupBuckets(f"{output}/signatures", f"{output}/buckets", config=config))
    run(1, "clusters", MinhashDedupCluster(f"{output}/buckets", f"{output}/remove", config=config))
    removed = JsonlWriter(f"{output}/removed", compression=None)
    kept = JsonlWriter(f"{output}/kept", compression=None)
    run(1, "filter", reader, MinhashDedupFilter(f"{output}/remove", exclusion_writer=removed), kept)
