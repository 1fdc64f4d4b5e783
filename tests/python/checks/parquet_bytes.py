"""Writes small Parquet files byte by byte: columns of required texts, with pages that a library would not write."""
import zlib
from dataclasses import dataclass

# Types of fields in Thrift's compact protocol.
I32, I64, BINARY, LIST, STRUCT = 5, 6, 8, 9, 12

# Codecs, page types and encodings of Parquet.
PLAIN_CODEC, GZIP = 0, 2
DATA_PAGE, DICTIONARY_PAGE = 0, 2
PLAIN, RLE, RLE_DICTIONARY = 0, 3, 8
BYTE_ARRAY = 6


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def struct_of(*fields: tuple) -> bytes:
    """A structure of fields (id, type, value), in the order of their ids."""
    out, last = bytearray(), 0
    for number, kind, value in fields:
        out += bytes([(number - last) << 4 | kind])
        last = number
        if kind in (I32, I64):
            out += varint(value << 1)
        elif kind == BINARY:
            out += varint(len(value)) + value
        elif kind == LIST:
            element, items = value
            out += bytes([len(items) << 4 | element]) + b"".join(items)
        else:
            out += value
    return bytes(out) + b"\0"


def gzipped(data) -> bytes:
    """Chunks of bytes, compressed; they need not fit in memory together."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join([*map(packer.compress, data), packer.flush()])


@dataclass
class Page:
    """A page as it is stored, and the size that its header claims it to unpack to."""

    kind: int
    values: int
    stored: bytes
    unpacked: int

    def written(self) -> bytes:
        if self.kind == DICTIONARY_PAGE:
            own = (7, STRUCT, struct_of((1, I32, self.values), (2, I32, PLAIN)))
        else:
            encoding = RLE_DICTIONARY if self.stored[:1] == b"\1" else PLAIN
            own = (5, STRUCT, struct_of((1, I32, self.values), (2, I32, encoding), (3, I32, RLE), (4, I32, RLE)))
        return struct_of((1, I32, self.kind), (2, I32, self.unpacked), (3, I32, len(self.stored)), own) + self.stored


def plain(texts: list) -> Page:
    """A page of texts as they are."""
    stored = b"".join(len(text).to_bytes(4, "little") + text for text in texts)
    return Page(DATA_PAGE, len(texts), stored, len(stored))


def repeated(text: bytes, rows: int) -> list:
    """The pages of a column with a dictionary of one text, which all rows have."""
    value = len(text).to_bytes(4, "little") + text
    keys = b"\1" + varint(rows << 1) + b"\0"
    return [Page(DICTIONARY_PAGE, 1, value, len(value)), Page(DATA_PAGE, rows, keys, len(keys))]


def parquet(rows: int, columns: dict) -> bytes:
    """A file with one row group: for each column its codec and its pages."""
    out, chunks = bytearray(b"PAR1"), []
    schema = [struct_of((4, BINARY, b"schema"), (5, I32, len(columns)))]
    total = 0
    for name, (codec, pages) in columns.items():
        places, unpacked = {}, 0
        start = len(out)
        for page in pages:
            places.setdefault(page.kind, len(out))
            out += page.written()
            unpacked += page.unpacked
        total += unpacked
        fields = [
            (1, I32, BYTE_ARRAY), (2, LIST, (I32, [varint(PLAIN << 1), varint(RLE_DICTIONARY << 1)])),
            (3, LIST, (BINARY, [varint(len(name)) + name.encode()])), (4, I32, codec), (5, I64, rows),
            (6, I64, unpacked), (7, I64, len(out) - start), (9, I64, places[DATA_PAGE]),
        ]
        if DICTIONARY_PAGE in places:
            fields.append((11, I64, places[DICTIONARY_PAGE]))
        chunks.append(struct_of((2, I64, start), (3, STRUCT, struct_of(*fields))))
        schema.append(struct_of((1, I32, BYTE_ARRAY), (3, I32, 0), (4, BINARY, name.encode()), (6, I32, 0)))
    group = struct_of((1, LIST, (STRUCT, chunks)), (2, I64, total), (3, I64, rows))
    footer = struct_of((1, I32, 1), (2, LIST, (STRUCT, schema)), (3, I64, rows), (4, LIST, (STRUCT, [group])))
    return bytes(out) + footer + len(footer).to_bytes(4, "little") + b"PAR1"
