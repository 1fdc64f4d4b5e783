#!/usr/bin/env python3
"""Compares lookalike with other tools: cost, recall and precision in one Markdown table for each collection.

    peers.py [SOURCE...] [--kinds KIND,...] [--corpus FILE] [--documents N] [--few N] [--only NAME,...] [--repeat N]
             [--thresholds T,...] [--data DIR] [--code DIR] [--work DIR] [--duplodocus DIR]
    peers.py --ratios [--corpus FILE] [--data DIR] [--code DIR] [--repeat N] [--work DIR]

Collections of the kinds `mixed` and `shared` (see main_job.py) are made by lookalike-generate from those of the
project's samples that put spaces between words, and every SOURCE; `titles`, `long`, `sites` and `boiler` by hard_corpora.py,
on request. Real collections are `mail` and `data`, from folders of zstd-compressed JSONL (--data), and `code`, the Rust sources
that cargo has unpacked (--code). Every --corpus FILE (or directory of JSONL; records
with an `id` and a `text`) is measured as well; without --kinds, nothing else is. All tools get the same file; the slow
ones its first --few documents, where lookalike runs once more. The tools are installed with pip below --work, in the versions of
peers/requirements-*.txt, each in a virtual environment of its own; duplodocus, which is in no package registry, is run from a
checkout that was built (--duplodocus DIR), and left out with a line that says so where none is given; one that does not install, fails or takes longer than
--timeout is a row that says so. All run in turn, --repeat times.

The exact truth comes from truth.py, which shares no code with any of them, and is kept beside the collection.
Outputs: the tables on standard output, at the end the ratios to the fastest peer on each collection (of recall .9 or more), progress on standard error, every single figure in DIR/peers.json.
Standard library only; Linux (elsewhere memory is that of the largest process of a tool, not of all together).

    peers.py                                        # what `make bench-peers` does: an hour, most of it the peers'
    peers.py --documents 20000 --few 2000           # a first look
    peers.py --corpus pages.jsonl --only lookalike,rensa
    peers.py --kinds mixed,shared --corpus pages.jsonl      # a table for each
    peers.py --ratios --data ../shared/data         # every kind, and mail, code and data at 0.5 as well: only the ratios to gaoya and rensa
"""
import csv
import hashlib
import json
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import hard_corpora
import real_corpora
from measure import (
    CORES, Collections, Failed, argument_parser, first_documents, introduce, machine, measured_tree, median, note_others, one_file,
    programs, revision, save, say, table, warm, with_others,
)
from truth import Score, Truth, closure, score, score_flags

HERE = Path(__file__).resolve().parent
# Collections that can be made, and what lookalike-generate calls them.
KINDS = {"mixed": "spaced", "shared": "spaced-shared"}
# Where a tool is run at several thresholds, these are; the truth of a large collection of low threshold takes Python hours.
LOW = "0.5"
REAL = ("mail", "code", "data")
RATIOS = ("`lookalike cluster`", "`lookalike cluster --memory 300MB`", "gaoya", "rensa 16×8")
INSTALL_SECONDS = 1800


@dataclass(frozen=True)
class Tool:
    """A row of the table: what runs, and what a reader should know of how. A `driver` is a file in peers/."""

    name: str
    about: str
    options: tuple = ()
    driver: str = ""
    package: str = ""
    slow: bool = False
    checkout: bool = False
    threads: int = CORES
    # Its bands at other thresholds than 0.8; without, it is not run there.
    bands: dict = field(default_factory=dict, hash=False)


LOOKALIKE = (
    Tool("`lookalike cluster -j 1`", "exact, one thread", threads=1),
    Tool("`lookalike cluster`", "exact, all cores"),
    Tool("`lookalike cluster --memory 300MB`", "the same, with sets on disk", ("--memory", "300MB")),
    Tool("lookalike, minhash-lsh", "`--method minhash-lsh`: 14 × 7 of 128 minima, candidates verified on whole sets",
         ("--method", "minhash-lsh")),
    Tool("lookalike, minhash-lsh, unverified", "the same with `--verify none`: what shares a band is linked",
         ("--method", "minhash-lsh", "--verify", "none")),
)
PEERS = (
    Tool("rensa 8×16", "RMinHash and RMinHashLSH, 128 slots, the 8 bands of its own benchmark; estimate ≥ 0.8",
         ("--bands", "8"), "rensa_minhash", "rensa"),
    Tool("rensa 16×8", "the same with 16 bands; at 0.5, 32 × 4", ("--bands", "16"), "rensa_minhash", "rensa",
         bands={LOW: ("--bands", "32")}),
    Tool("rensa rho (flags)", "its fastest: rho sketches and one-shot flags, 8 bands. Says only *that* a document has a "
         "near-duplicate: recall and precision count documents", (), "rensa_rho", "rensa"),
    Tool("datasketch", "MinHash.bulk, 128 permutations; bands and rows as it chooses for 0.8 (9 × 13); estimate ≥ 0.8",
         (), "datasketch_minhash", "datasketch"),
    Tool("datasketch 16×8", "the same with the 16 × 8 of its documentation's example",
         ("--bands", "16", "--rows", "8"), "datasketch_minhash", "datasketch"),
    Tool("FastSketchLSH 16×8", "FastSimilaritySketch, 128 slots, and LSH of 16 bands; estimate ≥ 0.8",
         ("--bands", "16"), "fastsketch_minhash", "FastSketchLSH"),
    Tool("duplodocus 14×8", "`minhash-memory` from a checkout, words of its own (`uniseg`), its default 14 × 8; nothing verified",
         ("--buckets", "14", "--rows", "8"), "duplodocus_minhash", "duplodocus", checkout=True),
    Tool("gaoya", "MinHashStringIndex, its own words, its default 20 × 5, bulk calls, estimate ≥ 0.8; at 0.5, 42 × 3",
         ("--bands", "20", "--rows", "5"), "gaoya_minhash", "gaoya", bands={LOW: ("--bands", "42", "--rows", "3")}),
    Tool("simhash d=3", "64 bits of word 5-grams, at most 3 differ (its default is 2)",
         ("--distance", "3"), "simhash_index", "simhash"),
    Tool("datatrove", "its four MinHash stages, its own words, its default 14 × 8; nothing verified",
         (), "datatrove_minhash", "datatrove", slow=True),
    Tool("text-dedup", "`text_dedup.minhash`, its own words, 250 permutations, 16 × 15 as it chooses for 0.8; xxh3; nothing "
         "verified", (), "text_dedup_minhash", "text-dedup", slow=True),
)


# --- collections and their truth -------------------------------------------------------------------

def digest(*paths: Path) -> str:
    value = hashlib.blake2b(digest_size=16)
    for path in paths:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                value.update(block)
    return value.hexdigest()


def truth_about(path: Path, threshold: str, work: Path) -> Truth:
    """The exact truth of a collection, computed unless it was for these very bytes."""
    name = f"{path.stem}-{threshold}.truth"
    kept, receipt = work / f"{name}.json", work / f"{name}.digest"
    now = digest(path, HERE / "truth.py")
    if not (kept.exists() and receipt.exists() and receipt.read_text() == now):
        say(f"computing the exact truth of {path.name}: minutes for some hundred thousand documents")
        receipt.unlink(missing_ok=True)
        # A process of its own: its memory is free again while the tools run.
        done = subprocess.run([sys.executable, str(HERE / "truth.py"), str(path), str(kept), "--threshold", threshold])
        if done.returncode != 0:
            raise Failed(f"no truth for {path}")
        receipt.write_text(now)
    return Truth.from_json(kept.read_text(encoding="utf-8"))


def documents_of(truth: Truth) -> int:
    return sum(map(len, truth.groups))


# --- installing ------------------------------------------------------------------------------------

def requirements(package: str) -> Path:
    return HERE / "peers" / f"requirements-{package}.txt"


def version(tool: Tool) -> str:
    """The version that is asked for, as the requirements say."""
    for line in requirements(tool.package).read_text().splitlines():
        name, _, number = line.partition("==")
        if name.partition("[")[0] == tool.package:
            return number
    raise Failed(f"{requirements(tool.package).name} does not say which {tool.package}")


@lru_cache(maxsize=None)
def installed(package: str, work: Path) -> tuple:
    """The Python of a virtual environment with these requirements, or what went wrong; tried once."""
    try:
        return environment(package, work), None
    except Failed as failure:
        return None, str(failure)


def environment(package: str, work: Path) -> str:
    """The Python of a virtual environment with these requirements, made now unless it was before."""
    place = work / "peers" / package
    python, receipt = place / "bin/python", place / "installed.txt"
    wanted = sys.version + "\n" + requirements(package).read_text()
    if not (receipt.exists() and receipt.read_text() == wanted):
        say(f"installing {requirements(package).name}")
        shutil.rmtree(place, ignore_errors=True)
        finish([sys.executable, "-m", "venv", str(place)])
        finish([str(python), "-m", "pip", "install", "--quiet", "-r", str(requirements(package))])
        receipt.write_text(wanted)
    return str(python)


def finish(command: list) -> None:
    """Runs one step of an installation."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=INSTALL_SECONDS)
    except subprocess.TimeoutExpired:
        raise Failed(f"not installed after {INSTALL_SECONDS} s") from None
    if done.returncode != 0:
        raise Failed(f"does not install: {(done.stderr or done.stdout).strip()[-2000:]}")


# --- answers ---------------------------------------------------------------------------------------

def pairs_in(path: Path) -> list:
    """The lines of a driver's file: two fields each."""
    with path.open(encoding="utf-8") as file:
        return [tuple(line.rstrip("\n").split("\t")) for line in file]


def judged(truth: Truth, tool: Tool, output: Path) -> Score:
    """What a tool's answer is worth; if it has only flags, counted in documents."""
    flags = Path(f"{output}.flags")
    try:
        if flags.exists():
            return score_flags(truth, {name for name, flag in pairs_in(flags) if flag == "1"})
        return score(truth, *(answer_of_peer if tool.driver else answer_of_lookalike)(output))
    except (OSError, ValueError, KeyError) as error:
        raise Failed(f"its answer cannot be read: {error!r}") from None


def answer_of_peer(output: Path) -> tuple:
    """The clusters, and the links if the tool says them."""
    links = Path(f"{output}.links")
    return dict(pairs_in(output)), pairs_in(links) if links.exists() else None


def answer_of_lookalike(output: Path) -> tuple:
    def rows(name: str):
        with (output / name).open(encoding="utf-8", newline="") as file:
            yield from csv.DictReader(file, delimiter="\t")

    return {row["id"]: row["cluster"] for row in rows("clusters.tsv")}, [(row["a_id"], row["b_id"]) for row in rows("pairs.tsv")]


# --- the benchmark ---------------------------------------------------------------------------------

class Bench:
    """The collections with their truth, the tools, and every figure so far."""

    def __init__(self, options):
        self.options, self.work = options, options.work
        self.program = programs(options.binaries, "lookalike", "lookalike-generate")
        self.work.mkdir(parents=True, exist_ok=True)
        self.truth, self.tables = {}, {}
        for name, whole in self.collections():
            for threshold in options.thresholds:
                if threshold == "0.8" or not options.ratios or name in REAL:
                    self.prepare(f"{name}, {threshold}", whole, threshold)
        self.rows = [row for rows in self.tables.values() for row in rows]

    def prepare(self, title: str, whole: Path, threshold: str) -> None:
        """The rows of a table, and the truth that they are judged by."""
        tools = [tool for tool in (*LOOKALIKE, *PEERS) if not tool.checkout or self.options.checkouts.get(tool.package)]
        tools = [tool for tool in tools if self.wanted(tool) and (threshold == "0.8" or not tool.driver or threshold in tool.bands)]
        few = any(tool.slow for tool in tools)
        part = first_documents(whole, self.options.few, self.work) if few else whole
        for path in (whole, part):
            if (path, threshold) not in self.truth:
                self.truth[path, threshold] = truth_about(path, threshold, self.work)
        rows = [self.row(tool, part if tool.slow else whole, threshold) for tool in tools]
        if part != whole:
            rows.insert(-sum(tool.slow for tool in tools), self.row(LOOKALIKE[1], part, threshold))
        self.tables[title] = rows

    def wanted(self, tool: Tool) -> bool:
        if self.options.ratios:
            return tool.name in RATIOS
        return tool.name.lstrip("`").startswith(tuple(self.options.only))

    def collections(self):
        """The name and the file of each collection."""
        generate = self.program["lookalike-generate"]
        made = Collections(self.work, generate, self.options.sources, self.options.timeout)
        for kind in self.options.kinds:
            if kind in hard_corpora.KINDS:
                path = self.work / f"{kind}.jsonl"
                if not path.exists():
                    hard_corpora.make(kind, path)
                yield kind, path
            elif kind in REAL:
                yield kind, real_corpora.made(kind, self.options.code if kind == "code" else self.options.data, self.work)
            else:
                yield kind, made.get(KINDS[kind], self.options.documents)
        for corpus in self.options.corpus:
            yield corpus.name, one_file(corpus, self.work)

    @staticmethod
    def row(tool: Tool, path: Path, threshold: str) -> dict:
        return {"tool": tool, "path": path, "threshold": threshold, "runs": [], "score": None, "failed": None}

    def round(self) -> None:
        for row in self.rows:
            if row["failed"]:
                continue
            warm(row["path"], self.options.timeout)
            try:
                self.run(row)
            except Failed as failure:
                row["failed"] = str(failure)
                say(f"  {row['tool'].name}: {failure}")

    def run(self, row: dict) -> None:
        """One run of a tool. What its answer is worth is computed for the first only: the others give the same."""
        tool, path, threshold, output = row["tool"], row["path"], row["threshold"], self.work / "answer"
        command = (self.peer if tool.driver else self.lookalike)(tool, path, threshold, output)
        cost, _ = with_others(measured_tree, command, self.options.timeout)
        seconds, megabytes = cost["wall"], cost["peak"] / 1e6
        say(f"  {tool.name:<30} {seconds:8.2f} s {megabytes:6.0f} MB; others {cost['others']:4.0%}")
        row["runs"].append(cost)
        if not row["score"]:
            row["score"] = judged(self.truth[path, threshold], tool, output)
        remove(output)

    def peer(self, tool: Tool, path: Path, threshold: str, output: Path) -> list:
        options = ["--threshold", threshold] if tool.bands else []
        options += tool.bands.get(threshold, tool.options)
        driver = [str(HERE / "peers" / f"{tool.driver}.py"), str(path), str(output), *options]
        if tool.checkout:
            return [sys.executable, *driver, "--checkout", str(self.options.checkouts[tool.package])]
        python, wrong = installed(tool.package, self.work)
        if wrong:
            raise Failed(wrong)
        return [python, *driver]

    def lookalike(self, tool: Tool, path: Path, threshold: str, output: Path) -> list:
        options = ["-o", str(output), "--force", "--quiet", "--tables", "tsv", "-j", str(tool.threads), "--threshold", threshold]
        return [self.program["lookalike"], "cluster", str(path), *options, *tool.options]

    def show(self) -> None:
        for title, rows in self.tables.items():
            if not self.options.ratios:
                self.show_all(title, rows)
        self.show_ratios()
        print()
        said = set()
        for row in self.rows:
            tool, failed = row["tool"], row["failed"]
            line = f"* {self.named(tool)}: {tool.about}"
            if failed:
                line += f". **Failed** on {row['path'].name}: {reason(failed)}"
            if line not in said:
                print(line)
            said.add(line)
        for name, checkout in self.options.checkouts.items():
            if not checkout and not self.options.ratios:
                print(f"* {name}: left out; --{name} DIR names a checkout of it that was built")

    def show_all(self, title: str, rows: list) -> None:
        """What each tool cost and found."""
        hard = f"recall {rows[0]['threshold'][1:]}0–.85" if rows else "recall of the hard"
        head = ["", "documents", "wall s", "CPU s", "peak MB", "MB/s", "recall", hard, "precision", "links right"]
        lines, sizes = [self.line(row) for row in rows], []
        for path, threshold in {(row["path"], row["threshold"]): None for row in rows}:
            truth = self.truth[path, threshold]
            perfect = score(truth, closure(truth))
            lines.append(["the true pairs, closed", documents_of(truth), *[None] * 4, *shares(perfect)])
            sizes.append(f"{documents_of(truth):,} documents, {path.stat().st_size / 1e6:,.0f} MB, "
                         f"{score(truth, {}).true:,} true pairs")
        table(f"{title}, word 5-grams: {'; '.join(sizes)}", head, lines)

    def show_ratios(self) -> None:
        """Each collection next to the fastest peer that finds nine of ten pairs, in CPU and in wall time."""
        head = ["", "documents", "MB", "CPU s", "wall s", "CPU: × the fastest", "wall: × the fastest", "its recall", "its precision",
                "peak ÷ input", "300 MB: CPU ×", "300 MB: peak MB"]
        lines = []
        for title, rows in self.tables.items():
            own = next((row for row in rows if row["tool"] is LOOKALIKE[1] and row["runs"]), None)
            peers = [row for row in rows if row["tool"].driver and row["runs"] and not row["tool"].slow and finds(row)]
            if not own or not peers:
                continue
            size, runs = own["path"].stat().st_size, own["runs"]
            fastest = {what: min(peers, key=lambda row: median(row["runs"], what)) for what in ("cpu", "wall")}
            ratios = [
                f"{median(row['runs'], what) / median(runs, what):.1f} ({row['tool'].name})" for what, row in fastest.items()
            ]
            found = fastest["cpu"]["score"].shares()
            capped = next((row["runs"] for row in rows if row["tool"] is LOOKALIKE[2]), [])
            lines.append([
                title, documents_of(self.truth[own["path"], own["threshold"]]), size / 1e6, median(runs, "cpu"), median(runs, "wall"), *ratios,
                *[None if share is None else f"{share:.3f}" for share in (found["recall"], found["precision"])], median(runs, "peak") / size,
                median(capped, "cpu") / median(runs, "cpu") if capped else None, median(capped, "peak") / 1e6 if capped else None,
            ])
        if lines:
            table("`lookalike cluster` next to the fastest peer in CPU time, of recall .9 or more; word 5-grams", head, lines)

    def version(self, tool: Tool) -> str:
        """Of a peer; nothing for lookalike."""
        if tool.checkout:
            return revision(self.options.checkouts[tool.package])
        return version(tool) if tool.driver else ""

    def named(self, tool: Tool) -> str:
        """As in the table: with the version of what was installed for it."""
        return tool.name.replace(tool.package, f"{tool.package} {self.version(tool)}", 1) if tool.driver else tool.name

    def line(self, row: dict) -> list:
        documents, runs = documents_of(self.truth[row["path"], row["threshold"]]), row["runs"]
        if row["failed"]:
            return [f"{self.named(row['tool'])}: failed", documents, *[None] * 8]
        wall = median(runs, "wall")
        cost = [wall, median(runs, "cpu"), median(runs, "peak") / 1e6, row["path"].stat().st_size / 1e6 / wall]
        return [self.named(row["tool"]), documents, *cost, *shares(row["score"])]

    def save(self, about: dict) -> None:
        rows = [
            {
                "tool": row["tool"].name, "version": self.version(row["tool"]) or about["lookalike"],
                "options": row["tool"].options, "threads": row["tool"].threads, "about": row["tool"].about,
                "collection": row["path"].name, "threshold": row["threshold"], "failed": row["failed"], "runs": row["runs"],
                "score": row["score"] and {**vars(row["score"]), **row["score"].shares()},
            }
            for row in self.rows
        ]
        collections = {
            f"{path.name}, {threshold}": {"bytes": path.stat().st_size, "documents": documents_of(truth), "true_pairs": score(truth, {}).true}
            for (path, threshold), truth in self.truth.items()
        }
        raw = {"machine": about, "repeat": self.options.repeat, "collections": collections, "rows": rows}
        save(self.work / "peers.json", raw)


def finds(row: dict) -> bool:
    """Whether a peer found nine of ten pairs. Where nothing is to be found, nothing is missed."""
    recall = row["score"].shares()["recall"]
    return recall is None or recall >= 0.9


def reason(message: str) -> str:
    """A failure in a line: how it ended, and the last that was said."""
    lines = message.strip().splitlines()
    return f"{lines[0].partition(':')[0]}: {lines[-1].strip()}" if len(lines) > 1 else lines[0]


def shares(result) -> list:
    return [None if share is None else f"{share:.3f}" for share in result.shares().values()]


def remove(output: Path) -> None:
    """Takes an answer away: a directory, or the files of a driver."""
    if output.is_dir():
        shutil.rmtree(output)
    else:
        for path in (output, Path(f"{output}.links"), Path(f"{output}.flags")):
            path.unlink(missing_ok=True)


def arguments():
    parser = argument_parser(__doc__ or "")
    known = [*KINDS, *hard_corpora.KINDS, *REAL]
    parser.add_argument("--kinds", help=f"which collections to make, of {','.join(known)} "
                        f"({','.join(KINDS)}, or none with --corpus)")
    parser.add_argument("--few", type=int, default=20_000, help="documents for the slow tools (20000)")
    parser.add_argument("--duplodocus", type=Path, metavar="DIR", help="a checkout of duplodocus, built with cargo")
    parser.add_argument("--thresholds", default="0.8", help=f"0.8, {LOW} or both, with a comma between (0.8)")
    parser.add_argument("--data", type=Path, metavar="DIR", help="folders with collections as docs.jsonl.zst; those of mail are called mail_…")
    parser.add_argument("--code", type=Path, metavar="DIR", default=real_corpora.CARGO, help="a folder of Rust sources (cargo's)")
    parser.add_argument("--ratios", action="store_true", help="every kind there is, and only the ratios to the fastest peers")
    parser.add_argument("--only", default="", help="rows whose names begin so, with commas between")
    options = parser.parse_args()
    options.checkouts = {"duplodocus": options.duplodocus and options.duplodocus.resolve()}
    options.only = [name.strip() for name in options.only.split(",")]
    if min(options.documents, options.few, options.repeat) < 1:
        parser.error("--documents, --few and --repeat must be positive")
    if options.ratios:
        # What is made from real collections needs them.
        options.kinds = ",".join([kind for kind in known if kind not in ("mail", "data") or options.data])
        options.thresholds = f"0.8,{LOW}"
    options.thresholds = options.thresholds.split(",")
    if unknown := set(options.thresholds) - {"0.8", LOW}:
        parser.error(f"--thresholds {unknown.pop()}: choose from 0.8 and {LOW}")
    kinds = ("" if options.corpus else ",".join(KINDS)) if options.kinds is None else options.kinds
    options.kinds = [kind.strip() for kind in kinds.split(",") if kind.strip()]
    if unknown := set(options.kinds) - set(known):
        parser.error(f"--kinds {unknown.pop()}: choose from {', '.join(known)}")
    if not options.data and {"mail", "data"} & set(options.kinds):
        parser.error("--kinds mail and data need --data DIR")
    if options.sources and not options.kinds:
        parser.error("--corpus is used as it is: no SOURCE without --kinds")
    if len({corpus.name for corpus in options.corpus}) < len(options.corpus):
        parser.error("--corpus: give collections of different names")
    options.corpus = [corpus.resolve() for corpus in options.corpus]
    options.work, options.binaries = options.work.resolve(), options.binaries.resolve()
    return options


def main() -> int:
    options = arguments()
    # So that ending the benchmark ends the tool that is running, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        bench = Bench(options)
        about = machine(bench.program["lookalike"])
        introduce(about, options.repeat)
        for number in range(options.repeat):
            say(f"round {number + 1} of {options.repeat}")
            bench.round()
            bench.save(about)
    except Failed as failure:
        sys.exit(f"peers.py: {failure}")
    bench.show()
    note_others([run for row in bench.rows for run in row["runs"]])
    return 0


if __name__ == "__main__":
    sys.exit(main())
