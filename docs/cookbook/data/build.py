#!/usr/bin/env python3
"""Makes the files of this directory from the project's samples; run it again after changing it. Standard library only,
and pyarrow for corpus/docs.parquet.

    python3 docs/cookbook/data/build.py

* october.warc.gz, november.warc.gz: two crawls of docs.example.org, a site of crate documentation (samples/documentation.jsonl.gz)
  with a navigation and a footer on every page and forty pages of one sentence each (samples/descriptions.csv), and of mirror.example.net, which shows
  sixteen of its pages in a template of its own. In November some pages have changed, one has moved, one is gone and one is new; changes.tsv says which.
* inbox.mbox: a mailbox of announcements (texts of READMEs), replies that quote them, and a spam campaign of 24 variants; labels.tsv
  names the campaign.
* corpus/: a curated source (wiki), two files of a crawl that has some of the same texts, and a third source in Parquet (docs); records have
  nested fields. And a file that is no text.
* legal/: an ODT, a DOCX and a PDF document, each with the text of one or two licences.

Every text is from samples/ (see its README for origin and licences) or written for this file.
"""
import csv
import gzip
import html
import io
import json
import random
import re
import textwrap
import zipfile
from email.message import EmailMessage
from email.utils import format_datetime
from datetime import datetime, timedelta, timezone
from pathlib import Path

HERE = Path(__file__).resolve().parent
SAMPLES = HERE.parents[2] / "samples"
LEGAL = HERE / "legal"
SITE, MIRROR = "https://docs.example.org", "https://mirror.example.net"


def documentation() -> list:
    with gzip.open(SAMPLES / "documentation.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def page(title: str, text: str, names: list) -> str:
    """A page as the site serves it: navigation, text, footer."""
    links = "".join(f'<li><a href="/{other}">{other}</a></li>' for other in names)
    body = "".join(f"<p>{html.escape(part)}</p>\n" for part in text.split("\n\n"))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>\n<body>\n'
        f"<nav><h2>All crates of this documentation</h2><ul>{links}</ul></nav>\n<main><h1>{title}</h1>\n{body}</main>\n"
        "<footer><p>These pages are made from the comments of the source. Found a mistake? Every page has a link to its source; "
        "send a change to the authors of the crate, not to this site. Texts are under the licence of the crate that they are from.</p>"
        "</footer></body></html>\n"
    )


def mirrored(title: str, text: str) -> str:
    """The same text as the mirror serves it."""
    body = "".join(f"<p>{html.escape(part)}</p>\n" for part in text.split("\n\n"))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title} - free documentation</title></head>\n<body>\n'
        "<header><p>Free documentation for everybody. Read it here, download it as one file, or have it sent to you once a week. "
        "Home. Search. All languages. Most read today. Sign in. Help. Imprint. Your choice of cookies.</p></header>\n"
        f"<h1>{title}</h1>\n{body}"
        "<aside><p>Others also read these pages: a guide to the command line, twenty tricks for faster builds, and what is new this month. "
        "Subscribe to our letter and never miss a page. This mirror is not connected with the authors of the texts.</p></aside></body></html>\n"
    )


def record(kind: str, url: str, date: str, number: int, block: bytes, content: str) -> bytes:
    head = [
        "WARC/1.1", f"WARC-Type: {kind}", f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{number:012x}>", f"WARC-Date: {date}",
        *([f"WARC-Target-URI: {url}"] if url else []), f"Content-Type: {content}", f"Content-Length: {len(block)}",
    ]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + block + b"\r\n\r\n"


def response(body: str, status: str = "200 OK") -> bytes:
    data = body.encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(data)}\r\n\r\n"
    return head.encode() + data


def crawl(path: Path, date: str, pages: dict, first: int) -> None:
    """One gzip member for each record, as crawlers write them."""
    out = io.BytesIO()
    records = [record("warcinfo", "", date, first, b"software: docs/cookbook/data/build.py\r\n", "application/warc-fields")]
    for number, (url, body) in enumerate(pages.items(), first + 1):
        records.append(record("request", url, date, first + 5000 + number, b"GET / HTTP/1.1\r\n\r\n", "application/http;msgtype=request"))
        records.append(record("response", url, date, number, response(body), "application/http;msgtype=response"))
    gone = response("<h1>Not found</h1><p>There is no such page.</p>", "404 Not Found")
    records.append(record("response", f"{SITE}/nothing", date, first + 4000, gone, "application/http;msgtype=response"))
    for one in records:
        out.write(gzip.compress(one, 9, mtime=0))
    path.write_bytes(out.getvalue())


def crawls() -> None:
    crates = {}
    for one in documentation():
        crates.setdefault(one["crate"], one["text"])
    names = sorted(crates)[:44]
    with open(SAMPLES / "descriptions.csv", encoding="utf-8", newline="") as rows:
        about = {row["crate"]: row["text"] for row in csv.DictReader(rows)}
    links = names[:-1]
    short = {f"{SITE}/about/{name}": page(name, about[name], links) for name in sorted(about)[:40]}
    copies = {f"{MIRROR}/read/{name}.html": mirrored(name, crates[name]) for name in names[:16]}
    new, gone, moved, changed = names[-1], names[5], names[9], names[20:26]
    october = {f"{SITE}/{name}": page(name, crates[name], links) for name in links} | short | copies
    november, changes = {}, []
    for name in names:
        url = f"{SITE}/{name}"
        text = crates[name]
        kind = "same"
        if name == gone:
            changes.append((url, "gone", ""))
            continue
        if name == new:
            kind = "new"
        if name == moved:
            kind, url = "moved", f"{SITE}/archive/{name}"
        if name in changed:
            kind = "changed"
            text = text.replace("This crate", "This package").replace("Example", "Worked example") + "\n\nSince this release the minimum version of the compiler is 1.85."
        november[url] = page(name, text, links)
        changes.append((url, kind, f"{SITE}/{name}" if kind == "moved" else ""))
    crawl(HERE / "october.warc.gz", "2026-10-01T06:00:00Z", october, 1)
    crawl(HERE / "november.warc.gz", "2026-11-01T06:00:00Z", november | short | copies, 10_001)
    rows = ["url\tchange\tfrom", *("\t".join(row) for row in changes)]
    (HERE / "changes.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")


OFFER = (
    "Dear {name}, you have been chosen for our {adjective} home office programme. {filler} Earn up to {sum} a week from your own table, "
    "without experience and without leaving the house. All you need is a telephone and two hours a day. {filler2} More than {count} people in "
    "your town have already joined, and the first month costs you nothing. Answer this message before {day} to reserve your place; places are "
    "given in the order of the answers. If you do not wish to hear from us again, answer with the word stop. The programme office, {place}."
)
WORDS = "river lamp orchard signal copper window gravel ticket meadow harbour lantern saddle pepper island violin anchor".split()


def mailbox() -> None:
    rng = random.Random(7)
    clock = datetime(2026, 11, 2, 7, 30, tzinfo=timezone.utc)
    messages, labels = [], []

    def add(sender: str, subject: str, text: str, label: str, alternative: str | None = None) -> None:
        nonlocal clock
        clock += timedelta(minutes=rng.randint(3, 90))
        one = EmailMessage()
        one["From"], one["To"], one["Subject"] = sender, "list@lists.example.org", subject
        one["Date"] = format_datetime(clock)
        one["Message-ID"] = f"<{len(messages):03}@mx.example.org>"
        one.set_content(text, cte="8bit")
        if alternative:
            one.add_alternative(alternative, subtype="html", cte="8bit")
        if one.is_multipart():
            one.set_boundary(f"=-=-{len(messages):03}")
        messages.append(one.as_bytes())
        labels.append((f"{len(messages) - 1:03}@mx.example.org", label))

    readmes = []
    with open(SAMPLES / "crates.jsonl", encoding="utf-8") as lines:
        readmes = [one for one in map(json.loads, lines) if one["file"].lower() == "readme.md" and 600 < len(one["text"]) < 3000]
    for one in readmes[:40]:
        text = one["text"]
        add("Release robot <robot@example.org>", f"[ANN] {one['crate']} {one['version']}", text, "ham")
        if rng.random() < 0.4:
            quoted = "\n".join("> " + line for line in text.splitlines())
            add("Ann Example <ann@example.org>", f"Re: [ANN] {one['crate']} {one['version']}",
                f"Release robot wrote:\n{quoted}\n\nThank you, this works for us since {rng.choice(WORDS)} {rng.randint(2, 30)}.\n-- \nAnn Example\nExample Street 1\n", "ham")
        if rng.random() < 0.6:
            salad = " ".join(rng.sample(WORDS, 6))
            offer = OFFER.format(
                name=rng.choice(["friend", "customer", "neighbour", "reader"]), adjective=rng.choice(["new", "well-known", "exclusive"]),
                filler=salad.capitalize() + ".", filler2=" ".join(rng.sample(WORDS, 5)).capitalize() + ".", sum=f"{rng.randint(8, 30)}00 euros",
                count=rng.randint(100, 900), day=rng.choice(["Monday", "Friday", "Sunday"]), place=rng.choice(["Springfield", "Newtown", "Riverside"]),
            )
            page = f"<html><body><p>{offer}</p></body></html>" if rng.random() < 0.5 else None
            add(f"Office <office{rng.randint(1, 99)}@offers.example>", rng.choice(["Your place is reserved", "Work from home", "An answer is needed"]), offer, "spam", page)
    box = []
    for raw in messages:
        lines = raw.splitlines()
        box += [b"From robot@example.org Mon Nov  2 07:30:00 2026", *((b">" + line if line.lstrip(b">").startswith(b"From ") else line) for line in lines), b""]
    (HERE / "inbox.mbox").write_bytes(b"\n".join(box) + b"\n")
    (HERE / "labels.tsv").write_text("id\tclass\n" + "".join(f"{name}\t{label}\n" for name, label in labels), encoding="utf-8")


def archive(path: Path, members: dict) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, text in members.items():
            out.writestr(zipfile.ZipInfo(name, (2026, 11, 1, 0, 0, 0)), text)


def office() -> None:
    LEGAL.mkdir(exist_ok=True)
    with open(SAMPLES / "crates.jsonl", encoding="utf-8") as lines:
        licence = next(one["text"] for one in map(json.loads, lines) if one["file"] == "LICENSE-MIT")
    paragraphs = [html.escape(part.replace("\n", " ")) for part in licence.split("\n\n") if part.strip()]
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    archive(LEGAL / "notice.docx", {
        "[Content_Types].xml": '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
        "_rels/.rels": '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="{word}"><w:body>' + "".join(f"<w:p><w:r><w:t>{part}</w:t></w:r></w:p>" for part in paragraphs) + "</w:body></w:document>",
    })
    text = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
    office_ns = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
    archive(LEGAL / "contract.odt", {
        "mimetype": "application/vnd.oasis.opendocument.text",
        "content.xml": f'<?xml version="1.0" encoding="UTF-8"?><office:document-content xmlns:office="{office_ns}" xmlns:text="{text}" office:version="1.2"><office:body><office:text><text:p>Annex B of the contract: licence of a component.</text:p>' + "".join(f"<text:p>{part}</text:p>" for part in paragraphs) + "</office:text></office:body></office:document-content>",
        "META-INF/manifest.xml": '<?xml version="1.0"?><manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.text"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>',
    })


PREAMBLE = (
    "THIRD-PARTY SOFTWARE NOTICES AND INFORMATION",
    "The product includes components under the licences below. Each is given in full, after the name of the component that it belongs to. "
    "Nothing in this document limits a right that one of these licences grants.",
)


def pdf() -> None:
    """Third-party notices as a product ships them: two licences one after the other, as a plain PDF of 60 lines a page."""
    with open(SAMPLES / "crates.jsonl", encoding="utf-8") as lines:
        texts = {one["id"]: one["text"] for one in map(json.loads, lines)}
    parts = list(PREAMBLE)
    for name in ("bytes-1.12.1/LICENSE", "alloc-no-stdlib-2.0.4/LICENSE"):
        parts += [f"Component: {name.split('/')[0]}", *texts[name].split("\n\n")]
    lines = [line for part in parts for line in (*textwrap.wrap(part, 90), "")]
    pages = [lines[first:first + 60] for first in range(0, len(lines), 60)]
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"]
    kids = []
    for page_lines in pages:
        shown = "".join("(" + re.sub(r"([\\()])", r"\\\1", line) + ") Tj T*\n" for line in page_lines)
        stream = f"BT /F1 10 Tf 12 TL 56 780 Td\n{shown}ET"
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents {len(objects) + 2} 0 R >>",
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        ]
        kids.append(f"{len(objects) - 1} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    out, places = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"
    (LEGAL / "third-party-notices.pdf").write_bytes(out.encode("ascii"))


def corpus() -> None:
    """READMEs as a curated source, others and some of the same as a crawl, crate documentation as a third; records have nested fields."""
    folder = HERE / "corpus"
    folder.mkdir(exist_ok=True)
    with open(SAMPLES / "crates.jsonl", encoding="utf-8") as lines:
        readmes = [one for one in map(json.loads, lines) if "readme" in one["file"].lower()]
    rng = random.Random(11)

    def nested(texts: list, source: str) -> list:
        return [
            {
                "doc": {"id": f"{source}-{number:03}", "text": one["text"]},
                "meta": {"source": source, "url": one["url"], "date": one.get("date", "2026-01-01")},
                "scores": {"quality": f"{rng.randint(30, 99) / 100:.2f}"},
            }
            for number, one in enumerate(texts)
        ]

    def jsonl(records: list) -> bytes:
        return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records).encode()

    found = readmes[50:]
    rng.shuffle(found)
    crawled = nested(found, "crawl")
    for name, records in (("wiki", nested(readmes[:110], "wiki")), ("crawl-0", crawled[:60]), ("crawl-1", crawled[60:])):
        (folder / f"{name}.jsonl.gz").write_bytes(gzip.compress(jsonl(records), 9, mtime=0))
    (folder / "logo.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><circle cx="4" cy="4" r="3"/></svg>\n')
    guides = nested(documentation(), "docs")
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        print("docs.parquet is left as it is: making it needs pyarrow")
        return
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(guides), folder / "docs.parquet", compression="zstd")


crawls()
mailbox()
corpus()
office()
pdf()
