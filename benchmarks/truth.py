#!/usr/bin/env python3
"""A JSONL collection in, every pair of documents with a resemblance of at least 0.8 out; and what an answer is worth.

    truth.py INPUT.jsonl OUTPUT.json [--threshold 0.8]

Shares no code with lookalike nor with any tool that it judges, and computes the pairs another way:

  words      runs of letters and digits of the lower-cased text (NFC), as lookalike documents them, except that
             scripts without spaces are not segmented: a run of Chinese or Thai is cut at its marks only
  shingles   the set of five words in a row; the words of a text with fewer are its one shingle; no words, no pairs
  collapse   documents of one set are a group, and resemble each other by 1
  prefixes   a pair at t shares one of the ceil((1 − t)·n) + 1 rarest shingles of each document of n (Chaudhuri,
             Ganti & Kaushik 2006), whatever order "rarest" means, as long as it is the same for all
  decision   both sets are intersected whole, in integers: shared·q ≥ p·union for t = p/q

Shingles are 64-bit values of Python's keyed SipHash; n different ones contain a collision with a probability of about
n²/2⁶⁵, 0.0002 for 80 million. Standard library only.
"""
import argparse
import json
import re
import sys
import unicodedata
from array import array
from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Optional

SHINGLE = 5
THRESHOLD = Fraction(4, 5)
# Pairs below this are the hard ones, of which a banded sketch misses most.
HARD = Fraction(17, 20)
WORD = re.compile(r"[^\W_]+")


class BadInput(Exception):
    """A collection that cannot be judged; says which record and why."""


@dataclass
class Truth:
    """`groups` are the ids of documents with the same shingles; `pairs` are (group, group, shared, union)."""

    groups: list
    pairs: list

    def to_json(self) -> str:
        return json.dumps({"groups": self.groups, "pairs": self.pairs}, ensure_ascii=False)

    @staticmethod
    def from_json(text: str) -> "Truth":
        return Truth(**json.loads(text))


# --- from texts to pairs --------------------------------------------------------------------------

def words(text: str) -> list:
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return WORD.findall(text.lower())


def shingles(text: str) -> frozenset:
    """The set of a text's shingles, hashed; the same value only within one run of Python."""
    found = words(text)
    if 0 < len(found) < SHINGLE:
        return frozenset([hash(" ".join(found))])
    return frozenset(map(hash, map(" ".join, zip(*(found[at:] for at in range(SHINGLE))))))


def read(path: Path):
    """The id and the text of each record."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            record = json.loads(line)
            if not isinstance(record.get("id"), str) or not isinstance(record.get("text"), str):
                raise BadInput(f"{path}:{number}: needs an `id` and a `text`, both strings")
            yield record["id"], record["text"]


def grouped(documents) -> tuple:
    """Documents (id, text) in; the ids of each group, and its shingles as a sorted array, out."""
    groups, sets, known, ids = [], [], defaultdict(list), set()
    for name, text in documents:
        if name in ids:
            raise BadInput(f"the id {name} occurs twice")
        ids.add(name)
        values = array("q", sorted(shingles(text)))
        if not values:
            groups.append([name]), sets.append(values)
            continue
        same = next((group for group in known[hash(values.tobytes())] if sets[group] == values), None)
        if same is None:
            known[hash(values.tobytes())].append(len(groups))
            groups.append([name]), sets.append(values)
        else:
            groups[same].append(name)
    return groups, sets


def rarity(sets: list):
    """A function from a shingle to how often it occurs, or a little more (up to 255): occurrences by the low bits."""
    mask = (1 << max(16, (4 * sum(map(len, sets))).bit_length())) - 1
    counts = bytearray(mask + 1)
    for values in sets:
        for value in values:
            at = value & mask
            if counts[at] < 255:
                counts[at] += 1
    return lambda value: counts[value & mask]


def reaches(shared: int, union: int, threshold: Fraction) -> bool:
    return shared * threshold.denominator >= threshold.numerator * union


def resembling(sets: list, threshold: Fraction) -> list:
    """All (a, b, shared, union) with a < b that reach the threshold, of sets without equals."""
    count = rarity(sets)
    index, pairs = defaultdict(list), []
    # From small to large: what is in the index is never larger than what looks it up.
    for one in sorted((at for at in range(len(sets)) if sets[at]), key=lambda at: len(sets[at])):
        values = sets[one]
        size = len(values)
        enough = -(-size * threshold.numerator // threshold.denominator)
        # `values` is sorted, and sorting is stable: of equally rare ones the smaller goes first.
        rarest = sorted(values, key=count)[:size - enough + 1]
        # One that occurs once is in no other set.
        rarest = [value for value in rarest if count(value) > 1]
        near = {other for value in rarest for other in index.get(value, ()) if len(sets[other]) >= enough}
        whole = set(values) if near else set()
        for other in near:
            shared = len(whole.intersection(sets[other]))
            union = size + len(sets[other]) - shared
            if reaches(shared, union, threshold):
                pairs.append((min(one, other), max(one, other), shared, union))
        for value in rarest:
            index[value].append(one)
    return sorted(pairs)


def truth_of(documents, threshold: Fraction = THRESHOLD) -> Truth:
    """The exact answer for documents (id, text)."""
    groups, sets = grouped(documents)
    return Truth(groups, resembling(sets, threshold))


# --- what an answer is worth -----------------------------------------------------------------------

@dataclass
class Score:
    """Counts of document pairs. A pair is found if its documents are in one cluster."""

    true: int = 0
    found: int = 0
    true_hard: int = 0
    found_hard: int = 0
    same_cluster: int = 0
    links: Optional[int] = None
    true_links: Optional[int] = None

    def shares(self) -> dict:
        """Recall and precision; None where nothing was asked or nothing claimed."""
        def share(part, whole):
            return part / whole if whole else None

        return {
            "recall": share(self.found, self.true), "recall_hard": share(self.found_hard, self.true_hard),
            "precision": share(self.found, self.same_cluster), "link_precision": share(self.true_links, self.links),
        }


def pairs_among(n: int) -> int:
    return n * (n - 1) // 2


def score(truth: Truth, clusters: dict, links=None, hard: Fraction = HARD) -> Score:
    """`clusters` says for an id its cluster, and may leave out who is alone; `links` are pairs of ids that a tool joined."""
    result = Score()
    # A document that is left out is a cluster of its own: its id in a tuple, which equals no string.
    spread = [Counter(clusters.get(name, (name,)) for name in group) for group in truth.groups]
    for group, counts in zip(truth.groups, spread):
        result.true += pairs_among(len(group))
        result.found += sum(map(pairs_among, counts.values()))
    for a, b, shared, union in truth.pairs:
        there = len(truth.groups[a]) * len(truth.groups[b])
        found = sum(n * spread[b][cluster] for cluster, n in spread[a].items())
        result.true, result.found = result.true + there, result.found + found
        if not reaches(shared, union, hard):
            result.true_hard, result.found_hard = result.true_hard + there, result.found_hard + found
    sizes: Counter = Counter()
    for counts in spread:
        sizes.update(counts)
    result.same_cluster = sum(map(pairs_among, sizes.values()))
    if links is not None:
        result.links, result.true_links = judged_links(truth, links)
    return result


def judged_links(truth: Truth, links) -> tuple:
    """How many different links there are, and how many of them are true pairs."""
    group_of = {name: at for at, group in enumerate(truth.groups) for name in group}
    true = {(a, b) for a, b, _, _ in truth.pairs}
    different = {(min(a, b), max(a, b)) for a, b in links if a != b}
    ends = (sorted((group_of[a], group_of[b])) for a, b in different)
    return len(different), sum(a == b or (a, b) in true for a, b in ends)


def score_flags(truth: Truth, flagged: set, hard: Fraction = HARD) -> Score:
    """For a tool that only says *that* a document has a near-duplicate: counts of documents instead of pairs.

    Hard ones are those whose every near-duplicate is below `hard`; `same_cluster` is how many are flagged.
    """
    easy, all_of_them = {at for at, group in enumerate(truth.groups) if len(group) > 1}, set()
    for a, b, shared, union in truth.pairs:
        all_of_them.update((a, b))
        if reaches(shared, union, hard):
            easy.update((a, b))
    result = Score(same_cluster=len(flagged))
    for at in easy | all_of_them:
        size, found = len(truth.groups[at]), sum(name in flagged for name in truth.groups[at])
        result.true, result.found = result.true + size, result.found + found
        if at not in easy:
            result.true_hard, result.found_hard = result.true_hard + size, result.found_hard + found
    return result


def closure(truth: Truth) -> dict:
    """The clusters of one who links exactly the true pairs: a cluster for each document."""
    leader = list(range(len(truth.groups)))

    def find(at: int) -> int:
        while leader[at] != at:
            leader[at] = leader[leader[at]]
            at = leader[at]
        return at

    for a, b, _, _ in truth.pairs:
        leader[find(a)] = find(b)
    return {name: find(at) for at, group in enumerate(truth.groups) for name in group}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("input", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--threshold", type=Fraction, default=THRESHOLD)
    options = parser.parse_args()
    try:
        truth = truth_of(read(options.input), options.threshold)
    except (BadInput, ValueError) as error:
        sys.exit(f"truth.py: {error}")
    options.output.write_text(truth.to_json(), encoding="utf-8")
    total = score(truth, {}).true
    print(f"{total:,} pairs in {len(truth.groups):,} groups of equal documents", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
