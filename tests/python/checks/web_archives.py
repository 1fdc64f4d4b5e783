"""WARC and WET files beside a reader in Python (warc_records.py), which makes JSONL of them."""
import gzip
import json
import os
import random
import zlib
from collections import Counter
from pathlib import Path

import warc_records
from checks.harness import Checks, summary_of, table_of, tree_of
from checks.inputs import texts


def record(kind: str, number: int, media: str, block: bytes) -> bytes:
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{number:08}>\r\n"
        f"WARC-Date: 2026-11-{1 + number % 28:02}T00:00:00Z\r\nWARC-Target-URI: http://a.example/{number}\r\n"
        f"Content-Type: {media}\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def composed(seed: int, n: int) -> list:
    """Records of many kinds, codings and charsets, with texts that repeat."""
    rng = random.Random(seed)
    made = [record("warcinfo", 0, "application/warc-fields", b"software: a\r\n")]
    for number, text in enumerate(texts(seed, n), 1):
        shape = rng.random()
        if shape < 0.1:
            made.append(record(rng.choice(["request", "metadata", "revisit"]), number, "text/plain", text.encode()))
            continue
        if shape < 0.2:
            made.append(record(rng.choice(["conversion", "resource"]), number, "text/plain", text.encode()))
            continue
        status = rng.choice([200, 200, 200, 203, 301, 404])
        media = rng.choice(["text/html", "text/html", "Text/HTML; charset=utf-8", "text/html; charset=iso-8859-1",
                            "application/xhtml+xml", "text/plain", "image/png", "application/pdf"])
        charset = "latin-1" if "8859" in media else "utf-8"
        body = (text if media == "text/plain" else f"<title>a</title><p>{text}</p>").encode(charset, "replace")
        if media == "text/html" and rng.random() < 0.3:
            body = b'<meta charset="latin-1">' + text.encode("latin-1", "replace")
        head = [f"HTTP/1.1 {status} OK", f"Content-Type: {media}", f"X-Number: {number}"]
        coding = rng.choice(["", "", "gzip", "deflate"])
        if coding:
            head.append(f"Content-Encoding: {coding}")
            body = gzip.compress(body) if coding == "gzip" else zlib.compress(body)
        if rng.random() < 0.3:
            head.append("Transfer-Encoding: chunked")
            cut = rng.randint(0, len(body))
            parts = [part for part in (body[:cut], body[cut:]) if part]
            body = b"".join(b"%x;a=b\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
        block = "\r\n".join(head).encode() + b"\r\n\r\n" + body
        made.append(record("response", number, "application/http; msgtype=response", block))
    return made


def as_jsonl(path: Path, records: list, name: str, statuses=range(200, 300)) -> Counter:
    """Writes the documents as JSONL with the ids that WARC gives them; returns the kinds of all others."""
    kinds, lines = Counter(), []
    for number, raw in enumerate(records, 1):
        found = warc_records.document(raw, statuses)
        if isinstance(found, str):
            kinds[found] += 1
        else:
            field, text, url, date = found
            lines.append(json.dumps({"id": f"{name}:{number}", field: text, "url": url, "date": date}))
    path.write_text("\n".join(lines) + "\n")
    return kinds


def decisions(out: Path) -> list:
    """The ledger without the places of documents, and without the kinds of differences, some of which are in titles."""
    header, *rows = table_of(out / "ledger.tsv")
    places = [at for at, name in enumerate(header) if name.endswith(("file", "record", "differs"))]
    return sorted([value for at, value in enumerate(row) if at not in places] for row in rows)


def web_archives(c: Checks) -> None:
    """Pages are read as Python reads them, and records are written as they were."""
    folder = c.work / "web"
    folder.mkdir()
    records = composed(17, 600)
    path = folder / "a.warc"
    path.write_bytes(b"".join(records))
    (folder / "members.warc.gz").write_bytes(b"".join(map(gzip.compress, records)))
    (folder / "whole.warc.gz").write_bytes(gzip.compress(b"".join(records)))
    for name, options, statuses in (
        ("2xx", (), range(200, 300)), ("all", ("--warc-status", "all"), range(1000)),
        ("some", ("--warc-status", "203,404"), (203, 404)), ("newest", ("--keep", "newest"), range(200, 300)),
    ):
        kinds = as_jsonl(folder / f"{name}.jsonl", records, str(path), statuses)
        options = (*options, "-t", "0.7")
        ours, expected = c.out(f"web {name}"), c.out(f"web {name} expected")
        done = c.run("dedup", path, "-o", ours, "--tables", "tsv", "-j", "3", *options)
        c.run("dedup", folder / f"{name}.jsonl", "-o", expected, "--tables", "tsv", "-q",
              *[option for option in options if option not in ("--warc-status", "all", "203,404")])
        same = done.returncode == 0 and decisions(ours) == decisions(expected)
        c.check(f"web: decisions as of the JSONL ({name})", same and summary_of(ours)["removed"]["near"] > 5, done.stderr)
        counted = summary_of(ours)["inputs"][0].get("skipped_records")
        c.check(f"web: kinds of skipped records ({name})", counted == dict(kinds), (counted, kinds))
        c.check(f"web: kinds are named ({name})", f"records that are no documents: {kinds.total()} (" in done.stderr, done.stderr)
    written(c, folder, records)
    repeated(c, folder)
    damaged(c, folder, records)
    if data := os.environ.get("LOOKALIKE_DATA"):
        collections(c, Path(data))


def written(c: Checks, folder: Path, records: list) -> None:
    """What is kept and removed is a WARC file each, of whole records; compressed, a member for each."""
    for name, single in (("a.warc", False), ("members.warc.gz", True), ("whole.warc.gz", True)):
        out = c.out(f"web written {name}")
        done = c.run("dedup", folder / name, "-o", out, "-q", "-t", "0.7")
        ending = name.partition(".")[2]
        kept, removed = ((out / f"{role}.{ending}").read_bytes() for role in ("kept", "removed"))
        if single:
            members = [gzip.decompress(part) for part in gzip_members(kept)]
            c.check(f"web: a member for each record ({name})", members == warc_records.split(b"".join(members)))
            kept, removed = gzip.decompress(kept), gzip.decompress(removed)
        kept, removed = warc_records.split(kept), warc_records.split(removed)
        c.check(f"web: every record is in one output ({name})", sorted(kept + removed) == sorted(records), done.stderr)
        documents = [not isinstance(warc_records.document(raw), str) for raw in removed]
        c.check(f"web: only documents are removed ({name})", all(documents) and len(removed) > 50, len(removed))
        in_order = [raw for raw in records if raw in set(kept)]
        c.check(f"web: kept records are in order ({name})", kept == in_order)
    out = c.out("web marked")
    done = c.run("dedup", folder / "a.warc", "-o", out, "-q", "--mark", "-t", "0.7")
    marked = warc_records.split((out / "marked.warc").read_bytes())
    of = [warc_records.fields(raw.partition(b"\r\n\r\n")[0]).get("duplicate_of") for raw in marked]
    count = summary_of(out)
    c.check("web: marks are header fields", len(marked) == len(records) and sum(map(bool, of)) == sum(v for v in count["removed"].values()), done.stderr)


def gzip_members(data: bytes) -> list:
    members = []
    while data:
        decoder = zlib.decompressobj(31)
        decoder.decompress(data)
        members.append(data[: len(data) - len(decoder.unused_data)])
        data = decoder.unused_data
    return members


def repeated(c: Checks, folder: Path) -> None:
    """The same bytes for any threads, memory and resumption; explain, fields, standard input."""
    trees = []
    for name, options in (("one", ("-j", "1")), ("many", ("-j", "5", "--memory", "1")), ("resume", ("--resume",))):
        out = c.out(f"web {name}")
        c.run("cluster", folder / "a.warc", "-o", out, "-q", "--tables", "tsv", "--warc-status", "all", *options)
        trees.append({name: data for name, data in tree_of(out).items() if name.endswith(".tsv")})
    c.check("web: the same tables for any threads and memory", trees[0] == trees[1] == trees[2] and trees[0])
    _, *rows = table_of(c.out("web one") / "pairs.tsv")
    done = c.run("explain", *[value for value in rows[0] if ".warc:" in value][:2], "--run", c.out("web one"))
    c.check("web: a pair is explained", done.returncode == 0, done.stderr)
    out = c.out("web fields")
    done = c.run("dedup", folder / "a.warc", "-o", out, "-q", "--id-field", "warc-record-id", "--keep", "max:x-number", "--tables", "tsv")
    c.check("web: header fields are fields", done.returncode == 0 and "urn:uuid:000" in (out / "ledger.tsv").read_text(), done.stderr)
    for option in ("--id-field", "--url-field"):
        done = c.run("dedup", folder / "a.warc", "-o", c.out("web mistyped"), option, "warc-target-url")
        c.check(f"web: a field that no page has, {option}", done.returncode == 2 and f"{option}\n" in done.stderr and "did you mean `warc-target-uri`" in done.stderr, done.stderr)
    done = c.run("dedup", folder / "a.warc", "-o", c.out("web status"), "--warc-status", "20")
    c.check("web: a status that is none", done.returncode == 2 and "2xx" in done.stderr, done.stderr)


def damaged(c: Checks, folder: Path, records: list) -> None:
    """Damage: good records are kept, bad ones are named and written to the rejected ones, byte for byte."""
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n"
    http = "application/http"
    bad = {
        "damaged (": record("response", 1, http, page + gzip.compress(b"some text " * 999)[:-30]),
        "no HTTP response": record("response", 2, http, b"<p>not one"),
        "does not start with `WARC/`": b"rubbish\nbetween records\n",
        "no Content-Length": b"WARC/1.0\r\nWARC-Type: response\r\n\r\nsome text\r\n\r\n",
        "max_record": record("response", 3, http, page + gzip.compress(b"bomb " * 3_000_000)),
        "max-record": record("resource", 4, "text/plain", b"long " * 1_000_000),
        "cut off": record("resource", 5, "text/plain", b"cut off")[:-9],
    }
    good = records[:40]
    path = folder / "bad.warc"
    path.write_bytes(b"".join(raw for pair in zip(good, [*bad.values()]) for raw in pair))
    out = c.out("web bad")
    done = c.run("dedup", path, "-o", out, "--tables", "tsv", "-v", "--max-record", "1MiB")
    listed = (out / "problems.tsv").read_text()
    c.check("web: every bad record is named", done.returncode == 0 and all(words.replace("max-record", "max_record") in listed for words in bad), done.stderr + listed)
    c.check("web: as many problems as bad records", summary_of(out)["problems"] == len(bad), listed)
    rejected, long = (out / "rejected.warc").read_bytes(), bad["max-record"]
    c.check("web: bad records are rejected as they are", rejected == b"".join(raw for raw in bad.values() if raw != long) or rejected == b"".join(bad.values()), len(rejected))
    done = c.run("dedup", path, "-o", c.out("web strict"), "--strict", "-q")
    c.check("web: --strict names the first bad record", done.returncode == 3 and "bad.warc: record 2" in done.stderr, done.stderr)
    (folder / "cut.warc.gz").write_bytes(gzip.compress(b"".join(good))[:-200])
    done = c.run("dedup", folder / "cut.warc.gz", "-o", c.out("web cut"))
    c.check("web: compressed data that are cut off", done.returncode == 1 and "cut off" in done.stderr, done.stderr)
    (folder / "far.warc").write_bytes(records[0] + b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 99999999999999\r\n\r\n" + b"".join(good) * 200)
    done = c.run("dedup", folder / "far.warc", "-o", c.out("web far"), "--max-record", "100kB")
    c.check("web: a length after the end of the file", done.returncode == 1 and "Content-Length is wrong" in done.stderr, done.stderr)
    (folder / "old.arc").write_text("filedesc://a.arc 0.0.0.0 20110804181044 text/plain 76\n1 0 A\n")
    (folder / "old.warc").write_text("filedesc://a.arc 0.0.0.0 20110804181044 text/plain 76\n1 0 A\n")
    (folder / "text.warc").write_text("no archive at all\n" * 99)
    for name, words in (("old.arc", "ARC files"), ("old.warc", "is an ARC file"), ("text.warc", "is not a WARC file")):
        done = c.run("dedup", folder / name, "-o", c.out(f"web {name}"))
        c.check(f"web: {name}", done.returncode != 0 and words in done.stderr, done.stderr)
    rng, data = random.Random(5), b"".join(records[:60])
    for number in range(40):
        changed = bytearray(data)
        for _ in range(rng.randint(1, 30)):
            at = rng.randrange(len(changed))
            changed[at:at + rng.randint(0, 9)] = rng.randbytes(rng.randint(0, 9))
        (folder / "noise.warc").write_bytes(changed[: rng.randint(1, len(changed))])
        out = c.out(f"web noise {number}")
        done = c.run("dedup", folder / "noise.warc", "-o", out, "-q", "--no-report", "--skip-unreadable", "-j", "2")
        whole = b"".join((out / f"{role}.warc").read_bytes() for role in ("kept", "removed", "rejected") if (out / f"{role}.warc").exists())
        ok = done.returncode in (0, 1) and "panic" not in done.stderr
        if done.returncode == 0 and out.exists():
            ok = ok and sorted(whole) == sorted((folder / "noise.warc").read_bytes())
        c.check(f"web: noise {number}", ok, done.stderr)


def collections(c: Checks, data: Path) -> None:
    """Samples of other projects: each is read, or there is a clear problem."""
    for path in sorted((data / "warc_samples").iterdir()):
        if path.name in ("README.md", "stats.json"):
            continue
        out = c.out(f"web sample {path.name}")
        done = c.run("dedup", path, "-o", out, "--input-format", "warc", "--no-report")
        said = done.returncode == 0 or (done.returncode in (1, 2) and (";" in done.stderr or "hold no documents" in done.stderr))
        c.check(f"web: sample {path.name}", said and "panic" not in done.stderr, done.stderr)
    out = c.out("web seaborn")
    done = c.run("dedup", data / "formats/seaborn120.warc.gz", "-o", out, "-q")
    c.check("web: seaborn", done.returncode == 0 and summary_of(out)["documents"] == 120, done.stderr)
