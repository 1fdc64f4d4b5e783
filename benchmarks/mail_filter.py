#!/usr/bin/env python3
"""The filter of a mail stream on collections of real mail, in order of time, beside rspamd's fuzzy storage on the same mail.

    python3 benchmarks/mail_filter.py DATA              # needs rspamd and redis-server; --only NAME, --no-rspamd

Messages come in blocks of 100. On each block verdicts are given, then every spam of it is reported: to lookalike by three
reporters, to rspamd by one `fuzzyadd`. All settings are the defaults; rspamd's are those of its own configuration
(min_length = 64, min_bytes = 1k, short texts by their digest, mumhash), and once more without min_bytes. A message is *found*
by lookalike if it is called spam (legitimate mail already if it is called anything but none), and by rspamd if the rule has
a symbol.

* recall of campaigns: of planted campaigns, the found ones among the messages that follow the first of theirs; of other
  collections, among the spam that has a true pair (`ref_jac08`, resemblance of word 5-shingles ≥ 0.8) in an earlier block.
* utility of the stream: found spam less 100 for each legitimate message found, per spam message.
* utility of the paper (Kołcz & Chowdhury 2008, 6.4): the mean over all spam of what it finds in its whole collection, other
  spam less 100 for each legitimate message, by the rule of the filter.

Before any figure the driver of rspamd is checked on edited copies of news (`news_bbc`), of which the share of equal minima is
known. (Not on mail: where a text is no clear English, rspamd's guess of the language, and so its stems, differ from call to
call.) Standard library only.
"""
import argparse
import csv
import json
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "peers"))
from rspamd_server import Server, add, found, message, redis_server, rspamd  # noqa: E402

BLOCK, COST, REPORTERS = 100, 100, ("ann", "bob", "cem")
COLLECTIONS = ("planted_spam_a", "mail_enron_a", "mail_spamassassin", "mail_lingspam", "mail_csdmc2010")
BY_TIME = ("mail_enron_a", "mail_spamassassin")
MIN_WORDS, THRESHOLD = 64, "0.4"
SHORT = 'algorithm = "mumhash"; min_length = 64; short_text_direct_hash = yes;'


class Collection:
    """Messages in order of time, or of their file, and which belong together."""

    def __init__(self, folder: Path):
        self.name = folder.name
        self.messages = [message for message in map(json.loads, self.lines(folder / "docs.jsonl.zst")) if message["label"] in ("spam", "ham")]
        if self.name in BY_TIME:
            self.messages.sort(key=lambda message: message.get("date") or "")
        self.spam = {message["id"] for message in self.messages if message["label"] == "spam"}
        self.block = {message["id"]: at // BLOCK for at, message in enumerate(self.messages)}
        self.later = self.followers(folder)

    @staticmethod
    def lines(path: Path) -> list:
        return [line for line in subprocess.run(["zstd", "-dcq", str(path)], capture_output=True, check=True).stdout.split(b"\n") if line]

    def followers(self, folder: Path) -> set:
        """Spam of which another copy was there before."""
        if (truth := folder / "clusters.tsv").is_file():
            with open(truth, newline="", encoding="utf-8") as rows:
                campaign = {row["id"]: row["cluster"] for row in csv.DictReader(rows, delimiter="\t")}
            seen, later = set(), set()
            for name in (message["id"] for message in self.messages if message["id"] in campaign):
                later |= {name} if campaign[name] in seen else set()
                seen.add(campaign[name])
            return later
        pairs = [line.decode().split("\t")[:2] for line in self.lines(folder / "ref_jac08.pairs.tsv.zst")[1:]]
        spam = [pair for pair in pairs if set(pair) <= self.spam and self.block[pair[0]] != self.block[pair[1]]]
        return {max(pair, key=self.block.__getitem__) for pair in spam}

    def blocks(self):
        for start in range(0, len(self.messages), BLOCK):
            part = self.messages[start:start + BLOCK]
            yield part, [message for message in part if message["label"] == "spam"]


def jsonl(messages: list) -> bytes:
    return b"".join(json.dumps({key: one.get(key) or "" for key in ("id", "text", "title")}).encode() + b"\n" for one in messages)


def lookalike(binary: Path, *arguments, stdin: bytes = b"") -> list:
    done = subprocess.run([binary, *map(str, arguments)], input=stdin, capture_output=True)
    if done.returncode:
        sys.exit(f"{arguments}: {done.stderr.decode(errors='replace')}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def by_lookalike(binary: Path, collection: Collection) -> set:
    """The messages that are called spam, and legitimate ones that are called anything but none."""
    called = set()
    with tempfile.TemporaryDirectory() as place:
        index = Path(place) / "index"
        lookalike(binary, "index", "create", index, "-q")
        for part, spam in collection.blocks():
            for line in lookalike(binary, "filter", "--prototypes", index, "-q", "--reasons", 0, stdin=jsonl(part)):
                wrong = line["id"] not in collection.spam and line["verdict"] != "none"
                called |= {line["id"]} if line["verdict"] == "spam" or wrong else set()
            for reporter in REPORTERS if spam else ():
                lookalike(binary, "filter", "report", "spam", "--prototypes", index, "--reporter", reporter, "-q", "-", stdin=jsonl(spam))
    return called


def paper_utility(binary: Path, collection: Collection) -> float:
    """The mean over all spam of other spam matched, less the cost of legitimate messages matched."""
    words = {one["id"]: re.findall(r"[^\W_]+", one["text"].lower()) for one in collection.messages}
    titles = {one["id"]: one.get("title") or "" for one in collection.messages}
    long = {name for name, some in words.items() if len(some) >= MIN_WORDS}
    same: dict = {}
    for name in words.keys() - long:
        same.setdefault((tuple(words[name]), titles[name]), []).append(name)
    worth, total = (lambda name: 1 if name in collection.spam else -COST), 0
    for group in same.values():
        spam = [name for name in group if name in collection.spam and words[name]]
        total += len(spam) * (sum(map(worth, group)) - 1) if spam else 0
    with tempfile.TemporaryDirectory() as place:
        index, questions = Path(place) / "index", Path(place) / "questions"
        lookalike(binary, "index", "create", index, "-q")
        lookalike(binary, "index", "add", index, "-", "-q", stdin=jsonl([one for one in collection.messages if one["id"] in long]))
        asked = [{"id": name, "ask": "resembles", "threshold": THRESHOLD} for name in sorted(long & collection.spam)]
        questions.write_bytes(b"".join(json.dumps(one).encode() + b"\n" for one in asked))
        for answer in lookalike(binary, "query", index, "--batch", questions):
            total += sum(worth(match["id"]) for match in answer["matches"])
    return total / len(collection.spam)


class Fuzzy:
    """rspamd's fuzzy storage: what it knows, and when it knows it."""

    def __init__(self, ports: dict):
        self.controller, self.scanner = Server(ports["controller"]), Server(ports["normal"])

    def find(self, mail: bytes) -> list:
        return found(self.scanner, mail)

    def learn(self, mails: list) -> None:
        """Adds messages, and waits until the last that has a digest is found."""
        added = [mail for mail in mails if add(self.controller, mail)]
        for _ in range(500):
            if not added or self.find(added[-1]):
                return
        # A part that is too short to be looked up, or another reason of its own.


def as_mail(one: dict) -> bytes:
    return message(one["text"], one.get("title") or "")


def by_rspamd(collection: Collection, check: str) -> set:
    """The messages that it finds."""
    called = set()
    with redis_server() as redis, rspamd(redis, check, SHORT) as ports:
        fuzzy = Fuzzy(ports)
        for part, spam in collection.blocks():
            called |= {one["id"] for one in part if fuzzy.find(as_mail(one))}
            fuzzy.learn([as_mail(one) for one in spam])
    return called


def checked_driver(news: Path) -> str:
    """Edited copies of English texts: rspamd's probability is the share of equal minima of their word 3-grams."""
    rng, texts, seen = random.Random(1), [], set()
    for text in (json.loads(line)["text"] for line in Collection.lines(news / "docs.jsonl.zst")[:400]):
        words = re.findall("[a-z]+", text.lower())[:300]
        if len(words) >= 200 and (start := tuple(words[:30])) not in seen:
            seen.add(start)
            texts.append(words)
    texts, unknown = texts[:50], texts[50:60]
    vocabulary = sorted({word for words in texts for word in words})
    grams = lambda words: {tuple(words[at:at + 3]) for at in range(len(words) - 2)}  # noqa: E731
    told = []
    with redis_server() as redis, rspamd(redis, "min_bytes = 0;", SHORT) as ports:
        fuzzy = Fuzzy(ports)
        fuzzy.learn([message(" ".join(words)) for words in texts])
        if not all(fuzzy.find(message(" ".join(words))) == [(digest, 1.0) for digest, _ in fuzzy.find(message(" ".join(words)))] for words in texts):
            sys.exit("rspamd: a message that was added is not found")
        if any(fuzzy.find(message(" ".join(words))) for words in unknown):
            sys.exit("rspamd: a message that was not added is found")
        for share in (0.01, 0.03, 0.05):
            truth, given = [], []
            for words in texts:
                copy = [rng.choice(vocabulary) if rng.random() < share else word for word in words]
                a, b = grams(words), grams(copy)
                truth.append(len(a & b) / len(a | b))
                given.append(max((probability for _, probability in fuzzy.find(message(" ".join(copy)))), default=0.0))
            truth, given = sum(truth) / len(truth), sum(given) / len(given)
            told.append(f"{truth:.2f} → {given:.2f}")
            if abs(truth - given) > 0.05:
                sys.exit(f"rspamd: the driver is wrong: resemblance {truth:.2f}, probability {given:.2f}")
    return "; ".join(told)


def row(collection: Collection, name: str, called: set, paper: str = "–") -> str:
    legitimate, spam = len(called - collection.spam), len(called & collection.spam)
    recall = len(called & collection.later) / max(1, len(collection.later))
    utility = (spam - COST * legitimate) / len(collection.spam)
    counts = f"{len(collection.messages) - len(collection.spam):,} | {legitimate} | {len(collection.spam):,} | {spam:,}"
    return f"| {collection.name} | {name} | {counts} | {recall:.2f} of {len(collection.later):,} | {utility:.2f} | {paper} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="DATA", help="directory of the collections")
    parser.add_argument("--binary", type=Path, default=HERE.parent / "target/release/lookalike")
    parser.add_argument("--only", action="append", choices=COLLECTIONS)
    parser.add_argument("--no-rspamd", action="store_true")
    options = parser.parse_args()
    collections = [Collection(options.data / name) for name in options.only or COLLECTIONS]
    if not options.no_rspamd:
        told = checked_driver(options.data / "news_bbc")
        print(f"rspamd, resemblance of word 3-grams → probability: {told}\n", flush=True)
    print("| collection | filter | legitimate | of them found | spam | found | recall of campaigns | utility of the stream | of the paper |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for collection in collections:
        utility = paper_utility(options.binary, collection)
        print(row(collection, "lookalike", by_lookalike(options.binary, collection), f"{utility:.2f}"), flush=True)
        for name, check in (("rspamd", "min_bytes = 1k;"), ("rspamd, min_bytes = 0", "min_bytes = 0;")):
            if not options.no_rspamd:
                print(row(collection, name, by_rspamd(collection, check)), flush=True)


if __name__ == "__main__":
    main()
