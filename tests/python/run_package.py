#!/usr/bin/env python3
"""Builds the Python package into a virtual environment of its own and runs its tests.

    python3 tests/python/run_package.py [--command BINARY] [--keep] [PYTEST ARGUMENT…]

Steps: a fresh environment below out/package, the pinned requirements of bindings/python/tests/requirements.txt from the
package index, the wheel (in the profile and with the features that `cargo test` uses, so that most of it is compiled
already), the tests and the examples of all docstrings, `mypy --strict`, and `stubtest`, which compares the stubs with the
extension module; then the tests on Ray Data, Dask and Daft, and on a Spark cluster of this machine, where there is Java (without it
they are skipped, which fails if CI is set).
--keep uses the environment of an earlier run. Prints the time of each step.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "bindings/python"
OUT = ROOT / "out/package"


#: What pytest ends with if the arguments deselect all tests.
NO_TESTS = 5


def step(name: str, command: list[str | Path], good: tuple[int, ...] = (0,), **options: object) -> None:
    began = time.monotonic()
    ended = subprocess.run([str(part) for part in command], **options).returncode  # type: ignore[call-overload]
    print(f"package: {name}: {'done' if ended in good else 'FAILED'}, {time.monotonic() - began:.0f} s", flush=True)
    if ended not in good:
        sys.exit(1)


def has_java() -> bool:
    home = os.environ.get("JAVA_HOME")
    return bool(shutil.which("java", path=f"{home}/bin") if home else shutil.which("java"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", type=Path, help="the command, whose results the package has to equal")
    parser.add_argument("--keep", action="store_true", help="use the environment of an earlier run")
    options, arguments = parser.parse_known_args()
    if sys.version_info < (3, 11):
        sys.exit("package: the pinned requirements need Python 3.11 or newer")

    environment = OUT / "venv"
    python = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not options.keep or not python.exists():
        shutil.rmtree(environment, ignore_errors=True)
        step("environment", [sys.executable, "-m", "venv", environment])
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        step("requirements", [*pip, "-r", PACKAGE / "tests/requirements.txt"])

    wheels = OUT / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    build = [python, "-m", "maturin", "build", "--profile", "dev", "--features", "workspace", "--locked", "--quiet"]
    step("wheel", [*build, "--out", wheels], cwd=PACKAGE)
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--force-reinstall", "--no-deps"]
    step("install", [*pip, *sorted(wheels.glob("*.whl"))])

    variables = dict(os.environ)
    if options.command:
        variables["LOOKALIKE_COMMAND"] = str(options.command.resolve())
    # Away from the sources: what is tested is what was installed.
    tests = OUT / "tests"
    shutil.rmtree(tests, ignore_errors=True)
    shutil.copytree(PACKAGE / "tests", tests, ignore=shutil.ignore_patterns("__pycache__"))
    variables["LOOKALIKE_ROOT"] = str(ROOT)
    pytest = [python, "-m", "pytest", "-q", "-ra", "-p", "no:cacheprovider", "--strict-markers", "--rootdir", tests]
    good = (0, NO_TESTS) if arguments else (0,)
    spark, engines = tests / "spark", tests / "engines"
    step("tests", [*pytest, tests, "--ignore", spark, "--ignore", engines, *arguments], good, cwd=OUT, env=variables)
    examples = ["--doctest-modules", "--pyargs", "lookalike", "--import-mode", "importlib"]
    step("examples", [*pytest, *examples], cwd=OUT, env=variables)
    step("types", [python, "-m", "mypy", "--config-file", PACKAGE / "pyproject.toml", "-p", "lookalike"], cwd=OUT)
    stubtest = [python, "-m", "mypy.stubtest", "lookalike._lookalike", "--ignore-disjoint-bases"]
    step("stubs", stubtest, cwd=OUT)

    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    step("requirements of daft", [*pip, "-r", PACKAGE / "tests/requirements-daft.txt"])
    step("engines", [*pytest, engines, *arguments], good, cwd=OUT, env=variables)
    if has_java():
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        step("requirements of spark", [*pip, "-r", PACKAGE / "tests/requirements-spark.txt"])
        step("spark", [*pytest, spark, *arguments], good, cwd=OUT, env=variables)
    else:
        print("package: spark: SKIPPED, there is no Java", flush=True)
        if os.environ.get("CI"):
            sys.exit("package: spark: FAILED, CI is set: install a Java runtime, 17 or newer")


if __name__ == "__main__":
    main()
