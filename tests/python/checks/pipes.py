"""Pipes: `dedup --output -`, named pipes and /dev/stdin as inputs."""
import gzip
import json
import os
import random
import signal
import subprocess
import tarfile
import threading
import time
from pathlib import Path

from checks.harness import Checks, SAMPLES, summary_of, tree_of
from checks.inputs import collection, records, write_csv, write_jsonl


def piped(c: Checks, *arguments, stdin: bytes = b"", cwd=None, **options) -> subprocess.CompletedProcess:
    command = [str(part) for part in (c.binary, *arguments)]
    return subprocess.run(command, input=stdin, cwd=cwd, capture_output=True, **options)


def pipes(c: Checks) -> None:
    folder = c.work / "pipes"
    scratch = folder / "scratch"
    scratch.mkdir(parents=True)
    same_as_files(c, folder, scratch)
    as_input(c, folder)
    refused(c, folder)
    readers_that_stop(c, folder, scratch)
    c.check("pipes: no temporary file is left", not any(scratch.iterdir()), list(scratch.iterdir()))


def same_as_files(c: Checks, folder: Path, scratch: Path) -> None:
    """Standard output is the kept file of a directory run; so are the ledger and the summary."""
    docs = collection(folder / "docs.jsonl", 71, 900)
    packed = folder / "packed.jsonl.gz"
    packed.write_bytes(gzip.compress(docs.read_bytes(), mtime=0))
    for options in ((), ("--mark",), ("--linkage", "components"), ("--keep", "longest")):
        label = f"pipes {' '.join(options)}"
        out = c.out(label)
        # The directory run reads the same bytes by the same name.
        done = piped(c, "dedup", "-", "-o", out, "--tables", "tsv", "-q", *options, stdin=docs.read_bytes())
        if not c.check(f"{label}: runs", done.returncode == 0, done.stderr):
            return
        kept = (out / ("marked.jsonl" if "--mark" in options else "kept.jsonl")).read_bytes()
        ledger = out / "ledger.tsv"
        for threads in (1, 2, 7):
            for source, stdin in (("-", docs.read_bytes()), ("/dev/stdin", docs.read_bytes()), ("-", packed.read_bytes())):
                written = [folder / "ledger.tsv", folder / "summary.json"]
                beside = ["--ledger", written[0], "--summary", written[1], "--scratch", scratch]
                done = piped(c, "dedup", source, "-o", "-", "-j", threads, *beside, *options, stdin=stdin)
                name = f"{label} {source} on {threads} threads"
                c.check(f"{name}: exit code", done.returncode == 0, done.stderr)
                c.check(f"{name}: the kept records", done.stdout == kept, len(done.stdout))
                if not ("--mark" in options):
                    c.check(f"{name}: the ledger", written[0].read_bytes() == ledger.read_bytes())
                summary = json.loads(written[1].read_text())
                c.check(f"{name}: the digest", summary["digest"] == summary_of(out)["digest"])
                c.check(f"{name}: the summary is on standard error", b"documents" in done.stderr, done.stderr)
        for path in (docs, packed):
            out = c.out(f"{label} {path.name}")
            piped(c, "dedup", path, "-o", out, "-q", *options)
            [kept] = [one for one in out.iterdir() if one.name.startswith(("kept.", "marked."))]
            kept = gzip.decompress(kept.read_bytes()) if path == packed else kept.read_bytes()
            done = piped(c, "dedup", path, "-o", "-", "-q", *options)
            c.check(f"{label} {path.name}: the kept records", done.returncode == 0 and done.stdout == kept, done.stderr)
            c.check(f"{label} {path.name}: nothing else is said", done.stderr == b"", done.stderr)
    several(c, folder)


def several(c: Checks, folder: Path) -> None:
    """Several files of one format become one file of it, in the order of their names."""
    found = records(72, 500)
    parts = [found[:200], found[200:201], [], found[201:]]
    for format, write in (("jsonl", write_jsonl), ("csv", write_csv)):
        inside = folder / format
        inside.mkdir()
        for number, part in enumerate(parts):
            clean = [{"id": f"r{one.get('id')}-{at}", "text": one["text"]} for at, one in enumerate(part)]
            path = write(inside / f"part-{number}.{format}", clean)
            if number == 0:
                # The last line has no end.
                path.write_bytes(path.read_bytes().rstrip(b"\r\n"))
        out = c.out(f"pipes several {format}")
        done = piped(c, "dedup", inside, "-o", out, "--tables", "tsv", "-q")
        c.check(f"pipes several {format}: runs", done.returncode == 0, done.stderr)
        expected = []
        for path in sorted((out / "kept").iterdir()):
            lines = path.read_bytes().splitlines()
            expected += lines[1:] if format == "csv" and expected else lines
        for threads in (1, 4):
            done = piped(c, "dedup", inside, "-o", "-", "-q", "-j", threads)
            got = done.stdout.splitlines()
            c.check(f"pipes several {format} on {threads} threads", done.returncode == 0 and got == expected, done.stderr or len(got))
    pages = piped(c, "dedup", SAMPLES / "pages", "-o", "-", "-q")
    out = c.out("pipes pages")
    piped(c, "dedup", SAMPLES / "pages", "-o", out, "-q")
    c.check("pipes: documents that are files are named", pages.stdout == (out / "kept-files.txt").read_bytes(), pages.stderr)
    boxes = folder / "boxes"
    boxes.mkdir()
    for number in range(3):
        message = f"From a@b Mon Nov 23 22:30:17 2026\nSubject: {number}\nMessage-ID: <{number}@x>\n\n" + f"text number {number} " * 9
        (boxes / f"{number}.mbox").write_text(message + "\n")
    done = piped(c, "dedup", boxes, "-o", "-", "-q")
    again = piped(c, "dedup", "-", "--input-format", "mbox", "-o", "-", stdin=done.stdout)
    c.check("pipes: mailboxes become one", again.stdout == done.stdout and done.stdout.count(b"Subject: ") == 3, again.stderr)


def as_input(c: Checks, folder: Path) -> None:
    """Pipes that are named as inputs are read once, as standard input is."""
    docs, others = collection(folder / "first.jsonl", 73, 300), collection(folder / "second.jsonl", 74, 300)
    pipe, out = folder / "pipe.jsonl", c.out("pipes named")
    os.mkfifo(pipe)

    def fill(path: Path, content: bytes) -> threading.Thread:
        thread = threading.Thread(target=lambda: path.write_bytes(content))
        thread.start()
        return thread

    filling = fill(pipe, gzip.compress(docs.read_bytes()))
    done = piped(c, "dedup", pipe, "-o", out, "--tables", "tsv", "-q")
    filling.join()
    c.check("pipes: a named pipe is read, also compressed", done.returncode == 0, done.stderr)
    plain = c.out("pipes named plain")
    piped(c, "dedup", docs, "-o", plain, "--tables", "tsv", "-q")
    same = done.returncode == 0 and gzip.decompress((out / "kept.jsonl.gz").read_bytes()) == (plain / "kept.jsonl").read_bytes()
    c.check("pipes: a named pipe has the documents of the file", same)
    # Two process substitutions, as a shell makes them.
    out = c.out("pipes substituted")
    script = f'"$0" dedup <(cat "$1") <(cat "$2") -o "$3" --tables tsv -q'
    done = subprocess.run(["bash", "-c", script, c.binary, docs, others, out], capture_output=True)
    documents = summary_of(out).get("documents")
    both = c.out("pipes both")
    piped(c, "dedup", docs, others, "-o", both, "-q")
    c.check("pipes: process substitutions", done.returncode == 0 and documents == summary_of(both)["documents"], done.stderr or documents)
    script = f'"$0" dedup <(cat "$1") --against <(cat "$2") -o - -q'
    done = subprocess.run(["bash", "-c", script, c.binary, docs, others], capture_output=True)
    against = piped(c, "dedup", docs, "--against", others, "-o", "-", "-q")
    c.check("pipes: one substitution against another", done.stdout == against.stdout and done.stdout, done.stderr)
    twice = piped(c, "dedup", "-", "--against", "/dev/stdin", "-o", "-", stdin=b"{}")
    c.check("pipes: standard input is in one role", twice.returncode == 1 and b"both as an input" in twice.stderr, twice.stderr)


def refused(c: Checks, folder: Path) -> None:
    docs = collection(folder / "one.jsonl", 75, 50)
    table = write_csv(folder / "one.csv", [{"id": "a", "text": "some text"}])
    other = folder / "two.csv"
    other.write_text("text,id\nsome text,a\n")
    for arguments, words in (
        ([SAMPLES / "apache.parquet"], "cannot be written to a pipe"),
        ([docs, table], "different formats"),
        ([table, other], "different columns"),
        ([docs, "--resume"], "--resume needs a result directory"),
        ([docs, "--copy-files"], "--copy-files needs a result directory"),
        ([docs, "--attributes"], "--attributes needs a result directory"),
        ([docs, "--near-misses", "0.1"], "--near-misses needs a result directory"),
        ([docs, "--ledger", "-"], "--ledger and --summary need a file"),
        ([docs, "--ledger", folder / "x.tsv", "--summary", f"{folder}/./x.tsv"], "--ledger and --summary name the same file"),
        *(([docs, "--ledger", folder / name], "--ledger needs a file that ends with") for name in ("l.csv", "l.TSV", "l.tsv.gz")),
    ):
        done = piped(c, "dedup", *arguments, "-o", "-")
        ok = done.returncode == 2 and words in done.stderr.decode() and done.stdout == b""
        c.check(f"pipes: refused: {words}", ok, (done.returncode, done.stderr))
    left = [path.name for path in folder.iterdir() if path.name.startswith(("l.", "x."))]
    c.check("pipes: nothing is written after a refusal", not left, left)
    overwriting(c, folder)
    done = piped(c, "cluster", docs, "-o", "-")
    c.check("pipes: cluster needs a directory", done.returncode == 2 and b"only dedup" in done.stderr, done.stderr)
    done = piped(c, "dedup", docs, "-o", c.out("pipes ledger"), "--ledger", "x.tsv")
    c.check("pipes: --ledger needs a pipe", done.returncode == 2 and b"need --output -" in done.stderr, done.stderr)
    bad = piped(c, "dedup", "-", "-o", "-", "--strict", stdin=b'{"text": "a"}\nnot json\n')
    c.check("pipes: --strict stops with 3 and writes nothing", bad.returncode == 3 and bad.stdout == b"", bad.stderr)
    bad = piped(c, "dedup", "-", "-o", "-", stdin=b'{"text": "a"}\nnot json\n')
    c.check("pipes: bad records are named", bad.returncode == 0 and bad.stdout == b'{"text": "a"}\n' and b"stdin:2" in bad.stderr, bad.stderr)
    empty = piped(c, "dedup", "-", "-o", "-")
    c.check("pipes: empty input", empty.returncode == 1 and empty.stdout == b"" and b"inputs hold no documents" in empty.stderr, empty.stderr)


def overwriting(c: Checks, folder: Path) -> None:
    """A file beside the stream replaces nothing that the run reads, whatever it is called."""
    inside = folder / "overwriting"
    inside.mkdir()
    docs, old = collection(inside / "in.jsonl", 76, 30), collection(inside / "old.jsonl", 77, 30)
    (inside / "link.jsonl").symlink_to(docs)
    packed = inside / "packed.tar"
    with tarfile.open(packed, "w") as tar:
        tar.add(docs, "docs.jsonl")
    index = inside / "index"
    c.run("index", "create", index, "-q")
    c.run("index", "add", index, old, "-q")
    before = {path: path.read_bytes() for path in inside.rglob("*") if path.is_file()}
    for option in ("--ledger", "--summary"):
        for arguments, file in (
            ([docs], docs),
            ([docs], f"{inside}/index/../in.jsonl"),
            ([docs], inside / "link.jsonl"),
            ([inside / "link.jsonl"], docs),
            ([inside], old),
            ([packed], packed),
            ([docs, "--against", old], old),
            ([docs, "--against", index], index / "settings.json"),
            ([docs, "--against", index], index / "new.jsonl"),
        ):
            if option == "--ledger" and Path(file).suffix not in (".jsonl", ""):
                continue
            done = piped(c, "dedup", *arguments, "-o", "-", option, file)
            ok = done.returncode == 2 and b"would be overwritten" in done.stderr and f"another file with {option}".encode() in done.stderr
            c.check(f"pipes: {option} {Path(file).name} of {arguments[-1]} is no input", ok and done.stdout == b"", (done.returncode, done.stderr))
    done = c.run("index", "export", index, "--documents", "-o", index / "documents.jsonl")
    c.check("pipes: nothing is exported into an index", done.returncode == 2 and "would be overwritten" in done.stderr, (done.returncode, done.stderr))
    after = {path: path.read_bytes() for path in inside.rglob("*") if path.is_file()}
    c.check("pipes: no input was overwritten", after == before, [str(path) for path in before | after if before.get(path) != after.get(path)])


def readers_that_stop(c: Checks, folder: Path, scratch: Path) -> None:
    """A reader that stops ends the command by SIGPIPE, without a word; a full disk is an error."""
    big, rng = folder / "big.jsonl", random.Random(9)
    with open(big, "w", encoding="utf-8") as out:
        for number in range(4_000):
            out.write(json.dumps({"id": number, "text": " ".join(str(rng.getrandbits(24)) for _ in range(100))}) + "\n")
    script = '"$0" dedup - -o - --scratch "$2" < "$1" | head -1; echo "${PIPESTATUS[0]}"'
    done = subprocess.run(["bash", "-c", script, c.binary, big, scratch], capture_output=True, text=True)
    first = big.open(encoding="utf-8").readline()
    c.check("pipes: head -1 gets a line", done.stdout == f"{first}{128 + signal.SIGPIPE}\n", done.stdout[-200:])
    c.check("pipes: nothing is said of a reader that stops", "pipe" not in done.stderr.lower(), done.stderr)
    with open("/dev/full", "wb") as full:
        done = subprocess.run([c.binary, "dedup", big, "-o", "-", "-q", "--scratch", scratch], stdout=full, stderr=subprocess.PIPE)
    c.check("pipes: a full disk is an error", done.returncode == 1 and b"cannot be written" in done.stderr, done.stderr)
    done = piped(c, "dedup", big, "-o", "-", "-q", "--ledger", "/dev/full", "--scratch", scratch)
    c.check("pipes: so is a ledger that cannot be written", done.returncode == 1 and done.stdout == b"" and b"/dev/full" in done.stderr, done.stderr)
    # Before the decisions nothing is written, however long the input takes; Ctrl-C ends the wait.
    process = subprocess.Popen([c.binary, "dedup", "-", "-o", "-", "-q", "--scratch", scratch], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdin.write(big.read_bytes())
    process.stdin.flush()
    time.sleep(0.3)
    os.set_blocking(process.stdout.fileno(), False)
    c.check("pipes: nothing is written before the end of the input", not process.stdout.read())
    os.set_blocking(process.stdout.fileno(), True)
    written = process.communicate(timeout=120)[0]
    c.check("pipes: all is written after it", written == big.read_bytes(), len(written))
