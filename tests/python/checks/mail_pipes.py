"""Pipes: procmail, maildrop and Sieve with the recipes of docs/how-to/mail-server.md; no message is lost, whatever fails."""
import os
import random
import re
import shutil
import subprocess
from pathlib import Path

from checks.filter import words
from checks.harness import Checks, HERE
from checks.mail_programs import can_run, open_folder
from checks.milter import OFFER, created, mail, reported

PAGE = HERE.parent.parent / "docs" / "how-to" / "mail-server.md"
# What the page writes for the command and the prototypes.
COMMAND, PROTOTYPES = "/usr/bin/lookalike", "/var/lib/lookalike/spam.index"


def recipe(beginning: str, binary: object, index: object) -> str:
    """The code of the page that begins so, with the names of this machine."""
    code = next(code for code in re.findall(r"^```\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S) if code.startswith(beginning))
    return code.replace(COMMAND, str(binary)).replace(PROTOTYPES, str(index))


def files(folder: Path) -> list:
    return [path.read_bytes() for part in ("new", "cur") for path in sorted((folder / part).glob("*"))]


def emptied(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    for part in ("new", "cur", "tmp"):
        (folder / part).mkdir(parents=True)
    return folder


# Messages that come out as they are, but for the field.
ODD = {
    "plain": mail("lunch", "shall we meet at noon").encode(),
    "no header": b"hello\n\nmore\n",
    "bytes": b"Subject: \xff\n\n" + bytes(random.Random(3).choices([byte for byte in range(256) if byte not in (0, 10, 13)], k=3000)) + b"\n",
    "no end of line": b"Subject: a\n\nhello",
    "long": b"Subject: a\n\n" + b"a word of many\n" * 300_000,
}


def mail_pipes(c: Checks) -> None:
    if not can_run(c, "pipes of mail"):
        return
    index = created(c, "pipes.index")
    reported(c, index, "spam", mail("offer", OFFER))
    for name, data in ODD.items():
        for options in ((), ("--max-record", "1000")):
            done = subprocess.run([c.binary, "filter", "--prototypes", str(index), "--header", "-q", *options], input=data, capture_output=True)
            first, _, rest = done.stdout.partition(b"\n")
            marked = done.stdout == data if name == "no header" else rest == data and first.startswith((b"X-Lookalike: none", b"X-Lookalike: error"))
            c.check(f"pipes: {name}: byte for byte {options}", marked and done.returncode == 0, (first, done.stderr))
    with open_folder() as folder:
        by_procmail(c, index, folder)
        by_maildrop(c, index, folder)
        by_sieve(c, index, folder)


def by_procmail(c: Checks, index: Path, folder: Path) -> None:
    inbox, spam = folder / "inbox", folder / "spam"
    for prototypes, binary, found in ((index, c.binary, True), (folder / "gone.index", c.binary, False), (index, folder / "gone", False)):
        emptied(inbox), emptied(spam)
        code = recipe(":0 fw", binary, prototypes).replace("\nspam\n", f"\n{spam}/\n")
        (folder / "procmailrc").write_text(f"MAILDIR={folder}\nDEFAULT={inbox}/\nVERBOSE=off\nLOGFILE={folder}/log\n\n{code}")
        sent = [mail("offer", OFFER).encode(), ODD["plain"], ODD["bytes"]]
        for data in sent:
            subprocess.run(["procmail", "-m", str(folder / "procmailrc")], input=data, check=True, timeout=60)
        got = [data.partition(b"\n")[2] if data.startswith(b"X-Lookalike: ") else data for data in files(inbox) + files(spam)]
        # It ends what a filter gave it with an empty line.
        ended = lambda some: sorted(data.rstrip(b"\n") for data in some)  # noqa: E731
        c.check(f"procmail: delivers all, {prototypes.name} {binary.name}", ended(got) == ended(sent), [one[:100] for one in got])
        c.check(f"procmail: files spam, {prototypes.name} {binary.name}", len(files(spam)) == found, [one[:100] for one in files(spam)])


def by_maildrop(c: Checks, index: Path, folder: Path) -> None:
    inbox, spam = folder / "inbox", folder / "Maildir" / ".Spam"
    both = recipe("xfilter", c.binary, index)
    header, code = both.split("\n\n")
    for name, part in (("the header", header), ("the exit code", code)):
        for prototypes, delivers in ((index, True), (folder / "gone.index", name == "the exit code")):
            emptied(inbox), emptied(spam)
            path = folder / "mailfilter"
            part_here = part.replace(str(index), str(prototypes)).replace("$HOME", str(folder))
            path.write_text(f'SHELL="/bin/sh"\nDEFAULT="{inbox}"\n{part_here}\n')
            path.chmod(0o600)
            sent = [mail("offer", OFFER).encode(), ODD["plain"]]
            codes = [subprocess.run(["maildrop", str(path)], input=data, capture_output=True, timeout=60).returncode for data in sent]
            where = f"maildrop: by {name}, {prototypes.name}"
            if not delivers:
                c.check(f"{where}: the message stays in the queue", codes == [75, 75] and not files(inbox) + files(spam), codes)
                continue
            got = [data.partition(b"\n")[2] if data.startswith(b"X-Lookalike: ") else data for data in files(spam) + files(inbox)]
            c.check(f"{where}: delivers all", codes == [0, 0] and sorted(got) == sorted(sent), (codes, got))
            c.check(f"{where}: files spam", len(files(spam)) == (prototypes == index), files(spam))


DOVECOT = """base_dir = {folder}/run
mail_location = maildir:{folder}/Maildir
mail_home = {folder}/home
mail_uid = nobody
mail_gid = nogroup
first_valid_uid = 1
ssl = no
log_path = {folder}/dovecot.log
plugin {{
  sieve_plugins = sieve_extprograms
  sieve_extensions = +vnd.dovecot.filter +vnd.dovecot.execute
  sieve_filter_bin_dir = {folder}/bin
  sieve_execute_bin_dir = {folder}/bin
}}
"""


def by_sieve(c: Checks, index: Path, folder: Path) -> None:
    """By sieve-test of Dovecot, which executes the actions."""
    prototypes = folder / "spam.index"
    shutil.copytree(index, prototypes)
    shutil.copy(c.binary, folder / "lookalike")
    (folder / "bin").mkdir()
    for name, beginning in (("lookalike-mark", "#!/bin/sh\nexec"), ("lookalike-spam", "#!/bin/sh\n/usr")):
        (folder / "bin" / name).write_text(recipe(beginning, folder / "lookalike", prototypes))
        (folder / "bin" / name).chmod(0o755)
    (folder / "dovecot.conf").write_text(DOVECOT.format(folder=folder))
    scripts = {"mark": recipe('require ["fileinto", "mailbox", "vnd.dovecot.filter"]', "", ""), "ask": recipe('require ["fileinto", "mailbox", "vnd.dovecot.execute"]', "", "")}
    sent = {"spam.eml": mail("offer", OFFER).encode(), "other.eml": ODD["plain"]}
    for name, data in sent.items():
        (folder / name).write_bytes(data)
    for name, script in scripts.items():
        (folder / f"{name}.sieve").write_text(script)
        for gone in (False, True):
            shutil.rmtree(folder / "Maildir", ignore_errors=True)
            for made in (folder / "home", folder / "Maildir"):
                made.mkdir(exist_ok=True)
            if gone:
                prototypes.rename(folder / "elsewhere")
            subprocess.run(["chown", "-R", "nobody:nogroup", folder / "home", folder / "Maildir", folder], check=True)
            for message in sent:
                command = ["sieve-test", "-c", "dovecot.conf", "-e", f"{name}.sieve", message]
                done = subprocess.run(command, cwd=folder, user="nobody", group="nogroup", extra_groups=[], capture_output=True, text=True, timeout=120, env={"PATH": os.environ["PATH"]})
                c.check(f"sieve: {name}: {message} is filed", done.returncode == 0, done.stdout + done.stderr)
            if gone:
                (folder / "elsewhere").rename(prototypes)
            inbox, junk = files(folder / "Maildir"), files(folder / "Maildir" / ".Junk")
            c.check(f"sieve: {name}: files spam{', without prototypes' * gone}", (len(inbox), len(junk)) == ((2, 0) if gone else (1, 1)), (inbox, junk))
            got = [re.sub(rb"\AX-Lookalike: [^\n]*\n", b"", data.replace(b"\r\n", b"\n")) for data in junk + inbox]
            c.check(f"sieve: {name}: delivers all{', without prototypes' * gone}", sorted(got) == sorted(sent.values()), got)
            if junk:
                c.check(f"sieve: {name}: the field", junk[0].startswith(b"X-Lookalike: spam; ") == (name == "mark"), junk[0][:100])
