"""What the benchmarks share: collections made once, commands measured by the system's own account, Markdown tables.

`measured` and `measured_tree` take a command and return what it cost; `Collections` takes a kind and a number of
documents and returns a JSONL file; `table` prints figures. Standard library only; Linux and macOS.
"""
import argparse
import contextlib
import json
import os
import platform
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from itertools import islice
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODES = {"mixed": [], "spaced": [], "copies": ["--copies"], "variants": ["--variants", "--texts", "10"]}
MODES |= {"shared": ["--shared", "12"]}
MODES |= {"spaced-shared": MODES["shared"]}
MODES |= {"short": ["--words", "60", "--fresh", "0.1"], "half": ["--half"], "boilerplate": ["--boilerplate"], "forms": ["--forms", "1000"]}
# Pages of the size of web pages for the index; a fiftieth of the words of an original are in no other.
MODES |= {"pages": ["--words", "275", "--fresh", "0.02"]}
MODES |= {"templates": ["--templates", "4", "--template-words", "100", "--words", "140", "--fresh", "0.02"]}
# `shared`: about twelve documents have each sentence, as in real collections; `mixed` has few candidates.
# `spaced` and `spaced-shared` leave out the samples in scripts without spaces, whose words every tool cuts in its own way.
SPACED = ("samples/crates.jsonl", "samples/documentation.jsonl.gz", "samples/apache.parquet", "samples/descriptions.csv")
IN_SPACED = ("spaced", "spaced-shared", "pages", "templates")
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024
# `wc -w` is slower or faster with the language; this one counts words of UTF-8 as most systems do.
ENVIRONMENT = {**os.environ, "LC_ALL": "C.UTF-8"}
# Seconds between two looks at the memory of a program's processes.
GLANCE = 0.1


class Failed(Exception):
    """A program that could not be run to its end; says which and what it printed."""


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


# --- running --------------------------------------------------------------------------------------

def measured(command: list, timeout: float) -> tuple:
    """Runs a command. Returns what it cost, by the system's own account, and what it printed."""
    return run_measured(command, timeout, tree=False)


def measured_tree(command: list, timeout: float) -> tuple:
    """The same for a command that may start others: CPU of all of them, and the peak of their memory *together*."""
    return run_measured(command, timeout, tree=True)


def run_measured(command: list, timeout: float, tree: bool) -> tuple:
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = time.perf_counter()
        # In a session of its own, all that it starts can be found, and stopped.
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=ENVIRONMENT, start_new_session=tree
        )
        stop = (lambda: end_group(process.pid)) if tree else process.kill
        killer = threading.Timer(timeout, stop)
        killer.start()
        watch = Watch(process.pid) if tree else None
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            stop()
            raise
        finally:
            killer.cancel()
        wall = time.perf_counter() - started
        # The process is gone: tell Popen, which would wait for it again.
        process.returncode = os.waitstatus_to_exitcode(status)
        watched_peak, watched_cpu = watch.end() if watch else (0, 0.0)
        if tree:
            end_group(process.pid)  # Whatever it left behind.
        out.seek(0), err.seek(0)
        if process.returncode != 0:
            message = err.read().decode(errors="replace")[-2000:]
            how = "stopped" if wall >= timeout else f"exit code {process.returncode}"
            raise Failed(f"{how} after {wall:.0f} s: {' '.join(command)}\n{message}")
        # Of the process and of every child that it waited for.
        user, system = usage.ru_utime, usage.ru_stime
        cpu = max(user + system, watched_cpu)
        # Without a look, never less than this process itself has: the account begins before the program is loaded.
        peak = watched_peak or usage.ru_maxrss * MAXRSS_UNIT
        return {"wall": wall, "cpu": cpu, "user": user, "system": system, "peak": peak}, out.read()


def end_group(leader: int) -> None:
    """Stops a session's first process and all that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


class Watch:
    """All processes of a session, looked at every tenth of a second from a thread; sees nothing without /proc.

    The system adds a child's time to its parent's only when that waits for it, which not every pool of workers does:
    so each process's own time is noted as well. What it works after the last look is missed.
    """

    def __init__(self, session: int):
        self.session, self.most, self.ticks, self.over = session, 0, {}, threading.Event()
        self.began = time.monotonic()
        self.thread = threading.Thread(target=self.look, daemon=True)
        if Path("/proc/self/smaps_rollup").exists():
            self.thread.start()

    def look(self) -> None:
        # Short programs are looked at too.
        while not self.over.wait(min(GLANCE, 0.01 + (time.monotonic() - self.began) / 10)):
            now = processes_of(self.session)
            self.ticks.update(now)
            self.most = max(self.most, sum(map(own_memory, now)), *map(high_water, now))

    def end(self) -> tuple:
        """Ends the watch. The largest sum of memory seen, in bytes, and the time of all processes, in seconds."""
        self.over.set()
        if self.thread.ident:
            self.thread.join()
        return self.most, sum(self.ticks.values()) / os.sysconf("SC_CLK_TCK")


def processes_of(session: int) -> dict:
    """The number of each process in a session, with the ticks that it has worked."""
    found = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                # Behind the name, which may hold anything: state, parent, group, session, …; user and system time.
                fields = Path(entry.path, "stat").read_bytes().rpartition(b")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == session:
                found[int(entry.name)] = int(fields[11]) + int(fields[12])
    return found


def own_memory(process: int) -> int:
    """Bytes of a process in memory; of a page that n processes share, an n-th (Pss). 0 if it is gone."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)


def high_water(process: int) -> int:
    """The most bytes that a process has had in memory so far. 0 if it is gone."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), 0)


def machine_busy() -> float:
    """Seconds that all cores together have worked since the machine was started; 0 where the system does not say."""
    try:
        fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    except OSError:
        return 0.0
    user, nice, system, _idle, _waiting, interrupts, soft, stolen = map(int, fields[:8])
    return (user + nice + system + interrupts + soft + stolen) / os.sysconf("SC_CLK_TCK")


def with_others(run, command: list, timeout: float) -> tuple:
    """`run` is one of the two above. Its result, with the share of the machine that other programs took meanwhile."""
    busy = machine_busy()
    cost, printed = run(command, timeout)
    others = max(0.0, machine_busy() - busy - cost["cpu"]) / (CORES * cost["wall"])
    return {**cost, "others": others}, printed


def note_others(runs: list) -> None:
    """Prints how busy other programs kept the machine, if they did."""
    others = sum(row["others"] * row["wall"] for row in runs) / max(1e-9, sum(row["wall"] for row in runs))
    if others > 0.02:
        print(f"\nOther programs took {others:.0%} of the machine meanwhile: times are too long by as much or more.")


# --- collections ----------------------------------------------------------------------------------

class Collections:
    """JSONL files in a directory, each made by lookalike-generate when it is first asked for."""

    def __init__(self, work: Path, generate: str, sources: list, timeout: float):
        self.work, self.generate, self.timeout = work, generate, timeout
        self.sources = [str(Path(source).resolve()) for source in sources]
        self.about: dict = {}

    def get(self, kind: str, documents: int, seed: int = 1) -> Path:
        """A collection, made now unless the same command made it before."""
        path = self.work / f"{kind}-{documents}{f'-seed{seed}' if seed != 1 else ''}.jsonl"
        # The generator runs in the project's directory.
        samples = SPACED if kind in IN_SPACED else ["samples"]
        seeded = ["--seed", str(seed)] if seed != 1 else []
        arguments = ["--documents", str(documents), *seeded, *MODES[kind], *samples, *self.sources]
        receipt = path.with_suffix(".command")
        made_by = json.dumps(arguments)
        if not (path.exists() and receipt.exists() and receipt.read_text() == made_by):
            say(f"making {path.name}")
            receipt.unlink(missing_ok=True)
            with path.open("wb") as out:
                done = subprocess.run([self.generate, *arguments], cwd=ROOT, stdout=out, timeout=self.timeout)
            if done.returncode != 0:
                raise Failed(f"could not make {path}")
            receipt.write_text(made_by)
        warm(path, self.timeout)
        self.about[path.name] = {"bytes": path.stat().st_size, "documents": documents, "arguments": arguments}
        return path


def warm(path: Path, timeout: float) -> None:
    """Reads a file, or those of a directory, into the system's cache, so that no program pays for the disk."""
    subprocess.run(["cat", *map(str, files_of(path))], stdout=subprocess.DEVNULL, timeout=timeout)


def files_of(corpus: Path) -> list:
    """The files of a collection that was given: itself, or the JSONL files of the directory, by name."""
    files = sorted(corpus.glob("*.jsonl")) if corpus.is_dir() else [corpus]
    if not files or not all(file.is_file() for file in files):
        raise Failed(f"{corpus}: no JSONL file there")
    return files


def size_of(corpus: Path) -> int:
    """Bytes of a collection."""
    return sum(file.stat().st_size for file in files_of(corpus))


def first_documents(path: Path, few: int, work: Path) -> Path:
    """The first documents of a collection as a file of their own; the collection itself if it has no more."""
    part = work / f"{path.stem}-first-{few}.jsonl"
    with path.open("rb") as file:
        if sum(1 for _ in islice(file, few + 1)) <= few:
            return path
        file.seek(0)
        with part.open("wb") as out:
            out.writelines(islice(file, few))
    return part


def one_file(corpus: Path, work: Path) -> Path:
    """The collection as one file, for programs that read one: itself, or a copy in `work` of what a directory has."""
    files = files_of(corpus)
    if files == [corpus]:
        return corpus
    path = work / f"corpus-{corpus.name}.jsonl"
    with path.open("wb") as out:
        for file in files:
            with file.open("rb") as part:
                shutil.copyfileobj(part, out)
    return path


def programs(binaries: Path, *names: str) -> dict:
    """Where each program lies in `binaries`."""
    found = {name: str(binaries / name) for name in names}
    for path in found.values():
        if not os.access(path, os.X_OK):
            raise Failed(f"{path} is missing: make bench-programs")
    return found


# --- tables ---------------------------------------------------------------------------------------

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


# --- the machine, and what a benchmark was asked ---------------------------------------------------

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


def revision(checkout: Path) -> str:
    """The commit of a checkout, in short; `?` where git cannot say."""
    command = ["git", "-C", str(checkout), "rev-parse", "--short", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=60).stdout.strip() or "?"
    except (OSError, subprocess.TimeoutExpired):
        return "?"


def introduce(about: dict, repeat: int) -> None:
    """Prints what was measured with."""
    memory = about["memory_bytes"] / 2**30
    print(f"{about['lookalike']}; {about['cpu']}, {CORES} cores, {memory:.0f} GiB; median of {repeat}")


def argument_parser(doc: str) -> argparse.ArgumentParser:
    """A parser with what every benchmark understands; `doc` is its module's text."""
    summary, _, rest = doc.partition("\n")
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=summary, epilog=rest, formatter_class=form)
    parser.add_argument("sources", nargs="*", metavar="SOURCE", help="text besides the samples")
    parser.add_argument("--corpus", type=Path, action="append", default=[], metavar="FILE",
                        help="a collection to measure as it is: a file or directory of JSONL with `id` and `text` "
                        "(may be given several times)")
    parser.add_argument("--work", type=Path, default=ROOT / "out/bench", help="where collections are kept (out/bench)")
    parser.add_argument("--documents", type=int, default=200_000, help="documents of mixed (%(default)s)")
    parser.add_argument("--repeat", type=int, default=3, help="rounds; the median counts (3)")
    parser.add_argument("--timeout", type=float, default=1800, help="seconds after which a program is stopped (1800)")
    parser.add_argument("--binaries", type=Path, default=ROOT / "target/release", help="where the programs lie")
    return parser


def arguments(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """What was typed, with absolute directories; that of the work exists."""
    given = parser.parse_args()
    given.work, given.binaries = given.work.resolve(), given.binaries.resolve()
    given.work.mkdir(parents=True, exist_ok=True)
    return given


def save(path: Path, raw: dict) -> None:
    """Writes every single figure."""
    path.write_text(json.dumps(raw, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    say(f"raw figures: {path}")
