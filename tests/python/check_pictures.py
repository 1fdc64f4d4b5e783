#!/usr/bin/env python3
"""Checks the pictures of the pages on methods, docs/methods/pictures.

    check_pictures.py path/to/lookalike

That the SVG files are what build.py writes, well-formed, and named by a page; that lookalike finds as many of the pairs made for it as measured.tsv
says; that these lie on the curves; and that the curves agree with values from elsewhere: the S-curve that `lookalike methods` prints, the tables of the
pages, simulations. Standard library only.
"""
import math
import random
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "methods"
sys.path.insert(0, str(PAGES / "pictures"))
import build
import curves

# A binomial count further away from its mean is not chance, in any of some 150.
DEVIATIONS = 4.5


def check_files() -> None:
    """Each file is what the program writes, can be read by a screen reader, and is on a page."""
    drawn = build.pictures(build.read())
    assert {path.name for path in build.HERE.glob("*.svg")} == set(drawn), "a picture too many, or too few"
    pages = "".join(path.read_text(encoding="utf-8") for path in PAGES.glob("*.md"))
    for name, text in drawn.items():
        assert (build.HERE / name).read_text(encoding="utf-8") == text, f"{name} is stale: python3 docs/methods/pictures/build.py"
        root = ElementTree.fromstring(text)
        found = {part.tag.rpartition("}")[2]: part.text for part in root}
        assert root.get("role") == "img" and found["title"] and len(found["desc"]) > 80, name
        assert re.search(r"!\[[^\]]{30,}\]\(pictures/" + re.escape(name) + r"\)", pages), f"no page shows {name} with a description"


def check_measured(binary: str) -> None:
    """lookalike finds exactly as many as it found when the points were taken."""
    assert build.write(build.take(binary)) == build.MEASURED.read_text(encoding="utf-8"), "other points: build.py --measure PATH/lookalike"


def expected(curve: str, x: int) -> float:
    """The share that the formula gives for a point of measured.tsv."""
    name, _, number = curve.rpartition("-")
    at, r = int(number), x / 100
    formulas = {
        "dsc": lambda: curves.modulus_sample(r, 1000),
        "dsc-short": lambda: curves.modulus_sample(r, 200),
        "dsc-long": lambda: curves.modulus_sample(r, 4000),
        "minhash": lambda: curves.bands(r, *((14, 7), (9, 13))[at]),
        "megashingles": lambda: curves.two_of_six(r),
        "super-shingles": lambda: curves.super_shingle(r, (2, 4, 10)[at], 1000),
        "word-lsh": lambda: curves.first_words(r),
        "syntactic": lambda: curves.untouched(x, build.SELECTED[at], 200),
        "imatch": lambda: curves.untouched(x, build.SELECTED[at], 200),
        # The terms in common are whole: their cosine is not exactly x per cent.
        "simhash": lambda: curves.bits_within(round(x * 501 / 100) / 501, build.DISTANCES[at]),
    }
    return formulas[name]()


def check_points() -> None:
    """What was found lies on the curves."""
    for curve, points in build.read().items():
        for x, found, of in points:
            if curve == "hamming-0":
                mean = curves.chance_pairs(of, x)
                spread = math.sqrt(mean)
            else:
                p = expected(curve, x)
                mean, spread = of * p, math.sqrt(of * p * (1 - p))
            assert abs(found - mean) <= DEVIATIONS * spread + 1, f"{curve} at {x}: {found} found, {mean:.1f} expected"
    # Of 4000 mails; those that share a drawing of the copies are not independent.
    for column, copies in ((1, 2), (2, 5), (3, 10)):
        points = build.stable(column)
        assert len(points) == 8, points
        for n, share in points:
            assert abs(share - curves.lexicon_copy(n, copies)) <= 0.02, f"imatch-random, {copies} copies, {n} changes: {share}"
    # Copies are added to those before, so recall cannot fall.
    for rule in build.SPAM_RULES:
        found = build.spam(rule)
        assert len(found) == 7, found.keys()
        for name, points in found.items():
            assert len(points) == (4 if name.endswith("(paper)") else 11), (rule, name)
            assert all(a[1] <= b[1] for a, b in zip(points, points[1:])), (rule, name)


def check_printed(binary: str) -> None:
    """The S-curves that lookalike prints."""
    for b, r in ((14, 7), (9, 13), (8, 16), (20, 5)):
        printed = subprocess.run([binary, "methods", f"minhash-lsh:bands={b},rows={r}"], check=True, capture_output=True, text=True).stdout
        rows = re.findall(r"^ +(\d\.\d\d)  (\d\.\d{4})", printed, re.MULTILINE)
        assert len(rows) == 21, printed
        for s, value in rows:
            assert abs(curves.bands(float(s), b, r) - float(value)) <= 0.00006, (b, r, s)


def table(page: str, first: str) -> list:
    """The numbers of the row of a page's table that begins with `first`, below those of its head."""
    lines = (PAGES / page).read_text(encoding="utf-8").splitlines()
    row = next(at for at, line in enumerate(lines) if line.startswith(first))
    head = next(at for at in range(row, 0, -1) if lines[at].startswith("|---") or lines[at].startswith("| ---")) - 1
    cells = [[cell.strip(" *").removeprefix("K = ") for cell in lines[at].strip("|").split("|")] for at in (head, row)]
    return [(float(x), value) for x, value in zip(*cells) if re.fullmatch(r"[\d.]+", x) and re.fullmatch(r"[\d.]+", value)]


def check_tables() -> None:
    """The tables of the pages, to the last digit that they print."""
    checked = 0
    for page, first, curve in (
        ("minhash.md", "| 14 × 7", lambda s: curves.bands(s, 14, 7)),
        ("minhash.md", "| 20 × 5", lambda s: curves.bands(s, 20, 5)),
        ("minhash.md", "| 8 × 16", lambda s: curves.bands(s, 8, 16)),
        ("megashingles.md", "| | 0.00", curves.two_of_six),
        ("super-shingles.md", "| n = 2 ", lambda r: curves.run_in_row(40, 2, r)),
        ("super-shingles.md", "| **n = 4** ", lambda r: curves.run_in_row(40, 4, r)),
        ("super-shingles.md", "| n = 10 ", lambda r: curves.run_in_row(40, 10, r)),
        ("super-shingles.md", "| n = 25 ", lambda r: curves.run_in_row(40, 25, r)),
        ("word-lsh.md", "| | 0.00", curves.first_words),
        *(("imatch-random.md", f"| {n} | 0.", lambda copies, n=n: curves.lexicon_copy(n, int(copies))) for n in (1, 2, 3)),
    ):
        for x, value in table(page, first):
            digits = len(value.partition(".")[2])
            assert abs(curve(x) - float(value)) <= 0.5001 * 10**-digits, (page, first, x, value, curve(x))
            checked += 1
    assert checked >= 65, f"only {checked} values"


def check_simulated() -> None:
    """Formulas against what they stand for, drawn at random."""
    draw = random.Random(1)
    rounds = 4000

    def share(event) -> float:
        return sum(event() for _ in range(rounds)) / rounds

    def sampled(r: float, union: int) -> tuple:
        kept = [number for number in range(union) if draw.random() < 0.04]
        return [number < round(r * union) for number in kept], kept

    def reaches() -> bool:
        both, kept = sampled(0.5, 200)
        return bool(kept) and 2 * sum(both) >= len(kept)

    def in_row(r: float, n: int) -> bool:
        both, _ = sampled(r, 300)
        draw.shuffle(both)
        return any(all(both[at : at + n]) for at in range(len(both) - n + 1))

    def six() -> bool:
        return sum(all(draw.random() < 0.9 for _ in range(14)) for _ in range(6)) >= 2

    def copies() -> bool:
        return any(all(draw.random() < 0.33 for _ in range(2)) for _ in range(10))

    def spared() -> bool:
        return all(term >= 50 for term in draw.sample(range(200), 5))

    def angle() -> bool:
        # Signs of random projections of two vectors at this cosine.
        c, differ = 0.9, 0
        for _ in range(64):
            x, y = draw.gauss(0, 1), draw.gauss(0, 1)
            differ += (x > 0) != (c * x + math.sqrt(1 - c * c) * y > 0)
        return differ <= 8

    for event, p in (
        (reaches, curves.modulus_sample(0.5, 200)),
        (lambda: in_row(0.5, 2), curves.super_shingle(0.5, 2, 300)),
        (lambda: in_row(0.8, 4), curves.super_shingle(0.8, 4, 300)),
        (six, curves.two_of_six(0.9)),
        (copies, curves.lexicon_copy(2, 10)),
        (spared, curves.untouched(5, 50, 200)),
        (angle, curves.bits_within(0.9, 8)),
        (lambda: (draw.getrandbits(64) ^ draw.getrandbits(64)).bit_count() <= 28, curves.chance_pairs(2, 28)),
    ):
        assert abs(share(event) - p) < DEVIATIONS * math.sqrt(p * (1 - p) / rounds), (event, p)


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    binary = str(Path(sys.argv[1]).resolve())
    for check in (check_files, check_points, check_tables, check_simulated, lambda: check_printed(binary), lambda: check_measured(binary)):
        check()
    print("ok: pictures of the methods")
    return 0


if __name__ == "__main__":
    sys.exit(main())
