#!/usr/bin/env python3
"""What repeated passages cost: `passages` beside `wc -w`, `dedup` and other tools on the same file, and how its cost grows.

    passages.py --corpus FILE [--corpus FILE …] [--suffix-arrays PROGRAM] [--peers FOLDER] [--few N] [--repeat N] [--binary FILE] [--growth]

Programs take turns within each round; figures are medians. MB are of text. `--suffix-arrays` is `dedup_dataset` of deduplicate-text-datasets (Lee et
al. 2021), which finds every byte of which 300 bytes stand twice: it makes the array, finds repeats, and collects ranges; it cuts nothing. It is run
once. `--peers` runs datatrove's sentence deduplication and Dolma's paragraph filter on the first --few documents (3,000), installed in FOLDER, and counts
with `passages` which later copies of 50 words they leave. `--growth` measures documents with one header, and versions of one text, at four sizes.
Standard library only.
"""
import argparse
import json
import random
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from measure import CORES, ROOT, first_documents, measured, measured_tree, say, table, warm
from peers import HERE, environment

#: What is run; nothing for `wc -w`.
RUNS = {
    "`wc -w`": None,
    "`dedup`": ["dedup"],
    "`passages`": ["passages"],
    "`passages`, no report": ["passages", "--no-report"],
    "`passages -j 1`, no report": ["passages", "--no-report", "-j", "1"],
    "`passages`, listed only": ["passages", "--no-report", "--cut", "none"],
    "`passages --memory 200MB`": ["passages", "--no-report", "--memory", "200MB"],
    "`passages --unit byte`": ["passages", "--no-report", "--unit", "byte"],
}


def texts_of(corpus: Path):
    with corpus.open("rb") as lines:
        for line in lines:
            text = json.loads(line).get("text")
            if isinstance(text, str):
                yield text.encode("utf-8", "replace")


def suffix_arrays(program: Path, corpus: Path, work: Path) -> dict:
    """Cost of all three steps over the texts, each behind a mark that occurs once."""
    data = work / "texts"
    with data.open("wb") as out:
        for number, text in enumerate(texts_of(corpus)):
            out.write(b"\xff\xff" + number.to_bytes(4, "little") + text)
    cache = work / "cache"
    cache.mkdir()
    steps = (
        ["make", "--data-file", data],
        ["self-similar", "--data-file", data, "--length-threshold", "300", "--cache-dir", cache, "--num-threads", CORES],
        ["collect", "--data-file", data, "--cache-dir", cache, "--length-threshold", "300"],
    )
    costs = []
    for step in steps:
        say(f"suffix arrays: {step[0]}")
        costs.append(measured_tree([str(word) for word in (program, *step)], 7200)[0])
    shutil.rmtree(cache)
    return {"wall": sum(cost["wall"] for cost in costs), "cpu": sum(cost["cpu"] for cost in costs), "peak": max(cost["peak"] for cost in costs)}


def compare(corpus: Path, given: argparse.Namespace, work: Path) -> None:
    text = sum(map(len, texts_of(corpus)))
    warm(corpus, 600)
    out = work / "out"
    commands = {name: ["wc", "-w", corpus] if run is None else [given.binary, *run, corpus, "-o", out, "--force", "-q"] for name, run in RUNS.items()}
    costs: dict = {name: [] for name in commands}
    for _ in range(given.repeat):
        for name, command in commands.items():
            costs[name].append(measured([str(word) for word in command], 3600)[0])
    if given.suffix_arrays:
        costs["suffix arrays, bytes"] = [suffix_arrays(given.suffix_arrays, corpus, work)]
    rows = []
    of_dedup = statistics.median(cost["cpu"] for cost in costs["`dedup`"])
    for name, of in costs.items():
        wall, cpu, peak = (statistics.median(cost[key] for cost in of) for key in ("wall", "cpu", "peak"))
        rows.append([name, wall, cpu, text / 1e6 / cpu, cpu / of_dedup, peak / 1e6, peak / text])
    table(f"{corpus.name}: {text / 1e6:.0f} MB of text", ["", "wall s", "CPU s", "MB per CPU s", "CPU ÷ `dedup`", "peak MB", "peak ÷ text"], rows)


def without_spans(documents: Path, attributes: Path, out: Path) -> None:
    """Documents without what the spans of Dolma's attribute files name, which are places of characters."""
    with out.open("w", encoding="utf-8") as written:
        for file in sorted(documents.iterdir()):
            with file.open(encoding="utf-8") as lines, (attributes / file.name).open(encoding="utf-8") as spans:
                for line, given in zip(lines, spans, strict=True):
                    record = json.loads(line)
                    for start, end, _ in reversed(json.loads(given)["attributes"]["repeated"]):
                        record["text"] = record["text"][:start] + record["text"][end:]
                    written.write(json.dumps(record) + "\n")


def beside_others(corpus: Path, given: argparse.Namespace, work: Path) -> None:
    """Costs of the tools on the first documents, and how much of what `passages` finds is in what they leave."""
    few = first_documents(corpus, given.few, work)
    text = sum(map(len, texts_of(few)))
    ours, others = work / "ours", {name: work / name for name in ("datatrove", "dolma")}
    drivers = {"datatrove": "datatrove_sentences.py", "dolma": "dolma_paragraphs.py"}
    commands = {name: [environment(name, given.peers), HERE / "peers" / driver, few, others[name]] for name, driver in drivers.items()}
    commands["`passages`"] = [given.binary, "passages", few, "-o", ours, "--no-report", "-q"]
    costs = {name: measured_tree([str(word) for word in command], 7200)[0] for name, command in commands.items()}
    cut = others["dolma"] / "cut.jsonl"
    without_spans(others["dolma"] / "documents", others["dolma"] / "attributes/repeated", cut)
    left = {"before": [few], "datatrove": sorted((others["datatrove"] / "kept").iterdir()), "dolma": [cut], "`passages`": [ours / "kept.jsonl"]}
    rows = []
    for name, files in left.items():
        found = work / "found"
        measured([str(word) for word in (given.binary, "passages", *files, "-o", found, "--force", "--no-report", "-q", "--cut", "none")], 3600)
        summary = json.loads((found / "summary.json").read_text())
        cost = costs.get(name)
        spent = [cost["wall"], cost["cpu"], text / 1e6 / cost["cpu"], cost["peak"] / 1e6] if cost else [""] * 4
        rows.append([name, *spent, f"{summary['units']:,}", f"{100 * summary['later_units'] / summary['units']:.2f} %"])
    columns = ["", "wall s", "CPU s", "MB per CPU s", "peak MB", "words left", "later copies of 50 words in them"]
    table(f"{corpus.name}: the first {given.few:,} documents, {text / 1e6:.1f} MB of text", columns, rows)


def header(documents: int, rng: random.Random):
    """Documents of 100 words of their own, every second behind a header of 80 words that all have."""
    words = [f"h{number}" for number in range(80)]
    for number in range(documents):
        own = [f"w{rng.randrange(1 << 24):x}" for _ in range(100)]
        yield " ".join(words + own if number % 2 else own)


def versions(documents: int, rng: random.Random):
    """Versions of one text of 4,000 words, in each of which some ten words are others."""
    base = [f"w{rng.randrange(1 << 24):x}" for _ in range(4_000)]
    for _ in range(documents):
        version = list(base)
        for at in rng.sample(range(len(base)), 10):
            version[at] = f"v{rng.randrange(1 << 24):x}"
        yield " ".join(version)


def growth(given: argparse.Namespace, work: Path) -> None:
    rows = []
    for name, made, sizes in (("header", header, (125_000, 250_000, 500_000, 1_000_000)), ("versions", versions, (500, 1_000, 2_000, 4_000))):
        for documents in sizes:
            corpus = work / "grown.jsonl"
            with corpus.open("w", encoding="utf-8") as out:
                out.writelines(json.dumps({"id": number, "text": text}) + "\n" for number, text in enumerate(made(documents, random.Random(1))))
            command = [given.binary, "passages", corpus, "-o", work / "out", "--force", "-q", "--no-report"]
            costs = [measured([str(word) for word in command], 3600)[0] for _ in range(given.repeat)]
            wall, cpu, peak = (statistics.median(cost[key] for cost in costs) for key in ("wall", "cpu", "peak"))
            rows.append([name, f"{documents:,}", corpus.stat().st_size / 1e6, wall, cpu, 1e6 * cpu / documents, peak / 1e6])
            corpus.unlink()
    table("Growth", ["", "documents", "MB", "wall s", "CPU s", "CPU µs/doc", "peak MB"], rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, action="append", default=[])
    parser.add_argument("--suffix-arrays", type=Path)
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--few", type=int, default=3000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--binary", type=Path, default=ROOT / "target/release/lookalike")
    parser.add_argument("--growth", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for corpus in given.corpus:
            compare(corpus, given, Path(folder))
            if given.peers:
                beside_others(corpus, given, Path(folder))
        if given.growth:
            growth(given, Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
