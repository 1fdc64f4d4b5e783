"""Questions in a file: the answers are those to single questions and by a comparison of all shingles, in order; bad questions."""
import io
import json
import random
import subprocess
from pathlib import Path

from checks.harness import Checks
from checks.index_passages import made, words_of
from checks.inputs import write_jsonl

MEASURES = {
    "resembles": lambda q, d: len(q & d) / len(q | d),
    "containing": lambda q, d: len(q & d) / len(q),
    "contained-in": lambda q, d: len(q & d) / len(d),
    "cosine": lambda q, d: len(q & d) / (len(q) * len(d)) ** 0.5,
}


def shingles(text: str) -> set:
    """Shingles of 2 words."""
    words = [word for word, *_ in words_of(text)]
    return set(zip(words, words[1:]))


def asked(rng: random.Random, documents: list, texts: list) -> dict:
    """A question about a stored document or a new text."""
    question: dict = {"key": rng.choice([None, 7, "ä\u202e", [1, {"a": 2.5}]])}
    about = rng.choice(["text", "text", "id", "url", "cluster"])
    question[about] = rng.choice(texts) if about == "text" else rng.choice(documents)["url" if about == "url" else "id"]
    if about != "cluster":
        question["ask"] = rng.choice([*MEASURES, "cluster", "passages"])
    if question.get("ask") in MEASURES and rng.random() < 0.8:
        question["threshold"] = rng.choice([0.1, "0.3", 0.55, 1])
    for name, value in (("limit", 3), ("site", "www1.example.org"), ("kept", True), ("passages", True), ("sweep", None)):
        if rng.random() < 0.2:
            question[name] = value
    return question


def flags(question: dict) -> list:
    """The command line of a question."""
    given = {name: value for name, value in question.items() if value is not None and name not in ("key", "text")}
    made = [[f"--{name}"] if value is True else [f"--{name}={value}"] for name, value in given.items()]
    return [*sum(made, []), *(["--", question["text"]] if "text" in question else [])]


def batch(c: Checks, index: Path, data: bytes, *more: object) -> subprocess.CompletedProcess:
    command = [str(part) for part in (c.binary, "query", index, "--batch", "-", *more)]
    return subprocess.run(command, input=data, capture_output=True, timeout=300)


def lines_of(done: subprocess.CompletedProcess) -> list:
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def index_batch(c: Checks) -> None:
    folder = c.work / "index-batch"
    folder.mkdir()
    documents = made(11, 150, "d")
    texts = [row["text"] for row in made(12, 40, "q")] + [row["text"] for row in documents[::9]] + [row["text"][:60] for row in documents[::7]]
    write_jsonl(folder / "docs.jsonl", documents)
    index = folder / "batch.index"
    c.check("created", c.run("index", "create", index, "--passages", 5, "--shingle", 2, "-q").returncode == 0)
    c.check("added", c.run("index", "add", index, folder / "docs.jsonl", "--commit-every", 40, "-q").returncode == 0)
    rng = random.Random(13)
    questions = [asked(rng, documents, texts) for _ in range(300)]
    write_jsonl(folder / "questions.jsonl", questions)
    data = (folder / "questions.jsonl").read_bytes()
    first = c.run("query", index, "--batch", folder / "questions.jsonl", "-j", 1)
    answers = [json.loads(line) for line in first.stdout.splitlines()]
    c.check("one line for each question", [answer["line"] for answer in answers] == list(range(1, 301)), first.stderr)
    c.check("keys", [answer["key"] for answer in answers] == [question["key"] for question in questions])
    c.check("what a terminal acts on is escaped", "\u202e" not in first.stdout)
    for number, (question, answer) in enumerate(zip(questions, answers)):
        alone = c.run("query", index, "--format", "json", *flags(question))
        rest = {name: value for name, value in answer.items() if name not in ("line", "key")}
        c.check(f"question {number}: as alone", alone.returncode == 0 and rest == json.loads(alone.stdout), f"{question} {rest} {alone.stdout}{alone.stderr}")
    counted(c, documents, questions, answers)
    for threads in (1, 4):
        c.check(f"{threads} threads", batch(c, index, data, "-j", threads).stdout.decode() == first.stdout)
    c.check("CRLF, no last line end", batch(c, index, data.replace(b"\n", b"\r\n").rstrip()).stdout.decode() == first.stdout)
    blank = lines_of(batch(c, index, b"\xef\xbb\xbf" + data.replace(b"\n", b"\n \n")))
    c.check("blank lines count", [answer["line"] for answer in blank] == list(range(1, 600, 2)))
    defaults(c, index, questions)
    broken(c, folder, index)
    closed_pipe(c, index)


def counted(c: Checks, documents: list, questions: list, answers: list) -> None:
    """The numbers of documents by all shingles of all documents."""
    sets = {row["id"]: shingles(row["text"]) for row in documents}
    by_url = {row["url"]: row["id"] for row in documents}
    compared = 0
    for number, (question, answer) in enumerate(zip(questions, answers)):
        if question.get("ask") not in MEASURES or {"site", "kept", "limit"} & set(question):
            continue
        own = question.get("id") or by_url.get(question.get("url"))
        query = sets[own] if own else shingles(question["text"])
        if not query:
            continue
        threshold = float(question.get("threshold", 0.8))
        measure = MEASURES[question["ask"]]
        found = {name for name, one in sets.items() if name != own and one and one & query and measure(query, one) >= threshold - 1e-12}
        c.check(f"question {number}: by all shingles", {match["id"] for match in answer["matches"]} == found and answer["total"] == len(found), f"{question} {found}")
        compared += 1
    c.check("some questions are compared", compared > 50, compared)


def defaults(c: Checks, index: Path, questions: list) -> None:
    """What a question does not have comes from the options."""
    subjects = [{name: value for name, value in question.items() if name in ("text", "id", "url")} for question in questions if "cluster" not in question]
    full = [{**subject, "ask": "containing", "threshold": 0.2, "limit": 2, "kept": True} for subject in subjects]
    lines = ["".join(json.dumps(row) + "\n" for row in rows).encode() for rows in (subjects, full)]
    short = batch(c, index, lines[0], "--ask", "containing", "-t", "0.2", "-n", 2, "--kept")
    c.check("options are defaults", short.returncode == 0 and short.stdout == batch(c, index, lines[1]).stdout, short.stderr.decode())
    cluster = batch(c, index, b'{"cluster": "d1"}', "--ask", "containing")
    c.check("a cluster reads no --ask", cluster.stdout == batch(c, index, b'{"cluster": "d1"}').stdout)
    hint = lines_of(batch(c, index, b'{"text": "ba la"}\n{"text": "ba la", "threshold": 0.001}'))
    c.check("answers without a match", all("matches" in answer for answer in hint))


def broken(c: Checks, folder: Path, index: Path) -> None:
    """Bad questions between good ones; files without questions or without an end."""
    good = b'{"id": "d1", "key": 1}'
    bad = [
        (b'{"id": "d1", "tresh": 1, "key": "k"}', "unknown field `tresh`"),
        (b'{"id": "d1"', "EOF"),
        (b"nonsense", "JSON object"),
        (b'["d1"]', "JSON object"),
        (b'{"id": "\xff"}', "invalid"),
        (b'{"id": "nowhere"}', "`nowhere`"),
        (b'{"url": "http://nowhere/"}', "URL"),
        (b'{"key": 1}', "exactly one of text, id, url and cluster"),
        (b'{"id": "d1", "text": ""}', "several"),
        (b'{"id": "d1", "ask": "guess"}', "`guess`"),
        (b'{"id": "d1", "threshold": 2}', "threshold"),
        (b'{"id": "d1", "threshold": "x"}', "threshold"),
        (b'{"id": "d1", "limit": 0}', "nonzero"),
        (b'{"id": "d1", "since": "soon"}', "date"),
        (b'{"id": "d1", "sweep": "none"}', "sweep"),
        (b'{"id": "d1", "ask": "passages", "threshold": 0.5}', "threshold"),
        (b'{"cluster": "d1", "ask": "cosine"}', "cluster"),
    ]
    data = b"\n".join(good + b"\n" + line for line, _ in bad)
    done = batch(c, index, data)
    answers = lines_of(done)
    c.check("bad questions: all are answered", done.returncode == 0 and len(answers) == 2 * len(bad), done.stderr.decode())
    c.check("bad questions: good ones", all("problem" not in answer and answer["key"] == 1 for answer in answers[::2]))
    for (line, says), answer in zip(bad, answers[1::2]):
        c.check(f"bad: {line!r}", says in answer.get("problem", "") and "matches" not in answer, answer)
    c.check("a bad question has its key", answers[1]["key"] == "k", answers[1])
    stderr = done.stderr.decode()
    c.check("bad questions: named", "stdin:2:" in stderr and f"and {len(bad) - 5} more; --strict" in stderr, stderr)
    done = batch(c, index, data, "--strict")
    c.check("--strict", done.returncode == 3 and len(lines_of(done)) == 1 and "stdin:2:" in done.stderr.decode(), done.stderr.decode())
    c.check("only bad questions", batch(c, index, b"{}\n").returncode == 1)
    for data in (b"", b"\n", b"\r\n\r\n"):
        done = batch(c, index, data)
        c.check(f"no question in {data!r}", (done.returncode, done.stdout, done.stderr) == (0, b"", b""), done.stderr.decode())
    done = batch(c, index, good + b"\n{}", "-v")
    c.check("-v counts", "1 questions answered, 1 with a problem" in done.stderr.decode(), done.stderr.decode())
    (folder / "look.toml").write_text("threads = 2\nstrict = true\nverbose = true\n", encoding="utf-8")
    configured = c.run("query", index, "--id", "d1", "--config", folder / "look.toml")
    c.check("options of every command do not stop a single question", configured.returncode == 0, configured.stderr)
    done = c.run("query", index, "--batch", folder / "nothing.jsonl")
    c.check("no such file", done.returncode == 1 and "nothing.jsonl" in done.stderr, done.stderr)
    for more in (["--batch", "-", "text"], ["--batch", "-", "--id", "d1"]):
        done = c.run("query", index, *more)
        c.check(f"{more} is refused", done.returncode == 2 and "--" in done.stderr, done.stderr)


def closed_pipe(c: Checks, index: Path) -> None:
    """A reader that stops ends the command; a writer that waits gets its answers."""
    command = [str(c.binary), "query", str(index), "--batch", "-"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as process:
        for number in range(3):
            process.stdin.write(json.dumps({"id": "d1", "key": number}).encode() + b"\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            c.check(f"answer {number} is there", (answer["key"], answer["line"]) == (number, number + 1), answer)
        process.stdout.close()
        try:
            process.stdin.write(b'{"id": "d1"}\n' * 20000)
            process.stdin.close()
        except BrokenPipeError:
            process.stdin = io.BytesIO()
        c.check("a closed pipe is no error", process.wait(60) == 0 and not process.stderr.read())
