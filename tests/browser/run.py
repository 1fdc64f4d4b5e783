#!/usr/bin/env python3
"""Checks the HTML pages in Chromium: accessibility (axe-core), widths, keyboard, labels, hostile texts.

    run.py path/to/lookalike [--screenshots DIR]

Needs chromium, node and npm; two npm packages are installed below out/browser. Where one is missing this prints SKIPPED, and
fails if CI is set. The labels that the page saves are read by `lookalike evaluate`.
"""
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
WORK = HERE.parent.parent / "out" / "browser"
HOSTILE = "</script><script>alert(1)</script>\u202e\u0000\u001b[31m\"'<b><img src=x onerror=alert(2)>"


def missing(what: str) -> int:
    print(f"SKIPPED: the pages in Chromium: {what}")
    return 1 if os.environ.get("CI") else 0


def prepared() -> str | int:
    """The path of Chromium, with the packages installed; or the exit code where something is missing."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    for name, found in (("chromium", chromium), ("node", shutil.which("node")), ("npm", shutil.which("npm"))):
        if not found:
            return missing(f"{name} is not installed")
    WORK.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / "package.json", WORK / "package.json")
    installed = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent"], cwd=WORK, capture_output=True, text=True)
    if installed.returncode:
        return missing(f"npm packages cannot be installed: {installed.stderr.strip()[-300:]}")
    return chromium


def documents() -> list[dict]:
    """60 stories of 2 to 6 versions; one has hostile texts."""
    chance = random.Random(1)
    words = [f"w{n}" for n in range(5000)]
    made = []
    for story in range(60):
        text = [chance.choice(words) for _ in range(120)]
        for version in range(chance.randint(2, 6)):
            own = list(text)
            for _ in range(version):
                own[chance.randrange(8)] = f"edit{version}"
            end = HOSTILE if story == 3 else ""
            made.append({"id": f"s{story}-{version}{end}", "title": f"Story number {story}{end}", "text": " ".join(own) + end})
    return made


def write(path: Path, rows: list[dict]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    binary = Path(sys.argv[1]).resolve()
    shots = Path(sys.argv[sys.argv.index("--screenshots") + 1]).resolve() if "--screenshots" in sys.argv else None
    chromium = prepared()
    if isinstance(chromium, int):
        return chromium
    first = documents()
    write(WORK / "small.jsonl", first)
    write(WORK / "other.jsonl", [{**row, "id": "o" + row["id"]} for row in first[::2]])
    both = ["small.jsonl", "other.jsonl"]
    runs = [
        ["dedup", *both, "--threshold", "0.5", "--output", "small"],
        ["dedup", *both, "--threshold", "0.5", "--output", "beside", "--report-size", "1kB"],
        ["evaluate", "small.jsonl", "--threshold", "0.6", "--output", "evaluated", "--methods", "exact", "minhash-lsh@none", "super-shingles-84",
         "simhash:d=0|4|8", "lexical"],
        ["passages", *both, "--length", "20", "--output", "passages"],
    ]
    for run in runs:
        done = subprocess.run([binary, *run, "--force", "--tables", "tsv", "--quiet"], cwd=WORK, capture_output=True, text=True)
        if done.returncode:
            print(f"FAILED: lookalike {' '.join(run)}: {done.stderr}")
            return 1
    command = ["node", HERE / "pages.mjs", WORK, chromium]
    if shots:
        shots.mkdir(parents=True, exist_ok=True)
        command.append(shots)
    if subprocess.run(command).returncode:
        return 1
    read = subprocess.run(
        [binary, "evaluate", *both, "--threshold", "0.5", "--labels", "labels.tsv", "--methods", "exact", "--output", "judged", "--force",
         "--format", "json"],
        cwd=WORK, capture_output=True, text=True,
    )
    truth = json.loads(read.stdout)["truth"] if read.returncode == 0 else {}
    if (truth.get("pairs"), truth.get("different"), truth.get("labels_without_document", 0)) != (1, 1, 0):
        print(f"FAILED: evaluate reads the saved labels: {truth} {read.stderr}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
