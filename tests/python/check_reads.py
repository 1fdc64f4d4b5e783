#!/usr/bin/env python3
"""Lets every read and opening of an input fail, in every command: no document may be lost in silence.

    check_reads.py path/to/lookalike [--long] [--seed N] [--only COMMAND]... [--case COMMAND@N]

Each command runs once undisturbed; its answer is the truth, and its openings and reads of inputs are numbered (by
tests/disk/failing_disk.c, preloaded; by the server for the inputs that are read by URL). Then it runs with operation
1, 2, 3, ... failing once. Either it says so with an exit code other than 0 (and without a panic), or its answer is the
truth. After a failure the same command runs again, undisturbed and with --resume where there is one: its answer has
the bytes of the truth. What a failing run leaves must not make the next one wrong.

Without --long a seeded sample of the operations runs: some of each command. Exit code 0 only if all passed and
something ran; 3 without a C compiler. Systems other than Linux run the part over URLs alone. Standard library only.
"""
import argparse
import bz2
import gzip
import io
import json
import lzma
import os
import random
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from checks.fault_server import Files, serving
from checks.harness import tree_of

HERE = Path(__file__).resolve().parent
DISK = HERE.parent / "disk" / "failing_disk.c"
SAMPLES = HERE.parent.parent / "samples"
WORKERS = 2
# Seconds after which a run counts as hanging.
HANGS = 120
# Operations of each command that fail without --long.
SAMPLE = 3
# Points in time that are printed, and the keys of JSON whose values are measured: they differ from run to run.
TIME = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
MEASURED = {"run", "seconds", "truth_seconds", "signing", "joining", "peak_memory_bytes"}


# --- inputs ---------------------------------------------------------------------------------------

class Texts:
    def __init__(self, seed: int):
        self.rng = random.Random(seed)
        self.vocabulary = ["".join(self.rng.choice("abcdefghijklmnoprstuvw") for _ in range(self.rng.randint(3, 9))) for _ in range(3000)]
        self.made: list = []

    def new(self, words: int = 25) -> str:
        """A new text, or one that differs in a word or in case from an earlier one."""
        kind = self.rng.random()
        if self.made and kind < 0.5:
            text = self.rng.choice(self.made).split(" ")
            if kind < 0.3:
                text[self.rng.randrange(len(text))] = self.rng.choice(self.vocabulary)
            return " ".join(text) if kind < 0.4 else " ".join(text).upper()
        text = " ".join(self.rng.choice(self.vocabulary) for _ in range(words))
        self.made.append(text)
        return text


def jsonl(texts: Texts, prefix: str, n: int, pad: int = 0) -> bytes:
    """Records; with a field that nobody reads they are long and cost little."""
    rows = ({"id": f"{prefix}{at}", "text": texts.new(), "url": f"https://s{at % 3}.example/{at}", "pad": "x" * pad} for at in range(n))
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def code(texts: Texts, n: int) -> bytes:
    """Records of source code, of which two differ in an operator alone: one more document where symbols are no tokens."""
    bodies = [f"{texts.new()} if a {sign} b" for sign in "<>"] + [texts.new() for _ in range(n)]
    bodies[1] = bodies[0].replace("<", ">")
    return "".join(json.dumps({"id": f"s{at}", "text": body, "lang": "Python"}) + "\n" for at, body in enumerate(bodies)).encode()


def csv(texts: Texts, prefix: str, n: int, delimiter: str) -> bytes:
    rows = "".join(f"{prefix}{at}{delimiter}{texts.new()}\n" for at in range(n))
    return f"id{delimiter}text\n{rows}".encode()


def message(texts: Texts, at: int) -> bytes:
    return f"From: a@b.example\nSubject: s{at}\nMessage-ID: <{at}@b.example>\n\n{texts.new()}\n".encode()


def mbox(texts: Texts, n: int) -> bytes:
    return b"".join(b"From a@b.example Thu Jan  1 00:00:00 2004\n" + message(texts, at) + b"\n" for at in range(n))


def warc(texts: Texts, n: int) -> bytes:
    def record(at: int) -> bytes:
        body = texts.new().encode()
        head = f"WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: https://w.example/{at}\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\n\r\n"
        return head.encode() + body + b"\r\n\r\n"
    return b"".join(map(record, range(n)))


def tar(members: dict) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return out.getvalue()


def make(folder: Path, seed: int) -> None:
    """Files of every way of reading, with copies of each other's texts. Most take several reads; `m.jsonl` takes several chunks."""
    texts = Texts(seed)
    folder.mkdir(parents=True)
    files = {
        "b.csv": csv(texts, "b", 150, ","), "c.tsv": csv(texts, "c", 40, "\t"), "d.jsonl.gz": gzip.compress(jsonl(texts, "d", 150, 900), 1, mtime=0),
        "e.jsonl.bz2": bz2.compress(jsonl(texts, "e", 150)), "f.jsonl.xz": lzma.compress(jsonl(texts, "f", 100)) + lzma.compress(jsonl(texts, "ff", 20)),
        "g.mbox": mbox(texts, 50), "h.warc": warc(texts, 50), "i.eml": message(texts, 999),
        "j.tar": tar({"x.jsonl": jsonl(texts, "jx", 30), "y.txt": texts.new().encode(), "z.csv": csv(texts, "jz", 20, ",")}),
        "k.tar.gz": gzip.compress(tar({"x.txt": texts.new().encode(), "y.jsonl": jsonl(texts, "k", 50)}), 1, mtime=0),
        "l.txt": texts.new().encode(), "m.jsonl": jsonl(texts, "m", 600, 4000), "mails": mbox(texts, 5), "n.txt": texts.new().encode(),
        "o.csv": b"id,text\n", "q.jsonl": jsonl(texts, "q", 20),
        "s.jsonl": code(texts, 10), "t.csv": b"id,text,seen\n" + b"".join(f"t{at},{texts.new()},2020-01-01\n".encode() for at in range(20)),
    }
    for name, content in files.items():
        (folder / name).write_bytes(content)
    shutil.copyfile(SAMPLES / "apache.parquet", folder / "p.parquet")


# --- commands -------------------------------------------------------------------------------------

@dataclass
class Command:
    name: str
    # Of these, IN is the directory of inputs, OUT the output, and HERE the directory of the run.
    arguments: list
    # Whether it goes on where it was stopped.
    resumes: bool = False
    # Copied into the directory of the run before it: a directory of the work by name.
    needs: tuple = ()
    # Commands that run after it, undisturbed; the output of the last one belongs to the answer.
    then: list = field(default_factory=list)
    # How many operations fail without --long.
    sample: int = SAMPLE
    # The input that is standard input.
    stdin: str = ""
    # Whether it goes on without unreadable inputs, and says so.
    skips: bool = False
    # A file of the output that differs from run to run.
    unlike: str = ""


def commands() -> list:
    tables, quiet = ["--tables", "jsonl"], ["--quiet"]
    out = ["--output", "OUT", *quiet]
    few = ["IN/b.csv", "IN/m.jsonl", "IN/l.txt"]
    export = ["index", "export", "HERE/index", *tables, *out]
    return [
        Command("dedup", ["dedup", "IN", *tables, *out], sample=6),
        Command("dedup-resume", ["dedup", "IN", *tables, *out], resumes=True, sample=14),
        Command("dedup-one", ["dedup", "IN/m.jsonl", *tables, *out], resumes=True, sample=10),
        Command("skip", ["dedup", *few, *tables, *out, "--skip-unreadable"], resumes=True, skips=True),
        Command("cluster", ["cluster", "IN", *tables, *out], resumes=True),
        Command("mark", ["dedup", "IN/m.jsonl", "IN/o.csv", "IN/i.eml", "--mark", *out]),
        Command("ignore-common", ["dedup", *few, "--ignore-common", "100", *tables, *out], resumes=True),
        Command("boilerplate", ["dedup", "IN/m.jsonl", "IN/d.jsonl.gz", "--boilerplate", "30%", *tables, *out], resumes=True),
        Command("imatch", ["dedup", *few, "--method", "imatch", *tables, *out], resumes=True),
        Command("against", ["dedup", *few, *tables, *out, "--against", "IN/d.jsonl.gz", "--against", "IN/e.jsonl.bz2"], resumes=True),
        Command("against-index", ["dedup", *few, "--against", "HERE/index", *tables, *out], needs=("index",), sample=6),
        Command("code", ["dedup", "IN/s.jsonl", *tables, *out], sample=12),
        Command("compare-code", ["compare", "IN/s.jsonl#s0", "IN/s.jsonl#s1"], sample=12),
        Command("named", ["dedup", "IN/q.jsonl", "IN/m.jsonl", "--date-field", "url", *tables, *out], sample=12),
        Command("named-in-table", ["dedup", "IN/q.jsonl", "IN/t.csv", "--date-field", "seen", *tables, *out], sample=12),
        Command("decontaminate", ["decontaminate", *few, "--against", "IN/d.jsonl.gz", *tables, *out], sample=12),
        Command("decontaminate-cut", ["decontaminate", *few, "--against", "IN/d.jsonl.gz", "IN/q.jsonl", "--action", "cut", *tables, *out], sample=12),
        Command("passages", ["passages", *few, "-L", "8", "--gaps", "2", *tables, *out]),
        Command("stdin", ["dedup", "-", *tables, *out], stdin="m.jsonl"),
        Command("pipe", ["dedup", "IN/m.jsonl", "--output", "-", *quiet]),
        Command("undo", ["undo", "HERE/run", "--cluster", "1", *out], needs=("run",), sample=6),
        Command("grep", ["show", "HERE/run", "--grep", "lo", "--limit", "100000"], needs=("run",), sample=6),
        Command("explain", ["explain", "m7", "m11", "--run", "HERE/run"], needs=("run",)),
        Command("compare", ["compare", "IN/m.jsonl#7", "IN/b.csv#9"]),
        Command("collapse", ["collapse", "IN/q.jsonl"]),
        Command("plan", ["plan", *few, "--format", "json"]),
        # Its page shows what its JSON has, times among it.
        Command("evaluate", ["evaluate", "IN/b.csv", "IN/l.txt", "--methods", "minhash-lsh", *out], unlike="out/report.html"),
        Command("lexicon", ["lexicon", "build", *few, *out]),
        Command("index-create", ["index", "create", "HERE/index", "--lean", "0.8", "--sample", "IN/m.jsonl", *quiet],
                then=[["index", "add", "HERE/index", "IN/b.csv", *quiet], export]),
        Command("index-add", ["index", "add", "HERE/index", *few, *quiet], needs=("index",), then=[export]),
        Command("query", ["query", "HERE/index", "--file", "IN/l.txt"], needs=("index",)),
        Command("filter", ["filter", "--prototypes", "HERE/index", "IN/g.mbox"], needs=("index",)),
        Command("report", ["filter", "report", "--prototypes", "HERE/index", "--reporter", "me", "spam", "IN/g.mbox"], needs=("index",),
                then=[["filter", "list", "--prototypes", "HERE/index"]]),
    ]


# --- runs -----------------------------------------------------------------------------------------

@dataclass
class Done:
    code: object
    answer: dict
    errors: str
    # Its openings and reads of inputs: call and path.
    operations: list


def steady(content: bytes, here: Path) -> bytes:
    """What is the same in every undisturbed run: without times, measurements and the directory of the case."""
    if content.startswith(b"{\n"):
        without = lambda pairs: {name: value for name, value in pairs if name not in MEASURED}
        content = json.dumps(json.loads(content, object_pairs_hook=without)).encode()
    return TIME.sub(b"TIME", content.replace(str(here).encode(), b"HERE"))


def differing(one: dict, other: dict) -> list:
    return sorted(name for name in {*one, *other} if one.get(name) != other.get(name))


class Matrix:
    def __init__(self, binary: Path, work: Path, options: argparse.Namespace):
        self.binary, self.work, self.options = binary, work, options
        self.library = work / "failing_disk.so"
        self.inputs = work / "docs"
        self.lock = threading.Lock()
        self.passed, self.failures, self.figures, self.number = 0, [], Counter(), 0

    def check(self, what: str, case: str, ok: bool, detail: str = "") -> bool:
        with self.lock:
            self.passed += bool(ok)
            if not ok:
                self.failures.append(what)
                if len(self.failures) <= 20:
                    print(f"FAILED: {what}: --case {case}: {detail[:1500]}", flush=True)
        return bool(ok)

    def folder(self, command: Command) -> Path:
        with self.lock:
            self.number += 1
            here = self.work / f"case{self.number:05}"
        here.mkdir()
        for name in command.needs:
            shutil.copytree(self.work / name, here / name)
        return here

    def start(self, arguments: list, here: Path, environment: dict, stdin=None) -> tuple:
        places = {"OUT": str(here / "out"), "HERE": str(here), "IN": str(self.inputs)}
        written = [places.get(one, one) for one in arguments]
        written = [one.replace("HERE/", f"{here}/").replace("IN/", f"{self.inputs}/", one.startswith("IN/")) for one in written]
        feed = open(stdin, "rb") if stdin else subprocess.DEVNULL
        try:
            done = subprocess.run([str(self.binary), *written], cwd=here, env={**os.environ, **environment}, stdin=feed, capture_output=True, timeout=HANGS)
        except subprocess.TimeoutExpired:
            return "hangs", b"", ""
        finally:
            if stdin:
                feed.close()
        return done.returncode, done.stdout, done.stderr.decode(errors="replace")

    def run(self, command: Command, here: Path, at: int = 0, resume: bool = False) -> Done:
        log = here.with_name(f"{here.name}.log")
        log.unlink(missing_ok=True)
        watched = {"LD_PRELOAD": self.library, "DISK_UNDER": self.inputs, "DISK_LOG": log, "DISK_COUNT": "reads", "DISK_ACTION": "fail", "DISK_AT": at}
        watched = {name: str(value) for name, value in watched.items()} if self.library.exists() else {}
        arguments = [*command.arguments, *(["--resume"] if command.resumes or resume else [])]
        stdin = self.inputs / command.stdin if command.stdin else None
        code, printed, errors = self.start(arguments, here, watched, stdin)
        operations = []
        if log.exists():
            lines = [line.split(" ", 3) for line in log.read_text(encoding="utf-8", errors="replace").splitlines()]
            operations = [(call, path) for _, call, _, path in sorted(lines, key=lambda line: int(line[0]))]
        answer = {"stdout": printed} if code == 0 else {}
        for more in command.then if code == 0 else []:
            then, printed, said = self.start(more, here, {})
            answer["stdout"] = printed
            if then != 0:
                code, errors = then, f"{errors}{more}: {said}"
        out = here / "out"
        if code == 0 and out.is_file():
            answer["out"] = out.read_bytes()
        elif code == 0 and (out / "summary.json").exists():
            answer |= {f"out/{name}": content for name, content in tree_of(out).items()}
        elif code == 0 and out.is_dir():
            answer |= {f"out/{path.relative_to(out)}": path.read_bytes() for path in out.rglob("*") if path.is_file()}
        answer = {name: steady(content, here) for name, content in answer.items() if name != command.unlike}
        return Done(code, answer, errors, operations)

    def truth(self, command: Command) -> tuple:
        """The answer of a command, and what it reads."""
        runs = []
        for _ in range(2):
            here = self.folder(command)
            runs.append(self.run(command, here))
            shutil.rmtree(here)
        first, second = runs
        right = first.code == 0 and second.code == 0 and first.answer
        self.check("undisturbed", command.name, right, f"exit {first.code} {second.code}: {first.errors}{second.errors}")
        differs = differing(first.answer, second.answer)
        self.check("the same run twice gives two answers", command.name, not differs, f"{differs}")
        return first.answer, first.operations if right else []

    def failing(self, command: Command, truth: dict, at: int) -> None:
        here, case = self.folder(command), f"{command.name}@{at}"
        done = self.run(command, here, at)
        where = " ".join(done.operations[at - 1]) if len(done.operations) >= at else "no operation"
        detail = f"{where}: exit {done.code}: {done.errors}"
        self.judge(command, truth, here, case, done, detail)
        shutil.rmtree(here, ignore_errors=True)

    def judge(self, command: Command, truth: dict, here: Path, case: str, done: Done, detail: str) -> None:
        with self.lock:
            self.figures["stopped with an error" if done.code else "gave an answer"] += 1
        self.check("a panic, or another exit code than 0, 1 and 3", case, done.code in (0, 1, 3) and "panicked" not in done.errors, detail)
        if done.code == 0:
            differs = differing(truth, done.answer)
            # It went on without an input, and its summary says so.
            if command.skips and b'"unreadable": true' in done.answer.get("out/summary.json", b""):
                return
            self.check("a wrong answer without an error", case, not differs, f"{differs[:6]}: {detail}")
            return
        again = self.run(command, here)
        ok = self.check("the next run fails", case, again.code == 0, f"exit {again.code}: {again.errors}; before: {detail}")
        differs = differing(truth, again.answer)
        self.check("the next run gives another answer", case, not ok or not differs, f"{differs[:6]}; before: {detail}")

    def prepare(self) -> None:
        few = [str(self.inputs / name) for name in ("b.csv", "m.jsonl", "l.txt", "i.eml", "p.parquet", "g.mbox")]
        for arguments in (
            ["dedup", *few, "--output", str(self.work / "run"), "--tables", "jsonl", "--quiet"],
            ["index", "create", str(self.work / "index"), "--quiet"],
            ["index", "add", str(self.work / "index"), str(self.inputs / "d.jsonl.gz"), str(self.inputs / "e.jsonl.bz2"), str(self.inputs / "g.mbox"), "--quiet"],
        ):
            done = subprocess.run([str(self.binary), *arguments], capture_output=True, text=True)
            self.check("preparing", arguments[0], done.returncode == 0, done.stderr)

    def chosen(self, command: Command, count: int) -> list:
        """The operations that fail: all, or a sample that has the first and the last one."""
        every = range(1, count + 1)
        if self.options.long or count <= command.sample:
            return [*every]
        rng = random.Random(f"{self.options.seed} {command.name}")
        return sorted({1, count, *rng.sample(every, command.sample - 2)})

    def files(self) -> None:
        wanted = [command for command in commands() if not self.options.only or command.name in self.options.only]
        if self.options.case:
            name, at = self.options.case.split("@")
            [command] = [command for command in wanted if command.name == name]
            truth, _ = self.truth(command)
            return self.failing(command, truth, int(at))
        with ThreadPoolExecutor(WORKERS) as pool:
            cases = []
            for command, (truth, operations) in zip(wanted, pool.map(self.truth, wanted)):
                self.check("a command that reads no input", command.name, len(operations) > 1 and len({path for _, path in operations}) >= 1)
                cases += [(command, truth, at) for at in self.chosen(command, len(operations))]
                self.figures["operations"] += len(operations)
            list(pool.map(lambda case: self.failing(*case), cases))
        return None

    def urls(self) -> None:
        """The same for requests to a server: one is refused. Nothing is asked twice then."""

        class Refusing(Files):
            def do_GET(self) -> None:
                with self.server.lock:
                    self.server.requests += 1
                    refused = self.server.requests == self.server.refuses
                self.plain(403) if refused else super().do_GET()

        names = ("b.csv", "d.jsonl.gz", "m.jsonl", "p.parquet", "j.tar", "l.txt", "g.mbox")
        content = {name: (self.inputs / name).read_bytes() for name in names}
        with serving(Refusing, files=content, requests=0, refuses=0) as server:
            inputs = [f"{server.url}/ranges/{name}" for name in names]
            tables, out = ["--tables", "jsonl"], ["--output", "OUT", "--quiet"]
            jobs = [
                Command("url-dedup", ["dedup", *inputs, *tables, *out], resumes=True, sample=8),
                Command("url-against-index", ["dedup", *inputs[:3], "--against", "HERE/index", *tables, *out], needs=("index",)),
                Command("url-grep", ["show", "HERE/run-of-urls", "--grep", "lo", "--limit", "100000"], needs=("run-of-urls",)),
                Command("url-undo", ["undo", "HERE/run-of-urls", "--cluster", "1", *out], needs=("run-of-urls",)),
                Command("url-lexicon", ["lexicon", "build", *inputs, *out]),
                Command("url-index-add", ["index", "add", "HERE/index", *inputs, "--quiet"], needs=("index",),
                        then=[["index", "export", "HERE/index", *tables, *out]]),
            ]
            if self.options.case or self.options.only:
                asked = {*(self.options.only or []), (self.options.case or "@").split("@")[0]}
                jobs = [job for job in jobs if job.name in asked]
            if not jobs:
                return
            self.start(["dedup", *inputs, *tables, "--quiet", "--output", str(self.work / "run-of-urls")], self.work, {})
            for command in jobs:
                server.refuses = 0
                server.requests = 0
                truth, _ = self.truth(command)
                count = server.requests // 2
                self.check("a command that asks for nothing", command.name, count > 0)
                self.figures["requests"] += count
                points = [int(self.options.case.split("@")[1])] if self.options.case else self.chosen(command, count)
                for at in points:
                    here, case = self.folder(command), f"{command.name}@{at}"
                    server.requests, server.refuses = 0, at
                    done = self.run(command, here)
                    server.refuses = 0
                    self.judge(command, truth, here, case, done, f"exit {done.code}: {done.errors}")
                    shutil.rmtree(here, ignore_errors=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", type=Path)
    parser.add_argument("--long", action="store_true", help="all operations instead of a sample")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", metavar="COMMAND", help="these commands alone")
    parser.add_argument("--case", metavar="COMMAND@N", help="repeat one case")
    options = parser.parse_args()
    started = time.monotonic()
    on_linux, compiler = sys.platform.startswith("linux"), shutil.which(os.environ.get("CC", "cc"))
    with tempfile.TemporaryDirectory(prefix="lookalike-reads-") as folder:
        matrix = Matrix(options.binary.resolve(), Path(folder).resolve(), options)
        make(matrix.inputs, options.seed)
        matrix.prepare()
        if on_linux and compiler:
            subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-pthread", "-o", str(matrix.library), str(DISK), "-ldl"], check=True)
            matrix.files()
        matrix.urls()
    for name, count in sorted(matrix.figures.items()):
        print(f"  {name}: {count}")
    for name, count in Counter(matrix.failures).items():
        print(f"FAILED: {name}: {count} times")
    print(f"check_reads: {matrix.passed} passed, {len(matrix.failures)} failed, in {time.monotonic() - started:.0f} s")
    if not on_linux:
        print("SKIPPED, NOT PASSED: the reads of files in check_reads.py: their library needs Linux", flush=True)
    elif not compiler:
        print("NOT RUN: the reads of files in check_reads.py: there is no C compiler; install cc, or name one by CC", flush=True)
        return 3
    return 1 if matrix.failures or not matrix.passed else 0


if __name__ == "__main__":
    sys.exit(main())
