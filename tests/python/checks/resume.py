"""Interrupted runs and --resume."""
import itertools
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path

from checks.harness import Checks, left_behind, summary_of, tree_of
from checks.inputs import LETTERS, collection, words


def interruption(c: Checks) -> None:
    """SIGINT and SIGTERM leave nothing half-made, say what is kept, and have exit codes of their own."""
    folder = c.work / "interrupted"
    folder.mkdir()
    big = folder / "big.jsonl"
    rng = random.Random(7)
    with open(big, "w", encoding="utf-8") as out:
        for number in range(40_000):
            out.write(json.dumps({"id": number, "text": " ".join(str(rng.getrandbits(24)) for _ in range(180))}) + "\n")
    scratch = folder / "out.scratch"
    for name, threads, keeps in itertools.product((signal.SIGINT, signal.SIGTERM), (1, 2, 8), (False, True)):
        label = f"{name.name} on {threads} threads{', keeping' if keeps else ''}"
        command = [str(c.binary), "dedup", str(big), "-o", str(folder / "out"), "-q", "-j", str(threads), *(["--resume"] if keeps else [])]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 30
        while not left_behind(folder) and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        process.send_signal(name)
        try:
            said = process.communicate(timeout=60)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            said = "did not stop within a minute"
        code = 130 if name == signal.SIGINT else 143
        c.check(f"{label}: exit code {code}", process.returncode == code, f"exit {process.returncode}: {said}")
        told = "interrupted" in said and (not keeps or (str(scratch) in said and "--resume" in said and "delete" in said))
        c.check(f"{label}: says what is kept", told, said)
        c.check(f"{label}: no half-made result", not (folder / "out").exists() and not left_behind(folder), os.listdir(folder))
        c.check(f"{label}: keeps what it says", scratch.exists() == keeps, os.listdir(folder))
        if keeps:
            again = c.run("dedup", big, "-o", folder / "out", "-q")
            said = again.returncode == 1 and str(scratch) in again.stderr and "--resume" in again.stderr and "delete" in again.stderr
            c.check(f"{label}: the next run says the same", said, again.stderr)
            shutil.rmtree(scratch, ignore_errors=True)


def start(c: Checks, out: Path, *arguments) -> subprocess.Popen:
    threads = () if "-j" in arguments else ("-j", "1")
    command = [str(part) for part in (c.binary, *arguments, *threads, "-o", out, "--tables", "tsv", "-q", "--resume")]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def killed_when(c: Checks, out: Path, ready, *arguments) -> bool:
    """Whether the run was still there when it was to be killed."""
    process = start(c, out, *arguments)
    deadline = time.monotonic() + 60
    while not ready() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.0005)
    alive = process.poll() is None
    process.kill()
    process.communicate()
    return alive


def gone_on(c: Checks, name: str, out: Path, truth: dict, *arguments) -> dict:
    # On several threads it is others who store the sets of copies.
    said = start(c, out, *arguments, "-j", "3")
    errors = said.communicate(timeout=120)[1]
    if not c.check(f"{name}: goes on", said.returncode == 0, errors):
        return {}
    c.check(f"{name}: the same bytes", tree_of(out) == truth)
    c.check(f"{name}: nothing is left", not left_behind(out.parent) and not state(out).exists(), os.listdir(out.parent))
    run = summary_of(out)["run"]
    shutil.rmtree(out)
    return run


def state(out: Path) -> Path:
    return out.with_name(out.name + ".scratch")


def size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def resuming(c: Checks) -> None:
    """Killed anywhere, in any way, and gone on with: the same bytes, and nothing left."""
    folder = c.work / "resuming"
    folder.mkdir()
    packed = collection(folder / "packed.jsonl.gz", 72, 3_000)
    docs, rng = folder / "docs.jsonl", random.Random(71)
    vocabulary = ["".join(rng.choice(LETTERS) for _ in range(rng.randint(2, 9))) for _ in range(3000)]
    with open(docs, "w", encoding="utf-8") as out:
        for number in range(10_000):
            if number % 5 == 4:
                text[rng.randrange(160)] = "other"
            elif number % 5 != 3 or not number:
                text = words(rng, vocabulary, 160)
            out.write(json.dumps({"id": f"r{number}", "text": " ".join(text)}) + "\n")
        out.write("{this is no record\n")

    steps = ("units", "postings", "matches")
    jobs = [("dedup",), ("dedup", "--linkage", "components", "--memory", "1"), ("cluster", "--method", "imatch", "--verify", "none")]
    if os.environ.get("LOOKALIKE_LONG"):
        jobs += [("cluster", "--memory", "1MB"), ("dedup", "--measure", "containment", "--keep", "longest")]
    for number, (verb, *options) in enumerate(jobs):
        name = " ".join(["resuming", verb, *options])
        place = folder / f"job{number}"
        place.mkdir()
        out, arguments = place / "out", (verb, docs, packed, *options)
        done = c.run(*arguments, "-o", out, "--tables", "tsv", "-q")
        c.check(f"{name}: undisturbed", done.returncode == 0, done.stderr)
        truth = tree_of(out)
        shutil.rmtree(out)
        # While chunks come in, behind each step, and while the result is being written.
        # A chunk is 2 MB of text; without sets little is written down of it.
        some = 1 << 19 if "imatch" in options else 1 << 22
        moments = {f"chunks {bytes}": (lambda bytes=bytes: size(state(out) / "chunks") > bytes) for bytes in (0, some)}
        moments |= {step: (lambda step=step: (state(out) / step).exists()) for step in steps}
        moments["writing"] = lambda: any(size(path) > 0 for path in place.glob("out.partial-*/*.tsv"))
        for moment, ready in moments.items():
            alive = killed_when(c, out, ready, *arguments)
            if not c.check(f"{name}: {moment}: killed before it was over", alive):
                shutil.rmtree(out, ignore_errors=True)
                continue
            run = gone_on(c, f"{name}: {moment}", out, truth, *arguments)
            before = steps[: steps.index(moment)] if moment in steps else steps[:-1] if moment == "writing" else ()
            if run:
                # Once there are matches, postings are not needed.
                wanted = [step for step in ("reading", *before) if moment not in ("chunks 0", "matches", "writing") or step != "postings"]
                taken = run.get("resumed", [])
                c.check(f"{name}: {moment}: what was done is not done again", moment == "chunks 0" or all(step in taken for step in wanted), (wanted, taken))
        # Again and again, each time a little later.
        delay, kills = 0.0, 0
        while True:
            until = time.monotonic() + delay
            if not killed_when(c, out, lambda: time.monotonic() > until, *arguments):
                break
            delay, kills = max(0.1, delay * 1.6), kills + 1
        c.check(f"{name}: killed {kills} times: the same bytes", kills > 2 and tree_of(out) == truth)
        c.check(f"{name}: killed {kills} times: nothing is left", not left_behind(place) and not state(out).exists(), os.listdir(place))
        shutil.rmtree(out)
        # Any file of the state damaged: noticed, and done again.
        for step in ("chunks", *steps):
            killed_when(c, out, moments["writing"], *arguments)
            path = state(out) / step
            if not c.check(f"{name}: {step} is there", size(path) > 0):
                continue
            content = bytearray(path.read_bytes())
            content[len(content) // 2] ^= 1
            path.write_bytes(content)
            if step == "postings":
                (state(out) / "matches").unlink(missing_ok=True)
            run = gone_on(c, f"{name}: {step} damaged", out, truth, *arguments)
            redone = run.get("redone")
            c.check(f"{name}: {step} damaged: others are not", step != "chunks" or run.get("resumed") in (["reading"], None), run.get("resumed"))
            c.check(f"{name}: {step} damaged: says so", redone == [{"chunks": "reading"}.get(step, step)], redone)

    # What does not fit is refused, and says why.
    place = folder / "refused"
    place.mkdir()
    out = place / "out"
    killed_when(c, out, lambda: size(state(out) / "chunks") > 1 << 20, "dedup", docs)
    for options, wanted in (((), "--resume"), (("--resume", "-t", "0.7"), "settings.threshold")):
        done = c.run("dedup", docs, "-o", out, "-q", *options)
        c.check(f"resuming: refused with {options}", done.returncode == 1 and wanted in done.stderr and str(state(out)) in done.stderr, done.stderr)
    os.utime(docs, (1, 1))
    done = c.run("dedup", docs, "-o", out, "-q", "--resume")
    c.check("resuming: refused with other inputs", done.returncode == 1 and "inputs" in done.stderr, done.stderr)

    # A disk that is full, and has room again.
    place = folder / "full"
    place.mkdir()
    out = place / "out"
    truth_of = c.run("dedup", docs, "-o", out, "--tables", "tsv", "-q")
    c.check("resuming: undisturbed", truth_of.returncode == 0, truth_of.stderr)
    truth = tree_of(out)
    shutil.rmtree(out)
    for limit in (1 << 20, 5 << 20):
        def full(limit=limit) -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        command = [str(part) for part in (c.binary, "dedup", docs, "-o", out, "--tables", "tsv", "-q", "--resume")]
        done = subprocess.run(command, capture_output=True, text=True, preexec_fn=full)
        c.check(f"resuming: full at {limit}: says so", done.returncode == 1 and "--scratch" in done.stderr and "--resume" in done.stderr, done.stderr)
        c.check(f"resuming: full at {limit}: no result", not out.exists() and not left_behind(place), os.listdir(place))
    gone_on(c, "resuming: full", out, truth, "dedup", docs)


def resuming_passages(c: Checks) -> None:
    """passages, killed behind each of its steps, and gone on with."""
    folder = c.work / "resuming passages"
    folder.mkdir()
    docs, beside, rng = folder / "docs.jsonl", folder / "beside.jsonl", random.Random(73)
    vocabulary = ["".join(rng.choice(LETTERS) for _ in range(rng.randint(2, 9))) for _ in range(900)]
    texts = [words(rng, vocabulary, 120) for _ in range(300)]
    for number, text in enumerate(texts[1:]):
        at = rng.randrange(120)
        text[at:at] = texts[rng.randrange(number + 1)][10 : 10 + rng.randint(5, 70)]
    rows = [json.dumps({"id": f"r{number}", "text": " ".join(text), "n": number % 9}) + "\n" for number, text in enumerate(texts)]
    beside.write_text("".join(rows[:60]), encoding="utf-8")
    docs.write_text("".join(rows[60:]) + "{this is no record\n", encoding="utf-8")
    steps = ("anchors", "reading", "runs")
    for number, options in enumerate((("--against", beside, "--keep", "max:n"), ("--memory", "64KB", "--cut", "none", "--gaps", "3"))):
        name = " ".join(["resuming passages", *map(str, options[-2:])])
        place = folder / f"job{number}"
        place.mkdir()
        out, arguments = place / "out", ("passages", docs, "-L", "20", "--no-report", *options)
        done = c.run(*arguments, "-o", out, "--tables", "tsv", "-q")
        c.check(f"{name}: undisturbed", done.returncode == 0, done.stderr)
        c.check(f"{name}: undisturbed: nothing is left", not state(out).exists(), os.listdir(place))
        truth = tree_of(out)
        shutil.rmtree(out)
        moments = {step: (lambda step=step: (state(out) / step).exists()) for step in steps}
        moments["writing"] = lambda: any(size(path) > 0 for path in place.glob("out.partial-*/passages.tsv"))
        if number:
            moments = {"near-runs": lambda: (state(out) / "near-runs").exists()}
        for moment, ready in moments.items():
            alive = killed_when(c, out, ready, *arguments)
            if not c.check(f"{name}: {moment}: killed before it was over", alive):
                shutil.rmtree(out, ignore_errors=True)
                continue
            run = gone_on(c, f"{name}: {moment}", out, truth, *arguments)
            taken = {"anchors": [], "reading": ["anchors", "reading"], "near-runs": ["near-runs", "near-reading"]}.get(moment, ["runs", "reading"])
            c.check(f"{name}: {moment}: what was done is not done again", {*taken} <= {*run.get("resumed", [])}, run.get("resumed"))
        for step in () if number else ("anchors", "runs"):
            killed_when(c, out, moments["runs"], *arguments)
            path = state(out) / step
            if not c.check(f"{name}: {step} is there", size(path) > 0):
                continue
            content = bytearray(path.read_bytes())
            content[len(content) // 2] ^= 1
            path.write_bytes(content)
            if step == "anchors":
                (state(out) / "runs").unlink()
            run = gone_on(c, f"{name}: {step} damaged", out, truth, *arguments)
            c.check(f"{name}: {step} damaged: says so", run.get("redone") == [step], run.get("redone"))
    # What does not fit is refused, and says why; a limit that is raised goes on.
    killed_when(c, out, lambda: (state(out) / "near-runs").exists(), *arguments)
    for more, wanted in (((), "--resume"), (("--resume", "--copies", "3"), "passages.copies"), (("--resume", "--separate-by", "n"), "settings.separate_by")):
        done = c.run(*arguments, *more, "-o", out, "-q")
        c.check(f"resuming passages: refused with {more}", done.returncode == 1 and wanted in done.stderr and str(state(out)) in done.stderr, done.stderr)
    os.utime(docs, (1, 1))
    done = c.run(*arguments, "-o", out, "-q", "--resume")
    c.check("resuming passages: refused with other inputs", done.returncode == 1 and "inputs" in done.stderr, done.stderr)
    shutil.rmtree(state(out))
    # A result is not made twice, whatever stopped the removal of its checkpoints.
    out = folder / "guarded"
    guarded = ("passages", docs, "-L", "20", "--no-report", "--tables", "tsv", "-o", out, "-q", "--resume")
    done = c.run(*guarded, "--max-loss", "1%")
    c.check("resuming passages: a guard keeps the checkpoints", done.returncode == 3 and (state(out) / "runs").exists() and not out.exists(), done.stderr)
    done = c.run(*guarded, "--max-loss", "90%")
    c.check("resuming passages: a raised limit goes on", done.returncode in (0, 1) and summary_of(out)["run"].get("resumed") == ["runs", "reading"] and not state(out).exists(), done.stderr)

    def full() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))

    shutil.rmtree(out)
    done = subprocess.run([str(part) for part in (c.binary, *guarded)], capture_output=True, text=True, preexec_fn=full)
    c.check("resuming passages: full: says so", done.returncode == 1 and "--scratch" in done.stderr and "--resume" in done.stderr and not out.exists(), done.stderr)
    done = c.run(*guarded)
    c.check("resuming passages: full: goes on", done.returncode == 0 and not state(out).exists(), done.stderr)
