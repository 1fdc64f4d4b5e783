#!/usr/bin/env python3
"""Measures lookalike where few elements are in many sets: characters, single words, low thresholds, titles.

    vocabularies.py [SOURCE...] [--corpus FILE] [--documents N] [--titles N] [--only NAME,...] [--repeat N] [--ppjoin DIR]

Each row is one kind of features of one collection: `mixed` as lookalike-generate makes it (--documents, 20,000), titles of
eight words of it (--titles, 100,000), and every --corpus FILE. `lookalike cluster` runs in turn, --repeat times, next to
word 5-shingles of the same collection. For each the table says:

  candidates   distinct pairs that lookalike considers, by its summary: those that share a key of their prefixes and pass the
               length and positional filters;
  verified     those of them whose sets, or bucket counts, it compares: what the bitmap filter leaves;
  PPJoin's     distinct pairs that the length and positional filters of PPJoin (Xiao et al. 2008) leave on the same sets
               with elements in the true order of document frequencies (`orders`, a program of the project);
  join CPU s   of lookalike on one thread (`-j 1`), from sets to pairs: its phases `indexing` and `comparing`, the document
               frequencies and the order included;
  PPJoin's s   of a PPJoin on one core, from a file of sets that are sorted already, in the true order of document
               frequencies, to verified pairs, where --ppjoin DIR names a checkout of Mann, Augsten and Bouros's
               `set_sim_join` that was built; without it, a line says that it is left out.

Outputs: the table on standard output, progress on standard error, every figure in DIR/vocabularies.json. The binaries are
those of `make bench-programs` unless --binaries says otherwise. Standard library only; Linux and macOS.
"""
import json
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from measure import (
    Collections, Failed, argument_parser, introduce, machine, measured, median, note_others, one_file, programs, revision,
    save, say, table, warm, with_others,
)

# The phases of a run from sets to pairs.
JOINING = ("indexing", "comparing")
# Words of a title.
TITLE = 8
# Where builds of the checkout put the program.
PPJOIN = ("set_sim_join", "build/set_sim_join", "release/set_sim_join", "Release/set_sim_join")


@dataclass(frozen=True)
class Workload:
    """A kind of features: what it is called here and in `orders`, the options of lookalike, and of which collections."""

    name: str
    features: str
    options: tuple
    titles: bool = False
    measure: str = "resemblance"
    threshold: str = "0.8"


BASE = Workload("word 5-shingles", "words-5", ())
WORKLOADS = (
    BASE,
    Workload("character 5-shingles", "chars-5", ("--shingle-unit", "char", "--shingle", "5")),
    Workload("single words", "words-1", ("--shingle", "1")),
    Workload("terms, cosine 0.8", "terms", ("--measure", "cosine", "--terms", "all"), measure="cosine"),
    Workload("terms, cosine 0.5", "terms", ("--measure", "cosine", "--terms", "all", "-t", "0.5"), measure="cosine", threshold="0.5"),
    Workload("word 5-shingles, cosine 0.8", "words-5", ("--measure", "cosine", "--shingle", "5"), measure="cosine"),
    Workload("characters 3", "chars-3", ("--shingle-unit", "char", "--shingle", "3"), titles=True),
)


def titles_of(path: Path, count: int, out: Path) -> Path:
    """The first words of so many documents, each a document."""
    with path.open(encoding="utf-8") as file, out.open("w", encoding="utf-8") as made:
        for number, line in zip(range(count), file):
            record = json.loads(line)
            text = " ".join(record["text"].split()[:TITLE])
            made.write(json.dumps({"id": record["id"], "text": text}, ensure_ascii=False) + "\n")
    return out


def ppjoin_program(checkout: Path) -> str:
    """The program of a checkout."""
    for place in PPJOIN:
        if (checkout / place).is_file():
            return str(checkout / place)
    raise Failed(f"{checkout}: no set_sim_join there; build it first")


def ppjoin_figures(printed: str) -> int:
    """The candidates that `set_sim_join --statistics` prints, after the prefix and positional filters."""
    found = re.search(r"candidatesP1\s+(\d+)", printed)
    return int(found.group(1)) if found else 0


class Bench:
    """The collections, the programs, and every figure so far."""

    def __init__(self, options):
        self.options, self.work = options, options.work
        self.program = programs(options.binaries, "lookalike", "lookalike-generate", "orders")
        self.ppjoin = ppjoin_program(options.ppjoin) if options.ppjoin else ""
        self.work.mkdir(parents=True, exist_ok=True)
        self.rows = []
        for name, whole, titles in self.collections():
            for workload in WORKLOADS:
                if not options.only or workload.name.startswith(tuple(options.only)) or workload == BASE:
                    path = titles if workload.titles else whole
                    label = f"{name}, titles" if workload.titles else name
                    if path:
                        self.rows.append({"collection": label, "path": path, "workload": workload, "runs": [], "joins": []})

    def collections(self):
        """Name and files of each collection: whole, and titles if there are some."""
        generate = self.program["lookalike-generate"]
        made = Collections(self.work, generate, self.options.sources, self.options.timeout)
        if not self.options.corpus:
            many = made.get("mixed", max(self.options.documents, self.options.titles))
            whole = made.get("mixed", self.options.documents)
            yield whole.stem, whole, titles_of(many, self.options.titles, self.work / f"titles-{self.options.titles}.jsonl")
        for corpus in self.options.corpus:
            yield corpus.name, one_file(corpus, self.work), None

    def count(self, row: dict) -> None:
        """PPJoin's candidates on the sets of a row, and its own run where there is one."""
        workload, sets = row["workload"], self.work / "sets"
        command = [self.program["orders"], str(row["path"]), "--features", workload.features]
        command += ["--threshold", workload.threshold, "--measure", workload.measure]
        command += ["--write-sets", str(sets)] if self.ppjoin else []
        _, printed = measured(command, self.options.timeout)
        row["ppjoin_candidates"] = json.loads(printed)["candidates_true_df"]
        if self.ppjoin:
            command = [self.ppjoin, "--input", str(sets / f"{workload.features}.txt"), "--algorithm", "ppjoin"]
            command += ["--threshold", workload.threshold, "--statistics", f"--{measure_of(workload)}"]
            cost, printed = measured(command, self.options.timeout)
            row["set_sim_join"] = {**cost, "candidates": ppjoin_figures(printed.decode(errors="replace"))}
            shutil.rmtree(sets)

    def cluster(self, row: dict, *options: str) -> tuple:
        """What a run of lookalike cost, and its summary."""
        out = self.work / "answer"
        warm(row["path"], self.options.timeout)
        command = [self.program["lookalike"], "cluster", str(row["path"]), "-o", str(out), "--force", "--quiet"]
        cost, _ = with_others(measured, [*command, *row["workload"].options, *options], self.options.timeout)
        summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
        shutil.rmtree(out)
        return cost, summary

    def run(self, row: dict) -> None:
        """One run of lookalike on all cores, and one on one."""
        cost, summary = self.cluster(row)
        keys = ("documents", "clusters", "candidates", "verified", "digest")
        row["summary"] = {key: summary.get(key) for key in keys}
        row["runs"].append(cost)
        alone, summary = self.cluster(row, "-j", "1")
        phases = {phase["name"]: phase["seconds"] for phase in summary["run"]["phases"]}
        # A phase has only a wall time. On one thread that of the joining phases is processor time, but for the share of
        # the run in which other programs had the core.
        busy = min(1.0, alone["cpu"] / alone["wall"])
        row["joins"].append({"cpu": busy * sum(phases.get(name, 0.0) for name in JOINING), "phases": phases, "run": alone})
        say(f"  {row['collection']}, {row['workload'].name}: {cost['wall']:.2f} s; others {cost['others']:4.0%}")

    def show(self) -> None:
        head = ["", "wall s", "CPU s", "× word shingles", "peak MB", "candidates", "verified", "PPJoin's", "join CPU s", "PPJoin's s"]
        for name in dict.fromkeys(row["collection"] for row in self.rows):
            rows = [row for row in self.rows if row["collection"] == name]
            base = next((median(row["runs"], "cpu") for row in rows if row["workload"] == BASE), None)
            lines = [self.line(row, base) for row in rows]
            table(f"{name}: {rows[0]['summary']['documents']:,} documents", head, lines)
        if not self.ppjoin:
            print("\nPPJoin itself is left out; --ppjoin DIR names a checkout of set_sim_join that was built.")

    @staticmethod
    def line(row: dict, base) -> list:
        cpu = median(row["runs"], "cpu")
        ppjoin = row.get("set_sim_join", {}).get("cpu")
        cost = [median(row["runs"], "wall"), cpu, cpu / base if base else None, median(row["runs"], "peak") / 1e6]
        pairs = [row["summary"]["candidates"], row["summary"]["verified"], row["ppjoin_candidates"]]
        return [row["workload"].name, *cost, *pairs, median(row["joins"], "cpu"), ppjoin]

    def save(self, about: dict) -> None:
        rows = [{**row, "path": row["path"].name, "workload": row["workload"].name} for row in self.rows]
        checkout = self.options.ppjoin and revision(self.options.ppjoin)
        raw = {"machine": about, "repeat": self.options.repeat, "ppjoin": checkout, "rows": rows}
        save(self.work / "vocabularies.json", raw)


def measure_of(workload: Workload) -> str:
    """What set_sim_join calls a measure."""
    return {"resemblance": "jaccard"}.get(workload.measure, workload.measure)


def arguments():
    parser = argument_parser(__doc__ or "")
    parser.set_defaults(documents=20_000)
    parser.add_argument("--titles", type=int, default=100_000, help="titles (100000)")
    parser.add_argument("--only", default="", help="workloads whose names begin so, with commas between")
    parser.add_argument("--ppjoin", type=Path, metavar="DIR", help="a checkout of set_sim_join that was built")
    options = parser.parse_args()
    options.only = [name.strip() for name in options.only.split(",") if name.strip()]
    if min(options.documents, options.titles, options.repeat) < 1:
        parser.error("--documents, --titles and --repeat must be positive")
    if len({corpus.name for corpus in options.corpus}) < len(options.corpus):
        parser.error("--corpus: give collections of different names")
    options.corpus = [corpus.resolve() for corpus in options.corpus]
    options.work, options.binaries = options.work.resolve(), options.binaries.resolve()
    return options


def main() -> int:
    options = arguments()
    try:
        bench = Bench(options)
        about = machine(bench.program["lookalike"])
        introduce(about, options.repeat)
        for row in bench.rows:
            bench.count(row)
        for number in range(options.repeat):
            say(f"round {number + 1} of {options.repeat}")
            for row in bench.rows:
                bench.run(row)
            bench.save(about)
    except Failed as failure:
        sys.exit(f"vocabularies.py: {failure}")
    bench.show()
    note_others([run for row in bench.rows for run in row["runs"]])
    return 0


if __name__ == "__main__":
    sys.exit(main())
