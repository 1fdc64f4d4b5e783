"""Progress on a terminal, and JSON lines on standard error."""
import fcntl
import json
import os
import pty
import random
import re
import struct
import subprocess
import termios
from pathlib import Path

from checks.harness import Checks, summary_of

COLUMNS = (20, 40, 80, 200)
# What a terminal does not show: movements of the cursor, colours, erasing.
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def in_terminal(command: list, columns: int, cwd: Path) -> tuple[int, str]:
    """Runs a command with a terminal of this width as standard error: its exit code, and what the terminal got."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color"}
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=follower, stdin=subprocess.DEVNULL, env=environment)
    os.close(follower)
    got = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:
            break
        if not part:
            break
        got += part
    os.close(leader)
    return process.wait(), got.decode("utf-8", "replace")


def large(path: Path) -> Path:
    """Documents without duplicates."""
    chance = random.Random(5)
    words = [f"word{n}" for n in range(3000)]
    with open(path, "w", encoding="utf-8") as out:
        for number in range(60_000):
            out.write(json.dumps({"id": str(number), "text": " ".join(chance.choices(words, k=60))}) + "\n")
    return path


def progress(c: Checks) -> None:
    folder = c.work / "progress"
    folder.mkdir()
    docs = large(folder / "docs.jsonl")
    # Long enough for the line to be drawn in the middle of a phase.
    longer = folder / "longer.jsonl"
    longer.write_text(docs.read_text(encoding="utf-8") * 8, encoding="utf-8")
    for columns in COLUMNS:
        inputs = longer if columns == max(COLUMNS) else docs
        code, got = in_terminal([str(c.binary), "dedup", str(inputs), "-o", f"wide{columns}", "-j", "1"], columns, folder)
        c.check(f"{columns} columns: runs", code == 0, got)
        lines = [line for line in re.split(r"[\r\n]", ESCAPE.sub("", got)) if line.strip()]
        # A shorter line is filled up with blanks over the earlier one.
        wrapped = [line for line in lines if len(line) > columns or len(line.rstrip()) >= columns]
        c.check(f"{columns} columns: no line is wrapped", bool(lines) and not wrapped, wrapped[:3])
        step = r"step [1-6] of 6" if columns >= 61 else r"[1-6]/6"
        c.check(f"{columns} columns: steps and phases", any(re.match(step + r"  reading", line) for line in lines), lines[:5])
        if columns == 200:
            full = [line for line in lines if all(part in line for part in (" %", "/s", " left", "["))]
            c.check("a wide line has speed and time left", bool(full), lines[:5])
    quiet = in_terminal([str(c.binary), "dedup", str(docs), "-o", "quiet", "-q"], 80, folder)
    c.check("nothing with --quiet", quiet == (0, ""), quiet)
    piped = c.run("dedup", docs, "-o", folder / "piped")
    c.check("nothing where standard error is no terminal", (piped.returncode, piped.stderr) == (0, ""), piped.stderr)


def log_lines(c: Checks) -> None:
    """`--log json`: every line is an object, phases start and finish in order, the result has the digest."""
    folder = c.work / "log"
    folder.mkdir()
    docs = large(folder / "docs.jsonl")
    with open(docs, "a", encoding="utf-8") as out:
        out.write('{"id": "bad"}\n' + docs.read_text(encoding="utf-8").splitlines()[0].replace('"id": "0"', '"id": "copy"') + "\n")
    low = folder / "cluster"
    runs = {
        "dedup": ("dedup", docs, "-o", folder / "dedup", "-j", "1"),
        "cluster": ("cluster", docs, "-o", low, "-t", "0.7", "-j", "1"),
        "recluster": ("recluster", low, "-t", "0.9", "-o", folder / "recluster"),
        "evaluate": ("evaluate", docs, "-o", folder / "evaluate", "--methods", "exact", "minhash-lsh@none", "-j", "1"),
        "plan": ("plan", docs, "--sample", "1MiB", "-j", "1"),
    }
    for name, arguments in runs.items():
        plain = c.run(*arguments)
        again = arguments if name == "plan" else (*arguments, "--force")
        done = c.run(*again, "--log", "json")
        c.check(f"{name}: exit code", (plain.returncode, done.returncode) == (0, 0), done.stderr)
        same = name != "recluster" or plain.stdout.splitlines()[:5] == done.stdout.splitlines()[:5]
        c.check(f"{name}: standard output is the same", same and bool(done.stdout), done.stdout)
        try:
            events = [json.loads(line) for line in done.stderr.splitlines()]
        except ValueError as error:
            c.check(f"{name}: all lines are JSON", False, f"{error}: {done.stderr}")
            continue
        c.check(f"{name}: every event has a name and a time", all({"event", "time"} <= set(event) for event in events), events[:3])
        times = [event["time"] for event in events]
        c.check(f"{name}: times ascend", times == sorted(times))
        open_phase, wrong, last = None, [], {}
        for event in events:
            if event["event"] == "phase" and event["state"] == "started":
                wrong += [event] if open_phase else []
                open_phase = event["phase"]
            elif event["event"] == "phase":
                wrong += [event] if open_phase != event["phase"] else []
                open_phase = None
            elif event["event"] == "progress":
                wrong += [event] if open_phase != event["phase"] or event["done"] > event.get("total", 0) * 1.01 else []
                wrong += [event] if event["time"] - last.get(event["phase"], 0) < 0.99 else []
                last[event["phase"]] = event["time"]
        c.check(f"{name}: phases start, go on at most once a second, and finish", not wrong and open_phase is None, wrong[:3])
        steps = [(event["step"], event["steps"]) for event in events if event["event"] == "phase" and "step" in event]
        reached = bool(steps) and [step for step, _ in steps] == sorted(step for step, _ in steps) and len({of for _, of in steps}) == 1
        c.check(f"{name}: steps ascend to the last", reached and steps[-1][0] == steps[-1][1], steps)
        results = [event for event in events if event["event"] == "result"]
        c.check(f"{name}: one result, at the end", len(results) == 1 and events[-1]["event"] == "result" and results[0]["command"] == name, results)
        if name in ("dedup", "cluster", "recluster"):
            summary = summary_of(folder / name) or json.loads((folder / name / "summary.json").read_text())
            told = {key: results[0].get(key) for key in ("digest", "documents", "kept")}
            c.check(f"{name}: the result is that of the summary", told == {key: summary[key] for key in told}, results)
        if name != "recluster":
            bad = [event["count"] for event in events if event["event"] == "problems"]
            c.check(f"{name}: problems are counted", bad == [1] or name == "plan", events[-4:])
    refused = c.run("dedup", folder / "nothing.jsonl", "-o", folder / "never", "--log", "json")
    lines = [json.loads(line) for line in refused.stderr.splitlines()]
    c.check("an error is an event, with its exit code", refused.returncode == 1 and [line.get("level") for line in lines] == ["error"], refused.stderr)
    copies = folder / "copies.jsonl"
    copies.write_text("".join(json.dumps({"id": str(n), "text": "one two three four five six seven"}) + "\n" for n in range(5)), encoding="utf-8")
    warned = c.run("cluster", copies, "-o", folder / "warned", "--max-pairs", "1", "--log", "json")
    lines = [json.loads(line) for line in warned.stderr.splitlines()]
    said = [line for line in lines if line.get("level") == "warning" and "--max-pairs" in line["text"]]
    c.check("a warning is an event, with the option", warned.returncode == 0 and bool(said), warned.stderr[-600:])
