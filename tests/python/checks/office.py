"""DOCX, ODT and EPUB files beside the same texts as files; encrypted, damaged and hostile ones."""
import io
import zipfile
from unicodedata import normalize
from urllib.parse import quote
from xml.sax.saxutils import escape

from checks.harness import Checks, summary_of, table_of
from checks.inputs import texts


def docx(text: str) -> bytes:
    runs = "".join(f"<w:r><w:t xml:space='preserve'>{escape(text[at:at + 7])}</w:t></w:r>" for at in range(0, len(text), 7))
    body = f"<w:p>{runs}<w:del><w:r><w:delText>deleted</w:delText></w:r></w:del></w:p>"
    return packed("word/document.xml", f"<?xml version='1.0'?><w:document xmlns:w='w'><w:body>{body}</w:body></w:document>")


def odt(text: str) -> bytes:
    lines = "".join(f"<text:p><text:span>{escape(line)}</text:span></text:p>" for line in text.split("\n"))
    return packed("content.xml", f"<?xml version='1.0'?><office:document-content xmlns:office='o' xmlns:text='t'>{lines}</office:document-content>")


def epub(text: str, number: int = 0) -> bytes:
    """A book of EPUB 2 or 3 with the text in several documents, and what is not its text."""
    words, per = text.split(), 1 + number % 40
    prefix, folder = ("", "opf:")[number % 2], ("", "OEBPS/", "a b/ü/")[number % 3]
    parts = [" ".join(words[at:at + per]) for at in range(0, len(words), per)] or [""]
    names = [f"text/part {len(parts) - at}&{'é' * (at % 3)}.xhtml" for at in range(len(parts))]
    title = ("<title/>", "<title>A title</title>", "<title>t</title><script src='x.js'/>")[number % 3]
    nav = "<html xmlns='http://www.w3.org/1999/xhtml'><body><nav>Contents are here and not compared</nav></body></html>"
    items = "".join(f"<{prefix}item id=' i{at}' href='{quote(name)}' media-type='application/xhtml+xml'/>" for at, name in enumerate(names))
    # A file of data that stands for the first page, which is its fallback.
    items += f"<{prefix}item id='data' href='data.json' media-type='{('image/png', 'application/json')[number % 2]}' fallback='i0'/>"
    refs = "".join(f"<{prefix}itemref idref='i{at}'{' linear=' + chr(34) + 'no' + chr(34) if at % 5 == 4 else ''}/>" for at in range(len(parts)))
    refs = refs.replace("'i0'", ("'i0'", "'data'")[number % 7 == 0])
    manifest = f"<{prefix}manifest>{items}" \
        f"<{prefix}item id='nav' href='nav.xhtml' properties='scripted nav' media-type='application/xhtml+xml'/>" \
        f"<{prefix}item id='cover' href='cover.svg' media-type='image/svg+xml'/><{prefix}item id='gone' href='gone.xhtml'/></{prefix}manifest>"
    spine = f"<{prefix}spine toc='ncx'><{prefix}itemref idref='cover'/><{prefix}itemref idref='nav'/><{prefix}itemref idref='gone'/>" \
        f"<{prefix}itemref idref='unknown'/>{refs}</{prefix}spine>"
    pdf = "<c:rootfile full-path='book.pdf' media-type='application/pdf'/>"
    files = {
        "mimetype": ("application/epub+zip", "application/zip")[number % 2],
        "META-INF/container.xml": "<?xml version='1.0'?><c:container xmlns:c='urn:oasis:names:tc:opendocument:xmlns:container'><c:rootfiles>"
        f"{('', pdf)[number % 3 == 1]}<c:rootfile full-path='{('', '/', './')[number % 3]}{folder}content.opf' media-type='application/oebps-package+xml'/>"
        "</c:rootfiles></c:container>",
        f"{folder}content.opf": f"<?xml version='1.0'?><!DOCTYPE {prefix}package><{prefix}package xmlns='o' xmlns:opf='o'><title>A & B</title>"
        f"{(manifest + spine, spine + manifest)[number % 11 == 0]}</{prefix}package>", "book.pdf": "%PDF", f"{folder}data.json": "[\"not the text\"]",
        f"{folder}nav.xhtml": nav, f"{folder}cover.svg": "<svg><text>no text</text></svg>",
        f"{folder}unlisted.xhtml": "<html><body>this page is in no list</body></html>",
        "META-INF/encryption.xml": ENCRYPTION % "http://www.idpf.org/2008/embedding",
    }
    for name, part in zip(names, parts):
        page = (escape(part).replace(" ", "&nbsp;" if number % 4 == 0 else " "), f"<![CDATA[{part}]]>")[number % 5 == 1 and "]]>" not in part]
        files[folder + (name, normalize("NFD", name))[number % 2]] = f"<?xml version='1.0' encoding='utf-8'?><!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.1//EN' 'x.dtd'>" \
            f"<html xmlns='http://www.w3.org/1999/xhtml'><head>{title}</head><body><p>{page}</p></body></html>"
    return zipped(files)


# EPUB: what is encrypted, by which algorithm; the key of the book is encrypted too.
ENCRYPTION = "<encryption xmlns:e='x'><e:EncryptedData><e:EncryptionMethod Algorithm='%s'/><KeyInfo><e:EncryptedKey><e:EncryptionMethod " \
    "Algorithm='rsa'/></e:EncryptedKey></KeyInfo><e:CipherReference URI='f.otf'/></e:EncryptedData></encryption>"


def changed(book: bytes, **files) -> bytes:
    """A book with other files, whose names have _ for the last /; those of None are left out."""
    with zipfile.ZipFile(io.BytesIO(book)) as archive:
        inside = {name: archive.read(name) for name in archive.namelist()}
    inside.update({name.replace("_", "/").replace("META/", "META-INF/") + (".xml" if "META" in name else ".opf"): data for name, data in files.items()})
    return zipped({name: data for name, data in inside.items() if data is not None})


def zipped(files: dict) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def packed(name: str, xml: str, method=zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(name, xml)
    return out.getvalue()


def office(c: Checks) -> None:
    folder = c.work / "office"
    for name in ("docx", "odt", "epub", "txt", "bad"):
        (folder / name).mkdir(parents=True)
    for number, text in enumerate(texts(51, 80)):
        text = "".join(letter for letter in text if letter >= " " or letter == "\n")
        (folder / f"docx/{number}.docx").write_bytes(docx(text))
        (folder / f"odt/{number}.odt").write_bytes(odt(text))
        (folder / f"epub/{number}.epub").write_bytes(epub(text, number))
        (folder / f"txt/{number}.txt").write_text(text)
    found = {}
    for name in ("docx", "odt", "epub", "txt"):
        out = c.out(f"office {name}")
        done = c.run("dedup", folder / name, "-o", out, "--tables", "tsv", "-q", "-t", "0.6", "-j", "3")
        c.check(f"office: {name} is read", done.returncode == 0 and summary_of(out)["documents"] == 80, done.stderr)
        # The last column has kinds of differences, some of which are in titles.
        rows = [[value.rpartition("/")[2].partition(".")[0] if "/" in value else value for value in row[:-1]] for row in table_of(out / "ledger.tsv")[1:]]
        same_words = ("identical", "lexically_equivalent")
        found[name] = sorted(["same" if value in same_words else value for value in row] for row in rows)
    c.check("office: decisions as of the texts", found["docx"] == found["txt"] == found["odt"] == found["epub"] and len(found["txt"]) > 10)
    good = docx("some text " * 99)
    bad = {
        "ole.docx": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" * 99, "encrypted"), "cut.docx": (good[:-40], "not a whole document"),
        "none.odt": (good, "not a whole document"), "text.docx": (b"a text", "not a whole document"),
        "xml.docx": (packed("word/document.xml", "<w:p><w:t>a</w:p>"), "no valid XML"),
        "bomb.docx": (docx("bomb " * 2_000_000), "max_record"),
    }
    book = epub("some words " * 99)
    bad.update({
        "drm.epub": (changed(book, META_encryption=ENCRYPTION % "http://www.w3.org/2001/04/xmlenc#aes256-cbc"), "is encrypted (DRM)"),
        "container.epub": (changed(book, META_container=None), "not a whole document"),
        "root.epub": (changed(book, META_container="<container/>"), "names no package document"),
        "package.epub": (changed(book, content=None), "lacks its package document content.opf"),
        "cut.epub": (book[:-40], "not a whole document"), "text.epub": (b"a text", "not a whole document"),
        "xml.epub": (changed(book, content="<package><manifest></package>"), "no valid XML"),
        "none.epub": (changed(book, content="<package><spine/></package>"), "has no documents"),
        "pictures.epub": (changed(book, content="<package><item id='a' href='a.png' media-type='image/png' fallback='a'/><itemref idref='a'/></package>"), "has pictures for pages"),
        "gone.epub": (changed(book, content="<package><item id='a' href='gone%20.xhtml'/><itemref idref='a'/></package>"), "the first of them gone%20.xhtml"),
        "bomb.epub": (epub("bomb " * 2_000_000, 39), "max_record"),
        "list.epub": (changed(book, content="<item/>" * 700_000), "max_record"),
    })
    out = io.BytesIO(odt("a"))
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr("META-INF/manifest.xml", "<manifest:encryption-data/>")
    bad["secret.odt"] = (out.getvalue(), "is encrypted")
    for name, (data, _) in bad.items():
        (folder / "bad" / name).write_bytes(data)
    (folder / "bad/good.docx").write_bytes(good)
    out = c.out("office bad")
    done = c.run("dedup", folder / "bad", "-o", out, "--tables", "tsv", "--max-record", "1MiB", "-v")
    listed = [line for line in (out / "problems.tsv").read_text().split("\n")]
    for name, (_, words) in bad.items():
        c.check(f"office: {name}", done.returncode == 0 and any(name in line and words in line for line in listed), listed)
    c.check("office: the good one is kept", summary_of(out)["kept"] == 1, done.stderr)
