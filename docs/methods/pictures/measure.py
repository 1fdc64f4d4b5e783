"""Pairs of documents with a known similarity, and how many of them lookalike finds. Standard library only.

The words of these documents are numbers written in hexadecimal, each used once, so every overlap is known and none is by chance: a pair has a run of
common words, then words of its own. What a method finds is read from the table of pairs.
"""
import subprocess
import tempfile
from itertools import count, product
from pathlib import Path

TERMS = 200
CONSONANTS = "bcdfgkmpt"


class Collection:
    """Documents in a JSONL file, and of each pair its step."""

    def __init__(self, folder: Path):
        self.path, self.pairs, self.lines, self.words = folder / "docs.jsonl", {}, [], count(0x10000)

    def add(self, step, *texts: list) -> None:
        """A group of documents that belong to this step."""
        for place, words in enumerate(texts):
            name = f"{len(self.pairs)}-{place}"
            self.lines.append(f'{{"id":"{name}","text":"{" ".join(words)}"}}\n')
        self.pairs[len(self.pairs)] = step

    def fresh(self, number: int) -> list:
        return [f"{next(self.words):x}" for _ in range(number)]

    def found(self, lookalike: str, method: str, verify: str, *more: str, field: str = "") -> list:
        """The steps of the groups with a pair in the table of pairs; with `field`, that column of every pair."""
        self.path.write_text("".join(self.lines), encoding="utf-8")
        output = self.path.with_name("out")
        command = [lookalike, "cluster", str(self.path), "--method", method, "--verify", verify, "--output", str(output), "--force",
                   "--tables", "tsv", "--no-report", "--quiet", *more]
        subprocess.run(command, check=True, timeout=300)
        head, *rows = (line.split("\t") for line in (output / "pairs.tsv").read_text(encoding="utf-8").splitlines())
        found = []
        for row in rows:
            first, second = (row[head.index(name)].split("-")[0] for name in ("a_id", "b_id"))
            if field:
                found.append((self.pairs[int(first)] if first == second else None, int(row[head.index(field)])))
            elif first == second:
                found.append(self.pairs[int(first)])
        return found


def shares(folder: Path, w: int, union: int, steps: list, pairs: int) -> Collection:
    """Pairs with `union` shingles of w words together, of which step/100 are in both."""
    made = Collection(folder)
    for step in steps:
        shared = round(step * union / 200) * 2
        assert shared * 100 == step * union, "the step is not exact"
        own = (union - shared) // 2
        for _ in range(pairs):
            common = made.fresh(shared + w - 1)
            made.add(step, common + made.fresh(own), common + made.fresh(own))
    return made


def counted(found: list, steps: list, pairs: int) -> list:
    """(step, found, pairs) of each step."""
    return [(step, sum(one == step for one in found), pairs) for step in steps]


def s_curve(lookalike: str, methods: list, verify: str, w: int, union: int, steps: list, pairs: int) -> list:
    """A list of (step, found, pairs) for each method: the share found by resemblance in percent."""
    with tempfile.TemporaryDirectory() as folder:
        made = shares(Path(folder), w, union, steps, pairs)
        return [counted(made.found(lookalike, method, verify), steps, pairs) for method in methods]


def shuffled(terms: list, seed: int) -> list:
    """The terms in an order that depends on the seed only (a linear congruential generator, the same in every version of Python)."""
    state, out = seed * 2654435761 + 1, list(terms)
    for at in range(len(out) - 1, 0, -1):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        other = (state >> 33) % (at + 1)
        out[at], out[other] = out[other], out[at]
    return out


def stability(lookalike: str, method: str, selected: list, removed: list, pairs: int, lexicon: bool) -> list:
    """For each number of `selected` terms of 200 a list of (removed terms, pairs that still match, pairs). The method selects words of eight
    letters: by their length or, with a lexicon, because it has no others."""
    return [one_share(lookalike, method, kept, removed, pairs, lexicon) for kept in selected]


def one_share(lookalike: str, method: str, kept: int, removed: list, pairs: int, lexicon: bool) -> list:
    inside, outside = spelled(8), spelled(4)
    with tempfile.TemporaryDirectory() as folder:
        made, seeds = Collection(Path(folder)), count(1)
        for step in removed:
            for _ in range(pairs):
                terms = shuffled(shuffled(inside, next(seeds))[:kept] + shuffled(outside, next(seeds))[: TERMS - kept], next(seeds))
                made.add(step, terms, terms[step:])
        more = ["--lexicon", write_lexicon(lookalike, Path(folder), inside)] if lexicon else []
        return counted(made.found(lookalike, method, "none", *more), removed, pairs)


def spelled(length: int) -> list:
    """729 words of this length without vowels: no filter stems them, and none is a stop word."""
    return ["".join(letters) + "b" * (length - 3) for letters in product(CONSONANTS, repeat=3)]


def write_lexicon(lookalike: str, folder: Path, vocabulary: list) -> str:
    """A lexicon of 100 documents: the vocabulary is in ten (nidf 0.5), one word in all (0), each of a hundred words in one (1)."""
    path, target = folder / "counted.jsonl", folder / "lexicon"
    lines = [f'{{"text":"everywhere only{number:x} {" ".join(vocabulary) if number < 10 else ""}"}}\n' for number in range(100)]
    path.write_text("".join(lines), encoding="utf-8")
    subprocess.run([lookalike, "lexicon", "build", str(path), "--output", str(target)], check=True, timeout=300, capture_output=True)
    return str(target)


def simhash_distances(lookalike: str, terms: int, steps: list, pairs: int, most: list) -> list:
    """For each d of `most`, a list of (step, pairs within d bits, pairs): documents of `terms` terms with a cosine of step per cent."""
    with tempfile.TemporaryDirectory() as folder:
        made = Collection(Path(folder))
        for step in steps:
            shared = round(step * terms / 100)
            for _ in range(pairs):
                common = made.fresh(shared)
                made.add(step, common + made.fresh(terms - shared), common + made.fresh(terms - shared))
        found = made.found(lookalike, f"simhash:weights=tf,d={max(most)}", "sketch", field="distance")
        return [[(step, sum(at == step and bits <= d for at, bits in found), pairs) for step in steps] for d in most]


def strangers(lookalike: str, documents: int, most: list) -> list:
    """(d, pairs within d bits, documents) of documents that have no word in common. An odd number of terms, so that no sum of a bit is 0."""
    with tempfile.TemporaryDirectory() as folder:
        made = Collection(Path(folder))
        for _ in range(documents):
            made.add(None, made.fresh(101))
        found = made.found(lookalike, f"simhash:weights=tf,d={max(most)},join=ones", "sketch", field="distance")
        return [(d, sum(bits <= d for _, bits in found), documents) for d in most]
