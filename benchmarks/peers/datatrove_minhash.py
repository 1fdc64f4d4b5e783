"""datatrove: its four MinHash stages with their defaults, those of FineWeb: 5-grams of its own words, 14 buckets of 8.

Stages run with a worker for each core; the first and the last on as many shards of the input. Nothing is verified: what
shares a bucket is linked. Reading the clusters back from its binary files is the driver's and takes a moment.
"""
import shutil
import struct
from pathlib import Path

from common import CORES, parser, write
from datatrove.pipeline.dedup import MinhashDedupSignature
from datatrove.pipeline.dedup.minhash import (
    MinhashConfig, MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupFilter,
)
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers.jsonl import JsonlWriter
from datatrove.utils.typeshelper import Languages
from datatrove_stages import run, shards


def stages(work: Path) -> None:
    config = MinhashConfig()
    source, signatures, buckets, remove, kept = (str(work / name) for name in ("in", "sig", "buckets", "remove", "kept"))
    read = JsonlReader(source, id_key="id")
    sign = MinhashDedupSignature(output_folder=signatures, config=config, language=Languages.english)
    run([read, sign], CORES, work / "logs1")
    match = MinhashDedupBuckets(input_folder=signatures, output_folder=buckets, config=config)
    run([match], config.num_buckets, work / "logs2")
    run([MinhashDedupCluster(input_folder=buckets, output_folder=remove, config=config)], 1, work / "logs3")
    run([read, MinhashDedupFilter(input_folder=remove), JsonlWriter(kept, compression=None)], CORES, work / "logs4")


def links(buckets: Path, starts: list):
    """What datatrove paired, which is what it clusters: shard and position of each, made one number."""
    for path in sorted(buckets.glob("*.dups")):
        for shard, at, other_shard, other in struct.iter_unpack("<4I", path.read_bytes()):
            yield starts[shard] + at, starts[other_shard] + other


def main() -> None:
    options = parser(__doc__).parse_args()
    work = Path(f"{options.output}.work")
    shutil.rmtree(work, ignore_errors=True)
    ids = shards(options.input, work / "in")
    stages(work)
    starts = [sum(map(len, ids[:at])) for at in range(CORES)]
    write(options.output, sum(ids, []), links(work / "buckets", starts))
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
