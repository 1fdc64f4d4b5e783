#!/usr/bin/env python3
"""The figures of main_job.py in, a picture of how cost grows with size out: SVG, written here, no library needed.

    plot.py out/bench/main_job.json         # writes out/bench/main_job.svg, as main_job.py itself does

One line for each kind of collection of which at least two sizes were run: documents to the right, on a logarithmic
scale, microseconds of processor time for each document upwards, from 0: other programs on the machine add less to
it than to wall time. Flat is good. Names stand at the ends of their
lines. The colours are Okabe and Ito's, which people who cannot tell red from green can tell apart; the page around
may be light or dark.
"""
import json
import math
import statistics
import sys
from pathlib import Path
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 760, 440
LEFT, RIGHT, TOP, BOTTOM = 64, 150, 64, 56
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f")
# Least distance between two names at the right edge.
LABEL_GAP = 17
STYLE = """
  svg { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #333; }
  .page { fill: #fff; } .title { font-size: 17px; font-weight: 600; fill: #111; } .faint { fill: #777; }
  .grid { stroke: #e5e5e5; } .axis { stroke: #999; } .line { fill: none; stroke-width: 2.5; stroke-linejoin: round; }
  .dot { stroke: #fff; stroke-width: 1.5; } .name { font-weight: 600; } .lead { fill: none; stroke-width: 1; opacity: .5; }
  @media (prefers-color-scheme: dark) {
    svg { fill: #ccc; } .page { fill: #16181c; } .title { fill: #eee; } .faint { fill: #999; }
    .grid { stroke: #2b2f36; } .axis { stroke: #666; } .dot { stroke: #16181c; }
  }
"""


def lines_of(raw: dict) -> dict:
    """By kind of collection, (documents, median microseconds a document), in order of size; of `dedup` on most threads."""
    runs = [run for run in raw["runs"] if run["program"] == "dedup"]
    threads = max((run["threads"] for run in runs), default=0)
    found: dict = {}
    for run in runs:
        if run["threads"] == threads:
            kind, documents = run["collection"].rpartition("-")[0], run["summary"]["documents"]
            found.setdefault(kind, {}).setdefault(documents, []).append(1e6 * run["cpu"] / documents)
    medians = {
        kind: [(documents, statistics.median(costs)) for documents, costs in sorted(sizes.items())]
        for kind, sizes in found.items()
    }
    return {kind: points for kind, points in sorted(medians.items()) if len(points) > 1}


def steps_to(most: float) -> list:
    """Round numbers from 0 to the first that is not below `most`, four to eight of them."""
    step = 10 ** math.floor(math.log10(most)) if most > 0 else 1.0
    step = next(step * share for share in (0.2, 0.25, 0.5, 1, 2) if most / (step * share) <= 7)
    return [step * at for at in range(math.ceil(most / step - 1e-9) + 1)]


def sizes_between(least: int, most: int) -> list:
    """1, 2 and 5 times powers of ten, within the two; the two themselves if there are none."""
    powers = range(int(math.log10(least)), int(math.log10(most)) + 1)
    within = [digit * 10**power for power in powers for digit in (1, 2, 5) if least <= digit * 10**power <= most]
    if len(within) > 9:
        within = [size for size in within if str(size)[0] == "1"]
    return within if len(within) > 1 else [least, most]


def short(number: float) -> str:
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if number >= size:
            return f"{number / size:g}{letter}"
    return f"{number:g}"


def spread(wanted: list, gap: float, least: float, most: float) -> list:
    """Places near those wanted, in the same order, at least `gap` from each other and, if they fit, within the two."""
    order = sorted(range(len(wanted)), key=lambda at: wanted[at])
    placed = [0.0] * len(wanted)
    last = least - gap
    for at in order:
        last = placed[at] = max(wanted[at], last + gap)
    limit = most + gap
    for at in reversed(order):
        limit = placed[at] = min(placed[at], limit - gap)
    return placed


def draw(lines: dict, title: str, subtitle: str) -> str:
    """The picture, as text."""
    sizes = [documents for points in lines.values() for documents, _ in points]
    least, most = min(sizes), max(sizes)
    scale = steps_to(max(cost for points in lines.values() for _, cost in points))
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM

    def across(documents: float) -> float:
        return LEFT + (right - LEFT) * math.log(documents / least) / max(1e-9, math.log(most / least))

    def up(cost: float) -> float:
        return bottom - (bottom - TOP) * cost / scale[-1]

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img">',
        f"<title>{escape(title)}</title><style>{STYLE}</style>",
        f'<rect class="page" width="{WIDTH}" height="{HEIGHT}"/>',
        f'<text class="title" x="{LEFT}" y="27">{escape(title)}</text>',
        f'<text class="faint" x="{LEFT}" y="47">{escape(subtitle)}</text>',
    ]
    for cost in scale:
        y = up(cost)
        out.append(f'<path class="{"grid" if cost else "axis"}" d="M{LEFT} {y:.1f}H{right}"/>')
        out.append(f'<text class="faint" x="{LEFT - 10}" y="{y + 4:.1f}" text-anchor="end">{cost:g}</text>')
    for documents in sizes_between(least, most):
        x = across(documents)
        out.append(f'<path class="axis" d="M{x:.1f} {bottom}v5"/>')
        out.append(f'<text class="faint" x="{x:.1f}" y="{bottom + 21}" text-anchor="middle">{short(documents)}</text>')
    out.append(f'<text class="faint" x="{(LEFT + right) / 2:.0f}" y="{HEIGHT - 12}" text-anchor="middle">documents</text>')
    names = list(lines)
    places = spread([up(lines[name][-1][1]) for name in names], LABEL_GAP, TOP, bottom)
    for number, name in enumerate(names):
        colour, points = COLOURS[number % len(COLOURS)], [(across(x), up(y)) for x, y in lines[name]]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        out.append(f'<polyline class="line" stroke="{colour}" points="{path}"/>')
        for (x, y), (documents, cost) in zip(points, lines[name]):
            tip = f"{name}, {documents:,} documents: {cost:.1f} µs each"
            out.append(f'<circle class="dot" fill="{colour}" cx="{x:.1f}" cy="{y:.1f}" r="4.5"><title>{escape(tip)}</title></circle>')
        (x, y), place = points[-1], places[number]
        out.append(f'<path class="lead" stroke="{colour}" d="M{x + 7:.1f} {y:.1f}L{right + 14} {place:.1f}"/>')
        label = f"{name} {lines[name][-1][1]:.3g}"
        out.append(f'<text class="name" fill="{colour}" x="{right + 18}" y="{place + 4:.1f}">{escape(label)}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def plot(path: Path) -> Path:
    """Draws the figures of a file beside it; `None` if they hold no collection in two sizes."""
    raw = json.loads(path.read_text(encoding="utf-8"))
    lines = lines_of(raw)
    if not lines:
        return None
    about = raw["machine"]
    subtitle = f"CPU µs a document, lookalike dedup on {about['cores']} threads, {about['cpu']}"
    picture = path.with_suffix(".svg")
    picture.write_text(draw(lines, "How cost grows with size", subtitle), encoding="utf-8")
    return picture


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit((__doc__ or "").strip())
    print(plot(Path(sys.argv[1])) or "no collection was run in two sizes")
