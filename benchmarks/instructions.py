#!/usr/bin/env python3
"""Nothing in, the instructions that each hot step takes for a byte, a token, a shingle or a pair out, as a table.

    instructions.py [--only STEP,...] [--times N] [--repeat N] [--work DIR] [--binaries DIR] [--against FILE]

Times change with the day and with the neighbours of a rented machine; instructions do not. Each step is done by
target/release/step (research/src/bin/step.rs) on the project's samples, N times in one process and 2N times in
another, both under `valgrind --tool=cachegrind`, which counts every instruction. The difference is N repetitions and
nothing of what came before them, but for some ten thousand instructions that beginning takes now more and now less.
Instructions are not time: one that misses the cache costs a hundred that do not. They say whether the work of a step
grew, and in which step, to a quarter of a per cent.

Outputs: the table on standard output, every single count in DIR/instructions.json. With --repeat 2 everything is counted
twice; the largest difference is printed, and exit code 1 says that it is above 0.25 %. With --against an earlier
instructions.json, a column says what changed. Standard library only; valgrind has to be installed.
"""
import argparse
import concurrent.futures
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from measure import CORES, ROOT, Failed, programs, save, say, table

INSTALL = """valgrind is missing. Install it and come back:
  apt install valgrind         Debian, Ubuntu
  dnf install valgrind         Fedora
  pacman -S valgrind           Arch
There is none for macOS on ARM and none for Windows."""
VALGRIND = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
# Two counts of the same may differ by so much.
ALIKE = 0.0025


def instructions_of(report: str) -> int:
    """The count in what cachegrind prints: `==123== I   refs:      1,234,567`."""
    found = re.search(r"\bI\s+refs:\s+([\d,]+)", report)
    if not found:
        raise Failed(f"valgrind printed no count of instructions:\n{report[-2000:]}")
    return int(found[1].replace(",", ""))


def each(few: int, many: int, times: int, units: int) -> float:
    """Instructions for one unit, from the counts of `times` repetitions and of twice as many."""
    return (many - few) / times / units


def spread(values: list) -> float:
    """By how much of the least the greatest is above it."""
    return max(values) / min(values) - 1 if min(values) > 0 else float("inf")


class Counter:
    """Runs steps and counts."""

    def __init__(self, binaries: Path, timeout: float):
        self.step, self.timeout = programs(binaries, "step")["step"], timeout

    def steps(self) -> list:
        return json.loads(self.run([self.step]).stdout)

    def count(self, step: str, times: int) -> tuple:
        """The instructions of so many repetitions, and what the step says of itself."""
        done = self.run([*VALGRIND, self.step, "--step", step, "--times", str(times)])
        return instructions_of(done.stderr), json.loads(done.stdout)

    def run(self, command: list) -> subprocess.CompletedProcess:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=self.timeout)
        if done.returncode != 0:
            raise Failed(f"exit code {done.returncode}: {' '.join(command)}\n{done.stderr[-2000:]}")
        return done


def measure(counter: Counter, steps: list, times: int, repeat: int) -> list:
    """A row for each step. Several run at once: counts, unlike times, do not mind."""
    jobs = [(step["step"], times * factor) for step in steps for _ in range(repeat) for factor in (1, 2)]
    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        done = list(pool.map(lambda job: counter.count(*job), jobs))
    rows = []
    for number, step in enumerate(steps):
        mine = done[2 * repeat * number:2 * repeat * (number + 1)]
        said = mine[0][1]
        counts = [(few, many) for (few, _), (many, _) in zip(mine[::2], mine[1::2])]
        values = [each(few, many, times, said["units"]) for few, many in counts]
        rows.append({**said, "times": times, "counts": counts, "each": values[0], "spread": spread(values)})
        say(f"  {step['step']:<12} {values[0]:10.2f} a {step['unit']}")
    return rows


def show(rows: list, before: dict) -> None:
    lines = []
    for row in rows:
        whole = row["each"] * row["units"]
        line = [f"`{row['step']}`", row["about"], row["unit"], row["units"], whole / 1e6, round(row["each"], 2)]
        if before:
            old = before.get(row["step"])
            line.append(f"{row['each'] / old - 1:+.1%}" if old else None)
        lines.append(line)
    head = ["step", "what", "unit", "units", "million instructions", "instructions a unit"]
    table("instructions", head + (["change"] if before else []), lines)


def arguments() -> argparse.Namespace:
    summary, _, rest = (__doc__ or "").partition("\n")
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=summary, epilog=rest, formatter_class=form)
    parser.add_argument("--only", default="", help="these steps, separated by commas (all)")
    parser.add_argument("--times", type=int, default=12, help="repetitions, and twice as many (12)")
    parser.add_argument("--repeat", type=int, default=1, help="count everything so many times (1)")
    parser.add_argument("--work", type=Path, default=ROOT / "out/bench", help="where the counts go (out/bench)")
    parser.add_argument("--binaries", type=Path, default=ROOT / "target/release", help="where the program lies")
    parser.add_argument("--against", type=Path, help="an earlier instructions.json")
    parser.add_argument("--timeout", type=float, default=600, help="seconds after which a run is stopped (600)")
    options = parser.parse_args()
    if options.times < 1 or options.repeat < 1:
        parser.error("--times and --repeat must be positive")
    return options


def main() -> int:
    options = arguments()
    if not shutil.which("valgrind"):
        sys.exit(INSTALL)
    try:
        before = json.loads(options.against.read_text(encoding="utf-8"))["steps"] if options.against else []
        counter = Counter(options.binaries.resolve(), options.timeout)
        steps, wanted = counter.steps(), set(filter(None, options.only.split(",")))
        if unknown := wanted - {step["step"] for step in steps}:
            raise Failed(f"--only {unknown.pop()}: no such step")
        steps = [step for step in steps if not wanted or step["step"] in wanted]
        rows = measure(counter, steps, options.times, options.repeat)
    except (Failed, OSError, subprocess.TimeoutExpired) as failure:
        sys.exit(f"instructions.py: {failure}")
    show(rows, {row["step"]: row["each"] for row in before})
    options.work.mkdir(parents=True, exist_ok=True)
    save(options.work / "instructions.json", {"steps": rows})
    if options.repeat == 1:
        return 0
    worst = max(rows, key=lambda row: row["spread"])
    print(f"\nCounted {options.repeat} times, the counts of a step differ by {worst['spread']:.3%} at most (`{worst['step']}`).")
    return 0 if worst["spread"] <= ALIKE else 1


if __name__ == "__main__":
    sys.exit(main())
