"""Hostile documents, archives, mails and web archives: exit codes, problems, kept records, memory, time."""
import base64
import gzip
import io
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tarfile
import threading
import zipfile
import zlib
from pathlib import Path
from xml.sax.saxutils import escape

from checks import parquet_bytes
from checks.archives import packed
from checks.fault_server import Files, serving
from checks.harness import SAMPLES, Checks, dict_table, summary_of
from checks.web_archives import record

# Only a hang takes longer.
LONGEST = 120
# More than a run without hostile inputs may take, in KiB.
MEMORY = 96 << 10


# Runs a command; prints its exit code and the most memory that it took, in KiB. A process starts with the memory of
# the one that starts it, so that a small one does.
MEASURE = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


class Case:
    """A finished run over hostile inputs."""

    def __init__(self, c: Checks, name: str, inputs: list, *options, stdin=None):
        self.c, self.name, self.out = c, name, c.out(f"hostile formats {name}")
        shutil.rmtree(self.out, ignore_errors=True)
        command = [c.binary, "dedup", *inputs, "-o", self.out, "--tables", "tsv", "-j", "2", "--max-loss", "100%", "--no-report", *options]
        with open(stdin or os.devnull, "rb") as source:
            running = subprocess.Popen(
                [sys.executable, "-c", MEASURE, *[str(word) for word in command]], stdin=source, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)
            try:
                measured, self.stderr = running.communicate(timeout=LONGEST)
                self.code, self.memory = map(int, measured.split())
            except subprocess.TimeoutExpired:
                os.killpg(running.pid, signal.SIGKILL)
                self.code, self.memory, self.stderr = -9, 0, "it did not end"
                running.communicate()
        self.summary = summary_of(self.out)
        table = self.out / "problems.tsv"
        self.problems = dict_table(table) if table.exists() else []

    def expect(self, code: int = 0, documents=None, problems=None, words=(), unreadable: int = 0, memory: int = MEMORY) -> None:
        """Checks the exit code, the numbers of documents and problems, and words of the problems (or of the error)."""
        check = lambda what, ok, detail="": self.c.check(f"hostile formats: {self.name}: {what}", ok, detail or self.stderr)  # noqa: E731
        check(f"ends with {code}", self.code == code and "panic" not in self.stderr, f"exit {self.code}: {self.stderr}")
        check("memory is bounded", self.memory < baseline(self.c) + memory, f"{self.memory} KiB")
        if documents is not None:
            check(f"{documents} documents", self.summary.get("documents") == documents, f"{self.summary.get('documents')}: {self.stderr}")
        if problems is not None:
            check(f"{problems} problems", self.summary.get("problems") == problems, self.problems)
            check(f"{unreadable} unreadable", self.summary.get("unreadable_inputs", 0) == unreadable, self.problems)
        listed = [" ".join(row.values()) for row in self.problems]
        for word in words:
            check(f"names {word!r}", any(word in line for line in listed) or (not listed and word in self.stderr), (listed, self.stderr))


def baseline(c: Checks) -> int:
    """Memory of a run over one document, in KiB."""
    if not hasattr(c, "hostile_baseline"):
        c.hostile_baseline = 0
        path = c.work / "baseline.txt"
        path.write_text("a text of some words")
        c.hostile_baseline = Case(c, "baseline", [path]).memory
    return c.hostile_baseline


def hostile_formats(c: Checks) -> None:
    folder = c.work / "hostile-formats"
    folder.mkdir()
    documents(c, folder)
    damaged_archives(c, folder)
    bombs(c, folder)
    columns(c, folder)
    mails(c, folder)
    pages(c, folder)
    objects(c, folder)


# DOCX and ODT

def raw_zip(entries: list) -> bytes:
    """A zip archive of entries (name, deflated data, size, flags, checksum) that need not be true."""
    out, directory = bytearray(), bytearray()
    for name, data, size, flags, crc in entries:
        name, at = name.encode(), len(out)
        fields = struct.pack("<HHHHHIIIHH", 20, flags, 8, 0, 0, crc, len(data), size, len(name), 0)
        out += b"PK\3\4" + fields + name + data
        directory += b"PK\1\2" + struct.pack("<H", 20) + fields + struct.pack("<HHHII", 0, 0, 0, 0, at) + name
    count = len(entries)
    return bytes(out + directory + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, count, count, len(directory), len(out), 0))


def deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def zipped(parts: dict) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return out.getvalue()


def docx(body) -> bytes:
    if isinstance(body, str):
        body = f"<?xml version='1.0' encoding='UTF-8'?><w:document xmlns:w='w'><w:body>{body}</w:body></w:document>".encode()
    return zipped({"[Content_Types].xml": "<Types/>", "word/document.xml": body})


def as_docx(paragraphs: list, rng: random.Random) -> bytes:
    made = []
    for paragraph in paragraphs:
        runs, rest = [], paragraph
        while rest:
            length = rng.randint(1, 20)
            piece, rest = rest[:length], rest[length:]
            text = "".join(rng.choice([escape(letter), escape(letter), f"&#{ord(letter)};", f"&#x{ord(letter):x};"]) for letter in piece)
            if rng.random() < 0.1 and "]]>" not in piece:
                text = f"<![CDATA[{piece}]]>"
            runs.append(f"<w:r><w:rPr><w:b/></w:rPr><w:t xml:space='preserve'>{text}</w:t></w:r>")
            if rng.random() < 0.1:
                runs.append("<w:del><w:r><w:delText>deleted words</w:delText></w:r></w:del><!-- a comment --><?pi of words?>")
        made.append(f"<w:p>{''.join(runs)}</w:p>")
    return docx("".join(made))


def as_odt(paragraphs: list, rng: random.Random) -> bytes:
    made = []
    for paragraph in paragraphs:
        text = escape(paragraph).replace(" ", rng.choice([" ", "<text:s/>", "<text:tab/>", " <text:s text:c='3'/>", "<text:line-break/>"]))
        tag = rng.choice(["text:p", "text:h"])
        made.append(f"<{tag}><text:span>{text}</text:span><office:annotation><text:p>a note</text:p></office:annotation></{tag}>")
    tracked = "<text:tracked-changes><text:p>words that are gone</text:p></text:tracked-changes>"
    return zipped({"content.xml": f"<?xml version='1.0'?><office:text>{tracked}{''.join(made)}</office:text>"})


def documents(c: Checks, folder: Path) -> None:
    """Random paragraphs are read back from both formats; hostile files are bad records, quickly."""
    good = folder / "office-good"
    good.mkdir()
    rng = random.Random(71)
    letters = "abcdefghij &<>'\"\u00e9\u00df\u0416\u6f22\U0001d518 "
    for number in range(60):
        words = lambda: "".join(rng.choice(letters) for _ in range(rng.randint(0, 60))).strip()  # noqa: E731
        paragraphs = [words() for _ in range(rng.randint(1, 12))] + [f"number{number}"]
        (good / f"{number}.txt").write_text("\n".join(paragraphs))
        (good / f"{number}.docx").write_bytes(as_docx(paragraphs, rng))
        (good / f"{number}.odt").write_bytes(as_odt(paragraphs, rng))
        (good / f"{number}-wide.docx").write_bytes(docx("".join(
            ["\ufeff<w:document><w:body>", *[f"<w:p><w:t>{escape(text)}</w:t></w:p>" for text in paragraphs], "</w:body></w:document>"]).encode("utf-16-le")))
    case = Case(c, "documents read back", [good], "--threshold", "1", "--copy-files")
    case.expect(0, 240, 0)
    removed = sum(case.summary.get("removed", {}).values())
    c.check("hostile formats: documents have the words of their paragraphs", (case.summary.get("kept"), removed) == (60, 180), case.summary.get("removed"))
    copies = [path for path in (case.out / "kept-files").rglob("*") if path.is_file()]
    c.check("hostile formats: copies of documents are the files", len(copies) == 60 and all(path.read_bytes() == (good / path.name).read_bytes() for path in copies))

    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(b"<w:p><w:t>bomb </w:t></w:p>" * 40000) + packer.flush(zlib.Z_FULL_FLUSH)
    words = b"<a><text:p>words</text:p></a>"
    lol = "".join(f"<!ENTITY l{n} '{f'&l{n - 1};' * 10}'>" for n in range(1, 10))
    whole = docx("<w:p><w:t>some words of a text</w:t></w:p>" * 50)
    cases = {
        "bomb.docx": (raw_zip([("word/document.xml", block * 3000 + b"\3\0", 0xFFFF_FFF0, 0, 0)]), "max_record"),
        "manifest.odt": (raw_zip([("META-INF/manifest.xml", block * 3000 + b"\3\0", 0xFFFF_FFF0, 0, 0), ("content.xml", deflated(words), len(words), 0, zlib.crc32(words))]), None),
        "deep.docx": (docx("<w:p>" * 20_000 + "<w:t>at the bottom</w:t>" + "</w:p>" * 20_000), None),
        "deep.odt": (zipped({"content.xml": "<text:p>" * 20_000 + "at the bottom of it" + "</text:p>" * 20_000}), None),
        "open.docx": (docx("<w:p>" * 20_000), "no valid XML"),
        "entities.docx": (docx(f"<?xml version='1.0'?><!DOCTYPE l [<!ENTITY l0 'lol'>{lol}]><w:p><w:t>few words &l9;</w:t></w:p>".encode()), None),
        "file.docx": (docx(b"<!DOCTYPE l [<!ENTITY l SYSTEM 'file:///etc/passwd'>]><w:p><w:t>no file &l; here</w:t></w:p>"), None),
        "encrypted.docx": (raw_zip([("word/document.xml", b"\x12" * 99, 200, 1, 0)]), "encrypted"),
        "cut.docx": (whole[: len(whole) // 2], "not a whole document"),
        "flipped.docx": (whole[:100] + bytes([whole[100] ^ 255]) + whole[101:], ""),
        "other.docx": (zipped({"content.xml": "<a/>"}), "not a whole document"),
        "plain.odt": (b"a plain text", "not a whole document"),
        "empty.docx": (b"", "not a whole document"),
        "character.docx": (docx("<w:p><w:t>&#0;&#xD800;&#x110000;</w:t></w:p>"), "no valid XML"),
        "traversal.docx": (zipped({"../../traversal.txt": "x", "/tmp/lookalike-traversal.txt": "x", "word/document.xml": "<w:t>a text and its words</w:t>"}), None),
    }
    bad = folder / "office-bad"
    bad.mkdir()
    for name, (data, _) in cases.items():
        (bad / name).write_bytes(data)
    named = {name: words for name, (_, words) in cases.items() if words is not None and name != "flipped.docx"}
    case = Case(c, "hostile documents", [bad], "--max-record", "16MiB")
    case.expect(0, words=named.values())
    for name, words in named.items():
        rows = [row for row in case.problems if row["file"].endswith(name)]
        c.check(f"hostile formats: {name}: {words}", len(rows) == 1 and words in rows[0]["message"], case.problems)
    fine = [name for name, (_, words) in cases.items() if words is None]
    c.check("hostile formats: harmless documents are read", not [row for row in case.problems if Path(row["file"]).name in fine], case.problems)
    c.check("hostile formats: no member of a document is written", not Path("/tmp/lookalike-traversal.txt").exists() and not list(folder.rglob("traversal.txt")))
    strict = Case(c, "strict documents", [bad], "--max-record", "16MiB", "--strict")
    strict.expect(3)


# Archives

def member(name: str, size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    """The header of a member of any size."""
    info = tarfile.TarInfo(name)
    info.size, info.type = size, kind
    return info.tobuf(tarfile.GNU_FORMAT)


def gzipped_zeros(path: Path, before: bytes, mebibytes: int, after: bytes = b"") -> None:
    with gzip.open(path, "wb", 1) as out:
        out.write(before)
        for _ in range(mebibytes):
            out.write(bytes(1 << 20))
        out.write(after)


def damaged_archives(c: Checks, folder: Path) -> None:
    """Documents before the damage are kept, and the damage is one problem."""
    members = {f"{number:02}.txt": f"text {number} of its own words w{number} ".encode() * 20 for number in range(20)}
    texts = packed(members)
    lines = "".join(json.dumps({"id": f"d{number}", "text": f"record {number} of its own words w{number}"}) + "\n" for number in range(2000)).encode()
    tables = packed({"a.txt": b"the first text", "b.jsonl": lines, "c.txt": b"after the damage"})
    header = texts.index(b"05.txt")
    zeros = bytearray(gzip.compress(texts))
    zeros[-8] ^= 1
    cases = {
        # Name: content, documents before the damage, what is named, and why.
        "cut.tar": (texts[: header + 700], 5, "cut.tar!05.txt", "inside of a member"),
        "header.tar": (texts[: header + 100], 5, "header.tar", "damaged from here on"),
        "cut.tgz": (gzip.compress(texts)[:-60], None, "cut.tgz", "the gzip data is cut off"),
        "checksum.tar": (texts[:header] + b"X" + texts[header + 1:], 5, "checksum.tar", "checksum"),
        "crc.tgz": (bytes(zeros), 20, "crc.tgz", "gzip data is damaged"),
        "lines.tar": (tables[: len(tables) // 2], None, "lines.tar!b.jsonl", "inside of a member"),
        "long.tar": (packed({"a.txt": b"the first text"})[:1024] + member("huge.jsonl", 1 << 40) + lines, 2001, "long.tar!huge.jsonl", "inside of a member"),
        "document.tar": (packed({"a.txt": b"the first text"})[:1024] + member("huge.txt", 1 << 40) + b"words " * 999, 1, "document.tar!huge.txt", "inside of a member"),
        "skipped.tar": (packed({"a.txt": b"the first text"})[:1024] + member("huge.bin", 1 << 40) + b"words " * 999, 1, "skipped.tar", "damaged from here on"),
        "parquet.tar": (packed({"a.txt": b"the first text"})[:1024] + member("a.parquet", 9999) + b"PAR1" * 99, 1, "parquet.tar!a.parquet", "inside of a member"),
        "noise.tar": (b"noise" * 999, 0, "noise.tar", "damaged from here on"),
        "noise.tar.xz": (b"\xfd7zXZ\0" + b"n" * 500, 0, "noise.tar.xz", "xz data"),
    }
    for name, (data, count, named, why) in cases.items():
        path = folder / name
        path.write_bytes(data)
        failed = Case(c, f"fails {name}", [path])
        failed.expect(1, words=(named, why, "--skip-unreadable"))
        c.check(f"hostile formats: {name}: no result", not failed.out.exists())
        case = Case(c, f"damaged {name}", [path], "--skip-unreadable")
        some = case.summary.get("documents", 0)
        case.expect(1 if count == 0 else 0, count, 1, (named, why), unreadable=1)
        if name == "lines.tar":
            kept = [json.loads(line)["id"] for line in (case.out / "kept.jsonl").read_text().splitlines()]
            c.check("hostile formats: records before the damage are kept", 500 < len(kept) < 2000 and kept == [f"d{n}" for n in range(len(kept))], some)
        Case(c, f"strict {name}", [path], "--strict").expect(3, words=(named, "--strict"))
    good = folder / "good.tar"
    good.write_bytes(texts)
    both = Case(c, "a good archive beside a damaged one", [good, folder / "cut.tar"], "--skip-unreadable")
    both.expect(0, 25, 1, ("cut.tar!05.txt",), unreadable=1)
    streams(c, folder, texts)


def streams(c: Checks, folder: Path, texts: bytes) -> None:
    """Archives on standard input and from pipes."""
    (folder / "stream.tar").write_bytes(texts)
    (folder / "stream.tgz").write_bytes(gzip.compress(texts))
    (folder / "half.tar").write_bytes(texts[: len(texts) // 2])
    for name in ("stream.tar", "stream.tgz"):
        case = Case(c, f"standard input {name}", ["-"], stdin=folder / name)
        case.expect(0, 20, 0)
        listed = (case.out / "kept-files.txt").read_text().split()
        c.check(f"hostile formats: members of standard input are named ({name})", listed == [f"stdin!{number:02}.txt" for number in range(20)], listed)
    Case(c, "standard input of one format", ["-"], "--input-format", "markdown", stdin=folder / "stream.tar").expect(0, 20, 0)
    Case(c, "standard input cut off", ["-"], stdin=folder / "half.tar").expect(1, words=("stdin!", "inside of a member"))
    Case(c, "standard input cut off, skipped", ["-"], "--skip-unreadable", stdin=folder / "half.tar").expect(0, None, 1, unreadable=1)
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(texts))
    writer.start()
    Case(c, "a pipe", [pipe]).expect(0, 20, 0)
    writer.join()


def bombs(c: Checks, folder: Path) -> None:
    """Headers and contents that are larger than memory should be; sparse files."""
    last = packed({"last.txt": b"a small text"})
    first = packed({"first.txt": b"the first text"})[:1024]
    for name, kind in (("long-name", tarfile.GNUTYPE_LONGNAME), ("long-link", tarfile.GNUTYPE_LONGLINK), ("pax", tarfile.XHDTYPE)):
        path = folder / f"{name}.tar.gz"
        gzipped_zeros(path, first + member(name, 200 << 20, kind), 200, last)
        Case(c, f"{name} bomb", [path], "--skip-unreadable").expect(0, 1, 1, ("longer than 1 MiB",), unreadable=1)
        (folder / f"{name}-claim.tar").write_bytes(first + member(name, 1 << 60, kind) + bytes(5000))
        Case(c, f"{name} that is not there", [folder / f"{name}-claim.tar"], "--skip-unreadable").expect(0, 1, 1, unreadable=1)
    gzipped_zeros(folder / "zeros.tar.gz", b"", 200)
    Case(c, "zeros", [folder / "zeros.tar.gz"]).expect(1, words=("nothing to read",))
    gzipped_zeros(folder / "text.tar.gz", first + member("long.txt", 200 << 20), 200, last)
    Case(c, "a member of 200 MiB", [folder / "text.tar.gz"], "--max-record", "1MiB").expect(0, 2, 1, ("max_record",))
    gzipped_zeros(folder / "skip.tar.gz", first + member("skipped.bin", 200 << 20), 200, last)
    Case(c, "a skipped member of 200 MiB", [folder / "skip.tar.gz"]).expect(0, 2, 0)
    sparse = bytearray(member("sparse.jsonl", 0, tarfile.GNUTYPE_SPARSE))
    # One hole of 1 PiB: offset and length of the piece after it, and the size.
    large = b"\x80" + (1 << 50).to_bytes(11, "big")
    sparse[386:398], sparse[398:410], sparse[483:495] = large, b"%011o\0" % 0, large
    total = sum(sparse[:148]) + sum(sparse[156:]) + 8 * 32
    sparse[148:156] = b"%06o\0 " % total
    pax = io.BytesIO()
    with tarfile.open(fileobj=pax, mode="w", format=tarfile.PAX_FORMAT) as tar:
        info = tarfile.TarInfo("GNUSparseFile.0/map.txt")
        info.size, info.pax_headers = 512, {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "map.txt", "GNU.sparse.realsize": "99999"}
        tar.addfile(info, io.BytesIO(b"1\n0\n5\n".ljust(512, b"\0")))
    (folder / "sparse.tar").write_bytes(first + bytes(sparse) + pax.getvalue()[:2048] + last)
    case = Case(c, "sparse files", [folder / "sparse.tar"], "-v")
    case.expect(0, 2, 0)
    c.check("hostile formats: sparse files are skipped", case.summary.get("skipped_files") == 2 and "sparse file" in case.stderr, case.stderr)
    inner = last
    for level in range(30):
        inner = packed({f"{level}.tar": inner, f"{level}.txt": f"text of level {level}".encode()})
    (folder / "nested.tar").write_bytes(inner)
    Case(c, "archives in archives", [folder / "nested.tar"]).expect(0, 1, 0)


# Parquet

def columns(c: Checks, folder: Path) -> None:
    """Pages and dictionaries that take much more memory than they have bytes."""
    rows = 400
    texts = (parquet_bytes.PLAIN_CODEC, [parquet_bytes.plain([f"document {n} of many{n} words{n}".encode() for n in range(rows)])])
    good = folder / "good.parquet"
    good.write_bytes(parquet_bytes.parquet(rows, {"text": texts}))
    Case(c, "Parquet without bombs", [good]).expect(0, rows, 0)
    large = 1 << 20
    path = folder / "dictionary.parquet"
    path.write_bytes(parquet_bytes.parquet(rows, {"text": texts, "note": (parquet_bytes.PLAIN_CODEC, parquet_bytes.repeated(b"x" * large, rows))}))
    # The output has 400 MiB, and a row group of it 32 MiB.
    Case(c, f"a dictionary of 1 MiB in {rows} rows", [path]).expect(0, rows, 0, memory=MEMORY + (32 << 10))
    claimed = 1 << 30
    packed_page = parquet_bytes.gzipped([claimed.to_bytes(4, "little"), *[bytes(large)] * 1024])
    page = parquet_bytes.Page(parquet_bytes.DATA_PAGE, 1, packed_page, claimed + 4)
    path = folder / "page.parquet"
    path.write_bytes(parquet_bytes.parquet(1, {"text": (parquet_bytes.GZIP, [page])}))
    Case(c, "a page of 1 GiB in 1 MB", [good, path], "--skip-unreadable").expect(0, rows, 1, ("unpacks to 1024 MiB",), unreadable=1)
    page.unpacked = 1000
    path.write_bytes(parquet_bytes.parquet(1, {"text": (parquet_bytes.GZIP, [page])}))
    Case(c, "a page of 1 GiB that says it has 1 kB", [good, path], "--skip-unreadable").expect(0, rows, 1, ("more than its header says",), unreadable=1)


# Mail

def mails(c: Checks, folder: Path) -> None:
    """Broken structures, encodings and headers: as much as can be read, or one bad record."""
    head = b"From: a@b\r\nSubject: x\r\nMIME-Version: 1.0\r\n"
    levels = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n) for n in range(1000))
    text = b"Content-Type: text/plain\r\n\r\n"
    cases = {
        # Content, whether it is a document, and words of the problem.
        "levels": (head + levels + text + b"the text\r\n", False, "nested more than 16 deep"),
        "messages": (head + b"Content-Type: message/rfc822\r\n\r\n" * 1000 + b"the text\r\n", False, "nested more than 16 deep"),
        "parts": (head + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + b"--b\r\n\r\nx\r\n" * 5000, False, "more than 200 parts"),
        "boundary": (head + b"Content-Type: multipart/mixed\r\n\r\nwithout a boundary, some words\r\n", True, ""),
        "absent": (head + b"Content-Type: multipart/mixed; boundary=zzz\r\n\r\nno boundary line is here\r\n", True, ""),
        "unclosed": (head + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n" + text + b"a part without an end", True, ""),
        "base64": (head + b"Content-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n" + base64.b64encode(b"words of base64 " * 9)[:-3], True, ""),
        "no-base64": (head + b"Content-Transfer-Encoding: base64\r\n\r\n" + bytes(range(128, 256)) * 9, True, ""),
        "charset": (head + b"Content-Type: text/plain; charset=\"no-such-\xff\xfe\"\r\n\r\nwords in some charset \xe4\xf6\r\n", True, ""),
        "long-header": (b"From: a@b\r\nX-Long: " + b"x" * (10 << 20) + b"\r\n\r\nwords after a long header\r\n", True, ""),
        "folded": (b"From: a@b\r\nX-Long: x\r\n" + b" folded\r\n" * 500_000 + b"\r\nwords after folded lines\r\n", True, ""),
        "fields": (b"X: y\r\n" * 1_000_000 + b"\r\ntext\r\n", False, "header fields"),
        "no-header": (b"no header at all\r\n", False, "not a mail message"),
        "empty": (b"", False, "not a mail message"),
        "nul": (head + b"\r\n" + b"\0" * 5000 + b" words after zeros", True, ""),
        "long-boundary": (head + b"Content-Type: multipart/mixed; boundary=" + b"b" * 100_000 + b"\r\n\r\n" + (b"--" + b"b" * 99_999 + b"\r\n") * 50, True, ""),
        "encoded-word": (b"From: a@b\r\nSubject: " + b"=?utf-8?q?=" * 50_000 + b"\r\n\r\nwords below a bad subject\r\n", True, ""),
    }
    mail = folder / "mail"
    mail.mkdir()
    for name, (data, _, _) in cases.items():
        (mail / f"{name}.eml").write_bytes(data)
    good = sum(is_document for _, is_document, _ in cases.values())
    case = Case(c, "mails", [mail])
    case.expect(0, good, len(cases) - good, memory=2 * MEMORY)
    for name, (_, is_document, words) in cases.items():
        rows = [row["message"] for row in case.problems if Path(row["file"]).name == f"{name}.eml"]
        c.check(f"hostile formats: mail {name}", (not rows) if is_document else len(rows) == 1 and words in rows[0], case.problems)
    box, count = bytearray(), 0
    for name, (data, is_document, _) in cases.items():
        if name in ("no-header", "empty"):
            continue
        box += b"From a@b Mon Nov 23 22:30:17 2026\n" + data.rstrip() + b"\n\n"
        count += is_document
    box += b"From a@b Mon Nov 23 22:30:17 2026\nFrom: a@b\n\nbefore\n\nFrom here on, it is body text\n>From quoted\n\nlast words\n"
    (folder / "all.mbox").write_bytes(box)
    case = Case(c, "mbox", [folder / "all.mbox"])
    bad = len([1 for name, (_, is_document, _) in cases.items() if not is_document and name not in ("no-header", "empty")])
    listed = [" ".join(row.values()) for row in case.problems]
    c.check("hostile formats: bad messages of an mbox are named", case.code == 0 and len(listed) in (bad, bad + 1) and case.summary["documents"] >= count + 1, (listed, case.stderr))
    rejected = (case.out / "rejected.mbox").read_bytes() + (case.out / "kept.mbox").read_bytes()
    removed = case.out / "removed.mbox"
    rejected += removed.read_bytes() if removed.exists() else b""
    c.check("hostile formats: no byte of an mbox is lost", len(rejected) >= len(box) - 2, (len(rejected), len(box)))
    Case(c, "a long message", [folder / "all.mbox"], "--max-record", "100kB").expect(0, words=("max_record",))


# Web archives

def pages(c: Checks, folder: Path) -> None:
    """Broken records and HTTP messages."""
    http, html = "application/http; msgtype=response", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
    def page(number: int, block: bytes) -> bytes:
        return record("response", number, http, block)

    def good(number: int) -> bytes:
        return page(number, html + b"\r\n<p>good page number%d of words</p>" % number)

    zeros = gzip.compress(bytes(64 << 20), 9)
    chunked = html + b"Transfer-Encoding: chunked\r\n\r\n"
    whole = good(0)
    cases = {
        # Name: record, words of the problem, or None for one that is read or skipped.
        "short-length": (whole.replace(b"Content-Length: ", b"Content-Length: -"), "Content-Length"),
        "huge-length": (whole.replace(b"Content-Length: ", b"Content-Length: 9999999999999999999999"), "Content-Length"),
        "no-length": (b"WARC/1.0\r\nWARC-Type: response\r\n\r\nsome words\r\n\r\n", "Content-Length"),
        "zero": (record("response", 1, http, b""), "no HTTP response"),
        "zero-resource": (record("resource", 2, "text/plain", b""), None),
        "no-end": (page(3, html + b"X: y"), "ends inside of its header"),
        "bad-chunks": (page(4, chunked + b"zz\r\nnot chunked at all, but words"), None),
        "huge-chunk": (page(5, chunked + b"ffffffffffffffff\r\nwords of a huge chunk"), None),
        "overflow-chunk": (page(6, chunked + b"f" * 40 + b"\r\nwords of no chunk"), None),
        "negative-chunk": (page(7, chunked + b"-5\r\nwords of a negative chunk"), None),
        "bomb": (page(8, html + b"Content-Encoding: gzip\r\n\r\n" + zeros), "max_record"),
        "bomb-bomb": (page(9, html + b"Content-Encoding: gzip, gzip\r\n\r\n" + gzip.compress(zeros)), "max_record"),
        "brotli": (page(10, html + b"Content-Encoding: br\r\n\r\n\xff\xfe\xfd" + bytes(99)), "br data"),
        "codings": (page(11, html + b"Content-Encoding: " + b"gzip, " * 1000 + b"gzip\r\n\r\n" + zeros[:99]), "content codings"),
        "unknown": (page(12, html + b"Content-Encoding: x-none-known\r\n\r\nwords"), "x-none-known"),
        "header": (b"WARC/1.0\r\n" + b"X-Field: y\r\n" * 200_000 + b"Content-Length: 5\r\n\r\nwords\r\n\r\n", "no end"),
        "status": (page(13, b"HTTP/1.1 99999 OK\r\n\r\nwords"), "no HTTP response"),
    }
    records, number = [good(99)], 100
    for raw, _ in cases.values():
        records += [raw, good(number)]
        number += 1
    data = b"".join(records)
    bad = [words for _, words in cases.values() if words is not None]
    for name, content in (("pages.warc", data), ("pages.warc.gz", b"".join(map(gzip.compress, records)))):
        path = folder / name
        path.write_bytes(content)
        case = Case(c, name, [path], "--max-record", "4MiB")
        case.expect(0, None, len(bad), bad, memory=2 * MEMORY)
        ending = name.partition(".")[2]
        opened = gzip.open if name.endswith("gz") else open
        kept = opened(case.out / f"kept.{ending}", "rb").read() if (case.out / f"kept.{ending}").exists() else b""
        found = [n for n in range(99, number) if b"good page number%d of words" % n in kept]
        c.check(f"hostile formats: good pages between bad ones are kept ({name})", found == list(range(99, number)), (found, case.problems))
    cut = folder / "member.warc.gz"
    members = [gzip.compress(good(n)) for n in range(5)]
    cut.write_bytes(b"".join(members)[:-20])
    Case(c, "a cut member", [cut]).expect(1, words=("cut off",))
    Case(c, "a cut member, skipped", [cut], "--skip-unreadable").expect(0, 4, 1, ("cut off",), unreadable=1)
    middle = bytearray(b"".join(members))
    middle[len(members[0]) + len(members[1]) + 60] ^= 0x55
    cut.write_bytes(middle)
    Case(c, "a damaged member", [cut], "--skip-unreadable").expect(0, None, 1, ("gzip data",), unreadable=1)


# Objects

def objects(c: Checks, folder: Path) -> None:
    """Web archives, tables and tar archives of a server that cuts answers off or sends wrong ranges."""
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>page %d of its own words w%d "
    warc = b"".join(record("response", n, "application/http", page % (n, n) + b"x" * 20_000) for n in range(200))
    files = {
        "pages.warc": warc, "apache.parquet": (SAMPLES / "apache.parquet").read_bytes(),
        "texts.tar": packed({f"{n}.txt": f"text {n} of its own words w{n} ".encode() * 2000 for n in range(40)}),
    }
    served = folder / "served"
    served.mkdir()
    with serving(Files, files=files) as server:
        for name, content in files.items():
            (served / name).write_bytes(content)
            local = Case(c, f"local {name}", [served / name])
            local.expect(0, problems=0)
            for how in ("ranges", "cut", "untagged", "whole", "cutwhole"):
                case = Case(c, f"{how} {name}", [f"{server.url}/{how}/{name}"])
                case.expect(0, local.summary.get("documents"), 0)
            for how in ("short", "wrong", "broken"):
                case = Case(c, f"{how} {name}", [f"{server.url}/{how}/{name}"])
                case.expect(1, words=(name,))
                c.check(f"hostile formats: {how} {name}: no result", not case.out.exists())
