"""Text extracted by commands from objects: the same results as from files, also after faults; no copy is left."""
import json
import os
import resource
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from checks.archives import packed
from checks.extracting import SCRIPT
from checks.fault_server import Files, Proxy, faults_on, serving
from checks.harness import Checks, summary_of, table_of, tree_of
from checks.inputs import texts
from checks.moto_server import Bucket, environment, is_missing, moto
from checks.stores import located, run

BUSY = (503, b"<Error><Code>SlowDown</Code></Error>")
DENIED = (403, b"<Error><Code>AccessDenied</Code><Message>no</Message></Error>")
# Reads nothing of its file, and leaves one beside it; the size shows that all of it was there.
LARGE = "import os, pathlib, sys; path = pathlib.Path(sys.argv[1]); (path.parent / 'left').write_text('x'); print('bytes', os.path.getsize(path), path.suffix)"

# Runs a command and says how much memory it took: that of a process starts with that of the one which started it.
PEAK = "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:]); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(done.returncode)"


def filled(folder: Path) -> Path:
    """Files for the command, with names that need care, beside files that are read without one, and an archive."""
    for place in ("in/odd; $(x) +%é", "in/more", "bad"):
        (folder / place).mkdir(parents=True)
    members = {}
    for number, text in enumerate(texts(47, 40)):
        content = text[::-1].encode()
        members[f"m/{number}.XyZ"] = content
        (folder / f"in/odd; $(x) +%é/{number} 'a\".XYZ").write_bytes(content)
    for number, text in enumerate(texts(48, 10)):
        (folder / f"in/more/{number}.txt").write_text(text)
    members["m/fail.xyz"] = b"fail and more of it"
    members["m/plain.txt"] = b"a text that no command reads"
    (folder / "in/empty.xyz").write_bytes(b"")
    (folder / "in/all.tar").write_bytes(packed(members))
    (folder / "in/more/none.doc").write_bytes(b"no command is for it")
    for name in ("fail", "hang", "long", "bytes", "noise"):
        (folder / f"bad/{name}.xyz").write_text(f"{name} and more of it")
    (folder / "bad/good.txt").write_text("a good text")
    return folder


def store_extracting(c: Checks) -> None:
    folder = c.work / "store-extracting"
    script, scratch = folder / "reverse.py", folder / "scratch"
    filled(folder / "files")
    scratch.mkdir()
    script.write_text(SCRIPT)
    (folder / "large.py").write_text(LARGE)
    command = f"xyz='{sys.executable}' -IS '{script}' {{}}"
    web(c, folder, command, scratch)
    with moto() as port:
        if is_missing(c, "store_extracting", port):
            return
        bucket, url = Bucket(port, "extracts"), f"http://127.0.0.1:{port}"
        bucket.put_tree(folder / "files", "x")
        expected = same_bytes(c, folder, url, command, scratch)
        bad_documents(c, folder, url, command, scratch)
        commands(c, folder, url, command)
        with serving(Proxy, target=("127.0.0.1", port), fault=None) as proxy:
            faults(c, folder, bucket, proxy, command, scratch, expected)
            stopped(c, folder, proxy, command, scratch)
        bounded(c, folder, bucket, url, scratch)
    # Checkpoints of runs that failed stay, as --scratch asks for.
    left = [path for path in scratch.iterdir() if path.suffix != ".scratch"]
    c.check("store extracting: no copy is left", not left, left)


def same_bytes(c: Checks, folder: Path, url: str, command: str, scratch: Path) -> dict:
    """From objects the same result as from files of these names, for any threads, memory and verb."""
    (folder / "s3:/extracts").mkdir(parents=True)
    (folder / "s3:/extracts/x").symlink_to(folder / "files")
    shared = ("-q", "--tables", "tsv", "-t", "0.6", "--extract", command)
    first = None
    for verb, *options in (("dedup",), ("cluster",), ("dedup", "--mark")):
        label = f"store extracting {verb} {' '.join(options)}"
        local = c.out(f"{label} files")
        done = c.run(verb, "s3:/extracts/x/in", "-o", local, *shared, *options, cwd=folder)
        if not c.check(f"{label}: runs on files", done.returncode == 0, done.stderr):
            return {}
        expected = located(tree_of(local), "s3:/extracts/x/in/")
        summary = summary_of(local)
        # Those of the command and an empty one, as many of the archive and one that no command reads, the others.
        told = (summary["documents"], summary["problems"], summary["skipped_files"])
        c.check(f"{label}: the command reads files and members", told == (40 + 1 + 40 + 1 + 10, 1, 1) and summary["clusters"] > 20, (told, summary["clusters"]))
        first = first or expected
        every = (("-j", "2", "--scratch", scratch), ("-j", "1"), ("-j", "7", "--memory", "1"), ("-j", "3", "--resume"))
        for more in every[:1] if verb == "cluster" or options else every:
            out = c.out(f"{label} {' '.join(map(str, more))}")
            done = run(c, url, verb, "s3://extracts/x/in", "-o", out, *shared, *options, *more, cwd=folder)
            if not c.check(f"{label} {more}: runs", done.returncode == 0, done.stderr):
                continue
            got = located(tree_of(out), "s3://extracts/x/in/")
            different = [path for path in expected.keys() | got.keys() if expected.get(path) != got.get(path) and path != "summary.json"]
            c.check(f"{label} {more}: the same bytes", not different, different)
            same = [summary[key] == summary_of(out)[key] for key in ("documents", "kept", "removed", "problems", "skipped_files", "clusters") if key in summary]
            c.check(f"{label} {more}: the same counts", all(same), same)
    left = [path for path in folder.iterdir() if path.name.startswith("lookalike")]
    c.check("store extracting: nothing is left where the runs were", not left, left)
    return first


def bad_documents(c: Checks, folder: Path, url: str, command: str, scratch: Path) -> None:
    """A command that fails, hangs or writes too much makes a bad record of its object, as of a file."""
    out, local = c.out("store extracting bad"), c.out("store extracting bad files")
    options = ("--tables", "tsv", "-q", "--extract", command, "--extract-timeout", "2", "--max-record", "1MiB")
    done = run(c, url, "dedup", "s3://extracts/x/bad", "-o", out, *options, "--scratch", scratch)
    c.run("dedup", "s3:/extracts/x/bad", "-o", local, *options, cwd=folder)
    problems = (out / "problems.tsv").read_text() if done.returncode == 0 else done.stderr
    for words in ("the file is encrypted", "took longer than 2 s", "max_record", "is not UTF-8"):
        c.check(f"store extracting: {words}", done.returncode == 0 and words in problems, problems)
    same = located(tree_of(out), "s3://extracts/x/bad/"), located(tree_of(local), "s3:/extracts/x/bad/")
    c.check("store extracting: bad records as of files", same[0]["problems.tsv"] == same[1]["problems.tsv"], same)
    c.check("store extracting: others are read", summary_of(out)["problems"] == 4 and summary_of(out)["kept"] == 2, problems)
    # The path of a copy is another one each time; messages name the object.
    named = f"xyz='{sys.executable}' -c 'import sys; sys.exit(\"cannot read \" + sys.argv[1])' {{}}"
    out = c.out("store extracting named")
    done = run(c, url, "dedup", "s3://extracts/x/bad", "-o", out, "--tables", "tsv", "-q", "--extract", named, "--scratch", scratch)
    said = (out / "problems.tsv").read_text() if out.exists() else done.stderr
    c.check("store extracting: messages of commands name the object", said.count("cannot read s3://extracts/x/bad/") == 5 and "lookalike-object" not in said, said)
    done = run(c, url, "dedup", "s3://extracts/x/bad", "-o", c.out("store extracting strict"), "-q", "--extract", command, "--strict", "--scratch", scratch)
    c.check("store extracting: a strict run stops", done.returncode == 3 and "s3://extracts/x/bad/" in done.stderr, done.stderr)


def commands(c: Checks, folder: Path, url: str, command: str) -> None:
    """What reads collections beside dedup and cluster."""
    extract = ("--extract", command)
    ledger = table_of(c.out("store extracting dedup  -j 1") / "ledger.tsv")
    row = next(row for row in ledger[1:] if "odd; " in row[0] and row[3].endswith(".XyZ"))
    runs = c.out("store extracting dedup  -j 1")
    done = run(c, url, "explain", row[0], row[3], "--run", runs, *extract, cwd=folder)
    c.check("store extracting: explain", done.returncode == 0, done.stderr)
    done = run(c, url, "explain", row[0], row[3], "--run", runs, cwd=folder)
    c.check("store extracting: explain starts no command of a result", done.returncode != 0 and "--extract" in done.stderr, done.stderr)
    done = run(c, url, "plan", "s3://extracts/x/in", *extract, cwd=folder)
    c.check("store extracting: plan", done.returncode == 0, done.stderr)
    run(c, url, "index", "create", folder / "texts.index")
    done = run(c, url, "index", "add", folder / "texts.index", "s3://extracts/x/in", *extract, cwd=folder)
    c.check("store extracting: index add", done.returncode == 0, done.stderr)
    done = run(c, url, "dedup", row[0].replace("'", "?"), "-o", c.out("store extracting pattern"), "-q", *extract, cwd=folder)
    c.check("store extracting: a pattern", done.returncode == 0 and summary_of(c.out("store extracting pattern"))["documents"] == 1, done.stderr)
    done = run(c, url, "dedup", "s3://extracts/x/bad/fail.xyz", "-o", c.out("store extracting unknown"), "-q", cwd=folder)
    c.check("store extracting: without a command the format is unknown", done.returncode == 1 and "unknown format" in done.stderr, done.stderr)


def faults(c: Checks, folder: Path, bucket: Bucket, proxy, command: str, scratch: Path, expected: dict) -> None:
    """Faults while objects are copied: retried, or an error that names the object, and no result."""
    def attempt(label: str, fault) -> tuple:
        out = c.out(f"store extracting fault {label}")
        with proxy.lock:
            proxy.fault, proxy.seen[:] = fault, []
        done = run(c, proxy.url, "dedup", "s3://extracts/x/in", "-o", out, "-q", "--tables", "tsv", "-t", "0.6", "--extract", command, "--scratch", scratch, cwd=folder)
        return done, out

    for label, fault in (("every second request busy", faults_on(".XYZ", BUSY, 2)), ("every third body cut", faults_on(".XYZ", "cut", 3))):
        done, out = attempt(label, fault)
        same = done.returncode == 0 and located(tree_of(out), "s3://extracts/x/in/")
        different = [path for path in expected if not same or path != "summary.json" and same.get(path) != expected[path]]
        c.check(f"store extracting: {label}: the same result", not different, (done.stderr, different))
    for label, fault, code, words in (
        ("denied in the middle", faults_on(".XYZ", DENIED, first=20), 1, "403 (AccessDenied)"),
        ("denied in the second reading", faults_on(".XYZ", DENIED, first=50), (1, 3), ".XYZ"),
        ("always busy", faults_on("/31 '", BUSY), 1, "503"),
        ("gone in the middle", lambda _, path, count: (404, b"") if "/31 '" in path and count > 4 else None, 3, "changed while it was read"),
        ("the archive is denied", faults_on("all.tar", DENIED), 1, "all.tar"),
    ):
        done, out = attempt(label, fault)
        ok = done.returncode in (code if isinstance(code, tuple) else (code,)) and words in done.stderr and not out.exists()
        c.check(f"store extracting: {label}: a clear error and no result", ok, (done.returncode, done.stderr))
    # An object that is another one after the list was made.
    key = "x/in/odd; $(x) +%é/31 'a\".XYZ"
    content = bucket.ask("GET", key)[1]

    def replace(_: str, path: str, __: int):
        if "/21 '" in path:
            bucket.put(key, content[:-1] + b"?")

    done, out = attempt("replaced", replace)
    c.check("store extracting: an object that changes stops the run", done.returncode == 3 and "changed while it was read" in done.stderr and not out.exists(), (done.returncode, done.stderr))
    bucket.put(key, content)
    with proxy.lock:
        proxy.fault = None
    limited(c, bucket, proxy.url, scratch)


def limited(c: Checks, bucket: Bucket, url: str, scratch: Path) -> None:
    """A copy that cannot be written: the run fails, as the text is unknown, and says where there was no room."""
    bucket.put("x/wide/a.xyz", b"x" * (3 << 20))

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

    out = c.out("store extracting full")
    command = [str(part) for part in (c.binary, "dedup", "s3://extracts/x/wide", "-o", out, "-q", "--extract", "xyz=cat {}", "--scratch", scratch)]
    done = subprocess.run(command, env=environment(url), capture_output=True, text=True, preexec_fn=limit, timeout=300)
    ok = done.returncode == 1 and "cannot be copied into" in done.stderr and "a.xyz" in done.stderr and "--scratch" in done.stderr
    c.check("store extracting: a copy that cannot be written", ok and not out.exists(), (done.returncode, done.stderr))


def stopped(c: Checks, folder: Path, proxy, command: str, scratch: Path) -> None:
    """Signals while a command runs, and while an object is copied: the exit code, and no copy."""
    arguments = ["dedup", "s3://extracts/x/bad", "-q", "--extract", command, "--extract-timeout", "4", "-j", "2", "--scratch", scratch, "-o"]
    for label, number, code, group, fault in (
        ("Ctrl-C while commands run", signal.SIGINT, 130, True, None),
        ("SIGTERM while commands run", signal.SIGTERM, 143, False, None),
        ("SIGINT while copying", signal.SIGINT, 130, False, 1.5),
    ):
        with proxy.lock:
            proxy.seen[:] = []
            proxy.fault = lambda method, path, _, wait=fault: wait if wait and path.endswith("hang.xyz") and method == "GET" else None
        out = c.out(f"store extracting {label}")
        running = subprocess.Popen([str(part) for part in (c.binary, *arguments, out)], env=environment(proxy.url), start_new_session=True, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        copies = lambda: [path for path in scratch.glob("lookalike-object-*/*")]
        asked = lambda: any(method == "GET" and path.endswith("hang.xyz") for method, path in list(proxy.seen))
        while time.monotonic() < deadline and running.poll() is None and not (asked() and (fault or copies())):
            time.sleep(0.01)
        c.check(f"store extracting: {label}: it was copied", asked() and running.poll() is None)
        time.sleep(0.5)
        begin = time.monotonic()
        (os.killpg if group else os.kill)(running.pid, number)
        said = running.communicate(timeout=60)[1]
        took = time.monotonic() - begin
        c.check(f"store extracting: {label}: exit code", running.returncode == code and not out.exists() and took < 15, (running.returncode, took, said))
        left = [path for path in scratch.rglob("*") if "lookalike-object" in str(path)]
        c.check(f"store extracting: {label}: no copy is left", not left, left)
    with proxy.lock:
        proxy.fault = None


def bounded(c: Checks, folder: Path, bucket: Bucket, url: str, scratch: Path) -> None:
    """The memory for a large object is that for a few blocks of it, and the command gets all of it."""
    most = []
    command = f"xyz='{sys.executable}' '{folder / 'large.py'}' {{}}"
    for size in (1 << 10, 96 << 20):
        bucket.put("x/large/a.xyz", os.urandom(1 << 10) * (size >> 10))
        out = c.out(f"store extracting {size}")
        options = ("--extract", command, "--scratch", scratch, "--max-record", "1MiB", "-j", "1")
        arguments = (sys.executable, "-c", PEAK, c.binary, "dedup", "s3://extracts/x/large", "-o", out, "-q", *options)
        done = subprocess.run([str(part) for part in arguments], env=environment(url), capture_output=True, text=True, timeout=300)
        c.check(f"store extracting: an object of {size} bytes", done.returncode == 0, done.stderr)
        most.append(int(done.stdout))
        shown = run(c, url, "show", out, "--grep", f"bytes {size} .xyz", "--extract", command)
        c.check(f"store extracting: the command got {size} bytes under the extension", shown.returncode == 0 and "a.xyz" in shown.stdout, shown.stdout + shown.stderr)
    c.check("store extracting: the memory does not grow with the object", most[1] - most[0] < 48 << 10, most)


def web(c: Checks, folder: Path, command: str, scratch: Path) -> None:
    """Web servers, which may send only whole objects, break off, or deny."""
    text = "words of a page " * 40
    files = {"a.xyz": text[::-1].encode(), "all.tar": packed({"a.xyz": text[::-1].encode()})}
    # An archive to the command, since its extension is not that of one.
    files["b.xyz"] = packed({"a.txt": b"a"})
    plain = c.out("store extracting web plain")
    (folder / "a.txt").write_text(text)
    c.run("dedup", folder / "a.txt", "-o", plain, "-q", "--tables", "tsv")
    expected = [summary_of(plain)[name] for name in ("documents", "tokens", "problems")]
    with serving(Files, files=files) as server:
        def attempt(path: str) -> tuple:
            out = c.out(f"store extracting web {path}")
            asked = path.replace("signed/a.xyz", "signed/a.xyz?sig=a%2Fb")
            return run(c, "", "dedup", f"{server.url}/{asked}", "-o", out, "-q", "--tables", "tsv", "--extract", command, "--scratch", scratch), out

        hows = ("ranges", "whole", "chunked", "busy", "cut", "untagged", "cutwhole", "signed")
        with ThreadPoolExecutor(2) as pool:
            paths = [f"{how}/{name}" for how in hows for name in ("a.xyz", "all.tar") if (how, name) != ("signed", "all.tar")]
            for path, (done, out) in zip(paths, pool.map(attempt, paths)):
                ok = done.returncode == 0 and [summary_of(out)[name] for name in ("documents", "tokens", "problems")] == expected
                c.check(f"store extracting: web {path}", ok, done.stderr)
            for path, code, said in (("denied/a.xyz", 1, "403"), ("missing/a.xyz", 1, "404"), ("short/a.xyz", 1, "a.xyz"), ("changing/a.xyz", 3, "changed")):
                done, out = attempt(path)
                c.check(f"store extracting: web {path}: {said}", done.returncode == code and said in done.stderr and not out.exists(), (done.returncode, done.stderr))
        for how in ("ranges", "whole"):
            done, out = attempt(f"{how}/b.xyz")
            c.check(f"store extracting: web {how}: a file for the command is no archive", done.returncode == 0 and [one["format"] for one in summary_of(out)["inputs"]] == ["extracted"], done.stderr)
