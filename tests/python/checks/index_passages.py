"""Passages in an index: answers after updates and deletes, by a comparison of all words of the texts; damage and refusals."""
import json
import random
import re
from pathlib import Path

from checks.harness import Checks
from checks.inputs import write_jsonl

BETWEEN = (" ", " ", " ", ", ", ". ", "\n", " - ", "\n\n")


def made(seed: int, n: int, prefix: str) -> list:
    """Documents of ASCII words with pieces of each other, a header, rows of one word, in any case and punctuation."""
    rng = random.Random(seed)
    # The same words and header for all seeds, so that collections have passages in common.
    vocab = [f"{start}{end}" for start in ("ba", "ce", "di", "fo", "gu", "li", "mo", "ne") for end in ("la", "mon", "ris", "tu", "x", "9")]
    header = [random.Random(0).choice(vocab) for _ in range(14)]
    all_words: list = []
    for number in range(n):
        words = [rng.choice(vocab) for _ in range(rng.randint(0, 70))]
        for _ in range(rng.randint(0, 3)):
            if all_words and (source := rng.choice(all_words)):
                start, at = rng.randrange(len(source)), rng.randint(0, len(words))
                words[at:at] = source[start:start + rng.randint(1, 50)]
        if number % 5 == 0:
            words[:0] = header
        if number % 17 == 0:
            words += ["na"] * rng.randint(5, 30)
        all_words.append(words)
    def written(words: list) -> str:
        return "".join((word.upper() if rng.random() < 0.2 else word) + rng.choice(BETWEEN) for word in words)
    return [{"id": f"{prefix}{number}", "text": written(words) or "-", "url": f"https://www{number % 3}.example.org/{number}"} for number, words in enumerate(all_words)]


def words_of(text: str) -> list:
    return [(match[0].lower(), match.start(), match.end()) for match in re.finditer("[A-Za-z0-9]+", text)]


def in_common(query: str, document: str, length: int) -> list:
    """The longest runs of consecutive pairs of equal windows."""
    a, b = words_of(query), words_of(document)
    windows: dict = {}
    for at in range(len(b) - length + 1):
        windows.setdefault(tuple(word for word, *_ in b[at:at + length]), []).append(at)
    pairs = {(i, j) for i in range(len(a) - length + 1) for j in windows.get(tuple(word for word, *_ in a[i:i + length]), ())}
    found = []
    for i, j in sorted(pairs):
        if (i - 1, j - 1) not in pairs:
            n = length
            while (i + n - length + 1, j + n - length + 1) in pairs:
                n += 1
            found.append({"words": n, "query_word": i, "query_bytes": [a[i][1], a[i + n - 1][2]],
                          "document_word": j, "document_bytes": [b[j][1], b[j + n - 1][2]]})
    return found


def expected(query: str, documents: dict, length: int) -> tuple:
    """The passages of each document, and the words of the query in any of them."""
    found = {name: places for name, text in documents.items() if (places := in_common(query, text, length))}
    return found, {word for places in found.values() for word in covered(places)}


def covered(places: list) -> set:
    return {word for place in places for word in range(place["query_word"], place["query_word"] + place["words"])}


def right(c: Checks, name: str, answer: dict, query: str, documents: dict, length: int, limit: int | None = None) -> None:
    found, words = expected(query, documents, length)
    # In the order of `documents` where they have as many words in common.
    best = sorted(found, key=lambda one: -len(covered(found[one])))[:limit]
    got = [(one["id"], one["words_in_common"], one["passages"]) for one in answer["documents"]]
    c.check(f"{name}: documents", got == [(one, len(covered(found[one])), found[one]) for one in best], f"{got} {best}")
    of = len(words_of(query))
    figures = (len(found), of, len(words), len(words) / of if of else 0.0, length)
    c.check(f"{name}: figures", tuple(answer[key] for key in ("total", "words", "words_in_common", "share", "length")) == figures, f"{answer} {figures}")


def ask(c: Checks, index: Path, *more: object) -> dict:
    done = c.run("query", index, "--ask", "passages", "--format", "json", *more)
    if not c.check(f"asked {more[-1]!r:.40}", done.returncode == 0, done.stderr):
        return {"documents": [], "total": -1, "words": -1, "words_in_common": -1, "share": -1, "length": -1}
    return json.loads(done.stdout)


def index_passages(c: Checks) -> None:
    """Answers of indexes with several segments, updates and deletes; the same after a compaction and for any batches."""
    folder = c.work / "index-passages"
    folder.mkdir()
    for length in (4, 12):
        first, second, new = made(1, 120, "a"), made(2, 60, "b"), made(3, 12, "q")
        # Other texts under the ids of the first ones, which keep their order.
        updated = [{**row, "id": f"a{7 * number}"} for number, row in enumerate(made(4, 15, "u"))]
        gone = [row["id"] for row in first[3::9]] + [row["id"] for row in second[::7]]
        index = folder / f"{length}.index"
        c.check("created", c.run("index", "create", index, "--passages", length, "-q").returncode == 0)
        for number, rows in enumerate((first, second, updated)):
            write_jsonl(folder / f"{number}.jsonl", rows)
            done = c.run("index", "add", index, folder / f"{number}.jsonl", "--commit-every", 37, "-q")
            c.check(f"{length}: added {number}", done.returncode == 0, done.stderr)
        (folder / "gone").write_text("\n".join(gone), encoding="utf-8")
        c.check(f"{length}: deleted", c.run("index", "delete", index, "--ids", folder / "gone", "-q").returncode == 0)
        documents = {row["id"]: row["text"] for row in first + second}
        documents.update((row["id"], row["text"]) for row in updated)
        documents = {name: text for name, text in documents.items() if name not in set(gone)}
        # All at once, in one segment.
        once = folder / f"{length}-once.index"
        write_jsonl(folder / "once.jsonl", [{"id": name, "text": text} for name, text in documents.items()])
        c.run("index", "create", once, "--passages", length, "-q")
        c.check(f"{length}: added at once", c.run("index", "add", once, folder / "once.jsonl", "-j", 1, "-q").returncode == 0)
        stored = [name for name in ("a1", "a14", "b20", "a85") if name in documents]
        for at, kept in enumerate((index, once, index)):
            name = f"{length}, {('parts', 'once', 'compacted')[at]}"
            if at == 2:
                c.check(f"{name}: done", c.run("index", "compact", index, "-q").returncode == 0)
            done = c.run("index", "check", kept, "--deep", "-q")
            c.check(f"{name}: checked deeply", done.returncode == 0, done.stderr)
            for row in new:
                right(c, f"{name} {row['id']}", ask(c, kept, row["text"]), row["text"], documents, length)
            right(c, f"{name} limit", ask(c, kept, "-n", 3, new[0]["text"]), new[0]["text"], documents, length, 3)
            for one in stored:
                others = {other: text for other, text in documents.items() if other != one}
                right(c, f"{name} {one}", ask(c, kept, "--id", one), documents[one], others, length)
        site_of = {row["id"]: row["url"] for row in first + second} | {row["id"]: row["url"] for row in updated}
        site = {name: text for name, text in documents.items() if site_of[name].startswith("https://www1.")}
        right(c, f"{length}: of a site", ask(c, index, "--site", "www1.example.org", new[5]["text"]), new[5]["text"], site, length)
        exported = folder / f"{length}-exported"
        c.run("index", "export", index, "-o", exported, "--documents", "-q")
        written = {row["id"]: row["text"] for row in map(json.loads, (exported / "documents.jsonl").read_text(encoding="utf-8").splitlines())}
        c.check(f"{length}: exported", written == documents)
    shown(c, folder, index, new[0]["text"])
    refusals(c, folder)
    damage(c, folder, index, new[0]["text"])


def shown(c: Checks, folder: Path, index: Path, text: str) -> None:
    """The table, and what is said of a short text."""
    done = c.run("query", index, "--ask", "passages", "-n", 2, "-v", text)
    lines = done.stdout.splitlines()
    c.check("a table", done.returncode == 0 and lines[0].split()[:3] == ["id", "words", "share"] and " of " in lines[-1], done.stdout)
    c.check("the cost", "candidates" in done.stderr, done.stderr)
    done = c.run("query", index, "--ask", "passages", "ba la")
    c.check("a short text", done.returncode == 0 and done.stdout == "no document\n" and "2 words" in done.stderr and "at least 12" in done.stderr, done.stderr)
    done = c.run("index", "stats", index)
    c.check("stats name it", "of 12 words and more" in done.stdout, done.stdout)


def refusals(c: Checks, folder: Path) -> None:
    """An index without passages, and settings that do not go together."""
    plain = folder / "plain.index"
    c.run("index", "create", plain, "-q")
    done = c.run("query", plain, "--ask", "passages", "some text")
    c.check("an index without passages", done.returncode == 2 and "index create" not in done.stdout and "--passages" in done.stderr, done.stderr)
    other = folder / "other.index"
    for flags, says in ((["--passages", 0], "0"), (["--passages", 20000], "16384"), (["--passages", 9, "--no-text"], "--no-text")):
        done = c.run("index", "create", other, *flags)
        c.check(f"{flags} are refused", done.returncode == 2 and says in done.stderr and not other.exists(), done.stderr)
    c.run("index", "create", other, "--passages", 9, "-q")
    done = c.run("query", other, "--ask", "passages", "-t", "0.5", "some text")
    c.check("a threshold is refused", done.returncode == 2 and "--threshold" in done.stderr, done.stderr)
    done = c.run("index", "merge", plain, other)
    c.check("other settings are refused", done.returncode != 0 and "passages" in done.stderr, done.stderr)


def damage(c: Checks, folder: Path, index: Path, text: str) -> None:
    """Each damaged part of a segment is named; a repair makes the keys of passages again."""
    before = ask(c, index, text)
    segment, = (index / "seg").glob("*.seg")
    whole = segment.read_bytes()
    named = set()
    for at in range(len(whole) // 2, len(whole), max(1, len(whole) // 400)):
        segment.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1:])
        done = c.run("index", "check", index)
        said = {name for name in ("signature words", "key postings", "key directory") if name in done.stdout + done.stderr}
        c.check(f"damage at {at} is found", done.returncode == 1, done.stdout + done.stderr)
        if said - named:
            named |= said
            new = folder / f"repaired-{at}.index"
            done = c.run("index", "repair", index, "-o", new)
            after = ask(c, new, text)
            same = all(after[key] == before[key] for key in before if key not in ("commit", "cost"))
            c.check(f"repaired after {said}", done.returncode == 0 and same, done.stderr)
            c.check(f"checked after {said}", c.run("index", "check", new, "--deep", "-q").returncode == 0)
    segment.write_bytes(whole)
    c.check("damage in keys and postings was tried", {"signature words", "key postings"} <= named, named)
