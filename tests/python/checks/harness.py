"""Runs the command, counts checks and reads result directories."""
import csv
import json
import os
import re
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
SAMPLES = HERE.parent.parent / "samples"
WORKERS = 2


def until(condition, seconds: float = 120):
    """What a condition gives once it holds; the last it gave if it never does."""
    end = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(0.02)
    return found


class Checks:
    """Counts what passed, and says what did not."""

    def __init__(self, binary: Path, work: Path):
        self.binary, self.work = binary, work
        self.passed = self.failed = 0
        self.lock = threading.Lock()

    def check(self, name: str, ok: bool, detail="") -> bool:
        with self.lock:
            self.passed, self.failed = self.passed + bool(ok), self.failed + (not ok)
            if not ok:
                print(f"FAILED: {name}: {str(detail)[-2000:]}", flush=True)
        return bool(ok)

    def run(self, *arguments, cwd=None, stdin=None, env=None) -> subprocess.CompletedProcess:
        """`env`: variables beside those that are there."""
        command = [str(part) for part in (self.binary, *arguments)]
        variables = {**os.environ, **{name: str(value) for name, value in (env or {}).items()}}
        return subprocess.run(command, cwd=cwd, input=stdin, capture_output=True, text=True, errors="replace", env=variables)

    def out(self, name: str) -> Path:
        """A result directory that does not exist yet."""
        return self.work / "out" / re.sub(r"\W+", "-", name)

    def checked(self, name: str, verb: str, inputs: list, *options, checker=(), cwd=None) -> None:
        """One run, and the independent check of it."""
        out = self.out(name)
        options = [*map(str, options)]
        done = self.run(verb, *inputs, "--output", out, "--tables", "tsv", "--quiet", *options, cwd=cwd)
        if not self.check(f"{name}: runs", done.returncode == self.expected(out), done.stderr):
            return
        audit = subprocess.run(
            [sys.executable, str(HERE / "check_run.py"), str(out), *map(str, inputs), *map(str, checker)],
            cwd=cwd, capture_output=True, text=True,
        )
        wrong = [line for line in audit.stdout.splitlines() if not line.startswith("ok")] + [audit.stderr]
        self.check(f"{name}: checked", audit.returncode == 0, "\n".join(wrong))

    @staticmethod
    def expected(out: Path) -> int:
        """The exit code of a run that wrote its result: 1 where it read not a single document."""
        return 0 if summary_of(out).get("documents") else 1 if out.exists() else 0

    def all_checked(self, runs: list) -> None:
        """Several such runs, two at a time. Each is (name, verb, inputs, options[, more])."""
        with ThreadPoolExecutor(WORKERS) as pool:
            jobs = [pool.submit(self.checked, *run[:3], *run[3], **(run[4] if len(run) > 4 else {})) for run in runs]
            for job in jobs:
                job.result()


def ledger_of(out: Path) -> dict:
    with open(out / "ledger.tsv", newline="", encoding="utf-8") as rows:
        reader = csv.DictReader(rows, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["removed_id"]: {**row, "kept": row["kept_id"]} for row in reader}


def tree_of(directory: Path) -> dict:
    """All files of a result, without what depends on the machine: path and content."""
    files = {}
    for path in sorted(directory.rglob("*")):
        if path.is_file() and path.name not in ("summary.json", "report.html", "config.toml"):
            files[str(path.relative_to(directory))] = path.read_bytes()
    summary = json.loads((directory / "summary.json").read_text(encoding="utf-8"))
    summary.pop("run", None)
    # The arguments are recorded in the order in which they were typed.
    summary["settings"].get("job", {}).pop("inputs", None)
    files["summary.json"] = json.dumps(summary, sort_keys=True).encode()
    return files


def summary_of(out: Path) -> dict:
    path = out / "summary.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def left_behind(folder: Path) -> list:
    return [path.name for path in folder.iterdir() if ".partial-" in path.name or ".replaced" in path.name]


def table_of(path: Path) -> list:
    with open(path, newline="", encoding="utf-8") as rows:
        return list(csv.reader(rows, delimiter="\t", quoting=csv.QUOTE_NONE))


def dict_table(path: Path) -> list:
    header, *rows = table_of(path)
    return [dict(zip(header, row)) for row in rows]


def as_setting(text: str) -> str:
    """A text of the terminal as it is stored: `--max-record` is the setting max_record."""
    return re.sub(r"--([a-z][a-z-]*)", lambda flag: "the setting " + flag[1].replace("-", "_"), text)
