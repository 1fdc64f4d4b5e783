#!/usr/bin/env python3
"""Measures the service: questions and inserts side by side over HTTP, and connections that say nothing.

    service.py [SOURCE...] [--numbers N,...] [--seconds S] [--rate N] [--inserts N] [--connections N] [--shards N] [--peers N]

For each of --numbers (100,000 and a million) an index of `pages` (see index.py) is made and served. `load`, a program of
the project, sends questions over HTTP (a whole text, half of them near-copies of stored pages, resemblance ≥ 0.8) for --seconds:

  most          as many as are answered, one after the other on each of two connections
  at a rate     --rate questions a second (200), each due at its time: one that waits for those before counts from when it was due
  beside        the same, while --inserts pages a second (100) are put, each durable before it is answered
  beside, full  the same, while eight connections put pages as fast as they are taken
  idle          the same as `at a rate`, while --connections others (10,000) are open and say nothing

--shards N compares, on the first of --numbers, one service with N of them behind a front (`lookalike front`): documents are
streamed to each, then `most` and `at a rate`.

Load and service share the machine: CPU is that of the service alone; *late* is by how much a sleep of a millisecond was longer in the
same run, on a thread of its own: what the machine and its other guests add to a tail. --peers N adds what other tools need for the same questions on
the first N documents, in one process, without HTTP and without inserts (index.py --only peers).

Outputs: tables on standard output, progress on standard error, every figure in DIR/service.json. The binaries are those of
`make bench-programs` unless --binaries says otherwise. Standard library only.
"""
import contextlib
import http.client
import json
import os
import re
import resource
import shutil
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import index
from measure import Failed, argument_parser, high_water, introduce, machine, own_memory, programs, save, say, table

# Documents that are put beside questions: of another seed, so that no page is stored yet.
PUT_SEED, PUT_DOCUMENTS = 55, 50_000
TICK = os.sysconf("SC_CLK_TCK")


class Served:
    """A service that runs."""

    def __init__(self, lookalike: str, *arguments: str):
        """`arguments` begin with the command: `serve` or `front`."""
        command = [lookalike, *arguments, "--listen", "127.0.0.1:0"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        told = self.process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)", told)
        if not found:
            raise Failed(told + self.process.stderr.read())
        self.url, self.port = found[0], int(found[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(120)

    def cpu(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_bytes().rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def memory(self) -> dict:
        """Its own memory now, without the files that it maps, and the most with them."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        anonymous = int(re.search(r"^RssAnon:\s+(\d+)", status, re.M)[1]) * 1024
        return {"own": anonymous, "resident": own_memory(self.process.pid), "peak": high_water(self.process.pid)}


class Bench:
    def __init__(self, options):
        self.options = options
        self.indexes = index.Bench(options)
        self.load_program = programs(options.binaries, "load")["load"]
        self.rows = []

    def load(self, served: Served, label: str, documents: int, queries: Path, *arguments: str) -> None:
        command = [self.load_program, "--url", served.url, "--queries", str(queries), "--seconds", str(self.options.seconds), *arguments]
        before = served.cpu()
        done = subprocess.run(command, capture_output=True, text=True, timeout=self.options.timeout)
        if done.returncode:
            raise Failed(done.stderr)
        sent = json.loads(done.stdout)
        row = {"documents": documents, "label": label, "cpu": served.cpu() - before, "questions": sent["questions"], "puts": sent["documents"], "late": sent["late"],
               **served.memory()}
        for what in ("questions", "puts"):
            if row[what] and row[what]["refused"]:
                say(f"  {label}: {row[what]['refused']} {what} were refused")
        self.rows.append(row)
        asked = row["questions"]
        say(f"  {label}: {asked['per_second']:.0f} questions/s, p50 {asked['p50_us']:.0f} µs, p99 {asked['p99_us']:.0f} µs")

    def copy_of(self, documents: int, pages: Path) -> Path:
        """An index of the pages, which may be written; a copy of one that is made once."""
        run = lambda *command: subprocess.run([self.indexes.program["lookalike"], "index", *map(str, command)], check=True, stdout=subprocess.DEVNULL)
        work = self.options.work
        made, part, copy = (work / f"service-{documents}{ending}.index" for ending in ("-made", "-part", ""))
        if not made.is_dir():
            say(f"adding {pages.name}")
            shutil.rmtree(part, ignore_errors=True)
            run("create", part, "--quiet")
            run("add", part, pages, "--quiet")
            part.rename(made)
        shutil.rmtree(copy, ignore_errors=True)
        run("copy", made, copy)
        return copy

    def measure(self) -> None:
        options, made = self.options, self.indexes
        unrelated = made.made.get("pages", max(1000, options.queries), index.UNRELATED)
        puts = ["--documents", str(made.pages(PUT_DOCUMENTS, PUT_SEED))]
        at_rate = ["--rate", str(options.rate), "--connections", "16"]
        for documents in options.numbers:
            pages = made.pages(documents)
            queries = index.write_queries(index.make_queries(pages, unrelated, options.queries), options.work, "service")["whole"]
            directory = self.copy_of(documents, pages)
            many = ["--max-connections", str(options.connections + 100)]
            with Served(made.program["lookalike"], "serve", str(directory), *many) as served:
                # What is not in memory yet is read.
                self.load(served, "first", documents, queries)
                self.load(served, "most", documents, queries)
                self.load(served, "at a rate", documents, queries, *at_rate)
                with idle(served.port, options.connections):
                    self.load(served, f"idle: {options.connections:,}", documents, queries, *at_rate)
                self.load(served, "beside", documents, queries, *at_rate, *puts, "--insert-rate", str(options.inserts))
                self.load(served, "beside, full", documents, queries, *at_rate, *puts)
        if options.shards:
            self.shards(options.numbers[0], unrelated)
        if options.peers:
            made.peers(unrelated)

    def shards(self, documents: int, unrelated: Path) -> None:
        options, lookalike = self.options, self.indexes.program["lookalike"]
        pages = self.indexes.pages(documents)
        queries = index.write_queries(index.make_queries(pages, unrelated, options.queries), options.work, "service")["whole"]
        for count in (1, options.shards):
            with contextlib.ExitStack() as stack:
                parts = []
                for number in range(count):
                    directory = options.work / f"shard-{count}-{number}.index"
                    shutil.rmtree(directory, ignore_errors=True)
                    subprocess.run([lookalike, "index", "create", str(directory), "--quiet"], check=True)
                    parts.append(stack.enter_context(Served(lookalike, "serve", str(directory))))
                asked = parts[0] if count == 1 else stack.enter_context(Served(lookalike, "front", *(part.url for part in parts)))
                began = time.perf_counter()
                streamed(asked.port, pages)
                wall = time.perf_counter() - began
                name = "one service" if count == 1 else f"{count} shards"
                say(f"  {name}: {documents / wall:,.0f} documents/s streamed")
                for label, arguments in (("most", []), ("at a rate", ["--rate", str(options.rate), "--connections", "16"])):
                    self.load(asked, f"{name}: {label}", documents, queries, *arguments)
                    self.rows[-1]["streamed"] = documents / wall

    def show(self) -> None:
        for name, streamed in dict.fromkeys((row["label"].split(":")[0], row["streamed"]) for row in self.rows if "streamed" in row):
            print(f"{name}: {streamed:,.0f} documents/s streamed")
        head = ["", "questions/s", "p50 ms", "p99", "p99.9", "max", "puts/s", "p50 ms", "p99", "p99.9", "late p99", "p99.9", "service's CPU", "own MB"]
        for documents in dict.fromkeys(row["documents"] for row in self.rows):
            rows = [row for row in self.rows if row["documents"] == documents]
            table(f"{documents:,} documents, {self.options.seconds:.0f} s each", head, [
                [row["label"], *figures(row["questions"]), *(figures(row["puts"]) if row["puts"] else [None] * 5)[:4],
                 row["late"]["p99_us"] / 1e3, row["late"]["p999_us"] / 1e3, row["cpu"] / self.options.seconds, row["own"] / 1e6] for row in rows])
            most = next((row for row in rows if row["label"] == "most"), None)
            if not most:
                continue
            asked = most["questions"]["answered"]
            print(f"\nA question takes {1e6 * most['cpu'] / asked:,.0f} µs of the service's CPU: {asked / most['cpu']:,.0f} a second and core.")
        if peers := self.indexes.figures.get("peers"):
            index.index_peers.show_peers(peers["rows"], peers["documents"], peers["questions"])


def streamed(port: int, documents: Path) -> None:
    """Adds the documents of a file."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=3600)
    with documents.open("rb") as file:
        head = {"content-type": "application/x-ndjson", "content-length": str(documents.stat().st_size)}
        connection.request("POST", "/v1/documents?answers=problems", file, head)
        last = json.loads(connection.getresponse().read().splitlines()[-1])
    if last["problems"] or last["added"] != last["lines"]:
        raise Failed(f"not all documents were added: {last}")


def figures(sent: dict) -> list:
    return [sent["per_second"], *(sent[name] / 1e3 if sent[name] else None for name in ("p50_us", "p99_us", "p999_us", "max_us"))]


class idle:
    """Connections that are open and say nothing. The service closes each after the time for a head: it is opened again before."""

    def __init__(self, port: int, count: int):
        self.port, self.open = port, [None] * count
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.again, daemon=True)

    def opened(self):
        return socket.create_connection(("127.0.0.1", self.port))

    def __enter__(self):
        self.open = [self.opened() for _ in self.open]
        self.thread.start()

    def again(self) -> None:
        while True:
            for at in range(len(self.open)):
                # All of them in eight seconds, a hundred at once.
                if at % 100 == 0 and self.over.wait(8 * 100 / len(self.open)):
                    return
                self.open[at].close()
                self.open[at] = self.opened()

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
        for connection in self.open:
            connection.close()


def arguments():
    parser = argument_parser(__doc__ or "")
    parser.set_defaults(timeout=7200)
    parser.add_argument("--numbers", default="100000,1000000", help="documents of each index, with commas between (%(default)s)")
    parser.add_argument("--seconds", type=float, default=30, help="of each measurement (%(default)s)")
    parser.add_argument("--rate", type=int, default=200, help="questions a second (%(default)s)")
    parser.add_argument("--inserts", type=int, default=100, help="documents put a second beside them (%(default)s)")
    parser.add_argument("--connections", type=int, default=10_000, help="that say nothing (%(default)s)")
    parser.add_argument("--queries", type=int, default=3000, help="different questions (%(default)s)")
    parser.add_argument("--shards", type=int, default=0, help="services behind a front; 0 for none")
    parser.add_argument("--peers", type=int, default=0, help="documents for other tools; 0 for none")
    options = parser.parse_args()
    options.numbers = [int(number) for number in options.numbers.split(",")]
    options.work, options.binaries = options.work.resolve(), options.binaries.resolve()
    return options


def main() -> int:
    options = arguments()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 4 * options.connections)), hard))
    try:
        bench = Bench(options)
        about = machine(bench.indexes.program["lookalike"])
        introduce(about, 1)
        bench.measure()
    except Failed as failure:
        sys.exit(f"service.py: {failure}")
    save(options.work / "service.json", {"machine": about, "rows": bench.rows, **bench.indexes.figures})
    bench.show()
    return 0


if __name__ == "__main__":
    sys.exit(main())
