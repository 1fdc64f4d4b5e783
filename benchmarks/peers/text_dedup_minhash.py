"""text-dedup: its command `text_dedup.minhash`, 5-grams of its own words; bands and rows as it chooses for 0.8.

Its clusters are read back from the union-find that --debug makes it leave behind. The release on PyPI verifies nothing:
what shares a band is clustered.
"""
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

from common import CORES, batches, parsed, parser


def run(source: Path, work: Path) -> None:
    settings = {
        "path": "json", "data_files": source, "split": "train", "cache_dir": work / "cache", "output": work / "out",
        "column": "text", "idx_column": "id", "ngram": 5, "threshold": 0.8, "hash_func": "xxh3", "num_proc": CORES,
    }
    command = [sys.executable, "-m", "text_dedup.minhash", "--debug"]
    for name, value in settings.items():
        command += [f"--{name}", str(value)]
    environment = {**os.environ, "HF_HOME": str(work / "hf"), "HF_HUB_OFFLINE": "1"}
    subprocess.run(command, check=True, env=environment)


def main() -> None:
    options = parser(__doc__).parse_args()
    work = Path(f"{options.output}.work")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    run(options.input.resolve(), work)
    with (work / "out/uf.pkl").open("rb") as file:
        clusters = pickle.load(file)
    with options.output.open("w", encoding="utf-8") as file:
        for lines in batches(options.input):
            file.writelines(f"{name}\t{clusters.find(name)}\n" for name in parsed(lines)[0])
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
