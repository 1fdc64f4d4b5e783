"""Mail: mbox, Maildir and eml inputs, beside Python's own readers of mail."""
import contextlib
import email.policy
import gzip
import json
import mailbox
import os
import random
import re
import shutil
import subprocess
import time
from email.message import EmailMessage
from pathlib import Path

import mail_records
from checks.harness import Checks, HERE, ledger_of, summary_of, tree_of
from checks.inputs import texts, write_jsonl

MESSAGES = HERE.parent / "mail"
WORD = re.compile(r"\w+")


def composed(seed: int, n: int) -> list:
    """Messages as Python writes them, of many structures and encodings, with texts that repeat."""
    rng, made = random.Random(seed), []
    for number, text in enumerate(texts(seed, n)):
        one = EmailMessage(policy=email.policy.default.clone(linesep=rng.choice(["\n", "\r\n"])))
        one["From"] = rng.choice(["Ann <ann@a.example>", "Žofie <z@b.example>", "c@c.example"])
        one["Subject"] = rng.choice(["Re: ", "", "Größe "]) + " ".join(text[:rng.choice([20, 90])].split())
        one["Message-ID"] = f"<{(number * 7919) % 100_003}@a.example>"
        one["X-Score"] = str(rng.randint(-9, 9))
        if rng.random() < 0.9:
            zone = rng.choice(["+0000", "-0730", "+0900", "GMT"])
            one["Date"] = f"{rng.randint(1, 28)} {rng.choice(['Jan', 'Jul', 'Dec'])} 20{rng.randint(10, 26)} {rng.randint(0, 23):02}:{rng.randint(0, 59):02}:00 {zone}"
        # Lines that an mbox quotes, and lines that look like boundaries.
        text = text.replace(" ", "\nFrom ", rng.randint(0, 1)).replace(" ", "\n\n>From ", rng.randint(0, 1))
        encoding = rng.choice(["7bit", "8bit", "quoted-printable", "base64"])
        charset = "utf-8" if encoding != "7bit" else "us-ascii"
        if encoding == "7bit":
            text = text.encode("ascii", "ignore").decode()
        if encoding == "quoted-printable" and rng.random() < 0.5:
            charset, text = "iso-8859-2", text.encode("iso-8859-2", "ignore").decode("iso-8859-2")
        one.set_content(text, charset=charset, cte=encoding)
        shape = rng.random()
        if shape < 0.3:
            one.add_alternative(f"<p>{text}</p>", subtype="html")
        if 0.2 < shape < 0.5:
            one.add_attachment(b"\0\1 not a text", maintype="image", subtype="png", filename="a.png")
            one.add_attachment("an attached text that does not count", filename="notes.txt")
        if 0.45 < shape < 0.55:
            inner = EmailMessage()
            inner["Subject"] = "inner"
            inner.set_content("the text of an embedded message counts")
            if one.get_content_type() != "multipart/mixed":
                one.make_mixed()
            one.attach(email.message_from_bytes(b"Content-Type: message/rfc822\n\n" + inner.as_bytes()))
        made.append(one.as_bytes())
    return made


def boxed(messages: list) -> bytes:
    """An mbox (mboxrd)."""
    box = []
    for raw in messages:
        end = b"\r\n" if b"\r\n" in raw else b"\n"
        raw = re.sub(rb"(?m)^(>*From )", rb">\1", raw)
        box += [b"From a@b.example Mon Nov 23 22:30:17 2026", end, raw, b"" if raw.endswith(b"\n") else end, end]
    return b"".join(box)


def mail(c: Checks) -> None:
    """Messages are read as Python's email package reads them, and written as they were."""
    folder = c.work / "mail"
    folder.mkdir()
    messages = composed(91, 500)
    # Cut off after a separator line: a message without a header.
    box = boxed(messages) + b"From a@b.example Mon Nov 23 22:30:17 2026\n"
    (folder / "a.mbox").write_bytes(box[: len(box) // 2])
    (folder / "b.mbox.gz").write_bytes(gzip.compress(b"From b@b.example\nSubject: one more\n\n" + box[len(box) // 3:].partition(b"\n\nFrom ")[2].partition(b"\n")[2]))
    for number, raw in enumerate(messages[::25]):
        (folder / f"{number}.eml").write_bytes(raw)
    (folder / "all.mbox").write_bytes(box)
    several, whole = [folder / "a.mbox", folder / "b.mbox.gz", *sorted(folder.glob("*.eml"))], [folder / "all.mbox"]
    c.all_checked([
        ("mail, several", "dedup", several, ("-t", "0.7")), ("mail, copies", "dedup", several, ("--copy-files", "-j", "5", "--memory", "1")),
        ("mail, one", "dedup", whole, ("-j", "1")), ("mail, threads", "dedup", whole, ("-j", "7", "--memory", "1")),
        ("mail, newest", "dedup", whole, ("--keep", "newest", "--id-field", "Message-ID")),
        ("mail, score", "dedup", whole, ("--keep", "max:x-score", "--id-field", "message-id")),
        ("mail, subjects", "dedup", whole, ("--text-field", "subject", "--shingle", "1")),
        ("mail, marked", "dedup", whole, ("--mark",), {"checker": ["--mark"]}), ("mail, listed", "cluster", several, ("-t", "0.5")),
        ("mail, samples", "dedup", [MESSAGES / name for name in ("story.mbox", "plain.eml", "crlf.eml", "koi8.eml", "utf8-base64.eml", "digest.eml", "forwarded.eml")], ()),
    ])
    done = c.run("dedup", *several, "-o", c.out("mail, mistyped"), "--id-field", "mesage-id")
    c.check("mail: a field that no message has", done.returncode == 2 and "`mesage-id`" in done.stderr and "--id-field" in done.stderr and "did you mean `message-id`" in done.stderr, done.stderr)
    one = c.out("mail, one")
    c.check("mail: the same bytes for any threads and memory", tree_of(one)["kept.mbox"] == tree_of(c.out("mail, threads"))["kept.mbox"] and tree_of(one)["ledger.tsv"] == tree_of(c.out("mail, threads"))["ledger.tsv"])
    kept, removed, rejected = ((one / f"{role}.mbox").read_bytes() for role in ("kept", "removed", "rejected"))
    c.check("mail: every message is in one output", sorted(mail_records.split(box)) == sorted(sum(map(mail_records.split, (kept, removed, rejected)), [])))
    c.check("mail: what is kept is an mbox", len(mailbox.mbox(one / "kept.mbox", create=False)) == summary_of(one)["kept"] > 100, summary_of(one).get("kept"))
    c.check("mail: what is no message is rejected", len(mail_records.split(rejected)) == 1)
    marked = mailbox.mbox(c.out("mail, marked") / "marked.mbox", create=False)
    ids = [message["duplicate_of"] for message in marked if message["duplicate_of"]]
    c.check("mail: marks are header fields", len(ids) == len(mail_records.split(removed)) > 50, len(ids))
    copies = c.out("mail, copies") / "kept-files"
    c.check("mail: kept messages are copied", copies.is_dir() and all(path.read_bytes() == (folder / path.name).read_bytes() for path in copies.rglob("*.eml")))
    ways_in(c, folder, box, tree_of(one))
    maildirs(c, messages)
    commands(c, whole[0])
    structures(c)
    interrupted(c)
    if data := os.environ.get("LOOKALIKE_DATA"):
        collections(c, Path(data))


def ways_in(c: Checks, folder: Path, box: bytes, expected: dict) -> None:
    """Standard input, names without an extension, compression, resuming; problems and what --strict says."""
    out = c.out("mail stdin")
    done = subprocess.run([c.binary, "dedup", "-", "--input-format", "mbox", "-o", out, "--tables", "tsv", "-q"], input=box, capture_output=True)
    c.check("mail: standard input", done.returncode == 0 and tree_of(out)["kept.mbox"] == expected["kept.mbox"], done.stderr)
    out = c.out("mail stdin eml")
    done = subprocess.run([c.binary, "dedup", "-", "--input-format", "eml", "-o", out, "-q"], input=b"Subject: a\n\na text", capture_output=True)
    c.check("mail: one message on standard input", done.returncode == 0 and (out / "kept-files.txt").read_text() == "stdin\n", done.stderr)
    odd = c.work / "odd"
    odd.mkdir()
    (odd / "Inbox").write_bytes(box)
    (odd / "note").write_text("From here on it is no mail,\nbut a note\n")
    (odd / "packed.mbox.gz").write_bytes(gzip.compress(box))
    for name, kept in (("Inbox", "kept.mbox"), ("packed.mbox.gz", "kept.mbox.gz")):
        out = c.out(f"mail {name}")
        done = c.run("dedup", odd / name, "-o", out, "--tables", "tsv", "-q", "--resume")
        content = (out / kept).read_bytes() if (out / kept).exists() else b""
        content = gzip.decompress(content) if kept.endswith("gz") and content else content
        c.check(f"mail: {name}", done.returncode == 0 and content == expected["kept.mbox"], done.stderr)
    done = c.run("dedup", odd / "note", "-o", c.out("mail note"))
    c.check("mail: a note is no mbox", done.returncode == 1 and "--input-format" in done.stderr and "maildir" in done.stderr, done.stderr)
    done = c.run("dedup", odd / "note", "--input-format", "mbox", "-o", c.out("mail note"))
    c.check("mail: a note as an mbox is a bad record", "not a mail message" in done.stderr + (c.out("mail note") / "problems.parquet").read_bytes().decode("latin-1"), done.stderr)
    (odd / "wrong.mbox").write_text("Subject: one message\n\nand no mbox\n")
    done = c.run("dedup", odd / "wrong.mbox", "-o", c.out("mail wrong"))
    c.check("mail: an eml called mbox is unreadable", done.returncode == 1 and "is not an mbox" in done.stderr, done.stderr)
    done = c.run("dedup", folder / "all.mbox", "-o", c.out("mail strict"), "--strict", "-q")
    line = box.count(b"\n")
    c.check("mail: --strict names the first bad message", done.returncode == 3 and f"all.mbox:{line}: not a mail message" in done.stderr, done.stderr)


def maildirs(c: Checks, messages: list) -> None:
    """A Maildir that Python made, with a folder."""
    root = c.work / "Maildir"
    box = mailbox.Maildir(root, create=True)
    sent = box.add_folder("Sent")
    for number, raw in enumerate(messages[:120]):
        into = sent if number % 3 == 0 else box
        one = mailbox.MaildirMessage(raw)
        if number % 2:
            one.set_subdir("cur")
            one.set_flags("S")
        into.add(one)
    (root / "tmp" / "1000000000.1.host").write_bytes(messages[0])
    out = c.out("mail maildir")
    done = c.run("dedup", root, "-o", out, "--tables", "tsv", "-q")
    lists = [(out / f"{role}-files.txt") for role in ("kept", "removed", "rejected")]
    names = [name for path in lists if path.exists() for name in path.read_text().splitlines()]
    files = [str(path) for folder in ("cur", "new", ".Sent/cur", ".Sent/new") for path in (root / folder).iterdir()]
    c.check("mail: all messages of a Maildir and its folders", done.returncode == 0 and sorted(names) == sorted(files), done.stderr)
    same = summary_of(out).get("skipped_files")
    c.check("mail: a message being delivered is skipped", same == 1 or same == 2, same)
    given = c.out("mail maildir given")
    done = c.run("dedup", root, "--input-format", "maildir", "-o", given, "--tables", "tsv", "-q")
    c.check("mail: --input-format maildir", done.returncode == 0 and tree_of(given)["kept-files.txt"] == tree_of(out)["kept-files.txt"], done.stderr)


def commands(c: Checks, box: Path) -> None:
    """Every command that reads documents reads mail."""
    run = c.out("mail, newest")
    row = next(iter(ledger_of(run).values()))
    done = c.run("explain", row["removed_id"], row["kept_id"], "--run", run)
    c.check("mail: explain by message id", done.returncode == 0 and "removed" in done.stdout, done.stderr)
    eml = MESSAGES / "alternative.eml"
    done = c.run("compare", eml, MESSAGES / "attachments.eml")
    c.check("mail: compare two messages", done.returncode == 0 and "Identical texts" in done.stdout, done.stdout + done.stderr)
    lexicon = c.work / "mail.lexicon"
    done = c.run("lexicon", "build", box, "-o", lexicon)
    c.check("mail: lexicon", done.returncode == 0 and lexicon.exists(), done.stderr)
    done = c.run("plan", box)
    c.check("mail: plan", done.returncode == 0, done.stderr)
    done = c.run("evaluate", box, "--methods", "exact", "-o", c.out("mail evaluate"), "-q")
    c.check("mail: evaluate", done.returncode == 0, done.stderr)
    against = c.out("mail against")
    done = c.run("dedup", eml, "--against", MESSAGES / "attachments.eml", "-o", against, "-q", "--tables", "tsv", "--mail-attachments", "ignore")
    c.check("mail: --against", done.returncode == 0 and (against / "kept-files.txt").read_text() == "", done.stderr)


def interrupted(c: Checks) -> None:
    """A run over an mbox that is killed while it reads, and resumed: the same bytes."""
    folder, rng = c.work / "mail interrupted", random.Random(92)
    folder.mkdir()
    bodies = [" ".join(str(rng.getrandbits(20)) for _ in range(300)) for _ in range(4000)]
    messages = [f"Subject: {number}\n\n{rng.choice(bodies)}\n".encode() for number in range(16_000)]
    (folder / "big.mbox").write_bytes(boxed(messages))
    run = lambda out, *more: [str(part) for part in (c.binary, "dedup", folder / "big.mbox", "-o", folder / out, "--tables", "tsv", "-q", *more)]
    subprocess.run(run("whole"), check=True)
    scratch, size, killed, resumed = folder / "out.scratch", 0, False, False
    # A run may be killed before it has saved a chunk, or come to its end: later, or once more.
    for attempt in range(12):
        process = subprocess.Popen(run("out", "--resume", "-j", "1"))
        stop = False
        while process.poll() is None and not stop:
            stop = scratch.is_dir() and scratch_size(scratch) > size
            time.sleep(0.001)
        process.kill()
        process.wait()
        cut = not (folder / "out").exists()
        killed = killed or cut
        done = subprocess.run(run("out", "--resume"), capture_output=True, text=True)
        same = done.returncode == 0 and tree_of(folder / "out") == {**tree_of(folder / "whole"), "summary.json": tree_of(folder / "out")["summary.json"]}
        c.check("mail: resumed, the same bytes", same, done.stderr)
        resumed = cut and "reading" in summary_of(folder / "out").get("run", {}).get("resumed", [])
        if resumed:
            break
        size = size + (1 << 20) if cut else 0
        shutil.rmtree(folder / "out")
    c.check("mail: a run was killed while it read", killed)
    c.check("mail: chunks were not read again", resumed, summary_of(folder / "out").get("run"))


def scratch_size(scratch: Path) -> int:
    """Bytes of the files that are there; some may be deleted meanwhile."""
    size = 0
    for path in scratch.rglob("*"):
        with contextlib.suppress(FileNotFoundError):
            size += path.stat().st_size
    return size


def structures(c: Checks) -> None:
    """Messages of the samples against documents of their texts by Python: each has the same words."""
    paths = [path for path in sorted(MESSAGES.glob("*.eml")) if path.name != "html.eml"]
    mails = [(path.name, mail_records.Mail(path.read_bytes())) for path in paths]
    same_words(c, "samples", mails, paths)
    subjects = {name: mail.header("Subject") for name, mail in mails if name != "bare-8bit.eml"}
    c.check("mail: subjects are decoded", subjects["latin1-quoted-printable.eml"] == "Grüße aus Köln")


def same_words(c: Checks, name: str, mails: list, inputs: list) -> None:
    """A run of messages against the texts that Python reads: each message is removed, by a text with its words."""
    folder = c.work / f"words of {name}"
    folder.mkdir()
    known = [{"id": f"text {number}", "text": mail.text()} for number, (_, mail) in enumerate(mails)]
    known = [one for one in known if one["text"] is not mail_records.HTML]
    write_jsonl(folder / "texts.jsonl", known)
    out = c.out(f"mail words {name}")
    done = c.run("dedup", *inputs, "--against", folder / "texts.jsonl", "-t", "1", "-o", out, "--tables", "tsv", "-q", "--mail-attachments", "ignore")
    if not c.check(f"mail: {name}: runs", done.returncode == 0, done.stderr):
        return
    rows = ledger_of(out)
    wanted = sum(1 for one in known if WORD.search(one["text"]))
    c.check(f"mail: {name}: messages have the words that Python reads", len(rows) >= wanted * (1 if name == "samples" else 0.995) > 0, f"{len(rows)} of {wanted}")


def collections(c: Checks, data: Path) -> None:
    """Real mail: a Maildir and an mbox of the same messages, and a large collection as an mbox."""
    formats = data / "formats"
    out, other = c.out("mail formats mbox"), c.out("mail formats both")
    done = c.run("dedup", formats / "spamassassin152.mbox", "-o", out, "--tables", "tsv", "-q")
    c.check("mail: an mbox of real mail", done.returncode == 0 and summary_of(out).get("documents") == 152, done.stderr)
    done = c.run("dedup", formats / "maildir", "--against", formats / "spamassassin152.mbox", "-o", other, "--tables", "tsv", "-q")
    removed = (other / "removed-files.txt").read_text().splitlines() if done.returncode == 0 else []
    c.check("mail: a Maildir of messages in the mbox", len(removed) == 60, f"{len(removed)} {done.stderr}")
    packed = data / "mail_spamassassin" / "docs.jsonl.zst"
    if not (packed.exists() and shutil.which("zstd")):
        return
    lines = subprocess.run(["zstd", "-dc", str(packed)], stdout=subprocess.PIPE, check=True).stdout.splitlines()
    messages = []
    for line in lines:
        one = json.loads(line)
        raw = one["raw"].encode(one.get("raw_encoding") or "utf-8", "surrogateescape")
        messages.append(raw.partition(b"\n")[2] if raw.startswith(b"From ") else raw)
    box = c.work / "spamassassin.mbox"
    box.write_bytes(boxed(messages))
    mails = [(str(number), mail_records.Mail(raw)) for number, raw in enumerate(messages)]
    same_words(c, "spamassassin", mails, [box])
