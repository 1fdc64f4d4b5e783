#!/usr/bin/env python3
"""Near passages on collections with labels: how much of planted passages `passages --gaps` finds, and of what people copied and reworded.

    near_passages.py [--data DIR] [--binary FILE]

`dup_pan13_a` (PAN 2013, passages pasted into other documents; in the copy used here some are displaced): recall, precision and granularity as PAN defines
them (Potthast et al. 2010), in characters of both sides, macro-averaged over passages. Detections count where the truth is known: between a
suspicious document and a source that have a planted passage. `dup_clough_stevenson` (short answers copied, revised lightly, revised heavily, or written
freely): words in near passages by kind. Standard library, and `zstd`.
"""
import argparse
import csv
import json
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

from measure import ROOT, table

#: Length, gaps and agreement of each row.
SETTINGS = ((50, 2, "0.9"), (50, 4, "0.8"), (25, 4, "0.8"), (25, 8, "0.6"), (15, 4, "0.6"))


def near(binary: Path, docs: Path, length: int, gaps: int, agree: str) -> list:
    """Pairs of stretches, each of a document and characters."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        command = [binary, "passages", docs, "-o", out, "-q", "--no-report", "--tables", "tsv", "--cut", "none", "--across", "-L", str(length), "--gaps", str(gaps), "--agree", agree]
        subprocess.run(list(map(str, command)), check=True)
        with (out / "near.tsv").open(encoding="utf-8", newline="") as rows:
            return list(csv.DictReader(rows, delimiter="\t", quoting=csv.QUOTE_NONE))


def texts_of(folder: Path, work: Path) -> tuple:
    """The documents as a file, and the number of characters before each byte of each text."""
    docs = work / f"{folder.name}.jsonl"
    with docs.open("wb") as out:
        subprocess.run(["zstd", "-dcq", str(folder / "docs.jsonl.zst")], stdout=out, check=True)
    return docs, {record["id"]: record["text"] for record in map(json.loads, docs.read_text(encoding="utf-8").splitlines())}


def characters(text: str, start: str, end: str) -> range:
    data = text.encode()
    first = len(data[: int(start)].decode())
    return range(first, first + len(data[int(start) : int(end)].decode()))


def common(one: range, other: range) -> int:
    return max(0, min(one.stop, other.stop) - max(one.start, other.start))


def covered(part: tuple, others: list) -> float:
    """The share of a pair of ranges that is in the union of others which meet it on both sides."""
    meet = [other for other in others if common(part[0], other[0]) and common(part[1], other[1])]
    inside = sum(len({place for other in meet for place in range(max(side.start, other[at].start), min(side.stop, other[at].stop))}) for at, side in enumerate(part))
    return inside / sum(map(len, part))


def pan(binary: Path, folder: Path, work: Path) -> None:
    docs, texts = texts_of(folder, work)
    truth = defaultdict(list)
    with (folder / "pairs.tsv").open(encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows, delimiter="\t"):
            if float(row["passage_j"]) >= 0.3:
                place = lambda side: range(int(row[f"{side}_offset"]), int(row[f"{side}_offset"]) + int(row[f"{side}_length"]))
                truth[row["suspicious"], row["source"]].append((place("this"), place("source")))
    lines = []
    for length, gaps, agree in SETTINGS:
        found = defaultdict(list)
        for row in near(binary, docs, length, gaps, agree):
            one = row["id"], characters(texts[row["id"]], row["byte"], row["end_byte"])
            other = row["first_id"], characters(texts[row["first_id"]], row["first_byte"], row["first_end_byte"])
            for (here, at), (there, source) in ((one, other), (other, one)):
                if (here, there) in truth:
                    found[here, there].append((at, source))
        recalls = [covered(passage, found[pair]) for pair, of in truth.items() for passage in of]
        precisions = [covered(detection, truth[pair]) for pair, of in found.items() for detection in of]
        parts = [sum(1 for detection in found[pair] if common(detection[0], passage[0]) and common(detection[1], passage[1])) for pair, of in truth.items() for passage in of]
        hit = [count for count in parts if count]
        mean = lambda numbers: sum(numbers) / max(1, len(numbers))
        lines.append([f"{length} words, {gaps}, {agree}", f"{mean(recalls):.3f}", f"{mean(precisions):.3f}", f"{mean(hit):.2f}", f"{len(hit)} of {len(parts)}"])
    table("Planted passages (dup_pan13_a)", ["length, gaps, agree", "recall", "precision", "granularity", "passages found"], lines)


def clough(binary: Path, folder: Path, work: Path) -> None:
    docs, texts = texts_of(folder, work)
    with (folder / "pairs.tsv").open(encoding="utf-8", newline="") as rows:
        answers = {(row["answer"], row["source"]): row["category"] for row in csv.DictReader(rows, delimiter="\t")}
    lines = []
    for length, gaps, agree in SETTINGS:
        seen: dict = defaultdict(set)
        for row in near(binary, docs, length, gaps, agree):
            for here, there, side in ((row["id"], row["first_id"], ""), (row["first_id"], row["id"], "first_")):
                if (here, there) in answers:
                    seen[here, there] |= set(characters(texts[here], row[f"{side}byte"], row[f"{side}end_byte"]))
        of_kind = lambda kind: [len(seen[pair]) / len(texts[pair[0]]) for pair, of in answers.items() if of == kind]
        lines.append([f"{length} words, {gaps}, {agree}", *(f"{sum(shares) / len(shares):.2f} ({sum(map(bool, shares))} of {len(shares)})" for shares in map(of_kind, ("cut", "light", "heavy", "non")))])
    table("Share of the characters of an answer in near passages of its source (dup_clough_stevenson)", ["length, gaps, agree", "copied", "revised lightly", "revised heavily", "written freely"], lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--binary", type=Path, default=ROOT / "target" / "release" / "lookalike")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        pan(options.binary, options.data / "dup_pan13_a", Path(folder))
        clough(options.binary, options.data / "dup_clough_stevenson", Path(folder))


if __name__ == "__main__":
    main()
