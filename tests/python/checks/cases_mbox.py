"""Whole-run cases of mail containers: mbox, tar archives one after the other, quotations of mail clients."""
import gzip
import io
import tarfile

from checks.cases import Case

DATE = "Mon Nov 23 22:30:17 2026"
WORDS = "minutes of the meeting about the new building and its rooms for guests who come by train in winter".split()


def prose(number: int, words: int = 40) -> str:
    """A text that shares no shingles with those of other numbers."""
    return " ".join(f"{WORDS[(at * number + at // 3) % len(WORDS)]}{number}" for at in range(words))


def mail(number: int, body: str, *fields: str) -> str:
    header = ["From: ann@a.example", "Subject: Hello", f"Message-ID: <{number}@a.example>", *fields]
    return "\n".join(header) + f"\n\n{body}\n"


def boxed(*messages: str, gap: str = "\n", separator: str = f"From ann@a.example {DATE}") -> str:
    return gap.join(f"{separator}\n{message}" for message in messages)


def tar(*members: tuple) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content.encode())
            archive.addfile(info, io.BytesIO(content.encode()))
    return out.getvalue()


def mbox_cases() -> list:
    start = prose(1)
    inner = [mail(n, f"{start}\n\nFrom {what}\nNote: {prose(n)}") for n, what in ((2, "now on the office is closed."), (3, "here"))]
    same = [mail(1, prose(1)), mail(2, prose(1)), mail(3, prose(3))]
    plain = boxed(*same, gap="")
    pipermail = boxed(*same, separator=f"From ann at a.example  {DATE}")
    forwarded = f"{prose(5)}\n\nFrom bob@b.example {DATE}\nSubject: quoted\n\n{prose(6)}\n"
    long = mail(9, forwarded.strip("\n"), f"Content-Length: {len(forwarded)}")
    return [
        Case("mbox", "text that starts with From does not cut", {"box.mbox": boxed(*inner)}, ["dedup", "box.mbox"], kept=2, removed={}, problems=0),
        Case("mbox", "no blank lines between messages", {"box.mbox": plain}, ["dedup", "box.mbox"], kept=2, removed={"identical": 1}, problems=0),
        Case("mbox", "no blank lines, CR LF, one thread", {"box.mbox": plain.replace("\n", "\r\n")}, ["dedup", "box.mbox", "-j", "1"], kept=2, removed={"identical": 1}),
        Case("mbox", "no blank lines, compressed", {"box.mbox.gz": gzip.compress(plain.encode())}, ["dedup", "box.mbox.gz"], kept=2, removed={"identical": 1}),
        Case("mbox", "no blank lines, in an archive", {"a.tar": tar(("box.mbox", plain))}, ["dedup", "a.tar"], kept=2, removed={"identical": 1}),
        Case("mbox", "no blank lines, standard input", {}, ["dedup", "-", "--input-format", "mbox"], stdin=plain, kept=2, removed={"identical": 1}),
        Case("mbox", "Netscape's separators", {"Inbox": boxed(*same, gap="", separator=f"From - {DATE}")}, ["dedup", "Inbox"], kept=2, removed={"identical": 1}),
        Case("mbox", "separators without a date after blank lines", {"box.mbox": boxed(*same, separator="From ann@a.example")}, ["dedup", "box.mbox"], kept=2, removed={"identical": 1}),
        Case("mbox", "a length that is right", {"box.mbox": boxed(long, mail(1, prose(1)))}, ["dedup", "box.mbox"], kept=2, removed={}),
        Case("mbox", "a length that is wrong", {"box.mbox": boxed(mail(1, prose(1), "Content-Length: 9"), mail(2, prose(1)))}, ["dedup", "box.mbox"], kept=1, removed={"identical": 1}),
        Case("mbox", "the archive of a mailing list", {"2024-January.txt": pipermail}, ["dedup", "2024-January.txt"], kept=2, removed={"identical": 1}),
        Case("mbox", "the compressed archive of a mailing list, in a folder", {"list/2024-January.txt.gz": gzip.compress(pipermail.encode())}, ["dedup", "list"], kept=2, removed={"identical": 1}),
        Case("mbox", "a text is a text", {"a.txt": f"From now on\nNote: {start}", "b.txt": prose(2)}, ["dedup", "a.txt", "b.txt"], kept=2, removed={}),
    ]


def tar_cases() -> list:
    a, b = tar(("a.txt", prose(1)), ("b.txt", prose(2))), tar(("c.txt", prose(1)), ("d/" * 80 + "d.txt", prose(4)))
    # Two members of one block each, without what ends the archive.
    bare = a[:2048]
    right = {"kept": 3, "removed": {"identical": 1}, "problems": 0}
    return [
        Case("tar", "one after the other", {"x.tar": a + b}, ["dedup", "x.tar"], **right),
        Case("tar", "compressed together", {"x.tar.gz": gzip.compress(a + b)}, ["dedup", "x.tar.gz"], **right),
        Case("tar", "compressed one by one", {"x.tgz": gzip.compress(a) + gzip.compress(b)}, ["dedup", "x.tgz"], **right),
        Case("tar", "a lone block of zeros", {"x.tar": bare + bytes(512) + b}, ["dedup", "x.tar"], **right),
        Case("tar", "long padding", {"x.tar": a + bytes(2 << 20) + b + bytes(20480)}, ["dedup", "x.tar"], **right),
        Case("tar", "the second one is cut off", {"x.tar": a + b[:700]}, ["dedup", "x.tar"], code=1, stderr=["damaged"]),
        Case("tar", "something else follows", {"x.tar": a + b"no archive" * 100}, ["dedup", "x.tar"], code=1, stderr=["behind the end of the archive"]),
        Case("tar", "something else follows, skipped", {"x.tar": a + b"no archive" * 100}, ["dedup", "x.tar", "--skip-unreadable"], kept=2, removed={}, problems=1),
        Case("tar", "no compressed data follow", {"x.tar.gz": gzip.compress(a) + b}, ["dedup", "x.tar.gz"], code=1, stderr=["not compressed"]),
    ]


QUOTES = {
    "Outlook": "________________________________\nFrom: Bob <bob@b.example>\nSent: Monday, November 23, 2026 10:01 AM\nTo: Ann\nSubject: Contract\n\n{}",
    "Outlook without a line": "From: Bob <bob@b.example>\nSent: Monday, November 23, 2026 10:01 AM\nTo: Ann <ann@a.example>; Carl\n <carl@c.example>\nCc: Dora\nSubject: RE: Contract\n\n{}",
    "German": "________________________________\nVon: Bob <bob@b.example>\nGesendet: Montag, 23. November 2026 10:01\nAn: Ann\nBetreff: Vertrag\n\n{}",
    "French": "De : Bob <bob@b.example>\nEnvoy\u00e9 : lundi 23 novembre 2026 10:01\n\u00c0 : Ann\nObjet : Contrat\n\n{}",
    "Spanish": "De: Bob <bob@b.example>\nEnviado: lunes, 23 de noviembre de 2026 10:01\nPara: Ann\nAsunto: Contrato\n\n{}",
    "bold, in two lines each": "*From:* Bob <bob@b.example>\n\n*Sent:* Monday, November 23, 2026 10:01 AM\n\n*To:* Ann\n\n*Subject:* Contract\n\n{}",
    "Outlook 2003": "-----Original Message-----\nFrom: Bob\n\n{}",
    "Dutch": "Van: Bob\nVerzonden: maandag 23 november 2026 10:01\nAan: Ann\nOnderwerp: Contract\n\n{}",
    "Gmail": "On Mon, Nov 23, 2026 at 10:01 AM Bob Miller <bob@b.example> wrote:\n\n> {}",
    "Gmail, wrapped": "On Mon, Nov 23, 2026 at 10:01 AM Bob Miller\n<bob@b.example> wrote:\n\n> {}",
    "Gmail, Russian": "\u043f\u043d, 23 \u043d\u043e\u044f\u0431. 2026 \u0433. \u0432 10:01, Bob <bob@b.example>:\n\n> {}",
    "Apple Mail": "On Nov 23, 2026, at 10:01 AM, Bob <bob@b.example> wrote:\n\n{}",
    "Yahoo": "On Monday, November 23, 2026 at 10:01:12 AM GMT+1, Bob <bob@b.example> wrote:\n\n{}",
    "Lotus Notes": "Bob Miller\n11/23/2026 10:01 AM\n\nTo: Ann/HOU\ncc:\nSubject: Contract\n\n{}",
    "Lotus Notes, wrote on": "Bob Miller/HOU wrote on 11/23/2026 10:01:12 AM:\n\n{}",
}
HTML_QUOTES = {
    "Gmail": '<div class="gmail_quote"><div class="gmail_attr">On Mon, Bob wrote:</div><blockquote>{}</blockquote></div>',
    "Apple Mail": '<div>On Nov 23, 2026, at 10:01, Bob &lt;b@b.example&gt; wrote:</div><blockquote type="cite">{}</blockquote>',
    "Outlook": '<hr><div id="divRplyFwdMsg"><b>From:</b> Bob &lt;b@b.example&gt;<br><b>Sent:</b> Monday, November 23, 2026 10:01 AM<br><b>To:</b> Ann<br><b>Subject:</b> Contract</div><p>{}</p>',
    "Yahoo": '<div id="ydp77yahoo_quoted_1" class="ydp77yahoo_quoted"><div>{}</div></div>',
    "Thunderbird": '<div class="moz-cite-prefix">Bob wrote:<br></div><blockquote type="cite" cite="mid:1@b">{}</blockquote>',
}
FORWARDS = {
    "Gmail": "---------- Forwarded message ---------\nFrom: Bob <bob@b.example>\nDate: Mon, Nov 23, 2026 at 10:01 AM\nSubject: Contract\nTo: Ann\n\n{}",
    "nothing of its own": None,
}
NO_QUOTES = {
    "an itinerary": "From: Berlin\nDate: 23 November 2026 10:01\nTo: Paris\n\n{}",
    "a digest": "-----------------\nFrom: Bob <bob@b.example>\nSubject: one\nDate: Mon, 23 Nov 2026 10:01:00 +0000\n\n{}",
    "a copied header": "Message-ID: <1@b.example>\nFrom: Bob <bob@b.example>\nDate: Mon, 23 Nov 2026 10:01:00 +0000\nTo: Ann\nSubject: one\n\n{}",
    "a list below a line": "________________________________\n{}",
    "a sentence": "On Monday the president wrote:\n\n{}",
}


def quote_cases() -> list:
    plain, html = "Content-Type: text/plain; charset=utf-8", "Content-Type: text/html; charset=utf-8"
    drop, cases = ["--mail-quotes", "drop"], []
    own = prose(1)

    def pair(kind: str, name: str, made, **expected) -> Case:
        files = {f"{n}.eml": made(n) for n in (2, 3)}
        return Case(kind, name, files, ["dedup", *files, *drop], problems=0, **expected)

    for name, quote in QUOTES.items():
        cases.append(pair("mail-quotes", name, lambda n, quote=quote: mail(n, f"{own}\n\n{quote.format(prose(n))}", plain), kept=1))
    for name, quote in HTML_QUOTES.items():
        cases.append(pair("mail-quotes", f"HTML of {name}", lambda n, quote=quote: mail(n, f"<p>{own}</p>{quote.format(prose(n))}", html), kept=1))
    for name, text in NO_QUOTES.items():
        cases.append(pair("mail-quotes", f"no quotation: {name}", lambda n, text=text: mail(n, f"{own}\n\n{text.format(prose(n))}", plain), kept=2, removed={}))
    outlook = QUOTES["Outlook"]
    cases += [
        pair("mail-quotes", "forwarded by Gmail", lambda n: mail(n, f"{own}\n\n{FORWARDS['Gmail'].format(prose(n))}", plain), kept=2, removed={}),
        pair("mail-quotes", "forwarded by Outlook without a word", lambda n: mail(n, outlook.format(prose(n)), plain), kept=2, removed={}),
        pair("mail-quotes", "forwarded by its subject", lambda n: mail(n, f"{own}\n\n{outlook.format(prose(n))}", plain).replace("Subject: Hello", "Subject: FW: Hello"), kept=2, removed={}),
        pair("mail-quotes", "forwarded by Gmail, HTML", lambda n: mail(n, f"<p>{own}</p><div class=gmail_quote>---------- Forwarded message ---------<p>{prose(n)}</div>", html), kept=2, removed={}),
    ]
    files = {f"{n}.eml": mail(n, f"{own}\n\n{outlook.format(prose(n))}", plain) for n in (2, 3)}
    cases.append(Case("mail-quotes", "kept unless they are dropped", files, ["dedup", *files], kept=2, removed={}))
    return cases


CASES = mbox_cases() + tar_cases() + quote_cases()
