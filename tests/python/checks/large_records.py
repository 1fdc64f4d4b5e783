"""Records larger than the memory budget, and long texts in the report."""
import gzip
import json
import subprocess
import sys
from pathlib import Path

from checks.harness import Checks, summary_of
from checks.inputs import words_of

# Runs a command with a process of its own around it: what is measured is the peak of that command alone.
MEASURED = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
sys.stderr.buffer.write(done.stderr)
print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
"""


def large_records(c: Checks) -> None:
    """Peak memory: no more than --memory and three times the largest record, for every shape of large records."""
    if sys.platform != "linux":
        return
    folder = c.work / "large"
    folder.mkdir()
    budget, record = 60_000_000, 24_000_000
    one, other = words_of(record, 1), words_of(record, 2)

    def write(name: str, lines) -> Path:
        opened = gzip.open(folder / name, "wt", compresslevel=1) if name.endswith(".gz") else open(folder / name, "w")
        with opened as file:
            file.writelines(lines)
        return folder / name

    def near_alike(number: int) -> str:
        pieces = [words_of(100_000, 50 + number)[0] if at == number else piece for at, piece in enumerate(one)]
        return json.dumps({"id": f"d{number}", "text": " ".join(pieces)}) + "\n"

    html = "".join(f"<p>{piece[:2000]}</p><div>{piece[2000:]}</div>" for piece in one)
    shapes = {
        "one JSON line": (write("one.jsonl", [json.dumps({"id": "a", "text": " ".join(one)}) + "\n"]), 1),
        "a JSON line with escapes": (write("escapes.jsonl", [json.dumps({"id": "a", "text": "\n\"".join(one)}) + "\n"]), 1),
        "a CSV with two large fields": (write("two.csv", ["id,text,html\n", '1,"', " ".join(one), '","', " ".join(other), '"\n']), 2),
        "a large text file": (write("large.txt", ["\n".join(one)]), 1),
        "a compressed text file": (write("large.txt.gz", ["\n".join(one)]), 1),
        "a large HTML file": (write("large.html", ["<html><body>", html, "</body></html>"]), 1),
        "six near-alike documents": (write("six.jsonl", (near_alike(number) for number in range(6))), 1),
        "the same, compressed": (write("six.jsonl.gz", (near_alike(number) for number in range(6))), 1),
    }
    del html
    for name, (path, times) in shapes.items():
        for threads in (2, 8) if name.startswith("six") else (2,):
            label = f"memory: {name} on {threads} threads"
            out = c.out(label)
            command = [c.binary, "dedup", path, "--output", out, "--memory", budget, "--threads", threads, "--quiet"]
            done = subprocess.run([sys.executable, "-c", MEASURED, *map(str, command)], capture_output=True, text=True)
            code, peak = map(int, done.stdout.split())
            if not c.check(f"{label}: runs", code == 0, done.stderr):
                continue
            # The C library keeps a heap for each thread.
            most = budget + 3 * times * (record + 200_000) + (threads - 2) * (2 << 20)
            c.check(f"{label}: at most {most >> 20} MiB", peak <= most, f"{peak >> 20} MiB")
            summary = summary_of(out)
            said = summary.get("run", {}).get("peak_memory_bytes", 0)
            c.check(f"{label}: the summary tells", 0.97 * peak <= said <= peak, f"{said} of {peak}")
            removed = 5 if "six" in str(path) else 0
            c.check(f"{label}: {removed} removed", sum(summary.get("removed", {}).values()) == removed, summary.get("removed"))
            if "six" in str(path):
                # Where memory has room for all, nothing is read piece by piece.
                c.run("dedup", path, "--output", c.out(f"{label} roomy"), "--memory", "4GB", "--quiet")
                c.check(f"{label}: the same result with more memory", summary.get("digest") == summary_of(c.out(f"{label} roomy")).get("digest"))
            report = (out / "report.html").read_text(encoding="utf-8")
            c.check(f"{label}: the report is small, and says what it compares", len(report) < 4 << 20 and (removed == 0 or "only the first" in report), len(report))


def long_texts(c: Checks) -> None:
    """What the report and `explain` align and print of long texts is bounded, and what is left out is stated."""
    folder = c.work / "long"
    folder.mkdir()
    many = [" ".join(f"{word} {n} a{n} b{n} c{n} d{n} e{n} f{n}" for n in range(150_000)) for word in ("old", "new")]
    few = [" ".join("new" if n % 40_000 == word else f"w{n}" for n in range(200_000)) for word in (7, 17)]
    for name, texts, differences, complete, left_out in (
        ("many", many, 65_536, False, "words of a and"), ("few", few, 20, True, "words in common"),
    ):
        paths = [folder / f"{name}-{number}.txt" for number in range(2)]
        for path, text in zip(paths, texts):
            path.write_text(text)
        done = c.run("compare", *paths, "--threshold", "0.1")
        c.check(f"long texts: {name}: compare", done.returncode == 0 and len(done.stdout) < 60_000 and left_out in done.stdout, done.stdout[-3000:])
        done = c.run("compare", *paths, "--threshold", "0.1", "--format", "json")
        said = json.loads(done.stdout)
        found = (said["differences_found"], said["differences_complete"])
        c.check(f"long texts: {name}: differences", found == (2 * differences if name == "many" else differences, complete), found)
        c.check(f"long texts: {name}: lists are bounded", len(said["differences"]) <= 10_000 and len(said["passages"]) <= 1000)
        wrong = [
            entry for entry in said["differences"]
            if texts[entry["side"] == "right"].encode()[entry["bytes"]["start"] : entry["bytes"]["end"]].decode() != entry["text"]
        ]
        c.check(f"long texts: {name}: differences are where they are said to be", not wrong, wrong[:3])
        wrong = [
            entry for entry in said["passages"]
            if not (entry["text_a"] == entry["text_b"] == texts[0][entry["bytes_a"]["start"] : entry["bytes_a"]["end"]][:4096])
        ]
        c.check(f"long texts: {name}: passages are in both", not wrong, str(wrong[:3])[:500])
        out = c.out(f"long texts {name}")
        done = c.run("dedup", *paths, "--output", out, "--threshold", "0.1", "--quiet")
        page = (out / "report.html").read_text(encoding="utf-8")
        c.check(f"long texts: {name}: the report names `explain`", done.returncode == 0 and "lookalike explain A B" in page and len(page) < 200_000, done.stderr)
