"""Kills of every command that writes to an index, a full disk, and readers beside a writer: only whole commits are ever seen."""
import json
import os
import random
import resource
import shutil
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path

from checks.harness import Checks

# Every document has these words, so that one question finds all documents of a commit.
COMMON = "every document of this index begins with these words"
# A write to a pipe of at most this many bytes arrives whole.
WHOLE = 4096
# Documents of a commit at most.
GROUP = 1000
# Kills of `index add`: with LOOKALIKE_LONG=1 the larger number.
KILLS = 200 if os.environ.get("LOOKALIKE_LONG") == "1" else 30


class Bursts:
    """Documents in bursts, each written at once, and what an index holds after a number of them.

    The first document of a burst is new, so that the number of documents tells the bursts apart.
    """

    def __init__(self, rng: random.Random):
        self.rng = rng
        # After each number of bursts: texts by id.
        self.after: list = [{}]
        self.lines = [0]
        self.counts = {0: 0}

    def next(self, size: int) -> bytes:
        state = dict(self.after[-1])
        burst, rows = len(self.after), []
        for at in range(size):
            update = at > 0 and self.rng.random() < 0.4
            name = self.rng.choice(list(state)) if update else f"d{burst}-{at}"
            text = f"{COMMON} b{burst} n{at} of {size} " + " ".join(f"w{self.rng.randrange(40)}" for _ in range(self.rng.randrange(6)))
            row = json.dumps({"id": name, "text": text})
            if sum(map(len, rows)) + len(row) + 2 * len(rows) > WHOLE - 100:
                break
            rows.append(row)
            state[name] = text
        data = ("\n".join(rows) + "\n").encode()
        assert len(data) <= WHOLE
        self.after.append(state)
        self.lines.append(self.lines[-1] + len(rows))
        self.counts[len(state)] = burst
        return data

    def back_to(self, burst: int) -> None:
        """Forgets the bursts that were lost."""
        del self.after[burst + 1:], self.lines[burst + 1:]
        self.counts = {len(state): at for at, state in enumerate(self.after)}


class Adding:
    """`index add DIR -`, with a thread that reads what it prints."""

    def __init__(self, c: Checks, index: Path, *options):
        command = [str(part) for part in (c.binary, "index", "add", index, "-", "-q", *options)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
        self.printed: list = []
        self.news = threading.Condition()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self) -> None:
        rest = b""
        while more := os.read(self.process.stdout.fileno(), 1 << 16):
            *lines, rest = (rest + more).split(b"\n")
            with self.news:
                self.printed += [json.loads(line) for line in lines]
                self.news.notify_all()
        with self.news:
            self.printed.append(None)
            self.news.notify_all()

    def write(self, data: bytes) -> bool:
        """Whether the process was there to take it."""
        try:
            os.write(self.process.stdin.fileno(), data)
        except BrokenPipeError:
            return False
        return True

    def wait_for(self, documents: int) -> None:
        """Waits for the commit that has so many documents, or for the end."""
        with self.news:
            self.news.wait_for(lambda: self.printed and (self.printed[-1] is None or self.printed[-1]["documents"] >= documents), 60)

    def commits(self) -> list:
        """What was printed, after the end."""
        self.reader.join(60)
        return [line for line in self.printed if line]


def documents(c: Checks, index: Path):
    """The texts of an index by id, or what went wrong."""
    done = c.run("index", "export", index, "--documents")
    if done.returncode:
        return done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    found = {row["id"]: row["text"] for row in rows}
    return found if len(found) == len(rows) else "an id is there twice"


def stats(c: Checks, index: Path) -> dict:
    done = c.run("index", "stats", index, "--format", "json")
    return json.loads(done.stdout) if done.returncode == 0 else {"error": done.stderr}


def sound(c: Checks, index: Path) -> tuple:
    """What `index check --deep` says."""
    done = c.run("index", "check", index, "--deep", "-q")
    return done.returncode == 0, done.stdout + done.stderr


def index_crash(c: Checks) -> None:
    """Kills of adding, merging, compacting, deleting and creating; readers during a writer; a full disk."""
    (c.work / "index_crash").mkdir()
    kills_of_adding(c, c.work / "index_crash")
    kills_of_others(c, c.work / "index_crash")
    readers(c, c.work / "index_crash")
    file_too_large(c, c.work / "index_crash")


def kills_of_adding(c: Checks, folder: Path) -> None:
    """Every document of a printed commit is there, and no half group."""
    seed = int(os.environ.get("LOOKALIKE_SEED", "1"))
    rng, figures, index, bursts = random.Random(seed), Counter(), folder, Bursts(random.Random(seed))
    for kill in range(KILLS):
        if kill % 10 == 0:
            index, bursts = folder / f"{kill}.index", Bursts(random.Random(seed * 1000 + kill))
            c.run("index", "create", index, "-q")
        every = rng.choice((None, None, 1, 3, 12))
        waits = rng.random() < 0.4
        options = ["-j", rng.choice((1, 2)), *(["--commit-every", every] if every else [])]
        name = f"index_crash: kill {kill} of {options}, {'waiting' if waits else 'not waiting'}, seed {seed}"
        adding = Adding(c, index, *options)
        killer = threading.Timer(rng.uniform(0.0, 0.05) if rng.random() < 0.15 else rng.uniform(0.02, 0.6), adding.process.kill)
        killer.start()
        before = len(bursts.after) - 1
        # At most so many, for the time that the checks take.
        for _ in range(300):
            if not adding.write(bursts.next(every or rng.choice((1, 5, 40)))):
                break
            if waits:
                adding.wait_for(len(bursts.after[-1]))
        adding.process.wait()
        killer.join()
        commits, errors = adding.commits(), adding.process.stderr.read().decode()
        adding.process.stdin.close()
        if not c.check(f"{name}: was killed", adding.process.returncode == -9 and not errors, errors):
            return
        # What was printed is a whole number of bursts each, in groups of at most so many lines.
        ends = [before] + [bursts.counts.get(line["documents"]) for line in commits]
        if not c.check(f"{name}: commits are of whole groups", None not in ends and ends == sorted(set(ends)), commits):
            return
        sizes = [bursts.lines[b] - bursts.lines[a] for a, b in zip(ends, ends[1:])]
        c.check(f"{name}: size of groups", max(sizes, default=0) <= (every or GROUP), sizes)
        ok, wrong = sound(c, index)
        if not c.check(f"{name}: checked deeply", ok, wrong):
            return
        found = documents(c, index)
        held = bursts.counts.get(len(found)) if isinstance(found, dict) else None
        # The group under way was committed or not; one that waits for its acknowledgement has one burst.
        most = bursts.lines[ends[-1]] + (every or GROUP) if held is not None else 0
        whole = held is not None and found == bursts.after[held] and ends[-1] <= held and bursts.lines[held] <= most
        if not c.check(f"{name}: whole groups, and every printed one", whole and (not waits or held <= ends[-1] + 1), f"{ends[-1]} printed, {held} found, {str(found)[:300]}"):
            return
        now = stats(c, index)
        c.check(f"{name}: number of the commit", now["commit"] >= (commits[-1]["commit"] if commits else 0), now)
        figures.update(kills=1, commits=len(commits), printed_documents=sum(sizes), kept_unprinted=held > ends[-1], without_commit=not commits)
        # Numbers of commits that were not printed are those of merges.
        numbers = [line["commit"] for line in commits]
        figures.update(merges=sum(b - a - 1 for a, b in zip(numbers, numbers[1:])))
        bursts.back_to(held)
    # A kill between a durable commit and its line is a matter of luck, but not in 200.
    moments = ("merges", "commits", *(("kept_unprinted",) if KILLS >= 200 else ()))
    c.check("index_crash: kills at every kind of moment", all(figures[name] for name in moments), figures)
    print(f"index_crash: {dict(figures)}", flush=True)


def kills_of_others(c: Checks, folder: Path) -> None:
    """A command that was killed has done all or nothing, and does it when it is repeated."""
    rng, figures = random.Random(5), Counter()
    bursts = Bursts(random.Random(6))
    base, other = folder / "base.index", folder / "other.index"
    for index, number in ((base, 30), (other, 8)):
        c.run("index", "create", index, "-q")
        adding = Adding(c, index, "--commit-every", 20)
        for _ in range(number):
            adding.write(bursts.next(20))
        adding.process.stdin.close()
        adding.process.wait()
    old, more = documents(c, base), documents(c, other)
    ids = folder / "crash.ids"
    gone = rng.sample(sorted(old), len(old) // 2)
    ids.write_text("\n".join(gone))
    merged = {**old, **more}
    commands = {
        "compact": (["compact"], old), "merge": (["merge", other], merged),
        "delete": (["delete", "--ids", ids], {name: text for name, text in old.items() if name not in set(gone)}), "create": (["create"], {}),
    }
    for verb, ((word, *arguments), after) in commands.items():
        def command(index):
            return ["index", word, index, *arguments, "-q"]
        def fresh(name: str) -> Path:
            index = folder / name
            if verb != "create":
                shutil.copytree(base, index)
            return index
        index = fresh(f"{verb}-undisturbed")
        started = time.monotonic()
        done = c.run(*command(index))
        usual = time.monotonic() - started
        c.check(f"index_crash: {verb}", done.returncode == 0 and documents(c, index) == after, done.stderr)
        for kill in range(max(10, KILLS // 4)):
            name = f"index_crash: {verb}, kill {kill}"
            index = fresh(f"{verb}-{kill}")
            process = subprocess.Popen([str(part) for part in (c.binary, *command(index))], stderr=subprocess.PIPE)
            try:
                process.wait(rng.uniform(0, 1.2 * usual))
            except subprocess.TimeoutExpired:
                process.kill()
            process.communicate()
            killed = process.returncode == -9
            found = documents(c, index)
            if verb == "create":
                missing = isinstance(found, str) and ("there is no index" in found or not index.exists())
                c.check(f"{name}: an index or none", found == {} or killed and missing, found)
                figures[f"{verb}: {'done' if found == {} else 'nothing'}"] += killed
                if found != {}:
                    done = c.run(*command(index))
                    c.check(f"{name}: repeated", done.returncode == 0 and documents(c, index) == {}, done.stderr)
                continue
            c.check(f"{name}: all or nothing", found == after or killed and found == old, str(found)[:300])
            done = len(stats(c, index)["segments"]) == 1 if verb == "compact" else found == after
            figures[f"{verb}: {'done' if done else 'nothing'}"] += killed
            ok, wrong = sound(c, index)
            c.check(f"{name}: checked deeply", ok, wrong)
            done = c.run(*command(index))
            c.check(f"{name}: repeated", done.returncode == 0 and documents(c, index) == after, done.stderr)
            shutil.rmtree(index)
    c.check("index_crash: commands were killed", sum(figures.values()) > 5, figures)
    print(f"index_crash: killed commands {dict(figures)}", flush=True)


class Watcher(threading.Thread):
    """Asks for the number of documents again and again in other processes, and keeps the answers."""

    def __init__(self, ask):
        super().__init__(daemon=True)
        self.ask, self.over, self.answers, self.errors = ask, threading.Event(), [], []

    def run(self) -> None:
        while not self.over.is_set():
            answer = self.ask()
            (self.answers if isinstance(answer, tuple) else self.errors).append(answer)

    def end(self) -> None:
        self.over.set()
        self.join()


def readers(c: Checks, folder: Path) -> None:
    """While another process adds, merges and compacts, every answer is that of one commit."""
    index, other = folder / "read.index", folder / "base.index"
    bursts = Bursts(random.Random(8))
    c.run("index", "create", index, "-q")

    def asked():
        done = c.run("query", index, COMMON, "--ask", "containing", "-t", 1, "--format", "json")
        if done.returncode:
            return done.stderr
        answer = json.loads(done.stdout)
        return answer["commit"], answer["total"] if answer["total"] == len(answer["matches"]) else "total"

    def counted():
        now = stats(c, index)
        if "error" in now:
            return now["error"]
        live = sum(segment["documents"] for segment in now["segments"])
        return now["commit"], now["documents"] if now["documents"] == live else "segments"

    def checked():
        done = c.run("index", "check", index, "--deep", "-q")
        return done.stdout + done.stderr if done.returncode else (0, 0)

    watchers = [Watcher(asked), Watcher(counted), Watcher(checked)]
    for watcher in watchers:
        watcher.start()
    adding = Adding(c, index, "--commit-every", 4)
    for _ in range(120):
        adding.write(bursts.next(4))
        adding.wait_for(len(bursts.after[-1]))
    adding.process.stdin.close()
    adding.process.wait()
    commits = {line["commit"]: line["documents"] for line in adding.commits()}
    c.check("index_crash: readers: all was added", adding.process.returncode == 0 and len(commits) == 120, adding.process.stderr.read())
    number = stats(c, index)["commit"]
    for step in (["compact"], ["merge", other], ["compact"]):
        done = c.run("index", step[0], index, *step[1:], "-q")
        c.check(f"index_crash: readers: {step[0]}", done.returncode == 0, done.stderr)
        if step[0] == "merge":
            added = len(set(documents(c, index)))
    for watcher in watchers:
        watcher.end()
    wrong = []
    for watcher in watchers[:2]:
        for commit, total in watcher.answers:
            # A commit that was not printed is a merge: it has the documents of the one before.
            printed = max((one for one in commits if one <= commit), default=None)
            expected = {commits[printed]} if printed else {0}
            if commit > number:
                expected.add(added)
            if total not in expected:
                wrong.append((commit, total, expected))
        seen = [commit for commit, _ in watcher.answers]
        if seen != sorted(seen):
            wrong.append("an answer of an earlier commit than the one before")
    errors = [error for watcher in watchers for error in watcher.errors]
    different = [len(set(watcher.answers)) for watcher in watchers[:2]]
    c.check("index_crash: readers: no command failed", not errors, errors[:2])
    c.check("index_crash: readers: every answer is that of one commit", not wrong and min(different) > 2, (wrong[:5], different))
    print(f"index_crash: readers: {[len(watcher.answers) for watcher in watchers]} answers, of {different} commits", flush=True)


def file_too_large(c: Checks, folder: Path) -> None:
    """A write that fails at any size of a file: the command says so, the index keeps its commit, and goes on later."""
    rows = "".join(json.dumps({"id": f"big{at}", "text": " ".join(f"t{at * n % 9973}" for n in range(300))}) + "\n" for at in range(300))
    base, stopped = folder / "base.index", 0
    old = documents(c, base)
    for limit in (0, 100, 4096, 20_000, 66_000, 80_000, 100_000, 200_000, 400_000, 800_000):
        index = folder / f"limit-{limit}.index"
        shutil.copytree(base, index)
        command = [str(part) for part in (c.binary, "index", "add", index, "-", "-q")]
        done = subprocess.run(
            command, input=rows, capture_output=True, text=True, restore_signals=False,
            # Python ignores SIGXFSZ, and so does the child: the write fails.
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        )
        name = f"index_crash: files of at most {limit} bytes"
        found = documents(c, index)
        stopped += done.returncode != 0
        printed = [json.loads(line)["documents"] for line in done.stdout.splitlines()]
        if done.returncode:
            c.check(f"{name}: says what failed", "File too large" in done.stderr and str(index) in done.stderr, done.stderr)
        c.check(f"{name}: whole commits", isinstance(found, dict) and len(found) >= (printed or [len(old)])[-1] and old.items() <= found.items(), found if isinstance(found, str) else len(found))
        ok, wrong = sound(c, index)
        c.check(f"{name}: checked deeply", ok, wrong)
        done = c.run("index", "add", index, "-", "-q", stdin=rows)
        c.check(f"{name}: goes on without the limit", done.returncode == 0 and len(documents(c, index)) == len(old) + 300, done.stderr)
    c.check("index_crash: files were too large", 3 <= stopped < 10, stopped)
