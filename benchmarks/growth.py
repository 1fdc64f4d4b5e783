#!/usr/bin/env python3
"""Growth on disk: `cluster` over copies of a corpus that have hardly a shingle in common, within a budget of memory.

    growth.py --corpus FILE [--copies N,M,…] [--memory SIZE] [--work DIR]

Copy k of the corpus has each letter a to z of its texts replaced by another, so that copies are alike in length, repetition and duplicates, and
no copy is a duplicate of another. Each is a JSONL file compressed with `zstd -1`, so that inputs larger than the disk holds raw can be read.
For each number of copies: CPU and wall µs a document, peak memory, bytes of input. The budget is --memory (4GB). Needs the program zstd.
"""
import json
import random
import shutil
import string
import subprocess
import sys
from pathlib import Path

from measure import Failed, argument_parser, arguments, introduce, machine, measured, note_others, programs, save, say, table, with_others


def permutation(copy: int) -> bytes:
    """A table for `bytes.translate`: letters to letters, another for each copy."""
    letters = list(string.ascii_lowercase)
    random.Random(copy).shuffle(letters)
    return bytes.maketrans(string.ascii_lowercase.encode(), "".join(letters).encode())


def write_copy(corpus: Path, copy: int, path: Path) -> int:
    """Writes a copy; returns the bytes before compression."""
    to, size = permutation(copy), 0
    temporary = path.with_suffix(".part")
    with corpus.open("rb") as lines, temporary.open("wb") as out:
        packer = subprocess.Popen(["zstd", "-1", "-q", "-c"], stdin=subprocess.PIPE, stdout=out)
        for number, line in enumerate(lines):
            text = json.loads(line)["text"].encode().translate(to)
            line = b'{"id":"%d-%d","text":%s}\n' % (copy, number, json.dumps(text.decode(), ensure_ascii=False).encode())
            size += len(line)
            packer.stdin.write(line)
        packer.stdin.close()
        if packer.wait() != 0:
            raise Failed(f"zstd could not write {temporary}")
    temporary.rename(path)
    return size


def main() -> int:
    parser = argument_parser(__doc__)
    parser.add_argument("--copies", default="10,30", help="numbers of copies, with commas between")
    parser.add_argument("--memory", default="4GB", help="budget of each run")
    given = arguments(parser)
    if len(given.corpus) != 1:
        parser.error("name one --corpus")
    corpus, numbers = given.corpus[0], sorted(int(number) for number in given.copies.split(","))
    folder = given.work / f"growth-{corpus.stem}"
    folder.mkdir(parents=True, exist_ok=True)
    lookalike = programs(given.binaries, "lookalike")["lookalike"]
    about = machine(lookalike)
    introduce(about, 1)
    documents = sum(1 for _ in corpus.open("rb"))
    sizes_file = folder / "sizes.json"
    sizes = json.loads(sizes_file.read_text()) if sizes_file.exists() else {}
    paths = [folder / f"copy-{copy:04}.jsonl.zst" for copy in range(numbers[-1])]
    for copy, path in enumerate(paths):
        if not path.exists() or path.name not in sizes:
            sizes[path.name] = write_copy(corpus, copy, path)
            sizes_file.write_text(json.dumps(sizes))
            say(f"  {path.name} written")
    rows, runs = [], {}
    for number in numbers:
        output = folder / "output"
        inputs = list(map(str, paths[:number]))
        command = [lookalike, "cluster", *inputs, "-o", str(output), "--force", "--quiet", "--no-report", "--memory", given.memory]
        cost, _ = with_others(measured, command, given.timeout)
        shutil.rmtree(output)
        count, size = number * documents, sum(sizes[path.name] for path in paths[:number])
        runs[number] = cost
        rows.append([f"{count:,}", size / 1e9, cost["cpu"] / count * 1e6, cost["wall"] / count * 1e6, cost["peak"] / 1e9])
        say(f"  {count:,} documents: {cost['cpu']:.1f} CPU s, {cost['wall']:.1f} s")
    table(f"growth of {corpus.name}, --memory {given.memory}", ["documents", "GB of text", "CPU µs/doc", "wall µs/doc", "peak GB"], rows)
    note_others(list(runs.values()))
    save(folder / "growth.json", {"machine": about, "memory": given.memory, "runs": runs})
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"growth.py: {failure}")
