#!/usr/bin/env python3
"""Stands in for Airflow where it is not installed: `airflow dags test DAG DAY` runs the bash tasks of one of the files in
AIRFLOW_HOME/dags, one after the other; `airflow dags reserialize` does nothing."""
import os
import subprocess
import sys
import types
from pathlib import Path

DAGS: dict = {}
TASKS: list = []


class Bash:
    """A task: what it runs, after those that were put before it by `>>`."""

    def __init__(self, function, cwd):
        self.function, self.cwd = function, cwd
        TASKS.append(self)

    def __rshift__(self, other):
        TASKS.remove(other)
        TASKS.append(other)
        return other


def bash(cwd=None):
    return lambda function: lambda: Bash(function, cwd)


def dag(**_):
    def named(function):
        DAGS[function.__name__] = function
        return lambda: None

    return named


def main() -> int:
    sdk = types.ModuleType("airflow.sdk")
    sdk.dag, sdk.task = dag, types.SimpleNamespace(bash=bash)
    sys.modules |= {"airflow": types.ModuleType("airflow"), "airflow.sdk": sdk}
    for path in sorted(Path(os.environ["AIRFLOW_HOME"], "dags").glob("*.py")):
        exec(compile(path.read_text(encoding="utf-8"), path, "exec"), {})
    if sys.argv[1:] == ["dags", "reserialize"]:
        return 0
    first, second, name, day = sys.argv[1:]
    assert (first, second) == ("dags", "test"), sys.argv
    DAGS[name]()
    for task in TASKS:
        subprocess.run(["bash", "-c", task.function(ds=day)], cwd=task.cwd, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
