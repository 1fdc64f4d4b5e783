"""Generated collections, from a seed."""
import csv
import gzip
import json
import random
from pathlib import Path

LETTERS = "abcdefghijklmnoprstuvwé"


def words(rng: random.Random, vocabulary: list, n: int) -> list:
    return [rng.choice(vocabulary) for _ in range(n)]


def texts(seed: int, n: int) -> list:
    """Texts with exact, recased, edited, cut and nested copies, short and empty ones among them."""
    rng = random.Random(seed)
    vocabulary = ["".join(rng.choice(LETTERS) for _ in range(rng.randint(1, 9))) for _ in range(700)]
    vocabulary += ["Σίσυφος", "e\u0301te\u0301", "été", "ｆｒｅｅ", "fr\u200bee", "İstanbul", "web2", "2024", "漢字", "don't"]
    made: list = []
    for _ in range(n):
        kind = rng.random()
        if kind < 0.35 or not made:
            text = " ".join(words(rng, vocabulary, rng.randint(1, 120)))
        elif kind < 0.45:
            text = rng.choice(made)
        elif kind < 0.55:
            text = rng.choice(made).upper().replace(" ", ",  ")
        elif kind < 0.85:
            edited = rng.choice(made).split(" ")
            for _ in range(max(1, len(edited) // rng.choice([200, 40, 20, 8]))):
                edited[rng.randrange(len(edited))] = rng.choice(vocabulary)
            text = " ".join(edited)
        elif kind < 0.92:
            text = rng.choice(made) + " " + " ".join(words(rng, vocabulary, rng.randint(1, 60)))
        elif kind < 0.95:
            # The same shingles, another sequence.
            text = " ".join(rng.choice(made).split(" ")[:12] * 3)
        else:
            text = rng.choice(["", " .,;", "one", "two words", "a b c d", "\t\n"])
        made.append(text)
    return made


def records(seed: int, n: int, prefix: str = "d") -> list:
    rng = random.Random(-seed)
    found = []
    for number, text in enumerate(texts(seed, n)):
        # Names in another order than the lines, so that no order passes for the other.
        record = {"id": f"{prefix}{(number * 7919) % 100_003:06}", "text": text}
        if rng.random() < 0.9:
            record["score"] = rng.choice([rng.random(), rng.randint(-3, 3), "1e3", "no number", None])
        if rng.random() < 0.7:
            day = f"20{rng.randint(10, 25)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
            record["date"] = day + rng.choice(["", "T10:00:00Z", " 23:59:59"])
        if rng.random() < 0.05:
            record["id"] = rng.choice([None, "", "same", number])
        found.append(record)
    return found


def write_jsonl(path: Path, found: list, ends: str = "\n") -> Path:
    rng = random.Random(len(found))
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(one, ensure_ascii=rng.random() < 0.5) + ends for one in found)
    path.write_bytes(gzip.compress(lines.encode(), mtime=0) if path.suffix == ".gz" else lines.encode())
    return path


def write_csv(path: Path, found: list, delimiter: str = ",", ends: str = "\n") -> Path:
    with open(path, "w", encoding="utf-8", newline="") as out:
        table = csv.writer(out, delimiter=delimiter, lineterminator=ends)
        table.writerow(["id", "text", "score", "date"])
        for one in found:
            table.writerow([one.get(name) for name in ("id", "text", "score", "date")])
    return path


def collection(path: Path, seed: int, n: int, prefix: str = "d") -> Path:
    return write_jsonl(path, records(seed, n, prefix))


def ids_of(path: Path) -> set:
    """The ids of the records of a JSONL file; none if there is no file."""
    return {json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()} if path.exists() else set()


def words_of(size: int, seed: int) -> list[str]:
    """Random words, in pieces, of so many bytes in all."""
    rng = random.Random(seed)
    known = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 9))) for _ in range(50_000)]
    pieces, length = [], 0
    while length < size:
        pieces.append(" ".join(rng.choices(known, k=20_000)))
        length += len(pieces[-1]) + 1
    return pieces


GOOD = '{"id": "%s", "text": "the quick brown fox jumps over the lazy dog number %s"}\n'


def good(*names: str) -> str:
    return "".join(GOOD % (name, name) for name in names)


def family(seed: int, n: int, most_edits: int = 9) -> list:
    """Versions of one text, edited in the same places: most match many others, and hundreds of each other's
    matches do not match one another. Some are equal. Ids are in another order than the versions."""
    rng = random.Random(seed)
    base = [f"word{at}" for at in range(150)]
    made = []
    for number in range(n):
        text = list(base)
        for _ in range(rng.randrange(most_edits)):
            at = rng.randrange(len(text))
            text[at] = rng.choice(("", f"other{at}", f"word{at} added", f"edit{rng.randrange(40)}"))
        cut = rng.choice((0, 0, 0, rng.randrange(12)))
        made.append({"id": f"v{(number * 7919) % 100_003:06}", "text": " ".join(text[cut:]), "score": rng.randint(0, 9)})
    return made


def boilerplate(rng: random.Random, n: int) -> list:
    """Records of few words of their own between headers and footers that many share; copies, and some without a word of their own."""
    vocabulary = ["".join(rng.choice("abcdefghij") for _ in range(6)) for _ in range(3000)]
    frames = [(words(rng, vocabulary, rng.randint(12, 40)), words(rng, vocabulary, rng.randint(6, 25))) for _ in range(4)]
    bodies: list = []
    found = []
    for number in range(n):
        kind = rng.random()
        if bodies and kind < 0.35:
            body = list(rng.choice(bodies))
            for _ in range(rng.choice((0, 0, 1, 3))):
                body[rng.randrange(len(body))] = rng.choice(vocabulary)
        elif kind < 0.42:
            body = []
        else:
            body = words(rng, vocabulary, rng.randint(1, 40))
        if body:
            bodies.append(body)
        head, foot = rng.choice(frames)
        text = " ".join((head if rng.random() < 0.8 else []) + body + (foot if rng.random() < 0.8 else []))
        if rng.random() < 0.1:
            text = text.upper()
        found.append({"id": f"b{(number * 7919) % 100_003:06}", "text": text})
    return found
