"""Reports by mail folders: each message once for a reporter, whatever is moved, flagged, deleted or called again."""
import json
import random
from collections import Counter
from pathlib import Path

from checks.filter import words
from checks.harness import Checks

PEOPLE = ("ann", "bob", "cem")
KINDS = ("spam", "ham")


def message(number: int) -> str:
    rng = random.Random(number)
    return f"From: a@example.org\nSubject: message {number}\nMessage-ID: <{number}@example.org>\n\n{' '.join(words(rng, 100))}\n"


def maildir(path: Path) -> Path:
    for part in ("cur", "new", "tmp"):
        (path / part).mkdir(parents=True)
    return path


def run(c: Checks, index: Path, person: str, folders: dict, *options: object):
    named = [part for kind, some in folders.items() for folder in some for part in (f"--{kind}", folder)]
    return c.run("filter", "folders", "--prototypes", index, "--reporter", person, *named, *options)


def reports(c: Checks, index: Path) -> dict:
    """Numbers of reports as spam and as ham, by prototype."""
    listed = c.run("filter", "list", "--prototypes", index).stdout.splitlines()
    return {one["id"]: (one["reports"]["spam"], one["reports"]["ham"]) for one in map(json.loads, listed)}


def filter_folders(c: Checks) -> None:
    folder = c.work / "folders"
    folder.mkdir()
    against_the_model(c, folder)
    by_hand(c, folder)


def against_the_model(c: Checks, folder: Path) -> None:
    rng, index = random.Random(21), folder / "model.index"
    c.run("index", "create", index, "-q")
    folders = {person: {kind: [maildir(folder / person / kind)] for kind in KINDS} for person in PEOPLE}
    said: dict = {person: {} for person in PEOPLE}
    placed: dict = {person: {} for person in PEOPLE}
    for step in range(40):
        person = rng.choice(PEOPLE)
        where = placed[person]
        for _ in range(rng.randint(0, 6)):
            number, kind, action = rng.randrange(25), rng.choice(KINDS), rng.random()
            if number in where and action < 0.25:
                where.pop(number).unlink()
            elif number in where and action < 0.5:
                # Another flag, another part, another name: the bytes are the same.
                target = where[number].parents[1] / "cur" / f"{rng.randrange(10**9)}.{number}.host:2,{rng.choice(('S', 'RS', ''))}"
                where[number] = where[number].rename(target)
            elif number in where:
                target = folders[person][kind][0] / "cur" / f"{rng.randrange(10**9)}.{number}.host:2,S"
                where[number] = where[number].rename(target)
            else:
                where[number] = folders[person][kind][0] / "new" / f"{rng.randrange(10**9)}.{number}.host"
                where[number].write_text(message(number))
        now = {number: path.parents[1].name for number, path in where.items()}
        changed = {number for number, kind in now.items() if said[person].get(number) != kind}
        done = run(c, index, person, folders[person])
        counted = [json.loads(line) for line in done.stdout.splitlines() if json.loads(line)["counted"]]
        said[person].update(now)
        c.check(f"folders: step {step} counts what changed", done.returncode == 0 and {int(one["id"].partition("@")[0]) for one in counted} == changed, (done.stdout, done.stderr, changed))
        again = run(c, index, person, folders[person])
        c.check(f"folders: step {step} again reports nothing", again.returncode == 0 and again.stdout == "" and "reported 0" in again.stderr, again)
        wanted: dict = {}
        for words_of in said.values():
            for number, kind in words_of.items():
                wanted.setdefault(f"{number}@example.org", Counter())[kind] += 1
        found = reports(c, index)
        c.check(f"folders: step {step} has the reports", found == {name: (count["spam"], count["ham"]) for name, count in wanted.items()}, (found, wanted))
    checked = c.run("index", "check", index, "--deep", "-q")
    c.check("folders: the index is whole", checked.returncode == 0, checked.stderr)


def by_hand(c: Checks, folder: Path) -> None:
    index = folder / "hand.index"
    c.run("index", "create", index, "-q")
    spam, ham = maildir(folder / "hand" / ".Junk"), maildir(folder / "hand" / ".Ham *[x]")
    folders = {"spam": [spam], "ham": [ham]}
    (spam / "new" / "1.a").write_text(message(1))
    (ham / "cur" / "2.a:2,S").write_text(message(1))
    done = run(c, index, "ann", folders)
    c.check("folders: of both kinds it is legitimate", reports(c, index) == {"1@example.org": (0, 1)} and "messages 1, reported 1" in done.stderr, done)
    # Near-duplicates of both kinds: the legitimate one is what was said last, and nothing flips back.
    near = message(2).replace("message 2", "message 3").replace("<2@", "<3@")
    (spam / "cur" / "3.a:2,").write_text(message(2))
    (ham / "cur" / "4.a:2,").write_text(near)
    for _ in range(2):
        done = run(c, index, "ann", folders)
        c.check("folders: near-duplicates of both kinds", reports(c, index)["2@example.org"] == (0, 1), done)
    # What a stop between the reports and the note about them leaves.
    c.run("filter", "report", "spam", "--prototypes", index, "--reporter", "ann", "--input-format", "eml", "-q", stdin=message(5))
    (spam / "new" / "5.a").write_text(message(5))
    done = run(c, index, "ann", folders)
    line = json.loads(done.stdout)
    c.check("folders: reported before", not line["counted"] and reports(c, index)["5@example.org"] == (1, 0), done)
    # Messages that are none are told once, and the others are reported.
    (spam / "new" / "6.a").write_bytes(b"no message\n")
    (spam / "new" / ".hidden").write_text(message(7))
    (spam / "tmp" / "7.a").write_text(message(7))
    (spam / "new" / "8.a").write_bytes(message(8).encode())
    (spam / "new" / "9.a").write_bytes(b"")
    done = run(c, index, "ann", folders)
    c.check("folders: bad messages are told", done.returncode == 0 and "6.a" in done.stderr and "reported 1," in done.stderr and len(reports(c, index)) == 4, done)
    done = run(c, index, "ann", folders)
    c.check("folders: once", done.returncode == 0 and "6.a" not in done.stderr and done.stdout == "", done)
    # Another reporter of the same folders counts for himself.
    run(c, index, "bob", folders, "-q")
    c.check("folders: another reporter", reports(c, index)["5@example.org"] == (2, 0), reports(c, index))
    # A message that is deleted stays reported, and is not reported anew when it comes back.
    (spam / "new" / "5.a").unlink()
    run(c, index, "ann", folders)
    (spam / "new" / "5.b").write_text(message(5))
    done = run(c, index, "ann", folders)
    c.check("folders: what comes back", not json.loads(done.stdout)["counted"] and reports(c, index)["5@example.org"] == (2, 0), done)
    for wrong, part in ((("--spam", folder), "no Maildir"), (("--ham", folder / "nowhere"), "no Maildir"), ((), "--spam"), (("--spam", spam, "--input-format", "jsonl"), "--input-format")):
        done = c.run("filter", "folders", "--prototypes", index, "--reporter", "ann", *wrong)
        c.check(f"folders: wrong usage {wrong}", done.returncode == 2 and part in done.stderr, done.stderr)
    done = c.run("filter", "folders", "--prototypes", folder / "none.index", "--reporter", "ann", "--spam", spam)
    c.check("folders: no prototypes", done.returncode == 1, done.stderr)
