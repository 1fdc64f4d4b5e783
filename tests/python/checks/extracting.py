"""Text extracted by commands: beside the same texts as files; commands that fail, hang, or write too much."""
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from checks.harness import Checks, summary_of, table_of, tree_of
from checks.inputs import texts

# Upper case letters and an uppercased copy are no duplicates of lower case ones in bytes, but in words.
SCRIPT = """
import sys, time, pathlib
text = pathlib.Path(sys.argv[1]).read_text()
if text.startswith("fail"):
    sys.exit("\\nthe file is encrypted\\nand more")
if text.startswith("hang"):
    time.sleep(600)
if text.startswith("slow"):
    time.sleep(1.5)
if text.startswith("long"):
    while True: sys.stdout.write("long " * 99999)
if text.startswith("bytes"):
    sys.stdout.buffer.write(b"\\xff\\xfe\\xfa"); sys.exit()
if text.startswith("noise"):
    sys.stderr.write("noise\\n" * 99999)
if text.startswith("other"):
    text += str(time.time_ns())
sys.stdout.write(text[::-1])
"""


def extracting(c: Checks) -> None:
    """The text of a file is what the command writes."""
    folder = c.work / "extracting"
    (folder / "odd names; $(x)").mkdir(parents=True)
    (folder / "plain/odd names; $(x)").mkdir(parents=True)
    script = folder / "reverse.py"
    script.write_text(SCRIPT)
    command = f"xyz='{sys.executable}' '{script}' {{}}"
    files = []
    for number, text in enumerate(texts(41, 80)):
        name = f"odd names; $(x)/{number} 'a\" b"
        (folder / f"{name}.xyz").write_text(text[::-1])
        (folder / "plain" / f"{name}.txt").write_text(text)
        files.append(folder / f"{name}.xyz")
    inputs, plain = folder / "odd names; $(x)", folder / "plain"
    out, expected = c.out("extracted"), c.out("extracted expected")
    done = c.run("dedup", inputs, "-o", out, "--tables", "tsv", "-q", "-t", "0.6", "-j", "4", "--extract", command)
    c.run("dedup", plain, "-o", expected, "--tables", "tsv", "-q", "-t", "0.6")
    ours, theirs = (sorted([v.rpartition("/")[2].replace(".xyz", ".txt") for v in row] for row in table_of(o / "ledger.tsv")) for o in (out, expected))
    c.check("extracted: decisions as of the texts", done.returncode == 0 and ours == theirs and len(ours) > 10, done.stderr)
    again = c.out("extracted again")
    c.run("dedup", inputs, "-o", again, "--tables", "tsv", "-q", "-t", "0.6", "-j", "1", "--memory", "1", "--resume", "--extract", command)
    c.check("extracted: the same bytes for any threads", tree_of(out)["ledger.tsv"] == tree_of(again)["ledger.tsv"])
    settings = json.loads((out / "summary.json").read_text())["settings"]["job"]["settings"]["formats"]
    c.check("extracted: the summary has the command", settings["extract"] == [command], settings)
    row = table_of(out / "ledger.tsv")[1]
    done = c.run("explain", row[0], row[3], "--run", out, "--extract", command)
    c.check("extracted: explain repeats it", done.returncode == 0, done.stderr)
    consent(c, folder, out, row, command)
    failing(c, folder, command)


def consent(c: Checks, folder: Path, run: Path, row: list, command: str) -> None:
    """The commands in a result directory are not started unless they are given again."""
    trap = folder / "trap"
    summary = (run / "summary.json").read_text()
    started = f"xyz={sys.executable} -c 'import pathlib; pathlib.Path(\"{trap}\").touch()' {{}}"
    (run / "summary.json").write_text(summary.replace(json.dumps(command), json.dumps(started)))
    for label, arguments in (
        ("explain", ("explain", row[0], row[3], "--run", run)), ("another", ("explain", row[0], row[3], "--run", run, "--extract", command)),
        ("show", ("show", run, "--grep", "a")), ("show another", ("show", run, "--grep", "a", "--extract", command)),
    ):
        done = c.run(*arguments)
        c.check(f"extracted: {label} starts no command of a result", done.returncode != 0 and "--extract" in done.stderr and "trap" in done.stderr and not trap.exists(), done.stderr)
    done = c.run("show", run)
    c.check("extracted: tables are shown without commands", done.returncode == 0 and not trap.exists(), done.stderr)
    done = c.run("show", run, "--grep", "a", "--extract", started)
    c.check("extracted: a command that is given is started", done.returncode == 0 and trap.exists(), done.stderr)
    (run / "summary.json").write_text(summary)


def failing(c: Checks, folder: Path, command: str) -> None:
    bad = folder / "bad"
    bad.mkdir()
    for name in ("fail", "hang", "long", "bytes", "noise"):
        (bad / f"{name}.xyz").write_text(f"{name} and more of it")
    (bad / "good.txt").write_text("a good text")
    out = c.out("extracted bad")
    begin = time.monotonic()
    done = c.run("dedup", bad, "-o", out, "--tables", "tsv", "--extract", command, "--extract-timeout", "2", "--max-record", "1MiB")
    listed = (out / "problems.tsv").read_text()
    for words in ("the file is encrypted", "took longer than 2 s", "max_record", "is not UTF-8"):
        c.check(f"extracted: {words}", done.returncode == 0 and words in listed, listed)
    c.check("extracted: others are read", summary_of(out)["problems"] == 4 and summary_of(out)["kept"] == 2, listed)
    c.check("extracted: no command is waited for longer", time.monotonic() - begin < 30)
    done = c.run("dedup", bad, "-o", c.out("extracted none"), "--extract", "xyz=/no/such/program {}")
    c.check("extracted: a program that is not there", done.returncode == 2 and "there is no program `/no/such/program`" in done.stderr, done.stderr)
    for wrong in ("xyz", "xyz=cat", "=cat {}", "xyz=cat '{}"):
        done = c.run("dedup", bad, "-o", c.out("extracted wrong"), "--extract", wrong)
        c.check(f"extracted: {wrong} is no command", done.returncode == 2, done.stderr)
    done = c.run("dedup", bad, "-o", c.out("extracted wrong"), "--extract", "xyz=cat {}", "--extract", "XYZ=tac {}")
    c.check("extracted: two commands for one extension", done.returncode == 2 and "--extract has two commands" in done.stderr, done.stderr)
    for options in (("--extract", "xyz=cat {}"), ()):
        done = c.run("dedup", bad, "-o", c.out("extracted wrong"), *options, "--extract-timeout", "0")
        c.check(f"extracted: no time at all {options}", done.returncode == 2 and "--extract-timeout" in done.stderr, done.stderr)
    (folder / "a.pdf").write_text("%PDF-1.4")
    (folder / "a.doc").write_text("x")
    for name, advice in (("a.pdf", "--extract=pdf='pdftotext -q {} -', or"), ("a.doc", "with --extract, or")):
        done = c.run("dedup", folder / name, "-o", c.out("extracted foreign"))
        c.check(f"extracted: without a command, {name} is an error that names the option", done.returncode == 1 and advice in done.stderr, done.stderr)
    other = folder / "other"
    other.mkdir()
    for name in "ab":
        (other / f"{name}.xyz").write_text("other words that are the same in both of the files, but for a number " * 3)
    done = c.run("dedup", other, "-o", c.out("extracted other"), "--extract", command, "-t", "0.3")
    c.check("extracted: other texts in the second reading are an error", done.returncode == 3 and "changed" in done.stderr, done.stderr)
    hang = folder / "hang"
    hang.mkdir()
    (hang / "a.xyz").write_text("hang")
    running = subprocess.Popen([c.binary, "dedup", hang, "-o", c.out("extracted stopped"), "-q", "--extract", command], start_new_session=True, stderr=subprocess.DEVNULL)
    time.sleep(2)
    os.killpg(running.pid, signal.SIGINT)
    code = running.wait(timeout=20)
    left = subprocess.run(["pgrep", "-g", str(running.pid)], capture_output=True, text=True).stdout.split()
    c.check("extracted: Ctrl-C of a terminal stops the command", code == 130 and not left, (code, left))
    slow = folder / "slow"
    slow.mkdir()
    for number in range(40):
        (slow / f"{number}.xyz").write_text("slow")
    running = subprocess.Popen([c.binary, "dedup", slow, "-o", c.out("extracted slow"), "-q", "-j", "2", "--extract", command], stderr=subprocess.DEVNULL)
    time.sleep(2)
    running.terminate()
    begin = time.monotonic()
    code = running.wait(timeout=90)
    took = time.monotonic() - begin
    c.check("extracted: a signal waits for the commands that run, and no others", code == 143 and took < 20, (code, took))
