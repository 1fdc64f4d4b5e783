"""The jobs that check_kills.py stops and fails, and the collections that they read. Standard library only."""
import csv
import gzip
import json
import random
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from checks.inputs import write_jsonl
from checks.template_warnings import sections

SAMPLES = Path(__file__).resolve().parent.parent.parent / "samples"


# --- collections ----------------------------------------------------------------------------------

def zstd(data: bytes) -> bytes:
    """A frame whose blocks are not compressed: Python has no zstd before 3.14."""
    size, blocks = 1 << 16, []
    for at in range(0, max(len(data), 1), size):
        block = data[at:at + size]
        blocks.append(((at + size >= len(data)) | len(block) << 3).to_bytes(3, "little") + block)
    return b"\x28\xb5\x2f\xfd\xa0" + len(data).to_bytes(4, "little") + b"".join(blocks)


def write(path: Path, documents: list) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".csv":
        with open(path, "w", encoding="utf-8", newline="") as out:
            table = csv.writer(out, lineterminator="\n")
            table.writerows([("id", "text"), *documents])
        return path
    lines = "".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in documents).encode()
    pack = {".gz": lambda data: gzip.compress(data, 1, mtime=0), ".zst": zstd}.get(path.suffix, bytes)
    path.write_bytes(pack(lines))
    return path


class Collection:
    """Files whose documents refer to each other across chunks.

    Chunks end where files end, so a small file is a small chunk. Each large file is followed by small ones that
    hold copies of its last documents: on several threads those are read while the large one still is, and the
    first to come stores the feature set. Copies differ in case, so that it is the sets that make them equal.
    """

    def __init__(self, folder: Path, seed: int, groups: int, large: int, small: int):
        self.rng = rng = random.Random(seed)
        self.vocabulary = ["".join(rng.choice("abcdefghijklmnoprstuvw") for _ in range(rng.randint(2, 9))) for _ in range(2500)]
        self.made: list = []
        self.count = 0
        every: list = []
        endings = ["jsonl.gz", "csv", "jsonl.zst", "jsonl"]
        for group in range(groups):
            main = [self.new() if rng.random() < 0.8 else self.old() for _ in range(large)]
            last = [text for _, text in main[-3 * small:]]
            every.append(write(folder / f"{group:02}-a.jsonl", main))
            for number in range(4):
                near = [(self.name(), self.altered(rng.choice(last))) if rng.random() < 0.7 else self.old() if rng.random() < 0.5 else self.new()
                        for _ in range(rng.randint(2, small))]
                every.append(write(folder / f"{group:02}-{'bcde'[number]}.{endings[(group + number) % 4]}", near))
        for number in range(9):
            path = folder / "notes" / f"{number}.{'txt' if number % 2 else 'md'}"
            path.parent.mkdir(exist_ok=True)
            path.write_text(self.old()[1], encoding="utf-8")
        # Two Parquet files with the same documents: Python cannot write one.
        parquet = [folder / "50.parquet", folder / "zz.parquet"]
        for path in parquet:
            shutil.copyfile(SAMPLES / "apache.parquet", path)
        self.every = [*every, folder / "notes", *parquet]
        # Those that check_run.py can read.
        self.plain = [path for path in every if path.suffix != ".zst"] + [folder / "notes"]
        self.other = write(folder / "other" / "other.jsonl", [self.old() if rng.random() < 0.5 else self.new() for _ in range(large // 2)])

    def name(self) -> str:
        self.count += 1
        return f"d{self.count * 7919 % 1_000_003:06}"

    def new(self) -> tuple:
        text = " ".join(self.rng.choice(self.vocabulary) for _ in range(self.rng.randint(30, 110)))
        self.made.append(text)
        return self.name(), text

    def old(self) -> tuple:
        return (self.name(), self.altered(self.rng.choice(self.made))) if self.made else self.new()

    def altered(self, text: str) -> str:
        kind = self.rng.random()
        if kind < 0.4:
            return text
        if kind < 0.7:
            return text.upper()
        if kind < 0.73:
            return ""
        words = text.split(" ")
        for _ in range(self.rng.choice([1, 1, 2, 20])):
            words[self.rng.randrange(len(words))] = self.rng.choice(self.vocabulary)
        return " ".join(words)


# --- jobs -----------------------------------------------------------------------------------------

@dataclass
class Job:
    name: str
    arguments: list
    # Whether it keeps what it did and goes on from there.
    resumes: bool = True
    # Whether an older result has the output's name, and is replaced.
    replaces: bool = False
    # Arguments of check_run.py, where it can check the result.
    checker: tuple | None = None
    # The directory whose operations are numbered; that of the output where none is named.
    watches: Path | None = None
    # More settings of the library.
    environment: dict = field(default_factory=dict)

    def command(self, binary: Path, out: Path, threads: int) -> list:
        arguments = [str(one).replace("FOLDER", str(out.parent)) for one in self.arguments]
        more = [*(["--resume"] if self.resumes else []), *(["--force"] if self.replaces else []), *([] if self.watches else ["--quiet"])]
        if self.arguments[0] != "recluster":
            more += ["-j", str(threads)]
        return [str(binary), *arguments, "--output", str(out), *more]


def jobs_of(folder: Path, seed: int, long: bool) -> tuple:
    """The jobs that are killed, those whose disk fails, and those whose inputs cannot be read."""
    small = Collection(folder / "small", seed, 4, 150, 8)
    tsv = ("--tables", "tsv")
    # A run holds half of --memory in documents and feature sets: here there are some 3 MB of them, so most leave memory.
    little = ("--memory", "1MB")
    checker = tuple(map(str, small.plain))
    texts = [path for path in small.plain if path.suffix in (".jsonl", ".csv")]
    templates = write_jsonl(folder / "templates.jsonl", sections(random.Random(seed + 2), "a.example", 40, 9))
    kills = [
        Job("dedup", ["dedup", *small.every, *tsv]),
        Job("plain", ["dedup", *small.plain, *tsv], checker=checker),
        Job("cluster-memory", ["cluster", *small.plain, *tsv, *little], checker=checker),
        Job("dedup-memory", ["dedup", *small.every, *little, "--measure", "containment", "--keep", "longest"]),
        Job("minhash", ["dedup", *small.every, *tsv, "--method", "minhash-lsh"]),
        Job("imatch", ["cluster", *small.every, *tsv, "--method", "imatch", "--verify", "none"]),
        # Few elements in many sets: candidates are found by bitmaps, and the checkpoint holds pairs.
        Job("small-vocabulary", ["cluster", *small.plain, *tsv, "--shingle", "1"], checker=checker),
        Job("against", ["dedup", *small.plain, *tsv, "--against", small.other], checker=(*checker, "--against", str(small.other))),
        Job("passages", ["passages", *texts, *tsv, "--length", "12", "--against", small.other]),
        # With seeds of near passages, and anchors beyond the budget.
        Job("passages-memory", ["passages", *texts, *tsv, "--memory", "64KB", "--length", "12", "--gaps", "3"]),
        Job("dedup-passages", ["dedup", *texts, *tsv, "--passages", "12", "--against", small.other]),
        Job("force", ["dedup", *small.plain, *tsv, "--copy-files"], replaces=True, checker=checker),
        # Warns of removals that only a template explains, from a sample of the pairs.
        Job("templates", ["dedup", templates, *tsv, "--max-loss", "100%"], checker=(str(templates),)),
        # Where the system cannot exchange two names, there are two renames.
        Job("force-renames", ["dedup", *texts, *tsv], replaces=True, environment={"DISK_NO_EXCHANGE": 1}),
    ]
    disk = [
        *(job for job in kills if job.name in ("dedup", "cluster-memory", "force", "force-renames")),
        Job("scratch", ["dedup", *small.plain, *tsv, *little, "--scratch", "FOLDER"], checker=checker),
        # A run that keeps nothing, and whose sets spill to a file without a name all the same: two bytes are
        # foreseen for each byte of text, and shingles of characters take eight.
        Job("spill", ["cluster", *texts, *tsv, "--memory", f"{6 * sum(path.stat().st_size for path in texts)}B",
                      "--shingle-unit", "char", "--shingle", "20"], resumes=False, checker=tuple(map(str, texts))),
        Job("mark", ["dedup", *small.every, "--mark"], resumes=False),
        Job("recluster", ["recluster", folder / "pairs", "--threshold", "0.7"], resumes=False),
        # Terms that exceed memory are spilled to files beside the output.
        Job("lexicon", ["lexicon", "build", *texts, "--memory", "64KB"], resumes=False),
    ]
    if long:
        # Several chunks in one file, plain and compressed.
        large = Collection(folder / "large", seed + 1, 3, 7000, 300)
        kills.append(Job("large", ["dedup", *large.every, *tsv]))
        kills.append(Job("large-memory", ["dedup", *large.every, *tsv, "--memory", "5MB", "--linkage", "components"]))
    reading = ["dedup", *small.every, *tsv]
    inputs = [
        Job("unreadable", reading, resumes=False, watches=folder / "small"),
        Job("skip-unreadable", [*reading, "--skip-unreadable"], resumes=False, watches=folder / "small"),
    ]
    return kills, disk, inputs
