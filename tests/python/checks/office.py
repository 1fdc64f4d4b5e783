"""DOCX and ODT files beside the same texts as files; encrypted, damaged and hostile ones."""
import io
import zipfile
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


def packed(name: str, xml: str, method=zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(name, xml)
    return out.getvalue()


def office(c: Checks) -> None:
    folder = c.work / "office"
    for name in ("docx", "odt", "txt", "bad"):
        (folder / name).mkdir(parents=True)
    for number, text in enumerate(texts(51, 80)):
        text = "".join(letter for letter in text if letter >= " " or letter == "\n")
        (folder / f"docx/{number}.docx").write_bytes(docx(text))
        (folder / f"odt/{number}.odt").write_bytes(odt(text))
        (folder / f"txt/{number}.txt").write_text(text)
    found = {}
    for name in ("docx", "odt", "txt"):
        out = c.out(f"office {name}")
        done = c.run("dedup", folder / name, "-o", out, "--tables", "tsv", "-q", "-t", "0.6", "-j", "3")
        c.check(f"office: {name} is read", done.returncode == 0 and summary_of(out)["documents"] == 80, done.stderr)
        rows = [[value.rpartition("/")[2].partition(".")[0] if "/" in value else value for value in row] for row in table_of(out / "ledger.tsv")[1:]]
        same_words = ("identical", "lexically_equivalent")
        found[name] = sorted(["same" if value in same_words else value for value in row] for row in rows)
    c.check("office: decisions as of the texts", found["docx"] == found["txt"] == found["odt"] and len(found["txt"]) > 10)
    good = docx("some text " * 99)
    bad = {
        "ole.docx": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" * 99, "encrypted"), "cut.docx": (good[:-40], "not a whole document"),
        "none.odt": (good, "not a whole document"), "text.docx": (b"a text", "not a whole document"),
        "xml.docx": (packed("word/document.xml", "<w:p><w:t>a</w:p>"), "no valid XML"),
        "bomb.docx": (docx("bomb " * 2_000_000), "max_record"),
    }
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
