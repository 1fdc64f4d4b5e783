"""Reads a segment of an index by the description in FORMAT.md, and checks everything in it against everything else.

Standard library only; shares no code with lookalike. Texts are decompressed with the zstd command where there is one.
"""
import shutil
import struct
import subprocess
import tempfile
from itertools import groupby

from xxh3 import xxh3_64

M64 = (1 << 64) - 1
PART = 1 << 20
KEPT = (1 << 32) - 1
PLAIN = range(19)
OF_METHOD = range(64, 69)


def u64s(data):
    return list(struct.unpack(f"<{len(data) // 8}Q", data))


def u32s(data):
    return list(struct.unpack(f"<{len(data) // 4}I", data))


def finalise(value):
    value ^= value >> 30
    value = value * 0xBF58476D1CE4E5B9 & M64
    value ^= value >> 27
    value = value * 0x94D049BB133111EB & M64
    return value ^ value >> 31


def packed(data, width, count):
    """Values of a fixed width in bits, and the bits behind them."""
    bits = int.from_bytes(data, "little")
    return [bits >> i * width & (1 << width) - 1 for i in range(count)], bits >> count * width


class Segment:
    """The sections of a complete segment, all checksums checked."""

    def __init__(self, data):
        header, trailer = data[:64], data[-40:]
        assert header[:8] == b"lookseg\n" and trailer[32:] == b"lookend\n"
        self.format, self.keep_values, self.methods, texts = struct.unpack("<4I", header[8:24])
        assert self.format == 1 and texts in (0, 1)
        self.has_texts = texts == 1
        self.settings, hash_name = struct.unpack("<2Q", header[24:40])
        assert hash_name == xxh3_64(b"xxh3-poly64/1") and header[48:56] == bytes(8)
        # t0 of a lean index: numerator and denominator, or 0.
        self.lean = struct.unpack("<2I", header[40:48])
        assert self.lean == (0, 0) or 0 < self.lean[0] <= self.lean[1]
        self.element_bits = 32 if self.lean[1] else 40
        assert u64s(header[56:]) == [xxh3_64(header[:56])]
        length, self.documents, states_sum, trailer_sum = u64s(trailer[:32])
        assert xxh3_64(trailer[:24]) == trailer_sum, "the trailer"
        states = data[-40 - 4 * self.documents:-40]
        assert xxh3_64(states) == states_sum, "the states"
        self.states = u32s(states)
        start = len(data) - 40 - 4 * self.documents - length
        footer = data[start:start + length]
        assert footer[:8] == b"lookfoot" and u64s(footer[-8:]) == [xxh3_64(footer[:-8])], "the footer"
        words = iter(u64s(footer[8:-8]))
        documents, self.units = next(words), next(words)
        assert documents == self.documents
        # Entries, number bits, bucket bits: of the elements, then of each method.
        self.layouts = []
        for _ in range(1 + self.methods):
            entries, bits = next(words), next(words)
            self.layouts.append((entries, bits & 0xFFFFFFFF, bits >> 32))
        self.sections, end, parts = {}, 64, []
        for _ in range(next(words)):
            name, at, length = next(words), next(words), next(words)
            assert at == end, "a gap between sections"
            end = at + length
            self.sections[name >> 32, name & 0xFFFFFFFF] = data[at:end]
            parts += [data[part:min(part + PART, end)] for part in range(at, end, PART)]
        assert end == start, "the sections do not end at the footer"
        assert [next(words) for _ in range(next(words))] == [xxh3_64(part) for part in parts], "the sections"
        assert list(words) == []
        expected = {(code, 0) for code in PLAIN} | {(c, m) for c in OF_METHOD for m in range(self.methods)}
        assert set(self.sections) == expected, "other sections"

    def posted(self, size):
        """How many elements of a set are posted."""
        numerator, denominator = self.lean
        return min(size, size + 4 + -numerator * size // denominator) if denominator else size

    def postings(self, layout, data, directory, numbers, element_bits):
        """Entries: (the first bits of an element, number)."""
        entries, number_bits, bucket_bits = layout
        starts = u32s(directory)
        assert len(starts) == 2 ** bucket_bits + 1 and (starts[0], starts[-1]) == (0, entries)
        width = element_bits - bucket_bits + number_bits
        assert len(data) == (entries * width + 7) // 8 + 8
        values, rest = packed(data, width, entries)
        assert rest == 0
        found = []
        for bucket, (start, end) in enumerate(zip(starts, starts[1:])):
            assert start <= end
            for value in values[start:end]:
                element = bucket << element_bits - bucket_bits | value >> number_bits
                found.append((element, value & (1 << number_bits) - 1))
        assert found == sorted(found) and all(number < numbers for _, number in found)
        return found

    def rows(self):
        names = ("number", "first", "sweep", "tokens", "expires", "text_bytes", "text_low", "text_high", "low", "high",
                 "place", "length", "few", "reason")
        return [dict(zip(names, row)) for row in struct.iter_unpack("<4I2Q4QQI2B", self.sections[4, 0])]

    def strings(self):
        """Id, address, date and extra bytes of each document."""
        ends, data = u64s(self.sections[5, 0]), self.sections[6, 0]
        found = [data[a:b] for a, b in zip([0] + ends, ends)]
        assert len(found) == 4 * self.documents and sum(map(len, found)) == len(data)
        return [(a.decode(), b.decode(), c.decode(), d) for a, b, c, d in zip(*[iter(found)] * 4)]

    def text(self, row):
        """The text of a document, or None without the zstd command."""
        if not shutil.which("zstd"):
            return None
        frame = self.sections[9, 0][row["place"]:row["place"] + row["length"]]
        with tempfile.NamedTemporaryFile() as dictionary:
            dictionary.write(self.sections[8, 0])
            dictionary.flush()
            options = ["-D", dictionary.name] if self.sections[8, 0] else []
            command = ["zstd", "-dc", *options]
            text = subprocess.run(command, input=frame, stdout=subprocess.PIPE, check=True).stdout
        assert len(text) == row["text_bytes"]
        return text.decode()

    def signatures(self, method):
        """Keys and sketch of each document by a method."""
        ends, words = u64s(self.sections[65, method]), u64s(self.sections[66, method])
        parts = [words[a:b] for a, b in zip([0] + ends, ends)]
        assert len(parts) == 2 * self.documents and sum(map(len, parts)) == len(words)
        return list(zip(parts[::2], parts[1::2]))

    def stored_set(self, row, size):
        data = self.sections[9, 0][row["place"]:row["place"] + row["length"]]
        low = 64 - min(16, size.bit_length())
        unary = data[:len(data) - (size * low + 7) // 8]
        lows, rest = packed(data[len(unary):], low, size)
        bits = int.from_bytes(unary, "little")
        places = [at for at in range(8 * len(unary)) if bits >> at & 1]
        assert len(places) == size and rest == 0
        elements = [place - i << low | below for i, (place, below) in enumerate(zip(places, lows))]
        assert elements == sorted(set(elements))
        return elements


def common_elements(data):
    """The elements of a table of a lean index."""
    assert data[:8] == b"lookcomm"
    version, count, *elements = u64s(data[8:])
    assert version == 1 and count == len(elements) and elements == sorted(set(elements))
    return set(elements)


def check(data, common=frozenset()):
    """Checks a segment, and returns it with the documents: row, strings, text and set (or None).

    `common` is the table of a lean index.
    """
    segment = Segment(data)
    column = lambda code: segment.sections[code, 0]
    rows, strings = segment.rows(), segment.strings()
    sizes, ends = u32s(column(0)), u32s(column(3))
    digests = [low | high << 64 for low, high in struct.iter_unpack("<2Q", column(1))]
    assert len(rows) == segment.documents and len(sizes) == len(ends) == len(digests) == segment.units
    keys = list(zip(sizes, digests))
    assert keys == sorted(set(keys)), "units are not in order"
    starts = [0] + ends
    assert all(a < b for a, b in zip(starts, ends)), "a unit without documents"
    for start, end in zip(starts, ends + [segment.documents]):
        numbers = [row["number"] for row in rows[start:end]]
        assert numbers == sorted(set(numbers)), "documents are not in order"
    # Found by id, address and number.
    hashed = lambda at: sorted((xxh3_64(s[at].encode()), i) for i, s in enumerate(strings) if at == 0 or s[at])
    for at, code in ((0, 10), (1, 12)):
        assert list(zip(u64s(column(code)), u32s(column(code + 1)))) == hashed(at), "ids or addresses"
    by_number = sorted((row["number"], local) for local, row in enumerate(rows))
    assert list(zip(u32s(column(14)), u32s(column(15)))) == by_number, "numbers"
    assert len(column(7)) == 8 * segment.keep_values * segment.documents
    # Postings.
    postings = segment.postings(segment.layouts[0], column(16), column(17), segment.units, segment.element_bits)
    in_long_lists = [0] * segment.units
    of_unit = [[] for _ in range(segment.units)]
    for element, entries in groupby(postings, key=lambda entry: entry[0]):
        units = [unit for _, unit in entries]
        for unit in units:
            in_long_lists[unit] += len(units) >= 257
            of_unit[unit].append(element)
    assert [len(elements) for elements in of_unit] == list(map(segment.posted, sizes)), "postings of units"
    shares = [min(255, -(-255 * c // size)) for c, size in zip(in_long_lists, sizes)]
    assert list(column(18)) == shares, "shares of common elements"
    bitmaps = [column(2)[32 * unit:32 * unit + 32] for unit in range(segment.units)]
    texts, sets, unit = [], [], 0
    for local, row in enumerate(rows):
        while unit < segment.units and ends[unit] <= local:
            unit += 1
        if segment.has_texts:
            texts.append(segment.text(row))
            sets.append(None)
            continue
        texts.append(None)
        elements = segment.stored_set(row, sizes[unit]) if unit < segment.units else []
        sets.append(elements)
        if unit == segment.units:
            continue
        # In the order of a lean index; all of them are posted by another.
        order = sorted(elements, key=lambda element: (element in common, element & 0xFFFFFFFF, element >> 32))
        posted = order[:segment.posted(len(elements))]
        assert sorted(element >> 64 - segment.element_bits for element in posted) == of_unit[unit], "the set is not what is posted"
        bitmap = 0
        for element in elements:
            bitmap ^= 1 << (element >> 56)
        assert bitmap == int.from_bytes(bitmaps[unit], "little"), "bitmap"
        low = sum(map(finalise, elements)) + len(elements) & M64
        digest = low | (sum(elements) & M64) << 64
        sequence = row["low"] | row["high"] << 64
        assert digests[unit] == (sequence if row["few"] else digest), "digest"
    for method in range(segment.methods):
        of = lambda code: segment.sections[code, method]
        assert len(of(64)) == 9 * segment.documents
        posted = segment.postings(segment.layouts[1 + method], of(67), of(68), segment.documents, 40)
        signed = sorted((key >> 24, local) for local, (keys, _) in enumerate(segment.signatures(method)) for key in keys)
        assert posted == signed, "keys"
    return segment, [(row, *rest) for row, *rest in zip(rows, strings, texts, sets)]
