#!/usr/bin/env python3
"""Stops lookalike at chosen operations and fails its disk: the results must not show it.

    check_kills.py path/to/lookalike [--long] [--seed N] [PART...]
    check_kills.py path/to/lookalike --case CASE [--repeat N]

Parts:
    kills   A run is stopped by SIGKILL (between two operations, within a write, or with the end of a write lost),
            SIGTERM or SIGINT, on 1, 2 and 8 threads, and resumed; most are stopped again while they resume. The
            result has the same bytes as that of an undisturbed run, and nothing else is left.
    power   As kills, and what was written but not yet synced is lost, too.
    disk    A write, sync, rename, open or mkdir fails, once or from then on. The run says what failed and what to
            do, leaves no half result, and once the disk is repaired the same command gives the same bytes.
    reads   As disk, for reads of spill files and of what is resumed.
    inputs  A read of an input fails, once or whenever it is repeated. The run fails, names the file and writes nothing; with --skip-unreadable it
            either does the same or goes on without the rest of that file, and has every document of the others.

Operations are numbered by a library that is preloaded (tests/disk/failing_disk.c, compiled here), so a point can be
hit again. Without --long a seeded sample runs: 40 stops, the first 20 operations and every 100th one of the
failing disk; with it, all of them. Each failure prints the CASE that repeats it. Exit code 0 only if all passed and
something ran; 3 without a C compiler. Other systems than Linux are skipped, and that is said. Standard library only.
"""
import argparse
import gzip
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from kill_jobs import Job, jobs_of
from checks.harness import tree_of

HERE = Path(__file__).resolve().parent
DISK = HERE.parent / "disk" / "failing_disk.c"
PARTS = ("kills", "power", "disk", "reads", "inputs")
WORKERS = 2
THREADS = (1, 2, 8)
# Seconds after which a run counts as hanging. Undisturbed ones take one or two.
HANGS = 120
# What a message advises, at least one of them.
ADVICE = re.compile(r"--resume|--scratch|--output|run again|rename it|remove |delete |free some|check the disk")


# --- cases ----------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Strike:
    """What happens to one run: an action of failing_disk.c at its operation `at`."""
    action: str
    at: int
    signal: int = 9
    threads: int = 1
    delay: int = 0
    counts: str = "changes"

    def environment(self) -> dict:
        return {"DISK_ACTION": self.action, "DISK_AT": self.at, "DISK_SIGNAL": self.signal, "DISK_DELAY": self.delay, "DISK_COUNT": self.counts}

    def __str__(self) -> str:
        return f"{self.action}@{self.at},{self.signal},j{self.threads},{self.delay},{self.counts}"

    @staticmethod
    def read(text: str) -> "Strike":
        action, rest = text.split("@")
        at, number, threads, delay, counts = rest.split(",")
        return Strike(action, int(at), int(number), int(threads[1:]), int(delay), counts)


@dataclass(frozen=True)
class Case:
    part: str
    job: str
    strikes: tuple
    # Of the run that nothing happens to.
    threads: int

    def __str__(self) -> str:
        return ":".join([self.part, self.job, *map(str, self.strikes), f"j{self.threads}"])

    @staticmethod
    def read(text: str) -> "Case":
        part, job, *strikes, threads = text.split(":")
        return Case(part, job, tuple(map(Strike.read, strikes)), int(threads[1:]))


@dataclass
class Done:
    code: int
    errors: str
    # The log of its operations: call, bytes, path.
    operations: list


class Harness:
    def __init__(self, binary: Path, work: Path, seed: int, long: bool):
        self.binary, self.work, self.seed, self.long = binary, work, seed, long
        self.library = work / "failing_disk.so"
        self.lock = threading.Lock()
        self.passed = 0
        # What went wrong, by kind: the cases and details.
        self.failures: dict = defaultdict(list)
        self.figures: Counter = Counter()
        self.truths: dict = {}
        self.older: Path = work / "older"
        self.operations: dict = {}
        # The files that the jobs of the part `inputs` read.
        self.inputs_of_jobs: list = []
        self.number = 0

    def check(self, kind: str, case, ok: bool, detail="") -> bool:
        with self.lock:
            self.passed += bool(ok)
            if not ok:
                self.failures[kind].append((str(case), str(detail)))
                if len(self.failures[kind]) <= 3:
                    detail = str(detail)
                    print(f"FAILED: {kind}: --case '{case}': {detail if len(detail) < 1200 else f'{detail[:800]} ... {detail[-400:]}'}", flush=True)
        return bool(ok)

    def count(self, *names) -> None:
        with self.lock:
            self.figures.update(names)

    # --- single runs ------------------------------------------------------------------------------

    def folder(self) -> Path:
        with self.lock:
            self.number += 1
            folder = self.work / "cases" / str(self.number)
        folder.mkdir(parents=True)
        return folder

    def run(self, job: Job, out: Path, strike: Strike) -> Done:
        log = self.work / "logs" / f"{out.parent.name}-{time.monotonic_ns()}"
        log.parent.mkdir(exist_ok=True)
        watched = {"LD_PRELOAD": self.library, "DISK_UNDER": job.watches or out.parent, "DISK_LOG": log, **job.environment, **strike.environment()}
        process = subprocess.Popen(
            job.command(self.binary, out, strike.threads), env={**os.environ, **{name: str(value) for name, value in watched.items()}},
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
        )
        try:
            errors = process.communicate(timeout=HANGS)[1]
            code = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            errors, code = process.communicate()[1] + f"\nhung for {HANGS} seconds", "hangs"
        operations = []
        if log.exists():
            # Threads write their lines in another order than they took their numbers.
            lines = [line.split(" ", 3) for line in log.read_text(encoding="utf-8", errors="replace").splitlines()]
            operations = [(call, int(size), path) for _, call, size, path in sorted(lines, key=lambda line: int(line[0]))]
            log.unlink()
        return Done(code, errors, operations)

    def placed(self, job: Job) -> Path:
        """An output directory in a folder of its own, with an older result in its place where the job replaces one."""
        out = self.folder() / "out"
        if job.replaces:
            shutil.copytree(self.older, out)
        return out

    def state_of(self, job: Job, out: Path) -> str:
        """What has the output's name: nothing, the old or the new result, or something else."""
        if not out.exists():
            return "nothing"
        try:
            tree = self.tree(out)
        except (OSError, ValueError, KeyError) as error:
            return f"a half result ({error})"
        if out.is_dir() and not (out / "report.html").read_bytes().rstrip().endswith(b"</html>"):
            return "a half report"
        if tree == self.truths[job.name]:
            return "new"
        if job.replaces and tree == self.truths["older"]:
            return "old"
        truth = self.truths[job.name]
        differ = [name for name in sorted({*tree, *truth}) if tree.get(name) != truth.get(name)]
        return f"another result: {differ[:8]}{self.told(tree, truth)}"

    @staticmethod
    def tree(out: Path) -> dict:
        """The content of a result: a directory, or the one file of a lexicon."""
        return {"": out.read_bytes()} if out.is_file() else tree_of(out)

    @staticmethod
    def told(tree: dict, truth: dict) -> str:
        """The first lines of the ledger that are not those of the truth."""
        for name in ("ledger.tsv", "documents.tsv"):
            if name in tree and name in truth:
                mine, right = tree[name].splitlines(), set(truth[name].splitlines())
                wrong = [line.decode(errors="replace") for line in mine if line not in right]
                if wrong:
                    return f"; {len(wrong)} wrong lines in {name}, for example {wrong[0]!r}"
        return ""

    def finished(self, case: Case, job: Job, out: Path, done: Done, named: str = "") -> bool:
        """The checks of a run that nothing happened to; what `named` speaks of may be left."""
        ok = self.check("resuming fails", case, done.code == 0, f"exit {done.code}: {done.errors}")
        state = self.state_of(job, out)
        ok &= self.check("other bytes than an undisturbed run", case, not ok or state == "new", state)
        left = [name for name in os.listdir(out.parent) if name != out.name and str(out.parent / name) not in named]
        return ok & self.check("something is left behind", case, not ok or not left, left)

    # --- what is stopped --------------------------------------------------------------------------

    def kills(self, case: Case) -> None:
        job = self.jobs[case.job]
        out = self.placed(job)
        for strike in case.strikes:
            done = self.run(job, out, strike)
            if done.code == 0:
                # It ended before that operation, or the signal came too late.
                self.count("ended before the stop")
                break
            self.count("stops", f"stops on {strike.threads} threads")
            self.count(f"stops by {strike.action} {signal.Signals(strike.signal).name}")
            wanted = -9 if strike.signal == 9 else 128 + strike.signal
            if strike.signal == 9 or done.code != 0:
                self.check(f"exit code after {signal.Signals(strike.signal).name}", case, done.code == wanted, f"exit {done.code}, not {wanted}: {done.errors}")
            if not self.check("a panic", case, "panicked" not in done.errors and done.code != 101, done.errors):
                break
            state = self.state_of(job, out)
            # A run that is killed between the two renames of --force may leave nothing; the next run has to put it right.
            self.check("a half result after a stop", case, state in ("nothing", "new", "old"), state)
            if state == "new" and not job.replaces:
                # The result was in place, and only the cleaning was left.
                self.count("stopped when the result was in place")
                self.cleaned(case, job, out)
                shutil.rmtree(out.parent)
                return
            if case.part == "power":
                self.cut(out, done.operations, random.Random(str(case)))
        done = self.run(job, out, Strike("none", 0, threads=case.threads)) if done.code != 0 else done
        self.count("resumes", f"resumes on {case.threads} threads")
        self.finished(case, job, out, done)
        shutil.rmtree(out.parent, ignore_errors=True)

    def cleaned(self, case: Case, job: Job, out: Path) -> None:
        """A run was stopped after its result was in place: the same command ends well and cleans."""
        done = self.run(job, out, Strike("none", 0, threads=case.threads))
        ok = self.check("refused after a stop when the result was in place", case, done.code == 0, f"exit {done.code}: {done.errors}")
        left = [name for name in os.listdir(out.parent) if name != out.name]
        self.check("something is left behind", case, not ok or not left, left)
        self.check("other bytes than an undisturbed run", case, self.state_of(job, out) == "new", self.state_of(job, out))

    @staticmethod
    def cut(out: Path, operations: list, rng: random.Random) -> None:
        """The power fails: of each file, what was written since its last sync is lost, as zeros or altogether."""
        written: dict = {}
        for call, size, path in operations:
            if call in ("write", "writev", "pwrite"):
                written[path] = written.get(path, 0) + size
            elif call in ("fsync", "fdatasync"):
                written.pop(path, None)
            elif call == "rename":
                # The log has the new name alone; lookalike renames NAME.partial to NAME or NAME.json.
                old = str(Path(path).with_suffix(".partial"))
                if old in written:
                    written[path] = written.pop(old)
        for path, size in written.items():
            path = Path(path)
            if path.is_file() and out not in path.parents:
                content = path.read_bytes()
                kept = max(0, len(content) - rng.randint(1, size)) if size else len(content)
                path.write_bytes(content[:kept] + rng.choice([b"", bytes(len(content) - kept)]))

    # --- what fails -------------------------------------------------------------------------------

    def fails(self, case: Case) -> None:
        job = self.jobs[case.job]
        out = self.placed(job)
        said = ""
        for strike in case.strikes:
            done = self.run(job, out, strike)
            hit = len(done.operations) >= strike.at
            if strike.action in ("kill", "torn"):
                continue
            stays = ""
            self.count("failing operations" if hit else "ended before the failure", f"failing operations on {strike.threads} threads")
            if hit:
                call, _, path = done.operations[strike.at - 1]
                detail = f"{call} {path}: exit {done.code}: {done.errors}"
                self.count(f"failing operations: {call}")
                # A temporary file that cannot be removed stays, and does no harm.
                stays = path if call == "unlink" and done.code == 0 and Path(path).parent == out.parent else ""
            else:
                detail = f"exit {done.code}: {done.errors}"
            said = done.errors
            self.check("a failing disk: hangs", case, done.code != "hangs", detail)
            self.check("a failing disk: a panic", case, "panicked" not in done.errors and done.code != 101, detail)
            self.check("a failing disk: exit code", case, done.code in (0, 1), detail)
            state = self.state_of(job, out)
            wanted = ("new",) if done.code == 0 else ("new", "old") if job.replaces else ("new", "nothing")
            whole = re.search(r"whole result is in (\S+?),", said)
            if whole and state == "nothing" and job.replaces:
                wanted = (*wanted, "nothing")
            self.check("a failing disk: a half result", case, state in wanted, f"{state}: {detail}")
            if whole:
                found = self.state_of(job, Path(whole[1]))
                self.check("a failing disk: the whole result is not where the message says", case, found == "new", f"{found}: {detail}")
            left = [name for name in os.listdir(out.parent) if name != out.name and str(out.parent / name) not in said and str(out.parent / name) != stays]
            if done.code == 0:
                self.check("a failing disk: something is left in silence", case, not left, f"{left}: {detail}")
            elif done.code == 1:
                self.check("a failing disk: the message names no path", case, str(out.parent) in said, detail)
                self.check("a failing disk: the message says not what to do", case, ADVICE.search(said), detail)
            if state == "new" and not job.replaces:
                if done.code == 1:
                    self.check("a failing disk: the message says not that the result is in place", case, re.search(r"in place|is whole|is complete|was written", said), detail)
                    self.check("a failing disk: what is left is not named", case, not left, f"{left}: {detail}")
                shutil.rmtree(out.parent, ignore_errors=True)
                return
        done = self.run(job, out, Strike("none", 0, threads=case.threads))
        self.count("runs after the repair")
        self.finished(case, job, out, done, said)
        shutil.rmtree(out.parent, ignore_errors=True)

    @staticmethod
    def records(path: Path) -> list:
        """The records of a file, in no order; CSV without its header."""
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        return sorted(content.splitlines()[path.suffix == ".csv":])

    def lost(self, out: Path, unreadable: str) -> list:
        """The inputs whose records are neither kept nor removed, but for the unreadable one and those that Python cannot read."""
        paths = [path for path in self.inputs_of_jobs if path.name != unreadable and path.suffix in (".jsonl", ".csv", ".gz")]
        halves = {path: [out / role / path.name for role in ("kept", "removed")] for path in paths}
        return [path.name for path in paths
                if self.records(path) != sorted(line for half in halves[path] if half.exists() for line in self.records(half))]

    def inputs(self, case: Case) -> None:
        job = self.jobs[case.job]
        out = self.placed(job)
        [strike] = case.strikes
        done = self.run(job, out, strike)
        if len(done.operations) < strike.at:
            self.count("ended before the failure")
            self.check("an unreadable input: ends well before the failure", case, done.code == 0, done.errors)
            shutil.rmtree(out.parent)
            return
        call, _, path = done.operations[strike.at - 1]
        detail = f"{call} {path}: exit {done.code}: {done.errors}"
        self.count(f"failing reads of inputs: {call}")
        name = Path(path).name
        if "--skip-unreadable" in job.arguments and done.code == 0 and name in done.errors:
            self.count("went on without the rest of an input")
            lost = self.lost(out, name)
            self.check("an unreadable input: documents of other files are lost", case, not lost, f"{lost}: {detail}")
        elif done.code == 0:
            # What could not be read was not needed, or was read again.
            lost = self.lost(out, "none")
            self.check("an unreadable input: documents are lost", case, not lost, f"{lost}: {detail}")
        elif "--skip-unreadable" in job.arguments and done.code == 3:
            # It could not be read by the first pass and can be by the second: what was decided holds no more.
            self.check("an unreadable input: is not said to have changed", case, "changed during the run" in done.errors, detail)
        else:
            self.check("an unreadable input: exit code", case, done.code == 1, detail)
            self.check("an unreadable input: is not named", case, name in done.errors, detail)
            self.check("an unreadable input: something is written", case, not os.listdir(out.parent), f"{os.listdir(out.parent)}: {detail}")
        shutil.rmtree(out.parent)

    def carry_out(self, case: Case) -> None:
        try:
            {"kills": self.kills, "power": self.kills, "inputs": self.inputs}.get(case.part, self.fails)(case)
        except Exception as error:  # a fault of the harness must not pass for success
            self.check("the harness failed", case, False, repr(error))

    # --- undisturbed runs -------------------------------------------------------------------------

    def prepare(self, kills: list, disk: list, inputs: list) -> None:
        """The truth of each job, the same on any number of threads, and its operations."""
        self.jobs = {job.name: job for job in (*kills, *disk, *inputs)}
        older = Job("older", [*self.jobs["plain"].arguments, "--threshold", "0.5"], resumes=False)
        self.run(older, self.older, Strike("none", 0))
        self.truths["older"] = tree_of(self.older)
        # What `recluster` reads.
        pairs = Job("pairs", ["cluster", *self.jobs["plain"].arguments[1:], "--threshold", "0.5"], resumes=False)
        self.run(pairs, self.work / "docs" / "pairs", Strike("none", 0))

        def one(job: Job) -> None:
            for threads in THREADS:
                out = self.placed(job)
                done = self.run(job, out, Strike("none", 0, threads=threads))
                label = f"undisturbed:{job.name}:j{threads}"
                if not self.check("undisturbed", label, done.code == 0 and len(done.operations) > 5, f"exit {done.code}, {len(done.operations)} operations: {done.errors}"):
                    continue
                if job.name not in self.truths:
                    self.truths[job.name] = self.tree(out)
                    if job.checker is not None and "tsv" in job.arguments:
                        self.audit(label, job, out)
                self.check("undisturbed: other bytes on other threads", label, self.state_of(job, out) == "new", self.state_of(job, out))
                self.check("undisturbed: something is left", label, os.listdir(out.parent) == ["out"], os.listdir(out.parent))
                self.operations[job.name, threads] = done.operations
                shutil.rmtree(out.parent)
                named = [call for call, _, path in done.operations if call in ("rename", "exchange") and path == str(out)]
                self.check("undisturbed: the library does not see how the result gets its name", label, named)
            if job.name == "templates":
                self.check("undisturbed: no warning of a template", job.name, b'"template_sites"' in self.truths.get(job.name, {}).get("summary.json", b""))
            if job.name == "spill":
                # The library names a file without a name by its folder and its number, "(deleted)".
                spilled = [path for call, _, path in self.operations.get((job.name, 1), []) if call in ("write", "pwrite") and path.endswith("(deleted)")]
                self.check("undisturbed: nothing spills", job.name, spilled)

        with ThreadPoolExecutor(WORKERS) as pool:
            list(pool.map(one, [job for job in self.jobs.values() if job.watches is None]))
        self.prepare_inputs([job for job in self.jobs.values() if job.watches is not None])

    def prepare_inputs(self, jobs: list) -> None:
        """Counts the reads of inputs."""
        for job in jobs:
            out = self.placed(job)
            done = self.run(job, out, Strike("none", 0, counts="reads"))
            if self.check("undisturbed", f"undisturbed:{job.name}", done.code == 0 and len(done.operations) > 50, f"exit {done.code}, {len(done.operations)} reads: {done.errors}"):
                self.operations[job.name, 1] = done.operations
                self.inputs_of_jobs = sorted(path for path in job.watches.iterdir() if path.is_file())
                lost = self.lost(out, "none")
                self.check("undisturbed: documents are lost", job.name, len(self.inputs_of_jobs) > 10 and not lost, lost)
            shutil.rmtree(out.parent)

    def audit(self, label: str, job: Job, out: Path) -> None:
        done = subprocess.run([sys.executable, str(HERE / "check_run.py"), str(out), *job.checker], capture_output=True, text=True)
        wrong = [line for line in done.stdout.splitlines() if not line.startswith("ok")]
        # Only shingles of words of the usual size are compared here; check_run.py reads the settings from the summary.
        self.check("undisturbed: not what check_run.py computes", label, done.returncode == 0, "\n".join([*wrong, done.stderr]))

    # --- which cases ------------------------------------------------------------------------------

    def later(self, rng: random.Random, left: int, stops: int) -> list:
        """Further stops, each in what is left to do."""
        strikes = []
        for _ in range(stops):
            at = rng.randint(1, max(left, 10) + 15)
            action, number = rng.choice([("kill", 9), ("torn", 9), ("halt", 9), ("kill", 15), ("kill", 2)])
            strikes.append(Strike(action, at, number, rng.choice(THREADS), rng.choice([0, 0, 300])))
        return strikes

    def kill_cases(self, part: str, jobs: list) -> list:
        rng = random.Random(f"{self.seed} {part}")
        cases = []
        for job in jobs:
            for threads in THREADS:
                operations = self.operations.get((job.name, threads), [])
                for at in range(1, len(operations) + 1):
                    writes = operations[at - 1][0] in ("write", "writev", "pwrite")
                    ways = [("torn" if writes else "kill", 9)]
                    if part == "kills":
                        ways += {0: [("kill", 15)], 2: [("kill", 2)]}.get(at % 4, [("halt", 9)] if writes else [])
                    for action, number in ways:
                        first = Strike(action, at, number, threads, rng.choice([0, 0, 300]) if threads > 1 else 0)
                        more = self.later(rng, len(operations) - at, rng.choice([0, 0, 1, 1, 2, 3]))
                        cases.append(Case(part, job.name, (first, *more), rng.choice((1, 2, 3, 8))))
        return cases

    def sample(self, part: str, cases: list, n: int) -> list:
        """Of all cases so many: each job and number of threads has its turn, and half of them are stopped while texts are read."""
        rng = random.Random(f"{self.seed} sample {part}")
        groups = defaultdict(list)
        for case in cases:
            first = case.strikes[0]
            path = self.operations[case.job, first.threads][first.at - 1][2]
            groups[case.job, first.threads, path.endswith("/chunks")].append(case)
        # Reading on one thread is the least likely to go wrong.
        order = sorted(groups, key=lambda key: (key[1] == 1, rng.random()))
        chosen: list = []
        while order and len(chosen) < n:
            chosen += [rng.choice(groups[key]) for key in order][:n - len(chosen)]
        return chosen

    def while_removing(self, cases: list, n: int) -> list:
        """Stops while an earlier result is removed, whose place the new one has taken: too few to be drawn often."""
        def removes(case: Case) -> bool:
            first = case.strikes[0]
            call, _, path = self.operations[case.job, first.threads][first.at - 1]
            return self.jobs[case.job].replaces and call in ("unlink", "rmdir") and "/out.partial-" in path
        found = [case for case in cases if removes(case)]
        return found[::max(1, len(found) // n)][:n]

    def disk_cases(self, jobs: list) -> list:
        rng = random.Random(f"{self.seed} disk")
        cases = []
        for job in jobs:
            operations = self.operations.get((job.name, 1), [])
            for action in ("full", "fail", "short"):
                for at, (call, size, _) in enumerate(operations, 1):
                    if (action == "short" and size < 2) or (action == "full" and call not in ("write", "writev", "pwrite", "open", "mkdir", "copy_file_range", "sendfile")):
                        continue
                    cases.append(Case("disk", job.name, (Strike(action, at),), rng.choice(THREADS)))
            for threads in THREADS[1:]:
                for _ in range(len(operations) // 4):
                    at = rng.randint(1, len(operations))
                    cases.append(Case("disk", job.name, (Strike(rng.choice(["full", "fail", "short"]), at, threads=threads, delay=rng.choice([0, 300])),), rng.choice(THREADS)))
        return cases

    def read_cases(self, jobs: list) -> list:
        rng = random.Random(f"{self.seed} reads")
        cases = []
        for job in jobs:
            operations = self.operations.get((job.name, 1), [])
            for at in range(1, len(operations) + 1, 4):
                # A run that was stopped, and one that goes on and cannot read what it needs.
                before = (Strike("kill", at),) if job.resumes else ()
                reads = rng.choice([rng.randint(1, 12), rng.randint(1, 60)])
                failing = Strike("fail", reads, threads=rng.choice(THREADS), counts="reads")
                cases.append(Case("reads", job.name, (*before, failing), rng.choice(THREADS)))
        return cases

    def input_cases(self, jobs: list) -> list:
        rng = random.Random(f"{self.seed} inputs")
        cases = []
        for job in jobs:
            for at in range(1, len(self.operations.get((job.name, 1), [])) + 1):
                # On several threads another read may have that number: the log tells which.
                threads = rng.choice(THREADS)
                for action in ("fail", "damaged"):
                    cases.append(Case("inputs", job.name, (Strike(action, at, threads=threads, counts="reads"),), threads))
        return cases

    def cases(self, parts: list, kills: list, disk: list, inputs: list) -> list:
        cases = []
        if "kills" in parts:
            every = self.kill_cases("kills", kills)
            cases += every if self.long else self.sample("kills", every, 40) + self.while_removing(every, 6)
        if "power" in parts:
            every = self.kill_cases("power", [job for job in kills if job.name in ("dedup", "cluster-memory", "force")])
            cases += every if self.long else self.sample("power", every, 4)
        if "disk" in parts:
            every = self.disk_cases(disk)
            cases += every if self.long else every[:20] + every[99::100]
        if "reads" in parts:
            every = self.read_cases([job for job in disk if job.name in ("dedup", "cluster-memory", "spill")])
            cases += every if self.long else every[::len(every) // 6]
        if "inputs" in parts:
            every = self.input_cases(inputs)
            cases += every if self.long else random.Random(self.seed).sample(every, min(60, len(every)))
        return cases

    def all(self, cases: list) -> None:
        with ThreadPoolExecutor(WORKERS) as pool:
            for number, _ in enumerate(pool.map(self.carry_out, cases), 1):
                if self.long and number % 1000 == 0:
                    print(f"... {number} of {len(cases)} cases, {sum(map(len, self.failures.values()))} failures", flush=True)

    def report(self) -> int:
        for name in sorted(self.figures):
            print(f"  {name}: {self.figures[name]}")
        for kind, found in sorted(self.failures.items()):
            print(f"FAILED: {kind}: {len(found)} times, for example --case '{found[0][0]}'")
        failed = sum(map(len, self.failures.values()))
        print(f"{self.passed} passed, {failed} failed")
        return 1 if failed or not self.passed else 0


def self_test(harness: Harness) -> None:
    """The library does what it says, seen with a program that is not lookalike."""
    script = (
        "import os,sys\n"
        "os.mkdir('d')\n"
        "f=os.open('d/x',os.O_WRONLY|os.O_CREAT)\n"
        "left=b'0123456789'\n"
        "while left: left=left[os.write(f,left):]\n"
        "os.fsync(f)\n"
        "os.rename('d/x','d/y')\n"
    )
    wanted = {
        # The exit code, the file, and what is in it.
        ("none", 0): (0, "y", b"0123456789"), ("kill", 3): (-9, "x", b""), ("torn", 3): (-9, "x", b"01234"), ("halt", 3): (-9, "x", b"01234"),
        ("fail", 3): (1, "x", b""), ("fail", 5): (1, "x", b"0123456789"), ("short", 3): (1, "x", b"01234"), ("full", 1): (1, None, b""),
        ("full", 4): (0, "y", b"0123456789"), ("kill", 5): (-9, "x", b"0123456789"),
    }
    for (action, at), (code, name, content) in wanted.items():
        folder = harness.folder()
        watched = {"LD_PRELOAD": harness.library, "DISK_UNDER": folder, "DISK_LOG": folder.with_name(f"log-{folder.name}"), "DISK_ACTION": action, "DISK_AT": at}
        done = subprocess.run([sys.executable, "-S", "-c", script], cwd=folder, env={**os.environ, **{key: str(value) for key, value in watched.items()}}, capture_output=True, text=True)
        found = [path for path in folder.rglob("*") if path.is_file()]
        ok = done.returncode == code and [path.name for path in found] == ([name] if name else []) and (not found or found[0].read_bytes() == content)
        harness.check("the library", f"{action}@{at}", ok, f"exit {done.returncode}, {found}, {done.stderr}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", type=Path)
    parser.add_argument("parts", nargs="*", metavar="PART")
    parser.add_argument("--long", action="store_true", help="all cases instead of a sample")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", action="append", help="repeat one case")
    parser.add_argument("--repeat", type=int, default=1, help="how often")
    parser.add_argument("--only", action="append", metavar="JOB", help="these jobs alone")
    parser.add_argument("--limit", type=int, help="at most so many cases of each part, drawn by the seed")
    options = parser.parse_args()
    parts = options.parts or [*PARTS]
    if unknown := set(parts) - {*PARTS}:
        parser.error(f"there is no part {', '.join(sorted(unknown))}")
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if not sys.platform.startswith("linux"):
        print(f"SKIPPED, NOT PASSED: {len(parts)} parts of check_kills.py ({', '.join(parts)}): their library needs Linux; 0 cases ran", flush=True)
        return 0
    if not compiler:
        print(f"NOT RUN: {len(parts)} parts of check_kills.py ({', '.join(parts)}): there is no C compiler; install cc, or name one by CC", flush=True)
        return 3
    work = Path(tempfile.mkdtemp(prefix="lookalike-kills-"))
    started = time.monotonic()
    try:
        harness = Harness(options.binary.resolve(), work, options.seed, options.long)
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-pthread", "-o", str(harness.library), str(DISK), "-ldl"], check=True)
        self_test(harness)
        large = options.long or any(":large" in case for case in options.case or [])
        kills, disk, inputs = jobs_of(work / "docs", options.seed, large)
        if options.only:
            kills = [job for job in kills if job.name in (*options.only, "plain")]
        harness.prepare(kills, disk, inputs)
        if options.case:
            cases = [Case.read(text) for text in options.case for _ in range(options.repeat)]
        else:
            cases = harness.cases(parts, kills, disk, inputs)
            if options.only:
                cases = [case for case in cases if case.job in options.only]
            if options.limit and options.limit < len(cases):
                cases = random.Random(options.seed).sample(cases, options.limit)
        print(f"{len(cases)} cases after {time.monotonic() - started:.0f} s", flush=True)
        harness.all(cases)
        if any(case.part == "inputs" for case in cases) and not options.case and not options.limit:
            harness.check("an unreadable input: no run went on without it", "inputs", harness.figures["went on without the rest of an input"])
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"{len(cases)} cases in {time.monotonic() - started:.0f} s, {used.ru_utime + used.ru_stime:.0f} s of processor time")
        return harness.report()
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
