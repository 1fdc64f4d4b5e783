"""Damaged, hostile, unsupported and skipped inputs."""
import gzip
import json
import os
import random
import re
import resource
import subprocess
from pathlib import Path

from checks.harness import Checks, as_setting, summary_of
from checks.inputs import GOOD, collection, good


def hostile(c: Checks) -> None:
    """Damaged records are named by file and line, counted and rejected; good ones around them are used."""
    folder = c.work / "hostile"
    folder.mkdir()
    # Content, good documents, line of the first problem, words of its message.
    cases = {
        "cut.jsonl": (good("a") + '{"id": "b", "text": "stops he\n' + good("c"), 2, 2, "cut off"),
        "garbage.jsonl": (good("a") + "\x01\x02 garbage\n" + good("c"), 2, 2, "invalid JSON"),
        "no-text.jsonl": ('{"id": "a"}\n' + good("b"), 1, 1, "--text-field"),
        "null-text.jsonl": ('{"id": "a", "text": null}\n' + good("b"), 1, 1, "null"),
        "text-is-number.jsonl": (good("a") + '{"id": "b", "text": 5}\n', 1, 2, "a number"),
        "text-is-list.jsonl": (good("a") + '\n{"id": "b", "text": ["x"]}\n', 1, 3, "a list"),
        "id-is-list.jsonl": (good("a") + '{"id": [1, {"b": "\u00e9", "c": -1.50}], "text": "x"}\n{"id": true, "text": "y"}\n', 3, None, ""),
        "id-is-long.jsonl": (good("a") + json.dumps({"id": ["x" * 300], "text": "x"}) + '\n{"id": {}, "text": "y"}\n', 3, None, ""),
        "array.json": ('[{"id": "a", "text": "x"}]\n', 0, 1, "jq"),
        "pretty.json": ('{\n  "id": "a",\n  "text": "x"\n}\n', 0, 1, "several lines"),
        "two-on-a-line.jsonl": ('{"text": "a"}{"text": "b"}\n' + good("c"), 1, 1, "invalid JSON"),
        "latin1.jsonl": (good("a").encode() + b'{"id": "b", "text": "caf\xe9"}\n', 1, 2, "UTF-8"),
        "half-surrogate.jsonl": (good("a") + '{"id": "b", "text": "x \\ud800 y"}\n', 1, 2, "surrogate"),
        "nan.jsonl": (good("a") + '{"id": NaN, "text": "x", "score": NaN, "date": -Infinity, "more": [Infinity]}\n', 2, None, ""),
        "text-is-nan.jsonl": (good("a") + '{"id": "b", "text": NaN}\n{"id": "c", "text": -Infinity}\n', 1, 2, "NaN"),
        "nans.jsonl": (good("a") + '{"id": "b", "text": "x", "score": nan}\n', 1, 2, "invalid JSON"),
        "nul-bytes.jsonl": (good("a") + '{"id": "b", "text": "x\0y"}\n\0\0\0\n' + good("c"), 2, 2, "invalid JSON"),
        "escaped-nul.jsonl": (good("a") + '{"id": "b", "text": "x\\u0000y"}\n', 2, None, ""),
        "deep.jsonl": (good("a")[:-2] + ', "more": ' + "[" * 3000 + "]" * 3000 + "}\n", 1, None, ""),
        "deep-text.jsonl": (good("a") + '{"text": ' + "[" * 3000 + "]" * 3000 + "}\n", 1, 2, ""),
        "twice.jsonl": (good("a") + '{"id": "b", "text": "which of them", "text": "is meant"}\n', 1, 2, "`text` occurs twice"),
        "other-twice.jsonl": (good("a") + '{"id": "not me", "text": "x", "id": "the last one counts", "d": {"text": "1", "text": "2"}}\n', 2, None, ""),
        "same-ids.jsonl": (good("a", "a", "b") + good("a") + '{"id": 7, "text": "seven"}\n{"id": "7", "text": "seven"}\n', 6, None, ""),
        "no-ids.jsonl": ('{"text": "one two three four five six"}\n' * 3, 3, None, ""),
        "bom.jsonl": ("\ufeff" + good("a", "a"), 2, None, ""),
        "crlf.jsonl": (good("a", "b", "a").replace("\n", "\r\n"), 3, None, ""),
        "separators.jsonl": (good("a") + '{"id": "b", "text": "one\u2028two\u2029three\u0085four"}\n', 2, None, ""),
        "long.jsonl": (good("a") + json.dumps({"id": "b", "text": "long " * 1_000_000}) + "\n" + good("c"), 3, None, ""),
        "empty.jsonl": ("", 0, None, ""),
        "blank.jsonl": ("\n \n\r\n\t\n", 0, None, ""),
        "no-words.jsonl": ('{"id": "a", "text": ""}\n{"id": "b", "text": ""}\n{"id": "c", "text": "...!"}\n', 3, None, ""),
        "ragged.csv": ('id,text\n1,one two\n2,three,four\n3,"five, six"\n', 2, 3, "quote"),
        "quotes.csv": ('id,text\n1,"one ""two""\nthree"\n\n2,"four\r\nfive"\r\n', 2, None, ""),
        "bytes.csv": (b"id,text\n1,one\n2,caf\xe9\n3,three\n", 2, 3, "UTF-8"),
        "header.csv": ("id,text\n", 0, None, ""),
        "empty.csv": ("", 0, None, ""),
    }
    runs = []
    for name, (content, documents, line, message) in cases.items():
        path = folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        runs.append((f"hostile {name}", "dedup", [path], ()))
        done = c.run("dedup", path, "-o", c.out(f"said {name}"), "--tables", "tsv", "--verbose")
        told = ("no document was read" in done.stderr) == (documents == 0)
        c.check(f"{name}: the exit code tells a run without documents", told and done.returncode == (0 if documents else 1), done.stderr)
        summary = summary_of(c.out(f"said {name}"))
        c.check(f"{name}: {documents} documents are used", summary.get("documents") == documents, done.stderr or summary)
        said = f"{name}:{line}: " in done.stderr and message in done.stderr
        c.check(f"{name}: says what is wrong and where", said if line else done.stderr.count(name) == 0, done.stderr)
        strict = c.run("dedup", path, "-o", c.out(f"strict {name}"), "--strict")
        place = f"{name}:{line}: " in strict.stderr and "--strict" in strict.stderr
        ok = strict.returncode == 3 and place if line else strict.returncode == (0 if documents else 1)
        c.check(f"{name}: --strict stops there", ok, f"exit {strict.returncode}: {strict.stderr}")
        c.check(f"{name}: --strict leaves nothing", c.out(f"strict {name}").exists() == (line is None))
    c.all_checked(runs)
    whole_files(c, folder)
    long_records(c, folder)
    many_problems(c, folder)


def whole_files(c: Checks, folder: Path) -> None:
    """Files that cannot be read to their end, or not at all."""
    rng = random.Random(6)
    lines = "".join(GOOD % (number, rng.random()) for number in range(3000)).encode()
    packed = gzip.compress(lines, mtime=0)
    broken = bytearray(packed)
    broken[len(broken) // 2] ^= 0xFF
    cases = {
        "truncated.jsonl.gz": (packed[:len(packed) // 2], True, "cut off"),
        "flipped.jsonl.gz": (bytes(broken), True, "gzip"),
        "nothing.jsonl.gz": (packed[:12], False, ""),
        "utf16.jsonl": (good("a", "b").encode("utf-16"), False, "iconv"),
        "twice.jsonl.gz": (gzip.compress(packed), False, "compressed twice"),
        "not.parquet": (b"PAR1 but not really", False, ""),
        "no-column.csv": (b"a,b\n1,2\n", False, "--text-field"),
    }
    for name, (content, some, message) in cases.items():
        path, out = folder / name, c.out(f"file {name}")
        path.write_bytes(content)
        failed = c.run("dedup", path, "-o", out, "--tables", "tsv")
        said = name in failed.stderr and "--skip-unreadable" in failed.stderr and message in failed.stderr
        c.check(f"{name}: the run fails and says what to do", failed.returncode == 1 and said and not out.exists(), failed.stderr)
        done = c.run("dedup", path, "-o", out, "--tables", "tsv", "--skip-unreadable")
        listed = (out / "problems.tsv").read_text(encoding="utf-8") if out.exists() else ""
        said = name in done.stderr and as_setting(message) in listed
        told = some or "no document was read" in done.stderr
        c.check(f"{name}: is named with what is wrong", done.returncode == (0 if some else 1) and said and told, f"exit {done.returncode}: {done.stderr}")
        summary = summary_of(out)
        c.check(f"{name}: is counted as a problem", summary.get("problems", 0) >= 1, summary.get("problems"))
        unreadable = summary.get("unreadable_inputs"), [input.get("unreadable") for input in summary.get("inputs", [])]
        c.check(f"{name}: is counted as unreadable", unreadable == (1, [True]) and any(name in warning for warning in summary.get("warnings", [])), summary)
        c.check(f"{name}: what came before is used", (summary.get("documents", 0) > 0) == some, summary.get("documents"))
        strict = c.run("dedup", path, "-o", c.out(f"strict file {name}"), "--strict")
        c.check(f"{name}: --strict stops", strict.returncode == 3 and name in strict.stderr, strict.stderr)
    members = folder / "members.jsonl.gz"
    members.write_bytes(gzip.compress(good("a", "b").encode()) + gzip.compress(good("c").encode()))
    c.checked("gzip of several members", "dedup", [members])
    misnamed = folder / "plain.jsonl.gz"
    misnamed.write_text(good("a", "b"))
    done = c.run("dedup", misnamed, "-o", c.out("misnamed"))
    c.check("a plain file named .gz is read", done.returncode == 0 and summary_of(c.out("misnamed")).get("documents") == 2, done.stderr)


def damaged_parquet(c: Checks) -> None:
    """Parquet files with bytes changed or cut off anywhere: named, no panic, no hang, no huge allocation."""
    rng, folder = random.Random(11), c.work / "parquet"
    folder.mkdir()
    docs = collection(folder / "docs.jsonl", 32, 300)
    c.run("cluster", docs, "-o", folder / "run", "--tables", "parquet", "-q")
    sources = [path.read_bytes() for path in sorted((folder / "run").glob("*.parquet"))]
    c.check("damaged Parquet: there is something to damage", sources, os.listdir(folder / "run"))
    damaged = folder / "damaged"
    damaged.mkdir()
    for number in range(400):
        data = bytearray(sources[number % len(sources)])
        if number % 5 == 0:
            del data[rng.randrange(len(data)):]
        else:
            # The footer, of some hundred bytes, decides how all else is read.
            first = len(data) - min(1500, len(data)) if number % 2 else 0
            for _ in range(1 + number % 3):
                data[rng.randrange(first, len(data))] ^= rng.randrange(1, 256)
        (damaged / f"{number:03}.parquet").write_bytes(data)

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))

    for verb in ("dedup", "cluster"):
        for fields in (("--text-field", "id"), ("--text-field", "a"), ("--text-field", "leader", "--id-field", "b")):
            label = f"damaged Parquet, {verb} {' '.join(fields)}"
            out = c.out(label)
            good = folder / "good.jsonl"
            good.write_text("".join(json.dumps({fields[1]: f"some words number {n}", fields[-1]: f"some words number {n}"}) + "\n" for n in range(3)))
            command = [c.binary, verb, damaged, good, "-o", out, "--skip-unreadable", "--threads", "2", "--memory", "100MB", "-q", *fields]
            # Damage leaves many copies of one value.
            command += ["--max-loss", "100%"] if verb == "dedup" else []
            try:
                done = subprocess.run(list(map(str, command)), capture_output=True, text=True, errors="replace", timeout=120, preexec_fn=limited)
            except subprocess.TimeoutExpired:
                c.check(f"{label}: ends", False)
                continue
            c.check(f"{label}: ends well", done.returncode == 0 and done.stderr == "", f"exit {done.returncode}: {done.stderr[:2000]}")
            summary = summary_of(out)
            inputs = {input["name"].rsplit("/", 1)[-1]: input for input in summary.get("inputs", [])}
            c.check(f"{label}: the good file is used", inputs.get("good.jsonl", {}).get("documents") == 3)
            c.check(f"{label}: the others are counted", summary.get("unreadable_inputs", 0) > 100, summary.get("unreadable_inputs"))


def long_records(c: Checks, folder: Path) -> None:
    """Records over --max-record are named like any other bad record."""
    # Those too long to be taken into memory at all are named and not copied.
    for size, copied in ((200_000, True), (5_000_000, False)):
        path, out = folder / f"over-{size}.jsonl", c.out(f"over {size}")
        long = json.dumps({"id": "b", "text": "x" * size}) + "\n"
        path.write_text(good("a") + long + good("c"))
        done = c.run("dedup", path, "-o", out, "--max-record", "100kB", "--tables", "tsv")
        c.check(f"a record of {size} bytes over the limit is named", f"{path.name}:2:" in done.stderr and "--max-record" in done.stderr, done.stderr)
        rejected = out / "rejected.jsonl"
        among = rejected.is_file() and rejected.read_text() == long
        c.check(f"a record of {size} bytes over the limit is among the rejected, if it was read", among == copied)
        c.check(f"a record of {size} bytes over the limit says that it may be missing there", "may be too long to be copied to the rejected" in done.stderr, done.stderr)


def many_problems(c: Checks, folder: Path) -> None:
    """Of very many bad records the first are listed, all are counted, and all are among the rejected."""
    path, out = folder / "all-bad.jsonl", c.out("all bad")
    bad = "{}\n" * 150_000
    path.write_text(bad + good("a"))
    done = c.run("dedup", path, "-o", out, "--tables", "tsv")
    summary = summary_of(out)
    c.check("very many problems are counted", (summary.get("problems"), summary.get("documents")) == (150_000, 1), done.stderr)
    c.check("very many problems: their input counts them", summary["inputs"][0]["problems"] == 150_000, summary["inputs"])
    said = "and 149995 more; the first 100000 are in" in done.stderr and len(done.stderr.splitlines()) == 6
    c.check("very many problems: says where they are", said, done.stderr)
    rows = (out / "problems.tsv").read_text(encoding="utf-8").splitlines()
    c.check("very many problems: the first are listed", len(rows) == 100_001 and "\t100000\t" in rows[-1], len(rows))
    c.check("very many problems: all are among the rejected", (out / "rejected.jsonl").read_text() == bad)


def skipped_files(c: Checks) -> None:
    """Files in directories that are not read: counted, and named when asked."""
    folder, out = c.work / "mixed", c.out("mixed")
    (folder / "more").mkdir(parents=True)
    (folder / "docs.jsonl").write_text(good("a", "b"))
    (folder / ".hidden").write_text("hidden names are nobody's business")
    for number in range(12):
        (folder / "more" / f"picture-{number:02}.png").write_bytes(b"\x89PNG")
    (folder / "inbox.pst").write_text("!BDN")
    os.symlink(folder / "nowhere", folder / "broken.jsonl")
    os.mkfifo(folder / "pipe.jsonl")
    done = c.run("dedup", folder, "-o", out)
    row = re.search(r"skipped files +15 \(unsupported format; listed in problems\)$", done.stdout, re.M)
    c.check("skipped files are counted", done.returncode == 0 and row and done.stderr == "", done.stdout + done.stderr)
    c.check("the summary counts it", summary_of(out).get("skipped_files") == 15, summary_of(out).get("skipped_files"))
    said = c.run("dedup", folder, "-o", out, "--force", "-v").stderr
    named = all(words in said for words in ("inbox.pst: skipped: this mail format", "broken.jsonl: skipped: a broken link", "picture-00.png", "and 5 more skipped files"))
    c.check("--verbose names the first of it and says why", named and "picture-11" not in said, said)
