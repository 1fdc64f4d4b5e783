#!/usr/bin/env python3
"""Measures the speed and the memory of lookalike's main job; prints Markdown tables.

    main_job.py [SOURCE...] [--work DIR] [--only KIND,...] [--corpus FILE] [--documents N] [--large N] [--repeat N]
                [--memory SIZE]

Six kinds of collections are made by lookalike-generate from the project's samples and every SOURCE (text files
or directories, anything lookalike reads), and kept in --work for the next time:

  mixed     200,000 documents of real sentences, a fifth of them planted near-duplicates. Run in turn, --repeat times:
            `wc -w`, lookalike-baseline (the bare loops that read, parse, tokenise and fingerprint), `lookalike dedup`
            on one thread and on all cores, `lookalike cluster`, and the same with `--memory 300MB`.
  shared    200,000 documents of whole sentences, each of which about twelve documents share: 0.87 million
            candidates, where mixed has few. Run like mixed.
  copies    1,000,000 copies of one text, and a half and a quarter of that: `lookalike dedup` on all cores.
  variants  the same with lightly edited variants of ten texts.
  short     20 times as many documents like those of `mixed`, but of 60 words, and a tenth and a hundredth of that: how
            time grows with size. Only where --only names it: 60 GB of disk at the default of --large.
  skewed    collections that lie badly, in a quarter, a half and all of --documents, beside `mixed` in the same sizes:
            half (one cluster holds half of all documents), boilerplate (one paragraph is a third of every page) and
            forms (a thousand texts with a few gaps filled in). Only where --only names it.

Every --corpus FILE (or directory of JSONL), which this project does not contain, is run like mixed as well; without
--only, nothing else is. Each table names the collection that its figures come from.

Outputs: the tables on standard output, progress on standard error, every single figure in DIR/main_job.json, and how
cost grows with size, where that was measured, in DIR/main_job.svg (plot.py draws it).
A figure in a table is the median of its rounds; MB are millions of bytes. The binaries are those of
`make bench-programs` unless --binaries says otherwise. Standard library only; Linux and macOS.

    main_job.py                                     # what `make bench` does: about 8 GB of disk
    main_job.py books/ news.jsonl --repeat 5        # more variety than the samples alone have
    main_job.py --only mixed --documents 20000      # a first look, in seconds
    main_job.py --only mixed --memory 400MB         # with feature sets in a temporary file
    main_job.py --only mixed,shared --corpus my.jsonl   # both, and a collection of your own
    main_job.py --only skewed                       # 2 GB of disk
    main_job.py --only short --repeat 1             # 200 thousand, 2 million and 20 million documents
"""
import argparse
import json
import shutil
import sys
from collections import Counter
from pathlib import Path

from measure import (
    CORES, Collections, Failed, argument_parser, introduce, machine, measured, median, note_others, one_file, programs,
    save, say, table, warm, with_others,
)
from plot import plot

KINDS = ("mixed", "shared", "copies", "variants", "short", "skewed")
# The sizes of collections made to see how cost grows, as shares of --large.
GROWTH = {"copies": (1 / 4, 1 / 2, 1), "variants": (1 / 4, 1 / 2, 1), "short": (1 / 5, 2, 20)}
# Kinds that are run next to the bare loops.
MAIN = ("mixed", "shared")
# The bound of a run with feature sets on disk.
LITTLE_MEMORY = "300MB"
# Collections that lie badly, behind the flat one that they are held against; their sizes as shares of --documents.
SKEWED, SKEWED_SIZES = ("mixed", "half", "boilerplate", "forms"), (1 / 4, 1 / 2, 1)
MADE_AS = {"": "originals", "exact": "exact copies", "recased": "other case", "edited": "words edited"}
MADE_AS |= {"cut": "a part only", "nested": "quoted in another text"}


class Bench:
    """The collections, the programs, and every figure so far."""

    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.work = options.work
        self.runs: list = []
        self.program = programs(options.binaries, "lookalike", "lookalike-generate", "lookalike-baseline")
        self.work.mkdir(parents=True, exist_ok=True)
        generate = self.program["lookalike-generate"]
        self.collections = Collections(self.work, generate, options.sources, options.timeout)

    def run(self, label: str, path: Path, threads: int, command: list) -> tuple:
        cost, printed = with_others(measured, command, self.options.timeout)
        seconds, megabytes = cost["wall"], cost["peak"] / 1e6
        say(f"  {label:<10} {threads} threads {seconds:8.2f} s {megabytes:6.0f} MB; others {cost['others']:4.0%}")
        row = {"program": label, "collection": path.name, "threads": threads, **cost}
        self.runs.append(row)
        return row, printed

    def baseline(self, path: Path, threads: int) -> None:
        """One process times all four steps; what it costs as a whole says nothing of any of them."""
        command = [self.program["lookalike-baseline"], "--threads", str(threads), "--repeat", "1", "--format", "json"]
        row, printed = self.run("baseline", path, threads, [*command, str(path)])
        row["steps"] = {step["name"]: step["seconds"] for step in json.loads(printed)["steps"]}

    def lookalike(self, verb: str, path: Path, threads: int, memory: str = "") -> None:
        out = self.work / "result"
        options = ["-o", str(out), "--force", "--quiet", "-j", str(threads)]
        if bound := memory or self.options.memory:
            options += ["--memory", bound, "--scratch", str(self.work)]
        if verb == "dedup":
            # Collections of copies lose nearly all of their documents.
            options += ["--max-loss", "100%"]
        row, _ = self.run(f"{verb} {memory}".strip(), path, threads, [self.program["lookalike"], verb, str(path), *options])
        summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
        row["phases"] = {phase["name"]: phase["seconds"] for phase in summary["run"]["phases"]}
        # What the run does not name: verdicts and counts before the summary; report, sync to disk and exit behind.
        row["phases"]["summing up"] = summary["run"]["seconds"] - sum(row["phases"].values())
        row["phases"]["finishing"] = row["wall"] - summary["run"]["seconds"]
        keys = ("documents", "kept", "removed", "clusters", "pairs", "candidates", "verified", "text_bytes", "digest")
        row["summary"] = {key: summary[key] for key in keys}
        row["scratch"] = summary["run"].get("scratch_bytes", 0)
        if verb == "dedup" and path.name.startswith(MAIN) and path.parent == self.work:
            row["removed_edits"] = edits(out / "removed.jsonl")
        shutil.rmtree(out)  # At once: the disk must not be busy with it while the next run is timed.

    def save(self, about: dict) -> None:
        raw = {"machine": about, "repeat": self.options.repeat, "collections": self.collections.about}
        path = self.work / "main_job.json"
        save(path, {**raw, "runs": self.runs})
        if picture := plot(path):
            say(f"how cost grows: {picture}")

    def rows(self, path: Path, program: str, threads: int) -> list:
        same = (path.name, program, threads)
        return [row for row in self.runs if (row["collection"], row["program"], row["threads"]) == same]

    def made(self, kind: str) -> None:
        """A kind of MAIN: measured, and what was found of the near-duplicates that were planted."""
        path = self.collections.get(kind, self.options.documents)
        planted = self.collections.about[path.name]["planted"] = edits(path)
        self.main_job(kind, path)
        self.show_planted(kind, path, planted)

    def corpus(self, given: Path) -> None:
        """A collection that was given."""
        path = one_file(given, self.work)
        warm(path, self.options.timeout)
        self.collections.about[path.name] = {"bytes": path.stat().st_size, "given": str(given)}
        self.main_job(given.name, path)

    def main_job(self, name: str, path: Path) -> None:
        """All programs in turn, on one collection."""
        threads = sorted({1, CORES})
        jobs = [("dedup", count, "") for count in threads] + [("cluster", CORES, "")]
        if not self.options.memory:
            jobs.append(("cluster", CORES, LITTLE_MEMORY))
        for number in range(self.options.repeat):
            say(f"{path.name}: round {number + 1} of {self.options.repeat}")
            self.run("wc -w", path, 1, ["wc", "-w", str(path)])
            for count in threads:
                self.baseline(path, count)
            for verb, count, memory in jobs:
                self.lookalike(verb, path, count, memory)
        labels = [(f"{verb} {memory}".strip(), count) for verb, count, memory in jobs]
        self.show_programs(name, path, threads, labels)
        self.show_phases(name, path, labels)

    def show_programs(self, name: str, path: Path, threads: list, jobs: list) -> None:
        megabytes = path.stat().st_size / 1e6
        summary = self.rows(path, "cluster", CORES)[0]["summary"]
        text = summary["text_bytes"]
        loop, lines = {}, []

        def line(name, count, wall, cpu=None, peak=None):
            rate, per_cpu = megabytes / wall, megabytes / cpu if cpu else None
            against = wall / loop[count] if count in loop else None
            memory = [peak / 1e6, peak / text] if peak else [None, None]
            lines.append([name, count, wall, cpu, rate, rate / count, per_cpu, against, *memory])

        rows = self.rows(path, "wc -w", 1)
        line("`wc -w`", 1, median(rows, "wall"), median(rows, "cpu"))
        for count in threads:
            rows = self.rows(path, "baseline", count)
            steps = {step: median([row["steps"] for row in rows], step) for step in rows[0]["steps"]}
            loop[count] = steps["fingerprint"]
            for step, seconds in steps.items():
                line(f"loop: {step}", count, seconds)
        for label, count in jobs:
            rows = self.rows(path, label, count)
            line(f"`lookalike {label}`", count, median(rows, "wall"), median(rows, "cpu"), median(rows, "peak"))
        head = ["", "threads", "wall s", "CPU s", "MB/s", "MB/s per core", "MB per CPU s", "× loop"]
        title = f"{name}: {summary['documents']:,} documents, {megabytes:,.0f} MB, text {text / 1e6:,.0f} MB"
        title += f", {summary['candidates']:,} candidates, {summary['verified']:,} verified"
        table(title, [*head, "peak MB", "peak ÷ text"], lines)

    def show_phases(self, name: str, path: Path, runs: list) -> None:
        megabytes = path.stat().st_size / 1e6
        head, columns, lines = ["phase"], [], []
        for verb, count in runs:
            rows = self.rows(path, verb, count)
            phases = list(rows[0]["phases"])
            columns.append({phase: median([row["phases"] for row in rows], phase) for phase in phases})
            head += [f"{verb} -j {count}: s", "MB/s per core"]
        for phase in phases:
            seconds = [column[phase] for column in columns]
            rates = [megabytes / s / count if s > 0 else None for s, (_, count) in zip(seconds, runs)]
            lines.append([phase, *(value for pair in zip(seconds, rates) for value in pair)])
        table(f"{name}, by phase", head, lines)

    def show_planted(self, name: str, path: Path, planted: dict) -> None:
        """Who was removed, by how the generator made it; copies far from their original have to stay."""
        removed = self.rows(path, "dedup", CORES)[0]["removed_edits"]
        lines = [[text, planted.get(kind, 0), removed.get(kind, 0)] for kind, text in MADE_AS.items()]
        lines.append(["all", sum(planted.values()), sum(removed.values())])
        table(f"{name}, what was removed", ["made as", "documents", "removed"], lines)

    def growth(self, kind: str) -> None:
        large = self.options.large
        paths = [self.collections.get(kind, int(large * share)) for share in GROWTH[kind]]
        for number in range(self.options.repeat):
            say(f"{kind}: round {number + 1} of {self.options.repeat}")
            for path in paths:
                self.lookalike("dedup", path, CORES)
        lines = []
        for path in paths:
            rows = self.rows(path, "dedup", CORES)
            wall, cpu, peak = (median(rows, key) for key in ("wall", "cpu", "peak"))
            summary, megabytes = rows[0]["summary"], path.stat().st_size / 1e6
            documents = summary["documents"]
            micro = [1e6 * seconds / documents for seconds in (wall, cpu)]
            memory = [peak / 1e6, rows[0]["scratch"] / 1e6, peak / summary["text_bytes"]]
            costs = [wall, cpu, *micro, megabytes / wall, *memory]
            lines.append([documents, megabytes, documents - summary["kept"], summary["verified"], *costs])
        head = ["documents", "MB", "removed", "pairs compared", "wall s", "CPU s", "wall µs/doc", "CPU µs/doc"]
        table(f"{kind}, {CORES} threads", [*head, "MB/s", "peak MB", "scratch MB", "peak ÷ text"], lines)

    def skewed(self) -> None:
        sizes = sizes_of(self.options.documents, SKEWED_SIZES)
        paths = {(kind, size): self.collections.get(kind, size) for size in sizes for kind in SKEWED}
        for number in range(self.options.repeat):
            say(f"skewed: round {number + 1} of {self.options.repeat}")
            for path in paths.values():
                self.lookalike("dedup", path, CORES)
        lines = []
        for kind in SKEWED:
            for size in sizes:
                path = paths[kind, size]
                rows, flat = self.rows(path, "dedup", CORES), self.rows(paths[SKEWED[0], size], "dedup", CORES)
                wall, cpu, peak = (median(rows, key) for key in ("wall", "cpu", "peak"))
                summary, megabytes = rows[0]["summary"], path.stat().st_size / 1e6
                # Of processor time: other programs add less to it than to wall time.
                against = cpu / median(flat, "cpu")
                costs = [1e6 * wall / size, 1e6 * cpu / size, against, megabytes / wall, peak / 1e6]
                lines.append([kind, size, megabytes, size - summary["kept"], summary["verified"], wall, *costs])
        head = ["", "documents", "MB", "removed", "pairs compared", "wall s", "wall µs/doc", "CPU µs/doc", "× mixed"]
        table(f"skewed, {CORES} threads", [*head, "MB/s", "peak MB"], lines)


def sizes_of(whole: int, shares: tuple) -> list:
    """Numbers of documents, each once."""
    return sorted({max(1, int(whole * share)) for share in shares})


def edits(path: Path) -> dict:
    """How many documents the generator made by which edit; '' are originals."""
    found: Counter = Counter()
    with path.open("rb") as file:
        for line in file:
            # The label stands last; a quotation mark inside the text would have a backslash.
            _, label, value = line.rpartition(b',"edit":"')
            found[value.split(b'"')[0].decode() if label else ""] += 1
    return dict(found)


def arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__ or "")
    parser.add_argument("--only", help=f"which of {','.join(KINDS)}")
    parser.add_argument("--large", type=int, default=1_000_000, help="documents of copies and variants (1000000)")
    parser.add_argument("--memory", metavar="SIZE", help="the option of lookalike (three quarters of the machine's)")
    options = parser.parse_args()
    only = ("" if options.corpus else "mixed,shared,copies,variants") if options.only is None else options.only
    options.only = [kind.strip() for kind in only.split(",") if kind.strip()]
    if unknown := set(options.only) - set(KINDS):
        parser.error(f"--only {unknown.pop()}: choose from {', '.join(KINDS)}")
    if options.documents < 1 or options.large < 5 or options.repeat < 1:
        parser.error("--documents, --large and --repeat must be positive (--large at least 5)")
    if len({corpus.name for corpus in options.corpus}) < len(options.corpus):
        parser.error("--corpus: give collections of different names")
    options.work, options.binaries = options.work.resolve(), options.binaries.resolve()
    options.corpus = [corpus.resolve() for corpus in options.corpus]
    return options


def main() -> int:
    options = arguments()
    try:
        bench = Bench(options)
        about = machine(bench.program["lookalike"])
        introduce(about, options.repeat)
        for kind in KINDS:
            if kind in options.only:
                bench.growth(kind) if kind in GROWTH else bench.made(kind) if kind in MAIN else bench.skewed()
                bench.save(about)
        for corpus in options.corpus:
            bench.corpus(corpus)
            bench.save(about)
    except Failed as failure:
        sys.exit(f"main_job.py: {failure}")
    note_others(bench.runs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
