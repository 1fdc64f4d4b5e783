"""Tar archives beside the same files in a directory; hostile archives."""
import gzip
import io
import json
import lzma
import bz2
import os
import subprocess
import tarfile
from pathlib import Path

from checks.harness import Checks, summary_of, table_of, tree_of
from checks.inputs import collection, texts
from checks.mail import boxed, composed


def packed(members: dict, extra=()) -> bytes:
    """A tar archive of files by name, and of further entries."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        for info in extra:
            tar.addfile(info)
    return out.getvalue()


def rows(out: Path, prefix: str) -> list:
    """The ledger with names from the prefix on."""
    table = table_of(out / "ledger.tsv")
    return sorted([value.partition(prefix)[2] or value for value in row] for row in table[1:])


def archives(c: Checks) -> None:
    """Members are read as files are."""
    folder = c.work / "archives"
    files = folder / "files"
    files.mkdir(parents=True)
    members = {}
    for number, text in enumerate(texts(31, 120)):
        ending = ("txt", "html", "md")[number % 3]
        members[f"a/b{number % 5}/{number}.{ending}"] = (f"<p>{text}</p>" if ending == "html" else text).encode()
    members["docs.jsonl"] = collection(folder / "docs.jsonl", 32, 200).read_bytes()
    members["docs.jsonl.gz"] = gzip.compress(collection(folder / "more.jsonl", 33, 100, "e").read_bytes())
    members["mail.mbox"] = boxed(composed(34, 30))
    members["Inbox"] = boxed(composed(35, 20))
    members["long/" + "n" * 180 + ".txt"] = b"a name that is longer than a header of tar allows"
    members["größe\n.txt"] = "a name of some letters".encode()
    for name, data in members.items():
        (files / name).parent.mkdir(parents=True, exist_ok=True)
        (files / name).write_bytes(data)
    data = packed(members)
    zstd = subprocess.run(["zstd", "-qc"], input=data, capture_output=True).stdout if any(
        Path(path, "zstd").exists() for path in os.environ["PATH"].split(":")) else b""
    kinds = {"tar": data, "tar.gz": gzip.compress(data), "tgz": gzip.compress(data[:5120]) + gzip.compress(data[5120:]),
             "tar.bz2": bz2.compress(data), "tar.xz": lzma.compress(data), "tar.zst": zstd}
    expected = c.out("archives directory")
    c.run("dedup", files, "-o", expected, "--tables", "tsv", "-q", "-t", "0.6")
    for kind, packed_data in kinds.items():
        if not packed_data:
            continue
        (folder / f"all.{kind}").write_bytes(packed_data)
        out = c.out(f"archives {kind}")
        done = c.run("dedup", folder / f"all.{kind}", "-o", out, "--tables", "tsv", "-q", "-t", "0.6", "-j", "3", "--copy-files", "--scratch", c.work / "scratch")
        same = done.returncode == 0 and rows(out, f"all.{kind}!") == rows(expected, "archives/files/")
        c.check(f"archives: decisions as of the files ({kind})", same and summary_of(out)["kept"] > 50, done.stderr)
        kept = [path for path in (out / "kept-files").rglob("*") if path.is_file()]
        c.check(f"archives: copies are the members ({kind})", len(kept) > 20 and all(path.read_bytes() in members.values() for path in kept))
    one, again = c.out("archives tar"), c.out("archives again")
    done = c.run("dedup", folder / "all.tar", "-o", again, "--tables", "tsv", "-q", "-t", "0.6", "-j", "1", "--memory", "1", "--resume")
    c.check("archives: the same bytes for any threads and memory", tree_of(one)["ledger.tsv"] == tree_of(again)["ledger.tsv"], done.stderr)
    c.check("archives: no directory is left", not list((c.work / "scratch").glob("lookalike-tar-*")))
    row = table_of(one / "ledger.tsv")[1]
    done = c.run("explain", row[0], row[3], "--run", one)
    c.check("archives: a removal is explained", done.returncode == 0, done.stderr)
    from_elsewhere(c, folder)
    maildirs(c, folder)
    hostile(c, folder)
    if data := os.environ.get("LOOKALIKE_DATA"):
        out = c.out("archives html40")
        done = c.run("dedup", Path(data) / "formats/html40.tar.gz", "-o", out, "-q")
        c.check("archives: html40", done.returncode == 0 and summary_of(out)["documents"] == 40, done.stderr)


def from_elsewhere(c: Checks, folder: Path) -> None:
    """A run over an archive with a relative name is asked about from another directory."""
    out, back = c.out("archives relative"), c.out("archives undone")
    done = c.run("dedup", "all.tar.gz", "-o", out, "--tables", "tsv", "-q", "-t", "0.6", cwd=folder)
    row = table_of(out / "ledger.tsv")[1]
    c.check("archives: members of a relative name", done.returncode == 0 and "all.tar.gz!" in row[1] + row[0], (row, done.stderr))
    done = c.run("explain", row[0], row[3], "--run", out, cwd="/")
    c.check("archives: explain from elsewhere", done.returncode == 0 and "have changed" not in done.stdout, done.stderr)
    done = c.run("undo", out, "--cluster", "0", "-o", back, "-q", cwd="/")
    c.check("archives: undo from elsewhere", done.returncode == 0 and summary_of(back)["kept"] > summary_of(out)["kept"], done.stderr)
    (folder / "more").mkdir()
    (folder / "more/all.tar.gz").write_bytes(gzip.compress(packed({"other.txt": b"another text"})))
    (folder / "all.tar.gz").rename(folder / "moved.tar.gz")
    done = c.run("undo", out, "--cluster", "0", "-o", c.out("archives changed"), "-q", cwd=folder / "more")
    c.check("archives: undo refuses other inputs", done.returncode == 1 and "all.tar.gz!other.txt was not there" in done.stderr and ".;" not in done.stderr, done.stderr)
    (folder / "moved.tar.gz").rename(folder / "all.tar.gz")


def maildirs(c: Checks, folder: Path) -> None:
    """A Maildir++ with folders: as many messages from an archive as from the directory."""
    members = {"cur/12": "a", "new/1000000001.1.host": "b", ".Sent/cur/1000000002.2.host:2,S": "c", ".Sent/new/x": "d", ".A.2025/cur/1000000003.3.host:2,": "e",
               ".A.2025/new/4": "f", "tmp/1000000005.5.host": "g", ".Sent/tmp/1000000006.6.host": "h", ".cache/a.txt": "i", "cur/index.pdf": "j"}
    members = {f"Mail/{name}": f"Subject: {text}\n\nthe message {text} {text}\n".encode() for name, text in members.items()}
    for name, data in members.items():
        (folder / "maildir" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "maildir" / name).write_bytes(data)
    (folder / "maildir.tgz").write_bytes(gzip.compress(packed(members)))
    listed, told = [], []
    for at in ("maildir", "maildir.tgz"):
        out = c.out(f"archives {at}")
        done = c.run("dedup", folder / at, "-o", out, "-v")
        listed.append(sorted(line.rpartition("Mail/")[2] for line in (out / "kept-files.txt").read_text().split("\n")))
        told.append(sorted(line.rpartition("Mail/")[2] for line in done.stderr.split("\n") if ": skipped: " in line))
    c.check("archives: a Maildir++ is read as in a directory", listed[0] == listed[1] and len(listed[0]) == 7, listed)
    c.check("archives: what is skipped of it is told alike", told[0] == told[1] and len(told[0]) == 3 and "not delivered yet" in str(told), told)


def hostile(c: Checks, folder: Path) -> None:
    """Links, devices, names that lead elsewhere, archives in archives, bombs, damage."""
    def entry(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
        info = tarfile.TarInfo(name)
        info.type, info.linkname = kind, target
        return info

    secret = folder / "secret.txt"
    secret.write_text("a text that no archive may read")
    links = [entry("link.txt", tarfile.SYMTYPE, str(secret)), entry("hard.txt", tarfile.LNKTYPE, "good.txt"),
             entry("pipe.txt", tarfile.FIFOTYPE), entry("device.txt", tarfile.CHRTYPE), entry("folder", tarfile.DIRTYPE)]
    members = {"good.txt": b"some good text", "../../out.txt": b"a name above", "/etc/out.txt": b"a name from the root",
               "inner.tar": packed({"x.txt": b"inside"}), "a.pdf": b"%PDF", "noise": b"\0\1", ".hidden.txt": b"hidden"}
    path = folder / "hostile.tar.gz"
    path.write_bytes(gzip.compress(packed(members, links)))
    out = c.out("archives hostile")
    done = c.run("dedup", path, "-o", out, "--copy-files", "-v")
    names = sorted((out / "kept-files.txt").read_text().split())
    c.check("archives: names are only names", done.returncode == 0 and [name.rpartition("!")[2] for name in names] == ["../../out.txt", "/etc/out.txt", "good.txt"], (names, done.stderr))
    copies = sorted(path.relative_to(out / "kept-files").as_posix() for path in (out / "kept-files").rglob("*") if path.is_file())
    c.check("archives: copies stay below the output", copies == ["hostile.tar.gz/etc/out.txt", "hostile.tar.gz/good.txt", "hostile.tar.gz/out.txt"], copies)
    skipped = ("link.txt", "hard.txt", "pipe.txt", "device.txt", "inner.tar", "a.pdf", "noise")
    c.check("archives: what is not read is named", all(f"hostile.tar.gz!{name}: skipped" in done.stderr for name in skipped) and summary_of(out)["skipped_files"] == len(skipped), done.stderr)
    c.check("archives: nothing is written elsewhere", not (folder / "out.txt").exists() and not Path("/etc/out.txt").exists())
    bomb = folder / "bomb.tar.gz"
    bomb.write_bytes(gzip.compress(packed({"zeros.txt": b"word " * 8_000_000, "small.txt": b"a small text"}), 1))
    out = c.out("archives bomb")
    done = c.run("dedup", bomb, "-o", out, "--max-record", "1MiB", "--tables", "tsv", "--scratch", folder / "scratch")
    c.check("archives: a member that is too long is named", done.returncode == 0 and "max_record" in (out / "problems.tsv").read_text() and summary_of(out)["kept"] == 1, done.stderr)
    twice = folder / "twice.tar"
    data = packed({"a.txt": b"the first text"})[:1024] + packed({"a.txt": b"another one"})
    twice.write_bytes(data)
    out = c.out("archives twice")
    done = c.run("dedup", twice, "-o", out, "-q")
    c.check("archives: members of one name are both read", (out / "kept-files.txt").read_text().split("\n")[:2] == [f"{twice}!a.txt", f"{twice}!a.txt (2)"], done.stderr)
    (folder / "pages.tar").write_bytes(packed({"1": b"From: a@b\n\na message", "2": b"From: a@b\n\na message"}))
    out = c.out("archives format")
    done = c.run("dedup", folder / "pages.tar", "-o", out, "--input-format", "eml", "-q")
    c.check("archives: the format of all members", summary_of(out)["kept"] == 1 and json.loads((out / "summary.json").read_text())["documents"] == 2, done.stderr)
