"""duplodocus: `minhash-memory` of word 5-grams on a checkout that was built; what shares a band is one cluster.

Its program reads a directory of JSONL files, annotates every document with its cluster, and is told to keep all of them.
Standard library only.
"""
import argparse
import gzip
import json
import os
import shutil
import subprocess
from pathlib import Path

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
PROGRAM, PARTS, NOTE = "target/release/duplodocus", 8, "duplicates"


def cut(path: Path, folder: Path) -> None:
    """The lines of a file, dealt out to several: its threads take a file each."""
    folder.mkdir(parents=True)
    parts = [(folder / f"{number}.jsonl").open("wb") for number in range(PARTS)]
    with path.open("rb") as file:
        for number, line in enumerate(file):
            parts[number % PARTS].write(line)
    for part in parts:
        part.close()


def lines_of(path: Path):
    with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as file:
        yield from file


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("input", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--checkout", type=Path, required=True)
    parser.add_argument("--buckets", required=True)
    parser.add_argument("--rows", required=True)
    options = parser.parse_args()
    work = Path(f"{options.output}.work")
    shutil.rmtree(work, ignore_errors=True)
    cut(options.input, work / "in")
    command = [str(options.checkout / PROGRAM), "minhash-memory", "--text-key", "text", "--ngram-size", "5"]
    command += ["--num-buckets", options.buckets, "--bucket-size", options.rows, "--permutation-seed", "42"]
    command += ["--tokenizer", "uniseg", "--num-sig-chunks", str(PARTS), "--cleanup-storage"]
    command += ["--remove-duplicates", "false", "--annotate", "true", "--annotate-key", NOTE]
    for flag, name in (("--input-dir", "in"), ("--storage-dir", "storage"), ("--output-dir", "out")):
        command += [flag, str(work / name)]
    subprocess.run(command, check=True, env={**os.environ, "RAYON_NUM_THREADS": str(CORES)})
    with options.output.open("w", encoding="utf-8") as out:
        for path in sorted(path for path in (work / "out").rglob("*.jsonl*") if path.is_file()):
            for line in lines_of(path):
                document = json.loads(line)
                note = document.get(NOTE)
                cluster = f"cluster {note['cc_id']}" if note else document["id"]
                out.write(f"{document['id']}\t{cluster}\n")
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
