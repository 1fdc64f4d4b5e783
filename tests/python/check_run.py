#!/usr/bin/env python3
"""A finished run and its inputs in, a verdict out: one line for each check, exit code 0 or 1.

    check_run.py RUN_DIR INPUT... [--against OTHER...] [--mark]
    check_run.py --self-test

Reads the inputs itself, makes words, shingles and sets from the published definitions, compares every
pair of documents in exact arithmetic, and holds the files, tables and counts of the run against that.
It shares no code with lookalike and knows nothing of how lookalike finds its answer. Tables must be TSV
(--tables tsv).

Two kinds of checks: the promises (nothing lost, no two kept documents reach the threshold, every
removal proven), from the files as they are; and the exact answer (which document represents which),
from a second, plain computation of it.

Not for HTML and Parquet, nor for texts whose words it cannot be trusted to find (Thai, Lao, Khmer,
Burmese, Katakana; characters newer than this Python): it says so and exits with 2.
Standard library only.
"""
import argparse
import bz2
import csv
import gzip
import io
import json
import lzma
import math
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata
from collections import Counter, defaultdict
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from fractions import Fraction
from functools import lru_cache
from pathlib import Path, PurePosixPath

import mail_records
import text_parts
from boilerplate import Boilerplate


class CannotCheck(Exception):
    """Something that this program is not the judge of."""


# --- the inputs -----------------------------------------------------------------------------------

FORMATS = {
    "jsonl": "jsonl", "ndjson": "jsonl", "json": "jsonl", "csv": "csv", "tsv": "tsv",
    "parquet": "parquet", "txt": "text", "text": "text", "md": "text", "markdown": "text",
    "html": "html", "htm": "html", "xhtml": "html", "mbox": "mbox", "mbx": "mbox", "eml": "eml",
}
UNPACK = {"gz": gzip.decompress, "bz2": bz2.decompress, "xz": lzma.decompress}


class Input:
    """One input file."""

    def __init__(self, path: Path, relative: PurePosixPath, own: bool):
        self.path, self.relative, self.own = path, relative, own
        self.name = str(PurePosixPath(path))
        parts = path.name.lower().split(".")
        self.packed = parts.pop() if parts[-1] in (*UNPACK, "zst", "zstd") else None
        self.form = FORMATS.get(parts[-1]) if len(parts) > 1 else None
        self.extension = parts[-1] + (f".{self.packed}" if self.packed else "")
        self.header = b""

    def data(self) -> bytes:
        return unpacked(self.path.read_bytes(), self.packed)

    def is_document(self) -> bool:
        return self.form in ("text", "eml")


class Record:
    """One record of an input: its bytes, and what it says if it can be read."""

    def __init__(self, file: Input, number: int, raw: bytes):
        self.file, self.number, self.raw = file, number, raw
        self.good = False
        # What identical documents have in common: the text of a record, the bytes of a file.
        self.original = ""
        # Documents with different attachments do not match.
        self.attachments = ()
        self.text, self.name, self.title, self.date, self.numbers, self.labels = "", "", None, None, {}, {}
        self.tokens, self.visible, self.features = [], "", frozenset()
        self.index = 0
        # The field that names its site.
        self.address = None

    def __repr__(self) -> str:
        return f"{self.name or '?'} ({self.file.name}:{self.number})"

    @property
    def place(self) -> tuple:
        """What no two documents share, as the tables write it."""
        return self.file.name, str(self.number)

    @property
    def named(self) -> tuple:
        """What the tables call it."""
        return self.name, *self.place


def unpacked(data: bytes, packed) -> bytes:
    if packed in (None, ""):
        return data
    if packed in ("zst", "zstd"):
        if not shutil.which("zstd"):
            raise CannotCheck("zstd is not installed, and there are .zst files")
        return subprocess.run(["zstd", "-dc", "--long=31"], input=data, stdout=subprocess.PIPE, check=True).stdout
    return UNPACK[packed](data)


def find_inputs(arguments: list, own: bool) -> list:
    """The files that the arguments lead to, in the order of their names."""
    found = {}
    for argument in arguments:
        path = Path(argument)
        if path.is_dir():
            inner = (p for p in path.rglob("*") if p.is_file())
            files = [(p, p.relative_to(path)) for p in inner]
            files = [(p, r) for p, r in files if not any(part.startswith((".", "_")) for part in r.parts)]
        else:
            files = [(path, Path(path.name))]
        for file, relative in files:
            one = Input(file, PurePosixPath(relative), own)
            if one.form in ("html", "parquet"):
                raise CannotCheck(f"{one.name}: {one.form} is beyond this checker")
            if one.form:
                found[file.resolve()] = one
    return sorted(found.values(), key=lambda one: one.name.encode())


def read_records(file: Input, fields: dict, wanted: list) -> list:
    """All records of a file, in order."""
    if file.form == "text":
        record = Record(file, 1, file.path.read_bytes())
        record.good, record.text, record.name = True, decoded(file.data(), fields["encoding"]), file.name
        record.original = file.data().decode("utf-8", errors="surrogateescape")
        if fields["encoding"] and not is_utf_8(file.data()):
            record.original = record.text
        return [record]
    if file.form == "eml":
        record = mail_record(file, 1, file.data(), fields, wanted)
        record.raw = file.path.read_bytes()
        return [record]
    data = file.data()
    data = data[3:] if data.startswith(b"\xef\xbb\xbf") else data
    if file.form == "jsonl":
        lines = [line for line in data_lines(data) if line.strip(b" \t\r\n\x0c")]
        return [json_record(file, number, line, fields, wanted) for number, line in enumerate(lines, 1)]
    if file.form == "mbox":
        return [mail_record(file, number, raw, fields, wanted) for number, raw in enumerate(mail_records.split(data), 1)]
    return csv_records(file, data, fields, wanted)


def mail_record(file: Input, number: int, raw: bytes, fields: dict, wanted: list) -> Record:
    record = Record(file, number, raw)
    record.name = file.name if file.is_document() else f"{file.name}:{number}"
    mail = mail_records.Mail(mail_records.message(raw) if file.form == "mbox" else raw)
    text = mail.text() if fields["text"] == "text" else mail.header(fields["text"])
    if not mail.has_header or text is None:
        return record
    if text is mail_records.HTML:
        raise CannotCheck(f"{file.name}: has messages of HTML")
    whole = fields["text"] == "text"
    record.good, record.text, record.original = True, text, mail.original(text) if whole else text
    record.attachments = mail.attachments() if whole else ()
    record.name = mail.field(fields["id"]) or record.name
    record.title = mail.field("subject" if fields["title"] == "title" else fields["title"])
    record.date = mail.date(fields["date"])
    record.numbers = {key: number_of(mail.field(key)) for key in wanted}
    record.labels = {key: mail.field(key) for key in wanted}
    return record


def data_lines(data: bytes) -> list:
    """Lines that end with LF and nothing else."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return lines


def is_utf_8(data: bytes) -> bool:
    try:
        return data.decode("utf-8") is not None
    except UnicodeDecodeError:
        return False


def decoded(data: bytes, other=None) -> str:
    """`other`: the encoding of what is not UTF-8."""
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if data.startswith(mark):
            return data[len(mark):].decode(encoding, errors="replace")
    return data.decode(other if other and not is_utf_8(data) else "utf-8", errors="replace")


class Written(str):
    """A JSON number as it was written."""


class Object(dict):
    """A JSON object. Of a name that occurs twice the last value counts."""

    def __init__(self, pairs: list):
        super().__init__(pairs)
        names = Counter(name for name, _ in pairs)
        self.repeated = {name for name, count in names.items() if count > 1}


def json_record(file: Input, number: int, line: bytes, fields: dict, wanted: list) -> Record:
    record = Record(file, number, line)
    record.name = f"{file.name}:{number}"
    try:
        text = line.decode("utf-8").removeprefix("\ufeff")
        # NaN and infinities are no value.
        value = json.loads(text, parse_int=Written, parse_float=Written, parse_constant=lambda _: None, object_pairs_hook=Object)
    except (ValueError, RecursionError):
        return record
    if not isinstance(value, dict):
        return record
    text, name = value.get(fields["text"]), value.get(fields["id"])
    if fields["text"] in value.repeated:
        return record
    if not is_string(text):
        if is_string(value.get(fields["html"])):
            raise CannotCheck(f"{file.name}: has records of HTML")
        return record
    if name is not None and not isinstance(name, str):
        if fields["id"] != "id" and not isinstance(name, bool):
            return record
        name = compact(name)
        name = name if len(name.encode()) <= 200 else None
    seen = [text, *(value.get(fields[key]) for key in ("id", "url", "title", "date"))]
    if any(isinstance(one, str) and re.search("[\ud800-\udfff]", one) for one in seen):
        return record
    record.good, record.text, record.original = True, text, text
    record.name = name or record.name
    # Strings and numbers.
    title = value.get(fields["title"])
    record.title = title if isinstance(title, str) else None
    date = value.get(fields["date"])
    record.date = date if isinstance(date, str) else None
    record.numbers = {key: number_of(value.get(key)) for key in wanted}
    record.labels = {key: label_of(value.get(key)) for key in wanted}
    record.address = value.get(fields["url"]) if isinstance(value.get(fields["url"]), str) else None
    return record


def compact(value) -> str:
    """JSON without white space, numbers as they were written."""
    if isinstance(value, list):
        return f"[{','.join(map(compact, value))}]"
    if isinstance(value, dict):
        return "{%s}" % ",".join(f"{compact(name)}:{compact(one)}" for name, one in value.items())
    return value if isinstance(value, Written) else json.dumps(value, ensure_ascii=False)


def is_string(value) -> bool:
    return isinstance(value, str) and not isinstance(value, Written)


def number_of(value) -> float:
    try:
        number = float(value.strip())
    except (AttributeError, ValueError):
        return math.nan
    return number if math.isfinite(number) else math.nan


def label_of(value):
    """What a rule `prefer(…)` compares: text, a number as it is written, true or false."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else None


def csv_records(file: Input, data: bytes, fields: dict, wanted: list) -> list:
    """The rows of a CSV or TSV file with their bytes; what follows a row up to the next belongs to it."""
    delimiter = b"\t" if file.form == "tsv" else b","
    starts = row_starts(data, delimiter)
    if not starts:
        return []
    rows = [data[a:b] for a, b in zip(starts, [*starts[1:], len(data)])]
    header = rows.pop(0)
    text = header.rstrip(b"\r\n")
    file.header = text + (b"\r\n" if header[len(text):].startswith(b"\r\n") else header[len(text):][:1])
    names = row_fields(header, delimiter)
    records = []
    for number, raw in enumerate(rows, 1):
        record = Record(file, number, raw)
        record.name = f"{file.name}:{number}"
        records.append(record)
        try:
            values = row_fields(raw, delimiter)
        except (UnicodeDecodeError, csv.Error):
            continue
        if len(values) != len(names):
            continue
        row = {name: value for name, value in zip(names, values) if value}
        if row.get(fields["html"]) and not row.get(fields["text"]):
            raise CannotCheck(f"{file.name}: has records of HTML")
        record.good, record.text = True, row.get(fields["text"], "")
        record.original = record.text
        record.name = row.get(fields["id"]) or record.name
        record.title = row.get(fields["title"])
        record.date = row.get(fields["date"])
        record.numbers = {key: number_of(row.get(key)) for key in wanted}
        record.labels = {key: row.get(key) for key in wanted}
        record.address = row.get(fields["url"])
    return records


def row_starts(data: bytes, delimiter: bytes) -> list:
    """Where rows start: behind a line end, which in CSV stands outside quotes."""
    if delimiter == b"\t":
        return [row.start() for row in re.finditer(rb"[^\r\n]+", data)]
    token = re.compile(rb'(?:^|(?<=[\r\n' + delimiter + rb']))"(?:[^"]|"")*"|[\r\n]+|[^\r\n' + delimiter + rb']+|' + delimiter)
    starts, fresh = [], True
    for match in token.finditer(data):
        if match[0][:1] in b"\r\n":
            fresh = True
        elif fresh:
            starts.append(match.start())
            fresh = False
    return starts


def row_fields(raw: bytes, delimiter: bytes) -> list:
    text = raw.decode("utf-8").rstrip("\r\n")
    if delimiter == b"\t":
        return text.split("\t")
    return next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter.decode(), strict=True), [""])


# --- from text to features ------------------------------------------------------------------------

# Default_Ignorable_Code_Point, DerivedCoreProperties.txt of Unicode 17.0, and the Arabic tatweel: removed from every
# text before anything else. Python's unicodedata does not have the property.
DEFAULT_IGNORABLE = (
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x640, 0x640), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)
IGNORABLE = dict.fromkeys(point for first, last in DEFAULT_IGNORABLE for point in range(first, last + 1))
# Written without spaces, each character a word of its own.
SINGLE = ("CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "HIRAGANA LETTER")
# Written without spaces, and too much for this program.
UNTRUSTED = (
    "KATAKANA", "HALFWIDTH KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "HIRAGANA", "IDEOGRAPHIC",
    "HANGZHOU", "KANGXI", "CJK RADICAL", "VERTICAL", "HALFWIDTH IDEOGRAPHIC", "TAI ", "NEW TAI LUE", "AHOM", "JAVANESE",
    "BALINESE", "BATAK", "BRAHMI", "CHAM ", "DIVES AKURU", "GRANTHA", "KAWI", "MAKASAR", "TULU", "GURUNG KHEMA",
    "TANGUT", "KHITAN", "NUSHU",
)
ASCII_WORD = re.compile(r"[A-Za-z0-9]+")
# The small Cyrillic letters by which confusables.txt of UTS #39 leads to ASCII, some of them by their capitals, and those that
# look like none. `i`, `l` and `1` are one character, and so are `o` and `0`.
LOOKS_LIKE = {
    **dict(zip("аеорсхукмнтвгшьѕіј", "aeopcxykmhtbrwbslj")), "ы": "bl", "ю": "lo", **dict.fromkeys("1i", "l"), "0": "o",
}
LOOKS_LIKE_NONE = set("бджзилпфцчщъэя")
LETTER_S = re.compile(r"(?<=[^\W\d_])\$|\$(?=[^\W\d_])")


def lower(text: str) -> str:
    """In small letters; a dot above an i is not kept."""
    return text.lower().replace("i\u0307", "i")


def replace_confusables(text: str) -> str:
    """The text in small letters, with those that look alike as one."""
    text = lower(unicodedata.normalize("NFD", text))
    text = LETTER_S.sub("s", text)
    if known := re.findall(r"[^\W_]", text):
        odd = next((c for c in known if not (c.isascii() or c in LOOKS_LIKE or c in LOOKS_LIKE_NONE)), None)
        if odd:
            raise CannotCheck(f"whether {unicodedata.name(odd, hex(ord(odd)))} looks like another letter")
    return unicodedata.normalize("NFC", "".join(LOOKS_LIKE.get(c, c) for c in text))


@lru_cache(maxsize=None)
def kind(character: str) -> str:
    """`w` for a letter or digit, `s` for one that is a word by itself, `m` what belongs to the word before it, `?` untrusted, else ` `."""
    category = unicodedata.category(character)
    if category == "Cn" and not unicodedata.name(character, ""):
        return "?" if ord(character) & 0xFFFE != 0xFFFE and not 0xFDD0 <= ord(character) <= 0xFDEF else " "
    if category[0] == "M" or "\U0001f3fb" <= character <= "\U0001f3ff":
        return "m"
    if category[0] not in "LN":
        return " "
    name = unicodedata.name(character, "")
    if name.startswith(SINGLE):
        return "s"
    return "?" if name.startswith(UNTRUSTED) else "w"


def normalised(text: str, settings: dict) -> str:
    """The text whose tokens count."""
    normalize = settings["normalize"]
    if not text.isascii():
        text = text.translate(IGNORABLE)
    if normalize == "confusables":
        text = replace_confusables(text)
    elif normalize != "none":
        text = unicodedata.normalize(normalize.upper(), text)
        if "\u0640" in text:
            # NFKC puts some marks on a tatweel.
            text = unicodedata.normalize(normalize.upper(), text.replace("\u0640", ""))
    return text if settings.get("case") == "keep" else lower(text)


def symbols(text: str) -> list:
    """Pairs: a word, symbol or punctuation character of a normalised text, and whether it touches the token before it."""
    kinds = "".join(" " if c.isspace() or unicodedata.category(c) == "Cc" else kind(c).replace(" ", "p") for c in text)
    if "?" in kinds:
        raise CannotCheck("a text with scripts without spaces, and symbols")
    # A mark belongs to what it follows; behind white space it is a symbol.
    found = re.finditer("w[wm]*|sm*|[pm]m*", kinds)
    return [(text[m.start():m.end()], m.start() > 0 and kinds[m.start() - 1] != " ") for m in found]


def words(text: str) -> list:
    """Pairs: a word of a normalised text, and whether it continues an unspaced run of characters."""
    if text.isascii():
        return [(word, False) for word in ASCII_WORD.findall(text)]
    kinds = "".join(map(kind, text))
    if odd := next((c for c, k in zip(text, kinds) if k == "?"), None):
        raise CannotCheck(f"a text with {unicodedata.name(odd, hex(ord(odd)))}")
    found, unspaced = [], -1
    for match in re.finditer("w[wm]*|sm*", kinds):
        found.append((text[match.start():match.end()], match[0][0] == "s" and unspaced == match.start()))
        unspaced = match.end() if match[0][0] == "s" else -1
    return found


SIGNS = set("-\u2010\u2011\u2012\u2013\uff0d")


def operators(text: str, settings: dict) -> list:
    """The symbols that change what a text says, each with the number of letters and digits before it."""
    written = [" ", " ", *tokens(text, {**settings, "tokens": "symbols", "unit": "char"}), " ", " "]
    is_word = lambda c: kind(c) in "ws"
    number = lambda c: unicodedata.category(c)[0] == "N"
    found, before = [], 0
    for at in range(2, len(written) - 2):
        c, left, right = written[at], written[at - 1], written[at + 1]
        if is_word(c):
            before += 1
        elif c in SIGNS:
            # The sign of a number, or one between two numbers, also with a space on either side.
            sides = written[at - 2] if left == " " else left, written[at + 2] if right == " " else right
            counts = number(right) and not is_word(left) or all(map(number, sides))
        elif c == "!":
            counts = right == "=" or is_word(right) and not is_word(left)
        elif c in ".,:'\u066b\u066c":
            counts = number(left) and number(right)
        else:
            counts = unicodedata.category(c)[0] == "S" or unicodedata.normalize("NFKC", c) in "_#%&*/@\\[]{}" or unicodedata.category(c) == "Pc"
        if not is_word(c) and counts:
            found.append((c, before))
    return found


def kolcz(word: str) -> bool:
    return len(word) >= 4 and sum(map(text_parts.is_digit, word)) <= 1


def tokens(text: str, settings: dict) -> list:
    of = symbols if settings.get("tokens") == "symbols" else words
    found = of(normalised(text, settings))
    if settings["unit"] == "char":
        out = []
        for at, (word, joined) in enumerate(found):
            out += [" "] * (at > 0 and not joined) + list(word)
        return out
    return [word for word, _ in found]


def features(found: list, settings: dict) -> frozenset:
    size = settings["shingle"]
    if size is None:
        keeps = kolcz if settings.get("terms") == "kolcz" else bool
        return frozenset(filter(keeps, found))
    if len(found) < size:
        whole = settings["short_documents"] == "whole" and found
        return frozenset([tuple(found)] if whole else [])
    return frozenset(tuple(found[at:at + size]) for at in range(len(found) - size + 1))


def remove_common(documents: list, most) -> int:
    """Takes what more than `most` distinct sets hold out of all sets; returns how much that is."""
    if most is None:
        return 0
    holders = Counter(feature for found in {document.features for document in documents} for feature in found)
    common = {feature for feature, sets in holders.items() if sets > most}
    for document in documents:
        document.features -= common
    return len(common)


# --- measures -------------------------------------------------------------------------------------

# The least measure of two documents without boilerplate that match with it.
LEAST_REMAINING = Fraction(3, 10)


class Measure:
    """A measure and its threshold, in whole numbers. `a` is the document that may go."""

    def __init__(self, name: str, threshold: str):
        self.name = name
        self.threshold = Fraction(threshold)

    def squared(self, shared: int, a: int, b: int) -> Fraction:
        """The value; for the cosine its square. Orders pairs exactly."""
        if self.name == "resemblance":
            return Fraction(shared, a + b - shared)
        if self.name == "containment":
            return Fraction(shared, a)
        return Fraction(shared * shared, a * b)

    def reaches(self, shared: int, a: int, b: int) -> bool:
        p, q = self.threshold.numerator, self.threshold.denominator
        if shared == 0:
            return False
        if self.name == "resemblance":
            return shared * q >= p * (a + b - shared)
        if self.name == "containment":
            return shared * q >= p * a
        return (shared * q) ** 2 >= p * p * a * b

    def matches(self, a, b, shared=None) -> bool:
        """Whether what is left of two documents without boilerplate reaches the threshold; or a good part of it, and the complete documents the threshold."""
        shared = len(a.features & b.features) if shared is None else shared
        if self.reached(a, b, shared):
            return True
        if a.complete is a.features and b.complete is b.features:
            return False
        if not Measure(self.name, min(LEAST_REMAINING, self.threshold)).reached(a, b, shared):
            return False
        # The smaller of what remains is contained in the other; where neither is smaller, the smaller complete one.
        sizes = (len(a.complete), len(b.complete))
        sizes = sorted(sizes) if len(a.features) == len(b.features) else sizes
        return self.reaches(len(a.complete & b.complete), *sizes)

    def reached(self, a, b, shared: int) -> bool:
        """Whether what is left of them reaches the threshold."""
        return self.reaches(shared, len(a.features), len(b.features))

    def value(self, shared: int, a: int, b: int) -> float:
        if self.name == "resemblance":
            return shared / (a + b - shared)
        return shared / a if self.name == "containment" else shared / math.sqrt(a * b)


def counts(a: Record, b: Record) -> tuple:
    return len(a.features & b.features), len(a.features), len(b.features)


# --- the answer, computed plainly -----------------------------------------------------------------

def seconds(text) -> float:
    """A date as seconds since 1970; NaN where it is none."""
    if text is None or not text.strip():
        return math.nan
    text = text.strip()
    if re.fullmatch(r"\d{4}(-\d{2})?", text):
        text += "-01" * (2 if len(text) == 4 else 1)
    try:
        when = datetime.fromisoformat(re.sub("[zZ]$", "+00:00", text))
    except ValueError:
        try:
            # A mail date without a time.
            when = parsedate_to_datetime(f"{text} 00:00:00" if re.fullmatch(r"\d+ [A-Z][a-z]{2} \d{4}", text) else text)
        except (ValueError, TypeError):
            number = number_of(text)
            while abs(number) >= 1e11:  # Milli-, micro- or nanoseconds.
                number /= 1000
            return number
    return (when if when.tzinfo else when.replace(tzinfo=timezone.utc)).timestamp()


def ranked(value: float, small: bool) -> tuple:
    """A key that puts missing values last."""
    return (1, 0.0) if math.isnan(value) else (0, value if small else -value)


def rank(record: Record, rules: list) -> tuple:
    """A document's place in the order of precedence; smaller stays."""
    place = [record.file.own]
    for rule in rules:
        name, _, field = rule.partition(":")
        if rule.startswith("prefer("):
            field, values = preference(rule)
            place.append(preferred(record.labels.get(field), values))
        elif name in ("first", "last"):
            place.append(record.index if name == "first" else -record.index)
        elif name in ("longest", "shortest"):
            place.append(ranked(float(len(record.text.encode())), name == "shortest"))
        elif name in ("newest", "oldest"):
            place.append(ranked(seconds(record.date), name == "oldest"))
        else:
            place.append(ranked(record.numbers.get(field, math.nan), name == "min"))
    return (*place, record.name.encode(), record.index)


def preference(rule: str) -> tuple:
    """The field and the values of `prefer(FIELD=VALUE|"VALUE"…)`."""
    field, _, rest = rule[len("prefer("):-1].partition("=")
    found = re.findall(r'"((?:[^"\\]|\\.)*)"|([^|"]+)', rest)
    return field.strip(), [re.sub(r"\\(.)", r"\1", quoted) if not bare else bare.strip() for quoted, bare in found]


def preferred(label, values: list) -> int:
    """The place of a value among those preferred, numbers by their value; all others come last."""
    if label is None or not label.strip():
        return len(values)
    number = number_of(label)
    for at, value in enumerate(values):
        if value.strip() == label.strip() or number_of(value) == number:
            return at
    return len(values)


class Unit:
    """All documents with one feature set; of those with too few features, with one sequence of words."""

    def __init__(self, members: list, place: tuple):
        self.members, self.place = members, place
        self.features, self.complete = members[0].features, members[0].complete
        self.protected = not members[0].file.own
        self.compared = members[0].compared


def units_of(documents: list, settings: dict) -> list:
    """Documents with equal sets together, in order of precedence."""
    groups = defaultdict(list)
    for document in documents:
        if document.features:
            # What is left as boilerplate is removed does not make two documents one; a text of nothing else has one feature.
            whole = document.complete if document.complete & document.features else document.features
            groups[whole if document.compared else (document.visible, document.attachments, *document.tokens)].append(document)
    units = []
    for members in groups.values():
        members.sort(key=lambda d: d.rank)
        first = members[0].rank
        size = -len(members[0].features) if settings["measure"] == "containment" else 0
        units.append(Unit(members, (first[0], size, *first[1:])))
    units.sort(key=lambda unit: unit.place)
    return units


def all_matches(units: list, measure: Measure, matches=Measure.matches) -> list:
    """For each unit the earlier ones that it matches, and what they share."""
    holders = Counter(feature for unit in units if unit.compared for feature in unit.features)
    # Counting feature by feature costs a step for each pair of holders; where most units hold the same
    # features, as the versions of one text do, comparing every pair of units costs less.
    by_feature = sum(count * (count - 1) // 2 for count in holders.values())
    by_pair = len(units) * (len(units) - 1) // 2
    shared = shared_by_pair if by_feature > 4 * by_pair else shared_by_feature
    return [
        sorted((o, s) for o, s in met if matches(measure, unit, units[o], s))
        for unit, met in zip(units, shared(units, holders))
    ]


def shared_by_feature(units: list, _holders: Counter):
    """For each unit the earlier ones that share features with it, and how many, from lists of holders."""
    earlier = defaultdict(list)
    for number, unit in enumerate(units):
        met = Counter()
        for feature in unit.features if unit.compared else ():
            met.update(earlier[feature])
            earlier[feature].append(number)
        yield met.items()


def shared_by_pair(units: list, holders: Counter):
    """The same from every pair of units: sets of features are the bits of whole numbers."""
    # Frequent features are the low bits, so that most numbers are short.
    bit = {feature: 1 << at for at, (feature, count) in enumerate(holders.most_common()) if count > 1}
    sets = [sum(bit.get(feature, 0) for feature in unit.features) if unit.compared else 0 for unit in units]
    for number, own in enumerate(sets):
        met = ((other, (own & sets[other]).bit_count()) for other in range(number))
        yield [(other, shared) for other, shared in met if shared]


def choose_leaders(
    units: list, matches: list, measure: Measure, only_protected: bool, witness: str, contained: Fraction = Fraction(0)
) -> list:
    """Greedy in order of precedence: a unit that matches kept ones is removed, and its witness is the first
    of them, or with `best` the one with the highest measure, of equals the first. All of them are compared."""
    if witness not in ("first", "best"):
        raise ValueError(f"{witness} is no witness rule")
    leader = []
    for number, unit in enumerate(units):
        kept = [(o, s) for o, s in matches[number] if leader[o] == o]
        # A match that does not contain enough of the unit removes nothing.
        kept = [(o, s) for o, s in kept if s >= contained * len(unit.features)]
        if only_protected:
            kept = [(o, s) for o, s in kept if units[o].protected]
        if unit.protected or not kept:
            leader.append(number)
            continue
        if witness == "first":
            leader.append(min(other for other, _ in kept))
            continue
        size = len(unit.features)
        best = max(kept, key=lambda m: (measure.squared(m[1], size, len(units[m[0]].features)), -m[0]))
        leader.append(best[0])
    return leader


def join_components(matches: list) -> list:
    """The first unit of each unit's connected component."""
    label = list(range(len(matches)))

    def find(unit: int) -> int:
        while label[unit] != unit:
            label[unit] = label[label[unit]]
            unit = label[unit]
        return unit

    for unit, reached in enumerate(matches):
        for other, _ in reached:
            a, b = sorted((find(unit), find(other)))
            label[b] = a
    return [find(unit) for unit in range(len(matches))]


def rule_of(document: Record, kept: Record, linkage: str) -> str:
    if document.original == kept.original:
        return "identical"
    if (document.visible, document.tokens) == (kept.visible, kept.tokens):
        return "lexically_equivalent"
    if document.features == kept.features and document.complete == kept.complete:
        return "feature_equivalent"
    return "near" if linkage == "leaders" else "component"


class Answer:
    """What the run should have found."""

    def __init__(self, documents: list, settings: dict, against_only: bool):
        self.measure = Measure(settings["measure"], settings["threshold"])
        self.linkage = settings["linkage"]
        self.keep_n, self.contained = int(settings.get("keep_n", 1)), Fraction(settings.get("contained_only", 0))
        for document in documents:
            document.rank = rank(document, settings["keep"])
        self.units = units_of(documents, settings)
        self.matches = all_matches(self.units, self.measure)
        leaders = self.linkage == "leaders"
        self.leader = (
            choose_leaders(
                self.units, self.matches, self.measure, against_only, settings.get("witness"),
                self.contained,
            )
            if leaders else join_components(self.matches)
        )
        self.stands_for = {}
        for number, unit in enumerate(self.units):
            first = self.units[self.leader[number]].members[0]
            for member in unit.members:
                # With --against alone, repetition within the input is left alone.
                own = against_only and not self.units[self.leader[number]].protected
                if member is not first and not own:
                    self.stands_for[member] = first

        self.survives(self.keep_n)
        # The protected documents count among those that stay; that one stands for another is no part of the answer.
        self.stands_for = {document: first for document, first in self.stands_for.items() if not self.of_others(document, first)}

    def of_others(self, a: Record, b: Record) -> bool:
        """Whether a match concerns the other collection alone, which decides nothing among leaders."""
        return self.linkage == "leaders" and not a.file.own and not b.file.own

    def survives(self, count: int) -> None:
        """Of each cluster the first `count` documents in order of precedence; without any, the leader is dropped
        because of the first document that it represents."""
        self.kept_members, self.dropped = set(), {}
        for first, members in self.clusters().items():
            members = sorted(members, key=lambda document: place_of(document, self.measure))
            self.kept_members.update(members[:max(count - 1, 0)])
            if count == 0 and first.file.own:
                self.dropped[first] = members[0]

    def goes(self, document: Record) -> bool:
        """Whether a document is removed."""
        if not document.file.own or document in self.kept_members:
            return False
        return document in self.stands_for or document in self.dropped

    def evidence(self, document: Record):
        """The document that a row of the ledger names."""
        return self.stands_for.get(document) or self.dropped.get(document)

    def removed(self) -> list:
        return sorted(filter(self.goes, {*self.stands_for, *self.dropped}), key=by_name)

    def clusters(self) -> dict:
        """Leaders in the order of their names, each with the documents that it represents."""
        found = defaultdict(list)
        for document, first in self.stands_for.items():
            found[first].append(document)
        return {first: sorted(found[first], key=by_name) for first in sorted(found, key=by_name)}

    def all_pairs(self) -> list:
        """Every pair of documents that reaches the threshold."""
        pairs = []
        for number, unit in enumerate(self.units):
            pairs += [(a, b) for at, a in enumerate(unit.members) for b in unit.members[:at]]
            for other, _ in self.matches[number]:
                pairs += [(a, b) for a in unit.members for b in self.units[other].members]
        return in_order([pair for pair in pairs if not self.of_others(*pair)])

    def deciding_pairs(self) -> list:
        """Each document with the first of its own set, and with the one that represents its set."""
        pairs = []
        for number, unit in enumerate(self.units):
            pairs += [(a, unit.members[0]) for a in unit.members[1:]]
            leader = self.leader[number]
            if leader != number:
                pairs += [(a, self.units[leader].members[0]) for a in unit.members]
        return in_order([pair for pair in pairs if not self.of_others(*pair)])


def by_name(document: Record) -> tuple:
    return document.name.encode(), document.index


def in_order(pairs: list) -> list:
    pairs = [(a, b) if by_name(a) <= by_name(b) else (b, a) for a, b in pairs]
    return sorted(pairs, key=lambda pair: (by_name(pair[0]), by_name(pair[1])))


# --- the run --------------------------------------------------------------------------------------

ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}


def read_table(path: Path) -> list:
    """The rows of a TSV table, as dictionaries of text."""
    lines = path.read_text(encoding="utf-8").split("\n")
    if lines.pop() != "":
        raise ValueError(f"{path.name} does not end with a line end")
    names, *rows = [[plain(cell) for cell in line.split("\t")] for line in lines]
    if any(len(row) != len(names) for row in rows):
        raise ValueError(f"{path.name} has rows of different lengths")
    return [dict(zip(names, row)) for row in rows]


def place_in(row: dict, role: str = "") -> tuple:
    """File and record of the document that a row names in this role (`kept_`, …)."""
    return row[f"{role}file"], row[f"{role}record"]


def named_in(row: dict, role: str = "") -> tuple:
    """What a row calls the document in this role."""
    return row[f"{role}id"], *place_in(row, role)


def plain(cell: str) -> str:
    return "" if cell == r"\e" else re.sub(r"\\(.)", lambda m: ESCAPES[m[1]], cell)


class Report:
    """The outcome of the checks."""

    def __init__(self, quiet: bool = False):
        self.failures, self.quiet = [], quiet

    def check(self, name: str, complaints) -> None:
        """Nothing to complain of means that the check is passed."""
        if isinstance(complaints, bool):
            complaints = [] if complaints else ["it is not so"]
        complaints = list(complaints)
        if complaints:
            self.failures.append(name)
        if not self.quiet:
            shown = "; ".join(map(str, complaints[:3])) + (f" and {len(complaints) - 3} more" if len(complaints) > 3 else "")
            print(f"{'FAILED' if complaints else 'ok'}: {name}{': ' + shown if complaints else ''}")


class Run:
    """A run directory with the inputs it came from, read and analysed."""

    def __init__(self, directory: Path, inputs: list, against: list, mark: bool):
        self.directory, self.mark = directory, mark
        self.summary = json.loads((directory / "summary.json").read_text(encoding="utf-8"))
        self.settings = self.summary["settings"]
        job = self.settings.get("job", {})
        fields = {"text": "text", "id": "id", "html": "html", "url": "url", "title": "title", "date": "date"}
        fields.update((k, v) for k, v in job.get("settings", {}).get("fields", {}).items() if k in fields)
        fields["encoding"] = job.get("settings", {}).get("formats", {}).get("text_encoding")
        site_field = job.get("settings", {}).get("site_field")
        fields["url"] = site_field or fields["url"]
        wanted = [
            preference(rule)[0] if rule.startswith("prefer(") else rule.partition(":")[2]
            for rule in self.settings["keep"] if ":" in rule or rule.startswith("prefer(")
        ]
        self.files = find_inputs(inputs, True) + find_inputs(against, False)
        self.records = [record for file in self.files for record in read_records(file, fields, wanted)]
        self.documents = [record for record in self.records if record.good]
        for index, document in enumerate(self.documents):
            document.index = index
            document.tokens = tokens(document.text, self.settings)
            # The characters of a text without words.
            document.visible = "" if document.tokens else "".join(document.text.split())
            document.features = features(document.tokens, self.settings)
            document.had_features = bool(document.features)
            if not document.features and (document.tokens or document.visible):
                # It is equal to others of the same words, or without any of the same characters, and similar to none.
                document.features = frozenset([("the whole text", document.visible, *document.tokens)])
        limit = self.settings.get("boilerplate")
        self.boilerplate = Boilerplate(self.documents, limit, site_field is not None) if limit else None
        self.common = remove_common(self.documents, self.settings.get("ignore_common"))
        for document in self.documents:
            document.complete = document.features
        if self.boilerplate:
            self.boilerplate.remove(self.documents)
        for document in self.documents:
            document.compared = len(document.features) >= self.settings.get("min_features", 1)
            if document.attachments:
                document.features = frozenset((one, document.attachments) for one in document.features)
                document.complete = frozenset((one, document.attachments) for one in document.complete)
        self.answer = Answer(self.documents, self.settings, bool(job.get("against_only")))
        self.own = [document for document in self.documents if document.file.own]
        self.lists = self.summary["command"] in ("cluster", "recluster")
        self.fates = {}

    def table(self, name: str) -> list:
        return read_table(self.directory / f"{name}.tsv")

    def kept(self) -> list:
        return [d for d in self.own if self.fates[d] == "kept"]

    def removed(self) -> list:
        return sorted((d for d in self.own if self.fates[d] == "removed"), key=by_name)

    def output(self, role: str, file: Input):
        """Where the records of a data file went."""
        data = [one for one in self.files if one.own and not one.is_document()]
        if len(data) == 1:
            return self.directory / f"{role}.{file.extension}"
        taken, number = {}, 2
        for one in data:
            path = PurePosixPath(*[part for part in one.relative.parts if part not in ("..", "/", ".")])
            taken.setdefault(str(path), []).append(one)
        for path, wanting in taken.items():
            if file in wanting:
                at = wanting.index(file)
                return self.directory / role / (path if at == 0 else f"{number - 1 + at}/{path}")
        raise KeyError(file.name)


# --- the checks -----------------------------------------------------------------------------------

def check_files(run: Run, report: Report) -> None:
    """Every record in one place, byte for byte, in order; sets the fates that all else is held against."""
    complaints = []
    for file in (one for one in run.files if one.own and not one.is_document()):
        records = [record for record in run.records if record.file is file]
        contents = {}
        for role in ("kept", "removed", "rejected"):
            path = run.output(role, file)
            if path.is_file():
                content = unpacked(path.read_bytes(), file.packed)
                if not content.startswith(file.header):
                    complaints.append(f"{path.name} lacks the header of {file.name}")
                contents[role] = content[len(file.header):]
            elif role != "rejected":
                complaints.append(f"{path.name} is missing")
        complaints += part(run, records, contents)
    complaints += part_documents(run)
    report.check("kept, removed and rejected are the input, byte for byte and in order", complaints)


def part(run: Run, records: list, contents: dict) -> list:
    """Follows the records through the outputs."""
    places, complaints = dict.fromkeys(contents, 0), []
    for record in records:
        expected = expected_fate(run, record)
        for role in sorted(contents, key=lambda role: role != expected):
            if contents[role].startswith(record.raw, places[role]):
                places[role] += len(record.raw)
                run.fates[record] = role
                break
        else:
            complaints.append(f"{record!r} is in no output")
            run.fates[record] = "lost"
    left = {role: len(content) - places[role] for role, content in contents.items()}
    complaints += [f"{left[role]} bytes in {role} that are in no input" for role in left if left[role]]
    complaints += [
        f"{record!r} should be rejected or not, and is {run.fates[record]}"
        for record in records if (run.fates[record] == "rejected") == record.good
    ]
    return complaints


def expected_fate(run: Run, record: Record) -> str:
    if not record.good:
        return "rejected"
    return "removed" if run.answer.goes(record) else "kept"


def part_documents(run: Run) -> list:
    """The lists of one-document files."""
    files = [one for one in run.files if one.own and one.is_document()]
    if not files:
        return []
    records = {record.file.name: record for record in run.records}
    complaints = []
    for role in ("kept", "removed", "rejected"):
        path = run.directory / f"{role}-files.txt"
        if not path.is_file():
            complaints += [f"{path.name} is missing"] * (role != "rejected")
            continue
        names = path.read_text(encoding="utf-8").splitlines()
        if names != sorted(names, key=str.encode):
            complaints.append(f"{path.name} is not in order")
        for name in names:
            record = records.get(name)
            if record is None or record in run.fates:
                complaints.append(f"{name} in {path.name} is no input, or is listed twice")
            else:
                run.fates[record] = role
    complaints += [f"{one.name} is in no list" for one in files if records[one.name] not in run.fates]
    run.fates.update({r: "lost" for r in records.values() if r.file in files and r not in run.fates})
    return complaints


def check_marks(run: Run, report: Report) -> None:
    """--mark: every record with three more fields and nothing else changed."""
    complaints, marks = [], {}
    for file in (one for one in run.files if one.own and not one.is_document()):
        records = [record for record in run.records if record.file is file]
        content = unpacked(run.output("marked", file).read_bytes(), file.packed)
        taker = {"jsonl": take_json_mark, "mbox": take_mail_mark}.get(file.form, take_csv_mark)
        place = 0
        if file.header:
            end = content.index(b"\n") + 1
            names = row_fields(content[:end], b"\t" if file.form == "tsv" else b",")
            place = end if names[-len(MARKS):] == list(MARKS) else 0
        for record in (r for r in records if r.good):
            mark, place = taker(record, content, place)
            if mark is None:
                complaints.append(f"{record!r} is not in its place, or its bytes were changed")
                break
            marks[record] = mark
        else:
            complaints += [f"{len(content) - place} bytes too many for {file.name}"] * (place != len(content))
        run.fates.update({record: "rejected" for record in records if not record.good})
    path = run.directory / "marked-files.tsv"
    if path.is_file():
        rows = {row["path"]: row for row in read_table(path)}
        for record in (r for r in run.own if r.file.is_document()):
            row = rows.get(record.file.name)
            if row is None:
                complaints.append(f"{record!r} is not in {path.name}")
            else:
                marks[record] = tuple(row[name] or None for name in MARKS)
    for record in run.own:
        mark = marks.get(record)
        run.fates[record] = "lost" if mark is None else "removed" if mark[5] in (True, "true") else "kept"
    report.check("marked records are the input with the fields of a mark", complaints)
    numbers = {leader: number for number, leader in enumerate(run.answer.clusters())}
    wrong = []
    represented = Counter(run.answer.stands_for.values())
    for record, (*duplicate_of, resemblance, cluster, is_duplicate, duplicates) in marks.items():
        kept = run.answer.stands_for.get(record)
        expected = numbers.get(kept or record)
        value = kept and run.answer.measure.value(*counts(record, kept))
        right = (
            tuple(one and str(one) for one in duplicate_of) == (kept.named if kept else (None, None, None))
            and (None if cluster is None else str(cluster)) == (None if expected is None else str(expected))
            and (resemblance is None) == (value is None)
            and (value is None or abs(float(resemblance) - value) <= 1e-12)
            and str(is_duplicate).lower() == str(run.answer.goes(record)).lower()
            and (duplicates is None) == (kept is not None) and int(duplicates or 0) == represented[record]
        )
        if not right:
            wrong.append(f"{record!r} has {duplicate_of}, {resemblance}, {cluster}, {is_duplicate}, {duplicates}")
    report.check("marks say what the answer is", wrong)


# The fields that --mark adds.
MARKS = ("duplicate_of", "duplicate_of_file", "duplicate_of_record", "resemblance", "cluster", "is_duplicate", "duplicates")


def take_json_mark(record: Record, content: bytes, place: int) -> tuple:
    brace = record.raw.rindex(b"}")
    end = content.find(b"\n", place) + 1 or len(content)
    line = content[place:end]
    head, tail = record.raw[:brace], record.raw[brace:]
    if not (line.startswith(head) and line.endswith(tail) and len(line) > len(record.raw)):
        return None, place
    try:
        added = json.loads(b"{" + line[brace:len(line) - len(tail)].lstrip(b",") + b"}")
    except ValueError:
        return None, place
    if list(added) != list(MARKS):
        return None, place
    return tuple(added.values()), end


def take_mail_mark(record: Record, content: bytes, place: int) -> tuple:
    """Header fields after the separator line, without those that have no value."""
    head, _, tail = record.raw.partition(b"\n")
    if not content.startswith(head + b"\n", place):
        return None, place
    place += len(head) + 1
    added = {}
    while found := re.compile(rb"(%s): ([^\r\n]*)\r?\n" % "|".join(MARKS).encode()).match(content, place):
        added[found[1].decode()] = found[2].decode()
        place = found.end()
    if not content.startswith(tail, place) or list(added) != [name for name in MARKS if name in added]:
        return None, place
    return tuple(added.get(name) for name in MARKS), place + len(tail)


def take_csv_mark(record: Record, content: bytes, place: int) -> tuple:
    text = record.raw.rstrip(b"\r\n")
    end_of_row = record.raw[len(text):]
    delimiter = b"\t" if record.file.form == "tsv" else b","
    if not content.startswith(text + delimiter, place):
        return None, place
    place += len(text) + 1
    end = content.find(end_of_row, place) if end_of_row else len(content)
    added = row_fields(content[place:end], delimiter)
    if len(added) != len(MARKS):
        return None, place
    return tuple(field or None for field in added), end + len(end_of_row)


def check_promises(run: Run, report: Report) -> None:
    """What a user relies on, from the documents as they were kept and removed."""
    measure, answer = run.answer.measure, run.answer
    if run.settings["linkage"] == "leaders" and run.settings.get("job", {}).get("against_only"):
        standing = [d for d in run.documents if not d.file.own]
        named = "no kept document reaches the threshold with one of the other collection"
        own = [d for d in run.kept() if d not in answer.kept_members]
    else:
        # Documents that `keep_n` keeps beside their leader reach the threshold with it.
        standing = [d for d in run.kept() if d not in answer.kept_members]
        standing += [d for d in run.documents if not d.file.own]
        named = "no two kept documents reach the threshold"
        own = None
    report.check(named, alike(standing, own, measure, answer.contained))
    kept_ones = set(run.kept()) | {d for d in run.documents if not d.file.own}
    if answer.keep_n == 0:
        # Nothing of a cluster is kept: each document that goes has another one to show for it.
        kept_ones = set(run.documents)
    alone = []
    kept_index = Index(kept_ones)
    component = {d: answer.leader[n] for n, unit in enumerate(answer.units) for d in unit.members}
    led = {component[d] for d in kept_ones if d in component}
    for document in run.removed():
        if run.settings["linkage"] == "components":
            if component.get(document) not in led:
                alone.append(document)
        elif document in answer.dropped:
            if not any(document in (a, answer.stands_for.get(a)) for a in answer.stands_for):
                alone.append(document)
        elif not any(True for _ in reached_by(document, kept_index, measure, answer.contained)):
            alone.append(document)
    report.check("every removed document has a kept one that represents it", map(repr, alone))


class Index:
    """Finds the documents of a group that share features with another one, and how many."""

    def __init__(self, documents):
        self.documents, self.holders, self.sets = list(documents), defaultdict(list), None
        for document in self.documents:
            for feature in document.features:
                self.holders[feature].append(document)

    def met_by(self, document: Record):
        lists = [self.holders[feature] for feature in document.features if feature in self.holders]
        # As in `all_matches`: where many hold the same features, comparing with every document costs less.
        if sum(map(len, lists)) <= 4 * len(self.documents):
            met = Counter()
            for found in lists:
                met.update(found)
            return met.items()
        if self.sets is None:
            self.bit = {feature: 1 << at for at, feature in enumerate(self.holders)}
            self.sets = [sum(self.bit[feature] for feature in one.features) for one in self.documents]
        own = sum(self.bit.get(feature, 0) for feature in document.features)
        return ((other, (own & other_set).bit_count()) for other, other_set in zip(self.documents, self.sets))


def reached_by(document: Record, index: Index, measure: Measure, contained: Fraction):
    """The documents of an index with which this one, as the one that may go, reaches the threshold. If they must
    contain it, only those that precede it: a later one never removes it."""
    for other, shared in index.met_by(document):
        if contained and (shared < contained * len(document.features) or place_of(other, measure) > place_of(document, measure)):
            continue
        if other is document or not measure.matches(document, other, shared):
            continue
        if document.compared and other.compared or document.tokens == other.tokens:
            yield other


def place_of(document: Record, measure: Measure) -> tuple:
    """A document's place in the order in which documents are decided."""
    size = len(document.features) if measure.name == "containment" else 0
    return document.rank[0], -size, *document.rank[1:]


def alike(standing: list, own, measure: Measure, contained: Fraction) -> list:
    """Pairs among the documents that reach the threshold; pairs within the other collection do not count."""
    index = Index(standing)
    found = []
    for document in own if own is not None else standing:
        if document.file.own:
            found += [f"{document!r} and {other!r}" for other in reached_by(document, index, measure, contained)]
    return found


def check_counts(row: dict, a: Record, b: Record, cosine: bool) -> list:
    """The counts and ratios of a row against the two documents."""
    shared, size_a, size_b = counts(a, b)
    where = f"{a.name} and {b.name}"
    complaints = []
    for name, value in (("shared", shared), ("size_a", size_a), ("size_b", size_b)):
        if row.get(name) != str(value):
            complaints.append(f"{where}: {name} is {row.get(name)}, not {value}")
    ratios = {
        "resemblance": shared / (size_a + size_b - shared),
        "containment_a_in_b": shared / size_a,
        "containment_b_in_a": shared / size_b,
    }
    if cosine:
        ratios["cosine"] = shared / math.sqrt(size_a * size_b)
    if "whole_resemblance" in row:
        ratios["whole_resemblance"] = len(a.complete & b.complete) / len(a.complete | b.complete)
    if "dice" in row:
        ratios["dice"] = 2 * shared / (size_a + size_b)
    for name, value in ratios.items():
        complaints += number_complaints(where, name, row.get(name), value)
    return complaints


def number_complaints(where: str, name: str, cell, value: float) -> list:
    try:
        number = float(cell)
    except (TypeError, ValueError):
        return [f"{where}: {name} is {cell}, not a number"]
    if abs(number - value) > 1e-12:
        return [f"{where}: {name} is {cell}, not {value}"]
    if "e" not in repr(number) and cell not in (repr(number), repr(number).removesuffix(".0")):
        return [f"{where}: {name} is written as {cell}"]
    return []


def check_ledger(run: Run, report: Report) -> None:
    rows, removed = run.table("ledger"), run.removed()
    report.check(
        "the ledger lists the removed documents, in order, and no others",
        [] if [named_in(row, "removed_") for row in rows] == [d.named for d in removed]
        else [f"{len(rows)} rows for {len(removed)} removed documents"] +
             [f"{named_in(row, 'removed_')} where {d!r} should be" for row, d in zip(rows, removed) if named_in(row, "removed_") != d.named],
    )
    at = {document.place: document for document in run.documents}
    measure, linkage = run.answer.measure, run.settings["linkage"]
    cosine = measure.name == "cosine"
    wrong = {key: [] for key in ("kept", "counts", "rule", "reach", "order", "witness")}
    for row, document in zip(rows, removed):
        expected = run.answer.evidence(document)
        dropped = document in run.answer.dropped
        kept = at.get(place_in(row, "kept_"))
        if kept is None or kept.name != row["kept_id"]:
            wrong["kept"].append(f"{document!r}: no document is named {named_in(row, 'kept_')}")
            continue
        if kept.file.own and run.answer.keep_n > 0 and run.fates[kept] != "kept":
            wrong["kept"].append(f"{document!r}: {kept!r} was {run.fates[kept]}")
        wrong["counts"] += check_counts(row, document, kept, cosine)
        rule = "dropped" if dropped else rule_of(document, kept, linkage)
        if row["rule"] != rule:
            wrong["rule"].append(f"{document!r}: {row['rule']}, not {rule}")
        late, early = (kept, document) if dropped else (document, kept)
        shared, size, _ = counts(late, early)
        if linkage == "leaders" and not (measure.matches(late, early) and shared >= run.answer.contained * size):
            wrong["reach"].append(f"{document!r} and {kept!r}")
        size = len if measure.name == "containment" else lambda _: 0
        key = [(d.rank[0], -size(d.features), *d.rank[1:]) for d in (early, late)]
        if early.file.own and key[0] > key[1]:
            wrong["order"].append(f"{document!r} should stay rather than {kept!r}")
        if kept is not expected:
            wrong["witness"].append(f"{document!r}: {kept!r}, not {expected!r}")
    report.check("ledger: each kept one is really kept", wrong["kept"])
    report.check("ledger: counts and measures are exact", wrong["counts"])
    report.check("ledger: each rule is the strictest that holds", wrong["rule"])
    if linkage == "leaders":
        report.check("ledger: each removed document reaches the threshold with its kept one", wrong["reach"])
    report.check("ledger: survivors obey the keep rules", wrong["order"])
    rule = {"first": "the first kept match", "best": "the best kept match"}.get(run.settings.get("witness"), "the first of its component")
    report.check(f"ledger: each names its witness, {rule}", wrong["witness"])
    ours = set(run.answer.removed())
    report.check("the removed documents are those of the plain computation", map(repr, ours ^ set(removed)))
    check_differences(run, rows, removed, report)


def check_differences(run: Run, rows: list, removed: list, report: Report) -> None:
    """What differs between removed documents and the kept ones that the ledger names."""
    parts = text_parts.TextParts(run.settings, kind, normalised, lower, words, operators)
    profile = lru_cache(maxsize=None)(lambda document: parts.profile(document.text, document.title))
    at = {document.place: document for document in run.documents}
    named = [(document, at.get(place_in(row, "kept_")), row) for row, document in zip(rows, removed)]
    unlike = [(document, kept, row["rule"] != "lexically_equivalent") for document, kept, row in named if kept and row["rule"] != "identical"]
    unlike.sort(key=lambda pair: pair[0].index)
    sample = text_parts.sampled(unlike)
    found = [(a, b, near, *text_parts.difference(profile(a), profile(b))) for a, b, near in sample]
    compared = {document: tuple(map(str, rest)) for document, _, _, *rest in found}
    wrong = []
    for document, kept, row in named:
        expected = ("0", "0", "") if row["rule"] == "identical" else compared.get(document, ("", "", ""))
        cells = tuple(row[name] for name in ("lost", "added", "differs"))
        if cells != expected:
            wrong.append(f"{document!r} and {kept!r}: {cells}, not {expected}")
    report.check("ledger: what differs is right", wrong)
    said, expected = run.summary.get("differences"), text_parts.summed(found, len(unlike))
    if said:
        told = [(one["kind"], one["documents"], one["near"], one["example"]) for one in said["kinds"]]
        said = (said["compared"], said["of"], said["near"], said["losing_words"], said["losing_ten_words"], told)
    if expected:
        names = lambda a, b: {"removed": example_name(run, a), "kept": example_name(run, b)}
        expected = (*expected[:-1], [(*numbers, names(a, b)) for *numbers, a, b in expected[-1]])
    report.check("summary: what differs is right", [] if said == expected else [f"{said}, not {expected}"])
    if run.summary.get("differences"):
        check_rules(run, found, (len(unlike), len(removed) - len(unlike)), report)


def check_rules(run: Run, found: list, counts: tuple, report: Report) -> None:
    """The rules that would keep apart what differs: by labels if there are any."""
    said = run.summary["differences"]
    labels = {document: labels_of(document, run.settings.get("label_field")) for one in found for document in one[:2]}
    same = [labels[a] == labels[b] if labels[a] and labels[b] else None for a, b, *_ in found]
    if any(own is not None for own in same):
        unlike, identical = counts
        certain = identical * sum(own is not None for own in same) // unlike
        best = text_parts.best_rule(found, same, certain)
        right, wrong = text_parts.judged(found, same)
        parts, most, apart, *left = best or (None, None, None)
        rules = [{"distinct_by": parts, "max_lost": most, "kept_apart": apart, "left": dict(zip(("right", "wrong"), left))}] if best else []
        expected = {"right": right, "wrong": wrong}, rules
    else:
        parts = ["title"] if "boilerplate" in run.settings else text_parts.RULE_PARTS
        rules = text_parts.recurring(found, parts)
        expected = None, [{"distinct_by": own, "max_lost": most, "kept_apart": apart, "alone": alone} for own, most, apart, alone in rules]
    said = said.get("judged"), said.get("rules", [])
    report.check("summary: the rules are right", [] if said == expected else [f"{said}, not {expected}"])


def labels_of(document: Record, field) -> set:
    """The values of a field of a JSON record."""
    value = json.loads(document.raw).get(field) if field else None
    return {str(one) for one in (value if isinstance(value, list) else [value]) if one is not None}


def example_name(run: Run, document: Record) -> str:
    """A document by its id, and its place if ids repeat and it is not named by that anyway."""
    place = f"{document.file.name}:{document.number}"
    by_place = document.name in (place, document.file.name)
    return f"{document.name} ({place})" if run.summary["duplicate_ids"] and not by_place else document.name


def check_clusters(run: Run, report: Report) -> None:
    measure, expected, represented, complaints = run.answer.measure, [], [], []
    for number, (leader, members) in enumerate(run.answer.clusters().items()):
        files = Counter(member.file.name for member in members)
        few = sorted(files.items(), key=lambda one: one[0].encode())
        few = few[:100] + [("…", sum(count for _, count in few[100:]))] * (len(few) > 100)
        represented.append((leader, str(1 + len(members)), dict(few)))
        expected.append((leader, number, leader, 1.0))
        expected += [(d, number, leader, measure.value(*counts(d, leader))) for d in members]
    rows = run.table("clusters")
    if len(rows) != len(expected):
        complaints.append(f"{len(rows)} rows, not {len(expected)}")
    for row, (member, number, leader, value) in zip(rows, expected):
        found = (named_in(row), row["cluster"], named_in(row, "leader_"))
        if found != (member.named, str(number), leader.named):
            complaints.append(f"{found[0]} in {found[1]} of {found[2]}, where {member!r} in {number} of {leader!r} should be")
        complaints += number_complaints(repr(member), "resemblance", row["resemblance"], value)
    leads = [row for row in rows if row["size"] or row["duplicates"]]
    found = [(named_in(row), row["size"], json.loads(row["duplicates"] or "{}")) for row in leads]
    if found != [(leader.named, size, files) for leader, size, files in represented]:
        complaints.append("size and duplicates are not those of the leaders")
    if any(list(files) != [name for name, _ in sorted(files.items(), key=lambda one: (one[0] == "…", one[0].encode()))] for _, _, files in found):
        complaints.append("the files of duplicates are not in order")
    report.check(f"clusters are the {run.settings['linkage']} of the plain computation", complaints)


def check_pairs(run: Run, report: Report) -> None:
    rows, complaints = run.table("pairs"), []
    cosine = run.answer.measure.name == "cosine"
    if not run.summary["pairs"]["complete"] and run.settings["linkage"] == "components":
        return check_links(run, rows, report)
    complete = run.summary["pairs"]["complete"]
    expected = run.answer.all_pairs() if complete else run.answer.deciding_pairs()
    if len(rows) != len(expected):
        complaints.append(f"{len(rows)} rows, not {len(expected)}")
    for row, (a, b) in zip(rows, expected):
        found = (named_in(row, "a_"), named_in(row, "b_"))
        if found != (a.named, b.named):
            complaints.append(f"{found[0]} and {found[1]}, where {a!r} and {b!r} should be")
            break
        complaints += check_counts(row, a, b, cosine)
    name = "all pairs that reach the threshold" if complete else "the pairs that decide"
    report.check(f"pairs: {name}, each once, a before b, counts exact", complaints)


def check_near_misses(run: Run, report: Report) -> None:
    """Every pair just below the threshold: of kept documents, or in a run that lists, of all."""
    said, answer, complaints = run.summary["near_misses"], run.answer, []
    least = Fraction(str(said["from"])).limit_denominator(10**9)
    lower = Measure(answer.measure.name, least)
    matches = all_matches(answer.units, lower, Measure.reached)
    below, above, expected = [0] * 10, [0] * 10, []
    start, threshold = float(least), float(answer.measure.threshold)
    for number, unit in enumerate(answer.units):
        for other, shared in matches[number]:
            sizes = len(unit.features), len(answer.units[other].features)
            value, pairs = answer.measure.value(shared, *sizes), len(unit.members) * len(answer.units[other].members)
            if answer.measure.reaches(shared, *sizes):
                bin_ = int((value - threshold) / (threshold - start) * 10)
                if bin_ < 10:
                    above[bin_] += pairs
                continue
            if answer.measure.matches(unit, answer.units[other], shared):
                continue
            below[min(int((value - start) / (threshold - start) * 10), 9)] += pairs
            stays = lambda d: run.lists or not d.file.own or not answer.goes(d)
            expected += [
                (a, b) for a in unit.members for b in answer.units[other].members
                if stays(a) and stays(b) and (run.lists or a.file.own or b.file.own)
            ]
    rows, expected = run.table("near_misses"), in_order(expected)
    if len(rows) != len(expected) or said["listed"] != len(rows) or not said["complete"]:
        complaints.append(f"{len(rows)} rows, {said['listed']} in the summary, not {len(expected)}")
    for row, (a, b) in zip(rows, expected):
        if (named_in(row, "a_"), named_in(row, "b_")) != (a.named, b.named):
            complaints.append(f"{named_in(row, 'a_')} and {named_in(row, 'b_')}, where {a!r} and {b!r} should be")
            break
        complaints += check_counts(row, a, b, answer.measure.name == "cosine")
    if (said["below"], said["above"]) != (below, above):
        complaints.append(f"the histogram is {said['below']} and {said['above']}, not {below} and {above}")
    report.check("near misses: all pairs just below the threshold, counts exact", complaints)


def check_links(run: Run, rows: list, report: Report) -> None:
    """An incomplete list: every pair reaches the threshold, and together they make the components."""
    named = {document.named: document for document in run.documents}
    unit = {d: number for number, u in enumerate(run.answer.units) for d in u.members}
    complaints, edges = [], [[] for _ in run.documents]
    cosine = run.answer.measure.name == "cosine"
    for row in rows:
        a, b = named[named_in(row, "a_")], named[named_in(row, "b_")]
        complaints += check_counts(row, a, b, cosine)
        early, late = sorted((unit[a], unit[b]))
        if early != late and early not in dict(run.answer.matches[late]):
            complaints.append(f"{a.name} and {b.name} do not reach the threshold")
        edges[max(a.index, b.index)].append((min(a.index, b.index), 0))
    report.check("pairs: each reaches the threshold, counts exact", complaints)
    joined, found = join_components(edges), defaultdict(set)
    for document in unit:
        found[joined[document.index]].add(document)
    expected = defaultdict(set)
    for document, number in unit.items():
        expected[run.answer.leader[number]].add(document)
    same = set(map(frozenset, found.values())) == set(map(frozenset, expected.values()))
    report.check("pairs: together they make the components", same)


def check_summary(run: Run, report: Report) -> None:
    summary, complaints = run.summary, []
    removed = run.answer.removed()
    clusters = run.answer.clusters()
    sizes = [1 + len(members) for members in clusters.values()]
    by_rule = Counter(
        "dropped" if d in run.answer.dropped else rule_of(d, run.answer.stands_for[d], run.settings["linkage"])
        for d in removed
    )
    rules = ("identical", "lexically_equivalent", "feature_equivalent", "near", "component")
    rules += ("dropped",) * bool(run.answer.dropped)
    under = {d for d in run.own if d.tokens and not d.had_features and run.settings["shingle"] is not None}
    few = sum(1 for d in run.own if d.features and d.tokens and d not in under and not d.compared)
    names = Counter(document.name for document in run.documents)
    expected = {
        "documents": len(run.own),
        "kept": len(run.own) - len(removed),
        "removed": {rule: by_rule[rule] for rule in rules},
        "without_features": {
            "no_words": sum(1 for d in run.own if not d.tokens),
            "under_one_shingle": len(under),
            **({"only_common": emptied} if (emptied := sum(1 for d in run.own if d.tokens and not d.features)) else {}),
            **({"few_features": few} if few else {}),
        },
        "duplicate_ids": sum(count - 1 for count in names.values()),
        "problems": sum(1 for record in run.records if not record.good),
        "clusters": len(sizes),
        "documents_in_clusters": sum(sizes),
        "largest_cluster": max(sizes, default=0),
        "tokens": sum(len(d.tokens) for d in run.documents),
        "text_bytes": sum(len(d.text.encode()) for d in run.documents),
    }
    if run.boilerplate:
        complaints += run.boilerplate.complaints(summary, lambda text: tokens(text, run.settings))
    elif "boilerplate" in summary:
        complaints.append("boilerplate is there without the setting")
    complaints += symbol_complaints(run)
    if summary.get("common_features", 0) != run.common:
        complaints.append(f"common_features is {summary.get('common_features')}, not {run.common}")
    for name, value in expected.items():
        if summary.get(name) != value:
            complaints.append(f"{name} is {summary.get(name)}, not {value}")
    rows = len(run.table("pairs"))
    if summary["pairs"]["listed"] != rows:
        complaints.append(f"pairs.listed is {summary['pairs']['listed']}, and the table has {rows} rows")
    if (run.settings["linkage"] == "components") != ("witness" not in run.settings):
        complaints.append(f"with {run.settings['linkage']}, the witness rule is {run.settings.get('witness')}")
    report.check("summary: counts agree with the answer and the tables", complaints)
    gone = set(removed)
    wrong = []
    own = [one for one in run.files if one.own]
    if [one["name"] for one in summary["inputs"]] != [one.name for one in own]:
        wrong.append(f"inputs are {[one['name'] for one in summary['inputs']]}")
    for said, file in zip(summary["inputs"], own):
        mine = [record for record in run.records if record.file is file]
        good = [record for record in mine if record.good]
        out = sum(1 for record in good if record in gone)
        numbers = {"documents": len(good), "removed": out, "kept": len(good) - out, "problems": len(mine) - len(good)}
        wrong += [f"{file.name}: {k} is {said[k]}, not {v}" for k, v in numbers.items() if said[k] != v]
    report.check("summary: counts by input", wrong)
    report.check("summary: outputs are there, with their sizes", [
        f"{one['name']}" for one in summary["outputs"]
        if not (run.directory / one["name"]).is_file()
        or one.get("bytes") not in (None, (run.directory / one["name"]).stat().st_size)
    ])


def symbol_complaints(run: Run) -> list:
    """The warning about lexically equivalent documents whose symbols differ, counted among the first thousand of them."""
    if run.summary["command"] not in ("dedup", "cluster"):
        return []
    found = [
        (document, run.answer.stands_for[document]) for document in run.own
        if document in run.answer.stands_for
        and rule_of(document, run.answer.stands_for[document], run.settings["linkage"]) == "lexically_equivalent"
    ]
    known = lru_cache(maxsize=None)(lambda document: operators(document.text, run.settings))
    words_only = run.settings.get("tokens") != "symbols"
    differ = sum(known(a) != known(b) for a, b in found[:1000]) if words_only else 0
    expected = {"documents": differ, "compared": len(found[:1000]), "of": len(found)} if differ else None
    said = run.summary.get("symbol_differences")
    numbers = said and {name: said.get(name) for name in ("documents", "compared", "of")}
    if numbers != expected:
        return [f"symbol_differences is {numbers}, not {expected}"]
    return [f"{len(said['examples'])} examples of {differ}"] if said and len(said["examples"]) != min(differ, 3) else []


def check_against(run: Run, report: Report) -> None:
    """Documents of the other collection are never removed and in no output."""
    others = {d.place for d in run.documents if not d.file.own}
    removed = [place_in(row, "removed_") for row in run.table("ledger")]
    report.check("nothing of the other collection is in the ledger", [place for place in removed if place in others])
    produced = [p.relative_to(run.directory).as_posix() for p in run.directory.rglob("*") if p.is_file()]
    expected = {"summary.json", "config.toml", "report.html", "clusters.tsv", "pairs.tsv", "near_misses.tsv", "ledger.tsv", "problems.tsv"}
    roles = ("marked",) if run.mark else ("kept", "removed", "rejected")
    for role in roles:
        expected |= {f"{role}-files.txt", f"{role}-files.tsv"}
        expected |= {
            run.output(role, file).relative_to(run.directory).as_posix()
            for file in run.files if file.own and not file.is_document()
        }
    report.check("nothing of the other collection is written", [name for name in produced if name not in expected])


def check(directory: Path, inputs: list, against=(), mark: bool = False, quiet: bool = False) -> Report:
    """All checks of one run."""
    report = Report(quiet)
    run = Run(directory, list(inputs), list(against), mark)
    if not run.lists:
        (check_marks if mark else check_files)(run, report)
        check_promises(run, report)
        check_ledger(run, report)
    check_clusters(run, report)
    if "near_misses" in run.summary:
        check_near_misses(run, report)
    check_pairs(run, report)
    check_summary(run, report)
    if against:
        check_against(run, report)
    return report


def check_or_fail(directory: Path, inputs: list, **options) -> Report:
    """As `check`; a run whose tables cannot be read has failed as well."""
    try:
        return check(directory, inputs, **options)
    except (OSError, ValueError, KeyError, IndexError) as error:
        report = Report(options.get("quiet", False))
        report.check("the run can be read", [f"{type(error).__name__}: {error}"])
        return report


# --- the test of this test ------------------------------------------------------------------------

SELF_INPUT = """\
{"id": "a", "text": "one two three four five six"}
{"id": "b", "text": "One, two three four five six!"}
{"id": "c", "text": "one two three four five seven"}

{"id": "d", "text": "red green blue"}
{"id": "e", "text": ""}
{"id": "f", "text": "one two three four five six"}
{"id": "g", "text": "not clo
{"id": "h", "text": "x y x y x"}
{"id": "i", "text": "y x y x"}
"""
# `@b` is what a table calls document b.
SELF_LEDGER = """\
removed_id\tremoved_file\tremoved_record\tkept_id\tkept_file\tkept_record\trule\tresemblance\tcontainment_a_in_b\tcontainment_b_in_a\tshared\tsize_a\tsize_b\tlost\tadded\tdiffers
@b\t@a\tlexically_equivalent\t1\t1\t1\t5\t5\t5\t0\t0\tcase
@c\t@a\tnear\t0.6666666666666666\t0.8\t0.8\t4\t5\t5\t1\t1\ttitle,title+numbers
@f\t@a\tidentical\t1\t1\t1\t5\t5\t5\t0\t0\t\\e
@i\t@h\tfeature_equivalent\t1\t1\t1\t2\t2\t2\t0\t1\ttitle,title+numbers,quotation
"""
SELF_CLUSTERS = """\
id\tfile\trecord\tcluster\tleader_id\tleader_file\tleader_record\tresemblance\tsize\tduplicates
@a\t0\t@a\t1\t4\t{"FILE":3}
@b\t0\t@a\t1\t\t
@c\t0\t@a\t0.6666666666666666\t\t
@f\t0\t@a\t1\t\t
@h\t1\t@h\t1\t2\t{"FILE":1}
@i\t1\t@h\t1\t\t
"""
SELF_PAIRS = """\
a_id\ta_file\ta_record\tb_id\tb_file\tb_record\tresemblance\tcontainment_a_in_b\tcontainment_b_in_a\tshared\tsize_a\tsize_b
@a\t@b\t1\t1\t1\t5\t5\t5
@a\t@c\t0.6666666666666666\t0.8\t0.8\t4\t5\t5
@a\t@f\t1\t1\t1\t5\t5\t5
@h\t@i\t1\t1\t1\t2\t2\t2
"""
SELF_MORE_PAIRS = """\
@b\t@c\t0.6666666666666666\t0.8\t0.8\t4\t5\t5
@b\t@f\t1\t1\t1\t5\t5\t5
@c\t@f\t0.6666666666666666\t0.8\t0.8\t4\t5\t5
"""
SELF_MARKS = {
    "a": (None, None, 0), "b": ("a", 1.0, 0), "c": ("a", 2 / 3, 0), "d": (None, None, None),
    "e": (None, None, None), "f": ("a", 1.0, 0), "h": (None, None, 1), "i": ("h", 1.0, 1),
}


def expanded(text: str, out: Path) -> str:
    """`@c` as a table names document c of the input beside `out`; `@c4` the same id at record 4; `FILE` is
    that input."""
    def name(match) -> str:
        record = match[2] or "abcdefghi".index(match[1]) + 1
        return f"{match[1]}\t{out.parent / 'docs.jsonl'}\t{record}"
    return re.sub("@([a-i])([0-9]?)", name, text).replace("FILE", str(out.parent / "docs.jsonl"))


def self_summary(command: str) -> dict:
    """What the run in this test says of itself; counted by hand."""
    listing = command == "cluster"
    return {
        "command": command,
        "settings": {
            "measure": "resemblance", "threshold": "0.6", "shingle": 2, "unit": "word", "normalize": "nfc",
            "short_documents": "whole", "keep": ["first"], **({"linkage": "components"} if listing else {"linkage": "leaders", "witness": "first"}),
        },
        "inputs": [{"name": "docs.jsonl", "documents": 8, "kept": 4, "removed": 4, "problems": 1}],
        "documents": 8, "kept": 4,
        "removed": {
            "identical": 1, "lexically_equivalent": 1, "feature_equivalent": 1,
            "near": 0 if listing else 1, "component": 1 if listing else 0,
        },
        "without_features": {"no_words": 1, "under_one_shingle": 0}, "duplicate_ids": 0, "problems": 1,
        "clusters": 2, "documents_in_clusters": 6, "largest_cluster": 4,
        "pairs": {"listed": 7 if listing else 4, "complete": listing},
        "tokens": 36, "text_bytes": 142, "outputs": [{"name": "pairs.tsv"}],
        **({} if listing else {"differences": {
            "compared": 3, "of": 3, "near": 2, "losing_words": 1, "losing_ten_words": 0,
            "kinds": [
                {"kind": kind, "documents": count, "near": near, "example": {"removed": removed, "kept": kept}}
                for kind, count, near, removed, kept in
                (("title", 2, 2, "c", "a"), ("title+numbers", 2, 2, "c", "a"), ("quotation", 1, 1, "i", "h"), ("case", 1, 0, "b", "a"))
            ],
        }}),
    }


def self_run(folder: Path, kind: str) -> tuple:
    """A good run, made by hand: its directory and its input."""
    source, out = folder / "docs.jsonl", folder / "out"
    source.write_text(SELF_INPUT, encoding="utf-8")
    out.mkdir()
    lines = {line[8:9]: line + "\n" for line in SELF_INPUT.splitlines() if line}
    summary = self_summary("cluster" if kind == "cluster" else "dedup")
    summary["inputs"][0]["name"] = str(source)
    files = {"clusters.tsv": SELF_CLUSTERS, "pairs.tsv": SELF_PAIRS}
    if kind == "cluster":
        body = SELF_PAIRS.splitlines(keepends=True)
        files["pairs.tsv"] = "".join(body[:4]) + SELF_MORE_PAIRS + body[4]
    else:
        files |= {"ledger.tsv": SELF_LEDGER, "rejected.jsonl": lines["g"]}
    if kind == "dedup":
        files |= {"kept.jsonl": "".join(map(lines.get, "adeh")), "removed.jsonl": "".join(map(lines.get, "bcfi"))}
    if kind == "mark":
        def mark_of(name, kept, value, cluster) -> dict:
            place = (kept, str(source), "abcdefghi".index(kept) + 1) if kept else (None, None, None)
            number = None if kept else {"a": 3, "h": 1}.get(name, 0)
            return dict(zip(MARKS, (*place, value, cluster, kept is not None, number)))
        files["marked.jsonl"] = "".join(
            lines[name][:-2] + "," + json.dumps(mark_of(name, *mark))[1:] + "\n" for name, mark in SELF_MARKS.items()
        )
    for name, content in files.items():
        (out / name).write_text(expanded(content, out), encoding="utf-8")
    (out / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
    return out, source


def replaced(name: str, old: str, new: str):
    """Tampers with one place of one file."""
    def tamper(out: Path) -> None:
        text = (out / name).read_text(encoding="utf-8")
        before, after = expanded(old, out), expanded(new, out)
        assert text.count(before) >= 1, (name, old)
        (out / name).write_text(text.replace(before, after, 1), encoding="utf-8")
    return tamper


def without_line(name: str, start: str):
    def tamper(out: Path) -> None:
        lines = (out / name).read_text(encoding="utf-8").splitlines(keepends=True)
        rest = [line for line in lines if not line.startswith(expanded(start, out))]
        assert len(rest) == len(lines) - 1, (name, start)
        (out / name).write_text("".join(rest), encoding="utf-8")
    return tamper


def moved(name: str, line: str, to: str):
    """Takes a line out of one file and puts it at the end of another."""
    def tamper(out: Path) -> None:
        without_line(name, line)(out)
        found = next(one for one in SELF_INPUT.splitlines() if one.startswith(line))
        with open(out / to, "a", encoding="utf-8") as file:
            file.write(found + "\n")
    return tamper


def swapped(name: str, first: int, second: int):
    def tamper(out: Path) -> None:
        lines = (out / name).read_text(encoding="utf-8").splitlines(keepends=True)
        lines[first], lines[second] = lines[second], lines[first]
        (out / name).write_text("".join(lines), encoding="utf-8")
    return tamper


def all_of(*tampers):
    return lambda out: [tamper(out) for tamper in tampers]


D_FOR_A = "@d\t@a\tnear\t0\t0\t0\t0\t2\t5\t3\t6\ttitle,title+numbers\n"
TAMPERINGS = {
    "dedup": {
        "a kept document is lost": without_line("kept.jsonl", '{"id": "d"'),
        "a removed document is lost": without_line("removed.jsonl", '{"id": "f"'),
        "a rejected line is lost": without_line("rejected.jsonl", '{"id": "g"'),
        "two kept documents change places": swapped("kept.jsonl", 0, 1),
        "a byte of a kept document changes": replaced("kept.jsonl", "red", "Red"),
        "a document is written twice": replaced("kept.jsonl", '{"id": "h"', '{"id": "d", "text": "red green blue"}\n{"id": "h"'),
        "a duplicate is kept": moved("removed.jsonl", '{"id": "i"', "kept.jsonl"),
        "a document is removed for nothing": all_of(
            moved("kept.jsonl", '{"id": "h"', "removed.jsonl"), without_line("ledger.tsv", "@i\t")),
        "a document is removed with a false proof": all_of(
            without_line("kept.jsonl", '{"id": "d"'), replaced("ledger.tsv", "@f\t@a", D_FOR_A + "@f\t@a"),
            replaced("removed.jsonl", '{"id": "f"', '{"id": "d", "text": "red green blue"}\n{"id": "f"')),
        "a good document is rejected": all_of(
            without_line("kept.jsonl", '{"id": "d"'),
            replaced("rejected.jsonl", '{"id": "g"', '{"id": "d", "text": "red green blue"}\n{"id": "g"')),
        "a count is off by one": replaced("ledger.tsv", "0.8\t4\t5\t5", "0.8\t5\t5\t5"),
        "a ratio is rounded": replaced("ledger.tsv", "0.6666666666666666", "0.6667"),
        "a ratio is written long": replaced("ledger.tsv", "\t0.8\t", "\t0.80\t"),
        "a rule is too loose": replaced("ledger.tsv", "identical", "lexically_equivalent"),
        "a rule is too strict": replaced("ledger.tsv", "near", "feature_equivalent"),
        "the ledger names a removed document": replaced("ledger.tsv", "@c\t@a", "@c\t@b"),
        "the ledger names nobody": replaced("ledger.tsv", "@c\t@a", "@c\tz\tnowhere\t1"),
        "the ledger names another record of that id": replaced("ledger.tsv", "@c\t@a", "@c\t@a6"),
        "the ledger removes another record of that id": replaced("ledger.tsv", "@c\t@a", "@c4\t@a"),
        "a member of a cluster is another record of that id": replaced("clusters.tsv", "@c\t0", "@c4\t0"),
        "a pair is of another record of that id": replaced("pairs.tsv", "@h\t@i", "@h\t@i4"),
        "a word is not counted as lost": replaced("ledger.tsv", "\t1\t1\ttitle", "\t0\t1\ttitle"),
        "a kind of difference is missing": replaced("ledger.tsv", "title,title+numbers,quotation", "title,title+numbers"),
        "a document was not compared": replaced("ledger.tsv", "\t0\t0\tcase", "\t\t\t"),
        "the summary miscounts a kind of difference": replaced("summary.json", '"kind": "title", "documents": 2', '"kind": "title", "documents": 3'),
        "the summary gives another example": replaced("summary.json", '"removed": "i"', '"removed": "c"'),
        "the summary misses what was lost": replaced("summary.json", '"losing_words": 1', '"losing_words": 0'),
        "a row of the ledger is missing": without_line("ledger.tsv", "@c\t"),
        "the ledger is out of order": swapped("ledger.tsv", 1, 2),
        "a member of a cluster is missing": without_line("clusters.tsv", "@c\t"),
        "a member is in another cluster": replaced("clusters.tsv", "@c\t0\t@a", "@c\t1\t@h"),
        "a deciding pair is missing": without_line("pairs.tsv", "@h\t"),
        "a pair is there twice": replaced("pairs.tsv", "@h\t@i", "@a\t@f\t1\t1\t1\t5\t5\t5\n@h\t@i"),
        "the summary miscounts the kept": replaced("summary.json", '"kept": 4', '"kept": 5'),
        "the summary miscounts a rule": replaced("summary.json", '"near": 1', '"near": 2'),
        "the summary miscounts the pairs": replaced("summary.json", '"listed": 4', '"listed": 5'),
        "the summary names an output that is not there": replaced("summary.json", '"pairs.tsv"', '"pears.tsv"'),
        "the threshold was another": replaced("summary.json", '"threshold": "0.6"', '"threshold": "0.7"'),
        "the shingles were others": replaced("summary.json", '"shingle": 2', '"shingle": 3'),
        "the witness rule is not recorded": replaced("summary.json", ', "witness": "first"', ""),
        "the witness rule is no rule": replaced("summary.json", '"witness": "first"', '"witness": "last"'),
        "the survivors were others": replaced("summary.json", '"first"', '"shortest"'),
        "the ledger is cut off": replaced("ledger.tsv", "quotation\n", "quotation"),
    },
    "cluster": {
        "a pair is missing": without_line("pairs.tsv", "@c\t@f"),
        "a pair is too much": replaced("pairs.tsv", "@h\t@i", "@d\t@h\t0\t0\t0\t0\t2\t2\n@h\t@i"),
        "a pair is the wrong way round": replaced("pairs.tsv", "@h\t@i", "@i\t@h"),
        "the size of a cluster is wrong": replaced("clusters.tsv", '\t4\t{"FILE":3}', '\t5\t{"FILE":3}'),
        "the files of duplicates are wrong": replaced("clusters.tsv", '{"FILE":3}', '{"FILE":4}'),
        "a row of no leader has a size": replaced("clusters.tsv", "@i\t1\t@h\t1\t\t", "@i\t1\t@h\t1\t2\t"),
        "a cluster is torn": replaced("clusters.tsv", "@f\t0\t@a", "@f\t1\t@f"),
        "a cluster has another leader": replaced("clusters.tsv", "@h\t1\t@h", "@h\t1\t@i"),
        "an incomplete list does not make the clusters": all_of(
            replaced("summary.json", '"complete": true', '"complete": false'),
            replaced("summary.json", '"listed": 7', '"listed": 6'), without_line("pairs.tsv", "@h\t@i")),
        "the summary miscounts the clusters": replaced("summary.json", '"clusters": 2', '"clusters": 3'),
    },
    "mark": {
        "a marked document is lost": without_line("marked.jsonl", '{"id": "d"'),
        "a byte of a marked document changes": replaced("marked.jsonl", "green", "grean"),
        "a mark is missing": replaced("marked.jsonl", ', "resemblance": 1.0, "cluster": 1', ""),
        "a mark says that a duplicate is none": replaced("marked.jsonl", '"is_duplicate": true', '"is_duplicate": false'),
        "a mark miscounts duplicates": replaced("marked.jsonl", '"duplicates": 3', '"duplicates": 2'),
        "a mark names another": replaced("marked.jsonl", '"duplicate_of": "h"', '"duplicate_of": "d"'),
        "a mark names another record of that id": replaced("marked.jsonl", '"duplicate_of_record": 8', '"duplicate_of_record": 9'),
        "a mark is in another cluster": replaced("marked.jsonl", '"cluster": 1', '"cluster": 0'),
        "an unmarked document is marked": replaced(
            "marked.jsonl", '"resemblance": null, "cluster": null', '"resemblance": 1.0, "cluster": null'),
    },
}


class Made:
    """A unit made by hand."""

    def __init__(self, features: str, protected: bool = False, compared: bool = True):
        self.features, self.protected, self.compared = frozenset(features), protected, compared
        self.complete = self.features


def witness_complaints() -> list:
    """Leaders by both rules, counted by hand; and both ways to count what units share."""
    half = Measure("resemblance", "0.5")
    units = [Made("abcdxy"), Made("abcefg"), Made("abdefh"), Made("abcdef")]
    tied = [Made("abcdef123"), Made("defghijkl"), Made("abcghijmn"), Made("abcdefghij")]
    cases = [
        # The first two are kept (3 of 9); the third matches the second (4 of 8), the fourth both (4 of 8, 5 of 7).
        (half, units, False, "first", [0, 1, 1, 0]), (half, units, False, "best", [0, 1, 1, 1]),
        # Three are kept (3 of 15, 3 of 15, 4 of 14); the fourth matches all (6 of 13, 7 of 12, 7 of 12): of equals the first.
        *[(Measure("resemblance", "0.45"), tied, False, rule, [0, 1, 2, at]) for rule, at in (("first", 0), ("best", 1))],
        # A protected unit alone may be a witness; two that are alike stay.
        (half, [Made("abcdxy", True), *units[1:], Made("abcefg1")], True, "first", [0, 1, 2, 0, 4]),
        # A removed unit is no witness: the third matches the second (4 of 8) alone, which the first removed.
        (half, [Made("abcd"), Made("abcefd"), Made("cefdgh")], False, "first", [0, 0, 2]),
        # Of the smaller in the larger: larger ones first; 3 of 4 in both, so the first by both rules.
        (Measure("containment", "0.7"), [Made("abcdefg"), Made("abcxyz"), Made("abct")], False, "best", [0, 1, 0]),
        # A unit with too few features is compared with none.
        (half, [Made("ab"), Made("ab", compared=False), Made("abc")], False, "first", [0, 1, 0]),
    ]
    complaints = []
    for measure, made, only_protected, rule, wanted in cases:
        found = choose_leaders(made, all_matches(made, measure), measure, only_protected, rule)
        if found != wanted:
            complaints.append(f"{rule}: {found}, not {wanted}")
        holders = Counter(feature for unit in made if unit.compared for feature in unit.features)
        ways = [[sorted(met) for met in way(made, holders)] for way in (shared_by_feature, shared_by_pair)]
        if ways[0] != ways[1]:
            complaints.append(f"shared counts differ: {ways}")
    return complaints


def self_test() -> bool:
    """Every tampering must be caught, and the good runs must pass."""
    complaints = witness_complaints()
    for complaint in complaints:
        print(f"FAILED: witnesses: {complaint}")
    done = {"caught": 0, "missed": len(complaints)}
    for kind, tamperings in TAMPERINGS.items():
        for name, tamper in {"nothing": None, **tamperings}.items():
            with tempfile.TemporaryDirectory() as folder:
                out, source = self_run(Path(folder), kind)
                if tamper:
                    tamper(out)
                report = check_or_fail(out, [source], mark=kind == "mark", quiet=True)
                right = bool(report.failures) == (tamper is not None)
                done["caught" if right else "missed"] += 1
                if not right:
                    print(f"FAILED: {kind}, {name}: {report.failures or 'not caught'}")
    print(f"self-test: {done['caught']} as they should be, {done['missed']} not")
    return not done["missed"]


def main() -> int:
    parser = argparse.ArgumentParser(description="Checks a finished run of lookalike against its inputs.")
    parser.add_argument("run", nargs="?", type=Path)
    parser.add_argument("inputs", nargs="*")
    parser.add_argument("--against", nargs="+", default=[], metavar="OTHER")
    parser.add_argument("--mark", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_intermixed_args()
    if options.self_test:
        return 0 if self_test() else 1
    if not options.run or not options.inputs:
        parser.error("a run directory and its inputs are needed")
    try:
        report = check_or_fail(options.run, options.inputs, against=options.against, mark=options.mark)
    except CannotCheck as reason:
        print(f"cannot check this run: {reason}")
        return 2
    print(f"{len(report.failures)} checks failed" if report.failures else "all checks passed")
    return 1 if report.failures else 0


csv.field_size_limit((1 << 31) - 1)
sys.setrecursionlimit(20_000)

if __name__ == "__main__":
    sys.exit(main())
