#!/usr/bin/env python3
"""Text sources in, the speed and the memory of lookalike's main job out, as Markdown tables.

    main_job.py [SOURCE...] [--work DIR] [--only mixed,copies,variants] [--documents N] [--large N] [--repeat N]

Three kinds of collections are made by lookalike-generate from the project's samples and every SOURCE (text files
or directories, anything lookalike reads), and kept in --work for the next time:

  mixed     200,000 documents of real sentences, a fifth of them planted near-duplicates. Run in turn, --repeat times:
            `wc -w`, lookalike-baseline (the bare loops that read, parse, tokenise and fingerprint), `lookalike dedup`
            on one thread and on all cores, `lookalike cluster`.
  copies    1,000,000 copies of one text, and a half and a quarter of that: `lookalike dedup` on all cores.
  variants  the same with lightly edited variants of ten texts.

Outputs: the tables on standard output, progress on standard error, every single figure in DIR/main_job.json.
A figure in a table is the median of its rounds; MB are millions of bytes. The binaries are those of
`cargo build --release --workspace` unless --binaries says otherwise. Standard library only; Linux and macOS.

    main_job.py                                     # what `make bench` does: about 8 GB of disk
    main_job.py books/ news.jsonl --repeat 5        # more variety than the samples alone have
    main_job.py --only mixed --documents 20000      # a first look, in seconds
"""
import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KINDS = ("mixed", "copies", "variants")
MODES = {"mixed": [], "copies": ["--copies"], "variants": ["--variants", "--texts", "10"]}
MADE_AS = {"": "originals", "exact": "exact copies", "recased": "other case", "edited": "words edited"}
MADE_AS |= {"cut": "a part only", "nested": "quoted in another text"}
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024
# `wc -w` is slower or faster with the language; this one counts words of UTF-8 as most systems do.
ENVIRONMENT = {**os.environ, "LC_ALL": "C.UTF-8"}


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def stop(text: str):
    sys.exit(f"main_job.py: {text}")


def measured(command: list, timeout: float) -> tuple:
    """Runs a command. Returns what it cost, by the system's own account, and what it printed."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=ENVIRONMENT)
        killer = threading.Timer(timeout, process.kill)
        killer.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        finally:
            killer.cancel()
        wall = time.perf_counter() - started
        # The process is gone: tell Popen, which would wait for it again.
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), err.seek(0)
        if process.returncode != 0:
            message = err.read().decode(errors="replace")[-2000:]
            stop(f"exit code {process.returncode} after {wall:.0f} s: {' '.join(command)}\n{message}")
        user, system = usage.ru_utime, usage.ru_stime
        # Never less than this process itself has (some 30 MB): the account begins before the program is loaded.
        peak = usage.ru_maxrss * MAXRSS_UNIT
        return {"wall": wall, "cpu": user + system, "user": user, "system": system, "peak": peak}, out.read()


def machine_busy() -> float:
    """Seconds that all cores together have worked since the machine was started; 0 where the system does not say."""
    try:
        fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    except OSError:
        return 0.0
    user, nice, system, _idle, _waiting, interrupts, soft, stolen = map(int, fields[:8])
    return (user + nice + system + interrupts + soft + stolen) / os.sysconf("SC_CLK_TCK")


def median(rows: list, key: str) -> float:
    return statistics.median(row[key] for row in rows)


def table(title: str, head: list, rows: list) -> None:
    """Prints a Markdown table: text to the left, numbers to the right."""
    body = [[cell(value) for value in row] for row in rows]
    widths = [max(len(line[at]) for line in [head, *body]) for at in range(len(head))]
    print(f"\n**{title}**\n")
    for number, line in enumerate([head, *body]):
        padded = (text.ljust(w) if at == 0 else text.rjust(w) for at, (text, w) in enumerate(zip(line, widths)))
        print("| " + " | ".join(padded) + " |")
        if number == 0:
            print("|" + "|".join("-" * (w + 1) + ("-" if at == 0 else ":") for at, w in enumerate(widths)) + "|")
    sys.stdout.flush()


def cell(value) -> str:
    """Three digits: no measurement is better than that."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 99.95 else f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"
    return f"{value:,}" if isinstance(value, int) else value


class Bench:
    """The collections, the programs, and every figure so far."""

    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.work = options.work
        # The generator runs in the project's directory.
        self.sources = ["samples", *(str(Path(source).resolve()) for source in options.sources)]
        self.runs: list = []
        self.collections: dict = {}
        names = ("lookalike", "lookalike-generate", "lookalike-baseline")
        self.program = {name: str(options.binaries / name) for name in names}
        for path in self.program.values():
            if not os.access(path, os.X_OK):
                stop(f"{path} is missing: cargo build --release --workspace")
        self.work.mkdir(parents=True, exist_ok=True)

    def collection(self, kind: str, documents: int) -> Path:
        """A collection, made now unless the same command made it before."""
        path = self.work / f"{kind}-{documents}.jsonl"
        arguments = ["--documents", str(documents), *MODES[kind], *self.sources]
        receipt = path.with_suffix(".command")
        made_by = json.dumps(arguments)
        if not (path.exists() and receipt.exists() and receipt.read_text() == made_by):
            say(f"making {path.name}")
            receipt.unlink(missing_ok=True)
            with path.open("wb") as out:
                command = [self.program["lookalike-generate"], *arguments]
                done = subprocess.run(command, cwd=ROOT, stdout=out, timeout=self.options.timeout)
            if done.returncode != 0:
                stop(f"could not make {path}")
            receipt.write_text(made_by)
        # So that no program pays for the disk.
        subprocess.run(["cat", str(path)], stdout=subprocess.DEVNULL, timeout=self.options.timeout)
        self.collections[path.name] = {"bytes": path.stat().st_size, "documents": documents, "arguments": arguments}
        return path

    def run(self, label: str, path: Path, threads: int, command: list) -> tuple:
        busy = machine_busy()
        cost, printed = measured(command, self.options.timeout)
        others = max(0.0, machine_busy() - busy - cost["cpu"]) / (CORES * cost["wall"])
        say(f"  {label:<10} {threads} threads {cost['wall']:8.2f} s {cost['peak'] / 1e6:6.0f} MB; others {others:4.0%}")
        row = {"program": label, "collection": path.name, "threads": threads, **cost, "others": others}
        self.runs.append(row)
        return row, printed

    def baseline(self, path: Path, threads: int) -> None:
        """One process times all four steps; what it costs as a whole says nothing of any of them."""
        command = [self.program["lookalike-baseline"], "--threads", str(threads), "--repeat", "1", "--format", "json"]
        row, printed = self.run("baseline", path, threads, [*command, str(path)])
        row["steps"] = {step["name"]: step["seconds"] for step in json.loads(printed)["steps"]}

    def lookalike(self, verb: str, path: Path, threads: int) -> None:
        out = self.work / "result"
        options = ["-o", str(out), "--force", "--quiet", "-j", str(threads)]
        row, _ = self.run(verb, path, threads, [self.program["lookalike"], verb, str(path), *options])
        summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
        row["phases"] = {phase["name"]: phase["seconds"] for phase in summary["run"]["phases"]}
        # What the run does not name: verdicts and counts before the summary; report, sync to disk and exit behind.
        row["phases"]["summing up"] = summary["run"]["seconds"] - sum(row["phases"].values())
        row["phases"]["finishing"] = row["wall"] - summary["run"]["seconds"]
        keys = ("documents", "kept", "removed", "clusters", "pairs", "candidates", "verified", "text_bytes", "digest")
        row["summary"] = {key: summary[key] for key in keys}
        if verb == "dedup" and path.name.startswith("mixed"):
            row["removed_edits"] = edits(out / "removed.jsonl")
        shutil.rmtree(out)  # At once: the disk must not be busy with it while the next run is timed.

    def save(self, about: dict) -> None:
        path = self.work / "main_job.json"
        raw = {"machine": about, "repeat": self.options.repeat, "collections": self.collections, "runs": self.runs}
        path.write_text(json.dumps(raw, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        say(f"raw figures: {path}")

    def rows(self, path: Path, program: str, threads: int) -> list:
        same = (path.name, program, threads)
        return [row for row in self.runs if (row["collection"], row["program"], row["threads"]) == same]

    def mixed(self) -> None:
        path = self.collection("mixed", self.options.documents)
        planted = self.collections[path.name]["planted"] = edits(path)
        threads = sorted({1, CORES})
        for number in range(self.options.repeat):
            say(f"{path.name}: round {number + 1} of {self.options.repeat}")
            self.run("wc -w", path, 1, ["wc", "-w", str(path)])
            for count in threads:
                self.baseline(path, count)
            for count in threads:
                self.lookalike("dedup", path, count)
            self.lookalike("cluster", path, CORES)
        self.show_programs(path, threads)
        self.show_phases(path, threads)
        self.show_planted(path, planted)

    def show_programs(self, path: Path, threads: list) -> None:
        megabytes = path.stat().st_size / 1e6
        text = self.rows(path, "dedup", 1)[0]["summary"]["text_bytes"]
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
            steps = {name: median([row["steps"] for row in rows], name) for name in rows[0]["steps"]}
            loop[count] = steps["fingerprint"]
            for name, seconds in steps.items():
                line(f"loop: {name}", count, seconds)
        for verb, count in [*(("dedup", count) for count in threads), ("cluster", CORES)]:
            rows = self.rows(path, verb, count)
            line(f"`lookalike {verb}`", count, median(rows, "wall"), median(rows, "cpu"), median(rows, "peak"))
        head = ["", "threads", "wall s", "CPU s", "MB/s", "MB/s per core", "MB per CPU s", "× loop"]
        title = f"mixed: {self.options.documents:,} documents, {megabytes:,.0f} MB, text {text / 1e6:,.0f} MB"
        table(title, [*head, "peak MB", "peak ÷ text"], lines)

    def show_phases(self, path: Path, threads: list) -> None:
        megabytes = path.stat().st_size / 1e6
        runs = [("dedup", count) for count in threads] + [("cluster", CORES)]
        head, columns, lines = ["phase"], [], []
        for verb, count in runs:
            rows = self.rows(path, verb, count)
            names = list(rows[0]["phases"])
            columns.append({name: median([row["phases"] for row in rows], name) for name in names})
            head += [f"{verb} -j {count}: s", "MB/s per core"]
        for name in names:
            seconds = [column[name] for column in columns]
            rates = [megabytes / s / count if s > 0 else None for s, (_, count) in zip(seconds, runs)]
            lines.append([name, *(value for pair in zip(seconds, rates) for value in pair)])
        table("mixed, by phase", head, lines)

    def show_planted(self, path: Path, planted: dict) -> None:
        """Who was removed, by how the generator made it; copies far from their original have to stay."""
        removed = self.rows(path, "dedup", CORES)[0]["removed_edits"]
        lines = [[text, planted.get(kind, 0), removed.get(kind, 0)] for kind, text in MADE_AS.items()]
        lines.append(["all", sum(planted.values()), sum(removed.values())])
        table("mixed, what was removed", ["made as", "documents", "removed"], lines)

    def growth(self, kind: str) -> None:
        large = self.options.large
        paths = [self.collection(kind, documents) for documents in (large // 4, large // 2, large)]
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
            costs = [wall, cpu, *micro, megabytes / wall, peak / 1e6, peak / summary["text_bytes"]]
            lines.append([documents, megabytes, documents - summary["kept"], summary["verified"], *costs])
        head = ["documents", "MB", "removed", "pairs compared", "wall s", "CPU s", "wall µs/doc", "CPU µs/doc"]
        table(f"{kind}, {CORES} threads", [*head, "MB/s", "peak MB", "peak ÷ text"], lines)


def edits(path: Path) -> dict:
    """How many documents the generator made by which edit; '' are originals."""
    found: Counter = Counter()
    with path.open("rb") as file:
        for line in file:
            # The label stands last; a quotation mark inside the text would have a backslash.
            _, label, value = line.rpartition(b',"edit":"')
            found[value.split(b'"')[0].decode() if label else ""] += 1
    return dict(found)


def machine(lookalike: str) -> dict:
    def first_line(command: list) -> str:
        try:
            return subprocess.run(command, capture_output=True, text=True, timeout=60).stdout.split("\n")[0].strip()
        except (OSError, subprocess.TimeoutExpired):
            return ""

    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "cpu": (models or [platform.processor() or platform.machine()])[0],
        "cores": CORES,
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": f"{platform.system()} {platform.release()}",
        "lookalike": first_line([lookalike, "--version"]),
        "rustc": first_line(["rustc", "--version"]),
        "wc": first_line(["wc", "--version"]),
        "python": platform.python_version(),
    }


def arguments() -> argparse.Namespace:
    summary, _, rest = (__doc__ or "").partition("\n")
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=summary, epilog=rest, formatter_class=form)
    parser.add_argument("sources", nargs="*", metavar="SOURCE", help="text besides the samples")
    parser.add_argument("--work", type=Path, default=ROOT / "out/bench", help="where collections are kept (out/bench)")
    parser.add_argument("--only", default=",".join(KINDS), help="which of mixed,copies,variants")
    parser.add_argument("--documents", type=int, default=200_000, help="documents of mixed (200000)")
    parser.add_argument("--large", type=int, default=1_000_000, help="documents of copies and variants (1000000)")
    parser.add_argument("--repeat", type=int, default=3, help="rounds; the median counts (3)")
    parser.add_argument("--timeout", type=float, default=1800, help="seconds after which a program is stopped (1800)")
    parser.add_argument("--binaries", type=Path, default=ROOT / "target/release", help="where the programs lie")
    options = parser.parse_args()
    options.only = [kind.strip() for kind in options.only.split(",")]
    if unknown := set(options.only) - set(KINDS):
        parser.error(f"--only {unknown.pop()}: choose from {', '.join(KINDS)}")
    if options.documents < 1 or options.large < 4 or options.repeat < 1:
        parser.error("--documents, --large and --repeat must be positive (--large at least 4)")
    options.work, options.binaries = options.work.resolve(), options.binaries.resolve()
    return options


def main() -> int:
    options = arguments()
    bench = Bench(options)
    about = machine(bench.program["lookalike"])
    memory = about["memory_bytes"] / 2**30
    print(f"{about['lookalike']}; {about['cpu']}, {CORES} cores, {memory:.0f} GiB; median of {options.repeat}")
    for kind in KINDS:
        if kind in options.only:
            bench.mixed() if kind == "mixed" else bench.growth(kind)
            bench.save(about)
    others = sum(row["others"] * row["wall"] for row in bench.runs) / sum(row["wall"] for row in bench.runs)
    if others > 0.02:
        print(f"\nOther programs took {others:.0%} of the machine meanwhile: times are too long by as much or more.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
