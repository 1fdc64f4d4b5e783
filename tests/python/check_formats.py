#!/usr/bin/env python3
"""Reads the samples in tests/formats by the description in FORMAT.md, and by nothing else.

Standard library only. The heads of frames are Zstandard data: without the zstd command (or Python 3.14)
they are not decoded, which is said.
"""
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys

import read_segment
from read_segment import finalise
from xxh3 import xxh3_64, xxh3_128

FORMATS = pathlib.Path(__file__).parent.parent / "formats"
DESCRIBED = (FORMATS.parent.parent / "FORMAT.md").read_text()
# The present samples, and those of an earlier analysis, whose formats are the same.
SAMPLES, EARLIER = FORMATS / "v2", FORMATS / "v1"
WIDTH = {"u8": 1, "u32": 4, "u64": 8, "u128": 16, "f64": 8}


class Reader:
    """Numbers and arrays, one behind the other."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        part = self.data[self.at:self.at + count]
        assert len(part) == count, "the data ends early"
        self.at += count
        return part

    def numbers(self, kind, count):
        if kind == "f64":
            return list(struct.unpack(f"<{count}d", self.take(8 * count)))
        width = WIDTH[kind]
        part = self.take(width * count)
        return [int.from_bytes(part[i:i + width], "little") for i in range(0, len(part), width)]

    def array(self, kind):
        [count] = self.numbers("u64", 1)
        return self.numbers(kind, count)

    def text(self):
        return bytes(self.array("u8")).decode()

    def end(self):
        assert self.at == len(self.data), f"{len(self.data) - self.at} bytes more"


def unpack(data):
    """Zstandard data, or None without a decoder."""
    try:
        from compression import zstd
        return zstd.decompress(data)
    except ImportError:
        if not shutil.which("zstd"):
            return None
        return subprocess.run(["zstd", "-dc"], input=data, stdout=subprocess.PIPE, check=True).stdout


def frames(data):
    """Heads, fronts and backs of a file of frames, all checksums checked."""
    start = 0
    while start < len(data):
        header = data[start:start + 56]
        packed, plain = struct.unpack("<II", header[8:16])
        front, back, front_sum, back_sum, total = struct.unpack("<5Q", header[16:])
        assert header[:8] == b"LKFRAME3", header[:8]
        at = start + 56
        head, at = data[at:at + packed], at + packed
        parts = [data[at:at + 8 * front], data[at + 8 * front:at + 8 * (front + back)]]
        at += 8 * (front + back)
        assert at <= len(data), "a frame ends behind the file"
        assert [xxh3_64(part) for part in parts] == [front_sum, back_sum], "front or back"
        assert xxh3_64(head, xxh3_64(header[:48], start)) == total, "header, head and place"
        text = unpack(head)
        assert text is None or len(text) == plain
        words = [[word for (word,) in struct.iter_unpack("<Q", part)] for part in parts]
        yield text, words[0], words[1]
        start = at


def chunk(head, rules):
    """The head of a chunk."""
    assert head[0] == 0
    reader = Reader(head)
    reader.take(1)
    found = dict(zip(("consumed", "file", "record", "line", "offset", "bytes"), reader.numbers("u64", 6)))
    found["attributes"] = [reader.array("f64") for _ in range(rules)]
    found["sequences_of_sets"] = reader.array("u128")
    found["problems"] = dict(zip(reader.array("u32"), reader.array("u64")))
    found["unreadable"] = reader.array("u32")
    [listed] = reader.numbers("u64", 1)
    found["listed"] = [
        (*reader.numbers("u32", 3), *reader.numbers("u64", 2), reader.text(), reader.text()) for _ in range(listed)
    ]
    [kinds] = reader.numbers("u64", 1)
    found["skipped"] = [(reader.text(), *reader.numbers("u64", 1)) for _ in range(kinds)]
    kinds = ("u32",) * 5 + ("u64", "u128", "u128")
    names = ("files", "records", "tokens", "set_chunks", "sets", "text_bytes", "texts", "sequences")
    for name, kind in zip(names, kinds):
        found[name] = reader.array(kind)
    ids, ends = bytes(reader.array("u8")), reader.array("u32")
    found["ids"] = [ids[a:b].decode() for a, b in zip([0] + ends, ends)]
    found["set_ends"], found["digests"] = reader.array("u32"), reader.array("u128")
    has_keys = reader.array("u8")
    found["signatures"] = [reader.array("u64") for _ in range(4 if has_keys == [1] else 2)]
    found["sizes"], found["levels"], found["unsigned"] = reader.array("u32"), reader.array("u32"), reader.array("u8")
    reader.end()
    return found


def sets_of(found, front, back):
    """The sets of a chunk from its front and back: each with its digest."""
    count = len(found["set_ends"])
    words = (count + 1) // 2
    lows = [front[i // 2] >> 32 * (i % 2) & 0xFFFFFFFF for i in range(count)]
    low, sets, low_start, start, at = front[words:], [], 0, 0, 0
    for low_end, end in zip(lows, found["set_ends"]):
        below = low[low_start:low_end]
        above = end - start - len(below)
        digest = back[at] | back[at + 1] << 64
        sets.append((digest, below + back[at + 2:at + 2 + above]))
        low_start, start, at = low_end, end, at + 2 + above
    assert low_start == len(low) and at == len(back), "elements of no set"
    return sets


def check_chunks(folder):
    description = json.loads((folder / "job.json").read_text())
    *chunks, end = list(frames((folder / "chunks").read_bytes()))
    assert len(chunks) == 1 and end[1:] == ([], [])
    if end[0] is None:
        print("formats: no zstd, so the heads of frames were not decoded")
        return
    assert end[0] == b"\x01", "the end of the chunks"
    head, front, back = chunks[0]
    found = chunk(head, len(description["settings"]["keep"]))
    assert found["ids"] == ["d0", "d1", "d2", "d3", "d4", 'tab\t"quoted" é'], found["ids"]
    assert found["records"] == [1, 2, 3, 4, 5, 6] and found["files"] == [0] * 6
    assert found["texts"][0] == found["texts"][2] != found["texts"][1], "identical texts"
    assert found["sequences"][1] == found["sequences"][4] and found["texts"][1] != found["texts"][4]
    assert found["problems"] == {0: 1} and found["listed"][0][:4] == (0, 7, 0, 7), found["listed"]
    assert found["skipped"] == []
    assert found["listed"][0][5] == "input.jsonl" and "invalid JSON" in found["listed"][0][6]
    sets = sets_of(found, front, back)
    assert [digest for digest, _ in sets] == found["digests"]
    assert all(len(set(elements)) == len(elements) for _, elements in sets)
    sizes = [len(sets[index][1]) for index in found["sets"]]
    assert sizes == [26, 26, 26, 27, 26, 26], sizes
    first, fourth = set(sets[found["sets"][0]][1]), set(sets[found["sets"][3]][1])
    assert len(first & fourth) == 26, "the counts of the ledger"


def arrays(path, kinds):
    data = path.read_bytes()
    assert xxh3_64(data[:-8]) == int.from_bytes(data[-8:], "little"), f"checksum of {path.name}"
    reader = Reader(data[:-8])
    found = [reader.array(kind) for kind in kinds]
    return found, reader


def check_steps(folder):
    units, reader = arrays(folder / "units", ["u32"] * 7)
    reader.end()
    chunks, indices, sizes, members, starts, of_document, protected = units
    assert (sizes, protected) == ([26, 26, 27, 26], [0]), units
    assert [members[a:b] for a, b in zip(starts, starts[1:])] == [[0, 2], [1, 4], [3], [5]]
    assert of_document == [0, 1, 0, 2, 1, 3] and len(chunks) == len(indices) == 4
    postings, reader = arrays(folder / "postings", ["u64"] + ["u32"] * 7)
    counts, least_sizes, group_starts, entry_units, positions, starts, groups, places = postings
    assert len(counts) == 3 and len(starts) == 5 and group_starts[-1] == len(entry_units) == len(positions)
    assert starts[-1] == len(groups) == len(places)
    posts = reader.array("u32")
    if posts:
        reader.array("u32"), reader.array("u32")
        assert reader.array("u32") == []
    reader.end()
    matches, reader = arrays(folder / "matches", ["u64"] + ["u32"] * 5)
    reader.end()
    counts, leader, shared, a, b, both = matches
    assert len(counts) == 7 and leader == [0, 1, 0, 3] and shared[2] == 26, matches
    assert len(a) == len(b) == len(both)


def check_job(folder):
    job = json.loads((folder / "job.json").read_text())
    assert (f"`{job['analysis']}`" in DESCRIBED) == (folder.parent == SAMPLES), job["analysis"]
    for name in job:
        assert f"`{name}`" in DESCRIBED, f"FORMAT.md does not name `{name}` of job.json"
    assert job["layout"] == 7 and job["hash"] == "xxh3-poly64/1", job
    assert [entry[0] for entry in job["inputs"]] == ["input.jsonl"]


def check_fingerprints():
    """The table of worked values, by the definitions above it."""
    section = DESCRIBED.partition("## Fingerprints")[2].partition("\n## ")[0]
    base, mask = 0x9E3779B97F4A7C15, (1 << 64) - 1
    hashes = [xxh3_64(word.encode()) for word in ("a", "rose", "is", "a")]
    polynomial = sum(h * base**(3 - i) for i, h in enumerate(hashes)) & mask
    a, rose, is_ = hashes[:3]
    sequence = struct.pack("<35Q", a, rose, *[is_, a, rose] * 11)
    values = (
        ("the number 1, finalised", finalise(1)),
        ("token `rose`: hash", hashes[1]),
        ("term `rose`: fingerprint", finalise(hashes[1])),
        ("shingle `a rose is a`: fingerprint", finalise(polynomial)),
    )
    for name, value in values:
        assert f"| {name} | `{value:016x}` |" in section, f"FORMAT.md: {name} is {value:016x}"
    digest = f"| token sequence `a rose` and 11 times `is a rose`: digest | `{xxh3_128(sequence):032x}` |"
    assert digest in section, digest


def check_lexicon(path):
    data = path.read_bytes()
    assert data[:8] == b"LKLEXIC\n"
    version, header = struct.unpack("<II", data[8:16])
    assert version == 1 and int.from_bytes(data[16:32], "little") == xxh3_128(data[32:])
    documents, terms, names, least, most, bits = struct.unpack("<QQQIII", data[32:68])
    at, texts = 68, []
    for _ in range(3):
        length = int.from_bytes(data[at:at + 2], "little")
        texts.append(data[at + 2:at + 2 + length].decode())
        at += 2 + length
    assert at == header and texts[0] == "xxh3-poly64/1" and texts[2] == "all", texts
    entries = list(struct.iter_unpack("<QI", data[at:at + 12 * terms]))
    assert [e[0] for e in entries] == sorted({e[0] for e in entries})
    assert (least, most) == (min(e[1] for e in entries), max(e[1] for e in entries)) and most <= documents == 6
    start = at = at + 12 * terms
    found, places = {}, []
    for number, (_, frequency) in enumerate(entries):
        if number % 64 == 0:
            places.append(at - start)
        name = data[at + 1:at + 1 + data[at]]
        assert entries[number][0] == finalise(xxh3_64(name)), name
        found[name.decode()] = frequency
        at += 1 + data[at]
    assert at - start == names and found["word7"] == 5 and found["tail"] == 1
    assert list(struct.unpack(f"<{len(places)}Q", data[at:at + 8 * len(places)])) == places
    at += 8 * len(places)
    assert 2**bits >= terms / 2 > 2**bits / 2, "bits of the directory"
    directory = struct.unpack(f"<{2**bits + 1}I", data[at:])
    assert list(directory) == [sum(e[0] >> 64 - bits < group for e in entries) for group in range(2**bits + 1)]


def tsv(path):
    """Rows of a TSV table: None for a missing value."""
    plain = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}

    def value(field):
        if field in ("", "\\e"):
            return None if field == "" else ""
        out, parts = "", iter(field)
        for character in parts:
            out += plain[next(parts)] if character == "\\" else character
        return out

    text = path.read_bytes().decode()
    assert text.endswith("\n") and "\r" not in text
    header, *lines = text[:-1].split("\n")
    return header.split("\t"), [[value(field) for field in line.split("\t")] for line in lines]


def check_tables():
    for name in ("pairs", "clusters", "documents", "problems"):
        header, rows = tsv(SAMPLES / "cluster-tsv" / f"{name}.tsv")
        lines = (SAMPLES / "cluster-jsonl" / f"{name}.jsonl").read_bytes().decode().splitlines()
        objects = [json.loads(line) for line in lines]
        assert all(list(row) == header for row in objects), name
        numbers = [[None if v is None else type(o)(v) for v, o in zip(row, line.values())] for row, line in zip(rows, objects)]
        assert numbers == [list(row.values()) for row in objects], name
        packed = (SAMPLES / "cluster-parquet" / f"{name}.parquet").read_bytes()
        assert packed[:4] == packed[-4:] == b"PAR1"
        assert all(column.encode() in packed for column in header), name
    header, rows = tsv(SAMPLES / "dedup" / "ledger.tsv")
    for table in [*(SAMPLES / "cluster-tsv").glob("*.tsv"), SAMPLES / "dedup" / "ledger.tsv"]:
        for column in tsv(table)[0]:
            assert f"`{column}`" in DESCRIBED, f"FORMAT.md does not name `{column}` of {table.name}"
    assert [row[0] for row in rows] == sorted(row[0] for row in rows) == ["d2", "d3", "d4"]


def check_marks():
    original = (SAMPLES / "input.jsonl").read_bytes().splitlines()[:6]
    marked = (SAMPLES / "mark" / "marked.jsonl").read_bytes().splitlines()
    assert len(marked) == len(original)
    for before, after in zip(original, marked):
        assert after.startswith(before[:-1]) and after.endswith(b"}")
        added = list(json.loads(after).items())[-7:]
        names = ["duplicate_of", "duplicate_of_file", "duplicate_of_record", "resemblance", "cluster", "is_duplicate", "duplicates"]
        assert [name for name, _ in added] == [f"dup_{name}" for name in names], added


def check_summary():
    for path in SAMPLES.glob("*/summary.json"):
        summary = json.loads(path.read_text())
        for name in summary:
            assert f"`{name}`" in DESCRIBED, f"FORMAT.md does not name `{name}` of summary.json"
        assert summary["settings"]["hash"] == "xxh3-poly64/1" and len(summary["digest"]) == 32
        assert summary["documents"] == summary["kept"] + sum(summary["removed"].values())


def check_segments():
    table = read_segment.common_elements((EARLIER / "common.bin").read_bytes())
    assert len(table) == 40
    for name in ("index.seg", "index-sets.seg", "index-lean.seg"):
        is_lean = name == "index-lean.seg"
        segment, documents = read_segment.check((EARLIER / name).read_bytes(), table if is_lean else frozenset())
        assert segment.lean == ((7, 10) if is_lean else (0, 0)) and segment.posted(60) == (22 if is_lean else 60)
        ids = [strings[0] for _, strings, _, _ in documents]
        assert ids == ["few", "b", "b", "a", "a", "long", "é"], ids
        # Documents without sets come last.
        sizes = [len(elements) for *_, elements in documents if elements is not None]
        assert sizes == ([] if segment.has_texts else [1, 2, 2, 3, 3, 60, 0]), sizes
        assert segment.states == [row["number"] for row, *_ in documents] == [4, 1, 3, 0, 5, 6, 2]
        texts = [text for _, _, text, _ in documents if text is not None]
        words = "".join(f"word{n} " for n in range(60))
        assert texts in ([], ["one", "y x", "x y", "x y z", "x y z", words, ""]), texts
        # Equal texts, or sets, of a unit are stored once.
        places = [row["place"] for row, *_ in documents]
        assert places[3] == places[4] and (places[1] == places[2]) != segment.has_texts
        assert [row["expires"] for row, *_ in documents] == [row["number"] << 33 for row, *_ in documents]


def check_passages():
    """Keys of passages are those that the words of the texts elect."""
    folder = SAMPLES / "index-passages"
    length = json.loads((folder / "settings.json").read_text())["settings"]["index"]["passages"]
    k, seen = -(-2 * length // 5), 0
    for path in folder.glob("seg/*.seg"):
        segment, documents = read_segment.check(path.read_bytes())
        # The samples have no other method.
        assert segment.methods == 1
        for local, (keys, sketch) in enumerate(segment.signatures(0)):
            row, _, text, _ = documents[local]
            size, level, reason = struct.unpack_from("<2IB", segment.sections[64, 0], 9 * local)
            assert (size, level, reason, sketch) == (row["tokens"], 0, 0, [])
            if text is None:
                continue
            hashes = [xxh3_64(word.lower().encode()) for word in re.findall("[A-Za-z0-9]+", text)]
            assert len(hashes) == size
            grams = []
            for at in range(len(hashes) - k + 1):
                value = 0
                for word in hashes[at:at + k]:
                    value = (value * 0x9E3779B97F4A7C15 + word) % (1 << 64)
                grams.append(finalise(value))
            windows = range(len(hashes) - length + 1)
            elected = {min(grams[at:at + length - k + 1]) for at in windows}
            assert keys == sorted({finalise(gram) for gram in elected}), text
            seen += len(keys)
    assert seen > 20 or not shutil.which("zstd")


def main():
    for samples in (SAMPLES, EARLIER):
        checkpoint = samples / "checkpoint"
        check_job(checkpoint)
        check_chunks(checkpoint)
        check_steps(checkpoint)
        check_lexicon(samples / "terms.lexicon")
    check_fingerprints()
    check_tables()
    check_marks()
    check_summary()
    check_segments()
    check_passages()
    print("formats: the samples are as FORMAT.md describes them")


if __name__ == "__main__":
    sys.exit(main())
