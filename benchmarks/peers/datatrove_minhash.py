"""datatrove: its four MinHash stages with their defaults, those of FineWeb: 5-grams of its own words, 14 buckets of 8.

Stages run with a worker for each core; the first and the last on as many shards of the input. Nothing is verified: what
shares a bucket is linked. Reading the clusters back from its binary files is the driver's and takes a moment.
"""
import shutil
import struct
from pathlib import Path

from common import CORES, batches, parsed, parser, write
from datatrove.executor.local import LocalPipelineExecutor
from datatrove.pipeline.dedup import MinhashDedupSignature
from datatrove.pipeline.dedup.minhash import (
    MinhashConfig, MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupFilter,
)
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers.jsonl import JsonlWriter
from datatrove.utils.typeshelper import Languages


def shards(source: Path, folder: Path) -> list:
    """The input dealt out to a file for each core. Returns the ids in each."""
    folder.mkdir(parents=True)
    ids = [[] for _ in range(CORES)]
    files = [(folder / f"{at}.jsonl").open("wb") for at in range(CORES)]
    for at, lines in enumerate(batches(source)):
        files[at % CORES].writelines(lines)
        ids[at % CORES] += parsed(lines)[0]
    for file in files:
        file.close()
    return ids


def run(pipeline: list, tasks: int, logs: Path) -> None:
    executor = LocalPipelineExecutor(
        # Forked workers need not load everything again for each stage.
        pipeline=pipeline, tasks=tasks, workers=CORES, logging_dir=str(logs), start_method="fork",
    )
    executor.run()


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
