#!/usr/bin/env python3
"""The binary and a folder of collections with reference pairs in, the differences out.

    compare_reference.py BINARY DATA_DIR [COLLECTION...]

A collection is a folder with docs.jsonl.zst and ref_jac08.pairs.tsv.zst (resemblance of word 5-shingles,
0.8) or ref_cos09.pairs.tsv.zst (cosine of terms, 0.9), computed by somebody else's program over
`[^\\W_]+` words. All pairs that `lookalike cluster` lists have to be those, each with the same value and
sizes. Texts in scripts without spaces are cut into words by other rules, so pairs with such a document
are left out on both sides, and counted. Needs the zstd command. Standard library only.
"""
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from check_run import CannotCheck, read_table, normalised, words

DEFINITIONS = {
    "jac08": ("resemblance", ["--threshold", "0.8", "--shingle", "5", "--short-documents", "ignore"]),
    "cos09": ("cosine", ["--measure", "cosine", "--threshold", "0.9", "--terms", "kolcz"]),
}
TOLERANCE = 1e-6
PLAIN_WORD = re.compile(r"[^\W_]+")


def unpack(path: Path) -> bytes:
    return subprocess.run(["zstd", "-dc", "--long=31", str(path)], stdout=subprocess.PIPE, check=True).stdout


def exempt(documents: Path) -> set:
    """Ids of the documents in which words are not plain runs of letters and digits."""
    found = set()
    with open(documents, encoding="utf-8", newline="\n") as lines:
        for line in lines:
            record = json.loads(line)
            text = record.get("text")
            if not isinstance(text, str):
                continue
            try:
                spaced = text.isascii() or [word for word, _ in words(normalised(text, {"normalize": "none"}))] == PLAIN_WORD.findall(text.lower())
            except CannotCheck:
                spaced = False
            if not spaced:
                found.add(str(record["id"]))
    return found


def reference(path: Path) -> dict:
    """Value and sizes of each pair."""
    pairs = {}
    for line in unpack(path).decode("utf-8").splitlines()[1:]:
        a, b, value, size_a, size_b = line.split("\t")
        pairs[frozenset((a, b))] = (float(value), {a: int(size_a), b: int(size_b)})
    return pairs


def found(binary: Path, documents: Path, options: list, column: str, work: Path) -> dict:
    out = work / "out"
    command = [binary, "cluster", documents, "--output", out, "--force", "--tables", "tsv", "--quiet", "--normalize", "none"]
    subprocess.run([*map(str, command), *options], check=True)
    if not json.loads((out / "summary.json").read_text(encoding="utf-8"))["pairs"]["complete"]:
        raise SystemExit(f"{documents}: the list of pairs is not complete")
    return {
        frozenset((row["a_id"], row["b_id"])): (float(row[column]), {row["a_id"]: int(row["size_a"]), row["b_id"]: int(row["size_b"])})
        for row in read_table(out / "pairs.tsv")
    }


def differences(ours: dict, theirs: dict) -> list:
    """What is not the same, in words."""
    words_of = lambda pair: " and ".join(sorted(pair))
    out = [f"{words_of(pair)}: not found, {theirs[pair][0]}" for pair in theirs.keys() - ours.keys()]
    out += [f"{words_of(pair)}: found, {ours[pair][0]}" for pair in ours.keys() - theirs.keys()]
    for pair in ours.keys() & theirs.keys():
        (value, sizes), (expected, expected_sizes) = ours[pair], theirs[pair]
        if abs(value - expected) > TOLERANCE or sizes != expected_sizes:
            out.append(f"{words_of(pair)}: {value} of {sizes}, not {expected} of {expected_sizes}")
    return sorted(out)


def compare(binary: Path, folder: Path, work: Path) -> bool:
    """All definitions for which one collection has reference pairs."""
    documents = work / "docs.jsonl"
    documents.write_bytes(unpack(folder / "docs.jsonl.zst"))
    left_out, good = exempt(documents), True
    for name, (column, options) in DEFINITIONS.items():
        path = folder / f"ref_{name}.pairs.tsv.zst"
        if not path.is_file():
            continue
        if not json.loads((folder / "ref_pairs.json").read_text(encoding="utf-8"))[name]["full_pairs_file"]:
            print(f"skipped: {folder.name} {name}: its list of reference pairs is not complete")
            continue
        started = time.monotonic()
        ours, theirs = found(binary, documents, options, column, work), reference(path)
        took = time.monotonic() - started
        keep = lambda pairs: {pair: value for pair, value in pairs.items() if not pair & left_out}
        wrong = differences(keep(ours), keep(theirs))
        note = f", {len(left_out)} documents without spaces left out" if left_out else ""
        print(f"{'FAILED' if wrong else 'ok'}: {folder.name} {name}: {len(keep(theirs))} pairs{note} ({took:.1f} s)", flush=True)
        for line in wrong[:5]:
            print(f"    {line}")
        good = good and not wrong
    return good


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__)
        return 2
    if not shutil.which("zstd"):
        print("skipped: the zstd command is not installed")
        return 0
    binary, data, chosen = Path(sys.argv[1]).resolve(), Path(sys.argv[2]), set(sys.argv[3:])
    good, compared = True, 0
    for folder in sorted(data.iterdir()):
        if (folder / "docs.jsonl.zst").is_file() and list(folder.glob("ref_*.pairs.tsv.zst")):
            if not chosen or folder.name in chosen:
                compared += 1
                with tempfile.TemporaryDirectory(prefix="lookalike-reference-") as work:
                    good = compare(binary, folder, Path(work)) and good
    print(f"{compared} collections, {'all as they should be' if good else 'with differences'}")
    return 0 if good and compared else 1


if __name__ == "__main__":
    sys.exit(main())
