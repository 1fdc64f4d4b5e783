"""What the drivers of datatrove share: the input as shards, and a stage that runs on all cores."""
from pathlib import Path

from common import CORES, batches, parsed
from datatrove.executor.local import LocalPipelineExecutor


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
