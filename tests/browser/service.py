#!/usr/bin/env python3
"""Checks the page of `lookalike serve` in Chromium: each view by its address, keyboard, axe-core, widths, hostile texts.

    service.py path/to/lookalike [--screenshots DIR]

Needs what run.py needs, and says as it does where something is missing.
"""
import hashlib
import json
import random
import subprocess
import sys
import threading
from pathlib import Path

from run import HOSTILE, WORK, prepared, write

HERE = Path(__file__).resolve().parent
WORDS = (
    "harbour ferry morning letter window garden winter engine market river island captain paper silver stone yellow "
    "quiet bridge summer story people water street evening mountain village teacher weather station journey kitchen "
    "candle forest meadow signal record number answer question little second always never under across before after "
    "carried opened walked painted remembered believed crossed followed gathered measured listened returned wondered"
).split()


def sentence(chance: random.Random) -> str:
    text = " ".join(chance.choice(WORDS) for _ in range(chance.randint(7, 14)))
    return text.capitalize() + "."


def documents() -> tuple[list[dict], list[dict]]:
    """Pages of two sweeps: versions of 20 stories; one with hostile texts, one very long, ids of every kind."""
    chance = random.Random(7)
    first, second = [], []
    for story in range(20):
        text = [sentence(chance) for _ in range(12)]
        for version in range(3):
            own = list(text)
            for n in range(version):
                own[(3 * n + story) % 12] = sentence(chance)
            url = f"https://site{version}.example/story/{story}"
            page = {"id": f"s{story}-{version}", "title": f"Story number {story}", "url": url, "date": "2024-05-01", "text": " ".join(own)}
            first.append(page)
            if story % 5 != 0 or version:
                later = list(own)
                if story % 3 == 0:
                    later[5] = sentence(chance)
                place = url if story % 4 else url.replace("story", "moved")
                second.append({**page, "id": f"t{story}-{version}", "url": place, "date": "2024-06-01", "text": " ".join(later)})
    base = first[9]["text"]
    strange = [f"hostile{HOSTILE.replace(chr(0), '')}", "a/b?c#d&e=f", "\"quoted\"'", "tab\there", "ünïcode 漢字", "x" * 300, "nul\0id", "line\nfeed\r", " "]
    for n, name in enumerate(strange):
        first.append({"id": name, "title": f"Strange {HOSTILE}", "url": "javascript:alert(3)", "text": base + f" {HOSTILE} " + sentence(chance) * (n + 1)})
    first.append({"id": "long-line", "text": "x" * 200_000 + " " + base})
    first.append({"id": "long", "text": " ".join(sentence(chance) for _ in range(60_000))})
    return first, second


def mail() -> str:
    chance = random.Random(11)
    body = "\n".join(sentence(chance) for _ in range(12))
    return f"From: a@b.example\nSubject: An offer {HOSTILE.replace(chr(0), '')}\nMessage-ID: <1@b.example>\n\n{body}\n"


class Service:
    """A service, or the page of a run, on a free port; `with` ends it."""

    def __init__(self, binary: Path, what: str, directory: str, *arguments: str):
        command = [binary, what, directory, "--listen", "127.0.0.1:0", *arguments]
        self.process = subprocess.Popen(command, cwd=WORK, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        assert " at http://" in line, line
        self.address = line.split(" at ")[1].split(";")[0].strip()
        # What it says later must not fill the pipe.
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def __enter__(self) -> str:
        return self.address

    def __exit__(self, *_) -> None:
        self.process.terminate()
        self.process.wait()


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    binary = Path(sys.argv[1]).resolve()
    shots = Path(sys.argv[sys.argv.index("--screenshots") + 1]).resolve() if "--screenshots" in sys.argv else None
    chromium = prepared()
    if isinstance(chromium, int):
        return chromium
    for name in ("whole.index", "lean.index"):
        subprocess.run(["rm", "-rf", WORK / name], check=True)
    first, second = documents()
    write(WORK / "first.jsonl", first)
    write(WORK / "second.jsonl", second)
    (WORK / "review-labels.tsv").unlink(missing_ok=True)
    (WORK / "offer.eml").write_text(mail())
    (WORK / "tokens.txt").write_text("".join(
        f"{hashlib.sha256(token.encode()).hexdigest()} {scopes} the {token}\n"
        for token, scopes in (("reader", "read"), ("reporter", "read,write,report"))
    ))
    for command in (
        ["index", "create", "whole.index", "--passages", "12", "--threshold", "0.7"],
        ["index", "add", "whole.index", "first.jsonl", "--sweep", "may", "--date", "2024-05-01"],
        ["index", "add", "whole.index", "second.jsonl", "--sweep", "june", "--date", "2024-06-01"],
        ["dedup", "first.jsonl", "--threshold", "0.5", "--output", "viewed", "--force", "--tables", "tsv"],
        ["index", "create", "lean.index", "--no-text"],
        ["index", "add", "lean.index", "first.jsonl"],
    ):
        done = subprocess.run([binary, *command], cwd=WORK, capture_output=True, text=True)
        if done.returncode:
            print(f"FAILED: lookalike {' '.join(command)}: {done.stderr}")
            return 1
    with (
        Service(binary, "serve", "whole.index", "--labels", "review-labels.tsv") as whole,
        Service(binary, "serve", "lean.index", "--read-only") as lean,
        Service(binary, "serve", "whole.index", "--read-only", "--tokens", "tokens.txt") as guarded,
        Service(binary, "view", "viewed") as run,
    ):
        (WORK / "services.json").write_text(json.dumps({"whole": whole, "lean": lean, "guarded": guarded, "run": run}))
        command = ["node", HERE / "service.mjs", WORK, chromium]
        if shots:
            shots.mkdir(parents=True, exist_ok=True)
            command.append(shots)
        if subprocess.run(command).returncode:
            return 1
    read = subprocess.run(
        [binary, "evaluate", "first.jsonl", "second.jsonl", "--labels", "review-labels.tsv", "--methods", "exact", "--output", "reviewed", "--force",
         "--format", "json"],
        cwd=WORK, capture_output=True, text=True,
    )
    truth = json.loads(read.stdout)["truth"] if read.returncode == 0 else {}
    if (truth.get("pairs"), truth.get("different"), truth.get("labels_without_document", 0)) != (0, 2, 0):
        print(f"FAILED: evaluate reads the labels of the review: {truth} {read.stderr}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
