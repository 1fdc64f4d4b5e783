"""Records of WARC files (ISO 28500), read independently of lookalike: what the checks of web archives expect."""
import gzip
import re
import zlib


def fields(header: bytes) -> dict:
    """Header fields by their names in lower case; of several of one name the first counts."""
    found = {}
    for line in re.sub(rb"\r?\n[ \t]+", b" ", header).split(b"\n"):
        name, colon, value = line.partition(b":")
        if colon:
            found.setdefault(name.strip().lower().decode("latin-1"), value.strip())
    return found


def split(data: bytes) -> list:
    """The records of a file without damage, with the line ends after them."""
    records, at = [], 0
    while at < len(data):
        header = data[at:].partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
        end = at + len(header) + int(fields(header)["content-length"])
        while data[end : end + 1] in (b"\r", b"\n") and end < len(data):
            end += 1
        records.append(data[at:end])
        at = end
    return records


def dechunked(body: bytes) -> bytes:
    out = b""
    while True:
        line, _, rest = body.partition(b"\r\n")
        size = int(line.split(b";")[0], 16)
        if size == 0:
            return out
        out, body = out + rest[:size], rest[size + 2 :]


def document(raw: bytes, statuses=range(200, 300)):
    """What a record is: `("text" or "html", text, url, date)`, or the kind of a skipped record."""
    header, _, rest = raw.partition(b"\r\n\r\n")
    warc = fields(header)
    block, kind = rest[: int(warc["content-length"])], warc["warc-type"].decode()
    media = warc.get("content-type", b"")
    if kind not in ("response", "resource", "conversion"):
        return kind
    if kind == "response" and media.startswith(b"application/http"):
        head, _, block = block.partition(b"\r\n\r\n")
        status, http = int(head.split()[1]), fields(head)
        if status not in statuses:
            return f"{kind} {status}"
        media = http.get("content-type", b"")
        if http.get("transfer-encoding") == b"chunked":
            block = dechunked(block)
        if (coding := http.get("content-encoding")) == b"gzip":
            block = gzip.decompress(block)
        elif coding == b"deflate":
            block = zlib.decompress(block)
    name = media.split(b";")[0].strip().lower().decode()
    if name not in ("text/html", "application/xhtml+xml", "text/plain"):
        return f"{kind} {name}" if name else f"{kind} without a content type"
    charset = re.search(rb'charset="?([\w-]+)', media)
    if charset is None and name != "text/plain":
        charset = re.search(rb'<meta charset="?([\w-]+)', block[:1024])
    try:
        text = block.decode(charset[1].decode() if charset else "utf-8")
    except UnicodeDecodeError:
        text = block.decode("cp1252")
    url = warc.get("warc-target-uri", b"").decode().strip("<>")
    return "text" if name == "text/plain" else "html", text, url, warc["warc-date"].decode()
