"""One table of whole-run cases: inputs, the command's arguments, and the right outcome.

A case is a small input on which a reader, a rule or an option could lose a document. Each kind has several
instances; add yours to the table of its module (`CASES` in `checks/cases_*.py`). A case is run with its files in
a directory of its own, and compared as `Case` says.
"""
import importlib
import json
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

from checks.harness import WORKERS, summary_of


@dataclass
class Case:
    """`files`: path to bytes, text, or a function that writes the file. What is None is not compared."""

    kind: str
    name: str
    files: dict
    args: list
    kept: int | None = None
    removed: dict | None = None
    problems: int | None = None
    code: int = 0
    stderr: list = field(default_factory=list)
    stdin: str | None = None
    env: dict | None = None
    # Further conditions: gets the Run, returns the text of what is wrong, or None.
    check: Callable | None = None
    # Without this, `--output OUT --tables jsonl` is appended.
    no_output: bool = False


class Run:
    """What a case's command left."""

    def __init__(self, folder: Path, out: Path, done):
        self.folder, self.out = folder, out
        self.code, self.stdout, self.stderr = done.returncode, done.stdout, done.stderr
        self.summary = summary_of(out)

    def table(self, name: str) -> list:
        with open(self.out / f"{name}.jsonl", encoding="utf-8") as rows:
            return [json.loads(row) for row in rows]


def differences(case: Case, run: Run) -> list:
    wrong = []
    if run.code != case.code:
        wrong.append(f"exit code {run.code}, not {case.code}")
    wrong += [f"stderr lacks {text!r}" for text in case.stderr if text not in run.stderr]
    removed = {rule: count for rule, count in run.summary.get("removed", {}).items() if count}
    for what, expected, found in (
        ("kept", case.kept, run.summary.get("kept")),
        ("removed", case.removed, removed),
        ("problems", case.problems, run.summary.get("problems")),
    ):
        if expected is not None and expected != found:
            wrong.append(f"{what}: {found}, not {expected}")
    if not wrong and case.check and (reason := case.check(run)):
        wrong.append(reason)
    return wrong


def write(folder: Path, files: dict) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if callable(content):
            content(path)
        else:
            path.write_bytes(content.encode() if isinstance(content, str) else content)


def tables() -> list:
    """The cases of all modules `cases_*`, by name of the module."""
    modules = sorted(path.stem for path in Path(__file__).parent.glob("cases_*.py"))
    return [case for name in modules for case in importlib.import_module(f"checks.{name}").CASES]


def cases(c) -> None:
    """The table of cases by kind."""

    def run(number: int, case: Case) -> None:
        folder = c.work / "cases" / str(number)
        folder.mkdir(parents=True)
        write(folder, case.files)
        out = folder.with_name(f"{number}-out")
        args = case.args if case.no_output else [*case.args, "--output", out, "--tables", "jsonl"]
        done = Run(folder, out, c.run(*args, cwd=folder, stdin=case.stdin, env=case.env))
        wrong = differences(case, done)
        c.check(f"cases: {case.kind}: {case.name}", not wrong, "; ".join([*wrong, done.stderr[-600:]]))
        shutil.rmtree(folder)
        shutil.rmtree(out, ignore_errors=True)

    all_cases = tables()
    names = [(case.kind, case.name) for case in all_cases]
    c.check("cases: names differ", len(set(names)) == len(names), [name for name in names if names.count(name) > 1])
    with ThreadPoolExecutor(WORKERS) as pool:
        for job in [pool.submit(run, *item) for item in enumerate(all_cases)]:
            job.result()
