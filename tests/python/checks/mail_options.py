"""Quoted text, signatures and HTML parts of mail, kept or dropped: messages whose parts are known by construction."""
import html
import json
import random
from email.message import EmailMessage
from itertools import product
from pathlib import Path

from checks.harness import Checks, summary_of, tree_of
from checks.inputs import texts
from checks.mail import boxed
from checks.web_archives import decisions

# Each part of a text: what it is, and its lines.
ATTRIBUTIONS = ["Ann wrote:\n", "On 1 May 2026, Ann Example <a@b.example>\nwrote:\n", "Am 1. Mai 2026 schrieb Bob:\n\n", "Bob Example writes:\n"]


def composed(seed: int, n: int) -> list:
    """Messages as bytes, each with a list of the parts of its text: `(kind, text)`."""
    rng, made = random.Random(seed), []
    some = texts(seed, n)
    for number, text in enumerate(some):
        other = rng.choice(some).replace("\n", " ")
        quoted = "".join(f"{rng.choice(['>', '> ', ' > ', '>> '])}{other[at:at + 60]}\n" for at in range(0, min(len(other), 600), 60)) or ">\n"
        parts = [("text", text.replace("\n", " ").strip() + "\n")]
        if rng.random() < 0.6:
            parts += [("quotes", rng.choice(ATTRIBUTIONS) + quoted), ("text", f"and an answer {number % 7} below\n")]
        if rng.random() < 0.5:
            parts.append(("signatures", f"-- \nAnn Example\nphone {rng.randint(0, 99)}\n"))
            if rng.random() < 0.3:
                parts.append(("quotes", quoted))
        if rng.random() < 0.2:
            # Without a word above it, it is what was sent.
            kind = "quotes" if any(part.strip() for _, part in parts) else "text"
            parts.append((kind, f"-----Original Message-----\nFrom: b@b.example\n\n{other}\n-- \nBob\n"))
        one = EmailMessage()
        one["From"], one["Subject"] = "a@b.example", f"number {number}"
        one.set_content("".join(part for _, part in parts), cte=rng.choice(["8bit", "quoted-printable", "base64"]))
        if rng.random() < 0.3:
            one.add_attachment(f"<p>a page of {number % 11} words</p>", subtype="html", disposition="inline")
            parts.append(("html", f"a page of {number % 11} words"))
        elif rng.random() < 0.3:
            one.add_alternative(f"<p>{html.escape(''.join(part for _, part in parts))}</p>", subtype="html")
        made.append((one.as_bytes(), parts))
    page = EmailMessage()
    page["Subject"] = "only a page"
    page.set_content("<p>only a page</p>", subtype="html")
    made.append((page.as_bytes(), [("html", "only a page")]))
    return made


def mail_options(c: Checks) -> None:
    """Decisions are those of the texts that are left, as JSONL."""
    folder = c.work / "mail options"
    folder.mkdir()
    made = composed(23, 400)
    path = folder / "a.mbox"
    path.write_bytes(boxed([raw for raw, _ in made]))
    trees = {}
    for choice in product(("keep", "drop"), repeat=3):
        dropped = {kind for kind, value in zip(("quotes", "signatures", "html"), choice) if value == "drop"}
        name = "-".join(sorted(dropped)) or "nothing"
        lines = [
            json.dumps({"id": f"{path}:{number}", "text": "\n".join(part for kind, part in parts if kind not in dropped)})
            for number, (_, parts) in enumerate(made, 1)
        ]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
        options = [f"--mail-{kind}={value}" for kind, value in zip(("quotes", "signatures", "html"), choice)]
        ours, expected = c.out(f"mail {name} dropped"), c.out(f"mail {name} dropped, expected")
        done = c.run("dedup", path, "-o", ours, "--tables", "tsv", "-q", "-t", "0.6", "-j", "3", *options)
        c.run("dedup", folder / f"{name}.jsonl", "-o", expected, "--tables", "tsv", "-q", "-t", "0.6")
        # Texts that are equal to the byte may differ in line ends only: rules of equality are compared by words.
        same = done.returncode == 0 and by_words(decisions(ours)) == by_words(decisions(expected))
        c.check(f"mail: without {name}, decisions as of the texts", same and summary_of(ours)["kept"] < len(made), done.stderr)
        settings = json.loads((ours / "summary.json").read_text())["settings"]["job"]["settings"]
        c.check(f"mail: without {name}, the summary says so", set(settings.get("formats", {})) >= {f"mail_{kind}" for kind in dropped}, settings)
        trees[name] = tree_of(ours)
    c.check("mail: options change decisions", len({tree["ledger.tsv"] for tree in trees.values()}) > 4)
    again = c.out("mail dropped again")
    c.run("dedup", path, "-o", again, "--tables", "tsv", "-q", "-t", "0.6", "-j", "1", "--memory", "1", "--resume", "--mail-quotes", "drop", "--mail-signatures", "drop")
    c.check("mail: the same bytes for any threads and memory", tree_of(again)["ledger.tsv"] == trees["quotes-signatures"]["ledger.tsv"])
    explained(c, path)
    others(c, folder, made)
    attachments(c)


def by_words(rows: list) -> list:
    return [[("same words" if value in ("identical", "lexically_equivalent") else value) for value in row] for row in rows]


def explained(c: Checks, path: Path) -> None:
    """A later command reads the texts as the run did."""
    out = c.out("mail explained")
    c.run("cluster", path, "-o", out, "--tables", "tsv", "-q", "--mail-quotes", "drop", "-t", "0.5")
    rows = [line.split("\t") for line in (out / "pairs.tsv").read_text().splitlines()]
    ids = [value for value in rows[1] if ".mbox:" in value][:2]
    done = c.run("explain", *ids, "--run", out)
    c.check("mail: explain reads texts without quotes", done.returncode == 0 and "\n> " not in done.stdout, done.stderr + done.stdout)


def others(c: Checks, folder: Path, made: list) -> None:
    """Single messages, an index, and values that are none."""
    one = folder / "one"
    one.mkdir()
    first = next(number for number, (_, parts) in enumerate(made) if any(kind == "quotes" for kind, _ in parts))
    raw, parts = made[first]
    (one / "a.eml").write_bytes(raw)
    (one / "b.txt").write_text("".join(part for kind, part in parts if kind == "text"))
    out = c.out("mail eml dropped")
    drop = ("--mail-quotes", "drop", "--mail-signatures", "drop", "--mail-html", "drop")
    done = c.run("dedup", one, "-o", out, "-q", *drop)
    c.check("mail: an eml without quotes is the text", summary_of(out)["kept"] == 1, done.stderr)
    index = folder / "index"
    c.run("index", "create", index)
    c.run("index", "add", index, one / "a.eml", *drop, "-q")
    done = c.run("query", index, "--file", one / "b.txt")
    c.check("mail: an index keeps texts without quotes", "a.eml" in done.stdout, done.stdout + done.stderr)
    done = c.run("dedup", one, "-o", out, "--mail-quotes", "no")
    c.check("mail: a value that is none", done.returncode == 2 and "drop" in done.stderr, done.stderr)


def attachments(c: Checks) -> None:
    """Attachments in an index, in a run against one, in explain and in a filter."""
    folder = c.work / "mail attachments"
    folder.mkdir()
    cover = " ".join(texts(7, 3))

    def message(name: str, attachment: bytes | None, page: str = "") -> Path:
        one = EmailMessage()
        one["From"], one["Subject"], one["Message-ID"] = "a@b.example", "the document", f"<{name}@b.example>"
        one.set_content("This message is in HTML format, which your program does not show. " * 8 if page else cover)
        if page:
            one.add_alternative(f"<p>{page}</p>", subtype="html")
        if attachment is not None:
            one.add_attachment(attachment, maintype="application", subtype="pdf", filename="a.pdf")
        path = folder / f"{name}.eml"
        path.write_bytes(one.as_bytes())
        return path

    contract, invoice, again, bare = message("contract", b"one"), message("invoice", b"two"), message("again", b"one"), message("bare", None)
    index = folder / "index"
    c.run("index", "create", index, "-q")
    c.run("index", "add", index, contract, "-q")
    for path, found in ((again, True), (invoice, False), (bare, False)):
        done = c.run("query", index, "--file", path)
        c.check(f"mail attachments: query {path.stem}", done.returncode == 0 and ("contract.eml" in done.stdout) == found, done.stdout + done.stderr)
        out = c.out(f"mail attachments against {path.stem}")
        done = c.run("dedup", path, "--against", index, "-o", out, "-q")
        c.check(f"mail attachments: {path.stem} against an index", summary_of(out).get("kept") == (0 if found else 1), done.stderr)
    done = c.run("index", "add", index, again, invoice, bare, "-q")
    out = c.out("mail attachments exported")
    done = c.run("index", "export", index, "-o", out, "--tables", "tsv")
    c.check("mail attachments: the export is that of a run", summary_of(out).get("removed", {}).get("identical") == 1 and summary_of(out).get("kept") == 3, done.stderr)
    done = c.run("index", "check", index, "--deep")
    c.check("mail attachments: the index is whole", done.returncode == 0, done.stdout + done.stderr)
    done = c.run("index", "add", index, bare, "--mail-attachments", "ignore")
    c.check("mail attachments: an index refuses another treatment", done.returncode == 2 and "mail-attachments" in done.stderr, done.stderr)
    other = folder / "other"
    c.run("index", "create", other, "--mail-attachments", "ignore", "-q")
    c.run("index", "add", other, contract, "-q")
    done = c.run("index", "add", other, invoice, "--unless-duplicate", "0.8")
    c.check("mail attachments: an index ignores them", "left out as duplicates          1" in done.stdout, done.stdout + done.stderr)
    out = c.out("mail attachments listed")
    c.run("cluster", contract, invoice, again, "-o", out, "-q")
    done = c.run("explain", contract, invoice, "--run", out)
    c.check("mail attachments: explain says it", "different attachments" in done.stdout, done.stdout + done.stderr)
    done = c.run("compare", contract, invoice)
    c.check("mail attachments: compare says it", "different attachments" in done.stdout, done.stdout + done.stderr)
    done = c.run("compare", contract, again)
    c.check("mail attachments: compare of the same", "different attachments" not in done.stdout, done.stdout + done.stderr)
    spam = folder / "spam"
    pages = texts(8, 2)
    c.run("index", "create", spam, "-q")
    c.run("filter", "report", "spam", "--prototypes", spam, "--reporter", "a", "-q", message("offer", None, pages[0]))
    verdict = lambda path: c.run("filter", "--prototypes", spam, "--reports", "1", path).stdout
    c.check("mail alternatives: a stub makes no spam", '"none"' in verdict(message("bill", None, pages[1])), verdict(folder / "bill.eml"))
    c.check("mail alternatives: the page does", '"spam"' in verdict(message("offer2", None, pages[0])), verdict(folder / "offer2.eml"))
