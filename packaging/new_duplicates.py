#!/usr/bin/env python3
"""Fails if files that are new in a git repository are near-duplicates of files that are there, or of each other.

    new_duplicates.py [--since COMMIT] [--allow-identical] [--command LOOKALIKE] [--options WORDS] PATHSPEC…

Without --since, what is staged is compared (a pre-commit hook); with it, what HEAD adds since it left that commit (a pull
request). PATHSPEC says which files count, as for `git ls-files`. A moved file is not new, and neither is a changed one.
--options are those of `lookalike dedup`, such as `--options="--threshold 0.9"`. Each find is a line, and where GitHub runs it an error
at the file. Exit code 0 if there is none, 1 if there is, 2 if the files could not be compared. Standard library only.
"""
import argparse
import csv
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# What has to be a code in a message and in a property of a workflow command.
MESSAGE, PROPERTY = "%\r\n", "%\r\n:,"


def git(*words: str, given: bytes = b"") -> bytes:
    done = subprocess.run(["git", *words], input=given, stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit(2)
    return done.stdout


def check_out(names: list, folder: Path) -> None:
    """Writes files as they are staged, below a directory."""
    folder.mkdir()
    git("checkout-index", "-z", "--stdin", f"--prefix={folder}/", given=b"".join(name + b"\0" for name in names))


def found(work: Path, command: str, options: list, several: bool) -> list:
    """The rows of the ledger of the new files."""
    against = ["--against", "old"] if several else []
    done = subprocess.run(
        [command, "dedup", "new", *against, "--output", "out", "--tables", "tsv", "--no-report", "--quiet", "--max-loss", "100%", *options],
        cwd=work, capture_output=True, text=True,
    )
    ledger = work / "out/ledger.tsv"
    # Without a document there is a result, and exit code 1.
    if not ledger.exists():
        print(done.stderr, end="", file=sys.stderr)
        sys.exit(2)
    with open(ledger, newline="", encoding="utf-8") as rows:
        return list(csv.DictReader(rows, delimiter="\t", quoting=csv.QUOTE_NONE))


def escaped(text: str, letters: str) -> str:
    """Text in a command of a GitHub workflow, with some letters as codes."""
    return "".join(f"%{ord(letter):02X}" if letter in letters else letter for letter in text)


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--since", metavar="COMMIT")
    words.add_argument("--allow-identical", action="store_true")
    words.add_argument("--command", default="lookalike")
    words.add_argument("--options", default="")
    words.add_argument("pathspecs", metavar="PATHSPEC", nargs="+")
    given = words.parse_args()
    command = shutil.which(given.command)
    if command is None:
        print(f"{given.command} is not installed; docs/installing.md of lookalike says how", file=sys.stderr)
        return 2
    # From the root: names are those of the whole repository.
    os.chdir(os.fsdecode(git("rev-parse", "--show-toplevel")).rstrip("\n"))
    compared = [f"{given.since}...HEAD"] if given.since else ["--cached"]
    new = git("diff", *compared, "--no-renames", "--diff-filter=A", "--name-only", "-z", "--", *given.pathspecs).split(b"\0")[:-1]
    old = sorted({*git("ls-files", "-z", "--", *given.pathspecs).split(b"\0")[:-1]} - {*new})
    if not new:
        return 0
    with tempfile.TemporaryDirectory(prefix="lookalike-new-") as folder:
        work = Path(folder)
        check_out(new, work / "new")
        check_out(old, work / "old")
        rows = found(work, os.path.abspath(command), shlex.split(given.options), bool(old))
    rows = [row for row in rows if not (given.allow_identical and row["rule"] == "identical")]
    for row in rows:
        name, other = (row[column].partition("/")[2] for column in ("removed_file", "kept_file"))
        what = f"{row['rule'].replace('_', ' ')} to {other}, resemblance {float(row['resemblance']):.4f}"
        marked = f"::error file={escaped(name, PROPERTY)}::{escaped(what, MESSAGE)}"
        print(marked if os.environ.get("GITHUB_ACTIONS") == "true" else f"{name}: {what}")
    return 1 if rows else 0


if __name__ == "__main__":
    sys.exit(main())
