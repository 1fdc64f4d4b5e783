#!/usr/bin/env python3
"""Runs the commands of the tutorial, the cookbook, the pages on methods and some how-tos (docs/tutorial.md, docs/cookbook/*.md, docs/methods/*.md and
HOW_TOS) and compares what they print with what the pages say.

    check_cookbook.py path/to/lookalike [--show] [PAGE...]

Each page is told in one directory of its own, which has copies of the project's samples/ and of docs/cookbook/data/ as data/. Blocks marked
`sh` are run in order by bash; a block marked `text` right after one has to equal what it printed on standard output and standard error. In it a
line `…` stands for any number of lines, and `…` within a line for any text. A block whose last line is a comment `# exit code N` has to end with
that code, any other with 0. One whose last line is a comment `# needs PROGRAM` is left out where that program is not installed. Without PAGE, the commands of all other pages are read and compared with what there is, too (page_commands.py). --show prints what each block really printed. Needs bash; otherwise the standard library only. Where pdftotext or
Airflow is not installed, pdftotext.py or airflow.py stands in for it.
"""
import argparse
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import page_commands

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "cookbook"
METHODS = ROOT / "docs" / "methods"
TUTORIAL = ROOT / "docs" / "tutorial.md"
# How-tos that are told as a story.
HOW_TOS = [ROOT / "docs" / "how-to" / f"{name}.md" for name in ("across", "decontaminate", "ignore-text", "passages")]
# Programs that may be missing; NAME.py stands in for each.
STAND_INS = ("airflow", "pdftotext")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NEEDS = re.compile(r"# needs (\w+)\s*\Z")
EXIT_CODE = re.compile(r"# exit code (\d+)\s*\Z")
# A page without commands, or with hardly any printed output, tests nothing: the fewest commands and outputs of a story, and of a method's example.
STORY, EXAMPLE = (5, 4), (1, 1)


def lines_of(text: str) -> list:
    """Lines without the padding of tables, whose width depends on numbers that a page leaves out."""
    return [" ".join(line.split()) for line in text.strip().split("\n")]


def matches(expected: str, printed: str) -> bool:
    """Whether printed text equals the expected text with its ellipses, whatever the spaces."""
    pattern = []
    for line in lines_of(expected):
        if line == "…":
            pattern.append(r"(?:[^\n]*\n)*?")
        else:
            pattern.append("[^\n]*?".join(re.escape(part) for part in line.split("…")) + "\n")
    return re.fullmatch("".join(pattern), "\n".join(lines_of(printed)) + "\n") is not None


def steps(page: str) -> list:
    """The commands of a page, each with the output that the page shows, or None."""
    found, end = [], None
    for block in BLOCK.finditer(page):
        kind, text = block[1], block[2]
        if kind == "sh":
            found.append([text, None])
        elif kind == "text" and found and not page[end:block.start()].strip():
            found[-1][1] = text
        end = block.end()
    return found


@contextlib.contextmanager
def stopped(work: Path):
    """A directory of a story, whose services (NAME.pid) are stopped at its end, also where it breaks off."""
    try:
        yield work
    finally:
        for path in work.glob("*.pid"):
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(path.read_text()), signal.SIGTERM)


def tell(page: str, binary: Path, show: bool, least: tuple = STORY) -> list:
    """Runs the commands of a page; returns what was wrong."""
    told = steps(page)
    shown = sum(output is not None for _, output in told)
    if len(told) < least[0] or shown < least[1]:
        return [f"only {len(told)} commands and {shown} outputs"]
    with tempfile.TemporaryDirectory(prefix="lookalike-cookbook-") as folder, stopped(Path(folder) / "work") as work:
        tools = Path(folder) / "bin"
        work.mkdir()
        tools.mkdir()
        os.symlink(binary, tools / "lookalike")
        for name in STAND_INS:
            if shutil.which(name) is None:
                stand_in = tools / name
                stand_in.write_text(f"#!/bin/sh\nexec '{sys.executable}' '{Path(__file__).resolve().with_name(f'{name}.py')}' \"$@\"\n", encoding="utf-8")
                stand_in.chmod(0o755)
        shutil.copytree(ROOT / "samples", work / "samples")
        shutil.copytree(PAGES / "data", work / "data")
        kept = {name: value for name, value in os.environ.items() if not name.startswith("LOOKALIKE_")}
        environment = {**kept, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "120", "LC_ALL": "C.UTF-8"}
        for number, (script, expected) in enumerate(told, 1):
            needed = NEEDS.search(script)
            if needed and shutil.which(needed[1]) is None:
                print(f"SKIPPED: block {number}: there is no {needed[1]}", flush=True)
                continue
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", script], cwd=work, env=environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=300,
            )
            printed = "\n".join(line.rstrip() for line in done.stdout.split("\n"))
            if show:
                print(f"--- block {number}\n{script}--- exit code {done.returncode}\n{printed}", flush=True)
            code = EXIT_CODE.search(script)
            if done.returncode != (int(code[1]) if code else 0):
                return [f"block {number} ends with code {done.returncode}:\n{script}\n{printed}"]
            if expected is not None and not matches(expected, printed):
                return [f"block {number} prints something else:\n{script}\nexpected:\n{expected}\nprinted:\n{printed}"]
    return []


def self_test() -> None:
    """The comparison can fail, and so can a page."""
    assert matches("a …c\n…\nz\n", "a bbc\n1\n2\nz\n")
    assert matches("a\n…\n", "a\n") and matches("…\nz", "z")
    assert not matches("a\n…\nz", "a\nb") and not matches("a …c", "a b d") and not matches("a", "a\nb")
    assert steps("```sh\na\n```\n\n```text\nb\n```\nwords\n```text\nc\n```\n") == [["a\n", "b\n"]]
    page = "".join(f"```sh\necho {number}\n```\n\n```text\n{number}\n```\n\n" for number in range(STORY[0]))
    for last, wrong in (
        ("```sh\nlookalike\n```\n\n```text\n```\n", False),
        ("```sh\necho b\n```\n\n```text\na\n```\n", True),
        ("```sh\nexit 3\n# exit code 3\n```\n", False),
        ("```sh\nexit 3\n```\n", True),
        ("```sh\nfalse | cat\n```\n", True),
        ("```sh\nfalse\n# needs bash\n```\n", True),
    ):
        assert bool(tell(page + last, Path(shutil.which("true")), False)) == wrong, last
    assert tell("no commands", Path("true"), False) and tell("no commands", Path("true"), False, EXAMPLE)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("binary", type=Path)
    parser.add_argument("pages", nargs="*", help="names of pages [default: all]")
    parser.add_argument("--show", action="store_true")
    given = parser.parse_intermixed_args()
    self_test()
    pages = [TUTORIAL, *HOW_TOS, *sorted(path for folder in (PAGES, METHODS) for path in folder.glob("*.md") if path.stem != "README")]
    chosen = [path for path in pages if path.stem in given.pages] if given.pages else pages
    if not chosen:
        print("no such page; there are " + ", ".join(path.stem for path in pages))
        return 2
    failed = 0
    if not given.pages:
        wrong = page_commands.check(given.binary)
        failed += bool(wrong)
        print("\n".join(f"FAILED: {line}" for line in wrong) or f"ok: the commands of {len(page_commands.pages())} pages", flush=True)
    for path in chosen:
        least = EXAMPLE if path.parent == METHODS else STORY
        wrong = tell(path.read_text(encoding="utf-8"), given.binary.resolve(), given.show, least)
        failed += bool(wrong)
        print("\n".join(f"FAILED: {path.name}: {line}" for line in wrong) or f"ok: {path.name}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
