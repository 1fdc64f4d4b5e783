#!/usr/bin/env python3
"""Measures the Python package: against the command on the same documents, and against other tools called from Python.

    python.py [SOURCE...] [--documents N] [--few N] [--repeat N] [--work DIR] [--wheel FILE] [--only NAME,...]

The documents are those of peers.py (`lookalike-generate` on those of the samples that put spaces between words, and on
every SOURCE), as JSONL and as one Parquet file. Each measurement is a process of its own, in turn, --repeat times:

  the command       `lookalike dedup` of the Parquet file, which reads and writes, on all cores
  loading           reads the Parquet file into a pyarrow table, and nothing else
  lookalike.dedup   the same and then the call, on a pyarrow table, a Polars frame, and a list of records
  lookalike.cluster the same for all pairs, whose recall is judged as that of the other tools
  other tools       rensa, datasketch and text-dedup with the drivers of peers.py, which read the JSONL file

The package is built by maturin (`--release`) into an environment below --work unless --wheel names one. The digests of
the command's result and of the package's have to be equal. Outputs: tables on standard output, progress on standard
error, every single figure in DIR/python.json. Python 3.11 or newer; the measured programs' packages are installed
with pip.

    python.py                                  # what `make bench-python` does: half an hour, most of it the other tools'
    python.py --documents 20000 --repeat 1     # a first look
    python.py --only "the command,loading,lookalike"    # without the other tools
"""
import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import peers
from measure import (
    CORES, ROOT, Collections, Failed, argument_parser, introduce, machine, measured_tree, median, note_others, programs, save,
    say, table, warm, with_others,
)
from peers import PEERS, Tool, environment, finish, first_documents, judged, remove, shares, truth_about

# Rows of this project: what is called, and on what.
COMMAND, LOADING = "the command", "loading"
CALLS = {
    f"lookalike.{call}, {form}": (call, form)
    for call, form in (("dedup", "pyarrow"), ("dedup", "polars"), ("dedup", "list"), ("cluster", "pyarrow"))
}
OTHERS = ("rensa 16×8", "datasketch", "datasketch 16×8", "text-dedup")
# Kept in the environment of the package: turns JSONL into Parquet.
TO_PARQUET = """
import sys, pyarrow.json, pyarrow.parquet
options = pyarrow.json.ReadOptions(block_size=64 << 20)
table = pyarrow.json.read_json(sys.argv[1], read_options=options).select(["id", "text"])
pyarrow.parquet.write_table(table, sys.argv[2], compression="zstd")
"""


def package(options) -> str:
    """The Python of an environment with the package in it."""
    python = environment("lookalike", options.work)
    wheel = options.wheel
    if wheel is None:
        say("building the wheel: minutes")
        place = options.work / "wheels"
        shutil.rmtree(place, ignore_errors=True)
        build = [python, "-m", "maturin", "build", "--release", "--locked", "--quiet", "--out", str(place)]
        done = subprocess.run(build, cwd=ROOT / "bindings/python")
        if done.returncode != 0:
            raise Failed("the wheel does not build")
        wheel = next(place.glob("*.whl"))
    finish([python, "-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps", str(wheel)])
    return python


class Bench:
    """The collection in its forms, the programs, and every figure so far."""

    def __init__(self, options):
        self.options, self.work = options, options.work
        self.work.mkdir(parents=True, exist_ok=True)
        self.program = programs(options.binaries, "lookalike", "lookalike-generate")
        self.python = package(options)
        made = Collections(self.work, self.program["lookalike-generate"], options.sources, options.timeout)
        self.whole = made.get(peers.KINDS["mixed"], options.documents)
        self.part = first_documents(self.whole, options.few, self.work)
        self.truth = {path: truth_about(path, self.work) for path in {self.whole, self.part}}
        self.parquet = {path: self.as_parquet(path) for path in {self.whole, self.part}}
        rows = [(COMMAND, self.whole), (LOADING, self.whole), *((name, self.whole) for name in CALLS)]
        tools = {tool.name: tool for tool in PEERS}
        for name in OTHERS:
            if tools[name].slow and self.part != self.whole:
                rows.append(("lookalike.cluster, pyarrow", self.part))
            rows.append((tools[name], self.part if tools[name].slow else self.whole))
        self.rows = [
            {"what": what, "name": getattr(what, "name", what), "path": path, "runs": [], "score": None, "failed": None}
            for what, path in rows
            if getattr(what, "name", what).startswith(tuple(options.only))
        ]

    def as_parquet(self, path: Path) -> Path:
        parquet = path.with_suffix(".parquet")
        if not parquet.exists() or parquet.stat().st_mtime < path.stat().st_mtime:
            finish([self.python, "-c", TO_PARQUET, str(path), str(parquet)])
        return parquet

    def round(self) -> None:
        for row in self.rows:
            if not row["failed"]:
                try:
                    self.run(row)
                except Failed as failure:
                    row["failed"] = str(failure)
                    say(f"  {row['name']}: {failure}")

    def run(self, row: dict) -> None:
        what, path, output = row["what"], row["path"], self.work / "answer"
        warm(path if isinstance(what, Tool) else self.parquet[path], self.options.timeout)
        cost, printed = with_others(measured_tree, self.command(what, path, output), self.options.timeout)
        if what == COMMAND:
            summary = json.loads((output / "summary.json").read_text(encoding="utf-8"))
            cost["digest"] = summary["digest"]
        elif not isinstance(what, Tool):
            cost |= json.loads(printed)
        say(f"  {row['name']:<30} {cost['cpu']:8.2f} CPU s {cost['peak'] / 1e6:6.0f} MB; others {cost['others']:4.0%}")
        row["runs"].append(cost)
        if not row["score"] and (isinstance(what, Tool) or CALLS.get(what, ("", ""))[0] == "cluster"):
            tool = what if isinstance(what, Tool) else Tool(what, "", driver="lookalike_table")
            row["score"] = judged(self.truth[path], tool, output)
        remove(output)

    def command(self, what, path: Path, output: Path) -> list:
        driver = Path(peers.__file__).parent / "peers"
        if isinstance(what, Tool):
            python = environment(what.package, self.work)
            return [python, str(driver / f"{what.driver}.py"), str(path), str(output), *what.options]
        if what == COMMAND:
            options = ["-o", str(output), "--force", "--quiet", "-j", str(CORES)]
            return [self.program["lookalike"], "dedup", str(self.parquet[path]), *options]
        call, form = CALLS.get(what, ("dedup", "none"))
        call = [self.python, str(driver / "lookalike_table.py"), str(self.parquet[path]), str(output), "--call", call]
        return [*call, "--form", form]

    def check(self) -> None:
        """The package's results have to be the command's."""
        digests = {
            row["name"]: {run["digest"] for run in row["runs"]}
            for row in self.rows
            if row["runs"] and (row["what"] == COMMAND or CALLS.get(row["what"], ("",))[0] == "dedup")
        }
        if len(set().union(*digests.values())) > 1:
            raise Failed(f"the results differ: {digests}")

    def show(self) -> None:
        size = self.parquet[self.whole].stat().st_size / 1e6
        own = [row for row in self.rows if not isinstance(row["what"], Tool) and row["path"] == self.whole and row["runs"]]
        head = ["", "wall s", "CPU s", "of it the call", "peak MB", "documents MB", "before the call MB", "the call adds MB"]
        if own:
            table(f"mixed, {self.options.documents:,} documents, {size:,.0f} MB of Parquet", head, [self.own(row) for row in own])
        costs = {row["name"]: median(row["runs"], "cpu") for row in own if row["name"] == COMMAND}
        for row in own:
            if row["name"] == "lookalike.dedup, pyarrow" and COMMAND in costs:
                print(f"\nThe call takes {median(row['runs'], 'call_cpu') / costs[COMMAND]:.2f} times the CPU time of the command.")
        head = ["", "documents", "wall s", "CPU s", "peak MB", "recall", "recall .80–.85", "precision", "links right"]
        judged_rows = [row for row in self.rows if row["score"] or isinstance(row["what"], Tool)]
        if judged_rows:
            table("next to other tools, whole processes", head, [self.other(row) for row in judged_rows])
        for row in judged_rows:
            if row["failed"]:
                print(f"\n{row['name']} failed: {peers.reason(row['failed'])}")

    @staticmethod
    def own(row: dict) -> list:
        runs = row["runs"]
        cells = [median(runs, "wall"), median(runs, "cpu")]
        if "call_cpu" not in runs[0]:
            peak = median(runs, "peak") / 1e6
            return [row["name"], *cells, None, peak, *[None] * 3]
        before, peak = median(runs, "loaded") / 1e6, median(runs, "peak") / 1e6
        return [row["name"], *cells, median(runs, "call_cpu"), peak, median(runs, "documents_bytes") / 1e6, before, peak - before]

    def other(self, row: dict) -> list:
        name = row["name"]
        if isinstance(row["what"], Tool):
            name = name.replace(row["what"].package, f"{row['what'].package} {peers.version(row['what'])}", 1)
        documents = peers.documents_of(self.truth[row["path"]])
        if row["failed"]:
            return [f"{name}: failed", documents, *[None] * 7]
        runs = row["runs"]
        cells = [median(runs, "wall"), median(runs, "cpu"), median(runs, "peak") / 1e6]
        return [name, documents, *cells, *shares(row["score"])]

    def save(self, about: dict) -> None:
        rows = [
            {
                "name": row["name"], "collection": row["path"].name, "failed": row["failed"], "runs": row["runs"],
                "score": row["score"] and {**vars(row["score"]), **row["score"].shares()},
            }
            for row in self.rows
        ]
        save(self.work / "python.json", {"machine": about, "repeat": self.options.repeat, "rows": rows})


def arguments():
    parser = argument_parser(__doc__ or "")
    parser.add_argument("--few", type=int, default=20_000, help="documents for the slow tools (20000)")
    parser.add_argument("--wheel", type=Path, help="the package as it was built; by default it is built now")
    parser.add_argument("--only", default="", help="rows whose names begin so, with commas between")
    options = parser.parse_args()
    if min(options.documents, options.few, options.repeat) < 1:
        parser.error("--documents, --few and --repeat must be positive")
    if options.corpus:
        parser.error("--corpus is not for this benchmark; give SOURCE")
    options.only = [name.strip() for name in options.only.split(",")]
    options.work, options.binaries = options.work.resolve(), options.binaries.resolve()
    options.wheel = options.wheel and options.wheel.resolve()
    return options


def main() -> int:
    options = arguments()
    # So that ending the benchmark ends what is running, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        bench = Bench(options)
        about = machine(bench.program["lookalike"])
        introduce(about, options.repeat)
        for number in range(options.repeat):
            say(f"round {number + 1} of {options.repeat}")
            bench.round()
            bench.save(about)
            bench.check()
    except Failed as failure:
        sys.exit(f"python.py: {failure}")
    bench.show()
    note_others([run for row in bench.rows for run in row["runs"]])
    return 0


if __name__ == "__main__":
    sys.exit(main())
