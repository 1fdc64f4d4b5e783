"""Mail messages by Python's own `email` package: what check_run.py and the checks of mail expect."""
import email
import email.header
import email.message
import email.policy
import html
import re
from datetime import timezone
from email.utils import parsedate_to_datetime

# The text of a message that needs markup to be removed.
HTML = "<html>"
RANKS = {"text/plain": 3, "text/html": 2, "application/xhtml+xml": 2}


DAY, MONTH = "Mon|Tue|Wed|Thu|Fri|Sat|Sun", "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
DATED = re.compile(rf"From .*?({DAY}),? ({MONTH}|[0-9]+) +({MONTH}|[0-9]+) .*[0-9]?[0-9]:[0-9][0-9].*".encode())
UNDATED = re.compile(rb"From ([^ ]*@[^ ]*|-|MAILER-DAEMON|) *\r?\n")
FIELD = re.compile(rb"[!-9;-~]+[ \t]*:(?!/)")
OF_MAIL = re.compile(rb"(?i)(x-[!-9;-~]+|from|to|subject|date|received|return-path|message-id|delivered-to|mime-version|content-type)[ \t]*:")


def split(data: bytes) -> list:
    """The messages of an mbox with their separator lines: dated ones before a header field, after a blank line also of
    an address only before a field of mail."""
    starts, at, blank = [], 0, True
    lines = re.findall(rb"[^\n]*\n|[^\n]+", data)
    for line, below in zip(lines, [*lines[1:], b""]):
        dated = DATED.match(line) and (FIELD.match(below) or blank and not below)
        undated = blank and UNDATED.match(line) and OF_MAIL.match(below)
        if not at or dated or undated:
            starts.append(at)
        blank = line in (b"\n", b"\r\n")
        at += len(line)
    return [data[a:b] for a, b in zip(starts, [*starts[1:], len(data)])]


def message(raw: bytes) -> bytes:
    """A message of an mbox without its separator line, quoting, and the blank line after it."""
    raw = raw.partition(b"\n")[2]
    end = re.search(rb"(?<=\n)\r?\n\Z", raw)
    return re.sub(rb"(?m)^>(>*From )", rb"\1", raw[:end.start()] if end else raw)


class Mail:
    """One message."""

    def __init__(self, raw: bytes):
        self.parsed = email.message_from_bytes(raw, policy=email.policy.compat32)
        first = raw.split(b"\n")[0]
        self.has_header = re.match(rb"[!-9;-~]+[ \t]*:", first) is not None

    def header(self, name: str):
        """The first field of a name, decoded."""
        value = self.parsed[name]
        if value is None:
            return None
        value = re.sub(r"\r?\n\s*", " ", str(value).strip())
        # White space around encoded words: one space.
        return re.sub(" +", " ", str(email.header.make_header(email.header.decode_header(value))))

    def field(self, name: str):
        value = self.header(name)
        if value and name.lower() in ("message-id", "in-reply-to"):
            value = (re.findall(r"<([^>]*)>", value) or [value])[0]
        return value or None

    def date(self, name: str):
        """In UTC, as it is compared."""
        try:
            found = parsedate_to_datetime(self.header(name).rpartition(";")[2])
        except (AttributeError, TypeError, ValueError):
            return None
        found = found if found.tzinfo else found.replace(tzinfo=timezone.utc)
        return found.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")

    def texts(self) -> list:
        """The texts that count, each with its type."""
        return chosen(self.parsed)

    def text(self) -> str:
        """All of it, or HTML."""
        texts = self.texts()
        if any(RANKS.get(kind) == 2 for kind, _ in texts):
            return HTML
        joined = ""
        for _, text in texts:
            joined += ("\n" if joined and not joined.endswith("\n") else "") + text
        return joined


    def original(self, text: str) -> tuple:
        """What identical messages have in common: the text, header fields, parts that are not read, attachments."""
        return text, fields(self.parsed), *beside(self.parsed)

    def attachments(self) -> tuple:
        return beside(self.parsed)[1]


def fields(message: email.message.Message) -> tuple:
    """The header fields that count."""
    mail = Mail.__new__(Mail)
    mail.parsed = message
    values = [mail.date(name) or mail.header(name) if name == "date" else mail.header(name) for name in ("from", "to", "cc", "subject", "date")]
    return tuple(value and " ".join(value.split()) for value in values)


def beside(part: email.message.Message, attached: bool = False) -> tuple:
    """The alternatives that are not read, in order, and the attachments, in any order."""
    unread, attachments = [], []
    taken = {id(one) for one in read(part)}

    def walk(part, attached):
        attached = attached or part.get_content_disposition() == "attachment"
        kind = part.get_content_type()
        if part.is_multipart():
            if kind == "message/rfc822":
                (attachments if attached else unread).append(repr(fields(part.get_payload(0))).encode())
            for one in part.get_payload():
                walk(one, attached)
        elif kind.endswith("-signature") and kind.startswith("application/p"):
            pass
        elif attached or not (kind.startswith("text/") or kind in RANKS):
            attachments.append(content(part))
        elif id(part) not in taken:
            rendering = kind in RANKS or kind in ("text/enriched", "text/richtext")
            (unread if rendering else attachments).append(content(part))

    walk(part, attached)
    return tuple(unread), tuple(sorted(attachments))


def content(part: email.message.Message) -> bytes:
    data = part.get_payload(decode=True) or b""
    lines = part.get_content_maintype() == "text" or part.get("content-transfer-encoding", "").strip().lower() != "base64"
    return data.replace(b"\r\n", b"\n") if lines else data


def words(text: str) -> set:
    return set(re.findall(r"[^\W_]+", text.lower()))


def plain_or_html(plain: str, page: str) -> str:
    """Which of both is read."""
    a, b = words(plain), words(html.unescape(re.sub(r"(?s)<[^>]*>", "\n", page)))
    if not b:
        return "plain"
    if not a:
        return "html"
    stub = bool(a & {"html", "mime"})
    if len(a & b) == len(b) if stub else 3 * len(a & b) >= 2 * len(b):
        return "plain"
    return "html" if stub or 2 * len(b) >= len(a) else "both"


def chosen(part: email.message.Message) -> list:
    return [(one.get_content_type(), text_of(one)) for one in read(part)]


def text_of(part: email.message.Message) -> str:
    return decoded(part.get_payload(decode=True) or b"", part.get_content_charset())


def read(part: email.message.Message) -> list:
    """The parts whose text is read."""
    if part.get_content_disposition() == "attachment":
        return []
    kind = part.get_content_type()
    if part.is_multipart():
        parts = [read(one) for one in part.get_payload()]
        if kind != "multipart/alternative":
            return [one for texts in parts for one in texts]
        rank = lambda texts: max((RANKS.get(one.get_content_type(), 1) for one in texts if text_of(one).strip()), default=0)
        first = lambda wanted: next((texts for texts in parts if rank(texts) == wanted), [])
        plain, page = first(3), first(2)
        if plain and page:
            taken = plain_or_html("\n".join(map(text_of, plain)), "\n".join(map(text_of, page)))
            return {"plain": plain, "html": page, "both": plain + page}[taken]
        best = max(map(rank, parts), default=0)
        return first(best) if best else []
    return [part] if kind.startswith("text/") or kind in RANKS else []


def decoded(data: bytes, charset) -> str:
    for name in (charset, "utf-8", "cp1252"):
        try:
            if name and name not in ("us-ascii", "ascii"):
                return data.decode(name).replace("\r\n", "\n")
        except (LookupError, UnicodeDecodeError):
            pass
    return data.decode("latin-1").replace("\r\n", "\n")
