"""The stream filter: verdicts beside counting in Python, and on real mail (with LOOKALIKE_DATA)."""
import csv
import json
import os
import random
import shutil
import subprocess
from collections import Counter
from pathlib import Path

from checks.harness import Checks
from checks.index import shingles
from checks.inputs import write_jsonl

REPORTERS = ("ann", "bob", "carl")
# The least share of the later members of a campaign that are found, at default settings.
RECALL = 0.45


def words(rng: random.Random, n: int) -> list:
    return ["".join(rng.choice("abcdefghij") for _ in range(rng.randint(3, 8))) for _ in range(n)]


def varied(rng: random.Random, text: list, changes: int) -> list:
    """A copy in which some words are replaced, dropped or doubled."""
    text = list(text)
    for _ in range(changes):
        at = rng.randrange(len(text))
        text[at:at + 1] = rng.choice(([], words(rng, 1), [text[at], *words(rng, 1)]))
    return text


def stream(rng: random.Random, n: int) -> list:
    """Messages of campaigns, legitimate ones and short ones, in random order."""
    campaigns = [words(rng, rng.randint(70, 160)) for _ in range(12)]
    short = [" ".join(words(rng, rng.randint(1, 20))) for _ in range(4)]
    made = []
    for number in range(n):
        kind = rng.random()
        if kind < 0.5:
            label, text = "spam", " ".join(varied(rng, rng.choice(campaigns), rng.randint(0, 14)))
        elif kind < 0.6:
            label, text = rng.choice(("spam", "ham")), rng.choice(short)
        else:
            label, text = "ham", " ".join(words(rng, rng.randint(1, 150)))
        made.append({"id": f"m{number}", "label": label, "text": text, "title": rng.choice(("hello", "re: prices"))})
    return made


class Model:
    """The filter in plain Python, with the default rule."""

    def __init__(self):
        self.prototypes: list = []

    def matching(self, message: dict) -> list:
        """The prototypes that a message matches, the best first."""
        own, found = message["text"].split(), []
        for number, (other, _) in enumerate(self.prototypes):
            a, b = shingles(message["text"]), shingles(other["text"])
            if len(own) < 64:
                value = 1.0 if message["text"] == other["text"] and message["title"] == other["title"] else 0.0
            else:
                value = len(a & b) / len(a | b) if len(other["text"].split()) >= 64 else 0.0
            if own and value >= 0.4:
                found.append((-value, number))
        return [(number, -value) for value, number in sorted(found)]

    def report(self, message: dict, reporter: str, what: str) -> None:
        found = self.matching(message)
        if not found and what != "revoke" and message["text"].split():
            self.prototypes.append((message, {reporter: what}))
        elif found:
            self.prototypes[found[0][0]][1][reporter] = what

    def verdict(self, message: dict) -> tuple:
        """Verdict, prototype and its numbers of reports."""
        found = [(number, value, Counter(self.prototypes[number][1].values())) for number, value in self.matching(message)]
        ham = [one for one in found if one[2]["ham"]]
        spam = [one for one in found if one[2]["spam"] >= 3]
        for kind, some in (("ham", ham), ("spam", spam), ("unsure", found)):
            if some:
                number, value, counts = some[0]
                return kind, self.prototypes[number][0]["id"], round(value, 9), counts["spam"], counts["ham"]
        return ("none", None, 0.0, 0, 0)


def lines_of(messages: list) -> str:
    return "".join(json.dumps({key: one.get(key) for key in ("id", "text", "title")}) + "\n" for one in messages)


def verdicts(c: Checks, prototypes: Path, messages: list, *options) -> dict:
    done = c.run("filter", "--prototypes", prototypes, "-q", *options, stdin=lines_of(messages))
    c.check("filter: gives verdicts", done.returncode == 0, done.stderr)
    return {line["id"]: line for line in map(json.loads, done.stdout.splitlines())}


def report(c: Checks, prototypes: Path, messages: list, reporter: str, what: str, *options) -> list:
    done = c.run("filter", "report", what, "--prototypes", prototypes, "--reporter", reporter, "-q", *options, "-", stdin=lines_of(messages))
    c.check("filter: reports", done.returncode == 0, done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def filter(c: Checks) -> None:  # noqa: A001, a part is called by the name of its command
    """Verdicts and reports equal those of a model in Python; streams; mail; real collections."""
    folder = c.work / "filter"
    folder.mkdir()
    against_the_model(c, folder)
    forms_of_input(c, folder)
    as_it_comes(c, folder)
    lexicon_terms(c, folder)
    in_a_mail_server(c, folder)
    kept_rule(c, folder)
    if data := os.environ.get("LOOKALIKE_DATA"):
        on_real_mail(c, folder, Path(data))


def against_the_model(c: Checks, folder: Path) -> None:
    rng, prototypes, model = random.Random(1), folder / "model.index", Model()
    c.check("filter: created", c.run("index", "create", prototypes, "-q").returncode == 0)
    messages, wrong, kinds = stream(rng, 700), [], Counter()
    for start in range(0, len(messages), 50):
        part = messages[start:start + 50]
        found = verdicts(c, prototypes, part)
        for message in part:
            line = found[message["id"]]
            counts = line.get("reports", {"spam": 0, "ham": 0})
            said = (line["verdict"], line.get("match", {}).get("id"), round(line["score"], 9), counts["spam"], counts["ham"])
            kinds[line["verdict"]] += 1
            if said != model.verdict(message):
                wrong.append((message["id"], said, model.verdict(message)))
            if line["verdict"] != "none" and len(message["text"].split()) >= 64 and not line.get("passages"):
                wrong.append((message["id"], "no passages", line))
        for _ in range(3):
            some, reporter = rng.sample(part, 12), rng.choice((*REPORTERS, "dora"))
            what = "spam" if rng.random() < 0.9 else "ham"
            some = [message for message in some if message["label"] == "spam"]
            lines = report(c, prototypes, some, reporter, what)
            for message, line in zip(some, lines):
                before = model.matching(message)
                if line["new"] != (not before):
                    wrong.append((message["id"], line, before))
                model.report(message, reporter, what)
    c.check("filter: verdicts equal those of a model", not wrong and all(kinds[kind] > 10 for kind in ("none", "ham", "unsure", "spam")), (wrong[:2], kinds))
    listed = c.run("filter", "list", "--prototypes", prototypes).stdout.splitlines()
    spam = [json.loads(line)["reports"]["spam"] for line in listed]
    expected = [Counter(said.values())["spam"] for _, said in model.prototypes]
    c.check("filter: lists its prototypes", spam == expected, (spam, expected))
    one = next(message for message, said in model.prototypes if set(said.values()) == {"spam"})
    said = next(said for message, said in model.prototypes if message is one)
    for reporter in said:
        last = report(c, prototypes, [one], reporter, "revoke")
    c.check("filter: a prototype without reports is gone", len(c.run("filter", "list", "--prototypes", prototypes).stdout.splitlines()) == len(spam) - 1, last)
    twice = report(c, prototypes, [one], "ann", "revoke")
    c.check("filter: nothing to revoke", [line["counted"] for line in twice] == [False], twice)
    checked = c.run("index", "check", prototypes, "--deep", "-q")
    c.check("filter: the index is whole", checked.returncode == 0, checked.stderr)


def forms_of_input(c: Checks, folder: Path) -> None:
    """The same verdicts on JSONL, mbox, Maildir and eml, on any number of threads; bad records."""
    rng, prototypes = random.Random(2), folder / "forms.index"
    c.run("index", "create", prototypes, "-q")
    messages = stream(rng, 300)
    for reporter in REPORTERS:
        report(c, prototypes, [one for one in messages[:150] if one["label"] == "spam"], reporter, "spam")
    expected = [(one["verdict"], one["score"]) for one in verdicts(c, prototypes, messages).values()]
    write_jsonl(folder / "messages.jsonl", messages)
    mails = [f"From: a@example.org\nSubject: {one['title']}\nContent-Type: text/plain\n\n{one['text']}\n" for one in messages]
    (folder / "messages.mbox").write_text("".join(f"From a@example.org Mon Nov 23 10:00:00 2026\n{mail}\n" for mail in mails))
    for name in ("cur", "new", "tmp"):
        (folder / "Maildir" / name).mkdir(parents=True)
    (folder / "eml").mkdir()
    for number, mail in enumerate(mails):
        (folder / "Maildir" / "cur" / f"{1_000_000_000 + number}.M1.host:2,S").write_text(mail)
        (folder / "eml" / f"{number:04}.eml").write_text(mail)
    outputs = set()
    for name in ("messages.jsonl", "messages.mbox", "Maildir", "eml"):
        for threads in (1, 3):
            done = c.run("filter", "--prototypes", prototypes, folder / name, "-q", "-j", threads)
            lines = [json.loads(line) for line in done.stdout.splitlines()]
            found = [(line["verdict"], line["score"]) for line in lines]
            c.check(f"filter: {name} on {threads} threads", found == expected, (found[:3], expected[:3], done.stderr))
            if name == "messages.jsonl":
                outputs.add(done.stdout)
    c.check("filter: the same bytes on any threads", len(outputs) == 1)
    one = c.run("filter", "--prototypes", prototypes, "--input-format", "eml", "-q", stdin=mails[7])
    c.check("filter: one message on standard input", json.loads(one.stdout)["verdict"] == expected[7][0], one.stdout + one.stderr)
    bad = lines_of(messages[:2]) + "bad\n" + lines_of(messages[2:4])
    done = c.run("filter", "--prototypes", prototypes, stdin=bad)
    kinds = [json.loads(line)["verdict"] == "error" for line in done.stdout.splitlines()]
    c.check("filter: a bad record has its line", done.returncode == 0 and kinds == [False, False, True, False, False] and "stdin:3" in done.stderr, done.stdout + done.stderr)
    strict = c.run("filter", "--prototypes", prototypes, "--strict", stdin=bad)
    c.check("filter: strict stops there", strict.returncode == 3 and len(strict.stdout.splitlines()) == 2, strict.stdout + strict.stderr)
    text = c.run("filter", "--prototypes", prototypes, folder / "messages.jsonl", "--format", "text", "-q")
    c.check("filter: as text", sum(line.startswith("spam ") for line in text.stdout.splitlines()) == sum(kind == "spam" for kind, _ in expected), text.stderr)
    for arguments, part in (
        (("--prototypes", prototypes, "--ask", "cluster"), "--ask"), (("--prototypes", prototypes, "--ask", "imatch"), "no methods"),
        ((), "--prototypes"), (("report", "spam", "--prototypes", prototypes), "--reporter"), (("--prototypes", prototypes, "-", folder / "eml"), "standard input"),
    ):
        done = c.run("filter", *arguments, stdin="")
        c.check(f"filter: wrong usage {part}", done.returncode == 2 and part in done.stderr, done.stderr)
    done = c.run("filter", "--prototypes", folder / "none.index", stdin="")
    c.check("filter: no prototypes", done.returncode == 1 and "none.index" in done.stderr, done.stderr)


def as_it_comes(c: Checks, folder: Path) -> None:
    """A line out for each line in, also while another process reports."""
    prototypes = folder / "stream.index"
    c.run("index", "create", prototypes, "-q")
    message = {"id": "a", "text": " ".join(words(random.Random(3), 100)), "title": ""}
    command = [str(c.binary), "filter", "--prototypes", str(prototypes), "-q"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        said = []
        for reporter in (None, *REPORTERS):
            if reporter:
                report(c, prototypes, [message], reporter, "spam")
            process.stdin.write(lines_of([message]))
            process.stdin.flush()
            said.append(json.loads(process.stdout.readline())["verdict"])
        process.stdin.close()
        code = process.wait()
    c.check("filter: answers as it comes, by the last commit", code == 0 and said == ["none", "unsure", "unsure", "spam"], said)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.close()
        try:
            for _ in range(3000):
                process.stdin.write(lines_of([message] * 20))
            process.stdin.close()
        except BrokenPipeError:
            pass
        process.stdin = None
        error = process.stderr.read()
        c.check("filter: a closed pipe is quiet", process.wait() == 0 and error == "", error)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdin.write(lines_of([message]))
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(2)
        c.check("filter: stops at once", process.wait(20) == 130, process.stderr.read())


def lexicon_terms(c: Checks, folder: Path) -> None:
    """Randomized I-Match with a secondary lexicon: near copies match, and the terms are named."""
    rng = random.Random(4)
    vocabulary = words(rng, 3000)
    write_jsonl(folder / "news.jsonl", [{"id": str(n), "text": " ".join(rng.sample(vocabulary, 120))} for n in range(400)])
    lexicon, prototypes = folder / "news.lexicon", folder / "terms.index"
    done = c.run("lexicon", "build", folder / "news.jsonl", "-o", lexicon, "-q")
    c.check("filter: lexicon", done.returncode == 0, done.stderr)
    method = "imatch-random:nidf=0.2..0.6,fill=1"
    done = c.run("index", "create", prototypes, "--method", method, "--lexicon", lexicon, "-q")
    c.check("filter: index with a method", done.returncode == 0, done.stderr)
    ask = ("--ask", "imatch-random")
    first = rng.sample(vocabulary, 100)
    for reporter in REPORTERS:
        report(c, prototypes, [{"id": "first", "text": " ".join(first)}], reporter, "spam", *ask)
    copies = [{"id": f"c{n}", "text": " ".join(rng.sample(first, len(first)) + [f"z{word}" for word in words(rng, 30)])} for n in range(20)]
    others = [{"id": f"o{n}", "text": " ".join(rng.sample(vocabulary, 100))} for n in range(50)]
    found = verdicts(c, prototypes, copies + others, *ask, "--reasons", "4")
    # Words of no lexicon do not count, in any order of the others.
    spam = [name for name, line in found.items() if line["verdict"] == "spam"]
    c.check("filter: copies by randomized I-Match", spam == [one["id"] for one in copies], spam)
    named = [set(line.get("terms", ())) for name, line in found.items() if name in spam]
    c.check("filter: terms are named", all(len(terms) == 4 and terms <= set(first) for terms in named), named[:1])
    changed = [{"id": f"d{n}", "text": " ".join(first[1:])} for n in range(1)]
    near = verdicts(c, prototypes, changed, *ask)["d0"]
    c.check("filter: a copy without one word agrees in part", near["verdict"] in ("spam", "none") and near["score"] < 1, near)


def in_a_mail_server(c: Checks, folder: Path) -> None:
    """A message on standard input: its Message-ID, the exit code, the marked message; as procmail and maildrop call it."""
    rng, prototypes = random.Random(6), folder / "server.index"
    c.run("index", "create", prototypes, "-q")
    texts = [" ".join(words(rng, 100)) for _ in range(3)]
    mails = [f"From: a@example.org\nSubject: \u00e9\nMessage-ID: <{n}@example.org>\nContent-Type: text/plain; charset=utf-8\n\n{text}\n" for n, text in enumerate(texts)]
    reported = [
        c.run("filter", "report", "spam", "--prototypes", prototypes, "--reporter", reporter, "--input-format", "eml", "-q", "-", stdin=mails[number])
        for reporter, number in (("ann", 0), ("bob", 0), ("carl", 0), ("ann", 1))
    ]
    ids = [json.loads(done.stdout)["prototype"] for done in reported]
    c.check("filter: a reported message is called by its Message-ID", ids == ["0@example.org"] * 3 + ["1@example.org"], ids)
    options = ("filter", "--prototypes", prototypes, "-q")
    expected = [("spam", 10), ("unsure", 11), ("none", 0)]
    for number, (verdict, code) in enumerate(expected):
        done = c.run(*options, "--input-format", "eml", "--exit-code", stdin=mails[number])
        line = json.loads(done.stdout)
        c.check(f"filter: exit code {code}", (line["id"], line["verdict"], done.returncode) == (f"{number}@example.org", verdict, code), (line, done.returncode))
        for mail in (mails[number], f"From a@example.org Mon Nov 23 10:00:00 2026\n{mails[number]}", "X-LOOKALIKE: ham\n more\n" + mails[number]):
            done = c.run(*options, "--header", stdin=mail)
            start = mail.startswith("From ") and mail.index("\n") + 1
            field, _, rest = done.stdout[start:].partition("\n")
            marked = mail[:start] == done.stdout[:start] and rest == mail[start:].removeprefix("X-LOOKALIKE: ham\n more\n")
            c.check(f"filter: a message is marked as {verdict}", marked and field.startswith(f"X-Lookalike: {verdict}") and done.returncode == 0, done.stdout[:200])
        both = c.run(*options, "--header=X-Spam-Verdict", "--exit-code", stdin=mails[number])
        c.check("filter: marked, with an exit code", both.stdout.startswith(f"X-Spam-Verdict: {verdict}") and both.returncode == code, both.stdout[:200])
    ham = c.run("filter", "report", "ham", "--prototypes", prototypes, "--reporter", "post", "--input-format", "eml", "-q", stdin=mails[0])
    done = c.run(*options, "--header", "--exit-code", stdin=mails[0])
    c.check("filter: ham has code 0", done.returncode == 0 and done.stdout.startswith("X-Lookalike: ham; score=1.0000; spam-reports=3; ham-reports=1; match=0@example.org\n"), (done.stdout[:200], ham.stderr))
    for raw in ("no message\n", ""):
        done = c.run(*options, "--header", stdin=raw)
        c.check("filter: what is no message comes out as it is", done.returncode == 0 and done.stdout == raw, done)
        done = c.run(*options, "--input-format", "eml", "--exit-code", stdin=raw)
        c.check("filter: exit code 12", done.returncode == 12 and json.loads(done.stdout)["verdict"] == "error", done)
    done = c.run(*options, "--input-format", "eml", "--strict", stdin="no message\n")
    c.check("filter: strict stops at a message that is none", done.returncode == 3 and done.stdout == "", done)
    done = c.run("filter", "--prototypes", folder / "none.index", "--header", stdin=mails[0])
    c.check("filter: without prototypes the message comes out", done.returncode == 1 and done.stdout == mails[0], done)
    several = c.run(*options, "--exit-code", stdin=lines_of([{"id": "a", "text": texts[2]}, {"id": "b", "text": texts[1]}, {"id": "c", "text": texts[2]}]))
    c.check("filter: the exit code of several messages", several.returncode == 11, several)
    for arguments, part in ((("--header", "x.eml"), "--header"), (("--header=a b",), "header field"), (("--header", "--format", "json"), "--header")):
        done = c.run(*options, *arguments, stdin="")
        c.check(f"filter: wrong usage {part}", done.returncode == 2 and part in done.stderr, done.stderr)
    deliver(c, folder, prototypes, mails[1:])


def deliver(c: Checks, folder: Path, prototypes: Path, mails: list) -> None:
    """The recipes of docs/how-to/mail-server.md, where the programs are."""
    command = f"{c.binary} filter --prototypes {prototypes}"
    if program := shutil.which("procmail"):
        recipe = folder / "procmailrc"
        recipe.write_text(f"MAILDIR={folder}\nDEFAULT={folder}/inbox\nVERBOSE=off\n\n:0 fw\n| {command} --header -q\n\n:0:\n* ^X-Lookalike: unsure\nunsure\n")
        for mail in mails:
            subprocess.run([program, "-m", str(recipe)], input=mail.encode(), check=True, timeout=60)
        found = [mailbox.read_text().count("\nMessage-ID: <") for mailbox in (folder / "unsure", folder / "inbox")]
        c.check("filter: procmail files by the header", found == [1, 1], found)
    if program := shutil.which("maildrop"):
        recipe = folder / "mailfilter"
        recipe.write_text(
            f'SHELL="/bin/sh"\n`{command} --input-format eml --exit-code -q >/dev/null`\nif ($RETURNCODE == 11)\n    to "{folder}/maildrop-unsure"\n'
            f'xfilter "{command} --header -q"\nif (/^X-Lookalike: none/)\n    to "{folder}/maildrop-none"\n'
        )
        recipe.chmod(0o600)
        for mail in mails:
            subprocess.run([program, str(recipe)], input=mail.encode(), check=True, timeout=60)
        found = [(folder / name).read_text().count("\nMessage-ID: <") for name in ("maildrop-unsure", "maildrop-none")]
        c.check("filter: maildrop files by the exit code and the header", found == [1, 1], found)


def kept_rule(c: Checks, folder: Path) -> None:
    """The rule that the index keeps decides, and what a call gives takes precedence."""
    prototypes = folder / "rule.index"
    c.run("index", "create", prototypes, "-q")
    rule = ("filter", "rule", "--prototypes", prototypes)
    c.check("filter: no rule", c.run(*rule).stdout == "{}\n")
    text = " ".join(words(random.Random(7), 100))
    half = {"id": "half", "text": text + " " + " ".join(words(random.Random(8), 150)), "title": ""}
    report(c, prototypes, [{"id": "whole", "text": text, "title": ""}], "ann", "spam")
    said = lambda *options: verdicts(c, prototypes, [half], *options)["half"]["verdict"]
    c.check("filter: the usual rule", (said(), said("--ask", "contained-in"), said("--ask", "contained-in", "--reports", "1")) == ("none", "unsure", "spam"))
    done = c.run(*rule, "--ask", "contained-in", "--threshold", "0.9", "--reports", "1", "--min-words", "50")
    kept = {"ask": "contained-in", "threshold": "0.9", "min_words": 50, "reports": 1}
    c.check("filter: a rule is kept", done.returncode == 0 and json.loads(done.stdout) == kept == json.loads(c.run(*rule).stdout), done.stderr)
    found = [said(), said("--reports", "2"), said("--ask", "resembles"), said("--min-words", "300")]
    c.check("filter: the rule that is kept decides", found == ["spam", "unsure", "none", "none"], found)
    line = report(c, prototypes, [half], "bob", "spam")[0]
    c.check("filter: reports follow it", line["prototype"] == "whole" and not line["new"], line)
    stats = json.loads(c.run("index", "stats", prototypes, "--format", "json").stdout)
    c.check("filter: index stats shows it", stats["filter_rule"] == kept and "contained-in" in c.run("index", "stats", prototypes, "--format", "text").stdout, stats)
    done = c.run(*rule, "--ask", "resembles")
    c.check("filter: another question drops the threshold", json.loads(done.stdout) == {"ask": "resembles", "min_words": 50, "reports": 1}, done.stdout)
    for wrong in (("--ask", "imatch"), ("--ask", "cluster"), ("--threshold", "2"), ("--reports", "0")):
        done = c.run(*rule, *wrong)
        c.check(f"filter: no rule {wrong}", done.returncode == 2, done.stderr)
    c.check("filter: an index with a rule is whole", c.run("index", "check", prototypes, "--deep", "-q").returncode == 0)


def on_real_mail(c: Checks, folder: Path, data: Path) -> None:
    """Each spam is reported by three reporters after verdicts were given on it and its neighbours: no legitimate message is called spam."""
    block = 100
    for name, by_date in (("planted_spam_a", False), ("mail_enron_a", True), ("mail_spamassassin", True), ("mail_lingspam", False), ("mail_csdmc2010", False)):
        raw = subprocess.run(["zstd", "-dcq", str(data / name / "docs.jsonl.zst")], capture_output=True, check=True).stdout
        messages = [json.loads(line) for line in raw.split(b"\n") if line]
        if by_date:
            messages.sort(key=lambda message: message.get("date") or "")
        prototypes, found = folder / f"{name}.index", {}
        c.run("index", "create", prototypes, "-q")
        for start in range(0, len(messages), block):
            part = messages[start:start + block]
            found.update(verdicts(c, prototypes, part))
            spam = [message for message in part if message["label"] == "spam"]
            for reporter in REPORTERS if spam else ():
                report(c, prototypes, spam, reporter, "spam")
        kinds = Counter((message["label"], found[message["id"]]["verdict"]) for message in messages)
        c.check(f"filter: {name}: a verdict on every message", sum(kinds.values()) == len(messages))
        wrong = [(message["id"], found[message["id"]]) for message in messages if message["label"] == "ham" and found[message["id"]]["verdict"] != "none"]
        c.check(f"filter: {name}: no legitimate message matches", not wrong, wrong[:2])
        print(f"   {name}: {sorted(kinds.items())}", flush=True)
        if (truth := data / name / "clusters.tsv").is_file():
            with open(truth, newline="", encoding="utf-8") as rows:
                campaign = {row["id"]: row["cluster"] for row in csv.DictReader(rows, delimiter="\t")}
            seen, later = set(), []
            for message in messages:
                if number := campaign.get(message["id"]):
                    later += [found[message["id"]]["verdict"] == "spam"] if number in seen else []
                    seen.add(number)
            recall = sum(later) / len(later)
            print(f"   {name}: {sum(later)} of {len(later)} later members of campaigns: recall {recall:.3f}", flush=True)
            c.check(f"filter: {name}: recall", recall >= RECALL, recall)
