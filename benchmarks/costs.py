#!/usr/bin/env python3
"""What options and doors of lookalike cost next to its main job: measures by size, an index, the report, start-up.

    costs.py [SOURCE...] [--documents N] [--corpus FILE] [--only PART,...] [--repeat N] [--work DIR]

On the first twentieth, quarter and all of --documents of *mixed* and *shared* (see main_job.py), and of every --corpus FILE:

  measures   `cluster` by words, characters (`--shingle-unit char`) and cosine: CPU µs a document at each size
  low        `cluster` at 0.8 and 0.5
  report     `dedup` with its report and without
  index      `index create` and `index add` of all documents, next to `cluster`
  start      instantaneous jobs: `--version`, `compare` of two short files, `query` of a small index; CPU ms, the median of 20

Commands take turns. Tables on standard output, every figure in DIR/costs.json. Standard library only.
"""
import shutil
import sys
from pathlib import Path

from measure import (
    Collections, Failed, argument_parser, arguments, first_documents, introduce, machine, measured, median, note_others, programs, save, say, table, warm,
    with_others,
)

PARTS = ("measures", "low", "report", "index", "start")
SHARES = (1 / 20, 1 / 4, 1)
MEASURES = {
    "words": [], "characters (5)": ["--shingle-unit", "char"], "cosine 0.8": ["--measure", "cosine"], "cosine 0.9": ["--measure", "cosine", "--threshold", "0.9"],
}
STARTS = 20


class Bench:
    def __init__(self, given):
        self.given, self.work = given, given.work
        self.lookalike = programs(given.binaries, "lookalike")["lookalike"]
        self.runs: dict = {}

    def run(self, name: str, arguments: list) -> None:
        """One run of the command, whose figures are noted under a name."""
        cost, _ = with_others(measured, [self.lookalike, *map(str, arguments)], self.given.timeout)
        say(f"  {name:<44} {cost['cpu']:8.3f} CPU s, {cost['wall']:8.3f} s")
        self.runs.setdefault(name, []).append(cost)

    def median(self, name: str, what: str = "cpu") -> float:
        return median(self.runs[name], what)

    def job(self, name: str, corpus: Path, options: list, command: str = "cluster") -> None:
        output = self.work / "costs-output"
        self.run(name, [command, corpus, "-o", output, "--force", "--quiet", *options])
        shutil.rmtree(output)

    def measures(self, name: str, whole: Path, documents: int) -> None:
        sizes = [max(1, round(documents * share)) for share in SHARES]
        parts = [first_documents(whole, size, self.work) for size in sizes]
        for _ in range(self.given.repeat):
            for size, part in zip(sizes, parts):
                for measure, options in MEASURES.items():
                    self.job(f"{name}: {measure}, {size}", part, ["--no-report", *options])
        rows = []
        for measure in MEASURES:
            costs = [self.median(f"{name}: {measure}, {size}") / size * 1e6 for size in sizes]
            words = self.median(f"{name}: words, {sizes[-1]}") / sizes[-1] * 1e6
            peak = self.median(f"{name}: {measure}, {sizes[-1]}", "peak") / whole.stat().st_size
            rows.append([measure, *costs, costs[-1] / costs[1], costs[-1] / words, peak])
        head = ["`cluster` by", *(f"{size:,}: CPU µs/doc" for size in sizes), "largest ÷ middle", "× words", "peak ÷ input"]
        table(f"{name}: measures by size", head, rows)

    def pairs(self, title: str, corpus: Path, jobs: dict, command: str = "cluster") -> None:
        """A table of jobs next to the first of them."""
        names = {job: f"{title}: {job}" for job in jobs}
        for _ in range(self.given.repeat):
            for job, options in jobs.items():
                if callable(options):
                    options(names[job])
                else:
                    self.job(names[job], corpus, options, command)
        first = next(iter(names.values()))
        rows = []
        for job, name in names.items():
            costs = [self.median(name, what) for what in ("cpu", "wall")]
            rows.append([job, *costs, costs[0] / self.median(first), costs[1] / self.median(first, "wall"), self.median(name, "peak") / 1e6])
        table(title, ["", "CPU s", "wall s", "CPU: × the first", "wall: × the first", "peak MB"], rows)

    def collection(self, name: str, corpus: Path, documents: int) -> None:
        wanted = self.given.only
        warm(corpus, self.given.timeout)
        if "measures" in wanted:
            self.measures(name, corpus, documents)
        if "low" in wanted:
            self.pairs(f"{name}: thresholds", corpus, {"`cluster`": [], "`cluster --threshold 0.5`": ["--threshold", "0.5"]})
        if "report" in wanted:
            self.pairs(f"{name}: report", corpus, {"`dedup --no-report`": ["--no-report"], "`dedup`": []}, "dedup")
        if "index" in wanted:
            self.pairs(f"{name}: index", corpus, {"`cluster`": [], "`index create` and `index add`": lambda title: self.index(title, corpus)})

    def index(self, title: str, corpus: Path) -> None:
        place = self.work / "costs.index"
        shutil.rmtree(place, ignore_errors=True)
        measured([self.lookalike, "index", "create", str(place)], self.given.timeout)
        self.run(title, ["index", "add", place, corpus, "--quiet"])
        shutil.rmtree(place)

    def start(self) -> None:
        """Jobs of almost no work."""
        texts = [self.work / f"start-{n}.txt" for n in (1, 2)]
        for path, text in zip(texts, ("one text of some few words\n", "one text of some other words\n")):
            path.write_text(text)
        place = self.work / "start.index"
        shutil.rmtree(place, ignore_errors=True)
        for arguments in (["index", "create", place], ["index", "add", place, *texts, "--quiet"]):
            measured([self.lookalike, *map(str, arguments)], self.given.timeout)
        jobs = {"--version": ["--version"], "compare": ["compare", *texts], "query": ["query", place, "--file", texts[0]]}
        for _ in range(STARTS):
            for name, arguments in jobs.items():
                self.run(f"start: {name}", arguments)
        rows = [[f"`{name}`", *(self.median(f"start: {name}", what) * 1e3 for what in ("cpu", "wall"))] for name in jobs]
        table("start-up", ["", "CPU ms", "wall ms"], rows)


def main() -> int:
    parser = argument_parser(__doc__)
    parser.add_argument("--only", default=",".join(PARTS), help="parts, with commas between (all)")
    given = arguments(parser)
    given.only = given.only.split(",")
    if unknown := set(given.only) - set(PARTS):
        parser.error(f"--only {unknown.pop()}: choose from {', '.join(PARTS)}")
    bench = Bench(given)
    about = machine(bench.lookalike)
    introduce(about, given.repeat)
    if set(given.only) != {"start"}:
        if given.corpus:
            corpora = {corpus.name: (corpus, sum(1 for _ in corpus.open("rb"))) for corpus in given.corpus}
        else:
            made = Collections(given.work, programs(given.binaries, "lookalike-generate")["lookalike-generate"], given.sources, given.timeout)
            corpora = {kind: (made.get(kind, given.documents), given.documents) for kind in ("mixed", "shared")}
        for name, (corpus, documents) in corpora.items():
            bench.collection(name, corpus, documents)
    if "start" in given.only:
        bench.start()
    note_others([cost for costs in bench.runs.values() for cost in costs])
    save(given.work / "costs.json", {"machine": about, "repeat": given.repeat, "runs": bench.runs})
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"costs.py: {failure}")
