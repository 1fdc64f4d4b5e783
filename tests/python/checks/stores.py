"""Inputs and results by URL: an S3 server, and web servers that misbehave."""
import gzip
import json
import random
import re
import shutil
import signal
import ssl
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from checks.archives import packed
from checks.fault_server import Elsewhere, Files, Proxy, faults_on, serving
from checks.harness import Checks, SAMPLES, summary_of, tree_of
from checks.inputs import collection, records, write_csv
from checks.moto_server import Bucket, environment, is_missing, moto

NEWS = ("-q", "--tables", "tsv")


def run(c: Checks, url: str, *arguments, cwd=None, **variables) -> subprocess.CompletedProcess:
    command = [str(part) for part in (c.binary, *arguments)]
    settings = {**environment(url), **variables}
    settings = {name: value for name, value in settings.items() if value is not None}
    return subprocess.run(command, cwd=cwd, env=settings, capture_output=True, text=True, errors="replace", timeout=300)


def large(path: Path, count: int) -> Path:
    """Records without duplicates."""
    rng = random.Random(11)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8") as out:
        for number in range(count):
            text = " ".join(str(rng.getrandbits(24)) for _ in range(100))
            out.write(json.dumps({"id": f"n{number}", "text": text}) + "\n")
    return path


def filled(folder: Path) -> Path:
    """A directory with a file of each kind."""
    collection(folder / "a/part-0.jsonl", 81, 400)
    collection(folder / "a/part-1.jsonl.gz", 82, 300)
    (folder / "b").mkdir()
    write_csv(folder / "b/table é+%.csv", records(83, 200))
    shutil.copy(SAMPLES / "apache.parquet", folder / "b")
    shutil.copytree(SAMPLES / "pages", folder / "pages")
    (folder / "b/README").write_text("no format\n")
    (folder / "b/.hidden.jsonl").write_text("{}\n")
    (folder / "mails").write_text("From a@b Mon Nov 23 22:30:17 2026\nSubject: x\n\n" + "some text " * 20)
    large(folder / "c/large.jsonl", 14_000)
    (folder / "c/empty.jsonl").write_text("")
    return folder


def object_stores(c: Checks) -> None:
    folder = c.work / "stores"
    web(c, folder / "web")
    elsewhere(c)
    with moto() as port:
        if is_missing(c, "object_stores", port):
            return
        bucket, url = Bucket(port, "docs"), f"http://127.0.0.1:{port}"
        inputs = filled(folder / "in")
        bucket.put_tree(inputs, "in")
        same_bytes(c, bucket, url, inputs)
        patterns(c, bucket, url, inputs)
        results(c, bucket, url, inputs)
        with serving(Proxy, target=("127.0.0.1", port), fault=None) as proxy:
            failing_reads(c, bucket, proxy)
            failing_writes(c, bucket, proxy, inputs)
        messages(c, bucket, url)


def located(tree: dict, place: str) -> dict:
    """A result with one name for the place of its inputs."""
    return {name: content.replace(place.encode(), b"PLACE/") for name, content in tree.items()}


def same_bytes(c: Checks, bucket: Bucket, url: str, inputs: Path) -> None:
    """From a store the same result as from files, for any number of threads; into a store as well."""
    # Documents without an id have the names of their files, which decide ties: names that sort alike.
    (c.work / "s3:").mkdir()
    (c.work / "s3:/docs").symlink_to(inputs.parent)
    digests = {}
    for verb, *options in (("dedup",), ("cluster",), ("dedup", "--mark"), ("dedup", "--tables", "parquet")):
        label = f"stores {verb} {' '.join(options)}"
        tables = () if "--tables" in options else ("--tables", "tsv")
        local = c.out(f"{label} files")
        done = c.run(verb, "s3:/docs/in", "-o", local, "-q", *tables, *options, cwd=c.work)
        if not c.check(f"{label}: runs on files", done.returncode == 0, done.stderr):
            return
        expected = located(tree_of(local), "s3:/docs/in/")
        for threads, target in ((1, "directory"), (2, "store"), (7, "directory")):
            out = c.out(f"{label} {threads}")
            name = f"{label} on {threads} threads into a {target}"
            prefix = f"results/{re.sub(r'[^a-z0-9]+', '-', name)}"
            place = f"s3://docs/{prefix}" if target == "store" else out
            done = run(c, url, verb, "s3://docs/in", "-o", place, "-q", "-j", threads, *tables, *options, cwd=c.work)
            if not c.check(f"{name}: runs", done.returncode == 0, done.stderr):
                continue
            if target == "store":
                bucket.get_tree(prefix, out)
                c.check(f"{name}: only the result", not any("lookalike" in key for key in bucket.keys(prefix)), bucket.keys(prefix))
            got = located(tree_of(out), "s3://docs/in/")
            if "parquet" not in options:
                # Marks name files, also in compressed ones, in which the place cannot be replaced.
                packed = (".gz", ".parquet") if "--mark" in options else ()
                different = [path for path in expected.keys() | got.keys() if expected.get(path) != got.get(path)]
                different = [path for path in different if path != "summary.json" and not path.endswith(packed)]
                c.check(f"{name}: the same bytes", not different, different)
            one, other = summary_of(local), summary_of(out)
            same = [one[key] == other[key] for key in ("documents", "kept", "removed") if key in one]
            # The digest covers the names of the inputs.
            digest = digests.setdefault((verb, *options), other["digest"])
            c.check(f"{name}: the same counts and digest", all(same) and digest == other["digest"], (one, other["digest"]))
    c.check("stores: nothing is left in the working directory", not list(c.work.glob("*partial*")), list(c.work.glob("*partial*")))
    # A budget that spills, and a plan.
    out = c.out("stores memory")
    done = run(c, url, "dedup", "s3://docs/in", "-o", out, *NEWS, "--memory", "1", cwd=c.work)
    kept = located(tree_of(out), "s3://docs/in/")["kept/a/part-0.jsonl"] if done.returncode == 0 else None
    c.check("stores: any memory budget", kept == tree_of(c.out("stores dedup  files"))["kept/a/part-0.jsonl"], done.stderr)
    done = run(c, url, "plan", "s3://docs/in/c/large.jsonl", cwd=c.work)
    c.check("stores: plan", done.returncode == 0, done.stderr)
    done = run(c, url, "dedup", "s3://docs/in/c/large.jsonl", "-o", "-", "-q", cwd=c.work)
    c.check("stores: to standard output", done.stdout.encode() == (inputs / "c/large.jsonl").read_bytes(), done.stderr)
    run(c, url, "index", "create", c.work / "stores.index")
    done = run(c, url, "index", "add", c.work / "stores.index", "s3://docs/in/a", cwd=c.work)
    c.check("stores: index add", done.returncode == 0, done.stderr)


def patterns(c: Checks, bucket: Bucket, url: str, inputs: Path) -> None:
    for arguments, expected in (
        (["s3://docs/in/a/*.jsonl"], ["a/part-0.jsonl"]),
        (["s3://docs/in/a/"], ["a/part-0.jsonl", "a/part-1.jsonl.gz"]),
        (["s3://docs/in/[ac]"], ["a/part-0.jsonl", "a/part-1.jsonl.gz", "c/empty.jsonl", "c/large.jsonl"]),
        (["s3://docs/in/**/*.csv"], ["b/table é+%.csv"]),
        (["s3://docs/in/b/table é+%.csv"], ["b/table é+%.csv"]),
        (["s3a://docs/in/a/part-0.jsonl", "s3://docs/in/a/part-1.jsonl.gz"], ["a/part-0.jsonl", "a/part-1.jsonl.gz"]),
        (["s3://docs/in/mails"], ["mails"]),
    ):
        out = c.out("pattern " + " ".join(arguments))
        done = run(c, url, "cluster", *arguments, "-o", out, *NEWS, cwd=c.work)
        got = sorted(re.sub(r"^s3a?://docs/in/", "", one["name"]) for one in summary_of(out).get("inputs", []))
        c.check(f"stores: {' '.join(arguments)}", done.returncode == 0 and got == sorted(expected), done.stderr or got)
    for keys, wanted in ((("in/b/", "in/**/README"), ["in/**/README"]), (("in/b/RE*", "in/b/t*"), ["in/b/RE*"]), (("in",), [])):
        out = c.out(f"skipped {' '.join(keys)}")
        done = run(c, url, "cluster", *(f"s3://docs/{key}" for key in keys), "-o", out, *NEWS, cwd=c.work)
        found = [(one["input"], one["skipped"], one["read"]) for one in summary_of(out).get("mostly_skipped", [])]
        c.check(f"stores: mostly skipped of {keys}", done.returncode == 0 and found == [(f"s3://docs/{key}", 1, 0) for key in wanted], (found, done.stderr))
    bucket.put("packed/docs.tar", packed({"a.txt": b"the only text", "b.pdf": b"x", "c.pdf": b"x"}))
    out = c.out("skipped in an archive in a store")
    done = run(c, url, "cluster", "s3://docs/packed", "s3://docs/packed/docs.tar", "-o", out, *NEWS, cwd=c.work)
    found = [(one["input"], one["skipped"], one["read"]) for one in summary_of(out).get("mostly_skipped", [])]
    once = summary_of(out).get("documents") == 1
    c.check("stores: an archive that is named twice is read once", once and found == [("s3://docs/packed", 2, 1), ("s3://docs/packed/docs.tar", 2, 1)], (found, done.stderr))
    skipped = run(c, url, "cluster", "s3://docs/in/b", "-o", c.out("skipped in a store"), "-v", cwd=c.work)
    c.check("stores: skipped objects are named", "s3://docs/in/b/README: skipped" in skipped.stderr, skipped.stderr)


def results(c: Checks, bucket: Bucket, url: str, inputs: Path) -> None:
    """An existing result is replaced with --force only, and nothing else is ever deleted."""
    place, docs = "s3://docs/out/x", inputs / "a/part-0.jsonl"
    bucket.put("out/xy/foreign", b"stays")
    for options, code, words in (
        ((), 0, ""), ((), 1, "already exists"), (("--force", "--tables", "jsonl"), 0, ""),
    ):
        done = run(c, url, "dedup", docs, "-o", place, "-q", *options, cwd=c.work)
        c.check(f"stores: result {options} ends with {code}", done.returncode == code and words in done.stderr, done.stderr)
    keys = bucket.keys("out/")
    c.check("stores: replaced whole", "out/x/ledger.jsonl" in keys and "out/x/ledger.parquet" not in keys, keys)
    c.check("stores: neighbours stay", "out/xy/foreign" in keys, keys)
    done = run(c, url, "dedup", docs, "-o", "s3://docs/out/xy", "--force", "-q", cwd=c.work)
    c.check("stores: other objects are not replaced", done.returncode == 1 and "not a lookalike result" in done.stderr, done.stderr)
    for output, words in (
        ("https://127.0.0.1/x", "nothing can be written to a web server"), ("s3://docs", "whole bucket"),
        ("ftp://docs/x", "unknown scheme"),
    ):
        done = run(c, url, "dedup", docs, "-o", output, "-q", cwd=c.work)
        c.check(f"stores: {output} is refused", done.returncode == 1 and words in done.stderr, done.stderr)
    done = run(c, url, "dedup", "s3://docs/in/a", "-o", "s3://docs/in", "-q", "--force", cwd=c.work)
    c.check("stores: inputs are not overwritten", done.returncode == 1 and "in/a/part-0.jsonl" in bucket.keys("in/a"), done.stderr)
    done = run(c, url, "recluster", place, "-t", "0.9", "-o", c.out("stores recluster"), cwd=c.work)
    c.check("stores: recluster reads local runs", done.returncode == 1 and "local directories only" in done.stderr, done.stderr)
    # The result of an input prefix that contains the output is not read again.
    bucket.put("mixed/docs.jsonl", docs.read_bytes())
    for _ in range(2):
        done = run(c, url, "cluster", "s3://docs/mixed", "-o", "s3://docs/mixed/found", "--force", *NEWS, cwd=c.work)
        names = summary_of(bucket.get_tree("mixed/found", c.out("mixed"))).get("inputs", [])
        c.check("stores: a result inside the inputs is no input", done.returncode == 0 and len(names) == 1, done.stderr or names)


def failing_reads(c: Checks, bucket: Bucket, proxy) -> None:
    """Faults of the network are retried; what stays broken is named, and there is no result."""
    source, name = "s3://docs/in/c/large.jsonl", "/docs/in/c/large.jsonl"
    plain = c.out("stores faultless")
    run(c, proxy.url, "dedup", source, "-o", plain, *NEWS)

    def attempt(label: str, fault, *arguments) -> tuple:
        out = c.out(f"stores fault {label}")
        with proxy.lock:
            proxy.fault, proxy.seen[:] = fault, []
        done = run(c, proxy.url, "dedup", source, "-o", out, *NEWS, *arguments, cwd=c.work)
        return done, out

    busy = (503, b"<Error><Code>SlowDown</Code></Error>")
    for label, fault in (("every second request busy", faults_on(name, busy, 2)), ("every third body cut", faults_on(name, "cut", 3))):
        done, out = attempt(label, fault)
        same = done.returncode == 0 and tree_of(out) == tree_of(plain)
        c.check(f"stores: {label}: the same result", same, done.stderr)
    denied = (403, b"<Error><Code>AccessDenied</Code><Message>no</Message></Error>")
    region = (400, b"<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-west-1</Region></Error>")
    for label, fault, words in (
        ("denied in the middle", faults_on(name, denied, first=2), ("403 (AccessDenied)", "large.jsonl", "AWS_SKIP_SIGNATURE")),
        ("gone in the middle", lambda _, path, count: (404, b"") if name in path and count > 4 else None, ("changed while it was read",)),
        ("wrong region", lambda *_: region, ("400", "AWS_REGION")),
        ("always busy", faults_on(name, busy, first=2), ("503", "run again later", "large.jsonl")),
    ):
        done, out = attempt(label, fault)
        code = 3 if "changed" in words[0] else 1
        ok = done.returncode == code and all(word in done.stderr for word in words) and not out.exists()
        c.check(f"stores: {label}: a clear error and no result", ok, (done.returncode, done.stderr))
    # An object that is replaced between the two readings, and within one.
    content = bucket.ask("GET", "in/c/large.jsonl")[1]
    for label, when in (("within the first reading", 4), ("later", 9)):
        def replace(method: str, asked: str, count: int, when=when):
            if count == when:
                bucket.put("in/c/large.jsonl", content[:-1] + b" ")
            return None

        done, out = attempt(f"changed {label}", replace)
        ok = done.returncode == 3 and "changed while it was read" in done.stderr and not out.exists()
        c.check(f"stores: an object that changes {label} stops the run", ok, (done.returncode, done.stderr))
        bucket.put("in/c/large.jsonl", content)
    with proxy.lock:
        proxy.fault = None


def failing_writes(c: Checks, bucket: Bucket, proxy, inputs: Path) -> None:
    """A result in a store is whole or has no summary.json, whatever fails."""
    docs, place = inputs / "c/large.jsonl", "s3://docs/broken/out"
    folder = c.work / "broken"
    folder.mkdir()

    def attempt(fault, *options) -> subprocess.CompletedProcess:
        with proxy.lock:
            proxy.fault, proxy.seen[:] = fault, []
        return run(c, proxy.url, "dedup", docs, "-o", place, "-q", *options, cwd=folder)

    def fail(part: str, status: int, times: int = 10 ** 6):
        left = [times]

        def fault(method: str, asked: str, _: int):
            if method == "PUT" and part in asked and left[0] > 0:
                left[0] -= 1
                return status, b"<Error><Code>Fault</Code></Error>"
            return None

        return fault

    for label, part in (("a table", "ledger"), ("a part", "partNumber=2"), ("the summary", "summary.json"), ("the first object", ".lookalike-unfinished")):
        done = attempt(fail(part, 403))
        ok = done.returncode == 1 and "403 (Fault)" in done.stderr and "complete result is in" in done.stderr
        c.check(f"stores: {label} cannot be written: an error that says where the result is", ok, done.stderr)
        c.check(f"stores: {label} cannot be written: nothing is left", bucket.keys("broken/") == [] and bucket.uploads() == 0, (bucket.keys("broken/"), bucket.uploads()))
        left = list(folder.glob("out.partial-*"))
        c.check(f"stores: {label} cannot be written: the local result is whole", len(left) == 1 and (left[0] / "summary.json").is_file(), left)
        for path in left:
            shutil.rmtree(path)
    done = attempt(fail("/broken/out/", 503, times=3))
    c.check("stores: a busy store is asked again", done.returncode == 0 and "broken/out/summary.json" in bucket.keys("broken/"), done.stderr)
    order = [path for method, path in proxy.seen if method == "PUT" and "/broken/out/" in path]
    c.check("stores: the summary is written last", "summary.json" in order[-1] and ".lookalike-unfinished" in order[0], order[-3:])
    # With --force the earlier summary goes first, so that no reader takes a mixture for a result.
    done = attempt(None, "--force", "--tables", "tsv")
    changes = [(method, path) for method, path in proxy.seen if method in ("PUT", "POST", "DELETE") and "/broken" in path or method == "POST"]
    firsts = [path for method, path in changes if "unfinished" not in path][0]
    c.check("stores: --force removes the earlier summary first", done.returncode == 0 and ("summary.json" in firsts or "delete" in firsts), changes[:3])
    # Signals in the middle of writing.
    for name, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)):
        bucket_before = bucket.keys("broken/")
        for key in bucket_before:
            bucket.ask("DELETE", key)
        with proxy.lock:
            proxy.seen[:] = []
            proxy.fault = lambda method, asked, _: 1.0 if method == "PUT" and "kept" in asked else None
        command = [str(c.binary), "dedup", str(docs), "-o", place, "-q"]
        process = subprocess.Popen(command, cwd=folder, env=environment(proxy.url), stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and process.poll() is None and not any(m == "PUT" and "kept" in p for m, p in list(proxy.seen)):
            time.sleep(0.01)
        process.send_signal(name)
        said = process.communicate(timeout=90)[1]
        c.check(f"stores: {name.name} while writing: exit code", process.returncode == code, (process.returncode, said))
        keys = bucket.keys("broken/")
        c.check(f"stores: {name.name} while writing: no summary", not any("summary.json" in key for key in keys), keys)
        if name != signal.SIGKILL:
            c.check(f"stores: {name.name} while writing: nothing is left", keys == [] and bucket.uploads() == 0 and not list(folder.iterdir()), (keys, bucket.uploads(), list(folder.iterdir())))
    done = attempt(None)
    c.check("stores: what a killed run left is replaced", done.returncode == 0 and "broken/out/summary.json" in bucket.keys("broken/"), done.stderr)
    # Two writers: the marker of another one is found before the summary is written.
    def intrude(method: str, asked: str, _: int):
        if method == "PUT" and "clusters" in asked:
            bucket.put("broken/two/.lookalike-unfinished", b"another")
        return None

    with proxy.lock:
        proxy.fault = intrude
    done = run(c, proxy.url, "dedup", docs, "-o", "s3://docs/broken/two", "-q", cwd=folder)
    ok = done.returncode == 1 and "another run" in done.stderr and "broken/two/summary.json" not in bucket.keys("broken/two")
    c.check("stores: of two writers at most one ends with a result", ok, done.stderr)
    with proxy.lock:
        proxy.fault = None
    resumed(c, bucket, proxy, docs)


def resumed(c: Checks, bucket: Bucket, proxy, docs: Path) -> None:
    """A run on objects continues from its checkpoints, and not if an object is another one."""
    folder = c.work / "store-resume"
    folder.mkdir()
    with proxy.lock:
        proxy.fault = lambda method, asked, _: (403, b"") if method == "PUT" and "ledger" in asked else None
    arguments = ("dedup", "s3://docs/in/a", "-o", "s3://docs/resumed/out", "-q", "--resume")
    done = run(c, proxy.url, *arguments, cwd=folder)
    kept = (folder / "out.scratch").is_dir()
    c.check("stores: a run that cannot write keeps its checkpoints", done.returncode == 1 and kept, done.stderr)
    with proxy.lock:
        proxy.fault = None
    content = bucket.ask("GET", "in/a/part-0.jsonl")[1]
    bucket.put("in/a/part-0.jsonl", content[:-1] + b" ")
    done = run(c, proxy.url, *arguments, cwd=folder)
    c.check("stores: checkpoints of other objects are not used", done.returncode == 1 and "do not match" in done.stderr, done.stderr)
    bucket.put("in/a/part-0.jsonl", content)
    done = run(c, proxy.url, *arguments, cwd=folder)
    told = done.returncode == 0 or "do not match" in done.stderr
    c.check("stores: the run continues", told, done.stderr)
    if done.returncode == 0:
        out = summary_of(bucket.get_tree("resumed/out", c.out("store resumed")))
        c.check("stores: it took what was done", "reading" in out["run"].get("resumed", []), out["run"].get("resumed"))
        c.check("stores: nothing is left of it", not list(folder.iterdir()), list(folder.iterdir()))


def messages(c: Checks, bucket: Bucket, url: str) -> None:
    """What goes wrong first with a store has a message that says what to do."""
    no_keys = {"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None}
    refused = {"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}
    cases = (
        ("s3://docs/in/a/none.jsonl", {}, "no such object (404)"),
        ("s3://docs/in/none/*.jsonl", {}, "no file matches"),
        ("s3://no-such-bucket/a.jsonl", {}, "no-such-bucket"),
        ("s3://docs/in/a", no_keys, "there are no credentials; set AWS_ACCESS_KEY_ID"),
        ("s3://docs/in/a", refused, "check the address, the endpoint and the network"),
        ("hf://docs/a.jsonl", {}, "unknown scheme"),
        ("s3://docs/in/b/README", {}, "unknown format"),
        ("http://127.0.0.1:9/a.jsonl", {}, "check the address, the endpoint and the network"),
    )
    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(run, c, url, "dedup", case[0], "-o", c.out(f"message {at}"), "-q", **case[1]) for at, case in enumerate(cases)]
        for at, (case, job) in enumerate(zip(cases, jobs)):
            done = job.result()
            ok = done.returncode == 1 and case[2] in done.stderr and not c.out(f"message {at}").exists()
            c.check(f"stores: {case[0]} {case[1]}: {case[2]}", ok, (done.returncode, done.stderr))
    bucket.put("public/docs.jsonl", b'{"text": "for everybody"}\n', **{"x-amz-acl": "public-read"})
    done = run(c, url, "dedup", "s3://docs/public/docs.jsonl", "-o", c.out("anonymous"), "-q", AWS_SKIP_SIGNATURE="true", **no_keys)
    c.check("stores: without a signature", done.returncode == 0, done.stderr)


def web(c: Checks, folder: Path) -> None:
    """Web servers: with and without ranges, busy, cut off, denied; the same result or a clear error."""
    docs = large(folder / "docs.jsonl", 7_000)
    files = {"docs.jsonl": docs.read_bytes(), "docs.jsonl.gz": gzip.compress(docs.read_bytes(), mtime=0),
             "apache.parquet": (SAMPLES / "apache.parquet").read_bytes(), "empty.jsonl": b"", "mails": b"no format"}
    expected = {}
    for name in ("docs.jsonl", "docs.jsonl.gz", "apache.parquet"):
        (folder / name).write_bytes(files[name])
        out = c.out(f"web {name}")
        c.run("dedup", folder / name, "-o", out, *NEWS)
        expected[name] = located(tree_of(out), f"{folder}/{name}")
        expected[name].pop("summary.json")
    scratch = folder / "scratch"
    scratch.mkdir()
    with serving(Files, files=files) as server:
        def attempt(how: str, name: str, threads: int = 2) -> tuple:
            out = c.out(f"web {how} {name} {threads}")
            return run(c, server.url, "dedup", f"{server.url}/{how}", "-o", out, *NEWS, "-j", threads, "--scratch", scratch), out

        good = ("ranges", "whole", "chunked", "busy", "cut", "untagged", "cutwhole")
        with ThreadPoolExecutor(2) as pool:
            jobs = {}
            for name in expected:
                for how in (*good, "signed"):
                    path = f"{how}/{name}" + ("?sig=a%2Fb" if how == "signed" else "")
                    jobs[how, name] = pool.submit(attempt, path, name)
            for (how, name), job in jobs.items():
                done, out = job.result()
                if c.check(f"web: {how} {name}: runs", done.returncode == 0, done.stderr):
                    tree = located(tree_of(out), f"{server.url}/{how}/{name}")
                    tree.pop("summary.json")
                    c.check(f"web: {how} {name}: the same result", tree == expected[name], [k for k in tree if tree[k] != expected[name].get(k)])
                    written = [path.read_bytes() for path in out.rglob("*") if path.is_file()]
                    c.check(f"web: {how} {name}: no signature in the result", not any(b"sig=" in content for content in written))
        bad = {
            "denied/docs.jsonl": (1, "403"), "missing/docs.jsonl": (1, "404"), "broken/docs.jsonl": (1, "503"),
            "short/docs.jsonl": (1, "docs.jsonl"), "wrong/docs.jsonl": (1, "another number of bytes"),
            "changing/docs.jsonl": (3, "changed while it was read"), "ranges/mails": (1, "unknown format"),
            "whole/mails": (1, "unknown format"), "ranges/empty.jsonl": (1, "the inputs hold no documents"),
        }
        with ThreadPoolExecutor(3) as pool:
            jobs = {path: pool.submit(attempt, path, path) for path in bad}
            for path, job in jobs.items():
                (done, out), (code, words) = job.result(), bad[path]
                ok = done.returncode == code and words in done.stderr and (not out.exists() or "empty" in path)
                c.check(f"web: {path}: {words}", ok, (done.returncode, done.stderr))
    encrypted(c, files["docs.jsonl"], folder)
    # Checkpoints of runs that failed stay, as --scratch asks for.
    left = [path for path in scratch.iterdir() if path.suffix != ".scratch"]
    c.check("web: no temporary file is left", not left, left)


def elsewhere(c: Checks) -> None:
    """No credential reaches another host, and a listing without an end is an error."""
    files = {"docs.jsonl": b'{"text": "some words of a document"}\n' * 2}
    secrets = {"AWS_SESSION_TOKEN": "SECRET-TOKEN"}
    with serving(Elsewhere, files=files, elsewhere="") as other, serving(Elsewhere, files=files, elsewhere=other.url) as first:
        done = run(c, first.url, "dedup", "s3://ranges/docs.jsonl", "-o", c.out("redirected store"), "-q", **secrets)
        c.check("stores: a redirect to another host is refused", done.returncode == 1 and "another host" in done.stderr, done.stderr)
        c.check("stores: the other host sees nothing", first.seen and not other.seen, other.seen)
        done = run(c, first.url, "dedup", "s3://docs/a", "-o", c.out("endless"), "-q")
        c.check("stores: a listing without an end is an error", done.returncode == 1 and "twice" in done.stderr, done.stderr)
        out = c.out("redirected web")
        done = run(c, first.url, "dedup", f"{first.url}/ranges/docs.jsonl?sig=SECRET", "-o", out, "-q")
        c.check("web: redirects are followed", done.returncode == 0 and summary_of(out)["documents"] == 2, done.stderr)
        c.check("web: the other host does not see the address", other.seen and "SECRET" not in str(other.seen), other.seen)


def encrypted(c: Checks, content: bytes, folder: Path) -> None:
    """TLS: a certificate of a known authority is accepted, and no other one."""
    if not shutil.which("openssl"):
        print("SKIPPED: object_stores: https: there is no openssl to make certificates with", flush=True)
        return
    (folder / "extensions").write_text("subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\n")
    for arguments in (
        "req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=authority",
        "req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN=127.0.0.1",
        "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile extensions -out server.pem",
    ):
        subprocess.run(["openssl", *arguments.split()], cwd=folder, capture_output=True, check=True)
    with serving(Files, files={"docs.jsonl": content}) as server:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "server.pem", folder / "server.key")
        server.socket = context.wrap_socket(server.socket, server_side=True)
        for how in ("ranges", "chunked"):
            url = f"{server.url.replace('http:', 'https:')}/{how}/docs.jsonl"
            done = run(c, "", "dedup", url, "-o", "-", "-q", SSL_CERT_FILE=str(folder / "ca.pem"))
            c.check(f"https: {how}: the same records", done.stdout.encode() == content, done.stderr)
            done = run(c, "", "dedup", url, "-o", "-", "-q")
            c.check(f"https: {how}: an unknown authority is refused", done.returncode == 1 and "certificate" in done.stderr, done.stderr)
