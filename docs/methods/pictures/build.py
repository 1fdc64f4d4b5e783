#!/usr/bin/env python3
"""Draws the pictures of the pages on methods. Standard library only.

    build.py                            # writes the SVG files beside this program
    build.py --measure PATH/lookalike   # measures the points first, and writes measured.tsv: a minute

The curves are the formulas of the pages (curves.py). The points are measured by lookalike on pairs made for it (measure.py) and kept in measured.tsv;
those of imatch-random and of spam are in docs/design/experiments.md. tests/python/check_pictures.py checks that the files are what this program writes.
"""
import argparse
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import curves
import measure
from draw import chart

EXPERIMENTS = HERE.parents[1] / "design" / "experiments.md"
MEASURED = HERE / "measured.tsv"
QUARTERS = [0, 0.25, 0.5, 0.75, 1]
SHARES = [at / 100 for at in range(101)]
RESEMBLANCES = [10, 20, 30, 40, 50, 60, 70, 80, 90]
HIGH = [70, 80, 85, 90, 95, 98]
REMOVED = [1, 2, 3, 5, 8, 12, 20]
SELECTED = [20, 50, 100, 180]
COSINES = [70, 80, 85, 90, 95, 98]
DISTANCES = [0, 3, 8]
STRANGERS = [10, 11, 12, 13, 14, 15, 16]
# Rules of the experiments on spam, and what a legend has room for.
SPAM_RULES = {"A": "A, min=1", "A, filled": "A, filled", "B": "B, min=5", "B, filled": "B, filled"}
# What is measured: the arguments of measure.py, and the curve that each list of points belongs to.
SERIES = {
    "dsc": ("s_curve", (["dsc"], "sketch", 10, 1000, RESEMBLANCES, 200)),
    "dsc-short": ("s_curve", (["dsc"], "sketch", 10, 200, RESEMBLANCES, 200)),
    "dsc-long": ("s_curve", (["dsc"], "sketch", 10, 4000, [30, 40, 45, 50, 55, 60, 70], 100)),
    "minhash": ("s_curve", (["minhash-lsh", "minhash-lsh:bands=9,rows=13"], "none", 5, 400, RESEMBLANCES, 400)),
    "megashingles": ("s_curve", (["megashingles"], "none", 5, 400, HIGH, 400)),
    "super-shingles": ("s_curve", ([f"dsc-ss:n={n}" for n in (2, 4, 10)], "none", 10, 1000, RESEMBLANCES, 200)),
    "word-lsh": ("s_curve", (["word-lsh"], "none", 1, 2000, [50, 60, 65, 70, 75, 80, 85, 90], 100)),
    "syntactic": ("stability", ("syntactic", SELECTED, REMOVED, 400, False)),
    "imatch": ("stability", ("imatch:nidf=0.2..0.8", SELECTED, REMOVED, 400, True)),
    "simhash": ("simhash_distances", (501, COSINES, 400, DISTANCES)),
    "hamming": ("strangers", (10_000, STRANGERS)),
}


def take(lookalike: str) -> dict:
    """Measures everything: by name and number of the curve, rows of (x, found, of)."""
    found = {}
    for name, (function, arguments) in SERIES.items():
        rows = getattr(measure, function)(lookalike, *arguments)
        for number, points in enumerate(rows if isinstance(rows[0], list) else [rows]):
            found[f"{name}-{number}"] = points
    return found


def write(points: dict) -> str:
    """The text of measured.tsv."""
    rows = [f"{name}\t{x}\t{found}\t{of}" for name, series in points.items() for x, found, of in series]
    return "\n".join(["curve\tx\tfound\tof", *rows, ""])


def read() -> dict:
    """The points of measured.tsv."""
    points: dict = {}
    for line in MEASURED.read_text(encoding="utf-8").splitlines()[1:]:
        name, *row = line.split("\t")
        points.setdefault(name, []).append(tuple(map(int, row)))
    return points


def stable(column: int) -> list:
    """(edits, share that is stable) in docs/design/experiments.md for the column of a number of copies, under "Stability against edits"."""
    page = EXPERIMENTS.read_text(encoding="utf-8")
    table = page[page.index("## Stability against edits") :].split("\n\nThe curves are")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line.startswith("|")]
    assert rows[0][2 * column - 1].endswith("theory"), rows[0]
    return [(int(row[0]), float(row[2 * column])) for row in rows[2:]]


def spam(rule: str) -> dict:
    """By collection of spam, the paper's two first, (copies, recall) in docs/design/experiments.md, under "Spam by the number of copies" for a rule."""
    page = EXPERIMENTS.read_text(encoding="utf-8")
    section = page[page.index("## Spam by the number of copies") :]
    table = section[section.index(f"Recall under rule {rule} (") :].split("\n\n")[1]
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    assert head[0] == "K" and len(rows) == 11, head
    return {name: [(int(row[0]), float(row[at])) for row in rows if row[at] != "–"] for at, name in enumerate(head) if at}


def shares(points: list, scale: float = 1) -> list:
    """Points of a chart from rows of measured.tsv."""
    return [(x / scale, found / of, f"{x / scale:g}: {found} of {of} pairs") for x, found, of in points]


def means(series: list) -> list:
    """The mean of several lists of (x, y) with the same x."""
    return [(points[0][0], sum(y for _, y in points) / len(points)) for points in zip(*series, strict=True)]


def over(xs: list, curve) -> list:
    return [(x, curve(x)) for x in xs]


def pictures(points: dict) -> dict:
    """Name and text of each SVG file."""
    edits = list(range(21))
    steep = [at / 100 for at in range(60, 101)]
    resemblance = ("resemblance", QUARTERS)
    found = ("share of the pairs found", QUARTERS)
    removed = ("distinct terms removed, of 200", [0, 5, 10, 15, 20])
    still = [
        (f"{selected // 2} % of the terms are kept", over(edits, lambda e, selected=selected: curves.untouched(e, selected, 200)), selected)
        for selected in SELECTED
    ]
    even = [at / 20 for at in range(21)]
    copies = ("copies of the lexicon", [0, 2, 4, 6, 8, 10])
    recall = ("recall", QUARTERS)
    of_rules = {rule: spam(rule) for rule in SPAM_RULES}
    return {
        "dsc.svg": chart(
            "dsc: estimated resemblance of 0.5 or more",
            "S-curves over the resemblance for pairs whose union has 200, 1000 and 4000 shingles, of which one in 25 is sampled; at 0.5 they are "
            "0.57, 0.53 and 0.52, and the more samples the steeper. Points: pairs found by lookalike.",
            resemblance, found,
            [(f"{union // 25} samples", over(even if union > 200 else SHARES[::4], lambda r, union=union: curves.modulus_sample(r, union)),
              shares(points[name], 100)) for union, name in ((200, "dsc-short-0"), (1000, "dsc-0"), (4000, "dsc-long-0"))],
        ),
        "minhash.svg": chart(
            "minhash-lsh: candidates",
            "S-curves over the resemblance: 14 bands of 7 minima, the default, reach 0.96 at 0.8; 9 bands of 13 reach 0.40, 8 bands of 16 0.20, and 20 bands of 5 "
            "1.00. Points: pairs found by lookalike with the first two.",
            resemblance, found,
            [(f"{b} × {r}{', the default' if b == 14 else ''}", over(SHARES, lambda s, b=b, r=r: curves.bands(s, b, r)), shares(points[name], 100) if name else [])
             for b, r, name in ((14, 7, "minhash-0"), (9, 13, "minhash-1"), (8, 16, ""), (20, 5, ""))],
        ),
        "megashingles.svg": chart(
            "megashingles, super-shingles-84",
            "S-curve over the resemblance from 0.6 to 1: two of six super shingles of 14 minima agree with probability 0.03 at 0.8, 0.42 at 0.9, 0.88 at 0.95. "
            "Points: pairs found by lookalike.",
            ("resemblance", [0.6, 0.7, 0.8, 0.9, 1]), found,
            [("2 of 6 super shingles", over(steep, curves.two_of_six), shares(points["megashingles-0"], 100))],
        ),
        "super-shingles.svg": chart(
            "dsc-ss: n sampled shingles in a row",
            "S-curves over the resemblance for pairs whose union has 1000 shingles, of which one in 25 is sampled: super shingles of n = 2 find half of the pairs "
            "at a resemblance of 0.14, n = 4 at 0.41, n = 10 at 0.77. Points: pairs found by lookalike.",
            resemblance, found,
            [(f"n = {n}", over(even, lambda r, n=n: curves.super_shingle(r, n, 1000)), shares(points[f"super-shingles-{at}"], 100)) for at, n in enumerate((2, 4, 10))],
            legend="low",
        ),
        "word-lsh.svg": chart(
            "word-lsh: candidates",
            "S-curve over the word overlap: 16 first words in 125 orders are near 0 below 0.6, 0.34 at 0.7, 0.97 at 0.8. Points: pairs found by lookalike.",
            ("word overlap", QUARTERS), found,
            [("125 orders, 16 words", over(SHARES, curves.first_words), shares(points["word-lsh-0"], 100))],
        ),
        "syntactic.svg": chart(
            "syntactic: still equal after an edit",
            "Stability over the number of removed terms: a document of which the filter keeps 10, 25, 50 or 90 per cent of the terms has the same digest "
            "only if all removed terms are dropped anyway. At 50 per cent 0.50 after one removed term and 0.12 after three. Points: pairs found by lookalike.",
            removed, found, [(name, curve, shares(points[f"syntactic-{at}"])) for at, (name, curve, _) in enumerate(still)], legend="right",
        ),
        "imatch.svg": chart(
            "imatch: still equal after an edit",
            "Stability over the number of removed terms: a document of which the filter keeps 10, 25, 50 or 90 per cent of the terms has the same signature "
            "only if none of them is removed. At 10 per cent 0.90 after one removed term and 0.59 after five. Points: pairs found by lookalike.",
            removed, found, [(name, curve, shares(points[f"imatch-{at}"])) for at, (name, curve, _) in enumerate(still)], legend="right",
        ),
        "imatch-random.svg": chart(
            "imatch-random: still a match after an edit",
            "Stability over the number of changed terms of the lexicon, with p = 0.33: ten copies keep 0.98 of the pairs after one change, 0.68 after two and 0.31 after "
            "three; five copies 0.86, 0.44 and 0.17; two copies 0.55, 0.21 and 0.07. Points: measured on edited mails.",
            ("changed terms of the lexicon", [0, 1, 2, 3, 4, 5, 6, 7, 8]), found,
            [(f"{copies} copies", over([at / 10 for at in range(81)], lambda n, copies=copies: curves.lexicon_copy(n, copies)),
              [(n, y, f"{n} changes: {y}") for n, y in stable(column)]) for column, copies in ((3, 10), (2, 5), (1, 2))],
            legend="right",
        ),
        "spam-copies.svg": chart(
            "Recall on spam, rule B, filled",
            "Kołcz & Chowdhury 2008, figure 6: recall of near-duplicates of known spam over the number of copies of the lexicon, from 0 to 10, on five collections of mail "
            "and on the two of the paper, whose four printed values are joined by lines. All rise fastest with the first copies and then flatten.",
            copies, recall,
            [(name, points, [(k, y, f"{name}, {k} copies: {y}") for k, y in points]) for name, points in of_rules["B, filled"].items()],
            legend="below",
        ),
        "spam-rules.svg": chart(
            "Recall on spam, means of five collections",
            "Mean recall of near-duplicates of known spam over the number of copies of the lexicon, from 0 to 10, under each of four rules: one term or five in a signature, "
            "and the same filled with rarer terms. All rise fastest with the first copies.",
            copies, recall,
            [(SPAM_RULES[rule], points, [(k, y, f"{rule}, {k} copies: {y:.3f}") for k, y in points]) for rule, points in
             ((rule, means([points for name, points in found.items() if not name.endswith("(paper)")])) for rule, found in of_rules.items())],
            legend="below",
        ),
        "simhash.svg": chart(
            "simhash: pairs within d bits",
            "Share of the pairs within d of 64 bits over the cosine of the weighted terms, from 0.6 to 1: at a cosine of 0.95, 0.001 for d = 0, 0.10 for d = 3 and "
            "0.81 for d = 8. Points: pairs found by lookalike.",
            ("cosine", [0.6, 0.7, 0.8, 0.9, 1]), found,
            [(f"d = {d}", over(sorted([*steep, 0.992, 0.994, 0.996, 0.998, 0.999]), lambda c, d=d: curves.bits_within(c, d)), shares(points[f"simhash-{at}"], 100))
             for at, d in enumerate(DISTANCES)],
        ),
        "hamming.svg": chart(
            "Pairs of unrelated words within d bits",
            "Expected number of pairs within d of 64 bits among random words, on a logarithmic scale: half a pair among ten thousand at "
            "d = 10, two among a million at d = 6, two among a thousand million at d = 1. Points: pairs of unrelated documents found by lookalike.",
            ("d", [0, 4, 8, 12, 16]), ("pairs", [0.01, 1, 100, 1e4, 1e6, 1e8, 1e10, 1e12, 1e14]),
            [(name, over(list(range(17)), lambda d, words=words: curves.chance_pairs(words, d)),
              [(d, found, f"d = {d}: {found} pairs") for d, found, _ in points["hamming-0"] if found] if words == 10_000 else [])
             for name, words in (("10⁹ words", 10**9), ("10⁶ words", 10**6), ("10⁴ words", 10_000))],
        ),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--measure", metavar="LOOKALIKE", help="measure the points again with this program")
    given = parser.parse_args()
    if given.measure:
        MEASURED.write_text(write(take(given.measure)), encoding="utf-8")
    for name, text in pictures(read()).items():
        (HERE / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
