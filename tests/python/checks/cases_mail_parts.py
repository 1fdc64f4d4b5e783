"""What a mail message is: attachments, alternatives, embedded messages, charsets, encoded words."""
import base64
import io
import quopri
import zipfile

from checks.cases import Case

WORDS = (
    "problem kid teacher life home group law power line person business question state member way issue friend face force time change "
    "room research number back family month people team year party work service name government father minute book history hour money "
    "house idea health night country word office information water system reason side door part community guy war education place"
).split()


def words(seed: int, count: int = 80) -> str:
    return " ".join(WORDS[(seed * 31 + at * at + at * seed) % len(WORDS)] for at in range(count))


def encoded(data: bytes, how: str) -> bytes:
    if how == "base64":
        return base64.encodebytes(data)
    return quopri.encodestring(data) if how == "quoted-printable" else data


def header(number: int, kind: str = "", transfer: str = "", subject: str = "Document", more: str = "") -> bytes:
    lines = [
        f"Received: from relay{number}.example by a.example; Mon, 23 Nov 2026 10:00:0{number % 10} +0000",
        "From: Ann <ann@a.example>", "To: bob@b.example", f"Subject: {subject}", f"Message-ID: <{number}@a.example>",
        "Date: Mon, 23 Nov 2026 10:00:00 +0000", "MIME-Version: 1.0",
    ]
    lines += [f"Content-Type: {kind}"] if kind else []
    lines += [f"Content-Transfer-Encoding: {transfer}"] if transfer else []
    return "".join(f"{line}\n" for line in [*lines, *([more] if more else [])]).encode() + b"\n"


def leaf(kind: str, data: bytes, transfer: str = "", disposition: str = "") -> bytes:
    lines = [f"Content-Type: {kind}"]
    lines += [f"Content-Transfer-Encoding: {transfer}"] if transfer else []
    lines += [f"Content-Disposition: {disposition}"] if disposition else []
    return "".join(f"{line}\n" for line in lines).encode() + b"\n" + encoded(data, transfer)


def multi(number: int, parts: list, sub: str = "mixed", boundary: str = "b", **more) -> bytes:
    body = b"".join(b"--" + boundary.encode() + b"\n" + part + b"\n" for part in parts)
    return header(number, f'multipart/{sub}; boundary="{boundary}"', **more) + body + b"--" + boundary.encode() + b"--\n"


def nested(parts: list, sub: str, boundary: str) -> bytes:
    return multi(0, parts, sub, boundary).partition(b"MIME-Version: 1.0\n")[2]


def text(content: str) -> bytes:
    return leaf("text/plain; charset=utf-8", content.encode(), "8bit")


def pdf(content: str, disposition: str = 'attachment; filename="a.pdf"', transfer: str = "base64") -> bytes:
    return leaf("application/pdf", b"%PDF-1.4 " + content.encode(), transfer, disposition)


def docx(content: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        name = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{name}"><w:body><w:p><w:r><w:t>{content}</w:t></w:r></w:p></w:body></w:document>')
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    return leaf(kind, out.getvalue(), "base64", "attachment; filename=a.docx")


COVER = "Dear colleagues,\n\nplease find the document attached.\n\nKind regards\nAnn\n"
LONG = words(3, 2000)


def pair(a: bytes, b: bytes, form: str = "eml") -> dict:
    if form == "mbox":
        line = b"From ann@a.example Mon Nov 23 22:30:17 2026\n"
        return {"a.mbox": line + a + b"\n" + line + b + b"\n"}
    return {"a.eml": a, "b.eml": b}


def attachment_cases() -> list:
    one, other = pdf("one contract"), pdf("an invoice")
    rfc = lambda content, how="": leaf("message/rfc822", header(7, "text/plain") + content.encode(), how, "attachment")
    inline = lambda content: leaf("image/png", content.encode(), "base64", "inline")
    pairs = {
        "other attachments": (multi(1, [text(COVER), one]), multi(2, [text(COVER), other])),
        "with and without one": (multi(1, [text(COVER), one]), multi(2, [text(COVER)])),
        "one and two": (multi(1, [text(COVER), one]), multi(2, [text(COVER), one, other])),
        "long texts": (multi(1, [text(LONG), one]), multi(2, [text(LONG), other])),
        "other forwarded messages": (multi(1, [text(COVER), rfc(words(1))]), multi(2, [text(COVER), rfc(words(2))])),
        "other forwarded messages, encoded": (
            multi(1, [text(COVER), rfc(words(1), "base64")]), multi(2, [text(COVER), rfc(words(2), "base64")]),
        ),
        "other images beside HTML": tuple(
            multi(number, [leaf("text/html", b"<p>" + COVER.encode() + b"<img src='cid:1'>"), inline(image)], "related")
            for number, image in ((1, "cat"), (2, "dog"))
        ),
        "other text files": tuple(
            multi(number, [text(COVER), leaf("text/x-patch", content, "", "attachment")]) for number, content in ((1, b"+a\n"), (2, b"+b\n"))
        ),
        "other calendars beside a text": tuple(
            multi(number, [text(COVER), leaf("text/calendar", content)], "alternative") for number, content in ((1, b"DTSTART:1"), (2, b"DTSTART:2"))
        ),
        "nothing but attachments": (header(1, "application/pdf", "base64") + encoded(b"one", "base64"),) * 1
        + (header(2, "application/pdf", "base64") + encoded(b"two", "base64"),),
    }
    found = [
        Case("mail attachments", f"{name}, {form}", pair(a, b, form), ["dedup", "a.mbox"] if form == "mbox" else ["dedup", "a.eml", "b.eml"], kept=2)
        for name, (a, b) in pairs.items() for form in ("eml", "mbox")
    ]
    for threshold in ("0.1", "0.5", "1"):
        found.append(Case("mail attachments", f"at {threshold}", pair(*pairs["long texts"]), ["dedup", "a.eml", "b.eml", "-t", threshold], kept=2))
    for name in ("cluster", "dedup --measure containment -t 0.1", "dedup --method lexical", "dedup --method simhash", "dedup --keep longest"):
        found.append(Case(
            "mail attachments", name, pair(*pairs["long texts"]), [*name.split(), "a.eml", "b.eml"],
            check=lambda run: None if not run.summary.get("near_duplicate_pairs") and not sum(run.summary["removed"].values()) else "a pair",
        ))
    same = {
        "the same attachment": (multi(1, [text(COVER), one]), multi(2, [text(COVER), one], boundary="other")),
        "in another encoding": (multi(1, [text(COVER), one]), multi(2, [text(COVER), pdf("one contract", transfer="quoted-printable")])),
        "in another order": (multi(1, [text(COVER), one, other]), multi(2, [text(COVER), other, one])),
        "with CR LF": (multi(1, [text(COVER), leaf("text/csv", b"a\nb\n", "", "attachment")]), multi(2, [text(COVER), leaf("text/csv", b"a\nb\n", "", "attachment")]).replace(b"\n", b"\r\n")),
        "another signature": tuple(
            multi(number, [text(COVER), leaf("application/pgp-signature", signature)], "signed") for number, signature in ((1, b"abc"), (2, b"def"))
        ),
    }
    found += [Case("mail attachments", name, pair(a, b), ["dedup", "a.eml", "b.eml"], kept=1, removed={"identical": 1}) for name, (a, b) in same.items()]
    near = words(4, 300)
    found += [
        Case("mail attachments", "a near text with the same one", pair(multi(1, [text(near), one]), multi(2, [text(near + " more"), one])), ["dedup", "a.eml", "b.eml"], kept=1, removed={"near": 1}),
        Case("mail attachments", "ignored", pair(*pairs["other attachments"]), ["dedup", "a.eml", "b.eml", "--mail-attachments", "ignore"], kept=1, removed={"identical": 1}),
        Case("mail attachments", "no value", pair(*pairs["other attachments"]), ["dedup", "a.eml", "b.eml", "--mail-attachments", "no"], code=2, stderr=["compare"]),
        Case("mail attachments", "text: of files that cannot be read, digests", pair(*pairs["other attachments"]), ["dedup", "a.eml", "b.eml", "--mail-attachments", "text"], kept=2),
        Case("mail attachments", "text: of DOCX", pair(multi(1, [text("one"), docx(words(1))]), multi(2, [text("one"), docx(words(1) + " and")])), ["dedup", "a.eml", "b.eml", "--mail-attachments", "text"], kept=1, removed={"near": 1}),
        Case("mail attachments", "text: of other DOCX", pair(multi(1, [text(COVER), docx(words(1))]), multi(2, [text(COVER), docx(words(2))])), ["dedup", "a.eml", "b.eml", "--mail-attachments", "text"], kept=2),
        Case("mail attachments", "text: of an embedded message", pair(multi(1, [text("x"), rfc(words(1))]), multi(2, [text("x"), leaf("message/rfc822", header(9, "text/plain", subject="Re") + words(1).encode(), "base64", "attachment")])), ["dedup", "a.eml", "b.eml", "--mail-attachments", "text"], kept=1, removed={"lexically_equivalent": 1}),
        Case("mail attachments", "with boilerplate", pair(*pairs["long texts"]), ["dedup", "a.eml", "b.eml", "--boilerplate", "auto"], kept=2),
    ]
    copies = lambda change: pair(header(1) + COVER.encode(), (header(2, more="X-Spam-Score: 5\nList-Id: x") + COVER.encode()).replace(*change))
    found += [
        Case("mail headers", "of the transport", copies((b"relay", b"other")), ["dedup", "a.eml", "b.eml"], kept=1, removed={"identical": 1}),
        Case("mail headers", "a date in another zone", copies((b"10:00:00 +0000", b"11:00:00 +0100")), ["dedup", "a.eml", "b.eml"], kept=1, removed={"identical": 1}),
        Case("mail headers", "another subject", copies((b"Document", b"Invoice")), ["dedup", "a.eml", "b.eml"], kept=1, removed={"lexically_equivalent": 1}),
        Case("mail headers", "another date", copies((b"Mon, 23", b"Tue, 24")), ["dedup", "a.eml", "b.eml"], kept=1, removed={"lexically_equivalent": 1}),
    ]
    return found


STUB = "This message is in HTML format. Your mail program does not show HTML; please open it in a browser or use a client that does."


def alternative_cases() -> list:
    def message(number: int, plain: str, html: str, wrap: str = "") -> bytes:
        page = leaf("text/html; charset=utf-8", f"<html><body><p>{html}</p></body></html>".encode(), "quoted-printable")
        if wrap:
            page = nested([page, leaf("image/gif", b"logo", "base64", "inline")], wrap, "r")
        return multi(number, [text(plain), page], "alternative")

    both = lambda plain_a, html_a, plain_b, html_b, wrap="": pair(message(1, plain_a, html_a, wrap), message(2, plain_b, html_b, wrap))
    long_stub = "We attempted to deliver this message to you with HTML formatting. However, your e-mail program does not support it. " * 3
    cases = [
        ("a stub beside other pages", both(STUB, words(1), STUB, words(2)), 2),
        ("a long stub beside short pages", both(long_stub, "invoice 4711 of May", long_stub, "invoice 4712 of June, paid"), 2),
        ("a stub in related", both(STUB, words(1), STUB, words(2), "related"), 2),
        ("a stub that names nothing", both("Please visit our site.", words(1), "Please visit our site.", words(2)), 2),
        ("the beginning of other pages", both(words(5, 20), words(5, 20) + words(1), words(5, 20), words(5, 20) + words(2)), 2),
        ("a long text beside a short page", both(words(1, 300), "view in a browser", words(2, 300), "view in a browser"), 2),
        ("other stubs beside the same page", both(STUB, words(1), "MIME only: no HTML shown", words(1)), 1),
        ("a text that says the same", both(words(1), words(1) + " click", words(1), words(1) + " here"), 1),
        ("blank text", both(" \n", words(1), "\n", words(1)), 1),
    ]
    return [Case("mail alternatives", name, files, ["dedup", "a.eml", "b.eml"], kept=kept) for name, files, kept in cases]


def embedded_cases() -> list:
    def message(number: int, seed: int, how: str, kind: str = "message/rfc822") -> bytes:
        inner = header(9, "text/plain") + words(seed).encode()
        return multi(number, [text("For your information."), leaf(kind, inner, how)])

    def rooted(number: int, seed: int, how: str) -> bytes:
        body = b"--r\n" + text(words(seed)) + b"\n--r--\n"
        return header(number, 'multipart/mixed; boundary="r"', how) + encoded(body, how)

    found = []
    for how in ("base64", "quoted-printable", ""):
        for kind in ("message/rfc822", "message/global"):
            found.append(Case("mail embedded", f"{kind} {how or '7bit'}: differ", pair(message(1, 1, how, kind), message(2, 2, how, kind)), ["dedup", "a.eml", "b.eml"], kept=2))
            found.append(Case("mail embedded", f"{kind} {how or '7bit'}: the same", pair(message(1, 1, how, kind), message(2, 1, "", kind)), ["dedup", "a.eml", "b.eml"], kept=1, removed={"identical": 1}))
        found.append(Case("mail embedded", f"a multipart {how or '7bit'}", pair(rooted(1, 1, how), rooted(2, 2, how)), ["dedup", "a.eml", "b.eml"], kept=2, check=lambda run: None if run.summary["text_bytes"] > 600 else "no text"))
    wrong = message(1, 1, "").replace(b"message/rfc822\n", b"message/rfc822\nContent-Transfer-Encoding: base64\n")
    found.append(Case("mail embedded", "not encoded as it says", pair(wrong, message(2, 1, "")), ["dedup", "a.eml", "b.eml"], kept=1, removed={"identical": 1}))
    inner = multi(5, [text("inner"), leaf("message/rfc822", header(6) + words(2).encode(), "base64")])
    twice = lambda seed: multi(1, [text("outer"), leaf("message/rfc822", inner.replace(b"inner", words(seed).encode()), "base64")])
    found.append(Case("mail embedded", "twice", pair(twice(1), twice(2)), ["dedup", "a.eml", "b.eml"], kept=2, check=lambda run: None if run.summary["text_bytes"] > 900 else "inner text not read"))
    return found


CHARSETS = {
    "안녕하세요 오늘 회의 자료를 첨부합니다 확인 부탁드립니다": {"iso-2022-kr": "iso2022_kr", "ISO-2022-KR": "iso2022_kr", "ms949": "cp949", "x-windows-949": "cp949", "uhc": "cp949", "ks_c_5601-1987": "euc_kr", "johab": "johab", "cp1361": "johab"},
    "今日は会議の資料を送ります よろしくお願いします": {"cp932": "cp932", "iso-2022-jp-2": "iso2022_jp_2", "iso-2022-jp-3": "iso2022_jp_3", "x-sjis": "shift_jis", "utf-7": "utf_7"},
    "今天的会议资料已经附上 请大家查收": {"hz-gb-2312": "hz", "HZ": "hz", "gb18030": "gb18030", "cp936": "gbk", "utf-32": "utf_32", "utf-32le": "utf_32_le", "utf-16": "utf_16"},
    "今天的會議資料已經附上 請大家查收": {"big5-hkscs": "big5hkscs", "cp950": "cp950"},
    "Größe über Füße naïve café garçon": {"ibm850": "cp850", "cp437": "cp437", "858": "cp858", "latin-9": "latin9", "macintosh": "mac_roman", "ansi_x3.4-1968": "latin1"},
    "Привет как дела сегодня хорошая погода": {"win-1251": "cp1251", "ibm855": "cp855", "cp866": "cp866", "koi8-ru": "koi8_u", "x-mac-cyrillic": "mac_cyrillic", "windows1251": "cp1251"},
    "Zażółć gęślą jaźń": {"ibm852": "cp852", "cp-1250": "cp1250"},
    "Καλημέρα τι κάνεις σήμερα": {"cp737": "cp737", "ibm869": "cp869"},
    "שלום מה שלומך היום": {"cp862": "cp862", "logical": "iso8859_8"},
    "สวัสดีครับวันนี้": {"tis-620": "tis_620", "iso-8859-11": "iso8859_11"},
}


def charset_cases() -> list:
    found = []
    for content, names in CHARSETS.items():
        for name, codec in names.items():
            message = lambda number, data, charset: header(number, f'text/plain; charset="{charset}"', "base64") + encoded(data, "base64")
            files = pair(message(1, content.encode(), "utf-8"), message(2, content.encode(codec), name))
            found.append(Case("mail charsets", name, files, ["dedup", "a.eml", "b.eml"], kept=1, removed={"identical": 1}, problems=0))
            if name not in ("utf-7", "utf-32", "utf-32le", "utf-16", "ansi_x3.4-1968"):
                page = lambda data, charset: f'<meta charset="{charset}"><p>'.encode() + data
                found.append(Case("HTML charsets", name, {"a.html": page(content.encode(), "utf-8"), "b.html": page(content.encode(codec), name)}, ["dedup", "a.html", "b.html"], kept=1))
    plain = lambda number, data, charset: header(number, f"text/plain; charset={charset}", "8bit") + data
    found += [
        Case("mail charsets", "one that cannot be decoded is named", {"a.eml": plain(1, "Καλημέρα".encode("mac_greek"), "x-mac-greek"), "b.eml": plain(2, b"one", "viscii")}, ["dedup", "a.eml", "b.eml"], kept=1, problems=1,
             check=lambda run: None if "x-mac-greek" in run.table("problems")[0]["message"] else "no name"),
        Case("mail charsets", "no charset at all", pair(plain(1, "café crème".encode("latin1"), "default"), plain(2, "café crème".encode(), "utf-8")), ["dedup", "a.eml", "b.eml"], kept=1, problems=0),
        Case("mail charsets", "UTF-8 under another name", pair(plain(1, "café crème".encode(), "iso-8859-1"), plain(2, "café crème".encode(), "utf-8")), ["dedup", "a.eml", "b.eml"], kept=1, problems=0),
    ]
    return found


def field_cases() -> list:
    subject = "Größe: 今天下午三点在会议室开会 请各位准时参加 讨论新的项目计划"

    def cut(charset: str, codec: str, how: str, size: int) -> str:
        data = subject.encode(codec, errors="ignore")
        pieces = [data[at:at + size] for at in range(0, len(data), size)]
        if how == "B":
            inner = [base64.b64encode(piece).decode() for piece in pieces]
        else:
            inner = ["".join(f"={byte:02X}" for byte in piece) for piece in pieces]
        return "\n ".join(f"=?{charset}?{how}?{piece}?=" for piece in inner)

    found = []
    for charset, codec, how, size in (("utf-8", "utf-8", "B", 17), ("UTF-8", "utf-8", "Q", 13), ("gb2312", "gb2312", "B", 5), ("gb18030", "gb18030", "q", 3), ("iso-2022-jp", "iso2022_jp_ext", "B", 200)):
        base = header(1, subject=cut(charset, codec, how, 10_000)) + words(1).encode()
        split = header(2, subject=cut(charset, codec, how, size)) + words(2).encode()
        found.append(Case("mail encoded words", f"{charset} {how} {size}", pair(base, split), ["dedup", "a.eml", "b.eml", "--text-field", "subject"], kept=1, removed={"identical": 1}))
    plain = header(1) + words(1).encode()
    for mark, name in ((b"\xef\xbb\xbf" + plain, "UTF-8"), (b"\xff\xfe" + plain.decode().encode("utf-16-le"), "UTF-16LE"), (b"\xfe\xff" + plain.decode().encode("utf-16-be"), "UTF-16BE")):
        found.append(Case("mail byte order mark", name, pair(mark, header(2) + words(1).encode()), ["dedup", "a.eml", "b.eml"], kept=1, removed={"identical": 1}, problems=0))
    content = "今天的会议资料已经附上请大家查收"
    flowed = lambda number, body: header(number, "text/plain; charset=utf-8; format=flowed; DelSp=yes", "8bit") + body.encode()
    found.append(Case("mail DelSp", "words that were cut", pair(flowed(1, f"{content[:5]} \n{content[5:9]} \n{content[9:]}\n"), header(2, "text/plain; charset=utf-8", "8bit") + f"{content}\n".encode()), ["dedup", "a.eml", "b.eml"], kept=1, removed={"identical": 1}))
    return found


CASES = attachment_cases() + alternative_cases() + embedded_cases() + charset_cases() + field_cases()
